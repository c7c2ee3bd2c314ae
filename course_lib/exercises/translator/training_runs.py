"""Trainings that are watched: which batches come, at what rates, and what is reported when."""

import contextlib
import io
import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from numbers import Real
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.checks.notes import notes
from course_lib.checks.results import describe
from course_lib.exercises.translator.stand_ins import Watched, asked_in, mode_of

UNLEARNED = -1, -1  # where a step has no gradient from a batch
FEW, LONG = 4, 100  # batches, and steps in which each of them comes, but for a chance of 1e-12
GROUPS = 4  # of the optimizer
EVERY = 200  # steps between reports: the default of `train`
RUNS, MANY, FIRST = 16, 50, 8  # trainings with many batches, of which the first steps are compared
SAME_FIRST = "Every training begins with the same batch. Draw the first one at random too."
AGAIN = "Two trainings draw the same batches in the same order. Set no seed in the function."
Batch = tuple[Tensor, Tensor]
Mark = tuple[int, int]
Train = Callable[..., list[float]]


class Noting(torch.optim.SGD):
    """SGD with momentum, which notes at each step what is asked of it.

    That is the rates of its four groups, and what the model knows of the batch. The first group and the last
    are the tables of the model, and those between have no gradient. watch: is called at each step.
    """

    def __init__(self, model: "Read", watch: Callable[[], None] = lambda: None) -> None:
        notes(self, "watches").append((model, watch))
        spare = [nn.Parameter(torch.zeros(1)) for _ in range(GROUPS - 2)]
        groups = [{"params": [weight]} for weight in (model.after, *spare, model.given)]
        super().__init__(groups, lr=flat(0), momentum=0.5)

    def step(self, closure=None):
        self.note()
        return super().step(closure)

    def note(self) -> None:
        rates(self).append([number(group["lr"]) for group in self.param_groups])
        for model, watch in notes(self, "watches"):
            # A pass for show has no gradient, or a small one beside that of the batch that is learned.
            marks(self).append(max(notes(model, "learned"), default=(0.0, UNLEARNED))[1])
            notes(model, "learned").clear()
            watch()


class Still(Noting):
    """Notes the same and moves nothing, which is cheaper."""

    def step(self, closure=None):
        self.note()


def rates(optimizer: Noting) -> list[list[float | str]]:
    """Those of all groups at each step."""
    return notes(optimizer, "rates")


def marks(optimizer: Noting) -> list[Mark]:
    """What the model knew of the batch at each step."""
    return notes(optimizer, "marks")


class Read(Watched):
    """Two tables of weights that know of the batches that they learn from: the numbers of source and target.

    In a batch of `numbered` both are the batch's number. With them comes the size of the gradient.
    """

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        mark = int(source[0, 0]), int(target[0, 1]) - 4
        logits = super().forward(source, target)
        if logits.requires_grad:
            logits.register_hook(lambda slopes: notes(self, "learned").append((float(slopes.norm()), mark)))
        return logits


def trainee(count: int = 3) -> tuple[Read, list[Batch], Noting]:
    """What train begins with: a small model, `count` batches of the same words, and an optimizer."""
    model = Read(torch.arange(36.0).sin().view(6, 6), torch.arange(30.0).cos().view(5, 6))
    source, target = torch.tensor([[4, 3], [3, 3]]), torch.tensor([[1, 4, 5, 4, 2], [1, 5, 2, 0, 0]])
    return model, [(source.clone(), target.clone()) for _ in range(count)], Noting(model)


def numbered(*sizes: int) -> list[Batch]:
    """Batches of so many sentences each, whose words say which of them it is."""
    return [
        (torch.full((size, 2), i), torch.tensor([[1, 4 + i, 2]]).expand(size, 3).clone())
        for i, size in enumerate(sizes)
    ]


def blank(count: int) -> Read:
    """A model for `numbered` batches."""
    return Read(torch.zeros(4 + count, 4 + count), torch.zeros(count, 4 + count))


def flat(step: int) -> float:
    """The rate with which the optimizer is made: whoever does not set it has it too."""
    return 0.4


def steep(step: int) -> float:
    """A rate that there is for steps 1, 2, ... alone."""
    return 2 * step**-0.5


def low(step: int) -> float:
    """Rates that are far below 1."""
    return 1e-5 / step


def uneven(step: int) -> float:
    """Rates that neither rise nor fall, each another one: 0.2, 0.55, 0.35, 0.15, ... from step 1 on."""
    return (7 * (step + 1) % 11 + 1) / 20


def modes_in(train: Train) -> list[str]:
    """The modes in which the model is asked, and its mode afterwards."""
    model, batches, optimizer = trainee()
    with drawing(0):
        train(model, batches, optimizer, 2, flat, report=silent)
    return [*sorted(set(asked_in(model))), mode_of(model)]


def silent(*told: Any) -> None:
    """A report that nobody reads."""


def writer_of(reports: list[list[float | str]], optimizer: Noting) -> Callable[..., None]:
    """A report that writes down the step and the loss, and how many steps have been made."""

    def report(step, loss):
        reports.append([whole(step), number(loss), len(rates(optimizer))])

    report.__qualname__ = "report"  # as messages quote it
    return report


@contextlib.contextmanager
def drawing(seed: int) -> Iterator[None]:
    """Draws of Python's and of torch's generator begin at the seed; at the end both are as they were."""
    state = random.getstate()
    random.seed(seed)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(seed)
            yield
    finally:
        random.setstate(state)


def rates_of(train: Train, steps: int = 4) -> list[list[float | str]]:
    """The rates of the optimizer's four groups at each step, where rate(s) is 0.2, 0.55, 0.35, 0.15."""
    model, batches, optimizer = trainee()
    with drawing(0):
        train(model, batches, optimizer, steps, uneven, report=silent)
    return rates(optimizer)


def number(value: Any) -> float | str:
    """A number as a float, a tensor of one number too; of anything else what kind of thing it is."""
    if isinstance(value, torch.Tensor) and value.numel() == 1:
        value = value.item()
    return float(value) if isinstance(value, Real) else describe(value)


def whole(value: Any) -> float | str:
    """A number as in `number`, but without a fraction of 0."""
    found = number(value)
    return int(found) if isinstance(found, float) and found.is_integer() else found


def reports_of(train: Train, steps: int, every: int, training: bool = True) -> dict[str, list[float | str]]:
    """The steps and the losses that the reports were called with, and how many steps had been made then."""
    model, batches, optimizer = trainee()
    model.train(training)
    reports: list[list[float | str]] = []
    with drawing(0):
        train(model, batches, optimizer, steps, flat, writer_of(reports, optimizer), every)
    columns = zip(*reports, strict=True) if reports else ((), (), ())
    told, losses, made = map(list, columns)
    losses = [float(f"{loss:.6g}") if isinstance(loss, float) else loss for loss in losses]
    return {"steps": told, "mean losses": losses, "steps made until then": made}


def printed_by(train: Train) -> str:
    """What is wrong with what it prints without a report, every 2 of 4 steps; mostly nothing."""
    model, batches, optimizer = trainee()
    with drawing(0), contextlib.redirect_stdout(io.StringIO()) as text:
        train(model, batches, optimizer, 4, flat, every=2)
    first = [line.split()[0] for line in text.getvalue().splitlines() if line.strip()]
    return "" if {"2", "4"} <= set(first) else "If the caller gives no `report`, you do not call `print`."


def drawn_by(train: Train, seed: int = 0, every: int = EVERY) -> dict[str, str]:
    """What is wrong with the batches that a long training takes, in sentences; mostly nothing."""
    batches = numbered(*[1] * FEW)
    kept, changed = list(batches), False

    def watch():
        nonlocal changed
        changed = (
            changed or len(batches) != FEW or any(a is not b for a, b in zip(batches, kept, strict=False))
        )

    model = blank(FEW)
    optimizer = Noting(model, watch)
    with drawing(seed):
        train(model, batches, optimizer, LONG, flat, report=silent, every=every)
        starts = [batches_of(train, numbered(*[1] * count), count, every) for count in (5, 6, 7, 8)]
    watch()
    return {
        "which": told_of_missing(marks(optimizer)),
        "order": told_of_order(marks(optimizer), starts),
        "list": "You change the list `batches`, which the caller still needs." if changed else "",
    }


def told_of_batches(train: Train) -> str:
    """The first sentence of `drawn_by`, empty where nothing is wrong."""
    return next(filter(None, drawn_by(train).values()), "")


def batches_of(train: Train, batches: list[Batch], steps: int, every: int = EVERY) -> list[Mark]:
    """Which of the numbered batches a training takes."""
    model = blank(len(batches))
    optimizer = Noting(model)
    train(model, batches, optimizer, steps, flat, report=silent, every=every)
    return marks(optimizer)


def told_of_runs(train: Train, seed: int = 0, every: int = EVERY) -> str:
    """Two of 16 trainings with a right answer begin with the same batches by a chance below 1e-11.

    every: what every other training is given; the rest have the default.
    """
    batches, runs = numbered(*[1] * MANY), []
    for number in range(RUNS):
        with drawing(seed + number):
            runs.append(tuple(batches_of(train, batches, FIRST, every if number % 2 else EVERY)))
    full = all(len(run) == FIRST for run in runs)
    if full and len(set(runs)) < len(runs):
        return AGAIN
    return SAME_FIRST if full and len({run[0] for run in runs}) == 1 else ""


def told_of_missing(marks: list[Mark]) -> str:
    if not marks:
        return "You make no step."
    if UNLEARNED in marks:
        return "The optimizer makes a step without a gradient from any batch."
    if apart := [mark for mark in marks if mark[0] != mark[1]]:
        return f"In step {1 + marks.index(apart[0])} source and target are from different batches."
    missing = sorted(set(range(FEW)) - {number for number, _ in marks})
    if len(marks) < LONG // 2 or not missing or len(missing) == FEW - 1:
        return ""
    return f"In {len(marks)} steps you never use `batches[{missing[0]}]` of {FEW} batches."


def told_of_order(marks: list[Mark], starts: list[list[Mark]]) -> str:
    """A right answer has one of these orders by a chance below 1e-12."""
    long = len(marks) >= LONG // 2
    changes = sum(one != other for one, other in pairwise(marks))
    if long and not changes:
        return "Every step uses the same batch."
    if long and changes < len(marks) // 3:
        return "Many steps in a row use the same batch. Draw one for each step."
    if any(all(in_turn(start, first) for start in starts) for first in (0, 1)):
        return "You use the batches in the order of the list. Draw one at random for each step."
    if long and any(marks[p:] == marks[:-p] for p in range(1, len(marks) // 2)):
        return "You repeat the same order of batches. Draw one at random for each step."
    return ""


def in_turn(start: list[Mark], first: int) -> bool:
    """Whether a first pass goes through the list from this place on, from the end to the beginning."""
    places = [(first + i) % len(start) for i in range(len(start))]
    return len(start) > 3 and start == [(place, place) for place in places]
