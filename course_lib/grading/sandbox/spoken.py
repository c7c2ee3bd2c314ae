"""Which words an answer uses that honest ones do not: read in its code, and in all that this can come to.

Whatever the cells of a notebook have built, an answer reaches it by a global, a default, a closure, an
attribute or a box. So what is there is looked at by what it is: it is a public function or class of Python,
NumPy or PyTorch, or made of learners' code, or an object of such a class, or it is unknown.
"""

import contextlib
import gc
import logging
import os
import sys
from collections.abc import Collection, Iterable, Set
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from course_lib.checks.definitions import INSTALLED, WORKSHOP
from course_lib.checks.kinds import Kinds
from course_lib.checks.made_of import variables_of
from course_lib.checks.ready_made_names import meant
from course_lib.grading.sandbox.askers import is_of_a_library
from course_lib.grading.sandbox.chains import Chain, asked
from course_lib.grading.sandbox.followed import (
    attribute,
    is_installed,
    is_of_a_class,
    module_at,
    named,
    names_in,
    order_of,
    written_on,
)
from course_lib.grading.sandbox.guarded import NAMES_OF
from course_lib.grading.sandbox.hiding_places import held_by, hides, left_with_loggers
from course_lib.grading.sandbox.known_words import CAPSULE, NO_ATTRIBUTES, ORDINARY, PLAIN, words
from course_lib.grading.sandbox.suspicions import DUNDERS, NAMES_OF_MODULES, REACHING

MOST = 200_000  # things that are looked at
TOLD = 3  # words that are named
# What stands around learners' functions, or is made for their classes: what it holds is looked at.
OF_PYTHON = "functools", "contextlib", "dataclasses", "enum", "typing", "abc", "collections/__init__"
AROUND = (*(os.path.join(INSTALLED[0], f"{file}.py") for file in OF_PYTHON),)
OF_PYTORCH = ("utils", "_contextlib.py"), ("_dynamo", "eval_frame.py"), ("_compile.py",)
AROUND += tuple(os.path.join(INSTALLED[1], "torch", *place) for place in OF_PYTORCH)
NOTHING = "nothing"  # what PyTorch does before and after what it does not compile
SLOTS = Kinds(GetSetDescriptorType, MemberDescriptorType)
OF_C = Kinds(
    *(GetSetDescriptorType, MemberDescriptorType),
    *(MethodDescriptorType, ClassMethodDescriptorType, WrapperDescriptorType),
)
BUILT_IN = Kinds(BuiltinFunctionType, MethodWrapperType)
BY_NAME = "getattr", "hasattr", "setattr"
UNTRACED = "_C", "addaudithook", "settrace", "setprofile"  # what reaches all, unseen
CALLED = FunctionType, BuiltinFunctionType, type
ATOMS = Kinds(bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented), CodeType)
KNOWN, NAMES = words()


class Spoken:
    """Reads an answer. codes: those of learners' code that it has seen, by id."""

    def __init__(
        self,
        names: Set[str] = NAMES,
        forbidden: tuple[str, ...] = (),
        pieces: Collection[str] = (),
        notebook: dict[str, Any] | None = None,
    ):
        """names: what attributes may be called. forbidden: as in an exercise's `ready_made`.

        pieces: what stands in for the learner's own, by its name in the `notebook`.
        """
        self._names, self._forbidden = names, forbidden
        self._pieces, self._notebook = pieces, notebook
        self.codes: dict[int, CodeType] = {}
        self._found: dict[str, None] = {}
        self._asked: dict[str, None] = {}  # names of attributes, whatever has them
        self._own: set[str] = set()  # those that learners' code gives to something
        self._seen: dict[int, Any] = {}
        self._waiting: list[tuple[Any, str]] = []

    def read(self, answer: Any) -> list[str]:
        """What is unknown, by the names that lead there."""
        self._later([answer], "what is checked")
        return self._all_read()

    def give(self, code: CodeType) -> None:
        """The names that it gives to something, and the classes and functions in it."""
        found = asked(code)
        self._own |= found.given
        for inner in found.inner:
            self._own |= asked(inner).named
            self.give(inner)

    def read_statement(self, code: CodeType, names: dict[str, Any]) -> list[str]:
        """As `read`, of the code of a notebook's statement, before it runs with these names.

        Of those that were read before only the names are kept that they give to something.
        """
        self._found, self._asked, self._seen, self._waiting = {}, {}, {}, []
        self._read(code, FunctionType(code, names), {})
        return self._all_read()

    def _all_read(self) -> list[str]:
        for _ in range(MOST):
            if not self._waiting or len(self._found) > TOLD:
                break
            value, name = self._waiting.pop()
            if id(value) not in self._seen:
                self._seen[id(value)] = value
                self._look_at(value, name)
        else:
            self._tell("more than can be read")
        asked = [name for name in self._asked if name not in self._own or _is_never_own(name)]
        return [*self._found, *asked][:TOLD]

    def _later(self, values: Iterable[Any], name: str) -> None:
        self._waiting += [(value, name) for value in values if type(value) not in ATOMS]

    def _tell(self, name: str) -> None:
        self._found[name] = None

    def _give(self, names: Iterable[Any]) -> None:
        self._own.update(name for name in names if type(name) is str)  # nothing of a learner's own compares

    def _ask(self, name: str) -> None:
        if name not in self._names or name in NO_ATTRIBUTES or meant(name, self._forbidden):
            self._asked[name] = None

    def _look_at(self, value: Any, name: str) -> None:
        kind = type(value)
        if issubclass(kind, ModuleType):  # a word only where it is asked for a name at once
            self._tell(name)
        elif id(value) in KNOWN:
            if isinstance(value, CALLED) and meant(value.__name__, self._forbidden):
                self._tell(name)
        elif kind is FunctionType:
            self._look_at_function(value, name)
        elif issubclass(kind, type):
            self._look_at_class(value, name)
        elif kind in BUILT_IN:
            self._look_at_method(value, name)
        elif kind in OF_C:  # slots are what Python itself makes for a class
            if not (kind in SLOTS and id(value.__objclass__) in self._seen):
                self._tell(name)
        elif hides(value):
            self._tell(name)
        else:
            with contextlib.suppress(AttributeError):
                self._give(object.__getattribute__(value, "__dict__"))
            if isinstance(value, dict):  # of which a class of one's own may make attributes
                self._give(dict.keys(value))
            self._later([kind, *gc.get_referents(value), *held_by(value)], name)

    def _look_at_method(self, value: Any, name: str) -> None:
        """One of C: of a module it would be known, if it were public."""
        holder = value.__self__
        if holder is None or issubclass(type(holder), (ModuleType, CAPSULE)):
            self._tell(name)
        else:
            self._ask(value.__name__ or name)
            self._later([holder], name)

    def _look_at_class(self, kind: type, name: str) -> None:
        there = names_in(kind)
        self._give(there)
        self._later([type(kind), *order_of(kind)], name)
        self._later(there.values(), name)

    def _look_at_function(self, function: FunctionType, name: str) -> None:
        code = function.__code__
        if code.co_filename.startswith(WORKSHOP):  # own_work.py asks for these
            return
        is_inner = "." in code.co_qualname or code.co_qualname == NOTHING
        is_around = code.co_filename.startswith(AROUND) and is_inner
        if is_of_a_library(code) and not is_around:
            self._tell(name)
            return
        for space in (function.__globals__, function.__builtins__):
            if type(space) is not dict:  # it may give each time something else
                self._tell(name)
                return
        given = vars(function)
        self._give(given)
        self._later([*given.values(), *written_on(function)], name)
        is_own, modules = not is_of_a_library(code), dict[str, list[ModuleType]]()
        for variable, value in variables_of(function):
            if issubclass(type(value), ModuleType):
                modules[variable] = [value]
            else:
                self._later([value], variable if is_own else name)
        if is_own:
            self._read(code, function, modules)

    def _read(self, code: CodeType, function: FunctionType, modules: dict[str, list[ModuleType]]) -> None:
        """modules: those that each variable of the function may hold, in whatever order it runs."""
        while self._put_into_variables(code, function, modules):
            pass
        self._read_each(code, function, modules)

    def _put_into_variables(
        self, code: CodeType, function: FunctionType, modules: dict[str, list[ModuleType]]
    ) -> bool:
        """Adds the modules that it, or a function in it, puts into a variable; whether there are new ones."""
        found, is_more = asked(code), False
        for chain in found.chains if not is_of_a_class(code) else ():
            for root in self._roots(chain, function, modules) if chain.stored else ():
                value = module_at(root, chain.attributes)
                held = modules.setdefault(chain.stored, []) if value else []
                if value and all(one is not value for one in held):
                    held.append(value)
                    is_more = True
        inner = [self._put_into_variables(one, function, modules) for one in found.inner]
        return is_more or any(inner)

    def _read_each(
        self, code: CodeType, function: FunctionType, modules: dict[str, list[ModuleType]]
    ) -> None:
        found = asked(code)
        self.codes[id(code)] = code
        self._own |= found.given
        if any(chain.root in BY_NAME for chain in found.chains):
            for name in found.given & NO_ATTRIBUTES:
                self._tell(name)
        rooted = ((one, root) for one in found.chains for root in self._roots(one, function, modules))
        for chain, root in rooted:
            # That of a class has what reads anything; to add to one is no way there.
            if "__dict__" in chain.attributes and not str(chain).endswith("__dict__.update"):
                self._tell("__dict__")
            value = self._follow(chain, root)
            if value is logging.getLogger:
                self._later(left_with_loggers(), str(chain))
            if not issubclass(type(value), ModuleType):
                self._later([value], named(value) or str(chain))
                # A library's function or class is changed for all who use it.
                if chain.is_changed and isinstance(value, CALLED) and id(value) in KNOWN:
                    self._tell(str(chain))
            elif not chain.stored or is_of_a_class(code):  # to something that may ask it for any name
                self._tell(str(chain))
            if modules and str(chain) == "locals":
                self._tell("locals")
        for inner in found.inner:
            self._read_each(inner, function, modules)

    def _roots(self, chain: Chain, function: FunctionType, modules: dict[str, list[ModuleType]]) -> list[Any]:
        """All that it may begin with; None for what nobody knows."""
        name = chain.root
        match chain.kind:
            case "variable":
                return modules.get(name) or [None]
            case "import":
                if name not in sys.modules and is_installed(name.partition(".")[0]):  # and nobody knows it
                    self._tell(name)
                return [sys.modules.get(name)]
            case "global":
                there, stored = function.__globals__, modules.get(name, [])  # by the same statement
                if there is not self._notebook or name not in self._pieces:
                    found = there[name] if name in there else function.__builtins__.get(name)
                    return [*stored, *([] if found is None and stored else [found])]
                return stored or [None]
        return [None]

    def _follow(self, chain: Chain, value: Any) -> Any:
        for name in chain.attributes:
            if not issubclass(type(value), ModuleType):
                self._ask(name)
                self._later([value], str(chain))
                value = attribute(value, name)
                continue
            there, is_plain = NAMES_OF(value), name in PLAIN.get(id(value), ())
            if type(value) is not ModuleType and id(value) not in KNOWN:
                self._later([type(value)], str(chain))
            if name not in there:
                self._ask(name)
                self._later([there.get("__getattr__")], str(chain))
            value = None if is_plain else there.get(name)
        return value


def _is_never_own(name: str) -> bool:
    """Whether it is told also where learners' code gives it to something: nobody sees whom it is asked."""
    is_inner = name.startswith("__") or name in (*DUNDERS, *REACHING, *UNTRACED)
    return is_inner or name in NO_ATTRIBUTES - ORDINARY or name.strip("_") in NAMES_OF_MODULES
