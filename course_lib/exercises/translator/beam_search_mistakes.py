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
    enough=lambda finished, ranked: False,
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
        if not running or enough(finished, candidates):
            break
    return max(pool(finished, running), key=lambda pair: final(*pair))[0][1:]


@mistake("D13", lacks=r"/ \(*(max\()?len\(")
def not_normalized(model, source, beam=4, max_length=30):
    """You compare sums of log-probabilities, which favor short translations because every word makes the sum
    smaller. Divide by the number of words, and count the end symbol.
    """
    return searching(model, source, beam, max_length, final=lambda ids, score: score)


@mistake(mentions=r"\) \*\* ")
def power_of_length(model, source, beam=4, max_length=30):
    """You divide by a power of the length, which favors other translations. Divide by the number of words."""
    return searching(model, source, beam, max_length, final=lambda ids, score: score / (len(ids) - 1) ** 0.6)


@mistake("D14", mentions=r" \* ")
def times_length(model, source, beam=4, max_length=30):
    """You multiply by the length. Scores are negative, so long translations lose even more.
    Divide instead.
    """
    return searching(model, source, beam, max_length, final=lambda ids, score: score * length(ids))


@mistake(mentions=r"/ len\(")
def counts_begin(model, source, beam=4, max_length=30):
    """You count the begin symbol as a word. Divide by one less, `len(ids) - 1`."""
    return searching(model, source, beam, max_length, final=lambda ids, score: score / len(ids))


@mistake(mentions="- 2")
def end_not_counted(model, source, beam=4, max_length=30):
    """You do not count the end symbol, but its probability is a factor too. Divide by `len(ids) - 1`. A
    translation with the end symbol alone has one word.
    """
    return searching(model, source, beam, max_length, final=lambda ids, score: score / (len(ids) - 2))


@mistake
def last_word_only(model, source, beam=4, max_length=30):
    """Your score is the log-probability of the last word alone. The score of a hypothesis is the sum over all
    of its words.
    """
    return searching(model, source, beam, max_length, grow=lambda score, value: value)


@mistake
def adds_probabilities(model, source, beam=4, max_length=30):
    """You add probabilities, but the probability of a sentence is their product. Add their logarithms
    (`log_softmax`).
    """
    return searching(model, source, beam, max_length, scale=lambda logits: logits.softmax(dim=-1))


@mistake
def multiplies_probabilities(model, source, beam=4, max_length=30):
    """You divide a product of probabilities by the length, which has no meaning. Add logarithms,
    then divide.
    """
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
    """You multiply logarithms. Probabilities are multiplied, so their logarithms are added: `score +
    log_prob`.
    """
    return searching(model, source, beam, max_length, grow=lambda score, value: score * value)


@mistake(mentions=r" \*=? ")
def multiplies_logarithms_from_one(model, source, beam=4, max_length=30):
    """You multiply logarithms, from 1 on. Add them, `score + log_prob`, and begin with a score of 0."""
    return searching(model, source, beam, max_length, start=1.0, grow=lambda score, value: score * value)


@mistake
def adds_logits(model, source, beam=4, max_length=30):
    """You add logits, but those of different prefixes cannot be compared: each row has its own offset. Take
    `log_softmax` first.
    """
    return searching(model, source, beam, max_length, scale=lambda logits: logits)


@mistake("D17")
def enough_finished(model, source, beam=4, max_length=30):
    """You stop when `beam` hypotheses have finished, but a better one may still be running. Go on until none
    is running, or `max_length` is reached.
    """
    return searching(model, source, beam, max_length, enough=lambda finished, _: len(finished) >= beam)


@mistake("D17")
def first_finished(model, source, beam=4, max_length=30):
    """You return the first hypothesis that finishes, but it may not be the best. Go on while hypotheses are
    running.
    """
    return searching(model, source, beam, max_length, enough=lambda finished, _: bool(finished))


@mistake
def sum_leads(model, source, beam=4, max_length=30):
    """You stop when a finished hypothesis has a higher sum than all running ones. A longer one with a lower
    sum can still be the best per word, so go on until none is running, or `max_length` is reached.
    """

    def enough(finished, ranked):
        sums = [score for ids, score in ranked if ids[-1] != EOS]
        return bool(finished) and max(score for _, score in finished) > max(sums)

    return searching(model, source, beam, max_length, enough=enough)


@mistake
def finished_leads(model, source, beam=4, max_length=30):
    """You stop when `beam` hypotheses have finished and the best of them leads per word. A running one can
    still overtake it with its next words, so go on until none is running, or `max_length` is reached.
    """

    def enough(finished, ranked):
        means = [score / length(ids) for ids, score in ranked if ids[-1] != EOS]
        return len(finished) >= beam and max(score / length(ids) for ids, score in finished) > max(means)

    return searching(model, source, beam, max_length, enough=enough)


@mistake
def top_has_ended(model, source, beam=4, max_length=30):
    """You stop when the best candidate of a round has ended. Others are still running, and a longer one can
    be the best per word.
    """

    def enough(finished, ranked):
        return len(finished) >= beam and ends(ranked[0])

    return searching(model, source, beam, max_length, enough=enough)


@mistake
def best_sums_finished(model, source, beam=4, max_length=30):
    """You keep only the finished hypotheses with the highest sums. Keep all of them, because the best per
    word can have a lower sum.
    """

    def remembered(finished):
        return sorted(finished, key=lambda pair: pair[1], reverse=True)[:beam]

    def pool(finished, running):
        return remembered(finished) or running

    return searching(model, source, beam, max_length, remembered=remembered, pool=pool)


@mistake
def best_only(model, source, beam=4, max_length=30):
    """You only ever continue one hypothesis, which is greedy decoding. Each hypothesis has `beam` candidates.
    Collect those of all hypotheses, and sort them by score before you cut.
    """
    return searching(model, source, beam, max_length, expanded=lambda running: running[:1])


@mistake
def keeps_worst(model, source, beam=4, max_length=30):
    """You keep the candidates with the lowest scores. The best have the largest scores. (`sorted` begins with
    the smallest, unless `reverse=True`.)
    """
    ascending = lambda candidates, running: sorted(candidates, key=lambda pair: pair[1])  # noqa: E731
    return searching(model, source, beam, max_length, rank=ascending)


@mistake("D19")
def past_the_end(model, source, beam=4, max_length=30):
    """You continue finished hypotheses past their end. Set those that end in `EOS` aside."""
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
    """You mix the words of different hypotheses. A candidate consists of the words of its own parent and one
    more word.
    """

    def rank(candidates, running):
        ranked = sorted(candidates, key=lambda pair: pair[1], reverse=True)[:beam]
        places = [min(place, len(running) - 1) for place in range(len(ranked))]
        return [([*running[at][0], ids[-1]], score) for at, (ids, score) in zip(places, ranked, strict=True)]

    return searching(model, source, beam, max_length, rank=rank)


@mistake
def keeps_begin(model, source, beam=4, max_length=30):
    """Your result contains the begin symbol, which is not part of the translation. Leave out the first id
    with `[1:]`.
    """
    return [BOS, *searching(model, source, beam, max_length)]


@mistake
def drops_end(model, source, beam=4, max_length=30):
    """The end symbol is missing from the result. Keep it, because it says that a sentence is complete."""
    return [word for word in searching(model, source, beam, max_length) if word != EOS]


def ends(pair):
    return pair[0][-1] == EOS


# What stays


@mistake
def filled_up(model, source, beam=4, max_length=30):
    """You fill the running hypotheses up to `beam` again. Cut first: of the `beam` best candidates, set aside
    those that end, and continue only the others.
    """

    def keep(ranked, beam):
        running = [pair for pair in ranked if not ends(pair)]
        return [pair for pair in ranked[:beam] if ends(pair)] + running[:beam]

    return searching(model, source, beam, max_length, keep=keep)


@mistake
def keeps_all(model, source, beam=4, max_length=30):
    """You keep more candidates than `beam`. Sort those of all hypotheses together and keep the first `beam`.
    Only then set aside those that end.
    """
    # 30 stand for all, which would take too long
    return searching(model, source, beam, max_length, keep=lambda ranked, beam: ranked[:30])


@mistake
def all_that_end(model, source, beam=4, max_length=30):
    """You set aside every candidate that ends. It counts only if it is among the `beam` best, so
    cut first.
    """

    def keep(ranked, beam):
        return ranked[:beam] + [pair for pair in ranked[beam:] if ends(pair)]

    return searching(model, source, beam, max_length, keep=keep)


# What is compared at the end


@mistake
def running_compete(model, source, beam=4, max_length=30):
    """At the end you compare running hypotheses with finished ones, but a running one still lacks its last
    words. It can only win if none has finished.
    """
    return searching(model, source, beam, max_length, pool=lambda finished, running: finished + running)


@mistake
def stays_in_the_beam(model, source, beam=4, max_length=30):
    """Your finished hypotheses stay in the beam, where they take places, and at the end you compare them with
    running ones. Set them aside in a separate list.
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
    """Finished hypotheses take the places of running ones, so too few go on. Set each aside once, and
    continue the best `beam` of those that do not end in `EOS`.
    """
    return searching(model, source, beam, max_length, goes_on=lambda ids: True)


@mistake
def forgets_finished(model, source, beam=4, max_length=30):
    """You lose the hypotheses that finished in earlier rounds. Make the list of finished ones once, before
    the rounds, and add to it with `finished += ...`.
    """
    return searching(model, source, beam, max_length, remembered=lambda finished: [])


@mistake
def only_finished(model, source, beam=4, max_length=30):
    """After `max_length` rounds it can happen that no hypothesis has finished. Then return the best running
    one.
    """
    return searching(model, source, beam, max_length, pool=lambda finished, running: finished)


@mistake
def worst_wins(model, source, beam=4, max_length=30):
    """You return the worst hypothesis. Scores are negative, and the best is the largest, `max`."""
    return searching(model, source, beam, max_length, final=lambda ids, score: -score / length(ids))


# How a hypothesis grows


@mistake(mentions=r"\.append\(|\.extend\(|\+= ")
def shared_list(model, source, beam=4, max_length=30):
    """A hypothesis and all its candidates share one list, which `append` or `+=` changes for all of them.
    Make a new list for each candidate, `[*ids, word]`.
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
    """You take the prediction at the first position in every round. The prediction of the newest word is at
    `[0, -1]`.
    """
    return searching(model, source, beam, max_length, newest=lambda logits: logits[0, 0])


@mistake
def from_end(model, source, beam=4, max_length=30):
    """You start from the end symbol. The first hypothesis is `([BOS], 0.0)`."""
    return searching(model, source, beam, max_length, begin=EOS)


@mistake
def one_round_short(model, source, beam=4, max_length=30):
    """You make one round too few. There are `max_length` rounds, and each adds a word to every hypothesis."""
    return searching(model, source, beam, max_length - 1)


@mistake
def without_batch(model, source, beam=4, max_length=30):
    """The model takes a batch, and you give it a single row. Make a batch of one row,
    `torch.tensor([ids])`.
    """
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


@mistake(mentions=r"\[-1\]")
def one_of_each_last_word(model, source, beam=4, max_length=30):
    """Of two hypotheses that go on with the same word, you keep only the better one. They are two candidates:
    a dictionary with the last word as its key has no place for both.
    """

    def best_of_each(candidates, running):
        best = {}
        for ids, score in sorted(candidates, key=lambda pair: pair[1], reverse=True):
            best.setdefault(ids[-1], (ids, score))
        return list(best.values())

    return searching(model, source, beam, max_length, rank=best_of_each)
