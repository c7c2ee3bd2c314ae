"""What the audit flags where Python itself runs texts or reads attributes that stand nowhere in a cell."""

import time

import pytest
from test_audit import LESSONS, accused, flags, released

from course_lib.grading.sandbox.audit import Audit

HINTS = "import typing\ntyping.get_type_hints(f)\n"
REGISTERS = "from functools import singledispatch\nshow = singledispatch(print)\nshow.register(f)\n"
BUILT = "'_'.join(['', '', 'globals', '', ''])"
UNSEEN = {
    "code in braces of a line that is expanded twice": (
        "kept = ['{exec(1)}']\n%sx echo {kept[0]}",
        "for text in ['{exec(1)}', 'a']:\n    %sx echo {text}",
        "a, text = 0, '{exec(1)}'\n%sx echo {text}",
        "class Kept: text = '{exec(1)}'\n%sx echo {Kept.text}",
        "text = ['{exec(1)}'][0]\n%sx echo $text",
        "kept = ['{' + 'exec(1)' + '}']\n%pip --version {kept[0]}",
        "kept = [chr(123) + 'exec(1)' + chr(125)]\n%sx echo {kept[0]}",
        "kept = ['{exec(1)}']\nget_ipython().system('echo ' + kept[0])",
    ),
    "a pattern that reads attributes by name": (
        f"class Look:\n    __match_args__ = ({BUILT},)",
        "class Look:\n    __match_args__ = names",
        "class Look:\n    __match_args__ = ('__globals__',)",
        "class Look:\n    __match_args__: tuple = make()",
        "class Look:\n    __match_args__ = ('a', *names)",
        "Look.__match_args__ = names",
        "setattr(Look, '__match_args__', names)",
        "setattr(Look, '__match' + '_args__', names)",
        "class Look:\n    for __match_args__ in names: pass",
        "class Look:\n    from mine import names as __match_args__",
        "class Look:\n    @property\n    def __match_args__(self): return names",
        f"type('Look', (), {{{BUILT}: names}})",
        f"from abc import ABCMeta\nmembers = {{{BUILT}: names}}\nABCMeta('Look', (), members)",
        "from abc import ABCMeta\nclass Meta(ABCMeta):\n    def __getattr__(cls, name): return names",
        "class Meta(type):\n    def __getattribute__(cls, name): return names",
        "from dataclasses import dataclass\n@dataclass\nclass Look:\n    f_back: object",
        f"from dataclasses import make_dataclass\nmake_dataclass('Look', [{BUILT}])",
        f"from dataclasses import make_dataclass\nmake_dataclass('Look', fields=[({BUILT}, object)])",
        "from collections import namedtuple\nclass Look(namedtuple('Look', 'f_back f_globals')): ...",
    ),
    "a format that gives objects": (
        "import string\nclass Catch(string.Formatter):\n    def format_field(self, value, spec): ...",
        "from string import Formatter as F\nclass Catch(F): ...",
        "from string import *\nclass Catch(Formatter): ...",
        "import string\nBase = string.Formatter\nclass Catch(Base): ...",
        "import string\nclass Catch(getattr(string, 'Formatter')): ...",
        "import string\nstring.Formatter().format('{0.' + ''.join(parts) + '}', f)",
        "from string import Formatter\nmine = Formatter()\nmine.format_field = keep",
    ),
    "Python in braces of a shell command": (
        "!echo {eval(one)}",
        "y = !echo {exec(one)}",
        "!echo {kept.append(__import__('cour' 'se_lib'))}",
        "!!echo {exec(one)}",
        "%system echo {f.__globals__}",
        "%sx echo {{exec(one)}}",
        "!echo $f.__globals__",
        "%cd {exec(one)}",
        "%%bash {exec(one)}\nls",
        "import torch\n!echo {(t := torch)}\nt.ops.aten",
        "text = '{' + code + '}'\n%sx echo {text}",
        "get_ipython().system('echo {exec(1)}')",
        "text = data.decode()\nget_ipython().system('echo ' + text)",
        "run = get_ipython().getoutput",
        "from IPython import get_ipython as shell\nshell().getoutput('echo {exec(1)}')",
    ),
    "code behind the options of a magic": (
        "%timeit -n 1 -r 1 exec(one)",
        "%%timeit -n 1\nexec(one)",
        "%%capture --no-stdout out\nimport ctypes",
        "%prun -s cumtime exec(one)",
    ),
    "the names of an object": (
        f"class A:\n    def f(self): return self.__dict__[{BUILT}]",
        f"class A:\n    def f(self): self.__dict__.update({{{BUILT}: 1}})",
        f"class A:\n    def f(self): return vars(self).get({BUILT})",
        f"type(f).__dict__[{BUILT}]",
        "class A:\n    def f(self, other): other.__dict__.update(a=1)",
        "class A:\n    @staticmethod\n    def f(self): return self.__dict__",
        "class A:\n    @classmethod\n    def f(cls): return cls.__dict__",
        "class A(type):\n    def f(cls): return vars(cls)",
        "class A:\n    def f(self):\n        self = make()\n        return self.__dict__",
        "import torch\nclass A:\n    def f(torch): return torch.__dict__",
        "def f(self): return self.__dict__",
        "class A: pass\nprint([c for c in A.__mro__])",
        "class A: pass\nprint(A.__mro__[1].forward)",
    ),
}
LIKE = [  # honest cells of the same kinds
    HINTS + "import torch\ndef f(x: torch.Tensor, device: torch.device): ...",
    REGISTERS + "import torch\ndevice = torch.device('cpu')\ndef f(x: torch.device): ...",
    REGISTERS + "class W:\n    def __getattr__(self, name):\n        return getattr(self.inner, name)",
    HINTS + "class P(typing.TypedDict, total=False):\n    a: int\ndef f(x: P): ...",
    "packages = ['numpy']\n%pip install -q {' '.join(packages)}",
    "package = 'numpy==%s' % version\n%pip install {package}",
    "folder = 'run' + str(n)\n%cd {folder}",
    "get_ipython().system(f'head -n {n} x')",
    "def ls(path):\n    return get_ipython().getoutput('ls {}'.format(path))",
    "form = '{:.2f}'\n%pip install {form.format(1)}",
    "import functools\ndef timed(f):\n    @functools.wraps(f)\n    def inner(*args, **options):\n"
    "        return f(*args, **options)\n    return inner",
    "import functools\nclass Counted:\n    def __init__(self, f):\n"
    "        functools.update_wrapper(self, f)\n        self.calls = 0",
    "from functools import wraps\nold = torch.nn.Linear.forward\n@wraps(torch.nn.Linear.forward)\n"
    "def logged(self, x): return old(self, x)",
    "from functools import singledispatch\n@singledispatch\ndef shape(x): return None\n@shape.register\n"
    "def _(x: torch.Tensor): return x.shape\n@shape.register(list)\ndef _(x): return len(x)\n"
    "@shape.register\ndef _(x: int | float): return ()",
    "import typing\nfrom typing import Annotated, Literal, Optional, TypeVar\nT = TypeVar('T')\n"
    "Pair = tuple[torch.Tensor, Optional[torch.Tensor]]\nd_model = 8\n"
    "def g(x: Pair, y: 'Optional[torch.Tensor]', z: Literal['a', 'b'], w: Annotated[int, print('w')],\n"
    "      v: '(batch, seq)', u: 'batch seq', t: list[T] = ()) -> None: ...\n"
    "for name, kind in typing.get_type_hints(g, include_extras=True).items():\n    print(name, kind)",
    "from dataclasses import dataclass\n@dataclass\nclass Sizes:\n    heads: int = 2\n"
    "    mask: 'bool' = True\ndef sized(x: Sizes) -> 'Sizes': return x\n"
    "print(sized.__annotations__, Sizes.__annotations__['heads'])",
    "class Point:\n    __match_args__ = ('x', 'y')\n    def __init__(self, x, y):\n"
    "        self.x, self.y = x, y\nmatch Point(1, 2):\n    case Point(x, y):\n        print(x, y)",
    "from collections import namedtuple\nfrom dataclasses import make_dataclass\n"
    "Step = namedtuple('Step', 'loss rate')\nmake_dataclass('Log', [(f'layer{i}', int) for i in range(3)])",
    "class Plain(type):\n    def __new__(kind, *given): return super().__new__(kind, *given)\n"
    "Layer = type('Layer', (torch.nn.Linear,), {'forward': print, f'head_{1}': 2})",
    "print('{:.2f} {x}'.format(1.5, x=2), '{0.shape}'.format(torch.ones(2)))",
    "from string import Formatter, Template\nprint([f for _, f, _, _ in Formatter().parse('{a} {b}')])\n"
    "import logging\nclass Short(logging.Formatter):\n    pass",
    "folder = 'data'\n!ls {folder} $HOME ${folder} {folder[0]!r:>3}\nfiles = !ls {folder}/*.txt",
    "!nvidia-smi | awk '{print $1}'\n!awk '{ sum += $1 } END { print sum }' log.txt\n!echo {a,b}.txt {} {\n"
    '!curl -d \'{"a": 1, "exec": eval}\' {vars} https://example.org/${exec}',
    "package = 'einops'\n%pip install {package}\n%cd {'data'}\n!find . -name '*.pyc' -exec rm {} \\;",
    "for package in ('einops', 'tqdm'):\n    get_ipython().system(f'pip install {package}')",
    "%timeit -n 1 -r 1 -q torch.ones(3)\n%prun -l 3 torch.ones(3)\n%time y = {'a': 1}\n%time %timeit 1",
    "class Norm(torch.nn.Module):\n    def __init__(self, d_model, eps):\n        super().__init__()\n"
    "        self.__dict__.update(d_model=d_model, eps=eps)\n        vars(self).update({'rate': 1})\n"
    "    def __repr__(self):\n        return f'{self.__dict__} ' + str(vars(self))\n"
    "    def state(self):\n        kept = self.__dict__\n        return kept\n"
    "    def is_like(self, other): return self.__dict__ == other.__dict__",
    "class Bag:\n    def __init__(self, items):\n        for i, item in enumerate(items):\n"
    "            self.__dict__[f'item{i}'] = item\n        self.__dict__ = {**self.__dict__, **vars(self)}",
    "class Net(torch.nn.Module): pass\nprint(Net.__mro__, [c.__name__ for c in Net.__mro__], Net().__class__"
    ".__mro__[1].__name__)",
    "import inspect\nprint(inspect.signature(torch.nn.Linear).parameters)\n"
    "inspect.signature(print).bind(*[1], **{'sep': ''})",
]


@pytest.mark.parametrize("kind", UNSEEN)
def test_what_stands_nowhere_in_the_cell_is_flagged(kind):
    assert [source for source in UNSEEN[kind] if not accused(source)] == []


@pytest.mark.parametrize("source", LIKE)
def test_what_is_only_like_it_is_not_flagged(source):
    assert accused("import torch", source) == []


def test_cells_that_are_only_like_it_are_not_flagged_together():
    assert accused("import torch", *LIKE) == []


COSTLY = {
    "magics within magics": "%time " * 16_000 + "1",
    "five within each other": "%time %timeit %prun %memit %time 1",
    "many texts": "import timeit\n" + "".join(f"timeit.timeit('{i}')\n" for i in range(3000)),
    "many braces": "!echo " + "".join(f"{{{i}}}" for i in range(15_000)),
}


@pytest.mark.parametrize("source", COSTLY.values(), ids=COSTLY)
def test_code_within_code_is_read_to_a_depth_and_a_number(source):
    began = time.process_time()
    assert any("cannot be audited" in flag.sentence for flag in flags(source))
    assert time.process_time() - began < 20


@pytest.mark.parametrize("lesson", LESSONS)
def test_learners_may_run_what_the_text_of_a_lesson_tells_them_to(lesson):
    audit = Audit(released(lesson))
    told = "from course_lib.submission import check_submission"
    assert flags(told, f"{told}; check_submission('{lesson}.ipynb')", audit=audit) == []
    assert flags("from course_lib.submission import run_cells", audit=audit)
    assert "course_lib.submission" not in audit.lent.modules  # in a child it is as absent as before
