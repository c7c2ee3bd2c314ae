"""What is around an answer while it runs: torch as it begins, and no prints."""

import builtins
import contextlib
import io
import random
import warnings
from collections.abc import Iterator
from typing import Any, NoReturn
from unittest import mock

import torch
from torch import nn

from course_lib.checks.listeners import LEFT_ON, end_others, listening, unheard
from course_lib.checks.results import RejectedError

NO_INPUT = "`input()` cannot be used in a check. Use the arguments."
GRADIENTS = (
    "Your code leaves gradients switched off, or on, for all that runs after it. Use `with torch.no_grad():` "
    "around the lines that need none, or the decorator `@torch.no_grad()`."
)
DATA_TYPE = (
    "Your code changes PyTorch's default data type for all that runs after it. Write `dtype=` where you make "
    "a tensor."
)
Draws = tuple[torch.Tensor, tuple[Any, ...]]  # the states of torch's generator and of Python's


def draws() -> Draws:
    """How far torch's generator and Python's own have come."""
    return torch.get_rng_state(), random.getstate()


def draw_again_from(drawn: Draws) -> None:
    """What was drawn at random since then will be drawn once more."""
    torch.set_rng_state(drawn[0])
    random.setstate(drawn[1])


@contextlib.contextmanager
def as_torch_begins() -> Iterator[None]:
    """float32 on the CPU with gradients, whatever the session has set; it draws no random numbers of it."""
    drawn = random.getstate()
    dtype, elsewhere = torch.get_default_dtype(), torch.get_default_device().type != "cpu"
    torch.set_default_dtype(torch.float32)
    try:
        place = torch.device("cpu") if elsewhere else contextlib.nullcontext()
        with unheard(), torch.enable_grad(), torch.random.fork_rng(devices=[]), place:
            yield
    finally:
        random.setstate(drawn)
        torch.set_default_dtype(dtype)


@contextlib.contextmanager
def settings_kept() -> Iterator[None]:
    """Raises RejectedError where PyTorch is set otherwise at its end; it is set back in any case."""
    gradients, dtype, listeners = torch.is_grad_enabled(), torch.get_default_dtype(), listening()
    try:
        yield
        if listening() != listeners:
            raise RejectedError(LEFT_ON)
        if torch.is_grad_enabled() != gradients:
            raise RejectedError(GRADIENTS)
        if torch.get_default_dtype() != dtype:
            raise RejectedError(DATA_TYPE)
    finally:
        end_others(listeners)
        torch.set_grad_enabled(gradients)
        if torch.get_default_dtype() != dtype:  # to set it takes longer than to look
            torch.set_default_dtype(dtype)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep prints and warnings of an answer out of the notebook: a line on stderr would cost all points.

    `input()` is refused too: a learner who waits for a result would not know that it is asking.
    """
    asking = mock.patch.object(builtins, "input", _no_input)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), asking:
        warnings.simplefilter("ignore")
        with contextlib.redirect_stderr(io.StringIO()):
            yield


def _no_input(*_) -> NoReturn:
    raise RejectedError(NO_INPUT)


@contextlib.contextmanager
def evaluating(module: nn.Module) -> Iterator[None]:
    """In evaluation mode; at the end each part of it is as it was."""
    training = [part for part in module.modules() if part.training]
    module.eval()
    try:
        yield
    finally:
        for part in training:
            part.training = True
