"""One stack against two, and 2017 against today: `python tests/bench/gpt.py --seeds 5 [--only TEXT]`.

Every model has as many parameters as the translator of lesson 07, within 3 %, and is trained by the same
recipe (AdamW) on the same batches. A row is the median over seeds, then [worst .. best], in percent.
"""

import argparse
import statistics
from dataclasses import replace
from time import perf_counter

import torch
from torch import nn

from course_lib.corpus import load_corpus
from course_lib.model.gpt import GPT, GPTConfig
from course_lib.training.batches import Bitext
from course_lib.training.trainer import Recipe, set_seed, train
from course_lib.translation.continuation import (
    all_targets,
    joint_vocabulary,
    targets_of,
    train_continuation,
    translate_by_continuing,
)
from course_lib.translation.metrics import bleu, exact_match
from course_lib.translation.translator import Translator

# What differs from rotary positions, RMSNorm first, SwiGLU, two heads of keys and values, a tied table.
VARIANTS = {
    "GPT": {},
    "GPT, loss on everything": {},
    "GPT, PyTorch's start": {},
    "LayerNorm": {"norm": "layer"},
    "ReLU": {"feed_forward": "relu"},
    "kv_heads 1": {"kv_heads": 1},
    "kv_heads 4": {"kv_heads": 4},
    "sinusoidal positions": {"positions": "sinusoidal"},
    "learned positions": {"positions": "learned"},
    "post-norm": {"norm_first": False},
    "not tied": {"tie": False},
    "pieces of 2017": {
        "norm": "layer",
        "feed_forward": "relu",
        "kv_heads": 4,
        "positions": "sinusoidal",
        "norm_first": False,
    },
}
TWO_STACKS = "encoder-decoder"


def size(model):
    return sum(parameter.numel() for parameter in model.parameters())


def of_size(wanted, vocab, layers, **changes):
    """A GPT whose hidden units are as many as make it as large as wanted."""
    base = GPTConfig(vocab, layers=layers, d_ff=1, **changes)
    one, two = (size(GPT(replace(base, d_ff=units))) for units in (1, 2))
    d_ff = round((wanted - one) / (two - one)) + 1
    if d_ff < 16:
        raise ValueError(f"{changes}: {one} parameters without a feed-forward layer, {wanted} wanted")
    return GPT(replace(base, d_ff=d_ff))


def start_like_pytorch(model):
    """Give the inner layers the weights of a fresh nn.Linear, as a learner's model of lesson 12 has them."""
    for part in model.modules():
        if isinstance(part, nn.Linear) and part is not model.output:
            part.reset_parameters()


def trained(name, corpus, recipe, layers):
    """The model of a variant, and a function from sentences to translations."""
    set_seed(recipe.seed)
    translator = Translator.for_pairs(corpus.train)
    if name == TWO_STACKS:
        data = Bitext(corpus.train, translator.source_words, translator.target_words)
        train(translator.model, data, recipe, progress=False)
        return translator.model, translator.translate
    words, wanted = joint_vocabulary(corpus.train), size(translator.model)
    set_seed(recipe.seed)
    model = of_size(wanted, len(words), layers, **VARIANTS[name])
    if name == "GPT, PyTorch's start":
        start_like_pytorch(model)
    assert abs(size(model) / wanted - 1) < 0.03, (size(model), wanted)
    targets = all_targets if name == "GPT, loss on everything" else targets_of
    train_continuation(model, corpus.train, words, recipe, targets, progress=False)
    return model, lambda sources: translate_by_continuing(model, words, sources)


def measured(translate, corpus, count):
    """Exact match of both tests, in percent, and BLEU of the first."""
    tests = corpus.test[:count], corpus.compositional[:count]
    written = [translate([pair.source for pair in pairs]) for pairs in tests]
    targets = [[pair.target for pair in pairs] for pairs in tests]
    new, combined = (100 * exact_match(*both) for both in zip(written, targets, strict=True))
    return new, combined, bleu(written[0], targets[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--rate", type=float, default=5e-3)
    parser.add_argument("--only", nargs="+", default=[TWO_STACKS, *VARIANTS])
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    corpus = load_corpus()
    columns = "new sentences", "new combinations", "BLEU", "seconds"
    print(f"{arguments.steps} steps, {arguments.seeds} seeds, {arguments.layers} layers of a GPT")
    print(f"{'':26}{'parameters':>11}" + "".join(f"{name:>26}" for name in columns))
    for name in arguments.only:
        rows = []
        for seed in range(arguments.seeds):
            recipe = Recipe(steps=arguments.steps, optimizer="adamw", learning_rate=arguments.rate, seed=seed)
            began = perf_counter()
            model, translate = trained(name, corpus, recipe, arguments.layers)
            seconds = perf_counter() - began
            rows.append((*measured(translate, corpus, 500), seconds))
        spread = [
            f"{statistics.median(x):.1f} [{min(x):.1f} .. {max(x):.1f}]" for x in zip(*rows, strict=True)
        ]
        print(f"{name:26}{size(model):11}" + "".join(f"{text:>26}" for text in spread), flush=True)


if __name__ == "__main__":
    main()
