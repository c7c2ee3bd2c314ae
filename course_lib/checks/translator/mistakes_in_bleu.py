"""What learners write for bleu (the entries on several references do not fit: here each sentence has one)."""

import math

from course_lib.checks.translator.bleu import bleu, bleu_reference, grams

mistake = bleu.mistake


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


@mistake(
    "B1", advice="Repeats are rewarded: an n-gram counts at most as often as the reference has it (`min`)."
)
def not_clipped(translations, references):
    def match(ours, theirs):
        return sum(count for gram, count in ours.items() if gram in theirs)

    return scored(translations, references, match=match)


@mistake("B2", advice="Sets forget how often an n-gram occurs: count all of them, the matches and the total.")
def distinct_only(translations, references):
    def match(ours, theirs):
        return len(ours.keys() & theirs.keys())

    return scored(translations, references, match=match)


@mistake(
    "B2", advice="Sets forget how often an n-gram occurs: use a Counter (`a & b` keeps the smaller counts)."
)
def sets(translations, references):
    def match(ours, theirs):
        return len(ours.keys() & theirs.keys())

    return scored(translations, references, match=match, total=lambda ours, theirs, n: len(ours))


@mistake(
    "B4", advice="That is recall: precision divides by the n-grams of the translation, not of the reference."
)
def recall(translations, references):
    return scored(translations, references, total=lambda ours, theirs, n: theirs.total())


@mistake(
    "B5", advice="A sentence of n words has n - 1 pairs and n - 2 triples: divide by the number of n-grams."
)
def divides_by_words(translations, references):
    def total(ours, theirs, n):
        return ours.total() + n - 1

    return scored(translations, references, total=total)


@mistake("B6", advice="The mean is geometric (exp of the mean log): one precision of 0 makes BLEU 0.")
def arithmetic(translations, references):
    return scored(translations, references, mean=lambda precisions: sum(precisions) / 4)


@mistake(
    "B6", advice="The product of the precisions lacks its fourth root: take the mean of the logs, then exp."
)
def product(translations, references):
    return scored(translations, references, mean=math.prod)


@mistake(
    "B7",
    advice="Translations that are too short must pay: multiply by the brevity penalty. (c and r count "
    "words, not sentences.)",
)
def no_penalty(translations, references):
    return scored(translations, references, brevity=lambda c, r: 1.0)


@mistake("B8", advice="The penalty is upside down and rewards short translations: it is exp(1 - r / c).")
def inverted(translations, references):
    return scored(translations, references, brevity=lambda c, r: 1.0 if c >= r else math.exp(r / c - 1))


@mistake(
    "B8", advice="r and c changed places: c is the length of the translations, r that of the references."
)
def swapped_lengths(translations, references):
    return scored(translations, references, brevity=lambda c, r: 1.0 if c >= r else math.exp(1 - c / r))


@mistake(
    "B9", advice="The penalty is for short translations only; long ones already lose precision: at most 1."
)
def punishes_long(translations, references):
    return scored(translations, references, brevity=lambda c, r: math.exp(1 - max(c, r) / min(c, r)))


@mistake(
    "B9", advice="Long translations are rewarded: the penalty is at most 1 (`min(0, 1 - r / c)` inside exp)."
)
def rewards_long(translations, references):
    return scored(translations, references, brevity=lambda c, r: math.exp(1 - r / c))


@mistake("B10", advice="The penalty is exponential: exp(1 - r / c), not c / r.")
def without_exp(translations, references):
    return scored(translations, references, brevity=lambda c, r: min(1.0, c / r))


@mistake(
    "B12",
    advice="You average the scores of sentences, where a short one without 4-grams has 0: add up the "
    "counts of the whole corpus first.",
)
def mean_of_sentences(translations, references):
    pairs = zip(translations, references, strict=True)
    scores = [bleu_reference([translation], [reference]) for translation, reference in pairs]
    return sum(scores) / len(scores)


@mistake(
    "B13",
    advice="A penalty for each sentence is too hard on chance: compare the lengths of the whole corpus.",
)
def penalty_of_sentences(translations, references):
    pairs = list(zip(translations, references, strict=True))
    brevity = sum(penalty(len(translation), len(reference)) for translation, reference in pairs) / len(pairs)
    return scored(translations, references, brevity=lambda c, r: brevity)


@mistake("B15", advice="BLEU goes up to runs of 4 words: n is 1, 2, 3 and 4.")
def up_to_three(translations, references):
    return scored(translations, references, orders=(1, 2, 3))


@mistake("B15", advice="Only words are compared, not their order: count runs of 2, 3 and 4 words too.")
def words_only(translations, references):
    return scored(translations, references, orders=(1,))


@mistake("B16", advice="The score runs from 0 to 100 here: multiply by 100.")
def fraction(translations, references):
    return bleu_reference(translations, references) / 100


@mistake("B17", advice="The logarithm of 0 does not exist: where a precision is 0 the score is 0.0.")
def log_of_zero(translations, references):
    def mean(precisions):
        return math.exp(sum(math.log(p) for p in precisions) / 4)

    return scored(translations, references, mean=mean)


@mistake(
    "B17",
    advice="You leave out precisions of 0. No smoothing here: without a matching 4-gram the score is 0.",
)
def skips_zeros(translations, references):
    return scored(translations, references, mean=lambda ps: geometric([p for p in ps if p > 0] or [0.0]))
