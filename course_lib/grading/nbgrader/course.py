"""A course folder: nbgrader's settings, and where things lie in it."""

import copy
import glob
import hashlib
import os
import re
import stat
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import GenerateAssignment
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc
from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError
from traitlets.config import Config

from course_lib import checks, exercises
from course_lib.authoring.build import student
from course_lib.authoring.translation.editions import editions_of
from course_lib.checks.lesson import HIDDEN, hidden_file
from course_lib.grading.nbgrader.bundle import Bundle
from course_lib.grading.nbgrader.course_files import (
    CourseError,
    as_settings,
    read_notebook,
    read_python,
    read_settings,
)
from course_lib.grading.nbgrader.prepare import steps
from course_lib.grading.nbgrader.repair import grade_id
from course_lib.grading.nbgrader.source import Source, read_source

STAMP, LONGEST_STAMP = "timestamp.txt", 100  # bytes
# A day, which nbgrader would make up, and at the end a time zone: of another text it opens the file.
A_TIME = re.compile(r"\d{4}-\d\d-\d\d[\dT :.,+-]*([A-Za-z_]+(/[A-Za-z_]+)*)?")
LONGEST_NAME = 128  # characters of the gradebook's column


@dataclass(frozen=True)
class Submission:
    """What one student handed in. `path` is where the notebook should be."""

    student: str
    folder: Path
    path: Path


class Course:
    """A folder with nbgrader_config.py, and one lesson of it."""

    def __init__(self, root: Path, lesson: str, db_url: str = ""):
        self.config: Config = read_settings(root)
        if db_url:
            self.config.CourseDirectory.db_url = db_url
        self.config.CourseDirectory.assignment_id = lesson
        with as_settings(root):
            self.directory = CourseDirectory(config=self.config)
        self.lesson, self.root, self.db_url = lesson, Path(self.directory.root), self.directory.db_url

    def open_gradebook(self) -> Gradebook:
        """On any database that SQLAlchemy speaks to. Raises CourseError."""
        try:
            return Gradebook(self.db_url, self.directory.course_id)
        except (SQLAlchemyError, ModuleNotFoundError) as error:  # no server, no such URL, no driver
            raise CourseError(
                f"cannot open the gradebook {_without_password(self.db_url)}: {_reason(error)}"
            ) from None

    def folder(self, step: str, student: str) -> Path:
        """step: submitted, autograded or feedback."""
        name = getattr(self.directory, f"{step}_directory")
        return Path(self.directory.format_path(name, student, self.lesson))

    def autograded(self, student: str) -> Path:
        return self.folder("autograded", student) / f"{self.lesson}.ipynb"

    def submissions(self) -> list[Submission]:
        """Of all students who handed in a folder for the lesson, but for names that no database can keep."""
        return [one for one in self._handed_in() if not _why_not(one.student)]

    def misnamed(self) -> dict[str, str]:
        """By the name of a folder that no database can keep, why that is so."""
        return {one.student: why for one in self._handed_in() if (why := _why_not(one.student))}

    def _handed_in(self) -> list[Submission]:
        directory = self.directory
        where = directory.submitted_directory, "(?P<student>[^/\\\\]+)", self.lesson
        pattern = re.compile(directory.format_path(*where, escape=True))
        submissions = []
        everybody = glob.escape(str(self.folder("submitted", "*"))).replace("[*]", "*")
        for path in sorted(glob.glob(everybody)):
            match = pattern.fullmatch(path)
            if match and match["student"] not in self.excluded and Path(path).is_dir():
                submissions.append(
                    Submission(match["student"], Path(path), Path(path, f"{self.lesson}.ipynb"))
                )
        return submissions

    @property
    def excluded(self) -> list[str]:
        """Students whom nbgrader's settings leave out."""
        return self.directory.student_id_exclude.split(",")

    def timestamp(self, folder: Path) -> datetime | None:
        """UTC; from timestamp.txt, which collecting writes. None where there is none that can be read."""
        stamp = folder / STAMP
        try:
            status = stamp.lstat()
            if not stat.S_ISREG(status.st_mode) or status.st_size > LONGEST_STAMP:
                return None  # a pipe would never end
            text = stamp.read_text(encoding="utf-8").strip()
            if not A_TIME.fullmatch(text):
                return None
            return parse_utc(re.sub(r" (?=[+-]\d)", "", text))  # it takes a lone +0200 for seconds
        except Exception:  # of many kinds: it is read by libraries
            return None

    def bundle(self, **options) -> Bundle:
        """What workers need; the options are Bundle's. Fills the gradebook where the lesson is new to it."""
        source = self.source()
        hidden = hidden_file(self.lesson, self._solutions)
        if not hidden.is_file():
            advice = f"; `course hidden {self.lesson}` writes yours" if os.environ.get(HIDDEN) else ""
            raise CourseError(f"no hidden parts of {self.lesson}: expected them in {hidden}{advice}")
        text = read_python(hidden)
        # notebooks/ may have been worked in: this is what generate_assignment makes of the source
        released = student(read_notebook(self._original), self.lesson, self.root)
        self._compare(source, released)
        with as_settings(self.root):
            asked = steps(self.config)
        return Bundle(
            lesson=self.lesson,
            hidden=text,
            released=nbformat.writes(released),
            source=source,
            steps=asked,
            version=_version(source, text),
            editions=tuple(editions_of(released, self.lesson, self.root)),
            **options,
        )

    def _compare(self, source: Source, released: NotebookNode) -> None:
        keys = [cell.metadata["nbgrader"] for cell in released.cells if "nbgrader" in cell.metadata]
        if {key["grade_id"]: key.get("points") for key in keys} != {
            cell.name: cell.max_score for cell in source.cells
        }:
            raise CourseError(
                f"the gradebook has other cells or points of {self.lesson} than {self._original}: "
                f"run `nbgrader generate_assignment {self.lesson} --force`"
            )

    @property
    def _original(self) -> Path:
        return self._solutions / self.lesson / f"{self.lesson}.ipynb"

    @property
    def _solutions(self) -> Path:
        return self.root / self.directory.source_directory

    def originals(self) -> list[Path]:
        """The notebooks of all lessons, with their solutions."""
        return sorted(path for path in self._solutions.glob("*/*.ipynb") if path.stem == path.parent.name)

    def order(self) -> list[str]:
        """The names of the lesson's graded cells as they follow each other in its source."""
        if not self._original.is_file():
            known = ", ".join(path.stem for path in self.originals())
            raise CourseError(f"no lesson {self.lesson!r} in {self._solutions}; there are {known or 'none'}")
        return list(filter(None, map(grade_id, read_notebook(self._original).cells)))

    def source(self) -> Source:
        """The lesson's cells; fills the gradebook where the lesson is new to it."""
        order = self.order()
        try:
            return self._read(order)
        except MissingEntry:
            self._generate()
            return self._read(order)

    def _read(self, order: list[str]) -> Source:
        with self.open_gradebook() as gradebook:
            names = [notebook.name for notebook in gradebook.find_assignment(self.lesson).notebooks]
            if others := [name for name in names if name != self.lesson]:
                raise CourseError(
                    f"{self.lesson} has more notebooks than its own ({', '.join(others)}): "
                    "this grader expects one; use nbgrader autograde"
                )
            return read_source(gradebook, self.lesson, order)

    def _generate(self) -> None:
        """nbgrader's own generate_assignment, for its entries in the gradebook: nothing is released."""
        with tempfile.TemporaryDirectory() as release:
            config = copy.deepcopy(self.config)
            config.CourseDirectory.release_directory = release
            directory = CourseDirectory(config=config)
            try:
                GenerateAssignment(coursedir=directory, config=config).start()
            except NbGraderException:
                raise CourseError(f"nbgrader's log above says what it refuses in {self._original}") from None


def _why_not(name: str) -> str:
    if not name.isprintable():
        return "the name of its folder holds characters that cannot be printed"
    if len(name) > LONGEST_NAME:
        return f"the name of its folder has {len(name)} characters, expected at most {LONGEST_NAME}"
    return ""


def _without_password(db_url: str) -> str:
    try:
        return make_url(db_url).render_as_string()
    except SQLAlchemyError:
        return db_url.rpartition("@")[2]


def _reason(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0]


def _version(source: Source, hidden: str) -> str:
    """Changes with the lesson's cells, its hidden parts, the engine and the exercises."""
    digest = hashlib.sha256(repr(source).encode())
    digest.update(hidden.encode())
    for folder in [*checks.__path__, *exercises.__path__]:
        for path in sorted(Path(folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
