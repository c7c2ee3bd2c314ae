"""bleu: how many runs of words a translation shares with its reference."""

import math
from collections import Counter

import torch

from course_lib.checks.exercise import Exercise
from course_lib.exercises.translator.stand_ins import number

bleu = Exercise(
    "bleu",
    points=7,
    returns=("score",),
    hints=[
        "How many runs of 2 words does a sentence of 5 words have? First write a small function that returns "
        "the runs of n words of a sentence, as tuples.",
        "`Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))` counts them. `a & b` keeps "
        "the smaller count of each, and `.total()` adds them up.",
        "Add up matches and counts over the whole corpus before you divide. This gives four precisions. If "
        "one of them is 0, the score is 0.",
        "The geometric mean is `exp` of the mean of the four logs. The penalty is `exp(1 - r / c)` where "
        "the translations together are shorter, else 1.",
    ],
    examples=[
        "bleu(['a b c d e'.split()], ['a b c d e'.split()])",
        "bleu(['a a a b c d a a'.split()], ['a b c d a a e f'.split()])",
        "bleu(['a b c d'.split()], ['a b c d e f'.split()])",
        "bleu(['a b c d x y'.split()], ['a b c d'.split()])",
        "bleu(['a b c x'.split()], ['a b c d'.split()])",
        "bleu(['x y z w'.split()], ['a b c d'.split()])",
        "bleu(['a b c d'.split(), 'a b x y z w'.split()], ['a b c d'.split(), 'a b c d e f'.split()])",
        "bleu(['a b c d'.split(), 'a b c d x y'.split()], ['a b c d e'.split(), 'a b c d e'.split()])",
        "bleu(['a b c d'.split(), 'a b c e'.split()], ['a b c d'.split(), 'e a b c'.split()])",
        "bleu(['a b c d'.split(), 'x y z w'.split()], ['a b c d x'.split(), 'q r s'.split()])",
        "bleu(['a b'.split()], ['a b c d'.split()])",
        "bleu(['The cat sat on a mat'.split()], ['the cat sat on a mat'.split()])",
        "bleu(['the cat sat on a mat'.split()], ['the cats sat on a mat'.split()])",
        "bleu(['我 说 他 是 中国 人'.split()], ['我 说 他 是 中 国人'.split()])",
        "bleu(['the cat sat on a mat,'.split()], ['the cat sat on a mat'.split()])",
        "bleu(['a b c d e_f g'.split()], ['a b c d e f_g'.split()])",
    ],
)


@bleu.reference
def bleu_reference(translations, references):
    log_precisions, ours, theirs = 0.0, sum(map(len, translations)), sum(map(len, references))
    for n in (1, 2, 3, 4):
        matches = counted = 0
        for translation, reference in zip(translations, references, strict=True):
            wanted = [tuple(reference[i : i + n]) for i in range(len(reference) - n + 1)]
            for i in range(len(translation) - n + 1):
                gram = tuple(translation[i : i + n])
                counted += 1
                if gram in wanted:
                    wanted.remove(gram)
                    matches += 1
        if matches == 0:
            return 0.0
        log_precisions += math.log(matches / counted) / 4
    return 100 * math.exp(min(0.0, 1 - theirs / ours) + log_precisions)


def names(inputs, *texts):
    """Word lists of texts, in which each letter stands for a word drawn by chance."""
    words = list("我是个人天地水火山石田土")
    order = inputs.named("words").uniform(0, 1, len(words)).argsort().tolist()
    return [[words[order["abcdefghijkl".index(letter)]] for letter in text.split()] for text in texts]


@bleu.part("a perfect translation gets 100", points=1)
def perfect(bleu, inputs):
    sentences = names(inputs, "a b c d e f g", "a b c b a", "h i j k l", "a b")
    alone = names(inputs, "a b c d")  # no longer than the longest runs
    return {
        "score": number(bleu(sentences, sentences)),
        "score (of four words)": number(bleu(alone, alone)),
    }


@bleu.part("repeated words count only as often as the reference has them", points=1)
def clipped(bleu, inputs):
    translation, reference = names(inputs, "a a a b c d a a c", "a b c d a a e f g")
    return {"score": number(bleu([translation], [reference]))}


@bleu.part("translations that are too short get the brevity penalty", points=1)
def brief(bleu, inputs):
    short, nearly, whole, long = names(
        inputs, "a b c d e", "a b c d e f", "a b c d e f g", "a b c d e f g h i"
    )
    return {
        "score (one word too short)": number(bleu([nearly], [whole])),
        "score (too short)": number(bleu([short], [whole])),
        "score (too long)": number(bleu([long], [whole])),
        "score (one translation is empty)": number(bleu([whole, []], [whole, short])),
    }


@bleu.part("a word matches only itself, letter by letter", points=1)
def letter_by_letter(bleu, inputs):
    texts = {
        "Cat / cat": ("The Cat sat on a mat", "the cat sat on a mat"),
        "cat / cats": ("the cat sat on a mat today", "the cats sat on a mat today"),
        "2 / 3": ("the cat sat on 2 mats", "the cat sat on 3 mats"),
        "3 / ３": ("the cat sat on 3 mats today", "the cat sat on ３ mats today"),
        ". / !": ("the cat sat on a mat , today .", "the cat sat on a mat , today !"),
        "cafe / café": ("the cafe on the hill is open", "the café on the hill is open"),
        "mat, / mat": (
            """a cat sat on a mat, (the "blue one's'] far: too; so! why? <I> `do` on.""",
            "a cat sat on a mat the blue one's far too so why I do on",
        ),
        "中国 人 / 中 国人": ("我 说 他 是 中国 人", "我 说 他 是 中 国人"),
        "a_b c / a b_c": (
            "we say the words a_b c d-e f g|h i j/k l m,n o p.q r",
            "we say the words a b_c d e-f g h|i j k/l m n,o p q.r",
        ),
    }
    return {
        f"score ({name})": number(bleu([one.split()], [other.split()]))
        for name, (one, other) in texts.items()
    }


@bleu.part("counts are added up over the corpus before dividing", points=1)
def pooled(bleu, inputs):
    # as long in all as their references: no brevity penalty, unless each sentence gets its own;
    # g of the second one is a word of the third's reference
    translations = names(inputs, "a b c d e f", "a b g i j k l", "g h")
    references = names(inputs, "a b c d e f", "a b c d e f", "g h i")
    again = names(inputs, "a b c d e", "a b c d e", "f g h i j", "")
    others = names(inputs, "a b c d", "a b c d", "f g h i j", "k l")
    return {
        "score": number(bleu(translations, references)),
        "score (the same sentence twice, and an empty one)": number(bleu(again, others)),
    }


@bleu.part("the score is 0 if there is no match for some n", points=1)
def zero(bleu, inputs):
    translation, other, reference = names(inputs, "a b c e f", "k l", "a b c d e f")
    return {
        "score (no 4-gram)": number(bleu([translation], [reference])),
        "score (nothing)": number(bleu([other], [reference])),
        "score (two right words, no 3-gram at all)": number(bleu([reference[:2]], [reference])),
        "score (a reference of three words, word for word)": number(bleu([reference[:3]], [reference[:3]])),
        "more than 0 (one 4-gram)": bool(bleu([reference[:4]], [reference]) > 0),
    }


def grams(words, n):
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


@bleu.accept("counters")
def with_counters(translations, references):
    precisions = []
    for n in range(1, 5):
        pairs = [(grams(t, n), grams(r, n)) for t, r in zip(translations, references, strict=True)]
        counted = sum(ours.total() for ours, _ in pairs)
        precisions.append(sum((ours & theirs).total() for ours, theirs in pairs) / max(counted, 1))
    if min(precisions) == 0:
        return 0.0
    c, r = sum(len(t) for t in translations), sum(len(t) for t in references)
    return 100 * math.prod(precisions) ** 0.25 * (1.0 if c >= r else math.exp(1 - r / c))


@bleu.accept("zip and min")
def with_zip(translations, references):
    matches, counted = [0] * 4, [0] * 4
    for translation, reference in zip(translations, references, strict=True):
        for n in range(4):
            ours = list(zip(*(translation[i:] for i in range(n + 1)), strict=False))
            theirs = list(zip(*(reference[i:] for i in range(n + 1)), strict=False))
            matches[n] += sum(min(ours.count(gram), theirs.count(gram)) for gram in set(ours))
            counted[n] += len(ours)
    if 0 in matches:
        return 0.0
    logs = sum(math.log(m) - math.log(c) for m, c in zip(matches, counted, strict=True))
    c, r = sum(map(len, translations)), sum(map(len, references))
    return 100.0 * math.exp(logs / 4 + (1 - r / c if c < r else 0))


@bleu.accept("joined words")
def with_strings(translations, references):
    def counts(words, n):
        return Counter(" ".join(words[i : i + n]) for i in range(len(words) - n + 1))

    log_mean = 0.0
    for n in (1, 2, 3, 4):
        found = total = 0
        for translation, reference in zip(translations, references, strict=True):
            theirs = counts(reference, n)
            for gram, count in counts(translation, n).items():
                found, total = found + min(count, theirs[gram]), total + count
        if not found:
            return 0.0
        log_mean += math.log(found / total)
    ratio = sum(map(len, references)) / sum(map(len, translations))
    return math.exp(log_mean / 4) * math.exp(min(0, 1 - ratio)) * 100


@bleu.accept("subtracting counters")
def with_subtraction(translations, references):
    product = 1.0
    for n in (1, 2, 3, 4):
        missed = counted = 0
        for translation, reference in zip(translations, references, strict=True):
            ours = grams(translation, n)
            left = ours.copy()
            left.subtract(grams(reference, n))
            missed += (+left).total()
            counted += ours.total()
        product *= 0.0 if counted == 0 else 1 - missed / counted
    c, r = sum(map(len, translations)), sum(map(len, references))
    return 100 * product**0.25 * min(1.0, math.exp(1 - r / c))


@bleu.accept("an int for 0, NumPy's number else")
def with_numpy(translations, references):
    matches, counted = torch.zeros(2, 4, dtype=torch.float64).numpy()
    for translation, reference in zip(translations, references, strict=True):
        for n in range(4):
            ours, theirs = grams(translation, n + 1), grams(reference, n + 1)
            matches[n] += (ours & theirs).total()
            counted[n] += ours.total()
    if not matches.all():
        return 0
    c, r = sum(map(len, translations)), sum(map(len, references))
    return 100 * math.exp(min(0, 1 - r / c)) * (matches / counted).prod() ** 0.25
