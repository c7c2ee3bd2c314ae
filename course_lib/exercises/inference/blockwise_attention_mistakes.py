"""Wrong answers to blockwise_attention: name, advice, code."""

import math

import torch

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


def _scores(query, key, start, place):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    return _hide(scores, start, place)


def _hide(scores, start, place):
    if start is None:
        return scores
    rows = start + torch.arange(scores.shape[-2])[:, None]
    return scores.masked_fill(place + torch.arange(scores.shape[-1]) > rows, -torch.inf)


def _online(query, blocks, start, scores_of=_scores, shrink_output=True, shrink_total=True):
    maximum, total, output, place = torch.tensor(-torch.inf), 0, 0, 0
    for key, value in blocks:
        scores = scores_of(query, key, start, place)
        new = torch.maximum(maximum, scores.amax(dim=-1, keepdim=True))
        weights, shrink = torch.exp(scores - new), torch.exp(maximum - new)
        total = total * (shrink if shrink_total else 1) + weights.sum(dim=-1, keepdim=True)
        output = output * (shrink if shrink_output else 1) + weights @ value
        maximum, place = new, place + key.shape[-2]
    return output / total


def _in_two_loops(query, blocks, start):
    maximum, total, output, place = torch.tensor(-torch.inf), 0, 0, 0
    for key, _ in blocks:
        maximum = torch.maximum(maximum, _scores(query, key, start, place).amax(dim=-1, keepdim=True))
        place += key.shape[-2]
    place = 0
    for key, value in blocks:
        weights = torch.exp(_scores(query, key, start, place) - maximum)
        total, output = total + weights.sum(dim=-1, keepdim=True), output + weights @ value
        place += key.shape[-2]
    return output / total


@mistake
def all_at_once(query, blocks, start=None):
    """Your result is right, but you put all blocks together first, so all keys and all scores are in memory.
    Use each block when it comes, and forget it.
    """
    key, value = (torch.cat(each, dim=-2) for each in zip(*blocks, strict=True))
    return _scores(query, key, start, 0).softmax(dim=-1) @ value


@mistake
def scores_kept(query, blocks, start=None):
    """Your result is right, but you keep the scores of all blocks, which together are the matrix that you
    wanted to avoid. Keep only maximum, sum and output.
    """
    scores, values, place = [], [], 0
    for key, value in blocks:
        scores.append(_scores(query, key, start, place))
        values.append(value)
        place += key.shape[-2]
    maximum = torch.stack([each.amax(dim=-1, keepdim=True) for each in scores]).amax(dim=0)
    weights = [torch.exp(each - maximum) for each in scores]
    total = sum(each.sum(dim=-1, keepdim=True) for each in weights)
    return sum(each @ value for each, value in zip(weights, values, strict=True)) / total


@mistake(mentions="numpy|tolist")
def kept_as_arrays(query, blocks, start=None):
    """Your result is right, but you keep all blocks as arrays or lists, which take memory as tensors do. Use
    each block when it comes, and forget it.
    """
    kept = [(key.numpy().copy(), value.numpy().copy()) for key, value in blocks]
    return _in_two_loops(query, [tuple(map(torch.from_numpy, pair)) for pair in kept], start)


@mistake
def two_loops(query, blocks, start=None):
    """Your result is right, but you loop over `blocks` twice: first for the maximum, then for the sums. The
    blocks come once. Keep maximum, sum and output in one loop, and correct both sums when the maximum grows.
    """
    return _in_two_loops(query, blocks, start)


@mistake
def no_maximum(query, blocks, start=None):
    """You subtract no maximum. The exponential of a score of some hundreds is infinite, and inf / inf is NaN.
    Subtract the largest score so far, and correct the sums when it grows.
    """
    total, output, place = 0, 0, 0
    for key, value in blocks:
        weights = torch.exp(_scores(query, key, start, place))
        total, output = total + weights.sum(dim=-1, keepdim=True), output + weights @ value
        place += key.shape[-2]
    return output / total


@mistake
def first_maximum(query, blocks, start=None):
    """You subtract the maximum of the first block in all blocks. A later block may have a much larger score:
    then the exponential overflows. Take the larger maximum in each block.
    """
    maximum, total, output, place = None, 0, 0, 0
    for key, value in blocks:
        scores = _scores(query, key, start, place)
        maximum = scores.amax(dim=-1, keepdim=True) if maximum is None else maximum
        weights = torch.exp(scores - maximum)
        total, output = total + weights.sum(dim=-1, keepdim=True), output + weights @ value
        place += key.shape[-2]
    return output / total


@mistake
def neither_corrected(query, blocks, start=None):
    """In each block you subtract another maximum, but you do not correct what you have summed before.
    Multiply `total` and `output` by exp(old maximum - new maximum).
    """
    return _online(query, blocks, start, shrink_output=False, shrink_total=False)


@mistake
def output_not_corrected(query, blocks, start=None):
    """When the maximum grows, you correct the sum of the weights, but not the output. Multiply both by
    exp(old maximum - new maximum).
    """
    return _online(query, blocks, start, shrink_output=False)


@mistake
def total_not_corrected(query, blocks, start=None):
    """When the maximum grows, you correct the output, but not the sum of the weights. Multiply both by
    exp(old maximum - new maximum).
    """
    return _online(query, blocks, start, shrink_total=False)


@mistake
def corrected_backwards(query, blocks, start=None):
    """You correct in the wrong direction. If the maximum grows, the old sums become smaller: the factor is
    exp(old maximum - new maximum).
    """
    maximum, total, output, place = None, 0, 0, 0
    for key, value in blocks:
        scores = _scores(query, key, start, place)
        own = scores.amax(dim=-1, keepdim=True)
        new = own if maximum is None else torch.maximum(maximum, own)
        factor = 1 if maximum is None else torch.exp(new - maximum)
        weights = torch.exp(scores - new)
        total, output = total * factor + weights.sum(dim=-1, keepdim=True), output * factor + weights @ value
        maximum, place = new, place + key.shape[-2]
    return output / total


@mistake
def own_maximum(query, blocks, start=None):
    """You subtract the block's own maximum and correct the old sums by it, also where it is smaller than the
    old one. Take the larger of the two: `torch.maximum`.
    """
    maximum, total, output, place = torch.tensor(-torch.inf), 0, 0, 0
    for key, value in blocks:
        scores = _scores(query, key, start, place)
        own = scores.amax(dim=-1, keepdim=True)
        weights, factor = torch.exp(scores - own), torch.exp(maximum - own)
        total, output = total * factor + weights.sum(dim=-1, keepdim=True), output * factor + weights @ value
        maximum, place = own, place + key.shape[-2]
    return output / total


@mistake
def maximum_from_zero(query, blocks, start=None):
    """Your maximum begins at 0. If all scores of a query are far below 0, all its weights are 0, and 0 / 0 is
    NaN. Begin with -inf, so that the first block sets the maximum.
    """
    maximum, total, output, place = torch.tensor(0.0), 0, 0, 0
    for key, value in blocks:
        scores = _scores(query, key, start, place)
        new = torch.maximum(maximum, scores.amax(dim=-1, keepdim=True))
        weights, shrink = torch.exp(scores - new), torch.exp(maximum - new)
        total = total * shrink + weights.sum(dim=-1, keepdim=True)
        output = output * shrink + weights @ value
        maximum, place = new, place + key.shape[-2]
    return output / total


@mistake
def one_maximum_for_all(query, blocks, start=None):
    """You take one maximum for all queries. A query whose scores are far below it gets only weights of 0, and
    0 / 0 is NaN. Each query has its own: `amax(dim=-1, keepdim=True)`.
    """
    maximum, total, output, place = torch.tensor(-torch.inf), 0, 0, 0
    for key, value in blocks:
        scores = _scores(query, key, start, place)
        new = torch.maximum(maximum, scores.max())
        weights, shrink = torch.exp(scores - new), torch.exp(maximum - new)
        total = total * shrink + weights.sum(dim=-1, keepdim=True)
        output = output * shrink + weights @ value
        maximum, place = new, place + key.shape[-2]
    return output / total


@mistake
def softmax_of_each_block(query, blocks, start=None):
    """You take a softmax of each block and average the results, so all blocks count alike. A block counts by
    the sum of its exponentials.
    """
    outputs, place = [], 0
    for key, value in blocks:
        outputs.append(_scores(query, key, start, place).softmax(dim=-1).nan_to_num() @ value)
        place += key.shape[-2]
    return sum(outputs) / len(outputs)


@mistake
def softmaxes_added(query, blocks, start=None):
    """You add the softmax of each block, so the weights of a query sum to the number of blocks. Divide once,
    at the end, by the sum over all blocks.
    """
    output, place = 0, 0
    for key, value in blocks:
        output = output + _scores(query, key, start, place).softmax(dim=-1).nan_to_num() @ value
        place += key.shape[-2]
    return output


@mistake
def last_block(query, blocks, start=None):
    """Your result has only the last block. Add each block to what you have summed before, and keep the new
    maximum: where the old one stays -inf, exp(old maximum - new maximum) is 0.
    """
    place = 0
    for key, value in blocks:
        output = _scores(query, key, start, place).softmax(dim=-1) @ value
        place += key.shape[-2]
    return output


@mistake
def not_divided(query, blocks, start=None):
    """You return the sum of the weighted values. Divide it by the sum of the weights after the last block."""
    maximum, output, place = torch.tensor(-torch.inf), 0, 0
    for key, value in blocks:
        scores = _scores(query, key, start, place)
        new = torch.maximum(maximum, scores.amax(dim=-1, keepdim=True))
        output = output * torch.exp(maximum - new) + torch.exp(scores - new) @ value
        maximum, place = new, place + key.shape[-2]
    return output


@mistake
def divided_in_each_round(query, blocks, start=None):
    """You divide by `total` after each block, and then again after later ones. Divide once, after the last
    block.
    """
    maximum, total, output, place = torch.tensor(-torch.inf), 0, 0, 0
    for key, value in blocks:
        scores = _scores(query, key, start, place)
        new = torch.maximum(maximum, scores.amax(dim=-1, keepdim=True))
        weights, shrink = torch.exp(scores - new), torch.exp(maximum - new)
        total = total * shrink + weights.sum(dim=-1, keepdim=True)
        output = (output * shrink + weights @ value) / total
        maximum, place = new, place + key.shape[-2]
    return output


@mistake
def divided_by_the_count(query, blocks, start=None):
    """You divide by the number of keys. Divide by the sum of the weights."""
    maximum, output, place = torch.tensor(-torch.inf), 0, 0
    for key, value in blocks:
        scores = _scores(query, key, start, place)
        new = torch.maximum(maximum, scores.amax(dim=-1, keepdim=True))
        output = output * torch.exp(maximum - new) + torch.exp(scores - new) @ value
        maximum, place = new, place + key.shape[-2]
    return output / place


@mistake("A1")
def unscaled(query, blocks, start=None):
    """You do not divide the scores by the square root of d_k, the size of a query."""

    def scores_of(query, key, start, place):
        return _hide(query @ key.mT, start, place)

    return _online(query, blocks, start, scores_of)


@mistake
def start_ignored(query, blocks, start=None):
    """You do not use `start`, so queries see keys after their position. Query i is at position start + i."""
    return _online(query, blocks, None)


@mistake(mentions=r"(if|not|and|or) start\b(?! is)|start or\b")
def start_of_zero(query, blocks, start=None):
    """With `start=0` you hide nothing, because Python takes 0 for False. Ask `if start is not None`."""
    return _online(query, blocks, start or None)


@mistake
def each_block_from_zero(query, blocks, start=None):
    """You number the keys of each block from 0. Count on: the first key of a block comes after all keys of
    the blocks before it.
    """

    def scores_of(query, key, start, place):
        return _scores(query, key, start, 0)

    return _online(query, blocks, start, scores_of)


@mistake
def queries_from_zero(query, blocks, start=None):
    """You number the queries from 0. The first query is at position `start`."""
    return _online(query, blocks, None if start is None else 0)


@mistake
def not_itself(query, blocks, start=None):
    """Your queries do not see the key at their own position, and a query at position 0 sees nothing. Hide
    only keys at larger positions: `>`, not `>=`.
    """
    return _online(query, blocks, None if start is None else start - 1)


@mistake
def sees_the_next(query, blocks, start=None):
    """Your queries see one key too many. Query i is at position start + i, and a key at a larger position is
    hidden.
    """
    return _online(query, blocks, None if start is None else start + 1)


@mistake(mentions=r"len\(query\)|shape\[0\]|size\(0\)")
def queries_counted_along_the_first_axis(query, blocks, start=None):
    """You count the queries along the first axis of `query`. With a batch, this axis counts the sentences:
    the number of queries is `query.shape[-2]`.
    """

    def hidden(query, key, start, place):
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        if start is None:
            return scores
        rows = start + torch.arange(query.shape[0])[:, None]
        return scores.masked_fill(place + torch.arange(key.shape[-2]) > rows, -torch.inf)

    return _online(query, blocks, start, hidden)


@mistake(mentions=r"\bdim\(\)|ndim|len\(\w+\.shape\)")
def start_for_two_axes_only(query, blocks, start=None):
    """You use `start` only where `query` has two axes. With axes for the batch and for the heads before
    them, it has to hide later keys too.
    """
    return _online(query, blocks, start if query.dim() == 2 else None)


@mistake
def one_query_sees_all(query, blocks, start=None):
    """You hide nothing from a single query. With `start` it is at position `start`, and no key after this
    position may be seen: mask it like several queries.
    """
    return _online(query, blocks, None if query.shape[-2] == 1 else start)
