"""Wrong answers to translate: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.translate import reference

mistake = Mistakes()


@mistake("D11")
def gold_prefix(model, source, target):
    """You feed the right answer and ask for its next word. In a real translation nobody has the answer: feed
    back the words that you chose.
    """
    return model(source, target[:, :-1]).argmax(dim=-1)


@mistake("D1")
def last_word_only(model, source, target):
    """The model gets only the last word, without the words before it. Feed all words chosen so far."""
    ids = target[:, :1]
    for _ in range(target.shape[1] - 1):
        ids = torch.cat([ids, model(source, ids[:, -1:])[:, -1:].argmax(dim=-1)], dim=1)
    return ids[:, 1:]


@mistake("D2")
def first_place(model, source, target):
    """Every word of yours is the one that follows the start symbol. Read the last place, `[:, -1]`, and not
    the first.
    """
    ids = target[:, :1]
    for _ in range(target.shape[1] - 1):
        ids = torch.cat([ids, model(source, ids)[:, :1].argmax(dim=-1)], dim=1)
    return ids[:, 1:]


@mistake("D12")
def one_shot(model, source, target):
    """You ask for all words at once, with padding instead of the words that come before. Predict one word at
    a time, and feed it back.
    """
    ids = torch.zeros_like(target[:, :-1])
    ids[:, 0] = target[:, 0]
    return model(source, ids).argmax(dim=-1)


@mistake("T8")
def starts_with_zero(model, source, target):
    """You begin with 0. Begin with the start symbol, which is the first column of the target."""
    return reference(model, source, torch.zeros_like(target))


@mistake
def starts_with_one(model, source, target):
    """You begin with 1, but a start symbol may be another id. Begin with the first column of the target,
    `target[:, :1]`.
    """
    return reference(model, source, torch.ones_like(target))


@mistake
def over_the_batch(model, source, target):
    """All your sentences get the same words. Choose words for each sentence, by `argmax(dim=-1)`."""
    ids = target[:, :1]
    for _ in range(target.shape[1] - 1):
        word = model(source, ids)[0, -1].argmax()
        ids = torch.cat([ids, word.expand(len(ids), 1)], dim=1)
    return ids[:, 1:]


@mistake
def with_start(model, source, target):
    """Your words begin with the start symbol, which is no word of the translation. Leave it out, `ids[:,
    1:]`.
    """
    return torch.cat([target[:, :1], reference(model, source, target)], dim=1)


@mistake
def stops_at_the_end_symbol(model, source, target):
    """You stop at the end symbol, 2. Here every row gets its full length, because what follows the end symbol
    is cut off later.
    """
    words = reference(model, source, target)
    ended = (words == 2).any(dim=0).tolist()
    return words[:, : ended.index(True) + 1] if True in ended else words


@mistake
def one_too_many(model, source, target):
    """You return one word too many. The first symbol of the target is no word, so a target of length n has n
    - 1 words.
    """
    return reference(model, source, torch.cat([target, target[:, :1]], dim=1))


@mistake
def one_too_few(model, source, target):
    """You return one word too few. Return as many words as the target has after its first symbol."""
    return reference(model, source, target[:, :-1])


@mistake
def begins_with_the_source(model, source, target):
    """You begin with ids of `source`, which belong to the other language. Begin with the first column of
    `target`.
    """
    return reference(model, source, source[:, :1].expand_as(target))


@mistake
def prepended(model, source, target):
    """You put new words before the start symbol. Put them at the end: `torch.cat([ids, word], dim=1)`."""
    ids = target[:, :1]
    for _ in range(target.shape[1] - 1):
        ids = torch.cat([model(source, ids)[:, -1:].argmax(dim=-1), ids], dim=1)
    return ids[:, :-1]


@mistake
def logits(model, source, target):
    """You return logits. Choose the likeliest word, `.argmax(dim=-1)`."""
    return model(source, target[:, :-1])
