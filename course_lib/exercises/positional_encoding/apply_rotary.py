"""apply_rotary: queries and keys are rotated by their positions (Su et al. 2021, eq. 34)."""

import torch

from course_lib.checks.exercise import Exercise, Values
from course_lib.checks.gradients import gradients_of
from course_lib.checks.properties import apart
from course_lib.exercises.positional_encoding.sinusoidal_encoding import reference as encoding_of

apply_rotary = Exercise(
    "apply_rotary",
    points=6,
    returns=("turned: batch seq d_k",),
    hints=[
        "Which two numbers of a word make pair i, and which row of cos and sin belongs to that word?",
        "`x[..., 0::2]` are the first numbers of all pairs, and `x[..., 1::2]` are the second ones. Both fit "
        "the shape of cos and sin.",
        "The point (a, b), rotated by an angle, is (a cos - b sin, a sin + b cos). Compute both numbers "
        "before you write any.",
        "`torch.stack([first, second], dim=-1)` puts the two numbers of a pair side by side on a new axis, "
        "and `.flatten(start_dim=-2)` makes one row of all pairs.",
    ],
    examples=[
        "apply_rotary(torch.tensor([[[1., 0.]]]), torch.tensor([[0.8]]), torch.tensor([[0.6]]))",
        "apply_rotary(torch.tensor([[[1., 2.]]]), torch.tensor([[0.8]]), torch.tensor([[0.6]]))",
        "apply_rotary(torch.tensor([[[1., 0., 0., 0.]]]), torch.tensor([[0.8, 0.]]), torch.tensor([[0.6, "
        "1.]]))",
        "apply_rotary(torch.tensor([[[1., 2., 3., 4.]]]), torch.tensor([[0.8, 0.]]), torch.tensor([[0.6, "
        "1.]]))",
        "apply_rotary(torch.tensor([[1., 2.]]), torch.tensor([[0.8]]), torch.tensor([[0.6]]))",
        "apply_rotary(torch.ones(2, 1, 2, 2), torch.tensor([[1.], [0.8]]), torch.tensor([[0.], [0.6]]))",
        "apply_rotary(torch.ones(1, 2).requires_grad_(), torch.ones(1, 1), torch.zeros(1, 1)).requires_grad",
    ],
    ready_made=("rotary_embedding",),
)


@apply_rotary.reference
def reference(x, cos, sin):
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.complex(cos, sin)).flatten(start_dim=-2)


def turns(length, d_k):
    """cos and sin (length, d_k / 2), as the lesson gets them: out of the sinusoidal encoding."""
    table = encoding_of(length, d_k)
    return table[:, 1::2].clone(), table[:, 0::2].clone()


def first_stays(values: Values, expected: Values) -> str | None:
    """Position 0 is turned by 0."""
    moved, right = values["turned: batch seq d_k"][:, 0], expected["turned: batch seq d_k"][:, 0]
    if torch.allclose(moved, right, atol=1e-4):
        return None
    return "The angles of position 0 are 0, so its vector must not change, but yours does."


def keeps_length(values: Values, expected: Values) -> str | None:
    got, right = (table["turned: batch seq d_k"].norm(dim=-1) for table in (values, expected))
    off = (got - right).abs() > 1e-3
    if not off.any():
        return None
    batch, position = off.nonzero()[0].tolist()
    before, after = right[batch, position], got[batch, position]
    return (
        f"A rotation keeps lengths: the vector at position {position} has length {before:.4g}, "
        f"after your rotation {after:.4g}."
    )


@apply_rotary.part("rotates each pair by its angle", points=2, properties=(first_stays, keeps_length))
def turned(rotary, inputs):
    doubles = inputs.normal(2, 3, 4).double(), *(table.double() for table in turns(3, 4))
    with torch.no_grad():  # the vectors still belong to the caller
        unlearned = rotary(inputs.normal(2, 5, 8), *turns(5, 8))
    return {
        "turned (under no_grad): batch seq d_k": unlearned,
        "turned (float64): batch seq d_k": rotary(*doubles),
        "turned: batch seq d_k": rotary(inputs.normal(2, 5, 6), *turns(5, 6)),
        "turned (1 pair): batch seq d_k": rotary(inputs.normal(2, 3, 2), *turns(3, 2)),
        "turned (3 places, 3 pairs): batch seq d_k": rotary(inputs.normal(1, 3, 6), *turns(3, 6)),
        "turned (130 places): batch seq d_k": rotary(10 * inputs.normal(1, 130, 10), *turns(130, 10)),
        # from place 9 on, as a cache asks for: the angles are those that the caller gives
        "turned (place 9 and later): batch seq d_k": rotary(
            inputs.normal(2, 4, 6), *(table[9:] for table in turns(13, 6))
        ),
    }


SAME = "The scores are the same at every distance: your rotation does not depend on the position."


def moves_alike(values: Values, expected: Values) -> str | None:
    """The score of two places, before and after both move on by one."""
    change = values["change of the score when both move on: query key"]
    if change.abs().max() < 1e-4:
        return None
    query, key = (change.abs() > 1e-4).nonzero()[0].tolist()
    return (
        f"The same query and key have one score at positions {query} and {key}, another at {query + 1} "
        f"and {key + 1}, as far apart. That is no rotation by an angle that grows with the position."
    )


@apply_rotary.part("scores depend only on the distance of query and key", points=2, properties=(moves_alike,))
def distance_alone(rotary, inputs):
    query, key = (
        inputs.normal(1, 1, 6).expand(1, 7, 6).clone(),
        inputs.normal(1, 1, 6).expand(1, 7, 6).clone(),
    )
    query, key = (rotary(x, *turns(7, 6))[0] for x in (query, key))
    scores = query @ key.mT
    moved = apart(scores[1:, 1:], scores[:-1, :-1])
    return {
        "change of the score when both move on: query key": moved,
        "scores": SAME if (scores[0] - scores[0, 0]).abs().max() < 1e-3 else "",
        "each feature is turned": bool((query[1:] != query[:1]).any(dim=0).all()),
    }


@apply_rotary.part(
    "any number of axes may come before the sequence, and gradients reach x", points=1, alone=False
)
def leading_axes(rotary, inputs):
    x, angles = inputs.normal(2, 3, 5, 4).requires_grad_(), turns(5, 4)
    together = torch.cat([rotary(part, *angles).flatten() for part in (x, x[0], x[0, 0])])
    heads = torch.stack([rotary(x[:, head], *angles) for head in range(3)], dim=1)
    return {
        "difference from each head turned alone: batch heads seq d_k": apart(rotary(x, *angles), heads),
        "difference from x turned in a batch (without a batch): seq d_k": apart(
            rotary(x[0, 0], *angles), rotary(x[:1, 0], *angles)[0]
        ),
        "difference from x turned with 4 axes (with 5): layer batch heads seq d_k": apart(
            rotary(x[None], *angles), rotary(x, *angles)[None]
        ),
    } | gradients_of(together, {"x": x})


# Accepted: other ways to write the same


@apply_rotary.accept("even and odd, stacked")
def stacked(x, cos, sin):
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)


@apply_rotary.accept("filled by slices")
def filled(x, cos, sin):
    turned = torch.empty_like(x)
    turned[..., ::2] = x[..., ::2] * cos - x[..., 1::2] * sin
    turned[..., 1::2] = x[..., ::2] * sin + x[..., 1::2] * cos
    return turned


@apply_rotary.accept("repeated cosines, and the pairs swapped with a sign")
def swapped_with_sign(x, cos, sin):
    swapped = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).reshape(x.shape)
    return x * cos.repeat_interleave(2, dim=-1) + swapped * sin.repeat_interleave(2, dim=-1)


@apply_rotary.accept("a matrix of 2 x 2 for each pair, einsum")
def matrices(x, cos, sin):
    turn = torch.stack([torch.stack([cos, -sin], -1), torch.stack([sin, cos], -1)], dim=-2)
    pairs = x.unflatten(-1, (x.shape[-1] // 2, 2))
    return torch.einsum("tpij,...tpj->...tpi", turn, pairs).flatten(-2)


@apply_rotary.accept("a loop over pairs")
def loop(x, cos, sin):
    columns = []
    for i in range(x.shape[-1] // 2):
        a, b = x[..., 2 * i], x[..., 2 * i + 1]
        columns += [a * cos[:, i] - b * sin[:, i], a * sin[:, i] + b * cos[:, i]]
    return torch.stack(columns, dim=-1)
