"""Whether gradients flow through an answer: in words, so that a wrong number does not cost twice."""

import torch

CUT = "No gradient reaches `{}`: `.detach()`, `.item()`, `.numpy()`, `round` and `argmax` cut it."


def gradients_of(result: torch.Tensor, arguments: dict[str, torch.Tensor]) -> dict[str, str]:
    """For each named leaf what became of the gradient of the sum of squares of `result`."""
    found = [None] * len(arguments)
    if result.requires_grad:
        found = torch.autograd.grad(result.pow(2).sum(), list(arguments.values()), allow_unused=True)
    return {
        f"gradient of {name}": _in_words(name, gradient)
        for name, gradient in zip(arguments, found, strict=True)
    }


def parameters(instance) -> dict[str, torch.Tensor]:
    """The leaves of a module that a probe has built."""
    return instance.filled or dict(instance.named_parameters())


def _in_words(name: str, gradient: torch.Tensor | None) -> str:
    if gradient is None or not gradient.any():
        return CUT.format(name)
    return f"The gradient of `{name}` is NaN." if gradient.isnan().any() else "flows"
