"""Parts of the checks of 01_embedding that run only when work is graded. Learners do not get this file."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Part
from course_lib.checks.properties import differ
from course_lib.exercises.embedding.skipgram_pairs import compared
from course_lib.exercises.embedding.Vocabulary import ids_of

LETTERS = list("abcdefghijklmnopqrstuvwxyz")


def other_sentences(build, inputs):
    # Known words only, and relative to the first: a slip elsewhere is not punished twice.
    order = torch.randperm(26, generator=inputs.generator).tolist()
    words = [LETTERS[i] for i in order[:9]]
    asked = sorted(words, reverse=True)
    ids = [int(i) for i in ids_of(build, [words[:4] * 2, words[4:5], words[5:]], asked)]
    return {"ids of the words, counted from the smallest": [i - min(ids) for i in ids]}


def other_batches(padded, inputs):
    length = inputs.integer(2, 9)
    equal = inputs.integers(1, 40, 3, length).tolist()
    return {
        "ids (one sequence): batch seq": padded(equal[:1]),
        "ids (equally long): batch seq": padded(equal),
        "ids (growing): batch seq": padded([equal[0][:1], equal[1], equal[2] + equal[0]]),
    }


def other_tables(lookup, inputs):
    vocab, d_model = (int(size) for size in inputs.integers(3, 9, 2))
    one_hot, vectors = lookup(inputs.integers(0, vocab, 3, 4), inputs.normal(vocab, d_model).double())
    return {"one_hot: batch seq vocab": one_hot, "vectors: batch seq d_model": vectors}


def other_ids(build, inputs):
    # With d_model = 1 the factor does not count.
    return {"vectors (d_model 1): batch seq d_model": build(300, 1, pad=8)(inputs.integers(9, 300, 1, 7))}


def other_windows(pairs, inputs):
    window = inputs.integer(2, 6)
    tokens = [LETTERS[i] for i in inputs.integers(0, 26, 30).tolist()]
    return compared(pairs, tokens, window)


def other_pairs(loss, inputs):
    # Negatives that are 0 as in the first part, in double precision.
    count, k = (int(size) for size in inputs.integers(6, 12, 2))
    pairs = inputs.normal(count, 2).double(), inputs.normal(count, 2).double()
    alone, others = pairs[0], inputs.normal(count, k, 2).double()
    one, other = (loss(center, 0 * alone, others) for center in (alone, -alone))
    return {
        "loss (all negatives 0):": loss(*pairs, torch.zeros(count, k, 2).double()),
        "other negatives and another center give another loss": differ(one, other),
    }


def other_vectors(nearest, inputs):
    table = F.normalize(inputs.normal(40, 3).double(), dim=-1)
    similarity, ids = nearest(table[7].clone(), table, count=9)
    return {"similarity: count": similarity, "ids: count": ids}


def hidden(what, probe):
    return Part(f"{what} that you have not seen", 1, probe, hidden=True)


PARTS = {
    "Vocabulary": hidden("sentences", other_sentences),
    "pad_batch": hidden("batches", other_batches),
    "one_hot_lookup": hidden("sizes and precision", other_tables),
    "TokenEmbedding": hidden("ids", other_ids),
    "skipgram_pairs": hidden("windows", other_windows),
    "negative_sampling_loss": hidden("sizes and precision", other_pairs),
    "nearest": hidden("sizes and precision", other_vectors),
}
