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
