"""What the audit looks for, as data: modules, names and magics that can deceive, and those that are noted."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Module:
    """told: what code does that uses it. harmless: names in it that nobody asks about; noted: second rank.

    Both may be dotted. imported: names of which the import alone is harmless.

    tampers: whether all other names in it are of the first rank.
    """

    told: str
    harmless: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()
    tampers: bool = True
    imported: tuple[str, ...] = ()


PROCESSES, NETWORK, THREADS = "starts processes", "opens a network connection", "starts threads"
MODULES = {
    "_ctypes": Module("reaches past Python"),
    "_thread": Module(THREADS, tampers=False),
    "atexit": Module("acts when the process ends", tampers=False),
    "builtins": Module(
        "reaches for Python's own names",
        (
            *(
                "abs",
                "all",
                "any",
                "dict",
                "enumerate",
                "filter",
                "float",
                "int",
                "len",
                "list",
                "map",
                "max",
            ),
            *(
                "min",
                "pow",
                "print",
                "range",
                "round",
                "set",
                "slice",
                "sorted",
                "str",
                "sum",
                "tuple",
                "zip",
            ),
        ),
    ),
    "cloudpickle": Module("runs text as code"),
    "code": Module("runs text as code"),
    "codeop": Module("runs text as code"),
    "ctypes": Module("reaches past Python"),
    "faulthandler": Module("can end the process", tampers=False),
    "doctest": Module(  # the text is read: see Cell.texts_that_run
        "runs text as code", ("ELLIPSIS", "NORMALIZE_WHITESPACE"), ("testmod",)
    ),
    "gc": Module("looks for objects in memory", ("collect", "enable", "disable", "isenabled", "get_count")),
    "importlib": Module("imports by name", ("metadata", "resources", "util"), ("reload",)),
    "inspect": Module(
        "drives the system",
        (
            *("signature", "getsource", "getdoc", "isfunction", "isclass", "cleandoc", "Parameter", "getmro"),
            *("getmembers", "getfullargspec", "ismethod", "ismodule", "isbuiltin", "Signature", "getfile"),
            *("getsourcelines", "getsourcefile", "getcomments", "isgenerator", "isgeneratorfunction"),
            *("iscoroutinefunction", "isabstract", "isroutine"),
        ),
    ),
    "IPython": Module(
        "drives IPython",
        (
            *(
                "display",
                "__version__",
                "version_info",
                "core.display",
                "lib.display",
                "core.pylabtools.figsize",
            ),
            "get_ipython",  # what is done with it is looked at by itself
        ),
        ("core.debugger.set_trace",),
        imported=("core.interactiveshell.InteractiveShell",),
    ),
    "marshal": Module("runs text as code"),
    "mmap": Module("reaches past Python"),
    "mock": Module("patches by name"),
    "multiprocessing": Module(PROCESSES, tampers=False),
    "nbgrader": Module("reaches for the grader"),
    "os": Module(
        "drives the system",
        (
            *("environ", "path", "getcwd", "chdir", "listdir", "makedirs", "mkdir", "sep", "cpu_count"),
            *("linesep", "name", "getenv", "putenv", "scandir", "stat", "uname", "urandom", "devnull"),
            *("get_terminal_size", "pathsep", "curdir", "pardir"),
        ),
        (
            *("_exit", "abort", "kill", "killpg", "fork", "system", "popen", "remove", "rename", "rmdir"),
            *("unlink", "walk", "setsid", "getppid", "getpid", "sched_getaffinity", "nice", "replace"),
        ),
    ),
    "pickle": Module("reads or writes pickles", tampers=False),
    "pkgutil": Module("imports by name"),
    "pytest": Module("patches by name", ("raises", "approx", "warns", "mark", "fixture", "skip", "fail")),
    "pydoc": Module("imports by name"),
    "traceback": Module(
        "walks through frames",
        (
            *("print_exc", "format_exc", "print_exception", "format_exception", "format_exception_only"),
            *("print_tb", "format_tb", "print_stack", "format_stack", "extract_tb", "extract_stack"),
        ),
    ),
    "traitlets": Module("imports by name"),
    "zipimport": Module("imports by name"),
    "pdb": Module("opens a debugger", tampers=False),
    "resource": Module("changes the process's limits", tampers=False),
    "runpy": Module("runs a file as code"),
    "signal": Module("sends or catches signals", tampers=False),
    "socket": Module(NETWORK),
    "sqlite3": Module("opens a database", tampers=False),
    "subprocess": Module(PROCESSES, tampers=False),
    "sys": Module(
        "drives the system",
        (
            *("stdout", "stderr", "path", "version", "version_info", "maxsize", "float_info", "executable"),
            *("argv", "getsizeof", "platform", "byteorder", "getrecursionlimit", "prefix"),
            *("hexversion", "implementation", "stdin", "int_info", "warnoptions", "getdefaultencoding"),
            *("exc_info", "maxunicode", "stdlib_module_names"),
        ),
        ("exit", "setrecursionlimit", "getrefcount"),
    ),
    "threading": Module(THREADS, tampers=False),
    "urllib": Module(NETWORK, tampers=False),
}
# Where PyTorch keeps finished functions under other names, and switches that what watches it obeys.
BELOW_TORCH = (
    *("torch._C", "torch.ops", "torch.library", "torch.overrides", "torch._refs", "torch._decomp"),
    *(
        "torch._prims",
        "torch.utils._python_dispatch",
        "torch.utils._device",
        "torch._VF",
        "torch._torch_docs",
        "torch.jit._builtins",
        "torch.jit.mobile",
    ),
)
# Those of them that hold the operation itself, written in Python or under a second name.
FINISHED = ("torch._refs", "torch._decomp", "torch._prims", "torch._VF", "torch.jit._builtins")
CALLS = {
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
    *("__defaults__", "__base__", "__reduce_ex__", "__import__", "share_memory_", "shared_memory"),
)
SHOWN_DUNDERS = ("__dict__", "__defaults__", "__kwdefaults__", "__bases__", "__base__", "__mro__")
OWN_METHODS = ("__eq__", "__float__")  # of the second rank in a class that is derived from no other
METHODS = (
    *("__torch_function__", "__torch_dispatch__", "__eq__", "__class__", "__float__"),
    "__instancecheck__",
)
SETTINGS = (  # what is there to be set
    *("matplotlib.rcParams", "matplotlib.pyplot.rcParams", "torch.backends.", "os.environ", "pandas.options"),
    *("sys.stdout", "sys.stderr", "sys.path", "torch._dynamo.config", "torch._inductor.config"),
    *("np.random", "numpy.random", "warnings.", "logging.", "torch.Tensor.__repr__", "torch.Tensor.__str__"),
    "IPython.core.interactiveshell.InteractiveShell.ast_node_interactivity",
)
HARMLESS_MAGICS = (
    *("matplotlib", "config", "time", "timeit", "pinfo", "pinfo2", "psearch", "who", "whos", "pwd"),
    *("precision", "pylab", "capture", "who_ls", "lsmagic", "quickref", "colors", "pdoc", "pfile", "psource"),
)
NOTED_MAGICS = (
    *("pip", "conda", "mamba", "uv", "cd", "ls", "env", "set_env", "load_ext", "reload_ext", "autoreload"),
    *("bash", "sh", "sx", "system", "writefile", "html", "HTML", "javascript", "js", "latex", "markdown"),
    *("svg", "SVG", "cat", "mkdir", "cp", "mv", "rm", "prun", "lprun", "memit", "mprun", "history", "hist"),
    *("reset", "reset_selective", "xdel", "xmode", "debug", "pdb", "tensorboard", "autosave", "alias", "tb"),
    *("script", "ruby", "perl", "wandb", "shell", "bigquery", "load", "notebook", "store"),
)
TIMERS = ("timeit.timeit", "timeit.repeat", "timeit.Timer")  # the text that they are given is code
CODE_MAGICS = ("time", "timeit", "capture", "prun", "memit", "lprun", "debug")  # what follows is Python
