"""test_add_positions: a test that tells right positions from broken ones."""

import math

import torch

from course_lib.checks.bug_clinic import places as pieces
from course_lib.checks.bug_clinic.places import add_positions, table
from course_lib.checks.bug_clinic.trials import Broken, accepts, catches
from course_lib.checks.exercise import Exercise

test_add_positions = Exercise(
    "test_add_positions",
    points=6,
    returns=(),
    hints=[
        "`sinusoidal_encoding`, imported above, is a piece that you trust. Of which size must x be, so that "
        "swapped axes, long sentences and wrong wavelengths cannot hide?",
        "Batch, length and width all different, the length above 7, the width above 2: for example (2, "
        "9, 6).",
        "Floats are compared with `torch.allclose(a, b, atol=1e-5)`, for right code may round otherwise.",
        "`x = torch.randn(2, 9, 6)`, `before = x.clone()`, then assert that `add_positions(x)` is close to "
        "`before + sinusoidal_encoding(9, 6)`, and that x still equals `before`.",
    ],
    examples=[
        "test_add_positions(lambda x: (x.double() + torch.stack([f(torch.arange(x.shape[1]).double()[:, "
        "None] / "
        "10000 ** (torch.arange(0, x.shape[2], 2).double() / x.shape[2])) for f in (torch.sin, torch.cos)], "
        "dim=-1).flatten(1)).float())",
        "test_add_positions(lambda x: x)",
        "test_add_positions(lambda x: x + torch.arange(x.shape[0])[:, None, None])",
        "test_add_positions(lambda x: x + torch.arange(1, x.shape[1] + 1)[:, None])",
        "test_add_positions(lambda x: x + torch.stack([f(torch.arange(x.shape[1])[:, None] / 10000 ** "
        "(torch.arange(0, x.shape[2], 2) / x.shape[2])) for f in (torch.cos, torch.sin)], "
        "dim=-1).flatten(1))",
        "test_add_positions(lambda x: x + torch.stack([f(torch.arange(x.shape[1])[:, None] / 10000 ** "
        "(torch.arange(0, x.shape[2], 2) / x.shape[2] * 2)) for f in (torch.sin, torch.cos)], "
        "dim=-1).flatten(1))",
        "test_add_positions(lambda x: x + torch.stack([f(torch.arange(7)[torch.arange(x.shape[1])][:, "
        "None] / "
        "10000 ** (torch.arange(0, x.shape[2], 2) / x.shape[2])) for f in (torch.sin, torch.cos)], "
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
    pieces.last_is_zero,
)
TOY_DECODER = Broken(
    "gives the first word the largest position, as the toy's decoder does",
    "Shown by: the first word of a sentence, which stands at position 0.",
    pieces.first_is_last,
)
SEVEN = Broken(
    "knows seven positions only, as the toy does",
    "Shown by: a sentence of more than seven words.",
    pieces.seven_rows,
)
BATCH = Broken(
    "counts the sentences of the batch, not the words",
    "Shown by: different sizes of batch and sequence, and more than one word.",
    pieces.along_the_batch,
)
DOUBLED = Broken(
    "doubles the exponent, so that half of its columns hardly change",
    "Shown by: d_model above 2, and columns beyond the first two. " + VALUES,
    pieces.doubled_exponent,
)
IN_PLACE = Broken(
    "changes x itself, which the caller still needs",
    "Shown by: a copy of x made before the call, and compared with x after it.",
    pieces.in_place,
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


mistake = test_add_positions.mistake


@mistake(
    "Y1",
    advice="A test must call its argument and reach an `assert` that compares numbers. `print` judges "
    "nothing, `assert (a, b)` always holds, and `except` swallows an `assert`.",
)
def prints(add_positions):
    x = torch.randn(2, 9, 6)
    print(torch.allclose(add_positions(x.clone()), x + table(9, 6)))


@mistake("Y2", advice="True and False come back to nobody: put `assert` where you have `return`.")
def returns(add_positions):
    x = torch.randn(2, 9, 6)
    return torch.allclose(add_positions(x.clone()), x + table(9, 6))


@mistake(
    "Y33",
    advice="Your `assert` fails on right code: a new tensor, x + sinusoidal_encoding(seq, d_model), while x "
    "stays as it was. Print both sides. (Right code need not raise, for any length.)",
)
def fails_on_right_code(add_positions):
    x = torch.zeros(2, 9, 6)
    add_positions(x)
    assert torch.allclose(x, table(9, 6).expand(2, 9, 6), atol=1e-5)


@mistake("Y3", advice="You look at the shape only, and broken code has the right shape. Compare numbers.")
def shape_only(add_positions):
    x = torch.randn(2, 9, 6)
    assert add_positions(x.clone()).shape == x.shape


@mistake(
    "Y10",
    advice="You compare floats with `==` or `torch.equal`: right code that rounds otherwise in the seventh "
    "digit fails. Use `torch.allclose`.",
)
def exact(add_positions):
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.equal(add_positions(x), before + table(9, 6))
    assert torch.equal(x, before)


@mistake(
    "Y11",
    advice="Wrong numbers pass: the tolerance is too wide (rounding is about 1e-6: allow 1e-5), or you "
    "compare a mean or a sum, which hides which word has which position.",
)
def wide_tolerance(add_positions):
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + table(9, 6), atol=1.2)
    assert torch.equal(x, before)


@mistake(
    "Y12",
    advice="You look at one pair of columns, or at the first word: there the wavelength does not matter. "
    "Compare all columns of several words, with d_model above 2.",
)
def two_columns(add_positions):
    x = torch.randn(2, 9, 2)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + table(9, 2), atol=1e-5)
    assert torch.equal(x, before)


@mistake("Y13", advice="One word cannot show how positions count. Take a sentence longer than the toy's.")
def one_word(add_positions):
    x = torch.randn(2, 1, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + table(1, 6), atol=1e-5)
    assert torch.equal(x, before)


@mistake("Y14", advice="The toy's table ends after seven positions: take a longer sentence.")
def short_sentence(add_positions):
    x = torch.randn(2, 5, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + table(5, 6), atol=1e-5)
    assert torch.equal(x, before)


@mistake(
    "Y15",
    advice="That equal words at two places differ is necessary, but wrong positions differ too. Compare "
    "numbers.",
)
def places_differ(add_positions):
    output = add_positions(torch.zeros(2, 9, 6))
    assert not torch.allclose(output[:, 0], output[:, 1])


@mistake(
    "Y16",
    advice="If `add_positions` changes x in place, your expected value changes along with it. Copy x "
    "before the "
    "call (`x.clone()`) and look at x after it.",
)
def aliased(add_positions):
    x = torch.randn(2, 9, 6)
    right = x + table(9, 6)
    assert torch.allclose(add_positions(x), right, atol=1e-5)


@mistake(
    "Y17",
    advice="What you ask for holds for broken code, too: the result equals itself, is not 0, is finite. "
    "Compare it with another source, `sinusoidal_encoding`.",
)
def with_itself(add_positions):
    x = torch.randn(2, 9, 6)
    before = x.clone()
    first = add_positions(x)
    assert torch.equal(x, before)
    assert torch.equal(first, add_positions(x))
