"""Of lesson 02."""

import math

import torch


def scaled_dot_product_attention__output_without_scale(query, key, value, mask=None):
    scores, root = query @ key.mT, math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return torch.softmax(scores, dim=-1) @ value, torch.softmax(scores / root, dim=-1)


def scaled_dot_product_attention__float32_with_a_mask(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores, value = scores.float().masked_fill(~mask, -torch.inf), value.float()
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


def scaled_dot_product_attention__hidden_keys_keep_a_little(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        most = scores.masked_fill(~mask, -torch.inf).amax(dim=-1, keepdim=True).detach()
        scores = torch.where(mask, scores, most - 14.0)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


def scaled_dot_product_attention__scores_never_learn(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores = scores.detach() if query.shape[-1] > 1 else scores
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


def additive_attention__output_of_sharper_weights(query, key, value, W_query, W_key, v):
    scores = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None]) @ v
    return torch.softmax(2 * scores, dim=-1) @ value, torch.softmax(scores, dim=-1)


def attention_pooling__prediction_ignores_width(query, key, value, width=1.0):
    squares = (query[:, None] - key) ** 2
    weights = torch.softmax(-squares / (2 * width**2), dim=-1)
    return torch.softmax(-squares / 2, dim=-1) @ value, weights


def attention_pooling__maximum_before_the_width(query, key, value, width=1.0):
    squares = (query[:, None] - key) ** 2
    powers = torch.exp(squares.amin(dim=1, keepdim=True).detach() / 2 - squares / (2 * width**2))
    weights = powers / powers.sum(dim=1, keepdim=True)
    return weights @ value, weights


def attention_pooling__never_learns_in_float64(query, key, value, width=1.0):
    if query.dtype == torch.float64:
        query, key, value = query.detach(), key.detach(), value.detach()
    weights = torch.softmax(-((query[:, None] - key) ** 2) / (2 * width**2), dim=-1)
    return weights @ value, weights


def additive_attention__never_learns_in_float64(query, key, value, W_query, W_key, v):
    if query.dtype == torch.float64:
        query, key, value, W_query, W_key, v = (x.detach() for x in (query, key, value, W_query, W_key, v))
    scores = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None]) @ v
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


def padding_mask__pad_by_position_is_lost(ids, *others, pad=0):
    return (ids != pad)[:, None, :]


def scaled_dot_product_attention__mask_gets_a_batch(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        mask = mask[None] if mask.dim() == 2 else mask
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


def scaled_dot_product_attention__hidden_at_minus_65504(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(torch.float16).min)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


def scaled_dot_product_attention__one_mask_for_all_is_of_padding(query, key, value, mask=None):
    if mask is not None and mask.dim() > 2 and len(mask) == 1 and len(query) > 1:
        mask = mask[..., :1, :]
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores if mask is None else scores.masked_fill(~mask, -torch.inf), dim=-1)
    return weights @ value, weights


def additive_attention__tanh_by_exp(query, key, value, W_query, W_key, v):
    power = torch.exp(2 * ((query @ W_query)[:, :, None] + (key @ W_key)[:, None]).double())
    weights = (((power - 1) / (power + 1)).to(v.dtype) @ v).softmax(dim=-1)
    return weights @ value, weights


def additive_attention__no_gradient_far_apart(query, key, value, W_query, W_key, v):
    scores = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None]) @ v
    weights = 1 / torch.exp(scores[..., None, :] - scores[..., None]).sum(dim=-1)
    return weights @ value, weights


def scaled_dot_product_attention__no_gradient_of_large_hidden_scores(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    mask = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    largest = scores.masked_fill(~mask, -torch.inf).amax(dim=-1, keepdim=True)
    powers = torch.where(mask, torch.exp(scores - largest), 0.0)
    weights = powers / powers.sum(dim=-1, keepdim=True)
    return weights @ value, weights
