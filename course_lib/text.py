"""Words to numbers and back: sentence pairs, vocabularies and padded batches."""

import warnings
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

PAD, BOS, EOS, UNK = range(4)
SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")


class Pair(NamedTuple):
    """A sentence and its translation, both as tuples of words.

    `alignment[t]` holds the source positions that target word `t` translates; `structures` names the sentence
    patterns used; `senses` lists (ambiguous source word, its translation here). All are empty when not known.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignment: tuple[tuple[int, ...], ...] = ()
    structures: tuple[str, ...] = ()
    senses: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{' '.join(self.source)} -> {' '.join(self.target)}"


class Vocabulary:
    """Numbers the words of some sentences: the four special symbols first, then the words in sorted order.

    Sorting, not counting, decides the numbers, so the same set of words always gets the same ids. `min_count`
    leaves out rarer words. Decoding inverts encoding for every known word.
    """

    def __init__(self, sentences: Iterable[Sequence[str]] = (), min_count: int = 1):
        counts: dict[str, int] = {}
        for sentence in sentences:
            for word in _checked_words(sentence):
                counts[word] = counts.get(word, 0) + 1
        kept = {word for word, count in counts.items() if count >= min_count}
        self._number([*SPECIALS, *sorted(kept - set(SPECIALS))])

    def _number(self, words: list[str]) -> None:
        self._words = words
        self._ids = {word: index for index, word in enumerate(words)}
        self._reported: set[str] = set()

    @classmethod
    def from_list(cls, words: Sequence[str]) -> "Vocabulary":
        """Restore what `to_list` saved; ValueError if a special symbol is missing or a word repeated."""
        words = list(_checked_words(words))
        if tuple(words[:4]) != SPECIALS:
            raise ValueError(f"a vocabulary list starts with {', '.join(SPECIALS)}; got {words[:4]}")
        if len(set(words)) != len(words):
            twice = sorted({word for word in words if words.count(word) > 1})
            raise ValueError(f"a vocabulary list holds each word once; {twice} came more often")
        vocabulary = cls()
        vocabulary._number(words)
        return vocabulary

    def to_list(self) -> list[str]:
        """All words in the order of their ids, for a checkpoint."""
        return list(self._words)

    def encode(self, words: Sequence[str], *, bos: bool = False, eos: bool = False) -> list[int]:
        """Ids of `words`, with begin or end symbol if asked; an unknown word is <unk> and warns once."""
        words = _checked_words(words)
        ids = [self._ids.get(word, UNK) for word in words]
        if UNK in ids:
            self._report(word for word, index in zip(words, ids, strict=True) if index == UNK)
        return [BOS] * bos + ids + [EOS] * eos

    def _report(self, words: Iterable[str]) -> None:
        for word in words:
            if word not in self._reported and word != SPECIALS[UNK]:
                self._reported.add(word)
                message = f"{word!r} is not among the {len(self)} words of this vocabulary; it becomes <unk>"
                warnings.warn(message, stacklevel=3)

    def decode(self, ids: Iterable[int] | Tensor, *, keep_special: bool = False) -> list[str]:
        """Words of `ids` (list or 1-d tensor) up to the first end symbol; `keep_special` shows everything."""
        ids = ids.tolist() if isinstance(ids, Tensor) else list(ids)
        if not keep_special and EOS in ids:
            ids = ids[: ids.index(EOS)]
        wrong = [index for index in ids if not (isinstance(index, int) and 0 <= index < len(self))]
        if wrong:
            raise ValueError(f"ids must be integers in 0 .. {len(self) - 1}; got {wrong[0]!r}")
        return [self._words[index] for index in ids if keep_special or index not in (PAD, BOS)]

    def __len__(self) -> int:
        return len(self._words)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self._words == other._words

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} words: {', '.join(self._words[4:8])}, ...)"


def pad_batch(sequences: Sequence[Sequence[int]], pad: int = PAD, max_length: int | None = None) -> Tensor:
    """LongTensor (batch, seq): every sequence of ids, filled up with `pad` to the longest one.

    Raises ValueError on an empty batch, an empty sequence, or one longer than `max_length`.
    """
    if not sequences:
        raise ValueError("a batch needs at least one sequence; got none")
    for row, sequence in enumerate(sequences):
        _check_ids(row, sequence, max_length)
    longest = max(map(len, sequences))
    return torch.tensor([[*sequence, *[pad] * (longest - len(sequence))] for sequence in sequences])


def _check_ids(row: int, sequence: Sequence[int], max_length: int | None) -> None:
    if isinstance(sequence, str) or not hasattr(sequence, "__len__"):
        raise TypeError(f"sequence {row} must be a list of ids; got {type(sequence).__name__} {sequence!r}")
    if len(sequence) == 0:
        raise ValueError(f"sequence {row} of the batch is empty; a sentence needs at least one token")
    if isinstance(sequence[0], str):
        raise TypeError(f"sequence {row} holds words, {sequence[0]!r} ...; encode it with a Vocabulary first")
    if max_length is not None and len(sequence) > max_length:
        raise ValueError(f"sequence {row} has {len(sequence)} tokens; at most {max_length} are allowed")


def _checked_words(words: Sequence[str]) -> Sequence[str]:
    """`words` itself, or a TypeError / ValueError that says what came instead of a sequence of words."""
    if isinstance(words, str):
        raise TypeError(f"expected a sequence of words, got the string {words!r}; did you forget .split()?")
    try:
        words = tuple(words)
    except TypeError:
        raise TypeError(f"expected a sequence of words, got {type(words).__name__}") from None
    if not words:
        raise ValueError("a sentence needs at least one word; got an empty one")
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"expected words (str), got {type(word).__name__} {word!r} in {words!r}")
    return words
