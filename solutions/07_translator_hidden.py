"""Parts of the checks of 07_translator that run only when work is graded. Learners do not get this file."""

from copy import deepcopy

import torch

from course_lib.checks.exercise import Part
from course_lib.exercises.translator.beam_search import tree
from course_lib.exercises.translator.bleu import names
from course_lib.exercises.translator.greedy_decode import some_words
from course_lib.exercises.translator.make_batches import found, pairs_of, told_of, words
from course_lib.exercises.translator.shift_targets import translations
from course_lib.exercises.translator.stand_ins import BOS, PAD, Bigrams, Tree, number, sentence
from course_lib.exercises.translator.training_runs import drawing, rates, steep, trainee, writer_of
from course_lib.exercises.translator.transplant import written as memories


def other_targets(shift, inputs):
    results = {}
    for lengths in ((0,), (7,) * 5):
        read, answer = shift(translations(inputs, lengths))
        results |= {
            f"read ({lengths[0]} words): batch target": read,
            f"answer ({lengths[0]} words): batch target": answer,
        }
    ids = inputs.integers(4, 10**6, 3, 9)  # sentences that are cut off, with columns of padding alone
    ids[:, 0], ids[:, 7:] = BOS, PAD
    read, answer = shift(ids)
    return results | {
        "read (large ids): batch target": read,
        "answer (large ids): batch target": answer,
    }


def other_logits(loss, inputs):
    logits, target = inputs.normal(1, 3, 5).double(), torch.tensor([[4, 1, 0]])
    others, ids = inputs.normal(2, 2, 300), torch.tensor([[1, 2], [5, 5]])
    sure = 9 * torch.eye(5).double()[None]
    return {
        "loss (float64):": loss(logits, target, smoothing=0.2),
        "loss (padding is 5):": loss(others, ids, smoothing=0.4, pad=5),
        "loss (smoothing 1):": loss(others, ids, smoothing=1.0),
        "1000 times the loss (nearly sure):": 1000 * loss(sure, torch.arange(5)[None], smoothing=0.0),
    }


def other_rates(rate, inputs):
    warmup = inputs.integer(2, 9)
    found = {f"rate at step {n}": number(rate(n, 7, warmup)) for n in (1, warmup, warmup + 1, 1000)}
    return found | {
        "rate at step 3 (warm-up of one step)": number(rate(3, 7, 1)),
        "10 ** 9 times the rate at step 1 (warm-up of 100,000 steps)": 1e9 * number(rate(1, 4096, 100_000)),
    }


def other_optimizer(step, inputs):
    model = Bigrams(inputs.normal(6, 6), inputs.normal(5, 6))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.3)
    source, target = torch.tensor([[4, 3, 2]]), torch.tensor([[1, 4, 5, 5, 2]])
    return {f"loss of step {n}": step(model, source, target, optimizer) for n in (1, 2, 3)}


def other_sentences(decode, inputs):
    trees = Tree(*[sentence(*words) for words in some_words(inputs, 0, 3, 5, 2, 4)])
    return {"ids: batch target": decode(trees, torch.tensor([[8], [5], [7], [4], [6]]), max_length=5)}


def other_pairs(make, inputs):
    lengths = (3, 9), (8, 3), (1, 5), (4, 5), (6, 3), (1, 3), (2, 4), (5, 8), (7, 4), (3, 9), (9, 6)
    results = {}
    for size in (4, 5, 11):
        pairs = pairs_of(inputs, *lengths)
        batches = found(make(deepcopy(pairs), size))
        results[f"pairs (size {size})"] = told_of(pairs, batches)
        for part, name in enumerate(("source", "target")):
            results |= {
                f"lengths of the {name}s (size {size})": [
                    list(map(len, words(ids[part]))) for ids in batches
                ],
                f"columns of each {name} (size {size})": [ids[part].shape[1] for ids in batches],
            }
    return results


def other_trainings(train, inputs):
    model, batches, optimizer = trainee(4)
    reports = []
    with drawing(inputs.integer(0, 10**6)):
        losses = train(model, batches, optimizer, 203, steep, writer_of(reports, optimizer))
    return {
        "losses": losses,
        "reports": reports,
        "rates of all groups": rates(optimizer),
    }


def other_trees(search, inputs):
    ways = (
        ((4, 5, 6, 2), (0.4, 0.55, 0.9, 1.0)),
        ((7, 8, 2), (0.35, 0.7, 1.0)),
        ((9, 10, 11, 2), (0.25, 0.9, 0.9, 1.0)),
    )
    source = torch.tensor([[4]])
    return {
        f"ids (beam {beam})": search(tree(inputs, *ways), source, beam=beam, max_length=7)
        for beam in (1, 2, 3)
    }


def other_corpus(bleu, inputs):
    translations = names(inputs, "a b c d e", "f g h i", "a b c d", "k k k k k k")
    references = names(inputs, "a b c d e f", "f g h i", "d c b a", "k k k")
    return {
        "score": number(bleu(translations, references)),
        "score (one sentence)": number(bleu(translations[1:2], references[1:2])),
    }


def other_memories(answer, inputs):
    return {
        f"ids ({layers} layers): batch target": memories(answer, inputs, *case, layers=layers)
        for layers, case in ((2, (6, 5, 2, 1)), (4, (2, 0, 7, 6)), (1, (1, 0, 1, 0)))
    }


NOT_SEEN = {
    "shift_targets": ("batches", other_targets),
    "smoothed_loss": ("logits", other_logits),
    "noam_rate": ("steps", other_rates),
    "train_step": ("models", other_optimizer),
    "greedy_decode": ("sentences", other_sentences),
    "make_batches": ("pairs", other_pairs),
    "train": ("numbers", other_trainings),
    "beam_search": ("trees", other_trees),
    "bleu": ("sentences", other_corpus),
    "transplant": ("models", other_memories),
}
PARTS = {
    name: Part(f"{what} that you have not seen", 1, probe, hidden=True)
    for name, (what, probe) in NOT_SEEN.items()
}
