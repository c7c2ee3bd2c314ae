"""Wrong answers to word_ids: name, advice, code."""

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.bug_clinic.word_ids import in_order

mistake = Mistakes()


@mistake("V1")
def from_zero(sentences):
    """Id 0 is both padding and your first word: begin with `enumerate(words, start=4)`."""
    words = dict.fromkeys(word for sentence in sentences for word in sentence.split())
    return {word: number for number, word in enumerate(words)}


@mistake
def from_one(sentences):
    """Padding has an id of its own now, but bos, eos and unk share theirs with words: start at 4."""
    words = dict.fromkeys(word for sentence in sentences for word in sentence.split())
    return {word: number for number, word in enumerate(words, start=1)}


@mistake
def by_sentence(sentences):
    """You number each sentence on its own, so words of different sentences share an id, and with it a vector.
    Collect the words of all sentences first.
    """
    ids = {}
    for sentence in sentences:
        for number, word in enumerate(dict.fromkeys(sentence.split()), start=4):
            ids.setdefault(word, number)
    return ids


@mistake
def by_token(sentences):
    """You number tokens, not words: a word that comes again gets a new id and leaves its old one unused."""
    tokens = [word for sentence in sentences for word in sentence.split()]
    return {word: number for number, word in enumerate(tokens, start=4)}


@mistake
def first_sentence(sentences):
    """Only the first sentence is numbered: go over all of them."""
    return in_order(sentences[:1])


@mistake
def inverted(sentences):
    """The dict is the wrong way round: from words to ids."""
    return {number: word for word, number in in_order(sentences).items()}


@mistake
def as_list(sentences):
    """This is a list. Return a dict from words to ids, where a word finds its id."""
    return list(in_order(sentences).values())


@mistake
def with_special_words(sentences):
    """The special symbols are no words of these sentences: leave them out of the dict."""
    return {"<pad>": 0, "<bos>": 1, "<eos>": 2, "<unk>": 3} | in_order(sentences)


@mistake
def lower_case(sentences):
    """Words are numbered that no sentence holds: "Games" is a word as it stands. Leave out `.lower()`."""
    return in_order([sentence.lower() for sentence in sentences])


@mistake
def from_five(sentences):
    """You begin at 5 or above: the first id that is free is 4."""
    return {word: number + 1 for word, number in in_order(sentences).items()}


@mistake
def from_three(sentences):
    """You begin at 3, the id of unk: four ids are taken, 0 to 3, so the first word gets 4."""
    return {word: number - 1 for word, number in in_order(sentences).items()}


@mistake
def by_first_token(sentences):
    """`index` finds a word's first place among all *tokens*, so repetitions leave ids unused. Let each word
    come once, by `dict.fromkeys` or `set`.
    """
    tokens = " ".join(sentences).split()
    return {word: 4 + tokens.index(word) for word in tokens}


@mistake
def last_sentence(sentences):
    """Only the last sentence is left: the dict is made anew for each. Make it once, before the loop."""
    return in_order(sentences[-1:])


@mistake
def lifted(sentences):
    """The first words share id 4, as with `max(number, 4)`. Add 4 to every number."""
    return {word: max(number - 4, 4) for word, number in in_order(sentences).items()}


@mistake
def letters(sentences):
    """You iterate over the letters of each sentence: `sentence.split()` gives its words."""
    found = dict.fromkeys(letter for sentence in sentences for letter in sentence)
    return {letter: number for number, letter in enumerate(found, start=4)}


@mistake
def the_rest_shares(sentences):
    """As in the toy, words from the fifth on share one id. Every word needs a row of its own."""
    return {word: min(number, 8) for word, number in in_order(sentences).items()}
