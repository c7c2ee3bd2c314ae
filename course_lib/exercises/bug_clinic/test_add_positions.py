"""test_add_positions: a test that tells right positions from broken ones."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.exercises.bug_clinic import add_positions_mistakes as wrong
from course_lib.exercises.bug_clinic.add_positions import add_positions, table
from course_lib.exercises.bug_clinic.code_under_test import Broken, accepts, catches

test_add_positions = Exercise(
    "test_add_positions",
    points=6,
    returns=(),
    hints=[
        "`sinusoidal_encoding`, imported above, is a piece that you trust. Of which size must x be, so that "
        "swapped axes, long sentences and wrong wavelengths cannot hide?",
        "Batch, length and width all different, the length above 7, the width above 2: "
        "for example (2, 9, 6).",
        "Floats are compared with `torch.allclose(a, b, atol=1e-5)`, for right code may round otherwise.",
        "`x = torch.randn(2, 9, 6)`, `before = x.clone()`, then assert that `add_positions(x)` is close to "
        "`before + sinusoidal_encoding(9, 6)`, and that x still equals `before`.",
    ],
    examples=[
        "test_add_positions(lambda x: (x.double() + torch.stack([f(torch.arange(x.shape[1]).double()[:, "
        "None] / 10000 ** (torch.arange(0, x.shape[2], 2).double() / x.shape[2])) for f in (torch.sin, "
        "torch.cos)], dim=-1).flatten(1)).float())",
        "test_add_positions(lambda x: x)",
        "test_add_positions(lambda x: x + torch.arange(x.shape[0])[:, None, None])",
        "test_add_positions(lambda x: x + torch.arange(1, x.shape[1] + 1)[:, None])",
        "test_add_positions(lambda x: x + torch.stack([f(torch.arange(x.shape[1])[:, None] / 10000 ** "
        "(torch.arange(0, x.shape[2], 2) / x.shape[2])) for f in (torch.cos, torch.sin)], "
        "dim=-1).flatten(1))",
        "test_add_positions(lambda x: x + torch.stack([f(torch.arange(x.shape[1])[:, None] / 10000 ** "
        "(torch.arange(0, x.shape[2], 2) / x.shape[2] * 2)) for f in (torch.sin, torch.cos)], "
        "dim=-1).flatten(1))",
        "test_add_positions(lambda x: x + torch.stack([f(torch.arange(7)[torch.arange(x.shape[1])][:, None] "
        "/ 10000 ** (torch.arange(0, x.shape[2], 2) / x.shape[2])) for f in (torch.sin, torch.cos)], "
        "dim=-1).flatten(1))",
        "test_add_positions(lambda x: x.add_(torch.stack([f(torch.arange(x.shape[1])[:, None] / "
        "10000 ** (torch.arange(0, x.shape[2], 2) / x.shape[2])) for f in (torch.sin, torch.cos)], "
        "dim=-1).flatten(1)))",
    ],
)


VALUES = "Shown by: the whole result compared with x + sinusoidal_encoding(seq, d_model)."


TOY = Broken(
    "gives the last word position 0 and all others one too many, as the toy's encoder does",
    "Shown by: the positions of more than one word.",
    wrong.last_is_zero,
)


TOY_DECODER = Broken(
    "gives the first word the largest position, as the toy's decoder does",
    "Shown by: the first word of a sentence, which stands at position 0.",
    wrong.first_is_last,
)


SEVEN = Broken(
    "knows seven positions only, as the toy does",
    "Shown by: a sentence of more than seven words.",
    wrong.seven_rows,
)


BATCH = Broken(
    "counts the sentences of the batch, not the words",
    "Shown by: different sizes of batch and sequence, and more than one word.",
    wrong.along_the_batch,
)


DOUBLED = Broken(
    "doubles the exponent, so that half of its columns hardly change",
    "Shown by: d_model above 2, and columns beyond the first two. " + VALUES,
    wrong.doubled_exponent,
)


IN_PLACE = Broken(
    "changes x itself, which the caller still needs",
    "Shown by: a copy of x made before the call, and compared with x after it.",
    wrong.in_place,
)


part = test_add_positions.part


part("right code passes, however it is written", points=1)(accepts(add_positions))


part("catches the toy's positions", points=1)(catches(add_positions, TOY, TOY_DECODER, SEVEN))


part("catches positions along the batch", points=1)(catches(add_positions, BATCH))


part("catches wrong wavelengths", points=1)(catches(add_positions, DOUBLED))


part("catches code that changes its argument", points=1)(catches(add_positions, IN_PLACE))


@test_add_positions.reference
def against_the_formula(add_positions):
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + table(9, 6), atol=1e-5)
    assert torch.equal(x, before)


@test_add_positions.accept("zeros in, positions out, compared number by number")
def number_by_number(add_positions):
    x = torch.zeros(3, 10, 4)
    output = add_positions(x)
    for sentence in output:
        for t in range(10):
            expected = [math.sin(t), math.cos(t), math.sin(t / 100), math.cos(t / 100)]
            for got, right in zip(sentence[t].tolist(), expected, strict=True):
                assert abs(got - right) < 1e-4, f"position {t}: {got}, expected {right}"
    assert not x.any(), "x was changed"


@test_add_positions.accept("with torch.testing.assert_close")
def assert_close(add_positions):
    torch.manual_seed(1)
    x = torch.randn(4, 12, 8)
    copy = x.detach().clone()
    torch.testing.assert_close(add_positions(x) - copy, table(12, 8).expand(4, -1, -1), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(x, copy)


@test_add_positions.accept("sines and cosines apart, in several sizes")
def several_sizes(add_positions):
    for batch, seq, d_model in ((1, 2, 8), (3, 5, 4), (5, 11, 12)):
        x = torch.ones(batch, seq, d_model)
        added = add_positions(x) - 1
        assert added.shape == (batch, seq, d_model)
        assert (x == 1).all()
        exact = table(seq, d_model)
        assert (added[..., 0::2] - exact[:, 0::2]).abs().max() < 1e-4
        assert (added[..., 1::2] - exact[:, 1::2]).abs().max() < 1e-4


@test_add_positions.accept("a long sentence, and rotations between neighbors")
def rotations(add_positions):
    x = torch.zeros(2, 20, 6)
    output = add_positions(x)
    assert (x == 0).all() and torch.equal(output[0], output[1])
    assert torch.allclose(output[0, 0], torch.tensor([0.0, 1.0, 0.0, 1.0, 0.0, 1.0]), atol=1e-5)
    pairs = torch.view_as_complex(output[0].unflatten(1, (3, 2)).flip(-1).contiguous())
    turns = torch.polar(torch.ones(3), 10000.0 ** -(torch.arange(3) / 3))
    assert torch.allclose(pairs[1:], pairs[:-1] * turns, atol=1e-4)
