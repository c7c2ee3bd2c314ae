"""Vocabulary: four special symbols, then the words of some sentences, each with a number of its own."""

import zlib
from collections import Counter
from contextlib import suppress
from numbers import Integral

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.guard import RaisedError
from course_lib.checks.results import RejectedError, describe

SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")


WORDS = ["coffee", "drink", "games", "in", "park", "play", "read", "tea", "watch", "winter"]
MORE = ["!", ".", "2022", "7", "U.S.", "Winter", "o'clock"]  # sorted: before all others but one
LIKE_OTHERS = ["player", "plays", "pla", "wint", "winters", "teach", "U.S"]  # each begins as another word
UNTOUCHED = ["tea ", "\uff0c"]  # with a space, and a Chinese comma: other words than "tea" and ","


Vocabulary = Exercise(
    "Vocabulary",
    points=7,
    returns=(),
    hints=[
        "Which words are there, each counted once, and in which order? A set keeps each word once, and "
        "sorting makes a list of the set.",
        "The set of all words is `{word for sentence in sentences for word in sentence}`. `sorted(...)` "
        "makes a list of it.",
        "Put the list of special symbols before the list of words: `self.words = SPECIALS + sorted(...)`. "
        "The id of a word is its place in `self.words`.",
        "To get from a word to its id, keep a dict: "
        "`self.ids = {word: i for i, word in enumerate(self.words)}`.",
        "`encode` returns `[self.ids.get(word, UNK) for word in words]`. `decode` looks up ids in "
        "`self.words`.",
    ],
    examples=[
        "Vocabulary([['b', 'a']]).encode(['a', 'b'])",
        "Vocabulary([['b', 'a']]).encode(['<pad>', '<bos>', '<eos>', '<unk>'])",
        "Vocabulary([['b', 'a']]).encode(['a', 'zebra'])",
        "Vocabulary([['b', 'a']]).encode(['a', 'A'])",
        "Vocabulary([['b', 'a']]).decode([4, 5])",
        "Vocabulary([['b', 'a']]).decode([0, 4, 2])",
        "len(Vocabulary([['b', 'a']]))",
        "Vocabulary([['a'], ['b']]).encode(['a', 'b'])",
        "Vocabulary([['ab']]).encode(['ab'])",
        "Vocabulary([['B', 'a', '1']]).encode(['1', 'B', 'a'])",
        "Vocabulary([['c', 'b'], ['b', 'a']]).encode(['a', 'b', 'c'])",
        "Vocabulary([list('ihgfedcba')]).encode(list('abcdefghi'))",
    ],
)


@Vocabulary.reference
class Reference:
    def __init__(self, sentences):
        self.number([*SPECIALS, *self.words_of(sentences)])

    def words_of(self, sentences):
        return sorted({word for sentence in sentences for word in sentence})

    def number(self, words):
        self.words = words
        self.ids = {word: i for i, word in enumerate(words)}

    def encode(self, words):
        return [self.ids.get(word, 3) for word in words]

    def decode(self, ids):
        return [self.words[i] for i in ids]

    def __len__(self):
        return len(self.words)


def sentences(inputs):
    """Three sentences, in which some words stand twice; in another order for every seed."""
    words = [WORDS[i] for i in torch.randperm(len(WORDS), generator=inputs.generator).tolist()]
    return [words[:5], words[3:8], words[7:] + words[:2]]


class Word(str):
    """A word whose hash is the same in each process: so is the order of a set of such words."""

    def __hash__(self):
        return zlib.crc32(self.encode())


def ids_of(build, sentences, words):
    """What `encode` gives for these words; of a wrong answer, that which it gives in each process."""
    ids = build(sentences).encode(words)
    if _is_sorted(ids, words):
        return ids
    with suppress(RaisedError, RejectedError):
        told = build([[*map(Word, sentence)] for sentence in sentences]).encode([*map(Word, words)])
        return ids if _is_sorted(told, words) else told
    return ids


def _is_sorted(ids, words):
    if not isinstance(ids, (list, tuple, torch.Tensor)) or len(ids) != len(words):
        return False
    return [word for _, word in sorted(zip(ids, words, strict=True))] == sorted(words)


@Vocabulary.part("the special symbols are 0, 1, 2, 3", points=1)
def specials(build, inputs):
    vocabulary = build(sentences(inputs))
    return {
        "list of the ids of <pad> <bos> <eos> <unk>": vocabulary.encode(list(SPECIALS)),
        "list of the symbols of 0 1 2 3": vocabulary.decode([0, 1, 2, 3]),
    }


@Vocabulary.part("words are numbered one by one, in sorted order", points=2)
def order(build, inputs):
    more = MORE + LIKE_OTHERS
    words = (more + WORDS)[::-1]  # an answer that numbers them when they are asked for is found out
    ids = ids_of(build, [*sentences(inputs), more], words)
    if not isinstance(ids, (list, tuple, torch.Tensor)) or len(ids) != len(words):
        gave = f"`encode` gave {describe(ids)} for {len(words)} words"
        raise RejectedError(f"{gave}; expected a list with the id of each.")
    ids = [int(i) for i in ids]
    return {
        "list of the words in the order of their ids": [
            word for _, word in sorted(zip(ids, words, strict=True))
        ],
        "list of their ids, counted from the smallest": [i - min(ids) for i in sorted(ids)],
    }


SHARED = (
    "A later vocabulary changes an earlier one, which then knows the words of both. Make the dictionary in "
    "`__init__`, for example `self.ids = {}`."
)


@Vocabulary.part("an unknown word becomes <unk>", points=1)
def unknown(build, inputs):
    # "coffee" is in a sentence, but that is another word, and so is one with a full stop.
    vocabulary, words = build(sentences(inputs)), ["zebra", "Coffee"]
    ids = vocabulary.encode(words)
    build([words])
    return {
        "list of the ids of two words that are in no sentence": ids,
        "id of a word with a full stop, which is in no sentence": vocabulary.encode(["tea."]),
        "a later vocabulary": "" if str(vocabulary.encode(words)) == str(ids) else SHARED,
    }


def known(vocabulary):
    """How many different words eight ids decode to. A list that others have filled too is no matter here."""
    words = vocabulary.decode([*range(4, 12)])
    return len({*words} & {*vocabulary.decode(vocabulary.encode(words))})


@Vocabulary.part("decode gives back what encode got", points=1, alone=False)
def there_and_back(build, inputs):
    words = sentences(inputs)[0] + MORE + UNTOUCHED
    vocabulary = build([words])  # one sentence: whether all are read is asked above
    build([["some", "others"]])  # a later one changes nothing in the first
    numbers = all(isinstance(i, (Integral, torch.Tensor)) for i in vocabulary.encode(words))
    return {
        "ids are numbers": numbers,
        "list of the words, encoded and decoded": vocabulary.decode(
            vocabulary.encode([*words, words[-1], words[0]])
        ),
        "list of the words backwards, encoded and decoded": vocabulary.decode(vocabulary.encode(words[::-1])),
        "number of known words that ids 4 to 11 decode to, in a new vocabulary": known(build([words])),
    }


@Vocabulary.part("its length counts the special symbols too", points=1)
def length(build, inputs):
    words = sentences(inputs)[0]
    vocabulary = build([words])
    first, other = len(vocabulary), len(build([["some", "others"]]))
    changed, second = len(vocabulary) - first, len(build([words]))
    with suppress(RaisedError, RejectedError):  # whether it can be encoded is asked above
        vocabulary.encode(["zebra"])
    finding = "A later vocabulary changes an earlier one. Keep the words in `self`." if changed else ""
    if first != second:
        finding = (
            "A later vocabulary of the same words is longer, because it still has words of another one. "
        )
        finding += "Make a new list: `SPECIALS + ...` or `list(SPECIALS)`."
    return {
        "finding": finding,
        "len(vocabulary)": second,
        "len(vocabulary) of two words": other,
        "growth by encoding an unknown word": len(vocabulary) - first,
    }


# Accepted: other ways to write the same


@Vocabulary.accept("a dict that grows")
class Growing:
    def __init__(self, sentences):
        self.word_to_id = {"<pad>": 0, "<bos>": 1, "<eos>": 2, "<unk>": 3}
        for word in sorted(set().union(*sentences)):
            self.word_to_id[word] = len(self.word_to_id)
        self.id_to_word = {i: word for word, i in self.word_to_id.items()}

    def encode(self, words):
        return [self.word_to_id.get(word, self.word_to_id["<unk>"]) for word in words]

    def decode(self, ids):
        return [self.id_to_word[i] for i in ids]

    def __len__(self):
        return len(self.id_to_word)


@Vocabulary.accept("a list and its method index")
class ListOnly:
    def __init__(self, sentences):
        self.words = list(SPECIALS)
        for word in sorted(word for sentence in sentences for word in sentence):
            if word not in self.words:
                self.words.append(word)

    def encode(self, words):
        return [self.words.index(word) if word in self.words else self.words.index("<unk>") for word in words]

    def decode(self, ids):
        return list(map(self.words.__getitem__, ids))

    def __len__(self):
        return len(self.words)


@Vocabulary.accept("counting from 4")
class FromFour:
    def __init__(self, sentences):
        counts = Counter(word for sentence in sentences for word in sentence)
        self.ids = dict(zip(sorted(counts), range(4, 4 + len(counts)), strict=True))
        self.ids |= {word: i for i, word in enumerate(SPECIALS)}

    def encode(self, words):
        ids = []
        for word in words:
            ids.append(self.ids.get(word, self.ids["<unk>"]))
        return ids

    def decode(self, ids):
        words = {i: word for word, i in self.ids.items()}
        return [words[i] for i in ids]

    def __len__(self):
        return len(self.ids)


@Vocabulary.accept("KeyError is caught")
class Caught(Reference):
    def encode(self, words):
        return [self._id(word) for word in words]

    def _id(self, word):
        try:
            return self.ids[word]
        except KeyError:
            return 3
