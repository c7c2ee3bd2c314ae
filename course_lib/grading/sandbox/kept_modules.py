"""Keeps learners' code from having a library change a module, or a class, for it.

argparse sets names of whatever it is given, and nn.Module.__setstate__ writes into its dict: a function of a
library's in whose place another one stands gets what only libraries get. A cell that does so itself is
flagged, see audit.py. So is one that gives a thing another class, and spells the name: by a name that no
audit has read nobody does so at all.
"""

import builtins
import sys
from types import FrameType, ModuleType
from typing import Any

from course_lib.checks.definitions import WORKSHOP
from course_lib.grading.sandbox.askers import is_library_file, is_of_a_library, says, told_by_a_learner
from course_lib.grading.sandbox.guarded import IMPORTING, NAMES_OF, name_of, packages
from course_lib.grading.sandbox.suspicions import DUNDERS, METHODS

TRUSTED = IMPORTING, WORKSHOP
STREAMS = {"stdin", "stdout", "stderr"}  # which contextlib sets for anybody
SPELLED = {*DUNDERS, *METHODS}
_getattr, _setattr = getattr, setattr


class KeptModule(ModuleType):
    """A module that code of a library changes only by names of its own. What it has is found as ever."""

    def __setattr__(self, name: str, value: Any) -> None:
        _refuse_told(self, name, sys._getframe(1))
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        _refuse_told(self, name, sys._getframe(1))
        super().__delattr__(name)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """A copy, but while it is imported: then `enum` and others write names of its own into it."""
        names = NAMES_OF(self)
        is_imported = _getattr(names.get("__spec__"), "_initializing", False)
        if is_imported or sys._getframe(1).f_code.co_filename.startswith(TRUSTED) or not _is_a_librarys(self):
            return names
        return dict(names)


def keep_modules() -> None:
    """Those of libraries that are loaded, and from now on `setattr` of their classes."""
    for module in list(sys.modules.values()):
        if type(module) is ModuleType and module is not sys.modules["__main__"] and _is_a_librarys(module):
            _setattr(module, "__class__", KeptModule)
    builtins.setattr = _kept_setattr


def _is_a_librarys(module: ModuleType) -> bool:
    names = NAMES_OF(module)
    file = names.get("__file__")
    return is_library_file(file) if type(file) is str else names.get("__name__") in sys.builtin_module_names


def _kept_setattr(thing: Any, name: str, value: Any, /) -> None:
    if isinstance(name, str):
        name = str.__str__(name)  # of a class of the learner's it could change
        if name in SPELLED or issubclass(type(thing), (type, KeptModule)):
            _refuse_told(thing, name, sys._getframe(1))
    _setattr(thing, name, value)


KEPT_SETATTR = _kept_setattr.__code__
_kept_setattr.__name__ = _kept_setattr.__qualname__ = "setattr"
_kept_setattr.__module__ = "builtins"


def _refuse_told(thing: Any, name: str, asking: FrameType) -> None:
    """Raises AttributeError where a library's code has this name from a learner's.

    Of SPELLED a learner's own code has to say it, so that the audit has read it.
    """
    code, name = asking.f_code, str.__str__(name)
    if code.co_filename.startswith(TRUSTED) or says(code, name):
        return
    if is_of_a_library(code):
        is_own = code.co_name == "<module>" or (thing is sys and name in STREAMS)
        is_told = not (is_own or _is_own(thing, code.co_filename)) and told_by_a_learner(asking, name)
    else:
        is_told = name in SPELLED
    if is_told:
        raise AttributeError(f"{name} is not set while work is graded")


def _is_own(thing: Any, asking: str) -> bool:
    """A module or a class that is a learner's, or of the library that asks, known by its folder.

    Python makes new modules of the kind of `sys`, and libraries make classes for others.
    """
    if not issubclass(type(thing), (type, ModuleType)):
        return False
    module = thing
    if issubclass(type(thing), type):
        module = sys.modules.get(str(type.__dict__["__module__"].__get__(thing)))
    if type(module) is not KeptModule or not _is_a_librarys(module):
        return True
    if thing is not module:
        outermost, _, inner = str(type.__dict__["__qualname__"].__get__(thing)).partition(".")
        there = NAMES_OF(module).get(outermost)
        if there is None or (not inner and there is not thing):  # as unittest.mock makes one for each mock
            return True
    return asking.startswith(tuple(packages(name_of(module).partition(".")[0])))
