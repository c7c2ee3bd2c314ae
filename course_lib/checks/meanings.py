"""What errors mean for an answer, in words and in the learner's names."""

import re

LONGEST = 1000  # characters of what an error says
# What PyTorch says, and what it means for an answer.
MEANINGS = (
    (r"for \^|bitwise_xor", "In Python `^` works on bits; a power is `**`."),
    (
        r"leaf Variable that requires grad",
        "Your code writes into a tensor that needs a gradient. Make a new one, as `x = x * 2` does; a "
        "parameter is filled inside `with torch.no_grad():`.",
    ),
    (
        r"modified by an inplace operation|used in an in-place operation|is being modified inplace",
        "Your code writes into a tensor (as `e /= s`, `x[0] = y` or `x.add_(y)` do) whose old numbers the "
        "gradient needs. Make a new one: `e = e / s`.",
    ),
    (
        r"does not require grad|not have been used in the graph",
        "No gradient reaches the parameters: the result does not depend on them, a step on the way stops the "
        "gradient, or they are frozen.",
    ),
    (
        r"arguments - got \(.*\bout=NoneType",
        "Your code calls a function of NumPy on a tensor. Use torch's functions.",
    ),
    (
        r"Can't call numpy\(\) on Tensor that requires grad",
        "NumPy has no gradients, and `detach` would lose them. Use torch's functions.",
    ),
)
OF_NUMBERS = (
    r"division|[Oo]verflow|domain error|NaN|infinity"  # errors that no shape and no kind is to blame for
)


def meaning_of(error: BaseException) -> str:
    """What it says, in the learner's names, and what it means where that is hard to see."""
    text = f"{type(error).__name__}: {error}".strip(": ")
    if len(text) > LONGEST:
        text = text[:LONGEST] + "..."
    text = re.sub(r"course_lib\.exercises\.[\w.]*\.(?=\w)", "", text)  # stand-ins have learners' names
    meaning = next((meaning for pattern, meaning in MEANINGS if re.search(pattern, text)), "")
    return meaning + f" (PyTorch says: {text:.120})" if meaning else text


def raised(message: str) -> str:
    """That an answer raised; `message` is of `meaning_of`."""
    return message if _tells_meaning(message) else f"Your code raised {message}"


def unusable(message: str) -> str:
    """Where the probe fails, which computes with what the answer gave."""
    if _tells_meaning(message):
        return message
    look = "" if re.search(OF_NUMBERS, message) else " Look at shapes and types."
    message = message.rstrip(".")
    return f"The check computes with what you return, and this fails: {message:.300}.{look}"


def _tells_meaning(message: str) -> bool:
    return any(message.startswith(meaning) for _, meaning in MEANINGS)
