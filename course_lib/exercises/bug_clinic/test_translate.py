"""test_translate: a test that tells right translating from broken ones, with a model that it makes up."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.exercises.bug_clinic import translate_mistakes as wrong
from course_lib.exercises.bug_clinic.code_under_test import Broken, accepts, catches
from course_lib.exercises.bug_clinic.translate import translate

test_translate = Exercise(
    "test_translate",
    points=6,
    returns=(),
    hints=[
        "Use `sum_model` of the cell above, and work out four words on paper: the source begins with 4, the "
        "start symbol is 1.",
        "They are 6, 3, 7, 5: 4+2 = 6, then 6+7 = 13, of which 3 remains, then 13+4 = 17, then 17+8 = 25. If "
        "the source begins with 5 they are 7, 5, 1, 3.",
        "What may the words after the start symbol in `target` change? Nothing. Put wrong ones there.",
        "`target = torch.tensor([[1, 9, 9, 9, 9], [1, 9, 9, 9, 9]])`, `source = torch.tensor([[4, 5], "
        "[5, 5]])`; "
        "assert that `translate(sum_model, source, target).tolist()` is `[[6, 3, 7, 5], [7, 5, 1, 3]]`.",
    ],
    examples=[
        "test_translate(lambda model, source, target: [ids := target[:, :1], [ids := torch.cat([ids, "
        "model(source, ids)[:, -1:].argmax(dim=-1)], dim=1) for _ in target[0, 1:]], ids[:, 1:]][-1])",
        "test_translate(lambda model, source, target: 0 * target[:, 1:])",
        "test_translate(lambda model, source, target: model(source, target[:, :-1]).argmax(dim=-1))",
        "test_translate(lambda model, source, target: model(source, target[:, :1]).argmax(dim=-1).expand(-1, "
        "target.shape[1] - 1))",
        "test_translate(lambda model, source, target: [ids := target[:, :1], [ids := torch.cat([ids, "
        "model(source, "
        "ids[:, -1:])[:, -1:].argmax(dim=-1)], dim=1) for _ in target[0, 1:]], ids[:, 1:]][-1])",
        "test_translate(lambda model, source, target: [ids := target[:, :1], [ids := torch.cat([ids, "
        "model(source, "
        "ids)[:1, -1:].argmax(dim=-1).expand(len(ids), 1)], dim=1) for _ in target[0, 1:]], ids[:, 1:]][-1])",
    ],
)


GOLD = Broken(
    "feeds the right answer, as the toy's test does",
    "Shown by: a target whose words are not those that the model would choose.",
    wrong.gold_prefix,
)


LAST = Broken(
    "feeds the last word only",
    "Shown by: a model that sums all words so far, and two words or more.",
    wrong.last_word_only,
)


FIRST = Broken(
    "always reads the first place",
    "Shown by: two words or more that must differ.",
    wrong.first_place,
)


SHOT = Broken(
    "asks for all words at once, with padding in their place",
    "Shown by: two words or more, of which the second depends on the first.",
    wrong.one_shot,
)


BATCH = Broken(
    "gives every sentence the words of the first",
    "Shown by: two sources that the model translates differently.",
    wrong.over_the_batch,
)


part = test_translate.part


part("right code passes, however it is written", points=1)(accepts(translate))


part("catches the right answer being fed", points=1)(catches(translate, GOLD))


part("catches words that are forgotten", points=1)(catches(translate, LAST, SHOT))


part("catches the wrong place being read", points=1)(catches(translate, FIRST))


part("catches sentences that get the words of another", points=1)(catches(translate, BATCH))


def sum_model(source, ids):
    return torch.eye(10)[((ids + 1).cumsum(dim=1) + source[:, :1]) % 10]


@test_translate.reference
def worked_out(translate):
    source, target = torch.tensor([[4, 5], [5, 5]]), torch.tensor([[1, 9, 9, 9, 9], [1, 9, 9, 9, 9]])
    assert translate(sum_model, source, target).tolist() == [[6, 3, 7, 5], [7, 5, 1, 3]]


@test_translate.accept("by a loop over single sentences, with random words")
def against_a_loop(translate):
    source, target = torch.randint(4, 10, (6, 3)), torch.randint(2, 10, (6, 8))
    source[:, 0] = torch.arange(4, 10)
    target[:, 0] = 1
    target[:, 1:] = target[:, 1:].flip(0)
    target[1, 1:] = 3
    words = translate(sum_model, source, target)
    for b in range(6):
        ids = [1]
        for _ in range(7):
            ids.append((sum(ids) + len(ids) + int(source[b, 0])) % 10)
        assert words[b].tolist() == ids[1:]


@test_translate.accept("a model of its own: the next word is the number of words so far")
def counting(translate):
    def model(source, ids):
        following = torch.arange(1, ids.shape[1] + 1) + 10 * source[:, :1] + 3 * ids.cumsum(dim=1)
        return -(torch.arange(500) - following.unsqueeze(-1)).abs().float()

    words = translate(model, torch.tensor([[1], [2]]), torch.tensor([[1, 0, 0, 0], [1, 0, 0, 0]]))
    assert torch.equal(words, torch.tensor([[14, 57, 229], [24, 97, 389]]))


@test_translate.accept("what changes nothing, and what must")
def changes(translate):
    source = torch.tensor([[4], [7], [8]])
    target = torch.tensor([[1, 2, 3, 4, 5]] * 3)
    words = translate(sum_model, source, target)
    other = translate(sum_model, source, torch.tensor([[1, 7, 7, 7, 7]] * 3))
    assert torch.equal(words, other), "the right answer was read"
    for b in range(3):
        alone = translate(sum_model, source[b : b + 1], target[b : b + 1])
        assert torch.equal(words[b], alone[0])
    sums = (words + 1).cumsum(dim=1) + 2 + source
    assert torch.equal(words[:, 1:], sums[:, :-1] % 10)
    assert torch.equal(words[:, 0], (2 + source[:, 0]) % 10)


@test_translate.accept("a model that notes what it was asked")
def spying(translate):
    asked = []

    def model(source, ids):
        asked.append(ids.clone())
        return sum_model(source, ids)

    words = translate(model, torch.tensor([[4], [5]]), torch.tensor([[1, 3, 3, 3], [1, 3, 3, 3]]))
    assert words.tolist() == [[6, 3, 7], [7, 5, 1]]
    assert asked
