"""What was written in a notebook's exercises."""

from pathlib import Path

from course_lib.grading.nbgrader.course_files import read_notebook
from course_lib.grading.nbgrader.repair import grade_id


def answers_of(file: Path) -> dict[str, str]:
    """By exercise, the source of its cell. Raises CourseError."""
    notebook = read_notebook(file)
    return {
        grade_id(cell): cell.source
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution")
    }
