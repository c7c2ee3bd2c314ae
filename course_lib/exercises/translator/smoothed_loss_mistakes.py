"""Wrong answers to smoothed_loss: name, advice, code."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


def terms(logits, target, pad):
    """The two log-probabilities of the formula, (batch, seq), and where real words are."""
    log_probs = logits.log_softmax(dim=-1)
    right = log_probs.gather(-1, target[..., None]).squeeze(-1)
    others = (log_probs.sum(dim=-1) - log_probs[..., pad]) / (logits.shape[-1] - 1)
    return right, others, target != pad


def combined(right, others, smoothing):
    return -(1 - smoothing) * right - smoothing * others


@mistake("T9")
def counts_padding(logits, target, smoothing=0.1, pad=0):
    """Your mean includes padding. Take the mean over the positions where `target != pad`."""
    right, others, _ = terms(logits, target, pad)
    return combined(right, others, smoothing).mean()


@mistake("T10")
def always_zero(logits, target, smoothing=0.1, pad=0):
    """You leave out id 0, but the id of padding is the argument `pad`. Here 0 may be a word."""
    right, others, _ = terms(logits, target, 0)
    return combined(right, others, smoothing)[target != 0].mean()


@mistake("T10")
def leaves_out_one(logits, target, smoothing=0.1, pad=0):
    """You leave out id 1, the begin symbol. The id of padding is the argument `pad`."""
    right, others, _ = terms(logits, target, pad)
    return combined(right, others, smoothing)[target != 1].mean()


@mistake("T11")
def divides_by_all(logits, target, smoothing=0.1, pad=0):
    """You set the loss at padding to 0, but you still count these positions in the mean. Divide by the number
    of real words.
    """
    right, others, real = terms(logits, target, pad)
    return (combined(right, others, smoothing) * real).mean()


@mistake("T12")
def mean_of_sentences(logits, target, smoothing=0.1, pad=0):
    """You take the mean of each sentence first, so a word in a short sentence has a larger weight. Here all
    words of the batch have the same weight.
    """
    right, others, real = terms(logits, target, pad)
    loss = combined(right, others, smoothing) * real
    return (loss.sum(dim=1) / real.sum(dim=1)).mean()


@mistake("T14")
def softmax_twice(logits, target, smoothing=0.1, pad=0):
    """You apply softmax twice, because `log_softmax` and `cross_entropy` take logits. With probabilities as
    input, even a perfect model keeps a loss far from 0.
    """
    right, others, real = terms(logits.softmax(dim=-1), target, pad)
    return combined(right, others, smoothing)[real].mean()


@mistake("T17", mentions=r"\.(view|reshape)\(")
def viewed(logits, target, smoothing=0.1, pad=0):
    """`view` and `reshape` do not swap axes, so they mix positions with the vocabulary. Use `transpose(1,
    2)`.
    """
    batch, seq, vocab = logits.shape
    right, others, real = terms(logits.reshape(batch, vocab, seq).transpose(1, 2), target, pad)
    return combined(right, others, smoothing)[real].mean()


@mistake("T10")
def shares_without_first_column(logits, target, smoothing=0.1, pad=0):
    """Your smoothing term leaves out column 0. The column of padding is column `pad`, which may be another
    one.
    """
    right, _, real = terms(logits, target, pad)
    others = logits.log_softmax(dim=-1)[..., 1:].mean(dim=-1)
    return combined(right, others, smoothing)[real].mean()


@mistake("T10", mentions="target > pad")
def greater_than_pad(logits, target, smoothing=0.1, pad=0):
    """`target > pad` loses the words whose id is smaller than `pad`. Real words are all words where `target
    != pad`.
    """
    right, others, _ = terms(logits, target, pad)
    return combined(right, others, smoothing)[target > pad].mean()


@mistake("T17", mentions="cross_entropy")
def not_flattened(logits, target, smoothing=0.1, pad=0):
    """`cross_entropy` expects the vocabulary as the second axis. Give it `logits.transpose(1, 2)`, or flatten
    both, `logits.flatten(0, 1)` and `target.flatten()`.
    """
    return F.cross_entropy(logits, target, ignore_index=pad)


@mistake("T17", mentions=r"transpose\(0, 1\)|permute\(1, 0")
def time_first(logits, target, smoothing=0.1, pad=0):
    """The logits are in another order than the targets, so positions and answers do not belong together.
    Leave both as (batch, seq), without `transpose(0, 1)`, or flatten both in the same way.
    """
    log_probs, ids = logits.log_softmax(dim=-1).transpose(0, 1).flatten(0, 1), target.flatten()
    right = log_probs.gather(-1, ids[:, None]).squeeze(-1)
    others = (log_probs.sum(dim=-1) - log_probs[:, pad]) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[ids != pad].mean()


@mistake(mentions=r"log\(")
def log_of_softmax(logits, target, smoothing=0.1, pad=0):
    """A small probability is rounded to 0, and its logarithm is then minus infinity. `log_softmax` computes
    both in one step and avoids this.
    """
    log_probs = torch.log(logits.softmax(dim=-1))
    right = log_probs.gather(-1, target[..., None]).squeeze(-1)
    others = (log_probs.sum(dim=-1) - log_probs[..., pad]) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[target != pad].mean()


@mistake(mentions="gather")
def gather_without_axis(logits, target, smoothing=0.1, pad=0):
    """`gather` needs an index with as many axes as `log_probs`. Give it `target[..., None]`, and remove the
    last axis afterwards with `.squeeze(-1)`.
    """
    log_probs = logits.log_softmax(dim=-1)
    right = log_probs.gather(-1, target)
    others = (log_probs.sum(dim=-1) - log_probs[..., pad]) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[target != pad].mean()


@mistake(mentions=r"(:|\.\.\.), target\]")
def indexed_by_all(logits, target, smoothing=0.1, pad=0):
    """`log_probs[:, :, target]` takes every target of the batch at every position. To take each position's
    own target, write `log_probs.gather(-1, target[..., None])`.
    """
    log_probs = logits.log_softmax(dim=-1)
    right = log_probs[:, :, target]
    others = (log_probs.sum(dim=-1) - log_probs[..., pad]) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[target != pad].mean()


@mistake("T20")
def padding_shares(logits, target, smoothing=0.1, pad=0):
    """Padding gets a share of the smoothing, as `label_smoothing` does it, but padding is never a right
    answer. Leave out its column, and divide by V - 1.
    """
    return F.cross_entropy(logits.transpose(1, 2), target, ignore_index=pad, label_smoothing=smoothing)


@mistake("T20")
def all_but_right(logits, target, smoothing=0.1, pad=0):
    """You share the smoothing among all words except the right one, and padding gets a share. Share it among
    all words except padding.
    """
    log_probs, right = logits.log_softmax(dim=-1), terms(logits, target, pad)[0]
    others = (log_probs.sum(dim=-1) - right) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[target != pad].mean()


@mistake("T20")
def padding_in_the_sum(logits, target, smoothing=0.1, pad=0):
    """Your sum over the vocabulary includes the column of padding, but you divide it by V - 1, so the shares
    sum to more than `smoothing`. Take away `log_probs[..., pad]` first.
    """
    right, _, real = terms(logits, target, pad)
    others = logits.log_softmax(dim=-1).sum(dim=-1) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[real].mean()


@mistake("T21")
def divides_by_vocab(logits, target, smoothing=0.1, pad=0):
    """Your shares sum to less than `smoothing`. V - 1 words share it, so divide by V - 1 and not by V."""
    right, others, real = terms(logits, target, pad)
    vocab = logits.shape[-1]
    return combined(right, others * (vocab - 1) / vocab, smoothing)[real].mean()


@mistake
def not_to_the_right_word(logits, target, smoothing=0.1, pad=0):
    """You share the smoothing among all words except padding and the right word, as some papers do. In the
    formula here the right word gets a share too.
    """
    right, others, real = terms(logits, target, pad)
    vocab = logits.shape[-1]
    others = (others * (vocab - 1) - right) / (vocab - 2)
    return combined(right, others, smoothing)[real].mean()


@mistake("T22")
def padding_keeps_share(logits, target, smoothing=0.1, pad=0):
    """You still count the smoothing term at padding. Leave out both terms at these positions."""
    right, others, real = terms(logits, target, pad)
    return combined(right * real, others, smoothing).sum() / real.sum()


@mistake("T23")
def on_top(logits, target, smoothing=0.1, pad=0):
    """The right word keeps the probability 1 and the smoothing comes on top. Give the right word 1 -
    smoothing.
    """
    right, others, real = terms(logits, target, pad)
    return (-right - smoothing * others)[real].mean()


@mistake("T23")
def swapped(logits, target, smoothing=0.1, pad=0):
    """You swapped the two factors. The right word gets 1 - smoothing, and all words share `smoothing`."""
    right, others, real = terms(logits, target, pad)
    return combined(right, others, 1 - smoothing)[real].mean()


@mistake("T24")
def without_log(logits, target, smoothing=0.1, pad=0):
    """You use probabilities where the formula has their logarithms. Use `log_softmax`."""
    right, others, real = terms(logits.softmax(dim=-1).exp(), target, pad)
    probs = logits.softmax(dim=-1)
    right = probs.gather(-1, target[..., None]).squeeze(-1)
    others = (probs.sum(dim=-1) - probs[..., pad]) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[real].mean()


@mistake("T24")
def mean_over_vocab(logits, target, smoothing=0.1, pad=0):
    """Your mean also divides by the size of the vocabulary. Sum over the vocabulary, then average over the
    positions.
    """
    right, others, real = terms(logits, target, pad)
    return combined(right, others, smoothing)[real].mean() / logits.shape[-1]


@mistake
def divergence(logits, target, smoothing=0.1, pad=0):
    """`kl_div` is the cross-entropy minus a constant. It has the same gradient but another value, and this
    exercise asks for the cross-entropy.
    """
    vocab = logits.shape[-1]
    wanted = torch.full_like(logits, smoothing / (vocab - 1))
    wanted[..., pad] = 0
    wanted = wanted + (1 - smoothing) * F.one_hot(target, vocab)
    loss = F.kl_div(logits.log_softmax(dim=-1), wanted, reduction="none").sum(dim=-1)
    return loss[target != pad].mean()


@mistake
def without_sign(logits, target, smoothing=0.1, pad=0):
    """The minus sign is missing. Log-probabilities are negative, and the loss is minus their mean."""
    right, others, real = terms(logits, target, pad)
    return -combined(right, others, smoothing)[real].mean()


@mistake
def summed(logits, target, smoothing=0.1, pad=0):
    """You return a sum, which grows with the batch. Take the mean over the real words."""
    right, others, real = terms(logits, target, pad)
    return combined(right, others, smoothing)[real].sum()


@mistake
def no_smoothing(logits, target, smoothing=0.1, pad=0):
    """The argument `smoothing` changes nothing in your loss. Give the right word 1 - smoothing, and share the
    rest.
    """
    return F.cross_entropy(logits.transpose(1, 2), target, ignore_index=pad)


@mistake
def over_places(logits, target, smoothing=0.1, pad=0):
    """Your softmax runs over the positions of a sentence. It has to run over the last axis, the
    vocabulary.
    """
    log_probs = logits.log_softmax(dim=1)
    right = log_probs.gather(-1, target[..., None]).squeeze(-1)
    others = (log_probs.sum(dim=-1) - log_probs[..., pad]) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[target != pad].mean()


@mistake
def padding_alone(logits, target, smoothing=0.1, pad=0):
    """You keep the padding and leave out the words. Real words are where `target != pad`."""
    right, others, _ = terms(logits, target, pad)
    return combined(right, others, smoothing)[target == pad].mean()


@mistake
def shares_over_all_places(logits, target, smoothing=0.1, pad=0):
    """You average the smoothing term over padding too. Both terms need the mean over the same real words."""
    right, others, real = terms(logits, target, pad)
    return -(1 - smoothing) * right[real].mean() - smoothing * others.mean()


@mistake
def padding_out_of_softmax(logits, target, smoothing=0.1, pad=0):
    """You removed the column of padding from the softmax. The model may predict padding, so keep the column
    there and leave it out of the wanted probabilities only.
    """
    without = logits.index_fill(-1, torch.tensor(pad), -1e9)
    right, others, real = terms(without, target, pad)
    return combined(right, others, smoothing)[real].mean()


@mistake
def not_divided(logits, target, smoothing=0.1, pad=0):
    """Each word gets the whole smoothing. The words share it, so divide the sum by V - 1."""
    right, others, real = terms(logits, target, pad)
    return combined(right, others * (logits.shape[-1] - 1), smoothing)[real].mean()


@mistake
def divergence_without_the_right_word(logits, target, smoothing=0.1, pad=0):
    """Your loss differs in two ways. In the formula here the right word gets a share too, and `kl_div`
    subtracts a constant from the cross-entropy.
    """
    wanted = torch.full_like(logits, smoothing / (logits.shape[-1] - 2))
    wanted = wanted.scatter(-1, target[..., None], 1 - smoothing).index_fill(-1, torch.tensor(pad), 0)
    loss = F.kl_div(logits.log_softmax(dim=-1), wanted, reduction="none").sum(dim=-1)
    return loss[target != pad].mean()


@mistake
def share_overwritten(logits, target, smoothing=0.1, pad=0):
    """The right word has lost its share, as when `scatter` overwrites it with 1 - smoothing. Add the two: it
    gets 1 - smoothing and smoothing / (V - 1).
    """
    right, others, real = terms(logits, target, pad)
    share = smoothing / (logits.shape[-1] - 1)
    return (combined(right, others, smoothing) + share * right)[real].mean()


@mistake
def bare_logits(logits, target, smoothing=0.1, pad=0):
    """You use logits where the formula has log-probabilities. Begin with `logits.log_softmax(dim=-1)`."""
    right = logits.gather(-1, target[..., None]).squeeze(-1)
    others = (logits.sum(dim=-1) - logits[..., pad]) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[target != pad].mean()


@mistake
def one_sign_missing(logits, target, smoothing=0.1, pad=0):
    """Only one of your terms has a minus. The smoothing term is a mean of log-probabilities too, so both need
    it.
    """
    right, others, real = terms(logits, target, pad)
    return (smoothing * others - (1 - smoothing) * right)[real].mean()


@mistake
def always_a_tenth(logits, target, smoothing=0.1, pad=0):
    """Your smoothing is always 0.1. Use the argument `smoothing`."""
    right, others, real = terms(logits, target, pad)
    return combined(right, others, 0.1)[real].mean()


@mistake(mentions="gather")
def not_squeezed(logits, target, smoothing=0.1, pad=0):
    """`gather` returns (batch, seq, 1). Remove the last axis with `.squeeze(-1)` or `[..., 0]` before you add
    the two terms.
    """
    right, others, real = terms(logits, target, pad)
    return combined(right[..., None], others, smoothing)[real].mean()


@mistake("T9")
def padding_forgotten(logits, target, smoothing=0.1, pad=0):
    """You do not leave out padding yet, and it has to go twice. Share the smoothing among all words except
    padding, and take the mean over the positions where `target != pad`.
    """
    log_probs = logits.log_softmax(dim=-1)
    right = log_probs.gather(-1, target[..., None]).squeeze(-1)
    return combined(right, log_probs.mean(dim=-1), smoothing).mean()
