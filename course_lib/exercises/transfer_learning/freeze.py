"""freeze: which part of a model still learns."""

import torch
from torch import nn

from course_lib.checks.exercise import Exercise

freeze = Exercise(
    "freeze",
    points=5,
    returns=(),
    hints=[
        "Every parameter has a switch: `parameter.requires_grad`. Set it to False for all of "
        "`model.parameters()`.",
        "Then set it to True for the parameters of `getattr(model, keep)`.",
        "Count with `parameter.numel()`, over the parameters whose switch is True.",
    ],
    examples=["frozen(freeze, 'head')", "frozen(freeze, 'body')", "frozen(freeze, 'head', at_first=False)"],
)


class Model(nn.Module):
    """A body in two layers, a head, a second module whose name begins like the head's, a loose parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.Linear(4, 5), nn.LayerNorm(5)))
        self.head = nn.Linear(5, 2)
        self.header = nn.Linear(2, 7)
        self.scale = nn.Parameter(self.body[0].bias.detach().clone())


def frozen(freeze_all, keep: str, at_first: bool = True) -> dict[str, object]:
    """What learns in a small model after the call; `at_first`: whether it all learned before."""
    model = Model().requires_grad_(at_first)
    count = number(freeze_all(model, keep))
    learns = [name for name, parameter in model.named_parameters() if parameter.requires_grad]
    return {"learning": count, "parameters that learn": learns}


freeze.names = {"frozen": frozen}


def number(count):
    """What was counted; a tensor with one number is as good as the number."""
    return count.item() if isinstance(count, torch.Tensor) and count.numel() == 1 else count


@freeze.reference
def freeze_reference(model, keep="head"):
    model.requires_grad_(False)
    kept = getattr(model, keep).requires_grad_(True)
    return sum(parameter.numel() for parameter in kept.parameters())


def told(model: nn.Module, names: list[str], learns: bool) -> str:
    wrong = [name for name in names if model.get_parameter(name).requires_grad != learns]
    text = f"`{', '.join(wrong[:3])}`" + (f" and {len(wrong) - 3} more" if len(wrong) > 3 else "")
    return f"{'Frozen' if learns else 'Still learning'}: {text}." if wrong else ""


def names_of(model: nn.Module, part: str) -> tuple[list[str], list[str]]:
    names = [name for name, _ in model.named_parameters()]
    inside = [name for name in names if name.startswith(f"{part}.")]
    return inside, [name for name in names if name not in inside]


@freeze.part("everything outside stops learning", points=1)
def stops(freeze_all, inputs):
    model = Model()
    freeze_all(model, "head")
    return {"finding": told(model, names_of(model, "head")[1], False)}


@freeze.part("the part that is kept learns, even if it was frozen before", points=1)
def keeps(freeze_all, inputs):
    findings = {}
    for before in (True, False):
        model = Model().requires_grad_(before)
        freeze_all(model, "body")
        findings[f"learned before: {before}"] = told(model, names_of(model, "body")[0], True)
    return findings


@freeze.part("it counts the numbers that learn", points=1)
def counts(freeze_all, inputs):
    return {"learning": number(freeze_all(Model(), "head"))}


@freeze.part("nothing else is changed", points=1)
def leaves_the_rest(freeze_all, inputs):
    model = Model()
    before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    freeze_all(model, "head")
    after = dict(model.named_parameters())
    changed = [name for name in before if name not in after or not after[name].equal(before[name])]
    told = f"The values of {changed[0]} changed." if changed else ""
    return {"values": told, "mode": "" if model.body.training else "The body is in evaluation mode now."}


# Accepted: other ways to write the same


@freeze.accept("by name")
def by_name(model, keep="head"):
    count = 0
    for name, parameter in model.named_parameters():
        parameter.requires_grad = name.startswith(keep + ".")
        count += parameter.numel() * parameter.requires_grad
    return count


@freeze.accept("two loops")
def two_loops(model, keep="head"):
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    for parameter in getattr(model, keep).parameters():
        parameter.requires_grad_(True)
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


@freeze.accept("by identity")
def by_identity(model, keep="head"):
    kept = {id(parameter) for parameter in model.get_submodule(keep).parameters()}
    for parameter in model.parameters():
        parameter.requires_grad = id(parameter) in kept
    return sum(p.nelement() for p in model.parameters() if id(p) in kept)


@freeze.accept("by first name")
def by_first_name(model, keep="head"):
    learning = 0
    for name, parameter in model.named_parameters():
        learns = name.split(".")[0] == keep
        parameter.requires_grad_(learns)
        learning += parameter.numel() if learns else 0
    return int(learning)


@freeze.accept("counted by a tensor")
def counted_by_a_tensor(model, keep="head"):
    model.requires_grad_(False)
    getattr(model, keep).requires_grad_(True)
    return torch.tensor([p.numel() for p in model.parameters() if p.requires_grad]).sum()
