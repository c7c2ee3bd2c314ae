import math
import random

import pytest
import sacrebleu
import torch

from course_lib.model.config import TransformerConfig
from course_lib.model.transformer import Transformer
from course_lib.text import BOS, EOS, PAD
from course_lib.translation.decoding import beam_search, greedy_decode
from course_lib.translation.metrics import alignment_accuracy, bleu, exact_match

VOCAB = 9


def build(seed: int = 0, **changes) -> Transformer:
    """A random model whose output table is large enough for decided, varied translations."""
    torch.manual_seed(seed)
    shape = {"d_model": 16, "heads": 2, "d_ff": 32, "max_length": 24, "tie": "none"} | changes
    model = Transformer(TransformerConfig(VOCAB, VOCAB, **shape))
    for parameter in model.parameters():
        parameter.data.add_(torch.randn_like(parameter), alpha=0.3)
    return model


def sources(rows: int = 12, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    source = torch.randint(4, VOCAB, (rows, 7), generator=generator)
    lengths = torch.randint(1, 8, (rows,), generator=generator)
    return source.masked_fill(torch.arange(7) >= lengths[:, None], PAD)


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary"])
@pytest.mark.parametrize("seed", range(2))
def test_cached_decoding_equals_uncached_token_for_token(positions, seed):
    model = build(seed, positions=positions)
    source = sources(seed=seed)
    greedy = greedy_decode(model, source)
    assert greedy.unique(dim=0).shape[0] > 2
    assert torch.equal(greedy, greedy_decode(model, source, use_cache=False))
    assert torch.equal(beam_search(model, source, 3), beam_search(model, source, 3, use_cache=False))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("decode", [greedy_decode, beam_search])
def test_a_row_is_decoded_alike_alone_and_in_a_batch(decode, seed):
    model, source = build(seed), sources(seed=seed)
    together = decode(model, source)
    for row, ids in zip(source, together, strict=True):
        alone = decode(model, row[row != PAD][None])[0]
        assert alone.tolist() == ids[: len(alone)].tolist()
        assert (ids[len(alone) :] == PAD).all()


def test_rows_end_with_eos_or_at_the_limit_and_then_hold_padding():
    lengths = set()
    for seed in range(6):
        for row in greedy_decode(build(seed), sources(), max_length=9):
            words = row[row != PAD]
            assert (row[len(words) :] == PAD).all()
            assert not {PAD, BOS} & set(words.tolist())
            assert EOS not in words[:-1] and (words[-1] == EOS or len(words) == 9)
            lengths.add(len(words))
    assert 9 in lengths and len(lengths) > 3


def hypotheses(model: Transformer, source: torch.Tensor, length: int) -> dict[tuple[int, ...], float]:
    """log P of every translation that ends within `length` tokens, by trying all of them."""
    ended, running = {}, {(): 0.0}
    for _ in range(length):
        target = torch.tensor([[BOS, *words] for words in running])
        logits = model(source.expand(len(target), -1), target)[:, -1]
        logits[:, [PAD, BOS]] = -torch.inf
        grown = {}
        for (words, score), row in zip(running.items(), logits.log_softmax(dim=-1).tolist(), strict=True):
            for token in range(EOS, VOCAB):
                (ended if token == EOS else grown)[(*words, token)] = score + row[token]
        running = grown
    return ended


@pytest.mark.parametrize("length_penalty", [0.0, 0.6, 2.0])
def test_a_wide_beam_finds_the_best_of_all_translations(length_penalty):
    model, source = build(3), torch.tensor([[5, 7, 8, EOS]])
    with torch.no_grad():
        scores = hypotheses(model, source, 3)
    best = max(scores, key=lambda words: scores[words] / ((5 + len(words)) / 6) ** length_penalty)
    found = beam_search(model, source, 300, length_penalty, max_length=3)[0]
    assert tuple(found[found != PAD].tolist()) == best


@pytest.mark.parametrize("seed", range(4))
def test_beam_of_one_without_length_penalty_is_greedy(seed):
    model, source = build(seed), sources()
    greedy, beam = greedy_decode(model, source), beam_search(model, source, 1, 0.0)
    assert [ids[ids != PAD].tolist() for ids in beam] == [ids[ids != PAD].tolist() for ids in greedy]


def test_double_precision_models_decode_too():
    model, source = build().double(), sources()
    assert greedy_decode(model, source).shape[0] == beam_search(model, source).shape[0] == len(source)


def test_decoding_leaves_the_model_in_training_mode_and_is_free_of_dropout():
    model, source = build(dropout=0.5).train(), sources()
    assert torch.equal(greedy_decode(model, source), greedy_decode(model, source))
    assert model.training


def test_bad_input_to_decoding_is_refused():
    model, source = build(), sources()
    with pytest.raises(ValueError, match=r"row 1 of .* all padding"):
        greedy_decode(model, torch.tensor([[4, 5], [PAD, PAD]]))
    with pytest.raises(ValueError, match=r"1 \.\.\. 24.*got 25"):
        greedy_decode(model, source, max_length=25)
    with pytest.raises(ValueError, match=r"beam: expected 1 or more, got 0"):
        beam_search(model, source, beam=0)
    with pytest.raises(ValueError, match="max_length=24 positions, got 28"):
        greedy_decode(model, source.clamp(min=4).repeat(1, 4))


def corpora(seed: int) -> tuple[list[list[str]], list[list[str]]]:
    """Translations and references of 1 to 12 words; the former have words changed, dropped or added."""
    rng = random.Random(seed)
    references = [[rng.choice("abcdefgh") for _ in range(rng.randint(1, 12))] for _ in range(40)]
    noisy = [
        [rng.choice([word] * 6 + ["x"]) for word in words if rng.random() < 0.95] for words in references
    ]
    return [words + ["y"] * rng.randint(0, seed) for words in noisy], references


@pytest.mark.parametrize("seed", range(4))
def test_bleu_equals_sacrebleu(seed):
    translations, references = corpora(seed)
    theirs = sacrebleu.corpus_bleu(
        [" ".join(words) for words in translations],
        [[" ".join(words) for words in references]],
        tokenize="none",
        smooth_method="none",
        force=True,
    )
    assert 20 < theirs.score < 90
    assert bleu(translations, references) == pytest.approx(theirs.score, abs=1e-6)


def test_bleu_at_its_ends():
    assert bleu([["a", "b", "c", "d"]], [["a", "b", "c", "d"]]) == pytest.approx(100)
    assert bleu([["a", "b", "c"]], [["a", "b", "c", "d"]]) == 0  # no 4-gram at all
    short = bleu([["a", "b", "c", "d"]], [["a", "b", "c", "d", "e"]])
    assert short == pytest.approx(100 * math.exp(-1 / 4))  # every n-gram is right, one word is missing


def test_exact_match_counts_whole_sentences():
    assert exact_match([["a", "b"], ["c"]], [("a", "b"), ("d",)]) == 0.5
    with pytest.raises(ValueError, match="got 1 and 2"):
        exact_match([["a"]], [["a"], ["b"]])


def test_alignment_accuracy_averages_heads_and_skips_words_without_alignment():
    weights = torch.tensor([[[0.9, 0.1], [0.1, 0.9], [0.6, 0.4]], [[0.2, 0.8], [0.3, 0.7], [0.5, 0.5]]])
    # averaged over heads, the queries look most at sources 0, 1 and 0
    assert alignment_accuracy([weights], [[(0,), (1,), (1,)]]) == pytest.approx(2 / 3)
    assert alignment_accuracy([weights], [[(0,), (), (0, 1)]]) == 1
    assert alignment_accuracy([weights], [[(1,), (1,)]]) == 0.5  # the last query wrote the end symbol
    with pytest.raises(ValueError, match="nothing to score"):
        alignment_accuracy([weights], [[(), (), ()]])
