"""Refuses learners' code what leads to every object of the process: frames, and the lists of all objects.

Python tells its audit hooks before it gives them, in whatever way it is asked, also by C. It tells of files,
too, before it opens them: a debugger runs the commands in .pdbrc, which are no Python that the audit reads.
"""

import os
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from course_lib.checks.definitions import INSTALLED
from course_lib.grading.sandbox.askers import frame_behind, here, is_library_file, is_of_a_library, says
from course_lib.grading.sandbox.heard import BEHIND, Handlers, plain_text

FRAMES = "tb_frame", "gi_frame", "cr_frame", "ag_frame"
EVENTS = (
    *("sys._getframe", "sys._current_frames", "sys._current_exceptions"),
    *("gc.get_objects", "gc.get_referrers", "gc.get_referents"),
)
COMMANDS = ".pdbrc"
# What asks for whoever has called it, and gives him what it gets: whole libraries, and files of IPython ...
PASSING_ON_ALL = tuple(
    os.path.join(folder, *place)
    for folder in INSTALLED[1:]
    for place in (
        *((library, "") for library in ("_pytest", "debugpy", "executing", "hypothesis")),
        *((library, "") for library in ("pure_eval", "rich", "stack_data", "tblib")),
        *(("IPython", "core", f"{name}.py") for name in ("debugger", "doctb", "tbtools", "ultratb")),
    )
)
# ... and functions of Python's library and IPython.
PASSING_ON = {
    os.path.join(INSTALLED[0], *file.split("/")): frozenset(functions)
    for file, functions in {
        "inspect.py": (
            *("currentframe", "stack", "trace", "getouterframes", "getinnerframes"),
            *("getgeneratorlocals", "getcoroutinelocals", "getasyncgenlocals"),
        ),
        "asyncio/base_tasks.py": ("_task_get_stack",),
        "bdb.py": ("get_stack",),
        "dis.py": ("dis", "distb", "from_traceback"),
        "pdb.py": ("setup", "interaction"),
        "traceback.py": ("walk_stack", "walk_tb"),
        "logging/__init__.py": ("currentframe", "<lambda>"),
    }.items()
} | {
    os.path.join(INSTALLED[1], "IPython", *file.split("/")): frozenset(functions)
    for file, functions in {
        "core/interactiveshell.py": ("get_local_scope",),
        "utils/frame.py": ("extract_vars", "extract_vars_above", "debugx"),
    }.items()
}


def refuse_frames() -> Handlers:
    refused = dict.fromkeys((*FRAMES, *EVENTS), _refuse)
    return {**refused, "open": _refuse_unread, "sys.addaudithook": _refuse_another}


def _refuse(event: str, given: tuple[Any, ...]) -> None:
    if here.is_asking:
        return
    asking = frame_behind(BEHIND)
    name = event.partition(".")[2] if event in EVENTS else given[1]
    has_been_told = not says(asking.f_code, name)
    if has_been_told or not is_of_a_library(_for_whom(asking).f_code):
        raise AttributeError(f"there is no {name!r} while work is graded")


def _refuse_another(event: str, given: tuple[Any, ...]) -> None:
    """It would be called at each step, and no profiler sees it. Python then adds none, and says nothing."""
    code = frame_behind(BEHIND).f_code  # a library calls whatever it is given, too
    if not (is_of_a_library(code) and says(code, "addaudithook")):
        raise PermissionError("nobody else hears of this while work is graded")


def _refuse_unread(_: str, given: tuple[Any, ...]) -> None:
    """In files that nobody reads: where there is no bytecode, Python compiles the text."""
    path = plain_text(given[0])
    path = path.decode(errors="replace") if type(path) is bytes else path
    if type(path) is not str:  # a number, or a thing that would be called if it were asked for its name
        return
    if os.path.basename(path) == COMMANDS or (path.endswith(".pyc") and not is_library_file(path)):
        raise FileNotFoundError(path)


def _for_whom(frame: FrameType) -> FrameType:
    """Who asks for what is passed on, by its name: not who calls whatever he is given, as functools does."""
    passing = None
    while frame.f_back and is_of_a_library(frame.f_code):
        if _passes_on(frame.f_code):
            passing = frame.f_code
        elif passing is None or _means(frame, passing):
            break
        frame = frame.f_back
    return frame


def _means(frame: FrameType, passing: CodeType) -> bool:
    """Whether its code says the name of this function, or its class, and has it from its file."""
    if passing.co_name == "<lambda>":  # which has no name that anybody could say
        return frame.f_code.co_filename == passing.co_filename
    named = [part for part in passing.co_qualname.split(".") if says(frame.f_code, part)]
    return bool(named) and any(_file_of(value) == passing.co_filename for value in frame.f_globals.values())


def _file_of(value: Any) -> str:
    if issubclass(type(value), ModuleType):
        return getattr(value, "__file__", None) or ""
    return value.__code__.co_filename if type(value) is FunctionType else ""


def _passes_on(code: CodeType) -> bool:
    file = code.co_filename
    return file.startswith(PASSING_ON_ALL) or code.co_name in PASSING_ON.get(file, ())
