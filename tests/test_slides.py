"""Slides hold what their lesson holds, need no network, and set every formula of the course."""

import base64
import re
from io import BytesIO

import jupytext
import pytest
from fontTools.ttLib import TTFont

from course_lib.authoring.build import ROOT, lessons
from course_lib.authoring.slides import ROWS, Slide, _add_text, inline, page, slides_of
from course_lib.command import main
from course_lib.plots.formula import formula

BY_NAME = {path.stem: path for path in lessons()}
LESSON = BY_NAME["00_start_here"]
CELLS = jupytext.read(LESSON).cells
TEXT = [cell.source for cell in CELLS if cell.cell_type == "markdown" and "question" not in cell.metadata]


@pytest.fixture(scope="module")
def slides():
    return slides_of(LESSON)


def plain(text):
    return re.sub(r"<[^>]+>", "", text)


def test_headings_and_exercises_come_in_the_order_of_the_lesson(slides):
    headings = [heading for source in TEXT for heading in re.findall(r"^#+ (.+)$", source, re.M)]
    shown = [plain(slide.heading) for slide in slides]
    assert list(dict.fromkeys(shown)) == headings
    exercises = [plain(line) for slide in slides for line in slide.lines if 'class="exercise"' in line]
    assert exercises == ["Exercise 1 · easy · 5 minutes", "Exercise 2 · easy · 7 minutes"]


def test_a_question_is_on_the_slide_and_what_a_run_shows_on_a_later_one(slides):
    asked = next(i for i, slide in enumerate(slides) if "By what factor is it too small?" in str(slide.lines))
    told = next(
        i for i, slide in enumerate(slides) if "Every number of the plain mean is 3/7" in str(slide.lines)
    )
    assert asked < told


def test_each_diagram_is_on_a_slide_with_its_text_for_screen_readers(slides):
    drawn = sum(cell.source.count(".picture()") for cell in CELLS if cell.cell_type == "code")
    images = [line for slide in slides for line in slide.lines if line.startswith("<img")]
    assert len(images) == drawn + 1  # README's picture
    assert all(re.search(r'alt="[^"]{20,}"', image) and "base64," in image for image in images)


def test_no_slide_is_empty_or_too_full(slides):
    assert all(slide.lines for slide in slides)
    assert all(slide.rows <= ROWS or len(slide.lines) == 1 for slide in slides)


def test_a_page_loads_nothing(slides):
    text = page(LESSON.stem, slides)
    assert text.count("<section>") == len(slides)
    assert not re.search(r'(?:src|href)="(?!data:)|@import|url\((?!"data:)', text)


def test_a_page_carries_the_chinese_letters_of_its_text():
    text = page(LESSON.stem, [Slide("A", ["<p>冬奥会 and games</p>"])])
    (font,) = re.findall(r"data:font/woff;base64,([\w+/=]+)", text)
    letters = TTFont(BytesIO(base64.b64decode(font))).getBestCmap()
    assert {chr(code) for code in letters} == set("冬奥会")


@pytest.mark.parametrize("lesson", BY_NAME)
def test_every_formula_of_a_lesson_can_be_set(lesson):
    cells = jupytext.read(BY_NAME[lesson]).cells
    texts = [re.sub(r"`[^`]+`", "", cell.source) for cell in cells if cell.cell_type == "markdown"]
    found = [tex for text in texts for tex in re.findall(r"\$\$(.+?)\$\$", text, re.S)]
    found += [tex for text in texts for tex in re.findall(r"(?<!\$)\$([^$\n]+)\$(?!\$)", text)]
    assert all(" d=" in formula(tex) for tex in found)


@pytest.mark.parametrize(
    ("text", "shown", "asks"),
    [
        (
            "Look at this:\n\n- What is\n  it? Say why.\n- A remark. More of it.\n- And *that*?",
            ["Look at this:", "What is it?", "A remark.", "And that?"],
            True,
        ),
        ("One. Two. Three:\n\n| a |\n|---|\n| b |", ["One.", "Three:", "ab"], False),
        ("Run this:", ["Run this."], False),
        ("One. Two. It is $x = 2$. $y$ is more.", ["One.", "It is ."], False),
        ("One. Two. Guess the size.", ["One.", "Guess the size."], True),
        ("One. Two. Before you run the cell, guess.", ["One.", "Before you run the cell, guess."], True),
        (
            "We ran it (`tests/bench/a.py`). 97 % is right. Two.",
            ["We ran it (tests/bench/a.py).", "97 % is right."],
            False,
        ),
    ],
)
def test_of_a_text_the_first_sentences_are_shown_the_questions_and_what_they_need(text, shown, asks):
    made = []
    _add_text(made, f"## A\n\n{text}")
    lines = [line for slide in made for line in slide.lines]
    assert [plain(re.sub("<svg.*?</svg>", "", line, flags=re.S)) for line in lines] == shown
    assert any(slide.asks for slide in made) is asks


def test_a_question_is_not_parted_from_what_leads_to_it():
    made = []
    filler = "\n\n".join(f"Sentence number {i} is here." for i in range(6))
    _add_text(made, f"## A\n\n{filler}\n\nIt has four axes. Which four?")
    assert [plain(line) for line in made[-1].lines] == ["It has four axes.", "Which four?"]


def test_a_wide_table_is_set_smaller():
    made = []
    _add_text(
        made, f"## A\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n| a | b |\n|---|---|\n| {'x' * 40} | {'y' * 40} |"
    )
    assert ["long" in line for slide in made for line in slide.lines] == [False, True]


def test_an_exercise_is_not_parted_from_its_task():
    made = []
    filler = "\n\n".join(f"Sentence number {i} is here." for i in range(7))
    _add_text(made, f"## A\n\n{filler}\n\n**Exercise 1** · easy · 5 minutes. Write it.")
    assert len(made) == 2
    assert [plain(line) for line in made[1].lines] == ["Exercise 1 · easy · 5 minutes", "Write it."]


def test_tex_that_cannot_be_set_is_an_error():
    with pytest.raises(ValueError, match="nosuch"):
        formula(r"\nosuch{x}")


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("a **bold** and *one* `x < y`", "a <b>bold</b> and <i>one</i> <code>x &lt; y</code>"),
        ("a [link](https://example.org)", "a link"),
        ("2 < 3 & 4", "2 &lt; 3 &amp; 4"),
    ],
)
def test_markdown_becomes_html(markdown, shown):
    assert inline(markdown) == shown


def test_the_command_writes_a_page(tmp_path, capsys):
    assert main(["slides", LESSON.stem, "--to", str(tmp_path / "made")]) == 0
    assert f"slides: {tmp_path / 'made' / LESSON.stem}.html" in capsys.readouterr().out
    assert [path.name for path in (tmp_path / "made").iterdir()] == [f"{LESSON.stem}.html"]
    with pytest.raises(SystemExit, match="2"):
        main(["slides", "99_nowhere"])
    assert not (ROOT / "slides" / "99_nowhere.html").exists()
