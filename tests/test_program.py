"""The program that a learner takes home: it runs with torch alone, and is made of the learner's pieces."""

import json
import re
import subprocess
import sys

import pytest
import torch
from javascript import translated
from learner import finish
from pytorchs_weights import pytorchs
from torch import nn

from course_lib.command import main
from course_lib.program import ForeignFileError, program
from course_lib.program.page import STORED
from course_lib.state import FOLDER
from course_lib.yours import yours

SOLVED = ("01", "02", "03", "04", "05", "06", "07")
PAIRS = "i like tea\t我 喜欢 茶\nyou like tea\t你 喜欢 茶\ni like you\t我 喜欢 你\ntea ?\t茶 ？\n"
# Nothing of the course may be found, wherever it is installed.
ALONE = (
    "import sys, runpy; sys.modules['course_lib'] = None; sys.argv = sys.argv[1:]; "
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The program of a learner who has solved all, and the folder where it lies."""
    folder = tmp_path_factory.mktemp("program")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER, str(folder / "state"))
        finish(SOLVED)
        program(folder / "my_transformer.py")
    (folder / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    return folder


def run(folder, *arguments, program="my_transformer.py"):
    command = [sys.executable, "-c", ALONE, program, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)


def test_it_trains_goes_on_translates_and_evaluates(finished):
    first = run(finished, "train", "pairs.tsv", "--steps", "400")
    last = "my_transformer.pt is trained: translate, evaluate, show and page use it\n"
    assert first.stdout.endswith(last), first.stderr
    assert re.search(r"^step 400 of 400, loss 0\.\d+$", first.stdout, re.MULTILINE)
    again = run(finished, "train", "pairs.tsv", "--steps", "400")
    assert "has 400 of 400 steps and continues from there" in again.stdout
    told = run(finished, "translate", "I like tea", "tea?")
    assert told.stdout == "我 喜欢 茶\n茶 ？\n", told.stderr
    assert "exact 100.00 %" in run(finished, "evaluate", "pairs.tsv").stdout
    unknown = run(finished, "translate", "i like zebras")
    assert "zebras" in unknown.stderr and unknown.returncode == 0
    filled = run(finished, "page", "pairs.tsv")
    assert filled.stdout.startswith("my_translator.html has the model ("), filled.stderr
    drawn = run(finished, "show", "i like tea")
    assert drawn.stdout.split() == [f"attention_{kind}.png" for kind in ("encoder", "decoder", "cross")], (
        drawn.stderr
    )
    assert all((finished / name).stat().st_size > 5000 for name in drawn.stdout.split())


def test_its_page_translates_as_it_does(finished):
    run(finished, "train", "pairs.tsv", "--steps", "400")
    run(finished, "page", "pairs.tsv")
    model = json.loads(STORED.search((finished / "my_translator.html").read_text(encoding="utf-8"))[2])
    sentences = [line.split("\t")[0] for line in PAIRS.splitlines()]
    told = run(finished, "translate", *sentences).stdout.splitlines()
    assert model["examples"] == [list(pair) for pair in zip(sentences, told, strict=True)]
    found = translated(model, [sentence.split() for sentence in sentences])
    assert [" ".join(one["target"][:-1]) for one in found] == told
    (finished / "other.html").write_text("text")
    for page in ("other.html", "none.html"):
        refused = run(finished, "page", "pairs.tsv", "--page", page)
        assert f"{page} is no page for a model" in refused.stderr and "Traceback" not in refused.stderr


def test_an_interrupted_training_goes_on_where_it_was(finished):
    model = ("--model", "slow.pt", "--steps", "600")
    with subprocess.Popen(
        [sys.executable, "-u", "-c", ALONE, "my_transformer.py", "train", "pairs.tsv", *model],
        cwd=finished,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as running:
        for line in running.stdout:
            if line.startswith("step 200"):
                running.kill()
                break
    told = run(finished, "train", "pairs.tsv", *model).stdout
    assert "slow.pt has 200 of 600 steps" in told and "step 400 of 600" in told and "step 600 of 600" in told
    assert "step 200 of 600" not in told


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "i like tea\t茶\n\ni like tea 茶\n",
            "bad.tsv, line 3: no tab between English and Chinese: 'i like tea 茶'",
        ),
        ("i like tea\t \n", "bad.tsv, line 1: nothing after the tab"),
        ("茶\ti like tea\n", "bad.tsv, line 1: Chinese is before the tab"),
        ("\n", "bad.tsv holds no pair"),
        (b"a\tb\nc\t\xff\xfe\n", "bad.tsv, line 2: not UTF-8"),
        ("a " * 200 + "\t茶\n", "bad.tsv, line 1: a sentence of 200 words"),
    ],
)
def test_a_bad_file_is_told_by_its_line(finished, text, message):
    (finished / "bad.tsv").write_bytes(text if isinstance(text, bytes) else text.encode())
    done = run(finished, "train", "bad.tsv", "--model", "bad.pt")
    assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr


def test_other_misuse_is_told(finished):
    assert "No such file" in run(finished, "train", "nowhere.tsv").stderr
    assert "there is no no.pt: `train` makes it" in run(finished, "translate", "a", "--model", "no.pt").stderr
    (finished / "other.pt").write_text("text")
    assert (
        "other.pt is no checkpoint of this program"
        in run(finished, "translate", "a", "--model", "other.pt").stderr
    )


def test_its_text_is_the_learners_and_says_so(finished):
    text = (finished / "my_transformer.py").read_text()
    assert "all are yours" in text and "the course's" not in text and "course_lib" not in text
    assert '"""Encoder' not in text and '"""Self-attention, then a feed-forward layer, post-norm' in text
    assert (
        text.index("class TokenEmbedding") < text.index("class MultiHeadAttention") < text.index("def main")
    )


def test_of_half_a_course_the_other_half_is_marked(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(FOLDER, str(tmp_path / "state"))
    finish(("01", "03", "06"), without=("Transformer", "split_heads"))
    monkeypatch.chdir(tmp_path)
    assert main(["program", "half.py"]) == 0
    told, text = capsys.readouterr().out, (tmp_path / "half.py").read_text()
    assert "split_heads (lesson 03); sinusoidal_encoding" in told
    assert "# split_heads, lesson 03 (the course's)" in text
    assert "are the course's and marked.\n" in text
    assert "# MultiHeadAttention, lesson 03 (yours)" in text
    (tmp_path / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    assert run(tmp_path, "train", "pairs.tsv", "--steps", "3", program="half.py").returncode == 0


def test_another_file_is_not_overwritten(tmp_path):
    (tmp_path / "mine.py").write_text("x = 1\n")
    with pytest.raises(ForeignFileError, match="was not written by this"):
        program(tmp_path / "mine.py")
    assert (tmp_path / "mine.py").read_text() == "x = 1\n"


def test_helpers_of_the_same_name_do_not_meet(tmp_path, monkeypatch):
    """Each piece keeps its own, whatever another piece or the end of the program calls by that name."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "state"))
    finish(SOLVED)
    for name, argument in (("causal_mask", "size"), ("padding_mask", "ids")):
        path = tmp_path / "state" / "pieces" / f"{name}.py"
        text = path.read_text().replace("return ", f"{argument} = english_words({argument})\n    return ", 1)
        path.write_text(f"def english_words(x):\n    return x  # of {name}\n\n\n{text}")
    program(tmp_path / "my_transformer.py")
    text = (tmp_path / "my_transformer.py").read_text()
    assert "def english_words_of_causal_mask(x)" in text and "def english_words_of_padding_mask(x)" in text
    assert "def english_words(sentence)" in text


def test_names_from_two_modules_do_not_meet(tmp_path, monkeypatch):
    """An import of one piece is not that of another, and a helper does not stand for a later piece."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "state"))
    finish(SOLVED)
    for name, line, call in (
        ("causal_mask", "from math import sqrt", "sqrt(size * size)"),
        ("padding_mask", "from torch import sqrt", "sqrt(ids * ids)"),
        ("decoder_mask", "def bleu(x):\n    return x", "bleu(ids)"),
    ):
        path = tmp_path / "state" / "pieces" / f"{name}.py"
        text = path.read_text().replace("return ", f"{call}\n    return ", 1)
        path.write_text(f"{line}\n\n\n{text}")
    monkeypatch.chdir(tmp_path)
    program()
    text = (tmp_path / "my_transformer.py").read_text()
    assert "def bleu_of_decoder_mask(x)" in text and "def bleu(translations, references)" in text
    (tmp_path / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    done = run(tmp_path, "train", "pairs.tsv", "--steps", "3")
    assert done.returncode == 0, done.stderr


def test_its_logits_are_those_of_nn_transformer(finished, monkeypatch):
    """On the same weights; the one way in which it differs is a norm behind each stack, left out here."""
    monkeypatch.setenv(FOLDER, str(finished / "state"))
    Transformer, causal_mask = yours("Transformer", "causal_mask")
    torch.manual_seed(0)
    model = Transformer(11, 13, 8, 2, 12, 2)
    source, target = torch.randint(4, 11, (3, 6)), torch.randint(4, 13, (3, 5))
    source[0, 4:] = 0
    twin = nn.Transformer(8, 2, 2, 2, 12, dropout=0.0, batch_first=True)
    twin.encoder.norm = twin.decoder.norm = None
    for ours, theirs in (
        *zip(model.encoder, twin.encoder.layers, strict=True),
        *zip(model.decoder, twin.decoder.layers, strict=True),
    ):
        theirs.load_state_dict(pytorchs(ours))
    with torch.no_grad():
        hidden = source == 0
        x, y = (
            model.positions(model.source_embedding(source)),
            model.positions(model.target_embedding(target)),
        )
        expected = twin(
            x, y, tgt_mask=~causal_mask(5), src_key_padding_mask=hidden, memory_key_padding_mask=hidden
        )
        assert torch.allclose(model(source, target), model.output(expected), atol=1e-5)


def test_the_corpus_as_files(tmp_path, monkeypatch, capsys):
    assert main(["corpus", "--to", str(tmp_path)]) == 0
    assert "train.tsv: 30000 pairs" in capsys.readouterr().out
    lines = (tmp_path / "train.tsv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 30_000 and all(line.count("\t") == 1 for line in lines)
