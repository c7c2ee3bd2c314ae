"""test_attention: a test that tells right attention from broken attention."""

import math

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise
from course_lib.exercises.bug_clinic import attention_mistakes as wrong
from course_lib.exercises.bug_clinic import attentions as others
from course_lib.exercises.bug_clinic.attention import attention, reference, rounded_attention
from course_lib.exercises.bug_clinic.code_under_test import accepts, catches
from course_lib.exercises.bug_clinic.pieces import Broken, Piece

EXAMPLES = {
    one.__name__: one
    for one in (
        rounded_attention,
        others.zeros,
        others.without_mask,
        wrong.not_scaled,
        wrong.by_d_model,
        wrong.over_heads,
        wrong.after_softmax,
        wrong.key_by_view,
        others.weights_before_the_mask,
        wrong.returns_scores,
        others.output_before_the_mask,
        others.first_head_masked,
        others.values_of_the_first,
    )
}
PIECE = Piece(
    "attention",
    {
        "written as in this lesson": reference,
        **attention.accepted,
        "PyTorch's fused attention, which takes the same kind of mask": others.fused,
    },
    [
        *(others.zeros, others.output_before_the_mask, others.first_head_masked, others.last_query_masked),
        *(others.values_of_the_first, others.of_the_next_sentence, others.of_the_next_query),
        others.features_turned,
        *(others.weights_before_the_mask, others.weights_without_scale, others.weights_of_all_heads),
        *(others.weights_of_the_next_sentence, others.weights_of_the_first, others.weights_of_one_head),
        *(mistake.implementation for mistake in wrong.mistake),
    ],
    nan="A query that may look at no key gives NaN: let each query of your mask look at some key.",
    misuse=others.misused,
)

test_attention = Exercise(
    "test_attention",
    points=7,
    returns=(),
    repeatable=False,
    is_test=True,
    hints=[
        "PyTorch has a function for the same attention, and it returns the output. Which of its arguments "
        "takes the mask? And how can you check the weights if you know the output?",
        "Let all sizes differ: 2 sentences, 3 heads, 4 queries, 5 keys, d_k 6. Draw random queries and "
        "keys. The mask must hide some keys, and leave each query at least one.",
        "A causal mask of 4 x 5 is `torch.ones(4, 5, dtype=torch.bool).tril()`. The output averages the "
        "values with the weights: `weights @ value`.",
        "`output, weights = attention(query, key, value, mask)`, `right = "
        "F.scaled_dot_product_attention(query, key, value, attn_mask=mask)`, `assert torch.allclose(output, "
        "right, atol=1e-5)`, `assert torch.allclose(output, weights @ value, atol=1e-5)`.",
    ],
    examples=[f"test_attention({name})" for name in EXAMPLES],
    names=EXAMPLES,
)

MASKED = "Shown by: a mask with a hidden key, and the output compared with PyTorch's."

VIEWED = Broken(
    "swaps the axes of the keys with `view`, which reads the same numbers in other rows",
    "Shown by: more than one key, d_k above 1, and the output compared with PyTorch's.",
    wrong.key_by_view,
)

SCALE = Broken(
    "does not scale the scores",
    "Shown by: d_k above 1 (√1 = 1 hides it), and the output compared with PyTorch's.",
    wrong.not_scaled,
)

BY_D_MODEL = Broken(
    "divides by the root of d_model instead of d_k",
    "Shown by: more than one head, because with one head the two are equal.",
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

ZERO = Broken("fills hidden scores with -1e-12, which is almost zero", MASKED, wrong.filled_with_zero)

UNUSED = Broken("does not use the result of `masked_fill`, so nothing is hidden", MASKED, wrong.not_assigned)

AFTER = Broken(
    "masks after the softmax",
    "Shown by: a mask with a hidden key, and rows of weights that must still sum to 1.",
    wrong.after_softmax,
)

HEAD = Broken(
    "uses the mask in the first head only, so nothing is hidden from the other heads",
    "Shown by: a mask with a hidden key, and all heads of the output compared with PyTorch's.",
    others.first_head_masked,
)

RAW = Broken(
    "returns the scores instead of the weights, with a right output",
    "Shown by: the weights themselves, for example `weights @ value`, which must be the output.",
    wrong.returns_scores,
)

BEFORE = Broken(
    "returns the weights that it has without a mask, with a right output",
    "Shown by: a mask with a hidden key, and `weights @ value`, which must be the output.",
    others.weights_before_the_mask,
)

UNSCALED = Broken(
    "returns the weights of unscaled scores, with a right output",
    "Shown by: d_k above 1, and `weights @ value`, which must be the output.",
    others.weights_without_scale,
)

ALL_HEADS = Broken(
    "returns for each head the mean of all heads' weights, with a right output",
    "Shown by: two heads or more, and `weights @ value`, which must be the output.",
    others.weights_of_all_heads,
)

OTHER_WEIGHTS = Broken(
    "gives each sentence of the batch the weights of another one, with a right output",
    "Shown by: two sentences or more, and `weights @ value`, which must be the output.",
    others.weights_of_the_next_sentence,
)

ONE_HEAD = Broken(
    "returns the weights of the first head for all heads, with a right output",
    "Shown by: two heads or more, and the weights of each of them: `weights @ value` must be the output.",
    others.weights_of_one_head,
)

FIRST_WEIGHTS = Broken(
    "returns the weights of the first sentence for all sentences of the batch, with a right output",
    "Shown by: two sentences or more, and the weights of each: `weights @ value` must be the output.",
    others.weights_of_the_first,
)

AVERAGED = Broken(
    "returns right weights, with an output that was averaged without the mask",
    "Shown by: a mask with a hidden key, and the output compared with PyTorch's.",
    others.output_before_the_mask,
)

SENTENCE = Broken(
    "averages the values of the first sentence for all sentences of the batch",
    "Shown by: two sentences or more, and all of the output compared with PyTorch's.",
    others.values_of_the_first,
)

NEXT = Broken(
    "gives each sentence of the batch the output of another one, with right weights",
    "Shown by: two sentences or more, and each number of the output compared at its own place.",
    others.of_the_next_sentence,
)

NEXT_QUERY = Broken(
    "gives each query the output and the weights of another one",
    "Shown by: two queries or more, and each number of the output compared at its own place.",
    others.of_the_next_query,
)

FEATURES = Broken(
    "puts the features of the output in another order, with right weights",
    "Shown by: d_v above 1, and each number of the output compared at its own place.",
    others.features_turned,
)

LAST_QUERY = Broken(
    "uses the mask for the last query only, so nothing is hidden from the others",
    "Shown by: a mask with a key hidden from another query, and the output of that query.",
    others.last_query_masked,
)


part = test_attention.part


part("right code passes, however it is written", points=1)(accepts(PIECE))

part("catches keys whose axes are swapped by view", points=1)(catches(PIECE, VIEWED))

part("catches a wrong scale", points=1)(catches(PIECE, SCALE, BY_D_MODEL))

part("catches a softmax over the wrong axis", points=1)(catches(PIECE, HEADS, QUERIES))

part("catches a mask that hides nothing, or comes too late", points=1)(
    catches(PIECE, ZERO, UNUSED, AFTER, HEAD, LAST_QUERY)
)

part("catches weights and an output that do not belong together", points=1)(
    catches(
        PIECE,
        *(RAW, BEFORE, UNSCALED, ALL_HEADS, OTHER_WEIGHTS, ONE_HEAD, FIRST_WEIGHTS),
        *(AVERAGED, SENTENCE, NEXT, NEXT_QUERY, FEATURES),
    )
)


def example(d_k=6, heads=3, batch=2):
    sizes = ((4, d_k), (5, d_k), (5, 7))
    query, key, value = (torch.randn(batch, heads, *size) for size in sizes)
    return query, key, value, torch.ones(4, 5, dtype=torch.bool).tril()


@test_attention.reference
def against_pytorch(attention):
    query, key, value, mask = example()
    output, weights = attention(query, key, value, mask)
    right = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert torch.allclose(output, right, atol=1e-5)
    assert torch.allclose(weights @ value, output, atol=1e-5)


@test_attention.accept("the last hint, as it stands")
def last_hint(attention):
    query, key, value, mask = example()
    output, weights = attention(query, key, value, mask)
    right = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert torch.allclose(output, right, atol=1e-5)
    assert torch.allclose(output, weights @ value, atol=1e-5)


@test_attention.accept("by the formula, for one pair of sentence and head after the other")
def by_formula(attention):
    query, key, value, mask = example()
    output, weights = attention(query, key, value, mask)
    assert (output - torch.einsum("bhts,bhsd->bhtd", weights, value)).abs().max() < 1e-5
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
        mask[:, 0] = mask[-1] = True
        mask[0, 1] = False
        output, weights = attention(query, key, value, mask)
        right = F.scaled_dot_product_attention(query, key, value, mask)
        torch.testing.assert_close(output, right, atol=1e-4, rtol=1e-4)
        identity = torch.eye(source).expand(batch, heads, -1, -1)
        right = F.scaled_dot_product_attention(query, key, identity, mask)
        torch.testing.assert_close(weights, right, atol=1e-4, rtol=1e-4)


@test_attention.accept("by loops over numbers")
def by_loops(attention):
    query, key, value, mask = example(d_k=3, heads=2)
    output, weights = attention(query, key, value, mask)
    for b, h, t in ((0, 0, 0), (0, 1, 2), (1, 0, 3), (1, 1, 1)):
        seen = [s for s in range(5) if mask[t, s]]
        powers = [math.exp(float(query[b, h, t] @ key[b, h, s]) / 3**0.5) for s in seen]
        right = sum(p / sum(powers) * value[b, h, s] for p, s in zip(powers, seen, strict=True))
        assert torch.allclose(output[b, h, t], right, atol=1e-4)
        assert abs(float(weights[b, h, t, seen[0]]) - powers[0] / sum(powers)) < 1e-4
