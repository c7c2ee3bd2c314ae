"""English-Chinese sentence pairs: a grammar that writes them, their splits, and a loader for files of real pairs."""

from course_lib.corpus.splits import Corpus, draw_pairs, load_corpus
from course_lib.text import Pair

__all__ = ["Corpus", "Pair", "draw_pairs", "load_corpus"]
