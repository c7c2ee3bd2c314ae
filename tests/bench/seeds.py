"""Whether a right answer may be refused by bad luck: python tests/bench/seeds.py [EXERCISE ...] --seeds 3000

Runs the lesson's own solution and each accepted variant on fresh seeds, on hidden parts too. Prints what was
refused, and on how many seeds each part was run: a part that is dear gets its seconds and no more.
"""

import argparse
import contextlib
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from course_lib import exercises
from course_lib.authoring.build import ROOT, instructor, lessons
from course_lib.checks.exercise import Exercise, Implementation, Part
from course_lib.checks.expected import Expected
from course_lib.checks.judgement import agree, judge
from course_lib.checks.lesson import SOLUTIONS
from course_lib.checks.observation import observe
from course_lib.grading.sandbox.judge import Check
from course_lib.state import FOLDER

SHOWN = 20  # seeds with which a variant is refused
SOLUTION = "the lesson's solution"


@dataclass(frozen=True)
class Refusal:
    variant: str
    seed: int
    message: str


@dataclass(frozen=True)
class Run:
    """One part, on `seeds` seeds."""

    exercise: str
    part: str
    answers: int
    seeds: int
    refusals: list[Refusal]


def solution(path: Path, name: str) -> Implementation:
    """What a lesson's solution gives to the check of an exercise: its cells before are run, but no demos."""
    names = {"__name__": "__main__"}
    for cell in instructor(path).cells:
        if cell.cell_type != "code" or cell.metadata.get("title") == "demo":
            continue
        if cell.metadata.get("check") == name:
            check = Check.parse(cell.source)
            exec(check.before, names)
            return eval(check.answer, names)
        if "check" not in cell.metadata:
            exec(compile(cell.source, path.name, "exec"), names)
    raise ValueError(f"{path.name} has no check of {name}")


def refusals(
    exercise: Exercise, part: Part, answers: dict[str, Implementation], seed: int
) -> Iterator[Refusal]:
    """The answers that one part refuses; the reference runs once for all of them."""
    try:
        expected = Expected(replace(exercise, parts=[part], examples=()), seed)
    except RuntimeError as error:
        yield Refusal("the reference", seed, str(error))
        return
    for variant, answer in answers.items():
        observed = observe(expected.task, answer)
        if not agree(part, observed.parts[part.name], expected.reference(part)):
            yield Refusal(variant, seed, judge(expected, observed).verdicts[0].message)


def run(
    exercise: Exercise, part: Part, answers: dict[str, Implementation], seeds: range, seconds: float
) -> Run:
    """A part on all seeds, or on as many as it has CPU seconds for; one at least."""
    end, count, refused = time.process_time() + seconds, 0, []
    for seed in seeds:
        refused += refusals(exercise, part, answers, seed)
        count += 1
        if time.process_time() > end:
            break
    label = f"{part.name!r}{' (hidden)' * part.hidden}"
    return Run(exercise.name, label, len(answers), count, refused)


def runs(case: tuple[str, str, range, float]) -> list[Run]:
    """All parts of an exercise."""
    lesson, name, seeds, seconds = case
    torch.set_num_threads(1)
    exercise = exercises.load(lesson).graded[name]
    answers = {SOLUTION: solution(ROOT / "solutions" / f"{lesson}.py", name), **exercise.accepted}
    return [run(exercise, part, answers, seeds, seconds) for part in exercise.parts]


def show(done: Run) -> None:
    tried = f"{done.answers} answers, {done.seeds} seeds"
    print(f"{done.exercise}, {done.part}: {tried}, {len(done.refusals)} refused")
    for variant in dict.fromkeys(refusal.variant for refusal in done.refusals):
        found = [refusal for refusal in done.refusals if refusal.variant == variant]
        seeds = ", ".join(str(refusal.seed) for refusal in found[:SHOWN]) + ", ..." * (len(found) > SHOWN)
        print(f"    {variant}: {len(found)} seeds: {seeds}\n        {found[0].message}")
    sys.stdout.flush()


def cases(names: list[str], seeds: range, seconds: float) -> list[tuple[str, str, range, float]]:
    """Of these exercises, or of all where none is named. Raises SystemExit for a name that no lesson has."""
    found = [(path.stem, name) for path in lessons() for name in exercises.load(path.stem).exercises]
    if unknown := set(names) - {name for _, name in found}:
        raise SystemExit(f"no lesson has an exercise {', '.join(sorted(unknown))}")
    return [(lesson, name, seeds, seconds) for lesson, name in found if not names or name in names]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="EXERCISE", help="all where none is named")
    parser.add_argument("--seeds", type=int, default=2000, help="for each part, at most (default 2000)")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=60, help="of CPU for each part (default 60)")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    chosen = parser.parse_args()
    os.environ[SOLUTIONS], os.environ[FOLDER] = str(ROOT / "solutions"), ""
    seeds = range(chosen.start, chosen.start + chosen.seeds)
    todo, done = cases(chosen.names, seeds, chosen.seconds), []
    with contextlib.ExitStack() as stack:
        several = chosen.workers > 1 and multiprocessing.get_context("spawn").Pool(chosen.workers)
        everywhere = stack.enter_context(several).imap if several else map
        for parts in everywhere(runs, todo):
            for part in parts:
                show(part)
            done += parts
    refused, tried = sum(len(part.refusals) for part in done), sum(part.answers * part.seeds for part in done)
    print(f"{len(done)} parts, {tried:,} runs of right answers: {refused} refused")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
