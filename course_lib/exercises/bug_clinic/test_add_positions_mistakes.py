"""Wrong answers to test_add_positions: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.add_positions import table

mistake = Mistakes()


@mistake(mentions=r"print\(", lacks=r"\b(assert|raise)\b")
def prints(add_positions):
    """`print` judges nothing. A test fails only if it raises an error, so write `assert` before what must
    hold.
    """
    x = torch.randn(2, 9, 6)
    print(torch.allclose(add_positions(x.clone()), x + table(9, 6)))


@mistake(mentions="except")
def swallows(add_positions):
    """An `except` around an `assert` catches its error, so the test passes. Leave `try` and `except` out."""
    x = torch.randn(2, 9, 6)
    try:
        assert torch.allclose(add_positions(x.clone()), x + table(9, 6), atol=1e-5)
    except AssertionError:
        print("wrong")


@mistake
def returns(add_positions):
    """Nobody reads the True or False that your test returns. Write `assert` instead of `return`."""
    x = torch.randn(2, 9, 6)
    return torch.allclose(add_positions(x.clone()), x + table(9, 6))


@mistake
def fails_on_right_code(add_positions):
    """Your test fails on right code. Right code returns a new tensor, x + sinusoidal_encoding(seq, d_model),
    and leaves x unchanged. It need not raise for any length. Print both sides of your comparison.
    """
    x = torch.zeros(2, 9, 6)
    add_positions(x)
    assert torch.allclose(x, table(9, 6).expand(2, 9, 6), atol=1e-5)


@mistake
def shape_only(add_positions):
    """Broken code has the right shape, too, so it passes your test. Compare the numbers with those of
    `sinusoidal_encoding`.
    """
    x = torch.randn(2, 9, 6)
    assert add_positions(x.clone()).shape == x.shape


@mistake
def exact(add_positions):
    """Two right pieces of code may round differently in the seventh digit, so your test fails on one of
    them. Compare floats by `torch.allclose(..., atol=1e-5)`.
    """
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.equal(add_positions(x), before + table(9, 6))
    assert torch.equal(x, before)


@mistake
def wide_tolerance(add_positions):
    """Wrong positions pass your test. Compare each number of the result with `sinusoidal_encoding`, because a
    mean or a sum hides which word has which position. Allow only for rounding, `atol=1e-5`.
    """
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + table(9, 6), atol=2.5)
    assert torch.equal(x, before)


@mistake
def two_columns(add_positions):
    """In this broken code, the first two columns are right. Take d_model above 2, and compare all columns."""
    x = torch.randn(2, 9, 2)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + table(9, 2), atol=1e-5)
    assert torch.equal(x, before)


@mistake
def one_word(add_positions):
    """One word cannot show how positions are counted. Take a sentence that is longer than the toy's."""
    x = torch.randn(2, 1, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + table(1, 6), atol=1e-5)
    assert torch.equal(x, before)


@mistake
def short_sentence(add_positions):
    """The toy's table has seven positions, and a short sentence needs no more. Take a longer sentence."""
    x = torch.randn(2, 5, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + table(5, 6), atol=1e-5)
    assert torch.equal(x, before)


@mistake
def places_differ(add_positions):
    """Equal words must differ at two places, but wrong positions differ, too. Compare the numbers."""
    output = add_positions(torch.zeros(2, 9, 6))
    assert not torch.allclose(output[:, 0], output[:, 1])


@mistake
def aliased(add_positions):
    """Code that changes x itself passes your test. Copy x before the call (`x.clone()`), and compare x with
    this copy after it.
    """
    x = torch.randn(2, 9, 6)
    right = x + table(9, 6)
    assert torch.allclose(add_positions(x), right, atol=1e-5)


@mistake
def first_sentence(add_positions):
    """You compare the first sentence alone, so code that leaves the others without positions passes your
    test. Compare the whole output.
    """
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x)[0], before[0] + table(9, 6), atol=1e-5)
    assert torch.equal(x, before)


@mistake
def zeros(add_positions):
    """If x is 0, code that throws x away and returns the positions alone passes your test. Draw x at random,
    for example `torch.randn(2, 9, 6)`.
    """
    x = torch.zeros(2, 9, 6)
    assert torch.allclose(add_positions(x), table(9, 6).expand(2, 9, 6), atol=1e-5)
    assert not x.any()
