"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import torch

from course_lib.checks.gradients import gradients_of, in_both_modes
from course_lib.exercises.encoder_decoder.attention_maps import attention_maps
from course_lib.exercises.encoder_decoder.decoder_mask import decoder_mask
from course_lib.exercises.encoder_decoder.DecoderLayer import DecoderLayer
from course_lib.exercises.encoder_decoder.EncoderLayer import EncoderLayer
from course_lib.exercises.encoder_decoder.maps import KINDS, by_layer, made
from course_lib.exercises.encoder_decoder.parameter_count import parameter_count
from course_lib.exercises.encoder_decoder.parts import leaves
from course_lib.exercises.encoder_decoder.Transformer import Transformer, with_tied_numbers


def sizes_of_layers(inputs):
    """d_model, heads, d_ff."""
    heads, d_k, d_ff = inputs.integers(2, 6, 3).tolist()
    return heads * d_k, heads, d_ff + 3


def padded(inputs, vocab, lengths, pad=0):
    """Ids (batch, longest of the lengths), of words from 4 on, with padding on the right."""
    ids = inputs.integers(4, vocab, len(lengths), int(max(lengths)))
    return ids.masked_fill(torch.arange(int(max(lengths))) >= torch.as_tensor(lengths)[:, None], pad)


@EncoderLayer.at_once
@in_both_modes
def encoded(build, inputs):
    sizes, seq = sizes_of_layers(inputs), int(inputs.integers(3, 8, 1))
    layer, x, mask = build(*sizes), inputs.normal(3, seq, sizes[0]), inputs.mask(3, seq, seq)
    named = leaves(layer, x=x)
    output = layer(x, mask)
    found = gradients_of(output, named)
    longer, real = inputs.normal(2, seq + 2, sizes[0]), inputs.mask(2, 1, seq + 2)
    far = longer.masked_fill(~real.mT, 1e6).double()  # no word that counts reads padding
    more = layer(longer, mask=real)
    layer.double()
    return found | {
        "x: batch seq d_model": output,
        "x (longer, a mask for padding): batch seq d_model": more,
        "x (float64, words that are not padding): word d_model": layer(far, mask=real)[real[:, 0]],
    }


@DecoderLayer.at_once
@in_both_modes
def decoded(build, inputs):
    sizes, (target, source) = sizes_of_layers(inputs), inputs.integers(3, 8, 2).tolist()
    layer, x, memory = build(*sizes), inputs.normal(3, target, sizes[0]), inputs.normal(3, source, sizes[0])
    masks = inputs.mask(3, target, target), inputs.mask(3, target, source)
    named = leaves(layer, x=x, memory=memory)
    output = layer(x, memory, *masks)
    found = gradients_of(output, named)
    longer, past = inputs.normal(2, target + 2, sizes[0]), torch.ones(target + 2, target + 2).tril().bool()
    real = inputs.mask(2, 1, source)
    far = memory[:2].detach().masked_fill(~real.mT, 1e6).double()  # no word reads padding
    more = layer(longer, memory[1:].detach(), mask=past, memory_mask=real)
    layer.double()
    return found | {
        "x: batch target d_model": output,
        "x (longer, other masks): batch target d_model": more,
        "x (float64): batch target d_model": layer(longer.double(), far, memory_mask=real, mask=past),
    }


@decoder_mask.at_once
def masked(mask, inputs):
    pad = int(inputs.integers(1, 4, 1))
    ids = padded(inputs, 20, inputs.integers(1, 9, 5), pad)
    zero = (ids != pad) & (inputs.uniform(0, 1, *ids.shape) < 0.3)  # a word like others
    return {
        "mask: batch query key": mask(padded(inputs, 20, inputs.integers(1, 9, 4))),
        f"mask (pad {pad}): batch query key": mask(ids.masked_fill(zero, 0), pad),
        f"mask (one sentence, pad {pad}): batch query key": mask(ids[2:3], pad=pad),
    }


@Transformer.at_once
@in_both_modes
def translated(build, inputs):
    (d_model, heads, d_ff), layers = sizes_of_layers(inputs), int(inputs.integers(1, 4, 1))
    d_model += d_model % 2 * heads  # sines and cosines are pairs
    vocab = inputs.integers(8, 14, 2).tolist()
    model = with_tied_numbers(build(*vocab, d_model, heads, d_ff, layers))
    source, target = (padded(inputs, size, inputs.integers(1, 8, 3)) for size in vocab)
    real = target != 0  # logits of padding are not used
    logits = model(source, target)
    found = gradients_of(logits[real], leaves(model))
    more = model(inputs.integers(4, vocab[0], 2, 9), inputs.integers(4, vocab[1], 2, 8))
    model.double()
    return found | {
        "logits (of words): word vocab": logits[real],
        "logits (longer): batch target vocab": more,
        "logits (float64): word vocab": model(source, target)[real],
    }


@attention_maps.at_once
def maps_of_a_model(answer, inputs):
    found = {}
    first = int(inputs.integers(1, 4, 1))
    for layers, training in ((first, False), (first + 1, True)):
        heads = int(inputs.integers(1, 4, 1))
        model = made(inputs, layers, heads, d_model=2 * heads).train(training)
        model.encoder[0].requires_grad_(training)  # somebody may have frozen a part
        ids = (padded(inputs, 11, inputs.integers(1, 7, 4)) for _ in range(2))
        with torch.set_grad_enabled(training):
            maps = answer(model, *ids)
        for kind in KINDS:
            found |= by_layer(maps, kind, layers)
    return found


@parameter_count.at_once
def counted(count, inputs):
    vocab, d_model, d_ff = inputs.integers(5, 60, 3).tolist()
    return {
        f"parameters ({layers} layers a stack)": int(count(vocab, d_model, d_ff, layers)) for layers in (5, 2)
    }
