"""What an answer leaves behind in a model that must stay as it was."""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from course_lib.checks.arguments import as_it_is
from course_lib.checks.model_parts import parts_of

FLAGS = ("_forward_hooks_", "_forward_pre_hooks_", "_is_full_backward_hook")  # PyTorch's notes on hooks
MODES = {True: "training mode", False: "evaluation mode"}


def in_use(model: nn.Module) -> nn.Module:
    """The model, as somebody works with it: its parts in either mode, with gradients of a pass before."""
    for place, part in enumerate(model.modules()):
        part.training = place % 2 == 0
    for parameter in model.parameters():
        parameter.grad = torch.ones_like(parameter)
    return model


def in_each_use(make: Callable[[], nn.Module]) -> dict[str, nn.Module]:
    """Models of which none may change, by what is special about each."""
    return {
        "training mode": make().train(),
        "evaluation mode": make().eval(),
        "parts in either mode, with gradients": in_use(make()),
    }


class Untouched:
    """A model as it is when this is made, to be compared with what it is later."""

    def __init__(self, model: nn.Module) -> None:
        self.model, self.before = model, held_by(model)
        named = dict(model.named_parameters())
        self.frozen = {name: not leaf.requires_grad for name, leaf in named.items()}
        self.gradients = {name: (leaf.grad, as_it_is(leaf.grad)) for name, leaf in named.items()}
        self.hooks = hooks_of_gradients(model)
        self.numbers = {name: x.detach().clone() for name, x in numbers_of(model).items()}

    def finding(self) -> str:
        """A sentence on what has changed; empty where nothing has."""
        return self.of_parts() or self.of_numbers() or self.of_learning() or self.of_gradients()

    def of_parts(self, allowed: str = "") -> str:
        """On a part, a parameter, a hook, a mode or an attribute. allowed: an attribute that may change."""
        after = held_by(self.model)
        left, gone = (
            [key for key in found if key[1] != allowed]
            for found in (added(self.before, after), added(after, self.before))
        )
        for path, name in (left or gone)[:1]:
            where = f"`{path}`" if path else "the model"
            if name.endswith("hooks") and left:
                hooks = sum(name.endswith("hooks") for _, name in left)
                if hooks == 1:
                    return f"One of your hooks is still there, on {where}."
                return f"{hooks} of your hooks are still there, the first on {where}."
            if name.endswith("hooks"):
                return f"A hook that was on {where} before your call is gone."
            if name == "training":
                return f"Your call changed the mode: {where} is in {MODES[after[path, name][0]]} now."
            if (path, name) not in self.before:
                return f"Your call added an attribute to {where}."
            what = "a part" if name == "_modules" else "an attribute"
            return f"Your call replaced {what} of {where}."
        return ""

    def of_numbers(self) -> str:
        changed = [
            name for name, x in numbers_of(self.model).items() if not x.equal(self.numbers.get(name, x))
        ]
        return f"Your call changed the numbers of `{changed[0]}`." if changed else ""

    def of_learning(self) -> str:
        """On a parameter that does not learn any more, or only now."""
        for name, parameter in self.model.named_parameters():
            if parameter.requires_grad is self.frozen.get(name):
                return f"Your call changed the `requires_grad` of `{name}`."
        return ""

    def of_gradients(self) -> str:
        for name, parameter in self.model.named_parameters():
            gradient, before = self.gradients.get(name, (None, None))
            if parameter.grad is not gradient or not (gradient is None or gradient.equal(before)):
                return f"Your call changed the `grad` of `{name}`."
        for name, hooks in hooks_of_gradients(self.model).items():
            if hooks != self.hooks.get(name):
                return f"Your call changed the hooks on the gradient of `{name}`."
        return ""


def numbers_of(model: nn.Module) -> dict[str, torch.Tensor]:
    """Of all parameters and buffers, also those that a state_dict leaves out."""
    return dict(model.named_parameters()) | dict(model.named_buffers())


def hooks_of_gradients(model: nn.Module) -> dict[str, list[int]]:
    """By parameter: the ids of what PyTorch calls when its gradient comes."""
    kinds = "_backward_hooks", "_post_accumulate_grad_hooks"
    return {
        name: [id(hook) for kind in kinds for hook in (getattr(leaf, kind, None) or {}).values()]
        for name, leaf in model.named_parameters()
    }


Held = dict[tuple[str, str], list[Any]]


def held_by(model: nn.Module) -> Held:
    """By path and attribute what each part holds: its parameters, its own parts, its hooks, its mode."""
    return {
        (path, name): list(value.values()) if isinstance(value, dict) else [value]
        for path, part in parts_of(model)
        for name, value in vars(part).items()
        if not name.startswith(FLAGS)
    }


def added(before: Held, after: Held) -> list[tuple[str, str]]:
    """Path and attribute of each object that is held in `after` and not in `before`."""
    known = {key: {id(value) for value in values} for key, values in before.items()}
    return [key for key, values in after.items() for value in values if id(value) not in known.get(key, ())]
