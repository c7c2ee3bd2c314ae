"""An interrupt ends work, and neither a message halfway nor the wait for the next request."""

import signal

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
