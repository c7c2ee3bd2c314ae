"""Every notebook, run in JupyterLab in Chromium: no complaint of the browser, no request that leaves it.

One lesson is run by default; all of them, in both themes, by `make browser-test` (COURSE_BROWSER=all), where
`ARGS="-k drawings"` runs the drawings alone: the cells that draw, and what these read.
"""

import os
import re
from pathlib import Path

import nbformat
import pytest
from browser import AXE, CHROMIUM, PANEL, THEMES, Lab
from drawings import DRAWINGS, DRAWS
from test_notebooks import STUB

from course_lib.authoring.build import lessons

NAMES = [path.stem for path in lessons()]
EVERYTHING = os.environ.get("COURSE_BROWSER") == "all"
if not EVERYTHING:
    NAMES, THEMES = NAMES[:1], ["light"]
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: install Debian's chromium"),
    pytest.mark.xdist_group("browser"),  # one server and one browser for all
]
pictures = os.environ.get("COURSE_PICTURES")  # a folder for screenshots of every notebook


@pytest.fixture(scope="module", params=THEMES)
def lab(request, tmp_path_factory):
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        lab = Lab(playwright, tmp_path_factory.mktemp("lab"), request.param)
        yield lab
        lab.close()


@pytest.fixture(autouse=True)
def quiet(request, lab):
    """After each test the browser has had nothing to complain of, and nobody turned to another machine."""
    lab.complaints.clear()
    yield
    assert lab.complaints == []
    assert lab.turned_to() == []


def write(lab, name, code):
    """A notebook of a title and of cells, which in a text are between lines of dashes."""
    cells = [nbformat.v4.new_markdown_cell("# Title")]
    sources = code.split("---\n") if isinstance(code, str) else code
    cells += [nbformat.v4.new_code_cell(source.strip()) for source in sources]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}  # else JupyterLab asks
    nbformat.write(nbformat.v4.new_notebook(metadata={"kernelspec": kernel}, cells=cells), lab.root / name)


def run_all(lab, path):
    """Run every cell; returns the tracebacks, without their colors. Nothing may be written to stderr."""
    errors = []
    for cell in range(lab.open(path)):
        outputs = lab.run(cell).get("outputs", [])
        errors += ["\n".join(o["traceback"]) for o in outputs if o["output_type"] == "error"]
        assert not [output for output in outputs if output.get("name") == "stderr"]
    return [re.sub(r"\x1b\[[\d;]*m", "", error) for error in errors]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("folder", ["notebooks", "solutions"])
def test_notebook(lab, folder, name):
    """Cells run, widgets answer to the keyboard, everything can be read; only stubs of exercises raise."""
    errors = run_all(lab, f"{folder}/{name}/{name}.ipynb")
    lab.use_widgets()
    faults = lab.faults()
    if pictures:
        lab.pictures(Path(pictures) / f"{name}_{folder}_{lab.theme}")
    verdict = lab.validate()
    lab.close_notebook()
    assert [error for error in errors if folder == "solutions" or not re.fullmatch(STUB, error)] == []
    assert faults == []
    assert ("passes all the tests" if folder == "solutions" else "following cell failed") in verdict


TELL = f"import sys; sys.path.append({str(Path(__file__).parent)!r}); from drawings import tell; tell()"


@pytest.mark.parametrize("name", DRAWINGS if EVERYTHING else list(DRAWINGS)[:1])
def test_drawings(lab, name):
    """Each drawing of a lesson is shown whole; its texts are told apart, large enough and dark enough."""
    write(lab, "drawings.ipynb", [TELL, *DRAWINGS[name]])
    assert run_all(lab, "drawings.ipynb") == []
    faults = lab.faults()
    shown = lab.page.locator(f"{PANEL} img[data-texts]").count()
    if pictures:
        lab.pictures(Path(pictures) / f"{name}_drawings_{lab.theme}")
    lab.close_notebook()
    assert faults == []
    assert shown == sum(DRAWS in cell for cell in DRAWINGS[name])


def test_formgrader_lists_the_lessons(lab):
    lab.page.evaluate("() => jupyterapp.commands.execute('nbgrader:open-formgrader')")
    for name in NAMES:
        lab.page.frame_locator("iframe").get_by_text(name, exact=True).first.wait_for()


EXPLORERS = """
from course_lib import plots, widgets
from course_lib.model.positions import sinusoidal_encoding
widgets.clock_explorer(sinusoidal_encoding(20, 8))
---
import torch
keep = lambda logits, *choices: (None, logits.softmax(dim=-1) * sum(map(float, filter(None, choices))))
widgets.sampling_explorer({"a": torch.ones(12), "b": torch.arange(12.0)}, list("abcdefghijkl"), keep)
"""


def test_every_control_of_the_explorers_is_used_by_keyboard(lab):
    write(lab, "explorers.ipynb", EXPLORERS)
    assert run_all(lab, "explorers.ipynb") == []
    assert lab.use_widgets() == ["position", "shift", "beginning", "temperature", "top-k", "top-p"]
    assert lab.faults() == []
    lab.close_notebook()


VIEW = """
import torch
from course_lib import plots
torch.manual_seed(0)
words = ["i", "like", "tea"]
cross = plots.Attention(torch.randn(2, 3, 3, 3).softmax(dim=-1), ["我", "喜欢", "茶"], words)
plots.maps_view({"i like tea": {"cross": cross, "encoder": cross._replace(queries=words)}})
---
"the cell after it"
"""


def test_the_attention_view_keeps_its_keys_from_jupyterlab(lab):
    """Which would delete the cell at d d, and insert one at a, while the focus is in an output."""
    write(lab, "view.ipynb", VIEW)
    assert run_all(lab, "view.ipynb") == []
    view, cells = lab.page.locator(f"{PANEL} [data-drawn]"), lab.page.locator(f"{PANEL} .jp-Cell")
    view.locator(".keys .word").first.click()
    assert view.locator(".says").inner_text().startswith("“i” gets these weights")
    for key in ("j", "d", "d", "a", "x", "ArrowDown"):
        lab.page.keyboard.press(key)
    assert cells.count() == 3
    assert view.locator("[aria-selected=true]").inner_text() == "like"
    view.locator("[name=head]").nth(4).focus()
    lab.page.keyboard.press("ArrowRight")
    assert view.locator("[name=head]").nth(5).is_checked()
    lab.page.keyboard.press("Shift+Enter")
    assert lab.page.evaluate("() => jupyterapp.shell.currentWidget.content.activeCellIndex") == 2
    assert view.evaluate("node => node.hasAttribute('data-dark')") == (lab.theme == "dark")
    lab.page.evaluate(AXE)
    found = lab.page.evaluate("node => axe.run(node)", view.element_handle())
    assert [fault["id"] for fault in found["violations"]] == [] != found["passes"]
    faults = lab.faults()
    if pictures:
        lab.pictures(Path(pictures) / f"view_{lab.theme}")
    lab.close_notebook()
    assert faults == []


def test_the_attention_view_of_a_notebook_that_is_not_trusted_is_a_picture(lab):
    write(lab, "view.ipynb", VIEW)
    assert run_all(lab, "view.ipynb") == []
    lab.close_notebook()
    saved = nbformat.read(lab.root / "view.ipynb", 4)
    saved.cells[2].source += "  # by somebody else: no longer what this reader has signed"
    nbformat.write(saved, lab.root / "theirs.ipynb")
    lab.open("theirs.ipynb")
    image = lab.page.locator(f"{PANEL} .jp-OutputArea img")
    image.wait_for()
    assert image.get_attribute("alt").startswith("i like tea: cross, layer 1, mean of heads. Attention map")
    assert image.evaluate("node => node.decode().then(() => node.naturalHeight)") > 100
    assert lab.page.locator(f"{PANEL} [data-drawn]").count() == 0
    faults = lab.faults()
    lab.close_notebook()
    assert faults == []


FAULTY_DRAWING = """
from course_lib.plots.diagrams import Label, Row, Sheet
row = Row(Label("pale", color="#999999"), Label("below"), Label("tiny", 5), gap=99)
sheet = Sheet(row, alt="what is drawn is full of faults")
sheet.note(row.parts[1].center, "above")
sheet.note(row.right, "too far")
sheet.picture()
---
from IPython.display import HTML
wide = Sheet(Row(*"ab", gap=1500), alt="what is drawn is too wide")
HTML(wide.picture()._repr_mimebundle_()["text/html"].replace("<img ", '<img style="max-width: none" '))
"""


def test_faults_of_drawings_are_found(lab):
    write(lab, "faulty_drawings.ipynb", [TELL, *FAULTY_DRAWING.split("---\n")])
    assert run_all(lab, "faulty_drawings.ipynb") == []
    found = " ".join(lab.faults())
    lab.close_notebook()
    for fault in (
        'contrast 2.73 of "pale"', '"below" meets "above"', '6.9 px has "tiny"', 'the edge cuts "too far"',
        'cut off: drawing "what is drawn is too wide"',
    ):  # fmt: skip
        assert fault in found


FAULTY = """
import sys
from IPython.display import HTML
sys.audit("socket.connect", None, ("192.0.2.1", 80))
HTML('''<p style="color:#999;background:#fff">gray words</p>
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=" alt="short" width="9">
<div style="overflow:hidden;width:9em"><div style="width:90em">wide words</div></div>
<select><option>nameless</option></select>''')
"""


def test_faults_are_found(lab):
    write(lab, "faulty.ipynb", FAULTY)
    run_all(lab, "faulty.ipynb")
    found = " ".join(lab.faults())
    lab.close_notebook()
    assert "192.0.2.1" in " ".join(lab.turned_to())
    lab.watched.unlink()
    for fault in ("contrast 2.85", 'only "short"', 'cut off: div "wide', "no name: <select"):
        assert fault in found
