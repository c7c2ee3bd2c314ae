"""Wrong answers to make_batches: name, advice, code."""

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.embedding.pad_batch import reference as padded

mistake = Mistakes()


def target_then_source(pair):
    return len(pair[1]), len(pair[0])


def both_padded(piece):
    sources, targets = zip(*piece, strict=True)
    return padded(sources), padded(targets)


def cut(pairs, size):
    return [both_padded(pairs[i : i + size]) for i in range(0, len(pairs), size)]


@mistake
def torn_apart(pairs, size):
    """You sort the sources and the targets separately, so a source is no longer next to its own target. Sort
    the pairs.
    """
    sources = sorted([source for source, _ in pairs], key=len)
    targets = sorted([target for _, target in pairs], key=len)
    return cut(list(zip(sources, targets, strict=True)), size)


@mistake
def equal_pairs_once(pairs, size):
    """Of two equal pairs you keep only one, as a set or a dict does. Every pair is in a batch, so sort the
    list that you are given.
    """
    kept = [pair for i, pair in enumerate(pairs) if pair not in pairs[:i]]
    return cut(sorted(kept, key=target_then_source), size)


@mistake
def drops_the_last(pairs, size):
    """You lose the last pairs when they do not fill a batch. Start a batch at 0, size, 2 * size and so on, up
    to `len(pairs)`.
    """
    pairs = sorted(pairs, key=target_then_source)
    return [both_padded(pairs[i : i + size]) for i in range(0, len(pairs) - size + 1, size)]


@mistake
def drops_the_last_batch(pairs, size):
    """Your last batch is missing, even when it is full. `range` leaves out its end, so it has to go up to
    `len(pairs)`.
    """
    pairs = sorted(pairs, key=target_then_source)
    return [both_padded(pairs[i : i + size]) for i in range(0, len(pairs) - size, size)]


@mistake
def last_filled_up(pairs, size):
    """Your last batch takes pairs that are in another batch already. It may have fewer than `size`."""
    pairs = sorted(pairs, key=target_then_source)
    pieces = [pairs[i : i + size] for i in range(0, len(pairs), size)]
    pieces[-1] = pairs[-size:]
    return [both_padded(piece) for piece in pieces]


@mistake(mentions=r"key=len\b")
def by_length_of_the_pair(pairs, size):
    """`key=len` gives the length of the pair, which is always 2, so nothing is sorted. Use the length of its
    target, and of its source.
    """
    return cut(sorted(pairs, key=len), size)


@mistake(mentions=r"(?m)^\s*sorted\(")
def sorted_list_lost(pairs, size):
    """`sorted` makes a new list and does not change the old one. Keep its result: `pairs = sorted(...)`."""
    sorted(pairs, key=target_then_source)
    return cut(pairs, size)


@mistake
def not_sorted(pairs, size):
    """You leave the pairs in their order, with short pairs beside long ones, so there is much padding. Sort
    them by length first.
    """
    return cut(pairs, size)


@mistake(mentions=r"= [^\n]*\.sort\(")
def result_of_sort(pairs, size):
    """The `sort` of a list returns None, and it sorts the list itself, here the caller's. `sorted(pairs,
    ...)` returns a new list.
    """
    pairs = pairs.sort(key=target_then_source)
    return cut(pairs, size)


@mistake(mentions=r"\bdel \w+\[|\.pop\(|\.clear\(|\.remove\(")
def empties_the_list(pairs, size):
    """You take the pairs out of the caller's list, and afterwards it is empty. Cut a sorted copy,
    `sorted(pairs, ...)`.
    """
    pairs.sort(key=target_then_source)
    batches = []
    while pairs:
        batches.append(both_padded(pairs[:size]))
        del pairs[:size]
    return batches


@mistake(mentions=r"\.sort\(")
def sorts_in_place(pairs, size):
    """You change the caller's list, because `pairs.sort()` sorts that list itself. `sorted(pairs, ...)` makes
    a new one.
    """
    pairs.sort(key=target_then_source)
    return cut(pairs, size)


@mistake
def by_source_only(pairs, size):
    """You sort by the length of the source only. Sort by the length of the target first, and use the source's
    length for equal targets.
    """
    return cut(sorted(pairs, key=lambda pair: len(pair[0])), size)


@mistake
def by_target_only(pairs, size):
    """You sort by the length of the target only. For targets of the same length, sort by the source's length,
    with a tuple as key.
    """
    return cut(sorted(pairs, key=lambda pair: len(pair[1])), size)


@mistake(mentions=r"key=[^\n]*key=|sort[^\n]*\n[^\n]*sort")
def last_sort_decides(pairs, size):
    """You sort twice, and the last sort has priority: here the source's length. Sort by the source's length
    first and then by the target's, or once with a tuple as key.
    """
    by_target = sorted(pairs, key=lambda pair: len(pair[1]))
    return cut(sorted(by_target, key=lambda pair: len(pair[0])), size)


@mistake
def by_source_first(pairs, size):
    """You sort by the source's length first. In the key the target's length comes first, then the
    source's.
    """
    return cut(sorted(pairs, key=lambda pair: (len(pair[0]), len(pair[1]))), size)


@mistake
def by_total(pairs, size):
    """You sort by the sum of the two lengths, which puts a short target beside a long one. Use a tuple as
    key: the target's length, then the source's.
    """
    return cut(sorted(pairs, key=lambda pair: len(pair[0]) + len(pair[1])), size)


@mistake
def by_the_longer(pairs, size):
    """You sort by the longer of the two lengths. Use a tuple as key: the target's length, then
    the source's.
    """
    return cut(sorted(pairs, key=lambda pair: max(len(pair[0]), len(pair[1]))), size)


@mistake
def by_the_words(pairs, size):
    """You sort by the ids, not by length. Give `sorted` a key: the target's length, then the source's."""
    return cut(sorted(pairs), size)


@mistake
def longest_first(pairs, size):
    """You put the longest pairs first. The shortest come first, so leave out `reverse=True`, or the minus."""
    return cut(sorted(pairs, key=target_then_source, reverse=True), size)


@mistake
def long_sources_first(pairs, size):
    """For targets of the same length, you put the longest sources first. The shortest come first."""
    return cut(sorted(pairs, key=lambda pair: (len(pair[1]), -len(pair[0]))), size)


@mistake
def all_to_one_length(pairs, size):
    """You pad all batches to the length of the longest pair, so sorting saves nothing. Cut first, then pad
    each batch.
    """
    sources, targets = both_padded(sorted(pairs, key=target_then_source))
    return list(zip(sources.split(size), targets.split(size), strict=True))


@mistake
def source_as_long_as_target(pairs, size):
    """You pad the source and the target of a batch to the same length. Call `pad_batch` for the sources, and
    again for the targets.
    """
    pairs, batches = sorted(pairs, key=target_then_source), []
    for i in range(0, len(pairs), size):
        sources, targets = zip(*pairs[i : i + size], strict=True)
        batches.append(padded([*sources, *targets]).split(len(sources)))
    return batches


@mistake
def one_tensor(pairs, size):
    """You put the sources and targets of a batch into one tensor. Make two tensors, (source, target)."""
    pairs, batches = sorted(pairs, key=target_then_source), []
    for i in range(0, len(pairs), size):
        sources, targets = zip(*pairs[i : i + size], strict=True)
        batches.append(padded([*sources, *targets]))
    return batches


@mistake
def steps_by_one(pairs, size):
    """You start a new batch at every pair, so pairs are in several batches. The starts are 0, size, 2 * size,
    so give `range` the step `size`.
    """
    pairs = sorted(pairs, key=target_then_source)
    return [both_padded(pairs[i : i + size]) for i in range(len(pairs))]


@mistake
def piece_ends_at_size(pairs, size):
    """All your pieces end at `size`, so all pieces after the first are empty. A piece ends `size` after its
    start: `pairs[i:i + size]`.
    """
    pairs = sorted(pairs, key=target_then_source)
    return [both_padded(pairs[i:size]) for i in range(0, len(pairs), size)]


@mistake
def piece_without_end(pairs, size):
    """Your pieces go to the end of the list. A piece ends `size` after its start: `pairs[i:i + size]`."""
    pairs = sorted(pairs, key=target_then_source)
    return [both_padded(pairs[i:]) for i in range(0, len(pairs), size)]


@mistake
def one_pair_more(pairs, size):
    """A batch has one pair more than `size`, and that pair is in the next batch too. A slice leaves out its
    end: `pairs[i:i + size]`.
    """
    pairs = sorted(pairs, key=target_then_source)
    return [both_padded(pairs[i : i + size + 1]) for i in range(0, len(pairs), size)]


@mistake
def so_many_batches(pairs, size):
    """You make `size` batches. `size` is the number of pairs in a batch."""
    return cut(sorted(pairs, key=target_then_source), -(-len(pairs) // size))


@mistake
def pairs_one_by_one(pairs, size):
    """Each of your batches has one pair, whatever `size` is. Take `size` pairs at a time."""
    return cut(sorted(pairs, key=target_then_source), 1)


@mistake
def one_length_a_batch(pairs, size):
    """You start a new batch where the length changes, so many batches are smaller than `size`. Only the last
    may have fewer pairs, and `pad_batch` fills the gaps.
    """
    groups = {}
    for pair in sorted(pairs, key=target_then_source):
        groups.setdefault(target_then_source(pair), []).append(pair)
    return [batch for group in groups.values() for batch in cut(group, size)]


@mistake
def first_batch_only(pairs, size):
    """You return only the first batch. Is your `return` inside the loop? It belongs after it."""
    return cut(sorted(pairs, key=target_then_source), size)[:1]


@mistake
def swapped(pairs, size):
    """You swapped target and source. A batch is (source, target)."""
    return [(target, source) for source, target in cut(sorted(pairs, key=target_then_source), size)]


@mistake
def two_lists(pairs, size):
    """You return two lists, all sources and all targets. Return one list of (source, target)."""
    sources, targets = zip(*cut(sorted(pairs, key=target_then_source), size), strict=True)
    return list(sources), list(targets)


@mistake
def only_the_source_padded(pairs, size):
    """You pad the sources only, and the targets are still lists. Call `pad_batch` for both."""
    pairs, batches = sorted(pairs, key=target_then_source), []
    for i in range(0, len(pairs), size):
        sources, targets = zip(*pairs[i : i + size], strict=True)
        batches.append((padded(sources), targets))
    return batches


@mistake
def nothing_padded(pairs, size):
    """Your batches hold lists, not tensors. Call `pad_batch` for its sources, and for its targets."""
    pairs = sorted(pairs, key=target_then_source)
    return [tuple(zip(*pairs[i : i + size], strict=True)) for i in range(0, len(pairs), size)]


@mistake
def pieces_of_pairs(pairs, size):
    """Your batches are still lists of pairs. Take them apart, `sources, targets = zip(*piece)`, and pad each
    of the two.
    """
    pairs = sorted(pairs, key=target_then_source)
    return [pairs[i : i + size] for i in range(0, len(pairs), size)]


@mistake(mentions=r"pad_batch\(|padded\(")
def pads_the_pairs(pairs, size):
    """You give `pad_batch` pairs, but it takes a list of sentences. Call it twice, for the sources of a batch
    and for its targets.
    """
    pairs = sorted(pairs, key=target_then_source)
    return [padded(pairs[i : i + size]) for i in range(0, len(pairs), size)]


@mistake(mentions=r"tensor\(")
def tensors_without_padding(pairs, size):
    """The rows of a batch differ in length, so they do not fit in one tensor. `pad_batch` fills them up."""
    pairs, batches = sorted(pairs, key=target_then_source), []
    for i in range(0, len(pairs), size):
        sources, targets = zip(*pairs[i : i + size], strict=True)
        batches.append((torch.tensor(sources), torch.tensor(targets)))
    return batches


@mistake(mentions=r"\bzip\(", lacks=r"\bzip\(\*")
def zip_without_star(pairs, size):
    """`zip(piece)` gets one list. With a star, `zip(*piece)` gets all pairs of the piece, and turns them into
    sources and targets.
    """
    pairs, batches = sorted(pairs, key=target_then_source), []
    for i in range(0, len(pairs), size):
        sources, targets = zip(pairs[i : i + size])
        batches.append((padded(sources), padded(targets)))
    return batches


@mistake(lacks=r"\bzip\(")
def piece_unpacked(pairs, size):
    """You unpack a piece into two variables, but it has as many items as it has pairs. `zip(*piece)` gives
    its sources and its targets.
    """
    pairs, batches = sorted(pairs, key=target_then_source), []
    for i in range(0, len(pairs), size):
        sources, targets = pairs[i : i + size]
        batches.append((padded(sources), padded(targets)))
    return batches
