"""Messages of a learner's process: what arrives is what was sent, or a WireError."""

import json
import socket
import time

import pytest
import torch

from course_lib.checks.observation import Failure, Observation, Outcome
from course_lib.grading.sandbox.clock import DeadlineError, until
from course_lib.grading.sandbox.wire import (
    DTYPES,
    HEAD,
    ConnectionClosedError,
    Wire,
    WireError,
    pack,
    unpack,
)


def through(observation, blob_of=lambda blob: blob):
    message, blob = pack(observation)
    names = observation.parts, observation.examples
    return unpack(json.loads(json.dumps(message)), blob_of(blob), *names)


VALUES = {
    "plain": [None, True, 3, -1.5, "词", (1, 2), {3, 4}, {"a": [1], 2: 0.5, (1, "b"): None}],
    "not finite": [float("inf"), float("-inf")],
    "large": 10**300,
    "empty": torch.zeros(0, 3),
    "scalar": torch.tensor(2.5),
    "transposed": torch.arange(6.0).view(2, 3).mT,
    "expanded": torch.tensor(2.5).expand(1),
    "meta": torch.empty(2, 3, device="meta"),
}


def test_values_arrive_as_they_were():
    got = through(Observation({"part": Outcome(VALUES)}, {})).parts["part"].values
    for name in ("plain", "not finite", "large"):
        assert got[name] == VALUES[name]
        assert type(got[name]) is type(VALUES[name])
    for name in ("empty", "scalar", "transposed", "expanded"):
        assert torch.equal(got[name], VALUES[name])
    assert got["meta"].device.type == "meta"
    nan = through(Observation({"part": Outcome({"nan": float("nan")})}, {})).parts["part"].values["nan"]
    assert nan != nan


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_every_kind_of_tensor_arrives(dtype):
    tensor = torch.tensor([[0, 1], [1, 1]]).to(dtype)
    (got,) = through(Observation({"part": Outcome({"x": tensor})}, {})).parts["part"].values.values()
    assert got.dtype == dtype
    assert torch.equal(got, tensor)


def test_failures_arrive():
    failure = Failure("raises", "ValueError: no", "line 3: x")
    got = through(Observation({"part": Outcome(failure=failure)}, {"f(1)": Outcome({"y": 1})}))
    assert got.parts["part"].failure == failure
    assert got.parts["part"].failure.line == "line 3: x"
    assert got.examples["f(1)"].values == {"y": 1}


def test_a_result_that_cannot_be_sent_is_the_answers_fault():
    sparse = torch.eye(2).to_sparse()
    got = through(Observation({"part": Outcome({"x": sparse})}, {})).parts["part"]
    assert got.failure.kind == "type"
    assert "cannot be read" in got.failure.message


def nested(depth):
    value = 1
    for _ in range(depth):
        value = {"list": [value]}
    return value


FORGED = {
    "other parts": ({"parts": [], "examples": []}, b""),
    "no dict": ([1, 2], b""),
    "number as name": ({"parts": [[1, {"values": []}]], "examples": []}, b""),
    "unknown kind": ({"parts": [["part", {"values": [["x", {"pickle": "gASV"}]]}]], "examples": []}, b""),
    "two kinds": ({"parts": [["part", {"values": [["x", {"list": [], "set": []}]]}]], "examples": []}, b""),
    "unknown dtype": (
        {"parts": [["part", {"values": [["x", {"tensor": ["object", [1], "cpu", 8]}]]}]], "examples": []},
        b"\0" * 8,
    ),
    "wrong size": (
        {"parts": [["part", {"values": [["x", {"tensor": ["float32", [3], "cpu", 8]}]]}]], "examples": []},
        b"\0" * 8,
    ),
    "huge shape": (
        {
            "parts": [["part", {"values": [["x", {"tensor": ["float32", [2**40], "cpu", 2**42]}]]}]],
            "examples": [],
        },
        b"\0" * 8,
    ),
    "negative shape": (
        {
            "parts": [["part", {"values": [["x", {"tensor": ["float32", [-1, -2], "cpu", 8]}]]}]],
            "examples": [],
        },
        b"\0" * 8,
    ),
    "bytes left over": ({"parts": [["part", {"values": []}]], "examples": []}, b"\0"),
    "a verdict": ({"parts": [["part", {"failure": ["right", "", ""]}]], "examples": []}, b""),
    "too deep": ({"parts": [["part", {"values": [["x", nested(60)]]}]], "examples": []}, b""),
    "unhashable": ({"parts": [["part", {"values": [["x", {"set": [{"list": []}]}]]}]], "examples": []}, b""),
}


@pytest.mark.parametrize(("message", "blob"), FORGED.values(), ids=FORGED)
def test_what_no_check_sends_is_refused(message, blob):
    with pytest.raises(WireError):
        unpack(message, blob, ["part"], [])


def test_frames_arrive_and_their_ends_are_told():
    here, there = socket.socketpair()
    Wire(here).send({"a": [1, "词"]}, b"\0\1")
    wire = Wire(there, budget=100)
    assert wire.receive() == ({"a": [1, "词"]}, b"\0\1")
    with pytest.raises(DeadlineError):
        wire.receive(until(time.monotonic() + 0.05))
    here.sendall(HEAD.pack(2**31, 2**31))
    with pytest.raises(WireError, match="more was sent"):
        wire.receive(until(time.monotonic() + 5))
    here.close()
    with pytest.raises(ConnectionClosedError):
        wire.receive()


def test_a_frame_without_the_senders_seal_is_refused():
    here, there = socket.socketpair()
    wire = Wire(there, expected=b"0123")
    Wire(here, seal=b"0123").send([1])
    assert wire.receive() == ([1], b"")
    Wire(here, seal=b"4567").send([1])
    with pytest.raises(WireError, match="not the check's"):
        wire.receive()


def test_what_is_not_json_is_refused():
    here, there = socket.socketpair()
    here.sendall(HEAD.pack(3, 0) + b"\x80\x04.")
    with pytest.raises(WireError, match="not JSON"):
        Wire(there).receive(until(time.monotonic() + 5))


def test_a_message_that_comes_in_pieces_is_waited_for_and_one_that_nobody_reads_is_not_sent():
    here, there = socket.socketpair()
    with pytest.raises(DeadlineError):
        Wire(there).send("x" * 2**24, timeout=until(time.monotonic() + 0.05))
    here, there = socket.socketpair()
    frame = HEAD.pack(3, 0) + b"[1]"
    here.sendall(frame[:-2])

    def timeout():
        here.sendall(frame[-2:] if len(calls) == 2 else b"")
        calls.append(1)
        return 0.01

    calls = []
    assert Wire(there).receive(timeout) == ([1], b"")
    assert len(calls) == 3  # for the head, for the first byte, and for the others
