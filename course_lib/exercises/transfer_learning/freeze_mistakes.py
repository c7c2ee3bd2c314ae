"""Wrong answers to freeze: name, advice, code."""

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.transfer_learning.freeze import freeze_reference

mistake = Mistakes()


def count(model) -> int:
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


@mistake(mentions=r"(model|module|part|layer|child|body|\))\.requires_grad = (?!True)")
def attribute_of_the_module(model, keep="head"):
    """Nothing is switched off. `requires_grad` is a switch of every parameter: on a module, `= False` only
    hangs a new attribute on. `model.requires_grad_(False)`, with the underscore, sets all of them.
    """
    model.requires_grad = False
    getattr(model, keep).requires_grad = True
    return count(model)


@mistake(mentions=r"requires_grad == ")
def compared(model, keep="head"):
    """Nothing is switched off: `==` compares, a single `=` sets."""
    for parameter in model.parameters():
        parameter.requires_grad == False  # noqa: B015, E712
    return count(model)


@mistake
def nothing_switched_off(model, keep="head"):
    """Nothing is switched off: set `requires_grad`, spelled so, of every parameter to False."""
    for parameter in model.parameters():
        parameter.require_grad = False
    return count(model)


@mistake(lacks=r"True|requires_grad_\(\)")
def everything(model, keep="head"):
    """The part that `keep` names is frozen. In the end `requires_grad` of its parameters must be True."""
    for parameter in model.parameters():
        parameter.requires_grad = False
    return count(model)


@mistake
def the_other_part(model, keep="head"):
    """The other way round: `keep` names the part that goes on learning, while all others stop."""
    model.requires_grad_(True)
    getattr(model, keep).requires_grad_(False)
    return count(model)


@mistake
def names_that_begin_so(model, keep="head"):
    """`header` learns, too: its name begins like `head`. Compare with `keep + '.'`, or take `getattr(model,
    keep)`.
    """
    for name, parameter in model.named_parameters():
        parameter.requires_grad = name.startswith(keep)
    return count(model)


@mistake
def weights_only(model, keep="head"):
    """You froze the matrices only; biases and norms are parameters too."""
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            parameter.requires_grad = name.startswith(keep + ".")
        elif name.startswith(keep + "."):
            parameter.requires_grad = True
    return count(model)


@mistake
def named_weight_only(model, keep="head"):
    """You froze what is named `weight`; biases, and parameters of other names, learn on."""
    for name, parameter in model.named_parameters():
        if name.endswith("weight"):
            parameter.requires_grad = False
    getattr(model, keep).requires_grad_(True)
    return count(model)


@mistake
def not_recursive(model, keep="head"):
    """Only the parameters of the model itself are frozen, not those of its parts. (`recurse=False` sees no
    parts.)
    """
    for parameter in model.parameters(recurse=False):
        parameter.requires_grad = False
    getattr(model, keep).requires_grad_(True)
    return count(model)


@mistake(mentions=r"eval\(")
def evaluation_mode(model, keep="head"):
    """`eval()` switches dropout off. It stops no learning: set `requires_grad` of the parameters."""
    model.eval()
    getattr(model, keep).train()
    return count(model)


@mistake(mentions=r"eval\(")
def frozen_and_in_evaluation_mode(model, keep="head"):
    """`eval()` is not asked for: it switches dropout off, and the model is to be trained next."""
    model.eval()
    return freeze_reference(model, keep)


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
def counts_weights_only(model, keep="head"):
    """The numbers of the bias are missing in your count: it learns, too."""
    freeze_reference(model, keep)
    return getattr(model, keep).weight.numel()


@mistake
def no_count(model, keep="head"):
    """The right parameters learn. What is missing is how many numbers that are: return their count."""
    freeze_reference(model, keep)


@mistake(mentions=r"\.body\b")
def only_the_body(model, keep="head"):
    """You freeze `model.body` only. A model may have other parts, and `keep` may name the body: freeze
    everything, then switch `keep` on.
    """
    model.body.requires_grad_(False)
    return count(model)


@mistake
def children_only(model, keep="head"):
    """A parameter of the model itself, in none of its parts, learns on: go over `model.parameters()`."""
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
