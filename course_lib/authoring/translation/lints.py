"""What a program sees to be wrong with a translation: changed code or formulas, stars that are shown."""

import ast
import re
from collections.abc import Callable, Iterator

from markdown_it import MarkdownIt

from course_lib.authoring.translation.shown_strings import code_of, literal
from course_lib.authoring.translation.units import IN_TEXT, STRING, TEMPLATE, Unit, language

FORMULA = re.compile(r"\$[^$]+\$")
FIELD = re.compile(r"\{\w+\}")  # filled in by the build
CODE = re.compile(r"`[^`]+`")
TARGET = re.compile(r"(?<=\]\()[^)\s]+(?=\))")  # of a link
WIDE = "\u2e80-\u9fff\uff00-\uffef"  # hanzi, and the punctuation that is as wide
HANZI = "\u3400-\u9fff"
ADDRESS = re.compile(rf"(?<![(<])https?://[^\s>)]*[{WIDE}]")
KEPT = re.compile(r"`[^`]*`|\$[^$]*\$|\{[^{}]*\}")  # not prose

markdown = MarkdownIt("commonmark")


def problems(unit: Unit, said: str, locale: str) -> Iterator[str]:
    """Each with its mend."""
    if "\n" in said and "\n" not in unit.english:
        yield "a line break, which is drawn as a space: write it in one line"
    if unit.kind == TEMPLATE:
        yield from _problems_of_template(unit.english, said)
    if unit.kind in (STRING, TEMPLATE) and FORMULA.search(said) and re.search(f"[{WIDE}]", said):
        yield "beside a formula a figure draws no hanzi: write it without dollar signs"
    if unit.kind not in (STRING, TEMPLATE):
        for what, form in (("code", CODE), ("formulas", FORMULA), ("links", TARGET)):
            ours, theirs = sorted(form.findall(said)), sorted(form.findall(unit.english))
            if ours != theirs:
                yield f"the {what} differ: {_difference(ours, theirs)}"
        ours, theirs = (sorted(FIELD.findall(FORMULA.sub("", text))) for text in (said, unit.english))
        if ours != theirs:
            yield f"what is in braces differs: {_difference(ours, theirs)}"
    if unit.kind in IN_TEXT:
        yield from _problems_of_markdown(unit.english, said)
    if check := TYPOGRAPHY.get(language(locale)):
        yield from check(KEPT.sub("`", said), unit)


def raw_stars(text: str) -> str:
    """What is around the stars that a browser shows, "" where all of them are emphasis."""
    rendered = markdown.renderInline(FORMULA.sub("x", text))
    prose = re.sub(r"<code>.*?</code>", "", rendered, flags=re.DOTALL)
    found = re.search(r".{0,9}(?:\S\*|\*\S).{0,9}", prose)  # between spaces a star multiplies
    return found[0] if found else ""


def _problems_of_template(english: str, said: str) -> Iterator[str]:
    try:
        ours, theirs = (code_of(ast.parse(literal(text, TEMPLATE))) for text in (said, english))
    except SyntaxError:
        yield "no string of Python: copy what is in {braces}, and double other braces"
        return
    if ours != theirs:
        yield f"the code in braces differs: {_difference(ours, theirs)}"


def _problems_of_markdown(english: str, said: str) -> Iterator[str]:
    if (stars := raw_stars(said)) and not raw_stars(english):
        yield f"the stars at {stars!r} are shown: keep punctuation, brackets and code outside of them"
    if address := ADDRESS.search(said):
        yield f"the link {address[0]!r} takes in what follows: write <https://...>"


def _difference(ours: list[str], theirs: list[str]) -> str:
    more = [text for text in ours if text not in theirs]
    less = [text for text in theirs if text not in ours]
    return f"{more or ours} instead of {less or theirs}"


def _chinese(prose: str, unit: Unit) -> Iterator[str]:
    """The style guide's rules that a pattern can tell. In `prose` a ` stands for code or a formula."""
    if found := re.search(rf"[{HANZI}][,;:?!]|[,;:?!][{HANZI}]", prose):
        yield f"{found[0]!r}: between hanzi punctuation is full-width"
    if unit.kind in IN_TEXT and (found := re.search(rf"[{HANZI}][A-Za-z0-9`]|[A-Za-z0-9`][{HANZI}]", prose)):
        yield f"{found[0]!r}: a space belongs between hanzi and Latin letters, numbers or code"
    if found := re.search(rf"[{HANZI}] +[{HANZI}]|[，。：；？！（）“”、] | [，。：；？！（）、]", prose):
        yield f"{found[0]!r}: no space here"


TYPOGRAPHY: dict[str, Callable[[str, Unit], Iterator[str]]] = {"zh": _chinese}
