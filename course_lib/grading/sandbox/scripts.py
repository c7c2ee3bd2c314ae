"""Tells whether a compiled script of PyTorch has run, in whatever way it was called.

What is disabled (checks/disabled.py) does not run in a script, either. But PyTorch may have fused a script to
something that it does not look up, and whose code that was is lost.
"""

import contextlib
import secrets
from collections.abc import Callable, Iterator
from typing import Any

import torch

from course_lib.checks import switches
from course_lib.checks.disabled import COMPILED, FOR_GOOD
from course_lib.checks.results import RejectedError

AUTOGRAD: Any = torch.autograd  # pyright knows nothing of the profiler's own functions
PROFILER: Any = getattr(torch._C, "_profiler")  # noqa: B009
TENSOR_EXPRESSIONS: Any = getattr(torch._C, "_te")  # noqa: B009
SCOPES = PROFILER.RecordScope.__members__
FUSED = "prim::MKLDNN"
GETTING = "_jit_get_operation", "_get_operation_overload"
KERNELS = {"_dispatch_get_computed_kernel_for_dispatch_key"}
ON_GRAPHS = "_jit_pass_", "_jit_run_", "_jit_interpret_", "_jit_shape_compute_", "_freeze_module"
MARKS = "USER_SCOPE"  # what anybody may write between
ASKED_FOR = {scope for name, scope in SCOPES.items() if name not in ("FUNCTION", "BACKWARD_FUNCTION")}
ACTIVITIES = {AUTOGRAD.ProfilerActivity.CPU}

_switched: list[str] = []  # by which functions the profiler was switched off


@contextlib.contextmanager
def scripts_seen() -> Iterator[list[str]]:
    """At the end, the names of scripts that have run, and of what has kept the profiler from telling.

    It is asked for scripts alone, and so costs nothing for operations.
    """
    names: list[str] = []
    mark = secrets.token_hex(8)  # who ends the profiler and begins it again has lost it
    config = AUTOGRAD.ProfilerConfig(
        AUTOGRAD.ProfilerState.KINETO, *[False] * 5, PROFILER._ExperimentalConfig()
    )
    AUTOGRAD._prepare_profiler(config, ACTIVITIES)
    AUTOGRAD._enable_profiler(config, ACTIVITIES, ASKED_FOR)
    with torch.autograd.profiler.record_function(mark):
        pass
    _switched.clear()
    yield names
    told = [(event.name(), event.scope()) for event in _end_profiler().events()]
    names += _switched
    names += [name for name, scope in told if scope != int(SCOPES[MARKS])]
    names += [] if any(name == mark for name, _ in told) else ["the profiler's end"]


def forget_what_tells_nobody() -> None:
    """PyTorch has ways to calculate that neither its dispatcher nor its profiler hears of.

    An interpreter for graphs, operations for them, kernels that one can keep, and what folds constants: a
    graph that a cell has recorded would be run by that in an answer.
    """
    for kind in [one for one in vars(TENSOR_EXPRESSIONS) if not one.startswith("__")]:
        delattr(TENSOR_EXPRESSIONS, kind)
    inner: Any = torch._C
    for name in KERNELS & vars(inner).keys():
        delattr(inner, name)
    for name in GETTING:
        setattr(inner, name, _without_fused(getattr(inner, name)))
    for name in [one for one in vars(inner) if one.startswith(ON_GRAPHS)]:
        setattr(inner, name, _in_cells_alone(getattr(inner, name)))


def _without_fused(get: Callable[..., Any]) -> Callable[..., Any]:
    def get_operation(name: str, *overload: str) -> Any:
        if str.startswith(name, FUSED):
            raise RuntimeError(f"{name} is not at hand while work is graded")
        return get(name, *overload)

    return get_operation


def _in_cells_alone(change: Callable[..., Any]) -> Callable[..., Any]:
    def change_graph(*args: Any, **named: Any) -> Any:
        if FOR_GOOD:
            raise RejectedError(COMPILED)
        return change(*args, **named)

    return change_graph


_end_profiler = AUTOGRAD._disable_profiler
switches.tell(_switched.append, switches.OF_PYTORCH)
