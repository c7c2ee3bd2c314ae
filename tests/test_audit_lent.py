"""What a lesson lends of the course: to whom its audit says nothing."""

import ast
import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from test_audit import LESSONS, accused, flags, released

from course_lib.grading.sandbox.audit import SKIP, Audit
from course_lib.grading.sandbox.cell_text import parsed
from course_lib.grading.sandbox.lent import is_course_module


def test_a_lesson_lends_what_it_imports_by_name_and_no_exercise_of_its_own():
    audit = Audit(released("02_attention"), ["Vocabulary"])
    assert not flags("from course_lib.text import pad_batch", audit=audit)
    assert not flags("from course_lib.plots import attention_map", audit=audit)
    assert not flags("from course_lib.text import Vocabulary", audit=audit)  # which it imports, too
    assert accused("from course_lib.text import Vocabulary\nclass Mine(Vocabulary): pass", audit=audit)
    assert accused("from course_lib.text import Vocabulary\nmine = Vocabulary([['a']])", audit=audit)
    assert flags("from course_lib import text\ntext.Vocabulary", audit=audit)
    assert flags("from course_lib.training import trainer", audit=audit)


def test_a_lesson_that_is_called_as_an_exercise_lends_its_checks():
    audit = Audit(released("05_layer_norm"), ["layer_norm"])
    imports = "from course_lib.exercises.layer_norm import check, progress"
    assert not flags(imports, 'check("layer_norm", layer_norm)\nprogress()', audit=audit)
    assert flags("from course_lib.exercises.layer_norm import layer_norm", audit=audit)
    assert flags("from course_lib.exercises import layer_norm", audit=audit)


def test_the_lessons_own_imports_may_stand_in_another_cell():
    text = released("02_attention")
    imports = next(
        cell.source for cell in nbformat.reads(text, as_version=4).cells if "import torch\n" in cell.source
    )
    assert not [flag for flag in flags(imports + "\nx = 1", audit=Audit(text)) if flag.is_serious]


@pytest.mark.parametrize(
    "source, accuses",
    [
        ("history = engine(library, batches, Recipe(steps=9))", False),
        ("for steps in (1, 2):\n    [engine(library, batches, Recipe(steps=s)) for s in (steps,)]", False),
        ("train = engine", True),
        ("run = lambda *a: engine(*a)", True),
        ("runs = (engine(library, batches) for _ in range(9))", True),
        ("def train(*a): return engine(*a)", True),
        ("print(list(map(engine, batches)))", True),
    ],
)
def test_a_course_s_function_named_as_an_exercise_may_be_called_but_not_kept(source, accuses):
    audit = Audit(released("07_translator"), ["train"])
    imported = "from course_lib.training.trainer import Recipe, train as engine\n"
    assert bool(accused(imported + source, audit=audit)) == accuses


def test_a_demonstration_may_be_changed_for_it_is_not_run():
    audit = Audit(released("12_gpt"), ["GPT"])
    source = "small = LibraryGPT(GPTConfig(5, layers=3))\nimport ctypes"
    shown, own = new_code_cell(source, metadata={"tags": [SKIP]}), new_code_cell(source)
    assert not audit.flags(new_notebook(cells=[shown]))
    assert len(audit.flags(new_notebook(cells=[own]))[0]) == 1
    solved = new_code_cell(source, metadata={"tags": [SKIP], "nbgrader": {"solution": True}})
    assert audit.flags(new_notebook(cells=[solved]))


@pytest.mark.parametrize("lesson", LESSONS)
def test_modules_of_the_course_have_names_that_nobody_gives_to_something_else(lesson):
    """What is called `text` in a learner's function would be taken for a module of that name."""
    for cell in json.loads(released(lesson))["cells"]:
        tree = parsed("".join(cell["source"])) if cell["cell_type"] == "code" else None
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("course_lib"):
                for alias in node.names:
                    name = alias.asname or alias.name
                    is_own = name in ("plots", "widgets", "diagrams") or name.startswith("course_")
                    assert is_own or not is_course_module(f"{node.module}.{alias.name}"), name


@pytest.mark.parametrize(
    "source, accuses",
    [
        ("assert Vocabulary(s).encode(w) == course_text.Vocabulary(s).encode(w)", False),
        ("print(len(course_text.Vocabulary(s)))", False),
        ("words = course_text.Vocabulary(s)", True),
        ("encode = course_text.Vocabulary(s).encode", True),
        ("Vocabulary = lambda s: course_text.Vocabulary(s).encode(s)", True),
        ("def print(x): kept.append(x)\nprint(course_text.Vocabulary(s))", True),
        ("help(plots)", False),
        ("def help(x): kept.append(x)\nhelp(plots)", True),
        ("kept.plots = plots", True),
    ],
)
def test_the_course_s_piece_may_be_compared_with_but_not_kept(source, accuses):
    audit = Audit(released("01_embedding"), ["Vocabulary"])
    given = "from course_lib import plots\nfrom course_lib import text as course_text\n"
    assert bool(accused(given + source, audit=audit)) == accuses


USE = "from course_lib import text as course_text\nwords = course_text.Vocabulary([['a']])"


def test_a_piece_is_lent_once_it_was_checked():
    audit = Audit(released("01_embedding"), ["Vocabulary"])
    notebook = nbformat.reads(released("01_embedding"), as_version=4)
    place = next(i for i, cell in enumerate(notebook.cells) if "check_Vocabulary" in str(cell.metadata))
    notebook.cells.insert(place + 1, new_code_cell(USE))
    assert not audit.flags(notebook)
    notebook.cells.insert(place, notebook.cells.pop(place + 1))
    assert audit.flags(notebook)
