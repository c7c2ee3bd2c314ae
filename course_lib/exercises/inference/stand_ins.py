"""What the checks of this lesson give to an answer: a model with a cache, and keys that come in blocks."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from course_lib.checks.exact import as_torch_has_it
from course_lib.checks.inputs import Inputs
from course_lib.checks.memory import LiveMemory, size_of_others
from course_lib.checks.properties import differ
from course_lib.checks.remembered import each_call_once

VOCAB = 23
Model = Callable[..., tuple[Tensor, Tensor]]


def reader(
    inputs: Inputs | None = None, calls: list[tuple[int, int, int]] | None = None, vocab: int = VOCAB
) -> Model:
    """A new model whose next word depends on all words that it has read and on their order.

    `model(ids, cache, padding)`: its cache holds the ids themselves, `(1, 2, batch, 1, total, 1)`: of one
    layer, for keys and for values. Which word follows is drawn from `inputs`, so that the logits alone tell:
    its logit is 0.01 above the next ones, and of another size at each place, below 0 too.
    For each call `calls` gets how many sentences it read, how many words of each, and how many were cached.
    """
    order = torch.randperm(vocab, generator=(inputs or Inputs("reader")).generator)
    calls = [] if calls is None else calls

    # A function has no attributes to read, and a copy of it is the function itself.
    def model(ids: Tensor, cache: Tensor | None = None, padding: Tensor | None = None):
        ids, cache, padding = map(as_torch_has_it, (ids, cache, padding))
        for name, given in (("ids", ids), ("cache", cache), ("padding", padding)):
            if given is not None and not torch.is_tensor(given):
                raise TypeError(f"the model got {name} of type {type(given).__name__}, not a tensor")
        if ids.dim() != 2:
            raise ValueError(f"the model got ids of shape {tuple(ids.shape)}, not (batch, seq)")
        if cache is not None and cache.dim() != 6:
            raise ValueError("the model got something else as its cache than what it returned")
        if padding is not None and padding.shape != ids.shape[:1]:
            raise ValueError(f"the model got padding of shape {tuple(padding.shape)}, not (batch,)")
        new = ids[None, None, :, None, :, None].expand(1, 2, -1, -1, -1, -1)
        past = 0 if cache is None else cache.shape[-2]
        if cache is not None:
            new = torch.cat([cache, new], dim=-2)
        calls.append((*ids.shape, past))
        read = new[0, 0, :, 0, :, 0]
        places = torch.arange(read.shape[1]) - (0 if padding is None else padding[:, None])
        sums = (read * (places + 3) * (places >= 0)).cumsum(dim=1)
        mixed = (sums * 7 + 5 * read + places)[:, past:]
        distance = (torch.arange(vocab) - order[mixed % vocab][..., None]).abs()
        return (3 * mixed.sin())[..., None] - distance**2 / 100, new

    return model


def calls_of(generate, *arguments) -> list[tuple[int, int, int]]:
    """For each call of the model: how many sentences and words it got, and how many its cache held."""
    calls: list[tuple[int, int, int]] = []
    generate(reader(calls=calls), *arguments)
    return calls


def cache_matters(layer, x: Tensor, cache: Tensor, padding: Tensor | None = None) -> bool:
    """Whether other keys, and other values, give another output: zeros would agree with all caches."""
    output = layer(x, cache, padding)[0]
    signs = torch.tensor([[-1.0, 1.0], [1.0, -1.0]]).to(cache.dtype).view(2, 2, 1, 1, 1, 1)
    return all(differ(output, layer(x, cache * sign, padding)[0]) for sign in signs)


class Blocks:
    """Keys and values `(..., source, d)`, which come in pairs of blocks: `for key, value in blocks`.

    As from a disk: each block is made when it is asked for. Nothing else is to be had, from a copy either.
    asked: is told the position at which each block begins, and that of the end.
    """

    def __init__(
        self, key: Tensor, value: Tensor, size: int, asked: Callable[[int], Any] = lambda start: None
    ) -> None:
        def pairs() -> Iterator[tuple[Tensor, Tensor]]:
            for start in range(0, key.shape[-2], size):
                asked(start)
                seq = slice(start, start + size)
                yield key[..., seq, :].clone(), value[..., seq, :].clone()
            asked(key.shape[-2])

        self._pairs = pairs

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        return self._pairs()


def blocks(key: Tensor, value: Tensor, size: int) -> Blocks:
    """Key and value in blocks of this size."""
    return Blocks(key, value, size)


MOST = 64 * 4 * 288  # the scores of 64 times 4 queries and 288 keys


@dataclass(frozen=True)
class Held:
    """What `attend` gives for keys in blocks of 12, and what it holds meanwhile.

    numbers: in tensors, at one time. others: what else is kept from block to block, in numbers of 4 bytes.
    """

    output: Tensor
    numbers: int
    others: int
    loops: int

    @property
    def keeps_blocks(self) -> bool:
        """Whether it holds as many numbers as there are scores."""
        return self.numbers + self.others >= MOST


def held(attend, inputs: Inputs, *start: int, axes: Sequence[int] = (64,)) -> Held:
    """axes: those before the last two of the query, of 256 queries in all."""
    target = 256 // math.prod(axes)
    query, key, value = (inputs.normal(*axes, count, 4) for count in (target, 288, 288))
    starts, sizes = [], []
    # A place that a cell has made counts, and what the first call makes of these.
    memory = LiveMemory((query, key, value))

    def asked(start: int) -> None:
        starts.append(start)
        sizes.append(size() + changed())

    with each_call_once() as changed, size_of_others() as size:
        # The first call takes memory for good, in PyTorch's caches, and a check makes several: a small one.
        with LiveMemory():
            one, *pair = (each[..., :1, :].clone() for each in (query, key, value))
            attend(one, [tuple(pair)] * 2, *start)
        sizes.append(size())  # what is made before the first block counts
        with memory:
            output = attend(query, Blocks(key, value, 12, asked), *start)
    others = max(sizes) - sizes[0]
    return Held(output, memory.peak, others // 4, starts.count(0))


def keeps_blocks(attend) -> bool:
    """Whether `attend` keeps more of the blocks than it needs, or loops over them twice."""
    found = held(attend, Inputs("keeps_blocks"))
    return found.keeps_blocks or found.loops > 1
