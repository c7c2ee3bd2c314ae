"""What the kernel knows of the cell that was run before a check."""

import builtins
import re

STALE = "The cell of `{0}` ended in {1} when you last ran it. What is checked here was defined before that."


def stale(name: str) -> str:
    """A sentence where that cell should have defined this name and did not run to its end; else empty."""
    get_ipython = getattr(builtins, "get_ipython", None)  # IPython puts it there while a cell runs
    last = getattr(get_ipython(), "last_execution_result", None) if get_ipython else None
    error = getattr(last, "error_before_exec", None) or getattr(last, "error_in_exec", None)
    source = str(getattr(getattr(last, "info", None), "raw_cell", ""))
    if error is None or not re.search(
        rf"\b(def|class)\s+{re.escape(name)}\b|^{re.escape(name)} *=", source, re.M
    ):
        return ""
    return STALE.format(name, type(error).__name__)
