"""Explorers: each control redraws the right figure, once; and a figure stands there without a kernel."""

import re

import ipywidgets
import nbformat
import pytest
import torch
from notebook_client import NotebookClient

from course_lib import plots, widgets
from course_lib.model.positions import sinusoidal_encoding
from course_lib.text import Pair
from course_lib.translation.interventions import heads_off
from course_lib.translation.translator import Translator

SOURCE, TARGET = ["i", "am", "late"], ["我", "迟到", "了", "<eos>"]


def attention(queries, keys, layers=2, heads=3):
    """Weights that differ in every layer and head."""
    torch.manual_seed(len(queries) + 10 * len(keys))
    weights = torch.randn(layers, heads, len(queries), len(keys)).softmax(dim=-1)
    return plots.Attention(weights, queries, keys)


def kinds(source=SOURCE, target=TARGET, decoder_layers=2):
    return {
        "encoder": attention(source, source),
        "decoder": attention(target, target, decoder_layers),
        "cross": attention(target, source, decoder_layers),
    }


def decoding(source=SOURCE, target=TARGET):
    vocabulary = sorted({*target, "他"})
    probabilities = torch.full((len(target), len(vocabulary)), 1 / len(vocabulary))
    return plots.Decoding(source, target, attention(target, source).weights[0, 0], probabilities, vocabulary)


@pytest.fixture
def displayed(monkeypatch):
    """Alt texts of the pictures displayed so far."""
    pictures = []
    monkeypatch.setattr(widgets, "display", lambda picture: pictures.append(picture.alt))
    return pictures


def controls(explorer):
    return {control.description: control for control in explorer.children[0].children}


def test_the_attention_explorer_shows_all_maps_first_and_then_one(displayed):
    explorer = widgets.attention_explorer({"i am late": kinds()})
    assert len(displayed) == 2
    assert displayed[0].startswith("i am late: encoder: attention maps of 2 layers by 3 heads.")
    assert displayed[1].startswith("i am late: encoder, layer 0, mean of heads: attention map")
    assert list(controls(explorer)) == ["sentence", "kind", "layer", "head"]


def test_every_control_of_the_attention_explorer_draws_its_map(displayed):
    sentences = {"i am late": kinds(), "am i": kinds(["am", "i"], ["我", "吗"])}
    chosen = controls(widgets.attention_explorer(sentences))
    displayed.clear()
    for name, value in {"head": 2, "layer": 1, "kind": "cross", "sentence": "am i"}.items():
        chosen[name].value = value
    assert len(displayed) == 4, "one figure for each change"
    weights, queries, keys, _ = sentences["am i"]["cross"]
    title = "am i: cross, layer 1, head 2"
    expected = plots.show(plots.attention_map(weights[1][2], queries, keys, title=title))
    assert displayed[-1] == expected.alt
    chosen["head"].value = widgets.MEAN
    title = "am i: cross, layer 1, mean of heads"
    expected = plots.show(plots.attention_map(weights[1].mean(dim=0), queries, keys, title=title))
    assert displayed[-1] == expected.alt


def test_a_switch_tells_what_comes_out_without_a_head(displayed, capsys):
    asked = []

    def without(sentence, kind, layer, heads):
        asked.append((sentence, kind, layer, list(heads)))
        return "我 迟到" if heads else "我 迟到 了"

    chosen = controls(widgets.attention_explorer({"i am late": kinds(decoder_layers=1)}, without))
    assert list(chosen) == ["sentence", "kind", "layer", "head", "switch"]
    assert asked == [("i am late", "encoder", 0, [])]
    before = "With every head: 我 迟到 了\n"
    assert capsys.readouterr().out.endswith(before)
    chosen["switch"].value = "off"
    assert asked[2:] == [("i am late", "encoder", 0, [0, 1, 2])]
    assert capsys.readouterr().out.endswith(f"{before}With all heads of this layer off: 我 迟到\n")
    chosen["head"].value = 2
    chosen["layer"].value = 1
    assert asked[-1] == ("i am late", "encoder", 1, [2])
    assert capsys.readouterr().out.endswith(f"{before}With head 2 off: 我 迟到\n")
    count = len(asked)
    chosen["kind"].value = "cross"
    assert len(asked) == count, "there is no such layer"


def test_a_translation_is_explored_with_and_without_its_heads(displayed, capsys):
    torch.manual_seed(0)
    pairs = [Pair(("i", "am", "late"), ("我", "迟到", "了"))]
    translator = Translator.for_pairs(pairs, d_model=8, heads=2, d_ff=8)
    box = widgets.translation_explorer(translator, ["i am late"])
    controls = {control.description: control for control in box.children[0].children}
    assert [label for label, _ in controls["kind"].options] == ["cross", "encoder", "decoder"]
    assert "i am late" in displayed[0]
    controls["switch"].value = "off"
    with heads_off(translator.model, [("cross", 0, 0), ("cross", 0, 1)]):
        expected = " ".join(translator("i am late"))
    assert f"With all heads of this layer off: {expected}" in capsys.readouterr().out


def test_a_missing_layer_is_named(displayed, capsys):
    chosen = controls(widgets.attention_explorer({"i am late": kinds(decoder_layers=1)}))
    displayed.clear()
    chosen["layer"].value = 1
    chosen["kind"].value = "cross"
    assert len(displayed) == 1
    assert capsys.readouterr().out.endswith("i am late: cross has layers 0 to 0: there is no layer 1.\n")


def test_the_decoding_explorer_shows_all_steps_first_and_then_one(displayed):
    chosen = controls(widgets.decoding_explorer({"i am late": decoding()}))
    assert re.findall(r"Step \d", displayed[0]) == [f"Step {step}" for step in (1, 2, 3, 4)]
    assert re.findall(r"Step \d", displayed[1]) == ["Step 1"]
    chosen["step"].value = 3
    assert "Step 3: after <bos> 我 迟到 it looks" in displayed[2]


def test_a_shorter_sentence_takes_the_step_along(displayed):
    sentences = {"i am late": decoding(), "go": decoding(["go"], ["走", "<eos>"])}
    chosen = controls(widgets.decoding_explorer(sentences))
    chosen["step"].value = 4
    chosen["sentence"].value = "go"
    assert (chosen["step"].max, chosen["step"].value) == (2, 2)
    assert "Decoding 'go'" in displayed[-1] and "Step 2" in displayed[-1]
    chosen["sentence"].value = "i am late"
    assert (chosen["step"].max, chosen["step"].value) == (4, 2)


def test_clocks_are_moved_from_a_position_by_a_step(displayed, capsys):
    explorer = widgets.clock_explorer(sinusoidal_encoding(20, 8))
    position, places = controls(explorer).values()
    assert displayed[0].startswith("Clocks at positions 0 and 3.")
    assert displayed[1].startswith("Clocks at positions 1 and 4.")
    position.value = 7
    turns = [alt.split("turn: ")[1] for alt in displayed]
    assert displayed[2].startswith("Clocks at positions 7 and 10.") and len(set(turns)) == 1
    places.value = -3
    assert displayed[3].startswith("Clocks at positions 7 and 4.") and "by -172°" in displayed[3]
    places.value = 13
    assert len(displayed) == 4
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
        lambda: widgets.attention_explorer({"i am late": kinds()}),
        lambda: widgets.attention_explorer({"i am late": kinds()}, lambda *head: "我"),
        lambda: widgets.decoding_explorer({"i am late": decoding()}),
        lambda: widgets.switches(["no mask"], drawn),
        lambda: widgets.clock_explorer(sinusoidal_encoding(20, 8)),
    ],
    ids=["attention", "attention with a switch", "decoding", "switches", "clocks"],
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
from course_lib.translation.interventions import heads_off
from course_lib.model.positions import sinusoidal_encoding
from course_lib.text import Pair
from course_lib.translation.translator import Translator
live = plots.LiveLoss(every=0)
for n in (1, 2, 3):
    live(SimpleNamespace(steps=[*range(n)], losses=[1.0] * n, validation_steps=[], validation_losses=[]))
---
cross = plots.Attention(torch.full((2, 3, 4, 5), 0.2), list("abcd"), list("vwxyz"))
explorer = widgets.attention_explorer({"vwxyz": {"cross": cross}})
explorer.children[0].children[2].value = 1
explorer
---
written = plots.Decoding(["x"], ["a", "b"], torch.ones(2, 1), torch.eye(2), ["a", "b"])
explorer = widgets.decoding_explorer({"x": written})
explorer.children[0].children[1].value = 2
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
    for (static, widget), (alt,), fact in zip(explorers, drawn, ("cross, layer 1", "Step 2"), strict=True):
        assert static["text/html"].startswith("<img alt=")
        assert "application/vnd.jupyter.widget-view+json" in widget
        assert fact in alt


def test_sentences_must_be_there_and_alike():
    for explorer in (widgets.attention_explorer, widgets.decoding_explorer):
        with pytest.raises(ValueError, match="at least one sentence"):
            explorer({})
    with pytest.raises(
        ValueError, match=r"in 'b': expected \['encoder', 'decoder', 'cross'\], got \['cross'\]"
    ):
        widgets.attention_explorer({"a": kinds(), "b": {"cross": kinds()["cross"]}})
