"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import torch

from course_lib.checks.gradients import gradients_of
from course_lib.checks.untouched import Untouched, in_use
from course_lib.exercises.translator.beam_search import beam_search
from course_lib.exercises.translator.bleu import bleu
from course_lib.exercises.translator.greedy_decode import greedy_decode
from course_lib.exercises.translator.make_batches import found as batches_in
from course_lib.exercises.translator.make_batches import make_batches, pairs_of, told_of, words
from course_lib.exercises.translator.noam_rate import noam_rate, noam_reference
from course_lib.exercises.translator.shift_targets import as_read, shift_targets, translations
from course_lib.exercises.translator.smoothed_loss import SEVERE, smoothed_loss
from course_lib.exercises.translator.stand_ins import (
    BOS,
    EOS,
    UNK,
    Bigrams,
    Tree,
    mode_of,
    number,
    place_of,
    sentence,
)
from course_lib.exercises.translator.train import train
from course_lib.exercises.translator.train_step import step_reference, train_step
from course_lib.exercises.translator.training_runs import (
    TIMES,
    Noting,
    Read,
    blank,
    flat,
    marks,
    numbered,
    rates,
    told_of_uneven,
    uneven,
    writer_of,
)
from course_lib.exercises.translator.transplant import Speller, transplant, two_sentences


def drawn(inputs, low, high):
    """An integer in [low, high)."""
    return int(inputs.integers(low, high, 1))


@shift_targets.at_once
def shifted(shift, inputs):
    found = {}
    for case in ("the end is there", "the longest are cut off"):
        target = translations(inputs, inputs.integers(0, 12, drawn(inputs, 2, 7)).tolist())
        target = target.where(target <= UNK, target + drawn(inputs, 0, 10**6))
        target = target[:, :-1] if case == "the longest are cut off" else target
        read, answer = shift(target)
        found[f"read ({case}): batch target"] = as_read(read, target)
        found[f"answer ({case}): batch target"] = answer
    return found


@smoothed_loss.at_once
def losses(loss, inputs):
    found = {}
    for dtype in (torch.float32, torch.float64):
        rows, columns, vocab = (drawn(inputs, low, low + 5) for low in (2, 3, 6))
        pad, case = drawn(inputs, 0, vocab), str(dtype).removeprefix("torch.")
        target = inputs.integers(1, vocab, rows, columns) + pad
        lengths = torch.tensor([columns, *inputs.integers(0, columns, rows - 1).tolist()])
        target = (target % vocab).masked_fill(torch.arange(columns) >= lengths[:, None], pad)
        logits = SEVERE * inputs.normal(rows, columns, vocab)
        far = inputs.wide(rows, columns, vocab).roll(drawn(inputs, 0, vocab), dims=-1)
        logits[target == pad] = 1e6 * logits[target == pad]
        for name, numbers in {case: logits, f"{case}, logits in the thousands": far}.items():
            numbers = numbers.to(dtype).requires_grad_()
            result = loss(numbers, target, inputs.chance(), pad)
            found |= {f"loss ({name}):": result, **gradients_of(result, {"logits": numbers}, case=name)}
    return found


@noam_rate.at_once
def all_rates(rate, inputs):
    found = {}
    for _ in range(4):
        d_model, warmup = drawn(inputs, 1, 2000), drawn(inputs, 2, 9000)
        for step in (1, drawn(inputs, 1, warmup), warmup, warmup + drawn(inputs, 1, 10 * warmup), 10**6):
            label = f"rate divided by the paper's (step {step}, d_model {d_model}, warm-up of {warmup})"
            found[label] = number(rate(step, d_model, warmup) / noam_reference(step, d_model, warmup))
    return found


@train_step.at_once
def three_steps(step, inputs):
    found = {}
    for dtype in (torch.float32, torch.float64):
        model = Bigrams(inputs.normal(40, 40), inputs.normal(40, 40)).to(dtype).train(inputs.chance() < 0.5)
        groups = [{"params": [table], "lr": inputs.chance()} for table in (model.given, model.after)]
        optimizer = torch.optim.SGD(groups, momentum=inputs.chance(), weight_decay=0.1)
        mode, case = mode_of(model), str(dtype).removeprefix("torch.")
        for place in (1, 2, 3):
            target = translations(inputs, inputs.integers(0, 9, drawn(inputs, 1, 6)).tolist())
            source = inputs.integers(0, 40, len(target), drawn(inputs, 1, 6))
            found[f"loss of step {place} ({case})"] = step(model, source, target, optimizer)
        found |= {
            f"weights after three steps ({case}): word next": model.after,
            f"the other table after three steps ({case}): word next": model.given,
            f"mode afterwards ({case}, it was in {mode} mode)": mode_of(model),
        }
    return found


@greedy_decode.at_once
def whole_batches(decode, inputs):
    found = {}
    for options in ({}, {"max_length": drawn(inputs, 1, 10)}):
        lengths = [*inputs.integers(0, 9, drawn(inputs, 1, 5)).tolist(), 35]
        lengths = [lengths[i] for i in inputs.normal(len(lengths)).argsort().tolist()]
        model = Tree(*[sentence(*inputs.integers(UNK, 9, length).tolist()) for length in lengths])
        source = inputs.integers(4, 9, len(lengths), 3)
        rest = torch.tensor([place_of([0, *row]) for row in source[:, 1:].tolist()])
        source[:, 0] = 4 + (inputs.normal(len(lengths)).argsort() - rest - 4) % len(lengths)
        ids = decode(model.train(inputs.chance() < 0.5), source, **options)
        limit = options.get("max_length", "not given")
        found[f"ids ({len(lengths)} sentences, max_length {limit}): batch target"] = ids
    return found


@make_batches.at_once
def many_batches(make, inputs):
    found = {}
    for high in (8, 120):  # below ten many lengths are equal; above it they have other numbers of digits
        count, size = drawn(inputs, 12, 25), drawn(inputs, 1, 8)
        pairs = pairs_of(inputs, *((drawn(inputs, 1, high), drawn(inputs, 3, high)) for _ in range(count)))
        batches, case = batches_in(make(pairs, size)), f"{count} pairs, lengths below {high}, size {size}"
        found[f"pairs ({case})"] = told_of(pairs, batches)
        for part, name in enumerate(("source", "target")):
            ids = [batch[part] for batch in batches]
            found[f"lengths of the {name}s ({case})"] = [list(map(len, words(one))) for one in ids]
            found[f"columns of each {name} ({case})"] = [one.shape[1] for one in ids]
    return found


@train.at_once
def batches_that_differ(train, inputs):
    """The reference learns again from the batches that were drawn: nothing else is to come out."""
    batches = []
    for place in range(drawn(inputs, 3, 9)):
        target = translations(inputs, inputs.integers(1, 7, drawn(inputs, 1, 4)).tolist())
        source = inputs.integers(0, 40, len(target), drawn(inputs, 1, 6))
        source[0, 0], target[0, 1] = place, 4 + place  # as `Read` knows it
        batches.append((source, target))
    tables, reports = inputs.normal(2, 40, 40).double(), []
    model, twin = (Read(*tables.clone()) for _ in range(2))
    optimizer, other = Noting(model), Noting(twin)
    steps, every = drawn(inputs, 8, 25), drawn(inputs, 2, 6)
    losses = train(model, batches, optimizer, steps, uneven, writer_of(reports, optimizer), every)
    expected = []
    for step, (place, _) in enumerate(marks(optimizer), 1):
        for group in other.param_groups:
            group["lr"] = uneven(step)
        expected.append(step_reference(twin, *batches[place], other))
    many = blank(count := 4 * drawn(inputs, 1, 13))
    all_drawn = Noting(many)
    train(many, numbered(count), all_drawn, TIMES, flat)
    return {
        "losses, minus those of the batches that were drawn": [
            one - right for one, right in zip(losses, expected, strict=False)
        ],
        "weights, minus those of a training with these batches: word next": model.after - twin.after,
        "rates of all groups": rates(optimizer),
        "steps that are reported, and steps made until then": [[step, made] for step, _, made in reports],
        "mean losses, minus those of the batches that were drawn": [
            mean - sum(expected[step - every : step]) / every for step, mean, _ in reports
        ],
        "how often each batch comes": told_of_uneven(marks(all_drawn), count),
    }


@bleu.at_once
def whole_corpora(bleu, inputs):
    names, found = ["the", "The", "cat", "cats", "cat,", "a_b", "我", "天"], {}

    def some(length):
        return [names[i] for i in inputs.integers(0, len(names), length).tolist()]

    for case in ("short translations", "long translations", "short and long translations"):
        references = [some(length) for length in (12, *inputs.integers(1, 12, 4).tolist())]
        translations = [[word if inputs.chance() < 0.8 else some(1)[0] for word in one] for one in references]
        for place, one in enumerate(translations):
            if "long" in case and (place % 2 or "short" not in case):
                one += some(drawn(inputs, 1, 4))
            else:
                del one[len(one) - drawn(inputs, 1, 4) :]
        found[f"score ({case})"] = number(bleu(translations, references))
    return found


class Forks(dict):
    """The table of a tree that never ends: after any words there is a fork, drawn when it is looked up.

    The first words are of about the same probability, so the best may begin with any of them.
    """

    def __init__(self, inputs, name):
        super().__init__()
        self.inputs, self.name = inputs, name

    def get(self, read, default=None):
        if read not in self:
            inputs = self.inputs.named(f"{self.name} {read}")
            words = [EOS, *range(UNK, 12)]
            chances = inputs.uniform(0.3, 1, len(words)) ** (8 if read else 1)
            self[read] = dict(zip(words, (chances / chances.sum()).tolist(), strict=True))
        return self[read]


def least_gap(model, source, beam, max_length):
    """How far what a search chooses is from what it leaves: the last of a round, and the best in the end."""
    running, ends, gaps = [(0.0, [BOS])], [], []
    for length in range(1, max_length + 1):
        candidates = []
        for score, ids in running:
            log_probs = model(source, torch.tensor([ids]))[0, -1].log_softmax(dim=-1).tolist()
            candidates += [(score + log_prob, [*ids, word]) for word, log_prob in enumerate(log_probs)]
        candidates.sort(reverse=True)
        gaps.append(candidates[beam - 1][0] - candidates[beam][0])
        ends += [score / length for score, ids in candidates[:beam] if ids[-1] == EOS]
        running = [candidate for candidate in candidates[:beam] if candidate[1][-1] != EOS]
        if not running:
            break
    best, *others = sorted(ends or [score for score, _ in running], reverse=True)
    return min(gaps + [best - other for other in others])


@beam_search.at_once
def drawn_searches(search, inputs):
    found = {}
    for place, beam in enumerate((1, 2, 4, 6, 6, 7, 7), 1):
        source, max_length = inputs.integers(4, 20, 1, 4), drawn(inputs, 2, 9)
        trees = (Tree(*(Forks(inputs, (place, again, i)) for i in range(9))) for again in range(1000))
        tree = next(tree for tree in trees if least_gap(tree, source, beam, max_length) > 1e-3)
        ids = search(tree.train(inputs.chance() < 0.5), source, beam, max_length)
        found[f"ids (search {place}, beam {beam}, max_length {max_length})"] = ids
    return found


@transplant.at_once
def several_moved(answer, inputs):
    model, found = in_use(Speller(drawn(inputs, 1, 4))), {}
    model.encoder[-1].register_forward_hook(lambda *_: None)  # somebody else's
    before = Untouched(model)
    for case in ("first", "second", "third"):
        length, other_length = inputs.integers(1, 10, 2).tolist()
        source, other = two_sentences(inputs, length, other_length)
        place, other_place = drawn(inputs, 0, length), drawn(inputs, 0, other_length)
        found[f"ids ({case} call): batch target"] = answer(model, source, place, other, other_place)
    return found | {"the model afterwards": before.finding()}
