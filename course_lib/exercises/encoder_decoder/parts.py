"""The pieces of earlier lessons that this one assembles; in checks they stand in for the learner's own."""

import torch

from course_lib.checks.gradients import parameters
from course_lib.exercises.attention.causal_mask import causal_mask
from course_lib.exercises.attention.padding_mask import padding_mask
from course_lib.exercises.embedding.TokenEmbedding import TokenEmbedding as token_embedding
from course_lib.exercises.layer_norm.FeedForward import FeedForward as feed_forward
from course_lib.exercises.layer_norm.LayerNorm import LayerNorm as layer_norm
from course_lib.exercises.multi_head.MultiHeadAttention import MultiHeadAttention as multi_head_attention
from course_lib.exercises.positional_encoding.PositionalEncoding import (
    PositionalEncoding as positional_encoding,
)

SUBLAYERS = multi_head_attention, layer_norm, feed_forward
INPUTS = token_embedding, positional_encoding
MASKS = padding_mask, causal_mask

MultiHeadAttention, LayerNorm, FeedForward = (piece.reference_implementation for piece in SUBLAYERS)
TokenEmbedding, PositionalEncoding = (piece.reference_implementation for piece in INPUTS)
padding, causal = (piece.reference_implementation for piece in MASKS)


def sees(outputs, inputs):
    """Boolean (rows of `outputs`, rows of `inputs`), both (1, seq, features): what depends on what."""
    seen = torch.zeros(outputs.shape[1], inputs.shape[1], dtype=torch.bool)
    if outputs.requires_grad:
        direction = torch.linspace(-1, 2, outputs.shape[2])  # not the length, which a norm makes constant
        for row, total in enumerate(outputs[0] @ direction):
            (slope,) = torch.autograd.grad(total, inputs, retain_graph=True, allow_unused=True)
            seen[row] = False if slope is None else slope[0].abs().sum(dim=-1) > 1e-6
    return seen


def silence(linear):
    """Make a linear layer give 0, so that what stands around it can be seen."""
    with torch.no_grad():
        linear.weight.zero_()
        linear.bias.zero_()


def leaves(layer, **inputs):
    """Inputs and parameters whose gradients must not be 0: a bias of keys moves all scores of a row alike."""
    moving = {name: leaf for name, leaf in parameters(layer).items() if not name.endswith("key.bias")}
    return {name: x.requires_grad_() for name, x in inputs.items()} | moving


def of_forward(mistake, frame):
    """A decorator like `mistake` of a `forward` alone: the rest of the class is that of `frame`."""

    def add(forward, *sources):
        members = {"forward": forward, "__module__": forward.__module__, "__doc__": forward.__doc__}
        mistake(*sources)(type(forward.__name__, (frame,), members))
        return forward

    return with_sources(add)


def with_sources(add):
    """A decorator, bare or with sources, that does `add(function, *sources)`."""

    def decorator(*sources):
        if sources and callable(sources[0]):
            return add(sources[0])
        return lambda function: add(function, *sources)

    return decorator
