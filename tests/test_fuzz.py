"""Whatever bytes, notebooks, sources and messages a submission is made of: an answer, or one error."""

import json
import socket
import sys

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from course_lib.authoring.build import ROOT
from course_lib.grading.nbgrader.cell_points import cell_points
from course_lib.grading.nbgrader.order import restore_order
from course_lib.grading.nbgrader.reading import read
from course_lib.grading.nbgrader.repair import NotGradableError, grade_id, repair
from course_lib.grading.nbgrader.source import Source, SourceCell
from course_lib.grading.plain_text import one_line

if not sys.platform.startswith("linux"):
    pytest.skip("the grader needs Linux", allow_module_level=True)

from course_lib.grading.sandbox.audit import Audit
from course_lib.grading.sandbox.wire import HEAD, ConnectionClosedError, Wire, WireError, unpack

LESSON = "02_attention"
RELEASED = (ROOT / "notebooks" / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8")
# The same cases in every run: a test that fails now and then is nobody's friend.
settings.register_profile(
    "course", deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
settings.load_profile("course")

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
PIECES = st.sampled_from(
    [
        *(
            "import os\n",
            "x = ",
            "%time ",
            "!ls\n",
            "%%bash\n",
            "get_ipython()",
            ".run_line_magic(",
            "(",
            ")",
        ),
        *(
            "def f(",
            "):\n",
            "    ",
            "globals()",
            "[",
            "]",
            "'",
            '"""',
            "\\\n",
            "?",
            "torch",
            ".sys",
            "\n",
            "0",
        ),
        *("lambda: ", "class A: ", "from course_lib import ", "*", "getattr(torch, 'a' + 'b')", "=", "\x00"),
        *("import torch as t\n", "t.softmax = 1\n", "f'{", "}'", "await ", ";", "\t", "é", "词", "\ud800"),
    ]
)
SOURCES = st.lists(PIECES | st.text(max_size=5), max_size=25).map("".join)


def source_of_lesson():
    cells = []
    for cell in nbformat.reads(RELEASED, as_version=4).cells:
        if keys := cell.metadata.get("nbgrader"):
            cells.append(
                SourceCell(
                    keys["grade_id"],
                    cell.cell_type,
                    cell.source,
                    keys.get("checksum", ""),
                    keys["locked"],
                    keys["grade"],
                    keys["solution"],
                    keys.get("task", False),
                    keys.get("points"),
                )
            )
    return Source(LESSON, None, tuple(cells))


SOURCE = source_of_lesson()


def known(notebook):
    """After reading, repair and order: each cell of the lesson once, in its order, or a sentence."""
    try:
        notebook = read(notebook)
        repair(notebook, SOURCE)
    except NotGradableError as error:
        assert str(error)
        return None
    restore_order(notebook, RELEASED)
    names = [grade_id(cell) for cell in notebook.cells if grade_id(cell)]
    assert sorted(names) == sorted(cell.name for cell in SOURCE.cells)
    assert all(names.index(name.removeprefix("check_")) <= names.index(name) for name in names)
    return notebook


@given(st.binary(max_size=200))
def test_bytes(data):
    assert known(data) is None or data


@given(ANYTHING)
def test_json(value):
    assert known(json.dumps(value).encode()) is None


CUTS = st.integers(0, len(RELEASED))


@given(CUTS, CUTS, st.text(max_size=10))
@settings(max_examples=60)
def test_a_notebook_with_a_part_overwritten(start, end, text):
    known((RELEASED[: min(start, end)] + text + RELEASED[max(start, end) :]).encode("utf-8", "replace"))


CELL_KEYS = st.sampled_from(
    ["cell_type", "metadata", "source", "outputs", "execution_count", "id", "attachments"]
)


@given(st.lists(st.tuples(st.integers(0, 60), CELL_KEYS, ANYTHING), min_size=1, max_size=4), st.randoms())
@settings(max_examples=150)
def test_a_notebook_with_other_values_in_its_cells(changes, chance):
    notebook = json.loads(RELEASED)
    for place, key, value in changes:
        notebook["cells"][place % len(notebook["cells"])][key] = value
    chance.shuffle(notebook["cells"])
    found = known(json.dumps(notebook).encode())
    if found:
        cell_points(found)


@given(st.sampled_from(["grade_id", "points", "locked", "solution", "cell_type", "schema_version"]), ANYTHING)
def test_a_notebook_with_other_values_in_nbgraders_metadata(key, value):
    notebook = json.loads(RELEASED)
    for cell in notebook["cells"]:
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"][key] = value
    known(json.dumps(notebook).encode())


@given(st.lists(SOURCES, min_size=1, max_size=3))
@settings(max_examples=300)
def test_sources_are_audited(sources):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    for flags in Audit().flags(nbformat.v4.new_notebook(cells=cells)).values():
        assert all(one_line(flag.sentence) for flag in flags)


@given(st.text())
def test_a_line_of_text(text):
    assert one_line(text).isprintable() and len(one_line(text)) <= 200


VALUES = st.recursive(
    ANYTHING,
    lambda inner: (
        st.fixed_dictionaries({"float": st.text(max_size=8) | inner})
        | st.fixed_dictionaries(
            {"tensor": st.lists(inner | st.sampled_from(["float32", "cpu", "meta"]), max_size=5)}
        )
        | st.fixed_dictionaries({"set": st.lists(inner, max_size=3)})
        | st.fixed_dictionaries({"dict": st.lists(st.lists(inner, max_size=2), max_size=3)})
    ),
    max_leaves=8,
)
OUTCOMES = st.lists(
    st.tuples(
        st.just("part"),
        st.fixed_dictionaries(
            {"slips": st.lists(st.text(max_size=3), max_size=2) | ANYTHING},
            optional={
                "values": st.lists(st.tuples(st.text(max_size=3), VALUES), max_size=2),
                "failure": st.lists(st.text(max_size=4), max_size=4) | ANYTHING,
            },
        ),
    ),
    max_size=2,
)


@given(OUTCOMES | ANYTHING, ANYTHING | st.just(["", [], [], ""]), st.binary(max_size=16))
@settings(max_examples=400)
def test_results(parts, reading, blob):
    try:
        unpack({"parts": parts, "examples": [], "reading": reading}, blob, {"part": 1}, {})
    except WireError as error:
        assert str(error)


def test_a_number_that_is_no_number():
    parts = [["part", {"slips": [], "values": [["x", {"float": "0x1p99999"}]]}]]
    with pytest.raises(WireError):
        unpack({"parts": parts, "examples": [], "reading": ["", [], [], ""]}, b"", {"part": 1}, {})


@given(st.binary(max_size=64), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_frames(data, text, blob):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(HEAD.pack(text, blob) + data)
        theirs.close()
        with pytest.raises((WireError, ConnectionClosedError)):
            for _ in range(3):
                Wire(ours, 10_000).receive()
