"""What goes wrong in Vocabulary: the numbering of symbols and words, unknown words, the way back."""

from collections import Counter

import torch

from course_lib.checks.embedding.vocabulary import SPECIALS, Reference, Vocabulary


@Vocabulary.mistake(
    "V1",
    advice="Id 0 is a word here, and padding too: that word will be hidden as if it were padding. Number the "
    "special symbols first.",
)
class WordsFirst(Reference):
    def __init__(self, sentences):
        self.number([*self.words_of(sentences), *SPECIALS])

    def encode(self, words):
        return [self.ids.get(word, self.ids["<unk>"]) for word in words]


@Vocabulary.mistake(
    "V1",
    advice="The special symbols have no place: id 0 is a word here, and padding too. Begin the list with "
    "`SPECIALS`.",
)
class NoSpecials(Reference):
    def __init__(self, sentences):
        self.number(self.words_of(sentences))


@Vocabulary.mistake(
    "V2", advice="Several special symbols share an id; decoding cannot tell them apart. Each needs its own."
)
class SharedSpecials(Reference):
    def __init__(self, sentences):
        self.number(["<pad>", "<unk>", *self.words_of(sentences)])
        self.ids |= {"<bos>": 1, "<eos>": 1}

    def encode(self, words):
        return [self.ids.get(word, 1) for word in words]


@Vocabulary.mistake(
    "V10",
    advice="The ids 0 to 3 are free, but no symbol is entered under them: `<pad>` itself cannot be encoded.",
)
class ReservedOnly(Reference):
    def __init__(self, sentences):
        self.ids = {word: i for i, word in enumerate(self.words_of(sentences), start=4)}
        self.words = {i: word for word, i in self.ids.items()}

    def __len__(self):
        return 4 + len(self.words)


@Vocabulary.mistake(
    "V3",
    advice="A set has no order: the ids change with every run, and saved weights fit no longer. Sort it.",
)
class Unsorted(Reference):
    def words_of(self, sentences):
        return list({word for sentence in sentences for word in sentence})


@Vocabulary.mistake(
    "V11",
    advice="Your ids follow the order in which words appear. Sort: then the same words get the same ids.",
)
class ByAppearance(Reference):
    def words_of(self, sentences):
        return list(dict.fromkeys(word for sentence in sentences for word in sentence))


@Vocabulary.mistake(
    "V12", advice="Frequent words first is common too, but ties are left to chance: here the order is sorted."
)
class ByFrequency(Reference):
    def words_of(self, sentences):
        counts = Counter(word for sentence in sentences for word in sentence)
        return [word for word, _ in counts.most_common()]


@Vocabulary.mistake(
    "V13", advice="A word that stands twice is numbered twice. Make a set of the words before you sort."
)
class Repeated(Reference):
    def words_of(self, sentences):
        return sorted(word for sentence in sentences for word in sentence)


@Vocabulary.mistake(
    "V14",
    advice="You count anew in every sentence, so that two words share an id. Number all words together.",
)
class EachSentenceAnew(Reference):
    def __init__(self, sentences):
        self.number([*SPECIALS, *self.words_of(sentences)])
        for sentence in sentences:
            self.ids |= {word: i for i, word in enumerate(sorted(sentence), start=4)}


@Vocabulary.mistake(
    "V15", advice="`for word in sentences` takes whole sentences for words. It needs a second loop inside."
)
class SentencesAsWords(Reference):
    def words_of(self, sentences):
        return sorted(set(sentences))


@Vocabulary.mistake(
    "V4",
    advice="A new text has words that no sentence here has: `self.ids.get(word, UNK)` lets them be <unk>.",
)
class NoUnknown(Reference):
    def encode(self, words):
        return [self.ids[word] for word in words]


@Vocabulary.mistake(
    "V16",
    advice="0 is padding: an unknown word would be masked as if it were not there. It becomes <unk>, 3.",
)
class UnknownIsPadding(Reference):
    def encode(self, words):
        return [self.ids.get(word, 0) for word in words]


@Vocabulary.mistake(
    "V17",
    advice="You leave unknown words out: the sentence grows shorter and nobody knows where. Write <unk>.",
)
class UnknownLeftOut(Reference):
    def encode(self, words):
        return [self.ids[word] for word in words if word in self.ids]


@Vocabulary.mistake(
    "V18",
    advice="`encode` gives new words new ids: the table of vectors will have no row for them. Write <unk>.",
)
class UnknownAdded(Reference):
    def encode(self, words):
        return [self.ids.setdefault(word, len(self.ids)) for word in words]


@Vocabulary.mistake("V19", advice="`encode` gives a list of ids; a tensor comes with the batch.")
class Tensors(Reference):
    def encode(self, words):
        return torch.tensor(super().encode(words))


@Vocabulary.mistake("V20", advice="`decode` gives a list of words: leave joining them to who prints.")
class Joined(Reference):
    def decode(self, ids):
        return " ".join(super().decode(ids))


@Vocabulary.mistake("V21", advice="`decode` leaves the special symbols out; here every id has its word.")
class DecodedWithoutSpecials(Reference):
    def decode(self, ids):
        return [self.words[i] for i in ids if i > 3]


@Vocabulary.mistake(
    "V22", advice="The special symbols have ids too: the length is 4 plus the number of words."
)
class LengthOfWords(Reference):
    def __len__(self):
        return len(self.words) - 4


@Vocabulary.mistake("V22", advice="Ids begin at 0, so the largest id is one less than the length.")
class LengthIsLargestId(Reference):
    def __len__(self):
        return max(self.ids.values())


@Vocabulary.mistake("V23", advice="The sorting moved the special symbols: sort the words only.")
class SpecialsSorted(Reference):
    def number(self, words):
        super().number(sorted(words))


@Vocabulary.mistake(
    "V24",
    advice="The special symbols stand in the list already, so it is counted from 0: `enumerate` without a "
    "start.",
)
class CountedFromFour(Reference):
    def number(self, words):
        self.words, self.ids = words, {word: i for i, word in enumerate(words, start=4)}


@Vocabulary.mistake("V25", advice="You number the words of the first sentence only: go through all of them.")
class FirstSentence(Reference):
    def words_of(self, sentences):
        return super().words_of(sentences[:1])


@Vocabulary.mistake(
    "V25",
    advice="You number the words of the last sentence only: each turn of the loop overwrites what the one "
    "before it found.",
)
class LastSentence(Reference):
    def words_of(self, sentences):
        return super().words_of(sentences[-1:])


@Vocabulary.mistake("V26", advice="A sentence is a list of words; you take its words apart into letters.")
class Letters(Reference):
    def words_of(self, sentences):
        return sorted({letter for sentence in sentences for word in sentence for letter in word})


@Vocabulary.mistake(
    "V27",
    advice="`encode` gives the ids of the words and no others: <bos> and <eos> are put around a sentence by "
    "whoever needs them.",
)
class AddsEnds(Reference):
    def encode(self, words):
        return [1, *super().encode(words), 2]


@Vocabulary.mistake("V28", advice="`encode` gets a list of words: look up each of them, in order.")
class OneWord(Reference):
    def encode(self, words):
        return self.ids.get(words, 3)


@Vocabulary.mistake("V28", advice="`return` inside the loop ends it after the first word: collect a list.")
class FirstWord(Reference):
    def encode(self, words):
        return super().encode(words)[0]


@Vocabulary.mistake("V29", advice="`.get(word)` without a second argument gives None: `.get(word, UNK)`.")
class NoneForUnknown(Reference):
    def encode(self, words):
        return [self.ids.get(word) for word in words]


@Vocabulary.mistake("V29", advice="That is the symbol; its id is asked: `UNK`, 3.")
class SymbolForUnknown(Reference):
    def encode(self, words):
        return [self.ids.get(word, "<unk>") for word in words]


@Vocabulary.mistake(
    "V40",
    advice="You look ids up in the dict that goes from words to ids. The way back is the list: "
    "`self.words[i]`.",
)
class DecodesByWords(Reference):
    def decode(self, ids):
        return [self.ids[i] for i in ids]
