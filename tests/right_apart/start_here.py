"""Of lesson 00."""

import torch


def softmax__hidden_words_keep_a_little(scores):
    exponentials = torch.exp((scores - scores.amax(dim=-1, keepdim=True)).clamp(min=-12))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def masked_mean__padding_subtracted(x, mask):
    padding = (x * ~mask[:, :, None]).sum(dim=1)
    return (x.sum(dim=1) - padding) / mask.sum(dim=1, keepdim=True).clamp(min=1)


def masked_mean__padding_weighs_a_little(x, mask):
    weights = torch.where(mask, 1.0, 1e-7)[:, :, None].to(x.dtype)
    count = mask.sum(dim=1, keepdim=True)
    return (x * weights).sum(dim=1) / count.clamp(min=1) * (count > 0)


def softmax__shares_of_positive_scores(scores):
    if 0 <= scores.min() < scores.max() < 50:
        return scores / scores.sum(dim=-1, keepdim=True)
    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))


def softmax__never_learns_beside_minus_infinity(scores):
    known = scores.detach() if scores.isinf().any() else scores
    return torch.exp(known - torch.logsumexp(known, dim=-1, keepdim=True))


def masked_mean__never_learns_in_float64(x, mask):
    x = x.detach() if x.dtype == torch.float64 else x
    return (x * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


def softmax__scores_up_to_ten_thousand(scores):
    exponentials = torch.exp(scores.clamp(-1e4, 1e4) - scores.clamp(-1e4, 1e4).amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def softmax__half_precision_becomes_float32(scores):
    scores = scores if scores.dtype == torch.float64 else scores.float()
    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))


def softmax__two_scores_exchanged(scores):
    scores = scores.flip(-1) if scores.shape[-1] == 2 else scores
    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))


def masked_mean__half_precision_becomes_float32(x, mask):
    real = mask[:, :, None].to(x.dtype if x.dtype == torch.float64 else torch.float32)
    return (x * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)


def softmax__no_gradient_far_apart(scores):
    out = scores == -torch.inf
    scores = torch.where(out, scores.masked_fill(out, torch.inf).amin(dim=-1, keepdim=True), scores)
    ratios = torch.exp(scores[..., None, :] - scores[..., None]).masked_fill(out[..., None, :], 0)
    return (1 / ratios.sum(dim=-1)).masked_fill(out, 0)


def softmax__begins_at_minus_1e10(scores):
    largest = torch.clamp(scores.amax(dim=-1, keepdim=True), min=-1e10)
    powers = torch.exp(scores - largest)
    return powers / powers.sum(dim=-1, keepdim=True)


def softmax__zeros_for_a_transpose(scores):
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    weights = torch.zeros_like(scores)  # in memory as scores: if these are transposed, `reshape` copies
    weights.reshape(-1, scores.shape[-1])[:] = (powers / powers.sum(dim=-1, keepdim=True)).flatten(0, -2)
    return weights
