"""Plugins with which stock `nbgrader zip_collect` takes what `course collect` takes, and by the same rules.

nbgrader_config.py names them. Downloads lie in downloaded/LESSON/archive, as they came.
"""

import os
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

from nbgrader.plugins import ExtractorPlugin, FileNameCollectorPlugin
from traitlets import Unicode

from course_lib.grading.lms.archive import Download, read_download
from course_lib.grading.lms.collect import Collecting
from course_lib.grading.lms.table import read_table
from course_lib.grading.nbgrader.course import Course, CourseError
from course_lib.grading.plain_text import one_line


class LmsExtractor(ExtractorPlugin):
    """Unpacks notebooks with their times, and nothing else: stock unpacking loses the times.

    A lone zip is unpacked without a folder of its own, for that would look like a student's.
    left_out: of the last `extract`, what was not unpacked.
    """

    left_out: Download

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """What is refused or is no notebook stays packed; the collector tells of it."""
        archive, self.left_out = Path(archive_path), Download()
        zips = sorted(archive.glob("*.zip"))
        try:
            loose = read_download(archive)
            for path in zips:
                loose.others.pop(path.name, None)
            is_lone = len(zips) == 1 and not loose.notebooks
            for path in zips:
                self._unpack(read_download(path), Path(extracted_path), "" if is_lone else path.stem)
            self._unpack(loose, Path(extracted_path), "")
        except CourseError as error:
            _fail(self, error)

    def _unpack(self, download: Download, folder: Path, within: str) -> None:
        for file in download.notebooks:
            path = folder / within / file.name  # no part of it leads out: such names are refused
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with open(path, "xb") as copy:
                    copy.write(file.data)
                os.utime(path, (file.time.timestamp(), file.time.timestamp()))
            except (OSError, ValueError) as error:  # a file where another's folder has to be
                download.refused[file.name] = f"cannot be unpacked: {error}"
        for name in ("refused", "others"):
            told = {str(Path(within, file)): why for file, why in getattr(download, name).items()}
            getattr(self.left_out, name).update(told)


class LmsCollector(FileNameCollectorPlugin):
    """Decides over all files at once, when it is asked for the first: the newest of a student counts."""

    students = Unicode(
        help="the system's list of students: Canvas's gradebook, Moodle's participants or grading worksheet"
    ).tag(config=True)

    _taken: dict[Path, dict[str, str | datetime]] | None = None

    def collect(self, submitted_file: str) -> dict | None:
        """None for what does not count; the log has the reason."""
        if self._taken is None:
            try:
                self._taken = self._decided()
            except CourseError as error:
                _fail(self, error)
        return self._taken.get(Path(submitted_file).resolve())

    def _decided(self) -> dict[Path, dict[str, str | datetime]]:
        app: Any = self.parent  # nbgrader's ZipCollectApp
        folder = Path(app._format_collect_path(app.extracted_directory)).resolve()
        course = Course(Path(app.coursedir.root), app.coursedir.assignment_id, app.coursedir.db_url)
        listed = read_table(Path(self.students)) if self.students else None
        download = read_download(folder)
        if isinstance(extractor := app.extractor_plugin_inst, LmsExtractor) and "left_out" in vars(extractor):
            download.refused |= extractor.left_out.refused
            download.others |= extractor.left_out.others
        decision = Collecting(course, listed, self.log.info).decide(download)
        for line in decision.told():
            self.log.warning(line)
        return {
            folder / choice.file.name: {"student_id": choice.student, "file_id": course.lesson}
            | ({"timestamp": time} if time else {})
            for choice, time in decision.taken
        }


def _fail(plugin: ExtractorPlugin | FileNameCollectorPlugin, error: CourseError) -> NoReturn:
    plugin.log.error(one_line(str(error)))
    raise SystemExit(1) from None
