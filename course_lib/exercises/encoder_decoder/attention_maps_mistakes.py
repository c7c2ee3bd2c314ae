"""Wrong answers to attention_maps: name, advice, code."""

import torch
from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.encoder_decoder.attention_maps import maps_reference

mistake = Mistakes()


def attentions(model):
    """(kind, attention) in the order in which a pass calls them."""
    for layer in model.encoder:
        yield "encoder", layer.self_attention
    for layer in model.decoder:
        yield "decoder", layer.self_attention
        yield "cross", layer.cross_attention


def kept_from(model, source, target, choose=lambda result: result[1][0].detach(), parts=attentions):
    """The right answer, with one piece to replace."""
    maps, handles = {"encoder": [], "decoder": [], "cross": []}, []

    def keep_in(kept):
        def keep(module, arguments, result):
            kept.append(choose(result))

        return keep

    for kind, part in parts(model):
        handles.append(part.register_forward_hook(keep_in(maps[kind])))
    model(source, target)
    for handle in handles:
        handle.remove()
    return maps


# Hooks that stay, or go too early


@mistake(mentions=r"(?m)\.remove$")
def remove_not_called(model, source, target):
    """The hooks are still there. `handle.remove` only names the function; `handle.remove()` calls it."""
    maps = {"encoder": [], "decoder": [], "cross": []}
    for kind, part in attentions(model):
        handle = part.register_forward_hook(
            lambda _, __, result, kind=kind: maps[kind].append(result[1][0].detach())
        )
        handle.remove  # noqa: B018
    model(source, target)
    return maps


@mistake
def never_removed(model, source, target):
    """Your hooks stay in the model, and every later pass calls them. Keep the handle that each
    `register_forward_hook` returns, and after the pass call `handle.remove()` for all of them.
    """
    maps = {"encoder": [], "decoder": [], "cross": []}
    for kind, part in attentions(model):
        part.register_forward_hook(lambda _, __, result, kind=kind: maps[kind].append(result[1][0].detach()))
    model(source, target)
    return maps


@mistake
def last_one_removed(model, source, target):
    """You remove only the last hook. Each `register_forward_hook` returns its own handle: keep them all in a
    list.
    """
    maps = {"encoder": [], "decoder": [], "cross": []}
    for kind, part in attentions(model):
        handle = part.register_forward_hook(
            lambda _, __, result, kind=kind: maps[kind].append(result[1][0].detach())
        )
    model(source, target)
    handle.remove()
    return maps


@mistake(mentions=r"hooks\.clear\(\)|_hooks = ")
def others_removed(model, source, target):
    """You also removed hooks that are not yours. `handle.remove()` removes one hook, your own."""
    maps = kept_from(model, source, target)
    for _, part in attentions(model):
        part._forward_hooks.clear()
    return maps


@mistake(lacks=r"\bmodel\(|model\.forward\(")
def model_not_called(model, source, target):
    """The lists stay empty, because the model does not run. Call `model(source, target)` while the hooks are
    there.
    """
    maps = {"encoder": [], "decoder": [], "cross": []}
    for kind, part in attentions(model):
        keep = lambda _, __, result, kind=kind: maps[kind].append(result[1][0].detach())  # noqa: E731
        part.register_forward_hook(keep).remove()
    return maps


@mistake(mentions=r"backward_hook")
def backward_hooks(model, source, target):
    """A backward hook runs when gradients are computed, and none are computed here. Use
    `register_forward_hook`.
    """
    maps, handles = {"encoder": [], "decoder": [], "cross": []}, []
    for kind, part in attentions(model):
        keep = lambda module, *gradients, kind=kind: maps[kind].append(gradients)  # noqa: E731
        handles.append(part.register_full_backward_hook(keep))
    model(source, target)
    for handle in handles:
        handle.remove()
    return maps


@mistake
def removed_too_early(model, source, target):
    """The lists stay empty, because hooks run only during a pass. Register them, then call `model(source,
    target)`, then remove them.
    """
    maps = {"encoder": [], "decoder": [], "cross": []}
    for kind, part in attentions(model):
        keep = lambda _, __, result, kind=kind: maps[kind].append(result[1][0].detach())  # noqa: E731
        part.register_forward_hook(keep).remove()
    model(source, target)
    return maps


@mistake(mentions=r"forward_pre_hook")
def pre_hooks(model, source, target):
    """A pre-hook runs before its part and gets no result. Use `register_forward_hook`."""
    maps, handles = {"encoder": [], "decoder": [], "cross": []}, []

    def keep(module, arguments, result):
        maps["encoder"].append(result[1][0].detach())

    for _, part in attentions(model):
        handles.append(part.register_forward_pre_hook(keep))
    model(source, target)
    for handle in handles:
        handle.remove()
    return maps


@mistake(mentions=r"def \w+\((\w+), (\w+)\):|lambda \w+, \w+:")
def two_arguments(model, source, target):
    """A forward hook is called with three arguments: the part, its arguments and its result."""
    maps, handles = {"encoder": [], "decoder": [], "cross": []}, []

    def keep(module, result):
        maps["encoder"].append(result[1][0].detach())

    for _, part in attentions(model):
        handles.append(part.register_forward_hook(keep))
    model(source, target)
    for handle in handles:
        handle.remove()
    return maps


@mistake
def registered_twice(model, source, target):
    """Each map is there twice. Give every attention one hook, and call the model once."""
    return kept_from(model, source, target, parts=lambda model: [*attentions(model), *attentions(model)])


# Under a wrong key


@mistake(
    mentions="lambda|def .*\n(?s:.*)def ", lacks=r"\b(\w+)=\1\b|partial|return (lambda|keep|hook|\w+_hook)"
)
def late_binding(model, source, target):
    """All maps are under "cross". A hook that a loop makes looks its variable up when it runs, and then the
    loop has ended. Fix it for each hook: `lambda module, arguments, result, kind=kind: ...`, or a function
    that makes hooks.
    """
    maps, handles = {"encoder": [], "decoder": [], "cross": []}, []
    for kind, part in attentions(model):
        keep = lambda module, arguments, result: maps[kind].append(result[1][0].detach())  # noqa: B023, E731
        handles.append(part.register_forward_hook(keep))
    model(source, target)
    for handle in handles:
        handle.remove()
    return maps


@mistake
def all_are_cross(model, source, target):
    """All your maps are under "cross". Find out for each attention which kind it is, and give its hook the
    list of that kind.
    """
    return kept_from(
        model, source, target, parts=lambda model: [("cross", part) for _, part in attentions(model)]
    )


@mistake
def crossed(model, source, target):
    """The lists "decoder" and "cross" are swapped. In a decoder layer `self_attention` is "decoder" and
    `cross_attention` is "cross".
    """
    maps = maps_reference(model, source, target)
    return maps | {"decoder": maps["cross"], "cross": maps["decoder"]}


@mistake
def self_attention_is_encoder(model, source, target):
    """The decoder's self-attention is under "encoder". Both stacks have a `self_attention`; the first word of
    a module's name, before the dot, tells the stack.
    """
    maps = maps_reference(model, source, target)
    return maps | {"encoder": maps["encoder"] + maps["decoder"], "decoder": []}


@mistake
def self_attention_is_decoder(model, source, target):
    """The encoder's self-attention is under "decoder". Both stacks have a `self_attention`; the first word of
    a module's name, before the dot, tells the stack.
    """
    maps = maps_reference(model, source, target)
    return maps | {"encoder": [], "decoder": maps["encoder"] + maps["decoder"]}


@mistake
def cross_is_decoder(model, source, target):
    """Both attentions of the decoder are under "decoder". Its `cross_attention` belongs to "cross"."""
    maps = maps_reference(model, source, target)
    both = [map for pair in zip(maps["decoder"], maps["cross"], strict=True) for map in pair]
    return maps | {"decoder": both, "cross": []}


@mistake
def stacks_exchanged(model, source, target):
    """The lists "encoder" and "decoder" are swapped."""
    maps = maps_reference(model, source, target)
    return maps | {"encoder": maps["decoder"], "decoder": maps["encoder"]}


@mistake
def two_kinds(model, source, target):
    """There is no key "cross". A decoder layer has two attentions, `self_attention` and `cross_attention`."""
    maps = maps_reference(model, source, target)
    return {"encoder": maps["encoder"], "decoder": maps["decoder"]}


# Which maps


@mistake
def outputs(model, source, target):
    """You keep the outputs of the attentions. Their result is (output, weights), so the weights are
    `result[1]`.
    """
    return kept_from(model, source, target, lambda result: result[0][0].detach())


def layers(model):
    for layer in model.encoder:
        yield "encoder", layer
    for layer in model.decoder:
        yield "decoder", layer
        yield "cross", layer


@mistake
def of_whole_layers(model, source, target):
    """Your hooks are on whole layers, whose result is one tensor of words. The weights are in the results of
    `layer.self_attention` and `layer.cross_attention`.
    """
    return kept_from(model, source, target, parts=layers)


@mistake
def of_output_layers(model, source, target):
    """Your hooks are on the linear layer `output` in each attention. Its result is one tensor; the attention
    itself returns (output, weights).
    """
    return kept_from(
        model, source, target, parts=lambda model: [(kind, part.output) for kind, part in attentions(model)]
    )


@mistake(mentions=r"attention['\"] in ")
def parts_of_attentions(model, source, target):
    """Your hooks are also on the linear layers in the attentions: `"attention" in name` is true for
    `encoder.0.self_attention.query`. Use `name.endswith("attention")`.
    """
    maps, handles = {"encoder": [], "decoder": [], "cross": []}, []
    for name, part in model.named_modules():
        if "attention" in name:
            kind = "cross" if "cross" in name else name.split(".")[0]
            keep = lambda _, __, result, kind=kind: maps[kind].append(result[1][0].detach())  # noqa: E731
            handles.append(part.register_forward_hook(keep))
    model(source, target)
    for handle in handles:
        handle.remove()
    return maps


@mistake
def last_layer(model, source, target):
    """Each list has only the map of the last layer. It needs one map for each layer: use append."""
    return {kind: maps[-1:] for kind, maps in maps_reference(model, source, target).items()}


@mistake
def first_layer(model, source, target):
    """Each list has only the map of the first layer. Give the attentions of every layer a hook."""
    return {kind: maps[:1] for kind, maps in maps_reference(model, source, target).items()}


@mistake
def backwards(model, source, target):
    """Your lists begin with the last layer. The first layer comes first."""
    return {kind: maps[::-1] for kind, maps in maps_reference(model, source, target).items()}


@mistake
def mean_of_heads(model, source, target):
    """You average the heads. Keep all of them: (heads, query, key)."""
    return kept_from(model, source, target, lambda result: result[1][0].mean(dim=0).detach())


@mistake
def first_head(model, source, target):
    """You keep one head. Keep all heads of the first sentence: `result[1][0]`."""
    return kept_from(model, source, target, lambda result: result[1][0, 0].detach())


@mistake
def whole_batch(model, source, target):
    """You keep the maps of the whole batch. Keep the first sentence: `result[1][0]`."""
    return kept_from(model, source, target, lambda result: result[1].detach())


@mistake
def axis_of_batch_kept(model, source, target):
    """Your maps still have the axis of the batch. `[0]` removes it, `[:1]` keeps it."""
    return kept_from(model, source, target, lambda result: result[1][:1].detach())


@mistake
def first_head_of_all(model, source, target):
    """You keep the first head of every sentence. The batch is the first axis: `result[1][0]`."""
    return kept_from(model, source, target, lambda result: result[1][:, 0].detach())


@mistake
def last_sentence(model, source, target):
    """You keep the maps of the last sentence of the batch. Keep the first: `result[1][0]`."""
    return kept_from(model, source, target, lambda result: result[1][-1].detach())


@mistake
def mean_of_sentences(model, source, target):
    """You average the sentences of the batch. Keep the first: `result[1][0]`."""
    return kept_from(model, source, target, lambda result: result[1].mean(dim=0).detach())


@mistake
def transposed(model, source, target):
    """Query and key are swapped. Keep the axes as the attention gives them: (heads, query, key)."""
    return kept_from(model, source, target, lambda result: result[1][0].mT.detach())


# What is kept, and what is changed


@mistake
def with_gradient(model, source, target):
    """Your maps have a gradient, so they keep the whole pass in memory. `detach()` them, or call the model in
    `torch.no_grad()`.
    """
    return kept_from(model, source, target, lambda result: result[1][0])


def returning(model, source, target, what):
    """Right but for its hooks, which return something."""
    maps, handles = {"encoder": [], "decoder": [], "cross": []}, []

    def keep_in(kept):
        def keep(module, arguments, result):
            kept.append(result[1][0].detach())
            return what(result)

        return keep

    for kind, part in attentions(model):
        handles.append(part.register_forward_hook(keep_in(maps[kind])))
    model(source, target)
    for handle in handles:
        handle.remove()
    return maps


@mistake
def weights_returned(model, source, target):
    """Your hook returns something, which replaces the result of the part. It should keep the weights and
    return nothing.
    """
    return returning(model, source, target, lambda result: result[1])


@mistake
def output_returned(model, source, target):
    """Your hook returns something, which replaces the result of the part. It should keep the weights and
    return nothing.
    """
    return returning(model, source, target, lambda result: result[0])


@mistake
def nothing_attended(model, source, target):
    """Your hook changes the attention's result, so later layers read something else. It should keep the
    weights and return nothing.
    """
    handles = [
        part.register_forward_hook(lambda module, arguments, result: (0 * result[0], result[1]))
        for _, part in attentions(model)
    ]
    maps = maps_reference(model, source, target)
    for handle in handles:
        handle.remove()
    return maps


@mistake(mentions=r"eval\(|train\(")
def left_in_evaluation_mode(model, source, target):
    """You leave the model in evaluation mode. Hooks work in both modes, so remove `eval()`."""
    model.eval()
    return maps_reference(model, source, target)


@mistake(mentions=r"eval\(|train\(")
def left_in_training_mode(model, source, target):
    """You leave the model in training mode, whatever mode it had. Hooks work in both modes, so remove
    `eval()` and `train()`.
    """
    model.eval()
    maps = maps_reference(model, source, target)
    model.train()
    return maps


@mistake(mentions=r"\.train\(")
def one_mode_for_all(model, source, target):
    """`model.train(...)` gives one mode to the model and all of its parts, also to a part that had another.
    Hooks work in both modes, so do not change any.
    """
    before = model.training
    model.eval()
    maps = maps_reference(model, source, target)
    model.train(before)
    return maps


@mistake(mentions="grad")
def gradients_cleared(model, source, target):
    """You delete the gradients that the model had before your call. Leave them as they are."""
    maps = maps_reference(model, source, target)
    model.zero_grad()
    return maps


class Recorder(nn.Module):
    def __init__(self, part, kept):
        super().__init__()
        self.part, self.kept = part, kept

    def forward(self, *arguments):
        output, weights = self.part(*arguments)
        self.kept.append(weights[0].detach())
        return output, weights


@mistake(mentions="attention = |setattr")
def replaced(model, source, target):
    """You replace the attentions, and your replacements stay in the model. A hook replaces nothing:
    `part.register_forward_hook(function)`.
    """
    maps = {"encoder": [], "decoder": [], "cross": []}
    for layer in model.encoder:
        layer.self_attention = Recorder(layer.self_attention, maps["encoder"])
    for layer in model.decoder:
        layer.self_attention = Recorder(layer.self_attention, maps["decoder"])
        layer.cross_attention = Recorder(layer.cross_attention, maps["cross"])
    model(source, target)
    return maps


@mistake(mentions=r"\.forward = ")
def forward_replaced(model, source, target):
    """You replace `forward` by another function, which stays in the model. A hook replaces nothing:
    `part.register_forward_hook(function)`.
    """
    maps = {"encoder": [], "decoder": [], "cross": []}
    for kind, part in attentions(model):

        def forward(*arguments, kept=maps[kind], original=part.forward):
            output, weights = original(*arguments)
            kept.append(weights[0].detach())
            return output, weights

        part.forward = forward
    model(source, target)
    return maps


@mistake(mentions=r"(module|part|layer|attention|self)\.\w+ = |setattr", lacks=r"\.forward = ")
def kept_in_the_model(model, source, target):
    """Your hook writes the weights into an attribute of the part, where they stay. Keep them in your own
    list.
    """

    def keep(module, arguments, result):
        module.weights = result[1][0].detach()

    handles = [part.register_forward_hook(keep) for _, part in attentions(model)]
    model(source, target)
    for handle in handles:
        handle.remove()
    maps = {"encoder": [], "decoder": [], "cross": []}
    for kind, part in attentions(model):
        maps[kind].append(part.weights)
    return maps


@mistake
def stacked(model, source, target):
    """You stacked the layers, so "encoder" and the other keys have one tensor. Each key needs a list with one
    tensor for each layer.
    """
    return {kind: torch.stack(maps) for kind, maps in maps_reference(model, source, target).items()}


@mistake
def logits_too(model, source, target):
    """You also return the logits. Return only the dict of maps."""
    maps = maps_reference(model, source, target)
    return model(source, target), maps


@mistake
def logits_only(model, source, target):
    """You return the logits of the model. Return the dict of maps that the hooks have filled."""
    return model(source, target)


@mistake
def not_returned(model, source, target):
    """You do not return the maps. End with `return maps`."""
    maps_reference(model, source, target)
