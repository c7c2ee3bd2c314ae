"""The learner's notebook as a file: what its cells hold, as last saved."""

import json
import os
from pathlib import Path

SESSION = "JPY_SESSION_NAME"  # environment variable: Jupyter tells a kernel the path of its notebook
STUB = "*Write your answer here.*"  # in the cell of a written question, until something is written


def source(cell: dict) -> str:
    return "".join(cell["source"])


def grade_id(cell: dict) -> str | None:
    keys = cell["metadata"].get("nbgrader")
    return keys.get("grade_id") if isinstance(keys, dict) else None


def answer_in(cells: list[dict], question: str) -> str:
    """What is written in the cell of a question: empty where nothing is, or where the cell is not there."""
    text = {grade_id(cell): source(cell).strip() for cell in cells}.get(question, "")
    return "" if text == STUB else text


def saved_answer(lesson: str, question: str) -> str | None:
    """The answer as last saved; None where the lesson's notebook is not found, as on Colab."""
    named = [os.environ[SESSION]] if SESSION in os.environ else []
    for path in map(Path, [*named, f"{lesson}.ipynb"]):
        try:
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            if question in map(grade_id, cells):
                return answer_in(cells, question)
        except (AttributeError, KeyError, OSError, TypeError, ValueError):
            continue
    return None
