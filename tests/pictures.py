"""Draw README's pictures, one a lesson, by running the lessons: python tests/pictures.py [LESSON ...]

Then `make build` puts them into README.
"""

import base64
import html
import json
import re
import sys

import nbformat

from course_lib.authoring.build import ROOT
from course_lib.authoring.contents import PICTURES
from course_lib.authoring.notebook_client import NotebookClient

FOLDER = ROOT / PICTURES
CHOSEN = {  # how the alternative text begins; the last such figure of the lesson is taken
    "00_start_here": "where a translator looks:",
    "01_embedding": "two axes hold",
    "02_attention": "cross-attention:",
    "03_multi_head": "decoder, cross-attention:",
    "04_positional_encoding": "Positional encoding:",
    "05_layer_norm": "LayerNorm:",
    "06_encoder_decoder": "cross-attention, trained:",
    "07_translator": "Decoding 'i am a student",
    "08_transfer_learning": "'games' in 15 sentences, after",
    "09_bug_clinic": "the toy reads its sentence:",
    "10_before_attention": "exact match, percent against words",
    "11_subwords": "7 merges of byte-pair encoding,",
    "12_gpt": "Two stacks, and one",
    "13_inference": "CPU milliseconds for the next word",
}


def figures(notebook: nbformat.NotebookNode) -> list[tuple[str, bytes]]:
    """All figures among the outputs: alternative text and PNG."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    pages = [output.get("data", {}).get("text/html", "") for output in outputs]
    found = [re.search(r'<img alt="([^"]+)"[^>]*base64,([^"]+)"', page) for page in pages]
    return [(html.unescape(match[1]), base64.b64decode(match[2])) for match in found if match]


def draw(lesson: str) -> str:
    """Write the lesson's picture; returns its alternative text."""
    notebook = nbformat.read(ROOT / "solutions" / lesson / f"{lesson}.ipynb", as_version=4)
    NotebookClient(notebook, timeout=None, skip_cells_with_tag="").execute()
    return keep(lesson, notebook)


def keep(lesson: str, notebook: nbformat.NotebookNode) -> str:
    """Write the chosen figure among the outputs; of its alternative text two sentences are enough here."""
    alt, png = [figure for figure in figures(notebook) if figure[0].startswith(CHOSEN[lesson])][-1]
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{lesson}.png").write_bytes(png)
    return ". ".join(alt.split(". ")[:2]).rstrip(".") + "."


def main() -> None:
    alts = json.loads((FOLDER / "alt.json").read_text(encoding="utf-8"))
    alts |= {lesson: draw(lesson) for lesson in sys.argv[1:] or CHOSEN}
    text = json.dumps(dict(sorted(alts.items())), indent=1, ensure_ascii=False)
    (FOLDER / "alt.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
