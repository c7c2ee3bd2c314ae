"""The corpus under stock `nbgrader autograde`, each submission in a course and in namespaces of its own.

The attacks are real. Around each run: own processes (all are killed at its end), own network, a disk that is
read-only but for the course, limits of memory and time; Linux with unshare.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Collection, Sequence
from pathlib import Path

import nbformat

from course_lib.authoring.build import ROOT
from course_lib.grading import demo_class
from course_lib.grading.demo_students import EXERCISES, LESSON, REFERENCES
from course_lib.grading.nbgrader.course import Course
from course_lib.grading.results import results
from hostile.evidence import Evidence, Witness, everything, loot, processes
from hostile.submission import Submission, full, hand_in

NEIGHBOR = Submission("zoe", "everything right", answers=REFERENCES, earned={n: full(n) for n in REFERENCES})
SECONDS = 400  # a submission
CELL = 90  # seconds a cell may take, in place of the 120 of nbgrader_config.py
INSIDE = """set -e
mount --bind {course} {course}
mount -o remount,ro,bind /
mount -t tmpfs -o size=1200m tmpfs /tmp
mount -t tmpfs -o size=300m tmpfs /dev/shm
ip link set lo up
cd {course}
exec prlimit --as=8000000000 --fsize=500000000 --core=0 {python} -m hostile.stock {names} {course}
"""
UNSHARE = "unshare --user --map-root-user --mount --pid --fork --kill-child --net --ipc --uts --mount-proc"


def template(course: Path, others: Collection[str] = ()) -> None:
    """A course, with one lesson released, that copies are made of; others: lessons that it has too."""
    (course / "solutions").mkdir(parents=True)
    for lesson in {LESSON, *others}:
        for path in (ROOT / "solutions").glob(f"{lesson}*"):
            (shutil.copytree if path.is_dir() else shutil.copy)(path, course / "solutions" / path.name)
    shutil.copy(ROOT / "nbgrader_config.py", course)
    done = demo_class.nbgrader(course, "generate_assignment", LESSON)
    if done.returncode:
        raise RuntimeError((course / "nbgrader.log").read_text())


def run(submissions: Sequence[Submission], released: Path, folder: Path) -> dict[str, Evidence]:
    """Grade some submissions and a neighbor in a copy of the released course below `folder`."""
    course = folder / submissions[0].name
    shutil.copytree(released, course)
    for each in (*submissions, NEIGHBOR):
        hand_in(each, course)
    names = " ".join(each.name for each in submissions)
    script = INSIDE.format(course=course, python=sys.executable, names=names)
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    environment = os.environ | {"PYTHONPATH": path, "COURSE_CANARY": "secret", "OMP_NUM_THREADS": "1"}
    command = [*UNSHARE.split(), "sh", "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    shown = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not shown:
        raise RuntimeError(f"{names}: {done.returncode} {done.stdout[-500:]} {done.stderr[-2000:]}")
    shutil.rmtree(course)
    return {name: Evidence(**values) for name, values in json.loads(shown[-1]).items()}


def inside(names: Sequence[str], course: Path) -> dict[str, Evidence]:
    """The first process of the namespaces: runs nbgrader, and looks at what is left."""
    with Witness(course) as witness:
        alive = processes()
        command = [sys.executable, "-m", "nbgrader", "autograde", LESSON]
        command += [f"--ExecutePreprocessor.timeout={CELL}", "--ExecutePreprocessor.startup_timeout=300"]
        as_installed = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        with open("nbgrader.log", "ab") as log:
            _wait(
                subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, env=as_installed),
                len(names),
            )
        left = len(_living() - alive)
        if left:
            time.sleep(12)  # for what those who live on still do
        points = {result.student: result.points or None for result in results(Course(course, LESSON))}
        total = sum((points[NEIGHBOR.name] or {}).get(name) or 0 for name in EXERCISES)
        others, seen = total == everything(), (witness.changed(), sorted(witness.heard), left)
        return {name: Evidence(points[name], others, _taken(course, name), *seen) for name in names}


def _taken(course: Path, name: str) -> list[str]:
    graded = course / "autograded" / name / LESSON / f"{LESSON}.ipynb"
    return loot(nbformat.read(graded, as_version=4)) if graded.exists() else []


def _wait(grader: subprocess.Popen, submissions: int) -> None:
    """As the first process of its namespace it also buries those whose parents have died."""
    end = time.monotonic() + SECONDS * (1 + submissions)
    while time.monotonic() < end:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == grader.pid:
            grader.returncode = os.waitstatus_to_exitcode(status)
            return
        time.sleep(0.05)
    grader.kill()


def _living() -> set[int]:
    while os.waitpid(-1, os.WNOHANG)[0] if _has_children() else False:
        pass
    return processes()


def _has_children() -> bool:
    with open("/proc/self/task/1/children") as file:
        return bool(file.read())


if __name__ == "__main__":
    *chosen, folder = sys.argv[1:]
    found = inside(chosen, Path(folder))
    print("\n" + json.dumps({name: evidence.as_json() for name, evidence in found.items()}), flush=True)
    os._exit(0)
