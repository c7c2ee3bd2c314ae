"""beam_step: one step of beam search with a cache, whose rows have to follow their hypotheses."""

import torch

from course_lib.checks.exercise import Exercise

beam_step = Exercise(
    "beam_step",
    points=6,
    returns=(
        "parents: beam",
        "words: beam",
        "scores: beam",
        "cache: layer pair beam kv_heads total d_k",
    ),
    hints=[
        "How many candidates are there, if each hypothesis can be continued with each word? Which "
        "hypothesis does each chosen candidate continue?",
        "A candidate's score is the sum of its hypothesis' score and the log-probability of its word: "
        "`scores[:, None] + logits.log_softmax(dim=-1)`, of shape (hypotheses, vocab).",
        "`.flatten().topk(beams)` gives the best scores, and their indices in the flat list. Index `i` is "
        "in row `i // vocab` and column `i % vocab`.",
        "The row is the parent, and the column is the word. The cache of each new hypothesis is a copy of "
        "its parent's: `cache[:, :, parents]`.",
    ],
    examples=[
        "beam_step(torch.tensor([0.]), torch.tensor([[0., 2., 1.]]), torch.ones(1, 2, 1, 1, 1, 1), 2)",
        "beam_step(torch.tensor([-1., -3.]), torch.tensor([[0., 2., 0.], [0., 0., 9.]]), "
        "torch.arange(4.).view(1, 2, 2, 1, 1, 1), 2)",
        "beam_step(torch.tensor([-4., -1.]), torch.tensor([[0., 2., 0.], [5., 0., 4.]]), "
        "torch.arange(4.).view(1, 2, 2, 1, 1, 1), 2)",
        "beam_step(torch.tensor([-2., -1.]), torch.tensor([[20., 0., 0.], [9., 0., 4.]]), "
        "torch.arange(8.).view(2, 2, 2, 1, 1, 1), 2)",
        "beam_step(torch.tensor([-2., -1., -1.]), torch.tensor([[1., 0.], [2., 0.], [0., 3.]]), "
        "torch.arange(6.).view(1, 2, 3, 1, 1, 1), 3)",
    ],
)


@beam_step.reference
def reference(scores, logits, cache, beams):
    total = scores[:, None] + logits.log_softmax(dim=-1)
    scores, index = total.flatten().topk(beams)
    parents, words = index // logits.shape[-1], index % logits.shape[-1]
    return parents, words, scores, cache[:, :, parents]


def arguments(inputs, hypotheses=8, vocab=7):
    """Scores, logits and a cache: 2 layers, 3 heads, 5 words, 6 numbers.

    More hypotheses than words, so that a word in the place of a parent is found in the cache too.
    """
    scores, logits = inputs.normal(hypotheses), 2 * inputs.normal(hypotheses, vocab)
    # the second parent continues twice, and the first not at all
    scores[0], scores[1], logits[1, :2] = scores.min() - 9, scores.max(), 8 + inputs.uniform(0, 0.5, 2)
    return scores, logits + inputs.normal(hypotheses, 1), inputs.normal(2, 2, hypotheses, 3, 5, 6)


@beam_step.part("the best of all continuations are chosen, by the sum of log-probabilities", points=2)
def chosen(beam_step, inputs):
    scores, logits, cache = arguments(inputs)
    _, words, best, _ = beam_step(scores, logits, cache, 8)
    _, first, begun, _ = beam_step(scores[:1], logits[:1], cache[:, :, :1], 3)
    some = arguments(inputs, 3, 9)
    some[0][2], some[1][2, 0] = some[0][1], 12  # two good ones go on with the same word
    _, same, alike, _ = beam_step(*some, 4)
    return {
        "words: beam": words,
        "scores: beam": best,
        "words (two with the same one): beam": same,
        "scores (two with the same word): beam": alike,
        "words (after one hypothesis): beam": first,
        "scores (after one hypothesis): beam": begun,
    }


@beam_step.part("each word is known with the hypothesis that it continues", points=1)
def parents(beam_step, inputs):
    return {"parents: beam": beam_step(*arguments(inputs), 8)[0]}


@beam_step.part("each new hypothesis has the cache of the one that it continues", points=2)
def follows(beam_step, inputs):
    scores, logits, cache = arguments(inputs)
    found, _, _, moved = beam_step(scores, logits, cache, 8)
    # Of an answer's own parents, so that wrong parents cost one part.
    return {
        "shape": list(moved.shape),
        "difference from the caches of the parents: layer pair beam kv_heads total d_k": moved
        - cache[:, :, found.long()],
        "difference from the caches of the parents (each goes on once): layer pair beam kv_heads total d_k": (
            each_once(beam_step, cache[:, :, :3])
        ),
        "all new hypotheses have one parent": bool((found == found[0]).all()),
        "cache": "Your new cache is the old one: no row has moved." if torch.equal(moved, cache) else "",
    }


def each_once(beam_step, cache):
    """As in `follows`, where three hypotheses go on once each, and change places."""
    found, _, _, moved = beam_step(torch.tensor([-2.0, -3.0, -1.0]), 30 * torch.eye(3, 5), cache, 3)
    return moved - cache[:, :, found.long()]


# Accepted: other ways to write the same


@beam_step.accept("divmod, index_select")
def selected(scores, logits, cache, beams):
    total = torch.log_softmax(logits, -1) + scores.unsqueeze(1)
    best = torch.topk(total.view(-1), beams)
    parents = torch.div(best.indices, total.shape[1], rounding_mode="floor")
    words = best.indices - parents * total.shape[1]
    return parents, words, best.values, cache.index_select(2, parents)


@beam_step.accept("sorted in plain Python")
def in_python(scores, logits, cache, beams):
    logp = logits.log_softmax(-1)
    found = [
        (scores[row] + logp[row, word], row, word)
        for row in range(logits.shape[0])
        for word in range(logits.shape[1])
    ]
    found = sorted(found, key=lambda each: float(each[0]), reverse=True)[:beams]
    best, parents, words = zip(*found, strict=True)
    copies = torch.stack([cache[:, :, row] for row in parents], dim=2)
    return torch.tensor(parents), torch.tensor(words), torch.stack(best), copies


@beam_step.accept("the best words of each hypothesis first")
def two_stages(scores, logits, cache, beams):
    each = min(beams, logits.shape[-1])
    likely, ids = (logits - logits.logsumexp(dim=-1, keepdim=True)).topk(each, dim=-1)
    best, index = (scores[:, None] + likely).reshape(-1).topk(beams)
    parents = index // each
    return parents, ids.reshape(-1)[index], best, torch.cat([cache[:, :, [i]] for i in parents], dim=2)


@beam_step.accept("unravel_index")
def unravelled(scores, logits, cache, beams):
    total = scores.view(-1, 1) + torch.nn.functional.log_softmax(logits, dim=1)
    best, index = total.ravel().sort(descending=True)
    rows, columns = torch.unravel_index(index[:beams], total.shape)
    return rows, columns, best[:beams], cache[:, :, rows].clone()
