"""Milliseconds of a training step in one thread, and in one for each core: python tests/bench/threads.py

Of lesson 07's model on batches of 32 pairs, by the clock, since threads that wait count as well: first while
the machine does nothing else, then beside one busy process and beside one for each core. Rounds alternate,
medians are printed.
"""

import contextlib
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

import torch
from torch import nn

from course_lib.model.config import TransformerConfig
from course_lib.model.transformer import Transformer

CORES = len(os.sched_getaffinity(0))
ROUNDS, STEPS = 3, 20


def main() -> None:
    print(f"| other busy processes | 1 thread, ms | {CORES} threads, ms | times as long |\n{'|---' * 4}|")
    for others in dict.fromkeys((0, 1, CORES)):
        with busy(others):
            measured = [[a_step(threads) for threads in (1, CORES)] for _ in range(ROUNDS)]
        one, many = (statistics.median(column) for column in zip(*measured, strict=True))
        print(f"| {others} | {one:.1f} | {many:.1f} | {many / one:.1f} |", flush=True)


@contextlib.contextmanager
def busy(count: int) -> Iterator[None]:
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for one in others:
            one.kill()
            one.wait()


def a_step(threads: int) -> float:
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    sizes = TransformerConfig(206, 295, d_model=64, heads=4, d_ff=256, encoder_layers=1, decoder_layers=1)
    model = Transformer(sizes)
    optimizer = torch.optim.AdamW(model.parameters())
    source, target = torch.randint(4, 206, (32, 9)), torch.randint(4, 295, (32, 11))
    times = []
    for _ in range(STEPS):
        start = time.perf_counter()
        logits = model(source, target[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.mean(times[2:])


if __name__ == "__main__":
    main()
