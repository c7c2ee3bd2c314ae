"""Wrong answers to continuation_targets: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.gpt.continuation_targets import BOS, PAD, UNK, reference

mistake = Mistakes()


@mistake
def everything(ids):
    """You keep the source words as targets, so the model also learns to write English. Replace them by 0."""
    return ids[:, 1:]


@mistake("T1")
def not_shifted(ids):
    """You do not shift: each position has its own id as the target, which the model reads already. Its target
    is the next id.
    """
    return ids.masked_fill((ids == BOS).cumsum(dim=1) == 0, PAD)[:, :-1]


@mistake
def not_shifted_from_the_second(ids):
    """Your mask ends one position too early, so the separator is a target too. Hide the last source word's
    position as well: the first target word is predicted at the separator.
    """
    return ids[:, 1:].masked_fill((ids[:, 1:] == BOS).cumsum(dim=1) == 0, PAD)


@mistake
def masked_before_the_shift(ids):
    """You mask first and then shift, so the separator is a target too. Shift first, `ids[:, 1:]`, and hide
    the targets of all positions before the separator's.
    """
    return ids.masked_fill((ids == BOS).cumsum(dim=1) == 0, PAD)[:, 1:]


@mistake
def first_word_lost(ids):
    """Your mask hides the separator's position too, where the first target word is predicted. Start to learn
    at the separator.
    """
    after = (ids[:, :-1] == BOS).cumsum(dim=1)
    return ids[:, 1:].masked_fill((after == 0) | (ids[:, :-1] == BOS), PAD)


@mistake
def full_length(ids):
    """Your targets are as long as ids. The model reads all but the last id, so there is one target fewer."""
    return torch.cat([reference(ids), ids[:, :1] * 0], dim=1)


@mistake
def the_source_instead(ids):
    """You keep the source and remove the translation. Keep what comes after the separator."""
    return ids[:, 1:].masked_fill((ids[:, :-1] == BOS).cumsum(dim=1) > 0, PAD)


@mistake
def place_of_the_first_row(ids):
    """You use the separator's place in the first row for all rows. Each row has its own."""
    targets = ids[:, 1:].clone()
    targets[:, : int((ids[0] == BOS).nonzero()[0, 0])] = PAD
    return targets


@mistake(mentions="max")
def separator_among_those_read(ids):
    """You look for the separator among `ids[:, :-1]`. Where a row ends in its separator there is none, and
    argmax gives 0, so nothing is hidden: look for it in all of `ids`.
    """
    places = (ids[:, :-1] == BOS).int().argmax(dim=1, keepdim=True)
    return torch.where(torch.arange(ids.shape[1] - 1) >= places, ids[:, 1:], PAD)


@mistake("T10")
def minus_hundred(ids):
    """You mark the source with -100, PyTorch's default. Our loss leaves out the padding id, which is 0."""
    return ids[:, 1:].masked_fill((ids[:, :-1] == BOS).cumsum(dim=1) == 0, -100)


@mistake("T6")
def end_symbol_lost(ids):
    """You leave out the end symbol, so the model never learns to stop. It is the last target of each row."""
    targets = reference(ids)
    return targets.masked_fill(targets == 2, PAD)


@mistake
def only_the_translation(ids):
    """You cut the sequences, so the targets no longer stand at the positions of the model's logits. Keep one
    target for each id that is read, and put 0 at the source.
    """
    start = int((ids[0] == BOS).nonzero()[0, 0])
    return ids[:, start + 1 :]


@mistake("A20")
def in_place(ids):
    """You change ids itself, and the model still has to read them. Make a copy first, or use
    `masked_fill`.
    """
    targets = ids[:, 1:]
    targets[(ids[:, :-1] == BOS).cumsum(dim=1) == 0] = PAD
    return targets


@mistake("T2")
def masks_the_read_ids(ids):
    """You shift backwards: the target of a position is the id before it. It has to be the next id."""
    return ids[:, :-1].masked_fill((ids[:, :-1] == BOS).cumsum(dim=1) == 0, PAD).roll(1, dims=1)


@mistake
def unknown_words_lost(ids):
    """You leave out unknown words, id 3. Each id after the separator is a target, `<unk>` too: only the
    source and the padding are 0.
    """
    targets = reference(ids)
    return targets.masked_fill(targets == UNK, PAD)


@mistake
def words_only(ids):
    """You leave out all special ids, the end symbol and `<unk>`, too. Each id after the separator is a
    target: only the source and the padding are 0.
    """
    targets = reference(ids)
    return targets.masked_fill(targets <= UNK, PAD)
