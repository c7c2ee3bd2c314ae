"""What a check answers: a number for the gradebook that shows itself to people as a checklist."""

import html
import re
from dataclasses import dataclass

from course_lib.checks.exercise import Exercise
from course_lib.checks.judgement import Example, Judgement, Verdict

MIME = "application/vnd.course-lib.score+json"  # of Report.data(), in the outputs of a graded notebook
MARKS = {"right": "✓", "wrong": "✗", "not attempted": "○"}
COLORS = {  # of borders only: words and marks carry the meaning
    "right": "var(--jp-success-color1, #2e7d32)",
    "wrong": "var(--jp-error-color1, #c62828)",
    "not attempted": "var(--jp-border-color1, #757575)",
}


@dataclass(frozen=True)
class Report:
    """The content of a score, apart from how it is written."""

    exercise: Exercise
    judgement: Judgement
    seed: int
    grading: bool
    trial: bool = False

    @property
    def status(self) -> str:
        found = {verdict.status for verdict in self.judgement.verdicts}
        return "wrong" if len(found) > 1 else found.pop()

    @property
    def points(self) -> float:
        """Hidden parts that are not at hand count as right while everything else is."""
        earned = sum(verdict.points for verdict in self.judgement.verdicts)
        return earned + (self.exercise.pending if self.status == "right" else 0.0)

    def notes(self) -> list[str]:
        notes = ["A trial: it does not count."] if self.trial else []
        if pending := self.exercise.pending:
            its = "1 of these points is" if pending == 1 else f"{_number(pending)} of these points are"
            notes.append(f"{its} for hidden tests, which run when your work is graded.")
        if self.grading:
            notes.append(f"Graded with fresh random inputs, seed {self.seed}.")
        elif self.status != "right":
            notes.append(f'Stuck? Run `hint("{self.exercise.name}")` in a new cell.')
        return notes

    def data(self) -> dict:
        """For programs: what the gradebook's tables and class reports read."""
        return {
            "exercise": self.exercise.name,
            "status": self.status,
            "points": self.points,
            "max_points": self.exercise.points,
            "seed": self.seed,
            "mistakes": self.judgement.mistakes,
            "parts": {verdict.part.name: verdict.status for verdict in self.judgement.verdicts},
        }


class Score(float):
    """The points of one exercise. repr is the bare number, which nbgrader reads; str is the checklist."""

    report: Report

    def __new__(cls, report: Report):
        score = super().__new__(cls, report.points)
        score.report = report
        return score

    def __repr__(self) -> str:
        return float.__repr__(self)

    def __str__(self) -> str:
        return as_text(self.report)

    def _repr_html_(self) -> str:
        return as_html(self.report)

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        bundle = {"text/plain": repr(self), "text/html": self._repr_html_()}
        return bundle if self.report.trial else bundle | {MIME: self.report.data()}


def as_text(report: Report) -> str:
    lines = [_headline(report)]
    for verdict in report.judgement.verdicts:
        lines.append(f"  {MARKS[verdict.status]} {verdict.status}: {verdict.part.name} ({_points(verdict)})")
        lines += [f"      {sentence}" for sentence in _sentences(report, verdict)]
    if example := report.judgement.example:
        lines.append(f"  Smallest example: {example.call}")
        lines += ["    yours:", *_indented(example.got), "    expected:", *_indented(example.expected)]
    return "\n".join(lines + [f"  {note}" for note in report.notes()])


def as_html(report: Report) -> str:
    items = "".join(_verdict_html(report, verdict) for verdict in report.judgement.verdicts)
    example = _example_html(report.judgement.example) if report.judgement.example else ""
    notes = "".join(f"<p style='margin:.3em 0'>{code(note)}</p>" for note in report.notes())
    return (
        f"<div role='group' aria-label='Check of {report.exercise.name}' style='border-left:4px solid "
        f"{COLORS[report.status]};padding:.2em .8em;max-width:60em'><p style='margin:.3em 0'>"
        f"<b>{html.escape(_headline(report))}</b></p><ul style='list-style:none;padding:0;margin:.3em 0'>"
        f"{items}</ul>{example}{notes}</div>"
    )


def _headline(report: Report) -> str:
    points = f"{_number(report.points)} of {plural(report.exercise.points, 'point')}"
    return f"{MARKS[report.status]} {report.exercise.name}: {report.status}, {points}"


def _points(verdict: Verdict) -> str:
    if verdict.status == "right":
        return plural(verdict.part.points, "point")
    return f"0 of {plural(verdict.part.points, 'point')}"


def _sentences(report: Report, verdict: Verdict) -> list[str]:
    """Message, the learner's own line, advice. Of a hidden part only its name is told."""
    if verdict.status in ("right", "not attempted"):
        first = next(v for v in report.judgement.verdicts if v.status == verdict.status)
        return [verdict.message] if verdict.message and verdict is first else []
    if verdict.part.hidden:
        return ["This part is hidden: it tries inputs that you have not seen."]
    earlier = report.judgement.verdicts[: report.judgement.verdicts.index(verdict)]
    if verdict.line and verdict.line in [other.line for other in earlier]:
        return ["The same line raises here too."]
    if verdict.message in [other.message for other in earlier]:
        return ["The same as above."]
    sentences = [verdict.message] + ([f"`{verdict.line}`"] if verdict.line else [])
    advised = [other.mistake for other in earlier if not other.part.hidden]
    if verdict.mistake and verdict.mistake not in advised:
        sentences.append(verdict.mistake.advice)
    return sentences


def _verdict_html(report: Report, verdict: Verdict) -> str:
    sentences = _sentences(report, verdict)
    told = "".join(f"<div style='margin-left:1.6em'>{code(sentence)}</div>" for sentence in sentences)
    return (
        f"<li style='margin:.25em 0'><b>{MARKS[verdict.status]} {verdict.status}</b>: "
        f"{html.escape(verdict.part.name)} ({_points(verdict)}){told}</li>"
    )


def _example_html(example: Example) -> str:
    cells = "".join(
        f"<div style='flex:1 1 20em'><div>{title}</div><pre style='margin:0;white-space:pre-wrap'>"
        f"{html.escape(text)}</pre></div>"
        for title, text in (("Yours", example.got), ("Expected", example.expected))
    )
    return (
        f"<div style='margin:.5em 0'>Smallest example: <code>{html.escape(example.call)}</code>"
        f"<div style='display:flex;flex-wrap:wrap;gap:1em'>{cells}</div></div>"
    )


def code(text: str) -> str:
    """Escaped text in which `this` is set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def plural(number: float, noun: str) -> str:
    return f"{_number(number)} {noun}" + ("" if number == 1 else "s")


def _number(value: float) -> str:
    return f"{value:g}"


def _indented(text: str) -> list[str]:
    return [f"      {line}" for line in text.splitlines()]
