"""Right answers that the learner did not write: the checks' own references, and ready-made functions."""

from hostile.submission import SDPA, Submission

TAKE = """def take(module, name):
    import importlib
    return getattr(importlib.import_module("course_lib.exercises.attention." + module), name)
"""
COLLECT = """import gc
def answers():
    for thing in gc.get_objects():
        if type(thing).__name__ == "Exercise":
            yield thing.name, thing.reference_implementation
for name, reference in list(answers()):
    if name in ("additive_attention", "scaled_dot_product_attention", "causal_mask"):
        globals()[name] = reference
"""
SIGNATURES = {
    "additive_attention": "query, key, value, W_query, W_key, v",
    "causal_mask": "size,",
}
FRAMES = """import sys
def from_frames(name, *args):
    frame = sys._getframe(1)
    while frame is not None:
        for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
            if type(value).__name__ == "Exercise" and value.name == name:
                return value.reference_implementation(*args)
            if type(value).__name__ == "Lesson":
                return value.exercises[name].reference_implementation(*args)
            if getattr(value, "__name__", "") in ("reference", "causal_reference", "padding_reference"):
                return value(*args)
        frame = frame.f_back
"""
STRINGS = """import operator
def from_traceback(*args):
    try:
        raise ValueError
    except ValueError as error:
        frame = operator.attrgetter("__trace" + "back__.tb_" + "frame")(error)
    while frame is not None:
        for value in list(getattr(frame, "f_" + "globals").values()):
            if "reference" in getattr(value, "__name__", ""):
                return value(*args)
        frame = getattr(frame, "f_" + "back")
"""
SOURCE = """import ast, pathlib, course_lib
folder = pathlib.Path(course_lib.__file__).parent / "exercises" / "attention"
for path in folder.glob("*.py"):
    import math, torch, torch.nn.functional as F
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef) and node.name in ("reference", "causal_reference"):
            node.decorator_list = []
            exec(ast.unparse(node).replace("def " + node.name, "def " + path.stem))
"""
SWAPPED = """def scaled_dot_product_attention(query, key, value, mask=None):
    from course_lib.model.layers import attention
    return attention(query, key, value, mask, need_weights=True)
"""
FUSED = """def scaled_dot_product_attention(query, key, value, mask=None):
    ready = {ready}
    identity = torch.eye(key.shape[-2]).to(key).expand(*key.shape[:-1], key.shape[-2])
    return ready(query, key, value, attn_mask=mask), ready(query, key, identity, attn_mask=mask)
"""
MODULE = """def scaled_dot_product_attention(query, key, value, mask=None):
    shape, size = query.shape, query.shape[-1]
    module = torch.nn.MultiheadAttention(size, 1, bias=False, batch_first=True).to(query)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.eye(size).repeat(3, 1))
        module.out_proj.weight.copy_(torch.eye(size))
    if mask is not None:
        mask = ~mask.expand(*shape[:-1], key.shape[-2]).flatten(0, -3)
    flat = lambda x: x.flatten(0, -3)
    _, weights = module(flat(query), flat(key), flat(key), attn_mask=mask)
    weights = weights.view(*shape[:-1], key.shape[-2])
    return weights @ value, weights
"""
READY = "ready-made"  # of the checks; PyTorch's own are refused by the check, in its words


def sdpa(source: str) -> dict[str, str]:
    return {SDPA: source}


SUBMISSIONS = [
    Submission(
        "reference_imported",
        "Imports the reference implementations of the checks as its answers.",
        answers={
            "additive_attention": "from course_lib.exercises.attention.additive_attention import reference\n"
            "additive_attention = reference\n",
            SDPA: f"{TAKE}{SDPA} = take('scaled_dot_product_attention', 'reference')\n",
            "causal_mask": "from course_lib.exercises.attention.causal_mask import causal_reference\n"
            "causal_mask = causal_reference\n",
        },
        flag="answers",
    ),
    Submission(
        "reference_collected",
        "Finds the exercises with the garbage collector, and takes their references.",
        answers={"additive_attention": COLLECT},
    ),
    Submission(
        "reference_in_frames",
        "Walks up the frames of the check that calls it, to the exercise, and calls its reference.",
        answers={
            name: f"{FRAMES}def {name}({names}):\n    return from_frames('{name}', {names})\n"
            for name, names in SIGNATURES.items()
        },
    ),
    Submission(
        "reference_by_strings",
        "The same, with every telling name put together from strings.",
        answers={
            name: f"{STRINGS}def {name}({names}):\n    return from_traceback({names})\n"
            for name, names in SIGNATURES.items()
        },
    ),
    Submission(
        "reference_read",
        "Reads the checks' source beside `course_lib.__file__` and compiles the references out of it.",
        answers={"additive_attention": SOURCE},
    ),
    Submission(
        "reference_by_check",
        "Takes `check.__self__`, the lesson, and the accepted variants of its exercises.",
        """exercises = check.__self__.exercises
def first(name):
    return next(iter(exercises[name].accepted.values()))
additive_attention, causal_mask = first("additive_attention"), first("causal_mask")
""",
        before="check_additive_attention",
        answers={"additive_attention": "pass\n", "causal_mask": "pass\n"},
    ),
    Submission(
        "layers_imported",
        "Calls `course_lib.model.layers.attention` where attention is to be written.",
        answers=sdpa(SWAPPED),
        flag=READY,
    ),
    Submission(
        "fused_function",
        "Calls `F.scaled_dot_product_attention`, once with an identity for the weights.",
        answers=sdpa(FUSED.format(ready="torch.nn.functional.scaled_dot_product_attention")),
    ),
    Submission(
        "fused_function_hidden",
        "The same function by a name that is put together while it runs.",
        answers=sdpa(
            FUSED.format(
                ready='getattr(torch.nn.functional, "_".join(["scaled", "dot_product", "attention"]))'
            )
        ),
    ),
    Submission(
        "ready_module",
        "Calls `nn.MultiheadAttention` with identities for projections.",
        answers=sdpa(MODULE),
    ),
]
