"""Wrong answers to nearest: name, advice, code."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.embedding.nearest import reference

mistake = Mistakes()


@mistake
def dot_product(vector, table, count=5):
    """You use the dot product, so long vectors win, wherever they point. Divide by both lengths."""
    return torch.topk(table @ vector, count)


@mistake
def only_the_vector(vector, table, count=5):
    """You do not divide by the lengths of the rows, so long rows win. Divide by these too."""
    return torch.topk(table @ F.normalize(vector, dim=-1), count)


@mistake
def only_the_table(vector, table, count=5):
    """Your order is right, but your cosines are not. Divide by the length of `vector` too."""
    return torch.topk(F.normalize(table, dim=-1) @ vector, count)


@mistake(mentions="norm|cosine", lacks=r"(topk|sort)\(.*(dim=|, )1\)")
def second_axis_of_a_vector(vector, table, count=5):
    """`vector` has only one axis, but you ask for its dim=1, the default of `F.normalize`. Write dim=-1."""
    return torch.topk(F.normalize(table) @ F.normalize(vector), count)


@mistake
def vector_first(vector, table, count=5):
    """Put the table on the left: `table @ vector` is (vocab, d_model) times (d_model,)."""
    return torch.topk(F.normalize(vector, dim=-1) @ F.normalize(table, dim=-1), count)


@mistake
def columns(vector, table, count=5):
    """You normalize the columns. Each word is a row and needs the length 1, so use `dim=-1` of the table."""
    return torch.topk(F.normalize(table, dim=0) @ F.normalize(vector, dim=-1), count)


@mistake
def distance(vector, table, count=5):
    """You compute distances. Compute cosines, which depend only on directions."""
    return torch.topk((table - vector).norm(dim=-1), count, largest=False)


@mistake(mentions=r"norm\(")
def length_of_the_table(vector, table, count=5):
    """`norm()` without `dim` gives one length for the whole table. Write `norm(dim=-1)`."""
    return torch.topk(table @ vector / (table.norm() * vector.norm()), count)


@mistake(mentions="dim=0|, 0")
def cosine_of_columns(vector, table, count=5):
    """`dim=0` compares columns. A word is a row, so use `dim=-1`."""
    return torch.topk(F.cosine_similarity(vector, table, dim=0), count)


@mistake
def farthest(vector, table, count=5):
    """Your farthest rows come first. Sort in descending order."""
    return torch.topk(F.normalize(table, dim=-1) @ F.normalize(vector, dim=-1), count, largest=False)


@mistake
def ascending(vector, table, count=5):
    """Your rows are the nearest ones, but the nearest of them comes last. Sort in descending order."""
    similarity, ids = reference(vector, table, count)
    return similarity.flip(0), ids.flip(0)


@mistake
def nan_for_padding(vector, table, count=5):
    """A row of zeros has length 0, and 0/0 is NaN, which topk takes for the largest value. `F.normalize`
    divides by a tiny number instead.
    """
    return torch.topk(table @ vector / (table.norm(dim=-1) * vector.norm()), count)


@mistake(mentions=r"\+ 1")
def one_more_then_cut(vector, table, count=5):
    """You leave out the best row. The function cannot know whose vector it gets, so let the caller skip the
    word itself.
    """
    similarity, ids = torch.topk(F.normalize(table, dim=-1) @ F.normalize(vector, dim=-1), count + 1)
    return similarity[1:], ids[1:]


@mistake(mentions=r"\[1:")
def first_row_left_out(vector, table, count=5):
    """You leave out row 0 of the table, so all ids are one too small. Search the whole table."""
    return torch.topk(F.normalize(table[1:], dim=-1) @ F.normalize(vector, dim=-1), count)


@mistake
def zero_rows_dropped(vector, table, count=5):
    """You take rows of zeros out of the table, so the ids after them are too small. Leave them in, with the
    similarity 0.
    """
    kept = table[table.norm(dim=-1) > 0]
    return torch.topk(F.normalize(kept, dim=-1) @ F.normalize(vector, dim=-1), count)


@mistake
def without_the_first(vector, table, count=5):
    """You leave out the best row. The function cannot know whose vector it gets, so let the caller skip the
    word itself.
    """
    similarity, ids = torch.topk(F.normalize(table, dim=-1) @ F.normalize(vector, dim=-1), len(table))
    return similarity[1 : count + 1], ids[1 : count + 1]


@mistake
def count_ignored(vector, table, count=5):
    """You always return five words. Return as many as the argument `count` says."""
    return reference(vector, table)


@mistake
def all_words(vector, table, count=5):
    """You return all words in order. Return only the first `count`."""
    return reference(vector, table, len(table))


@mistake
def swapped_results(vector, table, count=5):
    """You return the ids first. Return the similarities first, and then the ids, as topk does."""
    similarity, ids = reference(vector, table, count)
    return ids, similarity


@mistake
def absolute(vector, table, count=5):
    """You drop the sign, but a word in the opposite direction (-1) is the least similar, not the most. Keep
    the sign.
    """
    return torch.topk((F.normalize(table, dim=-1) @ F.normalize(vector, dim=-1)).abs(), count)


@mistake
def in_order_of_ids(vector, table, count=5):
    """You sort by id. Sort by similarity, the largest first, with `topk` or `argsort`."""
    similarity, ids = reference(vector, table, count)
    order = ids.argsort()
    return similarity[order], ids[order]
