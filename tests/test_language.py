"""What checks say in another language: looked up where it is shown, in a made-up language of one word."""

import json
import re
import sys

import pytest
import torch

from course_lib import exercises, language, plots
from course_lib.authoring.build import ROOT, lessons
from course_lib.authoring.translation.library import library_catalogs, numbered, units_of_library
from course_lib.authoring.translation.units import TEMPLATE
from course_lib.checks import score
from course_lib.checks.expected import Expected
from course_lib.checks.hints import next_hint
from course_lib.checks.judgement import judge
from course_lib.checks.observation import observe
from course_lib.checks.progress import Record
from course_lib.corpus import hold_out, read_pairs
from course_lib.language import (
    Phrasebook,
    Template,
    language_of,
    phrasebook,
    say,
    say_heading,
    speaking,
    widened,
)
from course_lib.plots import diagrams

ENGLISH = re.compile(r"[A-Za-z]{2,}(?:['-][a-z]+)?")


def foreign(text: str) -> str:
    """Every word outside of `code` is 字."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(piece if piece.startswith("`") else ENGLISH.sub("字", piece) for piece in pieces)


@pytest.fixture(scope="module")
def book() -> Phrasebook:
    texts, templates = {}, []
    for name in library_catalogs(ROOT):
        for unit in units_of_library(name, ROOT):
            if unit.kind == TEMPLATE:
                english, said = numbered(unit.english, unit.english)
                pieces = [piece if place % 2 else foreign(piece) for place, piece in enumerate(said)]
                templates.append(Template(english, pieces))
            else:
                texts[unit.english] = foreign(unit.english)
    return Phrasebook(texts, templates)


@pytest.fixture
def foreigner(book, monkeypatch):
    monkeypatch.setattr(language, "languages", lambda: {"xx"})
    monkeypatch.setattr(language, "phrasebook", lambda name, of: book)
    monkeypatch.setenv(language.VARIABLE, "xx")


@pytest.mark.slow
@pytest.mark.parametrize("lesson", [path.stem for path in lessons()])
def test_what_a_check_says_of_listed_mistakes_is_translated(lesson, foreigner):
    course = exercises.load(lesson)
    for exercise in course.exercises.values():
        chosen = exercise.mistakes[len(exercise.mistakes) // 2]
        found = [course.score(exercise.name, chosen.implementation, trial=True)]
        named = [(str(one), verdict) for one in found for verdict in one.report.judgement.verdicts]
        named = [(shown, verdict) for shown, verdict in named if verdict.mistake and not verdict.part.hidden]
        assert named
        for shown, verdict in named:
            assert foreign(verdict.mistake.advice) in shown and verdict.mistake.advice not in shown
            assert widened(foreign(verdict.part.name)) in shown


def english_in(shown: str) -> list[str]:
    """Two words or more of English, outside of code, of what Python and PyTorch say, and of quoted data."""
    prose = re.sub(r"`[^`]*`|\"[^\"]*\"|'[^']*'|\([^()]*[_=][^()]*\)", "`", ERROR_TEXT.sub("", shown))
    return [words for words in ENGLISH_WORDS.findall(prose) if words.lower() not in STAYS_ENGLISH]


ERROR_TEXT = re.compile(
    r"\b[A-Z]\w*(?:Error|Exception): .*|（PyTorch 的原话.*|\b(?:sin|cos) [ab]\b|\b[ab] (?:sin|cos)\b"
)
# Letters alone ("b c e f") are data.
ENGLISH_WORDS = re.compile(
    r"(?<![A-Za-z])(?!(?:[A-Za-z] )+[A-Za-z]\b)[A-Za-z][A-Za-z'-]*(?: [A-Za-z][A-Za-z'-]*)+"
)
STAYS_ENGLISH = {"cho et al", "hugging face", "leaky relu"}
NAMES = [path.stem for path in lessons()]
QUICK = ("00_start_here", "04_positional_encoding")
LESSONS = [pytest.param(stem, marks=() if stem in QUICK else pytest.mark.slow) for stem in NAMES]


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_english_is_left_in_what_a_check_says(lesson, monkeypatch):
    """Of one listed mistake in thirty, and of what is no answer: in the language that the course has."""
    monkeypatch.setenv(language.VARIABLE, next(iter(language.languages())))
    no_answers = (lambda: 3, lambda *given, **named: None, lambda *given, **named: "text", 7)
    left = {}
    for number, exercise in enumerate(exercises.load(lesson).exercises.values()):
        expected = Expected(exercise, 0)
        chosen = [mistake.implementation for mistake in exercise.mistakes[::30]]
        for answer in [*chosen, *no_answers[number % 2 :: 2]]:
            report = score.Report(exercise, judge(expected, observe(expected.task, answer)), 0, False)
            example = report.judgement.example
            code = example.cell.splitlines() if example else []
            lines = [line for line in score.as_text(report).splitlines() if line.strip() not in code]
            left |= {line.strip(): found for line in lines if (found := english_in(line))}
    assert left == {}


def test_english_that_is_left_is_found():
    assert english_in("  检查：the angle is the position，`a b c`") == ["the angle is the position"]
    assert english_in("你的代码报错：TypeError: bad operand type for unary") == []


def test_a_text_is_read_so_that_most_of_it_is_known():
    book = Phrasebook(
        {"Did you forget `return`?": "是不是忘了 `return`？", "a tensor": "一个张量", "9 points": "9 分"},
        [
            Template(["It returned ", 0, "; expected ", 1, "."], ["返回的是", 0, "，应为", 1, "。"]),
            Template(["`", 0, "` is ", 1, ".", 2, ""], ["`", 0, "` 是 ", 1, "。", 2, ""]),
            Template(["", 0, " of ", 1, ""], ["", 0, "/", 1, ""]),
        ],
    )
    text = "It returned None; expected a tensor. Did you forget `return`?"
    assert book.say(text) == "返回的是 None，应为一个张量。是不是忘了 `return`？"
    assert book.say("`mask` is torch.bool.") == "`mask` 是 torch.bool。"
    assert book.say("`3 of 9 points` is 1.") == "`3 of 9 points` 是 1。"
    error = "TypeError: unsupported operand type(s) for @: 1 of 9 points"
    assert book.say(error) == error
    assert book.say(f"It returned {error}; expected a tensor.") == f"返回的是 {error}，应为一个张量。"
    assert book.say("3 of 9 points") == "3/9 分"
    assert book.say("The size of tensor a (5) must match") == "The size of tensor a (5) must match"
    assert book.say("`a (it is b)` is 3.") == "`a (it is b)` 是 3。"
    assert book.say("It returned (a list; expected b); expected a tensor.") == (
        "返回的是(a list; expected b)，应为一个张量。"
    )
    assert book.say("`9 points` is 3.") == "`9 分` 是 3。"
    assert book.say("It returned `9 points`; expected `3`.") == "返回的是 `9 分`，应为 `3`。"
    assert book.say("It returned -1.5; expected a tensor.") == "返回的是 -1.5，应为一个张量。"
    assert book.say("It returned [0, 1]; expected a tensor.") == "返回的是 [0, 1]，应为一个张量。"
    assert book.say("`x` (float64, a tensor, (2, 3))") == "`x`（float64，一个张量，(2, 3)）"
    placed = "KeyError: 4 (a tensor)"
    assert book.say(placed) == "KeyError: 4（一个张量）"
    assert book.say(f"{placed}. Did you forget `return`?") == "KeyError: 4（一个张量）。是不是忘了 `return`？"
    assert book.say("  Unknown.\n\nDid you forget `return`?") == "  Unknown.\n\n是不是忘了 `return`？"


def test_a_learners_long_text_is_read_in_few_steps(monkeypatch):
    steps, whole = [], Phrasebook._whole
    monkeypatch.setattr(Phrasebook, "_whole", lambda *one: steps.append(one) or whole(*one))
    book = Phrasebook({}, [Template(["`", *(x for i in range(6) for x in (i, "` a `")), 6, "`."], ["", 0])])
    for text in ("; ".join(["` a `" * 60] * 6), "; ".join("x" * 400), "x; " * 5000):
        assert book.say(text) == text
    assert len(steps) < 1000


def test_a_value_is_not_cut_into_clauses(monkeypatch):
    steps, whole = [], Phrasebook._whole
    monkeypatch.setattr(Phrasebook, "_whole", lambda *one: steps.append(one) or whole(*one))
    counts = {(97 + i, 98): [i, i + 1] for i in range(12)}
    with speaking("zh_CN"):
        told = say(f"`counts` (six words) is {counts}, expected {counts}.")
    assert f"是 {counts}，应为 {counts}。" in told and len(steps) < 1000


def test_a_hint_is_translated(foreigner):
    exercise = exercises.load("02_attention").exercises["causal_mask"]
    panel = next_hint(exercise, Record())
    assert not ENGLISH.findall(panel.text) and "字" in panel.markup


def test_the_language_is_the_notebooks_unless_a_grader_speaks_another(monkeypatch):
    locale = next(iter(language.languages()))
    content = json.loads((language.FOLDER / f"{locale}.json").read_text(encoding="utf-8"))
    known = next(iter(content["checks"]["texts"]))
    assert say(known) == known
    monkeypatch.setenv(language.VARIABLE, locale)
    assert say(known) != known
    with speaking("en"):
        assert say(known) == known
    monkeypatch.setenv(language.VARIABLE, "../zh_CN")
    assert say(known) == known


def test_marks_of_a_line_that_code_puts_together_are_wide_beside_hanzi():
    line = "  ✗ 有错: 和为 1 (0/2 分); logits (0/1 分); exp(分数), x / (1 - p) (1 分)"
    assert widened(line) == "  ✗ 有错：和为 1（0/2 分）；logits（0/1 分）；exp(分数), x / (1 - p)（1 分）"
    assert widened("✗ softmax: 有错, 6/7 分") == "✗ softmax：有错，6/7 分"
    english = "✗ wrong: logits (0 of 1 point); x (1 of 2 points)"
    assert widened(english) == english


def test_a_checklist_in_chinese_has_wide_marks():
    course = exercises.load("02_attention")
    mistake = next(iter(course.exercises["causal_mask"].mistakes))
    report = course.score("causal_mask", mistake.implementation, trial=True).report
    with speaking("zh_CN"):
        for shown in (score.as_text(report), re.sub(r"<[^>]*>", "", score.as_html(report))):
            assert "✗ causal_mask：有错，" in shown and re.search(r"✗ 有错：\S+（0/1 分）", shown)


def test_a_setup_cell_names_the_language():
    for folder, wanted in (("notebooks", "en"), ("zh/notebooks", "zh_CN"), ("zh/solutions", "zh_CN")):
        notebook = ROOT / folder / "02_attention" / "02_attention.ipynb"
        assert language_of(_cells(notebook)) == wanted
    assert language_of([]) == "en"


def _cells(path):
    import nbformat

    return nbformat.read(path, as_version=4).cells


def test_points_and_what_is_stored_know_no_language(foreigner):
    course = exercises.load("02_attention")
    mistake = next(iter(course.exercises["causal_mask"].mistakes))
    found = course.score("causal_mask", mistake.implementation, trial=True)
    shown = score.as_html(found.report)
    assert "字" in shown
    with speaking("en"):
        assert "字" not in score.as_html(found.report)
    assert "字" not in json.dumps(found.report.data(), ensure_ascii=False)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the grader needs Linux")
def test_what_the_grader_says_of_a_part_is_translated():
    from course_lib.grading.sandbox.judge import WITHHELD

    with speaking("zh_CN"):
        assert not ENGLISH.search(say(WITHHELD))
        told = say("A result cannot be read: RuntimeError: no numbers")
    assert told == "有一个结果读不出来：RuntimeError: no numbers"


def test_a_progress_bar_and_a_file_that_is_no_corpus_speak_it(tmp_path):
    with speaking("zh_CN"):
        assert say_heading("step 150, loss 2.305") == "第 150 步，损失 2.305"
        assert say_heading("loss 2.31") == "损失 2.31"
        (tmp_path / "pairs.tsv").write_text("\n", encoding="utf-8")
        with pytest.raises(
            ValueError, match="里没有句对；每行应为 'english TAB chinese'，而且每边最多 5 个词"
        ):
            read_pairs(tmp_path / "pairs.tsv", max_words=5)
        with pytest.raises(ValueError, match="留不出 9 对：至少要 18 对"):
            hold_out([], 9)


def test_figures_speak_it_and_leave_words_of_sentences_alone(foreigner):
    words = ["step", "loss"]  # as labels of other figures they are translated
    ax = plots.attention_map(torch.eye(2), words, words)
    shown = plots.show(ax)._repr_mimebundle_()
    assert ax.get_xlabel() == "字 (字 字)"
    assert [tick.get_text() for tick in ax.get_xticklabels()] == words
    assert shown["text/plain"].startswith("字 字 字 2 字 字 2 字。")
    assert f'alt="{shown["text/plain"]}"' in shown["text/html"]
    runs = plots.runs({"a": [[3.0, 2.0]]}, "loss")
    plots.show(runs)
    assert (runs.get_xlabel(), runs.get_ylabel()) == ("字", "字")


def test_an_english_sentence_after_one_that_is_said_already_is_translated():
    """The alt text of a figure joins those of its axes, and the first may be Chinese by then."""
    step = "Step 2: after <bos> 我 it looks most at a (0.56) and writes 是 (probability 0.88)."
    book = phrasebook("zh_CN", "figures")
    assert not ENGLISH.search(book.say(step).replace("<bos>", ""))
    assert book.say(f"第 1 步。 {step}") == f"第 1 步。{book.say(step)}"


def test_diagrams_are_laid_out_in_it(foreigner):
    sheet = diagrams.padded_batch([["step", "loss"], ["step"]], torch.tensor([[4, 5], [4, 0]]))
    texts = [text for text, _ in sheet.texts]
    assert {"字 字 字 字 字", "(2, 2), 字 字 字 0", "step", "loss"} <= set(texts)
    assert sheet.faults() == []
    assert not re.search("sentences|become|padding", sheet.picture()._repr_mimebundle_()["text/plain"])
