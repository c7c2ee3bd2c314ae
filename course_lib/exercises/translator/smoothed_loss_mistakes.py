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
    """Padding is being graded: take the mean over the places where `target != pad`."""
    right, others, _ = terms(logits, target, pad)
    return combined(right, others, smoothing).mean()


@mistake("T10")
def always_zero(logits, target, smoothing=0.1, pad=0):
    """You leave out id 0, but padding is the argument `pad`: here 0 may be a word."""
    right, others, _ = terms(logits, target, 0)
    return combined(right, others, smoothing)[target != 0].mean()


@mistake("T10")
def leaves_out_one(logits, target, smoothing=0.1, pad=0):
    """You leave out id 1, the begin symbol; padding is the argument `pad`."""
    right, others, _ = terms(logits, target, pad)
    return combined(right, others, smoothing)[target != 1].mean()


@mistake("T11")
def divides_by_all(logits, target, smoothing=0.1, pad=0):
    """Padding adds 0 to the sum, but is counted in the mean: divide by the number of real words."""
    right, others, real = terms(logits, target, pad)
    return (combined(right, others, smoothing) * real).mean()


@mistake("T12")
def mean_of_sentences(logits, target, smoothing=0.1, pad=0):
    """You average sentences, so that a word in a short one weighs more. That can be wanted; here all words of
    the batch weigh the same.
    """
    right, others, real = terms(logits, target, pad)
    loss = combined(right, others, smoothing) * real
    return (loss.sum(dim=1) / real.sum(dim=1)).mean()


@mistake("T14")
def softmax_twice(logits, target, smoothing=0.1, pad=0):
    """Softmax twice: `log_softmax` and `cross_entropy` take logits. With probabilities even a perfect model
    keeps a loss far from 0.
    """
    right, others, real = terms(logits.softmax(dim=-1), target, pad)
    return combined(right, others, smoothing)[real].mean()


@mistake("T17", mentions=r"\.(view|reshape)\(")
def viewed(logits, target, smoothing=0.1, pad=0):
    """`view` and `reshape` cut the numbers anew and mix words with the vocabulary: use `transpose(1, 2)`."""
    batch, seq, vocab = logits.shape
    right, others, real = terms(logits.reshape(batch, vocab, seq).transpose(1, 2), target, pad)
    return combined(right, others, smoothing)[real].mean()


@mistake("T10")
def shares_without_first_column(logits, target, smoothing=0.1, pad=0):
    """Your smoothing term leaves out column 0. Padding's column is number `pad`, which need not be 0."""
    right, _, real = terms(logits, target, pad)
    others = logits.log_softmax(dim=-1)[..., 1:].mean(dim=-1)
    return combined(right, others, smoothing)[real].mean()


@mistake("T10", mentions="target > pad")
def greater_than_pad(logits, target, smoothing=0.1, pad=0):
    """`target > pad` loses the words whose id is smaller: real words are all where `target != pad`."""
    right, others, _ = terms(logits, target, pad)
    return combined(right, others, smoothing)[target > pad].mean()


@mistake("T17", mentions="cross_entropy")
def not_flattened(logits, target, smoothing=0.1, pad=0):
    """`cross_entropy` wants the vocabulary as the second axis: `logits.transpose(1, 2)`. (Or flat ones,
    `logits.flatten(0, 1)` and `target.flatten()`.)
    """
    return F.cross_entropy(logits, target, ignore_index=pad)


@mistake("T17", mentions=r"transpose\(0, 1\)|permute\(1, 0")
def time_first(logits, target, smoothing=0.1, pad=0):
    """Places and answers do not belong together: the logits are in another order than the targets. Leave both
    as (batch, seq), without `transpose(0, 1)`, or flatten both in the same way.
    """
    log_probs, ids = logits.log_softmax(dim=-1).transpose(0, 1).flatten(0, 1), target.flatten()
    right = log_probs.gather(-1, ids[:, None]).squeeze(-1)
    others = (log_probs.sum(dim=-1) - log_probs[:, pad]) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[ids != pad].mean()


@mistake(mentions=r"log\(")
def log_of_softmax(logits, target, smoothing=0.1, pad=0):
    """A small probability is rounded to 0, and the logarithm of 0 is minus infinity. `log_softmax` does both
    in one step, without that.
    """
    log_probs = torch.log(logits.softmax(dim=-1))
    right = log_probs.gather(-1, target[..., None]).squeeze(-1)
    others = (log_probs.sum(dim=-1) - log_probs[..., pad]) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[target != pad].mean()


@mistake(mentions="gather")
def gather_without_axis(logits, target, smoothing=0.1, pad=0):
    """`gather` wants an index with as many axes as `log_probs`: `target[..., None]`. Take the last axis off
    afterwards, with `.squeeze(-1)`.
    """
    log_probs = logits.log_softmax(dim=-1)
    right = log_probs.gather(-1, target)
    others = (log_probs.sum(dim=-1) - log_probs[..., pad]) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[target != pad].mean()


@mistake(mentions=r"(:|\.\.\.), target\]")
def indexed_by_all(logits, target, smoothing=0.1, pad=0):
    """`log_probs[:, :, target]` picks every target of the batch at every place. `gather` picks at each place
    its own one: `log_probs.gather(-1, target[..., None])`.
    """
    log_probs = logits.log_softmax(dim=-1)
    right = log_probs[:, :, target]
    others = (log_probs.sum(dim=-1) - log_probs[..., pad]) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[target != pad].mean()


@mistake("T20")
def padding_shares(logits, target, smoothing=0.1, pad=0):
    """Padding gets a share of the smoothing (`label_smoothing` does that): it is never a right answer. Leave
    its column out, and divide by V - 1.
    """
    return F.cross_entropy(logits.transpose(1, 2), target, ignore_index=pad, label_smoothing=smoothing)


@mistake("T20")
def all_but_right(logits, target, smoothing=0.1, pad=0):
    """You share among all words but the right one, padding included. Share among all words but padding."""
    log_probs, right = logits.log_softmax(dim=-1), terms(logits, target, pad)[0]
    others = (log_probs.sum(dim=-1) - right) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[target != pad].mean()


@mistake("T21")
def divides_by_vocab(logits, target, smoothing=0.1, pad=0):
    """The shares sum to less than the smoothing: V - 1 words share it, not V."""
    right, others, real = terms(logits, target, pad)
    vocab = logits.shape[-1]
    return combined(right, others * (vocab - 1) / vocab, smoothing)[real].mean()


@mistake
def not_to_the_right_word(logits, target, smoothing=0.1, pad=0):
    """You share among all words but padding and the right one, as some papers do. In the formula here the
    right word has its share too.
    """
    right, others, real = terms(logits, target, pad)
    vocab = logits.shape[-1]
    others = (others * (vocab - 1) - right) / (vocab - 2)
    return combined(right, others, smoothing)[real].mean()


@mistake("T22")
def padding_keeps_share(logits, target, smoothing=0.1, pad=0):
    """At padding the smoothing term is still counted: leave out the whole place."""
    right, others, real = terms(logits, target, pad)
    return combined(right * real, others, smoothing).sum() / real.sum()


@mistake("T23")
def on_top(logits, target, smoothing=0.1, pad=0):
    """The right word keeps 1 and the rest comes on top: give it 1 - smoothing."""
    right, others, real = terms(logits, target, pad)
    return (-right - smoothing * others)[real].mean()


@mistake("T23")
def swapped(logits, target, smoothing=0.1, pad=0):
    """Swapped: 1 - smoothing goes to the right word, smoothing is shared by all."""
    right, others, real = terms(logits, target, pad)
    return combined(right, others, 1 - smoothing)[real].mean()


@mistake("T24")
def without_log(logits, target, smoothing=0.1, pad=0):
    """These are probabilities where their logarithms belong: use `log_softmax`."""
    right, others, real = terms(logits.softmax(dim=-1).exp(), target, pad)
    probs = logits.softmax(dim=-1)
    right = probs.gather(-1, target[..., None]).squeeze(-1)
    others = (probs.sum(dim=-1) - probs[..., pad]) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[real].mean()


@mistake("T24")
def mean_over_vocab(logits, target, smoothing=0.1, pad=0):
    """The mean runs over the vocabulary too: sum over words of the vocabulary, then average over places."""
    right, others, real = terms(logits, target, pad)
    return combined(right, others, smoothing)[real].mean() / logits.shape[-1]


@mistake
def divergence(logits, target, smoothing=0.1, pad=0):
    """The divergence (`kl_div`) is the cross-entropy minus a constant: the same gradient, but another number.
    Here the cross-entropy is asked.
    """
    vocab = logits.shape[-1]
    wanted = torch.full_like(logits, smoothing / (vocab - 1))
    wanted[..., pad] = 0
    wanted = wanted + (1 - smoothing) * F.one_hot(target, vocab)
    loss = F.kl_div(logits.log_softmax(dim=-1), wanted, reduction="none").sum(dim=-1)
    return loss[target != pad].mean()


@mistake
def without_sign(logits, target, smoothing=0.1, pad=0):
    """The sign is missing: log-probabilities are negative, the loss is minus their mean."""
    right, others, real = terms(logits, target, pad)
    return -combined(right, others, smoothing)[real].mean()


@mistake
def summed(logits, target, smoothing=0.1, pad=0):
    """A sum grows with the batch: take the mean over the real words."""
    right, others, real = terms(logits, target, pad)
    return combined(right, others, smoothing)[real].sum()


@mistake
def no_smoothing(logits, target, smoothing=0.1, pad=0):
    """`smoothing` changes nothing: give the right word 1 - smoothing and share the rest."""
    return F.cross_entropy(logits.transpose(1, 2), target, ignore_index=pad)


@mistake
def over_places(logits, target, smoothing=0.1, pad=0):
    """The softmax runs over the places of a sentence: it must run over the vocabulary, the last axis."""
    log_probs = logits.log_softmax(dim=1)
    right = log_probs.gather(-1, target[..., None]).squeeze(-1)
    others = (log_probs.sum(dim=-1) - log_probs[..., pad]) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[target != pad].mean()


@mistake
def padding_alone(logits, target, smoothing=0.1, pad=0):
    """You keep the padding and leave out the words: real words are where `target != pad`."""
    right, others, _ = terms(logits, target, pad)
    return combined(right, others, smoothing)[target == pad].mean()


@mistake
def shares_over_all_places(logits, target, smoothing=0.1, pad=0):
    """The smoothing term is averaged over padding too: both terms take the mean over the same real words."""
    right, others, real = terms(logits, target, pad)
    return -(1 - smoothing) * right[real].mean() - smoothing * others.mean()


@mistake
def padding_out_of_softmax(logits, target, smoothing=0.1, pad=0):
    """The model may say padding, too: keep its column in the softmax. Only the wanted probabilities leave it
    out.
    """
    without = logits.index_fill(-1, torch.tensor(pad), -1e9)
    right, others, real = terms(without, target, pad)
    return combined(right, others, smoothing)[real].mean()


@mistake
def not_divided(logits, target, smoothing=0.1, pad=0):
    """The smoothing goes to each of the words in full: they share it, so divide the sum by V - 1."""
    right, others, real = terms(logits, target, pad)
    return combined(right, others * (logits.shape[-1] - 1), smoothing)[real].mean()


@mistake
def divergence_without_the_right_word(logits, target, smoothing=0.1, pad=0):
    """Two things: in the formula here the right word has its share too, and `kl_div` subtracts a constant
    from the cross-entropy that is asked.
    """
    wanted = torch.full_like(logits, smoothing / (logits.shape[-1] - 2))
    wanted = wanted.scatter(-1, target[..., None], 1 - smoothing).index_fill(-1, torch.tensor(pad), 0)
    loss = F.kl_div(logits.log_softmax(dim=-1), wanted, reduction="none").sum(dim=-1)
    return loss[target != pad].mean()


@mistake
def share_overwritten(logits, target, smoothing=0.1, pad=0):
    """The right word has lost its share: 1 - smoothing replaces it, as `scatter` does. The two are added: it
    gets 1 - smoothing and smoothing / (V - 1).
    """
    right, others, real = terms(logits, target, pad)
    share = smoothing / (logits.shape[-1] - 1)
    return (combined(right, others, smoothing) + share * right)[real].mean()


@mistake
def bare_logits(logits, target, smoothing=0.1, pad=0):
    """These are logits where log-probabilities belong: begin with `logits.log_softmax(dim=-1)`."""
    right = logits.gather(-1, target[..., None]).squeeze(-1)
    others = (logits.sum(dim=-1) - logits[..., pad]) / (logits.shape[-1] - 1)
    return combined(right, others, smoothing)[target != pad].mean()


@mistake
def one_sign_missing(logits, target, smoothing=0.1, pad=0):
    """Both terms get a minus: the smoothing term is a mean of log-probabilities, too."""
    right, others, real = terms(logits, target, pad)
    return (smoothing * others - (1 - smoothing) * right)[real].mean()


@mistake
def always_a_tenth(logits, target, smoothing=0.1, pad=0):
    """Your smoothing is 0.1 whatever the caller asks for: use the argument `smoothing`."""
    right, others, real = terms(logits, target, pad)
    return combined(right, others, 0.1)[real].mean()


@mistake(mentions="gather")
def not_squeezed(logits, target, smoothing=0.1, pad=0):
    """`gather` gives (batch, seq, 1): take off that last axis, with `.squeeze(-1)` or `[..., 0]`, before the
    two terms are added.
    """
    right, others, real = terms(logits, target, pad)
    return combined(right[..., None], others, smoothing)[real].mean()
