"""Wrong answers to bleu: name, advice, code."""

import math
from collections import Counter

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.translator.bleu import bleu_reference, grams

mistake = Mistakes()


def clipped(ours, theirs):
    return (ours & theirs).total()


def penalty(c, r):
    return math.exp(min(0.0, 1 - r / c))


def geometric(precisions):
    return math.exp(sum(math.log(p) for p in precisions) / len(precisions)) if min(precisions) > 0 else 0.0


def scored(
    translations,
    references,
    orders=(1, 2, 3, 4),
    match=clipped,
    total=lambda ours, theirs, n: ours.total(),
    mean=geometric,
    brevity=penalty,
):
    """The right answer, with one piece to replace."""
    precisions = []
    for n in orders:
        pairs = [(grams(t, n), grams(r, n)) for t, r in zip(translations, references, strict=True)]
        counted = sum(total(ours, theirs, n) for ours, theirs in pairs)
        precisions.append(sum(match(ours, theirs) for ours, theirs in pairs) / max(counted, 1))
    return 100 * mean(precisions) * brevity(sum(map(len, translations)), sum(map(len, references)))


@mistake("B1")
def not_clipped(translations, references):
    """Repeats are rewarded: an n-gram counts at most as often as the reference has it (`min`)."""

    def match(ours, theirs):
        return sum(count for gram, count in ours.items() if gram in theirs)

    return scored(translations, references, match=match)


@mistake("B2")
def distinct_only(translations, references):
    """Matches are counted once each, however often they occur: add up their counts. (Sets forget them, and
    `len` of a Counter does not add them up: `.total()` does.)
    """

    def match(ours, theirs):
        return len(ours.keys() & theirs.keys())

    return scored(translations, references, match=match)


@mistake("B2")
def sets(translations, references):
    """Each n-gram is counted once, however often it occurs: add up the counts, of matches and of all. (Sets
    forget them, and `len` of a Counter does not add them up: `.total()` does.)
    """

    def match(ours, theirs):
        return len(ours.keys() & theirs.keys())

    return scored(translations, references, match=match, total=lambda ours, theirs, n: len(ours))


@mistake("B4")
def recall(translations, references):
    """That is recall: precision divides by the n-grams of the translation, not of the reference."""
    return scored(translations, references, total=lambda ours, theirs, n: theirs.total())


@mistake("B5")
def divides_by_words(translations, references):
    """A sentence of n words has n - 1 pairs and n - 2 triples: divide by the number of n-grams."""

    def total(ours, theirs, n):
        return ours.total() + n - 1

    return scored(translations, references, total=total)


@mistake("B6")
def arithmetic(translations, references):
    """The mean is geometric (exp of the mean log): one precision of 0 makes BLEU 0."""
    return scored(translations, references, mean=lambda precisions: sum(precisions) / 4)


@mistake
def product(translations, references):
    """The product of the precisions lacks its fourth root: take the mean of the logs, then exp."""
    return scored(translations, references, mean=math.prod)


@mistake("B7")
def no_penalty(translations, references):
    """Translations that are too short must pay, and yours do not: where c < r the score is multiplied by
    exp(1 - r / c). (c counts the words of all translations, r those of all references.)
    """
    return scored(translations, references, brevity=lambda c, r: 1.0)


@mistake("B8")
def inverted(translations, references):
    """The penalty is upside down and rewards short translations: it is exp(1 - r / c)."""
    return scored(translations, references, brevity=lambda c, r: 1.0 if c >= r else math.exp(r / c - 1))


@mistake("B8")
def swapped_lengths(translations, references):
    """r and c changed places: c is the length of the translations, r that of the references."""
    return scored(translations, references, brevity=lambda c, r: 1.0 if c >= r else math.exp(1 - c / r))


@mistake("B9")
def punishes_long(translations, references):
    """The penalty is for short translations only; long ones already lose precision: at most 1."""
    return scored(translations, references, brevity=lambda c, r: math.exp(1 - max(c, r) / min(c, r)))


@mistake
def rewards_long(translations, references):
    """Long translations are rewarded: the penalty is at most 1 (`min(0, 1 - r / c)` inside exp)."""
    return scored(translations, references, brevity=lambda c, r: math.exp(1 - r / c))


@mistake("B10")
def without_exp(translations, references):
    """The penalty is exponential: exp(1 - r / c), not c / r."""
    return scored(translations, references, brevity=lambda c, r: min(1.0, c / r))


@mistake("B12")
def mean_of_sentences(translations, references):
    """You average the scores of sentences, where a short one without 4-grams has 0: add up the counts of the
    whole corpus first.
    """
    pairs = zip(translations, references, strict=True)
    scores = [bleu_reference([translation], [reference]) for translation, reference in pairs]
    return sum(scores) / len(scores)


@mistake
def penalty_of_sentences(translations, references):
    """A penalty for each sentence is too hard on chance: compare the lengths of the whole corpus."""
    pairs = list(zip(translations, references, strict=True))
    brevity = sum(penalty(len(translation), len(reference)) for translation, reference in pairs) / len(pairs)
    return scored(translations, references, brevity=lambda c, r: brevity)


@mistake
def up_to_three(translations, references):
    """BLEU goes up to runs of 4 words: n is 1, 2, 3 and 4."""
    return scored(translations, references, orders=(1, 2, 3))


@mistake
def words_only(translations, references):
    """Only words are compared, not their order: count runs of 2, 3 and 4 words too."""
    return scored(translations, references, orders=(1,))


@mistake
def fraction(translations, references):
    """The score runs from 0 to 100 here: multiply by 100."""
    return bleu_reference(translations, references) / 100


@mistake
def log_of_zero(translations, references):
    """The logarithm of 0 does not exist: where a precision is 0 the score is 0.0."""

    def mean(precisions):
        return math.exp(sum(math.log(p) for p in precisions) / 4)

    return scored(translations, references, mean=mean)


@mistake
def skips_zeros(translations, references):
    """You leave out precisions of 0. No smoothing here: without a matching 4-gram the score is 0."""
    return scored(translations, references, mean=lambda ps: geometric([p for p in ps if p > 0] or [0.0]))


@mistake
def union(translations, references):
    """`|` keeps the larger of two counts; matches are the smaller, `&`."""
    return scored(translations, references, match=lambda ours, theirs: (ours | theirs).total())


@mistake
def both_swapped(translations, references):
    """Translations and references changed places: the translations come first."""
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


@mistake
def last_run_missing(translations, references):
    """The last run of each length is missing: a sentence has len(words) - n + 1 of them. (`range` stops
    before its end.)
    """

    def runs(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n))

    return with_runs(translations, references, runs)


@mistake
def short_runs(translations, references):
    """Slices at the end of a sentence are shorter than n, and no runs of n words: `range(len(words) - n +
    1)`.
    """

    def runs(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words)))

    return with_runs(translations, references, runs)


@mistake
def place_by_place(translations, references):
    """You compare place by place; a run may stand anywhere in the reference."""

    def runs(words, n):
        return Counter((i, *words[i : i + n]) for i in range(len(words) - n + 1))

    return with_runs(translations, references, runs)


@mistake
def mean_of_precisions(translations, references):
    """You average the precisions of sentences: add up matches and runs of the whole corpus, then divide."""
    precisions = []
    for n in (1, 2, 3, 4):
        pairs = [(grams(t, n), grams(r, n)) for t, r in zip(translations, references, strict=True)]
        shares = [clipped(ours, theirs) / max(ours.total(), 1) for ours, theirs in pairs]
        precisions.append(sum(shares) / len(shares))
    lengths = sum(map(len, translations)), sum(map(len, references))
    return 100 * geometric(precisions) * penalty(*lengths)


@mistake
def one_bag(translations, references):
    """All sentences in one Counter: a word then matches another sentence's reference. Compare each
    translation with its own, and add up the matches.
    """
    precisions = []
    for n in (1, 2, 3, 4):
        ours, theirs = (sum((grams(t, n) for t in side), Counter()) for side in (translations, references))
        precisions.append(clipped(ours, theirs) / max(ours.total(), 1))
    lengths = sum(map(len, translations)), sum(map(len, references))
    return 100 * geometric(precisions) * penalty(*lengths)


@mistake
def three_fourths(translations, references):
    """The runs of 4 words are missing: n is 1, 2, 3 and 4. (`range(1, 4)` ends with 3.)"""
    return scored(translations, references, orders=(1, 2, 3), mean=lambda ps: geometric(ps) ** 0.75)


@mistake
def add_one(translations, references):
    """You add 1 to every count. No smoothing here: where a precision is 0 the score is 0."""
    precisions = []
    for n in (1, 2, 3, 4):
        pairs = [(grams(t, n), grams(r, n)) for t, r in zip(translations, references, strict=True)]
        matches, counted = sum(clipped(*pair) for pair in pairs), sum(ours.total() for ours, _ in pairs)
        precisions.append((matches + 1) / (counted + 1))
    lengths = sum(map(len, translations)), sum(map(len, references))
    return 100 * geometric(precisions) * penalty(*lengths)


@mistake
def divides_by_none(translations, references):
    """Translations of fewer than 4 words have no runs of 4: ask whether there are matches before you divide
    by the number of runs.
    """
    for n in (1, 2, 3, 4):
        pairs = [(grams(t, n), grams(r, n)) for t, r in zip(translations, references, strict=True)]
        if sum(clipped(*pair) for pair in pairs) / sum(ours.total() for ours, _ in pairs) == 0:
            return 0.0
    return bleu_reference(translations, references)


@mistake
def lower_cased(translations, references):
    """Capital letters are lost: words are compared as they are, `The` is not `the`."""
    lower = [[[word.lower() for word in words] for words in side] for side in (translations, references)]
    return bleu_reference(*lower)


@mistake(mentions=r"\.join\(")
def joined_without_spaces(translations, references):
    """Joined without a space between them, 中国 and 人 are the same as 中 and 国人: use tuples of words."""

    def runs(words, n):
        return Counter("".join(words[i : i + n]) for i in range(len(words) - n + 1))

    return with_runs(translations, references, runs)


@mistake
def parts_of_words(translations, references):
    """A part of a word matches the whole one: `cat` is found in `cats`. Compare runs of words, as tuples, not
    pieces of one long string.
    """
    log_precisions = 0.0
    for n in (1, 2, 3, 4):
        matches = total = 0
        for translation, reference in zip(translations, references, strict=True):
            text = " ".join(reference)
            for gram, count in grams(translation, n).items():
                matches, total = matches + min(count, text.count(" ".join(gram))), total + count
        if matches == 0:
            return 0.0
        log_precisions += math.log(matches / total) / 4
    return 100 * math.exp(log_precisions) * penalty(sum(map(len, translations)), sum(map(len, references)))


@mistake
def only_long_ones_pay(translations, references):
    """r and c changed places: short translations pay nothing, long ones do. It is exp(1 - r / c), where c is
    the length of the translations.
    """
    return scored(translations, references, brevity=lambda c, r: math.exp(min(0.0, 1 - c / r)))


@mistake(lacks=r"tuple\(")
def lists_as_keys(translations, references):
    """A slice of a list is a list, which cannot be counted: make it a tuple, `tuple(words[i : i + n])`."""

    def runs(words, n):
        return Counter(words[i : i + n] for i in range(len(words) - n + 1))

    return with_runs(translations, references, runs)


@mistake(lacks=r"zip\(|enumerate\(|range\(len\(translations")
def corpus_as_sentence(translations, references):
    """Both are lists of sentences: go through them together, `zip(translations, references)`, and count the
    runs of each sentence.
    """
    precisions = []
    for n in (1, 2, 3, 4):
        ours, theirs = grams(translations, n), grams(references, n)
        precisions.append(clipped(ours, theirs) / ours.total())
    return 100 * geometric(precisions) * penalty(len(translations), len(references))
