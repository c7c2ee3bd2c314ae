"""Switching off attention heads of a trained translator: a map shows where it looks, this what it needs."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import cast

import torch
from torch import Tensor

from course_lib.model.layers import MultiHeadAttention
from course_lib.model.transformer import Transformer

KINDS = ("encoder", "decoder", "cross")


def attentions(model: Transformer, kind: str) -> list[MultiHeadAttention]:
    """The attentions of one kind, layer by layer; raises ValueError if there is no such kind."""
    if kind not in KINDS:
        raise ValueError(f"kind: expected one of {KINDS}, got {kind!r}")
    stack = model.encoder if kind == "encoder" else model.decoder
    name = "cross_attention" if kind == "cross" else "self_attention"
    return [cast(MultiHeadAttention, getattr(layer, name)) for layer in stack.layers]


@contextmanager
def heads_off(model: Transformer, heads: Iterable[tuple[str, int, int]]) -> Iterator[None]:
    """Inside the `with` block these heads, each (kind, layer, head), add nothing to their layer's output.

    kind is "encoder", "decoder" or "cross"; layers and heads count from 0, as in the maps.
    """
    hooks = []
    try:
        for kind, layer, head in heads:
            attention = attentions(model, kind)[layer]
            if not 0 <= head < attention.heads:
                raise ValueError(f"head: expected 0 ... {attention.heads - 1}, got {head}")
            hooks.append(attention.out_proj.register_forward_pre_hook(_without(head, attention.heads)))
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _without(head: int, heads: int):
    def silence(module: torch.nn.Module, inputs: tuple[Tensor]) -> tuple[Tensor]:
        keep = torch.arange(heads, device=inputs[0].device) != head
        return ((inputs[0].unflatten(-1, (heads, -1)) * keep[:, None]).flatten(-2),)

    return silence
