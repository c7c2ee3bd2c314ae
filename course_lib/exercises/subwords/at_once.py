"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

from course_lib.exercises.subwords.count_pairs import count_pairs, plain_counts
from course_lib.exercises.subwords.decode import decode
from course_lib.exercises.subwords.encode import encode, plain_ids
from course_lib.exercises.subwords.encode import reference as encoded
from course_lib.exercises.subwords.learn_merges import drawn_counts, learn_merges, plain_merges
from course_lib.exercises.subwords.learn_merges import reference as learned
from course_lib.exercises.subwords.merge import as_list, merge, told_of_type

LETTERS = "abé我🙂", "ab "  # of one to four bytes


def drawn_ids(inputs, kinds, length):
    """So many ids of so many kinds, small and large."""
    known = inputs.integers(0, 40_000, kinds).tolist()
    return [known[i] for i in inputs.integers(0, kinds, length).tolist()]


def texts(inputs, count, longest):
    """Words of a few characters; in every second one the same run comes again and again."""
    found = []
    for place in range(count):
        letters, length = LETTERS[inputs.integer(0, len(LETTERS))], inputs.integer(1, longest)
        run = inputs.integer(1, 4) if place % 2 else length
        found.append(
            "".join(letters[i] for i in inputs.integers(0, len(letters), run).tolist())
            * max(1, length // run)
        )
    return found


def counts_of(inputs):
    """Words with how often they occur: many of their pairs overlap, and many are equally frequent."""
    words = texts(inputs, 12, 9) + texts(inputs, 4, 50)
    return drawn_counts(inputs, 4) | {word: inputs.integer(1, 5) for word in words}


@count_pairs.at_once
def counted(count, inputs):
    found = {}
    for kinds in (1, 3, 6):
        lengths = inputs.integers(1, 14, 12).tolist()
        words = {tuple(drawn_ids(inputs, kinds, length)): inputs.integer(1, 500) for length in lengths}
        found[f"counts ({len(words)} words, ids of {kinds} kinds)"] = plain_counts(count(words))
    found["counts (every word is one piece)"] = plain_counts(count({(97,): 3, (300,): 2}))
    return found


@merge.at_once
def several_merged(merge, inputs):
    found = {"type": told_of_type(merge((97,), (97, 98), 300))}
    for pair in ((97, 0), (0, 97)):  # of byte 0, which is an id like any other
        found[f"ids (97 0 97, the pair is {pair})"] = as_list(merge([97, 0, 97], pair, 300))
    for kinds in (1, 2, 3, 5):
        ids = drawn_ids(inputs, kinds, inputs.integer(5, 40))
        for new in range(40_000, 40_003):
            place = inputs.integer(0, len(ids) - 1)
            pair, case = tuple(ids[place : place + 2]), f"{len(ids)} of at first {kinds} kinds"
            found[f"ids (a tuple, {case}, new id {new})"] = as_list(merge(tuple(ids), pair, new))
            ids = found[f"ids ({case}, new id {new})"] = as_list(merge(ids, pair, new))
    return found


@learn_merges.at_once
def all_learned(learn, inputs):
    return {
        f"merges ({count})": plain_merges(learn(counts_of(inputs), count))
        for count in (1, inputs.integer(2, 20), inputs.integer(20, 60), 1000)
    }


def with_gaps(inputs, merges):
    """The same merges with other ids, between which there are gaps."""
    ids = (256 + inputs.integers(1, 50, len(merges)).cumsum(0)).tolist()
    new = dict(zip(merges.values(), ids, strict=True))
    return {(new.get(a, a), new.get(b, b)): new[one] for (a, b), one in merges.items()}


@encode.at_once
def words_encoded(encode, inputs):
    counts, found = counts_of(inputs), {"type": told_of_type(encode("ab", {}))}
    merges = learned(counts, inputs.integer(20, 100))
    renamed = with_gaps(inputs, merges)
    for word in (*counts, *texts(inputs, 12, 40)):
        found[f"ids ({word!r})"] = plain_ids(encode(word, merges))
        found[f"ids ({word!r}, new ids with gaps between them)"] = plain_ids(encode(word, renamed))
    return found


@decode.at_once
def pieces_decoded(decode, inputs):
    merges, found = learned(counts_of(inputs), inputs.integer(20, 100)), {}
    for count in range(1, 40, 5):
        ids = inputs.integers(0, 256 + len(merges), count).tolist()
        found[f"text (of {count} random ids)"] = [decode(ids, merges)]
    renamed = with_gaps(inputs, merges)
    found["text (of all new ids, with gaps between them)"] = [decode([*renamed.values()], renamed)]
    found["text (two bytes at the end begin nothing)"] = [
        decode([97, *inputs.integers(128, 192, 2).tolist()], {})
    ]
    for text in texts(inputs, 6, 30):
        ids = encoded(text, merges)
        found[f"text ({text!r})"] = [decode(ids, merges)]
        found[f"text ({text!r}, without its first id and its last)"] = [decode(ids[1:-1], merges)]
    return found
