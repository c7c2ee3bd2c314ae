"""An exercise as data: a reference, mistakes, accepted variants, and parts whose probes tell them apart."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import nn

Implementation = Callable[..., Any]
Values = Mapping[str, Any]
Probe = Callable[[Implementation, Any], Values]
Property = Callable[[Values, Values], str | None]


@dataclass(frozen=True)
class Mistake:
    """A wrong implementation. `sources`: the entries of docs/misconceptions.md where it was seen."""

    key: str
    advice: str
    implementation: Implementation
    sources: tuple[str, ...] = ()


class Mistakes:
    """A table of wrong implementations, as a decorator that adds one: `@mistake`, or `@mistake("C1", "C2")`.

    The name of the function or class is the key, unique in its table; its docstring is the advice; the
    arguments are its sources. Of two that give the same numbers the first is named.
    """

    def __init__(self) -> None:
        self.entries: dict[str, Mistake] = {}

    def __call__(self, *sources: Any) -> Any:
        if len(sources) == 1 and not isinstance(sources[0], str):
            return self._add(sources[0])
        return lambda implementation: self._add(implementation, sources)

    def __iter__(self) -> Iterator[Mistake]:
        return iter(self.entries.values())

    def _add(self, implementation: Implementation, sources: tuple[str, ...] = ()) -> Implementation:
        key, advice = implementation.__name__, " ".join((implementation.__doc__ or "").split())
        if not advice:
            raise ValueError(f"the mistake {key} has no docstring: it is the advice that a learner gets")
        if key in self.entries:
            raise ValueError(f"two mistakes are named {key}: the name is the key, rename one")
        self.entries[key] = Mistake(key, advice, implementation, sources)
        return implementation


@dataclass(frozen=True)
class Part:
    """Some points of an exercise.

    `probe(implementation, inputs)` returns {"weights: batch target source": tensor, ...}: a name, then axes.
    Values are tensors, numbers, strings or lists of them. An answer is right when it gives the reference's.
    `properties(values, expected)` say in a sentence what is broken in a wrong answer that no mistake matches.
    """

    name: str
    points: float
    probe: Probe
    hidden: bool = False
    properties: tuple[Property, ...] = ()
    rtol: float = 1e-4
    atol: float = 1e-5


@dataclass(frozen=True)
class Interface:
    """How answers to an exercise are called, which is all that a probe needs to know of the reference.

    builds: "function", "class" or "module". signature: of the function, or of the constructor;
    method: of what calling an instance calls, without self. ready_made: what an answer may not call.
    """

    name: str
    returns: tuple[str, ...]
    builds: str
    signature: inspect.Signature
    method: inspect.Signature | None = None
    repeatable: bool = True
    ready_made: tuple[str, ...] = ()


@dataclass
class Exercise:
    """One thing that the learner builds. The decorators below declare its parts and accepted variants.

    returns: what a call gives, as ("output: batch target d_v", "weights: batch target source"); a label
      without a colon is no tensor but a plain value. Of a class, what a call of its instances gives.
    points: of all parts; those that the parts at hand do not account for belong to hidden ones.
    hints: a ladder, from a nudge to nearly the answer.
    examples: small calls, smallest first, as Python text; the first that goes wrong is shown.
    uses: earlier exercises that this one builds on. While it is checked their names stand for their
      references, so that one slip costs one part.
    repeatable: False where a call is meant to change something, so that a second one gives another result.
    names: what the examples may use besides torch and the exercise.
    ready_made: PyTorch's functions, by name, that do the whole exercise: an answer calls none of them.
    mistakes: of the module NAME_mistakes beside the exercise; the lesson puts them here.

    The reference may be a class. Probes then get its `instances.Builder` in place of a function.
    """

    name: str
    points: float
    returns: tuple[str, ...]
    hints: Sequence[str]
    examples: Sequence[str]
    uses: Sequence["Exercise"] = ()
    repeatable: bool = True
    names: Mapping[str, Any] = field(default_factory=dict)
    ready_made: tuple[str, ...] = ()
    parts: list[Part] = field(default_factory=list)
    mistakes: Sequence[Mistake] = ()
    accepted: dict[str, Implementation] = field(default_factory=dict)
    reference_implementation: Implementation | None = None

    def reference(self, implementation: Implementation) -> Implementation:
        """Decorator: the right implementation, PyTorch's own function or the plain formula."""
        self.reference_implementation = implementation
        return implementation

    def accept(self, variant: str) -> Callable[[Implementation], Implementation]:
        """Decorator: another right implementation, which must get full points."""

        def add(implementation: Implementation) -> Implementation:
            if variant in self.accepted:
                raise ValueError(f"{self.name} has two accepted variants named {variant!r}")
            self.accepted[variant] = implementation
            return implementation

        return add

    def part(self, name: str, *, points: float, **options) -> Callable[[Probe], Probe]:
        """Decorator for a probe; options are those of Part."""

        def add(probe: Probe) -> Probe:
            if any(part.name == name for part in self.parts):
                raise ValueError(f"{self.name} has two parts named {name!r}")
            self.parts.append(Part(name, points, probe, **options))
            return probe

        return add

    @property
    def interface(self) -> Interface:
        reference = self.reference_implementation
        builds, method = "function", None
        if inspect.isclass(reference):
            builds, name = (
                ("module", "forward") if issubclass(reference, nn.Module) else ("class", "__call__")
            )
            method = _without_self(inspect.signature(getattr(reference, name, lambda self: None)))
        signature = inspect.signature(reference)
        return Interface(self.name, self.returns, builds, signature, method, self.repeatable, self.ready_made)

    @property
    def pending(self) -> float:
        """Points of hidden parts that are not at hand."""
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
