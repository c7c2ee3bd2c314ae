"""Notes which of PyTorch's functions an answer calls: some do a whole exercise."""

import contextlib
import gc
import secrets
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FrameType
from typing import Any, Self

import torch
from torch.overrides import TorchFunctionMode

from course_lib.checks import switches
from course_lib.checks.arguments import as_it_is
from course_lib.checks.definitions import INSTALLED, WORKSHOP
from course_lib.checks.ready_made_names import is_made, meant, meant_by
from course_lib.checks.switches import AUTOGRAD

CPU = AUTOGRAD.ProfilerConfig(
    *(AUTOGRAD.ProfilerState.CPU, False, False, False, False, False),
    getattr(torch._C, "_profiler")._ExperimentalConfig(),  # noqa: B009
)
# Of an operation, one on the way back, and a mark. Others are of what is compiled: whose code it was is lost.
PLAIN_SCOPES = 0, 1, 7
HIDING = "sys.setprofile", "sys.settrace", "sys.monitoring.register_callback"
READY_MADE = "PyTorch's `{0}` does this whole exercise. Write it yourself, out of simpler operations."
BLIND = (
    "The check cannot see what your code calls: it is compiled or recorded, a profiler is on, or your code "
    "ends one. Check it in plain Python, and without a profiler."
)

_hooked = False  # whether the learner has added an audit hook: nothing in it is profiled


class _Here(threading.local):  # of each thread
    recorded: Any = None  # on whose behalf its operations are recorded
    watching: Any = None  # who wants to watch the answer's calls
    told: Any = None  # whom a switch of the profile function blinds, within such a call


_here = _Here()


@contextlib.contextmanager
def closely() -> Iterator[None]:
    """Around each call of an answer: what watches in Python costs most, so the probes' own code is spared it.

    Within it names are noted at once: whoever joins a thread, or never ends one, looks soon.
    """
    told = _here.watching
    if told is None:  # nothing is forbidden, or this is within such a call
        yield
        return
    before = sys.getprofile()
    with _Functions():
        sys.setprofile(told.note_call())
        _here.told, _here.watching = told, None
        try:
            yield
        finally:
            gc.disable()  # what is collected later runs unseen
            _here.told, _here.watching = None, told
            # What another profiler has set in C cannot be put back from here: as a function it would raise.
            sys.setprofile(before if callable(before) else None)


def apart(result: Any) -> Any:
    """What a call gave, in memory of its own: what the answer fills in later nobody has watched.

    Where nothing is forbidden it is the result itself. To be called `closely`.
    """
    if not _here.told:
        return result
    with torch._C._DisableTorchDispatch():  # a probe may count the tensors that are made
        return as_it_is(result, torch.Tensor.clone)


class ReadyMade:
    """Within it, notes which of these functions of PyTorch is called: `used`.

    By its name in Python, by the operation that it comes down to, also in a compiled script, and by the
    Python code in which PyTorch has it; in threads that begin within it, too.

    blind: whether that was switched off. found: what the operations tell, and at the end the key, which
      nobody has before.
    """

    def __init__(self, names: Sequence[str]):
        self.names, self.used, self.blind = tuple(names), "", False
        self.found: list[Any] = []
        self.key: Any = object()
        self._watching = contextlib.ExitStack()
        # Names, and codes by id, that have been looked at: a code equals its copy in another file.
        self.clean: dict[Any, Any] = {}

    def __enter__(self) -> Self:
        begin = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]

        def begin_watched(thread: threading.Thread) -> None:
            with _here_too(self), closely():
                begin(thread)

        def restore() -> None:
            threading.Thread._bootstrap_inner = begin  # type: ignore[attr-defined]

        threading.Thread._bootstrap_inner = begin_watched  # type: ignore[attr-defined]
        self._watching.callback(restore)
        if gc.isenabled():
            self._watching.callback(gc.enable)
            gc.disable()
        self._watching.enter_context(_here_too(self))
        return self

    def __exit__(self, *raised) -> None:
        self._watching.__exit__(*raised)

    @property
    def complaint(self) -> str:
        """A sentence for the learner; "" where all is well."""
        # Of a blind watch a name may be anybody's: a script is called as the function that it was.
        if self.blind or (_hooked and self.names):
            return BLIND
        return READY_MADE.format(self.used) if self.used else told_in(self.found)

    def note(self, name: str) -> None:
        """A function or an operation, by a name such as softmax, special_softmax, aten::_softmax."""
        if name in self.clean or self.used:
            return
        self.used = meant(name, self.names)
        self.clean |= {} if self.used else {name: name}

    def note_call(self) -> Callable[[FrameType, str, Any], None]:
        """What sys.setprofile wants: it runs at each call in Python or C, so it does little."""
        clean = self.clean

        def note_call(frame: FrameType, event: str, _: Any) -> None:
            if event == "call" and id(frame.f_code) not in clean:
                self._note_code(frame.f_code)

        return note_call

    def _note_code(self, code: CodeType) -> None:
        if self.used:
            return
        self.used = meant_by(code, self.names)
        self.blind |= is_made(code)
        self.clean |= {} if self.used else {id(code): code}


def told_in(found: Sequence[Any]) -> str:
    return next((one for one in found if isinstance(one, str)), "")


@contextlib.contextmanager
def _here_too(told: ReadyMade) -> Iterator[None]:
    """Watches this thread: its operations all the time, the answer's calls closely."""
    before = _here.watching
    with _recorded(told):
        _here.watching = told
        try:
            yield
        finally:
            _here.watching = before


def _listen(event: str, _: tuple[Any, ...]) -> None:
    """Hears of what hides code, however it is set: calls from C, as by map(), are not profiled."""
    global _hooked
    if event in HIDING and (told := _here.told):
        told.blind = True
    elif event == "sys.addaudithook":
        _hooked |= not sys._getframe(1).f_code.co_filename.startswith((*INSTALLED, WORKSHOP))


sys.addaudithook(_listen)


class _Functions(TorchFunctionMode):
    """Sees each function of PyTorch by its name in Python.

    Who takes it off the stack finds nothing in it that leads to the one who is told.
    """

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if told := _here.told:
            name = getattr(function, "__name__", "")
            if type(name) is not str:  # a thing of the learner's own: whoever compares it calls it
                told.blind = True
            elif name not in told.clean:
                told.note(name)
        return function(*args, **kwargs) if kwargs else function(*args)


@contextlib.contextmanager
def _recorded(told: ReadyMade) -> Iterator[None]:
    """Sees what PyTorch's profiler sees: all operations, also such as are made of others, or in a script.

    A TorchDispatchMode sees less, and its first use imports all of torch._dynamo. What decides in the end is
    held by nothing but this call: an answer may reach, and replace, whatever is an attribute of something.
    """
    names, found, end, means = told.names, told.found, _end_profiler, meant
    key, told.key = told.key, None
    sentence, blind, plain = READY_MADE.format, BLIND, PLAIN_SCOPES
    mark = secrets.token_hex(8)  # who ends the profiler and begins it again has lost it
    try:
        AUTOGRAD._enable_profiler_legacy(CPU)
    except RuntimeError:  # another one is on
        told.blind = True
    with getattr(torch._C, "_profiler")._RecordFunctionFast(mark):  # noqa: B009
        pass
    _here.recorded = told
    try:
        yield
    finally:
        _here.recorded = None
        try:
            events = end()
        except RuntimeError:
            events = []
        is_marked = False
        for thread in events:
            for event in thread:
                name = event.name()
                is_marked |= name == mark
                if "::" in name and (used := means(name, names)):  # no label of the learner's
                    found.append(sentence(used))
                elif event.scope() not in plain:
                    found.append(blind)
        if not is_marked:
            found.append(blind)
        found.append(key)


def _blind(_: str) -> None:
    """The answer has used a switch."""
    if _here.recorded:
        _here.recorded.blind = True


_end_profiler = AUTOGRAD._disable_profiler_legacy
switches.tell(_blind, switches.OF_PYTORCH)
