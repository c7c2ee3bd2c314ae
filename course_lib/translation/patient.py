"""A small translator made of five pieces that are given to it, so that one may be exchanged for a broken one.

It has one encoder layer and one decoder layer, and learns sentences of the kind "I like the 2022 Beijing
Winter Games" in seconds. All English ones have seven words.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import torch
import torch.nn.functional as F
from torch import Tensor, nn

BOS, EOS = 1, 2
SLOTS = (
    {"I": "我", "you": "你"},
    {"like": "爱", "watch": "看"},
    {"the": ""},
    {"2022": "2022", "2026": "2026"},
    {"Beijing": "北京", "Milan": "米兰"},
    {"Winter": "冬", "Summer": ""},
    {"Games": "奥会"},
)
FAMOUS = "I like the 2022 Beijing Winter Games"
Pair = tuple[str, str]


def sentences(held_out: int = 8) -> tuple[list[Pair], list[Pair]]:
    """English-Chinese pairs: those to learn, and others to translate, first among them the toy's sentence."""
    chosen = (zip(*words, strict=True) for words in product(*(slot.items() for slot in SLOTS)))
    pairs = [(" ".join(english), " ".join(filter(None, chinese))) for english, chinese in chosen]
    random.Random(0).shuffle(pairs)
    pairs.sort(key=lambda pair: pair[0] != FAMOUS)  # stable: the others stay shuffled
    return pairs[held_out:], pairs[:held_out]


@dataclass(frozen=True)
class Pieces:
    """What lesson 09 tests and mends: each as its exercise has it."""

    word_ids: Callable[[list[str]], dict[str, int]]
    add_positions: Callable[[Tensor], Tensor]
    attention: Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
    translation_loss: Callable[[Tensor, Tensor], Tensor]
    translate: Callable[[nn.Module, Tensor, Tensor], Tensor]


class Attention(nn.Module):
    """Heads around an attention that is given; shapes as in lesson 03."""

    def __init__(self, attention: Callable, d_model: int, heads: int):
        super().__init__()
        self.attention, self.heads = attention, heads
        self.maps = nn.ModuleList(nn.Linear(d_model, d_model, bias=False) for _ in range(4))

    def forward(self, x: Tensor, seen: Tensor, mask: Tensor) -> Tensor:
        query, key, value = (
            linear(y).unflatten(-1, (self.heads, -1)).transpose(1, 2).contiguous()
            for linear, y in zip(self.maps, (x, seen, seen), strict=False)
        )
        output, _ = self.attention(query, key, value, mask)
        return self.maps[3](output.transpose(1, 2).flatten(2))


class Patient(nn.Module):
    """source (batch, source), ids (batch, seq) -> logits (batch, seq, vocab)."""

    def __init__(self, pieces: Pieces, source_vocab: int, vocab: int, d_model: int = 32, heads: int = 2):
        super().__init__()
        self.add_positions = pieces.add_positions
        self.source_words, self.words = nn.Embedding(source_vocab, d_model), nn.Embedding(vocab, d_model)
        self.looks = nn.ModuleList(Attention(pieces.attention, d_model, heads) for _ in range(3))
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(6))
        self.ups = nn.ModuleList(nn.Linear(d_model, 2 * d_model) for _ in range(2))
        self.downs = nn.ModuleList(nn.Linear(2 * d_model, d_model) for _ in range(2))
        self.output = nn.Linear(d_model, vocab)

    def forward(self, source: Tensor, ids: Tensor) -> Tensor:
        real = (source != 0)[:, None, None]
        past = torch.ones(ids.shape[1], ids.shape[1], dtype=torch.bool).tril()
        x = self.add_positions(self.source_words(source))
        x = x + self._look(0, x, x, real)
        memory = self.norms[5](self._fed_forward(0, x))
        x = self.add_positions(self.words(ids))
        x = x + self._look(1, x, x, past)
        x = x + self._look(2, x, memory, real)
        return self.output(self._fed_forward(1, x))

    def _look(self, number: int, x: Tensor, seen: Tensor, mask: Tensor) -> Tensor:
        x = self.norms[number](x)
        return self.looks[number](x, x if number < 2 else seen, mask)

    def _fed_forward(self, number: int, x: Tensor) -> Tensor:
        return x + self.downs[number](F.relu(self.ups[number](self.norms[3 + number](x))))


@dataclass(frozen=True)
class Treated:
    """How it went: losses by step, and of the sentences not learned what came out, what should have."""

    losses: list[float]
    written: list[str]
    right: list[str]

    @property
    def score(self) -> float:
        """The share of sentences without a fault."""
        return sum(map(str.__eq__, self.written, self.right)) / len(self.right)


def treated(pieces: Pieces, steps: int = 150, seed: int = 0) -> Treated:
    """Train a fresh patient made of these pieces, and let it translate sentences that it has not learned."""
    torch.manual_seed(seed)
    learned, others = sentences()
    numbers = pieces.word_ids([english for english, _ in learned])
    words = _in_order([chinese for _, chinese in learned])
    source, target = _batch(learned, numbers, words)
    model = Patient(pieces, 1 + max(numbers.values()), 1 + max(words.values()))
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=3e-3), []
    for _ in range(steps):
        loss = pieces.translation_loss(model(source, target[:, :-1]), target[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    source, target = _batch(others, numbers, words)
    with torch.no_grad():
        found = pieces.translate(model, source, target)
    names = {number: word for word, number in words.items()}
    written = [" ".join(names.get(i, "?") for i in _until_end(row)) for row in found.tolist()]
    return Treated(losses, written, [chinese for _, chinese in others])


def _in_order(lines: list[str]) -> dict[str, int]:
    return {
        word: 4 + i for i, word in enumerate(dict.fromkeys(word for line in lines for word in line.split()))
    }


def _batch(pairs: Sequence[Pair], numbers: dict[str, int], words: dict[str, int]) -> tuple[Tensor, Tensor]:
    source = torch.tensor([[numbers[word] for word in english.split()] for english, _ in pairs])
    rows = [torch.tensor([BOS, *(words[word] for word in chinese.split()), EOS]) for _, chinese in pairs]
    return source, nn.utils.rnn.pad_sequence(rows, batch_first=True)


def _until_end(ids: list[int]) -> list[int]:
    return ids[: ids.index(EOS)] if EOS in ids else ids
