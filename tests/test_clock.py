"""Limits of a submission: CPU time and sleep count, waiting for a core does not."""

import os
import subprocess
import sys

import pytest

from course_lib.checks import clock as clocks
from course_lib.checks.clock import Clock
from course_lib.grading.sandbox import clock as limits
from course_lib.grading.sandbox.clock import Allowance, DeadlineError

GRACE = 5


class Machine:
    """A wall clock, and the CPU time of a child; both go on only when told."""

    def __init__(self):
        self.wall, self.cpu, self.interrupts = 1000.0, 0.0, 0

    def monotonic(self):
        return self.wall

    def cpu_seconds(self):
        return self.cpu

    def interrupt(self):
        self.interrupts += 1

    def allow(self, clock, seconds):
        return Allowance(clock, seconds, GRACE, self.interrupt)

    def run(self, timeout, seconds, share, step=0.25):
        """So many seconds by the wall clock, of which the child gets a share of a core."""
        for _ in range(round(seconds / step)):
            self.wall += step
            self.cpu += step * share
            timeout()


@pytest.fixture
def machine(monkeypatch):
    machine = Machine()
    monkeypatch.setattr(clocks, "time", machine)
    monkeypatch.setattr(limits, "time", machine)
    return machine


def test_waiting_for_a_core_does_not_count(machine):
    clock = Clock(machine.cpu_seconds)
    machine.run(machine.allow(clock, 3), 25, share=1 / 10)
    assert machine.interrupts == 0
    assert clock.used() == pytest.approx(2.5)


def test_cpu_time_of_all_cores_counts(machine):
    timeout = machine.allow(Clock(machine.cpu_seconds), 3)
    machine.run(timeout, 1.25, share=2)
    assert machine.interrupts == 0
    machine.run(timeout, 0.25, share=2)
    assert machine.interrupts == 1


def test_sleep_counts_in_full(machine):
    timeout = machine.allow(Clock(machine.cpu_seconds), 3)
    machine.run(timeout, 2.75, share=0)
    assert machine.interrupts == 0
    machine.run(timeout, 0.5, share=0)
    assert machine.interrupts == 1


def test_after_an_interrupt_there_is_a_grace_and_then_an_end(machine):
    timeout = machine.allow(Clock(machine.cpu_seconds), 1)
    machine.run(timeout, 1, share=1)
    assert machine.interrupts == 1
    with pytest.raises(DeadlineError):
        machine.run(timeout, GRACE, share=1)
    assert machine.interrupts == 1


def test_who_does_next_to_nothing_is_ended_by_the_wall_clock(machine):
    clock = Clock(machine.cpu_seconds)
    timeout = machine.allow(clock, 3)
    machine.run(timeout, 3 * clocks.WALL_FACTOR - 0.25, share=0.01)
    assert machine.interrupts == 0
    machine.run(timeout, 0.25, share=0.01)
    assert machine.interrupts == 1
    assert clock.left(2) == 0  # of the submission as a whole


def test_a_child_does_not_pay_for_the_time_between_its_steps_nor_for_ours(machine):
    clock = Clock(machine.cpu_seconds)
    machine.wall += 50
    machine.allow(clock, 3)
    assert clock.used() == 0
    machine.wall += 50  # the grader itself was kept waiting
    assert clock.used() == clocks.IDLE


def test_what_earlier_children_have_used_counts_on(machine):
    clock = Clock(machine.cpu_seconds)
    machine.run(machine.allow(clock, 9), 4, share=1)
    machine.cpu = 0.0
    clock.next_child()
    machine.run(machine.allow(clock, 9), 2, share=1)
    assert clock.used() == pytest.approx(6)
    assert clock.left(10) == pytest.approx(4)


BUSY = """
import os, threading, time
def spend():
    end = time.thread_time() + 0.2
    while time.thread_time() < end: pass
def rest():
    print(flush=True)
    os.read(0, 1)
if (ended := os.fork()) == 0: spend(); os._exit(0)
os.waitpid(ended, 0)
if os.fork() == 0: spend(); rest(); os._exit(0)
thread = threading.Thread(target=spend); thread.start(); thread.join()
rest()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the grader needs Linux")
def test_cpu_time_is_that_of_threads_children_and_children_of_children():
    from course_lib.grading.sandbox.isolation import cpu_seconds

    before = cpu_seconds(os.getpid())
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", BUSY], **pipes) as process:
        assert process.stdout.readline() and process.stdout.readline()
        used = cpu_seconds(os.getpid()) - before
        process.stdin.close()
    assert used > 0.5
