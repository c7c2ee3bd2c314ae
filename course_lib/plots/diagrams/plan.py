"""What is in a Transformer, as data to draw: from its sizes, or from a live model by hooks."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor, nn

from course_lib.plots.passes import Call, same, watch

PAD = "<pad>"
TEXT = ENCODER, DECODER, SOURCE, TARGET, SELF, CROSS, APART = (
    "encoder",
    "decoder",
    "source",
    "target",
    "self-attention",
    "cross-attention",
    "feed-forward",
)  # which drawings say


@dataclass(frozen=True)
class Sublayer:
    """A sublayer; `mask` (query, key) is True where a query may look, None where nothing attends."""

    name: str
    details: str
    mask: np.ndarray | None = None
    reads_memory: bool = False


@dataclass(frozen=True)
class Stack:
    """One side: the words that go in, and its layers, each with its sublayers in order."""

    words: Sequence[str]
    ids: str
    embedding: str
    embedded: str
    layers: Sequence[Sequence[Sublayer]]
    ends_with_norm: bool


@dataclass(frozen=True)
class Plan:
    """A whole Transformer."""

    encoder: Stack
    decoder: Stack
    memory: str
    logits: str
    norm_first: bool
    tied: bool


def plan_of_sizes(
    source: Sequence[str],
    target: Sequence[str],
    vocab: int,
    d_model: int = 64,
    heads: int = 4,
    d_ff: int = 128,
    layers: int = 2,
) -> Plan:
    """The paper's arrangement in these sizes: post-norm, sinusoidal positions, the output tied."""
    real = np.array([word != PAD for word in source])
    past = np.tri(len(target), dtype=bool)
    attends = f"{heads} heads of {d_model // heads}\nhides "
    apart = Sublayer(APART, f"{d_model} → {d_ff} → {d_model}\neach word by itself")
    reads = Sublayer(SELF, f"{attends}padding", np.tile(real, (len(source), 1)))
    writes = Sublayer(SELF, f"{attends}the future", past)
    asks = Sublayer(CROSS, f"{attends}padding", np.tile(real, (len(target), 1)), True)
    inside = f"× √{d_model}, + positions"
    sides = [
        Stack(words, f"(1, {len(words)})", inside, f"(1, {len(words)}, {d_model})", [parts] * layers, False)
        for words, parts in ((source, [reads, apart]), (target, [writes, asks, apart]))
    ]
    return Plan(
        sides[0], sides[1], sides[0].embedded, f"(1, {len(target)}, {vocab})", norm_first=False, tied=True
    )


def plan_of_model(
    model: nn.Module, source: Tensor, target: Tensor, words: tuple[Sequence[str], Sequence[str]]
) -> Plan:
    """What `model(source, target)` shows of itself: layers, masks, shapes and who reads the memory.

    words: for each side all words by id. Of a batch the first sentence is drawn. A mask is what has a weight
    in some head. The encoder's layers are those without cross-attention.
    """
    calls = [call for call in watch(model, source, target) if not same(call.given[0], call.returned)]
    layers = list(_layers(calls))
    encoder = [layer for layer in layers if not any(call.crosses for call in layer)]
    decoder = [layer for layer in layers if any(call.crosses for call in layer)]
    if not encoder or not decoder:
        raise ValueError(
            f"expected an encoder and a decoder whose attentions return their weights; found {len(encoder)} "
            f"layers without and {len(decoder)} with cross-attention"
        )
    memory = (_after(calls, encoder[-1]) or encoder[-1][-1]).returned
    if not _after(calls, encoder[-1]) and not encoder[-1][-1].normalizes:  # a sum, which no part returns
        memory = next(call.given[1] for call in decoder[0] if call.crosses)
    tables = [_embedding(calls, ids) for ids in (source, target)]
    sides = [
        Stack(
            [names[int(i)] for i in ids[0]],
            _shape(ids),
            _told(calls, table),
            _shape(table.returned),
            [[_sublayer(call, memory, of_words) for call in layer if not call.normalizes] for layer in stack],
            _after(calls, stack[-1]) is not None,
        )
        for ids, names, table, stack, of_words in zip(
            (source, target), words, tables, (encoder, decoder), ("padding", "the future"), strict=True
        )
    ]
    last = calls[-1]
    tied = any(one is other for one in last.part.parameters() for other in tables[1].part.parameters())
    return Plan(sides[0], sides[1], _shape(memory), _shape(last.returned), encoder[0][0].normalizes, tied)


def _layers(calls: Sequence[Call]) -> Iterator[list[Call]]:
    """The calls of each layer: what is in the same part as an attention."""
    insides = dict.fromkeys(call.name.rpartition(".")[0] for call in calls if call.weights is not None)
    for inside in insides:
        yield [call for call in calls if call.name.startswith(f"{inside}.")]


def _after(calls: Sequence[Call], layer: Sequence[Call]) -> Call | None:
    """The norm after the last layer of a stack, if it has one."""
    after = calls[calls.index(layer[-1]) + 1 :]
    ends = [call for call in after[:1] if call.normalizes and call.added() is None]
    return ends[0] if ends else None


def _embedding(calls: Sequence[Call], ids: Tensor) -> Call:
    for call in calls:
        if call.of_ids and same(call.given[0], ids):
            return call
    raise ValueError(f"no part of the model was given the ids of shape {tuple(ids.shape)}")


def _told(calls: Sequence[Call], table: Call) -> str:
    """What an embedding does besides looking up rows."""
    rows, factor, exact = table.scaling()
    root = math.isclose(factor, math.sqrt(rows.shape[1]), rel_tol=1e-3)
    scaled = f"× √{rows.shape[1]}" if root else f"× {factor:.3g}" if exact else "rows of a table"
    adds = not exact or any(call.added() is not None for call in calls if same(call.given[0], table.returned))
    return f"{scaled}, + positions" if adds else scaled


def _sublayer(call: Call, memory: Tensor, own: str) -> Sublayer:
    if call.weights is None:
        return Sublayer(APART, f"{' → '.join(map(str, call.widths))}\neach word by itself")
    heads, width = call.weights.shape[1], call.returned.shape[-1]
    seen = (call.weights[0] > 0).any(dim=0)
    name, what = ("cross-attention", "padding") if call.crosses else ("self-attention", own)
    mask = what if not bool(seen.all()) else "nothing"
    reads = call.crosses and same(call.given[1], memory)
    return Sublayer(name, f"{heads} heads of {width // heads}\nhides {mask}", seen.numpy(), reads)


def _shape(tensor: Tensor) -> str:
    return str(tuple(tensor.shape)).replace(",)", ")")
