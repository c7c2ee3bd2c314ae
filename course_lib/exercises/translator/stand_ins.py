"""Small models that stand in for a translator: as many numbers as a check needs, and no training."""

import math
from collections.abc import Callable, Mapping
from numbers import Real

import torch
from torch import Tensor, nn

from course_lib.checks.drawn import draw
from course_lib.checks.exact import as_torch_has_it
from course_lib.checks.notes import Along, notes
from course_lib.checks.untouched import Untouched

PAD, BOS, EOS, UNK = range(4)
UNLIKELY = -30.0  # log-probability of a word that a tree does not list
PATIENCE = 60  # words after which a lost tree ends, so that a loop without a limit does

Branches = Mapping[tuple[int, ...], Mapping[int, float]]


class Tree(Along, nn.Module):
    """A translator that is a table: what has been written so far -> next word -> probability.

    `Tree({(): {4: 0.6, 5: 0.4}, (4,): {2: 1.0}, (5,): {2: 1.0}})` writes 4 or 5, then 2, the end symbol.
    Of several tables the first is for source word 4, the second for 5, and so on; of more source words each
    counts, see `place_of`. What does not begin with the begin symbol, 1, or is not in the table is answered
    with some wrong word, in the end with 2.
    `tree(source, target)` gives logits `(batch, target, vocab)`: log-probabilities plus a number that differs
    from row to row, as a model's do.
    """

    along = ("tables",)

    def __init__(self, *tables: Branches, vocab: int = 12) -> None:
        super().__init__()
        self.vocab, self.unlikely = vocab, [UNLIKELY - word / 10 for word in range(vocab)]
        notes(self, "tables").extend(tables)  # an answer is to ask the model, not to look it up

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        source, target = map(as_torch_has_it, (source, target))
        if target.dim() != 2:
            raise ValueError(f"the model got a target of shape {tuple(target.shape)}, not (batch, target)")
        if len(source) != len(target):
            raise ValueError(f"the model got {len(source)} sentences, but {len(target)} rows of target words")
        notes(self, "late").append(bool((target == EOS).any(dim=1).all()))
        tables = notes(self, "tables")
        rows = [
            [self.logits(tables[place_of(sentence) % len(tables)], ids[: t + 1]) for t in range(len(ids))]
            for sentence, ids in zip(source.tolist(), target.tolist(), strict=True)
        ]
        return torch.tensor(rows)

    def logits(self, table: Branches, read: list[int]) -> list[float]:
        known = table.get(tuple(read[1:])) if read[0] == BOS else None
        lost = UNK + (7 * read[0] + 3 * len(read) + sum(read)) % (self.vocab - UNK)
        chances = known or {lost if len(read) < PATIENCE else EOS: 1.0}
        offset = sum(read) % 5
        logits = [offset + logit for logit in self.unlikely]
        for word, chance in chances.items():
            logits[word] = offset + math.log(chance)
        return logits


def place_of(source: list[int]) -> int:
    """Which table is for this sentence: each of its words counts, and their order does."""
    return sum(place * word for place, word in enumerate(source, 1)) - 4


def late_calls(model: Tree) -> int:
    """How often it was called when all sentences had ended."""
    return sum(notes(model, "late"))


def sentence(*words: int) -> Branches:
    """The table that writes these words and the end symbol, with some doubt at every step."""
    written = (*words, EOS)
    return {written[:t]: {word: 0.7, 9: 0.2, 10: 0.1} for t, word in enumerate(written)}


class Bigrams(nn.Module):
    """A translator with two tables of weights: logits depend on the last word read, and on the source."""

    def __init__(self, after: Tensor, given: Tensor) -> None:
        super().__init__()
        self.after, self.given = nn.Parameter(after), nn.Parameter(given)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        return self.after[target] + self.given[source].mean(dim=1, keepdim=True)


def changed_by(call: Callable[[nn.Module], object], inputs) -> str:
    """What a call changes in a model, but for its mode; mostly nothing."""
    model = Bigrams(inputs.named("after").normal(12, 12), inputs.named("given").normal(12, 12))
    before = Untouched(model)
    call(model)
    return before.of_numbers() or before.of_learning()


class Watched(Bigrams):
    """Bigrams that note in which mode they are asked."""

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        notes(self, "modes").append(mode_of(self))
        return super().forward(source, target)


class Drawing(Bigrams):
    """Bigrams that draw random numbers in each call, as dropout does."""

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        draw(self)
        return super().forward(source, target)


def asked_in(model: Watched) -> list[str]:
    """The mode in each of its calls."""
    return notes(model, "modes")


def mode_of(model: nn.Module) -> str:
    return "training" if model.training else "evaluation"


def told_of_mode(model: nn.Module) -> str:
    """What is wrong with the mode that a training leaves the model in; mostly nothing."""
    return "" if model.training else "Afterwards the model is in evaluation mode. Leave it in training mode."


def toy() -> tuple[Watched, Tensor, Tensor, torch.optim.Optimizer]:
    """A small model, a batch of two sentences (source, target) and plain SGD: what train_step takes."""
    angles = torch.arange(48.0).sin()
    model = Watched(angles[:36].view(6, 6).clone(), angles[:30].view(5, 6).clone())
    source, target = torch.tensor([[4, 3], [3, 3]]), torch.tensor([[1, 4, 5, 4, 2], [1, 5, 2, 0, 0]])
    return model, source, target, torch.optim.SGD(model.parameters(), lr=1.0)


def modes_of(train_step: Callable) -> list[str]:
    """The model's mode while its logits are computed, and after the step."""
    model, *rest = toy()
    train_step(model, *rest)
    return [*asked_in(model), mode_of(model)]


def modes_after(train_step: Callable, whole: str, part: str) -> list[str]:
    """The modes of a small model and of its part after a step; the arguments are those before it."""
    model, *rest = toy()
    model.part = nn.Dropout()
    model.train(whole == "training").part.train(part == "training")
    train_step(model, *rest)
    return [mode_of(model), mode_of(model.part)]


def writer(*translations: list[int]) -> Tree:
    """A model that writes these words and the end: the first list for source word 4, the next one for 5."""
    return Tree(*[sentence(*words) for words in translations])


def number(value: object) -> object:
    """An int, or NumPy's number, as the float that it stands for; anything else as it is."""
    return float(value) if isinstance(value, Real) and not isinstance(value, bool) else value
