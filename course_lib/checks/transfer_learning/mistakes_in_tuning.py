"""Mistakes in fine_tune: a loop with one slip each."""

import torch
import torch.nn.functional as F

from course_lib.checks.transfer_learning.tuning import fine_tune


def loop(
    model,
    ids,
    labels,
    steps,
    rates,
    *,
    make=torch.optim.AdamW,
    mode=True,
    zero=True,
    result=float,
    softmax=False,
):
    model.train(mode)
    parts = (model.body, model.head)
    groups = [
        {"params": p.parameters(), "lr": rate}
        for p, rate in zip(parts, rates, strict=True)
        if rate is not None
    ]
    optimizer, losses = make(groups), []
    for _ in range(steps):
        scores = model(ids).softmax(dim=-1) if softmax else model(ids)
        loss = F.cross_entropy(scores, labels)
        if zero:
            optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(result(loss))
    return losses


@fine_tune.mistake("T31", advice="Old gradients pile up: `optimizer.zero_grad()` before each `backward`.")
def no_zero_grad(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, steps, (body_rate, head_rate), zero=False)


@fine_tune.mistake(
    "T36", advice="`zero_grad` between `backward` and `step` throws the gradients away: nothing is learned."
)
def cleared_too_early(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    model.train()
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(model(ids), labels)
        losses.append(loss.item())
    return losses


@fine_tune.mistake(
    "F20", advice="The rates are swapped: the pretrained body takes `body_rate`, the new head `head_rate`."
)
def swapped_rates(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, steps, (head_rate, body_rate))


@fine_tune.mistake(
    "F21",
    advice="One rate serves for all. Two groups: the body learns with `body_rate`, the head with its own.",
)
def head_rate_for_all(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, steps, (head_rate, head_rate))


@fine_tune.mistake(
    "F21", advice="The head is new and learns at `head_rate`; yours learns as slowly as the body."
)
def body_rate_for_all(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, steps, (body_rate, body_rate))


@fine_tune.mistake(
    "F22", advice="Only the head learns here. Fine-tuning moves the body, too: give it a group of its own."
)
def head_only(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, steps, (None, head_rate))


@fine_tune.mistake("F23", advice="The head is in no group of the optimizer: it stays as it was drawn.")
def body_only(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, steps, (body_rate, None))


@fine_tune.mistake(
    "F24",
    advice="Your optimizer is new in every step and forgets its averages: make it once, before the loop.",
)
def new_optimizer_each_step(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return [loop(model, ids, labels, 1, (body_rate, head_rate))[0] for _ in range(steps)]


@fine_tune.mistake("F25", advice="This is plain SGD: the task says AdamW.")
def plain_sgd(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, steps, (body_rate, head_rate), make=torch.optim.SGD)


@fine_tune.mistake("F26", advice="This is Adam: AdamW also shrinks the weights a little in every step.")
def plain_adam(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, steps, (body_rate, head_rate), make=torch.optim.Adam)


@fine_tune.mistake(
    "T34", advice="The model was tested before and is in evaluation mode: call `model.train()` first."
)
def evaluation_mode(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, steps, (body_rate, head_rate), mode=False)


@fine_tune.mistake(
    "T14", advice="`F.cross_entropy` contains the softmax already: give it the model's scores."
)
def softmax_before_the_loss(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, steps, (body_rate, head_rate), softmax=True)


@fine_tune.mistake(
    "F27", advice="These are tensors, each with its whole graph behind it: `loss.item()` is the number."
)
def losses_as_tensors(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, steps, (body_rate, head_rate), result=lambda loss: loss)


@fine_tune.mistake("F28", advice="One step too many: `range(steps)` makes as many as were asked.")
def one_step_too_many(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, steps + 1, (body_rate, head_rate))


@fine_tune.mistake("F29", advice="The argument `steps` is never used.")
def steps_ignored(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, 100, (body_rate, head_rate))


@fine_tune.mistake("F30", advice="Only the last loss came back: append it to a list in every step.")
def last_loss_only(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, steps, (body_rate, head_rate))[-1]
