"""`course slides`: a page of slides for each lesson, from its headings, first sentences and diagrams.

A page is one file that needs no network: formulas are outlines, pictures and Chinese letters are in it, and
the arrow keys turn the slides. Printed, it has a slide on each sheet.
"""

import base64
import html
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode

from course_lib.authoring.build import KERNEL, ROOT, lessons
from course_lib.authoring.contents import PICTURES
from course_lib.authoring.fonts import embedded
from course_lib.authoring.needed_cells import needed
from course_lib.authoring.notebook_client import NotebookClient
from course_lib.plots.formula import formula

DRAWS = ".picture()"
ROWS, ROW = 11.5, 66  # of text on a slide; characters in a row
NO_SENTENCES = ("|", "```", "*This is a good place", "*A good place", "**Next:**")
LED = ("- ", "|", "$$")  # what a sentence with a colon leads to
LONG = 7  # rows of a table; two columns fewer
SHORT = 40  # characters of a question
SENTENCE = re.compile(
    r"(?<=[.?!])(?<!et al\.)(?<!eq\.)(?<!e\.g\.)(?<!vs\.)(?<!\d\.)\s+(?=[\"'(*`$]*[A-Z$\d])"
)
GUESS = re.compile(r"\W*(?:Guess|Predict|Before you run|Compute .+ before you)\b")
GIVEN = re.compile(r"\$[^$]*=[^$]*\$")
EXERCISE = re.compile(r"\*\*(Exercises? [\d and]+)\*\* · (.+?)\. ")
LEFT_OUT = ("What you have",)
IMAGE = re.compile(r"<img [^>]+>")
STYLE = """
html { scroll-snap-type: y mandatory; }
body { margin: 0; color: #1b1b1b; background: #fff;
  font: clamp(18px, 2.3vw, 34px)/1.45 system-ui, "Noto Sans CJK SC", "PingFang SC", Carried, sans-serif; }
section { box-sizing: border-box; min-height: 100vh; padding: 5vh 7vw; display: flex;
  flex-direction: column; justify-content: center; scroll-snap-align: start; break-after: page;
  border-bottom: 1px solid #ddd; }
h1 { font-size: 1.7em; margin: 0 0 .6em; } h2 { font-size: 1.25em; margin: 0 0 .7em; color: #0b4f8a; }
p { margin: 0 0 .7em; } p.question { font-style: italic; } p.exercise { font-weight: 600; color: #8a3b00; }
p.item::before { content: "• "; }
p.formula { text-align: center; font-size: 1.1em; }
p.formula svg { max-width: 100%; height: auto !important; }
svg { overflow: visible; fill: currentColor; }
img { max-width: 100%; max-height: 66vh; width: auto; height: auto; object-fit: contain; align-self: center; }
table { border-collapse: collapse; font-size: .8em; align-self: center; margin: 0 0 .8em; }
table.long { font-size: .6em; }
th, td { padding: .25em .8em; border-bottom: 1px solid #ccc; text-align: left; }
code { font-size: .9em; background: #f0f0f0; padding: 0 .2em; }
footer { font-size: .5em; color: #595959; margin-top: auto; padding-top: 1em; }
@page { size: 13.33in 7.5in; margin: 0; }
@media print { section { height: 7.5in; min-height: 0; border: 0; } body { font-size: 24px; } }
"""
KEYS = """
const slides = [...document.querySelectorAll("section")];
const step = {ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1};
document.addEventListener("keydown", (event) => {
  if (!(event.key in step) || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  const here = slides.findIndex((slide) => slide.getBoundingClientRect().bottom > innerHeight / 2);
  const next = Math.min(Math.max(here + step[event.key], 0), slides.length - 1);
  slides[next].scrollIntoView();
});
"""


@dataclass
class Slide:
    """A heading, and below it paragraphs or one picture, as HTML."""

    heading: str
    lines: list[str] = field(default_factory=list)

    @property
    def asks(self) -> bool:
        return any('"question"' in line for line in self.lines)

    @property
    def rows(self) -> float:
        return sum(map(_rows, self.lines))


def _rows(line: str) -> float:
    """About how high a paragraph is, with the gap below it."""
    if '"formula"' in line:
        return 2.5
    seen = re.sub(r"<[^>]+>", "", re.sub(r"<svg.*?</svg>", "formula", line))
    return 1.2 * line.count("<tr>") or math.ceil(len(seen) / ROW) + 0.5


def write_slides(names: Sequence[str], folder: Path) -> int:
    """The exit code of `course slides`."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in lessons():
        if not names or path.stem in names:
            file = folder / f"{path.stem}.html"
            slides = slides_of(path)
            file.write_text(page(path.stem, slides), encoding="utf-8")
            print(f"{len(slides)} slides: {file}", flush=True)
    return 0


def slides_of(lesson: Path) -> list[Slide]:
    """The slides of a lesson; its diagrams are drawn anew, by the cells that they need."""
    cells = jupytext.read(lesson).cells
    pictures = _pictures(cells)
    slides: list[Slide] = []
    for place, cell in enumerate(cells):
        if cell.cell_type == "markdown" and "question" not in cell.metadata:
            if place and cells[place - 1].cell_type == "code" and slides[-1].asks:
                slides.append(Slide(slides[-1].heading))  # what a run shows comes after the guess
            _add_text(slides, cell.source)
        for image in pictures.get(place, ()):
            slides += [Slide(slides[-1].heading, [image]), Slide(slides[-1].heading)]
    first, *rest = (slide for slide in slides if slide.lines and slide.heading not in LEFT_OUT)
    return [first, Slide(first.heading, [_title_picture(lesson.stem)]), *rest]


def page(lesson: str, slides: Sequence[Slide]) -> str:
    """One file with these slides."""
    title = re.sub(r"<[^>]+>", "", slides[0].heading)
    sections = [
        f"<section><h{1 + (number > 1)}>{slide.heading}</h{1 + (number > 1)}>\n"
        + "\n".join(slide.lines)
        + f"\n<footer>{lesson} · {number} of {len(slides)}</footer></section>"
        for number, slide in enumerate(slides, 1)
    ]
    font = f'@font-face {{ font-family: Carried; src: url("{embedded("".join(sections))}"); }}'
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{font}{STYLE}</style></head>\n<body>\n'
        + "\n".join(sections)
        + f"\n<script>{KEYS}</script></body></html>\n"
    )


def _add_text(slides: list[Slide], text: str) -> None:
    """What a cell of text brings: headings begin a slide, and a full slide is continued on the next."""
    blocks = re.split(r"\n\s*\n", text)
    for block, after in pairwise([*blocks, ""]):
        if heading := re.match(r"#+ (.+)", block):
            slides.append(Slide(inline(heading[1])))
            block = block[heading.end() :].strip()
        lines = [*_lines(block, after.startswith(LED))]
        for line, below in pairwise([*lines, ""]):
            # An exercise's task comes below it, and a question is not parted from what leads to it.
            kept = 3 * ('"exercise"' in line) or ('"question"' in below) * _rows(below)
            if slides[-1].lines and (
                slides[-1].rows + _rows(line) + kept > ROWS or line.startswith("<table")
            ):
                slides.append(Slide(slides[-1].heading))
            slides[-1].lines.append(line)


def _lines(block: str, leads: bool) -> Iterator[str]:
    """A table, the items of a list, or of a paragraph its formulas and what `_sentences` chooses.

    leads: whether what comes next belongs to a colon at the end of the block.
    """
    if block.startswith("|"):
        yield _table(block)
    if block.startswith("- "):
        for item in re.split(r"(?m)^- ", block)[1:]:
            yield from _sentences(" ".join(item.split()), "item")
    elif block and not block.startswith(NO_SENTENCES):
        for tex in re.findall(r"\$\$(.+?)\$\$", block, re.DOTALL):
            yield f'<p class="formula">{formula(tex)}</p>'
        text = " ".join(re.sub(r"\$\$.+?\$\$", " ", block, flags=re.DOTALL).split())
        if exercise := EXERCISE.match(text):
            yield f'<p class="exercise">{inline(exercise[1])} · {inline(exercise[2])}</p>'
            text = text[exercise.end() :]
        yield from _sentences(text if leads else re.sub(":$", ".", text), "said")


def _sentences(text: str, kind: str) -> Iterator[str]:
    """The first sentence, the questions, and what these need: their lead, given numbers, what a colon opens.

    A first sentence that names a command of tests/bench says little, so the next one comes with it.
    """
    sentences = SENTENCE.split(text) if text else []
    for place, sentence in enumerate(sentences):
        before, after = "".join(sentences[place - 1 : place]), "".join(sentences[place + 1 : place + 2])
        asks = sentence.rstrip(";").endswith("?") or bool(GUESS.match(sentence))
        leads = sentence.endswith(":") or (after.endswith("?") and len(after) < SHORT)
        measured = place == 1 and "tests/bench" in before
        if not place or asks or leads or measured or GIVEN.search(sentence):
            yield f'<p class="{"question" if asks else kind}">{inline(sentence)}</p>'


def _table(block: str) -> str:
    head, _, *rows = (
        [inline(cell.strip()) for cell in row.strip("|").split("|")] for row in block.splitlines()
    )
    widest = max(len(re.sub(r"<svg.*?</svg>|<[^>]+>", "", "".join(row))) for row in (head, *rows))
    size = ' class="long"' if max(len(rows), len(head) + 2) > LONG or widest > ROW else ""
    return f"<table{size}>{_row(head, 'th')}{''.join(_row(row, 'td') for row in rows)}</table>"


def _row(cells: Sequence[str], kind: str) -> str:
    return "<tr>" + "".join(f"<{kind}>{cell}</{kind}>" for cell in cells) + "</tr>"


def inline(text: str) -> str:
    """Markdown of one line as HTML, its formulas as images."""
    found = []
    for piece in re.split(r"(\$[^$]+\$|`[^`]+`)", text):
        if piece.startswith("$") and len(piece) > 1:
            found.append(formula(piece[1:-1]))
        elif piece.startswith("`") and len(piece) > 1:
            found.append(f"<code>{html.escape(piece[1:-1])}</code>")
        else:
            piece = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", html.escape(piece, quote=False))
            found.append(piece)
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", "".join(found))
    return re.sub(r"(?<!\*)\*([^*]+)\*(?!\*)", r"<i>\1</i>", text)


def _pictures(cells: Sequence[NotebookNode]) -> dict[int, list[str]]:
    """The images of the diagrams, by the places of the cells that draw them."""
    code = [(place, cell.source) for place, cell in enumerate(cells) if cell.cell_type == "code"]
    places = [code[index][0] for index in needed([source for _, source in code], DRAWS)]
    if not places:
        return {}
    chosen = [nbformat.v4.new_code_cell(cells[place].source) for place in places]
    notebook = nbformat.v4.new_notebook(cells=chosen, metadata={"kernelspec": KERNEL})
    NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(ROOT)}}).execute()
    found: dict[int, list[str]] = {}
    for place, cell in zip(places, notebook.cells, strict=True):
        pages = [output.get("data", {}).get("text/html", "") for output in cell.outputs]
        if DRAWS in cell.source:
            found[place] = [match[0] for text in pages if (match := IMAGE.search(text))]
    return found


def _title_picture(lesson: str) -> str:
    """README's picture of the lesson, with its text."""
    alt = json.loads((ROOT / PICTURES / "alt.json").read_text(encoding="utf-8"))[lesson]
    data = base64.b64encode((ROOT / PICTURES / f"{lesson}.png").read_bytes()).decode()
    return f'<img alt="{html.escape(alt)}" src="data:image/png;base64,{data}">'
