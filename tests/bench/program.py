"""How well a learner's translator learns: `python tests/bench/program.py [--choices ...] [--seeds 5]`.

It is the program that `course program` writes, made of the solutions of lessons 01 to 07, with the recipe of
lesson 07 and with one choice changed; and, on the same corpus and budget, the library's engine, whole and
with one of its changes taken back. One CPU core; a budget of seconds counts CPU seconds. Exact match in
percent, worst / median of the seeds. Last: how fast one pass is in both.
"""

import argparse
import importlib.util
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import torch
from torch import nn

from course_lib.corpus import Corpus, load_corpus
from course_lib.program import program
from course_lib.state import FOLDER
from course_lib.training.batches import Bitext, bucketed_batches
from course_lib.training.losses import noam_rate
from course_lib.training.trainer import Recipe, set_seed, train
from course_lib.translation.metrics import exact_match
from course_lib.translation.translator import Translator

sys.path.insert(0, str(Path(__file__).parents[1]))
from learner import finish
from translator import alternate

WARMUP = 600  # of the paper's rate: its peak is then that of lesson 07


def line(step: int, done: float) -> float:
    """Lesson 07's: up for 150 steps, then down in a line to 0."""
    return 5e-3 * min(step / 150, 1) * (1 - done)


def paper(step: int, done: float) -> float:
    return noam_rate(step, 64, WARMUP)


def paper_down(step: int, done: float) -> float:
    """The paper's, and in the last quarter of the budget down in a line to 0."""
    return noam_rate(step, 64, WARMUP) * min(1, 4 * (1 - done))


def tied(model: nn.Module) -> None:
    model.output.weight = model.target_embedding.table.weight


def whole_size(model: nn.Module) -> None:
    with torch.no_grad():
        for table in (model.source_embedding.table, model.target_embedding.table):
            table.weight.mul_(2)


@dataclass(frozen=True)
class Choice:
    """How one recipe differs from that of lesson 07."""

    rate: Callable[[int, float], float] = line
    change: Callable[[nn.Module], None] = lambda model: None
    rows: int = 32  # pairs of a batch
    decay: float = 0.2
    sizes: dict[str, int] = field(default_factory=dict)


CHOICES = {
    "lesson 07": Choice(),
    "the paper's rate": Choice(rate=paper),
    "the paper's rate, last quarter to 0": Choice(rate=paper_down),
    "output tied": Choice(change=tied),
    "word vectors of full size": Choice(change=whole_size),
    "64 pairs a batch": Choice(rows=64),
    "no weight decay": Choice(decay=0.0),
    "two layers": Choice(sizes={"layers": 2}),
}

# For each: changes of the library's model, and of its recipe.
ENGINES: dict[str, tuple[dict, dict]] = {
    "the library's engine": ({}, {}),
    "the engine, sinusoidal positions": ({"positions": "sinusoidal", "token_init": 0.5}, {}),
    "the engine, AdamW": ({}, {"optimizer": "adamw", "learning_rate": 5e-3}),
}
HEADLINES = ["lesson 07", "the paper's rate", "the paper's rate, last quarter to 0", "the library's engine"]


class Budget:
    """Steps or CPU seconds, of which `done` is the fraction that is used up."""

    def __init__(self, steps: int | None = None, seconds: float | None = None):
        self.steps, self.seconds, self.began = steps, seconds, time.process_time()

    @property
    def spent(self) -> float:
        return time.process_time() - self.began

    def done(self, steps: int) -> float:
        return min(1.0, steps / self.steps if self.steps else self.spent / (self.seconds or 1))

    def __str__(self) -> str:
        return f"{self.steps} steps" if self.steps else f"{self.seconds:g} CPU s"


def the_program() -> ModuleType:
    """The program of a learner who has solved everything."""
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {FOLDER: folder}):
        finish(("01", "02", "03", "04", "05", "06", "07"))
        path = Path(folder) / "my_transformer.py"
        program(path)
        spec = importlib.util.spec_from_file_location("my_transformer", path)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


def learned(module: Any, choice: str, corpus: Corpus, budget: Budget) -> tuple[Any, int]:
    """The program's translator, trained, and its steps."""
    recipe = CHOICES[choice]
    pairs = [(list(pair.source), list(pair.target)) for pair in corpus.train]
    with patch.dict(module.SIZES, recipe.sizes):
        translator = module.Translator.of(pairs)
    recipe.change(translator.model)
    optimizer = torch.optim.AdamW(
        translator.model.parameters(), betas=(0.9, 0.98), eps=1e-9, weight_decay=recipe.decay
    )
    batches, step = module.make_batches(translator.ids(pairs), recipe.rows), 0
    while budget.done(step) < 1:
        count = min(100, (budget.steps or sys.maxsize) - step)
        module.train(
            translator.model,
            batches,
            optimizer,
            count,
            lambda s, before=step: recipe.rate(before + s, budget.done(before + s - 1)),
            report=lambda step, loss: None,
        )
        step += count
    return translator, step


def engine(choice: str, corpus: Corpus, budget: Budget, seed: int) -> tuple[Any, int]:
    config, changes = ENGINES[choice]
    translator = Translator.for_pairs(corpus.train, **config)
    data = Bitext(corpus.train, translator.source_words, translator.target_words)
    recipe = Recipe(steps=budget.steps, seconds=budget.seconds, seed=seed, **changes)
    history = train(translator.model, data, recipe, clock=time.process_time, progress=False)
    return translator, history.steps[-1]


def measured(module: Any, choice: str, corpus: Corpus, budget: Budget, seed: int) -> list[float]:
    set_seed(seed)
    if choice in ENGINES:
        translator, steps = engine(choice, corpus, budget, seed)
    else:
        translator, steps = learned(module, choice, corpus, budget)
    row = [budget.spent, steps]
    for pairs in (corpus.test, corpus.compositional):
        translations = translator.translate([pair.source for pair in pairs])
        row.append(100 * exact_match(translations, [pair.target for pair in pairs]))
    return row


def print_pass(module: Any, corpus: Corpus) -> None:
    """Forward and backward of one batch, by models of the engine's sizes."""
    set_seed(0)
    translator = Translator.for_pairs(corpus.train)
    data, config = (
        Bitext(corpus.train, translator.source_words, translator.target_words),
        translator.model.config,
    )
    words = len(translator.source_words), len(translator.target_words)
    hand = module.Transformer(*words, config.d_model, config.heads, config.d_ff, config.encoder_layers)
    source, target = data.batch(bucketed_batches(data, 450, torch.Generator().manual_seed(0))[0])
    ours, theirs = alternate(
        lambda: hand(source, target[:, :-1]).sum().backward(),
        lambda: translator.model(source, target[:, :-1])[0].sum().backward(),
        rounds=100,
    )
    print(
        f"a pass by hand {1e3 * ours:.2f} ms, by the engine {1e3 * theirs:.2f} ms: {ours / theirs:.2f} times"
    )


def budgets(arguments: argparse.Namespace) -> Iterator[Callable[[], Budget]]:
    for steps in arguments.steps:
        yield lambda steps=steps: Budget(steps=steps)
    for seconds in arguments.seconds:
        yield lambda seconds=seconds: Budget(seconds=seconds)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, nargs="*", default=[2000, 4000])
    parser.add_argument("--seconds", type=float, nargs="*", default=[20, 40])
    parser.add_argument("--seeds", type=int, default=5)
    known = [*CHOICES, *ENGINES]
    told = f"some of: {', '.join(known)}"
    parser.add_argument("--choices", nargs="*", default=HEADLINES, choices=known, metavar="CHOICE", help=told)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    module, corpus = the_program(), load_corpus()
    print(f"{'':36} {'budget':>12} {'CPU s':>6} {'steps':>6}   {'random':>15}   compositional")
    for choice in arguments.choices:
        for budget in budgets(arguments):
            rows = [measured(module, choice, corpus, budget(), seed) for seed in range(arguments.seeds)]
            seconds, steps, new, mixed = zip(*rows, strict=True)
            spent, made = statistics.median(seconds), statistics.median(steps)
            random, compositional = (f"{min(x):6.2f} / {statistics.median(x):6.2f}" for x in (new, mixed))
            print(
                f"{choice:36} {budget()!s:>12} {spent:6.1f} {made:6.0f}   {random:>15}   {compositional}",
                flush=True,
            )
    print_pass(module, corpus)


if __name__ == "__main__":
    main()
