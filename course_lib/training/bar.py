"""How far a training has come, as one line of text."""

import sys

from tqdm import tqdm


def progress_bar(total: float, shown: bool) -> tqdm:
    """A line that is written anew. Unlike a widget it is still there when a notebook is opened again."""
    form = "{l_bar}{bar}| {elapsed}{postfix}"
    return tqdm(total=total, disable=not shown, file=sys.stdout, ncols=90, mininterval=0.3, bar_format=form)
