"""parameter_count: the numbers that training moves, from the sizes alone."""

import torch
from torch import nn

from course_lib.checks.exercise import Exercise

parameter_count = Exercise(
    "parameter_count",
    points=5,
    returns=("parameters",),
    hints=[
        "A linear layer from n to m numbers has n * m + m parameters: its matrix and its bias. A LayerNorm "
        "has "
        "2 * d_model: gain and bias.",
        "An attention has four linear layers from d_model to d_model (query, key, value, output). The heads "
        "only "
        "divide them: their number changes nothing. A feed-forward layer goes from d_model to d_ff and back.",
        "An encoder layer: one attention, one feed-forward layer, two norms. A decoder layer: two "
        "attentions, one "
        "feed-forward layer, three norms.",
        "`vocab * d_model + layers * (encoder_layer + decoder_layer)`: one tied table, counted once; the "
        "sinusoids "
        "are no parameters.",
    ],
    examples=[
        "parameter_count(10, 1, 1, 0)",
        "parameter_count(10, 1, 1, 1)",
        "parameter_count(10, 2, 3, 2)",
    ],
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
        d_ff = int(inputs.integers(20, 60, 1))
        table = count(100, d_model, d_ff, 0)  # subtracted: a slip there costs no point here
        found[f"parameters of layers ({layers} a stack)"] = int(count(100, d_model, d_ff, layers) - table)
    return found


@parameter_count.part("is a whole number", points=1)
def whole(count, inputs):
    found = count(100, 8, 20, 2)
    return {
        "type": "int" if type(found) is int else f"It returned a {type(found).__name__}, expected an int."
    }


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


# Mistakes


@parameter_count.mistake(
    "E12",
    advice="The table is counted for source, target and output. They are one Parameter in the paper: count "
    "it once.",
)
def three_tables(vocab, d_model, d_ff, layers):
    return 3 * vocab * d_model + formula(0, d_model, d_ff, layers)


@parameter_count.mistake(
    "E12", advice="The table is counted twice. Tied tables are one Parameter: count it once."
)
def two_tables(vocab, d_model, d_ff, layers):
    return 2 * vocab * d_model + formula(0, d_model, d_ff, layers)


@parameter_count.mistake(
    "E15", advice="The output layer has no bias of its own: the tied table is all it has."
)
def output_bias(vocab, d_model, d_ff, layers):
    return vocab + formula(vocab, d_model, d_ff, layers)


@parameter_count.mistake(
    "E16", advice="The table is missing: vocab * d_model numbers, in the base model 19 million."
)
def no_table(vocab, d_model, d_ff, layers):
    return formula(0, d_model, d_ff, layers)


@parameter_count.mistake(
    "H9", advice="An attention has four matrices: query, key, value, and the output's, W_O."
)
def without_output_matrix(vocab, d_model, d_ff, layers):
    return formula(vocab, d_model, d_ff, layers) - 3 * layers * (d_model**2 + d_model)


@parameter_count.mistake(
    "X23", advice="The decoder layer has two attentions, self and cross: count 3 a pair of layers."
)
def one_attention_a_layer(vocab, d_model, d_ff, layers):
    return vocab * d_model + layers * (
        2 * attention(d_model) + 2 * feed_forward(d_model, d_ff) + 5 * norm(d_model)
    )


@parameter_count.mistake(
    "X23", advice="The decoder layer is counted as an encoder layer: it has an attention and a norm more."
)
def two_encoders(vocab, d_model, d_ff, layers):
    return vocab * d_model + 2 * layers * layer(1, d_model, d_ff)


@parameter_count.mistake(
    "X24", advice="Only one stack is counted: there are `layers` encoder and decoder layers."
)
def encoder_alone(vocab, d_model, d_ff, layers):
    return vocab * d_model + layers * layer(1, d_model, d_ff)


@parameter_count.mistake("X24", advice="Only the decoder is counted: there are `layers` encoder layers too.")
def decoder_alone(vocab, d_model, d_ff, layers):
    return vocab * d_model + layers * layer(2, d_model, d_ff)


@parameter_count.mistake("L11", advice="The norms are missing: each has 2 * d_model numbers, gain and bias.")
def without_norms(vocab, d_model, d_ff, layers):
    return formula(vocab, d_model, d_ff, layers) - 10 * layers * d_model


@parameter_count.mistake(
    "L11", advice="A norm has two vectors, gain and bias: 2 * d_model numbers. Only one of them is counted."
)
def gain_alone(vocab, d_model, d_ff, layers):
    return formula(vocab, d_model, d_ff, layers) - 5 * layers * d_model


@parameter_count.mistake(
    "R9", advice="Each sublayer has its own norm: two in an encoder layer, three in a decoder layer."
)
def one_norm_a_layer(vocab, d_model, d_ff, layers):
    return formula(vocab, d_model, d_ff, layers) - 3 * layers * norm(d_model)


@parameter_count.mistake(
    "F8", advice="The biases are missing: a linear layer from n to m has n * m + m numbers."
)
def no_biases(vocab, d_model, d_ff, layers):
    biases = 3 * 4 * d_model + 2 * (d_ff + d_model)
    return formula(vocab, d_model, d_ff, layers) - layers * biases


@parameter_count.mistake(
    "F8", advice="The attentions' biases are missing: each of the four matrices has one."
)
def no_attention_biases(vocab, d_model, d_ff, layers):
    return formula(vocab, d_model, d_ff, layers) - layers * 12 * d_model


@parameter_count.mistake(
    "F8", advice="The feed-forward layers' biases are missing: d_ff and d_model numbers each."
)
def no_feed_forward_biases(vocab, d_model, d_ff, layers):
    return formula(vocab, d_model, d_ff, layers) - 2 * layers * (d_ff + d_model)


@parameter_count.mistake(
    "F8",
    "L11",
    advice="Only matrices are counted: each linear layer has a bias too, and each norm its gain and bias.",
)
def matrices_alone(vocab, d_model, d_ff, layers):
    return vocab * d_model + layers * (12 * d_model**2 + 4 * d_model * d_ff)


@parameter_count.mistake("F10", advice="The feed-forward layer goes to d_ff and back: two matrices.")
def one_way(vocab, d_model, d_ff, layers):
    return formula(vocab, d_model, d_ff, layers) - 2 * layers * (d_ff * d_model + d_model)


@parameter_count.mistake(
    "X6", advice="The layers are not copies of one: each of the `layers` has its own weights."
)
def layers_once(vocab, d_model, d_ff, layers):
    return formula(vocab, d_model, d_ff, min(layers, 1))


@parameter_count.mistake(
    "L12", advice="A norm stands after every sublayer, and none after the stacks: post-norm ends normalized."
)
def final_norms(vocab, d_model, d_ff, layers):
    return formula(vocab, d_model, d_ff, layers) + 2 * norm(d_model)


@parameter_count.mistake("X25", advice="The number is whole: count without `/`, or with `//`.")
def as_float(vocab, d_model, d_ff, layers):
    return formula(vocab, d_model, d_ff, layers) / 1
