"""attention_maps: all attention weights of one pass, by hooks."""

import contextlib
import operator
from functools import partial

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.inputs import Inputs
from course_lib.checks.instances import EXAMPLE
from course_lib.checks.untouched import Untouched, in_each_use, in_use
from course_lib.exercises.encoder_decoder.DecoderLayer import DecoderLayer
from course_lib.exercises.encoder_decoder.EncoderLayer import EncoderLayer
from course_lib.exercises.encoder_decoder.maps import KINDS, by_layer, form, made, sentences, tensors_of
from course_lib.exercises.encoder_decoder.parts import MultiHeadAttention, multi_head_attention
from course_lib.exercises.encoder_decoder.Transformer import Transformer

attention_maps = Exercise(
    "attention_maps",
    points=6,
    returns=(),
    hints=[
        "When does a hook run: when you register it, or later, during the pass? How does it know at "
        "that time "
        "which list its weights belong to?",
        "Give every attention a hook, keep the handles in a list, call the model once, and remove "
        "every hook. "
        "The hook's `result` is (output, weights), so `result[1][0]` are the weights of the first sentence.",
        "The encoder's attentions are `layer.self_attention` for each `layer` of `model.encoder`. In "
        "a decoder "
        'layer, `self_attention` belongs to "decoder" and `cross_attention` to "cross".',
        "Write a function that makes a hook for one list: `def keep_in(kept): return lambda module, "
        "arguments, result: kept.append(result[1][0].detach())`. Then "
        "`part.register_forward_hook(keep_in(maps[kind]))`.",
    ],
    examples=[
        "weights_of(attention_maps, 'encoder')",
        "weights_of(attention_maps, 'decoder')",
        "weights_of(attention_maps, 'cross')",
        "weights_of(attention_maps, 'encoder', layers=2)",
        "weights_of(attention_maps, 'cross', layers=2)",
        "form_of(attention_maps)",
        "left_by(attention_maps)",
        "left_by(attention_maps, training=False)",
        "left_by(attention_maps, used=True)",
    ],
    uses=(multi_head_attention, EncoderLayer, DecoderLayer, Transformer),
    repeatable=False,
)


@attention_maps.reference
def maps_reference(model, source, target):
    maps, handles = {kind: [] for kind in KINDS}, []
    attentions = [("encoder", layer.self_attention) for layer in model.encoder]
    for layer in model.decoder:
        attentions += [("decoder", layer.self_attention), ("cross", layer.cross_attention)]
    for kind, part in attentions:
        handles.append(part.register_forward_hook(keep_in(maps[kind])))
    model(source, target)
    for handle in handles:
        handle.remove()
    return maps


def keep_in(kept):
    """A hook that puts the weights of the first sentence into a list."""

    def keep(part, arguments, result):
        kept.append(result[1][0].detach())

    return keep


CHANGED = "Your hooks change what the model computes, because one of them returns something."


def of_kind(answer, kind, inputs):
    found = {}
    for layers, heads in ((2, 3), (3, 2)):
        model, ids = made(inputs, layers, heads).train(layers == 2), sentences(inputs, batch=layers + 1)
        found |= by_layer(answer(model, *ids), kind, layers)
    one = made(inputs, layers=1, heads=1)  # axes of size 1 stay axes
    return found | by_layer(answer(one, *sentences(inputs, target=1)), kind, 1)


@attention_maps.part("maps of the encoder's self-attention", points=1)
def of_encoder(answer, inputs):
    return of_kind(answer, "encoder", inputs)


@attention_maps.part("maps of the decoder's self-attention", points=1)
def of_decoder(answer, inputs):
    return of_kind(answer, "decoder", inputs)


@attention_maps.part("maps of the cross-attention", points=1)
def of_cross(answer, inputs):
    return of_kind(answer, "cross", inputs)


@attention_maps.part("a dict of three lists, without gradient, new in each call", points=1, alone=False)
def boxes(answer, inputs):
    first = answer(made(inputs), *sentences(inputs))
    found = {"form": form(first)}
    before = {kind: [*tensors] for kind, tensors in first.items()}
    answer(made(inputs), *sentences(inputs))
    kept = all(
        len(tensors) == len(before[kind]) and all(map(operator.is_, tensors, before[kind]))
        for kind, tensors in first.items()
    )
    return found | {"later": "" if kept else "A later call changes the maps that an earlier call returned."}


@attention_maps.part("the model stays as it was", points=1, alone=False)
def stays(answer, inputs):
    models = in_each_use(lambda: made(inputs))
    return {use: left_in(model, answer, inputs) for use, model in models.items()}


def left_in(model, answer, inputs):
    """What a call changes in a model; empty where it is nothing."""
    ids, passes, runs = sentences(inputs), [], {"encoder": [], "decoder": []}
    for kind, part in (("encoder", model.encoder[0].self_attention), ("decoder", model.decoder[-1])):
        part.register_forward_hook(lambda _, __, result, kind=kind: runs[kind].append(result))
    model.register_forward_hook(lambda _, *asked: passes.append(asked), with_kwargs=True)
    model.source_embedding.requires_grad_(False)  # somebody has frozen it, and it stays so
    before, enabled = Untouched(model), torch.is_grad_enabled()
    maps = answer(model, *ids)
    if torch.is_grad_enabled() != enabled:
        return "Your call leaves gradients switched off for the whole program. Use `with torch.no_grad():`."
    counts = {kind: len(maps[kind]) for kind in maps} if isinstance(maps, dict) else {}
    if not passes and not any(counts.values()):
        return "Your code never calls the model, so it has no maps to show."
    if told := before.finding():
        return told
    if (times := max(map(len, runs.values()))) > 1:
        return f"Your code runs the model {times} times. One pass has all maps."
    asked = [*passes]
    for arguments, named, logits in asked:
        if not torch.allclose(model(*arguments, **named), logits, atol=1e-4):
            return CHANGED
    model(*ids)
    first, last = runs["decoder"][0], runs["decoder"][-1]
    # Who calls `model.forward` leaves no pass.
    if not asked and first.shape == last.shape and not torch.allclose(first, last, atol=1e-4):
        return CHANGED
    later = {kind: len(maps[kind]) for kind in counts}
    return (
        ""
        if later == counts
        else "A later pass of the model adds to your maps, so one of your hooks is still there."
    )


# For examples


def weights_of(answer, kind, layers=1):
    """What an answer returns for a small model of two heads, rounded."""
    inputs = Inputs(EXAMPLE)
    maps = answer(made(inputs, layers, heads=2, d_model=4), *sentences(inputs, batch=2, source=4, target=2))
    return [rounded(tensor.tolist()) for tensor in tensors_of(maps, kind)]


def rounded(numbers):
    return [rounded(one) for one in numbers] if isinstance(numbers, list) else round(numbers, 2)


def form_of(answer):
    """What is wrong with the boxes in which an answer returns the maps of a small model."""
    return boxes(answer, Inputs(EXAMPLE))


def left_by(answer, training=True, used=False):
    """What a call changes in a small model. used: with parts in either mode, and gradients."""
    inputs = Inputs(EXAMPLE)
    model = made(inputs).train(training)
    return left_in(in_use(model) if used else model, answer, inputs)


attention_maps.names = {"weights_of": weights_of, "form_of": form_of, "left_by": left_by}


# Accepted: other ways to write the same


@attention_maps.accept("by name")
def by_name(model, source, target):
    maps, hooks = {"encoder": [], "decoder": [], "cross": []}, []
    for name, part in model.named_modules():
        if name.endswith("attention"):
            kind = "cross" if name.endswith("cross_attention") else name.split(".")[0]
            keep = lambda part, args, result, kind=kind: maps[kind].append(result[1][0].detach())  # noqa: E731
            hooks.append(part.register_forward_hook(keep))
    model(source, target)
    for hook in hooks:
        hook.remove()
    return maps


@attention_maps.accept("partial, and no_grad")
def with_partial(model, source, target):
    def keep(kept, module, arguments, result):
        _, weights = result
        kept.append(weights[0])

    maps = {"encoder": [], "decoder": [], "cross": []}
    handles = [
        layer.self_attention.register_forward_hook(partial(keep, maps[kind]))
        for kind in ("encoder", "decoder")
        for layer in getattr(model, kind)
    ]
    for layer in model.decoder:
        handles += [layer.cross_attention.register_forward_hook(partial(keep, maps["cross"]))]
    try:
        with torch.no_grad():
            model(source, target)
    finally:
        while handles:
            handles.pop().remove()
    return maps


@attention_maps.accept("by class, with an exit stack")
def by_class(model, source, target):
    found = {}
    with contextlib.ExitStack() as stack:
        for name, part in model.named_modules():
            if isinstance(part, MultiHeadAttention):
                found[name] = []
                handle = part.register_forward_hook(
                    lambda _, __, result, name=name: found[name].append(result[1])
                )
                stack.callback(handle.remove)
        model(source, target)
    maps = {"encoder": [], "decoder": [], "cross": []}
    for name, (weights,) in found.items():
        stack_name, _, last = name.split(".")
        maps["cross" if last == "cross_attention" else stack_name].append(weights[0].data)
    return maps


@attention_maps.accept("the result returned again")
def returns_result(model, source, target):
    kept = []

    def hook(module, arguments, result):
        kept.append((module, result[1].detach()[0]))
        return result

    attentions = [part for name, part in model.named_modules() if "attention" in name.split(".")[-1]]
    handles = [part.register_forward_hook(hook) for part in attentions]
    model(source, target)
    [handle.remove() for handle in handles]
    pick = lambda layers, name: [w for layer in layers for part, w in kept if part is getattr(layer, name)]  # noqa: E731
    return {
        "cross": pick(model.decoder, "cross_attention"),
        "encoder": pick(model.encoder, "self_attention"),
        "decoder": pick(model.decoder, "self_attention"),
    }


@attention_maps.accept("one stack after the other")
def three_loops(model, source, target):
    encoder, decoder, cross, handles = [], [], [], []
    for layer in model.encoder:
        keep = lambda module, args, result: encoder.append(result[1][0].clone().detach())  # noqa: E731
        handles.append(layer.self_attention.register_forward_hook(keep))
    for layer in model.decoder:
        keep = lambda module, args, result: decoder.append(result[1][0].clone().detach())  # noqa: E731
        handles.append(layer.self_attention.register_forward_hook(keep))
        keep = lambda module, args, result: cross.append(result[1][0].clone().detach())  # noqa: E731
        handles.append(layer.cross_attention.register_forward_hook(keep))
    model(source, target)
    for handle in handles:
        handle.remove()
    return {"encoder": encoder, "decoder": decoder, "cross": cross}
