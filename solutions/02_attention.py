# %% [markdown]
# # Attention: choosing what to read
#
# A translator that writes 奥会 must look back at *winter* and *games*, and not at *I*. Attention is the part
# that chooses. In this lesson you build it: from a look-up in a table of three numbers to the masked, scaled
# attention of the Transformer, with both of its masks.
#
# **You need** Python, matrix products, and what a gradient is. **Time:** 50 minutes, five exercises.
#
# How it works: write your code where it says `raise NotImplementedError()`, run the cell, then run the check
# below it. The check tells what is right, and why not if it is not. `hint("name")` helps, one step at a time.

# %%
import math

import torch

from course_lib import plots
from course_lib.checks.attention import check, hint, progress

torch.manual_seed(0)
f"PyTorch {torch.__version__} is ready"

# %% [markdown]
# ## 1. A soft look-up
#
# Three people, their waist in centimeters and their weight in kilograms. What would you guess for a waist of
# 57?
#
# | waist (key) | weight (value) |
# |---|---|
# | 51 | 40 |
# | 56 | 43 |
# | 58 | 48 |
#
# A Python `dict` fails: 57 is not in it. A better table answers every **query** with an average of all
# **values**, in which near **keys** count most. The weights depend on the query, are not negative, and sum to
# 1. That is attention.

# %% [markdown]
# $$\text{prediction}(q) = \sum_i \alpha(q, k_i)\, v_i \qquad
# \alpha(q, k_i) = \frac{e^{s(q, k_i)}}{\sum_j e^{s(q, k_j)}} \qquad
# s(q, k) = -\frac{(q - k)^2}{2\,\text{width}^2}$$
#
# The score $s$ is high where a key is near. The softmax turns scores into weights. With this score the
# formula is the kernel regression of Nadaraya and Watson (1964), sixty years older than its fame.
#
# **Exercise 1** · easy · 8 minutes. Five queries and seven keys: what shape do the weights have? Decide, then
# write.


# %% exercise="attention_pooling"
def attention_pooling(query, key, value, width=1.0):
    """Predict a value for each query by averaging all values, near keys counting most.

    Shapes: query (target,), key (source,), value (source,) -> prediction (target,), weights (target, source).
    The score of a pair is minus its squared distance over 2 * width ** 2.
    """
    ### BEGIN SOLUTION
    distance = query[:, None] - key[None, :]  # (target, source)
    weights = torch.softmax(-(distance**2) / (2 * width**2), dim=-1)
    return weights @ value, weights
    ### END SOLUTION


# %% check="attention_pooling" points=7
check("attention_pooling", attention_pooling)

# %% [markdown]
# Now ask for 57. Two keys are equally near and the third is far, so the answer should lie halfway between 43
# and 48.

# %% demo
waist, weight = torch.tensor([51.0, 56.0, 58.0]), torch.tensor([40.0, 43.0, 48.0])
prediction, weights = attention_pooling(torch.tensor([57.0]), waist, weight)
plots.show(
    plots.attention_map(weights, ["57"], ["51", "56", "58"], title=f"prediction {prediction.item():.1f} kg")
)

# %% [markdown]
# The width decides how soft the look-up is. Before you run the next cell: what does a very narrow kernel
# predict, and what a very wide one?

# %% demo
grid = torch.linspace(48, 61, 200)
curves = {f"width {w}": attention_pooling(grid, waist, weight, width=w)[0] for w in (0.3, 1.5, 10.0)}
ax = plots.lines(grid, curves, "waist (query), cm", "predicted weight, kg")
ax.plot(waist, weight, "ko", label="the table")
ax.legend(frameon=False)
plots.show(
    ax,
    "Predicted weight against waist. Width 0.3 jumps from one table value to the next, width 1.5 rises "
    "smoothly through them, width 10 is nearly flat at their mean of 43.7.",
)

# %% [markdown]
# ### Soft against hard
#
# A narrow kernel takes one value and forgets the rest: **hard** attention. What is wrong with that? Nothing,
# until you want to learn. A step has no slope, so no gradient tells the query where to go.

# %% demo
for w in (2.0, 0.05):
    query = torch.tensor([56.6], requires_grad=True)
    attention_pooling(query, waist, weight, width=w)[0].backward()
    print(f"width {w:4}: d prediction / d query = {query.grad.item():.4f}")
hardest = (torch.tensor([56.6])[:, None] - waist).abs().argmin(dim=-1)
print("argmin:      requires_grad =", weight[hardest].requires_grad, "(an index has no gradient at all)")

# %% [markdown]
# ### Does a dot product do the same?
#
# The Transformer scores by the dot product $q \cdot k$. It is tempting to use it here too. Guess first: which
# weights will $57 \cdot 51$, $57 \cdot 56$ and $57 \cdot 58$ give?

# %% demo corrects="003(j)"
scores = torch.tensor([57.0])[:, None] * waist[None, :]
weights = torch.softmax(scores, dim=-1)
print("scores ", scores.tolist())
print("weights", weights.tolist(), " prediction", (weights @ weight).item())

# %% [markdown] corrects="003(j)"
# All weight on 58, the *largest* key, and a prediction of 48.0 in place of 45.5. A dot product does not
# measure nearness: it grows with length. It finds the similar key only among vectors of like length, where
# $\lVert q-k \rVert^2 = \lVert q \rVert^2 + \lVert k \rVert^2 - 2\,q \cdot k$ leaves nothing else to compare.
# Keep this in mind whenever somebody explains attention with raw numbers.

# %% [markdown]
# ## 2. A score that is learned
#
# Distance is our choice of what "near" means. For words nobody knows the right one, so let a small network
# score each pair. Bahdanau, Cho and Bengio (2015) did this for translation: the decoder's state asks, every
# state of the encoder is scored, and the translator reads where the score is high. Before that, one vector
# had to hold the whole sentence.
#
# $$s(q, k) = v^\top \tanh(W_q^\top q + W_k^\top k)$$
#
# Query and key may have different sizes; both are projected to the same hidden size and **added**, hence the
# name additive attention.

# %% [markdown]
# **Exercise 2** · medium · 12 minutes. Every query meets every key, so the hidden layer has four axes. Which?
#
# Rows are vectors here, so $W_q^\top q$ is `query @ W_query`.


# %% exercise="additive_attention"
def additive_attention(query, key, value, W_query, W_key, v):
    """Average the values by weights from a network with one hidden layer.

    Shapes: query (batch, target, d_q), key (batch, source, d_k), value (batch, source, d_v),
    W_query (d_q, hidden), W_key (d_k, hidden), v (hidden,)
    -> output (batch, target, d_v), weights (batch, target, source).
    """
    ### BEGIN SOLUTION
    queries, keys = query @ W_query, key @ W_key
    hidden = torch.tanh(queries[:, :, None] + keys[:, None])  # (batch, target, source, hidden)
    weights = torch.softmax(hidden @ v, dim=-1)
    return weights @ value, weights
    ### END SOLUTION


# %% check="additive_attention" points=6
check("additive_attention", additive_attention)

# %% [markdown]
# ### What the tanh is for
#
# Leave the tanh out and the score is $v^\top W_q^\top q + v^\top W_k^\top k$: a number for the query plus a
# number for the key. A softmax does not notice a constant added to all of its scores. What is left of the
# query?

# %% demo
key, W_query, W_key, v = torch.randn(4, 3), torch.randn(2, 8), torch.randn(3, 8), torch.randn(8)
for query in (torch.tensor([1.0, 0.0]), torch.tensor([-3.0, 5.0])):
    hidden = query @ W_query + key @ W_key
    plain, curved = torch.softmax(hidden @ v, dim=-1), torch.softmax(torch.tanh(hidden) @ v, dim=-1)
    print("without tanh", [f"{w:.3f}" for w in plain], "  with tanh", [f"{w:.3f}" for w in curved])

# %% [markdown]
# Nothing is left: without tanh both queries get the same weights (a theorem, not an accident). With tanh each
# query has its own.

# %% [markdown] corrects="000(c)"
# ## 3. Scaled dot-product attention
#
# The hidden layer for every pair costs time and memory. If query and key have the same size $d_k$, a dot
# product scores all pairs in one matrix product. That is the attention of the Transformer (Vaswani et al.
# 2017, eq. 1):
#
# $$\text{Attention}(Q, K, V) = \text{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right) V$$
#
# Read it in three steps: similarity, weights, average. It is often called a similarity measure; that is its
# first step only. What comes out is a weighted average of values.

# %% [markdown] corrects="001(c) 002(d)"
# ### Why divide?
#
# Let the entries of $q$ and $k$ be independent, with mean 0 and variance 1. Then $q \cdot k$ has variance
# $d_k$: its spread is $\sqrt{d_k}$. ($d_k$ is the number of entries of a key, not its length as a vector, and
# the factor is $1/\sqrt{d_k}$, not $d_k$.) See what this does to a softmax over 10 keys.

# %% demo corrects="001(d) 002(b) 002(c) 003(k)"
sizes, kept = [1, 4, 16, 64, 256, 1024], {"q · k": [], "q · k / √d_k": []}
for d_k in sizes:
    scores = torch.randn(2000, 1, d_k) @ torch.randn(2000, d_k, 10)
    for (name, largest), factor in zip(kept.items(), (1, 1 / math.sqrt(d_k)), strict=True):
        p = torch.softmax(scores * factor, dim=-1)
        largest.append(p.amax(-1).mean().item())
        slope = (p * (1 - p)).sum(-1).mean()
        print(f"d_k {d_k:4}  {name:12} spread {(scores * factor).std():5.2f}  p(1-p) {slope:.3f}")
ax = plots.lines(sizes, kept, "d_k", "largest of 10 weights, mean")
ax.set(xscale="log", ylim=(0, 1.05))
plots.show(ax, "The largest of 10 weights against d_k: raw it grows towards 1, scaled it stays near 0.3.")

# %% [markdown]
# Unscaled, one weight goes to 1 and the **others to 0**: the softmax saturates, and the gradient through it,
# $p(1-p)$, dies. Scaling keeps the gradient alive; it does not make it smaller.
#
# This is about the start of training. Later a model may learn large scores if it wants sharp attention.

# %% [markdown]
# ### True may look
#
# Sometimes a query must not see a key. A **mask** says so: a boolean tensor, in this course **True where a
# query may look**, as in `torch.nn.functional.scaled_dot_product_attention`. (`torch.nn.MultiheadAttention`
# has it the other way round. Half of all mask bugs are this.) Where the mask is False the score becomes
# $-\infty$ *before* the softmax, since $e^{-\infty} = 0$.
#
# **Exercise 3** · medium · 12 minutes. The mask broadcasts to the scores. Leading axes may be more than a
# batch: lesson 03 adds heads.


# %% exercise="scaled_dot_product_attention"
def scaled_dot_product_attention(query, key, value, mask=None):
    """Average the values by the softmax of scaled dot products (Vaswani et al. 2017, eq. 1).

    Shapes: query (..., target, d_k), key (..., source, d_k), value (..., source, d_v)
    -> output (..., target, d_v), weights (..., target, source).
    mask: boolean, True where a query may look; broadcasts to (..., target, source).
    """
    ### BEGIN SOLUTION
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights
    ### END SOLUTION


# %% check="scaled_dot_product_attention" points=9
check("scaled_dot_product_attention", scaled_dot_product_attention)

# %% [markdown]
# Which sizes must agree, and which may differ? Predict both shapes before you run this.

# %% demo corrects="002(f)"
query, key, value = torch.randn(2, 5, 6), torch.randn(2, 7, 6), torch.randn(2, 7, 4)
output, weights = scaled_dot_product_attention(query, key, value)
tuple(output.shape), tuple(weights.shape)

# %% [markdown] corrects="002(f)"
# Queries and keys share their width (6), for they are multiplied. Keys and values share their **number** (7),
# for each value has one weight; the width of a value (4) is free. The number of queries (5) is free too.

# %% [markdown]
# ## 4. Padding must not be read
#
# Sentences in a batch have different lengths, so short ones are filled up with `pad`. A softmax gives every
# key some weight, and $e^s$ is never 0: without a mask each word reads the filling.
#
# **Exercise 4** · easy · 4 minutes. From ids to a mask. It must broadcast to (batch, target, source), the
# same for all queries of a sentence.


# %% exercise="padding_mask"
def padding_mask(ids, pad=0):
    """Hide padding: boolean, True where a query may look.

    Shapes: ids (batch, source), integers -> mask (batch, 1, source).
    """
    ### BEGIN SOLUTION
    return (ids != pad)[:, None, :]
    ### END SOLUTION


# %% check="padding_mask" points=4
check("padding_mask", padding_mask)

# %% [markdown]
# ### Why minus infinity, and why before the softmax
#
# Two shortcuts look fine: set the hidden *score* to 0, or set the hidden *weight* to 0 afterwards. Try them
# on scores 2, 1 and -1, with the last key hidden. Which rows sum to 1?

# %% demo corrects="004(k)"
scores, seen = torch.tensor([[2.0, 1.0, -1.0]]), torch.tensor([[True, True, False]])
ways = {
    "no mask": torch.softmax(scores, dim=-1),
    "score set to 0": torch.softmax(scores.masked_fill(~seen, 0), dim=-1),
    "weight set to 0": torch.softmax(scores, dim=-1) * seen,
    "score set to -inf": torch.softmax(scores.masked_fill(~seen, -torch.inf), dim=-1),
}
for name, row in ways.items():
    print(f"{name:18}", [f"{w:.3f}" for w in row[0]], f"sum {row.sum():.3f}")

# %% demo
ax = plots.attention_map(torch.cat(list(ways.values())), list(ways), ["2", "1", "-1 (hidden)"])
ax.set(xlabel="score of the key", ylabel="")
plots.show(
    ax,
    "Weights under four ways of masking: a score of 0 gives the hidden key .09, more than no mask at all; "
    "only minus infinity gives it 0 and keeps the sum at 1.",
)

# %% [markdown]
# A score of 0 *raised* the hidden key from .04 to .09: zero is a normal score. Zeroing the weight leaves a
# row that no longer sums to 1, and the hidden score stays in the denominator. Only $-\infty$ before the
# softmax removes the key.

# %% [markdown]
# ### What the mask buys: independence of the batch
#
# The same sentence, alone and beside a longer one. Its output must not depend on its neighbors.

# %% demo
table = torch.randn(10, 8)
table[0] = torch.randn(8)  # even padding has a vector
alone, batch = torch.tensor([[4, 5]]), torch.tensor([[4, 5, 0, 0, 0], [6, 7, 8, 9, 4]])
for name, mask_of in (("without mask", lambda ids: None), ("with mask", padding_mask)):
    x, xs = table[alone], table[batch]
    short = scaled_dot_product_attention(x, x, x, mask=mask_of(alone))[0][0]
    padded = scaled_dot_product_attention(xs, xs, xs, mask=mask_of(batch))[0][0, :2]
    print(f"{name:13} largest difference {(short - padded).abs().max():.1e}")

# %% [markdown] corrects="000(d)"
# ### Why keys, and not queries
#
# The padded *queries* compute something too: rows of garbage. Should you mask them as well? Look at what a
# row without any key becomes.

# %% demo corrects="000(d)"
real = torch.tensor([[True, True, False]])
rows_too = real[:, :, None] & real[:, None, :]
x = torch.randn(1, 3, 4, requires_grad=True)
scores = (x @ x.mT / 2).masked_fill(~rows_too, -torch.inf)
print(torch.softmax(scores, dim=-1)[0].detach())
added = torch.zeros(1, 3, 3).masked_fill(~rows_too, -torch.inf)
for name, hidden in (("masked_fill", scores), ("adding -inf", x @ x.mT / 2 + added)):
    output = torch.softmax(hidden, dim=-1).nan_to_num() @ x
    gradient = torch.autograd.grad(output.sum(), x)[0]
    print(f"{name} and nan_to_num: output {output[0, 0, 0]:.2f}, its gradient {gradient[0, 0, 0]:.2f}")

# %% [markdown] corrects="000(d)"
# 0/0: a softmax over nothing is NaN. `nan_to_num` cleans the output, but with an additive mask the gradient
# stays NaN. And there is nothing to gain: nobody reads padded rows, because their *columns* are masked and
# the loss ignores their positions. Mask keys; leave queries alone.

# %% [markdown] corrects="003(d)"
# ## 5. The future must not be read
#
# A decoder learns to predict each word from those before it. In training the whole target stands in the
# input, so that all positions learn at once; a position that sees the next word would copy it. The **causal
# mask** prevents this leak of the answer. (It is no regularizer: without it the model is not worse at the
# task, it does another task.)
#
# Row $t$ may see columns 0 to $t$. Itself too? Yes: position $t$ holds word $t$ and predicts word $t + 1$.
#
# **Exercise 5** · easy · 4 minutes.


# %% exercise="causal_mask"
def causal_mask(size):
    """Hide the future: boolean, True where a query may look.

    Shape: (size, size), target by source.
    """
    ### BEGIN SOLUTION
    return torch.ones(size, size, dtype=torch.bool).tril()
    ### END SOLUTION


# %% check="causal_mask" points=3
check("causal_mask", causal_mask)

# %% [markdown]
# ### Who can see whom
#
# Weights tell what is averaged. What an output really depends on, gradients tell: if word $s$ changes a
# little, does output $t$ move? Below: no mask, a mask before the softmax, and a mask after it, without
# renormalizing. Which cells will be lit?


# %% demo
def who_sees_whom(attend, size=5):
    """1 where output t (row) depends on input s (column)."""
    x = torch.randn(1, size, 8, requires_grad=True)
    rows = [torch.autograd.grad(y.pow(2).sum(), x, retain_graph=True)[0][0] for y in attend(x)[0]]
    return (torch.stack(rows).norm(dim=-1) > 1e-6).float()


who_sees_whom(lambda x: x)  # every output is its own input

# %% demo
attend, past, words = scaled_dot_product_attention, causal_mask(5), ["我", "是", "一", "个", "学生"]
variants = {
    "no mask": lambda x: attend(x, x, x)[0],
    "before the softmax": lambda x: attend(x, x, x, mask=past)[0],
    "after the softmax": lambda x: (attend(x, x, x)[1] * past) @ x,
}
axes = plots.panels(3)
for ax, (name, variant) in zip(axes, variants.items(), strict=True):
    plots.attention_map(who_sees_whom(variant), words, words, ax=ax, title=name)
    ax.set(xlabel="input word", ylabel="output word")
plots.show(axes[0], "Inputs that reach an output: only the past when masked before the softmax, else all.")

# %% [markdown]
# Masked *after* the softmax every output still depends on every word: the future sits in the denominator. All
# its weights on the future are 0, and it leaks. A heatmap would have shown you nothing wrong.

# %% [markdown]
# ## 6. What attention looks like
#
# To end, a sentence. The word vectors below are written by hand: a line of the table is a direction, and the
# words on it have 2.5 there. (In lesson 07 a model finds such vectors by itself.) First, English words look
# at each other under a causal mask; then each Chinese word looks at the English sentence, as in a translator.

# %% demo
features = """
speaker  i 我
liking   like 喜欢
year     2022
city     beijing 北京
season   winter 冬 奥会
event    games 奥会
olympic  2022 beijing winter games 北京 冬 奥会""".splitlines()[1:]
vectors = lambda words: torch.tensor(
    [[2.5 * (word in line.split()[1:]) for line in features] for word in words]
)
vectors(["games", "奥会"])

# %% demo
english, chinese = "i like the 2022 beijing winter games".split(), "我 喜欢 2022 北京 冬 奥会".split()
source, target = vectors(english), vectors(chinese)
mask = causal_mask(len(english))
_, weights = scaled_dot_product_attention(source, source, source, mask=mask)
plots.show(plots.attention_map(weights, english, english, mask, title="masked self-attention"))

# %% demo
output, weights = scaled_dot_product_attention(target, source, source)
plots.show(plots.attention_map(weights, chinese, english, title="cross-attention"))

# %% [markdown]
# Query, key and value come from one sentence: **self-attention**. Queries from one, keys and values from
# another: **cross-attention**. The same function does both. 奥会 shares its attention between *winter* and
# *games*; 我 looks at *i*. The first row of the causal map has no choice: whoever sees one key gives it all.
#
# Nothing in it knows the order of the words. Shuffle the English columns and the weights move along with
# them. Lesson 04 cures that.

# %% [markdown]
# ## 7. In your own words
#
# Two sentences of 7 and 4 words share a batch. A classmate says: "I also mask the rows of the 3 padded
# queries, to be on the safe side." Explain (a) what the softmax gives for such a row when hidden scores are
# $-\infty$, (b) why it does no harm to leave these rows unmasked, naming both places where they are ignored,
# and (c) what would go wrong if the padded *keys* were left unmasked.

# %% [markdown] points=3 question="mask_keys_not_queries"
# ### BEGIN SOLUTION
# **Marking guide**, one point each. The model answer:
#
# (a) All scores of the row are $-\infty$, so the softmax is 0/0: NaN, which spreads to the loss and all
# gradients. (Half a point for "it cannot be normalized" without NaN. With a finite fill such as -1e9 the row
# is uniform: accept it.)
#
# (b) Their outputs are read by nobody: as keys these positions are masked in every later layer, and the loss
# ignores their targets. (Half a point for one of the two.)
#
# (c) Real words would average in the vectors of padding, so that a sentence's output would depend on how long
# its neighbors in the batch are.
# ### END SOLUTION

# %% [markdown]
# ## What you have
#
# - Attention is a soft look-up: scores, softmax, weighted average.
# - Dot products score all pairs at once; $1/\sqrt{d_k}$ keeps the softmax from saturating at the start.
# - True may look. $-\infty$, before the softmax, on keys.
# - Padding masks make a sentence independent of its batch; the causal mask keeps the answer out of the
#   question.
#
# **Next:** one softmax is one average. Lesson 03 lets several heads look at several things at once.

# %%
progress()
