"""GroupedQueryAttention: causal, rotary, and several queries share a key (Ainslie et al. 2023)."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, in_both_modes, parameters, told_of_second_names
from course_lib.checks.model_parts import linear
from course_lib.checks.precision import told_of_float64
from course_lib.checks.properties import WEIGHTS, differ
from course_lib.exercises.attention.causal_mask import causal_mask
from course_lib.exercises.attention.scaled_dot_product_attention import scaled_dot_product_attention
from course_lib.exercises.multi_head.merge_heads import merge_heads
from course_lib.exercises.multi_head.split_heads import split_heads
from course_lib.exercises.positional_encoding.apply_rotary import apply_rotary, turns

rotary, causal = apply_rotary.reference_implementation, causal_mask.reference_implementation
split, merge = split_heads.reference_implementation, merge_heads.reference_implementation
attend = scaled_dot_product_attention.reference_implementation

GroupedQueryAttention = Exercise(
    "GroupedQueryAttention",
    points=9,
    returns=("output: batch seq d_model", "weights: batch heads seq seq"),
    hints=[
        "How many numbers does a token need for all its keys, if there are kv_heads of them with d_k each?",
        "Split the queries into `heads`, keys and values into `kv_heads`. Then rotate queries and keys with "
        "`apply_rotary(x, cos, sin)`. Values stay as they are.",
        "`key.repeat_interleave(heads // kv_heads, dim=1)` repeats each key head next to itself, so that "
        "neighboring query heads share one. Do the same with the values.",
        "Attend with `causal_mask(x.shape[1])`, merge the heads, and apply `self.output`.",
    ],
    examples=[
        "GroupedQueryAttention(2, 1, 1)(torch.ones(1, 1, 2), torch.ones(1, 1), torch.zeros(1, 1))",
        "GroupedQueryAttention(4, 2, 1)(torch.eye(2, 4)[None], torch.ones(2, 1), torch.zeros(2, 1))",
        "GroupedQueryAttention(4, 2, 1)(torch.eye(2, 4)[None], torch.tensor([[1.], [0.]]), "
        "torch.tensor([[0.], [1.]]))",
        "GroupedQueryAttention(8, 4, 2)(torch.eye(3, 8)[None], torch.tensor([[1.], [0.], [-1.]]), "
        "torch.tensor([[0.], [1.], [0.]]))",
        "GroupedQueryAttention(4, 1, 1)(torch.eye(2, 4)[None], torch.tensor([[1., 1.], [0., 0.6]]), "
        "torch.tensor([[0., 0.], [1., 0.8]]))",
        "list(GroupedQueryAttention(8, 4, 2).key.weight.shape)",
        "GroupedQueryAttention(8, 2, 1)(torch.eye(1, 8)[None], torch.ones(1, 2), torch.zeros(1, 2))",
        "GroupedQueryAttention(12, 6, 2)(torch.eye(1, 12)[None], torch.ones(1, 1), torch.zeros(1, 1))",
    ],
    uses=(split_heads, merge_heads, scaled_dot_product_attention, causal_mask, apply_rotary),
    ready_made=("scaled_dot_product_attention", "multi_head_attention_forward"),
)


class Layer(nn.Module):
    """Right as it stands; a variant replaces one of its steps."""

    def __init__(self, d_model, heads, kv_heads):
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads
        d_k = d_model // heads
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, kv_heads * d_k, bias=False)
        self.value = nn.Linear(d_model, kv_heads * d_k, bias=False)
        self.output = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, cos, sin):
        query, key, value = self.turn(*self.split(x), cos, sin)
        key, value = self.share(key), self.share(value)
        weights = self.weigh(self.score(query, key))
        return self.output(self.merge(weights @ value)), weights

    def split(self, x):
        return (
            self.query(x).unflatten(-1, (self.heads, -1)).transpose(1, 2),
            self.key(x).unflatten(-1, (self.kv_heads, -1)).transpose(1, 2),
            self.value(x).unflatten(-1, (self.kv_heads, -1)).transpose(1, 2),
        )

    def turn(self, query, key, value, cos, sin):
        return rotary(query, cos, sin), rotary(key, cos, sin), value

    def share(self, x):
        return x.repeat_interleave(self.heads // self.kv_heads, dim=1)

    def score(self, query, key):
        return query @ key.mT / math.sqrt(query.shape[-1])

    def weigh(self, scores):
        past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        return scores.masked_fill(~past, -torch.inf).softmax(dim=-1)

    def merge(self, x):
        return x.transpose(1, 2).flatten(2)


GroupedQueryAttention.reference(Layer)


def still(length, d_k):
    """Rotations by 0."""
    return torch.ones(length, d_k // 2), torch.zeros(length, d_k // 2)


@GroupedQueryAttention.part(
    "neighboring query heads share a key, and a token sees none after it", points=3, properties=WEIGHTS
)
def weights(build, inputs):
    first, second = build(16, 4, 2), build(12, 6, 3)  # the first is called when the second is there
    long = build(4, 2, 1)
    long(inputs.normal(1, 2, 4), *still(2, 2))  # a mask that is made once does not fit what comes below
    alike = 12 * inputs.normal(8, 1, 16).repeat(1, 4, 1)  # equal scores, of some hundreds of both signs
    return {
        "weights: batch heads seq seq": first(inputs.normal(2, 5, 16), *still(5, 4))[1],
        "weights (6 heads, 3 keys): batch heads seq seq": second(inputs.normal(1, 7, 12), *still(7, 2))[1],
        # Far longer than a mask that is written down for the other inputs.
        "weights (70 tokens): batch heads seq seq": long(inputs.normal(1, 70, 4), *still(70, 2))[1],
        "weights (equal tokens, large scores): batch heads seq seq": first(alike, *still(4, 4))[1],
        "layers": told_of_second_names(first, "query", "key"),
    }


# Against an instance's own weights, so that a slip in them costs no point here.
@GroupedQueryAttention.part("each head averages the values that it shares, and W_O mixes the heads", points=2)
def outputs(build, inputs):
    found, sizes = {}, ((12, 3, 1), (24, 6, 2))
    for layer, (d_model, heads, kv_heads) in zip([build(*each) for each in sizes], sizes, strict=True):
        x = inputs.normal(2, 5, d_model)
        output, weights = layer(x, *turns(5, d_model // heads))
        value = linear(layer.value, x).unflatten(-1, (kv_heads, -1)).transpose(1, 2)
        group = torch.arange(heads) // (heads // kv_heads)
        read = (weights @ value[:, group]).transpose(1, 2).flatten(2)
        label = (
            f"difference between your output and that of your weights (heads {heads}, kv_heads {kv_heads})"
        )
        found[f"{label}: batch seq d_model"] = output - linear(layer.output, read)
        others = layer(x.flip(1), *turns(5, d_model // heads))[1]
        found[f"other tokens have other weights (heads {heads})"] = differ(others, weights)
    return found | {"dtype": told_of_float64(build(12, 3, 1), inputs.normal(2, 5, 12), *turns(5, 4))}


# The scores of turned queries and keys, over those of the same layer that turns nothing.
@GroupedQueryAttention.part("queries and keys are rotated by the given cos and sin", points=2)
def rotated(build, inputs):
    layer, x = build(12, 3, 1), inputs.normal(1, 6, 12)
    places = torch.tensor([0, 2, 3, 7, 11, 12])  # not 0, 1, 2: the caller says which positions these are
    cos, sin = (table[places] for table in turns(13, 4))
    layer(x, *turns(6, 4))  # what an answer keeps of it is not asked for below
    return {"weights (positions 0, 2, 3, 7, 11, 12): batch heads seq seq": layer(x, cos, sin)[1]}


@GroupedQueryAttention.part("gradients reach all four matrices, and x", points=1)
@in_both_modes
def learns(build, inputs):
    layer, x = build(16, 4, 2), inputs.normal(2, 5, 16).requires_grad_()
    return gradients_of(layer(x, *turns(5, 4))[0], {"x": x} | parameters(layer), of="output")


# Accepted: other ways to write the same


@GroupedQueryAttention.accept("the lesson's functions")
class ByLesson(Layer):
    def forward(self, x, cos, sin):
        query = rotary(split(self.query(x), self.heads), cos, sin)
        key = rotary(split(self.key(x), self.kv_heads), cos, sin)
        value = split(self.value(x), self.kv_heads)
        key, value = (part.repeat_interleave(self.heads // self.kv_heads, dim=1) for part in (key, value))
        read, weights = attend(query, key, value, causal(x.shape[1]))
        return self.output(merge(read)), weights


@GroupedQueryAttention.accept("expand and reshape, as in Llama")
class Expanded(Layer):
    def share(self, x):
        batch, shared, length, d_k = x.shape
        group = self.heads // shared
        return x[:, :, None].expand(batch, shared, group, length, d_k).reshape(batch, -1, length, d_k)


@GroupedQueryAttention.accept("an axis for the group, nothing repeated")
class Grouped(Layer):
    def forward(self, x, cos, sin):
        query, key, value = self.turn(*self.split(x), cos, sin)
        query = query.unflatten(1, (self.kv_heads, -1))
        weights = self.weigh(torch.einsum("bkgtd,bksd->bkgts", query, key) / query.shape[-1] ** 0.5)
        read = torch.einsum("bkgts,bksd->bkgtd", weights, value).flatten(1, 2)
        return self.output(self.merge(read)), weights.flatten(1, 2)


@GroupedQueryAttention.accept("a loop over heads")
class Loop(Layer):
    def forward(self, x, cos, sin):
        query, key, value = self.turn(*self.split(x), cos, sin)
        group, found = self.heads // self.kv_heads, []
        for head in range(self.heads):
            scores = query[:, head] @ key[:, head // group].mT * query.shape[-1] ** -0.5
            found.append(self.weigh(scores))
        read = [weights @ value[:, head // group] for head, weights in enumerate(found)]
        return self.output(torch.cat(read, dim=-1)), torch.stack(found, dim=1)


@GroupedQueryAttention.accept("keys repeated before they are rotated")
class RepeatedFirst(Layer):
    def turn(self, query, key, value, cos, sin):
        return F.dropout(rotary(query, cos, sin), 0.0), rotary(key, cos, sin), value
