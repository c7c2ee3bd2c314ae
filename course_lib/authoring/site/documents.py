"""Documents of the repository as pages: which, and what of them the web edition shows."""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from course_lib.authoring.site.links import SiteError
from course_lib.authoring.site.words import TRANSLATIONS, WORDS

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
WRITTEN = {  # in their own language, from no English page
    "docs/zh/teaching.md": "zh/instructors.html",
    "docs/zh/terms.md": "zh/terms.html",
}
SECTIONS = {  # of a README, which are pages of their own
    ("README.md", "Five minutes as a learner"): "learners.html",
    ("README.md", "Fifteen minutes as an instructor"): "instructors.html",
    ("README.md", "Licence, and how to cite"): "licence.html",
    ("README.zh.md", "学习者：五分钟上手"): "zh/learners.html",
}
TEACHING = "docs/teaching"
ANSWERS = {  # by language, parts of a page for teaching that learners, who read the site too, should not meet
    "en": (
        r"(?<=^## The written question: three answers and their points\n\n).+?\n(?=\n## )",
        r"(?<=^\*\*Solution\.\*\* ).+\Z",
    ),
    "zh-Hans": (r"(?<=^## 简答题：三份答案和得分\n\n).+?\n(?=\n## )", r"(?<=^\*\*解答\*\*：).+\Z"),
}


def pages(root: Path) -> dict[str, str]:
    """By path in the repository, the page that shows a whole document."""
    plans = sorted((root / TEACHING).glob("[0-9][0-9]_*.md"))
    shown = DOCUMENTS | {f"{TEACHING}/{path.name}": f"teaching_{path.stem}.html" for path in plans}
    others = {
        source.replace("docs/", f"docs/{tree}/"): f"{tree}/{name}"
        for tree in TRANSLATIONS
        for source, name in shown.items()
        if source.startswith("docs/")
    }
    return shown | {source: name for source, name in (others | WRITTEN).items() if (root / source).exists()}


def documents(root: Path) -> Iterator[tuple[str, str, str]]:
    """Of each page: path in the repository, the page's name, Markdown. Raises SiteError."""
    for source, name in pages(root).items():
        text = (root / source).read_text(encoding="utf-8")
        is_plan = posixpath.basename(name).startswith("teaching_")
        yield source, name, without_answers(text, source, page_language(name)) if is_plan else text
    for (source, heading), name in SECTIONS.items():
        yield source, name, section((root / source).read_text(encoding="utf-8"), heading, source)


def page_language(name: str) -> str:
    """The language of a page of the site, by the folder that it is in."""
    return TRANSLATIONS.get(posixpath.dirname(name), "en")


def section(readme: str, heading: str, source: str) -> str:
    """What stands below a heading, as a text of its own."""
    found = re.search(rf"^## {re.escape(heading)}\n.*?(?=^## |\Z)", readme, re.MULTILINE | re.DOTALL)
    if found is None:
        raise SiteError(f"{source} has no heading {heading!r}: name the page's section again")
    return found[0].removeprefix("#")


def without_answers(text: str, source: str, language: str) -> str:
    """A page for teaching that says where its answers are, in their place."""
    told = WORDS[language]["left out"].format(source) + "\n"
    for answers in ANSWERS[language]:
        text, count = re.subn(answers, told, text, flags=re.MULTILINE | re.DOTALL)
        if count != 1:
            raise SiteError(f"{source}: expected one place that fits {answers}, to leave it out, got {count}")
    return text
