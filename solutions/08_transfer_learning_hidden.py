"""Parts of the checks of 08_transfer_learning that run only when work is graded. Learners do not get this."""

import torch
from torch import nn

from course_lib.checks.exercise import Part
from course_lib.checks.properties import differ
from course_lib.exercises.transfer_learning.drawn_words import chances_of


def other_vocabulary(mask_words, inputs):
    # Nothing is chosen: what is done with chosen words is not punished twice.
    ids, found = inputs.integers(4, 400, 3, 50), {}
    for case in (ids, ids[:1, :1], ids[:, :7]):
        masked, labels = mask_words(case, 400, chance=0.0, generator=torch.Generator().manual_seed(0))
        found[f"masked {tuple(case.shape)}: batch seq"] = masked
        found[f"labels {tuple(case.shape)}: batch seq"] = labels
    return found


def other_sizes(build, inputs):
    # One word: its log-probability is 0 whatever the head computes.
    results = {}
    for shape in ((1, 1), (4, 9)):
        logits = build(3, 1)(inputs.normal(*shape, 3), inputs.normal(1, 3))
        results[f"log-probabilities {shape}: batch seq vocab"] = logits.log_softmax(dim=-1)
    # The scores of words whose rows are those of a unit matrix are h, up to a number.
    x, head = inputs.normal(4, 2, 5), build(5, 5)
    h = head(x, torch.eye(5)) - head.bias
    results["h is another vector than x"] = differ(h - h.mean(-1, keepdim=True), x - x.mean(-1, keepdim=True))
    return results


def another_model(freeze_all, inputs):
    model = nn.ModuleDict({"encoder": nn.LSTM(3, 5, num_layers=2), "Output": nn.Linear(5, 2, bias=False)})
    freeze_all(model, "Output")
    return {"learns": [name for name, p in model.named_parameters() if p.requires_grad]}


def no_steps(tune, inputs):
    model = nn.Module()
    model.body, model.head = nn.Embedding(5, 3), nn.Linear(3, 2)
    before = model.head.weight.detach().clone()
    losses = tune(model, inputs.integers(0, 5, 4, 2), inputs.integers(0, 2, 4), steps=0)
    return {"losses": list(losses), "change of the head: topic d_model": model.head.weight - before}


def sizes_and_precision(draw, inputs):
    # All scores are equal or one stands far above the others: no filter can go wrong.
    same, sure = torch.zeros(3, 6).double(), torch.zeros(1, 11)
    sure[0, 7] = 200.0
    rows = inputs.normal(3, 6)
    options = {"temperature": 3.0}, {"top_k": 1}, {"top_p": 0.01}  # one forgotten is the matter of its part
    read = any(differ(chances_of(draw, rows, **option), chances_of(draw, rows)) for option in options)
    return {
        "options change the probabilities": read,
        "probabilities (equal scores): batch vocab": chances_of(draw, same),
        "ids (one sure word): batch": draw(sure)[0],
        "probabilities (one sure word): batch vocab": chances_of(draw, sure),
    }


PARTS = {
    "mask_tokens": Part("sizes that you have not seen", 1, other_vocabulary, hidden=True),
    "MaskedWordHead": Part("sizes that you have not seen", 1, other_sizes, hidden=True),
    "freeze": Part("a model that you have not seen", 1, another_model, hidden=True),
    "fine_tune": Part("no steps at all", 1, no_steps, hidden=True, alone=False),
    "sample": Part("sizes and precision that you have not seen", 1, sizes_and_precision, hidden=True),
}
