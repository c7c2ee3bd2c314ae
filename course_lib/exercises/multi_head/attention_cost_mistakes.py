"""Wrong answers to attention_cost: name, advice, code."""

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake
def no_projections(d_model, heads, target, source):
    """Only scores and averages are counted. The four projections take d_model² for every token: below about 2
    * d_model tokens they are the larger part.
    """
    return 2 * target * source * d_model, heads * target * source


@mistake
def no_output(d_model, heads, target, source):
    """There are four projections: you forgot W_O, which every query's result passes."""
    return (target + 2 * source) * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake
def one_projection_for_both(d_model, heads, target, source):
    """Keys and values are projected by a matrix each: 2 * source * d_model²."""
    return (2 * target + source) * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake
def no_averages(d_model, heads, target, source):
    """Each query-key pair is used twice: once in the scores and once in `weights @ value`."""
    return 2 * (target + source) * d_model**2 + target * source * d_model, heads * target * source


@mistake
def whole_width(d_model, heads, target, source):
    """Heads share the width out: each multiplies d_k = d_model / heads numbers a pair, so all together
    d_model. More heads cost no more here.
    """
    pairs = 2 * heads * target * source * d_model
    return 2 * (target + source) * d_model**2 + pairs, heads * target * source


@mistake
def projections_for_each_head(d_model, heads, target, source):
    """A head's matrices are d_model by d_k, so all heads together have d_model². Do not multiply by heads."""
    total = 2 * heads * (target + source) * d_model**2 + 2 * target * source * d_model
    return total, heads * target * source


@mistake
def heads_read_slices(d_model, heads, target, source):
    """A head's matrices are d_model by d_k, not d_k by d_k: it reads all features of a token."""
    projections = 2 * heads * (target + source) * (d_model // heads) ** 2
    return projections + 2 * target * source * d_model, heads * target * source


@mistake
def one_head(d_model, heads, target, source):
    """That is the cost of one head: all heads together multiply d_model numbers a pair."""
    pairs = 2 * target * source * (d_model // heads)
    return 2 * (target + source) * d_model**2 + pairs, heads * target * source


@mistake
def weights_of_one_head(d_model, heads, target, source):
    """Each head has its own table of target * source weights: multiply by heads."""
    return 2 * (target + source) * d_model**2 + 2 * target * source * d_model, target * source


@mistake
def weights_with_features(d_model, heads, target, source):
    """A weight is one number for a pair and a head; it has no features."""
    total = 2 * (target + source) * d_model**2 + 2 * target * source * d_model
    return total, d_model * target * source


@mistake
def all_target(d_model, heads, target, source):
    """Keys and values are tokens of the source: project `source` of them."""
    return 4 * target * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake
def all_source(d_model, heads, target, source):
    """Queries and outputs belong to the target: project `target` of them."""
    return 4 * source * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake
def output_by_source(d_model, heads, target, source):
    """The output has one row for each query: W_O is applied to `target` tokens."""
    return (target + 3 * source) * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake
def both_sides(d_model, heads, target, source):
    """No matrix projects both sides: query and output belong to the `target` tokens, key and value to the
    `source` tokens.
    """
    return 4 * (target + source) * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake
def flops(d_model, heads, target, source):
    """You counted additions too (FLOPs): asked for are multiplications, half of them."""
    total = 2 * (target + source) * d_model**2 + 2 * target * source * d_model
    return 2 * total, heads * target * source


@mistake
def linear_in_width(d_model, heads, target, source):
    """A token of d_model numbers times a matrix takes d_model² multiplications, not d_model."""
    return 2 * (target + source) * d_model + 2 * target * source * d_model, heads * target * source


@mistake
def squares(d_model, heads, target, source):
    """Every query meets every key, target * source pairs: you let each meet its own side only."""
    total = 2 * (target + source) * d_model**2 + (target**2 + source**2) * d_model
    return total, heads * target * source


@mistake
def square_tables(d_model, heads, target, source):
    """A head's table has a row for each query and a column for each key: target * source weights."""
    return 2 * d_model * ((target + source) * d_model + target * source), heads * target**2


@mistake
def with_biases(d_model, heads, target, source):
    """Only the multiplications of matrix products count: a bias is added."""
    total = 2 * (target + source) * (d_model + 1) * d_model + 2 * target * source * d_model
    return total, heads * target * source


@mistake
def exchanged(d_model, heads, target, source):
    """Return the multiplications first, then the number of weights."""
    return heads * target * source, 2 * d_model * ((target + source) * d_model + target * source)
