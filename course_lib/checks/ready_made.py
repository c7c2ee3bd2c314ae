"""Notes which of PyTorch's functions an answer calls: some do a whole exercise."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence

import torch
from torch.overrides import TorchFunctionMode, _get_current_function_mode
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

FUSED = (
    *("_scaled_dot_product_flash_attention", "_scaled_dot_product_flash_attention_for_cpu"),
    *("_scaled_dot_product_efficient_attention", "_scaled_dot_product_cudnn_attention"),
    *("_scaled_dot_product_fused_attention_overrideable", "_scaled_dot_product_attention_math"),
    *("_scaled_dot_product_attention_math_for_mps", "_fused_sdp_choice", "_safe_softmax"),
)
# The operations to which these functions come down, whatever name of theirs is called.
OPERATIONS = {
    "softmax": ("_softmax", "_safe_softmax", "_sparse_softmax", "_sparse_log_softmax"),
    "softmin": ("_softmax",),
    "log_softmax": ("_log_softmax",),
    "scaled_dot_product_attention": FUSED,
    "multi_head_attention_forward": ("_native_multi_head_attention", "_transform_bias_rescale_qkv"),
    "layer_norm": ("native_layer_norm", "_fused_layer_norm"),
    "rms_norm": ("_fused_rms_norm",),
    "batch_norm": ("native_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update"),
    "group_norm": ("native_group_norm",),
    "gru_cell": ("_thnn_fused_gru_cell",),
    "gru": ("_thnn_fused_gru_cell", "mkldnn_rnn_layer", "_cudnn_rnn"),
}


_unseen = 0  # how many calls deep
_on_duty: list["ReadyMade"] = []


@contextlib.contextmanager
def unseen() -> Iterator[None]:
    """Within it nothing is noted: a reference that an answer calls may be ready-made."""
    global _unseen
    _unseen += 1
    try:
        yield
    finally:
        _unseen -= 1


@contextlib.contextmanager
def off_duty() -> Iterator[None]:
    """Within it nothing is noted, and nothing slowed down: for calls whose results are no answer any more."""
    mode = _on_duty[-1] if _on_duty else None
    if mode is None or not mode.is_innermost():
        yield
        return
    mode.__exit__(None, None, None)
    try:
        yield
    finally:
        mode.__enter__()


class ReadyMade(TorchFunctionMode):
    """Within it, notes which of these functions of PyTorch is called: `used`.

    By its name in Python, and by the operation that it comes down to; also in threads that begin within it,
    since PyTorch's own modes are those of one thread.
    """

    def __init__(self, names: Sequence[str]):
        super().__init__()
        self.names, self.used = names, ""
        self._operations = _Operations(self)
        self._begin = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]

    def __enter__(self) -> "ReadyMade":
        if self._operations.names:
            self._operations.__enter__()
            self._begin = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]
            threading.Thread._bootstrap_inner = _watched_by(self, self._begin)  # type: ignore[attr-defined]
        _on_duty.append(self)
        return super().__enter__()

    def __exit__(self, *raised) -> None:
        super().__exit__(*raised)
        _on_duty.pop()
        if self._operations.names:
            threading.Thread._bootstrap_inner = self._begin  # type: ignore[attr-defined]
            self._operations.__exit__(*raised)

    def is_innermost(self) -> bool:
        """Whether nobody has entered another mode since."""
        operations = self._operations if self._operations.names else None
        return _get_current_function_mode() is self and _get_current_dispatch_mode() is operations

    def __torch_function__(self, function, types, args=(), kwargs=None):
        # torch.special.softmax calls itself special_softmax
        name = getattr(function, "__name__", "").removeprefix("special_")
        self.used = name if name in self.names and not _unseen else self.used
        return function(*args, **(kwargs or {}))


def _watched_by(told: ReadyMade, begin: Callable[[threading.Thread], None]) -> Callable[..., None]:
    """What a thread begins with: its own modes, which note at once, for whoever joins it looks soon."""

    def begin_watched(thread: threading.Thread) -> None:
        with _Operations(told), _Functions(told):
            begin(thread)

    return begin_watched


class _Functions(TorchFunctionMode):
    """Notes for another mode, in a thread where that one is not."""

    def __init__(self, told: ReadyMade):
        super().__init__()
        self._told = told

    def __torch_function__(self, function, types, args=(), kwargs=None):
        return self._told.__torch_function__(function, types, args, kwargs)


class _Operations(TorchDispatchMode):
    """Sees each operation below its names in Python: torch.ops.aten._softmax is _softmax here too."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """PyTorch's wrapper against its compiler costs more than the operations: nothing is compiled here."""
        return False

    def __init__(self, told: ReadyMade):
        super().__init__()
        self._told = told
        self.names = {
            operation: name for name in reversed(told.names) for operation in OPERATIONS.get(name, ())
        }

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        # Where a name in Python was seen it is the one to tell.
        if not _unseen:
            self._told.used = self._told.used or self.names.get(_name(function), "")
        return function(*args, **(kwargs or {}))


def _name(function: object) -> str:
    packet = getattr(function, "overloadpacket", None)
    return packet.__name__ if isinstance(packet, torch._ops.OpOverloadPacket) else ""
