"""causal_mask: a word sees itself and what came before; boolean, True where a query may look."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.properties import rows_seen

causal_mask = Exercise(
    "causal_mask",
    points=3,
    returns=("mask: target source",),
    hints=[
        "Which columns may row t see, and may it see column t? Draw a table of 3 rows and mark them.",
        "Row t may see the columns 0 to t. This is the lower triangle with the diagonal.",
        "Make a table of True with `torch.ones(size, size, dtype=torch.bool)`. Its method `.tril()` keeps "
        "the lower triangle.",
    ],
    examples=["causal_mask(1)", "causal_mask(3)"],
    ready_made=("generate_square_subsequent_mask",),
)


@causal_mask.reference
def causal_reference(size):
    return torch.ones(size, size, dtype=torch.bool).tril()


SAME = (
    "Two calls return the same tensor: who writes into one mask changes the other. Make a new one each time."
)
SIZES = {"mask: target source": 5, "mask (size 40): target source": 40}


@causal_mask.part("every word sees itself and what came before", points=1, properties=(rows_seen("mask"),))
def past(mask, inputs):
    found = {label: _half(mask(size), size, later=False) for label, size in SIZES.items()}
    first, second = (itself(mask, 6) for _ in range(2))
    shared = first.untyped_storage().data_ptr() == second.untyped_storage().data_ptr()
    return found | {"new": SAME * shared}


def itself(mask, size):
    mask(size)
    return mask.itself()


@causal_mask.part("no word sees what comes after it", points=1, properties=(rows_seen("mask"),))
def future(mask, inputs):
    return {label: _half(mask(size), size, later=True) for label, size in SIZES.items()}


def _half(mask, size, later):
    """Of a mask what it says of later words, or of all others; the rest is False or True."""
    if mask.dtype != torch.bool or mask.shape != (size, size):
        return mask
    after = torch.ones(size, size, dtype=torch.bool).triu(1)
    return mask & after if later else mask | after


@causal_mask.accept("the lower triangle")
def lower(size):
    return torch.ones(size, size, dtype=torch.bool).tril()


@causal_mask.accept("comparing positions")
def positions(size):
    place = torch.arange(size)
    return place[None, :] <= place[:, None]


@causal_mask.accept("the upper triangle, negated")
def negated(size):
    return ~torch.triu(torch.ones(size, size), diagonal=1).bool()


@causal_mask.accept("loops")
def causal_loops(size):
    mask = torch.zeros(size, size, dtype=torch.bool)
    for t in range(size):
        mask[t, : t + 1] = True
    return mask


@causal_mask.accept("a running sum of the identity")
def running_sum(size):
    return torch.eye(size).cumsum(dim=1).T > 0
