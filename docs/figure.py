"""Draw the figure of the README from the lesson that makes it: python docs/figure.py"""

import base64
import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from course_lib.build import ROOT

notebook = nbformat.read(ROOT / "solutions/02_attention/02_attention.ipynb", as_version=4)
NotebookClient(notebook, skip_cells_with_tag="").execute()
outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
pages = [output.get("data", {}).get("text/html", "") for output in outputs]
image = next(page for page in pages if 'alt="cross-attention' in page)
png = base64.b64decode(re.search(r"base64,([^\"]+)", image)[1])
Path(__file__).with_name("cross_attention.png").write_bytes(png)
