# %% [markdown]
# # Start here
#
# In this course you build a translator from English to Chinese, and you write every piece of it. The first
# two pieces are a softmax and a mean. They also show you how the lessons work.
#
# **You need** basic Python. You should know that a tensor is a table of numbers. **Time:** 30 minutes, two
# exercises.
#
# **Keys.** `Shift+Enter` runs a cell and moves to the next. `Esc` and then `B` adds a cell below. `[*]`
# beside a cell means that it is still running.
#
# All cells share their variables, so run them from top to bottom. If you get lost, choose *Restart Kernel
# and Run All Cells* in the menu *Kernel*. The run stops at the first exercise that you have not written
# yet. Go on there.

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
# Before a translator writes 冬奥会 (*Winter Olympics*), it looks at the English words. It gives each of
# them a **weight** between 0 and 1. For each Chinese word, the weights sum to 1.
#
# The next cell is an **experiment**. Run it, change it, and run it again. Nobody grades it. But guess first,
# because you learn more from a wrong guess than from an answer that you only read. Which English words will
# 冬奥会 look at, and what weight will each of them get?

# %% demo
chinese = ["我", "喜欢", "2022", "年", "北京", "冬奥会"]
looks_at = ["i", "like", "2022", "2022", "beijing", "winter games"]
english = ["i", "like", "the", "2022", "beijing", "winter", "games"]
scores = torch.tensor([[4.0 * (word in words.split()) for word in english] for words in looks_at])
weights = torch.softmax(scores, dim=-1)
plots.show(plots.attention_map(weights, chinese, english, title="where a translator looks"))

# %% [markdown]
# Each row of the picture belongs to a Chinese word that looks, the **query**. Each column belongs to an
# English word that is looked at, the **key**.
#
# The weights come from **scores**, one score for each query and key. We set these scores by hand: 4 where two
# words belong together, and 0 elsewhere. In lesson 02 you compute scores from vectors, and in lesson 07 your
# translator learns the vectors. A function called softmax turns scores into weights. You build it now.

# %% [markdown]
# ## 2. From scores to weights
#
# Scores may be any numbers. Weights are never negative, and each row of weights sums to 1. The **softmax**
# turns a row of scores $x$ into a row of weights:
#
# $$\text{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$
#
# ### A wrong answer, on purpose
#
# The function `first_try` is this formula in code. (`keepdim=True` keeps the sums in a column, so that
# each row is divided by its own sum.) For some scores, `first_try` gives a wrong result. What kind of
# scores could these be? Guess, and then run `check`, which tests the function. With `trial=True` the
# result does not count.


# %% demo
def first_try(scores):
    exponentials = torch.exp(scores)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


check("softmax", first_try, trial=True)

# %% [markdown]
# An exercise has several **parts**, and each part gives its own points. A small slip therefore costs only a
# few points. Under a ✗ you read first what is wrong, and then what to change. The **smallest example** is a
# short call that gives a wrong result, with your result and the expected one. Once you have written
# `softmax`, copy such a call into a new cell and run it. If the call needs an import, the example shows it.
#
# "And 1 hidden" means one more point, for a part that you cannot see. This part runs only when your work is
# graded.

# %% [markdown]
# The formula is right on paper. But PyTorch's usual numbers (float32) end near $3.4 \cdot 10^{38}$, and
# $e^{89}$ is larger than that. PyTorch makes it infinity, and infinity divided by infinity is NaN, "not a
# number". How can you avoid this? Ask for a **hint**. Each time you run the next cell, it gives you another
# hint. Hints cost no points.

# %% demo
hint("softmax")

# %% [markdown]
# ### Your turn
#
# **Exercise 1** · easy · 5 minutes. Write a softmax that works for scores of any size. Build it from
# `torch.exp`, a maximum and a sum, without PyTorch's `torch.softmax`, `log_softmax` or `softmin`. NumPy
# does not help here, because it computes no gradients. (A **gradient** says how a result changes when an
# input changes. Models learn from gradients, so one part of the check tests them.)
#
# Which number would you subtract from the scores [1000, 1000, 999], and which from [0, 1]?
#
# Replace the line `raise NotImplementedError()` and run the cell. Then run the check below it, as often as
# you like. If you change your code, run its cell again before you run the check.


# %% exercise="softmax"
def softmax(scores):
    """Turn each row of scores into weights that sum to 1. The scores may have any size. The dtype stays.

    Shapes: scores (..., row, column) -> weights (..., row, column). A row runs along the last axis.
    """
    ### BEGIN SOLUTION
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)
    ### END SOLUTION


# %% check="softmax" points=8
check("softmax", softmax)

# %% [markdown]
# For any number $c$, $e^{x_i - c} = e^{x_i} / e^c$. The factor $e^c$ cancels in the fraction, so subtracting
# $c$ from a row changes none of its weights. If $c$ is the maximum of the row, the largest exponential is
# $e^0 = 1$.
#
# Now *your* function draws the picture, with all scores multiplied by 0, 0.5 and 3. Which weights does a row
# of zeros get?

# %% demo
axes = plots.panels(3)
for i, factor in enumerate((0, 0.5, 3)):
    plots.attention_map(softmax(factor * scores), chinese, english, ax=axes[i], title=f"scores × {factor}")
plots.show(axes)

# %% [markdown]
# A row of zeros gives every word the same weight, 1/7. With half the scores, the matching words get more than
# half of the weight of their row. With three times the scores, they get nearly all of it. Lesson 02 shows why
# a model should not start with large scores.

# %% [markdown]
# ## 3. A mean of real words only
#
# In this course a batch of sentences is a tensor `x` of shape **(batch, seq, d_model)**. The first axis runs
# over the sentences, the second over the words of a sentence, and the third over the numbers of a word's
# vector. Short sentences are filled up with **padding**. A boolean **mask** of shape (batch, seq) says which
# places hold real words. In every mask of this course **True means: you may look**.
#
# The simplest vector for a sentence is the mean of its word vectors. The first sentence below has 3 words and
# 4 places of padding, whose vectors are 0. The plain mean runs over all 7 places. By what factor is it too
# small?

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
# Every number of the plain mean is 3/7 of the true one, because it is divided by 7 instead of 3.

# %% [markdown]
# **Exercise 2** · easy · 7 minutes. Sum the vectors of the real words of each sentence, and divide each sum
# by the number of these words. Padding may hold any numbers. Do not use `torch.masked`, `numpy.ma`,
# `embedding_bag`, `segment_reduce`, `scatter_reduce` or `index_reduce`.
#
# In a sentence without any real word the mean would be 0/0, which is NaN. NaN spreads to every result
# computed from it. In this course the mean of such a sentence is therefore 0.
#
# The sums have the shape (batch, d_model). Which shape must the counts have to divide each sum by the count
# of its own sentence? PyTorch compares shapes from the right, and stretches an axis of size 1 to fit. This is
# called **broadcasting**. Indexing with `None` adds an axis of size 1.


# %% exercise="masked_mean"
def masked_mean(x, mask):
    """Average the vectors of the real words of each sentence.

    Shapes: x (batch, seq, d_model), mask (batch, seq), boolean, True where a word is real
    -> mean (batch, d_model), in the dtype of x. The mean of a sentence without any real word is 0.
    """
    ### BEGIN SOLUTION
    real = mask[:, :, None]  # (batch, seq, 1)
    count = real.sum(dim=1).clamp(min=1)  # (batch, 1)
    return (x * real).sum(dim=1) / count
    ### END SOLUTION


# %% check="masked_mean" points=6
check("masked_mean", masked_mean)

# %% [markdown]
# In a batch, each sentence is filled up to the length of the longest one. The next cell adds 0 to 12
# places of padding (pads) to the same 3 words, and measures the length (norm) of their mean. How many pads
# make the plain mean half as long?

# %% demo
pads, plain, masked = range(13), [], []
for n in pads:
    words = torch.cat([x[:1, :3], torch.zeros(1, n, 4)], dim=1)  # 3 words, n pads
    real = torch.arange(3 + n)[None] < 3
    plain.append(words.mean(dim=1).norm() / words[:, :3].mean(dim=1).norm())
    masked.append(masked_mean(words, real).norm() / words[:, :3].mean(dim=1).norm())
curves = {"plain mean": plain, "masked_mean": masked}
plots.show(plots.lines(pads, curves, "places of padding after 3 words", "length of the mean (true mean: 1)"))

# %% [markdown]
# With three pads the plain mean has half of its length, and with twelve pads a fifth. Yet the 3 words have
# not changed. In training, the longest sentence of the batch decides the number of pads, and chance
# decides which sentences are in the batch.
#
# ### Both pieces together
#
# Give each real word the score 0 and each pad the score $-\infty$, and apply *your* softmax. Which weights
# come out? And what do you get if you average the words with these weights?

# %% demo
equal = torch.zeros(2, 7).masked_fill(~mask, -torch.inf)
weights = softmax(equal)
print("equal to masked_mean:", torch.allclose((weights[:, None] @ x)[:, 0], masked_mean(x, mask)))
rows, columns = ["sentence 0", "sentence 1"], [f"word {i}" for i in range(7)]
ax = plots.attention_map(weights, rows, columns, mask, title="equal scores")
ax.set(xlabel="place in the sentence (hatched: padding)", ylabel="mean of")
plots.show(ax)

# %% [markdown]
# The weighted average equals your masked mean. An average whose weights come from scores by a softmax is
# called **attention**. A masked mean is attention that gives all real words the same score. In lesson 02
# the words of a sentence get different scores.

# %% [markdown]
# ## 4. In your own words
#
# Each lesson has one question that is graded by a person. Double-click the next cell to write your answer.
# `hint("one_maximum_for_all")` says what a full answer contains. When you have written and saved your answer,
# `model_answer("one_maximum_for_all")` shows another one, unless your instructor keeps it back.
#
# A classmate subtracts `scores.max()`, the largest score of the *whole* table, from every row. (a) Explain
# why this is right on paper. (b) Give a table of scores for which it fails. Say what the exponentials
# become, and what the result is.

# %% [markdown] points=2 question="one_maximum_for_all"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** what may be subtracted from a row without changing its weights, why this is so,
# and that the largest score of the table is such a number.
# **Model answer:** Any number may be subtracted from all scores of a row, because its exponential cancels in
# the fraction. The largest score of the table is such a number. It is the same one for every row.
#
# (b) **A full answer names** a table of numbers in which one row is far below another, what the exponentials
# of the low row become, and what comes out when they are divided by their sum.
# **Model answer:** One row far below another is enough, for example [0, 1] and [1000, 1000]. In the low row
# every exponential is rounded to 0. The sum is therefore 0, and 0/0 is NaN.
# **Marking:** Give half a point for the table and half a point for what comes out. In float32 a difference of
# about 104 between the two rows is enough.
# <!-- END SOLUTION -->

# %% [markdown]
# ## How every lesson works
#
# A lesson brings ideas, formulas, exercises with checks, and experiments. **Guess before you run.**
#
# - **Stuck?** Read the check's advice. Run its smallest example, or print a `.shape`. Run `hint("softmax")`
#   in a new cell, with the name of your exercise or question. If the check has named your mistake, the next
#   hint is about that mistake.
# - Check cells are locked. In a class they are run again with other numbers and with the hidden parts. You
#   may change all other cells.
# - The button *Validate* above the notebook runs all checks again from the start. *Partial credit* there
#   means that some points are missing.
# - `progress()` shows how far you are, including the written answer.

# %% [markdown]
# Two rules hold for every exercise:
#
# - A result keeps the dtype of its inputs. The result is float32 for float32 inputs, and float64 for float64
#   inputs.
# - Write each piece yourself. If PyTorch has a ready-made function for a whole exercise, the exercise names
#   it, and you may not call it. You may not call the finished pieces of `course_lib` or of another library
#   either.
#
# In later lessons a smallest example may contain `filled(layer)`. This call sets the parameters of your
# layer to those of the check.
#
# **Next:** in lesson 01, words become vectors.

# %%
progress()
