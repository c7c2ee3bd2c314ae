"""Wrong answers to test_attention: name, advice, code."""

import math

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.test_attention import example

mistake = Mistakes()


@mistake
def swallows(attention):
    """A test must call its argument and compare what comes back with something else, in an `assert`. `print`
    judges nothing, `assert (a, b)` always holds, `except` swallows an `assert`.
    """
    query, key, value, mask = example()
    try:
        output, _ = attention(query, key, value, mask)
        assert torch.allclose(output, F.scaled_dot_product_attention(query, key, value, mask), atol=1e-5)
    except Exception as error:
        print("wrong", error)


@mistake
def fails_on_right_code(attention):
    """Your `assert` fails on right code. Is your expected value made with the same mask, in which True may
    look? And does every query see some key? (If not, 0/0 gives NaN, which equals nothing.)
    """
    query, key, value, mask = example()
    output, _ = attention(query, key, value, mask)
    assert torch.allclose(output, F.scaled_dot_product_attention(query, key, value), atol=1e-5)


@mistake
def shapes_only(attention):
    """Broken attention has the right shapes. Compare numbers, with PyTorch's for example."""
    output, weights = attention(*example())
    assert output.shape == (2, 3, 4, 7)
    assert weights.shape == (2, 3, 4, 5)


@mistake
def sums_only(attention):
    """Rows that sum to 1 are necessary, and wrong scores give them too. Compare the numbers themselves."""
    _, weights = attention(*example())
    assert torch.allclose(weights.sum(dim=-1), torch.ones(2, 3, 4), atol=1e-5)


@mistake
def nothing_hidden(attention):
    """Your mask hides nothing, so nothing that is wrong with masks can show."""
    query, key, value, mask = example()
    output, _ = attention(query, key, value, mask | True)
    assert torch.allclose(output, F.scaled_dot_product_attention(query, key, value), atol=1e-5)


@mistake
def one_number(attention):
    """With d_k = 1 there is nothing to turn and √1 = 1: scale and `view` go unseen."""
    query, key, value, mask = example(d_k=1)
    output, _ = attention(query, key, value, mask)
    assert torch.allclose(output, F.scaled_dot_product_attention(query, key, value, mask), atol=1e-5)


@mistake
def one_head(attention):
    """With one head d_model is d_k, so dividing by the wrong one cannot show: take three."""
    query, key, value, mask = example(heads=1)
    output, _ = attention(query, key, value, mask)
    assert torch.allclose(output, F.scaled_dot_product_attention(query, key, value, mask), atol=1e-5)


@mistake
def all_alike(attention):
    """With all queries and keys alike every right or wrong score gives the same weights. Draw them at random,
    `torch.randn(...)`.
    """
    query, key, value, mask = example()
    output, _ = attention(query * 0 + 1, key * 0 + 1, value, mask)
    right = F.scaled_dot_product_attention(query * 0 + 1, key * 0 + 1, value, mask)
    assert torch.allclose(output, right, atol=1e-5)


@mistake
def exact(attention):
    """You compare floats with `torch.equal` or `==`: right code that rounds otherwise fails. Use
    `torch.allclose`.
    """
    query, key, value, mask = example()
    output, weights = attention(query, key, value, mask)
    scores = (query @ key.mT / math.sqrt(6)).masked_fill(~mask, -torch.inf)
    assert torch.equal(weights, torch.softmax(scores, dim=-1))
    assert torch.equal(output, weights @ value)


@mistake
def zeros_only(attention):
    """You only ask that hidden keys get no weight. What becomes of the others? Compare the whole output."""
    query, key, value, mask = example()
    _, weights = attention(query, key, value, mask)
    assert (weights[..., ~mask] == 0).all()
