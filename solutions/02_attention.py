# %% [markdown]
# # Attention: choosing what to read
#
# A translator is about to write 冬奥会 (*Winter Olympics*). Somewhere in *I like the 2022 Beijing Winter
# Games* stands what it needs, and in each sentence it stands elsewhere. Attention does the choosing. You
# build it here: from a look-up among three people to the Transformer's scaled attention and its two masks.
#
# **You need** lesson 00, matrix products, and what a gradient is. **Time:** 80 minutes in
# two sittings, five exercises.

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
# Three people, their waist in centimeters and their weight in kilograms. What would you guess for a
# waist of 57?
#
# | waist (key) | weight (value) |
# |---|---|
# | 51 | 40 |
# | 56 | 43 |
# | 58 | 48 |
#
# A Python `dict` fails: 57 is not in it. A softer table answers every **query** with an average of all
# **values** in which near **keys** count most. That is attention.

# %% [markdown]
# $$\text{prediction}(q) = \sum_i \alpha(q, k_i)\, v_i \qquad
# \alpha(q, k_i) = \frac{e^{s(q, k_i)}}{\sum_j e^{s(q, k_j)}} \qquad
# s(q, k) = -\frac{(q - k)^2}{2\,\text{width}^2}$$
#
# The score $s$ is high where a key is near, and the softmax turns scores into weights $\alpha$. With this
# score it is the kernel regression of Nadaraya and Watson, of 1964.
#
# **Exercise 1** · easy · 8 minutes. With five queries and seven keys, what shape has the table of all
# differences $q - k$? Decide, then write.


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
# Now ask for 57. Two keys are equally near and the third is far, so the answer should lie halfway
# between 43 and 48.

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
ax.plot(waist, weight, "ko")
plots.show(ax)

# %% [markdown]
# The narrow kernel jumps from one table value (dot) to the next, the wide one stays near their
# mean, and the one between rises smoothly and need not meet them.
#
# ### Soft against hard
#
# A narrow kernel comes close to **hard** attention, which takes one value and forgets the rest. That is
# fine until you want to learn: a step has no slope, so no gradient tells the query where to go.

# %% demo
for w in (2.0, 0.05):
    query = torch.tensor([56.6], requires_grad=True)
    attention_pooling(query, waist, weight, width=w)[0].backward()
    print(f"width {w:4}: d prediction / d query = {query.grad.item():.4f}")

# %% [markdown]
# ### Does a dot product do the same?
#
# The Transformer scores by the dot product $q \cdot k$. It is tempting to use it here too. Guess first:
# which weights will $57 \cdot 51$, $57 \cdot 56$ and $57 \cdot 58$ give?

# %% demo corrects="003(j)"
scores = torch.tensor([57.0])[:, None] * waist[None, :]
weights = torch.softmax(scores, dim=-1)
print(scores, weights)
weights @ weight

# %% [markdown] corrects="003(j)"
# All weight falls on 58, the *largest* key: 48.0, not 45.5. A dot product grows with length. In $\lVert
# q-k \rVert^2 = \lVert q \rVert^2 + \lVert k \rVert^2 - 2\,q \cdot k$ the first term is the same for all
# keys; only if all keys are equally long is the second one too, and $q \cdot k$ alone tells near from
# far.

# %% [markdown]
# ## 2. A score that can be learned
#
# Distance was our idea of "near". For words nobody knows the right one, so let a small network score
# each pair. Bahdanau, Cho and Bengio (2015) did this for translation. One network, the **encoder**, makes a
# vector of each source word; another, the **decoder**, writes the translation word by word. Before each word
# the decoder's state (the query) scores every vector of the encoder (the keys). The neural translators
# before it had squeezed the whole sentence into one vector.
#
# $$s(q, k) = v^\top \tanh(W_q^\top q + W_k^\top k)$$
#
# Query and key may differ in size; both are projected to one hidden size and **added**, hence *additive*
# attention.

# %% [markdown]
# **Exercise 2** · medium · 12 minutes. Every query meets every key, so the hidden layer has four axes.
# Which?
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
# Leave the tanh out and the score is $v^\top W_q^\top q + v^\top W_k^\top k$: a number for the query
# plus a number for the key. A constant added to all scores of a row cancels in the softmax. What is left
# of the query?

# %% demo
key, W_query, W_key, v = torch.randn(4, 3), torch.randn(2, 8), torch.randn(3, 8), torch.randn(8)
for query in (torch.tensor([1.0, 0.0]), torch.tensor([-3.0, 5.0])):
    hidden = query @ W_query + key @ W_key
    print("without", torch.softmax(hidden @ v, dim=-1), end="  ")
    print("with tanh", torch.softmax(torch.tanh(hidden) @ v, dim=-1))

# %% [markdown]
# Nothing: without tanh both queries get the same weights, whatever the matrices. With it each has its
# own.

# %% [markdown] corrects="000(c)"
# ## 3. Scaled dot-product attention
#
# The hidden layer for every pair costs time and memory. If query and key have the same size $d_k$, a dot
# product scores all pairs in one matrix product. That is the attention of the Transformer (Vaswani et
# al. 2017, eq. 1):
#
# $$\text{Attention}(Q, K, V) = \text{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right) V$$
#
# Three steps: similarities, weights, a weighted average of the values. The similarity is only the first
# of them.

# %% [markdown]
# ### By hand
#
# One query and two keys, with $d_k = 4$: $q = (1, 2, 0, 1)$, $k_1 = (2, 1, 0, 0)$, $k_2 = (0, 1, 0, 0)$.
# The values are $v_1 = (10, 0)$ and $v_2 = (0, 10)$. Compute on paper, before you read on:
#
# - both dot products, and the scores after the division by $\sqrt{d_k}$;
# - the two weights ($e^2 \approx 7.4$ and $e^1 \approx 2.7$);
# - the output.

# %% [markdown]
# | step | key 1 | key 2 |
# |---|---|---|
# | $q \cdot k$ | $1 \cdot 2 + 2 \cdot 1 = 4$ | $2 \cdot 1 = 2$ |
# | divided by $\sqrt 4 = 2$ | 2 | 1 |
# | $e^{\text{score}}$, with the sum 10.1 | 7.4 | 2.7 |
# | weight | 0.73 | 0.27 |
# | weight times value | (7.3, 0) | (0, 2.7) |
#
# The output is the sum of the last line: (7.3, 2.7).
#
# All queries are computed at once. $Q$ has a row for each query, $K$ a row for each key. Below, two queries
# meet four keys. What is the shape of $QK^\top$? Which number stands in the row of *games* and the column of
# *winter*?

# %% demo
from course_lib.plots import diagrams

query = torch.tensor([[1.0, 2, 0, -1], [0, 1, 1, 0]])
key = torch.tensor([[1.0, -1, 0, 1], [2, -1, 1, 0], [0, 2, 1, 0], [2, 1, 0, 2]])
diagrams.product_grid(query, key, ["games", "冬奥会"], "i like winter games".split(), at=(0, 2)).picture()

# %% [markdown] corrects="001(c) 002(d)"
# ### Why divide?
#
# Let the entries of $q$ and $k$ be independent, with mean 0 and variance 1. Then $q \cdot k$ has
# variance $d_k$, so its spread is $\sqrt{d_k}$ (the paper's footnote 4). Here $d_k$ is the number of
# entries of a key, not its length as a vector, and the factor is $1/\sqrt{d_k}$, not $d_k$. (It is a number:
# no shape changes, whether it multiplies the scores or $K$.) What does
# such a spread do to a softmax over 10 keys? Its largest weight is $p$; the slope of $p$, as its own score
# grows, is $p(1-p)$.


# %% demo corrects="001(d) 002(b) 002(c) 003(k)"
def saturation(scores):
    """The largest weight p, mean over queries; and its slope p (1 - p), median."""
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
# Unscaled, one weight goes to 1 and the **others to 0**: the softmax saturates. Its slope vanishes for
# almost every query, and the gradient with it. Scaled, the slope stays near 0.2 at every $d_k$: dividing
# keeps the gradient alive. (This is about the start of training. A trained model may use large scores
# where it wants sharp attention.)

# %% [markdown]
# ### True may look
#
# A mask is **True where a query may look**, in this course as in
# `torch.nn.functional.scaled_dot_product_attention`. (`torch.nn.MultiheadAttention` has it the other way
# round; many mask bugs come from mixing the two.) Where the mask is False the score becomes $-\infty$
# *before* the softmax, and $e^{-\infty} = 0$.
#
# The next cell follows the query of *games*. Padding has been added to the four words, and it scores as high
# as *winter*. At which step must it go? What happens to the weights of the other words?

# %% demo
keys = torch.cat([key, torch.tensor([[1.0, 1, 0, -1]])])
value = torch.tensor([[4.0, 0, 1], [0, 2, 0], [1, 0, 3], [0, 1, 2], [9, 9, 9]])
five, seen = "i like winter games <pad>".split(), torch.tensor([True, True, True, True, False])
diagrams.attention_by_numbers(query[0], keys, value, seen, five, asking="games").picture()

# %% [markdown]
# **Exercise 3** · medium · 12 minutes. The mask broadcasts to the scores. More axes than a batch may
# come first: lesson 03 adds heads. Write it without PyTorch's `scaled_dot_product_attention` and
# `multi_head_attention_forward`.


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
# First your own numbers: does your function give what you computed by hand?

# %% demo
q = torch.tensor([[1.0, 2, 0, 1]])
k, v = torch.tensor([[2.0, 1, 0, 0], [0, 1, 0, 0]]), torch.tensor([[10.0, 0], [0, 10]])
scaled_dot_product_attention(q, k, v)

# %% [markdown] corrects="003(j)"
# Then the people of section 1, now with two numbers in each key and two in each value. Each key keeps the
# value of its own person: 51 goes with 40, 56 with 43, and 58 with 48. The queries are (57, 83) and (76, 55).
# Which person will get the weight of each query?

# %% demo corrects="003(j)"
queries = torch.tensor([[57.0, 83], [76, 55]])
keys = torch.tensor([[51.0, 70], [56, 82], [58, 88]])
values = torch.tensor([[40.0, 55], [43, 59], [48, 65]])
print(queries @ keys.T)
scaled_dot_product_attention(queries, keys, values)

# %% [markdown] corrects="003(j)"
# Both queries take the third person, who has the longest key, although the first query lies much nearer to
# the second. The scores are in the thousands, so even divided by $\sqrt 2$ the softmax gives one key all
# the weight. A dot product needs vectors that a model has learned, or scaled.

# %% [markdown]
# Which sizes must agree, and which may differ? Predict both shapes before you run this.

# %% demo corrects="002(f)"
query, key, value = torch.randn(2, 5, 6), torch.randn(2, 7, 6), torch.randn(2, 7, 4)
output, weights = scaled_dot_product_attention(query, key, value)
tuple(output.shape), tuple(weights.shape)

# %% [markdown] corrects="002(f)"
# Query and key share their width (6): they are multiplied. Keys and values share their **number** (7):
# one weight each. The values' width (4) and the number of queries (5) are free.

# %% [markdown]
# *A good place to stop: about 45 minutes so far. When you come back, run all cells above.*
#
# ## 4. Padding must not be read
#
# Sentences are lists of ids, and short ones are filled up with the id `pad`, 0. A softmax gives every key
# some weight: without a mask each word reads the padding.
#
# **Exercise 4** · easy · 4 minutes. From ids to a mask. It must broadcast to (batch, target, source),
# the same for all queries of a sentence.


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
# Two shortcuts look fine: set the hidden *score* to 0, or set the hidden *weight* to 0 afterwards. Try
# them on scores 2, 1 and -1, with the last key hidden. Which rows will sum to 1?

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
# A score of 0 *raised* the hidden key from .04 to .09: zero is a normal score. Zeroing the weight breaks
# the sum, and the hidden score stays in the denominator. Only $-\infty$ before the softmax removes the
# key.

# %% [markdown]
# ### What the mask buys: independence of the batch
#
# The same sentence, alone and beside a longer one: as with the mean of lesson 00, its output must not
# change. How large will the difference be without a mask?

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
# The padded *queries* compute something too: rows of garbage. Should you mask them as well? Below, the
# padded row sees no key at all, and a second attention layer, masked correctly, reads the result. What
# will it read?

# %% demo corrects="000(d)"
real = torch.tensor([[True, True, False]])
rows_too = real[:, :, None] & real[:, None, :]
x = torch.randn(1, 3, 4)
output, weights = scaled_dot_product_attention(x, x, x, mask=rows_too)
print(weights[0])
output, weights = scaled_dot_product_attention(output, output, output, mask=real[:, None, :])
output[0]  # the next layer

# %% [markdown] corrects="000(d)"
# A softmax over nothing is 0/0, NaN. In the next layer the padded key has weight 0, but 0 · NaN is NaN:
# the real words are lost too. And there is nothing to gain: nobody reads a padded row, because its
# *column* is masked and the loss skips it. Mask keys; leave queries alone.

# %% [markdown] corrects="003(d)"
# ## 5. The future must not be read
#
# A decoder learns to predict each word from those before it. In training the whole target is in the
# input, so that all positions learn at once, and a position that sees the next word would copy it. The
# **causal mask** hides what follows. It does not regularize: it defines the task.
#
# Row $t$ sees columns 0 to $t$, itself too: position $t$ holds word $t$ and predicts word $t + 1$.
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
# ### Both masks at once
#
# A decoder reads a target that is padded: it needs both masks. `&` is True where both are True, and
# broadcasting joins (batch, 1, source) with (target, source). Here a sentence has three real words and two
# pads. How many of the 25 pairs remain, and which columns are empty?

# %% demo
ids, five = torch.tensor([[1, 4, 5, 0, 0]]), ["<bos>", "我", "喝", "<pad>", "<pad>"]
diagrams.masks_product(padding_mask(ids)[0], causal_mask(5), five).picture()

# %% [markdown]
# Twelve: six in the rows of words, and three in each row of padding, which no one reads.
#
# ### Who can see whom
#
# Weights show what is averaged; gradients show what an output depends on. If word $s$ changes a little,
# does output $t$ move? First a function that nobody doubts: $x \mapsto x$.


# %% demo
def who_sees_whom(attend, size=5):
    """1 where output t (row) depends on input s (column)."""
    slopes = torch.autograd.functional.jacobian(attend, torch.randn(size, 8))  # (target, 8, source, 8)
    return (slopes.abs().sum(dim=(1, 3)) > 1e-6).float()


who_sees_whom(lambda x: x)

# %% [markdown]
# Now attention, masked before the softmax and masked after it. Which cells will be lit?

# %% demo
attend, past, words = scaled_dot_product_attention, causal_mask(5), ["我", "是", "一", "个", "学生"]
before = lambda x: attend(x, x, x, mask=past)[0]
after = lambda x: (attend(x, x, x)[1] * past) @ x
x = torch.randn(5, 8)
axes = plots.panels(3)
plots.attention_map(who_sees_whom(before), words, words, ax=axes[0], title="before: depends on")
plots.attention_map(who_sees_whom(after), words, words, ax=axes[1], title="after: depends on")
plots.attention_map(attend(x, x, x)[1] * past, words, words, past, ax=axes[2], title="after: weights")
for ax in axes[:2]:
    ax.set(xlabel="input word", ylabel="output word")
plots.show(axes[0])

# %% [markdown]
# Masked *after* the softmax every output still depends on every word: the future sits in the
# denominator. Its weights are all 0, the map of weights looks clean, and yet it leaks.

# %% [markdown]
# ## 6. What attention looks like
#
# In lesson 00 you drew this sentence from scores set by hand: 我 *I*, 喜欢 *like*, 2022 年 *year 2022*, 北京
# *Beijing*, 冬奥会 *Winter Olympics*. Now the scores come from vectors; only these are still written by
# hand. Each line of the table is a direction, and a word has 2.5 in the directions of its lines.

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
# First, English words look at each other under a causal mask: **self-attention**, where query, key and
# value come from one sentence.

# %% demo
english, chinese = "i like the 2022 beijing winter games".split(), "我 喜欢 2022 年 北京 冬奥会".split()
source, target = vectors(english), vectors(chinese)
mask = causal_mask(len(english))
_, weights = scaled_dot_product_attention(source, source, source, mask=mask)
plots.show(plots.attention_map(weights, english, english, mask, title="masked self-attention"))

# %% [markdown]
# *The* has no direction: all its scores are 0, and it shares evenly. Every other word looks most at
# itself, for its own vector has the largest dot product with it, and *games* a little at its companions.
# (So it is with one vector as query, key and value. Lesson 03 puts a matrix before each of the three.)
#
# Then each Chinese word looks at the English sentence, as in a translator: **cross-attention**, with
# queries from one sentence, keys and values from another. The same function does both. Which English
# words will 冬奥会 look at?

# %% demo
_, weights = scaled_dot_product_attention(target, source, source)
plots.show(plots.attention_map(weights, chinese, english, title="cross-attention"))

# %% [markdown]
# Without a mask nothing here knows the order of the words. Shuffle the English: what happens to the
# weights?

# %% demo
order = torch.randperm(len(english))
_, moved = scaled_dot_product_attention(target, source[order], source[order])
torch.allclose(moved, weights[:, order])

# %% [markdown]
# The same weights, shuffled. Lesson 04 cures that.
#
# ## 7. Attention that learns
#
# So far nobody has learned anything. Now lesson 01's promise: a reader of *games* that chooses whom to
# listen to. It reads the vectors of up to five words on either side, made by skip-gram as in lesson 01.
# In lesson 01 it gave each of them the same weight.

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
# The reader has one **learned query**: 32 numbers, and no others. Your attention compares it with every
# word, your mask hides the padding, and the output is one vector for each sentence. The guess is the
# translation whose mean output is nearest, as in lesson 01. A query of zeros scores all words alike: it is
# the mean again.


# %% demo
def read(query):
    """Shapes: query (32,) -> outputs (sentences, 32), weights (sentences, words)."""
    x = vectors[ids]
    output, weights = scaled_dot_product_attention(query.expand(len(x), 1, 32), x, x, padding_mask(ids))
    return output[:, 0], weights[:, 0]


def scores_of(output):
    """Minus the squared distance to the mean output of each translation; the means are of the first half."""
    means = [output[:half][labels[:half] == i].mean(dim=0) for i in range(len(senses))]
    return -torch.cdist(output, torch.stack(means)).square()


# %% [markdown]
# The first half of the sentences teaches, the second is the test. The gradient of the loss goes through the
# means, the averages and the softmax, back to the query. How much better than the mean will it read? And
# which words will get the weight?


# %% demo
def right(query):
    """The fraction of right guesses among the sentences of the second half."""
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
shown = [meanings.index(sense, half) for sense in senses]  # the first of each in the test
weights = read(query)[1].detach()
axes = plots.grid(len(shown), 1, (7.0, 1.15 * len(shown)))
for ax, i in zip(axes[:, 0], shown, strict=True):
    n = len(windows[i])
    plots.attention_map(weights[i : i + 1, :n], [meanings[i]], windows[i], ax=ax)
    ax.set(xlabel="", ylabel="")
plots.show(axes)

# %% [markdown]
# With five seeds the mean was right in 0.80 to 0.84 of the test, the learned query in 0.97
# (`python tests/bench/lesson.py 02_attention --runs 5`). *Asian* gets nearly all the weight in its sentence,
# *winter* most of it. The word *games* itself gets little: it is the same in every sentence.
#
# And the **output**, which nobody has looked at yet? It is a vector among word vectors. To which word is
# it nearest?

# %% demo
for name, outputs in (("mean", read(torch.zeros(32))[0]), ("learned", read(query)[0].detach())):
    for i in shown:
        near = torch.cosine_similarity(outputs[i], vectors, dim=1).topk(2)
        nearest = [
            f"{words.decode([k])[0]} {c:.2f}" for k, c in zip(near.indices.tolist(), near.values, strict=True)
        ]
        print(f"{name:8}{' '.join(windows[i]):58}", *nearest)

# %% [markdown]
# The mean lies between all words of the sentence. The learned output is nearly the vector of the one word
# that decides: a value has moved to where it is needed. The values were there before; the query has learned
# only *which* of them to take.
#
# One query for all sentences is not yet a Transformer. There each word makes a query of its own from its
# vector, by a learned matrix, and keys and values have matrices too: lesson 03. So the rule "every word
# looks most at itself" of section 6 does not hold there.

# %% [markdown]
# ## 8. In your own words
#
# Two sentences of 7 and 4 words share a batch. A classmate says: "I also mask the rows of the 3 padded
# queries, to be on the safe side." Explain (a) what the softmax gives for such a row when hidden scores
# are $-\infty$, (b) why it does no harm to leave these rows unmasked, naming both places where they are
# ignored, and (c) what would go wrong if the padded *keys* were left unmasked.

# %% [markdown] points=3 question="mask_keys_not_queries"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** the sum by which the softmax divides in such a row, what comes out, and
# where it spreads to in the next layer.
# **Model answer:** All scores of the row are -∞, so the softmax is 0/0: NaN, and since 0 · NaN is NaN it
# spreads to the real words of the next layer.
# **Marking:** Half a point for "it cannot be normalized" without NaN. With a finite fill such as -1e9 the
# row is uniform: accept it.
#
# (b) **A full answer names** who could read the outputs of padded queries: the next layers by one way,
# the loss by another; and what stops each of them.
# **Model answer:** Their outputs are read by nobody: as keys these positions are masked in every later
# layer, and the loss ignores their targets.
# **Marking:** Half a point for one of the two.
#
# (c) **A full answer names** what real words would average, and on what else in the batch a sentence's
# output would then depend.
# **Model answer:** Real words would average in the vectors of padding, so that a sentence's output would
# depend on how long its neighbors in the batch are.
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - Attention is a soft look-up: scores, softmax, weighted average.
# - It can learn: the gradient passes through the softmax to the query, which finds the word that decides.
# - Dot products score all pairs at once; $1/\sqrt{d_k}$ keeps the softmax from saturating at the start.
# - In a mask True may look; False becomes $-\infty$ before the softmax.
# - Padding masks make a sentence independent of its batch; the causal mask keeps the answer out of the
#   question.
#
# **Next:** one softmax is one average. Lesson 03 lets several heads look at several things at once.

# %%
progress()
