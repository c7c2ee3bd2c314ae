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
    schedule=None,
):
    if mode is not None:
        model.train(mode)
    parts = (model.body, model.head)
    groups = [
        {"params": p.parameters(), "lr": rate}
        for p, rate in zip(parts, rates, strict=True)
        if rate is not None
    ]
    optimizer, losses = make(groups), []
    later = schedule(optimizer) if schedule else None
    for _ in range(steps):
        scores = model(ids).softmax(dim=-1) if softmax else model(ids)
        loss = F.cross_entropy(scores, labels, reduction=reduction)
        if zero:
            optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if later:
            later.step()
        losses.append(result(loss))
    return losses


@mistake("T31")
def no_zero_grad(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Old gradients add up. Clear them in every step, by `optimizer.zero_grad()` before `backward`."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), zero=False)


@mistake
def cleared_too_early(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The model learns nothing. Either `loss.backward()` or `optimizer.step()` does not run, or `zero_grad`
    between the two clears the gradients.
    """
    model.train()
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(model(ids), labels)
        losses.append(loss.item())
    return losses


@mistake
def swapped_rates(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """You swapped the rates. The pretrained body learns at `body_rate`, and the new head at `head_rate`."""
    return loop(model, ids, labels, steps, (head_rate, body_rate))


@mistake
def head_rate_for_all(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The body learns at the rate of the head. Make two groups, each with its own rate."""
    return loop(model, ids, labels, steps, (head_rate, head_rate))


@mistake
def body_rate_for_all(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The head learns at the rate of the body. Make two groups, each with its own rate."""
    return loop(model, ids, labels, steps, (body_rate, body_rate))


@mistake
def head_only(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The body does not change. Fine-tuning trains the body, too: give it a group of its own."""
    return loop(model, ids, labels, steps, (None, head_rate))


@mistake
def body_only(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The head does not change. Put it into a group of the optimizer, too."""
    return loop(model, ids, labels, steps, (body_rate, None))


@mistake
def new_optimizer_each_step(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Each step acts like a first one, because a new optimizer has no averages of gradients. Make the
    optimizer once, before the loop.
    """
    return [loop(model, ids, labels, 1, (body_rate, head_rate))[0] for _ in range(steps)]


@mistake
def plain_sgd(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Your steps are those of plain SGD. The task asks for AdamW."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), make=torch.optim.SGD)


@mistake
def plain_adam(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Your weights have no weight decay. AdamW has it by default, and Adam does not."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), make=torch.optim.Adam)


@mistake(mentions=r"\.eval\(\)")
def asks_for_evaluation_mode(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """`model.eval()` is for testing, because it switches dropout off. Fine-tuning is training: call
    `model.train()`.
    """
    model.eval()
    return loop(model, ids, labels, steps, (body_rate, head_rate), mode=None)


@mistake
def evaluation_mode(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The model learns in evaluation mode, which it may still have from a test. Call
    `model.train()` first.
    """
    return loop(model, ids, labels, steps, (body_rate, head_rate), mode=None)


@mistake("T14", mentions=(r"softmax", r"cross_entropy"))
def softmax_before_the_loss(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """You pass probabilities to `F.cross_entropy`, which contains a softmax. Pass it the model's scores."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), softmax=True)


@mistake
def losses_as_tensors(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """You return tensors. Append plain numbers, `loss.item()`."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), result=lambda loss: loss)


@mistake
def one_step_too_many(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """You make one step too many. `range(steps)` makes as many as asked."""
    return loop(model, ids, labels, steps + 1, (body_rate, head_rate))


@mistake
def summed(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Your losses are sums over all examples, so they grow with the batch. `F.cross_entropy` gives their
    mean.
    """
    return loop(model, ids, labels, steps, (body_rate, head_rate), reduction="sum")


@mistake
def rates_ignored(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Body and head learn at AdamW's own rate, 0.001. Give each group its rate, by the key `lr`."""
    return loop(model, ids, labels, steps, (1e-3, 1e-3))


@mistake
def loss_after_the_step(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """You return the losses after each update. Keep the loss that `backward()` starts from: one call of the
    model in each step is enough.
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
    """You make only one step, whatever `steps` is. (A `return` inside the loop ends it.)"""
    return loop(model, ids, labels, 1, (body_rate, head_rate))


@mistake
def last_loss_only(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """You return only the last loss. Append each loss to a list, and return the list."""
    return loop(model, ids, labels, steps, (body_rate, head_rate))[-1]


@mistake
def running_mean(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Each number is the mean of the losses so far. Keep the loss of each step alone."""
    losses = loop(model, ids, labels, steps, (body_rate, head_rate))
    return [sum(losses[: i + 1]) / (i + 1) for i in range(len(losses))]


@mistake
def first_loss_again(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """You return the loss of the first step every time. Compute the loss inside the loop, from new scores."""
    losses = loop(model, ids, labels, steps, (body_rate, head_rate))
    return losses[:1] * len(losses)


@mistake
def last_loss_in_a_list(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Your list has only the last loss. Make the list before the loop, and append to it inside."""
    return loop(model, ids, labels, steps, (body_rate, head_rate))[-1:]


@mistake
def only_the_head_in_training_mode(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Only a part of the model is in training mode. `model.train()` reaches all of its parts."""
    model.train()
    model.body.eval()
    return loop(model, ids, labels, steps, (body_rate, head_rate), mode=None)


@mistake(mentions="lr_scheduler|StepLR")
def rates_that_fall(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Your schedule makes the learning rates smaller after some steps. The task asks for one rate for the
    body and one for the head, in all steps: leave the schedule out.
    """

    def schedule(optimizer):
        return torch.optim.lr_scheduler.StepLR(optimizer, 30)

    return loop(model, ids, labels, steps, (body_rate, head_rate), schedule=schedule)


@mistake(mentions="lr_scheduler|StepLR")
def rates_that_fall_after_50_steps(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Your schedule makes the learning rates smaller after step 50, whatever `steps` is. The task asks for
    one rate for the body and one for the head, in all steps: leave the schedule out.
    """

    def schedule(optimizer):
        return torch.optim.lr_scheduler.StepLR(optimizer, 50)

    return loop(model, ids, labels, steps, (body_rate, head_rate), schedule=schedule)


@mistake
def at_most_50_steps(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """You make 50 steps at most. Make as many as `steps` says."""
    return loop(model, ids, labels, min(steps, 50), (body_rate, head_rate))
