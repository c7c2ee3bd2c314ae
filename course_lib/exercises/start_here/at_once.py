"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

from itertools import product

import torch

from course_lib.checks.gradients import gradients_of
from course_lib.checks.inputs import as_transposed
from course_lib.checks.ordinary import DTYPES, in_words
from course_lib.checks.properties import told_of_leaks
from course_lib.exercises.start_here.masked_mean import masked_mean
from course_lib.exercises.start_here.softmax import softmax

SCORES = "scores of both signs", "scores above 0", "scores below 0", "rows far apart", "scores far apart"


@softmax.at_once
def rows_of_scores(softmax, inputs):
    found = {}
    for case in inputs.cases(
        24,
        {("scores", "hidden"): [*product(SCORES, ("all finite", "some minus infinity"))]},
        dtype=(*DTYPES,),
        axes=("2 axes", "3 axes", "4 axes", "3 axes of a transpose"),
    ):
        found |= weights_of(softmax, inputs, in_words(case), **case)
    far = torch.tensor([[1e6], [-1e6], [1e12], [-1e12]], dtype=torch.float64)
    huge = inputs.normal(4, 5).double() + far  # float32 would round such scores
    half = softmax(inputs.normal(2, 3).bfloat16())
    return found | {
        "weights (scores of any size, float64): row column": softmax(huge),
        "weights (of scores in bfloat16, set to 0): row column": torch.zeros_like(half),
    }


def weights_of(softmax, inputs, label, scores, hidden, dtype, axes):
    *lead, rows, columns = inputs.integers(1, 5, int(axes[0])).tolist()
    x = inputs.normal(*lead, rows, columns + 1)
    x = {
        "scores of both signs": x,
        "scores above 0": x.abs() + 0.1,
        "scores below 0": -x.abs(),
        "rows far apart": x + 200 * x[..., :1].sign(),
        "scores far apart": torch.cat([x, x[..., :1] + 2000 * x[..., :1].sign(), x[..., -1:]], dim=-1),
    }[scores]
    out = ~inputs.mask(*x.shape) if hidden == "some minus infinity" else torch.zeros_like(x, dtype=torch.bool)
    out[..., [0, -1]] = False  # of one score alone no gradient flows
    x = x.masked_fill(out, -torch.inf).to(DTYPES[dtype])
    x = (as_transposed(x, -2, -1) if axes == "3 axes of a transpose" else x).requires_grad_()
    weights, label = softmax(x), f"{label}, shape {tuple(x.shape)}"
    return {
        f"weights ({label}): {'batch head row column'.split(' ', 4 - x.dim())[-1]}": weights,
        f"hidden ({label})": told_of_leaks(weights, out, "A score of minus infinity"),
        **gradients_of(weights, {"scores": x}, of="weights", case=label),
    }


@masked_mean.at_once
def padded_sentences(mean, inputs):
    half = mean(inputs.normal(2, 3, 4).bfloat16(), inputs.mask(2, 3))
    found = {"mean (of words in bfloat16, set to 0): batch d_model": torch.zeros_like(half)}
    for case in inputs.cases(
        24,
        dtype=(*DTYPES,),
        sentences=("1 sentence", "several sentences"),
        words=("words of both signs", "words above 0"),
        padding=("no padding", "padding at the end", "padding anywhere", "an empty sentence too"),
        pads=("pads are 0", "pads are like words", "pads are large"),
    ):
        found |= mean_of(mean, inputs, in_words(case), **case)
    return found


def mean_of(mean, inputs, label, dtype, sentences, words, padding, pads):
    batch, seq, d_model = inputs.integers(2, 6, 3).tolist()
    batch = 1 if sentences == "1 sentence" else batch
    mask = {
        "no padding": torch.ones(batch, seq, dtype=torch.bool),
        "padding at the end": torch.arange(seq) < inputs.integers(1, seq, batch, 1),
        "padding anywhere": inputs.mask(batch, seq),
        "an empty sentence too": inputs.mask(batch + 1, seq) & (torch.arange(batch + 1) < batch)[:, None],
    }[padding]
    x = inputs.normal(*mask.shape, d_model)
    x = x.abs() + 0.1 if words == "words above 0" else x
    size = {"pads are 0": 0, "pads are like words": 1, "pads are large": 1e6}[pads]
    x = x.where(mask[:, :, None], size * x).to(DTYPES[dtype]).requires_grad_()
    average, label = mean(x, mask), f"{label}, shape {tuple(x.shape)}"
    return {
        f"mean ({label}): batch d_model": average,
        **gradients_of(average, {"x": x}, of="mean", case=label),
    }
