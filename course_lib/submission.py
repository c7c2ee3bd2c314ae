"""Before a learner hands in: check_submission("02_attention.ipynb"), or `course check-submission FILE`.

Every graded cell must be there once, locked ones unchanged, and the notebook must run from a clean start.
"""

import html
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

from course_lib.checks.notebook import answer_in, grade_id, source
from course_lib.checks.panel import Panel
from course_lib.checks.score import code
from course_lib.language import say, widened

GRADED = json.loads(Path(__file__).with_name("graded_cells.json").read_text(encoding="utf-8"))
EMPTY = ("not attempted", "not answered")  # how the row of an empty answer begins
RUN = "import sys; from course_lib.submission import run_cells; run_cells(*sys.argv[1:])"


class SubmissionError(ValueError):
    """The file is no notebook of this course. It says so in the learner's language."""

    def __init__(self, problem: str):
        super().__init__(say(problem))


class SubmissionVerdict(Panel):
    """`problems`: what has to be corrected before handing in, each with its correction."""

    def __init__(self, text: str, markup: str, problems: list[str]):
        super().__init__(text, markup)
        self.problems = problems


def check_submission(path: str | Path, seconds: float = 600) -> SubmissionVerdict:
    """What would go wrong when this file is graded, each with its correction; and its points as saved.

    Looks at the file, so save first. It runs as in grading: a new process, experiments left out, `seconds` at
    most. Raises SubmissionError where the file is no notebook of this course.
    """
    path = Path(path)
    cells, lesson = _read(path)
    problems = [] if path.stem == lesson else [f"Rename the file to `{lesson}.ipynb`."]
    problems += _structure(cells, GRADED[lesson])
    ran = _run(path, seconds)
    problems = [say(problem) for problem in problems + ran["errors"]]
    saved = time.strftime("%H:%M", time.localtime(path.stat().st_mtime))
    return _panel(lesson, saved, problems, ran["points"] | _answered(cells, GRADED[lesson]))


def _read(path: Path) -> tuple[list[dict], str]:
    """The cells, and the lesson whose graded cells they are: a file may have been renamed."""
    if not path.is_file():
        raise SubmissionError(
            f"there is no file {path} in {Path.cwd()}: give the path of your saved notebook"
        )
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        names = {grade_id(cell) for cell in cells}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise SubmissionError(f"{path} is not a notebook: {type(error).__name__}: {error}") from None
    lesson = max(GRADED, key=lambda lesson: len(names & GRADED[lesson].keys()))
    if not names & GRADED[lesson].keys():
        raise SubmissionError(f"{path} has no graded cell of any lesson: {', '.join(GRADED)}")
    return cells, lesson


def _structure(cells: list[dict], graded: dict[str, str | None]) -> list[str]:
    found, problems = Counter(map(grade_id, cells)), []
    for name, locked in graded.items():
        if not found[name]:
            what = "It will be put back" if locked else "Copy it from a fresh notebook of the lesson"
            problems.append(f"The cell `{name}` is missing. {what}.")
        elif found[name] > 1:
            problems.append(
                f"The cell `{name}` is there {found[name]} times. The last one counts, so delete the others."
            )
        elif locked and locked != source(next(cell for cell in cells if grade_id(cell) == name)):
            problems.append(f"The check cell `{name}` was changed. Grading uses the original: `{locked}`")
    return problems


def _answered(cells: list[dict], graded: dict[str, str | None]) -> dict[str, str]:
    """Of each written question (graded, and neither an exercise nor its check) whether there is an answer."""
    questions = [name for name in graded if not name.startswith("check_") and f"check_{name}" not in graded]
    return {name: "answered" if answer_in(cells, name) else "not answered" for name in questions}


def _run(path: Path, seconds: float) -> dict[str, Any]:
    """Errors and points of a run in a new process, which nbgrader's variable keeps out of `progress()`."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, "-c", RUN, str(path.resolve()), str(result)]
        environment = {"MPLBACKEND": "agg", "NBGRADER_EXECUTION": "validate", "IPYTHONDIR": folder}
        try:
            ended = subprocess.run(
                command,
                cwd=path.resolve().parent,
                env=os.environ | environment,
                timeout=seconds,
                check=False,
                stdin=DEVNULL,
                stdout=DEVNULL,
                stderr=DEVNULL,
            ).returncode
        except subprocess.TimeoutExpired:
            error = f"Running the notebook from the start took longer than {seconds:g} seconds."
            return {"errors": [error], "points": {}}
        if result.exists():
            return json.loads(result.read_text(encoding="utf-8"))
    error = f"Running the notebook from the start ended the Python process (exit code {ended})."
    return {"errors": [error], "points": {}}


def run_cells(path: str, result: str) -> None:
    """All cells in order, as grading runs them: an error does not stop it, experiments are left out."""
    from IPython.core.interactiveshell import InteractiveShell

    shell, errors, points = InteractiveShell.instance(), [], {}
    for number, cell in enumerate(json.loads(Path(path).read_text(encoding="utf-8"))["cells"], 1):
        if cell["cell_type"] != "code" or "skip-execution" in cell["metadata"].get("tags", ()):
            continue
        outcome = shell.run_cell(source(cell))
        if error := outcome.error_before_exec or outcome.error_in_exec:
            where = grade_id(cell) or next(iter(source(cell).strip().splitlines()), "")
            errors.append(
                f"Run from the start, cell {number} (`{where}`) raises {type(error).__name__}: {error}"
            )
        elif report := getattr(outcome.result, "report", None):
            points[report.exercise.name] = f"{report.status}, {report.reached}"
    Path(result).write_text(json.dumps({"errors": errors, "points": points}), encoding="utf-8")


def _panel(lesson: str, saved: str, problems: list[str], rows: dict[str, str]) -> SubmissionVerdict:
    verdict = "✓ can be handed in" if not problems else f"✗ {len(problems)} to correct before you hand in"
    empty = sum(row.startswith(EMPTY) for row in rows.values())
    but = "" if not empty else ", but 1 is empty" if empty == 1 else f", but {empty} are empty"
    head = widened(f"{say(verdict)}{say(but)}: {lesson}, {say(f'as saved at {saved}')}")
    rows = {name: widened(", ".join(map(say, row.split(", ", 1)))) for name, row in rows.items()}
    text = "\n".join(
        [head, *(f"  {p}" for p in problems), *(widened(f"  {name}: {row}") for name, row in rows.items())]
    )
    items = "".join(f"<li>{code(problem)}</li>" for problem in problems)
    table = "".join(f"<tr><td><code>{html.escape(n)}</code></td><td>{r}</td></tr>" for n, r in rows.items())
    head_row = f"<tr><th>{say('exercise')}</th><th>{say('as saved')}</th></tr>"
    return SubmissionVerdict(
        text, f"<p><b>{head}</b></p><ul>{items}</ul><table>{head_row}{table}</table>", problems
    )
