"""What is said of the draws of dropout, in words: what is drawn differs from answer to answer."""

import torch

from course_lib.checks.results import RejectedError

# What is found must not differ from call to call. So a share that was counted is compared to within NEAR,
# sentences hold no such number, and a right answer misses a bound with a probability below 1e-9.
NEAR = 0.05
SHAPE = 11, 19, 29  # odd numbers, for told_of_factor
MANY, MORE = (10, 50, 80), (50, 50, 80)
CALLS = 300
DROPS_ALL = "In training, with p = {0}, your function drops everything."
DROPS_NONE = "In training, with p = {0}, your function drops nothing."
NOT_P = "With p = {0}, the share of the numbers that are dropped is not p."
NOTHING_DRAWN = (
    "Your function drops the same places in each call, so no number has a probability to be dropped. Draw a "
    "random number for each number of x."
)
AGAIN = "The draws of a call come again in a later one. Draw anew in each call."


def numbers(inputs, *shape):
    """Numbers of which none is near 0, so that a 0 was dropped."""
    x = inputs.normal(*(shape or SHAPE))
    return x + torch.where(x < 0, -0.5, 0.5)


def probabilities(inputs) -> tuple[float, float]:
    """One half, by which most can be told, and one that is drawn."""
    return 0.5, inputs.chance()


def called(drop, x, p, training=True):
    result = drop(x, p, training)
    if result.shape != x.shape:
        raise RejectedError(f"`output` has shape {tuple(result.shape)}, expected {tuple(x.shape)}, as x.")
    return result


def told_of_factor(result, x, p) -> str:
    """A sentence on the numbers that are kept, if they are not x / (1 - p)."""
    if result.dtype != x.dtype:
        return f"The output is {result.dtype} for an x of {x.dtype}."
    if not result.any():
        return ""  # nothing is kept: the matter of another part
    # Of 6,061 numbers no share is exactly 0.2 or 0.5, so dividing by the share that was kept is never right.
    found, right = (result / x)[result != 0], 1 / (1 - p)
    if torch.allclose(found, torch.tensor(right, dtype=x.dtype), rtol=1e-5):
        return ""
    if found.min() != found.max() and found.std() > 1e-4 * found.mean().abs():
        return (
            f"With p = {p}, numbers that are kept are multiplied by different factors, not all by {right:g}."
        )
    if abs(float(found.mean()) / right - 1) < 0.08:
        return f"With p = {p}, numbers that are kept are multiplied by about {right:g}, but not exactly."
    return f"With p = {p}, a number that is kept is multiplied by {found.mean():.3g}, expected {right:g}."


def share_dropped(drop, inputs, p, calls=1) -> float:
    """The share of the numbers that are dropped, or p itself if it is near."""
    shares = [(called(drop, numbers(inputs), p) == 0).double().mean() for _ in range(calls)]
    share = float(sum(shares) / calls)
    return p if abs(share - p) < NEAR else round(share, 2)


def told_of_exact_share(result, p) -> str:
    """The same of draws that are independent, to what their count allows."""
    off = abs((result == 0).double().mean() - p)
    if off < FAR * (p * (1 - p) / result.numel()) ** 0.5:
        return ""
    if off > NEAR:
        return NOT_P.format(p)
    return f"With p = {p}, the share of the numbers that are dropped is near p, but not p."


def told_of_fixed_places(drop, inputs) -> str:
    """A sentence on a function whose draws repeat, if it drops the same places in each call: it draws none.

    Where anything is drawn, 60 calls drop the same with a probability of 2**-59 at most.
    """
    calls = {tuple((called(drop, numbers(inputs), 0.5) == 0).flatten().tolist()) for _ in range(60)}
    return NOTHING_DRAWN if len(calls) == 1 else ""


def told_of_choice(result, x, p) -> str:
    """A sentence on draws that depend on the number itself: on its sign or on its size."""
    dropped = (result == 0).double()
    for group in (x > 0, x.abs() > x.abs().median()):
        sizes = group.sum(), (~group).sum()
        bound = FAR * (p * (1 - p) * sum(1 / size for size in sizes)) ** 0.5
        if (dropped[group].mean() - dropped[~group].mean()).abs() > bound:
            return "Whether a number is dropped depends on its value. The draws must not depend on x."
    return ""


def spread_of_counts(dropped, axis) -> torch.Tensor:
    """The variance of the number dropped along an axis, where 1 is that of independent draws."""
    share, size = dropped.float().mean(), dropped.shape[axis]
    counts = dropped.sum(axis).float()
    return counts.var() / (size * share * (1 - share)).clamp_min(1e-9)


# For independent draws each sum of n signs below passes 8 * sqrt(n) with a probability below 2 exp(-8² / 2) =
# 2.5e-14 (Hoeffding; at another p by Bernstein). 632 pairs of slices and fewer than 5,900 lags are looked at:
# 1.7e-10 in all.
FAR = 8.0
SHARED = (  # for each axis of x
    "Some sentences of a batch share their draws. Draw for each number of x.",
    "Some words of a sentence share their draws. Draw for each number of x.",
    "Some features of a word share their draws. Draw for each number of x.",
)
ONE_FOR_ALL = (
    "One draw decides for all sentences of a batch. Draw for each number of x.",
    "One draw decides for all words of a sentence. Draw for each number of x.",
    "One draw decides for all features of a word. Draw for each number of x.",
)


def one_draw_decides(drop, inputs, dropped) -> bool:
    """Whether a call drops everything or nothing, by chance. dropped: what one of them did."""
    if dropped.any() and not dropped.all():
        return False
    small = numbers(inputs, 1, 4, 10)
    return len({bool((called(drop, small, 0.5) == 0).any()) for _ in range(60)}) == 2


def told_of_none(drop, inputs, dropped, p=0.5) -> str:
    """A sentence on a function that drops nothing, or everything, in each call. dropped: what one did."""
    if (dropped.any() and not dropped.all()) or one_draw_decides(drop, inputs, dropped):
        return ""
    return (DROPS_ALL if dropped.any() else DROPS_NONE).format(p)


def told_of_copies(dropped) -> str:
    """A sentence on draws that decide for more than one number. Where half of all are dropped it tells most.

    Of two slices of an axis, any two; of the numbers of x in their order, any period.
    """
    signs = 2.0 * dropped.double() - 1.0
    signs -= signs.mean()  # another share than a half is no copy, and sums are smaller
    for axis, shared in enumerate(SHARED):
        slices = signs.transpose(0, axis).flatten(1)
        sums = (slices @ slices.mT).fill_diagonal_(0)
        if sums.abs().max() > FAR * slices.shape[1] ** 0.5:
            return shared
    flat, size = signs.flatten(), signs.numel()
    sums = torch.fft.irfft(torch.fft.rfft(flat, 2 * size).abs() ** 2, 2 * size)[1 : size - 200]
    pairs = torch.arange(size - 1, 200, -1)  # so many numbers have another so far behind them
    if (sums.abs() > FAR * pairs.sqrt()).any():
        return "Your draws repeat. Draw for each number of x."
    return ""


def counts_depend(drop, inputs) -> bool:
    """Whether the count of dropped numbers, of 4 or of 6,061, is another one than that of independent draws.

    Of 4 numbers, where one may copy another's draw, in calls until the odds are clear (Wald's test): e**21
    to 1 comes of independent draws with a probability below 1e-9, and after 600 calls all is well.
    """
    odds, times = 0.0, torch.tensor([2, 1, 2 / 3, 1, 2]).log().tolist()  # by count
    few, x = numbers(inputs, 1, 1, 4), numbers(inputs)
    for _ in range(600):
        odds += times[int((called(drop, few, 0.5) == 0).sum())]
        if not -6 < odds < 21:
            break
    counts = {int((called(drop, x, 0.5) == 0).sum()) for _ in range(8)}
    return odds >= 21 or len(counts) == 1


def told_of_calls(calls) -> str:
    """A sentence on calls, in rows, of which one drops what another does, or what it keeps."""
    if calls[0].all() or not calls[0].any():
        return ""
    if (calls == calls[0]).all():
        return "Every call drops the same numbers."
    if told_of_copies(calls[0].view(SHAPE)):
        return ""  # fewer draws than numbers: the matter of another part
    signs = 2.0 * calls.double() - 1.0
    signs -= signs.mean(1, keepdim=True)
    sums = (signs @ signs.mT).fill_diagonal_(0)
    again = "What one call drops depends on what another one dropped. Draw anew in each call."
    return again if sums.abs().max() > FAR * signs.shape[1] ** 0.5 else ""


def told_of_repeats(drop, inputs, p) -> str:
    """A sentence on draws that come again in a later call, whatever torch's seed is.

    Of 300 calls of 200 numbers two drop the same with a probability of 300² / 2 * (p² + (1 - p)²)**200. This
    is below 3e-13 for p from 0.1 to 0.9.
    """
    x, seen = numbers(inputs, 2, 5, 20), set()
    for seed in range(CALLS):
        if seed % 2:
            torch.default_generator.manual_seed(seed)
        seen.add(tuple((called(drop, x, p) == 0).flatten().tolist()))
    return AGAIN if len(seen) < CALLS else ""
