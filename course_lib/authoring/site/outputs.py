"""What a page may show of an executed notebook: nothing that holds an answer, nothing that needs a kernel."""

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

from nbformat import NotebookNode

from course_lib.checks.score import MIME as SCORE

ANSWERS = re.compile(r"\b(?:hint|model_answer|progress|check_submission)\(")
WIDGET = "application/vnd.jupyter.widget-view+json"
ANSI = re.compile(r"\x1b\[[0-9;]*[a-zA-Z]")
RESULTS = ("execute_result", "display_data")


def shown(executed: NotebookNode, controls: str) -> dict[str, list[str]]:
    """By id, the outputs of an instructor's notebook as HTML, without those of its answers and checks.

    controls: what stands for controls that need a kernel.
    """
    return {
        cell.id: found
        for cell in executed.cells
        if cell.cell_type == "code" and _may_show(cell) and (found := as_html(cell.outputs, controls))
    }


def _may_show(cell: NotebookNode) -> bool:
    flags = cell.metadata.get("nbgrader", {})
    return not (flags.get("solution") or flags.get("grade") or ANSWERS.search(cell.source))


def as_html(outputs: Sequence[Mapping[str, Any]], controls: str = "") -> list[str]:
    """Of each output one way to show it. Errors, warnings, scores and a line's former states are left out."""
    found: list[str] = []
    printed = ""
    for output in outputs:
        if output["output_type"] == "stream":
            printed += output["text"] if output["name"] == "stdout" else ""
            continue
        found += _text(printed)
        printed = ""
        if output["output_type"] == "execute_result" and WIDGET in output["data"]:
            found += [f'<p class="aside">{html.escape(controls)}</p>']  # a bar of progress is no result
        elif output["output_type"] in RESULTS:
            found += _result(output["data"])
    return found + _text(printed)


def _result(data: Mapping[str, str]) -> list[str]:
    if WIDGET in data or SCORE in data:
        return []
    if "text/html" in data:
        return [f'<div class="output">{data["text/html"]}</div>']
    if "image/png" in data:
        raise ValueError("a figure without alt text: show it with plots.show")
    return _text(data.get("text/plain", ""))


def _text(printed: str) -> list[str]:
    text = "\n".join(line.rsplit("\r", 1)[-1] for line in ANSI.sub("", printed).split("\n")).rstrip()
    return [f'<pre class="output">{html.escape(text)}</pre>'] if text else []
