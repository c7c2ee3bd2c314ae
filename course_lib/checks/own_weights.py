"""Whether each module that a probe has made has parameters of its own."""

from collections.abc import Sequence

from torch import Tensor, nn

SHARED = (
    "Two instances of your `{0}` share the parameter `{1}`, but each must have one of its own. Training one "
    "changes the other too, so a stack of six layers would be one layer six times. Make new parameters, or "
    "new layers, in each call of `__init__`."
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


def _places(module: nn.Module) -> dict[str, int]:
    """By name, where in memory the numbers of its parameters are."""
    places = {name: Tensor.untyped_storage(leaf).data_ptr() for name, leaf in module.named_parameters()}
    return {name: place for name, place in places.items() if place}  # 0 where there are no numbers
