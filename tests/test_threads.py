"""torch gets no more threads than control groups grant cores, wherever the limit is written."""

import subprocess
import sys

import pytest
import torch

from course_lib.checks import threads
from course_lib.exercises.attention import lesson

CONTAINER = "0::/"
SERVICE = "0::/system.slice/jupyter-ada.service"
HOST_PATH = "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/"


@pytest.fixture
def machine(tmp_path, monkeypatch):
    def make(ours: str, files: dict[str, str]) -> None:
        (tmp_path / "ours").write_text(ours)
        for name, text in files.items():
            (tmp_path / "groups" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "groups" / name).write_text(text)
        monkeypatch.setattr(threads, "OURS", tmp_path / "ours")
        monkeypatch.setattr(threads, "GROUPS", tmp_path / "groups")

    return make


def version_1(quota: str, folder: str = "cpu") -> dict[str, str]:
    return {f"{folder}/cpu.cfs_quota_us": quota, f"{folder}/cpu.cfs_period_us": "100000\n"}


@pytest.mark.parametrize(
    ("ours", "files", "threads_left"),
    [
        (CONTAINER, {"cpu.max": "400000 100000\n"}, 4),
        (CONTAINER, {"cpu.max": "250000 100000\n"}, 2),
        (CONTAINER, {"cpu.max": "50000 100000\n"}, 1),
        (CONTAINER, {"cpu.max": "max 100000\n"}, 64),
        (CONTAINER, {"cpu.max": "12800000 100000\n"}, 64),
        (CONTAINER, {"cpu.max": "not what we know\n"}, 64),
        (CONTAINER, {}, 64),
        (SERVICE, {"system.slice/jupyter-ada.service/cpu.max": "200000 100000\n"}, 2),
        (
            SERVICE,
            {
                "system.slice/jupyter-ada.service/cpu.max": "max 100000\n",
                "system.slice/cpu.max": "3 1",
                "cpu.max": "800000 100000",
            },
            3,
        ),
        (HOST_PATH, version_1("200000\n"), 2),
        (HOST_PATH, version_1("-1\n"), 64),
        (HOST_PATH, version_1("-1\n") | version_1("300000\n", "cpu/docker/abc"), 3),
        ("5:cpuset:/\n", version_1("100000\n"), 64),
    ],
)
def test_threads_follow_the_limit(machine, monkeypatch, ours, files, threads_left):
    machine(ours, files)
    now = [64]
    monkeypatch.setattr(torch, "get_num_threads", lambda: now[-1])
    monkeypatch.setattr(torch, "set_num_threads", now.append)
    threads.limit_threads()
    assert now[-1] == threads_left


def test_without_control_groups_nothing_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(threads, "OURS", tmp_path / "missing")
    assert list(threads.granted_cores()) == []


def test_a_check_runs_in_one_thread_and_gives_the_others_back():
    before = torch.get_num_threads()
    seen = set()

    def causal_mask(size):
        seen.add(torch.get_num_threads())
        raise KeyboardInterrupt

    torch.set_num_threads(3)
    try:
        with pytest.raises(KeyboardInterrupt):
            lesson.check("causal_mask", causal_mask)
        assert (seen, torch.get_num_threads()) == ({1}, 3)
    finally:
        torch.set_num_threads(before)


def test_a_lesson_limits_its_threads(machine):
    machine(CONTAINER, {"cpu.max": "200000 100000"})
    code = (
        "import pathlib, torch; from course_lib.checks import threads; torch.set_num_threads(8);"
        f"threads.OURS = pathlib.Path({str(threads.OURS)!r});"
        f"threads.GROUPS = pathlib.Path({str(threads.GROUPS)!r});"
        "import course_lib.exercises.attention; print(torch.get_num_threads())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "2"
