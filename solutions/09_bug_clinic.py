# %% [markdown]
# # Bug clinic: code that runs and is wrong
#
# A wrong Transformer rarely crashes. Its shapes are right, its loss falls, and it translates nonsense, or
# for years a little worse than it could. You **find** each bug, **prove** it by a test, and **fix** it.
#
# **You need** lessons 01 to 07. **Time:** 75 minutes: five tests, five short fixes, six puzzles. A good
# place for a break is before section 5.
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
from course_lib.exercises.bug_clinic import check, hint, progress
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
# **Exercise 1** · medium · 7 minutes. What holds for every right numbering, and for no broken one?


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
    """Number the words of all sentences: {word: id}, ids from 4 up, without gaps, in any order."""
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
# **Fix.**
#
# **Exercise 4** · easy · 2 minutes.


# %% exercise="add_positions"
def add_positions(x):
    """Add sinusoidal positions 0, 1, 2, ... to every sentence.

    Shape: (batch, seq, d_model) -> the same, in a new tensor.
    """
    ### BEGIN SOLUTION
    return x + sinusoidal_encoding(x.shape[1], x.shape[2])
    ### END SOLUTION


# %% check="add_positions" points=5
check("add_positions", add_positions)

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
# **Exercise 5** · medium · 7 minutes.


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
    assert torch.allclose(weights.sum(dim=-1), torch.ones(2, 3, 4), atol=1e-5)
    ### END SOLUTION


# %% check="test_attention" points=7
check("test_attention", test_attention)

# %% [markdown]
# **Fix.**
#
# **Exercise 6** · easy · 3 minutes. Copy `first_attention` and repair its four lines.


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
# **Exercise 7** · medium · 7 minutes.


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
# **Fix.**
#
# **Exercise 8** · easy · 2 minutes.


# %% exercise="translation_loss"
def translation_loss(logits, target):
    """Mean cross-entropy over the real words; 0 is padding.

    Shapes: logits (batch, seq, vocab), target (batch, seq) -> ().
    """
    ### BEGIN SOLUTION
    return F.cross_entropy(logits.mT, target, ignore_index=0)
    ### END SOLUTION


# %% check="translation_loss" points=5
check("translation_loss", translation_loss)

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
    return torch.eye(10)[(sums + (sums * 7 % 97 < 10)) % 10]  # sometimes one too many


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
# Fed with the answer, an error stays alone. With its own words, one error spoils what follows. A thread of
# tensor2tensor tells of a model with BLEU 0.41 fed with the reference, and 0.10 on its own.
#
# **Prove.** Your test passes a model, a source and a target to `translate`. What should happen if the
# words after the start symbol are *wrong*?
#
# **Exercise 9** · medium · 7 minutes. Work a few words out on paper.


# %% exercise="test_translate"
def test_translate(translate):
    """Raise unless translate is right.

    translate(model, source, target) -> ids (batch, seq - 1) for a target (batch, seq). Of the target it
    uses the first column, the start symbols, and the length; each word is the likeliest after all words
    chosen before. model(source, ids) is like sum_model.
    """
    ### BEGIN SOLUTION
    source, target = torch.tensor([[4, 5], [5, 5]]), torch.tensor([[1, 9, 9, 9, 9], [1, 9, 9, 9, 9]])
    assert translate(sum_model, source, target).tolist() == [[6, 3, 7, 5], [7, 5, 1, 3]]
    ### END SOLUTION


# %% check="test_translate" points=6
check("test_translate", test_translate)

# %% [markdown]
# **Fix.** (Words after the end symbol are cut off later; here every row gets its full length.)
#
# **Exercise 10** · easy · 3 minutes.


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
# ## 7. Six small ones
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
# ## 8. In your own words
#
# Your team's translator, with no causal mask by mistake, predicts nearly all next words of known
# translations rightly, and not one whole sentence when it writes by itself (as in lesson 07). (a) Explain
# both. (b) Describe a test that passes on a decoder with a causal mask and fails on one without: which
# inputs, which assertion? Nothing is trained. (c) Why did neither the falling loss nor a test of shapes
# show the bug?

# %% [markdown] points=3 question="prove_the_leak"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each. The model answer:
#
# (a) Known translations are fed in whole, so without a causal mask each position sees the next word,
# which it must predict, and copies it. When the model writes by itself that word does not exist yet, and
# it has learned nothing else. (Half a point for one of the two.)
#
# (b) Feed two targets that differ in the last word only; assert that the outputs at all earlier positions
# are equal (`torch.allclose`), in eval mode. (Accept: gradients of an early output with respect to a
# later input are 0. Half a point where inputs or assertion are missing.)
#
# (c) The leak makes the loss fall faster, for copying is easy; shapes are the same with and without mask.
# Both look at something that the bug does not change for the worse. (Half a point for one of the two.)
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - Right shapes and a falling loss prove little: every patient here had both.
# - A test needs an independent answer: an oracle, a value worked out by hand, or a property that every
#   right code has.
# - Inputs decide. All sizes different, more than one of everything, real padding, hidden keys, logits that
#   differ, and a target that is wrong on purpose.
# - No false alarms: do not demand one way of writing, and give floats a small tolerance.
# - Read warnings.
#
# **Next:** your own code. Write the test first.

# %%
progress()
