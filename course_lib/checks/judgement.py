"""From outcomes to a verdict: compares an observed answer with the reference, and names the mistake.

No learner's code runs here, so a judge may run in another process than the one that observed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch

from course_lib.checks import comparison
from course_lib.checks.examples import Example, goes_right
from course_lib.checks.exercise import Mistake, Part, split_axes
from course_lib.checks.expected import Expected
from course_lib.checks.gradients import NO_GRADIENT, cutters
from course_lib.checks.meanings import raised
from course_lib.checks.observation import Failure, Observation, Outcome
from course_lib.checks.source import NEVER, OVERWRITTEN, Reading

NOTES = 2  # sentences on the whole that are shown
LEFTOVER = (
    "`{0}` is not an argument. Your code reads a variable of the notebook, now {1}, that another cell has "
    "set. Use the arguments instead."
)
KEPT_NOWHERE = (
    "`{0}` is an argument of `__init__` only. Elsewhere it is a variable of the notebook, now {1}, that "
    "another cell has set. Write `self.{0} = {0}` in `__init__`, and then use `self.{0}`."
)
LATER = " Your code fails where that cell has not run, for example when your work is graded."
UNREAD = {
    NEVER: "Your code never uses its argument `{0}`, so this argument changes nothing.",
    OVERWRITTEN: "Your code overwrites its argument `{0}` before it reads it, so the caller's value is lost.",
}
NOT_YET = (
    "This does not count yet: code that does nothing would pass it, too. It counts as soon as you pass a "
    "part that such code fails."
)
AT_ONCE = "Each part by itself is right, but calls in which several things come together are not."
QUOTED = r"'[^']*'"
OF_NONE = r"(?<='NoneType' object has no attribute )'[^']*'"  # None has none of them


@dataclass(frozen=True)
class Verdict:
    """On one part. `status` is "right", "wrong" or "not attempted".

    mistake: the one that the answer makes. perhaps: one that gives the same numbers in this part. counts:
    False where it is right, and earns nothing yet.
    """

    part: Part
    status: str
    message: str = ""
    line: str = ""
    mistake: Mistake | None = None
    perhaps: Mistake | None = None
    counts: bool = True

    @property
    def points(self) -> float:
        return self.part.points if self.status == "right" and self.counts else 0.0


@dataclass(frozen=True)
class Judgement:
    """notes: sentences on the answer as a whole, to be read first."""

    verdicts: tuple[Verdict, ...]
    example: Example | None = None
    notes: tuple[str, ...] = ()

    @property
    def mistakes(self) -> list[str]:
        """Keys of the mistakes that were recognized, each once."""
        return list(dict.fromkeys(verdict.mistake.key for verdict in self.verdicts if verdict.mistake))


def judge(expected: Expected, observation: Observation) -> Judgement:
    """A verdict on each part of the exercise, and the small call that shows best what is wrong."""
    parts, got = expected.exercise.parts, observation.parts
    wrong = [part for part in parts if not is_right(part, got[part.name], expected.reference(part))]
    # Right numbers in the wrong kind of box cost one part, the first, however many they are in.
    kinds = [part for part in wrong if _is_right_but_for_its_kind(part, got, expected)]
    wrong = [part for part in wrong if part not in kinds[1:]]
    attempted = [part for part in wrong if not _is_stub(got[part.name])]
    fails = None if wrong else _of_the_whole(expected, observation)
    right = not wrong and not fails
    notes = _notes(expected, observation.reading, right) if attempted or not wrong else ()
    naming = _Naming(expected, observation, attempted)
    mistake = naming.certain() if attempted else None
    doubtful = naming.perhaps() if attempted and not mistake and not notes else {}
    verdicts = list[Verdict]()
    for part in parts:
        if part not in wrong:
            verdicts.append(fails if fails and fails.part is part else Verdict(part, "right"))
            continue
        verdict = _explain(part, got[part.name], expected.reference(part), observation.reading.code)
        if part in attempted:
            verdict = replace(verdict, mistake=mistake, perhaps=doubtful.get(part.name))
        verdicts.append(verdict)
    visible = [fails.part] if fails else [part for part in attempted if not part.hidden]
    example = _smallest_example(expected, observation, visible) if visible and observation.examples else None
    return Judgement(counted(verdicts), example, notes)


def _of_the_whole(expected: Expected, observation: Observation) -> Verdict | None:
    """Of an answer that is right in each part: what is wrong where all is at once."""
    exercise = expected.exercise
    whole, visible = exercise.whole, [part for part in exercise.parts if not part.hidden]
    got = observation.parts.get(whole.name) if whole and visible else None
    if not whole or not got or is_right(whole, got, expected.reference(whole)):
        return None
    if _is_stub(got):  # it was attempted: only here it raises that error
        got = Outcome(failure=Failure("raises", "NotImplementedError"))
    said = _explain(whole, got, expected.reference(whole), observation.reading.code)
    # Who mends a part must not have fewer points than before.
    smallest = min(visible, key=lambda part: part.points)
    return replace(said, part=smallest, message=f"{AT_ONCE} {said.message}")


def counted(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """The same; parts that do not count alone earn nothing where no part is right that does."""
    earned = any(verdict.status == "right" and verdict.part.alone for verdict in verdicts)
    said = "" if earned else NOT_YET
    return tuple(
        verdict
        if verdict.status != "right" or verdict.part.alone
        else replace(verdict, message=said, counts=earned)
        for verdict in verdicts
    )


def is_right(part: Part, got: Outcome, expected: Outcome) -> bool:
    """Whether an answer gives in this part what the reference gives."""
    return agree(part, got, expected) and not got.slips


def agree(part: Part, one: Outcome, other: Outcome) -> bool:
    """Whether two outcomes of a part are the same, to its tolerance."""
    # Two failures agree by kind and message, so that a mistake that raises can be named too.
    if one.failure or other.failure:
        return one.failure == other.failure
    return comparison.same(one.values, other.values, part.rtol, part.atol)


def _is_right_but_for_its_kind(part: Part, got: Mapping[str, Outcome], expected: Expected) -> bool:
    one, other = got[part.name], expected.reference(part)
    return not one.failure and comparison.same_but_kind(one.values, other.values, part.rtol, part.atol)


def _notes(expected: Expected, reading: Reading, right: bool) -> tuple[str, ...]:
    """What the code of an answer tells: variables that are no arguments, arguments that change nothing."""
    notes = [leftover_note(reading.code, *pair) + LATER * right for pair in reading.leftovers]
    if not right:
        # What the reference does not read either is no fault.
        needed = expected.arguments - {name for name, _ in expected.reading.unread}
        notes += [UNREAD[how].format(name) for name, how in reading.unread if name in needed]
    return tuple(notes[:NOTES])


def leftover_note(code: str, name: str, value: str) -> str:
    """What is said of a variable of the notebook that an answer reads."""
    constructor = re.search(rf"def __init__\(.*\b{re.escape(name)}\b", code)
    return (KEPT_NOWHERE if constructor else LEFTOVER).format(name, value)


class _Naming:
    """Finds the mistake of the table that an answer makes.

    Each question whether a mistake explains a part costs a run of the mistake, so they are asked one by one.
    """

    def __init__(self, expected: Expected, observation: Observation, wrong: list[Part]):
        self.expected, self.got, self.wrong = expected, observation.parts, wrong
        self.parts = [part for part in expected.exercise.parts if not _is_stub(self.got[part.name])]
        code = observation.reading.code
        mistakes = enumerate(expected.exercise.mistakes)
        self.fitting = [(index, mistake) for index, mistake in mistakes if fits(mistake, code)]
        # Where something works, an error in another part need not have the very same words.
        self.strict = all(self.got[part.name].failure for part in self.parts)

    def certain(self) -> Mistake | None:
        """The first that gives what the answer gives in every part, right ones too."""
        wrong_first = self.wrong + [part for part in self.parts if part not in self.wrong]
        for index, mistake in self.fitting:
            if all(self.explains(index, part) for part in wrong_first):
                return mistake
        return None

    def perhaps(self) -> dict[str, Mistake]:
        """By part: the first that gives the same wrong numbers in most wrong parts, and breaks no other."""
        shown = [part for part in self.wrong if self._tells(part)]
        right = [part for part in self.parts if part not in self.wrong]
        for index, mistake in self.fitting if shown else ():
            if not self.explains(index, shown[0]):
                continue
            explained = [part for part in shown if self.explains(index, part)]
            if 2 * len(explained) > len(self.wrong) and all(self.explains(index, part) for part in right):
                return {explained[0].name: mistake}
        return {}

    def explains(self, index: int, part: Part) -> bool:
        got, other = self.got[part.name], self.expected.mistake(index, part)
        if agree(part, got, other):
            return set(other.slips) <= set(got.slips)  # right numbers in another box are another slip
        return _alike(got.failure, other.failure, OF_NONE if self.strict else QUOTED)

    def _tells(self, part: Part) -> bool:
        """Whether its numbers tell one mistake from another: errors, words and NaN are alike too often."""
        outcome = self.got[part.name]
        tensors = [value for value in outcome.values.values() if isinstance(value, torch.Tensor)]
        return bool(tensors) and not any(t.is_floating_point() and bool(t.isnan().any()) for t in tensors)


def fits(mistake: Mistake, code: str) -> bool:
    """Whether what the advice takes for granted is true of the code; see Mistake.

    Nothing is taken for granted of code that cannot be read.
    """
    if mistake.lacks and not code:
        return False
    return all(re.search(pattern, code) for pattern in mistake.mentions) and not any(
        re.search(pattern, code) for pattern in mistake.lacks
    )


def _alike(one: Failure | None, other: Failure | None, names: str) -> bool:
    """Whether two errors are the same but for these names."""
    if not one or not other or one.kind != other.kind or one.kind != "raises":
        return False
    plain = [re.sub(names, "", failure.message) for failure in (one, other)]
    return plain[0] == plain[1]


def _is_stub(outcome: Outcome) -> bool:
    return bool(outcome.failure and outcome.failure.kind == "not attempted")


def _explain(part: Part, got: Outcome, expected: Outcome, code: str) -> Verdict:
    failure = got.failure
    if failure is None:
        return Verdict(part, "wrong", _broken(part, got, expected, code))
    # The stub that the lesson hands out raises too: that is no mistake.
    if _is_stub(got):
        return Verdict(part, "not attempted", failure.message)
    message = raised(failure.message) if failure.kind == "raises" else failure.message
    return Verdict(part, "wrong", message, failure.line)


def _broken(part: Part, got: Outcome, expected: Outcome, code: str) -> str:
    """What differs, in the order type, shape, dtype, NaN, property, numbers."""
    if got.slips and comparison.same_but_kind(got.values, expected.values, part.rtol, part.atol):
        return got.slips[0]
    differences = []
    for label, value in expected.values.items():
        name, axes = split_axes(label)
        text = comparison.difference(name, axes, got.values.get(label), value, part.rtol, part.atol)
        if text and _is_structural(got.values.get(label), value):
            if " has shape " in text and got.slips and got.slips[0].startswith("`"):
                return got.slips[0]  # a list has no shape
            return text + cutters(code) * (NO_GRADIENT in text)
        differences += [text] if text else []
    for check in part.properties:
        if sentence := check(got.values, expected.values):
            return sentence
    return differences[0] if differences else "It gave other results than those that were expected."


def _is_structural(got, expected) -> bool:
    """Whether numbers cannot be compared at all, or are no numbers."""
    if not isinstance(got, torch.Tensor) or not isinstance(expected, torch.Tensor):
        return True
    if (got.shape, got.dtype, got.device) != (expected.shape, expected.dtype, expected.device):
        return True
    return bool(got.is_floating_point() and (got.isnan() & ~expected.isnan()).any())


def _smallest_example(expected: Expected, observation: Observation, wrong: list[Part]) -> Example | None:
    """The first example that goes wrong; if possible, one that fails like the wrong part with most points."""
    failure = observation.parts[max(wrong, key=lambda part: part.points).name].failure
    found = []
    for text, got in observation.examples.items():
        if not may_be_right(expected, text, got):
            example = Example.shown(expected, text, got)
            found.append((_as_text(got.failure) == _as_text(failure), example))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def may_be_right(expected: Expected, text: str, got: Outcome) -> bool:
    """Whether a right answer may give this in an example."""
    if goes_right(got, expected.example(text)):
        return True
    # Where the text leaves a choice an answer may give something else than the reference.
    return not got.failure and any(goes_right(got, right) for right in expected.accepted_example(text))


def _as_text(failure: Failure | None) -> str:
    """Without numbers: sizes differ between a part and an example."""
    return re.sub(r"\d+", "", f"{failure.kind} {failure.message}") if failure else ""
