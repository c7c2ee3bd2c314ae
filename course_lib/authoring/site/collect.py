"""All pages of the site: the first one, lessons in each language, documents, helpers."""

import json
import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import nbformat
from jinja2 import Environment
from nbformat import NotebookNode

from course_lib.authoring.address import Address
from course_lib.authoring.build import lessons
from course_lib.authoring.contents import PICTURES
from course_lib.authoring.site import helpers
from course_lib.authoring.site.lessons import body, summary
from course_lib.authoring.site.links import Links
from course_lib.authoring.site.markdown import Text
from course_lib.authoring.site.pages import Page
from course_lib.authoring.site.pictures import Pictures
from course_lib.authoring.site.searching import plain
from course_lib.program.html import PAGE

DOCUMENTS = {  # what people read, and the name of its page
    "docs/teaching/README.md": "teaching.html",
    "docs/large_classes.md": "large_classes.html",
    "docs/grading_security.md": "grading_security.html",
    "docs/misconceptions.md": "misconceptions.html",
    "docs/places.md": "places.html",
    "docs/sources.md": "sources.html",
    "docs/errata.md": "errata.html",
    "docs/publishing.md": "publishing.html",
    "CONTRIBUTING.md": "contributing.html",
    "CODE_OF_CONDUCT.md": "code_of_conduct.html",
}
TRANSLATIONS = {"zh": "zh-Hans"}  # trees of notebooks beside the English one, and their language
Executed = Callable[[str], NotebookNode | None]


@dataclass
class Course:
    """executed: gives a lesson's executed notebook, or None for a page without results."""

    root: Path
    address: Address
    executed: Executed
    pictures: Pictures

    def pages(self) -> list[Page]:
        lessons = [page for tree in self.trees for page in self._lessons(tree)]
        documents = [self._document(source, name) for source, name in DOCUMENTS.items()]
        text, headings = helpers.body(self.trees[""])
        documents.append(Page("helpers.html", "What notebooks import", text, headings))
        return [self._first(), *lessons, *documents]

    @cached_property
    def trees(self) -> dict[str, dict[str, NotebookNode]]:
        """Learners' notebooks by folder ("" is English) and lesson."""
        trees: dict[str, dict[str, NotebookNode]] = {}
        for tree in ("", *TRANSLATIONS):
            paths = {path.stem: self.root / self._source(tree, path.stem) for path in lessons(self.root)}
            found = {name: nbformat.read(path, 4) for name, path in paths.items() if path.exists()}
            trees |= {tree: found} if found else {}
        return trees

    @cached_property
    def runs(self) -> dict[str, NotebookNode | None]:
        return {lesson: self.executed(lesson) for lesson in self.trees[""]}

    @property
    def translator(self) -> str:
        """The page that a lesson wrote, which translates by itself; empty if none was run."""
        pages = (run.metadata.get("translator") for run in self.runs.values() if run)
        return next(filter(None, pages), "")

    @cached_property
    def links(self) -> Links:
        shown = {
            self._source(tree, name): _page(tree, name) for tree in self.trees for name in self.trees[tree]
        }
        made = {posixpath.join(posixpath.dirname(source), PAGE): PAGE for source in shown}
        return Links(self.root, {**DOCUMENTS, **shown, **made, "README.md": "index.html"}, self.address)

    def _lessons(self, tree: str) -> Iterator[Page]:
        for name, notebook in self.trees[tree].items():
            source, page, about = self._source(tree, name), _page(tree, name), summary(notebook)
            language, executed = TRANSLATIONS.get(tree, "en"), self.runs[name]
            text, headings = body(notebook, executed, partial(self.links.of, source, page), language)
            yield Page(
                page,
                f"{name[:2]} {about['title']}",
                text,
                headings,
                about["about"],
                "lesson" if executed else "lesson without results",
                language,
                {
                    TRANSLATIONS.get(other, "en"): _page(other, name)
                    for other in self.trees
                    if name in self.trees[other]
                },
                self._opens(name, tree, source),
            )

    def _opens(self, lesson: str, tree: str, source: str) -> dict[str, str]:
        """Where the lesson can be opened, where the course has an address."""
        if not self.address.repository:
            return {}
        colab = self.address.colab(lesson, tree)
        notebook = f"{self.address.repository}/blob/{self.address.tag}/{source}"
        return ({"Colab": colab} if colab else {}) | {"JupyterLab": notebook}

    def _document(self, source: str, name: str) -> Page:
        text = Text(partial(self.links.of, source, name))
        made = text.html((self.root / source).read_text(encoding="utf-8"))
        return Page(name, plain(text.headings[0].html), made, text.headings)

    def _first(self) -> Page:
        alts = json.loads((self.root / PICTURES / "alt.json").read_text(encoding="utf-8"))
        rows = [
            {
                "page": _page("", name),
                "number": name[:2],
                "picture": self.pictures.file(self.root / PICTURES / f"{name}.png", alts[name], 300),
                "chinese": _page("zh", name) if name in self.trees.get("zh", {}) else "",
                **summary(notebook),
            }
            for name, notebook in self.trees[""].items()
        ]
        template = Environment(autoescape=True).from_string(_part("index.html"))
        made = template.render(
            lessons=rows, repository=self.address.repository, translator=PAGE if self.translator else ""
        )
        return Page("index.html", "Build a Transformer by hand", made, about=ABOUT, kind="index")

    def _source(self, tree: str, lesson: str) -> str:
        return f"{tree}/notebooks/{lesson}/{lesson}.ipynb".lstrip("/")


ABOUT = "A course of notebooks: write every piece of a Transformer, which then translates English to Chinese."


def _part(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def _page(tree: str, lesson: str) -> str:
    return f"{tree}/{lesson}.html".lstrip("/")
