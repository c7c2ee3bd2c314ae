# %% [markdown]
# # Bug clinic: code that runs and is wrong
#
# A wrong Transformer rarely crashes. Its shapes are right and its loss falls. But its translations make no
# sense, or they are a little worse than they could be. In this lesson you
# **find** each bug, **prove** it by a test, and **fix** it.
#
# **You need** lessons 01 to 07. **Time:** 120 minutes, with seven tests, three short fixes, six puzzles,
# and at the end a translator that you repair. Good places for a break are before sections 5 and 7.
#
# We call the pieces of broken code the patients. We wrote them for this lesson, but their bugs are real.
# The bugs were found in a toy translator of tutorials and in well-known repositories, which the text names.

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
# A test calls a piece of code. It raises an error if the result is wrong, usually by `assert`. Otherwise it
# passes. `outcome` runs a test on a piece, as `pytest` does.


# %%
def outcome(test, piece):
    """The result of the test for this piece: "passes", or "fails" with the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            test(piece)
        except NotImplementedError:  # the test is not written yet
            raise
        except Exception as error:
            return f"fails: {type(error).__name__} {error}"
    return "passes"


# %% [markdown]
# Below are three tests, a right softmax, and a broken one. Which tests pass on the right softmax and fail
# on the broken one? Guess, then run.


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
# Only `test_sums` does. `test_shape` checks only the shape. The input of `test_equal` gives the same result
# with both. A good test
#
# - **fails on broken code**, because its inputs make the bug visible;
# - **passes on right code**, however the code is written. Otherwise it gives a false alarm.
#
# The check runs each of your tests on right and on broken pieces that you do not see. It tells you which
# bugs your test missed, and what would have shown them. A test fails by `assert` or `raise`. Any error on
# right code is a false alarm, and any error on broken code is a catch. In the smallest example that a check
# prints, `None` means that your test passed.

# %% [markdown]
# If your test draws random numbers, it draws other numbers in each run. A test that fails once a week is
# worse than no test. Begin your test with `torch.manual_seed(0)`, or choose the numbers by hand. The check
# runs tests with random numbers under several seeds.
#
# If an example imports a broken piece, run the import and read the piece: a name with two question marks,
# such as `by_token??`, shows its code.

# %% [markdown] corrects="004(n)"
# ## 2. The word that vanished
#
# The toy translates one sentence, *I like the 2022 Beijing Winter Games*. It descends from a much-copied
# repository (graykode/nlp-tutorial), in which id 0 was a padding symbol. The toy no longer has this symbol.
# In five runs of 300 steps, the toy's original code never translated the sentence right.
#
# **Find.** This function gives the toy's words their ids. The toy's mask hides id 0 as padding. What is
# wrong? Write down one sentence before you run on.


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
# There are two bugs. First, no word can look at *I*, because id 0 is hidden as padding. (In the Chinese
# sentence, 我 has id 0.) Second, *Beijing*, *Winter* and *Games* have equal columns and equal rows, because
# they share id 4 and so have the same vector.
#
# **Prove.** In this course, ids 0 to 3 belong to pad, bos, eos and unk. A set of n words gets the ids 4 to
# 3 + n, **in any order**: sorted, by frequency, and by first occurrence are all right.
#
# **Exercise 1** · medium · 7 minutes. Write `test_word_ids`. What is true of every right numbering, and
# false for each broken one? How many different words do your sentences need before two words share an id in
# the toy?


# %% exercise="test_word_ids"
def test_word_ids(word_ids):
    """Raise an error unless word_ids numbers words right.

    word_ids(sentences) takes a list of strings and returns a dict {word: id}. It has every word of every
    sentence, each with an id of its own. The ids are 4, 5, ... without gaps, in any order.
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
# **Exercise 2** · easy · 2 minutes. Write `word_ids`, so that your test passes.


# %% exercise="word_ids"
def word_ids(sentences):
    """Number the words of all sentences: {word: id}, ids from 4 up, without gaps, in any order.

    sentences is a list of strings. Single spaces separate the words of a sentence.
    """
    ### BEGIN SOLUTION
    words = dict.fromkeys(word for sentence in sentences for word in sentence.split())
    return {word: number for number, word in enumerate(words, start=4)}
    ### END SOLUTION


# %% check="word_ids" points=5
check("word_ids", word_ids)

# %% [markdown]
# Now run your test on the toy's function and on yours:

# %% demo
print("toy:  ", outcome(test_word_ids, toy_ids))
print("yours:", outcome(test_word_ids, word_ids))

# %% [markdown] corrects="004(c)"
# ## 3. Positions that know one sentence
#
# The toy's positions are written by hand: `[1, 2, 3, 4, 5, 6, 0]` in the encoder, and
# `[7, 1, 2, 3, 4, 5, 6]` in the decoder.
#
# **Find.** The shape is right. What is wrong with the positions?


# %%
def toy_positions(x):
    return x + sinusoidal_encoding(8, x.shape[-1])[[1, 2, 3, 4, 5, 6, 0]]


tuple(toy_positions(torch.zeros(1, 7, 4)).shape)

# %% demo corrects="004(c)"
lists = {"encoder": [1, 2, 3, 4, 5, 6, 0], "decoder": [7, 1, 2, 3, 4, 5, 6], "right": list(range(7))}
plots.show(plots.lines(range(7), lists, "word of the sentence", "its position"))

# %% [markdown] corrects="004(c)"
# The last source word gets position 0, before the first word, and the first target word gets position 7,
# after all others. A sentence of six or eight words raises an error.
#
# Several projects had a similar bug. Code for (seq, batch, d_model) gets (batch, seq, d_model). Then
# `table[: x.shape[0]]` counts *sentences*, and all words of a sentence get the same position.

# %% [markdown]
# **Prove.** An **oracle** is other code that gives the right answer. Here it can be
# `sinusoidal_encoding(length, d_model)` of lesson 04. At which sizes would a wrong axis, a wrong wavelength,
# or a table of seven rows give the right answer? Which `x` hides that the code throws `x` away? Check also
# that the caller's `x` stays unchanged.
#
# **Exercise 3** · medium · 7 minutes. Write `test_add_positions`. Right code may round differently in the
# seventh digit, so compare floats by `torch.allclose(..., atol=1e-5)`.


# %% exercise="test_add_positions"
def test_add_positions(add_positions):
    """Raise an error unless add_positions is right.

    add_positions(x) adds sinusoidal positions 0, 1, 2, ... to each sentence of x (batch, seq, d_model), where
    d_model is even. It returns a new tensor and leaves x unchanged.
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
# **Fix.** The positions of a sentence depend only on its length. A table (seq, d_model) broadcasts over the
# batch:


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
# In 2019, the first version of a much-read repository (hyunwoongko/transformer) had these four bugs at
# once. One was fixed within a week, two after two years, and one after three years.
#
# **Find.** Each line of the body has one bug, except the last line. In the mask, True means that a query
# may look at a key. What are the four bugs?


# %%
def first_attention(query, key, value, mask):  # (batch, heads, target or source, d_k)
    turned = key.view(*key.shape[:2], key.shape[3], key.shape[2])
    scores = query @ turned / math.sqrt(query.shape[1] * query.shape[3])
    scores = scores.masked_fill(~mask, -1e-12)
    weights = F.softmax(scores)
    return weights @ value, weights


# %% [markdown]
# PyTorch prints a warning about one of the four bugs. The toy begins with
# `warnings.filterwarnings("ignore")`. Which of the four bugs would this line have hidden?

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
# The four bugs, line by line:
#
# - `view` reads the numbers of the keys into other rows. It does not swap axes.
# - The scores are divided by $\sqrt{d_{model}}$. Here d_model is 18, but d_k is 6.
# - A hidden score becomes $-10^{-12}$, which is a normal score near 0. The figure shows its weights on the
#   right of the diagonal.
# - A softmax without `dim` normalizes axis 1, the heads. The warning is about this bug. Read warnings, and
#   do not switch them off.

# %% [markdown]
# **Prove.** PyTorch's `F.scaled_dot_product_attention(query, key, value, attn_mask=mask)` is your oracle.
# At which sizes do $\sqrt{d_{model}}$, `view`, or code that mixes up the sentences of a batch give the right
# answer? And which mask tests nothing?
#
# **Exercise 4** · medium · 7 minutes. Write `test_attention`. It must check both results, the output and
# the weights.


# %% exercise="test_attention"
def test_attention(attention):
    """Raise an error unless attention is right.

    attention(query, key, value, mask) -> output, weights. Shapes: query (batch, heads, target, d_k),
    key (batch, heads, source, d_k), value (batch, heads, source, d_v). The boolean mask broadcasts to
    (batch, heads, target, source). True means that a query may look; every query may look at some key.
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
# **Exercise 5** · easy · 3 minutes. Write `attention`: copy `first_attention` and repair its four lines. Do
# not use `F.scaled_dot_product_attention`, because it is your oracle, nor `F.multi_head_attention_forward`,
# which computes the same.


# %% exercise="attention"
def attention(query, key, value, mask):
    """Scaled dot-product attention over heads: output (batch, heads, target, d_v) and weights.

    The arguments are those of test_attention.
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
# **Find.** The last line has three bugs. Each of them occurred in code of learners or in repositories, and
# the toy has one of them. Id 0 is padding. What are the three bugs?


# %%
def broken_loss(logits, target):  # (batch, seq, vocab), (batch, seq)
    batch, seq, vocab = logits.shape
    return F.cross_entropy(logits.softmax(dim=-1).view(batch, vocab, seq), target)


# %% [markdown]
# "But the loss falls!" The next cell uses this loss to train the logits themselves, as free parameters. The
# figure also shows the true loss of the same logits, which is the mean over the real words. What will the
# true loss do?

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
# The broken loss falls, and the true loss rises. (In ten runs with other random numbers, the broken loss
# fell to 1.7 or less. The true loss rose from at most 3.3 to at least 4.0.)
#
# - Padding counts like a word. The toy has no `ignore_index` either, but it has no padding and no batch.
# - `cross_entropy` contains a softmax. A second softmax before it keeps the "logits" between 0 and 1, so
#   the loss cannot come near 0.
# - `view` does not swap axes, so a word is compared with numbers from several positions. `cross_entropy`
#   expects the vocabulary on axis 1, and `.mT` brings it there.

# %% [markdown]
# **Prove.** You often know the right loss without an oracle. A word costs $-\ln$ of its probability. So a
# certain and right prediction costs 0, and a uniform prediction costs $\ln(\text{vocab})$. But which bugs
# does a *uniform* prediction hide? And which bugs does a loss of 0 hide? Every real word counts alike, in
# whichever sentence: which batches hide that the mean of each sentence was taken first?
#
# **Exercise 6** · medium · 7 minutes. Write `test_translation_loss`.


# %% exercise="test_translation_loss"
def test_translation_loss(translation_loss):
    """Raise an error unless translation_loss is right.

    translation_loss(logits, target) is the mean cross-entropy over the real words, a tensor without axes.
    Shapes: logits (batch, seq, vocab), target (batch, seq). In the target, 0 is padding and does not count.
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
# **Fix.** Pass logits without a softmax, bring the vocabulary to axis 1, and leave padding out:


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
# **Find.** The toy "tests" its translator with this function. `target` begins with the start symbol, and
# the right translation follows. What is wrong with this test?


# %%
def toy_translate(model, source, target):
    return model(source, target[:, :-1]).argmax(dim=-1)


# %% [markdown]
# To test a decoder you do not need a trained model. You need a **stand-in**: a function whose answer you
# can work out. For our stand-in, add the source's first id, all target ids so far, and the number of these
# ids. The next word is the last digit of this sum.


# %%
def sum_model(source, ids):
    """Logits (batch, seq, 10) of the next word after each place of ids (batch, seq)."""
    return torch.eye(10)[((ids + 1).cumsum(dim=1) + source[:, :1]) % 10]


sum_model(torch.tensor([[4, 5]]), torch.tensor([[1, 6]])).argmax(dim=-1)  # 4 + (1 + 1), then + (6 + 1)

# %% [markdown]
# The bug makes a model look better than it is. By how much? Let the words of `sum_model` be right, and let a
# worse model make an error at one place in ten. The toy's test feeds it the right words. Honest decoding
# feeds it its own words. What will the two curves look like?


# %% demo
def worse_model(source, ids):
    sums = (ids + 1).cumsum(dim=1) + source[:, :1]
    strange = (31 * sums + 17 * torch.arange(ids.shape[1])) * 7919 % 97 < 10
    return torch.eye(10)[(sums + strange) % 10]  # at strange places the sum is 1 too large


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
# If the model reads the right words, an error has no effect on later words. If it reads its own words, one
# error spoils the words that follow. (How many it spoils depends on the model. This model adds up all ids
# that it has read, so an error stays in every later sum.)
#
# **Prove.** Your test passes a model, a source and a target to `translate`. What should happen if the
# target's words after the start symbol are *wrong*? What should happen if the start symbol is not 1?
#
# **Exercise 7** · medium · 7 minutes. Write `test_translate`. Work out a few words on paper.


# %% exercise="test_translate"
def test_translate(translate):
    """Raise an error unless translate is right.

    translate(model, source, target) -> ids (batch, seq - 1) for a target (batch, seq). Of the target it
    uses only the first column, the start symbols (any ids), and the length. Each word is the likeliest one
    after all words chosen before. model(source, ids) is a function like sum_model.
    """
    ### BEGIN SOLUTION
    source, target = torch.tensor([[4, 5], [5, 5]]), torch.tensor([[1, 9, 9, 9, 9], [2, 9, 9, 9, 9]])
    assert translate(sum_model, source, target).tolist() == [[6, 3, 7, 5], [8, 7, 5, 1]]
    ### END SOLUTION


# %% check="test_translate" points=6
check("test_translate", test_translate)

# %% [markdown]
# **Fix.** Every row gets its full length here, because words after the end symbol are cut off later.
#
# **Exercise 8** · easy · 3 minutes. Write `translate`, so that your test passes.


# %% exercise="translate"
def translate(model, source, target):
    """Translate greedily, one word at a time.

    Shapes: source (batch, source), target (batch, seq) -> words (batch, seq - 1). Use only the first column
    and the length of the target.
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
# This is the most famous bug of all: a position of the decoder sees words that come after it. Training asks
# for the very words that leak, so the loss falls faster than ever. When the model writes by itself, these
# words do not exist yet. The shapes never show this bug, and a falling loss does not show it either.
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
# **Prove.** You need no trained model and no loss. In a right decoder, the output $y_t$ at position $t$
# does not depend on the input at any later position $s > t$:
#
# $$\frac{\partial y_t}{\partial x_s} = 0.$$
#
# A gradient tests this dependence: `backward` from one output shows which inputs it depends on. (Andrej
# Karpathy recommends this in *A Recipe for Training Neural Networks*, 2019.) The figure shows the
# dependence for the layer above, in both modes.

# %% demo
axes = plots.panels(2, width=4.2)
words = [f"word {t}" for t in range(5)]
for ax, mode in zip(axes, (True, False), strict=True):
    layer, x = LeakyLayer().train(mode), torch.randn(1, 5, 8, requires_grad=True)
    slopes = [torch.autograd.grad(layer(x, torch.ones(1, 2, 8))[0, t].sum(), x)[0] for t in range(5)]
    seen = torch.stack([slope[0].abs().sum(dim=-1) for slope in slopes])
    plots.dependence_map(seen, words, words, ax=ax, title="while it trains" if mode else "in evaluation mode")
plots.show(axes[0])

# %% [markdown]
# A dot in row $t$ means that output $t$ depends on the word of this column. The layer has its mask while it
# trains, and loses it when it translates. A test in training mode alone does not find this leak.
#
# You can also change a word and see which outputs change. In training mode, dropout changes all outputs. So
# call `torch.manual_seed(0)` before both calls, and dropout removes the same numbers.
#
# **Exercise 9** · hard · 12 minutes. Write `test_decoder`. A leak may join any two words, in either mode:
# which pairs does your test cover? If you change a word, do not add the same number to all its features,
# because a decoder that begins with a layer norm removes it.


# %% exercise="test_decoder"
def test_decoder(decoder):
    """Raise an error if a position of the decoder sees a later one, in training or in evaluation mode.

    decoder(x, memory) -> logits (batch, seq, 12). x has the vectors of the target's words. Shapes: x (batch,
    seq, 8), memory (batch, source, 8), any batch, seq and source. decoder is an nn.Module with dropout.
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
# Does your test find the leak above? What does it say about PyTorch's own decoder layer, with a causal mask
# and without one?


# %% demo
class WithMask(nn.TransformerDecoderLayer):
    causal = True

    def forward(self, x, memory):
        hidden = nn.Transformer.generate_square_subsequent_mask(x.shape[1]) if self.causal else None
        return super().forward(x, memory, tgt_mask=hidden) ** 3  # the sum of normed features has gradient 0


right, broken = (WithMask(8, 2, 16, batch_first=True) for _ in range(2))
broken.causal = False
for name, layer in {"leaky layer": LeakyLayer(), "right layer": right, "no mask": broken}.items():
    print(f"{name:11}", outcome(test_decoder, layer))

# %% [markdown]
# ## 8. Before you train for a night
#
# **Find.** This training loop runs, and its loss is finite. What will its curve look like?


# %%
def first_training(source, target, steps):  # all words are below 12
    model = nn.Sequential(nn.Embedding(12, 32), nn.Linear(32, 12))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    model, losses = nn.Sequential(nn.Embedding(12, 32), nn.Linear(32, 12)), []  # start again with new weights
    for _ in range(steps):
        loss = F.cross_entropy(model(target).mT, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# %% [markdown]
# **Prove.** Ask three questions about every training. (The first two are from Karpathy's recipe.)
#
# - **The first loss.** A model that has learned nothing gives all $V$ words about the same probability.
#   So the loss is near $-\ln \frac{1}{V} = \ln V$, here $\ln 12 = 2.48$. If it is larger, the weights are
#   too large, or the loss is not a mean.
# - **One batch, learned by heart.** On a few sentences, the loss must fall to almost 0. If not, more
#   training will not help.
# - **A coin.** Put a source into the training set twice, with targets that differ in one word. No model can
#   know which comes, so this word's loss is at least $-\ln \frac{1}{2} = 0.69$. Below it, the model has seen
#   the answer.

# %% [markdown]
# **Exercise 10** · hard · 12 minutes. Write `test_training`. In 30 steps, right training brings the loss of
# a few short sentences below 0.1. Its first loss is within 0.5 of $\ln 12$, and need not be equal to it.
# If your target sentences differ in the first word after the start symbol, only a model that reads the
# source can predict that word.


# %% exercise="test_training"
def test_training(training):
    """Raise an error unless training trains a model to translate.

    training(source, target, steps) trains a new model on one batch and returns a list, the loss before each
    step. Shapes: source (batch, source), target (batch, seq), ids below 12 without padding. Each row of the
    target begins with the start symbol, 1, which the model only reads. It predicts each word after that from
    the source and the words before it.
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
# `second_training` repairs one bug of `first_training`. Which one? Your test and the coin show whether
# another bug is left. Guess what the two curves look like.


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
# In `first_training`, the optimizer has the weights of a model that was replaced, so the loss stays the
# same. In `second_training`, the loss falls below $\ln 2$, so the model has seen the answer. It reads the
# same word that it has to predict. (It does not read the source either.)
#
# The three questions often miss one bug, a forgotten `zero_grad`. On two sentences, Adam can come near 0
# even if the gradients pile up. To find this bug, take two steps on one batch at learning rate 0 and without
# dropout. If `zero_grad` is missing, the second gradient is twice the first.

# %% [markdown]
# ## 9. Six small ones
#
# Each piece of code has one wrong line. All six bugs were found in code that people learn from.
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
# total += loss.item()                                                       # 3
# loss.backward()                                                            # 4
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
# **Exercise 11** · easy · 7 minutes. Return the number of the wrong line of each piece. What would each
# line do to a small input?


# %% exercise="wrong_lines"
def wrong_lines():
    """Return the number of the wrong line in each piece: {"A": ..., "B": ..., ..., "F": ...}."""
    ### BEGIN SOLUTION
    return {"A": 2, "B": 1, "C": 2, "D": 3, "E": 4, "F": 3}
    ### END SOLUTION


# %% check="wrong_lines" points=7
check("wrong_lines", wrong_lines)

# %% [markdown]
# The rest of this section proves each bug and names where it was found. **A** (the Annotated Transformer, and
# others): `var` divides by d - 1, but layer norm divides by d. How large is the error?

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
# With d_model 512, the error is 1e-3, so a test with a tolerance of 1e-2 misses it. With d_model 2, the
# error is 0.29. Small sizes make good tests.
#
# **B** (hyunwoongko/transformer, for two years). Let the features of each token be its position. Then print
# which positions each head holds:

# %% demo
x = torch.arange(4.0)[:, None].expand(1, 4, 4)  # 4 tokens, d_model 4; two heads of two features
print("broken", x.reshape(1, 2, 4, 2)[0, :, :, 0].tolist())
print("right ", x.unflatten(-1, (2, 2)).transpose(1, 2)[0, :, :, 0].tolist())

# %% [markdown]
# Here each broken head holds half of the sentence, so tokens 0 and 3 never meet. If code splits and merges
# the heads by `view`, it gets the input back. So a round trip does not show this bug.
#
# **C** (several repositories): the list contains one layer six times. **D** (hyunwoongko/transformer and
# Graphormer): line 3 overwrites the row of zeros. **E** (the Annotated Transformer of 2018): the gradients
# of validation data are added to those of the next training step.

# %% demo
layer = nn.Linear(8, 8)
print("C  parameters", sum(p.numel() for p in nn.ModuleList([layer] * 6).parameters()), "expected", 6 * 72)
table = nn.Embedding(9, 4, padding_idx=0)
nn.init.normal_(table.weight, std=0.5)
print("D  row of padding", table.weight[0].detach())
layer(torch.ones(1, 8)).sum().backward()
print("E  gradient left behind", layer.weight.grad.norm().item())

# %% [markdown]
# **F** was reported about `torch.nn.TransformerEncoderLayer` itself, when its `norm_first` was new (2021).
# The proof is a sublayer that returns 0. Then the output must be x.

# %% demo
norm, x = nn.LayerNorm(4), torch.tensor([1.0, 2.0, 3.0, 10.0])
print("broken", (norm(x) + 0 * norm(x)).detach(), " right", (x + 0 * norm(x)).detach())

# %% [markdown]
# ## 10. The patient, cured
#
# The function `treated` builds a small translator from your five pieces: `word_ids`, `add_positions`,
# `attention`, `translation_loss` and `translate`. The translator learns 24 sentences like the toy's. Then
# it translates eight others, and the toy's own sentence is one of them. Each bug of these five pieces has a
# switch. What you get with it appears below the switches, after some seconds.
#
# The toy's list of positions is written for seven words. Here its pattern continues for any length: the
# last word of a sentence gets position 0.

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
# Guess before you run: which single bugs leave no sentence right, which cost only some sentences, and
# which have no effect? The cell trains 34 small translators, which takes half a minute.

# %% demo
print(f"your code: {treated(cured).score:.0%} right")
runs = {"the toy's three": tuple(toy)} | {bug: (bug,) for bug in toy | losses | first}
for name, left_in in runs.items():
    results = [treated_with(*left_in, seed=seed) for seed in range(3)]
    right = " ".join(f"{result.score:4.0%}" for result in results)
    print(f"{name:20} {right}   last loss {results[0].losses[-1]:5.3f}   {results[0].written[0]}")

# %% [markdown]
# We ran nine seeds; the cell shows three.
#
# - **No sentence right**: shared ids, logits by view, and the softmax over heads, which gives NaN at once,
#   because some keys are hidden in all heads.
# - **From 0 to 100 % right**, depending on the seed: the mask of -1e-12, keys by view, and the second
#   softmax.
# - **No effect here**: padding that counts, the root of d_model, and positions by hand, which give the
#   words another order and nothing else. (In one run they cost one sentence.) *Fed the answer* is a bug of
#   the test and not of the model.
#
# The loss does not show it. With logits by view, keys by view or the mask of -1e-12, it ends below 0.001,
# as in the cured translator.

# %% [markdown]
# If you feed the answer *and* keep the mask of -1e-12, the score is 100 % in all nine runs. One bug hides
# the other. Switch bugs on and off below: do you find more such pairs?


# %% demo
def treat(left_in):
    result = treated_with(*left_in)
    for written, right in zip(result.written[:3], result.right, strict=False):
        print(f"{written:28} right: {right}")
    bugs = ", ".join(left_in) or "no bug left"
    title = f"{bugs}: {result.score:.0%} right"
    return plots.show(plots.lines(range(150), {"loss": result.losses}, "step", "loss", title=title))


widgets.switches(toy | losses | first, treat)

# %% [markdown]
# ## 11. In your own words
#
# By mistake, your team's translator has no causal mask. If it reads known translations, it predicts nearly
# all next words right. If it writes by itself, as in lesson 07, it gets no whole sentence right.
#
# (a) Explain both observations.
#
# (b) Describe a test that changes words, in evaluation mode. It must pass on a decoder with a causal mask
# and fail on a decoder without one. Which inputs does it use, and what does it assert? Why is one changed
# word not enough?
#
# (c) Why did neither the falling loss nor a test of shapes show the bug?

# %% [markdown] points=3 question="prove_the_leak"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** what a position can see while the model reads known translations, and why it
# cannot see this when the model writes by itself.
# **Model answer:** The decoder gets a known translation as a whole. Without a causal mask, each position
# sees the next word, which it has to predict, and copies it. When the model writes by itself, this word
# does not exist yet, and the model has learned nothing else.
# **Marking:** Half a point for one of the two.
#
# (b) **A full answer names** two inputs and where they differ, which outputs must be equal, the function
# that compares them, the mode of the model, and why one changed word is not enough.
# **Model answer:** Feed two targets that differ from position t on. Assert that the outputs at all earlier
# positions are equal (`torch.allclose`), in evaluation mode, for every t. One changed word is not enough,
# because a leak may join two words before it.
# **Marking:** Accept a test that changes each word in turn. Half a point where the inputs, the assertion or
# the reason are missing.
#
# (c) **A full answer names** for the loss and for the shapes whether the bug changes them at all, and
# whether it makes them worse.
# **Model answer:** The leak makes the loss fall faster, because copying is easy. The shapes are the same
# with and without a mask. So the bug makes neither of the two worse.
# **Marking:** Half a point for one of the two.
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - Right shapes and a falling loss prove little. Most broken code here had both.
# - A test needs an independent answer: an oracle, a value that you work out by hand, or a property that all
#   right code has.
# - The inputs decide what a test finds: sizes that differ, more than one of everything, padding, hidden
#   keys, a wrong target.
# - Avoid false alarms: accept every way of writing, and give floats a small tolerance.
# - A gradient shows which inputs an output depends on. In a decoder, these inputs must not come later.
# - Before a long training, compare the first loss with ln V, learn one batch by heart, and try a coin.
#
# **Next:** your own code. Write the test first.

# %%
progress()
