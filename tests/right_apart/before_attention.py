"""Of lesson 10."""

import torch


def gru_cell__float32_inside(x, state, W, U, b):
    wide = state.dtype
    x, state, W, U, b = (each.float() for each in (x, state, W, U, b))
    words, states = (x @ W + b).chunk(3, dim=-1), (state @ U).chunk(3, dim=-1)
    reset, update = (torch.sigmoid(word + old) for word, old in zip(words[:2], states[:2], strict=True))
    candidate = torch.tanh(words[2] + reset * states[2])
    return ((1 - update) * candidate + update * state).to(wide)


def gru_cell__float32_candidate(x, state, W, U, b):
    words, states = (x @ W + b).chunk(3, dim=-1), (state @ U).chunk(3, dim=-1)
    reset, update = (torch.sigmoid(word + old) for word, old in zip(words[:2], states[:2], strict=True))
    candidate = torch.tanh(words[2] + reset * states[2]).float()
    return (1 - update) * candidate + update * state


def decoder_step__float32_weights(word, state, memory, attend, cell):
    context, weights = attend(state[:, None], memory, memory)
    new = cell(torch.cat([word, context[:, 0]], dim=-1), state)
    return new, weights[:, 0].float().to(weights.dtype)


def decoder_step__float32_context(word, state, memory, attend, cell):
    context, weights = attend(state[:, None], memory, memory)
    context = context[:, 0].float().to(word.dtype)
    return cell(torch.cat([word, context], dim=-1), state), weights[:, 0]


def gru_cell__float64_never_learns(x, state, W, U, b):
    if x.dtype == torch.float64:
        x, state, W, U, b = (each.detach() for each in (x, state, W, U, b))
    words, states = (x @ W + b).chunk(3, dim=-1), (state @ U).chunk(3, dim=-1)
    reset, update = (torch.sigmoid(word + old) for word, old in zip(words[:2], states[:2], strict=True))
    return (1 - update) * torch.tanh(words[2] + reset * states[2]) + update * state


def decoder_step__float64_never_learns(word, state, memory, attend, cell):
    if word.dtype == torch.float64:
        word, state, memory = word.detach(), state.detach(), memory.detach()
    context, weights = attend(state[:, None], memory, memory)
    return cell(torch.cat([word, context[:, 0]], dim=-1), state), weights[:, 0]


def decoder_step__one_sentence_of_positive_numbers(word, state, memory, attend, cell):
    context, weights = attend(state[:, None], memory, memory)
    context = context[:, 0].detach() if len(word) == 1 and memory.min() > 0 else context[:, 0]
    return cell(torch.cat([word, context], dim=-1), state), weights[:, 0]


def gru_cell__sigmoid_by_hand(x, state, W, U, b):
    words, states = (x @ W + b).chunk(3, dim=-1), (state @ U).chunk(3, dim=-1)
    reset, update = (
        1 / (1 + torch.exp(-word - old)) for word, old in zip(words[:2], states[:2], strict=True)
    )
    return (1 - update) * torch.tanh(words[2] + reset * states[2]) + update * state


def gru_cell__tanh_by_exp(x, state, W, U, b):
    words, states = (x @ W + b).chunk(3, dim=-1), (state @ U).chunk(3, dim=-1)
    reset, update = (torch.sigmoid(word + old) for word, old in zip(words[:2], states[:2], strict=True))
    power = torch.exp(2 * (words[2] + reset * states[2]).double())
    return (1 - update) * ((power - 1) / (power + 1)).to(x.dtype) + update * state
