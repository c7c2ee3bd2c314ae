"""load_comparisons: the two orders have the same words and opposite labels; none is drawn twice."""

from collections import Counter

from course_lib.corpus.comparisons import OWNERS, load_comparisons


def test_only_the_order_tells_the_two_apart():
    pairs = load_comparisons()
    assert len(pairs) > 300
    for (one, label), (other, opposite) in pairs:
        assert Counter(one) == Counter(other) and one != other and label + opposite == 1
        assert label == (one[0] in OWNERS), one
    sentences = [sentence for pair in pairs for sentence, _ in pair]
    assert len(set(sentences)) == len(sentences)
