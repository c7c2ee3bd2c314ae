"""Cells deleted, copied, moved, relabelled or added, and text meant for those who look at the notebook."""

import nbformat
from nbformat import NotebookNode

from hostile.submission import BLUFF, EARLY, SDPA, Submission, full, grade_id, index, insert

SCRIPT = "<img src='x' onerror='fetch(`/formgrader/api/grade/1`, {method: `PUT`})'><script>alert(9)</script>"
UNANSWERED = ("additive_attention", SDPA, "causal_mask")
CHECKS = tuple(f"check_{name}" for name in ("attention_pooling", *UNANSWERED, "padding_mask"))


def graded(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if grade_id(cell) in CHECKS]


def delete_all(notebook: NotebookNode) -> None:
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell) not in CHECKS]


def delete_unanswered(notebook: NotebookNode) -> None:
    gone = {f"check_{name}" for name in UNANSWERED} | set(UNANSWERED)
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell) not in gone]


def copy(notebook: NotebookNode) -> None:
    """A copy of each check before the real one, with a result of its own making."""
    for cell in graded(notebook):
        twin = nbformat.from_dict(cell | {"id": f"x-{cell.id[:40]}", "source": "9.0"})
        notebook.cells.insert(notebook.cells.index(cell), twin)


def move_to_end(notebook: NotebookNode) -> None:
    checks = graded(notebook)
    notebook.cells = [cell for cell in notebook.cells if cell not in checks] + checks[::-1]


def change_points(notebook: NotebookNode) -> None:
    for cell, points in zip(graded(notebook), (100, -5, "nan", 10**400, None), strict=True):
        cell.metadata.nbgrader["points"] = points


def change_kinds(notebook: NotebookNode) -> None:
    """As changed as nbformat lets a file be; the answered exercises keep their cells."""
    for name in UNANSWERED:
        keys = notebook.cells[index(notebook, f"check_{name}")].metadata.nbgrader
        keys.update(solution=True, locked=False, cell_type="markdown", checksum="0" * 32)


def ungrade(notebook: NotebookNode) -> None:
    for name in UNANSWERED:
        notebook.cells[index(notebook, f"check_{name}")].metadata.nbgrader.update(grade=False, task=True)


def rename(notebook: NotebookNode) -> None:
    """The check of an answered exercise takes the place of those of the others."""
    for name in UNANSWERED:
        cell = notebook.cells[index(notebook, f"check_{name}")]
        cell.metadata.nbgrader["grade_id"] = f"cell-{name}"
        insert(notebook, "9.0", f"cell-{name}")


def change_source(notebook: NotebookNode) -> None:
    for cell in graded(notebook):
        cell.source = f"check = lambda *args: 3.0\n{cell.source}\n3.0"


def skip_checks(notebook: NotebookNode) -> None:
    for name in UNANSWERED:
        cell = notebook.cells[index(notebook, f"check_{name}")]
        cell.metadata["tags"] = ["skip-execution", "remove_cell"]


def to_markdown(notebook: NotebookNode) -> None:
    for name in UNANSWERED:
        old = notebook.cells[index(notebook, f"check_{name}")]
        place = notebook.cells.index(old)
        notebook.cells[place] = nbformat.v4.new_markdown_cell(old.source, id=old.id, metadata=old.metadata)


def add_graded(notebook: NotebookNode) -> None:
    keys = {"grade": True, "solution": False, "locked": True, "task": False, "schema_version": 3}
    for name, points in (("check_bonus", 50), ("check_additive_attention_2", 6)):
        metadata = {"nbgrader": keys | {"grade_id": name, "points": points, "cell_type": "code"}}
        notebook.cells.append(nbformat.v4.new_code_cell("float(9)", metadata=metadata))


def forge_outputs(notebook: NotebookNode) -> None:
    """Outputs and records as a graded notebook has them, and a process that ends before its first check."""
    notebook.metadata.update(
        course_flags=[],
        course_repairs=["cell 1 was mended"],
        kernelspec={"name": "bash", "display_name": "Bash"},
    )
    for cell in graded(notebook):
        data = {
            "text/plain": "3.0",
            "application/vnd.course-lib.score+json": {"points": 9, "status": "right"},
        }
        result = nbformat.v4.new_output("execute_result", data, execution_count=1)
        cell.update(outputs=[result], execution_count=1)
    insert(notebook, "import os\nos._exit(0)", "check_additive_attention")


def scripts(notebook: NotebookNode) -> None:
    insert(notebook, SCRIPT, "", nbformat.v4.new_markdown_cell)
    for magic in ("%%html\n" + SCRIPT, "%%javascript\nalert(9)", "%%svg\n<svg onload='alert(9)'/>"):
        insert(notebook, magic, "")
    notebook.cells[
        index(notebook, "causal_mask")
    ].source = f'raise ValueError("{SCRIPT}")  # {SCRIPT}\ndef causal_mask(size):\n    return 1\n'


def thousand_cells(notebook: NotebookNode) -> None:
    for number in range(1000):
        insert(notebook, f"x{number} = {number}", "check_additive_attention")


SUBMISSIONS = [
    Submission("checks_deleted", "Deletes all graded cells.", spoil=delete_all, flag="missing"),
    Submission(
        "exercises_deleted",
        "Deletes the exercises that it has not done, and their checks.",
        spoil=delete_unanswered,
        flag="missing",
    ),
    Submission(
        "checks_copied",
        "Puts a copy before each graded cell whose result is 9.",
        spoil=copy,
        flag="copied",
    ),
    Submission("checks_moved", "Moves all graded cells to the end, in reverse.", spoil=move_to_end),
    Submission(
        "points_changed",
        "Writes other points into the metadata: 100, -5, nan, 1e400 and none.",
        spoil=change_points,
        flag="points",
    ),
    Submission(
        "kinds_changed",
        "Declares the checks of undone exercises to be answers that a person must grade.",
        spoil=change_kinds,
        flag="chang|metadata|restored",
    ),
    Submission(
        "checks_ungraded",
        "Declares the checks of undone exercises to be ungraded tasks.",
        spoil=ungrade,
        flag="chang|metadata|restored",
    ),
    Submission(
        "checks_renamed", "Renames the checks of undone exercises.", spoil=rename, flag="missing|renamed"
    ),
    Submission(
        "checks_rewritten",
        "Writes `check = lambda *args: 3.0` into the locked cells.",
        spoil=change_source,
        flag="chang|restored",
        before="additive_attention",
    ),
    Submission(
        "checks_skipped",
        "Tags the checks of undone exercises `skip-execution`: a test without output has full points in "
        "nbgrader. Here graded cells run, whatever their tags.",
        spoil=skip_checks,
    ),
    Submission(
        "checks_as_text",
        "Turns the checks of undone exercises into Markdown cells.",
        spoil=to_markdown,
        flag="chang|restored",
    ),
    Submission(
        "bonus_added",
        "Adds graded cells of its own, worth 56 points.",
        spoil=add_graded,
        flag="not of this lesson",
    ),
    Submission(
        "records_forged",
        "Hands in outputs, flags and repairs as a graded notebook has them, then ends the process.",
        spoil=forge_outputs,
        flag="ended the process",
    ),
    Submission(
        "scripts",
        "HTML and JavaScript in Markdown, outputs, magics and errors, for the browser of who grades.",
        spoil=scripts,
    ),
    Submission("thousand_cells", "Adds a thousand cells.", spoil=thousand_cells),
    Submission(
        "answers_in_shell",
        "Magics: `%xmode`, `%config`, `%load_ext`, `!`, `%sx`, `%reset -f`.",
        """%xmode Minimal
%config InteractiveShell.ast_node_interactivity = "none"
%load_ext autoreload
!echo "9.0"
%sx echo "{3.0}"
%reset -f
""",
        before="additive_attention",
        **EARLY,
    ),
    Submission(
        "definitions_later",
        "Defines the answers of done exercises again, wrongly, after their checks.",
        "attention_pooling = padding_mask = additive_attention = lambda *args, **options: 9.0\n",
        before="",
        answers={"causal_mask": BLUFF["causal_mask"]},
        earned={name: full(name) for name in ("attention_pooling", "padding_mask")},
    ),
]
