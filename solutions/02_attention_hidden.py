"""Parts of the checks of 02_attention that run only when work is graded. Learners do not get this file."""

import torch

from course_lib.checks.exercise import Part


def batch_less_single(attention, batched, *others):
    # An answer that treats all sentences alike gives 0, even if it is wrong.
    singly = [attention(*(x[i : i + 1] for x in batched), *others)[1] for i in range(len(batched[0]))]
    return attention(*batched, *others)[1] - torch.cat(singly)


def pooling_sizes(pooling, inputs):
    # All keys are equally far, so any kernel gives equal weights, and a wrong kernel costs no second point.
    sizes = {1: [2.0], 2: [1.0, 3.0], 4: [1.0, 3.0, 3.0, 1.0]}
    results = {}
    for size, key in sizes.items():
        value = inputs.normal(size).double()
        predicted, weights = pooling(torch.full((3,), 2.0).double(), torch.tensor(key).double(), value)
        results |= {
            f"prediction ({size} keys): target": predicted,
            f"weights ({size} keys): target source": weights,
        }
    query, key, value = inputs.normal(4), inputs.normal(4), inputs.normal(4)
    singly = torch.cat([pooling(query[i : i + 1], key, value)[1] for i in range(4)])
    together = pooling(query, key, value)[1]
    return results | {"weights of 4 queries - of each alone: target source": together - singly}


def additive_sizes(attention, inputs):
    # All keys are alike, so the weights are uniform for any score.
    query, key, value = inputs.normal(3, 1, 2), inputs.normal(3, 1, 5).expand(3, 9, 5), inputs.normal(3, 9, 1)
    parameters = inputs.normal(2, 4), inputs.normal(5, 4), inputs.normal(4)
    output, weights = attention(*(tensor.double() for tensor in (query, key.clone(), value, *parameters)))
    batched = inputs.normal(5, 3, 2), inputs.normal(5, 4, 5), inputs.normal(5, 4, 1)
    return {
        "output: batch target d_v": output,
        "weights: batch target source": weights,
        "weights of a batch - of each sentence: batch target source": batch_less_single(
            attention, batched, *parameters
        ),
    }


def dot_product_sizes(attention, inputs):
    results = {}
    for target, source in ((1, 9), (9, 1), (4, 4)):
        query, key = inputs.normal(3, target, 1).double(), inputs.normal(3, source, 1).double()
        output, weights = attention(query, key, inputs.normal(3, source, 2).double())
        results[f"output ({target} queries, {source} keys): batch target d_v"] = output
        results[f"weights ({target} queries, {source} keys): batch target source"] = weights
    batched = inputs.normal(5, 3, 2), inputs.normal(5, 4, 2), inputs.normal(5, 4, 1)
    label = "weights of a batch - of each sentence: batch target source"
    return results | {label: batch_less_single(attention, batched)}


def more_batches(mask, inputs):
    return {
        "mask (no padding): batch query source": mask(inputs.integers(4, 40, 1, 9)),
        "mask (one sentence): batch query source": mask(inputs.integers(0, 2, 1, 9)),
        "mask (scattered padding): batch query source": mask(inputs.integers(0, 3, 5, 5)),
    }


def more_sizes(mask, inputs):
    size = inputs.integer(520, 580)
    return {f"mask (size {n}): target source": mask(n) for n in (1, 2, size)}


PARTS = {
    "attention_pooling": Part("sizes and precision that you have not seen", 1, pooling_sizes, hidden=True),
    "additive_attention": Part("sizes and precision that you have not seen", 1, additive_sizes, hidden=True),
    "scaled_dot_product_attention": Part(
        "sizes and precision that you have not seen", 1, dot_product_sizes, hidden=True
    ),
    "padding_mask": Part("batches that you have not seen", 1, more_batches, hidden=True),
    "causal_mask": Part("sizes that you have not seen", 1, more_sizes, hidden=True),
}
