"""nbgrader's feedback pages, in a zip that Moodle takes as "Upload multiple feedback files in a zip"."""

import re
import zipfile
from pathlib import Path

from course_lib.atomic import write_atomically
from course_lib.grading.lms.lists import participant
from course_lib.grading.lms.table import Table
from course_lib.grading.nbgrader.course import Course
from course_lib.grading.outputs import ZIP, require_replaceable


def write_feedback(course: Course, worksheet: Table, rows: dict[str, list[str]], path: Path) -> int:
    """rows: of the worksheet, by student. Returns how many pages there are."""
    count = 0
    require_replaceable(path, ZIP)
    with write_atomically(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for student, row in rows.items():
            page = course.folder("feedback", student) / f"{course.lesson}.html"
            if page.is_file():
                archive.write(page, f"{_folder(worksheet, row)}/{page.name}")
                count += 1
    return count


def _folder(worksheet: Table, row: list[str]) -> str:
    """As in a download. Moodle divides it at each _ and reads the number only."""
    name = re.sub(r'[\x00-\x1f&<>"`|:\'\\/_*?]', "", worksheet.cell(row, "Full name")).strip(" .~")
    return f"{name or 'participant'}_{participant(worksheet, row)}_assignsubmission_file"
