"""Real sentences: `python tests/bench/realtext.py pairs.tsv [--seeds 3] [--models NAME ...]`.

The file is that of lesson 13, or any with lines `english TAB chinese`. Each seed draws its own split and
trains its own models, made of the solutions of lessons 01 to 12; merges and words come from the training
pairs alone. BLEU (over characters) and chrF are sacrebleu's. On CUDA, the same code uses CUDA.
"""

import argparse
import os
import statistics
import sys
import tempfile
import warnings
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter, process_time

import torch
from sacrebleu import corpus_bleu, corpus_chrf

from course_lib.corpus import Pair, hold_out, read_pairs
from course_lib.state import FOLDER
from course_lib.text import SPECIALS, Vocabulary
from course_lib.training.trainer import Recipe, device, set_seed
from course_lib.translation.continuation import (
    Continuations,
    joint_vocabulary,
    train_continuation,
    translate_by_continuing,
)
from course_lib.yours import yours

sys.path.insert(0, str(Path(__file__).parents[1]))
from learner import finish
from program import the_program

STEPS = 400  # of a GPT, in lesson 13
SIZES = {"d_model": 128, "heads": 4, "kv_heads": 2, "d_ff": 344, "layers": 2}


@dataclass
class Split:
    train: list[Pair]
    valid: list[Pair]
    test: list[Pair]

    @classmethod
    def drawn(cls, pairs, held_out, seed):
        rest, test = hold_out(pairs, held_out, seed)
        return cls(*hold_out(rest, held_out, seed), test)


class Pieces:
    """Pairs of words to pairs of pieces and back, as in lesson 13; a piece's name is its id."""

    def __init__(self, pairs, number):
        learn_merges, encode, self.decode = yours("learn_merges", "encode", "decode")
        self.merges = learn_merges(Counter(word for pair in pairs for word in self.words(pair)), number)
        self.cut = cache(lambda word: tuple(map(str, encode(word, self.merges))))
        self.vocabulary = Vocabulary.from_list([*SPECIALS, *map(str, range(256 + len(self.merges)))])

    @staticmethod
    def words(pair):
        return [*(f" {word}" for word in pair.source), *pair.target]

    def pairs(self, pairs):
        sides = ((self.cut(f" {word}") for word in pair.source) for pair in pairs)
        return [
            Pair(sum(source, ()), sum(map(self.cut, pair.target), ()))
            for source, pair in zip(sides, pairs, strict=True)
        ]

    def text(self, names):
        return self.decode([int(name) for name in names], self.merges)


def gpt(train, valid, words, steps):
    """The model of lesson 12, and its history."""
    model = yours("GPT")(len(words), **SIZES).to(device())
    with torch.no_grad():
        model.embedding.weight.mul_(SIZES["d_model"] ** -0.5)
    recipe = Recipe(steps=steps, batch_tokens=1000, optimizer="adamw", learning_rate=3e-3, clip=1.0)
    options = {"validation": Continuations(valid, words), "report_every": 50, "progress": False}
    return model, train_continuation(model, train, words, recipe, **options)


def told(history):
    best = min(range(len(history.validation_losses)), key=history.validation_losses.__getitem__)
    losses = f"{history.losses[-1]:.2f} in training, {history.validation_losses[-1]:.2f} in validation"
    return f"loss {losses}; lowest {history.validation_losses[best]:.2f} at {history.validation_steps[best]}"


def of_pieces(split, arguments):
    pieces = Pieces(split.train, arguments.merges)
    words = pieces.vocabulary
    model, history = gpt(pieces.pairs(split.train), pieces.pairs(split.valid), words, arguments.steps)
    print(f"  {sum(p.numel() for p in model.parameters())} parameters, {len(words)} pieces; {told(history)}")
    written = translate_by_continuing(model, words, [pair.source for pair in pieces.pairs(split.test)])
    return [pieces.text(names) for names in written]


def of_words(split, arguments):
    warnings.filterwarnings("ignore", message=".* is not among the")  # what pieces are the cure of
    words = joint_vocabulary(split.train)
    model, history = gpt(split.train, split.valid, words, arguments.steps)
    print(f"  {sum(p.numel() for p in model.parameters())} parameters, {len(words)} words; {told(history)}")
    return list(map("".join, translate_by_continuing(model, words, [pair.source for pair in split.test])))


def of_program(split, arguments):
    """What the learner's my_transformer.py translates after `train`."""
    module = the_program()
    translator = module.Translator.of([(list(pair.source), list(pair.target)) for pair in split.train])
    translator.steps = arguments.program_steps
    batches = module.make_batches(translator.ids([pair[:2] for pair in split.train]), module.ROWS)
    settings = translator.optimizer, translator.steps, translator.rate
    losses = module.train(translator.model.train(), batches, *settings, report=lambda step, loss: None)
    size = sum(p.numel() for p in translator.model.parameters())
    print(f"  {size} parameters, loss {statistics.mean(losses[-100:]):.2f} in training")
    return list(map("".join, translator.translate([list(pair.source) for pair in split.test])))


def nearest(split, _):
    """For each source the target of the training pair that shares most of its words: a yardstick."""
    bags = [(frozenset(pair.source), "".join(pair.target)) for pair in split.train]
    wanted = [frozenset(pair.source) for pair in split.test]
    return [max(bags, key=lambda bag: len(bag[0] & words) / len(bag[0] | words))[1] for words in wanted]


MODELS = {
    "nearest training sentence": nearest,
    "my_transformer.py": of_program,
    "GPT, words and characters": of_words,
    "GPT, byte pairs": of_pieces,
}


def scores(texts, pairs):
    references = ["".join(pair.target) for pair in pairs]
    characters = [[" ".join(text) for text in side] for side in (texts, references)]
    exact = 100 * statistics.mean(text == right for text, right in zip(texts, references, strict=True))
    bleu = corpus_bleu(characters[0], [characters[1]], tokenize="none", smooth_method="none").score
    return {"BLEU": bleu, "chrF": corpus_chrf(texts, [references]).score, "exact match %": exact}


def measured(name, pairs, arguments, seed):
    set_seed(seed)
    split = Split.drawn(pairs, arguments.held_out, seed)
    cpu, clock = process_time(), perf_counter()
    print(f"{name}, seed {seed}: {len(split.train)} training, {len(split.test)} test pairs", flush=True)
    texts = MODELS[name](split, arguments)
    found = scores(texts, split.test) | {"CPU minutes": (process_time() - cpu) / 60}
    print("  " + ", ".join(f"{score} {value:.2f}" for score, value in found.items()), end="")
    print(f", {perf_counter() - clock:.0f} s by the clock", flush=True)
    for pair, text in list(zip(split.test, texts, strict=True))[: arguments.show if seed == 0 else 0]:
        print(f"    {' '.join(pair.source)} -> {text} ({''.join(pair.target)})")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="Real sentences")
    parser.add_argument("file")
    parser.add_argument("--models", nargs="*", default=list(MODELS), choices=MODELS, metavar="NAME")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--merges", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--program-steps", type=int, default=2000)
    parser.add_argument("--held-out", type=int, default=300, help="test pairs, and as many for validation")
    parser.add_argument("--show", type=int, default=8, help="translations of the first seed to print")
    arguments = parser.parse_args()
    pairs = read_pairs(arguments.file, max_words=30)
    print(f"{len(pairs)} pairs, on {device()}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ[FOLDER] = folder
        finish([f"{number:02}" for number in range(1, 13) if number not in (8, 9, 10)])
        for name in arguments.models:
            results = [measured(name, pairs, arguments, seed) for seed in range(arguments.seeds)]
            for score in results[0]:
                values = sorted(result[score] for result in results)
                middle = statistics.median(values)
                print(f"{name:28} {score:16} {middle:6.1f} [{values[0]:.1f} .. {values[-1]:.1f}]")


if __name__ == "__main__":
    main()
