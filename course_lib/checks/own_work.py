"""An answer is its author's own work: while it is observed the course's own code refuses to run.

Wherever an answer has it from: it may be kept in a box, in a file or in another thread. Probes do without it.
"""

import contextlib
import gc
import inspect
import sys
from collections.abc import Callable, Collection, Generator, Iterator
from functools import partial
from os import getpid
from types import FrameType, FunctionType, GeneratorType
from typing import Any, NoReturn

import torch

from course_lib.checks import switches
from course_lib.checks.codes import place_of, standing_in
from course_lib.checks.definitions import INSTALLED, WORKSHOP
from course_lib.checks.results import RejectedError

BORROWED = (
    "Your code uses `{0}` of the course or of another library, which may do the whole exercise. Write your "
    "answer with Python, torch and the pieces that you have built."
)
UNFINISHED = "A call of the course's `{0}` has not ended, in a thread, say. Let it end before the check."
INTERRUPTING = "Your code calls `{0}`, so that something may run at any time. An answer does not need that."
RECORDED = "`{0}` of the course is not recorded while work is graded"
# Of a class, what runs without its name being called.
NOT_NAMED = "__", "<"  # beginnings of names that nobody writes who calls: of operators, and of a lambda
UNNAMED = {"__init__", "__call__", "__iter__", "__next__", "__getitem__", "__len__", "__contains__"}


class _Work:
    """is_observed: whether an exercise is; is_part: whether a part of it is.

    given: what of the course it gives, by name. told: a sentence on what else was called. process: where it
    is observed; a probe may try it in copies.
    """

    is_observed, is_part = False, False
    given: frozenset[str] = frozenset()
    told, process = "", 0


_work = _Work()
_running: list[str] = []  # the names of the course's functions whose calls have not ended, in all threads


@contextlib.contextmanager
def own_work(given: Collection[str]) -> Iterator[None]:
    """Around a part. Raises RejectedError where the course's code was used, but for what is given."""
    if _running:  # a call that has begun is not asked again
        raise RejectedError(UNFINISHED.format(_running[-1]))
    with observed(given):
        _work.told, _work.is_part = "", True
        try:
            yield
        finally:
            _work.is_part = False
        if _work.told:  # who calls it may have caught what it raises
            raise RejectedError(_work.told)


@contextlib.contextmanager
def observed(given: Collection[str]) -> Iterator[None]:
    """Around all parts, for what runs between two of them: whoever calls the course's code is refused it."""
    before = _work.is_observed
    _work.is_observed, _work.given, _work.process = True, frozenset(given), getpid()
    try:
        yield
    finally:
        _work.is_observed = before


def keep_from_answers(folder: str, but_for: tuple[str, ...]) -> None:
    """From now on no function in memory whose code is in a file of this folder runs in an answer.

    Whoever has it: the function stays, and gets another code, which asks. but_for: beginnings of files.
    Nor does it run while PyTorch records what is calculated: an answer could run the record.
    """
    for function in [one for one in gc.get_objects() if type(one) is FunctionType]:
        file, name, _ = place_of(function.__code__)
        is_ours = file.startswith(folder) and not file.startswith(but_for)
        if is_ours and (name in UNNAMED or not name.startswith("__")):
            _keep(function)


def keep_uninterrupted() -> None:
    """From now on no answer lets something run between the steps of its observer."""
    switches.tell(_refuse_interrupt, switches.INTERRUPTS)


def _refuse_interrupt(name: str) -> None:
    if _work.is_part and _work.process == getpid():
        _refuse(INTERRUPTING.format(name))


def _refuse(told: str) -> NoReturn:
    _work.told = told
    raise RejectedError(told)


def _asked_for(name: str, function: str, caller: FrameType | None) -> bool:
    """Whether an answer calls what its exercise gives. Raises RejectedError where it calls something else.

    name: by which an exercise gives it; function: its own.
    """
    if not _work.is_observed or _is_lent(caller, {name, function}, function.startswith(NOT_NAMED)):
        return False
    if name not in _work.given:
        _refuse(BORROWED.format(name))
    return True


def _is_lent(frame: FrameType | None, names: set[str], is_named: bool) -> bool:
    """Whether a call comes out of what is lent, and not of a learner's code that was called there.

    Such code may be made of C alone, and have no frame. But what calls a function by its name names it.
    """
    while frame and frame.f_code is not _lend.__code__:
        code = frame.f_code
        is_ours = str.startswith(code.co_filename, WORKSHOP)
        if not is_ours and not str.startswith(code.co_filename, INSTALLED):
            return False
        is_named |= not names.isdisjoint(code.co_names)
        if is_ours and not is_named:
            return False
        frame = frame.f_back
    return frame is not None and is_named


def _run(function: Callable[..., Any], name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    _running.append(name)
    try:
        return function(*args, **named)
    finally:
        _running.pop()


def _lend(*call: Any) -> Any:
    """Its frame tells `_is_lent` where what is lent begins."""
    return _run(*call)


def _steps(made: GeneratorType, name: str) -> Generator[Any, Any, Any]:
    """A generator that was begun in a cell may go on in an answer: each step is a call."""
    step = partial(next, made)
    while True:
        run = _lend if _asked_for(name, made.gi_code.co_name, sys._getframe(1)) else _run
        try:
            value = run(step, name, (), {})
        except StopIteration as end:
            return end.value
        try:
            step = partial(made.send, (yield value))
        except GeneratorExit:
            made.close()
            raise
        except BaseException as error:
            step = partial(made.throw, error)


def _keep(function: FunctionType) -> None:
    code, around = function.__code__, (function.__globals__, function.__name__, function.__defaults__)
    itself = FunctionType(code, *around, function.__closure__)
    itself.__kwdefaults__ = function.__kwdefaults__
    with contextlib.suppress(ValueError, TypeError):
        function.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    function.__code__ = standing_in(code, _asks, _Kept(itself, code.co_qualname.partition(".")[0]))


def _asks(*args: Any, **named: Any) -> Any:
    return "<value>".call(args, named)  # type: ignore[attr-defined]


class _Kept:
    """A function of the course. name: by which an exercise may give it; of a method, its class."""

    def __init__(self, function: FunctionType, name: str):
        self.function, self.name = function, name

    def call(self, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        if torch._C._is_tracing():
            raise RuntimeError(RECORDED.format(self.name))
        run = _lend if _asked_for(self.name, self.function.__name__, sys._getframe(2)) else _run
        made = run(self.function, self.name, args, named)
        return _steps(made, self.name) if type(made) is GeneratorType else made
