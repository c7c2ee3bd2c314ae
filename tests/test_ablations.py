"""Translators without a piece lack what its name says, and nothing else; heads can be switched off."""

from itertools import islice

import pytest
import torch

from course_lib.corpus import Corpus, draw_pairs
from course_lib.model.config import TransformerConfig
from course_lib.model.stacks import STANDARD
from course_lib.model.transformer import Transformer
from course_lib.training.losses import smoothed_loss
from course_lib.training.trainer import Recipe
from course_lib.translation.ablations import (
    ABLATIONS,
    NOT_CAUSAL,
    UNSCALED,
    Ablation,
    ablated,
    loss_with_padding,
    measure,
)
from course_lib.translation.interventions import KINDS, heads_off

SOURCE, TARGET = torch.tensor([[4, 5, 6, 7, 2]]), torch.tensor([[1, 4, 5, 6]])


def model(attentions=STANDARD, **shape):
    torch.manual_seed(0)
    shape = {"d_model": 12, "heads": 3, "d_ff": 8} | shape
    return Transformer(TransformerConfig(9, 9, **shape), attentions).eval()


def a_small_corpus():
    pairs = list(islice(draw_pairs(), 8))
    return Corpus(pairs, [], pairs[:3], [], pairs[3:5], [], [])


SMALL = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "max_length": 40}


def moved_by_the_last_word(model):
    """Which positions of the decoder change when its last word does."""
    other = TARGET.clone()
    other[0, -1] = 8
    return ((model(SOURCE, TARGET) - model(SOURCE, other)).abs().amax(dim=-1) > 1e-6)[0].tolist()


def test_without_a_causal_mask_earlier_positions_see_later_words():
    assert moved_by_the_last_word(model()) == [False, False, False, True]
    assert moved_by_the_last_word(model(NOT_CAUSAL)) == [True] * 4


def test_without_scaling_scores_are_sqrt_d_k_times_as_large():
    translator = model(heads=1)
    attention = translator.encoder.layers[0].self_attention
    scaled = translator(SOURCE, TARGET)
    with torch.no_grad():
        attention.in_proj.weight[:12] *= 12**0.5
        attention.in_proj.bias[:12] *= 12**0.5
    larger = translator.encode(SOURCE, need_weights=True)[1]
    unscaled = model(UNSCALED, heads=1)
    torch.testing.assert_close(unscaled.encode(SOURCE, need_weights=True)[1][0], larger[0])
    assert not torch.allclose(unscaled(SOURCE, TARGET), scaled)


def test_a_piece_that_is_exchanged_draws_the_same_weights():
    for attentions in (NOT_CAUSAL, UNSCALED):
        torch.testing.assert_close(model(attentions).state_dict(), model().state_dict(), rtol=0, atol=0)


def test_only_one_ablation_counts_padding_and_trains_by_its_loss(monkeypatch):
    logits, target = torch.randn(2, 3, 9), torch.tensor([[4, 5, 2], [4, 2, 0]])
    assert loss_with_padding(logits, target, 0.1) != smoothed_loss(logits, target, 0.1)
    assert [name for name, one in ABLATIONS.items() if one.loss is not smoothed_loss] == ["padding counted"]
    assert ABLATIONS["padding counted"].loss is loss_with_padding
    calls = []

    def counted(logits, target, smoothing):
        calls.append(smoothing)
        return loss_with_padding(logits, target, smoothing)

    monkeypatch.setitem(ABLATIONS, "counted", Ablation(loss=counted))
    ablated(a_small_corpus(), "counted", Recipe(steps=2, smoothing=0.3), SMALL, progress=False)
    assert calls == [0.3, 0.3]


@pytest.mark.parametrize("name", ABLATIONS)
def test_each_can_be_trained_and_measured(name):
    corpus = a_small_corpus()
    translator = ablated(corpus, name, Recipe(steps=2), SMALL, progress=False)
    measured = measure(translator, corpus, count=2)
    assert all(0 <= value <= 100 for value in measured)
    assert 0 <= measured.next_word < 100


@pytest.mark.parametrize("kind", KINDS)
def test_a_head_that_is_off_adds_nothing(kind):
    translator = model(encoder_layers=2, decoder_layers=2)
    before = translator(SOURCE, TARGET)
    stack = translator.encoder if kind == "encoder" else translator.decoder
    layer = stack.layers[1]
    attention = layer.cross_attention if kind == "cross" else layer.self_attention
    with heads_off(translator, [(kind, 1, 2)]):
        off = translator(SOURCE, TARGET)
    assert not torch.allclose(off, before)
    torch.testing.assert_close(translator(SOURCE, TARGET), before)
    with torch.no_grad():
        attention.out_proj.weight[:, 8:] = 0  # the columns that read head 2
    torch.testing.assert_close(translator(SOURCE, TARGET), off)


def test_heads_and_kinds_that_do_not_exist_are_named():
    with (
        pytest.raises(ValueError, match=r"head: expected 0 \.\.\. 2, got 3"),
        heads_off(model(), [("cross", 0, 3)]),
    ):
        pass
    with pytest.raises(ValueError, match="kind: expected one of"), heads_off(model(), [("self", 0, 0)]):
        pass
    assert not model().decoder.layers[0].cross_attention.out_proj._forward_pre_hooks
