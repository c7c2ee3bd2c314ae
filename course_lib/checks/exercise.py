"""An exercise is data: a reference, accepted variants, mistakes, and parts whose probes tell them apart."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar, overload

from torch import nn

from course_lib.checks.inputs import Inputs

WHOLE = "everything at once"
Implementation = Callable[..., Any]
Values = Mapping[str, Any]
Probe = Callable[[Any, Inputs], Values]
Property = Callable[[Values, Values], str | None]
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


@dataclass(frozen=True)
class Mistake:
    """A wrong implementation.

    sources: the entries of docs/misconceptions.md where it was seen.
    mentions, lacks: what its advice takes for granted. Regular expressions, of which each is found, or none,
      in the source of an answer that the advice is given to. Source is without comments and docstrings, as
      `ast.unparse` writes it.
    """

    key: str
    advice: str
    implementation: Implementation
    sources: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


class Mistakes:
    """What learners write instead of the right answer: a table. NAME_mistakes.py makes it and adds to it:

        mistake = Mistakes()

        @mistake("C2")
        def without_diagonal(size):
            '''A word may see itself: without it the first row sees nothing.'''
            return torch.ones(size, size, dtype=torch.bool).tril(-1)

    The name of the function or class is the key, unique in its table. The docstring is the advice that the
    learner gets. The arguments are its sources in docs/misconceptions.md; without any it is `@mistake`.
    Advice that speaks of a call, a name or an argument says so: `@mistake("C2", mentions="tril")`, and
    what it blames for being absent: `@mistake(lacks="keepdim")` (see Mistake); one or a tuple of several.

    A mistake is called as the reference is. Its results differ from the reference's in some part, and from
    every other mistake's too. Where two explain an answer equally well, the first in the table is named.
    """

    def __init__(self) -> None:
        self.entries: dict[str, Mistake] = {}

    @overload
    def __call__(self, implementation: Decorated, /) -> Decorated: ...

    @overload
    def __call__(
        self, *sources: str, mentions: str | tuple[str, ...] = (), lacks: str | tuple[str, ...] = ()
    ) -> Callable[[Decorated], Decorated]: ...

    def __call__(self, *arguments: Any, **conditions: str | tuple[str, ...]) -> Any:
        if len(arguments) == 1 and callable(arguments[0]):
            return self._add(arguments[0])
        if wrong := [source for source in arguments if not isinstance(source, str)]:
            raise TypeError(f'the sources of a mistake are text, as in @mistake("C1"); got {wrong[0]!r}')
        return lambda implementation: self._add(implementation, arguments, **conditions)

    def __iter__(self) -> Iterator[Mistake]:
        return iter(self.entries.values())

    def _add(
        self,
        implementation: Any,
        sources: tuple[str, ...] = (),
        mentions: str | tuple[str, ...] = (),
        lacks: str | tuple[str, ...] = (),
    ) -> Any:
        key, advice = implementation.__name__, " ".join((implementation.__doc__ or "").split())
        if not advice:
            raise ValueError(f"the mistake {key} has no docstring: it is the advice that a learner gets")
        if key in self.entries:
            raise ValueError(f"two mistakes are named {key}: the name is the key, rename one")
        self.entries[key] = Mistake(key, advice, implementation, sources, _several(mentions), _several(lacks))
        return implementation


def _several(patterns: str | tuple[str, ...]) -> tuple[str, ...]:
    return (patterns,) if isinstance(patterns, str) else patterns


@dataclass(frozen=True)
class Part:
    """Some points of an exercise: all of them where an answer gives what the reference gives, else none.

    probe: calls the implementation it is given, a learner's or the reference, with random `inputs` (see
      `inputs.Inputs`), and returns what came out, labeled: {"weights: batch target source": tensor}. A label
      is a name, for a tensor a colon and its axes. Values are tensors, numbers, strings, or lists, tuples and
      dicts of them. Sizes of axes should all differ, so that a swapped axis shows.
    hidden: runs only while nbgrader grades; such parts are in solutions/LESSON_hidden.py.
    alone: False where code that does nothing may be right, as where a list must not change: the part counts
      only where one that counts alone is right too.
    properties: each says in a sentence what is broken in a wrong answer that no mistake explains (see
      `properties`); the first that applies is shown instead of the first wrong number.
    rtol, atol: how far numbers may be from the reference's.
    """

    name: str
    points: float
    probe: Probe
    hidden: bool = False
    alone: bool = True
    properties: tuple[Property, ...] = ()
    rtol: float = 1e-4
    atol: float = 1e-5


@dataclass(frozen=True)
class Interface:
    """How answers to an exercise are called, which is all that a probe needs to know of the reference.

    builds: "function", "class" or "module". signature: of the function, or of the constructor;
    method: of what calling an instance calls, without self.
    ready_made: what of PyTorch an answer may not call. given: what of the course it may.
    optional_parameters: what an answer's module may lack; is_test: see Exercise.
    """

    name: str
    returns: tuple[str, ...]
    builds: str
    signature: inspect.Signature
    method: inspect.Signature = field(default_factory=inspect.Signature)
    repeatable: bool = True
    ready_made: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    optional_parameters: tuple[str, ...] = ()
    is_test: bool = False


def _undeclared(*args, **kwargs) -> Any:
    raise ValueError("this exercise has no reference: decorate the right implementation with @NAME.reference")


@dataclass
class Exercise:
    """One thing that the learner builds, a function or a class. exercises/LESSON/NAME.py declares it:

        causal_mask = Exercise("causal_mask", 3, ("mask: target source",), hints, examples)

        @causal_mask.reference
        def reference(size): ...  # right: PyTorch's own function, or the plain formula

        @causal_mask.accept("comparing positions")
        def positions(size): ...  # right too, written another way

        @causal_mask.part("no word sees what comes after it", points=1)
        def future(causal_mask, inputs):
            return {"mask: target source": causal_mask(5)}

    NAME_mistakes.py holds what learners get wrong (see Mistakes), and the lesson's __init__.py lists NAME.
    If the reference is a class, a probe gets its `instances.Builder` instead of a function.

    points: of all parts; what the declared parts do not account for is for a hidden one (see Part).
    returns: what a call gives, as ("output: batch target d_v", "weights: batch target source"); a label
      without a colon is no tensor but a plain value. Of a class, what a call of its instances gives.
    hints: a ladder, from a nudge to nearly the answer.
    examples: small calls, smallest first, as Python text; the first that goes wrong is shown. Each mistake
      must show in one of them.
    uses: earlier exercises that this one builds on. While it is checked, their names mean their
      references, so that one mistake costs one part.
    repeatable: False where a call is meant to change something, so that a second one gives another result.
    is_test: whether an answer is a test, run on right and broken code: the grader runs each probe and each
      example in a copy of the process, so that nothing is remembered from one to the next.
    names: what the examples may use besides torch and the exercise.
    given: names of the course's own functions that a cell of the lesson gives, for answers to use.
    ready_made: PyTorch's functions, by name, that do what the exercise asks for: no answer calls them.
    optional_parameters: names of parameters that a module may lack and be built all the same, so that a
      forgotten one costs only the part that asks for it. `instances.zeroed` makes the other parts fair.
    mistakes: of NAME_mistakes.py; the lesson puts them here. package: where `names` are. whole: `at_once`.

    tests/test_checks.py asks for two hints, four accepted variants, five mistakes and a hidden part at least,
    and holds each of them to its promise.
    """

    name: str
    points: float
    returns: tuple[str, ...]
    hints: Sequence[str]
    examples: Sequence[str]
    uses: Sequence["Exercise"] = ()
    repeatable: bool = True
    names: Mapping[str, Any] = field(default_factory=dict)
    given: tuple[str, ...] = ()
    ready_made: tuple[str, ...] = ()
    optional_parameters: tuple[str, ...] = ()
    is_test: bool = False
    parts: list[Part] = field(default_factory=list)
    whole: Part | None = None
    mistakes: Sequence[Mistake] = ()
    package: str = ""
    accepted: dict[str, Implementation] = field(default_factory=dict)
    reference_implementation: Implementation = _undeclared

    def reference(self, implementation: Decorated) -> Decorated:
        """Decorator: the right implementation, PyTorch's own function or the plain formula.

        It gets the exercise's name, because Python's messages quote it where it replaces a learner's piece.
        """
        if getattr(implementation, "__module__", "").startswith("course_lib."):
            implementation.__name__ = implementation.__qualname__ = self.name
        self.reference_implementation = implementation
        return implementation

    def accept(self, variant: str) -> Callable[[Decorated], Decorated]:
        """Decorator: another right implementation, which must get full points."""

        def add(implementation: Decorated) -> Decorated:
            if variant in self.accepted:
                raise ValueError(f"{self.name} has two accepted variants named {variant!r}")
            self.accepted[variant] = implementation
            return implementation

        return add

    def part(self, name: str, *, points: float, **options) -> Callable[[Probe], Probe]:
        """Decorator for the probe of a part; options are the other fields of Part."""

        def add(probe: Probe) -> Probe:
            if any(part.name == name for part in self.parts):
                raise ValueError(f"{self.name} has two parts named {name!r}")
            self.parts.append(Part(name, points, probe, **options))
            return probe

        return add

    def at_once(self, probe: Probe | None = None, **options) -> Any:
        """Decorator for a probe of ordinary calls, in which all is at once that the parts ask for one by one.

        A part is asked where no other one's mistake shows, so what shows where two meet is asked by none. The
        whole has no points, and is judged if all parts are right: it costs the visible one with the fewest.
        options: fields of Part, as in `@softmax.at_once(atol=1e-4)`.
        """
        if probe is None:
            return partial(self.at_once, **options)
        self.whole = Part(WHOLE, 0, probe, **options)
        return probe

    @property
    def asked(self) -> list[Part]:
        """The parts, and the whole where there is one."""
        return [*self.parts, *filter(None, [self.whole])]

    @property
    def interface(self) -> Interface:
        reference = self.reference_implementation
        builds, method = "function", inspect.Signature()
        if inspect.isclass(reference):
            is_module = issubclass(reference, nn.Module)
            builds, name = ("module", "forward") if is_module else ("class", "__call__")
            method = _without_self(inspect.signature(getattr(reference, name, lambda self: None)))
        signature = inspect.signature(reference)
        return Interface(
            self.name,
            self.returns,
            builds,
            signature,
            method,
            self.repeatable,
            self.ready_made,
            self.given,
            self.optional_parameters,
            self.is_test,
        )

    @property
    def pending(self) -> float:
        """Points of hidden parts that are not loaded."""
        return self.points - sum(part.points for part in self.parts)


def _without_self(signature: inspect.Signature) -> inspect.Signature:
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def is_plain(label: str) -> bool:
    """Whether a label of `returns` names a plain value: it has no colon before axes."""
    return ":" not in label


def split_axes(label: str) -> tuple[str, tuple[str, ...]]:
    """("weights", ("batch", "target")) of "weights: batch target"."""
    name, _, axes = label.partition(":")
    return name, tuple(axes.split())
