"""transplant: what is written when one vector of a sentence's memory is another sentence's."""

import contextlib
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.inputs import Inputs
from course_lib.checks.instances import EXAMPLE
from course_lib.checks.notes import Along, notes
from course_lib.checks.results import RejectedError
from course_lib.checks.untouched import Untouched, in_each_use, in_use
from course_lib.exercises.translator.greedy_decode import greedy_decode, greedy_reference
from course_lib.exercises.translator.stand_ins import BOS, EOS, UNK

transplant = Exercise(
    "transplant",
    points=6,
    returns=("ids: batch target",),
    hints=[
        "Which layer of the model returns the memory, and how can you get it there without changing the "
        "model's code? How many times does greedy decoding run the encoder?",
        "Use two hooks on the last layer of `model.encoder`, one after the other. The first keeps the memory "
        "of `other` in one pass of the model. Remove it. The second stays while you decode `source`.",
        "One pass is `model(other, torch.tensor([[BOS]]))`. The second hook makes a copy, "
        "`changed = result.clone()`, writes `changed[:, place] = memory[:, other_place]`, and returns it.",
        "Write `try: return greedy_decode(model, source)`, then `finally: handle.remove()`. This removes the "
        "hook even if decoding fails.",
    ],
    examples=[
        "transplant(speller(), torch.tensor([[4]]), 0, torch.tensor([[5]]), 0)",
        "transplant(speller(), torch.tensor([[4, 5, 6]]), 1, torch.tensor([[7, 8, 9]]), 2)",
        "transplant(speller(), torch.tensor([[4, 5]]), 1, torch.tensor([[6, 7, 8]]), 2)",
        "transplant(speller(), torch.tensor([[4, 5, 6]]), 2, torch.tensor([[7, 8]]), 0)",
        "transplant(speller(layers=2), torch.tensor([[4, 5, 6]]), 1, torch.tensor([[7, 8, 9]]), 2)",
        "transplant(speller(), torch.arange(4, 36)[None], 0, torch.tensor([[36]]), 0)",
        "left_by(transplant)",
        "left_by(transplant, training=False)",
        "left_by(transplant, used=True)",
    ],
    uses=(greedy_decode,),
    repeatable=False,
)

DIRECTION, READ = torch.tensor([1.0, -1.0, 2.0]), torch.tensor([2.0, -2.0, 1.0]) / 6
WORDS = 40  # ids of source words are smaller


class Layer(nn.Module):
    """Adds `shift`, and `mix` times the vector before; before the first stands the last."""

    def __init__(self, shift: float, mix: float) -> None:
        super().__init__()
        self.shift, self.mix = nn.Parameter(torch.tensor(shift)), nn.Parameter(torch.tensor(mix))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.shift * DIRECTION + self.mix * x.roll(1, dims=1)


class Speller(Along, nn.Module):
    """A translator that writes one word for each vector of its memory, in their order.

    Its last layer gives word 4 after word 6 a vector that is written as 604. What it reads must be what it
    would have written: else it goes on with the unknown word, 3.
    """

    along = ("memories",)

    def __init__(self, layers: int = 1) -> None:
        super().__init__()
        self.encoder = nn.ModuleList([*(Layer(1.0, 0.0) for _ in range(layers - 1)), Layer(0.0, 100.0)])

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        if source.dim() != 2 or target.dim() != 2 or len(source) != len(target):
            shapes = f"{tuple(source.shape)} and {tuple(target.shape)}"
            raise ValueError(f"the model got source and target of shapes {shapes}")
        memory = source[..., None] * DIRECTION
        for layer in self.encoder:
            memory = layer(memory)
        notes(self, "memories").append(memory.detach().clone())
        words = F.pad(words_of(memory), (0, target.shape[1]), value=EOS)
        read = F.pad(words, (1, 0), value=BOS)[:, : target.shape[1]]
        lost = (target != read).cumsum(dim=1) > 0
        return 5.0 * F.one_hot(words[:, : target.shape[1]].masked_fill(lost, UNK), 100 * WORDS)


def words_of(memory):
    return (memory @ READ).round().long().clamp(UNK, 100 * WORDS - 1)


def speller(layers=1):
    """A small translator whose memory can be read off what it writes: see Speller."""
    return Speller(layers)


@transplant.reference
def transplant_reference(model, source, place, other, other_place):
    memories = []
    handle = model.encoder[-1].register_forward_hook(lambda _, __, memory: memories.append(memory))
    try:
        model(other, torch.tensor([[BOS]]))
    finally:
        handle.remove()

    def put(module, arguments, memory):
        changed = memory.clone()
        changed[:, place] = memories[0][:, other_place]
        return changed

    handle = model.encoder[-1].register_forward_hook(put)
    try:
        return greedy_reference(model, source)
    finally:
        handle.remove()


def two_sentences(inputs, *lengths):
    """Ids (1, length), no word twice in all of them."""
    words = 4 + torch.rand(WORDS - 6, generator=inputs.generator).argsort()
    return [one[None] for one in words[: sum(lengths)].split(lengths)]


# length of source, place, length of other, other_place: in either order of the lengths and of the places
CASES = (5, 3, 3, 1), (3, 1, 6, 5), (4, 0, 4, 2), (4, 3, 2, 0)


UNREAD = (
    "The ids are right, but the model never used the changed memory: that of `source`, with vector "
    "`other_place` of `other` at `place`. Change the memory inside the model, and let the model write the "
    "ids."
)


def written(answer, inputs, length, place, other_length, other_place, layers=1):
    """The ids. Raises RejectedError if they are right without the memory with which a model writes them."""
    source, other = two_sentences(inputs, length, other_length)
    sought = memory_of(source, layers)
    sought[:, place] = memory_of(other, layers)[:, other_place]
    model = Speller(layers).train(length % 2 == 0)
    ids = answer(model, source, place, other, other_place)
    right = isinstance(ids, Tensor) and ids[..., :length].equal(words_of(sought)[:, : ids.shape[-1]])
    if right and not any(memory.equal(sought) for memory in notes(model, "memories")):
        raise RejectedError(UNREAD)
    return ids


def memory_of(ids, layers):
    """The vectors that the encoder gives for a sentence."""
    model = Speller(layers)
    model(ids, torch.tensor([[BOS]]))
    return notes(model, "memories")[0]


@transplant.part("vector `other_place` of `other` is at `place`", points=2)
def at_place(answer, inputs):
    (source,) = two_sentences(inputs, 4)
    return {
        "ids at place 0 (source and other are the same): batch target": answer(
            Speller(), source, 0, source.clone(), 2
        )[..., :1]
    } | {
        f"ids at place {case[1]} (of {case[0]} words): batch target": written(answer, inputs, *case)[
            ..., case[1] : case[1] + 1
        ]
        for case in CASES
    }


@transplant.part("all other vectors are the source's own", points=1)
def elsewhere(answer, inputs):
    found = {}
    for case in CASES:
        ids, place = written(answer, inputs, *case), case[1]
        rest = torch.cat([ids[..., :place], ids[..., place + 1 :]], dim=-1)
        found[f"ids without place {place} (of {case[0]} words): batch target"] = rest
    long = written(answer, inputs, 31, 4, 3, 1)[..., 5:]
    return found | {"ids from place 5 on (of 31 words): batch target": long}


@transplant.part("the memory is what the last of several layers returns", points=1)
def last_layer(answer, inputs):
    return {
        f"ids ({layers} layers): batch target": written(answer, inputs, *case, layers=layers)
        for layers, case in ((2, (5, 2, 4, 3)), (3, (4, 3, 5, 0)))
    }


@transplant.part("the model does not change", points=1, alone=False)
def stays(answer, inputs):
    models = in_each_use(lambda: Speller(2))
    return {use: left_in(model, answer, inputs) for use, model in models.items()}


def left_in(model, answer, inputs):
    """What a call changes in a model; empty where it is nothing."""
    source, other = two_sentences(inputs, 4, 5)
    model.encoder[-1].register_forward_hook(lambda *_: None)  # somebody else's
    before, wrote = Untouched(model), greedy_reference(model, source)
    answer(model, source, 1, other, 3)
    if told := before.finding():
        return told
    same = greedy_reference(model, source).equal(wrote)
    return "" if same else "After your call, the model writes another translation of `source`."


def left_by(answer, training=True, used=False):
    """What a call changes in a small model. used: with parts in either mode, and gradients."""
    model = Speller().train(training)
    return left_in(in_use(model) if used else model, answer, Inputs(EXAMPLE))


transplant.names = {"speller": speller, "left_by": left_by}


# Accepted: other ways to write the same


@transplant.accept("one hook for both, partial")
def one_hook(model, source, place, other, other_place):
    def hook(kept, module, arguments, result):
        if not kept:
            kept.append(result[0, other_place].detach().clone())
            return None
        return torch.cat([result[:, :place], kept[0].expand(1, 1, -1), result[:, place + 1 :]], dim=1)

    with contextlib.ExitStack() as stack:
        *_, last = model.encoder
        stack.callback(last.register_forward_hook(partial(hook, [])).remove)
        with torch.no_grad():
            model(other, torch.full((1, 1), BOS))
        return greedy_reference(model, source)


@transplant.accept("written into the result")
def in_place(model, source, place, other, other_place):
    kept = {}

    def keep(module, arguments, result):
        kept["memory"] = result.detach().clone()

    def put(module, arguments, result):
        result[0, place, :] = kept["memory"][0, other_place, :]

    hook = model.encoder[len(model.encoder) - 1].register_forward_hook(keep)
    greedy_reference(model, other)
    hook.remove()
    hook = model.encoder[len(model.encoder) - 1].register_forward_hook(put)
    with torch.no_grad():
        ids = greedy_reference(model, source)
    hook.remove()
    return ids


@transplant.accept("torch.where, decoded by hand")
def by_hand(model, source, place, other, other_place):
    memories = []
    handle = model.encoder[-1].register_forward_hook(lambda layer, inputs, memory: memories.append(memory))
    model(other, torch.tensor([[BOS]]))
    handle.remove()

    def put(layer, inputs, memory):
        here = torch.arange(memory.shape[1]) == place
        return torch.where(here[None, :, None], memories[0][:, other_place, None], memory)

    handle, ids = model.encoder[-1].register_forward_hook(put), [BOS]
    while len(ids) <= 30 and ids[-1] != EOS:
        ids.append(int(model(source, torch.tensor([ids]))[0, -1].argmax()))
    handle.remove()
    return torch.tensor([ids[1:]])


@transplant.accept("a layer around the last one, for a while")
def wrapped(model, source, place, other, other_place):
    last, memory = model.encoder[-1], []

    class Around(nn.Module):
        def forward(self, *arguments):
            result = last(*arguments)
            if memory:
                result = result.index_copy(1, torch.tensor([place]), memory[0])
            else:
                memory.append(result[:, other_place : other_place + 1])
            return result

    try:
        model.encoder[-1] = Around()
        model(other, torch.tensor([[BOS]]))
        return greedy_reference(model, source)
    finally:
        model.encoder[-1] = last
