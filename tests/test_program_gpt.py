"""The GPT that a learner takes home: it trains, continues texts and translates with torch alone."""

import re

import pytest
from learner import finish
from test_program import PAIRS, run

from course_lib.command import main
from course_lib.program import GPT, ForeignFileError, program
from course_lib.state import FOLDER

SOLVED = ("01", "02", "03", "04", "12", "13")
MINE = "my_gpt.py"


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The program of a learner who has solved all, trained on four pairs, and what its training printed."""
    folder = tmp_path_factory.mktemp("gpt")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER, str(folder / "state"))
        finish(SOLVED)
        program(folder / MINE, GPT)
    (folder / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    done = run(folder, "train", "pairs.tsv", "--steps", "150", program=MINE)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def test_it_trains_translates_in_a_batch_and_samples(trained):
    folder, told = trained
    assert re.search(r"^step 150 of 150, loss \d\.\d+$", told, re.MULTILINE)
    again = run(folder, "train", "pairs.tsv", "--steps", "150", program=MINE).stdout
    assert "has 150 of 150 steps and continues from there" in again
    # sentences of unequal length: padding stands on the left
    translated = run(folder, "translate", "I like tea", "tea?", program=MINE)
    assert translated.stdout == "我 喜欢 茶\n茶 ？\n", translated.stderr
    texts = [run(folder, "sample", "i like", "--seed", "4", program=MINE).stdout for _ in range(2)]
    assert texts[0] == texts[1] and len(texts[0].splitlines()) == 3
    assert all(line.startswith("i like ") for line in texts[0].splitlines())


def test_an_unknown_word_is_told(trained):
    folder, _ = trained
    done = run(folder, "translate", "i like zebras", program=MINE)
    assert "zebras" in done.stderr and done.returncode == 0


def test_it_learns_lines_without_a_translation_too(trained):
    folder, _ = trained
    (folder / "texts.txt").write_text("one two three four\n一二三四\n", encoding="utf-8")
    model = ("--model", "texts.pt")
    assert run(folder, "train", "texts.txt", "--steps", "60", *model, program=MINE).returncode == 0
    told = run(folder, "sample", "one two", "--count", "1", "--temperature", "0.1", *model, program=MINE)
    assert told.stdout == "one two three four\n", told.stderr
    refused = run(folder, "translate", "one", *model, program=MINE)
    assert refused.returncode == 1 and "has read no pairs" in refused.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n", "bad.tsv holds no text"),
        (b"a\tb\nc\t\xff\xfe\n", "bad.tsv, line 2: not UTF-8"),
        ("i like\t \n", "bad.tsv, line 1: nothing after the tab"),
        ("a " * 300, "bad.tsv, line 1: 300 words; a line may have 250"),
    ],
)
def test_a_bad_file_is_told_by_its_line(trained, text, message):
    folder, _ = trained
    (folder / "bad.tsv").write_bytes(text if isinstance(text, bytes) else text.encode())
    done = run(folder, "train", "bad.tsv", "--model", "bad.pt", program=MINE)
    assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr


def test_misuse_is_told(trained):
    folder, _ = trained
    assert "there is no no.pt" in run(folder, "sample", "--model", "no.pt", program=MINE).stderr
    assert "expected a number above 0" in run(folder, "sample", "--temperature", "0", program=MINE).stderr
    assert "expected a number of words" in run(folder, "sample", "--words", "9999", program=MINE).stderr


def test_its_text_is_the_learners(trained):
    text = (trained[0] / MINE).read_text()
    assert "all are yours" in text and "course_lib" not in text
    assert (
        text.index("def apply_rotary")
        < text.index("class GPT")
        < text.index("class CachedAttention")
        < text.index("def main")
    )


def test_the_command_writes_it_and_neither_program_replaces_the_other(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(FOLDER, str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    assert main(["program", "--gpt"]) == 0
    assert "CachedAttention" in capsys.readouterr().out
    assert (tmp_path / MINE).exists() and main(["program", "--gpt"]) == 0
    with pytest.raises(ForeignFileError, match="was not written by this"):
        program(MINE)
