"""The students of the demo class: what each handed in, and the points that must come out.

Tests use them too: as submissions to the grader, and as answers that hostile submissions vary.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field

import nbformat
from nbformat import NotebookNode

from course_lib.checks.exercise import Implementation
from course_lib.exercises.attention import lesson
from course_lib.grading.nbgrader.repair import grade_id

LESSON = "02_attention"
QUESTION = "mask_keys_not_queries"
RAISES = "    return query @ key  # the key is not transposed\n"
EXERCISES = lesson.exercises


@dataclass
class Student:
    """One submission.

    answers: by exercise the name of a function in its tables, or source text; the others stay stubs.
    points: that must come out, by exercise; full points for an answer that is not listed here.
    spoil: what else the student did to the notebook.
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


SDPA = "scaled_dot_product_attention"


def functions(exercise: str) -> dict[str, Implementation]:
    """The functions in the exercise's tables by their names: accepted ones, mistakes, the reference."""
    tables = EXERCISES[exercise]
    known = [*tables.accepted.values(), *(mistake.implementation for mistake in tables.mistakes)]
    return {function.__name__: function for function in [*known, tables.reference_implementation]}


# Everything right.
REFERENCES = {name: tables.reference_implementation.__name__ for name, tables in EXERCISES.items()}


def delete_cell(name: str) -> Callable[[NotebookNode], None]:
    def spoil(notebook: NotebookNode) -> None:
        notebook.cells = [cell for cell in notebook.cells if grade_id(cell) != name]

    return spoil


def copy_cells(*names: str) -> Callable[[NotebookNode], None]:
    def spoil(notebook: NotebookNode) -> None:
        notebook.cells += [
            nbformat.from_dict(cell | {"id": f"copy-{cell.id}"})
            for cell in list(notebook.cells)
            if grade_id(cell) in names
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
        {"padding_mask": 0, "causal_mask": 2},
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


def fill_in(notebook: NotebookNode, student: Student) -> None:
    for cell in notebook.cells:
        name = grade_id(cell)
        if name in student.answers:
            cell.source = source_of(name, student.answers[name])
        elif name == QUESTION and student.essay:
            cell.source = student.essay


def source_of(exercise: str, answer: str) -> str:
    """What the student typed: the text itself, or the source of a function in the exercise's tables."""
    if "\n" in answer:
        return answer
    definition = ast.parse(textwrap.dedent(inspect.getsource(functions(exercise)[answer]))).body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.name, definition.decorator_list = exercise, []
    if ast.get_docstring(definition):  # of a mistake it is the advice
        del definition.body[0]
    source = ast.unparse(definition) + "\n"
    needs_functional = re.search(r"\bF\.", source)
    return ("import torch.nn.functional as F\n\n\n" if needs_functional else "") + source
