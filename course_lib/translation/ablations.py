"""Translators that lack one piece: `ablated(corpus, "one head", Recipe(seconds=10))`.

They show what a piece is good for. Where leaving it out changes nothing, that is a result too.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import torch.nn.functional as F
from torch import Tensor

from course_lib.corpus import Corpus, Pair
from course_lib.model.layers import KeyValueCache, MultiHeadAttention
from course_lib.model.stacks import STANDARD, AttentionTypes
from course_lib.model.transformer import evaluating
from course_lib.text import PAD, pad_batch
from course_lib.training.batches import Bitext
from course_lib.training.losses import Loss, smoothed_loss
from course_lib.training.trainer import Recipe, set_seed, train
from course_lib.translation.decoding import greedy_decode
from course_lib.translation.metrics import bleu, exact_match
from course_lib.translation.translator import Translator


class NotCausal(MultiHeadAttention):
    """Looks at the future too."""

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        mask: Tensor | None = None,
        causal: bool = False,
        need_weights: bool = False,
        cache: KeyValueCache | None = None,
    ) -> tuple[Tensor, Tensor | None]:
        return super().forward(x, memory, mask, False, need_weights, cache)


class Unscaled(MultiHeadAttention):
    """Does not divide the scores by sqrt(d_k): queries are multiplied by it beforehand."""

    def project_self(self, x: Tensor, cache: KeyValueCache | None) -> tuple[Tensor, Tensor, Tensor]:
        return self.longer(*super().project_self(x, cache))

    def project_cross(
        self, x: Tensor, memory: Tensor, cache: KeyValueCache | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        return self.longer(*super().project_cross(x, memory, cache))

    @staticmethod
    def longer(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return query * math.sqrt(query.shape[-1]), key, value


def loss_with_padding(logits: Tensor, target: Tensor, smoothing: float) -> Tensor:
    """What `cross_entropy` gives by default: padding is graded like a word."""
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), label_smoothing=smoothing)


NOT_CAUSAL = AttentionTypes(decoder=NotCausal)
UNSCALED = AttentionTypes(Unscaled, Unscaled, Unscaled)


@dataclass(frozen=True)
class Ablation:
    """What is different: fields of the configuration or the recipe, the attentions, or the training loss."""

    config: Mapping[str, Any] = field(default_factory=dict)
    recipe: Mapping[str, Any] = field(default_factory=dict)
    attentions: AttentionTypes = STANDARD
    loss: Loss = smoothed_loss


ABLATIONS = {
    "complete": Ablation(),
    "no positions": Ablation(config={"positions": "none"}),
    "sinusoidal positions": Ablation(config={"positions": "sinusoidal", "token_init": 0.5}),
    "no causal mask": Ablation(attentions=NOT_CAUSAL),
    "no scaling": Ablation(attentions=UNSCALED),
    "one head": Ablation(config={"heads": 1}),
    "one head, no scaling": Ablation(config={"heads": 1}, attentions=UNSCALED),
    "no warm-up": Ablation(recipe={"warmup": 0.0}),
    "padding counted": Ablation(loss=loss_with_padding),
}


class Measurement(NamedTuple):
    """How well a translator does, in percent: next words right where the reference's words stand before
    them; then whole sentences of both tests, decoded word by word; and BLEU of the first."""

    next_word: float
    random: float
    compositional: float
    bleu: float


def ablated(
    corpus: Corpus, name: str, recipe: Recipe, shape: Mapping[str, Any] | None = None, **options: Any
) -> Translator:
    """The course's translator without the piece `name` of ABLATIONS, trained.

    `shape` holds fields of TransformerConfig that differ from the course's; `options` are those of `train`.
    """
    ablation = ABLATIONS[name]
    set_seed(recipe.seed)
    config = {**(shape or {}), **ablation.config}
    translator = Translator.for_pairs(corpus.train, ablation.attentions, **config)
    data = Bitext(corpus.train, translator.source_words, translator.target_words)
    train(translator.model, data, replace(recipe, **ablation.recipe), loss=ablation.loss, **options)
    return translator


def measure(translator: Translator, corpus: Corpus, count: int = 500) -> Measurement:
    """All four numbers, on the first `count` pairs of each test."""
    tests = corpus.test[:count], corpus.compositional[:count]
    translations = [decode(translator, pairs) for pairs in tests]
    targets = [[pair.target for pair in pairs] for pairs in tests]
    random, compositional = (100 * exact_match(*both) for both in zip(translations, targets, strict=True))
    next_word = 100 * next_word_accuracy(translator, tests[0])
    return Measurement(next_word, random, compositional, bleu(translations[0], targets[0]))


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
