"""The hostile corpus under stock nbgrader and under this grader: `python tests/bench/hostile.py [NAME ...]`.

Makes the table of docs/grading_security.md. The stock column needs Linux with unshare, and half an hour;
`--stock FILE` keeps its results there and asks only for what is not in it yet.
"""

import argparse
import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hostile import CORPUS, THEMES, cells, display, lies, newer, patches, pollution, stolen
from hostile.evidence import Evidence
from hostile.ours import grade
from hostile.stock import run, template
from hostile.submission import Submission

from course_lib.grading.demo_students import LESSON

DOCS = Path(__file__).resolve().parents[2] / "docs" / "grading_security.md"
BEGIN, END = "<!-- table: python tests/bench/hostile.py --write -->", "<!-- end of table -->"
HARMLESS = (patches, display, lies, stolen, cells, newer, pollution)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="submissions; all of them by default")
    parser.add_argument("--stock", type=Path, help="file of results of stock nbgrader, kept between runs")
    parser.add_argument("--ours", type=Path, help="the same of this grader; asked only if there is none")
    parser.add_argument("--known", action="store_true", help="run no stock nbgrader that the file has not")
    parser.add_argument("--write", action="store_true", help="put the table into the docs")
    arguments = parser.parse_args()
    chosen = [each for each in CORPUS if not arguments.names or each.name in arguments.names]
    graded = read(arguments.ours) or ours(chosen)
    write(arguments.ours, graded)
    found = read(arguments.stock) if arguments.known else stock(chosen, arguments.stock)
    text = table(chosen, found, graded)
    print(text)
    if arguments.write:
        before, begin, rest = DOCS.read_text(encoding="utf-8").partition(BEGIN)
        DOCS.write_text(f"{before}{begin}\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def read(path: Path | None) -> dict[str, Evidence]:
    known = json.loads(path.read_text()) if path and path.exists() else {}
    return {name: Evidence(**values) for name, values in known.items()}


def write(path: Path | None, found: dict[str, Evidence]) -> None:
    if path:
        path.write_text(json.dumps({name: each.as_json() for name, each in found.items()}, indent=1))


def table(chosen: Sequence[Submission], stock: dict[str, Evidence], ours: dict[str, Evidence]) -> str:
    lines, alone = [], without_those_of_all(ours)
    for theme, module in THEMES.items():
        rows = [each for each in chosen if each in module.SUBMISSIONS]
        if rows:
            lines += [f"\n### {theme}\n", "| the attack | stock nbgrader | this grader |", "|---|---|---|"]
        for each in rows:
            told = [seen[each.name].told(each) if each.name in seen else "not run" for seen in (stock, alone)]
            lines.append(_row(each.tries, *told))
    return "\n".join([*lines, "", _of_all(ours)])


def _of_all(ours: dict[str, Evidence]) -> str:
    """What no single attack can be charged with: all were graded in one run."""
    seen = next(iter(ours.values()))
    found = [f"changed {what}" for what in seen.changed] + [f"were heard by {who}" for who in seen.heard]
    found += [f"left {seen.alive} processes alive"] * bool(seen.alive)
    told = "; ".join(found) or "changed nothing outside their processes, and left none alive"
    return f"Under this grader, all in one run, they {told}."


def _row(*texts: str) -> str:
    return "| " + " | ".join(text.replace("|", "\\|") for text in texts) + " |"


def without_those_of_all(found: dict[str, Evidence]) -> dict[str, Evidence]:
    return {name: replace(evidence, changed=[], heard=[], alive=0) for name, evidence in found.items()}


def ours(chosen: Sequence[Submission]) -> dict[str, Evidence]:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        course = Path(folder, "course")
        template(course, {each.lesson for each in chosen})
        os.environ["COURSE_CANARY"] = "secret"
        with contextlib.chdir(course):  # where an instructor works
            return grade(course, chosen)


def stock(chosen: Sequence[Submission], path: Path | None) -> dict[str, Evidence]:
    found = read(path)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        released = Path(folder, "released")
        template(released)
        unknown = [each for each in chosen if each.name not in found and each.lesson == LESSON]
        for group in groups(unknown):
            seen = run(group, released, Path(folder))
            if len(group) > 1 and not all(evidence.others for evidence in seen.values()):
                seen = {}  # one has harmed the others: which?
                for each in group:
                    seen |= run([each], released, Path(folder))
            found |= seen
            for each in group:
                print(f"{each.name}: {found[each.name].told(each)}", flush=True)
            write(path, found)
    return found


def groups(chosen: Sequence[Submission]) -> Iterator[list[Submission]]:
    """Those whom stock nbgrader may grade in one run: they do nothing outside their own process."""
    together = [each for each in chosen if any(each in theme.SUBMISSIONS for theme in HARMLESS)]
    yield from (together[start : start + 12] for start in range(0, len(together), 12))
    yield from ([each] for each in chosen if each not in together)


if __name__ == "__main__":
    main()
