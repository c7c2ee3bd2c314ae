"""How well one color reads on another."""

import numpy as np
from matplotlib.colors import to_rgb


def contrast(color, background) -> float:
    """The ratio of luminances, 1 to 21 (WCAG 2); words want 4.5."""
    dark, light = sorted((_luminance(color), _luminance(background)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(color) -> float:
    channels = np.array(to_rgb(color))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])
