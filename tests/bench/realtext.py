"""A GPT on real sentences: `python tests/bench/realtext.py FILE [--merges 1000] [--steps 2500] [--seeds 2]`.

FILE has lines `english TAB chinese`, columns that are numbers aside, as the sentence pairs of tatoeba.org do.
Each seed draws its own split, learns its merges from the training pairs alone, and trains its own model. The
weights are those of the report with the lowest validation loss. On CUDA, the same code uses CUDA.
"""

import argparse
import re
import statistics
from collections import Counter, defaultdict
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import perf_counter, process_time

from sacrebleu import corpus_bleu, corpus_chrf

from course_lib.corpus import hold_out
from course_lib.exercises.subwords.decode import reference as decode
from course_lib.exercises.subwords.encode import reference as encode
from course_lib.exercises.subwords.merge import reference as merge
from course_lib.model.gpt import GPT, GPTConfig
from course_lib.text import SPECIALS, Pair, Vocabulary
from course_lib.training.trainer import Recipe, device, set_seed
from course_lib.translation.continuation import (
    Continuations,
    train_continuation,
    translate_by_continuing,
)

words_of = re.compile(r" ?\w+| ?[^\w\s]+|\s+").findall  # punctuation is cut off, as in GPT-2


def read_raw(path):
    """Pairs of whole sentences, each a tuple of one string; case and punctuation stay as they are."""
    found = {}
    for line in Path(path).read_text(encoding="utf-8-sig").split("\n"):
        columns = [column.strip() for column in line.split("\t") if not column.strip().isdigit()]
        if len(columns) > 1 and all(columns[:2]):
            found[Pair((columns[0],), (columns[1],))] = None
    return list(found)


def kept(pairs, longest, factor=3.0):
    """Pairs up to `longest` characters a side, whose ratio of lengths is near the median ratio."""
    ratios = [len(pair.target[0]) / len(pair.source[0]) for pair in pairs]
    middle = statistics.median(ratios)
    return [
        pair
        for pair, ratio in zip(pairs, ratios, strict=True)
        if middle / factor <= ratio <= middle * factor and max(len(side[0]) for side in pair[:2]) <= longest
    ]


def split(pairs, count, seed):
    """Training, validation and test pairs; no sentence of either language is on two sides."""
    rest, test = hold_out(pairs, count, seed)
    train, valid = hold_out(rest, count, seed)
    seen = {pair.target for pair in test}
    valid = [pair for pair in valid if pair.target not in seen]
    seen |= {pair.target for pair in valid}
    return [pair for pair in train if pair.target not in seen], valid, test


def learn(counts, number):
    """The merges of lesson 11, counted anew only in the words that a merge has changed."""
    words = [(list(word.encode()), count) for word, count in counts.items()]
    pairs, places, merges = Counter(), defaultdict(set), {}
    for place, (ids, count) in enumerate(words):
        for pair in pairwise(ids):
            pairs[pair] += count
            places[pair].add(place)
    while len(merges) < number and pairs:
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        new = merges[best] = 256 + len(merges)
        for place in places.pop(best):
            ids, count = words[place]
            merged = merge(ids, best, new)
            pairs.subtract({pair: count * times for pair, times in Counter(pairwise(ids)).items()})
            for pair in pairwise(merged):
                pairs[pair] += count
                places[pair].add(place)
            words[place] = merged, count
        pairs = +pairs  # without those that are gone
    return merges


class Pieces:
    """Sentences to names of pieces and back; a piece's name is its id."""

    def __init__(self, pairs, merges):
        counts = Counter(word for pair in pairs for side in pair[:2] for word in words_of(side[0]))
        self.merges = learn(counts, merges)
        self.cache = {}
        self.vocabulary = Vocabulary.from_list([*SPECIALS, *map(str, range(256 + len(self.merges)))])

    def cut(self, sentence):
        for word in words_of(sentence):
            if word not in self.cache:
                self.cache[word] = tuple(map(str, encode(word, self.merges)))
        return tuple(piece for word in words_of(sentence) for piece in self.cache[word])

    def join(self, names):
        return decode([int(name) for name in names if name.isdigit()], self.merges)

    def pairs(self, pairs):
        return [Pair(self.cut(pair.source[0]), self.cut(pair.target[0])) for pair in pairs]


@dataclass
class Result:
    """What one seed gives: texts of the test pairs, scores, and the cost in minutes of CPU."""

    lines: list
    scores: dict


def trained(train, valid, words, arguments, seed):
    """The model with the weights of its lowest validation loss, and the history."""
    set_seed(seed)
    shape = {"d_model": arguments.width, "layers": arguments.layers, "d_ff": arguments.width * 8 // 3}
    longest = 4 * max(len(side) for pair in train + valid for side in pair[:2]) + 64
    model = GPT(GPTConfig(len(words), **shape, max_length=longest, dropout=arguments.dropout)).to(device())
    best = {}

    def keep_best(history):
        if history.validation_losses[-1] == min(history.validation_losses):
            best["weights"] = deepcopy(model.state_dict())

    recipe = Recipe(
        steps=arguments.steps,
        batch_tokens=arguments.batch,
        optimizer="adamw",
        learning_rate=arguments.rate,
        clip=1.0,
        seed=seed,
    )
    history = train_continuation(
        model,
        train,
        words,
        recipe,
        validation=Continuations(valid, words),
        report_every=100,
        on_report=keep_best,
        progress=False,
    )
    model.load_state_dict(best["weights"])
    return model, history


def nearest(train, sources):
    """For each source, the target of the training pair that shares most of its words: a yardstick."""
    bags = [(frozenset(words_of(" " + pair.source[0].lower())), pair.target[0]) for pair in train]
    wanted = [frozenset(words_of(" " + source.lower())) for source in sources]
    return [max(bags, key=lambda bag: len(bag[0] & words) / len(bag[0] | words))[1] for words in wanted]


def scores_of(written, references):
    bleu = corpus_bleu(written, [references], tokenize="zh").score
    return bleu, corpus_chrf(written, [references]).score


def measured(pairs, arguments, seed):
    cpu, wall = process_time(), perf_counter()
    train, valid, test = split(pairs, arguments.held_out, seed)
    pieces = Pieces(train, arguments.merges)
    words = pieces.vocabulary
    short = [pair for pair in pieces.pairs(train) if max(map(len, pair[:2])) <= 100]
    model, history = trained(short, pieces.pairs(valid), words, arguments, seed)
    sources = [pair.source[0] for pair in test]
    references = [pair.target[0] for pair in test]
    written = translate_by_continuing(model, words, [pieces.cut(source) for source in sources])
    texts = [pieces.join(names) for names in written]
    bleu, chrf = scores_of(texts, references)
    near_bleu, near_chrf = scores_of(nearest(train, sources), references)
    losses = history.validation_losses
    scores = {
        "training loss": history.losses[-1],
        "validation loss": min(losses),
        "BLEU": bleu,
        "chrF": chrf,
        "exact match %": 100 * statistics.mean(a == b for a, b in zip(texts, references, strict=True)),
        "BLEU nearest": near_bleu,
        "chrF nearest": near_chrf,
        "CPU minutes": (process_time() - cpu) / 60,
    }
    best = history.validation_steps[losses.index(min(losses))]
    parameters = sum(parameter.numel() for parameter in model.parameters())
    print(
        f"\nseed {seed}: {len(train)} training, {len(valid)} validation, {len(test)} test pairs, "
        f"{len(words)} pieces, {parameters} parameters, best at step {best} of {history.steps[-1]}, "
        f"{perf_counter() - wall:.0f} s by the clock"
    )
    print(", ".join(f"{name} {value:.2f}" for name, value in scores.items()), flush=True)
    return Result(list(zip(sources, references, texts, strict=True)), scores)


def main() -> None:
    parser = argparse.ArgumentParser(description="A GPT on real sentences")
    parser.add_argument("file")
    parser.add_argument("--merges", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=2500)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--pairs", type=int, help="only so many, those with the shortest English")
    parser.add_argument("--held-out", type=int, default=300, help="validation pairs, and as many test pairs")
    parser.add_argument("--longest", type=int, default=120, help="characters of a side")
    parser.add_argument("--batch", type=int, default=450, help="target pieces of a batch")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--show", type=int, default=12, help="translations of the first seed to print")
    arguments = parser.parse_args()
    raw = read_raw(arguments.file)
    pairs = sorted(kept(raw, arguments.longest), key=lambda pair: len(pair.source[0]))[: arguments.pairs]
    print(f"{len(raw)} pairs, {len(pairs)} kept, on {device()}")
    results = [measured(pairs, arguments, seed) for seed in range(arguments.seeds)]
    for name in results[0].scores:
        values = [result.scores[name] for result in results]
        worst = (max if "loss" in name or "minutes" in name else min)(values)
        print(f"{name:16} median {statistics.median(values):6.2f}, worst {worst:6.2f}")
    for source, reference, text in results[0].lines[: arguments.show]:
        print(f"{source} -> {text} ({reference})")


if __name__ == "__main__":
    main()
