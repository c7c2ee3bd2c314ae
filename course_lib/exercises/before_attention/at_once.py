"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import torch

from course_lib.checks.gradients import gradients_of
from course_lib.exercises.before_attention.decoder_step import decoder_step
from course_lib.exercises.before_attention.gru_cell import arguments, gru_cell
from course_lib.exercises.before_attention.stand_ins import attend, cell, digits


@gru_cell.at_once
def stepped(gru_cell, inputs):
    names, (batch, d_in, hidden) = ("x", "state", "W", "U", "b"), inputs.integers(2, 9, 3).tolist()
    given = arguments(inputs, batch, d_in, hidden)
    leaves = {name: leaf.requires_grad_() for name, leaf in zip(names, given, strict=True)}
    state = gru_cell(*given)
    wide = gru_cell(*(leaf.detach().double() / 3 for leaf in given))  # thirds, which no float32 holds
    return {
        "state: batch hidden": state,
        "state (float64): batch hidden": wide,
        "sin(1e7 * state) (float64): batch hidden": digits(wide),
        **gradients_of(state, leaves),
    }


@decoder_step.at_once
def written(decoder_step, inputs):
    batch, source, d_model, hidden = inputs.integers(2, 9, 4).tolist()
    word, state, memory = (
        inputs.normal(*shape).requires_grad_()
        for shape in ((batch, d_model), (batch, hidden), (batch, source, hidden))
    )
    new, weights = decoder_step(word, state, memory, attend, cell(d_model, hidden))
    inner = (x.detach().double() / 3 for x in (word, state, memory))
    wide = decoder_step(*inner, attend, cell(d_model, hidden))
    return {
        "state: batch hidden": new,
        "weights: batch source": weights,
        "state (float64): batch hidden": wide[0],
        "sin(1e7 * state) (float64): batch hidden": digits(wide[0]),
        "sin(1e7 * weights) (float64): batch source": digits(wide[1]),
        **gradients_of(torch.cat([new, weights], dim=-1), {"word": word, "state": state, "memory": memory}),
    }
