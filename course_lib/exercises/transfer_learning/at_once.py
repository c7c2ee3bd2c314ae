"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import torch

from course_lib.checks.gradients import gradients_of, in_both_modes, parameters
from course_lib.checks.notes import notes
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
    return {"finding": told_of_sentences(mask_words, inputs)}


@MaskedWordHead.at_once
@in_both_modes
def scored(build, inputs):
    d_model, vocab = int(inputs.integers(5, 9, 1)), int(inputs.integers(10, 15, 1))
    head = build(d_model, vocab)
    x = spread_out(head, inputs, d_model).requires_grad_()
    first, table = (inputs.normal(vocab, d_model).requires_grad_() for _ in range(2))
    scores = {"a first table, a shorter batch": head(x[:1, :4], first), "a second table": head(x, table)}
    scores["a second table, float64"] = head.double()(x.double(), table.double())
    # GELU by tanh is right too, and differs from the other in the third digit.
    found = {
        f"logits (hundredths, minus their mean, {case}): batch seq vocab": less_their_mean(logits) / 500
        for case, logits in scores.items()
    }
    head = build(d_model, vocab)
    log_probabilities = head(x, table).log_softmax(dim=-1)
    return found | gradients_of(log_probabilities, parameters(head) | {"table": table, "x": x})


@freeze.at_once
def one_step_later(freeze_all, inputs):
    """Of models of which some numbers were frozen before: what learns, and how far it goes in a step."""
    found = {}
    for case, model in enumerate((Model(int(inputs.integers(2, 6, 1))), small(), with_a_shared_table())):
        options = [{}, {"keep": "body"}][int(inputs.integers(0, 2, 1))]
        for parameter in model.parameters():
            parameter.data = inputs.normal(*parameter.shape)
            parameter.requires_grad_(bool(inputs.integers(0, 2, 1)))
        before = Untouched(model)
        found[f"count (model {case})"] = number(freeze_all(model, **options))
        found[f"learns (model {case})"] = learning(model)
        changed = before.of_parts(allowed="requires_grad") or before.of_numbers()
        found[f"changed (model {case})"] = changed or before.of_gradients()
        sum(parameter.pow(3).sum() for parameter in model.parameters()).backward()
        torch.optim.SGD(model.parameters(), lr=0.1).step()
        found |= {f"{name} after a step (model {case})": x for name, x in model.state_dict().items()}
    return found


@fine_tune.at_once
def both_learn(tune, inputs):
    found, (body_rate, head_rate) = {}, inputs.uniform(0.02, 0.2, 2).tolist()
    given = {"steps": int(inputs.integers(3, 7, 1)), "body_rate": body_rate, "head_rate": head_rate}
    for case, options in (("all given", given), ("nothing given", {})):
        model, ids, labels = lesson_for(inputs, sentences=int(inputs.integers(11, 16, 1)))
        found[f"losses ({case})"] = tune(model, ids, labels, **options)
        found |= {f"{name} afterwards ({case})": x.clone() for name, x in model.state_dict().items()}
        found[f"modes ({case})"] = sorted(set().union(*notes(model, "modes")))
    return found


@sample.at_once
def drawn(draw, inputs):
    logits = rows(inputs, vocab=int(inputs.integers(8, 13, 1)))
    options = all_options(logits, inputs)
    once = draw(logits, generator=seeded(1), **options)
    again, probabilities = draw(logits.double(), generator=seeded(1), **options)
    many = logits.repeat(8, 1)
    repeated = told_of_repeats(lambda given: draw(many, generator=given, **options)[0], inputs)
    alike = torch.equal(draw(logits, generator=seeded(1), **options)[0], once[0])
    return {
        f"probabilities ({', '.join(options)}): batch vocab": once[1],
        f"probabilities ({', '.join(options)}, float64): batch vocab": probabilities,
        "ids have a probability": bool((probabilities.gather(1, again[:, None]) > 0).all()),
        "draws": told_of_rows(draw, logits, inputs, **options) or repeated,
        "the same seed gives the same words": alike,
    }


def all_options(logits, inputs) -> dict:
    """A temperature, a top_k and a top_p, from which every sum of probabilities is far."""
    while True:
        temperature, top_p = (int(number) / 100 for number in inputs.integers(60, 91, 2))
        temperature, top_k = 2 * temperature, int(inputs.integers(4, 7, 1))
        sums = (logits / temperature).topk(top_k, dim=-1).values.softmax(dim=-1).cumsum(dim=-1)
        if (sums - top_p).abs().min() > 1e-3:
            return {"temperature": temperature, "top_k": top_k, "top_p": top_p}
