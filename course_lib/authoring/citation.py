"""CITATION.cff, by which GitHub and Zenodo say how the course is cited (https://citation-file-format.github.io)."""

import json
import re
import tomllib
from pathlib import Path

from course_lib.authoring.address import Address, read_address


def citation(root: Path) -> str:
    """The file's text, from pyproject.toml, and the date of this version from CHANGELOG.md if it is out."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    address = read_address(root)
    lines = [
        "# Made by `course build` from pyproject.toml and CHANGELOG.md.",
        "cff-version: 1.2.0",
        "message: If you teach with this course or build on it, please cite it.",
        "type: software",
        "title: Build a Transformer by hand",
        f"abstract: {json.dumps(project['description'])}",
        "authors:",
        *(f"  - name: {json.dumps(author['name'])}" for author in project["authors"]),
        f"version: {address.version}",
        *_date(address, (root / "CHANGELOG.md").read_text(encoding="utf-8")),
        "license:",
        "  - BSD-3-Clause",
        "  - CC-BY-4.0",
    ]
    if address.repository:
        lines.append(f"repository-code: {address.repository}")
    return "\n".join(lines) + "\n"


def _date(address: Address, changes: str) -> list[str]:
    released = re.search(rf"^## {re.escape(address.version)} \((\d{{4}}-\d\d-\d\d)\)$", changes, re.MULTILINE)
    return [f"date-released: {released[1]}"] if released else []
