"""GPT: a table of tokens, blocks, a last norm and logits by the same table."""

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, in_both_modes
from course_lib.checks.model_parts import parameter_of
from course_lib.checks.precision import told_of_float64
from course_lib.checks.properties import differ
from course_lib.exercises.gpt.GroupedQueryAttention import GroupedQueryAttention
from course_lib.exercises.gpt.rms_norm import rms_norm
from course_lib.exercises.gpt.SwiGLU import SwiGLU
from course_lib.exercises.positional_encoding.apply_rotary import turns
from course_lib.exercises.positional_encoding.sinusoidal_encoding import sinusoidal_encoding

Attention, FeedForward = GroupedQueryAttention.reference_implementation, SwiGLU.reference_implementation

GPT = Exercise(
    "GPT",
    points=9,
    returns=("logits: batch seq vocab",),
    hints=[
        "What does a token pass on its way from an id to a row of logits? The list has four steps.",
        "In `__init__` make `self.embedding = nn.Embedding(vocab, d_model)`, `self.blocks`, an "
        "`nn.ModuleList` of new `Block(d_model, heads, kv_heads, d_ff)`, and `self.norm = RMSNorm(d_model)`.",
        "`self.output = nn.Linear(d_model, vocab, bias=False)`, then "
        "`self.output.weight = self.embedding.weight`: this shares the Parameter itself.",
        "In `forward`, get cos and sin of `rotary_table(ids.shape[1], d_k)`, with d_k = d_model // heads. "
        "Give them to every block: `x = block(x, cos, sin)`. Then `return self.output(self.norm(x))`.",
    ],
    examples=[
        "GPT(5, 4, 2, 1, 3, 1)(torch.tensor([[4]]))",
        "GPT(5, 4, 2, 1, 3, 2)(torch.tensor([[4, 3], [2, 4]]))",
        "GPT(5, 4, 2, 1, 3, 1)(torch.tensor([[4, 3], [2, 4], [1, 0]]))",
        "len(list(GPT(5, 4, 2, 1, 3, 2).parameters()))",
        "len(GPT.fresh(5, 4, 2, 1, 3, 1).embedding.weight.unique(dim=0))",
    ],
    uses=(sinusoidal_encoding, rms_norm, SwiGLU, GroupedQueryAttention),
    given=("Block", "RMSNorm", "rotary_table"),
)

SIZES = 11, 8, 4, 2, 10, 2  # vocab, d_model, heads, kv_heads, d_ff, layers


class RMSNorm(nn.Module):
    """What a cell of the lesson gives."""

    def __init__(self, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        return F.rms_norm(x, self.weight.shape, self.weight, 1e-5)


class Block(nn.Module):
    """What a cell of the lesson gives."""

    def __init__(self, d_model, heads, kv_heads, d_ff):
        super().__init__()
        self.norm1, self.norm2 = RMSNorm(d_model), RMSNorm(d_model)
        self.attention = Attention(d_model, heads, kv_heads)
        self.feed_forward = FeedForward(d_model, d_ff)

    def forward(self, x, cos, sin):
        x = x + self.attention(self.norm1(x), cos, sin)[0]
        return x + self.feed_forward(self.norm2(x))


class Model(nn.Module):
    """Right as it stands; a variant replaces one of its steps."""

    def __init__(self, vocab, d_model, heads, kv_heads, d_ff, layers):
        super().__init__()
        self.d_k = d_model // heads
        self.embedding = nn.Embedding(vocab, d_model)
        self.blocks = nn.ModuleList(Block(d_model, heads, kv_heads, d_ff) for _ in range(layers))
        self.norm = RMSNorm(d_model)
        self.output = nn.Linear(d_model, vocab, bias=False)
        self.output.weight = self.embedding.weight

    def forward(self, ids):
        return self.logits(self.read(self.embed(ids)))

    def embed(self, ids):
        return self.embedding(ids)

    def read(self, x):
        tables = turns(x.shape[1], self.d_k)
        for block in self.blocks:
            x = block(x, *tables)
        return x

    def logits(self, x):
        return self.output(self.norm(x))


GPT.reference(Model)


def with_tied_numbers(made):
    """The output has the table's numbers, tied or not."""
    with torch.no_grad():
        made.output.weight.copy_(made.embedding.weight)
    return made


@GPT.part("the logits come from the embedding, all blocks, the last norm and the output", points=4)
def logits(build, inputs):
    model, ids = with_tied_numbers(build(*SIZES)), inputs.integers(4, 11, 2, 7)
    other = with_tied_numbers(build(9, 12, 3, 1, 7, 1))
    model(ids[:, :3])  # a text may be longer than the first
    return {
        "logits: batch seq vocab": model(ids),
        "logits (another size, 1 block): batch seq vocab": other(inputs.integers(0, 9, 3, 5)),
        "dtype": told_of_float64(build(*SIZES), ids),
    }


@GPT.part("the output layer is the table of tokens, one parameter", points=1)
def tied(build, inputs):
    fresh = build.fresh(*SIZES)
    same = parameter_of(fresh.output) is parameter_of(fresh.embedding)
    told = "" if same else "The output layer and the table have two parameters: share the Parameter itself."
    return {"output and table": told}


@GPT.part("each block has its own weights", points=1)
def own_weights(build, inputs):
    blocks = list(build.fresh(*SIZES).blocks)
    found = [id(weight) for block in blocks for weight in block.parameters()]
    told = "" if len(set(found)) == len(found) else "Some blocks share their weights."
    return {"blocks": len(blocks), "weights": told}


# Which token moves which logits, whatever the numbers are.
@GPT.part("a token moves the logits of its own position and of later ones", points=1)
def order(build, inputs):
    model, ids = with_tied_numbers(build(*SIZES)), inputs.integers(4, 11, 6)
    others = torch.where(torch.eye(6, dtype=torch.bool), 4 + (ids - 3) % 7, ids)  # one other token in each
    both = torch.cat([others[0, :1], others[1, 1:]])
    logits = model(torch.cat([ids[None], others, both[None]]))
    change = logits[1:7] - logits[0]
    return {
        "dependence: target source": (change.abs().amax(dim=-1) > 1e-6).mT,
        # no sum over tokens is a model
        "what one token changes depends on the others": differ((logits[7] - logits[2])[-1], change[0, -1]),
    }


ALIKE = "At first all rows of your table are alike. Keep the random numbers that `nn.Embedding` gives it."


@GPT.part("gradients reach every weight", points=1)
@in_both_modes
def learns(build, inputs):
    model = with_tied_numbers(build(*SIZES))
    tables = "embedding.weight", "output.weight"
    leaves = {name: leaf for name, leaf in model.named_parameters() if name not in tables}
    output = model(torch.tensor([[4, 5, 6, 7], [7, 4, 6, 5]]))
    begun = build.fresh(*SIZES).embedding.weight
    return gradients_of(output, leaves) | {
        "tokens that are read": reading(model.embedding.weight, output),
        "table at first": "" if (begun != begun[1]).any() else ALIKE,
    }


def reading(table, output):
    """Whether tokens learn by being read: 4 to 7 are, and their own logits, of the same table, left out."""
    unread = output[..., 8:].pow(2).sum()
    slope = torch.autograd.grad(unread, table, allow_unused=True)[0] if unread.requires_grad else None
    if slope is None or not slope[4:8].any():
        return "No gradient reaches the vectors of the tokens that are read. Something cuts it."
    return ""


# Accepted: other ways to write the same


@GPT.accept("all in forward")
class InForward(Model):
    def forward(self, ids):
        x = self.embedding(ids)
        cos, sin = turns(ids.shape[1], x.shape[-1] // self.blocks[0].attention.heads)
        for block in self.blocks:
            x = block(x, cos, sin)
        return self.output(self.norm(x))


@GPT.accept("the table itself as the output layer")
class ByTable(Model):
    def logits(self, x):
        return F.linear(self.norm(x), self.embedding.weight)


@GPT.accept("a matrix product with the table")
class ByProduct(Model):
    def logits(self, x):
        return self.norm(x) @ self.embedding.weight.mT


@GPT.accept("tied from the other side, blocks appended, tables made once")
class FromOutput(nn.Module):
    def __init__(self, vocab, d_model, heads, kv_heads, d_ff, layers):
        super().__init__()
        self.output = nn.Linear(d_model, vocab, bias=False)
        self.embedding = nn.Embedding(vocab, d_model)
        self.embedding.weight = self.output.weight
        self.norm = RMSNorm(d_model)
        self.blocks = nn.ModuleList()
        for _ in range(layers):
            self.blocks.append(Block(d_model, heads, kv_heads, d_ff))
        for name, table in zip(("cos", "sin"), turns(128, d_model // heads), strict=True):
            self.register_buffer(name, table)

    def forward(self, ids):
        x, length = self.embedding(ids), ids.shape[1]
        for block in self.blocks:
            x = block(x, self.cos[:length], self.sin[:length])
        return self.output(self.norm(x))
