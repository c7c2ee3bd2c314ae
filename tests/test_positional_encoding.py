"""Lesson 04: its references are the library's functions, and wrong answers that are in no list get help."""

import pytest
import torch

from course_lib.exercises.positional_encoding import lesson
from course_lib.exercises.positional_encoding.apply_rotary import turns
from course_lib.model import positions

X = torch.randn(2, 3, 7, 10, generator=torch.Generator().manual_seed(0))
RIGHT = {name: exercise.reference_implementation for name, exercise in lesson.exercises.items()}


# Of the references only what stands in a table: an answer that uses one by its name is refused.
def sinusoids(length, d_model):
    return RIGHT["sinusoidal_encoding"](length, d_model)


def rotary(x, cos, sin):
    return RIGHT["apply_rotary"](x, cos, sin)


def told(name, answer):
    return str(lesson.check(name, answer))


def test_the_references_are_the_librarys_functions():
    assert torch.allclose(sinusoids(40, 12), positions.sinusoidal_encoding(40, 12))
    assert torch.allclose(rotary(X, *turns(7, 10)), positions.apply_rotary(X, *turns(7, 10)), atol=1e-6)
    assert torch.allclose(rotary(X, *turns(7, 10)), positions.RotaryPositions(10, 9)(X), atol=1e-6)


def ring(rate, shift=0.0):
    """An encoding whose pair i turns by rate(i, d_model) a position, and begins at `shift`."""

    def encoding(length, d_model):
        pair = torch.arange((d_model + 1) // 2)
        angle = torch.arange(length)[:, None] * rate(pair, d_model) + shift
        return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(start_dim=1)[:, :d_model]

    return encoding


def test_an_unknown_rate_is_measured():
    text = told("sinusoidal_encoding", ring(lambda i, d: 0.9 ** (2 * i)))
    assert "Columns 2 and 3 turn by 0.81 a position (without whole turns), expected 0.1585" in text
    assert "look at the exponent" in text
    assert "2 of 4 points, and 1 hidden" in text


def test_an_unknown_first_row_is_shown():
    text = told("sinusoidal_encoding", ring(lambda i, d: 1e4 ** (-2 * i / d), shift=0.5))
    assert "Position 0 begins 0.48, 0.88, 0.48, 0.88, expected 0, 1, 0, 1" in text


def test_a_constant_encoding_gets_no_points_for_its_distances():
    text = told("sinusoidal_encoding", lambda length, d_model: torch.ones(length, d_model))
    assert "Two neighboring positions have the same row." in text
    assert "the squares of columns" in text or "Position 0 begins 1.00, 1.00" in text


def test_a_shift_that_moves_nothing():
    text = told("shift_matrix", lambda k, d_model: torch.eye(d_model))
    assert "it leaves every position where it is." in text
    assert "0 of 4 points, and 1 hidden" in text


def test_a_fitted_matrix_for_rows_moves_back():
    def fitted(k, d_model):
        table = sinusoids(100, d_model)
        return torch.linalg.lstsq(table[:-k], table[k:]).solution

    text = told("shift_matrix", fitted)
    assert "is not encoding[p + 3]: it moves 3 places back." in text
    assert "random" not in text


def test_a_turn_that_is_none():
    text = told("apply_rotary", lambda x, cos, sin: 2 * x)
    assert "your rotation does not depend on the position" in text
    stretched = lambda x, cos, sin: rotary(x, 2 * cos, 2 * sin)  # noqa: E731
    assert "position 0 are 0, so its vector must not change" in told("apply_rotary", stretched)


@pytest.mark.parametrize("name", ["PositionalEncoding", "LearnedPositions"])
def test_a_function_is_no_class(name):
    assert "expected a class" in told(name, lambda d_model, max_length: None)
