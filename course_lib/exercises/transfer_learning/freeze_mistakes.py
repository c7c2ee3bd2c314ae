"""Wrong answers to freeze: name, advice, code."""

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.transfer_learning.freeze import freeze_reference

mistake = Mistakes()


def count(model) -> int:
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


@mistake(mentions=r"(model|module|part|layer|child|body|\))\.requires_grad = (?!True)")
def attribute_of_the_module(model, keep="head"):
    """Nothing is frozen. `requires_grad` belongs to each parameter, and `= False` on a module only adds a new
    attribute. `model.requires_grad_(False)`, with the underscore, sets all parameters.
    """
    model.requires_grad = False
    getattr(model, keep).requires_grad = True
    return count(model)


@mistake(mentions=r"requires_grad == ")
def compared(model, keep="head"):
    """Nothing is frozen. `==` compares; use a single `=` to set the switch."""
    for parameter in model.parameters():
        parameter.requires_grad == False  # noqa: B015, E712
    return count(model)


@mistake
def nothing_switched_off(model, keep="head"):
    """Nothing of the given model is frozen. Set `requires_grad`, with this spelling, to False for each of its
    own parameters, not for those of a copy.
    """
    for parameter in model.parameters():
        parameter.require_grad = False
    return count(model)


@mistake(mentions=(r"named_parameters\(", r"\w (==|!=|in|not in) keep\b"))
def whole_names(model, keep="head"):
    """You compare the whole name of a parameter, such as `head.weight`, with `keep`, and these are never
    equal. `getattr(model, keep)` is the part itself.
    """
    for name, parameter in model.named_parameters():
        parameter.requires_grad = name == keep
    return count(model)


@mistake(lacks=r"True|requires_grad_\(\)")
def everything(model, keep="head"):
    """You froze the part that `keep` names, too. At the end, `requires_grad` of its
    parameters must be True.
    """
    for parameter in model.parameters():
        parameter.requires_grad = False
    return count(model)


PART_ON = (
    r"getattr\(model, keep\)[\s\S]*"
    r"(\.requires_grad_\((True)?\)|\.parameters\(\):\s+\w+\.requires_grad( = |_\()True)"
)
ALL_OFF = r"(\bmodel\.requires_grad_\(|\bin model\.parameters\(\):\s+\w+\.requires_grad( = |_\())False"


@mistake(mentions=rf"{PART_ON}[\s\S]*{ALL_OFF}")
def kept_part_first(model, keep="head"):
    """You switch on the part that `keep` names, and then freeze everything, this part too. Freeze first."""
    getattr(model, keep).requires_grad_(True)
    model.requires_grad_(False)
    return count(model)


@mistake
def the_other_part(model, keep="head"):
    """You froze the part that `keep` names, and the others learn. It must be the other way round."""
    model.requires_grad_(True)
    getattr(model, keep).requires_grad_(False)
    return count(model)


@mistake
def names_that_begin_so(model, keep="head"):
    """`header` learns, too, because its name begins with `head`. Compare with `keep + '.'`, or use
    `getattr(model, keep)`.
    """
    for name, parameter in model.named_parameters():
        parameter.requires_grad = name.startswith(keep)
    return count(model)


@mistake
def weights_only(model, keep="head"):
    """You froze only the matrices. Biases and norms are parameters, too."""
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            parameter.requires_grad = name.startswith(keep + ".")
        elif name.startswith(keep + "."):
            parameter.requires_grad = True
    return count(model)


@mistake
def named_weight_only(model, keep="head"):
    """You froze only what is named `weight`. Biases, and parameters with other names, still learn."""
    for name, parameter in model.named_parameters():
        if name.endswith("weight"):
            parameter.requires_grad = False
    getattr(model, keep).requires_grad_(True)
    return count(model)


@mistake
def not_recursive(model, keep="head"):
    """You froze only the parameters of the model itself, and not those of its parts. (`recurse=False` leaves
    the parts out.)
    """
    for parameter in model.parameters(recurse=False):
        parameter.requires_grad = False
    getattr(model, keep).requires_grad_(True)
    return count(model)


@mistake(mentions=r"eval\(")
def evaluation_mode(model, keep="head"):
    """`eval()` switches dropout off, but it freezes nothing. Set `requires_grad` of the parameters."""
    model.eval()
    getattr(model, keep).train()
    return count(model)


@mistake(mentions=r"eval\(")
def frozen_and_in_evaluation_mode(model, keep="head"):
    """`eval()` is not part of this task. It switches dropout off, but the model is trained next."""
    model.eval()
    return freeze_reference(model, keep)


@mistake
def counts_tensors(model, keep="head"):
    """You count parameter tensors. Count their numbers: `parameter.numel()`."""
    freeze_reference(model, keep)
    return sum(1 for parameter in model.parameters() if parameter.requires_grad)


@mistake
def counts_all(model, keep="head"):
    """You count all numbers of the model. Count only those that learn."""
    freeze_reference(model, keep)
    return sum(parameter.numel() for parameter in model.parameters())


@mistake
def counts_frozen(model, keep="head"):
    """You count the frozen numbers. Count those that still learn."""
    return sum(parameter.numel() for parameter in model.parameters()) - freeze_reference(model, keep)


@mistake
def counts_weights_only(model, keep="head"):
    """Your count leaves out the numbers of the bias. The bias learns, too."""
    freeze_reference(model, keep)
    return getattr(model, keep).weight.numel()


@mistake
def no_count(model, keep="head"):
    """The right parameters learn, but you return nothing. Return how many numbers learn."""
    freeze_reference(model, keep)


@mistake(mentions=r"\.body\b")
def only_the_body(model, keep="head"):
    """You freeze only `model.body`. A model may have other parts, and `keep` may name the body. Freeze
    everything, then switch `keep` on.
    """
    model.body.requires_grad_(False)
    return count(model)


@mistake
def children_only(model, keep="head"):
    """A parameter of the model itself, outside all its parts, still learns. Go over `model.parameters()`."""
    for name, part in model.named_children():
        part.requires_grad_(name == keep)
    return count(model)


@mistake
def never_switched_on(model, keep="head"):
    """The kept part stays frozen if it was frozen before. Set its switch to True, too."""
    kept = set(getattr(model, keep).parameters())
    for parameter in model.parameters():
        if parameter not in kept:
            parameter.requires_grad = False
    return count(model)


@mistake(mentions="named_parameters")
def by_its_first_name(model, keep="head"):
    """A parameter that two parts share has two names, and you look at the first one only. So it is frozen
    where `keep` is the second part. Take the parameters of `getattr(model, keep)`.
    """
    for name, parameter in model.named_parameters():
        parameter.requires_grad = name.startswith(keep + ".")
    return count(model)


@mistake(mentions="named_parameters")
def by_its_last_name(model, keep="head"):
    """A parameter that two parts share has two names, and the last one decides here. So it is frozen where
    `keep` is the first part. Freeze everything first, then switch on the parameters of `getattr(model,
    keep)`.
    """
    for name, parameter in model.named_parameters(remove_duplicate=False):
        parameter.requires_grad = name.startswith(keep + ".")
    return count(model)


@mistake(mentions="startswith")
def names_that_begin_so_and_never_on(model, keep="head"):
    """`header` learns, because its name begins with `head`, and a kept part that was frozen before stays
    frozen. Compare with `keep + '.'`, and set the switch of the kept part to True, too.
    """
    for name, parameter in model.named_parameters():
        if not name.startswith(keep):
            parameter.requires_grad = False
    return count(model)
