"""Training a Transformer on sentence pairs: `train(model, data, Recipe(seconds=20))`."""

import random
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from course_lib.language import say_heading
from course_lib.model.transformer import Transformer, evaluating
from course_lib.text import PAD
from course_lib.training.bar import progress_bar
from course_lib.training.batches import Bitext, bucketed_batches
from course_lib.training.checkpoint import load_checkpoint, require_same, save_atomically
from course_lib.training.losses import Loss, noam_rate, one_cycle, smoothed_loss
from course_lib.training.optimizers import inner_matrices, make_optimizers, update


@dataclass(frozen=True)
class Recipe:
    """How to train, until `steps` are made or `seconds` have passed, whichever comes first.

    optimizer: "muon" (for the matrices inside the layers, AdamW for the rest) or "adamw" (for everything).
    learning_rate and matrix_rate are the peaks for AdamW and Muon (5e-3 suits AdamW alone).
    schedule: "one_cycle" (warms up for the fraction `warmup` of the budget, ends at 0) or "noam" (warms up
    for `warmup_steps`, then falls as step^-1/2).
    batch_tokens counts target tokens. clip limits the norm of all gradients together.
    """

    steps: int | None = None
    seconds: float | None = None
    batch_tokens: int = 450
    optimizer: str = "muon"
    learning_rate: float = 1e-2
    matrix_rate: float = 0.02
    weight_decay: float = 0.1
    schedule: str = "one_cycle"
    warmup: float = 0.05
    warmup_steps: int = 200
    smoothing: float = 0.1
    clip: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.steps is None and self.seconds is None:
            raise ValueError("a recipe needs an end: give steps, seconds, or both")
        for name in ("steps", "seconds"):
            if (limit := getattr(self, name)) is not None and limit <= 0:
                raise ValueError(f"{name}: expected more than 0, got {limit}")
        for name, known in (("optimizer", ("muon", "adamw")), ("schedule", ("one_cycle", "noam"))):
            if getattr(self, name) not in known:
                raise ValueError(f"{name}: expected one of {known}, got {getattr(self, name)!r}")

    def done(self, step: int, seconds: float) -> float:
        """The fraction of the budget that is used up after `step` steps and `seconds`."""
        return max(step / (self.steps or torch.inf), seconds / (self.seconds or torch.inf))

    def rate(self, step: int, done: float) -> float:
        """The fraction of the peak learning rates at step 1, 2, ..."""
        if self.schedule == "one_cycle":
            return one_cycle(done, self.warmup)
        return noam_rate(step, 1, self.warmup_steps) / noam_rate(self.warmup_steps, 1, self.warmup_steps)


@dataclass
class History:
    """What happened in one `train`: a mean training loss for every report, a loss for every validation."""

    steps: list[int] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    validation_steps: list[int] = field(default_factory=list)
    validation_losses: list[float] = field(default_factory=list)
    tokens: int = 0
    seconds: float = 0.0
    stopped: str = ""


def device() -> torch.device:
    """The fastest device there is: cuda, mps or cpu."""
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def set_seed(seed: int) -> None:
    """Seed Python's and torch's generators (on all devices)."""
    random.seed(seed)
    torch.manual_seed(seed)


def _optimizers(model: Transformer, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """AdamW alone trains any model, a learner's own too; Muon needs to know where its matrices are."""
    rates = recipe.learning_rate, recipe.matrix_rate, recipe.weight_decay
    if recipe.optimizer == "adamw":
        return make_optimizers(model, [], 0, *rates)
    size = model.config.d_model
    return make_optimizers(model, inner_matrices([model.encoder, model.decoder], size), size, *rates)


class Trainer:
    """All that changes while training; `state_dict` holds it, so that a run can go on later."""

    def __init__(self, model: Transformer, data: Bitext, recipe: Recipe, loss: Loss = smoothed_loss) -> None:
        self.model, self.data, self.recipe, self.loss = model, data, recipe, loss
        self.optimizers = _optimizers(model, recipe)
        self.device = next(model.parameters()).device
        self.generator = torch.Generator().manual_seed(recipe.seed)
        self.history = History()
        self.step = 0
        self.start_epoch()

    def start_epoch(self) -> None:
        self.epoch_start, self.position = self.generator.get_state(), 0
        self.batches = bucketed_batches(self.data, self.recipe.batch_tokens, self.generator)

    def next_batch(self) -> tuple[Tensor, Tensor]:
        if self.position == len(self.batches):
            self.start_epoch()
        self.position += 1
        return self.data.batch(self.batches[self.position - 1], self.device)

    def train_step(self) -> Tensor:
        """One batch, one update; returns its loss, still on the device."""
        source, target = self.next_batch()
        self.step += 1
        self.history.tokens += target[:, 1:].numel()
        rate = self.recipe.rate(self.step, self.recipe.done(self.step - 1, self.history.seconds))
        logits = self.model(source, target[:, :-1])
        loss = self.loss(logits, target[:, 1:], self.recipe.smoothing)
        loss.backward()
        if self.recipe.clip is not None:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip)
        update(self.optimizers, rate)
        return loss.detach()

    def validation_loss(self, data: Bitext) -> float:
        """Mean loss per target token, without smoothing and without dropout."""
        total, tokens = 0.0, 0
        with evaluating(self.model):
            for rows in bucketed_batches(data, 4 * self.recipe.batch_tokens, torch.Generator()):
                source, target = data.batch(rows, self.device)
                count = int((target[:, 1:] != PAD).sum())
                loss = self.loss(self.model(source, target[:, :-1]), target[:, 1:], 0.0)
                total, tokens = total + float(loss) * count, tokens + count
        return total / tokens

    def state_dict(self) -> dict[str, Any]:
        return {
            "config": asdict(self.model.config),
            "recipe": asdict(self.recipe),
            "pairs": len(self.data),
            "model": self.model.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "history": asdict(self.history),
            "step": self.step,
            "epoch_start": self.epoch_start,
            "position": self.position,
            "rng": torch.get_rng_state(),
            "cuda_rng": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where `state` was taken; raises ValueError if it is of another model, recipe or data."""
        require_same(state["config"], self.model.config, "model")
        require_same(state["recipe"], self.recipe, "recipe")
        if state["pairs"] != len(self.data):
            raise ValueError(f"the checkpoint was trained on {state['pairs']} pairs, not on {len(self.data)}")
        self.model.load_state_dict(state["model"])
        for optimizer, saved in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        self.history = History(**state["history"])
        self.generator.set_state(state["epoch_start"])
        self.start_epoch()
        self.step, self.position = state["step"], state["position"]
        torch.set_rng_state(state["rng"])
        if state["cuda_rng"] and torch.cuda.is_available():
            torch.cuda.set_rng_state_all(state["cuda_rng"])


def train(
    model: Transformer,
    data: Bitext,
    recipe: Recipe,
    *,
    loss: Loss = smoothed_loss,
    validation: Bitext | None = None,
    patience: int | None = None,
    report_every: int = 50,
    on_report: Callable[[History], None] | None = None,
    checkpoint: str | Path | None = None,
    clock: Callable[[], float] = time.perf_counter,
    progress: bool = True,
) -> History:
    """Train until the recipe's budget is used up, or validation has not improved for `patience` reports.

    Every `report_every` steps: the loss is noted, validation data is tried, `on_report` is called (to draw a
    live figure, say) and `checkpoint` is written. If that file exists, training goes on from it; with a
    budget of steps the result is bit for bit that of a run that was never interrupted. Reports do not count
    as training time.
    """
    trainer = Trainer(model.train(), data, recipe, loss)
    if checkpoint is not None and Path(checkpoint).exists():
        trainer.load_state_dict(load_checkpoint(checkpoint))
    history = trainer.history
    history.stopped = _reason_to_stop(trainer, patience)
    with progress_bar(1.0, progress) as bar:
        while not history.stopped:
            _train_until_report(trainer, report_every, clock)
            if validation is not None:
                history.validation_steps.append(trainer.step)
                history.validation_losses.append(trainer.validation_loss(validation))
            history.stopped = _reason_to_stop(trainer, patience)
            if checkpoint is not None:
                save_atomically(trainer.state_dict(), checkpoint)
            if on_report is not None:
                on_report(history)
            bar.update(min(1.0, recipe.done(trainer.step, history.seconds)) - bar.n)
            bar.set_postfix_str(say_heading(f"step {trainer.step}, loss {history.losses[-1]:.3f}"))
    return history


def _train_until_report(trainer: Trainer, report_every: int, clock: Callable[[], float]) -> None:
    """Train up to the next report, or to the end of the budget, and note the mean loss since the last one."""
    history, recipe, losses = trainer.history, trainer.recipe, []
    began, before = clock(), history.seconds
    while recipe.done(trainer.step, history.seconds) < 1:
        losses.append(trainer.train_step())
        history.seconds = before + clock() - began
        if trainer.step % report_every == 0:
            break
    if losses:
        history.steps.append(trainer.step)
        history.losses.append(float(torch.stack(losses).mean()))
        history.rates.append(recipe.rate(trainer.step, recipe.done(trainer.step - 1, history.seconds)))
        history.seconds = before + clock() - began  # a GPU is done only once the loss is read


def _reason_to_stop(trainer: Trainer, patience: int | None) -> str:
    history, losses = trainer.history, trainer.history.validation_losses
    if trainer.recipe.done(trainer.step, history.seconds) >= 1:
        return "budget"
    if patience is not None and len(losses) > patience and min(losses[-patience:]) >= min(losses[:-patience]):
        return f"no better validation loss for {patience} reports"
    return ""
