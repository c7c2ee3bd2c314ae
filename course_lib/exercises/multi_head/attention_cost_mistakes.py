"""Wrong answers to attention_cost: name, advice, code."""

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake
def no_projections(d_model, heads, target, source):
    """You count only the scores and the averages. The four projections take d_model² multiplications for
    every token each. In sentences of fewer than 2 * d_model tokens, they cost more than the rest.
    """
    return 2 * target * source * d_model, heads * target * source


@mistake
def no_output(d_model, heads, target, source):
    """You count three projections. There is a fourth one, W_O, which multiplies the result of every query."""
    return (target + 2 * source) * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake
def one_projection_for_both(d_model, heads, target, source):
    """You count one projection for keys and values together. Each has its own matrix, so they take 2 * source
    * d_model².
    """
    return (2 * target + source) * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake
def no_averages(d_model, heads, target, source):
    """You count each pair of a query and a key once. It is used twice: in the scores and in `weights @
    value`.
    """
    return 2 * (target + source) * d_model**2 + target * source * d_model, heads * target * source


@mistake
def whole_width(d_model, heads, target, source):
    """You count d_model multiplications for a pair in each head. A head multiplies only d_k = d_model / heads
    numbers for a pair, so all heads together multiply d_model. More heads do not cost more here.
    """
    pairs = 2 * heads * target * source * d_model
    return 2 * (target + source) * d_model**2 + pairs, heads * target * source


@mistake
def projections_for_each_head(d_model, heads, target, source):
    """You multiply the projections by heads. The matrices of one head are d_model by d_k, so those of all
    heads together are d_model by d_model.
    """
    total = 2 * heads * (target + source) * d_model**2 + 2 * target * source * d_model
    return total, heads * target * source


@mistake
def heads_read_slices(d_model, heads, target, source):
    """Your projections are too few by the factor d_model / d_k. Each of the four is d_model by d_model: every
    head reads all d_model features of a token, and there are d_model / d_k heads.
    """
    projections = 2 * heads * (target + source) * (d_model // heads) ** 2
    return projections + 2 * target * source * d_model, heads * target * source


@mistake
def one_head(d_model, heads, target, source):
    """You count the cost of one head. All heads together multiply d_model numbers for each pair."""
    pairs = 2 * target * source * (d_model // heads)
    return 2 * (target + source) * d_model**2 + pairs, heads * target * source


@mistake
def weights_of_one_head(d_model, heads, target, source):
    """You count the weights of one head. Each head has its own table of target * source weights: multiply by
    heads.
    """
    return 2 * (target + source) * d_model**2 + 2 * target * source * d_model, target * source


@mistake
def weights_with_features(d_model, heads, target, source):
    """You count features among the weights. A weight is one number for each head and each pair of query and
    key.
    """
    total = 2 * (target + source) * d_model**2 + 2 * target * source * d_model
    return total, d_model * target * source


@mistake
def all_target(d_model, heads, target, source):
    """You project keys and values for `target` tokens. Keys and values belong to the source: project `source`
    tokens.
    """
    return 4 * target * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake
def all_source(d_model, heads, target, source):
    """You project queries and outputs for `source` tokens. Queries and outputs belong to the target: project
    `target` tokens.
    """
    return 4 * source * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake
def output_by_source(d_model, heads, target, source):
    """You apply W_O to `source` tokens. The output has one row for each query, so W_O is applied to `target`
    tokens.
    """
    return (target + 3 * source) * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake
def both_sides(d_model, heads, target, source):
    """You project both sides with all four matrices. Query and output belong to the `target` tokens, key and
    value to the `source` tokens.
    """
    return 4 * (target + source) * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake
def flops(d_model, heads, target, source):
    """Your count is twice too large: it contains the additions too (FLOPs). Count only the
    multiplications.
    """
    total = 2 * (target + source) * d_model**2 + 2 * target * source * d_model
    return 2 * total, heads * target * source


@mistake
def linear_in_width(d_model, heads, target, source):
    """You count d_model multiplications for a projected token. A vector of d_model numbers times a matrix of
    d_model by d_model takes d_model².
    """
    return 2 * (target + source) * d_model + 2 * target * source * d_model, heads * target * source


@mistake
def squares(d_model, heads, target, source):
    """You pair each side with itself. Every query meets every key, which makes target * source pairs."""
    total = 2 * (target + source) * d_model**2 + (target**2 + source**2) * d_model
    return total, heads * target * source


@mistake
def square_tables(d_model, heads, target, source):
    """You count target² weights. The table of a head has a row for each query and a column for each key:
    target * source weights.
    """
    return 2 * d_model * ((target + source) * d_model + target * source), heads * target**2


@mistake
def with_biases(d_model, heads, target, source):
    """You count the biases too. They are added, and only the multiplications of matrix products count."""
    total = 2 * (target + source) * (d_model + 1) * d_model + 2 * target * source * d_model
    return total, heads * target * source


@mistake
def exchanged(d_model, heads, target, source):
    """You return the two numbers in the wrong order. Return the multiplications first, then the number of
    weights.
    """
    return heads * target * source, 2 * d_model * ((target + source) * d_model + target * source)
