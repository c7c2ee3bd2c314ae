"""Two stacks beside one: an encoder-decoder, and a model that reads both sentences as one sequence."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from course_lib.language import say_heading, say_list

from .layout import Column, Heading, Label, Row, Space
from .palette import BODY, QUIET, SMALL, STEP
from .plan import APART, DECODER, ENCODER, SELF, SOURCE, TARGET, Stack, Sublayer, plan_of_sizes
from .sheet import Sheet
from .signs import Box, Cells
from .transformer import _legend, _Side, _spread_memory

TITLE = "Two stacks, and one"


def one_stack(model: Any, ids: Tensor, words: Sequence[str], separator: str = "<bos>") -> Sheet:
    """A GPT of the library at work on ids `(1, seq)`, beside two stacks that read the same two sentences.

    words: all words by id. What is before the separator is the source.
    """
    names = [words[int(i)] for i in ids[0]]
    cut, config = names.index(separator), model.config
    plan = plan_of_sizes(
        [*names[:cut], "<eos>"], names[cut:], config.vocab, config.d_model, config.heads, layers=1
    )
    one = _stack_of(model, ids, names)
    memory = Cells(
        [[f"{say_heading('memory')}  {plan.memory}"]], "source", size=BODY, bold=True, cell=(0, 26)
    )
    left = _Side(ENCODER, SOURCE, plan.encoder, plan.norm_first, memory.named("memory"))
    memory.widths, memory.width = [left.width], left.width
    sides = [left]
    stacks = (
        (DECODER, TARGET, plan.decoder, plan.norm_first, "target embedding"),
        ("GPT", "value", one, config.norm_first, say_heading("embedding")),
    )
    for name, role, stack, norm_first, table in stacks:
        side = _Side(name, role, stack, norm_first, Space(), table)
        logits = f"logits (1, {len(stack.words)}, {config.vocab})"
        linear = Row(Heading("linear", BODY, bold=True), Label(logits, SMALL, QUIET))
        side.end = Box(linear, role, side.width, 26).named(f"linear of {name}")
        sides.append(side)
    height = max(side.above.height for side in sides)
    left, middle, right = (side.column(height) for side in sides)
    body = Row(left, Space(5 * STEP), middle, Space(4 * STEP), right, gap=STEP, align=0)
    sheet = Sheet(Column(body, _legend(), gap=2 * STEP, align=0), TITLE)
    for side in sides:
        side.connect(sheet)
    _spread_memory(sheet, sides[0].end, sides[1].end, sides[1].readers())
    told = [
        f"{TITLE}.",
        f"Left, an encoder reads {' '.join(names[:cut])}, and a decoder reads {' '.join(names[cut:])} "
        "and looks at the encoder's memory by cross-attention.",
        f"Right, one stack of {config.layers} layers reads {' '.join(names)}.",
        "It has causal self-attention and a feed-forward layer, but no cross-attention.",
    ]
    sheet.alt = say_list(told, " ")
    return sheet


def _stack_of(model: Any, ids: Tensor, names: Sequence[str]) -> Stack:
    """The layers of a GPT with the masks that its weights show."""
    config = model.config
    with torch.no_grad():
        _, maps = model(ids, need_weights=True)
    heads = f"{config.heads} heads of {config.d_model // config.heads}"
    shared = f"{heads}, {config.kv_heads} keys\nhides the future"
    apart = f"{config.d_model} → {config.d_ff} → {config.d_model}\neach word by itself"
    layers = [
        [
            Sublayer(SELF, shared, (weights[0] > 0).any(dim=0).numpy()),
            Sublayer(APART, apart),
        ]
        for weights in maps
    ]
    shape = f"(1, {len(names)}, {config.d_model})"
    return Stack(names, f"(1, {len(names)})", "rows of a table", shape, layers, config.norm_first)
