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
    reduction="mean",
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
        loss = F.cross_entropy(scores, labels, reduction=reduction)
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
    "T36",
    advice="Nothing is learned: `optimizer.step()` is missing, or `zero_grad` stands between `backward` and "
    "`step` and throws the gradients away.",
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


@fine_tune.mistake("F31", advice="The sum grows with the batch: leave `reduction='sum'` out.")
def summed(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, steps, (body_rate, head_rate), reduction="sum")


@fine_tune.mistake(
    "F32", advice="Both groups learn at AdamW's own rate, 0.001: give each its rate, by the key `lr`."
)
def rates_ignored(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, steps, (1e-3, 1e-3))


@fine_tune.mistake(
    "F33",
    advice="You ask for the loss again after the step: a second forward pass, and another loss. "
    "`loss.item()` is that of the step.",
)
def loss_after_the_step(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    losses = []
    groups = [
        {"params": model.body.parameters(), "lr": body_rate},
        {"params": model.head.parameters(), "lr": head_rate},
    ]
    optimizer = torch.optim.AdamW(groups)
    model.train()
    for _ in range(steps):
        optimizer.zero_grad()
        F.cross_entropy(model(ids), labels).backward()
        optimizer.step()
        losses.append(F.cross_entropy(model(ids), labels).item())
    return losses


@fine_tune.mistake("F34", advice="The loop ends in its first round: `return` stands inside it.")
def returns_at_once(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, 1, (body_rate, head_rate))


@fine_tune.mistake("F30", advice="Only the last loss came back: append it to a list in every step.")
def last_loss_only(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    return loop(model, ids, labels, steps, (body_rate, head_rate))[-1]
