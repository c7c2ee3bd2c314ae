"""Draws pairs from the grammar and splits them: what is trained on, and what is held out to test with."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

from course_lib.corpus.grammar import Grammar, parse
from course_lib.corpus.lexicon import LEXICON
from course_lib.corpus.patterns import PATTERNS
from course_lib.corpus.phrases import PHRASES
from course_lib.text import Pair

# An ambiguous English word and its translations, as the context decides.
SENSES = {
    "game": ("游戏", "比赛", "奥运会", "冬奥会", "亚运会"),
    "play": ("打", "踢", "弹", "拉", "下", "玩"),
    "take": ("拍", "坐", "带", "吃"),
    "watch": ("看", "手表"),
    "bank": ("银行", "河岸"),
    "orange": ("橙子", "橙色"),
    "old": ("旧", "老", "岁", "大"),
    "wear": ("穿", "戴"),
    "book": ("书", "订"),
    "light": ("灯", "轻", "浅"),
    "hard": ("难", "硬", "努力"),
    "like": ("喜欢", "像"),
    "know": ("认识", "知道"),
    "beautiful": ("漂亮", "好听"),
    "table": ("桌子", "乒乓球"),
}

# Combinations of two words (any of their forms) or structures that occur in the compositional test only.
HELD_OUT = (
    ("read", "magazine"),
    ("buy", "umbrella"),
    ("wash", "dress"),
    ("eat", "egg"),
    ("draw", "horse"),
    ("sell", "bike"),
    ("look", "pen"),
    ("comparison of", "opinion"),
    ("meanwhile", "basketball"),
)

# Sentences that the lessons show; they are in no split.
EXAMPLES = ("i am a student", "i like the 2022 beijing winter games")

# Words that do not meet in one sentence: nobody waits for himself.
APART = ("i me", "i us", "we us", "we me", "they them", "he him", "tom tom", "mary mary", "li li")


@dataclass(frozen=True)
class Corpus:
    """English-Chinese pairs. No English sentence is in two of the lists.

    `compositional` combines words and structures that `train` has only apart; `ambiguity` holds the same number
    of sentences for each sense of each ambiguous word; `examples` are the sentences that the lessons show.
    """

    train: list[Pair]
    validation: list[Pair]
    test: list[Pair]
    compositional: list[Pair]
    ambiguity: list[Pair]
    examples: list[Pair]


@cache
def grammar() -> Grammar:
    """The compiled grammar of the corpus."""
    return Grammar(LEXICON + PHRASES + PATTERNS, structures=parse(PATTERNS))


def draw_pairs(seed: int = 0) -> Iterator[Pair]:
    """Distinct pairs without end; raises ValueError if the grammar translates one sentence in two ways."""
    random, rules = Random(seed), grammar()
    rules.category("sentence")
    seen: dict[tuple[str, ...], tuple[str, ...]] = {}
    while True:
        english, chinese, structures = rules.expand("sentence", random)
        source = tuple(english)
        target = tuple(word for word, _ in chinese)
        if source in seen:
            if seen[source] != target:
                raise ValueError(f"{' '.join(source)!r} has two translations: {seen[source]} and {target}")
            continue
        seen[source] = target
        if not _clash(source):
            alignment = tuple(tuple(positions) for _, positions in chinese)
            structures = tuple(dict.fromkeys(structures))
            yield Pair(source, target, alignment, structures, _senses(source, chinese))


def _clash(source: tuple[str, ...]) -> bool:
    words = set(source)
    return any(a in words and b in words if a != b else source.count(a) > 1 for a, b in map(str.split, APART))


def _senses(source: tuple[str, ...], chinese: list[tuple[str, list[int]]]) -> tuple[tuple[str, str], ...]:
    lemma = grammar().lemma
    found = []
    for word, positions in chinese:
        for position in positions:
            english = lemma.get(source[position], source[position])
            if word in SENSES.get(english, ()):
                found.append((english, word))
    return tuple(dict.fromkeys(found))


def _held_out(pair: Pair) -> tuple[str, str] | None:
    lemma = grammar().lemma
    parts = {lemma.get(word, word) for word in pair.source}.union(pair.structures)
    return next((combination for combination in HELD_OUT if parts.issuperset(combination)), None)


def load_corpus(
    train: int = 30_000,
    validation: int = 1_000,
    test: int = 2_000,
    compositional: int = 1_000,
    ambiguity: int = 10,
    seed: int = 0,
) -> Corpus:
    """Draw a corpus: sizes of the lists in sentences (of `ambiguity`: sentences for each sense of each word)."""
    corpus = Corpus([], [], [], [], [], [])
    per_combination = -(-compositional // len(HELD_OUT))
    combinations: Counter = Counter()
    senses: Counter = Counter()
    for pair in draw_pairs(seed):
        held_out = _held_out(pair)
        rare = min(pair.senses, key=senses.__getitem__, default=None)
        if " ".join(pair.source) in EXAMPLES:
            corpus.examples.append(pair)
        elif held_out:
            if combinations[held_out] < per_combination:
                combinations[held_out] += 1
                corpus.compositional.append(pair)
        elif rare and senses[rare] < ambiguity:
            senses[rare] += 1
            corpus.ambiguity.append(pair)
        elif len(corpus.test) < test:
            corpus.test.append(pair)
        elif len(corpus.validation) < validation:
            corpus.validation.append(pair)
        elif len(corpus.train) < train:
            corpus.train.append(pair)
        elif len(corpus.compositional) >= compositional:
            return corpus
