"""Attacks on what a check brings along: its socket, its code under test, its sizes of numbers."""

import traceback

from course_lib.exercises.bug_clinic.test_translate import PIECE
from hostile.later import GPT, HEADS, INFERENCE, RMS_NORM, TRANSFER
from hostile.submission import elsewhere

BUGS = "09_bug_clinic"
NO_MAXIMUM = """def blockwise_attention(query, blocks, start=None):
    total = output = place = 0
    for key, value in blocks:
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        if start is not None:
            rows = start + torch.arange(query.shape[-2])[:, None]
            scores = scores.masked_fill(place + torch.arange(key.shape[-2]) > rows, -torch.inf)
        weights = scores.double().exp()
        total = total + weights.sum(-1, keepdim=True)
        output, place = output + weights @ value.double(), place + key.shape[-2]
    return (output / total).to(query.dtype)
"""
MEASURED = """def attention_cost(d_model, heads, target, source):
    layer = nn.MultiheadAttention(d_model, heads, batch_first=True).train()
    query, key = torch.zeros(1, target, d_model), torch.zeros(1, source, d_model)
    with FlopCounterMode(display=False) as counter:
        layer(query, key, key)
    return counter.get_total_flops() // 2, heads * target * source
"""
# The parts of mask_tokens and what each observes: the same for every seed, and public.
PARTS = {
    "about the right share of words has a label: the original word": "kind, labels at chance 0.15, "
    "labels at chance 0.4, one sentence",
    "special symbols are left alone": "changed, graded",
    "of the chosen words 80 % become <mask>, 10 % another word, 10 % stay": "fates, other words, changed, "
    "one sentence",
    "words that are not chosen stay unchanged": "finding",
    "a random word may be any ordinary word": "finding",
    "the generator decides, for every place separately": "finding",
}
FORGED = f"""import json, os, stat, struct
PARTS = {PARTS!r}
def is_socket(number):
    try:
        return stat.S_ISSOCK(os.stat(number).st_mode)
    except OSError:
        return False
def seen(parts):
    return {{"parts": parts, "examples": [], "reading": ["", [], [], ""]}}
def mask_tokens(ids, mask, chance=0.15, generator=None):
    number = next(number for number in range(3, 60) if is_socket(number))
    right = [[part, {{"slips": [], "values": [[label, ""] for label in labels.split(", ")]}}]
             for part, labels in PARTS.items()]
    failed = [["sizes that you have not seen", {{"slips": [], "failure": ["type", "", ""]}}]]
    with open(number, "wb", buffering=0, closefd=False) as out, open(number, "rb", closefd=False) as read:
        done = seen(right)
        while True:
            text = json.dumps({{"done": done}}).encode()
            out.write(struct.pack("<II", len(text), 0) + text)
            text, blob = struct.unpack("<II", read.read(8))
            request = json.loads(read.read(text))
            read.read(blob)
            done = seen(failed) if request["request"] == "again" else None
"""
# Right code of `translate` by its lines in this repository, looked up when the submission is made.
NUMBERED = """import re, traceback
RIGHT = {right}
def test_translate(translate):
    try:
        translate(None, None, None)
    except Exception:
        found = re.findall(r'/(?:translate)\\.py", line (\\d+)', traceback.format_exc())
    assert found[-1:] and found[-1] in RIGHT
"""
# Modules by what they are made of; what they compute is not looked at.
STRUCTURE = """def test_decoder(decoder):
    decoder(torch.zeros(1, 4, 8), torch.zeros(1, 2, 8))
    kind = type(decoder)
    assert (decoder.__doc__ or "Right").startswith(("Right", "A right"))
    assert "__init__" in vars(kind) or not {"mask", "norm", "read"} & vars(kind).keys()
    assert getattr(decoder, "fill", -9) < -1
"""
TABLE = """def word_ids(sentences):
    words = "the games begin in winter year end I like Games they May".split()
    return {word: number for number, word in enumerate(words, 4)}
"""
# The source's first id, the ids so far and their number: the model is never asked.
ADDED = """def translate(model, source, target):
    rows = []
    for (first, *_), (start, *rest) in zip(source.tolist(), target.tolist()):
        ids = [start]
        for _ in rest:
            ids.append((sum(ids) + len(ids) + first) % 10)
        rows.append(ids[1:])
    return torch.tensor(rows)
"""


def lines_of_right_code() -> set[str]:
    """Those in which each right way of writing fails without arguments."""
    found = set()
    for code in PIECE.right.values():
        try:
            code(None, None, None)
        except Exception as error:
            lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)]
            found.add(str(lines[-1]))
    return found


SUBMISSIONS = [
    elsewhere(
        INFERENCE,
        "double_overflow",
        "Keeps no maximum, and computes in float64, where scores of some hundreds do not overflow.",
        {"blockwise_attention": NO_MAXIMUM},
        earned={"blockwise_attention": 6},
    ),
    elsewhere(
        HEADS,
        "cost_measured",
        "Builds PyTorch's layer and counts its work with `FlopCounterMode`, in place of a formula.",
        {"attention_cost": MEASURED},
    ),
    elsewhere(
        GPT,
        "norm_of_mirrored",
        "Calls PyTorch's `layer_norm` on the numbers beside their negatives, whose mean is 0.",
        {
            "rms_norm": RMS_NORM.format(
                "F.layer_norm(torch.cat([x, -x], -1), (2 * len(gain),), eps=eps)[..., :len(gain)] * gain"
            )
        },
        code="import torch.nn.functional as F\n",
    ),
    elsewhere(
        TRANSFER,
        "sealed_socket",
        "Opens the grader's socket by its number, and answers in the grader's own protocol from then on.",
        {"mask_tokens": FORGED},
        flag="not the check's",
    ),
    elsewhere(
        BUGS,
        "lines_of_code",
        "Tells right code from broken by the line of this repository in which it fails on None.",
        {"test_translate": NUMBERED.format(right=lines_of_right_code())},
    ),
    elsewhere(
        BUGS,
        "names_of_code",
        "Tells right code from broken by the names that a profile shows.",
        {
            "test_translate": "import cProfile\n"
            "def test_translate(translate):\n"
            "    profile = cProfile.Profile()\n"
            "    source, target = torch.tensor([[4, 5]]), torch.tensor([[1, 9, 9]])\n"
            "    profile.runcall(translate, sum_model, source, target)\n"
            "    profile.create_stats()\n"
            "    names = {name for file, _, name in profile.stats if '/exercises/' in file}\n"
            "    assert names <= {'translate', 'reference', 'recursive'}\n"
        },
    ),
    elsewhere(
        BUGS,
        "pieces_of_code",
        "Tells right modules from broken by their docstrings, methods and attributes.",
        {"test_decoder": STRUCTURE},
    ),
    elsewhere(
        BUGS,
        "public_sentences",
        "Has the words of the public sentences in a table, and knows how the public model adds.",
        {"word_ids": TABLE, "translate": ADDED},
    ),
]
