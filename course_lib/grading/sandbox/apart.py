"""Observes each answer outside its notebook: where nothing has run but the statements that it is made of.

What other cells have done to libraries, or left with them, is not there. Each answer has a copy of a process
in which no cell has run.
"""

from collections.abc import Collection

from nbformat import NotebookNode

from course_lib.checks.clock import Clock
from course_lib.grading.sandbox.asking import Asking
from course_lib.grading.sandbox.spoken import TOLD
from course_lib.grading.sandbox.steps import MAX_LOST_STEPS, Apart, Step, StepLostError, code_of
from course_lib.grading.sandbox.taken_out import Pieces, taken_out
from course_lib.grading.sandbox.wire import NAME, Wire

OTHER = "in the notebook it gives other results"
ENDLESS = "it did not end"
UNREAD = Apart(None, "what it is made of cannot be read")


def observed_apart(asking: Asking, notebook: NotebookNode, without: Collection[int]) -> dict[int, Apart]:
    """By the place of its check. without: the places of cells from which nothing is taken."""
    sources, waiting = list[str](), list[tuple[Step, Pieces]]()
    found = dict[int, Apart]()
    for index, check, source in code_of(notebook):
        sources += [source] if index not in without else []
        if check:
            found[index], pieces = UNREAD, taken_out(sources, check.answer)
            waiting += [(Step(index, "apart", check), pieces)] if pieces is not None else []
    clock, lost = Clock(asking.zygote.cpu_seconds), 0
    while waiting and lost <= MAX_LOST_STEPS:
        with asking.zygote.child(asking.limits.output_bytes) as wire:
            try:
                while waiting:
                    step, pieces = waiting.pop(0)
                    found[step.index] = _observed(asking, step, pieces, wire, clock)
            except StepLostError as error:
                found[error.step.index], lost = Apart(None, error.reason), lost + 1
        clock.next_child()
    return found


def _observed(asking: Asking, step: Step, pieces: Pieces, wire: Wire, clock: Clock) -> Apart:
    """Raises StepLostError."""
    case, answer = asking.case(step), step.check.answer if step.check else ""
    request = {"request": "take", "cells": pieces, "answer": answer, "disabled": case.exercise.ready_made}
    reply, blob = asking.ask(step, wire, clock, request, case.whole_task)
    match reply:
        case {"refused": [*words], "failed": str(failed), "lost": bool(lost)}:
            words = [*dict.fromkeys(str(word)[:NAME] for word in words)][:TOLD]
            why = f"it uses {', '.join(words)}" if words else failed[:NAME]
            if "parts" not in reply:
                return Apart(None, why)
            seen = asking.read(step, [*case.visible, *case.hidden], (), reply, blob)
            return Apart(seen, why or OTHER, is_final=lost or case.is_right(seen))
    return Apart(None, ENDLESS)
