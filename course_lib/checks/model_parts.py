"""A model's parts, without asking the model: an answer may have put something else for its methods."""

from collections.abc import Iterator

from torch import nn


def parts_of(model: nn.Module, path: str = "") -> Iterator[tuple[str, nn.Module]]:
    """As `named_modules`, but for a part with two names, which comes twice."""
    yield path, model
    for name, part in vars(model)["_modules"].items():
        if isinstance(part, nn.Module):
            yield from parts_of(part, f"{path}.{name}" if path else name)


def replaced_methods(model: nn.Module) -> set[tuple[str, str]]:
    """The path of each part of which an attribute stands in front of a method, and the method's name."""
    return {
        (path, name)
        for path, part in parts_of(model)
        for name in vars(part)
        if callable(getattr(type(part), name, None))
    }
