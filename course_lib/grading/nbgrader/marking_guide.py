"""The marking guide beside each written answer, in formgrader: a preprocessor of nbconvert.

It stands in the page that formgrader shows, and in no file: neither autograded notebooks nor feedback have
it.
"""

from pathlib import Path

import nbformat
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory

from course_lib.authoring.questions import written_questions
from course_lib.authoring.translation import catalogs
from course_lib.authoring.translation.editions import rewrite, speaker
from course_lib.grading.nbgrader.repair import grade_id
from course_lib.language import language_of

# Beside the answer where the window is wide, below it elsewhere. Formgrader has each cell in a .cell.
STYLE = """<style>
.marking-guide { border-left: 3px solid #8a6d3b; padding-left: 1em; }
@media (min-width: 992px) {
  #notebook-container:has(.marking-guide) { width: 100%; }
  .cell:has(+ .cell .marking-guide) { float: left; width: 56%; }
  .cell:has(.marking-guide) { float: right; width: 43%; }
  .cell:has(.marking-guide) + .cell { clear: both; }
}
</style>"""


class MarkingGuide(Preprocessor):
    """nbgrader_config.py names it for HTMLExporter, which makes feedback too: only formgrader gives an id."""

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        if resources.get("submission_id"):
            guides = self._guides(resources["assignment_id"], language_of(nb.cells))
            nb.cells = [shown for cell in nb.cells for shown in (cell, guides.get(grade_id(cell))) if shown]
        return nb, resources

    def _guides(self, lesson: str, locale: str) -> dict[str, NotebookNode]:
        """By the name of the answer's cell; none where the instructor has no notebook of this lesson."""
        directory = CourseDirectory(config=self.config)
        root = Path(directory.root)
        original = root / directory.source_directory / lesson / f"{lesson}.ipynb"
        if not original.is_file():
            return {}
        cells = written_questions(nbformat.read(original, as_version=4))
        if locale in catalogs.locales(root) and lesson in catalogs.names(root, locale):
            say = speaker(root, locale, lesson)
            for cell in cells:
                cell.source = rewrite(cell, say)
        return {cell.metadata.question: _shown(cell.source) for cell in cells}


def _shown(guide: str) -> NotebookNode:
    return nbformat.v4.new_markdown_cell(f'{STYLE}\n<div class="marking-guide">\n\n{guide}\n\n</div>')
