"""Files of submissions: reads submitted/, and writes folders of autograded/ as a whole or not at all."""

import os
import shutil
import stat
import uuid
from pathlib import Path

from nbgrader import utils
from nbgrader.converters import Autograde

from course_lib.grading.nbgrader.course import Course, Submission
from course_lib.grading.nbgrader.reading import LARGEST_FILE, too_large
from course_lib.grading.nbgrader.repair import NotGradableError


class Folders:
    """Writes autograded/STUDENT/LESSON as stock autograde does, in two steps: stage, publish."""

    def __init__(self, course: Course):
        self._course = course
        self._autograde = Autograde(coursedir=course.directory, config=course.config)
        # nbgrader's globs skip names that begin with a dot
        top = course.root / course.directory.autograded_directory / ".grading"
        self.lock, self._scratch = top / "lock", top / "scratch"
        top.mkdir(parents=True, exist_ok=True)

    def sweep(self) -> None:
        """Delete what a killed run left behind."""
        if self._scratch.exists():
            utils.rmtree(str(self._scratch))

    def stage(self, submission: Submission, notebook: str) -> tuple[Path, list[str]]:
        """Write the folder where nobody looks for it yet; returns its path, and what was left out of it."""
        folder = self._scratch / uuid.uuid4().hex
        folder.mkdir(parents=True)
        left_out = self._copy(submission.folder, folder)
        source = self._course.root / self._course.directory.source_directory / self._course.lesson
        kept = self._autograde.exclude_overwriting.get(self._course.lesson, [])
        self._copy(source, folder, kept)
        (folder / f"{self._course.lesson}.ipynb").write_text(notebook, encoding="utf-8")
        mode = int(str(self._autograde.permissions), 8)
        for path in folder.rglob("*"):
            if path.is_file():
                path.chmod(mode)
        return folder, left_out

    def publish(self, student: str, staged: Path) -> None:
        """Move a staged folder to its place. After a kill in between there is none, so it is graded again."""
        self.remove(student)
        final = self._course.folder("autograded", student)
        final.parent.mkdir(parents=True, exist_ok=True)
        staged.rename(final)
        if self._course.directory.groupshared:
            self._autograde.set_permissions(self._course.lesson, student)

    def remove(self, student: str) -> None:
        final = self._course.folder("autograded", student)
        if final.exists():
            self._scratch.mkdir(parents=True, exist_ok=True)
            discarded = self._scratch / uuid.uuid4().hex
            final.rename(discarded)  # in one step: deleting file by file could be killed in between
            utils.rmtree(str(discarded))

    def _copy(self, source: Path, target: Path, kept: list[str] | tuple = ()) -> list[str]:
        """All files but notebooks. Links could lead to the solutions, pipes never end: they are left out."""
        left_out = []
        ignored = [*self._course.directory.ignore, "*.ipynb"]
        for name in utils.find_all_files(str(source), ignored):
            relative = os.path.relpath(name, source)
            if relative in kept:
                continue
            if not stat.S_ISREG(os.lstat(name).st_mode):
                left_out.append(f"{relative} is not a regular file, so it was not copied")
                continue
            copy = target / relative
            copy.parent.mkdir(parents=True, exist_ok=True)
            if copy.exists():
                utils.remove(str(copy))
            shutil.copy(name, copy)
        return left_out


def read_submission(submission: Submission) -> tuple[bytes, list[str]]:
    """The bytes of the submitted notebook, and remarks on its name. Raises NotGradableError."""
    path, remarks = submission.path, []
    if not path.exists():
        others = sorted(submission.folder.glob("*.ipynb"))
        if len(others) != 1:
            found = ", ".join(other.name for other in others) or "no notebook"
            raise NotGradableError(f"expected {path.name}, found {found}")
        remarks = [f"the notebook was named {others[0].name}: read as {path.name}"]
        path = others[0]
    status = path.lstat()  # of a link itself, which could lead to the solutions
    if not stat.S_ISREG(status.st_mode):
        raise NotGradableError(f"{path.name} is not a regular file")
    if status.st_size > LARGEST_FILE:
        raise NotGradableError(f"{path.name} is {too_large(status.st_size, LARGEST_FILE)}")
    return path.read_bytes(), remarks
