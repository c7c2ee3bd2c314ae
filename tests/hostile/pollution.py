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
        "sum, max, list, dict, len, type, float, id, input = range(9)\nprogress = lesson = hint = None\n",
    ),
    untidy(
        "wandering",
        "Changes folder, environment, `sys.path`, recursion limit and `sys.argv`.",
        """import os, sys
os.chdir("/")
os.environ.clear()
sys.path.clear()
sys.argv[:] = []
sys.setrecursionlimit(400)
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
        "time_frozen",
        "Replaces `time.time`, `monotonic`, `perf_counter` and `sleep`.",
        "import time\ntime.time = time.monotonic = time.perf_counter = lambda: 0.0\n"
        "time.sleep = lambda seconds: None\n",
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
]
