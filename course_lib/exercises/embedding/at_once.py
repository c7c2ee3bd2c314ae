"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import torch

from course_lib.checks.gradients import gradients_of, in_both_modes
from course_lib.exercises.embedding.nearest import apart, nearest
from course_lib.exercises.embedding.negative_sampling_loss import negative_sampling_loss
from course_lib.exercises.embedding.one_hot_lookup import one_hot_lookup
from course_lib.exercises.embedding.pad_batch import pad_batch
from course_lib.exercises.embedding.skipgram_pairs import skipgram_pairs
from course_lib.exercises.embedding.TokenEmbedding import TokenEmbedding, table_of
from course_lib.exercises.embedding.Vocabulary import SPECIALS, Vocabulary, ids_of


@Vocabulary.at_once
def a_text(build, inputs):
    texts = [
        ["".join("abB7-"[i] for i in inputs.integers(0, 5, int(length)).tolist()) for length in lengths]
        for lengths in inputs.integers(1, 6, 5, 7)
    ]
    known = sorted({word for text in texts for word in text})
    words = [*known[::-1], *SPECIALS, "zebra", known[0], "ab ", *texts[1]]
    vocabulary, ids = build(texts), ids_of(build, texts, known)
    build([["zebra"], known[:3]])
    return {
        "list of the ids of all words in sorted order": ids,
        "list of the ids of a text": vocabulary.encode(words),
        "list of the words of all ids": vocabulary.decode([*range(len(known) + 4)]),
        "list of a text, encoded and decoded": vocabulary.decode(vocabulary.encode(words)),
        "len(vocabulary)": len(vocabulary),
    }


@pad_batch.at_once
def a_batch(padded, inputs):
    pad = int(inputs.integers(1, 9, 1))
    rows = [inputs.integers(0, 9, int(n)).tolist() for n in inputs.integers(1, 12, 6)]  # pad is among them
    return {f"ids (pad={pad}): batch seq": padded(rows, pad=pad), "ids: batch seq": padded(rows[1:])}


@one_hot_lookup.at_once
def a_table(lookup, inputs):
    vocab, d_model, batch, seq = inputs.integers(2, 9, 4).tolist()
    ids, table = inputs.integers(0, vocab, batch, seq), inputs.normal(vocab, d_model).requires_grad_()
    one_hot, vectors = lookup(ids, table)
    wide = lookup(ids.mT, table.detach().double())
    return {
        "one_hot: batch seq vocab": one_hot,
        "vectors: batch seq d_model": vectors,
        "one_hot (float64): batch seq vocab": wide[0],
        "vectors (float64): batch seq d_model": wide[1],
        **gradients_of(vectors, {"table": table}, of="vectors"),
    }


@TokenEmbedding.at_once
@in_both_modes
def sentences(build, inputs):
    vocab, d_model, pad = (int(inputs.integers(low, low + 6, 1)) for low in (8, 2, 1))
    embedding = build(vocab, d_model, pad=pad)
    table = table_of(embedding, vocab, d_model)
    table.data[pad] = 0  # as it begins
    ids = inputs.integers(0, vocab, 3, 7)
    ids[:2, 4:] = pad
    vectors = embedding(ids)
    return {
        "vectors: batch seq d_model": vectors,
        "vectors (one sentence, with padding): batch seq d_model": embedding(ids[1:2, :5]),
        **gradients_of(vectors, {"table": table}),
    }


@skipgram_pairs.at_once
def a_sentence(pairs, inputs):
    tokens = ["abcdefg"[i] for i in inputs.integers(0, 7, 20).tolist()]
    window = int(inputs.integers(1, 9, 1))
    found = {f"window={window}": pairs([*tokens], window=window), "no window given": pairs([*tokens])}
    return {
        f"pairs of {' '.join(tokens)} ({name})": sorted(tuple(pair) for pair in got)
        for name, got in found.items()
    }


@negative_sampling_loss.at_once
def some_pairs(loss, inputs):
    count, k, d_model = inputs.integers(2, 8, 3).tolist()
    leaves = {
        "center": inputs.normal(count, d_model),
        "context": inputs.normal(count, d_model),
        "negatives": inputs.normal(count, k, d_model),
    }
    large = [torch.cat([100 * leaf[:1], leaf[1:]]).double() for leaf in leaves.values()]
    result = loss(*(leaf.requires_grad_() for leaf in leaves.values()))
    return {
        "loss:": result,
        "loss (one pair with large scores, float64):": loss(*large),
        **gradients_of(result, leaves),
    }


@nearest.at_once
def words(nearest, inputs):
    vocab, d_model = inputs.integers(6, 12, 2).tolist()
    vector, table = torch.zeros(d_model), torch.zeros(vocab, d_model)
    while not apart(vector, table):
        vector, table = 3 * inputs.normal(d_model), inputs.normal(vocab, d_model)
        table[int(inputs.integers(0, vocab, 1))] = 0  # padding
    table *= inputs.uniform(0.1, 9, vocab, 1)
    similarity, ids = nearest(vector, table, count=vocab)
    wide, few = nearest(vector.double(), table.double())
    return {
        f"similarity (count={vocab}): count": similarity,
        f"ids (count={vocab}): count": ids,
        "similarity (float64): count": wide,
        "ids (float64): count": few,
    }
