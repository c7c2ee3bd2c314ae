"""The course where others run it: on Colab's versions, and from environment.yml. Slow, so only if asked for.

`make test-places` asks. Colab's own Python and torch are taken if they are named, as in
`make test-places COLAB_PYTHON=python3.13 COLAB_TORCH=2.11.0`; else this Python and the pinned torch.
"""

import json
import os
import subprocess
import sys

import pytest
import yaml
from test_notebooks import NAMES, outputs, read, scores

from course_lib.authoring.address import Address, read_address
from course_lib.authoring.build import ROOT
from course_lib.authoring.notebook_client import NotebookClient
from course_lib.authoring.setup_cell import setup

pytestmark = [
    pytest.mark.skipif("COURSE_PLACES" not in os.environ, reason="slow: make test-places"),
    pytest.mark.xdist_group("places"),
]
CONSTRAINTS = (ROOT / "constraints.txt").read_text().splitlines()
CLEAN = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


class Place:
    """A fresh environment, apart from this one and from the working tree, and a kernel in it."""

    def __init__(self, folder, python=None):
        self.folder, self.environment = folder, dict(CLEAN)
        self.call(python or sys.executable, "-m", "venv", "env")
        self.python = folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
        spec = folder / "jupyter" / "kernels" / "place" / "kernel.json"
        spec.parent.mkdir(parents=True)
        argv = [str(self.python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        spec.write_text(json.dumps({"argv": argv, "display_name": "place", "language": "python"}))

    def call(self, *command):
        command = [*map(str, command)]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def pip(self, *arguments):
        return self.call(self.python, "-m", "pip", "--disable-pip-version-check", *arguments)

    def packages(self):
        return {line for line in self.pip("list", "--format=freeze").splitlines() if "==" in line}

    def run(self, notebook, monkeypatch):
        """All cells, in an empty folder."""
        monkeypatch.setenv("JUPYTER_PATH", str(self.folder / "jupyter"))
        content = self.folder / "content"
        content.mkdir(exist_ok=True)
        resources = {"metadata": {"path": str(content)}}
        options = {"timeout": 3600, "allow_errors": True, "skip_cells_with_tag": "", "resources": resources}
        NotebookClient(notebook, kernel_name="place", **options).execute(env=CLEAN)
        return notebook


@pytest.fixture(scope="module")
def colab(tmp_path_factory):
    place = Place(tmp_path_factory.mktemp("colab"), os.environ.get("COLAB_PYTHON") or None)
    pinned = next(line for line in CONSTRAINTS if line.startswith("torch=="))
    torch = f"torch=={os.environ['COLAB_TORCH']}" if os.environ.get("COLAB_TORCH") else pinned
    place.pip("install", "--quiet", torch, "-r", ROOT / "tests" / "colab.txt")
    place.pip("wheel", "--quiet", "--no-deps", "--wheel-dir", place.folder, ROOT)
    place.wheel = next(place.folder.glob("*.whl"))
    place.before = place.packages()
    return place


def test_the_setup_cell_installs_the_course_and_touches_nothing_else(colab, monkeypatch):
    notebook = read("notebooks", NAMES[0])
    notebook.cells = [cell for cell in notebook.cells if cell.get("id") == "setup"] * 2  # run it twice
    for cell in notebook.cells:
        published = Address("a-name-that-pypi-does-not-have", "0.1.0", "https://github.com/someone/course")
        cell.source = setup(published).replace(published.download, str(colab.wheel))
    colab.run(notebook, monkeypatch)
    assert outputs(notebook, "error") == []
    added = colab.packages() - colab.before
    assert [line.split("==")[0] for line in added] == [read_address().name]
    assert colab.before < colab.packages()
    assert "site-packages" in colab.call(colab.python, "-c", "import course_lib; print(course_lib.__file__)")


@pytest.mark.parametrize("name", NAMES)
def test_a_students_notebook_on_colabs_versions(colab, monkeypatch, name):
    notebook = colab.run(read("notebooks", name), monkeypatch)
    errors = [f"{error.ename}: {error.evalue}" for error in outputs(notebook, "error")]
    assert [error for error in errors if not error.startswith("NotImplementedError")] == []
    assert len(scores(notebook)) >= sum("check" in cell.metadata for cell in notebook.cells)


@pytest.mark.parametrize("name", NAMES)
def test_a_solution_on_colabs_versions(colab, monkeypatch, name):
    notebook = colab.run(read("solutions", name), monkeypatch)
    assert [f"{error.ename}: {error.evalue}" for error in outputs(notebook, "error")] == []
    assert [output.text for output in outputs(notebook, "stream") if output.name == "stderr"] == []
    assert all(score["points"] == score["max_points"] for score in scores(notebook))


@pytest.fixture(scope="module")
def uv(tmp_path_factory):
    place = Place(tmp_path_factory.mktemp("uv"))
    place.pip("install", "--quiet", "uv")
    place.environment["MACOSX_DEPLOYMENT_TARGET"] = "14.0"
    return place


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
@pytest.mark.parametrize("system", ["windows", "macos"])
def test_the_pins_fit_windows_and_mac(uv, system, version):
    """Every package has its pinned version there, and files to install."""
    command = [uv.python, "-m", "uv", "pip", "compile", "--all-extras", "--no-annotate", "--no-header"]
    command += ["--constraint", ROOT / "constraints.txt", ROOT / "pyproject.toml"]
    found = uv.call(*command, "--python-version", version, "--python-platform", system).splitlines()
    pins = {line.lower().replace("_", "-") for line in CONSTRAINTS}
    assert [line for line in found if line not in pins and not line.startswith("setuptools")] == []
    assert len(found) > 100


def test_environment_yml_installs(tmp_path):
    """Its pip list, by pip alone: what conda adds is Python and pip."""
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    lines = next(entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    place = Place(tmp_path)
    (tmp_path / "requirements.txt").write_text("\n".join(lines))
    for name in ("course_lib", "pyproject.toml", "README.md", "LICENSE", "constraints.txt"):
        (tmp_path / name).symlink_to(ROOT / name)
    place.pip("install", "--quiet", "-r", "requirements.txt")
    pins = {line.lower() for line in CONSTRAINTS}
    installed = {line.lower().split("+")[0] for line in place.packages()}  # torch may be 2.13.0+cpu
    needed = {"torch", "numpy", "matplotlib", "ipython", "ipywidgets", "jupyterlab", "nbgrader", "jupytext"}
    assert needed == {line.split("==")[0] for line in pins & installed} & needed
    place.call(place.python, "-m", "course_lib", "corpus", "1")
