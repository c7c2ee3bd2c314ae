"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import torch

from course_lib.checks.gradients import gradients_of, in_both_modes, parameters
from course_lib.exercises.gpt.continuation_targets import UNK, continuation_targets, sequences
from course_lib.exercises.gpt.GPT import GPT, with_tied_numbers
from course_lib.exercises.gpt.GroupedQueryAttention import GroupedQueryAttention
from course_lib.exercises.gpt.rms_norm import rms_norm
from course_lib.exercises.gpt.SwiGLU import SwiGLU
from course_lib.exercises.positional_encoding.apply_rotary import turns


@rms_norm.at_once
def normalized(norm, inputs):
    batch, seq, d_model = inputs.integers(2, 9, 3).tolist()
    eps, x, gain = inputs.chance(), 1 + 3 * inputs.normal(batch, seq, d_model), 3 * inputs.normal(d_model)
    leaves = {"x": x.requires_grad_(), "gain": gain.requires_grad_()}
    output = norm(x, gain, eps=eps)
    small, wide = 0.01 * inputs.normal(2, batch, seq, d_model).double(), gain.detach().double()
    return {
        f"output (eps {eps}): batch seq d_model": output,
        "output (float64, four axes): batch heads seq d_model": norm(small, wide),
        "output (float64, eps 1e-3): batch heads seq d_model": norm(small, wide, 1e-3),
        **gradients_of(output, leaves),
    }


@SwiGLU.at_once
@in_both_modes
def gated(build, inputs):
    d_model, d_ff, seq = inputs.integers(2, 9, 3).tolist()
    layer, x = build(d_model, d_ff), 3 * inputs.normal(3, seq, d_model).requires_grad_()
    output = layer(x)
    found = gradients_of(output, {"x": x} | parameters(layer))
    other, more = build(d_ff, d_model), 3 * inputs.normal(2, seq + 1, d_ff).double()
    other.double()
    return found | {
        "output: batch seq d_model": output,
        "output (float64, of another layer): batch seq d_model": other(more),
        "output (another size): batch seq d_model": layer(x[1:, :1].detach()),
    }


@GroupedQueryAttention.at_once
@in_both_modes
def attended(build, inputs):
    (kv_heads, group, half), seq = inputs.integers(1, 4, 3).tolist(), int(inputs.integers(3, 8, 1))
    sizes = 2 * half * group * kv_heads, group * kv_heads, kv_heads
    layer, x = build(*sizes), inputs.normal(3, seq, sizes[0]).requires_grad_()
    places = torch.randperm(20, generator=inputs.generator)[:seq].sort().values
    cos, sin = (table[places] for table in turns(20, 2 * half))
    output, weights = layer(x, cos, sin)
    found = gradients_of(output, {"x": x} | parameters(layer), of="output")
    longer, tables = inputs.normal(2, seq + 2, sizes[0]), turns(seq + 2, 2 * half)
    more = layer(longer, *tables)
    layer.double()
    far = torch.cat([longer[:, :-1], 1e6 * longer[:, -1:]], dim=1).double()  # no other word reads it
    wide = layer(far, *(table.double() for table in tables))
    return found | {
        "output: batch seq d_model": output,
        "weights: batch heads seq seq": weights,
        "output (longer): batch seq d_model": more[0],
        "weights (longer): batch heads seq seq": more[1],
        "output (float64, a large last word): batch seq d_model": wide[0][:, :-1],
        "weights (float64, a large last word): batch heads seq seq": wide[1][:, :, :-1],
    }


@GPT.at_once
@in_both_modes
def written(build, inputs):
    (kv_heads, group, half, layers), seq = inputs.integers(1, 4, 4).tolist(), int(inputs.integers(3, 8, 1))
    vocab, d_ff = inputs.integers(6, 13, 2).tolist()
    sizes = vocab, 2 * half * group * kv_heads, group * kv_heads, kv_heads, d_ff, layers
    model, ids = with_tied_numbers(build(*sizes)), inputs.integers(0, vocab, 3, seq)
    logits = model(ids)
    found = gradients_of(logits, parameters(model))
    more = model(inputs.integers(0, vocab, 2, seq + 2))
    model.double()
    return found | {
        "logits: batch seq vocab": logits,
        "logits (longer): batch seq vocab": more,
        "logits (float64): batch seq vocab": model(ids),
    }


@continuation_targets.at_once
def targets_of_a_batch(targets, inputs):
    found = {}
    for batch in (1, 5):
        ids = sequences(inputs, inputs.integers(1, 9, batch, 2).tolist())
        unknown = (ids > UNK) & (inputs.uniform(0, 1, *ids.shape) < 0.4)
        found[f"targets ({batch} of different lengths, some words unknown): batch seq"] = targets(
            ids.masked_fill(unknown, UNK)
        )
    return found
