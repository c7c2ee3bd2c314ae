"""Wrong answers to decoder_step: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


def looked(state, memory, attend):
    """Context and weights without the axis of the query."""
    context, weights = attend(state[:, None], memory, memory)
    return context[:, 0], weights[:, 0]


def joined(word, context):
    return torch.cat([word, context], dim=-1)


@mistake
def last_vector(word, state, memory, attend, cell):
    """Your cell gets the memory's last vector at every step: that is the fixed vector again. It must get the
    context that `attend` returns.
    """
    _, weights = looked(state, memory, attend)
    return cell(joined(word, memory[:, -1]), state), weights


@mistake
def mean_vector(word, state, memory, attend, cell):
    """Your cell gets the mean of the memory, the same at every step. It must get the context, in which each
    vector counts by its weight.
    """
    _, weights = looked(state, memory, attend)
    return cell(joined(word, memory.mean(dim=1)), state), weights


@mistake
def summed_vectors(word, state, memory, attend, cell):
    """Your cell gets the sum of the memory's vectors. It must get the context, in which each counts by its
    weight.
    """
    _, weights = looked(state, memory, attend)
    return cell(joined(word, memory.sum(dim=1)), state), weights


@mistake(mentions=r"argmax|max\(|topk|one_hot")
def likeliest_vector(word, state, memory, attend, cell):
    """That is hard attention: you take the one vector with the largest weight, and no gradient reaches the
    scores. The context is the weighted mean of all.
    """
    _, weights = looked(state, memory, attend)
    best = weights.argmax(dim=-1)
    return cell(joined(word, memory[torch.arange(len(memory)), best]), state), weights


@mistake
def context_first(word, state, memory, attend, cell):
    """Your cell gets the context first and the word behind it. Its matrix expects the word first."""
    context, weights = looked(state, memory, attend)
    return cell(joined(context, word), state), weights


@mistake(lacks=r"cat\b|stack\b")
def no_context(word, state, memory, attend, cell):
    """Your cell gets the word alone. It must get the context too, behind the word in one row."""
    _, weights = looked(state, memory, attend)
    return cell(word, state), weights


@mistake(lacks=r"cat\b|stack\b")
def no_word(word, state, memory, attend, cell):
    """Your cell gets the context alone. It must get the word too, in front of the context in one row."""
    context, weights = looked(state, memory, attend)
    return cell(context, state), weights


@mistake(mentions=r"word \+|\+ word")
def word_added(word, state, memory, attend, cell):
    """Word and context are not added: they may differ in size, and the cell has rows for both. Put them side
    by side with `torch.cat(..., dim=-1)`.
    """
    context, weights = looked(state, memory, attend)
    return cell(word + context, state), weights


@mistake
def state_is_context(word, state, memory, attend, cell):
    """The context takes the old state's place in your cell, so that nothing of what was written is
    remembered. The cell gets the old state as its second argument.
    """
    context, weights = looked(state, memory, attend)
    return cell(joined(word, context), context), weights


@mistake
def state_is_last_vector(word, state, memory, attend, cell):
    """The memory's last vector takes the old state's place in your cell. That is where the first step begins;
    after it the state moves on.
    """
    context, weights = looked(state, memory, attend)
    return cell(joined(word, context), memory[:, -1]), weights


@mistake
def state_forgotten(word, state, memory, attend, cell):
    """Your cell gets a state of zeros, so that nothing of what was written is remembered. Give it the old
    state.
    """
    context, weights = looked(state, memory, attend)
    return cell(joined(word, context), torch.zeros_like(state)), weights


@mistake(mentions=r"cell\(state")
def cell_turned(word, state, memory, attend, cell):
    """The arguments of your cell have changed places: first what it reads, then the old state."""
    context, weights = looked(state, memory, attend)
    return cell(state, joined(word, context)), weights


@mistake(mentions=r"attend\((state|query),")
def no_axis(word, state, memory, attend, cell):
    """`attend` wants queries of shape (batch, target, hidden), and the state is (batch, hidden). One query
    for each sentence: `state[:, None]`.
    """
    context, weights = attend(state, memory, memory)
    return cell(joined(word, context), state), weights


@mistake
def asked_by_others(word, state, memory, attend, cell):
    """Your new axis is in front, so that all states ask every sentence, and you keep what the first of them
    gets. `state[:, None]` gives each sentence one query.
    """
    context, weights = attend(state[None], memory, memory)
    return cell(joined(word, context[:, 0]), state), weights[:, 0]


@mistake(mentions=r"attend\(word")
def word_asks(word, state, memory, attend, cell):
    """The word asks in your step. The old state does: it knows what has been written and what is left to
    say.
    """
    context, weights = attend(word[:, None], memory, memory)
    return cell(joined(word, context[:, 0]), state), weights[:, 0]


@mistake
def memory_asks(word, state, memory, attend, cell):
    """Query and keys have changed places: the memory asks the state, which is its only key, and each weight
    is 1. The state asks the memory.
    """
    context, weights = attend(memory, state[:, None], state[:, None])
    return cell(joined(word, context[:, 0]), state), weights[:, :, 0]


@mistake
def last_vector_asks(word, state, memory, attend, cell):
    """The memory's last vector asks in your step, so that every step asks the same. The old state asks: it
    changes with each word.
    """
    context, weights = looked(memory[:, -1], memory, attend)
    return cell(joined(word, context), state), weights


@mistake
def weights_of_the_new_state(word, state, memory, attend, cell):
    """The weights that you return are the new state's. Return those by which this step's context was made."""
    context, _ = looked(state, memory, attend)
    state = cell(joined(word, context), state)
    return state, looked(state, memory, attend)[1]


@mistake
def looks_twice(word, state, memory, attend, cell):
    """You look, take a step, look again and take another. There is one step a word: the old state asks, and
    the cell is called once.
    """
    context, weights = looked(state, memory, attend)
    state = cell(joined(word, context), state)
    context, weights = looked(state, memory, attend)
    return cell(joined(word, context), state), weights


@mistake
def without_the_last(word, state, memory, attend, cell):
    """Your step never looks at the memory's last vector. That of the end symbol may be looked at like every
    other.
    """
    context, weights = looked(state, memory[:, :-1], attend)
    return cell(joined(word, context), state), torch.cat([weights, 0 * weights[:, :1]], dim=-1)


@mistake
def adds_the_old_state(word, state, memory, attend, cell):
    """You add the old state to what the cell returns. The cell has decided already how much of it stays."""
    context, weights = looked(state, memory, attend)
    return state + cell(joined(word, context), state), weights


@mistake
def old_state_returned(word, state, memory, attend, cell):
    """You return the old state: the decoder stands still. Return what the cell gives."""
    context, weights = looked(state, memory, attend)
    cell(joined(word, context), state)
    return state, weights


@mistake
def context_returned(word, state, memory, attend, cell):
    """You return the context in place of the new state. Let the cell take it in, with the word, and return
    what the cell gives.
    """
    context, weights = looked(state, memory, attend)
    return context, weights


@mistake
def weights_of_a_query(word, state, memory, attend, cell):
    """Your weights still have the axis of the query: (batch, 1, source). Take it away with `[:, 0]`."""
    context, weights = attend(state[:, None], memory, memory)
    return cell(joined(word, context[:, 0]), state), weights


@mistake(mentions=r"word(\[:, None|\.unsqueeze)")
def axis_kept(word, state, memory, attend, cell):
    """Your cell gets rows with the axis of the query, and its states do not fit those of the batch. Take the
    axis away from the context: `context[:, 0]`.
    """
    context, weights = attend(state[:, None], memory, memory)
    return cell(joined(word[:, None], context), state), weights[:, 0]


@mistake(mentions="cat", lacks=r"dim=|axis=|, -?1\)")
def below_each_other(word, state, memory, attend, cell):
    """`torch.cat` puts rows below each other if you do not say otherwise. Word and context stand side by
    side: `dim=-1`.
    """
    context, weights = attend(state[:, None], memory, memory)
    return cell(torch.cat([word, context[:, 0]]), state), weights[:, 0]


@mistake(mentions=r"detach|no_grad|\.data\b")
def context_detached(word, state, memory, attend, cell):
    """You cut the context off from the gradient: then neither the memory nor the scores learn from what was
    written.
    """
    context, weights = looked(state, memory, attend)
    return cell(joined(word, context.detach()), state), weights
