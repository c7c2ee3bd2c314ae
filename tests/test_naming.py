"""Which mistake is named, and what is said where none is sure."""

import numpy as np
import pytest
import torch
from torch import nn

from course_lib.checks.exercise import Exercise, Mistakes
from course_lib.checks.expected import Expected
from course_lib.checks.judgement import fits, judge
from course_lib.checks.lesson import Lesson
from course_lib.checks.observation import observe
from course_lib.exercises.embedding import lesson as embedding
from course_lib.exercises.layer_norm import lesson as norms
from course_lib.exercises.transfer_learning import lesson as transfer_learning

scaled = Exercise("scaled", points=4, returns=("output: row",), hints=[], examples=["scaled(torch.ones(2))"])
mistake = Mistakes()


@scaled.reference
def scale(x, factor=2.0):
    return x * factor


@scaled.part("scales", points=1)
def scales(scaled, inputs):
    return {"output: row": scaled(inputs.normal(4))}


@scaled.part("takes another factor", points=2)
def takes(scaled, inputs):
    return {"output: row": scaled(inputs.normal(4), factor=3.0)}


@scaled.part("negative numbers", points=1)
def negative(scaled, inputs):
    return {"output: row": scaled(-inputs.normal(4).abs())}


@mistake(mentions=r"\.abs\(\)")
def absolute(x, factor=2.0):
    """`abs` loses the sign."""
    return x.abs() * factor


@mistake(mentions=r"\brelu\b")
def cut(x, factor=2.0):
    """`relu` makes negative numbers 0."""
    return torch.relu(x) * factor


@mistake(lacks=r"\bfactor \*|\* factor")
def twice(x, factor=2.0):
    """The factor is an argument, and need not be 2."""
    return x * 2


@mistake
def plus(x, factor=2.0):
    """You add the factor."""
    return x + factor


scaled.mistakes = tuple(mistake)
lesson = Lesson("made_up", scaled)


def judged(answer):
    expected = Expected(scaled, 0)
    return judge(expected, observe(expected.task, answer))


def test_a_mistake_is_named_where_it_explains_every_part():
    def answer(x, factor=2.0):
        return x.abs() * factor

    assert judged(answer).mistakes == ["absolute"]


def test_the_same_numbers_with_other_code_get_another_name_or_none():
    def answer(x, factor=2.0):
        return (x**2).sqrt() * factor

    assert judged(answer).mistakes == []
    assert "abs" not in str(lesson.check("scaled", answer))


def test_a_mistake_that_breaks_a_right_part_is_not_named():
    def answer(x, factor=2.0):
        return torch.where(x < 0, x + factor, x * factor) if (x < 0).all() else x * factor

    assert judged(answer).mistakes == []
    assert "You add the factor." not in str(lesson.check("scaled", answer))


def test_a_mistake_that_explains_most_but_not_all_is_told_with_care():
    def answer(x, factor=2.0):
        return x + factor if factor == 2.0 else x + 1

    judgement = judged(answer)
    assert judgement.mistakes == []
    text = str(lesson.check("scaled", answer))
    assert "This mistake gives the same numbers; see whether it is yours: You add the factor." in text


def test_advice_whose_condition_does_not_hold_is_not_given():
    assert fits(scaled.mistakes[0], "y = x.abs()") and not fits(scaled.mistakes[0], "y = abs(x)")
    assert fits(scaled.mistakes[2], "x * 2") and not fits(scaled.mistakes[2], "x * factor")


def test_a_part_that_is_switched_on_again_is_not_told_to_be():
    def freeze(model, keep="head"):
        for parameter in model.parameters():
            parameter.requires_grad_(False)
        for parameter in model.head.parameters():
            parameter.requires_grad_(True)
        return sum(p.numel() for p in model.parameters() if p.requires_grad)

    score = transfer_learning.check("freeze", freeze)
    assert "never uses its argument `keep`" in str(score) and "switch it on again" not in str(score)


def test_another_kind_of_box_is_another_slip():
    def pad_batch(sequences, pad=0):
        longest = max(map(len, sequences))
        return np.array([row + [pad] * (longest - len(row)) for row in sequences])

    score = embedding.check("pad_batch", pad_batch)
    assert "numpy.ndarray" in str(score) and score.report.judgement.mistakes == []


@pytest.mark.parametrize(
    ("mistake", "code"),
    [
        ("longest_is_a_list", "longest = max((len(row) for row in sequences))"),
        ("up_to_the_first", "row + [0] * (longest - len(row))"),
    ],
)
def test_a_condition_is_not_met_by_a_word_that_only_looks_alike(mistake, code):
    found = {mistake.key: mistake for mistake in embedding.exercises["pad_batch"].mistakes}
    assert not fits(found[mistake], code)


def test_an_argument_that_is_never_read_is_told_first():
    def answer(x, factor=2.0):
        return x * 2

    lines = str(lesson.check("scaled", answer)).splitlines()
    assert lines[1].strip() == "Your code never uses its argument `factor`, so this argument changes nothing."


def test_an_argument_of_its_own_is_no_concern():
    def answer(x, factor=2.0, verbose=False):
        return x + factor

    assert judged(answer).notes == ()


@pytest.mark.parametrize(
    "kind",
    [lambda y: y.tolist(), lambda y: y.double(), lambda y: y.numpy(), lambda y: list(y)],
)
def test_right_numbers_in_the_wrong_kind_cost_one_part(kind):
    def answer(x, factor=2.0):
        return kind(x * factor)

    score = lesson.check("scaled", answer)
    assert score == 3
    assert "✗ wrong: scales" in str(score)


def test_wrong_numbers_in_the_wrong_kind_are_wrong():
    assert lesson.check("scaled", lambda x, factor=2.0: (x * 5).tolist()) == 0


moded = Exercise("Layer", points=2, returns=("output: row",), hints=[], examples=[])


@moded.reference
class Reference(nn.Module):
    def __init__(self, dropout=0.0):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(x * self.weight)


@moded.part("multiplies", points=1)
def multiplies(build, inputs):
    return {"output: row": build()(inputs.normal(4))}


@moded.part("drops everything", points=1)
def drops(build, inputs):
    layer = build(dropout=1.0)
    return {"output: row": layer(inputs.normal(4)), "evaluating: row": layer.eval()(inputs.normal(4))}


layers = Lesson("made_up", moded)


class Layer(nn.Module):
    def __init__(self, dropout=0.0):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(x * self.scale)


def test_a_layer_may_depend_on_the_mode_where_the_reference_does():
    assert layers.check("Layer", Layer) == 2


def test_a_layer_is_called_in_evaluation_mode_too():
    class Idle(Layer):
        def forward(self, x):
            return super().forward(x) if self.training else x

    score = layers.check("Layer", Idle)
    assert score < 2 and "In evaluation mode" in str(score)


def test_the_example_of_a_layer_whose_modes_differ_calls_it_in_both(capsys):
    class Idle(nn.Module):
        def __init__(self, d_model, eps=1e-5):
            super().__init__()
            self.weight, self.bias = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))
            self.eps = eps

        def forward(self, x):
            centered = x - x.mean(dim=-1, keepdim=True)
            normed = centered / (centered.square().mean(dim=-1, keepdim=True) + self.eps).sqrt()
            return normed * self.weight + self.bias if self.training else x

    example = norms.score("LayerNorm", Idle).report.judgement.example
    assert example is not None
    torch.set_printoptions(profile="default")
    exec(example.cell, {"torch": torch, "LayerNorm": Idle})
    training, evaluation = capsys.readouterr().out.splitlines()
    assert "0.7050, 0.1086" in training
    assert "0., 4." in evaluation


def test_an_error_in_evaluation_mode_is_told_as_such():
    class Training(Layer):
        def forward(self, x):
            if not self.training:
                raise ValueError("not ready")
            return super().forward(x)

    text = str(layers.check("Layer", Training))
    assert (
        "In evaluation mode (after `.eval()`), but not in training mode, your layer raises ValueError" in text
    )


@pytest.mark.parametrize(("change", "told"), [("noise", "is random"), ("state", "the first changes")])
def test_random_and_changing_layers_are_told_apart(change, told):
    class Restless(Layer):
        def forward(self, x):
            if change == "state":
                self.scale.data *= 2
            return super().forward(x) + (torch.rand(1) if change == "noise" else 0)

    assert told in str(layers.check("Layer", Restless))


def test_the_parts_of_a_module_are_in_their_old_modes_after_a_check():
    seen = []

    class Frozen(Layer):
        def forward(self, x):
            self.dropout.eval()
            seen.append(self.training)
            return super().forward(x)

    layers.check("Layer", Frozen)
    assert {True, False} <= set(seen)
