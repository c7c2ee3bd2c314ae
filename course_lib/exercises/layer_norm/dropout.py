"""dropout: in training each number is set to 0 with probability p (Srivastava et al. 2014)."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import CUT
from course_lib.checks.results import RejectedError
from course_lib.exercises.layer_norm.draws import (
    MANY,
    MORE,
    NEAR,
    ONE_FOR_ALL,
    SHAPE,
    called,
    counts_depend,
    numbers,
    one_draw_decides,
    probabilities,
    share_dropped,
    spread_of_counts,
    told_of_calls,
    told_of_choice,
    told_of_copies,
    told_of_exact_share,
    told_of_factor,
    told_of_fixed_places,
    told_of_none,
    told_of_repeats,
)

DEPENDS = "Whether one number is dropped depends on whether others are."
DECIDES = "Under `torch.no_grad()` your function drops nothing, but `training` alone decides."
AS_NORMAL = "With p = 0.2 you drop 58 % of the numbers, as if your draws were normal (`randn`), not uniform."
NORMAL = torch.distributions.Normal(0.0, 1.0)
DROPOUTS = ("dropout", "native_dropout", "alpha_dropout", "feature_dropout")


dropout = Exercise(
    "dropout",
    points=8,
    returns=("output: batch seq d_model",),
    hints=[
        "Each number of x needs its own draw. Which shape must the random numbers have? And which result "
        "needs no draw at all?",
        "In evaluation, return x. In training, `torch.rand_like(x)` draws a number between 0 and 1 for each "
        "number of x. It is below p with probability p.",
        "Keep a number where its draw is at least p: `kept = torch.rand_like(x) >= p`. Divide what is kept "
        "by 1 - p, so that the mean stays the same.",
        "At p = 1 nothing is kept, and 0 / 0 is NaN. `torch.where` keeps NaN out of the result, but not out "
        "of its gradient. So begin with `if p == 1: return 0 * x`.",
    ],
    examples=[
        "dropout(torch.ones(4), 0.5, False)",
        "dropout(torch.ones(1000), 0.5, True).unique()",
        "dropout(torch.ones(1000), 0.2, True).unique()",
        "dropout(torch.ones(4), 0.0, True)",
        "dropout(torch.ones(4), 1.0, True)",
        "(dropout(torch.ones(10000), 0.2, True) == 0).float().mean().mul(10).round()",
        "torch.equal(dropout(torch.ones(99), 0.5, True), dropout(torch.ones(99), 0.5, True))",
        "(dropout(torch.ones(64, 4, 4), 0.5, True) == 0).all(dim=0).any()",
        "(dropout(torch.ones(4, 64, 4), 0.5, True) == 0).all(dim=1).any()",
        "(dropout(torch.ones(4, 4, 64), 0.5, True) == 0).all(dim=2).any()",
        "(dropout(torch.ones(64, 2, 2, 2), 0.5, True) == 0).all(dim=0).any()",
        "dropout(torch.ones(4, 1000), 0.5, True).corrcoef().abs().round()",
        "dropout(torch.ones(1000, 4), 0.5, True).mT.corrcoef().abs().round()",
        "len(dropout(torch.ones(999), 0.5, True).unfold(0, 60, 1).unique(dim=0))",
        "torch.stack([dropout(torch.ones(9), 0.5, True) for _ in range(60)]).count_nonzero(1).unique()"
        ".numel() > 1",
        "torch.autograd.functional.vjp(lambda x: dropout(x, 0.5, True), torch.ones(99), torch.ones(99))[1]"
        ".unique()",
        "torch.autograd.functional.vjp(lambda x: dropout(x, 0.5, False), torch.ones(4), torch.ones(4))[1]",
        "dropout(torch.zeros(2), 0.5, True)",
    ],
    ready_made=DROPOUTS,
    repeatable=False,
)


@dropout.reference
def reference(x, p, training):
    if not training:
        return x
    return torch.where(torch.rand_like(x) >= p, x, 0.0) / (1 - p or 1)


@dropout.part("a number that is kept becomes x / (1 - p)", points=1, alone=False)
def factor(drop, inputs):
    return {
        f"factor at p = {p}": told_of_factor(called(drop, x := numbers(inputs).to(dtype), p), x, p)
        for p, dtype in ((0.2, torch.float32), (0.5, torch.float64))
    }


# Its tolerance is below NEAR: what is not near is never right.
@dropout.part("each number is dropped with probability p", points=1, atol=0.98 * NEAR)
def share(drop, inputs):
    dropped, finding = called(drop, numbers(inputs), 0.5) == 0, ""
    one, copies = one_draw_decides(drop, inputs, dropped), told_of_copies(dropped)
    # Fewer draws than numbers are counted in many calls; of one draw a call no count says much.
    calls = 60 if copies else 1
    shares = {p: p if one else share_dropped(drop, inputs, p, calls) for p in (0.2, 0.5, 0.9)}
    if not one and not copies and all(p == found for p, found in shares.items()):
        result = called(drop, x := numbers(inputs, *MANY), 0.4)
        finding = told_of_exact_share(result, 0.4) or told_of_choice(result, x, 0.4)
        with torch.no_grad():
            unseen = called(drop, x, 0.4)
        finding = finding or (DECIDES if unseen.all() else "") or told_of_small_shares(drop, inputs)
    finding = finding or (told_of_fixed_places(drop, inputs) if copies and not one else "")
    if all(abs(found - NORMAL.cdf(torch.tensor(p))) < 0.03 for p, found in shares.items()):
        finding, shares = AS_NORMAL, {p: p for p in shares}
    return {f"share dropped at p = {p}": found for p, found in shares.items()} | {"finding": finding}


def told_of_small_shares(drop, inputs) -> str:
    """The same of the paper's p and of one that is drawn, of which a fifth more is hardly far."""
    x, drawn = numbers(inputs, *MORE), inputs.integer(3, 10) / 100
    told = (told_of_exact_share(called(drop, x, p), p) for p in (0.1, drawn))
    return next(filter(None, told), "")


@dropout.part("each number is dropped by itself", points=1)
def alone(drop, inputs):
    told = (told_of_dependence(drop, inputs, p) for p in probabilities(inputs))
    return {"finding": next(filter(None, told), "")}


def told_of_dependence(drop, inputs, p) -> str:
    dropped, small = called(drop, numbers(inputs), p) == 0, numbers(inputs, 1, 4, 10)
    if dropped.all() or not dropped.any():
        one = "One draw decides for all numbers of x. Draw for each of them."
        return told_of_none(drop, inputs, dropped, p) or one
    for axis, one_for_all in enumerate(ONE_FOR_ALL):
        same_everywhere = (dropped == dropped.select(axis, 0).unsqueeze(axis)).all()
        if same_everywhere:
            return one_for_all
    # Draws for the last three axes alone would be shared along a fourth, which is one with the batch here.
    four = called(drop, numbers(inputs, 2, 5, 9, 13), p) == 0
    if told := told_of_copies(dropped) or told_of_copies(four.flatten(0, 1)):
        return told
    ratios = [spread_of_counts(dropped, axis) for axis in range(3)]
    few = torch.stack([called(drop, small, p).flatten() == 0 for _ in range(60)])
    if min(*ratios, spread_of_counts(few, 1)) < 0.2:
        return "The count of dropped numbers is nearly fixed. It is free if each is drawn by itself."
    if max(ratios) > 2:
        return DEPENDS
    shares = [dropped.float().transpose(0, axis).flatten(1).mean(1) for axis in range(3)]
    if (torch.cat(shares) - dropped.float().mean()).abs().max() > 0.27:
        return "Some places are dropped more often than others."
    is_half = p == 0.5 and abs(dropped.double().mean() - 0.5) < NEAR  # counts_depend knows no others
    return DEPENDS if is_half and counts_depend(drop, inputs) else ""


@dropout.part("each call draws anew", points=1)
def anew(drop, inputs):
    told = (told_of_old_draws(drop, inputs, p) for p in probabilities(inputs))
    return {"finding": next(filter(None, told), "")}


def told_of_old_draws(drop, inputs, p) -> str:
    calls = torch.stack([(called(drop, numbers(inputs), p) == 0).flatten() for _ in range(4)])
    told = told_of_none(drop, inputs, calls[0], p) or told_of_calls(calls)
    if not told and calls[0].any() and not calls[0].all() and not told_of_copies(calls[0].view(SHAPE)):
        told = told_of_repeats(drop, inputs, p)
    return told


@dropout.part("in evaluation nothing is dropped and nothing is scaled", points=1, alone=False)
def evaluation(drop, inputs):
    results = {}
    for p, dtype in ((0.2, torch.float32), (0.5, torch.float64), (1.0, torch.float32)):
        output = called(drop, numbers(inputs).to(dtype), p, False)
        if p < 1 and not output.all():  # no number of x is 0
            raise RejectedError("In evaluation your function drops numbers: some of the output are 0.")
        results[f"output in evaluation (p = {p}): batch seq d_model"] = output
    return results


@dropout.part("p = 0 drops nothing, and p = 1 drops everything", points=1)
def ends(drop, inputs):
    results = {}
    for p in (0.0, 1.0):
        x = numbers(inputs, 2, 3, 5)
        results[f"output at p = {p}: batch seq d_model"] = called(drop, x, p)
        results[f"output at p = {p} (float64): batch seq d_model"] = called(drop, x.double(), p)
    return results


# The output is linear in x, whatever was drawn: its slope is output / x, and a wrong factor costs nothing
# here. In evaluation and at p = 0 all numbers are kept.
@dropout.part("gradients reach the numbers that are kept, and no others", points=1, alone=False)
def gradients(drop, inputs):
    cases = (0.5, True), (0.5, False), (0.0, True)
    return {"finding": next(filter(None, (told_of_slope(drop, inputs, *case) for case in cases)), "")}


def lost(result) -> bool:
    """Whether all of it is 0, or some of it NaN."""
    return not result.any() or bool(result.isnan().any())


def told_of_slope(drop, inputs, p, training) -> str:
    x, weight = numbers(inputs, 2, 30, 5).requires_grad_(), inputs.normal(2, 30, 5)
    result = called(drop, x, p, training)
    if lost(result):  # the matter of another part, unless something is left without gradients
        unseen = called(drop, x.detach(), p, training)
        excused = lost(unseen) or one_draw_decides(drop, inputs, result == 0)
        return "" if excused else CUT.format("x")
    return told_of_weighted_slope(result, x, weight)


def told_of_weighted_slope(result, x, weight) -> str:
    slope = None
    if result.requires_grad:
        (slope,) = torch.autograd.grad((result * weight).sum(), x, allow_unused=True)
    if slope is None or not slope.any():
        return CUT.format("x")
    right = torch.allclose(slope, (weight * result / x).detach().to(slope.dtype), rtol=1e-3, atol=1e-5)
    return "" if right else "The gradient of x is not weighted as x is in the output."


# Accepted: other ways to write the same


@dropout.accept("the mask as numbers, and both ends apart")
def both_ends(x, p, training):
    assert 0 <= p <= 1
    if not training or p == 0:
        return x
    if p == 1:
        return torch.zeros_like(x)
    mask = (torch.rand(x.shape) > p).float()
    return (mask * x / (1.0 - p)).to(x.dtype)


@dropout.accept("bernoulli_ of the probability to keep")
def bernoulli(x, p, training):
    if not training or p == 0:
        return x * 1
    keep = 1 - p
    mask = torch.empty_like(x).bernoulli_(keep)
    return x * mask.div_(keep) if keep else x * 0


@dropout.accept("torch.bernoulli of a tensor of probabilities")
def torch_bernoulli(x, p, training):
    if training:
        kept = torch.bernoulli(torch.full_like(x, 1 - p))
        return kept * x / max(1 - p, 1e-12)
    return x


@dropout.accept("masked_fill")
def filled(x, p, training):
    if not training:
        return x.clone()
    dropped = torch.rand_like(x) < p
    return x.masked_fill(dropped, 0) / max(1 - p, 1e-9)


@dropout.accept("number by number")
def by_number(x, p, training):
    if not training:
        return x
    kept = [0.0 if draw < p else 1 / (1 - p) for draw in torch.rand(x.numel()).tolist()]
    return x * torch.tensor(kept, dtype=x.dtype).view(x.shape)


@dropout.accept("a draw for all numbers from a generator of its own")
def own_generator(x, p, training, generator=torch.Generator()):  # noqa: B008
    p = p if training else 0.0
    kept = torch.rand(x.shape, generator=generator) >= p
    scale = 0.0 if p == 1 else 1 / (1 - p)
    return x * kept * scale
