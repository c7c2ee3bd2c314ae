"""Wrong answers to causal_mask: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("C1")
def upper(size):
    """Upper triangle: your rows see the future and not the past."""
    return torch.ones(size, size, dtype=torch.bool).triu()


@mistake("C2")
def without_diagonal(size):
    """A word may see itself: it is the input, not the answer. Without it the first row sees nothing (0/0)."""
    return torch.ones(size, size, dtype=torch.bool).tril(-1)


@mistake("C3")
def one_too_many(size):
    """One step too many: each row sees exactly the word that it must predict."""
    return torch.ones(size, size, dtype=torch.bool).tril(1)


@mistake("C4")
def forbidden(size):
    """You returned what must be hidden: True means that a query may look."""
    return torch.ones(size, size, dtype=torch.bool).triu(1)


@mistake
def diagonal(size):
    """Every word sees only itself: that is the diagonal. The past is allowed too."""
    return torch.eye(size, dtype=torch.bool)


@mistake("C6")
def same_row(size):
    """All queries see the same keys: row t must depend on t."""
    return torch.ones(size, size, dtype=torch.bool).tril()[:1].expand(size, size)


@mistake("C7")
def all_true(size):
    """Nothing is hidden: the decoder would read the answer that it is to predict."""
    return torch.ones(size, size, dtype=torch.bool)


@mistake("C10")
def fixed_size(size):
    """The mask has a fixed size: make it, or slice it, to `size`."""
    return torch.ones(512, 512, dtype=torch.bool).tril()


@mistake("M11")
def additive(size):
    """This is an additive mask (0 and -inf). The convention here is boolean: True where a query may look."""
    return torch.zeros(size, size).masked_fill(torch.ones(size, size).triu(1).bool(), -torch.inf)


@mistake
def as_float_triangle(size):
    """The triangle is right, but of floats, as `torch.ones` and `.float()` give them. A mask is boolean:
    dtype=torch.bool.
    """
    return torch.ones(size, size).tril()


@mistake
def extra_axes(size):
    """The triangle is right, the extra axes are not asked: the shape is (size, size)."""
    return torch.ones(1, size, size, dtype=torch.bool).tril()
