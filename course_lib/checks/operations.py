"""Which of PyTorch's operations a call runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode


class _Noting(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_dispatch__(self, function: Any, types, args=(), kwargs=None) -> Any:
        self.names.add(function.overloadpacket.__name__)
        return function(*args, **(kwargs or {}))


@contextmanager
def operations_run() -> Iterator[set[str]]:
    """The names of those that run within it, as "sin" and "mul_"."""
    with _Noting() as noting:
        yield noting.names
