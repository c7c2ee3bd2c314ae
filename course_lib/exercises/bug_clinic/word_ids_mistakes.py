"""Wrong answers to word_ids: name, advice, code."""

import re

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.word_ids import in_order

mistake = Mistakes()


@mistake("V1")
def from_zero(sentences):
    """Your first word has the id 0, which is padding. Begin with `enumerate(words, start=4)`."""
    words = dict.fromkeys(word for sentence in sentences for word in sentence.split())
    return {word: number for number, word in enumerate(words)}


@mistake
def from_one(sentences):
    """Your words have the ids of bos, eos and unk. Start at 4."""
    words = dict.fromkeys(word for sentence in sentences for word in sentence.split())
    return {word: number for number, word in enumerate(words, start=1)}


@mistake
def by_sentence(sentences):
    """You number each sentence on its own, so words of different sentences share an id and a vector. Collect
    the words of all sentences first.
    """
    ids = {}
    for sentence in sentences:
        for number, word in enumerate(dict.fromkeys(sentence.split()), start=4):
            ids.setdefault(word, number)
    return ids


@mistake
def by_token(sentences):
    """You number tokens, not words. A word that comes again gets a new id, and its old id stays unused.
    Number each different word once.
    """
    tokens = [word for sentence in sentences for word in sentence.split()]
    return {word: number for number, word in enumerate(tokens, start=4)}


@mistake
def first_sentence(sentences):
    """You number only the first sentence. Go over all of them."""
    return in_order(sentences[:1])


@mistake
def inverted(sentences):
    """Your dict goes from ids to words. Return a dict from words to ids."""
    return {number: word for word, number in in_order(sentences).items()}


@mistake
def as_list(sentences):
    """You return a list. Return a dict from words to ids."""
    return list(in_order(sentences).values())


@mistake
def with_special_words(sentences):
    """Your dict contains the special symbols. They are no words of these sentences, so leave them out."""
    return {"<pad>": 0, "<bos>": 1, "<eos>": 2, "<unk>": 3} | in_order(sentences)


@mistake
def lower_case(sentences):
    """You number words that no sentence contains, because "games" is not "Games". Leave out `.lower()`."""
    return in_order([sentence.lower() for sentence in sentences])


@mistake
def from_five(sentences):
    """Your ids begin at 5 or above. The first free id is 4."""
    return {word: number + 1 for word, number in in_order(sentences).items()}


@mistake
def from_three(sentences):
    """Your ids begin at 3, the id of unk. The ids 0 to 3 are taken, so the first word gets 4."""
    return {word: number - 1 for word, number in in_order(sentences).items()}


@mistake
def by_first_token(sentences):
    """Your ids have gaps: a word that comes again uses up a number, though it has its id already. Number each
    different word once, as with `dict.fromkeys` or `set`.
    """
    tokens = " ".join(sentences).split()
    return {word: 4 + tokens.index(word) for word in tokens}


@mistake
def last_sentence(sentences):
    """Only the last sentence is left, because you make a new dict for each. Make it once, before the loop."""
    return in_order(sentences[-1:])


@mistake
def lifted(sentences):
    """Your first words share the id 4, as with `max(number, 4)`. Add 4 to every number."""
    return {word: max(number - 4, 4) for word, number in in_order(sentences).items()}


@mistake
def letters(sentences):
    """You number the letters of each sentence. `sentence.split()` gives its words."""
    found = dict.fromkeys(letter for sentence in sentences for letter in sentence)
    return {letter: number for number, letter in enumerate(found, start=4)}


@mistake
def the_rest_shares(sentences):
    """As in the toy, your words from the fifth on share one id. Every word needs an id of its own."""
    return {word: min(number, 8) for word, number in in_order(sentences).items()}


@mistake(mentions=r"\bre\.|findall|sub\(")
def letters_only(sentences):
    """You look for words by a pattern, so marks fall away and `don't` becomes two words. Single spaces
    separate the words here: use `sentence.split()`.
    """
    return in_order([re.sub(r"\W+", " ", sentence) for sentence in sentences])


@mistake(mentions=r"strip\(|replace\(|translate\(|punctuation")
def without_marks(sentences):
    """You cut marks off, so `end,` and `end` become one word. Single spaces separate the words here, and each
    word stays as it is.
    """
    return in_order([" ".join(word.strip(".,!?") for word in sentence.split()) for sentence in sentences])
