"""Parts of the checks of 04_positional_encoding that run only when work is graded, kept from learners."""

from course_lib.checks.exercise import Part
from course_lib.exercises.positional_encoding.apply_rotary import turns
from course_lib.exercises.positional_encoding.shift_matrix import moves
from course_lib.exercises.positional_encoding.sinusoidal_encoding import neighbors


def longer_tables(encoding, inputs):
    # Compared with itself: a wrong exponent is not punished twice.
    length, table = int(inputs.integers(20, 70, 1)), encoding(70, 16).float()
    return {
        "encoding (shorter) - encoding (longer, its first rows): position d_model": encoding(
            length, 16
        ).float()
        - table[:length],
        "shape (odd width)": list(encoding(length, 13).shape),
        "neighbors": neighbors(table),
    }


def far_shifts(shift, inputs):
    k = int(inputs.integers(5, 30, 1))
    # Whatever the rates: shifting there and back again changes nothing.
    return {
        "shift there and back: d_model d_model": shift(k, 10) @ shift(-k, 10),
        "moves": moves(shift(k, 10)),
    }


def added_encodings(build, inputs):
    # Words at place 0 of sentences of one word: where the positions run cannot matter.
    module = build.fresh(10, 70)
    module.eval()
    return {"output (one word): batch seq d_model": module(inputs.normal(1, 1, 10))}


def learned_sizes(build, inputs):
    return {"output: batch seq d_model": build(3, 8)(inputs.normal(1, 8, 3))}


def rotary_sizes(rotary, inputs):
    # Rotations keep lengths, in any pairing and direction.
    x = inputs.normal(2, 11, 12)
    return {"length of the turned vectors: batch seq": rotary(x, *turns(11, 12)).norm(dim=-1)}


PARTS = {
    "sinusoidal_encoding": Part("sizes that you have not seen", 1, longer_tables, hidden=True, atol=1e-4),
    "shift_matrix": Part("shifts that you have not seen", 1, far_shifts, hidden=True, atol=1e-4),
    "PositionalEncoding": Part("sizes that you have not seen", 1, added_encodings, hidden=True),
    "LearnedPositions": Part("sizes that you have not seen", 1, learned_sizes, hidden=True),
    "apply_rotary": Part("sizes that you have not seen", 1, rotary_sizes, hidden=True),
}
