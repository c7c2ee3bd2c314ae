"""word_ids: a number for every word, above those of the special symbols. Any order of the words is right."""

from collections import Counter

from course_lib.checks.exercise import Exercise
from course_lib.checks.guard import Rejected, describe

word_ids = Exercise(
    "word_ids",
    points=5,
    returns=("ids",),
    hints=[
        "Collect the words of all sentences, each once: `dict.fromkeys(...)` keeps them in order, "
        "`sorted(set(...))` sorts them.",
        "Four ids are taken, so the first word gets 4: `enumerate(words, start=4)`.",
        "`words = dict.fromkeys(word for sentence in sentences for word in sentence.split())`, then "
        "`return {word: number for number, word in enumerate(words, start=4)}`.",
    ],
    examples=[
        "word_ids(['a'])",
        "word_ids(['a b a c'])",
        "word_ids(['a b', 'c a'])",
        "word_ids(['a b c d e f'])",
    ],
)

TEXTS = ["the games begin in winter the year the games end", "we like winter games", "they begin in may"]


@word_ids.reference
def in_order(sentences):
    words = dict.fromkeys(word for sentence in sentences for word in sentence.split())
    return {word: number for number, word in enumerate(words, start=4)}


def numbered(number, texts):
    ids = number(texts)
    if not isinstance(ids, dict):
        raise Rejected(f"`ids` is {describe(ids)}; expected a dict from words to ids.")
    return ids


@word_ids.part("no word has the id of pad, bos, eos or unk", points=1)
def specials(number, inputs):
    return {
        "words with an id below 4": sorted(str(w) for w, i in numbered(number, TEXTS).items() if not i >= 4)
    }


@word_ids.part("no two words share an id", points=1)
def shared(number, inputs):
    ids = numbered(number, TEXTS)
    counts = Counter(ids.values())
    return {"words that share an id": sorted(str(word) for word, i in ids.items() if counts[i] > 1)}


@word_ids.part("every word of every sentence has an id", points=1)
def every_word(number, inputs):
    return {"words": sorted(map(str, numbered(number, TEXTS)))}


@word_ids.part("no id is left out, so that a table needs no unused rows", points=1)
def no_gaps(number, inputs):
    ids = numbered(number, TEXTS)
    return {"ids between 4 and the largest that no word has": gaps(ids)}


def gaps(ids):
    return sorted(set(range(4, max(ids.values()) + 1)) - set(ids.values()))[:12]


@word_ids.accept("in sorted order")
def in_sorted_order(sentences):
    words = {word for sentence in sentences for word in sentence.split()}
    return {word: 4 + number for number, word in enumerate(sorted(words))}


@word_ids.accept("the most frequent word first")
def by_frequency(sentences):
    counts = Counter(" ".join(sentences).split())
    return {word: number for number, (word, _) in enumerate(counts.most_common(), 4)}


@word_ids.accept("growing, with setdefault")
def growing(sentences):
    ids = {}
    for sentence in sentences:
        for word in sentence.split():
            ids.setdefault(word, len(ids) + 4)
    return ids


@word_ids.accept("from a list with the special symbols in front, the last sentence first")
def with_specials(sentences):
    entries = ["<pad>", "<bos>", "<eos>", "<unk>"]
    for sentence in reversed(sentences):
        entries += [word for word in dict.fromkeys(sentence.split()) if word not in entries]
    return {word: entries.index(word) for word in entries[4:]}


mistake = word_ids.mistake


@mistake("V1", advice="Id 0 is both padding and your first word: begin with `enumerate(words, start=4)`.")
def from_zero(sentences):
    words = dict.fromkeys(word for sentence in sentences for word in sentence.split())
    return {word: number for number, word in enumerate(words)}


@mistake(
    "V2", advice="Padding has an id of its own now, but bos, eos and unk share theirs with words: start at 4."
)
def from_one(sentences):
    words = dict.fromkeys(word for sentence in sentences for word in sentence.split())
    return {word: number for number, word in enumerate(words, start=1)}


@mistake(
    "V21",
    advice="You number each sentence on its own, so words of different sentences share an id, and with it a "
    "vector. Collect the words of all sentences first.",
)
def by_sentence(sentences):
    ids = {}
    for sentence in sentences:
        for number, word in enumerate(dict.fromkeys(sentence.split()), start=4):
            ids.setdefault(word, number)
    return ids


@mistake(
    "V22",
    advice="You number tokens, not words: a word that comes again gets a new id and leaves its old one "
    "unused.",
)
def by_token(sentences):
    tokens = [word for sentence in sentences for word in sentence.split()]
    return {word: number for number, word in enumerate(tokens, start=4)}


@mistake("V23", advice="Only the first sentence is numbered: go over all of them.")
def first_sentence(sentences):
    return in_order(sentences[:1])


@mistake("V24", advice="The dict is the wrong way round: from words to ids.")
def inverted(sentences):
    return {number: word for word, number in in_order(sentences).items()}


@mistake("V25", advice="This is a list of ids; which word has which? Return a dict from words to ids.")
def as_list(sentences):
    return list(in_order(sentences).values())


@mistake("V26", advice="The special symbols are no words of these sentences: leave them out of the dict.")
def with_special_words(sentences):
    return {"<pad>": 0, "<bos>": 1, "<eos>": 2, "<unk>": 3} | in_order(sentences)


@mistake("V29", advice="You begin at 5 or above: the first id that is free is 4.")
def from_five(sentences):
    return {word: number + 1 for word, number in in_order(sentences).items()}


@mistake("V30", advice="You begin at 3, the id of unk: four ids are taken, 0 to 3, so the first word gets 4.")
def from_three(sentences):
    return {word: number - 1 for word, number in in_order(sentences).items()}


@mistake(
    "V31",
    advice="`index` finds a word's first place among all *tokens*, so repetitions leave ids unused. Let each "
    "word come once, by `dict.fromkeys` or `set`.",
)
def by_first_token(sentences):
    tokens = " ".join(sentences).split()
    return {word: 4 + tokens.index(word) for word in tokens}


@mistake(
    "V32",
    advice="Only the last sentence is left: the dict is made anew for each. Make it once, before the loop.",
)
def last_sentence(sentences):
    return in_order(sentences[-1:])


@mistake(
    "V33",
    advice="Two words share id 4: `max(number, 4)` lifts the first ones to one id. Add 4 to every number.",
)
def lifted(sentences):
    return {word: max(number - 4, 4) for word, number in in_order(sentences).items()}


def second_like_first(sentences):
    """Broken code for tests: two words share the first id, all other ids are as they should be."""
    ids = in_order(sentences)
    return ids | dict.fromkeys(list(ids)[1:2], 4)


@mistake("V27", advice="You iterate over the letters of each sentence: `sentence.split()` gives its words.")
def letters(sentences):
    found = dict.fromkeys(letter for sentence in sentences for letter in sentence)
    return {letter: number for number, letter in enumerate(found, start=4)}


@mistake(
    "V28",
    advice="As in the toy, words from the fifth on share one id. Every word needs a row of its own.",
)
def the_rest_shares(sentences):
    return {word: min(number, 8) for word, number in in_order(sentences).items()}
