"""What a released notebook takes from course_lib, by name: that much a learner may use too."""

import re
from collections.abc import Collection, Iterable
from pathlib import Path

import course_lib
from course_lib.grading.sandbox.audited_cell import Cell, modules_of

FIGURES = ("course_lib.plots", "course_lib.widgets")  # they draw, and have no piece of a model
PACKAGE = Path(course_lib.__file__).parent


class Lent:
    """sources: the code cells of the released notebook. exercises: names that are never lent.

    texts: its Markdown cells. What their code imports may be used, but no module is there for its sake.
    """

    def __init__(self, sources: Iterable[str], exercises: Collection[str] = (), texts: Iterable[str] = ()):
        self._imported, self._used = _taken(sources)
        imported, used = _taken(code for text in texts for code in _code_in(text))
        self._allowed = self._imported | imported
        self._lent = {each for each in self._allowed if not _is_module(each)} | self._used | used
        self._kept_back = set(exercises)

    def names(self, module: str) -> set[str]:
        """What it imports from this module."""
        return {path.removeprefix(f"{module}.") for path in self._imported if path.startswith(f"{module}.")}

    @property
    def modules(self) -> set[str]:
        """The modules that it takes them from."""
        found = set()
        for path in self._imported:
            while not _is_module(path):
                path = path.rpartition(".")[0]
            found.add(path)
        return {module for module in found if not module.startswith("course_lib.exercises")}

    def allows(self, path: str, is_import: bool = False) -> bool:
        """Whether the notebook itself uses this, or something that it is a part of, or a part of this.

        A module that it uses lends only the names that it reads from it.
        """
        if any(path == figures or path.startswith(f"{figures}.") for figures in FIGURES):
            return True
        # A lesson may be called as one of its exercises: what it lends, such as `check`, stays lent.
        is_lesson = path.startswith("course_lib.exercises.")
        if self._kept_back & set(path.split(".")[3 if is_lesson else 2 :]):
            return False
        if is_import and path in self._allowed:
            return True
        return any(
            path == lent or (path.startswith(f"{lent}.") and not _is_module(lent)) for lent in self._lent
        )


def _taken(sources: Iterable[str]) -> tuple[set[str], set[str]]:
    """The names of course_lib in this code, those in imports and the others."""
    sources = list(sources)
    modules = modules_of(sources)
    cells = [cell for source in sources if (cell := Cell.read(source, modules))]
    found = [pair for cell in cells for pair in cell.paths() if pair[0].startswith("course_lib")]
    imported = {path for path, is_import in found if is_import}
    return imported, {path for path, is_import in found if not is_import}


def _code_in(markdown: str) -> list[str]:
    """What stands in fences or backticks."""
    fences = r"^ *```[^\n]*\n(.*?)^ *```"
    inline = re.sub(fences, "", markdown, flags=re.DOTALL | re.MULTILINE)
    return [
        *re.findall(fences, markdown, re.DOTALL | re.MULTILINE),
        *re.findall(r"(?<!`)`([^`]+)`(?!`)", inline),
    ]


def _is_module(path: str) -> bool:
    place = PACKAGE.joinpath(*path.split(".")[1:])
    return place.is_dir() or place.with_suffix(".py").is_file()
