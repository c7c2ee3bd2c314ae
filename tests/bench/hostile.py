"""The hostile corpus under stock nbgrader and under this grader: `python tests/bench/hostile.py [NAME ...]`.

Prints the table of docs/grading_security.md. The stock column needs Linux with unshare, and half an hour;
`--stock FILE` keeps its results there and asks only for what is not in it yet.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hostile import CORPUS
from hostile.evidence import Evidence
from hostile.stock import run, template


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="submissions; all of them by default")
    parser.add_argument("--stock", type=Path, help="file of results of stock nbgrader")
    arguments = parser.parse_args()
    chosen = [each for each in CORPUS if not arguments.names or each.name in arguments.names]
    stock(chosen, arguments.stock)


def stock(chosen: list, path: Path | None) -> dict[str, Evidence]:
    known = json.loads(path.read_text()) if path and path.exists() else {}
    found = {name: Evidence(**values) for name, values in known.items()}
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        released = Path(folder, "released")
        template(released)
        for submission in chosen:
            if submission.name in found:
                continue
            found[submission.name] = run(submission, released, Path(folder))
            told = found[submission.name].told(submission)
            print(f"{submission.name}: {told} ({found[submission.name].seconds} s)", flush=True)
            if path:
                path.write_text(json.dumps({n: each.as_json() for n, each in found.items()}, indent=1))
    return found


if __name__ == "__main__":
    main()
