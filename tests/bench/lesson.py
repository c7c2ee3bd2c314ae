"""What a lesson shows with other seeds: `python tests/bench/lesson.py 06_encoder_decoder --runs 6`.

Runs the solved notebook again and again, each time with other random numbers, and prints what differs: texts,
and what the figures say of themselves. Where a lesson quotes a range "in six runs", it is read off here.
"""

import argparse
import os
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from notebook_client import NotebookClient

from course_lib.build import ROOT
from course_lib.checks.memory import FOLDER

# Every seed of the lesson is moved by the number of the run; run 0 is the lesson as it stands.
OTHER_SEEDS = """
from functools import partialmethod
import torch
from course_lib.training import Recipe

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
    parser.add_argument("--show", default=[], nargs="*", help="expressions to print at the end")
    arguments = parser.parse_args()
    os.environ[FOLDER] = ""  # whoever runs this keeps the points and hints that are theirs
    path = ROOT / "solutions" / arguments.lesson / f"{arguments.lesson}.ipynb"
    found = []
    for run in range(arguments.runs):
        notebook = nbformat.read(path, as_version=4)
        for old, new in arguments.replace:
            replace(notebook, old, new)
        notebook.cells += [new_code_cell(expression) for expression in arguments.show]
        found.append(results(notebook, run))
    for cells in zip(*found, strict=True):
        if len(set(cells)) > 1:
            for run, shown in enumerate(cells):
                print(f"run {run}:", shown.rstrip(), flush=True)
            print()


def replace(notebook: nbformat.NotebookNode, old: str, new: str) -> None:
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and old in cell.source]
    if not cells:
        raise SystemExit(f"no code cell of the lesson holds {old!r}")
    for cell in cells:
        cell.source = cell.source.replace(old, new)


def results(notebook: nbformat.NotebookNode, run: int) -> list[str]:
    """What each code cell printed, returned or drew, as text."""
    notebook.cells.insert(0, new_code_cell(OTHER_SEEDS.format(run=run)))
    NotebookClient(notebook, timeout=600, skip_cells_with_tag="").execute()  # grading skips what it tags
    return ["".join(map(text, cell.outputs)) for cell in notebook.cells if cell.cell_type == "code"]


def text(output: nbformat.NotebookNode) -> str:
    return output.get("text") or output.data.get("text/plain", "") + "\n"


if __name__ == "__main__":
    main()
