"""Wrong answers to Transformer: name, advice, code."""

import torch
from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.encoder_decoder.DecoderLayer import DecoderReference
from course_lib.exercises.encoder_decoder.EncoderLayer import EncoderReference
from course_lib.exercises.encoder_decoder.parts import (
    PositionalEncoding,
    TokenEmbedding,
    causal,
    of_forward,
    padding,
    with_sources,
)
from course_lib.exercises.encoder_decoder.Transformer import Model, Reference

mistake = Mistakes()


def past(target):
    return padding(target) & causal(target.shape[1])


wrong_forward = of_forward(mistake, Model)


@with_sources
def wrong_init(alter, *sources):
    """Decorator: a wrong model, by what is done at the end of its `__init__`."""

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        Model.__init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers)
        alter(self, source_vocab, target_vocab, d_model, heads, d_ff, layers)

    members = {"__init__": __init__, "__module__": __name__, "__doc__": alter.__doc__}
    mistake(*sources)(type(alter.__name__, (Reference,), members))
    return alter


# Stacks


@wrong_forward("X5")
def embeddings_as_memory(self, source, target):
    """You give the decoder what the encoder reads. Memory is the output of the encoder."""
    memory = self.positions(self.source_embedding(source))
    return self.decode(target, memory, past(target), padding(source))


@wrong_forward("X17")
def layer_by_layer(self, source, target):
    """Your decoder layers read the encoder layer of their own number. Every decoder layer reads the output of
    the last encoder layer.
    """
    memory, x = (
        self.positions(self.source_embedding(source)),
        self.positions(self.target_embedding(target)),
    )
    for encoder, decoder in zip(self.encoder, self.decoder, strict=True):
        memory = encoder(memory, padding(source))
        x = decoder(x, memory, past(target), padding(source))
    return self.output(x)


@wrong_forward
def encoder_not_chained(self, source, target):
    """Each of your encoder layers starts from the embeddings again, so only the last one counts. Give each
    layer the result of the layer before.
    """
    embedded = self.positions(self.source_embedding(source))
    for layer in self.encoder:
        memory = layer(embedded, padding(source))
    return self.decode(target, memory, past(target), padding(source))


@wrong_forward
def decoder_not_chained(self, source, target):
    """Each of your decoder layers starts from the embeddings again, so only the last one counts. Give each
    layer the result of the layer before.
    """
    memory, embedded = self.encode(source, padding(source)), self.positions(self.target_embedding(target))
    for layer in self.decoder:
        x = layer(embedded, memory, past(target), padding(source))
    return self.output(x)


@wrong_forward
def decoder_thrown_away(self, source, target):
    """Your decoder layers have no effect. Keep the result of each layer, `x = layer(x, ...)`, and give the
    last x to the output layer.
    """
    memory, x = self.encode(source, padding(source)), self.positions(self.target_embedding(target))
    for layer in self.decoder:
        layer(x, memory, past(target), padding(source))
    return self.output(x)


@mistake(mentions=r"self\.(en|de)coder\(")
class CallsTheList(Model):
    """A ModuleList is a list and cannot be called. Loop over its layers: `for layer in self.encoder`."""

    def forward(self, source, target):
        memory = self.encoder(self.positions(self.source_embedding(source)), padding(source))
        return self.decode(target, memory, past(target), padding(source))


@wrong_forward
def not_chained(self, source, target):
    """Each layer starts from the embeddings again, so only the last one counts. Give each layer the result of
    the layer before: `x = layer(x, ...)`.
    """
    embedded = self.positions(self.source_embedding(source))
    for layer in self.encoder:
        memory = layer(embedded, padding(source))
    embedded = self.positions(self.target_embedding(target))
    for layer in self.decoder:
        x = layer(embedded, memory, past(target), padding(source))
    return self.output(x)


@wrong_forward
def nested(self, source, target):
    """The decoder runs inside the encoder's loop, before the memory is finished. Let all encoder layers
    finish first.
    """
    memory, x = (
        self.positions(self.source_embedding(source)),
        self.positions(self.target_embedding(target)),
    )
    for encoder in self.encoder:
        memory = encoder(memory, padding(source))
        for decoder in self.decoder:
            x = decoder(x, memory, past(target), padding(source))
    return self.output(x)


@wrong_init("X6")
def one_layer_repeated(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
    """Your stack repeats one layer, as `[layer] * layers` does. Make each layer anew: `EncoderLayer(...) for
    _ in range(layers)`.
    """
    self.encoder = nn.ModuleList([EncoderReference(d_model, heads, d_ff)] * layers)
    self.decoder = nn.ModuleList([DecoderReference(d_model, heads, d_ff)] * layers)


@mistake(lacks="ModuleList")
class PythonLists(nn.Module):
    """PyTorch does not find layers in a Python list, so their weights are no parameters and would never
    train. Use nn.ModuleList.
    """

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__()
        self.source_embedding = TokenEmbedding(source_vocab, d_model)
        self.target_embedding = TokenEmbedding(target_vocab, d_model)
        self.positions = PositionalEncoding(d_model, 128)
        self.encoder = [EncoderReference(d_model, heads, d_ff) for _ in range(layers)]
        self.decoder = [DecoderReference(d_model, heads, d_ff) for _ in range(layers)]
        self.output = nn.Linear(d_model, target_vocab, bias=False)
        self.output.weight = self.target_embedding.table.weight

    def forward(self, source, target):
        memory, x = map(self.positions, (self.source_embedding(source), self.target_embedding(target)))
        for layer in self.encoder:
            memory = layer(memory, padding(source))
        for layer in self.decoder:
            x = layer(x, memory, past(target), padding(source))
        return self.output(x)


@wrong_init
def one_layer(self, *_):
    """You have one layer in each stack. Make `layers` of each."""
    self.encoder, self.decoder = self.encoder[:1], self.decoder[:1]


# Masks


@wrong_forward("C7")
def no_target_mask(self, source, target):
    """The future of the target is not hidden. The decoder layers need `decoder_mask(target)`."""
    return self.decode(target, self.encode(source, padding(source)), None, padding(source))


@wrong_forward("C8")
def causal_encoder(self, source, target):
    """You use a causal mask in the encoder. A source word may read both sides: use `padding_mask(source)`."""
    memory = self.encode(source, past(source))
    return self.decode(target, memory, past(target), padding(source))


@wrong_forward("P9")
def no_encoder_mask(self, source, target):
    """The encoder reads padding. Its layers need `padding_mask(source)`."""
    return self.decode(target, self.encode(source), past(target), padding(source))


@wrong_forward("P7")
def no_memory_mask(self, source, target):
    """The decoder reads the padding of the source. Cross-attention needs `padding_mask(source)`."""
    return self.decode(target, self.encode(source, padding(source)), past(target))


@wrong_forward("P9", "P7")
def no_source_masks(self, source, target):
    """Encoder and decoder read the padding of the source. Both need `padding_mask(source)`."""
    return self.decode(target, self.encode(source), past(target))


@wrong_forward("P8")
def target_mask_for_memory(self, source, target):
    """Cross-attention got a mask of the target. Its keys are source words, so it needs
    `padding_mask(source)`.
    """
    return self.decode(target, self.encode(source, padding(source)), past(target), past(target))


@wrong_forward("P8")
def target_padding_for_memory(self, source, target):
    """Cross-attention got the padding of the target. Its keys are source words, so it needs
    `padding_mask(source)`.
    """
    return self.decode(target, self.encode(source, padding(source)), past(target), padding(target))


@wrong_forward
def causal_cross_attention(self, source, target):
    """You use a causal mask in cross-attention. Each target word may read the whole source, which is known
    before the first word is written. Hide only its padding: `padding_mask(source)`.
    """
    ahead = torch.ones(target.shape[1], source.shape[1], dtype=torch.bool).tril()
    return self.decode(target, self.encode(source, padding(source)), past(target), padding(source) & ahead)


@wrong_forward
def memory_first(self, source, target):
    """You swapped the first two arguments. A decoder layer takes x first, then memory: x belongs to the
    target, memory to the source.
    """
    memory, x = self.encode(source, padding(source)), self.positions(self.target_embedding(target))
    for layer in self.decoder:
        x = layer(memory, x, past(target), padding(source))
    return self.output(x)


@wrong_forward
def decoder_masks_swapped(self, source, target):
    """You swapped the masks. A decoder layer takes x, memory, the target's mask and the source's mask, in
    this order.
    """
    return self.decode(target, self.encode(source, padding(source)), padding(source), past(target))


# The end


@wrong_forward("T14")
def softmax_at_the_end(self, source, target):
    """You apply a softmax. Return the logits: the loss of lesson 07 contains the softmax, and two of them
    would flatten its gradient.
    """
    return torch.softmax(Reference.forward(self, source, target), dim=-1)


@wrong_forward("T15")
def log_softmax_at_the_end(self, source, target):
    """You apply a log_softmax. Return the logits unchanged: the loss of lesson 07 applies it itself."""
    return torch.log_softmax(Reference.forward(self, source, target), dim=-1)


@wrong_forward("T3")
def shifted_inside(self, source, target):
    """You drop a row of the logits. Give a row for every target word: the caller has removed the last word
    already.
    """
    return Reference.forward(self, source, target[:, :-1])


@wrong_forward
def no_output_layer(self, source, target):
    """The output layer is missing. x has d_model numbers for each word; the logits have one number for each
    word of the vocabulary.
    """
    self.output = nn.Identity()
    return Reference.forward(self, source, target)


@wrong_forward
def best_words(self, source, target):
    """You return only the best word. Return all logits: the loss needs them, and `argmax` has no gradient."""
    return Reference.forward(self, source, target).argmax(dim=-1)


@wrong_forward
def last_row(self, source, target):
    """You return only one row. Give a row for every target word, because training scores all of
    them at once.
    """
    return Reference.forward(self, source, target)[:, -1]


# Tying


@wrong_init("E9")
def data_shared(self, source_vocab, target_vocab, d_model, *_):
    """You share the numbers but have two Parameters, so the optimizer treats them separately. Assign the
    Parameter itself: `self.output.weight = self.target_embedding.table.weight`.
    """
    self.output = nn.Linear(d_model, target_vocab, bias=False)
    self.output.weight.data = self.target_embedding.table.weight.data


@wrong_init
def copied(self, source_vocab, target_vocab, d_model, *_):
    """You copy the table, so the two are equal only until the first training step. Assign the Parameter
    itself: `self.output.weight = self.target_embedding.table.weight`.
    """
    self.output = nn.Linear(d_model, target_vocab, bias=False)
    self.output.weight = nn.Parameter(self.target_embedding.table.weight.detach().clone())


@wrong_init("E12")
def untied(self, source_vocab, target_vocab, d_model, *_):
    """Your output layer has its own table, so nothing is tied. Assign the embedding's Parameter to it:
    `self.output.weight = self.target_embedding.table.weight`.
    """
    self.output = nn.Linear(d_model, target_vocab, bias=False)


@mistake(mentions=r"weight = self\.target_embedding(?!\.)")
class TiedToAModule(Reference):
    """`self.target_embedding` is a whole module. Its Parameter is `self.target_embedding.table.weight`."""

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__(source_vocab, target_vocab, d_model, heads, d_ff, layers)
        self.output.weight = self.target_embedding


@mistake(mentions=r"self\.output = self\.target_embedding")
class TableAsOutput(Reference):
    """`output` must be a linear layer, `nn.Linear(d_model, target_vocab, bias=False)`. Then tie its weight:
    `self.output.weight = self.target_embedding.table.weight`.
    """

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__(source_vocab, target_vocab, d_model, heads, d_ff, layers)
        del self.output
        self.output = self.target_embedding.table.weight


@mistake("E11", mentions=r"\.T\b|\.mT\b|transpose|\.t\(\)")
class Transposed(Reference):
    """nn.Linear stores its weight as (out, in) = (vocab, d_model), as the embedding does. Do not transpose
    it.
    """

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__(source_vocab, target_vocab, d_model, heads, d_ff, layers)
        self.output.weight = nn.Parameter(self.target_embedding.table.weight.T.clone())


@mistake("E13", mentions=r"self\.source_embedding\.table")
class TiedToTheSource(Reference):
    """You tie the output to the source embedding. The output predicts target words, so tie it to the target
    embedding.
    """

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__(source_vocab, target_vocab, d_model, heads, d_ff, layers)
        self.output.weight = self.source_embedding.table.weight


@wrong_init("E13")
def all_tied(self, *_):
    """Your source embedding has the target's table, or its size. Each language has its own vocabulary here:
    make `TokenEmbedding(source_vocab, d_model)`, and do not tie it. (The paper shares one vocabulary.)
    """
    self.source_embedding.table.weight = self.target_embedding.table.weight


@wrong_init
def output_bias(self, source_vocab, target_vocab, d_model, *_):
    """Your output layer has a bias. Use `bias=False`, so that it has only the table of the embedding."""
    self.output = nn.Linear(d_model, target_vocab)
    self.output.weight = self.target_embedding.table.weight


# Embeddings and positions


@mistake("E1", mentions=r"nn\.Embedding")
class Unscaled(Reference):
    """nn.Embedding only looks the vectors up. TokenEmbedding of lesson 01 also multiplies them by √d_model;
    without this, the positions are too large beside the words.
    """

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__(source_vocab, target_vocab, d_model, heads, d_ff, layers)
        self.source_embedding = nn.Embedding(source_vocab, d_model)
        self.target_embedding = nn.Embedding(target_vocab, d_model)
        self.output.weight = self.target_embedding.table.weight


@wrong_forward
def one_table_for_both(self, source, target):
    """You look up source words in the table of the target. Each language has its own embedding."""
    memory = self.positions(self.target_embedding(source))
    for layer in self.encoder:
        memory = layer(memory, padding(source))
    return self.decode(target, memory, past(target), padding(source))


@mistake(mentions=r"source_embedding\(target\)")
class SourceTableForTarget(Model):
    """You look up target words in the table of the source. Each language has its own embedding."""

    def forward(self, source, target):
        memory, x = self.encode(source, padding(source)), self.positions(self.source_embedding(target))
        for layer in self.decoder:
            x = layer(x, memory, past(target), padding(source))
        return self.output(x)


@mistake(mentions=r"PositionalEncoding\(128")
class LengthFirst(Reference):
    """The arguments are swapped. PositionalEncoding takes d_model first, then max_length:
    `PositionalEncoding(d_model, 128)`.
    """

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__(source_vocab, target_vocab, d_model, heads, d_ff, layers)
        self.positions = PositionalEncoding(128, d_model)


@mistake(mentions="dropout")
class DropoutInPositions(Reference):
    """Dropout changes the numbers at every call. This lesson leaves it out: `PositionalEncoding(d_model,
    128)`, whose `dropout` is 0.
    """

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__(source_vocab, target_vocab, d_model, heads, d_ff, layers)
        self.positions = PositionalEncoding(d_model, 128, dropout=0.1)


@wrong_forward
def no_positions(self, source, target):
    """You add no positions, so the model cannot tell the order of the words."""
    return embedded(self, source, target, lambda x: x)


@wrong_forward
def no_target_positions(self, source, target):
    """The target has no positions. Apply `self.positions(...)` to both embeddings."""
    memory, x = self.encode(source, padding(source)), self.target_embedding(target)
    for layer in self.decoder:
        x = layer(x, memory, past(target), padding(source))
    return self.output(x)


@wrong_forward
def no_source_positions(self, source, target):
    """The source has no positions. Apply `self.positions(...)` to both embeddings."""
    memory = self.source_embedding(source)
    for layer in self.encoder:
        memory = layer(memory, padding(source))
    return self.decode(target, memory, past(target), padding(source))


def embedded(self, source, target, begin):
    """The right model, in which `begin(vectors)` stands for `positions(vectors)`."""
    memory, x = begin(self.source_embedding(source)), begin(self.target_embedding(target))
    for layer in self.encoder:
        memory = layer(memory, padding(source))
    for layer in self.decoder:
        x = layer(x, memory, past(target), padding(source))
    return self.output(x)


@wrong_forward
def scaled_twice(self, source, target):
    """You multiply by √d_model twice. TokenEmbedding does it already."""
    root = self.output.in_features**0.5
    return embedded(self, source, target, lambda x: self.positions(x * root))


@wrong_forward
def scaled_after_positions(self, source, target):
    """You multiply words and positions by √d_model. TokenEmbedding has scaled the words already, and the
    positions are not scaled.
    """
    root = self.output.in_features**0.5
    return embedded(self, source, target, lambda x: self.positions(x) * root)


@wrong_forward
def positions_twice(self, source, target):
    """You add the positions twice. Apply `self.positions(...)` to each embedding once."""
    return embedded(self, source, target, lambda x: self.positions(self.positions(x)))


@wrong_forward
def added_again(self, source, target):
    """`self.positions(x)` gives x with its positions. Do not add it to x again."""
    return embedded(self, source, target, lambda x: x + self.positions(x))


@wrong_forward("O21")
def positions_in_every_layer(self, source, target):
    """You add positions in every layer. Add them once, before the first layer."""
    memory, x = self.source_embedding(source), self.target_embedding(target)
    for layer in self.encoder:
        memory = layer(self.positions(memory), padding(source))
    for layer in self.decoder:
        x = layer(self.positions(x), memory, past(target), padding(source))
    return self.output(x)


@wrong_init
def final_norm(self, source_vocab, target_vocab, d_model, *_):
    """You apply a norm after the stacks. The last post-norm layer ends with one already; only pre-norm needs
    another.
    """
    self.norm = nn.LayerNorm(d_model)
