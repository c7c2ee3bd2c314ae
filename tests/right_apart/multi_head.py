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
