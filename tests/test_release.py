"""A release in one step, and a fork that makes the course its own: in clones of this repository."""

import json
import re
import subprocess
import sys
import zipfile
from dataclasses import replace

import pytest
import yaml

from course_lib.authoring.address import ROOT, Address, checked, read_address
from course_lib.authoring.citation import citation
from course_lib.authoring.release import ReleaseError, refuse_secrets
from course_lib.authoring.setup_cell import setup

PUBLISHED = Address("transformer-by-hand", "0.2.0", "https://github.com/someone/course")
HOME = "https://github.com/someone/course"
PLACEHOLDER = re.compile(r"OWNER/REPO|/OWNER/|/YOU/|github\.com/(?:someone|example)")


def git(root, *arguments):
    command = ["git", "-c", "user.name=A. Nyone", "-c", "user.email=anyone@example.org", *arguments]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def course(root, *arguments):
    """`course ARGUMENTS` of that clone: its exit code and what it printed."""
    command = [sys.executable, "-m", "course_lib", *arguments]
    environment = {"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin", "HOME": str(root.parent)}
    environment |= {
        f"GIT_{who}_{what}": "anyone@example.org"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def clone(tmp_path):
    """The files that git knows, as they are in the working tree, in a repository of their own."""
    root = tmp_path / "clone"
    for name in git(ROOT, "ls-files", "-z").split("\0"):
        if name and (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes((ROOT / name).read_bytes())
    git(tmp_path, "init", "--quiet", "--initial-branch", "main", str(root))
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "Begin")
    return root


@pytest.mark.parametrize(
    ("given", "address"),
    [
        (HOME, HOME),
        (f"{HOME}.git", HOME),
        (f" {HOME}/ ", HOME),
        ("https://gitlab.example.org/group/team/course", "https://gitlab.example.org/group/team/course"),
    ],
)
def test_an_address_is_kept_without_what_does_not_belong_to_it(given, address):
    assert checked(given) == address


@pytest.mark.parametrize(
    "given",
    [
        "",
        "course",
        "github.com/a/b",
        "http://github.com/a/b",
        "https://github.com/a",
        "https://github.com/a/b?c",
        "https://github.com/a/b\n# x",
    ],
)
def test_what_is_no_address_is_refused(given):
    with pytest.raises(ValueError, match="expected an address like"):
        checked(given)


def test_a_setup_cell_names_pypi_first_and_the_release_second():
    source = setup(PUBLISHED)
    assert source.index("transformer-by-hand==0.2.0") < source.index(f"{HOME}/releases/download/v0.2.0/")
    assert source.endswith("/transformer_by_hand-0.2.0-py3-none-any.whl")
    elsewhere = replace(PUBLISHED, repository="https://gitlab.example.org/group/course")
    assert "https:" not in setup(elsewhere) and elsewhere.colab("02_attention") is None
    assert "pip" not in setup(replace(PUBLISHED, repository=""))


def test_while_there_is_no_address_no_page_leads_to_one():
    if read_address().repository:
        pytest.skip("the course has an address")
    for name in git(ROOT, "ls-files", "*.md", "*.ipynb", "*.cff", "*.toml", "*.yml").split():
        text = (ROOT / name).read_text(encoding="utf-8")
        assert not PLACEHOLDER.search(text), name
        assert "colab.research.google.com/github" not in text, name


def test_the_citation_is_valid_and_says_when_a_version_came_out(tmp_path):
    file = ROOT / "CITATION.cff"
    assert file.read_text(encoding="utf-8") == citation(ROOT)
    check(file, "citation-file-format")
    for name in ("pyproject.toml", "CHANGELOG.md"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    version = read_address().version
    (tmp_path / "CHANGELOG.md").write_text(f"# Changes\n\n## {version} (2026-12-01)\n")
    assert str(yaml.safe_load(citation(tmp_path))["date-released"]) == "2026-12-01"


def check(file, schema):
    """By the schema that the package carries: nothing is downloaded."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_fork_adopts_the_course_by_one_command_and_differs_in_the_address_alone(clone):
    code, said = course(clone, "adopt", f"{HOME}.git")
    assert code == 0, said
    changed = {line[3:] for line in git(clone, "status", "--porcelain").splitlines()}
    lessons = {
        path.stem for path in (clone / "solutions").glob("[0-9][0-9]_*.py") if "_hidden" not in path.stem
    }
    notebooks = {f"notebooks/{lesson}/{lesson}.ipynb" for lesson in lessons}
    translated = {str(path.relative_to(clone)) for path in clone.glob("zh/*/*/*.ipynb")}
    assert changed == {"pyproject.toml", "README.md", "CITATION.cff"} | notebooks | translated
    for line in git(
        clone, "diff", "--unified=0", "--", "README.md", "CITATION.cff", "pyproject.toml"
    ).splitlines():
        if line.startswith("+") and not line.startswith("+++"):
            assert "github.com/someone/course" in line or "[colab]" in line or line == "+", line
    cells = json.loads((clone / "notebooks/02_attention/02_attention.ipynb").read_text())["cells"]
    assert [cell["id"] for cell in cells[1:3]] == ["about-colab", "setup"]
    chinese = (clone / "zh/notebooks/00_start_here/00_start_here.ipynb").read_text(encoding="utf-8")
    assert "/zh/notebooks/00_start_here/" in json.loads(chinese)["cells"][1]["source"][0]
    git(clone, "commit", "--all", "--quiet", "--message", "Adopt")
    assert course(clone, "adopt", HOME)[0] == 0 and not git(clone, "status", "--porcelain")
    code, said = course(clone, "adopt", "https://github.com/another/course")
    assert code == 2 and "--name" in said and not git(clone, "status", "--porcelain")
    assert course(clone, "adopt", "https://github.com/another/course", "--name", "another-course")[0] == 0
    for name in git(clone, "ls-files", "notebooks", "zh", "*.md", "*.toml", "*.cff").split():
        assert "someone/course" not in (clone / name).read_text(encoding="utf-8"), name


NOT_READY = {
    "a version": (lambda root: None, "two", "expected a version such as"),
    "a lower version": (lambda root: None, "0.0.1", "is at"),
    "no address": (lambda root: None, "9.0.0", "has no address yet"),
    "a change": (lambda root: (root / "README.md").write_text("x"), "9.0.0", "README.md is not committed"),
}


@pytest.mark.parametrize("case", NOT_READY)
def test_what_is_not_ready_is_not_released(clone, case):
    change, version, sentence = NOT_READY[case]
    change(clone)
    before = git(clone, "status", "--porcelain")
    code, said = course(clone, "release", version)
    assert code == 1 and sentence in said, said
    assert git(clone, "status", "--porcelain") == before and not git(clone, "tag")


@pytest.mark.slow
def test_a_release_is_one_commit_and_one_tag_without_solutions(clone):
    course(clone, "adopt", HOME)
    git(clone, "commit", "--all", "--quiet", "--message", "Adopt")
    code, said = course(clone, "release", "9.0.0")
    assert code == 1 and "the remote origin is not set" in said
    git(clone, "remote", "add", "origin", "git@github.com:someone/course.git")
    before = git(clone, "rev-parse", "HEAD")
    code, said = course(clone, "release", "9.0.0", "--tests", "false")
    assert code == 1 and "`false` failed: there is no release." in said
    assert git(clone, "rev-parse", "HEAD") == before and not git(
        clone, "status", "--porcelain", "--untracked=no"
    )
    code, said = course(clone, "release", "9.0.0", "--tests", "true")
    assert code == 0, said
    assert "git push origin main v9.0.0" in said and git(clone, "tag").split() == ["v9.0.0"]
    assert git(clone, "log", "--format=%s", "-1").strip() == "Release 9.0.0"
    assert not git(clone, "status", "--porcelain")
    assert "date-released" in (clone / "CITATION.cff").read_text()
    assert "transformer-by-hand==9.0.0" in (clone / "notebooks/00_start_here/00_start_here.ipynb").read_text()
    code, said = course(clone, "release", "9.0.0", "--tests", "true")
    assert code == 1 and "the tag v9.0.0 exists already" in said
    refuse_secrets(clone / "dist", "9.0.0")
    (wheel,) = (clone / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("solutions/02_attention_hidden.py", "")
    with pytest.raises(ReleaseError, match="stay at home"):
        refuse_secrets(clone / "dist", "9.0.0")
