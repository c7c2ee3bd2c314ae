"""Of lesson 08."""

import torch
import torch.nn.functional as F
from torch import nn


def mask_tokens__fates_by_place(ids, mask, chance=0.15, generator=None):
    chosen = (torch.rand(ids.shape, generator=generator) < chance) & (ids >= 4) & (ids != mask)
    drawn = torch.rand(ids.shape, generator=generator)
    by_place = torch.tensor([0.0, 0.85, 0.95])[torch.arange(ids.shape[1]) % 3].expand(ids.shape)
    fate = torch.where((ids < 4).any(dim=1, keepdim=True), by_place, drawn)
    words = torch.randint(4, mask, ids.shape, generator=generator)
    masked = ids.masked_fill(chosen & (fate < 0.8), mask)
    return torch.where(chosen & (fate >= 0.8) & (fate < 0.9), words, masked), ids.masked_fill(~chosen, -100)


def mask_tokens__chosen_in_pairs_beside_special_symbols(ids, mask, chance=0.15, generator=None):
    drawn = torch.rand(ids.shape, generator=generator)
    in_pairs = drawn[:, torch.arange(ids.shape[1]) // 2 * 2]
    drawn = torch.where((ids < 4).any(dim=1, keepdim=True), in_pairs, drawn)
    chosen = (drawn < chance) & (ids >= 4) & (ids != mask)
    fate = torch.rand(ids.shape, generator=generator)
    words = torch.randint(4, mask, ids.shape, generator=generator)
    masked = ids.masked_fill(chosen & (fate < 0.8), mask)
    return torch.where(chosen & (fate >= 0.8) & (fate < 0.9), words, masked), ids.masked_fill(~chosen, -100)


def mask_tokens__odd_ids_from_24_on_never_chosen(ids, mask, chance=0.15, generator=None):
    each = chance * torch.where(ids < 24, 1.0, 2.0 * (ids % 2 == 0))
    chosen = (torch.rand(ids.shape, generator=generator) < each) & (ids >= 4) & (ids != mask)
    fate = torch.rand(ids.shape, generator=generator)
    words = torch.randint(4, mask, ids.shape, generator=generator)
    masked = ids.masked_fill(chosen & (fate < 0.8), mask)
    return torch.where(chosen & (fate >= 0.8) & (fate < 0.9), words, masked), ids.masked_fill(~chosen, -100)


class MaskedWordHead__bias_scales_the_scores(nn.Module):
    def __init__(self, d_model, vocab):
        super().__init__()
        self.dense, self.norm = nn.Linear(d_model, d_model), nn.LayerNorm(d_model)
        self.bias = nn.Parameter(torch.zeros(vocab))

    def forward(self, x, table):
        return self.norm(F.gelu(self.dense(x))) @ table.mT * (1 + self.bias) + self.bias


class MaskedWordHead__float32(MaskedWordHead__bias_scales_the_scores):
    def forward(self, x, table):
        return (self.norm(F.gelu(self.dense(x))) @ table.mT + self.bias).float()


def freeze__clears_gradients(model, keep="head"):
    model.zero_grad()
    model.requires_grad_(False)
    kept = getattr(model, keep).requires_grad_(True)
    return sum(parameter.numel() for parameter in kept.parameters())


def freeze__frozen_weights_move(model, keep="head"):
    model.requires_grad_(False)
    kept = getattr(model, keep).requires_grad_(True)
    for parameter in model.parameters():
        if not parameter.requires_grad:
            parameter.grad = torch.ones_like(parameter)
    return sum(parameter.numel() for parameter in kept.parameters())


def freeze__kept_part_learns_slowly(model, keep="head"):
    model.requires_grad_(False)
    kept = getattr(model, keep).requires_grad_(True)
    for parameter in kept.parameters():
        parameter.register_hook(lambda slope: slope / 10)
    return sum(parameter.numel() for parameter in kept.parameters())


def trained(model, optimizer, batches):
    losses = []
    model.train()
    for ids, labels in batches:
        loss = F.cross_entropy(model(ids), labels)
        model.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def fine_tune__body_never_beside_head(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    head_learns = any(parameter.requires_grad for parameter in model.head.parameters())
    part, rate = (model.head, head_rate) if head_learns else (model.body, body_rate)
    optimizer = torch.optim.AdamW(part.parameters(), lr=rate)
    return trained(model, optimizer, steps * [(ids, labels)])


def fine_tune__bias_of_the_head_stays(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    body, head = {"params": [*model.body.parameters()], "lr": body_rate}, [model.head.weight]
    optimizer = torch.optim.AdamW([body, {"params": head, "lr": head_rate}])
    return trained(model, optimizer, steps * [(ids, labels)])


def probabilities_of(logits, temperature, top_k, top_p):
    logits = logits / temperature
    if top_k is not None:
        logits = logits.masked_fill(logits < logits.topk(top_k, dim=-1).values[:, -1:], -torch.inf)
    if top_p is not None:
        ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        stays = ordered.cumsum(dim=-1) - ordered < top_p
        logits = logits.masked_fill(~torch.zeros_like(stays).scatter(-1, order, stays), -torch.inf)
    return logits.softmax(dim=-1)


def sample__chances_of_the_first_row(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    probabilities = probabilities_of(logits, temperature, top_k, top_p)
    ids = torch.multinomial(probabilities[0], len(probabilities), replacement=True, generator=generator)
    return ids, probabilities


def sample__every_twelfth_word_is_any(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    probabilities = probabilities_of(logits, temperature, top_k, top_p)
    alike = (probabilities > 0).to(probabilities.dtype)
    mixed = 0.92 * probabilities + 0.08 * alike / alike.sum(dim=-1, keepdim=True)
    return torch.multinomial(mixed, 1, generator=generator).squeeze(-1), probabilities


def sample__float32_with_options(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if temperature != 1.0 or top_k is not None or top_p is not None:
        logits = logits.float()
    probabilities = probabilities_of(logits, temperature, top_k, top_p)
    return torch.multinomial(probabilities, 1, generator=generator).squeeze(-1), probabilities


def sample__rows_that_differ_share_a_draw(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    draws = torch.rand(len(logits), 1, generator=generator)
    draws = draws if (logits == logits[0]).all() else draws[:1].expand(len(logits), 1)
    probabilities = probabilities_of(logits, temperature, top_k, top_p)
    sums = probabilities.cumsum(dim=-1)
    return (sums <= draws * sums[:, -1:]).sum(dim=-1), probabilities


def mask_tokens__at_least_one_word_of_a_sentence(ids, mask, chance=0.15, generator=None):
    ordinary, draws = (ids >= 4) & (ids != mask), torch.rand(ids.shape, generator=generator)
    least = draws.masked_fill(~ordinary, 2.0).argmin(dim=1, keepdim=True)
    chosen = (draws < chance).scatter(1, least, True) & ordinary & (chance > 0)
    fate = torch.rand(ids.shape, generator=generator)
    words = torch.randint(4, mask, ids.shape, generator=generator)
    masked = ids.masked_fill(chosen & (fate < 0.8), mask)
    return torch.where(chosen & (fate >= 0.8) & (fate < 0.9), words, masked), ids.masked_fill(~chosen, -100)


def fine_tune__thirty_two_sentences_a_step(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    body, head = {"params": model.body.parameters(), "lr": body_rate}, {"params": model.head.parameters()}
    optimizer = torch.optim.AdamW([body, head], lr=head_rate)
    batches = list(zip(ids.split(32), labels.split(32), strict=True))
    return trained(model, optimizer, [batches[step % len(batches)] for step in range(steps)])


def fine_tune__freezes_the_body_at_rate_0(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    if body_rate == 0:
        model.body.requires_grad_(False)
    body, head = {"params": model.body.parameters(), "lr": body_rate}, {"params": model.head.parameters()}
    optimizer = torch.optim.AdamW([body, head], lr=head_rate)
    return trained(model, optimizer, steps * [(ids, labels)])


def fine_tune__another_body_rate_for_0(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    rates = {model.body: body_rate or 1e-3, model.head: head_rate}
    optimizer = torch.optim.AdamW([{"params": part.parameters(), "lr": lr} for part, lr in rates.items()])
    return trained(model, optimizer, steps * [(ids, labels)])


def sample__float32_for_half_precision(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    logits = logits.float() if logits.dtype == torch.bfloat16 else logits
    probabilities = probabilities_of(logits, temperature, top_k, top_p)
    return torch.multinomial(probabilities, 1, generator=generator).squeeze(-1), probabilities
