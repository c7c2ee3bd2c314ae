"""Checkpoints: written so that a killed run leaves a whole one, read only into the model they belong to."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from course_lib.atomic import write_atomically


def save_atomically(content: dict[str, Any], path: str | Path) -> None:
    """At every moment, even after a power cut, `path` is the old file or the new one."""
    with write_atomically(path, durable=True) as file:
        torch.save(content, file)


def load_checkpoint(path: str | Path) -> dict[str, Any]:
    """What `save_atomically` wrote, on the CPU; raises ValueError if the file is no such thing."""
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint that can be read: {error}") from error


def require_same(saved: dict[str, Any], expected: Any, what: str) -> None:
    """Raise ValueError naming the fields in which the checkpoint's `saved` differs from a dataclass."""
    fields = asdict(expected)
    names = [name for name in fields | saved if saved.get(name) != fields.get(name)]
    if names:
        differences = ", ".join(f"{name} is {saved.get(name)!r}, not {fields.get(name)!r}" for name in names)
        raise ValueError(f"the checkpoint belongs to another {what}: there {differences}")
