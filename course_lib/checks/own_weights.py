"""Whether each module that a probe has made has parameters of its own, and whether they can be trained."""

import contextlib
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

SHARED = (
    "Two instances of your `{0}` share the parameter `{1}`, but each must have one of its own. Training one "
    "changes the other too, so a stack of six layers would be one layer six times. Make new parameters, or "
    "new layers, in each call of `__init__`."
)
NOT_FINITE = (
    "Your `{0}` begins as NaN or infinite, or as `torch.empty` leaves it: with whatever was in memory. Give "
    "it numbers to begin with."
)
ALIKE = (
    "In each weight matrix of your `{0}` all numbers are equal in the beginning, and training can hardly "
    "tell them apart. Begin with small random numbers, as `nn.Linear` does."
)


class Made:
    """The modules that a probe has made, and the arguments of each.

    It keeps them all: the memory of one that is gone is used again.
    """

    def __init__(self) -> None:
        self.modules: list[nn.Module] = []
        self.calls: list[tuple[Sequence, dict]] = []

    def add(self, module: nn.Module, args: Sequence, kwargs: dict) -> None:
        self.modules.append(module)
        self.calls.append((args, kwargs))

    def told_of_sharing(self, name: str) -> str:
        """A sentence on a parameter that two of them share, unless it is of a module that they were given."""
        given = [value for args, kwargs in self.calls for value in (*args, *kwargs.values())]
        modules = [value for value in given if isinstance(value, nn.Module)]
        theirs = {place for module in modules for place in _places(module).values()}
        seen: set[int] = set()
        for module in self.modules:
            own = {leaf: place for leaf, place in _places(module).items() if place not in theirs}
            if shared := [leaf for leaf, place in own.items() if place in seen]:
                return SHARED.format(name, shared[0])
            seen.update(own.values())
        return ""


@contextlib.contextmanager
def unwritten_as_nan() -> Iterator[None]:
    """Within it `torch.empty` gives NaN, not whatever is in memory."""
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


def told_of_first_weights(module: nn.Module) -> str:
    """A sentence on weights with which a new module cannot be trained; "" if there are none."""
    named = [(name, leaf.detach()) for name, leaf in module.named_parameters() if leaf.requires_grad]
    if lost := [name for name, leaf in named if not leaf.isfinite().all()]:
        return NOT_FINITE.format(lost[0])
    # A single one may begin as zeros, as a table of learned positions does.
    matrices = [leaf for _, leaf in named if leaf.dim() > 1 and leaf.numel() > 1]
    are_alike = len(matrices) > 1 and all(bool((one == one.flatten()[0]).all()) for one in matrices)
    return ALIKE.format(type(module).__name__) if are_alike else ""


def _places(module: nn.Module) -> dict[str, int]:
    """By name, where in memory the numbers of its parameters are."""
    places = {name: Tensor.untyped_storage(leaf).data_ptr() for name, leaf in module.named_parameters()}
    return {name: place for name, place in places.items() if place}  # 0 where there are no numbers
