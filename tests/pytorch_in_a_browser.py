"""Runs a notebook as a PyTorch in a browser would: without timers, processes, threads and a place for files.

python tests/pytorch_in_a_browser.py NOTEBOOK writes to stderr a line of JSON for each cell that raised, and
for each check with its points.
"""

import _thread
import json
import os
import signal
import sys
import threading
from pathlib import Path

import matplotlib as mpl
import torch
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

assert torch  # it needs at its import what is gone below
GONE = {
    signal: ("setitimer", "getitimer", "alarm", "pthread_kill", "SIGALRM", "ITIMER_REAL"),
    os: ("fork", "forkpty", "posix_spawn", "posix_spawnp", "sched_getaffinity", "kill", "waitpid"),
}


def refuse(*_, **__) -> None:
    raise RuntimeError("can't start new thread")


def make_bare() -> None:
    for module, names in GONE.items():
        for name in filter(lambda name, module=module: hasattr(module, name), names):
            delattr(module, name)
    _thread.start_new_thread = threading._start_new_thread = refuse  # type: ignore[attr-defined]
    os.environ["COURSE_LIB_STATE"] = ""


def main(path: Path) -> None:
    make_bare()
    mpl.use("agg")
    config = Config()
    config.HistoryManager.enabled = False  # IPython's own thread
    shell = InteractiveShell.instance(config=config)
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            ran = shell.run_cell(source)
            if not ran.success:
                print(json.dumps({"raised": source}), file=sys.__stderr__)
            if points := cell["metadata"].get("nbgrader", {}).get("points"):
                print(json.dumps({"check": source, "of": points, "points": ran.result}), file=sys.__stderr__)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
