"""What a lesson shows with other seeds: `python tests/bench/lesson.py 06_encoder_decoder --runs 6`.

Runs the solved notebook again and again, each time with other random numbers, and prints what differs: texts,
and what the figures say of themselves; with one run, everything. Where a lesson quotes a range "in six runs",
it is read off here. Some come from other numbers of steps or from more seeds:

    03_multi_head --runs 6 --replace "Recipe(steps=400)" "Recipe(steps=1200)"
    07_translator --runs 5 --replace "Recipe(steps=2200)" "Recipe(steps=200)", for new combinations, and with
        --replace "pairs = corpus.compositional[:300]" "pairs = corpus.test[:300]" too, for new sentences
    03_multi_head --runs 1 --replace "seed in range(3)" "seed in range(18)" --only "for heads in (1, 2, 4):"
        and --only "hidden=64, steps=800"
    03_multi_head --runs 6 --only "without head {head}: chaser"
    05_layer_norm --runs 5 --only "for ax, keeps_size"
    07_translator --runs 3 --only "perplexity {math.exp"
    07_translator --runs 6 --replace "range(60)" "range(100)" --replace "full((60,)" "full((100,)"
        --replace 'range(1, 61), curves, "step", "loss"' 'range(1, 101), curves, "step", "loss"'
"""

import argparse
import os
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from course_lib.authoring.build import ROOT
from course_lib.authoring.needed_cells import needed
from course_lib.authoring.notebook_client import NotebookClient
from course_lib.state import FOLDER

# What a lesson quotes though none of its cells prints it.
QUOTED = {
    "01_embedding": [
        "[(word, near) for names in [sum(kinds.values(), [])] for word in names for near in [names[nearest("
        "vectors[vocabulary.encode([word])[0]], vectors[vocabulary.encode(names)], count=2)[1][1]]] "
        "if not any({word, near} <= set(kind) for kind in kinds.values())]",
        "[round(share_right('games', 'game', reach), 2) for reach in (1, 5)]",
    ],
    "03_multi_head": [
        "seen.maps.encoder[0, 0, :, seen.source.index('winter'), seen.source.index('games')]",
        "dict(zip(seen.source, seen.maps.cross[0, 0, :, seen.target.index('冬奥会')].mean(dim=0).tolist()))",
    ],
    "06_encoder_decoder": ["dict(zip(keys, mean[written.index('冬奥会')].tolist()))"],
    "07_translator": [
        "winter, football = map(translator.explain, sentences)",
        "winter.maps.cross[-1, 0].mean(dim=0)[winter.target.index('冬奥会')]",
        "football.maps.cross[-1, 0].mean(dim=0)[football.target.index('比赛')]",
        "football.maps.encoder[-1, 0].mean(dim=0)[football.source.index('games')]",
    ],
    "09_bug_clinic": [
        "[treated_with('mask of -1e-12', 'fed the answer', seed=seed).score for seed in range(3)]",
        "[treated_with(name, seed=seed).losses[-1] for name in (*losses, *first) for seed in range(3)]",
    ],
    "08_transfer_learning": ["{name: curve[temperatures.index(1.0)] for name, curve in curves.items()}"],
}
# Every seed of the lesson is moved by the number of the run; run 0 is the lesson as it stands.
OTHER_SEEDS = """
from functools import partialmethod
import torch
from course_lib.training.trainer import Recipe

seeded = torch.manual_seed
torch.manual_seed = lambda seed: seeded(seed + 1000 * {run})
Recipe.__init__ = partialmethod(Recipe.__init__, seed=1000 * {run})
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lesson", help="03_multi_head, say")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument(
        "--replace", nargs=2, action="append", default=[], metavar=("OLD", "NEW"), help="in the code"
    )
    parser.add_argument("--show", default=[], nargs="*", help="more expressions to print at the end")
    parser.add_argument(
        "--only", metavar="TEXT", help="run the cells of code that hold it, and what they need"
    )
    arguments = parser.parse_args()
    os.environ[FOLDER] = ""  # whoever runs this keeps the points and hints that are theirs
    path = ROOT / "solutions" / arguments.lesson / f"{arguments.lesson}.ipynb"
    outputs = []
    for run in range(arguments.runs):
        notebook = nbformat.read(path, as_version=4)
        for old, new in arguments.replace:
            replace(notebook, old, new)
        quoted = QUOTED.get(arguments.lesson, [])
        if arguments.only:
            quoted = []
            keep(notebook, arguments.only)
        expressions = [*quoted, *arguments.show]
        notebook.cells += [new_code_cell(expression) for expression in expressions]
        outputs.append(results(notebook, run))
    for cells in zip(*outputs, strict=True):
        if len(set(cells)) > 1 or (arguments.runs == 1 and any(cells)):
            for run, output in enumerate(cells):
                print(f"run {run}:", output.rstrip(), flush=True)
            print()


def replace(notebook: nbformat.NotebookNode, old: str, new: str) -> None:
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and old in cell.source]
    if not cells:
        raise SystemExit(f"no code cell of the lesson holds {old!r}")
    for cell in cells:
        cell.source = cell.source.replace(old, new)


def keep(notebook: nbformat.NotebookNode, text: str) -> None:
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    notebook.cells = [cells[place] for place in needed([cell.source for cell in cells], text)]
    if not notebook.cells:
        raise SystemExit(f"no code cell of the lesson holds {text!r}")


def results(notebook: nbformat.NotebookNode, run: int) -> list[str]:
    """What each code cell printed, returned or drew, as text."""
    notebook.cells.insert(0, new_code_cell(OTHER_SEEDS.format(run=run)))
    NotebookClient(notebook, timeout=600, skip_cells_with_tag="").execute()  # grading skips what it tags
    return ["".join(map(text, cell.outputs)) for cell in notebook.cells if cell.cell_type == "code"]


def text(output: nbformat.NotebookNode) -> str:
    return output.get("text") or output.data.get("text/plain", "") + "\n"


if __name__ == "__main__":
    main()
