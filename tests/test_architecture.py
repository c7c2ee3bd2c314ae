"""ARCHITECTURE.md is held to the code: its picture of the rooms is the rule for who may import whom."""

import ast
import importlib
import re
import sys
from itertools import chain, product

import pytest

from course_lib.authoring.build import ROOT, lessons

PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
FIGURES = re.findall(r"```mermaid\n(.*?)```", PAGE, re.DOTALL)
PLACES = sorted({*re.findall(r"`?([\w/]+(?:\.py|\.md))", PAGE), *re.findall(r"`([\w/]+/)`", PAGE)})
MODULES = sorted((ROOT / "course_lib").rglob("*.py"))
# Within grading, where the picture has one room: a folder may import only these others.
GRADING = {
    "nbgrader": set(),
    "sandbox": {"nbgrader"},
    "cluster": {"job", "workers", "nbgrader"},
    "lms": {"nbgrader", "results", "plain_text", "outputs"},
}
OUTSIDE = {  # packages that only some rooms may import
    "nbgrader": {"authoring", "grading"},
    "jupytext": {"authoring"},
    "babel": {"authoring"},
    "mistune": {"authoring"},
    "latex2mathml": {"authoring"},
    "jinja2": {"authoring"},
    "PIL": {"authoring"},
    "dask": {"grading"},
    "distributed": {"grading"},
    "ipywidgets": {"widgets"},
    "matplotlib": {"plots", "program"},
    "fontTools": {"authoring"},
    "sentencepiece": {"translation"},
    "transformers": {"translation"},
}


def drawn(figure):
    """Arrows of a flowchart: from each of `a & b` to each of `c & d`."""
    for line in figure.splitlines():
        if "-->" in line:
            here, there = ([room.strip() for room in side.split("&")] for side in line.split("-->"))
            yield from product(here, there)


ARROWS = set(drawn(FIGURES[0]))


def imported(path):
    """Dotted names that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def rooms(path):
    """The rooms of course_lib that a file imports, but for its own."""
    for name in imported(path):
        first, *rest = name.split(".")
        if first == "course_lib" and rest and rest[0] in ROOMS - {room_of(path)}:
            yield rest[0]


def room_of(path):
    name = path.relative_to(ROOT / "course_lib").parts[0].removesuffix(".py")
    return "command" if name == "__main__" else name


ROOMS = {room_of(path) for path in MODULES} - {"__init__"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_arrows_point_one_way(path):
    here = room_of(path)
    assert {(here, there) for there in rooms(path)} <= ARROWS
    for name in imported(path):
        first = name.split(".")[0]
        assert here in OUTSIDE.get(first, {here}), f"{here} imports {name}"
        if here in {"checks", "exercises", "model"}:
            # Among the mistakes are answers of learners who calculate with NumPy.
            more = {"numpy"} if path.stem.endswith("_mistakes") else set()
            assert first in sys.stdlib_module_names | {"torch", "course_lib"} | more, f"{here} imports {name}"


def test_the_picture_has_no_arrow_too_many_and_no_circle():
    assert {(room_of(path), there) for path in MODULES for there in rooms(path)} == ARROWS
    left = dict.fromkeys(chain(*ARROWS))
    while left:  # take away who imports nobody that is left
        ends = [room for room in left if not any((room, other) in ARROWS for other in left)]
        assert ends, f"a circle among {', '.join(left)}"
        for room in ends:
            del left[room]


@pytest.mark.parametrize("folder", GRADING)
def test_arrows_within_grading_point_one_way(folder):
    for path in (ROOT / "course_lib" / "grading" / folder).rglob("*.py"):
        for name in imported(path):
            parts = name.split(".")
            if parts[:2] == ["course_lib", "grading"] and len(parts) > 2:
                assert parts[2] in GRADING[folder] | {folder}, f"{path.name} imports {name}"


def test_isolation_could_be_a_package_of_its_own():
    folder = ROOT / "course_lib" / "grading" / "sandbox" / "isolation"
    names = {name for path in folder.rglob("*.py") for name in imported(path)}
    inside = "course_lib.grading.sandbox.isolation"
    assert not [name for name in names if name.startswith("course_lib") and not name.startswith(inside)]


def test_notebooks_do_not_import_solutions():
    for path in lessons():
        assert not any(name.startswith("solutions") for name in imported(path))


def test_each_room_is_in_the_table():
    table = PAGE.split("| package |")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", "".join(re.findall(r"\n\| (.*?) \|", table)))) == ROOMS


@pytest.mark.parametrize("place", PLACES)
def test_what_it_names_is_there(place):
    """A place may leave out folders that come before it."""
    assert place in ("submitted/", "_hidden.py") or [*ROOT.glob(place), *ROOT.glob(f"course_lib/**/{place}")]


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("checks.lesson", "Lesson"),
        ("checks.expected", "Expected"),
        ("checks.observation", "observe"),
        ("checks.judgement", "judge"),
        ("checks.score", "Score"),
        ("training.batches", "Bitext"),
        ("training.trainer", "Trainer"),
        ("model.transformer", "Transformer"),
        ("translation.decoding", "beam_search"),
        ("grading.sandbox.zygote", "_install_stubs"),
    ],
)
def test_what_the_walks_name_is_in_that_module(module, name):
    assert hasattr(importlib.import_module(f"course_lib.{module}"), name)
    assert name in PAGE
