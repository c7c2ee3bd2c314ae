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
    """You swapped the gates. Of the 3 * hidden columns, the first third belongs to the reset gate and the
    second third to the update gate.
    """
    words, states = parts(x, state, W, U, b)
    update, reset = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def blend_inverted(x, state, W, U, b):
    """Your update gate works the other way round. Here update multiplies the old state, and 1 - update
    multiplies the candidate. (Papers differ in this; PyTorch does it as here.)
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return blend(1 - update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def resets_before_the_matrix(x, state, W, U, b):
    """You reset the state before its matrix, as Cho et al. (2014) do. Here and in PyTorch the reset gate
    comes after the matrix: `reset * (state @ U_candidate)`.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    kept = (reset * state) @ U.chunk(3, dim=-1)[2]
    return blend(update, torch.tanh(words[2] + kept), state)


@mistake
def no_reset(x, state, W, U, b):
    """Your candidate reads the whole old state, so the reset gate has no effect. Multiply the state's part of
    the candidate by the reset gate.
    """
    words, states = parts(x, state, W, U, b)
    _, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + states[2]), state)


@mistake
def resets_the_word_too(x, state, W, U, b):
    """Your reset gate also multiplies the word's part of the candidate. It has to multiply only the part of
    the old state.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return blend(update, torch.tanh(reset * (words[2] + states[2])), state)


@mistake
def resets_in_the_blend(x, state, W, U, b):
    """You apply the reset gate a second time, to the old state in the blend. Only the candidate uses it, and
    the blend takes the old state unchanged.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), reset * state)


@mistake
def candidate_by_update(x, state, W, U, b):
    """Your candidate uses the update gate. Use the reset gate there."""
    words, states = parts(x, state, W, U, b)
    _, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + update * states[2]), state)


@mistake
def candidate_sigmoid(x, state, W, U, b):
    """Your candidate goes through a sigmoid, so it is never negative. Use tanh for the candidate and sigmoid
    only for the gates.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return blend(update, torch.sigmoid(words[2] + reset * states[2]), state)


@mistake
def candidate_without_tanh(x, state, W, U, b):
    """The tanh of your candidate is missing. Without it nothing bounds the candidate, so the states can grow
    without limit.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return blend(update, words[2] + reset * states[2], state)


@mistake
def candidate_relu(x, state, W, U, b):
    """Your candidate goes through a ReLU. Use tanh, which gives numbers between -1 and 1."""
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return blend(update, torch.relu(words[2] + reset * states[2]), state)


@mistake
def gates_tanh(x, state, W, U, b):
    """Your gates go through a tanh, so they can be negative. A gate is between 0 and 1: use a sigmoid."""
    words, states = parts(x, state, W, U, b)
    reset, update = torch.tanh(words[0] + states[0]), torch.tanh(words[1] + states[1])
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def gates_softmax(x, state, W, U, b):
    """Your gates go through a softmax, so the numbers of a state compete with each other. Each number has its
    own gate: use a sigmoid.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = torch.softmax(words[0] + states[0], -1), torch.softmax(words[1] + states[1], -1)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def gates_without_sigmoid(x, state, W, U, b):
    """The sigmoid of your gates is missing. A gate has to be between 0 and 1."""
    words, states = parts(x, state, W, U, b)
    reset, update = words[0] + states[0], words[1] + states[1]
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def gates_of_the_word(x, state, W, U, b):
    """Your gates read only the word. They have to read the old state too: add their part of `state @ U`."""
    words, states = parts(x, state, W, U, b)
    reset, update = torch.sigmoid(words[0]), torch.sigmoid(words[1])
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def gates_of_the_state(x, state, W, U, b):
    """Your gates read only the old state. They have to read the word too: add their part of `x @ W + b`."""
    words, states = parts(x, state, W, U, b)
    reset, update = torch.sigmoid(states[0]), torch.sigmoid(states[1])
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def no_blend(x, state, W, U, b):
    """You return the candidate, so nothing of the old state is kept. Blend the candidate and the old state by
    the update gate.
    """
    words, states = parts(x, state, W, U, b)
    reset, _ = gates(words, states)
    return torch.tanh(words[2] + reset * states[2])


@mistake
def plain_network(x, state, W, U, b):
    """You wrote a recurrent network without gates, which forgets fast. Use the reset gate and the update
    gate.
    """
    words, states = parts(x, state, W, U, b)
    return torch.tanh(words[2] + states[2])


@mistake
def candidate_added_whole(x, state, W, U, b):
    """You add the whole candidate to the part that is kept. The two shares of the blend sum to 1, so multiply
    the candidate by 1 - update.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return torch.tanh(words[2] + reset * states[2]) + update * state


@mistake
def state_kept_whole(x, state, W, U, b):
    """You keep the whole old state and add to it. The two shares of the blend sum to 1, so multiply the old
    state by update.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return (1 - update) * torch.tanh(words[2] + reset * states[2]) + state


@mistake
def tanh_of_the_blend(x, state, W, U, b):
    """You apply tanh to the new state, so the part that is kept shrinks at every step. Apply tanh to the
    candidate only.
    """
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return torch.tanh(blend(update, words[2] + reset * states[2], state))


@mistake
def tanh_twice(x, state, W, U, b):
    """You apply tanh once too often, to the new state as well. Apply tanh to the candidate only."""
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return torch.tanh(blend(update, torch.tanh(words[2] + reset * states[2]), state))


@mistake
def no_bias(x, state, W, U, b):
    """The bias `b` is missing. Add it to `x @ W`."""
    words, states = parts(x, state, W, U, torch.zeros_like(b))
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def bias_twice(x, state, W, U, b):
    """You add the bias `b` twice, to the word's part and to the state's part. Add it to `x @ W` only."""
    words, states = (x @ W + b).chunk(3, dim=-1), (state @ U + b).chunk(3, dim=-1)
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def bias_is_reset(x, state, W, U, b):
    """Your reset gate multiplies the candidate's bias too. Add `b` to `x @ W`, which the reset gate does not
    multiply.
    """
    words, states = (x @ W).chunk(3, dim=-1), (state @ U + b).chunk(3, dim=-1)
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def candidate_first(x, state, W, U, b):
    """Your columns are in another order. The reset gate comes first, then the update gate, and the candidate
    last.
    """
    words, states = parts(x, state, W, U, b)
    words, states = (*words[1:], words[0]), (*states[1:], states[0])
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake
def columns_interleaved(x, state, W, U, b):
    """You take every third column for a gate. The columns of one gate are side by side: the first `hidden`
    columns belong to the reset gate.
    """
    words, states = ([y[:, i::3] for i in range(3)] for y in (x @ W + b, state @ U))
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake(mentions=r"exp\(")
def sigmoid_overflows(x, state, W, U, b):
    """The exponential of a large number is infinity, and infinity divided by infinity is NaN. Use
    `torch.sigmoid`, or `1 / (1 + torch.exp(-x))`, which does not have this problem.
    """

    def sigmoid(x):
        return torch.exp(x) / (1 + torch.exp(x))

    words, states = parts(x, state, W, U, b)
    reset, update = sigmoid(words[0] + states[0]), sigmoid(words[1] + states[1])
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake(mentions=r"chunk\(3\)|chunk\(3, (dim=)?0\)|split\(")
def cuts_the_batch(x, state, W, U, b):
    """You cut the batch into parts, because `chunk` and `split` take axis 0 by default. The gates are along
    the last axis: write `dim=-1`.
    """
    words, states = (x @ W + b).chunk(3), (state @ U).chunk(3)
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake(mentions=r"chunk\(3\)|chunk\(3, (dim=)?0\)|split\(")
def cuts_and_unpacks_the_batch(x, state, W, U, b):
    """You cut the batch into parts (axis 0, which `chunk` and `split` take by default), and it need not have
    three. The gates are along the last axis: write `dim=-1`.
    """
    reset_word, update_word, word = (x @ W + b).chunk(3, dim=0)
    reset_state, update_state, kept = (state @ U).chunk(3, dim=0)
    reset, update = torch.sigmoid(reset_word + reset_state), torch.sigmoid(update_word + update_state)
    return blend(update, torch.tanh(word + reset * kept), state)


@mistake(mentions=r"\.(T|mT|t\(\))")
def matrices_turned(x, state, W, U, b):
    """In this course vectors are rows. Write `x @ W` and `state @ U`: no matrix needs a transpose."""
    words, states = (x @ W.T + b).chunk(3, dim=-1), (state @ U.T).chunk(3, dim=-1)
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake(mentions=r"x @ U|state @ W")
def matrices_swapped(x, state, W, U, b):
    """You swapped the matrices. `W` is for the word and `U` is for the state: `x @ W + b` and `state @ U`."""
    words, states = (x @ U + b).chunk(3, dim=-1), (state @ W).chunk(3, dim=-1)
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)


@mistake(mentions=r"detach|no_grad|\.data\b")
def state_detached(x, state, W, U, b):
    """You cut the old state off from the gradient, so the loss at a later word cannot teach the network what
    to keep from an earlier word. Leave out `.detach()`, `.data` and `no_grad`.
    """
    state = state.detach()
    words, states = parts(x, state, W, U, b)
    reset, update = gates(words, states)
    return blend(update, torch.tanh(words[2] + reset * states[2]), state)
