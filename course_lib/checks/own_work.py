"""An answer is its author's own work: while it is observed the course's own code refuses to run.

Wherever an answer has it from: it may be kept in a box, in a file or in another thread. Probes do without it.
"""

import contextlib
import gc
import inspect
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from functools import partial
from os import getpid
from types import CodeType, FunctionType, GeneratorType
from typing import Any, NoReturn

import torch

from course_lib.checks import switches
from course_lib.checks.codes import place_of, standing_in
from course_lib.checks.exact import exact_arguments
from course_lib.checks.reach import Reach, Unit, unit_of
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
    """is_observed: whether an exercise is; is_part: whether a part of it is.

    reach: of the course's functions. lent: what of it the exercise gives. told: a sentence on what else was
    called. process: where it is observed; a probe may try it in copies.
    """

    is_observed, is_part = False, False
    reach, lent = Reach(()), frozenset[Unit]()
    told, process = "", 0


_work = _Work()
ORIGINALS: dict[int, tuple[FunctionType, Unit]] = {}  # those of the course, by the ids of their codes
_running: list[str] = []  # the names of the course's functions whose calls have not ended, in all threads


@contextlib.contextmanager
def own_work(given: Collection[str]) -> Iterator[None]:
    """Around a part. given: names. Raises RejectedError where other code of the course was used."""
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
    _work.is_observed, _work.lent, _work.process = True, _work.reach.of(given), getpid()
    try:
        yield
    finally:
        _work.is_observed = before


def not_given(codes: Iterable[CodeType], given: Collection[str]) -> list[str]:
    """Names of the course's functions among these that an exercise does not give, whoever has run them."""
    units = [ORIGINALS[id(code)][1] for code in codes if id(code) in ORIGINALS]
    lent = _work.reach.of(given) if units else frozenset()
    return [unit[1] for unit in units if unit not in lent]


def keep_from_answers(folder: str, but_for: tuple[str, ...]) -> None:
    """From now on no function in memory whose code is in a file of this folder runs in an answer.

    Whoever has it: the function stays, and gets another code, which asks. but_for: beginnings of files.
    Nor does it run while PyTorch records what is calculated: an answer could run the record.
    """
    kept = []
    for function in [one for one in gc.get_objects() if type(one) is FunctionType]:
        file, name, _ = place_of(function.__code__)
        is_ours = file.startswith(folder) and not file.startswith(but_for)
        if is_ours and (name in UNNAMED or not name.startswith("__")):
            kept.append(function)
    _work.reach = Reach(kept)
    for function in kept:
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


def _run(function: Callable[..., Any], unit: Unit, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Raises RejectedError in an answer whose exercise gives neither it nor anything that calls it."""
    if _work.is_observed and unit not in _work.lent:
        _refuse(BORROWED.format(unit[1]))
    _running.append(unit[1])
    try:
        return function(*args, **named)
    finally:
        _running.pop()


def _steps(made: GeneratorType, unit: Unit) -> Generator[Any, Any, Any]:
    """A generator that was begun in a cell may go on in an answer: each step is a call."""
    step = partial(next, made)
    while True:
        try:
            value = _run(step, unit, (), {})
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
    ORIGINALS[id(code)] = itself, unit_of(code)
    # Who reads the code's constants finds a number, and what asks.
    function.__code__ = standing_in(code, _asks, partial(_called, id(code)))


def _asks(*args: Any, **named: Any) -> Any:
    return "<value>".__call__(args, named)  # type: ignore[attr-defined]


def _called(number: int, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    function, unit = ORIGINALS[number]
    if torch._C._is_tracing():
        raise RuntimeError(RECORDED.format(unit[1]))
    if _work.is_part:
        args, named = exact_arguments(args, named)
    made = _run(function, unit, args, named)
    return _steps(made, unit) if type(made) is GeneratorType else made
