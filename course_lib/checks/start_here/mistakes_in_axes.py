"""What learners write for softmax when its sum runs along another axis, or loses one."""

import torch

from course_lib.checks.start_here.mistakes_in_softmax import shares, shifted
from course_lib.checks.start_here.softmax import softmax

mistake = softmax.mistake


@mistake(
    "A1",
    advice="Your columns sum to 1, not your rows: the sum runs over the wrong axis. Say dim=-1, the last.",
)
def over_rows(scores):
    return shares(scores, dim=-2 if scores.dim() > 1 else -1)


@mistake(
    "A3",
    advice="Your sum runs over the first axis, dim=0. What must sum to 1 is the last: dim=-1.",
)
def over_first(scores):
    return shares(scores, dim=0)


@mistake(
    "A1",
    advice="dim=1 is the last axis only while there are two. Count from the end: dim=-1, always the last.",
)
def over_second(scores):
    return shares(scores, dim=1 if scores.dim() > 1 else 0)


@mistake(
    "S8",
    advice="Your sum runs over the whole table, so that all weights together sum to 1. Each row needs its "
    "own sum: `sum(dim=-1, keepdim=True)`.",
)
def global_sum(scores):
    exponentials = torch.exp(scores - scores.max())
    return exponentials / exponentials.sum()


@mistake(
    "S8",
    advice="Your sum runs over the whole table, so that all weights together sum to 1. Each row needs its "
    "own sum: `sum(dim=-1, keepdim=True)`; and subtract each row's maximum before exp.",
)
def naive_global_sum(scores):
    exponentials = torch.exp(scores)
    return exponentials / exponentials.sum()


@mistake(
    "A16",
    advice="Without `keepdim=True` the row maxima, or sums, lie down and become a row themselves. "
    "`keepdim=True` keeps each one in its own row.",
)
def no_keepdim(scores):
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1)


@mistake(
    "A16",
    advice="Without `keepdim=True` the row sums lie down and become a row themselves: keep them in their "
    "rows. And subtract each row's maximum before exp.",
)
def naive_no_keepdim(scores):
    exponentials = torch.exp(scores)
    return exponentials / exponentials.sum(dim=-1)


@mistake(
    "S8",
    advice="Your sum runs over the whole table, so that all weights together sum to 1. Each row needs its "
    "own sum: `sum(dim=-1, keepdim=True)`.",
)
def one_sum(scores):
    return shifted(scores) / shifted(scores).sum()


@mistake(
    "A1",
    advice="Your sum runs over dim=1, which is the last axis only while there are two. Count from the end: "
    "dim=-1.",
)
def sum_over_second(scores):
    return shifted(scores) / shifted(scores).sum(dim=1 if scores.dim() > 1 else 0, keepdim=True)


@mistake("A1", advice="Your sum runs over dim=0, down the columns. A row runs along the last axis: dim=-1.")
def sum_over_first(scores):
    return shifted(scores) / shifted(scores).sum(dim=0, keepdim=True)
