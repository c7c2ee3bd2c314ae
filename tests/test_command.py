"""The command `course`: help, bad usage and exit codes of all subcommands, and what they leave alone."""

import argparse
import os
import pkgutil
import re
import subprocess
import sys
import tomllib

import pytest
from fontTools.ttLib import TTCollection, TTFont

from course_lib import __version__
from course_lib.authoring import build, fonts
from course_lib.authoring.build import ROOT
from course_lib.command import SUBCOMMANDS, main, parse
from course_lib.grading import demo_class
from course_lib.plots.fonts import PATH

TEXTS = [ROOT / "README.md", ROOT / "Makefile", *sorted((ROOT / "docs").glob("*.*"))]
TEXTS = [path for path in TEXTS if path.is_file()]


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """An empty folder to work in, and a wide terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "999")
    return tmp_path


def exit_code(*arguments):
    """What the shell would see."""
    try:
        return main(arguments)
    except SystemExit as error:
        return error.code


@pytest.mark.parametrize("name", SUBCOMMANDS)
@pytest.mark.parametrize("asked", ["--help", "-h"])
def test_help_says_what_it_does_with_an_example_and_exit_codes_and_writes_nothing(name, asked, place, capsys):
    assert exit_code(name, asked) == 0
    shown, errors = capsys.readouterr()
    assert re.search(rf"^usage: course {name} .*\n\n[A-Z].*\.$", shown, re.MULTILINE) and not errors
    example = re.search(r"^Example: course (.*)$", shown, re.MULTILINE)[1]
    assert parse(example.split()).subcommand == name
    assert re.search(r"^Exit code: 0 .*; 2 ", shown, re.MULTILINE)
    assert not any(place.iterdir())


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_each_option_says_what_it_is_for(name):
    parser = argparse.ArgumentParser()
    SUBCOMMANDS[name].add_options(parser)
    assert all(action.help for action in parser._actions)


def test_help_lists_all_subcommands(capsys):
    assert exit_code("--help") == 0
    shown = capsys.readouterr().out
    assert re.findall(r"^    ([a-z-]+)\s+[A-Z].*\.$", shown, re.MULTILINE) == list(SUBCOMMANDS)


def test_version(capsys):
    assert exit_code("--version") == 0
    assert capsys.readouterr().out == f"course {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "",
            "course: error: expected a command, one of build, collect, grade, similar, report, mistake, ",
        ),
        (
            "--nothing",
            "check-submission, corpus, program, slides, site, translate, adopt, release, fonts; got",
        ),
        ("bild", "course: error: argument COMMAND: invalid choice: 'bild' (choose from"),
        (
            "build 99_nowhere 02_attention",
            "course build: error: no lesson 99_nowhere; there are 00_start_here, ",
        ),
        ("build --chek", "course build: error: unrecognized arguments: --chek"),
        ("grade", "course grade: error: the following arguments are required: LESSON"),
        ("grade 02_attention --fast", "course grade: error: unrecognized arguments: --fast"),
        (
            "grade 02_attention --workers 0",
            "argument --workers: expected a whole number of 1 or more, got '0'",
        ),
        (
            "grade 02_attention --workers two",
            "argument --workers: expected a whole number of 1 or more, got 'two'",
        ),
        ("grade 02_attention --isolation some", "argument --isolation: invalid choice: 'some' (choose from"),
        ("demo one two", "course demo: error: unrecognized arguments: two"),
        ("demo --folder", "course demo: error: unrecognized arguments: --folder"),
        ("check-submission", "course check-submission: error: the following arguments are required: FILE"),
        ("check-submission no.ipynb", "course check-submission: error: there is no file no.ipynb in /"),
        ("corpus all", "course corpus: error: argument N: expected a whole number of 1 or more, got 'all'"),
        ("corpus 0", "argument N: expected a whole number of 1 or more, got '0'"),
        ("corpus --seed x", "course corpus: error: argument --seed: invalid int value: 'x'"),
        ("translate", "course translate: error: the following arguments are required: action"),
        ("translate all", "argument action: invalid choice: 'all' (choose from"),
        ("translate extract", "extract, and only extract, takes a language"),
        ("translate extract Klingon", "no language Klingon; write it like zh_CN, or fr"),
        ("translate check zh_CN", "extract, and only extract, takes a language"),
        (
            "translate extract zh_CN 99_nowhere",
            "translate: error: no lesson 99_nowhere; there are 00_",
        ),
        ("fonts", "course fonts: error: the following arguments are required: COLLECTION"),
        ("fonts no.ttc", "course fonts: error: expected a font collection (.ttc), got no.ttc: "),
    ],
)
def test_bad_usage_is_said_and_exits_with_2(arguments, message, place, capsys):
    assert exit_code(*arguments.split()) == 2
    shown, errors = capsys.readouterr()
    assert message in errors and errors.startswith("usage: course ") and not shown
    assert not any(place.iterdir())


def test_grading_where_no_course_is(capsys):
    assert exit_code("grade", "02_attention") == 2
    assert "no nbgrader_config.py in /" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["build", "demo"])
def test_what_needs_a_clone_says_so(name, monkeypatch, capsys, place):
    monkeypatch.setattr(build, "ROOT", place)
    monkeypatch.setattr(build, "lessons", lambda: [])
    assert exit_code(name) == 2
    assert f"there are no lessons in {place}/solutions: it works in a clone" in capsys.readouterr().err


def test_a_lesson_that_breaks_a_rule(monkeypatch, place, capsys):
    path = place / "02_attention.py"
    path.write_text("import torch\n# %%\n")
    monkeypatch.setattr(build, "lessons", lambda: [path])
    assert exit_code("build") == 1
    assert capsys.readouterr().err.startswith("02_attention.py:1: text before the first cell")


@pytest.fixture
def ungraded(monkeypatch):
    """A demo class is made, but not graded, which takes a minute."""
    graded = []
    monkeypatch.setattr(demo_class, "grade", graded.append)
    monkeypatch.setattr(demo_class, "results", lambda course: [])
    return graded


def test_a_demo_class_is_made_and_made_anew(ungraded, place, capsys):
    assert exit_code("demo") == 0
    left = place / "demo_class" / "gradebook.db"
    left.touch()
    assert exit_code("demo", "demo_class") == 0
    assert ungraded == [place / "demo_class"] * 2
    assert not left.exists() and (place / "demo_class/submitted/ada/02_attention/02_attention.ipynb").exists()
    assert f"The course is in {place / 'demo_class'}." in capsys.readouterr().out


def test_an_empty_folder_may_become_a_demo_class(ungraded, place):
    (place / "empty").mkdir()
    assert exit_code("demo", "empty") == 0


@pytest.mark.parametrize("folder", ["demo_class", "demo_class/thesis.txt", ".", "link"])
def test_a_demo_class_takes_nobody_elses_place(folder, ungraded, place, capsys):
    thesis = place / "demo_class" / "thesis.txt"
    thesis.parent.mkdir()
    thesis.write_text("years of work")
    (place / "link").symlink_to("demo_class")
    before = sorted(place.rglob("*"))
    assert exit_code("demo", folder) == 2
    assert "`course demo` did not make it: give a new folder. Nothing was changed." in capsys.readouterr().err
    assert sorted(place.rglob("*")) == before and thesis.read_text() == "years of work" and not ungraded


def test_what_is_no_submission_exits_with_2(place, capsys):
    (place / "text.ipynb").write_text("hello")
    assert exit_code("check-submission", "text.ipynb") == 2
    assert "error: text.ipynb is not a notebook: JSONDecodeError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("errors", "code", "verdict"),
    [
        ([], 0, "✓ can be handed in, but 1 is empty: 00_start_here"),
        (["Too slow."], 1, "✗ 1 to correct before you hand in, but 1 is empty: 00_"),
    ],
)
def test_a_submission(errors, code, verdict, monkeypatch, capsys):
    monkeypatch.setattr("course_lib.submission._run", lambda *_: {"errors": errors, "points": {}})
    path = ROOT / "notebooks" / "00_start_here" / "00_start_here.ipynb"
    assert exit_code("check-submission", str(path)) == code
    assert capsys.readouterr().out.startswith(verdict)


def test_sentence_pairs(capsys):
    printed = []
    for arguments in (["3"], ["3"], ["3", "--seed", "1"], []):
        assert exit_code("corpus", *arguments) == 0
        printed.append(capsys.readouterr().out.splitlines())
    assert list(map(len, printed)) == [3, 3, 3, 20]
    assert printed[0] == printed[1] == printed[3][:3] != printed[2]
    assert all(" -> " in line for line in printed[3])


def test_the_font_comes_from_its_own_collection(place, monkeypatch, capsys):
    """Here from the subset itself, under the name of the whole, and cut to a few characters."""
    assert TTFont(PATH).getBestCmap().keys() >= set(map(ord, fonts.gb2312(range(16, 56))))
    monkeypatch.setattr(fonts, "PATH", place / "made.otf")
    monkeypatch.setattr(fonts, "characters", lambda: "a中")
    collection = TTCollection()
    collection.fonts = [TTFont(PATH)]
    collection.save("other.ttc")
    assert exit_code("fonts", "other.ttc") == 2
    assert "other.ttc has no 'Noto Sans CJK SC'; it has 'Noto Sans SC'" in capsys.readouterr().err
    collection.fonts[0]["name"].setName(fonts.SOURCE_FAMILY, 4, 3, 1, 0x409)
    collection.save("right.ttc")
    assert exit_code("fonts", "right.ttc") == 0
    made = TTFont("made.otf")
    assert made.getBestCmap().keys() == set(map(ord, "a中"))
    assert made["name"].getDebugName(4) == "Noto Sans SC"


def test_control_c(monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("course_lib.corpus.draw_pairs", stop)
    assert exit_code("corpus") == 130


def test_a_reader_that_has_had_enough(monkeypatch):
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as pipe:
        monkeypatch.setattr(sys, "stdout", pipe)
        assert exit_code("corpus", "3") == 0


WITHOUT_LAB = """
import sys
from course_lib.command import SUBCOMMANDS, main
for name in ("", *SUBCOMMANDS):
    try:
        main([name, "--help"] if name else ["--help"])
    except SystemExit as error:
        assert error.code == 0
heavy = {"torch", "numpy", "matplotlib", "nbgrader", "nbformat", "fontTools"}
print("loaded:", sorted(heavy & sys.modules.keys()))
sys.modules |= dict.fromkeys(("jupytext", "nbgrader"))
for arguments in ("build", "grade 02_attention", "demo", "corpus 1"):
    print(arguments, "->", main(arguments.split()))
"""


def test_without_the_extras_help_works_and_the_rest_says_what_to_install():
    """As on Colab. Nor does help load what it does not need."""
    command = [sys.executable, "-c", WITHOUT_LAB]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "\nloaded: []\n" in done.stdout
    codes = dict(re.findall(r"^(.+) -> (\d)$", done.stdout, re.MULTILINE))
    assert codes == {
        "build": "2",
        "grade 02_attention": "2",
        "demo": "2",
        "corpus 1": "0",
    }
    install = "which is not installed: in the course's folder run pip install -c constraints.txt -e"
    assert done.stderr.splitlines() == [
        f"course build needs jupytext, {install} '.[lab]'",
        f"course grade needs nbgrader, {install} '.[lab]'",
        f"course demo needs jupytext, {install} '.[lab]'",
    ]


def test_it_is_installed_as_course_and_runs_as_a_module():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert pkgutil.resolve_name(project["scripts"]["course"]) is main
    command = [sys.executable, "-m", "course_lib"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.startswith("usage: course ")


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_texts_name_commands_as_they_are(path):
    """Makefile, README and docs: each `course ...` in them is one that it takes."""
    text = path.read_text(encoding="utf-8")
    assert "-m course_lib." not in text
    commands = re.findall(r"(?:`|^ +|\$\(BIN\)/)course +([^`\n]*)", text, re.MULTILINE)
    for command in commands:
        command = re.sub(r"\$\(ARGS\)", "", command).split("#")[0].replace('"', "")
        name, *rest = command.split()
        assert parse([name, *rest]).subcommand == name if rest else name in {*SUBCOMMANDS, "--help"}
    assert commands or path.name not in ("README.md", "Makefile", "large_classes.md")
