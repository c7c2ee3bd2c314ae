"""What the audit looks for, as data: modules, names and magics that can deceive, and those that are noted."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Module:
    """told: what code does that uses it. harmless: names in it that nobody asks about; noted: second rank.

    Both may be dotted. imported: names of which the import alone is harmless. A key of MODULES may be a
    single name in a module too.

    tampers: whether all other names in it are of the first rank.
    """

    told: str
    harmless: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()
    tampers: bool = True
    imported: tuple[str, ...] = ()


PROCESSES, NETWORK, THREADS = "starts processes", "opens a network connection", "starts threads"
RUNNERS = (
    *("alembic", "cloudpickle", "code", "codeop", "hypothesis.internal", "jinja2", "mako", "marshal"),
    *("numpy.testing.measure", "numpy.testing.rundocs", "numpy.testing.runstring", "six.exec_"),
    *("timeit.main", "timeit.template", "tornado.template", "typing.ForwardRef"),
    *("yaml.UnsafeLoader", "yaml.unsafe_load"),
)
MODULES = {
    **dict.fromkeys(RUNNERS, Module("runs text as code")),
    "_ctypes": Module("reaches past Python"),
    "__main__": Module("reaches for all names"),
    "_thread": Module(THREADS, noted=("start_new_thread", "get_ident", "allocate_lock")),
    "asyncio": Module(
        "drives the system",
        (
            *("run", "sleep", "gather", "create_task", "wait", "wait_for", "as_completed", "timeout"),
            *("Queue", "Lock", "Event", "Semaphore", "Future", "Task", "ensure_future", "current_task"),
            *("get_event_loop", "get_running_loop", "new_event_loop", "set_event_loop", "TaskGroup"),
            *("TimeoutError", "CancelledError", "iscoroutinefunction", "iscoroutine"),
        ),
        ("create_subprocess_shell", "create_subprocess_exec", "to_thread"),
    ),
    "atexit": Module("acts when the process ends", tampers=False),
    "builtins": Module(
        "reaches for Python's own names",
        (
            *("abs", "all", "any", "dict", "enumerate", "filter", "float", "int", "len", "list", "map"),
            *("max", "min", "pow", "print", "range", "round", "set", "slice", "sorted", "str", "sum"),
            *("tuple", "zip"),
        ),
    ),
    "cProfile": Module("runs text as code", ("Profile", "run", "runctx")),  # the text is read: RUN
    "cffi": Module("reaches past Python"),
    "concurrent": Module(THREADS, tampers=False),
    "ctypes": Module("reaches past Python"),
    "faulthandler": Module("can end the process", tampers=False),
    "dis": Module("reads compiled code", ("dis",)),
    "doctest": Module(  # the text is read: see Cell.texts_that_run
        "runs text as code", ("ELLIPSIS", "NORMALIZE_WHITESPACE"), ("testmod", "run_docstring_examples")
    ),
    "gc": Module(
        "looks for objects in memory",
        ("collect", "enable", "disable", "isenabled", "get_count", "get_stats", "get_threshold"),
    ),
    "distutils": Module("starts processes", ("version",)),
    "http": Module(NETWORK, ("HTTPStatus",), ("client", "cookies", "cookiejar")),
    "importlib": Module(
        "imports by name",
        (
            *("metadata.version", "metadata.metadata", "metadata.distribution", "metadata.distributions"),
            *("metadata.PackageNotFoundError", "metadata.requires", "resources", "util.find_spec"),
            "invalidate_caches",
        ),
        ("reload",),
        imported=("metadata", "util"),
    ),
    "inspect": Module(
        "drives the system",
        (
            *("signature", "getsource", "getdoc", "isfunction", "isclass", "cleandoc", "Parameter", "getmro"),
            *("getmembers", "getfullargspec", "ismethod", "ismodule", "isbuiltin", "Signature", "getfile"),
            *("getsourcelines", "getsourcefile", "getcomments", "isgenerator", "isgeneratorfunction"),
            *("iscoroutinefunction", "isabstract", "isroutine", "getgeneratorstate", "getcoroutinestate"),
            "isdatadescriptor",
        ),
    ),
    "IPython": Module(
        "drives IPython",
        (
            *("display", "__version__", "version_info", "core.display", "lib.display"),
            *("core.pylabtools.figsize", "utils.capture", "utils.io"),
            "get_ipython",  # what is done with it is looked at by itself
        ),
        ("core.debugger.set_trace",),
        imported=("core.interactiveshell.InteractiveShell",),
    ),
    "ipykernel": Module("drives IPython"),
    "jupyter_client": Module("drives IPython"),
    "llvmlite": Module("reaches past Python"),
    "logging.config": Module("imports by name"),
    "logging.currentframe": Module("walks through frames"),
    "mmap": Module("reaches past Python"),
    "mock": Module("patches by name"),
    "multiprocessing": Module(
        PROCESSES,
        noted=(
            *("Process", "Pool", "Queue", "SimpleQueue", "Lock", "RLock", "Event", "Value", "Array", "Pipe"),
            *("Manager", "cpu_count", "get_context", "current_process", "active_children", "pool", "dummy"),
            *("set_start_method", "get_start_method", "set_sharing_strategy", "get_sharing_strategy"),
            *("freeze_support", "Semaphore", "spawn"),
        ),
        imported=("*",),
    ),
    "nbclient": Module("drives IPython"),
    "nbgrader": Module("reaches for the grader"),
    "numba": Module("runs text as code", ("jit", "njit", "prange", "vectorize", "__version__")),
    "numexpr": Module("runs text as code", ("evaluate", "__version__", "set_num_threads")),
    "numpy.ctypeslib": Module("reaches past Python"),
    "numpy.f2py": Module(PROCESSES),
    "os": Module(
        "drives the system",
        (
            *("environ", "path", "getcwd", "chdir", "listdir", "makedirs", "mkdir", "sep", "cpu_count"),
            *("linesep", "name", "getenv", "putenv", "scandir", "stat", "uname", "urandom", "devnull"),
            *("get_terminal_size", "pathsep", "curdir", "pardir", "PathLike", "fspath", "access", "R_OK"),
            *("sysconf", "getloadavg", "statvfs", "getlogin", "getuid", "W_OK", "F_OK"),
        ),
        (
            *("_exit", "abort", "kill", "killpg", "fork", "system", "popen", "remove", "rename", "rmdir"),
            *("unlink", "walk", "setsid", "getppid", "getpid", "sched_getaffinity", "nice", "replace"),
            *("symlink", "chmod"),
        ),
    ),
    "pexpect": Module(PROCESSES),
    "pickle": Module(
        "reads or writes pickles",
        noted=(
            *("load", "loads", "dump", "dumps", "HIGHEST_PROTOCOL", "DEFAULT_PROTOCOL", "Pickler"),
            *("UnpicklingError", "PicklingError", "PickleError"),
        ),
        imported=("*",),
    ),
    "executing": Module("walks through frames"),
    "pkgutil": Module("imports by name"),
    "pure_eval": Module("reads attributes by name"),
    "stack_data": Module("walks through frames"),
    "pytest": Module("patches by name", ("raises", "approx", "warns", "mark", "fixture", "skip", "fail")),
    "profile": Module("runs text as code", ("Profile", "run", "runctx")),
    "ptyprocess": Module(PROCESSES),
    "pydoc": Module("imports by name"),
    "traceback": Module(
        "walks through frames",
        (
            *("print_exc", "format_exc", "print_exception", "format_exception", "format_exception_only"),
            *("print_tb", "format_tb", "print_stack", "format_stack", "extract_tb", "extract_stack"),
            "TracebackException",
        ),
    ),
    "traitlets": Module("imports by name"),
    "types": Module(
        "builds functions or classes",
        (
            *("SimpleNamespace", "MethodType", "MappingProxyType", "ModuleType", "NoneType", "UnionType"),
            *("GenericAlias", "EllipsisType", "GeneratorType", "NotImplementedType", "TracebackType"),
        ),
    ),
    "weakref": Module(
        "looks for objects in memory",
        ("ref", "proxy", "WeakKeyDictionary", "WeakValueDictionary", "WeakSet", "WeakMethod"),
        ("finalize",),
    ),
    "webbrowser": Module(PROCESSES, noted=("open", "open_new", "open_new_tab")),
    "xml.sax.make_parser": Module("imports by name"),
    "zipimport": Module("imports by name"),
    "pdb": Module("opens a debugger", noted=("set_trace", "pm", "post_mortem")),
    "resource": Module("changes the process's limits", tampers=False),
    "runpy": Module("runs a file as code"),
    "shelve": Module("reads or writes pickles", tampers=False),
    "signal": Module("sends or catches signals", tampers=False),
    "site": Module("imports by name", ("getsitepackages", "getusersitepackages")),
    "smtplib": Module(NETWORK, noted=("SMTP", "SMTP_SSL", "SMTPException")),
    "socket": Module(NETWORK, ("gethostname",)),
    "sqlite3": Module("opens a database", tampers=False),
    "subprocess": Module(PROCESSES, tampers=False),
    "sys": Module(
        "drives the system",
        (
            *("stdout", "stderr", "path", "version", "version_info", "maxsize", "float_info", "executable"),
            *("argv", "getsizeof", "platform", "byteorder", "getrecursionlimit", "prefix"),
            *("hexversion", "implementation", "stdin", "int_info", "warnoptions", "getdefaultencoding"),
            *("exc_info", "maxunicode", "stdlib_module_names", "getfilesystemencoding", "intern"),
        ),
        ("exit", "setrecursionlimit", "getrefcount"),
    ),
    "threading": Module(
        THREADS,
        noted=(
            *("Thread", "Lock", "RLock", "Event", "Timer", "Condition", "Semaphore", "BoundedSemaphore"),
            *("Barrier", "local", "current_thread", "active_count", "enumerate", "main_thread", "get_ident"),
        ),
    ),
    "torch.hub": Module("imports by name"),
    "tornado.util.import_object": Module("imports by name"),
    "unittest.mock": Module("patches by name", ("MagicMock", "Mock", "call", "sentinel", "ANY")),
    "urllib": Module(NETWORK, tampers=False),
}
RARE = "uses a rare part of Python's library"  # what is neither here nor in known_modules.py
# As attributes of anything.
NAMES_OF_MODULES = (
    *("sys", "os", "builtins", "importlib", "ctypes", "subprocess", "torch", "inspect", "gc", "traceback"),
    *("weakref", "threading", "pickle", "multiprocessing", "pkgutil", "runpy", "pydoc", "asyncio", "socket"),
)
CALLS = {
    "__build_class__": "builds functions or classes",
    "__import__": "imports by name",
    "compile": "runs text as code",
    "delattr": "deletes attributes by name",
    "eval": "runs text as code",
    "exec": "runs text as code",
    "getattr": "reads attributes by name",
    "globals": "reaches for all names",
    "locals": "reaches for all names",
    "setattr": "sets attributes by name",
    "vars": "reaches for all names",
}
READ_ONLY = ("keys", "items", "values", "get", "copy", "__contains__")  # methods of a dict of names
DUNDERS = (
    *("__globals__", "__closure__", "__code__", "__subclasses__", "__builtins__", "__dict__", "__reduce__"),
    *("__bases__", "__mro__", "__getattribute__", "__self__", "__func__", "__wrapped__", "__loader__"),
    *("f_back", "f_locals", "f_globals", "f_builtins", "tb_frame", "tb_next", "gi_frame", "cr_frame"),
    *("ag_frame", "co_code", "co_consts", "cell_contents", "__traceback__", "__spec__", "__kwdefaults__"),
    *(
        "__defaults__",
        "__base__",
        "__reduce_ex__",
        "__import__",
        "__getstate__",
        "share_memory_",
        "shared_memory",
    ),
    *("gi_code", "cr_code", "ag_code", "f_code", "gr_frame"),
)
SETTERS = ("__setattr__", "__set__")  # a class's methods, that set attributes of whatever
REACHING = (  # methods of whatever, that import, run text, read and set attributes by name or give frames
    *SETTERS,
    *("exec_module", "load_module", "find_class", "load_extension", "enable_load_extension", "get_field"),
    *("vformat", "runctx", "loadTestsFromName", "loadTestsFromNames", "get_stack", "get_code"),
    *("run_ast_nodes", "run_code", "transform_ast", "_convert_"),
)
# In a text: what breakpoint() calls, what YAML builds, and this process's own memory.
REACHING_TEXT = r"PYTHONBREAKPOINT|!!python/|/proc/(?:self|thread-self|\d|$)"
SHOWN_DUNDERS = ("__dict__", "__defaults__", "__kwdefaults__", "__bases__", "__base__", "__mro__")
# Of the second rank in a class that is derived from no other.
OWN_METHODS = ("__eq__", "__float__", "__setstate__")
METHODS = (
    *("__torch_function__", "__torch_dispatch__", "__eq__", "__class__", "__float__"),
    *("__instancecheck__", "__subclasscheck__", "__reduce__", "__reduce_ex__", "__setstate__"),
    *("__array_interface__", "__array_struct__"),  # NumPy reads memory where these say that an array is
)
SETTINGS = (  # what is there to be set
    *("matplotlib.rcParams", "matplotlib.pyplot.rcParams", "torch.backends.", "os.environ", "pandas.options"),
    *("sys.stdout", "sys.stderr", "sys.path", "sys.dont_write_bytecode", "sys.tracebacklimit"),
    *("torch._dynamo.config", "torch._inductor.config", "ssl._create_default_", "wandb."),
    *("np.random", "numpy.random", "warnings.", "logging.", "torch.Tensor.__repr__", "torch.Tensor.__str__"),
    "IPython.core.interactiveshell.InteractiveShell.ast_node_interactivity",
)
HARMLESS_MAGICS = (
    *("matplotlib", "config", "time", "timeit", "pinfo", "pinfo2", "psearch", "who", "whos", "pwd"),
    *("precision", "pylab", "capture", "who_ls", "lsmagic", "quickref", "colors", "pdoc", "pfile", "psource"),
    *("pprint", "automagic", "watermark", "tensorflow_version"),
)
NOTED_MAGICS = (
    *("pip", "conda", "mamba", "uv", "cd", "ls", "env", "set_env", "load_ext", "reload_ext", "autoreload"),
    *("bash", "sh", "sx", "system", "writefile", "file", "html", "HTML", "javascript", "js", "latex"),
    *("markdown", "svg", "SVG", "cat", "mkdir", "cp", "mv", "rm", "prun", "lprun", "memit", "mprun"),
    *("history", "hist", "aimport", "ll", "lf", "la", "lk", "ldir", "lx"),
    *("reset", "reset_selective", "xdel", "xmode", "debug", "pdb", "tensorboard", "autosave", "alias", "tb"),
    *("script", "ruby", "perl", "wandb", "shell", "bigquery", "load", "notebook", "store"),
    # What these run is read when it is compiled.
    *("run", "python", "python3", "macro", "rerun", "recall", "rep", "doctest_mode", "alias_magic"),
    *("save", "pycat", "less", "more", "man", "dirs", "pushd", "popd", "dhist", "unload_ext", "bookmark"),
    *("clear", "rmdir", "ddir", "unalias", "connect_info", "!"),
    *("gui", "pdef", "logstart", "logstop", "logon", "logoff", "logstate", "page", "magic", "rehashx"),
)
TIMERS = ("timeit.timeit", "timeit.repeat", "timeit.Timer", "torch.utils.benchmark.Timer")
# What follows is Python; a file that is written may be imported.
CODE_MAGICS = ("time", "timeit", "capture", "prun", "memit", "lprun", "debug", "writefile", "file")
