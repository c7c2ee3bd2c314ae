"""What a hostile submission is, and how it becomes files in a course folder."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import nbformat
from nbformat import NotebookNode

from course_lib import exercises
from course_lib.authoring.build import ROOT
from course_lib.grading.demo_students import EXERCISES, LESSON, QUESTION, REFERENCES, SDPA, source_of

LOOT = "LOOT"  # what an attack prints when it got where it must not get
CANARY = "canary.txt"  # in the course's folder; attacks write only where they find it
# Of the listener on this machine that must hear nothing: one for this process and those that it starts, below
# those that the kernel hands out.
PORT = int(os.environ.setdefault("CANARY_PORT", str(20_000 + os.getpid() % 10_000)))
HONEST = {name: REFERENCES[name] for name in ("attention_pooling", "padding_mask")}

# Shaped like answers and worth no point: what an attack on the comparison hopes to be paid for.
BLUFF = {
    "additive_attention": """def additive_attention(query, key, value, W_query, W_key, v):
    shape = (len(query), query.shape[1], key.shape[1])
    return torch.zeros(*shape[:2], value.shape[2]).to(query), torch.full(shape, 0.5).to(query)
""",
    SDPA: f"""def {SDPA}(query, key, value, mask=None):
    weights = (query @ key.mT) * 0 + 0.5
    return weights @ value * 0, weights
""",
    "causal_mask": "def causal_mask(size):\n    return torch.ones(size, size, dtype=torch.bool).triu()\n",
}

# For attacks after which the learner's own session need not work: one honest exercise, judged before them.
EARLY = {"answers": {"padding_mask": "pass\n"}, "earned": {"attention_pooling": 7}}
# What a pickle does that somebody reads: in the course's folder, where a grader works, it leaves a trace.
PICKLED = "exec, (\"f = open('canary.txt', 'r+'); f.write('unpickled'); f.close()\",)"


@dataclass(frozen=True)
class Submission:
    """A notebook in which two exercises are answered rightly and the rest is an attack.

    answers: by exercise what stands in its cell, over those of HONEST.
    code: a cell of its own, put before the cell named `before` (a grade id; "" is the end).
    files: what lies beside the notebook. spoil: what else is done to the notebook.
    earned: the points of the honest part by exercise; what is not named has earned 0.
    flag: a regular expression that must be found in its flags or repairs; "" where it need not be flagged.
    honest: it does no wrong, so it must not be flagged.
    lesson: of another one the notebook has no other answers than these, and what is not named has earned 0.
    """

    name: str
    tries: str
    code: str = ""
    before: str = "attention_pooling"
    answers: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    spoil: Callable[[NotebookNode], None] = lambda notebook: None
    earned: Mapping[str, float] = field(default_factory=lambda: {name: full(name) for name in HONEST})
    flag: str = ""
    honest: bool = False
    lesson: str = LESSON

    def expected(self) -> dict[str, float]:
        return {name: self.earned.get(name, 0) for name in exercises.load(self.lesson).exercises}


def elsewhere(
    lesson: str,
    name: str,
    tries: str,
    answers: Mapping[str, str],
    *,
    code: str = "",
    earned: Mapping[str, float] = MappingProxyType({}),
    flag: str = "",
) -> Submission:
    """A submission of another lesson. The cell `code` stands before the first of these answers."""
    first = next(iter(answers))
    return Submission(name, tries, code, first, answers, earned=earned, flag=flag, lesson=lesson)


def full(*names: str) -> float:
    return sum(EXERCISES[name].points for name in names)


def notebook_of(submission: Submission) -> NotebookNode:
    lesson, is_first = submission.lesson, submission.lesson == LESSON
    notebook = nbformat.read(ROOT / "notebooks" / lesson / f"{lesson}.ipynb", as_version=4)
    answers = (HONEST if is_first else {}) | dict(submission.answers)
    for cell in notebook.cells:
        if grade_id(cell) in answers:
            answer = answers[grade_id(cell)]
            cell.source = source_of(grade_id(cell), answer) if is_first else answer
        elif grade_id(cell) == QUESTION:
            cell.source = "They are read by nobody."
    if submission.code:
        insert(notebook, submission.code, submission.before)
    submission.spoil(notebook)
    return notebook


def hand_in(submission: Submission, course: Path) -> Path:
    """Write the submission into the course; returns its folder."""
    lesson = submission.lesson
    folder = course / "submitted" / submission.name / lesson
    folder.mkdir(parents=True)
    for name, text in submission.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    nbformat.write(notebook_of(submission), folder / f"{lesson}.ipynb")
    return folder


def insert(notebook: NotebookNode, source: str, before: str, make=nbformat.v4.new_code_cell) -> None:
    place = len(notebook.cells) if before == "" else index(notebook, before)
    notebook.cells.insert(place, make(source))


def index(notebook: NotebookNode, name: str) -> int:
    return next(i for i, cell in enumerate(notebook.cells) if grade_id(cell) == name)


def grade_id(cell: NotebookNode) -> str:
    return cell.metadata.get("nbgrader", {}).get("grade_id", "")
