"""Code that is sent to a learner's process tells neither its line nor its name."""

import builtins
import pickle
import traceback

import cloudpickle
import pytest

from course_lib import exercises
from course_lib.exercises.bug_clinic.decoders import NoMask
from course_lib.exercises.bug_clinic.test_translate import PIECE, sum_model
from course_lib.exercises.bug_clinic.translate_mistakes import last_word_only
from course_lib.grading.sandbox.nowhere import HOME, MODULE, NAMELESS, dumps, nowhere


@pytest.fixture
def sent():
    cloudpickle.register_pickle_by_value(exercises)
    yield [pickle.loads(dumps(code)) for code in [*PIECE.right.values(), *PIECE.wrong]]
    cloudpickle.unregister_pickle_by_value(exercises)


def test_all_code_fails_at_the_same_place(sent):
    places = set()
    for code in sent:
        try:
            code(None, None, None)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)[1:]
            places |= {(frame.filename, frame.lineno, frame.name) for frame in frames}
    assert places == {(HOME, 1, NAMELESS)}


def test_no_function_and_no_class_tells_its_module(sent):
    for code in sent:
        assert code.__module__ == MODULE
        assert {name: code.__globals__[name] for name in code.__globals__ if "__" in name} == {
            "__name__": MODULE,
            "__builtins__": builtins.__dict__,
        }
    kind = pickle.loads(dumps(NoMask))
    assert kind.__module__ == kind.forward.__globals__["__name__"] == kind.__init__.__module__ == MODULE


def test_it_computes_what_it_did(sent):
    import torch

    source, target = torch.tensor([[4, 5]]), torch.tensor([[1, 9, 9]])
    for before, after in zip([*PIECE.right.values(), *PIECE.wrong], sent, strict=True):
        assert torch.equal(after(sum_model, source, target), before(sum_model, source, target))


def test_each_instruction_has_a_line():
    code = nowhere(last_word_only.__code__)
    assert {position[0] for position in code.co_positions()} == {1}
    assert len(list(code.co_positions())) == len(code.co_code) // 2
