"""Wrong answers to TokenEmbedding: name, advice, code."""

import torch
from torch import nn

from course_lib.checks.exercise import Mistakes

mistake = Mistakes()


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


@mistake("E1")
class NoFactor(Embedding):
    """You look the vectors up; the paper also multiplies them by √d_model, before positions come."""

    def forward(self, ids):
        return self.table(ids)


@mistake("E2")
class DividedByFactor(Embedding):
    """Dividing is for attention scores. Embeddings are multiplied by √d_model."""

    def forward(self, ids):
        return self.table(ids) / self.table.embedding_dim**0.5


@mistake
class NoRoot(Embedding):
    """The factor is the square root of d_model, not d_model."""

    def forward(self, ids):
        return self.table(ids) * self.table.embedding_dim


@mistake
class RootOfVocabulary(Embedding):
    """The factor comes from the width of the vectors, d_model, not from the number of words."""

    def forward(self, ids):
        return self.table(ids) * self.table.num_embeddings**0.5


@mistake("E6")
class PaddingOverwritten(Embedding):
    """Drawing the table anew overwrote the padding row that nn.Embedding had set to 0, and without a gradient
    it never returns. Set it to 0 after.
    """

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=d_model**-0.5)


@mistake
class PaddingLearns(Embedding):
    """The row of padding learns like that of a word. Tell the table which it is: `padding_idx=pad`."""

    def __init__(self, vocab, d_model, pad=0):
        super().__init__(vocab, d_model, pad)
        self.table.padding_idx = None


@mistake
class PaddingIsAWord(PaddingLearns):
    """Padding is a word like any other here: `padding_idx=pad` is missing."""

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=d_model**-0.5)


@mistake("E7")
class PaddingFixed(Embedding):
    """You fixed the padding row at 0, but the argument `pad` names another: a real word never learns."""

    def __init__(self, vocab, d_model, pad=0):
        super().__init__(vocab, d_model, pad=0)


@mistake("E7")
class PaddingFixedAtOne(Embedding):
    """You fixed the padding row at 1, but the argument `pad` names another: a real word never learns."""

    def __init__(self, vocab, d_model, pad=0):
        super().__init__(vocab, d_model, pad=1)


@mistake
class DefaultSpread(Embedding):
    """`nn.Embedding` draws entries of size 1; times √d_model they would drown the positions. Draw them anew
    with `std=d_model**-0.5`.
    """

    def fill(self, d_model, pad):
        pass


@mistake
class VarianceAsSpread(Embedding):
    """`std` is the spread, not its square: 1/√d_model is `d_model**-0.5`."""

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=1 / d_model)
        nn.init.zeros_(self.table.weight[pad])


@mistake
class Xavier(Embedding):
    """Xavier's spread is made for layers that sum over all their inputs; a look-up takes one row, so the
    spread must not depend on the number of words.
    """

    def fill(self, d_model, pad):
        nn.init.xavier_uniform_(self.table.weight)
        nn.init.zeros_(self.table.weight[pad])


@mistake
class Frozen(Embedding):
    """This table is frozen and never learns: `from_pretrained` needs `freeze=False`, `nn.Parameter` takes no
    `requires_grad=False`.
    """

    def fill(self, d_model, pad):
        super().fill(d_model, pad)
        self.table.weight.requires_grad_(False)


@mistake
class PlainTensor(nn.Module):
    """No optimizer finds your table. It must be in `self`, and an `nn.Embedding` or `nn.Parameter`: a plain
    tensor or a local name is not.
    """

    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.table = torch.randn(vocab, d_model) * d_model**-0.5
        self.table[pad] = 0

    def forward(self, ids):
        return self.table[ids] * self.table.shape[1] ** 0.5


@mistake
class LinearLayer(nn.Module):
    """`nn.Linear` multiplies vectors; ids look rows up: `nn.Embedding(vocab, d_model)`."""

    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.table = nn.Linear(vocab, d_model)

    def forward(self, ids):
        return self.table(ids) * self.table.out_features**0.5


@mistake
class SwappedSizes(nn.Module):
    """One row for each word: `nn.Embedding(vocab, d_model)`, in this order."""

    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.table = nn.Embedding(d_model, vocab)

    def forward(self, ids):
        return self.table(ids) * self.table.embedding_dim**0.5


@mistake
class HalfOfWidth(Embedding):
    """`**` comes before `/`: `d_model**1/2` is d_model / 2. Use math.sqrt."""

    def forward(self, ids):
        return self.table(ids) * self.table.embedding_dim**1 / 2


@mistake
class RootOfLength(Embedding):
    """The last axis of `ids` is the length of the sentence; the factor is the root of d_model."""

    def forward(self, ids):
        return self.table(ids) * ids.shape[-1] ** 0.5


@mistake
class SpreadAsMean(Embedding):
    """The second argument of `normal_` is the mean. Name the spread: `std=d_model**-0.5`."""

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, d_model**-0.5)
        nn.init.zeros_(self.table.weight[pad])


@mistake
class RootAsSpread(Embedding):
    """The entries begin with 1/√d_model, not with √d_model: mind the minus."""

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=d_model**0.5)
        nn.init.zeros_(self.table.weight[pad])


@mistake
class AllZero(Embedding):
    """The whole table is 0, and all words are alike: only its row `pad` should be."""

    def fill(self, d_model, pad):
        nn.init.zeros_(self.table.weight)


@mistake
class ChangedWatched(Embedding):
    """Autograd watches the table. Change it unwatched, by `nn.init.zeros_(self.table.weight[pad])` or inside
    `with torch.no_grad():`.
    """

    def fill(self, d_model, pad):
        self.table.weight[pad] = 0


@mistake
class AssignedTensor(Embedding):
    """A new parameter must be an `nn.Parameter`; or change the old one, by
    `nn.init.normal_(self.table.weight, std=...)`.
    """

    def fill(self, d_model, pad):
        self.table.weight = self.table.weight / d_model**0.5
