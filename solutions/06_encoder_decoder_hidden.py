"""Parts of the checks of 06_encoder_decoder that run only when work is graded; not for learners."""

import torch

from course_lib.checks.exercise import Part


def encoder_sizes(build, inputs):
    # Both sublayers at once, in a size and a precision of their own, a word alone among them.
    return {
        f"x ({seq} words): batch seq d_model": build(8, heads, 5)(
            inputs.normal(3, seq, 8), inputs.mask(3, 1, seq)
        )
        for seq, heads in ((2, 4), (9, 2))
    }


def decoder_sizes(build, inputs):
    results = {}
    for target, source in ((1, 9), (9, 2), (4, 4)):
        layer, x, memory = build(8, 2, 5), inputs.normal(3, target, 8), inputs.normal(3, source, 8)
        past = torch.ones(target, target, dtype=torch.bool).tril()
        seen = torch.ones(3, 1, source, dtype=torch.bool)
        seen[0, :, source - 1] = False
        results[f"x ({target} target words, {source} source words): batch target d_model"] = layer(
            x, memory, past, seen
        )
    return results


def more_batches(mask, inputs):
    sizes = [int(size) for size in inputs.integers(6, 20, 2)]
    return {
        f"mask ({sentences} sentences, {size} words): batch target source": mask(
            inputs.integers(4, 40, sentences, size).masked_fill(
                torch.arange(size) > inputs.integers(0, size, sentences, 1), 0
            )
        )
        for sentences, size in ((1, 1), (1, sizes[0]), (4, sizes[1]))
    }


def other_models(build, inputs):
    results = {}
    for layers in (1, 3):
        model = build(9, 7, 8, 2, 5, layers)
        with torch.no_grad():  # tied or not, so that an untied output costs its own part alone
            model.output.weight.copy_(model.target_embedding.weight)
        source, target = inputs.integers(4, 9, 3, 6), inputs.integers(4, 7, 3, 4)
        results[f"logits ({layers} layers): batch target vocab"] = model(source, target)
    return results


def paper_sizes(count, inputs):
    vocab = int(inputs.integers(30_000, 50_000, 1))
    return {
        "parameters (the size of the base model)": int(count(vocab, 512, 2048, 6)),
        "parameters (the size of the big model)": int(count(vocab, 1024, 4096, 6)),
    }


SIZES = "sizes that you have not seen"
PARTS = {
    "EncoderLayer": Part(SIZES, 1, encoder_sizes, hidden=True),
    "decoder_mask": Part("batches that you have not seen", 1, more_batches, hidden=True),
    "DecoderLayer": Part(SIZES, 1, decoder_sizes, hidden=True),
    "Transformer": Part(SIZES, 1, other_models, hidden=True),
    "parameter_count": Part("the paper's sizes", 1, paper_sizes, hidden=True),
}
