"""What attention_maps is asked with, and a look into the boxes that it returns."""

import torch

from course_lib.checks.results import RejectedError, describe
from course_lib.exercises.encoder_decoder.Transformer import Reference as Model

KINDS = "encoder", "decoder", "cross"


def made(inputs, layers=2, heads=3, d_model=6):
    """A Transformer of lesson 06 with weights drawn at random."""
    model = Model(11, 13, d_model, heads, 5, layers)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(inputs.normal(*parameter.shape))
    return model


def sentences(inputs, batch=3, source=5, target=4):
    """Ids (batch, source) and (batch, target); the first source is a word shorter."""
    words, written = inputs.integers(4, 11, batch, source), inputs.integers(4, 13, batch, target)
    words[0, source - 1 :] = 0
    return words, written


def tensors_of(maps, kind):
    """The maps of one kind. Raises RejectedError unless they are tensors."""
    if not isinstance(maps, dict):
        forgotten = " Did you forget `return`?" if maps is None else ""
        raise RejectedError(f"It returned {describe(maps)}; expected a dict of three lists.{forgotten}")
    if kind not in maps:
        raise RejectedError(
            f'The dict has no key "{kind}". Its keys: {", ".join(map(repr, maps)) or "none"}.'
        )
    found = maps[kind]
    tensors = list(found) if isinstance(found, (list, tuple, torch.Tensor)) else [found]
    if others := [one for one in tensors if not isinstance(one, torch.Tensor)]:
        raise RejectedError(f'`maps["{kind}"]` holds {describe(others[0])}; expected tensors.')
    return tensors


def by_layer(maps, kind, layers):
    """The maps of one kind, labeled, and a sentence on how many there are, empty where it is one a layer."""
    tensors = tensors_of(maps, kind)
    count = f'Maps in `maps["{kind}"]`: {len(tensors)}; expected {layers}, one for each layer.'
    found = {f"{kind} (layer {i} of {layers}): heads query key": map for i, map in enumerate(tensors)}
    return {f"{kind} (of {layers} layers)": "" if len(tensors) == layers else count} | found


def form(maps):
    """What is wrong with the boxes of the maps; empty where nothing is."""
    if not isinstance(maps, dict):
        tensors_of(maps, "")
    if set(maps) != set(KINDS):
        return f"The keys are {', '.join(map(repr, maps)) or 'missing'}; expected encoder, decoder and cross."
    for kind, tensors in maps.items():
        if not isinstance(tensors, list):
            return f'`maps["{kind}"]` is {describe(tensors)}; expected a list.'
        if any(isinstance(one, torch.Tensor) and one.requires_grad for one in tensors):
            return f'The maps in `maps["{kind}"]` have a gradient, so they keep the whole pass in memory.'
    return ""
