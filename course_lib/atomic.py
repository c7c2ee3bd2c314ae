"""Write a file so that a killed process leaves the old file or the new one, never a part of one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def write_atomically(path: str | Path, durable: bool = False) -> Iterator[BinaryIO]:
    """A file to write to; it gets the name `path` when the `with` block ends without an error.

    durable: wait until the content is on the disk, which on a slow disk takes long; else a power cut could
    leave the new name on an empty file.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")  # on the same disk, so that renaming is one step
    try:
        with open(part, "wb") as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
