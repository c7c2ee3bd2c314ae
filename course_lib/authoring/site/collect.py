"""All pages of the site: the first one, lessons in each language, documents, helpers."""

import json
import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import nbformat
from jinja2 import Environment, FileSystemLoader
from nbformat import NotebookNode

from course_lib.authoring.address import Address
from course_lib.authoring.build import lessons
from course_lib.authoring.contents import PICTURES
from course_lib.authoring.site import helpers
from course_lib.authoring.site.documents import documents as all_documents
from course_lib.authoring.site.documents import page_language
from course_lib.authoring.site.documents import pages as document_pages
from course_lib.authoring.site.lessons import body, summary
from course_lib.authoring.site.links import Links
from course_lib.authoring.site.markdown import Text
from course_lib.authoring.site.pages import Page
from course_lib.authoring.site.pictures import Pictures
from course_lib.authoring.site.searching import plain
from course_lib.authoring.site.words import NAMES, TRANSLATIONS, WORDS
from course_lib.language import language_of, say_heading, speaking
from course_lib.program.html import PAGE

Executed = Callable[[str, str], NotebookNode | None]


@dataclass
class Course:
    """executed: by lesson and tree, gives the executed notebook, or None for a page without results."""

    root: Path
    address: Address
    executed: Executed
    pictures: Pictures

    def pages(self) -> list[Page]:
        lessons = [page for tree in self.trees for page in self._lessons(tree)]
        documents = [self._document(*each) for each in all_documents(self.root)]
        for page in documents:
            file = posixpath.basename(page.name)
            page.languages = {
                one.language: one.name for one in documents if posixpath.basename(one.name) == file
            }
        text, headings = helpers.body(self.trees[""])
        documents.append(Page("helpers.html", "What notebooks import", text, headings))
        return [*map(self._first, self.trees), *lessons, *documents]

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
    def runs(self) -> dict[tuple[str, str], NotebookNode | None]:
        """By tree and lesson."""
        return {
            (tree, lesson): self.executed(lesson, tree) for tree in self.trees for lesson in self.trees[tree]
        }

    @property
    def translators(self) -> dict[str, str]:
        """Pages that translate by themselves, which lessons wrote in each tree; none where none was run."""
        runs = ((tree, run) for (tree, _), run in self.runs.items() if run)
        return {
            posixpath.join(tree, PAGE): page for tree, run in runs if (page := run.metadata.get("translator"))
        }

    @cached_property
    def links(self) -> Links:
        shown = {
            self._source(tree, name): _page(tree, name) for tree in self.trees for name in self.trees[tree]
        }
        made = {_beside(source, PAGE): _beside(page, PAGE) for source, page in shown.items()}
        first = {"README.md": "index.html", "README.zh.md": "zh/index.html"}
        return Links(self.root, {**document_pages(self.root), **shown, **made, **first}, self.address)

    def _lessons(self, tree: str) -> Iterator[Page]:
        for name, notebook in self.trees[tree].items():
            source, page, about = self._source(tree, name), _page(tree, name), summary(notebook)
            language, executed = TRANSLATIONS.get(tree, "en"), self.runs[tree, name]
            text, headings = body(notebook, executed, partial(self.links.of, source, page), language)
            yield Page(
                page,
                f"{name[:2]} {about['title']}",
                text,
                headings,
                about["about"],
                "lesson" if executed else "lesson without results",
                language,
                self._languages(name),
                self._opens(name, tree, source),
            )

    def _opens(self, lesson: str, tree: str, source: str) -> dict[str, str]:
        """Where the lesson can be opened, where the course has an address."""
        if not self.address.repository:
            return {}
        colab = self.address.colab(lesson, tree)
        notebook = f"{self.address.repository}/blob/{self.address.tag}/{source}"
        return ({"Colab": colab} if colab else {}) | {"JupyterLab": notebook}

    def _languages(self, lesson: str) -> dict[str, str]:
        """The lesson's pages, by their language."""
        trees = (tree for tree in self.trees if lesson in self.trees[tree])
        return {TRANSLATIONS.get(tree, "en"): _page(tree, lesson) for tree in trees}

    def _document(self, source: str, name: str, markdown: str) -> Page:
        text = Text(partial(self.links.of, source, name))
        made = text.html(markdown)
        return Page(name, plain(text.headings[0].html), made, text.headings, language=page_language(name))

    def _first(self, tree: str) -> Page:
        languages = {TRANSLATIONS.get(other, "en"): _page(other, "index") for other in self.trees}
        language = TRANSLATIONS.get(tree, "en")
        page = Page(_page(tree, "index"), WORDS[language]["course"], "", kind="index", language=language)
        page.about, page.languages = WORDS[language]["about"], languages
        with speaking(language_of(next(iter(self.trees[tree].values())).cells)):
            rows = [self._card(page, tree, name) for name in self.trees[tree]]
        template = Environment(autoescape=True, loader=FileSystemLoader(Path(__file__).parent))
        page.body = template.get_template(f"index.{language}.html").render(
            lessons=rows,
            repository=self.address.repository,
            translator=PAGE if _beside(page.name, PAGE) in self.translators else "",
            words=WORDS[language],
            names=NAMES,
        )
        return page

    def _card(self, page: Page, tree: str, lesson: str) -> dict[str, Any]:
        alt, languages = say_heading(self.alts[lesson]), self._languages(lesson)
        return {
            "page": page.to(_page(tree, lesson)),
            "number": lesson[:2],
            "picture": self.pictures.file(self.root / PICTURES / f"{lesson}.png", alt, 300, page.top),
            "others": {name: page.to(languages[name]) for name in languages if name != page.language},
            **summary(self.trees[tree][lesson]),
        }

    @cached_property
    def alts(self) -> dict[str, str]:
        return json.loads((self.root / PICTURES / "alt.json").read_text(encoding="utf-8"))

    def _source(self, tree: str, lesson: str) -> str:
        return f"{tree}/notebooks/{lesson}/{lesson}.ipynb".lstrip("/")


def _page(tree: str, lesson: str) -> str:
    return posixpath.join(tree, f"{lesson}.html")


def _beside(file: str, name: str) -> str:
    return posixpath.join(posixpath.dirname(file), name)
