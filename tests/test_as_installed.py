"""Checks stand on PyTorch as it was installed, whatever a notebook has put in its place."""

import inspect
import random

import pytest
import torch
from graded import points

from course_lib.checks.as_installed import as_installed, refuse_changes
from course_lib.checks.results import RejectedError


def in_place(x, weight, bias, eps=1e-5):
    x -= x.mean(-1, keepdim=True)
    x /= (x.var(-1, keepdim=True, unbiased=False) + eps).sqrt()
    return x * weight + bias


@pytest.mark.parametrize(
    "holder, name",
    [(torch, "equal"), (torch.Tensor, "clone"), (torch.Tensor, "__eq__"), (inspect, "signature")],
)
def test_what_a_notebook_has_changed_is_as_installed_while_an_answer_is_observed(monkeypatch, holder, name):
    own = lambda *args, **kwargs: True  # noqa: E731
    installed = getattr(holder, name)
    monkeypatch.setattr(holder, name, own)
    with as_installed():
        assert getattr(holder, name) is installed
    assert getattr(holder, name) is own  # a notebook keeps what it has made


def test_an_answer_is_not_judged_by_what_it_has_changed(monkeypatch):
    monkeypatch.setattr(torch, "equal", lambda a, b: True)
    assert points("layer_norm", in_place) == 0


@pytest.mark.parametrize("holder, name", [(torch, "equal"), (torch.Tensor, "clone"), (random, "getstate")])
def test_a_change_within_a_call_is_refused(monkeypatch, holder, name):
    with as_installed():
        monkeypatch.setattr(holder, name, lambda *args: args)
        with pytest.raises(RejectedError, match=f"changes `.*{name}`, which is not yours"):
            refuse_changes()
        monkeypatch.undo()
        refuse_changes()


def test_new_names_that_hide_nothing_change_nothing(monkeypatch):
    monkeypatch.setattr(torch.Tensor, "as_words", lambda self: "many", raising=False)
    monkeypatch.setattr(torch, "as_words", print, raising=False)
    with as_installed():
        assert torch.ones(1).as_words() == "many"
        refuse_changes()


def test_what_pytorch_changes_itself_is_no_matter():
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(1))
    refuse_changes()
