"""share_bars: the lengths that are drawn are the counts, and the alt text tells them."""

import pytest

from course_lib import plots


def test_bars_are_shares_of_their_totals():
    ax = plots.share_bars({"games": (1, 20), "modifier": (3, 4)}, "percent of pairs", title="whose sense")
    assert [bar.get_width() for bar in ax.patches] == [100, 5, 100, 75]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["games", "modifier"]
    assert "games: 1 of 20; modifier: 3 of 4." in plots.show(ax).alt


@pytest.mark.parametrize("counts", [{}, {"a": (3, 2)}, {"a": (0, 0)}])
def test_impossible_counts_are_told(counts):
    with pytest.raises(ValueError, match="expected at least one"):
        plots.share_bars(counts, "percent")
