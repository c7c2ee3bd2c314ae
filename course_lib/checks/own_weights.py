"""Whether each module that a probe has made has parameters of its own, and such as can be trained."""

from collections.abc import Sequence

from torch import Tensor, nn

SHARED = (
    "Two instances of your `{0}` share the parameter `{1}`, but each must have one of its own. Training one "
    "changes the other too, so a stack of six layers would be one layer six times. Make new parameters, or "
    "new layers, in each call of `__init__`."
)
NOT_FINITE = (
    "Your `{0}` begins as NaN or infinite, and stays so in training. Begin with small random numbers."
)
ALIKE = (
    "In each weight matrix of your `{0}` all numbers are equal in the beginning, and training keeps them "
    "alike. Begin with small random numbers, as `nn.Linear` does."
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


def told_of_first_weights(module: nn.Module) -> str:
    """A sentence on weights with which a new module cannot be trained; "" if there are none."""
    leaves = {name: leaf.detach() for name, leaf in module.named_parameters() if leaf.is_floating_point()}
    if lost := [name for name, leaf in leaves.items() if not leaf.isfinite().all()]:
        return NOT_FINITE.format(lost[0])
    matrices = [leaf for leaf in leaves.values() if leaf.dim() > 1 and leaf.numel() > 1]
    are_alike = len(matrices) > 1 and all(bool(one.min() == one.max()) for one in matrices)
    return ALIKE.format(type(module).__name__) if are_alike else ""


def _places(module: nn.Module) -> dict[str, int]:
    """By name, where in memory the numbers of its parameters are."""
    places = {name: Tensor.untyped_storage(leaf).data_ptr() for name, leaf in module.named_parameters()}
    return {name: place for name, place in places.items() if place}  # 0 where there are no numbers
