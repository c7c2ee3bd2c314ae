"""What a forge runs for us: valid, pinned by commit, and each line of it tried here as far as it can be."""

import os
import re
import shlex
import subprocess
import sys
import tomllib

import pytest
import yaml

from course_lib.authoring.address import ROOT

FORGE = ROOT / ".github"
WORKFLOWS = sorted((FORGE / "workflows").glob("*.yml"))
SCHEMAS = dict.fromkeys(WORKFLOWS, "github-workflows")
SCHEMAS |= dict.fromkeys((FORGE / "ISSUE_TEMPLATE").glob("*_*.yml"), "github-issue-forms")
SCHEMAS |= {
    FORGE / "ISSUE_TEMPLATE" / "config.yml": "github-issue-config",
    FORGE / "dependabot.yml": "dependabot",
}
JOBS = [job for path in WORKFLOWS for job in yaml.safe_load(path.read_text())["jobs"].values()]
LINES = sorted({step["run"] for job in JOBS for step in job["steps"] if "run" in step})
GH = """#!/bin/sh
echo "$@" >> "$SAID"
case "$1" in issue) test "$2" = list && echo "$OPEN" ;; esac
true
"""


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_each_file_is_valid(path):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{SCHEMAS[path]}", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_actions_are_pinned_by_commit_and_say_their_version():
    for path in WORKFLOWS:
        for line in re.findall(r"uses: (.*)", path.read_text()):
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), (path.name, line)


def test_nobody_may_write_by_default():
    for path in WORKFLOWS:
        assert yaml.safe_load(path.read_text())["permissions"] == {"contents": "read"}, path.name


def test_no_line_holds_what_a_stranger_wrote():
    """An expression in a `run:` line is pasted into a shell, so it must be one of our own words."""
    for line in LINES:
        assert {*re.findall(r"\$\{\{ *(.*?) *\}\}", line)} <= {"matrix.target"}


def lines(beginning):
    """The `run:` lines that begin so. Between them, the tests below try each line there is."""
    return [line for line in LINES if line.startswith(beginning)]


def test_each_line_is_tried():
    assert {*lines("make"), *lines("python -m pip"), *lines("python -m pytest"), *lines("gh ")} == {*LINES}


@pytest.mark.parametrize("line", lines("make"))
def test_what_make_would_do(line):
    weekly = yaml.safe_load((FORGE / "workflows" / "weekly.yml").read_text())
    targets = weekly["jobs"]["newest"]["strategy"]["matrix"]["target"]
    for target in targets if "matrix.target" in line else [line.split()[1]]:
        assert ran(["make", "--dry-run", target])


@pytest.mark.parametrize("line", lines("python -m pytest"))
def test_pytest_finds_its_tests(line):
    words = [word for word in shlex.split(line) if word not in ("--numprocesses", "auto")]
    assert "test_" in ran(
        [sys.executable, *words[1:], "-n", "0", "--collect-only", "-q", "tests/test_text.py"]
    )


@pytest.mark.parametrize("line", lines("python -m pip"))
def test_pip_finds_the_constraints_and_the_extras(line):
    words = shlex.split(line)
    assert (ROOT / words[words.index("-c") + 1]).is_file()
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {*re.fullmatch(r"\.\[(.*)\]", words[words.index("-e") + 1])[1].split(",")} <= {*extras}


def ran(command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_with_gh(line, folder, **environment):
    """The words that gh was called with, call by call."""
    (folder / "gh").write_text(GH)
    (folder / "gh").chmod(0o755)
    said = folder / "said"
    said.write_text("")
    known = {
        "GITHUB_REF_NAME": "v1.0.0",
        "GITHUB_REPOSITORY": "a/b",
        "TARGET": "test-latest",
        "RUN": "https://x",
        "OPEN": "",
    }
    known |= environment | {"PATH": f"{folder}:{os.environ['PATH']}", "SAID": str(said)}
    done = subprocess.run(
        ["bash", "-e", "-c", line], cwd=folder, env=known, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return said.read_text().splitlines()


def test_a_release_attaches_the_archives(tmp_path):
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "a.whl").touch()
    (line,) = lines("gh release")
    assert run_with_gh(line, tmp_path)[0].startswith("release create v1.0.0 dist/a.whl --repo a/b")


def test_an_issue_is_opened_once(tmp_path):
    (line,) = lines("gh issue")
    assert [call.split()[1] for call in run_with_gh(line, tmp_path)] == ["list", "create"]
    assert [call.split()[1] for call in run_with_gh(line, tmp_path, OPEN="7")] == ["list"]
