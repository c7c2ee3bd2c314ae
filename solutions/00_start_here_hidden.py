"""Parts of the checks of 00_start_here that run only when work is graded. Learners do not get this file."""

import torch

from course_lib.checks.exercise import Part


def softmax_sizes(softmax, inputs):
    # Equal scores share evenly along rows and columns; a single score gets everything.
    level = inputs.uniform(-5, 5, 1)
    return {
        "weights (equal scores): row column": softmax(level.expand(9, 9).clone()),
        "weights (one score): row column": softmax(inputs.normal(1, 1)),
        "weights (five axes): a b c row column": softmax(level.expand(2, 1, 3, 4, 5).clone()),
        "weights (one row): row column": softmax(level.expand(1, 4).clone()),
    }


def mean_sizes(masked_mean, inputs):
    # No padding and one sentence at a time, so that a slip in the count is not punished twice.
    results = {}
    for seq, d_model in ((6, 2), (1, 3), (4, 1)):
        real = torch.ones(1, seq, dtype=torch.bool)
        results[f"mean ({seq} words): batch d_model"] = masked_mean(inputs.normal(1, seq, d_model), real)
    return results


PARTS = {
    "softmax": Part("sizes that you have not seen", 1, softmax_sizes, hidden=True),
    "masked_mean": Part("sizes that you have not seen", 1, mean_sizes, hidden=True),
}
