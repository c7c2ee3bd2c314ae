"""Wrong answers to parameter_count: name, advice, code."""

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.encoder_decoder.parameter_count import attention, feed_forward, formula, layer, norm

mistake = Mistakes()


@mistake
def three_tables(vocab, d_model, d_ff, layers):
    """The table is counted for source, target and output. They are one Parameter in the paper:
    count it once.
    """
    return 3 * vocab * d_model + formula(0, d_model, d_ff, layers)


@mistake
def two_tables(vocab, d_model, d_ff, layers):
    """The table is counted twice. Tied tables are one Parameter: count it once."""
    return 2 * vocab * d_model + formula(0, d_model, d_ff, layers)


@mistake
def output_bias(vocab, d_model, d_ff, layers):
    """The output layer has no bias of its own: the tied table is all it has."""
    return vocab + formula(vocab, d_model, d_ff, layers)


@mistake
def no_table(vocab, d_model, d_ff, layers):
    """The table is missing: vocab * d_model numbers, in the base model 19 million."""
    return formula(0, d_model, d_ff, layers)


@mistake
def without_output_matrix(vocab, d_model, d_ff, layers):
    """An attention has four matrices: query, key, value, and the output's, W_O."""
    return formula(vocab, d_model, d_ff, layers) - 3 * layers * (d_model**2 + d_model)


@mistake
def one_attention_a_layer(vocab, d_model, d_ff, layers):
    """The decoder layer has two attentions, self and cross: count 3 a pair of layers."""
    return vocab * d_model + layers * (
        2 * attention(d_model) + 2 * feed_forward(d_model, d_ff) + 5 * norm(d_model)
    )


@mistake
def two_encoders(vocab, d_model, d_ff, layers):
    """The decoder layer is counted as an encoder layer: it has an attention and a norm more."""
    return vocab * d_model + 2 * layers * layer(1, d_model, d_ff)


@mistake
def encoder_alone(vocab, d_model, d_ff, layers):
    """Only one stack is counted: there are `layers` encoder and decoder layers."""
    return vocab * d_model + layers * layer(1, d_model, d_ff)


@mistake
def decoder_alone(vocab, d_model, d_ff, layers):
    """Only the decoder is counted: there are `layers` encoder layers too."""
    return vocab * d_model + layers * layer(2, d_model, d_ff)


@mistake
def without_norms(vocab, d_model, d_ff, layers):
    """The norms are missing: each has 2 * d_model numbers, gain and bias."""
    return formula(vocab, d_model, d_ff, layers) - 10 * layers * d_model


@mistake
def gain_alone(vocab, d_model, d_ff, layers):
    """A norm has two vectors, gain and bias: 2 * d_model numbers. Only one of them is counted."""
    return formula(vocab, d_model, d_ff, layers) - 5 * layers * d_model


@mistake
def one_norm_a_layer(vocab, d_model, d_ff, layers):
    """Each sublayer has its own norm: two in an encoder layer, three in a decoder layer."""
    return formula(vocab, d_model, d_ff, layers) - 3 * layers * norm(d_model)


@mistake
def no_biases(vocab, d_model, d_ff, layers):
    """The biases are missing: a linear layer from n to m has n * m + m numbers."""
    biases = 3 * 4 * d_model + 2 * (d_ff + d_model)
    return formula(vocab, d_model, d_ff, layers) - layers * biases


@mistake
def no_attention_biases(vocab, d_model, d_ff, layers):
    """The attentions' biases are missing: each of the four matrices has one."""
    return formula(vocab, d_model, d_ff, layers) - layers * 12 * d_model


@mistake
def no_feed_forward_biases(vocab, d_model, d_ff, layers):
    """The feed-forward layers' biases are missing: each layer has two, of d_ff and of d_model numbers."""
    return formula(vocab, d_model, d_ff, layers) - 2 * layers * (d_ff + d_model)


@mistake
def matrices_alone(vocab, d_model, d_ff, layers):
    """Only matrices are counted: each linear layer has a bias too, and each norm its gain and bias."""
    return vocab * d_model + layers * (12 * d_model**2 + 4 * d_model * d_ff)


@mistake
def one_way(vocab, d_model, d_ff, layers):
    """The feed-forward layer goes to d_ff and back: two matrices."""
    return formula(vocab, d_model, d_ff, layers) - 2 * layers * (d_ff * d_model + d_model)


@mistake
def layers_once(vocab, d_model, d_ff, layers):
    """The layers are not copies of one: each of the `layers` has its own weights."""
    return formula(vocab, d_model, d_ff, min(layers, 1))


@mistake
def final_norms(vocab, d_model, d_ff, layers):
    """A norm stands after every sublayer, and none after the stacks: post-norm ends normalized."""
    return formula(vocab, d_model, d_ff, layers) + 2 * norm(d_model)


@mistake
def as_float(vocab, d_model, d_ff, layers):
    """The number is whole: count without `/`, or with `//`."""
    return formula(vocab, d_model, d_ff, layers) / 1


@mistake
def with_positions(vocab, d_model, d_ff, layers):
    """Sinusoidal positions are a fixed table: nothing in them is learned, so they have no parameters."""
    return formula(vocab, d_model, d_ff, layers) + 128 * d_model


@mistake
def biases_of_d_ff(vocab, d_model, d_ff, layers):
    """Both biases have d_ff numbers in your count: the second linear layer gives d_model."""
    return formula(vocab, d_model, d_ff, layers) + 2 * layers * (d_ff - d_model)


@mistake
def biases_of_d_model(vocab, d_model, d_ff, layers):
    """Both biases have d_model numbers in your count: the first linear layer gives d_ff."""
    return formula(vocab, d_model, d_ff, layers) + 2 * layers * (d_model - d_ff)


@mistake
def one_bias_an_attention(vocab, d_model, d_ff, layers):
    """An attention has four biases, one for each matrix: 4 * (d_model * d_model + d_model)."""
    return formula(vocab, d_model, d_ff, layers) - 3 * 3 * layers * d_model


@mistake
def two_norms_a_layer(vocab, d_model, d_ff, layers):
    """2 * d_model numbers are missing in each pair of layers. Either a norm: the decoder layer has three. Or
    the second bias of both feed-forward layers: it has d_model numbers.
    """
    return formula(vocab, d_model, d_ff, layers) - layers * norm(d_model)


@mistake
def three_norms_a_layer(vocab, d_model, d_ff, layers):
    """2 * d_model numbers too many in each pair of layers. That is one norm: the encoder layer has two, the
    decoder layer three. Or one bias too many in both layers.
    """
    return formula(vocab, d_model, d_ff, layers) + layers * norm(d_model)


@mistake
def one_feed_forward_a_pair(vocab, d_model, d_ff, layers):
    """One feed-forward layer is missing: encoder and decoder layers have one each."""
    return formula(vocab, d_model, d_ff, layers) - layers * feed_forward(d_model, d_ff)


@mistake
def layers_shared(vocab, d_model, d_ff, layers):
    """`layers` is the height of each stack: there are that many of both kinds, not half."""
    return formula(vocab, d_model, d_ff, layers // 2)


@mistake
def in_millions(vocab, d_model, d_ff, layers):
    """Give the number itself, not millions of it."""
    return formula(vocab, d_model, d_ff, layers) / 1e6


@mistake
def first_bias_missing(vocab, d_model, d_ff, layers):
    """The feed-forward layers lack their first bias: it has d_ff numbers."""
    return formula(vocab, d_model, d_ff, layers) - 2 * layers * d_ff


@mistake
def no_output_bias(vocab, d_model, d_ff, layers):
    """Each attention lacks one bias of d_model numbers: all four matrices have one, the output's too."""
    return formula(vocab, d_model, d_ff, layers) - 3 * layers * d_model


@mistake
def norms_of_two_numbers(vocab, d_model, d_ff, layers):
    """A norm has 2 * d_model numbers, not 2: gain and bias are vectors."""
    return formula(vocab, d_model, d_ff, layers) - layers * 5 * (norm(d_model) - 2)


@mistake
def table_in_every_layer(vocab, d_model, d_ff, layers):
    """The table is counted in every layer: it stands before the layers, once."""
    return layers * formula(vocab, d_model, d_ff, 1)


@mistake
def brackets_missing(vocab, d_model, d_ff, layers):
    """Only the encoder layer is multiplied by `layers`: write brackets, `layers * (encoder_layer +
    decoder_layer)`.
    """
    return vocab * d_model + layers * layer(1, d_model, d_ff) + layer(2, d_model, d_ff)


@mistake
def two_layers_a_stack(vocab, d_model, d_ff, layers):
    """Both kinds of layers are counted `layers` times too often: a stack has `layers` layers, no more."""
    return formula(vocab, d_model, d_ff, layers * layers)
