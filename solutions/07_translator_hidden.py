"""Parts of the checks of 07_translator that run only when work is graded. Learners do not get this file."""

import torch

from course_lib.checks.exercise import Part
from course_lib.exercises.translator.beam_search import tree
from course_lib.exercises.translator.bleu import names
from course_lib.exercises.translator.greedy_decode import some_words
from course_lib.exercises.translator.stand_ins import Bigrams, Tree, number, sentence


def other_targets(shift, inputs):
    results = {}
    for batch, seq in ((1, 2), (5, 9)):
        read, answer = shift(inputs.integers(4, 90, batch, seq))
        results |= {
            f"read ({seq} columns): batch target": read,
            f"answer ({seq} columns): batch target": answer,
        }
    return results


def other_logits(loss, inputs):
    logits, target = inputs.normal(1, 3, 5).double(), torch.tensor([[4, 1, 0]])
    flat, other = torch.zeros(2, 2, 7), torch.tensor([[1, 2], [5, 5]])
    return {
        "loss (float64):": loss(logits, target, smoothing=0.2),
        "loss (even logits):": loss(flat, other, smoothing=0.4, pad=5),
    }


def other_rates(rate, inputs):
    warmup = int(inputs.integers(2, 9, 1))
    return {f"rate at step {n}": number(rate(n, 7, warmup)) for n in (1, warmup, warmup + 1, 1000)}


def other_optimizer(step, inputs):
    model = Bigrams(inputs.normal(6, 6), inputs.normal(5, 6))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.3)
    source, target = torch.tensor([[4, 3, 2]]), torch.tensor([[1, 4, 5, 5, 2]])
    return {f"loss of step {n}": step(model, source, target, optimizer) for n in (1, 2, 3)}


def other_sentences(decode, inputs):
    trees = Tree(*[sentence(*words) for words in some_words(inputs, 1, 3, 5, 2, 4)])
    return {"ids: batch target": decode(trees, torch.tensor([[8], [5], [7], [4], [6]]), max_length=5)}


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


NOT_SEEN = {
    "shift_targets": ("batches", other_targets),
    "smoothed_loss": ("logits", other_logits),
    "noam_rate": ("steps", other_rates),
    "train_step": ("models", other_optimizer),
    "greedy_decode": ("sentences", other_sentences),
    "beam_search": ("trees", other_trees),
    "bleu": ("sentences", other_corpus),
}
PARTS = {
    name: Part(f"{what} that you have not seen", 1, probe, hidden=True)
    for name, (what, probe) in NOT_SEEN.items()
}
