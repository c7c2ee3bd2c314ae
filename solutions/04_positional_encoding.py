# %% [markdown]
# # Positions: telling attention where each word is
#
# *Dog bites man* is no news, *man bites dog* is. Attention sees the same three words in both sentences.
# In this lesson you give each word its position in three ways: with waves, with learned vectors, and with
# rotations of queries and keys, as many large models do. Then you train all three and compare them.
#
# **You need** lesson 02, and what sine and cosine are. **Time:** 90 minutes in two sittings, five
# exercises.

# %%
import functools

import torch
from torch import nn

from course_lib import plots
from course_lib.exercises.positional_encoding import check, hint, model_answer, progress
from course_lib.model.layers import attention

torch.manual_seed(0)
torch.set_printoptions(precision=3, sci_mode=False)
f"PyTorch {torch.__version__} is ready"

# %% [markdown]
# ## 1. Attention does not know the order
#
# Each word gets a vector, and self-attention mixes the vectors. How will the new vector of *dog* differ
# between the two sentences?

# %% demo corrects="002(n) 004(h)"
vectors = dict(zip("dog bites man".split(), torch.randn(3, 8), strict=True))
for text in ("dog bites man", "man bites dog"):
    words = text.split()
    x = torch.stack([vectors[word] for word in words])
    output, _ = attention(x, x, x)
    print(f"{text}: dog becomes {output[words.index('dog')][:5]}")

# %% [markdown] corrects="002(n) 004(h)"
# The two vectors are equal. An RNN reads one word after another, so its state depends on the order of the
# words. Attention has no such state.
#
# **Theorem.** Let the matrix $P$ reorder the words. Then the scores $S$ are reordered to $P S P^\top$. A
# softmax treats each row separately, so
#
# $$\text{attention}(PX) = \text{softmax}(P S P^\top)\, P V = P\, \text{softmax}(S)\, P^\top P V =
# P\, \text{attention}(X).$$
#
# So shuffling the words does change the output: each output vector moves with its word. This property is
# called **equivariance**. It also holds with projections of query, key and value, as the next cell tests.

# %% demo corrects="002(n)"
x, order = torch.randn(6, 8), torch.randperm(6)
W_query, W_key, W_value = torch.randn(3, 8, 8)
attend = lambda x: attention(x @ W_query, x @ W_key, x @ W_value)[0]
moved = attend(x[order])
print("equal to the shuffled output:", torch.allclose(moved, attend(x)[order], atol=1e-5))
print("equal to the first output:", torch.allclose(moved, attend(x), atol=1e-5))

# %% [markdown]
# ## 2. Two first ideas, and what is wrong with them
#
# The first idea is to **number the words**: add the position 0, 1, 2 ... to every entry of the word's
# vector. How similar will two different words be at position 100? Which word of a sentence will get the
# largest weights?

# %% demo
pair = torch.randn(2, 64)
for position in (0, 1, 10, 100):
    a, b = pair + position
    cosine = torch.cosine_similarity(a, b, dim=0)
    print(f"position {position:3}: length {a.norm():6.1f}, cosine of two words {cosine:.4f}")
x = torch.randn(12, 64) + torch.arange(12)[:, None]
_, weights = attention(x, x, x, need_weights=True)
print(f"weight on the last word, of 12: {weights[1:, -1].min():.4f} or more, in all rows but the first")

# %% [markdown]
# The number grows without bound. At position 100 it is so large that two unrelated words are nearly
# equal. All words but the first look at the last word. A model that is trained on sentences of 20 words
# never sees the number 50.
#
# The second idea is the **fraction of the sentence**: 0 for the first word, 1 for the last. This number
# is bounded. By how much do the fractions of two words differ if the words are three positions apart?

# %% demo
for length in (4, 8, 32, 128):
    step = 1 / (length - 1)
    print(f"{length:3} words: neighbors differ by {step:.3f}, words three positions apart by {3 * step:.3f}")

# %% [markdown]
# The same distance gives a different number for each length of the sentence. We want vectors with three
# properties. They are bounded, they differ from position to position, and the same distance looks the
# same everywhere.
#
# ## 3. Waves
#
# The hands of a clock have these properties. The fast hand tells neighboring positions apart. The slow
# hand tells near from far. "Twenty minutes later" is the same turn at any time. The Transformer uses
# $d_{model}/2$ hands (Vaswani et al. 2017, section 3.5).

# %% [markdown]
# Below are five of the 32 hands for $d_{model} = 64$, at positions 0 to 8. Which hands will differ
# clearly between positions 2 and 8? The first hand turns by 172° from position 1 to 4. How far will it
# turn from position 5 to 8?

# %% demo
from course_lib.plots import diagrams

diagrams.clocks(64).picture()

# %% [markdown]
# Every hand turns by the same angle for the same distance. Hand $i$, counted from 0, needs
# $2\pi \cdot 10000^{2i/d_{model}}$ positions for one turn. This number is its **wavelength**. It is
# $2\pi$ for the fastest hand and nearly $10000 \cdot 2\pi$ for the slowest. No sentence is that long, so
# no two positions look alike.

# %% [markdown] corrects="001(g) 004(l)"
# $$PE_{(p,\, 2i)} = \sin\frac{p}{10000^{2i/d_{model}}} \qquad
# PE_{(p,\, 2i+1)} = \cos\frac{p}{10000^{2i/d_{model}}}$$
#
# Here $p$ is the position, and $i$ counts **pairs** of dimensions, from 0 to $d_{model}/2 - 1$. The index
# $i$ does not count dimensions. The even *dimensions* hold sines and the odd ones hold cosines. Every
# *position* has both. A pair is one hand: its two numbers are the coordinates of the tip. Per position,
# hand $i$ turns by the angle $\omega_i = 10000^{-2i/d_{model}}$, which is called its rate.
#
# **Exercise 1** · medium · 12 minutes. Compute the encoding of all positions. If `d_model` is odd, the
# last column is a sine without a cosine. What is the row of position 0?


# %% exercise="sinusoidal_encoding"
def sinusoidal_encoding(length, d_model):
    """The encoding of positions 0 to length - 1: sines in even columns, cosines in odd ones.

    Shape: (length, d_model), float32. Columns 2i, 2i + 1 have the angle position / 10000 ** (2i / d_model).
    """
    ### BEGIN SOLUTION
    rates = 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)  # (pairs,)
    angle = torch.arange(length)[:, None] * rates
    encoding = torch.zeros(length, d_model)
    encoding[:, 0::2] = angle.sin()
    encoding[:, 1::2] = angle[:, : d_model // 2].cos()
    return encoding
    ### END SOLUTION


# %% check="sinusoidal_encoding" points=5
check("sinusoidal_encoding", sinusoidal_encoding)

# %% demo
encoding = sinusoidal_encoding(64, 64)
axes = plots.panels(2, width=4.4, height=3.6)
plots.position_map(encoding, ax=axes[0])
plots.position_waves(encoding[:25], ax=axes[1])
plots.show(axes)

# %% [markdown]
# A row of the left picture is the vector of one position. The hands on the left side turn fast. The hands
# on the right side hardly move within 64 positions. The right picture shows four columns for the first 25
# positions.
#
# ## 4. A shift is a rotation

# %% [markdown]
# The next cell shows your own encoding. Choose a position and a shift, such as back (-3) or forward (3).
# Then change only the position, and watch the last row. What stays the same?

# %% demo
from course_lib import widgets

widgets.clock_explorer(sinusoidal_encoding(128, 64))

# %% [markdown] corrects="003(h)"
# Let $a = p\,\omega_i$ be the angle of hand $i$ at position $p$. A step of $k$ positions turns it by
# $b = k\,\omega_i$. The **angle-addition formulas** (not the law of cosines) give
#
# $$\begin{pmatrix}\sin(a+b)\\ \cos(a+b)\end{pmatrix} =
# \begin{pmatrix}\cos b & \sin b\\ -\sin b & \cos b\end{pmatrix}
# \begin{pmatrix}\sin a\\ \cos a\end{pmatrix}$$
#
# The matrix depends on $k$ but not on $p$. So one rotation moves *every* position by $k$: forward if
# $k > 0$, back if $k < 0$.
#
# **Exercise 2** · medium · 12 minutes. Build this matrix for all pairs together. The step `k` may be
# negative, and `d_model` is even. Each pair has one block of 2 × 2. Where in the large matrix is the
# block of pair $i$?


# %% exercise="shift_matrix"
def shift_matrix(k, d_model):
    """The matrix that moves any position by k: shift_matrix(k, d_model) @ encoding[p] is encoding[p + k].

    Shape: (d_model, d_model), float32.
    """
    ### BEGIN SOLUTION
    angle = k * 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    blocks = [torch.tensor([[b.cos(), b.sin()], [-b.sin(), b.cos()]]) for b in angle]
    return torch.block_diag(*blocks)
    ### END SOLUTION


# %% check="shift_matrix" points=5
check("shift_matrix", shift_matrix)

# %% [markdown]
# Is this property special to sinusoids? For each of two tables, the next cell finds by least squares the
# matrix that best maps each row to the row three positions later. How large will the relative error be
# for a table of random numbers?


# %% demo
def error_of_best_shift(table, k=3):
    here, there = table[:-k].double(), table[k:].double()
    matrix = torch.linalg.lstsq(here, there).solution
    return ((here @ matrix - there).norm() / there.norm()).item()


print(f"sinusoids      {error_of_best_shift(sinusoidal_encoding(400, 64)):.1e}")
print(f"random numbers {error_of_best_shift(torch.randn(400, 64)):.1e}")

# %% [markdown]
# For sinusoids such a matrix exists. For random vectors it does not.
#
# ### What the dot product of two positions tells
#
# Because $\sin a \sin a' + \cos a \cos a' = \cos(a - a')$, the dot product of two positions is
#
# $$PE_p \cdot PE_{p+k} = \sum_i \cos(k\,\omega_i).$$
#
# It depends only on the distance. Can you read from it *how far away* a word is, and on *which side*?

# %% demo corrects="003(i)"
encoding, offsets = sinusoidal_encoding(201, 64), range(-40, 41)
products = (encoding @ encoding[100])[60:141]
ax = plots.lines(offsets, {"dot product": products}, "offset k", "PE(100) · PE(100 + k)")
print(f"largest difference between k and -k: {(products - products.flip(0)).abs().max():.1e}")
print(f"k = 22: {products[40 + 22]:.1f}, k = 25: {products[40 + 25]:.1f}")
plots.show(
    ax,
    f"Dot product of positions 100 and 100 + k: {products[40]:.0f} at 0, falls in waves, equal for k and -k.",
)

# %% [markdown] corrects="003(i)"
# The dot product is symmetric, because $\cos(-x) = \cos x$. So it **cannot tell left from right**. It
# also falls only roughly: its value is larger for a distance of 25 than for 22.
#
# Relative positions are readable because of the rotation. Attention compares $W_Q x$ with $W_K x$, and
# these matrices may contain a rotation. In the next cell they rotate the query by three positions back.
# Which position will position 7 look at?

# %% demo corrects="003(i)"
encoding, places = sinusoidal_encoding(8, 64), [str(p) for p in range(8)]
turned = encoding @ shift_matrix(-3, 64).mT
axes = plots.panels(2, width=4.2, height=3.8)
plots.attention_map(torch.softmax(encoding @ encoding.mT, -1), places, places, ax=axes[0], title="PE · PE")
plots.attention_map(
    torch.softmax(turned @ encoding.mT, -1), places, places, ax=axes[1], title="rotated by -3"
)
plots.show(axes)

# %% [markdown]
# After the rotation, each position from 3 on looks most at the position three before it. This works in
# sentences of any length. So weights with this property *exist*. Section 8 shows whether training finds
# them.
#
# *This is a good place to stop, after about 45 minutes. When you come back, run all cells above.*

# %% [markdown]
# ## 5. A module that adds them
#
# The words come as (batch, seq, d_model), and every sentence gets the same table. The table is not
# trained, but it has to move with the module (to a GPU, to half precision). Such a tensor is called a
# **buffer**.
#
# **Exercise 3** · easy · 8 minutes. Write a module that adds the encoding and then applies dropout. Use
# `nn.Dropout` (you write your own in lesson 05). Make the table in `__init__`, because the check looks for
# it in your module. A sentence may be shorter than `max_length`. Along which axis of x do the positions run?


# %% exercise="PositionalEncoding"
class PositionalEncoding(nn.Module):
    """Adds the sinusoidal encoding to x, then applies dropout to the sum.

    Shapes: x (batch, seq, d_model), seq at most max_length -> (batch, seq, d_model).
    The table is made once. It is not trained, and it moves with the module in `.to(...)`.
    """

    def __init__(self, d_model, max_length, dropout=0.0):
        super().__init__()
        ### BEGIN SOLUTION
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("table", sinusoidal_encoding(max_length, d_model))
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        return self.dropout(x + self.table[: x.shape[1]])
        ### END SOLUTION


# %% check="PositionalEncoding" points=6
check("PositionalEncoding", PositionalEncoding)

# %% [markdown]
# 我想过过过的生活 means *I want to live a life that I have lived*. It contains 过 three times, and the
# table of words has one vector for 过. Will the first two 过 still have equal vectors after the positions
# are added?

# %% demo
words = "我 想 过 过 过 的 生活".split()
vectors = {word: torch.randn(64) for word in sorted(set(words))}
x = torch.stack([vectors[word] for word in words])[None]
for name, seen in (("words alone", x), ("with positions", PositionalEncoding(64, 10)(x))):
    print(f"{name}: distance of the first 过 from the second {(seen[0, 2] - seen[0, 3]).norm():.2f}")

# %% [markdown] corrects="004(c)"
# A position counts words from the start of the sentence. graykode's toy translator, which many have
# copied, writes the positions by hand. They are `[1, 2, 3, 4, 5, 6, 0]` for its source and
# `[7, 1, 2, 3, 4, 5, 6]` for its target, so the start symbol has position 7. By how much does the
# position change from each target word to the next?

# %% demo corrects="004(c)"
target = torch.tensor([7, 1, 2, 3, 4, 5, 6])
encoding = sinusoidal_encoding(9, 64)
found = (encoding[target[:-1]] @ shift_matrix(1, 64).mT - encoding[target[1:]]).norm(dim=-1)
print("steps", target.diff().tolist())
print("distance between 'one position later' and the next word's row", found)

# %% [markdown] corrects="004(c)"
# The first step leads six positions *back*. What the model learns about "the next word" is wrong for this
# step. The padding (0 in the source) does not need a special position either. It gets its normal
# position, and the mask hides it.
#
# ## 6. Learned positions
#
# The model can also learn a vector for each position, as it does for each word. BERT and GPT-2 do this.
# The paper reports "nearly identical results" for learned and sinusoidal positions (table 3, row E).
#
# **Exercise 4** · easy · 5 minutes. Write a module that adds a trained table of shape (max_length,
# d_model). Small random numbers are usual at the start, but any numbers are accepted (`torch.empty` sets
# none). How does PyTorch know that a tensor is trained?


# %% exercise="LearnedPositions"
class LearnedPositions(nn.Module):
    """Adds a learned vector for each position to x.

    Shapes: x (batch, seq, d_model), seq at most max_length -> (batch, seq, d_model).
    Its only parameter is the table (max_length, d_model), or an nn.Embedding of that size.
    """

    def __init__(self, d_model, max_length):
        super().__init__()
        ### BEGIN SOLUTION
        self.table = nn.Parameter(torch.randn(max_length, d_model) * 0.02)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION
        return x + self.table[: x.shape[1]]
        ### END SOLUTION


# %% check="LearnedPositions" points=4
check("LearnedPositions", LearnedPositions)

# %% [markdown]
# The next cell makes a table for six positions and uses it for sentences of four words. Which rows will
# get a gradient?

# %% demo
positions = LearnedPositions(3, 6)
positions(torch.randn(2, 4, 3)).square().sum().backward()
print(next(positions.parameters()).grad)

# %% [markdown]
# Only the first four rows get a gradient. Rows that no sentence reaches keep their random numbers.
#
# ## 7. Rotate instead of adding
#
# **Rotary** positions (Su et al. 2021) add nothing to the words. They rotate each pair of numbers in a
# query at position $t$ by the angles of $t$, and in a key at position $s$ by the angles of $s$. With the
# rotations $R_t$ and $R_s$,
#
# $$(R_t\, q) \cdot (R_s\, k) = q \cdot R_{s-t}\, k.$$
#
# This **theorem** says that the score depends on the two vectors and on their *signed* distance. It does
# not depend on the two positions themselves. Values are not rotated.

# %% [markdown]
# The pair $(a, b)$ becomes $(a \cos - b \sin,\; a \sin + b \cos)$. Pair $i$ is made of the
# **neighboring** dimensions $2i$ and $2i+1$, as in the paper that introduced the rotation (Su et al. 2021).
# Llama in Hugging Face pairs dimension $i$ with $i + d_k/2$ instead. Both ways work, but weights that are
# trained with one are wrong for the other.
#
# **Exercise 5** · medium · 10 minutes. Rotate all pairs, without `torch.onnx.ops.rotary_embedding`. The
# axes of batch and heads may come before the sequence axis, and gradients flow back to x. How do you get
# the first numbers of all pairs, and how do you put the results back in their places?


# %% exercise="apply_rotary"
def apply_rotary(x, cos, sin):
    """Rotate pairs of neighboring dimensions of x by the angles of their positions (Su et al. 2021, eq. 34).

    Shapes: x (..., seq, d_k), cos and sin (seq, d_k / 2) -> (..., seq, d_k).
    Pair i is made of dimensions 2i and 2i + 1. It rotates from the first towards the second.
    """
    ### BEGIN SOLUTION
    first, second = x[..., 0::2], x[..., 1::2]
    turned = torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1)
    return turned.flatten(start_dim=-2)  # (..., seq, pairs, 2) -> (..., seq, d_k)
    ### END SOLUTION


# %% check="apply_rotary" points=6
check("apply_rotary", apply_rotary)

# %% [markdown]
# Your encoding holds the sines and cosines that you need. The next cell puts one query and one key at
# positions 5 and 2, at 105 and 102, and at 2 and 5. Which of the three scores will be equal with
# rotation, and which with addition?


# %% demo
def turn(x):
    encoding = sinusoidal_encoding(x.shape[-2], x.shape[-1])
    return apply_rotary(x, encoding[:, 1::2], encoding[:, 0::2])


query, key = torch.randn(2, 1, 64).expand(2, 200, 64)  # the same two vectors at every position
encoding = sinusoidal_encoding(200, 64)
ways = {"rotated vectors": turn(query) @ turn(key).mT}
ways["added positions"] = (query + encoding) @ (key + encoding).mT
for name, scores in ways.items():
    found = [f"{scores[t, s]:.3f} (positions {t} and {s})" for t, s in ((5, 2), (105, 102), (2, 5))]
    print(f"{name}:", ", ".join(found))

# %% [markdown]
# With rotation, moving both words by 100 positions does not change the score, but exchanging their
# positions does. So the score depends on the direction. With addition, the score also contains products
# of a word and a position. So it changes when both words move.

# %% [markdown]
# ## 8. Side by side
#
# The next task can be solved only with positions: **which word was three positions before?** One layer of
# attention is trained on sentences of 8 to 16 random words. It is tested on longer sentences too.

# %% demo
WORDS, WIDTH, BACK = 20, 32, 3


class Reader(nn.Module):
    def __init__(self, positions, turn):
        super().__init__()
        self.embed, self.positions, self.turn = nn.Embedding(WORDS, WIDTH), positions, turn
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.output = nn.Linear(WIDTH, WORDS)

    def forward(self, ids):
        x = self.positions(self.embed(ids))
        query, key = self.turn(self.query(x)), self.turn(self.key(x))
        return self.output(attention(query, key, self.value(x))[0])


# %% demo
class FromAnywhere(nn.Module):
    """Sinusoids again, but in training each batch begins at a random position."""

    def forward(self, x):
        start = int(torch.randint(100, (1,))) if self.training else 0
        return x + sinusoidal_encoding(start + x.shape[1], WIDTH)[start:]


KINDS = {
    "no positions": lambda: (nn.Identity(), nn.Identity()),
    "integer positions": lambda: (lambda x: x + torch.arange(x.shape[1])[:, None], nn.Identity()),
    "fractional positions": lambda: (lambda x: x + torch.linspace(0, 1, x.shape[1])[:, None], nn.Identity()),
}

# %% demo
KINDS |= {
    "learned positions": lambda: (LearnedPositions(WIDTH, 64), nn.Identity()),
    "sinusoidal positions": lambda: (PositionalEncoding(WIDTH, 64), nn.Identity()),
    "sinusoidal, from anywhere": lambda: (FromAnywhere(), nn.Identity()),
    "rotary positions": lambda: (nn.Identity(), turn),
}


# %% demo
@functools.cache
def trained(kind, seed):
    torch.manual_seed(seed)
    model = Reader(*KINDS[kind]())
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(300):
        ids = torch.randint(WORDS, (64, int(torch.randint(8, 17, (1,)))))
        loss = nn.functional.cross_entropy(model(ids)[:, BACK:].mT, ids[:, :-BACK])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.eval()


# %% [markdown]
# There are 20 words, so a random guess is right in 5 % of the cases. The next cell trains seven kinds of
# positions with three seeds each, which takes about 20 seconds. Which kinds will be best at length 16?
# Which will still be good at length 64?


# %% demo
@torch.no_grad()
def accuracy(model, length):  # one number for each position from BACK on
    ids = torch.randint(WORDS, (500, length))
    return (model(ids)[:, BACK:].argmax(-1) == ids[:, :-BACK]).float().mean(dim=0)


print("Length: right answers, worst - best seed")
for kind in KINDS:
    models = [trained(kind, seed) for seed in range(3)]
    found = {n: sorted(accuracy(model, n).mean().item() for model in models) for n in (16, 32, 64)}
    print(*(f"{n}: {worst:.2f} - {best:.2f}  " for n, (worst, _, best) in found.items()), kind)

# %% demo
shown = ["learned positions", "sinusoidal positions", "sinusoidal, from anywhere", "rotary positions"]
seeds = {kind: torch.stack([accuracy(trained(kind, seed), 32) for seed in range(3)]) for kind in shown}
curves = {kind: found.mean(dim=0) for kind, found in seeds.items()}
ax = plots.lines(
    range(BACK, 32), curves, "position in a sentence of 32 words", "right answers, mean of 3 seeds"
)
ax.axvline(15.5, color="0.4")
ax.legend(frameon=False, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
ends = [f"{kind} {curve[:13].mean():.2f} and {curve[13:].mean():.2f}" for kind, curve in curves.items()]
plots.show(ax, f"Right answers before position 16, trained, and from there on: {', '.join(ends)}.")

# %% [markdown]
# We trained 12 seeds of each kind. The table shows the share of right answers, from the worst to the best
# seed:
#
# | positions | length 16 | length 32 | length 64 |
# |---|---|---|---|
# | learned | 1.00 | 0.48 to 0.49 | 0.25 to 0.27 |
# | sinusoidal | 1.00 | 0.44 to 0.65 | 0.22 to 0.42 |
# | sinusoidal, from anywhere | 1.00 | 0.85 to 1.00 | 0.70 to 0.89 |
# | rotary | 1.00 | 1.00 | 0.77 to 0.98 |
#
# At trained lengths all four are equally good, as the paper found for learned and sinusoidal positions.
# In longer sentences they differ. These are observations, not a theorem.

# %% [markdown]
# The curves and the table show more:
#
# - **Learned** positions are right up to the line. Beyond it they guess, because those rows were never
#   trained.
# - **Sinusoids** also fail at some positions left of the line. At length 16 the same positions are right,
#   so the added words, at positions that were never trained, must get too much weight. Rotating by -3 works
#   at any length (section 4), but training found other weights, which fit 16 positions. If each training
#   batch starts at a random position, the same waves are much better. So the formula allows longer
#   sentences, but training has to show the positions.
# - **Rotary** positions are right at length 32. At length 64 they make mistakes too.
#
# The paper writes only that sinusoids *may* extrapolate.

# %% [markdown]
# The rotary score for "three back" is the same at every position. But 64 words have distances that never
# occurred in training, and four times as many keys.
#
# Why do **integer** and **fractional** positions fail even at trained lengths? They add the position $s$,
# times a vector $w$, to the word's vector $e_s$. The score of the key at position $s$ is then
#
# $$q \cdot W_K (e_s + s\,w) = q \cdot W_K e_s + s\; q \cdot W_K w.$$
#
# The second term rises, or falls, along the whole sentence. So this layer prefers one end of the
# sentence, and no weights can select the third word before. The layer with no positions is better than a
# random guess, because it knows which words are in the sentence.

# %% [markdown]
# ## 9. In your own words
#
# A classmate says: "The dot product of two positions tells their relative position. So attention with
# sinusoids knows which word came three positions before, in a sentence of any length." Answer in three
# parts. (a) What does this dot product tell, and what can it not tell? (b) Which property of the encoding
# allows attention to look three positions back, and which matrices of the layer have to learn it? (c) Why
# may a trained model still fail in sentences longer than its training sentences, and what helps?

# %% [markdown] points=3 question="rotation_not_dot_product"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** the only quantity on which the dot product depends, and the reason why k
# positions before and k positions after give the same value.
# **Model answer:** The dot product depends only on the distance, and it is the same for k and -k, because
# a cosine is. It tells roughly how far away a word is, but not on which side.
# **Marking:** Half a point without the symmetry. That it does not fall steadily is welcome, but not
# required.
#
# (b) **A full answer names** what one matrix does to the encoding of every position, and the two learned
# matrices that can contain this matrix.
# **Model answer:** One matrix moves the encoding of every position by k positions. For each pair, it is a
# rotation by k · ω_i. The score contains W_Q and W_K between the two positions, so W_Kᵀ W_Q can be this
# rotation.
# **Marking:** Half a point for the rotation without the matrices that learn it.
#
# (c) **A full answer names** the difference between weights that exist and weights that training finds,
# and one remedy.
# **Model answer:** Weights that look three positions back exist for any length, but training may find
# other weights, which fit only the positions it has seen. Training at all positions helps (longer
# sentences, or random starts). Rotary positions help too, because their score depends only on the
# distance.
# **Marking:** Half a point for the cause, half for a remedy.
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - Attention is equivariant: if you shuffle the words, the outputs move with them. The order has to be
#   added.
# - Sinusoids are bounded, and one rotation moves every position by $k$. Their dot product does not know
#   the direction.
# - Learned positions end with their table. Rotary positions rotate queries and keys, so scores depend on
#   the signed distance.
# - At trained lengths all three are equally good here. Beyond them, rotary positions were best, and
#   sinusoids did not extrapolate without help.
#
# **Next:** in lesson 05 you build the parts that make deep stacks of layers trainable: normalization,
# residual connections and the feed-forward layer.

# %%
progress()
