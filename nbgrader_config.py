"""nbgrader's settings for this course. Run nbgrader, and JupyterLab, in the folder of this file."""

import os
import sys
from pathlib import Path

from nbgrader.converters import GenerateAssignment

from course_lib.authoring.setup_cell import AddSetup

c = get_config()  # noqa: F821  (given by traitlets)

c.CourseDirectory.course_id = "transformer"
c.CourseDirectory.root = str(Path(__file__).resolve().parent)
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks"

c.ClearSolutions.code_stub = {"python": "raise NotImplementedError()  # your code here"}
c.ClearSolutions.text_stub = "*Write your answer here.*"

# Learners' notebooks begin with a link to Colab and a cell that installs the course there.
c.GenerateAssignment.preprocessors = [
    *GenerateAssignment.class_traits()["preprocessors"].default(),
    AddSetup,
]

# Whether `model_answer` shows a model answer to a written question, once the learner's own stands
# there. For a class whose written answers count: False, and `make build` takes them out of course_lib.
c.ModelAnswers.released = True

# Formgrader shows the marking guide beside each written answer. Feedback and releases never have it.
c.HTMLExporter.preprocessors = ["course_lib.grading.nbgrader.marking_guide.MarkingGuide"]

# With these `nbgrader zip_collect` takes Canvas's and Moodle's downloads as `course collect` does.
c.ZipCollectApp.extractor_plugin = "course_lib.grading.lms.zip_collect.LmsExtractor"
c.ZipCollectApp.collector_plugin = "course_lib.grading.lms.zip_collect.LmsCollector"

c.ExecutePreprocessor.timeout = 120  # seconds a cell
# Waiting for polite ends would take a third of the time of grading.
c.ExecutePreprocessor.shutdown_kernel = "immediate"

# A copied or a deleted cell is mended before nbgrader reads it: it must not stop the grading of a class.
c.Autograde.sanitize_preprocessors = [
    "nbgrader.preprocessors.ClearOutput",
    "course_lib.grading.nbgrader.repair.RepairCells",
    "nbgrader.preprocessors.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.OverwriteCells.add_missing_cells = True

# nbgrader calls alembic by name; it lies beside this Python, which need not be the shell's.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])

# Checks look here for their hidden parts while submissions are graded.
os.environ["COURSE_LIB_SOLUTIONS"] = str(Path(__file__).resolve().parent / "solutions")
