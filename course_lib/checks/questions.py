"""The questions that learners answer in words: what a full answer names, and a model answer.

`course build` makes their file out of the marking guides (see authoring/questions.py).
"""

import json
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).parents[1] / "questions.json"


@dataclass(frozen=True)
class Question:
    """criteria: a sentence for each part. model_answer: a text for each part; empty where it is kept back."""

    name: str
    points: float
    criteria: tuple[str, ...]
    model_answer: tuple[str, ...]


def questions_of(lesson: str) -> dict[str, Question]:
    """The written questions of a lesson by name; of a lesson that is not in the file none."""
    listed = json.loads(FILE.read_text(encoding="utf-8")).get(lesson, {})
    return {
        name: Question(name, one["points"], tuple(one["criteria"]), tuple(one["model_answer"]))
        for name, one in listed.items()
    }
