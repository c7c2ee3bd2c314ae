"""Files of submissions: reads submitted/, and writes folders of autograded/ as a whole or not at all."""

import os
import shutil
import stat
import uuid
from collections.abc import Iterator
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path

from nbgrader import utils
from nbgrader.converters import Autograde

from course_lib.grading.nbgrader.course import STAMP, Course, Submission
from course_lib.grading.nbgrader.reading import LARGEST_FILE, MEGABYTE, too_large
from course_lib.grading.nbgrader.repair import NotGradableError

MOST_FILES, MOST_BYTES = 200, 64 * MEGABYTE  # beside a notebook, all together


DEEPEST, MOST_ENTRIES = 20, 5000  # folders in folders, and names that are looked at


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
        if self._course.timestamp(submission.folder):  # the next run compares it, whatever lies beside it
            _copy_file(submission.folder / STAMP, folder / STAMP)
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
        """Files but notebooks, and what was left out: links and pipes, and what is too many or too large.

        Links could lead to the solutions, pipes never end.
        """
        left_out, count, size = [], 0, 0
        ignored = [*self._course.directory.ignore, "*.ipynb"]
        for path in _files(source):
            relative = path.relative_to(source)
            if str(relative) in kept or any(fnmatch(part, one) for part in relative.parts for one in ignored):
                continue
            try:
                status = path.lstat()
                if not stat.S_ISREG(status.st_mode):
                    left_out.append(f"{relative} is not a regular file, so it was not copied")
                    continue
                count, size = count + 1, size + status.st_size
                if count > MOST_FILES or size > MOST_BYTES:
                    left_out.append(
                        f"{relative} and what follows is too much: {MOST_FILES} files and "
                        f"{MOST_BYTES // MEGABYTE} MB are copied"
                    )
                    break
                _copy_file(path, target / relative)
            except (OSError, ValueError) as error:  # a name too long, a file that may not be read
                left_out.append(f"{relative} could not be copied: {error}")
        return left_out


def _copy_file(path: Path, copy: Path) -> None:
    copy.parent.mkdir(parents=True, exist_ok=True)
    if copy.exists():
        utils.remove(str(copy))
    shutil.copy(path, copy, follow_symlinks=False)


def _files(folder: Path) -> Iterator[Path]:
    """What is no folder, links to folders too: the first ones, by name, and not from too deep below."""
    waiting, entries = [(folder, 0)], 0
    while waiting and entries < MOST_ENTRIES:
        where, depth = waiting.pop()
        try:
            found = sorted(islice(os.scandir(where), MOST_ENTRIES - entries), key=lambda entry: entry.name)
        except OSError:  # it may not be read
            yield where
            continue
        entries += len(found)
        for entry in found:
            if not entry.is_dir(follow_symlinks=False):
                yield Path(entry)
            elif depth < DEEPEST and entries < MOST_ENTRIES:
                waiting.append((Path(entry), depth + 1))
            else:
                yield Path(entry)


def read_submission(submission: Submission) -> tuple[bytes, list[str]]:
    """The bytes of the submitted notebook, and remarks on its name. Raises NotGradableError."""
    path, remarks = submission.path, []
    for folder in (submission.folder, submission.folder.parent):
        if folder.is_symlink():  # it could lead to the solutions, or to another's work
            raise NotGradableError(f"the folder {folder.name} is a link")
    if not os.path.lexists(path):
        others = sorted(submission.folder.glob("[!.]*.ipynb"))  # macOS leaves some with a dot
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
