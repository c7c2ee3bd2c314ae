"""Wrong answers to beam_search: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.translator.stand_ins import BOS, EOS

mistake = Mistakes()


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


@mistake("D13")
def not_normalized(model, source, beam=4, max_length=30):
    """Sums of logarithms favor short translations, for every word makes them smaller: divide by the number of
    words, the end symbol counts.
    """
    return searching(model, source, beam, max_length, final=lambda ids, score: score)


@mistake(mentions=r"\) \*\* ")
def power_of_length(model, source, beam=4, max_length=30):
    """You divide by a power of the length, which favors other translations: divide by the number of words
    itself.
    """
    return searching(model, source, beam, max_length, final=lambda ids, score: score / (len(ids) - 1) ** 0.6)


@mistake("D14", mentions=r" \* ")
def times_length(model, source, beam=4, max_length=30):
    """You multiply by the length: scores are negative, so long translations lose even more. Divide."""
    return searching(model, source, beam, max_length, final=lambda ids, score: score * length(ids))


@mistake(mentions=r"/ len\(")
def counts_begin(model, source, beam=4, max_length=30):
    """The begin symbol counts as a word in your length: divide by one less, as `len(ids) - 1`."""
    return searching(model, source, beam, max_length, final=lambda ids, score: score / len(ids))


@mistake(mentions="- 2")
def end_not_counted(model, source, beam=4, max_length=30):
    """The end symbol is missing in your length: its probability is a factor too, so it counts. Divide by
    `len(ids) - 1`; a translation that is the end alone has one word.
    """
    return searching(model, source, beam, max_length, final=lambda ids, score: score / (len(ids) - 2))


@mistake
def last_word_only(model, source, beam=4, max_length=30):
    """The score of a hypothesis is the sum over all of its words; yours is that of the last word alone."""
    return searching(model, source, beam, max_length, grow=lambda score, value: value)


@mistake
def adds_probabilities(model, source, beam=4, max_length=30):
    """Probabilities are multiplied, not added: add their logarithms (`log_softmax`)."""
    return searching(model, source, beam, max_length, scale=lambda logits: logits.softmax(dim=-1))


@mistake
def multiplies_probabilities(model, source, beam=4, max_length=30):
    """A product of probabilities divided by the length means nothing: add logarithms, then divide."""
    return searching(
        model,
        source,
        beam,
        max_length,
        start=1.0,
        scale=lambda logits: logits.softmax(dim=-1),
        grow=lambda score, value: score * value,
    )


@mistake(mentions=r" \*=? ")
def multiplies_logarithms(model, source, beam=4, max_length=30):
    """You multiply logarithms: they are added, `score + log_prob`. (Probabilities are multiplied, so their
    logarithms are added.)
    """
    return searching(model, source, beam, max_length, grow=lambda score, value: score * value)


@mistake(mentions=r" \*=? ")
def multiplies_logarithms_from_one(model, source, beam=4, max_length=30):
    """You multiply logarithms, from 1 on: they are added, `score + log_prob`, and the first score is 0."""
    return searching(model, source, beam, max_length, start=1.0, grow=lambda score, value: score * value)


@mistake
def adds_logits(model, source, beam=4, max_length=30):
    """Logits of different prefixes cannot be compared: each row has its own offset. Take
    `log_softmax` first.
    """
    return searching(model, source, beam, max_length, scale=lambda logits: logits)


@mistake("D17")
def enough_finished(model, source, beam=4, max_length=30):
    """You stop when `beam` hypotheses have finished. A better one may still run: go on until none is running,
    or `max_length` is reached.
    """
    return searching(model, source, beam, max_length, enough=lambda finished: len(finished) >= beam)


@mistake("D17")
def first_finished(model, source, beam=4, max_length=30):
    """The first to finish need not be the best: go on while hypotheses are running."""
    return searching(model, source, beam, max_length, enough=bool)


@mistake
def best_only(model, source, beam=4, max_length=30):
    """This is greedy decoding: only one hypothesis is ever continued. Each has `beam` candidates; collect
    those of all hypotheses, and sort them by score before you cut.
    """
    return searching(model, source, beam, max_length, expanded=lambda running: running[:1])


@mistake
def keeps_worst(model, source, beam=4, max_length=30):
    """You keep the least likely candidates: the best have the largest scores. (`sorted` begins with the
    smallest, unless `reverse=True`.)
    """
    ascending = lambda candidates, running: sorted(candidates, key=lambda pair: pair[1])  # noqa: E731
    return searching(model, source, beam, max_length, rank=ascending)


@mistake("D19")
def past_the_end(model, source, beam=4, max_length=30):
    """Finished hypotheses are continued past their end: set those that end in `EOS` aside."""
    running = [([BOS], 0.0)]
    for _ in range(max_length):
        candidates = []
        for ids, score in running:
            values, words = model(source, torch.tensor([ids]))[0, -1].log_softmax(dim=-1).topk(beam)
            pairs = zip(words.tolist(), values.tolist(), strict=True)
            candidates += [([*ids, word], score + value) for word, value in pairs]
        running = sorted(candidates, key=lambda pair: pair[1], reverse=True)[:beam]
    return max(running, key=lambda pair: pair[1] / length(pair[0]))[0][1:]


@mistake("D20")
def histories_stay(model, source, beam=4, max_length=30):
    """When hypotheses are ranked anew, their histories must move along: a candidate is its own parent's words
    plus one.
    """

    def rank(candidates, running):
        ranked = sorted(candidates, key=lambda pair: pair[1], reverse=True)[:beam]
        places = [min(place, len(running) - 1) for place in range(len(ranked))]
        return [([*running[at][0], ids[-1]], score) for at, (ids, score) in zip(places, ranked, strict=True)]

    return searching(model, source, beam, max_length, rank=rank)


@mistake
def keeps_begin(model, source, beam=4, max_length=30):
    """The begin symbol is no part of the translation: leave out the first id, `[1:]`."""
    return [BOS, *searching(model, source, beam, max_length)]


@mistake
def drops_end(model, source, beam=4, max_length=30):
    """The end symbol is missing from the result: keep it, it says that a sentence is whole."""
    return [word for word in searching(model, source, beam, max_length) if word != EOS]


def ends(pair):
    return pair[0][-1] == EOS


# What stays


@mistake
def filled_up(model, source, beam=4, max_length=30):
    """The running ones are filled up to `beam` again. Cut first: of the `beam` best candidates those that end
    are set aside, and what is left of them runs on.
    """

    def keep(ranked, beam):
        running = [pair for pair in ranked if not ends(pair)]
        return [pair for pair in ranked[:beam] if ends(pair)] + running[:beam]

    return searching(model, source, beam, max_length, keep=keep)


@mistake
def keeps_all(model, source, beam=4, max_length=30):
    """All candidates stay, more in every round: sort those of all hypotheses together, and keep the first
    `beam`.
    """
    # 30 stand for all, which would take too long
    return searching(model, source, beam, max_length, keep=lambda ranked, beam: ranked[:30])


@mistake
def all_that_end(model, source, beam=4, max_length=30):
    """A candidate that ends counts only if it is among the `beam` best: cut first, then set aside those that
    end.
    """

    def keep(ranked, beam):
        return ranked[:beam] + [pair for pair in ranked[beam:] if ends(pair)]

    return searching(model, source, beam, max_length, keep=keep)


# What is compared at the end


@mistake
def running_compete(model, source, beam=4, max_length=30):
    """At the end you compare running hypotheses with finished ones: a running one has not paid for its last
    words. It wins only if none has finished.
    """
    return searching(model, source, beam, max_length, pool=lambda finished, running: finished + running)


@mistake
def stays_in_the_beam(model, source, beam=4, max_length=30):
    """Finished hypotheses stay in the beam here, take places in it, and meet running ones at the end. Set
    them aside in a list of their own.
    """
    kept = [([BOS], 0.0)]
    for _ in range(max_length):
        candidates = [pair for pair in kept if ends(pair)]
        for ids, score in [pair for pair in kept if not ends(pair)]:
            values, words = model(source, torch.tensor([ids]))[0, -1].log_softmax(dim=-1).topk(beam)
            pairs = zip(words.tolist(), values.tolist(), strict=True)
            candidates += [([*ids, word], score + value) for word, value in pairs]
        kept = sorted(candidates, key=lambda pair: pair[1], reverse=True)[:beam]
        if all(map(ends, kept)):
            break
    return max(kept, key=lambda pair: pair[1] / length(pair[0]))[0][1:]


@mistake
def finished_run_on(model, source, beam=4, max_length=30):
    """Finished hypotheses are kept apart, but stay among the running ones, too, where they take places and
    grow past their end. Only those run on that do not end in `EOS`.
    """
    return searching(model, source, beam, max_length, goes_on=lambda ids: True)


@mistake
def forgets_finished(model, source, beam=4, max_length=30):
    """Those that finished in earlier rounds are lost: make the list of finished ones once, before the rounds,
    and add to it, as `finished += ...` does.
    """
    return searching(model, source, beam, max_length, remembered=lambda finished: [])


@mistake
def only_finished(model, source, beam=4, max_length=30):
    """If none has finished after `max_length` rounds, the best running one is the answer."""
    return searching(model, source, beam, max_length, pool=lambda finished, running: finished)


@mistake
def worst_wins(model, source, beam=4, max_length=30):
    """The worst wins: scores are negative, and the best is the largest, `max`."""
    return searching(model, source, beam, max_length, final=lambda ids, score: -score / length(ids))


# How a hypothesis grows


@mistake(mentions=r"\.append\(|\.extend\(|\+= ")
def shared_list(model, source, beam=4, max_length=30):
    """A hypothesis and all its candidates hold one and the same list, which `append` or `+=` changes for all:
    make a new one for each, `[*ids, word]`.
    """
    running, finished = [([BOS], 0.0)], []
    for _ in range(max_length):
        candidates = []
        for ids, score in running:
            values, words = model(source, torch.tensor([ids]))[0, -1].log_softmax(dim=-1).topk(beam)
            for word, value in zip(words.tolist(), values.tolist(), strict=True):
                ids.append(word)
                candidates.append((ids, score + value))
        candidates = sorted(candidates, key=lambda pair: pair[1], reverse=True)[:beam]
        finished += [pair for pair in candidates if ends(pair)]
        running = [pair for pair in candidates if not ends(pair)]
        if not running:
            break
    return max(finished or running, key=lambda pair: pair[1] / length(pair[0]))[0][1:]


@mistake("D2")
def first_position(model, source, beam=4, max_length=30):
    """You read the prediction of the first position again and again: the newest is `[0, -1]`."""
    return searching(model, source, beam, max_length, newest=lambda logits: logits[0, 0])


@mistake
def from_end(model, source, beam=4, max_length=30):
    """It starts from the end symbol. The first hypothesis is `([BOS], 0.0)`."""
    return searching(model, source, beam, max_length, begin=EOS)


@mistake
def one_round_short(model, source, beam=4, max_length=30):
    """One round too few: there are `max_length` of them, and each adds a word to every hypothesis."""
    return searching(model, source, beam, max_length - 1)


@mistake
def without_batch(model, source, beam=4, max_length=30):
    """The model takes a batch: one hypothesis is a batch of one row, `torch.tensor([ids])`."""
    running, finished = [([BOS], 0.0)], []
    for _ in range(max_length):
        candidates = []
        for ids, score in running:
            values, words = model(source, torch.tensor(ids))[0, -1].log_softmax(dim=-1).topk(beam)
            pairs = zip(words.tolist(), values.tolist(), strict=True)
            candidates += [([*ids, word], score + value) for word, value in pairs]
        candidates = sorted(candidates, key=lambda pair: pair[1], reverse=True)[:beam]
        finished += [pair for pair in candidates if ends(pair)]
        running = [pair for pair in candidates if not ends(pair)]
        if not running:
            break
    return max(finished or running, key=lambda pair: pair[1] / length(pair[0]))[0][1:]
