"""`course hidden`: an instructor's own hidden parts of a lesson, which nobody else reads: template and check.

The template is the course's own file, which is public, with what it refuses. The check holds a file to what
grading needs of it.
"""

import ast
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from pprint import pformat
from typing import Any

from course_lib import exercises
from course_lib.authoring.build import ROOT
from course_lib.checks.exercise import Exercise, Part
from course_lib.checks.expected import Expected
from course_lib.checks.judgement import is_right, judge
from course_lib.checks.lesson import HIDDEN, Lesson
from course_lib.checks.observation import observe

SEEDS = range(3)
HEAD = '''"""Your own hidden parts of {lesson}, which run only when work is graded. Keep this file private.

It begins as a copy of the course's public parts. Change what each part tries: sizes, numbers, properties. A
part calls the answer with inputs that it draws from `inputs`, and returns results by their names. Grading
compares them with the results of the right answer, so a part holds no expected numbers.

course hidden {lesson} --to FOLDER    checks this file
{variable}=FOLDER                     before `course grade` or nbgrader, to grade with it
"""
'''
TAIL = """

# What your parts have to refuse, by exercise: names of the course's mistakes, or wrong functions and classes
# of your own. At first these are the mistakes that the public parts refuse: remove what yours may accept.
CATCHES = {catches}
"""


@dataclass
class Findings:
    """What has to be corrected, and what the instructor should know."""

    problems: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)


class HiddenError(Exception):
    """The file cannot be used as it is. The message says what is wrong with it."""


def write_or_check(lesson: str, folder: Path, seeds: Sequence[int] = SEEDS) -> int:
    """The exit code of `course hidden`."""
    file = folder.expanduser().resolve() / f"{lesson}_hidden.py"
    if file.is_relative_to(ROOT):
        print(f"{file.parent} is in the course's folder: name one that you do not publish", file=sys.stderr)
        return 2
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            with open(file, "x", encoding="utf-8", opener=_private) as new:
                new.write(template(lesson))
            print(f"written: {file}\nIt is a copy of the public parts. Change them, and check it again.")
        found = check(lesson, file.read_text(encoding="utf-8"), seeds)
    except (HiddenError, UnicodeDecodeError) as error:
        print(f"{file}: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.strerror or error}: {error.filename or file}", file=sys.stderr)
        return 2
    print(*found.told, sep="\n")
    if found.problems:
        print(*found.problems, sep="\n", file=sys.stderr)
        return 1
    print(f"{file.name} can be used. To grade with it: export {HIDDEN}={file.parent}")
    return 0


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def template(lesson: str) -> str:
    """The text of a new file: the public parts, under another head, and what they refuse."""
    text = _public(lesson)
    start = ast.parse(text).body[0].end_lineno or 0  # of the docstring
    body = "\n".join(text.splitlines()[start:]).strip("\n")
    catches = {
        name: sorted(set.intersection(*(set(_refused(Expected(exercise, seed))) for seed in SEEDS)))
        for name, exercise in _graded(lesson, text).items()
    }
    listed = pformat({name: keys for name, keys in catches.items() if keys}, width=105, compact=True)
    return HEAD.format(lesson=lesson, variable=HIDDEN) + "\n" + body + "\n" + TAIL.format(catches=listed)


def check(lesson: str, text: str, seeds: Sequence[int] = SEEDS) -> Findings:
    """What is found in a file of hidden parts. Raises HiddenError where nothing can be tried."""
    names = _run(lesson, text)
    graded = _graded(lesson, text, names)
    catches = names.get("CATCHES", {})
    if not isinstance(catches, Mapping) or set(catches) - set(graded):
        raise HiddenError(f"CATCHES needs a dict by exercise; the lesson has {', '.join(graded)}")
    unchanged = _unchanged(text, _public(lesson))
    found = Findings()
    for name, exercise in graded.items():
        if part := next((part for part in exercise.parts if part.hidden), None):
            _check_part(found, exercise, part, catches.get(name, ()), seeds)
            if part.probe.__qualname__.partition(".")[0] in unchanged:  # or the function that makes the probe
                found.told.append(f"{name}: this part is the public one, which learners can read")
    return found


def _check_part(
    found: Findings, exercise: Exercise, part: Part, catches: Sequence[Any], seeds: Sequence[int]
) -> None:
    name, mistakes = exercise.name, {mistake.key: mistake.implementation for mistake in exercise.mistakes}
    try:
        all_expected = [Expected(exercise, seed) for seed in seeds]
    except RuntimeError as error:  # it names exercise and part
        found.problems.append(str(error))
        return
    before = len(found.problems)
    for variant, answer in _right_answers(exercise):
        reason = next(filter(None, (_refusal(expected, part, answer) for expected in all_expected)), None)
        if reason:
            found.problems.append(f"{name}: refuses right code ({variant}): {reason}")
    if len(found.problems) > before:
        return  # what follows would only repeat it
    expected = all_expected[0]
    for index, mistake in enumerate(exercise.mistakes):
        if not _is_named(expected, index, part):
            found.problems.append(
                f"{name}: with this part, the mistake {mistake.key} gets no or another advice. Its results "
                "have to be the same each time: draw with `inputs`, and set no seeds"
            )
    for wrong in catches:
        if isinstance(wrong, str) and wrong not in mistakes:
            found.problems.append(f"{name}: CATCHES has {wrong!r}, which is no mistake of this exercise")
            continue
        answer = mistakes[wrong] if isinstance(wrong, str) else wrong
        called = wrong if isinstance(wrong, str) else getattr(wrong, "__name__", repr(wrong))
        if any(not _refusal(expected, part, answer) for expected in all_expected):
            found.problems.append(f"{name}: does not refuse {called}")
    refused = len(_refused(expected))
    found.told.append(
        f"{name}: right code passes; of the {len(mistakes)} listed mistakes, which the visible parts refuse, "
        f"this part refuses {refused} too"
    )


def _right_answers(exercise: Exercise) -> Iterator[tuple[str, Callable[..., Any]]]:
    if not exercise.ready_made:  # then the reference may be what no answer may call
        yield "the reference", exercise.reference_implementation
    yield from exercise.accepted.items()


def _refusal(expected: Expected, part: Part, answer: Callable[..., Any]) -> str:
    """What this part alone says of an answer; empty if it is right."""
    alone = replace(expected.exercise, parts=[part])
    only = Expected.__new__(Expected)
    only.__dict__ |= vars(expected) | {"exercise": alone}
    verdict = judge(only, observe(expected.task.only([part.name]), answer)).verdicts[0]
    return "" if verdict.status == "right" else verdict.message or verdict.status


def _is_named(expected: Expected, index: int, part: Part) -> bool:
    """Whether the mistake is still refused under its own name; the part runs anew."""
    mistake = expected.exercise.mistakes[index]
    observation = observe(expected.task.only([part.name]), mistake.implementation)
    others = {each.name: expected.mistake(index, each) for each in expected.exercise.parts if each != part}
    judgement = judge(expected, replace(observation, parts=others | observation.parts))
    return judgement.mistakes == [mistake.key]


def _refused(expected: Expected) -> list[str]:
    """The keys of the mistakes that the hidden part refuses."""
    hidden = [part for part in expected.exercise.parts if part.hidden]
    return [
        mistake.key
        for index, mistake in enumerate(expected.exercise.mistakes)
        if any(not is_right(part, expected.mistake(index, part), expected.reference(part)) for part in hidden)
    ]


def _public(lesson: str) -> str:
    return (ROOT / "solutions" / f"{lesson}_hidden.py").read_text(encoding="utf-8")


def _run(lesson: str, text: str) -> dict[str, Any]:
    """The names of the file, run as the grader runs it: as text, without a place of its own."""
    names: dict[str, Any] = {"__name__": f"{lesson}_hidden"}
    try:
        exec(compile(text, f"{lesson}_hidden.py", "exec"), names)
    except Exception as error:
        *_, last = traceback.extract_tb(error.__traceback__)
        line = getattr(error, "lineno", None) or last.lineno
        raise HiddenError(f"line {line}: {type(error).__name__}: {error}") from None
    return names


def _graded(lesson: str, text: str, names: Mapping[str, Any] | None = None) -> dict[str, Exercise]:
    """The exercises with the parts of the file. Raises HiddenError where a part is not what it should be."""
    loaded: Lesson = exercises.load(lesson)
    parts = (names if names is not None else _run(lesson, text)).get("PARTS")
    if not isinstance(parts, Mapping):
        raise HiddenError("PARTS needs a dict from the name of an exercise to its Part")
    problems = [problem for name, part in parts.items() for problem in _problems(loaded, name, part)]
    problems += [
        f"{name} has {exercise.points:g} points, and its parts with yours {points:g}: make them equal"
        for name, exercise in loaded.exercises.items()
        if (points := _points(exercise, parts.get(name))) != exercise.points
    ]
    if problems:
        raise HiddenError("; ".join(problems))
    return {
        name: replace(exercise, parts=exercise.parts + [parts[name]] * (name in parts))
        for name, exercise in loaded.exercises.items()
    }


def _points(exercise: Exercise, part: Any) -> float:
    return sum(each.points for each in exercise.parts) + (part.points if isinstance(part, Part) else 0)


def _problems(lesson: Lesson, name: str, part: Any) -> Iterator[str]:
    if name not in lesson.exercises:
        yield f"PARTS has {name!r}; the lesson has {', '.join(lesson.exercises)}"
    elif not isinstance(part, Part):
        yield f"PARTS has something for {name} that is no Part"
    elif not part.hidden:
        yield f"the part of {name} needs hidden=True: feedback would show what it tries"
    elif part.name in {each.name for each in lesson.exercises[name].parts}:
        yield f"the part of {name} has the name of a visible part ({part.name}): rename yours"


def _unchanged(text: str, public: str) -> set[str]:
    """The functions of the file that are, with all that they call there, as in the public one."""
    ours, theirs = _functions(text), _functions(public)
    same = {name for name, (code, _) in ours.items() if name in theirs and theirs[name][0] == code}
    while changed := {name for name in same if (ours[name][1] & set(ours)) - same}:
        same -= changed
    return same


def _functions(text: str) -> dict[str, tuple[str, set[str]]]:
    """By name of what the file defines: its code without positions, and the names in it."""
    return {
        node.name: (ast.dump(node), {n.id for n in ast.walk(node) if isinstance(n, ast.Name)})
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
