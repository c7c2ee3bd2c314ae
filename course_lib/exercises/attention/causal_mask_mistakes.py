"""Wrong answers to causal_mask: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("C1")
def upper(size):
    """You returned the upper triangle, so your rows see the future and not the past. Return the lower
    triangle.
    """
    return torch.ones(size, size, dtype=torch.bool).triu()


@mistake("C2")
def without_diagonal(size):
    """A word may see itself, because it is the input and not the answer. Without the diagonal the first row
    sees nothing, and its softmax is 0/0.
    """
    return torch.ones(size, size, dtype=torch.bool).tril(-1)


@mistake("C3")
def one_too_many(size):
    """Each of your rows sees one word too many, and this is the word that it has to predict. Stop at the
    diagonal.
    """
    return torch.ones(size, size, dtype=torch.bool).tril(1)


@mistake("C4")
def forbidden(size):
    """You marked what has to be hidden. In this course True means that a query may look."""
    return torch.ones(size, size, dtype=torch.bool).triu(1)


@mistake
def diagonal(size):
    """Your words see only themselves. They may see the past too, so return the whole lower triangle."""
    return torch.eye(size, dtype=torch.bool)


@mistake("C6")
def same_row(size):
    """In your mask all queries see the same keys. Row t has to be True in the columns 0 to t, so each row has
    one more True than the row above it.
    """
    return torch.ones(size, size, dtype=torch.bool).tril()[:1].expand(size, size)


@mistake("C7")
def all_true(size):
    """Your mask hides nothing, so the decoder would read the word that it has to predict. Return the lower
    triangle.
    """
    return torch.ones(size, size, dtype=torch.bool)


@mistake("C10")
def fixed_size(size):
    """Your mask has a fixed size. Make it for `size`, or slice it to `size`."""
    return torch.ones(512, 512, dtype=torch.bool).tril()


@mistake("M11")
def additive(size):
    """You returned an additive mask of 0 and -inf. In this course a mask is boolean, True where a query may
    look.
    """
    return torch.zeros(size, size).masked_fill(torch.ones(size, size).triu(1).bool(), -torch.inf)


@mistake
def as_float_triangle(size):
    """Your triangle is right, but it holds floats, as `torch.ones` and `.float()` give them. A mask is
    boolean: use dtype=torch.bool.
    """
    return torch.ones(size, size).tril()


@mistake
def extra_axes(size):
    """Your triangle is right, but it has extra axes. Return the shape (size, size)."""
    return torch.ones(1, size, size, dtype=torch.bool).tril()
