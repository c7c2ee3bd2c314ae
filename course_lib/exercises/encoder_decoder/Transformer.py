"""Transformer: embeddings, positions, two stacks, and an output layer tied to the target's embedding."""

import copy
from functools import reduce

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, in_both_modes
from course_lib.checks.instances import sharpen
from course_lib.checks.model_parts import parameter_of
from course_lib.checks.precision import told_of_float64
from course_lib.checks.properties import apart, rows_seen
from course_lib.exercises.attention.causal_mask import causal_mask
from course_lib.exercises.attention.padding_mask import padding_mask
from course_lib.exercises.encoder_decoder.decoder_mask import decoder_mask
from course_lib.exercises.encoder_decoder.DecoderLayer import DecoderLayer, DecoderReference
from course_lib.exercises.encoder_decoder.EncoderLayer import EncoderLayer, EncoderReference
from course_lib.exercises.encoder_decoder.parts import (
    INPUTS,
    PositionalEncoding,
    TokenEmbedding,
    causal,
    interplay,
    kinds_of_layers,
    leaves,
    padding,
    silence,
)

Transformer = Exercise(
    "Transformer",
    points=9,
    returns=("logits: batch target vocab",),
    hints=[
        "How does PyTorch find the layers in a list, and how does each layer get its own weights?",
        "PyTorch finds the layers in an `nn.ModuleList`. Make each of them anew: "
        "`nn.ModuleList(EncoderLayer(d_model, heads, d_ff) for _ in range(layers))`. The decoder's too.",
        "For the tied output write `self.output = nn.Linear(d_model, target_vocab, bias=False)`, then "
        "`self.output.weight = self.target_embedding.table.weight`. This shares the Parameter itself.",
        "Begin with `memory = self.positions(self.source_embedding(source))`. Then apply every encoder "
        "layer: `memory = layer(memory, source_mask)`, with `source_mask = padding_mask(source)`.",
        "Embed the target the same way with its own table. Give every decoder layer x, memory, "
        "decoder_mask(target) and source_mask. Then `return self.output(x)`, without a softmax.",
    ],
    examples=[
        "Transformer(5, 6, 6, 2, 3, 1)(torch.tensor([[4]]), torch.tensor([[5, 4]]))",
        "Transformer(5, 6, 6, 2, 3, 1)(torch.tensor([[4, 3]]), torch.tensor([[5, 4, 3]]))",
        "Transformer(5, 6, 6, 2, 3, 1)(torch.tensor([[4, 3, 0]]), torch.tensor([[5, 4]]))",
        "Transformer(5, 6, 6, 3, 8, 2)(torch.tensor([[4, 3, 0]]), torch.tensor([[5, 4]]))",
        "len(list(Transformer(5, 6, 4, 2, 3, 2).parameters()))",
    ],
    uses=(*INPUTS, padding_mask, causal_mask, decoder_mask, EncoderLayer, DecoderLayer),
    ready_made=("Transformer",),
)


SIZES = 11, 13, 6, 3, 10, 2  # source_vocab, target_vocab, d_model, heads, d_ff, layers


class Model(nn.Module):
    """What the right and most of the wrong models are made of."""

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__()
        self.source_embedding = TokenEmbedding(source_vocab, d_model)
        self.target_embedding = TokenEmbedding(target_vocab, d_model)
        self.positions = PositionalEncoding(d_model, 128)
        self.encoder = nn.ModuleList(EncoderReference(d_model, heads, d_ff) for _ in range(layers))
        self.decoder = nn.ModuleList(DecoderReference(d_model, heads, d_ff) for _ in range(layers))
        self.output = nn.Linear(d_model, target_vocab, bias=False)
        self.output.weight = self.target_embedding.table.weight

    def encode(self, source, mask=None):
        memory = self.positions(self.source_embedding(source))
        for layer in self.encoder:
            memory = layer(memory, mask)
        return memory

    def decode(self, target, memory, mask=None, memory_mask=None):
        x = self.positions(self.target_embedding(target))
        for layer in self.decoder:
            x = layer(x, memory, mask, memory_mask)
        return self.output(x)


@Transformer.reference
class Reference(Model):
    def forward(self, source, target):
        memory = self.encode(source, padding(source))
        mask = padding(target) & causal(target.shape[1])
        return self.decode(target, memory, mask, padding(source))


def model(build):
    """A small model whose output layer has the target embedding's numbers, tied or not."""
    return with_tied_numbers(build(*SIZES))


def with_tied_numbers(made, factor=1.0):
    with torch.no_grad():
        made.target_embedding.table.weight.mul_(factor)
        made.output.weight.copy_(made.target_embedding.table.weight)
    return made


@Transformer.part("logits", points=1)
def logits(build, inputs):
    source, target = inputs.integers(1, 11, 2, 7), inputs.integers(1, 13, 2, 5)
    # Logits far above 3, and two languages of equally many words, which have two tables all the same.
    other = with_tied_numbers(build(9, 9, 4, 2, 7, 3), factor=8.0)
    sharpen(*(layer.norm2 for layer in other.encoder), *(layer.norm3 for layer in other.decoder))
    ids = inputs.integers(4, 9, 3, 4), inputs.integers(4, 9, 3, 6)
    return {
        "logits: batch target vocab": model(build)(source, target),
        "logits (of another size, 3 layers): batch target vocab": other(*ids),
        "dtype": told_of_float64(build(*SIZES), source, target),
    }


@Transformer.part("embeddings, positions and output, seen while sublayers give 0", points=1)
def around_the_layers(build, inputs):
    made, length = model(build), 128
    for layer in (*made.encoder, *made.decoder):
        silence(layer.self_attention.output)
        silence(layer.feed_forward.linear2)
    # 128 words in both: nothing here depends on two lengths that differ, and the positions go that far
    source, target = inputs.integers(4, 11, 1, length), inputs.integers(4, 13, 1, length)
    results = {"logits (all sublayers but cross-attention give 0): batch target vocab": made(source, target)}
    for layer in made.decoder:
        silence(layer.cross_attention.output)
    return results | {"logits (all sublayers give 0): batch target vocab": made(source, target)}


ONE = "one Parameter"
COPIED = "They are two Parameters that begin with equal numbers, and training changes each separately."
SHARED = "They share their numbers, but they are two Parameters. Each gets only its part of the gradient."
TWO = "`output.weight` and `target_embedding.table.weight` are two tables with different numbers."


@Transformer.part("the output layer's table is the target embedding's", points=1)
def tied(build, inputs):
    fresh = build.fresh(*SIZES)
    one, other = parameter_of(fresh.output), parameter_of(fresh.target_embedding.table)
    told = ONE if one is other else SHARED if one.data_ptr() == other.data_ptr() else TWO
    return {"tied": COPIED if told is TWO and torch.equal(one, other) else told}


def unchanged(name, cause):
    def check(values, expected):
        changes = [v for label, v in values.items() if label.startswith(name) and torch.is_tensor(v)]
        largest = max((change.abs().max() for change in changes), default=0.0)
        return f"The logits change by up to {largest:.3g} {cause}." if largest > 1e-5 else None

    return check


@Transformer.part(
    "padding after a source changes nothing",
    points=2,
    properties=(unchanged("difference", "when the same source gets padding after it"),),
)
def ignores_padding(build, inputs):
    made, source, target = model(build), inputs.integers(4, 11, 2, 4), inputs.integers(4, 13, 2, 5)
    padded, word = F.pad(source, (0, 3)), target[:, :1]
    one, longer = (padded[:1], target[:1]), torch.cat([inputs.integers(4, 11, 1, 7), padded[1:]])
    return {
        "difference: batch target vocab": apart(made(padded, target), made(source, target)),
        "difference (one sentence): batch target vocab": apart(made(*one), made(source[:1], target[:1])),
        "difference (one target word): batch target vocab": apart(made(padded, word), made(source, word)),
        "difference (beside a longer source): target vocab": apart(
            made(longer, target), made(source, target)
        )[1],
        "what another source changes depends on the target": interplay(made, source, target),
    }


def depends(run, ids, vocab):
    """Boolean (target, ids): which rows of the logits move when a word is replaced by the next one."""
    before, moved = run(ids), []
    for place in range(ids.shape[1]):
        other = ids.clone()
        other[:, place] = 4 + (ids[:, place] - 3) % (vocab - 4)
        moved.append((run(other) - before)[0].abs().amax(dim=-1) > 1e-6)
    return torch.stack(moved, dim=1)


@Transformer.part(
    "a target word sees all of the source, but no later target word",
    points=1,
    properties=(rows_seen("dependence (on the target)"), rows_seen("dependence (on the source)")),
)
def who_sees_whom(build, inputs):
    made, source, target = model(build), inputs.integers(4, 11, 1, 4), inputs.integers(4, 13, 1, 5)
    return {
        "dependence (on the target): target target": depends(lambda ids: made(source, ids), target, 13),
        "dependence (on the source): target source": depends(lambda ids: made(ids, target), source, 11),
        "what another source changes depends on the target": interplay(made, source, target),
    }


@Transformer.part("each layer has its own weights", points=1)
def own_weights(build, inputs):
    fresh = build.fresh(*SIZES)
    return {"encoder": kinds_of_layers(fresh.encoder), "decoder": kinds_of_layers(fresh.decoder)}


@Transformer.part("gradients reach every weight", points=1)
@in_both_modes
def gradients(build, inputs):
    made, source, target = model(build), inputs.integers(4, 11, 2, 7), inputs.integers(4, 13, 2, 5)
    padded = made(F.pad(source[:, :4], (0, 3)), F.pad(target[:, :3], (0, 2)))[:, :3]
    found = gradients_of(torch.cat([made(source, target), padded], dim=1), leaves(made))
    return found | {"words that are read": reading(made, source)}


def reading(made, source):
    """Whether words learn by being read: 4 to 7 are, and their own logits, of the same table, left out."""
    table, read = made.target_embedding.table.weight, torch.tensor([[4, 5, 6, 7], [7, 4, 6, 5]])
    for extra in (0, 1):  # without padding, and with it
        unread = made(*(F.pad(ids, (0, extra)) for ids in (source, read)))[..., 8:].pow(2).sum()
        found = torch.autograd.grad(unread, table, allow_unused=True)[0] if unread.requires_grad else None
        if found is None or not found[4:8].any():
            return "No gradient reaches the vectors of the words that the decoder reads. Something cuts it."
    return ""


# Accepted: other ways to write the same


@Transformer.accept("all in forward")
class InForward(Model):
    def forward(self, source, target):
        source_mask, target_mask = padding(source), padding(target) & causal(target.shape[1])
        memory = self.positions(self.source_embedding(source))
        for layer in self.encoder:
            memory = layer(memory, source_mask)
        x = self.positions(self.target_embedding(target))
        for layer in self.decoder:
            x = layer(x, memory, mask=target_mask, memory_mask=source_mask)
        return self.output(x)


@Transformer.accept("reduce, and the embedding's table as the output layer")
class Reduced(Model):
    def forward(self, source, target):
        seen, past = padding(source), padding(target) & causal(target.shape[1])
        start = self.positions(self.source_embedding(source)), self.positions(self.target_embedding(target))
        memory = reduce(lambda x, layer: layer(x, seen), self.encoder, start[0])
        x = reduce(lambda x, layer: layer(x, memory, past, seen), self.decoder, start[1])
        return F.linear(x, self.target_embedding.table.weight)


@Transformer.accept("copies of one layer (X7: they begin alike, and training moves each its own way)")
class Copies(InForward):
    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__(source_vocab, target_vocab, d_model, heads, d_ff, layers)
        encoder, decoder = EncoderReference(d_model, heads, d_ff), DecoderReference(d_model, heads, d_ff)
        self.encoder = nn.ModuleList([copy.deepcopy(encoder) for _ in range(layers)])
        self.decoder = nn.ModuleList([copy.deepcopy(decoder) for _ in range(layers)])


@Transformer.accept("a causal mask alone: padding stands after every word that counts")
class CausalAlone(Model):
    def forward(self, source, target):
        memory = self.encode(source, padding(source))
        return self.decode(target, memory, causal(target.shape[1]), padding(source))


@Transformer.accept("tied from the other side, positions twice")
class TiedFromOutput(nn.Module):
    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__()
        self.output = nn.Linear(d_model, target_vocab, bias=False)
        self.source_embedding = TokenEmbedding(source_vocab, d_model)
        self.target_embedding = TokenEmbedding(target_vocab, d_model)
        self.target_embedding.table.weight = self.output.weight
        self.source_positions = PositionalEncoding(d_model, 128)
        self.target_positions = PositionalEncoding(d_model, 128)
        self.encoder, self.decoder = nn.ModuleList(), nn.ModuleList()
        for _ in range(layers):
            self.encoder.append(EncoderReference(d_model, heads, d_ff))
            self.decoder.append(DecoderReference(d_model, heads, d_ff))

    def forward(self, source, target):
        memory, x = self.source_positions(self.source_embedding(source)), self.target_embedding(target)
        for layer in self.encoder:
            memory = layer(memory, mask=padding(source))
        x = self.target_positions(x)
        for layer in self.decoder:
            x = layer(x, memory, padding(target) & causal(target.shape[1]), padding(source))
        return self.output(x)
