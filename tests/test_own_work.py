"""While an answer is observed the course's own code refuses to run."""

import contextlib
import threading
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace

import pytest
import torch

from course_lib.checks import switches
from course_lib.checks.own_work import keep_from_answers, keep_uninterrupted, own_work
from course_lib.checks.results import RejectedError


def twice(x):
    return 2 * x


class Layer(torch.nn.Module):
    def forward(self, x):
        return twice(x)


@dataclass
class Settings:
    rate: float

    def at(self, step):
        return self.rate * step

    @property
    def half(self):
        return self.rate / 2

    @classmethod
    def of(cls, rate):
        return cls(rate)


@pytest.fixture(scope="module")
def course():
    """A module of the course as a child has it."""
    module = ModuleType("course_lib.pretended")
    for value in (twice, Layer, Settings):
        value.__module__ = module.__name__
        setattr(module, value.__name__, value)
    module.held = SimpleNamespace(twice=twice)
    keep_from_answers([module])
    return module


X = torch.ones(2)
USES = {
    "function": lambda course: course.twice(X),
    "function in a field": lambda course: course.held.twice(X),
    "module": lambda course: course.Layer()(X),
    "method": lambda course: course.Settings(2.0).at(3),
    "property": lambda course: course.Settings(2.0).half,
    "class method": lambda course: course.Settings.of(2.0),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_it_runs_in_a_cell_and_not_in_an_answer(course, use):
    use(course)
    with pytest.raises(RejectedError, match="of the course"), own_work(()):
        use(course)
    with own_work({"twice", "Layer", "Settings"}):
        use(course)
    use(course)


def test_who_catches_the_refusal_earns_nothing(course):
    with pytest.raises(RejectedError, match="`twice`"), own_work(()), contextlib.suppress(RejectedError):
        course.twice(X)


def test_another_thread_is_refused_too(course):
    def serve():
        with pytest.raises(RejectedError):
            course.twice(X)

    thread = threading.Thread(target=serve)
    with pytest.raises(RejectedError), own_work(()):
        thread.start()
        thread.join()


def test_the_function_itself_is_nowhere_about_it(course):
    assert not any(map(callable, vars(course.twice).values()))


def test_it_is_not_recorded(course):
    with pytest.raises(RuntimeError, match="not recorded"):
        torch.jit.trace(course.Layer(), X)


def test_an_answer_lets_nothing_run_between_two_steps(monkeypatch):
    signals = SimpleNamespace(signal=lambda number: number)
    monkeypatch.setattr(switches, "INTERRUPTS", [(signals, "signal")])
    keep_uninterrupted()
    assert signals.signal(14) == 14
    with (
        pytest.raises(RejectedError, match="calls `signal`"),
        own_work(()),
        contextlib.suppress(RejectedError),
    ):
        signals.signal(14)
    assert signals.signal(14) == 14
