"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import torch

from course_lib.checks.gradients import gradients_of
from course_lib.checks.ordinary import DTYPES, SENTENCES, in_words
from course_lib.exercises.before_attention.decoder_step import decoder_step
from course_lib.exercises.before_attention.gru_cell import arguments, gru_cell
from course_lib.exercises.before_attention.stand_ins import attend, cell, digits

SIGNS, BY = ("numbers of both signs", "positive numbers"), ("by position", "by name")


def leaves_of(case, **tensors):
    """The tensors as the case wants them, with gradients."""
    positive, dtype = case["given"] == "positive numbers", DTYPES[case["dtype"]]
    # A third of each number, which no float32 holds.
    return {
        name: ((x.abs() if positive else x).to(dtype) / 3).requires_grad_() for name, x in tensors.items()
    }


def told(name, axes, result, label):
    """The result, and in float64 the digits that float32 does not have."""
    found = {f"{name} ({label}): {axes}": result}
    wide = result.dtype == torch.float64
    return found | ({f"sin(1e7 * {name}) ({label}): {axes}": digits(result)} if wide else {})


def saturated(gru_cell, inputs):
    """Gradients where gates are 0 or 1: 200 is too much for exp in float32."""
    x, state, W, U, b = arguments(inputs)
    b[:8] += torch.tensor([200.0, -200.0]).repeat(4)
    leaves = {"W": W.requires_grad_(), "b": b.requires_grad_()}
    return gradients_of(gru_cell(x, state, W, U, b), leaves, case="gates of 0 and of 1")


@gru_cell.at_once
def stepped(gru_cell, inputs):
    found, names = saturated(gru_cell, inputs), ("x", "state", "W", "U", "b")
    for case in inputs.cases(
        16,
        dtype=(*DTYPES,),
        batch=(*SENTENCES,),
        given=SIGNS,
        state=("a later word", "the first word"),
        sizes=("d_in is hidden", "other sizes"),
        by=BY,
    ):
        d_in, hidden = inputs.integers(1, 7, 2).tolist()
        d_in, first = hidden if case["sizes"] == "d_in is hidden" else d_in, case["state"] == "the first word"
        tensors = arguments(inputs, SENTENCES[case["batch"]], d_in, hidden)
        leaves = leaves_of(case, **dict(zip(names, tensors, strict=True)))
        given = leaves | ({"state": torch.zeros_like(leaves["state"]).requires_grad_()} if first else {})
        new = gru_cell(**given) if case["by"] == "by name" else gru_cell(*given.values())
        label = in_words(case)
        learn = {name: leaf for name, leaf in given.items() if not (first and name == "U")}  # of a state of 0
        found |= told("state", "batch hidden", new, label) | gradients_of(new, learn, case=label)
    return found


def by_product(query, key, value):
    """Another attention than `attend`: by scalar products."""
    weights = (query @ key.mT).softmax(dim=-1)
    return weights @ value, weights


@decoder_step.at_once
def written(decoder_step, inputs):
    found = {}
    for case in inputs.cases(
        16,
        dtype=(*DTYPES,),
        batch=(*SENTENCES,),
        given=SIGNS,
        attention=("additive attention", "attention by products"),
        sizes=("d_model is hidden", "other sizes"),
        by=BY,
    ):
        batch, (source, d_model, hidden) = SENTENCES[case["batch"]], inputs.integers(1, 7, 3).tolist()
        d_model = hidden if case["sizes"] == "d_model is hidden" else d_model
        word, state = inputs.normal(batch, d_model), inputs.normal(batch, hidden)
        leaves = leaves_of(case, word=word, state=state, memory=inputs.normal(batch, source, hidden))
        attends = attend if case["attention"] == "additive attention" else by_product
        given = {**leaves, "attend": attends, "cell": cell(d_model, hidden)}
        by_name = case["by"] == "by name"
        new, weights = decoder_step(**given) if by_name else decoder_step(*given.values())
        label = in_words(case)
        found |= told("state", "batch hidden", new, label) | told("weights", "batch source", weights, label)
        found |= gradients_of(torch.cat([new, weights], dim=-1), leaves, case=label)
    return found
