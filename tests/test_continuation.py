import pytest
import torch
from torch import nn

from course_lib.corpus import Pair
from course_lib.model.gpt import GPT, GPTConfig
from course_lib.text import BOS, EOS, PAD
from course_lib.training.trainer import Recipe
from course_lib.translation.continuation import (
    Continuations,
    all_targets,
    continue_greedily,
    joint_vocabulary,
    targets_of,
    train_continuation,
    translate_by_continuing,
)

PAIRS = [Pair(("a", "b"), ("x",)), Pair(("b", "a"), ("y", "x")), Pair(("a",), ("y",))]


def test_a_batch_is_source_separator_target_and_learns_the_target_alone():
    words = joint_vocabulary(PAIRS)
    ids, targets = Continuations(PAIRS, words).batch(slice(0, 2))
    a, b, x, y = words.encode(list("abxy"))
    assert ids.tolist() == [[a, b, BOS, x, EOS, PAD], [b, a, BOS, y, x, EOS]]
    assert targets[:, 1:].tolist() == [[PAD, PAD, x, EOS, PAD], [PAD, PAD, y, x, EOS]]
    assert torch.equal(all_targets(ids), ids[:, 1:]) and torch.equal(targets_of(ids), targets[:, 1:])


class Counts(nn.Module):
    """Says the next id after each, and the end symbol after 6; padding and bos seem likeliest."""

    def __init__(self):
        super().__init__()
        self.unused = nn.Parameter(torch.zeros(1))

    def forward(self, ids):
        following = torch.where(ids >= 6, EOS, ids + 1)
        logits = nn.functional.one_hot(following, 9).float()
        logits[..., [PAD, BOS]] = 5.0
        return logits


def test_each_row_goes_on_to_its_end_symbol_and_is_padded():
    written = continue_greedily(Counts(), torch.tensor([[4], [6], [5]]), most=8)
    assert written.tolist() == [[5, 6, EOS], [EOS, PAD, PAD], [6, EOS, PAD]]
    assert continue_greedily(Counts(), torch.tensor([[4]]), most=1).tolist() == [[5]]


def test_a_small_model_learns_three_pairs_by_heart():
    words = joint_vocabulary(PAIRS)
    torch.manual_seed(0)
    model = GPT(GPTConfig(len(words), d_model=16, heads=2, kv_heads=1, layers=2, d_ff=24))
    recipe = Recipe(steps=150, optimizer="adamw", learning_rate=1e-2, smoothing=0.0)
    history = train_continuation(model, PAIRS, words, recipe, progress=False)
    assert history.losses[-1] < 0.05 < history.losses[0]
    written = translate_by_continuing(model, words, [pair.source for pair in PAIRS])
    assert written == [list(pair.target) for pair in PAIRS]


def test_muon_is_refused():
    words = joint_vocabulary(PAIRS)
    with pytest.raises(ValueError, match='expected optimizer="adamw"'):
        train_continuation(Counts(), PAIRS, words, Recipe(steps=1))
