# %% [markdown]
# # Multi-head attention: several averages at once
#
# In *the cat chases the dog*, the verb needs to know two things: which animal chases, and which animal is
# chased. One softmax gives the verb one average. In this lesson you build multi-head attention, which
# gives it several averages. Every block of a Transformer contains this layer. You then find out what its
# heads learn and what they cost.
#
# **You need** lesson 02, and `nn.Linear`. **Time:** 100 minutes in two sittings, four exercises.

# %%
import math
import time
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

# %%
from course_lib import plots
from course_lib.corpus import load_corpus
from course_lib.exercises.multi_head import check, hint, model_answer, progress
from course_lib.training.batches import Bitext
from course_lib.training.trainer import Recipe, train
from course_lib.translation.metrics import exact_match
from course_lib.translation.translator import Translator

torch.manual_seed(0)
torch.set_printoptions(precision=2, sci_mode=False)
f"PyTorch {torch.__version__} is ready"

# %% [markdown]
# You wrote these three functions in lesson 02. In a mask, True means that the query may look at the key.


# %%
def scaled_dot_product_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights  # (..., target, d_v), (..., target, source)


padding_mask = lambda ids, pad=0: (ids != pad)[:, None, :]  # (batch, 1, source)
causal_mask = lambda size: torch.ones(size, size, dtype=torch.bool).tril()  # (target, source)

# %% [markdown]
# ## 1. One softmax is one average
#
# Let the value of *cat* be $(1, 0)$ and the value of *dog* $(0, 1)$. The word *chases* reads both values.
# Suppose that both weights are 0.5. Can you tell from the average which animal chases? Can you tell if
# the weights are 0.8 for the chaser and 0.2 for the other animal?

# %% demo corrects="002(a)"
cat, dog = torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])
for name, chaser, chased in (("cat chases dog", cat, dog), ("dog chases cat", dog, cat)):
    print(name)
    print("    half and half", ((chaser + chased) / 2).numpy())
    print("    0.8 and 0.2  ", (0.8 * chaser + 0.2 * chased).numpy())
    print("    two averages ", torch.cat([chaser, chased]).numpy())

# %% [markdown] corrects="002(a)"
# With equal weights, both sentences give the same average. With 0.8 and 0.2 the averages differ, so you
# can tell. But each average mixes the two animals, and no choice of weights avoids this. Suppose that the
# average equals the chaser's value for every choice of the two animals. Then the chaser has the whole
# weight, and the average contains nothing about the other animal.
#
# Some texts say that one head combines several views by averaging. The paper says the opposite: several
# heads can attend to different things at once, and "with a single attention head, averaging inhibits
# this" (Vaswani et al. 2017, section 3.2.2).
#
# **Several heads** are several softmaxes over the same words. Each head has its own projections of
# queries, keys and values.

# %% [markdown] corrects="000(a)"
# ### A reason that does not hold
#
# Some texts give another reason for several heads. They say that equal words have the dot product 1, so
# with one head each word would look at itself. Guess before you run the cell: how large is $x \cdot x$
# for a vector of 64 random numbers (`torch.randn`)? In sentences of 10 words, what percentage of the
# words look most at themselves, first without projections and then with random ones?

# %% demo corrects="000(a)"
x = torch.randn(200, 10, 64)  # 200 sentences of 10 words
W_query, W_key = torch.randn(2, 64, 64) / 8
print(f"x·x is {(x * x).sum(-1).mean():.0f} on average")
for name, query, key in (("without", x, x), ("with", x @ W_query, x @ W_key)):
    _, weights = scaled_dot_product_attention(query, key, x)
    selves = (weights.argmax(dim=-1) == torch.arange(10)).float().mean()
    print(f"{name} projections {100 * selves:.0f}% of the words look most at themselves")

# %% [markdown] corrects="000(a)"
# The product $x \cdot x$ is the squared length of the vector, which is about 64. Without projections,
# every word looks most at itself. With random projections, about 1 word in 10 does, which is what chance
# gives. So the projections $W^Q$ and $W^K$ solve this problem, and a single head has them too.
#
# ## 2. Cut the features
#
# The projected features of a word are divided among the heads. Each head works with $d_k = d_\text{model}
# / \text{heads}$ of them. The paper has $d_\text{model} = 512$ and 8 heads, so $d_k = 64$. The heads
# become a new axis next to the batch axis. Your attention function from lesson 02 then computes all heads
# in one call.

# %% [markdown] corrects="002(i)"
# Head 0 takes the first $d_k$ projected features of every word, head 1 takes the next $d_k$, and so on.
# Keep the two widths apart: in the paper, a word has 512 features, and a head has 64.
#
# In the picture below, feature $f$ of word $t$ is the number $10t + f$. There are four words, six
# features and three heads. Which numbers will head 1 hold?

# %% demo
from course_lib.plots import diagrams

numbers = 10 * torch.arange(4)[:, None] + torch.arange(6)  # (seq, d_model)
diagrams.head_axes(numbers[None], 3, ["the", "cat", "chases", "dogs"]).picture()

# %% [markdown]
# **Exercise 1** · easy · 6 minutes. Turn `(batch, seq, d_model)` into `(batch, heads, seq, d_k)`. The
# result has the data type of x (float32 or float64), and gradients flow back to x. Which axis do you have
# to cut, and which two axes change places?


# %% exercise="split_heads"
def split_heads(x, heads):
    """Give each head its own d_k neighboring features of every word.

    Shapes: x (batch, seq, d_model) -> (batch, heads, seq, d_k), with d_k = d_model / heads.
    Raises an error of any type if heads does not divide d_model.
    """
    ### BEGIN SOLUTION
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)
    ### END SOLUTION


# %% check="split_heads" points=4
check("split_heads", split_heads)

# %% [markdown]
# **Exercise 2** · easy · 4 minutes. Undo the split: put the results of the heads side by side again. The
# result has the data type of x, and gradients flow back to x. In which order do you undo the two steps of
# `split_heads`?


# %% exercise="merge_heads"
def merge_heads(x):
    """Concatenate the heads of every word.

    Shapes: x (batch, heads, seq, d_k) -> (batch, seq, d_model), with d_model = heads * d_k.
    """
    ### BEGIN SOLUTION
    return x.transpose(1, 2).flatten(2)
    ### END SOLUTION


# %% check="merge_heads" points=3
check("merge_heads", merge_heads)

# %% [markdown]
# ### Why not one view?
#
# `x.view(batch, heads, seq, d_k)` gives the right shape in one step. Below, feature $f$ of word $t$ is
# again the number $10t + f$. Which numbers does head 0 hold after your split, and which after the view?

# %% demo
x = 10 * torch.arange(4)[:, None] + torch.arange(6)  # 4 words of 6 features
print(split_heads(x[None], 3)[0, 0])
print(x.view(1, 3, 4, 2)[0, 0])

# %% [markdown]
# Your function gives head 0 two features of every word. The view does not move any number. So its head 0
# holds all features of word 0, two features of word 1, and nothing of words 2 and 3.
#
# A view on the way back undoes the first view exactly. So neither the shapes nor the test "split, then
# merge" show the error. Check instead which output depends on which input, as in lesson 02. What do you
# expect for the two views?


# %% demo
def who_sees_whom(split, merge):
    """1 where output t (row) depends on input s (column): 6 words, 3 heads, no mask."""
    attend = lambda x: merge(scaled_dot_product_attention(*[split(x[None])] * 3)[0])[0]
    slopes = torch.autograd.functional.jacobian(attend, torch.randn(6, 6))  # (target, 6, source, 6)
    return (slopes.abs().sum(dim=(1, 3)) > 1e-6).float()


who_sees_whom(lambda x: x[:, None], lambda x: x[:, 0]).sum(dim=1)  # one head: each output depends on all 6

# %% demo
depends = {
    "split_heads, merge_heads": who_sees_whom(lambda x: split_heads(x, 3), merge_heads),
    "a view, both ways": who_sees_whom(lambda x: x.view(1, 3, 6, 2), lambda x: x.reshape(1, 6, 6)),
}
words, axes = "i like the beijing winter games".split(), plots.panels(2)
for ax, (title, lit) in zip(axes, depends.items(), strict=True):
    plots.dependence_map(lit, words, words, ax, title)
plots.show(axes)

# %% [markdown]
# With the views, each head works on a block of two neighboring words. The output for *games* cannot
# depend on *beijing*. Such a model still trains. The repository hyunwoongko/transformer computed its
# attention in this way from 2019 to 2021.
#
# ## 3. The layer
#
# $$\text{head}_i = \text{Attention}(Q W_i^Q,\; K W_i^K,\; V W_i^V) \qquad
# \text{MultiHead}(Q, K, V) = \text{Concat}(\text{head}_1, \ldots, \text{head}_h)\, W^O$$
#
# The matrices are $W_i^Q, W_i^K \in \mathbb{R}^{d_\text{model} \times d_k}$,
# $W_i^V \in \mathbb{R}^{d_\text{model} \times d_v}$ and
# $W^O \in \mathbb{R}^{h d_v \times d_\text{model}}$ (section 3.2.2). The width of a head's values is
# $d_v$. In this lesson $d_v = d_k$.

# %% [markdown] corrects="000(b) 001(e) 001(f) 003(f)"
# Four details of this formula are often copied wrongly:
#
# - $W^Q$ and $W^K$ have the same $d_k$, because a query is multiplied with a key.
# - *Concat* joins the heads of one position. It does not join positions.
# - Without $W^O$, the layer does not combine the results of different heads.
# - There is no ReLU. All four maps are linear (`nn.Linear` adds a bias, which the formula leaves out).
#
# In code, the matrices $W_1^Q$ to $W_h^Q$ are side by side in one `nn.Linear(d_model, d_model)`. So
# project first, then split. If you split the *input* first, each head sees only $d_k$ features of a word.

# %% [markdown]
# The next cell draws PyTorch's layer with random weights, 12 features and three heads. Follow the word
# *chases* from top to bottom. Where does a feature of head 0 meet a feature of head 2 for the first time?

# %% demo
sentence = "the cat chases the dog".split()
with torch.no_grad(), torch.random.fork_rng():  # later cells draw the same numbers with or without this one
    layer = nn.MultiheadAttention(12, 3, batch_first=True)
    x = torch.randn(4, 12)[[0, 1, 2, 0, 3]][None]  # (batch, seq, d_model)
    _, weights = layer(2 * x, 2 * x, x, average_attn_weights=False)  # (batch, heads, target, source)
diagrams.multi_head(weights[0], 12, sentence, asking=2).picture()

# %% [markdown]
# They meet in $W^O$, and nowhere before it. In each head, both words *the* get the same weight. They have
# the same vector, and nothing tells the layer that their positions differ. Lesson 04 adds the positions.

# %% [markdown]
# ### The mask
#
# The masks keep their shapes from lesson 02: `(batch, 1, source)` for padding and `(target, source)` for
# the future. All heads use the same mask. The scores now have shape `(batch, heads, target, source)`, and
# PyTorch aligns axes from the right. Which axis of the scores will meet the batch axis of the padding
# mask?

# %% demo
scores = [("batch", 2), ("heads", 3), ("target", 5), ("source", 4)]
mask = [("batch", 2), ("target", 1), ("source", 4)]
masks = {"without an axis for heads": mask, "with an axis for heads": [mask[0], ("heads", 1), *mask[1:]]}
diagrams.aligned_axes(scores, masks).picture()

# %% [markdown]
# The batch axis of the mask meets the heads axis of the scores. PyTorch raises an error here, because
# there are 2 sentences and 3 heads. With as many heads as sentences there would be no error, as you will
# see below. So the mask needs an axis of size 1 for the heads.
#
# **Exercise 3** · medium · 15 minutes. Write the layer. Call `split_heads`,
# `scaled_dot_product_attention` and `merge_heads`, and do not use PyTorch's
# `F.multi_head_attention_forward`. The mask may have two or three axes. Where do you insert the axis for
# the heads, counted from the right?


# %% exercise="MultiHeadAttention"
class MultiHeadAttention(nn.Module):
    """Attention with `heads` heads in parallel (Vaswani et al. 2017, section 3.2.2).

    The projections are nn.Linear(d_model, d_model), named query, key, value and output.
    Shapes: query (batch, target, d_model), key and value (batch, source, d_model)
    -> output (batch, target, d_model), weights (batch, heads, target, source).
    mask: boolean, True where a query may look; two or three axes, broadcasts to (batch, target, source).
    """

    def __init__(self, d_model, heads):
        super().__init__()
        ### BEGIN SOLUTION
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(d_model, d_model) for _ in range(4))
        ### END SOLUTION

    def forward(self, query, key, value, mask=None):
        ### BEGIN SOLUTION
        query = split_heads(self.query(query), self.heads)  # (batch, heads, target, d_k)
        key = split_heads(self.key(key), self.heads)  # (batch, heads, source, d_k)
        value = split_heads(self.value(value), self.heads)  # (batch, heads, source, d_k)
        mask = None if mask is None else mask[..., None, :, :]  # (..., 1, target or 1, source)
        read, weights = scaled_dot_product_attention(query, key, value, mask)  # (batch, heads, target, ...)
        return self.output(merge_heads(read)), weights  # merged: (batch, target, d_model)
        ### END SOLUTION


# %% check="MultiHeadAttention" points=9
check("MultiHeadAttention", MultiHeadAttention)

# %% [markdown]
# ### Equally many sentences and heads
#
# What happens if you forget the mask's axis for the heads? Usually PyTorch raises an error. But take 3
# heads and 3 sentences of 4, 2 and 1 words. In the output below, each row is a sentence and each column
# is a head. Each number counts the words that a query may look at. Which sentence's mask does head 0 get?

# %% demo
mask = padding_mask(torch.tensor([[4, 5, 6, 7], [8, 9, 0, 0], [5, 0, 0, 0]]))  # (batch, 1, source)
for name, used in (("with an axis for heads", mask[..., None, :, :]), ("without it", mask)):
    seen = used.expand(3, 3, 5, 4)[:, :, 0].sum(dim=-1)  # against scores (batch, heads, target, source)
    print(name, seen.tolist())

# %% [markdown]
# Without the axis, head 0 gets the mask of sentence 0 in *every* sentence, and head 2 gets the mask of
# sentence 2. PyTorch raises no error, but some words are hidden and some padding is seen.
#
# ### Compare with PyTorch's layer
#
# `nn.MultiheadAttention` differs from your layer in four points. It reads `(seq, batch, d_model)` unless
# you pass `batch_first=True`. It keeps $W^Q$, $W^K$ and $W^V$ in one matrix. Its mask is True where a key
# is hidden. It returns the mean of the heads' weights unless you pass `average_attn_weights=False`. The
# next cell copies your parameters into PyTorch's layer and compares the outputs.

# %% demo
layer, theirs = MultiHeadAttention(12, 3), nn.MultiheadAttention(12, 3, batch_first=True)
with torch.no_grad():
    parts = (layer.query, layer.key, layer.value)
    theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
    theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    theirs.out_proj.load_state_dict(layer.output.state_dict())
x, mask = torch.randn(2, 5, 12), padding_mask(torch.tensor([[4, 5, 6, 7, 8], [9, 4, 5, 0, 0]]))
output, weights = layer(x, x, x, mask)
expected, _ = theirs(x, x, x, key_padding_mask=~mask[:, 0], average_attn_weights=False)
torch.allclose(output, expected, atol=1e-6)

# %% [markdown] corrects="002(h)"
# ### Concatenate, or add?
#
# Some texts say that the results of the heads are added. Cut $W^O$ into blocks of $d_k$ rows, one block
# $W^O_i$ for each head. Then the product is a sum over the heads:
#
# $$\text{Concat}(\text{head}_1, \ldots, \text{head}_h)\, W^O = \sum_i \text{head}_i\, W^O_i$$
#
# In code, these rows are columns of `output.weight`, because `nn.Linear` stores the transposed matrix.

# %% demo corrects="002(h)"
layer, x = MultiHeadAttention(12, 3), torch.randn(2, 5, 12)
output, weights = layer(x, x, x)
read = weights @ split_heads(layer.value(x), 3)  # (batch, heads, seq, d_k)
pieces = layer.output.weight.split(4, dim=1)  # three of (d_model, d_k)
total = sum(F.linear(read[:, i], pieces[i]) for i in range(3)) + layer.output.bias
print(
    "each head times its own matrix, then added, equals the output:", torch.allclose(total, output, atol=1e-6)
)
exchanged = read[:, [1, 0, 2]]  # head 1, head 0, head 2
print(
    "without the matrices, exchanging two heads changes nothing:", torch.equal(read.sum(1), exchanged.sum(1))
)

# %% [markdown] corrects="002(h)"
# Adding is correct only after $W^O$, because there each head has been multiplied by its own matrix. If
# you add the heads before that, you can no longer tell which head has read what.
#
# ### More heads, more parameters?
#
# How many parameters does the layer have with 1, 2, 8 and 64 heads, at $d_\text{model} = 512$?

# %% demo
count = lambda module: sum(parameter.numel() for parameter in module.parameters())
{heads: count(MultiHeadAttention(512, heads)) for heads in (1, 2, 8, 64)}

# %% [markdown]
# The number is always $4 d_\text{model}^2 + 4 d_\text{model}$. More heads cut the same four matrices into
# smaller pieces.

# %% [markdown] corrects="001(b) 002(g) 002(k) 003(b) 003(c) 004(i)"
# ## 4. One layer, three uses
#
# The **encoder** is the part of a translator that reads the source sentence. The **decoder** is the part
# that writes the target sentence. Lesson 06 builds both of them with this layer. In **self-attention**,
# queries, keys and values come from the same sentence. In **cross-attention**, the queries come from the
# target, and the keys and values come from the encoder.
#
# | where | query | key and value | mask |
# |---|---|---|---|
# | encoder, self-attention | source | source | padding of the source |
# | decoder, self-attention | target | target | the future |
# | decoder, cross-attention | target | the encoder's output | padding of the source |

# %% [markdown]
# The encoder hides no future words. A decoder layer contains one self-attention and one cross-attention,
# and both are used in training *and* in translation. In self-attention, the query, the key and the value
# of a word are computed from one vector, but they differ, because three different matrices project it.
#
# The next cell runs the three uses on a batch of 2 sentences with 3 heads, $n = 4$ source words and
# $m = 3$ target words. Which shapes will the weights and the outputs have?

# %% demo corrects="001(b) 002(g) 002(k) 003(b) 003(c) 004(i)"
source_ids, target_ids = torch.tensor([[4, 5, 6, 7], [8, 9, 0, 0]]), torch.tensor([[1, 4, 5], [1, 6, 7]])
source, target = F.one_hot(source_ids, 12).float(), F.one_hot(target_ids, 12).float()
layers = [MultiHeadAttention(12, 3) for _ in range(3)]
memory, encoder = layers[0](source, source, source, padding_mask(source_ids))
state, decoder = layers[1](target, target, target, causal_mask(3))
output, cross = layers[2](state, memory, memory, padding_mask(source_ids))
for name, weights in (("encoder", encoder), ("decoder", decoder), ("cross", cross)):
    print(f"{name:8} weights {tuple(weights.shape)}, a word sees", (weights[1, 0] > 0).sum(-1).tolist())
tuple(memory.shape), tuple(output.shape)

# %% [markdown]
# The second source sentence has two words and two pads. So in the encoder, each of its positions sees 2
# of the 4 keys. In the decoder's self-attention, the three target words see 1, 2 and 3 keys. In
# cross-attention, each target word sees the 2 source words. A layer returns as many outputs as it has
# queries, which is $n$ in the encoder and $m$ in the decoder.
#
# *This is a good place to stop, after about 50 minutes. When you come back, run all cells above.*

# %% [markdown]
# ## 5. What do heads really do?
#
# The first task needs two averages. One of six animals is marked as the chaser, and another one is marked
# as chased. A learned query reads the animals through *your* layer. The output has to name the chaser in
# its first eight numbers and the chased animal in the other eight.


# %% demo
def chases(count):
    """Examples of six animals, and answers. Features 0 to 7: which animal; 8: it chases; 9: it is chased."""
    x = torch.zeros(count, 6, 16)
    x[..., :8] = F.one_hot(torch.rand(count, 8).argsort(dim=-1)[:, :6], 8)  # all different
    x[:, 0, 8] = x[:, 1, 9] = 1  # attention ignores the order, so any two places will do
    return x, x[:, :2, :8].flatten(1)


x, answer = chases(1)
x[0, :, :10].int(), answer.int()


# %% [markdown]
# The next cell defines the model. Its argument `hidden`, which you need later, adds a small network after
# the attention layer.


# %% demo
class Verb(nn.Module):
    def __init__(self, heads, hidden=0):
        super().__init__()
        self.query, self.attention = nn.Parameter(torch.randn(1, 1, 16)), MultiHeadAttention(16, heads)
        network = (nn.Linear(16, hidden), nn.ReLU(), nn.Linear(hidden, 16)) if hidden else ()
        self.behind = nn.Sequential(*network)

    def forward(self, x):
        output, weights = self.attention(self.query.expand(len(x), -1, -1), x, x)
        return self.behind(output[:, 0]), weights[:, :, 0]


# %% demo
def taught(heads, seed, hidden=0, steps=400):
    torch.manual_seed(seed)
    verb = Verb(heads, hidden)
    optimizer = torch.optim.Adam(verb.parameters(), lr=0.01)
    for _ in range(steps):
        x, answer = chases(128)
        loss = (verb(x)[0] - answer).pow(2).sum(dim=-1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return verb


# %% demo
def right(verb):
    """For 2000 examples: 100 where the chaser (the chased animal) gets the largest number, else 0."""
    x, answer = chases(2000)
    animals = lambda y: y.unflatten(-1, (2, 8)).argmax(dim=-1)  # (batch, 2)
    return 100 * (animals(verb(x)[0]) == animals(answer)).float()


both = lambda verb: f"{right(verb).mean(dim=-1).eq(100).float().mean():4.0%}"
for heads in (1, 2, 4):
    found = [both(taught(heads, seed)) for seed in range(3)]
    print(f"heads: {heads}, examples with both animals right, for 3 seeds:", *found)

# %% [markdown]
# We trained 18 seeds (0 to 17) for each number of heads. All these models have the same number of
# parameters. An example is right if both animals are right.
#
# | heads | seeds with 100 % of the examples right | examples right in the other seeds |
# |---|---|---|
# | 1 | 0 of 18 | 14 to 29 % |
# | 2 | 17 of 18 | 33 % |
# | 4 | 18 of 18 | – |
#
# Where does each head look? Guess before you draw the maps.

# %% demo
x, _ = chases(1)
maps = {heads: taught(heads, seed=0)(x)[1][0] for heads in (1, 2, 4)}  # (heads, keys)
keys, axes = ["the chaser", "the chased", *4 * ["another word"]], plots.panels(3, height=2.4)
for ax, (heads, weights) in zip(axes, maps.items(), strict=True):
    rows = [f"head {i}" for i in range(heads)]
    plots.attention_map(weights, rows, keys, ax=ax, title=f"heads: {heads}")
    ax.set_ylabel("query: the verb")
plots.show(axes[0])

# %% [markdown] corrects="004(g)"
# The single head reads one of the two animals well, and the other one hardly better than a guess. A guess
# among the seven others is right in 14 % of the examples. A guess among the five others that are present is
# right in 20 %.
#
# ### Can one head replace another?
#
# Some texts say that eight heads do the same job eight times, from different random starts, so that a bad
# head does no harm. To test this, the next cell takes out one head at a time. It sets the head's columns
# in `output.weight` to zero. Which animal will the model then get wrong? Use the maps above.

# %% demo corrects="004(g)"
for heads, d_k in ((2, 8), (4, 4)):
    verb = taught(heads, seed=0)
    weight = verb.attention.output.weight.detach()
    saved = weight.clone()
    for head in range(heads):
        weight[:, d_k * head : d_k * (head + 1)] = 0
        chaser, chased = right(verb).mean(dim=0)
        print(f"{heads} heads, without head {head}: chaser {chaser:3.0f}%, chased {chased:3.0f}% right")
        weight.copy_(saved)

# %% [markdown] corrects="004(g)"
# With two heads, each head has its own job. Without one of them, the model gets one animal right in only
# 11 to 27 % of the examples (12 seeds), which is close to a guess.
#
# With four heads, usually two heads share an animal. Without one of these two, the model still gets the
# animal right in 37 to 100 % of the examples (12 seeds). So heads replace each other only in part.
# Sharing helps here, because the answer for one animal has eight numbers, and a head has only $d_k = 4$.

# %% [markdown]
# ### Can one head do it after all?
#
# In a Transformer, a small network follows the attention layer. It may be able to take apart a *mixture*
# of 0.8 and 0.2. Is one head enough if such a network follows it?

# %% demo
found = [both(taught(1, seed, hidden=64, steps=800)) for seed in range(3)]
print("heads: 1, and a network, examples with both animals right, for 3 seeds:", *found)

# %% [markdown]
# Sometimes it is enough: one head solved the task in 10 of 18 seeds (0 to 17). So several heads are not
# strictly necessary, but they make the task easier to learn.
#
# ### In a real translator
#
# Now train the course's translator, once with one head and once with four. It has one encoder layer and
# one decoder layer. Both trainings of 400 steps together take about 10 seconds. Which model will
# translate more sentences exactly right?

# %% demo
corpus = load_corpus()


def trained(heads):
    torch.manual_seed(0)
    translator = Translator.for_pairs(corpus.train, heads=heads)
    data = Bitext(corpus.train, translator.source_words, translator.target_words)
    train(translator.model, data, Recipe(steps=400))
    return translator


pair = corpus.train[0]
f"{len(corpus.train):,} pairs, such as: {' '.join(pair.source)} = {' '.join(pair.target)}"


# %% demo
def exact(translator, pairs):
    translations = translator.translate([pair.source for pair in pairs])
    return round(100 * exact_match(translations, [pair.target for pair in pairs]), 1)


translators = {heads: trained(heads) for heads in (1, 4)}
for heads, translator in translators.items():
    new = [exact(translator, pairs[:400]) for pairs in (corpus.test, corpus.compositional)]
    print(f"heads: {heads}, {new[0]}% of new sentences exactly right, {new[1]}% of new combinations")

# %% [markdown]
# The table shows what percentage of the sentences was exactly right, from the worst to the best of six
# seeds. The new combinations put known words together in new ways.
#
# | steps | heads | new sentences | new combinations |
# |---|---|---|---|
# | 400 | 1 | 92.8 to 94.0 % | 87.2 to 92.5 % |
# | 400 | 4 | 94.2 to 96.0 % | 85.8 to 92.2 % |
# | 1200 | 1 | 98.2 to 99.8 % | 96.5 to 99.2 % |
# | 1200 | 4 | 99.5 to 100 % | 98.8 to 100 % |

# %% [markdown]
# On new sentences, four heads were better with every seed after 400 steps, and with five of six seeds
# after 1200. On new combinations, four heads were not better after 400 steps. In the paper, one head cost
# 0.9 BLEU (a score for translations) compared with eight, and 32 heads were also worse than eight (its
# table 3, rows A).
#
# The next three cells show all heads of the three attentions, for the model with four heads. In the first
# picture, do *winter* and *games* attend to each other? In the last picture, which English words does
# 冬奥会 (*Winter Olympics*) attend to?

# %% demo
seen = translators[4].explain("i like the 2022 beijing winter games")
uses = {
    "encoder, self-attention": (seen.maps.encoder, seen.source, seen.source, None),
    "decoder, masked self-attention": (seen.maps.decoder, seen.read, seen.read, causal_mask(len(seen.read))),
    "decoder, cross-attention": (seen.maps.cross, seen.target, seen.source, None),
}
pictures = {}
for name, (weights, queries, keys, mask) in uses.items():
    pictures[name] = plots.show(plots.attention_grid(weights[:, 0], queries, keys, mask, title=name))
pictures["encoder, self-attention"]

# %% demo
pictures["decoder, masked self-attention"]

# %% demo
pictures["decoder, cross-attention"]

# %% [markdown]
# In five of our six seeds, 冬奥会 attends most to *winter*, with a weight of 0.30 to 0.51 (the mean of the
# four heads). In the other seed, *winter* has a weight of 0.05, and *2022* has the largest, 0.29.

# %% [markdown]
# In the first picture of our run, *winter* and *games* give each other at most 0.34. Another training
# gives other maps: few heads have one clear job, and most of them attend to several words. In four of our
# six seeds, *winter* gave half of its weight or more to *games* in one of the heads. In the other two
# seeds, it did so in no head.
#
# A large weight does not prove that a word matters either. So the next cell takes out one head at a time
# and translates again.

# %% demo
encoder, decoder = translators[4].model.encoder.layers[0], translators[4].model.decoder.layers[0]
attentions = {"in the encoder": encoder.self_attention, "in the decoder": decoder.self_attention}
print("percent exactly right, all heads:", exact(translators[4], corpus.test[:200]))
for name, attention in (attentions | {"in cross-attention": decoder.cross_attention}).items():
    weight, left = attention.out_proj.weight.detach(), []
    saved = weight.clone()
    for head in range(4):
        weight[:, 16 * head : 16 * head + 16] = 0
        left.append(exact(translators[4], corpus.test[:200]))
        weight.copy_(saved)
    print(f"{name:18} without head 0, 1, 2, 3: {left}")

# %% [markdown]
# The table shows what percentage of the sentences was exactly right in six seeds. A run on another machine
# may lie a little outside of it.
#
# | what is taken out | exactly right |
# |---|---|
# | no head | 93 to 97 % |
# | one head of a self-attention | 78 to 96 % |
# | one head of the cross-attention | 48 to 81 % |
#
# So no single head does everything, and a few heads contribute almost nothing. In large models, many
# heads can be removed (Michel et al. 2019, *Are Sixteen Heads Really Better than One?*).

# %% [markdown]
# ## 6. What it costs
#
# The product of an $(a, b)$ matrix and a $(b, c)$ matrix takes $a\,b\,c$ multiplications. Your layer has
# four projections, and each head has two more products.
#
# **Exercise 4** · medium · 10 minutes. Count the multiplications and the attention weights for one
# sentence, from the sizes alone: without PyTorch's `FlopCounterMode`, which would run a layer. Which of the
# two numbers grows with the number of heads?


# %% exercise="attention_cost"
def attention_cost(d_model, heads, target, source):
    """Count the work of MultiHeadAttention for `target` queries and `source` keys of one sentence.

    Returns two numbers: the multiplications in all matrix products (without biases and softmax), and the
    attention weights of all heads.
    """
    ### BEGIN SOLUTION
    projections = 2 * (target + source) * d_model**2  # query and output, key and value
    scores_and_averages = 2 * target * source * d_model  # heads * d_k = d_model
    return projections + scores_and_averages, heads * target * source
    ### END SOLUTION


# %% check="attention_cost" points=4
check("attention_cost", attention_cost)

# %% [markdown]
# PyTorch can count the operations too. It counts two FLOPs for one multiplication with its addition. The
# next cell compares its count with yours. The scores and the averages are computed for each pair of words,
# so we call their multiplications the cost of the pairs. At $d_\text{model} = 64$, from which number of
# words $n$ on do the pairs cost more than the projections?

# %% demo
layer = MultiHeadAttention(64, 4)
for n in (32, 64, 128, 256):
    with FlopCounterMode(display=False) as counter:
        layer(*[torch.randn(1, n, 64)] * 3)
    cost, weights = attention_cost(64, 4, n, n)
    print(f"n {n:3}: counted {counter.get_total_flops() // 2:9,}, formula {cost:9,},", end=" ")
    print(f"pairs {2 * n * n * 64 / cost:.0%}, {weights:,} weights")

# %% [markdown] corrects="002(l)"
# At $n = 2 d_\text{model}$, the pairs and the projections cost the same. Table 1 of the paper leaves out
# the projections. It compares layers for $n$ words of width $d$:
#
# | layer | work | steps one after the other | longest path |
# |---|---|---|---|
# | self-attention | $n^2 d$ | 1 | 1 |
# | recurrent | $n\,d^2$ | $n$ | $n$ |
# | convolution, width $k$ | $k\,n\,d^2$ | 1 | $\log_k n$ |
# | self-attention to $r$ neighbors | $r\,n\,d$ | 1 | $n / r$ |

# %% [markdown]
# The **longest path** is the number of layers or steps that a signal needs from one word to the word
# farthest away. A recurrent step needs the *state* of the step before it, so $n$ steps have to run one
# after the other. For the convolution, the path has length $\log_k n$ only if the gaps between its inputs
# grow from layer to layer (dilation). Without these gaps its length is $n / k$.

# %% [markdown]
# ### Time as $n$ doubles
#
# According to the table, twice as many words make four times the work for attention, and twice the work
# for the other two layers. By which factors will the measured times grow?


# %% demo
def milliseconds(run):
    """Processor time of the fastest of three calls."""
    times = []
    for _ in range(3):
        began = time.process_time()
        run()
        times.append(1000 * (time.process_time() - began))
    return round(min(times), 3)


# %% demo
gru, conv = nn.GRU(64, 64, batch_first=True), nn.Conv1d(64, 64, 3, padding=1)


@torch.no_grad()
def compared(n):
    """Milliseconds of three layers over n words of 64 features."""
    x, heads = torch.randn(1, n, 64), torch.randn(1, 4, n, 16)
    attend = lambda: scaled_dot_product_attention(heads, heads, heads)
    runs = {"attention layer": attend, "recurrent (GRU)": lambda: gru(x)}
    runs["convolution layer"] = lambda: conv(x.mT)
    return {name: milliseconds(run) for name, run in runs.items()}


compared(128)

# %% demo
sizes = [128, 256, 512, 1024, 2048]
rows = [compared(n) for n in sizes]
spent = {name: [row[name] for row in rows] for name in rows[0]}
for name, times in spent.items():
    print(f"{name:17} times", *(f"{b / a:4.1f}" for a, b in pairwise(times)))
ax = plots.lines(sizes, spent, "words $n$", "milliseconds")
ax.set_yscale("log")
ax.set_xscale("log", base=2)
ax.set_xticks(sizes, sizes)
plots.show(ax)

# %% [markdown]
# In theory, the time of attention grows by a factor of 4. In practice it often grows by more, because
# large tables no longer fit into the processor's cache, and the system has to hand out new memory for
# them. The times of the other layers grow by a factor of about 2. Attention is faster than the recurrent
# layer at 128 words and slower at 2048.
#
# The paper's main argument is the column of steps. Attention computes all positions in **parallel**, but
# the recurrent layer needs $n$ steps one after the other. You do not see this advantage in processor
# time. You would see it on a GPU, which computes thousands of numbers at once.

# %% [markdown]
# ### Memory as $n$ doubles
#
# PyTorch can tell you how much memory it keeps for the backward pass. `F.scaled_dot_product_attention`
# computes the same output as your function in one fused call, and it does not return the weights. By
# which factor will the memory of each function grow when $n$ doubles?


# %% demo
def kept(attend, n):
    """Megabytes that the backward pass of four heads needs."""
    stored = {}

    def note(tensor):
        storage = tensor.untyped_storage()
        stored[storage.data_ptr()] = storage  # several tensors may share one
        return tensor

    query, key, value = torch.randn(3, 1, 4, n, 16, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        attend(query, key, value)
    return sum(storage.nbytes() for storage in stored.values()) / 1e6


# %% demo
ways = {"with a table of weights": scaled_dot_product_attention}
ways["fused in one call"] = F.scaled_dot_product_attention
megabytes = {name: [kept(attend, n) for n in sizes] for name, attend in ways.items()}
for name, amounts in megabytes.items():
    print(f"{name:23} times", *(f"{b / a:.2f}" for a, b in pairwise(amounts)))
ax = plots.lines(sizes, megabytes, "words $n$", "megabytes kept")
ax.set_yscale("log")
ax.set_xscale("log", base=2)
ax.set_xticks(sizes, sizes)
plots.show(ax)

# %% [markdown]
# The table of weights has $n^2$ entries for each head, so its memory grows by a factor close to 4. The
# fused function never stores this table. It works through the keys in blocks, and it computes the weights
# again in the backward pass (FlashAttention, Dao et al. 2022). So its memory only doubles, but its *work*
# still grows by a factor of 4.

# %% [markdown]
# ## 7. In your own words
#
# A classmate sets `heads=1` instead of 8, "to save parameters and time, because one head can look at
# everything anyway". Answer in three parts. (a) How do the number of parameters and the number of
# multiplications change, and why? (b) What can one softmax not give to a word? Give an example of your
# own. (c) Which quantity does grow with the number of heads, and how large is it?

# %% [markdown] points=3 question="one_head_or_eight"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** the number of parameters and the number of multiplications for a pair of
# words, each for one head and for eight.
# **Model answer:** Neither number changes. The four matrices have 4 · d_model² entries for any number of
# heads. Each pair of words costs heads · d_k = d_model multiplications for the score, and as many for the
# average.
# **Marking:** Half a point for one of the two numbers.
#
# (b) **A full answer names** the number of averages that a query gets from one softmax, and a word that
# needs two things at once.
# **Model answer:** One softmax gives each query one average. Some words need two things separately, such
# as a verb its subject and its object. One average mixes the two, and linear maps cannot recover both
# from it.
# **Marking:** Accept "a later network can separate them, but that is harder to learn". No point for
# "heads correct each other's random start".
#
# (c) **A full answer names** the tensor that has an axis of heads and no axis of d_k, and its size.
# **Model answer:** The attention weights grow. There are heads · n² of them, and their memory grows as
# well.
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - One softmax gives one average. $h$ heads give $h$ averages, each in $d_\text{model} / h$ dimensions.
# - Cut the features, not the sentence. To merge the heads, undo the two steps of the split, the last one
#   first. Mix them with $W^O$.
# - Encoder, decoder and cross-attention use the same layer. Only the arguments and the mask differ.
# - More heads cost no parameters. They make a task easier to learn, but one head may come close.
# - The work grows as $n^2 d + n d^2$. The weights grow as $h\,n^2$, unless they are never stored.
#
# **Next:** attention does not know the order of the words. Lesson 04 adds it.

# %%
progress()
