"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import functools
from itertools import product

import torch

from course_lib.checks.gradients import gradients_of
from course_lib.checks.ordinary import DTYPES, SENTENCES, built, in_turn, in_words
from course_lib.exercises.encoder_decoder.attention_maps import attention_maps
from course_lib.exercises.encoder_decoder.decoder_mask import decoder_mask
from course_lib.exercises.encoder_decoder.DecoderLayer import DecoderLayer
from course_lib.exercises.encoder_decoder.EncoderLayer import EncoderLayer
from course_lib.exercises.encoder_decoder.maps import KINDS, by_layer, made
from course_lib.exercises.encoder_decoder.parameter_count import parameter_count
from course_lib.exercises.encoder_decoder.parts import leaves
from course_lib.exercises.encoder_decoder.Transformer import Transformer, with_tied_numbers
from course_lib.exercises.layer_norm.cases import MODES, NUMBERS, numbers, told

HEADS, BY = ("1 head", "2 heads", "3 heads"), ("masks by position", "masks by name")
LENGTHS = "no padding", "padding", "one word"


def sizes_of_layers(inputs, heads):
    """d_model, heads, d_ff. A d_model of 2 would leave nothing when it is normalized."""
    count, (d_k, d_ff) = int(heads[0]), inputs.integers(2, 4, 2).tolist()
    return count * (2 * d_k if count < 3 else 2), count, d_ff + 3


def real_words(inputs, kind, batch, most=7):
    """Boolean (batch, words): False for padding, on the right, of which the first sentence has some."""
    size = 1 if kind == "one word" else inputs.integer(3, most)
    lengths = inputs.integers(1, size + 1, batch) if kind == "padding" else torch.full((batch,), size)
    lengths[0] = size - (kind == "padding")
    return torch.arange(size) < lengths[:, None]


def a_mask(inputs, kind, real, rows):
    """A mask of this kind, (rows, columns) or with an axis for sentences; in its last row two words count."""
    batch, columns = real.shape
    if kind == "no mask":
        return None
    if kind == "a mask for padding":
        return real[:, None]
    past = torch.ones(rows, columns, dtype=torch.bool).tril()
    if kind in ("the causal mask", "causal and padding"):
        return past if kind == "the causal mask" else past & real[:, None]
    mask = inputs.mask(rows, columns) if kind == "a mask of two axes" else inputs.mask(batch, rows, columns)
    mask[..., -1, :2] = True
    return mask


def that_learn(layer, single, **inputs):
    """The leaves that learn: no score moves the weight of a single word. single: attentions to such a one."""
    still = tuple(f"{name}.{part}.weight" for name in single for part in ("query", "key"))
    still += tuple(f"{name}.query.bias" for name in single)
    return {name: leaf for name, leaf in leaves(layer, **inputs).items() if not name.endswith(still)}


NOT_CALLED = "No hook of `{0}` runs. Call it itself, as in `layer(x)`, and not its `forward` or its parts."


def told_of_hooks(layer, parts, *given) -> str:
    """A finding: whether each of these parts is called as a module is."""
    heard = set()
    for part in parts:
        layer.get_submodule(part).register_forward_hook(lambda *_, part=part: heard.add(part))
    layer(*given)
    return next((NOT_CALLED.format(part) for part in parts if part not in heard), "")


def layers_of(build, inputs):
    """Gives d_model and a layer for a dtype, a mode and a number of heads, for the same ones the same."""

    @functools.cache
    def layer_of(dtype, mode, heads):
        sizes = sizes_of_layers(inputs, heads)
        return sizes[0], built(build, dtype, mode, *sizes)

    return layer_of


@EncoderLayer.at_once
def encoded(build, inputs):
    found, layer_of = {}, layers_of(build, inputs)
    masks = "no mask", "a mask for padding", "a mask of two axes", "a mask for each word", "the causal mask"
    for case in inputs.cases(
        16,
        dtype=(*DTYPES,),
        mode=MODES,
        heads=HEADS,
        batch=(*SENTENCES,),
        x=NUMBERS,
        mask=(*masks, "one word"),
        by=BY,
    ):
        d_model, layer = layer_of(case["dtype"], case["mode"], case["heads"])
        lengths = {"a mask for padding": "padding", "one word": "one word"}.get(case["mask"], "no padding")
        real = real_words(inputs, lengths, SENTENCES[case["batch"]])
        mask = a_mask(inputs, case["mask"], real, real.shape[1]) if lengths != "one word" else None
        x = numbers(inputs, case["x"], *real.shape, d_model).masked_fill(~real[..., None], 1e6)
        x = x.to(DTYPES[case["dtype"]])  # no word that counts reads padding
        learn = that_learn(layer, ("self_attention",) if lengths == "one word" else (), x=x)
        output = layer(x, mask) if case["by"] == "masks by position" else layer(x, mask=mask)
        found |= told("x (of words that are no padding)", "word d_model", output[real], learn, case)
    parts = "self_attention", "norm1", "feed_forward", "norm2"
    return found | {"hooks": told_of_hooks(build(4, 2, 6), parts, inputs.normal(1, 3, 4))}


@DecoderLayer.at_once
def decoded(build, inputs):
    found, layer_of, first = {}, layers_of(build, inputs), inputs.integer(0, 2)
    masks = "no mask", "the causal mask", "a mask of two axes", "causal and padding", "a mask for each word"
    of_memory = "no mask", "a mask for padding", "a mask of two axes", "a mask for each word"
    pairs = enumerate(product((*masks, "one word"), of_memory))
    some = [pair for place, pair in pairs if (place + place // 4 + first) % 2]
    for case in inputs.cases(
        12,
        {("mask", "memory_mask"): some},
        dtype=(*DTYPES,),
        mode=MODES,
        heads=HEADS,
        batch=(*SENTENCES,),
        x=NUMBERS,
        by=BY,
    ):
        d_model, layer = layer_of(case["dtype"], case["mode"], case["heads"])
        batch, mask, memory_mask = SENTENCES[case["batch"]], case["mask"], case["memory_mask"]
        lengths = {"causal and padding": "padding", "one word": "one word"}.get(mask, "no padding")
        written = real_words(inputs, lengths, batch)
        padding = memory_mask == "a mask for padding"
        real = real_words(inputs, "padding" if padding else "no padding", batch)
        kind = "no mask" if lengths == "one word" else mask
        target = written.shape[1]
        given = a_mask(inputs, kind, written, target), a_mask(inputs, memory_mask, real, target)
        x, memory = (
            numbers(inputs, case["x"], *words.shape, d_model)
            .masked_fill(~words[..., None], 1e6)  # no word that counts reads padding
            .to(DTYPES[case["dtype"]])
            for words in (written, real)
        )
        learn = that_learn(layer, ("self_attention",) if target == 1 else (), x=x, memory=memory)
        by_name = dict(zip(("memory_mask", "mask"), given[::-1], strict=True))
        by_position = case["by"] == "masks by position"
        output = layer(x, memory, *given) if by_position else layer(x, memory, **by_name)
        found |= told("x (of words that are no padding)", "word d_model", output[written], learn, case)
    parts = "self_attention", "norm1", "cross_attention", "norm2", "feed_forward", "norm3"
    return found | {"hooks": told_of_hooks(build(4, 2, 6), parts, *inputs.normal(2, 1, 3, 4))}


@decoder_mask.at_once
def masked(mask, inputs):
    found = {}
    cases = inputs.cases(
        24,
        batch=(*SENTENCES, "5 sentences"),
        lengths=(*LENGTHS, "a sentence of padding alone"),
        pad=("the usual pad", "pad by position", "pad by name"),
        words=("no word is 0", "0 is a word"),
    )
    for label, case in in_turn("call {0}", cases):
        real = real_words(inputs, case["lengths"], int(case["batch"][0]), most=12)
        real[-1] &= case["lengths"] != "a sentence of padding alone"
        pad, ids = inputs.integer(1, 4), inputs.integers(4, 20, *real.shape)
        if case["words"] == "0 is a word" and case["pad"] != "the usual pad":
            ids = ids.masked_fill(inputs.uniform(0, 1, *ids.shape) < 0.3, 0)
        ids = ids.masked_fill(~real, 0 if case["pad"] == "the usual pad" else pad)
        by_name = {"pad": pad} if case["pad"] == "pad by name" else {}
        got = mask(ids, pad) if case["pad"] == "pad by position" else mask(ids, **by_name)
        found[f"mask ({label}): batch query key"] = got
    return found


def models_of(build, inputs):
    """Gives the sizes of both vocabularies and a model, for the same dtype and shape the same."""

    @functools.cache
    def model_of(dtype, shape):
        vocab, sizes = inputs.integers(8, 14, 2).tolist(), sizes_of_layers(inputs, shape)
        layers = int(shape.partition(", ")[2][0])
        return vocab, with_tied_numbers(built(build, dtype, "training", *vocab, *sizes, layers))

    return model_of


@Transformer.at_once
def translated(build, inputs):
    found, model_of, first = {}, models_of(build, inputs), inputs.integer(0, 2)
    kinds = [  # of both languages each beside each, and each in both dtypes
        ([*DTYPES][(first + i + j) % 2], f"a source with {LENGTHS[i]}", f"a target with {LENGTHS[j]}")
        for i, j in product(range(3), repeat=2)
    ]
    for case in inputs.cases(
        9,
        {("dtype", "source", "target"): kinds},
        mode=MODES,
        batch=(*SENTENCES,),
        shape=("1 head, 2 layers", "3 heads, 1 layer"),
    ):
        vocab, model = model_of(case["dtype"], case["shape"])
        model.train(case["mode"] == "training")
        words = [
            real_words(inputs, case[which].rpartition("with ")[2], SENTENCES[case["batch"]])
            for which in ("source", "target")
        ]
        source, target = (
            inputs.integers(1, size, *real.shape).masked_fill(~real, 0)
            for size, real in zip(vocab, words, strict=True)
        )
        single = [f"decoder.{i}.self_attention" for i in range(2) if target.shape[1] == 1]
        if source.shape[1] == 1:
            single += ["cross_attention", *(f"encoder.{i}.self_attention" for i in range(2))]
        logits = model(source, target)[words[1]]  # those of padding are not used
        found |= told("logits (of words)", "word vocab", logits, that_learn(model, single), case)
    model, parts = build(9, 8, 4, 2, 6, 1), ("encoder.0", "decoder.0")
    return found | {"hooks": told_of_hooks(model, parts, *inputs.integers(1, 8, 2, 1, 3))}


@attention_maps.at_once
def maps_of_a_model(answer, inputs):
    found = {}
    for case in inputs.cases(
        6,
        dtype=(*DTYPES,),
        mode=MODES,
        heads=HEADS,
        layers=("1 layer", "2 layers"),
        batch=(*SENTENCES,),
        source=LENGTHS,
        target=LENGTHS,
        gradients=("under no_grad", "with gradients", "one layer frozen"),
    ):
        heads, layers, label = int(case["heads"][0]), int(case["layers"][0]), in_words(case)
        model = made(inputs, layers, heads, d_model=2 * heads).train(case["mode"] == "training")
        model.to(DTYPES[case["dtype"]])
        model.encoder[0].requires_grad_(case["gradients"] != "one layer frozen")
        words = [real_words(inputs, case[name], SENTENCES[case["batch"]]) for name in ("source", "target")]
        ids = [inputs.integers(4, 11, *real.shape).masked_fill(~real, 0) for real in words]
        with torch.set_grad_enabled(case["gradients"] != "under no_grad"):
            maps = answer(model, *ids)
        for kind in KINDS:
            for name, found_there in by_layer(maps, kind, layers).items():
                before, colon, axes = name.partition("):")
                name = f"{before}; {label}{colon}{axes}" if colon else f"{name[:-1]}; {label})"
                found[name] = found_there
        named = model.named_parameters()
        learn = {name: leaf for name, leaf in named if leaf.requires_grad and not name.endswith("key.bias")}
        found |= gradients_of(model(*ids), learn, case=f"of the model, after the call; {label}")
    return found


@parameter_count.at_once
def counted(count, inputs):
    found = {}
    for case in inputs.cases(24, layers=(0, 1, 2, 3, 6, 12), d_ff=("d_ff is d_model", "another d_ff")):
        vocab, d_model, d_ff = inputs.integers(1, 60, 3).tolist()
        d_ff = d_model if case["d_ff"] == "d_ff is d_model" else d_ff
        sizes = vocab, d_model, d_ff, case["layers"]
        found[f"parameters {sizes}"] = int(count(*sizes))
    return found
