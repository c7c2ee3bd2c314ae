"""choice_bars: lengths are chances, what was removed is told; and the controls move the bars."""

import pytest
import torch

from course_lib import plots, widgets
from course_lib.language import speaking


def sample(logits, temperature=1.0, top_k=None, top_p=None):
    """Temperature and top-k alone."""
    logits = logits / temperature
    if top_k is not None:
        logits = logits.masked_fill(logits < logits.topk(top_k).values[:, -1:], -torch.inf)
    return None, logits.softmax(dim=-1)


def test_bars_are_the_chances_and_what_is_removed_is_hatched():
    ax = plots.choice_bars(["tea", "milk"], [0.6, 0.4], torch.tensor([1.0, 0.0]))
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([1, 0.6, 0, 0.4])
    assert [bar.get_hatch() for bar in ax.patches][1::2] == ["", "///"]
    assert "tea 0.60 to 1.00; milk 0.40, removed." in plots.show(ax).alt


@pytest.mark.parametrize("chances", [[], [0.5]])
def test_chances_that_do_not_fit_the_words_are_told(chances):
    with pytest.raises(ValueError, match="for each word"):
        plots.choice_bars(["tea", "milk"], chances, chances)


def test_every_control_moves_the_bars(monkeypatch):
    shown = []
    monkeypatch.setattr(widgets, "display", shown.append)
    logits = {"i drink": torch.tensor([2.0, 1.0, 0.0]), "we": torch.tensor([0.0, 0.0, 3.0])}
    explorer = widgets.sampling_explorer(logits, ["tea", "milk", "go"], sample, shown=3)
    row = {control.description: control for control in explorer.children[0].children}
    seen = [shown[-1].alt]
    for name, value in {"top-k": 1, "temperature": 2.0, "beginning": "we"}.items():
        row[name].value = value
        seen.append(shown[-1].alt)
    assert "removed" not in seen[0] and "milk 0.24, removed" in seen[1]
    row["top-k"].value = None
    assert "go 0.91 to 0.69" in shown[-1].alt


def test_a_choice_without_a_limit_is_said(monkeypatch):
    monkeypatch.setattr(widgets, "display", lambda picture: None)
    with speaking("zh_CN"):
        explorer = widgets.sampling_explorer({"i": torch.ones(3)}, ["tea", "milk", "go"], sample, shown=3)
    limits = {control.description: control.options[0] for control in explorer.children[0].children[2:]}
    assert limits == {"top-k": ("全部", None), "top-p": ("全部", None)}
