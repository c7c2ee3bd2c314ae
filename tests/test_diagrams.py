"""The base of the drawings: colors that can be read, and collisions that are found."""

import itertools

import numpy as np
import pytest
from contrast import contrast

from course_lib.plots import diagrams
from course_lib.plots.diagrams import palette


@pytest.mark.parametrize("role", [role for role in diagrams.ROLES if role != "mask"])
def test_a_roles_color_is_read_on_paper_and_ink_on_its_tints(role):
    assert contrast(diagrams.ROLES[role], diagrams.PAPER) >= 4.5
    assert contrast(diagrams.INK, diagrams.tint(role, 0.34)) >= 4.5


def test_quiet_text_is_read_on_paper_and_on_a_masks_ground():
    assert contrast(diagrams.QUIET, diagrams.PAPER) >= 4.5
    assert contrast(diagrams.QUIET, palette.HIDDEN) >= 4.5


def test_roles_differ_in_color():
    colors = [palette.to_rgb(color) for color in diagrams.ROLES.values()]
    assert all(np.abs(np.subtract(a, b)).max() > 0.2 for a, b in itertools.combinations(colors, 2))


def test_faults_are_found():
    words, under = diagrams.Label("some words"), diagrams.Label("below")
    sheet = diagrams.Sheet(diagrams.Column(words, under, gap=-6), alt="two labels too close")
    assert sheet.faults() == ["'below' overlaps 'some words'"]
    sheet = diagrams.Sheet(diagrams.Row(words, diagrams.Space(20), under), alt="a line through words")
    assert sheet.faults() == []
    sheet.arrow(words.left, under.left)
    assert sheet.faults() == ["a line runs through 'some words'"]
    sheet.note(diagrams.Point(sheet.width - 5, 20), "out")
    assert "'out' leaves the card" in sheet.faults()


def test_a_sheet_shows_itself_with_its_alt_text():
    picture = diagrams.Sheet(diagrams.Label("我 喜欢"), "title", alt="two words").picture()
    assert 'alt="two words"' in picture._repr_mimebundle_()["text/html"]
    with pytest.raises(ValueError, match="alt="):
        diagrams.Sheet(diagrams.Label("mute")).picture()


@pytest.mark.filterwarnings("error:Glyph")
def test_hanzi_in_a_bold_heading_are_drawn():
    diagrams.Sheet(diagrams.Label("a"), "你的 Transformer", alt="a heading in two scripts").picture()


def test_hidden_cells_are_hatched():
    seen = np.array([[True, False]])
    hidden = diagrams.Sheet(diagrams.Cells([["a", "b"]], seen=seen), alt="one of two is hidden")
    shown = diagrams.Sheet(diagrams.Cells([["a", "b"]]), alt="both are shown")
    assert len(hidden.axes.lines) > 0 == len(shown.axes.lines)


@pytest.mark.parametrize(
    "value, text", [(0.5, "0.5"), (-2, "−2"), (-0.001, "0"), (float("-inf"), "−∞"), (10, "10")]
)
def test_numbers_are_written_short(value, text):
    assert diagrams.number(value) == text
