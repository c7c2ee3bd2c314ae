"""Parts of the checks of 12_gpt that run only when work is graded. Learners do not get this file."""

import torch

from course_lib.checks.exercise import Part
from course_lib.checks.properties import differ


def norm_sizes(norm, inputs):
    # Tokens of equal features are sqrt(1 + eps) times 1 apart from their sign, in each right or wrong mean.
    results = {}
    for shape in ((8,), (4, 1, 6), (2, 9), (1, 7, 3)):
        gain = inputs.normal(shape[-1]).double()
        results[f"output (shape {shape})"] = norm(torch.full(shape, 1e3).double(), gain) / gain
    return results


def gated_sizes(build, inputs):
    results = {}
    for d_model, d_ff, shape in ((1, 9, (2, 3, 1)), (6, 2, (4, 1, 6)), (3, 3, (1, 90, 3))):
        layer = build(d_model, d_ff)
        results[f"output (d_model {d_model}, d_ff {d_ff})"] = layer(inputs.normal(*shape))
    return results


def group_sizes(build, inputs):
    # The first token sees only itself, so its output is the mixed values, whatever the scores are.
    results = {}
    for d_model, heads, kv_heads, batch in ((24, 6, 2, 1), (4, 2, 2, 3), (16, 8, 1, 2)):
        layer, d_k = build(d_model, heads, kv_heads), d_model // heads
        still = torch.ones(3, d_k // 2), torch.zeros(3, d_k // 2)
        output, weights = layer(inputs.normal(batch, 3, d_model), *still)
        results[f"first output ({heads} heads, {kv_heads} values): batch d_model"] = output[:, 0]
        results[f"sums of weights ({heads} heads): batch heads seq"] = weights.sum(dim=-1)
        others = layer(inputs.normal(batch, 3, d_model), *still)[1]
        results[f"other tokens have other weights ({heads} heads)"] = differ(others, weights)
    return results


def model_sizes(build, inputs):
    results = {}
    long = (7, 4, 2, 1, 3, 1), (1, 100)
    for sizes, shape in (((7, 4, 1, 1, 3, 1), (1, 3)), ((20, 12, 6, 3, 5, 4), (2, 9)), long):
        model = build(*sizes)
        with torch.no_grad():
            model.output.weight.copy_(model.embedding.weight)
        results[f"logits (sizes {sizes}): batch seq vocab"] = model(inputs.integers(0, sizes[0], *shape))
    return results


def long_sequences(targets, inputs):
    rows = [torch.cat([inputs.integers(4, 90, 20), torch.tensor([1]), inputs.integers(4, 90, 5)])] * 3
    return {"targets (20 source words): batch seq": targets(torch.stack(rows))}


PARTS = {
    "rms_norm": Part("sizes that you have not seen", 1, norm_sizes, hidden=True),
    "SwiGLU": Part("sizes that you have not seen", 1, gated_sizes, hidden=True),
    "GroupedQueryAttention": Part("sizes that you have not seen", 1, group_sizes, hidden=True),
    "GPT": Part("sizes that you have not seen", 1, model_sizes, hidden=True),
    "continuation_targets": Part("lengths that you have not seen", 1, long_sequences, hidden=True),
}
