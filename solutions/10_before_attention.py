# %% [markdown]
# # Before the Transformer: one vector for a sentence
#
# Before 2017 translators read a sentence word by word. At first they kept one vector of it. Then attention
# let them look back at every word, and the Transformer kept nothing but attention. Here you build both older
# translators and train them on the corpus of lesson 07. Which of the two changes made the difference?
#
# **You need** lessons 02 and 07. Nothing later needs this one. **Time:** 45 minutes, two exercises.

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

# %% [markdown] corrects="002(l) 004(h)"
# ## 1. A network that reads word by word
#
# A **recurrent network** (RNN) has a state $h$, a vector. Each word changes it:
#
# $$h_t = \tanh(x_t W + h_{t-1} U + b)$$
#
# The state of one step is an input of the next. (One of the posts says that the *input* of a step is the next
# step's output.) The matrices are the same at every step, so a sentence may have any length. The last state
# has met every word.
#
# Order comes for free: a state depends on what was read before. (Attention alone knows no order, as lesson 04
# showed, though one post says that it contains an RNN's.) The price: the steps must be taken one after the
# other.

# %% [markdown]
# ### Why gates
#
# Training sends the error back through all steps. Each step multiplies the gradient by $U$ and by the slope
# of a tanh, which is at most 1. Fifty such factors make a number very small, or very large: the gradient
# **vanishes** or **explodes** (Bengio et al. 1994).

# %% [markdown]
# A **gated** network does not replace the whole state at each step. In the gated recurrent unit (GRU, Cho et
# al. 2014) two gates between 0 and 1 decide, for each number of the state, what becomes of it:
#
# $$r = \sigma(x W_r + h U_r + b_r) \qquad z = \sigma(x W_z + h U_z + b_z)$$
# $$n = \tanh(x W_n + b_n + r \odot (h U_n)) \qquad h' = (1 - z) \odot n + z \odot h$$

# %% [markdown]
# The **reset gate** $r$ decides how much of the old state the candidate $n$ sees. The **update gate** $z$
# decides how much of the old state stays. $\odot$ multiplies number by number. The LSTM (1997) is older and
# has three gates and a second state; the idea is the same.
#
# **Exercise 1** · medium · 12 minutes. Write it without PyTorch's `gru_cell` and `gru`. The columns of `W`,
# `U` and `b` are in three groups of `hidden`: first those of $r$, then of $z$, then of $n$.


# %% exercise="gru_cell"
def gru_cell(x, state, W, U, b):
    """One step of a gated recurrent unit: the new state.

    Shapes: x (batch, d_in), state (batch, hidden), W (d_in, 3 * hidden), U (hidden, 3 * hidden),
    b (3 * hidden,) -> (batch, hidden). Columns: reset gate, update gate, candidate.
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
# Your cell and PyTorch's, with the same weights. PyTorch keeps its matrices turned and has a second bias.

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
# Each network reads 64 random vectors. How much does the last state depend on the vector that was read $k$
# steps before? Four networks, all untrained, with a state of 64 numbers:
#
# - the plain RNN, with weights as PyTorch draws them;
# - the same with a state matrix three times as large;
# - your GRU;
# - your GRU whose update gates begin near 1: their bias is 4, and $\sigma(4) = 0.98$.
#
# Which curve falls fastest on a log scale, and which one rises?


# %% demo
def reach(step, columns, larger=1.0, update_bias=0.0, size=64):
    """By how many steps have passed since: how much the last state depends on a vector."""
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
# Straight lines on a log scale: each step takes the same factor. The plain RNN is left with $10^{-21}$ of
# what it began with, and three times its matrix makes the gradient grow. Fresh gates help a little; update
# gates near 1 help a lot. Where $z$ is near 1 the old state passes by addition, as past a residual (lesson
# 05). So a gate does not abolish vanishing. It makes the factor something that can be learned.
#
# The usual guard against explosion is **clipping**: a gradient that is too long is cut to a fixed length
# before the step.

# %% [markdown]
# ## 3. One vector, or a new one for each word
#
# Two networks make a translator. The **encoder** reads the source; its states are $h_1 \dots h_n$. The
# **decoder** begins with the last state and writes word by word. It is **autoregressive**: it reads each word
# that it has written before it writes the next (Cho et al. 2014; Sutskever et al. 2014):
#
# $$s_t = \text{GRU}([y_{t-1}; c],\, s_{t-1}) \qquad c = h_n$$
#
# The **context** $c$ has the same size for 3 words as for 30. That is the bottleneck. Bahdanau et al. (2015)
# changed one letter: a context $c_t$ for each step, with lesson 02's additive attention.
#
# $$s_t = \text{GRU}([y_{t-1}; c_t],\, s_{t-1}) \qquad c_t = \sum_i \alpha_{ti} h_i \qquad
# \alpha_t = \text{softmax}_i\; v^\top \tanh(W_q^\top s_{t-1} + W_k^\top h_i)$$

# %% [markdown]
# **Exercise 2** · medium · 10 minutes. One step of this decoder. It is given the attention and the cell as
# functions, so that either can be replaced:
#
# - `attend(query, key, value)` returns output and weights, as your `additive_attention` does. Its weights are
#   inside it already;
# - `cell(x, state)` returns the new state.


# %% exercise="decoder_step"
def decoder_step(word, state, memory, attend, cell):
    """One step of a decoder that looks back: the new state, and the weights of its look.

    Shapes: word (batch, d_model), state (batch, hidden), memory (batch, source, hidden)
    -> state (batch, hidden), weights (batch, source).
    The old state asks the memory. The cell reads the word's numbers, then the context's, side by side.
    attend takes a query (batch, target, hidden) and returns output (batch, target, hidden) and weights.
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
# Three translators, made of your pieces. Where one is missing, the course's stands in. A GRU cannot skip
# padding (it has no mask), so each batch holds sources of one length. The Transformer gets the same batches.

# %% demo
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
# The weights of a cell, and those of an attention. Beside it stands an "attention" that never chooses: all
# its weight lies on the last vector. With it your `decoder_step` is the decoder of 2014.


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
    """The fixed context: all weight on the last vector, whoever asks."""
    weights = torch.zeros(len(key), 1, key.shape[1])
    weights[..., -1] = 1
    return value[:, -1:], weights


def states_of(cell, vectors):
    """All states of a cell that reads vectors (batch, seq, d_in): (batch, seq, hidden)."""
    states = [vectors.new_zeros(len(vectors), cell.U.shape[0])]
    for vector in vectors.unbind(dim=1):
        states.append(cell(vector, states[-1]))
    return torch.stack(states[1:], dim=1)


# %% [markdown]
# The word at step $t$ is read off the new state and the context. All three translators get what your `train`
# and `greedy_decode` want: a model that takes source and target and gives logits.


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
    """One of "fixed vector", "attention" and "Transformer", untrained."""
    if kind != "Transformer":
        return Recurrent(last_vector if kind == "fixed vector" else Additive(96))
    model = Transformer(len(english), len(chinese), d_model=64, heads=4, d_ff=128, layers=1)
    model.output = nn.Linear(64, len(chinese), bias=False)  # these two lines as in lesson 07
    with torch.no_grad():
        for embedding in (model.source_embedding, model.target_embedding):
            embedding.table.weight.mul_(0.5)
    return model


# %% [markdown]
# All three get lesson 07's optimizer and 1,000 steps of 32 pairs. The rate is twice that of lesson 07,
# because the training is short: with half of it all three did worse (seed 0). How many of 2,000 new sentences
# will each translate without a fault?

# %% demo
STEPS, KINDS = 1000, ("fixed vector", "attention", "Transformer")


def trained(kind, steps=STEPS):
    """The model, and the time of one of its steps in milliseconds."""
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
    """Whether each pair is translated exactly; a batch has one source length."""
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
    print(f"{kind:13} random {100 * exact[kind].mean():6.2f}  compositional {100 * combinations.mean():6.2f}")

# %% [markdown]
# ### By length
#
# If the fixed vector is a bottleneck, long sentences must suffer more than short ones. Do they?

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
# Another seed gives other numbers. Exact match in percent, worst / median of three seeds (`python
# tests/bench/history.py`):
#
# | | random | compositional | 3 to 6 words | 7 to 9 | 10 to 12 | 13 and more |
# |---|---|---|---|---|---|---|
# | fixed vector | 81.0 / 82.6 | 49.7 / 50.7 | 92.3 / 92.9 | 82.8 / 85.3 | 71.1 / 71.6 | 49.5 / 57.0 |
# | attention | 97.6 / 98.2 | 94.5 / 96.5 | 98.7 / 98.7 | 97.8 / 98.6 | 96.3 / 96.7 | 96.3 / 97.2 |
# | Transformer | 95.5 / 96.6 | 90.0 / 93.7 | 97.0 / 97.4 | 95.8 / 97.8 | 94.4 / 95.2 | 88.8 / 89.7 |

# %% [markdown]
# **Attention makes the jump.** The fixed vector falls from 93 to 57 % with the length; with attention a long
# sentence is hardly harder than a short one.
#
# **The Transformer does not beat the GRU that has attention.** After 1,000 steps it is behind in all three
# seeds. After 4,000 steps it has 99.6 % (lesson 07). It is smaller (147,264 parameters against 240,224), and
# its step takes less time on one core (11 against 18 ms).

# %% [markdown]
# ## 5. Where they look
#
# Both models with attention keep their weights: those of your `additive_attention`, and the Transformer's
# cross-attention (mean of its heads, by your `attention_maps`). In which row will the two differ most?

# %% demo
sentence = "i like the 2022 beijing winter games".split()
source = torch.tensor([[*english.encode(sentence), EOS]])
looking = models["attention"]


def additive_map(words):
    """The weights with which the GRU writes these words."""
    target = torch.tensor([[BOS, *chinese.encode(words)]])
    memory = states_of(looking.reader, looking.source_embedding(source))
    return written_states(looking, memory, looking.target_embedding(target))[1][0]


# %% demo
axes = plots.panels(2, width=4.4, height=3.9)
for kind, ax in zip(("attention", "Transformer"), axes, strict=True):
    row = greedy_decode(models[kind], source)[0].tolist()
    written = chinese.decode(row[: row.index(EOS)])
    if kind == "attention":
        weights = additive_map(written)
    else:
        target = torch.tensor([[BOS, *chinese.encode(written)]])
        weights = attention_maps(models[kind], source, target)["cross"][-1].mean(dim=0)
    title = "GRU, additive attention" if kind == "attention" else "Transformer, cross-attention"
    plots.attention_map(weights, [*written, "<eos>"], [*sentence, "<eos>"], ax=ax, title=title)
plots.show(axes)

# %% [markdown]
# In our run the two maps agree where one word has one translation: 我, 喜欢, 2022, 北京. They differ at 年
# and at 冬奥会: there the GRU looks at *winter* and *games*, the Transformer most at *2022*. Both wrote
# the right word. Lesson 07 showed how little a map proves.
#
# The GRU's vector of *games* is a state: it has read *winter* on its way. But its vector of *winter* has not
# read *games*, which comes later.

# %% [markdown]
# ## 6. Steps in a row
#
# Why give up recurrence, if it is not worse? Count the steps that must wait for one another, for $n$ source
# ids and $m$ target ids:
#
# | | GRU, with or without attention | Transformer of $L$ + $L$ layers |
# |---|---|---|
# | training | $n + m$ | $2L$ |
# | translating | $n + m$ | $L + mL$ |
#
# In the training of a recurrent network each state waits for the one before it. The Transformer computes all
# positions of a layer **in parallel**: the right words are known. When it translates it is as autoregressive
# as the others. (Models that write all words at once exist; they are called non-autoregressive.)

# %% demo
n = sum(source.shape[1] for source, _ in batches) / len(batches)
m = sum(target.shape[1] - 1 for _, target in batches) / len(batches)
print(f"a mean batch: {n:.1f} source ids, {m:.1f} target ids")
print(f"training: {n + m:.0f} steps in a row against 2; translating: {n + m:.0f} against {1 + m:.0f}")
for kind, model in models.items():
    for length in (10, 40):
        one = torch.randint(4, 200, (32, length))
        began = perf_counter()
        model(one, one).sum().backward()
        seconds = perf_counter() - began
        print(f"{kind:13} {length} words into {length}: {1000 * seconds:.0f} ms there and back")

# %% [markdown]
# CPU milliseconds there and back for 32 sentences, one core, median of nine passes of untrained models:
#
# | | 10 words into 10 | 20 into 20 | 40 into 40 |
# |---|---|---|---|
# | fixed vector | 11 | 17 | 38 |
# | attention | 17 | 38 | 108 |
# | Transformer | 9 | 13 | 25 |

# %% [markdown]
# One core computes one thing after the other anyway, so this table does not show what parallel steps bring.
# It shows what a Python loop over words costs, and additive attention: a hidden layer for each pair of words.
# On a GPU, which computes thousands of numbers at once, steps in a row are what takes time. (A convolution is
# parallel too, but sees only a window of words in one layer: lesson 03's table.)

# %% [markdown]
# ## 7. The way back to the first word
#
# Section 2 measured one network. Now the translators: how much does the last output depend on the first
# source word, for $n$ random words into $n$? In the decoder with a fixed vector the gradient must go back
# through all $2n$ steps. Attention gives it a shortcut: from each step of the decoder to each word.


# %% demo
def slope_of_first(model, n):
    """How much the last output depends on the first of n source words, n into n, all drawn at random."""
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
    plots.lines(distances, curves, "words, n into n", "gradient, relative to n = 4", ax=ax, title=stage)
    ax.set_yscale("log")
axes[1].set_ylabel("")
plots.show(axes)

# %% [markdown]
# Before training the fixed vector's line is straight on the log scale: at 32 words $10^{-6}$ of the gradient
# is left. With attention 0.14 is left, in the GRU as in the Transformer (medians of three seeds): about
# $4/n$, because the first of $n$ words has one of $n$ weights.
#
# After training the three lie together: 0.14, 0.19 and 0.14 are left. The gates have learned to keep. So in
# these sentences it is not the gradient that holds the fixed vector back at the end, but its size: 96 numbers
# must carry everything, and with every word there is more to carry.

# %% [markdown]
# ## 8. Soft against hard
#
# Additive and dot-product attention are **soft**: an average of everything. **Hard** attention takes one
# vector. That sounds cheaper. Why does nobody train a translator so?
#
# A small task shows it: a query, eight keys, eight values; the query is one of the keys, turned by a fixed
# rotation. A matrix $M$ must learn to undo the rotation, and the wanted answer is the value of that key.
# Three ways to learn $M$:
#
# - **soft**: average the values by the weights, and follow the gradient of the squared error;
# - **hard**: draw one value by the weights, and follow the gradient of its squared error;
# - **hard, rewarded**: draw one value, and make the draw likelier if its error was smaller than the mean
#   error.


# %% demo
def loss_of(way, scores, values, answer):
    """The squared error, or what stands for it: scores and values (batch, source), answer (batch,)."""
    log_weights = scores.log_softmax(dim=-1)
    if way == "soft":
        return ((log_weights.exp() * values).sum(dim=-1) - answer).square().mean()
    drawn = log_weights.exp().multinomial(1)  # (batch, 1)
    error = (values.gather(1, drawn)[:, 0] - answer).square()
    if way == "hard":
        return error.mean()
    return ((error - error.mean()) * log_weights.gather(1, drawn)[:, 0]).mean()


# %% demo
def look_ups(rotation, M):
    """64 queries: the scores of their eight keys, the values, and which is wanted."""
    keys, values, wanted = torch.randn(64, 8, 8), torch.randn(64, 8), torch.randint(8, (64,))
    query = keys[torch.arange(64), wanted] @ rotation
    return ((query @ M)[:, None] * keys).sum(dim=-1), values, wanted


# %% demo
def learned(way, steps=100):  # the share of look-ups with most weight on the wanted key, by step
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
groups = {way: [learned(way) for _ in range(5)] for way in ("soft", "hard", "hard, rewarded")}
plots.show(plots.runs(groups, "share of look-ups that are right", smooth=10))

# %% [markdown]
# Drawn hard, the answer is one of the values, and a value does not change when the weights change a little.
# No gradient reaches $M$, so it stays where it was: one in eight is right by chance. (The largest weight
# alone, by argmax, has the same fault.)
#
# The reward brings a gradient back: nobody needs to differentiate the draw, only its log-probability. That is
# REINFORCE (Williams 1992), a method of reinforcement learning. It works here, but later than the soft way,
# and the five runs lie farther apart: one draw says little about the other seven keys. (None comes to 1. A
# dot product prefers long keys, as in lesson 02.)

# %% [markdown]
# ## 9. What was won
#
# The posts name four gains of the Transformer. What does your experiment say of each?
#
# - **Parallel:** yes, and this is the gain over a GRU with attention: 2 steps in a row.
# - **Long range:** yes, but it is attention's gain, and the GRU with attention has it too.
# - **Dynamic weights** (another context at each step): the same. They made the jump in section 4.
# - **Both directions:** an encoder without a causal mask sees both sides of a word. So does Bahdanau's: it
#   has two readers, one of which begins at the end, and joins their states. On this corpus that gained
#   nothing (98.2 and 98.6 % of new sentences in two seeds).

# %% [markdown]
# What parallel training brought shows at scale. The paper trained its large model for 3.5 days on eight GPUs.
# It reached a BLEU of **28.4** for English to German and **41.8** for English to French (WMT 2014). That was
# more than two points above the best earlier German result, and French cost less than a quarter of the best
# earlier model's training (Vaswani et al. 2017, abstract and section 6.1).

# %% [markdown]
# ## 10. In your own words
#
# A classmate says: "The Transformer beat recurrent translators because its attention lets a word look at
# words far away." Explain (a) which of the two older translators that is true of, and which measurement of
# this lesson shows it, (b) what it leaves out about the other one, (c) what the Transformer changed in
# training, and why it does not change how translating goes on.

# %% [markdown] points=3 question="what_the_transformer_won"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** the translator whose decoder gets one context for the whole sentence, and what
# is seen of it in long sentences, or in a gradient before training.
# **Model answer:** It is true of the GRU with a fixed vector: its accuracy falls with the length of the
# sentence, and the gradient of its last output by the first word vanishes with the distance before training.
# (After training it does not: then the one vector is too small.)
# **Marking:** Half a point without a measurement.
#
# (b) **A full answer names** what the GRU with attention can look at, and how its accuracy compares with the
# Transformer's on this corpus.
# **Model answer:** A GRU with additive attention looks at every word, near or far, in one step too. On this
# corpus it translates as well as the Transformer, so looking far away is attention's gain, not the
# Transformer's.
# **Marking:** Half a point for one of the two.
#
# (c) **A full answer names** how many steps wait for one another in training, in both kinds of network, and
# what a decoder must know before it writes its next word.
# **Model answer:** A recurrent network takes n + m steps in a row, because each state waits for the one
# before it. The Transformer computes all positions of a layer at once, since in training the right words are
# given. In translating it must have written a word before it can read it, so that still goes word by word.
# **Marking:** Half a point for training alone.
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - A recurrent network reads in steps that wait for one another; its gradient changes by a factor at each.
# - Gates make that factor something that can be learned.
# - A fixed vector is a bottleneck. Attention gives the decoder a new context at each step.
# - On this corpus attention made the jump. The Transformer's own gain is training in parallel.
# - Soft attention is trained by its gradient; hard attention needs rewards.
#
# **Next:** lessons 08 and 09, if you have not taken them yet.

# %%
progress()
