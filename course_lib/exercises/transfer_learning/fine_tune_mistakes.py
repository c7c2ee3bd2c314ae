"""Wrong answers to fine_tune: name, advice, code."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


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


@mistake("T31")
def no_zero_grad(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Old gradients pile up: `optimizer.zero_grad()` before each `backward`."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), zero=False)


@mistake
def cleared_too_early(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Nothing is learned: `optimizer.step()` is missing, or `zero_grad` stands between `backward` and `step`
    and throws the gradients away.
    """
    model.train()
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(model(ids), labels)
        losses.append(loss.item())
    return losses


@mistake
def swapped_rates(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The rates are swapped: the pretrained body takes `body_rate`, the new head `head_rate`."""
    return loop(model, ids, labels, steps, (head_rate, body_rate))


@mistake
def head_rate_for_all(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """One rate serves for all. Two groups: the body learns with `body_rate`, the head with its own."""
    return loop(model, ids, labels, steps, (head_rate, head_rate))


@mistake
def body_rate_for_all(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The head is new and learns at `head_rate`; yours learns as slowly as the body."""
    return loop(model, ids, labels, steps, (body_rate, body_rate))


@mistake
def head_only(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Only the head learns here. Fine-tuning moves the body, too: give it a group of its own."""
    return loop(model, ids, labels, steps, (None, head_rate))


@mistake
def body_only(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The head is in no group of the optimizer: it stays as it was drawn."""
    return loop(model, ids, labels, steps, (body_rate, None))


@mistake
def new_optimizer_each_step(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Your optimizer is new in every step and forgets its averages: make it once, before the loop."""
    return [loop(model, ids, labels, 1, (body_rate, head_rate))[0] for _ in range(steps)]


@mistake
def plain_sgd(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """This is plain SGD: the task says AdamW."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), make=torch.optim.SGD)


@mistake
def plain_adam(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """This is Adam: AdamW also shrinks the weights a little in every step."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), make=torch.optim.Adam)


@mistake
def evaluation_mode(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The model was tested before and is in evaluation mode: call `model.train()` first."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), mode=False)


@mistake("T14")
def softmax_before_the_loss(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """`F.cross_entropy` contains the softmax already: give it the model's scores."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), softmax=True)


@mistake
def losses_as_tensors(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """These are tensors, each with its whole graph behind it: `loss.item()` is the number."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), result=lambda loss: loss)


@mistake
def one_step_too_many(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """One step too many: `range(steps)` makes as many as were asked."""
    return loop(model, ids, labels, steps + 1, (body_rate, head_rate))


@mistake
def steps_ignored(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The argument `steps` is never used."""
    return loop(model, ids, labels, 100, (body_rate, head_rate))


@mistake
def summed(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The sum grows with the batch: leave `reduction='sum'` out."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), reduction="sum")


@mistake
def rates_ignored(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Both groups learn at AdamW's own rate, 0.001: give each its rate, by the key `lr`."""
    return loop(model, ids, labels, steps, (1e-3, 1e-3))


@mistake
def loss_after_the_step(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """You ask for the loss again after the step: a second forward pass, and another loss. `loss.item()` is
    that of the step.
    """
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


@mistake
def returns_at_once(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The loop ends in its first round: `return` stands inside it."""
    return loop(model, ids, labels, 1, (body_rate, head_rate))


@mistake
def last_loss_only(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Only the last loss came back: append it to a list in every step."""
    return loop(model, ids, labels, steps, (body_rate, head_rate))[-1]
