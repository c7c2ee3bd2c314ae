"""What the ordinary calls of lessons 05, 06 and 12 share: sizes, numbers, layers and labels of a case."""

import functools
import itertools

from course_lib.checks.gradients import gradients_of, parameters
from course_lib.checks.ordinary import DTYPES, SENTENCES, built, in_turn, in_words

MODES = "training", "evaluation"
NUMBERS = "numbers of both signs", "positive numbers", "numbers from a ReLU"
EPS = "usual eps", "eps by position", "eps by name", "eps 0"
SIZES = {"of ordinary size": 1.0, "100 times smaller": 0.01}
WORDS = "batch seq d_model"
AXES = {"1 axis": "d_model", "2 axes": "seq d_model", "3 axes": WORDS, "4 axes": "batch heads seq d_model"}


def numbers(inputs, kind, *shape):
    """Float32 numbers of one of these kinds."""
    if kind == "positive numbers":
        return inputs.uniform(0.5, 2, *shape)
    drawn = 2 * inputs.normal(*shape)
    return drawn.relu() if kind == "numbers from a ReLU" else drawn


def apart(x):
    """The same numbers, but for the first feature: so no token has features that are all nearly alike."""
    x[..., 0] += 3
    return x


def told(name, axes, result, leaves, case):
    """The result, and what became of the gradient of each leaf, labeled with the case."""
    label = in_words(case)
    return {f"{name} ({label}): {axes}": result, **gradients_of(result, leaves, case=label)}


def given_eps(inputs, how):
    """The arguments by position, and by name, that give an eps or none."""
    eps = 0.0 if how == "eps 0" else inputs.chance()
    by_name = {"eps": eps} if how in ("eps by name", "eps 0") else {}
    return [eps] * (how == "eps by position"), by_name


def normalized(*names):
    """A probe of a function that normalizes x, and then takes vectors of these names and an eps."""

    def probe(norm, inputs):
        found = {}
        cases = inputs.cases(24, dtype=(*DTYPES,), axes=(*AXES,), x=NUMBERS, size=(*SIZES,), eps=EPS)
        for label, case in in_turn("call {0}", cases):
            d_model, axes = inputs.integer(5, 10), AXES[case["axes"]]
            shape = *inputs.integers(1, 5, len(axes.split()) - 1).tolist(), d_model
            leaves = {"x": SIZES[case["size"]] * apart(numbers(inputs, case["x"], *shape))}
            leaves |= {name: 3 * inputs.normal(d_model) for name in names}
            leaves = {name: leaf.to(DTYPES[case["dtype"]]) for name, leaf in leaves.items()}
            by_position, by_name = given_eps(inputs, case["eps"])
            output = norm(*(leaf.requires_grad_() for leaf in leaves.values()), *by_position, **by_name)
            found[f"output ({label}): {axes}"] = output
            found |= gradients_of(output, leaves, case=label)
        return found

    return probe


def each_position(kinds):
    """A probe of a module of d_model and d_ff that treats each position alone. kinds: of its numbers."""

    def probe(build, inputs):
        @functools.cache
        def layer_of(dtype):
            sizes = inputs.integers(2, 9, 2).tolist()
            return sizes[0], built(build, dtype, "training", *sizes)

        found, each = {}, [*itertools.product(DTYPES, SENTENCES, kinds)]
        for case in inputs.cases(len(each), {("dtype", "batch", "x"): each}, mode=MODES):
            d_model, layer = layer_of(case["dtype"])
            layer.train(case["mode"] == "training")
            x = numbers(inputs, case["x"], SENTENCES[case["batch"]], inputs.integer(1, 6), d_model)
            size = 1000 if case["x"] == "numbers in the thousands" else 1
            leaves = {"x": (size * x).to(DTYPES[case["dtype"]]).requires_grad_()} | parameters(layer)
            found |= told(f"output / {size}", WORDS, layer(leaves["x"]) / size, leaves, case)
        return found

    return probe
