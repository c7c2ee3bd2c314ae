"""What the audit makes of a cell; that it finds attacks is the hostile corpus' to show."""

import random

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from course_lib.authoring.build import ROOT, lessons
from course_lib.grading.sandbox.audit import Audit

LESSONS = [path.stem for path in lessons()]
HONEST = [  # cells of learners' notebooks
    "%matplotlib inline",
    "%config InlineBackend.figure_format = 'svg'",
    "%load_ext autoreload\n%autoreload 2",
    "%pip install --quiet einops",
    "!pip install torchinfo",
    "!nvidia-smi",
    "files = !ls\nprint(files)",
    "%time torch.ones(3).sum()",
    "%timeit -n 1 -r 1 torch.ones(3) @ torch.ones(3)",
    "%%time\nfor _ in range(3):\n    torch.randn(4)",
    "%%capture\nprint('quiet')",
    "%%writefile notes.txt\nto do",
    "%%bash\nls",
    "torch.softmax?",
    "torch.nn.Linear??",
    "from google.colab import drive\ndrive.mount('/content/drive')",
    "try:\n    import google.colab\n    IN_COLAB = True\nexcept ImportError:\n    IN_COLAB = False",
    "IN_COLAB = 'google.colab' in str(get_ipython())",
    "try:\n    NOTEBOOK = get_ipython().__class__.__name__ == 'ZMQInteractiveShell'\nexcept NameError: pass",
    "from torch import nn\nname = 'ReLU'\nactivation = getattr(nn, name)()",
    "choice = {'o': 'Adam'}\noptimizer = getattr(torch.optim, choice['o'])([torch.ones(1)])",
    "import importlib\nF = importlib.import_module('torch.nn')\nexec('z = 3')\nprint(eval('z + 1'))",
    "import importlib\nfor name in ('torch',):\n    print(importlib.import_module(name).__version__)",
    "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    print(e.__traceback__.tb_lineno)",
    "import traceback\ntry:\n    1 / 0\nexcept ValueError as e:\n    traceback.print_tb(e.__traceback__)",
    "def f(x): return x\nimport timeit\ntimeit.timeit('f(1)', 'from __main__ import f', number=3)",
    "import torch.utils.benchmark as b\nb.Timer('torch.ones(3)', globals=globals(), label='one').timeit(1)",
    "from operator import attrgetter\nsorted([torch.nn.Linear(2, 2)], key=attrgetter('weight.device.type'))",
    "import socket\nprint(socket.gethostname())",
    "from unittest.mock import MagicMock\nmodel = MagicMock(return_value=3)",
    "import doctest\ndef f(x): return x\ndoctest.run_docstring_examples(f, globals())",
    "def words_of(text): return text.split()\ntext = 'a b'\nfor decoding in 'ab': print(decoding)",
    "import sys\nIN_COLAB = 'google.colab' in sys.modules",
    "import matplotlib.pyplot as plt\nplt.rcParams['figure.dpi'] = 120",
    "import matplotlib.pyplot as plt\nplt.rcParams.update({'font.size': 12})",
    "import matplotlib as mpl\nmpl.rcParams['axes.grid'] = True",
    "torch.backends.cudnn.deterministic = True\ntorch.backends.cudnn.benchmark = False",
    "torch.backends.cuda.matmul.allow_tf32 = True",
    "torch.set_printoptions(precision=2)\ntorch.manual_seed(0)",
    "torch.set_num_threads(1)",
    "device = 'cuda' if torch.cuda.is_available() else 'cpu'",
    "import numpy as np\nnp.random.seed(0)\nnp.set_printoptions(precision=3)",
    "import random\nrandom.seed(0)",
    "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\nprint(os.getcwd(), os.listdir('.'))",
    "import os\nos.makedirs('figures', exist_ok=True)",
    "import sys\nprint(sys.version, sys.getsizeof([1]), sys.executable)",
    "import sys\nsys.path.append('..')",
    "import gc\ngc.collect()\ntorch.cuda.empty_cache()",
    "import inspect\nprint(inspect.getsource(torch.nn.Linear))",
    'class A:\n    def go(self): return getattr(self, f"_{type(self).__name__.lower()}")()',
    "class A:\n    def go(self): vars(self)['order'] = 1",
    "import logging\nlogger = getattr(logging, level.upper())",
    "import matplotlib.pyplot as plt\nfor kind in kinds: getattr(plt, kind)([1, 2])",
    "import traceback\nprint(*traceback.TracebackException.from_exception(error).format())",
    "import inspect\ninspect.getgeneratorstate(steps)",
    "print(a.__array_interface__['data'][0] == b.__array_interface__['data'][0])",
    "import inspect\nprint([n for n, _ in inspect.getmembers(torch.nn.Linear)][:3])",
    "import pickle\nwith open('x.pkl', 'wb') as file:\n    pickle.dump([1], file)",
    "import json\nprint(json.dumps({'a': 1}))",
    "import copy\ntwin = copy.deepcopy([1])",
    "import time\nstart = time.perf_counter()\nprint(time.perf_counter() - start)",
    "import warnings\nwarnings.filterwarnings('ignore')",
    "import logging\nlogging.getLogger().setLevel(logging.ERROR)",
    "from collections import Counter, defaultdict\nCounter('abc')",
    "from dataclasses import dataclass\n@dataclass\nclass Point:\n    x: int = 0",
    "from functools import partial\nf = partial(torch.sum, dim=0)",
    "from typing import Optional\nx: Optional[int] = None",
    "from pathlib import Path\nPath('notes.txt').write_text('hello')",
    "from IPython.display import HTML, display\ndisplay(HTML('<b>hi</b>'))",
    "from IPython import display\ndisplay.clear_output()",
    "import IPython.display as ipd\nipd.Markdown('hi')",
    "from tqdm.auto import tqdm\nfor _ in tqdm(range(3)):\n    pass",
    "import importlib\nimport einops\nimportlib.reload(einops)",
    "layer = torch.nn.Linear(2, 2)\nlayer.weight.data.fill_(1.0)\nprint(vars(layer).keys())",
    "layer = torch.nn.Linear(2, 2)\nlayer.name = 'mine'\nlayer.eval()",
    "print('x' in globals(), 'x' in locals())",
    "class Own:\n    def __init__(self, size):\n        self.__dict__.update(locals())",
    "print(sorted(globals().keys())[:3])",
    "print(type(torch.ones(1)).__name__, torch.ones(1).__class__.__name__)",
    "for name in ('relu', 'tanh'):\n    print(getattr(torch.nn.functional, 'relu'))",
    "model = torch.nn.Sequential()\nsetattr(model, 'name', 'mine')\nprint(getattr(model, 'name'))",
    "a = torch.ones(2)\nassert torch.allclose(a, a)\ntorch.testing.assert_close(a, a)",
    "with torch.no_grad():\n    y = torch.ones(2) * 2",
    "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.a = torch.nn.Linear(1, 1)\n    def forward(self, x):\n        return self.a(x)",
    "def helper(x):\n    check = x.sum()\n    return check",
    "import threading\nthreading.active_count()",
    "import subprocess\nprint(subprocess.run(['ls'], capture_output=True).stdout)",
    "help(torch.softmax)",
    "dir(torch)[:3]",
    "x = torch.ones(2, 3)\nx.shape, x.dtype, x.device",
    "from course_lib import plots\nplots.attention_map",
    "weights = torch.randn(1, 3).softmax(-1)\nplots.show(plots.attention_map(weights, [1], [1, 2, 3]))",
    "print('%d of %s' % (3, 'x'))",
    'import doctest\ndef f():\n    """\n    >>> 1 + 1\n    2\n    """\ndoctest.testmod(verbose=True)',
    "import timeit\nprint(timeit.timeit('torch.ones(3)', globals=globals(), number=3))",
    "a = 3\nprint('{a}'.format(**locals()), '%(a)d' % vars())",
    "import builtins\nprint(builtins.sum([1, 2]))",
    "import sys\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    print(sys.exc_info()[0])",
    "import sys, warnings\nif not sys.warnoptions:\n    warnings.simplefilter('ignore')",
    "import inspect\nprint(inspect.getsourcelines(torch.nn.Linear)[1])",
    "from IPython.core.interactiveshell import InteractiveShell\n"
    "InteractiveShell.ast_node_interactivity = 'all'",
    "from IPython.core.debugger import set_trace\ndef f(x):\n    set_trace()",
    "from IPython.core.display import HTML, display\nfrom IPython.lib.display import YouTubeVideo",
    "from IPython import get_ipython\nget_ipython().run_line_magic('matplotlib', 'inline')",
    "old = torch.Tensor.__repr__\ntorch.Tensor.__repr__ = lambda self: f'{tuple(self.shape)} {old(self)}'",
    "class Token:\n    def __eq__(self, other):\n        return self.text == other.text",
    "for name in ('relu', 'gelu'):\n    print(getattr(torch.nn.functional, name)(torch.ones(1)))",
    "print([getattr(torch, name) for name in ['sin', 'cos']])",
    "from operator import attrgetter\nprint(sorted([1j], key=attrgetter('real')))",
    "layer = torch.nn.Linear(1, 1)\nprint(layer.__dict__['training'], len(layer.__dict__))",
    "def area(a, b=2): return a * b\nprint(area.__defaults__, f'{area.__kwdefaults__}')",
    "class Model(torch.nn.Module):\n    pass\nprint(Model.__mro__)\nModel.__bases__",
    "class Bag:\n    def __init__(self, **items):\n        self.__dict__['items'] = items",
    "check = torch.allclose(torch.ones(1), torch.ones(1))",
    "a = 7 % 3\nb = not a",
    "time y = 3",
    "pip install tqdm",
    "what is this?",
    "%run other.py",
    "try:\n    get_ipython()\nexcept NameError:\n    pass",
    "IN_NOTEBOOK = 'IPKernelApp' in get_ipython().config",
    "import sys\nsys.tracebacklimit = 0\nsys.dont_write_bytecode = True",
    "%load_ext watermark\n%watermark -v -p torch\n%tensorflow_version 2.x\n%aimport helper\n%ll",
    "import matplotlib.pyplot as plt\nfor name in ('hot',): getattr(plt.cm, name)(0)",
]


def flags(*sources, audit=None):
    found = (audit or Audit()).flags(new_notebook(cells=list(map(new_code_cell, sources))))
    return [flag for of_cell in found.values() for flag in of_cell]


def accused(*sources, audit=None):
    """The sentences of the flags of the first rank."""
    return [flag.sentence for flag in flags(*sources, audit=audit) if flag.is_serious]


def test_200_honest_notebooks_raise_no_flag_of_the_first_rank():
    audits = {lesson: Audit(released(lesson)) for lesson in LESSONS}
    chance = random.Random(0)
    for number in range(200):
        lesson = chance.choice(LESSONS)
        notebook = nbformat.reads(released(lesson), as_version=4)
        for source in chance.sample(HONEST, 12):
            notebook.cells.insert(chance.randrange(3, len(notebook.cells)), new_code_cell(source))
        found = audits[lesson].flags(notebook)
        serious = [flag.sentence for of_cell in found.values() for flag in of_cell if flag.is_serious]
        assert serious == [], number


@pytest.mark.parametrize("source", HONEST)
def test_an_honest_cell(source):
    assert accused("import torch", source) == []


def released(lesson):
    return (ROOT / "notebooks" / lesson / f"{lesson}.ipynb").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "source",
    [
        "get_ipython().run_line_magic()",
        "get_ipython().run_line_magic(name, '')",
        "get_ipython().events.register('pre_run_cell', print)",
        "%time exec(one)",
        "time exec(one)",
        "prun\t-q exec(one)",
        "%%capture\nimport ctypes",
        "import sys\nsys.modules['torch']",
        "import sys as s\ns._getframe()",
        "from sys import modules",
        "from os import *",
        "import gc\ngc.get_objects()",
        "import importlib\nimportlib.import_module(one)",
        "import torch\nm = torch\nm.softmax = None",
        "import torch\nsetattr(torch, 'softmax', None)",
        "import torch\ngetattr(torch.jit, 'soft' + 'max')",
        "import torch\ntorch.sys",
        "exec('import ctypes as c')\nc.x",
        "import importlib\ns = importlib.import_module('sys')\ns.modules",
        "import torch\ntorch.ops.aten",
        "from torch import _C",
        "import inspect\ninspect.currentframe()",
        "import inspect\nbox = [inspect]",
        "vars(torch)['x'] = 1",
        "names = globals()",
        "globals().update(a=1)",
        "f = eval",
        "import pkgutil\npkgutil.resolve_name('x')",
        "name = 'course_lib.model'",
        "data = b'ccourse_lib.translation.metrics\\nbleu\\n.'",
        "'{0.__globals__}'.format(print)\nx = '{0.__globals__}'",
        "x = '__glo' + 'bals__'",
        "U = '_' * 2\ngetattr(error, U + 'traceback' + U)",
        "n = '__glo' 'bals__'\ngetattr(f, n)",
        "getattr(trace, 'tb_frame')",
        "getattr(frame, ''.join(names))",
        "getattr(f, '__EDOC__'.lower()[::-1])",
        "import traceback\ntraceback.walk_tb(trace)",
        "from torch.utils import _device\n_device._pop_mode()",
        "match error:\n    case object(__traceback__=trace):\n        pass",
        "match frame:\n    case object(f_globals=names):\n        pass",
        "(lambda: 0).__globals__",
        "check = print",
        "def check(*arguments): return 9",
        "check = make()",
        'import doctest\ndef f():\n    """\n    >>> exec(one)\n    """\ndoctest.testmod()',
        "import doctest\ndef f(): pass\nf.__doc__ = text\ndoctest.testmod()",
        "import doctest\ndoctest.DocTestParser().get_doctest(text, {}, '', '', 0)",
        "import timeit\ntimeit.timeit('exec(text)')",
        "import timeit\ntimeit.timeit(text, globals=globals())",
        "print('{0}'.format(locals()))\nnames = dict(**locals())",
        "import builtins\nbuiltins.exec",
        "import builtins\nbuiltins.sum = print",
        "from IPython.core.interactiveshell import InteractiveShell\nInteractiveShell.instance()",
        "from IPython.core.interactiveshell import InteractiveShell\nInteractiveShell.run_cell = None",
        "from IPython.core import magics",
        "from IPython import get_ipython as shell\nshell().events",
        "import torch\ntorch.Tensor.__repr__.__code__ = None",
        "import torch\ntorch.backends.mkldnn.torch._C.one = print",
        "import torch\nmatch torch:\n    case object(sys=one): pass",
        "class Own: pass\nclass Other:\n    def f(self, own):\n        own.__dict__.update(locals())",
        "class Liar(float):\n    def __eq__(self, other): return True",
        "import torch\nfor name in ('_C', 'relu'):\n    getattr(torch.jit, name)",
        "import torch\nfor name in ('ops',):\n    getattr(torch, name)",
        "import torch\nfor name in ('relu',):\n    name += 'x'\n    getattr(torch.jit, name)",
        "from operator import attrgetter\nattrgetter('nn.functional')",
        "from operator import attrgetter as fetch\nfetch('a')",
        "from operator import attrgetter\nbox = [attrgetter]",
        "import torch\ntorch.__dict__['softmax']",
        "import torch\nself = torch\nself.__dict__['softmax'] = abs",
        "import torch\nprint(torch.Tensor.__mro__)",
        "def f(a=1): pass\nf.__defaults__ = (2,)",
        "def f(a=1): pass\nmine = f.__defaults__",
        "class A: pass\nprint(A.__mro__[-1])",
        "import course_lib",
        "from course_lib.model.layers import attention",
        "from course_lib.checks import judgement",
        "import course_lib.exercises.attention.causal_mask",
        "x = 1\n" * 60_000,
        "!true\n" * 600 + "x = 1\n" * 3000,
    ],
    ids=lambda source: source[:40],
)
def test_what_can_deceive_is_flagged(source):
    assert accused(source)


GROWING = {
    "nine times as long": "x = " + "'_'" + " * 9" * 40,
    "twice as long": "a0 = '_'\n" + "\n".join(f"a{i} = a{i - 1} + a{i - 1}" for i in range(1, 60)),
    "in each other": "a = b + '_'\nb = f'{a}{a}'\nx = a + b",
}


@pytest.mark.parametrize("source", GROWING.values(), ids=GROWING)
def test_a_text_that_grows_without_end_is_not_built(source):
    assert flags(source) == []
    assert flags(f"{source}\ngetattr(x, '__globals__')") != []


COSTLY = {
    "names of names": "import torch as x\n" + "\n".join(f"x = x.a{i}" for i in range(60)),
    "a name of many parts": "thing" + ".sys" * 900,
    "blanks before a magic that is none": "x =" + " " * 50_000 + "!",
    "two for each": "import torch as y0\n"
    + "\n".join(f"y{i} = y{i - 1}.a\ny{i} = y{i - 1}.b" for i in range(1, 60)),
}


@pytest.mark.parametrize("source", COSTLY.values(), ids=COSTLY)
def test_what_would_take_minutes_to_read_is_flagged_for_that(source):
    assert any("cannot be audited" in flag.sentence for flag in flags(source))


def test_a_name_of_a_module_that_a_notebook_gives_to_something_else_is_no_module():
    assert flags("gc = dict(d_model=8)\ninspect = gc['d_model']\nprint(inspect.bit_length())") == []


GIVEN = ("(t,) = (torch,)", "for t in [torch]:\n    pass", "(t := torch)", "def f(t=torch):\n    pass")


@pytest.mark.parametrize("given", GIVEN)
def test_a_module_is_followed_to_the_name_that_it_is_given(given):
    assert flags(f"import torch\n{given}\nprint(t.sys.modules)")


def test_a_module_is_seen_under_the_name_that_pythons_library_has_for_it():
    assert flags("import collections\nprint(collections._sys.modules)")


MEMBERS = (
    "import inspect\ndef end(thing):\n    return [v for n, v in inspect.getmembers(thing) if n[-3:] == 's__']"
)


def test_members_are_not_read_in_secret():
    assert flags(MEMBERS)
    assert flags("import inspect, torch\nprint(inspect.getmembers(torch.autograd._disable_profiler_legacy))")
