"""The model of one language, its training loop, and the task on topics."""

import pytest
import torch
import torch.nn.functional as F

from course_lib.corpus.topics import TOPICS, draw_examples, load_topics
from course_lib.training.pretraining import TextModel, sentence_batches, train_on_sentences


@pytest.fixture(scope="module")
def task():
    return load_topics(plain=500, labelled=3000)


def test_a_word_reads_both_sides_unless_the_model_is_causal():
    ids = torch.tensor([[5, 6, 7, 8]])
    changed = torch.tensor([[5, 6, 7, 9]])
    for causal in (False, True):
        torch.manual_seed(0)
        model = TextModel(10, d_model=8, causal=causal)
        same = torch.isclose(model(ids), model(changed), atol=1e-6).all(dim=-1)[0]
        assert same[:3].tolist() == [causal] * 3
        assert not same[3]


def test_padding_changes_nothing():
    model = TextModel(10, d_model=8)
    alone, padded = torch.tensor([[5, 6]]), torch.tensor([[5, 6, 0], [7, 8, 9]])
    assert torch.allclose(model(alone)[0], model(padded)[0, :2], atol=1e-5)


def test_batches_hold_each_sentence_once_without_padding():
    sentences = [[4 + i] * (1 + i % 3) for i in range(20)]
    batches = sentence_batches(sentences, tokens=6, seed=0)
    seen = []
    while len(seen) < 20:
        batch = next(batches)
        assert batch.numel() <= 6
        seen += batch.tolist()
    assert sorted(seen) == sorted(sentences)


def test_a_step_never_hangs_on_a_few_words():
    common, rare = [[4, 5, 6, 7]] * 30, [[8, 9]] * 3
    batches = sentence_batches(common + rare, tokens=80, seed=0)
    assert {batch.numel() for batch, _ in zip(batches, range(10), strict=False)} == {80, 40}
    alone = sentence_batches(rare, tokens=80, seed=0)
    assert next(alone).tolist() == rare


def test_training_lowers_the_loss_and_can_be_repeated():
    sentences = [[4, 5, 6, 7], [5, 6, 7, 4], [8, 9, 8, 9, 8]] * 5

    def run():
        torch.manual_seed(0)
        model = TextModel(10, d_model=8, causal=True)
        loss = lambda ids: F.cross_entropy((model(ids[:, :-1]) @ model.table.mT).mT, ids[:, 1:])  # noqa: E731
        return train_on_sentences(model, loss, sentences, steps=40, tokens=30, progress=False)

    losses = run()
    assert len(losses) == 40
    assert sum(losses[-5:]) < 0.5 * sum(losses[:5])
    assert losses == run()


def test_examples_are_about_one_topic_and_not_among_the_plain_sentences(task):
    for side, examples in enumerate((task.known, task.new)):
        for sentence, topic in examples:
            of_topic = list(TOPICS.values())[topic][side].split()
            others = [w for sides in TOPICS.values() for words in sides for w in words.split()]
            found = [word for word in sentence if word in others]
            assert found and set(found) <= set(of_topic)
    assert not {sentence for sentence, _ in task.known + task.new} & set(task.plain)


def test_drawn_examples_are_balanced_and_repeatable(task):
    drawn = draw_examples(task.known, each=3, seed=1)
    assert [topic for _, topic in drawn] == [topic for topic in range(6) for _ in range(3)]
    assert drawn == draw_examples(task.known, each=3, seed=1) != draw_examples(task.known, each=3, seed=2)
    with pytest.raises(ValueError, match=r"topic 'animals' has .* examples, 5000 were asked for"):
        draw_examples(task.known, each=5000, seed=0)
