"""What breaks when a piece is missing: `python tests/bench/ablations.py [--steps 1000] [--seeds 3]`.

Runs on one CPU core; 1000 steps take 10 to 15 seconds. A row is the median over seeds, then [worst .. best].
"""

import argparse
import statistics

import torch

from course_lib.corpus import load_corpus
from course_lib.training.trainer import Recipe
from course_lib.translation.ablations import ABLATIONS, Measurement, ablated, measure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--pieces", nargs="+", default=list(ABLATIONS), choices=list(ABLATIONS))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    corpus = load_corpus()
    print(f"{arguments.steps} steps of training, {arguments.seeds} seeds; percent of 500 sentences")
    print(f"{'':22}" + "".join(f"{name:>24}" for name in Measurement._fields))
    for name in arguments.pieces:
        results = []
        for seed in range(arguments.seeds):
            recipe = Recipe(steps=arguments.steps, seed=seed)
            translator = ablated(corpus, name, recipe, progress=False)
            results.append(measure(translator, corpus))
        spread = [
            f"{statistics.median(x):.1f} [{min(x):.1f} .. {max(x):.1f}]" for x in zip(*results, strict=True)
        ]
        print(f"{name:22}" + "".join(f"{text:>24}" for text in spread), flush=True)


if __name__ == "__main__":
    main()
