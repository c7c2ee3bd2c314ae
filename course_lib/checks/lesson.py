"""What a notebook calls: `check`, `hint`, `model_answer` and `progress` of its lesson."""

import difflib
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

from course_lib.checks import slips
from course_lib.checks.comparison import joined
from course_lib.checks.exercise import Exercise, Part
from course_lib.checks.expected import Expected
from course_lib.checks.hints import hint_on_question, model_answer, next_hint, seen
from course_lib.checks.instances import filled
from course_lib.checks.judgement import judge
from course_lib.checks.kept import keep
from course_lib.checks.last_run import stale
from course_lib.checks.observation import observe
from course_lib.checks.overview import overview
from course_lib.checks.panel import Panel
from course_lib.checks.progress import Progress
from course_lib.checks.questions import Question, questions_of
from course_lib.checks.score import Report, Score
from course_lib.checks.source import missing
from course_lib.checks.stubs import install_stub_handler
from course_lib.checks.threads import begin_with_one_thread, one_thread
from course_lib.checks.timeout import Patience

SOLUTIONS = "COURSE_LIB_SOLUTIONS"  # environment variable, set by nbgrader_config.py: where hidden parts live
HIDDEN = (
    "COURSE_LIB_HIDDEN"  # environment variable, set by an instructor: where hidden parts of their own live
)
NO_ANSWER = object()

install_stub_handler()
begin_with_one_thread()


class Lesson:
    """The exercises of one lesson, and how far the learner has come with them."""

    filled = staticmethod(filled)

    def __init__(self, name: str, *exercises: Exercise):
        self.name = name
        self.exercises = {exercise.name: exercise for exercise in exercises}
        self._expected: dict[str, Expected] = {}  # a learner's inputs are the same at each check

    @classmethod
    def load(cls, name: str, package: str, exercises: Sequence[str]) -> "Lesson":
        """A lesson of these exercises, in this order, each with its mistakes in the order of their table.

        causal_mask is in PACKAGE.causal_mask; its mistakes are in PACKAGE.causal_mask_mistakes, as `mistake`.
        PACKAGE.at_once gives exercises their `whole` part.
        """
        loaded = [_with_mistakes(package, exercise) for exercise in exercises]
        importlib.import_module(f"{package}.at_once")
        return cls(name, *loaded)

    def check(self, name: Any = "", answer: Any = NO_ANSWER, trial: bool = False) -> Score | Panel:
        """As `score`; called in another way, as `check(softmax)`, it says how it is called."""
        if not (problem := self._misuse("check", name, answer is NO_ANSWER)):
            return self.score(name, answer, trial)
        if is_grading():  # nbgrader gives all points where a cell shows neither points nor an error
            raise ValueError(problem)
        return Panel.of(problem)

    def score(self, name: str, answer: Any, trial: bool = False) -> Score:
        """Points for `answer`, shown as a checklist. Never raises because an answer is wrong.

        A trial is shown, but `progress` does not count it.
        While nbgrader grades, inputs are fresh and unpredictable, and hidden parts are added.

        The way of an answer: `Expected` runs the reference, `observe` runs the answer on the same inputs,
        `judge` compares the two and names the mistake, `Score` shows the verdicts, `Progress` keeps them.
        """
        grading = is_grading()
        with one_thread():
            expected = self._expected_of(name, grading)
            observation = observe(expected.task, answer, Patience())
            judgement = judge(expected, observation)
        exercise, seed = expected.exercise, expected.task.seed
        if trial or grading:
            return Score(Report(exercise, judgement, seed, grading, trial))
        remarks = [
            stale(name),
            slips.remark(self._records, name, judgement),
            self._stood_in(exercise, answer),
        ]
        if all(verdict.status == "right" for verdict in judgement.verdicts):
            remarks.append(keep(name, answer))
        score = Score(Report(exercise, judgement, seed, grading, remarks=tuple(filter(None, remarks))))
        record = self._records[name]
        record.status, record.points, record.earlier = score.report.status, float(score), False
        slips.remember(record, judgement)
        self._records.save()
        return score

    def _expected_of(self, name: str, grading: bool) -> Expected:
        if grading:
            return Expected(self.graded[name], secrets.randbits(48))
        if name not in self._expected:
            self._expected[name] = Expected(self.exercises[name], zlib.crc32(name.encode()))
        return self._expected[name]

    def hint(self, name: Any = "") -> Panel:
        """The next hint; after the last one they start again.

        If the last check has named a mistake, the next hint is about that. Of a written question the hints
        say, part by part, what a full answer names.
        """
        if problem := self._misuse("hint", name):
            return Panel.of(problem)
        record = self._records[name]
        written = self.questions.get(name)
        panel = hint_on_question(written, record) if written else next_hint(self.exercises[name], record)
        panel.hints = {name: seen(record, written.criteria if written else self.exercises[name].hints)}
        self._records.save()
        return panel

    def model_answer(self, name: Any = "", answer: str = "") -> Panel:
        """A model answer to a written question, once one of the learner's own is saved, or passed as text."""
        if not isinstance(name, str) or name not in self.questions:
            named = "".join(f' `model_answer("{question}")`.' for question in self.questions)
            return Panel.of(f"Only written questions have model answers:{named}")
        panel = model_answer(self.questions[name], self._records[name], self.name, answer)
        self._records.save()
        return panel

    def progress(self) -> Panel:
        """How the last check of each exercise came out, in this session or an earlier one."""
        return overview(self.name, self.exercises.values(), self.questions.values(), self._records)

    @cached_property
    def questions(self) -> dict[str, Question]:
        return questions_of(self.name)

    @cached_property
    def _records(self) -> Progress:
        return Progress(self.name)

    @cached_property
    def graded(self) -> dict[str, Exercise]:
        """The exercises with their hidden parts: PARTS of LESSON_hidden.py, see `hidden_file`.

        Raises RuntimeError where that file is missing or points are left over: none go silently.
        """
        path = hidden_file(self.name, os.environ.get(SOLUTIONS, "solutions"))
        if not path.is_file():
            advice = f"Write them by `course hidden {self.name}`, or unset {HIDDEN}."
            if not os.environ.get(HIDDEN):
                advice = (
                    f"Grade in the folder that holds nbgrader_config.py, or set {SOLUTIONS} to its solutions."
                )
            raise RuntimeError(
                f"could not be checked: the hidden parts of {self.name} are not at {path}. {advice}"
            )
        return with_hidden(self, runpy.run_path(str(path))["PARTS"])

    def _misuse(self, call: str, name: Any, lacks_answer: bool = False) -> str:
        """How `check` or `hint` is called, where it was called in another way; else empty."""
        names = list(self.exercises) if call == "check" else [*self.exercises, *self.questions]
        way = '`check("{0}", {0})`' if call == "check" else '`hint("{0}")`'
        meant = name if isinstance(name, str) else str(getattr(name, "__name__", ""))
        if isinstance(name, str) and not name:
            return f"Write {way.format(names[0])}, or with another of these names: {', '.join(names)}."
        if meant not in names:
            if call == "check" and meant in self.questions:
                return f'A person grades `{meant}`. `hint("{meant}")` says what a full answer contains.'
            near = difflib.get_close_matches(meant, names, 1)
            known = f"did you mean {way.format(near[0])}?" if near else f"it has {', '.join(names)}."
            return f"`{self.name}` has no exercise of that name; {known}"
        if not isinstance(name, str):
            what = "the name in quotes, then what you have built" if call == "check" else "the name in quotes"
            return f"Write {way.format(meant)}: {what}."
        return f"Write {way.format(meant)}: the name, then what you have built." if lacks_answer else ""

    def _stood_in(self, exercise: Exercise, answer: Any) -> str:
        """Which exercises of this lesson the course's own stood for, which the notebook has not defined."""
        names = missing(answer, [used.name for used in exercise.uses if used.name in self.exercises])
        if not names:
            return ""
        listed = joined([f"`{name}`" for name in names])
        if len(names) == 1:
            return f"Checked with the course's {listed}: yours is missing in this notebook."
        return f"Checked with the course's {listed}: yours are missing in this notebook."


def _with_mistakes(package: str, name: str) -> Exercise:
    exercise: Exercise = getattr(importlib.import_module(f"{package}.{name}"), name)
    if exercise.name != name:
        raise ValueError(f"{package}.{name} holds an exercise named {exercise.name!r}: give both one name")
    exercise.mistakes = tuple(importlib.import_module(f"{package}.{name}_mistakes").mistake)
    exercise.package = package
    return exercise


def hidden_file(lesson: str, solutions: str | Path) -> Path:
    """Where the hidden parts of a lesson are: in the folder of HIDDEN if it is set, else beside the sources.

    An instructor's folder needs a file for each lesson that is graded: the public one never takes its place.
    """
    return Path(os.environ.get(HIDDEN) or solutions).expanduser() / f"{lesson}_hidden.py"


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
