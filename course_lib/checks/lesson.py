"""What a notebook calls: `check`, `hint` and `progress` of its lesson."""

import importlib
import os
import runpy
import secrets
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from course_lib.checks.exercise import Exercise, Part
from course_lib.checks.expected import Expected
from course_lib.checks.judgement import judge
from course_lib.checks.observation import observe
from course_lib.checks.progress import Progress
from course_lib.checks.score import MARKS, Report, Score, code, plural
from course_lib.checks.stubs import install_stub_handler
from course_lib.checks.threads import limit_threads

SOLUTIONS = "COURSE_LIB_SOLUTIONS"  # environment variable, set by nbgrader_config.py: where hidden parts live
TIMEOUTS = 20.0, 2.0  # seconds for each probe in a notebook, until one has not ended and after that

install_stub_handler()
limit_threads()


class Panel:
    """A few lines for a learner, as text and as html."""

    def __init__(self, text: str, markup: str):
        self.text, self.markup = text, markup

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.markup


class Lesson:
    """The exercises of one lesson, and how far the learner has come with them."""

    def __init__(self, name: str, *exercises: Exercise):
        self.name = name
        self.exercises = {exercise.name: exercise for exercise in exercises}

    @classmethod
    def load(cls, name: str, package: str, exercises: Sequence[str]) -> "Lesson":
        """A lesson of these exercises, in this order, each with its mistakes in the order of their table.

        causal_mask is in PACKAGE.causal_mask; its mistakes are in PACKAGE.causal_mask_mistakes, as `mistake`.
        """
        return cls(name, *(_with_mistakes(package, exercise) for exercise in exercises))

    def check(self, name: str, answer: Any, trial: bool = False) -> Score:
        """Points for `answer`, shown as a checklist. Never raises because an answer is wrong.

        A trial is shown, but `progress` does not count it.
        While nbgrader grades, inputs are fresh and unpredictable, and hidden parts are added.

        The way of an answer: `Expected` runs the reference, `observe` runs the answer on the same inputs,
        `judge` compares the two and names the mistake, `Score` shows the verdicts, `Progress` keeps them.
        """
        exercise, grading = self._exercise(name), is_grading()
        if grading:
            exercise = self.graded[name]
        seed = secrets.randbits(48) if grading else zlib.crc32(name.encode())
        expected = Expected(exercise, seed)
        limits = (0, 0) if grading else TIMEOUTS  # graders have a clock of their own
        observation = observe(expected.task, answer, limits)
        score = Score(Report(exercise, judge(expected, observation), seed, grading, trial))
        if not trial:
            record = self._records[name]
            record.status, record.points, record.earlier = score.report.status, float(score), False
            self._records.save()
        return score

    def hint(self, name: str) -> Panel:
        """The next hint of the exercise; after the last one they start again."""
        hints, record = self._exercise(name).hints, self._records[name]
        number = record.hints % len(hints)
        record.hints += 1
        self._records.save()
        again = number == 0 and record.hints > 1
        title = ("From the start again: hint " if again else "Hint ") + f"{number + 1} of {len(hints)}"
        return Panel(f"{title}: {hints[number]}", f"<p><b>{title}.</b> {code(hints[number])}</p>")

    def progress(self) -> Panel:
        """How the last check of each exercise came out, in this session or an earlier one."""
        rows = [self._progress_row(exercise) for exercise in self.exercises.values()]
        reached = sum(self._records[name].points for name in self.exercises)
        total = f"{reached:g} of {plural(sum(e.points for e in self.exercises.values()), 'point')}"
        text = "\n".join(
            f"{mark} {name}: {status}, {points}, {hints}" for mark, name, status, points, hints in rows
        )
        body = "".join(
            f"<tr><td>{mark} {status}</td><td><code>{name}</code></td><td>{points}</td><td>{hints}</td></tr>"
            for mark, name, status, points, hints in rows
        )
        body += f"<tr><th colspan='2'>together</th><td>{total}</td><td></td></tr>"
        head = "<tr><th>status</th><th>exercise</th><th>points</th><th>hints</th></tr>"
        note = self._records.note()
        table = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"
        return Panel(f"{text}\n{total}\n{note}", f"{table}<p>{code(note)}</p>")

    @cached_property
    def _records(self) -> Progress:
        return Progress(self.name)

    @cached_property
    def graded(self) -> dict[str, Exercise]:
        """The exercises with their hidden parts: PARTS of LESSON_hidden.py, beside its source.

        Raises RuntimeError where that file is missing or points are left over: none go silently.
        """
        path = Path(os.environ.get(SOLUTIONS, "solutions")) / f"{self.name}_hidden.py"
        if not path.is_file():
            raise RuntimeError(
                f"could not be checked: the hidden parts of {self.name} are not at {path}. "
                f"Grade in the folder that holds nbgrader_config.py, or set {SOLUTIONS} to its solutions."
            )
        return with_hidden(self, runpy.run_path(str(path))["PARTS"])

    def _exercise(self, name: str) -> Exercise:
        known = ", ".join(self.exercises)
        if not isinstance(name, str):
            got = type(name).__name__
            raise TypeError(f"expected the name of an exercise in quotes, one of {known}; got a {got}")
        if name not in self.exercises:
            raise ValueError(f"{self.name} has no exercise {name!r}; it has {known}")
        return self.exercises[name]

    def _progress_row(self, exercise: Exercise) -> Sequence[str]:
        record = self._records[exercise.name]
        status = record.status + (", earlier" if record.earlier and record.status != "not attempted" else "")
        points = f"{record.points:g} of {exercise.points:g}"
        shown = min(record.hints, len(exercise.hints))
        return MARKS[record.status], exercise.name, status, points, plural(shown, "hint") + " used"


def _with_mistakes(package: str, name: str) -> Exercise:
    exercise: Exercise = getattr(importlib.import_module(f"{package}.{name}"), name)
    if exercise.name != name:
        raise ValueError(f"{package}.{name} holds an exercise named {exercise.name!r}: give both one name")
    exercise.mistakes = tuple(importlib.import_module(f"{package}.{name}_mistakes").mistake)
    return exercise


def with_hidden(lesson: Lesson, hidden: Mapping[str, Part]) -> dict[str, Exercise]:
    """The exercises of a lesson and their hidden parts. Raises RuntimeError where points are left over."""
    graded = {
        name: replace(exercise, parts=exercise.parts + [hidden[name]] * (name in hidden))
        for name, exercise in lesson.exercises.items()
    }
    if wrong := [exercise.name for exercise in graded.values() if exercise.pending]:
        raise RuntimeError(
            f"the points of {', '.join(wrong)} are not those of its parts in {lesson.name}_hidden.py"
        )
    return graded


def is_grading() -> bool:
    """Whether nbgrader's autograder runs this, as against a learner or Validate."""
    return os.environ.get("NBGRADER_EXECUTION") == "autograde"
