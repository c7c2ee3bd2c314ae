"""What else learners write for beam_search: other candidates kept, other hypotheses compared at the end."""

import torch

from course_lib.checks.translator.beam import beam_search
from course_lib.checks.translator.mistakes_in_beam import length, searching
from course_lib.checks.translator.stand_ins import BOS, EOS

mistake = beam_search.mistake


def ends(pair):
    return pair[0][-1] == EOS


# What stays


@mistake(
    "D21",
    advice="The running ones are filled up to `beam` again. Cut first: of the `beam` best candidates "
    "those that end are set aside, and what is left of them runs on.",
)
def filled_up(model, source, beam=4, max_length=30):
    def keep(ranked, beam):
        running = [pair for pair in ranked if not ends(pair)]
        return [pair for pair in ranked[:beam] if ends(pair)] + running[:beam]

    return searching(model, source, beam, max_length, keep=keep)


@mistake(
    "D21",
    advice="All candidates stay, more in every round: sort those of all hypotheses together, and keep the "
    "first `beam`.",
)
def keeps_all(model, source, beam=4, max_length=30):
    # 30 stand for all, which would take too long
    return searching(model, source, beam, max_length, keep=lambda ranked, beam: ranked[:30])


@mistake(
    "D21",
    advice="A candidate that ends counts only if it is among the `beam` best: cut first, then set aside "
    "those that end.",
)
def all_that_end(model, source, beam=4, max_length=30):
    def keep(ranked, beam):
        return ranked[:beam] + [pair for pair in ranked[beam:] if ends(pair)]

    return searching(model, source, beam, max_length, keep=keep)


# What is compared at the end


@mistake(
    "D22",
    advice="At the end you compare running hypotheses with finished ones: a running one has not paid for its "
    "last words. It wins only if none has finished.",
)
def running_compete(model, source, beam=4, max_length=30):
    return searching(model, source, beam, max_length, pool=lambda finished, running: finished + running)


@mistake(
    "D22",
    advice="Finished hypotheses stay in the beam here, take places in it, and meet running ones at the "
    "end. Set them aside in a list of their own.",
)
def stays_in_the_beam(model, source, beam=4, max_length=30):
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


@mistake(
    "D17",
    advice="`finished` is made anew in every round, and those of earlier rounds are lost: add to it, "
    "`finished += ...`.",
)
def forgets_finished(model, source, beam=4, max_length=30):
    return searching(model, source, beam, max_length, remembered=lambda finished: [])


@mistake("D17", advice="If none has finished after `max_length` rounds, the best running one is the answer.")
def only_finished(model, source, beam=4, max_length=30):
    return searching(model, source, beam, max_length, pool=lambda finished, running: finished)


@mistake("D18", advice="The worst wins: scores are negative, and the best is the largest, `max`.")
def worst_wins(model, source, beam=4, max_length=30):
    return searching(model, source, beam, max_length, final=lambda ids, score: -score / length(ids))


# How a hypothesis grows


@mistake(
    "D20",
    advice="`ids.append` changes the list that the hypothesis and its other candidates hold: make a new "
    "one for each, `[*ids, word]`.",
)
def shared_list(model, source, beam=4, max_length=30):
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


@mistake(
    "D2", advice="You read the prediction of the first position again and again: the newest is `[0, -1]`."
)
def first_position(model, source, beam=4, max_length=30):
    return searching(model, source, beam, max_length, newest=lambda logits: logits[0, 0])


@mistake("T8", advice="It starts from the end symbol. The first hypothesis is `([BOS], 0.0)`.")
def from_end(model, source, beam=4, max_length=30):
    return searching(model, source, beam, max_length, begin=EOS)


@mistake(
    "D10",
    advice="One round too few: there are `max_length` of them, and each adds a word to every hypothesis.",
)
def one_round_short(model, source, beam=4, max_length=30):
    return searching(model, source, beam, max_length - 1)
