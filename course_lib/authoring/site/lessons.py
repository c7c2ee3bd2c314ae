"""The page of a lesson: the learners' notebook with the outputs of an executed one, and what checks say."""

import html
import re
from collections.abc import Callable

from nbformat import NotebookNode

from course_lib.authoring.site.markdown import Heading, Text, python
from course_lib.authoring.site.outputs import shown
from course_lib.authoring.site.words import WORDS
from course_lib.program.html import PAGE

NOT_SHOWN = ("setup", "hand-in")
HEADING = re.compile(r"<h1[^>]*>.*?</h1>\s*", re.DOTALL)


def body(
    notebook: NotebookNode,
    executed: NotebookNode | None,
    link: Callable[[str], str | None],
    language: str = "en",
) -> tuple[str, list[Heading]]:
    """The article of a learners' notebook, and its headings; without an executed one it has no outputs.

    The cells, and so all code and prose, are the learners'. Only outputs come from the other notebook, by id.
    """
    text, words = Text(link), WORDS[language]
    outputs = shown(executed, words["controls"]) if executed else {}
    translator = bool(executed and executed.metadata.get("translator"))
    diagnoses = executed.metadata.get("diagnoses", {}) if executed else {}
    parts = []
    for cell in notebook.cells:
        if cell.id in NOT_SHOWN or cell.source.strip() == "progress()":
            continue
        if cell.cell_type == "markdown":
            part = text.html(cell.source)
            if "question" in cell.metadata:
                part = _box("question", words["question"], part)
            parts.append(part)
            continue
        if cell.metadata.get("jupyter", {}).get("source_hidden"):
            parts.append(f"<details><summary>{words['imports']}</summary>{python(cell.source)}</details>\n")
            continue
        parts.append(_code(cell, words))
        parts += outputs.get(cell.id, [])
        if translator and any(PAGE in output for output in outputs.get(cell.id, [])):
            parts.append(f'<p><a href="{link(PAGE)}">{words["translator"]}</a></p>')
        if diagnosis := diagnoses.get(cell.metadata.get("check")):
            parts.append(_box("check", words["check"], f"<p>{words['wrong answer']}</p>{diagnosis}"))
    return "\n".join(parts), text.headings


def _code(cell: NotebookNode, words: dict[str, str]) -> str:
    if "exercise" in cell.metadata:
        return _box("exercise", words["exercise"], python(cell.source))
    return python(cell.source)


def _box(kind: str, name: str, content: str) -> str:
    return f'<div class="box {kind}" role="group" aria-label="{html.escape(name)}">{content}</div>'


def summary(notebook: NotebookNode) -> dict[str, str]:
    """Of a lesson's first cell: title, what it is about, and its minutes."""
    first = notebook.cells[0].source
    heading, about = re.split(r"\n\s*\n", first)[:2]
    minutes = re.findall(r"(\d+) (?:minutes|分钟)", first)
    return {
        "title": heading.removeprefix("# ").strip(),
        "about": " ".join(re.sub(r"[*`]", "", about).split()),
        "minutes": minutes[0] if minutes else "",
    }
