"""Endless answers are stopped, whatever they swallow; slow ones on a busy machine are not."""

import contextlib
import functools
import inspect
import signal
import sys
import threading
import time

import pytest
import torch

from course_lib.checks import lesson as lessons
from course_lib.checks.timeout import Patience, TimeLimitError, limited
from course_lib.exercises.attention import lesson

if not hasattr(signal, "setitimer"):
    pytest.skip("no timers here", allow_module_level=True)

LIMIT = 0.2
ALARM = signal.SIGALRM


def counts(number=0):
    while True:
        number += 1


def swallows(number=0):
    while True:
        try:
            number += 1
        except:  # noqa: E722
            number -= 1


def swallows_in_a_long_step():
    while True:
        try:  # noqa: SIM105
            torch.ones(300, 300).inverse()
        except:  # noqa: E722
            pass


def swallows_twice():
    while True:
        try:
            try:
                torch.ones(300, 300).inverse()
            except:  # noqa: E722
                torch.ones(300, 300).inverse()
        except BaseException:
            pass


def goes_on_in_finally():
    while True:
        try:
            torch.ones(300, 300).inverse()
        finally:
            continue  # noqa: B012


def swallows_in_a_function_that_swallows():
    while True:
        with contextlib.suppress(BaseException):
            once()


def once():
    with contextlib.suppress(BaseException):
        torch.ones(300, 300).inverse()


def sleeps():
    time.sleep(1000)


def swallows_asleep():
    while True:
        try:  # noqa: SIM105
            time.sleep(1000)
        except:  # noqa: E722
            pass


ENDLESS = [
    counts,
    swallows,
    swallows_in_a_long_step,
    swallows_twice,
    goes_on_in_finally,
    swallows_in_a_function_that_swallows,
    sleeps,
    swallows_asleep,
]


@pytest.mark.parametrize("answer", ENDLESS)
def test_what_never_ends_is_stopped_and_leaves_nothing_behind(answer):
    before = signal.getsignal(ALARM), sys.gettrace()
    with pytest.raises(TimeLimitError):
        limited(LIMIT, answer)
    assert (signal.getsignal(ALARM), sys.gettrace()) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def works(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return "done"


def test_waiting_for_a_core_of_a_busy_machine_does_not_count(monkeypatch):
    """A third of a core, as far as the alarm can see: what works for twice the limit has time enough."""
    cpu = time.process_time
    monkeypatch.setattr("course_lib.checks.timeout.process_time", lambda: cpu() / 3)
    assert limited(LIMIT, lambda: works(2 * LIMIT)) == "done"
    with pytest.raises(TimeLimitError):
        limited(LIMIT, lambda: works(20 * LIMIT))


def test_our_own_code_is_never_stopped_half_done():
    """As when it puts in order what an answer has left behind."""
    ours = compile(inspect.getsource(works), lessons.__file__, "exec")
    exec(ours, names := {"time": time})
    assert limited(LIMIT, functools.partial(names["works"], 2 * LIMIT)) == "done"


def test_there_is_no_limit_in_a_thread_and_while_another_uses_the_timer():
    done = []
    thread = threading.Thread(target=lambda: done.append(limited(LIMIT, lambda: works(2 * LIMIT))))
    thread.start()
    thread.join()
    assert done == ["done"]
    signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        assert limited(LIMIT, lambda: works(2 * LIMIT)) == "done"
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def test_all_probes_together_are_bounded():
    patience, total = Patience(20), 0.0
    for _ in range(100):
        total += patience.seconds
        patience.lose()
    assert total < 25
    assert patience.lost


@pytest.mark.parametrize("grading", [False, True])
def test_a_learner_is_told_of_it_once_and_the_other_parts_count(monkeypatch, grading):
    def causal_mask(size):
        return torch.ones(size, size, dtype=torch.bool).tril() if size < 5 else swallows(size)

    monkeypatch.setattr(lessons, "Patience", lambda: Patience(LIMIT))
    monkeypatch.setattr(lessons, "is_grading", lambda: grading)
    monkeypatch.setenv(lessons.SOLUTIONS, str(lessons.Path(__file__).parents[1] / "solutions"))
    text = str(lesson.check("causal_mask", causal_mask))
    assert f"did not end within {LIMIT} seconds. Does every loop in it stop? It was stopped at `line " in text
    assert text.count("Does every loop in it stop?") == 1
    assert text.count("did not end here either") == 1


def test_nobody_is_asked_while_checking():
    def causal_mask(size):
        return torch.ones(int(input("size? ")), size)

    score = lesson.check("causal_mask", causal_mask)
    assert score.report.status == "wrong"
    assert "`input()` cannot be used in a check. Use the arguments." in str(score)
