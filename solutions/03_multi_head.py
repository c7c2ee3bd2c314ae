# %% [markdown]
# # Multi-head attention: several averages at once
#
# In *the cat chases the dog*, the verb needs two things: who chases, and who is chased. One softmax
# gives it one average. You build the layer that gives several, the layer in every block of a
# Transformer, and find out what its heads really do and what they cost.
#
# **You need** lesson 02, and `nn.Linear`. **Time:** 100 minutes in two sittings, four
# exercises.

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
# From lesson 02 you bring three functions. In a mask True may look.


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
# Let *cat* be the value $(1, 0)$ and *dog* the value $(0, 1)$. The word *chases* reads both, with
# weights 0.5 and 0.5. What is left of who chases whom? And with 0.8 and 0.2?

# %% demo corrects="002(a)"
cat, dog = torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])
for name, chaser, chased in (("cat chases dog", cat, dog), ("dog chases cat", dog, cat)):
    print(name)
    print("    half and half", ((chaser + chased) / 2).numpy())
    print("    0.8 and 0.2  ", (0.8 * chaser + 0.2 * chased).numpy())
    print("    two averages ", torch.cat([chaser, chased]).numpy())

# %% [markdown] corrects="002(a)"
# Half and half, the two sentences look the same. With 0.8 and 0.2 they differ, but the animals are
# mixed. A theorem: if an average is the chaser's value whichever animals there are, all weight is on the
# chaser, and nothing of the other is left. Several heads can attend to different things at once; "with a
# single attention head, averaging inhibits this" (Vaswani et al. 2017, section 3.2.2). So averaging is the
# obstacle, not the method.
#
# **Several heads** are several softmaxes over the same words, each after projections of its own.

# %% [markdown] corrects="000(a)"
# ### A reason that does not hold
#
# You may read that one head is not enough because equal words have dot product 1, so that each word
# looks at itself. Guess: how large is $x \cdot x$ for random vectors of 64 numbers, and how many words
# look most at themselves once queries and keys are projected?

# %% demo corrects="000(a)"
x = torch.randn(200, 10, 64)  # 200 sentences of 10 words
W_query, W_key = torch.randn(2, 64, 64) / 8
print(f"x·x is {(x * x).sum(-1).mean():.0f} on average")
for name, query, key in (("without", x, x), ("with", x @ W_query, x @ W_key)):
    _, weights = scaled_dot_product_attention(query, key, x)
    selves = (weights.argmax(dim=-1) == torch.arange(10)).float().mean()
    print(f"{name} projections {100 * selves:.0f}% of the words look most at themselves")

# %% [markdown] corrects="000(a)"
# It is the squared length, 64, and without projections every word does look at itself. With random ones
# it is about 1 in 10: chance. The cure is $W^Q$ and $W^K$, and a single head has them too.
#
# ## 2. Cut the features
#
# Heads share the width: each works in $d_k = d_\text{model} / \text{heads}$ dimensions. In the paper
# $d_\text{model} = 512$ with 8 heads, so $d_k = 64$. The heads become an axis like the batch, and the
# attention that you have serves all of them at once.

# %% [markdown] corrects="002(i)"
# Head 0 takes the first $d_k$ features of every word, head 1 the next. (512 is the width of a word, 64
# that of a head.)
#
# Below, feature $f$ of word $t$ is the number $10t + f$. There are four words of six features, and three
# heads. Which numbers will head 1 hold?

# %% demo
from course_lib.plots import diagrams

numbers = 10 * torch.arange(4)[:, None] + torch.arange(6)  # (seq, d_model)
diagrams.head_axes(numbers[None], 3, ["the", "cat", "chases", "dogs"]).picture()

# %% [markdown]
# **Exercise 1** · easy · 6 minutes. From `(batch, seq, d_model)` to `(batch, heads, seq, d_k)`. Which
# axis must be cut, and which two change places? Numbers keep their kind (float32, float64), and gradients
# pass.


# %% exercise="split_heads"
def split_heads(x, heads):
    """Give each head its run of neighboring features of every token.

    Shapes: x (batch, seq, d_model) -> (batch, heads, seq, d_k), with d_k = d_model / heads.
    Raises an error (which one does not matter) if heads does not divide d_model.
    """
    ### BEGIN SOLUTION
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)
    ### END SOLUTION


# %% check="split_heads" points=4
check("split_heads", split_heads)

# %% [markdown]
# **Exercise 2** · easy · 4 minutes. And back: what the heads have read, side by side again, with the same
# kind of numbers and with gradients.


# %% exercise="merge_heads"
def merge_heads(x):
    """Concatenate the heads of every token.

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
# `x.view(batch, heads, seq, d_k)` gives the right shape in one step. Below, feature $f$ of token $t$ is
# the number $10t + f$. What does head 0 hold, split by you, and split by the view?

# %% demo
x = 10 * torch.arange(4)[:, None] + torch.arange(6)  # 4 tokens of 6 features
print(split_heads(x[None], 3)[0, 0])
print(x.view(1, 3, 4, 2)[0, 0])

# %% [markdown]
# You gave head 0 a piece of every token; the view, which moves no number, gave it a piece of *time*. A
# view on the way back undoes it exactly, so neither shapes nor "split, then merge" betray it. Ask, as in
# lesson 02, which output depends on which input. What do you expect of the views?


# %% demo
def who_sees_whom(split, merge):
    """1 where output t (row) depends on input s (column): 6 tokens, 3 heads, no mask."""
    attend = lambda x: merge(scaled_dot_product_attention(*[split(x[None])] * 3)[0])[0]
    slopes = torch.autograd.functional.jacobian(attend, torch.randn(6, 6))  # (target, 6, source, 6)
    return (slopes.abs().sum(dim=(1, 3)) > 1e-6).float()


who_sees_whom(lambda x: x[:, None], lambda x: x[:, 0]).sum(dim=1)  # one head: each word depends on all 6

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
# With views each head is a block of two neighbors, and *games* never hears of *beijing*. It trains all
# the same: the repository hyunwoongko/transformer computed this from 2019 to 2021.
#
# ## 3. The layer
#
# $$\text{head}_i = \text{Attention}(Q W_i^Q,\; K W_i^K,\; V W_i^V) \qquad
# \text{MultiHead}(Q, K, V) = \text{Concat}(\text{head}_1, \ldots, \text{head}_h)\, W^O$$
#
# where $d_v$, the width of a head's values, is the same as $d_k$ here,
# with $W_i^Q, W_i^K \in \mathbb{R}^{d_\text{model} \times d_k}$, $W_i^V \in \mathbb{R}^{d_\text{model}
# \times d_v}$ and $W^O \in \mathbb{R}^{h d_v \times d_\text{model}}$ (section 3.2.2).

# %% [markdown] corrects="000(b) 001(e) 001(f) 003(f)"
# It is often copied wrongly:
#
# - $W^Q$ and $W^K$ have the same $d_k$, for their results are multiplied.
# - *Concat* joins the heads of one position, not the positions.
# - Without $W^O$ no head meets another.
# - There is no ReLU: all four maps are linear.
#
# In code the matrices $W_1^Q$ to $W_h^Q$ stand side by side in one `nn.Linear(d_model, d_model)`:
# project first, then split. (Split the *input*, and a head knows but $d_k$ features of a word.)
#
# The next cell draws PyTorch's layer with random weights: 12 features, three heads. Follow the word *chases*
# from top to bottom. At which point does a feature of head 0 meet a feature of head 2 for the first time?

# %% demo
sentence = "the cat chases the dog".split()
with torch.no_grad(), torch.random.fork_rng():  # later cells draw the same numbers with or without this one
    layer = nn.MultiheadAttention(12, 3, batch_first=True)
    x = torch.randn(4, 12)[[0, 1, 2, 0, 3]][None]  # (batch, seq, d_model)
    _, weights = layer(2 * x, 2 * x, x, average_attn_weights=False)  # (batch, heads, target, source)
diagrams.multi_head(weights[0], 12, sentence, asking=2).picture()

# %% [markdown]
# In $W^O$, and not before. (The two words *the* have the same weight in each head: they have the same vector,
# and nothing tells their positions. Lesson 04 does.)

# %% [markdown]
# ### The mask
#
# Masks stay as they are: `(batch, 1, source)` for padding, `(target, source)` for the future, the same
# for all heads. But the scores are `(batch, heads, target, source)` now, and PyTorch aligns axes from
# the right: which of these would meet the mask's batch? Make room for the heads first.

# %% demo
scores = [("batch", 2), ("heads", 3), ("target", 5), ("source", 4)]
mask = [("batch", 2), ("target", 1), ("source", 4)]
masks = {"the mask as it is": mask, "with room for the heads": [mask[0], ("heads", 1), *mask[1:]]}
diagrams.aligned_axes(scores, masks).picture()

# %% [markdown]
# An error is the lucky case. With as many heads as sentences there would be none (you will see it below).
#
# **Exercise 3** · medium · 15 minutes. Call `split_heads`, `scaled_dot_product_attention` and
# `merge_heads`. (PyTorch has all of it in `F.multi_head_attention_forward`: build it without.)


# %% exercise="MultiHeadAttention"
class MultiHeadAttention(nn.Module):
    """Attention by `heads` heads side by side (Vaswani et al. 2017, section 3.2.2).

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
        key, value = split_heads(self.key(key), self.heads), split_heads(self.value(value), self.heads)
        mask = None if mask is None else mask[..., None, :, :]
        read, weights = scaled_dot_product_attention(query, key, value, mask)
        return self.output(merge_heads(read)), weights
        ### END SOLUTION


# %% check="MultiHeadAttention" points=9
check("MultiHeadAttention", MultiHeadAttention)

# %% [markdown]
# ### Equally many sentences and heads
#
# What if you forget the mask's axis for the heads? Mostly an error. But take 3 heads and 3 sentences, of
# 4, 2 and 1 words. Below, a row is a sentence, a column a head, a number how many words a query sees.
# Whose mask does head 0 get?

# %% demo
mask = padding_mask(torch.tensor([[4, 5, 6, 7], [8, 9, 0, 0], [5, 0, 0, 0]]))  # (batch, 1, source)
for name, used in (("with room for the heads", mask[..., None, :, :]), ("as it is", mask)):
    seen = used.expand(3, 3, 5, 4)[:, :, 0].sum(dim=-1)  # against scores (batch, heads, target, source)
    print(name, seen.tolist())

# %% [markdown]
# Without room, head 0 gets the mask of sentence 0 in *every* sentence, and head 2 that of sentence 2. No
# error: words are hidden, and padding is seen.
#
# ### Beside PyTorch's
#
# `nn.MultiheadAttention` keeps $W^Q$, $W^K$ and $W^V$ in one matrix, hides where a mask is True, and
# averages the heads' weights unless told otherwise. Give it your numbers:

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
# Some say that the heads' results are added up. Cut $W^O$ into the rows that meet each head (columns of
# `output.weight`, for `nn.Linear` stores $W^\top$) and multiply:
#
# $$\text{Concat}(\text{head}_1, \ldots, \text{head}_h)\, W^O = \sum_i \text{head}_i\, W^O_i$$

# %% demo corrects="002(h)"
layer, x = MultiHeadAttention(12, 3), torch.randn(2, 5, 12)
output, weights = layer(x, x, x)
read = weights @ split_heads(layer.value(x), 3)  # (batch, heads, seq, d_k)
pieces = layer.output.weight.split(4, dim=1)  # three of (d_model, d_k)
total = sum(F.linear(read[:, i], pieces[i]) for i in range(3)) + layer.output.bias
print("each through its own matrix, then added:", torch.allclose(total, output, atol=1e-6))
print("added as they are, head 0 and head 1 exchanged:", torch.equal(read.sum(1), read[:, [1, 0, 2]].sum(1)))

# %% [markdown] corrects="002(h)"
# Adding is correct only after $W^O$, because there each head has been multiplied by its own matrix. If you
# add the heads before that, you can no longer tell which head has read what.
#
# ### More heads, more parameters?
#
# What is the number for 1, 2, 8 and 64 heads, at $d_\text{model} = 512$?

# %% demo
count = lambda module: sum(parameter.numel() for parameter in module.parameters())
{heads: count(MultiHeadAttention(512, heads)) for heads in (1, 2, 8, 64)}

# %% [markdown]
# Always $4 d_\text{model}^2 + 4 d_\text{model}$: heads cut the same matrices into other pieces.

# %% [markdown] corrects="001(b) 002(g) 002(k) 003(b) 003(c) 004(i)"
# ## 4. One layer, three uses
#
# The **encoder** is the half of a translator that reads the source, the **decoder** the half that writes the
# target. Lesson 06 builds both, of this layer:
#
# | where | query | key and value | mask |
# |---|---|---|---|
# | encoder, self-attention | source | source | padding of the source |
# | decoder, self-attention | target | target | the future |
# | decoder, cross-attention | target | the encoder's output | padding of the source |

# %% [markdown]
# The encoder hides no future. A decoder layer has one self-attention and one cross-attention, and both
# work in training *and* in translation. In self-attention query, key and value come from one place but
# are not the same: three matrices see to that. With $n$ source and $m$ target words, which shapes do you
# expect?

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
# The second sentence has two words and two pads: an encoder word sees 2 of 4, decoder words see 1, 2, 3,
# and each of them the 2 source words. There are as many outputs as queries: $n$ in the encoder, $m$ in
# the decoder.
#
# *A good place to stop: about 50 minutes so far. When you come back, run all cells above.*
#
# ## 5. What do heads really do?
#
# First a task that needs two averages. Of six animals one is marked as chaser, one as chased. A learned
# query reads them through *your* layer, and must give both animals side by side. (`hidden` will put a
# small network behind the layer.)


# %% demo
def chases(count):
    """Rows of animals, and the answers; features 0 to 7: which animal, 8: chases, 9: is chased."""
    x = torch.zeros(count, 6, 16)
    x[..., :8] = F.one_hot(torch.rand(count, 8).argsort(dim=-1)[:, :6], 8)  # all different
    x[:, 0, 8] = x[:, 1, 9] = 1  # attention knows no order, so their places do not matter
    return x, x[:, :2, :8].flatten(1)


x, answer = chases(1)
x[0, :, :10].int(), answer.int()


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
    """Percent of 2000 rows for which the chaser, and the chased, is the largest of its eight numbers."""
    x, answer = chases(2000)
    animals = lambda y: y.unflatten(-1, (2, 8)).argmax(dim=-1)  # (batch, 2)
    return 100 * (animals(verb(x)[0]) == animals(answer)).float()


both = lambda verb: f"{right(verb).mean(dim=-1).eq(100).float().mean():4.0%}"
for heads in (1, 2, 4):
    found = [both(taught(heads, seed)) for seed in range(3)]
    print(f"heads: {heads}, 3 seeds: both animals right in", *found)

# %% [markdown]
# In 18 seeds one head never succeeded: both animals were right in 15 to 29 % of the rows. With as many
# parameters, two heads succeeded in 17 of 18 seeds (31 % of the rows in the other), and so did four heads
# (94 % of the rows in the other). Where do they look? Guess before you draw.

# %% demo
x, _ = chases(1)
maps = {heads: taught(heads, seed=0)(x)[1][0] for heads in (1, 2, 4)}  # (heads, keys)
keys, axes = ["chaser", "chased", *4 * ["other"]], plots.panels(3, height=2.4)
for ax, (heads, weights) in zip(axes, maps.items(), strict=True):
    rows = [f"head {i}" for i in range(heads)]
    plots.attention_map(weights, rows, keys, ax=ax, title=f"heads: {heads}")
    ax.set_ylabel("the verb, through")
plots.show(axes[0])

# %% [markdown] corrects="004(g)"
# One head reads one of the two animals and hardly more than guesses the other (1 in 7 would be 14 %).
#
# ### Do heads insure each other?
#
# You may also read that eight heads do one job eight times, from different random starts, so that a bad
# one does no harm. Take a head out: zero its columns in `output.weight`. Who is missed?

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
# Of two heads each has a job of its own: without it one animal is a guess (in six seeds 12 to 27 %). Of
# four heads mostly two share a job: without one of them its animal is still right in 38 to 87 % (six
# seeds). So they insure each other in part. They must share here: a head has $d_k = 4$ numbers, too few for
# eight animals.
#
# ### Can one head do it after all?
#
# In a Transformer a small network follows, and can untangle a *mixture* of 0.8 and 0.2. Does one head
# suffice now?

# %% demo
found = [both(taught(1, seed, hidden=64, steps=800)) for seed in range(3)]
print("heads: 1, and a network, 3 seeds: both animals right in", *found)

# %% [markdown]
# Sometimes (in 9 of 18 seeds). Heads are not strictly necessary; they make things easy to learn.
#
# ### In a real translator
#
# Now the course's translator, one layer each in encoder and decoder, with one head or four, after 400
# steps of training (about 10 seconds together). Which will be better, and by how much?

# %% demo
corpus = load_corpus()


def trained(heads):
    torch.manual_seed(0)
    translator = Translator.for_pairs(corpus.train, heads=heads)
    data = Bitext(corpus.train, translator.source_words, translator.target_words)
    train(translator.model, data, Recipe(steps=400), progress=False)
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
# Percent of new sentences right (in brackets: of new *combinations* of known words) in six seeds:
#
# | | one head | four heads |
# |---|---|---|
# | 400 steps | 92.8 to 94.0 (87.2 to 92.5) | 94.2 to 96.0 (85.8 to 92.2) |
# | 1200 steps | 98.2 to 99.8 (96.5 to 99.2) | 99.5 to 100 (98.8 to 100) |
#
# Of new sentences four heads had a few more right: with every seed after 400 steps, with five of six
# after 1200. The paper lost 0.9 BLEU with one head, and some again with 32 (its table 3, rows A).
#
# Here are all heads of the three attentions. In the first, do *winter* and *games* find each other? In
# the last, which English words does 冬奥会 (*Winter Olympics*) read?

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
# Few heads deserve a name: most look at several things, and another training gives other maps (in four of
# our six seeds a head gave *games* half of *winter*'s weight or more, in the others none did). Nor does a
# large weight prove that a word matters. So take heads out, one at a time, and translate.

# %% demo
encoder, decoder = translators[4].model.encoder.layers[0], translators[4].model.decoder.layers[0]
attentions = {"encoder": encoder.self_attention, "decoder": decoder.self_attention}
print("all heads", exact(translators[4], corpus.test[:200]))
for name, attention in (attentions | {"cross": decoder.cross_attention}).items():
    weight, left = attention.out_proj.weight.detach(), []
    saved = weight.clone()
    for head in range(4):
        weight[:, 16 * head : 16 * head + 16] = 0
        left.append(exact(translators[4], corpus.test[:200]))
        weight.copy_(saved)
    print(f"{name:8} without head 0, 1, 2, 3: {left}")

# %% [markdown]
# Of 93 to 97 % (six seeds), 48 to 81 % stay right without a head of cross-attention, 78 to 96 %
# without one of self-attention. So no head carries everything, and a few carry almost nothing. In large
# models many heads can go (Michel et al. 2019, *Are Sixteen Heads Really Better than One?*).
#
# ## 6. What it costs
#
# A product of an $(a, b)$ and a $(b, c)$ matrix takes $a\,b\,c$ multiplications. Your layer has four
# projections and, in every head, two more products.
#
# **Exercise 4** · medium · 10 minutes. Count for one sentence.


# %% exercise="attention_cost"
def attention_cost(d_model, heads, target, source):
    """Count what MultiHeadAttention does for `target` queries and `source` keys of one sentence.

    Returns two numbers: the multiplications in all matrix products (biases and softmax not counted), and
    the attention weights of all heads.
    """
    ### BEGIN SOLUTION
    projections = 2 * (target + source) * d_model**2  # query and output, key and value
    scores_and_averages = 2 * target * source * d_model  # heads * d_k = d_model
    return projections + scores_and_averages, heads * target * source
    ### END SOLUTION


# %% check="attention_cost" points=4
check("attention_cost", attention_cost)

# %% [markdown]
# PyTorch can count along (two FLOPs are one multiplication and one addition). From which $n$ on do
# pairs cost more than projections, if $d_\text{model}$ is 64?

# %% demo
layer = MultiHeadAttention(64, 4)
for n in (32, 64, 128, 256):
    with FlopCounterMode(display=False) as counter:
        layer(*[torch.randn(1, n, 64)] * 3)
    cost, weights = attention_cost(64, 4, n, n)
    print(f"n {n:3}: counted {counter.get_total_flops() // 2:9,}, formula {cost:9,},", end=" ")
    print(f"pairs {2 * n * n * 64 / cost:.0%}, {weights:,} weights")

# %% [markdown] corrects="002(l)"
# At $n = 2 d_\text{model}$ both are equal. The paper's table 1 leaves our projections out:
#
# | layer | work | steps one after the other | longest path |
# |---|---|---|---|
# | self-attention | $n^2 d$ | 1 | 1 |
# | recurrent | $n\,d^2$ | $n$ | $n$ |
# | convolution, width $k$ | $k\,n\,d^2$ | 1 | $\log_k n$ |
# | self-attention to $r$ neighbors | $r\,n\,d$ | 1 | $n / r$ |

# %% [markdown]
# The **longest path** is the number of layers or steps through which a signal goes from one word to the one
# farthest away. A recurrent step needs the *state* of the one before, hence $n$ in a row. The $\log_k n$
# needs growing gaps between a convolution's inputs (dilation); without them it is $n / k$.

# %% [markdown]
# ### Time as $n$ doubles
#
# By the table, attention has four times the work, the others twice. And the time?


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
    """Milliseconds of three layers over n tokens of 64 features."""
    x, heads = torch.randn(1, n, 64), torch.randn(1, 4, n, 16)
    attend = lambda: scaled_dot_product_attention(heads, heads, heads)
    runs = {"self-attention": attend, "recurrent (GRU)": lambda: gru(x), "convolution": lambda: conv(x.mT)}
    return {name: milliseconds(run) for name, run in runs.items()}


compared(128)

# %% demo
sizes = [128, 256, 512, 1024, 2048]
rows = [compared(n) for n in sizes]
spent = {name: [row[name] for row in rows] for name in rows[0]}
for name, times in spent.items():
    print(f"{name:16} times", *(f"{b / a:4.1f}" for a, b in pairwise(times)))
ax = plots.lines(sizes, spent, "tokens $n$", "milliseconds")
ax.set_yscale("log")
ax.set_xscale("log", base=2)
ax.set_xticks(sizes, sizes)
plots.show(ax)

# %% [markdown]
# Attention's factors are about 4, and more where its tables outgrow the processor's cache; the others'
# about 2. Attention starts below the recurrent layer and ends above it. The third column is the paper's
# main argument: attention computes all positions in **parallel**, while the recurrent layer needs $n$ steps
# in a row. Processor time does not show it; a GPU, which computes thousands of numbers at once, does.
#
# ### Memory as $n$ doubles
#
# Autograd can be asked how much it keeps for the backward pass. `F.scaled_dot_product_attention`
# computes the same output in one piece, and returns no weights.


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
ways = {"with a table of weights": scaled_dot_product_attention, "fused": F.scaled_dot_product_attention}
megabytes = {name: [kept(attend, n) for n in sizes] for name, attend in ways.items()}
for name, amounts in megabytes.items():
    print(f"{name:23} times", *(f"{b / a:.2f}" for a, b in pairwise(amounts)))
ax = plots.lines(sizes, megabytes, "tokens $n$", "megabytes kept")
ax.set_yscale("log")
ax.set_xscale("log", base=2)
ax.set_xticks(sizes, sizes)
plots.show(ax)

# %% [markdown]
# The table of weights quadruples. The fused function never stores it: it works through the keys in
# blocks, and computes the weights again in the backward pass (FlashAttention, Dao et al. 2022). Its memory
# doubles; its *work* is still four times as much.
#
# ## 7. In your own words
#
# A classmate sets `heads=1` in place of 8, "to save parameters and time, one head can look at
# everything anyway". Answer with (a) what happens to the number of parameters and of multiplications,
# (b) what one softmax cannot give, with an example of your own, and (c) what does grow with the number
# of heads.

# %% [markdown] points=3 question="one_head_or_eight"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** both counts, of parameters and of multiplications for a pair of words, each
# for one head and for eight.
# **Model answer:** Nothing: the four matrices have 4 · d_model² numbers whatever the heads, and each pair
# costs heads · d_k = d_model multiplications.
# **Marking:** Half a point for one of the two.
#
# (b) **A full answer names** how many averages a query gets from one softmax, and a word that needs two
# things at once.
# **Model answer:** One softmax is one average for each query. A word that needs two things separately (a
# verb its subject and its object, say) gets a mixture, from which linear maps cannot take both.
# **Marking:** Accept "a later network can untangle it, but that is harder to learn". No point for "heads
# correct each other's random start".
#
# (c) **A full answer names** the tensor that has an axis of heads and no axis of d_k, and its size.
# **Model answer:** The attention weights, heads · n² of them, and the memory that keeps them.
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - One softmax is one average; $h$ heads are $h$ averages, in $d_\text{model} / h$ dimensions each.
# - Cut features, not time; merge in reverse order; mix by $W^O$.
# - One layer serves encoder, decoder and cross-attention: only arguments and mask differ.
# - Heads cost no parameters. They make things easier to learn; one head may still come close.
# - Work grows as $n^2 d + n d^2$; stored weights as $h\,n^2$, unless they are never stored.
#
# **Next:** attention does not know which word came first. Lesson 04 tells it.

# %%
progress()
