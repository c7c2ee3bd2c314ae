"""The hostile corpus under stock nbgrader and under this grader: `python tests/bench/hostile.py [NAME ...]`.

Prints the table of docs/grading_security.md. The stock column needs Linux with unshare, and half an hour;
`--stock FILE` keeps its results there and asks only for what is not in it yet.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hostile import CORPUS, cells, display, lies, patches, pollution, stolen
from hostile.evidence import Evidence
from hostile.stock import run, template
from hostile.submission import Submission

HARMLESS = (patches, display, lies, stolen, cells, pollution)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="submissions; all of them by default")
    parser.add_argument("--stock", type=Path, help="file of results of stock nbgrader")
    arguments = parser.parse_args()
    chosen = [each for each in CORPUS if not arguments.names or each.name in arguments.names]
    stock(chosen, arguments.stock)


def stock(chosen: Sequence[Submission], path: Path | None) -> dict[str, Evidence]:
    known = json.loads(path.read_text()) if path and path.exists() else {}
    found = {name: Evidence(**values) for name, values in known.items()}
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        released = Path(folder, "released")
        template(released)
        for group in groups([each for each in chosen if each.name not in found]):
            found |= run(group, released, Path(folder))
            for each in group:
                print(f"{each.name}: {found[each.name].told(each)}", flush=True)
            if path:
                path.write_text(json.dumps({n: each.as_json() for n, each in found.items()}, indent=1))
    return found


def groups(chosen: Sequence[Submission]) -> Iterator[list[Submission]]:
    """Those whom stock nbgrader may grade in one run: they do nothing outside their own process."""
    together = [each for each in chosen if any(each in theme.SUBMISSIONS for theme in HARMLESS)]
    yield from (together[start : start + 12] for start in range(0, len(together), 12))
    yield from ([each] for each in chosen if each not in together)


if __name__ == "__main__":
    main()
