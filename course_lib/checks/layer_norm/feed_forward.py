"""FeedForward: two linear maps and a ReLU, at each position alone (Vaswani et al. 2017, eq. 2)."""

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of, parameters
from course_lib.checks.layer_norm.moments import unmoved

STRAIGHT = "f(x) + f(-x) = 2 f(0) for every x: your two maps together are one linear map."

FeedForward = Exercise(
    "FeedForward",
    points=6,
    returns=("output: batch seq d_model",),
    hints=[
        "In `__init__`, after `super().__init__()`: `self.linear1 = nn.Linear(d_model, d_ff)` widens, "
        "`self.linear2` goes back.",
        "forward is `linear2` of ReLU of `linear1`. `torch.relu` is the ReLU; nn.Linear works on the last "
        "axis of any tensor, so no loop and no reshape is needed.",
    ],
    examples=[
        "FeedForward(1, 2).linear1.weight",
        "FeedForward(1, 2)(torch.tensor([[[1.]]]))",
        "FeedForward(1, 2)(torch.tensor([[[2.], [-3.]]]))",
        "FeedForward(2, 3)(torch.tensor([[[1., -1.], [3., 0.]]]))",
        "FeedForward(2, 3)(torch.tensor([[[-9., 9.], [9., -9.]]]))",
    ],
)


@FeedForward.reference
class Reference(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.linear2(F.relu(self.linear1(x)))


@FeedForward.part("two linear maps with a ReLU between them", points=2)
def maps(build, inputs):
    return {"output: batch seq d_model": build(5, 7)(3 * inputs.normal(2, 3, 5))}


# In words, so that another activation does not cost twice.
@FeedForward.part("it bends: more than one linear map", points=1)
def bends(build, inputs):
    layer, x = build(5, 7), inputs.normal(2, 3, 5)
    bend = layer(x) + layer(-x) - 2 * layer(torch.zeros(2, 3, 5))
    return {"bend": "bends" if (bend.abs() > 1e-3).any() else STRAIGHT}


@FeedForward.part(
    "each position alone",
    points=1,
    properties=(unmoved("change at the other positions", "one position"),),
)
def alone(build, inputs):
    layer, x = build(5, 7), inputs.normal(2, 3, 5)
    changed = x.clone()
    changed[1, 1] = 3 * inputs.normal(5)
    change = layer(changed) - layer(x)
    change[1, 1] = 0
    return {"change at the other positions: batch seq d_model": change}


@FeedForward.part("all four parameters learn", points=1)
def learns(build, inputs):
    layer = build(5, 7)
    return gradients_of(layer(inputs.normal(2, 3, 5)), parameters(layer))


class Linears(nn.Module):
    """What most of the variants below share: right parameters."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)


# Accepted: other ways to write the same


@FeedForward.accept("a module for the activation, inside a Sequential made in forward")
class WithModule(Linears):
    def forward(self, x):
        return nn.Sequential(self.linear1, nn.ReLU(), self.linear2)(x)


@FeedForward.accept("matrix products and clamp")
class ByMatrices(Linears):
    def forward(self, x):
        hidden = (x @ self.linear1.weight.T + self.linear1.bias).clamp(min=0)
        return hidden @ self.linear2.weight.T + self.linear2.bias


@FeedForward.accept("a loop over positions")
class ByLoop(Linears):
    def forward(self, x):
        return torch.stack([self.linear2(self.linear1(word).relu()) for word in x.unbind(1)], dim=1)


@FeedForward.accept("two convolutions of width 1 with these weights")
class ByConvolution(Linears):
    def forward(self, x):
        hidden = F.conv1d(x.mT, self.linear1.weight[..., None], self.linear1.bias)
        hidden = torch.where(hidden > 0, hidden, torch.zeros(()))
        return F.conv1d(hidden, self.linear2.weight[..., None], self.linear2.bias).mT


@FeedForward.accept("all positions as rows of one matrix")
class ByRows(Linears):
    def forward(self, x):
        rows = self.linear1(x.reshape(-1, x.shape[-1]))
        return self.linear2(torch.maximum(rows, torch.zeros_like(rows))).view(x.shape)


# Mistakes


@FeedForward.mistake(
    "Z1", advice="Begin `__init__` with `super().__init__()`: it prepares the module for layers."
)
class WithoutSuper(nn.Module):
    def __init__(self, d_model, d_ff):
        self.linear1 = nn.Linear(d_model, d_ff)


@FeedForward.mistake("F1", advice="Two linear maps in a row are one linear map: put the ReLU between them.")
class NoActivation(Linears):
    def forward(self, x):
        return self.linear2(self.linear1(x))


@FeedForward.mistake(
    "F2", advice="The ReLU sits between the two maps, not after the second: an output may be negative."
)
class ActivationLast(Linears):
    def forward(self, x):
        return torch.relu(self.linear2(self.linear1(x)))


@FeedForward.mistake("F3", advice="The second map has no activation: an output may be negative.")
class ActivationTwice(Linears):
    def forward(self, x):
        return torch.relu(self.linear2(torch.relu(self.linear1(x))))


@FeedForward.mistake("F4", advice="ReLU belongs to the hidden layer, between the two maps, not to the input.")
class ActivationFirst(Linears):
    def forward(self, x):
        return self.linear2(self.linear1(torch.relu(x)))


@FeedForward.mistake("F4", advice="ReLU belongs to the hidden layer only: the input may be negative.")
class ActivationOnInputToo(Linears):
    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(torch.relu(x))))


@FeedForward.mistake(
    "F5", advice="This is GELU, as in BERT and GPT: a good choice, but the paper's formula has ReLU."
)
class Gelu(Linears):
    def forward(self, x):
        return self.linear2(F.gelu(self.linear1(x)))


@FeedForward.mistake(
    "F5",
    advice="This is GELU in its tanh approximation, as in GPT-2: a good choice, but the paper's formula has "
    "ReLU.",
)
class GeluTanh(Linears):
    def forward(self, x):
        return self.linear2(F.gelu(self.linear1(x), approximate="tanh"))


@FeedForward.mistake("F8", advice="The paper's activation is ReLU: max(0, x). A sigmoid bends elsewhere.")
class Sigmoid(Linears):
    def forward(self, x):
        return self.linear2(torch.sigmoid(self.linear1(x)))


@FeedForward.mistake("F8", advice="The paper's activation is ReLU: max(0, x). A tanh bends elsewhere.")
class Tanh(Linears):
    def forward(self, x):
        return self.linear2(torch.tanh(self.linear1(x)))


@FeedForward.mistake(
    "F8", advice="A softmax makes the hidden units share a sum of 1: ReLU looks at each number alone."
)
class Softmax(Linears):
    def forward(self, x):
        return self.linear2(torch.softmax(self.linear1(x), dim=-1))


@FeedForward.mistake(
    "F6",
    advice="You average over the positions: words are mixed by attention. Here each position is alone.",
)
class Mean(Linears):
    def forward(self, x):
        hidden = torch.relu(self.linear1(x))
        return self.linear2(hidden.mean(dim=1, keepdim=True).expand_as(hidden))


@FeedForward.mistake(
    "F6",
    advice="Each position sees the one before it too: words are mixed by attention. Here each position is "
    "alone.",
)
class Neighbor(Linears):
    def forward(self, x):
        before = F.pad(x, (0, 0, 1, 0))[:, :-1]
        return self.linear2(torch.relu(self.linear1(x + before)))


@FeedForward.mistake(
    "F7",
    advice="A convolution of width 1 is the same map, if the axes are transposed for it; but here "
    "`linear1` and `linear2` are nn.Linear, which need no transposing.",
)
class Convolutions(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1, self.linear2 = nn.Conv1d(d_model, d_ff, 1), nn.Conv1d(d_ff, d_model, 1)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


@FeedForward.mistake(
    "F9", advice="The sizes are swapped: nn.Linear takes (from, to), here d_model, then d_ff."
)
class SwappedSizes(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_ff, d_model), nn.Linear(d_model, d_ff)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


@FeedForward.mistake("F10", advice="d_ff is not used: the hidden layer has d_ff units, not d_model.")
class NotWider(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


@FeedForward.mistake("F11", advice="The formula has two biases, b_1 and b_2: leave nn.Linear its bias.")
class NoBias(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff, bias=False)
        self.linear2 = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


@FeedForward.mistake(
    "F12", advice="x itself is added by the wrapper around the sublayer (exercise 4), not in here."
)
class WithResidual(Linears):
    def forward(self, x):
        return x + self.linear2(torch.relu(self.linear1(x)))


@FeedForward.mistake("A19", advice="No dropout here: two calls with the same input must agree.")
class WithDropout(Linears):
    def forward(self, x):
        return self.linear2(F.dropout(torch.relu(self.linear1(x)), 0.5))


@FeedForward.mistake(
    "A20", advice="`relu_` changes its argument in place, and the caller still needs x: use `torch.relu`."
)
class InPlace(Linears):
    def forward(self, x):
        return self.linear2(self.linear1(x.relu_()))
