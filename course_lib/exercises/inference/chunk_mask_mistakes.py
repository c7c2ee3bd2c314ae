"""Wrong answers to chunk_mask: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.inference.chunk_mask import reference

mistake = Mistakes()


def _places(new, past):
    return past + torch.arange(new)[:, None], torch.arange(past + new)


def _with_padding(seen, new, past, padding):
    rows, columns = _places(new, past)
    if padding is None:
        return seen
    return seen & (columns >= padding[:, None, None]) | (columns == rows)


@mistake("G3")
def only_new_words(new, past, padding=None):
    """Your mask has a column only for each new word. The keys of the past are in the cache too, so the mask
    needs past + new columns.
    """
    if padding is None:
        return reference(new, 0)
    return reference(new, 0, (padding - past).clamp(min=0))


@mistake("G2")
def triangle_from_the_left(new, past, padding=None):
    """Your triangle begins at column 0, so the first new word sees only the first word of the sentence. New
    word i is at position past + i: shift the triangle by `past` columns.
    """
    seen = torch.ones(new, past + new, dtype=torch.bool).tril()
    return _with_padding(seen, new, past, padding)


@mistake("G2")
def words_from_zero(new, past, padding=None):
    """You count the new words from 0, so the first of them sees only the first word of the sentence. New word
    i is at position past + i. Shift triangle and diagonal by `past` columns: where you compare positions, add
    `past` to the rows.
    """
    rows, columns = torch.arange(new)[:, None], torch.arange(past + new)
    seen = columns <= rows
    return seen if padding is None else seen & (columns >= padding[:, None, None]) | (columns == rows)


@mistake("G2")
def from_the_left_without_itself(new, past, padding=None):
    """Your triangle begins at column 0. New word i is at position past + i: shift the triangle by `past`
    columns. And let each query that is padding see itself.
    """
    seen = torch.ones(new, past + new, dtype=torch.bool).tril()
    return seen if padding is None else seen & (torch.arange(past + new) >= padding[:, None, None])


@mistake
def padding_against_queries(new, past, padding=None):
    """You compare the columns with `padding[:, None]`, whose axis of rows meets the axis of the queries. The
    batch needs an axis of its own: `padding[:, None, None]`.
    """
    rows, columns = _places(new, past)
    seen = columns <= rows
    return seen if padding is None else seen & (columns >= padding[:, None]) | (columns == rows)


@mistake
def diagonal_from_the_left(new, past, padding=None):
    """The diagonal that you add for the padding begins at column 0. New word i is at column past + i: add
    `columns == rows`.
    """
    rows, columns = _places(new, past)
    seen = columns <= rows
    if padding is None:
        return seen
    return seen & (columns >= padding[:, None, None]) | (columns == rows - past)


@mistake
def one_too_far(new, past, padding=None):
    """Your triangle is one column too far to the right, so each new word sees the word after it. New word i
    is at position past + i, and it sees the columns up to this one.
    """
    rows, columns = _places(new, past)
    return _with_padding(columns <= rows + 1, new, past, padding)


@mistake
def not_itself(new, past, padding=None):
    """In your mask, a word does not see itself. Its own column belongs to those that it may look at: `<=`
    instead of `<`.
    """
    rows, columns = _places(new, past)
    seen = columns < rows
    return seen if padding is None else seen & (columns >= padding[:, None, None])


@mistake("G1")
def all_of_the_chunk(new, past, padding=None):
    """In your mask, every new word sees all the others. If several new words come at once, a word must not
    see those after it.
    """
    rows, columns = _places(new, past)
    return _with_padding(columns <= rows.max(), new, past, padding)


@mistake
def past_hidden(new, past, padding=None):
    """Your new words see only new words. The past is what they have the cache for: its columns are True."""
    rows, columns = _places(new, past)
    return _with_padding((columns <= rows) & (columns >= past), new, past, padding)


@mistake
def inverted(new, past, padding=None):
    """Your mask is inverted. In this course, True means that a query may look at the key."""
    return ~reference(new, past, padding)


@mistake
def rows_for_the_past(new, past, padding=None):
    """Your mask has a row for each word of the sentence. Only new words are queries, so it needs `new` rows,
    the last ones.
    """
    return reference(past + new, 0, padding)


@mistake
def transposed(new, past, padding=None):
    """Rows and columns of your mask are swapped. A row is a new word, and a column is a word that it may look
    at.
    """
    return reference(new, past, padding).mT


@mistake
def numbers(new, past, padding=None):
    """Your mask holds numbers. Make it boolean, for example with `.bool()`."""
    return reference(new, past, padding).float()


@mistake("G6")
def padding_ignored(new, past, padding=None):
    """Your mask ignores the padding. In row b, the first `padding[b]` columns are no words, and no word may
    look at them.
    """
    seen = reference(new, past)
    return seen if padding is None else seen.expand(len(padding), -1, -1)


@mistake
def padding_on_the_right(new, past, padding=None):
    """You hide the last columns. The padding is on the left: hide the first `padding[b]` columns of row b."""
    rows, columns = _places(new, past)
    if padding is None:
        return columns <= rows
    return (columns <= rows) & (columns < past + new - padding[:, None, None]) | (columns == rows)


@mistake
def queries_without_keys(new, past, padding=None):
    """A query that is padding sees nothing in your mask. The softmax of its row is then 0/0, and NaN spreads
    to the next layer. Let each query see itself.
    """
    rows, columns = _places(new, past)
    seen = columns <= rows
    return seen if padding is None else seen & (columns >= padding[:, None, None])


@mistake
def padding_sees_padding(new, past, padding=None):
    """A query that is padding sees more than itself in your mask. Some libraries do this, and it does no
    harm, but here each such query sees only its own column.
    """
    rows, columns = _places(new, past)
    seen = columns <= rows
    if padding is None:
        return seen
    padding = padding[:, None, None]
    return seen & ((columns >= padding) | (rows < padding))


@mistake
def one_padding_left(new, past, padding=None):
    """You hide one column too few. Columns 0 to padding[b] - 1 are padding, so column `padding[b]` is the
    first word.
    """
    rows, columns = _places(new, past)
    seen = columns <= rows
    return seen if padding is None else seen & (columns >= padding[:, None, None] - 1) | (columns == rows)


@mistake
def first_word_hidden(new, past, padding=None):
    """You hide one column too many. Column `padding[b]` is the first word: use `>=`, not `>`."""
    rows, columns = _places(new, past)
    seen = columns <= rows
    return seen if padding is None else seen & (columns > padding[:, None, None]) | (columns == rows)


@mistake
def longest_padding(new, past, padding=None):
    """You hide the longest padding in all rows. Each row has its own: give `padding` two more axes,
    `padding[:, None, None]`.
    """
    rows, columns = _places(new, past)
    if padding is None:
        return columns <= rows
    longest = padding.max().expand(len(padding))[:, None, None]
    return (columns <= rows) & (columns >= longest) | (columns == rows)


@mistake
def padding_of_the_chunk(new, past, padding=None):
    """You look for the padding among the new words. It is at the beginning of the sentence: compare `padding`
    with the positions in the whole sentence.
    """
    rows, columns = _places(new, past)
    if padding is None:
        return columns <= rows
    word = (columns < past) | (columns - past >= padding[:, None, None])
    return (columns <= rows) & word | (columns == rows)


@mistake("G2")
def from_the_left_without_padding(new, past, padding=None):
    """Your triangle begins at column 0, and `padding` is not used yet. New word i is at position past + i:
    shift the triangle by `past` columns, and then hide the first `padding[b]` columns of row b.
    """
    return torch.ones(new, past + new, dtype=torch.bool).tril()


@mistake("G6")
def padding_on_the_right_without_itself(new, past, padding=None):
    """You hide the last columns, but the padding is on the left: hide the first `padding[b]` columns of row
    b. And let each query that is padding see itself.
    """
    rows, columns = _places(new, past)
    seen = columns <= rows
    return seen if padding is None else seen & (columns < past + new - padding[:, None, None])


@mistake("G6")
def past_hidden_without_padding(new, past, padding=None):
    """Your new words see only new words, and `padding` is not used yet. The columns of the past are True, and
    then the first `padding[b]` columns of row b are hidden.
    """
    rows, columns = _places(new, past)
    return (columns <= rows) & (columns >= past)
