"""Options and marks of all tests. They keep no progress in the home of whoever runs them."""

import os

import pytest

os.environ["COURSE_LIB_STATE"] = ""
SEEDS = 2


def pytest_addoption(parser):
    parser.addoption(
        "--seeds", type=int, default=SEEDS, help="seeds with which tests/test_checks.py runs each case"
    )


# Files that run notebooks, start kernels, grade classes or train: `make check` leaves them out.
SLOW = """
    bench browser cluster colab_file course_files feedback fuzz gpu grader grading grading_command
    grading_files grading_prepare grading_runner honest hostile isolation lms_class lms_collect lms_upload
    notebook_client places postgres program stolen_code stored_corpus submission training
""".split()  # noqa: SIM905


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.stem.removeprefix("test_") in SLOW:
            item.add_marker("slow")


@pytest.fixture(scope="module", autouse=True)
def environment():
    """Puts back what a module's tests set: nbgrader_config.py names the solutions of its own folder."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def browser():
    """Chromium, for pages that need no server."""
    from browser import CHROMIUM, FLAGS

    sync_api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium here: install Debian's chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()
