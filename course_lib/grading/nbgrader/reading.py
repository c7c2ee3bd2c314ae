"""A submitted file becomes a notebook without outputs, whatever is in it and however large it is."""

import json
import re

import nbformat
from nbformat import NotebookNode
from nbformat.validator import normalize

from course_lib.grading.nbgrader.repair import NotGradable

MEGABYTE = 1 << 20
LARGEST_FILE = 256 * MEGABYTE
MOST_BRACKETS = 10_000_000  # of data in outputs; a few seconds
LARGEST_TEXT = 16 * MEGABYTE  # without outputs, which nobody grades
# Strings, which may contain brackets, and brackets. Possessive, so that a long string needs no memory.
TOKENS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)


def read(submission: bytes) -> NotebookNode:
    """Raises NotGradable with a sentence for the instructor."""
    if len(submission) > LARGEST_FILE:
        raise NotGradable(_too_large(len(submission), LARGEST_FILE, ""))
    if len(submission) > MEGABYTE:
        submission = without_outputs(submission)
    if len(submission) > LARGEST_TEXT:
        raise NotGradable(_too_large(len(submission), LARGEST_TEXT, " without its outputs"))
    data = _parse(submission)
    _drop_outputs(data)
    # half of a two-part character, which json may hold and no file can, becomes a question mark
    text = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
    try:
        notebook = nbformat.reads(text.decode(), as_version=4)
        notebook = normalize(notebook)[1]
        nbformat.validate(notebook, relax_add_props=True)
    except Exception as error:  # nbformat raises what it meets in broken structures
        raise NotGradable(f"not a notebook that can be read: {_first_line(error)}") from None
    notebook.metadata.pop("widgets", None)  # outputs too; what Colab writes there breaks nbconvert
    return notebook


def without_outputs(submission: bytes) -> bytes:
    """The same json with every list of outputs emptied, found without building anything in memory."""
    kept, depth, start, key, begun = [], 0, 0, False, None
    for count, token in enumerate(TOKENS.finditer(submission)):
        if count > MOST_BRACKETS:
            raise NotGradable(f"too large: more than {MOST_BRACKETS:,} lists and texts in its json")
        text = token.group() if token.end() - token.start() < 16 else b""
        if text in (b"[", b"{"):
            if key and begun is None and text == b"[":
                begun, outer = token.start(), depth
            depth += 1
        elif text in (b"]", b"}"):
            depth -= 1
            if begun is not None and depth == outer:
                kept += [submission[start:begun], b"[]"]
                start, begun = token.end(), None
        key = text == b'"outputs"' and submission[token.end() : token.end() + 8].lstrip().startswith(b":")
    return b"".join([*kept, submission[start:]])


def _parse(submission: bytes) -> dict:
    try:
        data = json.loads(submission.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise NotGradable(f"not a notebook: byte {error.start} is not UTF-8 text") from None
    except RecursionError:
        raise NotGradable("not a notebook: its json is nested without end") from None
    except ValueError as error:  # JSONDecodeError, and integers with thousands of digits
        raise NotGradable(f"not a notebook, or cut off: {_first_line(error)}") from None
    if not isinstance(data, dict) or not isinstance(data.get("nbformat"), int):
        raise NotGradable("not a notebook: json, but without nbformat")
    return data


def _drop_outputs(data: dict) -> None:
    sheets = data.get("worksheets")  # of notebooks before nbformat 4
    for sheet in [data, *(sheets if isinstance(sheets, list) else [])]:
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        for cell in cells if isinstance(cells, list) else []:
            if isinstance(cell, dict) and "outputs" in cell:
                cell["outputs"] = []


def _too_large(size: int, most: int, which: str) -> str:
    return f"too large: {size / MEGABYTE:.0f} MB{which}, at most {most / MEGABYTE:.0f} are read"


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
