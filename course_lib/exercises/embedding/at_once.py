"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import itertools

import torch

from course_lib.checks.gradients import gradients_of
from course_lib.checks.ordinary import DTYPES, SIGNS, WAYS, in_turn, in_words, passed, with_signs
from course_lib.exercises.embedding.nearest import apart, nearest
from course_lib.exercises.embedding.negative_sampling_loss import negative_sampling_loss
from course_lib.exercises.embedding.one_hot_lookup import one_hot_lookup
from course_lib.exercises.embedding.pad_batch import pad_batch
from course_lib.exercises.embedding.skipgram_pairs import skipgram_pairs
from course_lib.exercises.embedding.TokenEmbedding import TokenEmbedding, table_of
from course_lib.exercises.embedding.Vocabulary import SPECIALS, Vocabulary, ids_of

LATER = (
    "Your vocabulary changes if the caller adds a sentence to the list later. Make the list of words in "
    "`__init__`, once."
)


class Kept(list):
    """A list that an answer gets itself: a check gives copies of others."""

    def __copy__(self):
        return self


@Vocabulary.at_once
def vocabularies(build, inputs):
    found = {}
    for case in inputs.cases(
        12,
        texts=("1 sentence", "several sentences"),
        letters=("abc", "abB7-", "é我天"),
        asked=("all words", "only unknown words", "special symbols", "words of all kinds"),
    ):
        found |= words_and_ids(build, inputs, in_words(case), **case)
    return found


def words_and_ids(build, inputs, label, texts, letters, asked):
    lengths = inputs.integers(1, 6, 1 if texts == "1 sentence" else 4, 5).tolist()
    sentences = Kept(
        ["".join(letters[i] for i in inputs.integers(0, len(letters), n).tolist()) for n in row]
        for row in lengths
    )
    known = sorted({word for sentence in sentences for word in sentence})
    unknown = ["zebra", known[0] + " ", known[-1].swapcase() + "."]
    words = {
        "all words": known[::-1],
        "only unknown words": unknown,
        "special symbols": [*SPECIALS[::-1]],
        "words of all kinds": [*known[::-1], *SPECIALS, *unknown, known[0]],
    }[asked]
    vocabulary, ids = build(sentences), ids_of(build, sentences, known)
    build([["zebra"], known[:3]])  # a later one changes nothing
    label = f"{' '.join(known)}, {label}"
    text = vocabulary.encode([*words])
    sentences.append(["\t"])  # which is before all other words
    return {
        f"list of the ids of all words in sorted order ({label})": ids,
        f"list of the ids of a text ({label})": text,
        f"a sentence that is added later ({label})": LATER * (str(vocabulary.encode([*words])) != str(text)),
        f"list of the words of all ids ({label})": vocabulary.decode([*range(len(known) + 4)]),
        f"list of the word of the last id ({label})": vocabulary.decode([len(known) + 3]),
        f"list of a text, encoded and decoded ({label})": vocabulary.decode(vocabulary.encode([*words])),
        f"len(vocabulary) ({label})": len(vocabulary),
    }


@pad_batch.at_once
def batches(padded, inputs):
    found = {}
    kinds = ("1 sequence", "equal lengths", "other lengths", "many sequences")
    for way, kind in itertools.product(WAYS, kinds):
        pad, count = inputs.integer(1, 9), 12 if kind == "many sequences" else 4
        lengths = inputs.integers(1, 9, count).tolist()
        lengths = {"1 sequence": lengths[:1], "equal lengths": 3 * lengths[:1]}.get(kind, lengths)
        rows = [inputs.integers(0, 9, n).tolist() for n in lengths]  # pad is among them
        option, by_position, by_name = passed(way, pad=pad)
        found[f"ids ({kind} {lengths}, {option}): batch seq"] = padded(rows, *by_position, **by_name)
    return found


@one_hot_lookup.at_once
def tables(lookup, inputs):
    found = {}
    for case in inputs.cases(
        16,
        dtype=(*DTYPES,),
        sentences=("1 sentence", "several sentences"),
        words=("1 word", "several words", "one word again and again"),
        numbers=SIGNS,
    ):
        batch, seq, vocab, d_model = inputs.integers(2, 7, 4).tolist()
        ids = inputs.integers(0, vocab, 1 if "1 " in case["sentences"] else batch, seq)
        ids = ids[:, :1] if case["words"] == "1 word" else ids
        ids = ids * 0 + vocab - 1 if "again" in case["words"] else ids
        table = with_signs(inputs, case["numbers"], vocab, d_model).to(DTYPES[case["dtype"]])
        one_hot, vectors = lookup(ids, table.requires_grad_())
        label = f"{in_words(case)}, {vocab} rows"
        found |= {
            f"one_hot ({label}): batch seq vocab": one_hot,
            f"vectors ({label}): batch seq d_model": vectors,
            **gradients_of(vectors, {"table": table}, of="vectors", case=label),
        }
    return found


@TokenEmbedding.at_once
def embedded(build, inputs):
    found = {}
    for case in inputs.cases(
        18,
        pad=WAYS,
        mode=("in training mode", "in evaluation mode"),
        sentences=("1 sentence", "several sentences"),
        padding=("no padding", "padding at the end"),
    ):
        found |= vectors_of(build, inputs, **case)
    return found


def vectors_of(build, inputs, pad, **conditions):
    vocab, d_model, batch, seq = (inputs.integer(low, low + 6) for low in (4, 2, 2, 1))
    id_of_pad = 0 if pad == "not given" else inputs.integer(1, vocab)
    option, by_position, by_name = passed(pad, pad=id_of_pad)
    mode, sentences, padding = conditions.values()
    embedding = build(vocab, d_model, *by_position, **by_name)
    table = table_of(embedding, vocab, d_model)
    table.data[id_of_pad] = 0  # as it begins
    if mode != "in training mode":
        embedding.eval()
    ids = inputs.integers(0, vocab - 1, 1 if sentences == "1 sentence" else batch, seq)
    ids += ids >= id_of_pad
    if padding == "padding at the end":
        ids[0, 2:] = id_of_pad
    vectors = embedding(ids)
    label = f"{', '.join(conditions.values())}, {option}, {vocab} rows of {d_model}"
    return {
        f"vectors ({label}): batch seq d_model": vectors,
        **gradients_of(vectors, {"table": table}, of="vectors", case=label),
    }


@skipgram_pairs.at_once
def pairs_of_sentences(pairs, inputs):
    found = {}
    different, some, two = "all different", "some come again", "two that come again and again"
    for kind, again, way in itertools.product(("words", "ids"), (different, some, two), WAYS):
        length, window = inputs.integer(2, 14), inputs.integer(1, 9)
        drawn = {different: inputs.normal(13).argsort(), some: inputs.integers(0, 7, 13)}
        places = drawn.get(again, inputs.integers(3, 5, 13))[:length].tolist()
        tokens = [f"word{i}" if kind == "words" else 1000 * i for i in places]
        option, by_position, by_name = passed(way, window=window)
        got = pairs([*tokens], *by_position, **by_name)
        found[f"pairs of {tokens} ({option})"] = sorted(tuple(pair) for pair in got)
    return found


@negative_sampling_loss.at_once
def losses(loss, inputs):
    found = {}
    cases = inputs.cases(
        18,
        dtype=(*DTYPES,),
        pairs=("1 pair", "several pairs", "several pairs, one with large scores"),
        negatives=("1 negative", "several negatives"),
        numbers=SIGNS,
    )
    for label, case in in_turn("call {0}", cases):
        count, k, d_model = inputs.integers(2, 7, 3).tolist()
        count = 1 if case["pairs"] == "1 pair" else count
        k = 1 if case["negatives"] == "1 negative" else k
        shapes = {"center": (count,), "context": (count,), "negatives": (count, k)}
        leaves = {
            name: with_signs(inputs, case["numbers"], *shape, d_model).to(DTYPES[case["dtype"]])
            for name, shape in shapes.items()
        }
        for leaf in leaves.values():
            leaf[0] *= 20 if "large" in case["pairs"] else 1  # the other pairs still learn
            leaf.requires_grad_()
        label = f"{label}, d_model {d_model}"
        found[f"loss ({label}):"] = result = loss(*leaves.values())
        found |= gradients_of(result, leaves, of="loss", case=label)
    return found


@nearest.at_once
def words(nearest, inputs):
    found = {}
    for case in inputs.cases(
        18,
        dtype=(*DTYPES,),
        way=WAYS,
        numbers=SIGNS,
        row=("no row of zeros", "a row of zeros"),
    ):
        vocab, d_model = inputs.integer(6, 12), inputs.integer(3, 8)
        vector, table = torch.zeros(d_model), torch.zeros(vocab, d_model)
        while not apart(vector, table):
            vector = 3 * with_signs(inputs, case["numbers"], d_model)
            table = with_signs(inputs, case["numbers"], vocab, d_model)
            if case["row"] == "a row of zeros":
                table[inputs.integer(0, vocab)] = 0
        table = (table * inputs.uniform(0.1, 9, vocab, 1)).to(DTYPES[case["dtype"]])
        count = inputs.integer(1, vocab + 1)
        option, by_position, by_name = passed(case.pop("way"), count=count)
        similarity, ids = nearest(vector.to(table.dtype), table, *by_position, **by_name)
        label = f"{in_words(case)}, {vocab} rows, {option}"
        found |= {f"similarity ({label}): count": similarity, f"ids ({label}): count": ids}
    return found
