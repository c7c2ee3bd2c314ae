"""What holds of masked sentences whoever draws the random numbers: shares, and what one draw decides."""

from collections.abc import Callable

import torch

from course_lib.checks.results import RejectedError

IGNORED, SPECIAL = -100, 4

# What is drawn differs from answer to answer; what is said of it must not. So shares are rounded, and none is
# told where one draw decides for many places: it would be luck, and the last part speaks of such draws.

AS_ASKED = ["80 %", "10 %", "10 %"]
OTHER_SEED = "Some generators with different seeds give the same result."
ONE_GENERATOR = "Two calls with one generator give the same result. Give `generator` itself to every draw."
NO_GENERATOR = "Without a generator, some calls give the same result. Draw anew in each call."
CALLS = 50, 20, 20  # calls, each with a generator of its own, of 20 sentences with 20 places


def percent(share, to: int = 5) -> str:
    return f"{to * round(100 / to * float(share))} %"


def sentences(inputs, words=40):
    """Ids for all calls: the begin symbol, words, some of them unknown, the end symbol, padding."""
    ids, places = inputs.integers(SPECIAL, SPECIAL + words, *CALLS), torch.arange(20)
    ids[..., 0], ids[:, ::7, 5] = 1, 3
    end = inputs.integers(10, 20, *CALLS[:2], 1)
    return torch.where(places < end, ids, torch.where(places == end, 2, 0))


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def called(mask_words: Callable, ids, mask: int, seeds, **options):
    """The two results for all calls. A wrong dtype is the matter of one part, so it is mended here."""
    pairs = zip(ids, seeds.tolist(), strict=True)
    results = [mask_words(batch, mask, generator=seeded(seed), **options) for batch, seed in pairs]
    for name, result in zip(("masked", "labels"), results[0], strict=True):
        if result.shape != ids[0].shape:
            raise RejectedError(
                f"`{name}` has shape {tuple(result.shape)}, expected {tuple(ids[0].shape)}, as the ids."
            )
    return tuple(torch.stack(result).to(ids.dtype) for result in zip(*results, strict=True))


def masked_sentences(mask_words: Callable, inputs, words=40, **options):
    """Ids, which of them are ordinary words, and the two results."""
    ids = sentences(inputs, words)
    seeds = inputs.integers(0, 10**6, len(ids))
    return ids, ids >= SPECIAL, *called(mask_words, ids, SPECIAL + words, seeds, **options)


def drawn_once_for(flags, places) -> str:
    """For what one draw decides at these places, if not for each of them alone: "" if it does."""
    yes, no = flags & places, ~flags & places
    if not yes.any() or not no.any():
        return ""
    calls, sentences, words = (not (yes.any(d) & no.any(d)).any() for d in range(3))
    if sentences and words:
        return "all words of all sentences"
    if sentences or words:
        return "a whole sentence" if words else "the same place in all sentences"
    return "all calls" if calls else ""


def became(before, after, mask: int) -> list[str]:
    """Which shares of words became <mask>, became another word, stayed; AS_ASKED where there are none."""
    if not len(before):
        return AS_ASKED
    hidden, same = (after == mask).float().mean(), (after == before).float().mean()
    return [percent(share) for share in (hidden, 1 - hidden - same, same)]


def shares_a_word(masked, places) -> bool:
    """Whether at these places all words of a sentence, or of a column in a call, are the same."""
    low, high = masked.masked_fill(~places, 10**6), masked.masked_fill(~places, -1)
    return any(bool((low.amin(d) >= high.amax(d)).all()) for d in (1, 2))


def uneven(mask_words, inputs) -> bool:
    """Whether some of the ids 4 to 13 but 9 take the place of a 9 more often than others.

    About 3600 do, or 4000: the sum, which is about 8, passes 100 with a probability below 1e-15, and below
    1e-6 if each draw serves two places. For a word that is twice as likely it is about 300. Where none does,
    though some words are hidden and others are not, a random word is one of those in the sentence.
    """
    ids, (seed,) = torch.full((200, 200), 9), inputs.integers(0, 10**6, 1).tolist()
    masked, _ = mask_words(ids, 14, chance=1.0, generator=seeded(seed))
    counts = torch.stack([(masked == word).sum() for word in range(SPECIAL, 14) if word != 9]).double()
    none = counts.sum() < 100 and bool((masked == 14).any()) and bool((masked == 9).any())
    return none or bool(((counts - counts.mean()) ** 2).sum() > 100 * counts.mean())


def never_the_old(mask_words, inputs) -> bool:
    """Whether a random word is never the old one, as it is in one case of two where there are two words.

    Then as many of two words become the other as of ten, and not 5 and 9 %: right answers, of 14000 words or
    more, are 8 standard deviations away.
    """
    shares = []
    for words in (2, 10):
        ids, places, masked, _ = masked_sentences(mask_words, inputs, words, chance=1.0)
        if not shares and drawn_for_each_word(masked == SPECIAL + words, ids):
            return False  # too few draws to tell it: the last part speaks of them
        shares.append(((masked != ids) & (masked != SPECIAL + words))[places].double().mean())
    return bool(shares[1] > 0.05 and shares[0] > 0.8 * shares[1])


def drawn_for_each_word(flags, ids) -> bool:
    """Whether one draw decides for all places of a word in a call: here of the ids 4 and 5."""
    if not flags.any():
        return False
    for places in (ids == SPECIAL, ids == SPECIAL + 1):
        if ((flags & places).any((1, 2)) & (~flags & places).any((1, 2))).any():
            return False
    return True


def chosen_and_hidden(mask_words, ids):
    """Which words have a label at chance 0.5, and which become <mask> at chance 1, each by as many seeds."""
    seeds = torch.arange(len(ids))
    _, labels = called(mask_words, ids, 44, seeds, chance=0.5)
    masked, _ = called(mask_words, ids, 44, seeds, chance=1.0)
    return labels != IGNORED, masked == 44


def always_as_many(flags) -> bool:
    """Whether as many words of each sentence, or of each call, are decided one way: some, but not all."""
    some = bool(flags.any()) and not flags.all()
    counts = flags.sum(dim=2), flags.sum(dim=(1, 2))
    return some and any(bool(each.min() == each.max()) for each in counts)


def draws_serve(labels, hidden) -> str:
    """For what a draw decides, of the words to be chosen or of those that become <mask>."""
    everywhere = torch.ones_like(labels)
    once = drawn_once_for(labels, everywhere) or drawn_once_for(hidden, everywhere)
    alike = two_alike(labels) or two_alike(hidden)
    return once or alike or "many places of a batch" * (share_draws(labels) or share_draws(hidden))


def served_by_one_draw(mask_words, labels, hidden) -> str:
    """The same of one word at all places; where other words are drawn for by themselves, that is said."""
    if not (many := draws_serve(labels, hidden)):
        return ""
    others = (SPECIAL + torch.arange(labels.numel()) * 7 % 40).view(labels.shape)
    return many if draws_serve(*chosen_and_hidden(mask_words, others)) == many else "all places of one word"


def told_of_repeats(draw: Callable[[torch.Generator | None], torch.Tensor], inputs, count: int = 60) -> str:
    """A sentence on calls that give what another one gave: by other seeds, by one generator, or by none."""
    first, one = inputs.integer(0, 10**6), seeded(0)
    ways: dict[str, list[torch.Generator | None]] = {
        OTHER_SEED: [seeded(first + number) for number in range(count)],
        ONE_GENERATOR: [one] * count,
        NO_GENERATOR: [None] * count,
    }
    for told, generators in ways.items():
        if len({tuple(draw(given).flatten().tolist()) for given in generators}) < count:
            return told
    return ""


def told_of_choices(mask_words, inputs) -> str:
    """The same of which words are chosen, at any chance and the usual one, and which of them become <mask>.

    What is decided alike for all words was not drawn at all, which is the question of other parts. Of 240
    words two calls choose the same, or hide the same, with a probability of (p² + (1 - p)²)**240 < 3e-21.
    """
    ids, chance = torch.full((8, 30), 7), inputs.chance()
    for draw in (
        lambda given: mask_words(ids, 44, chance=0.5, generator=given)[1] != IGNORED,
        lambda given: mask_words(ids, 44, chance=1.0, generator=given)[0] == 44,
        lambda given: mask_words(ids, 44, chance=chance, generator=given)[1] != IGNORED,
        lambda given: mask_words(ids, 44, generator=given)[1] != IGNORED,
    ):
        once = draw(None)
        if once.any() and not once.all() and (told := told_of_repeats(draw, inputs)):
            return told
    return ""


def two_alike(flags) -> str:
    """Which two always have the same draws, though these are not all equal; "" if none have."""
    for axis, name in ((1, "two sentences of a batch"), (2, "two places of a sentence")):
        drawn = flags.movedim(axis, 0).flatten(1)
        drawn = 2.0 * drawn[drawn.any(1) & ~drawn.all(1)] - 1
        if ((drawn @ drawn.mT).triu(1) == drawn.shape[1]).any():
            return name
    return ""


def share_draws(flags) -> bool:
    """Whether what calls decide, in rows, is not decided for each place by itself.

    Of 20 calls and 150 places or more, of which each decides one way with a probability of 0.5 to 0.8: then
    each of the three is true of independent draws with a probability below 1e-9.
    """
    places = flags.flatten(1)
    places = places[:, places.any(0) & ~places.all(0)].double()
    if places.shape[1] < 100:
        return False
    share = places.mean()
    as_free = places.shape[1] * share * (1 - share)  # the variance of the count of independent draws
    few = len(places.unique(dim=1)[0]) < 0.6 * places.shape[1]
    return bool(few or places.sum(1).var() < 0.03 * as_free or _adds_up(flags))


def _adds_up(flags) -> bool:
    """Whether a draw for each row and one for each column decide together: four corners tell each other."""
    if flags.dim() < 3:
        return False
    signs = flags.double() - flags.double().mean()
    signs /= signs.std()
    corners = signs[:, 1:, 1:] * signs[:, :-1, 1:] * signs[:, 1:, :-1] * signs[:, :-1, :-1]
    return bool(corners.mean().abs() > 8 * corners.std() / corners.numel() ** 0.5)


# For examples: what does not depend on chance.


def labelled(mask_words, chance):
    """The share of 8000 words that has a label."""
    _, labels = mask_words(torch.full((1000, 8), 5), 12, chance=chance, generator=seeded(1))
    return percent((labels != IGNORED).float().mean())


def fates_of(mask_words, chance=1.0, words=8):
    """What became of 8000 words, the ids 4 to 3 + words: of those that have a label."""
    ids = (torch.arange(8000).view(1000, 8) % words) + SPECIAL
    # Not the seed of torch's own in examples, which is 0: draws without the generator would give the same.
    masked, labels = mask_words(ids, SPECIAL + words, chance=chance, generator=seeded(1))
    asked = labels != IGNORED
    if not asked.any():
        return "no word has a label"
    names = ("<mask>", "another word", "as it was")
    return dict(zip(names, became(ids[asked], masked[asked], SPECIAL + words), strict=True))


def inserted(mask_words):
    """The ids that take the place of some of 8000 words, the ids 4 to 7, besides <mask>, which is 12."""
    ids = torch.arange(4, 8).repeat(1000, 2)
    masked, _ = mask_words(ids, 12, chance=1.0, generator=seeded(1))
    return sorted(set(masked[masked != ids].tolist()) - {12})


def a_draw_serves(mask_words):
    """For what one draw decides: each word, a whole sentence, or more."""
    flags = chosen_and_hidden(mask_words, torch.full((20, 10, 30), 7))
    if any(map(always_as_many, flags)):
        return "how many words are chosen"
    return served_by_one_draw(mask_words, *flags) or "each word"


def repeats(mask_words):
    """Whether generators of the same seed give the same twice."""
    ids = torch.arange(4, 12).repeat(10, 1)
    first, second = (mask_words(ids, 12, chance=0.5, generator=seeded(0))[0] for _ in range(2))
    return torch.equal(first, second)
