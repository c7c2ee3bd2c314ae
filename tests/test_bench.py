"""What the bench shows must be what it says: other seeds, and nobody's points."""

import os
import subprocess
import sys

from course_lib.authoring.build import ROOT
from course_lib.checks.progress import FOLDER


def bench(folder, *arguments):
    command = [sys.executable, ROOT / "tests" / "bench" / "lesson.py", "00_start_here", *arguments]
    env = {**os.environ, FOLDER: str(folder)}
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=env)


def test_a_lesson_is_run_again_with_other_seeds(tmp_path):
    done = bench(tmp_path, "--runs", "2", "--show", "torch.initial_seed()", "Recipe(steps=1).seed", "7")
    assert done.stdout.endswith("run 0: 0\nrun 1: 1000\n\nrun 0: 0\nrun 1: 1000\n\n"), done.stderr
    assert list(tmp_path.iterdir()) == [], "the points of whoever runs it stay as they are"


def test_code_that_is_not_there_cannot_be_replaced(tmp_path):
    done = bench(tmp_path, "--replace", "Recipe(steps=1)", "Recipe(steps=2)")
    assert (done.returncode, done.stderr) == (1, "no code cell of the lesson holds 'Recipe(steps=1)'\n")
