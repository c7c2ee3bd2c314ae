"""python -m course_lib.corpus [COUNT [CATEGORY]]: print random pairs, from one category if asked."""

import sys
from itertools import islice

from course_lib.corpus import draw_pairs

count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
for pair in islice(draw_pairs(category=" ".join(sys.argv[2:]) or "sentence"), count):
    print(pair)
