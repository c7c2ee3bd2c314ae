"""What the text of an answer tells: read in cells as a notebook has them."""

import enum

import pytest
import torch
from cells import run_cell

from course_lib.checks.judgement import leftover_note
from course_lib.checks.made_of import inside
from course_lib.checks.source import NEVER, OVERWRITTEN, read


def notebook(*cells):
    names = {"__name__": "__main__", "torch": torch}
    for cell in cells:
        run_cell(names, cell)
    return names


def test_code_has_no_comments_no_docstrings_and_the_helpers_that_it_calls():
    names = notebook(
        'def half(x):\n    """x / 2"""\n    return x / 2  # a half\n',
        "def unused(x):\n    return x * 3\n",
        'def answer(x):\n    "calls half"\n    return half(x)\n',
    )
    assert (
        read(names["answer"]).code == "def answer(x):\n    return half(x)\n\ndef half(x):\n    return x / 2"
    )


def test_an_earlier_exercise_is_no_helper():
    names = notebook("def softmax(x):\n    return x\n", "def answer(x):\n    return softmax(x)\n")
    assert "return x" not in read(names["answer"], {"softmax"}).code.splitlines()[-1]


def test_of_a_class_the_whole_definition_and_its_own_base():
    names = notebook(
        "class Base(torch.nn.Module):\n    def extra(self):\n        return 1\n",
        "class Answer(Base):\n    '''doc'''\n    def forward(self, x):\n        return x\n",
    )
    code = read(names["Answer"]).code
    assert code.startswith("class Answer(Base):") and "def extra" in code and "doc" not in code


@pytest.mark.parametrize("answer", [len, print, lambda x: x, 3, None, torch.softmax, torch.nn.Linear])
def test_where_there_is_no_source_nothing_is_read(answer):
    assert read(answer).code == ""


def test_a_variable_of_another_cell_is_left_over_and_one_of_the_same_cell_is_not():
    names = notebook(
        "d_k = 1024\nmask = torch.ones(2, 3)\nPAD = 0\nwords = ['a', 'b']\n",
        "eps = 1e-5\ndef answer(x):\n    return [x / d_k + eps + PAD for _ in words] + [mask]\n",
    )
    assert dict(read(names["answer"]).leftovers) == {
        "d_k": "1024",
        "words": "a list of 2 items",
        "mask": "a tensor of shape (2, 3)",
    }


@pytest.mark.parametrize(
    ("own", "told"),
    [("d_model", "Write `self.d_model = d_model` in `__init__`"), ("size", "is not an argument")],
)
def test_an_argument_of_the_constructor_alone_is_told_apart_from_other_leftovers(own, told):
    code = f"class Answer:\n    def __init__(self, {own}):\n        pass"
    assert told in leftover_note(code, "d_model", "512")


def test_a_leftovers_name_is_no_pattern():
    assert leftover_note("def __init__(" + "a" * 60, "(a+)+0", "1")


def test_a_leftover_that_a_helper_or_a_method_reads():
    names = notebook(
        "d_model = 512\n",
        "def scale(x):\n    return x * d_model\n",
        "class Answer:\n    def __call__(self, x):\n        return scale(x)\n",
    )
    assert read(names["Answer"]).leftovers == (("d_model", "512"),)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("return x", (("beam", NEVER),)),
        ("beam = 4\n    return x + beam", (("beam", OVERWRITTEN),)),
        ("beam = beam or 4\n    return x + beam", ()),
        ("if x:\n        beam = 4\n    return x + beam", ()),
        ("return [x + beam for _ in x]", ()),
        ("return locals()", ()),
        ("def inner():\n        return beam\n    return x + inner()", ()),
    ],
)
def test_arguments_that_change_nothing(body, found):
    names = notebook(f"def answer(x, beam):\n    {body}\n")
    assert read(names["answer"]).unread == found


@pytest.mark.parametrize(
    ("cells", "borrowed"),
    [
        (["def answer(x):\n    return torch.softmax(x, -1)"], ""),
        (["import torch.nn.functional as F, math", "def answer(x):\n    return F.relu(x) * math.pi"], ""),
        (
            ["from course_lib.model.layers import attention", "def answer(x):\n    return attention(x)"],
            "attention",
        ),
        (["from course_lib.model import layers", "def answer(x):\n    return layers.attention(x)"], "layers"),
        (
            ["def answer(x):\n    from course_lib.training import losses\n    return losses"],
            "course_lib.training",
        ),
        (["def answer(x):\n    import scipy.special\n    return scipy.special.softmax(x)"], "scipy.special"),
        (
            [
                "from course_lib.model.layers import attention as mine",
                "def helper(x):\n    return mine(x)",
                "def answer(x):\n    return helper(x)",
            ],
            "mine",
        ),
        (
            [
                "from course_lib.exercises.attention.attention_pooling import reference",
                "def answer(x):\n    return reference(x)",
            ],
            "reference",
        ),
    ],
)
def test_what_is_borrowed(cells, borrowed):
    assert read(notebook(*cells)["answer"]).borrowed == borrowed


def test_an_earlier_exercise_may_be_used_wherever_it_comes_from():
    names = notebook(
        "from course_lib.model.layers import attention", "def answer(x):\n    return attention(x)"
    )
    assert read(names["answer"], {"attention"}).borrowed == ""


@pytest.mark.parametrize(
    "cells",
    [
        ["from math import pi\ndef answer(x):\n    return x * pi"],
        ["from math import pi", "def answer(x):\n    return x * pi"],
        ["n = 0", "def answer(x):\n    global n\n    n = 1\n    return x * n"],
        ["def answer(x):\n    return x if __name__ else None"],
        ["match 3:\n    case size:\n        pass\ndef answer(x):\n    return x * size"],
    ],
)
def test_what_is_not_left_over(cells):
    assert read(notebook(*cells)["answer"]).leftovers == ()


@pytest.mark.parametrize("body", ["x *= 2", "return eval('x + 1')", "import sys\n    return sys._getframe()"])
def test_arguments_that_are_read_in_another_way(body):
    assert read(notebook(f"def answer(x):\n    {body}\n")["answer"]).unread == ()


@pytest.mark.parametrize(
    "cell",
    [
        "from course_lib.model.layers import attention as answer",
        "from course_lib.model.layers import MultiHeadAttention\nclass answer(MultiHeadAttention):\n    pass",
        "def answer(x):\n    return __import__('course_lib.model.layers')",
        "from course_lib.model.layers import attention\ndef answer(x, of=attention):\n    return of(x)",
        "from course_lib.model.layers import attention\nT = [attention]\ndef answer(x):\n    return T[0](x)",
        "from functools import lru_cache\nfrom course_lib.model.layers import attention\n"
        "of = lru_cache(attention)\ndef answer(x):\n    return of(x)",
        "from course_lib.model.layers import attention\nclass Of:\n    def __call__(self, x):\n"
        "        return attention(x)\nof = Of()\ndef answer(x):\n    return of(x)",
        "from course_lib.model.layers import attention\ndef of(x):\n    return attention(x)\n"
        "T = {'of': of}\ndef answer(x):\n    return T['of'](x)",
        "from functools import cache\nfrom course_lib.model.layers import attention\n@cache\n"
        "def answer(x):\n    return attention(x)",
        "import course_lib.model.layers as m\nT = [[m]]\ndef answer(x):\n    return T[0][0].attention(x)",
        "import course_lib.model.layers as m\ndef box():\n    pass\nbox.m = m\n"
        "def answer(x):\n    return box.m.attention(x)",
        "import argparse, nbformat\nbox = argparse.Namespace(tool=nbformat.reads)\n"
        "def answer(x):\n    return box.tool(x)",
        "import jinja2\nTOOL = jinja2.Environment()\ndef answer(x):\n    return TOOL.from_string(x)",
        "import jinja2\nclass Work:\n    def __init__(self, tool):\n        self.tool = tool\n"
        "    def __call__(self, x):\n        return self.tool.from_string(x)\n"
        "answer = Work(jinja2.Environment())",
        "import functools, jinja2\ndef work(tool, x):\n    return tool.from_string(x)\n"
        "answer = functools.partial(work, jinja2.Environment())",
        "import course_lib.model.layers as m\nclass Box:\n    of = m\n"
        "def answer(x):\n    return Box.of.attention(x)",
    ],
)
def test_what_is_borrowed_in_another_way(cell):
    assert read(notebook(cell)["answer"]).borrowed


@pytest.mark.parametrize(
    "cell",
    [
        "def answer(x):\n    return x\nanswer.__wrapped__ = answer",
        "class W:\n    def __getattr__(self, name):\n        raise RuntimeError(name)\n"
        "class answer:\n    w = W()\n    def __call__(self, x):\n        return x",
        "def answer(x):\n    return " + "+".join(["x"] * 900),
    ],
)
def test_reading_never_fails(cell):
    assert read(notebook(cell)["answer"]).leftovers == ()


def test_an_enum_is_read_to_its_end():
    """Its members hold their class, which holds its members."""

    class Gate(enum.IntEnum):
        RESET = 0
        UPDATE = 1

    def answer(x):
        return x[Gate.RESET] + x[Gate.UPDATE]

    seen = list(inside(Gate))
    assert len(seen) < 100
    assert read(answer).borrowed == ""
