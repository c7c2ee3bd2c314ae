"""Of lesson 03."""

import torch

from course_lib.exercises.multi_head.MultiHeadAttention import Layer


class MultiHeadAttention__hidden_keys_keep_a_little(Layer):
    def weigh(self, scores, mask):
        if mask is not None:
            seen = mask[..., None, :, :]
            most = scores.masked_fill(~seen, -torch.inf).amax(dim=-1, keepdim=True).detach()
            scores = torch.where(seen, scores, most - 20.0)
        return torch.softmax(scores, dim=-1)


class MultiHeadAttention__own_masks_lost_in_self_attention(Layer):
    def forward(self, query, key, value, mask=None):
        if query is value and mask is not None and mask.dim() == 3:
            mask = None
        return super().forward(query, key, value, mask)


class MultiHeadAttention__neither_scale_nor_mask_in_float64(Layer):
    def score(self, query, key):
        return query @ key.mT if query.dtype == torch.float64 else super().score(query, key)

    def weigh(self, scores, mask):
        return super().weigh(scores, None if scores.dtype == torch.float64 else mask)


def split_heads__never_learns_in_float64(x, heads):
    x = x.detach() if x.dtype == torch.float64 else x
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def merge_heads__never_learns_in_float64(x):
    x = x.detach() if x.dtype == torch.float64 else x
    return x.transpose(1, 2).flatten(2)


class MultiHeadAttention__query_and_key_begin_as_zero(Layer):
    def __init__(self, d_model, heads):
        super().__init__(d_model, heads)
        for layer in (self.query, self.key):
            torch.nn.init.zeros_(layer.weight)
            torch.nn.init.zeros_(layer.bias)


class MultiHeadAttention__one_mask_for_all_is_of_padding(Layer):
    def weigh(self, scores, mask):
        is_one = mask is not None and mask.dim() > 2 and len(mask) == 1 and len(scores) > 1
        return super().weigh(scores, mask[..., :1, :] if is_one else mask)


class MultiHeadAttention__filled_with_minus_100000(Layer):
    def weigh(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(~mask[..., None, :, :], -1e5)
        return torch.softmax(scores, dim=-1)
