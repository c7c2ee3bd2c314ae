"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

from torch import nn

from course_lib.checks.gradients import gradients_of, in_both_modes, parameters
from course_lib.exercises.layer_norm.draws import (
    SHAPE,
    called,
    numbers,
    told_of_choice,
    told_of_copies,
    told_of_exact_share,
    told_of_factor,
)
from course_lib.exercises.layer_norm.dropout import dropout, told_of_slope
from course_lib.exercises.layer_norm.FeedForward import FeedForward
from course_lib.exercises.layer_norm.layer_norm import layer_norm
from course_lib.exercises.layer_norm.LayerNorm import LayerNorm
from course_lib.exercises.layer_norm.PostNorm import PostNorm
from course_lib.exercises.layer_norm.PreNorm import PreNorm


@layer_norm.at_once
def normalized(norm, inputs):
    batch, seq, d_model = inputs.integers(5, 10, 3).tolist()
    shape, eps = (batch, seq, d_model), inputs.chance()
    names = ("x", "weight", "bias")
    given = 1 + 3 * inputs.normal(*shape), 3 * inputs.normal(d_model), inputs.normal(d_model)
    leaves = {name: leaf.requires_grad_() for name, leaf in zip(names, given, strict=True)}
    output = norm(*given, eps=eps)
    x, weight, bias = (leaf.detach().double() for leaf in given)
    small = 0.01 * inputs.normal(2, *shape).double()  # its variance is not far from eps
    return {
        f"output (eps {eps}): batch seq d_model": output,
        "output (float64, four axes): batch heads seq d_model": norm(small, weight, bias),
        "output (float64, eps 1e-3): batch seq d_model": norm(x / 10, weight, bias, 1e-3),
        **gradients_of(output, leaves),
    }


@LayerNorm.at_once
@in_both_modes
def layer(build, inputs):
    d_model, eps = int(inputs.integers(5, 10, 1)), inputs.chance()
    norm, usual = build(d_model, eps=eps), build(d_model)
    x, longer = 1 + 3 * inputs.normal(2, 3, d_model), 0.01 * inputs.normal(3, 7, d_model)
    output = norm(x.requires_grad_())
    found = gradients_of(output, {"x": x} | parameters(norm))
    usual.double()
    return found | {
        f"output (eps {eps}): batch seq d_model": output,
        f"output (eps {eps}, another size): batch seq d_model": norm(1 + 300 * longer),
        "output (float64): batch seq d_model": usual(longer.double()),
    }


@FeedForward.at_once
@in_both_modes
def transformed(build, inputs):
    d_model, d_ff, seq = inputs.integers(2, 9, 3).tolist()
    feed_forward, x = build(d_model, d_ff), 3 * inputs.normal(3, seq, d_model).requires_grad_()
    output = feed_forward(x)
    found = gradients_of(output, {"x": x} | parameters(feed_forward))
    other, more = build(d_ff, d_model), inputs.wide(2, seq + 1, d_ff).double()
    other.double()
    return found | {
        "output: batch seq d_model": output,
        "output / 1000 (float64, of another layer): batch seq d_model": other(more) / 1e3,
        "output (another size): batch seq d_model": feed_forward(x[1:, :1].detach()),
    }


@dropout.at_once
def drops(drop, inputs):
    p, x = inputs.chance(), numbers(inputs).double()
    told = [told_of_slope(drop, inputs, p, True)]
    for first in range(len(SHAPE)):  # of x with one axis, with two and with three
        given = x.flatten(0, -1 - first).clone().requires_grad_()
        result = called(drop, given, p).detach().view(SHAPE)
        told += told_of_factor(result, x, p), told_of_exact_share(result, p), told_of_choice(result, x, p)
        told.append(told_of_copies(result == 0))
    return {
        "finding": next(filter(None, told), ""),
        f"output in evaluation (p = {p}, float64): batch seq d_model": called(drop, x, p, False),
    }


def wrapped(build, inputs):
    d_model, width, seq = inputs.integers(4, 9, 3).tolist()
    layers = [
        build(d_model, nn.Sequential(nn.Linear(d_model, width), nn.Tanh(), nn.Linear(width, d_model)))
        for _ in range(2)
    ]
    x, longer = 1 + 3 * inputs.normal(2, seq, d_model), 1 + 3 * inputs.normal(3, seq + 2, d_model).double()
    output = layers[0](x.requires_grad_())
    found = gradients_of(output, {"x": x} | parameters(layers[0]))
    layers[1].double()
    return found | {
        "output: batch seq d_model": output,
        "output (another size): batch seq d_model": layers[0](longer.float()),
        "output (float64): batch seq d_model": layers[1](longer),
    }


PostNorm.at_once(in_both_modes(wrapped))
PreNorm.at_once(in_both_modes(wrapped))
