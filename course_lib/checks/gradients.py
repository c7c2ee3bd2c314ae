"""Whether gradients flow through an answer: in words, so that a wrong number does not cost twice."""

import torch

FLOWS = "flows"


def gradients_of(result: torch.Tensor, arguments: dict[str, torch.Tensor]) -> dict[str, str]:
    """For each named leaf: "flows", or what became of the gradient of the sum of squares of `result`."""
    if not result.requires_grad:
        cut = "cut off: .item(), .detach(), .numpy() and torch.tensor() leave the graph"
        return {f"gradient of {name}": cut for name in arguments}
    found = torch.autograd.grad(result.pow(2).sum(), list(arguments.values()), allow_unused=True)
    return {
        f"gradient of {name}": _in_words(gradient) for name, gradient in zip(arguments, found, strict=True)
    }


def _in_words(gradient: torch.Tensor | None) -> str:
    if gradient is None:
        return "missing: the result does not depend on it"
    if gradient.isnan().any():
        return "NaN"
    return FLOWS if gradient.any() else "0 everywhere"
