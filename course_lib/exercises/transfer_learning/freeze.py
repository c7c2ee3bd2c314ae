"""freeze: which part of a model still learns."""

import torch
from torch import nn

from course_lib.checks.comparison import written
from course_lib.checks.exercise import Exercise
from course_lib.checks.untouched import Untouched, in_each_use

freeze = Exercise(
    "freeze",
    points=5,
    returns=(),
    hints=[
        "Which attribute of a parameter says whether it learns? Which value does it need inside the kept "
        "part, and which everywhere else? What if the kept part was frozen before?",
        "Every parameter has a switch, `requires_grad`. Set it to False for all parameters of the model, "
        "then to True for those of the part. The name of the part is a string: which Python function finds "
        "an attribute by its name?",
        "The part is `getattr(model, keep)`, and it has `parameters()` like the whole model. A parameter "
        "has `parameter.numel()` numbers. Add these up over the parameters whose switch is True.",
    ],
    examples=[
        "frozen(freeze, 'head')",
        "frozen(freeze, 'body')",
        "frozen(freeze, 'head', at_first=False)",
        "frozen(freeze, 'head', tied=True)",
        "frozen(freeze, 'body', tied=True)",
        "modes(freeze)",
    ],
)


class Model(nn.Module):
    """A body in two layers, a head, a second module whose name begins like the head's, a loose number."""

    def __init__(self, topics: int = 2) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.Linear(4, 5), nn.LayerNorm(5)))
        self.head = nn.Linear(5, topics)
        self.header = nn.Linear(2, 7)
        self.scale = nn.Parameter(self.body[0].bias.detach().sum())


def small() -> nn.ModuleDict:
    """A body and a head; the body's own last layer is called so, too."""
    body = nn.ModuleDict({"first": nn.Linear(3, 4), "head": nn.Linear(4, 4)})
    return nn.ModuleDict({"body": body, "head": nn.Linear(4, 2)})


def with_a_shared_table() -> nn.ModuleDict:
    """The head reads the body's own table: one parameter, of which both are made."""
    model = nn.ModuleDict({"body": nn.Embedding(6, 4), "middle": nn.Linear(4, 4), "head": nn.Linear(4, 6)})
    model["head"].weight = model["body"].weight
    return model


def frozen(freeze, keep, at_first=True, tied=False):
    """What learns in a small model after the call; at_first: whether all of it learned before."""
    model = (with_a_shared_table() if tied else Model()).requires_grad_(at_first)
    count = number(freeze(model, keep))
    return {"learning": count, "parameters that learn": learning(model)}


def modes(freeze):
    """Whether a small model, in training mode before, is still in it."""
    model = Model().train()
    freeze(model, "head")
    return {"training mode": all(module.training for module in model.modules())}


freeze.names = {"frozen": frozen, "modes": modes}


def number(count):
    """What was counted; a tensor with one number is as good as the number."""
    return count.item() if isinstance(count, torch.Tensor) and count.numel() == 1 else count


def learning(model) -> list[str]:
    return [name for name, parameter in model.named_parameters() if parameter.requires_grad]


@freeze.reference
def freeze_reference(model, keep="head"):
    model.requires_grad_(False)
    kept = getattr(model, keep).requires_grad_(True)
    return sum(parameter.numel() for parameter in kept.parameters())


def told(model: nn.Module, names: list[str], keep: str, learns: bool) -> str:
    """A finding: which of these parameters do not what they must after a call with this part to keep."""
    wrong = [name for name in names if model.get_parameter(name).requires_grad != learns]
    text = f"`{', '.join(wrong[:3])}`"
    if len(wrong) > 3:
        text = f"{text} and {len(wrong) - 3} more"
    if not wrong:
        return ""
    if learns:
        return f"With `keep={keep!r}`, these parameters must learn, but they are frozen: {text}."
    return f"With `keep={keep!r}`, these parameters must be frozen, but they still learn: {text}."


def names_of(model: nn.Module, part: str) -> tuple[list[str], list[str]]:
    names = [name for name, _ in model.named_parameters(remove_duplicate=False)]
    inside = [name for name in names if name.startswith(f"{part}.")]
    return inside, [name for name in names if name not in inside]


@freeze.part("everything outside the kept part is frozen", points=1)
def stops(freeze_all, inputs):
    findings = {}
    for training in (True, False):
        model = Model().train(training)
        freeze_all(model, "head")
        findings[f"in training mode: {training}"] = told(model, names_of(model, "head")[1], "head", False)
    other = small()  # its names are others
    freeze_all(other, "head")
    return {**findings, "a smaller model": told(other, names_of(other, "head")[1], "head", False)}


FROZEN = "They were frozen before the call."
TIED = "This weight is shared: `body` and `head` hold the same parameter."


@freeze.part("the kept part learns, even if it was frozen before", points=1)
def keeps(freeze_all, inputs):
    findings = {}
    for before in (True, False):
        for training in (True, False):
            model = Model().requires_grad_(before).train(training)
            freeze_all(model, "body")
            case = f"learned before: {before}, in training mode: {training}"
            found = told(model, names_of(model, "body")[0], "body", True)
            findings[case] = f"{found} {FROZEN}" if found and not before else found
    other = small().requires_grad_(False)
    freeze_all(other, "body")
    findings["a smaller model"] = told(other, names_of(other, "body")[0], "body", True)
    for keep in ("head", "body"):
        model = with_a_shared_table().requires_grad_(False)
        freeze_all(model, keep)
        found = told(model, names_of(model, keep)[0], keep, True)
        findings[f"tied, {keep} is kept"] = f"{found} {TIED}" if found.endswith("weight`.") else found
    return findings


@freeze.part("it counts the numbers that learn", points=1)
def counts(freeze_all, inputs):
    findings, two = {}, small()
    tied = nn.ModuleDict({"body": nn.Linear(3, 4), "head": nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))})
    tied["head"][1].weight = tied["head"][0].weight
    cases = (Model(2), "head"), (Model(3), "header"), (two, "body"), (tied, "head")
    for case, (model, keep) in enumerate(cases):
        count = number(freeze_all(model, keep))
        kept = sum(p.numel() for p in getattr(model, keep).parameters())
        learns = sum(p.numel() for p in model.parameters() if p.requires_grad)
        # Where the wrong ones learn, that is another part's question: they are counted, or what should learn.
        right = not isinstance(count, float) and count in (kept, learns or kept)
        asked = f"expected {kept}, because only `{keep}` must learn."
        if model is tied:
            asked = f"expected {kept}: two layers of `{keep}` share a weight, which counts once."
        missing = " Did you forget `return`?" if count is None else ""
        findings[f"model {case}"] = "" if right else f"It returned {written(count)}, {asked}{missing}"
    return findings


@freeze.part("nothing else is changed", points=1, alone=False)
def leaves_the_rest(freeze_all, inputs):
    findings = {}
    for case, model in in_each_use(Model).items():
        before = Untouched(model)
        freeze_all(model, "head")
        # Who sets an attribute of the module instead of its parameters' has frozen nothing: another part.
        changed = before.of_parts(allowed="requires_grad") or before.of_numbers()
        findings[case] = changed or before.of_gradients()
    return findings


# Accepted: other ways to write the same


@freeze.accept("by every name that a parameter has, in two passes")
def by_name(model, keep="head"):
    for _, parameter in model.named_parameters():
        parameter.requires_grad = False
    learning = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        if name.startswith(keep + "."):
            parameter.requires_grad = True
            learning[parameter] = parameter.numel()
    return sum(learning.values())


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


@freeze.accept("counted by a tensor")
def counted_by_a_tensor(model, keep="head"):
    model.requires_grad_(False)
    getattr(model, keep).requires_grad_(True)
    return torch.tensor([p.numel() for p in model.parameters() if p.requires_grad]).sum()
