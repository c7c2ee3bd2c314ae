"""A one-hot vector times a table: all rows but one are multiplied by zero."""

from collections.abc import Sequence

from torch import Tensor

from course_lib.plots.figure import array

from .layout import Head, Label, Part, Table
from .palette import BODY, INK, LINE, QUIET, ROLES, SMALL, STEP, number, shape
from .sheet import Sheet
from .signs import Cells


def one_hot_pick(one_hot: Tensor, table: Tensor, words: Sequence[str]) -> Sheet:
    """The product of one_hot `(vocab,)` and table `(vocab, d_model)`, row by row; `words` name the rows."""
    weights, rows = array(one_hot), array(table)
    result = weights @ rows
    place = int(weights.argmax())
    times = [Label("×", BODY, QUIET) for _ in words]
    lines: list[list[Part | None]] = [
        [
            Head("id and word", f"{len(words)} words"),
            Head("one-hot", f"({len(weights)},)"),
            None,
            Head("table", shape(rows)),
        ]
    ]
    for i, word in enumerate(words):
        chosen = bool(weights[i])
        name = Label(f"{i}  {word}", SMALL, INK if chosen else QUIET, align="left")
        factor = _cells(weights[i : i + 1], 0.34 if chosen else 0, 30)
        lines.append([name, factor, times[i], _cells(rows[i], 0.34 if chosen else 0.06, 46)])
    answer = _cells(result, 0.34, 46).named("vector")
    lines.append([None, Label("sum of the rows", SMALL, ROLES["source"]), Label("=", BODY, QUIET), answer])
    sheet = Sheet(
        Table(lines, gap=(2 * STEP, 0.5 * STEP), align=[0, 0.5, 0.5, 0.5]),
        "A one-hot vector picks a row",
        alt=(
            f"A one-hot vector ({len(weights)},) times a table {shape(rows)}. Its only 1 is at id "
            f"{place}, “{words[place]}”: the sum of all rows times their factors is row {place}, "
            f"{', '.join(number(x) for x in result)}."
        ),
    )
    rule = answer.top.shift(y=-STEP / 4)
    half = answer.width / 2
    sheet.polyline([rule.shift(x=-half), rule.shift(x=half)], ROLES["source"], LINE)
    return sheet


def _cells(values, strength: float, width: float) -> Cells:
    return Cells([[number(x) for x in values]], "source", cell=(width, 21), strength=strength)
