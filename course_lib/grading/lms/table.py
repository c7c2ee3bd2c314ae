"""A system's CSV, read and written again so that only the cells that we fill differ."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from course_lib.atomic import write_atomically
from course_lib.grading.nbgrader.course import CourseError
from course_lib.grading.nbgrader.reading import MEGABYTE, too_large

LARGEST = 32 * MEGABYTE
BOM = "\ufeff"


@dataclass
class Table:
    """first: the row of heads as it came; rows: the others, each as long as it came."""

    path: Path
    first: list[str]
    rows: list[list[str]]
    delimiter: str = ","
    newline: str = "\n"
    bom: bool = False

    @property
    def heads(self) -> list[str]:
        return [head.strip() for head in self.first]

    def column(self, *names: str) -> int | None:
        """The place of the first of these heads that is there; capitals do not count."""
        folded = [head.casefold() for head in self.heads]
        return next((folded.index(name.casefold()) for name in names if name.casefold() in folded), None)

    def cell(self, row: list[str], *names: str) -> str:
        place = self.column(*names)
        return "" if place is None or place >= len(row) else row[place].strip()


def read_table(path: Path) -> Table:
    """A CSV in UTF-8, divided by commas, semicolons or tabs. Raises CourseError."""
    try:
        size = path.stat().st_size
        data = path.read_bytes() if size <= LARGEST else b""
    except OSError as error:
        raise CourseError(f"cannot read {path}: {error.strerror}") from None
    if size > LARGEST:
        raise CourseError(f"{path} is {too_large(size, LARGEST)}")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise CourseError(f"{path} is no CSV in UTF-8: give it as the system exported it") from None
    bom, text = text.startswith(BOM), text.removeprefix(BOM)
    line = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=line.count)
    csv.field_size_limit(LARGEST)  # of a cell, as a teacher's comment
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise CourseError(f"{path} is not a CSV: {error}") from None
    if not rows or not any(rows[0]):
        raise CourseError(f"{path} has no heads in its first row")
    return Table(path, rows[0], rows[1:], delimiter, "\r\n" if line.endswith("\r") else "\n", bom)


def write_table(table: Table, path: Path) -> None:
    """As it came: rows in their order, delimiter, ends of lines and byte order mark."""
    lines = [_line(row, table.delimiter) + table.newline for row in (table.first, *table.rows)]
    with write_atomically(path) as file:
        file.write(((BOM if table.bom else "") + "".join(lines)).encode("utf-8"))


def _line(row: list[str], delimiter: str) -> str:
    text = io.StringIO(newline="")
    # Python 3.11 quotes a lone \r only where the end of a line has one too.
    csv.writer(text, delimiter=delimiter, lineterminator="\r\n").writerow(row)
    return text.getvalue().removesuffix("\r\n")
