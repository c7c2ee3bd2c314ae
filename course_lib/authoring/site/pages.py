"""What a page is, before it is laid out."""

import posixpath
from dataclasses import dataclass, field

from course_lib.authoring.site.markdown import Heading


@dataclass
class Page:
    """name: its file, such as "02_attention.html", or "zh/02_attention.html". body: HTML of its article.

    about: a sentence or two for search engines. kind: "lesson", "lesson without results", "document" or
    "index". languages: files of the same page, by language. opens: addresses where it runs, by place.
    """

    name: str
    title: str
    body: str
    headings: list[Heading] = field(default_factory=list)
    about: str = ""
    kind: str = "document"
    language: str = "en"
    languages: dict[str, str] = field(default_factory=dict)
    opens: dict[str, str] = field(default_factory=dict)

    @property
    def top(self) -> str:
        """Leads from the page to the folder of the site."""
        return "../" * self.name.count("/")

    @property
    def is_lesson(self) -> bool:
        return self.kind.startswith("lesson")

    @property
    def contents(self) -> list[Heading]:
        return [heading for heading in self.headings if heading.level in (2, 3)]

    def to(self, name: str) -> str:
        """The address of another page on this one."""
        return posixpath.relpath(name, posixpath.dirname(self.name) or ".")
