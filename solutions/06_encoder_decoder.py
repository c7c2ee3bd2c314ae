# %% [markdown]
# # Encoder and decoder: the whole Transformer
#
# You have every part. Here you put them together, show that the result equals PyTorch's own Transformer,
# train it for a few seconds, and look at every attention map inside. Then you count its parameters, and
# the paper's.
#
# **You need** lessons 02 to 05. **Time:** 100 minutes in two sittings, six exercises.

# %%
import math
from functools import cache

import torch
from torch import nn

from course_lib import plots, widgets
from course_lib.corpus import load_corpus
from course_lib.exercises.encoder_decoder import check, hint, model_answer, progress
from course_lib.text import Vocabulary
from course_lib.training.batches import Bitext
from course_lib.training.trainer import Recipe, train
from course_lib.yours import yours

f"PyTorch {torch.__version__} is ready"

# %% [markdown]
# What you wrote in lessons 01 to 05 was kept when it passed its check. Here it comes back. Where a part is
# missing the course's stands in, and the cell says which.

# %% demo
torch.manual_seed(0)
padding_mask, causal_mask = yours("padding_mask", "causal_mask")
MultiHeadAttention, LayerNorm, FeedForward = yours("MultiHeadAttention", "LayerNorm", "FeedForward")
TokenEmbedding, PositionalEncoding = yours("TokenEmbedding", "PositionalEncoding")

# %% [markdown] corrects="002(k)"
# ## 1. The plan
#
# The **encoder** turns $n$ source words into $n$ vectors, the **memory**. The **decoder** reads the $m$
# target words known so far, and the memory, and gives a row of logits for each of the $m$: what comes
# next? (Not $n$ rows: a translation may be longer or shorter than its source.)

# %% [markdown]
# In the picture, read a stack from top to bottom. The vectors of the words go along the thick line. A
# sublayer stands beside the line, reads it and adds to it (lesson 05). Three questions before you look:
#
# - Which arrows lead from the source to the target? How many would there be with six decoder layers?
# - Which of the three attentions takes keys and values from another place than its queries?
# - What do the three masks hide?

# %% demo
from course_lib.plots import diagrams

source_words, read_words = "i am a student <eos> <pad> <pad>".split(), "<bos> 我 是 学生".split()
diagrams.transformer(source_words, read_words, vocab=293, d_model=64, heads=4, d_ff=128, layers=2).picture()

# %% [markdown]
# The paper's own figure 1 draws one layer of each stack, with "N×" beside it, and one arrow from the encoder.
# Unrolled, there is an arrow for **every** decoder layer: six with six layers. All come from the same memory,
# which only the last encoder layer gives, and all lead into cross-attention. There is no other way from
# source to target, and no other attention whose keys and values come from another place than its queries.

# %% [markdown] corrects="001(b) 002(q)"
# ## 2. The encoder layer
#
# Two sublayers, each added to its input and normalized. This is the paper's order, post-norm (lesson
# 05):
#
# $$h = \text{LayerNorm}_1\big(x + \text{Attention}(x, x, x)\big) \qquad
# y = \text{LayerNorm}_2\big(h + \text{FeedForward}(h)\big)$$
#
# The mask hides padding and nothing else: the source is known as a whole, no word of it is "the future".
# (So attention does not compare a word with earlier ones alone, as one post says: a causal mask does that.)
# (The paper also sets a tenth of the numbers after each sublayer to 0 by chance while it trains. Such
# **dropout** is against overfitting, learning the training sentences by heart. Our corpus is drawn from a
# grammar and our training is short: it costs more than it brings, so we leave it out.)

# %% [markdown]
# **Exercise 1** · medium · 10 minutes. Which $x$ does the second sum add?


# %% exercise="EncoderLayer"
class EncoderLayer(nn.Module):
    """Self-attention, then a feed-forward layer, post-norm (Vaswani et al. 2017, section 3.1).

    Shapes: x (batch, seq, d_model), mask as MultiHeadAttention takes it -> (batch, seq, d_model).
    Parts: self_attention, feed_forward, norm1 and norm2.
    """

    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        ### BEGIN SOLUTION
        self.self_attention = MultiHeadAttention(d_model, heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)
        ### END SOLUTION

    def forward(self, x, mask=None):
        ### BEGIN SOLUTION
        attended, _ = self.self_attention(x, x, x, mask)
        x = self.norm1(x + attended)
        return self.norm2(x + self.feed_forward(x))
        ### END SOLUTION


# %% check="EncoderLayer" points=6
check("EncoderLayer", EncoderLayer)

# %% [markdown] corrects="001(b)"
# Which words does an output depend on? Gradients tell, as in lesson 02. Five words, the last two of them
# padding: where will the right-hand map have dots?


# %% demo corrects="001(b)"
def who_reads_whom(run, size):
    """1 where output word t (row) depends on input word s (column)."""
    slopes = torch.autograd.functional.jacobian(run, torch.randn(1, size, 12))
    return (slopes.abs().sum(dim=(0, 2, 3, 5)) > 1e-6).float()  # (output word, input word)


layer, words = EncoderLayer(12, 3, 24), ["i", "am", "here", "<pad>", "<pad>"]
padding = padding_mask(torch.tensor([[4, 5, 6, 0, 0]]))
axes = plots.panels(2)
plots.dependence_map(who_reads_whom(layer, 5), words, words, axes[0], "no mask")
plots.dependence_map(who_reads_whom(lambda x: layer(x, padding), 5), words, words, axes[1], "padding mask")
plots.show(axes)

# %% [markdown]
# Every word reads every real word, before and after it. A padded word still reads itself: through the
# residual, which no mask touches.
#
# ## 3. What a decoder may see
#
# The decoder hides padding, which differs from sentence to sentence, and the future, which differs from
# row to row. So its mask has all three axes.
#
# **Exercise 2** · easy · 4 minutes.


# %% exercise="decoder_mask"
def decoder_mask(ids, pad=0):
    """Hide padding and the future: boolean, True where a query may look.

    Shapes: ids (batch, target), padded on the right -> mask (batch, target, target).
    """
    ### BEGIN SOLUTION
    return padding_mask(ids, pad) & causal_mask(ids.shape[1])
    ### END SOLUTION


# %% check="decoder_mask" points=5
check("decoder_mask", decoder_mask)

# %% demo
axes = plots.panels(2)
for ax, ids, names in zip(axes, ([[4, 5, 6]], [[4, 5, 0]]), ("我 是 学生", "我 是 <pad>"), strict=True):
    words = names.split()
    plots.dependence_map(decoder_mask(torch.tensor(ids))[0], words, words, ax, names)
    ax.set(xlabel="key (attended to)", ylabel="query (attending)")
plots.show(
    axes, alt="Decoder masks of two sentences: lower triangles; the column of <pad> is hidden in every row."
)

# %% [markdown]
# Look at the rows of 我 and 是: the causal mask alone would give the same. Padding on the right always
# stands after the real words, so the future hides it too. Only the rows of padding differ, and nobody
# reads those. Most code combines both; now you know which half does the work.

# %% [markdown] corrects="003(b) 003(c)"
# ## 4. The decoder layer
#
# Three sublayers, each with its residual and its norm:
#
# - **masked self-attention** over the target words so far;
# - **cross-attention**: the decoder asks, the encoder answers. Queries come from $x$, keys **and**
#   values from the memory, and the mask is the **source's** padding mask, since the keys are source
#   words;
# - the feed-forward layer.
#
# So these are not "two self-attentions over what was generated", and not "masked while training, cross
# while predicting": both run, always.
#
# **Exercise 3** · medium · 12 minutes. Target and source differ in length: which attention's weights are
# not square?


# %% exercise="DecoderLayer"
class DecoderLayer(nn.Module):
    """Self-attention, attention to the encoder's output, a feed-forward layer, post-norm (section 3.1).

    Shapes: x (batch, target, d_model), memory (batch, source, d_model) -> (batch, target, d_model).
    mask is the target's, memory_mask the source's, each as MultiHeadAttention takes it.
    Parts: self_attention, cross_attention, feed_forward, norm1, norm2 and norm3.
    """

    def __init__(self, d_model, heads, d_ff):
        super().__init__()
        ### BEGIN SOLUTION
        self.self_attention = MultiHeadAttention(d_model, heads)
        self.cross_attention = MultiHeadAttention(d_model, heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm1, self.norm2, self.norm3 = LayerNorm(d_model), LayerNorm(d_model), LayerNorm(d_model)
        ### END SOLUTION

    def forward(self, x, memory, mask=None, memory_mask=None):
        ### BEGIN SOLUTION
        attended, _ = self.self_attention(x, x, x, mask)
        x = self.norm1(x + attended)
        attended, _ = self.cross_attention(x, memory, memory, memory_mask)
        x = self.norm2(x + attended)
        return self.norm3(x + self.feed_forward(x))
        ### END SOLUTION


# %% check="DecoderLayer" points=8
check("DecoderLayer", DecoderLayer)

# %% [markdown] corrects="003(c)"
# Both attentions, in both modes: change the target words 3 and 4, or the source, and see whether words 0
# to 2 move. Guess the four numbers: which are 0?

# %% demo corrects="003(b) 003(c)"
layer, past = DecoderLayer(12, 3, 24), causal_mask(5)
x, memory = torch.randn(1, 5, 12), torch.randn(1, 7, 12)
later = x.clone()
later[:, 3:] = torch.randn(1, 2, 12)
another = torch.randn(1, 7, 12)
for mode in ("train", "eval"):
    getattr(layer, mode)()
    early = layer(x, memory, past)[:, :3]
    by_later = (layer(later, memory, past)[:, :3] - early).abs().max()
    by_source = (layer(x, another, past)[:, :3] - early).abs().max()
    print(f"{mode:5}  moved by later words: {by_later:.3f}  by another source: {by_source:.3f}")

# %% [markdown]
# Both rows are the same: both attentions run in both modes. Later words move nothing, another source moves
# everything.
#
# ## 5. Stack and tie
#
# A stack is the same kind of layer several times, each with weights of its own. The memory is what the
# **last** encoder layer gives; every decoder layer reads it.
#
# Last comes a linear layer: the logit of a word is the dot product of $x$ with a vector of that word.
# But a table with a vector for each target word is there already, the embedding. The paper uses one
# table for both (section 3.4): the weights are **tied**. Not equal numbers: the same `Parameter`.
#
# **Exercise 4** · hard · 15 minutes. Stacks are `nn.ModuleList`; in a Python list PyTorch does not find
# the layers.


# %% exercise="Transformer"
class Transformer(nn.Module):
    """source ids (batch, source), target ids (batch, target) -> logits (batch, target, target_vocab).

    Id 0 is padding, on the right. Parts: source_embedding, target_embedding; positions (max_length 128);
    encoder, decoder: ModuleLists of `layers` layers; output: no bias, tied to target_embedding.table.weight.
    """

    def __init__(self, source_vocab, target_vocab, d_model, heads, d_ff, layers):
        super().__init__()
        ### BEGIN SOLUTION
        self.source_embedding = TokenEmbedding(source_vocab, d_model)
        self.target_embedding = TokenEmbedding(target_vocab, d_model)
        self.positions = PositionalEncoding(d_model, 128)
        self.encoder = nn.ModuleList(EncoderLayer(d_model, heads, d_ff) for _ in range(layers))
        self.decoder = nn.ModuleList(DecoderLayer(d_model, heads, d_ff) for _ in range(layers))
        self.output = nn.Linear(d_model, target_vocab, bias=False)
        self.output.weight = self.target_embedding.table.weight
        ### END SOLUTION

    def forward(self, source, target):
        ### BEGIN SOLUTION
        memory, x = map(self.positions, (self.source_embedding(source), self.target_embedding(target)))
        for layer in self.encoder:
            memory = layer(memory, padding_mask(source))
        for layer in self.decoder:
            x = layer(x, memory, decoder_mask(target), padding_mask(source))
        return self.output(x)
        ### END SOLUTION


# %% check="Transformer" points=9
check("Transformer", Transformer)

# %% [markdown]
# Is it the plan? Below is **your** model with three layers a stack, drawn from one pass. Hooks (section 7)
# see what each part is given and what it returns. A mask is drawn from the weights that are not 0, an arrow
# where a cross-attention was given the memory. Guess what changes in the picture if your `forward` leaves
# out `padding_mask(source)`. Then try it.

# %% demo
names = "<pad> <bos> <eos> <unk> i am a student".split(), "<pad> <bos> <eos> <unk> 我 是 学生".split()
three = Transformer(len(names[0]), len(names[1]), d_model=64, heads=4, d_ff=128, layers=3)
ids = torch.tensor([[4, 5, 6, 7, 2, 0]]), torch.tensor([[1, 4, 5, 6]])
diagrams.transformer_of(three, *ids, names, title="Your Transformer").picture()

# %% [markdown] corrects="004(q)"
# The logits have the shape (batch, target length, target vocabulary). No axis of them comes from the source,
# as a comment in one post has it.
#
# A model that knows nothing should find all words about equally likely: a loss near $\ln(\text{vocab})$, or
# about one above it, since these logits begin with a spread of 1: each is a vector of length $\sqrt{64}$
# times a row of length about 1.

# %% demo corrects="002(k) 004(q)"
sizes = {"source_vocab": 400, "target_vocab": 293, "d_model": 64, "heads": 4, "d_ff": 128, "layers": 2}
source, target = torch.randint(4, 400, (8, 9)), torch.randint(4, 293, (8, 7))
ids = target[:, :-1]
logits = Transformer(**sizes)(source, ids)  # (batch, target, vocab)
loss = nn.functional.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
f"logits {tuple(logits.shape)}, loss {loss.item():.2f}, ln(293) = {math.log(293):.2f}"

# %% [markdown]
# ### Tied, and nearly tied
#
# `b.data = a.data` shares the numbers; `b = a` shares the Parameter. Both give the same logits. Which
# rows of the table will get a gradient from its work as an embedding, and which from its work as the
# output?


# %% demo
def rows_with_gradient(model, target):
    """Of the target embedding, after one backward pass."""
    model.zero_grad()
    model(source, target).logsumexp(dim=-1).sum().backward()
    return model.target_embedding.table.weight.grad.any(dim=1).sum().item()


model = Transformer(**sizes)
print("words in the batch:", ids.unique().numel(), " tied:", rows_with_gradient(model, ids))
model.output.weight = nn.Parameter(model.target_embedding.table.weight.data)
print("only the numbers shared:", rows_with_gradient(model, ids))

# %% [markdown]
# As an output every row counts: each word is a candidate, to be made likelier or less likely. As an
# embedding only the words that were read count. Two Parameters over the same numbers are two for an
# optimizer: plain gradient descent adds both moves and ends at the same place, but Adam scales each by a
# history of its own, and on another device they become two tables.

# %% [markdown]
# *A good place to stop: about 60 minutes so far. When you come back, run all cells above.*
#
# ## 6. Is it right? Ask PyTorch
#
# With your weights `nn.Transformer` must give your numbers. It keeps query, key and value in one matrix,
# has one more norm after each stack (we take it out), and in its masks True means **may not** look.


# %% demo
@torch.no_grad()
def copy_attention(ours, theirs):
    parts = ours.query, ours.key, ours.value
    theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
    theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    theirs.out_proj.load_state_dict(ours.output.state_dict())


# %% demo
def copy_layer(ours, theirs):
    copy_attention(ours.self_attention, theirs.self_attn)
    if hasattr(ours, "cross_attention"):
        copy_attention(ours.cross_attention, theirs.multihead_attn)
    for name in ("linear1", "linear2"):
        getattr(theirs, name).load_state_dict(getattr(ours.feed_forward, name).state_dict())
    for name in (name for name, _ in ours.named_children() if name.startswith("norm")):
        getattr(theirs, name).load_state_dict(getattr(ours, name).state_dict())


# %% demo
def pytorchs_logits(model, source, target, **masks):
    """What the model would give if nn.Transformer were between its tables."""
    theirs = nn.Transformer(64, 4, 2, 2, 128, dropout=0.0, batch_first=True)
    theirs.encoder.norm = theirs.decoder.norm = None
    for ours, other in zip(model.encoder, theirs.encoder.layers, strict=True):
        copy_layer(ours, other)
    for ours, other in zip(model.decoder, theirs.decoder.layers, strict=True):
        copy_layer(ours, other)
    x, y = model.positions(model.source_embedding(source)), model.positions(model.target_embedding(target))
    return model.output(theirs(x, y, tgt_mask=~causal_mask(y.shape[1]), **masks))


# %% demo
model = Transformer(**sizes)
source[0, 5:] = source[1, 7:] = 0  # padding
hidden = source == 0
masks = {"src_key_padding_mask": hidden, "memory_key_padding_mask": hidden}
difference = model(source, ids) - pytorchs_logits(model, source, ids, **masks)
f"largest difference of logits: {difference.abs().max().item():.1e}"

# %% [markdown]
# The same up to rounding. Leave out `memory_key_padding_mask`, a common slip, and see how far the logits
# move, and in which sentences.

# %% demo
model = Transformer(**sizes)
difference = model(source, ids) - pytorchs_logits(model, source, ids, src_key_padding_mask=hidden)
[f"{most:.0e}" for most in difference.abs().amax(dim=(1, 2)).tolist()]  # (batch,)

# %% [markdown]
# ## 7. Every attention map
#
# Two layers a stack, four heads: 8 maps in the encoder, 8 in the decoder, 8 across. The layers throw them
# away. A **hook** gets them out without touching your code. After `handle =
# part.register_forward_hook(function)` each call of `part` ends with `function(module, arguments, result)`:
# the part itself, a tuple of what it was called with, what it returns. What the function returns replaces
# the result, unless it is None. `handle.remove()` takes the hook away.
#
# **Exercise 5** · medium · 10 minutes. An attention's result is (output, weights), weights (batch, heads,
# query, key). How does a hook know its list?


# %% exercise="attention_maps"
def attention_maps(model, source, target):
    """All attention weights of one pass, of the first sentence of the batch.

    Returns a dict with the keys "encoder", "decoder" and "cross", each a list with one tensor
    (heads, query, key) for each layer, the first layer first, without gradient.
    The model is a Transformer as above, and stays as it was: no hook of yours is left.
    """
    ### BEGIN SOLUTION
    maps, handles = {"encoder": [], "decoder": [], "cross": []}, []

    def keep_in(kept):
        return lambda module, arguments, result: kept.append(result[1][0].detach())

    for name, part in model.named_modules():
        if name.endswith("attention"):
            kind = "cross" if name.endswith("cross_attention") else name.split(".")[0]
            handles.append(part.register_forward_hook(keep_in(maps[kind])))
    model(source, target)
    for handle in handles:
        handle.remove()
    return maps
    ### END SOLUTION


# %% check="attention_maps" points=6
check("attention_maps", attention_maps)

# %% [markdown]
# Now sentences of the course's grammar, and a new model with their two vocabularies. The sentence that
# we look at is not among them. The decoder reads the right translation, shifted by one: a row is named
# by the word that its step should write.

# %% demo
corpus = load_corpus(train=20_000)
english = Vocabulary(pair.source for pair in corpus.train)
chinese = Vocabulary(pair.target for pair in corpus.train)
data, test = (Bitext(pairs, english, chinese) for pairs in (corpus.train, corpus.test[:300]))
pair = corpus.examples[1]
source = torch.tensor([english.encode(pair.source, eos=True)])
target = torch.tensor([chinese.encode(pair.target, bos=True, eos=True)])
print(pair)


# %% demo
@cache
def translator(steps):
    """A model trained for some steps: made once, then remembered."""
    torch.manual_seed(0)
    model = Transformer(len(english), len(chinese), 64, 4, 128, 2)
    if steps:
        recipe = Recipe(steps=steps, optimizer="adamw", learning_rate=5e-3)
        history = train(model, data, recipe, progress=False)
        print(f"loss {history.losses[0]:.2f} at first, {history.losses[-1]:.2f} at the end")
    return model


keys, written = [*pair.source, "<eos>"], [*pair.target, "<eos>"]
maps_after = lambda steps: attention_maps(translator(steps), source, target[:, :-1])

# %% demo
weights = maps_after(0)["cross"]
plots.show(plots.attention_grid(weights, written, keys, title="cross-attention, untrained")[0])

# %% [markdown]
# Nearly even: random weights give small scores. Now train it for about 15 seconds (lesson 07 tells how).

# %% demo
best = translator(600)(test.source, test.target[:, :-1]).argmax(dim=-1)
real = test.target[:, 1:] != 0
print(f"next words right, given the words before: {(best == test.target[:, 1:])[real].float().mean():.1%}")

# %% demo
weights = maps_after(600)["cross"]
plots.show(plots.attention_grid(weights, written, keys, title="cross-attention, trained")[0])

# %% [markdown]
# Which heads follow the meaning from row to row? Single heads differ by seed; trust their mean more.

# %% demo
mean = maps_after(600)["cross"][-1].mean(dim=0)
plots.show(plots.attention_map(mean, written, keys, title="cross-attention, last layer, mean of heads"))

# %% [markdown]
# 我, 喜欢 and 北京 look most at the words that they translate: so they did with each of six seeds, and 2022
# with five of them. 年 (*year*) has no English word of its own: its row changes with the seed. So does that
# of 冬奥会 (*Winter Olympics*): with the first seed, which you see, it looks most at *winter* (0.37); with
# five others at *games* (0.18 to 0.59) and hardly at *winter* (0.04 at most). Where then does it learn of the
# winter? Has the encoder mixed it into the vector of *games*? That is a suspicion, and a map cannot prove it.
# Lesson 07 tests it, by changing that vector.

# %% [markdown] corrects="003(e) 004(p)"
# The decoder's own attention. Rows are named by the word that is *read*, from `<bos>` on, and so are columns.
# (One of the posts writes English words under the columns of all three maps: true for cross-attention alone.)
# The first step sees `<bos>` alone; it cannot "attend to 我", which it has yet to write.

# %% demo corrects="003(e) 004(p)"
read, mask = ["<bos>", *pair.target], causal_mask(len(pair.target) + 1)
weights = maps_after(600)["decoder"]
plots.show(plots.attention_grid(weights, read, read, mask, title="decoder self-attention")[0])

# %% [markdown]
# And all 48 maps, trained and untrained. Above the controls: the trained encoder.


# %% demo
def kinds(maps):
    return {
        "encoder": plots.Attention(maps["encoder"], keys, keys),
        "decoder": plots.Attention(maps["decoder"], read, read, mask),
        "cross": plots.Attention(maps["cross"], written, keys),
    }


widgets.attention_explorer(
    {"trained": kinds(maps_after(600)), "untrained": kinds(maps_after(0))}, name="model"
)

# %% [markdown]
# ### One sentence, stage by stage
#
# A map shows weights. What happens to a **vector**? `plots.trace` runs your model once, with a hook on every
# part, and follows two words: *games* through the encoder, 北京 through the decoder, which reads it and must
# say the next word. Guess first:
#
# - Which stages change the shape?
# - Which stages can bring *winter* into the vector of *games*?
# - How many sums will there be?

# %% demo
vocabularies = english.to_list(), chinese.to_list()
plots.trace(translator(600), source, target[:, :-1], vocabularies, follow=("games", "北京"))

# %% [markdown]
# Only the two ends change the shape: an id becomes 64 numbers, and 64 numbers become one for each of 295
# words. *Winter* reaches the vector of *games* in self-attention and nowhere else: a norm and a feed-forward
# layer treat each word by itself. There are 10 sums, two in an encoder layer and three in a decoder layer.
# The hooks do not see a sum, which is no part of the model. `plots.trace` finds it: what goes into a norm
# is the sum of two tensors that came before. (Why is the deviation behind a norm not exactly 1? Its weight
# and bias have learned.)

# %% [markdown]
# ## 8. Three assemblies of the same parts
#
# - **encoder-decoder**: what you built, for one sequence in and another out (T5, BART).
# - **encoder-only**: the encoder and an output layer. Every word reads both ways (BERT).
# - **decoder-only**: one stack with a causal mask and no memory (GPT). A decoder layer without its
#   cross-attention is an encoder layer: the mask alone makes the difference.
#
# Which of the three models has no word that looks at words behind it?

# %% demo
encoder, decoder = EncoderLayer(12, 3, 24), DecoderLayer(12, 3, 24)
english_words, chinese_words = ["i", "am", "here"], ["<bos>", "我", "在"]
diagrams.assemblies(encoder, decoder, english_words, chinese_words).picture()

# %% [markdown]
# Guess the three maps before you run this. Rows are outputs, columns the words they depend on.

# %% demo
encoder_only = lambda x: encoder(x)
decoder_only = lambda x: encoder(x, causal_mask(x.shape[1]))
both = lambda x: decoder(x[:, 3:], encoder(x[:, :3]), causal_mask(x.shape[1] - 3))
words = english_words + chinese_words
axes = plots.panels(3)
plots.dependence_map(who_reads_whom(encoder_only, 6), words, words, axes[0], "encoder-only")
plots.dependence_map(who_reads_whom(decoder_only, 6), words, words, axes[1], "decoder-only")
plots.dependence_map(who_reads_whom(both, 6), chinese_words, words, axes[2], "encoder-decoder")
plots.show(axes)

# %% [markdown]
# Encoder-only can guess a *hidden* word from both sides, but not write: each output has seen what
# follows. Decoder-only writes; its source is a prompt, read one way. Encoder-decoder reads the source
# both ways and writes one way. Lesson 08 trains all three.

# %% [markdown]
# ## 9. Counting
#
# How many numbers does training move? The paper prints 65 million for its base model, 213 for the big
# one. Count without building: a linear layer from $n$ to $m$ has $nm + m$ of them.
#
# **Exercise 6** · medium · 10 minutes. The paper's model: **one** table for source, target and output.
# What does not appear in your formula: the number of heads, or the maximal length?


# %% exercise="parameter_count"
def parameter_count(vocab, d_model, d_ff, layers):
    """How many parameters a Transformer has whose one table serves source, target and output.

    `layers` encoder and `layers` decoder layers as above, all linear layers in them with bias; sinusoidal
    positions. Gives an int.
    """
    ### BEGIN SOLUTION
    attention = 4 * (d_model * d_model + d_model)
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norm = 2 * d_model
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    return vocab * d_model + layers * (encoder_layer + decoder_layer)
    ### END SOLUTION


# %% check="parameter_count" points=5
check("parameter_count", parameter_count)

# %% [markdown]
# First against your own model, which has a second table, the source's. On the device `meta` tensors have
# shapes but no numbers, and take no memory.

# %% demo
for name, (d_model, heads, d_ff) in {"base": (512, 8, 2048), "big": (1024, 16, 4096)}.items():
    with torch.device("meta"):
        big = Transformer(37000, 37000, d_model, heads, d_ff, layers=6)
    built = sum(parameter.numel() for parameter in big.parameters())
    counted = parameter_count(37000, d_model, d_ff, 6)
    print(f"{name}: counted {counted:,}; built {built:,}, {built - counted:,} of them the second table")

# %% [markdown]
# 63.1 and 214.2 million, where the paper prints 65 and 213: one is too small, the other too large. The
# paper's "about 37000" tokens are vague. Ask every row of its Table 3: which vocabularies round to the
# printed number?

# %% demo
rows = """base 512 2048 6 65, N=2 512 2048 2 36, N=4 512 2048 4 50, N=8 512 2048 8 80,
d_model=256 256 2048 6 28, d_model=1024 1024 2048 6 168, d_ff=1024 512 1024 6 53, d_ff=4096 512 4096 6 90,
big 1024 4096 6 213"""
for row in rows.split(","):
    name, d_model, d_ff, layers, printed = (int(x) if x.isdigit() else x for x in row.split())
    rest = parameter_count(0, d_model, d_ff, layers)
    low, high = ((million * 1e6 - rest) / d_model for million in (printed - 0.5, printed + 0.5))
    print(
        f"{name:13} printed {printed:3}M  all but the table {rest / 1e6:6.1f}M  vocab {low:.0f} to {high:.0f}"
    )

# %% [markdown]
# Eight rows agree on 40,931 to 41,160 tokens. So the base model's gap is in the table: about 41,000 rows,
# not 37,000. (Inferred from the printed numbers; the paper does not say so.) The big model does not fit: it
# asks for about 36,000, and with 41,000 it would have 218 million. Its biases and norms are 0.2 million,
# too few to explain it. Why it was counted otherwise the paper does not tell.

# %% [markdown]
# ## 10. In your own words
#
# A classmate writes a decoder layer whose cross-attention gets `mask`, the target's, in place of
# `memory_mask`: "it is the decoder, after all". (a) When does that raise an error, and when does it run
# in silence? (b) Say one thing that the silent version hides wrongly, and one that it shows wrongly. (c)
# Why does cross-attention need no causal mask, although the decoder must not see the future?

# %% [markdown] points=3 question="mask_of_cross_attention"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** the shapes of the mask and of the scores in cross-attention, and when they
# fit each other by chance.
# **Model answer:** The mask is (batch, target, target), the scores (batch, heads, target, source): it
# raises where the two lengths differ and runs where they are equal, for instance in a batch padded to one
# length.
#
# (b) **A full answer names** source words that a target word should see and now does not, and source
# positions that it should not see and now does.
# **Model answer:** It hides source words at later places than the target word's own (and those under the
# target's padding); it shows the source's padding.
# **Marking:** Half a point for one of the two.
#
# (c) **A full answer names** whose words the keys are, when these words are known, and the place where
# the target's future is hidden already.
# **Model answer:** The keys are source words, and the source is given as a whole before the first word is
# written. The future that must not be seen is the target's, and that is hidden in self-attention.
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - An encoder layer reads both ways and hides padding; a decoder layer reads its own past and, through
#   cross-attention, all of the memory.
# - In cross-attention the decoder asks; keys, values and the mask are the source's.
# - Tied weights are one Parameter, and its gradient comes from both uses.
# - On the same weights your model equals `nn.Transformer`.
# - Encoder-only, decoder-only, encoder-decoder: the same parts, other arrows and masks.
#
# **Next:** in lesson 07 this model learns, by a loop that you write, and puts English into Chinese.

# %%
progress()
