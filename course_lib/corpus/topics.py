"""A small labelled task on the corpus: what is a sentence about? Half of the words are never labelled."""

from collections.abc import Sequence
from itertools import islice
from random import Random
from typing import NamedTuple

from course_lib.corpus import draw_pairs

TOPICS = {  # for each topic: the words whose sentences may get labels, and those of the test
    "animals": ("cat cats dog dogs", "bird birds horse horses"),
    "clothes": ("coat coats shirt shirts", "dress dresses hat hats"),
    "food": ("apple apples", "cake cakes egg eggs"),
    "drinks": ("tea coffee", "milk water"),
    "places": ("library station", "hospital restaurant supermarket"),
    "music": ("guitar song songs", "piano violin"),
}
_PLACES = {
    word: (topic, side)
    for topic, sides in enumerate(TOPICS.values())
    for side, words in enumerate(sides)
    for word in words.split()
}

Words = tuple[str, ...]
Example = tuple[Words, int]  # a sentence and the number of its topic


class TopicTask(NamedTuple):
    """English sentences: `plain` ones without labels, and examples that are not among them."""

    plain: list[Words]
    known: list[Example]  # about words that may be labelled
    new: list[Example]  # about words that never are


def load_topics(plain: int = 20_000, labelled: int = 30_000, seed: int = 0) -> TopicTask:
    """Draw so many sentences without labels, then look for examples in so many further ones."""
    sentences = [pair.source for pair in islice(draw_pairs(seed), plain + labelled)]
    task = TopicTask(sentences[:plain], [], [])
    for sentence in sentences[plain:]:
        places = {_PLACES[word] for word in sentence if word in _PLACES}
        if len(places) == 1:  # about one topic, and words of one side
            ((topic, side),) = places
            (task.known, task.new)[side].append((sentence, topic))
    return task


def draw_examples(examples: Sequence[Example], each: int, seed: int) -> list[Example]:
    """`each` examples of every topic, drawn by chance; ValueError where there are too few."""
    chance, drawn = Random(seed), []
    for number, topic in enumerate(TOPICS):
        of_topic = [example for example in examples if example[1] == number]
        if len(of_topic) < each:
            raise ValueError(f"topic {topic!r} has {len(of_topic)} examples, {each} were asked for")
        drawn += chance.sample(of_topic, each)
    return drawn
