"""Wrong answers to sinusoidal_encoding: name, advice, code."""

import math

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.positional_encoding.sinusoidal_encoding import reference

mistake = Mistakes()


def _interleaved(sine, cosine, d_model):
    return torch.stack([sine.sin(), cosine.cos()], dim=-1).flatten(start_dim=1)[:, :d_model]


def _positions(length):
    return torch.arange(length, dtype=torch.float32)[:, None]


def _rates(d_model):
    return 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)


@mistake("O1")
def own_exponent(length, d_model):
    """You give each column its own exponent. Columns 2i and 2i + 1 share one angle, with 2i in the exponent,
    because i counts pairs. Round odd columns down to the even one.
    """
    column = torch.arange(0, d_model, 2)
    sine, cosine = (_positions(length) * 10000.0 ** (-c / d_model) for c in (column, column + 1))
    return _interleaved(sine, cosine, d_model)


@mistake("O1", "O2")
def own_doubled_exponent(length, d_model):
    """You give each column its own exponent, and it is twice too large. Columns 2i and 2i + 1 share the
    exponent 2i / d_model.
    """
    column = torch.arange(0, d_model, 2)
    sine, cosine = (_positions(length) * 10000.0 ** (-2 * c / d_model) for c in (column, column + 1))
    return _interleaved(sine, cosine, d_model)


@mistake("O2")
def doubled_exponent(length, d_model):
    """Your exponent is twice too large, so half of the columns hardly change. If your i counts 0, 2, 4, it
    is already 2i.
    """
    angle = _positions(length) * 10000.0 ** (-2 * torch.arange(0, d_model, 2) / d_model)
    return _interleaved(angle, angle, d_model)


@mistake("O3")
def halved_exponent(length, d_model):
    """Your exponent is half of the right one, so the pairs rotate too fast. It is 2i / d_model, and i counts
    the pairs.
    """
    angle = _positions(length) * 10000.0 ** (-torch.arange((d_model + 1) // 2) / d_model)
    return _interleaved(angle, angle, d_model)


@mistake("O5", mentions=(r"log\(", r"// 2"))
def precedence(length, d_model):
    """Python reads `-math.log(10000.0) / d_model // 2` as `(... / d_model) // 2` and rounds down. Put
    brackets around what belongs together.
    """
    rate = torch.exp(torch.arange((d_model + 1) // 2) * (-math.log(10000.0) / d_model // 2))
    angle = _positions(length) * rate
    return _interleaved(angle, angle, d_model)


# `10000 ** 2 * i / d_model` is (10000 ** 2) * i / d_model


@mistake("O5", mentions=r"10000(\.0)? \*\* 2 \*")
def power_before_product(length, d_model):
    """A power binds more tightly than `*` and `/`, so you only raise 10000 to the power of 2. Put brackets
    around the whole exponent: `10000 ** (2 * i / d_model)`.
    """
    i = torch.arange((d_model + 1) // 2)
    angle = _positions(length) / 10000**2 * i / d_model
    return _interleaved(angle, angle, d_model)


@mistake("O5", mentions=r"10000(\.0)? \*\* -?[\w.]+(\([^()]*\))? / ")
def power_before_quotient(length, d_model):
    """A power binds more tightly than `/`, so you divide by d_model after the power. Put brackets around the
    whole exponent: `10000 ** (2 * i / d_model)`.
    """
    angle = _positions(length) / 10000.0 ** torch.arange(0, d_model, 2) / d_model
    return _interleaved(angle, angle, d_model)


@mistake(mentions=r"deg|180|360")
def degrees(length, d_model):
    """Your angles are in degrees. `sin` and `cos` expect radians, and the angles of the formula are radians
    already.
    """
    angle = torch.deg2rad(_positions(length) * _rates(d_model))
    return _interleaved(angle, angle, d_model)


@mistake("O6")
def swapped_power(length, d_model):
    """You swapped base and exponent, so all pairs rotate nearly alike. The base is 10000."""
    angle = _positions(length) * (torch.arange(0, d_model, 2) / d_model) ** 1e-4
    return _interleaved(angle, angle, d_model)


@mistake
def faster(length, d_model):
    """Your pairs rotate faster and faster. Give the exponent a minus, or divide the position by the power."""
    angle = _positions(length) * 10000.0 ** (torch.arange(0, d_model, 2) / d_model)
    return _interleaved(angle, angle, d_model)


@mistake(mentions=r"1000(\.0)?\b|1e3")
def other_base(length, d_model):
    """You wrote 1000 instead of 10000. The base in the paper has four zeros."""
    angle = _positions(length) * 1000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    return _interleaved(angle, angle, d_model)


@mistake("O8")
def halves(length, d_model):
    """Your table has all sines first, then all cosines. A model can learn with it, and tensor2tensor does so.
    The paper and the next exercises alternate them: sines in even columns, cosines in odd ones.
    """
    angle = _positions(length) * _rates(d_model)
    return torch.cat([angle.sin(), angle.cos()], dim=1)[:, :d_model]


@mistake("O9")
def cosine_first(length, d_model):
    """You swapped sine and cosine. Even columns hold sines, so position 0 is 0, 1, 0, 1 ..."""
    angle = _positions(length) * _rates(d_model)
    return torch.stack([angle.cos(), angle.sin()], dim=-1).flatten(start_dim=1)[:, :d_model]


@mistake("O11")
def from_one(length, d_model):
    """Your positions start at 1. Count from 0, also for padding: the row of position 0 is 0, 1, 0, 1 ..."""
    angle = (_positions(length) + 1) * _rates(d_model)
    return _interleaved(angle, angle, d_model)


@mistake("O13", mentions=r"1::2")
def even_widths_only(length, d_model):
    """An odd d_model has one sine more than cosines, and your cosines do not fit. Give the cosines `d_model
    // 2` columns.
    """
    table, angle = torch.zeros(length, d_model), _positions(length) * _rates(d_model)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()
    return table


@mistake("O13", mentions=r"\+ 1\]")
def loop_over_even_widths(length, d_model):
    """If d_model is odd, the last sine has no cosine. Write the cosine only if column `i + 1` exists."""
    table = torch.zeros(length, d_model)
    for position in range(length):
        for i in range(0, d_model, 2):
            angle = position / 10000 ** (i / d_model)
            table[position, i] = math.sin(angle)
            table[position, i + 1] = math.cos(angle)
    return table


@mistake
def alternating_positions(length, d_model):
    """In your table, sine and cosine alternate along the positions. They have to alternate along
    the columns.
    """
    column = torch.arange(d_model)
    angle = _positions(length) * 10000.0 ** (-(column - column % 2) / d_model)
    return torch.where(torch.arange(length)[:, None] % 2 == 0, angle.sin(), angle.cos())


@mistake
def transposed(length, d_model):
    """You swapped rows and columns. A row is a position, and a column is a dimension."""
    return reference(length, d_model).mT


@mistake
def double_precision(length, d_model):
    """Your numbers are right, but they are float64. `.float()` makes them float32."""
    return reference(length, d_model).double()


@mistake
def last_sine_left_out(length, d_model):
    """An odd width ends with a sine, and your last column is not written. `d_model // 2` pairs leave it out,
    and `range(0, d_model, 2)` includes it.
    """
    table = reference(length, d_model).clone()
    table[:, 2 * (d_model // 2) :] = 0
    return table


@mistake
def one_cosine_too_many(length, d_model):
    """Your table has one cosine too many if the width is odd. Cut it off: `[:, :d_model]`."""
    angle = _positions(length) * _rates(d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(start_dim=1)


@mistake(mentions=r"\[0?::2\] = ")
def rows_for_columns(length, d_model):
    """`table[0::2]` is every second row, and rows are positions. Sines are in every second column: `table[:,
    0::2]`.
    """
    table, angle = torch.zeros(length, d_model), _positions(length) * _rates(d_model)
    table[0::2] = angle.sin()
    table[1::2] = angle.cos()
    return table


@mistake(lacks=r"None|unsqueeze|outer|reshape|view\(")
def no_axis_for_positions(length, d_model):
    """Every position is combined with every rate, so the positions need their own axis. Write
    `torch.arange(length)[:, None]`.
    """
    angle = torch.arange(length) * _rates(d_model)
    return _interleaved(angle, angle, d_model)
