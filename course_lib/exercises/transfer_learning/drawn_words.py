"""What sample draws, and the probabilities that it returns with it."""

import math
from functools import partial

import torch

from course_lib.checks.results import RejectedError
from course_lib.exercises.transfer_learning.masked_counts import seeded, share_draws, told_of_repeats

CHANCES = torch.tensor([0.1, 0.5, 0.0, 0.1, 0.2, 0.1])
OPTIONS = [{"temperature": 0.1}, {"temperature": 0.4}, {"temperature": 3.0}]
OPTIONS += [{"top_k": 2}, {"top_p": 0.6}, {"top_k": 2, "top_p": 0.8}]
SHARED = "Rows of a batch share their draws: draw for each row by itself."


def draws_of(draw, inputs, **options):
    """What is drawn for 20 times 200 rows, and the probabilities that come with it.

    The scores grow with the temperature, so that the chances stay the same at any temperature.
    """
    return _drawn(draw, _logits(**options), inputs.integers(0, 10**6, 20), **options)


def _logits(temperature=1.0, **_):
    return temperature * CHANCES.log().expand(200, 6)


def _drawn(draw, logits, seeds, **options):
    """The ids of one call for each seed, and the mean probabilities of the first."""
    pairs = []
    for seed in seeds.tolist():
        ids, probabilities = draw(logits, generator=seeded(seed), **options)
        # What kind of thing the ids are is the question of another part.
        pairs.append((torch.as_tensor(ids).flatten()[: len(logits)].long(), probabilities))
    ids, probabilities = zip(*pairs, strict=True)
    return torch.stack(ids), probabilities[0].mean(dim=0)


def shares(ids) -> torch.Tensor:
    return torch.bincount(ids.flatten(), minlength=6) / ids.numel()


def share_of_one(draw, inputs) -> float:
    """How often a word is drawn that has half of the probability; 2000 others share the other half.

    It tells chances that are a little too even or too sharp: p ** 0.9 draws it in a third of the cases.
    """
    logits, place = torch.zeros(100, 2001), inputs.integer(0, 2001)
    logits[:, place] = math.log(2000)
    ids, _ = _drawn(draw, logits, inputs.integers(0, 10**6, 13))
    return float((ids == place).float().mean())


def chances_of(draw, logits, **options):
    """The probabilities that come with a draw. Whatever has another shape holds drawn numbers, perhaps."""
    probabilities = draw(logits, **options)[1]
    if isinstance(probabilities, torch.Tensor) and probabilities.shape != logits.shape:
        found, expected = tuple(probabilities.shape), tuple(logits.shape)
        raise RejectedError(f"`probabilities` has shape {found}, expected {expected}, as the scores.")
    return probabilities


def told_of_options(draw, inputs) -> str:
    """A sentence on words that are drawn by other chances than those that come with them, or not by row."""
    given = []
    for options in OPTIONS:
        ids, probabilities = draws_of(draw, inputs, **options)
        if share_draws(ids == 1):
            return SHARED
        alone = chances_of(draw, _logits(**options), **options).mean(dim=0)  # as other parts ask for them
        if any((shares(ids) - each).abs().max() > 0.06 for each in (probabilities, alone)):
            given.append("`" + ", ".join(f"{name}={value}" for name, value in options.items()) + "`")
    cases = "; ".join(given)
    return f"Words are not drawn with the probabilities that you return. Seen with {cases}." if cases else ""


def told_of_same_words(draw, inputs) -> str:
    """A sentence on calls that draw what another one drew, without an option or with any one.

    Of 60 equal words 10 or more are left: two calls draw the same 16 with a probability of 10**-16 at most.
    """
    percent = inputs.integer(30, 91)
    for options in ({}, {"top_k": percent // 3}, {"top_p": percent / 100}, {"temperature": percent / 40}):
        if told := told_of_repeats(partial(_words, draw, options), inputs):
            return told
    return ""


def _words(draw, options, generator) -> torch.Tensor:
    return torch.as_tensor(draw(torch.zeros(16, 60), generator=generator, **options)[0])
