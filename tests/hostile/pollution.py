"""Sessions that are honest but untidy: nothing of it may cost a point or a flag."""

from hostile.submission import REFERENCES, Submission, full, insert

ALL = {"answers": REFERENCES, "earned": {name: full(name) for name in REFERENCES}, "honest": True}


def untidy(name: str, tries: str, code: str, **more) -> Submission:
    return Submission(name, tries, code, **ALL, **more)


SUBMISSIONS = [
    untidy(
        "warnings_are_errors",
        "Turns all warnings into errors.",
        "import warnings\nwarnings.simplefilter('error')\n",
    ),
    untidy(
        "default_dtype",
        "Sets torch's default dtype to float64.",
        "torch.set_default_dtype(torch.float64)\n",
    ),
    untidy(
        "default_device",
        "Sets torch's default device to `meta`.",
        "torch.set_default_device('meta')\n",
    ),
    untidy(
        "torch_switches",
        "Seeds, forbids gradients, asks for determinism and more threads, prints two digits.",
        """torch.manual_seed(1)
torch.set_grad_enabled(False)
torch.use_deterministic_algorithms(True)
torch.set_num_threads(2)
torch.set_printoptions(precision=2)
torch.autograd.set_detect_anomaly(True)
""",
    ),
    untidy(
        "names_taken",
        "Uses the names of builtins and of the checks for its own numbers.",
        "sum, max, list, dict, len, type, float, id, input = range(9)\nprogress = hint = 0.5\n",
    ),
    untidy(
        "wandering",
        "Changes folder, environment, `sys.path` and the random seeds.",
        """import os, random, sys
import numpy as np
os.chdir("..")
os.environ["CUDA_VISIBLE_DEVICES"] = ""
sys.path.append("/content/drive")
random.seed(0)
np.random.seed(0)
""",
    ),
    untidy(
        "noisy",
        "Logs, warns and prints to stderr, and leaves a progress bar half way.",
        """import logging, sys, warnings
logging.basicConfig(level=logging.DEBUG)
logging.warning("a warning of mine")
warnings.warn("and another")
print("to stderr", file=sys.stderr)
from tqdm.auto import tqdm
bar = tqdm(total=10)
bar.update(3)
""",
    ),
    untidy(
        "everyday_magics",
        "Uses the magics that notebooks are full of, looks things up, and times itself.",
        """%matplotlib inline
%config InlineBackend.figure_format = "retina"
%time torch.ones(9).sum()
torch.softmax?
import inspect
print(inspect.signature(torch.nn.Linear.forward))
""",
    ),
    untidy(
        "own_figures",
        "Draws a figure, awaits something and defines a class of its own.",
        """import asyncio
from matplotlib import pyplot as plt
plt.plot([1, 2, 3])
plt.show()
await asyncio.sleep(0)
class Tensor(torch.Tensor):
    pass
""",
    ),
    untidy(
        "an_error_before",
        "Has a cell that raises, and one that is no Python.",
        "print(undefined)\n",
        spoil=lambda notebook: insert(notebook, "that is all (", "attention_pooling"),
    ),
    Submission(
        "own_tools",
        "Collects garbage, starts a thread, lifts the recursion limit, runs a shell command, uses `eval`.",
        """import gc, subprocess, sys, threading
gc.collect()
thread = threading.Thread(target=print, args=("hello",))
thread.start()
thread.join()
sys.setrecursionlimit(5000)
!echo hello
print(eval("1 + 1"), vars(torch.nn.Linear(1, 1)).keys(), globals()["torch"].__name__)
""",
        **ALL | {"honest": False},  # it may be flagged, and must cost nothing
    ),
    Submission(
        "time_frozen",
        "Replaces `time.time`, `monotonic`, `perf_counter` and `sleep`.",
        "import time\ntime.time = time.monotonic = time.perf_counter = lambda: 0.0\n"
        "time.sleep = lambda seconds: None\n",
        **ALL | {"honest": False},
    ),
]
