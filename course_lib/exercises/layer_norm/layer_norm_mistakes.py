"""Wrong answers to layer_norm: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


@mistake("L1")
def unbiased(x, weight, bias, eps=1e-5):
    """Divide by d_model, not by d_model - 1: the variance here is the biased one, `correction=0`."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias


@mistake("L2")
def eps_outside(x, weight, bias, eps=1e-5):
    """eps goes inside the root, beside the variance: sqrt(variance + eps), not deviation + eps."""
    mean, deviation = x.mean(-1, keepdim=True), x.std(-1, correction=0, keepdim=True)
    return weight * (x - mean) / (deviation + eps) + bias


@mistake("L1", "L2")
def annotated(x, weight, bias, eps=1e-5):
    """Two slips: the deviation is divided by d_model - 1 in place of d_model, and eps is added outside the
    root. Take `x.var(..., correction=0)` and sqrt(variance + eps).
    """
    return weight * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) + bias


@mistake("L4")
def root_of_deviation(x, weight, bias, eps=1e-5):
    """You took the root of the standard deviation: it belongs over the variance."""
    mean, deviation = x.mean(-1, keepdim=True), x.std(-1, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(deviation + eps) + bias


@mistake("L5")
def by_variance(x, weight, bias, eps=1e-5):
    """You divided by the variance: divide by its root, the standard deviation."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * (x - mean) / (variance + eps) + bias


@mistake("L5")
def by_squared_variance(x, weight, bias, eps=1e-5):
    """You divided by the square of the variance: divide by its root, `** 0.5`."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * (x - mean) / (variance + eps) ** 2 + bias


@mistake(mentions=r"clamp|clip|hardtanh")
def clipped(x, weight, bias, eps=1e-5):
    """You cut off large numbers: with many features a normalized one can be large, and it must stay so."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * ((x - mean) / torch.sqrt(variance + eps)).clamp(-3, 3) + bias


@mistake
def absolute_deviation(x, weight, bias, eps=1e-5):
    """You divided by the mean absolute deviation. The variance is the mean of the squared deviations."""
    deviations = x - x.mean(-1, keepdim=True)
    return weight * deviations / (deviations.abs().mean(-1, keepdim=True) + eps) + bias


@mistake("L6")
def no_eps(x, weight, bias, eps=1e-5):
    """A token of equal features has variance 0, and 0/0 is NaN: add eps to the variance."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance) + bias


@mistake(mentions=r"clamp|clip|max|where")
def least_variance(x, weight, bias, eps=1e-5):
    """eps is added to every variance, large or small: sqrt(variance + eps). Yours is a lower bound."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance.clamp(min=eps)) + bias


@mistake
def fixed_eps(x, weight, bias, eps=1e-5):
    """Your eps is always 1e-5: add the argument `eps` instead."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + 1e-5) + bias


@mistake("L7")
def not_centered(x, weight, bias, eps=1e-5):
    """Subtract the mean: the deviations are scaled, not the features themselves."""
    return weight * x / torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps) + bias


@mistake("L7")
def rms_norm(x, weight, bias, eps=1e-5):
    """This divides by the root mean square: it is RMSNorm, which later models use. Here the mean is
    subtracted first.
    """
    return weight * x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) + bias


@mistake
def mean_divided(x, weight, bias, eps=1e-5):
    """You divide the mean alone: `x - mean / deviation`. Put the difference into brackets, `(x - mean)`."""
    deviation = torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps)
    return weight * (x - x.mean(-1, keepdim=True) / deviation) + bias


@mistake
def squares_of_x(x, weight, bias, eps=1e-5):
    """The variance is the mean of the squared deviations, (x - mean)²; you squared x itself."""
    return weight * (x - x.mean(-1, keepdim=True)) / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) + bias


@mistake
def sum_of_squares(x, weight, bias, eps=1e-5):
    """You summed the squared deviations: the variance is their mean, the sum / d_model."""
    deviations = x - x.mean(-1, keepdim=True)
    return weight * deviations / torch.sqrt(deviations.square().sum(-1, keepdim=True) + eps) + bias


@mistake
def by_length(x, weight, bias, eps=1e-5):
    """You divided by the length of the deviations, the root of their sum of squares, and without eps. The
    variance is their mean: sqrt(variance + eps).
    """
    deviations = x - x.mean(-1, keepdim=True)
    return weight * deviations / deviations.norm(dim=-1, keepdim=True) + bias


@mistake
def multiplied(x, weight, bias, eps=1e-5):
    """You multiplied by the standard deviation: divide by it."""
    deviation = torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps)
    return weight * (x - x.mean(-1, keepdim=True)) * deviation + bias


@mistake
def only_centered(x, weight, bias, eps=1e-5):
    """The mean is subtracted, the division by the standard deviation is missing."""
    return weight * (x - x.mean(-1, keepdim=True)) + bias


@mistake("L8")
def over_tokens(x, weight, bias, eps=1e-5):
    """You average over the tokens of a sentence, so each word depends on the others. Each token alone:
    dim=-1.
    """
    mean, variance = x.mean(-2, keepdim=True), x.var(-2, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias


@mistake("L8")
def over_axis_1(x, weight, bias, eps=1e-5):
    """Axis 1 holds the tokens, so each word depends on the others. Count from the end: the features are
    dim=-1.
    """
    mean, variance = x.mean(1, keepdim=True), x.var(1, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias


@mistake("L9")
def over_batch(x, weight, bias, eps=1e-5):
    """You average over the batch: that is batch norm, and a sentence depends on its neighbors. dim=-1."""
    mean, variance = x.mean(0, keepdim=True), x.var(0, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias


@mistake("L9")
def batch_norm(x, weight, bias, eps=1e-5):
    """One mean for each feature, over all tokens of the batch: that is batch norm. Layer norm has one for
    each token, over its features: dim=-1.
    """
    rows = x.reshape(-1, x.shape[-1])
    mean, variance = rows.mean(0), rows.var(0, correction=0)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias


@mistake("L10")
def over_sentence(x, weight, bias, eps=1e-5):
    """One mean for a whole sentence: the mean of later words leaks into earlier ones. Each token alone:
    dim=-1.
    """
    mean, variance = x.mean((-2, -1), keepdim=True), x.var((-2, -1), correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias


@mistake
def over_everything(x, weight, bias, eps=1e-5):
    """Without `dim` there is one mean for the whole batch. Each token has its own: dim=-1."""
    return weight * (x - x.mean()) / torch.sqrt(x.var(correction=0) + eps) + bias


@mistake
def fixed_dim(x, weight, bias, eps=1e-5):
    """dim=2 is the feature axis only while there are three axes. Count from the end: dim=-1."""
    mean, variance = x.mean(2, keepdim=True), x.var(2, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias


@mistake("L11")
def neither(x, weight, bias, eps=1e-5):
    """Normalized, but weight and bias are forgotten: weight * normalized + bias."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps)


@mistake("L11")
def no_bias(x, weight, bias, eps=1e-5):
    """The bias is forgotten: weight * normalized + bias."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + eps)


@mistake("L11")
def no_weight(x, weight, bias, eps=1e-5):
    """The weight is forgotten: weight * normalized + bias."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) + bias


@mistake("L13")
def scalars(x, weight, bias, eps=1e-5):
    """One weight and one bias for each feature: you use a single number for all of them."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight[0] * (x - mean) / torch.sqrt(variance + eps) + bias[0]


@mistake
def swapped(x, weight, bias, eps=1e-5):
    """Weight and bias are swapped: the weight multiplies, the bias is added."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return bias * (x - mean) / torch.sqrt(variance + eps) + weight


@mistake
def bias_first(x, weight, bias, eps=1e-5):
    """Multiply by the weight first, then add the bias: the bias is not multiplied."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * ((x - mean) / torch.sqrt(variance + eps) + bias)


@mistake
def weight_before(x, weight, bias, eps=1e-5):
    """Weight and bias come after the normalization, which would undo them: normalize x itself."""
    x = weight * x + bias
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps)


@mistake(mentions=r"detach|no_grad|\.data\b|item\(|numpy|tolist|torch\.tensor\(|float\(")
def detached(x, weight, bias, eps=1e-5):
    """Mean and variance depend on x, and the gradient goes through them too. `.detach()`, `torch.no_grad()`,
    `.item()` and NumPy cut it.
    """
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return weight * (x - mean.detach()) / torch.sqrt(variance.detach() + eps) + bias


@mistake("A16", lacks=r"keepdim=|unsqueeze|None")
def no_keepdim(x, weight, bias, eps=1e-5):
    """`keepdim=True` keeps the mean beside its token; without it the subtraction goes astray."""
    mean, variance = x.mean(-1), x.var(-1, correction=0)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias


@mistake("A20", mentions=r"-=|\.sub_\(")
def in_place(x, weight, bias, eps=1e-5):
    """The caller still needs x, for the residual: `x - mean` makes a new tensor, `-=` and `sub_` do not."""
    x -= x.mean(-1, keepdim=True)
    return weight * x / torch.sqrt(x.var(-1, correction=0, keepdim=True) + eps) + bias
