"""The pages and scripts in docs/ name modules, files and options that exist."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest
import yaml

from course_lib.authoring.build import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.iterdir() if path.suffix in {".md", ".py", ".yaml"})


def name_of(path: Path) -> str:
    return path.name


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_modules_and_files_that_a_page_names_exist(page):
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"python -m (course_lib[\w.]*\w)", text):
        assert importlib.util.find_spec(name), name
    for name in re.findall(r"(?<![\w/.])(?:course_lib|docs|solutions|tests)/[\w/]+\.\w+", text):
        assert (ROOT / name).exists() or "LESSON" in name, name


def test_what_slurm_py_imports_exists():
    """All but dask-jobqueue, which the page asks to install."""
    for node in ast.walk(ast.parse((DOCS / "slurm.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module != "dask_jobqueue":
            module = importlib.import_module(str(node.module))
            assert all(hasattr(module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            assert all(importlib.util.find_spec(alias.name) for alias in node.names)
    assert "pip install dask-jobqueue" in (DOCS / "large_classes.md").read_text(encoding="utf-8")


def test_what_kubernetes_yaml_starts_exists():
    """One container for workers and one for the scheduler: commands of Dask, with options that it has."""
    commands = pytest.importorskip("distributed.cli", reason="distributed is not installed")
    cluster = yaml.safe_load((DOCS / "kubernetes.yaml").read_text(encoding="utf-8"))
    for role in ("worker", "scheduler"):
        (container,) = cluster["spec"][role]["spec"]["containers"]
        program, command, *arguments = container["args"]
        assert (program, command) == ("dask", role)
        module = importlib.import_module(f"{commands.__name__}.dask_{command}")
        known = {option for one in module.main.params for option in [*one.opts, *one.secondary_opts]}
        assert {argument for argument in arguments if argument.startswith("--")} <= known
