"""Small calls as a learner may type them, what they give, and what they should give."""

import ast
from dataclasses import dataclass

import torch

from course_lib.checks import comparison
from course_lib.checks.exercise import Part
from course_lib.checks.expected import Expected
from course_lib.checks.guard import MODES
from course_lib.checks.observation import Outcome


@dataclass(frozen=True)
class Example:
    """A small call that goes wrong, with what came out and what should have.

    before: a line that imports what the call needs besides the exercise and torch. evaluating: the same call
    in evaluation mode, where an answer gives something else then.
    """

    call: str
    got: str
    expected: str
    before: str = ""
    evaluating: str = ""

    @classmethod
    def shown(cls, expected: Expected, text: str, got: Outcome) -> "Example":
        exercise, right = expected.exercise, expected.example(text)
        fills = expected.fills_parameters(text)
        call = as_typed(text, exercise.name, fills)
        differs = got.failure and got.failure.message == MODES
        evaluating = as_typed(text, exercise.name, fills, ".eval()") if differs else ""
        names = {node.id for node in ast.walk(ast.parse(call)) if isinstance(node, ast.Name)}
        needed = sorted(names & {"filled", *exercise.names})
        before = f"from {exercise.package} import {', '.join(needed)}" if needed else ""
        return cls(call, written(got, right), written(right, got), before, evaluating)

    @property
    def cell(self) -> str:
        """What a learner may run."""
        calls = f"print({self.call})\nprint({self.evaluating})" if self.evaluating else self.call
        return f"{self.before}\n{calls}" if self.before else calls


def goes_right(got: Outcome, right: Outcome) -> bool:
    """Whether an example goes as it should. It may be right to raise: so a test refuses broken code."""
    if got.failure or right.failure:
        return bool(got.failure and right.failure and got.failure.kind == right.failure.kind)
    return not got.slips and comparison.same(got.values, right.values, Part.rtol, Part.atol)


def as_typed(text: str, name: str, fills: bool, then: str = "") -> str:
    """An example as a learner types it; then: what is done with each instance of Layer(2).

    In an exercise's own examples Layer(2) has its parameters filled, and Layer.fresh(2) is one as it begins.
    For a learner these are filled(Layer(2)) and Layer(2).
    """
    edits = []  # (place, characters to leave out, characters to put in)
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Name(id=found)) if found == name:
                edits += [
                    (node.col_offset, 0, "filled(" * fills),
                    (node.end_col_offset, 0, ")" * fills + then),
                ]
            case ast.Attribute(value=ast.Name(id=found), attr="fresh") if found == name:
                edits.append((node.value.end_col_offset, len(".fresh"), ""))
    for place, dropped, added in sorted(edits, reverse=True):
        text = text[:place] + added + text[place + dropped :]
    return text


def written(outcome: Outcome, other: Outcome) -> str:
    """The values of an example; their kinds too where the other's differ, for their text may be the same."""
    if outcome.failure:
        return outcome.failure.message
    if outcome.slips:
        return "\n".join(outcome.slips)
    others, lines = other.values, []
    for name, value in outcome.values.items():
        kind, counterpart = _kind(value), others.get(name, value)
        # 18.0 for 72 is wrong as a number, and would be with 18 too.
        plain = isinstance(value, int | float) and isinstance(counterpart, int | float)
        alike = _kind(counterpart) == kind or (plain and value != counterpart)
        shown = f"{name} = {_value_text(value, others.get(name))}"
        if isinstance(value, torch.Tensor) and _is_large(value):
            shown = f"{name}.shape = {tuple(value.shape)}"
        lines.append(shown + f"  ({kind})" * (not alike))
    return "\n".join(lines)


def _kind(value) -> str:
    return f"tensor, {value.dtype}" if isinstance(value, torch.Tensor) else type(value).__name__


def _is_large(value: torch.Tensor) -> bool:
    return value.numel() > (64 if value.dim() > 1 else 1000)


def _value_text(value, other) -> str:
    if isinstance(value, torch.Tensor):
        return _tensor_text(value, other if isinstance(other, torch.Tensor) else None)
    return comparison.written(value, other)


def _tensor_text(value: torch.Tensor, other: torch.Tensor | None) -> str:
    """The nested list of a small tensor, numbers to four digits."""
    if value.dim() == 0:
        return comparison.number(value)
    others = () if other is None or other.dim() != value.dim() else list(other)
    return comparison.listed(list(value), others, _tensor_text)
