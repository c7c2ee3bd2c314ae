"""The course's Chinese font: a subset of Noto Sans SC with the 3755 hanzi of GB 2312 level 1.

Figures name their fonts themselves, so a lesson looks the same on every machine.
"""

from pathlib import Path

FAMILY = ["DejaVu Sans", "Noto Sans SC"]
PATH = Path(__file__).with_name("NotoSansSC-subset.otf")


def register() -> list[str]:
    """Tell matplotlib of the bundled font; returns the families to use, Latin first."""
    from matplotlib.font_manager import fontManager

    if not any(font.fname == str(PATH) for font in fontManager.ttflist):
        fontManager.addfont(str(PATH))
    return FAMILY
