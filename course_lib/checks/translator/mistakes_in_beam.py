"""What learners write for beam_search."""

import torch

from course_lib.checks.translator.beam import beam_search
from course_lib.checks.translator.stand_ins import BOS, EOS

mistake = beam_search.mistake


def length(ids):
    return len(ids) - 1


def searching(
    model,
    source,
    beam,
    max_length,
    begin=BOS,
    start=0.0,
    newest=lambda logits: logits[0, -1],
    scale=lambda logits: logits.log_softmax(dim=-1),
    grow=lambda score, value: score + value,
    expanded=lambda running: running,
    rank=lambda candidates, running: sorted(candidates, key=lambda pair: pair[1], reverse=True),
    keep=lambda ranked, beam: ranked[:beam],
    goes_on=lambda ids: ids[-1] != EOS,
    enough=lambda finished: False,
    remembered=lambda finished: finished,
    pool=lambda finished, running: finished or running,
    final=lambda ids, score: score / length(ids),
):
    """The right answer, with one piece to replace."""
    running, finished = [([begin], start)], []
    for _ in range(max_length):
        candidates = []
        for ids, score in expanded(running):
            values, words = scale(newest(model(source, torch.tensor([ids])))).topk(beam)
            pairs = zip(words.tolist(), values.tolist(), strict=True)
            candidates += [([*ids, word], grow(score, value)) for word, value in pairs]
        candidates = keep(rank(candidates, running), beam)
        finished = remembered(finished) + [pair for pair in candidates if pair[0][-1] == EOS]
        running = [pair for pair in candidates if goes_on(pair[0])]
        if not running or enough(finished):
            break
    return max(pool(finished, running), key=lambda pair: final(*pair))[0][1:]


@mistake(
    "D13",
    advice="Sums of logarithms favor short translations, for every word makes them smaller: divide by "
    "the number of words, the end symbol counts.",
)
def not_normalized(model, source, beam=4, max_length=30):
    return searching(model, source, beam, max_length, final=lambda ids, score: score)


@mistake(
    "D14",
    advice="You multiply by the length: scores are negative, so long translations lose even more. Divide.",
)
def times_length(model, source, beam=4, max_length=30):
    return searching(model, source, beam, max_length, final=lambda ids, score: score * length(ids))


@mistake("D15", advice="The begin symbol counts as a word in your length: divide by `len(ids) - 1`.")
def counts_begin(model, source, beam=4, max_length=30):
    return searching(model, source, beam, max_length, final=lambda ids, score: score / len(ids))


@mistake(
    "D16",
    advice="The score of a hypothesis is the sum over all of its words; yours is that of the last word "
    "alone.",
)
def last_word_only(model, source, beam=4, max_length=30):
    return searching(model, source, beam, max_length, grow=lambda score, value: value)


@mistake("D16", advice="Probabilities are multiplied, not added: add their logarithms (`log_softmax`).")
def adds_probabilities(model, source, beam=4, max_length=30):
    return searching(model, source, beam, max_length, scale=lambda logits: logits.softmax(dim=-1))


@mistake(
    "D16",
    advice="A product of probabilities divided by the length means nothing: add logarithms, then divide.",
)
def multiplies_probabilities(model, source, beam=4, max_length=30):
    return searching(
        model,
        source,
        beam,
        max_length,
        start=1.0,
        scale=lambda logits: logits.softmax(dim=-1),
        grow=lambda score, value: score * value,
    )


@mistake(
    "D16",
    advice="Logits of different prefixes cannot be compared: each row has its own offset. Take "
    "`log_softmax` first.",
)
def adds_logits(model, source, beam=4, max_length=30):
    return searching(model, source, beam, max_length, scale=lambda logits: logits)


@mistake("D17", advice="The first to finish need not be the best: go on while hypotheses are running.")
def first_finished(model, source, beam=4, max_length=30):
    return searching(model, source, beam, max_length, enough=bool)


@mistake(
    "D18",
    advice="Only one hypothesis is continued, which is greedy decoding: collect the candidates of all, "
    "and sort them by score before you cut.",
)
def best_only(model, source, beam=4, max_length=30):
    return searching(model, source, beam, max_length, expanded=lambda running: running[:1])


@mistake("D18", advice="You keep the least likely candidates: sort with `reverse=True`.")
def keeps_worst(model, source, beam=4, max_length=30):
    ascending = lambda candidates, running: sorted(candidates, key=lambda pair: pair[1])  # noqa: E731
    return searching(model, source, beam, max_length, rank=ascending)


@mistake(
    "D19",
    advice="Finished hypotheses are continued past their end: set those that end in `EOS` aside.",
)
def past_the_end(model, source, beam=4, max_length=30):
    running = [([BOS], 0.0)]
    for _ in range(max_length):
        candidates = []
        for ids, score in running:
            values, words = model(source, torch.tensor([ids]))[0, -1].log_softmax(dim=-1).topk(beam)
            pairs = zip(words.tolist(), values.tolist(), strict=True)
            candidates += [([*ids, word], score + value) for word, value in pairs]
        running = sorted(candidates, key=lambda pair: pair[1], reverse=True)[:beam]
    return max(running, key=lambda pair: pair[1] / length(pair[0]))[0][1:]


@mistake(
    "D20",
    advice="When hypotheses are ranked anew, their histories must move along: a candidate is its own "
    "parent's words plus one.",
)
def histories_stay(model, source, beam=4, max_length=30):
    def rank(candidates, running):
        ranked = sorted(candidates, key=lambda pair: pair[1], reverse=True)[:beam]
        places = [min(place, len(running) - 1) for place in range(len(ranked))]
        return [([*running[at][0], ids[-1]], score) for at, (ids, score) in zip(places, ranked, strict=True)]

    return searching(model, source, beam, max_length, rank=rank)


@mistake("D8", advice="The begin symbol is no part of the translation: return `ids[1:]`.")
def keeps_begin(model, source, beam=4, max_length=30):
    return [BOS, *searching(model, source, beam, max_length)]


@mistake("D9", advice="The end symbol is missing from the result: keep it, it says that a sentence is whole.")
def drops_end(model, source, beam=4, max_length=30):
    return [word for word in searching(model, source, beam, max_length) if word != EOS]
