import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course_lib.model.layers import (
    FeedForward,
    KeyValueCache,
    LayerNorm,
    MultiHeadAttention,
    Residual,
    attention,
    causal_mask,
    check_mask,
    padding_mask,
)
from course_lib.model.positions import (
    LearnedPositions,
    PositionalEncoding,
    RotaryPositions,
    apply_rotary,
    sinusoidal_encoding,
)

BATCH, HEADS, TARGET, SOURCE, D_K, D_MODEL = 2, 3, 5, 7, 6, 18
DTYPES = {torch.float32: {"rtol": 1e-4, "atol": 1e-5}, torch.float64: {"rtol": 1e-9, "atol": 1e-11}}


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def heads(seq: int, dtype=torch.float32) -> torch.Tensor:
    return torch.randn(BATCH, HEADS, seq, D_K, dtype=dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_attention_with_and_without_weights_equals_torch(dtype, causal, masked):
    query, key, value = (heads(TARGET, dtype) for _ in range(3))
    mask = torch.tensor([[True] * TARGET, [True] * 3 + [False] * 2])[:, None, None] if masked else None
    visible = torch.ones(TARGET, TARGET, dtype=torch.bool) if mask is None else mask
    visible = visible & causal_mask(TARGET) if causal else visible
    expected = F.scaled_dot_product_attention(query, key, value, attn_mask=visible)
    fused, none = attention(query, key, value, mask, causal)
    explicit, weights = attention(query, key, value, mask, causal, need_weights=True)
    assert none is None
    torch.testing.assert_close(fused, expected, **DTYPES[dtype])
    torch.testing.assert_close(explicit, expected, **DTYPES[dtype])
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(BATCH, HEADS, TARGET, dtype=dtype))
    assert (weights.masked_select(~visible.expand_as(weights)) == 0).all()


def test_causal_queries_are_the_last_positions():
    query, key = heads(2), heads(SOURCE)
    _, weights = attention(query, key, key, causal=True, need_weights=True)
    fused, _ = attention(query, key, key, causal=True)
    assert (weights[..., 0, -1] == 0).all() and (weights[..., 0, -2] > 0).all()
    assert (weights[..., 1, -1] > 0).all()
    torch.testing.assert_close(fused, weights @ key)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("cross", [False, True])
def test_multi_head_attention_equals_torch_in_output_weights_and_gradients(dtype, cross):
    ours = MultiHeadAttention(D_MODEL, HEADS).to(dtype)
    theirs = nn.MultiheadAttention(D_MODEL, HEADS, batch_first=True, dtype=dtype)
    state = ours.state_dict()
    theirs.load_state_dict({name.replace("in_proj.", "in_proj_"): value for name, value in state.items()})
    x = torch.randn(BATCH, TARGET, D_MODEL, dtype=dtype, requires_grad=True)
    memory = torch.randn(BATCH, SOURCE, D_MODEL, dtype=dtype, requires_grad=True) if cross else x
    hidden = torch.zeros(BATCH, memory.shape[1], dtype=torch.bool)
    hidden[1, -2:] = True
    mask = ~hidden[:, None, None, :]
    output, weights = ours(x, memory if cross else None, mask, need_weights=True)
    fused, _ = ours(x, memory if cross else None, mask)
    expected = theirs(x, memory, memory, key_padding_mask=hidden, average_attn_weights=False)
    torch.testing.assert_close((output, weights), expected, **DTYPES[dtype])
    torch.testing.assert_close(fused, expected[0], **DTYPES[dtype])
    upstream = torch.randn_like(output)
    got = torch.autograd.grad(fused, [*ours.parameters(), x], upstream)
    wanted = torch.autograd.grad(expected[0], [*theirs.parameters(), x], upstream)
    torch.testing.assert_close(got, wanted, **DTYPES[dtype])


@pytest.mark.parametrize("shape", [(BATCH, 1, TARGET), (BATCH, TARGET, TARGET), (TARGET, TARGET)], ids=str)
def test_all_heads_share_a_mask(shape):
    layer, x = MultiHeadAttention(D_MODEL, HEADS), torch.randn(BATCH, TARGET, D_MODEL)
    mask = (torch.rand(shape) < 0.7).index_fill(-1, torch.tensor(0), True)
    each = mask.expand(BATCH, TARGET, TARGET)[:, None].repeat(1, HEADS, 1, 1)  # one for every head
    torch.testing.assert_close(layer(x, mask=mask, need_weights=True), layer(x, mask=each, need_weights=True))


@pytest.mark.parametrize("rotary", [False, True])
def test_cached_self_attention_equals_uncached(rotary):
    rotate = RotaryPositions(D_K, TARGET) if rotary else None
    layer, cache = MultiHeadAttention(D_MODEL, HEADS, rotate), KeyValueCache()
    x = torch.randn(BATCH, TARGET, D_MODEL)
    expected, _ = layer(x, causal=True)
    chunks = [layer(part, causal=True, cache=cache)[0] for part in x.split([1, 2, 1, 1], dim=1)]
    torch.testing.assert_close(torch.cat(chunks, dim=1), expected)
    assert len(cache) == TARGET


def test_cache_selects_rows_and_cross_attention_projects_memory_once():
    layer, cache = MultiHeadAttention(D_MODEL, HEADS), KeyValueCache()
    x, memory = torch.randn(BATCH, 1, D_MODEL), torch.randn(BATCH, SOURCE, D_MODEL)
    expected, _ = layer(x, memory)
    layer(x, memory, cache=cache)
    torch.testing.assert_close(layer(x, torch.zeros_like(memory), cache=cache)[0], expected)
    cache.select(torch.tensor([1, 1, 0]))
    swapped, _ = layer(x[[1, 1, 0]], memory, cache=cache)
    torch.testing.assert_close(swapped, expected[[1, 1, 0]])


@pytest.mark.parametrize("dtype", DTYPES)
def test_layer_norm_and_feed_forward_follow_their_formulas(dtype):
    norm, x = LayerNorm(D_MODEL).to(dtype), torch.randn(BATCH, TARGET, D_MODEL, dtype=dtype)
    with torch.no_grad():
        norm.weight.normal_(), norm.bias.normal_()
    centered = x - x.mean(dim=-1, keepdim=True)
    formula = (
        norm.weight * centered / (centered.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt() + norm.bias
    )
    torch.testing.assert_close(norm(x), formula, **DTYPES[dtype])
    layer = FeedForward(D_MODEL, 11, "gelu").to(dtype)
    hidden = x @ layer.linear1.weight.mT + layer.linear1.bias
    gelu = hidden * (1 + torch.erf(hidden / math.sqrt(2))) / 2
    torch.testing.assert_close(layer(x), gelu @ layer.linear2.weight.mT + layer.linear2.bias, **DTYPES[dtype])


def test_residual_normalizes_before_or_after():
    x = torch.randn(BATCH, TARGET, D_MODEL)
    pre, post = Residual(D_MODEL, norm_first=True), Residual(D_MODEL, norm_first=False)
    normalized = F.layer_norm(x, (D_MODEL,))
    torch.testing.assert_close(pre.leave(x, 2 * pre.enter(x)), x + 2 * normalized)
    torch.testing.assert_close(post.leave(x, 2 * post.enter(x)), F.layer_norm(3 * x, (D_MODEL,)))


def test_sinusoidal_encoding_is_the_paper_formula():
    table = sinusoidal_encoding(50, 8)
    for position, pair in ((0, 0), (7, 0), (49, 2), (31, 3)):
        angle = position / 10000 ** (2 * pair / 8)
        assert table[position, 2 * pair].item() == pytest.approx(math.sin(angle), abs=1e-6)
        assert table[position, 2 * pair + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)


@pytest.mark.parametrize("kind", [PositionalEncoding, LearnedPositions])
def test_added_positions_start_where_told(kind):
    positions, x = kind(D_MODEL, 10), torch.zeros(1, 10, D_MODEL)
    torch.testing.assert_close(positions(x[:, :4], start=3), positions(x)[:, 3:7])
    with pytest.raises(ValueError, match="max_length=10 positions, got 11"):
        positions(x[:, :4], start=7)


def test_rotary_scores_depend_on_distance_alone():
    rotary = RotaryPositions(D_K, 40)
    query, key = torch.randn(1, 1, 1, D_K), torch.randn(1, 1, 1, D_K)

    def score(i, j):
        return (rotary(query, i) * rotary(key, j)).sum()

    torch.testing.assert_close(score(5, 2), score(25, 22))
    assert not torch.isclose(score(5, 2), score(5, 3))
    torch.testing.assert_close(rotary(query, 9).norm(), query.norm())
    quarter = apply_rotary(torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0]]), torch.tensor([[1.0]]))
    torch.testing.assert_close(quarter, torch.tensor([[0.0, 1.0]]))
    with pytest.raises(ValueError, match="max_length=40 positions, got 41"):
        rotary(query, 40)


SHAPE = (BATCH, HEADS, TARGET, SOURCE)


@pytest.mark.parametrize(
    ("mask", "error", "message"),
    [
        (torch.ones(TARGET, SOURCE), TypeError, "expected torch.bool.*got torch.float32"),
        (
            torch.ones(BATCH, SOURCE, dtype=torch.bool),
            ValueError,
            r"\(batch, heads, target, source\) = \(2, 3, 5, 7\), got \(2, 7\)",
        ),
        (torch.ones(1, *SHAPE, dtype=torch.bool), ValueError, r"got \(1, 2, 3, 5, 7\)"),
        (~causal_mask(SOURCE), ValueError, r"\(6,\).*all False.*inverted"),
    ],
)
def test_wrong_masks_are_refused(mask, error, message):
    shape = (BATCH, HEADS, SOURCE, SOURCE) if mask.shape == (SOURCE, SOURCE) else SHAPE
    with pytest.raises(error, match=message):
        check_mask(mask, shape)


def test_an_inverted_padding_mask_is_refused_by_a_layer():
    ids = torch.tensor([[5, 6, 7], [5, 6, 0]])
    layer, x = MultiHeadAttention(D_MODEL, HEADS), torch.randn(2, 3, D_MODEL)
    layer(x, mask=padding_mask(ids))
    with pytest.raises(ValueError, match=r"row \(0, 0, 0\).*inverted"):
        layer(x, mask=~padding_mask(ids))


def test_sizes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="d_model=18 and heads=4"):
        MultiHeadAttention(18, 4)
    with pytest.raises(ValueError, match="even number of them, got 5"):
        sinusoidal_encoding(3, 5)
    with pytest.raises(ValueError, match="'tanh'"):
        FeedForward(4, 4, "tanh")
