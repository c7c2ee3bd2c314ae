"""One pass through a model, watched from outside by hooks: what each part was given, and what it returned."""

import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Call:
    """One call of a part of a model: `name` as in `named_modules`; masks are not among what it was `given`.

    weights, of an attention that returns them, are `(batch, heads, query, key)`.
    """

    name: str
    part: nn.Module
    given: Sequence[Tensor]
    returned: Tensor
    weights: Tensor | None = None

    @property
    def of_ids(self) -> bool:
        return not self.given[0].is_floating_point()

    @property
    def crosses(self) -> bool:
        """Whether keys and values come from elsewhere than the queries."""
        return len(self.given) > 1 and not same(self.given[0], self.given[1])

    @property
    def widths(self) -> list[int]:
        """From how many features to how many its matrices lead, one after the other."""
        matrices = [each.shape for each in self.part.parameters() if each.dim() == 2]
        return [matrices[0][1], *(shape[0] for shape in matrices)] if matrices else []

    @property
    def normalizes(self) -> bool:
        """Whether it has no matrix, like a norm or an addition."""
        return not any(each.dim() > 1 for each in self.part.parameters())

    def scaling(self) -> tuple[Tensor, float, bool]:
        """Of an embedding: its table, the factor to its rows, and whether there is no more to it."""
        table = next(each.detach() for each in self.part.parameters() if each.dim() == 2)
        row, vector = table[self.given[0][0, 0]], self.returned[0, 0]
        factor = float((vector @ row) / (row @ row).clamp_min(1e-12))
        return table, factor, torch.allclose(row * factor, vector, atol=1e-5)

    def added(self) -> Tensor | None:
        """What the part adds to all words alike; None for parts that do something else: asked by zeros."""
        if len(self.given) > 1 or self.of_ids:
            return None
        mode, self.part.training = self.part.training, False
        with torch.no_grad():
            alone = self.part(torch.zeros_like(self.given[0]))
        self.part.training = mode
        fits = isinstance(alone, Tensor) and alone.shape == self.returned.shape and bool(alone.any())
        return alone if fits and torch.allclose(alone + self.given[0], self.returned, atol=1e-5) else None


def watch(model: nn.Module, *inputs: Tensor) -> list[Call]:
    """The calls of a pass in their order. Without gradients and dropout; no hook is left.

    Only calls of parts side by side: a layer's sublayers and norms, but not what is in them.
    """
    every: list[Call] = []
    tuples: set[str] = set()
    handles = []
    for name, part in model.named_modules():

        def note(part: nn.Module, given: tuple, named: dict, result: Any, name: str = name) -> None:
            tensors: Sequence[Tensor] = _tensors([*given, *named.values()])
            returned: Sequence[Tensor] = _tensors(result if isinstance(result, tuple | list) else [result])
            if isinstance(result, tuple):
                tuples.add(name)
            if tensors and returned:
                first, *others = returned
                weights = others[0] if others and others[0].dim() in (3, 4) else None
                weights = weights[:, None] if weights is not None and weights.dim() == 3 else weights
                every.append(Call(name, part, tensors, first, weights))

        handles.append(part.register_forward_hook(note, with_kwargs=True))
    asked = {"need_weights": True} if "need_weights" in inspect.signature(model.forward).parameters else {}
    try:
        with _at_rest(model):
            model(*inputs, **asked)
    finally:
        for handle in handles:
            handle.remove()
    opened = _opened(model, tuples)
    called = {call.name for call in every}
    return [
        call
        for call in every
        if call.name not in opened and all(name in opened or name not in called for name in _above(call.name))
    ]


def same(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype and torch.equal(one, other)


def _tensors(values) -> tuple[Tensor, ...]:
    """Copies, for a part may change in place what it was given."""
    return tuple(
        each.detach().clone() for each in values if isinstance(each, Tensor) and each.dtype != torch.bool
    )


def _above(name: str) -> Iterator[str]:
    """The parts that this one is in, without the model itself."""
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def _opened(model: nn.Module, tuples: set[str]) -> set[str]:
    """Parts to look into: the model, stacks, and layers, which are in a list or have an attention inside."""
    lists = {name for name, part in model.named_modules() if isinstance(part, nn.ModuleList)}
    layers = {name for name, _ in model.named_modules() if "." in name and name.rpartition(".")[0] in lists}
    return {"", *lists, *layers, *(above for name in lists | tuples for above in _above(name))}


@contextmanager
def _at_rest(model: nn.Module) -> Iterator[None]:
    """No dropout and no gradients; each part gets its mode back."""
    modes = {part: part.training for part in model.modules()}
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        for part, mode in modes.items():
            part.training = mode
