"""`course grade`: what an instructor sees, and the pages and tables beside the gradebook."""

import csv
import html
import json
import os
import re

import pytest
from filelock import FileLock
from grading_paper import FULL, LESSON, PAPER, answered, hand_in, make_course

from course_lib import exercises, plots
from course_lib.authoring.build import lessons
from course_lib.checks.score import LONGEST, MIME
from course_lib.command import main as course_command
from course_lib.grading import feedback, grade, html_page
from course_lib.grading.class_report import NOT_RUN, READ, summarize, write_report
from course_lib.grading.export import export
from course_lib.grading.item_analysis import HIDDEN, parts, questions
from course_lib.grading.nbgrader.course import CourseError
from course_lib.grading.nbgrader.folders import Folders
from course_lib.grading.results import EARLIER, UNLISTED, SubmissionResult, _add_diagnoses, results, table
from course_lib.language import HANZI, VARIABLE, say, speaking

pytestmark = pytest.mark.xdist_group("paper")
FORGETS = "scaled_dot_product_attention"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = make_course(tmp_path_factory.mktemp("command") / "course", {"ada": FULL, "=bao": {}})
    hand_in(course, "chen", answered(FULL | {FORGETS: "7 # forgets"}, essay="0/0"))
    hand_in(course, "<dora>", b"{")
    return course


@pytest.fixture
def main(course, monkeypatch):
    monkeypatch.chdir(course.root)
    monkeypatch.setattr(grade, "STOCK", PAPER)
    return lambda *arguments: course_command(["grade", *arguments, "--stock", "--workers", "1"])


def test_a_run_with_all_that_can_be_asked_for(course, main, capsys):
    assert main(LESSON, "--csv", "all.csv", "--report", "report", "--feedback") == 1
    shown = capsys.readouterr().out
    assert "isolation: paper active" in shown
    assert re.search(
        r"chen +7/7 +6/6 +7/9 +4/4 +3/3 +by hand +27 +scaled_dot_product_attention: no_scale", shown
    )
    assert "3 graded, 0 unchanged, 1 not gradable" in shown
    assert "not gradable: <dora>: not a notebook, or cut off" in shown
    _check_csv(course)
    _check_report(course)
    page = (course.folder("feedback", "chen") / f"{LESSON}.html").read_text()
    assert "27.0 / 32.0" in page or "27.0/32.0" in page
    assert not course.folder("feedback", "<dora>").exists()


def _check_csv(course):
    with open(course.root / "all.csv", newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert rows.keys() == {"ada", "'=bao", "chen", "<dora>"}
    assert (rows["chen"][FORGETS], rows["chen"]["score"], rows["chen"]["max_score"]) == (
        "7.0",
        "27.0",
        "32.0",
    )
    assert rows["chen"]["to_grade_by_hand"] == "mask_keys_not_queries"
    assert rows["<dora>"]["notes"].startswith("not graded: not a notebook")


def _check_report(course):
    page = (course.root / "report" / f"{LESSON}.html").read_text()
    assert "<td>no_scale</td><td>Your scores are not divided by √d_k" in page
    assert "<td>1</td><td>chen</td>" in page
    assert "&lt;dora&gt;" in page and "<dora>" not in page
    assert re.search(r'<img alt="02_attention: mistakes of the class, by exercise: [^"]* 1 of 4 sub', page)


def test_mistakes_are_counted_by_exercise(course, main):
    main(LESSON)
    summaries = {one.exercise: one for one in summarize(LESSON, results(course))}
    assert [(one.key, one.students) for one in summaries[FORGETS].mistakes] == [("no_scale", ["chen"])]
    assert summaries[FORGETS].statuses == {"right": 1, "not attempted": 1, "wrong": 1}
    assert summaries["causal_mask"].mistakes == []


@pytest.mark.parametrize("lesson", [path.stem for path in lessons()])
def test_the_report_gives_each_mistake_its_own_advice(lesson):
    """As if each mistake of the lesson had been made by one student, whose name says which it was."""
    tables = exercises.load(lesson).exercises
    made = [
        SubmissionResult(f"{name} {mistake.key}", {}, {}, mistakes={name: [mistake.key]})
        for name, exercise in tables.items()
        for mistake in exercise.mistakes
    ]
    rows = {one.exercise: one.mistakes for one in summarize(lesson, made)}
    for name, exercise in tables.items():
        assert [(row.key, row.advice, row.students) for row in rows[name]] == [
            (mistake.key, mistake.advice, [f"{name} {mistake.key}"]) for mistake in exercise.mistakes
        ]


def test_slips_without_a_name_are_counted_by_what_the_check_says(course, tmp_path):
    none, shape = "It returned None; expected a tensor: mask.", "Your code raised $X^$: <b>"
    told = {"a": shape, "b": none, "c": none, "d": ""}
    made = [
        SubmissionResult(student, {}, {}, mistakes={"causal_mask": [UNLISTED]}, unnamed={"causal_mask": text})
        for student, text in told.items()
        if text
    ]
    made.append(SubmissionResult("d", {}, {}, mistakes={"causal_mask": [UNLISTED]}))
    made.append(SubmissionResult("e", {}, {}, mistakes={"causal_mask": ["not_in_the_table"]}))
    (rows,) = [one.mistakes for one in summarize(LESSON, made) if one.exercise == "causal_mask"]
    assert [(row.key, row.advice, row.students) for row in rows] == [
        (UNLISTED, none, ["b", "c"]),
        (UNLISTED, READ, ["d", "e"]),
        (UNLISTED, shape, ["a"]),
    ]
    assert made[1].told() == [f"causal_mask: {none}"]
    assert made[3].told() == [f"causal_mask: {UNLISTED}"]
    assert f"causal_mask: {none}" in table(made)
    page = write_report(tmp_path, LESSON, made * 2).read_text()
    assert "<td>Your code raised $X^$: &lt;b&gt;</td>" in page and "<b>" not in page
    export(course, made, tmp_path / "all.csv")
    with open(tmp_path / "all.csv", newline="") as file:
        assert {row["student_id"]: row["mistakes"] for row in csv.DictReader(file)}[
            "b"
        ] == f"causal_mask: {none}"


def class_of(rights, question="mask_keys_not_queries"):
    """A student for each row of marks, in the order of all parts: 1 right, 0 wrong, - not attempted."""
    names = [(name, part) for name, one in exercises.load(LESSON).exercises.items() for part in named(one)]
    marks = {"1": "right", "0": "wrong", "-": "not attempted"}
    made = []
    for number, row in enumerate(rights):
        found = SubmissionResult(
            f"student {number}", {question: number % 4 / 2 if number else None}, {question: 3.0}
        )
        for (name, part), mark in zip(names, row, strict=True):
            found.parts.setdefault(name, {})[part] = marks[mark]
        made.append(found)
    return names, made


def named(exercise):
    return [*(part.name for part in exercise.parts), "sizes that you have not seen"]


def test_a_part_is_as_hard_as_the_class_found_it():
    names, _ = class_of([])
    count = len(names)
    strong, weak = "1" * (count - 1), "0" * (count - 1)
    _, made = class_of(["1" + strong] * 6 + ["0" + weak] * 6 + ["-" + strong] * 3)
    first, *others, last = parts(LESSON, made)
    assert (first.exercise, first.part) == names[0]
    assert (first.right, first.wrong, first.not_attempted) == (6, 6, 3)
    assert first.discrimination == pytest.approx(1)
    assert (last.exercise, last.part, last.right, last.wrong) == ("causal_mask", HIDDEN, 9, 6)
    assert len(others) == count - 2


def test_a_part_that_strong_students_fail_has_a_negative_discrimination():
    rest = len(class_of([])[0]) - 1
    _, made = class_of(["0" + "1" * rest] * 5 + ["1" + "0" * rest] * 5)
    assert parts(LESSON, made)[0].discrimination == pytest.approx(-1)
    assert parts(LESSON, made[:9])[0].discrimination is None, "too few"
    _, made = class_of(["1" + "1" * rest] * 5 + ["1" + "0" * rest] * 5)
    assert parts(LESSON, made)[0].discrimination is None, "all are right"


def test_the_report_shows_parts_and_written_answers(tmp_path):
    rest = len(class_of([])[0]) - 1
    _, made = class_of(["0" + "1" * rest] * 6 + ["1" + "0" * rest] * 6)
    page = write_report(tmp_path, LESSON, made).read_text()
    assert "<td>50%</td><td>6</td><td>6</td><td>0</td><td>-1.00</td>" in page
    (question,) = questions(LESSON, made)
    assert (question.points, question.to_grade) == ({0.5: 3, 1.0: 3, 1.5: 3, 0.0: 2}, 1)
    assert "<td>3</td><td>0: 2, 0.5: 3, 1: 3, 1.5: 3</td><td>0.8</td><td>1</td>" in page


NOTES = (
    f"{EARLIER}: not a notebook: its JSON is nested too deeply",
    "cell check_padding_mask was missing: restored",
    "cell 3 starts processes: `os.system`",
    "cell 3 cannot be audited: too many lines with magics or shell commands",
    "cell 9 ended the process (signal 9)",
    "check_causal_mask: the check showed no points",
    "causal_mask: graded again after a person had graded it: look again",
)


def test_the_report_speaks_the_instructors_language(tmp_path, monkeypatch):
    length = len(class_of([])[0])
    _, made = class_of(["0" * length, "1" * length])
    made[0].mistakes = {"padding_mask": [UNLISTED], "additive_attention": [UNLISTED]}
    made[0].mistakes["causal_mask"] = ["upper"]
    made[0].unnamed = {"padding_mask": "It returned None; expected a tensor: mask."}
    made[0].statuses = {"causal_mask": "wrong", "padding_mask": "error"}
    made[0].notes = list(NOTES)
    monkeypatch.setenv(VARIABLE, "zh_CN")
    with speaking("en"):
        english = write_report(tmp_path, LESSON, made).read_text(encoding="utf-8")
    chinese = write_report(tmp_path, LESSON, made).read_text(encoding="utf-8")
    assert "<html lang='en'>" in english and not HANZI.search(english)
    assert "<html lang='zh-CN'>" in chinese
    shown = re.sub("<(style|code)>.*?</\\1>", "", chinese, flags=re.DOTALL)
    texts = re.findall(r">([^<]+)<|alt=\"([^\"]*)\"", shown)
    assert [text for pair in texts for text in pair if re.search("[A-Za-z]{3,} [a-z]{2,}", text)] == []
    mistakes = exercises.load(LESSON).exercises["causal_mask"].mistakes
    (advice,) = (mistake.advice for mistake in mistakes if mistake.key == "upper")
    with speaking("zh_CN"):
        assert f"<td>upper</td><td>{html.escape(say(advice))}</td>" in chinese


NO_NAME = "NameError: name 'causal_mask' is not defined"


@pytest.mark.parametrize(
    ("cell", "check", "told", "key"),
    [
        (
            "SyntaxError: invalid syntax (<ipython-input-7-25>, line 3)",
            NO_NAME,
            ["SyntaxError: invalid syntax, line 3"],
            "SyntaxError",
        ),
        ("", NO_NAME, [NO_NAME], "NameError"),
        ("KeyError: 'a'", "NameError: name 'b' is not defined", 2, "KeyError"),
        ("$x$: not a name", "", ["$x$: not a name"], "error"),
    ],
)
def test_code_that_did_not_run_is_told_once_and_counted(tmp_path, cell, check, told, key):
    cells = []
    for grade_id, error in (("causal_mask", cell), ("check_causal_mask", check)):
        name, _, value = error.partition(": ")
        outputs = [{"output_type": "error", "ename": name, "evalue": value}] if error else []
        metadata = {"nbgrader": {"grade_id": grade_id}}
        cells.append({"cell_type": "code", "metadata": metadata, "outputs": outputs})
    path = tmp_path / "failed.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}}))
    result = SubmissionResult("zoe", {}, {})
    _add_diagnoses(result, path)
    told = [cell, check] if told == 2 else told
    assert result.notes == [f"causal_mask: {text}" for text in told]
    (row,) = {one.exercise: one.mistakes for one in summarize(LESSON, [result])}["causal_mask"]
    assert (row.key, row.advice, row.students) == (key, NOT_RUN, ["zoe"])
    shown = [one for one in parts(LESSON, [result]) if one.exercise == "causal_mask"]
    assert {(one.right, one.wrong, one.not_attempted) for one in shown} == {(0, 1, 0)}
    assert NOT_RUN in write_report(tmp_path, LESSON, [result]).read_text(encoding="utf-8")


def _end(*_):
    os._exit(1)


def test_a_process_that_ends_while_it_makes_feedback_is_told(main, capsys, monkeypatch):
    monkeypatch.setattr(feedback, "_convert", _end)
    assert main(LESSON, "--feedback") == 2
    assert feedback.ENDED in capsys.readouterr().err


@pytest.mark.parametrize("forged", [[], {"a part": ["right"]}, {"a part": None}, "right"])
def test_forged_parts_do_not_stop_a_report(tmp_path, forged):
    data = {"status": ["wrong"], "parts": forged}
    output = {"output_type": "execute_result", "data": {MIME: data}}
    keys = {"nbgrader": {"grade_id": "check_causal_mask"}}
    path = tmp_path / "forged.ipynb"
    cell = {"cell_type": "code", "metadata": keys, "outputs": [output]}
    path.write_text(json.dumps({"cells": [cell], "metadata": {}}))
    result = SubmissionResult("zoe", {}, {})
    _add_diagnoses(result, path)
    assert result.statuses == {"causal_mask": "error"}
    assert result.parts["causal_mask"] == {}
    assert write_report(tmp_path, LESSON, [result]).exists()


def test_a_sentence_of_a_forged_output_is_cut(course, tmp_path):
    data = {"status": "wrong", "unnamed": "long " * 99}
    output = {"output_type": "execute_result", "data": {MIME: data}}
    cell = {
        "cell_type": "code",
        "metadata": {"nbgrader": {"grade_id": "check_causal_mask"}},
        "outputs": [output],
    }
    path = tmp_path / "forged.ipynb"
    path.write_text(json.dumps({"cells": [cell], "metadata": {}}))
    result = SubmissionResult("zoe", {}, {})
    _add_diagnoses(result, path)
    assert len(result.unnamed["causal_mask"]) == LONGEST


def test_only_the_named_students(main, capsys):
    main(LESSON)
    capsys.readouterr()
    assert main(LESSON, "--student", "ada", "--force") == 0
    shown = capsys.readouterr().out
    assert "1 graded, 0 unchanged" in shown and "chen" not in shown


@pytest.mark.parametrize("name", ["gradebook.db", f"solutions/{LESSON}/{LESSON}.ipynb", "own.csv"])
def test_no_table_is_written_over_another_file(course, main, capsys, name):
    (course.root / "own.csv").write_text("Student,ID\n")
    before = (course.root / name).read_bytes()
    assert main(LESSON, "--csv", name) == 2
    error = capsys.readouterr().err
    assert f"{name} is not written over: expected a file of this command" in error
    assert (course.root / name).read_bytes() == before


def test_no_page_is_written_over_another_file(course, main, capsys):
    pages = course.root / "pages"
    pages.mkdir()
    (pages / f"{LESSON}.html").write_text("<html>mine")
    assert main(LESSON, "--report", "pages") == 2
    assert "found b'<html>mine'" in capsys.readouterr().err
    with pytest.raises(CourseError, match="is not written over: expected a file of this command"):
        html_page.write(pages, f"{LESSON}.html", html_page.page("a", "b"))
    assert (pages / f"{LESSON}.html").read_text() == "<html>mine"
    html_page.write(pages, "own.html", html_page.page("a", "b"))
    assert html_page.write(pages, "own.html", html_page.page("a", "c")).read_text().count("c</body>") == 1


def test_a_table_may_be_written_again_and_to_what_is_no_file(course, main):
    (course.root / "empty.csv").touch()
    for name in ("empty.csv", "empty.csv", os.devnull):
        assert main(LESSON, "--csv", name) == 1
    assert (course.root / "empty.csv").read_text().startswith("student_id,last_name")


def test_exit_codes(course, main, capsys, monkeypatch):
    assert main("12_x") == 2
    assert "there are 02_attention" in capsys.readouterr().err
    assert main(LESSON, "--isolation", "required") == 2
    assert "a stock kernel has no isolation" in capsys.readouterr().err
    with FileLock(Folders(course).lock):
        assert main(LESSON) == 3
    monkeypatch.setattr(grade, "run", _stopped)
    assert main(LESSON) == 130


def _stopped(*_):
    raise KeyboardInterrupt


def test_without_fork_it_is_said_what_is_lost(main, capsys, monkeypatch):
    monkeypatch.setattr(grade.sys, "platform", "darwin")
    main(LESSON)
    assert capsys.readouterr().out.startswith("No isolation on this system: learners' code runs")


def test_a_long_label_is_cut_between_words_or_hanzi():
    labels = ["one: " + "a few words " * 9, "two: " + "一句没有空格的话" * 9, "three: short"]
    ax = plots.mistake_bars({"f": [(label, 1) for label in labels]}, 3)
    one, two, three = (text.get_text() for text in ax.get_yticklabels())
    assert one == "one: " + "a few words " * 4 + "a …"
    assert two == "two: " + ("一句没有空格的话" * 9)[:25] + " …" and three == labels[2]


def test_bars_of_mistakes():
    ax = plots.mistake_bars({"f: 1 of 3 right": [("A1: so", 2)], "g: 3 of 3 right": []}, 3, title="class")
    assert plots.show(ax).alt == (
        "class, by exercise: f: 1 of 3 right; g: 3 of 3 right. "
        "The most frequent, in 2 of 3 submissions, in f: A1: so"
    )
    with pytest.raises(ValueError, match="at least one exercise"):
        plots.mistake_bars({}, 3)
