"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import torch

from course_lib.checks.ordinary import in_turn
from course_lib.checks.untouched import Untouched, in_use
from course_lib.exercises.translator.at_once_trained import COUNTS, MODES
from course_lib.exercises.translator.beam_search import beam_search
from course_lib.exercises.translator.bleu import bleu
from course_lib.exercises.translator.greedy_decode import greedy_decode
from course_lib.exercises.translator.stand_ins import EOS, UNK, Tree, number, place_of
from course_lib.exercises.translator.transplant import Speller, transplant, two_sentences
from course_lib.exercises.translator.trees import Forks, least_gap


@greedy_decode.at_once
def whole_batches(decode, inputs):
    found = {}
    for label, case in in_turn(
        "call {0}",
        inputs.cases(
            8,
            mode=MODES,
            sentences=("one sentence", "some sentences", "some sentences"),
            max_length=("max_length by position", "max_length by name", "max_length not given"),
            vocab=("12 words in the vocabulary", "more words in the vocabulary"),
            source=("sources of some words", "sources of many words"),
        ),
    ):
        vocab = 12 if case["vocab"].startswith("12") else inputs.integer(13, 30)
        limit = () if case["max_length"] == "max_length not given" else (inputs.integer(1, 10),)
        lengths = inputs.integers(0, 7, inputs.integer(*COUNTS[case["sentences"]]))
        lengths[-1] = lengths[-1] if limit else 33
        model = Tree(*(doubtful(inputs, length, vocab) for length in lengths.tolist()), vocab=vocab)
        width = inputs.integer(1, 5) if case["source"] == "sources of some words" else inputs.integer(5, 20)
        source = inputs.integers(4, vocab, len(lengths), width)
        rest = torch.tensor([place_of([0, *row]) for row in source[:, 1:].tolist()])
        source[:, 0] = 4 + (inputs.normal(len(lengths)).argsort() - rest - 4) % len(lengths)
        model.train(case["mode"] == "training")
        by_name = case["max_length"] == "max_length by name"
        ids = decode(model, source, max_length=limit[0]) if by_name else decode(model, source, *limit)
        found[f"ids ({label}): batch target"] = ids
    return found


def doubtful(inputs, length, vocab):
    """The table that writes so many words and the end: each is hardly likelier than another one."""
    written = (*inputs.integers(UNK, vocab, length).tolist(), EOS)
    others = [UNK + (word - UNK + inputs.integer(1, vocab - UNK)) % (vocab - UNK) for word in written]
    return {
        written[:place]: {word: 0.505, other: 0.495}
        for place, (word, other) in enumerate(zip(written, others, strict=True))
    }


@bleu.at_once
def whole_corpora(bleu, inputs):
    found = {}
    for label, case in in_turn(
        "call {0}",
        inputs.cases(
            16,
            corpus=(*COUNTS,),
            words=("a few words that come again", "many words"),
            lengths=("short translations", "long translations", "short and long translations"),
            right=("mostly right", "half right"),
        ),
    ):
        names = ["the", "The", "cat", "cats", "cat,", "a_b", "我", "天"]
        names = names if case["words"].startswith("a few") else [*names, *map(str, range(40))]
        some = lambda count: [names[i] for i in inputs.integers(0, len(names), count).tolist()]  # noqa: B023, E731
        lengths = (12, *inputs.integers(1, 12, inputs.integer(*COUNTS[case["corpus"]]) - 1).tolist())
        references = [some(length) for length in lengths]
        share = 0.8 if case["right"] == "mostly right" else 0.6
        translations = [
            [word if inputs.chance() < share else some(1)[0] for word in one] for one in references
        ]
        for place, one in enumerate(translations):
            if "long" in case["lengths"] and (place % 2 or "short" not in case["lengths"]):
                one += some(inputs.integer(1, 4))
            else:
                del one[len(one) - inputs.integer(1, 4) :]
        found[f"score ({label})"] = number(bleu(translations, references))
    return found


@beam_search.at_once
def drawn_searches(search, inputs):
    found = {"ids (no options)": search(Tree(doubtful(inputs, 33, 12)), inputs.integers(4, 12, 1, 2))}
    for label, case in in_turn(
        "call {0}",
        inputs.cases(
            12,
            mode=MODES,
            beam=("a beam of 1", "a beam of 2", "4 by default", *["a beam of 6 or 7"] * 3),
            by=("options by position", "options by name"),
            vocab=("12 words in the vocabulary", "more words in the vocabulary"),
            source=("sources of some words", "sources of many words"),
        ),
    ):
        vocab = 12 if case["vocab"].startswith("12") else inputs.integer(13, 40)
        width = inputs.integer(1, 5) if case["source"] == "sources of some words" else inputs.integer(5, 20)
        source, max_length = inputs.integers(4, vocab, 1, width), inputs.integer(2, 8)
        beams = {"a beam of 1": 1, "a beam of 2": 2, "4 by default": 4}
        beam = beams.get(case["beam"], inputs.integer(6, 8))
        trees = (
            Tree(*(Forks(inputs, (label, again, i), vocab) for i in range(9)), vocab=vocab)
            for again in range(1000)
        )
        tree = next(tree for tree in trees if least_gap(tree, source, beam, max_length) > 1e-3)
        tree.train(case["mode"] == "training")
        if case["beam"] == "4 by default":
            ids = search(tree, source, max_length=max_length)
        elif case["by"] == "options by position":
            ids = search(tree, source, beam, max_length)
        else:
            ids = search(tree, source, beam=beam, max_length=max_length)
        found[f"ids ({label})"] = ids
    return found


@transplant.at_once
def several_moved(answer, inputs):
    found = {}
    for label, case in in_turn(
        "call {0}",
        inputs.cases(
            8,
            mode=("in training mode", "in evaluation mode", "in use"),
            layers=("one layer", "some layers"),
            source=("source of one word", "source of some words"),
            other=("other of one word", "other of some words"),
        ),
    ):
        model = Speller(1 if case["layers"] == "one layer" else inputs.integer(2, 5))
        model = in_use(model) if case["mode"] == "in use" else model.train(case["mode"] == "in training mode")
        model.encoder[-1].register_forward_hook(lambda *_: None)  # somebody else's
        before = Untouched(model)
        for which in ("the first call", "the second call"):
            length = 1 if case["source"] == "source of one word" else inputs.integer(2, 10)
            other_length = 1 if case["other"] == "other of one word" else inputs.integer(2, 10)
            source, other = two_sentences(inputs, length, other_length)
            place, other_place = inputs.integer(0, length), inputs.integer(0, other_length)
            ids = answer(model, source, place, other, other_place)
            found[f"ids ({which}, {label}): batch target"] = ids
        found[f"the model afterwards ({label})"] = before.finding()
    return found
