"""Whatever an answer gives back, there is a verdict: in words, without a traceback, and soon."""

import json
import math
import warnings

import numpy as np
import pytest
import torch
from torch import nn

from course_lib.checks.results import RejectedError, ordinary
from course_lib.exercises.attention import check
from course_lib.exercises.translator import check as check_translator

ONES = torch.ones(5, 5)


class Own(torch.Tensor):
    pass


class Broken(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        raise RuntimeError("it breaks")


def test_a_byte_that_is_neither_true_nor_false_is_made_true():
    made = ordinary(torch.full((2,), 2, dtype=torch.uint8).view(torch.bool), "mask")
    assert torch.equal(made.view(torch.uint8), torch.ones(2, dtype=torch.uint8))


def in_itself():
    found = []
    found.append(found)
    return found


def out_of_vmap():
    rows = []
    torch.vmap(lambda row: rows.append(row) or row)(ONES)
    return rows[0]


STRANGE = {
    "sparse": ONES.to_sparse,
    "sparse rows": ONES.to_sparse_csr,
    "mkldnn": ONES.to_mkldnn,
    "quantized": lambda: torch.quantize_per_tensor(ONES, 1.0, 0, torch.quint8),
    "nested": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    "jagged": lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged),
    "meta": lambda: ONES.to("meta"),
    "complex": lambda: ONES + 1j,
    "8 bits": lambda: ONES.to(torch.float8_e4m3fn),
    "unsigned": lambda: ONES.to(torch.uint16),
    "bits": lambda: torch.zeros(5, 5, dtype=torch.int8).view(torch.bits8),
    "terabytes": lambda: torch.ones(1).expand(10**6, 10**6),
    "long": lambda: torch.ones(50_000),
    "empty": lambda: torch.ones(5, 0),
    "NaN": lambda: ONES * math.nan,
    "own class": lambda: ONES.as_subclass(Own),
    "broken class": lambda: ONES.as_subclass(Broken),
    "out of vmap": out_of_vmap,
    "huge number": lambda: 10**10_000,
    "list in itself": in_itself,
    "long list": lambda: list(range(50_000)),
    "half a letter": lambda: "\ud800",
    "long text": lambda: "x" * 10**6,
    "keys that cannot be compared": lambda: {ONES: 1, (ONES,): 2, "a": 3},
    "a set of all kinds": lambda: {1, "a", (ONES,)},
    "objects": lambda: np.array([ONES, 1], dtype=object),
    "complex array": lambda: np.ones(3, dtype=complex),
    "tensors of two layouts": lambda: [ONES, ONES.to_sparse()],
    "module": lambda: nn.Linear(2, 2),
    "bytes": lambda: b"ab",
}


def verdict(check, name, answer):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score = check(name, answer)
        json.dumps(score._repr_mimebundle_(), ensure_ascii=False).encode()
    assert score.report.status == "wrong"
    assert len(str(score)) < 5000
    return str(score)


@pytest.mark.filterwarnings("ignore")  # of what makes them
@pytest.mark.parametrize("kind", STRANGE)
def test_a_strange_result_gets_a_verdict(kind):
    strange = STRANGE[kind]()
    verdict(check, "causal_mask", lambda size: strange)
    verdict(check_translator, "bleu", lambda *arguments, **named: strange)


def test_another_layout_is_no_mistake():
    def causal_mask(size):
        return torch.ones(size, size, dtype=torch.bool).tril().to_sparse()

    assert check("causal_mask", causal_mask) == 3


def test_numbers_and_gradient_survive():
    leaf = torch.ones(2, 2, requires_grad=True)
    for tensor in (leaf, leaf.to_sparse(), leaf.as_subclass(Own)):
        result = ordinary(tensor, "x")
        assert type(result) is torch.Tensor
        assert torch.equal(result, torch.ones(2, 2))
        (grad,) = torch.autograd.grad(result.sum(), leaf)
        assert torch.equal(grad, torch.ones(2, 2))
    with pytest.raises(RejectedError, match="`x` is a meta tensor, expected an ordinary one"):
        ordinary(ONES.to("meta"), "x")
