"""Read what the instructor may edit: whatever is wrong in it is told in a sentence, never in a traceback."""

import ast
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, PyFileConfigLoader

SETTINGS = "nbgrader_config.py"
LONGEST = 200  # characters of a reason


class CourseError(Exception):
    """The instructor can correct it. The message says what was expected and what was found."""


def read_settings(root: Path) -> Config:
    """Of nbgrader_config.py. Raises CourseError."""
    with as_settings(root, "Python that sets nbgrader's options"):
        try:
            return PyFileConfigLoader(SETTINGS, path=str(root)).load_config()
        except ConfigFileNotFound:
            raise CourseError(f"no {SETTINGS} in {root}: go to the folder that holds it") from None


@contextmanager
def as_settings(root: Path, expected: str = "what nbgrader takes for this option") -> Iterator[None]:
    """What fails in it is told as a mistake in nbgrader_config.py: it may hold any code and any value."""
    try:
        yield
    except CourseError:
        raise
    except Exception as error:
        path = root / SETTINGS
        lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == str(path)]
        if isinstance(error, SyntaxError) and error.filename == str(path):
            lines.append(error.lineno)
        where = f"{path}, line {lines[-1]}" if lines else str(path)
        raise CourseError(f"{where}: {_told(error)}; expected {expected}") from None


def read_notebook(path: Path) -> NotebookNode:
    """Of nbformat 4, as the course and nbgrader write it. Raises CourseError."""
    try:
        notebook = nbformat.v4.reads(_text(path))
        # all that is read of it: what lacks it is no notebook
        _ = [(one.cell_type, one.source, one.metadata.get("nbgrader", {}).keys()) for one in notebook.cells]
    except CourseError:
        raise
    except Exception as error:  # any kind, for there may be anything in it
        raise CourseError(f"{path}: {_told(error)}; expected a whole notebook") from None
    return notebook


def read_python(path: Path) -> str:
    """Its text, which is not run. Raises CourseError."""
    text = _text(path)
    try:
        ast.parse(text, path.name)
    except (SyntaxError, ValueError) as error:
        raise CourseError(f"{path}: {_told(error)}; expected Python") from None
    return text


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CourseError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise CourseError(f"{path}: byte {error.start} is not UTF-8; expected text in UTF-8") from None


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0][:LONGEST]
