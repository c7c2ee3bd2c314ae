"""The page that shows two answers side by side."""

import html
from collections.abc import Mapping
from pathlib import Path

from course_lib.grading.html_page import page, write
from course_lib.grading.similar.pairs import PUBLIC, Comparison, Pair

STYLE = """body{font:15px/1.5 sans-serif;max-width:90em;margin:2em auto;padding:0 1em}
table{border-collapse:collapse}th,td{border:1px solid #bbb;padding:.3em .6em;text-align:left}
.two{display:grid;grid-template-columns:1fr 1fr;gap:1em}
pre{background:#f4f4f4;color:#111;padding:.6em;overflow-x:auto;white-space:pre-wrap}"""
ABOUT = f"""Each row is a pair of submissions for you to read. It proves nothing: learners who work
together, who read the same page, or who ask the same assistant write alike too. Of n answers to an
exercise, a piece of code that k have weighs log(n / k). The evidence of an exercise is the weight of the
rarest piece that both have, times the part of the smaller answer that is shared. Names of variables,
layout, comments, the order of commutative operands and temporary variables do not count.
"{PUBLIC}" is the lesson's own."""


def write_page(
    folder: Path, lesson: str, answers: Mapping[str, Mapping[str, str]], found: Comparison
) -> Path:
    """FOLDER/LESSON_similar.html, all in one file; it names students, so it is not for them."""
    title = f"{lesson}: submissions that are alike"
    rows = "".join(
        f"<tr><td><a href='#{number}'>{html.escape(pair.one)} and {html.escape(pair.other)}</a></td>"
        f"<td>{pair.total:.1f}</td></tr>"
        for number, pair in enumerate(found.pairs)
    )
    unread = "".join(
        f"<li>{html.escape(where)}: {html.escape(why)}</li>" for where, why in found.unreadable.items()
    )
    sections = "".join(_section(number, pair, answers) for number, pair in enumerate(found.pairs))
    body = f"<p>{ABOUT}</p><table><tr><th>pair</th><th>evidence</th></tr>{rows}</table>{sections}"
    body += f"<h2>Not compared</h2><ul>{unread}</ul>" if unread else ""
    return write(folder, f"{lesson}_similar.html", page(title, body, STYLE))


def _section(number: int, pair: Pair, answers: Mapping[str, Mapping[str, str]]) -> str:
    names = html.escape(pair.one), html.escape(pair.other)
    parts = [f"<h2 id='{number}'>{names[0]} and {names[1]}</h2>"]
    for exercise, evidence in sorted(pair.evidence.items(), key=lambda item: -item[1]):
        both = "".join(
            f"<div>{name}<pre>{html.escape(answers[student].get(exercise, ''))}</pre></div>"
            for name, student in zip(names, (pair.one, pair.other), strict=True)
        )
        heading = f"<h3>{html.escape(exercise)}, evidence {evidence:.1f}</h3>"
        parts.append(f"{heading}<div class='two'>{both}</div>")
    return "".join(parts)
