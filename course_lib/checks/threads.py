"""Gives torch one thread: by itself it starts one for each core that it sees, and they wait for each other.

What a lesson computes is small. Where a machine does nothing else a second thread saves a third of the time.
Beside other work, or where a hub grants fewer cores than there are, it takes several times as long
(`python tests/bench/threads.py`).
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

CHOSEN = "OMP_NUM_THREADS"  # environment variable: how many threads somebody wants


def begin_with_one_thread() -> None:
    """Unless CHOSEN says how many."""
    if CHOSEN not in os.environ:
        torch.set_num_threads(1)


@contextmanager
def one_thread() -> Iterator[None]:
    """Within it torch has one thread, whatever was chosen: a check's tensors are smaller still."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
