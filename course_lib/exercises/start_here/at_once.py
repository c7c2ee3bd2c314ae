"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import torch

from course_lib.checks.gradients import gradients_of
from course_lib.exercises.start_here.masked_mean import masked_mean
from course_lib.exercises.start_here.softmax import softmax, told_of_leaks


@softmax.at_once
def rows_of_heads(softmax, inputs):
    batch, heads, rows, columns = inputs.integers(2, 7, 4).tolist()
    scores = inputs.normal(batch, heads, rows, columns) + 200 * inputs.normal(batch, heads, rows, 1).sign()
    seen = inputs.mask(batch, heads, rows, columns)
    hidden = scores.masked_fill(~seen, -torch.inf)
    weights, some = softmax(scores.requires_grad_()), softmax(hidden.detach())
    return {
        "weights: batch head row column": weights,
        "weights (some scores are minus infinity): batch head row column": some,
        "weights (some are minus infinity, float64): batch head row column": softmax(hidden.double()),
        "hidden": told_of_leaks(some, ~seen, "A score of minus infinity"),
        **gradients_of(weights, {"scores": scores}),
    }


@masked_mean.at_once
def padding_of_any_numbers(mean, inputs):
    batch, seq, d_model = inputs.integers(2, 8, 3).tolist()
    mask = inputs.mask(batch + 1, seq)
    mask[batch] = False  # nothing but padding
    words = inputs.normal(batch + 1, seq, d_model).requires_grad_()
    x = torch.where(mask[:, :, None], words, 1e9 * words.sign()).detach()
    return {
        "mean: batch d_model": mean(x, mask),
        "mean (float64): batch d_model": mean(x.double(), mask),
        **gradients_of(mean(words, mask), {"x": words}),
    }
