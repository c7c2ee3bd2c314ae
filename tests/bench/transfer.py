"""What pretraining buys, over several seeds: python tests/bench/transfer.py [--seeds 5] [--steps 1500]."""

import argparse
import statistics
import time
from copy import deepcopy
from random import Random

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.corpus import load_corpus
from course_lib.corpus.comparisons import load_comparisons
from course_lib.corpus.topics import TOPICS, draw_examples, load_topics
from course_lib.exercises.transfer_learning import lesson
from course_lib.model.config import TransformerConfig
from course_lib.model.transformer import Transformer
from course_lib.text import Vocabulary, pad_batch
from course_lib.training.batches import Bitext
from course_lib.training.pretraining import TextModel, train_on_sentences
from course_lib.training.trainer import Recipe, set_seed, train
from course_lib.translation.metrics import bleu, exact_match
from course_lib.translation.translator import Translator

mask_tokens, MaskedWordHead, freeze, fine_tune, _ = (
    exercise.reference_implementation for exercise in lesson.exercises.values()
)
WAYS = ("from scratch", "vectors only", "frozen", "fine-tuned")


class Classifier(nn.Module):
    """The mean of a sentence's vectors, then one linear layer."""

    def __init__(self, body: TextModel, topics: int = len(TOPICS)) -> None:
        super().__init__()
        self.body, self.head = body, nn.Linear(body.config.d_model, topics)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        real = (ids != 0)[..., None]
        return self.head((self.body(ids) * real).sum(dim=1) / real.sum(dim=1))


class MaskedModel(nn.Module):
    def __init__(self, body: TextModel, chance: float, seed: int) -> None:
        super().__init__()
        self.body, self.chance, self.vocab = body, chance, len(body.table)
        self.head = MaskedWordHead(body.config.d_model, self.vocab)
        self.generator = torch.Generator().manual_seed(seed)

    def loss(self, ids: torch.Tensor) -> torch.Tensor:
        masked, labels = mask_tokens(ids, self.vocab - 1, self.chance, self.generator)
        asked = labels != -100
        logits = self.head(self.body(masked)[asked][None], self.body.table)
        return F.cross_entropy(logits[0], labels[asked])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--steps", type=int, nargs="+", default=[1500], help="of pretraining")
    parser.add_argument("--chance", type=float, default=0.3, help="that a word is masked")
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--each", type=int, nargs="*", default=[1, 5, 20, 80], help="labels for every topic")
    parser.add_argument(
        "--compared", type=int, nargs="*", default=[12, 60], help="labels where order decides"
    )
    parser.add_argument("--rates", type=float, nargs="*", default=[], help="of the body, with 42 labels")
    parser.add_argument("--pairs", type=int, nargs="*", default=[300, 1000], help="for translation")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    task = load_topics()
    words = Vocabulary(task.plain)
    ids = [words.encode(sentence, eos=True) for sentence in task.plain]
    tests = {
        name: encode(words, draw_examples(examples, 100 if name == "new" else 30, 0))
        for name, examples in (("new", task.new), ("known", split(task.known)[2]))
    }
    validation = encode(words, draw_examples(split(task.known)[1], 30, 0))
    for steps in arguments.steps:
        rows = {}
        for seed in range(arguments.seeds):
            began = time.process_time()
            set_seed(seed)
            fresh = TextModel(len(words) + 1, layers=arguments.layers)
            model = MaskedModel(deepcopy(fresh), arguments.chance, seed)
            losses = train_on_sentences(model, model.loss, ids, steps, seed=seed, progress=False)
            spent = time.process_time() - began
            print(
                f"seed {seed}: {steps} steps, {spent:.0f} CPU s, loss {statistics.mean(losses[-100:]):.2f}",
                flush=True,
            )
            for each in arguments.each:
                x, y = encode(words, draw_examples(split(task.known)[0], each, seed))
                for way in WAYS:
                    found = accuracies(way, fresh, model.body, x, y, validation, tests, seed)
                    for name, value in found.items():
                        rows.setdefault((each, name, way), []).append(100 * value)
            for rate in arguments.rates:
                for name, shares in at_rate(rate, model.body, words, task, validation, tests).items():
                    key = (42, f"{rate:g}", f"rate, {name}")
                    rows.setdefault(key, []).extend(100 * share for share in shares)
            for count in arguments.compared:
                for way in WAYS:
                    rows.setdefault((count, "order", way), []).append(
                        100 * order(way, fresh, model.body, words, count, seed)
                    )
            for count in arguments.pairs:
                for way, body in (("from scratch", None), ("encoder pretrained", model.body)):
                    for name, value in translate(count, body, words, task.plain, seed).items():
                        rows.setdefault((count, name, way), []).append(value)
            for key, values in rows.items():
                print(f"   {key[0]:5} {key[1]:6} {key[2]:18} {values[-1]:.0f}", flush=True)
        print(f"\n{steps} steps of pretraining, {arguments.seeds} seeds: median [worst..best]")
        for (each, name, way), values in rows.items():
            spread = f"{statistics.median(values):5.0f} [{min(values):.0f}..{max(values):.0f}]"
            print(f"{each:5} {name:6} {way:18} {spread}", flush=True)


def split(known):
    """Examples for labels, for the validation set, and for the test."""
    return known[::2], known[1::4], known[3::4]


def encode(words, examples):
    ids = pad_batch([words.encode(sentence, eos=True) for sentence, _ in examples])
    return ids, torch.tensor([topic for _, topic in examples])


def accuracies(way, fresh, pretrained, x, y, validation, tests, seed) -> dict[str, float]:
    """On each test, at that one of two rates for the body which is better on the validation set."""
    tried = []
    for rate in (1e-3, 3e-3) if way != "frozen" else (0.0,):
        set_seed(seed)
        classifier = Classifier(start(way, fresh, pretrained))
        if way == "frozen":
            freeze(classifier, "head")
        fine_tune(classifier, x, y, steps=100, body_rate=rate, head_rate=1e-2)
        found = {name: accuracy(classifier, *examples) for name, examples in tests.items()}
        tried.append((accuracy(classifier, *validation), found))
    return max(tried, key=lambda entry: entry[0])[1]


@torch.no_grad()
def accuracy(classifier, ids, topics) -> float:
    return (classifier(ids).argmax(dim=-1) == topics).float().mean().item()


def at_rate(rate, pretrained, words, task, validation, tests) -> dict[str, list[float]]:
    """On the validation set and on new words, with three draws of 42 labels; rate 0 is frozen."""
    found = {"validation": [], "new words": []}
    for draw in range(3):
        torch.manual_seed(draw)
        classifier = Classifier(deepcopy(pretrained))
        examples = encode(words, draw_examples(split(task.known)[0], 7, draw))
        fine_tune(classifier, *examples, steps=100, body_rate=rate, head_rate=1e-2)
        found["validation"].append(accuracy(classifier, *validation))
        found["new words"].append(accuracy(classifier, *tests["new"]))
    return found


def order(way, fresh, pretrained, words, count, seed) -> float:
    """Whose is bigger? Only order tells: the mean of five draws of `count` labels, one rate for the body."""
    pairs, found = load_comparisons(), []
    x, y = encode(words, [example for pair in pairs[:150] for example in pair])
    labelled = [example for pair in pairs[150:] for example in pair]
    for draw in range(5):
        set_seed(5 * seed + draw)
        classifier = Classifier(start(way, fresh, pretrained), topics=2)
        if way == "frozen":
            freeze(classifier, "head")
        examples = encode(words, Random(draw).sample(labelled, count))
        fine_tune(classifier, *examples, steps=100, body_rate=3e-3, head_rate=1e-2)
        found.append(accuracy(classifier, x, y))
    return statistics.mean(found)


def start(way, fresh, pretrained) -> TextModel:
    """The body with which a way begins."""
    body = deepcopy(fresh if way in ("from scratch", "vectors only") else pretrained)
    if way == "vectors only":
        body.table.data.copy_(pretrained.table.data)
    return body


def translate(
    count: int, body: TextModel | None, words: Vocabulary, plain: list, seed: int
) -> dict[str, float]:
    """Train on `count` pairs; the test has no sentence that pretraining has seen."""
    corpus, seen = load_corpus(), set(plain)
    pairs = corpus.train[seed * count : (seed + 1) * count]
    test = [pair for pair in corpus.test if pair.source not in seen][:500]
    set_seed(seed)
    shape = TransformerConfig(
        len(words),
        len(target_words := Vocabulary(p.target for p in corpus.train)),
        encoder_layers=1,
        decoder_layers=1,
    )
    translator = Translator(Transformer(shape), words, target_words)
    if body is not None:
        translator.model.encoder.load_state_dict(body.encoder.state_dict())
        translator.model.source_embedding.tokens.weight.data.copy_(body.table.data[: len(words)])
    train(translator.model, Bitext(pairs, words, target_words), Recipe(steps=600, seed=seed), progress=False)
    out, wanted = translator.translate([p.source for p in test]), [p.target for p in test]
    return {"exact": 100 * exact_match(out, wanted), "bleu": bleu(out, wanted)}


if __name__ == "__main__":
    main()
