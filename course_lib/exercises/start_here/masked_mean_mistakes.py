"""Wrong answers to masked_mean: name, advice, code."""

import numpy as np
import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("T11")
def padded_length(x, mask):
    """Your sum is right, but you divide it by the padded length. Divide it by the number of real words,
    `mask.sum(dim=1, keepdim=True)`.
    """
    return (x * mask[:, :, None]).mean(dim=1)


@mistake
def not_zero(x, mask):
    """You count the vectors that are not 0, but padding may hold any numbers, and a word may be 0. Count with
    the mask: `mask.sum(dim=1, keepdim=True)`.
    """
    count = (x != 0).any(dim=-1).sum(dim=1, keepdim=True).clamp(min=1)
    return (x * mask[:, :, None]).sum(dim=1) / count


@mistake
def longest_count(x, mask):
    """You divide every sum by the number of words in the longest sentence. Each sentence has its own number:
    `mask.sum(dim=1, keepdim=True)`.
    """
    return (x * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1).max().clamp(min=1)


@mistake
def count_of_first(x, mask):
    """You divide every sum by the number of words in the first sentence. Each sentence has its own number:
    `mask.sum(dim=1, keepdim=True)`.
    """
    return (x * mask[:, :, None]).sum(dim=1) / mask[0].sum().clamp(min=1)


@mistake("T9")
def mask_ignored(x, mask):
    """You average over all places, so padding is in your mean. The mask says which places hold words."""
    return x.mean(dim=1)


@mistake("M1")
def inverted(x, mask):
    """You averaged the padding and left the words out. The mask is True where a word is real."""
    padding = ~mask[:, :, None]
    return (x * padding).sum(dim=1) / padding.sum(dim=1).clamp(min=1)


@mistake
def inverted_sum(x, mask):
    """You summed the padding and left the words out. The mask is True where a word is real, so keep those
    places.
    """
    padding = x.masked_fill(mask[:, :, None], 0)
    return padding.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake(mentions=r"(?m)^\s*x\.masked_fill\(")
def not_assigned(x, mask):
    """The padding is still in your sum. `masked_fill` does not change its tensor, but returns a new one.
    Assign what it returns.
    """
    x.masked_fill(~mask[:, :, None], 0)
    return x.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake
def padding_summed(x, mask):
    """Your count is right, but padding is in your sum. Set it to 0 first: `x * mask[:, :, None]`."""
    return x.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake("P3", mentions="masked_fill|where")
def filled_without_feature_axis(x, mask):
    """The mask needs a third axis, for the numbers of a word. `mask[:, :, None]` has the shape (batch, seq,
    1), so it broadcasts to (batch, seq, d_model).
    """
    x = x.masked_fill(~mask, 0)
    return x.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake("P3", mentions=r"\*")
def no_feature_axis(x, mask):
    """The mask needs a third axis, for the numbers of a word. `mask[:, :, None]` has the shape (batch, seq,
    1), so it broadcasts to (batch, seq, d_model).
    """
    return (x * mask).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake("A16", lacks="keepdim=")
def no_keepdim(x, mask):
    """Your counts have the shape (batch,), so each number of a mean is divided by another sentence's count,
    or the shapes do not fit. `keepdim=True` makes them (batch, 1), one count for each sentence.
    """
    return (x * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1).clamp(min=1)


@mistake
def over_features(x, mask):
    """You average over the numbers of each word's vector, which leaves one number for each word. Average over
    the words: dim=1.
    """
    return (x * mask[:, :, None]).mean(dim=-1)


@mistake
def over_batch(x, mask):
    """You average over the sentences, so different sentences mix. Average over the words: dim=1."""
    real = mask[:, :, None]
    return (x * real).sum(dim=0) / real.sum(dim=0).clamp(min=1)


@mistake
def one_for_all(x, mask):
    """You put the words of all sentences together, so you get one mean for the whole batch. Keep the
    sentences apart: set padding to 0 and sum over dim=1.
    """
    return x[mask].mean(dim=0)


@mistake
def batch_count(x, mask):
    """You divide by the number of real words in the whole batch. Count the words of each sentence:
    `mask.sum(dim=1, keepdim=True)`.
    """
    return (x * mask[:, :, None]).sum(dim=1) / mask.sum().clamp(min=1)


@mistake
def batch_count_unclamped(x, mask):
    """You divide by the number of real words in the whole batch. Count the words of each sentence,
    `mask.sum(dim=1, keepdim=True)`, and let `.clamp(min=1)` make the count of an empty sentence 1.
    """
    return (x * mask[:, :, None]).sum(dim=1) / mask.sum()


@mistake
def sum_only(x, mask):
    """You return the sum. Divide it by the number of real words."""
    return (x * mask[:, :, None]).sum(dim=1)


@mistake(mentions="//")
def rounded_down(x, mask):
    """`//` rounds the result down to whole numbers. Divide with `/`."""
    return (x * mask[:, :, None]).sum(dim=1) // mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake
def count_plus_one(x, mask):
    """You add 1 to every count. This saves the empty sentence, but it makes all other means wrong.
    `.clamp(min=1)` changes only the count of the empty sentence.
    """
    return (x * mask[:, :, None]).sum(dim=1) / (mask.sum(dim=1, keepdim=True) + 1)


@mistake("T19")
def empty_is_nan(x, mask):
    """In an empty sentence you divide 0 by 0. The result is NaN, and it spreads to every number computed from
    it. Make the count at least 1: `.clamp(min=1)`.
    """
    return (x * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)


@mistake("M17", mentions="nan|where")
def nan_replaced(x, mask):
    """You replaced the NaN of the empty sentence, but its gradient is still NaN and would spoil all learning.
    Never divide by 0: use `.clamp(min=1)` on the count.
    """
    mean = (x * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
    return torch.nan_to_num(mean)


@mistake(mentions="inf")
def minus_infinity(x, mask):
    """You put minus infinity where padding is. It hides a score from a softmax, but here it makes the whole
    sum infinite. In a sum, padding must be 0.
    """
    kept = x.masked_fill(~mask[:, :, None], -torch.inf)
    return kept.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake
def first_words(x, mask):
    """You take the first places of each sentence as its words, but padding may also come before or between
    words. The mask says where the words are.
    """
    count = mask.sum(dim=1, keepdim=True)
    first = torch.arange(x.shape[1]) < count
    return (x * first[:, :, None]).sum(dim=1) / count.clamp(min=1)


@mistake
def longest_first(x, mask):
    """You cut the batch off after as many places as the longest sentence has words, but padding may also come
    before or between words. The mask says where the words are.
    """
    longest = int(mask.sum(dim=1).max())
    kept = x[:, :longest] * mask[:, :longest, None]
    return kept.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake
def mask_of_first(x, mask):
    """You use the mask of the first sentence for every sentence. Use all rows of `mask`."""
    real = mask[:1, :, None]
    return (x * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)


@mistake
def axis_kept(x, mask):
    """Your result still has the axis of the words, with size 1. Sum without `keepdim=True`."""
    real = mask[:, :, None]
    return (x * real).sum(dim=1, keepdim=True) / real.sum(dim=1, keepdim=True).clamp(min=1)


@mistake("A20")
def in_place(x, mask):
    """You change the caller's vectors, but the caller still needs them. `x = x * mask[:, :, None]` makes a
    new tensor.
    """
    x[~mask] = 0
    return x.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


@mistake(mentions=r"(?<![.\w])max\(")
def python_maximum(x, mask):
    """Python's `max` wants one number, but the batch has one count for each sentence. `.clamp(min=1)` decides
    for each count separately.
    """
    return (x * mask[:, :, None]).sum(dim=1) / max(mask.sum(dim=1, keepdim=True), 1)


@mistake(mentions=r"\bif\b")
def one_condition(x, mask):
    """An `if` needs one answer, but a tensor of several numbers has no single answer. Use a function that
    chooses for each sentence, such as `.clamp(min=1)` on the counts or `torch.where`.
    """
    total, count = (x * mask[:, :, None]).sum(dim=1), mask.sum(dim=1, keepdim=True)
    return total / count if count > 0 else total


@mistake(mentions="numpy")
def by_numpy(x, mask):
    """NumPy computes no gradients. (A gradient says how a result changes when an input changes. Models learn
    from gradients.) Use tensors and PyTorch's functions from beginning to end.
    """
    array, real = x.numpy(), mask.numpy()
    count = np.maximum(real.sum(axis=1, keepdims=True), 1)
    return torch.from_numpy((array * real[:, :, None]).sum(axis=1) / count).float()


@mistake(mentions=r"detach|numpy|item\(|tolist|(?<![.\w])float\(|no_grad|\.data\b|\btensor\(")
def cut_off(x, mask):
    """Your numbers are right, but one of your steps loses the gradients. (A gradient says how a result
    changes when an input changes. Models learn from gradients.) `.detach()`, `.item()`, `.tolist()`,
    `float(...)`, NumPy, `no_grad` and `torch.tensor` of a result lose them.
    """
    real = mask[:, :, None]
    return (x.detach() * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)


LISTED = r"append|list\(|\bfor\b"


@mistake(mentions=LISTED, lacks=r"stack|cat\(")
def list_of_means(x, mask):
    """You return a list, and the result must be one tensor (batch, d_model). Make it of the list with
    `torch.stack(...)`.
    """
    return [words[real].sum(dim=0) / real.sum().clamp(min=1) for words, real in zip(x, mask, strict=True)]


@mistake("T19", mentions=LISTED, lacks=r"stack|cat\(")
def list_with_mean_of_none(x, mask):
    """You return a list, and the result must be one tensor: make it of the list with `torch.stack(...)`.
    The mean of no words is 0/0, which is NaN: use zeros for a sentence without real words.
    """
    return [words[real].mean(dim=0) for words, real in zip(x, mask, strict=True)]


@mistake("T19")
def mean_of_none(x, mask):
    """The mean of no words is 0/0, which is NaN. Return zeros for a sentence without real words, or divide a
    sum by a count that is at least 1.
    """
    return torch.stack([words[real].mean(dim=0) for words, real in zip(x, mask, strict=True)])


@mistake
def sums_features(x, mask):
    """You sum over dim=2, the numbers of a word. The words are along axis 1, so sum over dim=1."""
    real = mask[:, :, None]
    return (x * real).sum(dim=2) / real.sum(dim=1).clamp(min=1)
