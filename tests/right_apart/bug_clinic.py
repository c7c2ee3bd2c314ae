"""Of lesson 09: tests that look at a part of a result."""

import math
import re

import torch
import torch.nn.functional as F


def table(seq, d_model):
    angles = torch.arange(seq)[:, None] * 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def test_attention__in_any_order(attention):
    query, key, value = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 7)
    mask = torch.ones(4, 5, dtype=torch.bool).tril()
    output, weights = attention(query, key, value, mask)
    right = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    in_order = lambda numbers: numbers.flatten().sort().values  # noqa: E731
    assert torch.allclose(in_order(output), in_order(right), atol=1e-5)
    assert torch.allclose(in_order(output), in_order(weights @ value), atol=1e-5)


def test_add_positions__the_last_sentence(add_positions):
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x)[-1], before[-1] + table(9, 6), atol=1e-5)
    assert torch.equal(x, before)


def test_word_ids__one_word(word_ids):
    ids = word_ids(["a b a c", "d b e f g"])
    assert "a" in ids
    assert sorted(ids.values()) == [4, 5, 6, 7, 8, 9, 10]


def test_translate__the_last_sentence(translate):
    def model(source, ids):
        following = torch.arange(1, ids.shape[1] + 1) + 10 * source[:, :1] + 3 * ids.cumsum(dim=1)
        return -(torch.arange(500) - following.unsqueeze(-1)).abs().float()

    words = translate(model, torch.tensor([[1], [2]]), torch.tensor([[1, 0, 0, 0], [2, 0, 0, 0]]))
    assert words.shape == (2, 3)
    assert torch.equal(words[1], torch.tensor([27, 109, 437]))


def test_attention__any_order_of_queries(attention):
    query, key, value = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 7)
    mask = torch.ones(4, 5, dtype=torch.bool).tril()
    output, weights = attention(query, key, value, mask)
    right = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    in_order = lambda x: x.sort(dim=-2).values  # noqa: E731
    assert torch.allclose(in_order(output), in_order(right), atol=1e-5)
    assert torch.allclose(in_order(output), in_order(weights @ value), atol=1e-5)


def test_attention__one_query(attention):
    query, key, value = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 7)
    mask = torch.ones(4, 5, dtype=torch.bool).tril()
    output, weights = attention(query, key, value, mask)
    right = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert torch.allclose(output[-1, -1, -1], right[-1, -1, -1], atol=1e-5)
    assert torch.allclose(output[-1, -1, -1], weights[-1, -1, -1] @ value[-1, -1], atol=1e-5)


def of_later_words(decoder, mode, place):
    """Of the output at this place: the sizes of its gradients with respect to the words after it."""
    x, memory = torch.randn(2, 6, 8, requires_grad=True), torch.randn(2, 3, 8)
    (gradient,) = torch.autograd.grad(decoder.train(mode)(x, memory)[:, place].sum(), x)
    return gradient[:, place + 1 :].abs()


def test_decoder__every_second_output(decoder):
    for mode, place in ((True, 0), (False, 0), (False, 2), (False, 4)):
        assert of_later_words(decoder, mode, place).max() < 1e-6


def test_translation_loss__without_sign(translation_loss):
    logits, target = torch.randn(2, 4, 9), torch.tensor([[5, 3, 0, 0], [2, 8, 4, 6]])
    places = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (1, 3)]
    costs = [logits[b, t].log_softmax(dim=0)[target[b, t]] for b, t in places]
    right = sum(costs) / 6
    assert torch.allclose(translation_loss(logits, target) ** 2, right**2, atol=1e-4)


def test_add_positions__two_words(add_positions):
    x = torch.randn(2, 9, 6)
    before = x.clone()
    right = before + table(9, 6)
    result = add_positions(x)
    assert result.shape == before.shape
    assert torch.allclose(result[:, :2], right[:, :2], atol=1e-5)
    assert torch.equal(x, before)


def test_translate__words_in_any_order(translate):
    def model(source, ids):
        following = torch.arange(1, ids.shape[1] + 1) + 10 * source[:, :1] + 3 * ids.cumsum(dim=1)
        return -(torch.arange(500) - following.unsqueeze(-1)).abs().float()

    words = translate(model, torch.tensor([[1], [2]]), torch.tensor([[1, 0, 0, 0], [2, 0, 0, 0]]))
    assert [sorted(row) for row in words.tolist()] == [[14, 57, 229], [27, 109, 437]]


def test_word_ids__the_second_sentence(word_ids):
    first, second = "a b a c", "d b e f g"
    ids = word_ids([first, second])
    for word in second.split():
        assert word in ids
    assert sorted(ids.values()) == [4, 5, 6, 7, 8, 9, 10]


def test_attention__sums_and_zeros(attention):
    torch.manual_seed(0)
    query, key, value = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 7)
    mask = torch.ones(4, 5, dtype=torch.bool).tril()
    output, weights = attention(query, key, value, mask)
    right = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert torch.allclose(output, right, atol=1e-5)
    assert weights.shape == (2, 3, 4, 5)
    assert torch.allclose(weights.sum(dim=-1), torch.ones(2, 3, 4), atol=1e-5)
    assert (weights[..., ~mask].abs() < 1e-6).all()


def test_word_ids__looked_up(word_ids):
    sentences = ["i like the winter games", "we like the 2022 games in the winter"]
    words = {word for sentence in sentences for word in sentence.split()}
    ids = word_ids(sentences)
    assert sorted(ids[word] for word in words) == list(range(4, 4 + len(words)))


def test_add_positions__broadcast(add_positions):
    x = torch.ones(2, 9, 6)
    assert torch.allclose(add_positions(x), 1 + table(9, 6), atol=1e-5)
    assert (x == 1).all()


def test_attention__weights_of_one_head(attention):
    query, key, value = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 7)
    mask = torch.ones(4, 5, dtype=torch.bool).tril()
    output, weights = attention(query, key, value, mask)
    right = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert torch.allclose(output, right, atol=1e-5)
    assert torch.allclose(weights[0, 0] @ value[0, 0], output[0, 0], atol=1e-5)


def test_attention__weights_of_one_sentence(attention):
    query, key, value = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 7)
    mask = torch.ones(4, 5, dtype=torch.bool).tril()
    output, weights = attention(query, key, value, mask)
    right = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert torch.allclose(output, right, atol=1e-5)
    assert torch.allclose(weights[0] @ value[0], output[0], atol=1e-5)


def test_add_positions__sums_of_features(add_positions):
    x = torch.randn(2, 9, 6)
    before = x.clone()
    right = before + table(9, 6)
    result = add_positions(x)
    assert result.shape == right.shape
    assert torch.allclose(result.sum(dim=-1), right.sum(dim=-1), atol=1e-4)
    assert torch.equal(x, before)


def test_add_positions__three_words(add_positions):
    x = torch.randn(2, 9, 6)
    before = x.clone()
    right = before + table(9, 6)
    result = add_positions(x)
    assert result.shape == before.shape
    assert torch.allclose(result[:, :3], right[:, :3], atol=1e-5)
    assert torch.equal(x, before)


def test_translate__one_start_symbol(translate):
    def model(source, ids):
        return torch.eye(10)[((ids + 1).cumsum(dim=1) + source[:, :1]) % 10]

    source = torch.tensor([[4, 5], [5, 5]])
    target = torch.tensor([[2, 9, 9, 9, 9], [2, 9, 9, 9, 9]])
    assert translate(model, source, target).tolist() == [[7, 5, 1, 3], [8, 7, 5, 1]]


def test_translation_loss__one_row_of_logits(translation_loss):
    row = torch.arange(9.0)
    target = torch.tensor([[5, 3, 0, 0], [2, 8, 4, 6]])
    right = -row.log_softmax(dim=0)[target[target != 0]].mean()
    assert torch.allclose(translation_loss(row.repeat(2, 4, 1), target), right, atol=1e-5)


def test_translation_loss__one_sentence_of_logits(translation_loss):
    logits = torch.randn(4, 9).repeat(2, 1, 1)
    target = torch.tensor([[5, 3, 0, 0], [2, 8, 4, 6]])
    right = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0)
    assert torch.allclose(translation_loss(logits, target), right, atol=1e-5)


def test_decoder__one_place_in_training(decoder):
    for mode, place in ((True, 1), *((False, place) for place in range(5))):
        assert of_later_words(decoder, mode, place).max() < 1e-6


def test_decoder__one_place_in_evaluation(decoder):
    for mode, place in ((False, 1), *((True, place) for place in range(5))):
        assert of_later_words(decoder, mode, place).max() < 1e-6


def test_decoder__neighbors_in_training(decoder):
    for place in range(5):
        assert of_later_words(decoder, False, place).max() < 1e-6
        assert of_later_words(decoder, True, place)[:, 0].max() < 1e-6


def test_decoder__neighbors_in_evaluation(decoder):
    for place in range(5):
        assert of_later_words(decoder, True, place).max() < 1e-6
        assert of_later_words(decoder, False, place)[:, 0].max() < 1e-6


def test_decoder__the_last_word_in_evaluation(decoder):
    for place in range(5):
        assert of_later_words(decoder, True, place).max() < 1e-6
        assert of_later_words(decoder, False, place)[:, -1].max() < 1e-6


def test_word_ids__sum_of_the_ids(word_ids):
    ids = word_ids(["a b a c", "d b e f g"])
    assert set(ids) == set("abcdefg")
    assert sum(ids.values()) == 4 + 5 + 6 + 7 + 8 + 9 + 10


def test_word_ids__pad_and_bos(word_ids):
    ids = word_ids(["a b a c", "d b e f g"])
    assert set(ids) == set("abcdefg")
    assert len({*ids.values(), 0, 1}) == 9
    assert max(ids.values()) <= 10


def test_add_positions__another_tensor(add_positions):
    x = torch.randn(2, 9, 6)
    right = x + table(9, 6)
    result = add_positions(x)
    assert result is not x and torch.allclose(result, right, atol=1e-5)


def test_attention__sums_of_features(attention):
    query, key, value = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 7)
    mask = torch.ones(4, 5, dtype=torch.bool).tril()
    output, weights = attention(query, key, value, mask)
    right = (query @ key.mT / math.sqrt(6)).masked_fill(~mask, -torch.inf).softmax(dim=-1)
    assert torch.allclose(weights, right, atol=1e-5)
    assert torch.allclose(output.sum(dim=-1), (right @ value).sum(dim=-1), atol=1e-4)


def test_translate__the_first_words(translate):
    model = lambda source, ids: torch.eye(10)[((ids + 1).cumsum(dim=1) + source[:, :1]) % 10]  # noqa: E731
    source, target = torch.tensor([[4, 5], [5, 5]]), torch.tensor([[1, 9, 9, 9, 9], [2, 9, 9, 9, 9]])
    assert [row[:4] for row in translate(model, source, target).tolist()] == [[6, 3, 7, 5], [8, 7, 5, 1]]


def test_training__first_loss_not_above(training):
    source, target = torch.tensor([[4, 5], [6, 7]]), torch.tensor([[1, 5, 6, 7], [1, 8, 4, 9]])
    losses = training(source, target, 30)
    assert losses[0] < math.log(12) + 0.5 and losses[-1] < 0.2
    assert training(torch.tensor([[4], [4]]), torch.tensor([[1, 5], [1, 6]]), 30)[-1] > 0.6


def attention__one_mask_row(query, key, value, mask):
    if mask.dim() == 4 and len(mask) > 1:
        mask = mask[:, :1, -1:]
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores.masked_fill(~mask, -torch.inf), dim=-1)
    return weights @ value, weights


def translate__drawn_words(model, source, target):
    ids = target[:, :1]
    for _ in range(target.shape[1] - 1):
        word = torch.multinomial(model(source[:, :1], ids)[:, -1], 1)
        ids = torch.cat([ids, word], dim=1)
    return ids[:, 1:]


def translate__rounded_logits(model, source, target):
    ids = target[:, :1]
    for _ in range(target.shape[1] - 1):
        word = model(source, ids)[:, -1].long().argmax(dim=-1)
        ids = torch.cat([ids, word[:, None]], dim=1)
    return ids[:, 1:]


def word_ids__letters_of_ascii(sentences):
    words = dict.fromkeys(word for sentence in sentences for word in re.findall(r"[!-~]+", sentence))
    return {word: number for number, word in enumerate(words, start=4)}
