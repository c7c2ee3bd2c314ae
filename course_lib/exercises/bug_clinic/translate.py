"""translate: a translation word by word, each chosen from the words that were chosen before it."""

import torch

from course_lib.checks.exercise import Exercise


def sum_model(source, ids):
    """Logits: the next word is the source's first id, plus the ids so far and their number, last digit."""
    return torch.eye(10)[((ids + 1).cumsum(dim=1) + source[:, :1]) % 10]


translate = Exercise(
    "translate",
    points=5,
    returns=("words: batch seq",),
    hints=[
        "What does the model get at the beginning? Only the start symbols, which are the first column of "
        "the target. What does it get after that, and how many words must follow?",
        "`model(source, ids)` is (batch, seq, vocab). The prediction after the last word is at the last "
        "place: `[:, -1]`.",
        "Append the likeliest word: `torch.cat([ids, word[:, None]], dim=1)`.",
        "In the loop: `word = model(source, ids)[:, -1].argmax(dim=-1)`, then append. At the end `return "
        "ids[:, 1:]`.",
    ],
    examples=[
        "translate(sum_model, torch.tensor([[2]]), torch.tensor([[1, 0]]))",
        "translate(sum_model, torch.tensor([[2]]), torch.tensor([[3, 0]]))",
        "translate(sum_model, torch.tensor([[2]]), torch.tensor([[1, 4, 4, 4]]))",
        "translate(sum_model, torch.tensor([[2], [3]]), torch.tensor([[1, 4, 4, 4], [1, 4, 4, 4]]))",
        "translate(sum_model, torch.tensor([[0]]), torch.tensor([[1, 4, 4, 4]]))",
    ],
    names={"sum_model": sum_model},
)


def begin_of(inputs, vocab=10):
    """The number at which the sums of `stand_in` begin."""
    return inputs.named("model").integer(1, vocab)


def stand_in(inputs, vocab=10):
    """Like sum_model, but its sums begin at a number of its own, so that its words have to be asked for."""
    begin = begin_of(inputs, vocab)

    def model(source, ids):
        if ids.dtype != torch.long or ids.dim() != 2:
            got = f"{ids.dtype} of shape {tuple(ids.shape)}"
            raise TypeError(f"the model got ids of {got}, expected torch.int64 of shape (batch, seq)")
        return torch.eye(vocab)[((ids + 1).cumsum(dim=1) + source[:, :1] + begin) % vocab]

    return model


@translate.reference
def reference(model, source, target):
    ids = target[:, :1]
    for _ in range(target.shape[1] - 1):
        word = model(source, ids)[:, -1].argmax(dim=-1)
        ids = torch.cat([ids, word[:, None]], dim=1)
    return ids[:, 1:]


@translate.part("the first word is right after any start symbol", points=1)
def first_word(translator, inputs):
    source = inputs.integers(4, 10, 3, 6)
    target = torch.tensor([[1, 9], [2, 9], [5, 9]])  # several start symbols
    return {"words: batch seq": translator(stand_in(inputs), source, target)}


@translate.part("each word depends on all words chosen before it", points=1)
def all_before(translator, inputs):
    target, begin = torch.tensor([[1] + [9] * 12]), begin_of(inputs)
    drawn = (1, 3, 6, 8)[inputs.integer(0, 4)]  # after 4 or 9 all words are 9
    firsts = {"words: batch seq": drawn, "words (the first is 2): batch seq": 2}
    sources = {label: torch.tensor([[18 + first - begin, 5]]) for label, first in firsts.items()}
    return {label: translator(stand_in(inputs), source, target) for label, source in sources.items()}


@translate.part("the right answer is not read", points=1, alone=False)
def not_read(translator, inputs):
    source, target = inputs.integers(4, 10, 3, 6), inputs.integers(4, 10, 3, 5)
    target[:, 0] = 1
    changed = torch.where(target == 1, 1, 13 - target)
    one, other = (translator(stand_in(inputs), source, words) for words in (target, changed))
    return {"words - words for another right answer: batch seq": one - other}


@translate.part("every sentence of a batch has its own translation", points=1)
def batch(translator, inputs):
    source = torch.tensor([[4, 5], [5, 5], [8, 5]])
    return {"words: batch seq": translator(stand_in(inputs), source, torch.tensor([[1, 9]] * 3))}


@translate.accept("a list of words, stacked")
def stacked(model, source, target):
    words = [target[:, 0]]
    while len(words) < target.size(1):
        words.append(model(source, torch.stack(words, dim=1))[:, -1, :].max(dim=-1).indices)
    return torch.stack(words, dim=1)[:, 1:]


@translate.accept("filled into a tensor of zeros")
def filled(model, source, target):
    ids = torch.zeros_like(target)
    ids[:, 0] = target[:, 0]
    for t in range(1, target.shape[1]):
        ids[:, t] = model(source, ids[:, :t]).float().softmax(-1)[:, -1].argmax(-1)
    return ids[:, 1:]


@translate.accept("recursion")
def recursive(model, source, target):
    def longer(ids):
        if ids.shape[1] == target.shape[1]:
            return ids
        return longer(torch.cat([ids, model(source, ids)[:, -1:].argmax(dim=-1)], dim=1))

    return longer(target[:, :1])[:, 1:]


@translate.accept("zeros after the words so far, read at the right place")
def padded(model, source, target):
    ids = torch.nn.functional.pad(target[:, :1], (0, target.shape[1] - 1))
    for t in range(target.shape[1] - 1):
        ids = ids.clone()
        ids[:, t + 1] = model(source, ids).argmax(dim=-1)[:, t]
    return ids[:, 1:]


@translate.accept("sentence by sentence")
def one_by_one(model, source, target):
    words = []
    for sentence, (start, *rest) in zip(source, target.tolist(), strict=True):
        ids = [start]
        for _ in rest:
            ids.append(int(model(sentence[None], torch.tensor([ids]))[0, -1].argmax()))
        words.append(ids[1:])
    return torch.tensor(words, dtype=target.dtype)
