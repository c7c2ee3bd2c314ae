"""Wrong answers to transplant: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.translator.greedy_decode import greedy_reference
from course_lib.exercises.translator.stand_ins import BOS
from course_lib.exercises.translator.transplant import transplant_reference

mistake = Mistakes()


def memory_of(model, sentence, layer=-1):
    kept = []
    handle = model.encoder[layer].register_forward_hook(lambda _, __, result: kept.append(result))
    model(sentence, torch.tensor([[BOS]]))
    handle.remove()
    return kept[0]


def decoded(model, source, change, layer=-1, decode=greedy_reference):
    """What is written while `change(copy of the memory)` stands for the memory."""
    handle = model.encoder[layer].register_forward_hook(lambda _, __, result: change(result.clone()))
    try:
        return decode(model, source)
    finally:
        handle.remove()


def put(place, vector):
    def change(memory):
        memory[:, place] = vector
        return memory

    return change


# Which vector, and where


@mistake
def places_swapped(model, source, place, other, other_place):
    """You swapped the two positions. Vector `other_place` of `other` goes to `place` of `source`."""
    return decoded(model, source, put(other_place, memory_of(model, other)[:, place]))


@mistake
def sentences_swapped(model, source, place, other, other_place):
    """You swapped the sentences, so you decode `other` with a vector of `source`. Decode `source`."""
    return decoded(model, other, put(place, memory_of(model, source)[:, other_place]))


@mistake
def all_swapped(model, source, place, other, other_place):
    """You put a vector of `source` into the memory of `other`. Decode `source`, and change its memory."""
    return decoded(model, other, put(other_place, memory_of(model, source)[:, place]))


@mistake
def decodes_other(model, source, place, other, other_place):
    """You decode `other`. Change the memory of `source` and decode it: `greedy_decode(model, source)`."""
    return decoded(model, other, put(place, memory_of(model, other)[:, other_place]))


@mistake
def same_place(model, source, place, other, other_place):
    """You take the vector `place` of `other`. Take its vector `other_place`."""
    return decoded(model, source, put(place, memory_of(model, other)[:, place]))


@mistake
def put_at_other_place(model, source, place, other, other_place):
    """You put the vector at `other_place`. Put it at `place`."""
    return decoded(model, source, put(other_place, memory_of(model, other)[:, other_place]))


@mistake
def of_the_same_sentence(model, source, place, other, other_place):
    """Your vector comes from the memory of `source`. Keep the memory of `other` in a separate pass, and
    remove that hook before you decode.
    """
    return decoded(model, source, put(place, memory_of(model, source)[:, other_place]))


@mistake
def off_by_one(model, source, place, other, other_place):
    """You change the vector before `place`. Positions count from 0."""
    return decoded(model, source, put(place - 1, memory_of(model, other)[:, other_place]))


@mistake
def all_vectors(model, source, place, other, other_place):
    """You replace every vector of the memory. Change only `[:, place]`."""
    return decoded(model, source, put(slice(None), memory_of(model, other)[:, other_place]))


@mistake
def from_place_on(model, source, place, other, other_place):
    """You replace all vectors from `place` on. Change only `[:, place]`."""
    return decoded(model, source, put(slice(place, None), memory_of(model, other)[:, other_place]))


@mistake
def up_to_place(model, source, place, other, other_place):
    """You replace all vectors up to `place`. Change only `[:, place]`."""
    return decoded(model, source, put(slice(place + 1), memory_of(model, other)[:, other_place]))


@mistake
def whole_memory(model, source, place, other, other_place):
    """You replace the whole memory by that of `other`. Replace one vector of the memory of `source`."""
    memory = memory_of(model, other)
    return decoded(model, source, lambda _: memory)


@mistake
def row_of_batch(model, source, place, other, other_place):
    """You index the first axis, which is the batch. Vector `place` of the memory is `memory[:, place]`."""
    memory = memory_of(model, other)

    def change(result):
        result[place] = memory[other_place]
        return result

    return decoded(model, source, change)


@mistake
def row_of_batch_at_place(model, source, place, other, other_place):
    """You index the first axis, which is the batch. Vector `place` of the memory is `memory[:, place]`."""
    vector = memory_of(model, other)[:, other_place]

    def change(result):
        result[place] = vector
        return result

    return decoded(model, source, change)


@mistake
def feature(model, source, place, other, other_place):
    """You replace one feature of all vectors. The positions are the second axis, `memory[:, place]`."""
    memory = memory_of(model, other)

    def change(result):
        result[:, :, place] = memory[:, other_place, place]
        return result

    return decoded(model, source, change)


@mistake
def added(model, source, place, other, other_place):
    """You add the new vector to the old one. Replace the old one: `=`, not `+=`."""
    vector = memory_of(model, other)[:, other_place]

    def change(result):
        result[:, place] += vector
        return result

    return decoded(model, source, change)


@mistake
def averaged(model, source, place, other, other_place):
    """You average the two vectors. Replace the old vector by the new one."""
    vector = memory_of(model, other)[:, other_place]

    def change(result):
        result[:, place] = (result[:, place] + vector) / 2
        return result

    return decoded(model, source, change)


@mistake
def inserted(model, source, place, other, other_place):
    """You insert the vector, so the memory has one vector more. Replace vector `place`."""
    vector = memory_of(model, other)[:, other_place, None]
    change = lambda result: torch.cat([result[:, :place], vector, result[:, place:]], dim=1)  # noqa: E731
    return decoded(model, source, change)


@mistake
def left_out(model, source, place, other, other_place):
    """Your vector `place` is 0. Replace it by the vector of `other`."""
    return decoded(model, source, put(place, 0.0))


@mistake
def word_replaced(model, source, place, other, other_place):
    """You replace the word before the encoder reads it. Replace the vector in the memory, which also contains
    what the encoder has read in `other`.
    """
    changed = source.clone()
    changed[:, place] = other[:, other_place]
    return greedy_reference(model, changed)


# Which layer


@mistake
def first_layer(model, source, place, other, other_place):
    """Your hooks are on the first layer. The memory is the result of the last layer, `model.encoder[-1]`."""
    vector = memory_of(model, other, layer=0)[:, other_place]
    return decoded(model, source, put(place, vector), layer=0)


@mistake
def taken_from_first_layer(model, source, place, other, other_place):
    """You take the vector after the first layer. The memory is the result of the last layer."""
    return decoded(model, source, put(place, memory_of(model, other, layer=0)[:, other_place]))


@mistake
def put_into_first_layer(model, source, place, other, other_place):
    """You replace the vector after the first layer. The memory is the result of the last layer."""
    return decoded(model, source, put(place, memory_of(model, other)[:, other_place]), layer=0)


@mistake(mentions=r"for \w+ in |modules\(")
def every_layer(model, source, place, other, other_place):
    """Your hook is on every layer, so it also changes the vector that the last layer reads. Put it on the
    last layer only, which returns the memory.
    """
    vector = memory_of(model, other)[:, other_place]
    handles = [
        layer.register_forward_hook(lambda _, __, r: put(place, vector)(r.clone())) for layer in model.encoder
    ]
    ids = greedy_reference(model, source)
    for handle in handles:
        handle.remove()
    return ids


@mistake(mentions=r"\.encoder\.register")
def hook_on_the_list(model, source, place, other, other_place):
    """`model.encoder` is a list of layers, and the model never calls the list, so its hook never runs. Use
    the last layer, `model.encoder[-1]`.
    """
    kept = []
    handle = model.encoder.register_forward_hook(lambda _, __, result: kept.append(result))
    model(other, torch.tensor([[BOS]]))
    handle.remove()
    return decoded(model, source, put(place, kept[0][:, other_place]))


# What the hook does, and when


@mistake(mentions=r"\w+ = .*clone\(", lacks=r"(?m)^ {8}return (?!greedy|ids)")
def nothing_returned(model, source, place, other, other_place):
    """Your hook changes a copy and does not return it, so nothing changes. End it with `return changed`."""
    vector = memory_of(model, other)[:, other_place]

    def change(module, arguments, result):
        changed = result.clone()
        changed[:, place] = vector

    handle = model.encoder[-1].register_forward_hook(change)
    ids = greedy_reference(model, source)
    handle.remove()
    return ids


@mistake
def nothing_changed(model, source, place, other, other_place):
    """Your result is the translation without a transplant. The hook that replaces the memory has to be on the
    layer while `source` is decoded, and it has to return the changed memory.
    """
    return greedy_reference(model, source)


@mistake
def first_step_only(model, source, place, other, other_place):
    """Your change lasts for one pass. Greedy decoding runs the encoder again for every word, so keep the hook
    until decoding has ended.
    """
    vector, passes = memory_of(model, other)[:, other_place], []

    def change(result):
        passes.append(1)
        return put(place, vector)(result) if len(passes) == 1 else result

    return decoded(model, source, change)


@mistake
def one_pass(model, source, place, other, other_place):
    """You return the first word only, because one pass is not greedy decoding. Call `greedy_decode(model,
    source)`.
    """
    once = lambda model, source: model(source, torch.tensor([[BOS]])).argmax(dim=-1)  # noqa: E731
    return decoded(model, source, put(place, memory_of(model, other)[:, other_place]), decode=once)


@mistake(mentions="max_length")
def other_max_length(model, source, place, other, other_place):
    """Your decoding ends too early. Do not change the `max_length` of greedy decoding."""
    short = lambda model, source: greedy_reference(model, source, max_length=10)  # noqa: E731
    return decoded(model, source, put(place, memory_of(model, other)[:, other_place]), decode=short)


@mistake
def with_bos(model, source, place, other, other_place):
    """Your ids begin with `BOS`. Return them as `greedy_decode` does, without it."""
    ids = transplant_reference(model, source, place, other, other_place)
    return torch.cat([torch.tensor([[BOS]]), ids], dim=1)


@mistake
def without_batch(model, source, place, other, other_place):
    """You removed the axis of the batch. Return ids (1, target), as `greedy_decode` does."""
    return transplant_reference(model, source, place, other, other_place)[0]


@mistake
def logits(model, source, place, other, other_place):
    """You return logits. Return ids: `greedy_decode(model, source)`."""
    ids = transplant_reference(model, source, place, other, other_place)
    return decoded(
        model,
        source,
        put(place, memory_of(model, other)[:, other_place]),
        decode=lambda model, source: model(source, torch.cat([torch.tensor([[BOS]]), ids[:, :-1]], dim=1)),
    )


# What stays


@mistake(mentions=r"(?m)\.remove$")
def remove_not_called(model, source, place, other, other_place):
    """Your hooks are still on the model. `handle.remove` only names the function. Call it:
    `handle.remove()`.
    """
    vector = memory_of(model, other)[:, other_place]
    handle = model.encoder[-1].register_forward_hook(lambda _, __, result: put(place, vector)(result.clone()))
    ids = greedy_reference(model, source)
    handle.remove  # noqa: B018
    return ids


@mistake
def one_stays(model, source, place, other, other_place):
    """One of your hooks stays on the model. Each `register_forward_hook` returns its own handle, so call
    `remove()` of both before you return.
    """
    vector = memory_of(model, other)[:, other_place]
    model.encoder[-1].register_forward_hook(lambda _, __, result: put(place, vector)(result.clone()))
    return greedy_reference(model, source)


@mistake
def both_stay(model, source, place, other, other_place):
    """Your hooks stay on the model, and every later call runs them. Call `remove()` of each handle that
    `register_forward_hook` returns.
    """
    kept = []
    model.encoder[-1].register_forward_hook(lambda _, __, result: kept.append(result))
    model(other, torch.tensor([[BOS]]))
    model.encoder[-1].register_forward_hook(lambda _, __, r: put(place, kept[0][:, other_place])(r.clone()))
    return greedy_reference(model, source)


@mistake(mentions=r"hooks\.clear\(\)|_hooks = ")
def others_removed(model, source, place, other, other_place):
    """You also removed hooks that are not yours. `handle.remove()` removes one hook, your own."""
    ids = transplant_reference(model, source, place, other, other_place)
    model.encoder[-1]._forward_hooks.clear()
    return ids


@mistake(mentions=r"eval\(|train\(")
def left_in_evaluation_mode(model, source, place, other, other_place):
    """You leave the model in evaluation mode. Do not change its mode."""
    model.eval()
    return transplant_reference(model, source, place, other, other_place)


@mistake(mentions=r"\.train\(")
def one_mode_for_all(model, source, place, other, other_place):
    """`model.train(...)` gives one mode to the model and all of its parts, also to a part that had another.
    Hooks work in both modes, so do not change any.
    """
    before = model.training
    model.eval()
    ids = transplant_reference(model, source, place, other, other_place)
    model.train(before)
    return ids


@mistake(mentions=r"\.forward = ")
def forward_replaced(model, source, place, other, other_place):
    """You replaced `forward` by another function, and it stays there. Use a hook instead,
    `model.encoder[-1].register_forward_hook(function)`.
    """
    vector, last = memory_of(model, other)[:, other_place], model.encoder[-1]
    original = last.forward
    last.forward = lambda *arguments: put(place, vector)(original(*arguments))
    return greedy_reference(model, source)


@mistake(mentions="forward_pre_hook")
def pre_hooks(model, source, place, other, other_place):
    """A pre-hook runs before the layer and gets no result. Use `register_forward_hook`."""
    kept = []

    def keep(module, arguments, result):
        kept.append(result)

    handle = model.encoder[-1].register_forward_pre_hook(keep)
    model(other, torch.tensor([[BOS]]))
    handle.remove()
    return greedy_reference(model, source)


@mistake
def without_target(model, source, place, other, other_place):
    """The model takes a source and a target. Give it one column of `BOS` as the target: `model(other,
    torch.tensor([[BOS]]))`.
    """
    model(other)
    return greedy_reference(model, source)


@mistake
def not_returned(model, source, place, other, other_place):
    """You do not return the ids. End with `return ids`."""
    transplant_reference(model, source, place, other, other_place)
