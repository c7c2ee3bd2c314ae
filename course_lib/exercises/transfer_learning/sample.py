"""sample: draw the next word, by temperature, top-k and top-p (Holtzman et al. 2020)."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise
from course_lib.checks.properties import rows_sum_to_one
from course_lib.checks.results import describe
from course_lib.exercises.transfer_learning.drawn_apart import told_of_rare_words, told_of_rows
from course_lib.exercises.transfer_learning.drawn_words import (
    OPTIONS,
    SHARED,
    chances_of,
    draws_of,
    share_of_one,
    shares,
    told_of_options,
    told_of_same_words,
)
from course_lib.exercises.transfer_learning.masked_counts import percent, seeded, share_draws

sample = Exercise(
    "sample",
    points=9,
    returns=("ids", "probabilities: batch vocab"),
    hints=[
        "Which score gives a word a probability of exactly 0 after the softmax? And which scores decide "
        "whether a word is likely in a step: the scores that came in, or the scores that the step before "
        "left?",
        "Change the scores in three steps, and take the softmax of the last scores. The temperature divides "
        "them. A score of `-torch.inf` removes a word, and the others share all of the probability.",
        "top-k: `logits.topk(top_k, dim=-1).values[:, -1:]` is the lowest score that stays, one for each "
        "row. Remove lower scores: `logits.masked_fill(logits < lowest, -torch.inf)`.",
        "top-p: `ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)`. A word stays if "
        "the sum before it, which does not count the word itself, is below top_p: `ordered.cumsum(dim=-1) - "
        "ordered < top_p`.",
        "Bring the marks back to the order of the vocabulary: `torch.zeros_like(stays).scatter(-1, order, "
        "stays)`. At the end, `torch.multinomial(probabilities, 1, generator=generator)` has shape (batch, "
        "1): remove the last axis.",
    ],
    examples=[
        "sample(torch.tensor([[0., 40.]]))",
        "sample(torch.tensor([[0., 1., 2.]]), temperature=2.0)[1]",
        "sample(torch.tensor([[2., 0., 1., 3.]]), top_k=2)[1]",
        "sample(torch.tensor([[2., 0., 1., 3.]]), top_p=0.7)[1]",
        "sample(torch.tensor([[2., 0., 1., 3.]]), top_p=0.1)[1]",
        "sample(torch.zeros(1, 4), top_p=0.5)[1].sort().values",
        "sample(torch.tensor([[2., 0., 1., 3.]]), temperature=0.5, top_p=0.8)[1]",
        "sample(torch.tensor([[0., 1., 2., 3.]]), top_k=2, top_p=0.7)[1]",
        "sample(torch.tensor([[2., 1., 0.], [4., 5., 6.], [-6., -5., -4.]]), top_k=2)[1]",
        "sample(torch.tensor([[0., 1., 2.], [4., 1., 0.]]), top_p=0.5)[1]",
        "draws(sample)",
        "draws(sample, top_k=1)",
        "draws(sample, temperature=0.5)",
        "sample(torch.zeros(1, 2).double())[1]",
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


SPREADS, HEIGHTS = torch.tensor([[1.5, 3.0, 1.5, 0.5, 2.5], [0.0, 9.0, -9.0, 18.0, -18.0]])[..., None]


def rows(inputs, vocab=9):
    """Rows at other heights, of which another number of words stays, and no sum is within 0.02 of a limit."""
    order = torch.stack([inputs.uniform(0, 1, vocab).argsort() for _ in range(5)])
    return SPREADS * order.sqrt() + HEIGHTS


@sample.part("one id for each row, and probabilities in the dtype of the scores", points=1, alone=False)
def kinds(draw, inputs):
    logits, told = rows(inputs), []
    cases: list[tuple[torch.Tensor, dict[str, float]]] = [(logits, {}), (logits[:2].double(), {})]
    cases += [(logits[:1], {}), *((logits.double(), options) for options in OPTIONS)]
    for scores, options in cases:
        ids, probabilities = draw(scores, **options)
        if not isinstance(ids, torch.Tensor):
            told.append(f"`ids` is {describe(ids)}, expected a tensor of shape ({len(scores)},).")
        elif ids.dtype != torch.int64 or ids.shape != (len(scores),):
            found = f"`ids` is {ids.dtype} of shape {tuple(ids.shape)}"
            told.append(f"{found}, expected torch.int64 of shape ({len(scores)},).")
        if probabilities.dtype != scores.dtype:
            case = " and ".join(f"{name}={value}" for name, value in options.items()) or "no options"
            dtype = probabilities.dtype
            told.append(f"`probabilities` is {dtype} for scores of {scores.dtype}, with {case}.")
    return {"finding": told[0] if told else ""}


@sample.part("the temperature divides the scores", points=1, properties=SUMS)
def temperature(draw, inputs):
    logits = rows(inputs)
    return {
        f"probabilities (temperature {value}): batch vocab": chances_of(draw, logits, temperature=value)
        for value in (1.0, 0.5, 3.0, 0.1, 20.0)
    }


@sample.part("top_k keeps the k likeliest words", points=1, properties=SUMS)
def top_k(draw, inputs):
    logits = rows(inputs)
    return {
        f"probabilities (top_k {k}): batch vocab": chances_of(draw, logits, top_k=k) for k in (4, 1, 7, 9)
    }


@sample.part("top_p keeps the fewest words whose probabilities sum to p or more", points=2, properties=SUMS)
def top_p(draw, inputs):
    logits = rows(inputs)
    found = {
        f"probabilities (top_p {p}): batch vocab": chances_of(draw, logits, top_p=p) for p in (0.75, 0.2, 1.0)
    }
    # Two of four equal words reach one half exactly; which two is all the same.
    for count, p in ((4, 0.5), (40, 0.06)):
        equal = chances_of(draw, torch.zeros(3, count), top_p=p).sort(dim=-1).values
        found[f"probabilities ({count} equal words, top_p {p}, sorted): batch vocab"] = equal
    return found


@sample.part("the order is temperature, top_k, top_p", points=1, properties=SUMS)
def together(draw, inputs):
    logits = rows(inputs)
    asked = {
        "temperature 2, top_p 0.6": {"temperature": 2.0, "top_p": 0.6},
        "top_k 4, top_p 0.6": {"top_k": 4, "top_p": 0.6},
        "temperature 2, top_k 4": {"temperature": 2.0, "top_k": 4},
        "temperature 2, top_k 4, top_p 0.7": {"temperature": 2.0, "top_k": 4, "top_p": 0.7},
    }
    return {
        f"probabilities ({name}): batch vocab": chances_of(draw, logits, **options)
        for name, options in asked.items()
    }


@sample.part("words are drawn with these probabilities", points=1)
def frequencies(draw, inputs):
    ids, _ = draws_of(draw, inputs)
    if (ids == ids[0, 0]).all():
        return {"finding": "The same word is drawn for every row, with every generator."}
    if (ids == ids[:, :1]).all():
        return {"finding": "All rows of a batch get the same word: draw for each row."}
    if share_draws(ids == 1):
        return {"finding": SHARED}
    found = ", ".join(f"{10 * round(10 * float(share))} %" for share in shares(ids))
    if found != "10 %, 50 %, 0 %, 10 %, 20 %, 10 %":
        chances = "10, 50, 0, 10, 20 and 10 %"
        return {"finding": f"Words of probability {chances} are drawn in {found} of the cases."}
    if abs((share := share_of_one(draw, inputs)) - 0.5) > 0.09:
        found = percent(share)
        return {
            "finding": f"Of 2001 words, one has a probability of 50 %. It is drawn in {found} of the cases."
        }
    told = told_of_rare_words(draw, inputs) or told_of_rows(draw, rows(inputs), inputs)
    return {"finding": told or told_of_options(draw, inputs)}


@sample.part("the generator decides which words are drawn", points=1)
def generator_decides(draw, inputs):
    logits = torch.zeros(40, 30)
    first, second, *others = (
        torch.as_tensor(draw(logits, generator=seeded(seed))[0]) for seed in (1, 1, 2, 3, 4, 5, 6)
    )
    if first.shape != (40,):
        shape = tuple(first.shape)
        return {"finding": f"Your first result has shape {shape}: expected one id for each row."}
    told = "" if torch.equal(first, second) else "Two generators with the same seed give different words."
    if not told and all(torch.equal(first, other) for other in others):
        told = "Every seed gives the same words, so nothing is drawn."
    alone, repeated = ([int(draw(logits[:1], generator=seeded(i))[0]) for i in range(20)] for _ in range(2))
    if not told and len(set(alone)) == 1:
        told = "A single row always gets the same word, so nothing is drawn."
    elif not told and alone != repeated:
        told = "For a single row, two generators with the same seed give different words."
    for options in ({"top_k": 20}, {"top_p": 0.8}, {"temperature": 2.0}):
        ids = [draw(logits, generator=seeded(1), **options)[0] for _ in range(2)]
        if not told and not torch.equal(*map(torch.as_tensor, ids)):
            told = f"With {next(iter(options))}, two generators with the same seed give different words."
    return {"finding": told or told_of_same_words(draw, inputs)}


def draws(draw, **options):
    """Of 1000 draws from two words, of which one has three quarters of the probability: its share."""
    logits = torch.tensor([0.75, 0.25]).log().repeat(1000, 1)
    first, second = (torch.as_tensor(draw(logits, generator=seeded(0), **options)[0]) for _ in range(2))
    return {
        "the likelier word": f"{5 * round(20 * float((first.flatten()[:1000] == 0).float().mean()))} %",
        "same seed, same words": torch.equal(first, second),
    }


sample.names = {"draws": draws}


# Accepted: other ways to write the same


def filtered(logits, temperature, top_k, top_p):
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
    return p


@sample.accept("filtering probabilities, renormalized")
def filtered_probabilities(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    p = filtered(logits, temperature, top_k, top_p)
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


def shifted_probabilities(logits, temperature, top_k, top_p):
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
    return F.softmax(logits, dim=-1)


@sample.accept("the usual shift by one place")
def shifted(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    p = shifted_probabilities(logits, temperature, top_k, top_p)
    return torch.multinomial(p, num_samples=1, generator=generator).flatten(), p


@sample.accept("ascending, as in the library transformers")
def ascending(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    scores = logits / temperature
    if top_k is not None:
        top_k = min(top_k, scores.size(-1))
        scores = scores.masked_fill(scores < torch.topk(scores, top_k)[0][..., -1, None], -float("inf"))
    if top_p is not None:
        sorted_logits, sorted_indices = torch.sort(scores, descending=False)
        sorted_indices_to_remove = sorted_logits.softmax(dim=-1).cumsum(dim=-1) <= (1 - top_p)
        sorted_indices_to_remove[..., -1:] = 0
        removed = sorted_indices_to_remove.scatter(1, sorted_indices, sorted_indices_to_remove)
        scores = scores.masked_fill(removed, -float("inf"))
    probs = scores.softmax(dim=-1)
    return torch.multinomial(probs, num_samples=1, generator=generator).squeeze(1), probs


@sample.accept("Gumbel's way to draw")
def gumbel(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    p = filtered(logits, temperature, top_k, top_p)
    noise = -torch.empty_like(p).exponential_(generator=generator).log()
    return (p.log() + noise).argmax(dim=-1), p


@sample.accept("by the inverse of the cumulative sum")
def inverse(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    p = shifted_probabilities(logits, temperature, top_k, top_p)
    u = torch.rand(len(p), 1, generator=generator)
    return torch.searchsorted(p.cumsum(dim=-1), u, right=True).squeeze(1).clamp_max(p.shape[1] - 1), p
