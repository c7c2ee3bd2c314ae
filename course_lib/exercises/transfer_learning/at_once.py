"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import functools

import torch

from course_lib.checks.gradients import gradients_of, parameters
from course_lib.checks.notes import notes
from course_lib.checks.ordinary import DTYPES, built, in_turn, in_words
from course_lib.checks.untouched import Untouched
from course_lib.exercises.transfer_learning.drawn_apart import told_of_rows, told_of_sentences
from course_lib.exercises.transfer_learning.fine_tune import fine_tune, lesson_for
from course_lib.exercises.transfer_learning.freeze import (
    Model,
    freeze,
    learning,
    number,
    small,
    with_a_shared_table,
)
from course_lib.exercises.transfer_learning.mask_tokens import mask_tokens
from course_lib.exercises.transfer_learning.masked_counts import seeded, told_of_repeats
from course_lib.exercises.transfer_learning.MaskedWordHead import MaskedWordHead, less_their_mean, spread_out
from course_lib.exercises.transfer_learning.sample import rows, sample


@mask_tokens.at_once
def masked(mask_words, inputs):
    """Of a batch of sentences, one of them short, and of a short one alone."""
    found = {}
    few, many = inputs.integer(8, 16), inputs.integer(30, 58)
    for words, count, options in (
        (many, inputs.integer(4, 7), {"chance": inputs.integer(40, 71) / 100}),
        (few, 1, {}),
    ):
        label = f"a batch of {count}, {words} ordinary words, chance {options.get('chance', 'not given')}"
        found[f"finding ({label})"] = told_of_sentences(mask_words, inputs, words, count, **options)
    return found


@MaskedWordHead.at_once
def scored(build, inputs):
    @functools.cache
    def head_of(dtype):
        sizes = inputs.integer(5, 9), inputs.integer(10, 15)
        return sizes, built(build, dtype, "training", *sizes)

    found = {}
    for label, case in in_turn(
        "head {0}",
        inputs.cases(
            12,
            dtype=(*DTYPES,),
            mode=("training", "evaluation"),
            sentences=("one sentence", "two sentences"),
            words=("one word", "some words"),
            table=("numbers of both signs", "numbers above 0"),
            by=("table by position", "table by name"),
        ),
    ):
        sizes, head = head_of(case["dtype"])
        head.train(case.pop("mode") == "training")
        for (name, axes), value in of_one_head(head, inputs, sizes, **case).items():
            found[f"{name} ({label}){axes}"] = value
    return found


def of_one_head(head, inputs, sizes, dtype, sentences, words, table, by):
    d_model, vocab = sizes
    rows, seq = 1 if sentences == "one sentence" else 2, 1 if words == "one word" else inputs.integer(2, 6)
    x = spread_out(head, inputs, d_model)[:rows, :seq].to(DTYPES[dtype]).requires_grad_()
    low = 0.1 if table == "numbers above 0" else -2
    first, second = (
        inputs.uniform(low, 2, vocab, d_model).to(DTYPES[dtype]).requires_grad_() for _ in range(2)
    )
    earlier = head(x, first)
    logits = head(x, second) if by == "table by position" else head(x, table=second)
    flows = gradients_of(logits.log_softmax(dim=-1), parameters(head) | {"table": second, "x": x})
    # GELU by tanh is right too, and differs from the other in the third digit.
    return {
        ("logits of a first table (minus their mean, divided by 500)", ": batch seq vocab"): (
            less_their_mean(earlier) / 500
        ),
        ("logits of a second table (minus their mean, divided by 500)", ": batch seq vocab"): (
            less_their_mean(logits) / 500
        ),
        **{(name, ""): flow["told"] for name, flow in flows.items()},
    }


MODELS = {
    "a body and a head": lambda inputs: Model(inputs.integer(2, 6)),
    "a body that has a head": lambda _: small(),
    "a shared table": lambda _: with_a_shared_table(),
}


@freeze.at_once
def one_step_later(freeze_all, inputs):
    """Of models of which some numbers were frozen before: what learns, and how far it goes in a step."""
    found = {}
    for label, case in in_turn(
        "model {0}",
        inputs.cases(
            24,
            model=(*MODELS,),
            keep=("keep not given", "keep the head", "keep the body"),
            by=("by position", "by name"),
            before=("all learned before", "none learned before", "some learned before"),
            mode=("training", "evaluation"),
            dtype=(*DTYPES,),
        ),
    ):
        model = MODELS[case["model"]](inputs).train(case["mode"] == "training")
        share = {"all learned before": 1, "none learned before": 0}.get(case["before"], 0.5)
        for parameter in model.parameters():
            parameter.data = inputs.normal(*parameter.shape).to(DTYPES[case["dtype"]])
            parameter.requires_grad_(bool(inputs.uniform(0, 1, 1) < share))
        keep = case["keep"].removeprefix("keep the ")
        keep, before = (() if keep == case["keep"] else (keep,)), Untouched(model)
        named = {"keep": keep[0]} if keep and case["by"] == "by name" else {}
        count = freeze_all(model, **named) if named else freeze_all(model, *keep)
        found[f"count ({label})"] = number(count)
        found[f"learns ({label})"] = learning(model)
        changed = before.of_parts(allowed="requires_grad") or before.of_numbers()
        found[f"changed ({label})"] = changed or before.of_gradients()
        sum(parameter.pow(3).sum() for parameter in model.parameters()).backward()
        torch.optim.SGD(model.parameters(), lr=0.1).step()
        found |= {f"{name} after a step ({label})": x for name, x in model.state_dict().items()}
    return found


@fine_tune.at_once
def both_learn(tune, inputs):
    found = {}
    for place, case in enumerate(
        inputs.cases(
            8,
            options=("options by name", "options by position", "steps by name alone", "no options"),
            learns=("all learns", "all learns", "body frozen", "head frozen"),
            sentences=("few sentences", "few sentences", "few sentences", "many sentences"),
            mode=("training", "evaluation"),
        ),
        1,
    ):
        label = f"model {place}, {in_words(case)}, mode before the call"
        steps, rates = inputs.integer(2, 7), inputs.uniform(0.02, 0.2, 2).tolist()
        count = inputs.integer(70, 140) if case["sentences"] == "many sentences" else inputs.integer(11, 16)
        model, ids, labels = lesson_for(inputs, sentences=count)
        model.body.requires_grad_(case["learns"] != "body frozen")
        model.head.requires_grad_(case["learns"] != "head frozen")
        args = (steps, *rates) if case["options"] == "options by position" else ()
        named = dict(zip(("steps", "body_rate", "head_rate"), (steps, *rates), strict=True))
        named = {
            "options by name": named,
            "steps by name alone": {"steps": steps},
        }.get(case["options"], {})
        losses = tune(model.train(case["mode"] == "training"), ids, labels, *args, **named)
        found[f"losses ({label})"] = losses
        found |= {f"{name} afterwards ({label})": x.clone() for name, x in model.state_dict().items()}
        found[f"modes ({label})"] = sorted(set().union(*notes(model, "modes")))
    model, ids, labels = lesson_for(inputs)
    before, body = Untouched(model), Untouched(model.body)
    tune(model, ids, labels, steps=2, body_rate=0.0)
    return found | {
        "the model afterwards (a body rate of 0)": before.of_learning(),
        "the body afterwards (a body rate of 0)": body.of_numbers(),
    }


@sample.at_once
def drawn(draw, inputs):
    found = {}
    for place, case in enumerate(
        inputs.cases(
            16,
            dtype=(*DTYPES,),
            sentences=("one sentence", "some sentences"),
            temperature=("no temperature", "low temperature", "high temperature"),
            top_k=("no top_k", "top_k"),
            top_p=("no top_p", "top_p"),
            by=("options by position", "options by name"),
        ),
        1,
    ):
        label = f"call {place}, {in_words(case)}"
        row, logits = inputs.integer(0, 5), rows(inputs, vocab=inputs.integer(8, 13))
        logits = logits[row : row + 1] if case["sentences"] == "one sentence" else logits
        options = some_options(logits, inputs, case["temperature"], case["top_k"], case["top_p"])
        names = "temperature", "top_k", "top_p"
        args = [options.get(name, 1.0 if name == "temperature" else None) for name in names]
        named = {} if case["by"] == "options by position" else options
        args = () if named is options else args
        ids, probabilities = draw(logits.to(DTYPES[case["dtype"]]), *args, generator=seeded(place), **named)
        again, _ = draw(logits.to(DTYPES[case["dtype"]]), *args, generator=seeded(place), **named)
        found |= {
            f"probabilities ({label}): batch vocab": probabilities,
            f"ids have a probability ({label})": bool((probabilities.gather(1, ids[:, None]) > 0).all()),
            f"the same seed gives the same words ({label})": torch.equal(ids, again),
        }
    logits = rows(inputs, vocab=inputs.integer(8, 13))
    half = draw(logits.bfloat16(), generator=seeded(0))[1]
    found["probabilities (of scores in bfloat16, set to 0): batch vocab"] = torch.zeros_like(half)
    options = some_options(logits, inputs, "high temperature", "top_k", "top_p")
    many = logits.repeat(8, 1)
    repeated = told_of_repeats(lambda given: draw(many, generator=given, **options)[0], inputs)
    return found | {"draws": told_of_rows(draw, logits, inputs, **options) or repeated}


def some_options(logits, inputs, temperature, top_k, top_p) -> dict:
    """Of a temperature, a top_k and a top_p those that are asked for; every sum of probabilities is far."""
    while True:
        share, chance = (inputs.integer(60, 91) / 100 for _ in range(2))
        options = {"top_k": inputs.integer(4, 7)} if top_k == "top_k" else {}
        options |= {"top_p": chance} if top_p == "top_p" else {}
        scale = {"no temperature": 1, "low temperature": share}.get(temperature, 2 * share)
        options |= {"temperature": scale} if temperature != "no temperature" else {}
        kept = (logits / scale).topk(options.get("top_k", logits.shape[1]), dim=-1).values
        if (kept.softmax(dim=-1).cumsum(dim=-1) - chance).abs().min() > 1e-3:
            return options
