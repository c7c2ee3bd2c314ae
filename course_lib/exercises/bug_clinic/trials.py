"""Runs a test on a piece of code, and notes what it does: calls, random numbers, comparisons of floats."""

import math
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from course_lib.checks.exact import exact_arguments
from course_lib.checks.exercise import Implementation
from course_lib.checks.guard import RaisedError

EQUALITY, INEQUALITY = ("equal", "eq", "__eq__", "allclose", "isclose"), ("ne", "__ne__")


@dataclass(frozen=True)
class Call:
    """What a test passes to the code: copies from before the call. training: the mode of a module."""

    args: tuple
    kwargs: Mapping[str, Any]
    training: bool = False


@dataclass
class Trial:
    """One run of a test. drew: whether random numbers were drawn, by the test or by the code. of_code: what
    the code raised last.
    """

    error: BaseException | None = None
    of_code: BaseException | None = None
    result: Any = None
    calls: list[Call] = field(default_factory=list)
    drew: bool = False
    nan: bool = False


def nameless(code: Implementation, name: str) -> Implementation:
    """The same code under the name of the piece: how it is named in this repository tells what is wrong.

    Of a function a copy; a class itself is named anew.
    """
    if isinstance(code, type):
        code.__name__ = code.__qualname__ = name
        return code
    if not isinstance(code, FunctionType):
        return code
    copy = FunctionType(
        _renamed(code.__code__, name), code.__globals__, name, code.__defaults__, code.__closure__
    )
    copy.__kwdefaults__ = code.__kwdefaults__
    return copy


def _renamed(code: CodeType, name: str) -> CodeType:
    """With all functions in it, and without their docstrings."""
    consts = tuple(_renamed(one, name) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_name=name, co_qualname=name, co_consts=consts)


def strict(code: Implementation, misuse: Callable[[Call], str]) -> Implementation:
    """The same code, but what no right code takes is refused alike: how code fails on it says nothing."""

    def called(*args, **kwargs):
        if misuse(Call(args, kwargs)):
            raise TypeError("arguments that no right code takes")
        return code(*args, **kwargs)

    called.__name__ = called.__qualname__ = code.__name__
    return called


def tried(test: Implementation, name: str, code: Implementation, builds: bool, seed: int) -> Trial:
    """A run of the test on the code, which it gets under this name. builds: what the code makes is tested."""
    trial = Trial()
    with _seeded(seed) as drew:
        try:
            trial.result = test(_noting(name, code, builds, trial))
        except RaisedError as raised:
            trial.error = raised.error
        trial.drew = drew()
    return trial


@contextmanager
def _seeded(seed: int) -> Iterator[Callable[[], bool]]:
    """Random numbers begin at `seed`; gives a function that tells whether some have been drawn since."""
    before = random.getstate()
    torch.default_generator.manual_seed(seed)
    random.seed(seed)
    begin = _states()
    try:
        yield lambda: _states() != begin
    finally:
        random.setstate(before)


def _states() -> tuple:
    return torch.default_generator.get_state().numpy().tobytes(), random.getstate()


def _noting(name: str, code: Implementation, builds: bool, trial: Trial) -> Implementation:
    """The code under the name of the piece, so that a test has only results to go by; its calls are noted."""

    def noted(function: Implementation, args: tuple, kwargs: Mapping[str, Any], training: bool) -> Any:
        args, kwargs = exact_arguments(args, kwargs)  # a tensor of its own class could tell how it is used
        copies = tuple(map(_copied, args)), {key: _copied(value) for key, value in kwargs.items()}
        trial.calls.append(Call(*copies, training))
        try:
            result = function(*args, **kwargs)
        except BaseException as error:  # an argument may raise anything
            failed = error
        else:
            trial.nan |= _has_nan(result)
            return result
        # The frames that it comes from show variables and how the code is built.
        trial.of_code = failed
        failed.__cause__ = failed.__context__ = None
        raise failed.with_traceback(None)

    def call(*args, **kwargs):
        return noted(code, args, kwargs, False)

    call.__name__ = call.__qualname__ = name
    if not builds:
        return call
    module = code()
    return _closed(module, name, noted) if isinstance(module, nn.Module) else lambda *args, **kwargs: None


def _closed(module: nn.Module, name: str, noted: Implementation) -> nn.Module:
    """A module that does the same, with the same parameters and submodules, and shows nothing else.

    Docstring, class, methods and other attributes of the module tell how it is written, and so what is wrong.
    """

    class Closed(nn.Module):
        def forward(self, *args, **kwargs):
            # A copy, in a mode and with parameters of its own.
            shared = {key: self.__dict__[key] for key in ("training", "_parameters", "_buffers", "_modules")}
            module.__dict__.update(shared)
            return noted(module.forward, args, kwargs, self.training)

    Closed.__name__ = Closed.__qualname__ = name
    closed = Closed()
    closed.__dict__.update({key: module.__dict__[key] for key in ("_parameters", "_buffers", "_modules")})
    return closed


def undropped(build: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
    """The same module without dropout."""

    def built() -> nn.Module:
        module = build()
        for inner in module.modules():
            if isinstance(inner, nn.Dropout):
                inner.p = 0.0
        return module

    return built


class Rounding(TorchFunctionMode):
    """Within it, notes whether floats are compared that differ by rounding, and found different: `seen`."""

    def __init__(self):
        super().__init__()
        self.seen = False

    def __torch_function__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        name = getattr(function, "__name__", "")
        if name in EQUALITY + INEQUALITY and len(args) > 1:
            with torch._C.DisableTorchFunction():
                found = torch.as_tensor(result)
                different = found.any() if name in INEQUALITY else not found.all()
                self.seen |= bool(different) and _nearly_equal(*args[:2])
        return result


def _nearly_equal(one: Any, other: Any) -> bool:
    """Whether these are floats that differ by rounding alone."""
    try:
        a, b = (torch.as_tensor(value).detach() for value in (one, other))
        if not (a.is_floating_point() or b.is_floating_point()):
            return False
        return torch.allclose(a.double(), b.double(), rtol=1e-4, atol=1e-5)
    except (RuntimeError, TypeError, ValueError):  # shapes that do not fit, or no numbers
        return False


def _copied(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    return type(value)(map(_copied, value)) if type(value) is list or type(value) is tuple else value


def _has_nan(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return value.is_floating_point() and bool(value.isnan().any())
    return isinstance(value, (list, tuple)) and any(map(_has_nan, value))


def after(code: Implementation, call: Call) -> tuple[Any, list]:
    """What the code gives for these arguments, and what it leaves of them."""
    args, kwargs = tuple(map(_copied, call.args)), dict(call.kwargs)
    try:
        result = code(*args, **kwargs)
    except Exception as error:
        result = type(error)
    return result, [value for value in args if isinstance(value, torch.Tensor)]


def same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        close = torch.allclose if one.is_floating_point() and other.is_floating_point() else torch.equal
        options = {"rtol": 1e-4, "atol": 1e-5, "equal_nan": True} if close is torch.allclose else {}
        return one.shape == other.shape and close(one.detach(), other.detach(), **options)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-4, abs_tol=1e-5)
    return type(one) is type(other) and one == other
