"""What the checks of this lesson give to an answer: a model with a cache, and keys that come in blocks."""

from collections.abc import Iterator

import torch
from torch import Tensor

from course_lib.checks.memory import LiveMemory
from course_lib.checks.notes import notes

VOCAB = 23


class Reader:
    """A model whose next word depends on all words that it has read and on their order: `model(ids, cache)`.

    Its cache holds the ids themselves, `(1, 2, batch, 1, total, 1)`: of one layer, for keys and for values.
    For each call it notes how many sentences it read, how many words of each, and how many were cached.
    """

    def __call__(self, ids: Tensor, cache: Tensor | None = None, padding: Tensor | None = None):
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
        notes(self, "calls").append((*ids.shape, past))
        read = new[0, 0, :, 0, :, 0]
        places = torch.arange(read.shape[1]) - (0 if padding is None else padding[:, None])
        sums = (read * (places + 3) * (places >= 0)).cumsum(dim=1)
        following = (sums * 7 + 5 * read + places)[:, past:] % VOCAB
        distance = (torch.arange(VOCAB) - following[..., None]).abs()
        return 3.0 - distance, new


def reader() -> Reader:
    """A new model that has read nothing."""
    return Reader()


def calls_of(generate, *arguments) -> list[tuple[int, int, int]]:
    """For each call of the model: how many sentences and words it got, and how many its cache held."""
    model = Reader()
    generate(model, *arguments)
    return notes(model, "calls")


class Blocks:
    """Keys and values `(..., source, d)`, which come in pairs of blocks: `for key, value in blocks`.

    As from a disk: each block is made when it is asked for. It notes each loop over them.
    """

    def __init__(self, key: Tensor, value: Tensor, size: int) -> None:
        self.key, self.value, self.size = key, value, size

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        notes(self, "loops").append("begun")
        for start in range(0, self.key.shape[-2], self.size):
            seq = slice(start, start + self.size)
            yield self.key[..., seq, :].clone(), self.value[..., seq, :].clone()


def blocks(key: Tensor, value: Tensor, size: int) -> Blocks:
    """Key and value in blocks of this size."""
    return Blocks(key, value, size)


def held(attend) -> tuple[int, int]:
    """How many numbers `attend` holds at a time, and how many loops over the blocks it makes.

    With 4 queries, 144 keys in blocks of 12, all of size 4.
    """
    waves = torch.arange(144.0 * 4).view(144, 4).sin()
    query, given = waves[:4].clone(), Blocks(waves, waves.flip(0), 12)
    attend(query, [(waves[:1], waves[:1])])  # a check makes its first call thrice: a short one will do
    with LiveMemory() as memory, torch.no_grad():
        attend(query, given)
    return memory.peak, len(notes(given, "loops"))


MOST = 4 * 144  # the scores of these queries and keys


def keeps_blocks(attend) -> bool:
    """Whether blocks have to be kept: it holds as many numbers as there are scores, or loops twice."""
    numbers, loops = held(attend)
    return numbers >= MOST or loops > 1
