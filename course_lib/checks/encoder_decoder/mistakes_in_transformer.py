"""What learners write for Transformer when it goes wrong."""

import copy

import torch
from torch import nn

from course_lib.checks.encoder_decoder.decoder import DecoderReference
from course_lib.checks.encoder_decoder.encoder import EncoderReference
from course_lib.checks.encoder_decoder.masks import causal, padding
from course_lib.checks.encoder_decoder.parts import mistaken
from course_lib.checks.encoder_decoder.transformer import Model, Reference, Transformer


def past(target):
    return padding(target) & causal(target.shape[1])


mistake = mistaken(Transformer, Model)


def change(*ids, advice):
    """Declare a wrong model by what is done at the end of its `__init__`."""

    def add(alter):
        def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
            Model.__init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers)
            alter(self, source_vocab, target_vocab, d_model, heads, d_ff, layers)

        members = {"__init__": __init__, "__module__": __name__}
        Transformer.mistake(*ids, advice=advice)(type(alter.__name__, (Reference,), members))
        return alter

    return add


# Stacks


@mistake("X5", advice="Memory is the encoder's output: you give the decoder what the encoder reads.")
def embeddings_as_memory(self, source, target):
    memory = self.positions(self.source_embedding(source))
    return self.decode(target, memory, past(target), padding(source))


@mistake(
    "X17",
    advice="Every decoder layer reads the output of the last encoder layer; yours reads the encoder "
    "layer of "
    "its own number.",
)
def layer_by_layer(self, source, target):
    memory, x = (
        self.positions(self.source_embedding(source)),
        self.positions(self.target_embedding(target)),
    )
    for encoder, decoder in zip(self.encoder, self.decoder, strict=True):
        memory = encoder(memory, padding(source))
        x = decoder(x, memory, past(target), padding(source))
    return self.output(x)


@mistake(
    "X18",
    advice="Each layer starts from the embeddings again, so only the last one counts: feed it what the layer "
    "before gave, `x = layer(x, ...)`.",
)
def not_chained(self, source, target):
    embedded = self.positions(self.source_embedding(source))
    for layer in self.encoder:
        memory = layer(embedded, padding(source))
    embedded = self.positions(self.target_embedding(target))
    for layer in self.decoder:
        x = layer(embedded, memory, past(target), padding(source))
    return self.output(x)


@mistake(
    "X28",
    advice="The decoder runs inside the encoder's loop, on half-made memory: let all encoder layers finish "
    "first.",
)
def nested(self, source, target):
    memory, x = (
        self.positions(self.source_embedding(source)),
        self.positions(self.target_embedding(target)),
    )
    for encoder in self.encoder:
        memory = encoder(memory, padding(source))
        for decoder in self.decoder:
            x = decoder(x, memory, past(target), padding(source))
    return self.output(x)


@change(
    "X6",
    advice="`[layer] * layers` is one layer under many names. Make each one: `EncoderLayer(...) for _ in "
    "range(layers)`.",
)
def one_layer_repeated(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
    self.encoder = nn.ModuleList([EncoderReference(d_model, heads, d_ff)] * layers)
    self.decoder = nn.ModuleList([DecoderReference(d_model, heads, d_ff)] * layers)


@change(
    "X7",
    advice="`copy.deepcopy` copies the numbers too: call EncoderLayer(...) once for every layer.",
)
def deep_copies(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
    encoder, decoder = EncoderReference(d_model, heads, d_ff), DecoderReference(d_model, heads, d_ff)
    self.encoder = nn.ModuleList(copy.deepcopy(encoder) for _ in range(layers))
    self.decoder = nn.ModuleList(copy.deepcopy(decoder) for _ in range(layers))


@change(
    "X19",
    advice="A Python list hides its layers from PyTorch: their weights are no parameters and would never "
    "train. "
    "Use nn.ModuleList.",
)
def python_lists(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
    del self.encoder, self.decoder
    self.encoder = [EncoderReference(d_model, heads, d_ff) for _ in range(layers)]
    self.decoder = [DecoderReference(d_model, heads, d_ff) for _ in range(layers)]


@change("X20", advice="One layer a stack: `layers` of each are asked for.")
def one_layer(self, *_):
    self.encoder, self.decoder = self.encoder[:1], self.decoder[:1]


# Masks


@mistake("C7", advice="The target's future is not hidden: the decoder layers need `decoder_mask(target)`.")
def no_target_mask(self, source, target):
    return self.decode(target, self.encode(source, padding(source)), None, padding(source))


@mistake(
    "C8", advice="A causal mask in the encoder: the source may be read both ways. Use `padding_mask(source)`."
)
def causal_encoder(self, source, target):
    memory = self.encode(source, past(source))
    return self.decode(target, memory, past(target), padding(source))


@mistake("P9", advice="The encoder reads padding: its layers need `padding_mask(source)`.")
def no_encoder_mask(self, source, target):
    return self.decode(target, self.encode(source), past(target), padding(source))


@mistake("P7", advice="The decoder reads the source's padding: cross-attention needs `padding_mask(source)`.")
def no_memory_mask(self, source, target):
    return self.decode(target, self.encode(source, padding(source)), past(target))


@mistake(
    "P9",
    "P7",
    advice="The source's padding is read, by the encoder and by the decoder: `padding_mask(source)`.",
)
def no_source_masks(self, source, target):
    return self.decode(target, self.encode(source), past(target))


@mistake(
    "P8",
    advice="Cross-attention got a mask made of the target. Its keys are source words: "
    "`padding_mask(source)`.",
)
def target_mask_for_memory(self, source, target):
    return self.decode(target, self.encode(source, padding(source)), past(target), past(target))


@mistake(
    "P8",
    advice="A decoder layer takes x, memory, the target's mask, the source's mask, in this order: yours are "
    "swapped.",
)
def decoder_masks_swapped(self, source, target):
    return self.decode(target, self.encode(source, padding(source)), padding(source), past(target))


# The end


@mistake(
    "T14",
    advice="Return the logits: no softmax. The loss of lesson 07 has it inside, and twice would flatten its "
    "gradient.",
)
def softmax_at_the_end(self, source, target):
    return torch.softmax(Reference.forward(self, source, target), dim=-1)


@mistake("T15", advice="Return the logits as they are: the loss of lesson 07 takes the log_softmax itself.")
def log_softmax_at_the_end(self, source, target):
    return torch.log_softmax(Reference.forward(self, source, target), dim=-1)


@mistake(
    "T3",
    advice="Give a row for every target word. Who calls the model has cut off the last word already.",
)
def shifted_inside(self, source, target):
    return Reference.forward(self, source, target[:, :-1])


@mistake(
    "X21",
    advice="The output layer is missing: x has d_model numbers a word, logits have one a vocabulary word.",
)
def no_output_layer(self, source, target):
    self.output = nn.Identity()
    return Reference.forward(self, source, target)


@mistake(
    "X21",
    advice="Return the logits of all words, not the best word: the loss needs them, and `argmax` has no "
    "gradient.",
)
def best_words(self, source, target):
    return Reference.forward(self, source, target).argmax(dim=-1)


@mistake("X21", advice="Give a row for every target word: in training all of them are graded at once.")
def last_row(self, source, target):
    return Reference.forward(self, source, target)[:, -1]
