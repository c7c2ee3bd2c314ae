"""Lesson 07 with and without dropout: `python tests/bench/dropout.py [--seeds 5] [--full]`.

Trains the lesson's own model with `learn_little` on more and more pairs, 500 steps each, and prints
perplexities on the pairs trained on and on the validation set: the median over seeds, then [best .. worst].
--full instead trains as its section 8 does (4000 steps on 30,000 pairs) and prints exact matches on the
random and the compositional test: median, [worst .. best]. It also has a run without dropout whose
gradients are clipped to norm 1. One run takes 6 seconds, a full one 30.
"""

import argparse
import math
import os
import random
import statistics
import sys
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from course_lib.authoring.build import ROOT
from course_lib.authoring.needed_cells import needed
from course_lib.state import FOLDER
from course_lib.translation.metrics import exact_match

LESSON = ROOT / "solutions" / "07_translator" / "07_translator.ipynb"
SEEDED = torch.manual_seed, random.seed


def lesson() -> dict[str, Any]:
    """What the cells define that `learn_little` and `trained` need; nothing is trained."""
    cells = [cell.source for cell in nbformat.read(LESSON, as_version=4).cells if cell.cell_type == "code"]
    cells = [cell.replace("model = trained(STEPS, every=400)", "") for cell in cells]
    wanted = ("def learn_little", "def trained", "def written")
    places = sorted({place for text in wanted for place in needed(cells, text)})
    names: dict[str, Any] = {"__name__": "__main__"}
    for place in places:
        exec(cells[place].split("\nfor pair in [*corpus.examples")[0], names)
    names["told"] = lambda step, loss: None
    names["train"] = partial(names["train"], report=names["told"])
    return names


def seed_all(seed: int) -> None:
    torch.manual_seed = lambda _: SEEDED[0](seed)
    random.seed = lambda _: SEEDED[1](seed)


def full(names: dict[str, Any], chance: float, limit: float) -> tuple[float, ...]:
    """Exact match in percent of the random and of the compositional test."""
    random.seed(0)
    model = names["new_model"]()
    if chance:
        names["add_dropout"](model, chance)
    optimizer = names["adam"](model)
    if limit:
        clip = partial(torch.nn.utils.clip_grad_norm_, list(model.parameters()), limit)
        optimizer.register_step_pre_hook(lambda *_: void(clip()))
    names["train"](model.train(), names["batches"], optimizer, 4000, names["to_zero"](4000))
    model.eval()
    found = []
    for pairs in (names["corpus"].test, names["corpus"].compositional):
        written = names["written"](model, [pair.source for pair in pairs])
        found.append(100 * exact_match(written, [list(pair.target) for pair in pairs]))
    return tuple(found)


def void(_: object) -> None:
    """A hook returns nothing."""


def spread(numbers) -> str:
    return f"{statistics.median(numbers):8.2f} [{min(numbers):.2f} .. {max(numbers):.2f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--full", action="store_true", help="train as section 8 does")
    arguments = parser.parse_args()
    os.environ[FOLDER] = ""
    torch.set_num_threads(1)
    names = lesson()
    for pairs in (30_000,) if arguments.full else (300, 1000, 2000, 30_000):
        for chance, limit in ((0.0, 0.0), (0.1, 0.0), (0.0, 1.0))[: 3 if arguments.full else 2]:
            results = []
            for seed in range(arguments.seeds):
                seed_all(seed)
                if arguments.full:
                    results.append(full(names, chance, limit))
                else:
                    curves = names["learn_little"](chance, pairs=pairs)
                    results.append(tuple(math.exp(curve[-1]) for curve in curves))
            told = "".join(spread(column) for column in zip(*results, strict=True))
            print(f"{pairs:6} pairs, dropout {chance}, clipped to {limit or None}: {told}", flush=True)


if __name__ == "__main__":
    main()
