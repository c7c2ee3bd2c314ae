"""Wrong answers to bleu: name, advice, code."""

import math
import string
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
    """You count a repeated n-gram too often. It counts at most as often as the reference has it, so take the
    `min` of the two counts.
    """

    def match(ours, theirs):
        return sum(count for gram, count in ours.items() if gram in theirs)

    return scored(translations, references, match=match)


@mistake("B2")
def distinct_only(translations, references):
    """You count each match once, however often it occurs. Add up their counts. (Sets lose the counts, and
    `len` of a Counter ignores them. `.total()` adds them up.)
    """

    def match(ours, theirs):
        return len(ours.keys() & theirs.keys())

    return scored(translations, references, match=match)


@mistake("B2")
def sets(translations, references):
    """You count each n-gram once, however often it occurs. Add up the counts of the matches and of all
    n-grams. (Sets lose the counts, and `len` of a Counter ignores them. `.total()` adds them up.)
    """

    def match(ours, theirs):
        return len(ours.keys() & theirs.keys())

    return scored(translations, references, match=match, total=lambda ours, theirs, n: len(ours))


@mistake("B4")
def recall(translations, references):
    """You compute the recall. Precision divides by the n-grams of the translation, not by those of the
    reference.
    """
    return scored(translations, references, total=lambda ours, theirs, n: theirs.total())


@mistake("B5")
def divides_by_words(translations, references):
    """You divide by the number of words. A sentence of n words has n - 1 pairs and n - 2 triples, so divide
    by the number of n-grams.
    """

    def total(ours, theirs, n):
        return ours.total() + n - 1

    return scored(translations, references, total=total)


@mistake("B6")
def arithmetic(translations, references):
    """You take the arithmetic mean. BLEU takes the geometric mean (exp of the mean log), so one precision of
    0 makes BLEU 0.
    """
    return scored(translations, references, mean=lambda precisions: sum(precisions) / 4)


@mistake
def product(translations, references):
    """Your product of the precisions lacks its fourth root. Take the mean of the logs, then exp."""
    return scored(translations, references, mean=math.prod)


@mistake("B7")
def no_penalty(translations, references):
    """Your score has no penalty for short translations. Where c < r, multiply it by exp(1 - r / c). (c counts
    the words of all translations, r those of all references.)
    """
    return scored(translations, references, brevity=lambda c, r: 1.0)


@mistake("B8")
def inverted(translations, references):
    """Your penalty is inverted and rewards short translations. It is exp(1 - r / c)."""
    return scored(translations, references, brevity=lambda c, r: 1.0 if c >= r else math.exp(r / c - 1))


@mistake("B8")
def swapped_lengths(translations, references):
    """You swapped r and c. c is the length of the translations, r that of the references."""
    return scored(translations, references, brevity=lambda c, r: 1.0 if c >= r else math.exp(1 - c / r))


@mistake("B9")
def punishes_long(translations, references):
    """You also penalize long translations, but they have a lower precision already. The penalty
    is at most 1.
    """
    return scored(translations, references, brevity=lambda c, r: math.exp(1 - max(c, r) / min(c, r)))


@mistake
def rewards_long(translations, references):
    """You reward long translations. The penalty is at most 1, so use `min(0, 1 - r / c)` inside exp."""
    return scored(translations, references, brevity=lambda c, r: math.exp(1 - r / c))


@mistake("B10")
def without_exp(translations, references):
    """Your penalty lacks the exponential. It is exp(1 - r / c), not c / r."""
    return scored(translations, references, brevity=lambda c, r: min(1.0, c / r))


@mistake("B12")
def mean_of_sentences(translations, references):
    """You average the scores of the sentences, and a short sentence without 4-grams has 0. Add up the counts
    of the whole corpus first.
    """
    pairs = zip(translations, references, strict=True)
    scores = [bleu_reference([translation], [reference]) for translation, reference in pairs]
    return sum(scores) / len(scores)


@mistake
def penalty_of_sentences(translations, references):
    """You compute a penalty for each sentence. Compare the lengths of the whole corpus."""
    pairs = list(zip(translations, references, strict=True))
    brevity = sum(penalty(len(translation), len(reference)) for translation, reference in pairs) / len(pairs)
    return scored(translations, references, brevity=lambda c, r: brevity)


@mistake
def up_to_three(translations, references):
    """You stop before runs of 4 words. BLEU uses n = 1, 2, 3 and 4."""
    return scored(translations, references, orders=(1, 2, 3))


@mistake
def words_only(translations, references):
    """You compare single words only, so their order does not count. Count runs of 2, 3 and 4 words too."""
    return scored(translations, references, orders=(1,))


@mistake
def fraction(translations, references):
    """Your score runs from 0 to 1. Multiply it by 100."""
    return bleu_reference(translations, references) / 100


@mistake
def log_of_zero(translations, references):
    """The logarithm of 0 does not exist. If a precision is 0, return 0.0."""

    def mean(precisions):
        return math.exp(sum(math.log(p) for p in precisions) / 4)

    return scored(translations, references, mean=mean)


@mistake
def skips_zeros(translations, references):
    """You leave out precisions of 0. Here there is no smoothing: without a matching 4-gram the score is 0."""
    return scored(translations, references, mean=lambda ps: geometric([p for p in ps if p > 0] or [0.0]))


@mistake
def union(translations, references):
    """`|` keeps the larger of two counts. Matches are the smaller ones, `&`."""
    return scored(translations, references, match=lambda ours, theirs: (ours | theirs).total())


@mistake
def both_swapped(translations, references):
    """You swapped translations and references. The translations come first."""
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
    """You leave out the last run of each length. A sentence has len(words) - n + 1 runs. (`range` stops
    before its end.)
    """

    def runs(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n))

    return with_runs(translations, references, runs)


@mistake
def short_runs(translations, references):
    """You count slices at the end of a sentence that are shorter than n. Use `range(len(words) - n + 1)`."""

    def runs(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words)))

    return with_runs(translations, references, runs)


@mistake
def place_by_place(translations, references):
    """You compare runs at the same position only. A run may be anywhere in the reference."""

    def runs(words, n):
        return Counter((i, *words[i : i + n]) for i in range(len(words) - n + 1))

    return with_runs(translations, references, runs)


@mistake
def mean_of_precisions(translations, references):
    """You average the precisions of the sentences. Add up matches and runs of the whole corpus,
    then divide.
    """
    precisions = []
    for n in (1, 2, 3, 4):
        pairs = [(grams(t, n), grams(r, n)) for t, r in zip(translations, references, strict=True)]
        shares = [clipped(ours, theirs) / max(ours.total(), 1) for ours, theirs in pairs]
        precisions.append(sum(shares) / len(shares))
    lengths = sum(map(len, translations)), sum(map(len, references))
    return 100 * geometric(precisions) * penalty(*lengths)


@mistake
def one_bag(translations, references):
    """You put all sentences in one Counter, so a word can match another sentence's reference. Compare each
    translation with its own reference, and add up the matches.
    """
    precisions = []
    for n in (1, 2, 3, 4):
        ours, theirs = (sum((grams(t, n) for t in side), Counter()) for side in (translations, references))
        precisions.append(clipped(ours, theirs) / max(ours.total(), 1))
    lengths = sum(map(len, translations)), sum(map(len, references))
    return 100 * geometric(precisions) * penalty(*lengths)


@mistake
def three_fourths(translations, references):
    """You leave out the runs of 4 words. n is 1, 2, 3 and 4. (`range(1, 4)` ends with 3.)"""
    return scored(translations, references, orders=(1, 2, 3), mean=lambda ps: geometric(ps) ** 0.75)


@mistake
def add_one(translations, references):
    """You add 1 to every count. Here there is no smoothing: where a precision is 0 the score is 0."""
    precisions = []
    for n in (1, 2, 3, 4):
        pairs = [(grams(t, n), grams(r, n)) for t, r in zip(translations, references, strict=True)]
        matches, counted = sum(clipped(*pair) for pair in pairs), sum(ours.total() for ours, _ in pairs)
        precisions.append((matches + 1) / (counted + 1))
    lengths = sum(map(len, translations)), sum(map(len, references))
    return 100 * geometric(precisions) * penalty(*lengths)


@mistake
def divides_by_none(translations, references):
    """Translations of fewer than 4 words have no runs of 4 words, so you divide by 0. Check first whether
    there are matches.
    """
    for n in (1, 2, 3, 4):
        pairs = [(grams(t, n), grams(r, n)) for t, r in zip(translations, references, strict=True)]
        if sum(clipped(*pair) for pair in pairs) / sum(ours.total() for ours, _ in pairs) == 0:
            return 0.0
    return bleu_reference(translations, references)


@mistake
def lower_cased(translations, references):
    """You ignore capital letters. Compare words without changing them: `The` is not `the`."""
    lower = [[[word.lower() for word in words] for words in side] for side in (translations, references)]
    return bleu_reference(*lower)


@mistake
def without_punctuation(translations, references):
    """You take punctuation off the words. Compare words without changing them: `mat,` is not `mat`."""
    bare = [
        [[word.strip(string.punctuation) or word for word in words] for words in side]
        for side in (translations, references)
    ]
    return bleu_reference(*bare)


@mistake(mentions=r"\.join\(")
def joined_without_spaces(translations, references):
    """Without a space, 中国 and 人 join to the same text as 中 and 国人. Use tuples of words."""

    def runs(words, n):
        return Counter("".join(words[i : i + n]) for i in range(len(words) - n + 1))

    return with_runs(translations, references, runs)


@mistake(mentions=r"\.join\(")
def joined_by_a_sign(translations, references):
    """Words can contain the sign by which you join them, so different runs can join to the same text. Use
    tuples of words.
    """

    def runs(words, n):
        return Counter("_".join(words[i : i + n]) for i in range(len(words) - n + 1))

    return with_runs(translations, references, runs)


@mistake
def parts_of_words(translations, references):
    """You let a part of a word match: `cat` is found in `cats`. Compare runs of words, as tuples, not parts
    of one long string.
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
    """You swapped r and c, so only long translations get a penalty. It is exp(1 - r / c), where c is the
    length of the translations.
    """
    return scored(translations, references, brevity=lambda c, r: math.exp(min(0.0, 1 - c / r)))


@mistake(lacks=r"tuple\(")
def lists_as_keys(translations, references):
    """A slice of a list is a list, and a list cannot be a key of a Counter. Make it a tuple, `tuple(words[i :
    i + n])`.
    """

    def runs(words, n):
        return Counter(words[i : i + n] for i in range(len(words) - n + 1))

    return with_runs(translations, references, runs)


@mistake(lacks=r"zip\(|enumerate\(|range\(len\(translations")
def corpus_as_sentence(translations, references):
    """Both arguments are lists of sentences. Loop over them together with `zip(translations, references)`,
    and count the runs of each sentence.
    """
    precisions = []
    for n in (1, 2, 3, 4):
        ours, theirs = grams(translations, n), grams(references, n)
        precisions.append(clipped(ours, theirs) / ours.total())
    return 100 * geometric(precisions) * penalty(len(translations), len(references))
