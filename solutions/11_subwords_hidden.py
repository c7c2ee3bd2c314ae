"""Parts of the checks of 11_subwords that run only when work is graded, kept from learners."""

from course_lib.checks.exercise import Part
from course_lib.exercises.subwords.count_pairs import drawn_words, plain_counts
from course_lib.exercises.subwords.encode import plain_ids
from course_lib.exercises.subwords.encode import reference as encoded
from course_lib.exercises.subwords.learn_merges import drawn_counts, plain_merges
from course_lib.exercises.subwords.learn_merges import reference as learned
from course_lib.exercises.subwords.merge import as_list
from course_lib.exercises.subwords.merge import reference as merged

TEXT = "a wide 学生 is reading; 我们 play 🙂"


def many_words(count, inputs):
    one = inputs.integer(97, 123)
    return {
        "counts": plain_counts(count(drawn_words(inputs, words=20, kinds=3, longest=9))),
        "counts (a long run, and large ids)": plain_counts(
            count({(one,) * 40: 2, (5000 + one, 70_000): 12_000})
        ),
    }


def long_word(merge, inputs):
    ids = inputs.integers(97, 99, 60).tolist()
    return {"length": len(as_list(merge(ids, (97, 98), 500))), "ids": as_list(merge(ids, (98, 98), 501))}


def many_merges(learn, inputs):
    a, b, c = (chr(97 + i) for i in inputs.integers(0, 26, 3).tolist())
    repeating = {2 * (a + b): 50, 3 * c: 60}  # one pair stands there twice
    return {"merges (30)": plain_merges(learn(drawn_counts(inputs, 18) | repeating, 30))}


def a_sentence(encode, inputs):
    # Fewer pieces than bytes, and the same as the reference's.
    merges = learned(drawn_counts(inputs, 18), 30)
    return {f"ids ({word})": plain_ids(encode(word, merges)) for word in TEXT.split()}


def any_ids(decode, inputs):
    # As a model would draw them: pieces in any order, cut characters among them.
    merges = learned(drawn_counts(inputs, 18), 30)
    ids = inputs.integers(0, 256 + len(merges), 12).tolist()
    return {"text (random ids)": [decode(ids, merges)], "text": [decode(encoded(TEXT, merges), merges)]}


PARTS = {
    "count_pairs": Part("many words", 1, many_words, hidden=True),
    "merge": Part("a long word", 1, long_word, hidden=True),
    "learn_merges": Part("thirty merges", 1, many_merges, hidden=True),
    "encode": Part("the words of a sentence", 1, a_sentence, hidden=True),
    "decode": Part("any ids", 1, any_ids, hidden=True),
}
