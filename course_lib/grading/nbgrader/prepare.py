"""Run nbgrader's preprocessors on a submission without opening the gradebook for each of them."""

from dataclasses import dataclass, field

import nbformat
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from nbgrader.converters import Autograde
from nbgrader.nbgraderformat import ValidationError
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    Execute,
    NbGraderPreprocessor,
    OverwriteCells,
    OverwriteKernelspec,
    SaveAutoGrades,
)
from traitlets import import_item
from traitlets.config import Config

from course_lib.grading.nbgrader.reading import read
from course_lib.grading.nbgrader.repair import REPAIRS, NotGradableError, RepairCells, repair
from course_lib.grading.nbgrader.source import Source, kernelspec


@dataclass(frozen=True)
class Steps:
    """Autograde's preprocessors before and after execution, by dotted names, and nbgrader's settings."""

    sanitize: tuple[str, ...]
    finish: tuple[str, ...]
    settings: dict = field(default_factory=dict)


class _Repair(NbGraderPreprocessor):
    def preprocess(self, nb, resources):
        repair(nb, resources["source"])
        return nb, resources


class _OverwriteKernelspec(NbGraderPreprocessor):
    def preprocess(self, nb, resources):
        if spec := kernelspec(resources["source"]):
            nb.metadata["kernelspec"] = spec
        return nb, resources


class _OverwriteCells(OverwriteCells):
    def preprocess(self, nb, resources):
        self.gradebook = resources["source"]
        self.notebook_id = self.assignment_id = resources["source"].lesson
        return Preprocessor.preprocess(self, nb, resources)  # repair has put back what was missing


# nbgrader's steps open the gradebook; these take the same facts from a Source.
WITHOUT_GRADEBOOK = {
    RepairCells: _Repair,
    OverwriteKernelspec: _OverwriteKernelspec,
    OverwriteCells: _OverwriteCells,
}
# The grader executes; gradebook.py saves points and penalties. After a repair the cells' metadata are the
# gradebook's own: to check them would take three quarters of the time.
LEFT_OUT = (Execute, SaveAutoGrades, AssignLatePenalties, CheckCellMetadata)


def steps(config: Config) -> Steps:
    """The steps that nbgrader_config.py asks for, as data that workers on other machines can use."""
    autograde = Autograde(config=config)
    sanitize, finish = (
        [step for step in map(_imported, names) if step not in LEFT_OUT]
        for names in (autograde.sanitize_preprocessors, autograde.autograde_preprocessors)
    )
    # Settings may stand under the name of a step's class or of any class above it.
    sections = {parent.__name__ for step in [*sanitize, *finish] for parent in step.__mro__}
    settings = {name: dict(config[name]) for name in sections if name in config}
    return Steps(tuple(map(_dotted, sanitize)), tuple(map(_dotted, finish)), settings)


def prepare(source: Source, steps: Steps, submission: bytes) -> tuple[NotebookNode, list[str]]:
    """The notebook to execute, and what was repaired in it. Raises NotGradableError."""
    notebook = read(submission)
    notebook.metadata.pop(REPAIRS, None)  # the learner may have written some
    try:
        notebook = _apply(steps.sanitize, steps, notebook, source)
        nbformat.validate(notebook, relax_add_props=True)
    except (ValidationError, nbformat.ValidationError) as error:
        raise NotGradableError(f"broken beyond repair: {str(error).strip().splitlines()[0][:200]}") from None
    return notebook, notebook.metadata.get(REPAIRS, [])


def finish(source: Source, steps: Steps, notebook: NotebookNode) -> NotebookNode:
    """What autograde does after execution, except with the gradebook."""
    return _apply(steps.finish, steps, notebook, source)


def _apply(names: tuple[str, ...], steps: Steps, notebook: NotebookNode, source: Source) -> NotebookNode:
    config = Config(steps.settings)
    resources = {"nbgrader": {"assignment": source.lesson, "notebook": source.lesson}, "source": source}
    for name in names:
        step = import_item(name)
        step = WITHOUT_GRADEBOOK.get(step, step)
        notebook, resources = step(config=config)(notebook, resources)
    return notebook


def _imported(step: str | type) -> type:
    return import_item(step) if isinstance(step, str) else step


def _dotted(step: type) -> str:
    return f"{step.__module__}.{step.__qualname__}"
