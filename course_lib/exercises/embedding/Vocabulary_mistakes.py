"""Wrong answers to Vocabulary: name, advice, code."""

from collections import Counter

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.embedding.Vocabulary import SPECIALS, Reference

mistake = Mistakes()


@mistake("V1")
class WordsFirst(Reference):
    """Id 0 is a word here, and padding too: that word will be hidden as if it were padding. Number the
    special symbols first.
    """

    def __init__(self, sentences):
        self.number([*self.words_of(sentences), *SPECIALS])

    def encode(self, words):
        return [self.ids.get(word, self.ids["<unk>"]) for word in words]


@mistake("V1")
class NoSpecials(Reference):
    """The special symbols have no place: id 0 is a word here, and padding too. Begin the list with
    `SPECIALS`.
    """

    def __init__(self, sentences):
        self.number(self.words_of(sentences))


@mistake("V2")
class SharedSpecials(Reference):
    """Several special symbols share an id; decoding cannot tell them apart. Each needs its own."""

    def __init__(self, sentences):
        self.number(["<pad>", "<unk>", *self.words_of(sentences)])
        self.ids |= {"<bos>": 1, "<eos>": 1}

    def encode(self, words):
        return [self.ids.get(word, 1) for word in words]


@mistake
class ReservedOnly(Reference):
    """The ids 0 to 3 are free, but no symbol is entered under them: `<pad>` itself cannot be encoded."""

    def __init__(self, sentences):
        self.ids = {word: i for i, word in enumerate(self.words_of(sentences), start=4)}
        self.words = {i: word for word, i in self.ids.items()}

    def __len__(self):
        return 4 + len(self.words)


@mistake("V3", mentions=r"set\(|\{|union")
class Unsorted(Reference):
    """A set has no order: the ids change with every run, and saved weights fit no longer. Sort it."""

    def words_of(self, sentences):
        return list({word for sentence in sentences for word in sentence})


@mistake
class ByAppearance(Reference):
    """Your ids follow the order in which words appear. Sort: then the same words get the same ids."""

    def words_of(self, sentences):
        return list(dict.fromkeys(word for sentence in sentences for word in sentence))


@mistake(mentions="[cC]ount")
class ByFrequency(Reference):
    """Frequent words first is common too, but ties are left to chance: here the order is sorted."""

    def words_of(self, sentences):
        counts = Counter(word for sentence in sentences for word in sentence)
        return [word for word, _ in counts.most_common()]


@mistake(mentions="lower")
class LowerCase(Reference):
    """You write all words in lower case: `US` and `us` would be one word. Keep the words as they are."""

    def words_of(self, sentences):
        return sorted({word.lower() for sentence in sentences for word in sentence})

    def encode(self, words):
        return [self.ids.get(word.lower(), 3) for word in words]


@mistake(mentions="lower")
class LowerCaseInTheTable(Reference):
    """You number the words in lower case, so that a word with a capital letter is unknown when it is
    encoded. Keep the words as they are.
    """

    def words_of(self, sentences):
        return sorted({word.lower() for sentence in sentences for word in sentence})


@mistake(mentions="lower")
class LowerCaseWhenEncoded(Reference):
    """`encode` looks words up in lower case, so that a word with a capital letter is not found. Look the
    words up as they are.
    """

    def encode(self, words):
        return [self.ids.get(word.lower(), 3) for word in words]


@mistake(mentions="lower|casefold")
class SortedWithoutCase(Reference):
    """You sort as if there were no capital letters, so that chance decides between `US` and `us`. Plain
    `sorted` puts capitals first.
    """

    def words_of(self, sentences):
        return sorted({word for sentence in sentences for word in sentence}, key=str.lower)


@mistake
class Repeated(Reference):
    """A word that stands twice is numbered twice. Make a set of the words before you sort."""

    def words_of(self, sentences):
        return sorted(word for sentence in sentences for word in sentence)


@mistake
class EachSentenceAnew(Reference):
    """You count anew in every sentence, so that two words share an id. Number all words together."""

    def __init__(self, sentences):
        self.number([*SPECIALS, *self.words_of(sentences)])
        for sentence in sentences:
            self.ids |= {word: i for i, word in enumerate(sorted(sentence), start=4)}


@mistake
class SentencesAsWords(Reference):
    """Each item of `sentences` is a whole sentence, a list of words: go through it with a second loop."""

    def words_of(self, sentences):
        return sorted(set(sentences))


@mistake("V4")
class NoUnknown(Reference):
    """A new text has words that no sentence here has: `self.ids.get(word, UNK)` lets them be <unk>."""

    def encode(self, words):
        return [self.ids[word] for word in words]


@mistake("V4", mentions="index")
class NoUnknownIndex(Reference):
    """A new text has words that no sentence here has, and `index` finds only what is in the list. Such a word
    becomes <unk>.
    """

    def encode(self, words):
        return [self.words.index(word) for word in words]


@mistake
class UnknownIsPadding(Reference):
    """0 is padding: an unknown word would be masked as if it were not there. It becomes <unk>, 3."""

    def encode(self, words):
        return [self.ids.get(word, 0) for word in words]


@mistake
class UnknownLeftOut(Reference):
    """You leave unknown words out: the sentence grows shorter and nobody knows where. Write <unk>."""

    def encode(self, words):
        return [self.ids[word] for word in words if word in self.ids]


@mistake
class UnknownAdded(Reference):
    """`encode` gives new words new ids: the table of vectors will have no row for them. Write <unk>."""

    def encode(self, words):
        return [self.ids.setdefault(word, len(self.ids)) for word in words]


@mistake
class Tensors(Reference):
    """`encode` gives a list of ids; a tensor comes with the batch."""

    def encode(self, words):
        return torch.tensor(super().encode(words))


@mistake
class Joined(Reference):
    """`decode` gives a list of words: leave joining them to who prints."""

    def decode(self, ids):
        return " ".join(super().decode(ids))


@mistake
class DecodedWithoutSpecials(Reference):
    """`decode` leaves the special symbols out; here every id has its word."""

    def decode(self, ids):
        return [self.words[i] for i in ids if i > 3]


@mistake
class LengthOfWords(Reference):
    """The special symbols have ids too: the length is 4 plus the number of words."""

    def __len__(self):
        return len(self.words) - 4


@mistake
class LengthIsLargestId(Reference):
    """Ids begin at 0, so the largest id is one less than the length."""

    def __len__(self):
        return max(self.ids.values())


@mistake
class SpecialsSorted(Reference):
    """The sorting moved the special symbols: sort the words only."""

    def number(self, words):
        super().number(sorted(words))


@mistake(mentions="enumerate")
class CountedFromFour(Reference):
    """The special symbols stand in the list already, so it is counted from 0: `enumerate` without a start."""

    def number(self, words):
        self.words, self.ids = words, {word: i for i, word in enumerate(words, start=4)}


@mistake
class FirstSentence(Reference):
    """You number the words of the first sentence only: go through all of them."""

    def words_of(self, sentences):
        return super().words_of(sentences[:1])


@mistake(mentions="for ", lacks=r"\[-1")
class LastSentence(Reference):
    """You number the words of the last sentence only: each turn of the loop overwrites what the one before it
    found.
    """

    def words_of(self, sentences):
        words = []
        for sentence in sentences:
            words = sorted(set(sentence))
        return words


@mistake
class Letters(Reference):
    """A sentence is a list of words; you take its words apart into letters."""

    def words_of(self, sentences):
        return sorted({letter for sentence in sentences for word in sentence for letter in word})


@mistake
class AddsEnds(Reference):
    """`encode` gives the ids of the words and no others: <bos> and <eos> are put around a sentence by whoever
    needs them.
    """

    def encode(self, words):
        return [1, *super().encode(words), 2]


@mistake
class OneWord(Reference):
    """`encode` gets a list of words: look up each of them, in order."""

    def encode(self, words):
        return self.ids.get(words, 3)


@mistake(mentions="for ")
class FirstWord(Reference):
    """`return` inside the loop ends it after the first word: collect a list."""

    def encode(self, words):
        for word in words:
            return self.ids.get(word, 3)


@mistake(mentions=r"\.get\(")
class NoneForUnknown(Reference):
    """`.get(word)` without a second argument gives None: `.get(word, UNK)`."""

    def encode(self, words):
        return [self.ids.get(word) for word in words]


@mistake
class SymbolForUnknown(Reference):
    """That is the symbol; its id is asked: `UNK`, 3."""

    def encode(self, words):
        return [self.ids.get(word, "<unk>") for word in words]


@mistake
class DecodesByWords(Reference):
    """You look ids up in the dict that goes from words to ids. The way back is the list: `self.words[i]`."""

    def decode(self, ids):
        return [self.ids[i] for i in ids]
