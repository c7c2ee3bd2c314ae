"""attention_pooling: a soft look-up in a table, weights from a Gaussian kernel on distances."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.gradients import gradients_of
from course_lib.checks.properties import AVERAGE

attention_pooling = Exercise(
    "attention_pooling",
    points=7,
    returns=("prediction: target", "weights: target source"),
    hints=[
        "Which shape does the table of all differences have, with one row for each query? Which key of a row "
        "should get the largest weight, the nearest or the farthest?",
        "`query[:, None] - key[None, :]` is the table of all differences. It has the shape (target, source).",
        "The score is minus the squared distance, divided by `2 * width**2`. So the nearest key gets the "
        "highest score.",
        "`weights = torch.softmax(scores, dim=-1)` gives the weights of all keys for each query. "
        "The prediction is `weights @ value`.",
    ],
    examples=[
        "attention_pooling(torch.tensor([57.]), torch.tensor([56., 58.]), torch.tensor([43., 48.]))",
        "attention_pooling(torch.tensor([0., 1.]), torch.tensor([0., 1., 3.]), torch.tensor([1., 2., 3.]))",
        "attention_pooling(torch.tensor([0.]), torch.tensor([0., 1.]), torch.tensor([10., 20.]), width=3.)",
        "attention_pooling(torch.tensor([100.]), torch.tensor([0., 1.]), torch.tensor([10., 20.]))",
        "attention_pooling(torch.tensor([100., 0.]), torch.tensor([0., 1.]), torch.tensor([10., 20.]))",
    ],
)


@attention_pooling.reference
def reference(query, key, value, width=1.0):
    scores = -((query[:, None] - key[None, :]) ** 2) / (2 * width**2)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights


@attention_pooling.part("weights from squared distances", points=2, properties=AVERAGE)
def weights(pooling, inputs):
    query, key, value = inputs.normal(5), inputs.normal(7), inputs.normal(7)
    return {
        "weights: target source": pooling(query, key, value)[1],
        "weights (one query): target source": pooling(inputs.normal(1), key, value)[1],
        "weights (queries and keys are one tensor): target source": pooling(key, key, value)[1],
    }


@attention_pooling.part(
    "a wide kernel spreads the weights, and a narrow kernel chooses the nearest key",
    points=1,
    properties=AVERAGE,
)
def width(pooling, inputs):
    query, key, value = inputs.normal(5), inputs.normal(7), inputs.normal(7)
    labels = {"weights: target source": 3.0, "weights (narrow kernel): target source": 0.5}
    return {label: pooling(query, key, value, width)[1] for label, width in labels.items()}


@attention_pooling.part("the prediction is the weighted average of the values, in their dtype", points=1)
def prediction(pooling, inputs):
    query, key, value = inputs.normal(5), inputs.normal(7), inputs.normal(7)
    predicted, weights = pooling(query, key, value)
    between, _ = pooling(torch.tensor([57.0]), torch.tensor([56.0, 58.0]), torch.tensor([43.0, 48.0]))
    doubles = inputs.normal(4).double()  # one key, so that a wrong score does not cost twice
    alone, _ = pooling(doubles, inputs.normal(1).double(), inputs.wide(1).double())
    return {
        "prediction - weights @ value: target": predicted - weights @ value,
        "prediction (halfway between two keys): target": between,
        "prediction (one key, float64): target": alone,
    }


@attention_pooling.part("a query far from every key gets a prediction too", points=1)
def far_away(pooling, inputs):
    # Beside a query that is near, so that one maximum for all of them leaves nothing of the far ones. Whole
    # numbers, since float32 rounds the square of such a distance.
    key = torch.tensor([1.0, -3.0, 0.0, 2.0, -1.0, 3.0, -2.0])
    predicted, weights = pooling(torch.tensor([250.0, 0.0, -250.0]), key, inputs.normal(7))
    between = torch.tensor([0.0, 1.0]), torch.tensor([-20.0, 20.0, 30.0]), inputs.normal(3)
    return {
        "weights: target source": weights,
        "prediction: target": predicted,
        "weights (two keys are the nearest): target source": pooling(*between)[1],
    }


@attention_pooling.part("gradients reach query, keys and values", points=1)
def gradients(pooling, inputs):
    leaves = {
        name: inputs.normal(5 if name == "query" else 7).requires_grad_()
        for name in ("query", "key", "value")
    }
    predicted, _ = pooling(*leaves.values())
    x = inputs.normal(6).requires_grad_()
    alike, _ = pooling(x, x, x)
    found = gradients_of(alike, {"x": x}, of="prediction", case="one tensor for all three")
    return gradients_of(predicted, leaves, of="prediction") | found


# Accepted: other ways to write the same


@attention_pooling.accept("loops over queries and keys")
def loops(query, key, value, width=1.0):
    rows = []
    for q in query:
        scores = torch.stack([-((q - k) ** 2) / (2 * width**2) for k in key])
        rows.append(torch.softmax(scores, dim=0))
    weights = torch.stack(rows)
    return torch.stack([(row * value).sum() for row in weights]), weights


@attention_pooling.accept("exp after subtracting the row maximum")
def stable_exp(query, key, value, width=1.0):
    scores = -0.5 * ((query.unsqueeze(1) - key) / width) ** 2
    weights = torch.exp(scores - scores.max(dim=1, keepdim=True).values)
    weights = weights / weights.sum(dim=1, keepdim=True)
    return torch.einsum("ts,s->t", weights, value), weights


@attention_pooling.accept("log_softmax, then exp")
def log_softmax(query, key, value, width=1.0):
    distance = (query[:, None] - key).abs() / width
    weights = (-distance.square() / 2).log_softmax(-1).exp()
    return (weights * value).sum(-1), weights


@attention_pooling.accept("expanded square: only the part with the key matters")
def expanded(query, key, value, width=1.0):
    scores = (query.outer(key) - key.square() / 2) / width**2
    weights = scores.softmax(-1)
    return weights.matmul(value), weights
