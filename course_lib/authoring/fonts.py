"""Makes the bundled Chinese font from Noto Sans CJK SC: `course fonts`. Pages carry what they need of it."""

import base64
import re
from io import BytesIO
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTCollection, TTFont, TTLibError

from course_lib.authoring.address import ROOT
from course_lib.authoring.translation.catalogs import FOLDER
from course_lib.plots.fonts import FAMILY, PATH

SOURCE_FAMILY, FAMILY_NAME = "Noto Sans CJK SC", FAMILY[1]
HANZI = re.compile("[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
EXTRA = "“”‘’…—·←→↑↓√×−≤≥∞"


class FontError(Exception):
    """The file is not what the subset is made from. The message says what was expected."""


def gb2312(rows: range) -> str:
    """The characters of some rows of GB 2312: rows 1 to 3 are symbols, 16 to 55 the hanzi of level 1."""
    codes = (bytes([row + 0xA0, cell + 0xA0]) for row in rows for cell in range(1, 95))
    return "".join(code.decode("gb2312", errors="ignore") for code in codes)


def characters(root: Path = ROOT) -> str:
    """Those of GB 2312's first level, and all Chinese ones of the catalogs in translations/."""
    ascii_printable = "".join(map(chr, range(0x20, 0x7F)))
    return (
        ascii_printable + EXTRA + gb2312(range(1, 4)) + gb2312(range(16, 56)) + "".join(sorted(hanzi(root)))
    )


def hanzi(root: Path = ROOT) -> set[str]:
    """The Chinese characters and punctuation of what figures show: of lessons and the library."""
    catalogs = [*(root / FOLDER).glob("*/*.po"), *(root / FOLDER).glob("*/library/*.po")]
    texts = (path.read_text(encoding="utf-8") for path in catalogs)
    return set(HANZI.findall("".join(texts)))


def load(collection: str) -> TTFont:
    """Noto Sans CJK SC, one of the collection's fonts. Raises FontError."""
    try:
        names = [font["name"].getDebugName(4) for font in TTCollection(collection).fonts]
    except (OSError, TTLibError) as error:
        raise FontError(f"expected a font collection (.ttc), got {collection}: {error}") from None
    if SOURCE_FAMILY not in names:
        raise FontError(f"{collection} has no '{SOURCE_FAMILY}'; it has {', '.join(map(repr, names))}")
    return TTFont(collection, fontNumber=names.index(SOURCE_FAMILY))


def embedded(text: str) -> str:
    """The text's Chinese characters of the bundled font, as the address of a font within a page."""
    made = BytesIO()
    font = subset(TTFont(PATH), "".join(HANZI.findall(text)))
    font.flavor = "woff"
    font.save(made)
    return f"data:font/woff;base64,{base64.b64encode(made.getvalue()).decode()}"


def subset(font: TTFont, text: str) -> TTFont:
    options = Options(hinting=False, layout_features=[], notdef_outline=True, glyph_names=False)
    options.drop_tables += ["vhea", "vmtx", "VORG", "BASE", "GSUB", "GPOS", "GDEF", "DSIG"]
    options.name_IDs, options.name_languages = [0, 1, 2, 3, 4, 5, 6, 13, 14], [0x409]
    subsetter = Subsetter(options)
    subsetter.populate(text=text)
    subsetter.subset(font)
    return font


def rename(font: TTFont) -> TTFont:
    """A subset must not claim to be the whole family that a system may have installed."""
    for record in font["name"].names:
        if record.nameID in (1, 3, 4, 6):
            family = FAMILY_NAME.replace(" ", "") if record.nameID == 6 else FAMILY_NAME
            name = family + ("-Regular" if record.nameID == 6 else "")
            record.string = name  # pyright: ignore[reportAttributeAccessIssue]  # text is encoded when saved
    return font


def save_subset(font: TTFont) -> int:
    """Returns the exit code of `course fonts`."""
    rename(subset(font, characters())).save(PATH)
    print(f"{PATH.name}: {PATH.stat().st_size / 1024:.0f} KB")
    return 0
