"""Refuses what runs and was never a text that Python compiled here: bytecode, and what a pickle imports."""

import os
import sys
from types import FrameType
from typing import Any

from course_lib.checks.definitions import WORKSHOP
from course_lib.grading.sandbox.askers import is_library_file, is_of_a_library, says, told_by_a_learner
from course_lib.grading.sandbox.audited_uses import of_path
from course_lib.grading.sandbox.guarded import GUARDED, IMPORTED_FROM, IMPORTING, NAMES, RELOADING
from course_lib.grading.sandbox.heard import BEHIND, Handlers, plain_text
from course_lib.grading.sandbox.kept_modules import KEPT_SETATTR
from course_lib.grading.sandbox.ran import is_watching
from course_lib.grading.sandbox.suspicions import CALLS, MODULES

# What makes code, or reaches past Python.
SETS = "object.__setattr__"
CODE = "__code__", "__defaults__", "__kwdefaults__"
# By each event, the names by which a library's own code asks for it: what it is given it calls by none.
MADE = {
    "code.__new__": ("CodeType", "replace", "code", "__code__"),
    "function.__new__": ("FunctionType", "__code__"),
    "sys.settrace": ("settrace", "setprofile"),
}
HERE = os.path.join(WORKSHOP, "grading", "")  # where pickles of the judge's are read
BELOW = ("torch.autograd.", "torch.jit.", "torch.overrides.", "torch.library.")
PICKLED = (  # by pickle itself, by PyTorch, and between processes
    *("_codecs", "_collections_abc", "__main__", "multiprocessing", "concurrent"),
    *("torch._utils", "torch._tensor", "torch.storage", "torch.utils.data._utils.worker"),
)


def refuse_code() -> Handlers:
    return {
        **dict.fromkeys(("marshal.loads", "marshal.load"), _refuse_bytecode),
        **dict.fromkeys((*MADE, SETS, "ctypes."), _refuse_to_a_learner),
        "sys.setprofile": _refuse_profile,
        "import": _refuse_compiled,
        "pickle.find_class": _refuse_class,
    }


def _refuse_bytecode(*_: Any) -> None:
    """But for that of libraries, which Python imports."""
    asking = sys._getframe(BEHIND)
    path = asking.f_locals.get("bytecode_path") if asking.f_code.co_filename.startswith(IMPORTING) else ""
    if not is_library_file(str(path)):
        raise PermissionError("bytecode is not read while work is graded")


def _refuse_profile(*_: Any) -> None:
    """In an answer: another would end ours, and tell which code a test is run on."""
    if is_watching():
        raise PermissionError("an answer is not profiled while work is graded")


def _refuse_compiled(_: str, given: tuple[Any, ...]) -> None:
    name, file = map(plain_text, given[:2])
    if file and not is_library_file(file):
        raise ImportError(f"{name}: only Python's text is imported while work is graded")


def _refuse_to_a_learner(event: str, given: tuple[Any, ...]) -> None:
    asking = sys._getframe(BEHIND)
    if event == SETS and given[1] not in CODE:
        return
    if asking.f_code is KEPT_SETATTR:  # who has called it asks
        asking = asking.f_back or asking
    if not is_of_a_library(asking.f_code) or not _is_its_own(event, given, asking):
        raise PermissionError(f"there is no {event} while work is graded")


def _is_its_own(event: str, given: tuple[Any, ...], asking: FrameType) -> bool:
    """Whether a library asks of itself, and nobody has told it what."""
    code = asking.f_code
    if event == SETS:
        # What is loaded anew is put into the functions of a learner's file.
        is_reloaded = code.co_filename == RELOADING and not is_of_a_library(given[0].__code__)
        return is_reloaded or says(code, given[1]) or not told_by_a_learner(asking, given[1])
    names = MADE.get(event, ())
    return not names or code.co_filename.startswith(HERE) or any(says(code, name) for name in names)


def _refuse_class(_: str, given: tuple[Any, ...]) -> None:
    """What a pickle imports, and may call, but for those that the judge sends."""
    if sys._getframe(BEHIND).f_code.co_filename.startswith(WORKSHOP):
        return
    module, name = (str(plain_text(one)) for one in given)
    module = IMPORTED_FROM.get(module, module)
    root = module.partition(".")[0]
    is_inner = root.startswith("_") and root in sys.stdlib_module_names and root not in PICKLED
    parts = f"{module}.{name}".split(".")
    is_below = root == "torch" and module not in PICKLED and any(part.startswith("_") for part in parts)
    is_inner |= is_below or f"{module}.".startswith(BELOW) or bool({*parts} & NAMES)
    is_call = module == "builtins" and name in CALLS and name not in GUARDED
    is_known = (
        root in MODULES
        and root not in PICKLED
        and any(flag.tampers for flag in of_path(f"{module}.{name}", True))
    )
    if is_inner or is_call or is_known:
        raise PermissionError(f"{module}.{name} is not unpickled while work is graded")
