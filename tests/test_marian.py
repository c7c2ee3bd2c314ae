"""Loading a real translator, tried on a tiny one with random weights: nothing is downloaded here."""

import builtins
import io
import json

import pytest
import torch

from course_lib.corpus import load_corpus
from course_lib.translation.marian import SIMPLIFIED, MarianTranslator

SPECIAL = ["</s>", "<unk>", SIMPLIFIED]


def pieces(sentences):
    """A sentencepiece model of some sentences, as bytes, and its pieces."""
    sentencepiece = pytest.importorskip("sentencepiece", reason="the extra `transfer` is not installed")
    trained = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences),
        model_writer=trained,
        vocab_size=400,
        minloglevel=2,
        character_coverage=1.0,
        hard_vocab_limit=False,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=trained.getvalue())
    return trained.getvalue(), [processor.id_to_piece(i) for i in range(len(processor))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    transformers = pytest.importorskip("transformers", reason="the extra `transfer` is not installed")
    path = tmp_path_factory.mktemp("marian")
    pairs, words = load_corpus(train=300, validation=0, test=0).train, [*SPECIAL]
    for name, side in (("source", 0), ("target", 1)):
        model, found = pieces(" ".join(pair[side]) for pair in pairs)
        (path / f"{name}.spm").write_bytes(model)
        words += [word for word in found if word not in words]
    vocabulary = {word: i for i, word in enumerate([*words, "<pad>"])}
    (path / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    tokenizer = transformers.MarianTokenizer(
        str(path / "source.spm"), str(path / "target.spm"), str(path / "vocab.json")
    )
    tokenizer.save_pretrained(path)
    pad = vocabulary["<pad>"]
    torch.manual_seed(0)
    config = transformers.MarianConfig(
        vocab_size=len(vocabulary),
        d_model=16,
        encoder_layers=2,
        decoder_layers=3,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=128,
        pad_token_id=pad,
        decoder_start_token_id=pad,
        eos_token_id=0,
        forced_eos_token_id=0,
    )
    transformers.MarianMTModel(config).save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def translator(folder):
    return MarianTranslator.load(folder)


def test_a_sentence_goes_in_and_a_sentence_comes_out(translator):
    assert isinstance(translator("i am a student"), str)
    assert isinstance(translator("i am a student", beam=2), str)


def test_the_target_language_is_asked_for(translator):
    assert translator.explain("i am a student").source[0] == SIMPLIFIED


def test_attention_has_the_axes_of_the_course(translator):
    found = translator.explain("i like tea")
    source, target = len(found.source), len(found.target)
    assert found.read[0] == "<pad>" and found.target[-1] == found.source[-1] == "</s>"
    assert found.read[1:] == found.target[:-1]
    assert found.maps.encoder.shape == (2, 1, 4, source, source)
    assert found.maps.decoder.shape == (3, 1, 4, target, target)
    assert found.maps.cross.shape == (3, 1, 4, target, source)
    assert torch.allclose(found.maps.cross.sum(dim=-1), torch.ones(3, 1, 4, target), atol=1e-5)
    assert found.maps.decoder.triu(1).abs().max() == 0


def test_the_courses_figures_draw_it(translator):
    from course_lib import plots

    found = translator.explain("i like tea")
    picture = plots.show(plots.attention_grid(found.maps.cross[:, 0], found.target, found.source))
    assert len(picture.alt) > 30


def test_an_empty_sentence_is_refused(translator):
    with pytest.raises(ValueError, match="the sentence is empty"):
        translator(" ")


def test_what_to_do_without_transformers(monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.partition(".")[0] in ("transformers", "sentencepiece"):
            raise ImportError(f"No module named {name!r}", name=name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"sentencepiece is not installed.*\n.*pip install transformers"):
        MarianTranslator.load()
