"""Loss curves: medians, logarithms, divergence, and the figure that follows a training."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_lib import plots
from course_lib.plots import loss


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    yield
    plt.close("all")


def run(steps, losses, validation=()):
    """What training reports, with validation at the same steps."""
    at = steps if validation else []
    return SimpleNamespace(
        steps=steps, losses=losses, validation_steps=at, validation_losses=list(validation), stopped=""
    )


def test_one_run_is_one_line_a_kind():
    ax = plots.loss_curves([run([10, 20], [4.0, 2.0], [5.0, 3.0])])
    assert [line.get_label() for line in ax.lines] == ["training", "validation"]
    assert plots.show(ax).alt == (
        "Loss. Training: 4 at step 10, 2 at step 20. Validation: 5 at step 10, 3 at step 20."
    )


def test_several_runs_have_a_median_where_all_of_them_are():
    runs = [run([10, 20], [4.0, 2.0]), run([10, 30], [6.0, 2.0]), run([10, 20, 25], [5.0, 4.0, 4.0])]
    ax = plots.loss_curves(runs)
    *thin, median = ax.lines
    assert len(thin) == 3 and max(line.get_linewidth() for line in thin) < median.get_linewidth()
    assert median.get_xdata().tolist() == [10, 20]
    assert median.get_ydata().tolist() == [5, 4]  # the second run is at 4 halfway
    assert "median of 3 runs" in ax.alt and "alidation" not in ax.alt


def test_losses_on_a_logarithmic_axis():
    ax = plots.loss_curves([run([10, 20], [4.0, 0.2])], log=True)
    ax.figure.canvas.draw()
    assert ax.get_yscale() == "log"
    assert {"0.2", "1", "2"} <= {label.get_text() for label in ax.get_yticklabels()}


def test_losses_that_diverge_are_drawn():
    ax = plots.loss_curves([run([1, 2], [np.nan, np.inf]), run([1, 2], [1.0, 0.5])], log=True)
    assert plots.show(ax).alt.startswith("Loss. Training, median of 2 runs: nan at step 1")


def test_losses_must_be_there():
    with pytest.raises(ValueError, match="got 1 runs without any"):
        plots.loss_curves([run([], [])])
    with pytest.raises(ValueError, match="no steps in common: one starts at 30, another ends at 20"):
        plots.loss_curves([run([10, 20], [1, 1]), run([30], [1])])


class Screen:
    """Stands for a notebook: notes what is displayed, and what is displayed in place of it."""

    def __init__(self, monkeypatch):
        self.shown, self.updates = [], []
        monkeypatch.setattr(loss, "_in_notebook", lambda: True)
        monkeypatch.setattr("IPython.display.display", self.display)

    def display(self, picture, display_id):
        assert display_id is True
        self.shown.append(picture)
        return SimpleNamespace(update=self.updates.append)


def test_live_loss_updates_one_figure_in_place(monkeypatch):
    screen, live = Screen(monkeypatch), plots.LiveLoss(every=0)
    for count in (1, 2, 3):
        live(run(list(range(count)), [1.0] * count))
    assert len(screen.shown) == 1 and len(screen.updates) == 2
    assert screen.updates[-1].alt == "Loss. Training: 1 at step 0, 1 at step 2."
    assert plt.get_fignums() == []


def test_live_loss_does_not_slow_training_but_draws_the_end(monkeypatch):
    screen, live = Screen(monkeypatch), plots.LiveLoss(every=3600)
    history = run([1, 2], [2.0, 1.0])
    for _ in range(3):
        live(history)
    assert len(screen.shown) == 1 and not screen.updates
    history.stopped = "budget"
    live(history)
    assert len(screen.updates) == 1


def test_live_loss_is_quiet_outside_notebooks(capfd):
    live = plots.LiveLoss(every=0)
    live(run([1, 2], [2.0, 1.0]))
    assert live.handle is None and capfd.readouterr() == ("", "")
