import os
import random
import signal
import subprocess
import sys
import time

import pytest
import torch
import torch.nn.functional as F

from course_lib.model.config import TransformerConfig
from course_lib.model.transformer import Transformer
from course_lib.text import PAD, Pair, Vocabulary
from course_lib.training import trainer
from course_lib.training.batches import Bitext, bucketed_batches
from course_lib.training.checkpoint import load_checkpoint, save_atomically
from course_lib.training.losses import noam_rate, one_cycle, smoothed_loss
from course_lib.training.muon import Muon, orthogonalize
from course_lib.training.trainer import Recipe, device, train
from course_lib.translation.metrics import alignment_accuracy, exact_match
from course_lib.translation.translator import Translator


def reversal(count: int, seed: int) -> list[Pair]:
    """A toy language: every word in capitals, in reverse order."""
    rng = random.Random(seed)
    sources = [tuple(rng.choice("abcdefgh") for _ in range(rng.randint(1, 6))) for _ in range(count)]
    return [
        Pair(words, tuple(word.upper() for word in words[::-1]), tuple((i,) for i in range(len(words)))[::-1])
        for words in sources
    ]


PAIRS = reversal(400, seed=0)


def toy(seed: int = 0, **changes) -> tuple[Translator, Bitext]:
    torch.manual_seed(seed)
    layers = {"encoder_layers": 2, "decoder_layers": 2, "norm_first": True, "positions": "sinusoidal"}
    shape = {"d_model": 16, "heads": 2, "d_ff": 32, "max_length": 16, "dropout": 0.1} | layers | changes
    translator = Translator.for_pairs(PAIRS, **shape)
    return translator, Bitext(PAIRS, translator.source_words, translator.target_words)


# ---------------------------------------------------------------- batches


def test_bitext_keeps_every_word():
    translator, data = toy()
    for row in (0, 17, 399):
        source, target = data.batch(torch.tensor([row]))
        assert translator.source_words.decode(source[0]) == list(PAIRS[row].source)
        assert translator.target_words.decode(target[0]) == list(PAIRS[row].target)
        assert (source != PAD).all() and (target != PAD).all()


def test_batches_hold_each_pair_once_one_source_length_and_a_budget_of_tokens():
    _, data = toy()
    batches = bucketed_batches(data, 40, torch.Generator().manual_seed(1))
    assert torch.cat(batches).sort().values.tolist() == list(range(400))
    for rows in batches:
        source, target = data.batch(rows)
        assert (source != PAD).all()
        assert target[:, 1:].numel() <= 40
    assert sum(len(rows) for rows in batches) / len(batches) > 4
    again = bucketed_batches(data, 40, torch.Generator().manual_seed(1))
    other = bucketed_batches(data, 40, torch.Generator().manual_seed(2))
    assert [rows.tolist() for rows in batches] == [rows.tolist() for rows in again]
    assert [rows.tolist() for rows in batches] != [rows.tolist() for rows in other]


def test_a_pair_longer_than_the_budget_is_a_batch_of_its_own():
    _, data = toy()
    assert sorted(torch.cat(bucketed_batches(data, 1, torch.Generator())).tolist()) == list(range(400))


# ---------------------------------------------------------------- loss and schedules


def test_smoothed_loss_is_cross_entropy_against_smoothed_targets():
    torch.manual_seed(0)
    logits, target = torch.randn(2, 3, 6, dtype=torch.float64), torch.tensor([[4, 5, 2], [3, 2, PAD]])
    spread = torch.tensor([0, 0.02, 0.02, 0.02, 0.02, 0.02], dtype=torch.float64)
    wanted = spread + 0.9 * F.one_hot(target, 6)
    per_token = -(wanted * logits.log_softmax(dim=-1)).sum(dim=-1)
    torch.testing.assert_close(smoothed_loss(logits, target, 0.1), per_token[target != PAD].mean())
    plain = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)
    torch.testing.assert_close(smoothed_loss(logits, target, 0.0), plain)


def test_the_gradient_of_the_loss_is_the_one_that_differences_give():
    torch.manual_seed(0)
    logits = torch.randn(2, 3, 6, dtype=torch.float64, requires_grad=True)
    target = torch.tensor([[4, 5, 2], [3, PAD, PAD]])
    for smoothing in (0.0, 0.1):
        assert torch.autograd.gradcheck(lambda x, s=smoothing: smoothed_loss(x, target, s) ** 2, logits)


def test_smoothing_gives_nothing_to_padding():
    logits = torch.randn(1, 3, 6, requires_grad=True)
    target = torch.tensor([[4, 5, PAD]])
    smoothed_loss(logits, target).backward()
    assert (logits.grad[0, 2] == 0).all()
    probabilities = logits.softmax(dim=-1)[0, :2, PAD] / 2  # the gradient for a word whose target is 0
    torch.testing.assert_close(logits.grad[0, :2, PAD], probabilities)
    with pytest.raises(ValueError, match=r"\(1, 3\) is all padding"):
        smoothed_loss(logits, torch.zeros(1, 3, dtype=torch.long))


def test_noam_rate_is_equation_3_and_peaks_at_the_end_of_warm_up():
    assert noam_rate(4000, 512, 4000) == pytest.approx(512**-0.5 * 4000**-0.5)
    assert noam_rate(100, 512, 4000) == pytest.approx(512**-0.5 * 100 * 4000**-1.5)
    assert noam_rate(16000, 512, 4000) == pytest.approx(noam_rate(4000, 512, 4000) / 2)
    with pytest.raises(ValueError, match="got 0"):
        noam_rate(0, 512, 4000)


def test_one_cycle_warms_up_and_ends_at_zero():
    assert [one_cycle(done, 0.2) for done in (0, 0.1, 0.2, 0.6, 1, 1.1)] == pytest.approx(
        [0, 0.5, 1, 0.5, 0, 0]
    )


# ---------------------------------------------------------------- Muon


def test_orthogonalize_brings_singular_values_near_one():
    torch.manual_seed(0)
    matrices = torch.randn(5, 16, 16)
    values = torch.linalg.svdvals(orthogonalize(matrices))
    assert values.max() < 1.25 and (values > 0.6).float().mean() > 0.9
    left, _, right = torch.linalg.svd(matrices)
    agreement = (orthogonalize(matrices) * (left @ right)).sum(dim=(1, 2)) / 16
    assert (agreement > 0.75).all()  # the inner product with the true orthogonal factor, 1 if equal


def test_muon_cuts_matrices_into_blocks_that_do_not_touch_each_other():
    torch.manual_seed(0)
    weight, half = torch.zeros(8, 4, requires_grad=True), torch.zeros(4, 4, requires_grad=True)
    weight.grad, half.grad = torch.randn(8, 4), None
    weight.grad[4:] *= 1000
    half.grad = weight.grad[:4].clone()
    Muon([weight, half], size=4, lr=0.1).step()
    torch.testing.assert_close(weight[:4], half)
    assert 0.1 < weight[4:].norm() / half.norm() < 10
    with pytest.raises(ValueError, match=r"multiples of 4, got \(6, 4\)"):
        Muon([torch.zeros(6, 4, requires_grad=True)], size=4)


# ---------------------------------------------------------------- train


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(steps=250, batch_tokens=200, matrix_rate=0.03),
        Recipe(steps=550, batch_tokens=200, optimizer="adamw", schedule="noam", warmup_steps=100),
    ],
    ids=["muon, one cycle", "adamw, noam"],
)
def test_training_learns_to_reverse(recipe):
    translator, data = toy(dropout=0.0, d_model=32, d_ff=64)
    pairs = reversal(100, seed=1)
    validation = Bitext(pairs, translator.source_words, translator.target_words)
    history = train(translator.model, data, recipe, validation=validation, progress=False)
    assert history.stopped == "budget" and history.steps[-1] == recipe.steps
    assert history.losses[-1] < 0.6 * history.losses[0]
    assert history.validation_losses[-1] < 0.3
    assert history.tokens > 100 * recipe.steps and history.seconds > 0
    translations = translator.translate([pair.source for pair in pairs])
    assert exact_match(translations, [pair.target for pair in pairs]) > 0.8
    weights = translator.cross_weights(pairs)
    assert alignment_accuracy(weights, [pair.alignment for pair in pairs]) > 0.5


def test_adamw_trains_a_model_that_is_not_the_courses():
    translator, data = toy()
    learners = torch.nn.Module()
    learners.inner, learners.forward = translator.model, translator.model.forward
    history = train(learners, data, Recipe(steps=3, batch_tokens=150, optimizer="adamw"), progress=False)
    assert len(history.losses) > 0


def same_state(first: Transformer, second: Transformer) -> bool:
    a, b = first.state_dict(), second.state_dict()
    return all(torch.equal(a[name], b[name]) for name in a | b)


@pytest.mark.parametrize("optimizer", ["muon", "adamw"])
def test_an_interrupted_run_ends_bit_for_bit_like_an_undisturbed_one(tmp_path, optimizer):
    recipe = Recipe(steps=60, batch_tokens=150, optimizer=optimizer)
    whole, data = toy()
    expected = train(whole.model, data, recipe, report_every=10, progress=False)

    class KilledError(Exception):
        pass

    def kill(history):
        if history.steps[-1] == 40:
            raise KilledError

    path = tmp_path / "run.pt"
    arguments = {"report_every": 10, "checkpoint": path, "progress": False}
    broken, data = toy()
    with pytest.raises(KilledError):
        train(broken.model, data, recipe, on_report=kill, **arguments)
    resumed, data = toy(seed=99)  # another process has other generators and other weights
    history = train(resumed.model, data, recipe, **arguments)
    assert same_state(resumed.model, whole.model)
    assert history.losses == expected.losses and history.steps == [10, 20, 30, 40, 50, 60]
    again = train(resumed.model, data, recipe, **arguments)  # a finished run has nothing left to do
    assert again.steps == history.steps and same_state(resumed.model, whole.model)


def test_equal_seeds_give_equal_models_and_other_seeds_others():
    def run(seed):
        translator, data = toy()
        train(translator.model, data, Recipe(steps=8, batch_tokens=100, seed=seed), progress=False)
        return translator.model

    first, second, other = run(1), run(1), run(2)
    assert same_state(first, second) and not same_state(first, other)


def test_early_stop_when_validation_gets_no_better(monkeypatch):
    losses = iter([3.0, 2.0, 2.5, 1.9, 1.9, 2.1, 1.0])
    monkeypatch.setattr(trainer.Trainer, "validation_loss", lambda self, data: next(losses))
    translator, data = toy()
    history = train(
        translator.model, data, Recipe(steps=100, batch_tokens=60),
        validation=data, patience=2, report_every=2, progress=False,
    )  # fmt: skip
    assert history.validation_losses == [3.0, 2.0, 2.5, 1.9, 1.9, 2.1]
    assert history.stopped == "no better validation loss for 2 reports" and history.steps[-1] == 12


def test_a_budget_of_seconds_is_kept_by_the_given_clock_and_reports_do_not_count():
    ticks = iter(range(10**6))
    translator, data = toy()
    history = train(
        translator.model, data, Recipe(seconds=30, batch_tokens=60),
        report_every=5, clock=lambda: next(ticks), progress=False,
    )  # fmt: skip
    assert history.seconds == 30 and history.steps[-1] == 25  # one tick a step and one a report
    assert history.rates[0] > history.rates[-1] >= 0


def test_validation_loss_does_not_touch_the_run():
    def run(validate):
        translator, data = toy()
        validation = data if validate else None
        train(translator.model, data, Recipe(steps=20, batch_tokens=100), validation=validation,
              report_every=5, progress=False)  # fmt: skip
        return translator.model

    assert same_state(run(True), run(False))


# ---------------------------------------------------------------- checkpoints and bad input


def test_a_run_killed_while_it_writes_leaves_a_whole_checkpoint(tmp_path):
    path = tmp_path / "run.pt"
    script = (
        "import torch; from course_lib.training.checkpoint import save_atomically\n"
        "for i in range(10**6):\n"
        f"    save_atomically({{'step': i, 'weights': torch.full((300_000,), i)}}, {str(path)!r})"
    )
    for pause in (0.05, 0.2):
        writer = subprocess.Popen([sys.executable, "-c", script])
        path.unlink(missing_ok=True)
        while not path.exists() and writer.poll() is None:
            time.sleep(0.01)
        time.sleep(pause)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        found = load_checkpoint(path)
        assert (found["weights"] == found["step"]).all()


def test_an_error_while_writing_keeps_the_old_checkpoint_and_no_rest(tmp_path):
    path = tmp_path / "run.pt"
    save_atomically({"step": 1}, path)
    with pytest.raises(Exception, match="pickle"):
        save_atomically({"step": lambda: None}, path)
    assert load_checkpoint(path) == {"step": 1}
    assert [file.name for file in tmp_path.iterdir()] == ["run.pt"]


def test_a_checkpoint_of_another_model_names_the_fields(tmp_path):
    path = tmp_path / "run.pt"
    recipe = Recipe(steps=2, batch_tokens=100)
    translator, data = toy()
    train(translator.model, data, recipe, checkpoint=path, progress=False)
    other, _ = toy(d_model=32, norm_first=False)
    with pytest.raises(
        ValueError, match=r"another model.*d_model is 16, not 32.*norm_first is True, not False"
    ):
        train(other.model, data, recipe, checkpoint=path, progress=False)
    with pytest.raises(ValueError, match=r"another recipe.*steps is 2, not 3"):
        train(translator.model, data, Recipe(steps=3, batch_tokens=100), checkpoint=path, progress=False)
    fewer = Bitext(PAIRS[:300], translator.source_words, translator.target_words)
    with pytest.raises(ValueError, match="on 400 pairs, not on 300"):
        train(translator.model, fewer, recipe, checkpoint=path, progress=False)
    path.write_bytes(b"half a file")
    with pytest.raises(ValueError, match=r"run\.pt is not a checkpoint"):
        train(translator.model, data, recipe, checkpoint=path, progress=False)


def test_a_translator_comes_back_from_its_file(tmp_path):
    translator, data = toy()
    train(translator.model, data, Recipe(steps=20, batch_tokens=100), progress=False)
    translator.save(tmp_path / "translator.pt")
    loaded = Translator.load(tmp_path / "translator.pt")
    sentences = [pair.source for pair in PAIRS[:20]]
    assert loaded.translate(sentences) == translator.translate(sentences)
    assert loaded("a b", beam=3) == translator(["a", "b"], beam=3)


def test_explain_gives_the_attention_of_every_step():
    translator, _ = toy()
    told = translator.explain("a b c", target=["C", "B"])
    assert told.source == ["a", "b", "c", "<eos>"]
    assert told.read == ["<bos>", "C", "B"] and told.target == ["C", "B", "<eos>"]
    assert told.maps.cross.shape == (2, 1, 2, 3, 4)
    free = translator.explain("a b c")
    assert free.target[:-1] == translator("a b c")


def test_bad_sentences_and_vocabularies():
    translator, _ = toy()
    with pytest.raises(ValueError, match="sentence is empty"):
        translator("  ")
    with pytest.raises(ValueError, match="max_length=16 positions, got 21"):
        translator("a " * 20)
    with pytest.warns(UserWarning, match="'zebra'") as caught:
        translator("a zebra zebra")
        translator("zebra")
    assert len(caught) == 1
    assert translator.translate([]) == []
    with pytest.raises(ValueError, match=r"expected 12 source and 12 target words.*got 5 and 12"):
        Translator(translator.model, Vocabulary([["a"]]), translator.target_words)


def test_bad_recipes_and_data():
    with pytest.raises(ValueError, match="needs an end"):
        Recipe()
    with pytest.raises(ValueError, match="steps: expected more than 0, got 0"):
        Recipe(steps=0)
    with pytest.raises(ValueError, match=r"schedule.*'cosine'"):
        Recipe(steps=1, schedule="cosine")
    words = Vocabulary([["a"]])
    with pytest.raises(ValueError, match="at least one sentence pair"):
        Bitext([], words, words)
    with pytest.raises(ValueError, match="has 6 tokens; at most 5"):
        Bitext([Pair(("a",) * 5, ("a",))], words, words, max_length=5)


def test_device_is_one_that_is_there():
    torch.zeros(1, device=device())
    model = Transformer(TransformerConfig(5, 5, 8, 2)).to(device())
    assert model.output.weight.device.type == device().type
