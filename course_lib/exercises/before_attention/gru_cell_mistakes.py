"""Wrong answers to gru_cell: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


def parts(x, state, W, U, b):
    """Of reset, update and candidate what the word gives, then what the state gives."""
    return (x @ W + b).chunk(3, dim=-1), (state @ U).chunk(3, dim=-1)


def gates(words, states):
    return torch.sigmoid(words[0] + states[0]), torch.sigmoid(words[1] + states[1])


def blend(update, candidate, state):
    return (1 - update) * candidate + update * state


@mistake
def gates_swapped(x, state, W, U, b):
    """Your gates have changed places. Of the 3 * hidden columns the first third is the reset gate's, the
    second the update gate's.
    """
    words, states = parts(x, state, W, U, b)
    update, reset = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def blend_inverted(x, state, W, U, b):
    """Your update gate works the other way round: here it weighs the old state, and 1 - update weighs the
    candidate. (Papers differ in this; PyTorch has it as here.)
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return blend(1 - update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def resets_before_the_matrix(x, state, W, U, b):
    """You reset the state before its matrix, as Cho et al. (2014) do. Here, as in PyTorch, the reset gate
    multiplies what the matrix has made of the state: `reset * (state @ U_candidate)`.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    kept = (reset * state) @ U.chunk(3, dim=-1)[2]
    return blend(update, torch.tanh(words[2] + kept), state)


@mistake
def no_reset(x, state, W, U, b):
    """Your candidate reads the whole old state: the reset gate has no effect. It multiplies the state's part
    of the candidate.
    """
    words, states = parts(x, state, W, U, b)
    _, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + states[2]), state)


@mistake
def resets_the_word_too(x, state, W, U, b):
    """Your reset gate multiplies the word's part too. It decides what is left of the old state in the
    candidate, and leaves the word alone.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return blend(update, torch.tanh(reset * (words[2] + states[2])), state)


@mistake
def resets_in_the_blend(x, state, W, U, b):
    """Your reset gate acts once more in the blend. Only the candidate sees it: the blend takes the old state
    as it is.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), reset * state)


@mistake
def candidate_by_update(x, state, W, U, b):
    """Your candidate uses the update gate where the reset gate belongs."""
    words, states = parts(x, state, W, U, b)
    _, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + update * states[2]), state)


@mistake
def candidate_sigmoid(x, state, W, U, b):
    """Your candidate goes through a sigmoid, so that it is never negative. A candidate is a tanh; only gates
    are sigmoids.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return blend(update, torch.sigmoid(words[2] + reset * states[2]), state)


@mistake
def candidate_without_tanh(x, state, W, U, b):
    """Your candidate lacks its tanh: nothing bounds it, and states can grow without end."""
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return blend(update, words[2] + reset * states[2], state)


@mistake
def candidate_relu(x, state, W, U, b):
    """Your candidate goes through a ReLU. Here it is a tanh, between -1 and 1."""
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return blend(update, torch.relu(words[2] + reset * states[2]), state)


@mistake
def gates_tanh(x, state, W, U, b):
    """Your gates go through a tanh and can be negative. A gate is a share between 0 and 1: a sigmoid."""
    words, states = parts(x, state, W, U, b)
    reset, update = torch.tanh(words[0] + states[0]), torch.tanh(words[1] + states[1])
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def gates_softmax(x, state, W, U, b):
    """Your gates go through a softmax, so that the numbers of a state compete. Each number has a gate of its
    own: a sigmoid.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = torch.softmax(words[0] + states[0], -1), torch.softmax(words[1] + states[1], -1)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def gates_without_sigmoid(x, state, W, U, b):
    """Your gates lack their sigmoid: a gate is a share between 0 and 1."""
    words, states = parts(x, state, W, U, b)
    reset, update = words[0] + states[0], words[1] + states[1]
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def gates_of_the_word(x, state, W, U, b):
    """Your gates read the word alone. They read the old state too: add its part of `state @ U`."""
    words, states = parts(x, state, W, U, b)
    reset, update = torch.sigmoid(words[0]), torch.sigmoid(words[1])
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def gates_of_the_state(x, state, W, U, b):
    """Your gates read the old state alone. They read the word and its bias too: add their part of
    `x @ W + b`.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = torch.sigmoid(states[0]), torch.sigmoid(states[1])
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def no_blend(x, state, W, U, b):
    """You return the candidate: nothing of the old state is kept. Blend the two by the update gate."""
    words, states = parts(x, state, W, U, b)
    reset, _ = gates(words, states)
    return torch.tanh(words[2] + reset * states[2])


@mistake
def plain_network(x, state, W, U, b):
    """That is a recurrent network without gates, and it forgets fast. Use the reset and the update gate."""
    words, states = parts(x, state, W, U, b)
    return torch.tanh(words[2] + states[2])


@mistake
def candidate_added_whole(x, state, W, U, b):
    """You add the whole candidate to what is kept. It is a blend, whose two shares sum to 1: the candidate's
    is 1 - update.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return torch.tanh(words[2] + reset * states[2]) + update * state


@mistake
def state_kept_whole(x, state, W, U, b):
    """You keep the whole old state and add to it. It is a blend, whose two shares sum to 1: the old state's
    is update.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return (1 - update) * torch.tanh(words[2] + reset * states[2]) + state


@mistake
def tanh_of_the_blend(x, state, W, U, b):
    """Your new state goes through a tanh at the end, and what is kept shrinks at every step. Only the
    candidate has a tanh.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return torch.tanh(blend(update, words[2] + reset * states[2], state))


@mistake
def tanh_twice(x, state, W, U, b):
    """Your new state goes through one tanh too many. The candidate has a tanh; the blend has none."""
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return torch.tanh(blend(update, torch.tanh(words[2] + reset * states[2]), state))


@mistake
def no_bias(x, state, W, U, b):
    """Your bias `b` is missing: it is added to `x @ W`."""
    words, states = parts(x, state, W, U, torch.zeros_like(b))
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def bias_twice(x, state, W, U, b):
    """Your bias `b` is added twice, to the word's part and to the state's. It belongs to the word's alone."""
    words, states = (x @ W + b).chunk(3, dim=-1), (state @ U + b).chunk(3, dim=-1)
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def bias_is_reset(x, state, W, U, b):
    """Your reset gate multiplies the candidate's bias too. Add `b` to `x @ W`, where no gate is."""
    words, states = (x @ W).chunk(3, dim=-1), (state @ U + b).chunk(3, dim=-1)
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def candidate_first(x, state, W, U, b):
    """Your columns stand in another order: reset gate, update gate, and the candidate last."""
    words, states = parts(x, state, W, U, b)
    words, states = (*words[1:], words[0]), (*states[1:], states[0])
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def columns_interleaved(x, state, W, U, b):
    """You take every third column for a gate. The columns of one gate stand side by side: the first `hidden`
    are the reset gate's.
    """
    words, states = ([y[:, i::3] for i in range(3)] for y in (x @ W + b, state @ U))
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake(mentions=r"exp\(")
def sigmoid_overflows(x, state, W, U, b):
    """exp of a large number is infinity, and infinity over infinity is NaN. `torch.sigmoid` has no such
    trouble; nor has `1 / (1 + torch.exp(-x))`.
    """

    def sigmoid(x):
        return torch.exp(x) / (1 + torch.exp(x))

    words, states = parts(x, state, W, U, b)
    reset, update = sigmoid(words[0] + states[0]), sigmoid(words[1] + states[1])
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake(mentions=r"chunk\(3\)|chunk\(3, (dim=)?0\)|split\(")
def cuts_the_batch(x, state, W, U, b):
    """You cut the batch: `chunk` and `split` take axis 0 if you do not say otherwise. The gates lie along the
    last axis: `dim=-1`.
    """
    words, states = (x @ W + b).chunk(3), (state @ U).chunk(3)
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake(mentions=r"\.(T|mT|t\(\))")
def matrices_turned(x, state, W, U, b):
    """Rows are vectors here: `x @ W` and `state @ U`, and no matrix needs a transpose."""
    words, states = (x @ W.T + b).chunk(3, dim=-1), (state @ U.T).chunk(3, dim=-1)
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake(mentions=r"x @ U|state @ W")
def matrices_swapped(x, state, W, U, b):
    """`W` is for the word and `U` for the state: `x @ W + b` and `state @ U`."""
    words, states = (x @ U + b).chunk(3, dim=-1), (state @ W).chunk(3, dim=-1)
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake(mentions=r"detach|no_grad|\.data\b")
def state_detached(x, state, W, U, b):
    """You cut the old state off from the gradient: then no word can teach what an earlier one should have
    left behind.
    """
    state = state.detach()
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)
