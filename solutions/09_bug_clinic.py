# %% [markdown]
# # Bug clinic: code that runs and is wrong
#
# A wrong Transformer rarely crashes. Its shapes are right, its loss falls, and it translates nonsense, or
# for years a little worse than it could. You **find** each bug, **prove** it by a test, and **fix** it.
#
# **You need** lessons 01 to 07. **Time:** 120 minutes: seven tests, three short fixes, six puzzles, and at
# the end a patient that you cure. Good places for a break are before sections 5 and 7.
#
# The patients are a toy translator that tutorials pass on, and well-known repositories. The broken code
# was written for this lesson, after bugs that were found where the text says.

# %%
import math
import warnings

import torch
import torch.nn.functional as F
from torch import nn

from course_lib import plots
from course_lib.exercises.bug_clinic import check, hint, model_answer, progress
from course_lib.model.positions import sinusoidal_encoding

torch.manual_seed(0)
torch.set_printoptions(precision=3, sci_mode=False)
f"PyTorch {torch.__version__} is ready"

# %% [markdown]
# ## 1. A test is a function that complains
#
# A test calls a piece of code and raises an error if the result is wrong, mostly by `assert`; otherwise it
# passes. `outcome` runs a test on a piece, as `pytest` does.


# %%
def outcome(test, piece):
    """What the test says of the piece: "passes", or "fails" with its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            test(piece)
        except NotImplementedError:  # a test that is still to be written
            raise
        except Exception as error:
            return f"fails: {type(error).__name__} {error}"
    return "passes"


# %% [markdown]
# Which of these three tests tell the broken softmax from the right one? Guess, then run.


# %% demo
def test_shape(softmax):
    assert softmax(torch.randn(4, 4)).shape == (4, 4)


def test_sums(softmax):
    assert torch.allclose(softmax(torch.randn(4, 4)).sum(dim=-1), torch.ones(4))


def test_equal(softmax):
    assert (softmax(torch.zeros(4, 4)) == 0.25).all()


# %% demo
right, broken = (lambda scores: scores.softmax(dim=-1)), (lambda scores: scores.softmax(dim=0))
for test in (test_shape, test_sums, test_equal):
    print(f"{test.__name__:10}  right: {outcome(test, right):6}  broken: {outcome(test, broken)}")

# %% [markdown]
# Only `test_sums`. The first looks at too little, the third at an input on which both agree. A good test
#
# - **fails on broken code**: its inputs leave the bug no place to hide;
# - **passes on right code**, however it is written: no false alarms.
#
# Your tests are graded so: each runs on right and broken pieces that you do not see, and the check tells
# what slipped through and what would have shown it. Any error on right code is a false alarm, any error
# on broken code a catch. In the smallest example, `None` means that the test passes.

# %% [markdown]
# Does your test draw random numbers? Tomorrow it draws others, and a test that fails once a week is worse
# than none. Begin with `torch.manual_seed(0)`, or choose the numbers by hand. The check runs such tests with
# several seeds.

# %% [markdown] corrects="004(n)"
# ## 2. The word that vanished
#
# The toy translates one sentence, *I like the 2022 Beijing Winter Games*. It descends from a much-copied
# repository (graykode/nlp-tutorial) whose first id was a padding symbol; here that symbol is gone. As
# printed it was never right in five runs of 300 steps.
#
# **Find.** This is how it numbers words. Its mask hides id 0, as padding. What is wrong? Write down one
# sentence before you run on.


# %%
def toy_ids(sentences):
    words = dict.fromkeys(word for sentence in sentences for word in sentence.split())
    return {word: min(number, 4) for number, word in enumerate(words)}


english = "I like the 2022 Beijing Winter Games"
toy_ids([english])

# %% demo corrects="004(a) 004(b)"
words = english.split()
ids = torch.tensor([toy_ids([english])[word] for word in words])
x = torch.randn(5, 8)[ids] / 2  # a vector for each id
mask = (ids != 0)[None, :]
weights = F.scaled_dot_product_attention(x, x, torch.eye(7), attn_mask=mask)
plots.show(plots.attention_map(weights, words, words, mask.expand(7, 7), title="the toy reads its sentence"))

# %% [markdown] corrects="004(a) 004(b)"
# Two bugs. Nobody can look at *I*: its id 0 is also padding. And *Beijing*, *Winter* and *Games* have equal
# columns and equal rows: they share id 4, hence one vector. (On the Chinese side 我 has id 0.)
#
# **Prove.** In this course 0 to 3 belong to pad, bos, eos and unk, and n words get the ids 4 to 3 + n,
# **in any order**. Sorted, by frequency, as they come: all are right.
#
# **Exercise 1** · medium · 7 minutes. What holds for every right numbering, and for no broken one? And how
# many words must your sentences have, before the toy's numbering goes wrong?


# %% exercise="test_word_ids"
def test_word_ids(word_ids):
    """Raise unless word_ids numbers words rightly.

    word_ids(sentences) takes a list of strings and gives a dict {word: id}: every word of every sentence,
    each with its own id, 4, 5, ... without gaps.
    """
    ### BEGIN SOLUTION
    ids = word_ids(["a b a c", "d b e f g"])
    assert set(ids) == set("abcdefg")
    assert sorted(ids.values()) == [4, 5, 6, 7, 8, 9, 10]
    ### END SOLUTION


# %% check="test_word_ids" points=6
check("test_word_ids", test_word_ids)

# %% [markdown]
# **Fix.**
#
# **Exercise 2** · easy · 2 minutes.


# %% exercise="word_ids"
def word_ids(sentences):
    """Number the words of all sentences: {word: id}, ids from 4 up, without gaps, in any order.

    The words of a sentence stand between single spaces.
    """
    ### BEGIN SOLUTION
    words = dict.fromkeys(word for sentence in sentences for word in sentence.split())
    return {word: number for number, word in enumerate(words, start=4)}
    ### END SOLUTION


# %% check="word_ids" points=5
check("word_ids", word_ids)

# %% [markdown]
# Your test and your fix, side by side with the patient:

# %% demo
print("toy:  ", outcome(test_word_ids, toy_ids))
print("yours:", outcome(test_word_ids, word_ids))

# %% [markdown] corrects="004(c)"
# ## 3. Positions that know one sentence
#
# The toy writes its positions by hand: `[1, 2, 3, 4, 5, 6, 0]` in the encoder, `[7, 1, 2, 3, 4, 5, 6]` in
# the decoder.
#
# **Find.** The shape is right. What is not?


# %%
def toy_positions(x):
    return x + sinusoidal_encoding(8, x.shape[-1])[[1, 2, 3, 4, 5, 6, 0]]


tuple(toy_positions(torch.zeros(1, 7, 4)).shape)

# %% demo corrects="004(c)"
lists = {"encoder": [1, 2, 3, 4, 5, 6, 0], "decoder": [7, 1, 2, 3, 4, 5, 6], "right": list(range(7))}
plots.show(plots.lines(range(7), lists, "word of the sentence", "its position"))

# %% [markdown] corrects="004(c)"
# The last source word stands before the first one, the first target word behind all others, and a
# sentence of six or eight words raises an error.
#
# A relative, seen in several projects: code for (seq, batch, d_model) is fed (batch, seq, d_model). Then
# `table[: x.shape[0]]` counts *sentences*, and all words of a sentence get one position.

# %% [markdown]
# **Prove.** `sinusoidal_encoding(length, d_model)` of lesson 04 is right: it can be your **oracle**. In
# which sizes would a wrong axis, a wrong wavelength, or a table of seven rows look right? And the caller's
# `x` must stay as it was.
#
# **Exercise 3** · medium · 7 minutes. Right code may round differently in the seventh digit, so compare
# floats by `torch.allclose(..., atol=1e-5)`.


# %% exercise="test_add_positions"
def test_add_positions(add_positions):
    """Raise unless add_positions is right.

    add_positions(x) adds sinusoidal positions 0, 1, 2, ... to each sentence of x (batch, seq, d_model);
    d_model is even. It returns a new tensor.
    """
    ### BEGIN SOLUTION
    x = torch.randn(2, 9, 6)
    before = x.clone()
    assert torch.allclose(add_positions(x), before + sinusoidal_encoding(9, 6), atol=1e-5)
    assert torch.equal(x, before)
    ### END SOLUTION


# %% check="test_add_positions" points=6
check("test_add_positions", test_add_positions)

# %% [markdown]
# **Fix.** The positions of a sentence depend on its length alone, and a table (seq, d_model) broadcasts over
# the batch:


# %%
def add_positions(x):
    """Add sinusoidal positions 0, 1, 2, ... to every sentence of x (batch, seq, d_model)."""
    return x + sinusoidal_encoding(x.shape[1], x.shape[2])


# %% demo
print("toy:  ", outcome(test_add_positions, toy_positions))
print("fixed:", outcome(test_add_positions, add_positions))

# %% [markdown]
# ## 4. Four bugs in five lines
#
# In 2019 the first version of a much-read repository (hyunwoongko/transformer) held these four bugs at
# once. One was fixed within a week, two after two years, one after three.
#
# **Find.** All four: one in each line of the body, but for the last. In the mask True may look.


# %%
def first_attention(query, key, value, mask):  # (batch, heads, target or source, d_k)
    turned = key.view(*key.shape[:2], key.shape[3], key.shape[2])
    scores = query @ turned / math.sqrt(query.shape[1] * query.shape[3])
    scores = scores.masked_fill(~mask, -1e-12)
    weights = F.softmax(scores)
    return weights @ value, weights


# %% [markdown]
# One of the four was announced by PyTorch in a warning. The toy begins with
# `warnings.filterwarnings("ignore")`. Which bug would such a line have hidden?

# %% demo corrects="004(o)"
query, key, value = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 6)
past = torch.ones(4, 5, dtype=torch.bool).tril()
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    output, weights = first_attention(query, key, value, past)
print(heard[0].message)
print("shapes", tuple(output.shape), tuple(weights.shape), " row sums", weights[0, 0].sum(dim=-1))

# %% demo
queries, keys = [f"query {t}" for t in range(4)], [f"key {s}" for s in range(5)]
right = F.scaled_dot_product_attention(query, key, torch.eye(5).expand(2, 3, 5, 5), attn_mask=past)
axes = plots.panels(2, width=4.2)
plots.attention_map(weights[0, 0], queries, keys, ax=axes[0], title="broken, head 0")
plots.attention_map(right[0, 0], queries, keys, past, ax=axes[1], title="right, head 0")
plots.show(axes[0])

# %% [markdown] corrects="004(o)"
# The four, line by line:
#
# - `view` reads the keys' numbers in other rows; it does not swap axes.
# - The scores are divided by $\sqrt{d_{model}}$. Here d_model is 18, d_k is 6.
# - A hidden score becomes $-10^{-12}$: zero, a normal score. The weights on the right of the diagonal
#   show it.
# - A softmax without `dim` normalizes axis 1, the heads. This was the warning. Read warnings; do not
#   switch them off.

# %% [markdown]
# **Prove.** PyTorch's `F.scaled_dot_product_attention(query, key, value, attn_mask=mask)` is your oracle.
# In which sizes would $\sqrt{d_k}$, heads or `view` not matter? And which mask tests nothing?
#
# **Exercise 4** · medium · 7 minutes. Both results count, the output and the weights.


# %% exercise="test_attention"
def test_attention(attention):
    """Raise unless attention is right.

    attention(query, key, value, mask) -> output, weights. Shapes: query (batch, heads, target, d_k),
    key (batch, heads, source, d_k), value (batch, heads, source, d_v), mask boolean, True may look,
    broadcasts to (batch, heads, target, source); every query may look at some key.
    """
    ### BEGIN SOLUTION
    query, key, value = torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.randn(2, 3, 5, 7)
    mask = torch.ones(4, 5, dtype=torch.bool).tril()
    output, weights = attention(query, key, value, mask)
    right = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    assert torch.allclose(output, right, atol=1e-5)
    assert torch.allclose(output, weights @ value, atol=1e-5)
    ### END SOLUTION


# %% check="test_attention" points=7
check("test_attention", test_attention)

# %% [markdown]
# **Fix.**
#
# **Exercise 5** · easy · 3 minutes. Copy `first_attention` and repair its four lines. Write it
# without `F.scaled_dot_product_attention`, which is your oracle.


# %% exercise="attention"
def attention(query, key, value, mask):
    """Scaled dot-product attention over heads: output (batch, heads, target, d_v) and weights.

    Shapes and mask as in test_attention.
    """
    ### BEGIN SOLUTION
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights
    ### END SOLUTION


# %% check="attention" points=5
check("attention", attention)

# %% [markdown]
# ## 5. A loss that falls
#
# **Find.** Three bugs in one line. Learners and repositories had each of them; the toy has one. Padding
# is id 0.


# %%
def broken_loss(logits, target):  # (batch, seq, vocab), (batch, seq)
    batch, seq, vocab = logits.shape
    return F.cross_entropy(logits.softmax(dim=-1).view(batch, vocab, seq), target)


# %% [markdown]
# "But the loss falls!" Train logits themselves with it, as free parameters. Beside it, the true loss of the
# same logits: the mean over real words.

# %% demo
target = torch.tensor([[5, 3, 0, 0], [2, 8, 4, 6]])
logits = nn.Parameter(torch.randn(2, 4, 9))
optimizer, curves = torch.optim.SGD([logits], lr=3.0), {"broken loss, trained": [], "true loss": []}
for _ in range(300):
    curves["broken loss, trained"].append(broken_loss(logits, target).item())
    curves["true loss"].append(F.cross_entropy(logits.mT, target, ignore_index=0).item())
    optimizer.zero_grad()
    broken_loss(logits, target).backward()
    optimizer.step()
plots.show(plots.lines(range(300), curves, "step", "loss"))

# %% [markdown] corrects="004(f)"
# The curve that one watches falls; the true loss rises. (In ten runs with other random numbers the broken
# loss fell to 1.7 or less, and the true one rose from at most 3.3 to at least 4.0.)
#
# - Padding is graded like a word: the toy has no `ignore_index`, for it has no padding and no batch.
# - `cross_entropy` contains a softmax. A second one before it keeps the "logits" within 0 and 1, so the
#   loss cannot come near 0.
# - `view` again: words meet numbers of others. `cross_entropy` wants the vocabulary on axis 1; `.mT`
#   brings it there.

# %% [markdown]
# **Prove.** The right loss you often know by heart: certain logits cost nothing, uniform ones
# $\ln(\text{vocab})$, and a word costs $-\ln$ of its probability. But which bugs does a *uniform* prediction
# hide? And which a loss of 0?
#
# **Exercise 6** · medium · 7 minutes.


# %% exercise="test_translation_loss"
def test_translation_loss(translation_loss):
    """Raise unless translation_loss is right.

    translation_loss(logits, target) is the mean cross-entropy over real words, a tensor without axes.
    Shapes: logits (batch, seq, vocab), target (batch, seq), in which 0 is padding and does not count.
    """
    ### BEGIN SOLUTION
    logits, target = torch.randn(2, 4, 9), torch.tensor([[5, 3, 0, 0], [2, 8, 4, 6]])
    places = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (1, 3)]  # of real words
    costs = [-logits[b, t].log_softmax(dim=0)[target[b, t]] for b, t in places]
    assert torch.allclose(translation_loss(logits, target), sum(costs) / 6, atol=1e-5)
    ### END SOLUTION


# %% check="test_translation_loss" points=6
check("test_translation_loss", test_translation_loss)

# %% [markdown]
# **Fix.** Logits as they are, the vocabulary on axis 1, and no padding:


# %%
def translation_loss(logits, target):
    """Mean cross-entropy over the real words: logits (batch, seq, vocab), target (batch, seq) -> ()."""
    return F.cross_entropy(logits.mT, target, ignore_index=0)


# %% demo
print("broken:", outcome(test_translation_loss, broken_loss))
print("fixed: ", outcome(test_translation_loss, translation_loss))

# %% [markdown] corrects="004(e)"
# ## 6. An exam with the answers on the desk
#
# **Find.** This is how the toy "tests" its translator. `target` begins with the start symbol; then comes
# the right translation.


# %%
def toy_translate(model, source, target):
    return model(source, target[:, :-1]).argmax(dim=-1)


# %% [markdown]
# To test a decoder you need no trained model. You need a **stand-in** whose answer you can work out:
#
# next word = source's first id + ids so far + their number, of which the last digit.


# %%
def sum_model(source, ids):
    """Logits (batch, seq, 10) for what follows each place of ids (batch, seq)."""
    return torch.eye(10)[((ids + 1).cumsum(dim=1) + source[:, :1]) % 10]


sum_model(torch.tensor([[4, 5]]), torch.tensor([[1, 6]])).argmax(dim=-1)  # 4 + (1 + 1), then + (6 + 1)

# %% [markdown]
# How much does the bug flatter? Let the words of `sum_model` be right, and a worse model err in one place
# of ten. The toy's test feeds it the right words, honest decoding its own. What will the curves look like?


# %% demo
def worse_model(source, ids):
    sums = (ids + 1).cumsum(dim=1) + source[:, :1]
    strange = (31 * sums + 17 * torch.arange(ids.shape[1])) * 7919 % 97 < 10
    return torch.eye(10)[(sums + strange) % 10]  # at strange places one too many


# %% demo corrects="004(e)"
source, right, own = torch.randint(0, 97, (2000, 1)), torch.ones(2000, 1).long(), torch.ones(2000, 1).long()
for _ in range(20):
    right = torch.cat([right, sum_model(source, right)[:, -1:].argmax(dim=-1)], dim=1)
    own = torch.cat([own, worse_model(source, own)[:, -1:].argmax(dim=-1)], dim=1)
fed = toy_translate(worse_model, source, right)
found = {"fed the right words": fed, "its own words": own[:, 1:]}
curves = {name: (words == right[:, 1:]).float().mean(dim=0) for name, words in found.items()}
ax = plots.lines(range(1, 21), curves, "word", "share of right words")
ax.set_xticks([1, 5, 10, 15, 20])
plots.show(ax)

# %% [markdown] corrects="004(e)"
# Fed with the answer, an error stays alone. With its own words, one error spoils what follows. (How much,
# depends on the model; `sum_model` adds up all it has read, and so it forgives nothing.)
#
# **Prove.** Your test passes a model, a source and a target to `translate`. What should happen if the
# words after the start symbol are *wrong*? And if a start symbol is not 1?
#
# **Exercise 7** · medium · 7 minutes. Work a few words out on paper.


# %% exercise="test_translate"
def test_translate(translate):
    """Raise unless translate is right.

    translate(model, source, target) -> ids (batch, seq - 1) for a target (batch, seq). Of the target it
    uses the first column, the start symbols (any ids), and the length; each word is the likeliest after
    all words chosen before. model(source, ids) is like sum_model.
    """
    ### BEGIN SOLUTION
    source, target = torch.tensor([[4, 5], [5, 5]]), torch.tensor([[1, 9, 9, 9, 9], [2, 9, 9, 9, 9]])
    assert translate(sum_model, source, target).tolist() == [[6, 3, 7, 5], [8, 7, 5, 1]]
    ### END SOLUTION


# %% check="test_translate" points=6
check("test_translate", test_translate)

# %% [markdown]
# **Fix.** (Words after the end symbol are cut off later; here every row gets its full length.)
#
# **Exercise 8** · easy · 3 minutes.


# %% exercise="translate"
def translate(model, source, target):
    """Translate greedily, one word at a time.

    Shapes: source (batch, source), target (batch, seq) -> words (batch, seq - 1). Of the target only the
    first column and the length may be used.
    """
    ### BEGIN SOLUTION
    ids = target[:, :1]
    for _ in range(target.shape[1] - 1):
        word = model(source, ids)[:, -1].argmax(dim=-1)
        ids = torch.cat([ids, word[:, None]], dim=1)
    return ids[:, 1:]
    ### END SOLUTION


# %% check="translate" points=5
check("translate", translate)

# %% [markdown]
# ## 7. A word from the future
#
# The most famous bug of all: some position of the decoder sees what comes after it. Training asks for the
# very words that leak, so the loss falls faster than ever; when the model writes by itself there is no
# future to look at. Shapes never show it, nor does the loss.
#
# **Find.** Here is a decoder layer without its feed-forward part. Where is the leak?


# %%
class LeakyLayer(nn.Module):  # x (batch, seq, 8), memory (batch, source, 8) -> (batch, seq, 8)
    def forward(self, x, memory):
        seq = x.shape[1]
        past = torch.ones(seq, seq, dtype=torch.bool).tril() | (not self.training)
        x = x + F.scaled_dot_product_attention(x, x, x, attn_mask=past)
        return x + F.scaled_dot_product_attention(x, memory, memory)


# %% [markdown]
# **Prove.** You need no trained model, and no loss. Let output $y_t$ at position $t$ be right: then for all
# later positions $s > t$
#
# $$\frac{\partial y_t}{\partial x_s} = 0.$$
#
# A gradient is a test of dependence: `backward` from one output tells which inputs it has seen. (Andrej
# Karpathy's *A Recipe for Training Neural Networks*, 2019, recommends it.) Here is its map for the layer
# above, in both modes.

# %% demo
axes = plots.panels(2, width=4.2)
words = [f"word {t}" for t in range(5)]
for ax, mode in zip(axes, (True, False), strict=True):
    layer, x = LeakyLayer().train(mode), torch.randn(1, 5, 8, requires_grad=True)
    slopes = [torch.autograd.grad(layer(x, torch.ones(1, 2, 8))[0, t].sum(), x)[0] for t in range(5)]
    seen = torch.stack([slope[0].abs().sum(dim=-1) for slope in slopes])
    plots.dependence_map(seen, words, words, ax=ax, title="training" if mode else "evaluation")
plots.show(axes[0])

# %% [markdown]
# A dot in row $t$: output $t$ depends on that word. The mask is there while the layer trains, and gone
# when it translates. A test that looks in one mode only sees nothing.
#
# The other way is to change a word and to see which outputs move. But in training mode dropout moves them
# all: call `torch.manual_seed(0)` before both calls, so that the same numbers are dropped.
#
# **Exercise 9** · hard · 12 minutes. A leak may join any two words, in either mode. Does adding 1 to all
# features of a word change it? Not for a decoder that begins with a layer norm.


# %% exercise="test_decoder"
def test_decoder(decoder):
    """Raise unless no position of the decoder sees what comes after it, in training and in evaluation mode.

    decoder(x, memory) -> logits (batch, seq, 12). Shapes: x, the vectors of the target's words, (batch, seq,
    8), memory (batch, source, 8), any sizes. decoder is an nn.Module with dropout.
    """
    ### BEGIN SOLUTION
    x, memory = torch.randn(2, 6, 8, requires_grad=True), torch.randn(2, 3, 8)
    for mode in (True, False):
        decoder.train(mode)
        for t in range(5):
            (gradient,) = torch.autograd.grad(decoder(x, memory)[:, t].sum(), x)
            assert gradient[:, t + 1 :].abs().max() < 1e-6
    ### END SOLUTION


# %% check="test_decoder" points=7
check("test_decoder", test_decoder)

# %% [markdown]
# Does your test find the leak above? And what does it say of PyTorch's own decoder layer, with a causal mask
# and without one?


# %% demo
class WithMask(nn.TransformerDecoderLayer):
    causal = True

    def forward(self, x, memory):
        hidden = nn.Transformer.generate_square_subsequent_mask(x.shape[1]) if self.causal else None
        return super().forward(x, memory, tgt_mask=hidden) ** 3  # a sum over normed numbers has no gradient


right, broken = (WithMask(8, 2, 16, batch_first=True) for _ in range(2))
broken.causal = False
for name, layer in {"leaky": LeakyLayer(), "right": right, "no mask": broken}.items():
    print(f"{name:8}", outcome(test_decoder, layer))

# %% [markdown]
# ## 8. Before you train for a night
#
# **Find.** A training loop. It runs, its loss is finite. What will the curve look like?


# %%
def first_training(source, target, steps):  # all words are below 12
    model = nn.Sequential(nn.Embedding(12, 32), nn.Linear(32, 12))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    model, losses = nn.Sequential(nn.Embedding(12, 32), nn.Linear(32, 12)), []  # bias was wrong: make it anew
    for _ in range(steps):
        loss = F.cross_entropy(model(target).mT, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# %% [markdown]
# **Prove.** Three questions to any training, each answered in a second (the first two are from Karpathy's
# recipe).
#
# - **The first loss.** A model that knows nothing gives each of $V$ words the same chance:
#   $-\ln \frac{1}{V} = \ln V$. Here $\ln 12 = 2.48$. More means wild weights, or no mean.
# - **One batch, learned by heart.** A few sentences must come down to a loss near 0. If they do not, no
#   night will help.
# - **A coin.** Give the same source two different translations of one word. Nobody can know which comes:
#   $-\ln \frac{1}{2} = 0.69$ is the best that is possible. A model below it has seen the answer.

# %% [markdown]
# **Exercise 10** · hard · 12 minutes. In 30 steps right training brings a few short sentences below 0.1. Its
# first loss is within 0.3 of $\ln 12$, for weights are no zeros. Let the first words of your sentences
# differ: then the source must be read.


# %% exercise="test_training"
def test_training(training):
    """Raise unless training trains a model to translate.

    training(source, target, steps) trains a fresh model on one batch and gives a list, the loss before each
    step. source and target are ids below 12, (batch, source) and (batch, seq); each row of the target begins
    with the start symbol, 1, which is read and not asked; every other word is asked, given the source and the
    words before it. No padding.
    """
    ### BEGIN SOLUTION
    source, target = torch.tensor([[4, 5], [6, 7]]), torch.tensor([[1, 5, 6, 7], [1, 8, 4, 9]])
    losses = training(source, target, 30)
    assert abs(losses[0] - math.log(12)) < 0.5
    assert losses[-1] < 0.2
    coin = training(torch.tensor([[4], [4]]), torch.tensor([[1, 5], [1, 6]]), 30)
    assert coin[-1] > 0.6
    ### END SOLUTION


# %% check="test_training" points=7
check("test_training", test_training)

# %% [markdown]
# What is wrong with `first_training`? Its optimizer has the weights of the model before. And if you repair
# that? Then the curve falls to 0, and the coin finds the next bug: the word that is read is the word that is
# asked. (The source is not read either.)


# %% demo
def second_training(source, target, steps):
    model, losses = nn.Sequential(nn.Embedding(12, 32), nn.Linear(32, 12)), []
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(steps):
        loss = F.cross_entropy(model(target).mT, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# %% demo
source, target = torch.tensor([[4], [4]]), torch.tensor([[1, 5], [1, 6]])
trainings = {"first training": first_training, "second training": second_training}
for name, training in trainings.items():
    print(f"{name:15}", outcome(test_training, training))
curves = {name: training(source, target, 30) for name, training in trainings.items()}
curves["ln 2"] = [math.log(2)] * 30
plots.show(plots.lines(range(30), curves, "step", "loss of a coin"))

# %% [markdown]
# One bug that these questions often miss: a forgotten `zero_grad`. On two sentences Adam can come near 0 with
# gradients that pile up. Two equal steps show it, as in lesson 07.

# %% [markdown]
# ## 9. Six small ones
#
# Each piece has one wrong line. All were found in code that people learn from.
#
# **A**, layer norm:
#
# ```python
# centered = x - x.mean(dim=-1, keepdim=True)                                # 1
# variance = x.var(dim=-1, keepdim=True)                                     # 2
# return gamma * centered / torch.sqrt(variance + eps) + beta                # 3
# ```
#
# **B**, attention by heads; x is (batch, seq, d_model):
#
# ```python
# query, key, value = (y.view(batch, heads, seq, d_k) for y in project(x))   # 1
# scores = query @ key.mT / math.sqrt(d_k)                                   # 2
# weights = torch.softmax(scores, dim=-1)                                    # 3
# ```
#
# **C**, a stack of six pre-norm layers:
#
# ```python
# layer = EncoderLayer(d_model)                                              # 1
# self.layers = nn.ModuleList([layer] * 6)                                   # 2
# self.norm = nn.LayerNorm(d_model)                                          # 3
# ```

# %% [markdown]
# **D**, an embedding with padding:
#
# ```python
# super().__init__()                                                         # 1
# self.table = nn.Embedding(vocab, d_model, padding_idx=0)                   # 2
# nn.init.normal_(self.table.weight, std=d_model**-0.5)                      # 3
# ```
#
# **E**, validation; each training step ends in `optimizer.zero_grad()`:
#
# ```python
# model.eval()                                                               # 1
# loss = loss_of(model, held_out)                                            # 2
# loss.backward()                                                            # 3
# total += loss.item()                                                       # 4
# ```
#
# **F**, a residual connection, pre-norm:
#
# ```python
# normed = norm(x)                                                           # 1
# branch = sublayer(normed)                                                  # 2
# return normed + branch                                                     # 3
# ```
#
# **Exercise 11** · easy · 7 minutes. Which line?


# %% exercise="wrong_lines"
def wrong_lines():
    """The number of the wrong line in each piece: {"A": ..., "B": ..., ..., "F": ...}."""
    ### BEGIN SOLUTION
    return {"A": 2, "B": 1, "C": 2, "D": 3, "E": 3, "F": 3}
    ### END SOLUTION


# %% check="wrong_lines" points=7
check("wrong_lines", wrong_lines)

# %% [markdown]
# Now the proofs, and where the bugs were. **A** (the Annotated Transformer, and others): `var` divides by
# d - 1, layer norm by d. How wrong is that?

# %% demo
sizes = [2, 4, 8, 16, 32, 64, 128, 256, 512]
error = [abs(((d - 1) / d) ** 0.5 - 1) for d in sizes]
x = torch.tensor([0.0, 4.0])
print("right", F.layer_norm(x, (2,)), " broken", (x - x.mean()) / (x.var() + 1e-5).sqrt())
ax = plots.lines(sizes, {"A": error}, "d_model", "relative error of the output")
ax.set_xscale("log", base=2)
ax.set_yscale("log")
plots.show(ax)

# %% [markdown]
# With d_model 512 and a tolerance of 1e-2 a test lets it pass: the error is 1e-3. With d_model 2 it is
# 0.29. Small sizes make good tests.
#
# **B** (hyunwoongko/transformer, for two years). Write on each token its place, and look which places
# each head holds:

# %% demo
x = torch.arange(4.0)[:, None].expand(1, 4, 4)  # 4 tokens, d_model 4; two heads of two features
print("broken", x.reshape(1, 2, 4, 2)[0, :, :, 0].tolist())
print("right ", x.unflatten(-1, (2, 2)).transpose(1, 2)[0, :, :, 0].tolist())

# %% [markdown]
# The broken heads are blocks of time: tokens 0 and 3 never meet. Splitting and merging both by `view`
# gives back the input, so a round trip proves nothing here.
#
# **C** (several repositories) is six names for one layer; **D** (hyunwoongko/transformer and Graphormer)
# overwrites the row of zeros; **E** (the Annotated Transformer of 2018) adds gradients of held-out data
# to the next training step.

# %% demo
layer = nn.Linear(8, 8)
print("C  parameters", sum(p.numel() for p in nn.ModuleList([layer] * 6).parameters()), "expected", 6 * 72)
table = nn.Embedding(9, 4, padding_idx=0)
nn.init.normal_(table.weight, std=0.5)
print("D  row of padding", table.weight[0].detach())
layer(torch.ones(1, 8)).sum().backward()
print("E  gradient left behind", layer.weight.grad.norm().item())

# %% [markdown]
# **F** was reported of `torch.nn.TransformerEncoderLayer` itself, when its `norm_first` was new (2021).
# The proof is a sublayer that adds nothing: then the output must be x.

# %% demo
norm, x = nn.LayerNorm(4), torch.tensor([1.0, 2.0, 3.0, 10.0])
print("broken", (norm(x) + 0 * norm(x)).detach(), " right", (x + 0 * norm(x)).detach())

# %% [markdown]
# ## 10. The patient, cured
#
# A small translator is made of your five pieces: `word_ids`, `add_positions`, `attention`,
# `translation_loss` and `translate`. It learns 24 sentences like the toy's, and is asked for eight others,
# the toy's own among them. Each bug of this lesson has a switch. (The toy's positions are written for seven
# words; here they go on: the last word of any sentence stands at position 0.)

# %% demo
from dataclasses import replace

from course_lib import widgets
from course_lib.translation.patient import Pieces, treated

cured = Pieces(word_ids, add_positions, attention, translation_loss, translate)
toy = {
    "ids shared": {"word_ids": toy_ids},
    "positions by hand": {"add_positions": lambda x: x + add_positions(0 * x).roll(-1, dims=1)},
    "fed the answer": {"translate": toy_translate},
}


# %% demo
def by_view(logits, target):
    return F.cross_entropy(logits.reshape(len(logits), -1, logits.shape[1]), target, ignore_index=0)


losses = {
    "padding counts": {"translation_loss": lambda logits, target: F.cross_entropy(logits.mT, target)},
    "second softmax": {"translation_loss": lambda logits, y: translation_loss(logits.softmax(dim=-1), y)},
    "logits by view": {"translation_loss": by_view},
}

# %% demo
first = {  # the four bugs of first_attention
    "keys by view": {"turn": lambda key: key.view(*key.shape[:2], key.shape[3], key.shape[2])},
    "root of d_model": {"width": lambda query: query.shape[1] * query.shape[3]},
    "mask of -1e-12": {"fill": -1e-12},
    "softmax over heads": {"dim": 1},
}


# %% demo
def attention_with(turn=lambda key: key.mT, width=lambda query: query.shape[-1], fill=-torch.inf, dim=-1):
    def broken_attention(query, key, value, mask):
        scores = query @ turn(key) / math.sqrt(width(query))
        weights = scores.masked_fill(~mask, fill).softmax(dim=dim)
        return weights @ value, weights

    return broken_attention


def treated_with(*left_in, seed=0):
    pieces = {piece: code for bug in left_in for piece, code in (toy | losses).get(bug, {}).items()}
    options = {key: value for bug in left_in for key, value in first.get(bug, {}).items()}
    return treated(replace(cured, attention=attention_with(**options), **pieces), seed=seed)


# %% [markdown]
# Guess first: which single bug kills the patient, which only costs, and which one does nothing at all? The
# cell trains 34 small translators, which takes half a minute.

# %% demo
print(f"{'yours':20} {treated(cured).score:.0%} right")
runs = {"the toy's three": tuple(toy)} | {bug: (bug,) for bug in toy | losses | first}
for name, left_in in runs.items():
    results = [treated_with(*left_in, seed=seed) for seed in range(3)]
    right = " ".join(f"{result.score:4.0%}" for result in results)
    print(f"{name:20} {right}   last loss {results[0].losses[-1]:5.3f}   {results[0].written[0]}")

# %% [markdown]
# In nine runs (this cell with the seeds of three):
#
# - **Dead**, no sentence right: shared ids, logits by view, and a softmax over heads, which gives NaN at once
#   where a key is hidden in all heads.
# - **A lottery**, from 0 to 100 %: the mask of -1e-12, keys by view, the second softmax.
# - **Nothing to see here**: padding that counts, the root of d_model, and a list of positions that is
#   another order and no more (one run lost one sentence). *Fed the answer* is no fault of the model at all.
#
# And the loss? With logits by view, keys by view and the mask of -1e-12 it ends below 0.001, as it does with
# the cure.

# %% [markdown]
# Feed the answer *and* leave the mask of -1e-12 in: 100 % in all nine runs. One bug hides the other. Do you
# find more such pairs?


# %% demo
def treat(left_in):
    result = treated_with(*left_in)
    for written, right in zip(result.written[:3], result.right, strict=False):
        print(f"{written:28} right: {right}")
    title = f"{', '.join(left_in) or 'cured'}: {result.score:.0%} right"
    return plots.show(plots.lines(range(150), {"loss": result.losses}, "step", "loss", title=title))


widgets.switches(toy | losses | first, treat)

# %% [markdown]
# ## 11. In your own words
#
# Your team's translator, with no causal mask by mistake, predicts nearly all next words of known
# translations rightly, and not one whole sentence when it writes by itself (as in lesson 07). (a) Explain
# both. (b) Describe a test that passes on a decoder with a causal mask and fails on one without, in
# evaluation mode and by changing words: which inputs, which assertion? Why is one changed word not enough?
# (c) Why did neither the falling loss nor a test of shapes show the bug?

# %% [markdown] points=3 question="prove_the_leak"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** what a position can see while known translations are fed in, and why the
# same model has nothing to see when it writes.
# **Model answer:** Known translations are fed in whole, so without a causal mask each position sees the
# next word, which it must predict, and copies it. When the model writes by itself that word does not
# exist yet, and it has learned nothing else.
# **Marking:** Half a point for one of the two.
#
# (b) **A full answer names** two inputs and where they differ, which outputs must be equal, by which call,
# the mode of the model, and why one changed word is not enough.
# **Model answer:** Feed two targets that differ from position t on; assert that the outputs at all earlier
# positions are equal (`torch.allclose`), in eval mode, for every t: a leak may join two words before the one
# that was changed.
# **Marking:** Accept each word changed in turn. Half a point where inputs, assertion or the reason are
# missing.
#
# (c) **A full answer names** for the loss and for the shapes: does the bug change it at all, and for the
# worse?
# **Model answer:** The leak makes the loss fall faster, for copying is easy; shapes are the same with and
# without mask. Both look at something that the bug does not change for the worse.
# **Marking:** Half a point for one of the two.
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - Right shapes and a falling loss prove little: every patient here had both.
# - A test needs an independent answer: an oracle, a value worked out by hand, or a property that every
#   right code has.
# - Inputs decide: sizes that differ, more than one of everything, padding, hidden keys, a wrong target.
# - No false alarms: do not demand one way of writing, and give floats a small tolerance.
# - A gradient tells what an output has seen: nothing of what comes after it.
# - Before a long training: ln V at first, one batch by heart, and a coin that nobody can know.
# - Read warnings.
#
# **Next:** your own code. Write the test first.

# %%
progress()
