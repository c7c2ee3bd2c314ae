"""Files of a submission that would stop, fill or mislead who grades; and grades that all say the same."""

import csv
import os
import re
import shutil

import nbformat
import pytest
from grading_paper import FULL, LESSON, SCORES, answered, copy_of, hand_in, make_course, points_of, set_due
from hostile.newer import reverse, strip
from test_grading_runner import grade

from course_lib.grading.export import export
from course_lib.grading.nbgrader.course import Course
from course_lib.grading.nbgrader.folders import MOST_BYTES, MOST_FILES
from course_lib.grading.nbgrader.order import RESTORED
from course_lib.grading.nbgrader.repair import NEARBY
from course_lib.grading.plain_text import one_line
from course_lib.grading.results import EARLIER, GONE, LOOK_AGAIN, NOT_GRADED, results, table
from course_lib.grading.runner import NO_TIME

pytestmark = pytest.mark.xdist_group("paper")


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("paper") / "course")


@pytest.fixture
def course(template, tmp_path):
    return copy_of(template, tmp_path / "course")


@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "large"])
def test_a_stamp_that_is_no_small_file_is_no_stamp(course, kind):
    stamp = course.folder("submitted", "ada") / "timestamp.txt"
    if kind == "pipe":
        os.mkfifo(stamp)
    elif kind == "folder":
        stamp.mkdir()
    elif kind == "link":
        stamp.symlink_to("/dev/zero")
    else:
        stamp.write_text("2026-03-01 12:00:00 UTC" + " " * 1000)
    assert course.timestamp(stamp.parent) is None
    assert points_of(course) == {} and grade(course).graded == sorted(SCORES)


NOON = "2026-03-01 12:00:00"


@pytest.mark.parametrize("text", ["1", "12:00", "yesterday", "Monday 5", "2026-03-99", f"{NOON} 9e99"])
def test_what_names_no_day_is_no_time(course, text):
    (course.folder("submitted", "ada") / "timestamp.txt").write_text(text)
    assert course.timestamp(course.folder("submitted", "ada")) is None


@pytest.mark.parametrize("zone", ["{}", "../../..{}", "file:{}"])
def test_a_time_zone_is_no_file_of_the_learners(course, zone):
    folder = course.folder("submitted", "ada")
    (folder / "zone").write_bytes(b"TZif")
    (folder / "timestamp.txt").write_text(f"{NOON} {zone.format(folder / 'zone')}")
    assert course.timestamp(folder) is None and grade(course).graded == sorted(SCORES)


def test_a_time_may_name_its_zone(course):
    folder = course.folder("submitted", "ada")
    for zone in ("UTC", "GMT", "Z"):
        (folder / "timestamp.txt").write_text(f"{NOON}.250000 {zone}")
        assert str(course.timestamp(folder)) == f"{NOON}.250000"


@pytest.mark.parametrize("offset", ["+0200", " +0200", " +02:00", " +02"])
def test_an_offset_may_stand_apart(course, offset):
    (course.folder("submitted", "ada") / "timestamp.txt").write_text(f"2026-03-01 13:30:00{offset}\n")
    assert str(course.timestamp(course.folder("submitted", "ada"))) == "2026-03-01 11:30:00"


@pytest.mark.parametrize("which", ["lesson", "student"])
def test_a_folder_that_is_a_link_is_not_followed(course, which):
    secret = course.root / "solutions" / LESSON
    folder = course.folder("submitted", "eve")
    link = folder if which == "lesson" else folder.parent
    link.parent.mkdir(parents=True, exist_ok=True)
    if which == "student":
        (course.root / "elsewhere" / LESSON).mkdir(parents=True)
        secret = course.root / "elsewhere"
    link.symlink_to(secret)
    summary = grade(course)
    assert "is a link" in summary.failures["eve"]
    assert not points_of(course)["eve"] and sorted(summary.graded) == sorted(SCORES)


def test_extra_files_have_a_limit(course):
    folder = course.folder("submitted", "ada")
    for number in range(MOST_FILES + 20):
        (folder / f"{number:04}.txt").write_text("x")
    hand_in(course, "ada", answered(FULL), IN_TIME)
    (course.folder("submitted", "bao") / "sparse.bin").touch()
    os.truncate(course.folder("submitted", "bao") / "sparse.bin", MOST_BYTES + 1)
    summary = grade(course)
    assert "is too much" in summary.flags["ada"][0] and "is too much" in summary.flags["bao"][0]
    copied = list(course.folder("autograded", "ada").iterdir())
    assert len(copied) == MOST_FILES + 2 and grade(course).unchanged == sorted(SCORES)
    assert sum(path.stat().st_size for path in course.folder("autograded", "bao").iterdir()) < 1 << 20


def test_learners_text_cannot_drive_a_terminal_or_forge_a_row(course):
    notebook = answered(FULL)
    bad = "\x1b[2J\nada   7/7  29"
    notebook.cells.append(
        nbformat.v4.new_code_cell("1", metadata={"nbgrader": {"grade_id": bad, "schema_version": 3}})
    )
    hand_in(course, "eve", notebook)
    summary = grade(course)
    shown = table(results(course)) + str(summary.repairs["eve"])
    assert "\x1b" not in shown and sum(line.startswith("ada") for line in shown.splitlines()) == 1
    assert one_line("a\nb\u202ec") == r"a\nb\u202ec" and len(one_line("x" * 999)) == 200


def test_thousands_of_repairs_are_told_in_a_few_sentences(course, tmp_path):
    notebook = answered(FULL)
    keys = {"nbgrader": {"grade_id": "check_causal_mask"}}
    notebook.cells += [nbformat.v4.new_markdown_cell("", metadata=keys) for _ in range(3000)]
    hand_in(course, "eve", notebook)
    told = grade(course).repairs["eve"]
    (eve,) = (one for one in results(course) if one.student == "eve")
    assert told == eve.notes and len(told) == 11
    assert re.fullmatch(r"and (29|30)\d\d more", told[-1])
    export(course, results(course), tmp_path / "all.csv")
    assert (tmp_path / "all.csv").stat().st_size < 4000


def test_a_students_name_that_cannot_be_printed_or_kept_is_refused(course):
    hand_in(course, "eve\nmallory", answered(FULL))
    hand_in(course, "x" * 129, answered(FULL))  # PostgreSQL would refuse the whole batch
    folder = os.fsencode(course.root / "submitted") + b"/\xff\xfe/" + LESSON.encode()
    os.makedirs(folder)
    summary = grade(course)
    assert set(summary.failures) == {r"eve\nmallory", r"\udcff\udcfe", "x" * 129}
    assert "129 characters, expected at most 128" in summary.failures["x" * 129]
    assert sorted(summary.graded) == sorted(SCORES)
    assert table(results(course)).isprintable() or "mallory" not in table(results(course))


@pytest.mark.parametrize("kind", ["deep", "long", "unreadable", "many compiled"])
def test_files_that_cannot_be_copied_are_told_and_stop_nobody(course, kind):
    folder = course.folder("submitted", "ada")
    (folder / "z.csv").write_text("data")
    if kind == "deep":
        os.makedirs(folder / "/".join(["d"] * 60))
    elif kind == "long":
        here = os.getcwd()
        os.chdir(folder)
        for _ in range(18):
            os.mkdir("x" * 200)
            os.chdir("x" * 200)
        with open("y", "w"):
            pass
        os.chdir(here)
    elif kind == "unreadable":
        (folder / "secret").mkdir()
        (folder / "secret").chmod(0)
    else:
        for number in range(700):
            (folder / f"{number}.pyc").touch()
    summary = grade(course)
    assert sorted(summary.graded) == sorted(SCORES)
    assert (course.folder("autograded", "ada") / "z.csv").exists()
    told = summary.flags.get("ada", [""])[0]
    assert kind in ("unreadable", "many compiled", "long") or "not" in told


def shown_and_exported(course, tmp_path):
    """{student: (total on the screen, score in the CSV, score in the gradebook after the penalty)}"""
    found = results(course)
    export(course, found, tmp_path / "all.csv")
    with open(tmp_path / "all.csv", newline="") as file:
        exported = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    with course.open_gradebook() as gradebook:
        kept = {
            one.student_id: max(0.0, one.score - sum(n.late_submission_penalty or 0 for n in one.notebooks))
            for one in gradebook.assignment_submissions(LESSON)
        }
    return {one.student: (one.total, exported[one.student], kept[one.student]) for one in found}


def alike(course, tmp_path):
    told = shown_and_exported(course, tmp_path)
    assert all(len(set(three)) == 1 for three in told.values()), told
    return {student: three[0] for student, three in told.items()}


def test_a_changed_due_date_reaches_what_is_not_graded_again(course, tmp_path):
    course.root.joinpath("nbgrader_config.py").open("a").write(
        '\nc.LateSubmissionPlugin.penalty_method = "zero"\n'
    )
    course = Course(course.root, LESSON)
    hand_in(course, "ada", answered(FULL), "2026-03-01 12:00:00 UTC")
    grade(course)
    assert alike(course, tmp_path)["ada"] == 29
    set_due(course, "2026-02-01 12:00:00")
    assert grade(course).unchanged == sorted(SCORES)
    assert alike(course, tmp_path)["ada"] == 0
    set_due(course, "2026-04-01 12:00:00")
    grade(course)
    assert alike(course, tmp_path)["ada"] == 29
    shutil.rmtree(course.folder("submitted", "ada"))
    set_due(course, "2026-02-01 12:00:00")
    grade(course, "bao")  # all points are shown and exported, also of those whom no run looks at
    assert alike(course, tmp_path)["ada"] == 0


LATE, IN_TIME = "2026-03-02 12:00:00 UTC", "2026-02-01 12:00:00 UTC"


@pytest.fixture
def strict(course):
    """Late work gets nothing."""
    config = course.root.joinpath("nbgrader_config.py")
    with config.open("a") as file:
        file.write('\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    set_due(course, "2026-03-01 12:00:00")
    return Course(course.root, LESSON)


@pytest.mark.parametrize("text", ["", "yesterday"])
def test_a_stamp_that_is_gone_or_unreadable_is_in_time_in_the_gradebook_too(strict, tmp_path, text):
    stamp = hand_in(strict, "ada", answered(FULL), LATE).parent / "timestamp.txt"
    grade(strict)
    assert alike(strict, tmp_path)["ada"] == 0
    stamp.write_text(text) if text else stamp.unlink()
    summary = grade(strict)
    assert bool(text) == (NO_TIME in summary.repairs.get("ada", ()))
    assert alike(strict, tmp_path)["ada"] == 29


def test_points_of_an_earlier_submission_keep_its_time(strict, tmp_path):
    hand_in(strict, "ada", answered(FULL), IN_TIME)
    hand_in(strict, "new", b"{", LATE)
    grade(strict)
    hand_in(strict, "ada", b"{", LATE)
    grade(strict)
    with strict.open_gradebook() as gradebook:
        times = {one.student_id: str(one.timestamp) for one in gradebook.assignment_submissions(LESSON)}
    assert IN_TIME.startswith(times["ada"]) and LATE.startswith(times["new"])
    assert alike(strict, tmp_path)["ada"] == 29
    set_due(strict, "2026-01-01 12:00:00")
    grade(strict)
    assert alike(strict, tmp_path)["ada"] == 0


def test_points_stay_where_a_folder_was_removed(course, tmp_path):
    hand_in(course, "new", b"{")
    grade(course)
    for student in ("ada", "new"):
        shutil.rmtree(course.folder("submitted", student))
    grade(course)
    assert alike(course, tmp_path)["ada"] == 29
    notes = {one.student: one.notes for one in results(course)}
    assert notes["ada"] == [GONE] and "new" not in notes
    course.directory.student_id_exclude = "ada"
    assert "ada" not in [one.student for one in results(course)]
    export(course, results(course), tmp_path / "all.csv")
    assert "ada" not in (tmp_path / "all.csv").read_text()


def test_a_course_folder_may_have_brackets_in_its_name(course, tmp_path):
    grade(course)
    assert grade(copy_of(course, tmp_path / "class [2026]")).unchanged == sorted(SCORES)


def test_points_of_another_assignment_do_not_count(course, tmp_path):
    grade(course)
    with course.open_gradebook() as gradebook:  # a notebook may have the same name there
        gradebook.add_assignment("resit")
        gradebook.add_notebook(LESSON, "resit")
        gradebook.add_grade_cell("check_causal_mask", LESSON, "resit", max_score=3, cell_type="code")
        for student in ("ada", "zoe"):
            gradebook.update_or_create_student(student)
            gradebook.add_submission("resit", student)
            gradebook.find_grade("check_causal_mask", LESSON, "resit", student).auto_score = 2
        gradebook.db.commit()
    assert alike(course, tmp_path) == points_of(course)


def test_a_broken_second_submission_says_the_same_everywhere(course, tmp_path):
    grade(course)
    hand_in(course, "ada", b"{")
    hand_in(course, "new", b"{")
    grade(course)
    points = alike(course, tmp_path)
    assert (points["ada"], points["new"]) == (29, 0)
    (ada,) = (one for one in results(course) if one.student == "ada")
    assert EARLIER in ada.notes
    assert next(one for one in results(course) if one.student == "new").notes == [NOT_GRADED]


def test_points_by_hand_ask_for_another_look_after_a_new_submission(course, tmp_path):
    hand_in(course, "ada", answered(FULL, essay="because"))
    grade(course)
    with course.open_gradebook() as gradebook:
        grade_of = gradebook.find_grade("mask_keys_not_queries", LESSON, LESSON, "ada")
        grade_of.manual_score, grade_of.needs_manual_grade = 3, False
        gradebook.db.commit()
    assert not any("look again" in note for one in results(course) for note in one.notes)
    hand_in(course, "ada", answered(FULL, essay="because of something else"))
    grade(course)
    (ada,) = (one for one in results(course) if one.student == "ada")
    assert LOOK_AGAIN.format("mask_keys_not_queries") in ada.notes
    alike(course, tmp_path)


@pytest.mark.parametrize(("spoil", "told"), [(strip, "lost its nbgrader metadata"), (reverse, RESTORED)])
def test_what_a_tool_does_to_a_notebook_costs_nothing(course, spoil, told):
    notebook = answered({})
    for cell in notebook.cells:  # an answer is known by the name that it defines
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name in FULL:
            cell.source = f"def {name}():\n    pass\n# earns {FULL[name]}"
    spoil(notebook)
    hand_in(course, "eve", notebook)
    summary = grade(course)
    assert any(told in sentence for sentence in summary.repairs["eve"])
    assert points_of(course)["eve"] == 29


@pytest.mark.parametrize("own", [True, False])
def test_a_written_answer_that_lost_its_metadata_waits_for_a_person(course, own):
    essay = "mask_keys_not_queries"
    notebook = answered(FULL, essay="because")
    for cell in notebook.cells:
        if cell.metadata.get("question") == essay:
            cell.metadata = {"question": essay} if own else {}
    hand_in(course, "eve", notebook)
    grade(course)
    (eve,) = (one for one in results(course) if one.student == "eve")
    assert eve.total == 29 and eve.points[essay] is None
    graded = nbformat.read(course.autograded("eve"), as_version=4)
    (cell,) = (one for one in graded.cells if one.metadata.get("nbgrader", {}).get("grade_id") == essay)
    assert cell.source == ("because" if own else NEARBY)


def test_counts_and_outputs_of_any_kind_are_read(course):
    text = nbformat.writes(answered(FULL)).replace('"execution_count": null', '"execution_count": "seven"')
    hand_in(course, "eve", text.encode())
    assert "eve" in grade(course).graded
