"""An empty figure in the course's style, and the finished one as a picture with alt text."""

import base64
import html
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from course_lib.language import say_heading, say_phrase
from course_lib.plots import fonts

Numbers = Sequence[float] | np.ndarray | torch.Tensor
WEIGHTS = "cividis"  # perceptually uniform, and it reads in gray and with any color vision
DARK, LIGHT = "#00305a", "0.72"  # what matters, and what is beside it
LINES = (
    ("-", DARK),
    ("--", "#b4451f"),
    ("-.", "#4d7000"),
    (":", "#6b3fa0"),
)  # each dark enough on white
INK = ("text.color", "axes.labelcolor", "axes.titlecolor", "xtick.color", "ytick.color")
STYLE: dict[Any, Any] = {
    **dict.fromkeys(INK, "black"),  # a dark style sheet would write white on white
    "font.family": fonts.FAMILY,
    "font.size": 10,
    "figure.dpi": 100,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "axes.edgecolor": "0.4",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "savefig.facecolor": "auto",
    "savefig.transparent": False,
}


@dataclass(frozen=True)
class Picture:
    """A finished figure, shown with alt text (which JupyterLab drops from plain png outputs)."""

    png: bytes
    width: int  # CSS pixels; the image has twice as many
    alt: str

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        source = base64.b64encode(self.png).decode()
        alt = say_heading(self.alt)
        image = f'<img alt="{html.escape(alt)}" width="{self.width}" src="data:image/png;base64,{source}">'
        return {"text/html": image, "text/plain": alt}


def show(ax: Axes | np.ndarray, alt: str | None = None) -> Picture:
    """Display the whole figure that `ax` (one axes, or an array of them) belongs to, and close it.

    The alt text is `alt`, or what the figure's own panels say of themselves.
    """
    first: Axes = ax if isinstance(ax, Axes) else np.ravel(ax)[0]
    figure = whole_figure(first)
    alt = alt or " ".join(text for panel in figure.axes if (text := getattr(panel, "alt", "")))
    if not alt:
        raise ValueError("this figure cannot describe itself: give alt=, one sentence with its main fact")
    headings = _headings(figure)
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        text.set_text((say_heading if text in headings else say_phrase)(text.get_text()))
        # a legend that a cell makes has the machine's font, without hanzi
        if text.get_fontfamily() == plt.rcParams["font.family"]:
            text.set_fontfamily(fonts.FAMILY)
    buffer = io.BytesIO()
    with plt.rc_context(STYLE):
        figure.savefig(buffer, format="png", dpi=2 * figure.dpi, bbox_inches="tight")
    plt.close(figure)
    png = buffer.getvalue()
    return Picture(png, width=int.from_bytes(png[16:20], "big") // 2, alt=alt)


def _headings(figure: Figure) -> set[Text]:
    """Texts that are no data, even if they are one word: titles, and what is beside axes and in legends."""
    own = {text for ax in figure.axes for text in (ax.title, ax.xaxis.label, ax.yaxis.label)}
    legends = [ax.get_legend() for ax in figure.axes]
    return own | {text for legend in legends if legend for text in legend.get_texts()}


def describe(ax: Axes, text: str) -> Axes:
    """Keep the sentence with the figure's main fact in `ax.alt`, which `show` reads; returns `ax`."""
    vars(ax)["alt"] = text  # not an attribute that Axes declares
    return ax


def whole_figure(ax: Axes) -> Figure:
    """The figure of these axes, also if they are in a subfigure."""
    return ax.figure if isinstance(ax.figure, Figure) else ax.figure.figure


def grid(
    rows: int,
    columns: int,
    size: tuple[float, float],
    layout: Literal["constrained", "compressed"] = "constrained",
    **options: Any,
) -> np.ndarray:
    """Axes `(rows, columns)` of one new figure; size (width, height) in inches, options as in plt.subplots.

    pyplot does not know the figure, so none stays behind, or is shown empty, where a cell raises.
    """
    fonts.register()
    with plt.rc_context(STYLE):
        figure = FigureCanvasAgg(Figure(size, layout=layout)).figure
        return figure.subplots(rows, columns, squeeze=False, **options)


def panels(columns: int, width: float = 3.6, height: float = 3.2, **options: Any) -> np.ndarray:
    """A row of `columns` axes in one new figure; sizes in inches, options as in plt.subplots."""
    return grid(1, columns, (width * columns, height), **options)[0]


def panel(width: float, height: float = 3.2) -> Axes:
    """The axes of a new figure that has only them; sizes in inches."""
    return panels(1, width, height)[0]


def array(values) -> np.ndarray:
    """Numbers of any kind, wherever they are and whether or not they need gradients."""
    if isinstance(values, torch.Tensor):
        values = values.detach().cpu().float().numpy()
    return np.asarray(values)


def short(value: float) -> str:
    """A weight or probability as the figures write it: .25, 1.00, nan."""
    return f"{value:.2f}".removeprefix("0")


def ink(weight: float) -> str:
    """The color to write with on a cell of the map WEIGHTS, whose cell for nan is white."""
    # the map grows lighter throughout: above this black has the better contrast
    return "white" if weight <= 0.46 else "black"
