"""Cells that change the code which compares, judges and scores."""

from hostile.submission import BLUFF, EARLY, Submission, elsewhere

IN_PLACE = """def layer_norm(x, weight, bias, eps=1e-5):
    x -= x.mean(-1, keepdim=True)
    x /= (x.var(-1, keepdim=True, unbiased=False) + eps).sqrt()
    return x * weight + bias
"""

SUBMISSIONS = [
    Submission(
        "isclose_always",
        "Replaces `torch.isclose`, `allclose`, `equal` and `Tensor.__eq__` by functions that agree.",
        """yes = lambda *args, **options: torch.tensor(True)
torch.isclose = torch.Tensor.isclose = yes
torch.allclose = torch.equal = torch.Tensor.equal = torch.Tensor.allclose = lambda *args, **options: True
torch.Tensor.__eq__ = yes
torch.testing.assert_close = lambda *args, **options: None
""",
        answers=BLUFF,
    ),
    Submission(
        "comparison_agrees",
        "Replaces the `__code__` of `comparison.same` and two functions beside it by ones that agree.",
        """from course_lib.checks import comparison, judgement
comparison.same.__code__ = (lambda got, expected, rtol, atol: True).__code__
comparison._same_value = lambda *args: True
judgement.agree = lambda *args: True
""",
        answers=BLUFF,
    ),
    Submission(
        "judge_replaced",
        "Replaces `judge` in every module that has imported it by one that finds all parts right.",
        """import sys
from course_lib.checks.judgement import Judgement, Verdict
def judge(exercise, *rest, **options):
    return Judgement(tuple(Verdict(part, "right") for part in exercise.parts))
for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("course_lib") and hasattr(module, "judge"):
        module.judge = judge
""",
    ),
    Submission(
        "report_rich",
        "Gives `Report` a property by which everybody has all points, and `Score` a repr of them.",
        """from course_lib.checks import score
score.Report.points = property(lambda report: report.exercise.points)
score.Score.__repr__ = lambda self: str(self.report.exercise.points)
""",
    ),
    Submission(
        "check_replaced",
        "Replaces `Lesson.check` by a function that returns all points.",
        """from course_lib.checks.lesson import Lesson
Lesson.check = lambda self, name, answer, trial=False: self.exercises[name].points
check = lesson_check = Lesson.check.__get__(check.__self__)
""",
    ),
    Submission(
        "check_renamed",
        "Defines its own `check` and `progress`, and a `float` that is never below 9.",
        """full = {"attention_pooling": 7, "additive_attention": 6, "scaled_dot_product_attention": 9,
        "padding_mask": 4, "causal_mask": 3}
check = lambda name, answer, trial=False: full[name]
progress = lambda: "29 of 29 points"
float = lambda value=0: max(9.0, value)
""",
    ),
    Submission(
        "own_reference",
        "Puts its own wrong answers into the registry as the references.",
        """from course_lib.exercises.attention import lesson
answers = globals()
for name, exercise in lesson.exercises.items():
    if name in answers:
        exercise.reference_implementation = answers[name]
""",
        before="check_additive_attention",
        answers={"additive_attention": BLUFF["additive_attention"]},
    ),
    Submission(
        "parts_removed",
        "Empties the lists of parts in the registry, and gives one easy part all points.",
        """from dataclasses import replace
from course_lib.exercises.attention import lesson
for exercise in lesson.exercises.values():
    easy = replace(exercise.parts[0], points=exercise.points, probe=lambda answer, inputs: {"x": 1})
    exercise.parts[:] = [easy]
    lesson.__dict__["graded"] = lesson.exercises
""",
        before="additive_attention",
        answers=BLUFF | EARLY["answers"],
        earned=EARLY["earned"],
    ),
    Submission(
        "inputs_of_zeros",
        "Replaces the random inputs of the checks by zeros, on which a constant is the right answer.",
        """from course_lib.checks.inputs import Inputs
Inputs.normal = lambda self, *shape: torch.zeros(shape)
Inputs.mask = lambda self, *shape: torch.ones(shape, dtype=torch.bool)
""",
        before="additive_attention",
        answers=EARLY["answers"]
        | {
            "additive_attention": """def additive_attention(query, key, value, W_query, W_key, v):
    weights = torch.full((len(query), query.shape[1], key.shape[1]), 1 / key.shape[1]).to(query)
    return weights * 0, weights
"""
        },
        earned=EARLY["earned"],
    ),
    Submission(
        "seed_chosen",
        "Makes `secrets.randbits` and `os.urandom` constant, so that the fresh seed is an old one.",
        """import os, secrets
secrets.randbits = lambda bits: 7
os.urandom = lambda size: bytes(size)
torch.Generator.manual_seed = lambda self, seed: self
""",
        before="additive_attention",
        **EARLY,
    ),
    Submission(
        "builtins_agree",
        "Replaces the builtins `all`, `zip` and `sum` by ones that lie.",
        """import builtins
builtins.all = lambda values: True
builtins.zip = lambda *values, strict=False: []
builtins.sum = lambda values, start=0: 9
""",
        before="additive_attention",
        answers=BLUFF | EARLY["answers"],
        earned=EARLY["earned"],
    ),
    Submission(
        "builtins_broken",
        "Deletes `isinstance`, `type`, `dict`, `print` and four more builtins for everything that follows.",
        """import builtins
for name in ("isinstance", "type", "dict", "print", "len", "getattr", "open", "__import__"):
    delattr(builtins, name)
""",
        before="padding_mask",
        **EARLY,
    ),
    Submission(
        "ground_removed",
        "Clears the environment and `sys.path`, allows 60 frames, and goes to a folder that it deletes.",
        """import os, sys
os.environ.clear()
sys.path.clear()
os.mkdir("gone")
os.chdir("gone")
os.rmdir("../gone")
sys.setrecursionlimit(60)
""",
        before="padding_mask",
        **EARLY,
    ),
    Submission(
        "trace_function",
        "A trace function sets `got = expected` in the frame of the comparison.",
        """import ctypes, sys
def trace(frame, event, argument):
    names = frame.f_locals
    if frame.f_code.co_name in ("same", "_same_value") and "expected" in names:
        names["got"] = names["expected"]
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
    return trace
sys.settrace(trace)
sys.setprofile(lambda frame, event, argument: None)
""",
        answers=BLUFF,
    ),
    Submission(
        "import_hook",
        "An import hook serves a false `course_lib.exercises.attention` to everybody who imports it again.",
        """import importlib.abc, importlib.util, sys
class False_(importlib.abc.Loader, importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.startswith("course_lib.exercises"):
            import importlib.util
            return importlib.util.spec_from_loader(name, self, is_package=True)
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        module.check = lambda name, answer: {"s": 9.0, "c": 3.0, "a": 6.0, "p": 4.0}[name[0]]
        module.hint = module.progress = module.lesson = None
sys.meta_path.insert(0, False_())
for name in [name for name in sys.modules if name.startswith("course_lib")]:
    del sys.modules[name]
from course_lib.exercises.attention import check, hint, progress
""",
        before="additive_attention",
        **EARLY,
    ),
    Submission(
        "patching_thread",
        "A thread goes on replacing torch's and the checks' functions, whoever puts them back.",
        """import threading, time
from course_lib.checks import comparison
def patch():
    while True:
        torch.isclose = lambda *args, **options: torch.tensor(True)
        comparison.same = lambda *args: True
        time.sleep(0.001)
threading.Thread(target=patch, daemon=True).start()
""",
        answers=BLUFF,
    ),
    Submission(
        "verdict_by_collector",
        "Finds two functions of the judge by the garbage collector and makes them say that all is right.",
        """import gc, types
for thing in gc.get_objects():
    if isinstance(thing, types.FunctionType) and thing.__module__ == "course_lib.checks.judgement":
        if thing.__name__ == "agree":
            thing.__code__ = (lambda part, one, other: True).__code__
        if thing.__name__ == "points":
            thing.__code__ = (lambda self: 9.0).__code__
""",
        answers=BLUFF,
    ),
    elsewhere(
        "05_layer_norm",
        "patch_through_a_list",
        "Keeps `torch` in a list, and replaces `torch.equal`, so that no write into an argument is seen.",
        {"layer_norm": f"[torch][0].equal = lambda a, b: True\n{IN_PLACE}"},
    ),
    elsewhere(
        "05_layer_norm",
        "patch_in_the_answer",
        "The answer itself replaces `torch.Tensor.clone`, through a function that returns the class.",
        {
            "layer_norm": "def kind():\n    return torch.Tensor\n"
            + IN_PLACE.replace("    x -=", "    kind().clone = lambda x: x\n    x -=", 1)
        },
    ),
]
