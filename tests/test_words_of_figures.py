"""In Chinese a figure says nothing in English but names, data, and what the field writes so."""

import re
from collections.abc import Iterator

import pytest
import test_diagrams_attention
import test_diagrams_of_models
import torch

from course_lib import language, plots
from course_lib.language import speaking

CHINESE = next(iter(language.languages()))
WORD = re.compile(r"[A-Za-z]{2,}")
OF_THE_FIELD = "Transformer softmax one hot skip gram logits post pre norm sublayer BERT GPT BART"
OF_CODE = "bos eos batch seq heads target source d_model d_k mask True False pad sqrt Linear"
GIVEN = (
    "like winter games me am student my mother can play playing reading replaying basketball pl pla in ing "
    "re attention"
)
STAYS = set(re.findall(r"[a-z]+", f"{OF_THE_FIELD} {OF_CODE} {GIVEN}".lower()))
LEFT_OUT = {"mask's axis", "transfer", "transfer, frozen and changed"}  # what they are given has words
DIAGRAMS = test_diagrams_attention.DRAWINGS | test_diagrams_of_models.SHEETS


def english(text: str) -> Iterator[str]:
    """Words that should have been said in Chinese."""
    yield from (word for word in WORD.findall(text) if word.lower() not in STAYS)


@pytest.mark.parametrize("name", [name for name in DIAGRAMS if name not in LEFT_OUT])
def test_a_diagram_in_chinese(name):
    with speaking(CHINESE):
        sheet = DIAGRAMS[name]()
        alt = sheet.picture()._repr_mimebundle_()["text/plain"]
    assert [word for text in [*(text for text, _ in sheet.texts), alt] for word in english(text)] == []
    assert sheet.faults() == []


def alt_of(ax) -> str:
    return plots.show(ax)._repr_mimebundle_()["text/plain"]


def test_alternative_texts_in_chinese():
    words, weights = ["i", "like", "games"], torch.tensor([[0.4, 0.4, 0.2], [0.2, 0.2, 0.6], [1, 0, 0]])
    with speaking(CHINESE):
        told = [
            alt_of(plots.attention_map(weights, words, words, torch.ones(3, 3).tril().bool())),
            alt_of(plots.dependence_map(torch.eye(3), words, words)),
            alt_of(plots.lines([1, 2], {"training": [2, 1]}, "step", "loss")),
            alt_of(plots.runs({"training": [[3.0, 2.0]]}, "loss")),
            alt_of(plots.choice_bars(words, [0.5, 0.3, 0.2], [0.6, 0.4, 0.0])),
        ]
    assert [word for alt in told for word in english(alt)] == []


def test_english_that_is_left_is_found():
    assert list(english("“like” 看得最多的是 games，and then")) == ["and", "then"]
