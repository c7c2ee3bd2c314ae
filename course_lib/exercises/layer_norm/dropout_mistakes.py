"""Wrong answers to dropout: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


def kept_by(numbers, x, p, training, factor=None):
    """x where the numbers are at least p, else 0; all right but for what is given."""
    if not training:
        return x
    return torch.where(numbers >= p, x * (1 / max(1 - p, 1e-9) if factor is None else factor), 0.0)


# The factor


@mistake("U0")
def not_scaled(x, p, training):
    """You do not scale the numbers that are kept. In evaluation nothing is dropped, so sums would be larger
    there than in training. Divide by 1 - p.
    """
    return kept_by(torch.rand_like(x), x, p, training, 1.0)


@mistake("U1")
def divided_by_p(x, p, training):
    """You divide by p, the probability to drop. A share of 1 - p is kept, so divide by 1 - p."""
    return kept_by(torch.rand_like(x), x, p, training, 1 / p if p else 1.0)


@mistake("U1", mentions="/ p")
def divided_by_p_at_zero(x, p, training):
    """You divide by p, the probability to drop, so at p = 0 you divide by 0. A share of 1 - p is kept: divide
    by 1 - p.
    """
    return torch.where(torch.rand_like(x) >= p, x / p, 0.0) if training else x


@mistake("U0")
def multiplied(x, p, training):
    """You multiply by 1 - p, which makes the mean even smaller. Divide by 1 - p."""
    return kept_by(torch.rand_like(x), x, p, training, 1 - p)


@mistake
def plus_p(x, p, training):
    """You multiply by 1 + p. This is near 1 / (1 - p) only for small p. Divide by 1 - p."""
    return kept_by(torch.rand_like(x), x, p, training, 1 + p)


@mistake("U2")
def by_the_share_drawn(x, p, training):
    """You divide by the share that happened to be kept, so the factor changes from call to call. Divide by
    1 - p.
    """
    kept = torch.rand_like(x) >= p
    return kept_by(kept.to(x.dtype) * 2, x, p, training, 1 / kept.to(x.dtype).mean().clamp_min(1e-9))


@mistake
def times_noise(x, p, training):
    """You multiply every number by noise. Dropout multiplies each number either by 0 or by 1 / (1 - p)."""
    if not training or p == 0:
        return x
    if p == 1:
        return x * 0
    return torch.where(torch.rand_like(x) < p, 0.0, x * (1 + torch.randn_like(x)))


# The probability


@mistake("U3")
def drops_the_others(x, p, training):
    """You drop a number with probability 1 - p. Keep it where its draw is at least p."""
    return kept_by(torch.rand_like(x), x, 1 - p, training, 1 / max(1 - p, 1e-9))


@mistake("U3", mentions="<")
def kept_below_p(x, p, training):
    """You keep a number where its draw is below p, so you drop it with probability 1 - p. Keep it where its
    draw is at least p.
    """
    return torch.where(torch.rand_like(x) < p, x / (1 - p), 0.0) if training else x


@mistake("U3", mentions="<")
def kept_below_p_but_at_one(x, p, training):
    """You keep a number where its draw is below p, so you drop it with probability 1 - p. Keep it where its
    draw is at least p. (Then you need no other line for p = 0.)
    """
    if p == 1:
        return torch.zeros_like(x) if training else x
    return torch.where(torch.rand_like(x) < p, x / (1 - p), 0.0) if training else x


@mistake("U3")
def p_is_kept(x, p, training):
    """You take p for the probability to keep a number. Here, as in PyTorch, p is the probability to drop
    it.
    """
    return kept_by(torch.rand_like(x), x, 1 - p, training, 1 / max(p, 1e-9))


@mistake("U3", mentions="bernoulli|/ p")
def p_is_kept_without_a_bound(x, p, training):
    """You take p for the probability to keep a number, and divide by it, which is 0/0 at p = 0. Here, as in
    PyTorch, p is the probability to drop it.
    """
    return x * (torch.rand_like(x) < p) / p if training else x


@mistake("U4", mentions="randn|normal")
def normal_draws(x, p, training):
    """Your draws are normal (`randn`), and a normal number is below p with another probability. Draw numbers
    that are uniform between 0 and 1: `torch.rand_like(x)`.
    """
    if training and p in (0, 1):
        return x * (1 - p)
    return kept_by(torch.randn_like(x), x, p, training)


@mistake
def always_half(x, p, training):
    """You drop half of the numbers, whatever p is. Compare the draw with p."""
    if training and p in (0, 1):
        return x * (1 - p)
    return kept_by(torch.rand_like(x), x, 0.5, training, 1 / max(1 - p, 1e-9))


# What one draw decides


@mistake("U5")
def same_for_the_batch(x, p, training):
    """All sentences of the batch lose the same numbers, because your draws have no batch axis.
    `torch.rand_like(x)` has all axes of x.
    """
    return kept_by(torch.rand(x.shape[1:]) if x.dim() > 2 else torch.rand_like(x), x, p, training)


@mistake("U5")
def same_for_the_words(x, p, training):
    """All words of a sentence lose the same features. `torch.rand_like(x)` has a draw for each number."""
    return kept_by(torch.rand_like(x[..., :1, :]) if x.dim() > 1 else torch.rand_like(x), x, p, training)


@mistake("U5")
def whole_words(x, p, training):
    """You drop whole words. `torch.rand_like(x)` has a draw for each number."""
    return kept_by(torch.rand_like(x[..., :1]) if x.dim() > 1 else torch.rand_like(x), x, p, training)


def repeated(x, axis, share=2):
    """Draws for the first part of an axis, which the rest of it gets again."""
    size = x.shape[axis]
    draws = torch.rand_like(x.narrow(axis, 0, -(-size // share)))
    return torch.cat([draws] * share, dim=axis).narrow(axis, 0, size)


@mistake("U5")
def some_sentences_share(x, p, training):
    """Some sentences of the batch share their draws: whether a number of one is dropped tells it of the other
    one. Draw for each number of x: `torch.rand_like(x)`.
    """
    return kept_by(repeated(x, 0), x, p, training)


@mistake("U5")
def some_words_share(x, p, training):
    """Some words of a sentence share their draws: whether a number of one is dropped tells it of the other
    one. Draw for each number of x: `torch.rand_like(x)`.
    """
    return kept_by(repeated(x, -2) if x.dim() > 1 else torch.rand_like(x), x, p, training)


@mistake("U5")
def some_features_share(x, p, training):
    """Some features of a word share their draws: whether one is dropped tells it of the other one. Draw for
    each number of x: `torch.rand_like(x)`.
    """
    return kept_by(repeated(x, -1), x, p, training)


@mistake("U5")
def draws_repeat(x, p, training):
    """You use the same draws again for later numbers of x, so that numbers far from each other are dropped
    together. Draw for each number of x: `torch.rand_like(x)`.
    """
    few = max(x.numel() // 6 - 1, 1)
    draws = torch.rand(few).repeat(x.numel() // few + 1)[: x.numel()]
    return kept_by(draws.view(x.shape), x, p, training)


@mistake
def one_draw(x, p, training):
    """One draw decides for the whole tensor, so a call drops everything or nothing. Draw for each number of
    x: `torch.rand_like(x)`.
    """
    return kept_by(torch.rand(()), x, p, training)


@mistake
def fixed_count(x, p, training):
    """You drop a fixed count of numbers. In dropout each number is drawn by itself, so the count is random
    too: compare a draw for each number with p.
    """
    ranks = torch.rand(x.numel()).argsort().argsort().view(x.shape)
    return kept_by((ranks + 0.5) / max(x.numel(), 1), x, p, training)


@mistake(mentions="seed")
def seeded(x, p, training):
    """You set a seed in the function, so every call drops the same numbers. Set seeds outside."""
    torch.manual_seed(0)
    return kept_by(torch.rand_like(x), x, p, training)


DRAWN = {}


@mistake("U6")
def drawn_once(x, p, training):
    """Every call drops the same numbers. Draw new random numbers in each call, and do not keep them."""
    return kept_by(DRAWN.setdefault(x.shape, torch.rand(x.shape)), x, p, training)


# Evaluation


@mistake("A19")
def drops_in_evaluation(x, p, training):
    """You drop numbers in evaluation too. If `training` is False, return x."""
    return kept_by(torch.rand_like(x), x, p, True)


@mistake("U7")
def scaled_in_evaluation(x, p, training):
    """You scale in evaluation too. The factor 1 / (1 - p) in training has done this already: if `training` is
    False, return x.
    """
    return kept_by(torch.rand_like(x), x, p, True) if training else x * (1 - p)


@mistake("U7")
def scaled_up_in_evaluation(x, p, training):
    """You divide by 1 - p in evaluation too, where nothing is dropped. If `training` is False, return x."""
    return kept_by(torch.rand_like(x), x, p, True) if training else x / (1 - p)


@mistake("U7")
def scaled_only_in_evaluation(x, p, training):
    """You scale by 1 - p in evaluation, as the paper of 2014 did. Here the scale is in training: divide what
    is kept by 1 - p there, and return x in evaluation.
    """
    return kept_by(torch.rand_like(x), x, p, True, 1.0) if training else x * (1 - p)


@mistake
def other_way_round(x, p, training):
    """You drop in evaluation and not in training. It must be the other way round."""
    return kept_by(torch.rand_like(x), x, p, not training)


@mistake
def never(x, p, training):
    """You return x unchanged in training too. Set a share of p of its numbers to 0 there."""
    return x


# The ends, gradients and the caller's numbers


@mistake("U8")
def nan_at_one(x, p, training):
    """At p = 1 you compute 0 / 0, which is NaN. Everything is dropped there, so return zeros."""
    if not training:
        return x
    return x * (torch.rand_like(x) >= p) / (1 - p)


@mistake("U8")
def fails_at_one(x, p, training):
    """At p = 1 your code divides the Python number 1 by 0, which raises an error. Everything is dropped
    there, so return zeros.
    """
    return x * (torch.rand_like(x) >= p) * (1 / (1 - p)) if training else x


@mistake
def one_keeps_everything(x, p, training):
    """At p = 1 you return x. p is the probability to drop, so everything is dropped there: return zeros."""
    return x if p == 1 else kept_by(torch.rand_like(x), x, p, training)


@mistake(mentions=r"detach|\.data\b|no_grad|numpy")
def cut(x, p, training):
    """Your result is cut off from x (`detach`, `.data`, `no_grad` or numpy), so no gradient comes back. Only
    the random numbers need no gradient.
    """
    return kept_by(torch.rand_like(x), x.detach(), p, training)


@mistake(mentions=r"float64|double|numpy|\bnp\b")
def other_dtype(x, p, training):
    """Your mask is float64, as numpy's numbers are, so the output is float64 too. Keep the dtype of x."""
    return kept_by(torch.rand_like(x), x.double(), p, training) if training else x


@mistake("A20", mentions=r"\[.*\] = |\*=|/=|_\(")
def in_place(x, p, training):
    """You write into x, which the caller still needs. Make a new tensor, for instance with `torch.where`."""
    if training:
        x.detach().mul_(torch.rand_like(x) >= p).div_(max(1 - p, 1e-9))
    return x
