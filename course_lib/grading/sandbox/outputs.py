"""Turns the output messages of a learner's process into outputs of a notebook's cell."""

from typing import Any

from nbformat import NotebookNode, from_dict

from course_lib.checks.score import MIME
from course_lib.grading.nbgrader.nesting import DEEPEST, is_too_deep

TOO_DEEP = f"An output was left out: it has more than {DEEPEST} lists and dicts in each other.\n"
REQUIRED = {
    "stream": {"name": str, "text": str},
    "display_data": {"data": dict, "metadata": dict},
    "execute_result": {"data": dict, "metadata": dict},
    "error": {"ename": str, "evalue": str, "traceback": list},
}


class Outputs:
    """Of one cell. What is not an output of a notebook is dropped."""

    def __init__(self, cell: NotebookNode):
        self.cell = cell
        self._named: dict[str, list[NotebookNode]] = {}  # by display id
        self._clear_next = False
        cell.outputs = []

    def add(self, message: Any) -> None:
        if not isinstance(message, dict):
            return
        if is_too_deep(message):
            message = {"output_type": "stream", "name": "stderr", "text": TOO_DEEP}
        kind = str(message.get("output_type"))
        # clear_output(wait=True) clears only when the next output comes, so that figures do not flicker.
        if kind == "clear":
            self._clear_next = bool(message.get("wait"))
            if not self._clear_next:
                self.cell.outputs = []
            return
        content = _content(kind, message)
        if content is None:
            return
        name = message.get("display_id")
        # update_display changes what was shown under this name, wherever it stands, and adds nothing.
        if message.get("update") is True:
            for output in self._named.get(str(name), []):
                output.data, output.metadata = from_dict(content["data"]), from_dict(content["metadata"])
            return
        if self._clear_next:
            self._clear_next, self.cell.outputs = False, []
        self._append(kind, content, name)

    def _append(self, kind: str, content: dict, name: Any) -> None:
        # As in Jupyter, text that follows text of the same stream is joined to it.
        last = self.cell.outputs[-1] if self.cell.outputs else None
        if kind == "stream" and last and last.output_type == "stream" and last.name == content["name"]:
            last.text += content["text"]
            return
        if kind == "execute_result":
            content["execution_count"] = self.cell.execution_count
        output: Any = from_dict({"output_type": kind, **content})
        self.cell.outputs.append(output)
        if kind == "display_data" and name is not None:
            self._named.setdefault(str(name), []).append(output)

    def fail(self, name: str, reason: str) -> None:
        """An error in place of all that was shown: a graded cell with it is worth nothing."""
        error = {"output_type": "error", "ename": name, "evalue": reason, "traceback": [f"{name}: {reason}"]}
        self.cell.outputs = [from_dict(error)]

    def result(self, bundle: dict) -> None:
        """The judge's own, after what the cell has shown."""
        self._append("execute_result", {"data": bundle, "metadata": {}}, None)


def _content(kind: str, message: dict) -> dict | None:
    """What belongs to an output of this kind; None where it is not one."""
    required = REQUIRED.get(kind)
    if required is None or not all(isinstance(message.get(key), of) for key, of in required.items()):
        return None
    content = {key: message[key] for key in required}
    if kind == "stream" and content["name"] not in ("stdout", "stderr"):
        return None
    if kind == "error":
        content["traceback"] = [str(line) for line in content["traceback"]]
    # The checks' own type is the judge's alone: whatever the child shows under it is left out.
    if "data" in content:
        content["data"] = {mime: _lines(value) for mime, value in content["data"].items() if mime != MIME}
    return content


def _lines(value: Any) -> Any:
    return value if isinstance(value, (str, dict)) else str(value)
