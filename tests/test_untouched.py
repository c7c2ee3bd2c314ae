"""What is left in a model that must stay as it was is found."""

import pytest
import torch
from torch import nn

from course_lib.checks.untouched import Untouched


def made():
    model = nn.Sequential(nn.Linear(2, 2))
    model.register_buffer("places", torch.zeros(2), persistent=False)
    return model


LEFT = {
    "hooks on the gradient of `0.weight`": lambda model: model[0].weight.register_hook(torch.zeros_like),
    "hooks on the gradient of `0.bias`": lambda model: model[0].bias.register_post_accumulate_grad_hook(
        print
    ),
    "numbers of `places`": lambda model: model.places.add_(1),
    "`requires_grad` of `0.weight`": lambda model: model[0].weight.requires_grad_(False),
    "One of your hooks is still there, on `0`": lambda model: model[0].register_forward_hook(print),
}


@pytest.mark.parametrize("told", LEFT)
def test_what_is_left_is_told(told):
    model = made()
    before = Untouched(model)
    assert before.finding() == ""
    LEFT[told](model)
    assert told in before.finding()
