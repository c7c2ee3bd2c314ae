"""The drawings of lessons 00 to 03: nothing collides, and their numbers are PyTorch's."""

import collections
import itertools
import re

import pytest
import torch
import torch.nn.functional as F

from course_lib.plots import diagrams

WORDS = ["i", "like", "winter", "<pad>"]
COUNTS = {"play": 583, "playing": 153, "reading": 49}


def by_numbers():
    mask = torch.tensor([True, True, True, False])
    return diagrams.attention_by_numbers(Q[0], K, V, mask, WORDS, "i")


def batch():
    return diagrams.padded_batch([["a", "b", "c"], ["d"]], torch.tensor([[4, 5, 6], [7, 0, 0]]))


def real_words():
    return diagrams.real_words(
        [["a", "b"], [], ["c"]], torch.tensor([[1, 1, 0], [0, 0, 0], [0, 0, 1]]).bool()
    )


def pieces(merges=7):
    return diagrams.byte_pairs(COUNTS, merges, new=["replaying"])


def cut_axes(d_model=6, heads=3):
    x = (10 * torch.arange(4)[:, None] + torch.arange(d_model))[None]
    return diagrams.head_axes(x, heads, WORDS)


def mask_axes(heads=3):
    scores = [("batch", 2), ("heads", heads), ("target", 5), ("source", 4)]
    mask = [("batch", 2), ("target", 1), ("source", 4)]
    return diagrams.aligned_axes(scores, {"as it is": mask, "with room": [mask[0], ("heads", 1), *mask[1:]]})


def two_masks():
    real = torch.tensor([[True, True, True, False]])
    return diagrams.masks_product(real, torch.ones(4, 4, dtype=torch.bool).tril(), WORDS)


generator = torch.Generator().manual_seed(0)
Q, K = torch.randn(2, 3, generator=generator), torch.randn(4, 3, generator=generator)
V = torch.randn(4, 2, generator=generator)
DRAWINGS = {
    "batch": batch,
    "pieces": pieces,
    "real words": real_words,
    "one-hot": lambda: diagrams.one_hot_pick(torch.tensor([0.0, 0, 1, 0]), K, WORDS),
    "window": lambda: diagrams.sliding_window(["my", "mother", "can", "play", "basketball"], 1),
    "pull": lambda: diagrams.pull_and_push(V[0], V[1], V[2:], WORDS),
    "grid": lambda: diagrams.product_grid(Q, K, ["我", "喜欢"], WORDS, (1, 2)),
    "numbers": by_numbers,
    "masks": two_masks,
    "axes": cut_axes,
    "axes, many heads": lambda: cut_axes(8, 8),
    "mask's axis": mask_axes,
    "heads": lambda: diagrams.multi_head(torch.softmax(torch.randn(3, 4, 4), dim=-1), 12, WORDS, 1),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_nothing_collides_and_everything_can_be_read(name):
    sheet = DRAWINGS[name]()
    assert sheet.faults() == []
    assert sheet.width / 72 * 100 <= 1100 and sheet.height / 72 * 100 <= 1000
    assert min(text.get_fontsize() for text in sheet.axes.texts) >= diagrams.SMALL
    assert len(sheet.alt) > 60


def test_a_drawn_attention_is_pytorchs():
    mask = torch.tensor([True, True, True, False])
    output = F.scaled_dot_product_attention(Q[:1], K, V, attn_mask=mask[None])[0]
    assert f"give {', '.join(map(diagrams.number, output.tolist()))};" in by_numbers().alt


def test_a_drawn_batch_counts_words_and_padding():
    assert "4 ids are words and 2 are padding" in batch().alt
    with pytest.raises(ValueError, match="does not hold"):
        diagrams.padded_batch([["a", "b"]], torch.tensor([[4], [5]]))


def test_the_drawn_pieces_are_those_of_the_papers_code():
    """Algorithm 1 of Sennrich et al. 2016, with spaces between the pieces."""
    words, merged = {" ".join(word): count for word, count in COUNTS.items()}, []
    new = "r e p l a y i n g"
    for _ in range(7):
        pairs = collections.defaultdict(int)
        for word, count in words.items():
            for pair in itertools.pairwise(word.split()):
                pairs[pair] += count
        best = max(pairs, key=pairs.get)
        merged.append(f"{best[0]} + {best[1]} ({pairs[best]:,})")
        bigram = re.compile(r"(?<!\S)" + re.escape(" ".join(best)) + r"(?!\S)")
        words = {bigram.sub("".join(best), word): count for word, count in words.items()}
        new = bigram.sub("".join(best), new)
    cut = f"In the end the pieces are {', '.join((*words, new))}. Never counted: replaying."
    assert f"counted: {', '.join(merged)}. {cut}" in pieces().alt


def test_real_words_stand_where_the_mask_is_true():
    alt, cells = real_words().alt, [text.get_text() for text in real_words().axes.texts]
    assert "mask (3, 3), True at words. a b: 2 of 3 places are words. : 0 of 3 places are words. c: 1" in alt
    assert cells.count("pad") == cells.count("False") == 6
    with pytest.raises(ValueError, match=r"mask: \[2, 0, 1\] are True for \[2, 1, 1\] words"):
        diagrams.real_words([["a", "b"], ["d"], ["c"]], torch.tensor([[1, 1, 0], [0, 0, 0], [0, 0, 1]]))


def test_pieces_that_are_whole_words_cannot_be_joined():
    with pytest.raises(ValueError, match="9 merges: after 1 every word is one piece"):
        diagrams.byte_pairs({"to": 3}, 9)


def test_a_mask_without_an_axis_for_heads_is_a_fault_with_or_without_an_error():
    assert "as it is (2, 1, 4): batch meets heads: an error." in mask_axes().alt
    assert "as it is (2, 1, 4): batch meets heads." in mask_axes(heads=2).alt
    assert "with room (2, 1, 1, 4): each axis meets its own" in mask_axes().alt


def test_the_drawn_masks_are_both_masks():
    assert "9 of 16 pairs" in two_masks().alt
    assert "winter looks at i, like, winter; <pad> looks at i, like, winter." in two_masks().alt


def test_heads_hold_pieces_of_every_word():
    assert "Of i they hold 0 1, 2 3, 4 5." in cut_axes().alt
    shown = [text for text, _ in cut_axes().texts]
    second = shown[shown.index("head 1") + 1 :][:8]
    assert second == ["2", "3", "12", "13", "22", "23", "32", "33"]


def test_pull_and_push_are_a_step_down_the_loss():
    centers = V[:1].repeat(len(V) - 1, 1).requires_grad_()  # one for each word, to tell their moves apart
    scores = (V[1:] * centers).sum(dim=-1)
    (-F.logsigmoid(scores[0]) - F.logsigmoid(-scores[1:]).sum()).backward()
    assert centers.grad is not None
    drawn = re.findall(r"(nearer|away) by \(([^)]*)\)", DRAWINGS["pull"]().alt)
    assert [way for way, _ in drawn] == ["nearer"] + ["away"] * (len(V) - 2)
    assert [move for _, move in drawn] == [
        ", ".join(f"{x:.2f}" for x in -row).replace("-", "−") for row in centers.grad
    ]
