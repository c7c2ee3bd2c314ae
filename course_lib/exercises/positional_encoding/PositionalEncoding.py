"""PositionalEncoding: a module that adds the sinusoidal encoding to the embedded words."""

import torch
import torch.nn.functional as F
from torch import nn

from course_lib.checks.exercise import Exercise, Values
from course_lib.exercises.positional_encoding.sinusoidal_encoding import reference as encoding_of
from course_lib.exercises.positional_encoding.sinusoidal_encoding import sinusoidal_encoding

PositionalEncoding = Exercise(
    "PositionalEncoding",
    points=6,
    returns=("output: batch seq d_model",),
    uses=(sinusoidal_encoding,),
    hints=[
        "Make the table once, in `__init__`: `sinusoidal_encoding(max_length, d_model)`. It is no weight, "
        "but it must follow the module to another device: `self.register_buffer`.",
        "In `forward` the sequence is axis 1 of x: `self.table[: x.shape[1]]` has one row for each word, and "
        "broadcasts over the batch.",
        "Dropout comes last, on the sum: make `self.dropout = nn.Dropout(dropout)`, return "
        "`self.dropout(x + self.table[: x.shape[1]])`.",
    ],
    examples=[
        "PositionalEncoding(2, 1)(torch.zeros(1, 1, 2))",
        "PositionalEncoding(2, 2)(torch.zeros(1, 2, 2))",
        "PositionalEncoding(2, 3)(torch.zeros(1, 2, 2))",
        "PositionalEncoding(2, 3)(torch.zeros(1, 3, 2))",
        "PositionalEncoding(2, 3)(torch.zeros(3, 2, 2))",
        "PositionalEncoding(2, 2, dropout=1.0)(torch.ones(1, 2, 2))",
        "PositionalEncoding(2, 2, dropout=1.0).eval()(torch.ones(1, 2, 2))",
        "str(PositionalEncoding(2, 2).bfloat16()(torch.ones(1, 2, 2).bfloat16()).dtype)",
        "len([p for p in PositionalEncoding(2, 2).parameters() if p.requires_grad])",
        "PositionalEncoding(2, 2)(torch.ones(1, 2, 2))",
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
        return "Equal words of a sentence all get the same vector: the position runs along axis 1."
    if (added - added[:1]).abs().max() > 1e-6:
        return "Equal sentences of a batch get different vectors: the position runs along axis 1, not axis 0."
    return None


# No parameter has to be filled, so instances are `fresh`: a table that is trained costs its own part only.


@PositionalEncoding.part("each word gets the vector of its place", points=2, properties=(along_the_sentence,))
def places(build, inputs):
    module = build.fresh(6, 5)
    return {
        "output (all words alike): batch seq d_model": module(torch.ones(3, 5, 6)),
        "output: batch seq d_model": module(inputs.normal(3, 5, 6)),
    }


# The parts below compare an answer with itself: a slip in the numbers costs its own part only.


@PositionalEncoding.part("sentences may be shorter than the table", points=1)
def shorter(build, inputs):
    module, x = build.fresh(6, 9), inputs.normal(4, 9, 6)
    start = module(x)[:, :3]
    return {"output (3 words) - output (9 words, the first 3): batch seq d_model": module(x[:, :3]) - start}


def left_over(output, x) -> str:
    """A finding: what is left when everything should have been dropped."""
    if not output.any():
        return ""
    alike = torch.equal(output, output[:1].expand_as(output))
    what = "x itself" if torch.equal(output, x) else "the positions" if alike else "numbers"
    return f"With dropout=1.0 all must be 0 while training; yours leaves {what}."


@PositionalEncoding.part("dropout acts on the sum, while training only", points=1)
def drops(build, inputs):
    x = inputs.normal(3, 3, 4)
    training, evaluating = build.fresh(4, 3, dropout=1.0), build.fresh(4, 3, dropout=1.0)
    evaluating.eval()
    nothing = "After `module.eval()` nothing may be dropped; yours is all 0."
    return {"training": left_over(training(x), x), "eval": "" if evaluating(x).any() else nothing}


def _follows(build) -> str:
    module, x = build.fresh(4, 5), torch.ones(1, 5, 4).bfloat16()
    module.bfloat16()
    dtype = module(x).dtype
    return (
        ""
        if dtype == x.dtype
        else f"After `module.bfloat16()` the output is {dtype}: the table stayed behind."
    )


@PositionalEncoding.part("the table moves with the module, and is not trained", points=1)
def moves(build, inputs):
    trained = [list(p.shape) for p in build.fresh(4, 5).parameters() if p.requires_grad]
    return {"trained parameters": trained, "follows": _follows(build)}


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


@PositionalEncoding.accept("the encoding is made anew at each call")
class Anew(nn.Module):
    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.d_model, self.dropout = d_model, nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(x + encoding_of(x.shape[1], self.d_model).to(x))


@PositionalEncoding.accept("a parameter without gradient")
class NoGradient(nn.Module):
    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        self.drop = nn.Dropout(p=dropout)
        self.table = nn.Parameter(encoding_of(max_length, d_model), requires_grad=False)

    def forward(self, x):
        return self.drop(torch.add(x, self.table.narrow(0, 0, x.shape[1])))
