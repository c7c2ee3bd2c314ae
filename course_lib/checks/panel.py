"""What a learner is shown, besides scores."""

import html
import textwrap
from collections.abc import Mapping

from course_lib.checks.score import CODE, code
from course_lib.language import say

HINTS = "application/vnd.course-lib.hints+json"  # of Panel.hints, in the outputs of a saved notebook


class Panel:
    """A few lines for a learner, as text and as html.

    hints: how many the learner has seen, by exercise, where the lines say so. A saved notebook keeps it with
    them, and class reports count it.
    """

    def __init__(self, text: str, markup: str, hints: Mapping[str, int] | None = None):
        self.text, self.markup, self.hints = text, markup, dict(hints or {})

    @classmethod
    def of(cls, *lines: str) -> "Panel":
        """Of plain lines in English, in which `this` is code; they are shown in the learner's language."""
        said = [say(line) for line in lines]
        return cls("\n".join(said), "".join(f"<p>{code(line)}</p>" for line in said))

    def with_code(self, lines: str) -> "Panel":
        """The same, and below it these lines of code."""
        if not lines:
            return self
        return Panel(
            f"{self.text}\n{textwrap.indent(lines, '    ')}",
            f"{self.markup}<pre style='{CODE}'>{html.escape(lines)}</pre>",
            self.hints,
        )

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.markup

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        """IPython adds text and html."""
        return {HINTS: self.hints} if self.hints else {}
