"""mask_tokens: hide some words of a sentence, and keep what they were as labels (Devlin et al. 2019)."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.exercises.transfer_learning.masked_counts import (
    AS_ASKED,
    IGNORED,
    SPECIAL,
    a_draw_serves,
    always_as_many,
    became,
    called,
    chosen_and_hidden,
    drawn_for_each_word,
    drawn_once_for,
    fates_of,
    inserted,
    labelled,
    masked_sentences,
    never_the_old,
    percent,
    repeats,
    seeded,
    sentences,
    served_by_one_draw,
    shares_a_word,
    told_of_choices,
    uneven,
)

mask_tokens = Exercise(
    "mask_tokens",
    points=9,
    returns=("masked: batch seq", "labels: batch seq"),
    hints=[
        "Two things are random: which words are chosen, and what a chosen word becomes. Which ids must "
        "never be chosen? What do you still need from `ids` after words are replaced?",
        "Draw a number for every place and compare it with `chance`. Leave out the special symbols with `& "
        "(ids >= 4) & (ids != mask)`. Make the labels while `ids` is unchanged. A second draw decides what "
        "each chosen word becomes.",
        "`chosen = torch.rand(ids.shape, generator=generator) < chance`, without the special symbols. Then "
        "`labels = ids.masked_fill(~chosen, -100)`.",
        "With `fate = torch.rand(ids.shape, generator=generator)`, a place becomes `<mask>` where `fate < "
        "0.8`, and a random word where `0.8 <= fate < 0.9`. Elsewhere the word stays. Change a place only "
        "where `chosen` is True.",
        "Random words are `torch.randint(4, mask, ids.shape, generator=generator)`, which leaves its upper "
        "end out. `torch.where(condition, these, those)` picks place by place.",
    ],
    examples=[
        "mask_tokens(torch.tensor([[4, 5, 6, 7, 2, 0]]), mask=8, chance=0.0)",
        "mask_tokens(torch.arange(4, 28)[None], mask=28, chance=1.0)[1]",
        "labelled(mask_tokens, chance=0.4)",
        "fates_of(mask_tokens)",
        "fates_of(mask_tokens, chance=0.4)",
        "inserted(mask_tokens)",
        "fates_of(mask_tokens, words=1)",
        "fates_of(mask_tokens, words=2)",
        "a_draw_serves(mask_tokens)",
        "repeats(mask_tokens)",
        "mask_tokens(torch.tensor([[2, 0, 1, 3]]), mask=6, chance=1.0)",
        "mask_tokens(torch.tensor([[6] * 8]), mask=6, chance=1.0)",
    ],
    repeatable=False,
)


@mask_tokens.reference
def mask_reference(ids, mask, chance=0.15, generator=None):
    chosen = torch.rand(ids.shape, generator=generator) < chance
    chosen &= (ids >= SPECIAL) & (ids != mask)
    labels = ids.masked_fill(~chosen, IGNORED)
    fate = torch.rand(ids.shape, generator=generator)
    words = torch.randint(SPECIAL, mask, ids.shape, generator=generator)
    masked = ids.masked_fill(chosen & (fate < 0.8), mask)
    return torch.where(chosen & (fate >= 0.8) & (fate < 0.9), words, masked), labels


@mask_tokens.part("about the right share of words has a label: the original word", points=2)
def labels_of_words(mask_words, inputs):
    findings = {}
    for chance, options in ((0.15, {}), (0.4, {"chance": 0.4})):
        ids, words, _, labels = masked_sentences(mask_words, inputs, **options)
        others = sorted({int(i) for i in labels[labels != ids].unique()} - {IGNORED})[:3]
        share = percent((labels[words] != IGNORED).float().mean())
        never = sorted(set(ids[words].unique().tolist()) - set(labels[words].unique().tolist()))
        told = ""
        if others:
            told = f"Some labels are neither {IGNORED} nor the word that was there: {others}."
        elif len(never) == 1:
            told = f"The word with id {never[0]} never has a label. The ordinary ids are 4 to mask - 1."
        elif share != percent(chance) and not drawn_once_for(labels != IGNORED, words):
            told = f"With chance {chance}, about {share} of the words have a label."
        findings[f"labels at chance {chance}"] = told
    first = mask_words(ids[0], 44, generator=seeded(0))
    wrong = [
        f"`{name}` is {result.dtype}, expected {ids.dtype}, like the ids."
        for name, result in zip(("masked", "labels"), first, strict=True)
        if result.dtype != ids.dtype
    ]
    _, alone = called(mask_words, ids[:, :1], 44, torch.arange(len(ids)), chance=0.4)
    none = "" if (alone != IGNORED).any() else "In a batch of one sentence, no word has a label."
    return {"kind": " ".join(wrong), **findings, "one sentence": none}


@mask_tokens.part("special symbols are left alone", points=1)
def special_symbols(mask_words, inputs):
    ids = sentences(inputs)
    ids[:, ::5, 4] = 44  # <mask> stands there already
    masked, labels = called(mask_words, ids, 44, inputs.integers(0, 10**6, len(ids)), chance=0.5)
    names = {0: "<pad>", 1: "<bos>", 2: "<eos>", 3: "<unk>", 44: "<mask>"}
    changed = [name for i, name in names.items() if (masked[ids == i] != i).any()]
    graded = [name for i, name in names.items() if labels[ids == i].eq(i).any()]
    return {
        "changed": f"You change {', '.join(changed)}." if changed else "",
        "graded": f"You give labels to {', '.join(graded)}." if graded else "",
    }


@mask_tokens.part("of the chosen words 80 % become <mask>, 10 % another word, 10 % stay", points=2)
def fates(mask_words, inputs):
    ids, words, masked, labels = masked_sentences(mask_words, inputs, chance=1.0)
    words &= (ids > SPECIAL) & (ids < 43)  # whether the first and last are words is another part's question
    once = drawn_once_for(masked == 44, words)
    found, some = became(ids[words], masked[words], 44), ((masked != 44) & (masked != ids) & words).any()
    all_chosen = (labels[words] != IGNORED).float().mean() > 0.9
    ids, words, masked, labels = masked_sentences(mask_words, inputs, chance=0.4)
    asked, changed = words & (labels != IGNORED), masked[words & (masked != ids)]
    if once and drawn_once_for(masked == 44, asked):
        return {"fates": "", "other words": "", "changed": "", "one sentence": ""}
    if not asked.any():
        return {
            "fates": "No word was chosen at chance 0.4.",
            "other words": "",
            "changed": "",
            "one sentence": "",
        }
    told = unlike = ""
    # Where the choice is wrong the shares may be right, among those that were chosen.
    if found != AS_ASKED != (of_asked := became(ids[asked], masked[asked], 44)):
        found = found if all_chosen and not once else of_asked
        became_what = f"{found[0]} became <mask>, {found[1]} another word, {found[2]} stayed"
        told = f"Of the chosen words, about {became_what}."
    elif abs((share := (changed == 44).float().mean()) - 0.89) > 0.05:
        unlike = f"At chance 0.4, {percent(share)} of the changed words became <mask>, expected 90 %."
    none = "" if some or (changed != 44).any() else "No chosen word became another word."
    alone, _ = called(mask_words, ids[:, :1], 44, torch.arange(len(ids)), chance=1.0)
    single = "" if (alone == 44).any() or not some else "In a batch of one sentence, no word becomes <mask>."
    # a few are not none: 2 % is told as 0 %
    return {"fates": told, "other words": none, "changed": unlike, "one sentence": single}


@mask_tokens.part("words that are not chosen stay unchanged", points=1, alone=False)
def others_stay(mask_words, inputs):
    ids, words, masked, labels = masked_sentences(mask_words, inputs, chance=0.5)
    changed, asked = words & (masked != ids), words & (labels != IGNORED)
    share, unasked = changed[words].float().mean(), changed & ~asked
    told = ""
    if drawn_once_for(changed, words):
        pass
    elif share > 0.56:
        told = f"With chance 0.5, {percent(share)} of the words were changed, more than may be chosen."
    # Labels that are wrong are another part's question: here they must be about right, to be believed.
    elif abs(asked[words].float().mean() - 0.5) < 0.04 and (changed & asked).any() and unasked.any():
        told = f"{percent(unasked[words].float().mean())} of all words were changed, but have no label."
    return {"finding": told}


@mask_tokens.part("a random word may be any ordinary word", points=1)
def random_words(mask_words, inputs):
    ids = sentences(inputs, words=5)  # half of the vocabulary: a random word need not be in the batch
    masked, _ = called(mask_words, ids, 14, inputs.integers(0, 10**6, len(ids)), chance=0.5)
    places = (ids >= SPECIAL) & (masked != ids) & (masked != 14)
    inserted = set(masked[places].unique().tolist())
    special, missing = sorted(inserted - set(range(4, 14))), sorted(set(range(4, 14)) - inserted)
    told = ""
    if special:
        told = f"You inserted ids that are no words: {special[:4]}."
    elif not inserted:
        told = "You never insert a random word."
    elif shares_a_word(masked, places):
        told = "One random word is used at many places: draw one for every place."
    elif shares_a_word((masked - ids) % 10, places):
        told = "Many random words are the old word moved by the same number: draw one for every place."
    elif missing:
        told = f"{len(missing)} of the 10 words are never inserted, such as id {missing[0]}."
    elif uneven(mask_words, inputs):
        told = "Some ordinary words are inserted more often than others: draw all with the same probability."
    elif never_the_old(mask_words, inputs):
        told = "The random word is never the old one: draw it from all ordinary words."
    ids, words, masked, _ = masked_sentences(mask_words, inputs, words=1, chance=1.0)
    # where one draw decides for all places of a word, there are too few to tell this
    counted = not drawn_for_each_word(masked == 5, ids)
    if not told and counted and percent((masked[words] == 5).float().mean()) == "85 %":
        told = "`<mask>` itself is among the random words: `torch.randint` leaves its upper end out."
    return {"finding": told}


@mask_tokens.part("the generator decides, for every place separately", points=1)
def generator_decides(mask_words, inputs):
    ids = torch.full((20, 10, 30), 7)
    draw = lambda seed: mask_words(ids[0], 44, chance=0.5, generator=seeded(seed))  # noqa: E731
    (masked, labels), again, other = draw(1), draw(1), draw(2)
    told = ""
    if not (torch.equal(masked, again[0]) and torch.equal(labels, again[1])):
        told = "Generators with the same seed give different results."
    elif torch.equal(masked, other[0]) and torch.equal(labels, other[1]):
        told = "Generators with different seeds give the same result."
    else:
        labels, hidden = chosen_and_hidden(mask_words, ids)
        if always_as_many(labels):
            told = "The number of chosen words is always the same: decide for each word separately."
        elif always_as_many(hidden):
            told = "As many of the chosen words always become `<mask>`: decide for each word separately."
        elif many := served_by_one_draw(mask_words, labels, hidden):
            told = f"One draw decides for {many}: draw a number for every place."
        elif labels.any() and not (by_sentence := labels.any(0).any(1)).all():
            told = f"Of 10 sentences, sentence {by_sentence.int().argmin() + 1} never has a chosen word."
        elif repeated := told_of_choices(mask_words, inputs):
            told = repeated
        elif labels.any() and not (by_place := labels.any(0).any(0)).all():
            told = f"Of 30 words in a sentence, word {by_place.int().argmin() + 1} is never chosen."
    return {"finding": told}


mask_tokens.names = {
    "labelled": labelled,
    "fates_of": fates_of,
    "inserted": inserted,
    "a_draw_serves": a_draw_serves,
    "repeats": repeats,
}


# Accepted: other ways to write the same


@mask_tokens.accept("loops over words")
def loops(ids, mask, chance=0.15, generator=None):
    masked, labels = ids.clone(), torch.full_like(ids, IGNORED)
    draws = torch.rand(*ids.shape, 2, generator=generator).tolist()
    words = torch.randint(SPECIAL, mask, ids.shape, generator=generator)
    for row, sentence in enumerate(ids.tolist()):
        for place, word in enumerate(sentence):
            first, second = draws[row][place]
            if word >= SPECIAL and word != mask and first < chance:
                labels[row, place] = word
                if second < 0.8:
                    masked[row, place] = mask
                elif second < 0.9:
                    masked[row, place] = words[row, place]
    return masked, labels


@mask_tokens.accept("bernoulli draws, half of the rest")
def bernoulli(ids, mask, chance=0.15, generator=None):
    draw = lambda p: torch.bernoulli(torch.full(ids.shape, p), generator=generator).bool()  # noqa: E731
    chosen = draw(chance) & (ids > 3) & (ids < mask)
    labels = torch.where(chosen, ids, -100)
    masked = ids.clone()
    hidden = draw(0.8) & chosen
    masked[hidden] = mask
    replaced = draw(0.5) & chosen & ~hidden
    masked[replaced] = torch.randint(4, mask, (int(replaced.sum()),), generator=generator)
    return masked, labels


@mask_tokens.accept("one draw for both decisions")
def one_draw(ids, mask, chance=0.15, generator=None):
    draw = torch.rand(ids.shape, generator=generator)
    draw = draw.masked_fill(torch.isin(ids, torch.tensor([0, 1, 2, 3, mask])), 2.0)
    words = torch.randint(4, mask, ids.shape, generator=generator)
    masked = torch.where(draw < 0.8 * chance, mask, torch.where(draw < 0.9 * chance, words, ids))
    return masked, torch.where(draw < chance, ids, IGNORED)


@mask_tokens.accept("a multinomial draw of fates")
def multinomial(ids, mask, chance=0.15, generator=None):
    ordinary = (ids >= 4) & ids.ne(mask)
    odds = torch.tensor([1 - chance, 0.8 * chance, 0.1 * chance, 0.1 * chance])
    fate = torch.multinomial(odds, ids.numel(), replacement=True, generator=generator).view_as(ids)
    fate = fate * ordinary
    labels = ids.masked_fill(fate == 0, -100)
    words = torch.empty_like(ids).random_(4, mask, generator=generator)
    return ids.masked_fill(fate == 1, mask).where(fate != 2, words), labels


@mask_tokens.accept("options by keyword only")
def by_keyword(ids, mask, *, chance=0.15, generator=None):
    return mask_reference(ids, mask, chance, generator)
