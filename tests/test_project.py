"""The project keeps its own rules: what is installed, what is committed, what a wheel holds."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from itertools import chain

import pytest
import yaml

from course_lib.authoring.address import read_address
from course_lib.authoring.build import ROOT

MODULES = sorted((ROOT / "course_lib").rglob("*.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_importing_course_lib_is_cheap():
    heavy = {"torch", "matplotlib", "ipywidgets", "nbgrader"}
    code = f"import course_lib, sys; print(sorted({heavy} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_the_wheel_holds_what_the_package_needs_and_no_solutions(tmp_path):
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, "."]
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "course_lib", copy / "course_lib")
    shutil.copytree(ROOT / "solutions", copy / "solutions")
    for name in ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"):
        shutil.copy(ROOT / name, copy)
    subprocess.run(command, cwd=copy, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    address = read_address()
    assert wheel.name == address.wheel
    names = set(zipfile.ZipFile(wheel).namelist())
    package = [path for path in (ROOT / "course_lib").rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert {str(path.relative_to(ROOT)) for path in package} <= names
    assert {name.split("/")[0] for name in names} == {
        "course_lib",
        wheel.name.split("-py3")[0] + ".dist-info",
    }
    assert round(wheel.stat().st_size / 1e6, 1) == 2.2, "docs/places.md says that the wheel has 2.2 MB"


def test_checks_load_no_figures():
    code = "import course_lib.exercises.attention, sys; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_environment_yml_equals_pyproject():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert environment["channels"] == ["conda-forge", "nodefaults"]
    pip = next(entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    packages = [line for line in pip if not line.startswith("-")]
    assert packages == PROJECT["dependencies"] + PROJECT["optional-dependencies"]["lab"]
    assert "--constraint constraints.txt" in pip and "--editable ." in pip


def test_the_container_is_set_up_by_make_on_the_python_of_environment_yml():
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    assert container["image"].replace(":", "=") == environment["dependencies"][0]
    assert container["postCreateCommand"] == "make .venv/.ready"
    assert "\nREADY := .venv/.ready\n" in (ROOT / "Makefile").read_text()


def test_everything_needed_is_pinned_and_within_its_floor():
    pins = dict(re.findall(r"^([\w.-]+)==([\w.]+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE))
    pins = {name.lower().replace("_", "-"): version for name, version in pins.items()}
    extras = PROJECT["optional-dependencies"]
    for requirement in [*PROJECT["dependencies"], *chain(*extras.values())]:
        name, floor, ceiling = re.fullmatch(
            r"([\w-]+)(?:\[\w+\])?>=([\d.]+)(?:,<([\d.]+))?", requirement
        ).groups()
        versions = pins[name.lower()], floor, ceiling or "9999"
        pinned, lowest, highest = (tuple(map(int, version.split("."))) for version in versions)
        assert lowest <= pinned < highest, f"{name} is pinned outside of what pyproject.toml admits"


GROUP = """
import os, pytest
pytestmark = pytest.mark.xdist_group("together")
@pytest.mark.parametrize("number", range(6))
def test_a_part(number, record_property): record_property("process", os.getpid())
"""


def test_a_group_of_tests_runs_in_one_process(tmp_path):
    """Else what a group shares is made once a process, and two tests that cannot stand each other meet."""
    (tmp_path / "test_group.py").write_text(GROUP)
    options = ["--numprocesses=2", "--dist=loadgroup", "--junitxml=found.xml"]
    subprocess.run([sys.executable, "-m", "pytest", *options], cwd=tmp_path, check=True, capture_output=True)
    processes = re.findall(r'name="process" value="(\d+)"', (tmp_path / "found.xml").read_text())
    assert len(processes) == 6 and len(set(processes)) == 1


CODE = [path for path in MODULES if not path.stem.endswith("_mistakes")]  # tables may be long


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_are_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300
