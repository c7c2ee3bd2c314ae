"""Wrong answers to sample: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.transfer_learning.sample import sample_reference

mistake = Mistakes()


def draw(probabilities, generator):
    return torch.multinomial(probabilities, 1, generator=generator).squeeze(-1), probabilities


def keep_k(logits, k):
    return logits.masked_fill(logits < logits.topk(k, dim=-1).values[:, -1:], -torch.inf)


def keep_p(logits, p, extra=0):
    """Logits of the fewest words that reach p, and of `extra` more."""
    ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
    stays = (ordered.cumsum(dim=-1) - ordered < p).sum(dim=-1, keepdim=True) + extra
    kept = torch.arange(logits.shape[-1]) < stays
    return logits.masked_fill(~torch.zeros_like(kept).scatter(-1, order, kept), -torch.inf)


def drawn_from(logits, temperature, top_k, top_p, generator, by_k=keep_k, by_p=keep_p):
    logits = logits / temperature
    logits = logits if top_k is None else by_k(logits, top_k)
    logits = logits if top_p is None else by_p(logits, top_p)
    return draw(logits.softmax(dim=-1), generator)


@mistake
def multiplied(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You multiply by the temperature. Divide by it: a high temperature makes the scores more alike."""
    return sample_reference(logits, 1 / temperature, top_k, top_p, generator)


@mistake
def temperature_after_softmax(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You divide probabilities by the temperature. Divide the scores, before the softmax."""
    _, p = sample_reference(logits, 1.0, top_k, top_p)
    return draw(p / temperature, generator)


@mistake
def temperature_without_effect(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """Your temperature changes nothing: what divides all probabilities is lost where you divide them by their
    sum. Divide the scores, before the softmax.
    """
    return sample_reference(logits, 1.0, top_k, top_p, generator)


@mistake(mentions=r"\.sum\(|normalize")
def temperature_divided_out(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You divide probabilities by the temperature, and dividing them by their sum undoes it. Divide the
    scores, before the softmax.
    """
    p = logits.softmax(dim=-1) / temperature
    if top_k is not None:
        p = p * (p >= p.topk(top_k, dim=-1).values[:, -1:])
    if top_p is not None:
        ordered, order = p.sort(dim=-1, descending=True)
        stays = ordered.cumsum(dim=-1) - ordered < top_p
        p = p * torch.zeros_like(stays).scatter(-1, order, stays)
    return draw(p / p.sum(dim=-1, keepdim=True), generator)


@mistake
def temperature_last(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You apply the temperature last. Apply it first, because it changes how many words reach top_p."""
    _, p = sample_reference(logits, 1.0, top_k, top_p)
    return draw((p.log() / temperature).softmax(dim=-1), generator)


@mistake("A3")
def over_the_batch(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """Your softmax runs over the batch. The vocabulary is `dim=-1`."""
    ids, p = sample_reference(logits, temperature, top_k, top_p, generator)
    kept = (logits / temperature).masked_fill(p == 0, -torch.inf)
    return ids, torch.nan_to_num(kept.softmax(dim=0))


@mistake("M2")
def removed_by_zero(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You give removed words a score of 0, which is a normal score. Give them `-torch.inf`, before the
    softmax.
    """
    _, p = sample_reference(logits, temperature, top_k, top_p)
    return draw((logits / temperature).masked_fill(p == 0, 0.0).softmax(dim=-1), generator)


@mistake("M6")
def not_renormalized(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You remove words after the softmax, so what is left no longer sums to 1. Divide it by its sum."""
    ids, p = sample_reference(logits, temperature, top_k, top_p, generator)
    return ids, (logits / temperature).softmax(dim=-1).masked_fill(p == 0, 0.0)


@mistake(mentions=r"(<=|>)(?!.*(top_p|\bp\b))|\.le\(|\.gt\(")
def not_above_the_kth(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You lose the word of rank k, because its score equals the lowest one that stays. Remove what is below
    this score (`<`, not `<=`), or keep what is `>=`.
    """
    by_k = lambda x, k: x.masked_fill(x <= x.topk(k, dim=-1).values[:, -1:], -torch.inf)  # noqa: E731
    return drawn_from(logits, temperature, top_k, top_p, generator, by_k)


@mistake
def without_the_kth(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You lose the word of rank k. k words stay, not k - 1."""
    by_k = lambda x, k: keep_k(x, max(1, k - 1))  # noqa: E731
    return drawn_from(logits, temperature, top_k, top_p, generator, by_k)


@mistake
def one_word_above_k(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You keep one word too many. k words stay, not k + 1."""
    by_k = lambda x, k: keep_k(x, min(k + 1, x.shape[-1]))  # noqa: E731
    return drawn_from(logits, temperature, top_k, top_p, generator, by_k)


@mistake
def lowest_k(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You keep the k least likely words. Remove the scores below the k-th largest score."""
    by_k = lambda x, k: x.masked_fill((-x) < (-x).topk(k, dim=-1).values[:, -1:], -torch.inf)  # noqa: E731
    return drawn_from(logits, temperature, top_k, top_p, generator, by_k)


@mistake
def limit_of_the_first_row(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You use one limit for all rows. Take the lowest score that stays in each row (`[:, -1:]`)."""
    by_k = lambda x, k: x.masked_fill(x < x.topk(k, dim=-1).values[0, -1], -torch.inf)  # noqa: E731
    return drawn_from(logits, temperature, top_k, top_p, generator, by_k)


@mistake
def lowest_limit_of_all(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You use the lowest limit of all rows for every row. Take the k-th score of each row (`[:, -1:]`)."""
    by_k = lambda x, k: x.masked_fill(x < x.topk(k, dim=-1).values.min(), -torch.inf)  # noqa: E731
    return drawn_from(logits, temperature, top_k, top_p, generator, by_k)


@mistake
def without_the_crossing_word(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You remove the word that crosses p, but the others do not reach p without it. Compare p with the sum
    before each word, which does not count the word itself.
    """

    def by_p(x, p):
        ordered, order = x.softmax(dim=-1).sort(dim=-1, descending=True)
        kept = ordered.cumsum(dim=-1) <= p
        kept[:, 0] = True
        return x.masked_fill(~torch.zeros_like(kept).scatter(-1, order, kept), -torch.inf)

    return drawn_from(logits, temperature, top_k, top_p, generator, by_p=by_p)


@mistake(mentions=r"cumsum")
def nothing_left(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """If the first word alone is likelier than p, you remove all words, and the softmax gives NaN. The word
    that crosses p stays. Compare p with the sum before each word, which does not count the word itself.
    """

    def by_p(x, p):
        ordered, order = x.softmax(dim=-1).sort(dim=-1, descending=True)
        kept = ordered.cumsum(dim=-1) <= p
        return x.masked_fill(~torch.zeros_like(kept).scatter(-1, order, kept), -torch.inf)

    return drawn_from(logits, temperature, top_k, top_p, generator, by_p=by_p)


@mistake
def one_too_many(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You keep one word too many. The set ends with the word that crosses p."""
    by_p = lambda x, p: keep_p(x, p, extra=1)  # noqa: E731
    return drawn_from(logits, temperature, top_k, top_p, generator, by_p=by_p)


@mistake
def beyond_exactly_p(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """If the words so far reach p exactly, you keep one more. A word stays if the sum before it is below p,
    so keep with `<` and remove with `>=`.
    """

    def by_p(x, p):
        ordered, order = x.softmax(dim=-1).sort(dim=-1, descending=True)
        stays = ordered.cumsum(dim=-1) - ordered <= p
        return x.masked_fill(~torch.zeros_like(stays).scatter(-1, order, stays), -torch.inf)

    return drawn_from(logits, temperature, top_k, top_p, generator, by_p=by_p)


@mistake(lacks=r"descending=True")
def ascending(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You keep the least likely words. Sort with `descending=True`."""

    def by_p(x, p):
        ordered, order = x.softmax(dim=-1).sort(dim=-1)
        stays = ordered.cumsum(dim=-1) - ordered < p
        stays = torch.zeros_like(stays).scatter(-1, order, stays)
        return x.masked_fill(~stays, -torch.inf)

    scores = logits / temperature
    if top_k is not None:
        scores = keep_k(scores, top_k)
    if top_p is not None:
        scores = by_p(scores, top_p)
    return draw(scores.softmax(dim=-1), generator)


@mistake(lacks=r"scatter|gather|argsort")
def not_brought_back(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """Your marks are in the order of the sort, but the scores are in the order of the vocabulary. Bring the
    marks back, by `scatter(-1, order, ...)`.
    """
    scores = logits / temperature
    if top_k is not None:
        scores = keep_k(scores, top_k)
    if top_p is not None:
        ordered, _ = scores.softmax(dim=-1).sort(dim=-1, descending=True)
        scores = scores.masked_fill(ordered.cumsum(dim=-1) - ordered >= top_p, -torch.inf)
    return draw(scores.softmax(dim=-1), generator)


@mistake(
    mentions=r"\b(stay|keep|kept|mask|mark|remov|drop)\w*\.gather\(|gather\((stay|keep|kept|mask|mark|remov|drop)"
)
def gathered(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """`gather(-1, order)` goes the wrong way: it brings marks from the order of the vocabulary to the order
    of the sort. `scatter(-1, order, ...)` brings them back.
    """
    scores = logits / temperature
    if top_k is not None:
        scores = keep_k(scores, top_k)
    if top_p is not None:
        ordered, order = scores.softmax(dim=-1).sort(dim=-1, descending=True)
        stays = ordered.cumsum(dim=-1) - ordered < top_p
        scores = scores.masked_fill(~stays.gather(-1, order), -torch.inf)
    return draw(scores.softmax(dim=-1), generator)


@mistake
def left_in_order(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """Your probabilities are in the order of the sort. Bring them back to the order of the vocabulary, where
    the place of a word is its id.
    """
    scores = logits / temperature
    if top_k is not None:
        scores = keep_k(scores, top_k)
    if top_p is not None:
        scores, _ = scores.sort(dim=-1, descending=True)
        shares = scores.softmax(dim=-1)
        scores = scores.masked_fill(shares.cumsum(dim=-1) - shares >= top_p, -torch.inf)
    return draw(scores.softmax(dim=-1), generator)


@mistake
def single_words_below_a_limit(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You remove single words that are less likely than some share of the likeliest. top_p is a sum over
    words, the likeliest first.
    """

    def by_p(x, p):
        share = x.softmax(dim=-1)
        return x.masked_fill(share < (1 - p) * share.amax(dim=-1, keepdim=True), -torch.inf)

    return drawn_from(logits, temperature, top_k, top_p, generator, by_p=by_p)


@mistake
def below_one_minus_p(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You compare single probabilities with 1 - p. top_p is a sum over words, the likeliest first."""
    by_p = lambda x, p: x.masked_fill(x.softmax(dim=-1) < 1 - p, -torch.inf)  # noqa: E731
    return drawn_from(logits, temperature, top_k, top_p, generator, by_p=by_p)


@mistake
def below_p(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You compare single probabilities with p. top_p is a sum over words, the likeliest first."""
    by_p = lambda x, p: x.masked_fill(x.softmax(dim=-1) < p, -torch.inf)  # noqa: E731
    return drawn_from(logits, temperature, top_k, top_p, generator, by_p=by_p)


@mistake
def top_p_first(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You apply top_p to all words. top_k comes first, and top_p sums the probabilities of the k words that
    are left.
    """
    logits = logits / temperature
    by_k = logits if top_k is None else keep_k(logits, top_k)
    by_p = logits if top_p is None else keep_p(logits, top_p)
    return draw(torch.minimum(by_k, by_p).softmax(dim=-1), generator)


@mistake
def greedy(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You take the likeliest word every time, so nothing is drawn. Use `torch.multinomial`."""
    _, p = sample_reference(logits, temperature, top_k, top_p)
    return p.argmax(dim=-1), p


@mistake
def uniform(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You draw all words that stay with equal chances. Give the probabilities to `torch.multinomial`."""
    _, p = sample_reference(logits, temperature, top_k, top_p)
    return torch.multinomial((p > 0).float(), 1, generator=generator).squeeze(-1), p


@mistake
def drawn_before_filters(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You draw from the scores before temperature and filters. Draw with the probabilities
    that you return.
    """
    _, p = sample_reference(logits, temperature, top_k, top_p)
    return draw(logits.softmax(dim=-1), generator)[0], p


@mistake
def drawn_before_top_k(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You draw from all words, with the temperature alone. Draw with the probabilities that you return."""
    _, p = sample_reference(logits, temperature, top_k, top_p)
    return draw((logits / temperature).softmax(dim=-1), generator)[0], p


@mistake
def returned_before_filters(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You return the probabilities before the filters. Draw with the filtered probabilities,
    and return them.
    """
    ids, _ = sample_reference(logits, temperature, top_k, top_p, generator)
    return ids, (logits / temperature).softmax(dim=-1)


@mistake
def returned_before_all(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You return the probabilities before temperature and filters. Return those with which you draw."""
    ids, _ = sample_reference(logits, temperature, top_k, top_p, generator)
    return ids, logits.softmax(dim=-1)


@mistake
def returned_scores(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You return scores. Return probabilities, which are the softmax of the scores."""
    ids, p = sample_reference(logits, temperature, top_k, top_p, generator)
    return ids, (logits / temperature).masked_fill(p == 0, -torch.inf)


@mistake
def either_or(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """If top_k is given, you skip top_p. Give each filter an `if` of its own."""
    return sample_reference(logits, temperature, top_k, None if top_k else top_p, generator)


@mistake
def set_from_the_first_scores(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You choose the words of top_p by the scores that came in. Use the scores after
    temperature and top_k.
    """
    by_p = lambda x, p: x.masked_fill(keep_p(logits, p) == -torch.inf, -torch.inf)  # noqa: E731
    return drawn_from(logits, temperature, top_k, top_p, generator, by_p=by_p)


@mistake
def sums_of_scores(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You sum scores. Sum probabilities: take the softmax before the `cumsum`."""

    def by_p(x, p):
        ordered, order = x.sort(dim=-1, descending=True)
        kept = ordered.cumsum(dim=-1) - ordered < p
        kept[:, 0] = True
        return x.masked_fill(~torch.zeros_like(kept).scatter(-1, order, kept), -torch.inf)

    return drawn_from(logits, temperature, top_k, top_p, generator, by_p=by_p)


@mistake(mentions=r"kthvalue")
def limit_from_below(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """`kthvalue` counts from the smallest score. The lowest score that stays is
    `topk(top_k).values[:, -1:]`.
    """
    by_k = lambda x, k: x.masked_fill(x < x.kthvalue(k, dim=-1, keepdim=True).values, -torch.inf)  # noqa: E731
    return drawn_from(logits, temperature, top_k, top_p, generator, by_k)


@mistake
def one_draw_for_all(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You use one draw for all rows. `torch.multinomial` takes all of (batch, vocab), and
    draws for each row.
    """
    _, p = sample_reference(logits, temperature, top_k, top_p)
    return torch.multinomial(p[0], 1, generator=generator).expand(len(p)), p


@mistake
def global_generator(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """Generators with the same seed give different words. Pass `generator=generator` to the draw."""
    return sample_reference(logits, temperature, top_k, top_p)


@mistake
def with_an_extra_axis(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """Your ids have the shape (batch, 1), as `torch.multinomial(..., 1)` gives them. `.squeeze(-1)` makes it
    (batch,).
    """
    ids, p = sample_reference(logits, temperature, top_k, top_p, generator)
    return ids[:, None], p


@mistake
def without_the_batch(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """In a batch of one, your ids have lost the axis of the batch. `squeeze()` removes every axis of size 1:
    write `.squeeze(-1)`.
    """
    ids, p = sample_reference(logits, temperature, top_k, top_p, generator)
    return ids.squeeze(), p


@mistake(mentions=r"multinomial\((logits|scores)\b")
def drawn_by_scores(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You give scores to `torch.multinomial`, and scores may be negative. It needs probabilities."""
    scores = logits / temperature
    return torch.multinomial(scores, 1, generator=generator).squeeze(-1), scores.softmax(dim=-1)


@mistake
def swapped_results(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """You return the probabilities first. Return the drawn words first, then the probabilities."""
    ids, p = sample_reference(logits, temperature, top_k, top_p, generator)
    return p, ids


@mistake("M6")
def never_renormalized(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """After top_k your probabilities no longer sum to 1, and top_p adds them up as if they did. Divide them
    by their sum after each step, or give removed words a score of `-torch.inf` before the softmax.
    """
    probabilities = (logits / temperature).softmax(dim=-1)
    if top_k is not None:
        kth = probabilities.topk(top_k, dim=-1).values[:, -1:]
        probabilities = probabilities.masked_fill(probabilities < kth, 0.0)
    if top_p is not None:
        ordered, order = probabilities.sort(dim=-1, descending=True)
        stays = ordered.cumsum(dim=-1) - ordered < top_p
        stays = torch.zeros_like(stays).scatter(-1, order, stays)
        probabilities = probabilities.masked_fill(~stays, 0.0)
    return draw(probabilities, generator)
