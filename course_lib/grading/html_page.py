"""What pages for instructors share: one file each, which names students, so it is not for them."""

import html
from collections.abc import Iterable, Sequence
from pathlib import Path

from course_lib.grading.nbgrader.course_files import CourseError
from course_lib.grading.outputs import PAGE, require_replaceable
from course_lib.language import say_report

STYLE = """body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}
img{max-width:100%;height:auto}
table{border-collapse:collapse;margin:1em 0}
th,td{border:1px solid #bbb;padding:.3em .6em;text-align:left;
vertical-align:top}"""


def page(title: str, body: str, style: str = STYLE, lang: str = "en") -> str:
    """title: plain text; body: html; style: css; lang: as HTML names a language."""
    title = html.escape(title)
    return (
        f"{PAGE}<html lang='{lang}'><head><meta charset='utf-8'><title>{title}"
        f"</title><style>{style}</style></head><body><h1>{title}</h1>{body}</body></html>\n"
    )


def write(folder: Path, name: str, text: str) -> Path:
    """The path; `folder` is made. Raises CourseError where it cannot be, or that would cost another file."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = require_replaceable(folder / name, PAGE)
        path.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise CourseError(f"cannot write {folder / name}: {error.strerror}") from None
    return path


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Of plain texts; a sentence where there are no rows."""
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    if not body:
        return f"<p>{say_report('Nothing.')}</p>"
    head = "".join(f"<th scope='col'>{title}</th>" for title in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
