"""What a person waits for in formgrader, in a class of 300 beside one of 2: python tests/bench/formgrader.py

Makes both classes, grades them, starts a server for each and asks both in turn for what a browser asks for:
the list of submissions, a page with the marking guide, its grades, the next page, and that a score is
saved. Prints medians of 15 requests in milliseconds, and the ratio. --keep FOLDER leaves the larger class
there, to look at.
"""

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import Request, urlopen

import nbformat

from course_lib.authoring.build import ROOT
from course_lib.grading.demo_class import make_class
from course_lib.grading.demo_students import CLASS, LESSON, QUESTION, fill_in

TIMES = 15
FEW = 2
ESSAY = "(a) The sum is 0, so it is NaN.\n\n(b) The loss ignores them.\n\n(c) They would average the pads."


def make_graded(folder: Path, students: int) -> None:
    """A class that has handed in the lesson, graded but for the written question."""
    make_class(folder)
    shutil.rmtree(folder / "submitted")
    released = (ROOT / "notebooks" / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8")
    for number in range(students):
        notebook = nbformat.reads(released, as_version=4)
        fill_in(notebook, CLASS[number % len(CLASS)])
        for cell in notebook.cells:
            if cell.metadata.get("nbgrader", {}).get("grade_id") == QUESTION:
                cell.source = ESSAY
        path = folder / "submitted" / f"student{number:03}" / LESSON / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    command = [sys.executable, "-m", "course_lib", "grade", LESSON]
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)


class Server:
    """Of one class, asked as formgrader's pages ask."""

    def __init__(self, course: Path, state: Path):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        own = {f"JUPYTER_{name}_DIR": str(state / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
        command = [sys.executable, "-m", "jupyter_server", "--allow-root", f"--ServerApp.port={port}"]
        with (state / "log").open("w") as log:
            self._process = subprocess.Popen(
                [*command, "--IdentityProvider.token=token"],
                cwd=course, env=os.environ | own, stdout=log, stderr=log,
            )  # fmt: skip
        self._address = f"http://127.0.0.1:{port}/formgrader"
        self._wait()
        listed = json.loads(self.ask(f"api/submitted_notebooks/{LESSON}/{LESSON}")[0])
        self.submission = min(one["id"] for one in listed)
        grades = json.loads(self.ask(f"api/grades?submission_id={self.submission}")[0])
        self.grade = next(one["id"] for one in grades if one["name"] == QUESTION)

    def ask(self, path: str, content: dict | None = None) -> tuple[bytes, float]:
        """The answer, and milliseconds."""
        data = None if content is None else json.dumps(content).encode()
        head = {"Authorization": "token token", "Content-Type": "application/json"}
        request = Request(f"{self._address}/{path}", data, head, method="GET" if data is None else "PUT")
        start = time.perf_counter()
        with urlopen(request) as answer:
            return answer.read(), 1000 * (time.perf_counter() - start)

    def _wait(self) -> None:
        for _ in range(300):
            try:
                self.ask("api/status")
                return
            except OSError:
                time.sleep(0.2)
        raise SystemExit("the server did not start")

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()

    def actions(self) -> dict[str, tuple]:
        page = f"submissions/{self.submission}/"
        return {
            "list of submissions": (f"api/submitted_notebooks/{LESSON}/{LESSON}",),
            "page of a submission": (page,),
            "its grades": (f"api/grades?submission_id={self.submission}",),
            "next page": (f"{page}next",),
            "a score saved": (f"api/grade/{self.grade}", {"manual_score": 2.5}),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        servers = []
        for students in (FEW, options.students):
            place = Path(folder, str(students))
            make_graded(place / "course", students)
            (place / "state").mkdir()
            servers.append(Server(place / "course", place / "state"))
        print(f"| action | {FEW} submissions, ms | {options.students}, ms | ratio |\n{'|---' * 4}|")
        small, large = servers
        try:
            for name, call in small.actions().items():
                pairs = [(small.ask(*call)[1], large.ask(*large.actions()[name])[1]) for _ in range(TIMES)]
                few, many = map(statistics.median, zip(*pairs, strict=True))
                print(f"| {name} | {few:.0f} | {many:.0f} | {many / few:.1f} |", flush=True)
        finally:
            for one in servers:
                one.stop()
        if options.keep:
            shutil.copytree(Path(folder, str(options.students), "course"), options.keep)


if __name__ == "__main__":
    main()
