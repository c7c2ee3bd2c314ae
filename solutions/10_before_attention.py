# %% [markdown]
# # Before the Transformer: one vector for a sentence
#
# Before 2017, most neural translators read a sentence word by word. The first ones kept only one vector of
# the whole sentence. Then attention let a translator look back at every word. The Transformer kept the
# attention and removed everything that reads word by word. In this lesson you build both older translators
# and train them on the corpus of lesson 07. Which of the two changes made translations better?
#
# **You need** lessons 02 and 07. No later lesson needs this one. **Time:** 45 minutes, two exercises.

# %%
import random
from itertools import groupby
from time import perf_counter

import torch
from torch import nn

from course_lib import plots
from course_lib.exercises.before_attention import check, hint, model_answer, progress

torch.manual_seed(0)
torch.set_printoptions(precision=3, sci_mode=False)
f"PyTorch {torch.__version__} is ready"

# %% [markdown] corrects="002(l)"
# ## 1. A network that reads word by word
#
# A **recurrent network** (RNN) has a state $h$, which is a vector. Each word $x_t$ changes the state:
#
# $$h_t = \tanh(x_t W + h_{t-1} U + b)$$
#
# The state of one step is an input of the next step. (One of the posts behind this course says wrongly that
# the *input* of a step is the output of the next.) The matrices $W$ and $U$ are the same at every step, so a
# sentence may have any length. The last state depends on every word.

# %% [markdown] corrects="004(h)"
# An RNN knows the order of the words, because each state depends on what was read before. Attention alone
# does not, as lesson 04 showed. (One post says wrongly that attention keeps the order as an RNN does.)
# The disadvantage of an RNN is that each step has to wait for the step before it.

# %% [markdown]
# ### Why gates
#
# In training, the gradient of the loss goes back through all steps. Each step multiplies it by $U$ and by
# the slope of a tanh, which is at most 1. After fifty such steps, the gradient is usually very small or
# very large. We say that it **vanishes** or **explodes** (Bengio et al. 1994).

# %% [markdown]
# A **gated** network does not replace its whole state at each step. The gated recurrent unit (GRU, Cho et
# al. 2014) first computes a **candidate** $n$ for the new state. It has two **gates**, $r$ and $z$, vectors
# as long as the state. The sigmoid $\sigma$ (lesson 01) makes each of their numbers lie between 0 and 1:
#
# $$r = \sigma(x W_r + h U_r + b_r) \qquad z = \sigma(x W_z + h U_z + b_z)$$
# $$n = \tanh(x W_n + b_n + r \odot (h U_n)) \qquad h' = (1 - z) \odot n + z \odot h$$

# %% [markdown]
# The **reset gate** $r$ decides how much of the old state the candidate $n$ reads. The **update gate** $z$
# decides how much of the old state stays in the new state $h'$. The sign $\odot$ multiplies two vectors
# number by number. The LSTM (1997) is older and has three gates and a second state, but the idea is the
# same.
#
# **Exercise 1** · medium · 12 minutes. Write one step of the GRU yourself, without PyTorch's recurrent
# functions and layers (`gru_cell`, `gru`, `lstm_cell` and so on). The columns of `W`, `U` and `b` are in
# three groups of `hidden` columns: first $r$, then $z$, then $n$. Which part of the candidate does the reset
# gate multiply?


# %% exercise="gru_cell"
def gru_cell(x, state, W, U, b):
    """Take one step of a gated recurrent unit and return the new state.

    Shapes: x (batch, d_in), state (batch, hidden), W (d_in, 3 * hidden), U (hidden, 3 * hidden),
    b (3 * hidden,) -> (batch, hidden). The columns are those of reset gate, update gate, candidate.
    """
    ### BEGIN SOLUTION
    x_reset, x_update, x_new = (x @ W + b).chunk(3, dim=-1)
    h_reset, h_update, h_new = (state @ U).chunk(3, dim=-1)
    reset = torch.sigmoid(x_reset + h_reset)
    update = torch.sigmoid(x_update + h_update)
    candidate = torch.tanh(x_new + reset * h_new)
    return (1 - update) * candidate + update * state
    ### END SOLUTION


# %% check="gru_cell" points=8
check("gru_cell", gru_cell)

# %% [markdown]
# The next cell compares your cell with PyTorch's cell at the same weights and prints the largest
# difference. PyTorch stores its matrices transposed. It also has a second bias, which is set to 0 here.

# %% demo
theirs = nn.GRUCell(5, 4)
with torch.no_grad():
    theirs.bias_hh.zero_()
x, state = torch.randn(2, 5), torch.randn(2, 4)
ours = gru_cell(x, state, theirs.weight_ih.T, theirs.weight_hh.T, theirs.bias_ih)
(ours - theirs(x, state)).abs().max().item()

# %% [markdown]
# ## 2. How far a gradient reaches
#
# Each of four networks reads 64 random vectors. How much does its last state depend on the vector that it
# read $k$ steps before? All four are untrained and have a state of 64 numbers:
#
# - the plain RNN, with random weights like PyTorch's;
# - the same RNN with a state matrix $U$ that is three times as large;
# - your GRU;
# - your GRU with update gates near 1: their bias is 4, and $\sigma(4) = 0.98$.
#
# Before you run the cells, guess which curve falls fastest on a log scale, and which curve rises.


# %% demo
def reach(step, columns, larger=1.0, update_bias=0.0, size=64):
    """How much the last state depends on each vector: entry k is for the vector read k steps before."""
    W, U = (torch.empty(size, columns).uniform_(-1, 1) * size**-0.5 for _ in range(2))
    b = torch.zeros(columns)
    b[size : 2 * size] = update_bias
    vectors, state = torch.randn(64, 32, size, requires_grad=True), torch.zeros(32, size)
    for vector in vectors:
        state = step(vector, state, W, larger * U, b)
    (slope,) = torch.autograd.grad(state.sum(), vectors)
    return slope.norm(dim=-1).mean(dim=-1).flip(0)  # (64,), the latest vector first


# %% demo
plain = lambda x, state, W, U, b: torch.tanh(x @ W + state @ U + b)
torch.manual_seed(0)
curves = {
    "RNN": reach(plain, 64),
    "RNN, 3 times the state matrix": reach(plain, 64, larger=3),
    "GRU": reach(gru_cell, 192),
    "GRU, update gates near 1": reach(gru_cell, 192, update_bias=4),
}
axes = plots.lines(range(64), curves, "steps since the vector was read", "norm of the gradient")
axes.set_yscale("log")
plots.show(axes)

# %% [markdown]
# The curves are nearly straight lines on a log scale, so each step multiplies the gradient by about the
# same factor. After 63 steps, $10^{-22}$ of the gradient is left in the plain RNN, and $10^{-14}$ in the
# untrained GRU. With a state matrix three times as large, the gradient grows.
#
# With update gates near 1, more than a quarter of the gradient is left. Such gates pass the old state on by
# an addition, as in a residual connection (lesson 05). So gates do not remove vanishing gradients, but they
# turn the factor into something that can be learned.
#
# The usual protection against explosion is **clipping**. If the norm of the gradient is too large, the
# gradient is scaled down to a fixed norm before the optimizer's step.

# %% [markdown]
# ## 3. One vector, or a new one for each word
#
# A translator has two networks. The **encoder** reads the source, and its states are $h_1 \dots h_n$. The
# **decoder** starts with the last of these states and writes word by word. It is **autoregressive**, which
# means that it reads each word that it has written before it writes the next (Cho et al. 2014; Sutskever
# et al. 2014):
#
# $$s_t = \text{GRU}([y_{t-1}; c],\, s_{t-1}) \qquad c = h_n$$
#
# Here $y_{t-1}$ is the vector of the word before, and $[\,;\,]$ puts two vectors side by side. The
# **context** $c$ has the same size for a sentence of 3 words and of 30 words. This is the bottleneck.

# %% [markdown]
# Bahdanau et al. (2015) changed one thing. Each step gets its own context $c_t$, computed by the additive
# attention of lesson 02:
#
# $$s_t = \text{GRU}([y_{t-1}; c_t],\, s_{t-1}) \qquad c_t = \sum_i \alpha_{ti} h_i \qquad
# \alpha_t = \text{softmax}_i\; v^\top \tanh(W_q^\top s_{t-1} + W_k^\top h_i)$$

# %% [markdown]
# **Exercise 2** · medium · 10 minutes. Write one step of this decoder. It gets the attention and the cell
# as functions, so that you can replace either of them:
#
# - `attend(query, key, value)` returns output and weights, as your `additive_attention` does, but it
#   contains its matrices already;
# - `cell(x, state)` returns the new state.
#
# Each sentence has one query here. Which shape must the query have for `attend`?


# %% exercise="decoder_step"
def decoder_step(word, state, memory, attend, cell):
    """Take one step of a decoder with attention; return the new state and the weights of the attention.

    Shapes: word (batch, d_model), state (batch, hidden), memory (batch, source, hidden)
    -> state (batch, hidden), weights (batch, source).
    The memory holds the states of the encoder, and the old state is the query.
    The cell reads word and context side by side in one row, the word first.
    attend takes a query (batch, target, hidden) and returns output (batch, target, hidden) and weights
    (batch, target, source).
    """
    ### BEGIN SOLUTION
    context, weights = attend(state[:, None], memory, memory)
    x = torch.cat([word, context[:, 0]], dim=-1)  # (batch, d_model + hidden)
    return cell(x, state), weights[:, 0]
    ### END SOLUTION


# %% check="decoder_step" points=7
check("decoder_step", decoder_step)

# %% [markdown]
# ## 4. The same corpus, the same number of steps
#
# You now train three translators that are made of your pieces. Where you have no piece of your own, the
# course's piece is used. A GRU has no mask and cannot skip padding, so all sources in a batch have the
# same length. The Transformer gets the same batches.

# %%
from course_lib.corpus import load_corpus
from course_lib.text import BOS, EOS
from course_lib.yours import yours

Vocabulary, TokenEmbedding, additive_attention = yours("Vocabulary", "TokenEmbedding", "additive_attention")
Transformer, attention_maps = yours("Transformer", "attention_maps")
make_batches, train, greedy_decode = yours("make_batches", "train", "greedy_decode")

# %% demo
corpus = load_corpus()
english = Vocabulary([pair.source for pair in corpus.train])
chinese = Vocabulary([pair.target for pair in corpus.train])
source_length = lambda pair: len(pair[0])
ids = [([*english.encode(p.source), EOS], [BOS, *chinese.encode(p.target), EOS]) for p in corpus.train]
groups = groupby(sorted(ids, key=source_length), source_length)
batches = [batch for _, group in groups for batch in make_batches(list(group), 32)]
lengths = [source.shape[1] for source, _ in batches]
f"{len(batches)} batches, sources of {min(lengths)} to {max(lengths)} ids"

# %% [markdown]
# The next two cells define the weights of a GRU cell and of an additive attention. The third cell defines
# an "attention" that never chooses. It gives all its weight to the last vector, and with it your
# `decoder_step` is the decoder of 2014.


# %% demo
class Cell(nn.Module):
    """Your gru_cell and its weights."""

    def __init__(self, width, hidden):
        super().__init__()
        self.W = nn.Parameter(torch.empty(width, 3 * hidden).uniform_(-1, 1) * hidden**-0.5)
        self.U = nn.Parameter(torch.empty(hidden, 3 * hidden).uniform_(-1, 1) * hidden**-0.5)
        self.b = nn.Parameter(torch.zeros(3 * hidden))

    def forward(self, x, state):
        return gru_cell(x, state, self.W, self.U, self.b)


# %% demo
class Additive(nn.Module):
    """Your additive_attention and its weights."""

    def __init__(self, hidden):
        super().__init__()
        self.W_query = nn.Parameter(torch.randn(hidden, hidden) * hidden**-0.5)
        self.W_key = nn.Parameter(torch.randn(hidden, hidden) * hidden**-0.5)
        self.v = nn.Parameter(torch.randn(hidden) * hidden**-0.5)

    def forward(self, query, key, value):
        return additive_attention(query, key, value, self.W_query, self.W_key, self.v)


# %% demo
def last_vector(query, key, value):
    """The fixed context: for every query, all the weight is on the last vector."""
    weights = torch.zeros(len(key), 1, key.shape[1])
    weights[..., -1] = 1
    return value[:, -1:], weights


def states_of(cell, vectors):
    """All states (batch, seq, hidden) of a cell that reads vectors (batch, seq, d_in)."""
    states = [vectors.new_zeros(len(vectors), cell.U.shape[0])]
    for vector in vectors.unbind(dim=1):
        states.append(cell(vector, states[-1]))
    return torch.stack(states[1:], dim=1)


# %% [markdown]
# A linear layer computes the logits of step $t$ from the new state and the context. All three translators
# are models as your `train` and `greedy_decode` need them: they take source and target and return logits.


# %% demo
class Recurrent(nn.Module):
    def __init__(self, attend, hidden=96):
        super().__init__()
        self.source_embedding = TokenEmbedding(len(english), 64)
        self.target_embedding = TokenEmbedding(len(chinese), 64)
        self.reader, self.writer = Cell(64, hidden), Cell(64 + hidden, hidden)
        self.attend, self.output = attend, nn.Linear(2 * hidden, len(chinese), bias=False)

    def forward(self, source, target):
        memory = states_of(self.reader, self.source_embedding(source))
        states, weights = written_states(self, memory, self.target_embedding(target))
        return self.output(torch.cat([states, weights @ memory], dim=-1))


# %% demo
def written_states(model, memory, vectors):
    """The decoder's states (batch, target, hidden) and its weights (batch, target, source)."""
    state, states, weights = memory[:, -1], [], []
    for word in vectors.unbind(dim=1):
        state, looked = decoder_step(word, state, memory, model.attend, model.writer)
        states.append(state)
        weights.append(looked)
    return torch.stack(states, dim=1), torch.stack(weights, dim=1)


# %% demo
def new_model(kind):
    """An untrained model: "fixed vector", "GRU with attention" or "Transformer"."""
    if kind != "Transformer":
        return Recurrent(last_vector if kind == "fixed vector" else Additive(96))
    model = Transformer(len(english), len(chinese), d_model=64, heads=4, d_ff=128, layers=1)
    model.output = nn.Linear(64, len(chinese), bias=False)  # from here on as in lesson 07
    with torch.no_grad():
        for embedding in (model.source_embedding, model.target_embedding):
            embedding.table.weight.mul_(0.5)
    return model


# %% [markdown]
# All three translators are trained with the optimizer of lesson 07, for 1,000 steps of 32 pairs. The
# learning rate is twice that of lesson 07, because the training is short. With half this rate all three
# were worse (seed 0). The three trainings take about half a minute. How many of 2,000 new sentences will
# each of them translate without an error?

# %% demo
STEPS, KINDS = 1000, ("fixed vector", "GRU with attention", "Transformer")


def trained(kind, steps=STEPS):
    """The trained model, and the milliseconds that one of its steps took."""
    model = new_model(kind)
    rate = lambda step: 1e-2 * min(step / 150, 1) * (1 - (step - 1) / steps)
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), eps=1e-9, weight_decay=0.2)
    told = lambda step, loss: print(f"{kind}, step {step}: loss {loss:.3f}")
    began = perf_counter()
    train(model, batches, optimizer, steps, rate, told, every=200)
    return model, 1000 * (perf_counter() - began) / steps


# %% demo
found = {}
for kind in KINDS:
    torch.manual_seed(0)
    random.seed(0)
    found[kind], milliseconds = trained(kind)
    count = sum(p.numel() for p in found[kind].parameters())
    print(f"{kind}: {count:,} parameters, {milliseconds:.0f} ms a step")
models = found


# %% demo
def right(model, pairs):
    """For each pair 1 if its translation is exact, else 0; a batch has one source length."""
    found, words_in = {}, lambda i: len(pairs[i].source)
    for _, places in groupby(sorted(range(len(pairs)), key=words_in), words_in):
        places = list(places)
        rows = [[*english.encode(pairs[i].source), EOS] for i in places]
        for i, row in zip(places, greedy_decode(model, torch.tensor(rows)).tolist(), strict=True):
            words = chinese.decode(row[: row.index(EOS)] if EOS in row else row)
            found[i] = words == list(pairs[i].target)
    return torch.tensor([found[i] for i in range(len(pairs))]).float()


# %% demo
exact = {kind: right(model, corpus.test) for kind, model in models.items()}
for kind, model in models.items():
    combinations = right(model, corpus.compositional)
    print(f"{kind:18} random {100 * exact[kind].mean():6.2f}  compositional {100 * combinations.mean():6.2f}")

# %% [markdown]
# ### By length
#
# If the fixed vector is a bottleneck, its exact match has to fall with the length of the sentence more
# than that of the other two. Does it?

# %% demo
words = torch.tensor([len(pair.source) for pair in corpus.test])
bins = [(low, low + 1) for low in range(4, 14, 2)]
middles = [(low + high) / 2 for low, high in bins]
inside = [(words >= low) & (words <= high) for low, high in bins]
curves = {kind: [100 * marks[where].mean().item() for where in inside] for kind, marks in exact.items()}
print("sentences:", [int(where.sum()) for where in inside])
axes = plots.lines(middles, curves, "words of the source", "exact match, percent")
axes.set_ylim(0, 103)
plots.show(axes)

# %% [markdown]
# Other seeds give other numbers. The table shows the exact match in percent, the worst and the median of
# five seeds (`python tests/bench/history.py`). Its last four columns divide the random test by the length
# of the source.

# %% [markdown]
# | | random | compositional | 3 to 6 words | 7 to 9 | 10 to 12 | 13 and more |
# |---|---|---|---|---|---|---|
# | fixed vector | 80.9 / 82.6 | 49.7 / 50.7 | 92.3 / 93.8 | 82.8 / 85.3 | 71.1 / 71.4 | 49.5 / 57.0 |
# | attention | 97.0 / 97.6 | 94.5 / 95.5 | 98.1 / 98.7 | 97.1 / 98.2 | 93.7 / 96.3 | 95.3 / 96.3 |
# | Transformer | 95.5 / 96.4 | 90.0 / 93.7 | 95.9 / 97.0 | 95.8 / 97.5 | 92.8 / 95.2 | 88.8 / 89.7 |

# %% [markdown]
# **Attention brings the large gain.** From the shortest to the longest sentences, the exact match of the
# fixed vector falls from 94 to 57 % (medians). With attention it falls only from 99 to 96 %.
#
# **The Transformer does not beat the GRU with attention.** After 1,000 steps its exact match is lower in
# all five seeds. After 4,000 steps it translates 99.6 % of the random test exactly (lesson 07, median).
# The Transformer is smaller, with 147,264 parameters against 240,224. Its training step also takes less
# time, 11 ms against 18 ms on one core.

# %% [markdown]
# ## 5. Where they look
#
# Both models with attention return their weights. For *i like the 2022 beijing winter games*, the next cells
# draw the weights of your `additive_attention` and the Transformer's cross-attention (by your
# `attention_maps`, the mean over the heads). Each row is a word of the translation. In which row do you
# expect the largest difference?

# %% demo
sentence = "i like the 2022 beijing winter games".split()
source = torch.tensor([[*english.encode(sentence), EOS]])
looking = models["GRU with attention"]


def additive_map(words):
    """The weights (target, source) of the GRU while it writes these words."""
    target = torch.tensor([[BOS, *chinese.encode(words)]])
    memory = states_of(looking.reader, looking.source_embedding(source))
    return written_states(looking, memory, looking.target_embedding(target))[1][0]


# %% demo
axes = plots.panels(2, width=4.4, height=3.9)
for kind, ax in zip(("GRU with attention", "Transformer"), axes, strict=True):
    row = greedy_decode(models[kind], source)[0].tolist()
    written = chinese.decode(row[: row.index(EOS)])
    if kind == "GRU with attention":
        weights = additive_map(written)
    else:
        target = torch.tensor([[BOS, *chinese.encode(written)]])
        weights = attention_maps(models[kind], source, target)["cross"][-1].mean(dim=0)
    title = "GRU, additive attention" if kind == "GRU with attention" else "Transformer, cross-attention"
    plots.attention_map(weights, [*written, "<eos>"], [*sentence, "<eos>"], ax=ax, title=title)
plots.show(axes)

# %% [markdown]
# In our run the two maps agree where one English word has one translation: 我, 喜欢, 2022, 北京. They differ
# at 年 and at 冬奥会. There the GRU gives the most weight to *games*, and at 冬奥会 the second most to
# *winter*. The Transformer gives the most weight to *2022* in both rows, but at 年 its weights are spread
# over all words. Both models wrote the right words. A map of weights does not prove which words a model
# needs, as lesson 07 showed.
#
# For the GRU, the vector of *games* is the encoder's state after the whole phrase, so it also depends on
# *winter*. The vector of *winter* does not depend on *games*, which comes later.

# %% [markdown]
# ## 6. Steps in a row
#
# If a recurrent translator is not worse, why give it up? Count the steps that have to wait for one
# another, for $n$ source tokens and $m$ target tokens:
#
# | | GRU, with or without attention | Transformer, $L$ layers in each half |
# |---|---|---|
# | training | $n + m$ | $2L$ |
# | translating | $n + m$ | $L + mL$ |
#
# In a recurrent network each state waits for the state before it, also in training. The Transformer
# computes all positions of a layer **in parallel** in training, because the right words are known. In
# translation it is as autoregressive as the others. Models that write all words at once exist too. They
# are called non-autoregressive.

# %% demo
n = sum(source.shape[1] for source, _ in batches) / len(batches)
m = sum(target.shape[1] - 1 for _, target in batches) / len(batches)
print(f"mean of all batches: {n:.1f} source tokens, {m:.1f} target tokens")
print(f"steps in a row in training: GRU {n + m:.0f}, Transformer 2")
print(f"steps in a row in translation: GRU {n + m:.0f}, Transformer {1 + m:.0f}")
for kind, model in models.items():
    for length in (10, 40):
        one = torch.randint(4, 200, (32, length))
        began = perf_counter()
        model(one, one).sum().backward()
        seconds = perf_counter() - began
        print(f"{kind:18} {length} words into {length}: {1000 * seconds:.0f} ms forward and backward")

# %% [markdown]
# We measured a forward and a backward pass for 32 sentences, with untrained models on one CPU core. The
# table shows the median of nine passes in milliseconds:
#
# | | 10 words into 10 | 20 into 20 | 40 into 40 |
# |---|---|---|---|
# | fixed vector | 11 | 17 | 38 |
# | attention | 17 | 38 | 108 |
# | Transformer | 9 | 13 | 25 |

# %% [markdown]
# One core computes one thing after the other in any case, so this table does not show the gain of parallel
# steps. It shows the cost of a Python loop over words. It also shows the cost of additive attention, which
# needs a hidden layer for each pair of words. A GPU computes thousands of numbers at once, so there the
# steps in a row take most of the time. A convolution is parallel too, but one layer of it sees only a
# window of words (see the table of lesson 03).

# %% [markdown]
# ## 7. The way back to the first word
#
# Section 2 measured single networks. Now measure the translators. How much does the last output depend on
# the first source word, if both sentences have $n$ random words? With a fixed vector, the gradient has to go
# back through all $n$ steps of the encoder. With attention it has a shortcut from each step of the decoder
# to each source word. Which curve do you expect to fall fastest before training, and which after it?


# %% demo
def slope_of_first(model, n):
    """How much the last output depends on the first source word, with n random words in both sentences."""
    source, target = torch.randint(4, len(english), (64, n)), torch.randint(4, len(chinese), (64, n))
    target[:, 0], vectors = BOS, []
    handle = model.source_embedding.register_forward_hook(lambda *call: vectors.append(call[-1]))
    log_probs = model(source, target)[:, -1].log_softmax(dim=-1)
    handle.remove()
    asked = log_probs.gather(1, torch.randint(4, len(chinese), (64, 1)))
    (slope,) = torch.autograd.grad(asked.sum(), vectors[0])
    return slope[:, 0].norm(dim=-1).mean().item()


# %% demo
torch.manual_seed(0)
distances, axes = (4, 8, 12, 16, 24, 32), plots.panels(2, width=4.2, height=3.6, sharey=True)
stages = {"before training": {kind: new_model(kind) for kind in KINDS}, "after training": models}
for (stage, those), ax in zip(stages.items(), axes, strict=True):
    curves = {kind: [slope_of_first(model, n) for n in distances] for kind, model in those.items()}
    curves = {kind: [slope / slopes[0] for slope in slopes] for kind, slopes in curves.items()}
    plots.lines(distances, curves, "n words into n words", "gradient, relative to n = 4", ax=ax, title=stage)
    ax.set_yscale("log")
axes[1].set_ylabel("")
plots.show(axes)

# %% [markdown]
# The table shows how much of the gradient at 4 words is left at 32 words (medians of three seeds):
#
# | | before training | after training |
# |---|---|---|
# | fixed vector | $10^{-6}$ | 0.14 |
# | attention | 0.14 | 0.19 |
# | Transformer | 0.14 | 0.14 |

# %% [markdown]
# Before training, the curve of the fixed vector is straight on the log scale. The curves with attention
# fall about like $4/n$, because the first of $n$ words gets about $1/n$ of the weight.
#
# After training, the three curves are close together, because the gates have learned to keep the state. So
# in the end, the size of the fixed vector limits this translator, and not the gradient. The 96 numbers of
# the vector have to carry the whole sentence, and a longer sentence needs more of them.

# %% [markdown]
# ## 8. Soft against hard
#
# Additive and dot-product attention are **soft**: they average all values. **Hard** attention takes only
# one value, which looks cheaper. Why are translators not trained with it?

# %% [markdown]
# A small task shows the reason. It has a query, eight keys and eight values. The query is one of the keys,
# turned by a fixed rotation. A matrix $M$ has to learn to undo the rotation, and the right answer is the
# value of that key. Compare three ways to learn $M$. Which of them will not learn?
#
# - **soft**: average the values by the weights, and follow the gradient of the squared error;
# - **hard**: draw one value with the weights as probabilities, and follow the gradient of its squared
#   error;
# - **hard, rewarded**: draw one value, and make this draw more likely if its error was smaller than the
#   mean error.


# %% demo
def loss_of(way, scores, values, answer):
    """The loss of one of the three ways: scores and values (batch, source), answer (batch,)."""
    log_weights = scores.log_softmax(dim=-1)
    if way == "soft choice":
        return ((log_weights.exp() * values).sum(dim=-1) - answer).square().mean()
    drawn = log_weights.exp().multinomial(1)  # (batch, 1)
    error = (values.gather(1, drawn)[:, 0] - answer).square()
    if way == "hard choice":
        return error.mean()
    return ((error - error.mean()) * log_weights.gather(1, drawn)[:, 0]).mean()


# %% demo
def look_ups(rotation, M):
    """For 64 queries: the scores and values of eight keys, and the index of the wanted key."""
    keys, values, wanted = torch.randn(64, 8, 8), torch.randn(64, 8), torch.randint(8, (64,))
    query = keys[torch.arange(64), wanted] @ rotation
    return ((query @ M)[:, None] * keys).sum(dim=-1), values, wanted


# %% demo
def learned(way, steps=100):  # by step, the share of look-ups with the most weight on the wanted key
    rotation, M = torch.linalg.qr(torch.randn(8, 8)).Q, torch.zeros(8, 8, requires_grad=True)
    optimizer, found = torch.optim.Adam([M], lr=0.02), []
    for _ in range(steps):
        scores, values, wanted = look_ups(rotation, M)
        found.append((scores.argmax(dim=-1) == wanted).float().mean().item())
        loss = loss_of(way, scores, values, values.gather(1, wanted[:, None])[:, 0])
        optimizer.zero_grad()
        if loss.requires_grad:
            loss.backward()
        optimizer.step()
    return found


# %% demo
torch.manual_seed(0)
groups = {way: [learned(way) for _ in range(5)] for way in ("soft choice", "hard choice", "hard, rewarded")}
plots.show(plots.runs(groups, "share of look-ups that are right", smooth=10))

# %% [markdown]
# With a hard draw, the output is one of the values, and a value does not change when the weights change a
# little. No gradient reaches $M$, so $M$ never changes, and one look-up in eight is right by chance. Hard
# attention by argmax has the same problem.
#
# With the reward there is a gradient again. It needs the derivative of the log-probability of the draw,
# but not of the draw itself. This method is called REINFORCE (Williams 1992) and belongs to reinforcement
# learning. It works here, but it learns more slowly than the soft way. Its five runs also differ more at
# first, because one draw says little about the other seven keys. No run reaches 1, because a dot product
# prefers long keys, as in lesson 02.

# %% [markdown]
# ## 9. What was won
#
# The posts name four gains of the Transformer. Your experiments show where each gain comes from:
#
# - **Parallel training:** this is the Transformer's gain over the GRU with attention. With one layer in
#   each half, it trains in 2 steps in a row instead of 18.
# - **Long range:** this is a gain of attention, and the GRU with attention has it too.
# - **Dynamic weights** (a new context at each step): this is a gain of attention too, the large one of
#   section 4.
# - **Both directions:** an encoder without a causal mask sees both sides of a word. So does Bahdanau's, with
#   two readers, one from each end.

# %% [markdown]
# On this corpus the second reader changes little: 98.4 % of the random test instead of 97.6 %, and 93.5 %
# of the compositional test instead of 95.5 % (medians of five seeds).

# %% [markdown]
# The gain of parallel training shows at a large scale. The paper trained its large model for 3.5 days on
# eight GPUs. It reached a BLEU of **28.4** for English to German and of **41.8** for English to French
# (WMT 2014). The German result was more than 2 points above the best earlier one. The training for French
# cost less than a quarter of that of the best earlier model (Vaswani et al. 2017, abstract and section
# 6.1).

# %% [markdown]
# ## 10. In your own words
#
# A classmate says: "The Transformer beat recurrent translators because its attention lets a word look at
# words far away." Explain three things:
#
# - (a) Of which of the two older translators is this true, and which measurement of this lesson shows it?
# - (b) What does the sentence leave out about the other older translator? Say how its accuracy compares
#   with the Transformer's on this corpus.
# - (c) What did the Transformer change in training, and why does this change not make translating
#   parallel?

# %% [markdown] points=3 question="what_the_transformer_won"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** the translator whose decoder gets one context for the whole sentence, and one
# measurement: its accuracy in long sentences, or its gradient before training.
# **Model answer:** It is true of the GRU with a fixed vector. Its accuracy falls with the length of the
# sentence. Before training, the gradient of its last output with respect to the first word vanishes as the
# sentence gets longer. (After training the gradient does not vanish, but the vector is too small.)
# **Marking:** Give half a point for an answer without a measurement.
#
# (b) **A full answer names** what the GRU with attention can look at, and how its accuracy compares with
# the Transformer's on this corpus.
# **Model answer:** A GRU with additive attention also looks at every word in one step, near or far. On
# this corpus it translates as well as the Transformer. So looking far away is a gain of attention, not of
# the Transformer.
# **Marking:** Give half a point for one of the two.
#
# (c) **A full answer names** how many steps wait for one another in training in both kinds of network, and
# what a decoder has to know before it writes its next word.
# **Model answer:** A recurrent network takes n + m steps in a row, because each state waits for the state
# before it. The Transformer computes all positions of a layer at once, because in training the right words
# are given. In translation it has to write a word before it can read it, so it still goes word by word.
# **Marking:** Give half a point for training alone.
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - A recurrent network reads in steps that wait for one another. Each step multiplies its gradient by a
#   factor.
# - Gates turn this factor into something that can be learned.
# - A fixed vector is a bottleneck. Attention gives the decoder a new context at each step.
# - On this corpus attention brought the large gain. The Transformer's own gain is parallel training.
# - Soft attention is trained by its gradient, and hard attention needs rewards.
#
# **Next:** lessons 08 and 09, if you have not done them yet.

# %%
progress()
