"""Submissions as they come: mended as stock nbgrader mends them, or refused with a sentence."""

import contextlib
import json
import multiprocessing
import pickle
import resource
import sys
from concurrent.futures import ProcessPoolExecutor

import nbformat
import pytest
from grading_paper import FULL, LESSON, answered, hand_in, make_course
from nbconvert.exporters import NotebookExporter
from nbgrader.converters import Autograde
from nbgrader.nbgraderformat import MetadataValidator

from course_lib.authoring.build import ROOT
from course_lib.grading.demo_students import CLASS, copy_cells, fill_in
from course_lib.grading.nbgrader.prepare import prepare
from course_lib.grading.nbgrader.reading import LARGEST_FILE
from course_lib.grading.nbgrader.repair import NotGradableError, grade_id

pytestmark = pytest.mark.xdist_group("paper")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("prepare") / "course", {})


@pytest.fixture(scope="module")
def bundle(course):
    return course.bundle()


@pytest.fixture
def submitted():
    return answered(FULL, essay="0/0 is nan")


def prepared(bundle, submission):
    if not isinstance(submission, bytes):
        submission = nbformat.writes(submission).encode()
    return prepare(bundle.source, bundle.steps, submission)


def stock(course, path):
    """What nbgrader's sanitizing makes of a submitted file, before it executes."""
    exporter = NotebookExporter(config=course.config)
    exporter._preprocessors = []
    for step in Autograde(coursedir=course.directory, config=course.config).sanitize_preprocessors:
        exporter.register_preprocessor(step)
    names = {"student": "ada", "assignment": LESSON, "notebook": LESSON, "db_url": course.db_url}
    return json.loads(exporter.from_filename(str(path), resources={"nbgrader": names})[0])


def cell_of(notebook, name):
    return next(cell for cell in notebook.cells if grade_id(cell) == name)


def without(notebook, *names):
    notebook.cells = [cell for cell in notebook.cells if grade_id(cell) not in names]


@pytest.mark.parametrize("student", CLASS, ids=lambda student: student.name)
def test_the_demo_class_is_prepared_as_stock_does_it(course, bundle, student):
    notebook = nbformat.read(ROOT / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    fill_in(notebook, student)
    student.spoil(notebook)
    path = hand_in(course, student.name, notebook)
    ours, _ = prepared(bundle, path.read_bytes())
    assert json.loads(nbformat.writes(ours)) == stock(course, path)


def spoil_points(notebook):
    cell_of(notebook, "check_padding_mask").metadata.nbgrader.points = 1000


def spoil_grade(notebook):
    cell_of(notebook, "check_padding_mask").metadata.nbgrader.grade = False


def spoil_locked(notebook):
    cell_of(notebook, "check_padding_mask").metadata.nbgrader.update(locked=False, solution=True)


def spoil_check(notebook):
    cell_of(notebook, "check_padding_mask").source = "4"


def spoil_type(notebook):
    cell = cell_of(notebook, "padding_mask")
    cell.cell_type = "markdown"
    del cell["outputs"], cell["execution_count"]


def spoil_type_of_check(notebook):
    cell = cell_of(notebook, "check_padding_mask")
    cell.cell_type = "raw"
    del cell["outputs"], cell["execution_count"]


def spoil_type_of_question(notebook):
    cell_of(notebook, "mask_keys_not_queries").update(cell_type="code", outputs=[], execution_count=None)


def paste_image(notebook):
    spoil_type(notebook)
    cell_of(notebook, "padding_mask").attachments = {"a.png": {"image/png": "eA=="}}


def spoil_version(notebook):
    for cell in notebook.cells:
        if keys := cell.metadata.get("nbgrader"):
            del keys["schema_version"], keys["task"]


def spoil_future(notebook):
    cell_of(notebook, "padding_mask").metadata.nbgrader.schema_version = 99


def spoil_text(notebook):
    cell_of(notebook, "padding_mask").metadata.nbgrader = "mine"


def move_in(notebook):
    other = nbformat.read(ROOT / "notebooks/00_start_here/00_start_here.ipynb", as_version=4)
    notebook.cells += [cell for cell in other.cells if grade_id(cell)]


def delete_both(notebook):
    without(notebook, "padding_mask", "check_padding_mask")


def delete_first(notebook):
    without(notebook, "attention_pooling", "check_attention_pooling")


def delete_question(notebook):
    without(notebook, "mask_keys_not_queries")


def copy_twice(notebook):
    copy_cells("causal_mask", "check_causal_mask")(notebook)
    for cell in notebook.cells[-2:]:
        cell.id += "-again"
    copy_cells("mask_keys_not_queries")(notebook)


SPOILS = {
    spoil_points: ["cell check_padding_mask had its nbgrader metadata changed (points): restored"],
    spoil_grade: ["cell check_padding_mask had its nbgrader metadata changed (grade): restored"],
    spoil_locked: ["cell check_padding_mask had its nbgrader metadata changed (locked, solution): restored"],
    spoil_check: ["cell check_padding_mask was changed: restored"],
    spoil_type: ["cell padding_mask was turned from code to markdown: restored"],
    spoil_type_of_check: ["cell check_padding_mask was turned from code to raw: restored"],
    spoil_type_of_question: ["cell mask_keys_not_queries was turned from markdown to code: restored"],
    paste_image: [
        "cell padding_mask was turned from code to markdown: restored",
        "cell padding_mask is code and had attachments (a.png): removed",
    ],
    spoil_version: 11,
    spoil_future: ["cell padding_mask had its nbgrader metadata changed (schema_version): restored"],
    spoil_text: 2,
    move_in: 5,
    delete_both: ["cell padding_mask was missing: restored", "cell check_padding_mask was missing: restored"],
    delete_first: 2,
    delete_question: ["cell mask_keys_not_queries was missing: restored"],
    copy_twice: 3,
}


@pytest.mark.parametrize("spoil", SPOILS, ids=lambda spoil: spoil.__name__)
def test_spoiled_cells_are_restored_and_listed(course, bundle, submitted, spoil):
    order = [grade_id(cell) for cell in submitted.cells if grade_id(cell)]
    spoil(submitted)
    path = hand_in(course, "spoiled", submitted)
    notebook, repairs = prepared(bundle, path.read_bytes())
    expected = SPOILS[spoil]
    assert repairs == expected if isinstance(expected, list) else len(repairs) == expected
    keys = {grade_id(cell): cell for cell in notebook.cells if grade_id(cell)}
    assert keys.keys() == set(order)
    if spoil is not copy_twice:
        assert [grade_id(cell) for cell in notebook.cells if grade_id(cell)] == order
    for original in bundle.source.cells:
        cell = keys[original.name]
        assert dict(cell.metadata.nbgrader) == original.metadata()
        assert cell.cell_type == original.cell_type
        assert not original.locked or cell.source == original.source
    assert json.loads(nbformat.writes(notebook)) == stock(course, path), "stock mends it in the same way"


@pytest.mark.parametrize("spoil", [spoil_type, spoil_type_of_check, spoil_type_of_question, paste_image])
@pytest.mark.parametrize("minor", [0, 4])
def test_cells_without_ids_get_their_type_back(bundle, submitted, spoil, minor):
    spoil(submitted)
    submitted.nbformat_minor = minor
    for cell in submitted.cells:
        del cell["id"]
    if minor == 0:  # of which attachments are no part
        cell_of(submitted, "padding_mask").pop("attachments", None)
    notebook, repairs = prepared(bundle, json.dumps(submitted).encode())
    assert "restored" in repairs[0]
    for original in bundle.source.cells:
        assert cell_of(notebook, original.name).cell_type == original.cell_type


def test_an_image_in_a_written_answer_stays(bundle, submitted):
    image = {"a.png": {"image/png": "eA=="}}
    cell_of(submitted, "mask_keys_not_queries").attachments = image
    notebook, repairs = prepared(bundle, submitted)
    assert cell_of(notebook, "mask_keys_not_queries").attachments == image and not repairs


def test_answers_stay(bundle, submitted):
    spoil_version(submitted)
    notebook, _ = prepared(bundle, submitted)
    assert cell_of(notebook, "padding_mask").source == "# earns 4"
    assert cell_of(notebook, "mask_keys_not_queries").source == "0/0 is nan"


def test_a_notebook_from_colab(course, bundle, submitted):
    submitted.nbformat_minor = 0
    for cell in submitted.cells:
        del cell["id"]
        cell.metadata.update(id="aBc123", colab={"base_uri": "https://localhost:8080/"}, outputId="f00")
        if cell.cell_type == "code":
            cell.outputs = [nbformat.v4.new_output("stream", text="hi"), {"output_type": "broken"}]
            cell.execution_count = 7
    submitted.metadata = nbformat.from_dict(
        {
            "colab": {"provenance": [], "toc_visible": True},
            "kernelspec": {"name": "python3", "display_name": "Python 3 (Colab)"},
            "accelerator": "GPU",
            "widgets": {"application/vnd.jupyter.widget-state+json": {"no": "state"}},
        }
    )
    notebook, repairs = prepared(bundle, json.dumps(submitted).encode())
    assert repairs == [] and "widgets" not in notebook.metadata
    assert notebook.metadata.kernelspec.display_name == "Python 3 (ipykernel)"
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    nbformat.validate(notebook)


def test_a_notebook_of_an_old_format(bundle, submitted):
    old = nbformat.convert(submitted, 3)
    notebook, _ = prepared(bundle, json.dumps(old).encode())
    assert notebook.nbformat == 4 and cell_of(notebook, "padding_mask").source == "# earns 4"


def test_ids_that_are_double_or_missing(bundle, submitted):
    submitted.cells[1].id = submitted.cells[2].id
    del submitted.cells[3]["id"]
    notebook, _ = prepared(bundle, json.dumps(submitted).encode())
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


def test_half_of_a_character_and_a_byte_order_mark(bundle, submitted):
    cell_of(submitted, "mask_keys_not_queries").source = "\ud83d"
    notebook, _ = prepared(bundle, b"\xef\xbb\xbf" + json.dumps(submitted).encode())
    assert cell_of(notebook, "mask_keys_not_queries").source == "?"


ODD = [
    *(
        {"metadata": odd}
        for odd in ([], None, "text", {"tags": "x"}, {"tags": ["a,b"]}, {"scrolled": 7}, {"name": ""})
    ),
    *({"id": odd} for odd in (5, "a b")),
    *({"attachments": odd} for odd in (4, [1], True)),
    {"metadata": {"mine": {"mine": [[], {}]}}},
]


@pytest.mark.parametrize("odd", ODD, ids=str)
def test_what_is_odd_around_one_cell_costs_nothing(bundle, submitted, odd):
    spoiled = json.loads(nbformat.writes(submitted))
    spoiled["cells"].insert(3, json.loads(json.dumps(nbformat.v4.new_code_cell("1"))) | odd)
    notebook, _ = prepared(bundle, json.dumps(spoiled).encode())
    plain, _ = prepared(bundle, nbformat.writes(submitted).encode())
    own = [cell for cell in notebook.cells if cell.source != "1"]
    assert [(c.source, c.metadata) for c in own] == [(c.source, c.metadata) for c in plain.cells]


OTHER = (ROOT / "notebooks/00_start_here/00_start_here.ipynb").read_bytes()
EMPTY = nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")])).encode()
UNREADABLE = "not a notebook that can be read: "
BROKEN = {
    b"": "not a notebook, or cut off: Expecting value",
    b"\xff\xff": "not a notebook: byte 0 is not UTF-8 text",
    b"\xff\xfe": "not a notebook, or cut off: Expecting value",
    b"\xff\xfe[": "not a notebook: byte 2 is not UTF-16 text",
    b"[]": "not a notebook: this JSON has no nbformat",
    b"{}": "not a notebook: this JSON has no nbformat",
    b"[" * 200_000: "not a notebook: its JSON is nested too deeply",
    b'{"nbformat": 4, "cells": ' + b"[" * 200 + b"]" * 200 + b"}": "not a notebook: its JSON is nested too",
    b'{"nbformat": ' + b"9" * 5000 + b"}": "not a notebook, or cut off: Exceeds the limit",
    b'{"nbformat": 77, "cells": []}': UNREADABLE,
    b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}': UNREADABLE,
    b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [1]}': UNREADABLE,
    b'{"nbformat": 4, "nbformat_minor": 5, "metadata": [], "cells": []}': UNREADABLE,
    OTHER: "not the notebook of 02_attention: expected cells such as attention_pooling, check_attention_poo",
    EMPTY: "not the notebook of 02_attention: expected cells such as ",
}


@pytest.mark.parametrize("submission", BROKEN, ids=range(len(BROKEN)))
def test_what_cannot_be_graded_is_said_in_a_sentence(bundle, submission):
    with pytest.raises(NotGradableError) as refused:
        prepared(bundle, submission)
    assert str(refused.value).startswith(BROKEN[submission])
    assert len(str(refused.value)) < 300 and "\n" not in str(refused.value)


def test_any_part_of_a_notebook_may_be_nonsense(bundle, submitted):
    """Every value in turn becomes something else: graded or refused, never a crash."""
    for spoiled in variants(json.loads(nbformat.writes(submitted))):
        with contextlib.suppress(NotGradableError):
            notebook, _ = prepared(bundle, json.dumps(spoiled).encode())
            MetadataValidator().validate_nb(notebook)


def variants(notebook):
    cells = notebook["cells"]
    check = next(i for i, cell in enumerate(cells) if cell["id"] == "check_padding_mask")
    for value in (None, 3, "text", [], {}, [[]], {"a": None}):
        for key in ("metadata", "cells", "nbformat_minor"):
            yield notebook | {key: value}
        for key in ("cell_type", "source", "metadata", "outputs", "id", "execution_count"):
            yield notebook | {"cells": [*cells[:check], cells[check] | {key: value}, *cells[check + 1 :]]}
        for key in ("nbgrader", "tags", "name", "collapsed"):
            spoiled = cells[check] | {"metadata": cells[check]["metadata"] | {key: value}}
            yield notebook | {"cells": [*cells[:check], spoiled, *cells[check + 1 :]]}
        for key in ("grade_id", "grade", "points", "locked", "schema_version", "checksum", "cell_type"):
            keys = cells[check]["metadata"]["nbgrader"] | {key: value}
            spoiled = cells[check] | {"metadata": cells[check]["metadata"] | {"nbgrader": keys}}
            yield notebook | {"cells": [*cells[:check], spoiled, *cells[check + 1 :]]}


def large(submitted, output):
    """A submission with a large value in place of a cell's outputs."""
    text = nbformat.writes(submitted).encode()
    return text.replace(b'"outputs": []', b'"outputs": ' + output, 1)


OUTPUTS = {  # and how many MB reading them may take, more than the submission itself
    "text": (b'[{"output_type": "stream", "text": "' + b"iVBORw0KGgo=" * 5_000_000 + b'"}]', 150),
    "numbers": (b"[" + b"[1.5, 2.25, 3.125, 4.0625]," * 1_000_000 + b"[]]", 350),
    "lists": (b"[" + b"[],{}," * 990_000 + b"[]]", 250),
    # what takes most: one character outside of the alphabet, lists in lists, and numbers up to the limit
    "worst": (
        '["😀",'.encode() + (b"[" * 400 + b"]" * 400 + b",") * 4_900 + b"1.5," * 15_500_000 + b"1]",
        1200,
    ),
}


@pytest.mark.parametrize("kind", OUTPUTS)
def test_a_huge_output_is_read_in_bounded_memory(bundle, submitted, kind):
    output, most = OUTPUTS[kind]
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(1, mp_context=fork) as process:  # whose peak of memory is only its own
        assert process.submit(growth, bundle, large(submitted, output)).result() < most


def growth(bundle, submission):
    """By how many MB the process has grown at most while it prepared a submission."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    prepared(bundle, submission)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024


def test_outputs_are_found_among_look_alikes(bundle, submitted):
    text = '\\"outputs\\": [{}], "outputs": [1]'
    cell_of(submitted, "padding_mask").source = text
    cell_of(submitted, "padding_mask").metadata["outputs"] = [text]
    notebook, _ = prepared(bundle, large(submitted, rb'[{"text": "]}\\\"["}, []]'))
    cell = cell_of(notebook, "padding_mask")
    assert cell.source == text and cell.metadata["outputs"] == [text]
    assert all(cell.outputs == [] for cell in notebook.cells if cell.cell_type == "code")


def test_an_output_that_is_cut_off_or_nested_without_end(bundle, submitted):
    with pytest.raises(NotGradableError, match="cut off: Unterminated string"):
        prepared(bundle, b'{"outputs": ["' + b'\\"' * 3_900_000)
    with pytest.raises(NotGradableError, match="nested too deeply"):
        prepared(bundle, large(submitted, b"[" * 1_900_000 + b"]" * 1_900_000))


def test_too_large(bundle, submitted):
    with pytest.raises(NotGradableError, match="2,000,001 lists and texts in its json, at most 2,000,000"):
        prepared(bundle, b"[" * 2_000_001)
    with pytest.raises(NotGradableError, match="too large: 65 MB, at most 64 are read"):
        prepared(bundle, bytes(LARGEST_FILE + (1 << 20)))
    cell_of(submitted, "padding_mask").source = "#" * (17 << 20)
    with pytest.raises(NotGradableError, match="too large: 17 MB without its outputs, at most 16"):
        prepared(bundle, submitted)


def test_a_bundle_is_plain_and_tells_nothing_of_this_machine(course, bundle):
    packed = pickle.dumps(bundle)
    assert pickle.loads(packed) == bundle
    for path in (course.root, ROOT, sys.prefix):
        assert str(path).encode() not in packed
