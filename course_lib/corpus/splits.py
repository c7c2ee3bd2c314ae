"""Draws pairs from the grammar and splits them into what is trained on and what is tested with."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise, product
from pathlib import Path
from random import Random
from statistics import fmean

from course_lib.atomic import write_atomically
from course_lib.corpus.grammar import Grammar
from course_lib.corpus.held_out import COMBINATIONS, EXAMPLES, NOT_WITH, ONCE, SENSES
from course_lib.corpus.lexicon import LEXICON
from course_lib.corpus.notation import parse
from course_lib.corpus.noun_phrases import NOUN_PHRASES
from course_lib.corpus.patterns import PATTERNS
from course_lib.corpus.qualities import QUALITIES
from course_lib.corpus.questions import QUESTIONS
from course_lib.corpus.stored import Stored
from course_lib.corpus.times_and_places import TIMES_AND_PLACES
from course_lib.corpus.verb_phrases import VERB_PHRASES
from course_lib.text import Pair

MOST_PAIRS = 200_000
CANDIDATES = 3  # drawn for each pair of train, validation and test


@dataclass(frozen=True)
class Corpus:
    """Lists of English-Chinese pairs; no English sentence is in two of them.

    `compositional` and `compositional_validation` combine words and structures that `train` has only apart;
    no combination is in both. `train` favors rare words, senses and structures; `validation` and `test` are
    as the grammar writes. `ambiguity` holds equally many sentences for each sense of each ambiguous word;
    `pair.senses[0]` is the one tested. `examples` are sentences that the lessons translate.
    """

    train: list[Pair]
    validation: list[Pair]
    test: list[Pair]
    compositional_validation: list[Pair]
    compositional: list[Pair]
    ambiguity: list[Pair]
    examples: list[Pair]


def load_corpus(
    train: int = 30_000,
    validation: int = 1_000,
    test: int = 2_000,
    compositional: int = 25,
    ambiguity: int = 12,
    seed: int = 0,
) -> Corpus:
    """Draw a corpus: numbers of pairs; `compositional` is for each held-out combination, `ambiguity` for each
    sense.

    The same arguments give the same corpus on every machine. It is drawn once and then read from a file
    (`stored`). Raises ValueError if a number is out of range.
    """
    sizes = {"train": train, "validation": validation, "test": test}
    sizes |= {"compositional": compositional, "ambiguity": ambiguity}
    for name, size in sizes.items():
        if not 0 <= size <= MOST_PAIRS:
            raise ValueError(f"{name} is a number of pairs from 0 to {MOST_PAIRS:,}; got {size}")
    stored = Stored(grammar().written, [*sizes.items(), seed])
    lists = stored.read()
    if lists is not None:
        return Corpus(**lists)
    corpus = _draw_corpus(train, validation, test, compositional, ambiguity, seed)
    stored.write(vars(corpus))
    return corpus


def _draw_corpus(
    train: int, validation: int, test: int, compositional: int, ambiguity: int, seed: int
) -> Corpus:
    # how many pairs each list still lacks; the plain ones are drawn in excess, to choose from by rarity
    missing: Counter[Hashable] = Counter({"plain": CANDIDATES * (train + validation + test)})
    missing.update(dict.fromkeys(_places(), compositional))
    missing.update({(word, sense): ambiguity for word, senses in SENSES.items() for sense in senses})
    corpus, plain, chance = Corpus([], [], [], [], [], [], example_pairs()), [], Random(seed)
    for pair in islice(draw_pairs(seed), 20 * MOST_PAIRS):  # an end, should a kind never come
        _place(pair, corpus, plain, missing, chance)
        if not any(missing.values()):
            break
    else:
        raise ValueError(
            f"the grammar does not write enough sentences with {+missing}; are their weights too small?"
        )
    # tests come first, as the grammar writes; only training favors rare parts
    chance.shuffle(plain)
    corpus.test[:], corpus.validation[:] = plain[:test], plain[test : test + validation]
    corpus.train[:] = favor_rare_parts(plain[test + validation :], train, chance)
    return corpus


def _place(pair: Pair, corpus: Corpus, plain: list[Pair], missing: Counter[Hashable], chance: Random) -> None:
    """Put `pair` in a list of `corpus` that misses one of its kind, among the `plain` ones, or drop it."""
    if any(pair.source == example.source for example in corpus.examples):
        return
    combinations = held_out_combinations(pair)
    places = {_places()[combination] for combination in combinations}
    if len(places) > 1:
        return  # validation must not show what the test asks
    sense = next((sense for sense in pair.senses if missing[sense]), None)
    kind, pairs = "plain", plain
    if combinations:  # never plain: training must not see them
        kind, pairs = combinations[0], getattr(corpus, *places)
    elif sense and chance.random() < 0.2:  # one in five: the others are for training
        kind, pairs = sense, corpus.ambiguity
        pair = pair._replace(senses=tuple(sorted(pair.senses, key=sense.__ne__)))  # the tested one first
    if missing[kind]:
        missing[kind] -= 1
        pairs.append(pair)


def favor_rare_parts(pairs: Sequence[Pair], count: int, chance: Random) -> list[Pair]:
    """`count` of the pairs in random order, each as likely as its parts are rare on average.

    A grammar writes some parts a hundred times as often as others; what is seldom met is hardly learned.
    """
    parts = [_parts(pair) for pair in pairs]
    seen = Counter(part for each in parts for part in set(each))
    rarity = {part: 1 / times for part, times in seen.items()}
    # Sampling by weight without replacement (Efraimidis and Spirakis 2006): each pair waits a random time,
    # exponential with its weight as rate, so shorter the rarer its parts are; the first `count` are taken.
    delays = [chance.expovariate(fmean([rarity[part] for part in each])) for each in parts]
    first = sorted(range(len(pairs)), key=delays.__getitem__)[:count]
    chance.shuffle(first)
    return [pairs[i] for i in first]


def _parts(pair: Pair) -> list[Hashable]:
    """What a pair teaches: words, senses, structures, words in structures, neighbors in the translation."""
    words_in_structures = product(pair.structures, pair.source)
    neighbors = pairwise(pair.target)
    return [*pair.source, *pair.senses, *pair.structures, *words_in_structures, *neighbors]


def draw_pairs(seed: int = 0, category: str = "sentence") -> Iterator[Pair]:
    """Distinct pairs without end; raises ValueError if the grammar translates one sentence in two ways."""
    random, rules = Random(seed), grammar()
    senses = _sense_table(rules)
    seen: dict[tuple[str, ...], tuple[str, ...]] = {}
    while True:
        english, chinese, structures = rules.expand(category, random)
        source, target = tuple(english), tuple([word for word, _ in chinese])
        if seen.setdefault(source, target) is not target:  # written before
            if seen[source] != target:
                raise ValueError(f"{' '.join(source)!r} has two translations: {seen[source]} and {target}")
        elif _makes_sense(source):
            alignment = tuple([tuple(positions) for _, positions in chinese])
            # an ambiguous word has the sense of the Chinese word that it is aligned with
            shown = [
                senses[key]
                for word, places in chinese
                for i in places
                if (key := (source[i], word)) in senses
            ]
            once = dict.fromkeys  # each structure and sense once, in the order of the sentence
            yield Pair(source, target, alignment, tuple(once(structures)), tuple(once(shown)))


def characters() -> set[str]:
    """Every character that a Chinese sentence of the corpus can hold, digits and punctuation included."""
    return {character for word in grammar().chinese_words for character in word}


def vocabularies() -> tuple[list[str], list[str]]:
    """All English words and all Chinese words that the grammar can write, each list sorted."""
    return sorted(grammar().english_words), sorted(grammar().chinese_words)


def _makes_sense(source: tuple[str, ...]) -> bool:
    words = set(source)
    if len(words) < len(source) and any(source.count(word) > 1 for word in ONCE):
        return False
    return not any(not words.isdisjoint(NOT_WITH[word]) for word in words & NOT_WITH.keys())


def held_out_combinations(pair: Pair) -> list[tuple[str, ...]]:
    """The combinations of `held_out.COMBINATIONS` that occur in the pair, sorted."""
    lemma, combinations = grammar().lemma, _combinations()
    parts = {lemma.get(word, word) for word in pair.source}.union(pair.structures)
    # look only at combinations whose first part is here: this runs for every pair that is drawn
    candidates = [combination for part in combinations.keys() & parts for combination in combinations[part]]
    return sorted(filter(parts.issuperset, candidates))  # a set has no order of its own


@cache
def grammar() -> Grammar:
    """The grammar of the corpus, compiled once."""
    texts = LEXICON, QUALITIES, TIMES_AND_PLACES, NOUN_PHRASES, VERB_PHRASES, PATTERNS, QUESTIONS
    compiled = Grammar(*texts, structures=parse(PATTERNS) | parse(QUESTIONS))
    compiled.category("sentence")
    return compiled


@cache
def example_pairs() -> list[Pair]:
    """The pairs of `held_out.EXAMPLES`."""
    return [
        next(pair for pair in draw_pairs(category=category) if " ".join(pair.source) == sentence)
        for category, sentence in EXAMPLES.items()
    ]


@cache
def _sense_table(rules: Grammar) -> dict[tuple[str, str], tuple[str, str]]:
    """(English form, Chinese word) -> (ambiguous word, its sense)."""
    table = {}
    for form, word in {**rules.lemma, **{word: word for word in SENSES}}.items():
        table.update({(form, sense): (word, sense) for sense in SENSES.get(word, ())})
    return table


@cache
def _places() -> dict[tuple[str, ...], str]:
    """Held-out combination -> the list of the corpus that it belongs to."""
    return {combination: name for name, group in COMBINATIONS.items() for combination in group}


@cache
def _combinations() -> dict[str, list[tuple[str, ...]]]:
    """The held-out combinations by their first part."""
    combinations: dict[str, list[tuple[str, ...]]] = {}
    for combination in _places():
        combinations.setdefault(combination[0], []).append(combination)
    return combinations


def save_splits(folder: Path) -> None:
    """Write the corpus of `load_corpus()` as train.tsv, test.tsv, compositional.tsv: english TAB chinese."""
    corpus = load_corpus()
    for name in ("train", "test", "compositional"):
        pairs, path = getattr(corpus, name), folder / f"{name}.tsv"
        with write_atomically(path) as file:
            file.writelines(f"{' '.join(p.source)}\t{' '.join(p.target)}\n".encode() for p in pairs)
        print(f"{path}: {len(pairs)} pairs")
