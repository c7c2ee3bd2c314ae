import pytest
import torch
import torch.nn.functional as F

from course_lib.model.gpt import GPT, GPTConfig, GroupedQueryAttention, RMSNorm, SwiGLU
from course_lib.model.layers import KeyValueCache, MultiHeadAttention
from course_lib.model.positions import RotaryPositions, apply_rotary
from course_lib.model.transformer import evaluating

IDS = torch.tensor([[5, 6, 7, 8, 9, 2], [10, 11, 5, 2, 0, 0]])
KINDS = [
    {},
    {"positions": "sinusoidal", "norm": "layer", "feed_forward": "relu", "norm_first": False},
    {"positions": "learned", "kv_heads": 4, "tie": False},
    {"positions": "none", "kv_heads": 1},
]


def build(**changes) -> GPT:
    torch.manual_seed(0)
    shape = {"d_model": 16, "heads": 4, "kv_heads": 2, "d_ff": 20, "layers": 3, "max_length": 16}
    model = GPT(GPTConfig(13, **(shape | changes)))
    for parameter in model.parameters():  # biases and norms start at 0 and 1: make them matter
        parameter.data.add_(torch.randn_like(parameter), alpha=0.1)
    return model


def test_rms_norm_is_its_formula_and_keeps_the_mean():
    x, norm = torch.randn(2, 5, 6) + 3, RMSNorm(6, eps=0.1)
    norm.weight.data.uniform_(0.5, 2)
    expected = norm.weight * x / (x.pow(2).mean(dim=-1, keepdim=True) + 0.1).sqrt()
    torch.testing.assert_close(norm(x), expected)


def test_swiglu_is_its_formula_without_biases():
    x, layer = torch.randn(2, 5, 6), SwiGLU(6, 10)
    gate = x @ layer.gate.weight.mT
    expected = (gate * gate.sigmoid() * (x @ layer.up.weight.mT)) @ layer.down.weight.mT
    torch.testing.assert_close(layer(x), expected)
    assert sum(p.numel() for p in layer.parameters()) == 3 * 6 * 10


def test_with_as_many_kv_heads_it_is_causal_multi_head_attention():
    rotary = RotaryPositions(4, 16)
    ours, theirs = GroupedQueryAttention(12, 3, 3, rotary), MultiHeadAttention(12, 3, rotary)
    theirs.load_state_dict(ours.state_dict(), strict=False)
    for name, parameter in theirs.named_parameters():
        if name.endswith("bias"):
            parameter.data.zero_()
    x = torch.randn(2, 5, 12)
    for got, expected in zip(
        ours(x, need_weights=True), theirs(x, causal=True, need_weights=True), strict=True
    ):
        torch.testing.assert_close(got, expected)


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_neighboring_queries_share_keys_and_values_as_torch_shares_them(kv_heads):
    layer, x = GroupedQueryAttention(16, 4, kv_heads), torch.randn(2, 5, 16)
    sizes = [16, 4 * kv_heads, 4 * kv_heads]
    query, key, value = (
        part.unflatten(-1, (-1, 4)).transpose(1, 2) for part in layer.in_proj(x).split(sizes, dim=-1)
    )
    output = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
    expected = layer.out_proj(output.transpose(1, 2).flatten(start_dim=2))
    torch.testing.assert_close(layer(x)[0], expected)


def test_the_cache_holds_only_the_shared_heads():
    layer, cache = GroupedQueryAttention(16, 4, 2, RotaryPositions(4, 16)), KeyValueCache()
    layer(torch.randn(3, 5, 16), cache=cache)
    assert cache.pair is not None and cache.pair[0].shape == cache.pair[1].shape == (3, 2, 5, 4)


@pytest.mark.parametrize("changes", KINDS)
def test_a_token_sees_no_later_one(changes):
    model = build(**changes).eval()
    other = IDS.clone()
    other[:, 3] = 12
    before, after = model(IDS), model(other)
    torch.testing.assert_close(before[:, :3], after[:, :3])
    assert (before[:, 3:] - after[:, 3:]).abs().amax(dim=-1).min() > 1e-4


@pytest.mark.parametrize("changes", KINDS)
def test_token_by_token_with_a_cache_equals_one_pass(changes):
    model = build(**changes)
    with evaluating(model):
        whole, cache = model(IDS), model.new_cache()
        first = model(IDS[:, :2], cache=cache)
        pieces = [first, *(model(IDS[:, [i]], cache=cache) for i in range(2, 6))]
    assert len(cache) == 6
    torch.testing.assert_close(torch.cat(pieces, dim=1), whole)


def test_selected_rows_of_a_cache_go_on_by_themselves():
    model = build()
    with evaluating(model):
        cache = model.new_cache()
        model(IDS[:, :5], cache=cache)
        cache.select(torch.tensor([1, 1]))
        got = model(IDS[[1, 1], 5:], cache=cache)
        torch.testing.assert_close(got[:, 0], model(IDS)[[1, 1], 5])


@pytest.mark.parametrize("changes", KINDS)
def test_weights_come_from_the_same_pass_and_leave_the_logits_alone(changes):
    model = build(**changes)
    logits, maps = model(IDS, need_weights=True)
    torch.testing.assert_close(logits, model(IDS))
    assert maps.shape == (3, 2, 4, 6, 6)
    torch.testing.assert_close(maps.sum(dim=-1), torch.ones(maps.shape[:-1]))
    assert (maps.triu(1) == 0).all()


def test_a_mask_hides_more_than_the_causal_order():
    model = build(layers=1)
    mask = torch.ones(1, 1, 6, dtype=torch.bool)
    mask[..., 1] = False
    hidden = torch.ones(6, 6, dtype=torch.bool)
    hidden[:, 1] = False
    hidden[1, 1] = True  # a query keeps at least itself
    _, maps = model(IDS[:1], hidden, need_weights=True)
    assert (maps[..., 2:, 1] == 0).all() and (maps[..., 2:, 0] > 0).all()
    torch.testing.assert_close(model(IDS[:1], mask)[:, 2:], model(IDS[:1], hidden)[:, 2:])


@pytest.mark.parametrize("tie", [True, False])
def test_a_tied_table_is_one_parameter_and_gets_both_gradients(tie):
    model = build(tie=tie)
    assert (model.output.weight is model.embedding.weight) == tie
    total = sum(parameter.numel() for parameter in model.parameters())
    assert total - sum(p.numel() for p in model.layers.parameters()) == (1 if tie else 2) * 13 * 16 + 16


def test_post_norm_ends_every_layer_with_its_norm_and_has_no_final_one():
    model = build(norm_first=False)
    x = model.layers[-1](torch.randn(2, 5, 16))[0]
    weight = model.layers[-1].norm2.weight
    torch.testing.assert_close((x / weight).pow(2).mean(dim=-1), torch.ones(2, 5), rtol=1e-3, atol=1e-3)
    assert isinstance(model.norm, torch.nn.Identity)


def test_the_base_of_rotary_positions():
    rotary, x = RotaryPositions(4, 8, base=100.0), torch.randn(1, 8, 4)
    angle = torch.arange(8.0)[:, None] * torch.tensor([1.0, 0.1])
    torch.testing.assert_close(rotary(x), apply_rotary(x, angle.cos(), angle.sin()))


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"heads": 3}, "d_model must be divisible by heads"),
        ({"kv_heads": 3}, "heads must be divisible by kv_heads"),
        ({"kv_heads": 0}, "kv_heads: expected 1 or more"),
        ({"norm": "batch"}, "norm: expected one of"),
        ({"feed_forward": "gelu"}, "feed_forward: expected one of"),
        ({"positions": "alibi"}, "positions: expected one of"),
    ],
)
def test_an_impossible_shape_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        build(**changes)


def test_too_many_tokens_are_refused():
    with pytest.raises(ValueError, match="at most max_length=16 positions, got 17"):
        build()(torch.ones(1, 17, dtype=torch.int64))


@pytest.mark.parametrize("changes", [{}, {"kv_heads": 1, "base": 500.0}, {"kv_heads": 4, "tie": False}])
def test_it_equals_llama_of_hugging_face_on_shared_weights(changes):
    pytest.importorskip("transformers")
    from course_lib.translation.llama import llama_twin

    model = build(**changes)
    ids = torch.randint(0, 13, (2, 16))
    with evaluating(model):
        torch.testing.assert_close(model(ids), llama_twin(model)(ids).logits, rtol=1e-5, atol=1e-5)


def test_a_llama_has_no_piece_of_2017():
    from course_lib.translation.llama import llama_twin

    pytest.importorskip("transformers")
    with pytest.raises(ValueError, match="a Llama is"):
        llama_twin(build(norm="layer"))
