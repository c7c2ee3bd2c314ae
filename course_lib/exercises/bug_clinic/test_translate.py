"""test_translate: a test that tells right translating from broken ones, with a model that it makes up."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.exercises.bug_clinic import translate_mistakes as wrong
from course_lib.exercises.bug_clinic.code_under_test import accepts, catches
from course_lib.exercises.bug_clinic.pieces import Broken, Piece
from course_lib.exercises.bug_clinic.translate import recursive, reference, sum_model, translate


def all_zero(model, source, target):
    """Zeros of the right shape."""
    return 0 * target[:, 1:]


def begins_with_one(model, source, target):
    """It begins with 1, whatever the start symbols are."""
    return reference(model, source, torch.ones_like(target))


def start_of_the_first(model, source, target):
    """All sentences begin with the start symbol of the first."""
    return reference(model, source, target[:1].expand_as(target))


def last_two_words(model, source, target):
    """The model gets the last two words only."""
    ids = target[:, :1]
    for _ in range(target.shape[1] - 1):
        ids = torch.cat([ids, model(source, ids[:, -2:])[:, -1:].argmax(dim=-1)], dim=1)
    return ids[:, 1:]


def source_forgotten(model, source, target):
    """The model gets zeros instead of the source."""
    return reference(model, 0 * source, target)


def of_the_last(model, source, target):
    """All sentences get the words of the last one."""
    return reference(model, source[-1:].expand_as(source), target[-1:].expand_as(target))


EXAMPLES = {
    one.__name__: one
    for one in (
        recursive,
        all_zero,
        wrong.gold_prefix,
        wrong.first_place,
        wrong.one_shot,
        wrong.last_word_only,
        last_two_words,
        wrong.over_the_batch,
        wrong.one_too_few,
        begins_with_one,
        source_forgotten,
    )
}
OTHERS = all_zero, begins_with_one, start_of_the_first, last_two_words, source_forgotten, of_the_last
PIECE = Piece.of(translate, *OTHERS, *(mistake.implementation for mistake in wrong.mistake))

test_translate = Exercise(
    "test_translate",
    points=6,
    returns=(),
    repeatable=False,
    is_test=True,
    hints=[
        "Which four words does `sum_model` give if the source begins with 4 and the start symbol is 1? Work "
        "them out on paper. Which words may `target` have after the start symbol?",
        "They are 6, 3, 7, 5. The sums are 4 + 2 = 6, then 6 + 7 = 13, then 13 + 4 = 17, then 17 + 8 = 25, "
        "and the last digits count. If the source begins with 5 and the start symbol is 2, the words are 8, "
        "7, 5, 1.",
        "The words after the start symbol in `target` must change nothing, so put wrong ones there. Take "
        "two different start symbols, too.",
        "`source = torch.tensor([[4, 5], [5, 5]])`, `target = torch.tensor([[1, 9, 9, 9, 9], [2, 9, 9, 9, "
        "9]])`, `assert translate(sum_model, source, target).tolist() == [[6, 3, 7, 5], [8, 7, 5, 1]]`.",
    ],
    examples=[f"test_translate({name})" for name in EXAMPLES],
    names=EXAMPLES,
)


GOLD = Broken(
    "feeds the right answer to the model, as the toy's test does",
    "Shown by: a target whose words are not those that the model would choose.",
    wrong.gold_prefix,
)


LAST = Broken(
    "feeds only the last word to the model",
    "Shown by: a model that sums all words so far, and two words or more.",
    wrong.last_word_only,
)


TWO = Broken(
    "feeds only the last two words to the model",
    "Shown by: a model that sums all words so far, and three words or more.",
    last_two_words,
)


FIRST = Broken(
    "always takes the prediction at the first place",
    "Shown by: two words or more that must differ.",
    wrong.first_place,
)


SHOT = Broken(
    "asks for all words at once, with padding instead of the words before",
    "Shown by: two words or more, of which the second depends on the first.",
    wrong.one_shot,
)


SHORT = Broken(
    "returns one word too few",
    "Shown by: all words compared at once, as one list, or the number of words.",
    wrong.one_too_few,
)


LONG = Broken(
    "returns one word too many",
    "Shown by: all words compared at once, as one list, or the number of words.",
    wrong.one_too_many,
)


BATCH = Broken(
    "gives every sentence the words of the first",
    "Shown by: two sources that the model translates differently.",
    wrong.over_the_batch,
)


OF_LAST = Broken(
    "gives every sentence the words of the last",
    "Shown by: two sources that the model translates differently, and the words of each compared.",
    of_the_last,
)


START = Broken(
    "begins with 1, whatever start symbols are in the first column of the target",
    "Shown by: a start symbol other than 1.",
    begins_with_one,
)


ONE_START = Broken(
    "begins all sentences with the start symbol of the first",
    "Shown by: two sentences with different start symbols, and the words of each compared.",
    start_of_the_first,
)


SOURCE = Broken(
    "does not use the source: the model gets zeros instead",
    "Shown by: a model whose words depend on the source, such as `sum_model`.",
    source_forgotten,
)


part = test_translate.part


part("right code passes, however it is written", points=1)(accepts(PIECE))


part("catches code that feeds the right answer", points=1)(catches(PIECE, GOLD))


part("catches words that are forgotten, or read at a wrong place", points=1)(
    catches(PIECE, LAST, TWO, SHOT, FIRST, SHORT, LONG)
)


part("catches a start symbol or a source that is not read", points=1)(
    catches(PIECE, START, ONE_START, SOURCE)
)


part("catches sentences that get the words of another sentence", points=1)(catches(PIECE, BATCH, OF_LAST))


@test_translate.reference
def worked_out(translate):
    source, target = torch.tensor([[4, 5], [5, 5]]), torch.tensor([[1, 9, 9, 9, 9], [2, 9, 9, 9, 9]])
    assert translate(sum_model, source, target).tolist() == [[6, 3, 7, 5], [8, 7, 5, 1]]


@test_translate.accept("the last hint, as it stands")
def last_hint(translate):
    source = torch.tensor([[4, 5], [5, 5]])
    target = torch.tensor([[1, 9, 9, 9, 9], [2, 9, 9, 9, 9]])
    assert translate(sum_model, source, target).tolist() == [[6, 3, 7, 5], [8, 7, 5, 1]]


@test_translate.accept("by a loop over single sentences, with random words")
def against_a_loop(translate):
    source, target = torch.randint(4, 10, (6, 3)), torch.randint(2, 10, (6, 8))
    source[:, 0] = torch.arange(4, 10)
    target[:, 0] = torch.tensor([1, 1, 2, 3, 4, 5])
    target[:, 1:] = target[:, 1:].flip(0)
    target[1, 1:] = 3
    words = translate(sum_model, source, target)
    for b in range(6):
        ids = [int(target[b, 0])]
        for _ in range(7):
            ids.append((sum(ids) + len(ids) + int(source[b, 0])) % 10)
        assert words[b].tolist() == ids[1:]


@test_translate.accept("a model of its own: the next word is the number of words so far")
def counting(translate):
    def model(source, ids):
        following = torch.arange(1, ids.shape[1] + 1) + 10 * source[:, :1] + 3 * ids.cumsum(dim=1)
        return -(torch.arange(500) - following.unsqueeze(-1)).abs().float()

    words = translate(model, torch.tensor([[1], [2]]), torch.tensor([[1, 0, 0, 0], [2, 0, 0, 0]]))
    assert torch.equal(words, torch.tensor([[14, 57, 229], [27, 109, 437]]))


@test_translate.accept("a model of its own, whose logits are integers")
def one_hot(translate):
    def model(source, ids):
        return torch.nn.functional.one_hot(((ids + 1).cumsum(dim=1) + source[:, :1]) % 10, 10)

    source, target = torch.tensor([[4, 5], [5, 5]]), torch.tensor([[1, 9, 9, 9, 9], [2, 9, 9, 9, 9]])
    assert translate(model, source, target).tolist() == [[6, 3, 7, 5], [8, 7, 5, 1]]


@test_translate.accept("what changes nothing, and what must")
def changes(translate):
    source = torch.tensor([[4], [7], [8]])
    target = torch.tensor([[1, 2, 3, 4, 5]] * 2 + [[3, 2, 3, 4, 5]])
    words = translate(sum_model, source, target)
    other = translate(sum_model, source, torch.cat([target[:, :1], torch.full((3, 4), 7)], dim=1))
    assert torch.equal(words, other), "the right answer was read"
    assert words.shape == (3, 4)
    for b in range(3):
        alone = translate(sum_model, source[b : b + 1], target[b : b + 1])
        assert torch.equal(words[b], alone[0])
    sums = (words + 1).cumsum(dim=1) + target[:, :1] + 1 + source
    assert torch.equal(words[:, 1:], sums[:, :-1] % 10)
    assert torch.equal(words[:, 0], (target[:, 0] + 1 + source[:, 0]) % 10)


@test_translate.accept("a model that notes what it was asked")
def spying(translate):
    asked = []

    def model(source, ids):
        asked.append(ids.clone())
        return sum_model(source, ids)

    words = translate(model, torch.tensor([[4], [5]]), torch.tensor([[1, 3, 3, 3], [2, 3, 3, 3]]))
    assert words.tolist() == [[6, 3, 7], [8, 7, 5]]
    assert asked
