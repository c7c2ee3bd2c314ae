"""What checks say to thousands of slips: `python tests/bench/diagnosis.py [EXERCISE ...]`.

Every right answer of an exercise (the lesson's own, the reference, the accepted variants) is changed in one
place, in all ways that tests/bench/mutation.py knows, and checked as in grading, hidden parts included.
A survivor has full points with every seed: either the check has a hole, or the slip changes nothing that the
exercise asks for. The second kind is listed with reasons in equivalent_mutants.py; of the first kind none
may be left: the exit code is 1 where there are any.

    --sample 300     prints as many told slips, with all that the learner reads
    --holes          asks only whether slips are refused, not what is said
    --list           prints every slip of the exercises with its outcome
    --survivors DIR  writes the unexplained survivors, a file a lesson
"""

import argparse
import ast
import copy
import difflib
import inspect
import itertools
import linecache
import os
import random
import resource
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import jupytext
import torch

from course_lib import exercises
from course_lib.authoring.build import ROOT, lessons
from course_lib.checks.exercise import Implementation
from course_lib.checks.expected import Expected
from course_lib.checks.judgement import Judgement, is_right, judge
from course_lib.checks.lesson import SOLUTIONS, Lesson
from course_lib.checks.observation import observe
from course_lib.checks.score import Report, as_text
from course_lib.checks.timeout import Patience

sys.path.insert(0, os.path.dirname(__file__))

from equivalent_mutants import EQUIVALENT, explained
from mutation import Mutant, Seen, free_names, instrumented, mutants, normalized

SECONDS = 5.0  # for a probe of CPU time, until one has not ended
MEMORY = 6 * 2**30  # bytes that a worker may use
Definition = ast.FunctionDef | ast.ClassDef
OUTCOMES = ("named", "careful", "noted", "unnamed", "hidden only", "survived")  # see _outcome


@dataclass(frozen=True)
class Program:
    """A right answer as source, the names that it finds where it stands, and the folder where that is.

    Variants stand in course_lib/exercises, whose pieces they may use; a lesson's own answer is a cell.
    """

    variant: str
    source: str
    namespace: Mapping[str, Any] = field(repr=False)
    place: str = ""


@dataclass(frozen=True)
class Result:
    """What became of a slip. outcome: one of OUTCOMES; text: what the learner reads."""

    exercise: str
    variant: str
    mutant: Mutant
    before: str
    outcome: str
    mistakes: Sequence[str]
    text: str


# Right answers as programs


@cache
def all_lessons() -> dict[str, Lesson]:
    os.environ[SOLUTIONS] = str(ROOT / "solutions")
    return {path.stem: exercises.load(path.stem) for path in lessons()}


def lesson_of(name: str) -> str:
    return next(stem for stem, lesson in all_lessons().items() if name in lesson.exercises)


def programs(name: str) -> Iterator[Program]:
    """The lesson's solution, then the reference and the accepted variants, as far as they have a source."""
    exercise = all_lessons()[lesson_of(name)].graded[name]
    yield solution(name)
    reference = {} if exercise.ready_made else {"reference": exercise.reference_implementation}
    for variant, implementation in (reference | exercise.accepted).items():
        module = inspect.getmodule(implementation)
        assert module and module.__file__
        definitions = _definitions(module.__file__)
        node = _definition(implementation, definitions)
        helpers = [ast.unparse(helper) for helper in _helpers(node, definitions)]
        source = normalized("\n".join([*helpers, ast.unparse(node)]), node.name, name)
        yield Program(variant, source, vars(module), f"{os.path.dirname(module.__file__)}/")


@cache
def _definitions(file: str) -> dict[str, Definition]:
    """The functions and classes of a module, by name."""
    tree = ast.parse("".join(linecache.getlines(file)))
    return {node.name: node for node in tree.body if isinstance(node, Definition)}


def _definition(implementation: Any, definitions: Mapping[str, Definition]) -> Definition:
    """Where it is defined: by its name, or by a line of it, for a reference has the exercise's name."""
    values = vars(implementation).values() if inspect.isclass(implementation) else [implementation]
    lines = [value.__code__.co_firstlineno for value in values if inspect.isfunction(value)]
    named = definitions.get(implementation.__name__)
    spans = (
        (min(d.lineno, *(x.lineno for x in d.decorator_list), d.lineno), d) for d in definitions.values()
    )
    found = (d for first, d in spans if any(first <= line <= (d.end_lineno or 0) for line in lines))
    return next(found, None) or named  # pyright: ignore


def _helpers(node: Definition, definitions: Mapping[str, Definition]) -> list[Definition]:
    """What it uses of its module, and what that uses, in the order of the module."""
    found, queue = set(), [node]
    while queue:
        used = free_names(queue.pop()) & definitions.keys() - found - {node.name}
        found |= used
        queue += map(definitions.__getitem__, used)
    return [definition for name, definition in definitions.items() if name in found]


def solution(name: str) -> Program:
    """The lesson's own answer, in the names of the cells above it."""
    cells = _cells(lesson_of(name))
    number = next(i for i, cell in enumerate(cells) if cell.metadata.get("exercise") == name)
    source = normalized(cells[number].source, name, name)
    return Program("solution", source, _namespace(lesson_of(name)))


@cache
def _cells(lesson: str) -> list[Any]:
    text = (ROOT / "solutions" / f"{lesson}.py").read_text(encoding="utf-8")
    return [cell for cell in jupytext.reads(text, fmt="py:percent").cells if cell.cell_type == "code"]


@cache
def _namespace(lesson: str) -> dict[str, Any]:
    """What a lesson's cells import and define; nothing else of them runs."""
    namespace: dict[str, Any] = {}
    for cell in _cells(lesson):
        if cell.metadata.get("title") == "demo":
            continue
        for node in ast.parse(cell.source).body:
            if isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)):
                exec(ast.unparse(node), namespace)
    return namespace


def compiled(source: str, program: Program, name: str, **more: Any) -> Implementation:
    """The answer that a source makes, in a copy of its program's names; tracebacks find its lines."""
    filename = f"{program.place}<mutant {next(NUMBERS)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace = {**program.namespace, "KEPT": {}, "__name__": "__main__", **more}
    exec(compile(source, filename, "exec"), namespace)
    return namespace[name]


NUMBERS = itertools.count()


def seen_values(program: Program, name: str) -> dict[int, Seen]:
    """What each expression of the program is when its exercise's probes first run it."""
    seen: dict[int, Seen] = {}

    def saw(number: int, value: Any) -> Any:
        seen.setdefault(number, Seen()).note(value)
        return value

    expected = expected_for(name, 0)
    watching = partial(saw)  # no function of the answer: what it calls is not the learner's
    answer = compiled(instrumented(program.source), program, name, _saw=watching)
    if any(v.status != "right" for v in judge(expected, observe(expected.task, answer)).verdicts):
        raise RuntimeError(f"{name} [{program.variant}] is not right any more while it is watched")
    return seen


# Checking a mutant


@cache
def expected_for(name: str, seed: int) -> Expected:
    return Expected(all_lessons()[lesson_of(name)].graded[name], seed)


@cache
def visible_for(name: str, seed: int) -> Expected:
    """The same for a learner, who has no hidden parts; what mistakes give is computed once for both."""
    visible = copy.copy(expected_for(name, seed))
    visible.exercise = all_lessons()[lesson_of(name)].exercises[name]
    return visible


def checked(name: str, program: Program, mutant: Mutant, seeds: int, examples: bool = True) -> Result | None:
    """What becomes of a slip; None where the program with the slip cannot even be defined.

    examples: whether the learner's small examples run too, which decide nothing.
    """
    if (answer := _defined(program, mutant, name)) is None:
        return None
    outcome, judgement = "survived", None
    for seed in range(seeds):
        task = expected_for(name, seed).task
        observation = observe(task if examples else task.only(task.probes), answer, Patience(SECONDS))
        graded = judge(expected_for(name, seed), observation)
        if all(verdict.status == "right" for verdict in graded.verdicts):
            continue
        judgement = judge(visible_for(name, seed), observation)
        outcome = _outcome(judgement)
        break
    text = as_text(Report(visible_for(name, 0).exercise, judgement, 0, False)) if judgement else ""
    found = judgement.mistakes if judgement else []
    return Result(name, program.variant, mutant, program.source, outcome, found, text)


def tried(name: str, program: Program, mutant: Mutant, seeds: int) -> Result | None:
    """Whether a slip is refused. The first wrong part decides, so this is much faster than `checked`."""
    if (answer := _defined(program, mutant, name)) is None:
        return None
    outcome = "survived" if all(_passes(name, answer, seed) for seed in range(seeds)) else "refused"
    return Result(name, program.variant, mutant, program.source, outcome, [], "")


def _passes(name: str, answer: Implementation, seed: int) -> bool:
    expected = expected_for(name, seed)
    for part in expected.exercise.parts:
        got = observe(expected.task.only([part.name]), answer, Patience(SECONDS)).parts[part.name]
        if not is_right(part, got, expected.reference(part)):
            return False
    return True


def _defined(program: Program, mutant: Mutant, name: str) -> Implementation | None:
    try:
        return compiled(mutant.source, program, name)
    except Exception:
        return None


def _outcome(judgement: Judgement) -> str:
    """What a learner is told: the mistake, perhaps the mistake, a note on the code, or the numbers alone."""
    if all(verdict.status == "right" for verdict in judgement.verdicts):
        return "hidden only"
    if judgement.mistakes:
        return "named"
    if any(verdict.perhaps for verdict in judgement.verdicts):
        return "careful"
    return "noted" if judgement.notes else "unnamed"


def slips(name: str, seeds: int, limit: int | None = None) -> list[tuple[Program, Mutant]]:
    """All mutants of an exercise; where there is a limit, so many drawn at random."""
    found, known, changed = [], set(), set()
    for program in programs(name):
        right = checked(name, program, Mutant("nothing", "", program.source), seeds)
        if not right or right.outcome != "survived":
            print(f"a right answer is refused: {name} [{program.variant}]\n{right and right.text}")
            continue
        for mutant in mutants(program.source, seen_values(program, name), changed):
            if mutant.source not in known:
                known.add(mutant.source)
                found.append((program, mutant))
    return random.Random(name).sample(found, limit) if limit and len(found) > limit else found


# The tables themselves


@dataclass(frozen=True)
class Table:
    """How the listed answers of an exercise fare: kept names of mistakes, accepted right answers."""

    kept: int
    mistakes: int
    accepted: int
    right: int
    milliseconds: Sequence[float]


def table(name: str, seeds: int) -> Table:
    exercise = expected_for(name, 0).exercise
    kept = accepted = 0
    milliseconds = []
    for seed in range(seeds):
        expected = expected_for(name, seed)
        for mistake in exercise.mistakes:
            start = time.process_time()
            judgement = judge(expected, observe(expected.task, mistake.implementation))
            milliseconds.append(1000 * (time.process_time() - start))
            kept += judgement.mistakes == [mistake.key]
        for implementation in exercise.accepted.values():
            verdicts = judge(expected, observe(expected.task, implementation)).verdicts
            accepted += all(verdict.status == "right" for verdict in verdicts)
    sizes = seeds * len(exercise.mistakes), seeds * len(exercise.accepted)
    return Table(kept, sizes[0], accepted, sizes[1], milliseconds)


# Printing


def run(job: tuple[str, argparse.Namespace]) -> tuple[list[Result], Table | None]:
    name, arguments = job
    found = slips(name, arguments.seeds, arguments.limit)
    if arguments.holes:
        return list(filter(None, (tried(name, *slip, arguments.seeds) for slip in found))), None
    told = (checked(name, *slip, arguments.seeds, bool(arguments.sample)) for slip in found)
    return list(filter(None, told)), table(name, arguments.seeds)


def prepare() -> None:
    torch.set_num_threads(1)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main() -> None:
    arguments = parsed()
    names = arguments.exercises or [name for lesson in all_lessons().values() for name in lesson.exercises]
    everything: list[Result] = []
    tables: list[Table] = []
    print(
        f"{'exercise':30}" + "".join(f"{name:>12}" for name in ("mutants", "refused", *OUTCOMES, "no reason"))
    )
    with ProcessPoolExecutor(arguments.workers, initializer=prepare) as workers:
        for name, (found, rates) in zip(
            names, workers.map(run, [(name, arguments) for name in names]), strict=True
        ):
            everything += found
            tables += [rates] if rates else []
            print_row(name, found)
            if arguments.survivors:
                write_survivors(list(filter(is_unexplained, everything)), arguments.survivors)
    print_row("all", everything)
    if tables:
        print_rates(everything, tables)
    if arguments.list:
        for result in everything:
            print(f"{result.outcome:12}{line_of(result)}")
    if arguments.sample:
        print_sample(everything, arguments.sample, arguments.seed)
    if not arguments.limit:
        print_superfluous(names, everything)
    unexplained = [result for result in everything if is_unexplained(result)]
    for result in unexplained:
        print(f"survived: {line_of(result)}")
    sys.exit(bool(unexplained))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("exercises", nargs="*", metavar="EXERCISE")
    parser.add_argument("--seeds", type=int, default=3, help="a survivor has full points with so many")
    parser.add_argument("--limit", type=int, help="mutants of an exercise, drawn at random")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--holes", action="store_true", help="look for survivors only, which is faster")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--survivors", metavar="DIR")
    return parser.parse_args()


def is_unexplained(result: Result) -> bool:
    return result.outcome == "survived" and not explained(result.exercise, result.mutant, result.variant)


def line_of(result: Result) -> str:
    return f"{result.exercise} [{result.variant}] {result.mutant.operator}: {result.mutant.change}"


def print_row(name: str, found: Sequence[Result]) -> None:
    counts = Counter(result.outcome for result in found)
    shown = [len(found), len(found) - counts["survived"], *(counts[outcome] for outcome in OUTCOMES)]
    print(f"{name:30}" + "".join(f"{n:12}" for n in [*shown, sum(map(is_unexplained, found))]), flush=True)


def print_rates(found: Sequence[Result], tables: Sequence[Table]) -> None:
    for outcome in OUTCOMES:
        share = sum(result.outcome == outcome for result in found) / len(found)
        print(f"{outcome}: {share:.1%}")
    names = ("kept", "mistakes", "accepted", "right")
    kept, mistakes, accepted, right = (sum(getattr(one, name) for one in tables) for name in names)
    print(f"mistakes called by their own name: {kept} of {mistakes} ({kept / mistakes:.1%})")
    print(f"accepted variants with full points: {accepted} of {right}")
    median = statistics.median(each for one in tables for each in one.milliseconds)
    print(f"to check a listed mistake: {median:.1f} ms of CPU time, median")


def print_superfluous(names: Sequence[str], found: Sequence[Result]) -> None:
    """Entries of equivalent_mutants.py that explain no survivor any more."""
    survivors = [result for result in found if result.outcome == "survived"]
    used = {(one.exercise, explained(one.exercise, one.mutant, one.variant)) for one in survivors}
    for name in names:
        known = (entries for key, entries in EQUIVALENT.items() if key.partition(" [")[0] == name)
        for entry in itertools.chain(*known):
            if (name, entry) not in used:
                print(f"no survivor is explained by {name}: {entry[0]}: {entry[1]}")


def print_sample(found: Sequence[Result], size: int, seed: int) -> None:
    told = [result for result in found if result.outcome not in ("survived", "hidden only")]
    for number, result in enumerate(random.Random(seed).sample(told, min(size, len(told))), 1):
        print(f"\n{'=' * 100}\n{number}. {line_of(result)}\n")
        before, after = result.before.splitlines(), result.mutant.source.splitlines()
        lines = [line for line in difflib.ndiff(before, after) if not line.startswith("?")]
        print("\n".join(lines), "", result.text, sep="\n")


def write_survivors(unexplained: Sequence[Result], folder: str) -> None:
    os.makedirs(folder, exist_ok=True)
    for stem, lesson in all_lessons().items():
        lines = [line_of(result) for result in unexplained if result.exercise in lesson.exercises]
        if lines:
            with open(os.path.join(folder, f"survivors_{stem[:2]}.txt"), "w", encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
