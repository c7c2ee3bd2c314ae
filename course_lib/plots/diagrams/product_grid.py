"""Q·Kᵀ as a grid: a row for each query, a column for each key."""

from collections.abc import Sequence

from torch import Tensor

from course_lib.plots.figure import array

from .layout import Column, Label, Row, Space, Table
from .palette import BODY, INK, QUIET, ROLES, SMALL, STEP, number, shape, tint
from .sheet import Sheet
from .signs import Cells

CELL = 22


def product_grid(
    query: Tensor, key: Tensor, asking: Sequence[str], asked: Sequence[str], at: tuple[int, int]
) -> Sheet:
    """All scores of query (target, d_k) with key (source, d_k); the pair `at` (target, source) is dark."""
    q, k = array(query), array(key)
    scores = q @ k.T
    row, column = at
    side = max(30.0, *(Cells([[number(x)]]).width for x in (*q.flat, *k.flat, *scores.flat)))
    room = max(side, *(Cells([[word]]).width for word in asked))
    queries = _grid(q, "query", side, lambda i, j: i == row).named("queries")
    keys = _grid(k.T, "key", room, lambda i, j: j == column).named("keys")
    fills = [
        [
            tint(None, 0.26 if (i, j) == at else 0.1 if i == row or j == column else 0.02)
            for j in range(len(k))
        ]
        for i in range(len(q))
    ]
    result = Cells([[number(x) for x in line] for line in scores], cell=(room, CELL), fills=fills)
    left = Column(*(_name(word, "query", CELL) for word in asking), gap=0, align=1)
    over = Row(*(Label(word, SMALL, ROLES["key"], width=room) for word in asked), gap=0)
    products = " + ".join(
        f"{_factor(a)}·{_factor(b)}" for a, b in zip(q[row].tolist(), k[column].tolist(), strict=True)
    )
    sums = f"{asking[row]} · {asked[column]}:\n{products} = {number(scores[at])}"
    heads = (
        _head("Q", shape(q), "query"),
        Column(_head("Kᵀ", shape(k.T), "key"), over, gap=STEP),
        _head("Q Kᵀ", f"{shape(scores)}: a row for a query,\na column for a key", None),
    )
    corner = Column(Label(sums, SMALL), heads[0], gap=2 * STEP)
    upper = Column(heads[1], keys, gap=0.5 * STEP)
    lines = [
        [None, corner, upper, None],
        [left, queries, result, heads[2]],
    ]
    table = Table(lines, gap=(2 * STEP, 1.5 * STEP), align=[1, 0.5, 0, 0])
    sheet = Sheet(
        table,
        "Every query meets every key",
        alt=(
            f"Q {shape(q)} times K transposed {shape(k.T)} is a grid of scores {shape(scores)}. "
            + " ".join(
                f"{word}: {', '.join(number(x) for x in line)}."
                for word, line in zip(asking, scores, strict=True)
            )
            + f" The marked score is {products} = {number(scores[at])}."
        ),
    )
    return sheet


def _grid(values, role: str, width: float, dark) -> Cells:
    rows = [[number(x) for x in line] for line in values]
    fills = [[tint(role, 0.34 if dark(i, j) else 0.08) for j in range(len(r))] for i, r in enumerate(rows)]
    return Cells(rows, role, cell=(width, CELL), fills=fills)


def _name(word: str, role: str, height: float) -> Column:
    edge = (height - SMALL) / 2
    return Column(Space(0, edge), Label(word, SMALL, ROLES[role]), Space(0, edge), gap=0)


def _head(name: str, detail: str, role: str | None) -> Column:
    color = ROLES.get(role) if role else None
    title = Label(name, BODY, color or INK)
    return Column(title, Label(detail, SMALL, QUIET, align="left"), gap=6, align=0.5 if role else 0)


def _factor(value: float) -> str:
    return f"({number(value)})" if value < 0 else number(value)
