"""Formulas as MathML, which browsers set by themselves."""

import html
import re

from latex2mathml.converter import convert

NAMES = r"\\(?:ln|log|exp|sin|cos|tanh|min|max)(?![a-zA-Z])"
LIMITS = r"(?:_\{[^{}]*\}|_\w)?"
AFTER = re.compile(rf"({NAMES}{LIMITS})\s*(?=[\w\\{{])(?!\\left|\\[,;!)]|\\big)")
BEFORE = re.compile(rf"(?<=[\w}}'])\s*(?={NAMES})")
LETTER = re.compile(r"(\\math(?:cal|bb|bf))\s*([A-Za-z])")  # the converter wants its braces
MENDED = {  # relations and names, by the spaces that browsers give them; bars of norms, which would hang low
    "<mo>&#x02016;</mo>": '<mi mathvariant="normal">‖</mi>',
    "<mi>&#x0007E;</mi>": "<mo>∼</mo>",
    "<mo>min</mo>": "<mi>min</mi>",
    "<mo>max</mo>": "<mi>max</mi>",
}
UNKNOWN = "\\"  # is left of a command that the converter does not know


def mathml(tex: str, display: bool = False) -> str:
    """The formula as <math>, with its TeX for who copies it. Raises ValueError where it cannot be set."""
    text = " ".join(tex.split())
    try:
        made = convert(_spaced(text), display="block" if display else "inline")
    except Exception as error:  # it has a class for each way in which a formula can be wrong
        raise ValueError(f"the formula {text!r} cannot be set: {error!r}") from None
    for theirs, ours in MENDED.items():
        made = made.replace(theirs, ours)
    if UNKNOWN in made:
        raise ValueError(f"the formula {text!r} cannot be set")
    note = f'<annotation encoding="application/x-tex">{html.escape(text)}</annotation>'
    opened, inner = made.removesuffix("</math>").split(">", 1)
    return f"{opened}><semantics>{inner}{note}</semantics></math>"


def _spaced(tex: str) -> str:
    """With the thin spaces that TeX puts around the names of functions, and with braces."""
    tex = LETTER.sub(r"\1{\2}", tex)
    return AFTER.sub(r"\1\\,", BEFORE.sub(r"\\,", tex))
