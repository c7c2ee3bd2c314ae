"""A lesson computes in one thread, unless somebody has chosen how many."""

import os
import subprocess
import sys

import pytest
import torch

from course_lib.checks.threads import CHOSEN
from course_lib.exercises.attention import lesson


def test_a_check_runs_in_one_thread_and_gives_the_others_back():
    before = torch.get_num_threads()
    seen = set()

    def causal_mask(size):
        seen.add(torch.get_num_threads())
        raise KeyboardInterrupt

    torch.set_num_threads(3)
    try:
        with pytest.raises(KeyboardInterrupt):
            lesson.check("causal_mask", causal_mask)
        assert (seen, torch.get_num_threads()) == ({1}, 3)
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(("chosen", "threads"), [({}, "1"), ({CHOSEN: "2"}, "2")], ids=["none", "two"])
def test_a_lesson_begins_with_one_thread(chosen, threads):
    code = "import course_lib.exercises.attention, torch; print(torch.get_num_threads())"
    environment = {name: value for name, value in os.environ.items() if name != CHOSEN} | chosen
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == threads
