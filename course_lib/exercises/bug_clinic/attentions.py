"""Attention as tests meet it: PyTorch's own, and wrong ones beside those that learners are told of."""

import math

import torch
import torch.nn.functional as F

from course_lib.exercises.bug_clinic import attention_mistakes as wrong
from course_lib.exercises.bug_clinic.attention import reference


def misused(call) -> str:
    """A sentence where the mask is not boolean, or a vector has other numbers than floats."""
    given = dict(zip(("query", "key", "value", "mask"), call.args, strict=False)) | call.kwargs
    tensors = {name: value.dtype for name, value in given.items() if isinstance(value, torch.Tensor)}
    for name, dtype in tensors.items():
        if name != "mask" and not dtype.is_floating_point:
            return f"Your `{name}` is {dtype}, but it must be of floats."
        if name == "mask" and dtype != torch.bool:
            return f"Your mask is {dtype}, but it must be boolean, as in lesson 02: write `dtype=torch.bool`."
    return ""


def without_mask(query, key, value, mask):
    """The mask is not used."""
    return wrong.finished(query @ key.mT / math.sqrt(query.shape[-1]), value, mask | True)


def zeros(query, key, value, mask):
    """Zeros of the right shapes."""
    return 0 * (query @ key.mT @ value), 0 * (query @ key.mT)


def fused(query, key, value, mask):
    identity = torch.eye(key.shape[-2], dtype=query.dtype).expand(*key.shape[:-1], -1)
    mask = mask.expand(*query.shape[:-1], key.shape[-2])
    weights = F.scaled_dot_product_attention(query, key, identity, attn_mask=mask)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask), weights


def weights_before_the_mask(query, key, value, mask):
    """The output is right; the weights are those without a mask."""
    return reference(query, key, value, mask)[0], without_mask(query, key, value, mask)[1]


def weights_without_scale(query, key, value, mask):
    """The output is right; the weights are those of unscaled scores."""
    return reference(query, key, value, mask)[0], wrong.not_scaled(query, key, value, mask)[1]


def weights_of_all_heads(query, key, value, mask):
    """The output is right; the weights of each head are the mean of all heads' weights."""
    output, weights = reference(query, key, value, mask)
    return output, weights.mean(dim=1, keepdim=True).expand_as(weights)


def weights_of_the_next_sentence(query, key, value, mask):
    """The output is right; each sentence gets the weights of another one."""
    output, weights = reference(query, key, value, mask)
    return output, weights.roll(1, 0)


def weights_of_the_first(query, key, value, mask):
    """The output is right; all sentences get the weights of the first."""
    output, weights = reference(query, key, value, mask)
    return output, weights[:1].expand_as(weights)


def weights_of_one_head(query, key, value, mask):
    """The output is right; all heads get the weights of the first."""
    output, weights = reference(query, key, value, mask)
    return output, weights[:, :1].expand_as(weights)


def output_before_the_mask(query, key, value, mask):
    """The weights are right; the output is averaged by those without a mask."""
    return without_mask(query, key, value, mask)[0], reference(query, key, value, mask)[1]


def first_head_masked(query, key, value, mask):
    """The mask hides keys from the first head only."""
    first = torch.arange(query.shape[1])[:, None, None] == 0
    return reference(query, key, value, mask | ~first)


def values_of_the_first(query, key, value, mask):
    """The weights are right; the output averages the values of the first sentence for all."""
    return reference(query, key, value[:1].expand_as(value), mask)


def of_the_next_query(query, key, value, mask):
    """Each query gets the output and the weights of another one."""
    output, weights = reference(query, key, value, mask)
    return output.roll(1, 2), weights.roll(1, 2)


def last_query_masked(query, key, value, mask):
    """The mask hides keys from the last query only."""
    last = torch.arange(query.shape[2])[:, None] == query.shape[2] - 1
    return reference(query, key, value, mask | ~last)


def of_the_next_sentence(query, key, value, mask):
    """The weights are right; each sentence gets the output of another one."""
    output, weights = reference(query, key, value, mask)
    return output.roll(1, 0), weights


def features_turned(query, key, value, mask):
    """The weights are right; the output has its features in another order."""
    output, weights = reference(query, key, value, mask)
    return output.roll(1, -1), weights
