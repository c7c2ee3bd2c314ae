"""What is said of parameters that are not those of the reference."""

from collections.abc import Mapping, Sequence

from torch import nn

from course_lib.checks.gradients import CALLED

SHOWN = 4  # parameters that a message lists


def other_shape(made: nn.Module, name: str, parameter: nn.Parameter, expected: tuple[int, ...]) -> str:
    """In the words in which it was made: nn.Linear(in, out) keeps its weight as (out, in)."""
    got = tuple(parameter.shape)
    for own, module in made.named_modules():
        # A parameter that has another name in the reference need not be a layer's there.
        if isinstance(module, nn.Linear) and name == f"{own}.weight" and len(expected) == 2:
            yours, right = (f"`nn.Linear({shape[1]}, {shape[0]})`" for shape in (got, expected))
            order = "The size of the input comes first, then the size of the output."
            return f"Your `{own}` is {yours}, expected {right}. {order}"
    called = getattr(parameter, CALLED, name)
    return f"Your parameter `{called}` has shape {got}, expected {expected}."


def mismatch(got: Mapping, expected: Mapping) -> str:
    """Which parameters are missing, and which are there and should not be."""
    if len(expected) == 1 and not got:
        return (
            "Your module has no parameter, so an optimizer finds nothing to train; expected one of shape "
            f"{next(iter(expected.values()))}."
        )
    missing = [name for name in expected if name not in got]
    extra = [name for name in got if name not in expected]
    told = [f"Your parameters lack {_listed(missing)}"] * bool(missing)
    if extra:
        names, one = _listed(extra), len(extra) == 1
        if missing:
            told.append(f"{names} is not expected" if one else f"{names} are not expected")
        elif one:
            told.append(f"Your parameter {names} is not expected")
        else:
            told.append(f"Your parameters {names} are not expected")
    return "; ".join(told) + "."


def lost_in_a_list(made: nn.Module) -> str:
    """A word on layers that PyTorch does not find, because they are kept in a plain list or dict."""
    for part in made.modules():
        for name, value in vars(part).items():
            items = value.values() if isinstance(value, dict) else value
            plain = isinstance(value, (list, tuple, dict)) and not name.startswith("_")
            if plain and any(isinstance(item, nn.Module) for item in items):
                kind = type(value).__name__
                return (
                    f" Your `{name}` is a plain {kind}. PyTorch finds layers in attributes and in an "
                    "`nn.ModuleList` only."
                )
    return ""


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:SHOWN])
    return f"{shown} and {len(names) - SHOWN} more" if len(names) > SHOWN else shown
