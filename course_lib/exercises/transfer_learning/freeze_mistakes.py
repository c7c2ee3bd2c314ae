"""Wrong answers to freeze: name, advice, code."""

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.transfer_learning.freeze import freeze_reference

mistake = Mistakes()


def count(model) -> int:
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


@mistake
def attribute_of_the_module(model, keep="head"):
    """Nothing is switched off. `requires_grad` is a switch of every *parameter*: on a module
    `model.requires_grad = False`, and on a parameter a misspelled name, only hangs a new attribute on.
    `model.requires_grad_(False)`, with the underscore, sets all of them.
    """
    model.requires_grad = False
    getattr(model, keep).requires_grad = True
    return count(model)


@mistake
def everything(model, keep="head"):
    """The kept part is frozen too: switch it on again at the end."""
    for parameter in model.parameters():
        parameter.requires_grad = False
    return count(model)


@mistake
def the_other_part(model, keep="head"):
    """The other way round: `keep` names the part that goes on learning."""
    model.requires_grad_(True)
    getattr(model, keep).requires_grad_(False)
    return count(model)


@mistake
def names_that_begin_so(model, keep="head"):
    """`startswith(keep)` also finds other parts whose names begin so, as `header`: compare with
    `keep + '.'`.
    """
    for name, parameter in model.named_parameters():
        parameter.requires_grad = name.startswith(keep)
    return count(model)


@mistake
def weights_only(model, keep="head"):
    """You froze the weights only; biases and norms are parameters too."""
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            parameter.requires_grad = name.startswith(keep + ".")
        elif name.startswith(keep + "."):
            parameter.requires_grad = True
    return count(model)


@mistake
def not_recursive(model, keep="head"):
    """`recurse=False` sees only parameters of the model itself, not those of its parts."""
    for parameter in model.parameters(recurse=False):
        parameter.requires_grad = False
    getattr(model, keep).requires_grad_(True)
    return count(model)


@mistake
def evaluation_mode(model, keep="head"):
    """`eval()` switches dropout off. It stops no learning: set `requires_grad` of the parameters."""
    model.eval()
    getattr(model, keep).train()
    return count(model)


@mistake
def counts_tensors(model, keep="head"):
    """You count parameter tensors. Count their numbers: `parameter.numel()`."""
    freeze_reference(model, keep)
    return sum(1 for parameter in model.parameters() if parameter.requires_grad)


@mistake
def counts_all(model, keep="head"):
    """You count all numbers of the model: only those that learn were asked."""
    freeze_reference(model, keep)
    return sum(parameter.numel() for parameter in model.parameters())


@mistake
def counts_frozen(model, keep="head"):
    """You count the frozen numbers; those that still learn were asked."""
    return sum(parameter.numel() for parameter in model.parameters()) - freeze_reference(model, keep)


@mistake
def always_the_head(model, keep="head"):
    """The argument `keep` is never used: it is not always the head."""
    return freeze_reference(model, "head")


@mistake
def only_the_body(model, keep="head"):
    """You freeze `model.body` only. A model may have other parts, and `keep` may name the body: freeze
    everything, then switch `keep` on.
    """
    model.body.requires_grad_(False)
    return count(model)


@mistake
def children_only(model, keep="head"):
    """`children()` leaves out parameters of the model itself: go over `model.parameters()`."""
    for name, part in model.named_children():
        part.requires_grad_(name == keep)
    return count(model)


@mistake
def never_switched_on(model, keep="head"):
    """A part that was frozen before must learn again: set its switch to True, too."""
    kept = set(getattr(model, keep).parameters())
    for parameter in model.parameters():
        if parameter not in kept:
            parameter.requires_grad = False
    return count(model)
