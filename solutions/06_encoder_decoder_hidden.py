"""Parts of the checks of 06_encoder_decoder that run only when work is graded; not for learners."""

import torch

from course_lib.checks.exercise import Part
from course_lib.exercises.encoder_decoder.maps import KINDS, by_layer, made, sentences


def encoder_sizes(build, inputs):
    # Both sublayers at once, with few words and with many.
    return {
        f"x ({seq} words): batch seq d_model": build(16, heads, 5)(
            inputs.normal(3, seq, 16), inputs.mask(3, 1, seq)
        )
        for seq, heads in ((2, 4), (40, 2))
    }


def decoder_sizes(build, inputs):
    results = {}
    for target, source in ((1, 40), (40, 2), (4, 4)):
        layer, x, memory = build(16, 2, 5), inputs.normal(3, target, 16), inputs.normal(3, source, 16)
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
            inputs.integers(1, 40, sentences, size).masked_fill(
                torch.arange(size) > inputs.integers(0, size, sentences, 1), 0
            )
        )
        for sentences, size in ((1, 1), (1, sizes[0]), (4, sizes[1]), (2, 130))
    }


def other_models(build, inputs):
    results = {}
    for layers in (1, 4, 6):
        model = build(9, 7, 8, 2, 5, layers)
        with torch.no_grad():  # tied or not, so that an untied output costs only the points of its own part
            model.output.weight.copy_(model.target_embedding.table.weight)
            for name, weight in model.named_parameters():  # so that the words still count after many layers
                if ".output." in name or ".linear2." in name:
                    weight.mul_(0.3)
        source, target = inputs.integers(1, 9, 5, 6), inputs.integers(1, 7, 5, 4)
        results[f"logits ({layers} layers): batch target vocab"] = model(source, target)
    return results


def paper_sizes(count, inputs):
    vocab = inputs.integer(30_000, 50_000)
    return {
        "parameters (the size of the base model)": int(count(vocab, 512, 2048, 6)),
        "parameters (the size of the big model)": int(count(vocab, 1024, 4096, 6)),
        "parameters (odd sizes)": int(count(2 * vocab + 1, 1025, 4097, 7)),  # float32 would round them
    }


def other_maps(maps, inputs):
    model = made(inputs, layers=11, heads=1, d_model=2)  # sorted by name, layer 10 would come before layer 2
    found = maps(model, *sentences(inputs, batch=1, source=2, target=3))
    return {label: value for kind in KINDS for label, value in by_layer(found, kind, 11).items()}


SIZES = "sizes that you have not seen"
PARTS = {
    "EncoderLayer": Part(SIZES, 1, encoder_sizes, hidden=True),
    "decoder_mask": Part("batches that you have not seen", 1, more_batches, hidden=True),
    "DecoderLayer": Part(SIZES, 1, decoder_sizes, hidden=True),
    "Transformer": Part(SIZES, 1, other_models, hidden=True),
    "attention_maps": Part("models that you have not seen", 1, other_maps, hidden=True),
    "parameter_count": Part("the paper's sizes", 1, paper_sizes, hidden=True),
}
