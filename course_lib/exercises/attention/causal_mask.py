"""causal_mask: a word sees itself and what came before; boolean, True where a query may look."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.properties import rows_seen

causal_mask = Exercise(
    "causal_mask",
    points=3,
    returns=("mask: target source",),
    hints=[
        "Row t may see columns 0 to t: the lower triangle, with the diagonal.",
        "`torch.ones(size, size, dtype=torch.bool)` and its method `.tril()`.",
    ],
    examples=["causal_mask(1)", "causal_mask(3)"],
)


@causal_mask.reference
def causal_reference(size):
    return torch.ones(size, size, dtype=torch.bool).tril()


AFTER = torch.ones(5, 5, dtype=torch.bool).triu(1)


@causal_mask.part("every word sees itself and what came before", points=1, properties=(rows_seen("mask"),))
def past(mask, inputs):
    result = mask(5)
    return {"mask: target source": result | AFTER if _comparable(result) else result}


@causal_mask.part("no word sees what comes after it", points=1, properties=(rows_seen("mask"),))
def future(mask, inputs):
    result = mask(5)
    return {"mask: target source": result & AFTER if _comparable(result) else result}


def _comparable(mask) -> bool:
    return mask.dtype == torch.bool and mask.shape == (5, 5)


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
