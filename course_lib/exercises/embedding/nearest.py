"""nearest: the rows of a table that point most in the direction of a vector."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise

nearest = Exercise(
    "nearest",
    points=5,
    returns=("similarity: count", "ids: count"),
    hints=[
        "What must you do to the lengths, so that dot products depend only on directions? And which row of "
        "the table has no length to divide by?",
        "The cosine is the dot product of two vectors of length 1. `F.normalize(table, dim=-1)` gives "
        "every row this length, and does not change rows of zeros.",
        "`F.normalize(table, dim=-1) @ F.normalize(vector, dim=-1)` has the shape (vocab,): one cosine for "
        "each word.",
        "`.topk(count)` gives the largest values and their places, in this order.",
    ],
    examples=[
        "nearest(torch.tensor([1., 0.]), torch.tensor([[0., 1.], [1., 0.]]), count=1)",
        "nearest(torch.tensor([2., 0.]), torch.tensor([[3., 3.], [1., 0.], [0., 5.]]), count=2)",
        "nearest(torch.tensor([2., 0.]), torch.tensor([[3., 3.], [1., 0.], [-9., 1.]]), count=3)",
        "nearest(torch.tensor([2., 0.]), torch.tensor([[0., 0.], [1., 1.], [-1., 0.]]), count=2)",
        "nearest(torch.tensor([1., 2.]), torch.tensor([[1., 1.], [3., 0.], [9., 7.]]), count=2)",
        "nearest(torch.tensor([1., 2.]), torch.tensor([[1., 1.], [0., 0.], [9., 7.]]), count=3)",
    ],
)


def arguments(inputs):
    """A vector and a table whose rows differ much in length: row 2 is the nearest and the shortest, and the
    longest comes second.
    """
    while True:
        vector, table = inputs.normal(6), F.normalize(inputs.normal(11, 6), dim=-1)
        table[2] = F.normalize(F.normalize(vector, dim=-1) + 0.3 * table[2], dim=-1)
        similarity, ids = F.cosine_similarity(vector, table, dim=-1).topk(2)
        if apart(vector, table) and ids[0] == 2 and similarity[1] > 0.2:
            length = inputs.uniform(0.5, 4, 11, 1)
            length[ids] = torch.tensor([[0.2], [5]])
            return vector, table * length


def apart(vector, table) -> bool:
    """Whether no two cosines are so near that rounding could change the order."""
    return bool(F.cosine_similarity(table, vector, dim=-1).sort().values.diff().min() > 1e-5)


@nearest.reference
def reference(vector, table, count=5):
    return torch.topk(F.normalize(table, dim=-1) @ F.normalize(vector, dim=-1), count)


@nearest.part("cosines, the largest first, in the dtype of the table", points=2)
def cosines(nearest, inputs):
    vector, table = inputs.normal(3).double(), inputs.normal(7, 3).double()
    short = (F.normalize(given, dim=-1) / 3000 for given in (vector, table))
    return {
        "similarity: count": nearest(*arguments(inputs))[0],
        "similarity (float64): count": nearest(vector, table)[0],
        "similarity (two equal rows): count": nearest(table[0], table[[0, 0, 1, 2, 3]], count=2)[0],
        "similarity (short vectors): count": nearest(*short)[0],
    }


@nearest.part("the ids of the rows with these cosines, as many as `count` says", points=1)
def words(nearest, inputs):
    # Unit vectors: whether lengths are divided out is asked above.
    vector, table = (F.normalize(given, dim=-1) for given in arguments(inputs))
    found = {count: nearest(vector, table, count=count) for count in (1, 3)}
    return {"ids: count": nearest(vector, table)[1]} | {
        f"number (count={n})": [len(part) for part in pair] for n, pair in found.items()
    }


@nearest.part("a row of zeros, such as padding, does no harm", points=1)
def zero_row(nearest, inputs):
    table = torch.zeros(11, 6)
    while not apart(table[5], table):
        table = F.normalize(inputs.normal(11, 6), dim=-1)
        table[3] = 0
    similarity, ids = nearest(table[5].clone(), table, count=11)
    away = -table * (table @ table[5]).sign()[:, None]
    least, first = nearest(table[5].clone(), away, count=4)
    return {
        "similarity: count": similarity,
        "ids: count": ids,
        "similarity (all others are below 0): count": least,
        "ids (all others are below 0): count": first[:1],
    }


# Accepted: other ways to write the same


@nearest.accept("cosine_similarity and topk")
def cosine_similarity(vector, table, count=5):
    similarity, ids = F.cosine_similarity(table, vector[None], dim=1).topk(count)
    return similarity, ids


@nearest.accept("argsort")
def argsort(vector, table, count=5):
    length = (table.norm(dim=1) * vector.norm()).clamp_min(1e-12)
    cosine = (table @ vector) / length
    ids = cosine.argsort(descending=True)[:count]
    return cosine[ids], ids


@nearest.accept("sort, norms with an epsilon")
def sort(vector, table, count=5):
    rows = table / (table.norm(dim=-1, keepdim=True) + 1e-8)
    values, ids = torch.sort(rows @ (vector / vector.norm()), descending=True)
    return values[:count], ids[:count]


@nearest.accept("a loop over the words")
def loop(vector, table, count=5):
    cosine = [F.cosine_similarity(vector, row, dim=0) for row in table]
    ids = sorted(range(len(cosine)), key=lambda i: -cosine[i])[:count]
    return torch.stack([cosine[i] for i in ids]), torch.tensor(ids)
