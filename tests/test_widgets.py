"""Explorers: each control redraws the right figure, once; and a figure stands there without a kernel."""

import ipywidgets
import nbformat
import pytest

from course_lib import plots, widgets
from course_lib.authoring.notebook_client import NotebookClient
from course_lib.model.positions import sinusoidal_encoding


@pytest.fixture
def displayed(monkeypatch):
    """Alt texts of the pictures displayed so far."""
    pictures = []
    monkeypatch.setattr(widgets, "display", lambda picture: pictures.append(picture.alt))
    return pictures


def controls(explorer):
    return {control.description: control for control in explorer.children[0].children}


def test_clocks_are_moved_from_a_position_by_a_step(displayed, capsys):
    explorer = widgets.clock_explorer(sinusoidal_encoding(20, 8))
    position, places = controls(explorer).values()
    assert displayed[0].startswith("Clocks at positions 0 and 3.")
    position.value = 7
    turns = [alt.split("turn: ")[1] for alt in displayed]
    assert displayed[1].startswith("Clocks at positions 7 and 10.") and len(set(turns)) == 1
    places.value = -3
    assert displayed[2].startswith("Clocks at positions 7 and 4.") and "by -172°" in displayed[2]
    places.value = 13
    assert len(displayed) == 3
    assert capsys.readouterr().out.endswith("13 places from 7 is 20: the encoding has positions 0 to 19.\n")


def drawn(names):
    return plots.show(plots.lines(range(2), {"loss": [1, 0]}, "step", "loss"), f"on: {', '.join(names)}.")


def test_each_switch_takes_part_in_what_is_drawn(displayed):
    chosen = controls(widgets.switches(["no mask", "no loss"], drawn))
    chosen["no loss"].value = True
    chosen["no mask"].value = True
    chosen["no loss"].value = False
    assert displayed[-3:] == ["on: no loss.", "on: no mask, no loss.", "on: no mask."]
    assert displayed[0] == "on: ."


@pytest.mark.parametrize(
    "explorer",
    [
        lambda: widgets.switches(["no mask"], drawn),
        lambda: widgets.clock_explorer(sinusoidal_encoding(20, 8)),
    ],
    ids=["switches", "clocks"],
)
def test_controls_have_names_and_exist_in_ipywidgets_7(explorer, displayed):
    for control in explorer().children[0].children:
        assert isinstance(control, ipywidgets.Dropdown | ipywidgets.BoundedIntText | ipywidgets.Checkbox)
        assert control.description
        assert getattr(control, "continuous_update", False) is False


CELLS = """
import torch
from types import SimpleNamespace
from course_lib import plots, widgets
from course_lib.model.positions import sinusoidal_encoding
live = plots.LiveLoss(every=0)
for n in (1, 2, 3):
    live(SimpleNamespace(steps=[*range(n)], losses=[1.0] * n, validation_steps=[], validation_losses=[]))
---
explorer = widgets.clock_explorer(sinusoidal_encoding(20, 8))
explorer.children[0].children[0].value = 7
explorer
---
draw = lambda names: plots.show(plots.lines(range(2), {"loss": [1, 0]}, "step", "loss"), f"on: {names}.")
explorer = widgets.switches(["no mask"], draw)
explorer.children[0].children[0].value = True
explorer
"""


@pytest.mark.slow
def test_a_kernel_shows_live_losses_in_place_and_explorers_below_a_static_figure():
    cells = [nbformat.v4.new_code_cell(source.strip()) for source in CELLS.split("---")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, kernel_name="python3", timeout=600).execute()
    live, *explorers = [[output.data for output in cell.outputs] for cell in cells]
    assert [data["text/plain"] for data in live] == ["Loss. Training: 1 at step 0, 1 at step 2."]
    state = notebook.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    models = [model["state"] for model in state.values() if model["model_name"] == "OutputModel"]
    drawn = [[output["data"]["text/plain"] for output in model["outputs"]] for model in models]
    for (static, widget), (alt,), fact in zip(
        explorers, drawn, ("positions 7 and 10", "on: ['no mask']"), strict=True
    ):
        assert static["text/html"].startswith("<img alt=")
        assert "application/vnd.jupyter.widget-view+json" in widget
        assert fact in alt
