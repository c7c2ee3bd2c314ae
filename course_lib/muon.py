"""Muon: an optimizer for the matrices inside a network (Jordan et al. 2024)."""

from collections.abc import Iterable

import torch
from torch import Tensor


def orthogonalize(matrices: Tensor, steps: int = 5) -> Tensor:
    """Roughly the nearest orthogonal matrix to each of `(count, size, size)`.

    Newton-Schulz iterations with the published coefficients: singular values end near 1 (0.7 ... 1.2).
    """
    x = matrices / (matrices.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        gram = x @ x.mT
        polynomial = torch.baddbmm(gram, gram, gram, beta=-4.7750, alpha=2.0315)
        x = torch.baddbmm(x, polynomial, x, beta=3.4445)
    return x


class Muon(torch.optim.Optimizer):
    """Momentum whose step is made orthogonal: no direction of a matrix learns much faster than another.

    Parameters are matrices whose sides are multiples of `size`. Each is cut into square blocks (W_Q, W_K and
    W_V are separate blocks of one parameter), and all blocks are made orthogonal in one batched product.
    """

    def __init__(
        self,
        params: Iterable[Tensor],
        size: int,
        lr: float = 0.03,
        momentum: float = 0.9,
        weight_decay: float = 0.0,
    ) -> None:
        defaults = {"size": size, "lr": lr, "momentum": momentum, "weight_decay": weight_decay}
        super().__init__(params, defaults)
        for param in (param for group in self.param_groups for param in group["params"]):
            if param.dim() != 2 or any(side % size for side in param.shape):
                raise ValueError(f"Muon: expected matrices of multiples of {size}, got {tuple(param.shape)}")

    @torch.no_grad()
    def step(self, closure: None = None) -> None:
        for group in self.param_groups:
            params = [param for param in group["params"] if param.grad is not None]
            if params:
                self.step_group(group, params)

    def step_group(self, group: dict, params: list[Tensor]) -> None:
        size, lr, momentum = group["size"], group["lr"], group["momentum"]
        averages = [self.average(param) for param in params]
        grads = [param.grad for param in params]
        for average, grad in zip(averages, grads, strict=True):
            average.lerp_(grad, 1 - momentum)
        ahead = [
            grad.lerp(average, momentum) for grad, average in zip(grads, averages, strict=True)
        ]  # Nesterov
        updates = [square_blocks(matrix, size) for matrix in ahead]
        flat = torch.cat([update.flatten(0, 1) for update in updates])
        parts = orthogonalize(flat).split([update.shape[0] * update.shape[1] for update in updates])
        for param, part, update in zip(params, parts, updates, strict=True):
            param.mul_(1 - lr * group["weight_decay"])
            square_blocks(param, size).sub_(part.view(update.shape), alpha=lr)

    def average(self, param: Tensor) -> Tensor:
        state = self.state[param]
        if "average" not in state:
            state["average"] = torch.zeros_like(param)
        return state["average"]


def square_blocks(matrix: Tensor, size: int) -> Tensor:
    """A view `(rows / size, columns / size, size, size)` of a matrix."""
    return matrix.unflatten(0, (-1, size)).unflatten(2, (-1, size)).transpose(1, 2)
