"""A small labelled task in which the order of words decides: whose is it that is bigger, older, ...?"""

from itertools import islice
from random import Random

from course_lib.corpus import draw_pairs
from course_lib.corpus.topics import Example, Words

OWNERS = {"my", "your", "his", "her", "our", "their"}


def load_comparisons(
    skipped: int = 20_000, drawn: int = 40_000, seed: int = 0
) -> list[tuple[Example, Example]]:
    """Comparisons of which exactly one side names an owner, each in both orders; shuffled.

    (*my car is newer than this car*, 1) and (*this car is newer than my car*, 0): 1 is where the owner
    stands first. Both have the same words, so that no count of words tells them apart. The first `skipped`
    sentences, which `load_topics` gives as plain ones, are not looked at.
    """
    sentences = (pair.source for pair in islice(draw_pairs(seed), skipped, skipped + drawn))
    found: dict[frozenset[Words], tuple[Example, Example]] = {}
    for sentence in sentences:
        if "is" not in sentence or "than" not in sentence[sentence.index("is") :]:
            continue
        start, end = sentence.index("is"), sentence.index("than") + 1
        first, middle, second = sentence[:start], sentence[start:end], sentence[end:]
        owned = bool(OWNERS & {*first}), bool(OWNERS & {*second})
        if len(first) == len(second) == 2 and owned[0] != owned[1]:
            orders = (first + middle + second, int(owned[0])), (second + middle + first, int(owned[1]))
            found.setdefault(frozenset(words for words, _ in orders), orders)
    pairs = list(found.values())
    Random(seed).shuffle(pairs)
    return pairs
