"""What goes wrong in TokenEmbedding: its factor, its first entries, its row of padding, the table itself."""

import torch
from torch import nn

from course_lib.checks.embedding.token_embedding import TokenEmbedding


class Embedding(nn.Module):
    """A right answer to be spoiled: its table, its factor, its padding."""

    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.table = nn.Embedding(vocab, d_model, padding_idx=pad)
        self.fill(d_model, pad)

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=d_model**-0.5)
        nn.init.zeros_(self.table.weight[pad])

    def forward(self, ids):
        return self.table(ids) * self.table.embedding_dim**0.5


@TokenEmbedding.mistake(
    "E1", advice="You look the vectors up; the paper also multiplies them by √d_model, before positions come."
)
class NoFactor(Embedding):
    def forward(self, ids):
        return self.table(ids)


@TokenEmbedding.mistake(
    "E2", advice="Dividing is for attention scores. Embeddings are multiplied by √d_model."
)
class DividedByFactor(Embedding):
    def forward(self, ids):
        return self.table(ids) / self.table.embedding_dim**0.5


@TokenEmbedding.mistake("E40", advice="The factor is the square root of d_model, not d_model.")
class NoRoot(Embedding):
    def forward(self, ids):
        return self.table(ids) * self.table.embedding_dim


@TokenEmbedding.mistake(
    "E41", advice="The factor comes from the width of the vectors, d_model, not from the number of words."
)
class RootOfVocabulary(Embedding):
    def forward(self, ids):
        return self.table(ids) * self.table.num_embeddings**0.5


@TokenEmbedding.mistake(
    "E6",
    advice="Drawing the table anew overwrote the padding row that nn.Embedding had set to 0, and without a "
    "gradient it never returns. Set it to 0 after.",
)
class PaddingOverwritten(Embedding):
    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=d_model**-0.5)


@TokenEmbedding.mistake(
    "E42",
    advice="The row of padding learns like that of a word. Tell the table which it is: `padding_idx=pad`.",
)
class PaddingLearns(Embedding):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__(vocab, d_model, pad)
        self.table.padding_idx = None


@TokenEmbedding.mistake("E43", advice="Padding is a word like any other here: `padding_idx=pad` is missing.")
class PaddingIsAWord(PaddingLearns):
    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=d_model**-0.5)


@TokenEmbedding.mistake(
    "E7",
    advice="You fixed the padding row at 0, but the argument `pad` names another: a real word never learns.",
)
class PaddingFixed(Embedding):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__(vocab, d_model, pad=0)


@TokenEmbedding.mistake(
    "E7",
    advice="You fixed the padding row at 1, but the argument `pad` names another: a real word never learns.",
)
class PaddingFixedAtOne(Embedding):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__(vocab, d_model, pad=1)


@TokenEmbedding.mistake(
    "E44",
    advice="`nn.Embedding` draws entries of size 1; times √d_model they would drown the positions. Draw them "
    "anew with `std=d_model**-0.5`.",
)
class DefaultSpread(Embedding):
    def fill(self, d_model, pad):
        pass


@TokenEmbedding.mistake("E45", advice="`std` is the spread, not its square: 1/√d_model is `d_model**-0.5`.")
class VarianceAsSpread(Embedding):
    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=1 / d_model)
        nn.init.zeros_(self.table.weight[pad])


@TokenEmbedding.mistake(
    "E46",
    advice="Xavier's spread is made for layers that sum over all their inputs; a look-up takes one row, so "
    "the spread must not depend on the number of words.",
)
class Xavier(Embedding):
    def fill(self, d_model, pad):
        nn.init.xavier_uniform_(self.table.weight)
        nn.init.zeros_(self.table.weight[pad])


@TokenEmbedding.mistake(
    "E47",
    advice="This table is frozen and never learns: `from_pretrained` needs `freeze=False`, `nn.Parameter` "
    "takes no `requires_grad=False`.",
)
class Frozen(Embedding):
    def fill(self, d_model, pad):
        super().fill(d_model, pad)
        self.table.weight.requires_grad_(False)


@TokenEmbedding.mistake(
    "E48",
    advice="No optimizer finds your table. It must be in `self`, and an `nn.Embedding` or `nn.Parameter`: a "
    "plain tensor or a local name is not.",
)
class PlainTensor(nn.Module):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.table = torch.randn(vocab, d_model) * d_model**-0.5
        self.table[pad] = 0

    def forward(self, ids):
        return self.table[ids] * self.table.shape[1] ** 0.5


@TokenEmbedding.mistake(
    "E49", advice="`nn.Linear` multiplies vectors; ids look rows up: `nn.Embedding(vocab, d_model)`."
)
class LinearLayer(nn.Module):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.table = nn.Linear(vocab, d_model)

    def forward(self, ids):
        return self.table(ids) * self.table.out_features**0.5


@TokenEmbedding.mistake("E50", advice="One row for each word: `nn.Embedding(vocab, d_model)`, in this order.")
class SwappedSizes(nn.Module):
    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.table = nn.Embedding(d_model, vocab)

    def forward(self, ids):
        return self.table(ids) * self.table.embedding_dim**0.5


@TokenEmbedding.mistake("E51", advice="`**` comes before `/`: `d_model**1/2` is d_model / 2. Use math.sqrt.")
class HalfOfWidth(Embedding):
    def forward(self, ids):
        return self.table(ids) * self.table.embedding_dim**1 / 2


@TokenEmbedding.mistake(
    "E41", advice="The last axis of `ids` is the length of the sentence; the factor is the root of d_model."
)
class RootOfLength(Embedding):
    def forward(self, ids):
        return self.table(ids) * ids.shape[-1] ** 0.5


@TokenEmbedding.mistake(
    "E52", advice="The second argument of `normal_` is the mean. Name the spread: `std=d_model**-0.5`."
)
class SpreadAsMean(Embedding):
    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, d_model**-0.5)
        nn.init.zeros_(self.table.weight[pad])


@TokenEmbedding.mistake("E45", advice="The entries begin with 1/√d_model, not with √d_model: mind the minus.")
class RootAsSpread(Embedding):
    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=d_model**0.5)
        nn.init.zeros_(self.table.weight[pad])


@TokenEmbedding.mistake(
    "E53", advice="The whole table is 0, and all words are alike: only its row `pad` should be."
)
class AllZero(Embedding):
    def fill(self, d_model, pad):
        nn.init.zeros_(self.table.weight)


@TokenEmbedding.mistake(
    "E54",
    advice="Autograd watches the table. Change it unwatched, by `nn.init.zeros_(self.table.weight[pad])` or "
    "inside `with torch.no_grad():`.",
)
class ChangedWatched(Embedding):
    def fill(self, d_model, pad):
        self.table.weight[pad] = 0


@TokenEmbedding.mistake(
    "E55",
    advice="A new parameter must be an `nn.Parameter`; or change the old one, by "
    "`nn.init.normal_(self.table.weight, std=...)`.",
)
class AssignedTensor(Embedding):
    def fill(self, d_model, pad):
        self.table.weight = self.table.weight / d_model**0.5
