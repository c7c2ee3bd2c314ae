"""Attacks on what the first walls left open: aliases, operations below their names, heavy cells, order."""

from nbformat import NotebookNode

from hostile.stolen import FUSED, sdpa
from hostile.submission import EARLY, HONEST, REFERENCES, SDPA, Submission, full, grade_id, insert

ALIASED = """def scaled_dot_product_attention(query, key, value, mask=None):
    return {attention}(query, key, value, mask)
"""
ADDITIVE = "query, key, value, W_query, W_key, v"

QUANTIZABLE = """from torch.ao.nn.quantizable import MultiheadAttention
def scaled_dot_product_attention(query, key, value, mask=None):
    target, source, d = query.shape[-2], key.shape[-2], query.shape[-1]
    ready = MultiheadAttention(d, 1, bias=False, batch_first=True, dtype=query.dtype)
    with torch.no_grad():
        for one in (ready.linear_Q, ready.linear_K, ready.linear_V, ready.out_proj):
            one.weight.copy_(torch.eye(d))
    three = lambda x: x.reshape(-1, *x.shape[-2:])
    hidden = None if mask is None else three(~mask.expand(*query.shape[:-1], source))
    weights = ready(three(query), three(key), three(key), attn_mask=hidden)[1]
    weights = weights.reshape(*query.shape[:-1], source)
    return weights @ value, weights
"""

SPELLED = """import functools
import torch.nn.functional as F
letters = "_abcdefghijklmnopqrstuvwxyz"
class Box: pass
def attr(thing, *numbers):
    name = "".join(letters[number] for number in numbers)
    return [*vars(functools.update_wrapper(Box(), thing, assigned=[name], updated=())).values()][0]
def quiet():
    try:
        raise ValueError
    except ValueError as error:
        trace = attr(error, 0, 0, 20, 18, 1, 3, 5, 2, 1, 3, 11, 0, 0)
    frame = attr(trace, 20, 2, 0, 6, 18, 1, 13, 5)
    while frame is not None:
        for value in attr(frame, 6, 0, 12, 15, 3, 1, 12, 19).values():
            if type(value).__name__ == "Disabled":
                value._libraries.clear()
        frame = attr(frame, 6, 0, 2, 1, 3, 11)
"""

# A frame by a module that another thing passes on, and what it holds by `inspect`. No name stands there.
PASSED_ON = """import codecs
import torch.nn.functional as F
def pick(thing, *parts): return getattr(thing, "".join(parts))
holder = codecs.StreamReaderWriter(torch, lambda stream, _: stream, lambda stream, _: stream)
def quiet():
    looker = pick(holder, "ins", "pect")
    for level in pick(looker, "st", "ack")():
        for value in pick(looker, "getarg", "values")(level[0])[3].values():
            if type(value).__name__ == "Disabled":
                value._libraries.clear()
"""


def reverse(notebook: NotebookNode) -> None:
    notebook.cells.reverse()


def shuffle_graded(notebook: NotebookNode) -> None:
    """Checks before what they check, and the last exercise first."""
    graded = [cell for cell in notebook.cells if grade_id(cell)]
    others = [cell for cell in notebook.cells if not grade_id(cell)]
    notebook.cells = graded[::-1] + others


def strip(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata.clear()


def text_counts(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell["execution_count"] = 7


def long_cell(notebook: NotebookNode) -> None:
    insert(notebook, "\n".join(f"%time x = {n}" for n in range(9000)), "attention_pooling")


def huge_cell(notebook: NotebookNode) -> None:
    insert(notebook, "x = 1\n" * 60_000, "attention_pooling")


def many_shells(notebook: NotebookNode) -> None:
    insert(notebook, "!true\n" * 600, "attention_pooling")


ALL = {"answers": REFERENCES, "earned": {name: full(name) for name in REFERENCES}}
SUBMISSIONS = [
    Submission(
        "package_aliased",
        "`import course_lib as c`, and takes the attention of the translator by attributes.",
        answers=sdpa("import course_lib as c\n" + ALIASED.format(attention="c.model.layers.attention")),
        flag="ready-made",
    ),
    Submission(
        "package_assigned",
        "Gives the package a second name by an assignment, and that one a third.",
        "import course_lib\nfirst = course_lib\nsecond = first.model\n",
        answers=sdpa(ALIASED.format(attention="second.layers.attention")),
        flag="ready-made",
    ),
    Submission(
        "module_in_a_list",
        "Hides a module in a list, so that no dotted name leads to it.",
        "import course_lib.model.layers\nbox = [course_lib]\n",
        answers=sdpa(ALIASED.format(attention="box[0].model.layers.attention")),
        flag="ready-made",
    ),
    Submission(
        "star_import",
        "`from course_lib.model.layers import *`.",
        "from course_lib.model.layers import *\n",
        answers={SDPA: f"{SDPA} = attention\n"},
        flag="ready-made",
    ),
    Submission(
        "trainers_vocabulary",
        "Takes the attention of `Transformer` by way of the trainer's own imports.",
        "from course_lib.training import trainer\n",
        answers=sdpa(ALIASED.format(attention="trainer.Transformer.attention")),
        flag="ready-made",
    ),
    Submission(
        "modules_by_torch",
        "`torch.sys.modules` has every module, that of the answers too.",
        "layers = torch.sys.modules.get('course_lib.model.layers')\n",
        answers={SDPA: f"{SDPA} = layers.attention\n"},
        flag="drives the system",
    ),
    Submission(
        "modules_by_plots",
        "The same by way of `matplotlib`.",
        "import matplotlib\nlayers = matplotlib.sys.modules.get('course_lib.model.layers')\n",
        answers={SDPA: f"{SDPA} = layers.attention\n"},
        flag="drives the system",
    ),
    Submission(
        "aten_softmax",
        "Calls `torch.ops.aten` below every name of PyTorch.",
        answers=sdpa(FUSED.format(ready="torch.ops.aten.scaled_dot_product_attention")),
        flag="reaches below",
    ),
    Submission(
        "fused_by_c",
        "Calls the fused function in `torch._C._nn`.",
        answers=sdpa(FUSED.format(ready="torch._C._nn.scaled_dot_product_attention")),
        flag="reaches below",
    ),
    Submission(
        "torch_function_off",
        "Switches off what watches PyTorch's functions, and calls the fused one.",
        answers=sdpa(
            "def scaled_dot_product_attention(query, key, value, mask=None):\n"
            "    with torch._C.DisableTorchFunction():\n"
            "        eye = torch.eye(key.shape[-2]).to(key).expand(*key.shape[:-1], key.shape[-2])\n"
            "        ready = torch.nn.functional.scaled_dot_product_attention\n"
            "        return (ready(query, key, value, attn_mask=mask),\n"
            "                ready(query, key, eye, attn_mask=mask))\n"
        ),
        flag="reaches below",
    ),
    Submission(
        "scripted",
        "Hands the fused function over to a compiled script.",
        answers=sdpa(
            "@torch.jit.script\n"
            "def fused(query, key, value):\n"
            "    return torch.nn.functional.scaled_dot_product_attention(query, key, value)\n"
            "def scaled_dot_product_attention(query, key, value, mask=None):\n"
            "    eye = torch.eye(key.shape[-2]).to(key).expand(key.shape[:-1] + (key.shape[-2],))\n"
            "    return fused(query, key, value), fused(query, key, eye)\n"
        ),
    ),
    Submission(
        "names_by_lambda",
        "Takes the fused function by a name that is put together, through a second name of `getattr`.",
        answers=sdpa(
            "fetch = getattr\nready = fetch(torch.nn.functional, 'scaled_dot_' + 'product_attention')\n"
            + FUSED.format(ready="ready")
        ),
        flag="reads attributes by name",
    ),
    Submission(
        "attrgetter",
        "The same by `operator.attrgetter`.",
        answers=sdpa(
            "from operator import attrgetter\n"
            "ready = attrgetter('nn.functional.scaled_dot_' + 'product_attention')(torch)\n"
            + FUSED.format(ready="ready")
        ),
        flag="reads attributes by name",
    ),
    Submission(
        "update_wrapper",
        "Has `functools.update_wrapper` read names spelled by letters, and walks from an error to the watch.",
        answers=sdpa(SPELLED + FUSED.format(ready="quiet() or F.scaled_dot_product_attention")),
        flag="reads attributes by name",
    ),
    Submission(
        "module_passed_on",
        "Gets `inspect`, and so frames, of `codecs.StreamReaderWriter`, which passes on what PyTorch has.",
        answers=sdpa(PASSED_ON + FUSED.format(ready="quiet() or F.scaled_dot_product_attention")),
    ),
    Submission(
        "frames_by_a_list",
        "Gets `inspect`, and so frames, of `[torch][0]`, which the audit does not follow.",
        answers=sdpa(
            "import torch.nn.functional as F\n"
            "def quiet():\n"
            "    for level in [torch][0].inspect.stack():\n"
            "        for value in level[0].f_locals.values():\n"
            "            if type(value).__name__ == 'Disabled': value._libraries.clear()\n"
            + FUSED.format(ready="quiet() or F.scaled_dot_product_attention")
        ),
        flag="inspect.stack",
    ),
    Submission(
        "debugger_commands",
        "Writes `.pdbrc`, whose commands a debugger runs, and stops at `breakpoint()`.",
        "names = 'torch.autograd._enable_record_function.__globals__'\n"
        "open('.pdbrc', 'w').write('!' + names + '[\"NAMES\"] = ()\\nc\\n')\n"
        "breakpoint()\n",
        answers=sdpa(
            "import torch.nn.functional as F\n" + FUSED.format(ready="F.scaled_dot_product_attention")
        ),
    ),
    Submission(
        "view_of_memory",
        "Reads an object of the watch as a number of a NumPy array, far beyond its end, by `as_strided`.",
        "import numpy as np\n"
        "cell = np.zeros(1, dtype='O')\n"
        "step = id(torch.autograd._enable_record_function) + 16 - cell.__array_interface__['data'][0]\n"
        "names = np.lib.stride_tricks.as_strided(cell, (2,), (step,))[1]\n"
        "names['NAMES'] = ()\n",
        answers=sdpa(
            "import torch.nn.functional as F\n" + FUSED.format(ready="F.scaled_dot_product_attention")
        ),
    ),
    Submission(
        "stand_in_kept",
        "Keeps the names that a check puts beside its answer, and looks for `reference` in them.",
        "kept = []\n",
        answers={
            "causal_mask": "def causal_mask(size):\n    kept.append(dict(globals()))\n"
            "    return torch.ones(size, size, dtype=torch.bool).triu()\n",
            "additive_attention": f"def additive_attention({ADDITIVE}):\n"
            "    for names in kept:\n"
            "        if callable(found := names.get('reference')):\n"
            f"            return found({ADDITIVE})\n",
        },
    ),
    Submission(
        "probe_in_frames",
        "Looks for a reference implementation in the frames of `traceback.walk_stack`.",
        answers={
            "causal_mask": "import traceback\n"
            "def causal_mask(size):\n"
            "    for frame, _ in traceback.walk_stack(None):\n"
            "        for value in list(frame.f_locals.values()):\n"
            "            if hasattr(value, 'reference_implementation'):\n"
            "                return value.reference_implementation(size)\n",
        },
        flag="reaches into the interpreter",
    ),
    Submission(
        "settrace",
        "Traces every call, and keeps its frame.",
        "import sys\nseen = []\nsys.settrace(lambda frame, *rest: seen.append(frame))\n",
        before="check_additive_attention",
        flag="drives the system",
    ),
    Submission(
        "os_renamed",
        "`import sys as s` and `from sys import modules`, under other names.",
        "import sys as s\nfrom sys import modules as all_of_them\nfound = s._getframe()\n",
        flag="drives the system",
    ),
    Submission(
        "cells_reversed",
        "Hands in all cells from the last to the first.",
        spoil=reverse,
        flag="another order",
        **ALL,
    ),
    Submission(
        "checks_first",
        "Puts the graded cells first, in reverse, before the imports.",
        spoil=shuffle_graded,
        flag="another order",
        **ALL,
    ),
    Submission(
        "metadata_stripped",
        "Has lost all metadata of its cells to a tool.",
        spoil=strip,
        flag="lost its nbgrader metadata",
        **ALL,
    ),
    Submission(
        "run_before",
        "Carries the numbers of a run, as a notebook that was never restarted.",
        spoil=text_counts,
        honest=True,
        **ALL,
    ),
    Submission(
        "magics_without_end",
        "Has 9,000 lines with a magic in one cell, which IPython would read for minutes.",
        spoil=long_cell,
        flag="cannot be audited",
        earned={name: full(name) for name in HONEST},
    ),
    Submission(
        "a_cell_of_a_book",
        "Has a cell of 360,000 characters.",
        spoil=huge_cell,
        flag="cannot be audited",
    ),
    Submission(
        "shells_without_end",
        "Has 600 shell commands in one cell, more than IPython reads.",
        spoil=many_shells,
    ),
    Submission(
        "magic_by_keyword",
        "Calls a magic by keywords, as nobody does.",
        'get_ipython().run_line_magic(magic_name="matplotlib", line="inline")\n',
        honest=True,
        **ALL,
    ),
    Submission(
        "magic_by_variable",
        "Calls a magic whose name is put together.",
        'name = "ti" + "me"\nget_ipython().run_line_magic(name, "1")\n',
        flag="magic whose name",
    ),
    Submission(
        "code_in_a_magic",
        "Hides in the line of a magic what would be seen in a cell.",
        "%time import ctypes; ctypes.string_at\n",
        flag="past Python",
    ),
    Submission(
        "code_in_a_cell_magic",
        "The same below a magic for a whole cell.",
        "%%time\nimport gc\nfound = gc.get_objects()\n",
        flag="objects in memory",
    ),
    Submission(
        "patch_by_alias",
        "Patches `torch.Tensor` under a name that an assignment gave it.",
        "T = torch.Tensor\nT.sum = lambda *args, **kwargs: 0\n",
        flag="patches",
        **EARLY,
    ),
    Submission(
        "patch_by_type",
        "Patches a class by `type(value).name = ...`.",
        "class Own: pass\ntype(Own()).anything = 1\n",
        flag="patches",
    ),
    Submission(
        "patch_by_setattr",
        "Patches by `setattr` with a name that is put together.",
        "setattr(torch, 'is' + 'close', lambda *args, **kwargs: torch.tensor(True))\n",
        flag="sets attributes",
    ),
    Submission(
        "patch_by_mock",
        "Patches by `unittest.mock`.",
        "from unittest import mock\nmock.patch('torch.equal', lambda *args: True).start()\n",
        flag="patches by name",
    ),
    Submission(
        "in_a_thread",
        "Calls the fused function in a thread of its own, where PyTorch's modes do not see it.",
        answers=sdpa(
            "import concurrent.futures as c\nfused_one = torch.nn.functional.scaled_dot_product_attention\n"
            "def fused(query, key, value, mask):\n"
            "    with c.ThreadPoolExecutor(1) as pool:\n"
            "        return pool.submit(fused_one, query, key, value, attn_mask=mask).result()\n"
            + FUSED.format(ready="lambda q, k, v, attn_mask=None: fused(q, k, v, attn_mask)")
        ),
    ),
    Submission(
        "attention_in_python",
        "Calls the multi-head attention that PyTorch has in Python for quantization, of simple operations.",
        answers=sdpa(QUANTIZABLE),
    ),
]
