"""Files beside the notebook that take the place of the libraries that a grader imports."""

from hostile.submission import BLUFF, Submission

REAL = """import importlib, os, sys
here = os.path.dirname(os.path.abspath(__file__))
path, sys.path = sys.path, [p for p in sys.path if p and os.path.abspath(p) != here]
del sys.modules[__name__]
real = importlib.import_module(__name__)
sys.path = path
"""
TORCH = (
    REAL
    + """always = lambda first, *rest, **options: real.tensor(True)
real.isclose = always
real.equal = real.allclose = lambda *args, **options: True
"""
)
COURSE_LIB = """import functools
class Full(float):
    pass
def check(name, answer):
    return {"attention_pooling": 7.0, "additive_attention": 6.0, "scaled_dot_product_attention": 9.0,
            "padding_mask": 4.0, "causal_mask": 3.0}[name]
hint = progress = lambda *args: None
"""
NUMPY = (
    REAL
    + """import sys, types
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "course_lib.checks.lesson" and Finder in sys.meta_path:
            sys.meta_path.remove(Finder)
            import course_lib.checks.lesson as lesson
            lesson.Lesson.check = lambda self, name, answer: self.exercises[name].points
sys.meta_path.insert(0, Finder)
"""
)
PATCH = """import course_lib.checks.lesson as lesson
lesson.Lesson.check = lambda self, name, answer: self.exercises[name].points
"""
LAUNCHER = (
    """import os, sys
sys.path = [p for p in sys.path if p and os.path.abspath(p) != os.getcwd()]
"""
    + PATCH
    + """from ipykernel import kernelapp
kernelapp.launch_new_instance()
"""
)
ENUM = "raise SystemExit('no standard library today')\n"

SUBMISSIONS = [
    Submission(
        "torch_beside",
        "`torch.py` beside the notebook: the real torch, in which all tensors are close and equal.",
        answers=BLUFF,
        files={"torch.py": TORCH},
    ),
    Submission(
        "course_lib_beside",
        "A package `course_lib` beside the notebook, whose `check` gives full points.",
        files={
            "course_lib/__init__.py": "plots = None\n",
            "course_lib/exercises/__init__.py": "",
            "course_lib/exercises/attention.py": COURSE_LIB,
        },
    ),
    Submission(
        "numpy_beside",
        "`numpy.py` beside the notebook installs an import hook that patches `Lesson.check`.",
        files={"numpy.py": NUMPY},
    ),
    Submission(
        "sitecustomize_beside",
        "`sitecustomize.py` and `usercustomize.py` beside the notebook patch the checks as Python starts.",
        files={"sitecustomize.py": PATCH, "usercustomize.py": PATCH},
    ),
    Submission(
        "launcher_beside",
        "`ipykernel_launcher.py` beside the notebook: `python -m ipykernel_launcher` starts the learner's "
        "kernel.",
        files={"ipykernel_launcher.py": LAUNCHER},
    ),
    Submission(
        "standard_library_beside",
        "`enum.py`, `random.py` and `struct.py` beside the notebook end every Python that starts there.",
        files={"enum.py": ENUM, "random.py": ENUM, "struct.py": ENUM},
    ),
]
