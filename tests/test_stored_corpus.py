"""A corpus that was drawn is read from its file, and never another one."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from course_lib.corpus import load_corpus, splits, stored
from course_lib.corpus.grammar import Grammar
from course_lib.corpus.stored import MOST
from course_lib.state import FOLDER

SIZES = {"train": 200, "validation": 20, "test": 20, "compositional": 0, "ambiguity": 1}


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER, str(tmp_path / "state"))
    return tmp_path / "state" / "corpus"


@pytest.fixture
def draws(monkeypatch):
    """How often a corpus is drawn."""
    drawn, draw = [], splits._draw_corpus
    monkeypatch.setattr(splits, "_draw_corpus", lambda *sizes: drawn.append(sizes) or draw(*sizes))
    return drawn


def test_it_is_drawn_once(folder, draws):
    first, again = load_corpus(**SIZES), load_corpus(**SIZES)
    assert first == again and len(draws) == 1
    again.train.clear()
    assert load_corpus(**SIZES).train == first.train, "who changes a corpus changes only this one"
    assert len(list(folder.iterdir())) == 1


def test_the_lessons_corpus_is_read_in_less_than_a_second_by_another_process():
    code = (
        "from course_lib.corpus import load_corpus; import time; began = time.process_time(); load_corpus();"
    )
    code += "print(time.process_time() - began)"
    drawn, read = (
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=env).stdout)
        for env in ({**os.environ, "PYTHONHASHSEED": seed} for seed in ("1", "2"))
    )
    assert read < max(1, drawn / 4)  # the latter on a slow machine


def test_other_arguments_give_another_corpus(draws):
    ours = load_corpus(**SIZES)
    assert load_corpus(**SIZES, seed=1).train != ours.train
    assert len(load_corpus(**SIZES | {"test": 10}).test) == 10
    assert len(draws) == 3
    assert load_corpus(**SIZES) == ours


def test_other_rules_give_another_corpus(monkeypatch):
    ours, names = load_corpus(**SIZES), [f"w{i}" for i in range(5000)]
    other = Grammar("sentence:\n" + "\n".join(f"    {name} = {name.upper()}" for name in names))
    sizes = SIZES | {"ambiguity": 0}
    load_corpus(**sizes)
    with monkeypatch.context() as patched:
        patched.setattr(splits, "grammar", lambda: other)
        patched.setattr(splits, "example_pairs", list)
        assert load_corpus(**sizes).train[0].source[0] in names
    assert load_corpus(**sizes).train[0].source[0] not in names, "nothing of the other one is kept"
    assert load_corpus(**SIZES) == ours


def test_other_sources_give_another_corpus(monkeypatch, draws):
    load_corpus(**SIZES)
    read = Path.read_bytes
    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", lambda path: read(path).replace(b"0.2", b"0.3"))
        other = stored.digest_of_sources()
    monkeypatch.setattr(stored, "SOURCES", other)
    load_corpus(**SIZES)
    assert len(draws) == 2


@pytest.mark.parametrize("damage", [
    lambda content: b"",
    lambda content: content[: len(content) // 2],
    lambda content: content.replace(b"the", b"thy", 1),
    lambda content: b"{}",
    lambda content: content.split(b"\n")[0] + b"\n{}",
    lambda content: b"\x80\x04N.",
])  # fmt: skip
def test_a_damaged_file_is_written_anew(folder, draws, damage):
    ours = load_corpus(**SIZES)
    (file,) = folder.iterdir()
    good = file.read_bytes()
    file.write_bytes(damage(good))
    assert load_corpus(**SIZES) == ours and len(draws) == 2
    assert file.read_bytes() == good


def test_where_nothing_can_be_kept_it_is_drawn(monkeypatch, tmp_path, draws, capfd):
    (tmp_path / "file").write_text("not a folder")
    for place in ("", str(tmp_path / "file"), "/proc/nowhere", "~nobody_of_this_name/course"):
        monkeypatch.setenv(FOLDER, place)
        assert len(load_corpus(**SIZES).train) == SIZES["train"]
    assert len(draws) == 4 and capfd.readouterr() == ("", "")


def test_the_oldest_files_go(folder):
    folder.mkdir(parents=True)
    for age in range(MOST + 3):
        (folder / f"{age}.txt").write_text("")
        os.utime(folder / f"{age}.txt", (time.time() - 100 - age,) * 2)
    load_corpus(**SIZES)
    left = {path.name for path in folder.iterdir()}
    assert len(left) == MOST and {f"{age}.txt" for age in range(MOST - 1)} < left
