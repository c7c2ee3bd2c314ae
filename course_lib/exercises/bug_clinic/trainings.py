"""Right and broken ways to train a small translator on one batch: each gives the loss before every step.

All words are below 12, and each row of the target begins with the start symbol. The model is a network with
one hidden layer; it reads a word, its place and the source, and predicts the next word.
"""

import functools

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_lib.checks.exercise import Implementation
from course_lib.exercises.bug_clinic.pieces import Piece, shaped

VOCAB, D_MODEL, LONGEST = 12, 32, 32
Losses = list[float]


class Model(nn.Module):
    """Logits (batch, seq, 12) of the next words. spread: of the numbers in its output layer."""

    def __init__(self, spread: float = 0.02, dropout: float = 0.0):
        super().__init__()
        numbers = torch.Generator().manual_seed(3)
        sizes = {"words": VOCAB, "places": LONGEST, "sources": VOCAB, "hidden": D_MODEL}
        for name, size in sizes.items():
            self.register_parameter(name, nn.Parameter(torch.randn(size, D_MODEL, generator=numbers) / 4))
        self.output = nn.Parameter(torch.randn(D_MODEL, VOCAB, generator=numbers) * spread)
        self.dropout, self.numbers = dropout, numbers

    def forward(self, source: Tensor, read: Tensor) -> Tensor:
        # The mean of the words, each turned by its place: their order is read, too.
        turned = [self.sources[ids].roll(place, -1) for place, ids in enumerate(source.T)]
        x = self.words[read] + self.places[: read.shape[1]] + torch.stack(turned, dim=1).mean(1, keepdim=True)
        return self.dropped(F.relu(self.dropped(x) @ self.hidden)) @ self.output

    def dropped(self, x: Tensor) -> Tensor:
        """Dropout by numbers of its own: a training gives the same losses again."""
        kept = torch.rand(x.shape, generator=self.numbers) >= self.dropout
        return x * kept / (1 - self.dropout) if self.dropout else x


def adam(model: nn.Module, rate: float = 0.05) -> torch.optim.Optimizer:
    return torch.optim.Adam(model.parameters(), lr=rate)


def next_words(model: Model, source: Tensor, target: Tensor) -> Tensor:
    """The loss: the words so far are read, and the next one is asked."""
    return F.cross_entropy(model(source, target[:, :-1]).mT, target[:, 1:])


def trained(source, target, steps, model=None, optimizer=None, loss_of=next_words) -> Losses:
    """The right training, where nothing else is given."""
    model = model or Model()
    optimizer = optimizer or adam(model)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(model, source, target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def remembered(train: Implementation) -> Implementation:
    """The same losses for the same batch, computed once: a check runs a test many times."""
    found: dict[str, Losses] = {}

    @functools.wraps(train)
    def training(source: Tensor, target: Tensor, steps: int) -> Losses:
        batch = f"{source.tolist()} {target.tolist()} {steps}"
        if batch not in found:
            found[batch] = train(source, target, steps)
        return list(found[batch])

    return training


@remembered
def plain(source, target, steps):
    """Right training."""
    return trained(source, target, steps)


# Right, in other ways


@remembered
def with_decay(source, target, steps):
    model = Model(spread=0.0)
    return trained(source, target, steps, model, torch.optim.AdamW(model.parameters(), lr=0.06))


@remembered
def zero_grad_last(source, target, steps):
    model, losses = Model(), []
    optimizer = adam(model)
    for _ in range(steps):
        losses.append(next_words(model, source, target))
        losses[-1].backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)
    return [loss.item() for loss in losses]


@remembered
def log_probabilities(source, target, steps):
    def loss_of(model, source, target):
        found = model(source, target[:, :-1]).log_softmax(dim=-1)
        return -found.gather(-1, target[:, 1:, None]).mean()

    return trained(source, target, steps, Model(spread=0.06), loss_of=loss_of)


@remembered
def without_optimizer(source, target, steps):
    """Right: Adam, written out."""
    model, losses = Model(), []
    weights = list(model.parameters())
    means = [torch.zeros_like(weight) for weight in weights]
    squares = [torch.zeros_like(weight) for weight in weights]
    for step in range(1, steps + 1):
        loss = next_words(model, source, target)
        losses.append(loss.item())
        with torch.no_grad():
            gradients = torch.autograd.grad(loss, weights)
            for weight, gradient, mean, square in zip(weights, gradients, means, squares, strict=True):
                mean.lerp_(gradient, 0.1)
                square.lerp_(gradient**2, 0.01)
                weight -= 0.05 * mean / (1 - 0.9**step) / ((square / (1 - 0.99**step)).sqrt() + 1e-8)
    return losses


@remembered
def reads_all(source, target, steps):
    """Right: the whole target is read, and what follows its last word is left out of the loss."""

    def loss_of(model, source, target):
        return F.cross_entropy(model(source, target)[:, :-1].flatten(0, 1), target[:, 1:].flatten())

    return trained(source, target, steps, loss_of=loss_of)


@remembered
def small_steps(source, target, steps):
    """Right: it learns slowly."""
    model = Model()
    return trained(source, target, steps, model, adam(model, 0.02))


@remembered
def large_steps(source, target, steps):
    """Right: now and then a step is too large, and the loss rises."""
    model = Model()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.12, betas=(0.97, 0.999))
    return trained(source, target, steps, model, optimizer)


# Broken


@remembered
def wild_start(source, target, steps):
    """The output layer begins with numbers of size 2."""
    return trained(source, target, steps, Model(spread=2.0))


@remembered
def summed(source, target, steps):
    """The loss is a sum over all words."""

    def loss_of(model, source, target):
        return next_words(model, source, target) * target[:, 1:].numel()

    return trained(source, target, steps, loss_of=loss_of)


@remembered
def starts_late(source, target, steps):
    """The first 30 losses are left out."""
    return trained(source, target, steps + 30)[30:]


@remembered
def other_model(source, target, steps):
    """The optimizer has the weights of another model."""
    return trained(source, target, steps, Model(), adam(Model()))


@remembered
def tiny_rate(source, target, steps):
    """The learning rate is 0.00001."""
    model = Model()
    return trained(source, target, steps, model, adam(model, 1e-5))


@remembered
def softmax_first(source, target, steps):
    """A softmax comes before `cross_entropy`, which contains one."""

    def loss_of(model, source, target):
        probabilities = model(source, target[:, :-1]).softmax(dim=-1)
        return F.cross_entropy(probabilities.mT, target[:, 1:])

    return trained(source, target, steps, loss_of=loss_of)


@remembered
def heavy_dropout(source, target, steps):
    """Dropout sets nine of ten numbers to 0."""
    return trained(source, target, steps, Model(dropout=0.9))


@remembered
def half_the_weights(source, target, steps):
    """The optimizer has the tables of places and sources alone."""
    model = Model()
    return trained(source, target, steps, model, torch.optim.Adam([model.places, model.sources], lr=0.05))


@remembered
def source_unread(source, target, steps):
    """The source is replaced by zeros."""
    return trained(torch.zeros_like(source), target, steps)


@remembered
def reads_the_answer(source, target, steps):
    """The model predicts the word that it reads: both are `target[:, 1:]`."""

    def loss_of(model, source, target):
        return F.cross_entropy(model(source, target[:, 1:]).mT, target[:, 1:])

    return trained(source, target, steps, loss_of=loss_of)


@remembered
def asks_what_is_read(source, target, steps):
    """The model predicts the word that it reads: both are `target[:, :-1]`."""

    def loss_of(model, source, target):
        return F.cross_entropy(model(source, target[:, :-1]).mT, target[:, :-1])

    return trained(source, target, steps, loss_of=loss_of)


def no_losses(source, target, steps):
    """An empty list."""
    return []


def like(one: Losses, other: Losses) -> bool:
    """Whether both begin and end alike."""
    return len(one) == len(other) and abs(one[0] - other[0]) < 0.3 and abs(one[-1] - other[-1]) < 0.1


PIECE = Piece(
    "training",
    {
        "as the docstring says": plain,
        "AdamW, and an output layer that begins with zeros": with_decay,
        "zero_grad at the end of a step, and clipped gradients": zero_grad_last,
        "log_softmax, and the right words picked out": log_probabilities,
        "without an optimizer": without_optimizer,
        "the whole target is read, the last prediction dropped": reads_all,
        "a small learning rate": small_steps,
        "a large learning rate": large_steps,
    },
    (
        no_losses,
        wild_start,
        summed,
        starts_late,
        other_model,
        tiny_rate,
        softmax_first,
        heavy_dropout,
        half_the_weights,
        source_unread,
        reads_the_answer,
        asks_what_is_read,
    ),
    misuse=shaped(below=VOCAB, source="batch source", target="batch seq"),
    alike=like,
)
