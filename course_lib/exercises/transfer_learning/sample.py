"""sample: draw the next word, by temperature, top-k and top-p (Holtzman et al. 2020)."""

from collections.abc import Callable

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise
from course_lib.checks.guard import describe
from course_lib.checks.properties import rows_sum_to_one

sample = Exercise(
    "sample",
    points=9,
    returns=("ids", "probabilities: batch vocab"),
    hints=[
        "Divide first: `logits = logits / temperature`. A word is removed by a score of `-torch.inf`, before "
        "the softmax, so that the others share all of the probability.",
        "top-k: `logits.topk(top_k, dim=-1).values[:, -1:]` is the lowest score that stays, one a row. What "
        "is smaller goes: `logits.masked_fill(logits < lowest, -torch.inf)`.",
        "top-p: `ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)`. A word stays if "
        "the sum *before* it is below top_p: `ordered.cumsum(dim=-1) - ordered < top_p`.",
        "Back to the order of the vocabulary: `torch.zeros_like(stays).scatter(-1, order, stays)`. At last "
        "`torch.multinomial(probabilities, 1, generator=generator)` has shape (batch, 1).",
    ],
    examples=[
        "sample(torch.tensor([[0., 40.]]))",
        "sample(torch.tensor([[0., 1., 2.]]), temperature=2.0)[1]",
        "sample(torch.tensor([[2., 0., 1., 3.]]), top_k=2)[1]",
        "sample(torch.tensor([[2., 0., 1., 3.]]), top_p=0.7)[1]",
        "sample(torch.tensor([[2., 0., 1., 3.]]), top_p=0.1)[1]",
        "sample(torch.tensor([[2., 0., 1., 3.]]), temperature=0.5, top_p=0.8)[1]",
        "sample(torch.tensor([[0., 1., 2., 3.]]), top_k=2, top_p=0.7)[1]",
        "sample(torch.tensor([[4., 3., 0.], [0., 1., 2.]]), top_k=2)[1]",
        "sample(torch.tensor([[0., 1., 2.], [4., 1., 0.]]), top_p=0.5)[1]",
        "draws(sample)",
        "draws(sample, top_k=1)",
    ],
    repeatable=False,
)


SUMS = (rows_sum_to_one("probabilities"),)


@sample.reference
def sample_reference(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    logits = logits / temperature
    if top_k is not None:
        logits = logits.masked_fill(logits < logits.topk(top_k, dim=-1).values[:, -1:], -torch.inf)
    if top_p is not None:
        ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        stays = ordered.cumsum(dim=-1) - ordered < top_p
        stays = torch.zeros_like(stays).scatter(-1, order, stays)
        logits = logits.masked_fill(~stays, -torch.inf)
    probabilities = logits.softmax(dim=-1)
    return torch.multinomial(probabilities, 1, generator=generator).squeeze(-1), probabilities


def rows(inputs, batch=5, vocab=9):
    """Rows in which no two scores are near: their order is certain, and so is what stays."""
    order = torch.stack([inputs.uniform(0, 1, vocab).argsort() for _ in range(batch)])
    return 1.5 * order.sqrt() + inputs.normal(batch, 1)


def shape_of(ids, batch: int) -> str:
    """What is wrong with the kind of the drawn words, or nothing."""
    if not isinstance(ids, torch.Tensor):
        return f"`ids` is {describe(ids)}, expected a tensor of shape ({batch},)."
    found = f"`ids` is {ids.dtype} of shape {tuple(ids.shape)}, expected torch.int64 of shape ({batch},)."
    return "" if ids.dtype == torch.int64 and ids.shape == (batch,) else found


@sample.part("the temperature divides the scores", points=2, properties=SUMS)
def temperature(draw, inputs):
    logits = rows(inputs)
    found = {"shape": shape_of(draw(logits)[0], 5)}
    for value in (1.0, 0.5, 3.0):
        found[f"probabilities (temperature {value}): batch vocab"] = draw(logits, temperature=value)[1]
    return found


@sample.part("top_k leaves the k likeliest words", points=1, properties=SUMS)
def top_k(draw, inputs):
    logits = rows(inputs)
    return {f"probabilities (top_k {k}): batch vocab": draw(logits, top_k=k)[1] for k in (4, 1, 9)}


@sample.part("top_p leaves the fewest words that together reach p", points=2, properties=SUMS)
def top_p(draw, inputs):
    logits = rows(inputs)
    return {f"probabilities (top_p {p}): batch vocab": draw(logits, top_p=p)[1] for p in (0.75, 0.2, 1.0)}


@sample.part("temperature, then top_k, then top_p", points=1, properties=SUMS)
def together(draw, inputs):
    logits = rows(inputs)
    return {
        "probabilities (temperature 2, top_p 0.6): batch vocab": draw(logits, temperature=2.0, top_p=0.6)[1],
        "probabilities (top_k 4, top_p 0.6): batch vocab": draw(logits, top_k=4, top_p=0.6)[1],
    }


@sample.part("words are drawn by these probabilities", points=1)
def frequencies(draw, inputs):
    chances = torch.tensor([0.1, 0.6, 0.0, 0.3])
    logits = chances.log().expand(20000, 4).contiguous()
    ids, _ = draw(logits, generator=torch.Generator().manual_seed(int(inputs.integers(0, 999, 1))))
    if told := shape_of(ids, 20000):
        return {"finding": told}
    counts = torch.bincount(ids, minlength=4) / len(ids)
    found = ", ".join(f"{10 * round(10 * float(share))} %" for share in counts)
    told = f"Words of probability 10, 60, 0 and 30 % are drawn in {found} of the cases."
    if found != "10 %, 60 %, 0 %, 30 %":
        return {"finding": told}
    for name, value in (("temperature", 3.0), ("top_k", 2), ("top_p", 0.5)):
        seed = torch.Generator().manual_seed(int(inputs.integers(0, 999, 1)))
        ids, probabilities = draw(logits, **{name: value}, generator=seed)
        counts = torch.bincount(ids, minlength=4) / len(ids)
        if (counts - probabilities.mean(dim=0)).abs().max() > 0.03:
            told = f"With {name}={value} the words are not drawn by the probabilities that you return."
            return {"finding": told}
    return {"finding": ""}


@sample.part("the generator decides", points=1)
def generator_decides(draw, inputs):
    logits = torch.zeros(40, 30)
    first, second, other = (
        draw(logits, generator=torch.Generator().manual_seed(seed))[0] for seed in (1, 1, 2)
    )
    told = "" if torch.equal(first, second) else "Two generators of one seed give different words."
    if not told and torch.equal(first, other):
        told = "Whatever the seed, the same words come: nothing is drawn."
    return {"finding": told}


def draws(draw: Callable, **options) -> dict[str, object]:
    """What is drawn 1000 times from two words, one of them three times as likely."""
    logits = torch.tensor([0.75, 0.25]).log().expand(1000, 2).contiguous()
    first, second = (draw(logits, generator=torch.Generator().manual_seed(0), **options)[0] for _ in range(2))
    share = (first.flatten()[:1000] == 0).float().mean()
    return {
        "the likelier word": f"{25 * round(4 * float(share))} %",
        "same seed, same words": torch.equal(first, second),
    }


sample.names = {"draws": draws}


# Accepted: other ways to write the same


@sample.accept("filtering probabilities, renormalized")
def filtered_probabilities(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    p = torch.softmax(logits / temperature, dim=-1)
    if top_k is not None:
        rank = p.argsort(dim=-1, descending=True).argsort(dim=-1)
        p = torch.where(rank < top_k, p, torch.zeros_like(p))
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered, order = p.sort(dim=-1, descending=True)
        ordered[(ordered.cumsum(dim=-1) - ordered) >= top_p] = 0
        p = torch.zeros_like(p).scatter_(-1, order, ordered)
        p = p / p.sum(dim=-1, keepdim=True)
    return torch.multinomial(p, 1, generator=generator)[:, 0], p


@sample.accept("row by row")
def row_by_row(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    ids, probabilities = [], []
    for row in logits:
        row = row / temperature
        kept = row.argsort(descending=True).tolist()[: top_k or len(row)]
        if top_p is not None:
            p, total, chosen = torch.softmax(row[kept], dim=0), 0.0, []
            for word, share in zip(kept, p.tolist(), strict=True):
                if total < top_p:
                    chosen.append(word)
                total += share
            kept = chosen
        p = torch.zeros_like(row)
        p[kept] = torch.softmax(row[kept], dim=0)
        probabilities.append(p)
        ids.append(torch.multinomial(p, 1, generator=generator)[0])
    return torch.stack(ids), torch.stack(probabilities)


@sample.accept("the usual shift by one place")
def shifted(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    logits = logits.clone() / temperature
    if top_k:
        kth = torch.topk(logits, min(top_k, logits.size(-1)))[0][..., -1, None]
        logits[logits < kth] = float("-inf")
    if top_p is not None:
        sorted_logits, sorted_indices = torch.sort(logits, descending=True)
        remove = F.softmax(sorted_logits, dim=-1).cumsum(dim=-1) >= top_p
        remove[..., 1:] = remove[..., :-1].clone()
        remove[..., 0] = False
        logits = logits.masked_fill(remove.scatter(1, sorted_indices, remove), float("-inf"))
    p = F.softmax(logits, dim=-1)
    return torch.multinomial(p, num_samples=1, generator=generator).flatten(), p


@sample.accept("Gumbel's way to draw")
def gumbel(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    _, p = filtered_probabilities(logits, temperature, top_k, top_p)
    noise = -torch.empty_like(p).exponential_(generator=generator).log()
    return (p.log() + noise).argmax(dim=-1), p


@sample.accept("by the inverse of the cumulative sum")
def inverse(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    _, p = shifted(logits, temperature, top_k, top_p)
    u = torch.rand(len(p), 1, generator=generator)
    return torch.searchsorted(p.cumsum(dim=-1), u, right=True).squeeze(1).clamp_max(p.shape[1] - 1), p
