"""The attention view in a page of its own, in Chromium: its numbers, mouse, touch and keyboard, and axe."""

from collections import Counter
from itertools import product

import pytest
import torch
from browser import AXE, CHROMIUM
from pages import quiet_pages
from test_attention_view import TRICKY

from course_lib import plots
from course_lib.plots.attention_view import maps_of
from course_lib.text import Pair
from course_lib.training.batches import Bitext
from course_lib.training.trainer import Recipe, train
from course_lib.translation.translator import Translator

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: install Debian's chromium"),
    pytest.mark.xdist_group("browser"),
]
PAIRS = {
    "i like the winter games": "我 喜欢 冬奥会",
    "tea": "茶",
    "i like tea": "我 喜欢 茶",
    "you like the games": "你 喜欢 比赛",
    f"you like {TRICKY}": f"你 喜欢 {TRICKY}",
}
SENTENCES = list(PAIRS)[:3]
LAYERS = [("cross", 0), ("encoder", 0), ("encoder", 1), ("decoder", 0)]
ADDRESS = "http://view.invalid/"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Attention</title>
<meta name="viewport" content="width=device-width">
<style>body { font: 16px sans-serif }
@media (prefers-color-scheme: dark) { body { background: #111; color: #eee } }</style>
<main><h1>Attention</h1>"""
# What the view shows when each query is chosen in turn: for each kind, layer, head (mean first), query and
# key its number, and twelve times its weight.
NUMBERS = """() => {
    const root = document.querySelector('[data-drawn]').shadowRoot, found = [];
    const all = selector => [...root.querySelectorAll(selector)];
    const layers = () => all('.layer').map(row => row.querySelectorAll('input'));
    all('[name=kind]').forEach((input, kind) => {
        input.click();
        layers().forEach((heads, layer) => heads.forEach((input, head) => {
            input.click();
            all('.queries .word').forEach((word, query) => {
                word.click();
                const widths = all('path').map(line => parseFloat(line.style.strokeWidth));
                all('.keys .word .number').forEach(({ textContent }, key, { length }) => {
                    const width = widths[query * length + key];
                    found.push([kind, layer, head - 1, query, key, textContent, width]);
                });
                word.click();
            });
        }));
    });
    return found;
}"""
SMALL_TARGETS = """() => [...document.querySelector('[data-drawn]').shadowRoot.querySelectorAll(
    'button, select, input, .word, label')].filter(node => {
    const { width, height } = node.getBoundingClientRect();
    return node.checkVisibility() && !node.matches('.step label') && Math.min(width, height) < 24;
}).map(node => node.outerHTML)"""


@pytest.fixture(scope="module")
def translator():
    """Trained on these pairs, which takes a second, so that it needs some of its heads."""
    torch.manual_seed(0)
    pairs = [Pair(tuple(english.split()), tuple(chinese.split())) for english, chinese in PAIRS.items()]
    made = Translator.for_pairs(pairs, d_model=12, heads=3, d_ff=16, encoder_layers=2)
    data = Bitext(pairs, made.source_words, made.target_words)
    train(made.model, data, Recipe(steps=150, batch_tokens=100), progress=False)
    return made


@pytest.fixture
def show(browser):
    """Opens a page with a view; at the end of the test it has asked for nothing and complained of nothing."""
    with quiet_pages(browser, lambda url: url == ADDRESS or url.startswith("data:image/svg+xml")) as empty:

        def show(view, width=1300, theme="light", **options):
            page, body = empty(width, theme, **options), f"{PAGE}{view.html}</main>"
            page.route("**/*", lambda route: route.fulfill(body=body, content_type="text/html"))
            page.goto(ADDRESS)
            return page

        yield show


def test_the_numbers_shown_are_those_of_explain(show, translator):
    page = show(plots.attention_view(translator, SENTENCES))
    compared = set()
    for sentence in SENTENCES:
        page.get_by_label("sentence", exact=True).select_option(label=sentence)
        maps = maps_of(translator.explain(sentence))
        for kind, layer, head, query, key, number, width in page.evaluate(NUMBERS):
            _, attention = list(maps.items())[kind]
            heads = attention.weights[layer]
            weights = heads.mean(dim=0) if head < 0 else heads[head]
            if attention.mask is not None and not attention.mask[query, key]:
                assert number == "–"
                continue
            weight = float(weights[query, key])
            assert float(number) == pytest.approx(weight, abs=0.00502)
            assert width == pytest.approx(12 * weight if weight >= 0.005 else 0, abs=0.01)
            compared.add((sentence, kind, layer, head, query, key))
    expected = sum(
        (1 + len(heads)) * (heads[0].numel() if one.mask is None else int(one.mask.sum()))
        for sentence in SENTENCES
        for one in maps_of(translator.explain(sentence)).values()
        for heads in one.weights
    )
    assert len(compared) == expected > 500


def test_a_step_shows_what_is_written_and_its_candidates(show, translator):
    page = show(plots.attention_view(translator, SENTENCES[2:]))
    told = translator.explain(SENTENCES[2])
    words = page.locator(".queries .word:not(.later)")
    assert words.count() == len(told.target)
    for step, written in enumerate(told.target, 1):
        page.get_by_label("one step on").click()
        assert words.count() == step
        assert f"writes “{written}”" in page.locator("label[for=step]").inner_text()
        assert page.locator(".says").inner_text().startswith(f"Step {step} has read “{told.read[step - 1]}”.")
        chance = translator.probabilities(SENTENCES[2], told.target[:-1])[step - 1].max()
        assert page.locator(".next span.written").all_inner_texts() == [written, f"{chance:.2f}".lstrip("0")]
    assert page.get_by_label("one step on").is_disabled()
    page.get_by_text("decoder", exact=True).click()
    page.get_by_label("one step back").click()
    assert page.locator(".keys .word:not(.later)").all_inner_texts()[0].split() == [
        "<bos>",
        *numbers(page, 1),
    ]


def numbers(page, count):
    return page.locator(".keys .word:not(.later) .number").all_inner_texts()[:count]


def test_the_translation_without_a_head_marks_the_words_that_change(show, translator):
    page = show(plots.attention_view(translator, SENTENCES))
    outcomes = set()
    for sentence, (kind, layer) in product(SENTENCES, LAYERS):
        page.get_by_label("sentence", exact=True).select_option(label=sentence)
        page.locator(".kinds").get_by_text(kind).click()
        for head in (-1, 0, 1, 2):
            page.locator(".layer").nth(layer).locator(".thumb").nth(head + 1).click()
            off = [0, 1, 2] if head < 0 else [head]
            whole = translator(sentence)
            expected = translator.without([(kind, layer, one) for one in off], sentence)
            said = page.locator("dd").nth(1)
            outcomes.add(expected == whole)
            if expected == whole:
                assert said.inner_text() == "the same"
                continue
            assert said.inner_text().split() == expected
            marked, gone = (page.locator(f"dd {name}").all_inner_texts() for name in ("mark", "s"))
            assert Counter(expected) - Counter(marked) == Counter(whole) - Counter(gone), "these words stay"
            assert marked or gone
    assert outcomes == {True, False}


def test_it_is_used_by_keyboard_alone(show, translator):
    page = show(plots.attention_view(translator, SENTENCES))
    says = page.locator(".says")
    active = "() => document.activeElement.shadowRoot.activeElement.outerHTML"
    reached = []
    for _ in range(7):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(active)[:60])
    expected = [
        "<select",
        'name="kind"',
        'class="word',
        'class="word',
        'name="head"',
        'aria-label="one step on"',
    ]
    # back is off at the first step; the slider stands between
    order = [
        next((part for part in [*expected, 'type="range"'] if part in node), node) for node in reached[:7]
    ]
    assert order == [*expected[:5], 'type="range"', expected[5]]
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowRight")
    assert says.inner_text().startswith("Step 1 has read “<bos>”.")
    page.keyboard.press("End")
    total = len(translator.explain(SENTENCES[0]).target)
    assert f"step {total} of {total}" in page.locator("label[for=step]").inner_text()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowRight")
    assert "without head 0 of layer 0 (cross)" in page.locator("dt").nth(1).inner_text()
    page.keyboard.press("Shift+Tab")
    assert page.evaluate(active).startswith('<div class="word')
    page.keyboard.press("ArrowDown")
    assert says.inner_text().startswith("“like” gets these weights: ")
    assert page.locator("[aria-selected=true]").inner_text() == "like"
    page.keyboard.press("ArrowLeft")
    assert says.inner_text().startswith("Step 2 has read ")
    page.keyboard.press("Escape")
    assert page.locator("[aria-selected=true]").count() == 0
    page.keyboard.press("Space")
    assert page.locator("[aria-selected=true]").count() == 1


def test_it_is_used_by_touch(show, translator):
    page = show(plots.attention_view(translator, SENTENCES), width=390, has_touch=True, is_mobile=True)
    word = page.locator(".keys .word").nth(1)
    word.tap()
    assert page.locator(".says").inner_text().startswith("“like” gets these weights: ")
    word.tap()
    assert page.locator("[aria-selected=true]").count() == 0
    page.get_by_text("encoder", exact=True).tap()
    page.locator(".queries .word").nth(4).tap()
    assert page.locator(".says").inner_text().startswith("“games” looks at ")


def test_the_mouse_need_only_pass_over_a_word(show, translator):
    page = show(plots.attention_view(translator, SENTENCES))
    page.locator(".keys .word").nth(1).hover()
    assert page.locator(".says").inner_text().startswith("“like” gets these weights: ")
    page.locator("h1").hover()
    assert "Choose a word" in page.locator(".says").inner_text()


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 390])
def test_axe_finds_nothing(show, translator, width, theme):
    kinds = maps_of(translator.explain(SENTENCES[0]))
    for view in (
        plots.attention_view(translator, SENTENCES),
        plots.maps_view({"trained": kinds, "untrained": kinds}, name="model"),
    ):
        page = show(view, width, theme, reduced_motion="reduce")
        page.evaluate(AXE)
        for choose in (
            "body",
            ".queries .word >> nth=1",
            ".keys .word >> nth=2",
            ".thumb >> nth=2",
            ".kinds label >> nth=2",
        ):
            page.locator(choose).first.click()
            found = page.evaluate("() => axe.run()")
            assert len(found["passes"]) > 15
            assert [(fault["id"], fault["nodes"][0]["html"]) for fault in found["violations"]] == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate(SMALL_TARGETS) == []
        assert page.locator("[data-dark]").count() == (theme == "dark")


def test_marked_words_can_be_read_in_forced_colors(show, translator):
    """A browser paints <mark> black on yellow there, but for the background that the view has taken away."""
    page = show(plots.attention_view(translator, SENTENCES[:1]), theme="dark", forced_colors="active")
    color = "node => getComputedStyle(node).color"
    assert page.locator("mark").first.evaluate(color) == page.locator("dt").first.evaluate(color)


def test_without_scripts_the_picture_is_shown(show, translator):
    view = plots.attention_view(translator, SENTENCES)
    image = show(view, java_script_enabled=False).get_by_role("img")
    assert image.is_visible() and image.get_attribute("alt") == view.alt
    assert image.bounding_box()["height"] > 200
    page = show(view)
    page.locator(".words").first.wait_for()
    assert not page.locator("img").is_visible()


def test_words_are_words_even_if_they_are_html(show, translator):
    page = show(plots.attention_view(translator, [f"you like {TRICKY}"]))
    assert page.locator(".keys .name").all_inner_texts() == ["you", "like", TRICKY, "<eos>"]
    assert page.locator("img").count() == 1 and page.locator("main > *").count() == 3


def test_the_script_may_come_before_its_place(show, translator):
    """And two views that are alike are both drawn."""
    view = plots.attention_view(translator, SENTENCES)
    place, script = view.html.split("\n", 1)
    page = show(plots.AttentionView(f"{script}{place}{view.html}", view.alt))
    page.locator("[data-drawn] >> nth=1").wait_for()
    assert page.locator(".view").count() == 2
