"""one_hot_lookup: a row of a table, as a product of a one-hot vector with the table."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of
from course_lib.checks.inputs import beyond_float32

one_hot_lookup = Exercise(
    "one_hot_lookup",
    points=4,
    returns=("one_hot: batch seq vocab", "vectors: batch seq d_model"),
    hints=[
        "How long must a one-hot vector be, so that it has one number for each row of the table? PyTorch's "
        "function for such vectors takes this length as its second argument.",
        "The table has `table.shape[0]` rows, one for each word: `F.one_hot(ids, table.shape[0])`. This "
        "gives integers, but the product with a table of floats needs floats: `.to(table.dtype)`.",
        "The vectors are `one_hot @ table`, which is (batch, seq, vocab) times (vocab, d_model).",
    ],
    examples=[
        "one_hot_lookup(torch.tensor([[2]]), torch.tensor([[1., 2.], [3., 4.], [5., 6.]]))",
        "one_hot_lookup(torch.tensor([[1, 0]]), torch.tensor([[1., 2.], [3., 4.], [5., 6.]]))",
        "one_hot_lookup(torch.tensor([[0]]), torch.tensor([[0.5], [2.]], dtype=torch.float64))",
        "[x.requires_grad for x in one_hot_lookup(torch.tensor([[1]]), torch.ones(2, 1).requires_grad_())]",
    ],
)


def arguments(inputs):
    """Ids from 1 to 9, the last of 11 left out; all sizes differ, so that a swapped axis cannot hide."""
    ids = inputs.integers(1, 10, 2, 5)
    ids[1, 2] = 9
    return ids, inputs.normal(11, 6)


@one_hot_lookup.reference
def reference(ids, table):
    one_hot = F.one_hot(ids, table.shape[0]).to(table.dtype)
    return one_hot, one_hot @ table


@one_hot_lookup.part("one_hot has a single 1, at the id", points=1)
def ones(lookup, inputs):
    one, table = torch.tensor([[3]]), inputs.normal(11, 6)
    return {
        "one_hot: batch seq vocab": lookup(*arguments(inputs))[0],
        "one_hot (one id): batch seq vocab": lookup(one, table)[0],
    }


@one_hot_lookup.part("vectors are the rows of the table, in its dtype", points=1)
def vectors(lookup, inputs):
    other_ids, other_table = torch.tensor([[12, 0, 5]]), inputs.wide(13, 4).double()
    return {
        "vectors: batch seq d_model": lookup(*arguments(inputs))[1],
        "vectors (a table of float64): batch seq d_model": lookup(other_ids, other_table)[1],
        "the digits that float32 does not have (a table of float64): batch seq d_model": beyond_float32(
            lookup(other_ids, inputs.near_one(13, 4))[1]
        ),
    }


@one_hot_lookup.part("gradients reach the table", points=1)
def gradients(lookup, inputs):
    ids, table = torch.cat([torch.arange(11), torch.tensor([4])]).view(2, 6), inputs.normal(11, 5)
    result = lookup(ids, table.requires_grad_())[1]
    return gradients_of(result, {"table": table}, of="vectors")


# Accepted: other ways to write the same


@one_hot_lookup.accept("rows of the identity")
def identity(ids, table):
    one_hot = torch.eye(len(table), dtype=table.dtype)[ids]
    return one_hot, torch.einsum("bsv,vd->bsd", one_hot, table)


@one_hot_lookup.accept("comparing with all ids")
def comparing(ids, table):
    one_hot = (ids[..., None] == torch.arange(len(table))).to(table)
    return one_hot, torch.matmul(one_hot, table)


@one_hot_lookup.accept("scatter")
def scatter(ids, table):
    one_hot = torch.zeros(*ids.shape, table.size(0), dtype=table.dtype).scatter(-1, ids.unsqueeze(-1), 1)
    return one_hot, F.linear(one_hot, table.T)


@one_hot_lookup.accept("vectors by indexing")
def indexing(ids, table):
    return F.one_hot(ids, num_classes=len(table)).type_as(table), table[ids]
