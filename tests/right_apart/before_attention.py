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
