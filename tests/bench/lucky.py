"""Which listed mistakes earn all points by luck: python tests/bench/lucky.py [--seeds 60] [EXERCISE ...]

Grading draws fresh inputs, so what passes in one draw of fifty passes for two students of a hundred.
"""

import argparse
import sys
from collections import Counter
from dataclasses import replace

import torch

from course_lib.authoring.build import ROOT
from course_lib.checks.expected import Expected
from course_lib.checks.judgement import judge
from course_lib.checks.observation import observe

sys.path.insert(0, str(ROOT / "tests"))

from graded import GRADED, drawing


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=60, help="for each mistake")
    parser.add_argument("exercise", nargs="*", help="all where none is named")
    options = parser.parse_args()
    if unknown := set(options.exercise) - set(GRADED):
        sys.exit(f"no exercise is called {', '.join(sorted(unknown))}; there are {', '.join(GRADED)}")
    torch.set_num_threads(1)
    print(f"{'exercise':32}{'mistakes':>9}  in how many of {options.seeds} seeds")
    for name in options.exercise or GRADED:
        full, other = outcomes(GRADED[name], options.seeds)
        found = [f"{key} earned all points: {count}" for key, count in full.items()]
        found += [
            f"{key} was called {', '.join(called) or 'nothing'}: {n}" for (key, called), n in other.items()
        ]
        print(f"{name:32}{len(GRADED[name].mistakes):9}  {'; '.join(found)}", flush=True)


def outcomes(exercise, seeds):
    """How often each mistake earned all points, and how often it was called by other names than its own."""
    full, other = Counter(), Counter()
    task = Expected(exercise, 0).task
    observed = [observe(task, mistake.implementation) for mistake in exercise.mistakes]
    for seed in range(seeds):
        expected = Expected(exercise, seed)
        for mistake, observation in zip(exercise.mistakes, observed, strict=True):
            answer = drawing(mistake.implementation)
            parts = {part.name: expected.task.run(answer, part.name) for part in exercise.parts}
            judgement = judge(expected, replace(observation, parts=parts))
            if all(verdict.status == "right" for verdict in judgement.verdicts):
                full[mistake.key] += 1
            elif judgement.mistakes != [mistake.key]:
                other[mistake.key, tuple(judgement.mistakes)] += 1
    return full, other


if __name__ == "__main__":
    main()
