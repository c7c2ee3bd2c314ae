"""Parts of the checks of 05_layer_norm that run only when work is graded. Learners do not get this file."""

import torch
from torch import nn

from course_lib.checks.exercise import Part
from course_lib.checks.properties import differ
from course_lib.exercises.layer_norm.draws import (
    NEAR,
    called,
    numbers,
    one_draw_decides,
    share_dropped,
    told_of_copies,
    told_of_exact_share,
    told_of_factor,
    told_of_fixed_places,
)

# Between two twentieths, and 1 - p is far from p.
OTHERS = 0.125, 0.175, 0.225, 0.275, 0.325, 0.675, 0.725, 0.775, 0.825, 0.875


def norm_sizes(norm, inputs):
    # With a weight of 0 only the bias is left, so a mistake in the normalization costs nothing here.
    results = {}
    for shape in ((8,), (4, 1, 6), (2, 9), (1, 7, 3)):
        x, size = inputs.normal(*shape).double(), shape[-1]
        weight, bias = torch.zeros(size).double(), inputs.normal(size).double()
        results[f"output (weight 0, shape {shape})"] = norm(x, weight, bias)
        results[f"x counts (shape {shape})"] = bool((norm(x, 1 + weight, bias) - bias).any())
    return results | in_one_scale(norm, inputs)


def in_one_scale(norm, inputs):
    """Whatever a token is divided by, it is one number for all features, and larger for a larger token."""
    x = 3 * inputs.normal(7, 5)
    one, three = (norm(factor * x, torch.ones(5), torch.zeros(5)) for factor in (1, 3))
    steps, before = one.diff(dim=-1), x.diff(dim=-1)
    alike = torch.allclose(steps[:, :1] * before, steps * before[:, :1], rtol=1e-2, atol=1e-2)
    return {"a token has one scale": alike, "a larger token is divided by more": differ(three, 3 * one)}


def module_sizes(build, inputs):
    # If all features are alike, the output is the bias, however the variance is computed.
    results = {}
    for d_model, shape in ((2, (4, 3, 2)), (6, (2, 3, 6)), (9, (1, 1, 9))):
        norm = build(d_model)
        results[f"output - bias (d_model {d_model})"] = norm(torch.full(shape, 2.0)) - norm.bias
        results[f"size of the parameters (d_model {d_model})"] = sum(p.numel() for p in norm.parameters())
    return results


def feed_forward_sizes(build, inputs):
    results = {}
    for d_model, d_ff, shape in ((1, 9, (2, 3, 1)), (6, 2, (4, 1, 6)), (3, 3, (1, 90, 3))):
        layer = build(d_model, d_ff)
        results[f"output (d_model {d_model}, d_ff {d_ff})"] = layer(inputs.normal(*shape))
        results[f"size of the parameters (d_model {d_model}, d_ff {d_ff})"] = sum(
            p.numel() for p in layer.parameters()
        )
    return results


def dropped_sizes(drop, inputs):
    # In words, of what no slip of another part changes: that the results have the shape of x, and are finite.
    results = {}
    for shape in ((9,), (4, 1), (2, 3, 4, 5)):
        x = inputs.normal(*shape)
        for name, p, training in (("training", 0.3, True), ("evaluation", 0.3, False)):
            result = drop(x, p, training)
            told = "" if result.shape == x.shape else f"It has shape {tuple(result.shape)}."
            results[f"output ({name}, shape {shape})"] = told
    wide = inputs.normal(1, 1, 1, 2000).double()
    some = drop(wide, 0.5, True)
    kept = some[(some != 0) & (wide != 0)].numel()
    results["kept (one word of 2000 features)"] = "none or all" if kept in (0, 2000) else "some"
    other = OTHERS[inputs.integer(0, len(OTHERS))]  # before what not every answer is asked
    # What is wrong at p = 0.5 too, or of fewer draws than numbers, is the matter of other parts.
    dropped = called(drop, numbers(inputs), 0.5) == 0
    one, copies = one_draw_decides(drop, inputs, dropped), told_of_copies(dropped)
    elsewhere = one or copies or told_of_p(drop, inputs, 0.5) != (0.5, "")
    for p in (other, 0.05):
        share, told = (p, "") if elsewhere else told_of_p(drop, inputs, p)
        results |= {f"share dropped at p = {p}": share, f"numbers kept at p = {p}": told}
    told = told_of_fixed_places(drop, inputs) if copies and not one else ""
    return results | {"drawn": told}


def told_of_p(drop, inputs, p):
    """The share that is dropped and, if it is near p, a sentence on what else is wrong."""
    share = share_dropped(drop, inputs, p)
    if share != p:
        return share, ""
    result = called(drop, x := numbers(inputs), p)
    return share, told_of_exact_share(result, p) or told_of_factor(result, x, p)


def stacked(build, inputs):
    results = {}
    for d_model, shape in ((4, (1, 90, 4)), (7, (3, 5, 7))):
        sublayer = nn.Sequential(nn.Linear(d_model, 6), nn.Tanh(), nn.Linear(6, d_model))
        with torch.no_grad():
            for parameter in sublayer.parameters():
                parameter.copy_(inputs.normal(*parameter.shape))
        results[f"output (d_model {d_model})"] = build(d_model, sublayer)(3 * inputs.normal(*shape))
    return results


PARTS = {
    "layer_norm": Part("sizes and precision that you have not seen", 1, norm_sizes, hidden=True),
    # rounding errors of a mean grow by 1 / sqrt(eps) = 316
    "LayerNorm": Part("sizes that you have not seen", 1, module_sizes, hidden=True, atol=1e-4),
    "FeedForward": Part("sizes that you have not seen", 1, feed_forward_sizes, hidden=True),
    "dropout": Part("sizes that you have not seen", 1, dropped_sizes, hidden=True, atol=0.98 * NEAR),
    "PostNorm": Part("sublayers that you have not seen", 1, stacked, hidden=True),
    "PreNorm": Part("sublayers that you have not seen", 1, stacked, hidden=True),
}
