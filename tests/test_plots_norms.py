"""Which numbers share one mean, and the losses of several runs."""

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_rgba

from course_lib import plots
from course_lib.plots.figure import DARK


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    yield
    plt.close("all")


def dark_cells(ax):
    """(row, column) of the dark cells, rows counted without the gaps between sentences of 3 tokens."""
    rows = [
        (round(cell.get_y() + 0.45), round(cell.get_x() + 0.45))
        for cell in ax.patches
        if cell.get_facecolor() == to_rgba(DARK)
    ]
    return [(row - row // 4, column) for row, column in rows]


def test_layer_norm_is_a_row_and_batch_norm_a_column():
    layer = plots.norm_axes([3, 1], 4, "layer", at=(1, 0, 2))
    assert dark_cells(layer) == [(3, column) for column in range(4)]
    batch = plots.norm_axes([3, 1], 4, "batch", at=(1, 0, 2))
    assert dark_cells(batch) == [(row, 2) for row in range(6)]
    assert sum(bool(cell.get_hatch()) for cell in batch.patches) == 2 * 4  # two padded tokens
    assert plots.show(layer).alt == (
        "LayerNorm: one mean and one variance for each token, here token 0 of sentence 1: "
        "they are taken over 4 numbers."
    )
    assert plots.show(batch).alt == (
        "BatchNorm: one mean and one variance for each feature, here feature 2: "
        "they are taken over 6 numbers, 2 of them padding."
    )


def test_no_other_norm_is_known():
    with pytest.raises(ValueError, match="kind: expected one of"):
        plots.norm_axes([1], 2, "group")


def test_runs_are_thin_lines_with_their_median():
    ax = plots.runs({"a": [[3, 1], [5, 3], [4, 2]], "b": [[1, 1]]}, "loss", title="two")
    *thin, median, only = ax.lines
    assert len(thin) == 3 and list(median.get_ydata()) == [4, 2]
    assert list(only.get_ydata()) == [1, 1]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    assert plots.show(ax).alt == "two. a: at step 2 1 to 3 in 3 runs. b: at step 2 1."


def test_runs_are_smoothed():
    ax = plots.runs({"a": [[4, 2, 0, 2]]}, "loss", smooth=2)
    assert list(ax.lines[-1].get_xdata()) == [2, 3, 4]
    assert list(ax.lines[-1].get_ydata()) == [3, 1, 1]


def test_no_runs_are_an_error():
    with pytest.raises(ValueError, match="at least one group of runs, got none"):
        plots.runs({}, "loss")
