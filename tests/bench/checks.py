"""What a check costs, beside a bare `import torch`: python tests/bench/checks.py [LESSON ...]

Milliseconds of CPU, so that other work on the machine does not count. Right answers are compared with the
reference; wrong ones run through the table of mistakes as well. What these give is kept for a session, so the
first check of an exercise costs more: it is not counted here. A reference that is PyTorch's own function
is refused as an answer, so there a variant stands for it.
"""

import importlib
import resource
import statistics
import subprocess
import sys

import torch

from course_lib.authoring.build import lessons


def main(chosen):
    known = {path.stem: path.stem[3:] for path in lessons()}
    if unknown := set(chosen) - set(known):
        sys.exit(f"no lesson is called {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    torch.set_num_threads(1)
    imported = milliseconds(lambda: subprocess.run([sys.executable, "-c", "import torch"], check=True))
    print(f"import torch {imported:.0f} ms; checks in ms of CPU:")
    print(f"{'exercise':32}{'right':>9}{'wrong: median':>16}{'slowest':>9}", flush=True)
    everything = []
    for stem in chosen or known:
        lesson = importlib.import_module(f"course_lib.exercises.{known[stem]}").lesson
        checks = [time for name in lesson.exercises for time in measure(lesson, name)]
        print(f"{stem:32}{statistics.median(checks):9.1f} median of all", flush=True)
        everything += checks
    median = statistics.median(everything)
    print(f"median of all {median:.1f} ms, {median / imported:.1%} of the import")


def measure(lesson, name):
    """Of a right answer, and of each listed mistake; printed as one line."""
    exercise = lesson.exercises[name]
    variants = exercise.accepted.values() if exercise.ready_made else ()
    right = next(iter(variants), exercise.reference_implementation)
    answers = [right, *(mistake.implementation for mistake in exercise.mistakes)]
    right, *wrong = times = [milliseconds(lambda a=a: lesson.check(name, a)) for a in answers]
    print(f"{name:32}{right:9.1f}{statistics.median(wrong):16.1f}{max(wrong):9.1f}", flush=True)
    return times


def milliseconds(call, repeat=3):
    times = []
    for _ in range(repeat):
        start = cpu()
        call()
        times.append(1000 * (cpu() - start))
    return statistics.median(times)


def cpu():
    """Seconds, of this process and of those that it has waited for."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


if __name__ == "__main__":
    main(sys.argv[1:])
