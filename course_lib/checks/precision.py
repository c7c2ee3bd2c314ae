"""Whether a module keeps the dtype of its inputs: in words, so that a wrong number does not cost twice."""

import torch

from course_lib.checks.guard import RaisedError
from course_lib.checks.results import RejectedError

NARROWED = (
    "After `module.double()` and with inputs of float64 your output is {0}. A result keeps the dtype of its "
    "inputs."
)


def told_of_float64(instance, *arguments) -> str:
    """A finding on a module that a probe has built for this; an error is no finding, as everybody sees it."""
    instance.double()
    wide = [x.double() if torch.is_tensor(x) and x.is_floating_point() else x for x in arguments]
    try:
        results = instance.forward(*wide)
    except (RaisedError, RejectedError):
        return ""
    for result in results if isinstance(results, (tuple, list)) else [results]:
        if torch.is_tensor(result) and result.dtype in (torch.float32, torch.float16, torch.bfloat16):
            return NARROWED.format(result.dtype)
    return ""
