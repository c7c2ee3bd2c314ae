"""Submissions that try to fool a grader, hurt its machine or reach what is not theirs."""

from hostile import (
    bombs,
    cells,
    display,
    ends,
    forged,
    lies,
    newer,
    patches,
    pollution,
    reading,
    shadows,
    stolen,
)

THEMES = {
    "Files beside the notebook": shadows,
    "Patched checks": patches,
    "Patched display": display,
    "Answers that lie": lies,
    "Forged results": forged,
    "Answers of others": stolen,
    "Reading and writing": reading,
    "Bombs": bombs,
    "Ends": ends,
    "Cells": cells,
    "Below the names": newer,
    "Honest, but untidy": pollution,
}
CORPUS = [submission for theme in THEMES.values() for submission in theme.SUBMISSIONS]
