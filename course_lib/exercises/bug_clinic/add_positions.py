"""Right and broken code that adds sinusoidal positions 0, 1, 2, ... to every sentence of a batch."""

import math

import torch
from torch import Tensor

from course_lib.exercises.bug_clinic.pieces import Piece, shaped
from course_lib.exercises.bug_clinic.trials import Call


def table(length: int, d_model: int, exponents: Tensor | None = None) -> Tensor:
    """Sines on even columns, cosines on odd ones; column pair i turns by position / 10000^(exponent i)."""
    exponents = torch.arange(0, d_model, 2).double() / d_model if exponents is None else exponents
    angles = torch.arange(length, dtype=torch.float64)[:, None] / 10000.0 ** exponents.double()
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1).float()


def by_formula(x: Tensor) -> Tensor:
    """Right positions, added to x."""
    return x + table(x.shape[1], x.shape[2])


def by_loops(x: Tensor) -> Tensor:
    batch, seq, d_model = x.shape
    rows = [
        [
            math.cos(t / 10000 ** ((j - 1) / d_model)) if j % 2 else math.sin(t / 10000 ** (j / d_model))
            for j in range(d_model)
        ]
        for t in range(seq)
    ]
    return x + torch.tensor(rows).view(seq, d_model).expand(batch, seq, d_model)


def by_column(x: Tensor) -> Tensor:
    """Right positions, made in float64, column by column."""
    rates = torch.exp(torch.arange(0, x.shape[-1], 2).double() * (-math.log(10000.0) / x.shape[-1]))
    angles = torch.arange(x.shape[-2]).unsqueeze(1) * rates
    encoding = torch.zeros(x.shape[-2], x.shape[-1])
    encoding[:, 0::2], encoding[:, 1::2] = angles.sin(), angles.cos()
    return x + encoding


def sliced(x: Tensor) -> Tensor:
    return x + table(5000, x.size(2))[: x.size(1)]


def looked_up(x: Tensor) -> Tensor:
    encoding = torch.nn.Embedding.from_pretrained(table(x.shape[1], x.shape[2]))
    return encoding(torch.arange(x.shape[1]).expand(x.shape[0], -1)) + x


def within_one_turn(x: Tensor) -> Tensor:
    rates = 10000.0 ** (-torch.arange(0, x.shape[2], 2).double() / x.shape[2])
    angles = torch.arange(x.shape[1]).double().outer(rates).remainder(2 * math.pi).float()
    return x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def in_float64(x: Tensor) -> Tensor:
    rates = 10000.0 ** (-torch.arange(0, x.shape[2], 2).double() / x.shape[2])
    angles = torch.arange(x.shape[1]).double().outer(rates)
    return (x.double() + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)).to(x.dtype)


def rounded_positions(x: Tensor) -> Tensor:
    """Right positions, of which the last digit is rounded differently."""
    return x + table(x.shape[1], x.shape[2]) * (1 + 3e-7)


def one_sentence(x: Tensor) -> Tensor:
    """The first sentence alone."""
    return by_formula(x)[:1]


def only_the_first_moves(x: Tensor) -> Tensor:
    """Positions are added to the first sentence alone; all others stay as they are."""
    return torch.cat([by_formula(x[:1]), x[1:]])


def the_first_stays(x: Tensor) -> Tensor:
    """Positions are added to all sentences but the first."""
    return torch.cat([x[:1], by_formula(x[1:])])


def no_positions(x: Tensor) -> Tensor:
    """x as it is, copied."""
    return x.clone()


def last_is_zero(x: Tensor) -> Tensor:
    """The last word gets position 0, as in the toy's list [1, 2, 3, 4, 5, 6, 0]."""
    seq = x.shape[1]
    return x + table(seq, x.shape[2])[torch.arange(1, seq + 1) % seq]


def first_is_last(x: Tensor) -> Tensor:
    """The first word gets the largest position, as in the toy's list [7, 1, 2, 3, 4, 5, 6]."""
    seq = x.shape[1]
    return x + table(seq + 1, x.shape[2])[[seq, *range(1, seq)]]


def positions_from_one(x: Tensor) -> Tensor:
    """Positions begin at 1."""
    return x + table(x.shape[1] + 1, x.shape[2])[1:]


def along_the_batch(x: Tensor) -> Tensor:
    """Sentences are counted, not words."""
    return x + table(x.shape[0], x.shape[2])[:, None]


def doubled_exponent(x: Tensor) -> Tensor:
    """The exponent is 4i / d_model instead of 2i / d_model."""
    return x + table(x.shape[1], x.shape[2], 2 * torch.arange(0, x.shape[2], 2) / x.shape[2])


def column_exponents(x: Tensor) -> Tensor:
    """The cosines' exponents are those of their columns, 2i + 1, instead of 2i."""
    odd = table(x.shape[1], x.shape[2], torch.arange(1, x.shape[2], 2) / x.shape[2])
    return x + torch.stack([table(*x.shape[1:])[:, 0::2], odd[:, 1::2]], dim=-1).flatten(1)


def next_exponents(x: Tensor) -> Tensor:
    """The sines' exponents are those of the next pair, 2i + 2, instead of 2i."""
    later = table(x.shape[1], x.shape[2], torch.arange(2, x.shape[2] + 1, 2) / x.shape[2])
    return x + torch.stack([later[:, 0::2], table(*x.shape[1:])[:, 1::2]], dim=-1).flatten(1)


def sine_and_cosine_swapped(x: Tensor) -> Tensor:
    """Cosines on even columns, sines on odd ones."""
    return x + table(x.shape[1], x.shape[2]).unflatten(1, (-1, 2)).flip(-1).flatten(1)


def seven_rows(x: Tensor) -> Tensor:
    """The table has seven rows, and no sentence may be longer."""
    return x + table(7, x.shape[2])[torch.arange(x.shape[1])]


def seventh_repeated(x: Tensor) -> Tensor:
    """The table has seven rows, and all later words get the last of them."""
    return x + table(7, x.shape[2])[torch.arange(x.shape[1]).clamp(max=6)]


def only_positions(x: Tensor) -> Tensor:
    """The positions alone, without x."""
    return table(x.shape[1], x.shape[2]).expand_as(x)


def in_place(x: Tensor) -> Tensor:
    """The caller's x is changed."""
    x += table(x.shape[1], x.shape[2])
    return x


def in_place_and_copied(x: Tensor) -> Tensor:
    """The caller's x is changed, and a copy of it is returned."""
    return in_place(x).clone()


def misused(call: Call) -> str:
    """A sentence on an x that no right code takes."""
    told = shaped(x="batch seq d_model")(call)
    x = next(iter([*call.args, *call.kwargs.values()]), None)
    if told or not isinstance(x, Tensor) or x.shape[-1] % 2 == 0:
        return told
    return f"Your `x` has {x.shape[-1]} features, but sines and cosines come in pairs: take an even number."


BROKEN = (
    one_sentence,
    only_the_first_moves,
    the_first_stays,
    no_positions,
    last_is_zero,
    first_is_last,
    positions_from_one,
    along_the_batch,
    doubled_exponent,
    column_exponents,
    next_exponents,
    sine_and_cosine_swapped,
    seven_rows,
    seventh_repeated,
    only_positions,
    in_place,
    in_place_and_copied,
)
PIECE = Piece(
    "add_positions",
    {
        "written as in this lesson": by_formula,
        "loops": by_loops,
        "filled column by column": by_column,
        "from a long table, sliced": sliced,
        "looked up by embedding": looked_up,
        "angles within one turn, then float32": within_one_turn,
        "in float64 until the end": in_float64,
        "the last digit rounded differently": rounded_positions,
    },
    BROKEN,
    misuse=misused,
)
