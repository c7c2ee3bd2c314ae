"""Documents of the repository as pages: which, and what of them the web edition shows."""

import re
from collections.abc import Iterator
from pathlib import Path

from course_lib.authoring.site.links import SiteError

DOCUMENTS = {  # what people read, and the name of its page
    "docs/teaching/README.md": "teaching.html",
    "docs/large_classes.md": "large_classes.html",
    "docs/lms.md": "lms.html",
    "docs/grading_security.md": "grading_security.html",
    "docs/misconceptions.md": "misconceptions.html",
    "docs/places.md": "places.html",
    "docs/sources.md": "sources.html",
    "docs/errata.md": "errata.html",
    "docs/publishing.md": "publishing.html",
    "CONTRIBUTING.md": "contributing.html",
    "CODE_OF_CONDUCT.md": "code_of_conduct.html",
}
OF_README = {  # its sections that are pages of their own
    "Five minutes as a learner": "learners.html",
    "Fifteen minutes as an instructor": "instructors.html",
    "Licence, and how to cite": "licence.html",
}
TEACHING = "docs/teaching"
ANSWERS = (  # parts of a page for teaching that learners, who read the site too, should not meet
    r"(?<=^## The written question: three answers and their points\n\n).+?\n(?=\n## )",
    r"(?<=^\*\*Solution\.\*\* ).+\Z",
)


def pages(root: Path) -> dict[str, str]:
    """By path in the repository, the page that shows a whole document."""
    plans = sorted((root / TEACHING).glob("[0-9][0-9]_*.md"))
    return DOCUMENTS | {f"{TEACHING}/{path.name}": f"teaching_{path.stem}.html" for path in plans}


def documents(root: Path) -> Iterator[tuple[str, str, str]]:
    """Of each page: path in the repository, the page's name, Markdown. Raises SiteError."""
    for source, name in pages(root).items():
        text = (root / source).read_text(encoding="utf-8")
        yield source, name, without_answers(text, source) if name.startswith("teaching_") else text
    readme = (root / "README.md").read_text(encoding="utf-8")
    for heading, name in OF_README.items():
        yield "README.md", name, section(readme, heading)


def section(readme: str, heading: str) -> str:
    """What stands below a heading, as a text of its own."""
    found = re.search(rf"^## {re.escape(heading)}\n.*?(?=^## |\Z)", readme, re.MULTILINE | re.DOTALL)
    if found is None:
        raise SiteError(f"README.md has no heading {heading!r}: name the page's section again")
    return found[0].removeprefix("#")


def without_answers(text: str, source: str) -> str:
    """A page for teaching that says where its answers are, in their place."""
    told = f"Left out of the web edition, which learners read too: it is in `{source}` of the repository.\n"
    for answers in ANSWERS:
        text, count = re.subn(answers, told, text, flags=re.MULTILINE | re.DOTALL)
        if count != 1:
            raise SiteError(f"{source}: expected one place that fits {answers}, to leave it out, got {count}")
    return text
