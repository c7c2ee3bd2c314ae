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
    """You look the vectors up. The paper also multiplies them by √d_model, before positions are added."""

    def forward(self, ids):
        return self.table(ids)


@mistake
class ScaledTable(Embedding):
    """Your vectors begin with the right standard deviation, but your table does not. Its entries must begin
    with 1/√d_model, and `forward` must multiply what it looks up by √d_model.
    """

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight)
        nn.init.zeros_(self.table.weight[pad])

    def forward(self, ids):
        return self.table(ids)


@mistake(mentions=r"\*=|mul_|copy_|data")
class ScaledAtEachCall(Embedding):
    """You multiply the table itself, so it grows with each call. Multiply what you look up, which is a new
    tensor.
    """

    def forward(self, ids):
        self.table.weight.data *= self.table.embedding_dim**0.5
        return self.table(ids)


@mistake
class NoRoot(Embedding):
    """You multiply by d_model. Multiply by its square root, once."""

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
    """You divide by √d_model, as attention does with its scores. Multiply embeddings by √d_model."""

    def forward(self, ids):
        return self.table(ids) / self.table.embedding_dim**0.5


@mistake
class RootOfVocabulary(Embedding):
    """Your factor comes from the number of words. It must come from the size of the vectors, d_model."""

    def forward(self, ids):
        return self.table(ids) * self.table.num_embeddings**0.5


@mistake("E6")
class PaddingOverwritten(Embedding):
    """Your row of padding does not begin as 0, and without a gradient it never becomes 0. A new draw of the
    table draws row `pad` too, so set it to 0 after the draw.
    """

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=d_model**-0.5)


@mistake
class PaddingLearns(Embedding):
    """Your row of padding learns like the row of a word. Tell the table which row is padding:
    `padding_idx=pad`.
    """

    def __init__(self, vocab, d_model, pad=0):
        super().__init__(vocab, d_model, pad)
        self.table.padding_idx = None


@mistake
class PaddingIsAWord(PaddingLearns):
    """Your row of padding does not begin as 0, and it learns like the row of a word. `padding_idx=pad` keeps
    it from learning. Set it to 0 after the draw.
    """

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=d_model**-0.5)


@mistake("E7")
class PaddingFixed(Embedding):
    """You fixed the padding row at 0, but the argument `pad` names another row. So a real word never learns.
    Use `pad` instead of 0.
    """

    def __init__(self, vocab, d_model, pad=0):
        super().__init__(vocab, d_model, pad=0)


@mistake("E7")
class PaddingIndexFixed(Embedding):
    """You keep the gradient from row 0, but the argument `pad` names another row. Pass `padding_idx=pad`."""

    def __init__(self, vocab, d_model, pad=0):
        super().__init__(vocab, d_model, pad)
        self.table.padding_idx = 0


@mistake("E7")
class FirstRowZeroed(Embedding):
    """You set row 0 to 0, but the argument `pad` names another row. Set that row to 0."""

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=d_model**-0.5)
        nn.init.zeros_(self.table.weight[0])


@mistake("E7")
class PaddingFixedAtOne(Embedding):
    """You fixed the padding row at 1, but the argument `pad` names another row. So a real word never learns.
    Use `pad` instead of 1.
    """

    def __init__(self, vocab, d_model, pad=0):
        super().__init__(vocab, d_model, pad=1)


@mistake(mentions=r"(?m)normal_\([^=,\n]+,[^=,\n]+\)$")
class SpreadAsMean(Embedding):
    """The number after the tensor is the mean of `normal_`. Name the standard deviation:
    `std=d_model**-0.5`.
    """

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, d_model**-0.5)
        nn.init.zeros_(self.table.weight[pad])


@mistake
class DefaultSpread(Embedding):
    """Your entries begin with the standard deviation 1, as `nn.Embedding` draws them. Multiplied by √d_model
    they would be much larger than the positions. Draw them with `std=d_model**-0.5`.
    """

    def fill(self, d_model, pad):
        pass


@mistake
class VarianceAsSpread(Embedding):
    """Your entries begin with the standard deviation 1/d_model. That is the variance that they should have.
    The standard deviation is 1/√d_model, `d_model**-0.5`.
    """

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=1 / d_model)
        nn.init.zeros_(self.table.weight[pad])


@mistake(mentions="xavier")
class Xavier(Embedding):
    """Xavier's initialization is made for layers that sum over all their inputs. A look-up takes one row, so
    its entries must not become smaller in a larger vocabulary. Draw them with `std=d_model**-0.5`.
    """

    def fill(self, d_model, pad):
        nn.init.xavier_uniform_(self.table.weight)
        nn.init.zeros_(self.table.weight[pad])


@mistake
class Frozen(Embedding):
    """Your table is frozen and never learns, because its `requires_grad` is False. (`from_pretrained` freezes
    a table unless it gets `freeze=False`.)
    """

    def fill(self, d_model, pad):
        super().fill(d_model, pad)
        self.table.weight.requires_grad_(False)


@mistake
class PlainTensor(nn.Module):
    """No optimizer finds your table, because a plain tensor or a local name is not a parameter. Make it
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
    """`nn.Linear` multiplies vectors, but ids look up rows. Use `nn.Embedding(vocab, d_model)`."""

    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.table = nn.Linear(vocab, d_model)

    def forward(self, ids):
        return self.table(ids) * self.table.out_features**0.5


@mistake
class SwappedSizes(nn.Module):
    """You swapped the sizes. The table has one row for each word: `nn.Embedding(vocab, d_model)`."""

    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.table = nn.Embedding(d_model, vocab)

    def forward(self, ids):
        return self.table(ids) * self.table.embedding_dim**0.5


@mistake(mentions=r"\*\* 1 / 2")
class HalfOfWidth(Embedding):
    """`**` is computed before `/`, so `d_model**1/2` is d_model / 2. Use math.sqrt."""

    def forward(self, ids):
        return self.table(ids) * self.table.embedding_dim**1 / 2


@mistake
class RootOfLength(Embedding):
    """The last axis of `ids` is the length of the sentence. The factor is the square root of d_model."""

    def forward(self, ids):
        return self.table(ids) * ids.shape[-1] ** 0.5


@mistake
class RootAsSpread(Embedding):
    """Your entries begin with the standard deviation √d_model. It must be 1/√d_model, which is
    `d_model**-0.5`.
    """

    def fill(self, d_model, pad):
        nn.init.normal_(self.table.weight, std=d_model**0.5)
        nn.init.zeros_(self.table.weight[pad])


@mistake
class AllZero(Embedding):
    """Your whole table is 0, so all words are alike. Only its row `pad` should be 0."""

    def fill(self, d_model, pad):
        nn.init.zeros_(self.table.weight)


@mistake
class ChangedWatched(Embedding):
    """Autograd tracks the table, so it does not let you change it in place. Use
    `nn.init.zeros_(self.table.weight[pad])`, or change it inside `with torch.no_grad():`.
    """

    def fill(self, d_model, pad):
        self.table.weight[pad] = 0


@mistake
class AssignedTensor(Embedding):
    """You assign a tensor where a parameter was. Assign an `nn.Parameter`, or change the old one with
    `nn.init.normal_(self.table.weight, std=...)`.
    """

    def fill(self, d_model, pad):
        self.table.weight = self.table.weight / d_model**0.5


@mistake(mentions="Parameter", lacks="Embedding")
class UnderNoName(nn.Module):
    """Your vectors are right, but your table is not an `nn.Embedding`. Lesson 06 shares the table by its
    name, so make it `self.table = nn.Embedding(vocab, d_model, padding_idx=pad)`.
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
    """Your vectors are right, but lesson 06 shares the table by its name. Call it `self.table`."""

    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        self.lookup = nn.Embedding(vocab, d_model, padding_idx=pad)
        nn.init.normal_(self.lookup.weight, std=d_model**-0.5)
        nn.init.zeros_(self.lookup.weight[pad])

    def forward(self, ids):
        return self.lookup(ids) * self.lookup.embedding_dim**0.5
