"""Whether gradients flow through an answer: in words, so that a wrong number does not cost twice."""

import functools
import math
import re
from typing import Any

import torch

from course_lib.checks.exercise import Probe, Values

CALLED = "called"  # attribute of a parameter: its name in the answer, where that is not the reference's
CUT = (
    "No gradient reaches `{0}`. Nothing that you return depends on it, or a step on the way stops the "
    "gradient."
)
CUT_FROM = (
    "No gradient reaches `{0}` from `{1}`. Either `{1}` does not depend on it, or a step on the way stops "
    "the gradient."
)
NO_PARAMETER = "`{0}` is no parameter of its own: it is missing, or it is another one under a second name."
NO_GRADIENT = CUT.partition(" `")[0]
EVALUATION = "{label} (in evaluation mode)"
MODES = "In evaluation mode (after `.eval()`) your gradients are not those of training mode."
WRONG = (
    "The {name} is wrong, though your result is right there. A step on the way may stop a part of the "
    "gradient, or change it."
)
CUTTERS = (
    r"\.detach\(\)",
    r"\.item\(\)",
    r"\.numpy\(\)",
    r"\.tolist\(\)",
    r"\.data\b",
    r"no_grad",
    r"\bround\b",
)
CUTTERS += (
    r"argmax",
    r"(?<!\.)\bfloat\((?!['\"])",
    r"\bint\(",
    r"torch\.tensor\(",
    r"\bnp\.",
    r"(?<!\.)\bsign\b",
)


DIRECTIONS = 8  # in which slopes are compared: in one alone half a slope may be next to none
FLOWS = "flows"
NEAR = 1e-3  # how far a result may be from the reference's, as a share of it, to have its slopes compared
Flow = dict[str, Any]  # told: FLOWS, or what is wrong. slopes, result: see `same_flow`


def gradients_of(
    result: torch.Tensor, arguments: dict[str, torch.Tensor], of: str = "", case: str = ""
) -> dict[str, Flow]:
    """For each named leaf what became of the gradient of the sum of squares of `result`.

    of: the name of the result, where an answer returns more than this one.
    case: in words, which way the gradient goes, where a probe asks for two of one leaf.
    """
    found, numbers = [None] * len(arguments), _in_directions(result.detach())
    if result.requires_grad:
        leaves, total_squares = list(arguments.values()), result.pow(2).sum()
        # The graph stays: a probe may ask for the gradients of two results of one call.
        found = torch.autograd.grad(total_squares, leaves, allow_unused=True, retain_graph=True)
    return {
        label_of(name, case): _flow(getattr(leaf, CALLED, name), gradient, numbers, of)
        for (name, leaf), gradient in zip(arguments.items(), found, strict=True)
    }


def label_of(name: str, case: str = "") -> str:
    return f"gradient of {name} ({case})" if case else f"gradient of {name}"


def in_both_modes(probe: Probe) -> Probe:
    """Decorator for a probe of modules that asks for gradients: it is run in evaluation mode too.

    Of that run only the gradients are kept, and what is told in words.
    """

    @functools.wraps(probe)
    def both(build: Any, inputs: Any) -> Values:
        found = probe(build, inputs)
        with build.evaluating():
            others = probe(build, inputs)
        told = {label: of_evaluation(value) for label, value in others.items() if is_told(value)}
        return {**found, **{EVALUATION.format(label=label): value for label, value in told.items()}}

    return both


def is_told(value: Any) -> bool:
    return isinstance(value, str) or is_flow(value)


def of_evaluation(value: Any) -> Any:
    """A flow, or a finding in words, that says in which mode it is wrong."""
    if is_flow(value):
        return value | {"told": of_evaluation(value["told"])}
    return f"{MODES} {value}" if value not in ("", FLOWS) else value


def cutters(code: str) -> str:
    """A word on the steps in the code of an answer that a gradient does not pass."""
    found = [match.group().strip("(") for step in CUTTERS if (match := re.search(step, code))]
    listed = ", ".join(f"`{step}`" for step in found)
    return f" Your code has {listed}. Gradients stop there, so check what passes through it." if found else ""


def parameters(instance) -> dict[str, torch.Tensor]:
    """The leaves of a module that a probe has built: each once, under the first of its names."""
    first = {id(leaf): name for name, leaf in reversed(instance.filled.items())}
    own = {name: leaf for name, leaf in instance.filled.items() if first[id(leaf)] == name}
    return own or dict(instance.named_parameters())


def told_of_second_names(instance, *layers: str) -> str:
    """NO_PARAMETER of the first parameter of these layers that holds what was meant for another; else ""."""
    last = {id(instance.filled[name]): name for name in sorted(instance.filled)}  # as it was filled
    for name, leaf in instance.filled.items():
        if name.partition(".")[0] in layers and last[id(leaf)] != name:
            return NO_PARAMETER.format(name)
    return ""


def same_flow(got: Any, expected: Flow) -> bool:
    """Whether a gradient flows as it should.

    Its slopes in some directions are compared too, so that half a gradient is not taken for a whole one; but
    only where the results agree, in as many directions: a wrong result costs its own part, not this one too.
    All results that a part takes for right are as near as that; a wrong one hardly ever is by chance.
    """
    if not isinstance(got, dict) or got.keys() != expected.keys():
        return False
    if got["told"] != expected["told"]:  # next to none is as good as none
        return got["told"] == FLOWS and _near(got["slopes"], expected["slopes"], 0, 1e-6)
    if not _near(got["result"], expected["result"], NEAR, 1e-6):
        return True
    if not all(map(math.isfinite, expected["slopes"])):
        return str(got["slopes"]) == str(expected["slopes"])
    return _near(got["slopes"], expected["slopes"], 1e-2, 1e-5)


def _near(got: list[float], expected: list[float], share: float, least: float) -> bool:
    return math.dist(got, expected) <= share * math.hypot(*expected) + least


def excused(flows: dict[str, Flow], others: dict[str, Flow]) -> dict[str, Flow]:
    """These flows; but one that does not flow among the others either is taken for right: they tell it."""
    right = {"told": FLOWS, "result": [math.nan] * DIRECTIONS}  # near no result, so no slope is compared
    return {name: flow if others[name]["told"] == FLOWS else flow | right for name, flow in flows.items()}


def told(name: str, got: Flow, expected: Flow) -> str:
    """A sentence on a gradient that does not flow as it should."""
    if got["told"] not in (expected["told"], FLOWS):
        return got["told"]
    return WRONG.format(name=name)


def _flow(name: str, gradient: torch.Tensor | None, result: list[float], of: str) -> Flow:
    # That of nn.Embedding(sparse=True) is not dense.
    slopes = [0.0] * DIRECTIONS if gradient is None else _in_directions(gradient.to_dense())
    return {"told": _in_words(name, gradient, of), "slopes": slopes, "result": result}


def _in_directions(tensor: torch.Tensor) -> list[float]:
    """How far it reaches in some directions: equal for equal numbers, whatever the shape is."""
    numbers = tensor.double().flatten()
    places = torch.arange(1, len(numbers) + 1, dtype=torch.float64)
    directions = torch.outer(torch.arange(1, DIRECTIONS + 1).sqrt().double(), places).sin()
    return (directions @ numbers).tolist()


def is_flow(value: Any) -> bool:
    return isinstance(value, dict) and "slopes" in value


def _in_words(name: str, gradient: torch.Tensor | None, of: str) -> str:
    if gradient is None or not gradient.any():
        return CUT_FROM.format(name, of) if of else CUT.format(name)
    return f"The gradient of `{name}` is NaN." if gradient.isnan().any() else FLOWS
