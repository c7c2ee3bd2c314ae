"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import functools
import itertools

import torch
from torch import nn

from course_lib.checks.gradients import gradients_of, parameters
from course_lib.checks.inputs import as_transposed
from course_lib.checks.ordinary import DTYPES, SENTENCES, built, in_words
from course_lib.exercises.layer_norm import draws
from course_lib.exercises.layer_norm.cases import (
    AXES,
    EPS,
    MODES,
    NUMBERS,
    SIZES,
    WORDS,
    apart,
    each_position,
    given_eps,
    normalized,
    numbers,
    told,
)
from course_lib.exercises.layer_norm.dropout import dropout, told_of_weighted_slope
from course_lib.exercises.layer_norm.FeedForward import FeedForward
from course_lib.exercises.layer_norm.layer_norm import layer_norm
from course_lib.exercises.layer_norm.LayerNorm import LayerNorm
from course_lib.exercises.layer_norm.PostNorm import PostNorm
from course_lib.exercises.layer_norm.PreNorm import PreNorm
from course_lib.exercises.multi_head.first_steps import told_of_first_steps

ordinary_calls, ZEROS = normalized("weight", "bias"), "a token of zeros"


@layer_norm.at_once
def tokens(norm, inputs):
    x, weight, bias = torch.zeros(2, 5, requires_grad=True), inputs.normal(5), inputs.normal(5)
    return ordinary_calls(norm, inputs) | gradients_of(norm(x, weight, bias), {"x": x}, case=ZEROS)


@LayerNorm.at_once
def layer(build, inputs):
    @functools.cache
    def norm_of(dtype, eps):
        by_position, by_name = given_eps(inputs, eps)
        width = inputs.integer(5, 10)
        return width, built(build, dtype, "training", width, *by_position, **by_name)

    zeros, found = torch.zeros(1, 2, 5, requires_grad=True), {}
    found |= gradients_of(build(5)(zeros), {"x": zeros}, case=ZEROS)
    for case in inputs.cases(
        16,
        {("dtype", "batch", "eps"): [*itertools.product(DTYPES, SENTENCES, EPS)]},
        mode=MODES,
        x=NUMBERS,
        size=(*SIZES,),
    ):
        d_model, norm = norm_of(case["dtype"], case["eps"])
        norm.train(case["mode"] == "training")
        shape = SENTENCES[case["batch"]], inputs.integer(1, 6), d_model
        x = SIZES[case["size"]] * apart(numbers(inputs, case["x"], *shape))
        leaves = {"x": x.to(DTYPES[case["dtype"]]).requires_grad_()} | parameters(norm)
        found |= told("output", WORDS, norm(leaves["x"]), leaves, case)
    return found


@FeedForward.at_once
def positions(build, inputs):
    calls = each_position((*NUMBERS, "numbers in the thousands"))(build, inputs)
    new, words = build.fresh(4, 8), inputs.normal(2, 5, 4)
    return calls | {"first steps": told_of_first_steps(new, inputs, words)}


@dropout.at_once
def drops(drop, inputs):
    half = draws.numbers(inputs).bfloat16()
    found = {
        f"bfloat16, {said}": draws.told_of_factor(draws.called(drop, x, 0.5), x, 0.5)
        for said, x in (("3 axes", half), ("one number without axes", half[0, 0, 0]))
    }
    for case in inputs.cases(
        24,
        dtype=(*DTYPES,),
        axes=(*AXES, "3 axes of a transpose"),
        x=("numbers of both signs", "positive numbers"),
        p=("p = 0.1", "another p"),
        mode=("training", "training", "training", "evaluation"),
        by=("position", "name"),
    ):
        p = 0.1 if case["p"] == "p = 0.1" else inputs.integer(100, 901) / 1000
        x, training, label = draws.numbers(inputs), case["mode"] == "training", in_words(case)
        x = (x.abs() if case["x"] == "positive numbers" else x).to(DTYPES[case["dtype"]])
        shape = {"2 axes": (-1, 29), "3 axes": draws.SHAPE, "4 axes": (1, *draws.SHAPE)}
        axes, _, of_a_transpose = case["axes"].partition(" of ")
        x = as_transposed(x, -2, -1) if of_a_transpose else x.view(shape.get(axes, -1))
        x.requires_grad_()
        given = {"p": p, "training": training} if case["by"] == "name" else {}
        result = drop(x, **given) if given else drop(x, p, training)
        if training:
            found[f"finding ({label})"] = told_of_draws(result, x, p)
        else:
            found[f"output ({label}): {AXES[axes]}"] = result
        weight = inputs.normal(*x.shape)
        found[f"slope ({label})"] = told_of_weighted_slope(result, x, weight)
    return found


def told_of_draws(result, x, p) -> str:
    if result.shape != x.shape:
        return f"`output` has shape {tuple(result.shape)}, expected {tuple(x.shape)}, as x."
    result, x = result.detach().reshape(draws.SHAPE), x.detach().reshape(draws.SHAPE)
    told = draws.told_of_factor(result, x, p), draws.told_of_exact_share(result, p)
    told += draws.told_of_choice(result, x, p), draws.told_of_copies(result == 0)
    return next(filter(None, told), "")


HOOKS = (
    "You call `forward` of the sublayer, which leaves its hooks out, and a function has no `forward`. Call "
    "the sublayer itself: `self.sublayer(...)`."
)


def wrapped(build, inputs):
    heard = []

    @functools.cache
    def layer_of(dtype, kind):
        d_model = inputs.integer(4, 9)
        if kind == "a function":
            return d_model, built(build, dtype, "training", d_model, torch.tanh)
        sublayer = nn.Linear(d_model, d_model)
        if kind == "a map and tanh":  # whose gradient needs its result
            sublayer = nn.Sequential(sublayer, nn.Tanh())
        sublayer.register_forward_hook(lambda *given: heard.append(kind))
        return d_model, built(build, dtype, "training", d_model, sublayer)

    found = {}
    for case in inputs.cases(
        12,
        {("dtype", "batch", "x"): [*itertools.product(DTYPES, SENTENCES, NUMBERS)]},
        mode=MODES,
        sublayer=("a map", "a map and tanh", "a function"),
    ):
        d_model, layer = layer_of(case["dtype"], case["sublayer"])
        layer.train(case["mode"] == "training")
        x = numbers(inputs, case["x"], SENTENCES[case["batch"]], inputs.integer(1, 6), d_model)
        leaves = {"x": apart(x).to(DTYPES[case["dtype"]]).requires_grad_()} | parameters(layer)
        found |= told("output", WORDS, layer(leaves["x"]), leaves, case)
    return found | {"hooks": "" if heard else HOOKS}


PostNorm.at_once(wrapped)
PreNorm.at_once(wrapped)
