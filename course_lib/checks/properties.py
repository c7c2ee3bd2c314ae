"""What must hold for any right answer: each property says in a sentence how a wrong one breaks it.

They speak where no mistake of the table explains the answer, so that its learner gets help too.
"""

import torch

from course_lib.checks.comparison import place
from course_lib.checks.exercise import Property, Values, split_axes


def apart(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """one - other, made larger where all numbers are below 0.01: else of next to nothing all is alike."""
    size = max((part.detach().abs().max() for part in (one, other) if part.numel()), default=torch.ones(()))
    return (one - other) / (100 * size).clamp(torch.finfo(size.dtype).tiny, 1)


def differ(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two results are not the same. A part that compares an answer with itself asks for it too.

    Else an answer without the idea of the exercise passes: what it leaves out can disagree with nothing.
    """
    size = max(part.abs().max() for part in (one, other))
    return not bool((one - other).abs().max() <= 1e-4 * size)  # NaN is told elsewhere


def _find(values: Values, name: str) -> tuple[torch.Tensor, tuple[str, ...]] | None:
    for label, value in values.items():
        found, axes = split_axes(label)
        if found == name and isinstance(value, torch.Tensor):
            return value, axes
    return None


def _compared(
    values: Values, expected: Values, name: str
) -> tuple[torch.Tensor, torch.Tensor, tuple[str, ...]] | None:
    """The answer's tensor, the right one and its axes; None where the answer has none of that shape."""
    got, right = _find(values, name), _find(expected, name)
    if right is None:
        raise KeyError(f"the reference gives no tensor {name!r}")
    if got is None or got[0].shape != right[0].shape:
        return None
    return got[0], right[0], got[1]


def rows_sum_to_one(name: str) -> Property:
    """Attention weights are not negative, and the last axis of `name` sums to 1."""

    def check(values: Values, expected: Values) -> str | None:
        if not (found := _find(values, name)):
            return None
        weights, axes = found
        if weights.dim() != len(axes) or not weights.is_floating_point():
            return None
        if (weights < 0).any():
            return f"{place(name, axes, weights < 0)} is negative, but a weight is never negative."
        off = (weights.sum(-1) - 1).abs() > 1e-3
        if not off.any():
            return None
        total = weights.sum(-1)[off][0]
        text = f"{place(name, axes[:-1], off)} sums to {total:.4g} over {axes[-1]}, but the sum must be 1."
        others = [axis for i, axis in enumerate(axes[:-1]) if ((weights.sum(i) - 1).abs() < 1e-3).all()]
        return text + (f" Yours sum to 1 over {others[0]}." if others else "")

    return check


def nothing_on_masked(name: str) -> Property:
    """Where the reference gives exactly 0 the mask hides the key."""

    def check(values: Values, expected: Values) -> str | None:
        if not (compared := _compared(values, expected, name)):
            return None
        weights, right, axes = compared
        leaks = (right == 0) & (weights.abs() > 1e-6)
        if not leaks.any():
            return None
        where = place(name, axes, leaks)
        return f"{where} is {weights[leaks][0]:.4g}, but the mask hides that key, so it must be 0."

    return check


def told_of_leaks(weights, hidden, what: str) -> str:
    """A finding: whether something hidden keeps a weight, though it is too small to be seen among numbers."""
    sizes = [*zip(weights.shape, hidden.shape, strict=False)]
    if weights.dim() != hidden.dim() or any(size not in (1, own) for own, size in sizes):
        return ""  # a wrong shape is told elsewhere
    kept = weights.detach()[hidden.expand_as(weights)].double().abs()
    if not ((kept > 0) & (kept < 1e-5)).any():
        return ""
    return f"{what} gets the weight {kept.max():.1g}, expected 0. Many of them together would count."


def sharpness(name: str) -> Property:
    """Softmax weights whose log-odds are a constant multiple of the right ones: a wrong scale."""

    def check(values: Values, expected: Values) -> str | None:
        if not (compared := _compared(values, expected, name)):
            return None
        weights, right, _ = compared
        if not ((weights > 0) & (right > 0)).all():
            return None
        if right.shape[-1] < 3:  # of two weights any odds are a multiple of any others
            return None
        got, want = (x.double().log() - x.double().log().mean(-1, keepdim=True) for x in (weights, right))
        factor = (got * want).sum() / (want * want).sum()
        if abs(factor - 1) < 1e-2 or not torch.allclose(got, factor * want, atol=2e-2, rtol=1e-2):
            return None
        if abs(factor) < 1e-3:
            if (weights.amax(dim=-1) - weights.amin(dim=-1)).max() > 1e-5:
                return None
            return "All weights of a row are equal, so the scores change nothing."
        if factor < 0:
            return "The scores have the wrong sign. The smallest weight is where the largest should be."
        return (
            f"The softmax is right, but its scores are {factor:.3g} times the expected ones. Check the scale."
        )

    return check


def proper_average(name: str) -> Property:
    """Said last: the weights are weights, so it is not the division by their sum that is wrong."""

    def check(values: Values, expected: Values) -> str | None:
        if not (compared := _compared(values, expected, name)):
            return None
        weights, right, axes = compared
        if rows_sum_to_one(name)(values, expected):
            return None
        wrong = (weights - right).abs() > 1e-4
        if not wrong.any():
            return None
        spot = f"{place(name, axes, wrong)} is {weights[wrong][0]:.4g}, expected {right[wrong][0]:.4g}."
        return f"{spot} Your weights sum to 1, so look at the scores and at what you do with them."

    return check


def rows_seen(name: str) -> Property:
    """Of a boolean mask (target, source): which row sees what it must not, or misses what it may see."""

    def check(values: Values, expected: Values) -> str | None:
        if not (compared := _compared(values, expected, name)):
            return None
        mask, right, _ = compared
        if mask.dtype != torch.bool or torch.equal(mask, right):
            return None
        row, column = (mask != right).nonzero()[0].tolist()
        if mask[row, column]:
            return f"Row {row} sees column {column}, and it must not."
        return f"Row {row} does not see column {column}, and it must."

    return check


def follows(name: str, cause: str) -> Property:
    """`name` holds the change of a result when `cause` changes, so it must not be 0."""

    def check(values: Values, expected: Values) -> str | None:
        found = _find(values, name)
        if found is None or found[0].abs().max() > 1e-6:
            return None
        return f"Changing {cause} changes nothing in your result."

    return check


AVERAGE = rows_sum_to_one("weights"), sharpness("weights"), proper_average("weights")
WEIGHTS = (AVERAGE[0], nothing_on_masked("weights"), *AVERAGE[1:])
