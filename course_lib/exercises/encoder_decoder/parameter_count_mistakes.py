"""Wrong answers to parameter_count: name, advice, code."""

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.encoder_decoder.parameter_count import attention, feed_forward, formula, layer, norm

mistake = Mistakes()


@mistake
def three_tables(vocab, d_model, d_ff, layers):
    """You count a table for each of source, target and output. In the paper they are one Parameter: count it
    once.
    """
    return 3 * vocab * d_model + formula(0, d_model, d_ff, layers)


@mistake
def two_tables(vocab, d_model, d_ff, layers):
    """You count the table twice. Tied tables are one Parameter: count it once."""
    return 2 * vocab * d_model + formula(0, d_model, d_ff, layers)


@mistake
def output_bias(vocab, d_model, d_ff, layers):
    """You count a bias of the output layer. It has none; the tied table is its only parameter."""
    return vocab + formula(vocab, d_model, d_ff, layers)


@mistake
def no_table(vocab, d_model, d_ff, layers):
    """The table is missing. It has vocab * d_model numbers, 19 million in the base model."""
    return formula(0, d_model, d_ff, layers)


@mistake
def without_output_matrix(vocab, d_model, d_ff, layers):
    """You count three matrices in an attention. It has four: for query, key, value and output (W_O)."""
    return formula(vocab, d_model, d_ff, layers) - 3 * layers * (d_model**2 + d_model)


@mistake
def one_attention_a_layer(vocab, d_model, d_ff, layers):
    """You count one attention in each layer. The decoder layer has two, self and cross, so a pair of layers
    has 3.
    """
    return vocab * d_model + layers * (
        2 * attention(d_model) + 2 * feed_forward(d_model, d_ff) + 5 * norm(d_model)
    )


@mistake
def two_encoders(vocab, d_model, d_ff, layers):
    """You count the decoder layer as an encoder layer. It has one more attention and one more norm."""
    return vocab * d_model + 2 * layers * layer(1, d_model, d_ff)


@mistake
def encoder_alone(vocab, d_model, d_ff, layers):
    """You count only one stack. There are `layers` encoder layers and `layers` decoder layers."""
    return vocab * d_model + layers * layer(1, d_model, d_ff)


@mistake
def decoder_alone(vocab, d_model, d_ff, layers):
    """You count only the decoder. There are `layers` encoder layers too."""
    return vocab * d_model + layers * layer(2, d_model, d_ff)


@mistake
def without_norms(vocab, d_model, d_ff, layers):
    """The norms are missing. Each has 2 * d_model numbers, its weight and its bias."""
    return formula(vocab, d_model, d_ff, layers) - 10 * layers * d_model


@mistake
def gain_alone(vocab, d_model, d_ff, layers):
    """You count one vector in each norm. It has two, weight and bias: 2 * d_model numbers."""
    return formula(vocab, d_model, d_ff, layers) - 5 * layers * d_model


@mistake
def one_norm_a_layer(vocab, d_model, d_ff, layers):
    """You count one norm in each layer. Each sublayer has its own: two in an encoder layer, three in a
    decoder layer.
    """
    return formula(vocab, d_model, d_ff, layers) - 3 * layers * norm(d_model)


@mistake
def no_biases(vocab, d_model, d_ff, layers):
    """The biases are missing. A linear layer from n to m has n * m + m numbers."""
    biases = 3 * 4 * d_model + 2 * (d_ff + d_model)
    return formula(vocab, d_model, d_ff, layers) - layers * biases


@mistake
def no_attention_biases(vocab, d_model, d_ff, layers):
    """The biases of the attentions are missing. Each of the four matrices has one."""
    return formula(vocab, d_model, d_ff, layers) - layers * 12 * d_model


@mistake
def no_feed_forward_biases(vocab, d_model, d_ff, layers):
    """The biases of the feed-forward layers are missing. Each layer has two, of d_ff and of d_model
    numbers.
    """
    return formula(vocab, d_model, d_ff, layers) - 2 * layers * (d_ff + d_model)


@mistake
def matrices_alone(vocab, d_model, d_ff, layers):
    """You count only matrices. Each linear layer also has a bias, and each norm has a weight and a bias."""
    return vocab * d_model + layers * (12 * d_model**2 + 4 * d_model * d_ff)


@mistake
def one_way(vocab, d_model, d_ff, layers):
    """You count one matrix in a feed-forward layer. It has two, because it goes to d_ff and back."""
    return formula(vocab, d_model, d_ff, layers) - 2 * layers * (d_ff * d_model + d_model)


@mistake
def layers_once(vocab, d_model, d_ff, layers):
    """You count the layers once. Each of the `layers` layers of a stack has its own weights."""
    return formula(vocab, d_model, d_ff, min(layers, 1))


@mistake
def final_norms(vocab, d_model, d_ff, layers):
    """You count a norm after the stacks. There is none: a post-norm layer ends with a norm already."""
    return formula(vocab, d_model, d_ff, layers) + 2 * norm(d_model)


@mistake
def as_float(vocab, d_model, d_ff, layers):
    """Your number is a float. Count without `/`, or with `//`."""
    return formula(vocab, d_model, d_ff, layers) / 1


@mistake
def with_positions(vocab, d_model, d_ff, layers):
    """You count the positions. Sinusoidal positions are a fixed table and are not learned, so they have no
    parameters.
    """
    return formula(vocab, d_model, d_ff, layers) + 128 * d_model


@mistake
def biases_of_d_ff(vocab, d_model, d_ff, layers):
    """You count d_ff numbers for both biases. The second linear layer gives d_model numbers, so its bias has
    d_model.
    """
    return formula(vocab, d_model, d_ff, layers) + 2 * layers * (d_ff - d_model)


@mistake
def biases_of_d_model(vocab, d_model, d_ff, layers):
    """You count d_model numbers for both biases. The first linear layer gives d_ff numbers, so its bias has
    d_ff.
    """
    return formula(vocab, d_model, d_ff, layers) + 2 * layers * (d_model - d_ff)


@mistake
def one_bias_an_attention(vocab, d_model, d_ff, layers):
    """You count one bias in each attention. It has four, one for each matrix: 4 * (d_model * d_model +
    d_model).
    """
    return formula(vocab, d_model, d_ff, layers) - 3 * 3 * layers * d_model


@mistake
def two_norms_a_layer(vocab, d_model, d_ff, layers):
    """2 * d_model numbers are missing in each pair of layers. It may be a norm: the decoder layer has three.
    Or it may be the second bias of both feed-forward layers, which has d_model numbers.
    """
    return formula(vocab, d_model, d_ff, layers) - layers * norm(d_model)


@mistake
def three_norms_a_layer(vocab, d_model, d_ff, layers):
    """You count 2 * d_model numbers too many in each pair of layers. It may be a norm: the encoder layer has
    two, the decoder layer three. Or it may be one bias too many in both layers.
    """
    return formula(vocab, d_model, d_ff, layers) + layers * norm(d_model)


@mistake
def one_feed_forward_a_pair(vocab, d_model, d_ff, layers):
    """One feed-forward layer is missing. Encoder layer and decoder layer have one each."""
    return formula(vocab, d_model, d_ff, layers) - layers * feed_forward(d_model, d_ff)


@mistake
def layers_shared(vocab, d_model, d_ff, layers):
    """You count half of the layers. Each of the two stacks has `layers` layers."""
    return formula(vocab, d_model, d_ff, layers // 2)


@mistake
def in_millions(vocab, d_model, d_ff, layers):
    """You return millions. Return the number itself."""
    return formula(vocab, d_model, d_ff, layers) / 1e6


@mistake
def first_bias_missing(vocab, d_model, d_ff, layers):
    """The first bias of the feed-forward layers is missing. It has d_ff numbers."""
    return formula(vocab, d_model, d_ff, layers) - 2 * layers * d_ff


@mistake
def no_output_bias(vocab, d_model, d_ff, layers):
    """One bias of d_model numbers is missing in each attention. All four matrices have one, also that of the
    output.
    """
    return formula(vocab, d_model, d_ff, layers) - 3 * layers * d_model


@mistake
def norms_of_two_numbers(vocab, d_model, d_ff, layers):
    """You count 2 numbers in a norm. Its weight and its bias are vectors: 2 * d_model numbers."""
    return formula(vocab, d_model, d_ff, layers) - layers * 5 * (norm(d_model) - 2)


@mistake
def table_in_every_layer(vocab, d_model, d_ff, layers):
    """You count the table in every layer. It is used before the layers, once."""
    return layers * formula(vocab, d_model, d_ff, 1)


@mistake
def brackets_missing(vocab, d_model, d_ff, layers):
    """You multiply only the encoder layer by `layers`. Use brackets: `layers * (encoder_layer +
    decoder_layer)`.
    """
    return vocab * d_model + layers * layer(1, d_model, d_ff) + layer(2, d_model, d_ff)


@mistake
def two_layers_a_stack(vocab, d_model, d_ff, layers):
    """You count both kinds of layers `layers` times too often. A stack has `layers` layers."""
    return formula(vocab, d_model, d_ff, layers * layers)
