"""What a learner's code can leave on, to hear of each operation of PyTorch: modes, and hooks of what is kept.

They would run in the course's own steps too, where nobody watches.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch

_C: Any = torch._C  # pyright knows nothing of these stacks
LEFT_ON = "Your code leaves a mode or hooks of PyTorch switched on, for all that runs after it. Use a `with`."


class _Stack(NamedTuple):
    """top gives () where it is empty."""

    top: Callable[[], Sequence[Any]]
    pop: Callable[[], Any]
    push: Callable[..., None]


STACKS = (
    _Stack(
        lambda: [_C._get_function_stack_at(n - 1)] if (n := _C._len_torch_function_stack()) else (),
        lambda: _C._pop_torch_function_stack(),
        _C._push_on_torch_function_stack,
    ),
    _Stack(
        lambda: [_C._get_dispatch_stack_at(n - 1)] if (n := _C._len_torch_dispatch_stack()) else (),
        lambda: _C._pop_torch_dispatch_stack(None),
        _C._push_on_torch_dispatch_stack,
    ),
    _Stack(
        lambda: _C._autograd._top_saved_tensors_default_hooks(False) or (),
        _C._autograd._pop_saved_tensors_default_hooks,
        _C._autograd._push_saved_tensors_default_hooks,
    ),
)


def listening() -> list[tuple[int, ...]]:
    """Who is on top of each stack."""
    return [tuple(map(id, stack.top())) for stack in STACKS]


def end_others(known: Sequence[tuple[int, ...]]) -> None:
    """Takes off what is above those that are known."""
    for stack, last in zip(STACKS, known, strict=True):
        while (top := stack.top()) and tuple(map(id, top)) != last:
            stack.pop()


@contextlib.contextmanager
def unheard() -> Iterator[None]:
    """Within it nobody listens whom a session has left on."""
    taken: list[tuple[_Stack, Sequence[Any]]] = []
    for stack in STACKS:
        while top := stack.top():
            taken.append((stack, top))
            stack.pop()
    try:
        yield
    finally:
        end_others([()] * len(STACKS))
        for stack, top in reversed(taken):
            stack.push(*top)
