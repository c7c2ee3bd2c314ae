"""The section of lesson 13 on real sentences, with a small file in the place of a fetched one."""

from itertools import dropwhile

import jupytext
import pytest
from learner import solved

from course_lib.authoring.build import ROOT
from course_lib.corpus import load_corpus
from course_lib.text import BOS, EOS, Vocabulary
from course_lib.yours import yours

SMALLER = {
    "learn_merges(counts, 1000)": "learn_merges(counts, 60)",
    "Recipe(steps=400": "Recipe(steps=4",
    '"report_every": 50': '"report_every": 2',
}
NEEDED = "apply_rotary =", "def cached_layers", "class CachedGPT", "def padded"


@pytest.fixture(scope="module")
def section():
    text = (ROOT / "solutions" / "13_inference.py").read_text(encoding="utf-8")
    for large, small in SMALLER.items():
        assert large in text
        text = text.replace(large, small)
    cells = jupytext.reads(text, fmt="py:percent").cells
    needed = [cell for cell in cells if cell.source.startswith(NEEDED)]
    of_section = dropwhile(lambda cell: not cell.source.startswith("## 9. "), cells)
    code = [cell.source for cell in (*needed, *of_section) if cell.cell_type == "code"]
    return code[:-1]  # the last shows progress


def run(section):
    names = solved("13_inference")
    names |= {"BOS": BOS, "EOS": EOS, "Vocabulary": Vocabulary, "GPT": yours("GPT")}
    for cell in section:
        exec(cell, names)
    return names


def test_without_a_file_the_cells_do_nothing(section, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run(section)
    assert "hsk.tsv was not found, so the next cells do nothing" in capsys.readouterr().out


def test_another_file_is_refused(section, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hsk.tsv").write_text("I try.\t我试试。\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"hsk.tsv is another file than the one that the scores belong to"):
        run(section)


def test_the_learners_pieces_translate_a_file_of_their_own(section, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    pairs = load_corpus(train=900, validation=0, test=0).train
    lines = [f"{' '.join(pair.source)}\t{''.join(pair.target)}\n" for pair in pairs]
    (tmp_path / "hsk.tsv").write_text("".join(lines), encoding="utf-8")
    names = run([cell.replace("sha256=SHA256", "sha256=None") for cell in section])
    assert len(names["written"]) == len(names["test_pairs"]) >= 300
    assert names["history"].validation_steps == [2, 4]
    example = names["cut_pairs"](names["test_pairs"][:1])[0]
    text = names["decode"]([int(piece) for piece in example.source], names["merges"])
    assert text == " " + " ".join(names["test_pairs"][0].source)
    printed = capsys.readouterr().out
    assert "BLEU" in printed and "Marian" not in printed
