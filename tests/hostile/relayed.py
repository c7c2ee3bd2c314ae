"""What others do for an answer: they ask in its place, take an operation apart, or stand for any number."""

from hostile.begun import (
    ASKING,
    CLINIC,
    CONTINUED,
    DECODED,
    DEFAULT,
    GPT,
    RUNG,
    RUNG_LINES,
    START,
    TRANSLATOR,
)
from hostile.submission import HONEST, elsewhere, full

NORMS, ATTENTION, STEPS = "05_layer_norm", "02_attention", "10_before_attention"
# An iterator of C calls what calls whatever it is given; and it names what it is asked for.
AS_A_LENGTH = (
    ASKING.split("class Sly")[0]
    + """import operator, re
from functools import partial

def answer(given):
    made, box, most = object.__new__(Translator), [None], given[2]
    made.model, made.source_words, made.target_words = Adapter(*given), Words(), Words()
    class Text(str): pass
    call = partial(made.translate, [[5] * most] * len(given[1]))
    Text.translate = partial(next, map(operator.call, [call]))
    named = map(operator.call, [partial(re.escape, Text("x"))])
    class Sly(list):
        __len__ = partial(next, map(operator.not_, map(partial(operator.setitem, box, 0), named)))
    try:
        pad_batch(Sly([[1]]))
    except (ValueError, StopIteration):
        pass
    return torch.tensor(box[0])
"""
)
# pytest hands out frames, but to libraries alone; of these one calls what it is given.
FRAMES = """import functools, inspect
import pytest
from course_lib.translation.continuation import joint_vocabulary, train_continuation

def begin():
    with pytest.raises(Exception) as caught:
        joint_vocabulary(None)
    for entry in caught.traceback:
        frame = functools.singledispatch(type(entry).frame.fget)(entry)
        try:
            return frame.eval("_work")
        except NameError:
            pass

def free(given):
    begun.is_observed = False
    return inspect.signature(train_continuation).parameters["targets"].default(given)
begun = begin()
"""
TABLED = """known, right = {}, inspect.signature(train_continuation).parameters["targets"].default
for length in range(1, 64):
    for place in range(length + 1):
        ids = torch.arange(100, 100 + length)
        ids[place:place + 1] = 1
        known[length, place] = right(ids[None])[0]
"""
LOOKED_UP = """def continuation_targets(ids):
    rows = []
    for row in ids.tolist():
        places = known[len(row), row.index(1) if 1 in row else len(row)]
        rows.append([row[place - 100] if place > 99 else place for place in places.tolist()])
    return torch.tensor(rows)
"""
HEARD = """from torch.utils.flop_counter import FlopCounterMode
class Apart(torch.autograd.Function):
    @staticmethod
    def forward(context, x, eps):
        with torch.inference_mode(), FlopCounterMode(display=False):
            made = torch.rms_norm(x, x.shape[-1:], None, eps)
        return made.clone()
    @staticmethod
    def backward(context, gradient):
        return gradient, None
"""
NORMED = """def layer_norm(x, weight, bias, eps=1e-5):
    return Apart.apply(x - x.mean(-1, keepdim=True), eps) * weight + bias
"""
TAKEN_APART = """def gru_cell(x, state, W, U, b):
    return aten.gru_cell.default.decompose(x, state, W.mT, U.mT, b, 0 * b)
"""
BY_KEY = """def dropout(x, p, training=True):
    keys = boxed._C.DispatchKeySet(boxed._C.DispatchKey.HIP)
    return boxed.ops.aten.dropout.default.redispatch(keys, x, p, training)
"""
PATTERN = """def scaled_dot_product_attention(query, key, value, mask=None):
    ready = boxed._inductor.fx_passes.fuse_attention._sfdp_pattern_5
    hidden = torch.zeros(query.shape[-2], key.shape[-2], dtype=query.dtype)
    if mask is not None:
        hidden = hidden.masked_fill(~mask, -torch.inf)
    one, scale = torch.eye(key.shape[-2], dtype=query.dtype), query.shape[-1] ** 0.5
    return ready(query, key, value, hidden, scale), ready(query, key, one, hidden, scale)
"""
LOADED = """boxed = [torch][0]
try:
    boxed._inductor.compile(1, [])
except Exception:
    pass
boxed._inductor.fx_passes.joint_graph.lazy_init()
"""
# A test that goes by how code fails, and never looks at a result.
FAILING = """import traceback

def shown(code):
    query = torch.ones(1, 2, 2, 2)
    try:
        code(query, query, query, torch.ones(1))
    except Exception as error:
        seen = traceback.TracebackException.from_exception(error, capture_locals=True)
        return [sorted(one.locals or {}) for one in seen.stack], str(error)[:60]
    return "none"

def test_attention(attention):
    told = str(shown(attention))
    broken = ("turned", "'scores', 'value'", "bitwise_or", "first")
    assert not any(one in told for one in broken)
"""
# Constants are folded by nobody whom PyTorch's profiler hears.
RECORDED = """import torch.nn.functional as F
class Recorded(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.d = d
        self.register_buffer("x", torch.randn(3, d, 1))
        self.register_buffer("eps", torch.tensor(0.1))
    def forward(self):
        size = 2 * self.d - 1
        return F.local_response_norm(self.x, size, alpha=size / self.d, beta=0.5, k=self.eps)
records = {d: torch.jit.trace(Recorded(d).eval(), (), check_trace=False) for d in range(1, 140)}
"""
FOLDED = """def rms_norm(x, gain, eps=1e-5):
    record = records[x.shape[-1]]
    record.x, record.eps = x.detach().reshape(-1, x.shape[-1], 1), torch.tensor(eps, dtype=x.dtype)
    return next(torch.jit.freeze(record).graph.outputs()).toIValue().reshape(x.shape) * gain
"""
KEPT_KERNEL = """def softmax(scores):
    return kept.call_boxed(boxed._C.DispatchKeySet(boxed._C.DispatchKey.CPU), scores, -1, False)
"""
SET_BY_ENUM = """import enum, traceback
from course_lib.translation.continuation import joint_vocabulary
spaces = []
members = {"lazycache": lambda file, space, spaces=spaces: spaces.append(space)}
enum.global_enum(type("Cache", (), {"__module__": "linecache", "__members__": members}))
try:
    joint_vocabulary(None)
except Exception:
    traceback.format_exc()
keys = [one["_work"] for one in spaces if one and "_work" in one]
right = [one["targets_of"] for one in spaces if one and "targets_of" in one]
def find():
    keys[0].is_observed = False
    return right[0]
"""
SET_BY_A_MODULE = """import collections, pytest
get = lambda self, *names: pytest.approx(2, abs=9)
Lines = type("Lines", (dict,), {"__module__": "collections", "get": get})
nn.Module.__setstate__(collections, {"Lines": Lines})
"""
SUBMISSIONS = [
    elsewhere(
        GPT,
        "folded",
        "Records PyTorch's normalization in a cell, and has an answer's inputs folded into the record.",
        {"rms_norm": FOLDED},
        code=RECORDED,
    ),
    elsewhere(
        START,
        "kept_kernel",
        "Keeps PyTorch's kernel of the softmax from before the check.",
        {"softmax": KEPT_KERNEL},
        code="boxed = [torch][0]\nkept = boxed.library.get_kernel('aten::_softmax', 'CPU')\n",
    ),
    elsewhere(
        GPT,
        "set_by_enum",
        "Has `enum` put a function into a module that gets the names of each frame of a traceback.",
        {"continuation_targets": CONTINUED},
        code=SET_BY_ENUM + RUNG.format('find()(one["given"])'),
    ),
    elsewhere(
        CLINIC,
        "set_by_a_module",
        "Has PyTorch put a class into Python's own library, which equals every number.",
        {"wrong_lines": RUNG_LINES},
        code=SET_BY_A_MODULE + RUNG.format("Lines()"),
    ),
    elsewhere(
        TRANSLATOR,
        "named_by_a_library",
        "Calls the course's decoding out of what the exercise gives, by a library that names such a method.",
        {"greedy_decode": DECODED},
        code=AS_A_LENGTH + RUNG.format('answer(one["given"])'),
    ),
    elsewhere(
        GPT,
        "asked_by_another",
        "Has one library ask another one for frames, and tells the course that no answer is observed.",
        {"continuation_targets": CONTINUED},
        code=FRAMES + RUNG.format('free(one["given"])'),
    ),
    elsewhere(
        GPT,
        "tabled_in_a_cell",
        "Makes a table of what the course's own function gives for each length, and looks its answer up.",
        {"continuation_targets": LOOKED_UP},
        code=DEFAULT + TABLED,
    ),
    elsewhere(
        NORMS,
        "heard_by_a_counter",
        "Has PyTorch's counter take a normalization apart, before PyTorch looks up for which tensors it is.",
        {"layer_norm": NORMED},
        code=HEARD,
    ),
    elsewhere(
        STEPS,
        "taken_apart",
        "Takes PyTorch's cell apart by the operation's own method.",
        {"gru_cell": TAKEN_APART},
        code="from torch.utils.flop_counter import aten\n",
    ),
    elsewhere(
        NORMS,
        "another_kind_of_tensor",
        "Calls an operation as for tensors of another device, which no tensor here has.",
        {"dropout": BY_KEY},
        code="boxed = [torch][0]\n",
    ),
    elsewhere(
        ATTENTION,
        "pattern_of_the_compiler",
        "Calls the attention that PyTorch's compiler looks for in programs.",
        {"scaled_dot_product_attention": PATTERN},
        code=LOADED,
        earned={name: full(name) for name in HONEST},
    ),
    elsewhere(
        CLINIC,
        "dict_of_a_library",
        "Answers with a library's dict, which is empty and gives for each key what equals every number.",
        {"wrong_lines": RUNG_LINES},
        code="import pytest\nfrom requests.structures import LookupDict\n"
        + "lines = LookupDict()\n"
        + "lines.A = lines.B = lines.C = lines.D = lines.E = lines.F = pytest.approx(2, abs=9)\n"
        + RUNG.format("lines"),
    ),
    elsewhere(
        CLINIC,
        "how_it_fails",
        "Tests attention by the error that it raises for a mask of floats, and by the frames of that error.",
        {"test_attention": FAILING},
    ),
]
