"""What the bench shows must be what it says: other seeds, and nobody's points."""

import os
import runpy
import subprocess
import sys

import pytest

from course_lib.authoring.build import ROOT
from course_lib.checks.progress import FOLDER

BENCH = str(ROOT / "tests" / "bench" / "lesson.py")


def bench(folder, *arguments):
    command = [sys.executable, BENCH, "00_start_here", *arguments]
    env = {**os.environ, FOLDER: str(folder)}
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=env)


def test_a_lesson_is_run_again_with_other_seeds(tmp_path):
    done = bench(tmp_path, "--runs", "2", "--show", "torch.initial_seed()", "Recipe(steps=1).seed", "7")
    assert done.stdout.endswith("run 0: 0\nrun 1: 1000\n\nrun 0: 0\nrun 1: 1000\n\n"), done.stderr
    assert list(tmp_path.iterdir()) == [], "the points of whoever runs it stay as they are"


def test_code_that_is_not_there_cannot_be_replaced(monkeypatch):
    replacement = ["--replace", "Recipe(steps=1)", "Recipe(steps=2)"]
    monkeypatch.setattr(sys, "argv", [BENCH, "00_start_here", *replacement])
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv(FOLDER, "")
    with pytest.raises(SystemExit) as ended:  # a text as its code: printed as an error, exit code 1
        runpy.run_path(BENCH, run_name="__main__")
    assert ended.value.code == "no code cell of the lesson holds 'Recipe(steps=1)'"
