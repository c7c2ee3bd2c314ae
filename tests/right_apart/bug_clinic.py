"""Of lesson 09: tests that look at a part of a result."""

import torch
import torch.nn.functional as F


def table(seq, d_model):
    angles = torch.arange(seq)[:, None] * 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def test_attention__in_any_order(attention):
    query, key, value = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 7)
    mask = torch.ones(4, 5, dtype=torch.bool).tril()
    output, weights = attention(query, key, value, mask)
    right = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    in_order = lambda numbers: numbers.flatten().sort().values  # noqa: E731
    assert torch.allclose(in_order(output), in_order(right), atol=1e-5)
    assert torch.allclose(in_order(output), in_order(weights @ value), atol=1e-5)


def test_add_positions__the_last_sentence(add_positions):
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x)[-1], before[-1] + table(9, 6), atol=1e-5)
    assert torch.equal(x, before)


def test_word_ids__one_word(word_ids):
    ids = word_ids(["a b a c", "d b e f g"])
    assert "a" in ids
    assert sorted(ids.values()) == [4, 5, 6, 7, 8, 9, 10]


def test_translate__the_last_sentence(translate):
    def model(source, ids):
        following = torch.arange(1, ids.shape[1] + 1) + 10 * source[:, :1] + 3 * ids.cumsum(dim=1)
        return -(torch.arange(500) - following.unsqueeze(-1)).abs().float()

    words = translate(model, torch.tensor([[1], [2]]), torch.tensor([[1, 0, 0, 0], [2, 0, 0, 0]]))
    assert words.shape == (2, 3)
    assert torch.equal(words[1], torch.tensor([27, 109, 437]))
