"""mask_tokens: hide some words of a sentence, and keep what they were as labels (Devlin et al. 2019)."""

from collections.abc import Callable

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.guard import RejectedError

IGNORED, SPECIAL = -100, 4


SHARES = (  # what an example may show of many sentences
    "words with a label, at chance 0.4",
    "all labels right",
    "ids that have labels",
    "of these <mask>",
    "of these another word",
    "words changed without a label",
    "ids inserted",
    "of a single word <mask>",
    "sentences masked alike",
    "sentences in which all of ten words become <mask>",
    "same seed, same result",
)


mask_tokens = Exercise(
    "mask_tokens",
    points=9,
    returns=("masked: batch seq", "labels: batch seq"),
    hints=[
        "Choose first: `chosen = torch.rand(ids.shape, generator=generator) < chance`, and no special "
        "symbol: `& (ids >= 4) & (ids != mask)`. Write the labels at once, while `ids` is as it was.",
        "`labels = ids.masked_fill(~chosen, -100)`. Then a second draw, again of the shape of `ids`, decides "
        "what happens to each chosen word.",
        "With `fate = torch.rand(ids.shape, generator=generator)`: `<mask>` where `fate < 0.8`, a random "
        "word where `0.8 <= fate < 0.9`, and else the word stays. Each only where `chosen` is True.",
        "Random words: `torch.randint(4, mask, ids.shape, generator=generator)`; the upper end is left out. "
        "`torch.where(condition, these, those)` picks place by place.",
    ],
    examples=[
        "mask_tokens(torch.tensor([[5, 5, 2, 0]]), mask=6, chance=0.0)",
        "mask_tokens(torch.tensor([[2, 0, 1, 3]]), mask=6, chance=1.0)",
        "mask_tokens(torch.tensor([[6] * 8]), mask=6, chance=1.0)",
        *(f"shares(mask_tokens)['{name}']" for name in SHARES),
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


# What is drawn differs from answer to answer; what is said of it must not. So shares are rounded.


def percent(share, to: int = 5) -> str:
    return f"{to * round(100 / to * float(share))} %"


def sentences(inputs, words=40):
    """Ids of 2000 sentences: the begin symbol, words, some of them unknown, the end symbol, padding."""
    ids = inputs.integers(SPECIAL, SPECIAL + words, 2000, 20)
    ids[:, 0], ids[::7, 5] = 1, 3
    places, end = torch.arange(20), inputs.integers(10, 20, 2000, 1)
    return torch.where(places < end, ids, torch.where(places == end, 2, 0))


def drawn(inputs) -> torch.Generator:
    return torch.Generator().manual_seed(int(inputs.integers(0, 10**6, 1)))


def calls(mask_words: Callable, inputs, chance: float, words: int = 40):
    """Ids, which of them are ordinary words, the two results, and what is wrong with their kind."""
    ids = sentences(inputs, words)
    masked, labels = mask_words(ids, SPECIAL + words, chance=chance, generator=drawn(inputs))
    for name, result in (("masked", masked), ("labels", labels)):
        if result.shape != ids.shape or result.dtype != ids.dtype:
            raise RejectedError(
                f"`{name}` is {result.dtype} of shape {tuple(result.shape)}, expected {ids.dtype} of shape "
                f"{tuple(ids.shape)}, as the ids."
            )
    return ids, ids >= SPECIAL, masked, labels


@mask_tokens.part("about the asked share of words has a label: the word as it was", points=2)
def labels_of_words(mask_words, inputs):
    findings = {}
    for chance in (0.15, 0.4):
        ids, words, _, labels = calls(mask_words, inputs, chance)
        others = sorted({int(i) for i in labels[labels != ids].unique()} - {IGNORED})[:3]
        share = percent((labels[words] != IGNORED).float().mean())
        never = sorted(set(ids[words].tolist()) - set(labels[words].tolist()))
        told = ""
        if others:
            told = f"Some labels are neither {IGNORED} nor the word that stood there: {others}."
        elif len(never) == 1:
            told = (
                f"The word with id {never[0]} never has a label: ordinary words are those from 4 to mask - 1."
            )
        elif share != percent(chance):
            told = (
                f"With chance {chance} about {share} of the words have a label, expected {percent(chance)}."
            )
        findings[f"labels at chance {chance}"] = told
    return findings


@mask_tokens.part("special symbols are left alone", points=1)
def special_symbols(mask_words, inputs):
    ids = sentences(inputs)
    ids[::5, 4] = 44  # <mask> stands there already
    masked, labels = mask_words(ids, 44, chance=1.0, generator=drawn(inputs))
    names = {0: "<pad>", 1: "<bos>", 2: "<eos>", 3: "<unk>", 44: "<mask>"}
    changed = [name for i, name in names.items() if (masked[ids == i] != i).any()]
    graded = [name for i, name in names.items() if labels[ids == i].eq(i).any()]
    return {
        "changed": f"You change {', '.join(changed)}." if changed else "",
        "graded": f"You give labels to {', '.join(graded)}." if graded else "",
    }


@mask_tokens.part("of the chosen words 80 % become <mask>, 10 % another word, 10 % stay", points=2)
def fates(mask_words, inputs):
    ids, words, masked, _ = calls(mask_words, inputs, chance=1.0)
    words &= (ids > SPECIAL) & (ids < 43)  # whether the first and last are words is another part's question
    before, after = ids[words], masked[words]
    hidden, same = (after == 44).float().mean(), (after == before).float().mean()
    found = [percent(share) for share in (hidden, 1 - hidden - same, same)]
    told = f"Of the chosen words {found[0]} became <mask>, {found[1]} another word, {found[2]} stayed."
    told = "" if found == ["80 %", "10 %", "10 %"] else told
    none = "No word became another one." if ((after == 44) | (after == before)).all() else ""
    ids, words, masked, _ = calls(mask_words, inputs, chance=0.4)
    changed = masked[words & (masked != ids)]
    if not told and (share := percent((changed == 44).float().mean())) != "90 %":
        told = f"At chance 0.4 {share} of the changed words became <mask>, expected 90 %, that is 80 of 90."
    return {"fates": told, "other words": none}  # a few are not none: 0.02 may round as 0 does


@mask_tokens.part("words that are not chosen stay", points=1)
def others_stay(mask_words, inputs):
    ids, words, masked, labels = calls(mask_words, inputs, chance=0.4)
    changed = ((masked != ids) & (labels == IGNORED) & words)[words].float().mean()
    told = f"{percent(changed)} of all words were changed but have no label: nobody asks for them."
    return {"finding": told if changed > 0 else ""}


@mask_tokens.part("random words are ordinary words, all of them", points=1)
def random_words(mask_words, inputs):
    ids, words, masked, _ = calls(mask_words, inputs, chance=1.0)
    inserted = set(masked[words & (masked != ids)].tolist()) - {44}
    special, missing = sorted(inserted - set(range(4, 44))), sorted(set(range(4, 44)) - inserted)
    told = f"Ids that are no words were inserted: {special[:4]}." if special else ""
    if not special and missing and inserted:
        told = f"{len(missing)} of the 40 words are never inserted, such as id {missing[0]}."
    ids, words, masked, _ = calls(mask_words, inputs, chance=1.0, words=1)
    share = percent((masked[words] == 5).float().mean())
    if not told and share == "85 %":
        told = "<mask> itself is among the random words: the upper end of `torch.randint` is left out."
    return {"finding": told}


@mask_tokens.part("the generator decides, for every place anew", points=1)
def generator_decides(mask_words, inputs):
    ids = torch.full((50, 30), 7)
    draw = lambda seed: mask_words(ids, 44, chance=0.5, generator=torch.Generator().manual_seed(seed))  # noqa: E731
    (masked, labels), again, other = draw(1), draw(1), draw(2)
    seeds = (torch.Generator().manual_seed(seed) for seed in range(20))
    rows = torch.cat([mask_words(ids[:10], 44, chance=1.0, generator=seed)[0] == 44 for seed in seeds])
    told = ""
    if not (torch.equal(masked, again[0]) and torch.equal(labels, again[1])):
        told = "Two calls with generators of the same seed differ: pass `generator` to every draw."
    elif torch.equal(masked, other[0]):
        told = "Generators of different seeds give the same result."
    elif (masked == masked[:1]).all() or (masked == masked[:, :1]).all():
        told = "All rows, or all columns, are masked alike: draw a number for every place."
    elif not rows.all() and (rows.all(dim=1) | ~rows.any(dim=1)).float().mean() > 0.5:
        told = "All words of a sentence share one fate: draw it, too, for every place."
    return {"finding": told}


def shares(mask_words: Callable) -> dict[str, str]:
    """What happens to 1000 sentences of 8 words: an example whose result does not depend on chance."""
    ids, seeded = torch.arange(4, 12).repeat(1000, 1), lambda: torch.Generator().manual_seed(0)
    masked, labels = mask_words(ids, 12, chance=0.4, generator=seeded())
    chosen, hidden = labels != IGNORED, masked == 12
    single = torch.full((1000, 8), 4)
    first, second = (mask_words(single, 5, chance=1.0, generator=seeded())[0] for _ in range(2))
    ten = mask_words(torch.full((1000, 10), 7), 12, chance=1.0, generator=seeded())[0]
    found = (
        percent(chosen.float().mean(), to=10),
        bool((labels == ids)[chosen].all()),
        sorted(set(ids[chosen].tolist())),
        percent(hidden[chosen].float().mean(), to=10),
        percent((~hidden & (masked != ids))[chosen].float().mean(), to=10),
        percent((masked != ids)[~chosen].float().mean()),
        sorted(set(masked[(masked != ids) & chosen].tolist())),
        percent((first == 5).float().mean()),
        percent((hidden == hidden[:1]).all(dim=1).float().mean()),
        percent((ten == 12).all(dim=1).float().mean(), to=50),
        torch.equal(first, second),
    )
    return dict(zip(SHARES, found, strict=True))


mask_tokens.names = {"shares": shares}


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
