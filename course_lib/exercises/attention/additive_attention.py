"""additive_attention: scores from a small network with one hidden layer (Bahdanau et al. 2015)."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of
from course_lib.checks.properties import AVERAGE, follows

additive_attention = Exercise(
    "additive_attention",
    points=6,
    returns=("output: batch target d_v", "weights: batch target source"),
    hints=[
        "Every query is compared with every key, and each pair has a hidden layer of its own. Which four "
        "axes does the hidden layer of all pairs have? Project queries and keys to the hidden size first.",
        "`queries = query @ W_query` has the shape (batch, target, hidden), and `keys = key @ W_key` has the "
        "shape (batch, source, hidden).",
        "`queries[:, :, None]` and `keys[:, None]` have four axes. Their sum has the shape "
        "(batch, target, source, hidden), one row for each pair.",
        "Write `scores = torch.tanh(queries[:, :, None] + keys[:, None]) @ v`. Then apply a softmax over the "
        "source, and return `weights @ value, weights`.",
    ],
    examples=[
        "additive_attention(torch.tensor([[[1.]]]), torch.tensor([[[1.], [-1.]]]), "
        "torch.tensor([[[10.], [20.]]]), torch.tensor([[1.]]), torch.tensor([[1.]]), torch.tensor([2.]))",
        "additive_attention(torch.tensor([[[1.], [-2.]]]), torch.tensor([[[1., 0.], [0., 1.]]]), "
        "torch.tensor([[[10.], [20.]]]), torch.tensor([[1., 0., 2.]]), "
        "torch.tensor([[1., 0., 0.], [0., 1., 0.]]), torch.tensor([1., 2., 3.]))",
        "additive_attention(torch.tensor([[[5.], [-5.]]]), torch.tensor([[[0.], [0.]]]), "
        "torch.tensor([[[10.], [20.]]]), torch.tensor([[1.]]), torch.tensor([[1.]]), torch.tensor([300.]))",
    ],
)


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


@additive_attention.part("weights", points=1, properties=AVERAGE)
def weights(attention, inputs):
    x, size = inputs.normal(2, 5, 5), (5, 5)
    parameters = inputs.normal(*size), inputs.normal(*size), inputs.normal(5)
    return {
        "weights: batch target source": attention(*arguments(inputs).values())[1],
        "weights (self-attention, all sizes are 5): batch target source": attention(x, x, x, *parameters)[1],
    }


@additive_attention.part(
    "the weights are right for large scores of either sign", points=1, properties=AVERAGE
)
def large_scores(attention, inputs):
    # The scores of the first query are 300, 0 and 300, those of the second all near -300.
    query, value = torch.tensor([[[5.0], [-5.0]]]), inputs.normal(1, 3, 4)
    key = torch.tensor([[[0.0, 0.0], [-2.5, -2.5], [0.0, 0.0]]])
    parameters = torch.ones(1, 1), torch.ones(2, 1), torch.tensor([300.0])
    # Here the scores lie together, far from 0: 303, 299 and 301, or 600 less.
    together = 6 * query, torch.tensor([[[30.0, 30.0], [-30.0, -30.0], [-30.0, 30.0]]])
    sums = torch.eye(3)[:1], torch.eye(3)[1:], torch.tensor([300.0, 1.0, 2.0])
    return {
        "weights: batch target source": attention(query, key, value, *parameters)[1],
        "weights (scores far from 0): batch target source": attention(*together, value, *sums)[1],
    }


@additive_attention.part(
    "another query gives other weights", points=1, properties=(follows("change of the weights", "the query"),)
)
def query_matters(attention, inputs):
    first = arguments(inputs)
    second = first | {"query: batch target d_q": inputs.normal(2, 5, 3)}
    change = attention(*second.values())[1] - attention(*first.values())[1]
    return {"change of the weights: batch target source": change}


@additive_attention.part("the output averages the values by the weights, in their dtype", points=1)
def output(attention, inputs):
    indifferent = arguments(inputs) | {"v: hidden": torch.zeros(8)}
    value = indifferent["value: batch source d_v"]
    averaged, weights = attention(*indifferent.values())
    wide = indifferent | {"value: batch source d_v": inputs.wide(2, 7, 4)}
    doubles, _ = attention(*(tensor.double() for tensor in wide.values()))
    return {
        "output (all scores 0, float64): batch target d_v": doubles,
        "precision": told_of_precision(attention, arguments(inputs)),
        "output (all scores 0): batch target d_v": averaged,
        "output - weights @ value: batch target d_v": averaged - weights @ value,
    }


LOST = "With float64 arguments, a small change of `{0}` is lost. Do not use float32 on the way."


def told_of_precision(attention, given) -> str:
    """A finding: whether float64 is kept on the way, so that a small change counts as a large one does."""
    wide = {label: tensor.double() for label, tensor in given.items()}
    base = attention(*wide.values())
    for label, tensor in wide.items():
        small, large = (attention(*(wide | {label: tensor + step}).values()) for step in (1e-10, 1e-4))
        for before, near, far in zip(base, small, large, strict=True):
            if not torch.allclose(1e6 * (near - before), far - before, rtol=0.1, atol=1e-6):
                return LOST.format(label.partition(":")[0])
    return ""


@additive_attention.part("gradients reach everything that is learned", points=1)
def gradients(attention, inputs):
    leaves = {label.split(":")[0]: tensor.requires_grad_() for label, tensor in arguments(inputs).items()}
    result, weights = attention(*leaves.values())
    # The decoder of lesson 10 trains through the weights too. They do not depend on the values.
    asked = {name: leaf for name, leaf in leaves.items() if name != "value"}
    through = gradients_of(weights, asked, of="weights", case="through the weights")
    found = gradients_of(result, leaves, of="output") | through
    memory = inputs.normal(2, 7, 6).requires_grad_()  # keys and values, as that decoder gives them
    read, _ = attention(leaves["query"], memory, memory, *list(leaves.values())[3:])
    return found | gradients_of(read, {"memory": memory}, of="output", case="keys and values")


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
