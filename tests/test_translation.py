"""Editions in other languages: another text of the same lesson, and never an old translation."""

import ast
import os
import re
import shutil
import sys

import nbformat
import pytest

from course_lib.authoring import build
from course_lib.authoring.build import ROOT, lessons
from course_lib.authoring.translation import catalogs, status
from course_lib.authoring.translation.code_cells import rewrite_code
from course_lib.authoring.translation.editions import editions, editions_of
from course_lib.authoring.translation.lints import problems, raw_stars
from course_lib.authoring.translation.pages import pages, units_of_page
from course_lib.authoring.translation.shown_strings import code_of, shown
from course_lib.authoring.translation.text_cells import rewrite_text
from course_lib.authoring.translation.units import PARAGRAPH, STRING, TEMPLATE, Unit, collect, language
from course_lib.authoring.translation.wrapping import columns, wrapped
from course_lib.checks.notebook import STUB
from course_lib.language import say, speaking

NAMES = [path.stem for path in lessons()]
PSEUDO = "eo"  # the language of the tests: English in brackets, a language that the course does not have
FOLDERS = ("notebooks", "solutions")
LEFT_OUT = re.compile(
    r"⟦.*?⟧|```.*?```|\$\$.*?\$\$|<!--.*?-->|`[^`]*`|\$[^$]*\$", re.DOTALL
)  # code, formulas


def pseudo(english):
    """Same length of words, so that columns of tables stay; spaces at the ends stay too."""
    return english.replace(english.strip(), f"⟦{english.strip()}⟧")


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    """A course whose every lesson is translated into the pseudo-language, as `course` does it."""
    root = tmp_path_factory.mktemp("course")
    shutil.copytree(ROOT / "solutions", root / "solutions")
    shutil.copy(ROOT / "nbgrader_config.py", root)
    status.extract(PSEUDO, NAMES, root)
    for name in catalogs.names(root, PSEUDO):
        translate(root, name, pseudo)
    return root


def translate(root, name, say):
    catalog = catalogs.load(root, PSEUDO, name)
    for message in catalog:
        if message.id:
            message.string = say(message.id)
    catalogs.path_of(root, PSEUDO, name).write_text(catalogs.written(catalog), encoding="utf-8")


def english(name, root=ROOT):
    return build.build_lesson(root / "solutions" / f"{name}.py", root)


def pairs(root, locale, name):
    """English and translated notebooks of learners and of instructors."""
    built = english(name, root)
    made = editions(built, root)
    for path, text in built.items():
        other = nbformat.reads(made[root / language(locale) / path.relative_to(root)], as_version=4)
        ours = nbformat.reads(text, as_version=4)
        if "solutions" in path.parts:  # the instructor's, whose English has no setup cell
            assert [cell.id for cell in other.cells].index("setup") == 1
            del other.cells[1]
        yield ours, other


def without_words(source):
    """The syntax tree without docstrings and shown strings; of an f-string its code."""
    tree = ast.parse(source.replace("%pip", "pass #"))
    replaced = {id(node) for node in shown(tree)}

    class Strip(ast.NodeTransformer):
        def visit_JoinedStr(self, node):
            return ast.List([ast.Constant(code) for code in code_of(node)])

        def visit_Constant(self, node):
            return ast.Constant("") if id(node) in replaced or isinstance(node.value, str) else node

    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body[0].value = ast.Constant("")
    return ast.dump(Strip().visit(tree))


def assert_same_lesson(ours, theirs):
    assert ours.metadata == theirs.metadata
    for mine, other in zip(ours.cells, theirs.cells, strict=True):
        assert (mine.id, mine.cell_type, mine.metadata) == (other.id, other.cell_type, other.metadata)
        if mine.cell_type == "code":
            assert without_words(mine.source) == without_words(other.source)
        if mine.metadata.get("nbgrader", {}).get("locked"):
            assert mine.source == other.source


CATALOGS = [(locale, name) for locale in catalogs.locales(ROOT) for name in catalogs.names(ROOT, locale)]
EDITIONS = [(locale, name) for locale, name in CATALOGS if name in NAMES]
# Their code is the English notebooks', so that two are run by default: `make browser-test` runs all of them.
EVERYTHING = os.environ.get("COURSE_BROWSER") == "all"
RUN = [pair for pair in EDITIONS if EVERYTHING or pair[1] in ("00_start_here", "04_positional_encoding")]


@pytest.mark.parametrize(("locale", "name"), EDITIONS)
def test_an_edition_is_the_same_lesson_to_every_machine(locale, name):
    for ours, theirs in pairs(ROOT, locale, name):
        assert_same_lesson(ours, theirs)


@pytest.mark.parametrize("name", NAMES)
def test_every_lesson_can_be_translated(foreign, name):
    """Another language than those that the course has, so that none is written into the code."""
    for ours, theirs in pairs(foreign, PSEUDO, name):
        assert_same_lesson(ours, theirs)
        changed = [mine.id for mine, other in zip(ours.cells, theirs.cells, strict=True) if mine != other]
        assert len(changed) > len(ours.cells) / 2
        for cell in theirs.cells:
            if cell.cell_type == "markdown" and cell.source != STUB:
                assert re.findall(r"[A-Za-z]{3,}", LEFT_OUT.sub("", cell.source)) == [], cell.source


def test_what_is_translated_is_counted(foreign, capsys):
    assert status.status(root=foreign) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(NAMES) + 1 and all("100 %, 0 missing, 0 fuzzy" in line for line in lines)
    assert status.check(foreign) == 0


@pytest.fixture
def changed(foreign, tmp_path):
    """A copy of the translated course, with a function that changes English of lesson 00."""
    root = tmp_path / "course"
    shutil.copytree(foreign, root)

    def change(old, new):
        path = root / "solutions" / "00_start_here.py"
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")
        return root

    return change


def test_a_changed_paragraph_is_shown_in_english_and_fails_the_check(changed, capsys):
    root = changed("Every number of the plain mean is 3/7", "Each number of the plain mean is 3/7")
    ((_, learners),) = [
        pair for pair in pairs(root, PSEUDO, "00_start_here") if pair[0].cells[1].id == "setup"
    ]
    shown_now = [cell.source for cell in learners.cells if "plain mean is 3/7" in cell.source]
    assert shown_now == [
        "Each number of the plain mean is 3/7 of the true one, because it is divided by 7 instead of 3."
    ]
    assert status.check(root) == 1
    assert "'Each number of the plain mean" in capsys.readouterr().err
    status.extract(PSEUDO, root=root)
    assert "98 %, 0 missing, 1 fuzzy" in capsys.readouterr().out
    assert status.check(root) == 1
    assert "is fuzzy: correct the translation" in capsys.readouterr().err
    message = catalogs.load(root, PSEUDO, "00_start_here")[shown_now[0]]
    assert message.fuzzy and "Every number" in message.string and "Every number" in message.previous_id[0]
    before = catalogs.path_of(root, PSEUDO, "00_start_here").read_text(encoding="utf-8")
    status.extract(PSEUDO, root=root)
    assert catalogs.path_of(root, PSEUDO, "00_start_here").read_text(encoding="utf-8") == before
    (again,) = [pair[1] for pair in pairs(root, PSEUDO, "00_start_here") if pair[0].cells[1].id == "setup"]
    assert shown_now[0] in [cell.source for cell in again.cells]


def test_extracting_twice_changes_nothing_and_english_that_returns_finds_its_translation(changed):
    root = changed("**Next:** in lesson 01, words become vectors.", "Bye.")
    path = catalogs.path_of(root, PSEUDO, "00_start_here")
    before = path.read_text(encoding="utf-8")
    status.extract(PSEUDO, root=root)
    once = path.read_text(encoding="utf-8")
    status.extract(PSEUDO, root=root)
    assert path.read_text(encoding="utf-8") == once != before
    assert "#~ msgid" in once
    changed("Bye.", "**Next:** in lesson 01, words become vectors.")
    status.extract(PSEUDO, root=root)
    assert catalogs.load(root, PSEUDO, "00_start_here")[
        "**Next:** in lesson 01, words become vectors."
    ].string


def test_a_lesson_begun_finds_what_another_has_translated(foreign, tmp_path):
    root = tmp_path / "course"
    shutil.copytree(foreign, root)
    catalogs.path_of(root, PSEUDO, "02_attention").unlink()
    status.extract(PSEUDO, ["02_attention"], root)
    catalog = catalogs.load(root, PSEUDO, "02_attention")
    assert catalog["PyTorch {torch.__version__} is ready"].string == "⟦PyTorch {torch.__version__} is ready⟧"
    assert not catalog["Attention: choosing what to read"].string


@pytest.mark.parametrize(("locale", "name"), CATALOGS)
def test_all_is_translated(locale, name):
    assert list(status._found(locale, name, ROOT)) == []


def test_each_notebook_of_an_edition_has_a_catalog():
    """Else it would stay as it is when its lesson changes."""
    found = {(path.parts[-4], path.stem) for folder in FOLDERS for path in ROOT.glob(f"*/{folder}/*/*.ipynb")}
    assert found == {(language(locale), name) for locale, name in EDITIONS}


PAGE = """# A page

1. Type, and read [another](lms.md#a-place), [what is English](other.md#a-place), or [how](../README.md):

        course grade 01_embedding    # a class
        course status

   The item goes on.

| a word |
|---|
| [01_embedding](../notebooks/01_embedding/01_embedding.ipynb): 1. A map; Why?<br>a word |
| [000(a)](lms.md#000), [000(b)](lms.md#000) |
"""


def test_a_page_of_docs_is_said_in_another_language(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.eo.md").touch()
    notebook = tmp_path / "eo" / "notebooks" / "01_embedding" / "01_embedding.ipynb"
    notebook.parent.mkdir(parents=True)
    notebook.touch()
    lesson = catalogs.load(tmp_path, PSEUDO, "01_embedding")
    lesson.add("1. A map", "⟦1. A map⟧")
    catalogs.path_of(tmp_path, PSEUDO, "01_embedding").parent.mkdir(parents=True)
    catalogs.path_of(tmp_path, PSEUDO, "01_embedding").write_text(catalogs.written(lesson), encoding="utf-8")
    for name in ("page", "lms", "other"):
        (tmp_path / "docs" / f"{name}.md").write_text(PAGE, encoding="utf-8")
    for name in ("docs/page", "docs/lms"):
        catalog = catalogs.merged(catalogs.load(tmp_path, PSEUDO, name), units_of_page(name, tmp_path), [])
        catalogs.path_of(tmp_path, PSEUDO, name).parent.mkdir(parents=True, exist_ok=True)
        catalogs.path_of(tmp_path, PSEUDO, name).write_text(catalogs.written(catalog), encoding="utf-8")
        translate(tmp_path, name, pseudo)
    made = pages(tmp_path)
    folder = tmp_path / "docs" / "eo"
    assert set(made) == {folder / "page.md", folder / "lms.md"}
    assert (
        made[folder / "page.md"]
        == """# ⟦A page⟧

1. ⟦Type, and read [another](lms.md), [what is English](../other.md#a-place), or [how](../../README.eo.md):⟧

        course grade 01_embedding    # ⟦a class⟧
        course status

   ⟦The item goes on.⟧

| ⟦a word⟧ |
|---|
| [01_embedding](../../eo/notebooks/01_embedding/01_embedding.ipynb): ⟦1. A map⟧; Why?<br>⟦a word⟧ |
| [000(a)](lms.md#000), [000(b)](lms.md#000) |
"""
    )


WRITTEN = {"teaching.md", "terms.md"}  # in Chinese, from no English page
CHINESE = sorted((ROOT / "docs" / "zh").rglob("*.md"))


def test_each_page_of_an_edition_is_built():
    """Else it would stay as it is when the English one changes."""
    assert {path for path in CHINESE if path.name not in WRITTEN} == set(pages(ROOT))


@pytest.mark.parametrize(
    "path", [ROOT / "README.zh.md", *CHINESE], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_links_of_chinese_pages_lead_somewhere(path):
    for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        assert (path.parent / link).exists(), link


TEXT = """## A *heading*

A paragraph
of two lines with $x$.

$$
a \\text{ formula}
$$

| a word | `code` |
|---|---|
| 3 | two words |

- an item
  that runs on
- another

```
code that stays
```
<!-- a comment -->"""


def test_units_of_a_text():
    units = collect(lambda say: rewrite_text(TEXT, say))
    assert [tuple(unit) for unit in units] == [
        ("A *heading*", "heading"),
        ("A paragraph of two lines with $x$.", "paragraph"),
        ("a word", "table cell"),
        ("two words", "table cell"),
        ("an item that runs on", "list item"),
        ("another", "list item"),
    ]
    assert rewrite_text(TEXT, lambda unit: None) == TEXT
    said = rewrite_text(TEXT, lambda unit: "好")
    assert said.startswith(
        "## 好\n\n好\n\n$$\na \\text{ formula}\n$$\n\n| 好 | `code` |\n|---|---|\n| 3 | 好 |\n"
    )
    assert said.endswith("- 好\n- 好\n\n```\ncode that stays\n```\n<!-- a comment -->")


CODE = '''def f(x):
    """One thing
    and more. Done.

    Shapes: x (batch,)
    -> y (batch,). End.
    """
    y = x  # 我 a note
    return y  # (batch, 1)


texts = ["i like the games", "<bos> a b", "two parts".split(), "a label", "column <pad>"]
kinds, options = {"animals": "cat dog".split()}, {"rate": "a b".split(), "size": 2}
print("sum 和", f"{y:.2f} of {x!r}", "b c", "unit")
plot(title="loss", loc="upper left")
%pip install a b'''


def test_units_of_code():
    units = collect(lambda say: rewrite_code(CODE, say))
    assert {tuple(unit) for unit in units} == {
        ("我 a note", "comment"),
        ("One thing and more. Done.", "docstring"),
        ("Shapes: x (batch,) -> y (batch,). End.", "docstring"),
        ("a label", "string"),
        ("column <pad>", "string"),
        ("animals", "string"),
        ("sum 和", "string"),
        ("{y:.2f} of {x!r}", "string with {code}"),
        ("b c", "string"),
        ("unit", "string"),
        ("loss", "string"),
    }
    assert rewrite_code(CODE, lambda unit: None) == CODE
    assert {unit.kind for unit in collect(lambda say: rewrite_code(CODE, say, strings=False))} == {
        "comment",
        "docstring",
    }


def test_code_is_written_again_with_translations():
    said = {
        "我 a note": "注",
        "a label": '"引"\\',
        "{y:.2f} of {x!r}": "{x!r} 中的 {y:.2f} {{}}\n",
        "loss": "损失",
    }
    code = rewrite_code(
        CODE, lambda unit: said.get(unit.english, "句" * 60 if "One" in unit.english else None)
    )
    assert "    y = x  # 注\n" in code and '"\\"引\\"\\\\"' in code and "%pip install a b" in code
    assert 'f"{x!r} 中的 {y:.2f} {{}}\\n"' in code and 'title="损失"' in code
    assert all(columns(line) <= 110 for line in code.splitlines())
    assert without_words(code) == without_words(CODE)


def test_lines_break_where_the_language_admits_it():
    lines = wrapped("一二三，四五（六）七 word eight，九十", 8, 8)
    assert "".join(lines).replace(" ", "") == "一二三，四五（六）七wordeight，九十"
    assert not [line for line in lines if line[0] in "，）" or line.endswith("（")]
    assert all(columns(line) <= 8 for line in lines)


BROKEN = {
    "**你需要：**第 00 课": "stars",
    "这是**“软”查找**的例子": "stars",
    "**掩码（mask）**算": "stars",
    "这里的**`True`**表示": "stars",
    "你好\n世界": "one line",
    "看 https://example.com，再看": "takes in",
    "一个词,两个词": "full-width",
    "用softmax算": "a space belongs",
    "一个 。": "no space",
    "{b} 大": "in braces differs",
    "用 `b`": "the code differ",
    "$y$ 大": "the formulas differ",
    "看[这里](a.md)": "the links differ",
}


@pytest.mark.parametrize("said", BROKEN)
def test_what_a_browser_would_not_read_is_named(said):
    unit = Unit("a paragraph", PARAGRAPH)
    assert any(BROKEN[said] in problem for problem in problems(unit, said, "zh_CN"))


def test_what_is_right_is_not_named():
    for said in (
        "**你需要**：第 00 课。",
        "**掩码**（mask）算 `b` 和 $x$：<https://example.com>。",
        "2 * 3 = 6",
    ):
        english = Unit("`b` $x$" if "`b`" in said else "no code", PARAGRAPH)
        assert list(problems(english, said, "zh_CN")) == []
    assert raw_stars("**一**") == ""
    assert list(problems(Unit("{a} of {b:.2f}", TEMPLATE), "{b:.2f} 中的 {a}", "zh_CN")) == []
    assert list(problems(Unit("{a} of {b:.2f}", TEMPLATE), "{b} 中的 {a}", "zh_CN")) != []
    assert list(problems(Unit("mean of", STRING), "mean of", "zh_CN")) == []
    assert list(problems(Unit("tokens $n$", STRING), "词数 n", "zh_CN")) == []


def test_hanzi_beside_a_formula_in_a_figure_are_named():
    (problem,) = problems(Unit("tokens $n$", STRING), "词数 $n$", "zh_CN")
    assert "draws no hanzi" in problem


def written_with(notebook, answers):
    """The notebook with answers by grade id."""
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = answers.get(name, cell.source)
    return notebook


WRONG_SOFTMAX = """def softmax(scores):
    \"\"\"把每一行分数变成权重。\"\"\"
    return torch.exp(scores) / torch.exp(scores).sum(dim=-1, keepdim=True)"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the grader needs Linux")
@pytest.mark.parametrize(("locale", "name"), RUN)
def test_the_same_grader_gives_the_same_points(locale, name):
    """To the solution, to the untouched lesson, and to a mistake, all in both languages."""
    from lesson_graders import grader, text

    from course_lib.grading.nbgrader.cell_points import FLAGS, cell_points

    mistakes = {"softmax": WRONG_SOFTMAX} if name == "00_start_here" else {}
    released = nbformat.reads(text("notebooks", name, f"{name}.ipynb"), as_version=4)
    with grader(name, editions=tuple(editions_of(released, name, ROOT))) as own:
        (full, full_again), (empty, empty_again) = pairs(ROOT, locale, name)
        wrong, wrong_again = (written_with(nbformat.from_dict(one), mistakes) for one in (empty, empty_again))
        points = []
        for notebook in (full, full_again, empty, empty_again, wrong, wrong_again):
            own.grade(notebook)
            assert FLAGS not in notebook.metadata
            points.append(cell_points(notebook).points)
    assert points[::2] == points[1::2]
    best = {
        cell.metadata.nbgrader.grade_id: cell.metadata.nbgrader.points
        for cell in full.cells
        if "check" in cell.metadata
    }
    assert {check: points[0][check] for check in best} == best
    assert set(points[2].values()) == {0.0}
    if mistakes:
        assert 0 < points[4]["check_softmax"] < best["check_softmax"]
        for notebook, language in ((wrong, "en"), (wrong_again, locale)):
            cell = next(cell for cell in notebook.cells if cell.metadata.get("check") == "softmax")
            with speaking(language):
                assert f"{say('wrong')}</b>" in cell.outputs[-1].data["text/html"]


def released_as(notebook, name):
    """What the gradebook knows of a learners' notebook."""
    from course_lib.grading.nbgrader.source import Source, SourceCell

    graded = [(cell, cell.metadata.nbgrader) for cell in notebook.cells if "nbgrader" in cell.metadata]
    flags = ("checksum", "locked", "grade", "solution", "task")
    return Source(
        name,
        None,
        tuple(
            SourceCell(
                keys.grade_id,
                cell.cell_type,
                cell.source,
                *(keys[flag] for flag in flags),
                keys.get("points"),
            )
            for cell, keys in graded
        ),
    )


@pytest.mark.parametrize(("locale", "name"), EDITIONS)
def test_the_same_repair_mends_a_submission(locale, name):
    from course_lib.grading.nbgrader.repair import repair

    _, (ours, theirs) = pairs(ROOT, locale, name)
    source = released_as(ours, name)
    assert repair(nbformat.from_dict(theirs), source) == []
    graded = [place for place, cell in enumerate(theirs.cells) if "nbgrader" in cell.metadata]
    for place in graded[1:3]:
        del theirs.cells[place].metadata["nbgrader"]
    deleted = theirs.cells.pop(graded[0])
    sentences = repair(theirs, source)
    assert len(sentences) == 3
    found = [cell.metadata.nbgrader for cell in theirs.cells if "nbgrader" in cell.metadata]
    assert found == [cell.metadata.nbgrader for cell in ours.cells if "nbgrader" in cell.metadata]
    assert deleted.metadata.nbgrader.grade_id in str(sentences)


@pytest.mark.parametrize(("locale", "name"), EDITIONS)
def test_the_order_of_its_cells_is_restored(locale, name):
    from course_lib.grading.nbgrader.order import RESTORED, restore_order

    _, (ours, theirs) = pairs(ROOT, locale, name)
    moved = nbformat.from_dict(theirs)
    moved.cells = [moved.cells[0], *reversed(moved.cells[1:])]
    assert restore_order(moved, nbformat.writes(ours), [nbformat.writes(theirs)]) == [RESTORED]
    assert moved == theirs


@pytest.mark.slow
@pytest.mark.parametrize(("locale", "name"), RUN)
def test_the_translated_solution_runs_clean_with_full_points(locale, name, tmp_path):
    from test_notebooks import outputs, run, scores

    (_, theirs), _ = pairs(ROOT, locale, name)
    solved = run(theirs, tmp_path)
    assert outputs(solved, "error") == []
    assert [output.text for output in outputs(solved, "stream") if output.name == "stderr"] == []
    assert all(score["points"] == score["max_points"] for score in scores(solved))
    assert len(scores(solved)) == sum("check" in cell.metadata for cell in solved.cells)


def test_the_chinese_readme_lists_the_lessons_that_there_are():
    text = (ROOT / "README.zh.md").read_text(encoding="utf-8")
    for locale, name in EDITIONS:
        path = f"zh/notebooks/{name}/{name}.ipynb"
        title = nbformat.read(ROOT / path, as_version=4).cells[0].source.splitlines()[0]
        assert f"| {name[:2]} {title.removeprefix('# ')} | [zh/notebooks/{name}]({path}) |" in text, locale
    assert text.count("](zh/notebooks/") == len(EDITIONS)
