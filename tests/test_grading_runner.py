"""The runner: the gradebook and files of stock autograde, whatever comes in and whenever it is killed."""

import multiprocessing
import os
import signal

import nbformat
import paper_grader
import pytest
from filelock import FileLock
from grading_paper import (
    FULL,
    LESSON,
    PAPER,
    SCORES,
    answered,
    copy_of,
    hand_in,
    make_course,
    points_of,
    rows,
    set_due,
    stock_autograde,
)

from course_lib.checks.lesson import HIDDEN
from course_lib.checks.score import MIME
from course_lib.grading import runner, workers
from course_lib.grading.nbgrader import folders
from course_lib.grading.nbgrader.course import Course, CourseError
from course_lib.grading.nbgrader.folders import Folders
from course_lib.grading.nbgrader.gradebook import Records
from course_lib.grading.results import results
from course_lib.grading.runner import BusyError, run
from course_lib.grading.workers import WorkerError, _attempt, graded

pytestmark = pytest.mark.xdist_group("paper")


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return make_course(tmp_path_factory.mktemp("paper") / "course")


@pytest.fixture
def course(template, tmp_path):
    return copy_of(template, tmp_path / "course")


def here(bundle, jobs):
    """Executor in this process: quick, for what is not about workers."""
    for student, submission in jobs:
        yield student, _attempt(bundle, submission)


def grade(course, *students, executor=here, **options):
    return run(course, course.bundle(grader=PAPER), students, executor=executor, **options)


def files(course, step="autograded"):
    """Path, mode and size of what lies in a folder; notebooks differ in our record of the run."""
    top = course.root / step
    return sorted(
        (str(path.relative_to(top)), oct(path.stat().st_mode))
        for path in top.rglob("*")
        if path.is_file() and ".grading" not in path.parts
    )


def alike(ours: Course, stock: Course) -> None:
    assert rows(ours) == rows(stock)
    assert files(ours) == files(stock)


def test_the_paper_grader_shows_points_as_checks_do():
    assert paper_grader.MIME == MIME


def test_the_gradebook_equals_stock(course, tmp_path):
    stock = copy_of(course, tmp_path / "stock")
    stock_autograde(stock)
    summary = grade(course)
    alike(course, stock)
    assert points_of(course) == {name: sum(points.values()) for name, points in SCORES.items()}
    assert sorted(summary.graded) == sorted(SCORES) and not summary.failures


def test_the_gradebook_equals_stock_with_workers(course, tmp_path):
    stock = copy_of(course, tmp_path / "stock")
    stock_autograde(stock)
    layers = []
    grade(course, executor=lambda bundle, jobs: graded(bundle, jobs, 2, layers.append))
    alike(course, stock)
    assert layers == [{"paper": "active"}]


def test_late_penalties_timestamps_and_essays_equal_stock(course, tmp_path):
    set_due(course, "2026-03-01 12:00:00")
    course.root.joinpath("nbgrader_config.py").open("a").write(
        '\nc.LateSubmissionPlugin.penalty_method = "zero"\n'
    )
    course = Course(course.root, LESSON)
    hand_in(course, "late", answered(FULL, essay="0/0"), "2026-03-01 12:00:01 UTC")
    hand_in(course, "early", answered(FULL), "2026-03-01 13:00:00+02:00")
    hand_in(course, "empty", answered({}), "2026-03-02 00:00:00")
    stock = copy_of(course, tmp_path / "stock")
    stock_autograde(stock)
    grade(course)
    alike(course, stock)
    found = {result.student: result for result in results(course)}
    assert (found["late"].penalty, found["early"].penalty) == (29, 0)


def test_work_of_people_survives_a_regrade_as_in_stock(course, tmp_path):
    hand_in(course, "essay", answered(FULL, essay="0/0"), "2026-03-01 12:00:01 UTC")
    grade(course)
    with course.open_gradebook() as gradebook:
        find = ("mask_keys_not_queries", LESSON, LESSON, "essay")
        gradebook.find_grade(*find).manual_score = 2
        gradebook.find_grade(*find).needs_manual_grade = False
        gradebook.find_comment(*find).manual_comment = "nearly"
        gradebook.find_grade("check_causal_mask", LESSON, LESSON, "bao").extra_credit = 0.5
        gradebook.find_grade("check_padding_mask", LESSON, LESSON, "chen").manual_score = 3
        gradebook.db.commit()
    hand_in(course, "chen", answered({"padding_mask": 1}))
    stock = copy_of(course, tmp_path / "stock")
    stock_autograde(stock, force=True)
    grade(course, force=True)
    assert rows(course) == rows(stock)
    assert points_of(course) | {"essay": 31, "bao": 28, "chen": 3} == points_of(course)


def test_only_what_changed_is_graded_again(course):
    grade(course)
    assert grade(course).unchanged == sorted(SCORES)
    hand_in(course, "chen", answered({"padding_mask": 4}))
    hand_in(course, "dora", answered(SCORES["dora"]), "2026-03-01 12:00:01 UTC")
    assert grade(course).graded == ["chen", "dora"]
    assert grade(course, "ada", force=True).graded == ["ada"]
    hidden = course.root / "solutions" / f"{LESSON}_hidden.py"
    hidden.write_text(hidden.read_text() + "\n# a mended part\n")
    assert grade(course).graded == sorted(SCORES)


def test_what_the_gradebook_has_lost_is_graded_again(course):
    grade(course)
    with course.open_gradebook() as gradebook:
        gradebook.remove_submission(LESSON, "bao")
    assert grade(course).graded == ["bao"]


def test_broken_submissions_stop_nobody(course, tmp_path):
    good = nbformat.writes(answered(FULL)).encode()
    hand_in(course, "cut", good[:5000])
    hand_in(course, "pipe", good)
    os.remove(course.folder("submitted", "pipe") / f"{LESSON}.ipynb")
    os.mkfifo(course.folder("submitted", "pipe") / f"{LESSON}.ipynb")
    hand_in(course, "raises", answered({"padding_mask": "1 # raises"}))
    course.folder("submitted", "nothing").mkdir(parents=True)
    hand_in(course, "renamed", good, name=f"Copy of {LESSON}")
    hand_in(course, "renamed", b"Mac OS X", name=f"._Copy of {LESSON}")
    hand_in(course, "two", good, name="a")
    hand_in(course, "two", good, name="b")
    os.truncate(hand_in(course, "large", good), 65 << 20)
    summary = grade(course)
    assert points_of(course)["renamed"] == 29
    assert summary.repairs["renamed"] == [
        f"the notebook was named Copy of {LESSON}.ipynb: read as {LESSON}.ipynb"
    ]
    assert sorted(summary.graded) == sorted([*SCORES, "renamed"])
    assert summary.failures["cut"].startswith("not a notebook, or cut off")
    assert summary.failures["pipe"] == f"{LESSON}.ipynb is not a regular file"
    assert summary.failures["raises"] == "the grader failed on it: KeyError: 'a bug of the grader'"
    assert summary.failures["large"] == f"{LESSON}.ipynb is too large: 65 MB, at most 64 are read"
    assert summary.failures["nothing"] == f"expected {LESSON}.ipynb, found no notebook"
    assert summary.failures["two"] == f"expected {LESSON}.ipynb, found a.ipynb, b.ipynb"
    assert points_of(course)["ada"] == 29


def test_a_broken_submission_keeps_its_old_grades_but_no_notebook(course, tmp_path):
    """As stock: the gradebook remembers, formgrader shows nothing."""
    grade(course)
    hand_in(course, "ada", b"{")
    stock = copy_of(course, tmp_path / "stock")
    stock_autograde(stock, force=True)
    grade(course)
    alike(course, stock)
    assert points_of(course)["ada"] == 29 and not course.autograded("ada").exists()


def test_of_many_names_beside_the_notebook_few_are_looked_at(course, monkeypatch):
    monkeypatch.setattr(folders, "MOST_ENTRIES", 20)
    top = course.folder("submitted", "ada")
    for place in range(15):
        (top / f"more{place:02}").mkdir()
        for name in "abcd":
            (top / f"more{place:02}" / name).symlink_to("nowhere")
    (flags,) = grade(course).flags.values()
    assert len(flags) <= 20 and flags[0].startswith("more")


def test_files_beside_the_notebook_are_copied_but_links_are_not(course, tmp_path):
    folder = course.folder("submitted", "ada")
    (folder / "data").mkdir()
    (folder / "data" / "words.txt").write_text("mine")
    (folder / "script.py").write_text("print()")
    (folder / "script.py").chmod(0o755)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "script.pyc").write_text("")
    (course.root / "solutions" / LESSON / "script.py").write_text("the course's own")
    stock = copy_of(course, tmp_path / "stock")
    stock_autograde(stock)
    (folder / "leak.py").symlink_to(course.root / "solutions" / f"{LESSON}_hidden.py")
    summary = grade(course)
    alike(course, stock)
    assert summary.flags == {"ada": ["leak.py is not a regular file, so it was not copied"]}
    assert (course.folder("autograded", "ada") / "script.py").read_text() == "the course's own"


def test_points_that_no_check_can_give_are_refused_and_flagged(course):
    for student, points in {"much": "1e9", "negative": "-1", "nan": "nan", "word": "full"}.items():
        hand_in(course, student, answered({"padding_mask": points, "causal_mask": 3}))
    summary = grade(course)
    for student in ("much", "negative", "nan", "word"):
        assert points_of(course)[student] == 3
        assert "expected 0 to 4 points" in summary.flags[student][0]


def test_a_worker_that_dies_is_replaced(course, tmp_path):
    hand_in(course, "once", answered({"padding_mask": f"4 # dies once {tmp_path / 'died'}"}))
    hand_in(course, "always", answered({"padding_mask": "4 # dies"}))
    summary = grade(course, executor=lambda bundle, jobs: graded(bundle, jobs, 2))
    assert summary.failures == {"always": "the worker that graded it died, 2 times"}
    assert points_of(course) == {
        **{name: sum(points.values()) for name, points in SCORES.items()},
        **{"once": 4, "always": 0},
    }


def test_a_grader_that_fails_once_grades_all_the_same(course, tmp_path):
    hand_in(course, "once", answered({"padding_mask": f"4 # raises once {tmp_path / 'raised'}"}))
    summary = grade(course, executor=lambda bundle, jobs: graded(bundle, jobs, 1))
    assert (tmp_path / "raised").exists() and not summary.failures
    assert points_of(course)["once"] == 4


def test_a_worker_that_computes_without_end_is_replaced(course, monkeypatch):
    monkeypatch.setattr(workers, "MOST_SECONDS", 1.0)
    monkeypatch.setattr(workers, "LOOK", 0.2)
    hand_in(course, "endless", answered({"padding_mask": "4 # never ends"}))
    summary = grade(course, executor=lambda bundle, jobs: graded(bundle, jobs, 1))
    assert summary.failures == {"endless": workers.TOO_LONG}
    assert points_of(course)["ada"] == sum(SCORES["ada"].values())


def test_a_grader_that_cannot_start_is_the_instructors_business(course):
    bundle = course.bundle(
        grader="course_lib.grading.nbgrader.kernel_grader.KernelGrader", isolation="required"
    )
    with pytest.raises(WorkerError, match="isolation is required"):
        run(course, bundle)
    assert points_of(course) == {}


def test_a_second_run_at_the_same_time_stops(course):
    with FileLock(Folders(course).lock), pytest.raises(BusyError, match="another run is grading"):
        grade(course)
    assert grade(course).graded == sorted(SCORES)


def test_errors_of_the_instructor_have_one_sentence(course, tmp_path):
    with pytest.raises(CourseError, match="no nbgrader_config"):
        Course(tmp_path, LESSON)
    with pytest.raises(CourseError, match=r"no lesson '12_x' in .*; there are 02_attention"):
        Course(course.root, "12_x").bundle()
    with pytest.raises(CourseError, match="no submission of 02_attention by zoe, yan"):
        grade(course, "ada", "zoe", "yan")
    with course.open_gradebook() as gradebook:
        gradebook.find_grade_cell("check_padding_mask", LESSON, LESSON).max_score = 40
        gradebook.db.commit()
    with pytest.raises(CourseError, match="run `nbgrader generate_assignment 02_attention --force`"):
        course.bundle()
    (course.root / "solutions" / f"{LESSON}_hidden.py").unlink()
    with pytest.raises(CourseError, match="no hidden parts of 02_attention: expected them in"):
        course.bundle()


def test_an_instructors_own_hidden_parts_are_graded_with_and_never_replaced(course, tmp_path, monkeypatch):
    monkeypatch.setenv(HIDDEN, str(tmp_path / "private"))
    with pytest.raises(CourseError, match=r"expected them in .*private.*`course hidden 02_attention` writes"):
        course.bundle()
    public = (course.root / "solutions" / f"{LESSON}_hidden.py").read_text()
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / f"{LESSON}_hidden.py").write_text(public.replace("have not seen", "cannot know"))
    assert "cannot know" in course.bundle().hidden
    assert grade(course).graded == sorted(SCORES)
    monkeypatch.delenv(HIDDEN)
    assert "cannot know" not in course.bundle().hidden
    assert grade(course).graded == sorted(SCORES), "graded with other parts before"


def killed(root, owner, name, when, count):
    """A process that is killed before or after the count-th call of owner.name."""
    original, calls = getattr(owner, name), []

    def deadly(*arguments):
        calls.append(arguments)
        if len(calls) == count and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = original(*arguments)
        if len(calls) == count:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    runner.BATCH_SIZE = 2
    setattr(owner, name, deadly)
    grade(Course(root, LESSON))


POINTS = [
    (Records, "students", "after", 1),
    (Folders, "stage", "before", 1),
    (Folders, "stage", "after", 3),
    (Records, "save", "before", 1),
    (Records, "_write", "after", 2),  # written, not committed
    (Records, "save", "after", 1),
    (Folders, "remove", "after", 3),  # the old folder is gone, the new one not yet there
    (Folders, "publish", "after", 1),
    (Folders, "publish", "after", 4),
]


@pytest.mark.parametrize("again", [False, True], ids=["first", "regrade"])
@pytest.mark.parametrize("point", POINTS, ids=lambda point: "-".join(map(str, point[1:])))
def test_killed_and_run_again_is_as_if_undisturbed(course, tmp_path, point, again):
    if again:
        grade(course)
        for student in SCORES:
            hand_in(course, student, answered({"padding_mask": 2}), "2026-03-01 12:00:01 UTC")
    undisturbed = copy_of(course, tmp_path / "undisturbed")
    grade(undisturbed)
    process = multiprocessing.get_context("fork").Process(target=killed, args=(course.root, *point))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    grade(course)
    alike(course, undisturbed)
    assert list((course.root / "autograded" / ".grading").glob("scratch/*")) == []
    assert grade(course).unchanged == sorted(SCORES)
