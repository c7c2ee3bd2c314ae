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


@mistake
class ScaledTable(Embedding):
    """The vectors begin at the right size, but the table does not. Its entries begin with 1/√d_model, and
    `forward` multiplies what it looks up by √d_model.
    """

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight)
        nn.init.zeros_(self.table.weight[pad])

    def forward(self, ids):
        return self.table(ids)


@mistake(mentions=r"\*=|mul_|copy_|data")
class ScaledAtEachCall(Embedding):
    """You multiply the table itself, so that it grows with each call. Multiply what you look up: a new
    tensor.
    """

    def forward(self, ids):
        self.table.weight.data *= self.table.embedding_dim**0.5
        return self.table(ids)


@mistake
class NoRoot(Embedding):
    """You multiply by d_model. The factor is its square root, and only once."""

    def forward(self, ids):
        return self.table(ids) * self.table.embedding_dim


@mistake
class FirstTable(Embedding):
    """You keep the product of the first call, but the table changes with each step of training. Look up and
    multiply in every call.
    """

    scaled = None

    def forward(self, ids):
        if self.scaled is None:
            self.scaled = self.table.weight * self.table.embedding_dim**0.5
        return self.scaled[ids]


@mistake("E2")
class DividedByFactor(Embedding):
    """Dividing is for attention scores. Embeddings are multiplied by √d_model."""

    def forward(self, ids):
        return self.table(ids) / self.table.embedding_dim**0.5


@mistake
class RootOfVocabulary(Embedding):
    """The factor comes from the width of the vectors, d_model, not from the number of words."""

    def forward(self, ids):
        return self.table(ids) * self.table.num_embeddings**0.5


@mistake("E6")
class PaddingOverwritten(Embedding):
    """The row of padding does not begin as 0, and without a gradient it stays so. A new draw of the table
    draws row `pad` too: set it to 0 after that.
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
    """Padding is a word like any other here: its row begins with numbers, and learns. `padding_idx=pad` keeps
    it from learning; set it to 0 after the draw.
    """

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=d_model**-0.5)


@mistake("E7")
class PaddingFixed(Embedding):
    """You fixed the padding row at 0, but the argument `pad` names another: a real word never learns."""

    def __init__(self, vocab, d_model, pad=0):
        super().__init__(vocab, d_model, pad=0)


@mistake("E7")
class PaddingIndexFixed(Embedding):
    """The gradient is kept from row 0, but the argument `pad` names another row: `padding_idx=pad`."""

    def __init__(self, vocab, d_model, pad=0):
        super().__init__(vocab, d_model, pad)
        self.table.padding_idx = 0


@mistake("E7")
class FirstRowZeroed(Embedding):
    """You set row 0 to 0, but the argument `pad` names another row."""

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=d_model**-0.5)
        nn.init.zeros_(self.table.weight[0])


@mistake("E7")
class PaddingFixedAtOne(Embedding):
    """You fixed the padding row at 1, but the argument `pad` names another: a real word never learns."""

    def __init__(self, vocab, d_model, pad=0):
        super().__init__(vocab, d_model, pad=1)


@mistake(mentions=r"(?m)normal_\([^=,\n]+,[^=,\n]+\)$")
class SpreadAsMean(Embedding):
    """The number after the tensor is the mean of `normal_`. Name the spread: `std=d_model**-0.5`."""

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, d_model**-0.5)
        nn.init.zeros_(self.table.weight[pad])


@mistake
class DefaultSpread(Embedding):
    """Your entries begin with size 1, as `nn.Embedding` draws them; times √d_model they would drown the
    positions. Draw them with `std=d_model**-0.5`.
    """

    def fill(self, d_model, pad):
        pass


@mistake
class VarianceAsSpread(Embedding):
    """Your entries begin with 1/d_model, the square of the spread: 1/√d_model is `d_model**-0.5`."""

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=1 / d_model)
        nn.init.zeros_(self.table.weight[pad])


@mistake(mentions="xavier")
class Xavier(Embedding):
    """Xavier's spread is made for layers that sum over all their inputs; a look-up takes one row, so the
    spread must not depend on the number of words.
    """

    def fill(self, d_model, pad):
        nn.init.xavier_uniform_(self.table.weight)
        nn.init.zeros_(self.table.weight[pad])


@mistake
class Frozen(Embedding):
    """Your table is frozen and never learns: it has `requires_grad` False. (`from_pretrained` freezes a table
    unless it gets `freeze=False`.)
    """

    def fill(self, d_model, pad):
        super().fill(d_model, pad)
        self.table.weight.requires_grad_(False)


@mistake
class PlainTensor(nn.Module):
    """No optimizer finds your table: a plain tensor or a local name is no parameter. Make it
    `self.table = nn.Embedding(...)`.
    """

    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.table = torch.randn(vocab, d_model) * d_model**-0.5
        self.table[pad] = 0

    def forward(self, ids):
        return self.table[ids] * self.table.shape[1] ** 0.5


@mistake(mentions="Linear")
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


@mistake(mentions=r"\*\* 1 / 2")
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


@mistake(mentions="Parameter", lacks="Embedding")
class UnderNoName(nn.Module):
    """It computes the right vectors, from a table of another kind. Lesson 06 shares the table under its name:
    make it `self.table = nn.Embedding(vocab, d_model, padding_idx=pad)`.
    """

    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.pad = pad
        self.weight = nn.Parameter(torch.randn(vocab, d_model) / d_model**0.5)
        with torch.no_grad():
            self.weight[pad] = 0

    def forward(self, ids):
        return nn.functional.embedding(ids, self.weight, padding_idx=self.pad) * self.weight.shape[1] ** 0.5


@mistake(mentions="Embedding")
class UnderAnotherName(nn.Module):
    """It computes the right vectors. Lesson 06 shares the table under its name: call it `self.table`."""

    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.lookup = nn.Embedding(vocab, d_model, padding_idx=pad)
        nn.init.normal_(self.lookup.weight, std=d_model**-0.5)
        nn.init.zeros_(self.lookup.weight[pad])

    def forward(self, ids):
        return self.lookup(ids) * self.lookup.embedding_dim**0.5
