"""From outcomes to a verdict: compares an observed answer with the reference, and names the mistake.

No learner's code runs here, so a judge may work in another process than the one that observed.
"""

from dataclasses import dataclass
from functools import cache

import torch

from course_lib.checks import comparison
from course_lib.checks.exercise import Mistake, Part, split_axes
from course_lib.checks.expected import Rehearsal
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


def judge(rehearsal: Rehearsal, observation: Observation) -> Judgement:
    parts, got = rehearsal.exercise.parts, observation.parts
    wrong = [part for part in parts if not agree(part, got[part.name], rehearsal.expected(part))]
    named = _name_mistakes(rehearsal, wrong, got)
    verdicts = [
        _explain(part, got[part.name], rehearsal.expected(part), named.get(part.name))
        if part in wrong
        else Verdict(part, "right")
        for part in parts
    ]
    shown = [got[part.name] for part in wrong if not part.hidden and not _is_stub(got[part.name])]
    example = _smallest_example(rehearsal, observation, shown[0]) if shown and observation.examples else None
    return Judgement(tuple(verdicts), example)


def agree(part: Part, one: Outcome, other: Outcome) -> bool:
    """Whether two outcomes of a part are the same, to its tolerance."""
    if one.failure or other.failure:
        return one.failure == other.failure
    return comparison.same(one.values, other.values, part.rtol, part.atol)


def _name_mistakes(rehearsal: Rehearsal, wrong, got) -> dict[str, Mistake]:
    """For each wrong part a mistake with the same outcome: of several, the one that explains most parts."""
    exercise, makes = rehearsal.exercise, rehearsal.mistaken
    attempted = [part for part in wrong if not _is_stub(got[part.name])]
    matches: dict[str, list[int]] = {}
    for part in attempted:
        suspects = {index for found in matches.values() for index in found}
        others = [index for index in range(len(exercise.mistakes)) if index not in suspects]
        for group in (sorted(suspects), others):
            matches[part.name] = [i for i in group if agree(part, got[part.name], makes(i, part))]
            if matches[part.name]:
                break
    rank = cache(
        lambda index: sum(agree(part, got[part.name], makes(index, part)) for part in exercise.parts)
    )
    everything = len(exercise.parts)
    named = {}
    for name, found in matches.items():
        # NaN equals NaN whatever its cause: a cause is named only if it explains all parts.
        sure = [i for i in found if not _has_nan(got[name]) or rank(i) == everything]
        if sure:
            named[name] = exercise.mistakes[max(sure, key=rank)]
    return named


def _has_nan(outcome: Outcome) -> bool:
    values = (outcome.values or {}).values()
    return any(isinstance(v, torch.Tensor) and v.is_floating_point() and v.isnan().any() for v in values)


def _is_stub(outcome: Outcome) -> bool:
    return bool(outcome.failure and outcome.failure.kind == "not attempted")


def _explain(part: Part, got: Outcome, expected: Outcome, mistake: Mistake | None) -> Verdict:
    failure = got.failure
    if _is_stub(got):
        return Verdict(part, "not attempted", failure.message)
    if failure:
        message = f"Your code raised {failure.message}" if failure.kind == "raises" else failure.message
        return Verdict(part, "wrong", message, failure.line, mistake)
    return Verdict(part, "wrong", _broken(part, got, expected), mistake=mistake)


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


def _smallest_example(rehearsal: Rehearsal, observation: Observation, wrong: Outcome) -> Example | None:
    """The first example that goes wrong; better, one that goes wrong as the first wrong part does."""
    found = []
    for text, got in observation.examples.items():
        right = rehearsal.example(text)
        if not _alike(got, right):
            example = Example(_shown(rehearsal, text), _written(got, right), _written(right, got))
            found.append((got.failure == wrong.failure, example))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _alike(got: Outcome, right: Outcome) -> bool:
    """Whether an example goes as it should. It may be right to raise: so a test refuses broken code."""
    if got.failure or right.failure:
        return bool(got.failure and right.failure and got.failure.kind == right.failure.kind)
    return comparison.same(got.values, right.values, Part.rtol, Part.atol)


def _shown(rehearsal: Rehearsal, text: str) -> str:
    """An example as the learner may type it, with a remark on the parameters of a module."""
    name = rehearsal.exercise.name
    if f"{name}.fresh(" in text:
        return f"{text.replace(f'{name}.fresh(', f'{name}(')}  # as it begins"
    filled = "  # parameters filled with fixed random numbers"
    return text + filled * rehearsal.fills_parameters(text)


def _written(outcome: Outcome, other: Outcome) -> str:
    """The values of an example; their kinds too where the other's differ, for their text may be the same."""
    if outcome.failure:
        return outcome.failure.message
    others, lines = other.values or {}, []
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
