"""What the bench shows must be what it says: other seeds, and nobody's points."""

import os
import re
import runpy
import subprocess
import sys

import pytest

from course_lib import exercises
from course_lib.authoring.build import ROOT
from course_lib.checks.exercise import Exercise, Mistake
from course_lib.checks.lesson import SOLUTIONS
from course_lib.state import FOLDER

SEEDS = str(ROOT / "tests" / "bench" / "seeds.py")
BENCH = str(ROOT / "tests" / "bench" / "lesson.py")


def bench(folder, *arguments):
    command = [sys.executable, BENCH, "00_start_here", *arguments]
    env = {**os.environ, FOLDER: str(folder)}
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=env)


def test_a_lesson_is_run_again_with_other_seeds(tmp_path):
    done = bench(tmp_path, "--runs", "2", "--show", "torch.initial_seed()", "Recipe(steps=1).seed", "7")
    assert done.stdout.endswith("run 0: 0\nrun 1: 1000\n\nrun 0: 0\nrun 1: 1000\n\n"), done.stderr
    assert list(tmp_path.iterdir()) == [], "the points of whoever runs it stay as they are"


def test_one_cell_is_run_with_what_it_needs(tmp_path):
    done = bench(tmp_path, "--runs", "2", "--only", "x.mean(dim=1)[0] /")
    runs = re.findall(r"run \d:.*?plain mean tensor\(.*?\)", done.stdout, re.DOTALL)
    assert len(set(runs)) == 2 == done.stdout.count("run "), done.stderr
    assert "heatmap" not in done.stdout


def test_the_history_knows_the_cell_that_trains(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    names = runpy.run_path(str(ROOT / "tests" / "bench" / "history.py"))
    assert names["LESSON"].read_text(encoding="utf-8").count(names["TRAINS"]) == 1, "it trains its own"


def test_the_bench_of_inference_runs_the_lesson(monkeypatch, capsys):
    monkeypatch.setenv(FOLDER, "")
    monkeypatch.setattr(sys, "path", list(sys.path))
    names = runpy.run_path(str(ROOT / "tests" / "bench" / "inference.py"))
    monkeypatch.setitem(names["words"].__globals__, "LENGTHS", (3,))
    names["words"](names["the_lesson"](), 1, cuda=False)
    assert "cache of 3 texts of 100 words: 614400 bytes, formula 614400" in capsys.readouterr().out


def test_code_that_is_not_there_cannot_be_replaced(monkeypatch):
    replacement = ["--replace", "Recipe(steps=1)", "Recipe(steps=2)"]
    monkeypatch.setattr(sys, "argv", [BENCH, "00_start_here", *replacement])
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv(FOLDER, "")
    with pytest.raises(SystemExit) as ended:  # a text as its code: printed as an error, exit code 1
        runpy.run_path(BENCH, run_name="__main__")
    assert ended.value.code == "no code cell of the lesson holds 'Recipe(steps=1)'"


def seeds(monkeypatch, *arguments):
    """How the bench of seeds ends."""
    monkeypatch.setattr(sys, "argv", [SEEDS, "softmax", *arguments])
    monkeypatch.setenv(FOLDER, "")
    monkeypatch.setenv(SOLUTIONS, "")  # set by the bench itself, and put back after the test
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(SEEDS, run_name="__main__")
    return ended.value.code


def unlucky(scores):
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    return powers / powers.sum(-1, keepdim=True) + (scores.flatten()[0] > 1)


def test_an_answer_that_a_few_seeds_refuse_is_found(monkeypatch, capsys):
    monkeypatch.setitem(exercises.load("00_start_here").exercises["softmax"].accepted, "unlucky", unlucky)
    assert seeds(monkeypatch, "--seeds", "20") == 1
    shown = capsys.readouterr().out
    found = re.findall(r"^    (.+): (\d+) seeds: ", shown, re.MULTILINE)
    assert {variant for variant, _ in found} == {"unlucky"}, "the right answers have no bad luck"
    assert any(int(seeds) < 20 for _, seeds in found), "a few seeds"


def test_other_seeds_are_tried_until_the_seconds_are_over(monkeypatch, capsys):
    assert seeds(monkeypatch, "--start", "1000", "--seeds", "3") == 0
    assert " 3 seeds, 0 refused" in capsys.readouterr().out
    assert seeds(monkeypatch, "--seeds", "3", "--seconds", "0") == 0
    assert " 1 seeds, 0 refused" in capsys.readouterr().out


def test_a_mistake_that_a_few_seeds_let_pass_is_found(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    outcomes = runpy.run_path(str(ROOT / "tests" / "bench" / "lucky.py"))["outcomes"]
    exercise = Exercise("absolute", points=1, returns=("number",), hints=[], examples=["absolute(-1)"])
    exercise.reference(abs)

    @exercise.part("the sign is gone", points=1)
    def sign(absolute, inputs):
        return {"number": absolute(int(inputs.integers(-2, 2, 1)))}

    exercise.mistakes = (Mistake("as_it_was", "You change nothing.", lambda x: x),)
    full, other = outcomes(exercise, 20)
    assert 0 < full["as_it_was"] < 20 and not other
