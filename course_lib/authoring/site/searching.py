"""What a reader can find: headings, and the text below each, as a script that is loaded at the first search.

A script, and not JSON, because a page that was opened from a folder may not fetch a file.
"""

import html
import json
import re
from collections.abc import Iterable

from course_lib.authoring.site.pages import Page

SECTION = re.compile(r'<h[1-4] id="([^"]+)">(.*?)</h[1-4]>', re.DOTALL)
NOT_READ = re.compile(
    r"<(script|style|svg|annotation|summary)\b.*?</\1>|<!--.*?-->|<div class=\"box check\".*?</div></div>",
    re.DOTALL,
)
CJK = "\u3000-\u303f\u3400-\u9fff\uff00-\uffef"
APART = re.compile(rf"(?<=[{CJK}]) (?=[{CJK}])")


def index(pages: Iterable[Page]) -> str:
    """`COURSE_INDEX`: a row for each section, [page, its title, heading's id, heading, text]."""
    rows = [[page.name, page.title, *section] for page in pages for section in _sections(page.body)]
    return f"const COURSE_INDEX = {json.dumps(rows, ensure_ascii=False, separators=(',', ':'))};\n"


def _sections(body: str) -> Iterable[tuple[str, str, str]]:
    before, *rest = SECTION.split(NOT_READ.sub(" ", body))
    if text := plain(before):
        yield "", "", text
    for name, heading, text in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        yield name, plain(heading), plain(text)


def plain(markup: str) -> str:
    """Its words. Chinese words are joined, as people type them, and not as the corpus parts them."""
    text = html.unescape(
        re.sub(r"<[^>]+>", "", re.sub(r"</?(?:p|div|td|th|li|pre|br|h\d)\b[^>]*>", " ", markup))
    )
    return APART.sub("", " ".join(text.split()))
