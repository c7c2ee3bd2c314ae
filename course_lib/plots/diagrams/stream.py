"""The residual stream: sublayers read one line of vectors and add to it, with the lengths of a live run."""

from collections.abc import Sequence

from course_lib.language import say_list

from .layout import Column, Heading, Label, Point, Row, Space
from .palette import BODY, HEADING, QUIET, SMALL, STEP, STREAM
from .sheet import Sheet
from .signs import Box, Dot, Plus


def residual_stream(names: Sequence[str], added: Sequence[float], lengths: Sequence[float]) -> Sheet:
    """One line from x to y, and each sublayer's branch from it and back.

    added: the length of what each sublayer adds; lengths: of x before the first, and after each.
    """
    if not len(names) == len(added) == len(lengths) - 1:
        raise ValueError(
            f"{len(names)} sublayers: expected as many lengths added and one more of x, "
            f"got {len(added)} and {len(lengths)}"
        )
    boxes = [Box(Heading(name, BODY), width=108, height=32).named(name) for name in names]
    dots, sums = [Dot() for _ in names], [Plus() for _ in names]
    start, end = (Label(letter, HEADING, bold=True, width=4 * STEP) for letter in "xy")
    line: list = [start]
    for box, dot, total in zip(boxes, dots, sums, strict=True):
        inside = Space(box.width - dot.width - total.width - 2 * STEP)
        knots = Row(Space(STEP), dot, inside, total, Space(STEP), gap=0)
        line.append(Column(box, Space(0, 2 * STEP), knots, gap=STEP))
    row = Row(*line, end, gap=5 * STEP, align=1)
    hint = Label("numbers: the mean length of the vectors", SMALL, QUIET, align="left")
    sheet = Sheet(
        Column(row, Space(0, 2 * STEP), hint, gap=STEP, align=0),
        "The residual stream",
        alt=say_list(
            [
                f"A line from x to y. Its vectors have length {lengths[0]:.2f} at first.",
                *(
                    f"{name} reads the line and adds vectors of length {size:.2f}; the sums have {after:.2f}."
                    for name, size, after in zip(names, added, lengths[1:], strict=True)
                ),
                "No sublayer is on the line itself.",
            ],
            " ",
        ),
    )
    middle = sums[0].center.y
    begin, finish = start.right.x, end.left.x + STEP
    sheet.arrow(Point(begin, middle, start), Point(finish, middle, end), weight=STREAM)
    for box, dot, total, size, after in zip(boxes, dots, sums, added, lengths[1:], strict=True):
        reads, gives = Point(dot.center.x, box.bottom.y, box), Point(total.center.x, box.bottom.y, box)
        sheet.arrow(Point(dot.center.x, dot.center.y, dot), reads)
        sheet.arrow(gives, total.top)
        sheet.text(total.center.x + STEP, total.top.y - STEP, f"{size:.2f}", SMALL, QUIET, align="left")
        sheet.text(total.right.x + 3.5 * STEP, middle + 2 * STEP, f"{after:.2f}", SMALL, QUIET)
    sheet.text(begin + 3 * STEP, middle + 2 * STEP, f"{lengths[0]:.2f}", SMALL, QUIET)
    return sheet
