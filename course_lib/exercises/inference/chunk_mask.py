"""chunk_mask: what new words may look at, when the words before them are in the cache."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.properties import rows_seen

chunk_mask = Exercise(
    "chunk_mask",
    points=5,
    returns=("mask: new total",),
    hints=[
        "At which position of the whole sentence is the first new word? And at which position is new word i?",
        "Number the rows and the columns by positions: the columns are 0 to past + new - 1, and the rows "
        "begin at `past`.",
        "`rows = past + torch.arange(new)[:, None]` and `columns = torch.arange(past + new)`. A word sees "
        "every column that is not after its row: `columns <= rows`.",
        "`padding[:, None, None]` has an axis for the rows and one for the columns. A column is a word if "
        "`columns >= padding[:, None, None]`. At the end add the diagonal: `| (columns == rows)`.",
    ],
    examples=[
        "chunk_mask(1, 2)",
        "chunk_mask(2, 0)",
        "chunk_mask(2, 1)",
        "chunk_mask(1, 2, torch.tensor([1]))",
        "chunk_mask(2, 1, torch.tensor([0, 1]))",
        "chunk_mask(3, 0, torch.tensor([2]))",
        "chunk_mask(2, 3, torch.tensor([4, 2, 0]))",
    ],
)

ONE = (rows_seen("mask"),)


@chunk_mask.reference
def reference(new, past, padding=None):
    columns = torch.arange(past + new)
    rows = past + torch.arange(new)[:, None]
    seen = columns <= rows
    if padding is not None:
        seen = seen & (columns >= padding[:, None, None]) | (columns == rows)
    return seen


@chunk_mask.part("a new word looks at all words before it, and at itself", points=2, properties=ONE)
def order(chunk_mask, inputs):
    new, past = inputs.integers(2, 5, 1).item(), inputs.integers(5, 8, 1).item()
    return {
        "mask: new total": chunk_mask(new, past),
        "mask (no cache): new total": chunk_mask(5, 0),
        "mask (one new word): new total": chunk_mask(1, 6),
    }


def shape_with_padding(mask):
    """To be compared first: a mask of another shape has no rows to ask for."""
    return {"mask with padding: batch new total": torch.zeros_like(mask)}


def split(mask, past, padding):
    """The rows of a mask (batch, new, total) that are words, and those that are padding."""
    word = past + torch.arange(mask.shape[1]) >= padding[:, None]
    return mask[word], mask[~word]


def some_padding(inputs, past, new):
    """Three rows: one without padding, one with padding in the cache alone, one where it reaches further."""
    counts = [0, inputs.integers(1, past, 1).item(), past + inputs.integers(1, new, 1).item()]
    order = torch.rand(3, generator=inputs.generator).argsort()
    return torch.tensor(counts)[order]


# Where an answer without padding is wrong, only what padding changes is asked for: the columns it hides.


@chunk_mask.part("no word looks at padding, which differs from row to row", points=1)
def hidden_padding(chunk_mask, inputs):
    padding, first = some_padding(inputs, 5, 3), inputs.integers(1, 4, 2)
    mask = chunk_mask(3, 5, padding)
    if mask.shape != (3, 3, 8):
        return shape_with_padding(mask)
    plain, alone = chunk_mask(3, 5).expand(3, -1, -1), chunk_mask(5, 0).expand(2, -1, -1)
    return shape_with_padding(mask) | {
        "hidden from words by padding: word total": hidden(plain, mask, 5, padding),
        "hidden from words by padding (no cache): word total": hidden(
            alone, chunk_mask(5, 0, first), 0, first
        ),
    }


def hidden(plain, mask, past, padding):
    """What a word no longer sees because there is padding."""
    seen, still_seen = (split(each, past, padding)[0].bool() for each in (plain, mask))
    return seen & ~still_seen


@chunk_mask.part("a query that is padding looks at itself alone", points=1)
def itself(chunk_mask, inputs):
    nothing_else = torch.tensor([8])
    padding = torch.cat([some_padding(inputs, 5, 3), nothing_else])
    mask = chunk_mask(3, 5, padding)
    if mask.shape != (4, 3, 8):
        return shape_with_padding(mask)
    words, queries = split(mask, 5, padding)
    return shape_with_padding(mask) | {
        "mask (queries that are padding): query total": queries,
        "a word sees others too": bool((words.sum(dim=-1) > 1).any()),
    }


# Accepted: other ways to write the same


@chunk_mask.accept("the last rows of a triangle")
def last_rows(new, past, padding=None):
    total = past + new
    mask = torch.ones(total, total, dtype=torch.bool).tril()[past:]
    if padding is None:
        return mask
    word = torch.arange(total)[None, :] >= padding[:, None]
    mask = mask[None] & word[:, None, :]
    return mask | torch.eye(total, dtype=torch.bool)[past:]


@chunk_mask.accept("tril with a diagonal")
def diagonal(new, past, padding=None):
    mask = torch.tril(torch.ones(new, past + new), diagonal=past).bool()
    if padding is not None:
        mask = mask.repeat(len(padding), 1, 1)
        for row, count in enumerate(padding.tolist()):
            mask[row, :, :count] = False
            mask[row, range(new), range(past, past + new)] = True
    return mask


@chunk_mask.accept("two pieces side by side")
def two_pieces(new, past, padding=None):
    mask = torch.cat([torch.ones(new, past), torch.ones(new, new).tril()], dim=1) == 1
    if padding is None:
        return mask
    hidden = torch.arange(past + new).expand(len(padding), -1) < padding.unsqueeze(1)
    own = torch.zeros(new, past + new, dtype=torch.bool)
    own[torch.arange(new), past + torch.arange(new)] = True
    return (mask & ~hidden.unsqueeze(1)).logical_or(own)


@chunk_mask.accept("loops in plain Python")
def loops(new, past, padding=None):
    def row(i, count):
        return [count <= j <= past + i or j == past + i for j in range(past + new)]

    if padding is None:
        return torch.tensor([row(i, 0) for i in range(new)])
    return torch.tensor([[row(i, count) for i in range(new)] for count in padding.tolist()])
