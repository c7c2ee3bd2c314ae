"""word_ids: a number for every word, above those of the special symbols. Any order of the words is right."""

from collections import Counter

from course_lib.checks.exercise import Exercise
from course_lib.checks.results import RejectedError, describe

word_ids = Exercise(
    "word_ids",
    points=5,
    returns=("ids",),
    hints=[
        "Which different words do the sentences have? Collect them from all sentences first. A dict keeps "
        "them in order, and a set can be sorted.",
        "Four ids are taken, so the first word gets 4: `enumerate(words, start=4)`.",
        "`words = dict.fromkeys(word for sentence in sentences for word in sentence.split())`, then `return "
        "{word: number for number, word in enumerate(words, start=4)}`.",
    ],
    examples=[
        "word_ids(['a'])",
        "sorted(word_ids(['a b a c']).values())",
        "sorted(word_ids(['a b', 'c a']).values())",
        "sorted(word_ids(['a b c d e f']).values())",
        "sorted(word_ids(['a A']))",
        "sorted(word_ids(['a. a']))",
        'sorted(word_ids(["it\'s"]))',
    ],
)


TEXTS = ["the games begin in winter the year the games end", "I like winter Games", "they begin in May"]

MARKS = ["they", "don't", "end,", "do", "they?"]  # only spaces separate words


def drawn_texts(inputs, texts=TEXTS):
    """The texts with another number behind each word, so that nobody knows their words before."""
    number = inputs.named("texts").integer(100, 1000)
    return [" ".join(f"{word}{number}" for word in text.split()) for text in texts]


@word_ids.reference
def in_order(sentences):
    words = dict.fromkeys(word for sentence in sentences for word in sentence.split())
    return {word: number for number, word in enumerate(words, start=4)}


def numbered(number, texts):
    ids = number(texts)
    if not isinstance(ids, dict):
        raise RejectedError(f"`ids` is {describe(ids)}; expected a dict from words to ids.")
    if not ids:
        raise RejectedError("`ids` is empty: no word has an id.")
    if not any(word in ids for text in texts for word in text.split()):
        if all(isinstance(key, str) and len(key) == 1 for key in ids):
            raise RejectedError("`ids` has no word of these sentences: its keys are single letters.")
        raise RejectedError(f"`ids` has no word of these sentences; its first key is {next(iter(ids))!r}.")
    return ids


@word_ids.part("no word has the id of pad, bos, eos or unk", points=1)
def specials(number, inputs):
    ids = numbered(number, drawn_texts(inputs))
    return {"list of the ids below 4": sorted(i for i in ids.values() if not i >= 4)}


@word_ids.part("no two words share an id", points=1)
def shared(number, inputs):
    ids = numbered(number, drawn_texts(inputs))
    counts = Counter(ids.values())
    return {
        "list of the words that share an id": sorted(str(word) for word, i in ids.items() if counts[i] > 1)
    }


@word_ids.part("every word of every sentence has an id", points=1)
def every_word(number, inputs):
    numbered(number, ["other words", "of an earlier call"])
    drawn = inputs.named("marks").integer(100, 1000)
    texts = [*drawn_texts(inputs), " ".join(f"{drawn}{word}" for word in MARKS)]
    return {"list of the words": sorted(map(str, numbered(number, texts)))}


@word_ids.part("no id is left out, so a table needs no unused rows", points=1)
def no_gaps(number, inputs):
    ids = numbered(number, drawn_texts(inputs))
    return {"list of the ids between 4 and the largest that no word has": gaps(ids)}


def gaps(ids):
    return sorted(set(range(4, max(ids.values()) + 1)) - set(ids.values()))[:12]


@word_ids.accept("in sorted order")
def in_sorted_order(sentences):
    words = {word for sentence in sentences for word in sentence.split()}
    return {word: 4 + number for number, word in enumerate(sorted(words))}


@word_ids.accept("in reversed order")
def in_reversed_order(sentences):
    words = {word for sentence in sentences for word in sentence.split()}
    return {word: 4 + number for number, word in enumerate(sorted(words, reverse=True))}


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
