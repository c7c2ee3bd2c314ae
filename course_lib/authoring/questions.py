"""Written questions: what a full answer names, and a model answer, out of the marking guides of the lessons.

The solution of a question is its marking guide, a paragraph and a point for each part:

    (a) **A full answer names** both counts. **Model answer:** Nothing changes. **Marking:** Half for one.

The first is a learner's hint. The second is what a self-learner sees beside their own answer. The third,
which may be missing, is for the person who marks. The first two are no Markdown, but for code in `backticks`.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

HEADING = re.compile(r"\*\*([^*]+)\*\*")
QUESTIONS = Path("course_lib", "questions.json")
REGION = re.compile(r"BEGIN SOLUTION -->\n(.*?)\n<!-- END SOLUTION", re.DOTALL)
PART = re.compile(
    r"\((?P<letter>[a-z])\) \*\*A full answer names\*\* (?P<criterion>.+?) \*\*Model answer:\*\* "
    r"(?P<answer>.+?)(?: \*\*Marking:\*\* .+)?"
)


def questions(notebooks: dict[str, NotebookNode], config: dict[str, Any], root: Path) -> dict[Path, str]:
    """The file of all written questions, from instructors' notebooks by lesson.

    Model answers are left out where nbgrader_config.py says `c.ModelAnswers.released = False`.
    """
    released = answers_released(config)
    content = {
        lesson: {cell.metadata.question: _question(cell, released) for cell in written_questions(notebook)}
        for lesson, notebook in notebooks.items()
    }
    return {root / QUESTIONS: json.dumps(content, indent=1, ensure_ascii=False) + "\n"}


def answers_released(config: dict[str, Any]) -> bool:
    return config.get("ModelAnswers", {}).get("released", True)


def translated(
    english: dict[str, NotebookNode], other: dict[str, NotebookNode], config: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    """What learners are told of written questions, English and translated: instructors' notebooks by lesson.

    A translation of a guide has the English one's paragraphs, each with its headings between stars. Model
    answers are left out as in `questions`.
    """
    released = answers_released(config)
    for lesson, notebook in other.items():
        for ours, theirs in zip(written_questions(english[lesson]), written_questions(notebook), strict=True):
            for one, said in zip(_paragraphs(ours), _paragraphs(theirs), strict=True):
                part, pieces = PART.fullmatch(one), HEADING.split(said)
                if part and part["criterion"] not in said and len(pieces) >= 5:
                    letter, heading, criterion, _, answer = (piece.strip(" ：:") for piece in pieces[:5])
                    yield (
                        f"({part['letter']}) A full answer names {part['criterion']}",
                        f"{letter} {heading}：{criterion}",
                    )
                    if released:
                        yield f"({part['letter']}) {part['answer']}", f"{letter} {answer}"


def problems(cell: NotebookNode) -> Iterator[str]:
    """What breaks the form of a marking guide, with its mend."""
    paragraphs = _paragraphs(cell)
    for paragraph in paragraphs:
        if not (part := PART.fullmatch(paragraph)):
            yield (
                f"in the marking guide {paragraph[:30]!r}: expected a paragraph "
                "(a) **A full answer names** ... **Model answer:** ... and, if need be, **Marking:** ..."
            )
        elif re.search(r"[*$]", part["criterion"] + part["answer"]):
            yield f"({part['letter']}) has * or $: learners see it as plain text with `code`"
    if len(paragraphs) != cell.metadata.get("points"):
        yield f"{len(paragraphs)} parts in the marking guide, expected one a point"


def written_questions(notebook: NotebookNode) -> list[NotebookNode]:
    """The cells of an instructor's notebook that hold marking guides."""
    return [cell for cell in notebook.cells if "question" in cell.metadata]


def _paragraphs(cell: NotebookNode) -> list[str]:
    """The parts of a marking guide, each in one line; what comes before (a) is for the person who grades."""
    paragraphs = "".join(REGION.findall(cell.source)).split("\n\n")
    return [" ".join(paragraph.split()) for paragraph in paragraphs if paragraph.startswith("(")]


def _question(cell: NotebookNode, released: bool) -> dict[str, Any]:
    parts = [part for part in map(PART.fullmatch, _paragraphs(cell)) if part]
    return {
        "points": cell.metadata.points,
        "criteria": [f"({part['letter']}) A full answer names {part['criterion']}" for part in parts],
        "model_answer": [f"({part['letter']}) {part['answer']}" for part in parts] if released else [],
    }
