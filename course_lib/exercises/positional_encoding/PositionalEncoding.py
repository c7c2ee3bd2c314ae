"""PositionalEncoding: a module that adds the sinusoidal encoding to the embedded words."""

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Exercise, Values
from course_lib.checks.gradients import gradients_of, in_both_modes
from course_lib.checks.guard import RaisedError
from course_lib.checks.operations import Computed
from course_lib.checks.precision import told_of_float64
from course_lib.checks.properties import apart
from course_lib.exercises.positional_encoding.sinusoidal_encoding import reference as encoding_of
from course_lib.exercises.positional_encoding.sinusoidal_encoding import sinusoidal_encoding

CALCULATED = "Your `forward` calculates with `{0}`. Make the table once, in `__init__`."
MADE = "Your `forward` makes numbers that the module has not kept. Make the table once, in `__init__`."
OTHERS = (
    "The numbers that your module keeps are not those that `forward` adds. Make the table once, in "
    "`__init__`."
)


def tensors_kept(module) -> list[torch.Tensor]:
    """What a module keeps in tensors: buffers, parameters and plain attributes."""
    plain = [value for part in module.modules() for value in vars(part).values()]
    return [value for value in (*plain, *module.buffers(), *module.parameters()) if torch.is_tensor(value)]


def numbers_kept(module) -> int:
    return sum(tensor.numel() for tensor in tensors_kept(module))


PositionalEncoding = Exercise(
    "PositionalEncoding",
    points=6,
    returns=("output: batch seq d_model",),
    uses=(sinusoidal_encoding,),
    names={"numbers_kept": numbers_kept},
    hints=[
        "Which part of the work is the same at every call? It is the table, so make it once, in `__init__`. "
        "It is not trained, but it must move with the module to another device.",
        '`self.register_buffer("table", sinusoidal_encoding(max_length, d_model))` keeps it.',
        "In `forward` the sequence is axis 1 of x: `self.table[: x.shape[1]]` has one row for each word, and "
        "broadcasts over the batch.",
        "Dropout comes last, on the sum: make `self.dropout = nn.Dropout(dropout)`, and return "
        "`self.dropout(x + self.table[: x.shape[1]])`.",
    ],
    examples=[
        "PositionalEncoding.fresh(2, 1)(torch.zeros(1, 1, 2))",
        "PositionalEncoding.fresh(2, 2)(torch.zeros(1, 2, 2))",
        "PositionalEncoding.fresh(2, 3)(torch.zeros(1, 2, 2))",
        "PositionalEncoding.fresh(2, 3)(torch.zeros(1, 3, 2))",
        "PositionalEncoding.fresh(2, 3)(torch.zeros(3, 2, 2))",
        "PositionalEncoding.fresh(2, 2, dropout=1.0)(torch.ones(1, 2, 2))",
        "PositionalEncoding.fresh(2, 2, dropout=1.0).eval()(torch.ones(1, 2, 2))",
        "str(PositionalEncoding.fresh(2, 2).bfloat16()(torch.ones(1, 2, 2).bfloat16()).dtype)",
        "numbers_kept(PositionalEncoding.fresh(2, 3))",
        "len([p for p in PositionalEncoding.fresh(2, 2).parameters() if p.requires_grad])",
        "PositionalEncoding.fresh(2, 2)(torch.ones(1, 2, 2))",
    ],
)


@PositionalEncoding.reference
class Reference(nn.Module):
    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("table", encoding_of(max_length, d_model))

    def forward(self, x):
        return self.dropout(x + self.table[: x.shape[1]])


def along_the_sentence(values: Values, expected: Values) -> str | None:
    """Equal words at different positions must get different vectors."""
    added = values["output (all words alike): batch seq d_model"]
    if (added - added[:, :1]).abs().max() < 1e-6:
        return "Equal words of a sentence all get the same vector: positions run along axis 1."
    if (added - added[:1]).abs().max() > 1e-6:
        return (
            "Equal sentences of a batch get different vectors: positions run along axis 1, not along axis 0."
        )
    return None


# No parameter has to be filled, so instances are `fresh`: a table that is trained costs its own part only.


@PositionalEncoding.part(
    "each word gets the vector of its position", points=2, properties=(along_the_sentence,), atol=1e-4
)
def places(build, inputs):
    module, padded = build.fresh(6, 5), inputs.normal(2, 5, 6)
    padded[0, 3:] = 0  # as the vectors of padding are
    return {
        "output (all words alike): batch seq d_model": module(torch.ones(3, 5, 6)),
        "output: batch seq d_model": module(inputs.normal(3, 5, 6)),
        "output (some vectors are 0): batch seq d_model": module(padded),
        "output (130 words): batch seq d_model": build.fresh(12, 150)(10 * inputs.normal(1, 130, 12)),
    }


# The parts below compare an answer with itself: a slip in the numbers costs its own part only.


@PositionalEncoding.part(
    "sentences may be shorter than the table, and gradients reach x", points=1, alone=False
)
@in_both_modes
def shorter(build, inputs):
    x = inputs.normal(4, 9, 6).requires_grad_()
    modules = build.fresh(6, 9), build.fresh(6, 9)
    return short_and_long(*modules, x) | gradients_of(build.fresh(6, 9)(x), {"x": x})


def short_and_long(module, other, x):
    """The first 3 words alone and among all 9, in both orders: what the first call leaves must not matter."""
    alone = module(x[:, :3])
    long = module(x)
    start = long[:, :3]
    return {
        "difference from the output of a new module (after a call with 3 words): batch seq d_model": apart(
            long, other(x)
        ),
        "difference from the first 3 of 9 words (3 words alone): batch seq d_model": apart(alone, start),
        "difference from the first 3 of 9 words (3 words alone, later): batch seq d_model": apart(
            module(x[:, :3]), start
        ),
    }


def left_over(output, x) -> str:
    """A finding: what is left when everything should have been dropped."""
    if not output.any():
        return ""
    alike = torch.equal(output, output[:1].expand_as(output))
    what = "x itself" if torch.equal(output, x) else "the positions" if alike else "other numbers"
    return f"With dropout=1.0 all numbers must be 0 in training. Your output still contains {what}."


def share_kept(module, x, plain, p=0.5) -> str:
    """A finding: whether each number is dropped or divided by 1 - p. Two calls differ, so it is not repeated.

    Of 480 numbers all or none are dropped, or the same by two draws, with a probability below 1e-20.
    """
    output = module.forward(x)
    if output.shape != plain.shape or not 0 < (output == 0).sum() < output.numel():
        return SHARES.format(p)
    if not torch.allclose(output[output != 0], plain[output != 0] / (1 - p), atol=1e-5):
        return SHARES.format(p)
    dropped = output == 0
    if any((dropped == dropped.select(axis, 0).unsqueeze(axis)).all() for axis in range(3)):
        return SHARED.format(p)
    return AGAIN.format(p) * torch.equal(dropped, module.forward(x) == 0)


LEFT = "After `module.to(device)` your table is still on the old device. Keep it with `register_buffer`."
AGAIN = "With dropout={0} two calls drop the same numbers. Draw anew in each call, and set no seed."
SHARED = "With dropout={0} one draw decides for several numbers. Draw for each, as nn.Dropout does."
SHARES = (
    "With dropout={0} some numbers of the sum must be 0, and all others divided by 1 - {0}, as by nn.Dropout."
)


def changed_by_eval(output, plain) -> str:
    """A finding: whether evaluation gives what training without dropout gives."""
    if not output.any():
        return "After `module.eval()` nothing may be dropped, but your output is all 0."
    other = "After `module.eval()` your output differs from the output without dropout."
    return "" if torch.allclose(output, plain, atol=1e-5) else other


@PositionalEncoding.part("dropout is applied to the sum, and only in training", points=1)
def drops(build, inputs):
    x, p = inputs.normal(40, 3, 4), inputs.chance()
    training, evaluating = build.fresh(4, 3, dropout=1.0), build.fresh(4, 3, dropout=1.0)
    evaluating.eval()
    with torch.no_grad():
        unseen = evaluating(x)  # as a model is mostly asked in this mode
        unlearned = left_over(training(x), x)  # only the mode may decide
    plain, asked = build.fresh(4, 3)(x), evaluating(x.clone().requires_grad_())
    return {
        "training": left_over(training(x), x)
        or unlearned
        or share_kept(build.fresh(4, 3, dropout=0.5), x, plain)
        or share_kept(build.fresh(4, 3, dropout=p), x, plain, p),
        "eval": next(
            filter(None, (changed_by_eval(one, plain) for one in (evaluating(x), unseen, asked))), ""
        ),
    }


def _follows(build) -> str:
    module, x = build.fresh(4, 5), torch.ones(1, 5, 4).bfloat16()
    module.bfloat16()
    dtype = module(x).dtype
    return (
        ""
        if dtype == x.dtype
        else f"After `module.bfloat16()` the output is {dtype}, as if the table had stayed behind."
    )


def _stays(build) -> str:
    """A finding: whether the table is on another device than the module. That of "meta" is everywhere."""
    module = build.fresh(4, 5)
    module.to("meta")
    try:
        module.forward(torch.ones(1, 5, 4, device="meta"))
    except RaisedError as raised:
        return LEFT if "meta" in str(raised.error) else ""
    return ""


def _kept(build) -> str:
    """A finding: whether the module keeps as many numbers as a table has, and its positions are in them."""
    module, x = build.fresh(4, 5), torch.ones(1, 5, 4)
    if numbers_kept(module) < 20:
        return "Your module keeps no table of 5 positions by 4 dimensions. Make it once, in `__init__`."
    added = module.forward(torch.zeros_like(x))  # may make a table that it keeps
    numbers = torch.cat([tensor.flatten().float() for tensor in tensors_kept(module)])
    if (added[..., None] - numbers).abs().amin(-1).max() > 1e-3:
        return OTHERS
    with Computed([x, *tensors_kept(module)]) as anew:
        module.forward(x)  # what a check keeps of a call is known from then on
        anew.begin()
        module.forward(x)
    for tensor in tensors_kept(module):
        tensor.untyped_storage().fill_(63 if tensor.is_floating_point() else 0)  # 0.75 everywhere, or so
    output = module.forward(x)
    unused = (
        "Your module keeps a table, but `forward` does not add it. Do not calculate it anew in each call."
    )
    if not torch.allclose(output, output[:, :1], atol=1e-3):
        return unused
    if anew.functions:
        return CALCULATED.format(min(anew.functions))
    return MADE if anew.strange else ""


@PositionalEncoding.part("the table is made once, moves with the module, and is not trained", points=1)
def moves(build, inputs):
    trained = [list(p.shape) for p in build.fresh(4, 5).parameters() if p.requires_grad]
    return {
        "list of the shapes of trained parameters": trained,
        "follows": _follows(build) or _stays(build),
        "dtype": told_of_float64(build.fresh(4, 5), torch.ones(1, 5, 4)),
        "kept": _kept(build),
    }


# Accepted: other ways to write the same


@PositionalEncoding.accept("a table with an axis for the batch, functional dropout")
class BatchAxis(nn.Module):
    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.p = dropout
        self.register_buffer("pe", encoding_of(max_length, d_model)[None], persistent=False)

    def forward(self, x):
        return F.dropout(x + self.pe[:, : x.size(1)], self.p, self.training)


@PositionalEncoding.accept("a frozen nn.Embedding")
class Frozen(nn.Module):
    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.positions = nn.Embedding.from_pretrained(encoding_of(max_length, d_model), freeze=True)

    def forward(self, x):
        return self.dropout(x + self.positions(torch.arange(x.shape[-2], device=x.device)))


@PositionalEncoding.accept("a plain attribute, moved to x at each call")
class MovedAtEachCall(nn.Module):
    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.table, self.dropout = encoding_of(max_length, d_model), nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(x + self.table[: x.shape[1]].to(x))


@PositionalEncoding.accept("a parameter without gradient")
class NoGradient(nn.Module):
    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.drop = nn.Dropout(p=dropout)
        self.table = nn.Parameter(encoding_of(max_length, d_model), requires_grad=False)

    def forward(self, x):
        return self.drop(torch.add(x, self.table.narrow(0, 0, x.shape[1])))
