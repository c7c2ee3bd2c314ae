"""An interrupt ends work, and neither a message halfway nor the wait for the next request."""

import signal
import subprocess
import sys

import pytest

from course_lib.grading.sandbox.interrupts import Interrupts


@pytest.fixture
def interrupts():
    before = signal.getsignal(signal.SIGINT)
    made = Interrupts()
    made.handle()
    yield made
    signal.signal(signal.SIGINT, before)


def ring():
    signal.raise_signal(signal.SIGINT)


def test_work_is_ended(interrupts):
    with pytest.raises(KeyboardInterrupt), interrupts.working():
        ring()


def test_no_work_means_no_interrupt_now_or_later(interrupts):
    ring()
    with interrupts.working():
        pass
    ring()


def test_a_message_of_the_work_is_sent_whole(interrupts):
    sent = []
    with pytest.raises(KeyboardInterrupt), interrupts.working():
        with interrupts.message():
            ring()
            sent.append("whole")
        sent.append("more")
    assert sent == ["whole"]
    with interrupts.working(), interrupts.message():
        pass


def test_it_interrupts_once(interrupts):
    with pytest.raises(KeyboardInterrupt), interrupts.working():
        try:
            ring()
        finally:
            ring()  # while what the first has left is put in order


def test_alone_no_handler_and_no_timer_of_others_calls_anything_and_then_they_are_back(interrupts):
    called = []
    before = signal.signal(signal.SIGVTALRM, lambda *_: called.append("theirs"))
    signal.setitimer(signal.ITIMER_REAL, 60)
    try:
        with interrupts.alone():
            signal.raise_signal(signal.SIGVTALRM)
            assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
            assert not called
        signal.raise_signal(signal.SIGVTALRM)
        assert called == ["theirs"]
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def test_alone_a_child_can_be_waited_for_though_a_cell_has_a_handler_for_its_end(interrupts):
    """As PyTorch's DataLoader has: copies of an answer's process are waited for."""
    before = signal.signal(signal.SIGCHLD, lambda *_: None)
    try:
        with interrupts.alone():
            child = subprocess.Popen([sys.executable, "-c", "raise SystemExit(7)"])
            assert child.wait() == 7  # 0 where nobody knows how it has ended
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_alone_the_judge_interrupts_though_a_cell_has_another_handler(interrupts):
    theirs = lambda *_: None  # noqa: E731
    signal.signal(signal.SIGINT, theirs)
    with pytest.raises(KeyboardInterrupt), interrupts.alone(), interrupts.working():
        ring()
    assert signal.getsignal(signal.SIGINT) is theirs
