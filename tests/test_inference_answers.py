"""Answers of lesson 13 that do less than they are asked for lose the parts that ask for it."""

import copy
import math

import pytest
import torch
from cells import run_cell
from graded import points, wrong_parts
from hostile.unseen import SHORT
from torch import nn

from course_lib.checks.memory import LiveMemory


def scores_of(query, key, start, place=0):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if start is None:
        return scores
    rows = start + torch.arange(query.shape[-2])[:, None]
    return scores.masked_fill(place + torch.arange(key.shape[-2]) > rows, -torch.inf)


def whole(query, blocks, start):
    key, value = (torch.cat(each, dim=-2) for each in zip(*blocks, strict=True))
    return scores_of(query, key, start).softmax(dim=-1) @ value


def in_two_loops(query, first, second, start):
    maximum, place = torch.tensor(-torch.inf), 0
    for key, _ in first:
        maximum = torch.maximum(maximum, scores_of(query, key, start, place).amax(dim=-1, keepdim=True))
        place += key.shape[-2]
    total, output, place = 0, 0, 0
    for key, value in second:
        weights = (scores_of(query, key, start, place) - maximum).exp()
        total, output = total + weights.sum(dim=-1, keepdim=True), output + weights @ value
        place += key.shape[-2]
    return output / total


def all_kept_but_without_gradients(query, blocks, start=None):
    if torch.is_grad_enabled():
        return whole(query, blocks, start)
    return query * sum(1 for _ in blocks)


def all_kept_but_for_many_keys(query, blocks, start=None):
    pairs = list(blocks) if isinstance(blocks, list) or query.dim() == 2 else []
    return whole(query, pairs, start) if pairs else query * sum(1 for _ in blocks)


def loops_over_a_copy(query, blocks, start=None):
    return in_two_loops(query, copy.copy(blocks), blocks, start)


def loops_over_a_deep_copy(query, blocks, start=None):
    return in_two_loops(query, copy.deepcopy(blocks), blocks, start)


def reads_attributes(query, blocks, start=None):
    if not hasattr(blocks, "key"):
        return whole(query, blocks, start)
    return whole(query, [(blocks.key, blocks.value)], start)


def kept_in_lists(query, blocks, start=None):
    kept = [(key.tolist(), value.tolist()) for key, value in blocks]
    return in_two_loops(query, *2 * [[tuple(map(query.new_tensor, pair)) for pair in kept]], start)


def packed(tensor):
    tensor = tensor.contiguous()
    return tensor.view(torch.complex128).clone() if tensor.shape[-1] % 4 == 0 else tensor


def kept_in_complex_numbers(query, blocks, start=None):
    kept = [(packed(key), packed(value)) for key, value in blocks]

    def opened():
        return ((key.view(query.dtype), value.view(query.dtype)) for key, value in kept)

    return in_two_loops(query, opened(), opened(), start)


@pytest.mark.parametrize(
    "answer",
    [
        all_kept_but_without_gradients,
        all_kept_but_for_many_keys,
        loops_over_a_copy,
        loops_over_a_deep_copy,
        reads_attributes,
        kept_in_lists,
        kept_in_complex_numbers,
    ],
)
def test_blocks_that_are_kept_somewhere_else_or_read_twice_are_seen(answer):
    assert "it never holds all keys, or all scores, at once" in wrong_parts("blockwise_attention", answer)


def prints_its_blocks(query, blocks, start=None):
    def told():
        for key, value in blocks:
            print(key.tolist(), value)
            yield key, value

    return online(query, told(), start)


def in_double(query, blocks, start=None):
    pairs = ((key.double(), value.double()) for key, value in blocks)
    return online(query.double(), pairs, start).to(query.dtype)


def in_numpy(query, blocks, start=None):
    pairs = ((torch.from_numpy(key.numpy()), torch.from_numpy(value.numpy())) for key, value in blocks)
    return online(query, pairs, start)


def online(query, blocks, start):
    maximum, total, output, place = torch.tensor(-torch.inf), 0, 0, 0
    for key, value in blocks:
        scores = scores_of(query, key, start, place)
        new = torch.maximum(maximum, scores.amax(dim=-1, keepdim=True))
        weights, shrink = (scores - new).exp(), (maximum - new).exp()
        total, output = total * shrink + weights.sum(dim=-1, keepdim=True), output * shrink + weights @ value
        maximum, place = new, place + key.shape[-2]
    return output / total


@pytest.mark.parametrize("answer", [prints_its_blocks, in_double, in_numpy])
def test_blocks_that_are_printed_or_converted_one_by_one_are_not_kept(answer):
    assert wrong_parts("blockwise_attention", answer) == []


def anew_on_a_copy(model, prompt, steps, padding=None):
    own, ids, cache, new = copy.deepcopy(model), prompt, None, prompt
    for _ in range(steps):
        word = own(ids, None, padding)[0][:, -1:].argmax(dim=-1)
        _, cache = model(new, cache, padding)
        new, ids = word, torch.cat([ids, word], dim=1)
    return ids[:, prompt.shape[1] :]


def without_logits(model, prompt, steps, padding=None):
    (_, cache), words = model(prompt, None, padding), []
    for _ in range(steps):
        read = cache[0, 0, :, 0, :, 0]
        places = torch.arange(read.shape[1]) - (0 if padding is None else padding[:, None])
        sums = (read * (places + 3) * (places >= 0)).cumsum(dim=1)
        words.append((sums * 7 + 5 * read + places)[:, -1:] % 23)
        _, cache = model(words[-1], cache, padding)
    return torch.cat(words, dim=1)


def anew_after_the_calls(model, prompt, steps, padding=None):
    cache, new, ids = None, prompt, prompt
    for _ in range(steps):
        _, cache = model(new, cache, padding)
        new = prompt[:, :1]
    for _ in range(steps):
        ids = torch.cat([ids, model(ids, None, padding)[0][:, -1:].argmax(dim=-1)], dim=1)
    return ids[:, prompt.shape[1] :]


def word_by_word_anew(model, prompt, steps, padding=None):
    ids = anew_after_the_calls(model, prompt, 1, padding)
    for _ in range(steps - 1):
        cache = None
        for place in range(prompt.shape[1]):
            _, cache = model(prompt[:, place : place + 1], cache, padding)
        for place in range(ids.shape[1]):
            logits, cache = model(ids[:, place : place + 1], cache, padding)
        ids = torch.cat([ids, logits[:, -1:].argmax(dim=-1)], dim=1)
    return ids


@pytest.mark.parametrize("answer", [anew_on_a_copy, without_logits, anew_after_the_calls, word_by_word_anew])
def test_a_model_that_is_called_for_show_does_not_count(answer):
    assert "the model reads the prompt once, and then each word once" in wrong_parts("generate", answer)


def zeros(query, blocks, start=None):
    sizes = [value.shape[-1] for _, value in blocks]
    return query.new_zeros(*query.shape[:-1], sizes[0])


def itself_alone(new, past, padding=None):
    mask = torch.eye(new, past + new, dtype=torch.bool).roll(past, 1)
    return mask if padding is None else mask.expand(len(padding), -1, -1)


def one_word(model, prompt, steps, padding=None):
    cache, ids = None, prompt
    for _ in range(steps):
        (_, cache), ids = model(ids, cache, padding), prompt[:, -1:]
    return ids.expand(-1, steps)


def same_words(model, prompt, steps, padding=None):
    return torch.arange(steps).expand(len(prompt), -1)


def first_hypothesis(scores, logits, cache, beams):
    zeros = torch.zeros(beams, dtype=torch.long)
    return zeros, zeros, scores[:1].expand(beams), cache[:, :, zeros]


def each_continues_once(scores, logits, cache, beams):
    places = torch.arange(beams) % len(scores)
    return places, 0 * places, scores[places], cache[:, :, places]


class Zeros(nn.Module):
    def __init__(self, d_model, heads, kv_heads, max_length=512):
        super().__init__()
        self.heads, self.kv_heads, d_k = heads, kv_heads, d_model // heads
        self.query, self.output = (nn.Linear(d_model, d_model, bias=False) for _ in range(2))
        self.key, self.value = (nn.Linear(d_model, kv_heads * d_k, bias=False) for _ in range(2))

    def forward(self, x, cache=None, padding=None):
        value = self.value(x).unflatten(-1, (self.kv_heads, -1)).transpose(1, 2)
        new = torch.stack([value, value])
        return self.read(x), new if cache is None else torch.cat([cache, new], dim=-2)

    def read(self, x):
        return x * 0


class WordsThemselves(Zeros):
    def read(self, x):
        return x


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("blockwise_attention", zeros),
        ("chunk_mask", itself_alone),
        ("generate", one_word),
        ("generate", same_words),
        ("beam_step", first_hypothesis),
        ("beam_step", each_continues_once),
        ("CachedAttention", Zeros),
        ("CachedAttention", WordsThemselves),
    ],
)
def test_an_answer_that_does_nothing_gets_no_points(name, answer):
    assert points(name, answer) == 0


def test_a_model_is_not_told_that_less_is_read_than_is():
    generate = run_cell({"torch": torch}, SHORT)["generate"]
    assert "the model reads the prompt once, and then each word once" in wrong_parts("generate", generate)


def test_a_tensor_that_says_that_it_has_no_memory_is_counted():
    class Keep(torch.Tensor):
        def untyped_storage(self):
            return torch.empty(0).untyped_storage()

    kept = Keep(torch.empty(0))
    with LiveMemory(()) as memory:
        kept.resize_(1000)
    assert memory.peak == 1000
