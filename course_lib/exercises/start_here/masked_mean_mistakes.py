"""Wrong answers to masked_mean: name, advice, code."""

import numpy as np
import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("T11")
def padded_length(x, mask):
    """The sum is right, the count is not: you divide by the padded length. Divide by the number of real
    words, `mask.sum(dim=1, keepdim=True)`.
    """
    return (x * mask[:, :, None]).mean(dim=1)


@mistake
def not_zero(x, mask):
    """You count the vectors that are not 0, but padding may hold any numbers. The mask says which are words:
    `mask.sum(dim=1, keepdim=True)`.
    """
    count = (x != 0).any(dim=-1).sum(dim=1, keepdim=True).clamp(min=1)
    return (x * mask[:, :, None]).sum(dim=1) / count


@mistake
def longest_count(x, mask):
    """You divide every sum by the number of words of the longest sentence. Each sentence has its own:
    `mask.sum(dim=1, keepdim=True)`.
    """
    return (x * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1).max().clamp(min=1)


@mistake
def count_of_first(x, mask):
    """You divide every sum by the number of words of the first sentence. Each sentence has its own:
    `mask.sum(dim=1, keepdim=True)`.
    """
    return (x * mask[:, :, None]).sum(dim=1) / mask[0].sum().clamp(min=1)


@mistake("T9")
def mask_ignored(x, mask):
    """Padding is averaged in: this is the mean over all places. The mask says which of them hold words."""
    return x.mean(dim=1)


@mistake("M1")
def inverted(x, mask):
    """You averaged the padding and left the words out: the mask is True where a word is real."""
    padding = ~mask[:, :, None]
    return (x * padding).sum(dim=1) / padding.sum(dim=1).clamp(min=1)


@mistake
def inverted_sum(x, mask):
    """You summed the padding and left the words out. The mask is True where a word is real: turn the choice
    round.
    """
    padding = x.masked_fill(mask[:, :, None], 0)
    return padding.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake(mentions=r"(?m)^\s*x\.masked_fill\(")
def not_assigned(x, mask):
    """The padding is still in your sum. `masked_fill` returns a new tensor: assign what it gives."""
    x.masked_fill(~mask[:, :, None], 0)
    return x.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake
def padding_summed(x, mask):
    """The count is right, but padding is in the sum too. Set it to 0 first: `x * mask[:, :, None]`."""
    return x.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake("P3", mentions="masked_fill|where")
def filled_without_feature_axis(x, mask):
    """The mask needs an axis for the features, so that it broadcasts to (batch, seq, d_model): `mask[:, :,
    None]`.
    """
    x = x.masked_fill(~mask, 0)
    return x.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake("P3", mentions=r"\*")
def no_feature_axis(x, mask):
    """The mask needs an axis for the features, so that it broadcasts to (batch, seq, d_model): `mask[:, :,
    None]`.
    """
    return (x * mask).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake("A16", lacks="keepdim=")
def no_keepdim(x, mask):
    """The counts have the shape (batch,), and the division lays them along the features. `keepdim=True` makes
    them (batch, 1), one a sentence.
    """
    return (x * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1).clamp(min=1)


@mistake
def over_features(x, mask):
    """Your mean runs over the features and leaves one number a word. Average over the words: dim=1."""
    return (x * mask[:, :, None]).mean(dim=-1)


@mistake
def over_batch(x, mask):
    """Your mean runs over the sentences: they mix, and each place keeps a vector. Average over the words:
    dim=1.
    """
    real = mask[:, :, None]
    return (x * real).sum(dim=0) / real.sum(dim=0).clamp(min=1)


@mistake
def one_for_all(x, mask):
    """You put the words of all sentences together, so that you get one mean for the whole batch. Keep the
    sentences apart: set padding to 0 and sum over dim=1.
    """
    return x[mask].mean(dim=0)


@mistake
def batch_count(x, mask):
    """You divide by the real words of the whole batch: count them sentence by sentence, with `mask.sum(dim=1,
    keepdim=True)`.
    """
    return (x * mask[:, :, None]).sum(dim=1) / mask.sum().clamp(min=1)


@mistake
def sum_only(x, mask):
    """This is the sum. Divide it by the number of real words."""
    return (x * mask[:, :, None]).sum(dim=1)


@mistake(mentions="//")
def rounded_down(x, mask):
    """`//` rounds down to whole numbers: divide with `/`."""
    return (x * mask[:, :, None]).sum(dim=1) // mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake
def count_plus_one(x, mask):
    """Adding 1 to the count saves the empty sentence and spoils all others. `.clamp(min=1)` changes the empty
    one alone.
    """
    return (x * mask[:, :, None]).sum(dim=1) / (mask.sum(dim=1, keepdim=True) + 1)


@mistake("T19")
def empty_is_nan(x, mask):
    """An empty sentence is 0/0, which is NaN, and NaN spreads to all that meets it. Make the count at least
    1: `.clamp(min=1)`.
    """
    return (x * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)


@mistake("M17", mentions="nan|where")
def nan_replaced(x, mask):
    """You replaced the NaN of the empty sentence, but its gradient is still NaN and would spoil all learning.
    Never divide by 0: `.clamp(min=1)` on the count.
    """
    mean = (x * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
    return torch.nan_to_num(mean)


@mistake(mentions="inf")
def minus_infinity(x, mask):
    """Minus infinity hides a score from a softmax. In a sum it swallows everything: what adds
    nothing is 0.
    """
    kept = x.masked_fill(~mask[:, :, None], -torch.inf)
    return kept.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake
def first_words(x, mask):
    """You take the first words of each sentence; padding may also stand before or between them. The mask says
    where.
    """
    count = mask.sum(dim=1, keepdim=True)
    first = torch.arange(x.shape[1]) < count
    return (x * first[:, :, None]).sum(dim=1) / count.clamp(min=1)


@mistake
def longest_first(x, mask):
    """You cut the batch off after as many places as the longest sentence has words. Padding may also stand
    before or between the words: the mask says where.
    """
    longest = int(mask.sum(dim=1).max())
    kept = x[:, :longest] * mask[:, :longest, None]
    return kept.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake
def mask_of_first(x, mask):
    """Every sentence gets the mask of the first one: use all rows of `mask`."""
    real = mask[:1, :, None]
    return (x * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)


@mistake
def axis_kept(x, mask):
    """The axis of the words is still there, with size 1: sum without `keepdim=True`."""
    real = mask[:, :, None]
    return (x * real).sum(dim=1, keepdim=True) / real.sum(dim=1, keepdim=True).clamp(min=1)


@mistake("A20")
def in_place(x, mask):
    """The caller still needs its vectors: `x = x * mask[:, :, None]` makes a new tensor."""
    x[~mask] = 0
    return x.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake(mentions=r"(?<![.\w])max\(")
def python_maximum(x, mask):
    """Python's `max` wants one number, and the batch has one count a sentence. `.clamp(min=1)` decides for
    each by itself.
    """
    return (x * mask[:, :, None]).sum(dim=1) / max(mask.sum(dim=1, keepdim=True), 1)


@mistake(mentions=r"\bif\b")
def one_condition(x, mask):
    """An `if` needs one answer, and a tensor of several numbers has none. A choice for each sentence of the
    batch is made by a function of tensors, as `.clamp(min=1)` of counts or `torch.where`.
    """
    total, count = (x * mask[:, :, None]).sum(dim=1), mask.sum(dim=1, keepdim=True)
    return total / count if count > 0 else total


@mistake(mentions="numpy")
def by_numpy(x, mask):
    """NumPy knows no gradients: numbers that say how a result changes when an input changes. All learning
    needs them. Keep to tensors and PyTorch's functions from end to end.
    """
    array, real = x.numpy(), mask.numpy()
    count = np.maximum(real.sum(axis=1, keepdims=True), 1)
    return torch.from_numpy((array * real[:, :, None]).sum(axis=1) / count).float()


@mistake(mentions=r"detach|numpy|item\(|tolist|(?<![.\w])float\(|no_grad|\.data\b|\btensor\(")
def cut_off(x, mask):
    """The numbers are right, but a step on the way cuts gradients off: numbers that say how a result changes
    when an input changes. All learning needs them, and `.detach()`, `.item()`, `.tolist()`, `float(...)`,
    NumPy, `no_grad` and `torch.tensor` of a result lose them.
    """
    real = mask[:, :, None]
    return (x.detach() * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)


@mistake("T19")
def mean_of_none(x, mask):
    """The mean of no words is 0/0, NaN. Give a sentence without real words zeros, or divide a sum by a count
    that is at least 1.
    """
    return torch.stack([words[real].mean(dim=0) for words, real in zip(x, mask, strict=True)])


@mistake
def sums_features(x, mask):
    """The words follow axis 1; dim=2 runs over the numbers of a word. Sum over dim=1."""
    real = mask[:, :, None]
    return (x * real).sum(dim=2) / real.sum(dim=1).clamp(min=1)
