"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import functools

from torch import nn

from course_lib.checks.gradients import parameters
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

layer_norm.at_once(normalized("weight", "bias"))


@LayerNorm.at_once
def layer(build, inputs):
    @functools.cache
    def norm_of(dtype, mode, eps):
        by_position, by_name = given_eps(inputs, eps)
        width = inputs.integer(5, 10)
        return width, built(build, dtype, mode, width, *by_position, **by_name)

    found = {}
    for case in inputs.cases(
        24, dtype=(*DTYPES,), mode=MODES, batch=(*SENTENCES,), x=NUMBERS, size=(*SIZES,), eps=EPS
    ):
        d_model, norm = norm_of(case["dtype"], case["mode"], case["eps"])
        shape = SENTENCES[case["batch"]], inputs.integer(1, 6), d_model
        x = SIZES[case["size"]] * apart(numbers(inputs, case["x"], *shape))
        leaves = {"x": x.to(DTYPES[case["dtype"]]).requires_grad_()} | parameters(norm)
        found |= told("output", WORDS, norm(leaves["x"]), leaves, case)
    return found


FeedForward.at_once(each_position((*NUMBERS, "numbers in the thousands")))


@dropout.at_once
def drops(drop, inputs):
    found = {}
    for case in inputs.cases(
        24,
        dtype=(*DTYPES,),
        axes=(*AXES, "3 axes"),
        x=("numbers of both signs", "positive numbers"),
        p=("p = 0.1", "another p"),
        mode=("training", "training", "training", "evaluation"),
        by=("position", "name"),
    ):
        p = 0.1 if case["p"] == "p = 0.1" else inputs.chance()
        x, training, label = draws.numbers(inputs), case["mode"] == "training", in_words(case)
        x = (x.abs() if case["x"] == "positive numbers" else x).to(DTYPES[case["dtype"]])
        shape = {"2 axes": (-1, 29), "3 axes": draws.SHAPE, "4 axes": (1, *draws.SHAPE)}
        x = x.view(shape.get(case["axes"], -1)).requires_grad_()
        given = {"p": p, "training": training} if case["by"] == "name" else {}
        result = drop(x, **given) if given else drop(x, p, training)
        if training:
            found[f"finding ({label})"] = told_of_draws(result, x, p)
        else:
            found[f"output ({label}): {AXES[case['axes']]}"] = result
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


def wrapped(build, inputs):
    @functools.cache
    def layer_of(dtype, mode, kind):
        d_model, width = inputs.integers(4, 9, 2).tolist()
        sublayer = nn.Linear(d_model, d_model)
        if kind == "two maps":
            sublayer = nn.Sequential(nn.Linear(d_model, width), nn.Tanh(), nn.Linear(width, d_model))
        return d_model, built(build, dtype, mode, d_model, sublayer)

    found = {}
    for case in inputs.cases(
        24, dtype=(*DTYPES,), mode=MODES, batch=(*SENTENCES,), x=NUMBERS, sublayer=("one map", "two maps")
    ):
        d_model, layer = layer_of(case["dtype"], case["mode"], case["sublayer"])
        x = numbers(inputs, case["x"], SENTENCES[case["batch"]], inputs.integer(1, 6), d_model)
        leaves = {"x": apart(x).to(DTYPES[case["dtype"]]).requires_grad_()} | parameters(layer)
        found |= told("output", WORDS, layer(leaves["x"]), leaves, case)
    return found


PostNorm.at_once(wrapped)
PreNorm.at_once(wrapped)
