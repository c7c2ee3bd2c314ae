"""A compiled script is seen in whatever way it is called."""

import io
import operator
from functools import partial
from typing import Any

import pytest
import torch
from torch.jit.mobile import _load_for_lite_interpreter

from course_lib.grading.sandbox.scripts import scripts_seen

AUTOGRAD: Any = torch._C._autograd  # pyright knows nothing of the profiler's own functions


def _formula(x):
    return torch.exp(x) / torch.exp(x).sum()


class Adding(torch.nn.Module):
    def forward(self, x):
        return x

    @torch.jit.export
    def __add__(self, x):
        return torch.exp(x) / torch.exp(x).sum()


SCRIPT, ADDING = torch.jit.script(_formula), torch.jit.script(Adding())._c
TRACED = torch.jit.trace(_formula, torch.ones(3))
LITE = torch.jit.script(torch.nn.Softmax(dim=-1))._save_to_buffer_for_lite_interpreter()


def _again(x):
    AUTOGRAD._disable_profiler()
    with scripts_seen():
        return x


WAYS = {
    "called": SCRIPT,
    "traced": TRACED,
    "for telephones": _load_for_lite_interpreter(io.BytesIO(LITE)),
    "by an operator": lambda x: ADDING + x,
    "callbacks cleared": lambda x: AUTOGRAD._clear_callbacks() or SCRIPT(x),
    "not recorded, called from C": lambda x: list(
        map(
            operator.call,
            [
                partial(AUTOGRAD._enable_record_function, False),
                partial(SCRIPT, x),
                partial(AUTOGRAD._enable_record_function, True),
            ],
        )
    ),
    "the profiler ended": lambda x: AUTOGRAD._disable_profiler(),
    "the profiler begun again": _again,
    "another profiler": lambda x: torch.profiler.profile().__enter__().__exit__(None, None, None),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_script_is_seen(way):
    with scripts_seen() as scripts:
        way(torch.ones(3))
    assert scripts


def test_operations_and_labels_are_no_scripts():
    x = torch.ones(3, requires_grad=True)
    with scripts_seen() as scripts, torch.profiler.record_function("forward"):
        _formula(x).sum().backward()
    assert scripts == []


def test_each_place_of_a_switch_tells():
    assert torch.autograd.profiler._toggle_collection_dynamic is AUTOGRAD._toggle_collection_dynamic
