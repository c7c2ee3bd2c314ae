"""Mend submissions before nbgrader reads them: one learner's slip must not stop the grading of a class."""

from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor

REPAIRS = "course_repairs"  # notebook metadata: what was mended, in sentences


class RepairCells(NbGraderPreprocessor):
    """First of autograde's sanitize_preprocessors (see nbgrader_config.py).

    A copied cell leaves two with one name, which nbgrader turns into metadata that it cannot read: the
    last copy stays graded, as nbgrader has it, the others become ordinary cells. A deleted test cell is
    put back by nbgrader (OverwriteCells.add_missing_cells); here it is only reported.
    """

    def preprocess(self, notebook: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        repairs = [*self._drop_unreadable(notebook), *self._drop_copies(notebook)]
        repairs += self._missing(notebook, resources["nbgrader"])
        for repair in repairs:
            self.log.warning("%s: %s", resources["nbgrader"].get("student", "submission"), repair)
        if repairs:
            notebook.metadata[REPAIRS] = repairs
        return notebook, resources

    def _drop_unreadable(self, notebook: NotebookNode) -> list[str]:
        repairs = []
        for number, cell in enumerate(notebook.cells, 1):
            keys = cell.metadata.get("nbgrader")
            if keys is not None and not (
                isinstance(keys, dict) and {"grade_id", "schema_version"} <= keys.keys()
            ):
                del cell.metadata["nbgrader"]
                repairs.append(f"cell {number} had unreadable nbgrader metadata: now an ordinary cell")
        return repairs

    def _drop_copies(self, notebook: NotebookNode) -> list[str]:
        repairs, seen = [], set()
        for cell in reversed(notebook.cells):
            if (keys := cell.metadata.get("nbgrader")) is None:
                continue
            if keys["grade_id"] in seen:
                repairs.append(f"cell {keys['grade_id']} was copied: the last copy counts")
                del cell.metadata["nbgrader"]
            seen.add(keys["grade_id"])
        return repairs

    def _missing(self, notebook: NotebookNode, names: dict) -> list[str]:
        present = {
            cell.metadata["nbgrader"]["grade_id"] for cell in notebook.cells if "nbgrader" in cell.metadata
        }
        with Gradebook(names["db_url"]) as gradebook:
            source = gradebook.find_notebook(names["notebook"], names["assignment"])
            graded = [cell.name for cell in source.grade_cells]
        return [f"cell {name} was missing: restored" for name in graded if name not in present]
