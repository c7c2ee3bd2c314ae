"""What commands for instructors write, and what they never write over."""

from pathlib import Path

from course_lib.grading.nbgrader.course import CourseError

TABLE, PAGE, ZIP = "student_id", "<!DOCTYPE html>", "PK"  # as the files begin that are written here


def require_replaceable(path: Path, begins: str) -> Path:
    """The path. Raises CourseError where a file with something else stands there, such as a gradebook.

    An empty file may be written over, and what is no file, such as a pipe, is written to.
    """
    if not path.is_file():
        return path
    with open(path, "rb") as file:
        found = file.read(100).removeprefix(b"\xef\xbb\xbf")
    if found and not found.startswith(begins.encode()):
        raise CourseError(
            f"{path} is not written over: expected a file of this command, which begins with {begins!r}, "
            f"found {found[:20]!r}; give another name"
        )
    return path
