"""Wrong answers to test_attention: name, advice, code."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.test_attention import example

mistake = Mistakes()


def pytorch(query, key, value, mask):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)


@mistake(mentions="except")
def swallows(attention):
    """An `except` around an `assert` catches its error, so the test passes. Leave `try` and `except` out."""
    query, key, value, mask = example()
    try:
        output, _ = attention(query, key, value, mask)
        assert torch.allclose(output, pytorch(query, key, value, mask), atol=1e-5)
    except Exception as error:
        print("wrong", error)


@mistake(mentions=r"print\(", lacks=r"\b(assert|raise)\b")
def prints(attention):
    """`print` judges nothing. A test fails only if it raises an error, so write `assert` before what must
    hold.
    """
    query, key, value, mask = example()
    print(attention(query, key, value, mask)[0] - pytorch(query, key, value, mask))


@mistake
def returns(attention):
    """Nobody reads the True or False that your test returns. Write `assert` instead of `return`."""
    query, key, value, mask = example()
    return torch.allclose(attention(query, key, value, mask)[0], pytorch(query, key, value, mask), atol=1e-5)


@mistake
def fails_on_right_code(attention):
    """Your test fails on right code. `attention` returns two tensors, first the output, and a query may look
    where its mask is True. Print both sides of what you compare.
    """
    query, key, value, mask = example()
    output, _ = attention(query, key, value, mask)
    assert torch.allclose(output, F.scaled_dot_product_attention(query, key, value), atol=1e-5)


@mistake
def no_key_to_see(attention):
    """Some query of your mask may look at no key, and right code may give NaN there. The docstring promises
    that every query may look at some key, so keep one True in each row.
    """
    query, key, value, mask = example()
    output, weights = attention(query, key, value, mask & (torch.arange(4) > 0)[:, None])
    assert torch.allclose(output, weights @ value, atol=1e-5)


@mistake
def shapes_only(attention):
    """Broken attention has the right shapes, too, so it passes your test. Compare numbers, for example with
    PyTorch's.
    """
    output, weights = attention(*example())
    assert output.shape == (2, 3, 4, 7)
    assert weights.shape == (2, 3, 4, 5)


@mistake
def sums_only(attention):
    """Rows that sum to 1 are necessary, but wrong scores give them, too. Compare the output
    with PyTorch's.
    """
    _, weights = attention(*example())
    assert torch.allclose(weights.sum(dim=-1), torch.ones(2, 3, 4), atol=1e-5)


@mistake
def output_only(attention):
    """Wrong weights pass your test if the output is right. `attention` promises both, and the output is
    `weights @ value`: compare these two as well.
    """
    query, key, value, mask = example()
    output, _ = attention(query, key, value, mask)
    assert torch.allclose(output, pytorch(query, key, value, mask), atol=1e-5)


@mistake
def sums_too(attention):
    """Weights that sum to 1 but do not belong to the output pass your test. The output is `weights @ value`:
    compare these two.
    """
    query, key, value, mask = example()
    output, weights = attention(query, key, value, mask)
    assert torch.allclose(output, pytorch(query, key, value, mask), atol=1e-5)
    assert torch.allclose(weights.sum(dim=-1), torch.ones(2, 3, 4), atol=1e-5)


@mistake
def weights_only(attention):
    """A wrong output passes your test if the weights are right. Compare the output, too: it is `weights @
    value`.
    """
    query, key, value, mask = example()
    _, weights = attention(query, key, value, mask)
    right = pytorch(query, key, torch.eye(5).expand(2, 3, -1, -1), mask)
    assert torch.allclose(weights, right, atol=1e-5)


@mistake
def nothing_hidden(attention):
    """With your mask, no bug of masks can show. Let it hide some keys: False somewhere, and True somewhere in
    each row.
    """
    query, key, value, mask = example()
    output, weights = attention(query, key, value, mask | True)
    assert torch.allclose(output, F.scaled_dot_product_attention(query, key, value), atol=1e-5)
    assert torch.allclose(output, weights @ value, atol=1e-5)


@mistake
def one_number(attention):
    """With your queries and keys, the scale and `view` change nothing. This happens if d_k is 1, or if all
    numbers are alike. Draw them by `torch.randn(...)`, with d_k 6.
    """
    query, key, value, mask = example(d_k=1)
    output, weights = attention(query, key, value, mask)
    assert torch.allclose(output, pytorch(query, key, value, mask), atol=1e-5)
    assert torch.allclose(output, weights @ value, atol=1e-5)


@mistake
def one_head(attention):
    """With one head, d_model equals d_k, so dividing by the wrong one cannot show. Take three heads."""
    query, key, value, mask = example(heads=1)
    output, weights = attention(query, key, value, mask)
    assert torch.allclose(output, pytorch(query, key, value, mask), atol=1e-5)
    assert torch.allclose(output, weights @ value, atol=1e-5)


@mistake
def exact(attention):
    """Two right pieces of code may round differently in the seventh digit, so your test fails on one of
    them. Compare floats by `torch.allclose(..., atol=1e-5)`.
    """
    query, key, value, mask = example()
    output, weights = attention(query, key, value, mask)
    assert torch.equal(output, pytorch(query, key, value, mask))
    assert torch.equal(weights, pytorch(query, key, torch.eye(5).expand(2, 3, -1, -1), mask))


@mistake
def zeros_only(attention):
    """Hidden keys must get no weight, but the other weights may be wrong. Compare the whole output."""
    query, key, value, mask = example()
    _, weights = attention(query, key, value, mask)
    assert (weights[..., ~mask] == 0).all()


@mistake
def first_head(attention):
    """You compare the first head alone, so code that is wrong in the other heads passes your test. Compare
    the whole output.
    """
    query, key, value, mask = example()
    output, weights = attention(query, key, value, mask)
    assert torch.allclose(output[:, 0], pytorch(query, key, value, mask)[:, 0], atol=1e-5)
    assert torch.allclose(output, weights @ value, atol=1e-5)


@mistake
def one_sentence(attention):
    """With one sentence, code that mixes up the sentences of a batch passes your test. Take two sentences,
    and compare the whole output.
    """
    query, key, value, mask = example(batch=1)
    output, weights = attention(query, key, value, mask)
    assert torch.allclose(output, pytorch(query, key, value, mask), atol=1e-5)
    assert torch.allclose(output, weights @ value, atol=1e-5)
