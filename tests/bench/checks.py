"""How long a check takes, beside a bare `import torch`: python tests/bench/checks.py

Right answers are compared with the reference; wrong ones run through the table of mistakes as well.
"""

import importlib
import statistics
import subprocess
import sys
import time

import torch

from course_lib.authoring.build import lessons


def milliseconds(call, repeat=5):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def main():
    torch.set_num_threads(1)
    imported = milliseconds(lambda: subprocess.run([sys.executable, "-c", "import torch"], check=True), 3)
    print(f"import torch {imported:.0f} ms; checks in ms:")
    print(f"{'exercise':32}{'right':>9}{'wrong: median':>16}{'slowest':>9}")
    everything = []
    for path in lessons():
        lesson = importlib.import_module(f"course_lib.exercises.{path.stem[3:]}").lesson
        for name, exercise in lesson.exercises.items():
            answers = [exercise.reference_implementation, *(m.implementation for m in exercise.mistakes)]
            right, *wrong = [milliseconds(lambda a=a, n=name, l=lesson: l.check(n, a)) for a in answers]
            everything += [right, *wrong]
            print(f"{name:32}{right:9.1f}{statistics.median(wrong):16.1f}{max(wrong):9.1f}")
    median = statistics.median(everything)
    print(f"median of all {median:.1f} ms, {median / imported:.1%} of the import")


if __name__ == "__main__":
    main()
