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
    """Memory is the encoder's output: you give the decoder what the encoder reads."""
    memory = self.positions(self.source_embedding(source))
    return self.decode(target, memory, past(target), padding(source))


@wrong_forward("X17")
def layer_by_layer(self, source, target):
    """Every decoder layer reads the output of the last encoder layer; yours reads the encoder layer of its
    own number.
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
    """Each encoder layer starts from the embeddings again, so only the last one counts: feed it what the
    layer before gave.
    """
    embedded = self.positions(self.source_embedding(source))
    for layer in self.encoder:
        memory = layer(embedded, padding(source))
    return self.decode(target, memory, past(target), padding(source))


@wrong_forward
def decoder_not_chained(self, source, target):
    """Each decoder layer starts from the embeddings again, so only the last one counts: feed it what the
    layer before gave.
    """
    memory, embedded = self.encode(source, padding(source)), self.positions(self.target_embedding(target))
    for layer in self.decoder:
        x = layer(embedded, memory, past(target), padding(source))
    return self.output(x)


@wrong_forward
def decoder_thrown_away(self, source, target):
    """The decoder layers have no effect: what they give must be kept, layer after layer, `x = layer(x, ...)`,
    and the output layer reads the last x.
    """
    memory, x = self.encode(source, padding(source)), self.positions(self.target_embedding(target))
    for layer in self.decoder:
        layer(x, memory, past(target), padding(source))
    return self.output(x)


@mistake(mentions=r"self\.(en|de)coder\(")
class CallsTheList(Model):
    """A ModuleList is a list and cannot be called: go through its layers, `for layer in self.encoder`."""

    def forward(self, source, target):
        memory = self.encoder(self.positions(self.source_embedding(source)), padding(source))
        return self.decode(target, memory, past(target), padding(source))


@wrong_forward
def not_chained(self, source, target):
    """Each layer starts from the embeddings again, so only the last one counts: feed it what the layer before
    gave, `x = layer(x, ...)`.
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
    """The decoder runs inside the encoder's loop, on half-made memory: let all encoder layers
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
    """One layer stands in all places of the stack, under many names (as in `[layer] * layers`). Make each one
    anew: `EncoderLayer(...) for _ in range(layers)`.
    """
    self.encoder = nn.ModuleList([EncoderReference(d_model, heads, d_ff)] * layers)
    self.decoder = nn.ModuleList([DecoderReference(d_model, heads, d_ff)] * layers)


@mistake(lacks="ModuleList")
class PythonLists(nn.Module):
    """A Python list hides its layers from PyTorch: their weights are no parameters and would never train. Use
    nn.ModuleList.
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
    """One layer a stack: `layers` of each are asked for."""
    self.encoder, self.decoder = self.encoder[:1], self.decoder[:1]


# Masks


@wrong_forward("C7")
def no_target_mask(self, source, target):
    """The target's future is not hidden: the decoder layers need `decoder_mask(target)`."""
    return self.decode(target, self.encode(source, padding(source)), None, padding(source))


@wrong_forward("C8")
def causal_encoder(self, source, target):
    """A causal mask in the encoder: the source may be read both ways. Use `padding_mask(source)`."""
    memory = self.encode(source, past(source))
    return self.decode(target, memory, past(target), padding(source))


@wrong_forward("P9")
def no_encoder_mask(self, source, target):
    """The encoder reads padding: its layers need `padding_mask(source)`."""
    return self.decode(target, self.encode(source), past(target), padding(source))


@wrong_forward("P7")
def no_memory_mask(self, source, target):
    """The decoder reads the source's padding: cross-attention needs `padding_mask(source)`."""
    return self.decode(target, self.encode(source, padding(source)), past(target))


@wrong_forward("P9", "P7")
def no_source_masks(self, source, target):
    """The source's padding is read, by the encoder and by the decoder: `padding_mask(source)`."""
    return self.decode(target, self.encode(source), past(target))


@wrong_forward("P8")
def target_mask_for_memory(self, source, target):
    """Cross-attention got a mask made of the target. Its keys are source words: `padding_mask(source)`."""
    return self.decode(target, self.encode(source, padding(source)), past(target), past(target))


@wrong_forward
def causal_cross_attention(self, source, target):
    """A causal mask in the cross-attention: each target word may read the whole source, which is given before
    the first word is written. Only its padding is hidden, `padding_mask(source)`.
    """
    ahead = torch.ones(target.shape[1], source.shape[1], dtype=torch.bool).tril()
    return self.decode(target, self.encode(source, padding(source)), past(target), padding(source) & ahead)


@wrong_forward
def memory_first(self, source, target):
    """A decoder layer takes x first, then memory: x is the target's, memory the source's. Yours are
    swapped.
    """
    memory, x = self.encode(source, padding(source)), self.positions(self.target_embedding(target))
    for layer in self.decoder:
        x = layer(memory, x, past(target), padding(source))
    return self.output(x)


@wrong_forward
def decoder_masks_swapped(self, source, target):
    """A decoder layer takes x, memory, the target's mask, the source's mask, in this order: yours are
    swapped.
    """
    return self.decode(target, self.encode(source, padding(source)), padding(source), past(target))


# The end


@wrong_forward("T14")
def softmax_at_the_end(self, source, target):
    """Return the logits: no softmax. The loss of lesson 07 has it inside, and twice would flatten its
    gradient.
    """
    return torch.softmax(Reference.forward(self, source, target), dim=-1)


@wrong_forward("T15")
def log_softmax_at_the_end(self, source, target):
    """Return the logits as they are: the loss of lesson 07 takes the log_softmax itself."""
    return torch.log_softmax(Reference.forward(self, source, target), dim=-1)


@wrong_forward("T3")
def shifted_inside(self, source, target):
    """Give a row for every target word. Who calls the model has cut off the last word already."""
    return Reference.forward(self, source, target[:, :-1])


@wrong_forward
def no_output_layer(self, source, target):
    """The output layer is missing: x has d_model numbers a word, logits have one a vocabulary word."""
    self.output = nn.Identity()
    return Reference.forward(self, source, target)


@wrong_forward
def best_words(self, source, target):
    """Return the logits of all words, not the best word: the loss needs them, and `argmax` has no
    gradient.
    """
    return Reference.forward(self, source, target).argmax(dim=-1)


@wrong_forward
def last_row(self, source, target):
    """Give a row for every target word: in training all of them are graded at once."""
    return Reference.forward(self, source, target)[:, -1]


# Tying


@wrong_init("E9")
def data_shared(self, source_vocab, target_vocab, d_model, *_):
    """Same numbers, two Parameters: gradients and optimizer see them apart. Assign the Parameter itself:
    `self.output.weight = self.target_embedding.table.weight`.
    """
    self.output = nn.Linear(d_model, target_vocab, bias=False)
    self.output.weight.data = self.target_embedding.table.weight.data


@wrong_init
def copied(self, source_vocab, target_vocab, d_model, *_):
    """A copy is tied only until the first training step. Assign the Parameter itself: `self.output.weight =
    self.target_embedding.table.weight`.
    """
    self.output = nn.Linear(d_model, target_vocab, bias=False)
    self.output.weight = nn.Parameter(self.target_embedding.table.weight.detach().clone())


@wrong_init("E12")
def untied(self, source_vocab, target_vocab, d_model, *_):
    """Nothing is tied: the output layer has a table of its own. Assign the embedding's Parameter to it:
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
    """`output` is a linear layer, `nn.Linear(d_model, target_vocab, bias=False)`. Tie its weight afterwards:
    `self.output.weight = self.target_embedding.table.weight`.
    """

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__(source_vocab, target_vocab, d_model, heads, d_ff, layers)
        del self.output
        self.output = self.target_embedding.table.weight


@mistake("E11", mentions=r"\.T\b|\.mT\b|transpose|\.t\(\)")
class Transposed(Reference):
    """nn.Linear stores its weight as (out, in) = (vocab, d_model), as the embedding does: no transpose."""

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__(source_vocab, target_vocab, d_model, heads, d_ff, layers)
        self.output.weight = nn.Parameter(self.target_embedding.table.weight.T.clone())


@mistake("E13", mentions=r"self\.source_embedding\.table")
class TiedToTheSource(Reference):
    """The output writes target words, so its table is the target embedding's. Source and target can share a
    table only where they share a vocabulary.
    """

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__(source_vocab, target_vocab, d_model, heads, d_ff, layers)
        self.output.weight = self.source_embedding.table.weight


@wrong_init("E13")
def all_tied(self, *_):
    """The source embedding has the target's table, or its size. Each language has its own vocabulary here, so
    `TokenEmbedding(source_vocab, d_model)`, tied to nothing. (The paper shares one vocabulary.)
    """
    self.source_embedding.table.weight = self.target_embedding.table.weight


@wrong_init
def output_bias(self, source_vocab, target_vocab, d_model, *_):
    """The output layer has a bias: `bias=False`, so that it is the embedding's table and no more."""
    self.output = nn.Linear(d_model, target_vocab)
    self.output.weight = self.target_embedding.table.weight


# Embeddings and positions


@mistake("E1", mentions=r"nn\.Embedding")
class Unscaled(Reference):
    """nn.Embedding looks the vectors up; TokenEmbedding, of lesson 01, multiplies them by √d_model too.
    Otherwise positions drown the words.
    """

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__(source_vocab, target_vocab, d_model, heads, d_ff, layers)
        self.source_embedding = nn.Embedding(source_vocab, d_model)
        self.target_embedding = nn.Embedding(target_vocab, d_model)
        self.output.weight = self.target_embedding.table.weight


@wrong_forward
def one_table_for_both(self, source, target):
    """Source words are looked up in the target's table: each language has its own embedding."""
    memory = self.positions(self.target_embedding(source))
    for layer in self.encoder:
        memory = layer(memory, padding(source))
    return self.decode(target, memory, past(target), padding(source))


@mistake(mentions=r"source_embedding\(target\)")
class SourceTableForTarget(Model):
    """Target words are looked up in the source's table: each language has its own embedding."""

    def forward(self, source, target):
        memory, x = self.encode(source, padding(source)), self.positions(self.source_embedding(target))
        for layer in self.decoder:
            x = layer(x, memory, past(target), padding(source))
        return self.output(x)


@mistake(mentions=r"PositionalEncoding\(128")
class LengthFirst(Reference):
    """PositionalEncoding takes d_model first, then max_length: `PositionalEncoding(d_model, 128)`."""

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__(source_vocab, target_vocab, d_model, heads, d_ff, layers)
        self.positions = PositionalEncoding(128, d_model)


@mistake(mentions="dropout")
class DropoutInPositions(Reference):
    """Dropout changes the numbers at every call. It is left out in this lesson: `PositionalEncoding(d_model,
    128)`, whose `dropout` is 0.
    """

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__(source_vocab, target_vocab, d_model, heads, d_ff, layers)
        self.positions = PositionalEncoding(d_model, 128, dropout=0.1)


@wrong_forward
def no_positions(self, source, target):
    """No positions anywhere: the model cannot tell the order of the words."""
    return embedded(self, source, target, lambda x: x)


@wrong_forward
def no_target_positions(self, source, target):
    """The target has no positions: `self.positions(...)` goes around both embeddings."""
    memory, x = self.encode(source, padding(source)), self.target_embedding(target)
    for layer in self.decoder:
        x = layer(x, memory, past(target), padding(source))
    return self.output(x)


@wrong_forward
def no_source_positions(self, source, target):
    """The source has no positions: `self.positions(...)` goes around both embeddings."""
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
    """√d_model twice: TokenEmbedding multiplies by it already."""
    root = self.output.in_features**0.5
    return embedded(self, source, target, lambda x: self.positions(x * root))


@wrong_forward
def scaled_after_positions(self, source, target):
    """√d_model multiplies words and positions: TokenEmbedding multiplies the words by it already, and the
    positions stay as they are.
    """
    root = self.output.in_features**0.5
    return embedded(self, source, target, lambda x: self.positions(x) * root)


@wrong_forward
def positions_twice(self, source, target):
    """Positions are added twice: `self.positions(...)` goes around each embedding once."""
    return embedded(self, source, target, lambda x: self.positions(self.positions(x)))


@wrong_forward
def added_again(self, source, target):
    """`self.positions(x)` gives x with its positions: do not add it to x once more."""
    return embedded(self, source, target, lambda x: x + self.positions(x))


@wrong_forward("O21")
def positions_in_every_layer(self, source, target):
    """Positions are added once, before the first layer: not again in every layer."""
    memory, x = self.source_embedding(source), self.target_embedding(target)
    for layer in self.encoder:
        memory = layer(self.positions(memory), padding(source))
    for layer in self.decoder:
        x = layer(self.positions(x), memory, past(target), padding(source))
    return self.output(x)


@wrong_init
def final_norm(self, source_vocab, target_vocab, d_model, *_):
    """No norm after the stacks: the last post-norm layer ends with one already. (Pre-norm needs it.)"""
    self.norm = nn.LayerNorm(d_model)
