"""A library changes no module, and no class in one, for a learner who gives it the module and a name."""

import subprocess
import sys

import pytest

from course_lib.authoring.build import ROOT

BEGIN = """
from unittest import mock
import argparse, contextlib, dataclasses, enum, functools, io, linecache, sys, traceback, typing
import torch
from torch import nn
from course_lib.grading.sandbox.kept_modules import keep_modules

keep_modules()
def mine(*given): return "mine"
mine.lazycache = mine
parser = argparse.ArgumentParser()
parser.add_argument("--lazycache")
schedule = torch.optim.lr_scheduler.StepLR
class Error:
    __module__, __members__ = "linecache", {"lazycache": mine}
"""
WAYS = {
    "a namespace": "argparse.Namespace.__init__(linecache, lazycache=mine)",
    "a parser": 'parser.parse_args(["--lazycache", "1"], linecache)',
    "enum": "enum.global_enum(Error)",
    "a module": 'nn.Module.__setstate__(linecache, {"lazycache": mine})',
    "a schedule": 'schedule.load_state_dict(linecache, {"lazycache": mine})',
    "functools": "functools.update_wrapper(linecache, mine, assigned=())",
    "a class": "argparse.Namespace.__init__(traceback.StackSummary, extract=mine)",
}
TRIED = """
before = linecache.lazycache, traceback.StackSummary.extract
with contextlib.suppress(AttributeError):
    {way}
assert (linecache.lazycache, traceback.StackSummary.extract) == before
"""
BY_ANY_NAME = """
class Still(nn.Parameter):
    requires_grad = property(lambda self: False)
weight = nn.Parameter(torch.ones(2))
def among(names, begins):
    return [name for name in names if name.startswith(begins)][0]
(own_class, same) = among(dir(weight), "__cla"), among(dir(Still), "__eq")
named = argparse.ArgumentParser()
named.add_argument("--as", dest=own_class, type=lambda text: Still)
for change in (
    lambda: setattr(weight, own_class, Still),
    lambda: [*map(setattr, [weight], ["the __class__".split()[1]], [Still])],
    lambda: functools.partial(setattr, weight)(own_class, Still),
    lambda: setattr(Still, same, lambda self, other: True),
    lambda: exec("setattr(Still, same, lambda self, other: True)"),
    lambda: named.parse_args(["--as", "1"], weight),
    lambda: functools.update_wrapper(weight, Still(weight), assigned=[own_class], updated=()),
):
    with contextlib.suppress(AttributeError):
        change()
assert type(weight) is nn.Parameter and same not in vars(Still)
for name in ("__name__", "__eq__"):  # which the audit reads
    setattr(Still, name, name)
assert Still.__eq__ == "__eq__" and Still.__name__ == "__name__"
"""
HONEST = """
import torch._dynamo, torch._numpy  # they change names of torch
import pathlib, tempfile
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "later.py").write_text(
        "import enum\\nclass Kind(enum.IntEnum):\\n    ONE = 1\\nenum.global_enum(Kind)\\n"
    )
    sys.path.insert(0, folder)
    import later
    assert later.ONE == 1
class Size(typing.NamedTuple):
    rows: int
    def __eq__(self, other): return True
@functools.total_ordering
class Ordered:
    def __lt__(self, other): return True
assert mock.MagicMock() == mock.ANY and Size(1) == 2
with contextlib.redirect_stdout(io.StringIO()) as told:
    print("told")
assert told.getvalue() == "told\\n"
@dataclasses.dataclass(frozen=True)
class Pair:
    one: int
    other: "torch.Tensor" = None
assert Pair(1) == Pair(1) and typing.get_type_hints(Pair)["other"] is torch.Tensor
class Color(enum.Enum):
    RED = 1
place = argparse.Namespace(a=1)
setattr(place, "b", 2)
torch.optim.Adam(nn.Linear(1, 1).parameters())
assert linecache.__dict__["getline"] is linecache.getline and "getline" in vars(linecache)
linecache.own = 3  # a cell's own change is the audit's to see
assert linecache.own == 3
"""


def run(code):
    command = [sys.executable, "-c", BEGIN + code]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_nobody_changes_it_for_a_learner(way):
    done = run(TRIED.format(way=way))
    assert done.returncode == 0, done.stderr


def test_nothing_gets_another_class_by_a_name_that_nobody_has_read():
    done = run(BY_ANY_NAME)
    assert done.returncode == 0, done.stderr


def test_honest_work_goes_on():
    done = run(HONEST)
    assert done.returncode == 0, done.stderr
