"""Submissions that try to fool a grader, hurt its machine or reach what is not theirs."""

from hostile import (
    around,
    begun,
    bombs,
    brought,
    cells,
    display,
    elsewhere,
    ends,
    forged,
    kept,
    later,
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
    "Later lessons": later,
    "What the checks bring along": brought,
    "Around the watch": around,
    "From elsewhere": elsewhere,
    "Kept for later": kept,
    "Begun before": begun,
    "Honest, but untidy": pollution,
}
CORPUS = [submission for theme in THEMES.values() for submission in theme.SUBMISSIONS]
