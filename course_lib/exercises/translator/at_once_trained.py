"""Of the exercises on training: ordinary calls, in which all is at once that the parts ask for one by one."""

import itertools

import torch

from course_lib.checks.gradients import gradients_of
from course_lib.checks.ordinary import DTYPES, in_turn
from course_lib.exercises.translator.make_batches import found as batches_in
from course_lib.exercises.translator.make_batches import make_batches, pairs_of, told_of, words
from course_lib.exercises.translator.noam_rate import noam_rate
from course_lib.exercises.translator.shift_targets import as_read, shift_targets, translations
from course_lib.exercises.translator.smoothed_loss import SEVERE, smoothed_loss
from course_lib.exercises.translator.stand_ins import UNK, Bigrams, mode_of, number
from course_lib.exercises.translator.train import train
from course_lib.exercises.translator.train_step import step_reference, train_step
from course_lib.exercises.translator.training_runs import (
    Noting,
    Read,
    Still,
    blank,
    flat,
    marks,
    numbered,
    rates,
    uneven,
    writer_of,
)
from course_lib.exercises.translator.uneven_draws import TIMES, drawn_sizes, told_of_uneven

MODES = "training", "evaluation"
COUNTS = {"one sentence": (1, 2), "some sentences": (2, 6), "many sentences": (6, 13)}


@shift_targets.at_once
def shifted(shift, inputs):
    found = {}
    for label, case in in_turn(
        "call {0}",
        inputs.cases(
            16,
            sentences=(*COUNTS,),
            words=("few words", "many words"),
            end=("the end is there", "the longest are cut off"),
            ids=("small ids", "large ids"),
        ),
    ):
        most = 4 if case["words"] == "few words" else 30
        lengths = inputs.integers(0, most, inputs.integer(*COUNTS[case["sentences"]]))
        lengths[0] += 1  # so that something is left where the longest are cut off
        target = translations(inputs, lengths.tolist())
        if case["ids"] == "large ids":
            target = target.where(target <= UNK, target + inputs.integer(0, 10**6))
        target = target[:, :-1] if case["end"] == "the longest are cut off" else target
        read, answer = shift(target)
        found[f"read ({label}): batch target"] = as_read(read, target)
        found[f"answer ({label}): batch target"] = answer
    return found


@smoothed_loss.at_once
def losses(loss, inputs):
    found = {}
    meet = {
        "smoothing": ("smoothing not given", "smoothing given", "no smoothing"),
        "sentences": ("one sentence", "some sentences"),
        "words": ("one word", "some words"),
        "padding": ("without padding", "with padding"),
    }
    cases = inputs.cases(
        24,
        {(*meet,): [*itertools.product(*meet.values())]},
        dtype=(*DTYPES,),
        logits=("logits of both signs", "logits above 0", "logits in the thousands"),
        pad=("pad not given", "pad given"),
        by=("options by position", "options by name"),
    )
    for label, case in in_turn("call {0}", cases):
        rows, vocab = inputs.integer(*COUNTS[case["sentences"]]), inputs.integer(6, 12)
        columns = 1 if case["words"] == "one word" else inputs.integer(2, 7)
        pad = inputs.integer(0, vocab) if case["pad"] == "pad given" else 0
        target = (inputs.integers(1, vocab, rows, columns) + pad) % vocab
        if case["padding"] == "with padding":
            lengths = torch.tensor([columns, *inputs.integers(0, columns, rows - 1).tolist()])
            target = target.masked_fill(torch.arange(columns) >= lengths[:, None], pad)
            target = target.roll(inputs.integer(0, columns), dims=1)  # not only at the end
        logits = {
            "logits of both signs": lambda *sizes: SEVERE * inputs.normal(*sizes),
            "logits above 0": lambda *sizes: inputs.uniform(0.1, 9, *sizes),
        }.get(case["logits"], inputs.wide)(rows, columns, vocab)
        logits = logits.roll(inputs.integer(0, vocab), dims=-1).to(DTYPES[case["dtype"]])
        logits[target == pad] *= 1e6
        target = torch.cat([target[:, :1], target], dim=1)[:, 1:]  # in memory as `shift_targets` cuts it
        smoothing = 0.0 if case["smoothing"] == "no smoothing" else inputs.chance()
        options = {} if case["smoothing"] == "smoothing not given" else {"smoothing": smoothing}
        options |= {"pad": pad} if case["pad"] == "pad given" else {}
        by_position = case["by"] == "options by position" and [*options] != ["pad"]
        args, named = ([*options.values()], {}) if by_position else ((), options)
        result = loss(logits.requires_grad_(), target, *args, **named)
        found |= {f"loss ({label}):": result, **gradients_of(result, {"logits": logits}, case=label)}
    return found


@noam_rate.at_once
def all_rates(rate, inputs):
    found = {}
    for label, case in in_turn(
        "call {0}", inputs.cases(6, by=("by position", "by name"), width=("a small model", "a large model"))
    ):
        d_model = inputs.integer(1, 30) if case["width"] == "a small model" else inputs.integer(30, 2000)
        warmup = inputs.integer(2, 9000)
        for step in (1, inputs.integer(1, warmup), warmup, warmup + inputs.integer(1, 10 * warmup), 10**6):
            given = (step, d_model, warmup)
            named = dict(zip(("step", "d_model", "warmup"), given, strict=True))
            got = rate(*given) if case["by"] == "by position" else rate(**named)
            of = f"step {step}, d_model {d_model}, warm-up of {warmup}, {label}"
            found[f"a million times the rate ({of})"] = number(10**6 * got)
    return found


@train_step.at_once
def two_steps(step, inputs):
    found = {}
    for label, case in in_turn(
        "call {0}",
        inputs.cases(
            16,
            dtype=(*DTYPES,),
            mode=MODES,
            sentences=(*COUNTS,),
            words=("sources of one word", "sources of some words"),
            optimizer=("plain SGD", "SGD with momentum", "Adam"),
        ),
    ):
        dtype, vocab = DTYPES[case["dtype"]], inputs.integer(12, 60)
        model = Bigrams(inputs.normal(vocab, vocab), inputs.normal(vocab, vocab)).to(dtype)
        model.train(case["mode"] == "training")
        groups = [{"params": [table], "lr": inputs.chance()} for table in (model.given, model.after)]
        options = {"momentum": 0.7, "weight_decay": 0.1} if case["optimizer"] == "SGD with momentum" else {}
        optimizer = torch.optim.SGD(groups, **options)
        if case["optimizer"] == "Adam":
            optimizer = torch.optim.Adam(groups, eps=1e-3)  # so that no rounding decides where a step goes
        for place in (1, 2):
            lengths = inputs.integers(0, 9, inputs.integer(*COUNTS[case["sentences"]]))
            target = translations(inputs, lengths.tolist())
            target = target.where(target <= UNK, 4 + target % (vocab - 4))
            width = 1 if case["words"] == "sources of one word" else inputs.integer(2, 9)
            source = inputs.integers(0, vocab, len(target), width)
            found[f"loss of step {place} ({label})"] = step(model, source, target, optimizer)
        found |= {
            f"weights after two steps ({label}): word next": model.after.detach().clone(),
            f"the other table after two steps ({label}): word next": model.given.detach().clone(),
            f"mode afterwards ({label})": mode_of(model),
        }
    return found


@make_batches.at_once
def many_batches(make, inputs):
    found = {}
    for label, case in in_turn(
        "call {0}",
        inputs.cases(
            8,
            lengths=(
                "lengths below 8",
                "lengths below 120",
            ),  # many are equal; many have other numbers of digits
            pairs=("few pairs", "many pairs"),
            size=("batches of one", "small batches", "large batches"),
            by=("size by position", "size by name"),
        ),
    ):
        high = 8 if case["lengths"] == "lengths below 8" else 120
        count = inputs.integer(1, 8) if case["pairs"] == "few pairs" else inputs.integer(12, 25)
        size = {"batches of one": 1, "small batches": inputs.integer(2, 6)}.get(
            case["size"], inputs.integer(6, 30)
        )
        pairs = pairs_of(inputs, *((inputs.integer(1, high), inputs.integer(3, high)) for _ in range(count)))
        made = make(pairs, size) if case["by"] == "size by position" else make(pairs, size=size)
        batches = batches_in(made)
        found[f"pairs ({label})"] = told_of(pairs, batches)
        for part, name in enumerate(("sources", "targets")):
            ids = [batch[part] for batch in batches]
            found[f"lengths of the {name} ({label})"] = [list(map(len, words(one))) for one in ids]
            found[f"columns of the {name} ({label})"] = [one.shape[1] for one in ids]
    return found


@train.at_once
def batches_that_differ(train, inputs):
    """The reference learns again from the batches that were drawn: nothing else is to come out."""
    found = {}
    for label, case in in_turn(
        "call {0}",
        inputs.cases(
            3,
            dtype=(*DTYPES,),
            mode=MODES,
            sentences=(*COUNTS,),
            batches=("one batch", "some batches", "many batches"),
            options=("options by position", "options by name"),
        ),
    ):
        for name, value in one_training(train, inputs, **case).items():
            found[name.format(label)] = value
    sizes = drawn_sizes(inputs)
    model = blank(len(sizes))
    optimizer = Still(model)
    train(model, numbered(*sizes), optimizer, TIMES, flat)
    found[f"how often each of {len(sizes)} batches comes"] = told_of_uneven(marks(optimizer), sizes)
    return found


def one_training(train, inputs, dtype, mode, sentences, batches, options):
    count = {"one batch": 1, "some batches": inputs.integer(2, 9)}.get(batches, inputs.integer(9, 30))
    made = []
    for place in range(count):
        lengths = inputs.integers(1, 7, inputs.integer(*COUNTS[sentences]))
        target = translations(inputs, lengths.tolist())
        source = inputs.integers(0, 40, len(target), inputs.integer(1, 6))
        source[0, 0], target[0, 1] = place, 4 + place  # as `Read` knows it
        made.append((source, target))
    tables, reports = inputs.normal(2, 40, 40).to(DTYPES[dtype]), []
    model, twin = (Read(*tables.clone()).train(mode == "training") for _ in range(2))
    optimizer, other = Noting(model), Noting(twin)
    steps, every = inputs.integer(5, 12), inputs.integer(1, 6)
    report, given = writer_of(reports, optimizer), (model, made, optimizer, steps)
    if options == "options by position":
        losses = train(*given, uneven, report, every)
    else:
        losses = train(*given, rate=uneven, report=report, every=every)
    expected = []
    for step, (place, _) in enumerate(marks(optimizer), 1):
        for group in other.param_groups:
            group["lr"] = uneven(step)
        expected.append(step_reference(twin, *made[place], other))
    return {
        "losses, minus those of the batches that were drawn ({0})": [
            one - right for one, right in zip(losses, expected, strict=False)
        ],
        "weights, minus those of a training with these batches ({0}): word next": model.after - twin.after,
        "rates of all groups ({0})": rates(optimizer),
        "steps that are reported, and steps made until then ({0})": [[step, n] for step, _, n in reports],
        "mean losses, minus those of the batches that were drawn ({0})": [
            mean - sum(expected[step - every : step]) / every for step, mean, _ in reports
        ],
    }
