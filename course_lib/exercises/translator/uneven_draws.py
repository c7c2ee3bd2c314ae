"""Whether a long training draws all of its batches with the same probability: in words."""

from course_lib.exercises.translator.training_runs import Mark

TIMES = 600  # steps in which batches are counted
UNEVEN = (
    "In {0} steps with {1} batches, those from {2} to {3} come {4} times, expected about {5} times. Draw "
    "each batch with the same probability."
)
UNEVEN_FOURTH = (
    "In {0} steps with {1} batches, every fourth batch from {2} on comes {3} times, expected about {4} "
    "times. Draw each batch with the same probability."
)
UNEVEN_ONE = (
    "In {0} steps with {1} batches, `batches[{2}]` comes {3} times, expected about {4} times. Draw each "
    "batch with the same probability."
)
UNEVEN_TURNS = (
    "In every second one of {0} steps with {1} batches, `batches[{2}]` comes {3} times in all, expected "
    "about {4} times. Draw each batch with the same probability in each step."
)
NEVER = "In {0} steps you never use `batches[{1}]` of {2} batches."


def told_of_uneven(marks: list[Mark], count: int) -> str:
    """What is wrong with how often each of `count` batches, 2 to 5 or a multiple of four, comes in `TIMES`.

    A right answer has this by a chance below 1e-9: the counts are binomial, or nearer to what is expected.
    """
    drawn = [place for place, _ in marks]
    if len(drawn) != TIMES:
        return ""
    for place in range(count) if count < 6 else ():
        for turns, told in ((drawn, UNEVEN_ONE), (drawn[::2], UNEVEN_TURNS), (drawn[1::2], UNEVEN_TURNS)):
            if _is_far(times := turns.count(place), len(turns), count):
                return told.format(TIMES, count, place, times, len(turns) // count)
    for k in range(4) if count % 4 == 0 else ():
        first, last = k * count // 4, (k + 1) * count // 4 - 1
        if _is_far(times := sum(first <= place <= last for place in drawn), TIMES, 4):
            return UNEVEN.format(TIMES, count, first, last, times, TIMES // 4)
        if _is_far(times := sum(place % 4 == k for place in drawn), TIMES, 4):
            return UNEVEN_FOURTH.format(TIMES, count, k, times, TIMES // 4)
    size = -(-count // 20)  # so many in a row come at least once, but for a chance of 1e-11
    missing = [place for place in range(count - size + 1) if not {*range(place, place + size)} & {*drawn}]
    return NEVER.format(TIMES, missing[0], count) if missing else ""


def _is_far(times: int, steps: int, count: int) -> bool:
    """Whether one of `count` comes 7 standard deviations less or more often than is expected."""
    return abs(times - steps / count) > 7 * (steps * (count - 1)) ** 0.5 / count
