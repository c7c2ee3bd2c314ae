"""greedy_decode: the likeliest next word, again and again."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.exercises.translator.stand_ins import (
    BOS,
    EOS,
    PAD,
    UNK,
    Tree,
    changed_by,
    late_calls,
    sentence,
    writer,
)


def calls_in_vain(decode) -> int:
    """How often the model is called when both sentences of a batch have ended."""
    model = writer([5, 6], [7])
    decode(model, torch.tensor([[4], [5]]), max_length=9)
    return late_calls(model)


greedy_decode = Exercise(
    "greedy_decode",
    points=6,
    returns=("ids: batch target",),
    hints=[
        "What does the decoder read in the third round? Keep all ids in one tensor `target`, (batch, so "
        "far), which begins as one column of `BOS`. Each round calls the model and adds a column.",
        "The next words are `logits[:, -1].argmax(dim=-1)`. Keep a boolean `done` (batch): where it is "
        "True write `PAD`. It becomes True where the word is `EOS`.",
        "End when `done.all()` or after `max_length` columns, and return `target[:, 1:]`.",
    ],
    examples=[
        "greedy_decode(writer([5]), torch.tensor([[4]]), max_length=3)",
        "greedy_decode(writer([5, 6]), torch.tensor([[4]]), max_length=4)",
        "greedy_decode(writer([5], []), torch.tensor([[4], [5]]), max_length=3)",
        "greedy_decode(writer([5, 6, 7]), torch.tensor([[4]]), max_length=2)",
        "greedy_decode(writer([3]), torch.tensor([[4]]), max_length=3)",
        "calls_in_vain(greedy_decode)",
    ],
    names={"writer": writer, "calls_in_vain": calls_in_vain},
    given=("pad_batch",),
)


@greedy_decode.reference
def greedy_reference(model, source, max_length=30):
    target = torch.full((len(source), 1), BOS)
    done = torch.zeros(len(source), dtype=torch.bool)
    while target.shape[1] <= max_length and not done.all():
        token = model(source, target)[:, -1].argmax(dim=-1).masked_fill(done, PAD)
        target = torch.cat([target, token[:, None]], dim=1)
        done = done | (token == EOS)
    return target[:, 1:]


def some_words(inputs, *lengths):
    """For each length a sentence of different words, none of them what a tree doubts with."""
    order = torch.rand(12, generator=inputs.generator).argsort().tolist()
    free = [word for word in order if word in (4, 5, 6, 7, 8, 11)]
    return [free[i : i + length] for i, length in enumerate(lengths)]


@greedy_decode.part("writes the most probable word after all the words so far", points=2)
def writes(decode, inputs):
    (words,) = some_words(inputs, 4)
    ids = decode(Tree(sentence(*words)), torch.tensor([[4, 6, 2]]), max_length=8)
    first, *rest = words
    # words come again, and each is hardly likelier than 9
    again = (first, first, *words * 4, EOS)
    close = Tree({again[:t]: {word: 0.5001, 9: 0.4999} for t, word in enumerate(again)})
    unknown = decode(Tree(sentence(first, UNK, *rest)), torch.tensor([[4, 6, 2]]), max_length=8)
    return {
        "ids: batch target": ids[:, :5],
        "ids (with an unknown word, 3): batch target": unknown[:, :6],
        "ids (of words that come again): batch target": decode(close, torch.tensor([[4]]), max_length=20)[
            :, :19
        ],
    }


LATE = "Your loop goes on after all sentences have ended, and calls the model {0} times in vain."


def told_of_calls(decode) -> str:
    """A finding: whether the loop ends with the last sentence. One call more does no harm."""
    count = calls_in_vain(decode)
    return LATE.format(count) if count > 1 else ""


@greedy_decode.part("stops after the end symbol, or at max_length", points=1)
def stops(decode, inputs):
    first, second = some_words(inputs, 3, 5)
    one, two, endless = Tree(sentence(*first)), Tree(sentence(*second)), Tree(sentence(*second * 7))
    return {
        "length (of one of 35 words, no max_length given)": decode(endless, torch.tensor([[4]])).shape[1],
        "length (of a sentence of 3 words and its end)": decode(one, torch.tensor([[4]]), max_length=9).shape[
            1
        ],
        "length (of one that is cut after its first word)": decode(
            two, torch.tensor([[4]]), max_length=1
        ).shape[1],
        "length (of one that is cut after 4 words)": decode(two, torch.tensor([[4]]), max_length=4).shape[1],
        "the model afterwards": changed_by(
            lambda model: decode(model, torch.tensor([[4]]), max_length=2), inputs
        ),
        "calls of the model": told_of_calls(decode),
    }


@greedy_decode.part("each sentence of a batch has its own end, and padding after it", points=2)
def ends(decode, inputs):
    trees = Tree(*[sentence(*words) for words in some_words(inputs, 2, 4, 1)])
    source = torch.tensor([[4], [5], [6]])
    return {
        "ids: batch target": decode(trees, source, max_length=7),
        "ids (in evaluation mode): batch target": decode(trees.eval(), source.flip(0), max_length=7),
    }


@greedy_decode.accept("rows one by one")
def row_by_row(model, source, max_length=30):
    rows = []
    for one in source:
        ids = [BOS]
        while len(ids) <= max_length and ids[-1] != EOS:
            ids.append(int(model(one[None], torch.tensor([ids]))[0, -1].argmax()))
        rows.append(torch.tensor(ids[1:]))
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)


@greedy_decode.accept("a for loop with break")
def with_break(model, source, max_length=30):
    target, alive = source.new_full((len(source), 1), BOS), source.new_ones(len(source))
    for _ in range(max_length):
        token = alive * model(source, target)[:, -1].max(dim=-1).indices
        target = torch.cat([target, token.unsqueeze(1)], dim=1)
        alive = alive * (token != EOS)
        if not alive.any():
            break
    return target[:, 1:]


@greedy_decode.accept("columns in a list, which stack refuses where there are none")
def stacked(model, source, max_length=30):
    target, words = torch.full((len(source), 1), BOS), []
    while len(words) < max_length and not (target == EOS).any(dim=1).all():
        word = model(source, target)[:, -1].argmax(dim=-1)
        words.append(word.masked_fill((target == EOS).any(dim=1), PAD))
        target = torch.column_stack([target, words[-1]])
    return torch.stack(words, dim=1)


@greedy_decode.accept("filled in, in evaluation mode")
def filled_in(model, source, max_length=30):
    model.eval()
    target = torch.full((len(source), max_length + 1), PAD)
    target[:, 0] = BOS
    for t in range(max_length):
        done = (target[:, : t + 1] == EOS).any(dim=1)
        if done.all():
            return target[:, 1 : t + 1]
        with torch.no_grad():
            best = model(source, target[:, : t + 1]).log_softmax(dim=-1)[:, t].topk(1).indices[:, 0]
        target[:, t + 1] = torch.where(done, PAD, best)
    return target[:, 1:]


@greedy_decode.accept("cleaned afterwards")
def cleaned(model, source, max_length=30):
    target = torch.full((len(source), 1), BOS)
    while target.shape[1] <= max_length and not (target == EOS).any(dim=1).all():
        token = model(source, target).softmax(dim=-1)[:, -1].argmax(dim=-1, keepdim=True)
        target = torch.hstack([target, token])
    after_end = (target == EOS).long().cumsum(dim=1) - (target == EOS).long()
    return target.masked_fill(after_end > 0, PAD)[:, 1:]


@greedy_decode.accept("padding ends a sentence too, which a trained model never writes")
def padding_ends(model, source, max_length=30):
    target = torch.full((len(source), 1), BOS)
    done = torch.zeros(len(source), dtype=torch.bool)
    for _ in range(max_length):
        token = model(source, target)[:, -1].argmax(dim=-1).masked_fill(done, PAD)
        target = torch.cat([target, token[:, None]], dim=1)
        done |= (token == EOS) | (token == PAD)
        if done.all():
            break
    return target[:, 1:]
