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
    if mode is not None:
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
    """Old gradients pile up: they are cleared in every step, by `optimizer.zero_grad()` before `backward`."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), zero=False)


@mistake
def cleared_too_early(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Nothing is learned: `loss.backward()` or `optimizer.step()` does not run, or `zero_grad` stands between
    the two and throws the gradients away.
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
    """The body learns at the rate of the head: two groups, each with a rate of its own."""
    return loop(model, ids, labels, steps, (head_rate, head_rate))


@mistake
def body_rate_for_all(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The head learns at the rate of the body. It is new, and learns at `head_rate`: two groups."""
    return loop(model, ids, labels, steps, (body_rate, body_rate))


@mistake
def head_only(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The body stays as it was. Fine-tuning moves it, too: give it a group of its own."""
    return loop(model, ids, labels, steps, (None, head_rate))


@mistake
def body_only(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The head stays as it was drawn: put it into a group of the optimizer, too."""
    return loop(model, ids, labels, steps, (body_rate, None))


@mistake
def new_optimizer_each_step(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Each step is like a first one: the optimizer forgets its averages. Make it once, before the loop."""
    return [loop(model, ids, labels, 1, (body_rate, head_rate))[0] for _ in range(steps)]


@mistake
def plain_sgd(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """This is plain SGD: the task says AdamW."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), make=torch.optim.SGD)


@mistake
def plain_adam(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The weights are not shrunk: AdamW does so a little in every step, by itself; Adam does not."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), make=torch.optim.Adam)


@mistake(mentions=r"\.eval\(\)")
def asks_for_evaluation_mode(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """`model.eval()` is for testing: it switches dropout off. Fine-tuning is training: `model.train()`."""
    model.eval()
    return loop(model, ids, labels, steps, (body_rate, head_rate), mode=None)


@mistake
def evaluation_mode(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The model learns in evaluation mode: it may come so from a test. Call `model.train()` first."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), mode=None)


@mistake("T14", mentions=(r"softmax", r"cross_entropy"))
def softmax_before_the_loss(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """`F.cross_entropy` contains the softmax already: give it the model's scores."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), softmax=True)


@mistake
def losses_as_tensors(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """These are tensors: `loss.item()` is the number, and lets go of the graph behind the loss."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), result=lambda loss: loss)


@mistake
def one_step_too_many(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """One step too many: `range(steps)` makes as many as were asked."""
    return loop(model, ids, labels, steps + 1, (body_rate, head_rate))


@mistake
def summed(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Your losses are sums over all examples, and grow with the batch: `F.cross_entropy` gives their mean."""
    return loop(model, ids, labels, steps, (body_rate, head_rate), reduction="sum")


@mistake
def rates_ignored(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Body and head learn at AdamW's own rate, 0.001: give each group its rate, by the key `lr`."""
    return loop(model, ids, labels, steps, (1e-3, 1e-3))


@mistake
def loss_after_the_step(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Each of your losses is that of the model after its update. Keep the one that `backward()` starts from:
    one call of the model in each step is enough.
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
    """Only one step is made, whatever `steps` says. (A `return` inside the loop ends it.)"""
    return loop(model, ids, labels, 1, (body_rate, head_rate))


@mistake
def last_loss_only(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Only the last loss came back. A list keeps them all: append each."""
    return loop(model, ids, labels, steps, (body_rate, head_rate))[-1]


@mistake
def running_mean(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Each number is the mean of the losses so far: keep the loss of each step as it is."""
    losses = loop(model, ids, labels, steps, (body_rate, head_rate))
    return [sum(losses[: i + 1]) / (i + 1) for i in range(len(losses))]


@mistake
def first_loss_again(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """It is the loss of the first step every time: compute the loss inside the loop, from new scores."""
    losses = loop(model, ids, labels, steps, (body_rate, head_rate))
    return losses[:1] * len(losses)


@mistake
def last_loss_in_a_list(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """The list holds the last loss alone: make the list before the loop, and append in it."""
    return loop(model, ids, labels, steps, (body_rate, head_rate))[-1:]


@mistake
def only_the_head_in_training_mode(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Only a part of the model is in training mode: `model.train()` reaches all of its parts."""
    model.train()
    model.body.eval()
    return loop(model, ids, labels, steps, (body_rate, head_rate), mode=None)
