"""Whether many calls with one batch draw for each place by itself, and by the right chances: in words.

Right answers are outside of each bound with a probability below 1e-9, however often they are asked.
"""

import torch

from course_lib.exercises.transfer_learning.masked_counts import (
    IGNORED,
    SPECIAL,
    called,
    percent,
    seeded,
    told_of_repeats,
)

CALLS = 300, 200  # with a sentence alone, and with some
TOGETHER = "In a batch of ordinary sentences, some places share their draws: draw for each place by itself."
OWN_CHANCES = (
    "In a batch of ordinary sentences, some words are chosen, or become <mask>, much more often than others. "
    "Draw for every place, by the same chances."
)
SHORT = (
    "In a sentence of one or two words, about {0} of the words have a label, expected {1}. Choose each word "
    "with probability `chance`, whatever happens to the others."
)
NOT_THE_WORD = "In a batch of ordinary sentences, a label is not the word that was there, or is no word's."
NOT_CHOSEN = "In a batch of ordinary sentences, you change what has no label."
NO_WORDS = "In a batch of ordinary sentences, you insert ids that are no words, such as {0}."
PREFERRED = "In a batch of ordinary sentences, some words are inserted more often than others."
SAME_SEED = "In a batch of ordinary sentences, generators with the same seed give different results."


def depend(flags: torch.Tensor) -> bool:
    """Whether places, the columns, are not decided each by itself. Each call is a row: 200 or more.

    Products of two columns have the sizes of normal numbers, and the sums of rows vary as their parts do.
    Only columns that are often True and often False are looked at: of others a product may be large.
    """
    share = flags.double().mean(0)
    columns = flags[:, (share > 0.25) & (share < 0.75)].double()
    if columns.shape[1] < 2:
        return False
    spread = float(columns.sum(1).var() / columns.var(0).sum())
    columns = (columns - columns.mean(0)) / columns.std(0)
    alike = (columns.mT @ columns / len(columns) ** 0.5)[~torch.eye(columns.shape[1]).bool()]
    pairs = len(alike) / 2
    many = alike.square().sum() / 2 > pairs + 10 * (2 * pairs) ** 0.5 + 50
    return bool(many or alike.abs().max() > 9 or not 0.4 < spread < 1.9)


def misfit(counts: torch.Tensor, expected: torch.Tensor) -> float:
    """Chi-square, less what it may be for as many counts by chance: above 0 for none that are right."""
    degrees = counts.numel()
    found = ((counts - expected) ** 2 / expected).sum()
    return float(found) - degrees - 8 * (2 * degrees) ** 0.5 - 50


def ordinary_sentences(inputs, mask: int, count: int) -> torch.Tensor:
    """(count, 16): the begin symbol, words, one of them unknown, one hidden already, the end, padding.

    The last sentence has only one word or two.
    """
    ids, places = inputs.integers(SPECIAL, mask, count, 16), torch.arange(16)
    ids[:, 0], ids[0, 3], ids[0, 5] = 1, 3, mask
    end = inputs.integers(11, 16, count, 1)
    end[-1] = inputs.integer(2, 4)
    return torch.where(places < end, ids, torch.where(places == end, 2, 0))


def told_of_sentences(mask_words, inputs, words: int, count: int, **options: float) -> str:
    """On so many masked sentences with special symbols and padding, of so many words in the vocabulary.

    options: the chance, or nothing.
    """
    mask, first, chance = SPECIAL + words, inputs.integer(0, 10**6), options.get("chance", 0.15)
    ids, calls = ordinary_sentences(inputs, mask, count), CALLS[count > 1]
    masked, labels = called(
        mask_words, ids.expand(calls, -1, -1), mask, first + torch.arange(calls), **options
    )
    asked, ordinary = labels != IGNORED, (ids >= SPECIAL) & (ids != mask)
    if (asked & ((labels != ids) | ~ordinary)).any():
        return NOT_THE_WORD
    if ((masked != ids) & ~asked).any():
        return NOT_CHOSEN
    asked, after, before = asked[:, ordinary], masked[:, ordinary], ids[ordinary]
    hidden, stayed = asked & (after == mask), asked & (after == before)
    others = asked & ~hidden & ~stayed
    inserted = after[others]
    if (wrong := inserted[(inserted < SPECIAL) | (inserted > mask)]).numel():
        return NO_WORDS.format(int(wrong[0]))
    again = chance / 10 / words  # where the random word is the old one
    chances = torch.tensor([1 - chance, 0.8 * chance, chance / 10 - again, chance / 10 + again])
    counts = torch.stack([each.sum(0) for each in (~asked, hidden, others, stayed)])
    if misfit(counts, calls * chances[:, None]) > 0:
        share = percent(asked.float().mean())
        return (
            SHORT.format(share, percent(chance)) if count == 1 and share != percent(chance) else OWN_CHANCES
        )
    moved = torch.bincount(((after - before) % words)[others], minlength=words)[1:]
    old = before.expand_as(others)[others]
    new, old = (torch.bincount(each, minlength=mask)[SPECIAL:] for each in (inserted, old))
    each_but_the_old = (len(inserted) - old).double() / (words - 1)
    if len(inserted) > 4 * words and (  # fewer are too few for the bound
        misfit(moved, moved.double().mean().expand(words - 1)) > 0 or misfit(new, each_but_the_old) > 0
    ):
        return PREFERRED
    if depend(asked) or depend(hidden):
        return TOGETHER
    draw = lambda given: torch.cat(mask_words(ids, mask, generator=given, **options))  # noqa: E731
    if not torch.equal(draw(seeded(first)), draw(seeded(first))):
        return SAME_SEED
    # Of many words two calls choose the same by no chance to speak of.
    return told_of_repeats(draw, inputs, 20) if chance > 0.3 and count > 3 else ""


ROWS = "Rows of a batch are not drawn each by its own probabilities. Seen {0}."
SHARED_ROWS = "Rows of a batch share their draws: draw for each row by itself. Seen {0}."
RARE = "Of 100 words, 99 have a probability of 2 % together. They are drawn in {0} of the cases."


def told_of_rows(draw, logits, inputs, **options) -> str:
    """On rows with probabilities that are not alike: what 200 calls draw for each, 3 times in a batch.

    Compared with the probabilities that come with the draws: whether these are right is another question.
    """
    many, first = logits.repeat(3, 1), inputs.integer(0, 10**6)
    pairs = [draw(many, generator=seeded(first + call), **options) for call in range(200)]
    ids = torch.stack([torch.as_tensor(one).flatten()[: len(many)].long() for one, _ in pairs])
    chances = pairs[0][1].double()
    case = f"with {', '.join(f'`{name}={value}`' for name, value in options.items())}" if options else ""
    case = case or "without options"
    if chances.shape != many.shape or ids.shape[1] != len(many):
        return ""  # the question of another part
    found = torch.stack([(ids == word).sum(0) for word in range(logits.shape[1])], dim=1)
    found, chances = (each.view(3, *logits.shape).double() for each in (found, chances))
    found, expected = found.sum(0), 200 * chances.sum(0)
    if ((found - expected).abs() > 8 * expected.sqrt() + 10).any():
        return ROWS.format(case)
    return SHARED_ROWS.format(case) if depend(ids == pairs[0][1].argmax(dim=1)) else ""


def told_of_rare_words(draw, inputs) -> str:
    """On words that are unlikely each: 4,000 draws give 80 of them; 150 or 10 come once in 10 billion."""
    logits, place, first = torch.zeros(100, 100), *inputs.integers(0, 100, 2).tolist()
    logits[:, place] = torch.tensor(49.0 * 99).log()
    ids = [torch.as_tensor(draw(logits, generator=seeded(first + call))[0]) for call in range(40)]
    share = float((torch.stack(ids) != place).double().mean())
    return RARE.format(percent(share, to=1)) if abs(share - 0.02) > 0.0175 else ""
