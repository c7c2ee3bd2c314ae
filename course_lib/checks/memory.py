"""How many numbers code holds at one time."""

import contextlib
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from io import TextIOBase
from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

from course_lib.checks.exact import as_torch_has_it

USUAL_DIMENSIONS = 8


class LiveMemory(TorchDispatchMode):
    """Within it, counts the numbers of all tensors made by operations that are still in use: `peak` of them.

    Views share memory and count once; what was made before does not count, nor does memory inside of an
    operation. A number has at most eight bytes: two in one complex number count as two.
    Of a tensor with many dimensions the sizes and strides count too, and of one that is not plain numbers in
    a row, as a quantized one, what its operation was given: until the end.

    known: where it is given, of what was made before only these do not count, and a number of 8 bytes counts
    as the shorter ones that code may have packed into it.
    """

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """PyTorch's wrapper against its compiler costs more than the operations: nothing is compiled here."""
        return False

    def __init__(self, known: Sequence[torch.Tensor] | None = None) -> None:
        super().__init__()
        self.peak = 0
        self._known = None if known is None else {storage_of(one): _size(one) for one in known}
        self._live: dict[int, tuple[StorageWeakRef, int]] = {}  # by the storage's address
        self._until_the_end = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None) -> Any:
        given = {storage_of(tensor): tensor for tensor in tensors_in((args, kwargs))}
        result = function(*args, **(kwargs or {}))
        made = [tensor for tensor in tensors_in(result) if storage_of(tensor) not in given]
        if self._known is not None:  # or made larger, which `resize_` does
            made += [one for key, one in given.items() if _size(one) > self._known.get(key, -1)]
        for tensor in made:
            storage = tensor.untyped_storage()
            size = _size(tensor) - (self._known or {}).get(storage._cdata, 0)
            per_element = 1 if self._known is None else _packed(tensor)
            numbers = per_element * size // min(tensor.element_size(), 8)
            self._live[storage._cdata] = StorageWeakRef(storage), numbers
        many = [one.dim() for one in tensors_in(result) if one.dim() > USUAL_DIMENSIONS]
        self._until_the_end += 3 * 2 * sum(many)  # a size and a stride, of 8 bytes each: see `_packed`
        if any(one.is_quantized or one.layout is not torch.strided for one in tensors_in(result)):
            self._until_the_end += sum(one.numel() for one in tensors_in((args, kwargs)))
        self._live = {key: kept for key, kept in self._live.items() if not kept[0].expired()}
        self.peak = max(self.peak, self._until_the_end + sum(size for _, size in self._live.values()))
        return result


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """Those among the arguments or results of an operation, which are in lists, tuples and dicts.

    A class of a learner's may say anything of its tensors, so they come as torch has them.
    """
    if isinstance(value, torch.Tensor):
        yield as_torch_has_it(value)
    elif isinstance(value, (list, tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from tensors_in(item)


def _packed(tensor: torch.Tensor) -> int:
    """How many numbers of 21 bits, as exact as a check asks for, an element may hold."""
    return 1 if tensor.element_size() < 8 else 2 if tensor.is_floating_point() or tensor.is_complex() else 3


def _size(tensor: torch.Tensor) -> int:
    """In bytes."""
    return tensor.untyped_storage().nbytes()


def storage_of(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


class _Nowhere(TextIOBase):
    def write(self, text: str) -> int:
        return len(text)


@contextlib.contextmanager
def size_of_others() -> Iterator[Callable[[], int]]:
    """Within it, the function says how many bytes lists, NumPy's arrays and all else take that is new.

    The numbers of tensors do not count: see LiveMemory. Prints are thrown away, for they would be kept too.
    """
    begins = not tracemalloc.is_tracing()
    if begins:
        tracemalloc.start()
    try:
        with redirect_stdout(_Nowhere()):
            yield lambda: tracemalloc.get_traced_memory()[0]
    finally:
        if begins:
            tracemalloc.stop()
