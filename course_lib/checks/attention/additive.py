"""additive_attention: scores from a small network with one hidden layer (Bahdanau et al. 2015)."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of
from course_lib.checks.properties import follows, proper_average, rows_sum_to_one, sharpness

additive_attention = Exercise(
    "additive_attention",
    points=6,
    returns=("output: batch target d_v", "weights: batch target source"),
    hints=[
        "Project both first: `query @ W_query` has shape (batch, target, hidden), "
        "`key @ W_key` has (batch, source, hidden).",
        "Every query meets every key: `[:, :, None]` on the one and `[:, None]` on the other give "
        "(batch, target, source, hidden) when they are added.",
        "`scores = torch.tanh(queries[:, :, None] + keys[:, None]) @ v`, then a softmax over the source, "
        "then `weights @ value`.",
    ],
    examples=[
        "additive_attention(torch.tensor([[[1.]]]), torch.tensor([[[1.], [-1.]]]), "
        "torch.tensor([[[10.], [20.]]]), torch.tensor([[1.]]), torch.tensor([[1.]]), torch.tensor([2.]))",
        "additive_attention(torch.tensor([[[1.], [-2.]]]), torch.tensor([[[1., 0.], [0., 1.]]]), "
        "torch.tensor([[[10.], [20.]]]), torch.tensor([[1., 0., 2.]]), "
        "torch.tensor([[1., 0., 0.], [0., 1., 0.]]), torch.tensor([1., 2., 3.]))",
    ],
)

AVERAGE = (rows_sum_to_one("weights"), sharpness("weights"), proper_average("weights"))
ARGUMENTS = {  # all sizes differ, so that a swapped axis cannot hide
    "query: batch target d_q": (2, 5, 3),
    "key: batch source d_k": (2, 7, 6),
    "value: batch source d_v": (2, 7, 4),
    "W_query: d_q hidden": (3, 8),
    "W_key: d_k hidden": (6, 8),
    "v: hidden": (8,),
}


def arguments(inputs):
    return {label: inputs.normal(*shape) for label, shape in ARGUMENTS.items()}


@additive_attention.reference
def reference(query, key, value, W_query, W_key, v):
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@additive_attention.part("weights", points=2, properties=AVERAGE)
def weights(attention, inputs):
    return {"weights: batch target source": attention(*arguments(inputs).values())[1]}


@additive_attention.part(
    "another query gives other weights", points=1, properties=(follows("change of the weights", "the query"),)
)
def query_matters(attention, inputs):
    first = arguments(inputs)
    second = first | {"query: batch target d_q": inputs.normal(2, 5, 3)}
    change = attention(*second.values())[1] - attention(*first.values())[1]
    return {"change of the weights: batch target source": change}


@additive_attention.part("the output averages the values by the weights", points=1)
def output(attention, inputs):
    indifferent = arguments(inputs) | {"v: hidden": torch.zeros(8)}
    value = indifferent["value: batch source d_v"]
    averaged, weights = attention(*indifferent.values())
    return {
        "output (all scores 0): batch target d_v": averaged,
        "output - weights @ value: batch target d_v": averaged - weights @ value,
    }


@additive_attention.part("gradients reach everything that is learned", points=1)
def gradients(attention, inputs):
    leaves = {label.split(":")[0]: tensor.requires_grad_() for label, tensor in arguments(inputs).items()}
    result, _ = attention(*leaves.values())
    return gradients_of(result, leaves)


# Accepted: other ways to write the same


@additive_attention.accept("einsum")
def einsum(query, key, value, W_query, W_key, v):
    queries = torch.einsum("btq,qh->bth", query, W_query)
    keys = torch.einsum("bsk,kh->bsh", key, W_key)
    hidden = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
    weights = torch.einsum("btsh,h->bts", hidden, v).softmax(dim=2)
    return torch.einsum("bts,bsd->btd", weights, value), weights


@additive_attention.accept("loops over target and source")
def loops(query, key, value, W_query, W_key, v):
    rows = []
    for t in range(query.shape[1]):
        scores = []
        for s in range(key.shape[1]):
            scores.append(torch.tanh(query[:, t] @ W_query + key[:, s] @ W_key) @ v)
        rows.append(torch.stack(scores, dim=-1).softmax(-1))
    weights = torch.stack(rows, dim=1)
    return torch.bmm(weights, value), weights


@additive_attention.accept("one matrix for the concatenated query and key")
def concatenated(query, key, value, W_query, W_key, v):
    target, source = query.shape[1], key.shape[1]
    pairs = torch.cat(
        [query[:, :, None].expand(-1, -1, source, -1), key[:, None].expand(-1, target, -1, -1)], dim=-1
    )
    scores = torch.tanh(pairs @ torch.cat([W_query, W_key])) @ v
    weights = F.softmax(scores, dim=-1)
    return weights.matmul(value), weights


@additive_attention.accept("torch.nn.functional.linear and a manual softmax")
def linear(query, key, value, W_query, W_key, v):
    queries, keys = F.linear(query, W_query.T), F.linear(key, W_key.T)
    scores = (torch.tanh(queries.unsqueeze(-2) + keys.unsqueeze(-3)) * v).sum(-1)
    weights = torch.exp(scores - scores.amax(-1, keepdim=True))
    weights = weights / weights.sum(-1, keepdim=True)
    return weights @ value, weights


# Mistakes


@additive_attention.mistake(
    "Q1",
    advice="Put tanh around the sum. Without it the query adds one constant to all scores, and the softmax "
    "removes it.",
)
def no_tanh(query, key, value, W_query, W_key, v):
    hidden = (query @ W_query)[:, :, None] + (key @ W_key)[:, None]
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@additive_attention.mistake(
    "Q2", advice="The query cancels in the softmax: add query and key first, tanh after."
)
def tanh_each(query, key, value, W_query, W_key, v):
    hidden = torch.tanh(query @ W_query)[:, :, None] + torch.tanh(key @ W_key)[:, None]
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@additive_attention.mistake(
    "Q3",
    advice="The score is `tanh(queries + keys) @ v`: weight the hidden units by `v`, do not only add them.",
)
def no_v(query, key, value, W_query, W_key, v):
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden.sum(-1), dim=-1)
    return weights @ value, weights


@additive_attention.mistake(
    "Q3", advice="The score is `tanh(queries + keys) @ v`: tanh belongs before `v`, on the hidden units."
)
def tanh_after_v(query, key, value, W_query, W_key, v):
    hidden = (query @ W_query)[:, :, None] + (key @ W_key)[:, None]
    weights = torch.softmax(torch.tanh(hidden @ v), dim=-1)
    return weights @ value, weights


@additive_attention.mistake(
    "Q3", advice="The matrices are swapped: `W_query` is for queries, `W_key` for keys."
)
def swapped_matrices(query, key, value, W_query, W_key, v):
    hidden = torch.tanh((query @ W_key)[:, :, None] + (key @ W_query)[:, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@additive_attention.mistake("Q5", advice="Score with projected keys, but average the values themselves.")
def averages_projected_keys(query, key, value, W_query, W_key, v):
    keys = key @ W_key
    weights = torch.softmax(torch.tanh((query @ W_query)[:, :, None] + keys[:, None]) @ v, dim=-1)
    return weights @ keys, weights


@additive_attention.mistake(
    "Q5", advice="You averaged the keys: the keys decide the weights, what is averaged are the values."
)
def averages_keys(query, key, value, W_query, W_key, v):
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ key, weights


@additive_attention.mistake(
    "Q7", advice="ReLU in place of tanh: a fine idea, but not the formula of this exercise."
)
def relu(query, key, value, W_query, W_key, v):
    hidden = torch.relu((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@additive_attention.mistake("Q8", advice="Additive scores are not scaled: tanh bounds them already.")
def scaled(query, key, value, W_query, W_key, v):
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v / v.shape[0] ** 0.5, dim=-1)
    return weights @ value, weights


@additive_attention.mistake(
    "Q9",
    advice="That is a dot product of the projections: additive attention adds them, then tanh, then `v`.",
)
def multiplied(query, key, value, W_query, W_key, v):
    weights = torch.softmax((query @ W_query) @ (key @ W_key).mT, dim=-1)
    return weights @ value, weights


@additive_attention.mistake(
    "A1",
    advice="Your weights sum to one over the queries: each key distributes itself, instead of each query "
    "choosing "
    "among keys.",
)
def over_queries(query, key, value, W_query, W_key, v):
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v, dim=-2)
    return weights @ value, weights


@additive_attention.mistake(
    "A3", advice="Your softmax runs over the batch: sentences compete with each other. Say dim=-1."
)
def over_batch(query, key, value, W_query, W_key, v):
    hidden = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None])
    weights = torch.softmax(hidden @ v, dim=0)
    return weights @ value, weights


@additive_attention.mistake("A13", advice="These are scores, not weights yet: the softmax is missing.")
def no_softmax(query, key, value, W_query, W_key, v):
    weights = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None]) @ v
    return weights @ value, weights


@additive_attention.mistake(
    "A16", advice="`keepdim=True` keeps the sum next to its row; without it the division goes astray."
)
def no_keepdim(query, key, value, W_query, W_key, v):
    scores = torch.tanh((query @ W_query)[:, :, None] + (key @ W_key)[:, None]) @ v
    weights = torch.exp(scores) / torch.exp(scores).sum(-1)
    return weights @ value, weights


@additive_attention.mistake(
    "Q10",
    advice="Query and key need axes of their own, so that every query meets every key: "
    "`[:, :, None]` on the one and `[:, None]` on the other.",
)
def no_axes(query, key, value, W_query, W_key, v):
    weights = torch.softmax(torch.tanh(query @ W_query + key @ W_key) @ v, dim=-1)
    return weights @ value, weights


@additive_attention.mistake(
    "Q11", advice="Rows are vectors here: `query @ W_query`, and the matrix needs no transpose."
)
def matrix_first(query, key, value, W_query, W_key, v):
    hidden = torch.tanh((W_query.T @ query)[:, :, None] + (W_key.T @ key)[:, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights


@additive_attention.mistake(
    "Q12", advice="Your scores are (batch, source, target): the axis of the queries comes first."
)
def keys_first(query, key, value, W_query, W_key, v):
    hidden = torch.tanh((query @ W_query)[:, None] + (key @ W_key)[:, :, None])
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights
