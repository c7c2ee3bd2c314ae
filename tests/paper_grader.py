"""Graders that execute nothing: they read the points off the answers, `# earns 3`.

They also behave badly on request: `# dies`, `# dies once PATH`, `# never ends`, `# raises`,
`# raises once PATH`. Workers import this module anew, so it imports little.
"""

import os
import re
import time
from pathlib import Path

import nbformat

from course_lib.grading.nbgrader.repair import grade_id

MIME = "application/vnd.course-lib.score+json"  # a test says that it is the checks' own
FULL = {"attention_pooling": 7, "additive_attention": 6, "scaled_dot_product_attention": 9, "padding_mask": 4}
FULL |= {"causal_mask": 3}


class PaperGrader:
    """The interface of Grader."""

    def __init__(self, lesson, hidden, *, released="", editions=(), isolation="available", limits=None):
        assert "NotImplementedError" in released
        self.active = {"paper": "active"}
        assert "PARTS" in hidden

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def grade(self, notebook):
        text = "\n".join(cell.source for cell in notebook.cells)
        if (once := re.search("# dies once (.*)", text)) and not os.path.exists(once[1]):
            Path(once[1]).touch()
            os._exit(7)
        if re.search("# dies$", text, re.MULTILINE):
            os._exit(7)
        while "# never ends" in text:
            pass
        if (once := re.search("# raises once (.*)", text)) and not os.path.exists(once[1]):
            Path(once[1]).touch()
            raise RuntimeError("no kernel starts just now")
        if re.search("# raises$", text, re.MULTILINE):
            raise KeyError("a bug of the grader")
        return mark(notebook)


class SlowGrader(PaperGrader):
    """Slow enough for its worker to be killed while it is at work, which it writes down."""

    def grade(self, notebook):
        log = Path(re.search("# logs (.*)", "\n".join(cell.source for cell in notebook.cells))[1])
        for what in ("begun", "done"):
            with log.open("a") as file:
                file.write(f"{what} {os.getppid()}\n")  # the worker's process
            time.sleep(0.5 if what == "begun" else 0)
        return super().grade(notebook)


def mark(notebook):
    answers = {grade_id(cell): cell.source for cell in notebook.cells}
    for cell in notebook.cells:
        name = grade_id(cell).removeprefix("check_")
        if grade_id(cell) != name:
            earned = re.search(r"# earns ([-\w.]+)", answers.get(name, ""))
            points = earned[1] if earned else "0"
            status = "right" if points == str(FULL[name]) else "wrong" if earned else "not attempted"
            data = {
                "status": status,
                "mistakes": ["no_scale"] if "# forgets" in answers.get(name, "") else [],
            }
            cell.outputs = [nbformat.v4.new_output("execute_result", data={"text/plain": points, MIME: data})]
    return notebook
