"""`course release VERSION`: one commit and one tag that a forge can publish; or a sentence why not."""

import re
import shlex
import subprocess
import sys
import tarfile
import zipfile
from datetime import date
from pathlib import Path

from course_lib.authoring.address import ROOT, Address, checked, read_address

UNRELEASED = "## Unreleased\n"
SECRET = re.compile(r"(^|/)solutions/|_hidden\b")  # of a path in an archive
FAILED = 1


class ReleaseError(Exception):
    """Why there is no release, in one sentence that says what to do."""


def release(version: str, tests: str = "make test", root: Path = ROOT) -> int:
    """Write the version, build, test, make wheel and sdist, commit, tag. Returns the exit code.

    It pushes nothing. Where a step fails, the files are as they were before.
    """
    try:
        _refuse_what_is_not_ready(version, read_address(root), root)
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return FAILED
    try:
        _write_version(version, root)
        # In new processes, which see the new version. The archives come last: the tests look at the sources.
        steps = _course("build"), _course("translate", "check"), shlex.split(tests), _archives()
        for command in steps:
            print("$", shlex.join(command), flush=True)
            if subprocess.run(command, cwd=root, check=False).returncode:
                raise ReleaseError(f"`{shlex.join(command)}` failed: there is no release.")
        refuse_secrets(root / "dist", version)
    except BaseException as error:
        _git(root, "restore", "--staged", "--worktree", ".")
        if not isinstance(error, ReleaseError):
            raise
        print(error, file=sys.stderr)
        return FAILED
    _git(root, "add", "--all")
    if _git(root, "status", "--porcelain"):
        _git(root, "commit", "--quiet", "--message", f"Release {version}")
    _git(root, "tag", "--annotate", f"v{version}", "--message", f"Version {version}")
    branch = _git(root, "branch", "--show-current")
    print(f"v{version} is ready. To publish it: git push origin {branch} v{version}")
    return 0


def refuse_secrets(dist: Path, version: str) -> None:
    """ReleaseError: the wheel or the sdist of this version holds solutions or hidden parts, or is missing."""
    archives = [path for path in dist.glob("*") if f"-{version}" in path.name]
    if len(archives) != 2:
        raise ReleaseError(f"expected a wheel and an sdist in {dist.name}/, got {[p.name for p in archives]}")
    for path in archives:
        if path.suffix == ".whl":
            names = zipfile.ZipFile(path).namelist()
        else:
            with tarfile.open(path) as archive:
                names = archive.getnames()
        if found := sorted(filter(SECRET.search, names)):
            raise ReleaseError(f"{path.name} holds {found[0]}: solutions and hidden parts stay at home")


def _refuse_what_is_not_ready(version: str, address: Address, root: Path) -> None:
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ReleaseError(f"expected a version such as 0.2.0, got {version!r}")
    if _numbers(version) < _numbers(address.version):
        raise ReleaseError(f"the course is at {address.version} already, got {version}")
    if changed := _git(root, "status", "--porcelain"):
        first = changed.splitlines()[0][3:]
        raise ReleaseError(f"{first} is not committed: commit or remove what has changed, and start again")
    if not address.repository:
        raise ReleaseError(
            "the course has no address yet: run `course adopt https://github.com/YOU/YOURS` first"
        )
    remote = _git(root, "config", "--get", "remote.origin.url", missing="")
    if _https(remote) != address.repository:
        raise ReleaseError(
            f"pyproject.toml says {address.repository}, and the remote origin is {remote or 'not set'}: "
            "run `course adopt URL`, or set the remote"
        )
    if _git(root, "tag", "--list", f"v{version}"):
        raise ReleaseError(f"the tag v{version} exists already: choose a higher version")
    _, _, news = (root / "CHANGELOG.md").read_text(encoding="utf-8").partition(UNRELEASED)
    if not news.partition("\n## ")[0].strip():
        raise ReleaseError("CHANGELOG.md says nothing below Unreleased: write what is new")


def _write_version(version: str, root: Path) -> None:
    module, changes = root / "course_lib" / "__init__.py", root / "CHANGELOG.md"
    text = module.read_text(encoding="utf-8")
    module.write_text(re.sub(r'__version__ = ".*"', f'__version__ = "{version}"', text), encoding="utf-8")
    heading = f"{UNRELEASED}\n## {version} ({date.today().isoformat()})\n"
    text = changes.read_text(encoding="utf-8")
    changes.write_text(text.replace(UNRELEASED, heading, 1), encoding="utf-8")


def _course(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "course_lib", *arguments]


def _archives() -> list[str]:
    return [sys.executable, "-m", "build", "--outdir", "dist", "."]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _https(remote: str) -> str:
    """git@HOST:OWNER/NAME.git and ssh://git@HOST/... are the same place as https://HOST/OWNER/NAME."""
    try:
        return checked(re.sub(r"^(?:ssh://)?git@([\w.-]+)[:/]", r"https://\1/", remote))
    except ValueError:
        return remote


def _git(root: Path, *arguments: str, missing: str | None = None) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode and missing is None:
        raise ReleaseError(f"git {arguments[0]}: {done.stderr.strip()}")
    return missing or "" if done.returncode else done.stdout.rstrip()
