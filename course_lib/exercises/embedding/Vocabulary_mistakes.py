"""Wrong answers to Vocabulary: name, advice, code."""

from collections import Counter

import torch

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.embedding.Vocabulary import SPECIALS, Reference

mistake = Mistakes()


@mistake("V1")
class WordsFirst(Reference):
    """Your id 0 is a word, but 0 is padding too, so that word will be hidden as padding. Number the special
    symbols first.
    """

    def __init__(self, sentences):
        self.number([*self.words_of(sentences), *SPECIALS])

    def encode(self, words):
        return [self.ids.get(word, self.ids["<unk>"]) for word in words]


@mistake("V1")
class NoSpecials(Reference):
    """The special symbols have no ids, so id 0 is a word and padding too. Begin the list with `SPECIALS`."""

    def __init__(self, sentences):
        self.number(self.words_of(sentences))


@mistake
class WordsAlone(NoSpecials):
    """Only the words have ids, so `<pad>` and words that you have not seen raise an error. Begin the list
    with `SPECIALS`, and give UNK to unknown words.
    """

    def encode(self, words):
        return [self.ids[word] for word in words]


@mistake(mentions=r"split\(")
class SplitsLists(Reference):
    """A sentence is a list of words here, so there is nothing to split. Go over its words: `for word in
    sentence`.
    """

    def words_of(self, sentences):
        return sorted({word for sentence in sentences for word in sentence.split()})


@mistake("V2")
class SharedSpecials(Reference):
    """Several special symbols share an id, so `decode` cannot tell them apart. Give each symbol its own
    id.
    """

    def __init__(self, sentences):
        self.number(["<pad>", "<unk>", *self.words_of(sentences)])
        self.ids |= {"<bos>": 1, "<eos>": 1}

    def encode(self, words):
        return [self.ids.get(word, 1) for word in words]


@mistake
class ReservedOnly(Reference):
    """You left the ids 0 to 3 free, but you entered no symbols under them, so `<pad>` itself cannot be
    encoded. Enter the four symbols under these ids.
    """

    def __init__(self, sentences):
        self.ids = {word: i for i, word in enumerate(self.words_of(sentences), start=4)}
        self.words = {i: word for word, i in self.ids.items()}

    def __len__(self):
        return 4 + len(self.words)


@mistake("V3", mentions=r"set\(|\{|union")
class Unsorted(Reference):
    """A set has no order, so your ids change with every run, and saved weights no longer fit. Sort the
    set.
    """

    def words_of(self, sentences):
        return list({word for sentence in sentences for word in sentence})


@mistake
class ByAppearance(Reference):
    """Your ids follow the order in which words appear. Sort the words, so that the same words always get the
    same ids.
    """

    def words_of(self, sentences):
        return list(dict.fromkeys(word for sentence in sentences for word in sentence))


@mistake(mentions="[cC]ount")
class ByFrequency(Reference):
    """You put frequent words first. This is common too, but chance decides between equally frequent words.
    Here the words are sorted.
    """

    def words_of(self, sentences):
        counts = Counter(word for sentence in sentences for word in sentence)
        return [word for word, _ in counts.most_common()]


@mistake(mentions="lower")
class LowerCase(Reference):
    """You write all words in lower case, so `US` and `us` would be one word. Do not change the words."""

    def words_of(self, sentences):
        return sorted({word.lower() for sentence in sentences for word in sentence})

    def encode(self, words):
        return [self.ids.get(word.lower(), 3) for word in words]


@mistake(mentions="lower")
class LowerCaseInTheTable(Reference):
    """You number the words in lower case, so a word with a capital letter is unknown when it is encoded. Do
    not change the words.
    """

    def words_of(self, sentences):
        return sorted({word.lower() for sentence in sentences for word in sentence})


@mistake(mentions="lower")
class LowerCaseWhenEncoded(Reference):
    """`encode` looks words up in lower case, so it does not find a word with a capital letter. Look up the
    words without changing them.
    """

    def encode(self, words):
        return [self.ids.get(word.lower(), 3) for word in words]


@mistake(mentions="lower|casefold")
class SortedWithoutCase(Reference):
    """You sort as if there were no capital letters, so chance decides between `US` and `us`. Plain `sorted`
    puts capital letters first.
    """

    def words_of(self, sentences):
        return sorted({word for sentence in sentences for word in sentence}, key=str.lower)


@mistake
class Repeated(Reference):
    """A word that occurs twice is numbered twice. Make a set of the words before you sort."""

    def words_of(self, sentences):
        return sorted(word for sentence in sentences for word in sentence)


@mistake
class EachSentenceAnew(Reference):
    """You start counting again in every sentence, so two words share an id. Number the words of all sentences
    together.
    """

    def __init__(self, sentences):
        self.number([*SPECIALS, *self.words_of(sentences)])
        for sentence in sentences:
            self.ids |= {word: i for i, word in enumerate(sorted(sentence), start=4)}


@mistake(mentions=r"append\(\s*(sorted|list|set|\[)")
class AppendsTheList(Reference):
    """`append` puts the whole list in as one item. Use `extend`, or `+`."""

    def words_of(self, sentences):
        words = []
        words.append(sorted({word for sentence in sentences for word in sentence}))
        return words


@mistake
class SentencesAsWords(Reference):
    """Each item of `sentences` is a whole sentence, a list of words. Go through its words with a second
    loop.
    """

    def words_of(self, sentences):
        return sorted(set(sentences))


@mistake("V4")
class NoUnknown(Reference):
    """A new text may have words that are in none of these sentences, and your `encode` fails on them.
    `self.ids.get(word, UNK)` gives them the id of <unk>.
    """

    def encode(self, words):
        return [self.ids[word] for word in words]


@mistake("V4", mentions="index")
class NoUnknownIndex(Reference):
    """A new text may have words that are in none of these sentences, but `index` finds only what is in the
    list. Give such a word the id of <unk>.
    """

    def encode(self, words):
        return [self.words.index(word) for word in words]


@mistake
class UnknownIsPadding(Reference):
    """You give unknown words the id 0, which is padding, so they would be masked. Give them the id of <unk>,
    3.
    """

    def encode(self, words):
        return [self.ids.get(word, 0) for word in words]


@mistake
class UnknownLeftOut(Reference):
    """You leave unknown words out, so the sentence becomes shorter, and their places are lost. Give them the
    id of <unk>.
    """

    def encode(self, words):
        return [self.ids[word] for word in words if word in self.ids]


@mistake
class UnknownAdded(Reference):
    """`encode` gives new ids to new words, but the table of vectors will have no rows for them. Give them the
    id of <unk>.
    """

    def encode(self, words):
        return [self.ids.setdefault(word, len(self.ids)) for word in words]


@mistake
class Tensors(Reference):
    """`encode` must return a list of ids, but you return a tensor. A tensor is made later, of a whole
    batch.
    """

    def encode(self, words):
        return torch.tensor(super().encode(words))


@mistake
class Joined(Reference):
    """`decode` must return a list of words, but you return one text. Do not join the words."""

    def decode(self, ids):
        return " ".join(super().decode(ids))


@mistake
class DecodedWithoutSpecials(Reference):
    """Your `decode` leaves the special symbols out. It must return a word for every id."""

    def decode(self, ids):
        return [self.words[i] for i in ids if i > 3]


@mistake
class LengthOfWords(Reference):
    """You count only the words, but the special symbols have ids too. The length is 4 plus the number of
    words.
    """

    def __len__(self):
        return len(self.words) - 4


@mistake
class LengthIsLargestId(Reference):
    """You return the largest id. Ids begin at 0, so the length is one more."""

    def __len__(self):
        return max(self.ids.values())


@mistake
class SpecialsSorted(Reference):
    """Your sorting moved the special symbols. Sort only the words."""

    def number(self, words):
        super().number(sorted(words))


@mistake(mentions="enumerate")
class CountedFromFour(Reference):
    """The special symbols are in the list already, so its ids begin at 0. Use `enumerate` without a start."""

    def number(self, words):
        self.words, self.ids = words, {word: i for i, word in enumerate(words, start=4)}


@mistake
class FirstSentence(Reference):
    """You number only the words of the first sentence. Go through all sentences."""

    def words_of(self, sentences):
        return super().words_of(sentences[:1])


@mistake(mentions="for ", lacks=r"\[-1")
class LastSentence(Reference):
    """You number only the words of the last sentence, because each pass of the loop overwrites the words of
    the pass before. Collect the words of all sentences.
    """

    def words_of(self, sentences):
        words = []
        for sentence in sentences:
            words = sorted(set(sentence))
        return words


@mistake
class Letters(Reference):
    """You take the words apart into letters. A sentence is a list of words, so number whole words."""

    def words_of(self, sentences):
        return sorted({letter for sentence in sentences for word in sentence for letter in word})


@mistake
class AddsEnds(Reference):
    """`encode` must return the ids of the words and no others. Later code puts <bos> and <eos> around a
    sentence where it needs them.
    """

    def encode(self, words):
        return [1, *super().encode(words), 2]


@mistake
class OneWord(Reference):
    """`encode` gets a list of words, but you look up the whole list at once. Look up each word, in order."""

    def encode(self, words):
        return self.ids.get(words, 3)


@mistake(mentions="for ")
class FirstWord(Reference):
    """`return` inside the loop ends it after the first word. Collect the ids in a list, and return the list
    after the loop.
    """

    def encode(self, words):
        for word in words:
            return self.ids.get(word, 3)


@mistake(mentions=r"\.get\(")
class NoneForUnknown(Reference):
    """`.get(word)` returns None for an unknown word. Write `.get(word, UNK)`."""

    def encode(self, words):
        return [self.ids.get(word) for word in words]


@mistake
class SymbolForUnknown(Reference):
    """You return the symbol itself for an unknown word. Return its id: `UNK`, 3."""

    def encode(self, words):
        return [self.ids.get(word, "<unk>") for word in words]


@mistake
class DecodesByWords(Reference):
    """You look ids up in the dict that leads from words to ids. The list leads back: `self.words[i]`."""

    def decode(self, ids):
        return [self.ids[i] for i in ids]


@mistake
class DecodesWhatWasEncoded(Reference):
    """Your `decode` knows only words that were encoded before. Make the list of all words in `__init__`, and
    look the ids up in it.
    """

    def __init__(self, sentences):
        super().__init__(sentences)
        self.seen = {}

    def encode(self, words):
        ids = super().encode(words)
        self.seen |= dict(zip(ids, words, strict=True))
        return ids

    def decode(self, ids):
        return [self.seen[i] for i in ids]
