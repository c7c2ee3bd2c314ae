"""A class of made-up submissions, graded by stock nbgrader: `course demo`.

Answers are taken from the checks' own tables of accepted variants and mistakes.
"""

import ast
import inspect
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from course_lib.authoring.build import ROOT
from course_lib.exercises.attention import lesson
from course_lib.grading.course import Course
from course_lib.grading.results import results, table

LESSON = "02_attention"
QUESTION = "mask_keys_not_queries"
RAISES = "    return query @ key  # the key is not transposed\n"
EXERCISES = lesson.exercises


@dataclass
class Student:
    """`answers`: by exercise the name of a variant in the checks, or source text; the rest stay stubs.

    points: what must come out, by exercise, None for all points of those in `answers`.
    """

    name: str
    story: str
    answers: dict[str, str]
    points: dict[str, float] = field(default_factory=dict)
    essay: str = ""
    spoil: Callable[[NotebookNode], None] = lambda notebook: None

    def expected(self, exercise: str) -> float:
        full = EXERCISES[exercise].points if exercise in self.answers else 0
        return self.points.get(exercise, full)


REFERENCES = {name: exercise.reference_implementation.__name__ for name, exercise in EXERCISES.items()}
SDPA = "scaled_dot_product_attention"


def delete_cell(grade_id: str) -> Callable[[NotebookNode], None]:
    def spoil(notebook: NotebookNode) -> None:
        notebook.cells = [cell for cell in notebook.cells if _grade_id(cell) != grade_id]

    return spoil


def copy_cells(*grade_ids: str) -> Callable[[NotebookNode], None]:
    def spoil(notebook: NotebookNode) -> None:
        notebook.cells += [
            nbformat.from_dict(cell | {"id": f"copy-{cell.id}"})
            for cell in list(notebook.cells)
            if _grade_id(cell) in grade_ids
        ]

    return spoil


NOISY = """def causal_mask(size):
    import sys, warnings
    print("making a mask", file=sys.stderr)
    warnings.warn("this is fine")
    return torch.ones(size, size, dtype=torch.bool).tril()
"""
SYNTAX_ERROR = "def padding_mask(ids, pad=0):\n    return (ids != pad)[:, None, :\n"
NO_RETURN = "def padding_mask(ids, pad=0):\n    (ids != pad)[:, None, :]\n"
WRONG_TYPE = "def causal_mask(size):\n    return torch.ones(size, size).tril().bool().numpy()\n"
OWN_ERROR = """def attention_pooling(query, key, value, width=1.0):
    scores = -((query[:, None] - key) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1) + 0.01
    return weights @ value, weights
"""

CLASS = [
    Student(
        "ada", "everything right, with an essay", REFERENCES, essay="Padded rows are 0/0, nobody reads them."
    ),
    Student(
        "bao",
        "everything right, written with loops",
        {
            "attention_pooling": "loops",
            "additive_attention": "loops",
            SDPA: "loops",
            "padding_mask": "padding_loops",
            "causal_mask": "causal_loops",
        },
    ),
    Student(
        "chen",
        "everything right, einsum and -1e9",
        {
            "attention_pooling": "stable_exp",
            "additive_attention": "einsum",
            SDPA: "minus_billion",
            "padding_mask": "by_logic",
            "causal_mask": "positions",
        },
    ),
    Student(
        "dora",
        "two classic slips",
        REFERENCES | {SDPA: "no_scale", "causal_mask": "one_too_many"},
        {SDPA: 7, "causal_mask": 1},
    ),
    Student(
        "emre",
        "wrong axes",
        REFERENCES | {SDPA: "over_queries", "padding_mask": "masks_rows"},
        {SDPA: 1, "padding_mask": 0},
    ),
    Student(
        "fay",
        "masks after the softmax, no tanh",
        REFERENCES | {SDPA: "masked_after_softmax", "additive_attention": "no_tanh"},
        {SDPA: 6, "additive_attention": 3},
    ),
    Student(
        "goran",
        "code that raises",
        REFERENCES | {SDPA: f"def {SDPA}(query, key, value, mask=None):\n{RAISES}"},
        {SDPA: 0},
    ),
    Student("hana", "handed in untouched", {}),
    Student(
        "ivan", "half done", {name: REFERENCES[name] for name in ("attention_pooling", "additive_attention")}
    ),
    Student("jana", "deleted a test cell", REFERENCES, spoil=delete_cell("check_padding_mask")),
    Student(
        "kofi",
        "copied an exercise and a test cell",
        REFERENCES,
        spoil=copy_cells("causal_mask", "check_causal_mask"),
    ),
    Student(
        "lena",
        "forgot return; a numpy array",
        REFERENCES | {"padding_mask": NO_RETURN, "causal_mask": WRONG_TYPE},
        {"padding_mask": 0, "causal_mask": 0},
    ),
    Student(
        "mei",
        "NaN, and a mistake in no list",
        REFERENCES | {"attention_pooling": OWN_ERROR, SDPA: "naive_softmax"},
        {"attention_pooling": 1, SDPA: 8},
    ),
    Student("nils", "a syntax error", REFERENCES | {"padding_mask": SYNTAX_ERROR}, {"padding_mask": 0}),
    Student("olga", "prints to stderr and warns, all right", REFERENCES | {"causal_mask": NOISY}),
]
UNREADABLE = "pia"  # hands in a file that was cut off
MARK = ".demo_class"  # a file in each folder that may be made anew, which deletes what is there


def make_class(course: Path) -> None:
    """A fresh course folder with everybody's submissions. Raises FileExistsError where something else is."""
    if course.exists() and not ((course / MARK).exists() or (course.is_dir() and not any(course.iterdir()))):
        raise FileExistsError(
            f"{course} is there, and `course demo` did not make it: give a new folder. Nothing was changed."
        )
    shutil.rmtree(course, ignore_errors=True)
    course.mkdir(parents=True)
    (course / MARK).touch()
    shutil.copytree(ROOT / "solutions", course / "solutions")
    shutil.copy(ROOT / "nbgrader_config.py", course)
    released = ROOT / "notebooks" / LESSON / f"{LESSON}.ipynb"
    for student in CLASS:
        notebook = nbformat.read(released, as_version=4)
        fill_in(notebook, student)
        student.spoil(notebook)
        nbformat.write(notebook, _submission(course, student.name))
    _submission(course, UNREADABLE).write_text(released.read_text(encoding="utf-8")[:5000], encoding="utf-8")


def fill_in(notebook: NotebookNode, student: Student) -> None:
    for cell in notebook.cells:
        name = _grade_id(cell)
        if name in student.answers:
            cell.source = source_of(name, student.answers[name])
        elif name == QUESTION and student.essay:
            cell.source = student.essay


def source_of(exercise: str, answer: str) -> str:
    """What a learner would have typed: the source of a variant of the checks, or the text itself."""
    if "\n" in answer:
        return answer
    known = EXERCISES[exercise]
    variants = [known.reference_implementation, *known.accepted.values()]
    variants += [mistake.implementation for mistake in known.mistakes]
    function = next(variant for variant in variants if variant.__name__ == answer)
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    definition.name, definition.decorator_list = exercise, []
    if ast.get_docstring(definition):  # of a mistake it is the advice
        del definition.body[0]
    source = ast.unparse(definition) + "\n"
    needs_functional = re.search(r"\bF\.", source)
    return ("import torch.nn.functional as F\n\n\n" if needs_functional else "") + source


def grade(course: Path) -> None:
    """The commands that an instructor types."""
    for command in ("generate_assignment", "autograde", "generate_feedback"):
        nbgrader(course, command, LESSON)
    nbgrader(course, "export", "--to", "grades.csv")


def nbgrader(course: Path, *command: str) -> subprocess.CompletedProcess:
    """Stock nbgrader in the course's folder; its log goes to nbgrader.log there."""
    print("nbgrader", *command, flush=True)
    path = (
        f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader looks for alembic on it
    )
    with open(course / "nbgrader.log", "a", encoding="utf-8") as log:
        line = [sys.executable, "-m", "nbgrader", *command]
        return subprocess.run(
            line, cwd=course, env=os.environ | {"PATH": path}, stdout=log, stderr=log, check=False
        )


def _submission(course: Path, student: str) -> Path:
    path = course / "submitted" / student / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _grade_id(cell: NotebookNode) -> str:
    return cell.metadata.get("nbgrader", {}).get("grade_id", "")


def demo(folder: Path) -> int:
    """Make the class in the folder, grade it and print its table. Returns the exit code of `course demo`."""
    course = folder.resolve()
    try:
        make_class(course)
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    grade(course)
    print("\n" + table(results(Course(course, LESSON))))
    print(f"\nThe course is in {course}. To see it in formgrader: cd there, and run jupyter lab.")
    return 0
