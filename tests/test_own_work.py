"""While an answer is observed the course's own code refuses to run."""

import contextlib
import functools
import inspect
import os
import sys
import threading
from types import ModuleType, SimpleNamespace

import pytest
import torch

from course_lib.checks import switches
from course_lib.checks.definitions import WORKSHOP
from course_lib.checks.own_work import keep_from_answers, keep_uninterrupted, own_work
from course_lib.checks.results import RejectedError

PRETENDED = f"{WORKSHOP}{os.sep}pretended"
COURSE = """
import functools
from dataclasses import dataclass
from types import SimpleNamespace
import torch

def twice(x):
    return 2 * x

def twice_later(x, function=twice):
    yield 2 * x
    yield function(x)

def safely(told):
    try:
        told.append((yield 2))
    finally:
        told.append("ended")

def calling(callback, x):
    return 2 * callback(x)

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
    @functools.cached_property
    def third(self):
        return self.rate / 3
    @classmethod
    def of(cls, rate):
        return cls(rate)

held = SimpleNamespace(twice=twice)
"""


@pytest.fixture(scope="module")
def course():
    """A module of the course as a child has it."""
    module = ModuleType("course_lib.pretended")
    sys.modules[module.__name__] = module  # where a dataclass looks
    exec(compile(COURSE, f"{PRETENDED}.py", "exec"), vars(module))
    keep_from_answers(PRETENDED, (f"{PRETENDED}_checks",))
    yield module
    del sys.modules[module.__name__]


X = torch.ones(2)
USES = {
    "function": lambda course: course.twice(X),
    "function in a field": lambda course: course.held.twice(X),
    "module": lambda course: course.Layer()(X),
    "method": lambda course: course.Settings(2.0).at(3),
    "property": lambda course: course.Settings(2.0).half,
    "cached property": lambda course: course.Settings(2.0).third,
    "class method": lambda course: course.Settings.of(2.0),
    "default": lambda course: inspect.signature(course.twice_later).parameters["function"].default(X),
    "generator": lambda course: list(course.twice_later(X)),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_it_runs_in_a_cell_and_not_in_an_answer(course, use):
    use(course)
    with pytest.raises(RejectedError, match="of the course"), own_work(()):
        use(course)
    with own_work({"twice", "twice_later", "Layer", "Settings"}):
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


def test_what_is_lent_runs_the_rest_but_not_for_a_learners_code_that_it_calls(course):
    with own_work({"Layer"}):
        assert course.Layer()(X).tolist() == [2, 2]
    with pytest.raises(RejectedError, match="`twice`"), own_work({"calling"}):
        course.calling(lambda x: course.twice(x), X)
    with pytest.raises(RejectedError, match="`twice`"), own_work({"calling"}):
        course.calling(functools.partial(course.twice), X)  # no frame of a learner's lies between


def test_what_is_lent_gets_no_tensor_that_says_of_itself_what_it_likes(course):
    class Short(torch.Tensor):
        shape = (1,)

    class Two(int):
        __hash__, __eq__ = int.__hash__, lambda self, other: True

    got = []
    keep = lambda given: got.append(given) or X  # noqa: E731
    with own_work({"calling"}):
        course.calling(keep, {"a": [Short(X), Two(2), X]})
        course.calling(keep, box := Box([Short(X)]))
    assert [type(one) for one in got[0]["a"]] == [torch.Tensor, int, torch.Tensor] and got[0]["a"][2] is X
    assert got[1] is box  # the course may work with an object of the learner's
    course.calling(keep, given := [Short(X)])
    assert got[2] is given


class Box(list):
    pass


def test_a_call_that_has_begun_has_to_end_before(course):
    begun, end = threading.Event(), threading.Event()
    thread = threading.Thread(target=course.calling, args=(lambda x: begun.set() or (end.wait() and x), X))
    thread.start()
    begun.wait()
    with pytest.raises(RejectedError, match="`calling` has not ended"), own_work(()):
        pass
    end.set()
    thread.join()
    with own_work(()):
        pass


def test_a_generator_that_has_begun_does_not_go_on(course):
    later = course.twice_later(X)
    assert next(later).tolist() == [2, 2]
    with pytest.raises(RejectedError, match="`twice_later`"), own_work(()):
        next(later)


def test_a_generator_is_sent_to_thrown_into_and_closed_as_ever(course):
    told = []
    for go_on in (lambda one: one.send(5), lambda one: one.throw(KeyError), lambda one: one.close()):
        steps = course.safely(told)
        assert next(steps) == 2
        with contextlib.suppress(StopIteration, KeyError):
            go_on(steps)
    assert told == [5, "ended", "ended", "ended"]


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
