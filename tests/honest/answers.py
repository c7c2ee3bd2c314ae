"""Ways to write the answers' cells, as changes of their source."""

import ast
import re
from collections.abc import Callable
from textwrap import indent


def functions_of(source: str) -> list[str]:
    return [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]


def _defined(source: str) -> list[str]:
    both = ast.FunctionDef, ast.ClassDef
    return [node.name for node in ast.parse(source).body if isinstance(node, both)]


def _before_return(source: str, line: str) -> str:
    return re.sub(r"^( +)return ", lambda match: f"{match[1]}{line}\n{match[0]}", source, flags=re.MULTILINE)


def _with_docstrings(source: str) -> str:
    text = '{0}    """Mine. 我的\n\n{0}    >>> 1 + 1\n{0}    2\n{0}    """\n'
    start = re.compile(r"^( *)def .*:\n", re.MULTILINE)
    return start.sub(lambda match: match[0] + text.format(match[1]), source)


def _renamed(source: str, line: str, before: str = "") -> str:
    """Functions under a name with _first, and the line for each that makes the answer of it."""
    names = functions_of(source)
    for name in names:
        source = re.sub(rf"^def {name}\b", f"def {name}_first", source, flags=re.MULTILINE)
    return before + source + "\n\n" + "\n".join(line.format(name) for name in names)


def _decorated(source: str, decorator: str, before: str = "") -> str:
    return before + re.sub(r"^def ", f"{decorator}\ndef ", source, flags=re.MULTILINE)


def _in_classes(source: str, methods: str) -> str:
    """Methods at the end of each class of the cell."""
    lines, tree = source.splitlines(), ast.parse(source)
    for node in reversed(tree.body):
        if isinstance(node, ast.ClassDef):
            lines[node.end_lineno : node.end_lineno] = ["", *methods.splitlines()]
    return "\n".join(lines)


def _annotated(source: str) -> str:
    return re.sub(
        r"^(    )?def (?!test_)(\w+)\((.*)\):",
        r'\1def \2(\3) -> "Float[Tensor, \'batch seq\']":',
        source,
        flags=re.MULTILINE,
    )


FROZEN = """from dataclasses import dataclass, replace
@dataclass(frozen=True, order=True)
class Sizes:
    heads: int = 2
assert len({Sizes(), Sizes(2)}) == 1 and replace(Sizes(), heads=3) > Sizes()

"""
TIMED = """import functools, time
def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        start = time.time()
        result = function(*args, **kwargs)
        print("took", time.time() - start)
        return result
    return wrapper
"""
EXTRA = """    def extra_repr(self):
        return "mine"

    def __repr__(self):
        return f"<{type(self).__name__}>"

    @property
    def size(self):
        return sum(p.numel() for p in self.parameters())

    @classmethod
    def small(cls, *args):
        return cls(*args)

    @staticmethod
    def helper(x):
        return x

    def __len__(self):
        return 3
"""
ANSWERS: dict[str, Callable[[str], str]] = {
    "future_annotations": lambda source: "from __future__ import annotations\n" + source,
    "annotations": _annotated,
    "annotations_future": lambda source: "from __future__ import annotations\n" + _annotated(source),
    "lambda": lambda source: _renamed(source, "{0} = lambda *args, **kwargs: {0}_first(*args, **kwargs)"),
    "partial": lambda source: _renamed(source, "{0} = partial({0}_first)", "from functools import partial\n"),
    "other_name": lambda source: _renamed(source, "{0} = {0}_first"),
    "callable_object": lambda source: _renamed(
        source,
        "{0} = Answer({0}_first)",
        "class Answer:\n    def __init__(self, f): self.f = f\n"
        "    def __call__(self, *args, **kwargs): return self.f(*args, **kwargs)\n",
    ),
    "static_method": lambda source: _renamed(
        source, "class Answers_{0}:\n    answer = staticmethod({0}_first)\n{0} = Answers_{0}.answer"
    ),
    "bound_method": lambda source: _renamed(
        source,
        "class Answers_{0}:\n    def answer(self, *args, **kwargs):\n"
        "        return {0}_first(*args, **kwargs)\n"
        "{0} = Answers_{0}().answer",
    ),
    "timed": lambda source: _decorated(source, "@timed", TIMED),
    "twice": lambda source: (
        "".join(
            f"def {name}(*args, **kwargs):\n    raise NotImplementedError()\n"
            for name in functions_of(source)
        )
        + source
    ),
    "tries_below": lambda source: (
        source
        + "".join(f"\ntry:\n    {name}()\nexcept Exception as e:\n    e\n" for name in functions_of(source))
    ),
    "assert_below": lambda source: source + "\nassert 1 + 1 == 3, 'my test'\n",
    "main_guard": lambda source: source + "\nif __name__ == '__main__':\n    print('run')\n",
    "prints": lambda source: _before_return(source, "print('here', locals().keys())"),
    "prints_much": lambda source: _before_return(source, "print('x' * 100_000)"),
    "extra_methods": lambda source: _in_classes(source, EXTRA),
    "train_method": lambda source: _in_classes(
        source, "    def train(self, mode=True):\n        return super().train(mode)\n"
    ),
    "tabs": lambda source: re.sub(r"^( {4})+", lambda m: "\t" * (len(m[0]) // 4), source, flags=re.MULTILINE),
    "crlf": lambda source: source.replace("\n", "\r\n"),
    "chinese_comments": lambda source: "# 我的答案：先算分数，再做 softmax 🎉\n" + source,
    "trailing_blanks": lambda source: source.replace("\n", "   \n") + "\n\n\n   ",
    "time_cell": lambda source: "%%time\n" + source,
    "pip_above": lambda source: "!pip install -q einops\n%matplotlib inline\n" + source,
    "debug_global": lambda source: "DEBUG = False\nimport os, sys, warnings, logging\n" + source,
    "in_try": lambda source: f"try:\n{indent(source, '    ')}\nexcept Exception:\n    raise",
    "in_if": lambda source: f"if True:\n{indent(source, '    ')}",
    "with_help": lambda source: source + "".join(f"\n{name}?" for name in _defined(source)),
    "getsource": lambda source: (
        source
        + "\nimport inspect\n"
        + "".join(f"print(inspect.getsource({name}))\n" for name in _defined(source))
    ),
    "type_hints": lambda source: (
        source
        + "\nimport typing\n"
        + "".join(f"typing.get_type_hints({name})\n" for name in functions_of(source))
    ),
    "doc_attribute": lambda source: (
        source + "".join(f"\n{name}.author = 'me'\n{name}.__doc__ = 'mine'" for name in functions_of(source))
    ),
    "doctest_in": lambda source: source + "\nimport doctest\ndoctest.testmod()\n",
    "deleted_helper": lambda source: "helper = 3\n" + source + "\ndel helper\n",
    "star_above": lambda source: "from torch import *\nfrom torch.nn.functional import *\n" + source,
    "no_grad_off": lambda source: (
        "torch.set_grad_enabled(False)\n" + source + "\ntorch.set_grad_enabled(True)\n"
    ),
    "typing_overload": lambda source: "from typing import *\nfrom collections.abc import *\n" + source,
    "frozen_dataclass": lambda source: FROZEN + source,
    "final": lambda source: _decorated(source, "@final", "from typing import final\n"),
    "wrapped_twice": lambda source: _decorated(source, "@timed\n@timed", TIMED),
    "lru_cached_helper": lambda source: (
        "from functools import lru_cache\n@lru_cache(maxsize=None)\ndef own(n): return n\n" + source
    ),
    "seeded_inside": lambda source: "torch.manual_seed(0)\n" + source + "\ntorch.manual_seed(1)\n",
    "dynamo_disable": lambda source: _decorated(source, "@torch.compiler.disable"),
    "enable_grad": lambda source: _decorated(source, "@torch.enable_grad()"),
    "docstrings": _with_docstrings,
    "docstrings_tested": lambda source: (
        _with_docstrings(source) + "\nimport doctest\ndoctest.testmod(verbose=True)\n"
    ),
}
