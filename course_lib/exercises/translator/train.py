"""train: step after step, each on a batch drawn at random, at the rate of its time."""

import random
from itertools import islice

import torch

from course_lib.checks.drawn import told_of_draws
from course_lib.checks.exercise import Exercise
from course_lib.exercises.translator.smoothed_loss import smoothed_reference
from course_lib.exercises.translator.stand_ins import Drawing, asked_in, told_of_mode
from course_lib.exercises.translator.train_step import lesson_for, step_reference, train_step
from course_lib.exercises.translator.training_runs import (
    GROUPS,
    drawing,
    drawn_by,
    flat,
    low,
    modes_in,
    printed_by,
    rates,
    rates_of,
    reports_of,
    silent,
    steep,
    told_of_batches,
    told_of_runs,
    trainee,
    uneven,
)

train = Exercise(
    "train",
    points=8,
    returns=("losses",),
    hints=[
        "What has to happen in every step, and in which order? There are the rate, the batch, the step "
        "itself and its loss, and in some steps the report.",
        "`range(1, steps + 1)` counts the steps from 1. An optimizer keeps its rates in "
        "`optimizer.param_groups`, a list of dictionaries. Each dictionary has a rate, under the key `lr`.",
        "`for group in optimizer.param_groups: group['lr'] = rate(step)`; then `random.choice(batches)` is a "
        "batch, and `train_step(model, *batch, optimizer)` returns its loss. Keep the losses in a list.",
        "Report when `step % every == 0`. The mean is `sum(losses[-every:]) / every`.",
    ],
    examples=[
        "train(*trainee(), steps=1, rate=flat)",
        "train(*trainee(), steps=5, rate=flat)",
        "train(*trainee(1), steps=2, rate=flat)",
        "train(*trainee(), steps=5, rate=flat, report=silent, every=2)",
        "rates_of(train)",
        "reports_of(train, steps=5, every=2)",
        "reports_of(train, steps=2, every=3)",
        "reports_of(train, steps=2, every=1)",
        "told_of_batches(train)",
        "twice(train)",
        "modes_in(train)",
        "printed_by(train)",
    ],
    uses=(train_step,),
    repeatable=False,
)


@train.reference
def train_reference(model, batches, optimizer, steps, rate, report=print, every=200):
    losses = []
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = rate(step)
        losses.append(step_reference(model, *random.choice(batches), optimizer))
        if step % every == 0:
            report(step, sum(losses[-every:]) / every)
    return losses


def twice(train):
    """The losses of two trainings, the second with the model and the optimizer of the first."""
    model, batches, optimizer = trainee()
    with drawing(0):
        return [train(model, batches, optimizer, steps, flat, silent, 2) for steps in (3, 2)]


train.names = {
    "modes_in": modes_in,
    "printed_by": printed_by,
    "rates_of": rates_of,
    "reports_of": reports_of,
    "flat": flat,
    "silent": silent,
    "told_of_batches": told_of_batches,
    "trainee": trainee,
    "twice": twice,
}


@train.part("it makes `steps` steps, and returns the loss of each", points=2)
def makes_steps(train, inputs):
    found = {}
    for steps, count in ((7, 3), (3, 1), (2, 5), (0, 2)):
        model, batches, optimizer = trainee(count)
        model.train(steps != 2)  # a test of the translator may have left it in evaluation mode
        with drawing(inputs.integer(0, 10**6)):
            found[f"losses ({count} batches, {steps} steps)"] = train(model, batches, optimizer, steps, flat)
        found[f"steps made ({count} batches, {steps} steps)"] = len(rates(optimizer))
    return found


@train.part("it continues with the given model and optimizer, and their state", points=1)
def goes_on(train, inputs):
    model, batches, optimizer = trainee()
    with drawing(inputs.integer(0, 10**6)):
        losses = [train(model, batches, optimizer, steps, flat, silent, 2) for steps in (3, 4)]
    model_that_draws, source, target, steps = lesson_for(inputs, kind=Drawing)
    train(model_that_draws, [(source, target)], steps, 3, flat, silent, 2)
    return {
        "random numbers": told_of_draws(model_that_draws),
        "losses (of a second training)": losses[1],
        "weights of the model: word next": model.after,
        "modes in which the model was asked": sorted(set(asked_in(model))),
        "mode afterwards": told_of_mode(model),
    }


@train.part("before step s it sets the rate of all groups to rate(s)", points=1)
def sets_rates(train, inputs):
    model, batches, optimizer = trainee()
    with drawing(inputs.integer(0, 10**6)):
        for rate in (uneven, steep, low):
            train(model, batches, optimizer, 6, rate, silent, 4)
            model.eval()
    columns = zip(*made, strict=True) if (made := rates(optimizer)) else [()] * GROUPS
    return {f"rates of group {place} of {GROUPS}": list(column) for place, column in enumerate(columns, 1)}


@train.part("each step draws its batch at random, and `batches` does not change", points=1)
def draws(train, inputs):
    seed, every = inputs.integer(0, 10**6), inputs.integer(2, 60)
    found = drawn_by(train, seed)
    if not any(found.values()):
        found = drawn_by(train, seed, every)
    return found | {"runs": told_of_runs(train, seed, every)}


@train.part("after every `every` steps it reports the step and their mean loss", points=2)
def reports(train, inputs):
    found = {}
    for steps, every in ((7, 3), (6, 2), (2, 3), (3, 1)):
        told = reports_of(train, steps, every, training=steps != 6)
        case = f"({steps} steps, every={every})"
        found[f"steps that are reported {case}"] = told["steps"]
        found[f"mean losses {case}"] = told["mean losses"]
        found[f"steps made until then {case}"] = told["steps made until then"]
    return found | {"printed": printed_by(train)}


# Accepted: other ways to write the same


@train.accept("torch.randint, a sum that begins anew")
def with_randint(model, batches, optimizer, steps, rate, report=print, every=200):
    losses, total = [], 0.0
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate(step + 1)
        source, target = batches[int(torch.randint(len(batches), ()))]
        loss = step_reference(model, source, target, optimizer)
        losses.append(loss)
        total += loss
        if (step + 1) % every == 0:
            report(step + 1, total / every)
            total = 0.0
    return losses


@train.accept("passes in a new order each time")
def in_passes(model, batches, optimizer, steps, rate, report=print, every=200):
    losses, order = [], []
    while len(losses) < steps:
        if not order:
            order = random.sample(range(len(batches)), len(batches))
        step, now = len(losses) + 1, rate(len(losses) + 1)
        for group in optimizer.param_groups:
            group.update(lr=now)
        source, target = batches[order.pop()]
        losses.append(step_reference(model, source, target, optimizer))
        if not step % every:
            latest = losses[step - every : step]
            report(step, sum(latest) / len(latest))
    return losses


@train.accept("a generator of batches, a tensor's mean")
def with_generator(model, batches, optimizer, steps, rate, report=print, every=200):
    def endless():
        while True:
            for i in torch.randperm(len(batches)).tolist():
                yield batches[i]

    losses = []
    for step, (source, target) in enumerate(islice(endless(), steps), start=1):
        for i in range(len(optimizer.param_groups)):
            optimizer.param_groups[i]["lr"] = rate(step)
        losses += [step_reference(model, source, target, optimizer)]
        if step // every > (step - 1) // every:
            report(step, torch.tensor(losses)[-every:].mean().item())
    return losses


@train.accept("all batches drawn at once, the step by hand")
def by_hand(model, batches, optimizer, steps, rate, report=print, every=200):
    model.train()
    losses = torch.zeros(steps)
    for step, batch in enumerate(random.choices(batches, k=steps), 1):
        for group in optimizer.param_groups:
            group["lr"] = rate(step)
        optimizer.zero_grad()
        loss = smoothed_reference(model(batch[0], batch[1][:, :-1]), batch[1][:, 1:])
        loss.backward()
        optimizer.step()
        losses[step - 1] = loss.detach()
        if step % every == 0:
            report(step, float(losses[step - every : step].mean()))
    return losses.tolist()


@train.accept("a shuffled copy, a rate that a scheduler multiplies by 1")
def with_scheduler(model, batches, optimizer, steps, rate, report=print, every=200):
    for group in optimizer.param_groups:
        group["lr"] = group["initial_lr"] = 1.0
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda done: rate(done + 1))
    losses, copy = [], []
    for step in range(1, steps + 1):
        if not copy:
            copy = batches[:]
            random.shuffle(copy)
        losses.append(step_reference(model, *copy.pop(), optimizer))
        if step % every == 0:
            report(step, torch.tensor(losses[-every:]).mean())
        scheduler.step()
    return losses
