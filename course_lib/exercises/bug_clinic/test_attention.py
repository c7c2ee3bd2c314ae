"""test_attention: a test that tells right attention from broken attention."""

import math

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise
from course_lib.exercises.bug_clinic import attention_mistakes as wrong
from course_lib.exercises.bug_clinic.attention import attention
from course_lib.exercises.bug_clinic.code_under_test import Broken, accepts, catches

test_attention = Exercise(
    "test_attention",
    points=7,
    returns=(),
    hints=[
        "PyTorch has the same piece: `torch.nn.functional.scaled_dot_product_attention(query, key, value, "
        "attn_mask=mask)` returns the output.",
        "Let all sizes differ: 2 sentences, 3 heads, 4 queries, 5 keys, d_k 6. "
        "Random queries and keys; a mask that hides some keys, and leaves each query one.",
        "A causal mask of 4 x 5 is `torch.ones(4, 5, dtype=torch.bool).tril()`.",
        "`output, weights = attention(query, key, value, mask)`; assert that output is close to PyTorch's, "
        "with `torch.allclose(..., atol=1e-5)`.",
    ],
    examples=[
        "test_attention(lambda query, key, value, mask: (lambda w: (w @ value, w))(torch.softmax((query / "
        "query.shape[-1] ** 0.5 @ key.mT).masked_fill(~mask, -1e9), dim=-1)))",
        "test_attention(lambda query, key, value, mask: (0 * query @ key.mT @ value, 0 * query @ key.mT))",
        "test_attention(lambda query, key, value, mask: (lambda w: (w @ value, w))(torch.softmax(query @ "
        "key.mT / query.shape[-1] ** 0.5, dim=-1)))",
        "test_attention(lambda query, key, value, mask: (lambda w: (w @ value, w))(torch.softmax((query @ "
        "key.mT).masked_fill(~mask, -torch.inf), dim=-1)))",
        "test_attention(lambda query, key, value, mask: (lambda w: (w @ value, w))(torch.softmax((query @ "
        "key.mT / (query.shape[1] * query.shape[-1]) ** 0.5).masked_fill(~mask, -1e9), dim=-1)))",
    ],
)


MASKED = "Shown by: a mask with a hidden key, and the output compared with PyTorch's."


VIEWED = Broken(
    "turns the keys with `view`, which reads the same numbers in other rows",
    "Shown by: more than one key, d_k above 1, and the output compared with PyTorch's.",
    wrong.key_by_view,
)


SCALE = Broken(
    "does not scale the scores",
    "Shown by: d_k above 1 (√1 = 1 hides it), and the output compared with PyTorch's.",
    wrong.not_scaled,
)


BY_D_MODEL = Broken(
    "divides by the root of d_model in place of d_k",
    "Shown by: more than one head, for with one they are the same.",
    wrong.by_d_model,
)


HEADS = Broken(
    "normalizes over the heads, as a softmax without `dim` does",
    "Shown by: three heads, and rows of weights that must sum to 1.",
    wrong.over_heads,
)


QUERIES = Broken(
    "normalizes over the queries",
    "Shown by: different numbers of queries and keys, and rows of weights that must sum to 1.",
    wrong.over_queries,
)


ZERO = Broken("fills hidden scores with -1e-12, which is zero", MASKED, wrong.filled_with_zero)


UNUSED = Broken("drops what `masked_fill` returns, so that nothing is hidden", MASKED, wrong.not_assigned)


AFTER = Broken(
    "masks after the softmax",
    "Shown by: a mask with a hidden key, and rows of weights that must still sum to 1.",
    wrong.after_softmax,
)


part = test_attention.part


part("right code passes, however it is written", points=1)(accepts(attention))


part("catches keys turned by view", points=1)(catches(attention, VIEWED))


part("catches a wrong scale", points=1)(catches(attention, SCALE, BY_D_MODEL))


part("catches a softmax over the wrong axis", points=1)(catches(attention, HEADS, QUERIES))


part("catches a mask that hides nothing", points=1)(catches(attention, ZERO, UNUSED))


part("catches a mask that comes too late", points=1)(catches(attention, AFTER))


def example(d_k=6, heads=3):
    query, key, value = (
        torch.randn(2, heads, 4, d_k),
        torch.randn(2, heads, 5, d_k),
        torch.randn(2, heads, 5, 7),
    )
    return query, key, value, torch.ones(4, 5, dtype=torch.bool).tril()


@test_attention.reference
def against_pytorch(attention):
    query, key, value, mask = example()
    output, weights = attention(query, key, value, mask)
    right = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert torch.allclose(output, right, atol=1e-5)
    assert torch.allclose(weights.sum(dim=-1), torch.ones(2, 3, 4))


@test_attention.accept("by the formula, for one pair of sentence and head after the other")
def by_formula(attention):
    query, key, value, mask = example()
    _, weights = attention(query, key, value, mask)
    for b in range(2):
        for h in range(3):
            scores = query[b, h] @ key[b, h].T / math.sqrt(6)
            scores[~mask] = -1e30
            assert (weights[b, h] - scores.softmax(dim=1)).abs().max() < 1e-5, f"sentence {b}, head {h}"


@test_attention.accept("by properties: sums, zeros, and the ratio of two weights")
def by_properties(attention):
    query, key, value, mask = example()
    output, weights = attention(query, key, value, mask)
    assert weights.shape == (2, 3, 4, 5)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3, 4), atol=1e-5)
    assert (weights[..., ~mask].abs() < 1e-6).all()
    ratio = (weights[..., 3, 0] / weights[..., 3, 1]).log()
    score = lambda s: (query[..., 3, :] * key[..., s, :]).sum(-1) / 6**0.5  # noqa: E731
    assert torch.allclose(ratio, score(0) - score(1), atol=1e-3)
    assert torch.allclose(output, weights @ value, atol=1e-5)


@test_attention.accept("with torch.testing.assert_close, in two sizes")
def in_two_sizes(attention):
    for batch, heads, target, source, d_k in ((1, 2, 3, 4, 5), (3, 4, 6, 2, 9)):
        query, key = torch.randn(batch, heads, target, d_k), torch.randn(batch, heads, source, d_k)
        value, mask = torch.randn(batch, heads, source, 8), torch.rand(target, source) < 0.5
        mask[:, 0] = True
        mask[0, 1] = False
        output, _ = attention(query, key, value, mask)
        right = F.scaled_dot_product_attention(query, key, value, mask)
        torch.testing.assert_close(output, right, atol=1e-4, rtol=1e-4)


@test_attention.accept("by loops over numbers")
def by_loops(attention):
    query, key, value, mask = example(d_k=3, heads=2)
    output, _ = attention(query, key, value, mask)
    for b, h, t in ((0, 0, 0), (0, 1, 2), (1, 0, 3), (1, 1, 1)):
        seen = [s for s in range(5) if mask[t, s]]
        powers = [math.exp(float(query[b, h, t] @ key[b, h, s]) / 3**0.5) for s in seen]
        right = sum(p / sum(powers) * value[b, h, s] for p, s in zip(powers, seen, strict=True))
        assert torch.allclose(output[b, h, t], right, atol=1e-4)
