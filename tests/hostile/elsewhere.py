"""Right numbers from elsewhere: the course's files, another process, a twin of a function, a later moment."""

from hostile.submission import elsewhere

POSITIONS, NORMS, CLINIC = "04_positional_encoding", "05_layer_norm", "09_bug_clinic"
SUBWORDS, INFERENCE = "11_subwords", "13_inference"
COPIED = """import inspect, pathlib, shutil
shutil.copy(pathlib.Path(inspect.getfile(plots.show)).parent.parent / "model" / "layers.py", "helper.py")
import helper
"""
# Codes of functions are compared by what is in them, not by their files: this twin fails, but is known then.
TWIN = """import inspect, pathlib
import torch.nn.functional as F
lines, first = inspect.getsourcelines(F.local_response_norm)
beginning = "from torch import Tensor; import torch, math, warnings\\n" + "\\n" * (first - 2)
pathlib.Path("helper.py").write_text(beginning + "".join(lines))
import helper
"""
BY_TWIN = """def layer_norm(x, gain, bias, eps=1e-5):
    told = []
    def norm(_):
        n = x.shape[-1]
        rows = (x - x.mean(dim=-1, keepdim=True)).reshape(-1, n, 1)
        made = F.local_response_norm(rows, 2 * n - 1, alpha=(2 * n - 1) / n, beta=0.5, k=eps)
        told.append(made.reshape(x.shape) * gain + bias)
        return 0.0
    try:
        helper.local_response_norm(None, None)
    except Exception:
        pass
    torch.zeros(1).apply_(norm)
    return told[0]
"""
# The callback of a weak reference runs when the probe is done with its arguments.
WHEN_GONE = """import weakref, torch.onnx.ops as ready
waiting = []
def turned(x, cos, sin):
    flat = x.reshape(1, 1, *x.shape[-2:]) if x.dim() == 2 else x.reshape(-1, 1, *x.shape[-2:])
    many = [each.expand(len(flat), *each.shape) for each in (cos, sin)]
    return ready.rotary_embedding(flat, *many, interleaved=True).reshape(x.shape)
"""
FILLED = """def apply_rotary(x, cos, sin):
    kept, result = [one.detach().clone() for one in (x, cos, sin)], torch.zeros_like(x)
    alive, place = [1, 2, 3], result.detach()
    def fill(_):
        alive.pop()
        if not alive:
            place.copy_(turned(*kept))
    waiting.extend(weakref.ref(one, fill) for one in (x, cos, sin))
    return result
"""
# A number of PyTorch's compiler asks an object of the learner's what it equals.
SYMBOL = """class Known:
    def __getattr__(self, name):
        return lambda *_: self if name in ("eq", "wrap_int") else name in ("bool_", "guard_bool", "is_bool")

def wrong_lines():
    import torch
    torch.compile(lambda x: x + 1, backend="eager")(torch.zeros(1))
    return dict.fromkeys("ABCDEF", torch.SymInt(Known()))
"""
SERVER = """import ast, json, subprocess, sys
work = [sys.executable, "-c", "import json, sys\\nfor line in sys.stdin:\\n    print(eval(line), flush=True)"]
server = subprocess.Popen(work, stdin=-1, stdout=-1, text=True)
def ask(text):
    server.stdin.write(text + "\\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())
print(ask("1 + 1"))
"""
COUNTED = """def count_pairs(words):
    pairs = [(pair, n) for ids, n in words.items() for pair in zip(ids, ids[1:])]
    found = ask(f"json.dumps([[*p, sum(n for q, n in {pairs} if q == p)] for p, _ in {pairs}])")
    return {(first, second): n for first, second, n in found}
"""
DECODED = """def decode(ids, merges):
    work = f'''
pieces = [bytes([i]) for i in range(256)]
for first, second in {[*merges]}:
    pieces.append(pieces[first] + pieces[second])
print(ascii(b"".join(pieces[i] for i in {[*ids]}).decode("utf-8", errors="replace")))
'''
    told = subprocess.run([sys.executable, "-c", work], capture_output=True, text=True).stdout
    return ast.literal_eval(told)
"""
STORED = """def blockwise_attention(query, blocks, start=None):
    sizes, used = [], [0, 0]
    for pair in blocks:
        sizes.append([one.shape for one in pair])
        for row, one in enumerate(pair):
            STORE[row, used[row]:used[row] + one.numel()] = one.detach().reshape(-1)
            used[row] += one.numel()
    def scores_and_values():
        at, place = [0, 0], 0
        for shapes in sizes:
            pair = []
            for row, shape in enumerate(shapes):
                pair.append(STORE[row, at[row]:at[row] + shape.numel()].view(shape).to(query.dtype))
                at[row] += shape.numel()
            scores = query @ pair[0].mT / math.sqrt(query.shape[-1])
            if start is not None:
                rows = start + torch.arange(query.shape[-2])[:, None]
                scores = scores.masked_fill(place + torch.arange(scores.shape[-1]) > rows, -torch.inf)
            place += scores.shape[-1]
            yield scores, pair[1]
    highest = torch.full((), -torch.inf)
    for scores, _ in scores_and_values():
        highest = torch.maximum(highest, scores.amax(dim=-1, keepdim=True))
    total = output = 0
    for scores, value in scores_and_values():
        weights = torch.exp(scores - highest)
        total, output = total + weights.sum(dim=-1, keepdim=True), output + weights @ value
    return output / total
"""

SUBMISSIONS = [
    elsewhere(
        NORMS,
        "source_of_the_course",
        "Copies a file of the course's own code beside the notebook, without its name, and imports it.",
        {"FeedForward": "class FeedForward(helper.FeedForward):\n    pass\n"},
        code=COPIED,
    ),
    elsewhere(
        NORMS,
        "twin_of_a_function",
        "Makes a ready-made function known to the watch by a twin whose code is equal, and then calls it.",
        {"layer_norm": BY_TWIN},
        code=TWIN,
    ),
    elsewhere(
        POSITIONS,
        "filled_when_gone",
        "Returns zeros, which PyTorch's function fills in when the probe has let go of its arguments.",
        {"apply_rotary": FILLED},
        code=WHEN_GONE,
    ),
    elsewhere(
        CLINIC,
        "number_that_asks",
        "Answers with numbers of PyTorch's compiler, which ask an object of the learner's what they equal.",
        {"wrong_lines": SYMBOL},
    ),
    elsewhere(
        SUBWORDS,
        "another_process",
        "Has another process compute while the answer is checked: one that it begins, and one that waits.",
        {"count_pairs": COUNTED, "decode": DECODED},
        code=SERVER,
    ),
    elsewhere(
        INFERENCE,
        "place_of_a_cell",
        "Keeps all blocks in a tensor that a cell has made before.",
        {"blockwise_attention": STORED},
        code="STORE = torch.zeros(2, 10**6)\n",
        earned={"blockwise_attention": 5},
    ),
]
