"""merge: one pair becomes one piece, wherever it occurs (Sennrich et al. 2016, algorithm 1)."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.results import RejectedError

merge = Exercise(
    "merge",
    points=5,
    returns=("ids",),
    hints=[
        "Go over the ids from left to right. What do you append if this id and the next one are the pair? By "
        "how many places do you go on then?",
        "A `while i < len(ids)` can go on by one or by two. Ask for the pair with `ids[i:i + 2]`, which is "
        "shorter than two at the end, instead of `ids[i + 1]`, which fails there.",
        "`if tuple(ids[i:i + 2]) == tuple(pair):` append `new` and add 2 to i; otherwise append `ids[i]` and "
        "add 1.",
    ],
    examples=[
        "merge([1, 2], (1, 2), 9)",
        "merge([11, 2], (1, 2), 9)",
        "merge([1, 3], (1, 2), 9)",
        "merge([2, 1], (1, 2), 9)",
        "merge([1, 2, 3], (1, 2), 9)",
        "merge([1, 2, 1, 2], (1, 2), 9)",
        "merge([1, 1, 1], (1, 1), 9)",
        "merge([1, 1, 1, 1], (1, 1), 9)",
        "merge([3, 1], (1, 2), 9)",
        "merge([], (1, 2), 9)",
        "merge([1, 1, 2], (1, 2), 9)",
        "merge([1, 3, 2], (1, 2), 9)",
        "merge([1, 2, 2], (1, 2), 9)",
        "merge((1, 2), (1, 2), 9)",
        "[merge(ids, (1, 2), 9) and ids for ids in [[1, 2]]]",
    ],
)


def as_list(ids) -> list:
    if not isinstance(ids, (list, tuple)):
        raise RejectedError(f"The result is {type(ids).__name__}; expected a list of ids.")
    return list(ids)


A_LIST = "Your result is of the type {0}, but the text asks for a list of ids."


def told_of_type(ids) -> str:
    return "" if isinstance(ids, list) else A_LIST.format(type(ids).__name__)


@merge.reference
def reference(ids, pair, new):
    merged, i = [], 0
    while i < len(ids):
        found = tuple(ids[i : i + 2]) == tuple(pair)
        merged.append(new if found else ids[i])
        i += 2 if found else 1
    return merged


@merge.part("each occurrence becomes the new id, and the others stay", points=1)
def occurrences(merge, inputs):
    a, b, c, d, e = (97 + inputs.normal(5).argsort()).tolist()
    ids = [c, a, b, d, a, b, a, e, b, a, d]
    first, second, new = (300 + inputs.normal(3).argsort()).tolist()
    # Numbers above 256 are objects of their own in Python, however equal they are.
    merged_before = torch.tensor([first, second, a, second, first, first, second]).tolist()
    merged = merge(ids, (a, b), 300)
    return {
        "ids": as_list(merged),
        "type": told_of_type(merged),
        "ids (of a tuple)": as_list(merge(tuple(ids), (a, b), 300)),
        "ids (a pair of merged ids)": as_list(merge(merged_before, (first, second), new + 9)),
        "ids (197 is not 97)": as_list(merge([197, 98, 97, 981, 97, 98], (97, 98), 300)),
    }


@merge.part("the given list stays as it is", points=1, alone=False)
def unchanged(merge, inputs):
    given = [97, *inputs.integers(97, 100, 6).tolist(), 97, 98]
    kept = list(given)
    merge(given, (97, 98), 300)
    return {"the given list": given, "before": kept}


@merge.part("where occurrences overlap, the left one wins", points=1)
def overlaps(merge, inputs):
    a, b = (97 + inputs.normal(2).argsort()).tolist()
    return {
        "ids (a a a)": as_list(merge([a, a, a], (a, a), 300)),
        "ids (b a a a a a b)": as_list(merge([b, a, a, a, a, a, b], (a, a), 300)),
    }


@merge.part("the ends of a word, and words that are too short", points=1)
def ends(merge, inputs):
    a, b, c = (97 + inputs.normal(3).argsort()).tolist()
    found = {"a b": [a, b], "c a": [c, a], "a": [a], "none": [], "a b c a b": [a, b, c, a, b]}
    return {f"ids ({name})": as_list(merge(ids, (a, b), 300)) for name, ids in found.items()}


# Accepted: other ways to write the same


@merge.accept("each piece joins the one before it")
def from_behind(ids, pair, new):
    merged = []
    for piece in ids:
        if merged and (merged[-1], piece) == tuple(pair):
            merged[-1] = new
        else:
            merged.append(piece)
    return merged


@merge.accept("recursion")
def recursion(ids, pair, new):
    if len(ids) < 2:
        return list(ids)
    if tuple(ids[:2]) == tuple(pair):
        return [new, *recursion(ids[2:], pair, new)]
    return [ids[0], *recursion(ids[1:], pair, new)]


@merge.accept("with a look at the next place")
def next_place(ids, pair, new):
    out, i = [], 0
    while i < len(ids):
        if i + 1 < len(ids) and ids[i] == pair[0] and ids[i + 1] == pair[1]:
            out.append(new)
            i += 2
        else:
            out.append(ids[i])
            i += 1
    return out


@merge.accept("a copy, in which places are deleted")
def in_a_copy(ids, pair, new):
    ids, i = list(ids), 0
    while i < len(ids) - 1:
        if (ids[i], ids[i + 1]) == tuple(pair):
            ids[i : i + 2] = [new]
        i += 1
    return ids
