"""ARCHITECTURE.md is drawn by hand, and held to the code."""

import importlib
import re

import pytest
from test_project import ROOMS, room_of

from course_lib.authoring.build import ROOT

PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
FIGURES = re.findall(r"```mermaid\n(.*?)```", PAGE, re.DOTALL)
PLACES = sorted({*re.findall(r"[\w/]+(?:/[\w*]+\.(?:py|md)|/(?=`))", PAGE)})


def existing(place):
    """Files of that name: walks and tables shorten what lies in course_lib or in course_lib/grading."""
    parents = [ROOT, ROOT / "course_lib", ROOT / "course_lib" / "grading"]
    return [path for parent in parents for path in parent.glob(place)]


@pytest.mark.parametrize("place", PLACES)
def test_what_it_names_is_there(place):
    assert existing(place) or place in ("submitted/", "grading/")


def test_the_picture_of_rooms_has_the_arrows_of_the_code():
    drawn = {
        (here, there.strip())
        for line in FIGURES[0].splitlines()
        if "-->" in line
        for here, others in [map(str.strip, line.split("-->"))]
        for there in others.split("&")
    }
    assert drawn == {(here, there) for here, others in ROOMS.items() for there in others}


def test_each_room_is_in_the_table():
    rooms = {room_of(path) for path in (ROOT / "course_lib").rglob("*.py")} - {"__init__"}
    table = PAGE.split("| room |")[1].split("\n\n")[0]
    assert rooms == set(re.findall(r"`(\w+)`", "".join(re.findall(r"\n\| (.*?) \|", table))))


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("checks.lesson", "Lesson"),
        ("checks.expected", "Expected"),
        ("checks.observation", "observe"),
        ("checks.judgement", "judge"),
        ("checks.score", "Score"),
        ("training.batches", "Bitext"),
        ("training.trainer", "Trainer"),
        ("model.transformer", "Transformer"),
        ("translation.decoding", "beam_search"),
        ("grading.sandbox.zygote", "_install_stubs"),
    ],
)
def test_what_the_walks_name_is_in_that_module(module, name):
    assert hasattr(importlib.import_module(f"course_lib.{module}"), name)
    assert name in PAGE
