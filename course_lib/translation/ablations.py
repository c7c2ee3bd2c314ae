"""Translators that lack one piece: `ablated(corpus, "one head", Recipe(seconds=10))`.

They show what a piece is good for. Where leaving it out changes nothing, that is a result too.
"""

import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from unittest.mock import patch

import torch.nn.functional as F
from torch import Tensor

from course_lib.corpus import Corpus, Pair
from course_lib.model.layers import MultiHeadAttention
from course_lib.model.transformer import Transformer, evaluating
from course_lib.text import PAD, pad_batch
from course_lib.training import trainer
from course_lib.training.batches import Bitext
from course_lib.training.trainer import Recipe, set_seed, train
from course_lib.translation.decoding import greedy_decode
from course_lib.translation.metrics import bleu, exact_match
from course_lib.translation.translator import Translator


class NotCausal(MultiHeadAttention):
    """Looks at the future too."""

    def forward(self, x: Tensor, *rest: object, causal: bool = False, **options: object):
        return super().forward(x, *rest, causal=False, **options)


class Unscaled(MultiHeadAttention):
    """Does not divide the scores by sqrt(d_k): queries are multiplied by it beforehand."""

    def project_self(self, x: Tensor, *rest: object) -> tuple[Tensor, Tensor, Tensor]:
        return self.longer(*super().project_self(x, *rest))

    def project_cross(self, x: Tensor, *rest: object) -> tuple[Tensor, Tensor, Tensor]:
        return self.longer(*super().project_cross(x, *rest))

    @staticmethod
    def longer(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return query * math.sqrt(query.shape[-1]), key, value


def loss_with_padding(logits: Tensor, target: Tensor, smoothing: float) -> Tensor:
    """What `cross_entropy` gives by default: padding is graded like a word."""
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), label_smoothing=smoothing)


def without_causal_mask(model: Transformer) -> None:
    for layer in model.decoder.layers:
        layer.self_attention.__class__ = NotCausal


def without_scaling(model: Transformer) -> None:
    for module in model.modules():
        if isinstance(module, MultiHeadAttention):
            module.__class__ = Unscaled


@dataclass(frozen=True)
class Ablation:
    """What is different: fields of the configuration or the recipe, the model, or the training loss."""

    config: Mapping[str, object] = field(default_factory=dict)
    recipe: Mapping[str, object] = field(default_factory=dict)
    change: Callable[[Transformer], None] = lambda model: None
    loss: Callable[[Tensor, Tensor, float], Tensor] | None = None

    def training_loss(self) -> AbstractContextManager:
        return nullcontext() if self.loss is None else patch.object(trainer, "smoothed_loss", self.loss)


ABLATIONS = {
    "complete": Ablation(),
    "no positions": Ablation(config={"positions": "none"}),
    "sinusoidal positions": Ablation(config={"positions": "sinusoidal", "token_init": 0.5}),
    "no causal mask": Ablation(change=without_causal_mask),
    "no scaling": Ablation(change=without_scaling),
    "one head": Ablation(config={"heads": 1}),
    "one head, no scaling": Ablation(config={"heads": 1}, change=without_scaling),
    "no warm-up": Ablation(recipe={"warmup": 0.0}),
    "padding counted": Ablation(loss=loss_with_padding),
}


class Result(NamedTuple):
    """In percent: next words right where the reference's words stand before them; then whole sentences of
    both tests, decoded word by word; and BLEU of the first."""

    next_word: float
    random: float
    compositional: float
    bleu: float


def ablated(
    corpus: Corpus, name: str, recipe: Recipe, shape: Mapping[str, object] | None = None, **options: object
) -> Translator:
    """The course's translator without the piece `name` of ABLATIONS, trained.

    `shape` holds fields of TransformerConfig that differ from the course's; `options` are those of `train`.
    """
    ablation = ABLATIONS[name]
    set_seed(recipe.seed)
    translator = Translator.for_pairs(corpus.train, **{**(shape or {}), **ablation.config})
    ablation.change(translator.model)
    data = Bitext(corpus.train, translator.source_words, translator.target_words)
    with ablation.training_loss():
        train(translator.model, data, replace(recipe, **ablation.recipe), **options)
    return translator


def measure(translator: Translator, corpus: Corpus, count: int = 500) -> Result:
    """Scores on the first `count` pairs of each test."""
    tests = corpus.test[:count], corpus.compositional[:count]
    translations = [decode(translator, pairs) for pairs in tests]
    targets = [[pair.target for pair in pairs] for pairs in tests]
    exact = [100 * exact_match(*both) for both in zip(translations, targets, strict=True)]
    return Result(100 * next_word_accuracy(translator, tests[0]), *exact, bleu(translations[0], targets[0]))


def decode(translator: Translator, pairs: list[Pair]) -> list[list[str]]:
    """Greedy translations, without a cache: a model that sees the future has no use for one."""
    source = pad_batch([translator.encode(pair.source) for pair in pairs])
    ids = greedy_decode(translator.model, source, use_cache=False)
    return [translator.target_words.decode(row) for row in ids.tolist()]


def next_word_accuracy(translator: Translator, pairs: list[Pair]) -> float:
    """The fraction of words that are right when the reference's earlier words are given."""
    source, target = Bitext(pairs, translator.source_words, translator.target_words).batch(slice(None))
    with evaluating(translator.model):
        guess = translator.model(source, target[:, :-1]).argmax(dim=-1)
    real = target[:, 1:] != PAD
    return float((guess == target[:, 1:])[real].float().mean())
