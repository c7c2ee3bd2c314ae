"""Wrong answers to beam_step: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.inference.beam_step import reference

mistake = Mistakes()


def _best(total, cache, beams):
    scores, index = total.flatten().topk(beams)
    parents = index // total.shape[-1]
    return parents, index % total.shape[-1], scores, cache[:, :, parents]


@mistake("G7")
def cache_not_moved(scores, logits, cache, beams):
    """Your words and parents are right, but each row of the cache stays in its place. A new hypothesis then
    reads the keys and values of another one. Take the parents' rows: `cache[:, :, parents]`.
    """
    parents, words, best, _ = reference(scores, logits, cache, beams)
    return parents, words, best, cache if len(scores) == beams else cache.expand(-1, -1, beams, -1, -1, -1)


@mistake("G7")
def cache_of_the_best(scores, logits, cache, beams):
    """All your new hypotheses get the cache of one parent. Each needs the rows of its own: `cache[:, :,
    parents]`.
    """
    parents, words, best, _ = reference(scores, logits, cache, beams)
    return parents, words, best, cache[:, :, parents[:1]].expand(-1, -1, beams, -1, -1, -1)


@mistake("G7")
def keys_alone_moved(scores, logits, cache, beams):
    """You move the keys to their new rows, but not the values. Both belong to the hypothesis."""
    parents, words, best, moved = reference(scores, logits, cache, beams)
    if len(scores) != beams:
        return parents, words, best, moved
    return parents, words, best, torch.stack([moved[:, 0], cache[:, 1]], dim=1)


@mistake("G7")
def first_layer_alone(scores, logits, cache, beams):
    """You move the rows of one layer only. Each layer has its keys and values, and all of them follow the
    hypothesis.
    """
    parents, words, best, moved = reference(scores, logits, cache, beams)
    if len(scores) != beams:
        return parents, words, best, moved
    return parents, words, best, torch.cat([moved[:1], cache[1:]])


@mistake
def cache_backwards(scores, logits, cache, beams):
    """You move the rows to where the parents were, not from there. Row i of the new cache is row `parents[i]`
    of the old one.
    """
    parents, words, best, moved = reference(scores, logits, cache, beams)
    if len(scores) != beams:
        return parents, words, best, moved
    moved = cache.clone()
    for row, parent in enumerate(parents.tolist()):
        moved[:, :, parent] = cache[:, :, row]
    return parents, words, best, moved


@mistake
def wrong_axis(scores, logits, cache, beams):
    """You select along the wrong axis of the cache. Its first axis counts layers, the next has keys and
    values, and the hypotheses are axis 2: `cache[:, :, parents]`.
    """
    parents, words, best, _ = reference(scores, logits, cache, beams)
    return parents, words, best, cache[parents]


@mistake
def divided_by_beams(scores, logits, cache, beams):
    """You divide the index by the number of hypotheses. A row of the flat list has `vocab` candidates, so
    divide by that.
    """
    total = scores[:, None] + logits.log_softmax(dim=-1)
    best, index = total.flatten().topk(beams)
    parents = index // len(scores)
    return parents, index % logits.shape[-1], best, cache[:, :, parents]


@mistake(mentions=r"[^/]/ |\bdiv\(|true_divide")
def true_division(scores, logits, cache, beams):
    """`/` gives fractions, which number no row of the cache. The row is the quotient without its fraction:
    `index // vocab`.
    """
    total = scores[:, None] + logits.log_softmax(dim=-1)
    best, index = total.flatten().topk(beams)
    parents = index / logits.shape[-1]
    return parents, index % logits.shape[-1], best, cache[:, :, parents]


@mistake(mentions="round")
def rounded(scores, logits, cache, beams):
    """You round to the nearest row, so the last words of a row get the next parent. Leave out the fraction:
    `index // vocab`.
    """
    total = scores[:, None] + logits.log_softmax(dim=-1)
    best, index = total.flatten().topk(beams)
    parents = (index / logits.shape[-1]).round().long()
    return parents, index % logits.shape[-1], best, cache[:, :, parents]


@mistake
def hypotheses_along_the_list(scores, logits, cache, beams):
    """You split the index as if the words were rows. The flat list has all words of hypothesis 0 first, so
    the parent is `index // vocab`, and the word is `index % vocab`.
    """
    total = scores[:, None] + logits.log_softmax(dim=-1)
    best, index = total.flatten().topk(beams)
    words, parents = index // len(scores), index % len(scores)
    return parents, words, best, cache[:, :, parents]


@mistake
def remainder_by_beams(scores, logits, cache, beams):
    """Your word is the remainder by the number of hypotheses. A row of the flat list has `vocab` candidates:
    `index % vocab`.
    """
    total = scores[:, None] + logits.log_softmax(dim=-1)
    best, index = total.flatten().topk(beams)
    parents = index // logits.shape[-1]
    return parents, index % len(scores), best, cache[:, :, parents]


@mistake
def parents_by_remainder(scores, logits, cache, beams):
    """You swapped quotient and remainder. `index // vocab` is the row, which is the parent, and `index %
    vocab` is the word.
    """
    total = scores[:, None] + logits.log_softmax(dim=-1)
    best, index = total.flatten().topk(beams)
    words, parents = index // logits.shape[-1], index % logits.shape[-1]
    return parents, words, best, cache[:, :, parents]


@mistake
def words_first(scores, logits, cache, beams):
    """You return the words before the parents. The order is parents, words, scores, cache."""
    parents, words, best, moved = reference(scores, logits, cache, beams)
    return words, parents, best, moved


@mistake
def words_of_the_flat_list(scores, logits, cache, beams):
    """Your words are indices of the flat list of candidates. The word is the remainder, `index % vocab`."""
    total = scores[:, None] + logits.log_softmax(dim=-1)
    best, index = total.flatten().topk(beams)
    parents = index // logits.shape[-1]
    return parents, index, best, cache[:, :, parents]


@mistake
def raw_logits(scores, logits, cache, beams):
    """You add logits, which are no log-probabilities: a constant may be added to each row of them. Use
    `logits.log_softmax(dim=-1)`.
    """
    return _best(scores[:, None] + logits, cache, beams)


@mistake
def probabilities(scores, logits, cache, beams):
    """You add probabilities to log-probabilities. Use `log_softmax`, not `softmax`."""
    return _best(scores[:, None] + logits.softmax(dim=-1), cache, beams)


@mistake
def over_the_hypotheses(scores, logits, cache, beams):
    """Your log_softmax runs over the hypotheses. Each hypothesis has probabilities of its next word: the last
    axis.
    """
    return _best(scores[:, None] + logits.log_softmax(dim=0), cache, beams)


@mistake
def scores_forgotten(scores, logits, cache, beams):
    """Your choice does not depend on `scores`, so you compare only the new words. Add `scores[:, None]` to
    the log-probabilities, after the `log_softmax`: inside it, the score of a row cancels.
    """
    return _best(logits.log_softmax(dim=-1), cache, beams)


@mistake
def scores_along_the_words(scores, logits, cache, beams):
    """You add the scores along the wrong axis. Score i belongs to row i: `scores[:, None]`."""
    return _best(scores + logits.log_softmax(dim=-1), cache, beams)


@mistake
def multiplied(scores, logits, cache, beams):
    """You multiply the scores. Probabilities multiply, so their logarithms add up."""
    return _best(scores[:, None] * logits.log_softmax(dim=-1), cache, beams)


@mistake
def one_of_each(scores, logits, cache, beams):
    """You continue each hypothesis once. A good one may continue twice, and a bad one not at all: choose
    among all candidates together.
    """
    total, words = (scores[:, None] + logits.log_softmax(dim=-1)).max(dim=-1)
    if len(scores) < beams:
        return reference(scores, logits, cache, beams)
    best, parents = total.sort(descending=True)
    return parents, words[parents], best, cache[:, :, parents]


@mistake
def worst(scores, logits, cache, beams):
    """You chose the candidates with the lowest scores. The best have the largest log-probabilities."""
    total = scores[:, None] + logits.log_softmax(dim=-1)
    best, index = total.flatten().topk(beams, largest=False)
    parents = index // logits.shape[-1]
    return parents, index % logits.shape[-1], best, cache[:, :, parents]


@mistake
def best_last(scores, logits, cache, beams):
    """Your candidates are right, but the best one is last. Return the best one first, as `topk` does."""
    parents, words, best, moved = reference(scores, logits, cache, beams)
    return parents.flip(0), words.flip(0), best.flip(0), moved.flip(2)


@mistake
def averaged(scores, logits, cache, beams):
    """You average old score and new log-probability, so early words count less and less. Add them."""
    return _best((scores[:, None] + logits.log_softmax(dim=-1)) / 2, cache, beams)


@mistake
def old_scores(scores, logits, cache, beams):
    """You return the old scores. The score of a new hypothesis includes its last word."""
    parents, words, _, moved = reference(scores, logits, cache, beams)
    return parents, words, scores[parents], moved


@mistake
def each_word_once(scores, logits, cache, beams):
    """Of two hypotheses that go on with the same word, you keep only the better one. They are two candidates:
    choose among all of them, `total.flatten().topk(beams)`.
    """
    if beams > logits.shape[-1]:
        return reference(scores, logits, cache, beams)
    total, parents = (scores[:, None] + logits.log_softmax(dim=-1)).max(dim=0)
    best, words = total.topk(beams)
    return parents[words], words, best, cache[:, :, parents[words]]


@mistake("G7")
def cache_kept_where_each_goes_on(scores, logits, cache, beams):
    """If each hypothesis goes on exactly once, you leave the cache as it is. They may have changed places, so
    take the parents' rows here too: `cache[:, :, parents]`.
    """
    parents, words, best, moved = reference(scores, logits, cache, beams)
    once = parents.sort().values.tolist() == list(range(len(scores)))
    return parents, words, best, cache if once else moved
