"""What else learners write for bleu: other runs of words, and counts that are added up in another way."""

import math
from collections import Counter

from course_lib.checks.translator.bleu import bleu, bleu_reference, grams
from course_lib.checks.translator.mistakes_in_bleu import clipped, geometric, penalty, scored

mistake = bleu.mistake


@mistake("B1", advice="`|` keeps the larger of two counts; matches are the smaller, `&`.")
def union(translations, references):
    return scored(translations, references, match=lambda ours, theirs: (ours | theirs).total())


@mistake("B4", advice="Translations and references changed places: the translations come first.")
def both_swapped(translations, references):
    return bleu_reference(references, translations)


def with_runs(translations, references, runs):
    """The right answer, with another way to take the runs of a sentence."""
    total = 0.0
    for n in (1, 2, 3, 4):
        pairs = [(runs(t, n), runs(r, n)) for t, r in zip(translations, references, strict=True)]
        matches = sum((ours & theirs).total() for ours, theirs in pairs)
        if matches == 0:
            return 0.0
        total += math.log(matches / sum(ours.total() for ours, _ in pairs)) / 4
    return 100 * math.exp(total) * penalty(sum(map(len, translations)), sum(map(len, references)))


@mistake(
    "B5",
    advice="The last run is missing: a sentence has len(words) - n + 1 of them, and `range` stops "
    "before its end.",
)
def last_run_missing(translations, references):
    def runs(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n))

    return with_runs(translations, references, runs)


@mistake(
    "B5",
    advice="Slices at the end of a sentence are shorter than n, and no runs of n words: "
    "`range(len(words) - n + 1)`.",
)
def short_runs(translations, references):
    def runs(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words)))

    return with_runs(translations, references, runs)


@mistake("B18", advice="You compare place by place; a run may stand anywhere in the reference.")
def place_by_place(translations, references):
    def runs(words, n):
        return Counter((i, *words[i : i + n]) for i in range(len(words) - n + 1))

    return with_runs(translations, references, runs)


@mistake(
    "B12",
    advice="You average the precisions of sentences: add up matches and runs of the whole corpus, then "
    "divide.",
)
def mean_of_precisions(translations, references):
    precisions = []
    for n in (1, 2, 3, 4):
        pairs = [(grams(t, n), grams(r, n)) for t, r in zip(translations, references, strict=True)]
        shares = [clipped(ours, theirs) / max(ours.total(), 1) for ours, theirs in pairs]
        precisions.append(sum(shares) / len(shares))
    lengths = sum(map(len, translations)), sum(map(len, references))
    return 100 * geometric(precisions) * penalty(*lengths)


@mistake(
    "B12",
    advice="All sentences in one Counter: a word then matches another sentence's reference. Compare each "
    "translation with its own, and add up the matches.",
)
def one_bag(translations, references):
    precisions = []
    for n in (1, 2, 3, 4):
        ours, theirs = (sum((grams(t, n) for t in side), Counter()) for side in (translations, references))
        precisions.append(clipped(ours, theirs) / max(ours.total(), 1))
    lengths = sum(map(len, translations)), sum(map(len, references))
    return 100 * geometric(precisions) * penalty(*lengths)


@mistake("B15", advice="`range(1, 4)` is 1, 2, 3: the runs of 4 words are missing.")
def three_fourths(translations, references):
    return scored(translations, references, orders=(1, 2, 3), mean=lambda ps: geometric(ps) ** 0.75)


@mistake("B17", advice="You add 1 to every count. No smoothing here: where a precision is 0 the score is 0.")
def add_one(translations, references):
    precisions = []
    for n in (1, 2, 3, 4):
        pairs = [(grams(t, n), grams(r, n)) for t, r in zip(translations, references, strict=True)]
        matches, counted = sum(clipped(*pair) for pair in pairs), sum(ours.total() for ours, _ in pairs)
        precisions.append((matches + 1) / (counted + 1))
    lengths = sum(map(len, translations)), sum(map(len, references))
    return 100 * geometric(precisions) * penalty(*lengths)


@mistake(
    "B17",
    advice="Translations of fewer than 4 words have no runs of 4: ask whether there are matches before you "
    "divide by the number of runs.",
)
def divides_by_none(translations, references):
    for n in (1, 2, 3, 4):
        pairs = [(grams(t, n), grams(r, n)) for t, r in zip(translations, references, strict=True)]
        if sum(clipped(*pair) for pair in pairs) / sum(ours.total() for ours, _ in pairs) == 0:
            return 0.0
    return bleu_reference(translations, references)
