"""Random inputs for probes."""

import zlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import torch


class Inputs:
    """The inputs of one probe: the same seed gives the same numbers to every implementation.

    Tensors are float32 on the CPU; nothing here touches torch's global generator.
    """

    def __init__(self, seed: str):
        self.seed = seed
        self.generator = torch.Generator().manual_seed(zlib.crc32(seed.encode()))

    def named(self, name: str) -> "Inputs":
        """Other inputs, which depend on the seed and on `name` alone, not on what was drawn before."""
        return Inputs(f"{self.seed}/{name}")

    def normal(self, *shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=self.generator, dtype=torch.float32)

    def wide(self, *shape: int) -> torch.Tensor:
        """Normal, but for the last axis' first and last numbers: thousands above 0, and thousands below.

        So nothing that cuts large numbers off goes unseen, and no sum over another axis cancels.
        """
        numbers = self.normal(*shape)
        for column, sign in ((0, 1000), (-1, -1000)):
            numbers[..., column] = sign * (1 + numbers[..., column].abs())
        return numbers

    def near_one(self, *shape: int) -> torch.Tensor:
        """Numbers of float64 that float32 would round to 1; `beyond_float32` tells what is left of them."""
        return 1 + 1e-9 * self.normal(*shape).double()

    def uniform(self, low: float, high: float, *shape: int) -> torch.Tensor:
        return low + (high - low) * torch.rand(shape, generator=self.generator, dtype=torch.float32)

    def integers(self, low: int, high: int, *shape: int) -> torch.Tensor:
        """Integers in [low, high)."""
        return torch.randint(low, high, shape, generator=self.generator)

    def integer(self, low: int, high: int) -> int:
        """An integer in [low, high)."""
        return int(self.integers(low, high, 1))

    def cases(
        self,
        count: int,
        joint: Mapping[tuple[str, ...], Sequence[tuple]] = MappingProxyType({}),
        **choices: Sequence,
    ) -> list[dict[str, Any]]:
        """So many combinations: of each choice all values come nearly equally often, in a drawn order.

        What is wrong where two values of two choices meet, of n and of m, is met with a probability of about
        1 - (1 - 1 / (n * m))**count. Names of the values are good labels.
        joint: choices of several names at once, by these, for pairs of values that are not left to chance.
        """
        drawn = {}
        single = {(name,): [(value,) for value in values] for name, values in choices.items()}
        for names, values in (*joint.items(), *single.items()):
            order = torch.randperm(count, generator=self.generator).tolist()
            chosen = [values[place % len(values)] for place in order]
            drawn |= zip(names, zip(*chosen, strict=True), strict=True)
        return [dict(zip(drawn, values, strict=True)) for values in zip(*drawn.values(), strict=True)]

    def chance(self) -> float:
        """A probability from 0.1 to 0.9, of two digits, that no answer can expect."""
        return self.integer(10, 91) / 100

    def mask(self, *shape: int) -> torch.Tensor:
        """A boolean mask in which every row allows at least one key and hides at least one."""
        order = torch.rand(shape, generator=self.generator).argsort(dim=-1)
        allowed = self.integers(1, shape[-1], *shape[:-1], 1)
        return order < allowed


def as_transposed(x: torch.Tensor, one: int = -3, other: int = -2) -> torch.Tensor:
    """The same numbers, in memory as those of heads that were made by a transpose.

    Two axes are exchanged there, so that no view joins them: by default the two before the last.
    """
    return x.transpose(one, other).contiguous().transpose(one, other)


def beyond_float32(numbers: torch.Tensor) -> torch.Tensor:
    """Of numbers that were drawn by `near_one`: the digits that float32 does not have."""
    return 1e9 * (numbers - 1)
