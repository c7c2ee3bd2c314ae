"""What a person waits for in formgrader, in a class of 300 beside one of 2: python tests/bench/formgrader.py

Makes both classes, grades them, starts a server for each and asks both in turn for what a browser asks for:
the list of submissions, a page with the marking guide, its grades, the next page, and that a score is
saved. Prints medians of 15 requests in milliseconds, and the ratio. --keep FOLDER leaves the larger class
there, to look at.
"""

import json
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import Request, urlopen

sys.path.insert(0, str(Path(__file__).parents[1]))

from grading import CORES, make_course, options_of_a_class, run
from jupyter_server_of import start

from course_lib.grading.demo_students import LESSON, QUESTION

TIMES = 15
FEW = 2
ESSAY = "(a) The sum is 0, so it is NaN.\n\n(b) The loss ignores them.\n\n(c) They would average the pads."


def make_graded(folder: Path, students: int) -> None:
    """A class that has handed in the lesson, graded but for the written question."""
    make_course(folder, LESSON, students, ESSAY)
    run(folder, "-m", "course_lib", "grade", LESSON, cores=CORES)


class Server:
    """Of one class, asked as formgrader's pages ask."""

    def __init__(self, course: Path, state: Path):
        self.served = start("jupyter_server", course, state)
        listed = json.loads(self.ask(f"api/submitted_notebooks/{LESSON}/{LESSON}")[0])
        self.submission = min(one["id"] for one in listed)
        grades = json.loads(self.ask(f"api/grades?submission_id={self.submission}")[0])
        self.grade = next(one["id"] for one in grades if one["name"] == QUESTION)

    def ask(self, path: str, content: dict | None = None) -> tuple[bytes, float]:
        """The answer, and milliseconds."""
        data = None if content is None else json.dumps(content).encode()
        head = {"Authorization": f"token {self.served.token}", "Content-Type": "application/json"}
        address = f"{self.served.address}/formgrader/{path}"
        request = Request(address, data, head, method="GET" if data is None else "PUT")
        start = time.perf_counter()
        with urlopen(request) as answer:
            return answer.read(), 1000 * (time.perf_counter() - start)

    def stop(self) -> None:
        self.served.process.terminate()
        self.served.process.wait()

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
    options = options_of_a_class(__doc__)
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
