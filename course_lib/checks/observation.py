"""Running an implementation on probes. Everything that touches a learner's code happens here."""

import ast
import contextlib
import inspect
import random
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

import torch

from course_lib.checks.as_installed import as_installed
from course_lib.checks.definitions import is_installed
from course_lib.checks.disabled import COMPILED, disabled
from course_lib.checks.exercise import Implementation, Interface, Probe, Values, is_plain, split_axes
from course_lib.checks.guard import RaisedError, frames_of, is_stub, own_line, watched
from course_lib.checks.inputs import Inputs
from course_lib.checks.instances import EXAMPLE, Builder, Built
from course_lib.checks.made_of import unwrapped
from course_lib.checks.meanings import meaning_of, unusable
from course_lib.checks.own_work import BORROWED, observed, own_work
from course_lib.checks.plain import plain
from course_lib.checks.remembered import nothing_remembered
from course_lib.checks.results import RejectedError, describe
from course_lib.checks.source import NOT_READ, Reading, read
from course_lib.checks.surroundings import as_torch_begins, quiet
from course_lib.checks.timeout import Patience, TimeLimitError, limited

STUB = "Not attempted yet: write your code, and delete the line `raise NotImplementedError()`."
ENDLESS = "Your code did not end within {0:g} seconds. Does every loop in it stop?"
ENDLESS_TOO = "Your code did not end here either, in the little time that is left after an endless loop."
STOPPED_AT = " It was stopped at `{0}`."


@dataclass(frozen=True)
class Failure:
    """Why there are no values. Two are the same if kind and message are the same, even on different lines."""

    kind: str  # "not attempted", "raises" or "type"
    message: str
    line: str = field(default="", compare=False)


@dataclass(frozen=True)
class Outcome:
    """What a probe gave: values, or a failure.

    slips: sentences on numbers that came in the wrong kind of box. built: the modules made on the way.
    """

    values: Values = field(default_factory=dict)
    failure: Failure | None = None
    slips: tuple[str, ...] = field(default=(), compare=False)
    built: tuple[Built, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class Task:
    """All that is needed to observe an answer: probes by name, and no right answer.

    uses: what replaces earlier exercises meanwhile; it calls nothing that the answer may not.
    names: what examples may use besides torch.
    built: the modules that the reference builds, by probe and by example.
    seed: where it is a text, nobody who knows the inputs of one probe knows those of another.
    """

    interface: Interface
    seed: int | str
    probes: Mapping[str, Probe]
    examples: Sequence[str] = ()
    uses: Mapping[str, Implementation] = field(default_factory=dict)
    names: Mapping[str, Any] = field(default_factory=dict)
    built: Mapping[str, Sequence[Built]] = field(default_factory=dict)

    def only(self, probes: Collection[str], examples: Sequence[str] = ()) -> "Task":
        """The same with some of its probes and examples."""
        built = {name: self.built.get(name, ()) for name in (*probes, *examples)}
        chosen = {name: self.probes[name] for name in probes}
        return replace(self, probes=chosen, examples=examples, built=built)

    def run(self, implementation: Implementation, name: str, trusted: bool = False) -> Outcome:
        """The outcome of one probe; the same seed means the same inputs and the same random numbers.

        trusted: its first call is not made again.
        """
        source = f"{self.seed}/{name}"
        inputs = Inputs(sha256(source.encode()).hexdigest() if isinstance(self.seed, str) else source)
        slips: list[str] = []
        guarded = self._guarded(implementation, inputs, name, slips, trusted)

        def call() -> Values:
            # The same answer draws the same numbers each time, and so does the judge's run of a mistake.
            seed = inputs.named("draws").generator.initial_seed()
            torch.default_generator.manual_seed(seed)
            random.seed(seed)
            with contextlib.nullcontext() if trusted else nothing_remembered(implementation):
                values = self.probes[name](guarded, inputs)
            if isinstance(guarded, Builder):
                guarded.ask_what_is_its_own()
            return values

        outcome = _outcome(call, guarded, self.interface.given)
        return replace(outcome, slips=tuple(dict.fromkeys(slips)))

    def run_example(self, implementation: Implementation, text: str, trusted: bool = False) -> Outcome:
        """What the call gives, by ready-made functions too: an example earns no points."""
        slips: list[str] = []
        guarded = self._guarded(implementation, Inputs(EXAMPLE), text, slips, trusted)
        names = {"torch": torch, **self.names, self.interface.name: guarded}

        def call() -> Values:
            torch.default_generator.manual_seed(0)  # for answers that draw numbers, as tests do
            return self.labeled(text, eval(text, names))

        outcome = _outcome(call, guarded, self.interface.given)
        return replace(outcome, slips=tuple(dict.fromkeys(slips)))

    def labeled(self, text: str, result: Any) -> Values:
        """What an example gave: what a call of the answer returns, by the names of the interface."""
        if not _calls(text, self.interface.name):
            return {"result": result}
        returns = self.interface.returns
        labels = [split_axes(label)[0] for label in returns]
        if len(labels) > 1 and isinstance(result, (tuple, list)) and len(result) == len(labels):
            return dict(zip(labels, result, strict=True))
        named = len(labels) == 1 and (is_plain(returns[0]) or isinstance(result, torch.Tensor))
        return {labels[0] if named else "result": result}

    def _guarded(
        self, implementation: Implementation, inputs: Inputs, name: str, slips: list[str], trusted: bool
    ) -> Implementation:
        interface = self.interface
        if interface.builds != "function":
            return Builder(interface, implementation, inputs, self.built.get(name, ()), slips, trusted)
        return watched(
            implementation,
            interface.signature,
            interface.returns,
            repeatable=interface.repeatable and not trusted,
            slips=slips,
        )


def _calls(text: str, name: str) -> bool:
    """Whether the value of an example is what a call of the answer gives, or of an instance of it."""
    node = ast.parse(text, mode="eval").body
    return isinstance(node, ast.Call) and (
        isinstance(node.func, ast.Call) or getattr(node.func, "id", "") == name
    )


@dataclass(frozen=True)
class Observation:
    """All that a judge needs to know of an answer: plain outcomes, no live objects.

    unknown: what it uses that honest answers do without, see `spoken.py` in `grading`.
    """

    parts: dict[str, Outcome]
    examples: dict[str, Outcome]
    reading: Reading = NOT_READ
    unknown: tuple[str, ...] = ()


def observe(task: Task, answer: Implementation, patience: Patience | None = None) -> Observation:
    """What the answer gives. patience: how long it may take, without any as long as it likes."""
    with as_installed():
        return _observed(task, answer, patience or Patience(0))


def _observed(task: Task, answer: Implementation, patience: Patience) -> Observation:
    function = task.interface.builds == "function"
    expected, fits = ("a function", callable) if function else ("a class", inspect.isclass)
    if not fits(answer):
        text = f"`{task.interface.name}` is {describe(answer)}, expected {expected}."
        return refused(task, text)
    if task.interface.ready_made and isinstance(answer, torch.jit.ScriptFunction):  # the grader refuses it
        return refused(task, COMPILED)
    reading = read(answer, {*task.uses, *task.interface.given})
    if reading.borrowed:
        return refused(task, BORROWED.format(reading.borrowed))
    with _standing_in(task.uses, answer):
        timed = Timed(answer, patience)
        with disabled(task.interface.ready_made), observed(task.interface.given):
            parts = {name: timed(task.run, name) for name in task.probes}
        if told := other_defaults(task.interface, answer, reading.code):
            parts = {name: replace(part, slips=(*part.slips, told)) for name, part in parts.items()}
        return Observation(parts, {text: timed(task.run_example, text) for text in task.examples}, reading)


def refused(task: Task, text: str) -> Observation:
    return Observation(dict.fromkeys(task.probes, Outcome(failure=Failure("type", text))), {})


def _same_default(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except Exception:  # a tensor, or an object of the learner's
        return False


def other_defaults(interface: Interface, answer: Implementation, code: str = "") -> str:
    """A sentence on the first argument whose default is not the required one; empty if there is none."""
    forward = getattr(answer, "forward", None) if interface.builds == "module" else None
    for expected, own in ((interface.signature, answer), (interface.method, forward)):
        try:
            got = inspect.signature(own).parameters if own else {}
        except Exception:  # it has none, or one of the learner's that fails
            continue
        for name, parameter in expected.parameters.items():
            default = parameter.default
            if name not in got or default is parameter.empty or _same_default(got[name].default, default):
                continue
            # `pad=None` and then `if pad is None` is another way to write it.
            if got[name].default is not None or not re.search(rf"\b(not {name}|{name} (is|or))\b", code):
                return f"The default of `{name}` must be {default!r}: write `{name}={default!r}`."
    return ""


class Timed:
    """Runs probes of an answer, each for some seconds at most."""

    def __init__(self, answer: Implementation, patience: Patience):
        self.answer, self.patience = answer, patience

    def __call__(self, run: Callable[[Implementation, str], Outcome], name: str) -> Outcome:
        try:
            return limited(self.patience.seconds, lambda: run(self.answer, name))
        except TimeLimitError as error:
            line = _own_line(error)
            text = ENDLESS_TOO if self.patience.lost else ENDLESS.format(self.patience.seconds)
            self.patience.lose()
            return Outcome(failure=Failure("type", text + (STOPPED_AT.format(line) if line else "")))


@contextlib.contextmanager
def _standing_in(uses: Mapping[str, Implementation], answer: Implementation) -> Iterator[None]:
    """Within it, the names of earlier exercises mean their references where the answer was written.

    An answer looks these names up in the globals of its notebook. There its own earlier answers, right or
    wrong, give way to the references and come back at the end; a name that was not there goes again.
    """
    functions = vars(answer).values() if inspect.isclass(answer) else [answer]
    # A class has no globals of its own: those of its author's first method are the notebook's too.
    theirs = (f for f in map(unwrapped, functions) if inspect.isfunction(f) and not is_installed(f))
    notebook = next((f.__globals__ for f in theirs), {})
    before = {name: notebook[name] for name in uses if name in notebook}
    notebook.update(uses)
    try:
        yield
    finally:
        for name in uses:
            del notebook[name]
        notebook.update(before)


def _outcome(call: Callable[[], Values], guarded: Implementation, given: Collection[str]) -> Outcome:
    """Values, or of four kinds of error a failure: only what guard has marked is the learner's own error."""
    try:
        with quiet(), as_installed(), as_torch_begins(), own_work(given):
            values = {name: plain(value, split_axes(name)[0]) for name, value in call().items()}
            return Outcome(values, built=tuple(getattr(guarded, "built", ())))
    except RejectedError as error:
        return Outcome(failure=Failure("type", str(error)))
    except RaisedError as raised:
        return Outcome(failure=Failure("raises", meaning_of(raised.error), _own_line(raised.error)))
    except Exception as error:  # in the probe itself, which computes with what the answer gave
        if is_stub(error):
            return Outcome(failure=Failure("not attempted", STUB))
        return Outcome(failure=Failure("type", unusable(meaning_of(error))))


def _own_line(error: BaseException) -> str:
    """The last line of the learner's own code that the error passed through."""
    return "" if isinstance(error, SyntaxError) else own_line(frames_of(error))
