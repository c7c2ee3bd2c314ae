"""The page of the helpers that notebooks import: their signatures and docstrings, as they are in the code."""

import ast
import html
import importlib
import inspect
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from nbformat import NotebookNode

from course_lib.authoring.site.markdown import Heading

PACKAGE, ANSWERS = "course_lib", "course_lib.exercises"
PLAIN = (str, int, float, type(None), tuple)


class _Left:
    """A default that is too long to show, or that names a folder of this machine."""

    def __repr__(self) -> str:
        return "..."


def body(notebooks: Mapping[str, NotebookNode]) -> tuple[str, list[Heading]]:
    """The article and its headings: a section for each module, and which lessons use each of its helpers."""
    used: dict[str, set[str]] = defaultdict(set)
    for lesson, notebook in notebooks.items():
        for name in _names(cell.source for cell in notebook.cells if cell.cell_type == "code"):
            used[name].add(lesson)
    by_module: dict[str, dict[str, Any]] = defaultdict(dict)
    for name in used:
        module, _, own = name.rpartition(".")
        helper = getattr(importlib.import_module(module), own, None)
        if inspect.isclass(helper) or inspect.isroutine(helper):
            by_module[module][own] = helper
    headings = [Heading(1, "helpers", "What notebooks import")]
    parts = [
        '<h1 id="helpers">What notebooks import</h1>\n<p>The helpers of the lessons, module by module. '
        "Besides these a lesson imports <code>check</code>, <code>hint</code>, <code>model_answer</code> "
        "and <code>progress</code> from the package of its exercises.</p>"
    ]
    for module, helpers in sorted(by_module.items()):
        headings.append(Heading(2, module, f"<code>{module}</code>"))
        parts.append(f'<h2 id="{module}"><code>{module}</code></h2>')
        for own, helper in sorted(helpers.items()):
            headings.append(Heading(3, f"{module}.{own}", f"<code>{own}</code>"))
            parts.append(_helper(module, own, helper, sorted(used[f"{module}.{own}"])))
    return "\n".join(parts), headings


def _helper(module: str, own: str, helper: Any, lessons: Iterable[str]) -> str:
    links = ", ".join(f'<a href="{lesson}.html">{lesson[:2]}</a>' for lesson in lessons)
    call = html.escape(own + _signature(helper))
    return (
        f'<h3 id="{module}.{own}"><code>{own}</code></h3>\n<pre class="call"><code>{call}</code></pre>\n'
        f"{_paragraphs(inspect.getdoc(helper) or '')}<p class='aside'>In lessons: {links}</p>"
    )


def _signature(helper: Any) -> str:
    try:
        found = inspect.signature(helper)
    except (TypeError, ValueError):
        return "(...)"
    shown = [
        one if one.default is one.empty or isinstance(one.default, PLAIN) else one.replace(default=_Left())
        for one in found.parameters.values()
    ]
    return str(found.replace(parameters=shown)).replace("course_lib.", "").replace("collections.abc.", "")


def _paragraphs(docstring: str) -> str:
    """A docstring's paragraphs; those that are set in are code, and lines `name: ...` keep their breaks."""
    parts = []
    for block in re.split(r"\n\s*\n", docstring):
        text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(inspect.cleandoc(block)))
        text = re.sub(r"(?<![\w*])\*([^\s*][^*]*)\*(?![\w*])", r"<em>\1</em>", text)
        if all(line.startswith("    ") for line in block.splitlines()):
            parts.append(f"<pre><code>{html.escape(inspect.cleandoc(block))}</code></pre>")
        elif text:
            parts.append("<p>" + re.sub(r"\n(?=[\w, ]+: )", "<br>", text) + "</p>")
    return "\n".join(parts)


def _names(sources: Iterable[str]) -> set[str]:
    """Dotted names of what the cells take from course_lib, but for its exercises."""
    found: set[str] = set()
    modules: dict[str, str] = {}
    for tree in map(ast.parse, sources):
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and _is_ours(node.module):
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    if isinstance(_value(whole), ModuleType):
                        modules[alias.asname or alias.name] = whole
                    else:
                        found.add(whole)
            elif (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and (module := modules.get(node.value.id))
            ):
                found.add(f"{module}.{node.attr}")
    return found


def _is_ours(module: str | None) -> bool:
    name = f"{module}."
    return name.startswith(f"{PACKAGE}.") and not name.startswith(f"{ANSWERS}.")


def _value(name: str) -> Any:
    module, _, own = name.rpartition(".")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return getattr(importlib.import_module(module), own, None)
