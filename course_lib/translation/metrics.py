"""How good translations are: corpus BLEU, exact match, and where cross-attention looks."""

import math
from collections import Counter
from collections.abc import Sequence

from torch import Tensor

Words = Sequence[str]


def bleu(translations: Sequence[Words], references: Sequence[Words], max_order: int = 4) -> float:
    """Corpus BLEU, 0 ... 100, of word lists with one reference each (Papineni et al. 2002).

    The brevity penalty times the geometric mean of the 1- to 4-gram precisions of the whole corpus. There is
    no smoothing: without a single matching 4-gram it is 0. Equals sacrebleu with tokenize="none",
    smooth_method="none".
    """
    _require_same_length(translations, references)
    matches, counts = [0] * max_order, [0] * max_order
    for translation, reference in zip(translations, references, strict=True):
        for n in range(max_order):
            ours, theirs = ngrams(translation, n + 1), ngrams(reference, n + 1)
            matches[n] += (ours & theirs).total()
            counts[n] += ours.total()
    if 0 in matches:
        return 0.0
    precision = sum(math.log(match / count) for match, count in zip(matches, counts, strict=True)) / max_order
    length, reference_length = sum(map(len, translations)), sum(map(len, references))
    return 100 * math.exp(min(0.0, 1 - reference_length / length) + precision)


def ngrams(words: Words, n: int) -> Counter[tuple[str, ...]]:
    """How often each run of n words occurs."""
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def exact_match(translations: Sequence[Words], references: Sequence[Words]) -> float:
    """The fraction (0 ... 1) of translations that equal their reference word for word."""
    _require_same_length(translations, references)
    same = sum(list(ours) == list(theirs) for ours, theirs in zip(translations, references, strict=True))
    return same / len(references)


def alignment_accuracy(weights: Sequence[Tensor], alignments: Sequence[Sequence[Sequence[int]]]) -> float:
    """The fraction (0 ... 1) of target words whose query looks most at a source word they are aligned with.

    weights: for each sentence `(heads, target, source)`, of one layer; heads are averaged. Row t is the query
    that predicts target word t. alignments: for each sentence and target word, the source positions; target
    words without any are not counted.
    """
    _require_same_length(weights, alignments)
    right, counted = 0, 0
    for heads, alignment in zip(weights, alignments, strict=True):
        looked_at = heads.mean(dim=0)[: len(alignment)].argmax(dim=-1).tolist()
        for position, gold in zip(looked_at, alignment, strict=True):
            counted += bool(gold)
            right += position in gold
    if not counted:
        raise ValueError("no target word is aligned with any source word: there is nothing to score")
    return right / counted


def _require_same_length(translations: Sequence, references: Sequence) -> None:
    if len(translations) != len(references) or not references:
        raise ValueError(
            "expected as many translations as references and at least one, "
            f"got {len(translations)} and {len(references)}"
        )
