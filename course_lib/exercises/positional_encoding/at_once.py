"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import itertools

import torch

from course_lib.checks.gradients import CUT, gradients_of, parameters
from course_lib.checks.inputs import as_transposed
from course_lib.checks.ordinary import DTYPES, SIGNS, WAYS, built, in_words, passed
from course_lib.exercises.positional_encoding.apply_rotary import apply_rotary, turns
from course_lib.exercises.positional_encoding.LearnedPositions import LearnedPositions
from course_lib.exercises.positional_encoding.PositionalEncoding import (
    SHARES,
    PositionalEncoding,
    share_kept,
)
from course_lib.exercises.positional_encoding.shift_matrix import shift_matrix, square
from course_lib.exercises.positional_encoding.sinusoidal_encoding import reference as encoding_of
from course_lib.exercises.positional_encoding.sinusoidal_encoding import sinusoidal_encoding


def words(inputs, dtype: str, numbers: str, *shape: int) -> torch.Tensor:
    x = inputs.normal(*shape).to(DTYPES[dtype])
    return (x.abs() + 0.1 if numbers == "numbers above 0" else x).requires_grad_()


@sinusoidal_encoding.at_once
def encodings(encoding, inputs):
    found = {}
    for case in inputs.cases(12, d_model=("even", "odd"), length=("1", "several"), pairs=("1", "several")):
        length, pairs = (1 if case[size] == "1" else inputs.integer(2, 13) for size in ("length", "pairs"))
        d_model = 2 * pairs + (case["d_model"] == "odd")
        found[f"encoding (length {length}, d_model {d_model}): position d_model"] = encoding(length, d_model)
    return found


@shift_matrix.at_once
def shifts(shift, inputs):
    found = {}
    for case in inputs.cases(12, k=("forward", "back", "by 0"), pairs=("1", "several")):
        k, length, pairs = inputs.integers(3, 12, 3).tolist()
        k, pairs = {"forward": k, "back": -k, "by 0": 0}[case["k"]], 1 if case["pairs"] == "1" else pairs
        moved = encoding_of(length, 2 * pairs) @ square(shift, k, 2 * pairs).mT
        found[f"moved (k = {k}, d_model {2 * pairs}): position d_model"] = moved
    return found


SHARE = "With dropout={0} your module makes {1:.1%} of the numbers 0, expected {0:.0%}."
STOPPED = "With dropout={0} the gradient of `x` is not what it is with nn.Dropout."
OTHER = "In training with dropout={0} your output is {1}, expected {2}."


def share_dropped(module, x, p) -> str:
    """A finding: whether a share p of the numbers is dropped. A right one is told once in 10**11 times."""
    share, spread = (module.forward(x) == 0).double().mean().item(), (p * (1 - p) / x.numel()) ** 0.5
    return SHARE.format(p, share) if abs(share - p) > 7 * spread else ""


def told_of_training(module, x, plain, p) -> str:
    """A finding: whether the module drops some numbers of the sum, and which gradient x gets."""
    output = module.forward(x)
    got, expected = ((tuple(tensor.shape), tensor.dtype) for tensor in (output, plain))
    if got != expected:
        return OTHER.format(p, got, expected)
    if not torch.allclose(output, torch.where(output == 0, 0, plain / (1 - p)), atol=1e-5):
        return SHARES.format(p)
    if not output.requires_grad:
        return CUT.format("x")
    (slope,) = torch.autograd.grad(output.pow(2).sum(), [x], allow_unused=True)
    if slope is None:
        return CUT.format("x")
    return "" if torch.allclose(slope, 2 * output / (1 - p), rtol=1e-3, atol=1e-4) else STOPPED.format(p)


def told_of_many(build, inputs, dtype) -> str:
    """A finding: what is dropped of so many numbers that the share is known."""
    d_model, seq, p = *inputs.integers(3, 7, 2).tolist(), inputs.chance()
    module, x = build.fresh(d_model, seq, dropout=p), inputs.normal(1500, seq, d_model)
    if dtype == "float64":
        module.double()
    x = x.to(DTYPES[dtype])
    plain = x + encoding_of(seq, d_model).to(x.dtype)
    return share_kept(module, x, plain, p) or share_dropped(module, x, p)


@PositionalEncoding.at_once
def encoded(build, inputs):
    found = {f"share that is dropped ({dtype})": told_of_many(build, inputs, dtype) for dtype in DTYPES}
    modes = "in training mode", "in evaluation mode"
    for case in inputs.cases(
        12,
        {("way", "dtype", "mode"): [*itertools.product(WAYS, DTYPES, modes)]},
        width=("even", "odd"),
        sentences=("1 sentence", "several sentences"),
        length=("1 word", "several words", "as long as the table"),
        numbers=SIGNS,
    ):
        found |= sum_of(build, inputs, **case)
    return found


def sum_of(build, inputs, way, dtype, mode, width, sentences, length, numbers):
    d_model, seq, p = 2 * inputs.integer(2, 5), inputs.integer(3, 7), inputs.chance()
    d_model += width == "odd"
    option, by_position, by_name = passed(way, dropout=p)
    module = build.fresh(d_model, seq, *by_position, **by_name)
    if dtype == "float64":
        module.double()
    if mode == "in evaluation mode":
        module.eval()
    seq = {"1 word": 1, "several words": seq - 1}.get(length, seq)
    batch = 1 if sentences == "1 sentence" else inputs.integer(2, 6)
    x = words(inputs, dtype, numbers, batch, seq, d_model)
    label = f"{dtype}, {mode}, {numbers}, {option}, shape {tuple(x.shape)}"
    if mode == "in training mode" and way != "not given":
        plain = (x + encoding_of(seq, d_model).to(x.dtype)).detach()
        return {f"training ({label})": told_of_training(module, x, plain, p)}
    output = module(x) if mode == "in training mode" else module.forward(x)  # which is not called again
    return {
        f"output ({label}): batch seq d_model": output,
        **gradients_of(output, {"x": x}, of="output", case=label),
    }


@LearnedPositions.at_once
def learned(build, inputs):
    found = {}
    for case in inputs.cases(
        8,
        dtype=(*DTYPES,),
        mode=("training", "evaluation"),
        sentences=("1 sentence", "several sentences"),
        length=("1 word", "several words", "as long as the table"),
        numbers=SIGNS,
    ):
        d_model, seq, batch = inputs.integers(2, 7, 3).tolist()
        module = built(build, case["dtype"], case["mode"], d_model, seq + 1)
        seq = {"1 word": 1, "several words": seq}.get(case["length"], seq + 1)
        batch = 1 if case["sentences"] == "1 sentence" else batch
        x = words(inputs, case["dtype"], case["numbers"], batch, seq, d_model)
        output, label = module(x), f"{in_words(case)}, shape {tuple(x.shape)}"
        leaves = {"x": x} | parameters(module)
        found[f"output ({label}): batch seq d_model"] = output
        found |= gradients_of(output, leaves, of="output", case=label)
    return found


@apply_rotary.at_once
def turned_heads(rotary, inputs):
    found = {}
    for case in inputs.cases(
        20,
        dtype=(*DTYPES,),
        axes=("seq d_k", "batch seq d_k", "batch heads seq d_k", "layer batch heads seq d_k"),
        first=("from place 0 on", "from a later place on"),
        pairs=("1 pair", "several pairs"),
        memory=("in order", "made by a transpose"),
        numbers=SIGNS,
    ):
        *lead, seq, pairs, first = inputs.integers(1, 5, len(case["axes"].split()) + 1).tolist()
        pairs, first = 1 if case["pairs"] == "1 pair" else pairs + 1, first * ("later" in case["first"])
        x = words(inputs, case["dtype"], case["numbers"], *lead, seq, 2 * pairs)
        if case["memory"] == "made by a transpose" and "heads" in case["axes"]:
            x = as_transposed(x.detach()).requires_grad_()
        angles = [table[first:].to(x.dtype) for table in turns(first + seq, 2 * pairs)]
        turned, label = rotary(x, *angles), f"{in_words(case)}, shape {tuple(x.shape)}"
        found[f"turned ({label}): {case['axes']}"] = turned
        found |= gradients_of(turned, {"x": x}, of="turned", case=label)
    return found
