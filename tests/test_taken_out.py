"""Of a notebook's text what an answer is made of, and nothing else."""

import ast

import pytest

from course_lib.grading.sandbox.taken_out import MOST, taken_out


def taken(*cells, answer="answer"):
    """The statements, as text, with the module that a cell writes before a colon."""
    return [
        (f"{module}: " if module else "") + ast.unparse(ast.parse(text).body[place])
        for module, text, places in taken_out(cells, answer) or ()
        for place in places
    ]


UNREAD = {  # what the audit reads otherwise, or not at all
    "%time in front of a function": "%time def answer(x):\n    return x",
    "%%time in a text": "A = ''' %%time '''\nB = '''\nanswer = 1\n'''",
    "%time in front of half a text": "%time a = '''\nb = '''\nanswer = 1\n'''",
    "what %time becomes, in a text": (
        "a = '''\nget_ipython().run_line_magic('time', '\\'\\'\\' \\'\\'\\'')\nanswer = 1\n'''"
    ),
    "a method that has a magic's name": "mine.run_cell_magic('time', '', 'answer = 1')",
    "a method of that name in a line": "mine.run_line_magic('time', 'answer = 1')",
}


@pytest.mark.parametrize("cell", UNREAD.values(), ids=UNREAD)
def test_nothing_is_taken_that_the_audit_has_not_read(cell):
    assert taken(cell) == []


def test_a_lone_carriage_return_ends_a_line():
    """As it does for Python: the magic is replaced, and not its twin in a text."""
    magic = "get_ipython().run_line_magic('time', 'answer = 1')"
    assert taken(f"a = 2\rb = 3\r{magic}\nc = '''\n{magic}\n'''") == ["answer = 1"]


def test_a_module_is_read_as_python_has_it():
    module = "%%writefile kit.py\nimport sys\n%time def answer(x):\n    return x"
    assert taken(module, "from kit import answer") == ["from kit import answer"]


ANSWER = "def answer(x): return helper(x) * SCALE"
NEEDED = {
    "what it uses, and what that uses": (
        ["import math, os", "SCALE = math.pi; other = os.getcwd()", "def helper(x): return x", ANSWER],
        ["import math, os", "SCALE = math.pi", "def helper(x):\n    return x"],
    ),
    "by each way to give a name a value": (
        [
            "for SCALE in range(3):\n    pass",
            "with open('x') as helper: pass",
            "try: pass\nexcept ValueError as SCALE: pass",
            "match 1:\n    case SCALE: pass",
            "if (SCALE := 3): pass",
            "from a import b as helper",
            "SCALE, *_ = 1, 2",
            ANSWER,
        ],
        None,
    ),
    "what changes it": (
        [
            "import numpy as np\nSCALE = []",
            "SCALE.append(1)\nSCALE[0] = 2\nSCALE.x.y = 3\nnp.random.seed(0)\nprint(SCALE)",
            "helper = np.exp",
            ANSWER,
        ],
        [
            *("import numpy as np", "SCALE = []", "SCALE.append(1)", "SCALE[0] = 2", "SCALE.x.y = 3"),
            "helper = np.exp",
        ],
    ),
    "what a library does to it": (
        [
            "import torch, random\nSCALE, OTHER, WORDS = torch.empty(3), torch.empty(3), ['a', 'b']",
            "torch.nn.init.ones_(SCALE)\nrandom.shuffle(WORDS)\nprint(SCALE)\ntorch.exp(OTHER, out=SCALE)",
            "def helper(x): return WORDS",
            ANSWER,
        ],
        [
            "import torch, random",
            "SCALE, OTHER, WORDS = (torch.empty(3), torch.empty(3), ['a', 'b'])",
            *("torch.nn.init.ones_(SCALE)", "random.shuffle(WORDS)", "torch.exp(OTHER, out=SCALE)"),
            "def helper(x):\n    return WORDS",
        ],
    ),
    "no name of its own": (
        ["x = 3\ny = 2", "SCALE = 1\ndef helper(y): x = [y for y in range(y)]; return x", ANSWER],
        ["SCALE = 1", "def helper(y):\n    x = [y for y in range(y)]\n    return x"],
    ),
    "all names, where one comes from nowhere else": (
        ["from math import *", "SCALE = 1\nhelper = SCALE", ANSWER],
        ["SCALE = 1", "helper = SCALE"],
    ),
    "all names, where one may be": (
        ["from math import *", "SCALE = 1\nhelper = abs", ANSWER],
        ["from math import *", "SCALE = 1", "helper = abs"],
    ),
    "what Python will be like": (
        ["from __future__ import annotations", "SCALE = helper = abs", ANSWER],
        ["from __future__ import annotations", "SCALE = helper = abs"],
    ),
    "a module that a cell writes": (
        [
            "%%writefile mine.py\nimport os\nos.getcwd()\n",
            "%%writefile -a ./mine.py\ndef helper(x): return x",
            "%%writefile other.py\nx = 1",
            "SCALE = 1\nfrom mine import helper",
            ANSWER,
        ],
        [
            *("mine: import os", "mine: def helper(x):\n    return x", "SCALE = 1"),
            "from mine import helper",
        ],
    ),
    "what functions do to it": (
        [
            "TABLE = {}; OTHER = []",
            "def note(f): TABLE[f.__name__] = f; return f",
            "def fill(box): box['SCALE'] = 1",
            "def begin():\n    global LIMIT\n    LIMIT = 3",
            "def show(): print(1)",
            "def later_(box, value):\n    global STEPS\n    STEPS = value",
            "@note\ndef squares(x): return x * x",
            "fill(TABLE)\nfill(OTHER)\nbegin()\nshow()\nlater_(0, 4)",
            "class Own: pass",
            "setattr(Own, 'size', 1)\nsetattr(OTHER, 'size', 1)",
            "def add_to(kind): return lambda f: setattr(kind, f.__name__, f)",
            "@add_to(Own)\ndef area(self): return 1",
            "@TABLE.setdefault('cubes')\ndef cubes(x): return x ** 3",
            "def answer(x): return TABLE['squares'](x), LIMIT, STEPS, Own",
        ],
        [
            *("TABLE = {}", "def note(f):\n    TABLE[f.__name__] = f\n    return f"),
            "def fill(box):\n    box['SCALE'] = 1",
            "def begin():\n    global LIMIT\n    LIMIT = 3",
            "def later_(box, value):\n    global STEPS\n    STEPS = value",
            "@note\ndef squares(x):\n    return x * x",
            *("fill(TABLE)", "begin()", "later_(0, 4)", "class Own:\n    pass", "setattr(Own, 'size', 1)"),
            "def add_to(kind):\n    return lambda f: setattr(kind, f.__name__, f)",
            "@add_to(Own)\ndef area(self):\n    return 1",
            "@TABLE.setdefault('cubes')\ndef cubes(x):\n    return x ** 3",
        ],
    ),
    "below a magic, and not what a magic does": (
        [
            "%%time\nSCALE = 1",
            "%matplotlib inline\n%time helper = abs",
            "%%bash\nSCALE=1",
            "SCALE = 2 )",
            ANSWER,
        ],
        ["SCALE = 1", "helper = abs"],
    ),
}


@pytest.mark.parametrize("name", NEEDED)
def test_what_an_answer_needs_is_taken_in_the_order_of_the_notebook(name):
    cells, expected = NEEDED[name]
    if expected is None:
        expected = [ast.unparse(ast.parse(cell)) for cell in cells[:-1]]
    assert taken(*cells) == [*expected, ast.unparse(ast.parse(next(c for c in cells if "def answer" in c)))]


def test_the_text_of_a_cell_stays_whole():
    source = "x = 1\n# about it\n\ndef answer(): return 1\n"
    assert taken_out([source], "answer") == [("", source, [1])]


@pytest.mark.parametrize(
    "cells",
    [
        ["(" * 100_000],
        ["answer = 1\n" * (MOST + 1)],
        ["answer = " + "-" * 50_000 + "1"],
        ["x" * 200_000],
    ],
)
def test_what_cannot_be_read_gives_nothing_and_takes_no_time(cells):
    assert not taken(*cells)
