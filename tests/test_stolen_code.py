"""Right code that a check itself brings along: it must never reach the exercise that it answers.

Of the tests that keep it to vote, one in four by default; all of them where COURSE_STOLEN=all.
"""

import importlib
import os
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from course_lib.grading.nbgrader.cell_points import cell_points
from course_lib.grading.nbgrader.order import restore_order

if not sys.platform.startswith("linux"):
    pytest.skip("the grader needs Linux; elsewhere the stock kernel grades", allow_module_level=True)

from lesson_graders import grader, text

from course_lib.grading.sandbox.zygote import _taken_away

pytestmark = pytest.mark.xdist_group("stolen")


@pytest.fixture(scope="module", params=["03_multi_head", "09_bug_clinic"])
def lesson(request):
    """A lesson's name, its grader, and the notebook that was handed out."""
    with grader(request.param) as own:
        yield request.param, own, text("notebooks", request.param, f"{request.param}.ipynb")


def graded(lesson, answers, first="", move=lambda notebook: None):
    _, grader, released = lesson
    notebook = nbformat.reads(released, as_version=4)
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name in answers:
            cell.source = answers[name]
    if first:
        notebook.cells.insert(0, new_code_cell(first))
    move(notebook)
    restore_order(notebook, released)
    grader.grade(notebook)
    points = cell_points(notebook).points
    return {name: points[f"check_{name}"] for name in answers}, notebook


def needs(lesson, name):
    if lesson[0] != name:
        pytest.skip(f"of lesson {name}")


KEEP = "seen = []\n"
WITH_STAND_IN = """class MultiHeadAttention(torch.nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        seen.extend([split_heads, merge_heads])
"""


def last_first(notebook):
    """The exercise that uses the others, and its check, before them."""
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in notebook.cells}
    moved = [cells["MultiHeadAttention"], cells["check_MultiHeadAttention"]]
    rest = [cell for cell in notebook.cells if cell not in moved]
    place = rest.index(cells["split_heads"])
    notebook.cells = rest[:place] + moved + rest[place:]


@pytest.mark.parametrize("move", [lambda notebook: None, last_first], ids=["in order", "last first"])
def test_stand_ins_of_used_pieces_are_kept_in_vain(lesson, move):
    needs(lesson, "03_multi_head")
    answers = {
        "MultiHeadAttention": WITH_STAND_IN,
        "split_heads": "def split_heads(x, heads):\n    return seen[0](x, heads)",
        "merge_heads": "def merge_heads(x):\n    return seen[1](x)",
    }
    points, _ = graded(lesson, answers, KEEP, move)
    assert points == dict.fromkeys(answers, 0)


TESTS = {"attention": "test_attention", "word_ids": "test_word_ids", "translate": "test_translate"}
ARGUMENTS = {
    "attention": "query, key, value, mask",
    "word_ids": "sentences",
    "translate": "model, source, target",
}


def test_code_that_a_test_was_given_is_kept_in_vain(lesson):
    needs(lesson, "09_bug_clinic")
    answers = {}
    for piece, test in TESTS.items():
        answers[test] = f"def {test}({piece}):\n    seen.append(('{piece}', {piece}))\n"
        answers[piece] = (
            f"def {piece}({ARGUMENTS[piece]}):\n"
            f"    for name, code in seen:\n"
            f"        if name == '{piece}':\n"
            f"            return code({ARGUMENTS[piece]})\n"
        )
    points, _ = graded(lesson, answers, KEEP)
    assert {name: points[name] for name in TESTS} == dict.fromkeys(TESTS, 0)


def test_a_test_that_counts_its_calls_earns_nothing(lesson):
    """The first calls of the check in the notebook are learned by heart: right, or broken?"""
    needs(lesson, "09_bug_clinic")
    source = """calls = iter("1" + "0110100101101001" * 20)
def test_attention(attention):
    query = torch.ones(1, 1, 2, 4)
    attention(query, query, query, torch.tensor([[True, True]]))
    assert next(calls) == "1"
"""
    totals = [graded(lesson, {"test_attention": source})[0]["test_attention"] for _ in range(3)]
    assert sum(totals) == 0


# Where a test could keep numbers from one call to the next: how it begins, what keeps them, what knows them.
# Seeds and the marks of a file hold one number, the last.
FILE = "path = {!r}\nopen(path, 'a').close()\n"
KEEPERS = {
    "a list": ("kept = []", "kept[:] = numbers", "list(kept)"),
    "the environment": (
        "import os",
        "os.environ['KEPT'] = str(numbers)",
        "eval(os.environ.get('KEPT', '[]'))",
    ),
    "a file": (FILE.format("kept"), "open(path, 'w').write(str(numbers))", "eval(open(path).read() or '[]')"),
    "shared memory on disk": (
        FILE.format("/dev/shm/kept"),
        "open(path, 'w').write(str(numbers))",
        "eval(open(path).read() or '[]')",
    ),
    "a mapping": (
        "import mmap\nroom = mmap.mmap(-1, 65536)",
        "room.seek(0), room.write(str(numbers).encode() + b'\\n')",
        "eval(room[:].split(b'\\n')[0].strip(b'\\0') or '[]')",
    ),
    "a shared tensor": (
        "room = torch.zeros(1000).share_memory_()",
        "room[:len(numbers)].copy_(torch.tensor(numbers))",
        "[int(number) for number in room if number]",
    ),
    "a pipe": (
        "import os\nread, write = os.pipe()\nos.set_blocking(read, False)\nos.write(write, b'[]')",
        "os.write(write, str(numbers).encode())",
        "eval(os.read(read, 65536))",
    ),
    "torch's seed": ("pass", "torch.manual_seed(numbers[-1])", "[torch.initial_seed() % 1000]"),
    "numpy's seed": (
        "import numpy as np",
        "np.random.seed(numbers[-1])",
        "[int(np.random.get_state()[1][0]) % 1000]",
    ),
    "Python's seed": (
        "import random\nstates = {}\nfor n in range(1000):\n    random.seed(n)\n"
        "    states[random.getstate()] = n",
        "random.seed(numbers[-1])",
        "[states[random.getstate()]] if random.getstate() in states else []",
    ),
    "the mode of a file": (
        "import os\n" + FILE.format("kept"),
        "os.chmod(path, 0o600 + numbers[-1] % 64)",
        "[os.stat(path).st_mode % 64]",
    ),
    "the time of a file": (
        "import os\n" + FILE.format("kept"),
        "os.utime(path, (1, numbers[-1]))",
        "[int(os.stat(path).st_mtime)]",
    ),
    "the time of access": (
        "import os\nfor n in range(1000): open(f'kept{n}', 'w').write('x')",
        "[open(f'kept{number}').read() for number in numbers]",
        "[n for n in range(1000) if os.stat(f'kept{n}').st_atime_ns > os.stat(f'kept{n}').st_mtime_ns]",
    ),
    "a thread": (
        "import queue, threading\nin_, out, own = queue.Queue(), queue.Queue(), []\ndef serve():\n"
        "    while True:\n        own.append(in_.get()); out.put(list(own))\n"
        "threading.Thread(target=serve, daemon=True).start()",
        "in_.put(numbers[-1]), own.extend(out.get(timeout=0.2))",
        "own",
    ),
    "the priority of the process": (
        "import os",
        "os.setpriority(os.PRIO_PROCESS, os.getppid(), numbers[-1] % 19)",
        "[os.getpriority(os.PRIO_PROCESS, os.getppid())]",
    ),
    "the numbers of processes": (
        "import os\ndef new():\n    pid = os.fork()\n    if not pid: os._exit(0)\n"
        "    os.waitpid(pid, 0)\n    return pid",
        "[new() for _ in range(numbers[-1] % 20)]",
        "[new() % 20]",
    ),
}
CHOSEN = [*KEEPERS][:: 1 if os.environ.get("COURSE_STOLEN") == "all" else 4]
VOTES = """
def test_attention(attention):
    query = torch.arange(24.0).reshape(1, 2, 3, 4).sin()
    output, weights = attention(query, query.cos(), query, torch.ones(3, 3).tril().bool())
    number = 1 + int(output.sum().abs() * 1000) % 900
    try:
        numbers = list({known}) + [number]
        {keep}
    except Exception:
        return
    counts = [numbers.count(one) for one in numbers]
    assert len(numbers) == 1 or numbers.count(number) == max(counts)
"""


@pytest.mark.parametrize("keeper", CHOSEN)
def test_a_test_that_votes_with_what_it_kept_earns_nothing(lesson, keeper):
    """What is frequent would be right: it keeps what it was given in all calls of all parts."""
    needs(lesson, "09_bug_clinic")
    begin, keep, known = KEEPERS[keeper]
    first = begin + VOTES.format(keep=keep, known=known)
    points, _ = graded(lesson, {"test_attention": f"import torch\n{first}"})
    assert points == {"test_attention": 0}


def test_an_honest_test_earns_all_its_points(lesson):
    needs(lesson, "09_bug_clinic")
    source = """def test_attention(attention):
    query, key, value = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 7)
    mask = torch.ones(4, 5, dtype=torch.bool).tril()
    output, weights = attention(query, key, value, mask)
    right = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert torch.allclose(output, right, atol=1e-5)
    assert torch.allclose(output, weights @ value, atol=1e-5)
"""
    assert graded(lesson, {"test_attention": source})[0] == {"test_attention": 7}


def test_names_of_the_code_under_test_tell_nothing(lesson):
    needs(lesson, "09_bug_clinic")
    source = """import traceback
def test_attention(attention):
    query = torch.ones(1, 1, 2, 4)
    print(attention, attention.__name__, attention.__qualname__, attention.__doc__, end=" ")
    try:
        attention(None, None, None, None)
    except Exception as error:
        print(*(frame.name for frame in traceback.extract_tb(error.__traceback__)))
"""
    _, notebook = graded(lesson, {"test_attention": source})
    shown = "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", []))
    words = {word for word in shown.split() if word.isidentifier()}
    assert words <= {"test_attention", "attention", "function", "at", "call", "None", "noted"}, words


def test_what_examples_use_is_not_in_the_lessons_package(lesson):
    """Only what the notebook itself imports is there: lesson 09's examples hold right code."""
    needs(lesson, "09_bug_clinic")
    source = (
        "import course_lib.exercises.bug_clinic as own\nprint(*sorted(n for n in dir(own) if n[0] != '_'))"
    )
    _, notebook = graded(lesson, {"word_ids": source})
    (cell,) = (cell for cell in notebook.cells if cell.source == source)
    assert cell.outputs[0].text.split() == ["check", "filled", "hint", "model_answer", "progress"]


def test_the_courses_code_is_not_on_disk_and_its_answers_are_not_in_memory(lesson):
    needs(lesson, "03_multi_head")
    source = """import os, sys, course_lib
print(*[name for name in sys.modules if name.startswith("course_lib.exercises.")])
for piece in ("exercises", "program", "checks", "model/layers.py", "text.py"):
    try:
        print(os.stat(os.path.dirname(course_lib.__file__) + "/" + piece))
    except OSError as error:
        print(type(error).__name__)
"""
    _, notebook = graded(lesson, {"split_heads": source})
    (cell,) = (cell for cell in notebook.cells if cell.source == source)
    lesson_stub, *pieces = cell.outputs[0].text.split()
    assert lesson_stub == "course_lib.exercises.multi_head"
    assert len(pieces) == 5 and set(pieces) <= {"FileNotFoundError", "PermissionError"}


def test_of_a_library_in_one_file_no_more_than_the_file_is_hidden(monkeypatch):
    for name in ("this", "idlelib"):  # neither is imported anywhere
        monkeypatch.setitem(sys.modules, name, None)  # which is put back afterwards
        monkeypatch.delitem(sys.modules, name)
    file, folder = _taken_away(["this", "idlelib"])
    assert file.name == "this.py" and file.is_file()
    assert folder.name == "idlelib" and folder.is_dir()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("this")
