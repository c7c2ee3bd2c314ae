"""Shows one sentence in place of a traceback where a cell needs a piece that is not written yet."""

import builtins
import traceback

from course_lib.checks.guard import is_stub


def install_stub_handler() -> None:
    """In IPython, unless something else, such as Colab, has installed a handler of its own."""
    get_ipython = getattr(builtins, "get_ipython", None)  # IPython puts it there while a cell runs
    if get_ipython is None:
        return
    shell = get_ipython()
    if not shell.custom_exceptions:
        shell.set_custom_exc((NotImplementedError,), _show)


def _show(shell, kind, error, trace, tb_offset=None) -> list[str]:
    """IPython's handler; other errors of this kind keep their traceback."""
    if is_stub(error) and not error.args:
        *_, (frame, _) = traceback.walk_tb(trace)
        piece = frame.f_code.co_qualname.removesuffix(".__init__")
        lacks = "this cell is" if piece == "<module>" else f"this cell needs {piece}, which is"
        # Some front ends show the lines, some the error's own text.
        error.args = (f"{lacks} not written yet.",)
        lines = [f"{kind.__name__}: {error}"]
    else:
        lines = shell.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=tb_offset)
    shell._showtraceback(kind, error, lines)
    return lines
