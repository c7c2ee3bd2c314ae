"""The web edition: no answer is on it, nothing is asked of another machine, and all links lead somewhere."""

import base64
import gzip
import html
import io
import json
import re
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_output
from PIL import Image

from course_lib.authoring.address import Address
from course_lib.authoring.build import ROOT, lessons
from course_lib.authoring.site.documents import section, without_answers
from course_lib.authoring.site.kept_runs import kept_run, key, run, solutions, without_paths
from course_lib.authoring.site.links import Links, SiteError, check_links
from course_lib.authoring.site.markdown import FORMULA, Text
from course_lib.authoring.site.mathematics import mathml
from course_lib.authoring.site.outputs import ANSWERS, WIDGET, as_html
from course_lib.authoring.site.pictures import Pictures
from course_lib.authoring.site.searching import index, plain
from course_lib.authoring.site.write import write_pages, write_site
from course_lib.authoring.site.wrong_answers import diagnoses
from course_lib.checks.score import MIME as SCORE

NAMES = [path.stem for path in lessons()]
SHOWN = ("00_start_here", "02_attention")
TRANSLATOR = "<!doctype html><title>a translator</title>"
BAIT = "what an answer's cell shows"
LONG = 24  # characters of a line that is nobody else's by chance
UNSET = Address("transformer-by-hand", "1.0.0")
SET = Address("transformer-by-hand", "1.0.0", "https://github.com/a/b")


def picture():
    buffer = io.BytesIO()
    Image.new("RGB", (80, 40), "white").save(buffer, "PNG")
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<img alt="a white field of 40 by 20" width="40" src="data:image/png;base64,{data}">'


def read(folder, lesson):
    return nbformat.read(ROOT / folder / lesson / f"{lesson}.ipynb", as_version=4)


def executed(lesson, tree):
    """As if the instructor's notebook had run: every cell shows something, and those of answers show them."""
    if lesson not in SHOWN:
        return None
    notebook = read("solutions", lesson)
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        flags = cell.metadata.get("nbgrader", {})
        if flags.get("solution") or flags.get("grade") or ANSWERS.search(cell.source):
            printed = f"{BAIT}\n{cell.source}"
            cell.outputs = [new_output("stream", name="stdout", text=printed), score(printed)]
        else:
            result = {"text/html": picture(), "text/plain": "a white field"}
            cell.outputs = [
                new_output("stream", name="stdout", text=f"printed <by> {cell.id}\n"),
                new_output("execute_result", data=result),
            ]
    notebook.metadata["translator"] = TRANSLATOR * (lesson == SHOWN[1])
    notebook.metadata["diagnoses"] = diagnoses(lesson, solutions(notebook)) if lesson == SHOWN[0] else {}
    return notebook


def score(text):
    return new_output("execute_result", data={"text/html": text, "text/plain": "3.0", SCORE: {}})


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("web") / "site"
    assert write_pages(folder, executed, UNSET) == len(list(folder.rglob("*.html"))) - 2  # the translators
    return folder


def pages(site):
    return {
        path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in site.rglob("*.html")
    }


def test_the_translator_that_a_lesson_wrote_can_be_tried(site):
    for tree in ("", "zh"):
        assert (site / tree / "my_translator.html").read_text() == TRANSLATOR
        assert '<a href="my_translator.html">' in pages(site)[f"{tree}/index.html".lstrip("/")]
    assert '<a href="my_translator.html">Try a translator</a>' in pages(site)["index.html"]


ENGLISH = r"^\*\*[\d.]+ of \d points\*\*.*|^\*\*Solution.*", "Left out of the web edition", "For an exam"
CHINESE = r"^\*\*[\d.]+ 分\*\*.*|^\*\*解答.*", "网页版学生也会读", "考试题"


@pytest.mark.parametrize(
    ("tree", "answers", "told", "exam"), [("", *ENGLISH), ("zh/", *CHINESE)], ids=["English", "Chinese"]
)
def test_a_page_for_teaching_leaves_its_answers_at_home(site, tree, answers, told, exam):
    plans = [*(ROOT / "docs" / tree / "teaching").glob("[0-9][0-9]_*.md")]
    assert len(plans) == len(NAMES)
    for plan in plans:
        graded = re.findall(answers, plan.read_text(encoding="utf-8"), re.MULTILINE)
        shown = pages(site)[f"{tree}teaching_{plan.stem}.html"]
        assert len(graded) == 4
        for answer in graded:
            assert Text(lambda url: url).html(answer).strip()[3:-4] not in shown
        assert shown.count(told) == 2 and exam in shown
        assert f'href="teaching_{plan.stem}.html"' in pages(site)[f"{tree}teaching.html"]


def test_a_document_of_another_form_stops_the_site():
    for language in ("en", "zh-Hans"):
        with pytest.raises(SiteError, match=r"a\.md: expected one place that fits .* got 0"):
            without_answers("# A page of another form\n", "a.md", language)
    with pytest.raises(SiteError, match=r"README\.md has no heading 'Nothing'"):
        section("# A\n", "Nothing", "README.md")


def test_a_document_has_a_switch_and_its_neighbors_in_its_language(site):
    english, chinese = (pages(site)[f"{tree}errata.html"] for tree in ("", "zh/"))
    assert '<a href="zh/errata.html" hreflang="zh-Hans" lang="zh-Hans">中文</a>' in english
    assert '<a href="../errata.html" hreflang="en" lang="en">English</a>' in chinese
    assert '<html lang="zh-Hans">' in chinese and 'href="sources.html"' in chinese
    assert 'href="../licence.html"' in chinese  # English only
    assert 'href="03_multi_head.html"' in chinese


def squeezed(text):
    return " ".join(text.split())


def secrets():
    """Lines of solutions, model answers and hidden parts that stand in no learners' notebook."""
    released = squeezed("\n".join(cell.source for name in NAMES for cell in read("notebooks", name).cells))
    sources = [
        cell.source
        for name in NAMES
        for cell in read("solutions", name).cells
        if cell.metadata.get("nbgrader", {}).get("solution")
    ]
    sources += [path.read_text(encoding="utf-8") for path in (ROOT / "solutions").glob("*_hidden.py")]
    lines = {squeezed(line) for source in sources for line in source.splitlines()}
    long = {line for line in lines if len(line) > LONG and not re.match(r"(from|import) ", line)}
    return {line for line in long if line not in released}


def test_no_page_and_no_search_shows_an_answer(site):
    hidden = secrets()
    assert len(hidden) > 800
    texts = {name: html.unescape(re.sub(r"<[^>]+>", "", page)) for name, page in pages(site).items()}
    texts |= {f"{name} as it is": page for name, page in pages(site).items()}
    texts["search"] = "\n".join(part for row in rows(site) for part in row)
    for name, text in texts.items():
        assert BAIT not in text, name
        text = squeezed(text)
        assert [line for line in hidden if line in text] == [], name


def rows(site):
    text = (site / "search.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("const COURSE_INDEX = ").removesuffix(";\n"))


def test_a_page_shows_the_learners_cells_and_what_experiments_showed(site):
    text = html.unescape(re.sub(r"<[^>]+>", "", pages(site)["02_attention.html"]))
    notebook = read("notebooks", "02_attention")
    experiments = [cell for cell in notebook.cells if cell.metadata.get("title") == "demo"]
    stubs = [cell for cell in notebook.cells if "exercise" in cell.metadata]
    assert len(experiments) > 15 and len(stubs) == 5
    for cell in experiments + stubs:
        assert cell.source in text
    shown = [cell for cell in experiments if not ANSWERS.search(cell.source)]
    assert all(f"printed <by> {cell.id}" in text for cell in shown)


def test_a_check_is_shown_by_the_diagnosis_of_one_wrong_answer(site):
    page = pages(site)["00_start_here.html"]
    assert page.count('class="box check"') == 2
    assert "✗ softmax: wrong" in page and "✗ masked_mean: wrong" in page
    assert "This is a trial" not in page


def test_a_diagnosis_quotes_no_line_of_a_solution():
    lesson = "08_transfer_learning"
    answers = solutions(read("solutions", lesson))
    assert "    model.requires_grad_(False)\n" in answers
    shown = html.unescape(re.sub(r"<[^>]+>", "", diagnoses(lesson, answers)["freeze"]))
    assert shown.startswith("✗ freeze: wrong") and "model.requires_grad_(False)" not in shown


def test_the_chinese_page_has_its_own_text_and_the_same_results(site):
    english, chinese = (pages(site)[f"{folder}00_start_here.html"] for folder in ("", "zh/"))
    shown = [re.findall(r"printed &lt;by&gt; (\S+)", page) for page in (english, chinese)]
    assert shown[0] == shown[1] != []
    assert 'href="zh/00_start_here.html" hreflang="zh-Hans"' in english
    assert 'href="../00_start_here.html" hreflang="en"' in chinese and '<html lang="zh-Hans">' in chinese


def test_pictures_are_small_files_that_wait(site):
    for name, page in pages(site).items():
        assert not re.search(r"""(src|href)=["']?data:|url\(["']?data:""", page), name
        for image in re.findall(r"<img [^>]+>", page):
            assert re.search(r'alt="[^"]{10,}"', image) and 'loading="lazy"' in image, (name, image)
            assert re.search(r'width="\d+" height="\d+"', image), (name, image)
    assert {path.suffix for path in (site / "pictures").iterdir()} == {".webp"}


def test_nothing_comes_from_another_machine(site):
    for name, page in pages(site).items():
        tags = re.findall(r"<(\w+)\b[^>]*?(?:src|href)=\"(https?:)?//", page)
        assert {tag for tag, _ in tags} <= {"a"}, name
    for asset in ("site.css", "site.js"):
        assert not re.search(r"@import|url\(|https?://", (site / asset).read_text())


def test_no_page_names_a_folder_of_this_machine(site):
    for name, page in pages(site).items():
        assert str(ROOT) not in page and "object at 0x" not in page, name


def test_outputs_name_no_folder_of_this_machine():
    said = json.dumps(f"{ROOT / 'a.html'} is written: cd {ROOT}, {sys.executable} a.py")
    assert json.loads(without_paths(said, str(ROOT))) == "a.html is written: cd ., python a.py"


def test_the_first_read_is_light(site):
    parts = [site / name for name in ("07_translator.html", "site.css", "site.js", "icon.svg")]
    assert sum(len(gzip.compress(part.read_bytes())) for part in parts) < 100_000


def test_without_an_address_nothing_opens_elsewhere(site, tmp_path):
    assert "Colab" not in re.sub(
        r"<article>.*?</article>", "", pages(site)["02_attention.html"], flags=re.DOTALL
    )
    write_pages(tmp_path / "site", lambda lesson, tree: None, SET)
    page = (tmp_path / "site" / "zh" / "00_start_here.html").read_text(encoding="utf-8")
    here = "https://colab.research.google.com/github/a/b/blob/v1.0.0/zh/notebooks/00_start_here/"
    assert f'<a href="{here}00_start_here.ipynb">在 Colab 中打开</a>' in page
    assert (
        '<a href="https://github.com/a/b/blob/v1.0.0/zh/notebooks/00_start_here/00_start_here.ipynb">' in page
    )


@pytest.mark.parametrize("lesson", NAMES)
def test_every_formula_is_set(lesson):
    sources = [cell.source for cell in read("notebooks", lesson).cells if cell.cell_type == "markdown"]
    found = [made for source in sources for made in FORMULA.finditer(source) if not made["code"]]
    assert found
    for formula in found:
        made = mathml(formula["display"] or formula["inline"], bool(formula["display"]))
        inner = re.sub(r"<annotation.*?</annotation>", "", made)
        assert "\\" not in inner and "$" not in inner


def test_names_of_functions_stand_apart_as_in_tex():
    gap = '<mspace width="0.167em" />'
    assert gap in mathml(r"k\ln V") and gap in mathml(r"\log_k n")
    assert gap not in mathml(r"\exp(x)")
    assert "<mo>" not in mathml(r"\lVert q \rVert^2")  # a bar as an operator hangs low as the base of a power
    with pytest.raises(ValueError, match="cannot be set"):
        mathml(r"\nocommand{1}")


def test_dollars_in_code_are_no_formulas():
    made = Text(lambda url: url).html("`$PATH$` costs $x_1$ and $5$\n\n```\necho $HOME $USER\n```\n")
    assert made.count("<math") == 2 and "$PATH$" in made and "echo $HOME $USER" in made


def test_a_heading_of_a_table_that_is_a_formula_has_a_name():
    made = Text(lambda url: url).html("| | $f(x)$ | at $x$ |\n|---|---|---|\n| a | b | $c$ |\n")
    assert '<th><span class="unseen">f(x)</span><math aria-hidden="true"' in made and "<th>at <math" in made


def test_headings_of_one_name_get_two_addresses():
    text = Text(lambda url: url)
    text.html("## Why divide?")
    text.html("## Why divide?\n\n## With $d_k$")
    assert [heading.name for heading in text.headings] == ["why-divide", "why-divide-2", "with-dk"]


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("../notebooks/02_attention/02_attention.ipynb", "02_attention.html"),
        ("errata.md#000", "errata.html#000"),
        ("#here", "#here"),
        ("https://example.org/a", "https://example.org/a"),
        ("slurm.py", "https://github.com/a/b/blob/v1.0.0/docs/slurm.py"),
    ],
)
def test_where_a_link_of_a_document_leads(url, address):
    shown = {
        "docs/errata.md": "errata.html",
        "notebooks/02_attention/02_attention.ipynb": "02_attention.html",
    }
    assert Links(ROOT, shown, SET).of("docs/sources.md", "sources.html", url) == address
    if "slurm" in url:
        assert Links(ROOT, shown, UNSET).of("docs/sources.md", "sources.html", url) is None


def test_a_link_that_leads_nowhere_fails_with_a_sentence(tmp_path):
    with pytest.raises(SiteError, match=r"docs/a.md links to b.md, and there is no docs/b.md"):
        Links(ROOT, {}, UNSET).of("docs/a.md", "a.html", "b.md")
    for link, said in {
        '<a href="b.html">': "a.html links to b.html, which is not on the site",
        '<a href="#b">': "a.html links to #b, and there is no such heading",
        '<img src="https://example.org/b.png">': "a.html would load https://example.org/b.png",
        '<link href="//example.org/b.css">': "a.html would load //example.org/b.css",
    }.items():
        (tmp_path / "a.html").write_text(f'<h1 id="a">a</h1><a href="#a">a</a>{link}')
        with pytest.raises(SiteError, match=re.escape(said)):
            check_links(tmp_path)


def test_a_folder_with_something_else_is_left_alone(tmp_path, capsys):
    (tmp_path / "thesis.txt").write_text("mine")
    assert write_site(tmp_path) == 1
    assert "holds no site: choose another folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_of_outputs_only_results_are_shown():
    shown = as_html(
        [
            new_output("stream", name="stdout", text="\x1b[31mred\x1b[0m\n 10%\r100%\n"),
            new_output("stream", name="stderr", text="a warning"),
            new_output("display_data", data={WIDGET: {}, "text/plain": "a widget"}),
            new_output("error", ename="ValueError", evalue="no", traceback=["Traceback"]),
            score("✓ right"),
            new_output("execute_result", data={"text/plain": "a < b"}),
            new_output("execute_result", data={WIDGET: {}, "text/plain": "VBox(...)"}),
        ],
        controls="Run it & see.",
    )
    controls = '<p class="aside">Run it &amp; see.</p>'
    assert shown == ['<pre class="output">red\n100%</pre>', '<pre class="output">a &lt; b</pre>', controls]


def test_a_picture_that_is_code_stays_a_picture(tmp_path):
    """As the attention view's, which stands where scripts are off."""
    data = base64.b64encode(b"<svg/>").decode()
    view = f'<div><img alt="a map" style="max-width:100%" src="data:image/svg+xml;base64,{data}"></div>'
    made = Pictures(tmp_path).moved(f"{view}<script>1</script>", "../")
    (file,) = (tmp_path / "pictures").iterdir()
    assert file.read_bytes() == b"<svg/>" and f'src="../pictures/{file.name}"' in made
    assert made.endswith("</div><script>1</script>") and 'style="max-width:100%"' in made


def test_chinese_words_are_found_as_people_type_them():
    assert plain("<p>我 喜欢 冬奥会, 3 年</p><p>ok</p>") == "我喜欢冬奥会, 3 年 ok"


def test_every_section_of_a_lesson_can_be_found(site):
    page = pages(site)["02_attention.html"]
    ids = {row[2] for row in rows(site) if row[0] == "02_attention.html"} - {""}
    assert ids == {*re.findall(r'<h[1-4] id="([^"]+)"', page)} and len(ids) > 15


def test_a_run_is_kept_until_what_it_is_made_of_changes(tmp_path):
    notebook, library = tmp_path / "a.ipynb", tmp_path / "library"
    for name in ("plots/a.js", "text.py", "__pycache__/text.pyc", "authoring/build.py"):
        (library / name).parent.mkdir(parents=True, exist_ok=True)
        (library / name).write_text("1")
    notebook.write_text("1")
    keys = [key(notebook, library)]
    for changed in (library / "__pycache__/text.pyc", library / "authoring/build.py"):
        changed.write_text("2")
        assert key(notebook, library) == keys[0]
    for changed in (library / "plots/a.js", library / "text.py", notebook):
        changed.write_text("2")
        keys.append(key(notebook, library))
    assert len(set(keys)) == 4


def test_lessons_import_nothing_that_the_key_leaves_out():
    for lesson in NAMES:
        sources = "\n".join(cell.source for cell in read("solutions", lesson).cells)
        assert not re.search(r"course_lib(?:\.| import )(?:authoring|grading|subcommands)", sources)


@pytest.mark.slow
@pytest.mark.xdist_group("00_start_here")
@pytest.mark.parametrize(
    ("tree", "said", "diagnosis"),
    [
        ("", "equal to masked_mean: True", "✗ softmax: wrong"),
        ("zh", "与 masked_mean 相等： True", "✗ softmax：有错"),
    ],
)
def test_a_lesson_is_run_once_in_its_language(tmp_path, tree, said, diagnosis):
    made = run("00_start_here", tree, kept=tmp_path / "kept")
    kept = kept_run("00_start_here", tree, kept=tmp_path / "kept")
    assert kept is not None and kept.cells == made.cells
    write_pages(tmp_path / "site", lambda *asked: kept if asked == ("00_start_here", tree) else None, UNSET)
    page = (tmp_path / "site" / tree / "00_start_here.html").read_text(encoding="utf-8")
    assert len(re.findall(r'<img [^>]+src="(?:\.\./)?pictures/\w+\.webp"', page)) >= 4
    assert said in page and diagnosis in page and "Traceback" not in page
    text = squeezed(html.unescape(re.sub(r"<[^>]+>", "", page)))
    assert [line for line in secrets() if line in text] == []


@pytest.mark.parametrize(("name", "minutes", "other"), [("", "minutes", "zh/"), ("zh/", "分钟", "../")])
def test_the_index_of_each_language_names_every_lesson_with_its_time(site, name, minutes, other):
    page = pages(site)[f"{name}index.html"]
    assert [*map(Path, re.findall(r'<h3><a href="([^"]+)"', page))] == [
        Path(f"{name}.html") for name in NAMES
    ]
    assert len(re.findall(rf"\d+ {minutes}", page)) == len(NAMES)
    assert all(f' · <a href="{other}{lesson}.html" hreflang' in page for lesson in NAMES)


def test_a_search_of_nothing_is_a_script():
    assert index([]) == "const COURSE_INDEX = [];\n"
