"""The figure of what depends on what."""

import pytest
import torch

from course_lib import plots


def test_dots_where_an_output_depends_on_an_input():
    ax = plots.dependence_map(
        torch.tensor([[0.5, 0.0], [1e-3, 2.0]]), ["我", "是"], ["i", "am"], title="mask"
    )
    assert ax.alt == "mask. Which words an output depends on. 我 on i; 是 on i, am."
    assert ax.collections[0].get_offsets().tolist() == [[0, 0], [0, 1], [1, 1]]
    assert len(ax.patches) == 1
    assert ax.get_xlabel() == "input word" and ax.get_ylabel() == "output word"


def test_all_or_nothing_is_said_in_short():
    ax = plots.dependence_map(torch.ones(2, 3, dtype=torch.bool), "ab", "cde")
    assert ax.alt == "Which words an output depends on. Each of 2 on all 3 inputs."
    assert "a on no input" in plots.dependence_map(torch.zeros(1, 2), ["a"], ["b", "c"]).alt


def test_labels_that_do_not_fit():
    with pytest.raises(ValueError, match=r"depends has shape \(2, 3\), but there are 2 outputs and 2 inputs"):
        plots.dependence_map(torch.ones(2, 3), "ab", "cd")
