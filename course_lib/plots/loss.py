"""Loss curves, after training and while it runs."""

import time
from collections.abc import Sequence
from typing import Protocol

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from course_lib.language import say_heading, say_list

from .figure import LINES, STYLE, Picture, array, describe, panel, show
from .runs import draw_runs


class TrainingRun(Protocol):
    """What a loss curve is drawn from, for instance what `train` returns; validation may be empty."""

    steps: Sequence[int]
    losses: Sequence[float]
    validation_steps: Sequence[int]
    validation_losses: Sequence[float]


def loss_curves(
    runs: Sequence[TrainingRun], ax: Axes | None = None, title: str | None = None, log: bool = False
) -> Axes:
    """Training and validation loss against steps; several runs (seeds) are thin lines with their median.

    The median covers the steps that all runs have reached. `log` makes the loss axis logarithmic.
    """
    if not any(len(run.steps) for run in runs):
        raise ValueError(f"expected at least one run with a loss, got {len(runs)} runs without any")
    training = [(array(run.steps), array(run.losses)) for run in runs]
    validation = [(array(run.validation_steps), array(run.validation_losses)) for run in runs]
    curves = {say_heading("training"): training, say_heading("validation"): validation}
    ax = ax or panel(width=5.2)
    facts = []
    with plt.rc_context(STYLE):
        for (name, every), (dashes, color) in zip(curves.items(), LINES, strict=False):
            if drawn := [curve for curve in every if len(curve[0])]:
                facts.append(_draw(ax, name, drawn, dashes, color))
        ax.set(xlabel="step", ylabel="loss", title=title)
        if log:
            _make_logarithmic(ax)
        ax.grid(color="0.9")
        ax.legend(frameon=False)
    return describe(ax, say_list([f"{title or say_heading('Loss')}.", *facts], " "))


class LiveLoss:
    """Called with the run now and then while a model trains, it keeps one figure in the notebook current.

    It draws at most once in `every` seconds (a figure takes about 0.1 s), and at the end, which is when
    `run.stopped` is not empty. Outside notebooks it does nothing.
    """

    def __init__(self, every: float = 1.0, log: bool = False) -> None:
        self.every, self.log = every, log
        self.next = 0.0
        self.handle = None

    def __call__(self, run: TrainingRun) -> None:
        due = time.monotonic() >= self.next or bool(getattr(run, "stopped", ""))
        if not due or not len(run.steps) or not _in_notebook():
            return
        self._display(show(loss_curves([run], log=self.log)))
        self.next = time.monotonic() + self.every

    def _display(self, picture: Picture) -> None:
        if self.handle is None:
            from IPython.display import display  # not needed outside notebooks, and slow to import

            self.handle = display(picture, display_id=True)
        else:
            self.handle.update(picture)


def _in_notebook() -> bool:
    """Whether a Jupyter kernel (Colab's too) runs this; a terminal's IPython has no kernel."""
    try:
        # IPython puts it among the builtins
        return get_ipython().kernel is not None  # pyright: ignore[reportUndefinedVariable]
    except (NameError, AttributeError):
        return False


def _draw(ax: Axes, name: str, curves: list[tuple[np.ndarray, np.ndarray]], dashes: str, color: str) -> str:
    """Draw one kind of loss, and say in a sentence how it went."""
    if len(curves) > 1:
        name = f"{name}, median of {len(curves)} runs"
    steps, losses = draw_runs(ax, name, curves, dashes, color)
    name = name[0].upper() + name[1:]
    text = f"{name}: {losses[0]:.3g} at step {steps[0]:g}"
    return f"{text}, {losses[-1]:.3g} at step {steps[-1]:g}." if len(steps) > 1 else f"{text}."


def _make_logarithmic(ax: Axes) -> None:
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.yaxis.set_major_formatter("{x:g}")  # 0.2 rather than 2 x 10^-1
    ax.yaxis.set_minor_formatter("")
