"""The notation of the grammar: each rule writes a piece of English and, at once, its Chinese translation.

A grammar is text. A line that ends in a colon names a category; its rules follow, indented:

    meal:
        drink/drinks/drank/drinking {beverage} = 喝 (了) {beverage}    * 2
        cook/cooks/cooked/cooking = 做饭 (了)
    beverage:
        tea = 茶 ; milk = 牛奶

    {x}           a slot, filled by a rule of category x, on both sides of its rule by the same thing
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
from collections.abc import Iterator
from dataclasses import dataclass

SLOT = re.compile(r"\{(?P<name>[^.+|}]+)(\.(?P<form>\w+))?(\+(?P<particle>\w+))?(?P<left>\|)?\}")
PARTICLE = re.compile(r"\((?P<choices>[^)]*)\)(?P<mark>_\w+)?")
_TOKEN = re.compile(r"\{[^}]*\}|\S+")
_HEADER = re.compile(r"(?P<name>\w[\w -]*)(\((?P<parameters>[\w ]+)\))?:")


@dataclass(frozen=True)
class WrittenRule:
    """A rule as it stands in the text: tokens of both sides, the Chinese one divided into its parts."""

    english: tuple[str, ...]
    chinese: tuple[tuple[str, ...], ...]
    weight: float


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
        elif line:
            if rules is None or line[0] != " ":
                raise ValueError(f"line {number}: expected 'category:' or an indented rule, got {line!r}")
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
    lone_slot = len(written.english) == 1 and bool(SLOT.fullmatch(written.english[0]))
    if not written.english or not all(parts) or len(parts) > 2 or not (parts or lone_slot):
        raise ValueError(
            f"line {number}: expected 'english = chinese' or 'english = left | right', got {rule!r}"
        )
    return written
