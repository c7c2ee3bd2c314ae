"""The drawings of a lesson alone, and what they tell a browser of their texts."""

import html
import json
from dataclasses import dataclass
from pathlib import Path

import jupytext
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex

from course_lib.authoring.build import lessons
from course_lib.authoring.needed_cells import needed
from course_lib.plots.diagrams import Sheet
from course_lib.plots.figure import Picture

DRAWS = ".picture()"


def cells(lesson: Path) -> list[str]:
    """The code cells of a solved lesson that draw, and those that these need."""
    sources = [cell.source for cell in jupytext.read(lesson).cells if cell.cell_type == "code"]
    return [sources[place] for place in needed(sources, DRAWS)]


DRAWINGS = {path.stem: found for path in lessons() if (found := cells(path))}


@dataclass(frozen=True)
class Told(Picture):
    """A picture whose image carries the texts of the drawing, for audit.js."""

    texts: str

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        bundle = super()._repr_mimebundle_(include, exclude)
        image = bundle["text/html"].replace("<img ", f'<img data-texts="{html.escape(self.texts)}" ', 1)
        return bundle | {"text/html": image}


def tell() -> None:
    """From now on every drawing of this process is shown with its texts."""
    picture = Sheet.picture

    def told(self: Sheet) -> Picture:
        shown = picture(self)  # first, for `texts` takes the sheet apart
        return Told(**vars(shown), texts=json.dumps(texts(self)))

    Sheet.picture = told


def texts(sheet: Sheet) -> list[dict]:
    """Each text with its color, and with the box of its ink and its type size as shares of the image."""
    figure, width, height, found = sheet.figure, sheet.width, sheet.height, []
    margin = 0.25  # of the sheet, on each side: there lies what its edge cuts
    figure.set(size_inches=figure.get_size_inches() * (1 + 2 * margin), dpi=200)
    sheet.axes.set(xlim=(-margin * width, (1 + margin) * width))
    sheet.axes.set(ylim=((1 + margin) * height, -margin * height))
    canvas = FigureCanvasAgg(figure)
    for part in sheet.axes.get_children():
        part.set_visible(False)
    for text in sheet.axes.texts:
        text.set(visible=True, bbox=None)
        canvas.draw()
        ink = np.asarray(canvas.buffer_rgba())[..., 3] > 0
        text.set_visible(False)
        if ink.any():
            ends = [np.flatnonzero(ink.any(axis=axis))[[0, -1]] + (0, 1) for axis in (0, 1)]
            box = np.array(ends).T / (ink.shape[1], ink.shape[0]) * (1 + 2 * margin) - margin
            size, color = float(text.get_fontsize()) / height, to_hex(text.get_color())
            place = box.ravel().tolist()  # left, top, right, bottom
            found.append({"text": text.get_text(), "size": size, "color": color, "box": place})
    return found
