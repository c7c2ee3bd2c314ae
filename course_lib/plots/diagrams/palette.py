"""The colors of the drawings, which have meanings, their type sizes, lines and distances."""

import numpy as np
from matplotlib.colors import to_hex, to_rgb

PAPER, INK, QUIET, RULE = "#fbfaf7", "#1d2026", "#555a63", "#c9c8c3"  # the page, its text, its hair lines
HIDDEN = "#ecebe7"  # the ground under the strokes of a mask
ROLES: dict[str | None, str] = {
    "query": "#c0380a",
    "key": "#1f63e6",
    "value": "#0a6e69",
    "source": "#16264a",
    "target": "#761f6b",
    "mask": "#74787f",  # never text: always hatched
}
TITLE, HEADING, BODY, SMALL = 13, 11, 10, 9  # type sizes; nothing is smaller than SMALL
HAIR, LINE, STREAM = 0.7, 1.3, 3.0  # line weights
DASHES = (0, (3, 2))
STEP = 8  # the grid of all distances
RADIUS, HEAD = 5, 6  # corners, and the length of an arrow head
LEADING, CAP = 1.3, 0.36  # line distance; half the height of a capital: both in units of the type size


def tint(role: str | None, strength: float = 0.12) -> str:
    """A role's color thinned with paper; strength 1 is the color itself."""
    strong, paper = np.array(to_rgb(ROLES.get(role, INK))), np.array(to_rgb(PAPER))
    red, green, blue = (paper + strength * (strong - paper)).tolist()
    return to_hex((red, green, blue))


def shape(tensor) -> str:
    """A tensor's shape as it is written everywhere: (2, 6, 64)."""
    return f"({', '.join(map(str, tensor.shape))})"


def number(value: float) -> str:
    """Two decimals at most, a real minus sign, and a sign for infinity."""
    value = float(value)
    if np.isinf(value):
        return "−∞" if value < 0 else "∞"
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return text.replace("-", "−") if text not in ("-0", "") else "0"
