"""Explorers: the figures of `plots`, with controls that choose what is drawn.

Each displays one static figure first, so that a notebook can be read without a kernel, and returns the
widget: make it the last expression of a cell. Works with ipywidgets 7 and 8.

By keyboard: Tab goes from control to control, Space opens a list (JupyterLab keeps the arrow keys of a closed
one for itself), arrow keys count a number up and down.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import torch
from IPython.display import display
from ipywidgets import BoundedIntText, Checkbox, Dropdown, HBox, VBox, interactive_output
from torch import Tensor

from course_lib import plots
from course_lib.plots import diagrams
from course_lib.translation.interventions import heads_off
from course_lib.translation.translator import Translator

MEAN = "mean of heads"
Switch = Callable[[str, str, int, Sequence[int]], str]


def attention_explorer(
    sentences: Mapping[str, Mapping[str, plots.Attention]],
    without: Switch | None = None,
    name: str = "sentence",
) -> VBox:
    """Attention maps by sentence (or by what `name` calls it), kind, layer and head.

    sentences: for each sentence the `Attention` of each kind, for instance "encoder", "decoder" and "cross".
    without(sentence, kind, layer, heads), if given, is asked what comes out when these heads are switched
    off; then there is a switch, and below the map is the output with all heads, and without those heads.
    Above the controls are all layers and heads of the first kind of the first sentence.
    """
    kinds = _kinds(sentences)
    attentions = [attention for kinds_of in sentences.values() for attention in kinds_of.values()]
    layers = max(len(attention.weights) for attention in attentions)
    heads = max(len(layer) for attention in attentions for layer in attention.weights)

    def draw(sentence: str, kind: str, layer: int, head: int | str, switch: str = "on") -> None:
        one = head if isinstance(head, int) else None  # MEAN
        drawn = _show_map(sentences[sentence][kind], f"{sentence}: {kind}", layer, one)
        if drawn and without is not None:
            print(f"With every head: {without(sentence, kind, layer, [])}")
            if switch == "off":
                name = "all heads of this layer" if one is None else f"head {one}"
                off = range(len(sentences[sentence][kind].weights[layer])) if one is None else [one]
                print(f"With {name} off: {without(sentence, kind, layer, off)}")

    sentence = next(iter(sentences))
    display(plots.show(plots.attention_grid(*sentences[sentence][kinds[0]], title=f"{sentence}: {kinds[0]}")))
    controls = {
        "sentence": _dropdown(name, sentences),
        "kind": _dropdown("kind", kinds),
        "layer": _dropdown("layer", range(layers)),
        "head": _dropdown("head", [MEAN, *range(heads)]),
    }
    if without is not None:
        controls["switch"] = _dropdown("switch", ["on", "off"])
    return _explorer(draw, controls)


def translation_explorer(translator: Translator, sentences: Sequence[str]) -> VBox:
    """Attention maps of translations, with a switch that shows what comes out without a head."""

    def maps_of(sentence: str) -> dict[str, plots.Attention]:
        source, target, read, maps = translator.explain(sentence)
        encoder, decoder, cross = (list(layers[:, 0]) for layers in maps)
        past = torch.ones(len(read), len(read), dtype=torch.bool).tril()
        return {
            "cross": plots.Attention(cross, target, source),
            "encoder": plots.Attention(encoder, source, source),
            "decoder": plots.Attention(decoder, read, read, past),
        }

    def without(sentence: str, kind: str, layer: int, heads: Sequence[int]) -> str:
        with heads_off(translator.model, [(kind, layer, head) for head in heads]):
            return " ".join(translator(sentence))

    return attention_explorer({sentence: maps_of(sentence) for sentence in sentences}, without)


def decoding_explorer(sentences: Mapping[str, plots.Decoding]) -> VBox:
    """Decoding by sentence and step; above the controls are all steps of the first sentence."""
    if not sentences:
        raise ValueError("expected at least one sentence, got none")

    def draw(sentence: str, step: int) -> None:
        display(plots.show(plots.decoding_steps(sentences[sentence], [step])))

    first = next(iter(sentences.values()))
    display(plots.show(plots.decoding_steps(first)))
    sentence = _dropdown("sentence", sentences)
    # a slider would have no name for those who cannot see it
    step = BoundedIntText(1, min=1, max=len(first.target), description="step", continuous_update=False)

    def fit_steps(change) -> None:
        step.max = len(sentences[change["new"]].target)

    sentence.observe(fit_steps, "value")  # before the explorer's own, so that it never draws a missing step
    return _explorer(draw, {"sentence": sentence, "step": step})


def sampling_explorer(
    logits: Mapping[str, torch.Tensor], words: Sequence[str], sample: Callable[..., tuple], shown: int = 12
) -> VBox:
    """The likeliest next words of each beginning, and what temperature, top-k and top-p make of them.

    logits: for each beginning the scores (vocab,) of all words. sample(logits, temperature, top_k, top_p) is
    called as in lesson 08: on logits (1, vocab), and its second result are the probabilities.
    """

    def draw(beginning: str, temperature: float, top_k: int | None, top_p: float | None) -> None:
        before, ids = logits[beginning].softmax(dim=-1).topk(shown)
        _, after = sample(logits[beginning][None], temperature, top_k, top_p)
        names = [words[int(i)] for i in ids]
        display(plots.show(plots.choice_bars(names, before, after[0, ids], title=f"{beginning} ...")))

    draw(first := next(iter(logits)), 1.0, None, None)
    controls = {
        "beginning": _dropdown("beginning", logits),
        "temperature": _dropdown("temperature", [0.3, 0.5, 1.0, 1.5, 2.0]),
        "top_k": Dropdown(
            options=[("all", None), *((str(k), k) for k in (1, 3, 5, 10))], description="top-k"
        ),
        "top_p": Dropdown(
            options=[("all", None), *((str(p), p) for p in (0.5, 0.8, 0.95))], description="top-p"
        ),
    }
    controls["beginning"].value, controls["temperature"].value = first, 1.0
    return _explorer(draw, controls)


def clock_explorer(encoding: Tensor) -> VBox:
    """The hands of a positional encoding `(seq, d_model)` at a position and some places on, or back."""
    last = len(encoding) - 1

    def draw(position: int, places: int) -> None:
        end = position + places
        if 0 <= end <= last:
            display(diagrams.moved_clocks(encoding, position, places).picture())
        else:
            print(f"{places} places from {position} is {end}: the encoding has positions 0 to {last}.")

    display(diagrams.moved_clocks(encoding, 0, 3).picture())
    options = {"continuous_update": False, "layout": {"width": "auto"}}
    position = BoundedIntText(1, min=0, max=last, description="position", **options)
    places = BoundedIntText(3, min=-last, max=last, description="places on", **options)
    return _explorer(draw, {"position": position, "places": places})


def switches(names: Iterable[str], draw: Callable[[list[str]], plots.Picture]) -> VBox:
    """What `draw` prints and draws of the names that are switched on; at first none is."""
    display(draw([]))

    def drawn(**on: bool) -> None:
        display(draw([name for name, chosen in on.items() if chosen]))

    layout = {"width": "auto"}
    boxes = {name: Checkbox(False, description=name, indent=False, layout=layout) for name in names}
    return _explorer(drawn, boxes)


def _explorer(draw, controls: dict) -> VBox:
    row = HBox(list(controls.values()), layout={"flex_flow": "row wrap"})
    return VBox([row, interactive_output(draw, controls)])


def _dropdown(description: str, options) -> Dropdown:
    pairs = [(str(option), option) for option in options]
    return Dropdown(options=pairs, description=description, layout={"width": "auto"})  # whole sentences


def _kinds(sentences: Mapping[str, Mapping[str, plots.Attention]]) -> list[str]:
    """The kinds of attention, which every sentence must have."""
    if not sentences:
        raise ValueError("expected at least one sentence, got none")
    kinds, *others = map(list, sentences.values())
    for sentence, other in zip(list(sentences)[1:], others, strict=True):
        if other != kinds:
            raise ValueError(f"kinds of attention in {sentence!r}: expected {kinds}, got {other}")
    return kinds


def _show_map(attention: plots.Attention, name: str, layer: int, head: int | None) -> bool:
    """Display the map of a head or of all. False, with a printed reason, if there is no such one."""
    weights, queries, keys, mask = attention
    if layer >= len(weights):
        print(f"{name} has layers 0 to {len(weights) - 1}: there is no layer {layer}.")
    elif head is not None and head >= len(weights[layer]):
        print(f"{name}, layer {layer} has heads 0 to {len(weights[layer]) - 1}: there is no head {head}.")
    else:
        heads = weights[layer]
        title, values = (MEAN, heads.mean(dim=0)) if head is None else (f"head {head}", heads[head])
        ax = plots.attention_map(values, queries, keys, mask, title=f"{name}, layer {layer}, {title}")
        display(plots.show(ax))
        return True
    return False
