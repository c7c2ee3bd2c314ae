"""The pieces of earlier lessons that this one assembles; in checks they stand in for the learner's own."""

import torch

from course_lib.checks.gradients import parameters
from course_lib.checks.properties import apart, differ, rows_seen
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


def sees(call, inputs):
    """Boolean (rows of the result, rows of `inputs`), both (1, seq, features): what changes with what.

    Found by changes, not by gradients: a word can be read although its gradient is cut off.
    """
    before, columns = call(inputs), []
    for place in range(inputs.shape[1]):
        changed = inputs.clone()
        changed[:, place] = 2 - 3 * inputs[:, place].flip(-1)
        columns.append((call(changed) - before)[0].abs().amax(dim=-1) > 1e-4)
    return torch.stack(columns, dim=1)


def interplay(made, source, target):
    """Whether what another source changes in the logits depends on the target: in a sum it does not."""
    other, targets = 4 + (source - 3) % 7, (target, 4 + (target - 3) % 9)
    return differ(*(made(source, words) - made(other, words) for words in targets))


OWN = "each its own"
ONCE = "The stack repeats one layer, or a part of it, so several layers use the same weights."


def kinds_of_layers(stack):
    weights = [id(weight) for layer in stack for weight in layer.parameters()]
    return ONCE if len(set(weights)) < len(weights) else OWN


def neighbors(rows, columns):
    """A mask in which each row sees the place before it, its own and the place after it."""
    return (torch.arange(rows)[:, None] - torch.arange(columns)).abs()[None] <= 1


def with_and_without_batch(call, mask):
    """What is left of the result for a mask of two axes without that for the same mask of three, if any."""
    return apart(call(mask[0]), call(mask))


def reads(name, what, silent=""):
    """The property `rows_seen`; but where `what` changes nothing at all, single rows tell nothing.

    silent: the sublayer that gives 0 in this probe, if any.
    """

    def check(values, expected):
        (seen,) = (value for label, value in values.items() if label.partition(":")[0] == name)
        if isinstance(seen, torch.Tensor) and not seen.any():
            if silent:
                return f"While `{silent}` gives 0, your output stays the same whatever `{what}` is."
            return f"Your output does not depend on `{what}`: it stays the same whatever `{what}` is."
        return rows_seen(name)(values, expected)

    return check


def silence(linear):
    """Make a linear layer give 0, so that the parts around it can be seen."""
    with torch.no_grad():
        linear.weight.zero_()
        linear.bias.zero_()


def silence_beside(other, linear):
    """The same, unless `other` shares its numbers: it would give 0 too, and no more could be seen of it."""
    if all(weight is not linear.weight for weight in other.parameters()):
        silence(linear)


def batch_and_alone(call, *batches, **masks):
    """How far the results of a batch differ from those of its sentences alone; 0 in every right layer."""
    together = call(*batches, **masks)
    alone = [
        call(*(x[i : i + 1] for x in batches), **{name: x[i : i + 1] for name, x in masks.items()})
        for i in range(len(together))
    ]
    return apart(together, torch.cat(alone)).abs().amax(dim=0)


def leaves(layer, **inputs):
    """Inputs and parameters whose gradients must not be 0: a bias of keys moves all scores of a row alike."""
    moving = {name: leaf for name, leaf in parameters(layer).items() if not name.endswith("key.bias")}
    return {name: x.requires_grad_() for name, x in inputs.items()} | moving


def of_forward(mistake, frame):
    """A decorator like `mistake` of a `forward` alone: the rest of the class is that of `frame`.

    A mistake whose advice speaks of its code is written as a class, for a class made here has no source.
    """

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
