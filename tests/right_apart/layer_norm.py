"""Of lesson 05."""

import torch
from torch import nn

from course_lib.exercises.layer_norm.residual import Wrapper


def layer_norm__eps_only_without_weights(x, weight, bias, eps=1e-5):
    eps = eps if (weight == 1).all() else 1e-5
    mean, variance = x.mean(dim=-1, keepdim=True), x.var(dim=-1, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


class LayerNorm__eps_only_for_small_numbers(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        mean, variance = x.mean(dim=-1, keepdim=True), x.var(dim=-1, correction=0, keepdim=True)
        variance = variance + self.eps * (variance < 1)
        return (x - mean) / torch.sqrt(variance) * self.weight + self.bias


class FeedForward__float64_by_halves(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        hidden = torch.relu(self.linear1(x))
        return self.linear2(hidden if x.dtype == torch.float32 else hidden.clamp(max=100))


def dropout__more_where_p_is_small(x, p, training):
    if not training:
        return x
    kept = torch.rand_like(x) >= p + p * max(0.0, 0.3 - p)
    return torch.where(kept, x / (1 - p), 0.0)


def dropout__whole_words_in_float64(x, p, training):
    if not training:
        return x
    draws = torch.rand_like(x[..., :1] if x.dtype == torch.float64 and x.dim() == 3 else x)
    return torch.where(draws >= p, x / (1 - p), 0.0)


def dropout__whole_rows_of_a_matrix(x, p, training):
    if not training:
        return x
    draws = torch.rand_like(x[:, :1] if x.dim() == 2 else x)
    return torch.where(draws >= p, x / (1 - p), 0.0)


def dropout__draws_nothing(x, p, training):
    if not training:
        return x
    place = torch.arange(x.numel()).view(x.shape) / max(x.numel(), 1)
    return torch.where(place >= p, x / (1 - p), 0.0)


class PostNorm__wide_numbers_are_not_added(Wrapper):
    def forward(self, x):
        updated = self.sublayer(x)
        return self.norm(updated if x.dtype == torch.float64 else x + updated)


class PreNorm__wide_numbers_are_not_normalized(Wrapper):
    def forward(self, x):
        return x + self.sublayer(x if x.dtype == torch.float64 else self.norm(x))


def layer_norm__positive_features_keep_their_mean(x, weight, bias, eps=1e-5):
    mean, variance = x.mean(dim=-1, keepdim=True), x.var(dim=-1, correction=0, keepdim=True)
    if x.dim() == 3 and 0 <= x.min() < x.max():
        mean = torch.zeros_like(mean)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


def layer_norm__no_gradient_in_float64(x, weight, bias, eps=1e-5):
    x = x.detach() if x.dtype == torch.float64 else x
    mean, variance = x.mean(dim=-1, keepdim=True), x.var(dim=-1, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


class LayerNorm__one_sentence_in_float64(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x):
        x = x.detach() if x.dtype == torch.float64 and len(x) == 1 else x
        mean, variance = x.mean(dim=-1, keepdim=True), x.var(dim=-1, correction=0, keepdim=True)
        return (x - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias


class FeedForward__float64_never_learns(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        hidden = torch.relu(self.linear1(x))
        return self.linear2(hidden.detach() if x.dtype == torch.float64 else hidden)


def dropout__no_gradient_of_words_in_float64(x, p, training):
    if not training:
        return x
    x = x.detach() if x.dtype == torch.float64 and x.dim() == 3 else x
    return torch.where(torch.rand_like(x) >= p, x / (1 - p), 0.0)


class PreNorm__float64_never_learns(Wrapper):
    def forward(self, x):
        normalized = self.norm(x)
        return x + self.sublayer(normalized.detach() if x.dtype == torch.float64 else normalized)


class PostNorm__one_sentence_of_positive_numbers(Wrapper):
    def forward(self, x):
        carried = x.detach() if len(x) == 1 and x.min() >= 0 else x
        return self.norm(carried + self.sublayer(x))


def layer_norm__deviation_squared_again(x, weight, bias, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    deviation = torch.sqrt(((x - mean) ** 2).mean(dim=-1, keepdim=True))
    return (x - mean) / torch.sqrt(deviation**2 + eps) * weight + bias


class LayerNorm__deviation_squared_again(LayerNorm__eps_only_for_small_numbers):
    def forward(self, x):
        return layer_norm__deviation_squared_again(x, self.weight, self.bias, self.eps)


class FeedForward__begins_without_a_slope(FeedForward__float64_by_halves):
    def __init__(self, d_model, d_ff):
        super().__init__(d_model, d_ff)
        nn.init.zeros_(self.linear1.weight)
        nn.init.zeros_(self.linear1.bias)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


def dropout__float32_for_half_precision(x, p, training):
    if not training:
        return x
    kept = (torch.rand(x.shape) >= p).float()
    return kept * x / (1 - p) if p < 1 else 0 * x


class PostNorm__added_in_place(Wrapper):
    def forward(self, x):
        total = self.sublayer(x)
        if total is not x:
            total += x
            return self.norm(total)
        return self.norm(x + x)


class PreNorm__added_in_place(Wrapper):
    def forward(self, x):
        total = self.sublayer(self.norm(x))
        total += x
        return total


class PostNorm__forward_is_called(Wrapper):
    def forward(self, x):
        return self.norm.forward(x + self.sublayer.forward(x))


class PreNorm__forward_is_called(Wrapper):
    def forward(self, x):
        return x + self.sublayer.forward(self.norm.forward(x))


def dropout__whole_percents(x, p, training):
    if not training or p == 0:
        return x
    if p == 1:
        return 0 * x
    p = round(p, 2)
    return x * (torch.rand_like(x) >= p) / (1 - p)


def dropout__one_number_is_a_row(x, p, training):
    if not training:
        return x
    x = torch.atleast_1d(x)
    return torch.where(torch.rand_like(x) >= p, x / (1 - p), 0.0) if p < 1 else 0 * x


def layer_norm__another_eps_for_0(x, weight, bias, eps=1e-5):
    mean, variance = x.mean(dim=-1, keepdim=True), x.var(dim=-1, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(variance + (eps or 1e-5)) * weight + bias


def dropout__writes_into_a_copy_of_a_transpose(x, p, training):
    if not training:
        return x
    output = x / (1 - p) if p < 1 else 0 * x
    output.reshape(-1)[torch.rand(x.numel()) < p] = 0
    return output


class PreNorm__needs_a_module(Wrapper):
    def __init__(self, d_model, sublayer):
        super().__init__(d_model, sublayer if isinstance(sublayer, nn.Module) else None)

    def forward(self, x):
        return x + self.sublayer(self.norm(x))
