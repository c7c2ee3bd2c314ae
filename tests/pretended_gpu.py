"""A second device on a computer that has none: it computes on the CPU, and refuses what a GPU refuses."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

NAME = "meta"  # a device that PyTorch knows everywhere; nothing is made there
GPU, CPU = "GPU", "CPU"


class PretendedGPU(TorchFunctionMode):
    """Inside, tensors that are made on NAME remember it, and so does what is computed from them.

    As on a GPU, a call with tensors of both devices is an error, unless that of the CPU is one number or an
    index, and NumPy gets none of the GPU's.
    """

    def __init__(self) -> None:
        super().__init__()
        self.by_address: dict[int, str] = {}  # nn.Parameter takes a tensor's numbers, not the tensor

    def __torch_function__(self, function: Callable, types: Any, given: Any = (), named: Any = None) -> Any:
        named = dict(named or {})
        if function == Tensor.device.__get__:
            return torch.device(NAME if self._side(given[0]) == GPU else "cpu")
        if function in (Tensor.numpy, Tensor.__array__) and self._side(given[0]) == GPU:
            raise TypeError("can't convert a tensor of the pretended GPU to numpy: use Tensor.cpu() first")
        if function == Tensor.data.__set__:
            given[0].pretended = self._side(given[1])
        if function in (Tensor.to, Tensor.cpu) or "device" in named:
            return self._made_or_moved(function, given, named)
        return self._computed(function, (given, named), function(*given, **named))

    def _made_or_moved(self, function: Callable, given: Any, named: dict[str, Any]) -> Any:
        devices = [one for one in (*given, named.get("device")) if _is_device(one)]
        side = CPU
        if function == Tensor.to:  # of another kind, and where the last tensor is
            side = [self._side(one) for one in given if isinstance(one, Tensor)][-1]
        if devices:
            side = GPU if torch.device(devices[0]).type == NAME else CPU
        given = ["cpu" if _is_device(one) else one for one in given]
        named |= {"device": "cpu"} if "device" in named else {}
        if function in (Tensor.to, Tensor.cpu) and side != self._side(given[0]):
            given[0] = given[0].clone()  # on the CPU it would be the same tensor
        return self._marked(function(*given, **named), side)

    def _computed(self, function: Callable, given: Any, result: Any) -> Any:
        tensors = [one for one in tree_leaves(given) if isinstance(one, Tensor)]
        if function in (Tensor.__getitem__, Tensor.data.__set__):
            tensors = tensors[:1]
        sides = {self._side(one) for one in tensors if one.dim()}
        if sides >= {GPU, CPU} and any(isinstance(one, Tensor) for one in tree_leaves(result)):
            raise RuntimeError(f"{function.__name__} got tensors of the pretended GPU and of the CPU")
        return self._marked(result, max((self._side(one) or "" for one in tensors), default=CPU))

    def _marked(self, result: Any, side: str | None) -> Any:
        for one in tree_leaves(result) if side else ():
            if isinstance(one, Tensor):
                one.pretended = self.by_address[one.data_ptr()] = side  # type: ignore[attr-defined]
        return result

    def _side(self, tensor: Tensor) -> str | None:
        if isinstance(tensor, nn.Parameter) and not hasattr(tensor, "pretended"):
            tensor.pretended = self.by_address.get(tensor.data_ptr())  # type: ignore[attr-defined]
        return getattr(tensor, "pretended", None)


def _is_device(thing: Any) -> bool:
    return isinstance(thing, torch.device) or (isinstance(thing, str) and thing in (NAME, "cpu"))
