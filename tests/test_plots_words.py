"""The map of words: points with their words, kinds that differ without color, and what it says of itself."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from course_lib import plots
from course_lib.plots.words import COLORS, MARKERS

GROUPS = {"animals": ["cat", "dog", "bird"], "drinks": ["tea", "milk"]}
POINTS = torch.tensor([[0.0, 0.0], [0.1, 0.0], [0.9, 1.0], [1.0, 1.0], [1.0, 0.95]])


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    yield
    plt.close("all")


def test_words_stand_at_their_points():
    ax = plots.word_map(POINTS.clone().requires_grad_(), GROUPS, title="five words")
    written = {text.get_text(): text.xy for text in ax.texts if text.get_text()}
    assert list(written) == ["cat", "dog", "bird", "tea", "milk"]
    assert np.allclose(written["bird"], [0.9, 1.0])
    assert [len(dots.get_offsets()) for dots in ax.collections] == [3, 2]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["animals", "drinks"]
    assert (ax.get_xlabel(), ax.get_title()) == ("first principal axis", "five words")


def test_words_do_not_cover_each_other():
    close = torch.tensor([[0.0, 0.0], [0.01, 0.0], [0.0, 0.01], [1.0, 1.0], [1.0, 0.99]])
    ax = plots.word_map(close, GROUPS)
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts if text.get_text()]
    for i, box in enumerate(boxes):
        assert box.count_overlaps(boxes[:i]) == 0


def test_a_word_far_from_its_point_is_tied_to_it():
    same = torch.zeros(8, 2)
    ax = plots.word_map(same, {"names": [f"a long name, {i}" for i in range(8)]})
    assert any(text.arrow_patch is not None for text in ax.texts)


def test_alt_text_counts_neighbors_of_the_same_kind():
    alt = plots.show(plots.word_map(POINTS, GROUPS)).alt
    assert alt == (
        "Map of words, 5 words of 2 kinds. The nearest neighbor in the map is of the same kind for 4 of "
        "them. animals: cat, dog, bird; drinks: tea, milk."
    )


def test_what_does_not_fit_is_named():
    with pytest.raises(ValueError, match=r"points: expected \(words 5, 2\), got \(4, 2\)"):
        plots.word_map(POINTS[:4], GROUPS)
    with pytest.raises(ValueError, match="at most 8 can be told apart, got 9"):
        plots.word_map(torch.zeros(9, 2), {str(i): ["word"] for i in range(9)})


def test_kinds_differ_without_color_and_words_are_dark_enough_to_read():
    assert len(set(MARKERS)) == len(set(COLORS)) == len(MARKERS) == len(COLORS)
    for color in COLORS:
        channels = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        luminance = linear @ [0.2126, 0.7152, 0.0722]
        assert 1.05 / (luminance + 0.05) > 4.5
