"""What a learner is shown, besides scores."""

import html
import textwrap

from course_lib.checks.score import CODE, code


class Panel:
    """A few lines for a learner, as text and as html."""

    def __init__(self, text: str, markup: str):
        self.text, self.markup = text, markup

    @classmethod
    def of(cls, *lines: str) -> "Panel":
        """Of plain lines, in which `this` is code."""
        return cls("\n".join(lines), "".join(f"<p>{code(line)}</p>" for line in lines))

    def with_code(self, lines: str) -> "Panel":
        """The same, and below it these lines of code."""
        if not lines:
            return self
        return Panel(
            f"{self.text}\n{textwrap.indent(lines, '    ')}",
            f"{self.markup}<pre style='{CODE}'>{html.escape(lines)}</pre>",
        )

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.markup
