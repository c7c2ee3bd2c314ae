"""Attention that a page shows by itself: words in two columns, and lines between them as wide as the weights.

The page needs no kernel. Where it does not trust the notebook, or scripts are off, it shows a picture of one
map with alt text, because a shadow root hides its host's own content only once the script has made it.
"""

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Protocol

import numpy as np
import torch

from course_lib.language import say_heading

from .attention import Attention, attention_matrix, describe_map, visible
from .decoding import Decoding
from .figure import array

TOP, MASKED = 60000, 65535  # a weight travels as a whole number of 1 / TOP, in two bytes
TEXT = {
    "title": "attention by words, with the width of a line for each weight",
    "kind": "kind of attention",
    "heads": "layer and head",
    "layer": "layer {layer}",
    "layer of": "layer {layer},",
    "head of": "layer {layer}, head",
    "mean": "mean",
    "back": "one step back",
    "on": "one step on",
    "decoding": "decoding: {doing}",
    "whole": "the whole sentence ({steps} steps)",
    "writes": "step {step} of {steps} writes “{word}”",
    "choose": "The wider a line, the larger its weight. Choose a word to see its numbers.",
    "looks": "“{word}” looks at {listed}.",
    "step": "Step {step} has read “{read}”. It looks at {listed}, and writes “{written}”.",
    "is seen": "“{word}” gets these weights: {listed}.",
    "no word": "no weight of 0.005 or more",
    "others less": "{told}, others less",
    "masked": "masked",
    "rest": "all other words",
    "translation": "translation",
    "without": "without head {head} of layer {layer} ({kind})",
    "without all": "without all heads of layer {layer} ({kind})",
    "same": "the same",
    "nothing": "no words",
}
HEAD = CROSS, ENCODER, DECODER = "cross", "encoder", "decoder"  # kinds, which are said
COLUMNS = {  # of a translation: headings of queries and keys
    CROSS: ("query: word written", "key: source word"),
    ENCODER: ("query: source word", "key: source word"),
    DECODER: ("query: word read", "key: word read"),
}


class Explains(Protocol):
    """What the view asks of a translator; see `course_lib.translation.translator.Translator`."""

    target_words: Any

    def explain(self, sentence: str) -> Any: ...
    def probabilities(self, sentence: Any, target: Any) -> torch.Tensor: ...
    def without(self, heads: Iterable[tuple[str, int, int]], sentence: Any) -> list[str]: ...


@dataclass(frozen=True)
class AttentionView:
    """A view, shown where it is the last expression of a cell; `html` asks for no other file."""

    html: str = field(repr=False)
    alt: str

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {"text/html": self.html, "text/plain": say_heading(self.alt)}


def attention_view(
    translator: Explains, sentences: Sequence[str], languages: tuple[str, str] = ("en", "zh-Hans")
) -> AttentionView:
    """The attention of these translations step by step, and the translation without each head.

    languages: of source and target; a screen reader chooses its voice by them, and a browser its font.
    Each sentence is translated again for each head and for each layer, which takes a second for a few
    sentences of the course's translator.
    """
    _some(sentences)
    source, target = languages
    spoken = {"cross": (target, source), "encoder": (source, source), "decoder": (target, target)}
    kinds = [
        _kind(name, COLUMNS[name], stepped=name != "encoder", grows=name == "decoder")
        | {"langs": dict(zip(("queries", "keys"), spoken[name], strict=True))}
        for name in COLUMNS
    ]
    shown = {sentence: maps_of(translator.explain(sentence)) for sentence in sentences}
    entries = [
        _entry(sentence, maps) | _written(translator, sentence, maps) for sentence, maps in shown.items()
    ]
    return _view({"name": say_heading("sentence"), "lang": target, "kinds": kinds, "entries": entries}, shown)


def maps_view(entries: Mapping[str, Mapping[str, Attention]], name: str = "sentence") -> AttentionView:
    """Attention maps by sentence (or by what `name` calls it), kind, layer and head.

    entries: for each sentence the `Attention` of each kind, for instance "encoder", "decoder" and "cross".
    """
    _some(entries)
    first, *others = entries
    kinds = list(entries[first])
    for other in others:
        if list(entries[other]) != kinds:
            raise ValueError(f"kinds of attention in {other!r}: expected {kinds}, got {list(entries[other])}")
    shown = [_entry(entry, maps) for entry, maps in entries.items()]
    columns = [_kind(kind, ("query", "key")) for kind in kinds]
    return _view({"name": say_heading(name), "kinds": columns, "entries": shown}, entries)


def maps_of(told) -> dict[str, Attention]:
    """Of an explained translation, the attention of each kind."""
    cross, encoder, decoder = (
        [layer[0] for layer in getattr(told.maps, kind)] for kind in ("cross", "encoder", "decoder")
    )
    past = torch.ones(len(told.read), len(told.read), dtype=torch.bool).tril()
    return {
        "cross": Attention(cross, told.target, told.source),
        "encoder": Attention(encoder, told.source, told.source),
        "decoder": Attention(decoder, told.read, told.read, past),
    }


def _some(entries: Sequence | Mapping) -> None:
    if not entries or isinstance(entries, str):
        raise ValueError(f"expected a list of at least one sentence, got {entries!r}")


def _kind(name: str, headings: tuple[str, str], **more: Any) -> dict:
    queries, keys = map(say_heading, headings)
    return {"name": say_heading(name), "queries": queries, "keys": keys, **more}


def _entry(name: str, maps: Mapping[str, Attention]) -> dict:
    packed = [
        {
            "queries": list(one.queries),
            "keys": list(one.keys),
            "layers": [_packed(heads, one) for heads in one.weights],
        }
        for one in maps.values()
    ]
    return {"name": name, "maps": packed}


def _packed(heads: torch.Tensor, attention: Attention) -> str:
    """The weights of a layer: head by head, query by query, two bytes each, as base64."""
    seen = visible(attention.mask, (len(attention.queries), len(attention.keys)))
    values = np.stack([attention_matrix(head, attention.queries, attention.keys) for head in heads])
    if not ((values >= 0) & (values <= 1 + 1e-4)).all():
        raise ValueError("attention weights: expected numbers from 0 to 1 (a softmax gives such), got others")
    numbers = np.where(seen, np.minimum(TOP, np.rint(values * TOP)), MASKED).astype("<u2")
    return base64.b64encode(numbers.tobytes()).decode()


def _written(translator: Explains, sentence: str, maps: Mapping[str, Attention]) -> dict:
    """Of a translation the words of each step, their candidates, and what is written without heads."""
    cross = maps["cross"]
    target, read = list(cross.queries), list(maps["decoder"].queries)
    probabilities = translator.probabilities(sentence, target[:-1])
    mean = cross.weights[-1].mean(dim=0)
    decoding = Decoding(cross.keys, target, mean, probabilities, translator.target_words.to_list())
    steps = [decoding.candidates(step).items() for step in range(1, len(target) + 1)]
    candidates = [[[word, round(chance, 4)] for word, chance in step] for step in steps]
    without = [_without(translator, sentence, kind, one, target[:-1]) for kind, one in maps.items()]
    return {"target": target, "read": read, "candidates": candidates, "without": without}


def _without(
    translator: Explains, sentence: str, kind: str, attention: Attention, written: Sequence[str]
) -> list[list[str | int]]:
    """By layer: the translation without all its heads, then without each; 0 where it stays the same."""
    found = []
    for layer, weights in enumerate(attention.weights):
        heads = range(len(weights))
        choices = [list(heads), *([head] for head in heads)]
        lists = [translator.without([(kind, layer, head) for head in off], sentence) for off in choices]
        found.append([0 if words == list(written) else " ".join(words) for words in lists])
    return found


def _view(data: dict, entries: Mapping[str, Mapping[str, Attention]]) -> AttentionView:
    name, maps = next(iter(entries.items()))
    kind, attention = next(iter(maps.items()))
    weights = attention.weights[-1].mean(dim=0)
    seen = visible(attention.mask, (len(attention.queries), len(attention.keys)))
    title = f"{name}: {say_heading(kind)}, layer {len(attention.weights) - 1}, mean of heads"
    alt = describe_map(array(weights), seen, attention.queries, attention.keys, title)
    headings = data["kinds"][0]["queries"], data["kinds"][0]["keys"]
    text = {name: say_heading(english) for name, english in TEXT.items()}
    packed = json.dumps(data | {"text": text}, ensure_ascii=False, separators=(",", ":"))
    packed = packed.replace("<", "\\u003c")  # a word may be </script>
    place = f"attention-view-{hashlib.sha256(packed.encode()).hexdigest()[:12]}"
    style, code = _part("css"), _part("js")
    given = f"const place = '{place}', data = {packed};\nconst css = {json.dumps(style)};"
    script = f"(() => {{\n{given}\n{code}}})();"
    source = base64.b64encode(_picture(weights, attention, headings).encode()).decode()
    told = html.escape(say_heading(alt))
    image = f'<img alt="{told}" style="max-width:100%" src="data:image/svg+xml;base64,{source}">'
    return AttentionView(f'<div class="{place}">{image}</div>\n<script>{script}</script>', alt)


def _part(kind: str) -> str:
    """The view's style or script, without indents and comments, which would come with each view."""
    text = files("course_lib.plots").joinpath(f"attention_view.{kind}").read_text(encoding="utf-8")
    lines = (line.strip() for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines if not line.startswith("//"))


def _picture(weights: torch.Tensor, attention: Attention, headings: tuple[str, str]) -> str:
    """The same map as SVG, which an <img> may hold where scripts are removed."""
    size, row, gap = 15, 30, 180
    left, right = (
        max([12 * 0.6 * len(heading), *(_width(word, size) for word in words)]) + 12
        for heading, words in zip(headings, (attention.queries, attention.keys), strict=True)
    )
    width = left + gap + right
    height = 46 + row * max(len(attention.queries), len(attention.keys))
    ends = (left - 8, "end"), (left + gap + 8, "start")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" font-family="sans-serif" font-size="{size}">'
        '<rect width="100%" height="100%" fill="#fff"/><g fill="none" stroke="#1f5f9c" stroke-opacity=".75">'
    ]
    for query, key in np.ndindex(*weights.shape):
        if (weight := float(weights[query, key])) >= 0.01:
            y, end = 51 + row * query, 51 + row * key
            bend = f"C{left + 80:.0f} {y} {left + gap - 80:.0f} {end}"
            line = f"M{left:.0f} {y}{bend} {left + gap:.0f} {end}"
            parts.append(f'<path stroke-width="{12 * weight:.1f}" d="{line}"/>')
    parts.append('</g><g fill="#555" font-size="12">')
    for (x, anchor), heading in zip(ends, headings, strict=True):
        parts.append(f'<text x="{x:.0f}" y="20" text-anchor="{anchor}">{html.escape(heading)}</text>')
    parts.append("</g>")
    for (x, anchor), words in zip(ends, (attention.queries, attention.keys), strict=True):
        parts.append(f'<g text-anchor="{anchor}">')
        parts += [
            f'<text x="{x:.0f}" y="{56 + row * i}">{html.escape(word)}</text>' for i, word in enumerate(words)
        ]
        parts.append("</g>")
    return "".join(parts) + "</svg>"


def _width(word: str, size: float) -> float:
    return size * sum(0.6 if ord(letter) < 0x2E80 else 1 for letter in word)
