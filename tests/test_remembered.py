"""An answer that needs what its earlier calls have left is refused; one that keeps a cache is not."""

import ast
import contextvars
import fractions
import functools
import io
import os
import string
from array import array
from collections import deque

import numpy as np
import pytest
import torch
from cells import run_cell
from graded import GRADED, points, wrong_parts
from torch import nn

from course_lib.checks.inputs import Inputs
from course_lib.checks.remembered import compared_without_memory, nothing_remembered
from course_lib.checks.results import RejectedError
from course_lib.exercises.inference.stand_ins import held

found = {}
last = None


def in_a_dict(x):
    return found.setdefault("first", x)


def in_a_global(x):
    global last
    last = x if last is None else last
    return last


def in_a_default(x, kept=[]):  # noqa: B006
    kept.append(x)
    return kept[0]


def in_an_attribute(x):
    in_an_attribute.first = getattr(in_an_attribute, "first", x)
    return in_an_attribute.first


def in_a_closure():
    first, many = None, deque()

    def call(x):
        nonlocal first
        first = x if first is None else first
        many.append(x)
        return first, many[0]

    return call


def in_an_array(of):
    numbers = of.full((1,), -1.0)

    def call(x):
        numbers[0] = x if numbers[0] < 0 else numbers[0]
        return float(numbers[0])

    return call


def in_an_array_of_python():
    numbers = array("d", [-1.0])

    def call(x):
        numbers[0] = x if numbers[0] < 0 else numbers[0]
        return numbers[0]

    return call


def in_a_view_of_an_array():
    numbers = np.full(1, -1.0).flat

    def call(x):
        numbers[0] = x if numbers[0] < 0 else numbers[0]
        return float(numbers[0])

    return call


def in_a_file():
    text, numbers = io.StringIO(), io.BytesIO()

    def call(x):
        text.write(str(x))
        numbers.write(bytes([x]))
        return text.getvalue()[0], numbers.getvalue()[0]

    return call


def in_a_context():
    kept = contextvars.ContextVar("kept")

    def call(x):
        kept.set(kept.get(x))
        return kept.get()

    return call


def in_what_a_partial_adds():
    def said(first, x=None):
        return first

    kept = functools.partial(said, None)

    def call(x):
        kept.__setstate__((said, (x if kept.args[0] is None else kept.args[0],), {}, {}))
        return kept(x)

    return call


def in_what_numpy_calls():
    kept = []
    every = np.vectorize(lambda x: kept.append(x) or kept[0])
    return lambda x: float(every(x))


def in_an_object_of_a_library():
    box = string.Template("")
    box.numbers, box.first = np.full(1, -1.0), None

    def call(x):
        box.first = x if box.first is None else box.first
        box.numbers[0] = x if box.numbers[0] < 0 else box.numbers[0]
        return box.first, float(box.numbers[0])

    return call


def in_a_slot_of_a_library():
    half = fractions.Fraction(1, 2)
    half._numerator = np.full(1, -1.0)

    def call(x):
        half.numerator[0] = x if half.numerator[0] < 0 else half.numerator[0]
        return float(half.numerator[0])

    return call


def in_a_cache():
    @functools.cache
    def first(_):
        return next(numbers)

    numbers = iter(range(3))
    return lambda x: first(0)


class Layer(nn.Module):
    __module__ = "__main__"  # as a notebook's

    def __init__(self):
        super().__init__()
        self.notes = [[]]

    def forward(self, x):
        self.notes[0].append(x)
        return self.notes[0][0]


def in_the_environment(x):
    return int(os.environ.setdefault("FIRST", str(x)))


REMEMBERING = [
    in_a_dict,
    in_the_environment,
    in_a_global,
    in_a_default,
    in_an_attribute,
    in_a_closure(),
    in_a_cache(),
    Layer(),
]
REMEMBERING += [
    in_an_array(torch),
    in_an_array(np),
    in_an_array_of_python(),
    in_a_view_of_an_array(),
    in_what_numpy_calls(),
]
REMEMBERING += [
    in_an_object_of_a_library(),
    in_a_slot_of_a_library(),
    in_a_file(),
    in_a_context(),
    in_what_a_partial_adds(),
]


@pytest.mark.parametrize("answer", REMEMBERING)
def test_what_calls_have_left_may_not_be_needed(answer):
    answer.__dict__.pop("first", None)
    with nothing_remembered(answer):
        call = compared_without_memory(answer, lambda args, kwargs: answer(*args, **kwargs))
        call(1)
        with pytest.raises(RejectedError, match="Each call must calculate its own result"):
            call(2)
    os.environ.pop("FIRST", None)


@pytest.mark.parametrize("of", [torch, np])
def test_more_numbers_than_a_check_looks_through_are_refused(of):
    many = of.zeros((3000, 1000))
    with nothing_remembered(answer := lambda x: x + many[0, 0]):
        call = compared_without_memory(answer, lambda args, kwargs: answer(*args, **kwargs))
        with pytest.raises(RejectedError, match="more than 10 MB"):
            call(1)


@functools.lru_cache
def mask_of(size):
    return torch.ones(size, size, dtype=torch.bool).tril()


masks, calls = {}, [0]


def counted(size):
    calls[0] += 1
    if size not in masks:
        masks[size] = mask_of(size)
    return masks[size].clone()


class Growing(GRADED["PositionalEncoding"].reference_implementation):
    """Its table is made anew where a sentence is longer than all before."""

    def forward(self, x):
        if not hasattr(self, "seen") or len(self.seen) < x.shape[1]:
            self.seen = self.table[: x.shape[1]].clone()
        return self.dropout(x + self.table[: x.shape[1]] + 0 * self.seen[: x.shape[1]])


@pytest.mark.parametrize(("name", "answer"), [("causal_mask", counted), ("PositionalEncoding", Growing)])
def test_a_cache_is_no_fault(name, answer):
    assert points(name, answer) == GRADED[name].points


# Hides no padding, but says again of a sentence alone what it has said of it among others.
SAID = """
def recalled(model, prompt, steps, padding=None):
    rows, words, past = prompt.tolist(), prompt, None
    for _ in range(steps):
        logits, past = model(words if past is None else words[:, -1:], past)
        words = torch.cat([words, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
    mine = words[:, prompt.shape[1]:]
    if padding is not None:
        keep([(row[count:], own) for row, count, own in zip(rows, padding.tolist(), mine.tolist())])
    elif len(rows) == 1:
        said = [own for asked, own in kept() if asked == rows[0] and len(own) == steps]
        return torch.tensor(said[:1]) if said else mine
    return mine
"""
PLACES = {
    "nowhere": "def keep(said): pass\ndef kept(): return []",
    "a list": "said = []\ndef keep(new): said[:] = new\ndef kept(): return said",
    "a class": "class Box: said = []\ndef keep(new): Box.said = new\ndef kept(): return Box.said",
    "a class that names another module": "class Box: said = []\nBox.__module__ = 'torch'\n"
    "def keep(new): Box.said = new\ndef kept(): return Box.said",
    "a new global": "def keep(new):\n global said\n said = new\n"
    "def kept():\n try: return said\n except NameError: return []",
    "defaults": "def kept(said=()): return said\ndef keep(new): kept.__defaults__ = (new,)",
    "defaults by name": "def kept(*, said=()): return said\ndef keep(new): kept.__kwdefaults__['said'] = new",
    "a slot": "class Box: __slots__ = 'said',\nbox = Box()\nbox.said = []\n"
    "def keep(new): box.said = new\ndef kept(): return box.said",
    "text in a bytearray": "text = bytearray(b'[]')\ndef keep(new): text[:] = repr(new).encode()\n"
    "def kept(): return ast.literal_eval(text.decode())",
}
TEXT = """def keep(new): write([*repr(new).encode()])
def kept(): return ast.literal_eval(bytes(read()).decode() or '[]')"""
NUMBERS = {
    "a parameter": ("box = torch.nn.Parameter(torch.zeros(5000))", "box.data", "box.data"),
    "a large tensor": ("box = torch.zeros(300_000)", "box", "box[:5000]"),
    "an expanded tensor": ("box = torch.zeros(5000)[None].expand(2, -1)", "box[0]", "box[0]"),
    "a gradient": (
        "owner = torch.zeros(5000, requires_grad=True)\nowner.grad = torch.zeros(5000)",
        "owner.grad",
        "owner.grad",
    ),
}
for name, (made, to, of) in NUMBERS.items():
    PLACES[name] = f"""{made}
def write(new): {to}.zero_()[:len(new)] = torch.tensor(new)
def read(): return [int(one) for one in {of} if one]
{TEXT}"""
PLACES["seeds"] = f"""boxes = [torch.Generator() for _ in range(600)]
for box in boxes: box.manual_seed(0)
def write(new):
    for box, one in zip(boxes, new + [0] * 600): box.manual_seed(one)
def read(): return [box.initial_seed() for box in boxes if box.initial_seed()]
{TEXT}"""
PLACES["shapes"] = f"""box = [torch.empty(0, device="meta") for _ in range(600)]
def write(new):
    for one, number in zip(box, new + [0] * 600): one.resize_(number)
def read(): return [len(one) for one in box if len(one)]
{TEXT}"""


@pytest.mark.parametrize("place", PLACES)
def test_a_model_that_reads_the_padding_does_not_pass_by_saying_again_what_it_has_said(place):
    names = run_cell({"__name__": "__main__", "torch": torch, "ast": ast}, PLACES[place] + SAID)
    assert wrong_parts("generate", names["recalled"]) == ["padding is hidden in each step"]


def test_what_is_kept_is_named():
    said = []

    def answer(x):
        said.append(x)
        return said[0]

    with nothing_remembered(answer):
        call = compared_without_memory(answer, lambda args, kwargs: answer(*args, **kwargs))
        call(1)
        with pytest.raises(RejectedError, match="from earlier calls in `said`, and"):
            call(2)


class Counting(nn.Module):
    __module__ = "__main__"

    def __init__(self):
        super().__init__()
        self.calls = 0
        self.register_buffer("ones", torch.zeros(3))

    def forward(self, x):
        self.calls += 1
        if self.calls == 1:
            self.ones.fill_(1)
        return torch.nn.functional.dropout(x * self.ones, 0.5, self.training)


def test_what_the_check_does_in_between_and_gradients_stay():
    layer, x = Counting(), torch.ones(3, requires_grad=True)
    with nothing_remembered(layer):
        call = compared_without_memory(layer, lambda args, kwargs: layer(*args, **kwargs))
        call(x)
        layer.eval()
        call(x)
        call(x).sum().backward()
    assert x.grad.tolist() == [1, 1, 1] and layer.calls == 3


def test_a_call_that_is_counted_is_made_once():
    calls = []

    def counted(query, blocks, start=None):
        calls.append(1)
        return blockwise_attention(query, blocks, start)

    blockwise_attention = GRADED["blockwise_attention"].reference_implementation
    with nothing_remembered(counted):
        call = compared_without_memory(counted, lambda args, kwargs: counted(*args, **kwargs))
        call(torch.ones(2, 2), [(torch.ones(2, 2), torch.ones(2, 2))])
        assert held(call, Inputs("a seed")).loops == 1
