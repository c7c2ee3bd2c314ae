"""An answer is its author's own work: while it is observed the course's own code refuses to run.

Wherever an answer has it from: it may be kept in a box, in a file or in another thread. Probes do without it.
"""

import contextlib
import functools
import gc
import inspect
import sys
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from os import getpid
from types import FrameType, FunctionType, GeneratorType, ModuleType
from typing import Any, NoReturn

import torch

from course_lib.checks import switches
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
UNNAMED = {"__init__", "__call__", "__iter__", "__next__", "__getitem__", "__len__", "__contains__"}


class _Work:
    """is_observed: whether a part is; given: what of the course its exercise gives, by name.

    told: a sentence on what else was called. process: where it is observed; a probe may try it in copies.
    """

    is_observed = False
    given: frozenset[str] = frozenset()
    told, process = "", 0


_work = _Work()
_running: list[str] = []  # the names of the course's functions whose calls have not ended, in all threads


@contextlib.contextmanager
def own_work(given: Collection[str]) -> Iterator[None]:
    """Around a part. Raises RejectedError where the course's code was used, but for what is given."""
    if _running:  # a call that has begun is not asked again
        raise RejectedError(UNFINISHED.format(_running[-1]))
    _work.is_observed, _work.given, _work.told = True, frozenset(given), ""
    _work.process = getpid()
    try:
        yield
        if _work.told:  # who calls it may have caught what it raises
            raise RejectedError(_work.told)
    finally:
        _work.is_observed = False


def keep_from_answers(modules: Iterable[ModuleType]) -> None:
    """From now on, what these define does not run while an answer is observed, in whatever thread.

    Nor does it run while PyTorch records what is calculated: an answer could run the record.
    """
    refusing: dict[int, tuple[FunctionType, Callable[..., Any]]] = {}
    for module in modules:
        for name, value in list(vars(module).items()):
            if getattr(value, "__module__", "") != module.__name__:
                continue
            if isinstance(value, FunctionType):
                refusing[id(value)] = value, _refusing(value, name)
            elif isinstance(value, type):
                _keep_class(value)
    # Other modules have a function under names of their own, and a record may have it as a field.
    for holder in gc.get_referrers(*(function for function, _ in refusing.values())):
        if type(holder) is dict:
            for name, value in list(holder.items()):
                if id(value) in refusing:
                    holder[name] = refusing[id(value)][1]


def keep_uninterrupted() -> None:
    """From now on no answer lets something run between the steps of its observer."""
    switches.tell(_refuse_interrupt, switches.INTERRUPTS)


def _refuse_interrupt(name: str) -> None:
    if _work.is_observed and _work.process == getpid():
        _refuse(INTERRUPTING.format(name))


def _refuse(told: str) -> NoReturn:
    _work.told = told
    raise RejectedError(told)


def _keep_class(kind: type) -> None:
    for name, value in list(vars(kind).items()):
        if name.startswith("__") and name not in UNNAMED:
            continue
        if isinstance(value, FunctionType):
            setattr(kind, name, _refusing(value, kind.__name__))
        elif isinstance(value, (classmethod, staticmethod)) and isinstance(value.__func__, FunctionType):
            setattr(kind, name, type(value)(_refusing(value.__func__, kind.__name__)))
        elif isinstance(value, property) and value.fget:
            setattr(kind, name, value.getter(_refusing(value.fget, kind.__name__)))
        elif isinstance(value, functools.cached_property):
            value.func = _refusing(value.func, kind.__name__)


def _asked_for(name: str) -> bool:
    """Whether an answer calls what its exercise gives. Raises RejectedError where it calls something else."""
    if not _work.is_observed or _is_lent(sys._getframe(2)):
        return False
    if name not in _work.given:
        _refuse(BORROWED.format(name))
    return True


def _is_lent(frame: FrameType | None) -> bool:
    """Whether a call comes out of what is lent, and not of a learner's code that was called there."""
    while frame and frame.f_code is not _lend.__code__:
        if not str.startswith(frame.f_code.co_filename, (*INSTALLED, WORKSHOP)):
            return False
        frame = frame.f_back
    return frame is not None


def _run(function: Callable[..., Any], name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    _running.append(name)
    try:
        return function(*args, **named)
    finally:
        _running.pop()


def _lend(*call: Any) -> Any:
    """Its frame tells `_is_lent` where what is lent begins."""
    return _run(*call)


def _steps(made: Generator[Any, Any, Any], name: str) -> Generator[Any, Any, Any]:
    """A generator that was begun in a cell may go on in an answer: each step is a call."""
    while True:
        call = _lend if _asked_for(name) else _run
        try:
            yield call(next, name, (made,), {})
        except StopIteration as end:
            return end.value


def _refusing(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """name: by which an exercise may give it."""

    def refusing(*args: Any, **named: Any) -> Any:
        if torch._C._is_tracing():
            raise RuntimeError(RECORDED.format(name))
        call = _lend if _asked_for(name) else _run
        made = call(function, name, args, named)
        return _steps(made, name) if type(made) is GeneratorType else made

    functools.update_wrapper(refusing, function)
    del refusing.__wrapped__  # it would give the function itself
    with contextlib.suppress(ValueError, TypeError):
        refusing.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return refusing
