"""Notes which of PyTorch's functions an answer calls: some do a whole exercise."""

import contextlib
import functools
import os
import secrets
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Self

import torch
from torch.overrides import TorchFunctionMode

# The operations to which these functions come down, where their names do not end as the function's does.
OPERATIONS = {
    "softmin": ("_softmax",),
    "scaled_dot_product_attention": (
        *("_scaled_dot_product_flash_attention", "_scaled_dot_product_flash_attention_for_cpu"),
        *("_scaled_dot_product_efficient_attention", "_scaled_dot_product_cudnn_attention"),
        *("_scaled_dot_product_fused_attention_overrideable", "_scaled_dot_product_attention_math"),
        *("_scaled_dot_product_attention_math_for_mps", "_fused_sdp_choice", "_safe_softmax"),
    ),
    "multi_head_attention_forward": ("_native_multi_head_attention", "_transform_bias_rescale_qkv"),
    "batch_norm": ("_native_batch_norm_legit", "_batch_norm_with_update"),
    "gru": ("mkldnn_rnn_layer", "_cudnn_rnn"),
}
# What is a family and no operation: where PyTorch has it, in Python.
WRITTEN_IN = {
    "TransformerEncoderLayer": "nn/modules/transformer.py",
    "masked": "masked/",
    "FlopCounterMode": "utils/flop_counter.py",
}
TORCH = str(Path(torch.__file__).parent) + os.sep
AUTOGRAD: Any = torch.autograd  # pyright knows nothing of the profiler's own functions
CPU = AUTOGRAD.ProfilerConfig(
    *(AUTOGRAD.ProfilerState.CPU, False, False, False, False, False),
    getattr(torch._C, "_profiler")._ExperimentalConfig(),  # noqa: B009
)
READY_MADE = "PyTorch's `{0}` does this whole exercise. Write it yourself, out of simpler operations."
BLIND = (
    "The check cannot see what your code calls: a profiler is on, or your code ends one. "
    "Check it without a profiler."
)

_unseen = 0  # how many calls deep
_here = threading.local()  # recorded: what records this thread's operations; told: whom a switch blinds


@contextlib.contextmanager
def unseen() -> Iterator[None]:
    """Within it nothing is noted: a reference that an answer calls may be ready-made."""
    global _unseen
    recorded = None if _unseen else getattr(_here, "recorded", None)
    if recorded:
        recorded.end()
    _unseen += 1
    try:
        yield
    finally:
        _unseen -= 1
        if recorded:
            recorded.begin()


class ReadyMade:
    """Within it, notes which of these functions of PyTorch is called: `used`.

    By its name in Python, by the operation that it comes down to, also in a compiled script, and by the
    Python code in which PyTorch has it; also in threads that begin within it, since all that watches is of
    one thread.

    blind: whether somebody has switched that off.
    """

    def __init__(self, names: Sequence[str]):
        self.names, self.used, self.blind = names, "", False
        self._watching = contextlib.ExitStack()
        self._files = {TORCH + WRITTEN_IN[name]: name for name in names if name in WRITTEN_IN}
        self._clean: set[Any] = set()  # names and codes that have been looked at: most calls are to these

    def __enter__(self) -> Self:
        begin = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]

        def begin_watched(thread: threading.Thread) -> None:
            with _here_too(self):
                begin(thread)

        def restore() -> None:
            threading.Thread._bootstrap_inner = begin  # type: ignore[attr-defined]

        threading.Thread._bootstrap_inner = begin_watched  # type: ignore[attr-defined]
        self._watching.callback(restore)
        self._watching.enter_context(_here_too(self))
        return self

    def __exit__(self, *raised) -> None:
        self._watching.__exit__(*raised)

    @property
    def complaint(self) -> str:
        """A sentence for the learner; "" where all is well."""
        return READY_MADE.format(self.used) if self.used else BLIND if self.blind else ""

    def note(self, name: str) -> None:
        """A function or an operation, by a name such as softmax, special_softmax, aten::_softmax."""
        if name in self._clean or _unseen or self.used:
            return
        last = name.rpartition("::")[2].removesuffix("_")
        ends = ((one, (f"_{one}", *OPERATIONS.get(one, ()))) for one in self.names)
        found = [one for one, all_of_it in ends if last.endswith(all_of_it)]
        self.used = last if last in self.names else next(iter(found), "")
        self._clean |= set() if self.used else {name}

    def note_call(self) -> Callable[[FrameType, str, Any], None]:
        """What sys.setprofile wants: it runs at each call in Python or C, so it does little."""
        clean = self._clean

        def note_call(frame: FrameType, event: str, called: Any) -> None:
            if event == "call" and frame.f_code not in clean:
                self._note_code(frame.f_code)
            elif event == "c_call" and called is AUTOGRAD._enable_record_function:
                self.blind = True

        return note_call

    def _note_code(self, code: CodeType) -> None:
        if _unseen or self.used:
            return
        if code.co_filename.startswith(TORCH):
            self.note(code.co_name)
            files = (name for file, name in self._files.items() if code.co_filename.startswith(file))
            self.used = self.used or next(files, "")
        self._clean |= set() if self.used else {code}


@contextlib.contextmanager
def _here_too(told: ReadyMade) -> Iterator[None]:
    """All that watches, in this thread. It notes at once: whoever joins a thread looks soon."""
    _listen_for_switches()
    before = sys.getprofile()
    with _Recorded(told), _Functions(told):
        sys.setprofile(told.note_call())
        _here.told = told
        try:
            yield
        finally:
            _here.told = None
            # What another profiler has set in C cannot be put back from here: as a function it would raise.
            sys.setprofile(before if callable(before) else None)


@functools.cache
def _listen_for_switches() -> None:
    """Hear of a profile function however it is set: calls from C, as by map(), are not profiled."""

    def listen(event: str, _: tuple[Any, ...]) -> None:
        if event == "sys.setprofile" and (told := getattr(_here, "told", None)):
            told.blind = True

    sys.addaudithook(listen)


class _Functions(TorchFunctionMode):
    """Sees each function of PyTorch by its name in Python."""

    def __init__(self, told: ReadyMade):
        super().__init__()
        self._told = told

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self._told.note(getattr(function, "__name__", ""))
        return function(*args, **(kwargs or {}))


class _Recorded:
    """Sees what PyTorch's profiler sees: all operations, also such as are made of others, or in a script.

    A TorchDispatchMode sees less, and its first use imports all of torch._dynamo.
    """

    def __init__(self, told: ReadyMade):
        self._told, self._mark = told, ""

    def __enter__(self) -> None:
        self.begin()
        _here.recorded = self

    def __exit__(self, *_) -> None:
        _here.recorded = None
        self.end()

    def begin(self) -> None:
        self._mark = secrets.token_hex(8)  # who ends the profiler and begins it again has lost this
        try:
            AUTOGRAD._enable_profiler_legacy(CPU)
        except RuntimeError:  # another one is on
            self._told.blind = True
        with getattr(torch._C, "_profiler")._RecordFunctionFast(self._mark):  # noqa: B009
            pass

    def end(self) -> None:
        try:
            events = AUTOGRAD._disable_profiler_legacy()
        except RuntimeError:
            events = []
        names = {event.name() for thread in events for event in thread}
        self._told.blind |= self._mark not in names
        for name in sorted(names):
            self._told.note(name)
