"""A made class of 300 in Canvas and in Moodle, from the download to the import, and nobody is lost."""

import csv
import io
import random
import zipfile
from dataclasses import dataclass, field

import nbformat
import pytest
from grading_paper import FULL, LESSON, answered, copy_of, make_course, set_due

from course_lib.authoring.build import ROOT
from course_lib.command import main
from course_lib.grading.grade import show_upload
from course_lib.grading.lms.upload import Upload
from course_lib.grading.nbgrader.cell_points import CellPoints
from course_lib.grading.nbgrader.course import Course
from course_lib.grading.nbgrader.gradebook import Entry, Records
from course_lib.grading.results import SubmissionResult, results

pytestmark = pytest.mark.xdist_group("paper")
SIZE, POINTS, ESSAY = 300, 32.0, "mask_keys_not_queries"
OTHER = (ROOT / "notebooks/03_multi_head/03_multi_head.ipynb").read_bytes()
RELEASED = nbformat.writes(answered(FULL)).encode()
KINDS = ("once", "late", "twice", "copy", "renamed", "broken", "other lesson", "nothing", "pdf", "hostile")
TAKEN = KINDS[:5]
# more often than once in a class of 300, so that names alone do not say whose a file is
FIRST = ("Ada", "Séan", "李", "=SUM(1)", "Bo", "Zoë", "O'Brien", "-1+1")
LAST = ("Kim", "Müller", "van der Berg", "Nguyễn", "@x")


@dataclass
class Pupil:
    number: int
    kind: str
    first: str
    last: str
    files: list[tuple[str, bytes]] = field(default_factory=list)  # name and bytes, the last one counts

    @property
    def email(self):
        return f"s{self.number}@example.org"


def pupils():
    draw = random.Random(0)
    kinds = [KINDS[number] if number < len(KINDS) else draw.choice(KINDS) for number in range(SIZE)]
    made = [Pupil(1000 + i, kind, draw.choice(FIRST), draw.choice(LAST)) for i, kind in enumerate(kinds)]
    for one in made:
        own = RELEASED.replace(b"# earns 9", f"# earns 9 of {one.number}".encode())
        name = {"copy": f"Copy_of_{LESSON}", "renamed": f"my homework {LESSON} (1)"}.get(one.kind, LESSON)
        data = {"broken": own[:4000], "other lesson": OTHER}.get(one.kind, own)
        if one.kind == "pdf":
            one.files = [("answers.pdf", b"%PDF")]
        elif one.kind == "hostile":
            one.files = [("a\x1b[2J.ipynb", own)]
        elif one.kind != "nothing":
            one.files = [(f"{name}.ipynb", data)]
        if one.kind == "twice":
            one.files.insert(0, (f"{LESSON}.ipynb", RELEASED))
    return made


def canvas(folder, made):
    """The zip and the gradebook, as Canvas writes them."""
    attachment = 50_000
    with zipfile.ZipFile(folder / "download.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for one in made:
            who = "".join(char for char in f"{one.last}{one.first}".lower() if char.isalnum())
            for place, (name, data) in enumerate(one.files):
                attachment += 1
                name = name.replace(".ipynb", f"-{place + 1}.ipynb") if place else name
                late = "LATE_" if one.kind == "late" else ""
                archive.writestr(f"{who}_{late}{one.number}_{attachment}_{name}", data)
    heads = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Quiz (7)", f"{LESSON} (8)", "Score"]
    rows = [heads, ["    Points Possible", "", "", "", "", "5.00", "32.00", "(read only)"]]
    rows += [[f"{one.last}, {one.first}", one.number, "", one.email, "A", "3.00", "", "60"] for one in made]
    rows.append(["Student, Test", 99, "", "77", "A", "", "", ""])
    return write(folder, rows), lambda one: str(one.number), rows[0].index(f"{LESSON} (8)")


def moodle(folder, made):
    """The zip, which cannot hold two files of one name, and the worksheet."""
    with zipfile.ZipFile(folder / "download.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for one in made:
            for name, data in one.files[-1:]:
                full = f"{one.first} {one.last}".replace("'", "")
                archive.writestr(f"{full}_{one.number + 5000}_assignsubmission_file/{name}", data)
    heads = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"]
    heads += ["Grade can be changed", "Last modified (submission)", "Last modified (grade)"]
    rows = [heads]
    for one in made:
        when = f"{'Tuesday, 3' if one.kind == 'late' else 'Sunday, 1'} March 2026, 11:00 AM"
        who = f"Participant {one.number + 5000}", f"{one.first} {one.last}", one.email
        rows.append([*who, "Submitted", "", "32.00", "Yes", when, "-"])
    return write(folder, rows), lambda one: one.email, heads.index("Grade")


def write(folder, rows):
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    path = folder / "list.csv"
    path.write_text(text.getvalue(), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    course = make_course(tmp_path_factory.mktemp("empty"), {})
    (course.root / "solutions/03_multi_head").mkdir()
    original = ROOT / "solutions/03_multi_head/03_multi_head.ipynb"
    (course.root / "solutions/03_multi_head/03_multi_head.ipynb").write_bytes(original.read_bytes())
    with (course.root / "nbgrader_config.py").open("a") as file:
        file.write('\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    set_due(course, "2026-03-02 00:00:00")
    return course


@pytest.mark.parametrize("system", [canvas, moodle])
def test_nobody_is_lost_and_the_points_are_those_of_the_gradebook(
    system, empty, tmp_path, monkeypatch, capsys
):
    course = copy_of(empty, tmp_path / "course")
    monkeypatch.chdir(course.root)
    made = pupils()
    listed, key, column = system(tmp_path, made)
    arguments = ["collect", LESSON, str(tmp_path / "download.zip"), "--list", str(listed)]
    assert main(arguments) == 1
    shown = capsys.readouterr().out
    by_kind = {kind: [one for one in made if one.kind == kind] for kind in KINDS}
    taken = {key(one): one for kind in TAKEN for one in by_kind[kind]}
    there = {one.student: one for one in course.submissions()}
    assert {one.kind for one in made if key(one) in there.keys() - taken.keys()} == set()
    assert there.keys() == taken.keys()
    for student, one in taken.items():
        assert there[student].path.read_bytes() == one.files[-1][1]
    told = [line for line in shown.splitlines() if line.startswith("not taken: ")]
    lost = [one for kind in ("broken", "other lesson", "pdf", "hostile") for one in by_kind[kind]]
    assert len(told) == len(lost) and "\x1b" not in shown
    for one in lost:
        number = f"_{one.number}_" if system is canvas else f"_{one.number + 5000}_"
        assert sum(number in line for line in told) == 1
    older = len(by_kind["twice"]) if system is canvas else 0
    assert f"{len(taken)} taken, 0 unchanged, {older} older, {len(lost)} not taken; " in shown
    assert f"{SIZE - len(taken)} of {SIZE} students have no submission" in shown

    found = graded(course, list(there))
    assert len({one.total for one in found}) > 20
    with course.open_gradebook() as gradebook:
        kept = {
            one.student_id: one.score - sum(n.late_submission_penalty or 0 for n in one.notebooks)
            for one in gradebook.assignment_submissions(LESSON)
        }
    upload = Upload(listed, LESSON, POINTS)
    assert not show_upload(course, upload, found, pages=None)
    old, new = (list(csv.reader(io.StringIO(path.read_text("utf-8")))) for path in (listed, upload.path))
    place = {"ID": 1, "Email address": 2}[old[0][1] if system is canvas else old[0][2]]
    for before, after in zip(old, new, strict=True):
        assert [*before[:column], *before[column + 1 :]] == [*after[:column], *after[column + 1 :]]
        if after[place] in taken:
            assert float(after[column]) == kept[after[place]]
            assert (taken[after[place]].kind == "late") <= (after[column] == "0")
        else:
            assert after[column] == before[column]
    assert main(arguments) == 1
    assert f"0 taken, {len(taken)} unchanged" in capsys.readouterr().out


def graded(course: Course, students: list[str]) -> list[SubmissionResult]:
    """Made-up points, written as a grading run writes them."""
    draw, submissions, entries = random.Random(1), {one.student: one for one in course.submissions()}, []
    for student in students:
        points: dict[str, float | None] = {ESSAY: float(draw.randrange(4))}
        points |= {f"check_{name}": worth * draw.randrange(5) / 4 for name, worth in FULL.items()}
        entries.append(Entry(student, course.timestamp(submissions[student].folder), CellPoints(points)))
    with Records(course) as records:
        records.save(entries)
    return results(course)
