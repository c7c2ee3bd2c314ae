"""Parts of the checks of 03_multi_head that run only when work is graded. Learners do not get this file."""

from course_lib.checks.exercise import Part
from course_lib.checks.properties import differ


def split_sizes(split, inputs):
    return {
        f"split ({heads} heads of {d_model} features): batch heads seq d_k": split(
            inputs.normal(batch, seq, d_model).double(), heads
        )
        for batch, heads, d_model, seq in ((3, 1, 5, 4), (3, 5, 5, 2), (3, 2, 14, 70), (1, 4, 8, 4))
    }


def merge_sizes(merge, inputs):
    return {
        f"merged ({heads} heads of {d_k} features): batch seq d_model": merge(
            inputs.normal(batch, heads, seq, d_k).double()
        )
        for batch, heads, d_k, seq in ((3, 1, 5, 4), (3, 5, 1, 2), (3, 2, 7, 70), (1, 4, 2, 4))
    }


def layer_sizes(build, inputs):
    # All keys equal: a slip in the scale, which has its own part, costs nothing here. Of others is only asked
    # whether the weights depend on them.
    results = {}
    for d_model, heads, target, source in ((5, 1, 4, 3), (6, 6, 1, 90), (8, 2, 70, 1), (9, 3, 3, 2)):
        layer = build(d_model, heads)
        query, key = inputs.normal(3, target, d_model), inputs.normal(3, 1, d_model).repeat(1, source, 1)
        output, weights = layer(query, key, inputs.normal(3, source, d_model))
        results[f"output ({heads} heads): batch target d_model"] = output
        results[f"weights ({heads} heads): batch heads target source"] = weights
    query = inputs.normal(3, 2, d_model)
    several = layer(query, query, query)[1]
    results["another query has other weights"] = differ(several, several.flip(-2))
    return results


def cost_sizes(cost, inputs):
    sizes = inputs.integers(2, 60, 3).tolist()
    return {
        f"cost of {sizes}, 4 heads": list(map(int, cost(4 * sizes[0], 4, *sizes[1:]))),
        "cost of (512, 16, 40, 40)": list(map(int, cost(512, 16, 40, 40))),
    }


PARTS = {
    "split_heads": Part("sizes and precision that you have not seen", 1, split_sizes, hidden=True),
    "merge_heads": Part("sizes and precision that you have not seen", 1, merge_sizes, hidden=True),
    "MultiHeadAttention": Part("sizes that you have not seen", 1, layer_sizes, hidden=True),
    "attention_cost": Part("sizes that you have not seen", 1, cost_sizes, hidden=True),
}
