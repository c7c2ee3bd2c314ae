"""What observes answers runs once before there is a child: what is slow the first time is so once for all."""

import inspect
from typing import Any

from course_lib.checks.exercise import Interface, Values
from course_lib.checks.inputs import Inputs
from course_lib.checks.observation import Task, observe
from course_lib.checks.timeout import Patience
from course_lib.grading.sandbox.ran import functions_run
from course_lib.grading.sandbox.shell import Shell

TIMES = 4  # for Python makes code faster that has run some times
ANSWER = """
def centered(x, width=1.0):
    moved = x - x.mean(dim=-1, keepdim=True)
    return torch.softmax(moved / width, dim=-1), moved
"""


def warm(shell: Shell) -> None:
    """An answer of our own is written in a cell, and observed."""
    shell.run(f"import torch\n{ANSWER}")
    answer = shell.user_ns["centered"]
    interface = Interface("centered", ("weights: a b", "moved: a b"), "function", inspect.signature(answer))
    task = Task(interface, "", {"numbers": _numbers})
    for _ in range(TIMES):
        with functions_run():
            observe(task, answer, Patience())


def _numbers(answer: Any, inputs: Inputs) -> Values:
    weights, moved = answer(inputs.normal(3, 4), width=2.0)
    return {"weights: a b": weights, "moved: a b": moved}
