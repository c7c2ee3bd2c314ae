"""Calls an answer and watches it: what it raises, and whether it changes anything."""

import contextlib
import dis
import inspect
import sys
import sysconfig
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn

from course_lib.checks.arguments import Earlier, Given, as_it_is, copies
from course_lib.checks.as_installed import refuse_changes
from course_lib.checks.exact import exact
from course_lib.checks.exercise import Implementation
from course_lib.checks.model_parts import Methods
from course_lib.checks.other_numbers import call_with_other_numbers
from course_lib.checks.remembered import compared_without_memory
from course_lib.checks.results import RejectedError, checked, same
from course_lib.checks.surroundings import Draws, draw_again_from, draws, settings_kept

TWICE = "Two calls with the same arguments give different results: "
RANDOM = TWICE + "something in your code is random."
CHANGES = TWICE + "the first changes something that the second uses, as `x *= y` or a counter does."
GRADIENTS = (
    "Your function gives another result where gradients are computed than where they are not. Whether they "
    "are computed must not change the result."
)
MODES = (
    "In evaluation mode (after `.eval()`) your layer gives another result than in training mode, but here "
    "nothing may depend on the mode."
)
NOT_YOURS = (
    *(str(Path(__file__).parents[1] / package) for package in ("checks", "exercises")),
    *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")),
)
Take = Callable[[Any], Any]


def as_given(result: Any) -> Any:
    return result


class RaisedError(Exception):
    """An answer raised; `error` is what it raised."""

    def __init__(self, error: BaseException):
        self.error = error


def watched(
    function: Implementation,
    signature: inspect.Signature,
    returns: tuple[str, ...],
    own: inspect.Signature | None = None,
    repeatable: bool = True,
    slips: list[str] | None = None,
    begin: Callable[[Sequence, dict], Earlier] | None = None,
) -> Implementation:
    """The function, its results checked against `returns`, its arguments watched, its first call repeated.

    Before the first call there are some with other numbers: what an answer keeps of them shows in all that
    follows. No call may change what the one before it gave.
    signature: the expected one, without self; own: the function's, where Python cannot tell it.
    repeatable: False where a call is meant to change something: each is made once.
    slips: gets a sentence where numbers come as a list or an array: they are made a tensor. It gets one too
      where a call changes a list, dict or set that it was given, unless that is what calls are meant to do.
    begin: makes the calls before the first, in place of `call_with_other_numbers`.

    Its calls give copies, of the same graph. Its `itself()` gives what its last call gave, as it is.
    """
    first, last = repeatable, None
    begin = begin or partial(call_with_other_numbers, function)
    slips = [] if slips is None else slips
    anew = partial(called_again, function, returns)

    def call(*args, **kwargs):
        nonlocal first, last, own

        def given() -> tuple[Sequence, dict]:
            return copies(args, kwargs) if repeatable else (args, kwargs)

        def again() -> Any:
            return anew(*given())

        methods = [Methods(one) for one in (*args, *kwargs.values())]
        earlier = begin(*given()) if first else (last, as_it_is(last))
        if first and own is None:
            own = _signature_of(function)
        drawn = draws() if first else None
        take = partial(_taken, returns, slips)
        last = call_watched(
            *(function, signature, *given(), slips if repeatable else None, own, earlier, take)
        )
        for one in methods:
            one.refuse_replaced()
        first = False
        # A probe has a copy, of the same graph: a later call could write into what an earlier one gave.
        kept = as_it_is(last, torch.clone) if repeatable else last
        # The same arguments again should give the same, and whether there are gradients is no matter.
        if drawn and not same(kept, again()):
            raise RejectedError(why_another(kept, again, drawn))
        if drawn and _gradients_matter(kept, anew, args, kwargs):
            raise RejectedError(GRADIENTS if same(kept, again()) else why_another(kept, again, drawn))
        return kept

    asked = compared_without_memory(call, anew) if repeatable else call
    asked.itself = lambda: last  # pyright: ignore[reportFunctionMemberAccess]
    return asked


def call_watched(
    function: Implementation,
    signature: inspect.Signature | None,
    args: Sequence,
    kwargs: dict,
    slips: list[str] | None,
    own: inspect.Signature | None = None,
    earlier: Earlier = (None, None),
    take: Take = as_given,
) -> Any:
    """What is taken of what the call gives; refused where it writes into a tensor that it is given.

    slips: gets a sentence for each list, dict and set that the call changes; None: it may. It gets one, too,
      where the call changes what calls before it gave.
    Raises as call_answer does.
    """
    given = Given(signature or function, args, kwargs, earlier)
    try:
        result = call_answer(function, signature, args, kwargs, own, take)
    except RejectedError:
        given.refuse_written()  # first of all
        raise
    given.refuse_written()
    if slips is not None:
        slips.extend(given.changed())
    return result


def called_again(function: Implementation, returns: tuple[str, ...], args: Sequence, kwargs: dict) -> Any:
    """What another call gives, of an answer whose first call was watched."""
    return call_answer(function, None, args, kwargs, take=partial(_taken, returns, []))


def _gradients_matter(
    result: Any, call: Callable[[Sequence, dict], Any], args: Sequence, kwargs: dict
) -> bool:
    """Whether a call gives another result where gradients are asked for, or where none are computed.

    One that raises says nothing: a part of its own asks for gradients.
    """
    if not any(torch.is_tensor(value) and value.is_floating_point() for value in (*args, *kwargs.values())):
        return False

    alike = partial(same, tolerance=1e-4)  # what is nearer than that has its slopes compared

    def call_with(change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
        named = {name: _changed_tensor(value, change) for name, value in kwargs.items()}
        return call(*copies([_changed_tensor(value, change) for value in args], named))

    with contextlib.suppress(RaisedError, RejectedError):
        learning = call_with(lambda one: one.detach().requires_grad_())
        # What is kept for the very tensors is not there for others, with or without gradients.
        if not alike(result, learning) and not alike(learning, call_with(torch.Tensor.detach)):
            return True
    with contextlib.suppress(RaisedError, RejectedError), torch.no_grad():
        return not alike(result, call(*copies(args, kwargs)))
    return False


def _changed_tensor(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    is_plain = torch.is_tensor(value) and value.is_floating_point() and not value.is_inference()
    return change(value) if is_plain and not value.requires_grad else value


def _taken(returns: tuple[str, ...], slips: list[str], result: Any) -> Any:
    return exact(checked(result, returns, slips))


def why_another(result: Any, call: Callable[[], Any], drawn: Draws) -> str:
    """Why a second call gave another result than the first: `drawn` is from before that."""
    draw_again_from(drawn)
    try:
        return RANDOM if same(result, call()) else CHANGES
    except (RaisedError, RejectedError):
        return CHANGES


def call_answer(
    function: Implementation,
    signature: inspect.Signature | None,
    args: Sequence,
    kwargs: dict,
    own: inspect.Signature | None = None,
    take: Take = as_given,
) -> Any:
    """What is taken of what the call gives.

    take: what it reads may compute, and raises then what the call would.

    Raises RejectedError if the function cannot be called as `signature`, RaisedError for what it raises, and
    lets a stub's NotImplementedError through. TimeLimitError passes too: it is no Exception.
    """
    if signature is not None:
        _check_call(function, signature, own, args, kwargs)
    try:
        with settings_kept():
            result = function(*args, **kwargs)
        taken = take(result)
        refuse_changes()
        return taken
    except (Exception, SystemExit) as error:
        if is_stub(error) or isinstance(error, RejectedError):
            raise
        raise RaisedError(error) from error


def is_stub(error: BaseException) -> bool:
    """Whether a learner's `raise NotImplementedError()` raised it: PyTorch and IPython raise some too.

    One with a text of its own is a learner's answer, as where wrong sizes are refused.
    """
    return (
        type(error) is NotImplementedError
        and not error.args
        and raised_on_purpose(error)
        and _is_own(frames_of(error)[-1])
    )


def raised_on_purpose(error: BaseException) -> bool:
    """Whether a `raise` or an `assert` raised it: the instruction at which the innermost frame stopped."""
    last = error.__traceback__
    while last and last.tb_next:
        last = last.tb_next
    return last is not None and dis.opname[last.tb_frame.f_code.co_code[last.tb_lasti]] == "RAISE_VARARGS"


def frames_of(error: BaseException) -> traceback.StackSummary:
    """All that it passed through, whatever a notebook has made of sys.tracebacklimit."""
    return traceback.extract_tb(error.__traceback__, limit=sys.maxsize)


def own_line(frames: traceback.StackSummary) -> str:
    """The last of these lines that is the learner's own, with its number."""
    own = [frame for frame in frames if _is_own(frame)]
    return f"line {own[-1].lineno}: {own[-1].line}" if own and own[-1].line else ""


def _is_own(frame: traceback.FrameSummary) -> bool:
    """Whether a line is the learner's: not the course's, Python's or an installed package's."""
    return not frame.filename.startswith(NOT_YOURS)


def _signature_of(function: Implementation) -> inspect.Signature | None:
    """None where a builtin has none: the call itself will tell."""
    with contextlib.suppress(ValueError):
        return inspect.signature(function)


def _check_call(function: Implementation, signature: inspect.Signature, own, args, kwargs) -> None:
    taken = own or _signature_of(function)
    if type(taken) is not inspect.Signature:  # the answer's own could compute here, outside of its call
        return
    try:
        taken.bind(*args, **kwargs)
    except TypeError:
        what = "Your forward" if isinstance(function, nn.Module) else "Your function"
        what = "Your class" if inspect.isclass(function) else what
        raise RejectedError(f"{what} must take {signature}, but it takes {_names(taken):.200}.") from None


def _names(signature: inspect.Signature) -> str:
    """Its arguments, without kinds and defaults."""
    given = signature.parameters.values()
    return str(inspect.Signature([one.replace(annotation=one.empty, default=one.empty) for one in given]))
