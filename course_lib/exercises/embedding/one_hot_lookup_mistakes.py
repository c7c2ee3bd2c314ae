"""Wrong answers to one_hot_lookup: name, advice, code."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.embedding.one_hot_lookup import reference

mistake = Mistakes()


@mistake
def integers(ids, table):
    """`one_hot` gives integers, and a product needs equal types: add `.to(table.dtype)`."""
    one_hot = F.one_hot(ids, table.shape[0])
    return one_hot, one_hot @ table


@mistake
def integers_but_indexed(ids, table):
    """The vectors are right. Give `one_hot` as floats too, the type of the table."""
    return F.one_hot(ids, table.shape[0]), table[ids]


@mistake
def always_float32(ids, table):
    """A product needs equal types, and your `one_hot` is float32 whatever the table is. Give it the type of
    the table: `.to(table.dtype)`.
    """
    one_hot = F.one_hot(ids, table.shape[0]).float()
    return one_hot, one_hot @ table


@mistake(mentions=r"one_hot\(\w+\)")
def guessed_classes(ids, table):
    """Without a number of classes `one_hot` takes the largest id of the batch plus one. The vocabulary is
    larger: pass `table.shape[0]`.
    """
    one_hot = F.one_hot(ids).to(table.dtype)
    return one_hot, one_hot @ table


@mistake(mentions=r"one_hot\(")
def too_few_classes(ids, table):
    """You have too few classes: one for each row of the table is needed, `table.shape[0]`."""
    one_hot = F.one_hot(ids, table.shape[1]).to(table.dtype)
    return one_hot, one_hot @ table


@mistake
def one_class_too_few(ids, table):
    """You have one class too few: one for each row of the table is needed, `table.shape[0]`."""
    one_hot = F.one_hot(ids, table.shape[0] - 1).to(table.dtype)
    return one_hot, one_hot @ table


@mistake(mentions=r"\*")
def elementwise(ids, table):
    """`*` multiplies number by number; a matrix product is `one_hot @ table`."""
    one_hot = F.one_hot(ids, table.shape[0]).to(table.dtype)
    return one_hot, one_hot * table


@mistake(mentions=r"\.(m?T|transpose|permute)")
def table_transposed(ids, table):
    """The table needs no transpose: (batch, seq, vocab) times (vocab, d_model)."""
    one_hot = F.one_hot(ids, table.shape[0]).to(table.dtype)
    return one_hot, one_hot @ table.T


@mistake
def table_first(ids, table):
    """The one-hot vectors stand on the left: `one_hot @ table`, (batch, seq, vocab) times
    (vocab, d_model).
    """
    one_hot = F.one_hot(ids, table.shape[0]).to(table.dtype)
    return one_hot, table @ one_hot


@mistake
def width_of_the_table(ids, table):
    """One class for each row of the table, not for each column: `table.shape[0]`."""
    one_hot = (ids[..., None] == torch.arange(table.shape[1])).to(table.dtype)
    return one_hot, one_hot @ table


@mistake
def one_off(ids, table):
    """Ids count from 0: id 0 is the first row. You are one row off."""
    one_hot = F.one_hot(ids - 1, table.shape[0]).to(table.dtype)
    return one_hot, one_hot @ table


@mistake
def marked_with_the_id(ids, table):
    """Mark the place with 1, not with the id: word 6 is not three times as much as word 2."""
    one_hot = F.one_hot(ids, table.shape[0]).to(table.dtype) * ids[..., None]
    return one_hot, one_hot @ table


@mistake
def vocabulary_in_the_middle(ids, table):
    """The axis of the vocabulary comes last: (batch, seq, vocab)."""
    one_hot = F.one_hot(ids, table.shape[0]).to(table.dtype).mT
    return one_hot, one_hot.mT @ table


@mistake
def flattened(ids, table):
    """Keep the axes of the batch: flattened, nobody knows whose word it is."""
    one_hot = F.one_hot(ids.flatten(), table.shape[0]).to(table.dtype)
    return one_hot, one_hot @ table


@mistake
def detached(ids, table):
    """The numbers are right, but the table cannot learn from them: use it as it is."""
    return reference(ids, table.detach())


@mistake
def swapped_results(ids, table):
    """Return `one_hot` first, then the vectors."""
    one_hot, vectors = reference(ids, table)
    return vectors, one_hot


@mistake
def scaled(ids, table):
    """The table is used as it is: the factor √d_model comes in the next one."""
    one_hot, vectors = reference(ids, table)
    return one_hot, vectors * table.shape[1] ** 0.5
