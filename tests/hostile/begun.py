"""Calls that began before the check, and code of the course that nobody thought of as an answer."""

from hostile.submission import elsewhere

START, WORDS, TRANSLATOR = "00_start_here", "01_embedding", "07_translator"
CLINIC, GPT = "09_bug_clinic", "12_gpt"
# Within a tensor's hook the audit does not follow a name to an answer.
RUNG = """waiting = []

def later(gradient):
    one = waiting.pop()
    one["made"] = {}

bell = torch.ones(1, requires_grad=True)
bell.register_hook(later)
"""
RING = """    waiting.append(one)
    with torch.enable_grad():
        bell.sum().backward()
"""
# A call of PyTorch's function that stops in an object of the learner's, in a stack of its own.
STOPPED = """import greenlet
import torch.nn.functional as F

class Late:
    def dim(self):
        self.x = self.back.switch()
        return self.x.dim()
    def numel(self): return self.x.numel()
    def mul(self, other): return self.x * self.x
    def size(self, *place): return self.x.size(*place)
    def __truediv__(self, other): return self.x / other

def begin():
    box = Late()
    def work():
        box.made = F.local_response_norm(box, 20001, 1.0, 0.5, 1.0)
    box.back, box.task = greenlet.getcurrent(), greenlet.greenlet(work)
    box.task.switch()
    return box

def end(x):
    box = pool.pop()
    box.back = box.task.parent = greenlet.getcurrent()
    box.task.switch(x)
    return box.made

pool = [begin() for _ in range(500)]
"""
GOING_ON = f"""def rms_norm(x, gain, eps=1e-5):
    scale = (20001 / x.shape[-1] / max(eps, 1e-12)) ** 0.5
    one = {{"given": (x.double() * scale).reshape(-1, x.shape[-1], 1)}}
{RING}    return gain * (one["made"].reshape(x.shape) / scale / max(eps, 1e-12) ** 0.5).to(x.dtype)
"""
DRAWN = f"""import re
def skipgram_pairs(tokens, window=2):
    one = {{"given": ([f"w{{i}}" for i in range(len(tokens))], window)}}
{RING}    found = re.findall(r"w(\\d+): ([^.]*)\\.", one["made"]) if tokens else []
    return [
        (tokens[int(center)], tokens[int(other)])
        for center, others in found for other in re.findall(r"w(\\d+)", others)
    ]
"""
DEFAULT = """import inspect
from course_lib.translation.continuation import train_continuation
right = inspect.signature(train_continuation).parameters["targets"].default
"""
# What the exercise gives asks a list of the learner's own how long it is, and there the rest is called.
ASKING = """from types import SimpleNamespace as Record
from course_lib.text import pad_batch
from course_lib.translation.translator import Translator

class Words:
    def __len__(self): return 12
    def encode(self, words, eos=True): return list(words)
    def decode(self, ids): return ids

class Adapter:
    training, full = False, None
    def __init__(self, model, source, most):
        self.model, self.source, self.output = model, source, Record(weight=torch.zeros(1))
        self.config = Record(source_vocab=12, target_vocab=12, max_length=most + 1, decoder_layers=1)
    def eval(self): return self
    def train(self, mode=True): return self
    def encode(self, source, mask): return torch.arange(len(source)), None
    def decode(self, new, memory, mask, cache=None):
        full = torch.full((len(self.source), new.shape[1]), 2)
        if self.full is not None:
            full[:, : self.full.shape[1]] = self.full
        full[memory] = new
        self.full = full
        return self.model(self.source, full)[memory], None, None

class Sly(list):
    def __len__(self):
        while asked:
            model, source, most = asked.pop()
            made = Translator(Adapter(model, source, most), Words(), Words())
            told.append(torch.tensor(made.translate([[5] * most] * len(source))))
        return 0

def answer(given):
    asked.append(given)
    try:
        pad_batch(Sly())
    except ValueError:
        pass
    return told.pop()

asked, told = [], []
"""
DECODED = f"""def greedy_decode(model, source, max_length=30):
    if not max_length:
        return torch.zeros(len(source), 0, dtype=torch.long)
    one = {{"given": (model, source, max_length)}}
{RING}    return one["made"]
"""
# The same without a frame of the learner's: what asks for the length is made of C alone.
OF_C = (
    ASKING.split("class Sly")[0]
    + """import operator
from functools import partial

def answer(given):
    model, source, most = given
    made, box = object.__new__(Translator), [None]
    made.model, made.source_words, made.target_words = Adapter(*given), Words(), Words()
    call = partial(made.translate, [[5] * most] * len(source))
    steps = map(operator.not_, map(partial(operator.setitem, box, 0), map(operator.call, [call])))
    class Sly(list):
        __len__ = partial(next, steps)
    try:
        pad_batch(Sly([[1]]))
    except (ValueError, StopIteration):
        pass
    return torch.tensor(box[0])
"""
)
# A module of the learner's whose file's name begins as a library's.
DETOUR = """import os, pathlib, sys
pathlib.Path("line.py").write_text('''import pytest
class Lines(dict):
    def get(self, key, default=None):
        return pytest.approx(2, abs=9)
''')
there = os.path.dirname(os.path.dirname(torch.__file__))
sys.path.insert(0, there + "/.." * there.count("/") + os.getcwd())
from line import Lines
"""
MAPPED = """def rms_norm(x, gain, eps=1e-5):
    return torch.vmap(lambda one: torch.rms_norm(one, gain.shape, gain, eps))(x[None])[0]
"""
CONTINUED = f"""def continuation_targets(ids):
    one = {{"given": ids}}
{RING}    return one["made"]
"""
RUNG_LINES = f"""def wrong_lines():
    one = {{}}
{RING}    return one["made"]
"""
BAGS = """def masked_mean(x, mask):
    batch, seq, d = x.shape
    ids = torch.where(mask, torch.arange(batch * seq).view(batch, seq), batch * seq)
    table = torch.cat([x.reshape(-1, d), x.new_zeros(1, d)])
    places = ids.flatten(), torch.arange(batch) * seq
    return boxed._embedding_bag_forward_only(table, *places, False, 1, False, None, False, batch * seq)[0]
"""
SUBMISSIONS = [
    elsewhere(
        GPT,
        "call_that_goes_on",
        "Begins calls of PyTorch's normalization in a cell, each in a stack of its own, and ends them later.",
        {"rms_norm": GOING_ON},
        code=STOPPED + RUNG.format('end(one["given"])'),
    ),
    elsewhere(
        WORDS,
        "read_off_a_drawing",
        "Has the course draw a window over the sentence, and reads the pairs in what is told of the drawing.",
        {"skipgram_pairs": DRAWN},
        code="from course_lib.plots.diagrams import sliding_window\n"
        + RUNG.format('sliding_window(*one["given"]).alt'),
    ),
    elsewhere(
        GPT,
        "default_of_a_function",
        "Takes the course's function out of the default of an argument of another one.",
        {"continuation_targets": CONTINUED},
        code=DEFAULT + RUNG.format('right(one["given"])'),
    ),
    elsewhere(
        TRANSLATOR,
        "asked_within_what_is_lent",
        "Calls a function that the exercise gives on a list of its own, which calls the course's decoding.",
        {"greedy_decode": DECODED},
        code=ASKING + RUNG.format('answer(one["given"])'),
    ),
    elsewhere(
        GPT,
        "recorded_by_proxies",
        "Has PyTorch record a function of the course as a graph, and runs the graph.",
        {"continuation_targets": CONTINUED},
        code=DEFAULT
        + "graph = [torch][0].fx.symbolic_trace(lambda ids: right(ids))\n"
        + RUNG.format('graph(one["given"])'),
    ),
    elsewhere(
        TRANSLATOR,
        "asked_by_c_alone",
        "Calls what the exercise gives on a list whose length functions of C compute: no frame is its own.",
        {"greedy_decode": DECODED},
        code=OF_C + RUNG.format('answer(one["given"])'),
    ),
    elsewhere(
        CLINIC,
        "library_by_a_detour",
        "Imports a module by a path that goes into a library and up again, and answers with its dict.",
        {"wrong_lines": RUNG_LINES},
        code=DETOUR + RUNG.format('Lines(dict.fromkeys("ABCDEF", 9))'),
    ),
    elsewhere(
        GPT,
        "mapped_over",
        "Calls PyTorch's normalization within `torch.vmap`, which takes it apart.",
        {"rms_norm": MAPPED},
    ),
    elsewhere(
        START,
        "another_ending",
        "Calls PyTorch's mean over bags by the name of an operation that ends otherwise.",
        {"masked_mean": BAGS},
        code="boxed = [torch][0]\n",
    ),
]
