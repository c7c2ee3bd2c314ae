"""The protocol between the judge and a learner's process: frames of JSON and raw bytes, never pickles.

The reading side trusts nothing: sizes are limited, types are listed, and anything else is a WireError.

A learner's code runs in the process that sends, and can open the socket by its number. So each frame begins
with a seal that is made before that code runs, and that who only has the number does not know.
"""

import json
import math
import secrets
import socket
import struct
from collections.abc import Callable, Collection
from typing import Any

import torch

from course_lib.checks.observation import Failure, Observation, Outcome
from course_lib.checks.source import LENGTH, Reading
from course_lib.grading.sandbox.clock import Timeout

HEAD = struct.Struct("<II")  # bytes of JSON, bytes of tensors
SEAL = 16  # bytes
DEPTH = 40  # of lists in lists
ITEMS = 1_000_000
TEXT = 20_000  # characters of a message
NAME = 100  # characters of a name, and of a value in words
SLIPS = 10  # of an outcome, and names of a reading
KINDS = ("not attempted", "raises", "type")
DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        *(torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
        *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128),
    )
}
BOXES = {"list": list, "tuple": tuple, "set": set}


class WireError(Exception):
    """What arrived is no message, or too large."""


class TooMuchError(WireError):
    """More bytes than the budget: mostly prints in a loop."""


class ConnectionClosedError(Exception):
    """The other process has ended, or has closed its side."""


class Wire:
    """A stream socket. `budget`: bytes that may still arrive; beyond it a WireError.

    timeout: for how long each wait may last, see clock.py; without one, for ever. seal: with what frames
    begin that are sent; expected: with what those must begin that arrive.
    """

    def __init__(
        self,
        connection: socket.socket,
        budget: float = math.inf,
        seal: bytes = b"",
        expected: bytes = b"",
    ):
        self.connection, self.budget = connection, budget
        self.seal, self.expected = seal, expected

    def send(self, message: Any, blob: bytes = b"", timeout: Timeout | None = None) -> None:
        text = json.dumps(message).encode("utf-8", "surrogatepass")
        left = memoryview(self.seal + HEAD.pack(len(text), len(blob)) + text + blob)
        while left:  # a receiver that does not read fills the socket's buffer, and then we wait
            left = left[self._when_ready(self.connection.send, left, timeout) :]

    def receive(self, timeout: Timeout | None = None) -> tuple[Any, bytes]:
        """The next message and its bytes."""
        if self.expected and self._exactly(len(self.expected), timeout) != self.expected:
            raise WireError("what was sent is not the check's")
        sizes = HEAD.unpack(self._exactly(HEAD.size, timeout))
        self.budget -= sum(sizes)  # before anything of that size is made
        if self.budget < 0:
            raise TooMuchError("more was sent than is allowed")
        text, blob = (self._exactly(size, timeout) for size in sizes)
        try:
            return json.loads(text.decode("utf-8", "surrogatepass")), blob
        except (ValueError, RecursionError):
            raise WireError("what was sent is not JSON") from None

    def _exactly(self, size: int, timeout: Timeout | None) -> bytes:
        parts = []
        while size:
            part = self._when_ready(self.connection.recv, min(size, 1 << 20), timeout)
            if not part:
                raise ConnectionClosedError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _when_ready(self, action: Callable, argument: Any, timeout: Timeout | None) -> Any:
        """action(argument) as soon as the socket is ready; what timeout raises ends the wait."""
        while True:
            self.connection.settimeout(timeout() if timeout else None)
            try:
                return action(argument)
            except TimeoutError:
                continue
            except OSError:
                raise ConnectionClosedError from None


def new_seal() -> bytes:
    return secrets.token_bytes(SEAL)


def pack(observation: Observation) -> tuple[dict, bytes]:
    blobs: list[bytes] = []
    message: dict[str, Any] = {
        kind: [[name, _packed(outcome, blobs)] for name, outcome in outcomes.items()]
        for kind, outcomes in (("parts", observation.parts), ("examples", observation.examples))
    }
    reading = observation.reading
    message["reading"] = [reading.code, [*reading.leftovers], [*reading.unread], reading.borrowed]
    message["unknown"] = [name[:NAME] for name in observation.unknown]
    return message, b"".join(blobs)


def _packed(outcome: Outcome, blobs: list[bytes]) -> dict:
    return {"slips": list(outcome.slips[:SLIPS])} | _packed_result(outcome, blobs)


def _packed_result(outcome: Outcome, blobs: list[bytes]) -> dict:
    if failure := outcome.failure:
        return {"failure": [failure.kind, failure.message[:TEXT], failure.line[:TEXT]]}
    kept = len(blobs)
    try:
        values = outcome.values or {}
        return {"values": [[label, _plain(value, blobs)] for label, value in values.items()]}
    except Exception as error:  # too large for memory, of a kind without numbers
        del blobs[kept:]
        return {"failure": ["type", f"A result cannot be read: {type(error).__name__}: {error}"[:TEXT], ""]}


def _bytes(tensor: torch.Tensor) -> bytes:
    """Of its numbers. `contiguous` keeps the stride 0 of one that `expand` made, which `view` refuses."""
    return tensor.clone(memory_format=torch.contiguous_format).flatten().view(torch.uint8).numpy().tobytes()


def _plain(value: Any, blobs: list[bytes]) -> Any:
    if isinstance(value, torch.Tensor):
        name, place = str(value.dtype).removeprefix("torch."), value.device.type
        data = b"" if place == "meta" else _bytes(value.cpu())
        blobs.append(data)
        return {"tensor": [name, list(value.shape), place, len(data)]}
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, dict):
        return {"dict": [[_plain(key, blobs), _plain(item, blobs)] for key, item in value.items()]}
    for name, box in BOXES.items():
        if isinstance(value, box):
            return {name: [_plain(item, blobs) for item in value]}
    return value


def unpack(message: Any, blob: bytes, parts: Collection[str], examples: Collection[str]) -> Observation:
    """The observation of these probes and examples. Raises WireError for anything else."""
    reader = _Reader(blob)
    try:
        parts_seen, examples_seen = reader.outcomes(message["parts"]), reader.outcomes(message["examples"])
        unknown = tuple(_text(name)[:NAME] for name in message["unknown"][:SLIPS])
        observation = Observation(parts_seen, examples_seen, _reading(*message["reading"]), unknown)
    except (
        KeyError,
        TypeError,
        ValueError,
        IndexError,
        AttributeError,
        RecursionError,
        RuntimeError,
        OverflowError,
    ):
        raise WireError("the results that were sent are malformed") from None
    if (
        observation.parts.keys() != set(parts)
        or not observation.examples.keys() <= set(examples)
        or reader.left
    ):
        raise WireError("the results that were sent belong to other probes")
    return observation


class _Reader:
    def __init__(self, blob: bytes):
        self.blob, self.items = blob, 0

    @property
    def left(self) -> int:
        return len(self.blob)

    def outcomes(self, pairs: list) -> dict[str, Outcome]:
        return {_text(name): self._outcome(entry) for name, entry in pairs}

    def _outcome(self, entry: dict) -> Outcome:
        slips = tuple(_text(slip)[:TEXT] for slip in entry["slips"][:SLIPS])
        if "failure" in entry:
            kind, message, line = map(_text, entry["failure"])
            return Outcome(
                failure=Failure(KINDS[KINDS.index(kind)], message[:TEXT], line[:TEXT]), slips=slips
            )
        return Outcome({_text(label): self._value(value, 0) for label, value in entry["values"]}, slips=slips)

    def _value(self, value: Any, depth: int) -> Any:
        self.items += 1
        if depth > DEPTH or self.items > ITEMS:
            raise WireError("the results that were sent are too deep or too many")
        if value is None or type(value) in (bool, int, str):
            return value
        ((kind, content),) = value.items()
        if kind == "tensor":
            return self._tensor(*content)
        if kind == "float":
            return float.fromhex(content)
        if kind == "dict":
            return {self._value(key, depth + 1): self._value(item, depth + 1) for key, item in content}
        return BOXES[kind](self._value(item, depth + 1) for item in content)

    def _tensor(self, name: str, shape: list[int], place: str, size: int) -> torch.Tensor:
        dtype = DTYPES[name]
        if not all(type(n) is int and n >= 0 for n in [*shape, size]) or len(shape) > DEPTH:
            raise WireError("a tensor that was sent has an impossible shape")
        if place == "meta":
            return torch.empty(shape, dtype=dtype, device="meta")
        if place != "cpu" or size != math.prod(shape) * dtype.itemsize or size > len(self.blob):
            raise WireError("a tensor that was sent has not the size of its shape")
        data, self.blob = self.blob[:size], self.blob[size:]
        if not size:
            return torch.empty(shape, dtype=dtype)
        return torch.frombuffer(bytearray(data), dtype=dtype).view(shape)


def _reading(code: str, leftovers: list, unread: list, borrowed: str) -> Reading:
    def pairs(found: list) -> tuple[tuple[str, str], ...]:
        return tuple((_text(name)[:NAME], _text(word)[:NAME]) for name, word in found[:SLIPS])

    return Reading(_text(code)[:LENGTH], pairs(leftovers), pairs(unread), _text(borrowed)[:NAME])


def _text(value: Any) -> str:
    if type(value) is not str:
        raise WireError("a name that was sent is no text")
    return value
