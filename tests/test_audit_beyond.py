"""What the audit flags though no list names it: kinds of ways to reach what a cell must not."""

import sys

import pytest
from test_audit import accused, flags

SETS = "def f(p, names):\n    for name in dir(p):\n        "
BEYOND = {  # what can deceive in a way that no list names one by one
    "a module that no lesson needs": (
        "import pty\npty.spawn('sh')",
        "import posix",
        "import _posixsubprocess",
        "import trace\ntrace.Trace().run(text)",
        "import bdb",
        "import dis\ndis.Bytecode(f)",
        "import xmlrpc.server",
    ),
    "a module of another one": (
        "import collections\ncollections._sys",
        "import logging\nlogging.sys.modules",
        "import inspect\ninspect.sys",
        "import typing\ntyping.sys",
        "import os\nos.path.os.execv('x')",
        "import warnings\nwarnings.sys.modules = {}",
        "box.sys.modules",
        "import torch\n[torch][0].inspect.currentframe()",
        "box.gc.get_objects()",
        "class A:\n    def __init__(self, where): self.__array_interface__ = where",
        "class A: pass\na = A()\nsetattr(a, '__array_' + 'interface__', where)",
        "class A:\n    def go(self): vars(self)['__class__'] = B",
        "make().of._sys.modules",
        "getattr(box, 'sys')",
        "import torchvision\ntorchvision.torch._C",
        "from helper import *\nsys.modules['m'] = box",
        "sys = None\nfrom helper import *\nsys.modules['m'] = box",
        "gc = 1\n%run helper.py\ngc.get_objects()",
        "box.torch.ops.aten",
    ),
    "an attribute that is set by whatever name": (
        SETS + "object.__setattr__(p, name, C)",
        SETS + "p.__setattr__(name, C)",
        SETS + "p.__setattr__(name, 'C')",
        "name = 'size'\ndef put(p, name, C):\n    object.__setattr__(p, name, C)",
        SETS + "super(nn.Parameter, p).__setattr__(name, C)",
        SETS + "put = nn.Module.__setattr__",
        SETS + "names[name].__set__(p, C)",
        "def super(): return p\nsuper().__setattr__(name, C)",
        "class A:\n    def f(self, super):\n        super().__setattr__(name, C)",
    ),
    "a private name of a module": (
        "import random\nrandom._os.system('x')",
        "from random import _os",
        "import torch\ntorch._softmax(x, -1, False)",
        "import logging\nlogging._lock",
        "import torch\ntorch.__getattr__('x')",
        "import torch\nvars(torch)['_C']",
    ),
    "another part of PyTorch": (
        "import torch\ntorch.fx.symbolic_trace(f)",
        "from torch.fx.experimental.proxy_tensor import make_fx",
        "import torch\ntorch.export.export(model, (x,))",
        "import torch\ntorch.package.PackageImporter('x')",
        "import torch\ntorch.hub.load('a', 'b')",
        "from torch.utils import _pytree",
        "from torch.testing._internal import common_utils",
        "import torch\ntorch.nn.quantizable.MultiheadAttention",
        "from torch.nn.attention.flex_attention import flex_attention",
        "import torch\ntorch.func.linearize(f, x)",
        "import functorch\nfunctorch.make_fx(f)",
        "import torch\ntorch.jit.CompilationUnit(text)",
        "import torch\ntorch.compile(f, backend=lambda graph, inputs: graph)",
    ),
    "a module under the name of an attribute": (
        "import torch\nclass A: m = torch\nA.m.ops",
        "class A:\n    import torch\nA.torch.ops",
        "import torch\nclass A:\n    def __init__(self):\n        self.m = torch\nA().m._softmax",
        "import types, torch\nbox = types.SimpleNamespace(t=torch)\nbox.t.ops.aten",
        "import torch\ndef f(t): return t.ops\nf(t=torch)",
        "import torch\nt: object = torch\nt.ops",
        "import torch\nclass A: F = torch.nn.functional\nA.F.softmax = abs",
    ),
    "a text that runs": (
        "import sympy\nsympy.sympify(\"__import__('os')\")",
        "from sympy import *\nsympify('ex' + 'ec(' + rest)",
        "import timeit\ntimeit.timeit('im' + 'port sys' + rest)",
        "import timeit\ntimeit.main(['x'])",
        "import cProfile\ncProfile.run('exec(text)')",
        "import cProfile\ncProfile.Profile().run('exec(text)')",
        "import cProfile\ncProfile.Profile().runctx(text, {}, {})",
        "import pandas as pd\npd.eval('exec(text)', engine='python')",
        "import numexpr\nnumexpr.evaluate('eval(text)')",
        "%%writefile mine.py\nimport ctypes",
        "from pathlib import Path\nPath('mine.py').write_text('import gc\\ngc.get_objects()')",
        "import os\nos.environ['PYTHONBREAKPOINT'] = 'a.b'",
        "breakpoint(3)",
        "import pdb\npdb.run(text)",
        "import yaml\nyaml.load('!!python/name:a.b', Loader=yaml.Loader)",
    ),
    "bytes that run": (
        "import pickle\npickle.loads(b'cos\\nsystem\\n(tR.')",
        "data = b'cos\\nsystem\\n(tR.'",
        "import pickle, base64\ndata = base64.b64decode('Y29z')\npickle.loads(data)",
        "import torch, io\ntorch.load(io.BytesIO(bytes([99, 111])), weights_only=False)",
        "import pickle\npickle.Unpickler(file)",
        "class A:\n    def __reduce__(self):\n        return print, ()",
    ),
    "a method that PyTorch asks": (
        "import torch\nA = type('A', (torch.Tensor,), {'__torch_function__': f})",
        "A = type('A', (B,), dict(__torch_function__=f))",
        "setattr(A, '__torch_function__', f)",
        "A.__torch_function__ = f",
        "class A(B):\n    __torch_dispatch__ = f",
        "import types\ntypes.new_class('A', (B,), {}, f)",
    ),
    "what reads or imports by name": (
        "import importlib.util\nimportlib.util.spec_from_file_location('a', 'b')",
        "spec.loader.exec_module(module)",
        "import importlib.metadata as m\nm.entry_points()",
        "import logging.config\nlogging.config.dictConfig({})",
        "import string\nstring.Formatter().get_field(name, [f], {})",
        "import inspect\nfor name, value in inspect.getmembers(error):\n    found = value",
        "import inspect, torch\nfor name, value in inspect.getmembers(torch):\n    found = value",
        "task.get_stack()",
        "import threading\nthreading.settrace(f)",
        "from cffi import FFI",
        "import numpy as np\nnp.ctypeslib.as_ctypes(a)",
        "open('/proc/self/mem', 'r+b')",
    ),
}


NEAR = [  # honest cells that come near to these ways
    "class A(nn.Module):\n    def __setattr__(self, name, value):\n        super().__setattr__(name, value)",
    "class A:\n    def __post_init__(self):\n        object.__setattr__(self, 'size', 2)",
    "settings = dict(super=1)",
    "for name, value in options.items():\n    setattr(self, name, value)",
    "import matplotlib.pyplot as plt\nplt.rcParams['font.sans-serif'] = ['SimHei']",
    "from matplotlib.font_manager import _rebuild\n_rebuild()",
    "import ssl\nssl._create_default_https_context = ssl._create_unverified_context",
    "from torch.optim.lr_scheduler import _LRScheduler\nclass Noam(_LRScheduler):\n    pass",
    "import torch._dynamo\ntorch._dynamo.config.suppress_errors = True\ntorch._dynamo.reset()",
    "for backend in ('eager', 'inductor'):\n    torch.compile(torch.nn.Linear(2, 2), backend=backend)",
    "from torch.nn.attention import SDPBackend, sdpa_kernel\nfrom torch.nn.utils.rnn import pad_sequence",
    "from torch.profiler import profile, record_function\nfrom torch.autograd.functional import jacobian",
    "from torch.distributions.categorical import Categorical\nprint(torch.trace(torch.eye(2)))",
    "torch.sofmax(torch.ones(2))",  # a slip is no attack
    "import io\nbuffer = io.BytesIO()\ntorch.save(torch.ones(2), buffer)\n"
    "torch.load(io.BytesIO(buffer.getvalue()), weights_only=False)",
    "import pickle\npickle.loads(pickle.dumps([1]))\npickle.load(open('vocab.pkl', 'rb'))",
    "import pandas as pd\nframe = pd.DataFrame()\nframe.query(f'step > {3}')\nframe.eval('b = a * 2')",
    "import sympy as sp\nx = sp.Symbol('x')\nsp.lambdify(x, sp.sympify('x**2 + 1'), 'numpy')",
    "import types\nlayer = torch.nn.Linear(1, 1)\nlayer.forward = types.MethodType(print, layer)\n"
    "print(isinstance(layer, (types.FunctionType, types.LambdaType)))",
    "class Block:\n    def __init__(self, act=torch.nn.functional.relu):\n        self.act = act\n"
    "        self.F = torch.nn.functional\nblock = Block()\nblock.act = torch.nn.functional.gelu",
    "import typing\ndef f(x: 'torch.Tensor') -> 'list[int]': ...\nprint(typing.get_type_hints(f), '%(a)s')",
    "import inspect\nfor name, value in inspect.getmembers(model, inspect.ismethod):\n    print(name, value)",
    "import cProfile, pstats\ncProfile.run('torch.ones(3) @ torch.ones(3)', sort='cumtime')",
    "import importlib.util\nprint(importlib.util.find_spec('einops') is None)",
    "from tqdm import tqdm\ntqdm._instances.clear()",
    "layer = torch.nn.Linear(1, 1)\nprint(layer._parameters.keys(), layer._get_name())",
    "import multiprocessing as mp\nmp.cpu_count()\ntorch.multiprocessing.set_sharing_strategy('file_system')",
    "!cat /proc/cpuinfo\nprint(open('/proc/meminfo').read()[:20])",
    "import wandb\nrun = wandb.init()\nwandb.run.summary['loss'] = 1",
    "from timeit import timeit\nimport timeit as clock\nprint(timeit(lambda: 1), clock.default_timer())",
    "%%writefile utils.py\nimport sys, os\nif __name__ == '__main__':\n    print(sys.argv, os.getcwd())",
    "from IPython.utils import io\nwith io.capture_output() as captured:\n    print(1)",
    "print('Ask me about import sys; or eval(x).', ['__len__', '__eq__'])",
    "from einops.layers.torch import Rearrange\nimport safetensors.torch\nsafetensors.torch.load_file('x')",
    "import jieba, this\nprint(jieba.lcut('你好世界'))",
    "from torch.nn.modules.transformer import TransformerEncoderLayer, _get_clones",
    "import sys\nprint([name for name in sys.modules if name.startswith('torch')][:3])",
]


@pytest.mark.parametrize("kind", BEYOND)
def test_what_no_list_names_is_flagged(kind):
    assert [source for source in BEYOND[kind] if not accused(source)] == []


@pytest.mark.parametrize("source", NEAR)
def test_what_only_comes_near_is_not_flagged(source):
    assert accused("import torch", source) == []


def test_cells_that_come_near_are_not_flagged_together():
    assert accused("import torch", *NEAR) == []


def test_a_recorded_operation_is_a_finished_piece():
    assert any(flag.borrows for flag in flags("from torch.fx.experimental.proxy_tensor import make_fx"))


def test_nothing_is_imported_on_a_learners_word():
    before = {*sys.modules}
    flags("import turtle, torch.onnx.utils\nturtle.sys\nimport torch\ntorch.onnx.utils.re", "antigravity.x")
    assert {*sys.modules} == before


@pytest.mark.parametrize("text", ["os.system", "cat\nsat\nb. x", "common\nwords\nR.", ""])
def test_a_text_that_only_looks_like_a_pickle_is_none(text):
    assert flags(f"x = {text!r}") == []
