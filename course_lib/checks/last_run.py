"""What the kernel knows of the cell that was run before a check."""

import re

from course_lib.checks.stubs import running_shell

STALE = "The cell of `{0}` ended in {1} when you last ran it. What is checked here was defined before that."


def stale(name: str) -> str:
    """A sentence where that cell should have defined this name and did not run to its end; else empty."""
    shell = running_shell()
    last = getattr(shell, "last_execution_result", None)
    if last is None or not (error := last.error_before_exec or last.error_in_exec):
        return ""
    defines = rf"\b(def|class)\s+{name}\b|^{name} *="
    is_of_name = re.search(defines, str(last.info.raw_cell), re.MULTILINE)
    return STALE.format(name, type(error).__name__) if is_of_name else ""
