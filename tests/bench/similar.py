"""How well `course similar` finds copies in a made class: python tests/bench/similar.py 02_attention

Precision and recall of the first K pairs, K being the number of copies, with the worst of the seeds.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from copies import honest, source, with_copies

from course_lib import exercises
from course_lib.grading.similar.pairs import PUBLIC, compare


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lesson", nargs="?", default="02_attention")
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--copies", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    tables = exercises.load(options.lesson).exercises
    shares = []
    for seed in range(options.seeds):
        answers, copies = with_copies(honest(options.lesson, options.students, seed), options.copies, seed)
        answers[PUBLIC] = {name: source(table.reference_implementation) for name, table in tables.items()}
        started = time.process_time()
        found = compare(answers, dict.fromkeys(tables, ""), most=2 * options.copies)
        seconds = time.process_time() - started
        ranks = [rank for rank, pair in enumerate(found.pairs, 1) if (pair.one, pair.other) in copies]
        first = sum(rank <= options.copies for rank in ranks)
        shares.append(first / options.copies)
        print(
            f"seed {seed}: of the first {options.copies} pairs {first} are copies, of the first "
            f"{2 * options.copies} {len(ranks)}; {seconds:.1f} CPU s",
            flush=True,
        )
    print(f"precision and recall of the first {options.copies}: worst {min(shares):.2f}")


if __name__ == "__main__":
    main()
