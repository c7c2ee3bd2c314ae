"""Running an implementation on probes. Everything that touches a learner's code happens here."""

import contextlib
import inspect
import io
import traceback
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from course_lib.checks.exercise import Implementation, Interface, Probe, Values, is_plain, split_axes
from course_lib.checks.guard import RaisedError, RejectedError, describe, is_stub, own_line, watched
from course_lib.checks.inputs import Inputs
from course_lib.checks.instances import Builder, Sizes
from course_lib.checks.timeout import TimeLimitError, time_limit

STUB = "Not attempted yet: write your code, and delete the line `raise NotImplementedError()`."
READY_MADE = "PyTorch's `{}` does this whole exercise. Write it yourself, out of simpler operations."
ENDLESS = "Your code did not end within {:g} seconds: does every loop of it stop?"
STOPPED_AT = " It was stopped at `{}`."
CARET = ". In Python `^` works on bits; a power is `**`."


@dataclass(frozen=True)
class Failure:
    """Why there are no values. Two are the same when kind and message are, wherever they happened."""

    kind: str  # "not attempted", "raises" or "type"
    message: str
    line: str = field(default="", compare=False)


@dataclass(frozen=True)
class Outcome:
    """What a probe gave: values, or a failure. `built`: the sizes of the modules that it made on the way."""

    values: Values = field(default_factory=dict)
    failure: Failure | None = None
    built: tuple[Sizes, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class Task:
    """All that is needed to observe an answer: probes by name, and no right answer.

    uses: what stands for earlier exercises meanwhile. names: what examples may use besides torch.
    sizes: of the modules that the reference builds, by probe and by example.
    """

    interface: Interface
    seed: int
    probes: Mapping[str, Probe]
    examples: Sequence[str] = ()
    uses: Mapping[str, Implementation] = field(default_factory=dict)
    names: Mapping[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, Sequence[Sizes]] = field(default_factory=dict)

    def only(self, probes: Collection[str], examples: Sequence[str] = ()) -> "Task":
        """The same with some of its probes and examples."""
        sizes = {name: self.sizes.get(name, ()) for name in (*probes, *examples)}
        chosen = {name: self.probes[name] for name in probes}
        return replace(self, probes=chosen, examples=examples, sizes=sizes)

    def run(self, implementation: Implementation, name: str, strict: bool = True) -> Outcome:
        """The outcome of one probe; the same seed means the same inputs. strict: ready-made is refused."""
        inputs = Inputs(f"{self.seed}/{name}")
        guarded = self._guarded(implementation, inputs, name)
        return _outcome(lambda: self.probes[name](guarded, inputs), guarded, self._forbidden(strict))

    def run_example(self, implementation: Implementation, text: str, strict: bool = True) -> Outcome:
        guarded = self._guarded(implementation, Inputs("example"), text)
        names = {"torch": torch, **self.names, self.interface.name: guarded}

        def call() -> Values:
            torch.default_generator.manual_seed(0)  # for answers that draw numbers, as tests do
            return self._labeled(eval(text, names))

        return _outcome(call, guarded, self._forbidden(strict))

    def _forbidden(self, strict: bool) -> "ReadyMade":
        return ReadyMade(self.interface.ready_made if strict else ())

    def _labeled(self, result: Any) -> Values:
        returns = self.interface.returns
        labels = [split_axes(label)[0] for label in returns]
        if len(labels) > 1 and isinstance(result, (tuple, list)) and len(result) == len(labels):
            return dict(zip(labels, result, strict=True))
        named = len(labels) == 1 and (is_plain(returns[0]) or isinstance(result, torch.Tensor))
        return {labels[0] if named else "result": result}

    def _guarded(self, implementation: Implementation, inputs: Inputs, name: str) -> Implementation:
        interface = self.interface
        if interface.builds != "function":
            return Builder(interface, implementation, inputs, self.sizes.get(name, ()))
        return watched(
            implementation, interface.signature, interface.returns, repeatable=interface.repeatable
        )


@dataclass(frozen=True)
class Observation:
    """All that a judge needs to know of an answer: plain outcomes, no live objects."""

    parts: dict[str, Outcome]
    examples: dict[str, Outcome]


def observe(task: Task, answer: Implementation, limits: tuple[float, float] = (0, 0)) -> Observation:
    """What the answer gives. limits: seconds for a probe until one has not ended, and then; 0 for none."""
    function = task.interface.builds == "function"
    expected, fits = ("a function", callable) if function else ("a class", inspect.isclass)
    if not fits(answer):
        text = f"`{task.interface.name}` is {describe(answer)}, expected {expected}."
        return Observation(dict.fromkeys(task.probes, Outcome(failure=Failure("type", text))), {})
    with _standing_in(task.uses, answer):
        timed = Timed(answer, *limits)
        parts = {name: timed(task.run, name) for name in task.probes}
        return Observation(parts, {text: timed(task.run_example, text) for text in task.examples})


class Timed:
    """Runs probes of an answer, each for some seconds at most."""

    def __init__(self, answer: Implementation, seconds: float, later: float):
        self.answer, self.seconds, self.later = answer, seconds, later

    def __call__(self, run: Callable[[Implementation, str], Outcome], name: str) -> Outcome:
        try:
            with time_limit(self.seconds):
                return run(self.answer, name)
        except TimeLimitError as error:
            line, text = _own_line(error), ENDLESS.format(self.seconds)
            self.seconds = self.later
            return Outcome(failure=Failure("type", text + (STOPPED_AT.format(line) if line else "")))


@contextlib.contextmanager
def _standing_in(uses: Mapping[str, Implementation], answer: Implementation) -> Iterator[None]:
    """Within it, the names of earlier exercises mean their references where the answer was written.

    An answer looks these names up in the globals of its notebook. There its own earlier answers, right or
    wrong, give way to the references and come back at the end; a name that was not there goes again.
    """
    functions = vars(answer).values() if inspect.isclass(answer) else [answer]
    # A class has no globals of its own: those of its first method are the notebook's too.
    notebook = next((f.__globals__ for f in map(inspect.unwrap, functions) if inspect.isfunction(f)), {})
    own = {name: notebook[name] for name in uses if name in notebook}
    notebook.update({name: _unwatched(used) for name, used in uses.items()})
    try:
        yield
    finally:
        for name in uses:
            del notebook[name]
        notebook.update(own)


class ReadyMade(TorchFunctionMode):
    """Within it, notes which of these functions of PyTorch is called: `used`."""

    def __init__(self, names: Sequence[str]):
        super().__init__()
        self.names, self.used = names, ""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        # torch.special.softmax calls itself special_softmax
        name = getattr(function, "__name__", "").removeprefix("special_")
        self.used = name if name in self.names else self.used
        return function(*args, **(kwargs or {}))


def _outcome(call: Callable[[], Values], guarded: Implementation, forbidden: ReadyMade) -> Outcome:
    """What a call gives, whatever it gives, unless a forbidden function of PyTorch was used on the way."""
    # The mode sees each call of PyTorch and slows it down: most exercises forbid nothing and do without.
    outcome = _attempt(call, guarded, forbidden if forbidden.names else contextlib.nullcontext())
    if forbidden.used:
        return Outcome(failure=Failure("type", READY_MADE.format(forbidden.used)))
    return outcome


def _attempt(
    call: Callable[[], Values], guarded: Implementation, watching: contextlib.AbstractContextManager
) -> Outcome:
    """Values, or of four kinds of error a failure: only what guard has marked is the learner's own error."""
    try:
        with _quiet(), _as_torch_begins(), watching:
            values = {name: _plain(value) for name, value in call().items()}
            return Outcome(values, built=tuple(getattr(guarded, "built", ())))
    except RejectedError as error:
        return Outcome(failure=Failure("type", str(error)))
    except RaisedError as raised:
        return Outcome(failure=Failure("raises", _message(raised.error), _own_line(raised.error)))
    except Exception as error:  # in the probe itself, which computes with what the answer gave
        if is_stub(error):
            return Outcome(failure=Failure("not attempted", STUB))
        return Outcome(failure=Failure("type", f"Your results cannot be used together: {_message(error)}"))


def _unwatched(used: Implementation) -> Implementation:
    """A reference that an answer calls: ReadyMade does not see what it calls, for it may be ready-made."""
    if inspect.isclass(used):  # no exercise that uses a class forbids anything
        return used

    def function(*args, **kwargs):
        with torch._C.DisableTorchFunction():
            return used(*args, **kwargs)

    return function


def _message(error: BaseException) -> str:
    text = f"{type(error).__name__}: {error}".strip(": ")
    return text + CARET if "for ^" in text or "bitwise_xor" in text else text


@contextlib.contextmanager
def _as_torch_begins() -> Iterator[None]:
    """float32 on the CPU with gradients, whatever the session has set; it draws no random numbers of it."""
    dtype, elsewhere = torch.get_default_dtype(), torch.get_default_device().type != "cpu"
    torch.set_default_dtype(torch.float32)
    try:
        place = torch.device("cpu") if elsewhere else contextlib.nullcontext()
        with torch.enable_grad(), torch.random.fork_rng(devices=[]), place:
            yield
    finally:
        torch.set_default_dtype(dtype)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep prints and warnings of an answer out of the notebook: a line on stderr would cost all points."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        with contextlib.redirect_stderr(io.StringIO()):
            yield


def _plain(value: Any) -> Any:
    """The value as plain data, cut off from graphs and from classes that the learner may have written."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) in (list, tuple, set):
        return type(value)(map(_plain, value))
    if type(value) is dict:
        return {_plain(key): _plain(item) for key, item in value.items()}
    raise RejectedError(
        f"A result is {describe(value)}; expected tensors, numbers, strings or lists of them."
    )


def _own_line(error: BaseException) -> str:
    """The last line of the learner's own code that the error passed through."""
    return "" if isinstance(error, SyntaxError) else own_line(traceback.extract_tb(error.__traceback__))
