"""Explorers: figures that Python computes again for each choice. (`plots.attention_view` needs no Python.)

Each displays one static figure first, so that a notebook can be read without a kernel, and returns controls:
make them the last expression of a cell. Works with ipywidgets 7 and 8.

By keyboard: Tab goes from control to control, Space opens a list (JupyterLab keeps the arrow keys of a closed
one for itself), arrow keys count a number up and down.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import torch
from IPython.display import clear_output, display
from ipywidgets import BoundedIntText, Checkbox, Dropdown, HBox, Output, VBox
from torch import Tensor

from course_lib import plots
from course_lib.language import say_heading
from course_lib.plots import diagrams


def sampling_explorer(
    logits: Mapping[str, torch.Tensor], words: Sequence[str], sample: Callable[..., tuple], shown: int = 12
) -> VBox:
    """The likeliest next words of each beginning, and what temperature, top-k and top-p make of them.

    logits: for each beginning the scores (vocab,) of all words. sample(logits, temperature, top_k, top_p) is
    called as in lesson 08: on logits (1, vocab), and its second result are the probabilities.
    """

    def draw(beginning: str, temperature: float, top_k: int | None, top_p: float | None) -> plots.Picture:
        before, ids = logits[beginning].softmax(dim=-1).topk(shown)
        _, after = sample(logits[beginning][None], temperature, top_k, top_p)
        names = [words[int(i)] for i in ids]
        return plots.show(plots.choice_bars(names, before, after[0, ids], title=f"{beginning} ..."))

    controls = {
        "beginning": _dropdown(say_heading("beginning"), logits),
        "temperature": _dropdown(say_heading("temperature"), [0.3, 0.5, 1.0, 1.5, 2.0]),
        "top_k": _dropdown_with_all("top-k", [1, 3, 5, 10]),
        "top_p": _dropdown_with_all("top-p", [0.5, 0.8, 0.95]),
    }
    controls["beginning"].value, controls["temperature"].value = next(iter(logits)), 1.0
    return _explorer(draw, controls)


def clock_explorer(encoding: Tensor) -> VBox:
    """The hands of a positional encoding `(seq, d_model)` at a position and some places on, or back."""
    last = len(encoding) - 1

    def draw(position: int, places: int) -> plots.Picture | None:
        end = position + places
        if 0 <= end <= last:
            return diagrams.moved_clocks(encoding, position, places).picture()
        print(
            say_heading(f"{places} places from {position} is {end}: the encoding has positions 0 to {last}.")
        )
        return None

    options = {"continuous_update": False, "layout": {"width": "auto"}}
    position = BoundedIntText(0, min=0, max=last, description=say_heading("position"), **options)
    places = BoundedIntText(3, min=-last, max=last, description=say_heading("shift"), **options)
    return _explorer(draw, {"position": position, "places": places})


def switches(names: Iterable[str], draw: Callable[[list[str]], plots.Picture]) -> VBox:
    """What `draw` prints and draws of the names that are switched on; at first none is."""

    def drawn(**on: bool) -> plots.Picture:
        return draw([name for name, chosen in on.items() if chosen])

    layout = {"width": "auto"}
    boxes = {name: Checkbox(False, description=name, indent=False, layout=layout) for name in names}
    return _explorer(drawn, boxes)


def _explorer(draw: Callable[..., plots.Picture | None], controls: dict) -> VBox:
    """Displays a figure, and gives controls, below which another one stands as soon as one is changed."""

    def redraw() -> None:
        if picture := draw(**{name: control.value for name, control in controls.items()}):
            display(picture)

    def change(_: dict) -> None:
        with changed:
            clear_output(wait=True)
            redraw()

    redraw()
    changed = Output()
    for control in controls.values():
        control.style.description_width = "initial"  # whole words
        control.observe(change, "value")
    row = HBox(list(controls.values()), layout={"flex_flow": "row wrap"})
    return VBox([row, changed])


def _dropdown(description: str, options) -> Dropdown:
    pairs = [(str(option), option) for option in options]
    return Dropdown(options=pairs, description=description, layout={"width": "auto"})  # whole sentences


def _dropdown_with_all(description: str, options) -> Dropdown:
    """The first choice sets no limit: its value is None."""
    pairs = [(say_heading("all"), None), *((str(option), option) for option in options)]
    return Dropdown(options=pairs, description=description, layout={"width": "auto"})
