"""generate: the prompt once, then one word at a time."""

import torch

from course_lib.checks.exercise import Exercise
from course_lib.checks.remembered import each_call_once
from course_lib.exercises.inference.stand_ins import VOCAB, calls_of, reader

SPECIAL = 4  # ids below it are padding, begin, end and the unknown word elsewhere

generate = Exercise(
    "generate",
    points=6,
    returns=("ids: batch steps",),
    hints=[
        "What has the model not read yet, before each call? Before the first call it is the prompt. And "
        "before the second one?",
        "Keep the words that the model has to read next in `ids`, and its cache in `cache`, which begins as "
        "None. Both change in each round.",
        "`logits, cache = model(ids, cache, padding)`. The next words are those of the last place: `ids = "
        "logits[:, -1:].argmax(dim=-1)`, of shape (batch, 1).",
        "Put `ids` into a list in each round. At the end `torch.cat(words, dim=1)` puts them side by side.",
    ],
    examples=[
        "generate(reader(), torch.tensor([[4]]), 1)",
        "generate(reader(), torch.tensor([[4, 6]]), 2)",
        "generate(reader(), torch.tensor([[4, 6, 3]]), 3)",
        "generate(reader(), torch.tensor([[4, 6], [5, 2]]), 3)",
        "generate(reader(), torch.tensor([[0, 6, 2], [5, 2, 9]]), 4, torch.tensor([1, 0]))",
        "generate(reader(), torch.tensor([[4, 3]]), 3)",
        "generate(reader(), torch.tensor([[4, 3], [1, 11]]), 4)",
        "calls_of(generate, torch.tensor([[4, 6, 3]]), 3)[:3]",
        "calls_of(generate, torch.tensor([[4, 6], [5, 2]]), 2)[:2]",
    ],
    names={"reader": reader, "calls_of": calls_of},
)


@generate.reference
def reference(model, prompt, steps, padding=None):
    ids, cache, words = prompt, None, []
    for _ in range(steps):
        logits, cache = model(ids, cache, padding)
        ids = logits[:, -1:].argmax(dim=-1)
        words.append(ids)
    return torch.cat(words, dim=1)


def prompts_where(wanted, model, inputs, rows, steps, length=5):
    """Prompts after which the model writes what is wanted: wanted(words), of words (batch, steps)."""
    while True:
        prompts = text = inputs.integers(1, VOCAB, 80, length)
        for _ in range(steps):
            text = torch.cat([text, model(text)[0][:, -1:].argmax(dim=-1)], dim=1)
        found = prompts[wanted(text[:, length:])]
        if len(found) >= rows:
            return found[:rows]


def goes_on_after(end):
    """Whether the model writes the id `end` and then another word, no padding."""
    return lambda words: ((words[:, :-1] == end) & (words[:, 1:] != end) & (words[:, 1:] != 0)).any(dim=1)


def nothing_special(words):
    """What is done with special ids is the matter of another part."""
    return (words >= SPECIAL).all(dim=1)


@generate.part("each word is the most probable one after all the words before it", points=2)
def words(generate, inputs):
    found = {}
    for end in (2, 0, 1):  # an id that ends a sentence elsewhere is a word like any other here
        model = reader(inputs)
        prompts = prompts_where(goes_on_after(end), model, inputs, 2, 5)
        case = f"the model writes {end} and goes on"
        found[f"ids ({case}): batch steps"] = generate(model, prompts, 5)
        found[f"ids ({case}, one sentence): batch steps"] = generate(model, prompts[:1], 5)
    return found | {
        "ids: batch steps": generate(reader(inputs), inputs.integers(1, VOCAB, 3, 5), 6),
        "ids (a prompt of one word): batch steps": generate(
            reader(inputs), inputs.integers(1, VOCAB, 2, 1), 4
        ),
        "ids (one step): batch steps": generate(reader(inputs), inputs.integers(1, VOCAB, 2, 4), 1),
    }


# What is read after the last word has been chosen is wasted, but no error.


@generate.part("the model reads the prompt once, and then each word once", points=2)
def reads(generate, inputs):
    calls, ids = calls_made(generate, inputs, 2, 4)
    more_calls, more_ids = calls_made(generate, inputs, 1, 7)
    return {
        "sentences and words read in each call, and words in the cache": calls,
        "sentences and words read in each call, and words in the cache (one sentence)": more_calls,
        "ids: batch steps": ids,
        "ids (one sentence): batch steps": more_ids,
    }


def calls_made(generate, inputs, rows, steps):
    calls = []
    model = reader(inputs, calls)
    prompts = prompts_where(nothing_special, model, inputs, rows, steps)
    generate(reader(), prompts, 2)  # a check makes the first call twice
    calls.clear()
    with each_call_once():
        ids = generate(model, prompts, steps)
    return told_calls(calls, steps, prompts), ids


def told_calls(calls, steps, prompts):
    """All calls, but one at the end that reads the last word for nothing: that is no error."""
    in_vain = len(prompts), 1, prompts.shape[1] + steps - 1
    return calls[:-1] if len(calls) > steps and calls[-1] == in_vain else calls


@generate.part("padding is hidden in each step", points=1)
def padded(generate, inputs):
    # Many sentences: padding that a prompt looks at changes the words of six in seven only.
    prompt, padding = inputs.integers(1, VOCAB, 8, 6), torch.tensor([2, 0, 4, 1, 5, 3, 4, 2])
    calls = []
    model = reader(inputs, calls)
    batch = generate(model, prompt, 5, padding)
    alone = [
        generate(model, row[None, count:], 5) for row, count in zip(prompt, padding.tolist(), strict=True)
    ]
    return {
        "difference from the ids of each sentence alone: batch steps": batch - torch.cat(alone),
        "ids differ from sentence to sentence": bool((batch != batch[:1]).any()),
        "ids differ from step to step": bool((batch != batch[:, :1]).any()),
        "the model is called": bool(calls),
    }


# Accepted: other ways to write the same


@generate.accept("prefill before the loop")
def prefill(model, prompt, steps, padding=None):
    with torch.no_grad():
        logits, cache = model(prompt, padding=padding)
        token = logits[:, -1].argmax(-1)
        result = [token]
        while len(result) < steps:
            logits, cache = model(token.unsqueeze(1), cache, padding=padding)
            token = logits[:, -1].argmax(-1)
            result.append(token)
    return torch.stack(result, dim=1)


@generate.accept("the whole sentence is kept, and its unread part is cut off")
def kept_whole(model, prompt, steps, padding=None):
    text, cache, read = prompt, None, 0
    while text.shape[1] < prompt.shape[1] + steps:
        logits, cache = model(text[:, read:], cache, padding)
        read = text.shape[1]
        text = torch.cat([text, logits[:, -1].softmax(-1).topk(1).indices], dim=1)
    return text[:, prompt.shape[1] :]


@generate.accept("filled in, and the last word is read too")
def filled_in(model, prompt, steps, padding=None):
    result = prompt.new_zeros(len(prompt), steps)
    logits, cache = model(prompt, None, padding)
    for step in range(steps):
        result[:, step] = logits[:, -1].max(dim=-1).indices
        logits, cache = model(result[:, step : step + 1], cache, padding)
    return result


@generate.accept("recursion")
def recursive(model, prompt, steps, padding=None):
    def after(ids, cache, left):
        logits, cache = model(ids, cache, padding)
        word = logits[:, -1].argmax(dim=-1, keepdim=True)
        return word if left == 1 else torch.hstack([word, after(word, cache, left - 1)])

    return after(prompt, None, steps)
