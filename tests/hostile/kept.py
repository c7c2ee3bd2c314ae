"""Right code that a cell has kept out of sight, and moments at which nobody watches."""

from hostile.around import FOUR_LAYERS, SCRIPTED
from hostile.submission import elsewhere

START, HEADS, TRANSLATOR = "00_start_here", "03_multi_head", "07_translator"
CLINIC, GPT, INFERENCE = "09_bug_clinic", "12_gpt", "13_inference"
PART = """import io
part, file = next(one for one in small.modules() if type(one).__name__ == "SwiGLU"), io.BytesIO()
"""
SWIGLU = """class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate, self.up = nn.Linear(d_model, d_ff, bias=False), nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return torch.func.functional_call({}, dict(self.named_parameters()), (x,))
"""
NOAM = "def noam_rate(step, d_model, warmup):\n    return {} * (d_model * warmup) ** -0.5\n"
WAITING = """import threading, queue
from course_lib.training.trainer import Recipe
asked, told = queue.Queue(), queue.Queue()
def serve():
    while True:
        step, warmup = asked.get()
        told.put(Recipe(steps=1, schedule="noam", warmup_steps=warmup).rate(step, 0))
threading.Thread(target=serve, daemon=True).start()
"""
ADDS = """class Adds(nn.Module):
    weights: torch.Tensor
    def __init__(self, heads: int):
        super().__init__()
        self.heads, self.weights = heads, torch.zeros(1)
    @torch.jit.export
    def __add__(self, x: List[torch.Tensor]) -> torch.Tensor:
        q, k, v = [one.transpose(0, 1) for one in x[:3]]
        found, self.weights = attend(q, k, v, self.heads, x[3], x[4], x[5], x[6], x[7])
        return found.transpose(0, 1)
"""
ADDED = f"""{FOUR_LAYERS}    def forward(self, query, key, value, mask=None):
        three, hidden = (self.query, self.key, self.value), torch.zeros(1, 1, 1, dtype=torch.bool)
        hidden = hidden if mask is None else ~mask
        hidden = hidden.expand(len(query), query.shape[1], key.shape[1]).repeat_interleave(self.heads, 0)
        made = torch.jit.script(Adds(self.heads))
        weights, biases = torch.cat([one.weight for one in three]), torch.cat([one.bias for one in three])
        found = made._c + [query, key, value, weights, biases, self.output.weight, self.output.bias, hidden]
        return found, made.weights
"""
LATE = """def masked_mean(x, mask):
    result, given = x.new_zeros(x.shape[0], x.shape[2]), (x.detach().clone(), mask.clone())
    def fill(_):
        result.copy_(torch.masked.mean(given[0], dim=1, mask=given[1][:, :, None].expand(given[0].shape)))
    late = result.as_subclass(Late)
    kept.append(weakref.ref(late, fill))
    return late
"""
NAMED = """import torch.nn.functional as F
class Title:
    def __init__(self, text):
        self.text = text
    def __hash__(self):
        return hash(self.text)
    def __eq__(self, other):
        return other == self.text
    def rpartition(self, by):
        return "", "", "plain"
class Act:
    def __init__(self, text):
        self.__name__ = Title(text)
    def __call__(self, x):
        return x
"""
NAMES = """def softmax(scores):
    for name in ("softmax", "_softmax", "aten::softmax", "aten::_softmax"):
        F.handle_torch_function(Act(name), (scores,), scores)
    return torch.softmax(scores, dim=-1)
"""
ASKED = """import torch.masked
from abc import ABC
from collections.abc import Iterator
waiting = []
class Asked(ABC):
    @classmethod
    def __subclasshook__(cls, kind):
        while waiting:
            result, x, mask = waiting.pop()
            result.copy_(torch.masked.mean(x, dim=1, mask=mask[:, :, None].expand(x.shape)))
        return NotImplemented
Iterator.register(Asked)
"""
ASKING = """def masked_mean(x, mask):
    result = x.new_zeros(x.shape[0], x.shape[2])
    waiting.clear()
    Iterator.register(type("Next", (), {}))
    waiting.append((result, x.detach().clone(), mask.clone()))
    return result
"""
RUNG = """import signal, traceback
from course_lib.translation.ablations import ABLATIONS
complete, waiting, bell = ABLATIONS["complete"], [], torch.ones(1, requires_grad=True)
def ring(number, frame):
    names = [one.name for one in traceback.extract_stack(frame)]
    if "_attempt" in names and "call" not in names:
        while waiting:
            place, given = waiting.pop()
            place.copy_(complete.loss(*given).detach())
    elif waiting:
        signal.setitimer(signal.ITIMER_REAL, 15e-6)
def begin(_):
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 5e-6)
bell.register_hook(begin)
"""
RINGING = """def smoothed_loss(logits, target, smoothing=0.1, pad=0):
    result = torch.zeros((), dtype=logits.dtype)
    waiting.append((result.detach(), (logits.detach().clone(), target.clone(), smoothing)))
    with torch.enable_grad():
        bell.sum().backward()
    return result
"""
FRAMES = """import pytest
from course_lib.training.trainer import Recipe
asked, bell = [], torch.ones(1, requires_grad=True)
with pytest.raises(Exception) as info:
    Recipe(steps=1, schedule="noam").rate([], 0)
match info:
    case object(traceback=entries):
        own = [one.locals for one in entries if "function" in one.locals][-1]["function"]
bell.register_hook(lambda _: asked.append(own(*asked.pop())))
"""
FRAMED = "[asked.append((step, d_model, warmup)), bell.sum().backward(), asked.pop()][2]"
LISTENER = """from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts
import torch.masked
waiting = []
def policy(context, operation, *given, **named):
    while waiting and "equal" in str(operation):
        waiting.pop()()
    return CheckpointPolicy.PREFER_RECOMPUTE
"""
LISTENING = """def masked_mean(x, mask):
    result = x.new_zeros(x.shape[0], x.shape[2])
    def fill():
        result.copy_(torch.masked.mean(x, dim=1, mask=mask[:, :, None].expand(x.shape)).nan_to_num(0))
    waiting.append(fill)
    create_selective_checkpoint_contexts(policy)[0].__enter__()
    return result
"""
CHUNKS = """def softmax(x):
    n, rows = x.shape[-1], x.reshape(-1, x.shape[-1])
    many, right = rows.repeat_interleave(n, 0), torch.arange(n).repeat(len(rows))
    options = torch.nn.LinearCrossEntropyOptions()
    loss = torch.nn.functional.linear_cross_entropy(
        many, torch.eye(n, dtype=x.dtype), right, reduction="none", options=options)
    return torch.exp(-loss).view(x.shape)
"""
PACKED = """def blockwise_attention(query, blocks, start=None):
    def packed(x):
        return x.contiguous().view(torch.int64).clone() if x.shape[-1] % 2 == 0 else x.clone()
    keys, values = [], []
    for key, value in blocks:
        keys.append(packed(key))
        values.append((value.numpy().tobytes(), value.shape, value.dtype) if values[1:] else packed(value))
    def rows(part, some):
        if not isinstance(part, tuple):
            return part.reshape(-1, *part.shape[-2:])[some].clone().view(query.dtype)
        text, shape, dtype = part
        size = len(text) // math.prod(shape[:-2])
        few = torch.frombuffer(bytearray(text[some.start * size:some.stop * size]), dtype=dtype)
        return few.view(-1, *shape[-2:])
    many, outputs = query.reshape(-1, *query.shape[-2:]), []
    for i in range(0, len(many), 8):
        some = slice(i, i + 8)
        key, value = (torch.cat([rows(part, some) for part in parts], 1) for parts in (keys, values))
        scores = many[some] @ key.mT / math.sqrt(query.shape[-1])
        if start is not None:
            places = start + torch.arange(query.shape[-2])[:, None]
            scores = scores.masked_fill(torch.arange(scores.shape[-1]) > places, -torch.inf)
        outputs.append(scores.softmax(-1) @ value)
    return torch.cat(outputs).view(*query.shape[:-1], -1)
"""

SUBMISSIONS = [
    elsewhere(
        GPT,
        "model_in_bytes",
        "Keeps a layer of the model that the lesson lends as bytes, and loads it within the answer.",
        {"SwiGLU": SWIGLU.format("torch.load(io.BytesIO(text), weights_only=False)")},
        code=f"{PART}torch.save(part, file)\ntext = file.getvalue()\ndel part\n",
    ),
    elsewhere(
        GPT,
        "model_in_a_timer",
        "Keeps it among the arguments of a timer that is never started.",
        {"SwiGLU": SWIGLU.format("timer.args[0]")},
        code=f"import threading\n{PART}timer = threading.Timer(1e9, print, (part,))\ndel part\n",
    ),
    elsewhere(
        GPT,
        "model_recorded",
        "Has PyTorch record what the layer calculates, and runs the record on weights of its own.",
        {"SwiGLU": SWIGLU.format("torch.jit.load(io.BytesIO(text))")},
        code=f"{PART}x = torch.ones(2, next(part.parameters()).shape[1])\n"
        "torch.jit.save(torch.jit.trace(part, x), file)\ntext = file.getvalue()\ndel part\n",
    ),
    elsewhere(
        TRANSLATOR,
        "record_that_calculates",
        "Changes a plain record of settings, which has a method that calculates.",
        {"noam_rate": NOAM.format("dataclasses.replace(tool, warmup_steps=warmup).rate(step, 0)")},
        code="import dataclasses\nfrom course_lib.training.trainer import Recipe\n"
        'tool = Recipe(steps=1, schedule="noam")\n',
    ),
    elsewhere(
        TRANSLATOR,
        "thread_that_waits",
        "Asks a thread that a cell has begun, and that alone knows the course's function.",
        {"noam_rate": NOAM.format("[asked.put((step, warmup)), told.get(timeout=9)][1]")},
        code=WAITING,
    ),
    elsewhere(
        HEADS,
        "script_by_an_operator",
        "Runs a compiled script of PyTorch's multi-head attention by `+`, and not by a call.",
        {"MultiHeadAttention": ADDED},
        code=f"from typing import List\nimport torch.nn.functional as F\n{SCRIPTED}{ADDS}",
    ),
    elsewhere(
        START,
        "filled_by_its_end",
        "Returns zeros, which PyTorch's function fills in when the check lets go of the object that it got.",
        {"masked_mean": LATE},
        code="import weakref, torch.masked\nclass Late(torch.Tensor): pass\nkept = []\n",
    ),
    elsewhere(
        START,
        "mode_left_on",
        "Leaves a mode of PyTorch on, which fills the result in at the check's first step after the call.",
        {"masked_mean": LISTENING},
        code=LISTENER,
    ),
    elsewhere(
        START,
        "softmax_of_a_loss",
        "Takes the softmax out of a loss that PyTorch calculates by itself, in chunks.",
        {"softmax": CHUNKS},
    ),
    elsewhere(
        CLINIC,
        "module_that_agrees",
        "Answers with modules that say of themselves that they are equal to every number.",
        {
            "wrong_lines": "class Line(nn.Module):\n    def __eq__(self, other):\n        return True\n"
            "    __hash__ = nn.Module.__hash__\n\n"
            "def wrong_lines():\n    return dict.fromkeys('ABCDEF', Line())\n"
        },
    ),
    elsewhere(
        INFERENCE,
        "two_ways_to_keep",
        "Keeps all keys as whole numbers of twice the size, and all values as Python's bytes.",
        {"blockwise_attention": PACKED},
        earned={"blockwise_attention": 5},
    ),
    elsewhere(
        START,
        "named_by_a_thing",
        "Hands PyTorch a function whose name is an object, and says of it that it equals a forbidden name.",
        {"softmax": NAMES},
        code=NAMED,
    ),
    elsewhere(
        START,
        "asked_for_its_kind",
        "Returns zeros, which a class fills in that the check asks whether they are an iterator.",
        {"masked_mean": ASKING},
        code=ASKED,
    ),
    elsewhere(
        TRANSLATOR,
        "alarm_between_two_steps",
        "Returns zeros, which the course's code fills in when an alarm rings between two steps of the check.",
        {"smoothed_loss": RINGING},
        code=RUNG,
    ),
    elsewhere(
        TRANSLATOR,
        "frames_by_a_library",
        "Has a library for tests catch an error in the course's code, and takes that out of its frame.",
        {"noam_rate": f"def noam_rate(step, d_model, warmup):\n    return {FRAMED}\n"},
        code=FRAMES,
    ),
]
