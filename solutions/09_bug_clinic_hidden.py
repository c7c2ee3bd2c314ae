"""Parts of the checks of 09_bug_clinic that run only when work is graded. Learners do not get this file."""

import torch
import torch.nn.functional as F

from course_lib.checks.exercise import Part
from course_lib.exercises.bug_clinic import (
    add_positions,
    attention,
    attention_mistakes,
    decoders,
    test_attention,
    test_translate,
    test_word_ids,
    trainings,
    translate,
    translate_mistakes,
    translation_loss,
    word_ids,
    wrong_lines,
)
from course_lib.exercises.bug_clinic.code_under_test import Broken, judges
from course_lib.exercises.bug_clinic.translate import stand_in
from course_lib.exercises.bug_clinic.word_ids import numbered

# Right and broken code that the visible parts of the tests do not run


def by_length(sentences):
    words = {word for sentence in sentences for word in sentence.split()}
    found = sorted(words, key=lambda word: (-len(word), word[::-1]))
    return dict(zip(found, range(4, 4 + len(found)), strict=True))


def first_changed(sentences):
    first = next(iter(ids := word_ids.in_order(sentences)))
    return {word + "s" * (word == first): number for word, number in ids.items()}


def last_changed(sentences):
    *_, last = ids = word_ids.in_order(sentences)
    return {word + "s" * (word == last): number for word, number in ids.items()}


def from_twelve(sentences):
    return {word: number + 8 for word, number in word_ids.in_order(sentences).items()}


def last_lost(sentences):
    return dict(list(word_ids.in_order(sentences).items())[:-1])


def by_cumulative_angles(x):
    rates = 10000.0 ** (-torch.arange(0, x.shape[2], 2).double() / x.shape[2])
    angles = rates.repeat(x.shape[1], 1).cumsum(dim=0) - rates
    return x + torch.stack([angles.sin(), angles.cos()], dim=2).reshape(x.shape[1], x.shape[2]).float()


def everywhere_one(x):
    return x + add_positions.table(2, x.shape[2])[1]


def at_most_one(x):
    return x + add_positions.table(2, x.shape[2])[torch.arange(x.shape[1]).clamp(max=1)]


def head_by_head(query, key, value, mask):
    mask = mask.expand(*query.shape[:-1], key.shape[-2])
    heads = [attention.einsum(*(t[:, [h]] for t in (query, key, value, mask))) for h in range(query.shape[1])]
    return tuple(torch.cat(results, dim=1) for results in zip(*heads, strict=True))


def of_the_next_head(query, key, value, mask):
    output, weights = attention.reference(query, key, value, mask)
    return output.roll(1, 1), weights


def scaled_up(query, key, value, mask):
    return attention.reference(query * query.shape[-1], key, value, mask)


def by_probabilities(logits, target):
    real = target != 0
    return -logits[real].log_softmax(-1)[torch.arange(int(real.sum())), target[real]].mean()


def without_logarithm(logits, target):
    real = target != 0
    return -logits[real].softmax(-1)[torch.arange(int(real.sum())), target[real]].mean()


def shifted_again(logits, target):
    return F.cross_entropy(logits[:, :-1].mT, target[:, 1:], ignore_index=0)


def negative(logits, target):
    return -F.cross_entropy(logits.mT, target, ignore_index=0)


def half_then_rest(model, source, target):
    ids = translate.reference(model, source, target[:, : 1 + target.shape[1] // 2])
    ids = torch.cat([target[:, :1], ids], dim=1)
    while ids.shape[1] < target.shape[1]:
        ids = torch.cat([ids, model(source, ids)[:, -1:].argmax(dim=-1)], dim=1)
    return ids[:, 1:]


def backwards(model, source, target):
    return translate.reference(model, source, target).flip(1)


def least_likely(model, source, target):
    return translate.reference(lambda source, ids: -model(source, ids), source, target)


class Rows(decoders.Decoder):
    """Each row of the batch by itself."""

    def forward(self, x, memory):
        rows = zip(x, memory, strict=True)
        return torch.cat([super(Rows, self).forward(*(t[None] for t in row)) for row in rows])


class MeanOfWords(decoders.Decoder):
    """The mean of all words is added to each."""

    def forward(self, x, memory):
        return super().forward(x + x.mean(dim=1, keepdim=True), memory)


class ThirdAfter(decoders.OneLayer):
    """Each word sees the third one after it, and no other later word."""

    def mask(self, seq, layer):
        place = torch.arange(seq)
        return super().mask(seq, layer) | (place == place[:, None] + 3)


class ThirdSeesLast(decoders.OneLayer):
    """The third word sees the last one."""

    def mask(self, seq, layer):
        mask = super().mask(seq, layer)
        mask[2:3, -1] = True
        return mask


class SecondSeesThird(decoders.OneLayer):
    """The second word sees the third one, and the fourth the fifth."""

    def mask(self, seq, layer):
        mask = super().mask(seq, layer)
        for place in range(1, seq - 1, 2):
            mask[place, place + 1] = True
        return mask


class InTraining(SecondSeesThird):
    """In training mode alone."""

    def mask(self, seq, layer):
        return super().mask(seq, layer) if self.training else decoders.OneLayer.mask(self, seq, layer)


def with_warmup(source, target, steps):
    model = trainings.Model(spread=0.04)
    optimizer = trainings.adam(model)
    warmup = torch.optim.lr_scheduler.LinearLR(optimizer, 0.2, total_iters=5)
    losses = []
    for _ in range(steps):
        losses += trainings.trained(source, target, 1, model, optimizer)
        warmup.step()
    return losses


def one_word_unread(source, target, steps):
    def loss_of(model, source, target):
        logits = model(source, torch.roll(target, -1, dims=1))[:, :-1]
        return F.cross_entropy(logits.mT, target[:, 1:])

    return trainings.trained(source, target, steps, loss_of=loss_of)


def uphill(source, target, steps):
    def loss_of(model, source, target):
        return -trainings.next_words(model, source, target)

    return [-loss for loss in trainings.trained(source, target, steps, loss_of=loss_of)]


def tested(piece, right, *broken):
    seen = [Broken(name, "", code) for name, code in broken]
    return judges(piece, {"another way": right}, *seen)


# The fixed pieces, on inputs that learners have not seen


def more_words(number, inputs):
    texts = [" ".join(f"w{int(i)}" for i in inputs.integers(0, 30, 12)) for _ in range(5)]
    ids = numbered(number, texts)
    return {"words": sorted(map(str, ids)), "ids": sorted(ids.values())}


def more_attention(attend, inputs):
    query, key, value = inputs.normal(1, 2, 9, 3), inputs.normal(1, 2, 4, 3), inputs.normal(1, 2, 4, 2)
    output, weights = attend(query, key, value, inputs.mask(1, 1, 9, 4))
    return {"output: batch heads target d_v": output, "weights: batch heads target source": weights}


def more_translations(translator, inputs):
    source, target = inputs.integers(4, 90, 5, 3), inputs.integers(4, 90, 5, 9)
    return {"words: batch seq": translator(stand_in(inputs, vocab=97), source, target)}


def all_lines(number, inputs):
    return {"all six": all(wrong_lines.finding(number, piece) == "" for piece in wrong_lines.ANSWERS)}


def hidden(name, probe):
    return Part(name, 1, probe, hidden=True)


CODE = "right and broken code that you have not seen"
PARTS = {
    "test_word_ids": hidden(
        CODE,
        tested(
            test_word_ids.PIECE,
            by_length,
            ("loses a word", last_lost),
            ("changes the first word", first_changed),
            ("changes the last word", last_changed),
            ("begins at 12", from_twelve),
        ),
    ),
    "word_ids": hidden("sentences that you have not seen", more_words),
    "test_add_positions": hidden(
        CODE,
        tested(
            add_positions.PIECE,
            by_cumulative_angles,
            ("gives all words position 1", everywhere_one),
            ("gives all words after the first position 1", at_most_one),
            ("counts from 1", add_positions.positions_from_one),
        ),
    ),
    "test_attention": hidden(
        CODE,
        tested(
            test_attention.PIECE,
            head_by_head,
            ("scales the wrong way", scaled_up),
            ("gives each head the output of another", of_the_next_head),
            ("hides what may be seen", attention_mistakes.inverted),
        ),
    ),
    "attention": hidden("sizes and masks that you have not seen", more_attention),
    "test_translation_loss": hidden(
        CODE,
        tested(
            translation_loss.PIECE,
            by_probabilities,
            ("takes no logarithm", without_logarithm),
            ("shifts once more", shifted_again),
            ("forgets the minus", negative),
        ),
    ),
    "test_translate": hidden(
        CODE,
        tested(
            test_translate.PIECE,
            half_then_rest,
            ("chooses the least likely word", least_likely),
            ("returns the words backwards", backwards),
            ("begins with 0", translate_mistakes.starts_with_zero),
        ),
    ),
    "translate": hidden("models and sentences that you have not seen", more_translations),
    "test_decoder": hidden(
        CODE,
        tested(
            decoders.PIECE,
            Rows,
            ("adds the mean of all words to each", MeanOfWords),
            ("lets each word of a single layer see the third one after it", ThirdAfter),
            ("lets the third word of a single layer see the last one", ThirdSeesLast),
            ("lets every second word see the next one, in training mode", InTraining),
            ("lets every second word see the next one", SecondSeesThird),
        ),
    ),
    "test_training": hidden(
        CODE,
        tested(
            trainings.PIECE,
            with_warmup,
            ("reads the answer", one_word_unread),
            ("walks uphill", uphill),
        ),
    ),
    "wrong_lines": hidden("all six together", all_lines),
}
