# %% [markdown]
# # Attention: choosing what to read
#
# A translator has to write 冬奥会 (*Winter Olympics*). The words that it needs are somewhere in *I like
# the 2022 Beijing Winter Games*, and in another sentence they will be at other places. Attention chooses
# them. In this lesson you build attention, from a look-up in a table of three people to the Transformer's
# scaled attention and its two masks.
#
# **You need** lesson 00, matrix products, and the idea of a gradient. Section 7 continues lesson 01.
# **Time:** 80 minutes in two sittings, five exercises.

# %%
import math
from itertools import islice

import torch

from course_lib import plots
from course_lib.corpus import draw_pairs
from course_lib.exercises.attention import check, hint, model_answer, progress
from course_lib.text import Vocabulary, pad_batch
from course_lib.training.skipgram import skipgram_vectors

torch.manual_seed(0)
torch.set_printoptions(precision=3, sci_mode=False)
f"PyTorch {torch.__version__} is ready"

# %% [markdown]
# ## 1. A soft look-up
#
# This table holds the waist (in centimeters) and the weight (in kilograms) of three people. Which weight
# do you predict for a person with a waist of 57 cm?
#
# | waist (key) | weight (value) |
# |---|---|
# | 51 | 40 |
# | 56 | 43 |
# | 58 | 48 |
#
# A Python `dict` cannot answer, because 57 is not one of its keys. Attention is a softer look-up. It
# compares the **query** (here 57) with every **key** and returns an average of all **values**. A value
# counts more if its key is nearer to the query.

# %% [markdown]
# $$\text{prediction}(q) = \sum_i \alpha(q, k_i)\, v_i \qquad
# \alpha(q, k_i) = \frac{e^{s(q, k_i)}}{\sum_j e^{s(q, k_j)}} \qquad
# s(q, k) = -\frac{(q - k)^2}{2\,\text{width}^2}$$
#
# The score $s$ is high if the key is near the query. The softmax turns the scores of a query into weights
# $\alpha$, which sum to 1. (They are not the weights in kilograms.) With this score, attention is the
# kernel regression of Nadaraya and Watson (1964).
#
# **Exercise 1** · easy · 8 minutes. Write this prediction for several queries at once. First decide which
# shape the table of all differences $q - k$ has for five queries and seven keys.


# %% exercise="attention_pooling"
def attention_pooling(query, key, value, width=1.0):
    """Predict a value for each query: the average of all values, in which values of near keys count most.

    Shapes: query (target,), key (source,), value (source,) -> prediction (target,), weights (target, source).
    The score of a pair is minus its squared distance, divided by 2 * width ** 2.
    """
    ### BEGIN SOLUTION
    distance = query[:, None] - key[None, :]  # (target, source)
    weights = torch.softmax(-(distance**2) / (2 * width**2), dim=-1)
    return weights @ value, weights
    ### END SOLUTION


# %% check="attention_pooling" points=7
check("attention_pooling", attention_pooling)

# %% [markdown]
# Now predict the weight for a waist of 57. Two keys are equally near and the third is far away, so the
# prediction should be about halfway between 43 and 48.

# %% demo
waist, weight = torch.tensor([51.0, 56.0, 58.0]), torch.tensor([40.0, 43.0, 48.0])
prediction, weights = attention_pooling(torch.tensor([57.0]), waist, weight)
plots.show(
    plots.attention_map(weights, ["57"], ["51", "56", "58"], title=f"prediction {prediction.item():.1f} kg")
)

# %% [markdown]
# The width decides how soft the look-up is. Before you run the next cell, guess what a very narrow kernel
# predicts, and what a very wide kernel predicts.

# %% demo
grid = torch.linspace(48, 61, 200)
curves = {f"width {w}": attention_pooling(grid, waist, weight, width=w)[0] for w in (0.3, 1.5, 10.0)}
ax = plots.lines(grid, curves, "waist (query), cm", "predicted weight, kg")
ax.plot(waist, weight, "ko")
plots.show(ax)

# %% [markdown]
# The narrow kernel jumps from one value of the table (a dot) to the next. The wide kernel stays near the
# mean of the values. The kernel in between rises smoothly, and its curve does not have to pass through the
# dots.
#
# ### Soft against hard
#
# A narrow kernel is nearly **hard** attention, which takes one value and ignores the others. Hard
# attention can predict, but its query cannot be learned. The curve of its predictions consists of steps. A
# step has the slope 0, so no gradient tells the query in which direction to move.

# %% demo
for w in (2.0, 0.05):
    query = torch.tensor([56.6], requires_grad=True)
    attention_pooling(query, waist, weight, width=w)[0].backward()
    print(f"width {w:4}: d prediction / d query = {query.grad.item():.4f}")

# %% [markdown]
# ### Does a dot product do the same?
#
# The Transformer computes scores by the dot product $q \cdot k$. Can we use the dot product here too?
# Before you run the next cell, guess which weights the scores $57 \cdot 51$, $57 \cdot 56$ and
# $57 \cdot 58$ give.

# %% demo corrects="003(j)"
scores = torch.tensor([57.0])[:, None] * waist[None, :]
weights = torch.softmax(scores, dim=-1)
print(scores, weights)
weights @ weight

# %% [markdown] corrects="003(j)"
# All the weight goes to 58, the *largest* key. The prediction is 48.0 instead of 45.5. A dot product grows
# with the length of the key. Look at
# $\lVert q-k \rVert^2 = \lVert q \rVert^2 + \lVert k \rVert^2 - 2\,q \cdot k$. The first term is the same
# for all keys. The second term is the same only if all keys have the same length. Only then does the
# largest $q \cdot k$ always belong to the nearest key.

# %% [markdown]
# ## 2. A score that can be learned
#
# The distance was our own idea of "near". For words nobody knows the right score, so let a small network
# learn it. Bahdanau, Cho and Bengio (2015) did this for translation. Earlier neural translators put the
# whole sentence into one vector. In theirs, an **encoder** network makes a vector for each source word,
# and a **decoder** network writes the translation word by word. Before each word, the decoder's own vector
# (the query) is compared with every vector of the encoder (the keys).
#
# $$s(q, k) = v^\top \tanh(W_q^\top q + W_k^\top k)$$
#
# The query and the key may have different sizes. Two matrices project them to the same hidden size, and
# the projections are **added**. This is why it is called *additive* attention.

# %% [markdown]
# **Exercise 2** · medium · 12 minutes. Write additive attention for a batch. Every query is compared with
# every key, so the hidden layer of all pairs has four axes. Which four? The decoder of lesson 10 learns from
# the output and from the weights, so gradients flow back through both.
#
# In this course vectors are rows, so $W_q^\top q$ is `query @ W_query`.


# %% exercise="additive_attention"
def additive_attention(query, key, value, W_query, W_key, v):
    """Average the values by weights. A network with one hidden layer computes the scores.

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
# Without the tanh, the score is $v^\top W_q^\top q + v^\top W_k^\top k$, a number for the query plus a
# number for the key. The number for the query is added to all scores of its row. A softmax does not change
# when you add the same number to all its scores. What influence does the query have on the weights then?

# %% demo
key, W_query, W_key, v = torch.randn(4, 3), torch.randn(2, 8), torch.randn(3, 8), torch.randn(8)
for query in (torch.tensor([1.0, 0.0]), torch.tensor([-3.0, 5.0])):
    hidden = query @ W_query + key @ W_key
    print("without", torch.softmax(hidden @ v, dim=-1), end="  ")
    print("with tanh", torch.softmax(torch.tanh(hidden) @ v, dim=-1))

# %% [markdown]
# The query has no influence. Without the tanh, both queries get the same weights, whatever the matrices
# are. With the tanh, each query gets its own weights.

# %% [markdown] corrects="000(c)"
# ## 3. Scaled dot-product attention
#
# Additive attention computes a hidden layer for every pair, which costs time and memory. For 100
# queries, 100 keys and a hidden size of 64, it stores 640,000 hidden numbers and takes the tanh of each.
# Dot products of this size need as many multiplications, but only 10,000 scores are stored. If queries
# and keys have the same size $d_k$, one matrix product computes the scores of all pairs as dot products.
# This is the attention of the Transformer (Vaswani et al. 2017, eq. 1):
#
# $$\text{Attention}(Q, K, V) = \text{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right) V$$
#
# It has three steps: the similarities of queries and keys, the weights, and the weighted average of the
# values. Computing similarities is only the first step.

# %% [markdown]
# ### By hand
#
# Take one query and two keys with $d_k = 4$: $q = (1, 2, 0, 1)$, $k_1 = (2, 1, 0, 0)$,
# $k_2 = (0, 1, 0, 0)$. The values are $v_1 = (10, 0)$ and $v_2 = (0, 10)$. Compute on paper before you
# read on:
#
# - both dot products, and both scores (the dot products divided by $\sqrt{d_k}$);
# - the two weights, with $e^2 \approx 7.4$ and $e^1 \approx 2.7$;
# - the output.

# %% [markdown]
# | step | key 1 | key 2 |
# |---|---|---|
# | $q \cdot k$ | $1 \cdot 2 + 2 \cdot 1 = 4$ | $2 \cdot 1 = 2$ |
# | score: divided by $\sqrt 4 = 2$ | 2 | 1 |
# | $e^{\text{score}}$ (the sum is 10.1) | 7.4 | 2.7 |
# | weight: divided by the sum | 0.73 | 0.27 |
# | weight times value | (7.3, 0) | (0, 2.7) |
#
# The output is the sum of the last line, (7.3, 2.7).

# %% [markdown]
# A matrix product computes all queries at once. $Q$ has one row for each query, and $K$ has one row for
# each key. The next cell has two queries and four keys. What is the shape of $QK^\top$? Which number is in
# the row of *games* and the column of *winter*? Compute both before you run the cell.

# %% demo
from course_lib.plots import diagrams

query = torch.tensor([[1.0, 2, 0, -1], [0, 1, 1, 0]])
key = torch.tensor([[1.0, -1, 0, 1], [2, -1, 1, 0], [0, 2, 1, 0], [2, 1, 0, 2]])
diagrams.product_grid(query, key, ["games", "冬奥会"], "i like winter games".split(), at=(0, 2)).picture()

# %% [markdown] corrects="001(c) 002(d)"
# ### Why divide?
#
# Let the entries of $q$ and $k$ be independent, with mean 0 and variance 1. Then $q \cdot k$ has variance
# $d_k$, so its standard deviation (its spread) is $\sqrt{d_k}$ (the paper's footnote 4).
#
# Here $d_k$ is the number of entries of a key, not its norm $\lVert k \rVert$. The scale is the number
# $1/\sqrt{d_k}$, not $d_k$. You may multiply the scores or $K$ by it, and no shape changes.
#
# The next cell puts such scores of 10 keys into a softmax. Let $p$ be its largest weight. If the score of
# that key grows, $p$ grows with the slope $p(1-p)$. When $d_k$ grows, what happens to $p$ and to its slope
# without the scale (raw) and with it?


# %% demo corrects="001(d) 002(b) 002(c) 003(k)"
def saturation(scores):
    """The mean over queries of the largest weight p, and the median of its slope p (1 - p)."""
    p = torch.softmax(scores, dim=-1).amax(dim=-1)
    return p.mean().item(), (p * (1 - p)).median().item()


sizes, raw, scaled = [1, 4, 16, 64, 256, 1024], [], []
for d_k in sizes:
    scores = (torch.randn(2000, 1, d_k) * torch.randn(2000, 10, d_k)).sum(dim=-1)
    raw.append(saturation(scores))
    scaled.append(saturation(scores / math.sqrt(d_k)))
    print(f"d_k {d_k:4}  spread {scores.std():5.2f}  slope: raw {raw[-1][1]:.1e}, scaled {scaled[-1][1]:.1e}")

# %% demo corrects="002(b) 003(k)"
largest = {"$q·k$": [p for p, slope in raw], "$q·k/\\sqrt{d_k}$": [p for p, slope in scaled]}
ax = plots.lines(sizes, largest, "$d_k$", "largest of 10 weights, mean")
ax.set_xscale("log", base=2)
ax.set_xticks(sizes, sizes)
plots.show(ax)

# %% [markdown] corrects="002(b) 003(k)"
# As $d_k$ grows without the scale, one weight goes to 1 and the **others go to 0**. We say that the
# softmax saturates. For almost every query the slope of $p$ goes to 0, and so does the gradient. With the
# scale, the slope stays near 0.2 at every $d_k$, so the gradient is not lost.
#
# This is a statement about the start of training. A trained model may use large scores where it needs
# sharp attention.

# %% [markdown]
# ### True may look
#
# In this course a mask is **True where a query may look**, as in
# `torch.nn.functional.scaled_dot_product_attention`. In `torch.nn.MultiheadAttention` True means the
# opposite, and many mask bugs come from mixing the two conventions. Where the mask is False, the score is
# set to $-\infty$ *before* the softmax. The weight is then 0, because $e^{-\infty} = 0$.
#
# The next figure shows all steps for the query of *games*. A padding token has been added after the four
# words, and its score is as high as that of *winter*. What would its weight be without the mask, compared
# with the weight of *winter*? What happens to the weights of the four words when the mask hides it?

# %% demo
keys = torch.cat([key, torch.tensor([[1.0, 1, 0, -1]])])
value = torch.tensor([[4.0, 0, 1], [0, 2, 0], [1, 0, 3], [0, 1, 2], [9, 9, 9]])
five, seen = "i like winter games <pad>".split(), torch.tensor([True, True, True, True, False])
diagrams.attention_by_numbers(query[0], keys, value, seen, five, asking="games").picture()

# %% [markdown]
# **Exercise 3** · medium · 12 minutes. Write scaled dot-product attention without PyTorch's
# `scaled_dot_product_attention` or `multi_head_attention_forward`. The mask broadcasts to the shape of the
# scores. More axes than the batch may come first, because lesson 03 adds an axis for the heads. Your
# function gets no argument `d_k`. Which axis of `query` has this size?


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
# First run your function on the numbers that you computed by hand. Does it give the same weights and the
# same output?

# %% demo
q = torch.tensor([[1.0, 2, 0, 1]])
k, v = torch.tensor([[2.0, 1, 0, 0], [0, 1, 0, 0]]), torch.tensor([[10.0, 0], [0, 10]])
scaled_dot_product_attention(q, k, v)

# %% [markdown] corrects="003(j)"
# Next, the three people of section 1 return with two numbers in each key and two in each value. The post
# that they come from does not name the second numbers. Read them as the hips and the length of the legs, in
# centimeters. Each key keeps the value of its own person, so 51 goes with 40, 56 with 43, and 58 with 48.
# The queries are $(57, 83)$ and $(76, 55)$. Which person gets the most weight from each query?

# %% demo corrects="003(j)"
queries = torch.tensor([[57.0, 83], [76, 55]])
keys = torch.tensor([[51.0, 70], [56, 82], [58, 88]])
values = torch.tensor([[40.0, 55], [43, 59], [48, 65]])
print(queries @ keys.T)
scaled_dot_product_attention(queries, keys, values)

# %% [markdown] corrects="003(j)"
# Both queries give all the weight to the third person, who has the longest key. But the first query is
# much nearer to the key of the second person. The dot products are in the thousands, so even after the
# division by $\sqrt 2$ the softmax gives all the weight to one key. Dot products are good scores for
# vectors that a model has learned, or that have been scaled.

# %% [markdown]
# Which sizes of query, key and value have to agree, and which may differ? Predict the shapes of the output
# and of the weights before you run this cell.

# %% demo corrects="002(f)"
query, key, value = torch.randn(2, 5, 6), torch.randn(2, 7, 6), torch.randn(2, 7, 4)
output, weights = scaled_dot_product_attention(query, key, value)
tuple(output.shape), tuple(weights.shape)

# %% [markdown] corrects="002(f)"
# Query and key have the same width (6), because each score is a dot product of the two. Keys and values
# have the same **number** (7), because each value gets one weight. You can choose the width of the values
# (4) and the number of queries (5) freely.

# %% [markdown]
# *This is a good place for a break, after about 45 minutes. When you come back, run all cells above.*
#
# ## 4. Padding must not be read
#
# Sentences are lists of ids. In a batch, short sentences are filled up with the id 0, which is called `pad`.
# A softmax gives some weight to every key, so without a mask every word reads the padding.
#
# **Exercise 4** · easy · 4 minutes. Make the padding mask of a batch of ids. It has to broadcast to
# (batch, target, source), and it is the same for all queries of a sentence.


# %% exercise="padding_mask"
def padding_mask(ids, pad=0):
    """The mask that hides padding: boolean, True where a query may look.

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
# Two shortcuts look right. The first sets the *score* of a hidden key to 0. The second sets its *weight*
# to 0 after the softmax. The next cell compares them with no mask and with the score $-\infty$. The scores
# are 2, 1 and -1, and the last key is hidden. In which of the four rows will the weights sum to 1?

# %% demo corrects="004(k)"
scores, seen = torch.tensor([2.0, 1.0, -1.0]), torch.tensor([True, True, False])
ways = {
    "no mask": torch.softmax(scores, dim=-1),
    "score set to 0": torch.softmax(scores.masked_fill(~seen, 0), dim=-1),
    "weight set to 0": torch.softmax(scores, dim=-1) * seen,
    "score set to -inf": torch.softmax(scores.masked_fill(~seen, -torch.inf), dim=-1),
}
rows = torch.stack(list(ways.values()))
names = [f"{name}: sum {row.sum():.2f}" for name, row in ways.items()]
ax = plots.attention_map(rows, names, ["score 2", "score 1", "score -1 (hidden)"])
ax.set_ylabel("one query, four ways")
plots.show(ax)

# %% [markdown] corrects="004(k)"
# The score 0 *raised* the weight of the hidden key from 0.04 to 0.09, because 0 is a score like any other.
# If the weight is set to 0 afterwards, the weights no longer sum to 1, because the hidden score is still
# in the denominator. Only the score $-\infty$ before the softmax removes the key.

# %% [markdown]
# ### With the mask, the batch does not matter
#
# The next cell computes the output of the same sentence twice, alone and in a batch with a longer
# sentence. As with the mean of lesson 00, the two outputs should be equal. Which words does each of the
# two real words read without the mask, and which with it?

# %% demo
table = torch.randn(10, 8)  # a vector for each id, padding too
alone, batch = torch.tensor([[4, 5]]), torch.tensor([[4, 5, 0, 0, 0], [6, 7, 8, 9, 4]])
for name, mask_of in (("without mask", lambda ids: None), ("with mask", padding_mask)):
    x, xs = table[alone], table[batch]
    short = scaled_dot_product_attention(x, x, x, mask=mask_of(alone))[0][0]
    padded = scaled_dot_product_attention(xs, xs, xs, mask=mask_of(batch))[0][0, :2]
    print(f"{name:13} largest difference {(short - padded).abs().max():.1e}")

# %% [markdown] corrects="000(d)"
# ### Why keys, and not queries
#
# Padding also takes part as *queries*, and the outputs of these queries are meaningless. Should you mask
# them as well? In the next cell the padded query may look at no key at all. A second attention layer with
# the right mask then reads the output of the first. What will the second layer give for the two real
# words?

# %% demo corrects="000(d)"
real = torch.tensor([[True, True, False]])
rows_too = real[:, :, None] & real[:, None, :]
x = torch.randn(1, 3, 4)
output, weights = scaled_dot_product_attention(x, x, x, mask=rows_too)
print(weights[0])
output, weights = scaled_dot_product_attention(output, output, output, mask=real[:, None, :])
output[0]  # the next layer

# %% [markdown] corrects="000(d)"
# If all keys are hidden, the softmax computes 0/0, which is NaN. In the second layer the padded key has
# the weight 0, but 0 · NaN is NaN, so the outputs of the real words are lost too.
#
# Masking the queries would not help in any case. No word reads the padded rows of the output, because
# their *columns* are masked in the next layer, and the loss skips them. Mask the keys, and leave the
# queries alone.

# %% [markdown] corrects="003(d)"
# ## 5. The future must not be read
#
# A decoder learns to predict each word from the words before it. In training its input is the whole target
# sentence, so that all positions learn at once. A position that sees the next word would copy it. The
# **causal mask** hides all later words. It is not a means against overfitting. It defines the task.
#
# Row $t$ of the mask is True in the columns 0 to $t$. Column $t$ is included, because position $t$ holds
# word $t$ and has to predict word $t + 1$.
#
# **Exercise 5** · easy · 4 minutes. Make this mask for any size, without PyTorch's
# `nn.Transformer.generate_square_subsequent_mask`. First draw the mask of size 3 on paper.


# %% exercise="causal_mask"
def causal_mask(size):
    """The mask that hides the future: boolean, True where a query may look.

    Shape: (size, size), target by source.
    """
    ### BEGIN SOLUTION
    return torch.ones(size, size, dtype=torch.bool).tril()
    ### END SOLUTION


# %% check="causal_mask" points=3
check("causal_mask", causal_mask)

# %% [markdown]
# ### Both masks at once
#
# The target sentences of a batch have padding too, so a decoder needs both masks. `&` is True where both
# masks are True. It broadcasts the shapes (batch, 1, source) and (target, source) to (batch, target,
# source). In the next figure a sentence has three real tokens (`<bos>` marks its beginning) and two
# padding tokens. How many of its 25 pairs of query and key stay True, and which columns are empty?

# %% demo
ids, five = torch.tensor([[1, 4, 5, 0, 0]]), ["<bos>", "我", "喝", "<pad>", "<pad>"]
diagrams.masks_product(padding_mask(ids)[0], causal_mask(5), five).picture()

# %% [markdown]
# Twelve pairs stay True: six in the rows of the real tokens, and three in each of the two rows of padding.
# The two columns of padding are empty. Nothing reads the outputs of the padding rows.
#
# ### Who can see whom
#
# Weights show what is averaged, and gradients show what an output depends on. If input word $s$ changes a
# little, does output $t$ change? The next cell tests this method on a function where we know the answer,
# $x \mapsto x$.


# %% demo
def who_sees_whom(attend, size=5):
    """A matrix: 1 where output t (row) depends on input s (column), else 0."""
    slopes = torch.autograd.functional.jacobian(attend, torch.randn(size, 8))  # (target, 8, source, 8)
    return (slopes.abs().sum(dim=(1, 3)) > 1e-6).float()


who_sees_whom(lambda x: x)

# %% [markdown]
# Now test attention in the same way, with the mask before the softmax and with the mask after it. Which
# cells of the first two maps will be 1?

# %% demo
attend, past, words = scaled_dot_product_attention, causal_mask(5), ["我", "是", "一", "个", "学生"]
before = lambda x: attend(x, x, x, mask=past)[0]
after = lambda x: (attend(x, x, x)[1] * past) @ x
x = torch.randn(5, 8)
axes = plots.panels(3)
plots.attention_map(who_sees_whom(before), words, words, ax=axes[0], title="mask before: depends on")
plots.attention_map(who_sees_whom(after), words, words, ax=axes[1], title="mask after: depends on")
plots.attention_map(attend(x, x, x)[1] * past, words, words, past, ax=axes[2], title="mask after: weights")
for ax in axes[:2]:
    ax.set(xlabel="input word", ylabel="output word")
plots.show(axes[0])

# %% [markdown]
# If the mask comes *after* the softmax, every output still depends on every word, because the denominator
# contains the scores of all later words. The later words have the weight 0, so the map of the weights
# looks right. The information leaks all the same.

# %% [markdown]
# ## 6. What attention looks like
#
# In lesson 00 you drew this sentence with scores set by hand: 我 *I*, 喜欢 *like*, 2022 年 *year 2022*,
# 北京 *Beijing*, 冬奥会 *Winter Olympics*. Now the scores are computed from vectors, and only the vectors
# are still set by hand. Each line of the table below is one direction, which means one entry of every
# vector. A word has the value 2.5 in this entry if it is in the line, and 0 otherwise.

# %% demo
features = """
speaker  i 我
liking   like 喜欢
year     2022 年
city     beijing 北京
season   winter 冬奥会
event    games 冬奥会
olympic  2022 beijing winter games 北京 冬奥会""".splitlines()[1:]
vectors = lambda words: torch.tensor([[2.5 * (word in line.split()) for line in features] for word in words])
vectors(["games", "冬奥会"])

# %% [markdown]
# First, English words look at each other under a causal mask. This is **self-attention**: query, key and
# value come from the same sentence.

# %% demo
english, chinese = "i like the 2022 beijing winter games".split(), "我 喜欢 2022 年 北京 冬奥会".split()
source, target = vectors(english), vectors(chinese)
mask = causal_mask(len(english))
_, weights = scaled_dot_product_attention(source, source, source, mask=mask)
plots.show(plots.attention_map(weights, english, english, mask, title="masked self-attention"))

# %% [markdown]
# *The* is in no line of the table. All its scores are 0, so it gives the same weight to each of the three
# words that it may see. Every other word gives the most weight to itself, because the dot product with its
# own vector is the largest. *Games* also gives a little weight to *2022*, *Beijing* and *winter*. Here the
# same vector is query, key and value. In lesson 03 a matrix makes the query from it, a second matrix makes
# the key, and a third makes the value.

# %% [markdown]
# Next, each Chinese word looks at the English sentence, as in a translator. This is **cross-attention**:
# the queries come from one sentence, the keys and values from another. The same function computes both.
# Which English words will 冬奥会 look at?

# %% demo
_, weights = scaled_dot_product_attention(target, source, source)
plots.show(plots.attention_map(weights, chinese, english, title="cross-attention"))

# %% [markdown]
# Without a mask, attention does not use the order of the words. Suppose that you shuffle the English
# words. What happens to the weights?

# %% demo
order = torch.randperm(len(english))
_, moved = scaled_dot_product_attention(target, source[order], source[order])
torch.allclose(moved, weights[:, order])

# %% [markdown]
# Each word keeps its weight, and the columns of the map are shuffled like the words. Lesson 04 will add
# the order to the vectors.
#
# ## 7. Attention that learns
#
# Nothing has been learned in this lesson so far. In lesson 01 you guessed the translation of *games* from
# the vectors of the words around it, and all these words had the same weight. Now attention chooses among
# them. The **reader** is a small model that reads *games* and up to five words on either side. Skip-gram
# makes the vectors as in lesson 01. The next cell prints how often each translation of *games* occurs in
# the sentences.

# %% demo
pairs = list(islice(draw_pairs(), 10_000))
words = Vocabulary(pair.source for pair in pairs)
vectors = skipgram_vectors([words.encode(pair.source) for pair in pairs], len(words))  # about 3 seconds
found = [pair for pair in pairs if pair.source.count("games") == 1 and "game" in dict(pair.senses)]
meanings = [dict(pair.senses)["game"] for pair in found]
senses = sorted(set(meanings))
labels, half = torch.tensor([senses.index(meaning) for meaning in meanings]), len(found) // 2
places = [(pair.source, pair.source.index("games")) for pair in found]
windows = [sentence[max(0, i - 5) : i + 6] for sentence, i in places]
ids = pad_batch([words.encode(window) for window in windows])
{sense: meanings.count(sense) for sense in senses}

# %% [markdown]
# The reader has one **learned query** of 32 numbers and no other parameters. Your attention compares the
# query with every word, your mask hides the padding, and the output is one vector for each sentence. The
# reader guesses the translation whose mean output is nearest, as in lesson 01. A query of zeros gives all
# words the same score, so its output is the mean again.


# %% demo
def read(query):
    """Shapes: query (32,) -> outputs (sentences, 32), weights (sentences, words)."""
    x = vectors[ids]
    output, weights = scaled_dot_product_attention(query.expand(len(x), 1, 32), x, x, padding_mask(ids))
    return output[:, 0], weights[:, 0]


def scores_of(output):
    """Minus the squared distance to each translation's mean output in the first half of the sentences."""
    means = [output[:half][labels[:half] == i].mean(dim=0) for i in range(len(senses))]
    return -torch.cdist(output, torch.stack(means)).square()


# %% [markdown]
# The query learns from the first half of the sentences. The second half is the test set. The gradient of
# the loss goes back through the means, the weighted averages and the softmax to the query. How much better
# than the mean will the learned query be? Which words will get the most weight?


# %% demo
def right(query):
    """The fraction of sentences of the second half for which the guess is right."""
    return (scores_of(read(query)[0]).argmax(dim=1) == labels)[half:].float().mean().item()


query = torch.zeros(32, requires_grad=True)
optimizer, before = torch.optim.Adam([query], lr=0.1), right(query)
for _ in range(200):
    loss = torch.nn.functional.cross_entropy(scores_of(read(query)[0])[:half], labels[:half])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"right: {before:.3f} by the mean, {right(query):.3f} by the learned query")

# %% demo
shown = [meanings.index(sense, half) for sense in senses]  # for each translation, its first test sentence
weights = read(query)[1].detach()
axes = plots.grid(len(shown), 1, (7.0, 1.15 * len(shown)))
for ax, i in zip(axes[:, 0], shown, strict=True):
    n = len(windows[i])
    plots.attention_map(weights[i : i + 1, :n], [meanings[i]], windows[i], ax=ax)
    ax.set(xlabel="", ylabel="")
plots.show(axes)

# %% [markdown]
# We trained with five seeds (`python tests/bench/lesson.py 02_attention --runs 5`). The mean was right for
# 80 to 84 % of the test sentences, and the learned query was right for 97 %. *Asian* gets nearly all the
# weight in its sentence, and *winter* gets most of it in another. The word *games* gets little weight. It
# is the same in every sentence, so it cannot tell the translations apart.
#
# We have not looked at the **output** yet. It has the same size as the vectors of the words. Which word's
# vector is nearest to it?

# %% demo
for name, outputs in (("plain mean", read(torch.zeros(32))[0]), ("learned query", read(query)[0].detach())):
    for i in shown:
        near = torch.cosine_similarity(outputs[i], vectors, dim=1).topk(2)
        nearest = [
            f"{words.decode([k])[0]} {c:.2f}" for k, c in zip(near.indices.tolist(), near.values, strict=True)
        ]
        print(f"{name:14}{' '.join(windows[i]):58}", *nearest)

# %% [markdown]
# The output of the mean is a mixture of all words of the sentence. The output of the learned query is
# nearly the vector of the one word that decides. Attention has brought this vector to the place where it
# is needed. The vectors themselves did not change. The query has learned only *which* of them to take.
#
# One query for all sentences is not yet a Transformer. There each word gets its own query, its vector times
# a learned matrix, and the keys and values have matrices too (lesson 03). In section 6 most words looked
# most at themselves. In a Transformer they do not have to.

# %% [markdown]
# ## 8. In your own words
#
# Two sentences of 7 and 4 words are in the same batch. A classmate says: "I also mask the rows of the 3
# padded queries, to be on the safe side." Explain three things:
#
# - (a) What does the softmax give for such a row if hidden scores are $-\infty$, and how far does this
#   spread?
# - (b) Why does it do no harm to leave these rows unmasked? Name both places where their outputs are
#   ignored.
# - (c) What would go wrong if the padded *keys* were not masked?

# %% [markdown] points=3 question="mask_keys_not_queries"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** the sum by which the softmax divides in such a row, the result of this
# division, and the words of the next layer that it spreads to.
# **Model answer:** All scores of the row are -∞, so every exponential is 0 and the softmax computes 0/0,
# which is NaN. Because 0 · NaN is NaN, it spreads to the real words of the next layer.
# **Marking:** Give half a point for "it cannot be normalized" without NaN. With a finite fill such as -1e9
# the weights of the row are uniform: accept this answer too.
#
# (b) **A full answer names** the two places where the outputs of padded queries could be used, the next
# layers and the loss, and says what stops each of them.
# **Model answer:** Nothing uses their outputs. In every later layer these positions are masked as keys,
# and the loss ignores their targets.
# **Marking:** Give half a point for one of the two places.
#
# (c) **A full answer names** what real words would average, and what else in the batch the output of a
# sentence would then depend on.
# **Model answer:** Real words would also average the vectors of the padding. The output of a sentence
# would then depend on the length of the other sentences in its batch.
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - Attention is a soft look-up. The softmax of the scores gives the weights of an average of the values.
# - Attention can learn. The gradient passes through the softmax to the query.
# - Dot products score all pairs at once, and $1/\sqrt{d_k}$ keeps the softmax from saturating at the
#   start.
# - In a mask True may look. Where the mask is False, the score becomes $-\infty$ before the softmax.
# - With a padding mask, a sentence does not depend on its batch. With a causal mask, a position does not
#   see the word that it has to predict.
#
# **Next:** one softmax gives one average. With the heads of lesson 03, a word looks at several things at
# once.

# %%
progress()
