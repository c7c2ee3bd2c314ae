"""Where the course is published, and what follows from it: badges, what a setup cell installs, the citation.

The address is `[project.urls] Repository` in pyproject.toml, the name on PyPI is `[project] name` there, and
the version is course_lib.__version__. `course adopt` writes the first two, `course release` the third.
"""

import importlib.metadata
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from course_lib import __version__

ROOT = Path(__file__).resolve().parents[2]
NAME = "transformer-by-hand"  # where there is no pyproject.toml: an installed course


@dataclass(frozen=True)
class Address:
    """name: on PyPI. version: as PyPI writes it. repository: https://HOST/OWNER/NAME, "" if unset."""

    name: str
    version: str
    repository: str = ""

    @property
    def tag(self) -> str:
        return f"v{self.version}"

    @property
    def wheel(self) -> str:
        """The file that a release attaches."""
        return f"{self.name.replace('-', '_')}-{self.version}-py3-none-any.whl"

    @property
    def download(self) -> str | None:
        """Where GitHub has the wheel of this release."""
        return f"{self.repository}/releases/download/{self.tag}/{self.wheel}" if self._on_github else None

    def colab(self, lesson: str, language: str = "") -> str | None:
        """Where Colab opens the learners' notebook of this release: it reads from GitHub only.

        language: such as "zh"; English by default.
        """
        if not self._on_github:
            return None
        path = self.repository.removeprefix("https://github.com/")
        folder = f"{language}/notebooks" if language else "notebooks"
        page = f"{path}/blob/{self.tag}/{folder}/{lesson}/{lesson}.ipynb"
        return f"https://colab.research.google.com/github/{page}"

    @property
    def _on_github(self) -> bool:
        return self.repository.startswith("https://github.com/")


def read_address(root: Path = ROOT) -> Address:
    """Of the clone at root; of the installed package where there is no clone.

    ValueError: pyproject.toml names an address of another form.
    """
    try:
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    except FileNotFoundError:
        return _installed()
    repository = project.get("urls", {}).get("Repository", "")
    return Address(project["name"], __version__, checked(repository) if repository else "")


def checked(url: str) -> str:
    """The address without what does not belong to it (".git", a slash at the end)."""
    shape = r"https://[\w.-]+\.[a-z]+(?:/[\w.-]+){2,}"
    if not re.fullmatch(shape, short := url.strip().rstrip("/").removesuffix(".git")):
        raise ValueError(f"expected an address like https://github.com/OWNER/REPOSITORY, got {url!r}")
    return short


def _installed() -> Address:
    try:
        urls = importlib.metadata.metadata(NAME).get_all("Project-URL") or []
    except importlib.metadata.PackageNotFoundError:
        urls = []
    addresses = dict(url.split(", ", 1) for url in urls)
    return Address(NAME, __version__, addresses.get("Repository", ""))
