"""How well and how fast the translator learns: `python tests/bench/translator.py [--seconds 20] [--seeds 5]`.

Everything runs on one CPU core. A budget of seconds counts CPU seconds of this process, so that other
programs on the machine disturb it less; wall time is printed beside it. In that time one machine makes twice
the steps of another, and so does one machine at another hour: `--steps` does not depend on it, and
`--textbook` shows what a usual model and optimizer make of the same budget.
"""

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import torch

from course_lib.corpus import Corpus, load_corpus
from course_lib.model.torch_twin import torch_twin
from course_lib.model.transformer import Transformer
from course_lib.training.batches import Bitext, bucketed_batches
from course_lib.training.trainer import Recipe, set_seed, train
from course_lib.translation.decoding import greedy_decode
from course_lib.translation.metrics import alignment_accuracy, bleu, exact_match
from course_lib.translation.translator import Translator

TEXTBOOK_MODEL = {"norm_first": True, "positions": "sinusoidal", "tie": "none", "d_ff": 128}
TEXTBOOK_RECIPE = {"optimizer": "adamw", "learning_rate": 5e-3, "warmup": 0.1, "weight_decay": 0.2}
COLUMNS = ("seed", "cpu s", "wall s", "steps", "tokens/s", "random", "compos.", "ambig.", "BLEU", "aligned")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, nargs="*", default=[10, 20], help="training budgets")
    parser.add_argument("--steps", type=int, nargs="*", default=[], help="training budgets")
    parser.add_argument("--textbook", action="store_true", help="pre-norm, sinusoidal positions, AdamW")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--draw", type=int, default=0, help="another draw of the corpus, tests included")
    parser.add_argument("--failures", type=int, default=0, help="wrong translations to print per test")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore", message="enable_nested_tensor")  # of the pre-norm twin
    corpus = load_corpus(seed=arguments.draw)
    model, choices = (TEXTBOOK_MODEL, TEXTBOOK_RECIPE) if arguments.textbook else ({}, {})
    recipes = [Recipe(seconds=seconds, **choices) for seconds in arguments.seconds]
    recipes += [Recipe(steps=steps, **choices) for steps in arguments.steps]
    for recipe in recipes:
        budget = f"{recipe.steps} steps" if recipe.steps else f"{recipe.seconds:g} CPU seconds"
        print(f"\n{budget} of training on {len(corpus.train)} pairs; exact match in percent")
        print("  ".join(f"{name:>8}" for name in COLUMNS))
        seeded = [replace(recipe, seed=seed) for seed in range(arguments.seeds)]
        rows = [measure(corpus, model, each, arguments.failures) for each in seeded]
        columns = list(zip(*rows, strict=True))[1:]
        print_row(["worst", *map(max, columns[:2]), *map(min, columns[2:])])
        print_row(["median", *map(statistics.median, columns)])
    print_ratios(corpus)


def measure(corpus: Corpus, model: dict, recipe: Recipe, failures: int) -> list[float]:
    """Train one translator and print its row."""
    set_seed(recipe.seed)
    translator = Translator.for_pairs(corpus.train, **model)
    data = Bitext(corpus.train, translator.source_words, translator.target_words)
    started = time.perf_counter()
    history = train(translator.model, data, recipe, clock=time.process_time, progress=False)
    wall = time.perf_counter() - started
    row = [recipe.seed, history.seconds, wall, history.steps[-1], history.tokens / history.seconds]
    for pairs in (corpus.test, corpus.compositional, corpus.ambiguity):
        translations = translator.translate([pair.source for pair in pairs])
        row.append(100 * exact_match(translations, [pair.target for pair in pairs]))
        print_failures(pairs, translations, failures)
        if pairs is corpus.test:
            corpus_bleu = bleu(translations, [pair.target for pair in pairs])
    aligned = [pair for pair in corpus.test[:500] if pair.alignment]
    weights = translator.cross_weights(aligned)
    row += [corpus_bleu, 100 * alignment_accuracy(weights, [pair.alignment for pair in aligned])]
    print_row(row)
    return row


def print_row(row: list) -> None:
    texts = [f"{value:.2f}" if isinstance(value, float) else str(value) for value in row]
    print("  ".join(f"{text:>8}" for text in texts), flush=True)


def print_failures(pairs: list, translations: list[list[str]], count: int) -> None:
    wrong = [(p, words) for p, words in zip(pairs, translations, strict=True) if list(p.target) != words]
    for pair, words in wrong[:count]:
        print(f"    {pair}  |  got {' '.join(words)}")


def print_ratios(corpus: Corpus) -> None:
    set_seed(0)
    two = {"encoder_layers": 2, "decoder_layers": 2, "norm_first": True, "positions": "sinusoidal"}
    translator = Translator.for_pairs(corpus.train, **two)
    data = Bitext(corpus.train, translator.source_words, translator.target_words)
    ours, theirs = forward_backward_seconds(translator.model, data)
    print(f"\nforward + backward, 2 + 2 layers: ours {1e3 * ours:.2f} ms, ", end="")
    print(f"nn.Transformer {1e3 * theirs:.2f} ms: ours is {theirs / ours:.2f} times as fast")
    source, _ = data.batch(data.source_lengths.argsort(descending=True)[:250])
    for length in (10, 20, 40):
        decode = partial(greedy_decode, translator.model, source, length)
        cached, uncached = alternate(decode, partial(decode, use_cache=False), rounds=5)
        print(f"greedy decoding, 250 sentences, {length} steps: cache {uncached / cached:.1f} times as fast")


def forward_backward_seconds(model: Transformer, data: Bitext) -> tuple[float, float]:
    """Median seconds for one batch of ours and of nn.Transformer on the same weights and embedded tokens."""
    twin = torch_twin(model)
    rows = bucketed_batches(data, 450, torch.Generator().manual_seed(0))[0]
    source, target = data.batch(rows)
    x, y = (
        embed(ids).detach()
        for embed, ids in ((model.source_embedding, source), (model.target_embedding, target[:, :-1]))
    )
    later = torch.nn.Transformer.generate_square_subsequent_mask(y.shape[1])

    def ours() -> None:
        memory, _ = model.encoder(x)
        model.decoder(y, memory)[0].sum().backward()

    def theirs() -> None:
        twin(x, y, tgt_mask=later, tgt_is_causal=True).sum().backward()

    return alternate(ours, theirs, rounds=60)


def alternate(first: Callable[[], None], second: Callable[[], None], rounds: int) -> tuple[float, float]:
    """Median CPU seconds of two functions called in turn, so that both see the same machine."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for function, times in zip((first, second), seconds, strict=True):
            started = time.process_time()
            function()
            times.append(time.process_time() - started)
    return statistics.median(seconds[0]), statistics.median(seconds[1])


if __name__ == "__main__":
    main()
