"""Tells which functions of learners' code have run: also those that a cell has hung into a library."""

import contextlib
import re
from _lsprof import Profiler
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType

from course_lib.checks.ready_made_names import meant, meant_by
from course_lib.grading.sandbox.askers import is_of_a_library

NAME = re.compile(r"(?<=')\w+(?=' of )|\w+(?=>$)")
WRITTEN_BY_PYTHON = re.compile(r"<string>:.*(__\w+__|<lambda>)$")  # methods of dataclasses, named tuples


_watching: list[Profiler] = []


@dataclass
class Ran:
    """The codes of functions that have run, and the names of those of C that Python's code has called."""

    codes: list[CodeType] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


@contextlib.contextmanager
def functions_run(of_c: bool = False) -> Iterator[Ran]:
    """At the end, those. of_c: whether functions of C are wanted, too, which takes longer.

    The profiler is one of C, and calls nobody; who asks Python for another is refused.
    """
    ran, profiler = Ran(), Profiler()
    profiler.enable(subcalls=False, builtins=of_c)
    _watching.append(profiler)
    try:
        yield ran
    finally:
        _watching.remove(profiler)
        profiler.disable()
        for entry in profiler.getstats():
            if type(entry.code) is CodeType:
                ran.codes.append(entry.code)
            else:  # "<built-in method torch.exp>", "<method 'exp' of 'torch._C.TensorBase' objects>"
                ran.names += NAME.findall(entry.code)[:1]


def is_watching() -> bool:
    return bool(_watching)


def hidden(codes: Iterable[CodeType], known: Container[int] = ()) -> list[str]:
    """The names of those of a learner's that are not known. known: by their ids."""
    return [code.co_qualname for code in codes if id(code) not in known and _is_a_learners(code)]


def ready_made(ran: Ran, forbidden: tuple[str, ...]) -> list[str]:
    """What an exercise forbids and has been called nevertheless: disabled, it would have raised."""
    found = [meant_by(code, forbidden) for code in ran.codes]
    found += [meant(name, forbidden) for name in ran.names]
    return [*dict.fromkeys(filter(None, found))]


def _is_a_learners(code: CodeType) -> bool:
    place = f"{code.co_filename}:{code.co_qualname}"
    return not is_of_a_library(code) and not WRITTEN_BY_PYTHON.match(place)
