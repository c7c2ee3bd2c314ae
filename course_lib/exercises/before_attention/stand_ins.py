"""What decoder_step is given in a check: an attention and a cell with fixed weights, of any size."""

from collections.abc import Callable

import torch
from torch import Tensor

Cell = Callable[[Tensor, Tensor], Tensor]


def waves(rows: int, columns: int) -> Tensor:
    """A matrix that is full of different numbers between -1 and 1."""
    return (1 + torch.arange(rows * columns, dtype=torch.float32)).mul(1.7).sin().view(rows, columns)


def attend(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Additive attention: query (batch, target, hidden), key and value (batch, source, hidden)."""
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        if tensor.dim() != 3:
            raise ValueError(f"attend got a {name} with {tensor.dim()} axes. It needs 3, and {AXES[name]}")
    W_query, W_key = (waves(key.shape[-1], 2 * key.shape[-1]).roll(turn, 0).to(key.dtype) for turn in (0, 1))
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ waves(1, 2 * key.shape[-1])[0].to(key.dtype) / 2, dim=-1)
    return weights @ value, weights


AXES = dict.fromkeys(("key", "value"), "the second counts the source words")
AXES["query"] = "the second counts the queries"


def cell(d_model: int, hidden: int) -> Cell:
    """A cell for words of d_model numbers: cell(d_model, hidden)(x, state) is the new state."""
    W, U = waves(d_model + hidden, hidden), waves(hidden, hidden).flip(0)

    def step(x: Tensor, state: Tensor) -> Tensor:
        wanted = d_model + hidden, hidden
        for name, tensor, width in zip(("x", "state"), (x, state), wanted, strict=True):
            if tensor.shape[-1] != width:
                raise ValueError(f"the cell got {name} with {tensor.shape[-1]} numbers a row, not {width}")
        return torch.tanh((x @ W.to(x.dtype) + state @ U.to(x.dtype)) / 2)

    return step


def digits(numbers: Tensor) -> Tensor:
    """What tells numbers that were made in float64: of those made in float32 the eighth digit differs."""
    return (1e7 * numbers).sin()
