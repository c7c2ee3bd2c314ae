"""Wrong answers to rms_norm: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.gpt.rms_norm import formula

mistake = Mistakes()


@mistake
def subtracts_the_mean(x, gain, eps=1e-5):
    """You subtract the mean first, as layer_norm does. RMSNorm leaves this step out: divide x itself."""
    x = x - x.mean(dim=-1, keepdim=True)
    return gain * x / torch.sqrt(x.pow(2).mean(dim=-1, keepdim=True) + eps)


@mistake
def by_the_deviation(x, gain, eps=1e-5):
    """You divide by the standard deviation, which subtracts the mean inside. Divide by the root of the mean
    of the squares of x.
    """
    return gain * x / torch.sqrt(x.var(dim=-1, correction=0, keepdim=True) + eps)


@mistake
def by_the_unbiased_deviation(x, gain, eps=1e-5):
    """You divide by PyTorch's standard deviation, which subtracts the mean and divides by d_model - 1. Use
    the root of the mean of the squares of x.
    """
    return gain * x / torch.sqrt(x.var(dim=-1, keepdim=True) + eps)


@mistake
def by_the_length(x, gain, eps=1e-5):
    """You take the root of the sum of the squares, so each token gets length 1. Take the root of their mean:
    the numbers become larger by sqrt(d_model).
    """
    return gain * x / torch.sqrt(x.pow(2).sum(dim=-1, keepdim=True) + eps)


@mistake("L2")
def eps_outside(x, gain, eps=1e-5):
    """You add eps to the root. The formula adds eps to the mean square, under the root."""
    return gain * x / (x.pow(2).mean(dim=-1, keepdim=True).sqrt() + eps)


@mistake
def eps_on_the_result(x, gain, eps=1e-5):
    """You add eps to the result, because a root and a division come before a sum. Add eps to the mean square
    in brackets, and take the root of this sum.
    """
    return gain * x / x.pow(2).mean(dim=-1, keepdim=True).sqrt() + eps


@mistake("L6")
def without_eps(x, gain, eps=1e-5):
    """You do not add eps, so a token of zeros gives NaN. Add eps to the mean square, under the root."""
    return gain * x / x.pow(2).mean(dim=-1, keepdim=True).sqrt()


@mistake
def at_least_eps(x, gain, eps=1e-5):
    """You use eps as a lower limit. The formula adds eps to every mean square."""
    return gain * x / x.pow(2).mean(dim=-1, keepdim=True).clamp(min=eps).sqrt()


@mistake
def own_eps(x, gain, eps=1e-5):
    """You do not use the eps that the function was given. Write `eps`, not a number."""
    return formula(x, gain)


@mistake("L11")
def without_gain(x, gain, eps=1e-5):
    """You do not use the gain. Multiply each feature by its gain at the end."""
    return formula(x, torch.ones_like(gain), eps) + 0 * gain


@mistake
def one_plus_gain(x, gain, eps=1e-5):
    """You multiply by 1 + gain, as Gemma does, whose gain starts at 0. Here the gain starts at 1, so multiply
    by the gain itself.
    """
    return formula(x, 1 + gain, eps)


@mistake
def gain_added(x, gain, eps=1e-5):
    """You add the gain, but it is a factor. Multiply each feature by its gain."""
    return formula(x, torch.ones_like(gain), eps) + gain


@mistake
def gain_inside(x, gain, eps=1e-5):
    """You multiply by the gain before the mean square is taken, so the division undoes a part of the gain.
    Multiply after the division.
    """
    return formula(x * gain, torch.ones_like(gain), eps)


@mistake("L5")
def without_root(x, gain, eps=1e-5):
    """You divide by the mean square itself. Take its root first."""
    return gain * x / (x.pow(2).mean(dim=-1, keepdim=True) + eps)


@mistake
def times_root(x, gain, eps=1e-5):
    """You multiply by the root mean square. Divide by it, or multiply by `torch.rsqrt(...)`."""
    return gain * x * torch.sqrt(x.pow(2).mean(dim=-1, keepdim=True) + eps)


@mistake
def mean_then_square(x, gain, eps=1e-5):
    """You square the mean of the features. Square the features first, then take the mean."""
    return gain * x / torch.sqrt(x.mean(dim=-1, keepdim=True).pow(2) + eps)


@mistake
def absolute(x, gain, eps=1e-5):
    """You divide by the mean of the absolute values. Square the features, take the mean, then the root."""
    return gain * x / (x.abs().mean(dim=-1, keepdim=True) + eps)


@mistake("L10")
def over_everything(x, gain, eps=1e-5):
    """You take one mean over the whole tensor. Each token has its own: take the mean over `dim=-1`."""
    return gain * x / torch.sqrt(x.pow(2).mean() + eps)


@mistake("L8")
def over_positions(x, gain, eps=1e-5):
    """You take the mean over the positions. Each token is normalized alone: take the mean over `dim=-1`."""
    axis = -2 if x.dim() > 1 else -1
    return gain * x / torch.sqrt(x.pow(2).mean(dim=axis, keepdim=True) + eps)


@mistake("L9")
def over_the_batch(x, gain, eps=1e-5):
    """You take the mean over the first axis. Each token is normalized alone: take the mean over `dim=-1`."""
    return gain * x / torch.sqrt(x.pow(2).mean(dim=0, keepdim=True) + eps)


@mistake("A16", lacks="keepdim")
def axis_lost(x, gain, eps=1e-5):
    """Your mean square has lost the axis of the features, so it does not fit x. Use `keepdim=True`."""
    return gain * x / torch.sqrt(x.pow(2).mean(dim=-1) + eps)


@mistake(mentions=r"detach|no_grad|\.data\b")
def cut_off(x, gain, eps=1e-5):
    """You cut the gradient of the root mean square off. Let it flow: use x itself in both places."""
    return gain * x / torch.sqrt(x.detach().pow(2).mean(dim=-1, keepdim=True) + eps)


@mistake("A20")
def in_place(x, gain, eps=1e-5):
    """You change x itself, and the caller still needs it. Make a new tensor."""
    x /= torch.sqrt(x.pow(2).mean(dim=-1, keepdim=True) + eps)
    return gain * x
