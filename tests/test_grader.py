"""The grader's core: points decided outside the learner's process, whatever happens in it."""

import functools
import json
import os
import re
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from course_lib.authoring.build import lessons
from course_lib.checks.score import MIME
from course_lib.grading.demo_students import CLASS, EXERCISES, LESSON, fill_in
from course_lib.grading.nbgrader.cell_points import FLAGS, cell_points

if not sys.platform.startswith("linux"):
    pytest.skip("the grader needs Linux; elsewhere the stock kernel grades", allow_module_level=True)

from lesson_graders import grader, text

from course_lib.grading.sandbox import isolation
from course_lib.grading.sandbox.asking import Asking
from course_lib.grading.sandbox.client import ZygoteClient
from course_lib.grading.sandbox.isolation import Limits
from course_lib.grading.sandbox.steps import code_of

LESSONS = [path.stem for path in lessons()]


@pytest.fixture(scope="module", autouse=True)
def one_probe():
    """All graders here run on the same machine; tests/test_isolation.py looks at the probe itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolation, "probe", functools.cache(isolation.probe))
        yield


@pytest.fixture(scope="module")
def attention(one_probe):
    with grader(LESSON, limits=Limits(cell_seconds=2, grace_seconds=2, seconds=60, memory=2**30)) as opened:
        yield opened


@functools.cache
def released():
    return text("notebooks", LESSON, f"{LESSON}.ipynb")


def graded(attention, student=CLASS[0], *, first="", after=None, answers=None):
    """Points by exercise, and the notebook; `first` is a cell before all others, `after` {exercise: cell}."""
    notebook = nbformat.reads(released(), as_version=4)
    fill_in(notebook, student)
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name in (answers or {}):
            cell.source = answers[name]
    for name, source in (after or {}).items():
        place = next(
            i for i, c in enumerate(notebook.cells) if c.metadata.get("nbgrader", {}).get("grade_id") == name
        )
        notebook.cells.insert(place + 1, new_code_cell(source))
    if first:
        notebook.cells.insert(0, new_code_cell(first))
    attention.grade(notebook)
    points = cell_points(notebook).points
    return {name: points[f"check_{name}"] for name in EXERCISES}, notebook


FULL = {name: exercise.points for name, exercise in EXERCISES.items()}


@pytest.mark.parametrize("student", CLASS, ids=lambda student: student.name)
def test_the_class_gets_what_it_earned(attention, student):
    points, notebook = graded(attention, student)
    expected = {name: full if name in student.answers else 0 for name, full in FULL.items()}
    assert points == expected | student.points
    assert FLAGS not in notebook.metadata


@pytest.fixture(scope="module", params=LESSONS)
def lesson_grader(request):
    """For two tests: the judge computes its outcomes once."""
    with grader(request.param) as opened:
        yield request.param, opened


@pytest.mark.xdist_group("graders")
def test_every_solution_gets_full_points(lesson_grader):
    lesson, opened = lesson_grader
    notebook = nbformat.reads(text("solutions", lesson, f"{lesson}.ipynb"), as_version=4)
    opened.grade(notebook)
    for cell in notebook.cells:
        keys = cell.metadata.get("nbgrader", {})
        if keys.get("grade") and cell.cell_type == "code":
            (output,) = cell.outputs
            assert float(output.data["text/plain"]) == keys["points"], output.data["text/html"]
            assert len(output.data[MIME]["seed"]) == 16  # and not the public one, which is a number
    assert FLAGS not in notebook.metadata


@pytest.mark.xdist_group("graders")
def test_what_a_learners_process_is_sent_holds_no_answer(lesson_grader):
    for name, case in lesson_grader[1].judge.cases.items():
        reference = case.exercise.reference_implementation
        functions = vars(reference).values() if isinstance(reference, type) else [reference]
        codes = [f.__code__.co_code for f in functions if hasattr(f, "__code__")]
        sent = case.visible_task + case.examples_task + case.hidden_task
        assert not any(code in sent for code in codes if len(code) > 40), name


LOSSES = {
    "ends": ("import os\nos._exit(0)", "ended the process (exit code 0)"),
    "swallows interrupts": (
        "import time\nwhile True:\n    try:\n        time.sleep(9)\n    except BaseException: pass",
        "did not end, not even when it was interrupted",
    ),
    "floods": ("while True: print('x' * 10**6)", "shows more than can be kept"),
}


@pytest.mark.parametrize(("source", "reason"), LOSSES.values(), ids=LOSSES)
def test_a_cell_that_ends_the_process_costs_itself(attention, source, reason):
    points, notebook = graded(attention, after={"additive_attention": source})
    assert points == FULL
    assert any(reason in flag for flag in notebook.metadata[FLAGS])


def test_what_probes_import_is_there_before_a_child_is_forked(attention):
    """Of the answers only a stub for its lesson is there."""
    source = """import sys
found = [name for name in sys.modules if name.startswith("course_lib.exercises")]
print("course_lib.plots" in sys.modules, *found)"""
    _, notebook = graded(attention, first=source)
    assert notebook.cells[0].outputs[0].text == "True course_lib.exercises course_lib.exercises.attention\n"


def test_frames_are_not_looked_up_by_a_name_that_is_put_together(attention):
    source = """from operator import attrgetter
class Own:
    x = 1
    def f(self): pass
found = [name for name in dir(KeyError()) if name[2:5] == "tra"]
def look(thing, name): return getattr(thing, name, "nothing")
print(look(KeyError(), found[0]), attrgetter(found[0])(KeyError()))
print([name for name in vars(BaseException) if name[2:5] == "tra"], sorted(vars(Own))[-2:])
print(look(Own(), "x"), attrgetter("x")(Own()), vars(Own()), look(str, "upper")("a"))
print(getattr(Own, "__dict__")["x"], "x" in look(Own, "__dict__"))
def local(a): return vars()
print(local(3))"""
    points, notebook = graded(attention, first=source)
    assert notebook.cells[0].outputs[0].text.splitlines() == [
        "nothing None",
        "[] ['f', 'x']",
        "1 1 {} A",
        "1 True",
        "{'a': 3}",
    ]
    assert points == FULL


def test_a_module_gives_its_functions_by_name_but_no_way_below_them(attention):
    source = """import numpy, torch
def look(thing, name): return getattr(thing, name)
print(*[look(torch, name) is not None for name in ("relu", "Tensor", "__version__", "float32")])
print(*[look(torch, name) for name in ("_C", "sys", "hub", "ops", "nn", "testing", "compile", "load")])
print(look(numpy, "ctypeslib"), look(numpy, "mean")([1, 3]), getattr(torch, "_" + "C", 3))
import logging, random
print(look(random, "_os"), look(torch.multiprocessing, "sys"), look(logging, "sys"), look(logging, "INFO"))"""
    points, notebook = graded(attention, first=source)
    assert notebook.cells[0].outputs[0].text.splitlines() == [
        "True True True True",
        "None None None None None None None None",
        "None 2.0 3",
        "None None None 20",
    ]
    assert points == FULL and not notebook.metadata.get("course_flags")


def test_a_library_reads_no_table_of_modules_for_a_learner_and_gives_no_real_getter(attention):
    source = """import contextlib, inspect
reader = contextlib.redirect_stdout(None)
reader._stream, reader._old_targets = "modules", []
try: reader.__enter__()
except AttributeError as error: print(error)
print([type(one).__name__ for one in reader._old_targets])
print(inspect.attrgetter("__co" + "de__")(lambda: 0))"""
    points, notebook = graded(attention, first=source)
    *_, read, got = notebook.cells[0].outputs[0].text.splitlines()
    assert (read, got) == ("['NoneType']", "None")
    assert points == FULL


def test_what_is_compiled_in_python_works_where_getattr_is_guarded(attention):
    source = """import torch
layer = torch.nn.LayerNorm(2)
@torch.compile(backend="eager")
def twice(x): return 2 * getattr(layer(torch.relu(x)) * 0 + x, "data")
from torch.utils.checkpoint import checkpoint
x = torch.ones(2, requires_grad=True)
print(twice(torch.ones(2)).tolist(), torch.func.grad(torch.sum)(x).tolist())
print(checkpoint(torch.sin, x, use_reentrant=False).shape)"""
    points, notebook = graded(attention, first=source)
    assert notebook.cells[0].outputs[0].text.splitlines() == ["[2.0, 2.0] [1.0, 1.0]", "torch.Size([2])"]
    assert points == FULL


def test_no_frame_is_given_to_a_learner_nor_by_a_library_that_has_the_name_from_one(attention):
    """Flagged, but what could not be read would not be: so nothing is there either."""
    source = """import functools
class Box: pass
def asked(thing, name):
    try: return vars(functools.update_wrapper(Box(), thing, [name], ())).get(name)
    except AttributeError as refused: return "kept" if "is not set while" in str(refused) else refused
@functools.wraps(print)
def own(): return 1
try: 1 / 0
except ZeroDivisionError as e: error = e
print(asked(error, "args"), asked(error, "__traceback__"), asked(own, "__globals__"), own.__name__)
error.__traceback__.tb_frame"""
    source = f"""import inspect, random, weakref
def found(names): return names.get("_os") is not None
print(found(vars(random)), found(dict(inspect.getmembers(random))), "randint" in vars(random), end=" ")
for thing in (weakref.proxy(random), type(list[int])(random, int)):
    print(*[getattr(thing, name, "nothing") for name in ("_os", "BPF")], end=" ")
{source}"""
    _, notebook = graded(attention, first=source)
    printed, raised = notebook.cells[0].outputs
    assert printed.text == "False False True nothing 53 nothing 53 ('division by zero',) kept kept print\n"
    assert raised.evalue == "there is no 'tb_frame' while work is graded"


def test_what_a_thing_passes_on_is_judged_by_what_it_is_whoever_has_it(attention):
    """What a learner keeps in an object of his own comes back, unless a cell that spells it is flagged."""
    source = """import codecs, inspect, os, numpy, sys, torch
def given(thing, *names):
    return [getattr(thing, name, "nothing") != "nothing" for name in names]
class Own:
    library, array, round, draw, size = torch, numpy, torch.nn.functional.gelu, os.getpid, os.path.getsize
    stack, system, frames, text = staticmethod(inspect.stack), sys, staticmethod(sys._getframe), print
holder = codecs.StreamReaderWriter(torch, lambda stream, _: stream, lambda stream, _: stream)
print(*given(holder, "relu", "nn", "inspect", "sys", "_C", "load", "compile", "_import_dotted_name"))
print(*given(Own(), "library", "array", "round", "draw", "size", "text"))
print(*given(Own, "stack", "system", "frames"), *given(inspect, "signature", "currentframe"))
print(*sorted(name for name in vars(Own) if "_" not in name))"""
    points, notebook = graded(attention, first=source)
    assert notebook.cells[0].outputs[0].text.splitlines() == [
        "True True False False False False False False",
        "True True True True True True",
        "False False False True False",
        "array draw frames library round size stack text",
    ]
    assert points == FULL


@pytest.mark.parametrize(
    "way",
    [
        "sys._getframe()",
        "[*map(sys._getframe, [0])]",
        "tree_map(sys._getframe, [0])",
        "sys._current_frames()",
        "inspect.currentframe()",
        "inspect.stack()",
        "inspect.getinnerframes(error.__traceback__)",
        "logging.currentframe()",
        "next(traceback.walk_stack(None))",
        "next(traceback.walk_tb(error.__traceback__))",
        "pdb.Pdb().setup(None, error.__traceback__)",
        "(one for one in [1]).gi_frame",
        "gc.get_objects()",
        "get_ipython().get_local_scope(1)",
        "[*map(gc.get_referrers, [error])]",
        "gc.get_referents(error.__traceback__)",
    ],
)
def test_no_frame_is_given_in_any_way(attention, way):
    source = f"""import gc, inspect, logging, pdb, sys, traceback
from torch.utils._pytree import tree_map
try: 1 / 0
except ZeroDivisionError as e: error = e
{way}"""
    _, notebook = graded(attention, first=source)
    (raised,) = notebook.cells[0].outputs
    assert raised.ename == "AttributeError" and raised.evalue.endswith("while work is graded")


def test_nobody_else_hears_what_python_tells(attention):
    source = """import contextlib, sys
heard = []
def hear(event, given): heard.append(event)
with contextlib.ExitStack() as stack:
    sys.addaudithook(hear)
    stack.callback(sys.addaudithook, hear)
[*map(sys.addaudithook, [hear])]
open("x.txt", "w").close()
print(heard)"""
    _, notebook = graded(attention, first=source)
    assert notebook.cells[0].outputs[0].text == "[]\n"


UNREAD = {
    "shell": "shell.run_cell(text())",
    "timeit": "timeit.timeit(text(), number=1)",
    "doctest": "doctest.testmod(types.ModuleType('m', f'>>> {text()}'))",
    "profile": "cProfile.run(text())",
    "typing": "typing._eval_type(typing.ForwardRef(text()), globals(), {})",
    "annotation": "def f(x: text()): ...\ntyping.get_type_hints(f)",
    "other names": "class A:\n    __module__ = 'torch.utils._python_dispatch'\n    x: '_pop_mode()'\n"
    "typing.get_type_hints(A)",
    "signature": "def f(x: text()): ...\ninspect.signature(f, eval_str=True)",
    "function in an annotation": "def f(x: 'marshal.loads'): ...\ninspect.signature(f, eval_str=True)",
    "lambda in an annotation": "def f(x: 'lambda: print(1)'): ...\ninspect.signature(f, eval_str=True)",
    "register": "@functools.singledispatch(print).register\ndef f(x: text()): ...",
    "field": "class F: ...\nF.__annotations__ = {f'x,*,y=({text()})': int}\ndataclasses.dataclass(F)",
    "tree": "tree = ast.parse('a; ' + text())\ntree.body[0].value.id = 'a b'\ncompile(tree, 'x', 'exec')",
    "name": "class N:\n    def __str__(self): timeit.timeit(text(), number=1)\n"
    "m = types.ModuleType('m')\nm.__name__ = N()\nexec('1')\nexec(text())",
    "deep": 'sys.setrecursionlimit(50_000)\nexec(f\'{"+".join("0" * 5000)}; {text()}\')',
    "exec": "exec(text())",
    "bytes": "exec(text().encode())",
    "compile": "compile(ast.parse(text()), 'x', 'exec')",
    "dataclass": "typing.get_type_hints(type('T', (), {'__annotations__': {'x': text()}}))",
    "module": "open('own.py', 'w').write(text()); import own",
    "magic": "get_ipython().run_line_magic('time', text())",
    "nodes": "shell.run_ast_nodes(ast.parse(text()).body, 'x', compiler=shell.compile).send(None)",
    "script": "open('own.py', 'w').write(text()); shell.run_line_magic('run', 'own.py')",
    "flag": "shell.run_cell('from __future__ import barry_as_FLUFL'); shell.run_cell(f'1 <> 2; {text()}')",
    "marshal": "marshal.loads(marshal.dumps(compile('1', '', 'eval')))",
    "function": "types.FunctionType(text.__code__, {})",
    "code": "text.__code__.replace(co_name='other')",
    "set": "text.__code__ = (lambda: 1).__code__",
    "defaults": "text.__defaults__ = (1,)",
    "name in a pickle": "pickle.loads(b'\\x80\\x04\\x8c\\ttorch.jit\\x8c\\x23ScriptFunction."
    "__call__.__globals__\\x93.')",
    "names of an object in a pickle": "pickle.loads(b'ctorch.utils._python_dispatch\\n_pop_mode\\n.')",
    "pickle": "pickle.loads(b'cbuiltins\\nexec\\n.')",
    "other name of a module": "open('own.py', 'w').write('import sys ' + 'as s'); import own; own.s.modules",
    "other name in a script": "open('own.py', 'w').write('import sys ' + 'as s')\n%run own.py",
    "ctypes": "ctypes.c_int.from_address(1)",
    "trace": "sys.settrace(print)",
}


@pytest.mark.parametrize("way", UNREAD)
def test_no_text_runs_that_would_be_flagged_in_a_cell(attention, way):
    source = f"""import ast, cProfile, ctypes, dataclasses, doctest, functools, inspect
import marshal, pickle, sys, timeit, types, typing
def text(): return bytes.fromhex({b"sys.modules['m'] = print('r' + 'an')".hex()!r}).decode()
shell = get_ipython()
{UNREAD[way]}"""
    _, notebook = graded(attention, first=source)
    told = json.dumps(notebook.cells[0].outputs)
    assert ("while work is graded" in told or "SyntaxError" in told) and '"ran' not in told


@pytest.mark.parametrize(
    "way",
    [
        "EntryPoint('x', name(), 'y').load()",
        "pkgutil.resolve_name(name())",
        "pydoc.locate(name().replace(':', '.'))",
        "logging.config.BaseConfigurator({}).resolve(name().replace(':', '.'))",
    ],
)
def test_no_library_looks_up_for_a_learner_what_would_be_flagged(attention, way):
    source = f"""import logging.config, pkgutil, pydoc
from importlib.metadata import EntryPoint
def name(): return bytes.fromhex({b"torch.utils._python_dispatch:_pop_mode".hex()!r}).decode()
try: found = {way}
except Exception as error: found = None
print(found)"""
    _, notebook = graded(attention, first=source)
    assert notebook.cells[0].outputs[0].text == "None\n"


CHANGED = {
    "what skips warnings": ("__import__('warnings')", "simplefilter"),
    "how PyTorch registers": ("torch.backends.mkldnn.torch._C", "_dispatch_library"),
    "how a pickle makes functions": ("__import__('cloudpickle').cloudpickle", "_function_setstate"),
    "builtins": ("builtins", "sorted"),
    "managers": ("type(contextlib.contextmanager(print)('x'))", "__exit__"),
    "events": ("torch.autograd._KinetoEvent", "scope"),
    "threads": ("threading.Thread", "_bootstrap_inner"),
}


@pytest.mark.parametrize("way", CHANGED)
def test_nothing_is_right_where_what_observes_it_was_changed(attention, way):
    thing, name = CHANGED[way]
    source = f"""import builtins, contextlib, threading, torch
def put(thing, name, value): setattr(thing, name, value)
old = {thing}.{name}
put({thing}, {name!r}, lambda *given, **named: old(*given, **named))"""
    magic = "%%prun -q\nimport torch\ndef causal_mask(size): return torch.ones(size, size).tril().bool()"
    points, notebook = graded(attention, first=source, answers={"causal_mask": magic})
    # It reaches the one that only the notebook can make, and none of those that are observed apart from it.
    flags = str(notebook.metadata.course_flags)
    assert "was changed" in flags and (points["causal_mask"] == 0 or "cell 1 " in flags)
    assert points | {"causal_mask": FULL["causal_mask"]} == FULL


MASK = "def causal_mask(size): return torch.ones(size, size).tril().bool()"


def test_points_that_only_the_notebook_gives_are_flagged(attention):
    within = f"%%prun -q\nimport torch\n{MASK}"
    points, notebook = graded(attention, answers={"causal_mask": within})
    assert points == FULL
    (flag,) = notebook.metadata[FLAGS]
    assert "only in the notebook, and not when it runs by itself (NameError" in flag


def test_what_an_answer_may_not_call_its_statements_may_not_call_either(attention):
    answer = """import math, torch
ONE = torch.nn.functional.scaled_dot_product_attention(*[torch.ones(1, 1, 1)] * 3).sum()
def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores = scores if mask is None else scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(dim=-1) * ONE
    return weights @ value, weights"""
    points, notebook = graded(attention, answers={"scaled_dot_product_attention": answer})
    assert points == FULL
    (flag,) = notebook.metadata[FLAGS]
    assert "(RejectedError: PyTorch's `scaled_dot_product_attention` does what this exercise asks for" in flag


def test_a_file_that_is_called_as_a_library_does_not_replace_it(attention):
    written = "%%writefile math.py\ndef sqrt(x): return 0.0"
    answer = "import math\ndef attention_pooling(*args): raise ValueError(math.sqrt(4))"
    points, notebook = graded(attention, first=written, answers={"attention_pooling": answer})
    assert points == FULL | {"attention_pooling": 0}
    (shown,) = (one for cell in notebook.cells for one in cell.get("outputs", []) if "ValueError" in str(one))
    assert "2.0" in shown.data["text/html"]


def test_a_right_notebook_runs_once(attention, monkeypatch):
    asked = []

    def ask(self, step, *arguments, **named):
        asked.append(step.kind)
        return ask_for(self, step, *arguments, **named)

    ask_for = Asking.ask
    monkeypatch.setattr(Asking, "ask", ask)
    _, notebook = graded(attention)
    ran = [cell for _, check, cell in code_of(notebook) if not check]
    count = {kind: asked.count(kind) for kind in asked}
    assert count == {"apart": len(FULL), "run": len(ran), "seen": len(FULL)}


def test_other_texts_run_and_so_does_what_makes_some_itself(attention):
    source = """%%time
import ast, cProfile, dataclasses, doctest, enum, io, pickle, timeit, typing
from collections import namedtuple
def double(x):
    \"\"\"
    >>> double(2)
    4
    \"\"\"
    return 2 * x
timeit.timeit("double(2)", globals=globals(), number=2)
get_ipython().run_cell("print('cell', double(1))")
get_ipython().run_line_magic("timeit", "-n1 -r1 double(3)")
print(doctest.testmod(), eval("double(4)"), ast.literal_eval("[1]"), typing.get_type_hints(double))
Point = namedtuple("Point", "x y")
@dataclasses.dataclass(order=True)
class Line:
    start: "Point"
    end: "int" = 3
print(Line(Point(1, 2)), dataclasses.make_dataclass("D", ["a"])(1), typing.get_type_hints(Line))
exit()
get_ipython().run_line_magic("cd", "-q .")
get_ipython().run_line_magic("pinfo", "print")
# causal encoding: query -> weights
from torch.utils.data import DataLoader
class _Own: ...
assert isinstance(pickle.loads(pickle.dumps(_Own())), _Own)
import torch.utils.benchmark, torch.nn.attention, attrs
print(attrs.define(type("Own", (), {"__annotations__": {"x": int}}))(3))
get_ipython().run_cell("import asyncio\\nawait asyncio.sleep(0)\\nprint('waited')")
open("helper.py", "w").write("import math\\nhalf = lambda x: math.floor(x / 2)")
import helper, importlib
importlib.reload(helper)
print(helper.half(5), pickle.loads(pickle.dumps([torch.ones(1), Point(1, 2), double])))
buffer = io.BytesIO()
torch.save(torch.nn.Linear(1, 1), buffer)
buffer.seek(0)
print(torch.load(buffer, weights_only=False))
cProfile.run("double(1)")"""
    points, notebook = graded(attention, first=source.replace("%%time\n", "%%time\nimport torch\n"))
    shown = "".join(output.get("text", output.get("evalue", "")) for output in notebook.cells[0].outputs)
    assert "while work is graded" not in shown
    assert "waited" in shown and "cell 2" in shown and "TestResults(failed=0, attempted=1) 8 [1]" in shown
    assert "function calls" in shown
    assert points == FULL


def test_an_answer_may_use_a_module_that_a_cell_has_written(attention):
    written = """%%writefile own_kernels.py
import os
os.system("true")  # noted where it stands, and so no reason not to import it
def scores(query, key, width):
    return -(query[:, None] - key) ** 2 / (2 * width**2)"""
    answer = """import torch, own_kernels
def attention_pooling(query, key, value, width=1.0):
    weights = torch.softmax(own_kernels.scores(query, key, width), dim=-1)
    return weights @ value, weights"""
    points, notebook = graded(attention, first=written, answers={"attention_pooling": answer})
    assert points == FULL and not notebook.metadata.get(FLAGS)


def test_an_answer_may_use_what_is_guarded(attention):
    source = """from operator import attrgetter
def padding_mask(ids, pad=0):
    own = ids.ne(pad)
    return attrgetter("mT.mT")(own).reshape(attrgetter("shape")(ids)).unsqueeze(1)"""
    points, notebook = graded(attention, answers={"padding_mask": source})
    assert points == FULL and not notebook.metadata.get("course_flags")


HUNG = {
    "a handler": """import logging
class Note(logging.Handler):
    def emit(self, record): record.args[0].append(record.args[1] != 0)
logging.getLogger("mine").addHandler(Note())""",
    "what PyTorch calls": """import torch.nn.modules.module as inner
inner.register_module_forward_hook(lambda layer, given, result: result != 0)""",
}
CALLED = {
    "a handler": "box = []\n    logging.getLogger('mine').warning('%s %s', box, ids)\n    mask = box[0]",
    "what PyTorch calls": "mask = torch.nn.Identity()(ids)",
}


@pytest.mark.parametrize("way", HUNG)
def test_what_a_cell_has_hung_into_a_library_is_flagged_where_an_answer_earns_by_it(attention, way):
    answer = f"import logging\ndef padding_mask(ids, pad=0):\n    {CALLED[way]}\n    return mask[:, None]"
    points, notebook = graded(attention, first=HUNG[way], answers={"padding_mask": answer})
    assert points["padding_mask"] > 0
    assert any("checks an answer that uses" in flag for flag in notebook.metadata[FLAGS])


def test_no_function_gets_other_code_by_a_name_that_is_put_together(attention):
    source = """import functools
def one(): return 1
def two(): return 2
code, name = getattr(two, "__code__", None), "".join(["__", "COD", "E__"]).swapcase()
import cProfile
profile = cProfile.Profile()
profile.runcall(two)
(code,) = [each.code for each in profile.getstats() if getattr(each.code, "co_name", "") == "two"]
def give(thing, name, value): setattr(thing, name, value)
class Other: pass
Other.__code__ = code
for way in (give, object.__setattr__, lambda *given: functools.update_wrapper(one, Other, [name], ())):
    try: way(one, name, code)
    except Exception as error: print(type(error).__name__, one())"""
    _, notebook = graded(attention, first=source)
    assert notebook.cells[0].outputs[0].text.splitlines()[:2] == ["AttributeError 1", "PermissionError 1"]
    assert set(notebook.cells[0].outputs[0].text.split()[1::2]) == {"1"}


def test_a_library_that_has_a_getter_of_such_names_gives_learners_nothing(attention):
    source = """import operator, six
def own(): return 1
print(six.get_function_globals(own), six.get_function_code(own), operator.attrgetter("__name__")(own))"""
    _, notebook = graded(attention, first=source)
    assert notebook.cells[0].outputs[0].text == "None None own\n"


def test_an_answer_is_not_profiled(attention):
    answer = """import cProfile
def causal_mask(n):
    cProfile.Profile().enable()
    return torch.ones(n, n).tril() > 0"""
    points, _ = graded(attention, answers={"causal_mask": answer})
    assert points["causal_mask"] == 0


def test_what_an_answer_uses_that_others_do_without_is_flagged_where_it_earns_points(attention):
    answer = "import torch.jit\ndef padding_mask(ids, pad=0): return torch.jit.annotate(bool, {})[:, None]"
    points, notebook = graded(attention, answers={"padding_mask": answer.format("ids != pad")})
    assert points == FULL
    (told,) = notebook.metadata[FLAGS]
    assert "checks an answer that uses torch.jit.annotate" in told
    points, notebook = graded(attention, answers={"padding_mask": answer.format("ids.float()")})
    assert points["padding_mask"] == 0
    assert FLAGS not in notebook.metadata


def test_a_view_stays_inside_of_its_array(attention):
    source = """import numpy as np
from numpy.lib.stride_tricks import as_strided, sliding_window_view
numbers = np.arange(6)
print(as_strided([1.0, 2, 3], (2, 2), (8, 8)).tolist(), as_strided(numbers[5:], (3,), (-8,)).tolist())
print(sliding_window_view(numbers, 5).tolist(), as_strided(numbers, (0, 3), (8, 8)).shape)
as_strided(numbers, (4, 4), (8, 8))"""
    points, notebook = graded(attention, first=source)
    printed, raised = notebook.cells[0].outputs
    assert printed.text.splitlines() == [
        "[[1.0, 2.0], [2.0, 3.0]] [5, 4, 3]",
        "[[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]] (0, 3)",
    ]
    assert raised.evalue.startswith("as_strided leaves the memory of the array")
    assert points == FULL


def test_neither_another_virtual_environment_nor_the_instructors_folder_brings_packages(
    monkeypatch, tmp_path
):
    monkeypatch.setenv("VIRTUAL_ENV", "/elsewhere")
    for name in ("course_lib", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise ImportError('of the folder')")
    monkeypatch.chdir(tmp_path)
    with grader(LESSON) as opened:
        _, notebook = graded(opened, first="import sys\n1 / 0\n")
        assert len(notebook.cells[0].outputs) == 1, "IPython shows the error as it does"
        _, notebook = graded(opened, first="import sys\nprint(any('elsewhere' in path for path in sys.path))")
    assert notebook.cells[0].outputs[0].text == "False\n"


def test_libraries_have_the_frames_that_they_need(attention):
    source = """import logging, sys, traceback, warnings
from collections import namedtuple
from enum import Enum
try: 1 / 0
except ZeroDivisionError: traceback.print_exc(file=sys.stdout)
logging.basicConfig(stream=sys.stdout, format="%(funcName)s %(message)s", force=True)
def own(): logging.warning("told")
own()
print(traceback.extract_stack()[-1].lineno, namedtuple("Two", "a b").__module__, Enum("One", "a").__module__)
warnings.showwarning = lambda message, *_: print(message)
warnings.warn("warned")
1 / 0"""
    points, notebook = graded(attention, first=source)
    printed, raised = notebook.cells[0].outputs
    assert printed.text.splitlines()[-4:] == [
        "ZeroDivisionError: division by zero",
        "own told",
        "9 __main__ __main__",
        "warned",
    ]
    assert "---> 12 1 / 0" in re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(raised.traceback))
    assert points == FULL


def test_what_observes_an_answer_is_not_found_by_its_name(attention):
    """Who imports it where its files can be read gets a new one, and changes nothing."""
    source = """import sys
print(*[name for name in sys.modules if name.startswith(("course_lib.checks", "course_lib.grading"))])
sys.modules["course_lib.checks.plain"] = None
import course_lib.checks.guard, course_lib.checks.observation
course_lib.checks.observation.Task.run = course_lib.checks.guard.watched = None"""
    points, notebook = graded(attention, first=source)
    assert notebook.cells[0].outputs[0].text == "\n"
    assert points == FULL


def test_a_shell_command_needs_no_terminal(attention):
    points, notebook = graded(attention, first="!echo {2 + 2}; exit 3\nprint('after', _exit_code)")
    assert notebook.cells[0].outputs[0].text == "4\nafter 3\n"
    assert points == FULL


def test_what_the_grader_sets_reaches_a_cell(attention):
    """Without a network pip would try five times, a quarter of a minute for each `%pip install`."""
    _, notebook = graded(attention, first="!echo $NBGRADER_EXECUTION $PIP_RETRIES")
    assert notebook.cells[0].outputs[0].text == "autograde 0\n"


def test_a_shell_command_without_end_costs_its_own_cell(attention):
    points, notebook = graded(attention, first="!sleep 1000\nprint('never')")
    assert notebook.cells[0].outputs[-1].ename == "KeyboardInterrupt"
    assert points == FULL and FLAGS not in notebook.metadata


ENDLESS = """
def additive_attention(*arguments):
    while True:
        try:
            arguments += arguments[:1]
        except:
            pass
"""


def test_an_endless_answer_is_left_after_its_seconds_and_what_it_swallows_is_raised_again():
    limits = Limits(cell_seconds=30, probe_seconds=0.5, seconds=60, memory=2**30)
    with grader(LESSON, limits=limits) as opened:
        points, notebook = graded(opened, answers={"additive_attention": ENDLESS})
    assert points == FULL | {"additive_attention": 0}
    assert FLAGS not in notebook.metadata
    (output,) = next(c.outputs for c in notebook.cells if c.get("id") == "check_additive_attention")
    told = output.data["text/html"]
    assert "did not end within 0.5 seconds. Does every loop in it stop?" in told
    assert "did not end here either" in told
    assert "within 30 seconds" not in told, "the grader had to interrupt"


def test_an_answer_that_asks_is_told_that_nobody_answers(attention):
    asks = "def causal_mask(size):\n    return torch.ones(int(input()), size)"
    points, notebook = graded(attention, answers={"causal_mask": asks})
    assert points == FULL | {"causal_mask": 0}
    (output,) = next(c.outputs for c in notebook.cells if c.get("id") == "check_causal_mask")
    assert "cannot be used in a check" in output.data["text/html"]


def test_threads_that_a_submission_has_started_do_not_slow_its_checks(attention):
    answer = """torch.set_num_threads(2)
def causal_mask(size):
    return torch.ones(size, size, dtype=torch.bool).tril() if torch.get_num_threads() == 1 else None"""
    assert graded(attention, answers={"causal_mask": answer})[0] == FULL


def test_a_crash_in_c_costs_its_cell(attention):
    points, notebook = graded(attention, after={"additive_attention": "import ctypes\nctypes.string_at(0)"})
    assert points == FULL
    assert any("ended the process (signal 11)" in flag for flag in notebook.metadata[FLAGS])


@pytest.mark.parametrize("source", ["while True: pass", "while True: print('x' * 2000, flush=True)"])
def test_a_cell_that_never_ends_is_interrupted_and_the_rest_runs(attention, source):
    points, notebook = graded(attention, after={"padding_mask": source})
    assert points == FULL
    assert FLAGS not in notebook.metadata
    errors = [
        output.ename for cell in notebook.cells for output in cell.get("outputs", []) if "ename" in output
    ]
    assert errors == ["KeyboardInterrupt"]


def test_an_interrupt_that_comes_when_the_work_has_ended_costs_nothing(attention, monkeypatch):
    ask = Asking.ask

    def late(self, *arguments):
        reply = ask(self, *arguments)
        self.zygote.interrupt()
        return reply

    monkeypatch.setattr(Asking, "ask", late)
    points, notebook = graded(attention)
    assert points == FULL
    assert FLAGS not in notebook.metadata


@pytest.mark.parametrize(
    "body", ["while True: pass", "import os; os._exit(0)", "import time; time.sleep(99)"]
)
def test_an_answer_that_does_not_come_back_costs_its_exercise(attention, body):
    points, _ = graded(attention, answers={"causal_mask": f"def causal_mask(size):\n    {body}"})
    assert points == FULL | {"causal_mask": 0}


def test_too_much_memory_costs_what_asked_for_it(attention):
    source = "x = [bytearray(2**26) for _ in range(64)]"
    points, notebook = graded(attention, after={"padding_mask": source})
    assert points == FULL
    (greedy,) = (cell for cell in notebook.cells if cell.source == source)
    assert greedy.outputs[0].ename in (
        "MemoryError",
        "Ended",
        "KeyboardInterrupt",
    )  # no room for the error itself, or for long


def test_names_are_those_at_the_check_even_for_hidden_parts(attention):
    helped = "def lower(size):\n    return torch.ones(size, size, dtype=torch.bool).tril()\n\n"
    answer = helped + "def causal_mask(size):\n    return lower(size)"
    points, _ = graded(
        attention, answers={"causal_mask": answer}, after={"check_causal_mask": "lower = None"}
    )
    assert points == FULL


def test_forged_outputs_are_not_points(attention):
    forged = (
        "from IPython.display import display\n"
        f"display({{'{MIME}': {{'points': 99}}, 'text/plain': '99'}}, raw=True)\ncheck = lambda *a: 99\n"
    )
    points, notebook = graded(attention, next(s for s in CLASS if s.name == "hana"), first=forged)
    assert set(points.values()) == {0}
    assert any("writes what only a check writes" in flag for flag in notebook.metadata[FLAGS])
    assert MIME not in str(notebook.cells[0].outputs)


FORGE = """from course_lib.exercises.attention import check
o = check.__globals__["observe"].__globals__
def nothing_wrong(call, guarded, forbidden, *rest):
    outcome = attempt(call, guarded, forbidden, *rest)
    labels = outcome.values or {}
    flows = {"told": "flows", "result": [float("nan")] * 8}
    return o["Outcome"]({k: v | flows if "gradient" in k else v for k, v in labels.items()})
attempt, o["_outcome"] = o["_outcome"], nothing_wrong
"""
CUT = """def attention_pooling(query, key, value, width=1.0):
    weights = torch.softmax(-((query[:, None] - key) ** 2) / (2 * width**2), dim=-1).detach()
    return weights @ value, weights
"""


def test_a_part_that_passes_only_where_checks_are_patched_does_not_count(attention):
    honest, _ = graded(attention, answers={"attention_pooling": CUT})
    assert honest["attention_pooling"] < FULL["attention_pooling"]
    forged, notebook = graded(attention, first=FORGE, answers={"attention_pooling": CUT})
    assert forged == honest
    assert any("`__globals__`" in flag for flag in notebook.metadata[FLAGS])
    assert any("was changed" in flag for flag in notebook.metadata[FLAGS])


def test_right_answers_keep_their_points_beside_cells_that_tamper(attention):
    points, notebook = graded(attention, first=FORGE + "%timeit -n 1 -r 1 eval('1')")
    assert points == FULL
    assert notebook.metadata[FLAGS]


def test_the_answers_are_not_in_the_learners_process(attention):
    # Of each function Python keeps a table of its lines, which no other function has. It is looked for with
    # all bits flipped, for else what is looked for would be found.
    codes = [exercise.reference_implementation.__code__ for exercise in EXERCISES.values()]
    flip = bytes(range(255, -1, -1))
    tables = [code.co_linetable.translate(flip).hex() for code in (json.dumps.__code__, *codes)]
    search = f"""
found = [0] * {len(tables)}
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    for place, rights, *_ in map(str.split, maps):
        if "w" not in rights:  # objects of Python's are where it can write
            continue
        first, last = (int(address, 16) for address in place.split("-"))
        memory.seek(first if first < 2**63 else 0)
        try:
            kept = memory.read(last - first).translate({flip})
        except OSError:
            continue
        for number, table in enumerate({tables}):
            found[number] += kept.count(bytes.fromhex(table))
print(*map(bool, found))"""
    _, notebook = graded(attention, first=search)
    assert notebook.cells[0].outputs[0].text == f"True{' False' * len(codes)}\n"
    source = "import course_lib.exercises.attention.causal_mask"
    _, notebook = graded(attention, first=source)
    assert notebook.cells[0].outputs[0].ename == "ModuleNotFoundError"


def test_names_that_are_larger_than_the_socket_arrive_whole():
    package = f"course_lib.exercises.{LESSON[3:]}"
    ZygoteClient(package, {"many": os.urandom(2**23)}, ["torch"], (), Limits()).close()


def test_isolation_that_is_missing_is_refused(monkeypatch):
    monkeypatch.setattr("course_lib.grading.sandbox.isolation.probe", lambda: {"net": "forbidden here"})
    with pytest.raises(RuntimeError, match=r"lacks net \(forbidden here\)"):
        grader(LESSON, isolation="required")
    with pytest.raises(ValueError, match="got 'none'"):
        grader(LESSON, isolation="none")
