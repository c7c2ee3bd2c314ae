"""The training loss and the learning-rate schedules."""

from collections.abc import Callable

import torch
from torch import Tensor

from course_lib.text import PAD

Loss = Callable[[Tensor, Tensor, float], Tensor]  # of logits, target ids and the smoothing


def smoothed_loss(logits: Tensor, target: Tensor, smoothing: float = 0.1) -> Tensor:
    """Mean cross-entropy of logits `(batch, seq, vocab)` against target ids `(batch, seq)`, padding left out.

    The right word gets 1 - smoothing; the rest is spread evenly over all words but padding (Szegedy et al.
    2016, section 7). Raises ValueError if the target holds nothing but padding (on the CPU; a GPU gives NaN).
    """
    keep = target != PAD
    if target.device.type == "cpu" and not keep.any():
        raise ValueError(f"target {tuple(target.shape)} is all padding: there is nothing to learn from")
    return _SmoothedLoss.apply(logits, target, keep, smoothing)


class _SmoothedLoss(torch.autograd.Function):
    """Cross-entropy with its gradient, softmax - smoothed target, by hand: a third of autograd's time."""

    @staticmethod
    def forward(ctx, logits: Tensor, target: Tensor, keep: Tensor, smoothing: float) -> Tensor:
        log_probs, count = logits.log_softmax(dim=-1), keep.sum()
        share = smoothing / (logits.shape[-1] - 1)  # of each word but padding
        right = log_probs.gather(-1, target[..., None]).squeeze(-1)
        spread = log_probs.sum(dim=-1) - log_probs[..., PAD]
        ctx.save_for_backward(log_probs, target, keep, count)
        ctx.smoothing, ctx.share = smoothing, share
        loss = -(1 - smoothing) * right - share * spread  # (batch, seq)
        return loss.mul(keep).sum() / count

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, None, None, None]:
        log_probs, target, keep, count = ctx.saved_tensors
        difference = log_probs.exp() - ctx.share
        difference[..., PAD] += ctx.share
        right = torch.full_like(target[..., None], ctx.smoothing - 1, dtype=difference.dtype)
        difference.scatter_add_(-1, target[..., None], right)
        return difference.mul_((keep * (grad / count))[..., None]), None, None, None


def noam_rate(step: int, d_model: int, warmup: int, factor: float = 1.0) -> float:
    """Learning rate of step 1, 2, ...: up in a line for `warmup` steps, then down as step^-1/2 (eq. 3)."""
    if step < 1:
        raise ValueError(f"step: expected 1 or more (step 0 would divide by zero), got {step}")
    return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


def one_cycle(done: float, warmup: float = 0.1) -> float:
    """Fraction of the peak rate once the fraction `done` (0 ... 1) of training is over: up, then to 0."""
    if done < warmup:
        return done / warmup
    return max(0.0, (1 - done) / (1 - warmup))
