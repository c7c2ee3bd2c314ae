"""Parts of the checks of 04_positional_encoding that run only when work is graded, kept from learners."""

from course_lib.checks.exercise import Part
from course_lib.checks.properties import differ
from course_lib.exercises.positional_encoding.apply_rotary import turns
from course_lib.exercises.positional_encoding.shift_matrix import moves
from course_lib.exercises.positional_encoding.sinusoidal_encoding import neighbors


def longer_tables(encoding, inputs):
    # Compared with itself: a wrong exponent is not punished twice.
    length, table = inputs.integer(20, 70), encoding(70, 16).float()
    return {
        "difference from the first rows of a longer encoding: position d_model": encoding(length, 16).float()
        - table[:length],
        "shape (odd width)": list(encoding(length, 13).shape),
        "neighbors": neighbors(table),
        "pairs turn at different rates": differ(table[:, 0], table[:, 2]),
        "all rows differ": repeated(encoding(600, 16)),
    }


def repeated(table) -> str:
    """A finding: whether two positions, however far apart, have the same row."""
    return "" if len(table.unique(dim=0)) == len(table) else "Two positions have the same row."


def far_shifts(shift, inputs):
    # Whatever the rates: shifting there and back again changes nothing.
    drawn, found = inputs.integer(5, 30), {}
    for k, d_model in ((drawn, 10), (drawn + 100, 2)):
        there = shift(k, d_model)
        found[f"shift by {k} and back: d_model d_model"] = there @ shift(-k, d_model)
        found[f"shift by {k}"] = moves(there)
    return found


def added_encodings(build, inputs):
    # Words at place 0 of sentences of one word: where the positions run cannot matter.
    module = build.fresh(10, 300)
    module.eval()
    return {"output (one word): batch seq d_model": module(inputs.normal(1, 1, 10))}


def learned_sizes(build, inputs):
    return {"output: batch seq d_model": build(3, 300)(inputs.normal(1, 300, 3))}


def rotary_sizes(rotary, inputs):
    # Rotations keep lengths, and equal vectors are turned apart, in any pairing and direction.
    found = {}
    for length, d_k in ((11, 12), (1, 2), (200, 4)):
        turned = rotary(inputs.normal(2, length, d_k), *turns(length, d_k))
        found[f"length of the turned vectors ({length} places, d_k {d_k}): batch seq"] = turned.norm(dim=-1)
    alike = rotary(inputs.normal(1, 1, 6).expand(1, 40, 6).clone(), *turns(40, 6))
    moved = (alike[0, 1:] != alike[0, :1]).any(dim=0)
    return found | {"all places differ": repeated(alike[0]), "each feature is turned": bool(moved.all())}


PARTS = {
    "sinusoidal_encoding": Part("sizes that you have not seen", 1, longer_tables, hidden=True, atol=1e-4),
    "shift_matrix": Part("shifts that you have not seen", 1, far_shifts, hidden=True, atol=1e-4),
    "PositionalEncoding": Part("sizes that you have not seen", 1, added_encodings, hidden=True),
    "LearnedPositions": Part("sizes that you have not seen", 1, learned_sizes, hidden=True),
    "apply_rotary": Part("sizes that you have not seen", 1, rotary_sizes, hidden=True),
}
