"""Wrong answers to one_hot_lookup: name, advice, code."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.embedding.one_hot_lookup import reference

mistake = Mistakes()


@mistake
def integers(ids, table):
    """`one_hot` gives integers, but the product with the table needs equal types. Add `.to(table.dtype)`."""
    one_hot = F.one_hot(ids, table.shape[0])
    return one_hot, one_hot @ table


@mistake
def integers_but_indexed(ids, table):
    """Your vectors are right, but your `one_hot` has another type. Give it the type of the table:
    `.to(table.dtype)`.
    """
    return F.one_hot(ids, table.shape[0]), table[ids]


@mistake
def always_float32(ids, table):
    """Your `one_hot` is float32 whatever the table is, but the product needs equal types. Give it the type of
    the table: `.to(table.dtype)`.
    """
    one_hot = F.one_hot(ids, table.shape[0]).float()
    return one_hot, one_hot @ table


@mistake(mentions=r"one_hot\(\w+\)")
def guessed_classes(ids, table):
    """Without a number of classes, `one_hot` takes the largest id of the batch plus one. The vocabulary is
    larger, so pass `table.shape[0]`.
    """
    one_hot = F.one_hot(ids).to(table.dtype)
    return one_hot, one_hot @ table


@mistake(mentions=r"one_hot\(")
def too_few_classes(ids, table):
    """You have too few classes. You need one for each row of the table: `table.shape[0]`."""
    one_hot = F.one_hot(ids, table.shape[1]).to(table.dtype)
    return one_hot, one_hot @ table


@mistake
def one_class_too_few(ids, table):
    """You have one class too few. You need one for each row of the table: `table.shape[0]`."""
    one_hot = F.one_hot(ids, table.shape[0] - 1).to(table.dtype)
    return one_hot, one_hot @ table


@mistake(mentions=r"\*")
def elementwise(ids, table):
    """`*` multiplies number by number. A matrix product is `one_hot @ table`."""
    one_hot = F.one_hot(ids, table.shape[0]).to(table.dtype)
    return one_hot, one_hot * table


@mistake(mentions=r"\.(m?T|transpose|permute)")
def table_transposed(ids, table):
    """The table needs no transpose, because (batch, seq, vocab) times (vocab, d_model) already fits."""
    one_hot = F.one_hot(ids, table.shape[0]).to(table.dtype)
    return one_hot, one_hot @ table.T


@mistake
def table_first(ids, table):
    """Put the one-hot vectors on the left: `one_hot @ table` is (batch, seq, vocab) times (vocab,
    d_model).
    """
    one_hot = F.one_hot(ids, table.shape[0]).to(table.dtype)
    return one_hot, table @ one_hot


@mistake
def width_of_the_table(ids, table):
    """You made one class for each column of the table. You need one for each row: `table.shape[0]`."""
    one_hot = (ids[..., None] == torch.arange(table.shape[1])).to(table.dtype)
    return one_hot, one_hot @ table


@mistake
def one_off(ids, table):
    """You are one row off. Ids count from 0, so id 0 is the first row."""
    one_hot = F.one_hot(ids - 1, table.shape[0]).to(table.dtype)
    return one_hot, one_hot @ table


@mistake
def marked_with_the_id(ids, table):
    """You mark the place with the id. Mark it with 1, because word 6 is not three times as much as word 2."""
    one_hot = F.one_hot(ids, table.shape[0]).to(table.dtype) * ids[..., None]
    return one_hot, one_hot @ table


@mistake
def vocabulary_in_the_middle(ids, table):
    """Your axis of the vocabulary is not the last one. The shape must be (batch, seq, vocab)."""
    one_hot = F.one_hot(ids, table.shape[0]).to(table.dtype).mT
    return one_hot, one_hot.mT @ table


@mistake
def flattened(ids, table):
    """You flattened the axes, so the result no longer shows which sentence a word belongs to. Keep the axes:
    (batch, seq, vocab).
    """
    one_hot = F.one_hot(ids.flatten(), table.shape[0]).to(table.dtype)
    return one_hot, one_hot @ table


@mistake
def detached(ids, table):
    """Your numbers are right, but no gradient reaches the table, so it cannot learn. Use the table itself."""
    return reference(ids, table.detach())


@mistake
def swapped_results(ids, table):
    """You return the vectors first. Return `one_hot` first, and then the vectors."""
    one_hot, vectors = reference(ids, table)
    return vectors, one_hot


@mistake
def scaled(ids, table):
    """You multiply by √d_model, but this factor belongs to the next exercise. Use the table without it."""
    one_hot, vectors = reference(ids, table)
    return one_hot, vectors * table.shape[1] ** 0.5
