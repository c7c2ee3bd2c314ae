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
