import pytest
import torch

from course_lib.model.config import TransformerConfig
from course_lib.model.stacks import DecoderCache, EncoderLayer
from course_lib.model.torch_twin import torch_twin
from course_lib.model.transformer import AttentionMaps, Transformer, evaluating

DTYPES = {torch.float32: {"rtol": 1e-4, "atol": 1e-5}, torch.float64: {"rtol": 1e-9, "atol": 1e-11}}
SOURCE = torch.tensor([[5, 6, 7, 8, 9, 2], [10, 11, 5, 2, 0, 0]])
TARGET = torch.tensor([[1, 4, 5, 6], [1, 7, 8, 0]])


def build(**changes) -> Transformer:
    torch.manual_seed(0)
    shape = {"d_model": 12, "heads": 3, "d_ff": 20, "max_length": 16} | changes
    return Transformer(TransformerConfig(13, 11, **shape))


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_stacks_equal_nn_transformer_in_output_and_gradients(dtype, norm_first, activation):
    model = build(norm_first=norm_first, final_norm=True, activation=activation).to(dtype)
    for parameter in model.parameters():  # biases and norms start at 0 and 1: make them matter
        parameter.data.add_(torch.randn_like(parameter), alpha=0.1)
    twin = torch_twin(model)
    padded = SOURCE == 0
    x, y = model.source_embedding(SOURCE).detach(), model.target_embedding(TARGET).detach()
    memory, _ = model.encoder(x, ~padded[:, None])
    output, _, _ = model.decoder(y, memory, ~padded[:, None])
    later = torch.nn.Transformer.generate_square_subsequent_mask(TARGET.shape[1], dtype=dtype).isneginf()
    expected = twin(
        x, y, tgt_mask=later, src_key_padding_mask=padded, memory_key_padding_mask=padded, tgt_is_causal=True
    )
    torch.testing.assert_close(output, expected, **DTYPES[dtype])
    upstream = torch.randn_like(output)
    ours = torch.autograd.grad(output, [*model.encoder.parameters(), *model.decoder.parameters()], upstream)
    theirs = torch.autograd.grad(expected, list(twin.parameters()), upstream)
    assert len(ours) == len(theirs)
    torch.testing.assert_close(ours, theirs, **DTYPES[dtype])


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary", "none"])
def test_maps_come_from_the_same_pass_and_leave_the_logits_alone(positions):
    model = build(positions=positions)
    logits, maps = model(SOURCE, TARGET, need_weights=True)
    torch.testing.assert_close(logits, model(SOURCE, TARGET))
    assert isinstance(maps, AttentionMaps)
    assert maps.encoder.shape == (2, 2, 3, 6, 6)
    assert maps.decoder.shape == (2, 2, 3, 4, 4)
    assert maps.cross.shape == (2, 2, 3, 4, 6)
    for weights in maps:
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(weights.shape[:-1]))
    assert (maps.decoder.triu(1) == 0).all()
    assert (maps.cross[:, 1, ..., 4:] == 0).all() and (maps.encoder[:, 1, ..., 4:] == 0).all()


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary", "none"])
@pytest.mark.parametrize("chunks", [[1, 1, 1, 1], [2, 1, 1], [1, 3]])
def test_decoding_with_a_cache_gives_the_same_logits(positions, chunks):
    model = build(positions=positions, decoder_layers=3)
    mask = (SOURCE != 0)[:, None]
    memory, _ = model.encode(SOURCE, mask)
    expected, _, _ = model.decode(TARGET, memory, mask)
    cache = DecoderCache(3)
    parts = [model.decode(part, memory, mask, cache=cache)[0] for part in TARGET.split(chunks, dim=1)]
    torch.testing.assert_close(torch.cat(parts, dim=1), expected)
    assert len(cache) == 4


def test_a_row_does_not_depend_on_its_batch_or_padding():
    model = build()
    alone = model(SOURCE[1:, :4], TARGET[1:, :3])
    torch.testing.assert_close(model(SOURCE, TARGET)[1:, :3], alone)


def test_later_target_words_do_not_change_earlier_logits():
    model, changed = build(), TARGET.clone()
    changed[:, 2:] = 9
    torch.testing.assert_close(model(SOURCE, changed)[:, :2], model(SOURCE, TARGET)[:, :2], rtol=0, atol=0)
    assert not torch.equal(model(SOURCE, changed)[:, 2:], model(SOURCE, TARGET)[:, 2:])


def test_tied_tables_are_one_parameter():
    target = build(tie="target")
    assert target.output.weight is target.target_embedding.tokens.weight
    assert target.source_embedding.tokens.weight is not target.output.weight
    both = Transformer(TransformerConfig(11, 11, 12, 3, tie="all"))
    assert both.output.weight is both.target_embedding.tokens.weight is both.source_embedding.tokens.weight
    none = build(tie="none")
    assert sum(p.numel() for p in none.parameters()) - sum(p.numel() for p in target.parameters()) == 11 * 12
    both(torch.tensor([[4]]), torch.tensor([[5]])).sum().backward()
    assert both.output.weight.grad[4].abs().sum() > 0 and both.output.weight.grad[6].abs().sum() > 0


def test_tied_tables_stay_one_after_a_state_dict_and_a_move():
    model = build()
    model.load_state_dict(build(d_ff=20).state_dict())
    model.double()
    assert model.output.weight is model.target_embedding.tokens.weight


@pytest.mark.parametrize(("layers", "d_model", "heads", "d_ff", "millions"), [(6, 512, 8, 2048, 63.1)])
def test_the_base_model_of_the_paper_has_its_number_of_parameters(layers, d_model, heads, d_ff, millions):
    with torch.device("meta"):
        model = Transformer(
            TransformerConfig(37000, 37000, d_model, heads, d_ff, layers, layers, False, tie="all")
        )
    assert sum(p.numel() for p in model.parameters()) / 1e6 == pytest.approx(millions, abs=0.05)


def test_an_encoder_layer_can_be_causal():
    layer = EncoderLayer(TransformerConfig(5, 5, 12, 3))
    x = torch.randn(2, 4, 12)
    changed = x.clone()
    changed[:, 3] = 0
    torch.testing.assert_close(layer(x, causal=True)[0][:, :3], layer(changed, causal=True)[0][:, :3])


def test_evaluating_restores_the_mode_even_after_an_error():
    model = build(dropout=0.5)
    with pytest.raises(RuntimeError), evaluating(model):
        assert not model.training and not torch.is_grad_enabled()
        raise RuntimeError
    assert model.training and model.encoder.training and torch.is_grad_enabled()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"heads": 5}, "d_model=12 and heads=5"),
        ({"positions": "cosine"}, "positions: expected one of.*'cosine'"),
        ({"tie": "both"}, "tie: expected one of.*'both'"),
        ({"tie": "all"}, "source_vocab=13 and target_vocab=11"),
        ({"dropout": 1.5}, "dropout.*1.5"),
    ],
)
def test_configurations_that_cannot_be_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        build(**changes)


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (SOURCE.float(), TypeError, "expected torch.int64, got torch.float32"),
        (SOURCE[0], ValueError, r"\(batch, seq\).*got \(6,\)"),
        (SOURCE[:, :0], ValueError, r"seq >= 1, got \(2, 0\)"),
        (SOURCE + 20, IndexError, "0 ... 12, got 20 ... 31"),
        (SOURCE.repeat(1, 3).clamp(min=1), ValueError, "max_length=16 positions, got 18"),
        (torch.zeros_like(SOURCE), ValueError, "all False.*empty"),
    ],
)
def test_wrong_ids_are_refused(source, error, message):
    with pytest.raises(error, match=message):
        build()(source, TARGET)


def test_a_source_mask_of_the_wrong_shape_is_refused():
    with pytest.raises(ValueError, match=r"= \(2, 3, 6, 6\), got \(2, 1, 1, 5\)"):
        build()(SOURCE, TARGET, source_mask=torch.ones(2, 1, 5, dtype=torch.bool))
