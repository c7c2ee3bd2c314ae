"""Shows one sentence instead of a traceback where a cell needs a piece that is not written yet."""

import builtins
import traceback
from types import TracebackType
from typing import Any

from course_lib.checks.definitions import bound_names, tree_of
from course_lib.checks.guard import is_stub
from course_lib.language import say

_missing: dict[str, str] = {}  # what cells that stopped at a stub were to make, and why they stopped


def running_shell() -> Any:
    """IPython's shell; None where there is none."""
    get_ipython = getattr(builtins, "get_ipython", None)  # IPython puts it there while a cell runs
    return get_ipython() if get_ipython else None


def install_stub_handler() -> None:
    """In IPython, unless something else, such as Colab, has installed its own handler."""
    shell = running_shell()
    if shell and not shell.custom_exceptions:
        shell.set_custom_exc((NotImplementedError, NameError), _show)


def _show(shell, kind, error, trace, tb_offset=None) -> list[str]:
    """IPython's handler; other errors of these kinds keep their traceback."""
    if why := _reason(error, trace):
        # Some front ends show the lines, some the error's own text.
        error.args = (say(why),)
        lines = [f"{kind.__name__}: {error}"]
    else:
        lines = shell.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=tb_offset)
    shell._showtraceback(kind, error, lines)
    return lines


def _reason(error: Exception, trace: TracebackType) -> str:
    """Why a cell could not run, where that is a stub, here or in a cell above; else nothing."""
    if is_stub(error):
        *_, (frame, _) = traceback.walk_tb(trace)
        piece = frame.f_code.co_qualname.removesuffix(".__init__")
        here = piece == "<module>"
        why = (
            "this cell is not written yet." if here else f"this cell needs {piece}, which is not written yet."
        )
        cause = "it was not written" if here else f"{piece} was not written"
    elif type(error) is NameError and error.name in _missing:
        cause = _missing[error.name]
        why = f"this cell needs `{error.name}`, which a cell above could not make: {cause}. "
        why += "Write it, and run that cell again."
    else:
        return ""
    for frame, _ in traceback.walk_tb(trace):
        if frame.f_code.co_name == "<module>":
            for node in tree_of(frame.f_code.co_filename).body:
                _missing.update(dict.fromkeys(bound_names(node), cause))
    return why
