"""Downloads of Canvas and Moodle are read without being unpacked, and hostile ones do no harm."""

import os
import random
import stat
import zipfile

import pytest

from course_lib.grading.lms import archive
from course_lib.grading.lms.archive import read_download
from course_lib.grading.lms.names import CANVAS, MOODLE, PLAIN, is_called, labels
from course_lib.grading.nbgrader.course import CourseError

LESSON = "02_attention"
HOSTILE = {
    "/etc/a.ipynb": "absolute",
    "C:/a.ipynb": "absolute",
    "..\\a.ipynb": "absolute",
    "a/../../b.ipynb": "leads out",
    "a\x1b[2J.ipynb": "cannot be printed",
    "x/" * 20 + "a.ipynb": "folders deep",
    "ä" * 200 + ".ipynb": "a name of more than",
}


def zipped(path, files, **options):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **options) as file:
        for name, data in files.items():
            file.writestr(name, data)
    return path


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_refused_and_the_others_are_taken(tmp_path, name):
    got = read_download(zipped(tmp_path / "a.zip", {name: "{}", "ada.ipynb": "{}"}))
    assert [one.name for one in got.notebooks] == ["ada.ipynb"]
    assert len(got.refused) == 1 and HOSTILE[name] in next(iter(got.refused.values()))
    assert os.listdir(tmp_path) == ["a.zip"]


@pytest.mark.parametrize(("kind", "told"), [(stat.S_IFLNK, "a link"), (stat.S_IFIFO, "a device")])
def test_links_and_devices_are_refused(tmp_path, kind, told):
    info = zipfile.ZipInfo("ada.ipynb")
    info.external_attr = (kind | 0o644) << 16
    got = read_download(zipped(tmp_path / "a.zip", {info: "/etc/passwd"}))
    assert not got.notebooks and told in got.refused["ada.ipynb"]


def test_in_a_folder_links_and_pipes_are_refused(tmp_path):
    (tmp_path / "ada.ipynb").symlink_to("/etc/passwd")
    (tmp_path / "bob").symlink_to("/etc")
    os.mkfifo(tmp_path / "chen.ipynb")
    (tmp_path / "dora.ipynb").write_text("{}")
    got = read_download(tmp_path)
    assert [one.name for one in got.notebooks] == ["dora.ipynb"]
    assert got.refused.keys() == {"ada.ipynb", "bob", "chen.ipynb"}


def test_a_small_file_that_grows_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "LARGEST_FILE", 1 << 20)
    got = read_download(zipped(tmp_path / "a.zip", {"bomb.ipynb": b"0" * (2 << 20), "ada.ipynb": "{}"}))
    assert [one.name for one in got.notebooks] == ["ada.ipynb"] and "too large" in got.refused["bomb.ipynb"]


def test_too_many_entries(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MOST_ENTRIES", 3)
    with pytest.raises(CourseError, match="holds 4 files, at most 3"):
        read_download(zipped(tmp_path / "a.zip", {f"{i}.ipynb": "{}" for i in range(4)}))


def test_what_is_no_zip(tmp_path):
    (tmp_path / "a.zip").write_bytes(b"no zip")
    with pytest.raises(CourseError, match="cannot be read"):
        read_download(tmp_path / "a.zip")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_a_damaged_archive_is_refused_in_a_sentence_as_a_whole_or_in_part(tmp_path, method):
    with zipfile.ZipFile(tmp_path / "whole.zip", "w", method) as file:
        for name in ("adä.ipynb", "bob.ipynb"):
            file.writestr(name, b"{}" * 100)
    whole, draw, hurt = (tmp_path / "whole.zip").read_bytes(), random.Random(0), 0
    for _ in range(200):
        damaged = bytearray(whole)
        for _ in range(4):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        (tmp_path / "damaged.zip").write_bytes(damaged)
        try:
            got = read_download(tmp_path / "damaged.zip")
            hurt += bool(got.refused or got.others)
        except CourseError as error:
            assert "cannot be read" in str(error)
            hurt += 1
    assert hurt > 100


def test_other_files_are_told(tmp_path):
    got = read_download(zipped(tmp_path / "a.zip", {"a.zip": "", "b.pdf": "", "__MACOSX/._c.ipynb": ""}))
    assert got.others.keys() == {"a.zip", "b.pdf"} and not got.refused


def test_names_of_canvas():
    name = "müllerzoë_LATE_1042_777_02_attention-2.ipynb"
    one = labels([name], LESSON)[name]
    assert (one.system, one.names, one.id, one.attachment) == (CANVAS, ("müllerzoë",), "1042", 777)
    assert one.late and is_called("02_attention-2", LESSON) and one.file == "02_attention-2.ipynb"
    digits = f"kimbo11_1042_777_{LESSON}.ipynb"  # a name may end in some
    assert (labels([digits], LESSON)[digits].id, labels([digits], LESSON)[digits].attachment) == ("1042", 777)
    number = f"1002_1001_71_{LESSON}.ipynb"  # or be one
    assert labels([number], LESSON)[number].id == "1001"
    anonymous = "anon_Ab3x9_778_02_attention.ipynb"
    assert labels([anonymous], LESSON)[anonymous].id == "anon_Ab3x9"


def test_names_of_moodle():
    name = "Séan O'Neil_3301_assignsubmission_file/02_attention (1).ipynb"
    one = labels([name], LESSON)[name]
    assert (one.system, one.names, one.id) == (MOODLE, ("Séan O'Neil",), "3301")
    flat = f"Ada Kim_3302_assignsubmission_file_{LESSON}.ipynb"  # folders are switched off in Moodle
    assert (labels([flat], LESSON)[flat].id, labels([flat], LESSON)[flat].file) == ("3302", f"{LESSON}.ipynb")
    assert is_called("02_attention (1)", LESSON) and not is_called("03_multi_head", LESSON)


@pytest.mark.parametrize("lesson", [LESSON, "12_gpt"])
def test_the_number_of_a_lesson_is_no_attachment_of_canvas(lesson):
    name = f"ada/hw_1_{lesson} (1).ipynb"
    assert labels([name], lesson)[name].names[0] == "ada"


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (["s-123.ipynb"], {"s-123"}),
        (["2026_03_02_attention.ipynb"], {"2026_03_02_attention"}),
        (["ada/1_02_attention.ipynb"], {"ada", "1_02_attention"}),
        (["ada/02_attention.ipynb"], {"ada"}),
        (["ada/02_attention/Copy_of_02_attention.ipynb"], {"ada"}),
        (["class/ada/02_attention.ipynb", "class/bob/02_attention.ipynb"], {"ada", "bob"}),
        (["class/ada/02_attention.ipynb"], {"class", "ada"}),  # which of them, only a list of students knows
        (["Copy_of_ada (1).ipynb"], {"Copy_of_ada (1)", "ada"}),
    ],
)
def test_names_of_plain_folders(names, wanted):
    found = labels(names, LESSON)
    assert {one.system for one in found.values()} == {PLAIN}
    assert {name for one in found.values() for name in one.names} == wanted
