"""Translation as continuation: a model of one sequence reads `english <bos> chinese <eos>`.

The model is anything that maps ids `(batch, seq)` to logits `(batch, seq, vocab)`, a learner's too.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.model.transformer import evaluating
from course_lib.text import BOS, EOS, PAD, Pair, Vocabulary
from course_lib.training.batches import Bitext
from course_lib.training.trainer import History, Recipe, train

# No default names `targets_of`: it answers an exercise, and inspect.signature would hand it out.
Targets = Callable[[Tensor], Tensor]


def joint_vocabulary(pairs: Sequence[Pair]) -> Vocabulary:
    """One vocabulary for the words of both languages."""
    return Vocabulary(sentence for pair in pairs for sentence in (pair.source, pair.target))


def targets_of(ids: Tensor) -> Tensor:
    """What to learn at each position of `ids[:, :-1]`: the next id, and padding before the begin symbol."""
    return ids[:, 1:].masked_fill((ids[:, :-1] == BOS).cumsum(dim=1) == 0, PAD)


def all_targets(ids: Tensor) -> Tensor:
    """The next id everywhere: the model learns to write the source too."""
    return ids[:, 1:]


class Continuations(Bitext):
    """A bitext as sequences: source words, begin symbol, target words, end symbol.

    `targets` makes of sequences `(batch, seq)` what is learned of them, `(batch, seq - 1)`, if not as
    `targets_of` does. A batch has one source length, as `bucketed_batches` makes them, so that no padding
    stands inside.
    """

    def __init__(
        self, pairs: Sequence[Pair], words: Vocabulary, targets: Targets | None = None, max_length: int = 128
    ) -> None:
        super().__init__(pairs, words, words, max_length)
        self._targets = targets

    def batch(self, rows: Tensor | slice, device: torch.device | str = "cpu") -> tuple[Tensor, Tensor]:
        """The sequences, and their targets behind a column that `train` cuts off."""
        source, target = super().batch(rows, device)
        ids = torch.cat([source[:, :-1], target], dim=1)  # the begin symbol ends the source already
        return ids, torch.cat([ids[:, :1], (self._targets or targets_of)(ids)], dim=1)


class _Continued(nn.Module):
    """A model of one sequence as `train` calls a translator."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, read: Tensor) -> Tensor:
        return self.model(ids[:, :-1])


def train_continuation(
    model: nn.Module,
    pairs: Sequence[Pair],
    words: Vocabulary,
    recipe: Recipe,
    targets: Targets | None = None,
    **options: Any,
) -> History:
    """Train on these pairs with AdamW, in the batches that an encoder-decoder gets of them.

    `options` are those of `train`, but for a checkpoint.
    """
    if recipe.optimizer != "adamw":
        raise ValueError(
            f'recipe: expected optimizer="adamw", which moves any matrix, got {recipe.optimizer!r}'
        )
    wrapped: Any = _Continued(model)
    return train(wrapped, Continuations(pairs, words, targets), recipe, **options)


def continue_greedily(model: nn.Module, prompts: Tensor, most: int) -> Tensor:
    """The likeliest next id again and again, up to `most` or the end symbol: `(batch, at most `most`)`.

    Every step reads the whole sequence again. Padding and the begin symbol never follow.
    """
    ids, start = prompts, prompts.shape[1]
    going = torch.ones(len(ids), dtype=torch.bool, device=ids.device)
    with evaluating(model):
        while ids.shape[1] - start < most and going.any():
            logits = model(ids)[:, -1]
            logits[:, [PAD, BOS]] = -torch.inf
            following = logits.argmax(dim=-1).masked_fill(~going, PAD)
            ids, going = torch.cat([ids, following[:, None]], dim=1), going & (following != EOS)
    return ids[:, start:]


def translate_by_continuing(
    model: nn.Module, words: Vocabulary, sources: Sequence[Sequence[str]]
) -> list[list[str]]:
    """The words that a model writes behind each source and the begin symbol, at most 2 * source + 10."""
    prompts = [[*words.encode(source), BOS] for source in sources]
    device = next(model.parameters()).device
    translations: list[list[str]] = [[]] * len(prompts)
    for length in sorted({len(prompt) for prompt in prompts}):
        rows = [row for row, prompt in enumerate(prompts) if len(prompt) == length]
        batch = torch.tensor([prompts[row] for row in rows], device=device)
        written = continue_greedily(model, batch, 2 * length + 10)
        for row, ids in zip(rows, written.tolist(), strict=True):
            translations[row] = words.decode(ids)
    return translations
