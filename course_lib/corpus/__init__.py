"""English-Chinese sentence pairs: a grammar that writes them, their splits, a reader for files of real pairs.

The words are in `lexicon` and `times_and_places`, and `qualities` says which adjectives a noun takes;
`noun_phrases`, `verb_phrases`, `patterns` and `questions` say how they combine, in the notation of
`notation`; `held_out` lists what training never sees.
`course corpus` prints some pairs.
"""

from course_lib.corpus.sentence_pairs import hold_out, read_pairs, tokenize_chinese, tokenize_english
from course_lib.corpus.splits import Corpus, characters, draw_pairs, load_corpus, save_splits, vocabularies
from course_lib.text import Pair

__all__ = [
    "Corpus",
    "Pair",
    "characters",
    "draw_pairs",
    "hold_out",
    "load_corpus",
    "read_pairs",
    "save_splits",
    "tokenize_chinese",
    "tokenize_english",
    "vocabularies",
]
