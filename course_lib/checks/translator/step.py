"""train_step: one batch, one update."""

from copy import deepcopy

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Exercise
from course_lib.checks.translator.loss import smoothed_loss, smoothed_reference
from course_lib.checks.translator.shift import shift_reference, shift_targets
from course_lib.checks.translator.stand_ins import Bigrams, losses_of

train_step = Exercise(
    "train_step",
    points=5,
    returns=("loss",),
    hints=[
        "Five lines: split the target with `shift_targets`, ask the model, compute the loss, `backward`, "
        "`step`. Where do the gradients of the last batch go?",
        "`optimizer.zero_grad()` before `loss.backward()`, `optimizer.step()` after it; `return "
        "loss.item()`.",
    ],
    examples=["losses_of(train_step)"],
    uses=(shift_targets, smoothed_loss),
    repeatable=False,
    names={"losses_of": losses_of},
)


@train_step.reference
def step_reference(model, source, target, optimizer):
    optimizer.zero_grad()
    read, answer = shift_reference(target)
    loss = smoothed_reference(model(source, read), answer)
    loss.backward()
    optimizer.step()
    return loss.item()


def lesson_for(inputs, rate=1.0):
    """A model with two tables, a batch of two sentences and an optimizer."""
    model = Bigrams(inputs.normal(9, 9), inputs.normal(7, 9))
    source, target = inputs.integers(4, 7, 2, 3), inputs.integers(4, 9, 2, 6)
    target[:, 0], target[0, 5], target[1, 3], target[1, 4:] = 1, 2, 2, 0
    return model, source, target, torch.optim.SGD(model.parameters(), lr=rate)


@train_step.part("it gives the loss of this batch, as a number", points=1)
def gives_loss(step, inputs):
    return {"loss": step(*lesson_for(inputs))}


@train_step.part("the weights move against the gradient", points=2)
def moves(step, inputs):
    model, *rest = lesson_for(inputs)
    before = model.after.detach().clone()
    step(model, *rest)
    return {"change of the weights: word next": model.after - before}


@train_step.part("a second step forgets the first one's gradient", points=1)
def forgets(step, inputs):
    model, source, target, optimizer = lesson_for(inputs)
    twin = deepcopy(model)
    step(twin, source, target, torch.optim.SGD(twin.parameters(), lr=1.0))
    for rate in (0.0, 1.0):  # at rate 0 no weight moves, so that the second step starts where the twin did
        optimizer.param_groups[0]["lr"] = rate
        step(model, source, target, optimizer)
    return {"second step compared with a first one: word next": model.after - twin.after}


@train_step.accept("zero_grad after the step")
def zero_after(model, source, target, optimizer):
    read, answer = shift_reference(target)
    loss = smoothed_reference(model(source, read), answer)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


@train_step.accept("in training mode, with zero_grad before backward")
def training_mode(model, source, target, optimizer):
    model.train()
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    optimizer.step()
    return float(loss)


@train_step.accept("reads all, drops the last prediction")
def drops_last(model, source, target, optimizer):
    optimizer.zero_grad()
    loss = smoothed_reference(model(source, target)[:, :-1], target[:, 1:])
    loss.backward()
    optimizer.step()
    return loss.detach().item()


@train_step.accept("gradients by hand")
def by_hand(model, source, target, optimizer):
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    parameters = list(model.parameters())
    for parameter, gradient in zip(parameters, torch.autograd.grad(loss, parameters), strict=True):
        parameter.grad = gradient
    optimizer.step()
    return loss.tolist()


def stepped(loss, optimizer):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@train_step.mistake(
    "T31",
    advice="Gradients pile up: `backward` adds to what is there. Call `optimizer.zero_grad()` in every step.",
)
def piles_up(model, source, target, optimizer):
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    loss.backward()
    optimizer.step()
    return loss.item()


@train_step.mistake(
    "T39",
    advice="The weights do not move. The order is `optimizer.zero_grad()`, `loss.backward()`, "
    "`optimizer.step()`: backward fills the gradients, step uses them.",
)
def does_not_move(model, source, target, optimizer):
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
    return loss.item()


@train_step.mistake(
    "T39",
    advice="`optimizer.step()` comes before `loss.backward()`: it uses the gradients of the batch "
    "before. Swap them.",
)
def one_behind(model, source, target, optimizer):
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    optimizer.step()
    optimizer.zero_grad()
    loss.backward()
    return loss.item()


@train_step.mistake(
    "T1",
    advice="The decoder reads the whole target and is asked to repeat it. Split it with `shift_targets`.",
)
def repeats(model, source, target, optimizer):
    return stepped(smoothed_reference(model(source, target), target), optimizer)


@train_step.mistake(
    "T1",
    advice="The answers are what the decoder reads, so that it learns to copy: they are `target[:, 1:]`.",
)
def repeats_what_it_reads(model, source, target, optimizer):
    return stepped(smoothed_reference(model(source, target[:, :-1]), target[:, :-1]), optimizer)


@train_step.mistake(
    "T1",
    advice="The decoder reads the answer itself. It may read only what comes before it: `target[:, :-1]`.",
)
def reads_the_answer(model, source, target, optimizer):
    return stepped(smoothed_reference(model(source, target[:, 1:]), target[:, 1:]), optimizer)


@train_step.mistake(
    "T2", advice="Backwards: the decoder reads all but the last word and answers all but the first."
)
def backwards(model, source, target, optimizer):
    return stepped(smoothed_reference(model(source, target[:, 1:]), target[:, :-1]), optimizer)


@train_step.mistake("T9", advice="Padding is being graded: use your `smoothed_loss`.")
def counts_padding(model, source, target, optimizer):
    logits = model(source, target[:, :-1])
    return stepped(F.cross_entropy(logits.transpose(1, 2), target[:, 1:]), optimizer)


@train_step.mistake("T38", advice="This loss has no smoothing: use your `smoothed_loss` as it is.")
def no_smoothing(model, source, target, optimizer):
    return stepped(smoothed_reference(model(source, target[:, :-1]), target[:, 1:], smoothing=0.0), optimizer)


@train_step.mistake("T20", advice="Padding gets a share of this smoothing: use your `smoothed_loss`.")
def library_smoothing(model, source, target, optimizer):
    logits = model(source, target[:, :-1]).transpose(1, 2)
    loss = F.cross_entropy(logits, target[:, 1:], ignore_index=0, label_smoothing=0.1)
    return stepped(loss, optimizer)


@train_step.mistake(
    "T40",
    advice="This is a tensor, and it holds the whole graph of its computation: kept for a curve, it "
    "fills the memory. Return a number, `loss.item()`.",
)
def keeps_graph(model, source, target, optimizer):
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    stepped(loss, optimizer)
    return loss


@train_step.mistake(
    "T34", advice="`no_grad` is for translating: without gradients there is nothing to learn from."
)
def without_gradients(model, source, target, optimizer):
    with torch.no_grad():
        logits = model(source, target[:, :-1])
    return stepped(smoothed_reference(logits, target[:, 1:]), optimizer)


@train_step.mistake(
    "T41", advice="The loss is computed again after the update: return the one that was computed before it."
)
def loss_after(model, source, target, optimizer):
    stepped(smoothed_reference(model(source, target[:, :-1]), target[:, 1:]), optimizer)
    return smoothed_reference(model(source, target[:, :-1]), target[:, 1:]).item()
