"""attention_cost: what one multi-head attention multiplies, and how many weights it makes."""

from course_lib.checks.exercise import Exercise

attention_cost = Exercise(
    "attention_cost",
    points=4,
    returns=("multiplications", "weights"),
    hints=[
        "A product of an (a, b) with a (b, c) matrix takes a * b * c multiplications. The layer has six "
        "products: which shapes?",
        "Query and output: (target, d_model) by (d_model, d_model). Key and value: the same with source. "
        "Scores: in each head (target, d_k) by (d_k, source). The averages take as many.",
        "All heads together need heads * target * d_k * source = target * source * d_model multiplications "
        "for the scores. Each head has its own target * source weights.",
    ],
    examples=[
        "attention_cost(2, 1, 1, 1)",
        "attention_cost(2, 1, 0, 1)",
        "attention_cost(4, 2, 1, 1)",
        "attention_cost(4, 2, 1, 3)",
        "attention_cost(4, 2, 3, 3)",
    ],
)


@attention_cost.reference
def reference(d_model, heads, target, source):
    projections = 2 * target * d_model**2 + 2 * source * d_model**2
    return projections + 2 * target * source * d_model, heads * target * source


def _whole(number):
    return int(number) if number == int(number) else number


# A length of 0 leaves out what depends on it, so each part asks for one of the terms.


@attention_cost.part("the four projections", points=1)
def projections(cost, inputs):
    return {
        "multiplications without keys (query and output)": _whole(cost(12, 3, 5, 0)[0]),
        "multiplications without queries (key and value)": _whole(cost(12, 3, 0, 7)[0]),
    }


@attention_cost.part("scores and averages, all heads together", points=1)
def pairs(cost, inputs):
    both, neither = cost(12, 3, 5, 7)[0], cost(12, 3, 0, 0)[0]
    apart = cost(12, 3, 5, 0)[0] + cost(12, 3, 0, 7)[0]
    return {"multiplications for 5 queries by 7 keys, besides projections": _whole(both + neither - apart)}


@attention_cost.part("the weights of all heads", points=1)
def weights(cost, inputs):
    return {"weights of 3 heads, 5 queries, 7 keys": _whole(cost(12, 3, 5, 7)[1])}


@attention_cost.accept("head by head")
def head_by_head(d_model, heads, target, source):
    d_k, total = d_model // heads, 0
    for _ in range(heads):
        total += d_model * d_k * (target + 2 * source) + 2 * target * source * d_k
    return total + target * d_model * d_model, sum(target * source for _ in range(heads))


@attention_cost.accept("six products")
def six_products(d_model, heads, target, source):
    def product(a, b, c):
        return a * b * c

    d_k = d_model // heads
    query, output = [product(target, d_model, d_model)] * 2
    key, value = [product(source, d_model, d_model)] * 2
    scores, averages = heads * product(target, d_k, source), heads * product(target, source, d_k)
    return query + key + value + output + scores + averages, target * source * heads


@attention_cost.accept("with a division that gives floats")
def floats(d_model, heads, target, source):
    d_k = d_model / heads
    return 2 * heads * (d_model * d_k * (target + source) + target * source * d_k), heads * target * source


@attention_cost.accept("factored")
def factored(d_model, heads, target, source):
    return [2 * d_model * (d_model * (target + source) + target * source), heads * (target * source)]


mistake = attention_cost.mistake


@mistake(
    "W1",
    advice="Only scores and averages are counted. The four projections take d_model² for every token: below "
    "about 2 * d_model tokens they are the larger part.",
)
def no_projections(d_model, heads, target, source):
    return 2 * target * source * d_model, heads * target * source


@mistake("W2", advice="There are four projections: you forgot W_O, which every query's result passes.")
def no_output(d_model, heads, target, source):
    return (target + 2 * source) * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake("W2", advice="Keys and values are projected by a matrix each: 2 * source * d_model².")
def one_projection_for_both(d_model, heads, target, source):
    return (2 * target + source) * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake("W3", advice="Each query-key pair is used twice: once in the scores and once in `weights @ value`.")
def no_averages(d_model, heads, target, source):
    return 2 * (target + source) * d_model**2 + target * source * d_model, heads * target * source


@mistake(
    "H12",
    advice="Heads share the width out: each multiplies d_k = d_model / heads numbers a pair, so all together "
    "d_model. More heads cost no more here.",
)
def whole_width(d_model, heads, target, source):
    pairs = 2 * heads * target * source * d_model
    return 2 * (target + source) * d_model**2 + pairs, heads * target * source


@mistake(
    "H12",
    advice="A head's matrices are d_model by d_k, so all heads together have d_model². Do not multiply by "
    "heads.",
)
def projections_for_each_head(d_model, heads, target, source):
    total = 2 * heads * (target + source) * d_model**2 + 2 * target * source * d_model
    return total, heads * target * source


@mistake(
    "H11",
    advice="A head's matrices are d_model by d_k, not d_k by d_k: it reads all features of a token.",
)
def heads_read_slices(d_model, heads, target, source):
    projections = 2 * heads * (target + source) * (d_model // heads) ** 2
    return projections + 2 * target * source * d_model, heads * target * source


@mistake("W4", advice="That is the cost of one head: all heads together multiply d_model numbers a pair.")
def one_head(d_model, heads, target, source):
    pairs = 2 * target * source * (d_model // heads)
    return 2 * (target + source) * d_model**2 + pairs, heads * target * source


@mistake("W5", advice="Each head has its own table of target * source weights: multiply by heads.")
def weights_of_one_head(d_model, heads, target, source):
    return 2 * (target + source) * d_model**2 + 2 * target * source * d_model, target * source


@mistake("W6", advice="A weight is one number for a pair and a head; it has no features.")
def weights_with_features(d_model, heads, target, source):
    total = 2 * (target + source) * d_model**2 + 2 * target * source * d_model
    return total, d_model * target * source


@mistake("W7", advice="Keys and values are tokens of the source: project `source` of them.")
def all_target(d_model, heads, target, source):
    return 4 * target * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake("W7", advice="Queries and outputs belong to the target: project `target` of them.")
def all_source(d_model, heads, target, source):
    return 4 * source * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake("W7", advice="The output has one row for each query: W_O is applied to `target` tokens.")
def output_by_source(d_model, heads, target, source):
    return (target + 3 * source) * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake(
    "W7",
    advice="No matrix projects both sides: query and output belong to the `target` tokens, key and value to "
    "the `source` tokens.",
)
def both_sides(d_model, heads, target, source):
    return 4 * (target + source) * d_model**2 + 2 * target * source * d_model, heads * target * source


@mistake("W8", advice="You counted additions too (FLOPs): asked for are multiplications, half of them.")
def flops(d_model, heads, target, source):
    total = 2 * (target + source) * d_model**2 + 2 * target * source * d_model
    return 2 * total, heads * target * source


@mistake(
    "W9", advice="A token of d_model numbers times a matrix takes d_model² multiplications, not d_model."
)
def linear_in_width(d_model, heads, target, source):
    return 2 * (target + source) * d_model + 2 * target * source * d_model, heads * target * source


@mistake(
    "W10",
    advice="Every query meets every key, target * source pairs: you let each meet its own side only.",
)
def squares(d_model, heads, target, source):
    total = 2 * (target + source) * d_model**2 + (target**2 + source**2) * d_model
    return total, heads * target * source


@mistake(
    "W10",
    advice="A head's table has a row for each query and a column for each key: target * source weights.",
)
def square_tables(d_model, heads, target, source):
    return 2 * d_model * ((target + source) * d_model + target * source), heads * target**2


@mistake("W12", advice="Only the multiplications of matrix products count: a bias is added.")
def with_biases(d_model, heads, target, source):
    total = 2 * (target + source) * (d_model + 1) * d_model + 2 * target * source * d_model
    return total, heads * target * source


@mistake("W11", advice="Return the multiplications first, then the number of weights.")
def exchanged(d_model, heads, target, source):
    return heads * target * source, 2 * d_model * ((target + source) * d_model + target * source)
