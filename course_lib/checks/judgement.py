"""From outcomes to a verdict: compares an observed answer with the reference, and names the mistake.

No learner's code runs here, so a judge may work in another process than the one that observed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import torch

from course_lib.checks import comparison
from course_lib.checks.exercise import Mistake, Part, split_axes
from course_lib.checks.expected import Expected
from course_lib.checks.observation import Observation, Outcome


@dataclass(frozen=True)
class Example:
    """A small call that goes wrong, with what came out and what should have."""

    call: str
    got: str
    expected: str


@dataclass(frozen=True)
class Verdict:
    """On one part. `status` is "right", "wrong" or "not attempted"."""

    part: Part
    status: str
    message: str = ""
    line: str = ""
    mistake: Mistake | None = None

    @property
    def points(self) -> float:
        return self.part.points if self.status == "right" else 0.0


@dataclass(frozen=True)
class Judgement:
    verdicts: tuple[Verdict, ...]
    example: Example | None = None

    @property
    def mistakes(self) -> list[str]:
        """Keys of the mistakes that were recognized, each once."""
        return list(dict.fromkeys(verdict.mistake.key for verdict in self.verdicts if verdict.mistake))


def judge(expected: Expected, observation: Observation) -> Judgement:
    """A verdict on each part of the exercise, and the small call that shows best what is wrong."""
    parts, got = expected.exercise.parts, observation.parts
    wrong = [part for part in parts if not agree(part, got[part.name], expected.reference(part))]
    attempted = [part for part in wrong if not _is_stub(got[part.name])]
    named = _name_mistakes(expected, attempted, got)
    verdicts = [
        _explain(part, got[part.name], expected.reference(part), named.get(part.name))
        if part in wrong
        else Verdict(part, "right")
        for part in parts
    ]
    visible = [got[part.name] for part in attempted if not part.hidden]
    example = (
        _smallest_example(expected, observation, visible[0]) if visible and observation.examples else None
    )
    return Judgement(tuple(verdicts), example)


def agree(part: Part, one: Outcome, other: Outcome) -> bool:
    """Whether two outcomes of a part are the same, to its tolerance."""
    # Two failures agree by kind and message, so that a mistake that raises can be named too.
    if one.failure or other.failure:
        return one.failure == other.failure
    return comparison.same(one.values, other.values, part.rtol, part.atol)


def _name_mistakes(expected: Expected, wrong: list[Part], got: Mapping[str, Outcome]) -> dict[str, Mistake]:
    """By name of a wrong part the mistake that explains it, where one does: it gives what the answer gives.

    Of several, the one that explains most parts, right ones too; of equals the first in the table.
    """
    mistakes, parts = expected.exercise.mistakes, expected.exercise.parts

    @cache
    def explains(index: int, part: Part) -> bool:
        return agree(part, got[part.name], expected.mistake(index, part))

    @cache
    def explained_parts(index: int) -> int:
        return sum(explains(index, part) for part in parts)

    named = {}
    for part, candidates in _candidates(len(mistakes), wrong, explains):
        if _has_nan(got[part.name]):
            # NaN equals NaN whatever its cause: only a mistake that explains all parts is sure to be it.
            candidates = [index for index in candidates if explained_parts(index) == len(parts)]
        if candidates:
            # Each part that is counted costs a run of the mistake: a single candidate is not counted.
            best = max(candidates, key=explained_parts) if len(candidates) > 1 else candidates[0]
            named[part.name] = mistakes[best]
    return named


def _candidates(
    count: int, wrong: list[Part], explains: Callable[[int, Part], bool]
) -> Iterator[tuple[Part, list[int]]]:
    """Each wrong part with the numbers of the mistakes that explain it.

    Most wrong answers contain one mistake. So the mistakes that explain an earlier part are tried first, and
    only where none of them explains this part too, all others: each question costs a run of the mistake.
    """
    suspects: set[int] = set()
    for part in wrong:
        found = [index for index in sorted(suspects) if explains(index, part)]
        if not found:
            found = [index for index in range(count) if index not in suspects and explains(index, part)]
        suspects.update(found)
        yield part, found


def _has_nan(outcome: Outcome) -> bool:
    tensors = [value for value in outcome.values.values() if isinstance(value, torch.Tensor)]
    return any(tensor.is_floating_point() and bool(tensor.isnan().any()) for tensor in tensors)


def _is_stub(outcome: Outcome) -> bool:
    return bool(outcome.failure and outcome.failure.kind == "not attempted")


def _explain(part: Part, got: Outcome, expected: Outcome, mistake: Mistake | None) -> Verdict:
    failure = got.failure
    if failure is None:
        return Verdict(part, "wrong", _broken(part, got, expected), mistake=mistake)
    # The stub that the lesson hands out raises too: that is no mistake.
    if _is_stub(got):
        return Verdict(part, "not attempted", failure.message)
    message = f"Your code raised {failure.message}" if failure.kind == "raises" else failure.message
    return Verdict(part, "wrong", message, failure.line, mistake)


def _broken(part: Part, got: Outcome, expected: Outcome) -> str:
    """What differs, in the order type, shape, dtype, NaN, property, numbers."""
    differences = []
    for label, value in expected.values.items():
        name, axes = split_axes(label)
        text = comparison.difference(name, axes, got.values.get(label), value, part.rtol, part.atol)
        if text and _is_structural(got.values.get(label), value):
            return text
        differences += [text] if text else []
    for check in part.properties:
        if sentence := check(got.values, expected.values):
            return sentence
    return differences[0]


def _is_structural(got, expected) -> bool:
    """Whether numbers cannot be compared at all, or are no numbers."""
    if not isinstance(got, torch.Tensor) or not isinstance(expected, torch.Tensor):
        return True
    if (got.shape, got.dtype, got.device) != (expected.shape, expected.dtype, expected.device):
        return True
    return bool(got.is_floating_point() and (got.isnan() & ~expected.isnan()).any())


def _smallest_example(expected: Expected, observation: Observation, wrong: Outcome) -> Example | None:
    """The first example that goes wrong; better, one that goes wrong as the first wrong part does."""
    found = []
    for text, got in observation.examples.items():
        right = expected.example(text)
        if not _alike(got, right):
            example = Example(_shown(expected, text), _written(got, right), _written(right, got))
            found.append((got.failure == wrong.failure, example))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _alike(got: Outcome, right: Outcome) -> bool:
    """Whether an example goes as it should. It may be right to raise: so a test refuses broken code."""
    if got.failure or right.failure:
        return bool(got.failure and right.failure and got.failure.kind == right.failure.kind)
    return comparison.same(got.values, right.values, Part.rtol, Part.atol)


def _shown(expected: Expected, text: str) -> str:
    """An example as the learner may type it, with a remark on the parameters of a module."""
    name = expected.exercise.name
    if f"{name}.fresh(" in text:
        return f"{text.replace(f'{name}.fresh(', f'{name}(')}  # as it begins"
    filled = "  # parameters filled with fixed random numbers"
    return text + filled * expected.fills_parameters(text)


def _written(outcome: Outcome, other: Outcome) -> str:
    """The values of an example; their kinds too where the other's differ, for their text may be the same."""
    if outcome.failure:
        return outcome.failure.message
    others, lines = other.values, []
    for name, value in outcome.values.items():
        kind = _kind(value)
        remark = "" if _kind(others.get(name, value)) == kind else f"  ({kind})"
        lines.append(f"{name} = {_value_text(value, others.get(name))}{remark}")
    return "\n".join(lines)


def _kind(value) -> str:
    return f"tensor, {value.dtype}" if isinstance(value, torch.Tensor) else type(value).__name__


def _value_text(value, other) -> str:
    if isinstance(value, torch.Tensor):
        return _tensor_text(value, other if isinstance(other, torch.Tensor) else None)
    return comparison.written(value, other)


def _tensor_text(value: torch.Tensor, other: torch.Tensor | None) -> str:
    """The nested list of a small tensor, numbers to four digits."""
    if value.dim() == 0:
        return comparison.number(value)
    if value.dim() > 1 and value.numel() > 64:
        return f"a tensor of shape {tuple(value.shape)}"
    others = () if other is None or other.dim() != value.dim() else list(other)
    return comparison.listed(list(value), others, _tensor_text)
