"""fine_tune: all of a model learns from few labels, what is pretrained more slowly than what is new."""

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.drawn import draw, told_of_draws
from course_lib.checks.exercise import Exercise
from course_lib.checks.model_parts import parts_of
from course_lib.checks.notes import notes
from course_lib.checks.untouched import Untouched

fine_tune = Exercise(
    "fine_tune",
    points=7,
    returns=(),
    hints=[
        "The training loops so far had one learning rate for all parameters. Which object holds the "
        "learning rate, and how can body and head each get their own? In which mode may a model be after a "
        "test?",
        "An optimizer takes a list of groups, and each group is a dictionary with `params` and `lr`. The "
        "loop is the usual one: forward, loss, clear the gradients, backward, step. Keep each loss as a "
        "number in a list.",
        "Before the loop, make `torch.optim.AdamW([{'params': model.body.parameters(), 'lr': body_rate}, "
        "{'params': ..., 'lr': head_rate}])` once, and call `model.train()`.",
        "`steps` times: `loss = F.cross_entropy(model(ids), labels)`, `optimizer.zero_grad()`, "
        "`loss.backward()`, `optimizer.step()`, `losses.append(loss.item())`. Return `losses`.",
    ],
    examples=[
        "tuned(fine_tune, 1)",
        "tuned(fine_tune, 3)",
        "tuned(fine_tune, 3, body_rate=0.0)",
        "last_steps(fine_tune, 60)",
        "last_steps(fine_tune, 120)",
    ],
    repeatable=False,
)


FAR = 1000.0


class Body(nn.Embedding):
    """A table, and a vector that is added to each row."""

    def __init__(self, table: torch.Tensor) -> None:
        super().__init__(*table.shape, _weight=table.clone())
        self.shift = nn.Parameter(torch.zeros(table.shape[1]))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return super().forward(ids) + self.shift


class Model(nn.Module):
    """A small body, a linear head; it notes in which modes its modules were asked.

    With drift its scores are larger or smaller from call to call, and so the loss is another one at any rate.
    """

    def __init__(self, table: torch.Tensor, weight: torch.Tensor, drift: float = 1.0) -> None:
        super().__init__()
        self.body = Body(table)
        self.head = nn.Linear(weight.shape[1], weight.shape[0])
        self.head.weight.data, self.head.bias.data = weight.clone(), torch.zeros(len(weight))
        self.drift, self.learns = drift, True

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        draw(self)
        power = (0, 2, 1)[len(notes(self, "modes")) % 3]  # neither rising nor falling, so that an order shows
        scores = self.head(self.body(ids).mean(dim=1)) * self.drift**power
        if not self.learns:
            scores = scores.detach() + 0 * scores
        notes(self, "modes").append({vars(part)["training"] for _, part in parts_of(self)})
        return scores


def lesson_for(inputs, drift=1.0, sentences=10):
    """A model in evaluation mode, as after a test, and sentences of 3 topics."""
    while True:
        model = Model(inputs.normal(9, 4), inputs.normal(3, 4), drift).eval()
        ids, labels = inputs.integers(0, 9, sentences, 5), inputs.integers(0, 3, sentences)
        if smallest_gradient(model, ids, labels) > 1e-5 * drift**2:
            return model, ids, labels


def steady_lesson(inputs):
    """The same, with gradients that stay as they are, so that each step is as long as its rate is large.

    The score of topic 0 is far above the others, and no label is 0.
    """
    while True:
        model, ids, labels = lesson_for(inputs)
        model.head.bias.data[0] = FAR
        labels = labels.clamp(min=1)
        if smallest_gradient(model, ids, labels) > 1e-3:
            return model, ids, labels


def learned_lesson(inputs):
    """The same, with labels that the model knows so well that its loss is 0, but for rounding."""
    while True:
        model, ids, _ = lesson_for(inputs)
        model.head.weight.data *= 300
        best = model.head(model.body(ids).mean(dim=1)).topk(2)
        if (best.values[:, 0] - best.values[:, 1]).min() > 20:  # each loss is below exp(-20)
            return model, ids, best.indices[:, 0]


def smallest_gradient(model, ids, labels) -> float:
    """Of all weights. Adam's first step has the sign of a gradient: of one near 0 rounding decides it."""
    scores = model.head(model.body(ids).mean(dim=1))
    tables = model.body.weight, model.body.shift, model.head.weight, model.head.bias
    found = torch.autograd.grad(F.cross_entropy(scores, labels), tables)
    sizes = torch.cat([gradient.flatten() for gradient in found]).abs()
    return sizes[sizes > 0].min().item()  # words that no sentence has get none


def tuned(tune, steps, body_rate=0.1):
    """The losses of some steps on a small model, and two of its numbers afterwards."""
    angles = torch.arange(30.0).sin()
    model = Model(angles[:12].view(6, 2), angles[12:18].view(3, 2), drift=0.5).eval()
    ids, labels = torch.tensor([[0, 1], [2, 3], [4, 5], [1, 2]]), torch.tensor([0, 1, 2, 1])
    losses = tune(model, ids, labels, steps=steps, body_rate=body_rate, head_rate=0.3)
    if isinstance(losses, list):
        losses = [round(loss, 4) if isinstance(loss, float) else loss for loss in losses]
    return {
        "losses": losses,
        "head": round(model.head.weight[0, 0].item(), 4),
        "body": round(model.body.weight[0, 0].item(), 4),
        "in training mode": all(modes == {True} for modes in notes(model, "modes")),
    }


def last_steps(tune, steps):
    """How far a number of the head goes in the last 10 of so many steps, with the same gradient in each."""
    places = []
    for count in (steps - 10, steps):
        model = Model(torch.ones(2, 1), torch.ones(2, 1))
        model.body.requires_grad_(False)
        model.head.bias.data[0] = FAR
        tune(model, torch.tensor([[0, 1]]), torch.tensor([1]), steps=count, head_rate=0.1)
        places.append(model.head.weight[1, 0].item())
    return round(places[1] - places[0], 3)


fine_tune.names = {"tuned": tuned, "last_steps": last_steps}


@fine_tune.reference
def tune_reference(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    body = {"params": list(model.body.parameters()), "lr": body_rate}
    head = {"params": list(model.head.parameters()), "lr": head_rate}
    optimizer, losses = torch.optim.AdamW([body, head]), []
    model.train()
    for _ in range(steps):
        loss = F.cross_entropy(model(ids), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@fine_tune.part("it returns the loss of each step", points=1)
def gives_losses(tune, inputs):
    found = {}
    for steps in (3, 1):
        model, ids, labels = lesson_for(inputs, drift=3.0)
        model.learns = False  # all gradients are 0, so that a wrong optimizer costs no point here
        losses = tune(model, ids, labels, steps=steps, body_rate=0.0, head_rate=0.0)
        found[f"losses (rates 0, steps {steps})"] = losses
    found["losses (near 0, steps 60)"] = tune(*learned_lesson(inputs), steps=60, body_rate=0.0, head_rate=0.0)
    return found


DEFAULT: dict[str, float] = {}
# A drift with which gradients pass 1, so that cutting them shows. At small rates rounding does not.
LARGE = 4.0
MANY = 120  # steps, so that a rate that changes shows


@fine_tune.part("the head learns at its own rate", points=2)
def head_learns(tune, inputs):
    found = {}
    given = {"body_rate": 0.03, "head_rate": 0.1}
    for case, rates, drift in (("", given, 1.0), (" (no rates given)", DEFAULT, LARGE)):
        model, ids, labels = lesson_for(inputs, drift)
        model.body.requires_grad_(False)
        tune(model, ids, labels, steps=4, **rates)
        found[f"head afterwards{case}: topic d_model"] = model.head.weight
    model, ids, labels = steady_lesson(inputs)
    model.body.requires_grad_(False)
    tune(model, ids, labels, steps=MANY, **given)
    return found | {"head afterwards (many steps): topic d_model": model.head.weight}


@fine_tune.part("the body learns at its own rate", points=2)
def body_learns(tune, inputs):
    found = {}
    given = {"body_rate": 0.1, "head_rate": 0.03}
    for case, rates, drift in (("", given, 1.0), (" (no rates given)", DEFAULT, LARGE)):
        model, ids, labels = lesson_for(inputs, drift)
        model.head.requires_grad_(False)
        tune(model, ids, labels, steps=4, **rates)
        found[f"body afterwards{case}: word d_model"] = model.body.weight
        found[f"vector of the body afterwards{case}: d_model"] = model.body.shift
    model, ids, labels = steady_lesson(inputs)
    model.head.requires_grad_(False)
    tune(model, ids, labels, steps=MANY, **given)
    return found | {"body afterwards (many steps): word d_model": model.body.weight}


@fine_tune.part("the whole model is in training mode", points=1)
def training_mode(tune, inputs):
    model, ids, labels = lesson_for(inputs)
    before = Untouched(model)
    tune(model, ids, labels, steps=2)
    found = {frozenset(modes) for modes in notes(model, "modes")}
    told = "The model was not in training mode, so dropout would be off."
    if found == {frozenset({True})}:
        told = ""
    elif not found:
        told = "The model was never called."
    elif frozenset({True, False}) in found:
        told = "Only parts of the model were in training mode."
    return {"finding": told or before.of_learning() or told_of_draws(model)}


# Accepted: other ways to write the same


@fine_tune.accept("gradients are cleared after the step")
def cleared_after(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    groups = [{"params": model.body.parameters(), "lr": body_rate}, {"params": model.head.parameters()}]
    optimizer = torch.optim.AdamW(groups, lr=head_rate)
    losses = []
    for _ in range(steps):
        model.train()
        loss = nn.CrossEntropyLoss()(model(ids), labels)
        loss.backward()
        losses += [float(loss.detach())]
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return losses


@fine_tune.accept("two optimizers")
def two_optimizers(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    model.train()
    parts = ((model.body, body_rate), (model.head, head_rate))
    optimizers = [torch.optim.AdamW(part.parameters(), lr=rate) for part, rate in parts]
    losses = []
    for _ in range(steps):
        model.zero_grad()
        loss = F.cross_entropy(model(ids), labels)
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        losses.append(loss.item())
    return losses


@fine_tune.accept("log-softmax and nll_loss, groups by name")
def by_name(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    model.train()
    groups = [
        {"params": [p], "lr": head_rate if name.startswith("head.") else body_rate}
        for name, p in model.named_parameters()
    ]
    optimizer = torch.optim.AdamW(groups)

    def step():
        optimizer.zero_grad()
        loss = F.nll_loss(model(ids).log_softmax(dim=-1), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return [step() for _ in range(steps)]


@fine_tune.accept("only parameters that learn")
def only_learning(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    model = model.train()
    groups = []
    for part, rate in ((model.head, head_rate), (model.body, body_rate)):
        learning = [p for p in part.parameters() if p.requires_grad]
        groups += [{"params": learning, "lr": rate}] if learning else []
    optimizer = torch.optim.AdamW(groups, foreach=False)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        scores = model(ids)
        loss = torch.logsumexp(scores, dim=-1).mean() - scores.gather(1, labels[:, None]).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
