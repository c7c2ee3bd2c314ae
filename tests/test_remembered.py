"""An answer that needs what its earlier calls have left is refused; one that keeps a cache is not."""

import functools
from collections import deque

import numpy as np
import pytest
import torch
from graded import GRADED, points, wrong_parts
from torch import nn

from course_lib.checks.remembered import nothing_remembered, without_memory
from course_lib.checks.results import RejectedError

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


REMEMBERING = [in_a_dict, in_a_global, in_a_default, in_an_attribute, in_a_closure(), in_a_cache(), Layer()]
REMEMBERING += [in_an_array(torch), in_an_array(np)]


@pytest.mark.parametrize("answer", REMEMBERING)
def test_what_calls_have_left_may_not_be_needed(answer):
    answer.__dict__.pop("first", None)
    with nothing_remembered(answer):
        call = without_memory(answer, lambda args, kwargs: answer(*args, **kwargs))
        call(1)
        with pytest.raises(RejectedError, match="from the arguments of that call alone"):
            call(2)


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


written = []


def recalled(model, prompt, steps, padding=None):
    """Hides no padding, but says again of a sentence alone what it has said of it among others."""
    words = GRADED["generate"].reference_implementation(model, prompt, steps)
    if padding is not None:
        rows = zip(prompt.tolist(), padding.tolist(), words, strict=True)
        written[:] = [(row[count:], own) for row, count, own in rows]
    elif len(prompt) == 1:
        said = [own for asked, own in written if asked == prompt[0].tolist() and len(own) == steps]
        return said[0][None].clone() if said else words
    return words


def test_a_model_that_reads_the_padding_does_not_pass_by_saying_again_what_it_has_said():
    assert any("padding" in part for part in wrong_parts("generate", recalled))
