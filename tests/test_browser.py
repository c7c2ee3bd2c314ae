"""Every notebook, run in JupyterLab in Chromium: no complaint of the browser, no request that leaves it.

One lesson is run by default; all of them, in both themes, by `make browser-test` (COURSE_BROWSER=all).
"""

import os
from pathlib import Path

import pytest
from browser import CHROMIUM, THEMES, Lab

from course_lib.build import lessons

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
    """After each test the browser has had nothing to complain of."""
    lab.complaints.clear()
    yield
    assert lab.complaints == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("folder", ["notebooks", "solutions"])
def test_all_cells_run(lab, folder, name):
    errors = set()
    for cell in range(lab.open(f"{folder}/{name}/{name}.ipynb")):
        outputs = lab.run(cell).get("outputs", [])
        errors |= {output["ename"] for output in outputs if output["output_type"] == "error"}
        assert not [output for output in outputs if output.get("name") == "stderr"]
    lab.use_widgets()
    if pictures:
        lab.pictures(Path(pictures) / f"{name}_{folder}_{lab.theme}")
    lab.close_notebook()
    assert errors <= ({"NotImplementedError"} if folder == "notebooks" else set())


def test_validate_tells_of_the_stubs(lab):
    lab.open(f"notebooks/{NAMES[0]}/{NAMES[0]}.ipynb")
    lab.page.get_by_role("button", name="Validate").click()
    lab.page.get_by_text("The following cell failed").first.wait_for(timeout=120_000)
    lab.page.keyboard.press("Escape")
    lab.close_notebook()


def test_formgrader_lists_the_lessons(lab):
    lab.page.evaluate("() => jupyterapp.commands.execute('nbgrader:open-formgrader')")
    for name in NAMES:
        lab.page.frame_locator("iframe").get_by_text(name, exact=True).first.wait_for(timeout=60_000)
