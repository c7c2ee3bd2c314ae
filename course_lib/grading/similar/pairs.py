"""Which answers share what few others have: candidates for a person to look at, never points."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from course_lib.grading.similar.features import Features, UnreadableError, features

PUBLIC = "the public solution"


@dataclass(frozen=True)
class Pair:
    """Two submissions that share more than chance gives.

    evidence: by exercise. If learners wrote each exercise independently, e ** -sum(evidence) would be about
    the chance that a learner writes what another one has written.
    """

    one: str
    other: str
    evidence: dict[str, float]

    @property
    def total(self) -> float:
        return sum(self.evidence.values())


@dataclass(frozen=True)
class Comparison:
    """pairs: the most alike first. unreadable: by "student, exercise" why an answer was left out."""

    pairs: list[Pair]
    unreadable: dict[str, str]


def compare(
    answers: Mapping[str, Mapping[str, str]], released: Mapping[str, str], most: int = 50
) -> Comparison:
    """The `most` pairs with the most evidence among these submissions.

    answers: by student (or PUBLIC) and exercise, the source of the cell. released: by exercise, the cell as
    the lesson has it; what a learner was given counts nothing.
    """
    students = sorted(answers)
    unreadable: dict[str, str] = {}
    parts: dict[str, np.ndarray] = {}
    for exercise, given in released.items():
        had = _read(given, "", {})
        sources = [(student, answers[student].get(exercise, "")) for student in students]
        found = [_read(source, f"{student}, {exercise}", unreadable) - had for student, source in sources]
        parts[exercise] = _evidence(found)
    total = np.triu(np.sum(list(parts.values()), axis=0), k=1)
    order = np.argsort(total, axis=None)[::-1][:most]
    pairs = [
        Pair(students[i], students[j], {name: float(part[i, j]) for name, part in parts.items()})
        for i, j in zip(*np.unravel_index(order, total.shape), strict=True)
        if total[i, j] > 0
    ]
    return Comparison(pairs, unreadable)


def _evidence(found: list[Features]) -> np.ndarray:
    """For each two answers: how rare the rarest piece of code is that both have, times how much they share.

    Of n answers, a piece that k have weighs log(n / k). The pieces of one answer come together, so that their
    weights must not be added. What they share is a part, 0 to 1, of the smaller of the two.
    """
    owners: dict[str, list[int]] = {}
    for row, pieces in enumerate(found):
        for piece in pieces:
            owners.setdefault(piece, []).append(row)
    size = sum(map(bool, found))
    groups = Counter(tuple(rows) for rows in owners.values() if len(rows) > 1)
    rarest, shared = np.zeros((2, len(found), len(found)), np.float32)
    for rows, count in sorted(groups.items(), key=lambda group: -len(group[0])):  # the rarest come last
        both = np.ix_(rows, rows)
        rarest[both] = math.log(size / len(rows))
        shared[both] += count
    own = np.array([max(len(pieces), 1) for pieces in found], np.float32)
    return rarest * shared / np.minimum(own[:, None], own[None, :])


def _read(source: str, where: str, unreadable: dict[str, str]) -> Features:
    try:
        return features(source)
    except UnreadableError as error:
        unreadable[where] = str(error)
        return frozenset()
