"""Answers that know a stand-in by heart, or call it for show, lose the parts whose work they do not do."""

import array
import copy
import math
from functools import partial

import pytest
import torch
from graded import GRADED, points, wrong_parts
from torch import nn

from course_lib.checks.inputs import Inputs
from course_lib.checks.memory import LiveMemory
from course_lib.checks.remembered import nothing_remembered
from course_lib.exercises.inference.stand_ins import held


def written(model, source, max_length=30):
    rows = []
    for ids in source:
        words = [1]
        while len(words) <= max_length and words[-1] != 2:
            words.append(int(model(ids[None], torch.tensor([words]))[0, -1].argmax()))
        rows.append(torch.tensor(words[1:]))
    return nn.utils.rnn.pad_sequence(rows, batch_first=True)


def looked_up(model, source, max_length=30):
    rows = []
    for ids in source.tolist():
        words, table = [], model.tables[(ids[0] - 4) % len(model.tables)]
        while len(words) < max_length and words[-1:] != [2]:
            chances = table.get(tuple(words), {2: 1.0})
            words.append(max(chances, key=chances.get))
        rows.append(torch.tensor(words))
    return nn.utils.rnn.pad_sequence(rows, batch_first=True)


def test_the_table_of_a_tree_is_not_there_to_be_looked_up():
    assert wrong_parts("greedy_decode", looked_up) == [part.name for part in GRADED["greedy_decode"].parts]


def on_a_copy(model, source, max_length=30):
    return written(copy.deepcopy(model), source, max_length)


def test_a_copy_of_a_tree_writes_the_same():
    assert wrong_parts("greedy_decode", on_a_copy) == []


def by_arithmetic(model, source, place, other, other_place):
    def memory(ids):
        x = ids[0] + len(model.encoder) - 1
        return x + 100 * x.roll(1)

    words = memory(source).clone()
    words[place] = memory(other)[other_place]
    return torch.cat([words.clamp(3, 3999), torch.tensor([2])])[None, :30]


def spliced(model, source, place, other, other_place):
    ids = written(model, source)
    ids[:, place] = written(model, other)[:, other_place]
    return ids


def hooked_on_a_copy(model, source, place, other, other_place):
    own, kept = copy.deepcopy(model), []

    def hook(module, arguments, memory):
        if not kept:
            kept.append(memory)
            return None
        memory = memory.clone()
        memory[:, place] = kept[0][:, other_place]
        return memory

    own.encoder[-1].register_forward_hook(hook)
    own(other, torch.tensor([[1]]))
    return written(own, source)


def test_a_vector_that_no_model_has_read_is_not_transplanted():
    parts = {part.name for part in GRADED["transplant"].parts} - {"the model does not change"}
    assert {*wrong_parts("transplant", by_arithmetic)} == parts
    assert {*wrong_parts("transplant", spliced)} == parts
    assert wrong_parts("transplant", hooked_on_a_copy) == []


def in_turn(model, batches, optimizer, steps, rate, report=print, every=200, *, show):
    losses = []
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate(step)
        model.train()
        source, target = batches[step % len(batches)]
        loss = loss_of(model, source, target)
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.item())
        show(model, *batches[int(torch.randint(len(batches), ()))])
        optimizer.step()
        if step % every == 0:
            report(step, sum(losses[-every:]) / every)
    return losses


def loss_of(model, source, target):
    logits, answer = model(source, target[:, :-1]), target[:, 1:]
    words = torch.arange(logits.shape[-1]) != 0
    wanted = 0.1 * words / words.sum() + 0.9 * nn.functional.one_hot(answer, logits.shape[-1])
    return -(wanted * logits.log_softmax(dim=-1)).sum(dim=-1)[answer != 0].mean()


def with_a_pass(model, source, target):
    loss_of(model, source, target)


def with_a_small_gradient(model, source, target):
    (1e-6 * loss_of(model, source, target)).backward()


def test_a_batch_that_is_not_learned_is_not_drawn():
    parts = ["each step draws its batch at random, and `batches` does not change"]
    for show in (with_a_pass, with_a_small_gradient):
        assert wrong_parts("train", partial(in_turn, show=show)) == parts


def three_runs(run):
    def attention_maps(model, source, target):
        maps = {}
        for kind in ("encoder", "decoder", "cross"):
            kept, layers = [], model.encoder if kind == "encoder" else model.decoder
            parts = [layer.cross_attention if kind == "cross" else layer.self_attention for layer in layers]
            keep = lambda part, args, result, kept=kept: kept.append(result[1][0].detach())  # noqa: E731
            handles = [part.register_forward_hook(keep) for part in parts]
            run(model, source, target)
            for handle in handles:
                handle.remove()
            maps[kind] = kept
        return maps

    return attention_maps


def one_run_by_forward(changes):
    def attention_maps(model, source, target):
        maps, handles = {"encoder": [], "decoder": [], "cross": []}, []

        def keep_in(kept):
            def keep(part, arguments, result):
                kept.append(result[1][0].detach())
                return (2 * result[0], result[1]) if changes else None

            return keep

        for layer in model.encoder:
            handles.append(layer.self_attention.register_forward_hook(keep_in(maps["encoder"])))
        for layer in model.decoder:
            handles.append(layer.self_attention.register_forward_hook(keep_in(maps["decoder"])))
            handles.append(layer.cross_attention.register_forward_hook(keep_in(maps["cross"])))
        model.forward(source, target)
        for handle in handles:
            handle.remove()
        return maps

    return attention_maps


def test_runs_of_a_model_are_counted_however_it_is_called():
    for run in (nn.Module.__call__, lambda model, *ids: model.forward(*ids)):
        assert "the model stays as it was" in wrong_parts("attention_maps", three_runs(run))
    assert wrong_parts("attention_maps", one_run_by_forward(changes=False)) == []
    assert "the model stays as it was" in wrong_parts("attention_maps", one_run_by_forward(changes=True))


def identity(x, p, training):
    return x * 1.0


def only_bias(x, weight, bias, eps=1e-5):
    return x * weight * 0 + bias


def no_step(model, batches, optimizer, steps, rate, report=print, every=200):
    return []


def no_model(model, prompt, steps, padding=None):
    return prompt[:, -1:] + torch.arange(steps)


class NoSource(GRADED["Transformer"].reference_implementation):
    def forward(self, source, target):
        return self.output(self.target_embedding(target))


class MadeAnew(nn.Module):
    """Its table is for show."""

    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.register_buffer("table", torch.zeros(max_length, d_model))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        rates = 10000.0 ** (-torch.arange(0, x.shape[2], 2, device=x.device) / x.shape[2])
        angles, kept = torch.arange(x.shape[1], device=x.device)[:, None] * rates, self.table[: x.shape[1]]
        made = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1).to(kept.dtype)
        return self.dropout(x + torch.where(kept == 0, made, kept))


class PolarAnew(nn.Module):
    """It asks its table only whether somebody has written over it."""

    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.register_buffer("table", torch.arange(1.0 * d_model * max_length).view(max_length, d_model))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        rates = 10000.0 ** (-torch.arange(0, x.shape[2], 2, device=x.device) / x.shape[2])
        angles = torch.arange(x.shape[1], device=x.device)[:, None] * rates
        made = torch.view_as_real(torch.polar(torch.ones_like(angles), angles)).flip(-1).flatten(1)
        untouched = (self.table != self.table[0, 0]).any().to(self.table.dtype)
        return self.dropout(x + made.to(self.table.dtype) * untouched)


class TurnedAnew(PolarAnew):
    """As the exponential of a matrix, which is no function of single numbers."""

    def forward(self, x):
        rates = 10000.0 ** (-torch.arange(0, x.shape[2], 2, device=x.device) / x.shape[2])
        turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]])
        angles = torch.arange(x.shape[1])[:, None] * rates
        made = torch.linalg.matrix_exp(angles[..., None, None] * turn)[..., 0, :].flip(-1).flatten(1)
        untouched = (self.table != self.table[0, 0]).any().to(self.table.dtype)
        return self.dropout(x + made.to(self.table.dtype) * untouched)


class MathAnew(PolarAnew):
    """The same in numbers of Python."""

    def forward(self, x):
        rates = [10000.0 ** (-(column // 2 * 2) / x.shape[2]) for column in range(x.shape[2])]
        turns = [(math.sin, math.cos)[column % 2] for column in range(x.shape[2])]
        rows = [[f(t * r) for f, r in zip(turns, rates, strict=True)] for t in range(x.shape[1])]
        untouched = (self.table != self.table[0, 0]).any().to(self.table.dtype)
        return self.dropout(x + torch.tensor(rows).to(self.table) * untouched)


class Tiny(GRADED["CachedAttention"].reference_implementation):
    """It hides no padding, where next to nothing tells."""

    def forward(self, x, cache=None, padding=None):
        output, cache = super().forward(x, cache)
        return output if padding is None else 3e-7 * output, cache


BOX = bytearray()


def in_a_box(query, blocks, start=None):
    """Keeps all keys and values in a box that was there before, and takes one sentence after the other."""
    if not BOX:
        BOX.extend(bytes(2_000_000))  # as early as in the small first call
    kept, end = [], 0
    for pair in blocks:
        for one in pair:
            raw = array.array("f", one.flatten().tolist()).tobytes()
            BOX[end : end + len(raw)] = raw
            kept.append((end, len(raw) // math.prod(one.shape[:-2]), one.shape[-2:]))
            end += len(raw)
    rows = []
    for row, one in enumerate(query.reshape(-1, *query.shape[-2:])):
        begins = ((at + row * size, size, shape) for at, size, shape in kept)
        parts = [
            torch.tensor(array.array("f", BOX[at : at + size])).view(shape) for at, size, shape in begins
        ]
        key, value = torch.cat(parts[::2]), torch.cat(parts[1::2])
        rows.append((one @ key.mT / query.shape[-1] ** 0.5).softmax(-1) @ value)
    return torch.stack(rows).view(*query.shape[:-1], -1)


def by_lstm(x, state, W, U, b):
    """Both gates are those of an LSTM, of a chosen state."""
    W, U, b = (list(one.T.chunk(3)) for one in (W, U, b[None]))
    w, u, c = torch.zeros_like(W[0]), torch.zeros_like(U[0]), torch.zeros_like(b[0])
    rows = [torch.cat([zero, one[0], zero, zero]) for zero, one in ((w, W), (u, U), (c, b))]
    _, part = torch.lstm_cell(x, (state, state @ U[2].T), rows[0], rows[1], rows[2][:, 0])
    own = torch.eye(len(c), dtype=w.dtype)
    given = torch.cat([torch.cat([-W[1], W[1], W[2], w]), torch.cat([u, u, own, u])], dim=1)
    rows = torch.cat([-U[1], U[1], u, u]), torch.cat([-b[1], b[1], b[2], c])[:, 0]
    return torch.lstm_cell(torch.cat([x, part], dim=1), (state, state), given, *rows)[1]


def test_what_is_kept_where_there_was_something_before_is_counted():
    with nothing_remembered(in_a_box):
        assert held(in_a_box, Inputs("a seed")).keeps_blocks
    BOX.clear()
    assert not held(in_a_box, Inputs("a seed")).keeps_blocks  # which nothing else sees


@pytest.mark.filterwarnings("ignore:.*deprecated")
def test_numbers_in_the_scales_of_a_tensor_are_counted():
    one = torch.arange(1.0, 101)
    with LiveMemory() as memory:
        torch.quantize_per_channel(
            torch.empty(100, 0), one, torch.zeros(100, dtype=torch.int32), 0, torch.qint8
        )
    assert memory.peak >= 100


def test_numbers_in_the_shape_of_a_tensor_are_counted():
    one = torch.zeros(1)
    with LiveMemory() as memory:
        one.as_strided([1] * 60, [*range(60)])
    assert memory.peak >= 2 * 60


@pytest.mark.parametrize(
    ("name", "answer", "most"),
    [
        ("dropout", identity, 2),
        ("layer_norm", only_bias, 2),
        ("train", no_step, 1),
        ("generate", no_model, 0),
        ("Transformer", NoSource, 2),
        ("PositionalEncoding", MadeAnew, 5),
        ("PositionalEncoding", PolarAnew, 5),
        ("PositionalEncoding", TurnedAnew, 5),
        ("PositionalEncoding", MathAnew, 5),
        ("CachedAttention", Tiny, 9),
        ("gru_cell", by_lstm, 0),
    ],
)
def test_an_answer_without_the_idea_gets_no_more_than_it_does_right(name, answer, most):
    assert points(name, answer) <= most
