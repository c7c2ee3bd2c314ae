"""What must hold of a normalized token, and of tokens that are left alone: a sentence where it does not."""

import torch

from course_lib.checks.comparison import place
from course_lib.checks.exercise import Property, Values, split_axes


def _tensors(name: str, *tables: Values) -> list[tuple[torch.Tensor, tuple[str, ...]]]:
    """The value named `name` in each table, with its axes; nothing if one lacks it or shapes differ."""
    found = [
        (value, split_axes(label)[1])
        for table in tables
        for label, value in table.items()
        if split_axes(label)[0] == name and isinstance(value, torch.Tensor) and value.is_floating_point()
    ]
    complete = len(found) == len(tables) and len({value.shape for value, _ in found}) == 1
    return found if complete else []


def centered(name: str) -> Property:
    """Each token has mean 0 over its features."""

    def check(values: Values, expected: Values) -> str | None:
        (tokens, axes), _ = _tensors(name, values, expected) or [(None, ()), None]
        if tokens is None or not (off := tokens.mean(-1).abs() > 1e-3).any():
            return None
        where, mean = place(name, axes[:-1], off), tokens.mean(-1)[off][0]
        others = [a for i, a in enumerate(axes[:-1]) if (tokens.mean(i).abs() < 1e-3).all()]
        told = f"{where} has mean {mean:.3g} over its features. It must be 0."
        return told + (f" Your mean over {others[0]} is 0." if others else "")

    return check


def unit_variance(name: str) -> Property:
    """Each token has variance 1 over its features, divided by their number."""

    def check(values: Values, expected: Values) -> str | None:
        (tokens, axes), _ = _tensors(name, values, expected) or [(None, ()), None]
        if tokens is None or not (off := (_variance(tokens) - 1).abs() > 1e-3).any():
            return None
        where, found, features = place(name, axes[:-1], off), _variance(tokens)[off][0], tokens.shape[-1]
        return f"{where} has variance {found:.3g} over its {features} features. It must be 1."

    return check


def _variance(tokens: torch.Tensor) -> torch.Tensor:
    return tokens.var(-1, correction=0)


def unmoved(name: str, cause: str) -> Property:
    """`name` holds the change of what must not change when `cause` does."""

    def check(values: Values, expected: Values) -> str | None:
        (change, axes), _ = _tensors(name, values, expected) or [(None, ()), None]
        if change is None or not (moved := change.abs() > 1e-5).any():
            return None
        return f"Changing {cause} moves others too: {place(name, axes, moved)} is {change[moved][0]:.3g}."

    return check
