"""What attention brought: `python tests/bench/history.py [--steps 1000] [--seeds 3] [--kinds ...]`.

The translators of lesson 10, as its cells make and train them, of the solutions of lessons 01 to 07: a GRU
with a fixed vector, a GRU with attention, a Transformer. A fourth kind is here alone: a GRU with attention
whose encoder reads in both directions, with half of the state each. Printed, for each, lowest / median of the
seeds: exact match in percent on both tests, and on the random one by the source's words; CPU milliseconds of
a step, and of a pass; and the gradient of the last output by the first source word, for n random words into
n, over that for n = 4. One CPU core.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jupytext
import torch
from torch import Tensor, nn

from course_lib.authoring.build import ROOT
from course_lib.corpus import Pair
from course_lib.state import FOLDER

sys.path.insert(0, str(Path(__file__).parents[1]))
from learner import finish

LESSON = ROOT / "solutions" / "10_before_attention.py"
TRAINS = "= trained(kind)"
BOTH = "attention, both directions"
DISTANCES, PASSES = (4, 8, 16, 32), (10, 20, 40)
LENGTHS = {"3-6 words": (3, 6), "7-9": (7, 9), "10-12": (10, 12), "13 and more": (13, 99)}
Names = dict[str, Any]


def the_lesson() -> Names:
    """What the lesson's cells define, up to the one that trains."""
    names: Names = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder:
        os.environ[FOLDER] = folder
        finish(("01", "02", "03", "04", "05", "06", "07"))
        for cell in jupytext.read(LESSON).cells:
            if cell.cell_type == "code" and "check" not in cell.metadata:
                if TRAINS in cell.source:
                    break
                exec(cell.source, names)
        else:
            raise ValueError(f"no cell of {LESSON.name} holds {TRAINS!r}")
        for cell in jupytext.read(LESSON).cells:
            if cell.source.startswith(("def right", "def slope_of_first")):
                exec(cell.source, names)
    return names


def with_both_directions(names: Names) -> None:
    """Adds the fourth kind: its reader is two cells, and the second begins at the end."""
    one_way, known = names["states_of"], names["new_model"]

    def states_of(reader: nn.Module, vectors: Tensor) -> Tensor:
        if not isinstance(reader, nn.ModuleList):
            return one_way(reader, vectors)
        return torch.cat([one_way(reader[0], vectors), one_way(reader[1], vectors.flip(1)).flip(1)], dim=-1)

    def new_model(kind: str) -> nn.Module:
        if kind != BOTH:
            return known(kind)
        model = known("attention")
        model.reader = nn.ModuleList(names["Cell"](64, 48) for _ in range(2))
        return model

    names |= {"states_of": states_of, "new_model": new_model}


def by_length(marks: Tensor, pairs: Sequence[Pair]) -> Mapping[str, float]:
    words = torch.tensor([len(pair.source) for pair in pairs])
    return {
        name: 100 * marks[(words >= low) & (words <= high)].mean().item()
        for name, (low, high) in LENGTHS.items()
    }


def measured(names: Names, kind: str, steps: int, seed: int) -> Names:
    """One run, by the names that are printed."""
    torch.manual_seed(seed)
    random.seed(seed)
    corpus, row = names["corpus"], {}
    slopes = {n: names["slope_of_first"](names["new_model"](kind), n) for n in DISTANCES}
    row |= {f"before, {n} words": slopes[n] / slopes[4] for n in DISTANCES[1:]}
    row |= {f"ms, {n} into {n}": milliseconds(names["new_model"](kind), n) for n in PASSES}
    torch.manual_seed(seed)
    began = time.process_time()
    model, _ = names["trained"](kind, steps)
    row["ms a step"] = 1000 * (time.process_time() - began) / steps
    marks = {name: names["right"](model, getattr(corpus, name)) for name in ("test", "compositional")}
    row |= {name: 100 * mark.mean().item() for name, mark in marks.items()}
    row |= by_length(marks["test"], corpus.test)
    slopes = {n: names["slope_of_first"](model, n) for n in DISTANCES}
    return row | {f"after, {n} words": slopes[n] / slopes[4] for n in DISTANCES[1:]}


def milliseconds(model: nn.Module, n: int) -> float:
    """CPU time of one pass there and back: 32 random sentences, n words into n, the median of nine."""
    words, spent = torch.randint(4, 200, (32, n)), []
    for _ in range(9):
        began = time.process_time()
        model(words, words).sum().backward()
        spent.append(1000 * (time.process_time() - began))
    return statistics.median(spent)


def quiet(train: Callable) -> Callable:
    """Without its reports."""
    return lambda *arguments, every: train(*arguments[:-1], lambda step, loss: None, every)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--kinds", nargs="*", metavar="KIND", help="some of those that are printed")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    names = the_lesson()
    names["train"] = quiet(names["train"])
    with_both_directions(names)
    for kind in arguments.kinds or (*names["KINDS"], BOTH):
        rows = []
        for seed in range(arguments.seeds):
            rows.append(measured(names, kind, arguments.steps, seed))
            print(f"{kind}, seed {seed}: {rows[-1]['test']:.2f} {rows[-1]['compositional']:.2f}", flush=True)
        print(f"\n{kind}: {sum(p.numel() for p in names['new_model'](kind).parameters()):,} parameters")
        for name in rows[0]:
            values = [row[name] for row in rows]
            print(f"  {name:18} {min(values):9.3g} / {statistics.median(values):9.3g}")
        print(flush=True)


if __name__ == "__main__":
    main()
