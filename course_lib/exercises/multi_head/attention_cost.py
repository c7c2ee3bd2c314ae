"""attention_cost: what one multi-head attention multiplies, and how many weights it makes."""

from course_lib.checks.exercise import Exercise

attention_cost = Exercise(
    "attention_cost",
    points=4,
    returns=("multiplications", "weights"),
    hints=[
        "Which six matrix products does the layer compute, and which shapes have their factors? A product of "
        "an (a, b) and a (b, c) matrix takes a * b * c multiplications.",
        "Query and output multiply (target, d_model) by (d_model, d_model). Key and value do the same with "
        "source. The scores multiply (target, d_k) by (d_k, source) in each head. The averages take as many.",
        "All heads together need heads * target * d_k * source = target * source * d_model multiplications "
        "for the scores. Each head has its own target * source weights.",
    ],
    ready_made=("FlopCounterMode",),
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
    found = {}
    for d_model, heads, n in ((12, 3, 5), (10, 5, 7)):
        of_queries, of_keys = cost(d_model, heads, n, 0)[0], cost(d_model, heads, 0, n)[0]
        found[f"multiplications ({n} queries and no keys, d_model {d_model})"] = _whole(of_queries)
        found[f"multiplications ({n} keys and no queries, d_model {d_model})"] = _whole(of_keys)
    return found


@attention_cost.part("the scores and the averages of all heads", points=1)
def pairs(cost, inputs):
    found = {}
    for d_model, heads in ((12, 3), (10, 5)):
        both, neither = cost(d_model, heads, 5, 7)[0], cost(d_model, heads, 0, 0)[0]
        apart = cost(d_model, heads, 5, 0)[0] + cost(d_model, heads, 0, 7)[0]
        label = f"multiplications without projections (5 queries by 7 keys, d_model {d_model})"
        found[label] = _whole(both + neither - apart)
    return found


@attention_cost.part("the weights of all heads", points=1)
def weights(cost, inputs):
    return {
        "weights of 3 heads, 5 queries, 7 keys": _whole(cost(12, 3, 5, 7)[1]),
        "weights of 5 heads, 4 queries, 2 keys": _whole(cost(10, 5, 4, 2)[1]),
        "weights of 3 heads, 5 queries and no keys": _whole(cost(12, 3, 5, 0)[1]),
    }


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
