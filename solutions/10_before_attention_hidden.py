"""Parts of the checks of 10_before_attention that run only when work is graded; not for learners."""

import torch

from course_lib.checks.exercise import Part
from course_lib.checks.properties import differ
from course_lib.exercises.before_attention.stand_ins import digits


def cell_sizes(gru_cell, inputs):
    # W, U and the candidate are 0, so half of the state is left, and no slip costs a second point.
    results = {}
    for batch, hidden in ((1, 1), (3, 2), (6, 3)):
        state = inputs.wide(batch, hidden).double() / 3  # which no float32 holds
        zeros = torch.zeros(2, 3 * hidden), torch.zeros(hidden, 3 * hidden), torch.zeros(3 * hidden)
        new = gru_cell(inputs.normal(batch, 2).double(), state, *(x.double() for x in zeros))
        results[f"state ({batch} sentences, {hidden} numbers each): batch hidden"] = new
        results[f"sin(1e7 * share of the state) ({batch} sentences): batch hidden"] = digits(new / state)
    x, state, W, U, b = (inputs.normal(*shape) for shape in ((4, 3), (4, 2), (3, 6), (2, 6), (6,)))
    singly = torch.cat([gru_cell(x[i : i + 1], state[i : i + 1], W, U, b) for i in range(4)])
    label = "states of 4 sentences - of each alone: batch hidden"
    return results | {
        label: gru_cell(x, state, W, U, b) - singly,
        "another word gives another state": differ(gru_cell(-x, state, W, U, b), singly),
    }


def step_sizes(decoder_step, inputs):
    # Stand-ins of other sizes. All keys are alike, so the weights are uniform for every query.
    def attend(query, key, value):
        weights = torch.softmax(query @ key.mT, dim=-1)
        return weights @ value, weights

    def cell(x, state):
        return state + x.cumsum(dim=-1)[:, -state.shape[-1] :]

    results = {}
    for batch, source in ((1, 1), (3, 6), (2, 2)):
        word, state = inputs.normal(batch, 2).double() / 3, inputs.normal(batch, 3).double() / 3
        memory = (inputs.normal(batch, 1, 3).double() / 3).expand(batch, source, 3).clone()
        new, weights = decoder_step(word, state, memory, attend, cell)
        results |= {
            f"state (batch {batch}, {source} words): batch hidden": new,
            f"weights (batch {batch}, {source} words): batch source": weights,
            f"sin(1e7 * state) (batch {batch}): batch hidden": digits(new),
        }
    several = inputs.normal(2, 2, 3).double()
    one, other = (decoder_step(word, state, words, attend, cell)[1] for words in (several, several.flip(1)))
    return results | {"the same words in another order have other weights": differ(one, other)}


PARTS = {
    "gru_cell": Part("sizes and precision that you have not seen", 1, cell_sizes, hidden=True),
    "decoder_step": Part("sizes and precision that you have not seen", 1, step_sizes, hidden=True),
}
