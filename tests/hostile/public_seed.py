"""What a learner can compute at home: the answers to the inputs that everybody's checks use."""

import zlib

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.observation import observe
from course_lib.grading.demo_class import EXERCISES


def hard_coded(name: str) -> str:
    """The source of an answer that looks its results up by the sum of its arguments."""
    exercise, table = EXERCISES[name], {}

    def recording(*args, **kwargs):
        result = exercise.reference_implementation(*args, **kwargs)
        table[key(args, kwargs)] = [tensor.tolist() for tensor in result]
        return result

    observe(exercise, recording, public_seed(exercise))
    return (
        f"TABLE = {table!r}\n\ndef {name}(*args, **kwargs):\n"
        "    tensors = [*args, *kwargs.values()]\n"
        "    size = round(sum(t.detach().double().abs().sum().item() for t in tensors if t is not None), 3)\n"
        "    return tuple(torch.tensor(rows) for rows in TABLE[size])\n"
    )


def key(args, kwargs) -> float:
    tensors = [*args, *kwargs.values()]
    return round(sum(t.detach().double().abs().sum().item() for t in tensors if torch.is_tensor(t)), 3)


def public_seed(exercise: Exercise) -> int:
    """The seed of `Lesson.check` where nobody grades."""
    return zlib.crc32(exercise.name.encode())
