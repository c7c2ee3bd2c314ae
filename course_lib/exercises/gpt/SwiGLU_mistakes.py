"""Wrong answers to SwiGLU: name, advice, code."""

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.gpt.SwiGLU import Layer

mistake = Mistakes()


@mistake(lacks=r"super\(")
class WithoutSuper(nn.Module):
    """Begin `__init__` with `super().__init__()`. It prepares the module for layers."""

    def __init__(self, d_model, d_ff):
        self.gate = nn.Linear(d_model, d_ff, bias=False)


@mistake
class Swapped(Layer):
    """You apply the silu to `up`. The formula applies it to `gate`, and saved weights of other models rely
    on these names.
    """

    def forward(self, x):
        return self.down(self.gate(x) * F.silu(self.up(x)))


@mistake
class Sigmoid(Layer):
    """You use the sigmoid for the gate, as the first gated linear unit (GLU) did. SwiGLU uses
    silu(x) = x sigmoid(x).
    """

    def forward(self, x):
        return self.down(torch.sigmoid(self.gate(x)) * self.up(x))


@mistake
class Both(Layer):
    """You apply the silu to both factors. Only the gate has an activation."""

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * F.silu(self.up(x)))


@mistake("F1")
class Bilinear(Layer):
    """Your gate has no activation. Apply the silu to `self.gate(x)`."""

    def forward(self, x):
        return self.down(self.gate(x) * self.up(x))


@mistake
class OnTheProduct(Layer):
    """You apply the silu to the product. Apply it to the gate, then multiply by `up`."""

    def forward(self, x):
        return self.down(F.silu(self.gate(x) * self.up(x)))


@mistake
class Gelu(Layer):
    """You use GELU, which makes a GEGLU. It works as well, but SwiGLU uses the silu."""

    def forward(self, x):
        return self.down(F.gelu(self.gate(x)) * self.up(x))


@mistake
class Relu(Layer):
    """You use ReLU, which makes a ReGLU. SwiGLU uses silu(x) = x sigmoid(x)."""

    def forward(self, x):
        return self.down(F.relu(self.gate(x)) * self.up(x))


@mistake
class Added(Layer):
    """You add the two hidden vectors. The gate multiplies `up`, number by number."""

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) + self.up(x))


@mistake(mentions=r" @ |matmul|bmm")
class MatrixProduct(Layer):
    """`@` is a product of matrices. The gate multiplies `up` number by number, with `*`."""

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) @ self.up(x))


@mistake
class WithoutUp(Layer):
    """You use only the gate, so this is a usual feed-forward layer with a silu. Multiply by `self.up(x)`."""

    def forward(self, x):
        return self.down(F.silu(self.gate(x)))


@mistake
class ActivationLast(Layer):
    """You apply the silu again after the last map. Only the gate has an activation."""

    def forward(self, x):
        return F.silu(self.down(F.silu(self.gate(x)) * self.up(x)))


@mistake
class Residual(Layer):
    """You add x. The residual connection is around this layer, in the block, not inside the layer."""

    def forward(self, x):
        return x + self.down(F.silu(self.gate(x)) * self.up(x))


@mistake
class WithSoftmax(Layer):
    """You use a softmax over the hidden numbers as the gate. Apply the silu to each number alone."""

    def forward(self, x):
        return self.down(torch.softmax(self.gate(x), dim=-1) * self.up(x))


@mistake(mentions="nn.Linear", lacks="bias=False")
class WithBias(nn.Module):
    """Your layers have biases. The formula has none: write `bias=False` in all three."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.gate, self.up = nn.Linear(d_model, d_ff), nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))
