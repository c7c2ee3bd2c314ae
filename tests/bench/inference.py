"""What a cache saves and costs: `python tests/bench/inference.py [--runs 5] [--device cuda]`.

The model of lesson 13 (4 layers, 256 numbers a word, 8 query heads, 2 for keys and values), untrained.
Printed: for texts of several lengths the milliseconds for the next word, without a cache and with one, lowest
/ median / highest of some runs, in CPU time of one core (on CUDA: elapsed time). Then the bytes of a cache,
counted by tensor and by formula. Then of attention, plain, by blocks and fused, the peak of allocated memory
(on the CPU by torch.profiler, which also sees what an operation allocates inside itself; on CUDA by its
allocator) and the milliseconds.
"""

import argparse
import math
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import jupytext
import torch
import torch.nn.functional as F
from torch import Tensor

from course_lib.authoring.build import ROOT
from course_lib.state import FOLDER

LENGTHS = (16, 64, 128, 256, 384, 500)
NEEDED = ("import math", "apply_rotary =", "GPT = yours", "def chunk_mask", "class CachedAttention")
NEEDED += ("def cached_layers", "class CachedGPT", "def blockwise_attention", "def cache_bytes")


def the_lesson() -> dict:
    """The cells of the lesson that define its model and its attention by blocks."""
    names: dict = {"__name__": "__main__"}
    for cell in jupytext.read(ROOT / "solutions" / "13_inference.py").cells:
        if cell.cell_type == "code" and cell.source.startswith(NEEDED):
            exec(cell.source, names)
    return names


def milliseconds(call: Callable, cuda: bool) -> float:
    if cuda:
        torch.cuda.synchronize()
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        torch.cuda.synchronize()
        return start.elapsed_time(end)
    began = time.process_time()
    call()
    return 1000 * (time.process_time() - began)


def peak_bytes(call: Callable, cuda: bool) -> int:
    if cuda:
        torch.cuda.synchronize()
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        call()
        torch.cuda.synchronize()
        return torch.cuda.max_memory_allocated() - before
    with torch.profiler.profile(profile_memory=True) as profile:
        call()
    recorder: Any = profile.profiler
    held = most = 0
    for event in recorder.kineto_results.events():
        if event.name() == "[memory]":
            held += event.nbytes()
            most = max(most, held)
    return most


def spread(values: list[float]) -> str:
    return f"{min(values):.2f} / {statistics.median(values):.2f} / {max(values):.2f}"


@torch.no_grad()
def words(names: dict, runs: int, cuda: bool) -> None:
    torch.manual_seed(0)
    gpt = names["GPT"](1000, d_model=256, heads=8, kv_heads=2, d_ff=684, layers=4)
    model = names["CachedGPT"](gpt, heads=8, kv_heads=2)
    print("words so far: ms without a cache; with one (lowest / median / highest); median ratio")
    for length in LENGTHS:
        text = torch.randint(1000, (1, length))
        _, cache = model(text[:, :-1])
        ways = {"without": lambda: model(text), "with": lambda: model(text[:, -1:], cache)}  # noqa: B023
        found = {}
        for name, way in ways.items():
            way()
            found[name] = [milliseconds(way, cuda) for _ in range(runs)]
        ratio = statistics.median(found["without"]) / statistics.median(found["with"])
        print(f"{length:5}: {spread(found['without'])}; {spread(found['with'])}; {ratio:.1f}")
    _, cache = model(torch.zeros(3, 100, dtype=torch.long))
    counted = names["cache_bytes"](4, 2, 32, words=100, batch=3, size=4)
    print(f"cache of 3 texts of 100 words: {cache.numel() * cache.element_size()} bytes, formula {counted}")


@torch.no_grad()
def attention(names: dict, runs: int, cuda: bool) -> None:
    heads = 16 if cuda else 1

    def by_blocks(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return names["blockwise_attention"](query, zip(key.split(64, -2), value.split(64, -2), strict=True))

    def plain(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        return (query @ key.mT / math.sqrt(query.shape[-1])).softmax(dim=-1) @ value

    dtype = torch.half if cuda else torch.float
    print(f"attention, {heads} head(s) of 64, {dtype}: peak MiB; ms (lowest / median / highest)")
    ways = {"plain": plain, "blocks of 64": by_blocks, "fused": F.scaled_dot_product_attention}
    for name, way in ways.items():
        for length in (512, 1024, 2048, 4096):
            given = torch.randn(3, 1, heads, length, 64, dtype=dtype)
            way(*given)
            peak = peak_bytes(lambda: way(*given), cuda) / 2**20  # noqa: B023
            found = [milliseconds(lambda: way(*given), cuda) for _ in range(runs)]  # noqa: B023
            print(f"{name:13} {length:5} words: {peak:8.2f} MiB; {spread(found)}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    options = parser.parse_args()
    os.environ[FOLDER] = ""  # with the course's pieces
    torch.set_num_threads(1)
    names = the_lesson()
    torch.set_default_device(options.device)
    for measure in (words, attention):
        measure(names, options.runs, options.device == "cuda")


if __name__ == "__main__":
    main()
