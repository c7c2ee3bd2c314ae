"""parameter_count: how many numbers training changes, from the sizes alone."""

from numbers import Integral

import torch
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.exercises.encoder_decoder.Transformer import Reference as Model
from course_lib.exercises.encoder_decoder.Transformer import Transformer

parameter_count = Exercise(
    "parameter_count",
    points=5,
    returns=("parameters",),
    hints=[
        "How many numbers does a linear layer from n to m have? It has n * m + m, its matrix and its bias. A "
        "LayerNorm has 2 * d_model, its weight and its bias.",
        "An attention has four linear layers from d_model to d_model (query, key, value, output). The heads "
        "only divide their outputs, so their number changes nothing. A feed-forward layer goes from "
        "d_model to "
        "d_ff and back.",
        "An encoder layer has one attention, one feed-forward layer and two norms. A decoder layer has two "
        "attentions, one feed-forward layer and three norms.",
        "`vocab * d_model + layers * (encoder_layer + decoder_layer)`. The tied table counts once, and the "
        "sinusoids are not parameters.",
    ],
    examples=[
        "parameter_count(10, 1, 1, 0)",
        "parameter_count(10, 1, 1, 1)",
        "parameter_count(10, 2, 3, 2)",
    ],
    uses=(Transformer,),
)


def attention(d_model):
    return 4 * (d_model * d_model + d_model)


def feed_forward(d_model, d_ff):
    return d_model * d_ff + d_ff + d_ff * d_model + d_model


def norm(d_model):
    return 2 * d_model


def layer(attentions, d_model, d_ff):
    return attentions * attention(d_model) + feed_forward(d_model, d_ff) + (attentions + 1) * norm(d_model)


@parameter_count.reference
def reference(vocab, d_model, d_ff, layers):
    return vocab * d_model + layers * (layer(1, d_model, d_ff) + layer(2, d_model, d_ff))


@parameter_count.part("the tied table", points=1)
def the_table(count, inputs):
    vocab, d_model, d_ff = inputs.integers(50, 90, 3).tolist()
    return {"parameters (no layers)": int(count(vocab, d_model, d_ff, 0))}


@parameter_count.part("the layers", points=2)
def the_layers(count, inputs):
    found = {}
    for layers, d_model in ((1, 6), (3, 8)):
        d_ff = inputs.integer(20, 60)
        table = count(100, d_model, d_ff, 0)  # subtracted: a slip there costs no point here
        found[f"parameters of layers ({layers} a stack)"] = int(count(100, d_model, d_ff, layers) - table)
    return found


@parameter_count.part("is a whole number", points=1, alone=False)
def whole(count, inputs):
    return {
        "type": told_of_type(count(100, 8, 20, 2)),
        "type (no layers)": told_of_type(count(100, 8, 20, 0)),
    }


def told_of_type(found):
    is_whole = isinstance(found, Integral) and not isinstance(found, bool)
    return "int" if is_whole else f"It returned a {type(found).__name__}; expected an int."


# Accepted: other ways to write the same


@parameter_count.accept("one formula")
def formula(vocab, d_model, d_ff, layers):
    return d_model * vocab + layers * (12 * d_model**2 + 4 * d_model * d_ff + 2 * d_ff + 24 * d_model)


@parameter_count.accept("loops over layers and shapes")
def loops(vocab, d_model, d_ff, layers):
    total = vocab * d_model
    for attentions in [1] * layers + [2] * layers:
        shapes = [(d_model, d_model)] * 4 * attentions + [(d_model, d_ff), (d_ff, d_model)]
        total += sum(rows * columns + columns for rows, columns in shapes)
        total += (attentions + 1) * 2 * d_model
    return total


@parameter_count.accept("counted on PyTorch's layers, without numbers")
def modules(vocab, d_model, d_ff, layers):
    with torch.device("meta"):
        table = nn.Embedding(vocab, d_model)
        pair = [nn.TransformerEncoderLayer(d_model, 1, d_ff), nn.TransformerDecoderLayer(d_model, 1, d_ff)]
    sizes = [p.numel() for part in pair for p in part.parameters()]
    return table.weight.numel() + layers * sum(sizes)


@parameter_count.accept("counted on PyTorch's model, but for the norms after its stacks")
def pytorchs_model(vocab, d_model, d_ff, layers):
    with torch.device("meta"):
        model = nn.Transformer(d_model, 1, layers, layers, d_ff, batch_first=True)
    stacks = sum(parameter.numel() for parameter in model.parameters()) - 2 * norm(d_model)
    return stacks + vocab * d_model


@parameter_count.accept("counted on the model of exercise 4, but for its table of the source")
def model_of_exercise_4(vocab, d_model, d_ff, layers):
    with torch.device("meta"):
        model = Model(vocab, vocab, d_model, 1, d_ff, layers)
    return sum(parameter.numel() for parameter in model.parameters()) - vocab * d_model


@parameter_count.accept("NumPy's number")
def as_numpy(vocab, d_model, d_ff, layers):
    return torch.tensor(formula(vocab, d_model, d_ff, layers)).numpy()[()]
