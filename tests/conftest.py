"""Tests keep no progress in the home of whoever runs them; tests/test_progress.py looks at what is kept."""

import os

os.environ["COURSE_LIB_STATE"] = ""


def pytest_addoption(parser):
    parser.addoption(
        "--seeds", type=int, default=4, help="seeds with which tests/test_checks.py runs each case"
    )
