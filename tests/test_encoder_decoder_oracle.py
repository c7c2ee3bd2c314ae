"""The references of lesson 06 are PyTorch's own layers, on the same weights."""

import torch
from pytorchs_weights import pytorchs
from torch import nn

from course_lib.exercises.encoder_decoder.DecoderLayer import DecoderReference
from course_lib.exercises.encoder_decoder.EncoderLayer import EncoderReference
from course_lib.exercises.encoder_decoder.parameter_count import parameter_count
from course_lib.exercises.encoder_decoder.Transformer import Reference


def randomized(module: nn.Module) -> nn.Module:
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5)
    return module


def test_encoder_layer():
    torch.manual_seed(0)
    ours, x = randomized(EncoderReference(6, 3, 10)), torch.randn(2, 5, 6)
    theirs = nn.TransformerEncoderLayer(6, 3, 10, dropout=0.0, batch_first=True)
    theirs.load_state_dict(pytorchs(ours))
    seen = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    torch.testing.assert_close(ours(x, seen[:, None]), theirs(x, src_key_padding_mask=~seen))


def test_decoder_layer():
    torch.manual_seed(0)
    ours, x, memory = randomized(DecoderReference(6, 3, 10)), torch.randn(2, 5, 6), torch.randn(2, 7, 6)
    theirs = nn.TransformerDecoderLayer(6, 3, 10, dropout=0.0, batch_first=True)
    theirs.load_state_dict(pytorchs(ours))
    past, seen = torch.ones(5, 5, dtype=torch.bool).tril(), torch.arange(7) < torch.tensor([[7], [4]])
    expected = theirs(x, memory, tgt_mask=~past, memory_key_padding_mask=~seen)
    torch.testing.assert_close(ours(x, memory, past, seen[:, None]), expected)


def test_parameter_count_counts_the_model():
    model = Reference(13, 13, 6, 3, 10, 2)
    model.source_embedding.table.weight = model.target_embedding.table.weight
    count = parameter_count.reference_implementation(13, 6, 10, 2)
    assert count == sum(parameter.numel() for parameter in model.parameters())
    assert round(parameter_count.reference_implementation(37_000, 512, 2048, 6) / 1e6, 1) == 63.1
