"""Translators without a piece lack what its name says, and nothing else; heads can be switched off."""

from itertools import islice

import pytest
import torch

from course_lib.corpus import Corpus, draw_pairs
from course_lib.model.config import TransformerConfig
from course_lib.model.transformer import Transformer
from course_lib.training import trainer
from course_lib.training.losses import smoothed_loss
from course_lib.training.trainer import Recipe
from course_lib.translation.ablations import (
    ABLATIONS,
    ablated,
    loss_with_padding,
    measure,
    without_causal_mask,
    without_scaling,
)
from course_lib.translation.interventions import KINDS, heads_off

SOURCE, TARGET = torch.tensor([[4, 5, 6, 7, 2]]), torch.tensor([[1, 4, 5, 6]])


def model(**shape):
    torch.manual_seed(0)
    shape = {"d_model": 12, "heads": 3, "d_ff": 8} | shape
    return Transformer(TransformerConfig(9, 9, **shape)).eval()


def moved_by_the_last_word(model):
    """Which positions of the decoder change when its last word does."""
    other = TARGET.clone()
    other[0, -1] = 8
    return ((model(SOURCE, TARGET) - model(SOURCE, other)).abs().amax(dim=-1) > 1e-6)[0].tolist()


def test_without_a_causal_mask_earlier_positions_see_later_words():
    translator = model()
    assert moved_by_the_last_word(translator) == [False, False, False, True]
    without_causal_mask(translator)
    assert moved_by_the_last_word(translator) == [True] * 4


def test_without_scaling_scores_are_sqrt_d_k_times_as_large():
    translator = model(heads=1)
    attention = translator.encoder.layers[0].self_attention
    scaled = translator(SOURCE, TARGET)
    with torch.no_grad():
        attention.in_proj.weight[:12] *= 12**0.5
        attention.in_proj.bias[:12] *= 12**0.5
    larger = translator.encode(SOURCE, need_weights=True)[1]
    with torch.no_grad():
        attention.in_proj.weight[:12] /= 12**0.5
        attention.in_proj.bias[:12] /= 12**0.5
    without_scaling(translator)
    torch.testing.assert_close(translator.encode(SOURCE, need_weights=True)[1][0], larger[0])
    assert not torch.allclose(translator(SOURCE, TARGET), scaled)


def test_a_loss_that_counts_padding_is_in_place_only_while_training():
    logits, target = torch.randn(2, 3, 9), torch.tensor([[4, 5, 2], [4, 2, 0]])
    assert loss_with_padding(logits, target, 0.1) != smoothed_loss(logits, target, 0.1)
    with ABLATIONS["padding counted"].training_loss():
        assert trainer.smoothed_loss is loss_with_padding
    assert trainer.smoothed_loss is smoothed_loss


@pytest.mark.parametrize("name", ABLATIONS)
def test_each_can_be_trained_and_measured(name):
    pairs = list(islice(draw_pairs(), 8))
    corpus = Corpus(pairs, [], pairs[:3], [], pairs[3:5], [], [])
    shape = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "max_length": 40}
    translator = ablated(corpus, name, Recipe(steps=2), shape, progress=False)
    result = measure(translator, corpus, count=2)
    assert all(0 <= value <= 100 for value in result)
    assert 0 <= result.next_word < 100


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
