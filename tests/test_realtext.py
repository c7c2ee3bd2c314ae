"""The bench on real sentences must not test on training pairs, nor learn other merges than lesson 11."""

import runpy
from collections import Counter
from types import SimpleNamespace

import pytest

from course_lib.authoring.build import ROOT
from course_lib.corpus import Pair
from course_lib.exercises.subwords.learn_merges import reference as learn_merges

TEXT = "the newest player plays newer plays while the widest river widens 我们喜欢茶 我喜欢我们的茶 aaaa aaa"


@pytest.fixture(scope="module")
def bench():
    return SimpleNamespace(**runpy.run_path(str(ROOT / "tests" / "bench" / "realtext.py")))


def test_the_merges_are_those_of_the_lesson(bench):
    counts = Counter(bench.words_of(TEXT))
    for number in (0, 1, 40, 10_000):
        assert list(bench.learn(counts, number).items()) == list(learn_merges(counts, number).items())


def test_pieces_come_back_as_they_were(bench):
    pieces = bench.Pieces([Pair((TEXT,), ("你好，世界！",))], 20)
    for text in (TEXT, "It's 5 o'clock,  isn't it? 🙂", "“早点儿走”，好吗？"):
        assert pieces.join(pieces.cut(text)) == text
        assert pieces.vocabulary.decode(pieces.vocabulary.encode(pieces.cut(text))) == list(pieces.cut(text))


def test_both_layouts_of_a_file_are_read_with_case_and_punctuation(bench, tmp_path):
    path = tmp_path / "pairs.tsv"
    lines = ["1276\tLet's go!\t2\t我们走吧！", "I try.\t我试试。\tCC-BY", "", "alone", "I try.\t我试试。"]
    path.write_text("\n".join(lines), encoding="utf-8")
    expected = [(("Let's go!",), ("我们走吧！",)), (("I try.",), ("我试试。",))]
    assert [pair[:2] for pair in bench.read_raw(path)] == expected


def test_pairs_of_odd_lengths_are_left_out(bench):
    pairs = [Pair(("word " * n,), ("词" * 2 * n,)) for n in range(1, 9)]
    odd = [Pair(("word " * 5,), ("词",)), Pair(("word",), ("词" * 30,)), Pair(("w" * 200,), ("词" * 80,))]
    assert bench.kept(pairs + odd, longest=100) == pairs


def test_no_sentence_is_on_two_sides(bench):
    pairs = [Pair((f"s{i % 70}",), (f"t{i % 90}",)) for i in range(200)]
    sides = bench.split(pairs, 20, seed=3)
    for language in (0, 1):
        known = [{pair[language] for pair in side} for side in sides]
        assert sum(map(len, known)) == len(set().union(*known))
    assert all(sides) and sides != bench.split(pairs, 20, seed=4)
