# %% [markdown]
# # Layer norm, feed-forward, residuals: what makes a stack trainable
#
# Attention lets words look at each other. A Transformer layer has three more parts: it **normalizes** each
# word, sends it through a small network, and **adds** the result to what was there. You build all three,
# stack six layers, and see which arrangement learns and which never starts.
#
# **You need** lesson 02, and what a Jacobian is. **Time:** 80 minutes in two sittings, five
# exercises.

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
# The vector of a word, a **token**, has $d$ features. **Layer norm** (Ba, Kiros and Hinton, 2016) brings
# them to mean 0 and variance 1, then lets training weight and shift each feature:
#
# $$\text{LN}(x) = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}} + \beta \qquad
# \mu = \frac{1}{d} \sum_i x_i \qquad \sigma^2 = \frac{1}{d} \sum_i (x_i - \mu)^2$$
#
# One $\mu$ and one $\sigma$ **for each token**, over its features: no other word, no other sentence. The
# variance is divided by $d$, not $d - 1$ (*biased*), and $\varepsilon$ stands **under the root**.

# %% [markdown]
# **Exercise 1** · easy · 8 minutes. PyTorch calls $\gamma$ `weight` and $\beta$ `bias`. Try `[0, 4]` on
# paper first: what must come out? Build it from a mean and a variance, without `F.layer_norm`,
# `torch.native_layer_norm`, `F.group_norm`, `F.instance_norm` and `F.batch_norm`. float64 in, float64 out.


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
# Some well-known code has $(x - \mu) / (\sigma + \varepsilon)$. Where $\sigma$ is near 1 nobody notices.
# Try $\sigma = 0.001$, and guess first: do the two differ by a hair, or by a factor?

# %% demo corrects="003(a)"
token = torch.tensor([0.001, -0.001, 0.001, -0.001])
under_root = layer_norm(token, torch.ones(4), torch.zeros(4))
beside_root = (token - token.mean()) / (token.std(correction=0) + 1e-5)
under_root, beside_root, beside_root / under_root

# %% [markdown] corrects="003(a)"
# By a factor of 3.28. A model can be trained with either, but its weights do not fit the other.
#
# ### What is learned
#
# **Exercise 2** · easy · 5 minutes. A module whose two vectors are parameters. A new layer should
# normalize and nothing more. Call your `layer_norm`: the functions that exercise 1 forbids are forbidden
# here too (`F.layer_norm`, `torch.native_layer_norm`, `F.group_norm`, `F.instance_norm`, `F.batch_norm`).


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
# "After layer norm the mean is 0 and the variance 1": is that so? Set the weight to 3 and the bias to 2,
# as training might.

# %% demo corrects="000(e)"
norm, x = LayerNorm(6), 5 + 4 * torch.randn(6)
for state in ("new", "trained"):
    output = norm(x)
    print(f"{state:8} mean {output.mean():z.2f}, variance {output.var(correction=0):.2f}")
    nn.init.constant_(norm.weight, 3.0)
    nn.init.constant_(norm.bias, 2.0)

# %% [markdown] corrects="003(m)"
# True only of a new layer: 2 and 9 after "training".
#
# ### Does it prevent exploding gradients?
#
# It keeps *activations* in range. But LN of $x$ and of $c\,x$ are the same (up to $\varepsilon$): where $x$
# is ten times smaller, must the slope not be ten times steeper?

# %% demo corrects="003(m)"
direction = F.normalize(torch.randn(6), dim=0)  # the gradient that comes in, of norm 1
for scale in (10.0, 1.0, 0.1, 0.01, 0.0001):
    x = (scale * torch.tensor([1.0, -2.0, 0.5, 3.0, -1.0, 0.0])).requires_grad_()
    (layer_norm(x, torch.ones(6), torch.zeros(6)) * direction).sum().backward()
    print(f"features of size {scale:8}: gradient of norm {x.grad.norm():8.3f}")

# %% [markdown] corrects="003(m) 002(o)"
# It is: up to $1/\sqrt{\varepsilon} = 316$ times the gradient that comes in. Normalizing often steadies
# training; it guarantees nothing.
#
# Why does it help at all? "It removes internal covariate shift" is the answer of the batch norm paper
# (2015). Santurkar et al. (2018) put that shift back in on purpose and training stayed about as fast; they
# credit a smoother loss. The question is open.

# %% [markdown]
# ## 2. Why not batch norm?
#
# Batch norm takes mean and variance of each **feature**, over all tokens of the batch. Below are sentences
# of 4, 2 and 3 words, a row each word, padding hatched. The dark cells share one mean.

# %% demo
axes = plots.panels(2, width=3.4, height=3.6)
plots.norm_axes([4, 2, 3], 6, "layer", at=(0, 1, 2), ax=axes[0], title="LayerNorm")
plots.norm_axes([4, 2, 3], 6, "batch", at=(0, 1, 2), ax=axes[1], title="BatchNorm")
plots.show(axes)

# %% [markdown]
# A column runs through every sentence, and through padding. Take three words and put a longer and
# longer sentence beside them: how far do their outputs move? "Padding left out" is batch norm at its
# best: only real words are counted.


# %% demo
def batch_norm(x, counted):
    mean, variance = x[counted].mean(dim=0), x[counted].var(dim=0, correction=0)
    return (x - mean) / torch.sqrt(variance + 1e-5)


def normalized(length):
    """Our 3 words beside a sentence of `length` words, by three norms: (3, 3, d_model)."""
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
# Layer norm: 0. Both batch norms: more than 1, where outputs have size 1. The same sentence means something
# else in other company. (In `eval()` batch norm uses averages remembered from training: independent of the
# batch, but no longer the function that was trained.) And in a decoder a column shows each word the words
# that follow.

# %% [markdown] corrects="003(f) 000(f) 002(p)"
# ## 3. Feed-forward: each word thinks alone
#
# $$\text{FFN}(x) = \max(0,\; x W_1 + b_1)\, W_2 + b_2 \qquad \text{(Vaswani et al. 2017, eq. 2)}$$
#
# The first map widens (512 to 2048 in the paper), ReLU bends, the second returns. The weights are the same
# at every position, and positions are not mixed: attention does that. This is the paper's only ReLU; none
# follows the projections of attention. ("Fully connected" means that each output reads all inputs of its own
# word. One post takes it for a connection of encoder and decoder.)
#
# **Exercise 3** · easy · 5 minutes.


# %% exercise="FeedForward"
class FeedForward(nn.Module):
    """Two linear maps with a ReLU between them; they are nn.Linear named linear1 and linear2."""

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
# So the paper puts it, and some code has `nn.Conv1d` here. Does that see neighbors? Copy your weights into
# such convolutions and compare. (`Conv1d` wants channels second, hence `.mT`.)

# %% demo corrects="004(j)"
feed_forward, x = FeedForward(8, 32), torch.randn(2, 5, 8)
conv1, conv2 = nn.Conv1d(8, 32, kernel_size=1), nn.Conv1d(32, 8, kernel_size=1)
for conv, linear in ((conv1, feed_forward.linear1), (conv2, feed_forward.linear2)):
    conv.weight.data, conv.bias.data = linear.weight.data[:, :, None], linear.bias.data
convolved = conv2(torch.relu(conv1(x.mT))).mT
tuple(convolved.shape), f"largest difference {(convolved - feed_forward(x)).abs().max():.1e}"

# %% [markdown] corrects="000(f) 004(j)"
# The same map, to rounding: a window of width 1 has no neighbors.
#
# ### ReLU or GELU?
#
# The paper has ReLU. BERT and GPT took GELU, $x\,\Phi(x)$ with the normal distribution's $\Phi$. Where do
# the two differ most?

# %% demo corrects="000(f)"
grid = torch.linspace(-4, 4, 161)
curves = {"ReLU (the paper)": torch.relu(grid), "GELU (BERT, GPT)": F.gelu(grid)}
print(f"largest difference {(F.gelu(grid) - torch.relu(grid)).abs().max():.2f}")
plots.show(plots.lines(grid, curves, "input", "output"))

# %% [markdown]
# By 0.17, near $\pm 0.75$. GELU has a slope almost everywhere; ReLU has none below 0.
#
# *A good place to stop: about 40 minutes so far. When you come back, run all cells above.*

# %% [markdown]
# ## 4. Residuals: a path past each sublayer
#
# A sublayer with a residual learns only the *difference* between what goes in and what should come out. To
# change nothing it has to give 0 (He et al. 2016).
#
# Twenty feed-forward layers, once as $f(x)$ and once as $x + f(x)$. How much of the gradient arrives at
# the bottom? It also depends on how the weights begin. Try two ways: PyTorch's own for `nn.Linear`, which
# makes $f(x)$ smaller than $x$; and one that keeps the size (He et al. 2015: variance 1/32 before the ReLU,
# 2/128 behind it, since the ReLU halves). Guess four powers of 10.


# %% demo
def gradients(step, keeps_size, depth=20):
    """Norm of the gradient at each depth, as a multiple of the top's; step(sublayer, x) is one layer."""
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
    ax.set(
        yscale="log", xticks=range(0, 21, 5), title=("PyTorch's start", "start that keeps size")[keeps_size]
    )
    print({name: f"{norms[0]:.1e} of it at the bottom" for name, norms in found.items()})
plots.show(axes)

# %% [markdown] corrects="003(g)"
# With PyTorch's start less than a millionth of a millionth of it arrives without residuals, and with them a
# little more than left the top. But the cause is the start, not the missing residual: where each layer
# keeps the size, 0.6 to 1.7 of the gradient arrives without residuals, and with them it *grows* to 780 to
# 1,300 times (five seeds). So a residual does not rescue every stack. It makes the gradient depend less on
# small weights, and it adds: from one layer to the next a sum of two parts of equal size grows.

# %% [markdown]
# There is a second reason (He et al. 2016, ResNet). If a layer has nothing to add, $x + f(x)$ only has to
# learn $f = 0$; without a residual it has to learn to copy.

# %% [markdown]
# ### "So the gradient is at least 1"
#
# The Jacobian of $x + f(x)$ is $I + J_f$. The path past the sublayer has slope 1, true; but the gradient is
# the **sum** over both paths, and $J_f$ may point the other way. How much can be lost? Singular values say
# by which factors gradients are stretched.

# %% demo corrects="003(g)"
feed_forward = FeedForward(32, 128)
nn.init.xavier_uniform_(feed_forward.linear1.weight)
nn.init.xavier_uniform_(feed_forward.linear2.weight)
maps = {"f(x) = 0": lambda x: 0 * x, "f(x) = -x": lambda x: -x, "feed-forward": feed_forward}
for name, f in maps.items():
    jacobian = torch.autograd.functional.jacobian(lambda x, f=f: x + f(x), torch.randn(32))
    stretch = torch.linalg.svdvals(jacobian)
    print(f"{name:12} stretches gradients by {stretch.min():.2f} ... {stretch.max():.2f}")

# %% [markdown] corrects="003(g)"
# $f(x) = -x$ cancels everything; a new feed-forward layer more than halves some directions and nearly
# doubles others. Residuals give a good *typical* case, not a bound. And nothing stops $x + f(x)$ from
# growing: there the norm comes in.

# %% [markdown]
# ### The residual stream
#
# Residuals make one line from $x$ to $y$. A sublayer reads the line and **adds** to it; it never replaces
# what is there. Below are four new feed-forward layers, with the mean length of the vectors that they add,
# and the mean length of $x$. Guess: is what a new layer adds longer or shorter than $x$?

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
# A gradient comes back along the line and meets sums only: a sum hands it on as it is. It also goes through
# every branch, and that part is the other term of $I + J_f$.

# %% [markdown] corrects="001(a)"
# ## 5. Where does the norm go?
#
# $$\textbf{post-norm:}\quad \text{LN}(x + f(x)) \qquad\qquad \textbf{pre-norm:}\quad x + f(\text{LN}(x))$$
#
# The paper has post-norm; most later models have pre-norm. They are often mixed up: "normalize the input of
# each sublayer" is pre-norm, whatever formula stands beside it.
#
# **Exercises 4 and 5** · easy · 4 minutes each. Both wrap any sublayer. Keep it as `self.sublayer`, and a
# LayerNorm as `self.norm`.


# %% [markdown]
# First follow the thick line from $x$ to $y$ with a finger, in both arrangements. Through how many norms does
# it go? In which of them does the gradient along this line come back unchanged?

# %% demo
diagrams.norm_orders().picture()


# %% exercise="PostNorm"
class PostNorm(nn.Module):
    """The sum of x and the sublayer's result, normalized; parts named norm (a LayerNorm) and sublayer."""

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
    """x plus what the sublayer makes of the normalized x; parts named norm (a LayerNorm) and sublayer."""

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
# A sublayer that answers 0 tells them apart. What does each wrapper give for `[0, 4]`?

# %% demo corrects="001(a)"
silent, x = lambda x: 0 * x, torch.tensor([[[0.0, 4.0]]])
{wrapper.__name__: wrapper(2, silent)(x).detach() for wrapper in (PostNorm, PreNorm)}

# %% [markdown]
# In pre-norm $x$ passes untouched, through all layers: a clean path from loss to embedding. In post-norm
# each layer normalizes the path itself.
#
# ### A stack of six layers
#
# Your parts around lesson 03's attention. Weights are drawn by Xavier's rule, as in `nn.Transformer`.


# %% demo
class SelfAttention(nn.Module):
    """Attention as a sublayer: (batch, seq, d_model) to the same."""

    def __init__(self, d_model):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, heads=4)

    def forward(self, x):
        return self.attention(x)[0]


# %% demo
def stack(wrapper, depth=6, d_model=32):
    """`depth` layers, each a self-attention and a feed-forward, both wrapped."""
    layers = []
    for _ in range(depth):
        layers += [SelfAttention(d_model), FeedForward(d_model, 2 * d_model)]
    model = nn.Sequential(*(wrapper(d_model, sublayer) for sublayer in layers))
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
    return model


# %% [markdown]
# The task: sort ten numbers below 16. Guessing costs $\ln 16 = 2.77$, an untrained model a little more.


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
# How large is the gradient of each sublayer's weights, and how large is $x$ behind it?


# %% demo
def at_the_start(wrapper):
    """For each sublayer the norm of its weights' gradient, and the size of x behind it."""
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
for ax, which, ylabel in zip(axes, (0, 1), ("norm of its gradient", "size of x behind it"), strict=True):
    curves = {name: results[which] for name, results in found.items()}
    plots.lines(range(1, 13), curves, "sublayer", ylabel, ax=ax)
    ax.set(xticks=range(2, 13, 2), ylim=(0, None))
plots.show(axes)

# %% [markdown] corrects="000(g)"
# Post-norm's gradients are about twice as large. Pre-norm's $x$ grows, since nothing scales it down: hence
# one more norm **after the last layer**, which post-norm does not need. (At six layers pre-norm also learns
# without it.)
#
# ### With and without warm-up
#
# The paper raises the learning rate slowly at first: **warm-up**. "Post-norm is hard to train without,
# pre-norm needs none", one reads. Four settings, three seeds each, about 20 seconds. Which fail?

# %% demo corrects="000(g)"
found = {}
for name, wrapper in names.items():
    for rise, warmup in (("no warm-up", 1), ("50 steps of warm-up", 50)):
        found[name, rise] = [train(wrapper, warmup, seed=seed) for seed in range(3)]
axes = plots.panels(2, width=4, sharey=True)
for ax, name in zip(axes, names, strict=True):
    groups = {rise: [losses for losses, _ in runs] for (place, rise), runs in found.items() if place == name}
    plots.runs(groups, "loss, mean of 20 steps", ax=ax, title=name, smooth=20)
    ax.axhline(math.log(16), color="0.5", linewidth=1)
plots.show(axes)

# %% [markdown]
# Post-norm without warm-up stays at $\ln 16$ (the level line): it guesses. With warm-up it learns, and
# pre-norm learns either way. (The rate is high on purpose: 0.02, some twenty times a usual one, so that 100
# steps show it.) What became of the model that is stuck? Measure how far apart the vectors
# of all words of all sentences lie: 0 if they are the same.


# %% demo
def spread(model):
    numbers = torch.arange(320).reshape(32, 10) * 7 % 16
    x = model.layers(model.words(numbers) + model.places)
    return (x.std(dim=(0, 1)).mean() / x.std()).item()


for (name, rise), trained in found.items():
    print(f"{name}, {rise}:", [f"{spread(model):.2f}" for _, model in trained])

# %% [markdown]
# A stuck model gives every word one and the same vector (so with 11 of 12 seeds). When did that happen?

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
# In the first step. Adam divides by the gradient's size, so at first every weight moves by the whole rate,
# and post-norm's output feels that much more. *Why* is not settled: Xiong et al. (2020) blame large
# gradients near the output, Liu et al. (2020) the branches, on which post-norm leans harder.
#
# ### Is it a law?
#
# Turn the rate down for post-norm, up for pre-norm.

# %% demo corrects="000(g)"
for name, rate, warmup in (("post-norm", 0.005, 1), ("pre-norm", 0.1, 1), ("pre-norm", 0.1, 50)):
    ends = [train(names[name], warmup, rate, seed)[0][-20:].mean() for seed in range(2)]
    rise = "no warm-up" if warmup == 1 else f"{warmup} steps of warm-up"
    print(f"{name}, rate {rate}, {rise}: loss", [f"{end:.2f}" for end in ends])

# %% [markdown] corrects="000(g)"
# No. At rate 0.005 post-norm needs no warm-up (and ends lower than above: these runs are short). At
# rate 0.1 pre-norm without warm-up stays near 2, and with it gets to 1.2. So much was seen here, in two
# or three seeds of one small task: pre-norm bears higher rates, and warm-up lets both bear more. Depth,
# initial weights and optimizer move the border.

# %% [markdown]
# ## 6. In your own words
#
# A classmate plans a 12-layer translator: "Batch norm instead of layer norm, it is faster. Post-norm as in
# the paper, no warm-up: residuals keep every gradient at 1 or more." Explain (a) on what, besides its own
# words, a sentence's translation would depend, (b) what is wrong with "1 or more", and (c) what you expect
# of the training, and two changes of which each may rescue it.

# %% [markdown] points=3 question="classmates_plan"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** over which tokens batch norm takes a feature's mean: whose words are among
# them, and is that all?
# **Model answer:** On the other sentences of its batch and on its padding, since a feature's mean runs
# over all tokens; in training also on the words that follow.
# **Marking:** Half a point for padding alone. "On the batch's size" counts if the reason is given.
#
# (b) **A full answer names** the two paths whose sum multiplies a gradient at a residual, what two terms
# of a sum can do to each other, and what post-norm does to the path past the sublayer.
# **Model answer:** The gradient is multiplied by I + J_f, the sum of two paths, and the paths may cancel,
# as for f(x) = -x. In post-norm the path past the sublayer is not even the identity: each norm rescales
# it.
# **Marking:** Half a point for one of the two.
#
# (c) **A full answer names** what you expect of such a deep post-norm model without warm-up, said with a
# "may", and two of the four changes of the lesson.
# **Model answer:** It may well get stuck at guessing. Any two of: warm-up, pre-norm, a lower learning
# rate, smaller initial weights.
# **Marking:** Half a point for one. "It certainly fails" without any condition loses half a point.
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - Layer norm: mean 0, variance 1 for each token over its features, then a learned weight and bias. It
#   looks at no other token; batch norm looks at all.
# - Feed-forward: two linear maps and a ReLU at each position alone, or two convolutions of width 1.
# - Residuals add a path past each sublayer: gradients usually survive depth, without a guarantee.
# - Pre-norm leaves that path alone and bears higher rates; post-norm, the paper's, wants a low rate at first.
#
# **Next:** attention, feed-forward, residuals and norms are all parts of an encoder and a decoder. Lesson
# 06 puts them together.

# %%
progress()
