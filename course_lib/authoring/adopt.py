"""`course adopt URL`: makes a copy of the course your own."""

import json
import re
import sys
from pathlib import Path

from course_lib.authoring.address import ROOT, checked, read_address
from course_lib.authoring.build import build_course


def adopt(url: str, name: str | None, root: Path = ROOT) -> int:
    """Write the address (and the name on PyPI) into pyproject.toml, and build what follows from them.

    Returns the exit code of `course adopt`. A course that is published elsewhere needs a name of its own:
    its setup cells would install the other one from PyPI.
    """
    old = read_address(root)
    try:
        repository = checked(url)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if name and not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        print(
            f"expected a name like {old.name} (small letters, digits, hyphens), got {name!r}", file=sys.stderr
        )
        return 2
    if old.repository not in ("", repository) and name in (None, old.name):
        print(
            f"on PyPI, {old.name} is the course of {old.repository}. Give yours another name with --name.",
            file=sys.stderr,
        )
        return 2
    file = root / "pyproject.toml"
    text = re.sub(r'^Repository = ".*"\n', "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = re.sub(
        r"^(\[project\.urls\].*)$", rf"\1\nRepository = {json.dumps(repository)}", text, flags=re.MULTILINE
    )
    text = re.sub(
        r'^name = ".*"$', f"name = {json.dumps(name or old.name)}", text, count=1, flags=re.MULTILINE
    )
    file.write_text(text, encoding="utf-8")
    print(f"wrote {file.name}: {name or old.name}, {repository}")
    return build_course()
