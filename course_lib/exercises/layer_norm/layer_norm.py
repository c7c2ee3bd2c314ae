"""layer_norm: each token centered and scaled over its features (Ba, Kiros and Hinton 2016)."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of
from course_lib.checks.inputs import as_transposed
from course_lib.checks.properties import apart
from course_lib.exercises.layer_norm.moments import centered, unit_variance, unmoved

NOT_ADDED = (
    "With a larger eps, your output does not become as much smaller as it must. Divide by the root of "
    "variance + eps."
)


NORMS = (
    *("layer_norm", "native_layer_norm", "group_norm", "instance_norm", "batch_norm", "rms_norm"),
    "local_response_norm",
)


layer_norm = Exercise(
    "layer_norm",
    points=8,
    returns=("output: batch seq d_model",),
    hints=[
        "Which two numbers does each token need? They are its mean and its variance, both over its own "
        "features, the last axis.",
        "`x.mean(dim=-1, keepdim=True)` is the mean. With `keepdim=True` each token meets its own mean.",
        "The variance is the mean of the squared deviations: `x.var(dim=-1, correction=0, keepdim=True)`. "
        "Without `correction=0` PyTorch divides by d_model - 1.",
        "`(x - mean) / torch.sqrt(variance + eps)` is normalized. Multiply it by `weight`, then add `bias`.",
    ],
    examples=[
        "layer_norm(torch.tensor([[[0., 4.]]]), torch.ones(2), torch.zeros(2))",
        "layer_norm(torch.tensor([[[0., 4.]]]), torch.tensor([2., 3.]), torch.tensor([10., 20.]))",
        "layer_norm(torch.tensor([[[0., 0.002]]]), torch.ones(2), torch.zeros(2), eps=1e-6)",
        "layer_norm(100 * torch.eye(17)[:1], torch.ones(17), torch.zeros(17))",
        "layer_norm(torch.tensor([[[1., 2., 6., 7.], [4., 4., 4., 4.]]]), torch.ones(4), torch.zeros(4))",
        "layer_norm(torch.tensor([[[0., 4.]], [[0., 8.]], [[2., 4.]]]), torch.ones(2), torch.zeros(2))",
        "layer_norm(torch.tensor([[[0., 4.]]]), torch.ones(2), torch.zeros(2), eps=5.)",
        "layer_norm(torch.tensor([0., 4.]), torch.ones(2), torch.zeros(2))",
        "layer_norm(torch.arange(8.).view(2, 2, 2).transpose(0, 1), torch.ones(2), torch.zeros(2))",
        "torch.autograd.functional.jacobian(lambda x: layer_norm(x, torch.ones(3), torch.zeros(3)), "
        "torch.tensor([1., 2., 6.]))",
    ],
    ready_made=NORMS,
)


@layer_norm.reference
def reference(x, weight, bias, eps=1e-5):  # no F.layer_norm, which an answer to LayerNorm may not call
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


def plain(d_model):
    """Weight and bias that change nothing."""
    return torch.ones(d_model), torch.zeros(d_model)


@layer_norm.part(
    "each token has mean 0 and variance 1", points=2, properties=(centered("output"), unit_variance("output"))
)
def moments(norm, inputs):
    outlier = torch.cat([torch.tensor([9000.0]), inputs.normal(2499)])  # normalized it is nearly 50
    return {
        "output: batch seq d_model": norm(1 + 3 * inputs.normal(3, 4, 5), *plain(5)),
        "output (one feature far from 2499 others): batch seq d_model": norm(
            outlier.view(1, 1, 2500), *plain(2500)
        ),
        "output (2 features): batch seq d_model": norm(
            inputs.normal(3, 4, 1) + torch.tensor([-2.0, 2.0]), *plain(2)
        ),
    } | {
        f"output (of shape {shape}): batch seq d_model": norm(3 * inputs.normal(*shape), *plain(shape[-1]))
        for shape in ((2, 6, 6), (1, 2, 130))
    }


# Variances far below eps, so that a slip in the variance costs no point here. Rounding errors of a mean
# grow by 1 / sqrt(eps) = 316, hence the wide tolerance.
@layer_norm.part("eps is added to the variance, under the root", points=1, atol=1e-4)
def small_variances(norm, inputs):
    x = 1e-5 * inputs.normal(3, 4, 5)
    # variance + eps is 1 / output², up to a factor that does not depend on eps. A variance of 1.5 lies
    # between them: there the larger of variance and eps does not grow like their sum.
    between = (1.5 / x.var(-1, correction=0, keepdim=True)).sqrt() * x
    one, two, four = (norm(between, *plain(5), eps=eps) ** -2 for eps in (1, 2, 4))
    seen = one.isfinite()  # where the output is not 0
    grows = torch.allclose((four - two)[seen], 2 * (two - one)[seen], rtol=1e-2)
    return {
        "output (variance 1e-10): batch seq d_model": norm(x, *plain(5)),
        "output (eps 1e-3): batch seq d_model": norm(x, *plain(5), eps=1e-3),
        "output (eps 1e-12): batch seq d_model": norm(3e-3 * x, *plain(5), eps=1e-12),
        "output (all features alike): batch seq d_model": norm(torch.full((3, 4, 5), 2.0), *plain(5)),
        "eps": "added" if grows else NOT_ADDED,
    }


# Against the same function without weight and bias, so that a slip in the normalization costs no point here.
@layer_norm.part("each feature is multiplied by its weight, and its bias is added", points=1)
def weight_and_bias(norm, inputs):
    x, weight, bias = inputs.normal(2, 3, 4, 5), inputs.normal(5), inputs.normal(5)
    return {
        f"output - weight * normalized - bias: {axes}": norm(part, weight, bias)
        - (weight * norm(part, *plain(5)) + bias)
        for axes, part in (
            ("batch seq d_model", x[0]),
            ("seq d_model", x[0, 0]),
            ("batch heads seq d_model", x),
        )
    }


@layer_norm.part(
    "each token is normalized alone",
    points=1,
    alone=False,
    properties=(unmoved("change of the other tokens", "one token"),),
)
def alone(norm, inputs):
    x = inputs.normal(3, 4, 5)
    changed = x.clone()
    changed[2, 3] = inputs.normal(5)
    change = apart(norm(changed, *plain(5)), norm(x, *plain(5)))
    moves = bool(change[2, 3].any())
    change[2, 3] = 0
    return {
        "change of the other tokens: batch seq d_model": change,
        "the output at the changed position changes": moves,
    }


@layer_norm.part("works with any number of axes before the features, in float32 and in float64", points=1)
def axes(norm, inputs):
    x, bias = inputs.normal(2, 3, 4, 5), inputs.normal(5).double()
    four, three = norm(x, *plain(5)), norm(x.flatten(0, 1), *plain(5))
    return {
        "change of the output (four axes in place of three): batch heads seq d_model": apart(
            four, three.view_as(x)
        ),
        "output of a transposed x - output of a copy: batch heads seq d_model": apart(
            norm(as_transposed(x), *plain(5)), four
        ),
        "change of the output (one token alone, without other axes): d_model": apart(
            norm(x[1, 2, 3], *plain(5)), four[1, 2, 3]
        ),
        "change of the output (float64 in place of float32): seq d_model": apart(
            norm(x[1, 2].double(), *(p.double() for p in plain(5))), norm(x[1, 2], *plain(5)).double()
        ),
        # with a weight of 0 only the bias is left, however x is normalized
        "output (float64, weight 0): seq d_model": norm(x[1, 2].double(), 0 * bias, bias),
    }


# A sum of slopes is 0 to rounding, 6e-5 at most; a mean or a variance that is cut off gives 1 and more.
@layer_norm.part("gradients reach x, weight and bias, also through mean and variance", points=1, atol=1e-3)
def gradients(norm, inputs):
    leaves = {"x": inputs.normal(3, 4, 5), "weight": inputs.normal(5), "bias": inputs.normal(5)}
    output = norm(*(leaf.requires_grad_() for leaf in leaves.values()))
    slope = None
    if output.requires_grad:
        total = (output * inputs.normal(3, 4, 5)).sum()
        (slope,) = torch.autograd.grad(total, leaves["x"], allow_unused=True, retain_graph=True)
    slope = torch.zeros(3, 4, 5) if slope is None else slope
    # shifting a token changes nothing, so the slopes of its features cancel
    return gradients_of(output, leaves) | {"sum of the slopes over a token: batch seq": slope.sum(-1)}


# Accepted: other ways to write the same


@layer_norm.accept("the formula")
def formula(x, weight, bias, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    variance = ((x - mean) ** 2).mean(dim=-1, keepdim=True)
    return weight * (x - mean) / (variance + eps) ** 0.5 + bias


@layer_norm.accept("var_mean and rsqrt")
def var_mean(x, weight, bias, eps=1e-5):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(bias, weight, (x - mean) * torch.rsqrt(variance + eps))


@layer_norm.accept("the square of the biased standard deviation")
def squared_deviation(x, weight, bias, eps=1e-5):
    deviation = torch.std(x, -1, unbiased=False, keepdim=True)
    return (x - x.mean(-1, True)) / torch.sqrt(deviation.square() + eps) * weight + bias


@layer_norm.accept("mean of the squares minus square of the mean")
def from_squares(x, weight, bias, eps=1e-5):
    mean, square = x.mean(-1).unsqueeze(-1), (x * x).mean(-1).unsqueeze(-1)
    return weight * ((x - mean) / (square - mean * mean + eps).sqrt()) + bias


@layer_norm.accept("a matrix that centers")
def centering_matrix(x, weight, bias, eps=1e-5):
    size = x.shape[-1]
    deviations = x @ (torch.eye(size, dtype=x.dtype) - 1 / size)
    length = torch.einsum("...d,...d->...", deviations, deviations) / size
    return deviations / (length + eps).sqrt()[..., None] * weight + bias


@layer_norm.accept("loops over tokens")
def loops(x, weight, bias, eps=1e-5):
    tokens = []
    for token in x.reshape(-1, x.shape[-1]):
        mean = sum(token) / len(token)
        variance = sum((feature - mean) ** 2 for feature in token) / len(token)
        tokens.append(weight * (token - mean) / torch.sqrt(variance + eps) + bias)
    return torch.stack(tokens).reshape(x.shape)


@layer_norm.accept("in float32 inside, as with mixed precision")
def in_float32(x, weight, bias, eps=1e-5):
    wide = x.float()
    variance, mean = torch.var_mean(wide, dim=-1, correction=0, keepdim=True)
    return ((wide - mean) * torch.rsqrt(variance + eps)).to(x.dtype) * weight + bias
