"""What is nested without end in a learner's JSON stops nobody who reads, copies or writes a notebook."""

import copy
from functools import reduce

import nbformat
import pytest

from course_lib.grading.nbgrader.nesting import DEEPEST, is_too_deep
from course_lib.grading.sandbox.outputs import TOO_DEEP, Outputs


def nested(depth):
    return reduce(lambda inner, _: [inner] if len(inner) % 2 else {"in": inner}, range(depth - 1), {})


@pytest.mark.parametrize("more", [0, 1])
def test_lists_and_dicts_in_each_other_are_counted(more):
    assert is_too_deep(nested(DEEPEST + more)) == bool(more)
    assert not is_too_deep(["a"] * 10**5) and not is_too_deep("{" * 10**5)


@pytest.mark.parametrize("update", [False, True])
def test_an_output_that_is_too_deep_is_left_out_and_said(update):
    cell = nbformat.v4.new_code_cell()
    outputs = Outputs(cell)
    shown = {
        "output_type": "display_data",
        "data": {"application/json": {}},
        "metadata": {},
        "display_id": "a",
    }
    outputs.add(shown)
    outputs.add(shown | {"data": {"application/json": nested(2000)}, "update": update})
    assert cell.outputs[-1].text == TOO_DEEP and copy.deepcopy(cell) == cell
