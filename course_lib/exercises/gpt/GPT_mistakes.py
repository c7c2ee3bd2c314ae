"""Wrong answers to GPT: name, advice, code."""

import math

import torch
from torch import nn

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.gpt.GPT import Block, Model
from course_lib.exercises.positional_encoding.apply_rotary import turns
from course_lib.exercises.positional_encoding.sinusoidal_encoding import reference as encoding_of

mistake = Mistakes()


@mistake
class WithoutFinalNorm(Model):
    """The last norm is missing. In pre-norm the sum of all updates leaves the last block as it is: normalize
    it before the output layer.
    """

    def logits(self, x):
        return self.output(x) + 0 * self.output(self.norm(x))


@mistake
class NormInEveryStep(Model):
    """You apply `self.norm` after each block. Apply it once, after the last block."""

    def read(self, x):
        tables = turns(x.shape[1], self.d_k)
        for block in self.blocks:
            x = self.norm(block(x, *tables))
        return x

    def logits(self, x):
        return self.output(x)


@mistake
class NormFirst(Model):
    """You apply `self.norm` to the embeddings. Apply it after the last block."""

    def read(self, x):
        return super().read(self.norm(x))

    def logits(self, x):
        return self.output(x)


@mistake
class PositionsAdded(Model):
    """You add sinusoidal positions too. The rotation of queries and keys gives the positions already."""

    def embed(self, ids):
        x = self.embedding(ids)
        return x + encoding_of(*x.shape[1:])


@mistake
class ScaledEmbeddings(Model):
    """You multiply the embeddings by sqrt(d_model), as in lesson 01. Here no positions are added to
    them, so this model uses them as they are.
    """

    def embed(self, ids):
        return self.embedding(ids) * math.sqrt(self.embedding.embedding_dim)


@mistake("T14")
class WithSoftmax(Model):
    """You return probabilities. The loss applies a softmax itself: return the logits."""

    def logits(self, x):
        return super().logits(x).softmax(dim=-1)


@mistake("T15")
class WithLogSoftmax(Model):
    """You return log-probabilities. The loss applies the log-softmax itself: return the logits."""

    def logits(self, x):
        return super().logits(x).log_softmax(dim=-1)


@mistake
class LastPosition(Model):
    """You return the logits of the last position only. In training every position predicts its next token:
    return all rows.
    """

    def logits(self, x):
        return super().logits(x[:, -1:])


@mistake
class NotChained(Model):
    """Each block starts from the embeddings again, so only the last block counts. Write
    `x = block(x, cos, sin)`.
    """

    def read(self, x):
        tables, start = turns(x.shape[1], self.d_k), x
        for block in self.blocks:
            x = block(start, *tables)
        return x


@mistake
class BlocksAdded(Model):
    """You add x to the result of each block. The residual connections are inside the block already."""

    def read(self, x):
        tables = turns(x.shape[1], self.d_k)
        for block in self.blocks:
            x = x + block(x, *tables)
        return x


@mistake
class BlocksSkipped(Model):
    """Your blocks change nothing. Keep what each block returns: `x = block(x, cos, sin)`."""

    def read(self, x):
        return x


@mistake
class BackwardBlocks(Model):
    """You go through the blocks from the last to the first. Begin with block 0."""

    def read(self, x):
        tables = turns(x.shape[1], self.d_k)
        for block in reversed(self.blocks):
            x = block(x, *tables)
        return x


# Positions that run backwards give the same numbers.
@mistake(mentions=r"sin\w*, .*cos")
class CosAndSinSwapped(Model):
    """You swapped cos and sin. A block takes cos first, and `rotary_table` returns cos first."""

    def read(self, x):
        cos, sin = turns(x.shape[1], self.d_k)
        for block in self.blocks:
            x = block(x, sin, cos)
        return x


@mistake
class AnglesOfTheModel(Model):
    """You make the table of cos and sin for d_model numbers. Heads are rotated, and a head has only
    d_k = d_model // heads numbers: give d_k to `rotary_table`.
    """

    def __init__(self, vocab, d_model, heads, kv_heads, d_ff, layers):
        super().__init__(vocab, d_model, heads, kv_heads, d_ff, layers)
        self.d_k = d_model


@mistake
class AnglesOfTheBatch(Model):
    """Your table of cos and sin has a row for each sequence of the batch. It needs one for each position:
    `ids.shape[1]`.
    """

    def read(self, x):
        tables = turns(x.shape[0], self.d_k)
        for block in self.blocks:
            x = block(x, *tables)
        return x


@mistake("E12")
class NotTied(Model):
    """The output layer has its own weights. Share the table's Parameter:
    `self.output.weight = self.embedding.weight`.
    """

    def __init__(self, vocab, d_model, heads, kv_heads, d_ff, layers):
        super().__init__(vocab, d_model, heads, kv_heads, d_ff, layers)
        self.output = nn.Linear(d_model, vocab, bias=False)


@mistake("X6")
class OneBlock(Model):
    """All entries of your list are the same block, so all layers share their weights. Make a new block for
    each entry.
    """

    def __init__(self, vocab, d_model, heads, kv_heads, d_ff, layers):
        super().__init__(vocab, d_model, heads, kv_heads, d_ff, layers)
        self.blocks = nn.ModuleList([Block(d_model, heads, kv_heads, d_ff)] * layers)


@mistake
class PlainList(Model):
    """Your blocks are in a plain list, where PyTorch does not find their weights. Use `nn.ModuleList`."""

    def __init__(self, vocab, d_model, heads, kv_heads, d_ff, layers):
        super().__init__(vocab, d_model, heads, kv_heads, d_ff, layers)
        blocks = list(self.blocks)
        del self.blocks
        self.blocks = blocks


@mistake
class ReversedTokens(Model):
    """You flip the sequence, so each token sees those after it. Keep the order of ids."""

    def read(self, x):
        return super().read(x.flip(1)).flip(1)


@mistake
class Predicted(Model):
    """You return the likeliest ids. Return the logits: the loss and the decoder need all of them."""

    def logits(self, x):
        return torch.argmax(super().logits(x), dim=-1)


@mistake
class TableOfOneNumber(Model):
    """At first all numbers of your table are the same. With a table of zeros the model never learns: all
    logits are 0, and so are all gradients. Keep the random numbers that `nn.Embedding` gives its table.
    """

    def __init__(self, vocab, d_model, heads, kv_heads, d_ff, layers):
        super().__init__(vocab, d_model, heads, kv_heads, d_ff, layers)
        nn.init.zeros_(self.embedding.weight)
