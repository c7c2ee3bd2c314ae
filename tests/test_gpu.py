"""Lesson 07 trains and translates on a GPU if there is one: what a computer without one can tell of that."""

import re
from functools import partial

import jupytext
import matplotlib.pyplot as plt
import pytest
import torch
from learner import solved
from pretended_gpu import NAME, PretendedGPU
from torch import nn

from course_lib.authoring.build import ROOT
from course_lib.state import FOLDER

LESSON = "07_translator"
STEPS = 2
# Its model is moved to the CPU once it is trained.
OF_THE_COURSES_TRANSLATOR = re.compile(r"\b(translator|library|endless|ablated|diagrams)\b")


def demos():
    """The lesson's demos on a small corpus, as they are where there is a GPU."""
    text = (ROOT / "solutions" / f"{LESSON}.py").read_text(encoding="utf-8")
    text, devices = re.subn("^DEVICE = .*$", f"DEVICE = {NAME!r}", text, flags=re.MULTILINE)
    assert devices == 1
    text = text.replace("load_corpus()", "load_corpus(train=500, validation=50, test=20, compositional=1)")
    text = re.sub("(SENSES = {[^,]*,[^,]*)[^}]*", r"\1", text)  # two senses
    cells = jupytext.reads(text, fmt="py:percent").cells
    sources = [cell.source for cell in cells if cell.metadata.get("title") == "demo"]
    first = next(place for place, source in enumerate(sources) if "corpus = load_corpus" in source)
    return [source for source in sources[first:] if not OF_THE_COURSES_TRANSLATOR.search(source)]


def test_a_translator_on_a_gpu_writes_is_measured_and_looked_into(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER, "")
    monkeypatch.chdir(tmp_path)
    names = solved(LESSON)
    train = names["train"]

    def train_little(model, batches, optimizer, steps, *more, **named):
        losses = train(model, batches, optimizer, STEPS, *more, **named)
        return losses + losses[-1:] * (steps - STEPS)

    names["train"] = train_little
    names["greedy_decode"] = partial(names["greedy_decode"], max_length=2)
    with PretendedGPU():
        for source in demos():
            exec(source, names)
            plt.close("all")
        assert names["model"].output.weight.device.type == NAME


def test_the_pretended_gpu_refuses_what_a_gpu_refuses():
    with PretendedGPU():
        with torch.device(NAME):
            model, x = nn.Linear(3, 3), torch.randn(2, 3)
        y = torch.randn(2, 3)
        for mixed in (lambda: model(y), lambda: x + y, lambda: x.masked_fill(y > 0, 0)):
            with pytest.raises(RuntimeError, match="of the pretended GPU and of the CPU"):
                mixed()
        with pytest.raises(TypeError, match="numpy"):
            x.numpy()
        moved = nn.Linear(3, 3).to(NAME)
        (moved(x) + model(y.to(NAME))[torch.tensor([1, 0])] + torch.tensor(1.0)).sum().backward()
        torch.optim.AdamW(moved.parameters()).step()
        assert {moved.weight.grad.device.type, torch.zeros_like(x).device.type} == {NAME}
        assert (y.device.type, x.cpu().numpy().shape) == ("cpu", (2, 3))
