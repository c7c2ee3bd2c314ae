"""What honest answers are made of: public names of Python, NumPy and PyTorch, as data, and by value."""

import argparse
import builtins
import collections.abc
import dataclasses
import datetime
import functools
import importlib.util
import inspect
import io
import logging
import operator
import os
import sys
import threading
import types
import typing
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy.random
import torch

# Their public names, but for modules, which are words only where they stand here themselves.
MODULES = (
    *("torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.nn.utils.rnn"),
    *("torch.nn.parameter", "torch.nn.modules", "torch.linalg", "torch.special", "torch.fft"),
    *("torch.autograd", "torch.optim", "torch.optim.lr_scheduler", "torch.random", "torch.types"),
    *("torch.distributions", "torch.cuda", "torch.mps", "torch.amp"),
    *("torch.backends.mps", "torch.backends.cuda", "torch.backends.cudnn", "torch.accelerator"),
    *("torch.functional", "torch.autograd.functional", "torch.func", "torch.testing"),
    *("torch.utils.data", "torch.compiler", "numpy", "numpy.linalg", "numpy.random"),
    *("numpy.fft", "numpy.typing", "math", "cmath", "random", "itertools", "functools", "operator"),
    *("collections", "collections.abc", "string", "re", "copy", "time", "datetime", "typing", "types"),
    *("dataclasses", "enum", "abc", "heapq", "bisect", "statistics", "fractions", "decimal", "numbers"),
    *("warnings", "logging", "json", "textwrap", "contextlib", "unicodedata", "pprint", "array"),
    *("IPython.display", "typing_extensions", "timeit", "__future__"),
    *("traceback", "numpy.lib.stride_tricks", "numpy.testing", "unittest", "queue"),
)
INSTALLED_OR_NOT = "einops", "tqdm", "tqdm.auto", "jaxtyping"
# What else an answer may read in a module, by its id, whatever that is now.
PLAIN = {
    id(sys): ("maxsize", "float_info", "version_info", "stdout", "stderr", "getsizeof", "intern"),
    id(os): ("cpu_count", "linesep", "sep", "getcwd", "environ", "getenv"),
    id(io): ("StringIO", "BytesIO"),
    id(inspect): ("signature", "Signature", "Parameter"),
}
# Of the classes in these no others: the rest is made of what PyTorch compiles, or leads there.
CLASSES = {
    "torch": (
        *("Tensor", "FloatTensor", "DoubleTensor", "IntTensor", "LongTensor", "BoolTensor", "Size", "dtype"),
        *("device", "Generator", "finfo", "iinfo", "layout", "memory_format", "no_grad", "enable_grad"),
        *("inference_mode", "autocast", "GradScaler"),
    ),
    "unittest": ("TestCase",),
    "torch.utils.data": ("Dataset", "IterableDataset", "TensorDataset", "DataLoader", "Subset", "Sampler"),
    "torch.distributions": ("Categorical", "Normal", "Bernoulli", "Uniform", "Multinomial", "Distribution"),
    "torch.autograd": (
        *("Function", "Variable", "detect_anomaly", "enable_grad", "inference_mode", "no_grad"),
        "set_grad_enabled",
    ),
}
# Into these a cell may put something of its own.
STATEFUL = collections.abc.Mapping, list, set, logging.Filterer, logging.Manager
# What in them runs text, reaches under the checks, or has others look names up, hear or record.
NO_WORDS = {
    "builtins": (
        *("eval", "exec", "compile", "__import__", "globals", "vars", "open", "input", "memoryview"),
        *("delattr", "breakpoint"),
    ),
    "torch": (
        *("compile", "export", "load", "save", "package", "classes", "frombuffer", "from_file"),
        *("set_default_device", "typename", "fork", "wait", "cond", "cpp", "parse_ir", "parse_schema"),
        *("import_ir_module", "import_ir_module_from_buffer", "merge_type_from_type_comment"),
        "set_printoptions",  # an option may be an object that computes where nothing is counted
        # Their scales, or the states, hold numbers that nobody counts.
        *("get_rng_state", "set_rng_state"),
        *("quantize_per_channel", "quantize_per_tensor", "quantize_per_tensor_dynamic"),
        "get_device_module",
    ),
    "torch.random": ("get_rng_state", "set_rng_state"),
    "torch.autograd": ("profiler", "graph", "forward_ad", "gradcheck", "gradgradcheck"),
    "torch.func": ("functionalize", "linearize"),
    "torch.utils.data": (
        *("argument_validation", "functional_datapipe", "runtime_validation", "non_deterministic"),
        *("guaranteed_datapipes_determinism", "runtime_validation_disabled", "get_worker_info"),
    ),
    "torch.compiler": ("compile", "load_cache_artifacts", "save_cache_artifacts", "substitute_in_graph"),
    "torch.cuda": ("CUDAGraph", "graph", "make_graphed_callables", "change_current_allocator"),
    "numpy": (
        *("frombuffer", "fromfile", "fromregex", "loadtxt", "genfromtxt", "load", "save", "memmap", "nditer"),
        *("nested_iters", "frompyfunc", "seterrcall", "geterrcall", "info", "test", "show_config"),
        *("set_printoptions", "printoptions", "savetxt", "savez", "savez_compressed"),
    ),
    "functools": ("singledispatch", "singledispatchmethod"),
    "operator": ("attrgetter", "methodcaller", "call"),
    "types": (
        *("CodeType", "FrameType", "TracebackType", "ModuleType", "CapsuleType", "new_class"),
        *("prepare_class", "resolve_bases", "get_original_bases", "coroutine"),
    ),
    "enum": ("global_enum", "global_enum_repr", "global_flag_repr", "global_str", "property"),
    "typing": ("get_type_hints", "ForwardRef", "sys"),
    "typing_extensions": ("get_type_hints", "evaluate_forward_ref", "get_annotations"),
    "dataclasses": ("make_dataclass",),
    "decimal": ("getcontext", "setcontext", "localcontext"),
    "logging": (
        "LogRecord",
        "makeLogRecord",
        "setLogRecordFactory",
        "setLoggerClass",
        "Formatter",
        "FileHandler",
    ),
    "warnings": ("showwarning", "formatwarning"),
    "timeit": ("timeit", "repeat", "Timer", "main", "template"),
    "numpy.random": ("SeedSequence", "BitGenerator", "test"),
    "unittest": ("main", "findTestCases", "makeSuite", "getTestCaseNames", "addModuleCleanup"),
    "numpy.testing": ("measure", "rundocs", "runstring", "run_threaded", "suppress_warnings", "verbose"),
    "traceback": (
        *("walk_stack", "walk_tb", "extract_stack", "extract_tb", "TracebackException", "StackSummary"),
        *("FrameSummary", "clear_frames"),
    ),
    "IPython.display": (  # most read a file, if they are given its name
        *("set_matplotlib_formats", "Audio", "Code", "DisplayObject", "FileLink", "FileLinks", "GeoJSON"),
        *("HTML", "Image", "JSON", "Javascript", "Latex", "Markdown", "Math", "Pretty", "SVG", "Video"),
        "TextDisplayObject",
    ),
}
NOT_THEIRS = "torch.overrides", "torch._jit_internal"  # of what a module imports for itself
NO_ATTRIBUTES = {
    *("set_", "apply_", "map_", "map2_", "grad_fn", "data_ptr", "storage", "untyped_storage", "ctypes"),
    *("typed_storage", "as_subclass", "share_memory_", "to_mkldnn", "with_traceback", "add_note"),
    *("gi_frame", "gi_code", "gi_yieldfrom", "cr_frame", "cr_code", "ag_frame", "ag_code", "mro"),
    *("register_hook", "register_post_accumulate_grad_hook", "tofile", "dump", "dumps", "setflags"),
    *("format_map", "newbyteorder", "itemset", "set_state", "get_state"),
    *("clone_state", "graphsafe_set_state", "graphsafe_get_state"),
}
# Of these a learner's class may have some of its own.
ORDINARY = {"storage", "dump", "dumps", "tofile", "set_state", "get_state", "add_note", "itemset"}
INNER_NAMES = {
    *("__init__", "__call__", "__len__", "__getitem__", "__setitem__", "__delitem__", "__contains__"),
    *("__iter__", "__next__", "__enter__", "__exit__", "__post_init__", "__name__", "__class__", "__doc__"),
    *("__repr__", "__str__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__"),
    *("__add__", "__sub__", "__mul__", "__truediv__", "__matmul__", "__neg__", "__radd__", "__rmul__"),
    *("__setattr__", "__delattr__", "__new__", "__bool__", "__int__", "__version__", "__file__"),
    "__qualname__",
    *("__module__", "__wrapped__", "__init_subclass__", "__getattr__", "__dict__", "__format__"),
    *("_modules", "_parameters", "_buffers", "_forward_hooks", "_forward_pre_hooks"),
    *("_get_name", "_replace", "_asdict", "_fields", "_make"),
}
CAPSULE: Any = type(vars(datetime)["datetime_CAPI"])  # what C keeps there
# Of objects that have one of these classes, which no module names in public, all that they hold is looked at.
INNER: tuple[Any, ...] = (
    *(type(iter(box)) for box in ([], (), {}, set(), "", "\N{GREEK SMALL LETTER ALPHA}", b"", range(0))),
    *(type(iter(view)) for view in ({}.keys(), {}.values(), {}.items())),
    *(type({}.keys()), type({}.values()), type({}.items()), type(reversed([])), type(iter(int, 1))),
    *(type(vars(collections.abc.Sized)["_abc_impl"]), ModuleType),
    *(torch.autograd.function.BackwardCFunction, type(torch.autograd.Function)),
    torch.nn.modules.linear.NonDynamicallyQuantizableLinear,
    *(type(torch.__version__), CAPSULE, numpy.random.SeedSequence, numpy.random.BitGenerator),
    *(type(functools.lru_cache(len)), type(threading.RLock())),
    *(types.CellType, types.GenericAlias, types.UnionType, type(collections.abc.Callable[[], int])),
    *(type(operator.itemgetter(0)), argparse.Namespace),
    *(inspect.Signature, inspect.Parameter, inspect.BoundArguments, type(inspect.Parameter.VAR_KEYWORD)),
    *(getattr(typing, name) for name in vars(typing) if name.endswith(("GenericAlias", "_SpecialForm"))),
    *(getattr(dataclasses, name) for name in ("_FIELD_BASE", "_DataclassParams", "_MISSING_TYPE")),
    type(vars(collections.namedtuple("Pair", "a"))["a"]),
)


def words() -> tuple[dict[int, Any], frozenset[str]]:
    """By its id each value that is a word, which is kept alive; and the names that an attribute may have."""
    installed = [name for name in INSTALLED_OR_NOT if importlib.util.find_spec(name.partition(".")[0])]
    modules = [builtins, *map(importlib.import_module, (*MODULES, *installed))]
    known: dict[int, Any] = {id(module): module for module in modules}
    names = INNER_NAMES | {name for name in vars(operator) if name in vars(torch.Tensor) or name in vars(int)}
    for name, value in (pair for module in modules for pair in _public(module)):
        if not isinstance(value, ModuleType):
            known[id(value)] = value
        if id(value) in known:
            names.add(name)
    kinds = [*INNER, *(one for one in known.values() if isinstance(one, type))]
    for kind in {base: None for one in kinds for base in one.__mro__}:
        known[id(kind)] = kind
        for name, value in _public_of(kind):
            names.add(name)
            if name not in NO_ATTRIBUTES:
                known[id(value)] = value
    return known, frozenset(names - NO_ATTRIBUTES)


def _public_of(kind: type) -> Iterator[tuple[str, Any]]:
    """With what its objects have, where the class declares that."""
    for name, value in vars(kind).items():
        if not name.startswith("_") or name in INNER_NAMES:
            yield name, value
            if isinstance(value, (classmethod, staticmethod)):
                yield name, value.__func__
    for declared in ("__annotations__", "__constants__"):
        names = vars(kind).get(declared)
        yield from ((name, None) for name in names) if isinstance(names, (dict, list)) else ()


def _public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """By its list, where it has one."""
    there = vars(module)
    listed = there.get("__all__") or [name for name in there if not name.startswith("_")]
    for name in listed:
        if name in there and name not in NO_WORDS.get(module.__name__, ()):
            value = there[name]
            if isinstance(value, STATEFUL):
                continue
            if isinstance(value, type) and name not in CLASSES.get(module.__name__, (name,)):
                continue
            if str(getattr(value, "__module__", "")) not in NOT_THEIRS:
                yield name, value
