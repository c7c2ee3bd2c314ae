"""The vectors of lesson 01, trained in one call: skip-gram with negative sampling (Mikolov et al. 2013)."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from course_lib.text import PAD


def skipgram_vectors(
    sentences: Sequence[Sequence[int]], vocab: int, size: int = 32, window: int = 2, steps: int = 1000
) -> Tensor:
    """A vector `(vocab, size)` for each id, from the ids near it; that of padding is 0.

    Draws from PyTorch's global generator: other seeds give other vectors, of about the same quality.
    """
    pairs = torch.tensor(
        [
            (center, ids[j])
            for ids in sentences
            for i, center in enumerate(ids)
            for j in range(max(0, i - window), min(len(ids), i + window + 1))
            if j != i
        ]
    )
    table = (torch.randn(vocab, size) / math.sqrt(size)).requires_grad_()
    contexts = torch.zeros(vocab, size, requires_grad=True)
    optimizer = torch.optim.Adam([table, contexts], lr=0.03)
    chance = torch.bincount(pairs.flatten(), minlength=vocab) ** 0.75
    for _ in range(steps):
        center, context = pairs[torch.randint(len(pairs), (1000,))].T
        drawn = torch.multinomial(chance, 5000, replacement=True).view(1000, 5)
        vectors = table[center]
        near = (vectors * contexts[context]).sum(dim=-1)
        far = (contexts[drawn] @ vectors[..., None])[..., 0]  # (pairs, 5)
        loss = -(F.logsigmoid(near) + F.logsigmoid(-far).sum(dim=-1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    vectors = table.detach()
    vectors[PAD] = 0
    return vectors
