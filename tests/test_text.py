import warnings

import pytest
import torch

from course_lib.text import BOS, EOS, PAD, SPECIALS, UNK, Vocabulary, pad_batch

SENTENCES = [("i", "like", "tea"), ("tea", "likes", "me")]


def test_special_symbols_come_first_and_words_are_sorted():
    vocabulary = Vocabulary(SENTENCES)
    assert vocabulary.to_list() == [*SPECIALS, "i", "like", "likes", "me", "tea"]
    assert (PAD, BOS, EOS, UNK) == (0, 1, 2, 3)
    assert Vocabulary(reversed(SENTENCES)) == vocabulary
    assert len(vocabulary) == 9
    assert "tea" in vocabulary and "coffee" not in vocabulary


def test_rare_words_are_left_out_by_min_count():
    assert Vocabulary(SENTENCES, min_count=2).to_list() == [*SPECIALS, "tea"]


def test_a_sentence_survives_encoding_and_decoding():
    vocabulary = Vocabulary(SENTENCES)
    ids = vocabulary.encode(("i", "like", "tea"), bos=True, eos=True)
    assert ids == [BOS, 4, 5, 8, EOS]
    assert vocabulary.decode(ids) == ["i", "like", "tea"]
    assert vocabulary.decode([*ids, PAD, 4]) == ["i", "like", "tea"]
    assert vocabulary.decode(torch.tensor(ids), keep_special=True) == ["<bos>", "i", "like", "tea", "<eos>"]


def test_an_unknown_word_becomes_unk_and_says_so_once():
    vocabulary = Vocabulary(SENTENCES)
    with pytest.warns(UserWarning, match=r"'coffee' is not among the 9 words"):
        assert vocabulary.encode(("i", "like", "coffee", "coffee")) == [4, 5, UNK, UNK]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert vocabulary.encode(("coffee",)) == [UNK]
        with pytest.raises(UserWarning, match="milk"):
            vocabulary.encode(("milk",))


def test_a_vocabulary_survives_a_checkpoint():
    vocabulary = Vocabulary(SENTENCES)
    assert Vocabulary.from_list(vocabulary.to_list()) == vocabulary
    assert Vocabulary([("i",)]) != vocabulary
    with pytest.raises(ValueError, match="starts with <pad>"):
        Vocabulary.from_list(["i", "like", "tea", "me"])
    with pytest.raises(ValueError, match=r"once.*'tea'"):
        Vocabulary.from_list([*SPECIALS, "tea", "tea"])


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ("i like tea", TypeError, r"got the string 'i like tea'.*split"),
        ((), ValueError, "at least one word"),
        (7, TypeError, "got int"),
        (("i", 7), TypeError, "int 7"),
    ],
)
def test_what_is_not_a_sentence_is_named(words, error, message):
    with pytest.raises(error, match=message):
        Vocabulary(SENTENCES).encode(words)
    with pytest.raises(error, match=message):
        Vocabulary([words])


@pytest.mark.parametrize("ids", [[9], [-1], [1.5], ["i"]])
def test_ids_out_of_range_are_named(ids):
    with pytest.raises(ValueError, match=r"0 \.\. 8; got"):
        Vocabulary(SENTENCES).decode(ids)


def test_pad_batch_fills_up_to_the_longest():
    batch = pad_batch([[4, 5, 6], [7]])
    assert batch.dtype == torch.long
    assert batch.tolist() == [[4, 5, 6], [7, PAD, PAD]]
    assert pad_batch([[4], [5, 6]], pad=9).tolist() == [[4, 9], [5, 6]]


@pytest.mark.parametrize(
    ("sequences", "error", "message"),
    [
        ([], ValueError, "at least one sequence"),
        ([[4], []], ValueError, "sequence 1 of the batch is empty"),
        ([[4], [4, 5, 6]], ValueError, "sequence 1 has 3 tokens; at most 2"),
        ([["i"]], TypeError, "sequence 0 holds words, 'i'"),
        (["tea"], TypeError, "list of ids; got str 'tea'"),
        ([4, 5], TypeError, "list of ids; got int 4"),
    ],
)
def test_a_wrong_batch_is_named(sequences, error, message):
    with pytest.raises(error, match=message):
        pad_batch(sequences, max_length=2)
