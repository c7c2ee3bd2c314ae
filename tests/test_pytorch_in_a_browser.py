"""Lessons 00 to 05 with all their experiments, where a browser's Python would run them: see the script."""

import json
import subprocess
import sys

import pytest

from course_lib.authoring.build import ROOT, lessons

SCRIPT = ROOT / "tests" / "pytorch_in_a_browser.py"
NAMES = [path.stem for path in lessons() if path.stem < "06"]


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_needs_no_timer_process_thread_or_file(name, tmp_path):
    notebook = ROOT / "solutions" / name / f"{name}.ipynb"
    done = subprocess.run(
        [sys.executable, SCRIPT, notebook], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    told = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    assert [one["raised"] for one in told if "raised" in one] == []
    checks = [one for one in told if "check" in one]
    assert checks and all(one["points"] == one["of"] for one in checks)
    assert list(tmp_path.iterdir()) == []
