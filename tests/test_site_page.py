"""The web edition in Chromium: search, keyboard, narrow screens, light and dark, axe."""

import pytest
from browser import AXE, CHROMIUM
from pages import quiet_pages
from test_site import UNSET, executed

from course_lib.authoring.site.write import write_pages

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: install Debian's chromium"),
    pytest.mark.xdist_group("browser"),
]
PAGES = (
    "index",
    "00_start_here",
    "02_attention",
    "zh/index",
    "zh/00_start_here",
    "teaching_02_attention",
    "instructors",
    "helpers",
    "errata",
    "grading_security",
)
VIEWS = [(1300, "light"), (390, "dark"), (1300, "dark"), (390, "light")]
GROUND = "() => getComputedStyle(document.body).backgroundColor"
RUN = "() => axe.run({ preload: false })"  # it would fetch the styles, which a page in a folder may not
TYPE_AT_ONCE = """() => {
    const box = document.querySelector('#search input');
    document.querySelector('#search-button').click();
    box.value = 'softmax';
    box.dispatchEvent(new Event('input'));
}"""
ACTIVE = "() => document.activeElement.textContent.trim()"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("web") / "site"
    write_pages(folder, executed, UNSET)
    return folder


@pytest.fixture
def read(browser, site):
    """Opens a page from its folder; at the end nothing was asked of a machine, and nothing complained."""
    with quiet_pages(browser, lambda url: url.startswith(site.as_uri())) as empty:

        def read(name, width=1300, theme="light", **options):
            page = empty(width, theme, **options)
            page.goto((site / f"{name}.html").as_uri())
            return page

        yield read


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_the_screen(read, name):
    for width in (320, 390, 1300):
        page = read(name, width)
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_search_finds_sections_and_leads_there(read):
    page = read("zh/00_start_here", width=390)
    page.keyboard.press("/")
    box = page.get_by_role("searchbox")
    box.fill("causal mask future")
    results = page.locator("#search li a")
    results.first.wait_for()
    assert "02 Attention" in results.first.inner_text()
    box.press("Enter")
    page.wait_for_url("**/02_attention.html#*")
    page.get_by_role("button", name="Search").click()
    box.fill("冬奥会")
    results.first.wait_for()
    assert page.locator("#search mark").first.inner_text() == "冬奥会"
    box.fill("zzzz")
    page.get_by_text("Nothing found").wait_for()
    assert results.count() == 0
    page.keyboard.press("Escape")
    assert not box.is_visible()


def test_who_types_before_the_index_has_come_finds_the_same(read):
    page = read("index")
    page.evaluate(TYPE_AT_ONCE)
    page.locator("#search li").first.wait_for()


def test_what_is_searched_for_is_text(read):
    page = read("index")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("searchbox").fill("<img src=x")
    page.get_by_text("Nothing found").wait_for()
    page.get_by_role("searchbox").fill("a.*(")
    page.get_by_text("Nothing found").wait_for()


def test_light_and_dark_follow_the_system_until_the_button_is_pressed(read):
    page = read("02_attention", theme="dark")
    dark = page.evaluate(GROUND)
    page.emulate_media(color_scheme="light")
    light = page.evaluate(GROUND)
    assert light != dark
    page.get_by_role("button", name="Change between light and dark").click()
    assert page.evaluate(GROUND) == dark
    page.reload()
    assert page.evaluate(GROUND) == dark, "the choice is kept"


def test_it_is_used_by_keyboard(read):
    page = read("02_attention")
    page.keyboard.press("Tab")
    assert page.evaluate(ACTIVE) == "Skip to the text"
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "text"
    page.keyboard.press("Shift+Tab")
    assert page.evaluate(ACTIVE) == "What you have", "the last of the contents comes before the text"
    page.keyboard.press("Enter")
    page.wait_for_function("scrollY > 1000")
    assert page.locator(".contents [aria-current]").inner_text() == "What you have"


def test_on_a_phone_the_contents_are_closed_until_they_are_wanted(read):
    page = read("02_attention", width=390, has_touch=True, is_mobile=True)
    link = page.get_by_role("link", name="Why divide?")
    assert not link.is_visible()
    page.get_by_text("On this page").tap()
    link.tap()
    page.wait_for_function("scrollY > 1000")


def test_without_scripts_a_page_can_be_read(read):
    page = read("02_attention", java_script_enabled=False)
    assert page.get_by_role("heading", name="A soft look-up").is_visible()
    assert page.locator("math").first.is_visible()
    assert not page.get_by_role("button", name="Search").is_visible()


@pytest.mark.slow
@pytest.mark.parametrize(("width", "theme"), VIEWS)
def test_axe_finds_nothing(read, width, theme):
    for name in PAGES:
        page = read(name, width, theme, reduced_motion="reduce")
        page.evaluate(AXE)
        found = page.evaluate(RUN)
        assert len(found["passes"]) > 15
        assert [(name, fault["id"], fault["nodes"][0]["html"]) for fault in found["violations"]] == []
    page.keyboard.press("/")
    page.get_by_role("searchbox").fill("softmax")
    page.locator("#search li").first.wait_for()
    found = page.evaluate(RUN)
    assert [(fault["id"], fault["nodes"][0]["html"]) for fault in found["violations"]] == []
