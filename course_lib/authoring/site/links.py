"""Where links of the course's texts lead on the site, and whether all links of the site lead somewhere."""

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from course_lib.authoring.address import Address

LOADS = ("src", "srcset", "poster", "data")


class SiteError(Exception):
    """The site cannot be made. The message says what to mend."""


@dataclass(frozen=True)
class Links:
    """pages: by path in the repository, the page that shows it."""

    root: Path
    pages: Mapping[str, str]
    address: Address

    def of(self, source: str, page: str, url: str) -> str | None:
        """The address on `page` of what the text of `source`, a path in the repository, links to.

        A file that is on no page is linked in the repository, where the course has an address; else None.
        """
        parts = urlsplit(url)
        if parts.scheme or not parts.path:
            return url
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), unquote(parts.path)))
        fragment = f"#{parts.fragment}" if parts.fragment else ""
        if path in self.pages:
            return posixpath.relpath(self.pages[path], posixpath.dirname(page) or ".") + fragment
        if not (self.root / path).exists():
            raise SiteError(f"{source} links to {url}, and there is no {path}: correct the link")
        if not self.address.repository:
            return None
        return f"{self.address.repository}/blob/{self.address.tag}/{path}{fragment}"


class _Found(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[tuple[str, str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif (name == "href" or name in LOADS) and value:
                self.links.append((tag, name, value))


def check_links(site: Path, besides: Sequence[str] = ()) -> int:
    """How many links the pages have. Raises SiteError where one leads nowhere, or loads from elsewhere.

    besides: files whose own links are not looked at.
    """
    found = {}
    for file in sorted(path for path in site.rglob("*.html") if path.name not in besides):
        found[file] = _Found()
        found[file].feed(file.read_text(encoding="utf-8"))
    problems = [
        f"{file.relative_to(site)} {problem}"
        for file, page in found.items()
        for link in page.links
        if (problem := _problem(site, file, link, found))
    ]
    if problems:
        raise SiteError("\n".join(problems))
    return sum(len(page.links) for page in found.values())


def _problem(site: Path, file: Path, link: tuple[str, str, str], found: Mapping[Path, _Found]) -> str:
    tag, name, url = link
    parts = urlsplit(url)
    if parts.scheme or parts.netloc:
        allowed = tag == "a" and name == "href" and parts.scheme in ("http", "https", "mailto")
        return "" if allowed else f"would load {url[:80]}: pages ask no other machine for anything"
    target = (file.parent / unquote(parts.path)).resolve() if parts.path else file.resolve()
    if not target.is_file() or not target.is_relative_to(site.resolve()):
        return f"links to {url}, which is not on the site"
    ids = {path.resolve(): page.ids for path, page in found.items()}.get(target, set())
    if parts.fragment and unquote(parts.fragment) not in ids:
        return f"links to {url}, and there is no such heading"
    return ""
