"""Turn a submitted file, whatever is in it, into a notebook without outputs, or refuse it in a sentence."""

import codecs
import contextlib
import json
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.validator import normalize

from course_lib.grading.nbgrader.nesting import is_too_deep
from course_lib.grading.nbgrader.repair import NotGradableError

TOO_DEEP = "not a notebook: its JSON is nested too deeply"
MEGABYTE = 1 << 20
LARGEST_FILE = 64 * MEGABYTE
LARGEST_TEXT = 16 * MEGABYTE  # without outputs, which nobody grades
MOST_VALUES = 2_000_000  # lists, objects and texts in the json: they take up to 100 bytes of memory each


def read(submission: bytes) -> NotebookNode:
    """Raises NotGradableError with a sentence for the instructor."""
    data = _parse(submission)
    _drop_outputs(data)
    if is_too_deep(data):
        raise NotGradableError(TOO_DEEP)
    # half of a two-part character, which json may hold and no file can, becomes a question mark
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    if len(text) > LARGEST_TEXT:
        raise NotGradableError(too_large(len(text), LARGEST_TEXT, " without its outputs"))
    try:
        return _notebook(text.decode())
    except Exception as error:  # nbformat raises many kinds of errors for broken structures
        with contextlib.suppress(Exception):
            _drop_odd_extras(data)
            return _notebook(json.dumps(data))
        raise NotGradableError(f"not a notebook that can be read: {_first_line(error)}") from None


def saved_outputs(submission: bytes) -> Iterator[dict]:
    """What a notebook was saved with, as its learner left it. Raises NotGradableError."""
    for cell in _cells(_parse(submission)):
        outputs = cell.get("outputs")
        yield from (one for one in (outputs if isinstance(outputs, list) else []) if isinstance(one, dict))


def _notebook(text: str) -> NotebookNode:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a word on each id that occurs twice
        notebook = nbformat.reads(text, as_version=4)
        notebook = normalize(notebook)[1]
    nbformat.validate(notebook, relax_add_props=True)
    return notebook


def too_large(size: int, most: int, which: str = "") -> str:
    return f"too large: {size / MEGABYTE:.0f} MB{which}, at most {most / MEGABYTE:.0f} are read"


def _parse(submission: bytes) -> dict:
    if len(submission) > LARGEST_FILE:
        raise NotGradableError(too_large(len(submission), LARGEST_FILE))
    # Too many rather than too few: brackets within texts are counted too.
    values = submission.count(b"[") + submission.count(b"{") + submission.count(b'"') // 2
    if values > MOST_VALUES:
        raise NotGradableError(
            f"too large: {values:,} lists and texts in its json, at most {MOST_VALUES:,} are read"
        )
    wide = submission.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))  # as PowerShell writes
    try:
        data = json.loads(submission.decode("utf-16" if wide else "utf-8-sig"))
    except UnicodeDecodeError as error:
        kind = "UTF-16" if wide else "UTF-8"
        raise NotGradableError(f"not a notebook: byte {error.start} is not {kind} text") from None
    except RecursionError:
        raise NotGradableError(TOO_DEEP) from None
    except ValueError as error:  # JSONDecodeError, and integers with thousands of digits
        raise NotGradableError(f"not a notebook, or cut off: {_first_line(error)}") from None
    if not isinstance(data, dict) or not isinstance(data.get("nbformat"), int):
        raise NotGradableError("not a notebook: this JSON has no nbformat")
    return data


def _drop_outputs(data: dict) -> None:
    for cell in _cells(data):
        if "outputs" in cell:
            cell["outputs"] = []
        if "execution_count" in cell:
            cell["execution_count"] = None


def _drop_odd_extras(data: dict) -> None:
    """What is not as nbformat wants it around a cell's text: one odd tag is no reason to refuse all cells."""
    for cell in _cells(data):
        metadata = cell.get("metadata")
        items = metadata.items() if isinstance(metadata, dict) else ()
        cell["metadata"] = {key: value for key, value in items if key not in FITS or FITS[key](value)}
        if not isinstance(cell.get("attachments", {}), dict):
            del cell["attachments"]
        if not (isinstance(cell.get("id"), str) and re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell["id"])):
            cell.pop("id", None)


def _are_tags(value: object) -> bool:
    if not isinstance(value, list) or not all(isinstance(tag, str) for tag in value):
        return False
    return len(set(value)) == len(value) and all(tag and "," not in tag for tag in value)


# Of a cell's metadata, by nbformat's schema.
FITS: dict[str, Callable[[Any], bool]] = {
    "tags": _are_tags,
    "name": lambda value: isinstance(value, str) and value != "",
    "format": lambda value: isinstance(value, str),
    "collapsed": lambda value: isinstance(value, bool),
    "scrolled": lambda value: isinstance(value, bool) or value == "auto",
    "jupyter": lambda value: isinstance(value, dict),
    "execution": lambda value: isinstance(value, dict) and all(isinstance(x, str) for x in value.values()),
}


def _cells(data: dict) -> Iterator[dict]:
    sheets = data.get("worksheets")  # of notebooks before nbformat 4
    for sheet in [data, *(sheets if isinstance(sheets, list) else [])]:
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        yield from (cell for cell in (cells if isinstance(cells, list) else []) if isinstance(cell, dict))


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
