"""A synchronous grammar: each rule writes a piece of English and its Chinese translation at the same time.

A grammar is text. A line that ends in a colon names a category; below it, indented, stand its rules:

    meal:
        drink/drinks/drank/drinking {beverage} = 喝 (了) {beverage}    * 2
        cook/cooks/cooked/cooking = 做饭 (了)
    beverage:
        tea = 茶 ; milk = 牛奶

    {x}           a slot, filled by a rule of category x; the same slot on both sides is filled by the same thing
    {x'}          another filler of the same category, with a different translation
    a/b, a/b/c/d  forms of a word: noun one/many, adjective plain/more, verb base/third/past/ing/done (it
                  is past if there are four), or, if there are three, the person's: first/plural/third
    {x.past}      asks x for a form; `present` is base or third, as the person wants. A slot that asks for
                  nothing passes on what was asked of its own category
    more~big      two English words that make up one form
    left | right  two parts of the Chinese side, as measure word and noun: {x|} is the left, {x} the right
    (了)          an optional particle, written only if the slot asks for it by {x+了}; (了/过) offers either
    word_2        words are aligned with those of the other side that have the same mark, or that have none
    * 2           weight of a rule, 1 if not given
    ;             separates rules on a line; {x} alone stands for both sides of x, with its two parts
    name(N):      a category with parameters; {name book} uses it with N = book. A person as parameter (first,
                  plural, third) decides the person of the words in the rule
    #             begins a comment; a line that starts with = continues the line before
"""

import re
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random

FORMS = {"one": 0, "many": 1, "plain": 0, "more": 1, "base": 0, "third": 1, "past": 2, "ing": 3, "done": 4}
PERSONS = ("first", "plural", "third")
_HEADER = re.compile(r"(?P<name>\w[\w -]*)(\((?P<parameters>[\w ]+)\))?:")
_SLOT = re.compile(r"\{(?P<name>[^.+|}]+)(\.(?P<form>\w+))?(\+(?P<particle>\w+))?(?P<left>\|)?\}")
_PARTICLE = re.compile(r"\((?P<choices>[^)]*)\)(?P<mark>_\w+)?")
_TOKEN = re.compile(r"\{[^}]*\}|\S+")


@dataclass(frozen=True)
class WrittenRule:
    """A rule as it stands in the text: tokens of both sides, the Chinese one divided into its parts."""

    english: tuple[str, ...]
    chinese: tuple[tuple[str, ...], ...]
    weight: float


@dataclass(eq=False)
class Rule:
    """A rule with its forms and particles decided, ready to be expanded."""

    english: list[tuple["str | Category", int]] = field(
        default_factory=list
    )  # (word, mark) or (category, -1), or -2 - twin for a slot x'
    chinese: list[list[tuple[str | int, int]]] = field(default_factory=list)  # (word, mark) or (slot, part)
    mark_count: int = 0
    words: list[str] = field(default_factory=list)  # of a rule without slots: the English words, and
    offsets: list[list[tuple[str, list[int]]]] | None = None  # Chinese words with the places of theirs


@dataclass(eq=False)
class Category:
    """The rules that can fill a slot which asks for one form and one particle."""

    structure: str  # its name if it is a structure to be reported, else empty
    rules: list[Rule] = field(default_factory=list)
    bounds: list[float] = field(default_factory=list)  # running sum of the weights


def parse(text: str) -> dict[str, tuple[tuple[str, ...], list[WrittenRule]]]:
    """Category name -> (its parameters, its rules); raises ValueError that names the line."""
    categories: dict[str, tuple[tuple[str, ...], list[WrittenRule]]] = {}
    rules = None
    for number, line in _logical_lines(text):
        header = _HEADER.fullmatch(line)
        if header and header["name"] in categories:
            raise ValueError(f"line {number}: category {header['name']!r} is defined twice")
        if header:
            rules = []
            categories[header["name"]] = (tuple((header["parameters"] or "").split()), rules)
        elif line and (rules is None or line[0] != " "):
            raise ValueError(f"line {number}: expected 'category:' or an indented rule, got {line!r}")
        elif line:
            rules += [_parse_rule(rule, number) for rule in line.split(" ; ")]
    return categories


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """(number, line) without comments, a line that starts with = joined to the one before."""
    whole, first = "", 1
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].rstrip()
        if line.lstrip().startswith("= "):
            whole += " " + line.lstrip()
        else:
            yield first, whole
            whole, first = line, number
    yield first, whole


def _parse_rule(rule: str, number: int) -> WrittenRule:
    sides, _, weight = rule.partition(" * ")
    english, equals, chinese = sides.partition(" = ")
    parts = tuple(tuple(_TOKEN.findall(part)) for part in chinese.split(" | ") if equals)
    written = WrittenRule(tuple(_TOKEN.findall(english)), parts, float(weight or 1))
    lone_slot = len(written.english) == 1 and bool(_SLOT.fullmatch(written.english[0]))
    if not written.english or not all(parts) or len(parts) > 2 or not (parts or lone_slot):
        raise ValueError(
            f"line {number}: expected 'english = chinese' or 'english = left | right', got {rule!r}"
        )
    return written


class Grammar:
    """Compiles the categories on demand and expands them into sentences.

    Of the rules compiled so far, `lemma` maps each English form to the first one of its word; `english_words`
    and `chinese_words` are all the words.
    """

    def __init__(self, text: str, structures: Iterable[str] = ()):
        self.written = parse(text)
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
        self.wanted = {slot["name"]: slot["particle"] for slot in self._slots(sum(written.chinese, ()))}
        self.rule = Rule()
        for token in written.english:
            self.rule.english += self._english(token)
        self.rule.chinese = [[i for token in part for i in self._chinese(token)] for part in written.chinese]
        self.rule.mark_count = len(self.marks)
        if not self.slots:
            self._precompute()

    def _precompute(self) -> None:
        self.rule.words = [word for word, _ in self.rule.english]
        places = [
            [i for i, (_, m) in enumerate(self.rule.english) if m == mark] for mark in range(len(self.marks))
        ]
        self.rule.offsets = [[(word, places[mark]) for word, mark in part] for part in self.rule.chinese]

    @staticmethod
    def _slots(tokens: tuple[str, ...]) -> Iterator[re.Match]:
        return filter(None, map(_SLOT.fullmatch, tokens))

    def _english(self, token: str) -> list[tuple[str | Category, int]]:
        slot = _SLOT.fullmatch(token)
        if not slot:
            word, _, mark = token.partition("_")
            word = self.arguments.get(word, word)
            self.marks += [mark] if mark not in self.marks else []
            words = self._inflect(word).split("~")
            self.grammar.english_words.update(words, ["an"] if words == ["a"] else [])
            return [(part, self.marks.index(mark)) for part in words]
        if slot["name"] not in self.wanted and self.written.chinese:
            raise ValueError(f"slot {token} stands on the English side only: {self.written}")
        self.slots.append(slot["name"])
        name = " ".join(self.arguments.get(word, word) for word in slot["name"].rstrip("'").split())
        particle = self.wanted.get(slot["name"]) or self.particle
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
        if len(forms) == 3:
            index = self.person
        else:
            index = FORMS.get(self.form or "base")
            forms = [*forms, forms[2]] if len(forms) == 4 else forms
        if index is None or index >= len(forms):
            raise ValueError(f"{word!r} has no form {self.form or self.person!r}: {self.written}")
        self.grammar.lemma.update(dict.fromkeys(forms, forms[0]))
        return forms[index]

    def _chinese(self, token: str) -> list[tuple[str | int, int]]:
        slot = _SLOT.fullmatch(token)
        if slot and slot["name"] in self.slots:
            return [(self.slots.index(slot["name"]), 0 if slot["left"] else -1)]
        optional = _PARTICLE.fullmatch(token)
        if optional:
            if self.particle not in optional["choices"].split("/"):
                return []
            token = self.particle + (optional["mark"] or "")
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
    rule = category.rules[bisect(category.bounds, draw() * category.bounds[-1])]
    if rule.offsets is not None:
        start = len(english)
        english += rule.words
        parts = [[(word, [start + i for i in places]) for word, places in part] for part in rule.offsets]
    elif not rule.chinese:
        return _expand(rule.english[0][0], draw, english, structures)
    else:
        parts = _fill(rule, draw, english, structures)
    if category.structure:
        structures.append(category.structure)
    return parts


def _fill(rule: Rule, draw: Callable[[], float], english: list[str], structures: list[str]) -> list:
    """Expand the slots of a rule in their English order, and put them together in the Chinese one."""
    fillers: list[list] = []
    positions: list[list[int]] = [[] for _ in range(rule.mark_count)]
    for item, mark in rule.english:
        if mark >= 0:
            positions[mark].append(len(english))
            english.append(item)
            continue
        start, filler = len(english), _expand(item, draw, english, structures)
        while mark < -1 and _words(filler) == _words(fillers[-2 - mark]):
            del english[start:]
            filler = _expand(item, draw, english, structures)
        fillers.append(filler)
    parts = []
    for written in rule.chinese:
        part = []
        for item, mark in written:
            if item.__class__ is int:
                part += fillers[item][mark]
            else:
                part.append((item, positions[mark]))
        parts.append(part)
    return parts


def _words(parts: list) -> list[str]:
    return [word for word, _ in parts[-1]]
