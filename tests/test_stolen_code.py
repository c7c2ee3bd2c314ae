"""Right code that a check itself brings along: it must never reach the exercise that it answers."""

import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from course_lib.authoring.build import ROOT
from course_lib.grading.nbgrader.cell_points import cell_points
from course_lib.grading.nbgrader.order import restore_order

if not sys.platform.startswith("linux"):
    pytest.skip("the grader needs Linux; elsewhere the stock kernel grades", allow_module_level=True)

from course_lib.grading.sandbox.grader import Grader

pytestmark = pytest.mark.xdist_group("stolen")


def text(*parts):
    return ROOT.joinpath(*parts).read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=["03_multi_head", "09_bug_clinic"])
def lesson(request):
    """A lesson's name, its grader, and the notebook that was handed out."""
    released = text("notebooks", request.param, f"{request.param}.ipynb")
    hidden = text("solutions", f"{request.param}_hidden.py")
    with Grader(request.param, hidden, released=released) as grader:
        yield request.param, grader, released


def graded(lesson, answers, first="", move=lambda notebook: None):
    _, grader, released = lesson
    notebook = nbformat.reads(released, as_version=4)
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name in answers:
            cell.source = answers[name]
    if first:
        notebook.cells.insert(0, new_code_cell(first))
    move(notebook)
    restore_order(notebook, released)
    grader.grade(notebook)
    points = cell_points(notebook).points
    return {name: points[f"check_{name}"] for name in answers}, notebook


def needs(lesson, name):
    if lesson[0] != name:
        pytest.skip(f"of lesson {name}")


KEEP = "seen = []\n"
WITH_STAND_IN = """class MultiHeadAttention(torch.nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        seen.extend([split_heads, merge_heads])
"""


def last_first(notebook):
    """The exercise that uses the others, and its check, before them."""
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in notebook.cells}
    moved = [cells["MultiHeadAttention"], cells["check_MultiHeadAttention"]]
    rest = [cell for cell in notebook.cells if cell not in moved]
    place = rest.index(cells["split_heads"])
    notebook.cells = rest[:place] + moved + rest[place:]


@pytest.mark.parametrize("move", [lambda notebook: None, last_first], ids=["in order", "last first"])
def test_stand_ins_of_used_pieces_are_kept_in_vain(lesson, move):
    needs(lesson, "03_multi_head")
    answers = {
        "MultiHeadAttention": WITH_STAND_IN,
        "split_heads": "def split_heads(x, heads):\n    return seen[0](x, heads)",
        "merge_heads": "def merge_heads(x):\n    return seen[1](x)",
    }
    points, _ = graded(lesson, answers, KEEP, move)
    assert points == dict.fromkeys(answers, 0)


TESTS = {"attention": "test_attention", "word_ids": "test_word_ids", "translate": "test_translate"}
ARGUMENTS = {
    "attention": "query, key, value, mask",
    "word_ids": "sentences",
    "translate": "model, source, target",
}


def test_code_that_a_test_was_given_is_kept_in_vain(lesson):
    needs(lesson, "09_bug_clinic")
    answers = {}
    for piece, test in TESTS.items():
        answers[test] = f"def {test}({piece}):\n    seen.append(('{piece}', {piece}))\n"
        answers[piece] = (
            f"def {piece}({ARGUMENTS[piece]}):\n"
            f"    for name, code in seen:\n"
            f"        if name == '{piece}':\n"
            f"            return code({ARGUMENTS[piece]})\n"
        )
    points, _ = graded(lesson, answers, KEEP)
    assert {name: points[name] for name in TESTS} == dict.fromkeys(TESTS, 0)


def test_a_test_that_counts_its_calls_earns_nothing(lesson):
    """The first calls of the check in the notebook are learned by heart: right, or broken?"""
    needs(lesson, "09_bug_clinic")
    source = """calls = iter("1" + "0110100101101001" * 20)
def test_attention(attention):
    query = torch.ones(1, 1, 2, 4)
    attention(query, query, query, torch.tensor([[True, True]]))
    assert next(calls) == "1"
"""
    totals = [graded(lesson, {"test_attention": source})[0]["test_attention"] for _ in range(3)]
    assert sum(totals) == 0


def test_names_of_the_code_under_test_tell_nothing(lesson):
    needs(lesson, "09_bug_clinic")
    source = """import traceback
def test_attention(attention):
    query = torch.ones(1, 1, 2, 4)
    print(attention, attention.__name__, attention.__qualname__, attention.__doc__, end=" ")
    try:
        attention(None, None, None, None)
    except Exception as error:
        print(*(frame.name for frame in traceback.extract_tb(error.__traceback__)))
"""
    _, notebook = graded(lesson, {"test_attention": source})
    shown = "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", []))
    words = {word for word in shown.split() if word.isidentifier()}
    assert words <= {"test_attention", "attention", "function", "at", "call", "None", "noted"}, words


def test_what_examples_use_is_not_in_the_lessons_package(lesson):
    """Only what the notebook itself imports is there: lesson 09's examples hold right code."""
    needs(lesson, "09_bug_clinic")
    source = (
        "import course_lib.exercises.bug_clinic as own\nprint(*sorted(n for n in dir(own) if n[0] != '_'))"
    )
    _, notebook = graded(lesson, {"word_ids": source})
    (cell,) = (cell for cell in notebook.cells if cell.source == source)
    assert cell.outputs[0].text.split() == ["check", "filled", "hint", "model_answer", "progress"]


def test_what_no_probe_needs_is_neither_in_memory_nor_on_disk(lesson):
    needs(lesson, "03_multi_head")
    source = """import os, sys, course_lib
print(*[name for name in sys.modules if name.startswith("course_lib.exercises.")])
for room in ("exercises", "program"):
    try:
        print(os.listdir(os.path.dirname(course_lib.__file__) + "/" + room))
    except OSError as error:
        print(type(error).__name__)
"""
    _, notebook = graded(lesson, {"split_heads": source})
    (cell,) = (cell for cell in notebook.cells if cell.source == source)
    lesson_stub, *rooms = cell.outputs[0].text.split()
    assert lesson_stub == "course_lib.exercises.multi_head"
    assert len(rooms) == 2 and set(rooms) <= {"PermissionError", "[]"}
