"""The pieces that lessons take from earlier ones, against PyTorch and against what stands in for them."""

import pytest
import torch
from torch import nn

from course_lib.exercises.encoder_decoder import parts
from course_lib.model import layers, pieces


def test_multi_head_attention_is_pytorchs():
    torch.manual_seed(0)
    ours, theirs = pieces.MultiHeadAttention(12, 3), nn.MultiheadAttention(12, 3, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([p.weight for p in (ours.query, ours.key, ours.value)]))
        theirs.in_proj_bias.copy_(torch.cat([p.bias for p in (ours.query, ours.key, ours.value)]))
    theirs.out_proj.load_state_dict(ours.output.state_dict())
    query, memory = torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    mask = torch.rand(2, 5, 7) < 0.7
    mask[:, :, 0] = True
    output, weights = ours(query, memory, memory, mask)
    hidden = (~mask).repeat_interleave(3, dim=0)
    expected = theirs(query, memory, memory, attn_mask=hidden, average_attn_weights=False)
    torch.testing.assert_close((output, weights), expected)


@pytest.mark.parametrize("mask", [None, (2, 1, 5), (5, 5), (2, 5, 5)], ids=str)
def test_what_stands_in_is_the_piece(mask):
    torch.manual_seed(0)
    ours, stand_in = pieces.MultiHeadAttention(12, 3), parts.MultiHeadAttention(12, 3)
    stand_in.load_state_dict(ours.state_dict())
    x = torch.randn(2, 5, 12)
    mask = None if mask is None else torch.rand(mask) < 0.7
    if mask is not None:
        mask[..., 0] = True
    torch.testing.assert_close(ours(x, x, x, mask), stand_in(x, x, x, mask))


@pytest.mark.parametrize(
    ("name", "sizes", "inputs"),
    [
        ("LayerNorm", (12,), torch.arange(120.0).view(2, 5, 12).sin()),
        ("FeedForward", (12, 7), torch.arange(120.0).view(2, 5, 12).sin()),
        ("PositionalEncoding", (12, 50), torch.zeros(2, 5, 12)),
        ("TokenEmbedding", (9, 12), torch.tensor([[4, 8, 0]])),
    ],
)
def test_the_others_too(name, sizes, inputs):
    ours, stand_in = getattr(pieces, name)(*sizes), getattr(parts, name)(*sizes)
    stand_in.load_state_dict(ours.state_dict() | dict(stand_in.named_buffers()))
    torch.testing.assert_close(ours(inputs), stand_in(inputs))


def test_masks_have_no_axis_for_heads():
    assert pieces.padding_mask is layers.padding_mask
    assert pieces.padding_mask(torch.tensor([[4, 0]])).tolist() == [[[True, False]]]
    assert pieces.causal_mask(2).tolist() == [[True, False], [True, True]]
