"""The text of an answer runs in another place than its notebook, or it is said why there is none."""

import pytest
import torch
from cells import run_cell

from course_lib import exercises
from course_lib.checks.pieces import LESSON_OF, NoTextError, needs, renamed, text_of


def notebook(*cells):
    """The names that these cells define."""
    names = {"__name__": "__main__"}
    for cell in cells:
        run_cell(names, cell)
    return names


def elsewhere(name, *cells, **given):
    """What the text of an answer defines where there is nothing else but `given`."""
    text = text_of(name, notebook(*cells)[name])
    names = dict(given)
    exec(compile(text, "<elsewhere>", "exec"), names)
    return names[name], text


def test_imports_constants_and_helpers_come_along_and_other_things_do_not():
    mean, text = elsewhere(
        "masked_mean",
        "import math\nimport torch.nn.functional as F\nfrom math import sqrt as root\nfrom torch import nn",
        "LEAST, unused = 1e-3, 5\nsizes = {'a': (1, 2)}\ninfinity = float('inf')",
        "def helper(x):  # kept with its comment\n    return root(x) + sizes['a'][0] + len([infinity])",
        "def masked_mean(x, mask):\n    '''Its docstring.'''\n"
        "    return F.relu(nn.Identity()(x)) + helper(4) + LEAST",
    )
    assert mean(torch.zeros(1), None).item() == pytest.approx(4.001)
    assert "# kept with its comment" in text and "Its docstring." in text
    assert "unused" not in text and "import math\n" not in text


def test_a_class_brings_its_bases_defaults_and_decorators():
    layer, _ = elsewhere(
        "LayerNorm",
        "import functools\nimport torch\nfrom torch import Tensor, nn\nSMALL = 2.0",
        "def twice(f):\n    @functools.wraps(f)\n    def both(*a, **k):\n"
        "        return 2 * f(*a, **k)\n    return both",
        "class Base(nn.Module):\n    def forward(self, x: Tensor) -> Tensor:\n        return self.act(x)",
        "class LayerNorm(Base):\n    factor = SMALL\n    @twice\n"
        "    def act(self, x, more=SMALL):\n        return x * more * self.factor",
    )
    assert layer()(torch.ones(1)).item() == 8


def test_other_exercises_stay_names_and_a_name_of_ones_own_is_mended():
    cells = (
        "def split_heads(x, heads):\n    return x",
        "def my_merge(x):\n    return split_heads(x, 2) if x else my_merge(not x)",
    )
    text = text_of("merge_heads", notebook(*cells)["my_merge"])
    assert needs("merge_heads", text) == ["split_heads"]
    assert "def merge_heads(x)" in text and "my_merge" not in text and "def split_heads" not in text


def test_a_helper_with_the_name_of_an_earlier_lessons_exercise_comes_along():
    cells = (
        "def softmax(x):\n    return x + 1",
        "def split_heads(x, heads):\n    return softmax(x)",
        "def merge_heads(x):\n    return split_heads(softmax(x), 2)",
    )
    heads, text = elsewhere("split_heads", *cells)
    assert heads(1, 2) == 2 and "def own_softmax(x)" in text
    assert needs("merge_heads", text_of("merge_heads", notebook(*cells)["merge_heads"])) == ["split_heads"]


def test_later_exercises_are_not_needed():
    text = "def split_heads(x, train):\n    return train(x)\n"
    assert needs("split_heads", text) == []


@pytest.mark.parametrize(
    "cell",
    [
        "from torch.nn.functional import softmax",
        "import torch.nn.functional as nearest",
    ],
)
def test_what_only_has_the_name_of_an_earlier_exercise_comes_along(cell):
    name = "nearest" if "nearest" in cell else "softmax"
    call = "nearest.softmax" if "nearest" in cell else name
    pool, text = elsewhere(
        "attention_pooling", cell, f"def attention_pooling(scores):\n    return {call}(scores, dim=-1)"
    )
    assert pool(torch.zeros(2)).tolist() == [0.5, 0.5] and needs("attention_pooling", text) == []


def test_an_argument_or_a_local_name_is_no_exercise():
    text = "def causal_mask(size, nearest=1):\n    softmax = size + nearest\n    return softmax\n"
    assert needs("causal_mask", text) == []


def test_a_new_name_changes_no_argument():
    text = "eps = 2\nclass A:\n  def f(self, eps=eps):\n    return self.g(eps=eps) + self.eps, f'{A}'\n"
    expected = text.replace("eps = 2", "least = 2").replace("eps=eps):", "eps=least):").replace("A", "B")
    assert renamed(text, {"eps": "least", "A": "B"}) == expected


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (
            ["import torch\ntable = torch.ones(2)", "def softmax(x):\n    return x + table"],
            "`table` (Tensor)",
        ),
        (["softmax = lambda x: x"], "a lambda has no name to save it by. Write it with `def`"),
        (
            ["def outer():\n    def softmax(x):\n        return x\n    return softmax\nsoftmax = outer()"],
            "no definition",
        ),
        (["from functools import partial\nsoftmax = partial(max, 1)"], "no definition"),
        (["def softmax(x):\n    return forgotten(x)"], "`forgotten`, which nothing defines"),
    ],
)
def test_what_no_text_gives_is_said(cells, reason):
    with pytest.raises(NoTextError, match=None) as raised:
        text_of("softmax", notebook(*cells)["softmax"])
    assert reason in str(raised.value)


@pytest.mark.parametrize("name", [name for name, lesson in LESSON_OF.items() if lesson < "08"])
def test_every_reference_has_a_text_of_its_own(name):
    answers = {name: exercises.load(lesson).exercises[name] for name, lesson in LESSON_OF.items()}
    references = {id(answer.reference_implementation): name for name, answer in answers.items()}
    text = text_of(name, answers[name].reference_implementation, references)
    assert "course_lib" not in text
    names = {other: answers[other].reference_implementation for other in needs(name, text)}
    exec(compile(text, "<elsewhere>", "exec"), names)
    if not answers[name].ready_made:  # else PyTorch's own, which a learner may not call
        score = exercises.load(LESSON_OF[name]).score(name, names[name], trial=True)
        assert score.report.status == "right", score
