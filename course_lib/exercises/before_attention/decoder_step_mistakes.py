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


# Before last_vector: in some draws both change nothing where a word of the memory is changed.
@mistake(mentions=r"argmax|max\(|topk|one_hot")
def likeliest_vector(word, state, memory, attend, cell):
    """You take only the vector with the largest weight. This is hard attention, and no gradient reaches the
    scores. Use the context, the average of all vectors by their weights.
    """
    _, weights = looked(state, memory, attend)
    best = weights.argmax(dim=-1)
    return cell(joined(word, memory[torch.arange(len(memory)), best]), state), weights


@mistake
def last_vector(word, state, memory, attend, cell):
    """Your cell gets the last vector of the memory at every step, which is the fixed vector again. Give it
    the context that `attend` returns.
    """
    _, weights = looked(state, memory, attend)
    return cell(joined(word, memory[:, -1]), state), weights


@mistake
def mean_vector(word, state, memory, attend, cell):
    """Your cell gets the mean of the memory, which is the same at every step. Give it the context, the
    average by the weights of `attend`.
    """
    _, weights = looked(state, memory, attend)
    return cell(joined(word, memory.mean(dim=1)), state), weights


@mistake
def summed_vectors(word, state, memory, attend, cell):
    """Your cell gets the sum of the memory's vectors. Give it the context, the average by the weights of
    `attend`.
    """
    _, weights = looked(state, memory, attend)
    return cell(joined(word, memory.sum(dim=1)), state), weights


@mistake
def context_first(word, state, memory, attend, cell):
    """Your cell gets the context first and then the word. Its matrix expects the word first."""
    context, weights = looked(state, memory, attend)
    return cell(joined(context, word), state), weights


@mistake(lacks=r"cat\b|stack\b")
def no_context(word, state, memory, attend, cell):
    """Your cell gets only the word. Put the context behind the word in the same row."""
    _, weights = looked(state, memory, attend)
    return cell(word, state), weights


@mistake(lacks=r"cat\b|stack\b")
def no_word(word, state, memory, attend, cell):
    """Your cell gets only the context. Put the word in front of the context in the same row."""
    context, weights = looked(state, memory, attend)
    return cell(context, state), weights


@mistake(mentions=r"word \+|\+ word")
def word_added(word, state, memory, attend, cell):
    """You add word and context, but they may differ in size, and the cell has rows for both. Put them side by
    side with `torch.cat(..., dim=-1)`.
    """
    context, weights = looked(state, memory, attend)
    return cell(word + context, state), weights


@mistake
def state_is_context(word, state, memory, attend, cell):
    """Your cell gets the context as its state, so it remembers nothing of what was written. Give it the old
    state as its second argument.
    """
    context, weights = looked(state, memory, attend)
    return cell(joined(word, context), context), weights


@mistake
def state_is_last_vector(word, state, memory, attend, cell):
    """Your cell gets the last vector of the memory as its state. Only the first step begins there. Give the
    cell the old state.
    """
    context, weights = looked(state, memory, attend)
    return cell(joined(word, context), memory[:, -1]), weights


@mistake
def state_forgotten(word, state, memory, attend, cell):
    """Your cell gets a state of zeros, so it remembers nothing of what was written. Give it the old state."""
    context, weights = looked(state, memory, attend)
    return cell(joined(word, context), torch.zeros_like(state)), weights


@mistake(mentions=r"cell\(state")
def cell_turned(word, state, memory, attend, cell):
    """The arguments of your cell are in the wrong order. The cell takes its input first and the old state
    second.
    """
    context, weights = looked(state, memory, attend)
    return cell(state, joined(word, context)), weights


@mistake(mentions=r"attend\((state|query),")
def no_axis(word, state, memory, attend, cell):
    """`attend` needs queries of shape (batch, target, hidden), and the state has the shape (batch, hidden).
    Make one query for each sentence: `state[:, None]`.
    """
    context, weights = attend(state, memory, memory)
    return cell(joined(word, context), state), weights


@mistake
def asked_by_others(word, state, memory, attend, cell):
    """Your new axis is in front, so every sentence gets the states of all sentences as queries, and you keep
    the result of the first. Make one query for each sentence: `state[:, None]`.
    """
    context, weights = attend(state[None], memory, memory)
    return cell(joined(word, context[:, 0]), state), weights[:, 0]


@mistake(mentions=r"attend\(word")
def word_asks(word, state, memory, attend, cell):
    """Your query is the word. The old state has to be the query, because it holds what has been written and
    what is left to write.
    """
    context, weights = attend(word[:, None], memory, memory)
    return cell(joined(word, context[:, 0]), state), weights[:, 0]


@mistake
def memory_asks(word, state, memory, attend, cell):
    """You swapped query and keys. The memory is the query and the state is its only key, so each weight is 1.
    Make the state the query.
    """
    context, weights = attend(memory, state[:, None], state[:, None])
    return cell(joined(word, context[:, 0]), state), weights[:, :, 0]


@mistake
def last_vector_asks(word, state, memory, attend, cell):
    """Your query is the last vector of the memory, so it is the same at every step. Use the old state, which
    changes with each word.
    """
    context, weights = looked(memory[:, -1], memory, attend)
    return cell(joined(word, context), state), weights


@mistake
def weights_of_the_new_state(word, state, memory, attend, cell):
    """You return the weights of the new state. Return the weights that made the context of this step."""
    context, _ = looked(state, memory, attend)
    state = cell(joined(word, context), state)
    return state, looked(state, memory, attend)[1]


@mistake
def looks_twice(word, state, memory, attend, cell):
    """You use attention and cell twice. One word is one step: the old state is the query, and the cell is
    called once.
    """
    context, weights = looked(state, memory, attend)
    state = cell(joined(word, context), state)
    context, weights = looked(state, memory, attend)
    return cell(joined(word, context), state), weights


@mistake
def without_the_last(word, state, memory, attend, cell):
    """Your step leaves out the last vector of the memory. This vector belongs to the end symbol, and
    attention may use it like every other. Use the whole memory.
    """
    context, weights = looked(state, memory[:, :-1], attend)
    return cell(joined(word, context), state), torch.cat([weights, 0 * weights[:, :1]], dim=-1)


@mistake
def adds_the_old_state(word, state, memory, attend, cell):
    """You add the old state to the result of the cell. The cell has already decided how much of the old state
    stays, so return its result unchanged.
    """
    context, weights = looked(state, memory, attend)
    return state + cell(joined(word, context), state), weights


@mistake
def old_state_returned(word, state, memory, attend, cell):
    """You return the old state, so the decoder never changes. Return the result of the cell."""
    context, weights = looked(state, memory, attend)
    cell(joined(word, context), state)
    return state, weights


@mistake
def context_returned(word, state, memory, attend, cell):
    """You return the context instead of the new state. Give word and context to the cell and return its
    result.
    """
    context, weights = looked(state, memory, attend)
    return context, weights


@mistake
def weights_of_a_query(word, state, memory, attend, cell):
    """Your weights have the shape (batch, 1, source) and still contain the axis of the query. Remove it with
    `[:, 0]`.
    """
    context, weights = attend(state[:, None], memory, memory)
    return cell(joined(word, context[:, 0]), state), weights


@mistake(mentions=r"word(\[:, None|\.unsqueeze)")
def axis_kept(word, state, memory, attend, cell):
    """Your cell gets rows with the axis of the query, so its states do not fit those of the batch. Remove
    this axis from the context: `context[:, 0]`.
    """
    context, weights = attend(state[:, None], memory, memory)
    return cell(joined(word[:, None], context), state), weights[:, 0]


@mistake(mentions=r"squeeze\(\)")
def squeezed_everywhere(word, state, memory, attend, cell):
    """`.squeeze()` removes every axis of size 1, and in a batch of one sentence that of the batch too. Remove
    only the axis of the query: `[:, 0]` or `.squeeze(1)`.
    """
    context, weights = attend(state[:, None], memory, memory)
    return cell(joined(word, context.squeeze()), state), weights.squeeze()


@mistake(mentions=r"squeeze\(\)")
def weights_squeezed(word, state, memory, attend, cell):
    """`.squeeze()` removes every axis of size 1, and in a batch of one sentence that of the batch too. Remove
    only the axis of the query from the weights: `[:, 0]` or `.squeeze(1)`.
    """
    context, weights = attend(state[:, None], memory, memory)
    return cell(joined(word, context[:, 0]), state), weights.squeeze()


@mistake(mentions="cat", lacks=r"dim=|axis=|, -?1\)")
def below_each_other(word, state, memory, attend, cell):
    """Without `dim`, `torch.cat` puts rows below each other. Word and context have to be side by side:
    `dim=-1`.
    """
    context, weights = attend(state[:, None], memory, memory)
    return cell(torch.cat([word, context[:, 0]]), state), weights[:, 0]


@mistake(mentions=r"detach|no_grad|\.data\b")
def context_detached(word, state, memory, attend, cell):
    """You cut the context off from the gradient, so neither the memory nor the scores learn from the words
    that were written. Leave out `.detach()`, `.data` and `no_grad`.
    """
    context, weights = looked(state, memory, attend)
    return cell(joined(word, context.detach()), state), weights


@mistake
def swapped_results(word, state, memory, attend, cell):
    """You return the weights first. Return the new state first, and then the weights."""
    context, weights = looked(state, memory, attend)
    return weights, cell(joined(word, context), state)
