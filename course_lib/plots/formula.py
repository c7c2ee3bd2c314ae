"""A formula in TeX as an image of outlines, for pages that are read without a network and without fonts."""

import html
import re
from functools import cache

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextToPath

SIZE = 100  # units of an em
FONT = FontProperties(size=SIZE, math_fontfamily="cm")
LETTERS = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C", Path.CLOSEPOLY: "Z"}
POINTS = {Path.CURVE3: 2, Path.CURVE4: 3}
ARGUMENT = r"\s*(\{(?:[^{}]|\{[^{}]*\})*\}|\\[a-zA-Z]+|[^\s{}\\])"
PLAIN = (  # TeX that matplotlib does not know, and what looks like it
    (r"\\[lr]Vert\b", r"\\|"),
    (r"\\(?:big|Big|bigg)(?=[^a-z])", ""),
    (r"\\textbf\b", r"\\mathbf"),
    (r"\\(sqrt|mathcal|mathbb)\s*(?=[^\s{\[])" + ARGUMENT, r"\\\1{\2}"),
    (r"\\tfrac" + ARGUMENT + ARGUMENT, r"\\frac{\1}{\2}"),
    (r"\\begin\{pmatrix\}", r"\\left("),
    (r"\\end\{pmatrix\}", r"\\right)"),
    (r"\\\\", r";\\;"),
    (r"(?<!\\)&", r",\\;"),
)


@cache
def formula(tex: str) -> str:
    """An inline <svg> that stands on the line of the text; its name is the TeX.

    Raises ValueError where matplotlib cannot set it.
    """
    text = f"${plain(tex)}$"
    outlines = TextToPath()
    width, height, depth = outlines.get_text_width_height_descent(text, FONT, ismath=True)
    vertices, codes = outlines.get_text_path(FONT, text, ismath=True)
    drawn = _commands(np.round(vertices, 1), codes)
    box = f"0 {depth - height:.1f} {width:.1f} {height:.1f}"
    place = f"width:{_em(width)};height:{_em(height)};vertical-align:{_em(-depth)}"
    return (
        f'<svg role="img" aria-label="{html.escape(tex)}" viewBox="{box}" style="{place}">'
        f'<path transform="scale(1,-1)" d="{drawn}"/></svg>'
    )


def _em(units: float) -> str:
    return f"{units / SIZE:.3f}em"


def plain(tex: str) -> str:
    """The formula without what matplotlib does not know."""
    text = " ".join(tex.split())
    for pattern, replacement in PLAIN:
        text = re.sub(pattern, replacement, text)
    return text


def _commands(vertices: np.ndarray, codes: np.ndarray) -> str:
    found, place = [], 0
    while place < len(codes):
        count = POINTS.get(codes[place], 1)
        points = vertices[place : place + count]
        closes = codes[place] == Path.CLOSEPOLY
        numbers = [] if closes else [f"{x:g} {y:g}" for x, y in points]
        found.append(LETTERS[codes[place]] + " ".join(numbers))
        place += count
    return "".join(found)
