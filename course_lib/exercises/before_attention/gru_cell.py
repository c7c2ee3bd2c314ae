"""gru_cell: one step of a gated recurrent unit, as torch.nn.GRUCell takes it (Cho et al. 2014)."""

import torch
from torch import nn

from course_lib.checks.exercise import Exercise, Property, Values
from course_lib.checks.gradients import gradients_of

gru_cell = Exercise(
    "gru_cell",
    points=8,
    returns=("state: batch hidden",),
    ready_made=("gru_cell", "gru"),
    hints=[
        "Which two inputs do the gates and the candidate read, and what does the reset gate multiply? How "
        "many columns of `x @ W` belong to each of the three?",
        "`x @ W + b` and `state @ U` have 3 * hidden columns each. `.chunk(3, dim=-1)` cuts each of them "
        "into three parts: for the reset gate, the update gate and the candidate.",
        "A gate is the sigmoid of the sum of its two parts. For the candidate, multiply its part of "
        "`state @ U` by the reset gate, add its part of `x @ W + b`, and apply tanh.",
        "The new state is `(1 - update) * candidate + update * state`.",
    ],
    examples=[
        "gru_cell(torch.tensor([[1.]]), torch.tensor([[3.]]), torch.zeros(1, 3), torch.zeros(1, 3), "
        "torch.tensor([0., 2., 0.]))",
        "gru_cell(torch.tensor([[1.]]), torch.tensor([[0.5]]), torch.tensor([[0.3, -30., 0.8]]), "
        "torch.tensor([[1., 0., 2.]]), torch.tensor([0.1, 0., 0.4]))",
        "gru_cell(torch.tensor([[1.], [-2.]]), torch.tensor([[0.5, -1.], [2., 0.3]]), "
        "torch.tensor([[0.3, -1., 0.8, 0.4, 1., -0.6]]), "
        "torch.tensor([[1., 0.2, -0.4, 0.6, 2., 0.1], [-0.7, 0.9, 0.5, -1., 0.3, 1.2]]), "
        "torch.tensor([0.1, -0.2, 0.3, 0.5, -0.1, 0.2]))",
        "gru_cell(torch.tensor([[1.]]), torch.tensor([[1.]]), torch.tensor([[200., 200., 1.]]), "
        "torch.zeros(1, 3), torch.zeros(3))",
        "gru_cell(torch.ones(1, 1), torch.ones(1, 1).requires_grad_(), torch.ones(1, 3), torch.ones(1, 3), "
        "torch.ones(3)).requires_grad",
    ],
)


OLD = "old "


def blends(values: Values, expected: Values) -> str | None:
    """Each number of the new state is between the old one and a candidate from -1 to 1."""
    for label, right in expected.items():
        got, old = values.get(label), expected.get(OLD + label)
        if isinstance(got, torch.Tensor) and isinstance(old, torch.Tensor) and got.shape == right.shape:
            beyond = (got > old.clamp_min(1) + 1e-3) | (got < old.clamp_max(-1) - 1e-3)
            if beyond.any():
                return (
                    f"The new state contains {got[beyond][0]:.4g} where the old one has "
                    f"{old[beyond][0]:.4g}. Each number has to be between the old state and a candidate from "
                    "-1 to 1."
                )
    return None


def beside_the_old(label: str, new: torch.Tensor, old: torch.Tensor) -> Values:
    """The new state with the old one, which the property needs."""
    return {label: new, OLD + label: old}


BLENDS: tuple[Property, ...] = (blends,)


@gru_cell.reference
def reference(x, state, W, U, b):
    return torch.gru_cell(x, state, W.T, U.T, b, torch.zeros_like(b))


def arguments(inputs, batch=2, d_in=5, hidden=4):
    """x, state, W, U, b: no two axes are alike, and no gate is nearly open or nearly shut."""
    x, state = inputs.normal(batch, d_in), inputs.normal(batch, hidden)
    W, U = inputs.normal(d_in, 3 * hidden) / d_in**0.5, inputs.normal(hidden, 3 * hidden) / hidden**0.5
    return x, state, W, U, inputs.normal(3 * hidden)


def shifted(b, update):
    """The bias with another update gate: 30 keeps the old state, -30 takes the candidate."""
    hidden = len(b) // 3
    return torch.cat([b[:hidden], torch.full((hidden,), float(update)), b[2 * hidden :]])


@gru_cell.part("the update gate keeps a part of the old state", points=2, properties=BLENDS)
def keeps(gru_cell, inputs):
    # The candidate is 0, whatever its formula, and the gates do not depend on x and state.
    hidden, gates = 4, inputs.normal(8)
    x, state = inputs.normal(2, 5), inputs.normal(2, hidden)
    b = torch.cat([gates, torch.zeros(hidden)])
    zeros = torch.zeros(5, 3 * hidden), torch.zeros(hidden, 3 * hidden)
    label = "state (W and U are 0, the candidate too): batch hidden"
    return {
        **beside_the_old(label, gru_cell(x, state, *zeros, b), state),
        "state (the update gate is 1): batch hidden": gru_cell(x, state, *zeros, shifted(b, 30)),
    }


@gru_cell.part("the candidate reads the word, and the old state through the reset gate", points=2)
def candidate(gru_cell, inputs):
    x, state, W, U, b = arguments(inputs)
    W[:, 4:8], U[:, 4:8] = 0, 0  # the update gate is 0: the new state is the candidate
    return {"state (the update gate is 0): batch hidden": gru_cell(x, state, W, U, shifted(b, -30))}


@gru_cell.part("both gates read the word and the state", points=1, properties=BLENDS)
def gates(gru_cell, inputs):
    given, alike = arguments(inputs), arguments(inputs, d_in=4)
    state, first = gru_cell(*given), gru_cell(given[0], torch.zeros(2, 4), *given[2:])
    with torch.no_grad():  # as in translation; the old state still belongs to the caller
        unseen = gru_cell(*given)
    return {
        **beside_the_old("state: batch hidden", state, given[1]),
        "state (under no_grad): batch hidden": unseen,
        "state (the old one is 0): batch hidden": first,
        "state (W and U of one shape): batch hidden": gru_cell(*alike),
    }


@gru_cell.part("the state is right for large numbers", points=1)
def large(gru_cell, inputs):
    # All gates are 0 or 1 and the candidate is far from 0: 800 is too much for exp in float64 too.
    x, state = torch.ones(2, 1), inputs.normal(2, 2)
    W = torch.tensor([[800.0, -800.0, 800.0, -800.0, 900.0, -900.0]])
    return {"state (W is large): batch hidden": gru_cell(x, state, W, torch.zeros(2, 6), torch.zeros(6))}


@gru_cell.part("gradients reach everything that is learned", points=1)
def gradients(gru_cell, inputs):
    names = ("x", "state", "W", "U", "b")
    leaves = {name: tensor.requires_grad_() for name, tensor in zip(names, arguments(inputs), strict=True)}
    return gradients_of(gru_cell(*leaves.values()), leaves)


# Accepted: other ways to write the same


@gru_cell.accept("a matrix product for each gate")
def by_gate(x, state, W, U, b):
    hidden = state.shape[1]
    cut = [slice(i * hidden, (i + 1) * hidden) for i in range(3)]
    reset, update = (torch.sigmoid(x @ W[:, c] + state @ U[:, c] + b[c]) for c in cut[:2])
    candidate = torch.tanh(x @ W[:, cut[2]] + b[cut[2]] + reset * (state @ U[:, cut[2]]))
    return (1 - update) * candidate + update * state


@gru_cell.accept("split, and lerp for the blend")
def by_lerp(x, state, W, U, b):
    hidden = state.shape[-1]
    words, states = (x @ W + b).split(hidden, dim=1), (state @ U).split(hidden, dim=1)
    reset, update = ((word + old).sigmoid() for word, old in zip(words[:2], states[:2], strict=True))
    return torch.lerp((words[2] + reset * states[2]).tanh(), state, update)


@gru_cell.accept("one product for both gates, the change added to the state")
def by_change(x, state, W, U, b):
    hidden = state.shape[-1]
    both = torch.cat([x, state], dim=-1) @ torch.cat([W, U])[:, : 2 * hidden]
    reset, update = torch.sigmoid(both + b[: 2 * hidden]).unflatten(-1, (2, hidden)).unbind(-2)
    word = torch.addmm(b[2 * hidden :], x, W[:, 2 * hidden :])
    candidate = torch.tanh(word + reset * torch.mm(state, U[:, 2 * hidden :]))
    return state + (1 - update) * (candidate - state)


@gru_cell.accept("functional linear, one sentence after the other")
def by_sentence(x, state, W, U, b):
    rows = []
    for word, old in zip(x, state, strict=True):
        from_word = nn.functional.linear(word, W.T, b).view(3, -1)
        from_state = nn.functional.linear(old, U.T).view(3, -1)
        reset, update = 0.5 + 0.5 * torch.tanh((from_word + from_state)[:2] / 2)
        candidate = torch.tanh(from_word[2] + reset * from_state[2])
        rows.append(candidate - update * candidate + update * old)
    return torch.stack(rows)
