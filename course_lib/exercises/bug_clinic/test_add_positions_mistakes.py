"""Wrong answers to test_add_positions: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.add_positions import table

mistake = Mistakes()


@mistake(mentions=r"print\(", lacks=r"\b(assert|raise)\b")
def prints(add_positions):
    """`print` judges nothing: whoever runs a test looks whether it raises. Write `assert` before what must
    hold.
    """
    x = torch.randn(2, 9, 6)
    print(torch.allclose(add_positions(x.clone()), x + table(9, 6)))


@mistake(mentions="except")
def swallows(add_positions):
    """An `except` around an `assert` swallows what it raises, and nothing is left of the complaint. Leave
    `try` and `except` out.
    """
    x = torch.randn(2, 9, 6)
    try:
        assert torch.allclose(add_positions(x.clone()), x + table(9, 6), atol=1e-5)
    except AssertionError:
        print("wrong")


@mistake
def returns(add_positions):
    """True and False come back to nobody: put `assert` where you have `return`."""
    x = torch.randn(2, 9, 6)
    return torch.allclose(add_positions(x.clone()), x + table(9, 6))


@mistake
def fails_on_right_code(add_positions):
    """Right code gives a new tensor, x + sinusoidal_encoding(seq, d_model), while x stays as it was. Print
    both sides of your comparison. (Right code need not raise, for any length.)
    """
    x = torch.zeros(2, 9, 6)
    add_positions(x)
    assert torch.allclose(x, table(9, 6).expand(2, 9, 6), atol=1e-5)


@mistake
def shape_only(add_positions):
    """Broken code has the right shape, too, and passes. Compare numbers, with those of
    `sinusoidal_encoding`.
    """
    x = torch.randn(2, 9, 6)
    assert add_positions(x.clone()).shape == x.shape


@mistake
def exact(add_positions):
    """Two right codes round differently in the seventh digit. Compare floats by
    `torch.allclose(..., atol=1e-5)`.
    """
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.equal(add_positions(x), before + table(9, 6))
    assert torch.equal(x, before)


@mistake
def wide_tolerance(add_positions):
    """Wrong positions pass. Compare the result number by number with `sinusoidal_encoding`, not with itself
    (a mean or a sum hides which word has which position), and allow for rounding only, `atol=1e-5`.
    """
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + table(9, 6), atol=2.5)
    assert torch.equal(x, before)


@mistake
def two_columns(add_positions):
    """The first two columns turn with the right wavelength even there. Take d_model above 2, and compare all
    columns.
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
    """That equal words at two places differ is necessary, and wrong positions differ too. Compare numbers."""
    output = add_positions(torch.zeros(2, 9, 6))
    assert not torch.allclose(output[:, 0], output[:, 1])


@mistake
def aliased(add_positions):
    """Code that changes x itself passes. Copy x before the call (`x.clone()`), and compare x with that copy
    after it.
    """
    x = torch.randn(2, 9, 6)
    right = x + table(9, 6)
    assert torch.allclose(add_positions(x), right, atol=1e-5)
