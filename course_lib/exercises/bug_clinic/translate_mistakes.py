"""Wrong answers to translate: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.translate import reference

mistake = Mistakes()


@mistake("D11")
def gold_prefix(model, source, target):
    """You feed the right answer and ask for its next word. When you translate nobody has it: feed back the
    words that you chose.
    """
    return model(source, target[:, :-1]).argmax(dim=-1)


@mistake("D1")
def last_word_only(model, source, target):
    """The model gets the last word only, and has forgotten the words before it: feed all chosen so far."""
    ids = target[:, :1]
    for _ in range(target.shape[1] - 1):
        ids = torch.cat([ids, model(source, ids[:, -1:])[:, -1:].argmax(dim=-1)], dim=1)
    return ids[:, 1:]


@mistake("D2")
def first_place(model, source, target):
    """Every word is what follows the start symbol: read the last place, `[:, -1]`, not the first."""
    ids = target[:, :1]
    for _ in range(target.shape[1] - 1):
        ids = torch.cat([ids, model(source, ids)[:, :1].argmax(dim=-1)], dim=1)
    return ids[:, 1:]


@mistake("D12")
def one_shot(model, source, target):
    """You ask for all words at once, with padding in place of the words that come before."""
    ids = torch.zeros_like(target[:, :-1])
    ids[:, 0] = target[:, 0]
    return model(source, ids).argmax(dim=-1)


@mistake("T8")
def starts_with_zero(model, source, target):
    """Begin with the start symbol, the first column of the target, not with 0."""
    return reference(model, source, torch.zeros_like(target))


@mistake
def starts_with_one(model, source, target):
    """A start symbol need not be 1: begin with the first column of the target, `target[:, :1]`."""
    return reference(model, source, torch.ones_like(target))


@mistake
def over_the_batch(model, source, target):
    """All sentences get the same words. Choose for each its own, by `argmax(dim=-1)`."""
    ids = target[:, :1]
    for _ in range(target.shape[1] - 1):
        word = model(source, ids)[0, -1].argmax()
        ids = torch.cat([ids, word.expand(len(ids), 1)], dim=1)
    return ids[:, 1:]


@mistake
def with_start(model, source, target):
    """The start symbol is no word of the translation: leave it out, `ids[:, 1:]`."""
    return torch.cat([target[:, :1], reference(model, source, target)], dim=1)


@mistake
def stops_at_the_end_symbol(model, source, target):
    """You stop at the end symbol, 2. Here every row gets its full length; what follows it is cut
    off later.
    """
    words = reference(model, source, target)
    ended = (words == 2).any(dim=0).tolist()
    return words[:, : ended.index(True) + 1] if True in ended else words


@mistake
def one_too_many(model, source, target):
    """One word too many: the target has its length, and its first symbol is no word."""
    return reference(model, source, torch.cat([target, target[:, :1]], dim=1))


@mistake
def one_too_few(model, source, target):
    """One word is missing: as many as the target has after its first symbol."""
    return reference(model, source, target[:, :-1])


@mistake
def begins_with_the_source(model, source, target):
    """`source` holds ids of the other language: begin with the first column of `target`."""
    return reference(model, source, source[:, :1].expand_as(target))


@mistake
def prepended(model, source, target):
    """New words go to the end: `torch.cat([ids, word], dim=1)`. Yours stand before the start symbol."""
    ids = target[:, :1]
    for _ in range(target.shape[1] - 1):
        ids = torch.cat([model(source, ids)[:, -1:].argmax(dim=-1), ids], dim=1)
    return ids[:, :-1]


@mistake
def logits(model, source, target):
    """These are logits. Choose the likeliest word, `.argmax(dim=-1)`."""
    return model(source, target[:, :-1])
