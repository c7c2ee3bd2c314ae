"""rms_norm: each token divided by its root mean square (Zhang and Sennrich 2019, eq. 4)."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of
from course_lib.checks.properties import apart
from course_lib.exercises.layer_norm.layer_norm import NORMS
from course_lib.exercises.layer_norm.moments import unmoved

rms_norm = Exercise(
    "rms_norm",
    points=6,
    returns=("output: batch seq d_model",),
    hints=[
        "Which of the two steps of layer_norm is left out? What replaces the variance?",
        "The mean of the squares of a token is `x.pow(2).mean(dim=-1, keepdim=True)`.",
        "Add eps to this mean, take the root, divide x by it, and multiply by `gain`.",
    ],
    examples=[
        "rms_norm(torch.tensor([[[3., 4.]]]), torch.ones(2))",
        "rms_norm(torch.tensor([[[3., 4.]]]), torch.tensor([2., 10.]))",
        "rms_norm(torch.tensor([[[3., 4.]]]), torch.ones(2), eps=4.)",
        "rms_norm(torch.tensor([[[3., 4.]]]), torch.ones(2), eps=0.)",
        "rms_norm(torch.zeros(1, 1, 2), torch.ones(2))",
        "rms_norm(torch.tensor([[[0.003, 0.004]]]), torch.ones(2))",
        "rms_norm(torch.tensor([[[3., 4.], [0., 2.]]]), torch.ones(2))",
        "rms_norm(torch.tensor([[[3., 4.]], [[0., 2.]]]), torch.ones(2))",
        "rms_norm(torch.tensor([3., 4.]), torch.ones(2))",
        "torch.autograd.functional.jacobian(lambda x: rms_norm(x, torch.ones(2)), torch.tensor([3., 4.]))",
    ],
    ready_made=NORMS,  # of x beside -x, layer_norm is rms_norm
)


@rms_norm.reference
def reference(x, gain, eps=1e-5):
    return F.rms_norm(x, gain.shape, gain, eps)


@rms_norm.part("each token is divided by its root mean square", points=2)
def divided(norm, inputs):
    outlier = torch.cat([torch.tensor([1e5]), inputs.normal(9999)])  # becomes 100, the root of 10,000
    return {
        "output: batch seq d_model": norm(1 + 3 * inputs.normal(3, 4, 5), torch.ones(5)),
        "output (one large feature): batch seq d_model": norm(outlier.view(1, 1, -1), torch.ones(10_000)),
        "output (130 features): batch seq d_model": norm(2 + inputs.normal(1, 2, 130), torch.ones(130)),
    }


@rms_norm.part("eps is added to the mean square, under the root", points=1)
def small(norm, inputs):
    x = 1e-3 * inputs.normal(3, 4, 5)
    return {
        "output (small x): batch seq d_model": norm(x, torch.ones(5)),
        "output (eps 0.5): batch seq d_model": norm(inputs.normal(3, 4, 5), torch.ones(5), eps=0.5),
        "output (zeros): batch seq d_model": norm(torch.zeros(1, 2, 5), torch.ones(5)),
    }


# Against the same function with a gain of 1, so that a slip in the division costs no point here.
@rms_norm.part("each feature is multiplied by its gain; any axes may come before the features", points=1)
def gained(norm, inputs):
    x, gain = inputs.normal(2, 3, 4, 5), inputs.normal(5)
    return {
        f"output - gain * normalized: {axes}": norm(part, gain) - gain * norm(part, torch.ones(5))
        for axes, part in (
            ("batch seq d_model", x[0]),
            ("seq d_model", x[0, 0]),
            ("d_model", x[0, 0, 0]),
            ("batch heads seq d_model", x),
        )
    } | {"float64: batch seq d_model": norm(x[0].double(), gain.double()) * 1.0}


@rms_norm.part(
    "each token is normalized alone, and gradients reach x and gain",
    points=1,
    properties=(unmoved("change of the other tokens", "one token"),),
)
def alone(norm, inputs):
    x, gain = inputs.normal(3, 4, 5), inputs.normal(5)
    changed = x.clone()
    changed[2, 3] = 3 * inputs.normal(5)
    change = apart(norm(changed, torch.ones(5)), norm(x, torch.ones(5)))
    change[2, 3] = 0
    leaves = {"x": x.requires_grad_(), "gain": gain.requires_grad_()}
    return {"change of the other tokens: batch seq d_model": change.detach()} | gradients_of(
        norm(x, gain), leaves
    )


# Accepted: other ways to write the same


@rms_norm.accept("the formula")
def formula(x, gain, eps=1e-5):
    return gain * x / torch.sqrt(x.pow(2).mean(dim=-1, keepdim=True) + eps)


@rms_norm.accept("rsqrt, as in Llama")
def llama(x, gain, eps=1e-5):
    return gain * (x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps))


@rms_norm.accept("in float32 inside, as Llama does with mixed precision")
def in_float32(x, gain, eps=1e-5):
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)).to(x.dtype) * gain


@rms_norm.accept("the length of the vector")
def by_length(x, gain, eps=1e-5):
    length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
    return x / (length**2 / x.shape[-1] + eps) ** 0.5 * gain


@rms_norm.accept("einsum")
def by_einsum(x, gain, eps=1e-5):
    square = torch.einsum("...d,...d->...", x, x) / x.shape[-1]
    return torch.einsum("...d,...,d->...d", x, (square + eps) ** -0.5, gain)
