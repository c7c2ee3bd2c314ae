"""Modules that honest notebooks use and that reach nothing, and what PyTorch has besides, as data."""

STANDARD = (  # of Python's library; what is neither here nor in suspicions.MODULES is flagged
    *("__future__", "abc", "argparse", "array", "ast", "base64", "binascii", "bisect", "bz2", "calendar"),
    *("cmath", "codecs", "collections", "colorsys", "configparser", "contextlib", "copy", "csv"),
    *("dataclasses", "datetime", "decimal", "difflib", "email", "enum", "errno", "filecmp", "fileinput"),
    *("fnmatch", "fractions", "functools", "genericpath", "getopt", "getpass", "gettext", "glob"),
    *("graphlib", "gzip", "hashlib", "heapq", "hmac", "html", "io", "ipaddress", "itertools", "json"),
    *("keyword", "locale", "logging", "lzma", "math", "mimetypes", "ntpath", "numbers", "operator"),
    *("optparse", "pathlib", "platform", "posixpath", "pprint", "pstats", "queue", "random", "re"),
    *("reprlib", "sched", "secrets", "shlex", "shutil", "ssl", "stat", "statistics", "string", "struct"),
    *(
        "sysconfig",
        "tarfile",
        "tempfile",
        "textwrap",
        "this",
        "time",
        "timeit",
        "token",
        "tokenize",
        "tomllib",
    ),
    *("tracemalloc", "typing", "unicodedata", "unittest", "uuid", "warnings", "wave", "winsound", "xml"),
    *("zipfile", "zlib", "zoneinfo"),
)
# Where PyTorch keeps finished functions under other names, and switches that what watches it obeys. Of its
# modules those are flagged too that TORCH and WHOLE_TORCH do not name.
BELOW_TORCH = (
    *("torch._C", "torch.ops", "torch.library", "torch.overrides", "torch._refs", "torch._decomp"),
    *("torch._prims", "torch._VF", "torch._torch_docs", "torch.jit._builtins", "torch.jit.CompilationUnit"),
    *("functorch.make_fx", "functorch.compile", "functorch.experimental"),
    *("torch.func.linearize", "torch.func.functionalize", "torch.nn.attention.flex_attention"),
)
# Those that hold the operation itself, written in Python or under a second name, or that can record it.
FINISHED = (
    *("torch._refs", "torch._decomp", "torch._prims", "torch._VF", "torch.jit._builtins", "torch.fx"),
    *("torch.export", "torch.ao", "torch.nn.quant", "torch.nn.attention.flex_attention", "functorch"),
    *("torch.func.", "torch.distributions.transforms", "torch._dynamo", "torch.hub"),
)
TORCH = (  # the module alone, without those below it
    *("torch", "torch.nn", "torch.utils", "torch.jit", "torch.func", "torch.testing", "torch.compiler"),
    *("torch.distributions", "torch.distributed", "torch.distributed.optim", "torch.nn.attention"),
    "torch.nn.attention.bias",
)
WHOLE_TORCH = (  # with those below it
    *("torch.accelerator", "torch.amp", "torch.autograd", "torch.backends", "torch.cpu", "torch.cuda"),
    *("torch.distributions.categorical", "torch.distributions.normal", "torch.distributions.bernoulli"),
    *("torch.distributions.uniform", "torch.distributions.multinomial", "torch.distributions.kl"),
    *("torch.distributions.multivariate_normal", "torch.distributions.distribution", "torch.fft"),
    *("torch.functional", "torch.futures", "torch.linalg", "torch.masked", "torch.monitor", "torch.mps"),
    *("torch.multiprocessing", "torch.nested", "torch.nn.common_types", "torch.nn.functional"),
    *("torch.nn.init", "torch.nn.modules", "torch.nn.parallel", "torch.nn.parameter", "torch.nn.utils"),
    *("torch.onnx", "torch.optim", "torch.profiler", "torch.quasirandom", "torch.random"),
    *("torch.return_types", "torch.serialization", "torch.signal", "torch.sparse", "torch.special"),
    *("torch.storage", "torch.torch_version", "torch.types", "torch.utils.benchmark"),
    *("torch.utils.checkpoint", "torch.utils.collect_env", "torch.utils.data", "torch.utils.flop_counter"),
    *("torch.utils.model_zoo", "torch.utils.tensorboard", "torch.version", "torch.xpu"),
    *("torch.__config__", "torch.__future__", "torch.distributed.fsdp", "torch.utils.deterministic"),
)
# Where a cell may ask for any name: what they have besides is kept from it as it runs, see guarded.py.
BY_NAME = {"torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.optim", "torch.linalg"}
BY_NAME |= {"torch.optim.lr_scheduler", "torch.special", "torch.fft", "torch.cuda", "torch.backends"}
BY_NAME |= {"numpy", "numpy.random", "numpy.linalg", "math", "cmath", "random", "statistics", "logging"}
BY_NAME |= {"string", "time", "datetime", "calendar", "collections", "json", "decimal", "itertools"}
BY_NAME |= {"matplotlib.pyplot", "matplotlib.cm", "matplotlib.pyplot.cm", "torch.Tensor"}
# Functions of libraries, and the modules of one, that are named as a module of Python's.
NOT_PYTHONS = ("rich.inspect", "memory_profiler.profile", "line_profiler.profile", "pandas.api.types")
PRIVATE = (  # names with an underscore, and all below them, that honest notebooks use nevertheless
    *("torch._dynamo.config", "torch._dynamo.reset", "torch._inductor.config", "torch._assert"),
    *("torch.optim.lr_scheduler._LRScheduler", "torch.utils.data._utils.collate.default_collate"),
    *("torch.nn.modules.transformer._get_clones", "torch.nn.modules.transformer._get_activation_fn"),
    *("torch.nn.modules.utils._pair", "torch.nn.modules.batchnorm._BatchNorm", "torch.nn.modules.loss._Loss"),
    *("matplotlib.font_manager._rebuild", "matplotlib.font_manager._load_fontmanager"),
    *("ssl._create_unverified_context", "ssl._create_default_https_context"),
    *("tqdm._tqdm_notebook", "tqdm._tqdm", "matplotlib._pylab_helpers.Gcf"),
)
