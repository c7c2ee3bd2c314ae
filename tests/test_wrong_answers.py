"""Wrong answers of lessons 01 to 06 that no listed mistake names: each has to cost a point.

They change nothing where most answers go wrong. Each is the reference, but for what is given here.
"""

import itertools

import pytest
import torch
from graded import GRADED, expected, points
from torch import nn

from course_lib import exercises
from course_lib.authoring.build import lessons
from course_lib.checks.gradients import MODES
from course_lib.checks.judgement import judge
from course_lib.checks.observation import observe

EARLY = [name for path in lessons() if path.stem < "07" for name in exercises.load(path.stem).exercises]
REFERENCES = {name: one.reference_implementation for name, one in GRADED.items()}
MODULES = [name for name in EARLY if GRADED[name].interface.builds == "module"]
ALL_MODULES = [name for name, one in GRADED.items() if one.interface.builds == "module"]
WITH_WEIGHTS = [name for name in ALL_MODULES if name != "PositionalEncoding"]
WRONG = {}


def wrong(name):
    """A decorator: a wrong answer to the exercise of this name."""

    def add(answer):
        WRONG[f"{name}-{answer.__name__}"] = name, answer
        return answer

    return add


@pytest.mark.parametrize("name", MODULES)
def test_a_module_of_float64_that_gives_float32_loses_a_point(name):
    class Narrowed(REFERENCES[name]):
        def forward(self, *arguments, **named):
            results = super().forward(*arguments, **named)
            several = isinstance(results, tuple)
            return tuple(result.float() for result in results) if several else results.float()

    assert points(name, Narrowed) < GRADED[name].points


@pytest.mark.parametrize("name", ALL_MODULES)
def test_no_gradient_in_evaluation_mode_costs_a_point_and_is_told_with_its_mode(name):
    class OnlyNumbers([*GRADED[name].accepted.values()][1]):
        def forward(self, *arguments, **named):
            with torch.set_grad_enabled(self.training and torch.is_grad_enabled()):
                return super().forward(*arguments, **named)

    outcomes = expected(name, 0)
    verdicts = judge(outcomes, observe(outcomes.task, OnlyNumbers)).verdicts
    wrong = [verdict.message for verdict in verdicts if verdict.status != "right"]
    assert wrong and all(message.startswith(f"{MODES} No gradient reaches ") for message in wrong), wrong


@pytest.mark.parametrize("name", WITH_WEIGHTS)
def test_instances_that_share_a_parameter_are_told_so(name):
    kept = {}

    class Sharing(REFERENCES[name]):
        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **named)
            path = [path for path, _ in self.named_parameters() if not path.startswith("sublayer")][-1]
            owner, own = self.get_submodule(path.rpartition(".")[0]), self.get_parameter(path)
            setattr(owner, path.rpartition(".")[2], kept.setdefault((own.shape, own.dtype), own))

    outcomes = expected(name, 0)
    verdicts = judge(outcomes, observe(outcomes.task, Sharing)).verdicts
    assert any(f"Two instances of your `{name}` share" in verdict.message for verdict in verdicts)


# Dropout: who is dropped


def kept(x, p, training, of):
    """What dropout gives where `of` says which numbers are kept."""
    if not training:
        return x
    return torch.zeros_like(x) if p == 1 else x * of(x, p) / (1 - p)


@wrong("dropout")
def tenths_of_p(x, p, training):
    return kept(x, p, training, lambda x, p: torch.randint(0, 10, x.shape) >= int(10 * p))


@wrong("dropout")
def a_little_more_than_p(x, p, training):
    return kept(x, p, training, lambda x, p: torch.rand_like(x) >= (p + 0.035 if p else 0))


@wrong("dropout")
def by_sign(x, p, training):
    def of(x, p):
        more = min(1, 1.5 * p)
        return torch.rand_like(x) >= torch.where(x > 0, more, 2 * p - more)

    return kept(x, p, training, of)


@wrong("dropout")
def by_size(x, p, training):
    def of(x, p):
        far = 0.9 * min(p, 1 - p) if x.numel() >= 500 else 0
        return torch.rand_like(x) >= p + far * (x.abs() - x.abs().median()).sign()

    return kept(x, p, training, of)


LAST = {}


@wrong("dropout")
def what_the_last_call_kept(x, p, training):
    def of(x, p):
        if x.shape in LAST:
            return 1 - LAST.pop(x.shape) >= p
        LAST[x.shape] = torch.rand(x.shape)
        return LAST[x.shape] >= p

    return kept(x, p, training, of)


@wrong("dropout")
def a_fixed_count_of_many(x, p, training):
    def of(x, p):
        if x.numel() < 1000:
            return torch.rand_like(x) >= p
        return (torch.randperm(x.numel()) >= round(p * x.numel())).view(x.shape)

    return kept(x, p, training, of)


@wrong("dropout")
def a_quarter_copies(x, p, training):
    def of(x, p):
        draws, order = (torch.rand_like(x) >= p).flatten(), torch.randperm(x.numel())
        quarter = x.numel() // 4
        draws[order[:quarter]] = draws[order[quarter : 2 * quarter]]
        return draws.view(x.shape)

    return kept(x, p, training, of)


def masks_in_turn(count):
    """What draws one of so many masks by the number of the call."""
    calls = itertools.count()

    def of(x, p):
        return torch.rand(x.shape, generator=torch.Generator().manual_seed(next(calls) % count)) >= p

    return of


FOUR_MASKS, NINETY_MASKS, TABLES = masks_in_turn(4), masks_in_turn(90), itertools.count()


@wrong("dropout")
def four_masks_in_turn(x, p, training):
    return kept(x, p, training, FOUR_MASKS)


@wrong("dropout")
def ninety_masks_in_turn(x, p, training):
    return kept(x, p, training, NINETY_MASKS)


@wrong("dropout")
def torchs_first_seed(x, p, training):
    def of(x, p):
        own = torch.Generator().manual_seed(torch.initial_seed() + int(x.sum()) % 3)
        return torch.rand(x.shape, generator=own) >= p

    return kept(x, p, training, of)


@wrong("dropout")
def no_gradient_in_evaluation(x, p, training):
    return REFERENCES["dropout"](x, p, training) if training else x.detach()


@wrong("dropout")
def no_gradient_at_0(x, p, training):
    return x.detach() if training and p == 0 else REFERENCES["dropout"](x, p, training)


@wrong("dropout")
def float32_in_training(x, p, training):
    return REFERENCES["dropout"](x, p, training).float() if training else x


@wrong("dropout")
def float32_in_evaluation(x, p, training):
    return REFERENCES["dropout"](x, p, training) if training else x.float()


@wrong("dropout")
def float32_at_1(x, p, training):
    return torch.zeros(x.shape) if training and p == 1 else REFERENCES["dropout"](x, p, training)


@wrong("dropout")
def draws_for_three_axes(x, p, training):
    return kept(x, p, training, lambda x, p: torch.rand(x.shape[-3:]) >= p)


# Normalization


def normalized(x, eps):
    mean = x.mean(-1, keepdim=True)
    return (x - mean) / ((x - mean).pow(2).mean(-1, keepdim=True) + eps).sqrt()


@wrong("layer_norm")
def cut_at_8(x, weight, bias, eps=1e-5):
    return normalized(x, eps).clamp(-8, 8) * weight + bias


@wrong("layer_norm")
def no_small_eps(x, weight, bias, eps=1e-5):
    return normalized(x, max(eps, 1e-6)) * weight + bias


@wrong("PreNorm")
class TwoCallsBefore(REFERENCES["PreNorm"]):
    def forward(self, x):
        h = self.norm(x)
        return x + (self.sublayer(h) + self.sublayer(h)) / 2


@wrong("PostNorm")
class TwoCallsAfter(REFERENCES["PostNorm"]):
    def forward(self, x):
        return self.norm(x + (self.sublayer(x) + self.sublayer(x)) / 2)


# Attention and masks


@wrong("MultiHeadAttention")
class MaskBySize(REFERENCES["MultiHeadAttention"]):
    def forward(self, query, key, value, mask=None):
        if mask is not None and mask.dim() == 2 and len(mask) == len(query):
            mask = mask[:, None]
        return super().forward(query, key, value, mask)


def of_three_axes(mask):
    return None if mask is not None and mask.dim() == 2 else mask


@wrong("EncoderLayer")
class MasksOfThreeAxes(REFERENCES["EncoderLayer"]):
    def forward(self, x, mask=None):
        return super().forward(x, of_three_axes(mask))


@wrong("EncoderLayer")
class MasksOfThreeAxesForMany(REFERENCES["EncoderLayer"]):
    def forward(self, x, mask=None):
        return super().forward(x, mask if len(x) == 1 else of_three_axes(mask))


@wrong("DecoderLayer")
class TargetMasksOfThreeAxes(REFERENCES["DecoderLayer"]):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return super().forward(x, memory, of_three_axes(mask), memory_mask)


@wrong("DecoderLayer")
class SourceMasksOfThreeAxes(REFERENCES["DecoderLayer"]):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return super().forward(x, memory, mask, of_three_axes(memory_mask))


@wrong("scaled_dot_product_attention")
def masks_of_two_axes_or_more(query, key, value, mask=None):
    mask = None if mask is not None and mask.dim() < 2 else mask
    scores = query @ key.mT / query.shape[-1] ** 0.5
    weights = (scores if mask is None else scores.masked_fill(~mask, -torch.inf)).softmax(-1)
    return weights @ value, weights


@wrong("additive_attention")
def weights_without_gradient(*arguments):
    output, weights = REFERENCES["additive_attention"](*arguments)
    return output, weights.detach()


@wrong("DecoderLayer")
class MaskByLength(REFERENCES["DecoderLayer"]):
    def forward(self, x, memory, mask=None, memory_mask=None):
        alike = x.shape[1] == memory.shape[1] and mask is not None and memory_mask is not None
        return super().forward(x, memory, mask, mask if alike else memory_mask)


MASKS = {}


@wrong("causal_mask")
def one_mask_for_all(size):
    return MASKS.setdefault(size, torch.ones(size, size, dtype=torch.bool).tril())


@wrong("additive_attention")
def scores_of_float32(query, key, value, W_query, W_key, v):
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None]).float()
    weights = (hidden @ v.float()).softmax(-1).to(value.dtype)
    return weights @ value, weights


# Tables


@wrong("Transformer")
class OneTableForEqualVocabularies(REFERENCES["Transformer"]):
    def __init__(self, source_vocab, target_vocab, *sizes):
        super().__init__(source_vocab, target_vocab, *sizes)
        if source_vocab == target_vocab:
            self.source_embedding = self.target_embedding


@wrong("Transformer")
class OneTableIsReadForEqualVocabularies(REFERENCES["Transformer"]):
    def encode(self, source, mask=None):
        tables = self.source_embedding, self.target_embedding
        if tables[0].table.weight.shape == tables[1].table.weight.shape:
            self.source_embedding = self.target_embedding
        memory = super().encode(source, mask)
        self.source_embedding = tables[0]
        return memory


@wrong("Vocabulary")
class UnknownCapitals(REFERENCES["Vocabulary"]):
    def encode(self, words):
        return [self.ids.get(word, self.ids.get(word.lower(), 3)) for word in words]


@wrong("TokenEmbedding")
class PairsOfRows(REFERENCES["TokenEmbedding"]):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__(vocab, d_model, pad)
        rows = self.table.weight.data
        rows.copy_(torch.randn(vocab, d_model)[torch.arange(vocab) // 2] / d_model**0.5)
        rows[pad] = 0


@wrong("TokenEmbedding")
class Seeded(REFERENCES["TokenEmbedding"]):
    def __init__(self, vocab, d_model, pad=0):
        torch.manual_seed(0)
        super().__init__(vocab, d_model, pad)


@wrong("TokenEmbedding")
class FourTablesInTurn(REFERENCES["TokenEmbedding"]):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__(vocab, d_model, pad)
        own = torch.Generator().manual_seed(next(TABLES) % 4)
        self.table.weight.data.copy_(torch.randn(vocab, d_model, generator=own) / d_model**0.5)
        self.table.weight.data[pad] = 0


@wrong("LearnedPositions")
class RewrittenTable(nn.Module):
    def __init__(self, d_model, max_length):
        super().__init__()
        self.table = nn.Embedding(max_length, d_model, max_norm=50.0)

    def forward(self, x):
        return x + self.table(torch.arange(x.shape[1]))


KEPT = {}


@wrong("LearnedPositions")
class OneTableForAll(REFERENCES["LearnedPositions"]):
    def __init__(self, d_model, max_length):
        super().__init__(d_model, max_length)
        self.table = KEPT.setdefault((d_model, max_length), self.table)


@wrong("PositionalEncoding")
class LeftBehind(REFERENCES["PositionalEncoding"]):
    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__(d_model, max_length, dropout)
        table = self.table
        del self.table
        self.table = table

    def forward(self, x):
        return self.dropout(x + self.table[: x.shape[1]].to(x.dtype))


@wrong("PositionalEncoding")
class TableForShow(REFERENCES["PositionalEncoding"]):
    def forward(self, x):
        length, d_model = self.table.shape
        return self.dropout(x + REFERENCES["sinusoidal_encoding"](length, d_model)[: x.shape[1]].to(x))


@wrong("PositionalEncoding")
class TableOfOnes(REFERENCES["PositionalEncoding"]):
    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__(d_model, max_length, dropout)
        self.table = torch.ones(max_length, d_model)

    def forward(self, x):
        positions = REFERENCES["sinusoidal_encoding"](x.shape[1], x.shape[2])
        return self.dropout(x + positions.to(x) * self.table[: x.shape[1]])


@wrong("PositionalEncoding")
class TableOfTheFirstSentence(REFERENCES["PositionalEncoding"]):
    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__(d_model, max_length, dropout)
        self.table = torch.zeros(max_length, d_model)

    def forward(self, x):
        if not self.table.any():
            self.table[: x.shape[1]] = REFERENCES["sinusoidal_encoding"](x.shape[1], x.shape[2])
        return super().forward(x)


@wrong("PositionalEncoding")
class OneDrawForTheBatch(REFERENCES["PositionalEncoding"]):
    def forward(self, x):
        total = x + self.table[: x.shape[1]]
        return total * self.dropout(torch.ones(total.shape[1:], dtype=x.dtype, device=x.device))


@wrong("skipgram_pairs")
def tokens_become_text(tokens, window=2):
    pairs = REFERENCES["skipgram_pairs"](tokens, window)
    tokens[:] = map(str, tokens)
    return pairs


@wrong("apply_rotary")
def all_by_one_angle(x, cos, sin):
    return REFERENCES["apply_rotary"](x, cos[:1], sin[:1])


@wrong("nearest")
def short_rows_count_less(vector, table, count=5):
    rows, vector = (x / x.norm(dim=-1, keepdim=True).clamp_min(1e-3) for x in (table, vector))
    return (rows @ vector).topk(count)


@wrong("one_hot_lookup")
def one_id_has_no_batch(ids, table):
    one_hot, vectors = REFERENCES["one_hot_lookup"](ids, table)
    return one_hot.squeeze(0) if ids.shape[1] == 1 else one_hot, vectors


# What a call leaves behind


def maps(model, source, target):
    return REFERENCES["attention_maps"](model, source, target)


@wrong("attention_maps")
def frozen_model(model, source, target):
    model.requires_grad_(False)
    return maps(model, source, target)


@wrong("attention_maps")
def all_learn_afterwards(model, source, target):
    model.requires_grad_(False)
    found = maps(model, source, target)
    model.requires_grad_(True)
    return found


@wrong("parameter_count")
def in_float32(vocab, d_model, d_ff, layers):
    return int(torch.tensor(float(REFERENCES["parameter_count"](vocab, d_model, d_ff, layers))))


@wrong("attention_maps")
def gradients_off(model, source, target):
    torch.set_grad_enabled(False)
    return maps(model, source, target)


@wrong("attention_maps")
def other_gradients(model, source, target):
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    return maps(model, source, target)


@wrong("attention_maps")
def three_passes(model, source, target):
    return [maps(model, source, target) for _ in range(3)][-1]


@pytest.mark.parametrize(("name", "answer"), WRONG.values(), ids=list(WRONG))
def test_a_wrong_answer_loses_a_point(name, answer):
    torch.manual_seed(0)  # draws that are copied are found in 99.7 % of the calls
    assert points(name, answer) < GRADED[name].points


class LinearTable(nn.Module):
    def __init__(self, d_model, max_length):
        super().__init__()
        self.table = nn.Linear(max_length, d_model, bias=False)

    def forward(self, x):
        return x + self.table.weight.T[: x.shape[1]]


def test_a_layer_that_stands_for_a_table_is_not_told_to_be_another_layer():
    outcomes = expected("LearnedPositions", 0)
    messages = {verdict.message for verdict in judge(outcomes, observe(outcomes.task, LinearTable)).verdicts}
    assert "Your parameter `table.weight` has shape (6, 5), expected (5, 6)." in messages
