"""Wrong answers to test_add_positions: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.add_positions import table

mistake = Mistakes()


@mistake
def prints(add_positions):
    """A test must call its argument and reach an `assert` that compares numbers. `print` judges nothing,
    `assert (a, b)` always holds, and `except` swallows an `assert`.
    """
    x = torch.randn(2, 9, 6)
    print(torch.allclose(add_positions(x.clone()), x + table(9, 6)))


@mistake
def returns(add_positions):
    """True and False come back to nobody: put `assert` where you have `return`."""
    x = torch.randn(2, 9, 6)
    return torch.allclose(add_positions(x.clone()), x + table(9, 6))


@mistake
def fails_on_right_code(add_positions):
    """Your `assert` fails on right code: a new tensor, x + sinusoidal_encoding(seq, d_model), while x stays
    as it was. Print both sides. (Right code need not raise, for any length.)
    """
    x = torch.zeros(2, 9, 6)
    add_positions(x)
    assert torch.allclose(x, table(9, 6).expand(2, 9, 6), atol=1e-5)


@mistake
def shape_only(add_positions):
    """You look at the shape only, and broken code has the right shape. Compare numbers."""
    x = torch.randn(2, 9, 6)
    assert add_positions(x.clone()).shape == x.shape


@mistake
def exact(add_positions):
    """You compare floats with `==` or `torch.equal`: right code that rounds otherwise in the seventh digit
    fails. Use `torch.allclose`.
    """
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.equal(add_positions(x), before + table(9, 6))
    assert torch.equal(x, before)


@mistake
def wide_tolerance(add_positions):
    """Wrong numbers pass: the tolerance is too wide (rounding is about 1e-6: allow 1e-5), or you compare a
    mean or a sum, which hides which word has which position.
    """
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + table(9, 6), atol=1.2)
    assert torch.equal(x, before)


@mistake
def two_columns(add_positions):
    """You look at one pair of columns, or at the first word: there the wavelength does not matter. Compare
    all columns of several words, with d_model above 2.
    """
    x = torch.randn(2, 9, 2)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + table(9, 2), atol=1e-5)
    assert torch.equal(x, before)


@mistake
def one_word(add_positions):
    """One word cannot show how positions count. Take a sentence longer than the toy's."""
    x = torch.randn(2, 1, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + table(1, 6), atol=1e-5)
    assert torch.equal(x, before)


@mistake
def short_sentence(add_positions):
    """The toy's table ends after seven positions: take a longer sentence."""
    x = torch.randn(2, 5, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + table(5, 6), atol=1e-5)
    assert torch.equal(x, before)


@mistake
def places_differ(add_positions):
    """That equal words at two places differ is necessary, but wrong positions differ too. Compare numbers."""
    output = add_positions(torch.zeros(2, 9, 6))
    assert not torch.allclose(output[:, 0], output[:, 1])


@mistake
def aliased(add_positions):
    """If `add_positions` changes x in place, your expected value changes along with it. Copy x before the
    call (`x.clone()`) and look at x after it.
    """
    x = torch.randn(2, 9, 6)
    right = x + table(9, 6)
    assert torch.allclose(add_positions(x), right, atol=1e-5)


@mistake
def with_itself(add_positions):
    """What you ask for holds for broken code, too: the result equals itself, is not 0, is finite. Compare it
    with another source, `sinusoidal_encoding`.
    """
    x = torch.randn(2, 9, 6)
    before = x.clone()
    first = add_positions(x)
    assert torch.equal(x, before)
    assert torch.equal(first, add_positions(x))
