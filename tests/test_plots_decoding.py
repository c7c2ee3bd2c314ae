"""Decoding step by step: what was read, where it looked, what could come next."""

import matplotlib.pyplot as plt
import pytest
import torch

from course_lib import plots


@pytest.fixture(autouse=True)
def no_figure_is_left_open():
    yield
    plt.close("all")


VOCABULARY = ["<pad>", "<bos>", "<eos>", "<unk>", "我", "是", "一", "个", "学生"]
SOURCE, TARGET = ["i", "am", "a", "student"], ["我", "是", "一", "个", "学生", "<eos>"]


def decoding(**changes):
    """Each step is sure by 0.6 and looks at its own word by 0.7, the last two at 'student'."""
    looks = [0, 1, 2, 2, 3, 3]
    weights = torch.full((6, 4), 0.1)
    weights[range(6), looks] = 0.7
    probabilities = torch.full((6, 9), 0.05)
    probabilities[range(6), [VOCABULARY.index(word) for word in TARGET]] = 0.6
    fields = {"source": SOURCE, "target": TARGET, "weights": weights, "probabilities": probabilities}
    return plots.Decoding(**fields | {"vocabulary": VOCABULARY} | changes)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_decoding_starts_from_bos_and_grows():
    axes = plots.decoding_steps(decoding())
    assert axes.shape == (6, 3)
    read = [texts(ax)[1].replace("\n", " ") for ax in axes[:, 0]]
    assert read == [" ".join(["<bos>", *TARGET[:step]]) for step in range(6)]
    assert texts(axes[2, 1]) == [".10", ".10", ".70", ".10"]
    assert axes[2, 2].get_yticklabels()[0].get_text() == "一"
    assert [bar.get_width() for bar in axes[2, 2].patches] == pytest.approx([0.6, 0.05, 0.05, 0.05])
    assert [label.get_text() for label in axes[-1, 1].get_xticklabels()] == SOURCE
    assert not any(label.get_text() for ax in axes[:-1, 1] for label in ax.get_xticklabels())


def test_decoding_tells_every_step():
    alt = plots.show(plots.decoding_steps(decoding(), [1, 5])).alt
    assert alt == (
        "Decoding 'i am a student' step by step. "
        "Step 1: after <bos> it looks most at i (0.70) and writes 我 (probability 0.60). "
        "Step 5: after <bos> 我 是 一 个 it looks most at student (0.70) and writes 学生 (probability 0.60)."
    )


def test_the_written_word_is_always_a_candidate():
    probabilities = torch.tensor([[0.0, 0, 0.01, 0, 0.4, 0.3, 0.15, 0.1, 0.04]])
    beam = decoding(target=["<eos>"], weights=torch.ones(1, 4) / 4, probabilities=probabilities)
    assert list(beam.candidates(1)) == ["我", "是", "一", "<eos>"]


def test_a_long_sentence_shows_its_end():
    long = decoding(
        target=["学生"] * 40, weights=torch.ones(40, 4) / 4, probabilities=torch.full((40, 9), 1 / 9)
    )
    lines = texts(plots.decoding_steps(long, [40])[0, 0])[1].split("\n")
    assert lines[0] == "…" and len(lines) == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": torch.ones(6, 5)}, r"weights: expected \(6, 4\), got \(6, 5\)"),
        ({"probabilities": torch.ones(6, 9)}, r"softmax of the logits.* got sums from 9 to 9"),
        ({"target": ["我", "是", "一", "个", "你", "<eos>"]}, "not in the vocabulary: 你"),
    ],
)
def test_decoding_checks_what_it_gets(changes, message):
    with pytest.raises(ValueError, match=message):
        decoding(**changes)


def test_steps_count_from_one():
    for steps in ([0], [7], []):
        with pytest.raises(ValueError, match=r"steps: expected some of 1 \.\.\. 6"):
            plots.decoding_steps(decoding(), steps)
