# %% [markdown]
# # Layer norm, feed-forward, residuals: what makes a stack trainable
#
# Attention lets words look at each other. A Transformer layer has three more parts: it **normalizes** the
# vector of each word, sends it through a small network, and **adds** the result to the vector that was
# there before. You build all three parts and stack six layers. Then you see which arrangement of the parts
# learns and which one never starts.
#
# **You need** lesson 02, and two terms: Jacobian and singular values. **Time:** 90 minutes in two sittings,
# six exercises.

# %%
import math

import torch
import torch.nn.functional as F
from torch import nn

from course_lib import plots
from course_lib.exercises.layer_norm import check, hint, model_answer, progress
from course_lib.model.layers import MultiHeadAttention

torch.manual_seed(0)
torch.set_printoptions(precision=3, sci_mode=False)
f"PyTorch {torch.__version__} is ready"

# %% [markdown] corrects="000(e) 002(e) 003(a)"
# ## 1. One token at a time
#
# A **token** is one word of a sentence. Its vector has $d$ features. **Layer norm** (Ba et al. 2016) shifts
# and scales these features to mean 0 and variance 1. Then it multiplies each feature by a learned weight
# and adds a learned bias:
#
# $$\text{LN}(x) = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}} + \beta \qquad
# \mu = \frac{1}{d} \sum_i x_i \qquad \sigma^2 = \frac{1}{d} \sum_i (x_i - \mu)^2$$
#
# There is one $\mu$ and one $\sigma$ **for each token**, computed over its own features. No other word and
# no other sentence has an influence on them. The variance is divided by $d$, not by $d - 1$ (the *biased*
# variance), and $\varepsilon$ is **under the root**.

# %% [markdown]
# **Exercise 1** · easy · 8 minutes. Write the formula as a function. PyTorch calls $\gamma$ `weight` and
# $\beta$ `bias`. Compute a mean and a variance yourself, without `F.layer_norm`, `torch.native_layer_norm`,
# `F.group_norm`, `F.instance_norm`, `F.batch_norm`, `F.rms_norm` and `F.local_response_norm`. An input in
# float64 gives an output in float64. Work out `[0, 4]` on paper first, with weight 1 and bias 0: which two
# numbers must come out?


# %% exercise="layer_norm"
def layer_norm(x, weight, bias, eps=1e-5):
    """Normalize each token over its features (the last axis), then weight and shift each feature.

    Shapes: x (..., d_model), weight (d_model,), bias (d_model,) -> output like x.
    """
    ### BEGIN SOLUTION
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, correction=0, keepdim=True)
    return weight * (x - mean) / torch.sqrt(variance + eps) + bias
    ### END SOLUTION


# %% check="layer_norm" points=8
check("layer_norm", layer_norm)

# %% [markdown] corrects="003(a)"
# ### Does the place of eps matter?
#
# Some well-known code computes $(x - \mu) / (\sigma + \varepsilon)$. As long as $\sigma$ is near 1, nobody
# notices the difference. The next cell has $\sigma = 0.001$ and $\varepsilon = 0.00001$. Guess first: do
# the two results differ by a percent, or by a factor of 2 or more?

# %% demo corrects="003(a)"
token = torch.tensor([0.001, -0.001, 0.001, -0.001])
under_root = layer_norm(token, torch.ones(4), torch.zeros(4))
beside_root = (token - token.mean()) / (token.std(correction=0) + 1e-5)
under_root, beside_root, beside_root / under_root

# %% [markdown] corrects="003(a)"
# They differ by a factor of 3.28. A model can be trained with either formula, but weights that were trained
# with one formula do not fit the other.
#
# ### What is learned
#
# **Exercise 2** · easy · 5 minutes. Write a module whose two vectors are parameters. A new layer should
# normalize and do nothing else. With which numbers must its weight and its bias begin? Call your
# `layer_norm`. The functions that exercise 1 forbids are forbidden here too (`F.layer_norm`,
# `torch.native_layer_norm`, `F.group_norm`, `F.instance_norm`, `F.batch_norm`, `F.rms_norm`,
# `F.local_response_norm`).


# %% exercise="LayerNorm"
class LayerNorm(nn.Module):
    """layer_norm with a learned weight and bias, both nn.Parameter of shape (d_model,)."""

    def __init__(self, d_model, eps=1e-5):
        ### BEGIN SOLUTION
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        ### END SOLUTION

    def forward(self, x):
        """Shapes: x (batch, seq, d_model) -> output like x."""
        ### BEGIN SOLUTION
        return layer_norm(x, self.weight, self.bias, self.eps)
        ### END SOLUTION


# %% check="LayerNorm" points=5
check("LayerNorm", LayerNorm)

# %% [markdown] corrects="000(e)"
# Is it true that the mean is 0 and the variance is 1 after layer norm? The next cell sets every weight to 3
# and every bias to 2, as training might do. Which mean and which variance do you expect?

# %% demo corrects="000(e)"
norm, x = LayerNorm(6), 5 + 4 * torch.randn(6)
for state in ("a new norm", "a trained norm"):
    output = norm(x)
    print(f"{state:14} mean {output.mean():z.2f}, variance {output.var(correction=0):.2f}")
    nn.init.constant_(norm.weight, 3.0)
    nn.init.constant_(norm.bias, 2.0)

# %% [markdown] corrects="003(m)"
# It is true only of a new layer. After this "training" the mean is 2 and the variance is 9.
#
# ### Does it prevent exploding gradients?
#
# Layer norm keeps *activations* in range. But the layer norms of $x$ and of $c\,x$ are the same (up to
# $\varepsilon$). If $x$ becomes ten times smaller, what must happen to the slope of layer norm at $x$?

# %% demo corrects="003(m)"
direction = F.normalize(torch.randn(6), dim=0)  # the gradient that comes in, of norm 1
for scale in (10.0, 1.0, 0.1, 0.01, 0.0001):
    x = (scale * torch.tensor([1.0, -2.0, 0.5, 3.0, -1.0, 0.0])).requires_grad_()
    (layer_norm(x, torch.ones(6), torch.zeros(6)) * direction).sum().backward()
    print(f"features of size {scale:8}: gradient of norm {x.grad.norm():8.3f}")

# %% [markdown] corrects="003(m) 002(o)"
# The slope becomes ten times steeper. Only $\varepsilon$ limits it: the gradient becomes at most
# $1/\sqrt{\varepsilon} = 316$ times as large as the gradient that comes in. Layer norm often makes training
# more stable, but it gives no guarantee.
#
# Why does normalizing help at all? The paper on batch norm (2015, see section 2) answers that it removes
# *internal covariate shift*: the inputs of a layer change while the layers below it are trained. Santurkar
# et al. (2018) added such a shift on purpose, and training stayed about as fast. They explain the success
# by a smoother loss. The question is still open.

# %% [markdown]
# ## 2. Why not batch norm?
#
# Batch norm computes mean and variance for each **feature**, over all tokens of the batch. The figure shows
# sentences of 4, 2 and 3 words. Each row is a word, and padding is hatched. The dark cells share one mean.

# %% demo
axes = plots.panels(2, width=3.4, height=3.6)
plots.norm_axes([4, 2, 3], 6, kind="layer", at=(0, 1, 2), ax=axes[0], title="LayerNorm")
plots.norm_axes([4, 2, 3], 6, kind="batch", at=(0, 1, 2), ax=axes[1], title="BatchNorm")
plots.show(axes)

# %% [markdown]
# In batch norm, the cells that share a mean form a column through every sentence and its padding. The next
# cells take one sentence of three words and put a longer and longer sentence beside it in the batch. Which
# of three norms will move the outputs of our three words? "Padding left out" is batch norm at its best,
# because it counts only real words.


# %% demo
def batch_norm(x, counted):
    mean, variance = x[counted].mean(dim=0), x[counted].var(dim=0, correction=0)
    return (x - mean) / torch.sqrt(variance + 1e-5)


def normalized(length):
    """Normalize our 3 words beside a sentence of `length` words, by 3 norms -> (norm, word, d_model)."""
    x, real = torch.zeros(2, max(3, length), 16), torch.zeros(2, max(3, length), dtype=torch.bool)
    x[0, :3], x[1, :length], real[0, :3], real[1, :length] = ours, others[:length], True, True
    results = batch_norm(x, torch.ones_like(real)), batch_norm(x, real), LayerNorm(16)(x)
    return torch.stack([result[0, :3] for result in results])


# %% demo
ours, others = torch.randn(3, 16), torch.randn(30, 16)
moved = torch.stack([(normalized(n) - normalized(0)).abs().amax(dim=(1, 2)) for n in range(31)])
names = ["BatchNorm", "BatchNorm, padding left out", "LayerNorm"]
curves = dict(zip(names, moved.T, strict=True))
plots.show(
    plots.lines(range(31), curves, "words in the sentence beside ours", "largest change of our output")
)

# %% [markdown]
# Layer norm does not move our outputs at all. Both batch norms move them by more than 1, while the outputs
# themselves have size 1. With batch norm, the same sentence gets other vectors in another batch.
#
# In `eval()`, batch norm uses averages that it kept from training. The output no longer depends on the
# batch, but the function is no longer the one that was trained. A decoder has one more problem: the mean
# over a column includes the words that follow, so each word can read its future.

# %% [markdown] corrects="003(f) 000(f) 002(p)"
# ## 3. Feed-forward: each word thinks alone
#
# $$\text{FFN}(x) = \max(0,\; x W_1 + b_1)\, W_2 + b_2 \qquad \text{(Vaswani et al. 2017, eq. 2)}$$
#
# The first map widens the vector (512 to 2048 in the paper). ReLU sets negative numbers to 0, and the
# second map returns to the old width. The weights are the same at every position. Positions are not mixed;
# only attention mixes them. The paper uses no other ReLU: none follows the projections of attention. "Fully
# connected" means that each output reads all inputs of its own word. One of the posts that this course
# follows takes it for a connection between encoder and decoder.

# %% [markdown]
# **Exercise 3** · easy · 5 minutes. Write the two maps as `nn.Linear`, with the ReLU between them. Input
# and output are (batch, seq, d_model). Which widths does each map need? `nn.TransformerEncoderLayer` contains
# such a layer: do without it.


# %% exercise="FeedForward"
class FeedForward(nn.Module):
    """Two linear maps with a ReLU between them. The maps are nn.Linear, named linear1 and linear2."""

    def __init__(self, d_model, d_ff):
        ### BEGIN SOLUTION
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)
        ### END SOLUTION

    def forward(self, x):
        """Shapes: x (batch, seq, d_model) -> output like x."""
        ### BEGIN SOLUTION
        return self.linear2(torch.relu(self.linear1(x)))
        ### END SOLUTION


# %% check="FeedForward" points=6
check("FeedForward", FeedForward)

# %% [markdown] corrects="004(j)"
# ### "Two convolutions of width 1"
#
# The paper describes the two maps in these words, and some code has `nn.Conv1d` here. Does such a
# convolution see the neighbors of a word? The next cell copies the weights of your layer into two
# convolutions and compares the outputs. (`Conv1d` expects channels before positions; `.mT` swaps them.)

# %% demo corrects="004(j)"
feed_forward, x = FeedForward(8, 32), torch.randn(2, 5, 8)
conv1, conv2 = nn.Conv1d(8, 32, kernel_size=1), nn.Conv1d(32, 8, kernel_size=1)
for conv, linear in ((conv1, feed_forward.linear1), (conv2, feed_forward.linear2)):
    conv.weight.data, conv.bias.data = linear.weight.data[:, :, None], linear.bias.data
convolved = conv2(torch.relu(conv1(x.mT))).mT
tuple(convolved.shape), f"largest difference {(convolved - feed_forward(x)).abs().max():.1e}"

# %% [markdown] corrects="000(f) 004(j)"
# The convolutions compute the same map, up to rounding. A window of width 1 contains no neighbors.
#
# ### ReLU or GELU?
#
# The paper uses ReLU. BERT and GPT use GELU, $x\,\Phi(x)$, where $\Phi$ is the cumulative distribution
# function of the normal distribution. Where do the two differ most: at 0, near 0, or far from 0?

# %% demo corrects="000(f)"
grid = torch.linspace(-4, 4, 161)
curves = {"ReLU (the paper)": torch.relu(grid), "GELU (BERT, GPT)": F.gelu(grid)}
print(f"largest difference {(F.gelu(grid) - torch.relu(grid)).abs().max():.2f}")
plots.show(plots.lines(grid, curves, "input", "output"))

# %% [markdown]
# They differ most near $\pm 0.75$, by 0.17. GELU has a slope other than 0 almost everywhere; ReLU has slope
# 0 everywhere below 0.
#
# *This is a good place to stop, after about 40 minutes. When you come back, run all cells above.*

# %% [markdown]
# ## 4. Residuals: a path past each sublayer
#
# A **sublayer** $f$ is one attention or one feed-forward layer. A **residual** adds its input to its
# output: $x + f(x)$. So $f$ learns only the *difference* between the input and the output that is wanted.

# %% [markdown]
# The next cells stack twenty feed-forward layers, once as $f(x)$ and once as $x + f(x)$. The gradient at
# the bottom (the input) also depends on the initial weights, so we try two kinds. PyTorch's own initial
# weights for `nn.Linear` make $f(x)$ smaller than $x$. The other kind keeps the size (He et al. 2015): the
# weights have variance 1/32 before the ReLU, and 2/128 after it, because the ReLU halves the mean square.
# Guess for each of the four cases: does the gradient vanish, keep its size, or grow on its way down?


# %% demo
def gradients(step, keeps_size, depth=20):
    """The norm of the gradient at each depth, divided by the top's; step(sublayer, x) is one layer."""
    states = [torch.randn(64, 32, requires_grad=True)]
    for _ in range(depth):
        sublayer = FeedForward(32, 128)
        if keeps_size:
            nn.init.normal_(sublayer.linear1.weight, std=(1 / 32) ** 0.5)
            nn.init.normal_(sublayer.linear2.weight, std=(2 / 128) ** 0.5)
        states.append(step(sublayer, states[-1]))
    norms = [g.norm() for g in torch.autograd.grad((states[-1] * torch.randn(64, 32)).sum(), states)]
    return [norm / norms[-1] for norm in norms]


# %% demo
layers = {"f(x)": lambda f, x: f(x), "x + f(x)": lambda f, x: x + f(x)}
axes = plots.panels(2, width=4)
for ax, keeps_size in zip(axes, (False, True), strict=True):
    found = {name: gradients(step, keeps_size) for name, step in layers.items()}
    plots.lines(range(21), found, "layers below", "norm of the gradient (top: 1)", ax=ax)
    ax.set(yscale="log", xticks=range(0, 21, 5))
    ax.set_title(kind := "weights that keep the size" if keeps_size else "PyTorch's initial weights")
    print(f"{kind}:", {name: f"bottom / top = {norms[0]:.1e}" for name, norms in found.items()})
plots.show(axes)

# %% [markdown] corrects="003(g)"
# The table gives the norm of the gradient at the bottom, divided by its norm at the top: the smallest and
# the largest of five seeds.
#
# | initial weights | $f(x)$ | $x + f(x)$ |
# |---|---|---|
# | PyTorch's | less than $10^{-12}$ | 1.7 to 1.8 |
# | keep the size | 0.3 to 1.9 | 700 to 1,300 |

# %% [markdown]
# Without residuals, the gradient vanishes only with PyTorch's initial weights. So the cause is these
# weights, not the missing residual. With weights that keep the size, the residual makes the gradient grow
# about a thousandfold. A residual does not rescue every stack. It makes the gradient depend less on small
# weights. But it makes each gradient a sum of two parts. If they have equal size, the sum is larger than
# each of them, and this happens in every layer.

# %% [markdown]
# He et al. (2016, the ResNet paper) give a second reason. If a layer should change nothing, $x + f(x)$ only
# has to learn $f = 0$. Without a residual, the layer has to learn to copy its input.

# %% [markdown]
# ### "So the gradient is at least 1"
#
# The Jacobian of $x + f(x)$ is $I + J_f$. It is true that the path past the sublayer has slope 1. But the
# gradient is the **sum** over both paths, and $J_f$ may point the other way. How small can the sum become?
# The singular values of the Jacobian are the factors by which it stretches gradients in different
# directions.

# %% demo corrects="003(g)"
feed_forward = FeedForward(32, 128)
nn.init.xavier_uniform_(feed_forward.linear1.weight)
nn.init.xavier_uniform_(feed_forward.linear2.weight)
maps = {"f(x) = 0": lambda x: 0 * x, "f(x) = -x": lambda x: -x, "feed-forward layer": feed_forward}
for name, f in maps.items():
    jacobian = torch.autograd.functional.jacobian(lambda x, f=f: x + f(x), torch.randn(32))
    stretch = torch.linalg.svdvals(jacobian)
    print(f"{name:18} stretches gradients by {stretch.min():.2f} to {stretch.max():.2f}")

# %% [markdown] corrects="003(g)"
# The sublayer $f(x) = -x$ cancels the gradient completely. A new feed-forward layer shrinks gradients in
# some directions to less than half and makes them nearly twice as long in others. Residuals give a good
# *typical* case, not a bound. And they do not stop $x + f(x)$ from growing. The norm does that.

# %% [markdown]
# ### The residual stream
#
# The residuals form one line from $x$ to $y$, the **residual stream**. A sublayer reads the line and
# **adds** to it; it never replaces what is there. The figure shows four new feed-forward layers. It gives
# the mean length of the vectors that each layer adds, and the mean length of $x$ after it. Guess: is the
# vector that a new layer adds longer or shorter than $x$?

# %% demo
from course_lib.plots import diagrams

x, added = torch.randn(64, 32), []
lengths = [x.norm(dim=-1).mean().item()]
for _ in range(4):
    f = FeedForward(32, 128)(x).detach()
    x = x + f
    added.append(f.norm(dim=-1).mean().item())
    lengths.append(x.norm(dim=-1).mean().item())
diagrams.residual_stream(["feed-forward"] * 4, added, lengths).picture()

# %% [markdown]
# It is shorter: a new layer adds less than a third of the length of $x$. On its way back along the line, a
# gradient meets only sums, and a sum passes it on unchanged. This is the $I$ of $I + J_f$. The gradient
# also goes through every sublayer, which is the $J_f$.

# %% [markdown]
# ### Dropout
#
# In training, the paper applies **dropout** (Srivastava et al. 2014) to $f(x)$ before it is added to $x$, and
# to the sum of word vectors and positions. Each number is set to 0 with probability $p$ (the paper has
# $p = 0.1$), and each number that is kept is divided by $1 - p$. In evaluation dropout changes nothing.
#
# Why divide? In evaluation every number is there. Take a number $x_i$ that is kept with probability $1 - p$
# and is $x_i / (1 - p)$ then. What is its mean over many draws?

# %% [markdown]
# **Exercise 4** · easy · 8 minutes. Write dropout without `F.dropout` and `nn.Dropout` (`torch.dropout`,
# `torch.native_dropout`, `torch.alpha_dropout` and `torch.feature_dropout` are forbidden too). Each number
# has a draw of its own, and each call draws anew. At $p = 0$ nothing is dropped, and at $p = 1$ everything.
# `torch.rand_like(x)` draws uniformly from 0 to 1. On which side of $p$ must a draw be, so that the number
# is kept?


# %% exercise="dropout"
def dropout(x, p, training):
    """Set each number of x to 0 with probability p and divide the others by 1 - p; x itself if not training.

    Shapes: x (batch, seq, d_model), or any other -> output like x. p is from 0 to 1, and x is not changed.
    """
    ### BEGIN SOLUTION
    if not training:
        return x
    if p == 1:
        return 0 * x
    kept = torch.rand_like(x) >= p
    return torch.where(kept, x / (1 - p), 0.0)
    ### END SOLUTION


# %% check="dropout" points=8
check("dropout", dropout)

# %% [markdown]
# The mean is $(1 - p) \cdot x_i / (1 - p) = x_i$, so a sum of many numbers is about as large in training as
# in evaluation. The next cell adds 1,000 numbers of size 1, with and without the division. By which
# factor will the sums differ at $p = 0.5$?

# %% demo
ones = torch.ones(200, 1000)
for p in (0.1, 0.5, 0.9):
    dropped = dropout(ones, p, True)
    sums, undivided = dropped.sum(dim=1), dropped.sign().sum(dim=1).mean()
    print(f"p = {p}: mean sum {sums.mean():6.1f}, spread {sums.std():5.1f}, not divided {undivided:6.1f}")
dropout(ones, 0.5, False).sum(dim=1).unique()

# %% [markdown]
# The undivided sums are half as large. The division keeps the mean and not the spread: the larger $p$ is,
# the more noise a sum has. This section shows how to compute dropout. Lesson 07 shows when it helps, and
# when it costs more than it helps.

# %% [markdown] corrects="001(a)"
# ## 5. Where does the norm go?
#
# $$\textbf{post-norm:}\quad \text{LN}(x + f(x)) \qquad\qquad \textbf{pre-norm:}\quad x + f(\text{LN}(x))$$
#
# The paper uses post-norm; most later models use pre-norm. The two are often confused. The sentence
# "normalize the input of each sublayer" describes pre-norm, even if the formula beside it is the one of
# post-norm.
#
# **Exercises 5 and 6** · easy · 4 minutes each. Write a wrapper for each arrangement. It takes any sublayer
# and keeps it as `self.sublayer`; it keeps a LayerNorm as `self.norm`. What does the sublayer get as its
# input, and what is normalized?


# %% [markdown]
# Before you write them, look at the picture. In both arrangements, follow the thick line from $x$ to $y$
# with a finger. Through how many norms does it go? In which arrangement does the gradient along this line
# come back unchanged?

# %% demo
diagrams.norm_orders().picture()

# %% [markdown]
# The thick line goes through two norms in post-norm and through none in pre-norm. Only in pre-norm does the
# gradient along this line come back unchanged.


# %% exercise="PostNorm"
class PostNorm(nn.Module):
    """The normalized sum of x and the sublayer's result; parts named norm (a LayerNorm) and sublayer."""

    def __init__(self, d_model, sublayer):
        ### BEGIN SOLUTION
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.sublayer = sublayer
        ### END SOLUTION

    def forward(self, x):
        """Shapes: x (batch, seq, d_model) -> output like x."""
        ### BEGIN SOLUTION
        return self.norm(x + self.sublayer(x))
        ### END SOLUTION


# %% check="PostNorm" points=6
check("PostNorm", PostNorm)


# %% exercise="PreNorm"
class PreNorm(nn.Module):
    """x plus the sublayer's result for the normalized x; parts named norm (a LayerNorm) and sublayer."""

    def __init__(self, d_model, sublayer):
        ### BEGIN SOLUTION
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.sublayer = sublayer
        ### END SOLUTION

    def forward(self, x):
        """Shapes: x (batch, seq, d_model) -> output like x."""
        ### BEGIN SOLUTION
        return x + self.sublayer(self.norm(x))
        ### END SOLUTION


# %% check="PreNorm" points=6
check("PreNorm", PreNorm)

# %% [markdown] corrects="001(a)"
# A sublayer that always gives 0 shows the difference. What does each wrapper give for `[0, 4]` then?

# %% demo corrects="001(a)"
silent, x = lambda x: 0 * x, torch.tensor([[[0.0, 4.0]]])
{wrapper.__name__: wrapper(2, silent)(x).detach() for wrapper in (PostNorm, PreNorm)}

# %% [markdown]
# In pre-norm, $x$ passes all layers unchanged, so there is a clean path from the loss back to the
# embedding. In post-norm, each layer normalizes the path itself.
#
# ### A stack of six layers
#
# The stack consists of your parts and the attention of lesson 03. The initial weights follow Xavier's rule,
# as in `nn.Transformer`: they are random, with variance 2 / (inputs + outputs).


# %% demo
class SelfAttention(nn.Module):
    """Attention as a sublayer: (batch, seq, d_model) -> the same shape."""

    def __init__(self, d_model):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, heads=4)

    def forward(self, x):
        return self.attention(x)[0]


# %% demo
def stack(wrapper, depth=6, d_model=32):
    """`depth` layers, each a self-attention and a feed-forward layer, both inside `wrapper`."""
    layers = []
    for _ in range(depth):
        layers += [SelfAttention(d_model), FeedForward(d_model, 2 * d_model)]
    model = nn.Sequential(*(wrapper(d_model, sublayer) for sublayer in layers))
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
    return model


# %% [markdown]
# The task is to sort ten numbers below 16. A model that only guesses has the loss $\ln 16 = 2.77$. The loss
# of an untrained model is a little higher.


# %% demo
class Sorter(nn.Module):
    def __init__(self, wrapper):
        super().__init__()
        self.words, self.places = nn.Embedding(16, 32), nn.Parameter(torch.randn(10, 32))
        self.layers = stack(wrapper)
        self.norm = LayerNorm(32) if wrapper is PreNorm else nn.Identity()  # after the last layer
        self.output = nn.Linear(32, 16)

    def forward(self, numbers):
        """Shapes: numbers (batch, 10) -> logits (batch, 10, 16)."""
        return self.output(self.norm(self.layers(self.words(numbers) + self.places)))


# %% demo
def sorting_loss(model):
    numbers = torch.randint(16, (32, 10))
    return F.cross_entropy(model(numbers).mT, numbers.sort(dim=1).values)


round(sorting_loss(Sorter(PreNorm)).item(), 2)


# %% demo
def train(wrapper, warmup, rate=0.02, seed=0):
    """The losses of 100 steps, and the model. The learning rate rises for `warmup` steps, then stays."""
    torch.manual_seed(seed)
    model, losses = Sorter(wrapper), []
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    for step in range(1, 101):
        optimizer.param_groups[0]["lr"] = rate * min(1, step / warmup)
        losses.append(sorting_loss(model))
        optimizer.zero_grad()
        losses[-1].backward()
        optimizer.step()
    return torch.stack(losses).detach(), model


# %% [markdown]
# ### Before the first step
#
# How large is the gradient of each sublayer's weights, and how large is $x$ after each sublayer? Guess from
# the two formulas: in which arrangement does $x$ grow?


# %% demo
def at_the_start(wrapper):
    """For each sublayer, the norm of the gradient of its weights, and the size of x after it."""
    torch.manual_seed(0)
    model, sizes = Sorter(wrapper), []
    for layer in model.layers:
        layer.register_forward_hook(lambda layer, inputs, x: sizes.append(x.detach().std()))
    sorting_loss(model).backward()
    weights = [[p.grad.flatten() for p in layer.sublayer.parameters()] for layer in model.layers]
    return [torch.cat(gradients).norm() for gradients in weights], sizes


# %% demo
axes, names = plots.panels(2, width=4), {"post-norm": PostNorm, "pre-norm": PreNorm}
found = {name: at_the_start(wrapper) for name, wrapper in names.items()}
for ax, which, ylabel in zip(axes, (0, 1), ("norm of its gradient", "size of x after it"), strict=True):
    curves = {name: results[which] for name, results in found.items()}
    plots.lines(range(1, 13), curves, "sublayer", ylabel, ax=ax)
    ax.set(xticks=range(2, 13, 2), ylim=(0, None))
plots.show(axes)

# %% [markdown] corrects="000(g)"
# The gradients of post-norm are 1.4 to 3 times as large as those of pre-norm. In pre-norm $x$ grows,
# because nothing scales it down. This is why pre-norm has one more norm **after the last layer**; post-norm
# does not need it. (At six layers, pre-norm also learns without this norm.)
#
# ### With and without warm-up
#
# The paper raises the learning rate slowly during the first steps. This is called **warm-up**. It is often
# said that post-norm is hard to train without warm-up, and that pre-norm needs none. The next cell trains
# four settings with three seeds each, in about 20 seconds. Which settings will fail?

# %% demo corrects="000(g)"
found = {}
for name, wrapper in names.items():
    for rise, warmup in (("no warm-up", 1), ("50 steps of warm-up", 50)):
        found[name, rise] = [train(wrapper, warmup, seed=seed) for seed in range(3)]
        print(f"{name}, {rise}: three models are trained")
axes = plots.panels(2, width=4, sharey=True)
for ax, name in zip(axes, names, strict=True):
    groups = {rise: [losses for losses, _ in runs] for (place, rise), runs in found.items() if place == name}
    plots.runs(groups, "loss, mean of 20 steps", ax=ax, title=name, smooth=20)
    ax.axhline(math.log(16), color="0.5", linewidth=1)
plots.show(axes)

# %% [markdown]
# Post-norm without warm-up stays at $\ln 16$ (the horizontal line), so it only guesses. Post-norm learns
# with warm-up, and pre-norm learns in both settings. The learning rate of 0.02 is about twenty times a
# usual one. We chose it so that 100 steps are enough to show the effect.
#
# What happened to the model that is stuck? The next cell measures how far apart the vectors of all words of
# all sentences are. This **spread** is 0 if all vectors are the same.


# %% demo
def spread(model):
    numbers = torch.arange(320).reshape(32, 10) * 7 % 16
    x = model.layers(model.words(numbers) + model.places)
    return (x.std(dim=(0, 1)).mean() / x.std()).item()


for (name, rise), trained in found.items():
    print(f"{name}, {rise}:", [f"{spread(model):.2f}" for _, model in trained])

# %% [markdown]
# A stuck model gives the same vector for every word. We saw this in 12 of 12 seeds. Does it take one step
# or many until all vectors are the same?

# %% demo
for name, wrapper in names.items():
    for rate in (0.02 / 50, 0.02):  # the first step with warm-up, and without
        torch.manual_seed(0)
        model = Sorter(wrapper)
        before, optimizer = spread(model), torch.optim.Adam(model.parameters(), rate)
        sorting_loss(model).backward()
        optimizer.step()
        print(f"{name}, first step at rate {rate:.4f}: spread {before:.2f} -> {spread(model):.2f}")

# %% [markdown] corrects="000(g)"
# One step is enough to bring the spread in post-norm from 0.63 to 0.06. Adam divides the gradient by its
# size, so in the first step every weight moves by the whole learning rate. The output of post-norm reacts
# more strongly to this step. *Why* it does is not settled. Xiong et al. (2020) blame large gradients near
# the output. Liu et al. (2020) blame the sublayers' outputs, on which post-norm depends more heavily.
#
# ### Is it a law?
#
# The next cell lowers the learning rate for post-norm and raises it for pre-norm. Does post-norm still need
# warm-up, and does pre-norm still need none?

# %% demo corrects="000(g)"
for name, rate, warmup in (("post-norm", 0.005, 1), ("pre-norm", 0.1, 1), ("pre-norm", 0.1, 50)):
    ends = [train(names[name], warmup, rate, seed)[0][-20:].mean() for seed in range(2)]
    rise = "no warm-up" if warmup == 1 else f"{warmup} steps of warm-up"
    print(f"{name}, rate {rate}, {rise}: loss", [f"{end:.2f}" for end in ends])

# %% [markdown] corrects="000(g)"
# No, it is not a law. At rate 0.005 post-norm learns without warm-up. (It even reaches a lower loss than it
# did above, but these runs are short.) At rate 0.1 pre-norm stays at a loss near 2 without warm-up and
# reaches 1.2 with it.
#
# These results come from one small task with two or three seeds. They show that pre-norm tolerates higher
# learning rates, and that warm-up lets both arrangements tolerate higher ones. Depth, initial weights and
# optimizer change the limit.

# %% [markdown]
# ## 6. In your own words
#
# A classmate plans a 12-layer translator: "I use batch norm instead of layer norm, because it is faster. I
# use post-norm as in the paper, without warm-up, because residuals keep every gradient at 1 or more."
# Explain three things: (a) what the translation of a sentence would depend on, besides its own words, and
# why; (b) what is wrong with "1 or more", for a residual in general and for post-norm; (c) what you expect
# of the training, and two changes, each of which may rescue it.

# %% [markdown] points=3 question="classmates_plan"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** the tokens over which batch norm takes the mean of a feature, whose words
# are among them, and what else is among them.
# **Model answer:** It would depend on the other sentences of the batch and on the padding, because the
# mean of a feature is taken over all tokens of the batch. In training it would also depend on the words
# that follow.
# **Marking:** Half a point for padding alone. "On the size of the batch" counts if the reason is given.
#
# (b) **A full answer names** the two paths whose sum multiplies a gradient at a residual, what two terms
# of a sum can do to each other, and what post-norm does to the path past the sublayer.
# **Model answer:** The gradient is multiplied by I + J_f, the sum of two paths. The two paths may cancel,
# as they do for f(x) = -x. In post-norm the path past the sublayer is not even the identity, because each
# norm rescales it.
# **Marking:** Half a point for one of the two.
#
# (c) **A full answer names** what you expect of such a deep post-norm model without warm-up, said with a
# "may", and two of the four changes of the lesson.
# **Model answer:** The training may well get stuck at guessing. Any two of these changes may rescue it:
# warm-up, pre-norm, a lower learning rate, smaller initial weights.
# **Marking:** Half a point for one. "It certainly fails" without any condition loses half a point.
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - Layer norm gives each token mean 0 and variance 1 over its features, then a learned weight and bias. It
#   reads no other token; batch norm reads all tokens of the batch.
# - A feed-forward layer is two linear maps with a ReLU between them. It treats each position alone.
# - A residual adds a path past each sublayer. Gradients then usually survive many layers.
# - Dropout sets random numbers to 0 in training and scales the others up. In evaluation it does nothing.
# - Pre-norm leaves this path unchanged and tolerates higher learning rates. Post-norm, the paper's choice,
#   needs a low learning rate at first.
#
# **Next:** lesson 06 puts attention and these parts together, to an encoder and a decoder.

# %%
progress()
