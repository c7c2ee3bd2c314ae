"""Finished pieces of PyTorch, called where no mode of PyTorch sees it: they earn nothing, honest code all."""

import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from course_lib.grading.nbgrader.cell_points import cell_points
from course_lib.grading.nbgrader.order import restore_order

if not sys.platform.startswith("linux"):
    pytest.skip("the grader needs Linux; elsewhere the stock kernel grades", allow_module_level=True)

from lesson_graders import grader, text

SOFTMAX = """def softmax(scores):
    powers = (scores - scores.amax(-1, keepdim=True)).exp()
    {}
    return powers / powers.sum(-1, keepdim=True)
"""
HONEST = {
    "alone": "pass",
    "a loader without workers": "list(torch.utils.data.DataLoader([1, 2], num_workers=0))",
    "numpy's matrices": "import numpy as np; np.ones((300, 300)) @ np.ones((300, 300))",
    "a product that may use threads": "torch.ones(300, 300) @ torch.ones(300, 300)",
}
READY = """import torch, os, json, multiprocessing, threading, time
from concurrent.futures import ThreadPoolExecutor
threads = ThreadPoolExecutor(1)
threads.submit(int).result()
compiled = torch.compile(lambda scores: torch.softmax(scores, -1), backend="eager")

def in_fork(scores):
    read, write = os.pipe()
    if os.fork() == 0:
        os.write(write, json.dumps(torch.softmax(scores.detach(), -1).tolist()).encode())
        os._exit(0)
    return torch.tensor(json.loads(os.read(read, 1 << 20)), dtype=scores.dtype)

def in_pool(scores):
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(torch.softmax, (scores, -1))

def in_endless_thread(scores):
    found, ready = [], threading.Event()
    def run():
        found.extend(map(torch.softmax, [scores], [-1]))
        ready.set()
        time.sleep(1000)
    threading.Thread(target=run, daemon=True).start()
    ready.wait()
    return found[0]

class Later(list):
    def __init__(self, scores):
        super().__init__(scores.tolist())
        self.scores = scores
    def __iter__(self):
        return iter(torch.softmax(self.scores, -1))

class Rows(torch.utils.data.Dataset):
    def __init__(self, scores):
        self.scores = scores
    def __len__(self):
        return 1
    def __getitem__(self, place):
        return torch.softmax(self.scores, -1)
"""
SOFT = {
    "a forked process": "in_fork(scores)",
    "a pool of processes": "in_pool(scores)",
    "a worker of a loader": "next(iter(torch.utils.data.DataLoader(Rows(scores), None, num_workers=1)))",
    "a thread that began before": "threads.submit(torch.softmax, scores, -1).result()",
    "a thread that never ends": "in_endless_thread(scores)",
    "a result that is computed when it is read": "Later(scores)",
    "a compiled function": "compiled(scores)",
    "another operation": "torch._masked_softmax(scores, torch.zeros_like(scores).bool(), -1, 2)",
}
MEAN = {
    "torch.masked": "torch.masked.mean(x, 1, mask=real).nan_to_num()",
    "MaskedTensor": "torch.masked.masked_tensor(x, real.contiguous()).mean(1).to_tensor(0)",
}
GRU = "gru_cell(x, state, W.T, U.T, b, torch.zeros_like(b))"
SCRIPT = f"""import sys, torch
@torch.jit.script
def scripted(x, state, W, U, b):
    return torch.{GRU}

def unwatched(call):
    own = sys.getprofile()
    list(map(sys.setprofile, [None]))
    torch.autograd._enable_record_function(False)
    result = call()
    torch.autograd._enable_record_function(True)
    list(map(sys.setprofile, [own]))
    return result
"""
STEPS = {
    "a script": "scripted(x, state, W, U, b)",
    "an operation of many": f"torch.ops.aten.{GRU}",
    "the profiler ended": f"(torch.autograd._disable_profiler_legacy(), torch.ops.aten.{GRU})[1]",
    "the profiler deaf": "(torch.autograd._enable_record_function(False), "
    f"torch.ops.aten.{GRU}, torch.autograd._enable_record_function(True))[1]",
    "the watch changed unseen": "unwatched(lambda: scripted(x, state, W, U, b))",
}
FEED_FORWARD = """class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        whole = nn.TransformerEncoderLayer(d_model, 1, d_ff, dropout=0.0)
        self.linear1, self.linear2 = whole.linear1, whole.linear2
        self.forward = whole._ff_block
"""
CASES = [
    *(("00_start_here", "softmax", SOFTMAX.format(line), label, 8) for label, line in HONEST.items()),
    *(
        ("00_start_here", "softmax", f"def softmax(scores):\n    return {call}\n", label, 0)
        for label, call in SOFT.items()
    ),
    *(
        (
            "00_start_here",
            "masked_mean",
            f"def masked_mean(x, mask):\n    real = mask[:, :, None].expand_as(x)\n    return {call}\n",
            label,
            0,
        )
        for label, call in MEAN.items()
    ),
    *(
        (
            "10_before_attention",
            "gru_cell",
            f"def gru_cell(x, state, W, U, b):\n    return {call}\n",
            label,
            0,
        )
        for label, call in STEPS.items()
    ),
    ("05_layer_norm", "FeedForward", FEED_FORWARD, "a part of a layer", 0),
]
FIRST = {"00_start_here": READY, "10_before_attention": SCRIPT}

pytestmark = pytest.mark.xdist_group("finished")


@pytest.fixture(scope="module")
def lesson(request):
    """The lesson's name, its grader, and the notebook that was handed out."""
    with grader(request.param) as own:
        yield request.param, own, text("notebooks", request.param, f"{request.param}.ipynb")


@pytest.mark.parametrize(
    ("lesson", "name", "answer", "points"),
    [pytest.param(*case[:3], case[4], id=f"{case[1]}-{case[3]}") for case in CASES],
    indirect=["lesson"],
)
def test_only_what_is_ones_own_earns_points(lesson, name, answer, points):
    taught, grader, released = lesson
    notebook = nbformat.reads(released, as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == name:
            cell.source = answer
    notebook.cells.insert(1, new_code_cell(FIRST.get(taught, "")))
    restore_order(notebook, released)
    grader.grade(notebook)
    assert cell_points(notebook).points[f"check_{name}"] == points
