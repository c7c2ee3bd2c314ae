"""trace: a stage for each part of the live model, sums that are real, and a model that stays as it was."""

import re

import pytest
import torch
from torch import nn

from course_lib import plots
from course_lib.exercises.encoder_decoder.Transformer import Reference
from course_lib.model.config import TransformerConfig
from course_lib.model.transformer import Transformer

SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"]
WORDS = [*SPECIALS, "i", "like", "games"], [*SPECIALS, "我", "喜欢"]
SOURCE, TARGET = torch.tensor([[4, 5, 6, 2]]), torch.tensor([[1, 4, 5]])


def lessons_own(layers=2):
    torch.manual_seed(0)
    return Reference(7, 6, 8, 2, 16, layers)


def library(**options):
    torch.manual_seed(0)
    return Transformer(TransformerConfig(7, 6, 8, 2, 16, 1, 1, **options))


def names(trace, side=None):
    return [stage.name for stage in trace.stages if side in (None, stage.side)]


def test_each_part_is_a_stage_in_the_order_of_the_pass():
    trace = plots.trace(lessons_own(1), SOURCE, TARGET, WORDS)
    assert names(trace, "source") == [
        "source_embedding", "positions", "encoder.0.self_attention", "sum 1", "encoder.0.norm1",
        "encoder.0.feed_forward", "sum 2", "encoder.0.norm2",
    ]  # fmt: skip
    assert names(trace, "target") == [
        "target_embedding", "positions", "decoder.0.self_attention", "sum 3", "decoder.0.norm1",
        "decoder.0.cross_attention", "sum 4", "decoder.0.norm2", "decoder.0.feed_forward", "sum 5",
        "decoder.0.norm3", "output",
    ]  # fmt: skip


@pytest.mark.parametrize("layers", [1, 3])
def test_there_are_as_many_sums_as_sublayers(layers):
    trace = plots.trace(lessons_own(layers), SOURCE, TARGET, WORDS)
    assert sum(name.startswith("sum") for name in names(trace)) == 5 * layers


def test_the_numbers_are_those_of_the_pass():
    model = lessons_own()
    trace = plots.trace(model, SOURCE, TARGET, WORDS, follow=("games", "我"))
    vectors = {stage.name: stage.vector for stage in trace.stages}
    assert torch.equal(vectors["output"], model(SOURCE, TARGET)[0, 1])
    assert torch.equal(vectors["source_embedding"], model.source_embedding(SOURCE)[0, 2])
    shapes = {stage.name: stage.shape for stage in trace.stages}
    assert (shapes["encoder.1.norm2"], shapes["output"]) == ("(1, 4, 8)", "(1, 3, 6)")


def test_it_says_what_a_part_did():
    model = lessons_own()
    told = {
        stage.name: stage.what for stage in plots.trace(model, SOURCE, TARGET, WORDS, ("games", "我")).stages
    }
    assert told["source_embedding"] == "row 6 of a table (7, 8), times 2.83"
    assert told["positions"].startswith("adds the vector of place 1, of length 2.00")
    assert told["encoder.0.feed_forward"] == "8 → 16 → 8, each word by itself"
    assert re.fullmatch(r"mean \S+ and deviation \S+ become 0.00 and 1.00", told["encoder.1.norm1"])
    assert told["sum 1"] == "positions + encoder.0.self_attention"
    best = WORDS[1][int(model(SOURCE, TARGET)[0, 1].argmax())]
    assert told["output"] == f"a number for each of 6 words; the largest is that of {best}"


def test_attention_names_the_words_of_its_keys():
    model = lessons_own()
    found = {}
    for kind in ("encoder.0.self_attention", "decoder.0.self_attention", "decoder.0.cross_attention"):
        part = model.get_submodule(kind)
        part.register_forward_hook(lambda part, given, result, kind=kind: found.update({kind: result[1]}))
    told = {stage.name: stage.what for stage in plots.trace(model, SOURCE, TARGET, WORDS).stages}
    for kind, weights in found.items():
        keys = (
            ["<bos>", "我", "喜欢"] if kind.startswith("decoder.0.self") else ["i", "like", "games", "<eos>"]
        )
        best, place = weights[0, :, 0].mean(dim=0).max(dim=0)
        assert told[kind].endswith(f"most from {keys[place]} ({best:.2f})")
        assert told[kind].startswith("2 heads over what was read") == kind.startswith("decoder.0.self")


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_courses_own_model_has_the_norms_where_they_are(norm_first):
    found = names(plots.trace(library(norm_first=norm_first), SOURCE, TARGET, WORDS), "source")
    norm, attention = (
        found.index("encoder.layers.0.residual1.norm"),
        found.index("encoder.layers.0.self_attention"),
    )
    assert (norm < attention) == norm_first
    assert not any("dropout" in name for name in found), "what changes nothing is no stage"


def test_rotary_positions_add_nothing():
    assert "positions" not in " ".join(names(plots.trace(library(positions="rotary"), SOURCE, TARGET, WORDS)))


class Renamed(nn.Module):
    """Other names, other containers, and an attention that returns no weights."""

    def __init__(self):
        super().__init__()
        self.english, self.chinese = nn.Embedding(7, 8), nn.Embedding(6, 8)
        self.reader = nn.ModuleList([nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)])
        self.writer = nn.ModuleList([nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)])
        self.answer = nn.Linear(8, 6)

    def forward(self, source, target):
        memory, x = self.english(source), self.chinese(target)
        for layer in self.reader:
            memory = layer(memory, src_mask=torch.zeros(4, 4, dtype=torch.bool))
        for layer in self.writer:
            x = layer(x, memory)
        return self.answer(x)


def test_other_names_are_followed_too():
    trace = plots.trace(Renamed(), SOURCE, TARGET, WORDS)
    assert names(trace, "source")[0] == "english" and names(trace)[-1] == "answer"
    assert "writer.0.norm3" in names(trace, "target")


def test_the_model_stays_as_it_was():
    model = lessons_own().train()
    model.encoder[0].eval()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    plots.trace(model, SOURCE, TARGET, WORDS)
    assert model.training and not model.encoder[0].training and model.decoder[0].training
    assert not any(part._forward_hooks for part in model.modules())
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_no_hook_is_left_where_the_model_fails():
    model = lessons_own()
    with pytest.raises(IndexError):
        plots.trace(model, SOURCE + 9, TARGET, ([str(i) for i in range(99)], WORDS[1]))
    assert not any(part._forward_hooks for part in model.modules())


def test_it_is_a_table_and_the_same_as_text():
    trace = plots.trace(lessons_own(1), SOURCE, TARGET, WORDS, follow=("games", "我"))
    markup, text = trace._repr_html_(), repr(trace)
    assert markup.count("<tr>") == len(trace.stages) + 3
    assert markup.count("scope='col'") == 4 and markup.count("scope='rowgroup'") == 2
    assert (
        "the source, with the vector of games (2)" in text and "the target, with the vector of 我 (1)" in text
    )
    assert "&lt;eos&gt;" in plots.trace(lessons_own(1), SOURCE, TARGET, WORDS, ("<eos>", "我"))._repr_html_()
    for stage in trace.stages:
        assert stage.name in text and stage.what in text


def test_what_cannot_be_followed_is_told():
    with pytest.raises(ValueError, match="'tea' is not one of the words i like games <eos>"):
        plots.trace(lessons_own(), SOURCE, TARGET, WORDS, follow=("tea", "我"))
    with pytest.raises(ValueError, match="batches of 2 and 1"):
        plots.trace(lessons_own(), SOURCE.expand(2, -1), TARGET, WORDS)
