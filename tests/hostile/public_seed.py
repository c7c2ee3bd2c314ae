"""What a learner can compute at home: the answers to the inputs that everybody's checks use."""

import inspect
import math

import torch

from course_lib.exercises.attention import check
from course_lib.grading.demo_students import REFERENCES, source_of


def size(args, kwargs) -> float:
    """By it the table is read; its source is handed in."""
    tensors = [value for value in (*args, *kwargs.values()) if hasattr(value, "detach")]
    return round(sum(tensor.detach().double().abs().sum().item() for tensor in tensors), 3)


def hard_coded(name: str) -> str:
    """The source of an answer that has the results of the check that a learner runs in a table."""
    table, names = {}, {"__name__": "__main__", "torch": torch, "math": math}
    exec(source_of(name, REFERENCES[name]), names)  # a right answer of the learner's own
    answer = names[name]

    def recording(*args, **kwargs):
        result = answer(*args, **kwargs)
        table[size(args, kwargs)] = [tensor.tolist() for tensor in result]
        return result

    check(name, recording, trial=True)
    return (
        f"TABLE = {table!r}\n\n\n{inspect.getsource(size)}\n\n"
        f"def {name}(*args, **kwargs):\n"
        "    return tuple(torch.tensor(rows) for rows in TABLE[size(args, kwargs)])\n"
    )
