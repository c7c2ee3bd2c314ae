"""A synchronous grammar: compiles rules written in `notation` and expands them into sentence pairs."""

import re
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random

from course_lib.corpus.notation import PARTICLE, SLOT, WrittenRule, parse

FORMS = {"one": 0, "many": 1, "plain": 0, "more": 1, "base": 0, "third": 1, "past": 2, "ing": 3, "done": 4}
PERSONS = ("first", "plural", "third")


@dataclass(eq=False)
class Rule:
    """A rule with its forms and particles decided, ready to be expanded.

    `english` holds (word, mark) and (category, -1), or (category, -2 - twin) for a slot x'. `chinese` holds,
    by part, (word, mark) and (slot number, its part). A rule without slots has its English words in `words`
    and, by part, (Chinese word, places of its English words) in `offsets`.
    """

    english: list[tuple["str | Category", int]] = field(default_factory=list)
    chinese: list[list[tuple[str | int, int]]] = field(default_factory=list)
    mark_count: int = 0
    words: list[str] = field(default_factory=list)
    offsets: list[list[tuple[str, list[int]]]] | None = None


@dataclass(eq=False)
class Category:
    """The rules that can fill a slot which asks for one form and one particle.

    `bounds` sums up their weights; `structure` is the category's name if it is to be reported, else empty.
    """

    structure: str
    rules: list[Rule] = field(default_factory=list)
    bounds: list[float] = field(default_factory=list)


class Grammar:
    """The rules of `texts`, compiled on demand and expanded into sentences at random.

    `structures` are the categories that `expand` reports. Of the rules compiled so far, `lemma` maps each
    English form to the first one of its word; `english_words` and `chinese_words` are all the words.
    """

    def __init__(self, *texts: str, structures: Iterable[str] = ()):
        self.written: dict[str, tuple[tuple[str, ...], list[WrittenRule]]] = {}
        for text in texts:
            categories = parse(text)
            if twice := categories.keys() & self.written.keys():
                raise ValueError(f"categories are defined twice: {', '.join(sorted(twice))}")
            self.written |= categories
        self.structures = frozenset(structures)
        self.lemma: dict[str, str] = {}
        self.english_words: set[str] = set()
        self.chinese_words: set[str] = set()
        self._compiled: dict[tuple, Category] = {}

    def expand(self, name: str, random: Random) -> tuple[list[str], list[tuple[str, list[int]]], list[str]]:
        """A random English sentence, its Chinese as (word, English positions), and the structures in it."""
        english: list[str] = []
        structures: list[str] = []
        chinese = _expand(self.category(name), random.random, english, structures)[-1]
        for position, following in enumerate(english[1:]):
            if english[position] == "a" and following[0] in "aeiou":
                english[position] = "an"
        return english, chinese, structures

    def category(self, name: str, form: str | None = None, particle: str | None = None) -> Category:
        """Compiled category `name`, arguments included ("the book"), in the given form, with the particle."""
        key = name, form, particle
        if key not in self._compiled:
            written, arguments = self._find(name)
            base = " ".join(name.split()[: -len(arguments) or None])
            category = self._compiled[key] = Category(base if base in self.structures else "")
            category.rules = [_Compiler(self, rule, arguments, form, particle).rule for rule in written]
            category.bounds = list(accumulate(rule.weight for rule in written))
        return self._compiled[key]

    def _find(self, name: str) -> tuple[list[WrittenRule], dict[str, str]]:
        words = name.split()
        for cut in range(len(words), 0, -1):
            parameters, rules = self.written.get(" ".join(words[:cut]), (None, []))
            if parameters is not None and len(parameters) == len(words) - cut:
                return rules, dict(zip(parameters, words[cut:], strict=True))
        raise ValueError(f"no category {name!r}; there are {', '.join(sorted(self.written))}")


class _Compiler:
    """Decides the words and slots of one written rule for given arguments, form and particle."""

    def __init__(self, grammar: Grammar, written: WrittenRule, arguments: dict, form, particle):
        self.grammar, self.written, self.arguments = grammar, written, arguments
        self.form, self.particle = form, particle
        self.person = next((PERSONS.index(a) for a in arguments.values() if a in PERSONS), None)
        self.slots: list[str] = []
        self.marks: list[str] = []
        # the Chinese side says which particle a slot is asked for, but English slots are compiled first
        self.particles = {slot["name"]: slot["particle"] for slot in self._slots(sum(written.chinese, ()))}
        self.rule = Rule()
        for token in written.english:
            self.rule.english += self._english(token)
        self.rule.chinese = [[i for token in part for i in self._chinese(token)] for part in written.chinese]
        self.rule.mark_count = len(self.marks)
        if not self.slots:
            self._precompute()

    def _precompute(self) -> None:
        """A rule without slots: its words, and for each Chinese one the places of those with its mark."""
        english, chinese = self.rule.english, self.rule.chinese
        self.rule.words = [word for word, _ in english if isinstance(word, str)]
        places = [[i for i, (_, m) in enumerate(english) if m == mark] for mark in range(len(self.marks))]
        self.rule.offsets = [
            [(word, places[mark]) for word, mark in part if isinstance(word, str)] for part in chinese
        ]

    @staticmethod
    def _slots(tokens: tuple[str, ...]) -> Iterator[re.Match]:
        return filter(None, map(SLOT.fullmatch, tokens))

    def _english(self, token: str) -> list[tuple[str | Category, int]]:
        slot = SLOT.fullmatch(token)
        if not slot:
            word, _, mark = token.partition("_")
            word = self.arguments.get(word, word)
            self.marks += [mark] if mark not in self.marks else []
            words = self._inflect(word).split("~")
            self.grammar.english_words.update(words, ["an"] if words == ["a"] else [])
            return [(part, self.marks.index(mark)) for part in words]
        if slot["name"] not in self.particles and self.written.chinese:
            raise ValueError(f"slot {token} is on the English side only: {self.written}")
        self.slots.append(slot["name"])
        name = " ".join(self.arguments.get(word, word) for word in slot["name"].rstrip("'").split())
        particle = self.particles.get(slot["name"]) or self.particle
        # x' asks for another filler than the slot x before it, its twin
        twin = self.slots.index(slot["name"][:-1]) if slot["name"].endswith("'") else None
        category = self.grammar.category(name, self._form(slot["form"]), particle)
        return [(category, -1 if twin is None else -2 - twin)]

    def _form(self, asked: str | None) -> str | None:
        if asked != "present":
            return asked or self.form
        if self.person is None:
            raise ValueError(f"'present' needs a category whose parameter is a person: {self.written}")
        return "third" if PERSONS[self.person] == "third" else "base"

    def _inflect(self, word: str) -> str:
        forms = word.split("/")
        if len(forms) == 1:
            return word
        if len(forms) == 3:  # am/are/is: by the person
            index = self.person
        else:  # by the form that was asked; with four forms the participle is the past
            index = FORMS.get(self.form or "base")
            forms = [*forms, forms[2]] if len(forms) == 4 else forms
        if index is None or index >= len(forms):
            raise ValueError(f"{word!r} has no form {self.form or self.person!r}: {self.written}")
        self.grammar.lemma.update(dict.fromkeys(forms, forms[0]))
        return forms[index]

    def _chinese(self, token: str) -> list[tuple[str | int, int]]:
        slot = SLOT.fullmatch(token)
        if slot and slot["name"] in self.slots:
            return [(self.slots.index(slot["name"]), 0 if slot["left"] else -1)]
        optional = PARTICLE.fullmatch(token)
        if optional:  # (了) is written only where 了 was asked for
            if self.particle not in optional["choices"].split("/"):
                return []
            token = f"{self.particle}{optional['mark'] or ''}"
        word, _, mark = token.partition("_")
        word = self.arguments.get(word, word)
        if slot or mark not in self.marks:
            raise ValueError(
                f"{token} of the Chinese side has no counterpart on the English one: {self.written}"
            )
        self.grammar.chinese_words.add(word)
        return [(word, self.marks.index(mark))]


def _expand(category: Category, draw: Callable[[], float], english: list[str], structures: list[str]) -> list:
    """Append the English words of a random rule to `english`; return the parts of its Chinese side."""
    # a rule's share of 0 ... bounds[-1] is its weight; a random number falls into one share
    rule = category.rules[bisect(category.bounds, draw() * category.bounds[-1])]
    if rule.offsets is not None:  # no slots: only the place in the sentence is open
        start = len(english)
        english += rule.words
        parts = [[(word, [start + i for i in places]) for word, places in part] for part in rule.offsets]
    elif not rule.chinese and isinstance(only := rule.english[0][0], Category):
        return _expand(only, draw, english, structures)  # {x} stands for both sides of x
    else:
        parts = _fill(rule, draw, english, structures)
    if category.structure:
        structures.append(category.structure)
    return parts


def _fill(rule: Rule, draw: Callable[[], float], english: list[str], structures: list[str]) -> list:
    """Expand the slots of a rule in their English order, and put them together in the Chinese one."""
    fillers: list[list] = []  # of each slot: the parts of its Chinese side
    positions: list[list[int]] = [[] for _ in range(rule.mark_count)]  # of each mark: its English words
    for item, mark in rule.english:
        if isinstance(item, str):
            positions[mark].append(len(english))
            english.append(item)
            continue
        start, filler = len(english), _expand(item, draw, english, structures)
        # x' must differ from its twin: take back what was written, and draw again
        while mark < -1 and _words(filler) == _words(fillers[-2 - mark]):
            del english[start:]
            filler = _expand(item, draw, english, structures)
        fillers.append(filler)
    parts = []
    for written in rule.chinese:
        part = []
        for item, mark in written:
            if isinstance(item, int):
                part += fillers[item][mark]  # that part of the slot's filler, aligned already
            else:
                part.append((item, positions[mark]))
        parts.append(part)
    return parts


def _words(parts: list) -> list[str]:
    return [word for word, _ in parts[-1]]
