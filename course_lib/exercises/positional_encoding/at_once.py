"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

from course_lib.checks.gradients import gradients_of, in_both_modes, parameters
from course_lib.checks.inputs import as_transposed
from course_lib.exercises.positional_encoding.apply_rotary import apply_rotary, turns
from course_lib.exercises.positional_encoding.LearnedPositions import LearnedPositions
from course_lib.exercises.positional_encoding.PositionalEncoding import PositionalEncoding, share_kept
from course_lib.exercises.positional_encoding.shift_matrix import shift_matrix, square
from course_lib.exercises.positional_encoding.sinusoidal_encoding import reference as encoding_of
from course_lib.exercises.positional_encoding.sinusoidal_encoding import sinusoidal_encoding


@sinusoidal_encoding.at_once
def odd_and_even(encoding, inputs):
    length, pairs = inputs.integers(4, 12, 2).tolist()
    return {
        f"encoding (d_model {d_model}): position d_model": encoding(length, d_model)
        for d_model in (2 * pairs, 2 * pairs + 1)
    }


@shift_matrix.at_once
def shifts(shift, inputs):
    pairs, length, k = inputs.integers(3, 12, 3).tolist()
    table = encoding_of(length, 2 * pairs)
    return {
        f"moved (k = {step}, d_model {2 * pairs}): position d_model": (
            table @ square(shift, step, 2 * pairs).mT
        )
        for step in (k, -k)
    }


SHARE = "With dropout={0} your module makes {1:.1%} of the numbers 0, expected {0:.0%}."


def share_dropped(module, x, p) -> str:
    """A finding: whether a share p of the numbers is dropped. A right one is told once in 10**11 times."""
    share, spread = (module.forward(x) == 0).double().mean().item(), (p * (1 - p) / x.numel()) ** 0.5
    return SHARE.format(p, share) if abs(share - p) > 7 * spread else ""


@PositionalEncoding.at_once
def encoded(build, inputs):
    d_model, seq, p = 2 * int(inputs.integers(2, 6, 1)), int(inputs.integers(3, 9, 1)), inputs.chance()
    module, x = build.fresh(d_model, seq + 3, dropout=p), inputs.normal(2000, seq, d_model).requires_grad_()
    module.eval()
    plain, shorter = module(x), module(x[:2, :2])
    flows = gradients_of(plain, {"x": x})
    module.train()
    return {
        "training": share_kept(module, x, plain, p) or share_dropped(module, x, p),
        f"output (dropout={p}, after `.eval()`): batch seq d_model": plain,
        f"output (2 words, dropout={p}, after `.eval()`): batch seq d_model": shorter,
        **flows,
    }


@LearnedPositions.at_once
@in_both_modes
def learned(build, inputs):
    d_model, seq, batch = inputs.integers(2, 9, 3).tolist()
    module, x = build(d_model, seq + 3), inputs.normal(batch, seq, d_model).requires_grad_()
    output, longer = module(x), module(inputs.normal(3, seq + 3, d_model))
    return {
        "output: batch seq d_model": output,
        "output (as long as the table): batch seq d_model": longer,
        **gradients_of(output, {"x": x} | parameters(module)),
    }


@apply_rotary.at_once
def turned_heads(rotary, inputs):
    batch, heads, seq, pairs, first = inputs.integers(2, 7, 5).tolist()
    x = inputs.normal(batch, heads, seq, 2 * pairs).requires_grad_()
    angles = [table[first:] for table in turns(first + seq, 2 * pairs)]
    turned = rotary(x, *angles)
    wide = rotary(as_transposed(x.detach().double()), *(table.double() for table in angles))
    return {
        "turned: batch heads seq d_k": turned,
        "turned (heads made by a transpose, float64): batch heads seq d_k": wide,
        **gradients_of(turned, {"x": x}),
    }
