"""Sentence pairs as padded tensors, in batches of similar lengths."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from course_lib.text import Pair, Vocabulary, pad_batch


class Bitext:
    """Encoded sentence pairs: `source` and `target` are ids `(pairs, seq)`, padded on the right.

    A source ends with the end symbol; a target has the begin symbol too, so that `target[:, :-1]` is what the
    decoder reads and `target[:, 1:]` what it is to say.
    """

    def __init__(
        self, pairs: Sequence[Pair], source_words: Vocabulary, target_words: Vocabulary, max_length: int = 128
    ) -> None:
        if not pairs:
            raise ValueError("a bitext needs at least one sentence pair, got none")
        sources = [source_words.encode(pair.source, eos=True) for pair in pairs]
        targets = [target_words.encode(pair.target, bos=True, eos=True) for pair in pairs]
        self.source = pad_batch(sources, max_length=max_length)
        self.target = pad_batch(targets, max_length=max_length + 1)
        self.source_lengths = torch.tensor([len(ids) for ids in sources])
        self.target_lengths = torch.tensor([len(ids) for ids in targets])

    def __len__(self) -> int:
        return len(self.source)

    def batch(self, rows: Tensor | slice, device: torch.device | str = "cpu") -> tuple[Tensor, Tensor]:
        """Source and target ids of these pairs, without the columns that are padding in all of them."""
        source = self.source[rows, : self.source_lengths[rows].max()]
        target = self.target[rows, : self.target_lengths[rows].max()]
        return source.to(device, non_blocking=True), target.to(device, non_blocking=True)


def bucketed_batches(data: Bitext, tokens: int, generator: torch.Generator) -> list[Tensor]:
    """Rows of every pair once, in random batches of one source length and about `tokens` target tokens each.

    Equal source lengths need no padding mask; within them, pairs of similar target lengths are together.
    """
    order = torch.randperm(len(data), generator=generator)
    length = data.source_lengths * (data.target.shape[1] + 1) + data.target_lengths
    order = order[length[order].argsort(stable=True)]
    batches = list(_cut(order, data, tokens))
    return [batches[i] for i in torch.randperm(len(batches), generator=generator).tolist()]


def _cut(order: Tensor, data: Bitext, tokens: int) -> Iterator[Tensor]:
    """Cut `order` where the source length changes or a batch, padding included, would pass `tokens`."""
    sources, targets = data.source_lengths[order].tolist(), (data.target_lengths[order] - 1).tolist()
    first, longest = 0, 0
    for i, (source, target) in enumerate(zip(sources, targets, strict=True)):
        longest = max(longest, target)
        if i > first and (source != sources[first] or longest * (i - first + 1) > tokens):
            yield order[first:i]
            first, longest = i, target
    yield order[first:]
