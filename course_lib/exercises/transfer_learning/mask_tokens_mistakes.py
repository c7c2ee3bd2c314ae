"""Wrong answers to mask_tokens: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.transfer_learning.mask_tokens import IGNORED, SPECIAL, mask_reference

mistake = Mistakes()


def choose(ids, mask, chance, generator):
    return (torch.rand(ids.shape, generator=generator) < chance) & (ids >= SPECIAL) & (ids != mask)


def replace(ids, chosen, mask, generator, shares=(0.8, 0.1), low=SPECIAL, high=None):
    """Of the chosen words the first share becomes <mask>, the second a random word."""
    fate = torch.rand(ids.shape, generator=generator)
    words = torch.randint(low, mask if high is None else high, ids.shape, generator=generator)
    hidden, other = chosen & (fate < shares[0]), chosen & (fate >= shares[0]) & (fate < sum(shares))
    return torch.where(other, words, ids.masked_fill(hidden, mask))


@mistake("K1")
def specials_too(ids, mask, chance=0.15, generator=None):
    """Never hide special symbols: choose only where `ids >= 4` and `ids != mask`."""
    chosen = torch.rand(ids.shape, generator=generator) < chance
    return replace(ids, chosen, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake("K1")
def only_padding_spared(ids, mask, chance=0.15, generator=None):
    """You spare the padding only. <bos>, <eos> and <unk> are no words either: `ids >= 4`."""
    chosen = (torch.rand(ids.shape, generator=generator) < chance) & (ids != 0)
    return replace(ids, chosen, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake(lacks=r"!= mask|< mask|\.ne\(mask|mask (!=|>) |mask\.ne\(")
def mask_masked_again(ids, mask, chance=0.15, generator=None):
    """Where <mask> stands already there is no word to ask for: add `& (ids != mask)`."""
    chosen = (torch.rand(ids.shape, generator=generator) < chance) & (ids >= SPECIAL)
    return replace(ids, chosen, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake("K2")
def always_mask(ids, mask, chance=0.15, generator=None):
    """All chosen words become <mask>. 10 % should be a random word and 10 % stay: later sentences have no
    <mask>, and the model must not wait for one.
    """
    chosen = choose(ids, mask, chance, generator)
    return ids.masked_fill(chosen, mask), ids.masked_fill(~chosen, IGNORED)


@mistake("K3")
def tenth_of_the_rest(ids, mask, chance=0.15, generator=None):
    """Only 2 % became another word. 10 % of all chosen words are half of the 20 % that the first draw left:
    compare the same draw with 0.8 and 0.9, or draw again with 0.5.
    """
    chosen = choose(ids, mask, chance, generator)
    return replace(ids, chosen, mask, generator, (0.8, 0.02)), ids.masked_fill(~chosen, IGNORED)


@mistake
def no_random_words(ids, mask, chance=0.15, generator=None):
    """No word is replaced by a random one: 10 % of the chosen ones should be."""
    chosen = choose(ids, mask, chance, generator)
    return replace(ids, chosen, mask, generator, (0.8, 0.0)), ids.masked_fill(~chosen, IGNORED)


@mistake
def none_stays(ids, mask, chance=0.15, generator=None):
    """No chosen word stays: 80 % <mask>, 10 % a random word, and 10 % as they are."""
    chosen = choose(ids, mask, chance, generator)
    return replace(ids, chosen, mask, generator, (0.8, 0.2)), ids.masked_fill(~chosen, IGNORED)


@mistake
def mostly_kept(ids, mask, chance=0.15, generator=None):
    """80 % of the chosen words stay here, and 10 % become <mask>: it must be the other way round."""
    chosen = choose(ids, mask, chance, generator)
    return replace(ids, chosen, mask, generator, (0.1, 0.1)), ids.masked_fill(~chosen, IGNORED)


@mistake("K4")
def labels_everywhere(ids, mask, chance=0.15, generator=None):
    """Only the chosen words are graded; every other label is -100, which cross-entropy ignores."""
    return mask_reference(ids, mask, chance, generator)[0], ids.clone()


@mistake(mentions=r"> chance|>= chance")
def chosen_above(ids, mask, chance=0.15, generator=None):
    """A number between 0 and 1 is below `chance` with the probability `chance`: compare with `<`."""
    chosen = (torch.rand(ids.shape, generator=generator) > chance) & (ids >= SPECIAL) & (ids != mask)
    return replace(ids, chosen, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake(mentions=r"randn")
def normal_draws(ids, mask, chance=0.15, generator=None):
    """`torch.randn` draws from the normal distribution, half of it below 0: take `torch.rand`."""
    chosen = (torch.randn(ids.shape, generator=generator) < chance) & (ids >= SPECIAL) & (ids != mask)
    return replace(ids, chosen, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake
def labels_after_masking(ids, mask, chance=0.15, generator=None):
    """Your labels hold what came in place of the word. Write them before you replace anything."""
    chosen = choose(ids, mask, chance, generator)
    masked = replace(ids, chosen, mask, generator)
    return masked, masked.masked_fill(~chosen, IGNORED)


@mistake("K6")
def only_masks_labelled(ids, mask, chance=0.15, generator=None):
    """Replaced and unchanged words were chosen too: grade them as well, not only those at <mask>."""
    masked = mask_reference(ids, mask, chance, generator)[0]
    return masked, ids.masked_fill((masked != mask) | (ids == mask), IGNORED)


@mistake
def only_changes_labelled(ids, mask, chance=0.15, generator=None):
    """Only words that changed have a label. A word that was chosen and stays is graded, too."""
    masked = mask_reference(ids, mask, chance, generator)[0]
    return masked, ids.masked_fill(masked == ids, IGNORED)


@mistake("K7")
def zeros_as_ignored(ids, mask, chance=0.15, generator=None):
    """Places without a label need -100: 0 is the id of <pad>, and it would be graded."""
    masked, labels = mask_reference(ids, mask, chance, generator)
    return masked, labels.masked_fill(labels == IGNORED, 0)


@mistake
def labels_of_the_others(ids, mask, chance=0.15, generator=None):
    """The labels stand at the words that were not chosen: it must be the other way round."""
    chosen = choose(ids, mask, chance, generator)
    return replace(ids, chosen, mask, generator), ids.masked_fill(chosen, IGNORED)


@mistake("K8")
def any_random_id(ids, mask, chance=0.15, generator=None):
    """Draw random words from the ordinary ids, 4 to mask - 1; yours may be special symbols."""
    chosen = choose(ids, mask, chance, generator)
    return replace(ids, chosen, mask, generator, low=0), ids.masked_fill(~chosen, IGNORED)


@mistake("K8")
def random_mask(ids, mask, chance=0.15, generator=None):
    """<mask> itself is among your random words: `torch.randint` leaves its upper end out."""
    chosen = choose(ids, mask, chance, generator)
    return replace(ids, chosen, mask, generator, high=mask + 1), ids.masked_fill(~chosen, IGNORED)


@mistake
def never_the_last_word(ids, mask, chance=0.15, generator=None):
    """The last word, id mask - 1, is never inserted: `torch.randint(4, mask, ...)` stops before `mask`."""
    chosen = choose(ids, mask, chance, generator)
    high = max(SPECIAL + 1, mask - 1)
    return replace(ids, chosen, mask, generator, high=high), ids.masked_fill(~chosen, IGNORED)


@mistake
def same_random_word(ids, mask, chance=0.15, generator=None):
    """One random word is drawn for many places: give `torch.randint` the shape of `ids`."""
    chosen = choose(ids, mask, chance, generator)
    word = int(torch.randint(SPECIAL, mask, (1,), generator=generator))
    return replace(ids, chosen, mask, generator, low=word, high=word + 1), ids.masked_fill(~chosen, IGNORED)


@mistake
def masks_everywhere(ids, mask, chance=0.15, generator=None):
    """The second draw is not tied to the chosen words: combine it with `chosen &`."""
    chosen = choose(ids, mask, chance, generator)
    ordinary = (ids >= SPECIAL) & (ids != mask)
    return replace(ids, ordinary, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake
def masks_specials_too(ids, mask, chance=0.15, generator=None):
    """What becomes of a word is not tied to the choice: words without a label change, and special symbols,
    too. Change a place only where it was chosen.
    """
    chosen = choose(ids, mask, chance, generator)
    everywhere = torch.ones_like(chosen)
    return replace(ids, everywhere, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake
def random_words_everywhere(ids, mask, chance=0.15, generator=None):
    """Random words are inserted where nothing was chosen: combine that condition with `chosen &`, too."""
    chosen = choose(ids, mask, chance, generator)
    fate = torch.rand(ids.shape, generator=generator)
    words = torch.randint(SPECIAL, mask, ids.shape, generator=generator)
    other = (fate >= 0.8) & (fate < 0.9) & (ids >= SPECIAL) & (ids != mask)
    masked = torch.where(other, words, ids.masked_fill(chosen & (fate < 0.8), mask))
    return masked, ids.masked_fill(~chosen, IGNORED)


@mistake
def one_fate_for_all(ids, mask, chance=0.15, generator=None):
    """One number decides for all words at once: give every place its own, by `torch.rand(ids.shape, ...)`."""
    chosen = choose(ids, mask, chance, generator)
    fate = torch.rand(1, generator=generator)
    words = torch.randint(SPECIAL, mask, ids.shape, generator=generator)
    masked = torch.where(fate < 0.8, mask, torch.where(fate < 0.9, words, ids)).where(chosen, ids)
    return masked, ids.masked_fill(~chosen, IGNORED)


@mistake
def one_fate_for_a_sentence(ids, mask, chance=0.15, generator=None):
    """One number decides for a whole sentence: give every place its own, by `torch.rand(ids.shape, ...)`."""
    chosen = choose(ids, mask, chance, generator)
    fate = torch.rand(len(ids), 1, generator=generator)
    words = torch.randint(SPECIAL, mask, ids.shape, generator=generator)
    masked = torch.where(fate < 0.8, mask, torch.where(fate < 0.9, words, ids)).where(chosen, ids)
    return masked, ids.masked_fill(~chosen, IGNORED)


@mistake
def one_draw_used_twice(ids, mask, chance=0.15, generator=None):
    """The draw that chose the words also decides what becomes of them: where it is below `chance` it is below
    0.8, too. Draw a second time.
    """
    draw = torch.rand(ids.shape, generator=generator)
    chosen = (draw < chance) & (ids >= SPECIAL) & (ids != mask)
    words = torch.randint(SPECIAL, mask, ids.shape, generator=generator)
    masked = ids.masked_fill(chosen & (draw < 0.8), mask)
    return torch.where(chosen & (draw >= 0.8) & (draw < 0.9), words, masked), ids.masked_fill(
        ~chosen, IGNORED
    )


@mistake
def without_the_first_word(ids, mask, chance=0.15, generator=None):
    """Id 4 is the first ordinary word: `ids >= 4`, which is `ids > 3`."""
    chosen = choose(ids, mask, chance, generator) & (ids > SPECIAL)
    return replace(ids, chosen, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake
def without_the_last_word(ids, mask, chance=0.15, generator=None):
    """Id mask - 1 is the last ordinary word: `ids < mask`."""
    chosen = choose(ids, mask, chance, generator) & (ids < mask - 1)
    return replace(ids, chosen, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake(mentions=r"(?m)\b(labels|masked) = (labels|masked)( =|$)")
def one_tensor_for_both(ids, mask, chance=0.15, generator=None):
    """`labels = masked` gives one tensor two names, so each change shows in both: make a second one, by
    `ids.clone()` or `ids.masked_fill(...)`.
    """
    chosen = choose(ids, mask, chance, generator)
    masked = ids.clone()
    labels = masked
    labels[~chosen] = IGNORED
    masked[chosen] = replace(ids, chosen, mask, generator)[chosen]
    return masked, labels


@mistake
def global_generator(ids, mask, chance=0.15, generator=None):
    """Every draw needs `generator=generator`, or a run cannot be repeated."""
    return mask_reference(ids, mask, chance)


@mistake
def same_places(ids, mask, chance=0.15, generator=None):
    """One row of numbers serves for all sentences: draw one for every place (`ids.shape`)."""
    chosen = torch.rand(ids.shape[1], generator=generator) < chance
    chosen = chosen & (ids >= SPECIAL) & (ids != mask)
    fate = torch.rand(ids.shape[1], generator=generator)
    words = torch.randint(SPECIAL, mask, ids.shape, generator=generator)
    masked = ids.masked_fill(chosen & (fate < 0.8), mask)
    return torch.where(chosen & (fate >= 0.8) & (fate < 0.9), words, masked), ids.masked_fill(
        ~chosen, IGNORED
    )


@mistake
def swapped_results(ids, mask, chance=0.15, generator=None):
    """Return the masked sentence first, then the labels."""
    masked, labels = mask_reference(ids, mask, chance, generator)
    return labels, masked


@mistake
def without_the_last_sentence(ids, mask, chance=0.15, generator=None):
    """The last sentence of a batch is left out: `range(len(ids))` counts all of them."""
    masked, labels = ids.clone(), torch.full_like(ids, IGNORED)
    for row in range(len(ids) - 1):
        masked[row], labels[row] = mask_reference(ids[row], mask, chance, generator)
    return masked, labels


@mistake
def without_the_last_place(ids, mask, chance=0.15, generator=None):
    """The last place of a sentence is left out: there stands a word in the longest ones."""
    masked, labels = ids.clone(), torch.full_like(ids, IGNORED)
    masked[:, :-1], labels[:, :-1] = mask_reference(ids[:, :-1], mask, chance, generator)
    return masked, labels
