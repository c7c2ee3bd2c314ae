# %% [markdown]
# # Start here
#
# This course ends with an English to Chinese translator of which you have written every piece. Here come
# the first two, a softmax and a mean, and with them how the lessons work.
#
# **You need** Python, and to know that a tensor is a table of numbers. **Time:** 30 minutes, two
# exercises.
#
# **Keys.** `Shift+Enter` runs a cell and goes to the next; `Esc`, then `B`, adds one below. `[*]` beside a
# cell: it still runs (the first one loads PyTorch, which takes some seconds). All cells share one memory,
# so run them from the top. If nothing makes sense any more: menu *Kernel*, *Restart Kernel and Run All
# Cells*. It stops at the first piece that is missing: scroll up to it.

# %%
import torch

from course_lib import plots
from course_lib.exercises.start_here import check, hint, model_answer, progress

torch.manual_seed(0)
torch.set_printoptions(precision=3, sci_mode=False)
f"PyTorch {torch.__version__} is ready"

# %% [markdown]
# ## 1. The picture that you are going to build
#
# A translator that writes 冬奥会 (*Winter Olympics*) looks back at the English words, at each with a
# **weight** between 0 and 1.
#
# The next cell is an **experiment**: run it, change it, run it again; nobody grades it. But guess first: a
# wrong guess teaches more than an answer that you read. Which words will 冬奥会 look at, and how will it
# share its attention?

# %% demo
chinese = ["我", "喜欢", "2022", "年", "北京", "冬奥会"]
looks_at = ["i", "like", "2022", "2022", "beijing", "winter games"]
english = ["i", "like", "the", "2022", "beijing", "winter", "games"]
scores = torch.tensor([[4.0 * (word in words.split()) for word in english] for words in looks_at])
weights = torch.softmax(scores, dim=-1)
plots.show(plots.attention_map(weights, chinese, english, title="where a translator looks"))

# %% [markdown]
# Each row is a word that looks, a **query**; each column a word that is looked at, a **key**. Each row
# sums to 1.
#
# The scores behind it were set by hand: 4 where two words belong together, else 0. In lesson 02 you compute
# scores from vectors, in lesson 07 your translator learns the vectors. The step from scores to weights is
# the softmax. You build it now.

# %% [markdown]
# ## 2. From scores to weights
#
# Scores may be any numbers; weights are never negative, and each row sums to 1. The softmax of a row $x$:
#
# $$\text{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$
#
# ### A wrong answer, on purpose
#
# `first_try` is this formula, word for word. (`keepdim=True` keeps the sums in a column, each beside its
# row.) Yet something is wrong with it. What? Let `check` look; with `trial=True` it does not count.


# %% demo
def first_try(scores):
    exponentials = torch.exp(scores)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


check("softmax", first_try, trial=True)

# %% [markdown]
# An exercise has **parts** with points of their own, so a small slip costs little. Below ✗ stands what is
# wrong, then what to do. The **smallest example** is a call that goes wrong, with its result and the right
# one. Copy it into a cell of your own and run it; where it needs an import, that line stands above it.
# (Later, `filled(layer)` in an example gives your layer the numbers that the check uses.) "And 1 hidden" is a
# point for a part that you do not see: it is decided when your work is graded.

# %% [markdown]
# The formula is right on paper, but PyTorch's usual numbers (float32) end near $3.4 \cdot 10^{38}$, and
# $e^{89}$ lies beyond. What now? Ask for a **hint**. Run the cell again and it says more; hints cost no
# points.

# %% demo
hint("softmax")

# %% [markdown]
# ### Your turn
#
# **Exercise 1** · easy · 5 minutes. Which number would you subtract from the scores [1000, 1000, 999],
# and which from [0, 1]? Decide; then replace the line `raise NotImplementedError()`, run the cell, and run
# the check below it, as often as you like. (It sees the function that last ran without an error, not what
# you have typed since.) This once, do without PyTorch's `torch.softmax`, `log_softmax` and `softmin`: build
# it from `torch.exp`, a maximum and a sum. Keep to PyTorch's functions: NumPy has no gradients, and one part
# asks for them.


# %% exercise="softmax"
def softmax(scores):
    """Turn each row of scores into weights that sum to 1, whatever the size of the scores.

    Shapes: scores (..., row, column) -> weights, the same; a row runs along the last axis.
    """
    ### BEGIN SOLUTION
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)
    ### END SOLUTION


# %% check="softmax" points=8
check("softmax", softmax)

# %% [markdown]
# $e^{x_i - c} = e^{x_i} / e^c$, and $e^c$ cancels in the fraction: subtracting $c$ changes no weight. If
# $c$ is the row's maximum, its largest exponential is $e^0 = 1$.
#
# Now *your* function draws the picture, with the scores times 0, 0.5 and 3. What will it make of a row of
# zeros?

# %% demo
axes = plots.panels(3)
for i, factor in enumerate((0, 0.5, 3)):
    plots.attention_map(softmax(factor * scores), chinese, english, ax=axes[i], title=f"scores × {factor}")
plots.show(axes)

# %% [markdown]
# Zeros share evenly, small scores lean, large scores decide. Lesson 02 shows why a model should not start
# with large ones.

# %% [markdown]
# ## 3. A mean of real words only
#
# In this course a batch is a tensor `x` of shape **(batch, seq, d_model)**: so many sentences, so many
# words in each, so many numbers for each word. Short sentences are filled up with **padding**, and a
# boolean **mask** of shape (batch, seq) tells which words are real. In every mask of this course **True
# means: you may look**.
#
# The plainest vector for a sentence is the mean of its words. The first sentence below has 3 words and 4
# pads that are 0. By what factor is its plain mean too small?

# %% demo
sentences = [["i", "like", "winter"], english]
mask = torch.tensor([[position < len(words) for position in range(7)] for words in sentences])
x = torch.randn(2, 7, 4)  # (batch, seq, d_model), made-up vectors
x[0, 3:] = 0
print(mask)
print("true mean ", x[0, :3].mean(dim=0))
print("plain mean", x[0].mean(dim=0))
x.mean(dim=1)[0] / x[0, :3].mean(dim=0)

# %% demo
from course_lib.plots import diagrams

diagrams.real_words(sentences, mask).picture()

# %% [markdown]
# **Exercise 2** · easy · 7 minutes. Sum the real words of each sentence and divide by *their* number.
# Padding may hold any numbers, not only zeros. The mean of a sentence without any real word would be 0/0:
# NaN, "not a number", which spoils all that it meets. So in this course it is 0.
#
# The sums have the shape (batch, d_model). What shape must the numbers of words have to divide them? (PyTorch
# compares shapes from the right and stretches an axis of size 1 to fit: **broadcasting**. Indexing by `None`
# adds such an axis.)


# %% exercise="masked_mean"
def masked_mean(x, mask):
    """Average the real words of each sentence.

    Shapes: x (batch, seq, d_model), mask (batch, seq), boolean, True where a word is real
    -> mean (batch, d_model), of the dtype of x. A sentence without any real word has the mean 0.
    """
    ### BEGIN SOLUTION
    real = mask[:, :, None]  # (batch, seq, 1)
    count = real.sum(dim=1).clamp(min=1)  # (batch, 1)
    return (x * real).sum(dim=1) / count
    ### END SOLUTION


# %% check="masked_mean" points=6
check("masked_mean", masked_mean)

# %% [markdown]
# Put the same 3 words beside longer and longer neighbors. How long is their mean, compared with the true
# one?

# %% demo
pads, plain, masked = range(13), [], []
for n in pads:
    words = torch.cat([x[:1, :3], torch.zeros(1, n, 4)], dim=1)  # 3 words, n pads
    real = torch.arange(3 + n)[None] < 3
    plain.append(words.mean(dim=1).norm() / words[:, :3].mean(dim=1).norm())
    masked.append(masked_mean(words, real).norm() / words[:, :3].mean(dim=1).norm())
curves = {"plain mean": plain, "masked_mean": masked}
plots.show(plots.lines(pads, curves, "pads beside 3 words", "length of the mean (true: 1)"))

# %% [markdown]
# Three pads halve the plain mean, twelve leave a fifth of it. But which sentences share a batch is chance.
#
# ### Both pieces together
#
# Give each real word the score 0 and each pad $-\infty$, then take *your* softmax. What are the weights? And
# what is the average of the words by these weights?

# %% demo
equal = torch.zeros(2, 7).masked_fill(~mask, -torch.inf)
weights = softmax(equal)
print("equal to masked_mean:", torch.allclose((weights[:, None] @ x)[:, 0], masked_mean(x, mask)))
rows, columns = ["sentence 0", "sentence 1"], [f"word {i}" for i in range(7)]
ax = plots.attention_map(weights, rows, columns, mask, title="equal scores")
ax.set(xlabel="averaged (hatched: padding)", ylabel="average")
plots.show(ax)

# %% [markdown]
# A masked mean is attention that finds all words equally interesting. Lesson 02 lets the scores differ.
#
# ## 4. In your own words
#
# Each lesson has one question that no machine grades. Double-click the next cell to write.
# `hint("one_maximum_for_all")` says what a full answer names. When yours is written and saved,
# `model_answer("one_maximum_for_all")` shows another, unless your instructor keeps it back.
#
# A classmate subtracts `scores.max()`, the largest score of the *whole* table, from every row. (a) Why is
# that right on paper? (b) Give a table for which it fails, and say what comes out.

# %% [markdown] points=2 question="one_maximum_for_all"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** what may be subtracted from a row without changing its weights, why, and
# that the table's largest score is such a number.
# **Model answer:** Any number may be subtracted from all scores of a row, for its exponential cancels in
# the fraction. The largest score of the table is one such number, the same for each row.
#
# (b) **A full answer names** a table of numbers in which one row lies far below another, what the
# exponentials of the low row become, and what comes out of dividing them by their sum.
# **Model answer:** One row far below another, such as [0, 1] and [1000, 1000]: in the low row every
# exponential is rounded to 0, the sum is 0, and 0/0 is NaN.
# **Marking:** Half a point for the table, half for what comes out. In float32 a difference of about 104
# is enough.
# <!-- END SOLUTION -->

# %% [markdown]
# ## How every lesson works
#
# - An idea, a formula, an exercise, its check, an experiment. **Guess before you run.**
# - **Stuck?** Read the check's advice, run its smallest example, print a `.shape`, add a cell with
#   `hint("softmax")` (the name of the exercise or question), restart and run all. Where a check has named
#   your mistake, the next hint is about it.
# - Check cells are locked. In a class they are run again with other numbers, and with the hidden parts. All
#   other cells are yours to change.
# - *Validate*, above the notebook, runs all checks anew. *Partial credit* there means: not all points.
# - `progress()` shows how far you are, the written answer too.

# %% [markdown]
# Two rules hold for every exercise:
#
# - A result keeps the dtype of the inputs: float32 in, float32 out; float64 in, float64 out.
# - Write each piece yourself. What PyTorch has ready for a whole exercise is named in the exercise and may
#   not be called, nor may the finished pieces of `course_lib` or of another library.
#
# **Next:** lesson 01 turns words into vectors.

# %%
progress()
