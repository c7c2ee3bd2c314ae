"""Two optimizers that move together: Muon for the matrices inside layers, AdamW for all the rest."""

from collections.abc import Iterable

import torch
from torch import nn

from course_lib.training.muon import Muon


def inner_matrices(stacks: Iterable[nn.Module], size: int) -> list[nn.Parameter]:
    """The matrices of these stacks of layers that `Muon` can cut into square blocks of this size."""
    parameters = [parameter for stack in stacks for parameter in stack.parameters()]
    return [p for p in parameters if p.dim() == 2 and not any(side % size for side in p.shape)]


def make_optimizers(
    model: nn.Module,
    matrices: list[nn.Parameter],
    size: int,
    learning_rate: float,
    matrix_rate: float,
    weight_decay: float,
) -> list[torch.optim.Optimizer]:
    """AdamW, and Muon if there are `matrices` for it. A group keeps the peak of its rate in `peak`."""
    chosen = {id(parameter) for parameter in matrices}
    others = [parameter for parameter in model.parameters() if id(parameter) not in chosen]
    fused = others[0].device.type in ("cpu", "cuda")
    optimizers: list[torch.optim.Optimizer] = [
        torch.optim.AdamW(others, learning_rate, betas=(0.9, 0.95), weight_decay=weight_decay, fused=fused)
    ]
    if matrices:
        optimizers.append(Muon(matrices, size, matrix_rate, weight_decay=weight_decay))
    for group in (group for optimizer in optimizers for group in optimizer.param_groups):
        group["peak"] = group["lr"]
    return optimizers


def update(optimizers: list[torch.optim.Optimizer], rate: float) -> None:
    """One step of each at this fraction of its peak rate; then the gradients are gone."""
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = group["peak"] * rate
        optimizer.step()
        optimizer.zero_grad()
