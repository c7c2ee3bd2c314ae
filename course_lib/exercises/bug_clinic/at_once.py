"""Ordinary calls, in which all is at once that the parts of an exercise ask for one by one."""

import torch

from course_lib.checks.gradients import gradients_of
from course_lib.checks.inputs import as_transposed
from course_lib.checks.ordinary import DTYPES, in_turn
from course_lib.checks.properties import told_of_leaks
from course_lib.exercises.bug_clinic.attention import attention
from course_lib.exercises.bug_clinic.translate import translate
from course_lib.exercises.bug_clinic.word_ids import numbered, word_ids

LETTERS = ["a", "Z", "ß", "é", "我", "天", "冬", "3", "0", "-", "'", "?"]


@word_ids.at_once
def any_words(number, inputs):
    """Short words of any letters, of which many come again."""
    texts = []
    for _ in range(inputs.integer(1, 9)):
        lengths = inputs.integers(1, 3, inputs.integer(1, 30)).tolist()
        drawn = ["".join(LETTERS[i] for i in inputs.integers(0, 12, length).tolist()) for length in lengths]
        texts.append(" ".join(drawn))
    ids = numbered(number, texts)
    return {"list of the words": sorted(ids), "list of their ids": sorted(ids.values())}


@attention.at_once
def any_mask(attend, inputs):
    found = {}
    cases = inputs.cases(
        16,
        dtype=(*DTYPES,),
        sentences=("1 sentence", "several sentences"),
        heads=("1 head", "several heads"),
        mask=(*MASKS,),
        given=("3 tensors", "self-attention"),
    )
    for label, case in in_turn("call {0}", cases):
        for name, value in one_of(attend, inputs, **case).items():
            text, _, axes = name.partition(":")
            found[f"{text} ({label})" + f":{axes}" * bool(axes)] = value
    return found


MASKS = {  # their shapes, of batch b, heads h, target t and source s
    "mask (target, source)": "ts",
    "mask (1, source)": "1s",
    "mask of each sentence": "b11s",
    "mask of each query": "b1ts",
    "mask of each head": "bhts",
    "causal mask": "ts",
}


def one_of(attend, inputs, dtype, sentences, heads, mask, given):
    target, source, d_k = (inputs.integers(2, 7, 3) + torch.tensor([0, 1, 0])).tolist()
    target = source if given == "self-attention" else target
    sentences, heads = 1 if sentences == "1 sentence" else 3, 1 if heads == "1 head" else 2
    query, key, value = (
        as_transposed(inputs.normal(sentences, heads, length, width).to(DTYPES[dtype]))
        for length, width in ((target, d_k), (source, d_k), (source, 4))
    )
    sizes = {"b": sentences, "h": heads, "t": target, "s": source, "1": 1}
    allowed = inputs.mask(*map(sizes.get, MASKS[mask]))
    allowed[..., inputs.normal(source).argsort()[:2]] = True  # of a single key no gradient flows
    if mask == "causal mask":
        allowed = torch.ones_like(allowed).tril()
    leaves = {"query": query.requires_grad_()}
    if given == "3 tensors":
        leaves |= {"key": key.requires_grad_(), "value": value.requires_grad_()}
    output, weights = attend(*(leaves.get(name, query) for name in ("query", "key", "value")), allowed)
    hidden = ~allowed.expand(sentences, heads, target, source)
    return {
        "output: batch heads target d_v": output,
        "weights: batch heads target source": weights,
        "hidden": told_of_leaks(weights, hidden, "A hidden key"),
        **gradients_of(output, leaves, of="output"),
    }


@translate.at_once
def a_real_model(translator, inputs):
    """Logits as those of a trained model: of any size and sign, and the best one leads by little."""
    vocab, batch, source, target = (inputs.integer(low, low + 9) for low in (11, 1, 1, 2))
    order = torch.randperm(vocab, generator=inputs.generator)
    weights = inputs.integers(1, vocab, source)

    def model(read, ids):
        places = torch.arange(2, ids.shape[1] + 2)
        sums = (ids * places).cumsum(dim=1) + (read * weights).sum(dim=1, keepdim=True)
        best = order[sums % vocab]
        return -1.5 - 0.01 * (torch.arange(vocab) - best[..., None]).abs()

    words = inputs.integers(0, vocab, batch, source), inputs.integers(0, vocab, batch, target)
    return {"words: batch seq": translator(model, *words)}
