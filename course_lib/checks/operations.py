"""What a call computes with PyTorch's operations, and from what."""

from collections.abc import Iterable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from course_lib.checks.memory import storage_of, tensors_in

PLAIN = {
    *("add", "sub", "rsub", "mul", "div", "where", "masked_fill", "clone", "copy", "_to_copy"),
    *("fill", "zero", "equal", "eq", "ne", "lt", "le", "gt", "ge"),  # a check compares, too
}
# They give sines and exponentials of whole tables.
OF_TABLES = "linalg_", "_linalg_", "fft_", "_fft_"


class Computed(TorchDispatchMode):
    """Within it, notes what is run. known: tensors that may be used.

    functions: the operations that are functions of single numbers, as "sin" and "exp", or give tables of
      them, as "linalg_matrix_exp", by name.
    strange: whether floating-point numbers came in that no operation within it made, and that are not
      known.
    """

    def __init__(self, known: Iterable[torch.Tensor]) -> None:
        super().__init__()
        self._known = {storage_of(tensor): tensor for tensor in known}  # kept, and so are the ids
        self.begin()

    def begin(self) -> None:
        """Forgets what was run; what was made or came in so far is known from now on."""
        self.functions: set[str] = set()
        self.strange = False

    def __torch_dispatch__(self, function: Any, types, args=(), kwargs=None) -> Any:
        given = [*tensors_in((args, kwargs))]
        strange = {storage_of(one): one for one in given if one.is_floating_point()}
        self.strange |= not strange.keys() <= self._known.keys()
        self._known |= strange
        result = function(*args, **(kwargs or {}))
        made = [*tensors_in(result)]
        name = function.overloadpacket.__name__.removesuffix("_")
        is_pointwise = torch.Tag.pointwise in function.tags and name not in PLAIN
        is_whole = all(map(_is_whole, made))  # such numbers may be places in a table
        if (is_pointwise or name.startswith(OF_TABLES)) and not is_whole:
            self.functions.add(name)
        self._known |= {storage_of(tensor): tensor for tensor in made}
        return result


def _is_whole(tensor: torch.Tensor) -> bool:
    return not (tensor.is_floating_point() or tensor.is_complex())
