"""For eyes that see little, or no colors."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from contrast import contrast

from course_lib.authoring.build import lessons
from course_lib.exercises.start_here import check, hint, progress
from course_lib.plots.figure import INK, LINES, STYLE, WEIGHTS, ink
from course_lib.plots.words import COLORS

HUES = "red|green|blue|orange|yellow|purple|violet|brown|pink|gray|grey|black|white"


@pytest.mark.parametrize(
    "color, background, expected", [("black", "white", 21), ("white", "white", 1), ("#767676", "white", 4.54)]
)
def test_contrast_is_that_of_wcag(color, background, expected):
    assert contrast(color, background) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("weight", np.linspace(0, 1, 101))
def test_numbers_in_cells_can_be_read(weight):
    assert contrast(ink(weight), plt.get_cmap(WEIGHTS)(weight)) >= 4.5


def test_words_and_lines_of_figures_can_be_read():
    used = {STYLE[name] for name in INK} | {color for _, color in LINES} | set(COLORS)
    assert min(contrast(color, STYLE["figure.facecolor"]) for color in used) >= 4.5


def shown():
    """The html that a learner meets: each outcome of a check, a hint, the progress."""

    def right(scores):
        exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        return exponentials / exponentials.sum(dim=-1, keepdim=True)

    def stub(scores):
        raise NotImplementedError()

    answers = [right, lambda scores: scores, None, stub]
    panels = [check("softmax", answer) for answer in answers] + [hint("softmax"), progress()]
    return [panel._repr_html_() for panel in panels]


def test_the_theme_chooses_the_colors_of_words():
    for markup in shown():
        assert not re.search(r"(?<![-\w])(?:color|background(?:-color)?)\s*:", markup)


def test_outcomes_differ_in_a_word_and_a_mark():
    heads = [re.search(r"<b>(.*?)</b>", markup)[1] for markup in shown()[:4]]
    assert [head.split(" ")[0] for head in heads] == ["✓", "✗", "✗", "○"]
    assert [re.search(r": (right|wrong|not attempted),", head)[1] for head in heads] == [
        "right", "wrong", "wrong", "not attempted",
    ]  # fmt: skip


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_prose_points_at_nothing_by_its_color(path):
    told = "\n".join(line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#"))
    told = told.replace("\n# ", " ")
    assert (
        re.findall(rf"\b(?:{HUES}) (?:line|curve|bar|dot|cell|point|word|cross|square|area)s?\b", told) == []
    )
