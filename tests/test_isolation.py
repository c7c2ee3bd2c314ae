"""Each attack goes through without layers; each layer that should stop it does so alone, and so do all."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from sandbox_attacks import NEEDS_ROOT, NEVER_WITHOUT, STOPPED_BY

from course_lib.authoring.build import ROOT
from course_lib.grading.sandbox import isolation

pytestmark = pytest.mark.xdist_group("isolation")  # one process that forks, for all
linux = pytest.mark.skipif(sys.platform != "linux", reason="isolation needs Linux")
ALONE = [(attack, layers) for attack, stops in STOPPED_BY.items() for layers in stops]


@pytest.fixture(scope="module")
def ask():
    command = [sys.executable, Path(__file__).with_name("sandbox_server.py"), "serve"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, env=environment, text=True) as process:

        def ask(*question):
            print(json.dumps(question), file=process.stdin, flush=True)
            return json.loads(process.stdout.readline())

        yield ask
        process.stdin.close()


@pytest.fixture(scope="module")
def found(ask):
    return ask("probe")


@pytest.fixture(scope="module")
def active(found):
    return [layer for layer, state in found.items() if state == "active"]


def skip_unless(layers, found):
    for layer in layers:
        if found[layer] != "active":
            pytest.skip(f"{layer}: {found[layer]}")


@linux
@pytest.mark.parametrize("attack", sorted(STOPPED_BY.keys() - NEVER_WITHOUT))
def test_the_attack_goes_through_without_layers(ask, attack):
    if attack in NEEDS_ROOT and os.geteuid():
        pytest.skip("only root could do it anyway")
    assert ask("attack", attack, [])


@linux
@pytest.mark.parametrize(("attack", "layers"), ALONE, ids=str)
def test_one_layer_alone_stops_it(ask, found, attack, layers):
    layers = layers.split("+")
    skip_unless(layers, found)
    if layers == ["processes"]:  # the kernel does not count root's
        layers += [layer for layer in ("uid", "user", "pid", "mount") if found[layer] == "active"]
    said = ask("attack", attack, layers)
    if "uid" in layers and "cannot read" in said:
        pytest.skip(f"uid alone: {said}")
    assert said == ""


@linux
@pytest.mark.parametrize("attack", STOPPED_BY)
def test_all_layers_stop_it(ask, found, active, attack):
    if not any(set(layers.split("+")) <= set(active) for layers in STOPPED_BY[attack]):
        pytest.skip("; ".join(f"{layer}: {found.get(layer)}" for layer in STOPPED_BY[attack]))
    assert ask("attack", attack, active) == ""


@linux
@pytest.mark.parametrize("without", ["nothing", "pid"])
def test_no_process_survives_kill_all(ask, active, without):
    assert ask("survivors", [layer for layer in active if layer != without]) == ""


@linux
def test_no_process_survives_its_grader(ask, found, active):
    skip_unless(["pid", "session"], found)
    assert ask("orphans", active) == ""


ORDINARY = """
import importlib, multiprocessing, os, sys, tempfile
from pathlib import Path
import matplotlib.pyplot as plt, torch
from IPython.core.interactiveshell import InteractiveShell
from course_lib.grading.sandbox import isolation

class Numbers(torch.utils.data.Dataset):
    def __len__(self): return 64
    def __getitem__(self, index): return torch.full((1000,), float(index))

def learner(scratch):
    print(InteractiveShell.instance().run_cell("import this\\n1 + 1").result)
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=8, num_workers=1)
    print(sum(batch[:, 0].sum().item() for batch in loader))
    with multiprocessing.get_context("fork").Pool(2) as pool: print(pool.map(abs, [-1, -2]))
    plt.plot([1, 2]); plt.savefig("figure.png"); print(Path(scratch, "figure.png").stat().st_size > 1000)
    with tempfile.TemporaryFile() as file: print(file.write(b"12345"))
    print(importlib.import_module("networkx").__name__, len(Path("/dev/urandom").open("rb").read(3)))
    print(Path("/dev/null").write_text("gone"), torch.rand(300, 300).matmul(torch.rand(300, 300)).shape)
    reading, writing = os.pipe()
    if os.fork() == 0: os.write(writing, b"snapshot"); os._exit(0)
    print(os.read(reading, 100).decode(), os.wait()[1])

layers = [layer for layer, state in isolation.probe().items() if state == "active"]
with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o755)
    scratch = Path(folder, "scratch"); scratch.mkdir()
    pid = isolation.fork(layers)
    if pid == 0:
        status = 1
        try:
            isolation.confine(scratch, [Path(isolation.__file__).parents[2]], [], isolation.Limits(), layers)
            learner(scratch); status = 0
        except BaseException:
            import traceback; traceback.print_exc()
        finally: sys.stdout.flush(); sys.stderr.flush(); os._exit(status)
    print(os.waitpid(pid, 0)[1])
"""


@linux
def test_honest_work_goes_on_in_it():
    """A warm process with torch; data loaders and pools; figures; new imports; snapshots of itself."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "agg", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", ORDINARY]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.stderr == ""
    lines = done.stdout.splitlines()[-10:]
    sizes = ["2016.0", "[1, 2]", "True", "5", "networkx 3", "4 torch.Size([300, 300])", "snapshot 0", "0"]
    assert lines[-9:] == ["2", *sizes]


def test_elsewhere_it_says_what_is_missing(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert set(isolation.probe().values()) == {"only Linux has it, and this is darwin"}


def test_wrong_layers_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"unknown layers \['magic'\]; there are session, user"):
        isolation.confine(tmp_path, [], [], isolation.Limits(), ["magic"])
    with pytest.raises(ValueError, match=r"fork\(layers\)"):
        isolation.confine(tmp_path, [], [], isolation.Limits(), ["pid"])
