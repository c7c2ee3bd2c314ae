"""What learners write for Transformer when its tables of words and positions go wrong."""

from torch import nn

from course_lib.checks.encoder_decoder.masks import padding
from course_lib.checks.encoder_decoder.mistakes_in_transformer import change, mistake, past
from course_lib.checks.encoder_decoder.transformer import Reference

# Tying


@change(
    "E9",
    advice="Same numbers, two Parameters: gradients and optimizer see them apart. Assign the Parameter "
    "itself: "
    "`self.output.weight = self.target_embedding.weight`.",
)
def data_shared(self, source_vocab, target_vocab, d_model, *_):
    self.output = nn.Linear(d_model, target_vocab, bias=False)
    self.output.weight.data = self.target_embedding.weight.data


@change(
    "E10",
    advice="A copy is tied only until the first training step. Assign the Parameter itself: "
    "`self.output.weight = self.target_embedding.weight`.",
)
def copied(self, source_vocab, target_vocab, d_model, *_):
    self.output = nn.Linear(d_model, target_vocab, bias=False)
    self.output.weight = nn.Parameter(self.target_embedding.weight.detach().clone())


@change(
    "E12",
    advice="Nothing is tied: the output layer has a table of its own. Assign the embedding's Parameter to "
    "it: "
    "`self.output.weight = self.target_embedding.weight`.",
)
def untied(self, source_vocab, target_vocab, d_model, *_):
    self.output = nn.Linear(d_model, target_vocab, bias=False)


@change(
    "E11",
    advice="nn.Linear stores its weight as (out, in) = (vocab, d_model), as the embedding does: no "
    "transpose.",
)
def transposed(self, *_):
    self.output.weight = nn.Parameter(self.target_embedding.weight.T.clone())


@change(
    "E13",
    advice="The output writes target words, so its table is the target embedding's. Source and target "
    "can "
    "share a table only where they share a vocabulary.",
)
def tied_to_the_source(self, *_):
    self.output.weight = self.source_embedding.weight


@change(
    "E13",
    advice="The source embedding has the target's table, or its size. Each language has its own vocabulary "
    "here, "
    "so `TokenEmbedding(source_vocab, d_model)`, tied to nothing. (The paper shares one vocabulary.)",
)
def all_tied(self, *_):
    self.source_embedding.weight = self.target_embedding.weight


@change(
    "E15",
    advice="The output layer has a bias: `bias=False`, so that it is the embedding's table and no more.",
)
def output_bias(self, source_vocab, target_vocab, d_model, *_):
    self.output = nn.Linear(d_model, target_vocab)
    self.output.weight = self.target_embedding.weight


# Embeddings and positions


@change(
    "E1",
    advice="nn.Embedding looks the vectors up; TokenEmbedding, of lesson 01, multiplies them by √d_model "
    "too. "
    "Otherwise positions drown the words.",
)
def unscaled(self, source_vocab, target_vocab, d_model, *_):
    self.source_embedding = nn.Embedding(source_vocab, d_model)
    self.target_embedding = nn.Embedding(target_vocab, d_model)
    self.output.weight = self.target_embedding.weight


@mistake(
    "E14", advice="Source words are looked up in the target's table: each language has its own embedding."
)
def one_table_for_both(self, source, target):
    memory = self.positions(self.target_embedding(source))
    for layer in self.encoder:
        memory = layer(memory, padding(source))
    return self.decode(target, memory, past(target), padding(source))


@mistake("O19", advice="No positions anywhere: the model cannot tell the order of the words.")
def no_positions(self, source, target):
    self.positions = nn.Identity()
    return Reference.forward(self, source, target)


@mistake("O19", advice="The target has no positions: `self.positions(...)` goes around both embeddings.")
def no_target_positions(self, source, target):
    memory, self.positions = self.encode(source, padding(source)), nn.Identity()
    return self.decode(target, memory, past(target), padding(source))


@mistake("O19", advice="The source has no positions: `self.positions(...)` goes around both embeddings.")
def no_source_positions(self, source, target):
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


@mistake("E3", advice="√d_model twice: TokenEmbedding multiplies by it already.")
def scaled_twice(self, source, target):
    root = self.output.in_features**0.5
    return embedded(self, source, target, lambda x: self.positions(x * root))


@mistake("O20", advice="`self.positions(x)` gives x with its positions: do not add it to x once more.")
def added_again(self, source, target):
    return embedded(self, source, target, lambda x: x + self.positions(x))


@mistake("O21", advice="Positions are added once, before the first layer: not again in every layer.")
def positions_in_every_layer(self, source, target):
    memory, x = self.source_embedding(source), self.target_embedding(target)
    for layer in self.encoder:
        memory = layer(self.positions(memory), padding(source))
    for layer in self.decoder:
        x = layer(self.positions(x), memory, past(target), padding(source))
    return self.output(x)


@change(
    "L12",
    advice="No norm after the stacks: the last post-norm layer ends with one already. (Pre-norm needs it.)",
)
def final_norm(self, source_vocab, target_vocab, d_model, *_):
    self.norm = nn.LayerNorm(d_model)
