"""Markdown of notebooks and documents as HTML."""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import mistune
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from course_lib.authoring.site.mathematics import mathml

# What is no formula comes first: code between backticks may hold dollars.
FORMULA = re.compile(
    r"(?P<code>^(?P<fence>```+).*?^(?P=fence)\s*$|(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|\$\$(?P<display>.+?)\$\$|(?<![\\$\w])\$(?P<inline>[^\s$](?:[^$]*?[^\s$\\])?)\$(?!\d)",
    re.DOTALL | re.MULTILINE,
)
PLACE = re.compile("\ue000(\\d+)\ue001")
NOTE = re.compile(r"<annotation[^>]*>(.*?)</annotation>")
FORMULA_SET = re.compile(r"<math.*?</math>")
TAG = re.compile(r"<[^>]+>")
PYTHON = ("python", "py")
SHORT = 20  # characters of code that fit into a line of a phone


@dataclass
class Heading:
    """name: its id on the page. html: without formulas a screen reader would say twice."""

    level: int
    name: str
    html: str


@dataclass
class Text:
    """Turns the Markdown of one page into HTML, cell by cell; `headings` are those of all cells so far.

    link: gives the address of a link on the page, or None where only its words are to be shown.
    above: names of headings that the page has besides.
    """

    link: Callable[[str], str | None]
    headings: list[Heading] = field(default_factory=list)

    def html(self, source: str) -> str:
        formulas: list[str] = []

        def put_by(found: re.Match) -> str:
            if found["code"]:
                return found[0]
            display = found["display"]
            made = mathml(display or found["inline"], display=bool(display))
            formulas.append(f'<span class="display">{made}</span>' if display else made)
            return f"\ue000{len(formulas) - 1}\ue001"

        marked = FORMULA.sub(put_by, source)
        renderer = _Renderer(self, lambda text: PLACE.sub(lambda found: formulas[int(found[1])], text))
        return renderer.finished(str(mistune.create_markdown(renderer=renderer, plugins=["table"])(marked)))


class _Renderer(mistune.HTMLRenderer):
    def __init__(self, text: Text, finished: Callable[[str], str]):
        super().__init__(escape=False)  # comments, <a id=...> and <br> in our own text
        self.page, self.finished = text, finished

    def heading(self, text: str, level: int, **attributes) -> str:
        name, taken = anchor(self.finished(text)), {heading.name for heading in self.page.headings}
        name = next(one for one in (name, *(f"{name}-{count}" for count in range(2, 99))) if one not in taken)
        self.page.headings.append(Heading(level, name, self.finished(text)))
        return f'<h{level} id="{name}">{text}</h{level}>\n'

    def link(self, text: str, url: str, title: str | None = None) -> str:
        address = self.page.link(html.unescape(url))
        return text if address is None else f'<a href="{html.escape(address)}">{text}</a>'

    def codespan(self, text: str) -> str:
        whole = len(text) <= SHORT and " " not in text  # no browser may break it after a hyphen
        return f"<code{' class=whole' * whole}>{html.escape(text)}</code>"

    def table(self, text: str) -> str:
        return f'<div class="wide"><table>\n{text}</table></div>\n'

    def table_cell(self, text: str, align: str | None = None, head: bool = False) -> str:
        kind = "th" if head and text.strip() else "td"  # an empty heading names nothing
        formula = NOTE.search(made := self.finished(text))
        if kind == "th" and formula and not TAG.sub("", FORMULA_SET.sub("", made)).strip():
            # Some screen readers, and axe, find a heading empty that is only a formula.
            text = f'<span class="unseen">{formula[1]}</span>' + made.replace(
                "<math ", '<math aria-hidden="true" '
            )
        return f"  <{kind}>{text}</{kind}>\n"

    def block_code(self, code: str, info: str | None = None) -> str:
        return python(code) if info in PYTHON else f"<pre><code>{html.escape(code.rstrip())}</code></pre>\n"


def anchor(heading: str) -> str:
    """As forges make it of a heading, so that links into documents work here and there."""
    words = html.unescape(TAG.sub("", re.sub(r"<annotation.*?</annotation>", "", heading))).strip().lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-") or "section"


def python(code: str) -> str:
    """Code in colors, each by the class of its kind."""
    return str(highlight(code, PythonLexer(), HtmlFormatter(nowrap=False, wrapcode=True, cssclass="code")))
