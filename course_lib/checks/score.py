"""What a check answers: a number for the gradebook that shows itself to people as a checklist."""

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass

from course_lib.checks.examples import Example
from course_lib.checks.exercise import Exercise
from course_lib.checks.judgement import AT_ONCE, Judgement, Verdict
from course_lib.language import say, widened

MIME = "application/vnd.course-lib.score+json"  # of Report.data(), in the outputs of a graded notebook
NUMBER = re.compile(r"-?\b\d+(\.\d+)?(e[-+]?\d+)?\b")
LONGEST = 160  # characters of a sentence that answers are grouped by
PERHAPS = "This mistake gives the same numbers; see whether it is yours: "
ONE_HIDDEN = "The hidden point is decided when your work is graded."
SOME_HIDDEN = "The hidden points are decided when your work is graded."
MARKS = {"right": "✓", "wrong": "✗", "not attempted": "○"}
SAME_LINE, SAME = "The same line raises an error here too.", "The same as above."
SAME_LINE_AS, SAME_AS = 'The same line raises an error as in "{0}".', 'The same as in "{0}".'
CODE = "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere"  # wraps between words where it can
COLORS = {  # of borders only: words and marks carry the meaning
    "right": "var(--jp-success-color1, #2e7d32)",
    "wrong": "var(--jp-error-color1, #c62828)",
    "not attempted": "var(--jp-border-color1, #757575)",
}


@dataclass(frozen=True)
class Report:
    """The content of a score, apart from how it is written. remarks: sentences about more than one check."""

    exercise: Exercise
    judgement: Judgement
    seed: int | str
    grading: bool
    trial: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        found = {verdict.status for verdict in self.judgement.verdicts}
        return "wrong" if len(found) > 1 else found.pop()

    @property
    def points(self) -> float:
        """Hidden parts that are not loaded count as right while everything else is right."""
        earned = sum(verdict.points for verdict in self.judgement.verdicts)
        return earned + (self.exercise.pending if self.status == "right" else 0.0)

    @property
    def reached(self) -> str:
        """The points as people read them. Hidden parts that are not loaded are listed separately."""
        return out_of(self.points, self.exercise)

    def notes(self) -> list[str]:
        notes = ["This is a trial. It does not count."] if self.trial else []
        notes += self.remarks
        if self.exercise.pending and self.status == "right":
            notes.append(ONE_HIDDEN if self.exercise.pending == 1 else SOME_HIDDEN)
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
            "unnamed": self._unnamed(),
            "parts": {verdict.part.name: verdict.status for verdict in self.judgement.verdicts},
        }

    def _unnamed(self) -> str:
        """What is wrong where no mistake is named: one sentence for answers that go wrong in the same way."""
        wrong = [verdict for verdict in self.judgement.verdicts if verdict.status == "wrong"]
        if self.judgement.mistakes or not wrong:
            return ""
        if wrong[0].part.hidden:
            return f"Wrong in the hidden part only: {wrong[0].part.name}."
        message = wrong[0].message.removeprefix(AT_ONCE).strip()  # which says nothing of what is wrong
        return group(next(iter(self.judgement.notes), message))


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
    lines = [_headline(report), *(f"  {say(note)}" for note in report.judgement.notes)]
    for verdicts, sentences in _items(report):
        status = verdicts[0].status
        lines.append(widened(f"  {MARKS[status]} {say(status)}: {_parts(verdicts)}"))
        lines += [f"      {say(sentence)}" for sentence in sentences]
    if example := report.judgement.example:
        lines += [f"  {say('Smallest example:')}", *_indented(example.cell)]
        lines += [f"    {say('yours:')}", *_indented(say(example.got))]
        lines += [f"    {say('expected:')}", *_indented(say(example.expected))]
    return "\n".join(lines + [f"  {say(note)}" for note in report.notes()])


def as_html(report: Report) -> str:
    items = "".join(_item_html(verdicts, sentences) for verdicts, sentences in _items(report))
    example = _example_html(report.judgement.example) if report.judgement.example else ""
    return (
        f"<div role='group' aria-label='Check of {report.exercise.name}' style='border-left:4px solid "
        f"{COLORS[report.status]};padding:.2em .8em;max-width:60em'><p style='margin:.3em 0'>"
        f"<b>{html.escape(_headline(report))}</b></p>{_paragraphs(report.judgement.notes)}"
        "<ul style='list-style:none;padding:0;margin:.3em 0'>"
        f"{items}</ul>{example}{_paragraphs(report.notes())}</div>"
    )


def _paragraphs(sentences: Iterable[str]) -> str:
    return "".join(f"<p style='margin:.3em 0'>{code(say(sentence))}</p>" for sentence in sentences)


def _headline(report: Report) -> str:
    status, name = report.status, report.exercise.name
    return widened(f"{MARKS[status]} {name}: {say(status)}, {say(report.reached)}")


def _items(report: Report) -> list[tuple[list[Verdict], list[str]]]:
    """Verdicts and what is said of them: of each by itself, but together of those that only repeat others."""
    items: list[tuple[list[Verdict], list[str]]] = []
    for verdict in report.judgement.verdicts:
        sentences = _sentences(report, verdict)
        if items and sentences == items[-1][1] and sentences and sentences[0].startswith("The same "):
            items[-1][0].append(verdict)
        else:
            items.append(([verdict], sentences))
    return items


def _parts(verdicts: list[Verdict]) -> str:
    return "; ".join(f"{say(verdict.part.name)} ({say(_points(verdict))})" for verdict in verdicts)


def _points(verdict: Verdict) -> str:
    if verdict.points:
        return in_points(verdict.points)
    return f"0 of {in_points(verdict.part.points)}"


def _sentences(report: Report, verdict: Verdict) -> list[str]:
    """Message, the learner's own line, advice. Of a hidden part only its name is told."""
    if verdict.status in ("right", "not attempted"):
        first = next(v for v in report.judgement.verdicts if v.status == verdict.status)
        return [verdict.message] if verdict.message and verdict is first else []
    if verdict.part.hidden:
        return ["This part is hidden: it tries what you have not seen."]
    earlier = report.judgement.verdicts[: report.judgement.verdicts.index(verdict)]
    told: list[Verdict] = []  # those whose message is written out
    for other in earlier:
        if other.status == "wrong" and not _repeated(other, told):
            told.append(other)
    if first := _repeated(verdict, told):
        line = verdict.line and verdict.line == first.line
        same, same_as = (SAME_LINE, SAME_LINE_AS) if line else (SAME, SAME_AS)
        return [same if first is told[-1] else same_as.format(first.part.name)]
    advised = [other.mistake for other in earlier if not other.part.hidden]
    advice = verdict.mistake.advice if verdict.mistake and verdict.mistake not in advised else ""
    found = "" if verdict.message in advice else verdict.message  # advice may begin with what was found
    sentences = [text for text in (found, verdict.line and f"`{verdict.line}`", advice) if text]
    if verdict.perhaps:
        sentences.append(PERHAPS + verdict.perhaps.advice)
    return sentences


def _repeated(verdict: Verdict, told: list[Verdict]) -> Verdict | None:
    """The one of these that says the same: of the same line, or without one in the same words."""
    same_line = (other for other in told if verdict.line and other.line == verdict.line)
    return next(same_line, next((other for other in told if other.message == verdict.message), None))


def _item_html(verdicts: list[Verdict], sentences: list[str]) -> str:
    status = verdicts[0].status
    style = "margin-left:1.6em;overflow-wrap:anywhere"
    told = "".join(f"<div style='{style}'>{code(say(sentence))}</div>" for sentence in sentences)
    mark = f"{MARKS[status]} {say(status)}"
    named = widened(f"{mark}: {_parts(verdicts)}").removeprefix(mark)
    return f"<li style='margin:.25em 0'><b>{mark}</b>{code(named)}{told}</li>"


def _example_html(example: Example) -> str:
    cells = "".join(
        f"<div style='flex:1 1 20em'><div>{title}</div><pre style='margin:0;{CODE}'>{code(text)}</pre></div>"
        for title, text in ((say("Yours"), say(example.got)), (say("Expected"), say(example.expected)))
    )
    return (
        f"<div style='margin:.5em 0'>{say('Smallest example:')}"
        f"<pre style='margin:0;{CODE}'>{html.escape(example.cell)}</pre>"
        f"<div style='display:flex;flex-wrap:wrap;gap:1em'>{cells}</div></div>"
    )


def code(text: str) -> str:
    """Escaped text in which `this` is set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def out_of(points: float, exercise: Exercise) -> str:
    """ "8 of 8 points, and 1 hidden" of points that count the hidden ones too."""
    seen = exercise.points - exercise.pending
    return with_hidden_points(min(points, seen), seen, exercise.pending)


def with_hidden_points(reached: float, seen: float, hidden: float) -> str:
    text = f"{_number(reached)} of {in_points(seen)}"
    return f"{text}, and {_number(hidden)} hidden" if hidden else text


def group(message: str) -> str:
    """The first sentence of a message without its numbers: what a class's unnamed slips are counted by.

    A learner may have written some of it: one line of printable text, of LONGEST characters at most.
    """
    printable = "".join(character if character.isprintable() else " " for character in message)
    first = re.split(r"(?<=[.!?])\s", " ".join(printable.split()), maxsplit=1)[0]
    without = NUMBER.sub("…", first)
    return without if len(without) <= LONGEST else without[: LONGEST - 1] + "…"


def in_points(number: float) -> str:
    return "1 point" if number == 1 else f"{_number(number)} points"


def _number(value: float) -> str:
    return f"{value:g}"


def _indented(text: str) -> list[str]:
    return [f"      {line}" for line in text.splitlines()]
