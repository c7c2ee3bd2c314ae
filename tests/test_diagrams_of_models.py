"""Drawings of models: nothing collides, and what is drawn is what the objects are."""

import re
from copy import deepcopy

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from torch import nn

from course_lib.exercises.encoder_decoder.Transformer import Reference
from course_lib.exercises.translator import Tree
from course_lib.exercises.translator.beam_search import beam_search
from course_lib.exercises.translator.greedy_decode import greedy_decode
from course_lib.model.config import TransformerConfig
from course_lib.model.positions import sinusoidal_encoding
from course_lib.model.transformer import Transformer
from course_lib.plots import diagrams
from course_lib.plots.diagrams.palette import SMALL
from course_lib.plots.diagrams.plan import plan_of_model, plan_of_sizes

SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"]
NAMES = [*SPECIALS, "i", "am", "a", "student"], [*SPECIALS, "我", "是", "学生"]
IDS = torch.tensor([[4, 5, 6, 7, 2, 0], [4, 5, 6, 7, 6, 2]]), torch.tensor([[1, 4, 5], [1, 4, 6]])
SOURCE, TARGET = ["i", "am", "a", "student", "<eos>", "<pad>"], ["<bos>", "我", "是"]
TABLE = {
    (): {4: 0.6, 5: 0.4},
    (4,): {6: 0.55, 7: 0.45},
    (4, 6): {2: 1},
    (4, 7): {2: 1},
    (5,): {8: 1},
    (5, 8): {2: 1},
}
ANSWER = ["我", "是", "学生", "<eos>"]
PAST = torch.ones(4, 4, dtype=torch.bool).tril()


def own(layers=2):
    torch.manual_seed(0)
    return Reference(8, 7, 16, 4, 32, layers)


def library(**options):
    torch.manual_seed(0)
    return Transformer(TransformerConfig(8, 7, 16, 4, 32, **options))


def whole(model):
    return diagrams.transformer_of(model, *IDS, NAMES)


def stages(frozen=False, changed=False):
    torch.manual_seed(0)
    body = nn.Linear(8, 8)
    after = deepcopy(body).requires_grad_(not frozen)
    if changed:
        nn.init.zeros_(after.bias)
    first = diagrams.TrainingStage(
        "pretraining", "90 sentences", ["a", "<mask>"], body, nn.Linear(8, 9), "tea"
    )
    then = diagrams.TrainingStage(
        "fine-tuning", "3 labels", ["some", "tea"], after, nn.Linear(8, 2), "drinks"
    )
    return diagrams.transfer_stages(first, then)


SHEETS = {
    "the paper's, from sizes": lambda: diagrams.transformer(SOURCE, TARGET, 293),
    "a long sentence, from sizes": lambda: diagrams.transformer(
        SOURCE * 2, TARGET * 4, 37000, 512, 8, 2048, 6
    ),
    "the lesson's own": lambda: whole(own()),
    "the lesson's own, one layer": lambda: whole(own(1)),
    "post-norm, three layers": lambda: whole(library(norm_first=False, encoder_layers=3, decoder_layers=3)),
    "pre-norm, three layers, not tied": lambda: whole(
        library(norm_first=True, encoder_layers=3, decoder_layers=3, tie="none")
    ),
    "rotary, six layers": lambda: whole(library(positions="rotary", encoder_layers=6, decoder_layers=6)),
    "stacks that differ": lambda: whole(library(encoder_layers=1, decoder_layers=2)),
    "assemblies": lambda: diagrams.assemblies(own().encoder[0], own().decoder[0], SOURCE[:3], TARGET),
    "norm orders": diagrams.norm_orders,
    "norm orders, three": lambda: diagrams.norm_orders(["self-attention", "cross-attention", "feed-forward"]),
    "stream": lambda: diagrams.residual_stream(
        ["attention", "feed-forward"] * 2, [1, 2, 3, 4], [5, 5, 6, 7, 8]
    ),
    "clocks": lambda: diagrams.clocks(64),
    "clocks, two": lambda: diagrams.clocks(sinusoidal_encoding(12, 4), distance=-2, starts=(4, 11)),
    "moved clocks": lambda: diagrams.moved_clocks(sinusoidal_encoding(200, 64), 100, -77),
    "two ways": lambda: diagrams.two_ways(ANSWER, PAST),
    "two ways, other words": lambda: diagrams.two_ways(ANSWER, PAST, ["我", "我", "<eos>"]),
    "beam": lambda: diagrams.beam_tree(TABLE),
    "beam, greedy": lambda: diagrams.beam_tree(TABLE, 1),
    "beam, with words": lambda: diagrams.beam_tree(TABLE, 3, {4: "我", 5: "学生"}),
    "transfer": stages,
    "transfer, frozen and changed": lambda: stages(frozen=True, changed=True),
}


@pytest.fixture(scope="module", params=SHEETS)
def sheet(request):
    return SHEETS[request.param]()


def test_nothing_collides_and_everything_can_be_read(sheet):
    assert sheet.faults() == []
    assert sheet.width / 72 * 100 <= 1100 and sheet.height / 72 * 100 <= 1100
    assert min(text.get_fontsize() for text in sheet.axes.texts) >= SMALL
    assert plt.get_fignums() == []


def test_it_describes_itself(sheet):
    assert len(sheet.alt) > 60
    assert sheet.picture()._repr_mimebundle_()["text/html"].startswith('<img alt="')


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_the_memory_reaches_every_decoder_layer(layers):
    links = [end for begin, end in whole(own(layers)).links if begin == "memory"]
    assert links == [f"decoder layer {i}" for i in range(layers)]


def test_more_layers_than_are_drawn_are_counted():
    links = [end for begin, end in whole(own(6)).links if begin == "memory"]
    assert links == ["decoder layer 0", "decoder layer 1", "decoder layers 2 to 5"]


def test_a_decoder_layer_that_reads_something_else_gets_no_arrow():
    class Deaf(Reference):
        def forward(self, source, target):
            self.decoder[1].cross_attention.register_forward_pre_hook(
                lambda part, given: (given[0], 2 * given[1], 2 * given[2], *given[3:])
            )
            return super().forward(source, target)

    torch.manual_seed(0)
    sheet = whole(Deaf(8, 7, 16, 4, 32, 2))
    assert [end for begin, end in sheet.links if begin == "memory"] == ["decoder layer 0"]
    assert "decoder layers [0] only" in sheet.alt


@pytest.mark.parametrize("model", [own, library], ids=["the lesson's", "the course's"])
def test_masks_are_what_the_weights_say(model):
    plan = plan_of_model(model(), *IDS, NAMES)
    real = (IDS[0][0] != 0).numpy()
    reads, (writes, asks, _) = plan.encoder.layers[0][0], plan.decoder.layers[0]
    assert np.array_equal(reads.mask, np.tile(real, (6, 1)))
    assert np.array_equal(asks.mask, np.tile(real, (3, 1)))
    assert np.array_equal(writes.mask, np.tri(3, dtype=bool))


def test_the_sizes_give_the_plan_of_the_model_that_has_them():
    found = plan_of_model(own(), IDS[0][:1], IDS[1][:1], NAMES)
    expected = plan_of_sizes(SOURCE, TARGET, 7, 16, 4, 32, 2)
    assert (found.memory, found.logits, found.norm_first, found.tied) == (
        expected.memory, expected.logits, expected.norm_first, expected.tied,
    )  # fmt: skip
    for ours, theirs in ((found.encoder, expected.encoder), (found.decoder, expected.decoder)):
        assert (list(ours.words), ours.ids, ours.embedding, ours.embedded, ours.ends_with_norm) == (
            list(theirs.words), theirs.ids, theirs.embedding, theirs.embedded, theirs.ends_with_norm,
        )  # fmt: skip
        for layer, other in zip(ours.layers, theirs.layers, strict=True):
            facts = [(part.name, part.details, part.reads_memory) for part in layer]
            assert facts == [(part.name, part.details, part.reads_memory) for part in other]


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_place_of_the_norms_is_seen(norm_first):
    plan = plan_of_model(library(norm_first=norm_first), *IDS, NAMES)
    assert plan.norm_first == norm_first
    assert plan.encoder.ends_with_norm == plan.decoder.ends_with_norm == norm_first


@pytest.mark.parametrize("tie", ["none", "target"])
def test_a_tied_output_is_seen(tie):
    assert plan_of_model(library(tie=tie), *IDS, NAMES).tied == (tie == "target")


def test_an_encoder_alone_is_refused():
    class Alone(nn.Module):
        def __init__(self):
            super().__init__()
            self.model = own()

        def forward(self, source, target):
            x = self.model.source_embedding(source)
            return self.model.encoder[0](x)

    with pytest.raises(ValueError, match="1 layers without and 0 with cross-attention"):
        whole(Alone())


def test_norm_orders_are_those_of_the_layers():
    text = diagrams.norm_orders().alt
    assert (
        "post-norm, norm( x + sublayer(x) ): the residual path from x to y meets 2 sums and 2 norms." in text
    )
    assert (
        "pre-norm, x + sublayer( norm(x) ): the residual path from x to y meets 2 sums and 0 norms." in text
    )


def test_equal_distances_are_equal_turns():
    turns = re.findall(r"turn by (\S+)° and (\S+)°", diagrams.clocks(64).alt)
    assert len(turns) == 5 and all(a == b for a, b in turns)


def test_the_papers_clocks_are_those_of_the_encoding():
    assert diagrams.clocks(64).alt == diagrams.clocks(sinusoidal_encoding(9, 64)).alt
    assert "one turn in 6.28 places" in diagrams.clocks(64).alt
    assert f"one turn in {2 * np.pi * 10000 ** (62 / 64):,.0f} places" in diagrams.clocks(64).alt


def test_positions_that_are_not_there_are_told():
    with pytest.raises(ValueError, match=r"3 places on from \(1, 7\): the encoding has positions 0 to 8"):
        diagrams.clocks(64, starts=(1, 7))
    with pytest.raises(ValueError, match="from 2 to -1: the encoding has positions 0 to 8"):
        diagrams.moved_clocks(sinusoidal_encoding(9, 8), 2, -3)


def test_training_hides_what_the_mask_hides_and_translating_reads_its_own_words():
    alt = diagrams.two_ways(ANSWER, PAST, ["我", "<eos>"]).alt
    assert "one pass reads <bos> 我 是 学生 at all 4 positions" in alt
    assert "<bos> 我 is seen, 是 is the answer" in alt
    assert "2 passes; pass 1 reads <bos> and writes 我; pass 2 reads <bos> 我 and writes <eos>" in alt
    assert "<bos> 我 是 学生 is seen, 我 is the answer" in diagrams.two_ways(
        ANSWER, torch.ones(4, 4)
    ).alt  # fmt: skip
    with pytest.raises(ValueError, match=r"mask: expected \(2, 2\) for 2 words, got \(4, 4\)"):
        diagrams.two_ways(["我", "<eos>"], PAST)


@pytest.mark.parametrize("beam", [1, 2, 3])
def test_the_tree_ends_where_the_searches_end(beam):
    tree, source = Tree(TABLE), torch.tensor([[4]])
    greedy = greedy_decode.reference_implementation(tree, source)[0].tolist()
    best = beam_search.reference_implementation(tree, source, beam)
    first, last = (" ".join("<eos>" if i == 2 else str(i) for i in ids) for ids in (greedy, best))
    alt = diagrams.beam_tree(TABLE, beam).alt
    assert (
        f"In the end greedy decoding ends with {first}: 0.33. In the end beam {beam} ends with {last}" in alt
    )


def test_the_tree_tells_what_is_dropped():
    alt = diagrams.beam_tree(TABLE, 2).alt
    assert "4 7: 0.27, dropped." in alt and "5 8: 0.40, kept." in alt
    assert "5:" not in diagrams.beam_tree(TABLE, 1).alt


def test_what_is_copied_and_what_learns_is_looked_up():
    alt = stages(frozen=True).alt
    assert (
        "the body (72 parameters, 0 of them trained) and the head (18 parameters, 18 of them trained)" in alt
    )
    assert "begins with the weights of the first" in alt
    assert "the weights of the first, which have changed" in stages(changed=True).alt


def test_an_assembly_has_the_sublayers_of_its_layers():
    model = own()
    alt = diagrams.assemblies(model.encoder[0], model.decoder[0], SOURCE[:3], TARGET).alt
    assert "the decoder has self-attention, cross-attention, feed-forward" in alt
    assert "decoder-only (GPT): each layer has self-attention, feed-forward" in alt


def test_a_stream_wants_a_length_more_than_sublayers():
    with pytest.raises(ValueError, match="got 1 and 1"):
        diagrams.residual_stream(["f"], [1.0], [1.0])
