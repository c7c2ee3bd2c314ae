"""Whether each step of a training draws its own random numbers, as dropout needs them: in words."""

import torch

from course_lib.checks.notes import notes

SEEDED = (
    "Each step draws the same random numbers, so dropout would drop the same numbers in every step. Set no "
    "seed in your function."
)


def draw(stand_in: object) -> None:
    """What a stand-in does in its forward, where a model would draw for dropout."""
    notes(stand_in, "drawn").append(tuple(torch.rand(4).tolist()))


def told_of_draws(stand_in: object) -> str:
    """A finding on the calls that were made of a stand-in: two that drew alike."""
    drawn = notes(stand_in, "drawn")
    return "" if len(set(drawn)) == len(drawn) else SEEDED
