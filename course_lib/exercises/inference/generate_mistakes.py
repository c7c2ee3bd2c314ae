"""Wrong answers to generate: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.inference.generate import reference

mistake = Mistakes()


def _next(logits):
    return logits[:, -1:].argmax(dim=-1)


@mistake
def without_cache(model, prompt, steps, padding=None):
    """Your words are right, but the model reads the whole sentence again for each word. Pass the cache that
    it returned, and only the new word.
    """
    text = prompt
    for _ in range(steps):
        text = torch.cat([text, _next(model(text, None, padding)[0])], dim=1)
    return text[:, prompt.shape[1] :]


@mistake
def word_by_word(model, prompt, steps, padding=None):
    """Your words are right, but the model reads the prompt in one call for each word. Give it the whole
    prompt in the first call: all its words are known.
    """
    cache = None
    for place in range(prompt.shape[1]):
        logits, cache = model(prompt[:, place : place + 1], cache, padding)
    words = [_next(logits)]
    while len(words) < steps:
        logits, cache = model(words[-1], cache, padding)
        words.append(_next(logits))
    return torch.cat(words, dim=1)


@mistake
def read_again(model, prompt, steps, padding=None):
    """You pass the whole sentence together with a cache that already holds most of it, so the model reads
    these words twice. With a cache, pass only the new word.
    """
    text, cache = prompt, None
    for _ in range(steps):
        logits, cache = model(text, cache, padding)
        text = torch.cat([text, _next(logits)], dim=1)
    return text[:, prompt.shape[1] :]


@mistake
def last_word_twice(model, prompt, steps, padding=None):
    """The model reads the last word of the prompt twice. The logits of the first call already give the first
    new word: read them.
    """
    cache, ids, words = model(prompt, None, padding)[1], prompt[:, -1:], []
    for _ in range(steps):
        logits, cache = model(ids, cache, padding)
        ids = _next(logits)
        words.append(ids)
    return torch.cat(words, dim=1)


@mistake
def prompt_alone_cached(model, prompt, steps, padding=None):
    """In each round you pass the cache of the prompt, so the model forgets the words that it has written.
    Keep the cache that each call returns.
    """
    logits, cache = model(prompt, None, padding)
    words = [_next(logits)]
    while len(words) < steps:
        words.append(_next(model(words[-1], cache, padding)[0]))
    return torch.cat(words, dim=1)


@mistake
def nothing_kept(model, prompt, steps, padding=None):
    """After the prompt, you pass one word without a cache, so the model sees only this word. Pass the cache
    that the last call returned.
    """
    ids, words = prompt, []
    for _ in range(steps):
        ids = _next(model(ids, None, padding)[0])
        words.append(ids)
    return torch.cat(words, dim=1)


@mistake("D2")
def first_place(model, prompt, steps, padding=None):
    """You read the logits of the first place. After the prompt, the next word is predicted at the last place:
    `logits[:, -1]`.
    """
    ids, cache, words = prompt, None, []
    for _ in range(steps):
        logits, cache = model(ids, cache, padding)
        ids = logits[:, :1].argmax(dim=-1)
        words.append(ids)
    return torch.cat(words, dim=1)


@mistake
def all_places(model, prompt, steps, padding=None):
    """You use the predictions of all places of the prompt. Only that of the last place is a new word:
    `logits[:, -1:]`.
    """
    ids, cache, words = prompt, None, []
    for _ in range(steps):
        logits, cache = model(ids, cache, padding)
        ids = logits.argmax(dim=-1)
        words.append(ids)
    return torch.cat(words, dim=1)


@mistake("G6")
def padding_in_the_first_call(model, prompt, steps, padding=None):
    """You pass `padding` only with the prompt. The padding stays in the cache, so pass it in every call."""
    ids, cache, words = prompt, None, []
    for _ in range(steps):
        logits, cache = model(ids, cache, padding if cache is None else None)
        ids = _next(logits)
        words.append(ids)
    return torch.cat(words, dim=1)


@mistake("G6")
def padding_after_the_first_call(model, prompt, steps, padding=None):
    """You do not pass `padding` with the prompt, so the words of the prompt look at padding. Pass it in every
    call.
    """
    ids, cache, words = prompt, None, []
    for _ in range(steps):
        logits, cache = model(ids, cache, padding if cache is not None else None)
        ids = _next(logits)
        words.append(ids)
    return torch.cat(words, dim=1)


@mistake("G6")
def padding_never(model, prompt, steps, padding=None):
    """You do not pass `padding` to the model, so words look at padding. Pass it in every call."""
    return reference(model, prompt, steps)


@mistake
def with_the_prompt(model, prompt, steps, padding=None):
    """You return the prompt too. Return only the new words."""
    return torch.cat([prompt, reference(model, prompt, steps, padding)], dim=1)


@mistake
def first_word_lost(model, prompt, steps, padding=None):
    """The first new word is missing. The logits of the prompt's last place give a word, which belongs to the
    result.
    """
    return reference(model, prompt, steps + 1, padding)[:, 1:]


@mistake
def one_too_many(model, prompt, steps, padding=None):
    """You return one word too many. The prompt's own logits give the first of `steps` words."""
    return reference(model, prompt, steps + 1, padding)


@mistake
def least_probable(model, prompt, steps, padding=None):
    """You take the least probable word. The most probable one has the largest logit: `argmax`."""
    ids, cache, words = prompt, None, []
    for _ in range(steps):
        logits, cache = model(ids, cache, padding)
        ids = logits[:, -1:].argmin(dim=-1)
        words.append(ids)
    return torch.cat(words, dim=1)


@mistake("D3")
def over_the_places(model, prompt, steps, padding=None):
    """Your argmax does not run over the vocabulary. Words are the last axis of the logits: `dim=-1`."""
    ids, cache, words = prompt, None, []
    for _ in range(steps):
        logits, cache = model(ids, cache, padding)
        ids = logits.argmax(dim=1)[:, -1:]
        words.append(ids)
    return torch.cat(words, dim=1)


@mistake
def axis_lost(model, prompt, steps, padding=None):
    """You pass the new words without the axis of the sequence. The model reads (batch, seq): keep an axis of
    size 1 with `logits[:, -1:]`.
    """
    ids, cache, words = prompt, None, []
    for _ in range(steps):
        logits, cache = model(ids, cache, padding)
        ids = logits[:, -1].argmax(dim=-1)
        words.append(ids)
    return torch.stack(words, dim=1)


@mistake
def below_each_other(model, prompt, steps, padding=None):
    """You put the words of a sentence below each other. A sentence is a row: join the words along axis 1."""
    ids, cache, words = prompt, None, []
    for _ in range(steps):
        logits, cache = model(ids, cache, padding)
        ids = _next(logits)
        words.append(ids)
    return torch.cat(words, dim=0)


@mistake
def sentence_by_sentence(model, prompt, steps, padding=None):
    """Your words are right, but the model reads one sentence at a time. Give it the whole batch in each call:
    all rows take the same number of steps.
    """
    counts = [None] * len(prompt) if padding is None else padding.split(1)
    rows = zip(prompt.split(1), counts, strict=True)
    return torch.cat([reference(model, row, steps, count) for row, count in rows])


END = 2


@mistake
def stops_at_the_end_symbol(model, prompt, steps, padding=None):
    """You stop when the model writes the end symbol, id 2. Here every row
    gets `steps` words, because what follows the end symbol is cut off later.
    """
    ids = reference(model, prompt, steps, padding)
    ended = (ids == END).cumsum(dim=1).bool().all(dim=0).tolist()
    return ids[:, : ended.index(True) + 1 if True in ended else steps]


@mistake
def stops_before_the_end_symbol(model, prompt, steps, padding=None):
    """You stop when the model writes the end symbol, id 2, and you do not keep it. Here every row
    gets `steps` words, because what follows the end symbol is cut off later.
    """
    ids = reference(model, prompt, steps, padding)
    ended = (ids == END).cumsum(dim=1).bool().all(dim=0).tolist()
    return ids[:, : ended.index(True) if True in ended else steps]


@mistake
def padding_after_the_end_symbol(model, prompt, steps, padding=None):
    """After the end symbol, id 2, you write padding. Here every step writes the most probable
    word, because what follows the end symbol is cut off later.
    """
    ids = reference(model, prompt, steps, padding)
    after = (ids == END).cumsum(dim=1) - (ids == END).int()
    return ids.masked_fill(after > 0, 0)


@mistake
def end_symbols_after_the_first(model, prompt, steps, padding=None):
    """After the end symbol, id 2, you write only end symbols. Here every step writes the most
    probable word, because what follows the end symbol is cut off later.
    """
    ids = reference(model, prompt, steps, padding)
    return ids.masked_fill((ids == END).cumsum(dim=1) > 0, END)
