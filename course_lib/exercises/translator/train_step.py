"""train_step: one batch, one update."""

from copy import deepcopy

import torch

from course_lib.checks.drawn import told_of_draws
from course_lib.checks.exercise import Exercise
from course_lib.exercises.translator.shift_targets import shift_reference, shift_targets
from course_lib.exercises.translator.smoothed_loss import smoothed_loss, smoothed_reference
from course_lib.exercises.translator.stand_ins import (
    Bigrams,
    Drawing,
    Watched,
    asked_in,
    modes_after,
    modes_of,
    told_of_mode,
    toy,
)

train_step = Exercise(
    "train_step",
    points=5,
    returns=("loss",),
    hints=[
        "What happens to the gradients of the last batch if you do not clear them? Apart from that, there "
        "are five lines: split the target, call the model, compute the loss, go backward, make a step.",
        "`read, answer = shift_targets(target)`; the loss is `smoothed_loss(model(source, read), answer)`.",
        "Call `optimizer.zero_grad()` before `loss.backward()`, and `optimizer.step()` after it. Then "
        "`return loss.item()`.",
    ],
    examples=[
        "train_step(*toy())",
        "[train_step(*batch) for batch in [toy()] * 3]",
        "modes_of(train_step)",
        "modes_after(train_step, 'evaluation', 'evaluation')",
        "modes_after(train_step, 'training', 'evaluation')",
    ],
    uses=(shift_targets, smoothed_loss),
    repeatable=False,
    names={"toy": toy, "modes_of": modes_of, "modes_after": modes_after},
)


@train_step.reference
def step_reference(model, source, target, optimizer):
    optimizer.zero_grad()
    read, answer = shift_reference(target)
    loss = smoothed_reference(model(source, read), answer)
    loss.backward()
    optimizer.step()
    return loss.item()


def lesson_for(inputs, rate=1.0, kind=Bigrams, **options):
    """A model with two tables, a batch of two sentences and an optimizer."""
    model = kind(inputs.normal(9, 9), inputs.normal(7, 9))
    source, target = inputs.integers(4, 7, 2, 3), inputs.integers(4, 9, 2, 6)
    target[:, 0], target[0, 5], target[1, 3], target[1, 4:] = 1, 2, 2, 0
    return model, source, target, torch.optim.SGD(model.parameters(), lr=rate, **options)


@train_step.part("it returns the loss of this batch, as a number", points=1)
def gives_loss(step, inputs):
    return {"loss": step(*lesson_for(inputs))}


class Steep(Bigrams):
    """Bigrams whose logits, and so their gradients, are large."""

    def forward(self, source, target):
        return 30 * super().forward(source, target)


@train_step.part("the optimizer moves the weights against the gradient", points=1)
def moves(step, inputs):
    changes = {}
    steep, *rest = lesson_for(inputs, kind=Steep)
    before = deepcopy(steep)
    step(steep, *rest)
    changes["change of the weights (large gradients): word next"] = (steep.after - before.after) / 30
    for label, options in {"": {}, " (an optimizer with weight decay)": {"weight_decay": 0.1}}.items():
        model, *rest = lesson_for(inputs, **options)
        model.train(not options)  # as after a test of the translator, when it was left in evaluation mode
        before = deepcopy(model)
        step(model, *rest)
        changes[f"change of the weights{label}: word next"] = model.after - before.after
        changes[f"change of the other table{label}: word next"] = model.given - before.given
    return changes


class OneTable(Watched):
    """It uses its second table in training mode only, so that this one does not move by other gradients."""

    def forward(self, source, target):
        logits = super().forward(source, target)
        return logits if self.training else self.after[target]


EVALUATED = (
    "Your gradients come from a model in evaluation mode. Compute the loss from what `model` itself gives."
)


@train_step.part("the model is called in training mode, and modes stay as they were", points=1)
def stays_in_training(step, inputs):
    model, *rest = lesson_for(inputs, kind=OneTable)
    before = deepcopy(model)
    step(model, *rest)
    drawing, *batch = lesson_for(inputs, kind=Drawing)
    for _ in range(2):
        step(drawing, *batch)
    moved, of_training = not model.after.equal(before.after), not model.given.equal(before.given)
    return {
        "mode while the logits are computed": asked_in(model)[-1:],
        "mode afterwards": told_of_mode(model),
        "modes afterwards (it came in evaluation mode)": modes_after(step, "evaluation", "evaluation"),
        "modes afterwards (only its part came in evaluation mode)": modes_after(
            step, "training", "evaluation"
        ),
        "modes afterwards (only its part came in training mode)": modes_after(step, "evaluation", "training"),
        "random numbers": told_of_draws(drawing),
        "gradients": EVALUATED if moved and not of_training else "",
    }


@train_step.part("a second step does not use the gradient of the first", points=1)
def forgets(step, inputs):
    found = {}
    for label, training in {"": True, " (in evaluation mode)": False}.items():
        model, source, target, _ = lesson_for(inputs)
        optimizer = torch.optim.SGD([{"params": [model.given]}, {"params": [model.after]}], lr=1.0)
        twin, before = deepcopy(model.train(training)), model.after.detach().clone()
        step(twin, source, target, torch.optim.SGD(twin.parameters(), lr=1.0))
        for rate in (
            0.0,
            1.0,
        ):  # at rate 0 no weight moves, so that the second step starts where the twin did
            for group in optimizer.param_groups:
                group["lr"] = rate
            step(model.train(training), source, target, optimizer)
        found[f"second step compared with a first one{label}: word next"] = model.after - twin.after
        found[f"a step moves the weights{label}"] = not twin.after.equal(before)
    return found


@train_step.accept("zero_grad after the step")
def zero_after(model, source, target, optimizer):
    read, answer = shift_reference(target)
    loss = smoothed_reference(model(source, read), answer)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


@train_step.accept("in training mode for a while, with zero_grad before backward")
def training_mode(model, source, target, optimizer):
    evaluating = [part for part in model.modules() if not part.training]
    model.train()
    loss = smoothed_reference(model(source, target[:, :-1]), target[:, 1:])
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    optimizer.step()
    for part in evaluating:
        part.training = False
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
