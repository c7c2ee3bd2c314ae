"""Wrong answers to layer_norm: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("L1")
def unbiased(x, weight, bias, eps=1e-5):
    """Your variance is divided by d_model - 1. Layer norm divides it by d_model: `correction=0`."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias


@mistake("L2")
def eps_outside(x, weight, bias, eps=1e-5):
    """You add eps to the standard deviation. Add it to the variance, under the root: sqrt(variance + eps)."""
    mean, deviation = x.mean(-1, keepdim=True), x.std(-1, correction=0, keepdim=True)
    return weight * (x - mean) / (deviation + eps) + bias


@mistake("L1", "L2")
def annotated(x, weight, bias, eps=1e-5):
    """Two things differ. Your deviation is divided by d_model - 1 instead of d_model, and eps is added
    outside the root. Use `x.var(..., correction=0)` and sqrt(variance + eps).
    """
    return weight * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) + bias


@mistake("L4")
def root_of_deviation(x, weight, bias, eps=1e-5):
    """You took the root of the standard deviation, which is a root already. Take the root of the variance."""
    mean, deviation = x.mean(-1, keepdim=True), x.std(-1, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(deviation + eps) + bias


@mistake("L5")
def by_variance(x, weight, bias, eps=1e-5):
    """You divided by the variance. Divide by its root, the standard deviation."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * (x - mean) / (variance + eps) + bias


@mistake("L5")
def by_squared_variance(x, weight, bias, eps=1e-5):
    """You divided by the square of the variance. Divide by its root, `** 0.5`."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * (x - mean) / (variance + eps) ** 2 + bias


@mistake(mentions=r"clamp|clip|hardtanh")
def clipped(x, weight, bias, eps=1e-5):
    """You cut off large numbers. With many features a normalized number can be large, and it must stay so."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * ((x - mean) / torch.sqrt(variance + eps)).clamp(-3, 3) + bias


@mistake
def absolute_deviation(x, weight, bias, eps=1e-5):
    """You divided by the mean absolute deviation. Divide by the root of the variance, which is the mean of
    the squared deviations.
    """
    deviations = x - x.mean(-1, keepdim=True)
    return weight * deviations / (deviations.abs().mean(-1, keepdim=True) + eps) + bias


@mistake("L6")
def no_eps(x, weight, bias, eps=1e-5):
    """A token whose features are all equal has variance 0, and 0/0 is NaN. Add eps to the variance."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance) + bias


@mistake(mentions=r"clamp|clip|max|where")
def least_variance(x, weight, bias, eps=1e-5):
    """You use eps as a lower bound of the variance. It is added to every variance, large or small:
    sqrt(variance + eps).
    """
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance.clamp(min=eps)) + bias


@mistake
def fixed_eps(x, weight, bias, eps=1e-5):
    """Your eps is always 1e-5. Add the argument `eps` instead."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + 1e-5) + bias


@mistake("L7")
def not_centered(x, weight, bias, eps=1e-5):
    """You divide the features themselves. Subtract the mean first, then divide."""
    return weight * x / torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps) + bias


@mistake("L7")
def rms_norm(x, weight, bias, eps=1e-5):
    """You divide by the root mean square. That is RMSNorm, which later models use. Layer norm subtracts the
    mean first.
    """
    return weight * x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) + bias


@mistake
def mean_divided(x, weight, bias, eps=1e-5):
    """You divide only the mean: `x - mean / deviation`. Put the difference in brackets: `(x - mean)`."""
    deviation = torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps)
    return weight * (x - x.mean(-1, keepdim=True) / deviation) + bias


@mistake
def squares_of_x(x, weight, bias, eps=1e-5):
    """You take the mean of the squares of x. The variance is the mean of the squared deviations, (x
    - mean)².
    """
    return weight * (x - x.mean(-1, keepdim=True)) / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) + bias


@mistake
def sum_of_squares(x, weight, bias, eps=1e-5):
    """You sum the squared deviations. The variance is their mean: divide the sum by d_model."""
    deviations = x - x.mean(-1, keepdim=True)
    return weight * deviations / torch.sqrt(deviations.square().sum(-1, keepdim=True) + eps) + bias


@mistake
def by_length(x, weight, bias, eps=1e-5):
    """You divide by the length of the deviations, the root of the sum of their squares, and without eps. The
    variance is the mean of the squares: divide by sqrt(variance + eps).
    """
    deviations = x - x.mean(-1, keepdim=True)
    return weight * deviations / deviations.norm(dim=-1, keepdim=True) + bias


@mistake
def multiplied(x, weight, bias, eps=1e-5):
    """You multiplied by the standard deviation. Divide by it."""
    deviation = torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps)
    return weight * (x - x.mean(-1, keepdim=True)) * deviation + bias


@mistake
def only_centered(x, weight, bias, eps=1e-5):
    """You subtract the mean but do not divide. Divide by the standard deviation, sqrt(variance + eps)."""
    return weight * (x - x.mean(-1, keepdim=True)) + bias


@mistake("L8")
def over_tokens(x, weight, bias, eps=1e-5):
    """You average over the tokens of a sentence, so each word depends on the others. Average over the
    features of each token: dim=-1.
    """
    mean, variance = x.mean(-2, keepdim=True), x.var(-2, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias


@mistake("L8")
def over_axis_1(x, weight, bias, eps=1e-5):
    """You average over axis 1, which holds the tokens, so each word depends on the others. Count from the
    end: the features are dim=-1.
    """
    mean, variance = x.mean(1, keepdim=True), x.var(1, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias


@mistake("L9")
def over_batch(x, weight, bias, eps=1e-5):
    """You average over the batch, as batch norm does, so a sentence depends on the other sentences. Average
    over the features of each token: dim=-1.
    """
    mean, variance = x.mean(0, keepdim=True), x.var(0, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias


@mistake("L9")
def batch_norm(x, weight, bias, eps=1e-5):
    """You compute one mean for each feature, over all tokens of the batch. That is batch norm. Layer norm has
    one mean for each token, over its features: dim=-1.
    """
    rows = x.reshape(-1, x.shape[-1])
    mean, variance = rows.mean(0), rows.var(0, correction=0)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias


@mistake("L10")
def over_sentence(x, weight, bias, eps=1e-5):
    """You compute one mean for a whole sentence, so earlier words depend on later ones. Average over the
    features of each token: dim=-1.
    """
    mean, variance = x.mean((-2, -1), keepdim=True), x.var((-2, -1), correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias


@mistake
def over_everything(x, weight, bias, eps=1e-5):
    """You compute one mean for the whole batch, as `mean` does without `dim`. Each token has its own mean:
    dim=-1.
    """
    return weight * (x - x.mean()) / torch.sqrt(x.var(correction=0) + eps) + bias


@mistake
def fixed_dim(x, weight, bias, eps=1e-5):
    """dim=2 is the feature axis only if there are three axes. Count from the end: dim=-1."""
    mean, variance = x.mean(2, keepdim=True), x.var(2, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias


@mistake("L11")
def neither(x, weight, bias, eps=1e-5):
    """You normalize, but you use neither weight nor bias. Return weight * normalized + bias."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps)


@mistake("L11")
def no_bias(x, weight, bias, eps=1e-5):
    """You do not add the bias. Return weight * normalized + bias."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + eps)


@mistake("L11")
def no_weight(x, weight, bias, eps=1e-5):
    """You do not multiply by the weight. Return weight * normalized + bias."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) + bias


@mistake("L13")
def scalars(x, weight, bias, eps=1e-5):
    """You use a single number for all features. Each feature has its own weight and its own bias."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight[0] * (x - mean) / torch.sqrt(variance + eps) + bias[0]


@mistake
def swapped(x, weight, bias, eps=1e-5):
    """Weight and bias are swapped. Multiply by the weight and add the bias."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return bias * (x - mean) / torch.sqrt(variance + eps) + weight


@mistake
def bias_first(x, weight, bias, eps=1e-5):
    """You add the bias before you multiply, so the bias is multiplied too. Multiply by the weight first, then
    add the bias.
    """
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * ((x - mean) / torch.sqrt(variance + eps) + bias)


@mistake
def weight_before(x, weight, bias, eps=1e-5):
    """You apply weight and bias before the normalization. Normalize x itself first, then apply them."""
    x = weight * x + bias
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps)


@mistake(mentions=r"detach|no_grad|\.data\b|item\(|numpy|tolist|torch\.tensor\(|float\(")
def detached(x, weight, bias, eps=1e-5):
    """Mean and variance depend on x, so the gradient must go through them too. `.detach()`,
    `torch.no_grad()`, `.item()` and NumPy cut it.
    """
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * (x - mean.detach()) / torch.sqrt(variance.detach() + eps) + bias


@mistake("A16", lacks=r"keepdim=|unsqueeze|None")
def no_keepdim(x, weight, bias, eps=1e-5):
    """Without `keepdim=True` the mean loses its last axis, so the subtraction pairs it with the wrong axis of
    x. Use `keepdim=True` for mean and variance.
    """
    mean, variance = x.mean(-1), x.var(-1, correction=0)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias


@mistake("A20", mentions=r"-=|\.sub_\(")
def in_place(x, weight, bias, eps=1e-5):
    """You overwrite x, which the caller still needs for the residual. `x - mean` makes a new tensor; `-=` and
    `sub_` do not.
    """
    x -= x.mean(-1, keepdim=True)
    return weight * x / torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps) + bias


@mistake(mentions=r"\bview\(")
def joined_by_view(x, weight, bias, eps=1e-5):
    """`view` cannot join the axes before the features when x was made by a transpose. Leave them as they are,
    since `dim=-1` works with any number of axes, or use `reshape`.
    """
    tokens = x.view(-1, x.shape[-1])
    mean, variance = tokens.mean(-1, keepdim=True), tokens.var(-1, correction=0, keepdim=True)
    return (weight * (tokens - mean) / torch.sqrt(variance + eps) + bias).view(x.shape)
