# %% [markdown]
# # Before the Transformer: one vector for a sentence
#
# Before 2017 translators read a sentence word by word. At first they kept one vector of it. Then attention let
# them look back at every word, and the Transformer kept nothing but attention. Here you build both older
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
from course_lib.exercises.before_attention import attend, cell, check, hint, model_answer, progress

torch.manual_seed(0)
torch.set_printoptions(precision=3, sci_mode=False)
f"PyTorch {torch.__version__} is ready"

# %% [markdown] corrects="002(l)"
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
# Order comes for free: a state depends on what was read before. And the steps must be taken one after the
# other.

# %% [markdown]
# ### Why gates
#
# Training sends the error back through all steps. Each step multiplies the gradient by $U$ and by the slope of
# a tanh, which is at most 1. Fifty such factors make a number very small, or very large: the gradient
# **vanishes** or **explodes** (Bengio et al. 1994).
#
# A **gated** network does not replace the whole state at each step. In the gated recurrent unit (GRU, Cho et
# al. 2014) two gates between 0 and 1 decide, for each number of the state, what becomes of it:
#
# $$r = \sigma(x W_r + h U_r + b_r) \qquad z = \sigma(x W_z + h U_z + b_z)$$
# $$n = \tanh(x W_n + b_n + r \odot (h U_n)) \qquad h' = (1 - z) \odot n + z \odot h$$

# %% [markdown]
# The **reset gate** $r$ decides how much of the old state the candidate $n$ sees. The **update gate** $z$
# decides how much of the old state stays. $\odot$ multiplies number by number. The LSTM (1997) is older and has
# three gates and a second state; the idea is the same.
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
# - your GRU whose update gates begin nearly open: 4 is added to their bias, and $\sigma(4) = 0.98$.
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
    "GRU, update gates open": reach(gru_cell, 192, update_bias=4),
}
axes = plots.lines(range(64), curves, "steps since the vector was read", "norm of the gradient")
axes.set_yscale("log")
plots.show(axes)

# %% [markdown]
# Straight lines on a log scale: each step takes the same factor. The plain RNN is left with $10^{-21}$ of what
# it began with, and three times its matrix makes the gradient grow. Fresh gates help a little, open gates a
# lot: where $z$ is near 1 the old state passes by addition, as past a residual (lesson 05). So a gate does not
# abolish vanishing. It makes the factor something that can be learned.
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
# The weights of a cell, and those of an attention. Beside it stands an "attention" that never chooses: all its
# weight lies on the last vector. With it your `decoder_step` is the decoder of 2014.


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
# All three get lesson 07's optimizer and 1,000 steps of 32 pairs. The GRUs learn best at twice the
# Transformer's rate, so each has its own. How many of 2,000 new sentences will each translate without a fault?

# %% demo
STEPS, KINDS = 1000, ("fixed vector", "attention", "Transformer")


def trained(kind, steps=STEPS):
    """The model, and the time of one of its steps in milliseconds."""
    model, peak = new_model(kind), 5e-3 if kind == "Transformer" else 1e-2
    rate = lambda step: peak * min(step / 150, 1) * (1 - (step - 1) / steps)
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), eps=1e-9, weight_decay=0.2)
    told = lambda step, loss: print(f"{kind}, step {step}: loss {loss:.3f}")
    began = perf_counter()
    train(model, batches, optimizer, steps, rate, told, every=200)
    return model, 1000 * (perf_counter() - began) / steps


# %% demo
models = {}
for kind in KINDS:
    torch.manual_seed(0)
    random.seed(0)
    models[kind], milliseconds = trained(kind)
    count = sum(p.numel() for p in models[kind].parameters())
    print(f"{kind}: {count:,} parameters, {milliseconds:.0f} ms a step")


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
exact = {}
for kind, model in models.items():
    exact[kind] = right(model, corpus.test)
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
# RESULTS

# %% demo
def slope_of_first(model, n):
    """How much the last word's log-probability depends on the first of n source words, all drawn at random."""
    source, target = torch.randint(4, len(english), (64, n)), torch.randint(4, len(chinese), (64, n))
    target[:, 0], vectors = BOS, []
    handle = model.source_embedding.register_forward_hook(lambda *call: vectors.append(call[-1]))
    log_probs = model(source, target)[:, -1].log_softmax(dim=-1)
    handle.remove()
    asked = log_probs.gather(1, torch.randint(4, len(chinese), (64, 1)))
    (slope,) = torch.autograd.grad(asked.sum(), vectors[0])
    return slope[:, 0].norm(dim=-1).mean().item()
