"""What honest answers are made of is known; what else an answer can come to is told by its name."""

import ast
import textwrap

import pytest
from cells import run_cell
from graded import GRADED

from course_lib.grading.sandbox.spoken import NAMES, Spoken

BEGIN = """
import collections, contextlib, copy, dataclasses, enum, functools, math, random, re, sys, types
import numpy as np, torch, torch.nn as nn, torch.nn.functional as F
def script(x): return x
"""
HONEST = {
    "modules by other names": """
        def answer(x, F=torch.nn.functional):
            import torch.nn.functional as G
            from math import sqrt, pi as p
            t = torch
            def inner(y): return G.relu(y) + F.gelu(y)
            return inner(t.exp(x)).sum(-1, keepdim=True) + sqrt(p) + np.linalg.norm([1.0]) + sys.maxsize""",
    "own attributes": """
        class Box:
            special = 3
            def __init__(self): self._kept, self.data_ptrs = {}, []
        BOX = Box()
        BOX.later = 1
        OPTIONS = types.SimpleNamespace(a=1)
        def answer(x): return BOX._kept, BOX.data_ptrs, BOX.special, BOX.later, OPTIONS.a""",
    "records": """
        @dataclasses.dataclass(frozen=True, order=True)
        class Options:
            dim: int = -1
            names: list = dataclasses.field(default_factory=list)
        class Kind(enum.Enum):
            A = 1
        Pair = collections.namedtuple("Pair", "a b")
        def answer(x): return Options() == Options(), Kind.A.value, Pair(1, 2).a, Pair(1, 2)._replace(a=2)""",
    "decorators": """
        @functools.lru_cache(maxsize=None)
        def kept(n): return n
        @contextlib.contextmanager
        def around(): yield 1
        def timed(f):
            @functools.wraps(f)
            def wrapper(*args): return f(*args)
            return wrapper
        class Parts:
            @functools.cached_property
            def size(self): return 1
            @property
            def other(self): return self.size
            @classmethod
            def make(cls): return cls()
            @staticmethod
            def help(): return 1
        @timed
        @torch.no_grad()
        def answer(x):
            with around(): return kept(1), Parts.make().other, Parts.help()""",
    "a module": """
        class answer(nn.Module):
            def __init__(self, d):
                super().__init__()
                self.w, self.layers = nn.Linear(d, d), nn.ModuleList(nn.Linear(d, d) for _ in range(2))
                self.register_buffer("pe", torch.zeros(1))
                setattr(self, "extra", nn.Parameter(torch.ones(1)))
            def forward(self, x):
                for layer in self.layers: x = layer(x) + self.pe * self.extra * self.w.in_features
                return x""",
    "a gradient of one's own": """
        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x.exp())
                return x.exp()
            @staticmethod
            def backward(ctx, g): return g * ctx.saved_tensors[0]
        def answer(x): return Exp.apply(x)""",
    "what is kept": """
        WEIGHT, LAYER = torch.ones(3, requires_grad=True), nn.Linear(3, 3)
        KEPT = {"f": [torch.exp, lambda x: x, functools.partial(torch.sum, dim=-1)], 1: np.arange(3)}
        COUNT, WORDS, join = collections.Counter("ab"), re.compile("a"), " ".join
        RANDOM, random_state = random.Random(0), torch.Generator()
        def answer(x): return KEPT["f"][0](WEIGHT), LAYER(x), COUNT, WORDS.findall(join("a")), RANDOM""",
    "generators": """
        def count():
            for n in range(3): yield n
        STEPS, PLACES = count(), iter([1, 2])
        def answer(x): return next(STEPS), next(PLACES)""",
    "many words": "WORDS = [str(n) for n in range(300_000)]\ndef answer(x): return WORDS[x]",
    "what is printed": "def answer(x): print('here', locals().keys(), file=sys.stderr)",
    "a pattern": """
        def answer(x):
            match x:
                case torch.Tensor(shape=s): return s
                case {"a": [y, *_]}: return y""",
}
# By what is asked, what it is told as.
FOUND = {
    "def answer(x): return torch.jit.freeze(x)": "torch.jit._freeze.freeze",
    "f = torch.jit.freeze\ndef answer(x): return f(x)": "torch.jit._freeze.freeze",
    "from torch import jit\ndef answer(x): return jit.trace(x)": "torch.jit._trace.",
    "def answer(x):\n    from torch.jit import trace\n    return trace(x)": "torch.jit._trace.",
    "def answer(x):\n    import turtledemo\n    return turtledemo.f(x)": "turtledemo",
    "KEPT = torch.jit.script(script)\ndef answer(x): return KEPT(x)": "KEPT",
    "KEPT = [{1: torch.jit.script(script)}]\ndef answer(x): return KEPT": "KEPT",
    "class Own:\n    kept = torch.ops.aten.exp.default\ndef answer(x): return Own().kept(x)": "Own",
    "def answer(x, f=torch.ops.aten.exp): return f(x)": "f",
    "def around(f):\n    def answer(x): return f(x)\n    return answer\n"
    "answer = around(torch.ops.aten.exp)": "f",
    "def answer(x): return x\nanswer.kept = torch.ops.aten.exp": "what is checked",
    "answer = functools.partial(lambda f, x: f(x), torch.ops.aten.exp)": "what is checked",
    "KEPT = torch.ones(1)\nKEPT.f = torch.ops.aten.exp\ndef answer(x): return KEPT": "KEPT",
    "KEPT = torch.ones(1)\nKEPT.grad = torch.ones(1)\nKEPT.grad.f = torch.ops.aten.exp\n"
    "def answer(x): return KEPT": "KEPT",
    "KEPT = torch.ones(1, requires_grad=True).exp()\ndef answer(x): return KEPT": "KEPT",
    "KEPT = np.array([torch.ops.aten.exp])\ndef answer(x): return KEPT": "KEPT",
    "KEPT = (torch.ops.aten.exp(torch.ones(1)) for _ in [1])\ndef answer(x): return next(KEPT)": "torch.ops",
    "KEPT = iter([torch.ops.aten.exp])\ndef answer(x): return next(KEPT)": "KEPT",
    "class Kind(type):\n    f = torch.ops.aten.exp\nclass Own(metaclass=Kind): pass\n"
    "def answer(x): return Own.f(x)": "Own.f",
    "def answer(x): return map(getattr, [torch], ['jit'])": "torch",
    "KEPT = [torch]\ndef answer(x): return KEPT": "KEPT",
    "def answer(x):\n    import torch as t\n    return locals()": "locals",
    "def answer(x): return eval('1')": "eval",
    "class Own(types.ModuleType):\n    @property\n    def f(self): return torch.ops.aten.exp\n"
    "own = Own('own')\ndef answer(x): return own.f": "torch.ops",
    "own = types.ModuleType('own')\nown.__getattr__ = lambda name: torch.ops.aten.exp\n"
    "def answer(x): return own.f": "torch.ops",
    "other = torch.jit.ScriptModule.__mro__\nclass Kind(type):\n    def mro(self): return [self, *other]\n"
    "class Own(metaclass=Kind): pass\ndef answer(x): return Own": "Own",
    "class Names(dict): pass\nspace = Names(globals())\nexec('def answer(x): return x', space)\n"
    "answer = space['answer']": "what is checked",
    "class Own:\n    __doc__ = torch.ops.aten.exp\ndef answer(x): return Own.__doc__": "Own",
    "def answer(x): return x.grad_fn": "grad_fn",
    "def answer(x): return x.unheard_of(1)": "unheard_of",
    "def answer(x): return x.__globals__": "__globals__",
    "def answer(x): return type(x).__class__.__dict__.values()": "__dict__",
    "def answer(x):\n    match x:\n        case object(__dict__=y): return y": "__dict__",
    "class Own:\n    __globals__ = 1\ndef answer(x): return Own, x.__globals__": "__globals__",
    "def answer(x):\n    match x:\n        case object(__globals__=y): return y": "__globals__",
    "def answer(x): return [(lambda: open(y))() for y in x]": "open",
}


def unknown(answer, **options):
    return Spoken(**options).read(answer)


def made(source):
    """The answer that a cell makes."""
    return run_cell({"__name__": "__main__"}, BEGIN + source)["answer"]


@pytest.mark.parametrize("name", HONEST)
def test_what_honest_answers_use_is_known(name):
    assert unknown(made(textwrap.dedent(HONEST[name]))) == []


@pytest.mark.parametrize("source", FOUND)
def test_what_else_an_answer_can_come_to_is_told(source):
    assert any(name.startswith(FOUND[source]) for name in unknown(made(source))), unknown(made(source))


HANDED_ON = {  # a module, by a variable that the code reads before it says what is in it
    "a later turn": "kit = 0\n    for turn in 0, 1:\n        if turn: return use(kit)\n        kit = torch",
    "a function in it": (
        "kit = 0\n    def put():\n        nonlocal kit\n        kit = torch\n    put()\n    return use(kit)"
    ),
    "one of two branches": (
        "if x is None: import sys as kit\n    else: import math as kit\n    return kit.modules"
    ),
    "through another one": "a = b = 1\n    while x:\n        use(b)\n        b = a\n        a = torch",
    "a class": "class Kit:\n        import sys\n    return Kit().sys",
}


@pytest.mark.parametrize("body", HANDED_ON.values(), ids=HANDED_ON)
def test_a_module_is_followed_through_all_variables(body):
    assert unknown(made(f"def use(tool): return tool\ndef answer(x):\n    {body}"))


STATEMENTS = {
    "import sys\nS = sys\nM = S.modules": "S.modules",
    "if True:\n import sys as S\n M = S.modules": "S.modules",
    "class A:\n import sys\n S = sys\n M = S.modules": "sys",
    "for torch in [1]:\n import sys as torch\n x = torch.modules": "torch.modules",
    "from sys import modules": "sys.modules",
    "class A(metaclass=lambda *a, **k: eval('1')): pass": "eval",
    "@eval\ndef f(): pass": "eval",
    "def f(x=open('x')): pass": "open",
    "x = [open(one) for one in 'ab']": "open",
    "import torch\ntorch.softmax = print": "torch",
    "import torch\ntorch.nn.Linear.forward = print": "torch.nn.Linear",
    "import torch\ndel torch.nn.Linear.forward": "torch.nn.Linear",
    "x = f'{open}'": "open",
}


@pytest.mark.parametrize("source", STATEMENTS)
def test_a_statement_is_read_before_it_runs(source):
    names, spoken, told = {}, Spoken(), []
    for node in ast.parse(source).body:
        code = compile(ast.Module([node], []), "<a cell>", "exec")
        if told := spoken.read_statement(code, names):
            break
        exec(code, names)
    assert told[:1] == [STATEMENTS[source]]  # what the modules of this process hold may be told, too


def test_a_name_that_the_lesson_says_is_known():
    source = "def answer(x): return x.unheard_of(1)"
    assert unknown(made(source), names=NAMES | {"unheard_of"}) == []


SOFTMAX = "softmax", "log_softmax"
CALLS = "torch.softmax(x, -1)", "x.softmax(-1)", "F.softmax(x, -1)", "nn.functional.log_softmax(x)", "f(x)"


@pytest.mark.parametrize("call", CALLS)
def test_what_an_exercise_forbids_is_told_whoever_has_disabled_it(call):
    assert unknown(made(f"f = torch.softmax\ndef answer(x): return {call}"), forbidden=SOFTMAX)
    assert not unknown(made("def softmax(x): return x\ndef answer(x): return softmax(x)"), forbidden=SOFTMAX)


def test_a_piece_that_stands_in_is_not_asked_but_in_the_notebook():
    answer = made("attention = torch.jit.freeze\ndef answer(x): return attention(x)")
    assert unknown(answer, pieces=["attention"], notebook=answer.__globals__) == []
    assert unknown(answer, pieces=["attention"], notebook={}) == ["torch.jit._freeze.freeze"]


def test_a_crowd_of_things_is_told():
    assert unknown(made("KEPT = [[] for _ in range(300_000)]\ndef answer(x): return KEPT")) == [
        "more than can be read"
    ]


@pytest.mark.parametrize("name", GRADED)
def test_right_answers_of_other_kinds_use_what_is_known(name):
    """But for names of attributes, which the lesson's text may have."""
    exercise = GRADED[name]
    for answer in exercise.accepted.values():
        told = unknown(answer, names=NAMES | {*GRADED}, forbidden=exercise.ready_made)
        assert told == [], told
