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
    """You choose special symbols, too. They are no words to predict: choose only where `ids >= 4` and `ids !=
    mask`.
    """
    chosen = torch.rand(ids.shape, generator=generator) < chance
    return replace(ids, chosen, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake("K1")
def only_padding_spared(ids, mask, chance=0.15, generator=None):
    """You leave out only the padding. <bos>, <eos> and <unk> are no words either: choose only where `ids >=
    4`.
    """
    chosen = (torch.rand(ids.shape, generator=generator) < chance) & (ids != 0)
    return replace(ids, chosen, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake(lacks=r"!= mask|< mask|\.ne\(mask|mask (!=|>) |mask\.ne\(")
def mask_masked_again(ids, mask, chance=0.15, generator=None):
    """You choose places where <mask> was already. They have no word to predict: add `& (ids != mask)`."""
    chosen = (torch.rand(ids.shape, generator=generator) < chance) & (ids >= SPECIAL)
    return replace(ids, chosen, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake("K2")
def always_mask(ids, mask, chance=0.15, generator=None):
    """All chosen words become <mask>. Later sentences contain no <mask>, so the model must not rely on it.
    Replace 10 % by a random word and leave 10 % unchanged.
    """
    chosen = choose(ids, mask, chance, generator)
    return ids.masked_fill(chosen, mask), ids.masked_fill(~chosen, IGNORED)


@mistake("K3")
def tenth_of_the_rest(ids, mask, chance=0.15, generator=None):
    """Only 2 % of the chosen words become another word. 10 % of all chosen words are half of the 20 % that
    the first draw left. Compare the same draw with 0.8 and 0.9, or draw again with 0.5.
    """
    chosen = choose(ids, mask, chance, generator)
    return replace(ids, chosen, mask, generator, (0.8, 0.02)), ids.masked_fill(~chosen, IGNORED)


@mistake
def no_random_words(ids, mask, chance=0.15, generator=None):
    """No chosen word becomes a random word. 10 % of the chosen words should."""
    chosen = choose(ids, mask, chance, generator)
    return replace(ids, chosen, mask, generator, (0.8, 0.0)), ids.masked_fill(~chosen, IGNORED)


@mistake
def never_the_old_word(ids, mask, chance=0.15, generator=None):
    """Your random word is never the old word. All ordinary words are equally likely, and the old one is one
    of them: draw a word from 4 to mask - 1 without looking at `ids`.
    """
    chosen = choose(ids, mask, chance, generator)
    further = torch.randint(1, max(2, mask - SPECIAL), ids.shape, generator=generator)
    others = SPECIAL + (ids - SPECIAL + further) % (mask - SPECIAL)
    fate = torch.rand(ids.shape, generator=generator)
    masked = torch.where(chosen & (fate < 0.8), mask, ids)
    return torch.where(chosen & (fate >= 0.9), others, masked), ids.masked_fill(~chosen, IGNORED)


@mistake
def none_stays(ids, mask, chance=0.15, generator=None):
    """No chosen word stays unchanged. 80 % should become <mask>, 10 % a random word, and 10 % should stay."""
    chosen = choose(ids, mask, chance, generator)
    return replace(ids, chosen, mask, generator, (0.8, 0.2)), ids.masked_fill(~chosen, IGNORED)


@mistake
def mostly_kept(ids, mask, chance=0.15, generator=None):
    """80 % of your chosen words stay, and 10 % become <mask>. It must be the other way round."""
    chosen = choose(ids, mask, chance, generator)
    return replace(ids, chosen, mask, generator, (0.1, 0.1)), ids.masked_fill(~chosen, IGNORED)


@mistake("K4")
def labels_everywhere(ids, mask, chance=0.15, generator=None):
    """You give every place a label. Only the chosen words are predicted. Every other label is -100, which
    cross-entropy ignores.
    """
    return mask_reference(ids, mask, chance, generator)[0], ids.clone()


@mistake(mentions=r"> chance|>= chance")
def chosen_above(ids, mask, chance=0.15, generator=None):
    """You choose the numbers above `chance`. A number between 0 and 1 is below `chance` with the probability
    `chance`, so compare with `<`.
    """
    chosen = (torch.rand(ids.shape, generator=generator) > chance) & (ids >= SPECIAL) & (ids != mask)
    return replace(ids, chosen, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake(mentions=r"randn")
def normal_draws(ids, mask, chance=0.15, generator=None):
    """`torch.randn` draws from the normal distribution, where half of the numbers are below 0. Use
    `torch.rand`, which draws evenly from 0 to 1.
    """
    chosen = (torch.randn(ids.shape, generator=generator) < chance) & (ids >= SPECIAL) & (ids != mask)
    return replace(ids, chosen, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake
def labels_after_masking(ids, mask, chance=0.15, generator=None):
    """Your labels contain the replacements and not the original words. Make the labels before you replace
    anything.
    """
    chosen = choose(ids, mask, chance, generator)
    masked = replace(ids, chosen, mask, generator)
    return masked, masked.masked_fill(~chosen, IGNORED)


@mistake("K6")
def only_masks_labelled(ids, mask, chance=0.15, generator=None):
    """Only the places with <mask> have a label. Words that were replaced or left unchanged were chosen, too,
    so give them labels.
    """
    masked = mask_reference(ids, mask, chance, generator)[0]
    return masked, ids.masked_fill((masked != mask) | (ids == mask), IGNORED)


@mistake
def only_changes_labelled(ids, mask, chance=0.15, generator=None):
    """Only words that changed have a label. A chosen word that stays unchanged needs a label, too."""
    masked = mask_reference(ids, mask, chance, generator)[0]
    return masked, ids.masked_fill(masked == ids, IGNORED)


@mistake("K7")
def zeros_as_ignored(ids, mask, chance=0.15, generator=None):
    """Your places without a label have the label 0. This is the id of <pad>, and the loss would count it: use
    -100.
    """
    masked, labels = mask_reference(ids, mask, chance, generator)
    return masked, labels.masked_fill(labels == IGNORED, 0)


@mistake
def labels_of_the_others(ids, mask, chance=0.15, generator=None):
    """Your labels are at the words that were not chosen. Put them at the chosen words."""
    chosen = choose(ids, mask, chance, generator)
    return replace(ids, chosen, mask, generator), ids.masked_fill(chosen, IGNORED)


@mistake("K8")
def any_random_id(ids, mask, chance=0.15, generator=None):
    """Your random words may be special symbols. Draw random words from the ordinary ids, 4 to mask - 1."""
    chosen = choose(ids, mask, chance, generator)
    return replace(ids, chosen, mask, generator, low=0), ids.masked_fill(~chosen, IGNORED)


@mistake("K8")
def random_mask(ids, mask, chance=0.15, generator=None):
    """<mask> itself is among your random words. `torch.randint` leaves its upper end out, so its upper end
    must be `mask`.
    """
    chosen = choose(ids, mask, chance, generator)
    return replace(ids, chosen, mask, generator, high=mask + 1), ids.masked_fill(~chosen, IGNORED)


@mistake
def never_the_last_word(ids, mask, chance=0.15, generator=None):
    """The last word, id mask - 1, is never inserted. `torch.randint` leaves its upper end out: call
    `torch.randint(4, mask, ...)`.
    """
    chosen = choose(ids, mask, chance, generator)
    high = max(SPECIAL + 1, mask - 1)
    return replace(ids, chosen, mask, generator, high=high), ids.masked_fill(~chosen, IGNORED)


@mistake
def words_of_the_batch(ids, mask, chance=0.15, generator=None):
    """You take the random words from the batch. They may be any ordinary word: `torch.randint(4, mask,
    ...)`.
    """
    chosen = choose(ids, mask, chance, generator)
    fate = torch.rand(ids.shape, generator=generator)
    ordinary = ids[(ids >= SPECIAL) & (ids != mask)]
    places = torch.randint(0, max(1, len(ordinary)), ids.shape, generator=generator)
    words = ordinary[places] if len(ordinary) else ids
    masked = ids.masked_fill(chosen & (fate < 0.8), mask)
    other = chosen & (fate >= 0.8) & (fate < 0.9)
    return torch.where(other, words, masked), ids.masked_fill(~chosen, IGNORED)


@mistake
def same_random_word(ids, mask, chance=0.15, generator=None):
    """You use one random word at many places. Give `torch.randint` the shape of `ids`."""
    chosen = choose(ids, mask, chance, generator)
    word = int(torch.randint(SPECIAL, mask, (1,), generator=generator))
    return replace(ids, chosen, mask, generator, low=word, high=word + 1), ids.masked_fill(~chosen, IGNORED)


@mistake
def masks_everywhere(ids, mask, chance=0.15, generator=None):
    """Your second draw also changes words that were not chosen. Combine it with `chosen &`."""
    chosen = choose(ids, mask, chance, generator)
    ordinary = (ids >= SPECIAL) & (ids != mask)
    return replace(ids, ordinary, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake
def masks_specials_too(ids, mask, chance=0.15, generator=None):
    """You also replace words without a label, and even special symbols. Change a place only where it was
    chosen.
    """
    chosen = choose(ids, mask, chance, generator)
    everywhere = torch.ones_like(chosen)
    return replace(ids, everywhere, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake
def random_words_everywhere(ids, mask, chance=0.15, generator=None):
    """You insert random words where nothing was chosen. Combine that condition with `chosen &`, too."""
    chosen = choose(ids, mask, chance, generator)
    fate = torch.rand(ids.shape, generator=generator)
    words = torch.randint(SPECIAL, mask, ids.shape, generator=generator)
    other = (fate >= 0.8) & (fate < 0.9) & (ids >= SPECIAL) & (ids != mask)
    masked = torch.where(other, words, ids.masked_fill(chosen & (fate < 0.8), mask))
    return masked, ids.masked_fill(~chosen, IGNORED)


@mistake
def one_fate_for_all(ids, mask, chance=0.15, generator=None):
    """One number decides for all words at once. Draw one for every place, by `torch.rand(ids.shape, ...)`."""
    chosen = choose(ids, mask, chance, generator)
    fate = torch.rand(1, generator=generator)
    words = torch.randint(SPECIAL, mask, ids.shape, generator=generator)
    masked = torch.where(fate < 0.8, mask, torch.where(fate < 0.9, words, ids)).where(chosen, ids)
    return masked, ids.masked_fill(~chosen, IGNORED)


@mistake
def one_fate_for_a_sentence(ids, mask, chance=0.15, generator=None):
    """One number decides for a whole sentence. Draw one for every place, by `torch.rand(ids.shape, ...)`."""
    chosen = choose(ids, mask, chance, generator)
    fate = torch.rand(len(ids), 1, generator=generator)
    words = torch.randint(SPECIAL, mask, ids.shape, generator=generator)
    masked = torch.where(fate < 0.8, mask, torch.where(fate < 0.9, words, ids)).where(chosen, ids)
    return masked, ids.masked_fill(~chosen, IGNORED)


@mistake
def one_draw_used_twice(ids, mask, chance=0.15, generator=None):
    """The draw that chooses the words also decides what they become. A number below a small `chance` is
    always below 0.8, too. Draw a second time.
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
    """Id 4 is never chosen. It is the first ordinary word: use `ids >= 4`, which is `ids > 3`."""
    chosen = choose(ids, mask, chance, generator) & (ids > SPECIAL)
    return replace(ids, chosen, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake
def without_the_last_word(ids, mask, chance=0.15, generator=None):
    """Id mask - 1 is never chosen. It is the last ordinary word: use `ids < mask`."""
    chosen = choose(ids, mask, chance, generator) & (ids < mask - 1)
    return replace(ids, chosen, mask, generator), ids.masked_fill(~chosen, IGNORED)


@mistake(mentions=r"(?m)\b(labels|masked) = (labels|masked)( =|$)")
def one_tensor_for_both(ids, mask, chance=0.15, generator=None):
    """`labels = masked` gives one tensor two names, so each change shows in both. Make a second tensor, by
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
    """Draw all random numbers by functions of torch that take a generator, and give it to each of them, as in
    `torch.rand(..., generator=generator)`. Then a run can be repeated.
    """
    return mask_reference(ids, mask, chance)


@mistake
def same_places(ids, mask, chance=0.15, generator=None):
    """One row of numbers decides for all sentences. Draw a number for every place, with the shape
    `ids.shape`.
    """
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
    """You return the labels first. Return the masked sentence first, then the labels."""
    masked, labels = mask_reference(ids, mask, chance, generator)
    return labels, masked


@mistake
def without_the_last_sentence(ids, mask, chance=0.15, generator=None):
    """You leave out the last sentence of a batch. `range(len(ids))` counts all sentences."""
    masked, labels = ids.clone(), torch.full_like(ids, IGNORED)
    for row in range(len(ids) - 1):
        masked[row], labels[row] = mask_reference(ids[row], mask, chance, generator)
    return masked, labels


@mistake
def without_the_last_place(ids, mask, chance=0.15, generator=None):
    """You leave out the last place of a sentence. In the longest sentences it may hold a word,
    so choose among all places.
    """
    masked, labels = ids.clone(), torch.full_like(ids, IGNORED)
    masked[:, :-1], labels[:, :-1] = mask_reference(ids[:, :-1], mask, chance, generator)
    return masked, labels
