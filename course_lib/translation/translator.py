"""A model together with its two vocabularies: sentences in, sentences out."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from course_lib.model.config import TransformerConfig
from course_lib.model.stacks import STANDARD, AttentionTypes
from course_lib.model.transformer import AttentionMaps, Transformer, evaluating
from course_lib.text import BOS, EOS, Pair, Vocabulary, pad_batch
from course_lib.training.checkpoint import load_checkpoint, save_atomically
from course_lib.translation.decoding import beam_search, greedy_decode
from course_lib.translation.interventions import heads_off

Sentence = str | Sequence[str]

# The course's translator: of the shapes that were tried the one that learns most in 20 seconds of one core.
# Rotary positions are not added to words, so that their vectors may begin small: better for new combinations,
# as is a narrow feed-forward layer.
SHAPE: dict[str, Any] = {"encoder_layers": 1, "decoder_layers": 1, "norm_first": False, "positions": "rotary"}
SHAPE |= {"d_ff": 64, "tie": "none", "token_init": 0.1}


class Translation(NamedTuple):
    """A translated sentence with the attention of every step; the maps have a batch of 1."""

    source: list[str]  # with the end symbol: the keys of maps.encoder and maps.cross
    target: list[str]  # with the end symbol: row t of maps.cross is the step that wrote target[t]
    read: list[str]  # what the decoder read at each step: the begin symbol, then target[:-1]
    maps: AttentionMaps


class Translator:
    """`translator("i am a student")` gives the words of its translation."""

    def __init__(self, model: Transformer, source_words: Vocabulary, target_words: Vocabulary) -> None:
        sizes = (len(source_words), len(target_words))
        if sizes != (model.config.source_vocab, model.config.target_vocab):
            raise ValueError(
                f"vocabularies: expected {model.config.source_vocab} source and {model.config.target_vocab} "
                f"target words (the model's), got {sizes[0]} and {sizes[1]}"
            )
        self.model, self.source_words, self.target_words = model, source_words, target_words

    @classmethod
    def for_pairs(
        cls, pairs: Sequence[Pair], attentions: AttentionTypes = STANDARD, **config: Any
    ) -> "Translator":
        """An untrained one with the words of these pairs: SHAPE, but for the fields that `config` changes."""
        source_words = Vocabulary(pair.source for pair in pairs)
        target_words = Vocabulary(pair.target for pair in pairs)
        shape = TransformerConfig(len(source_words), len(target_words), **(SHAPE | config))
        return cls(Transformer(shape, attentions), source_words, target_words)

    def __call__(self, sentence: Sentence, beam: int = 1) -> list[str]:
        return self.translate([sentence], beam)[0]

    def translate(self, sentences: Sequence[Sentence], beam: int = 1, batch: int = 250) -> list[list[str]]:
        """Words of each translation. Sentences of similar length share a batch; beam 1 is greedy."""
        if not sentences:
            return []
        encoded = [self.encode(sentence) for sentence in sentences]
        order = sorted(range(len(encoded)), key=lambda row: len(encoded[row]))
        translations: list[list[str]] = [[]] * len(encoded)
        for first in range(0, len(order), batch):
            rows = order[first : first + batch]
            source = pad_batch([encoded[row] for row in rows]).to(self.device)
            ids = greedy_decode(self.model, source) if beam == 1 else beam_search(self.model, source, beam)
            for row, words in zip(rows, ids.tolist(), strict=True):
                translations[row] = self.target_words.decode(words)
        return translations

    def explain(self, sentence: Sentence, target: Sentence | None = None) -> Translation:
        """The translation (or a given target) with all attention weights, from one pass over it."""
        source = pad_batch([self.encode(sentence)]).to(self.device)
        target = self(sentence) if target is None else words_of(target)
        ids = [*self._read(target), EOS]
        with evaluating(self.model):
            read = torch.tensor([ids[:-1]], device=self.device)
            _, maps = self.model(source, read, need_weights=True)
        names = self.target_words.decode(ids, keep_special=True)
        seen = self.source_words.decode(source[0], keep_special=True)
        return Translation(seen, names[1:], names[:-1], maps)

    def probabilities(self, sentence: Sentence, target: Sequence[str]) -> Tensor:
        """Of each next word while these target words are read, `(len(target) + 1, vocab)`."""
        source = pad_batch([self.encode(sentence)]).to(self.device)
        read = torch.tensor([self._read(target)], device=self.device)
        with evaluating(self.model):
            logits = self.model(source, read)
        return logits[0].softmax(dim=-1)

    def without(self, heads: Iterable[tuple[str, int, int]], sentence: Sentence) -> list[str]:
        """The translation while these heads, each (kind, layer, head), are off; see `heads_off`."""
        with heads_off(self.model, heads):
            return self(sentence)

    def cross_weights(self, pairs: Sequence[Pair], layer: int = -1) -> list[Tensor]:
        """For each pair the weights `(heads, target, source)` of one layer while its target is read."""
        return [self.explain(pair.source, pair.target).maps.cross[layer, 0] for pair in pairs]

    def encode(self, sentence: Sentence) -> list[int]:
        return self.source_words.encode(words_of(sentence), eos=True)

    def _read(self, target: Sequence[str]) -> list[int]:
        """What the decoder reads before the end; a translation may have no words."""
        return [BOS, *(self.target_words.encode(target) if target else [])]

    @property
    def device(self) -> torch.device:
        return self.model.output.weight.device

    def save(self, path: str | Path) -> None:
        content = {
            "config": asdict(self.model.config),
            "model": self.model.state_dict(),
            "source_words": self.source_words.to_list(),
            "target_words": self.target_words.to_list(),
        }
        save_atomically(content, path)

    @classmethod
    def load(cls, path: str | Path) -> "Translator":
        """What `save` wrote, on the CPU."""
        content = load_checkpoint(path)
        model = Transformer(TransformerConfig(**content["config"]))
        model.load_state_dict(content["model"])
        words = (Vocabulary.from_list(content[name]) for name in ("source_words", "target_words"))
        return cls(model.eval(), *words)


def words_of(sentence: Sentence) -> list[str]:
    """The words of a string with spaces, or of a list of words; raises ValueError if there are none."""
    words = sentence.split() if isinstance(sentence, str) else list(sentence)
    if not words:
        raise ValueError("the sentence is empty: expected at least one word")
    return words
