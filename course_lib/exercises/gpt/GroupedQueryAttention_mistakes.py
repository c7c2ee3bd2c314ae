"""Wrong answers to GroupedQueryAttention: name, advice, code."""

import math

import torch
from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.gpt.GroupedQueryAttention import Layer, rotary

mistake = Mistakes()


@mistake
class Repeated(Layer):
    """You repeat the key heads as a whole (`repeat`), so query heads 0 and 2 share one. Neighbors share a
    key: repeat each head next to itself with `repeat_interleave`.
    """

    def share(self, x):
        return x.repeat(1, self.heads // self.kv_heads, 1, 1)


@mistake(lacks="repeat|expand|kron|unsqueeze")
class NotRepeated(Layer):
    """There are fewer heads of keys and values than of queries, and you do not repeat them. Repeat each of
    them `heads // kv_heads` times, next to itself, with `repeat_interleave`.
    """

    def share(self, x):
        return x


@mistake
class AllKeys(nn.Module):
    """Your keys and values have as many heads as the queries, so nothing is shared. Their layers are
    `nn.Linear(d_model, kv_heads * d_k, bias=False)` with d_k = d_model // heads.
    """

    def __init__(self, d_model, heads, kv_heads):
        super().__init__()
        self.heads, self.kv_heads = heads, heads
        self.query, self.key, self.value, self.output = (
            nn.Linear(d_model, d_model, bias=False) for _ in range(4)
        )


@mistake(mentions="nn.Linear", lacks="bias=False")
class WithBias(nn.Module):
    """Your four layers have biases. This attention has none: write `bias=False`."""

    def __init__(self, d_model, heads, kv_heads):
        super().__init__()
        d_k = d_model // heads
        self.query, self.output = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.key, self.value = nn.Linear(d_model, kv_heads * d_k), nn.Linear(d_model, kv_heads * d_k)


@mistake
class KeysAndValuesOfOneLayer(Layer):
    """Your key and value are one layer under two names. Make a separate layer for each."""

    def __init__(self, d_model, heads, kv_heads):
        super().__init__(d_model, heads, kv_heads)
        self.value = self.key


@mistake("C7")
class NotCausal(Layer):
    """Every token sees the tokens after it. Hide them with the causal mask."""

    def weigh(self, scores):
        return scores.softmax(dim=-1)


@mistake("C2")
class WithoutItself(Layer):
    """A token does not see itself in your mask, and the first token sees nothing. Keep the diagonal."""

    def weigh(self, scores):
        past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(-1)
        return scores.masked_fill(~past, -torch.inf).softmax(dim=-1)


@mistake("C1")
class OnlyTheFuture(Layer):
    """Your mask is negated: each token sees only the tokens after it, and the last one sees nothing, which
    gives NaN. True in `causal_mask` means that a token may look.
    """

    def weigh(self, scores):
        past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        return scores.masked_fill(past, -torch.inf).softmax(dim=-1)


@mistake("C1")
class SeesTheFuture(Layer):
    """Your mask is inverted: each token sees itself and what comes after it. Hide what comes after."""

    def weigh(self, scores):
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu()
        return scores.masked_fill(~future, -torch.inf).softmax(dim=-1)


@mistake("M6")
class MaskedAfterSoftmax(Layer):
    """You set weights to 0 after the softmax, so the rest no longer sums to 1. Mask the scores before it."""

    def weigh(self, scores):
        return scores.softmax(dim=-1).tril()


@mistake("A4")
class Unscaled(Layer):
    """You do not divide the scores by sqrt(d_k)."""

    def score(self, query, key):
        return query @ key.mT


@mistake("A6")
class ScaledByModel(Layer):
    """You divide by sqrt(d_model). Each head has only d_k = d_model / heads numbers: divide by sqrt(d_k)."""

    def score(self, query, key):
        return query @ key.mT / math.sqrt(query.shape[-1] * self.heads)


@mistake
class NotRotated(Layer):
    """You do not rotate, so the order of the tokens is lost. Apply cos and sin to queries and keys."""

    def turn(self, query, key, value, cos, sin):
        return query, key, value


@mistake
class ValuesRotated(Layer):
    """You rotate the values too. Only scores depend on positions: rotate queries and keys."""

    def turn(self, query, key, value, cos, sin):
        return rotary(query, cos, sin), rotary(key, cos, sin), rotary(value, cos, sin)


@mistake
class QueriesAlone(Layer):
    """You rotate only the queries. The score depends on a distance only if the keys are rotated too."""

    def turn(self, query, key, value, cos, sin):
        return rotary(query, cos, sin), key, value


@mistake
class KeysAlone(Layer):
    """You rotate only the keys. The score depends on a distance only if the queries are rotated too."""

    def turn(self, query, key, value, cos, sin):
        return query, rotary(key, cos, sin), value


@mistake
class Halves(Layer):
    """You rotate the pairs (i, i + d_k / 2), as Hugging Face does. Here a pair is made of two neighbors: use
    your `apply_rotary`.
    """

    def turn(self, query, key, value, cos, sin):
        return halves(query, cos, sin), halves(key, cos, sin), value


def halves(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


@mistake(mentions=r"sin\w*, .*cos")
class CosAndSinSwapped(Layer):
    """You swapped cos and sin. `apply_rotary(x, cos, sin)` takes cos first."""

    def turn(self, query, key, value, cos, sin):
        return rotary(query, sin, cos), rotary(key, sin, cos), value


@mistake
class RotatedBeforeTheSplit(Layer):
    """You rotate before you split the heads. cos and sin have d_k / 2 columns, which fit one head: split
    first, then rotate.
    """

    def split(self, x):
        return self.query(x), self.key(x), self.value(x)

    def turn(self, query, key, value, cos, sin):
        turned = rotary(query, cos, sin), rotary(key, cos, sin), value
        numbers = self.heads, self.kv_heads, self.kv_heads
        return (
            part.unflatten(-1, (heads, -1)).transpose(1, 2)
            for part, heads in zip(turned, numbers, strict=True)
        )


@mistake
class OppositeRotations(Layer):
    """You rotate queries and keys in opposite directions, so scores depend on the sum of two positions.
    Rotate both in the same direction.
    """

    def turn(self, query, key, value, cos, sin):
        return rotary(query, cos, sin), rotary(key, cos, -sin), value


@mistake("H9")
class WithoutOutput(Layer):
    """You return the merged heads without the last matrix. Apply `self.output`."""

    def forward(self, x, cos, sin):
        query, key, value = self.turn(*self.split(x), cos, sin)
        weights = self.weigh(self.score(query, self.share(key)))
        return self.merge(weights @ self.share(value)), weights


@mistake("H2")
class MergedWithoutTranspose(Layer):
    """You merge heads and positions without exchanging their axes first, which mixes tokens. Use your
    `merge_heads`.
    """

    def merge(self, x):
        return x.reshape(len(x), x.shape[2], -1)


@mistake("H1")
class SplitWithoutTranspose(Layer):
    """You reshape to (batch, heads, seq, d_k) at once, which mixes tokens. Use your `split_heads`."""

    def split(self, x):
        return tuple(
            layer(x).reshape(len(x), heads, x.shape[1], -1)
            for layer, heads in (
                (self.query, self.heads),
                (self.key, self.kv_heads),
                (self.value, self.kv_heads),
            )
        )


@mistake
class OnlyOutput(Layer):
    """You return the output alone. Return the weights too: `return output, weights`."""

    def forward(self, x, cos, sin):
        return super().forward(x, cos, sin)[0]


@mistake(mentions="repeat|expand|cat")
class RepeatedTooOften(Layer):
    """You make `kv_heads` copies of each key head. Make heads / kv_heads copies, so that there are as many as
    query heads.
    """

    def share(self, x):
        return x.repeat_interleave(self.kv_heads, dim=1)


@mistake
class SharedOnTheWrongAxis(Layer):
    """You repeat keys along the positions, not along the heads. The heads are axis 1 after the split."""

    def share(self, x):
        return x.repeat_interleave(self.heads // self.kv_heads, dim=2)
