"""test_add_positions: a test that tells right positions from broken ones."""

import math

import torch

from course_lib.checks.exercise import Exercise
from course_lib.exercises.bug_clinic import add_positions as code
from course_lib.exercises.bug_clinic.add_positions import PIECE, table
from course_lib.exercises.bug_clinic.code_under_test import accepts, catches
from course_lib.exercises.bug_clinic.pieces import Broken
from course_lib.exercises.positional_encoding.sinusoidal_encoding import sinusoidal_encoding

EXAMPLES = {
    one.__name__: one
    for one in (
        code.rounded_positions,
        code.no_positions,
        code.along_the_batch,
        code.only_the_first_moves,
        code.positions_from_one,
        code.sine_and_cosine_swapped,
        code.doubled_exponent,
        code.seven_rows,
        code.in_place,
        code.only_positions,
    )
}

test_add_positions = Exercise(
    "test_add_positions",
    points=6,
    returns=(),
    repeatable=False,
    is_test=True,
    hints=[
        "You can trust `sinusoidal_encoding`, which is imported above. Which size must x have, so that a "
        "wrong axis, a table of seven rows, and wrong wavelengths all give a wrong result?",
        "Let batch, length and width all differ, with a length above 7 and a width above 2: for example (2, "
        "9, 6). Draw x at random, because zeros hide that x is lost.",
        "Compare floats with `torch.allclose(a, b, atol=1e-5)`, because right code may round differently.",
        "`x = torch.randn(2, 9, 6)`, `before = x.clone()`, `assert torch.allclose(add_positions(x), before "
        "+ sinusoidal_encoding(9, 6), atol=1e-5)`, `assert torch.equal(x, before)`.",
    ],
    examples=[f"test_add_positions({name})" for name in EXAMPLES],
    uses=(sinusoidal_encoding,),
    names=EXAMPLES,
)


VALUES = "Compare the whole result with x + sinusoidal_encoding(seq, d_model)."


TOY = Broken(
    "gives the last word position 0, and all other words a position that is 1 too large, as the toy's "
    "encoder does",
    "Shown by: the positions of more than one word.",
    code.last_is_zero,
)


TOY_DECODER = Broken(
    "gives the first word the largest position, as the toy's decoder does",
    "Shown by: the first word of a sentence, which must have position 0.",
    code.first_is_last,
)


SEVEN = Broken(
    "has only seven positions, as the toy does",
    "Shown by: a sentence of more than seven words.",
    code.seven_rows,
)


REPEATED = Broken(
    "gives all words after the seventh the position of the seventh",
    "Shown by: a sentence of more than seven words, and all of its words compared.",
    code.seventh_repeated,
)


BATCH = Broken(
    "counts the sentences of the batch, not the words",
    "Shown by: different sizes of batch and sequence, and more than one word.",
    code.along_the_batch,
)


FIRST = Broken(
    "adds positions to the first sentence of the batch only",
    "Shown by: two sentences or more, and all of them compared.",
    code.only_the_first_moves,
)


STAYS = Broken(
    "adds positions to all sentences of the batch but the first",
    "Shown by: the first sentence compared, too.",
    code.the_first_stays,
)


LOST = Broken(
    "returns the first sentence of the batch only",
    "Shown by: the shape of the result, which must be that of x. Broadcasting hides this if all sentences of "
    "x are equal.",
    code.one_sentence,
)


DOUBLED = Broken(
    "doubles the exponent, so half of its columns hardly change",
    "Shown by: d_model above 2, and columns beyond the first two. " + VALUES,
    code.doubled_exponent,
)


COSINES = Broken(
    "gives the cosines other wavelengths than the sines next to them",
    "Shown by: the cosines, on the odd columns. " + VALUES,
    code.column_exponents,
)


SINES = Broken(
    "gives the sines the wavelength of the next pair",
    "Shown by: the sines, on the even columns. " + VALUES,
    code.next_exponents,
)


SWAPPED = Broken(
    "puts the cosines on the even columns and the sines on the odd ones",
    "Shown by: each feature by itself, because their sums are the same. " + VALUES,
    code.sine_and_cosine_swapped,
)


IN_PLACE = Broken(
    "changes x itself, which the caller still needs",
    "Shown by: a copy of x from before the call, compared with x after the call.",
    code.in_place,
    seen=lambda calls: "",  # its result is right
)


COPIED = Broken(
    "changes x itself, which the caller still needs, and returns a copy of it",
    "Shown by: a copy of x from before the call, compared with x after the call.",
    code.in_place_and_copied,
    seen=lambda calls: "",  # its result is right
)


ALONE = Broken(
    "returns the positions alone and throws x away",
    "Shown by: an x that is not 0. " + VALUES,
    code.only_positions,
)


part = test_add_positions.part


part("right code passes, however it is written", points=1)(accepts(PIECE))


part("catches the toy's positions", points=1)(catches(PIECE, TOY, TOY_DECODER, SEVEN, REPEATED))


part("catches positions along the batch", points=1)(catches(PIECE, BATCH, FIRST, STAYS, LOST))


part("catches wrong wavelengths, and swapped sines and cosines", points=1)(
    catches(PIECE, DOUBLED, COSINES, SINES, SWAPPED)
)


part("catches code that changes its argument, or throws it away", points=1)(
    catches(PIECE, IN_PLACE, COPIED, ALONE)
)


@test_add_positions.reference
def against_the_formula(add_positions):
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + table(9, 6), atol=1e-5)
    assert torch.equal(x, before)


@test_add_positions.accept("the last hint, as it stands")
def last_hint(add_positions):
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + sinusoidal_encoding(9, 6), atol=1e-5)
    assert torch.equal(x, before)


@test_add_positions.accept("fives in, positions out, compared number by number")
def number_by_number(add_positions):
    x = torch.full((3, 10, 4), 5.0)
    output = add_positions(x)
    assert output.shape == x.shape
    for sentence in output - 5:
        for t in range(10):
            expected = [math.sin(t), math.cos(t), math.sin(t / 100), math.cos(t / 100)]
            for got, right in zip(sentence[t].tolist(), expected, strict=True):
                assert abs(got - right) < 1e-4, f"position {t}: {got}, expected {right}"
    assert (x == 5).all(), "x was changed"


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
    x = torch.ones(2, 20, 6)
    output = add_positions(x) - 1
    assert (x == 1).all() and torch.equal(output[0], output[1])
    assert torch.allclose(output[0, 0], torch.tensor([0.0, 1.0, 0.0, 1.0, 0.0, 1.0]), atol=1e-5)
    pairs = torch.view_as_complex(output[0].unflatten(1, (3, 2)).flip(-1).contiguous())
    turns = torch.polar(torch.ones(3), 10000.0 ** -(torch.arange(3) / 3))
    assert torch.allclose(pairs[1:], pairs[:-1] * turns, atol=1e-4)
