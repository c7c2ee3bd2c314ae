# %% [markdown]
# # Encoder and decoder: the whole Transformer
#
# You have every part. Here you put the parts together and show that the result equals PyTorch's own
# Transformer. You train it for a few seconds and look at every attention map inside. Then you count its
# parameters, and those of the paper's model.
#
# **You need** lessons 02 to 05. **Time:** 100 minutes in two sittings, six exercises.

# %%
import math
from functools import cache

import torch
from torch import nn

from course_lib import plots
from course_lib.corpus import load_corpus
from course_lib.exercises.encoder_decoder import check, hint, model_answer, progress
from course_lib.text import Vocabulary
from course_lib.training.batches import Bitext
from course_lib.training.trainer import Recipe, train
from course_lib.yours import yours

f"PyTorch {torch.__version__} is ready"

# %% [markdown]
# What you wrote in lessons 01 to 05 was kept when it passed its check. The next cell loads it. If one of
# your parts is missing, the cell uses the course's part and says so.

# %%
torch.manual_seed(0)
padding_mask, causal_mask = yours("padding_mask", "causal_mask")
MultiHeadAttention, LayerNorm, FeedForward = yours("MultiHeadAttention", "LayerNorm", "FeedForward")
TokenEmbedding, PositionalEncoding = yours("TokenEmbedding", "PositionalEncoding")

# %% [markdown] corrects="002(k)"
# ## 1. The plan
#
# The **encoder** turns $n$ source words into $n$ vectors, the **memory**. The **decoder** reads the memory
# and the $m$ target words known so far. For each of the $m$ words it gives a row of **logits**, one number
# for each word of the target vocabulary. A larger logit makes its word more likely as the next word. There
# are $m$ rows, not $n$, because a translation may be longer or shorter than its source.

# %% [markdown]
# In the picture, read each stack from top to bottom. The vectors of the words follow the thick line. Each
# sublayer is beside this line, reads from it and adds to it (lesson 05). Use the picture to answer three
# questions:
#
# - Which arrows lead from the source to the target? How many would there be with six decoder layers?
# - Which of the three attentions takes its keys and values from another place than its queries?
# - What do the three masks hide?

# %% demo
from course_lib.plots import diagrams

source_words, read_words = "i am a student <eos> <pad> <pad>".split(), "<bos> 我 是 学生".split()
diagrams.transformer(source_words, read_words, vocab=295, d_model=64, heads=4, d_ff=128, layers=2).picture()

# %% [markdown]
# The paper's figure 1 draws one layer of each stack, with "N×" beside it, and one arrow from the encoder.
# If you draw all layers, there is an arrow for **every** decoder layer, so six with six layers. All arrows
# start at the same memory, the output of the last encoder layer, and all lead into cross-attention. There
# is no other path from the source to the target. Cross-attention is also the only attention whose keys and
# values come from another place than its queries.
#
# The masks of the encoder and of cross-attention hide the padding of the source. The mask of the decoder's
# self-attention hides the future.

# %% [markdown] corrects="001(b) 002(q)"
# ## 2. The encoder layer
#
# The layer has two sublayers. The output of each is added to its input, and the sum is normalized. This is
# the paper's order, post-norm (lesson 05):
#
# $$h = \text{LayerNorm}_1\big(x + \text{Attention}(x, x, x)\big) \qquad
# y = \text{LayerNorm}_2\big(h + \text{FeedForward}(h)\big)$$
#
# The mask hides padding and nothing else. The source is known as a whole, so none of its words is "the
# future". One of the posts that this course follows says that attention compares a word only with earlier
# words. This is true only with a causal mask.

# %% [markdown]
# The paper also uses **dropout** (lesson 05) after each sublayer. Dropout works against overfitting, which
# means that a model learns the training sentences by heart. With the corpus and the training of lesson 07,
# dropout costs more than it helps. Without it, 99.75 % of the sentences of the random test are right (the
# median of five seeds, the worst has 99.35 %). With dropout 0.1, 99.00 % are right (the worst seed has
# 98.95 %). We leave it out.

# %% [markdown]
# **Exercise 1** · medium · 10 minutes. Write the layer with your `MultiHeadAttention`, `FeedForward` and
# `LayerNorm`, without `nn.TransformerEncoderLayer`. Input and output are (batch, seq, d_model). To which
# vector does the second sum add the result of the feed-forward layer?


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
# Which input words does an output depend on? Gradients show it, as in lesson 02. The sentence has five
# words, and the last two are padding. The right-hand map has the padding mask. Where will it have dots?


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
# Every word reads every real word, before and after it. A padded word also reads itself, through the
# residual. No mask changes the residual.
#
# ## 3. What a decoder may see
#
# The decoder hides padding, which differs from sentence to sentence. It also hides the future, which
# differs from row to row. So its mask needs all three axes: batch, query and key.
#
# **Exercise 2** · easy · 4 minutes. Write this mask for `ids` of shape (batch, target). The mask has the
# shape (batch, target, target). You have a mask for padding and a mask for the future: how do you combine
# them?


# %% exercise="decoder_mask"
def decoder_mask(ids, pad=0):
    """The mask that hides padding and the future: boolean, True where a query may look.

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
# Compare the rows of 我 and 是 in the two maps. They are the same, so the causal mask alone would be enough
# for them. Padding on the right always follows the real words, so the causal mask hides it together with
# the future. Only the rows of padding would change without the padding mask, and no real word reads a
# padded word. Most code combines both masks; here the causal mask does the work.

# %% [markdown] corrects="003(b) 003(c)"
# ## 4. The decoder layer
#
# The layer has three sublayers, each with its residual and its norm:
#
# - **masked self-attention** over the target words so far;
# - **cross-attention**, with queries from $x$, and keys **and** values from the memory. Its mask is the
#   padding mask of the **source**, because the keys are source words;
# - the feed-forward layer.
#
# One post calls them "two self-attentions over what was generated". It also says that the first is used in
# training and the second in prediction. Both statements are wrong: the second attention reads the memory,
# and both always run.

# %% [markdown]
# **Exercise 3** · medium · 12 minutes. Write the layer, without `nn.TransformerDecoderLayer`. `x` is
# (batch, target, d_model), `memory` is (batch, source, d_model), and the output is like `x`. Target and
# source differ in length: which attention has weights that are not square?


# %% exercise="DecoderLayer"
class DecoderLayer(nn.Module):
    """Self-attention, cross-attention to the memory, a feed-forward layer, post-norm (section 3.1).

    Shapes: x (batch, target, d_model), memory (batch, source, d_model) -> (batch, target, d_model).
    mask belongs to the target, memory_mask to the source, each as MultiHeadAttention takes it.
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
# The next cell runs your layer in training mode and in evaluation mode. It changes the target words 3 and
# 4, then the whole source. Each time it measures how far the outputs of words 0 to 2 move. Which of the
# four numbers will be 0?

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
# The two rows are the same, so both attentions run in both modes. Later words do not move the outputs;
# another source moves them.
#
# ## 5. Stack and tie
#
# A stack contains several layers of the same kind, each with its own weights. The memory is the output of
# the **last** encoder layer, and every decoder layer reads it.
#
# The last part of the model is a linear layer. The logit of a word is the dot product of the decoder's
# output with a vector of that word. But the target embedding is already a table with a vector for each
# target word. The paper uses one table for both (section 3.4): the weights are **tied**. Tied weights are
# not two tables with equal numbers. They are the same `Parameter`.

# %% [markdown]
# **Exercise 4** · hard · 15 minutes. Write the whole model, without `nn.Transformer`. It takes ids
# (batch, source) and (batch, target) and gives logits (batch, target, target_vocab). Keep each stack in
# an `nn.ModuleList`, because PyTorch does not find layers in a Python list. Which mask does each of the
# three attentions get?


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
# Does your model follow the plan? The next cell draws **your** model, with three layers in each stack, from
# one forward pass. Hooks (section 7) record what each part gets and what it returns. A mask is drawn from
# the weights that are not 0. An arrow is drawn where a cross-attention gets the memory. What will change in
# the picture if your `forward` leaves out `padding_mask(source)`? Guess, then try it.

# %% demo
names = "<pad> <bos> <eos> <unk> i am a student".split(), "<pad> <bos> <eos> <unk> 我 是 学生".split()
three = Transformer(len(names[0]), len(names[1]), d_model=64, heads=4, d_ff=128, layers=3)
ids = torch.tensor([[4, 5, 6, 7, 2, 0]]), torch.tensor([[1, 4, 5, 6]])
diagrams.transformer_of(three, *ids, names, title="Your Transformer").picture()

# %% [markdown] corrects="004(q)"
# The logits have the shape (batch, target length, target vocabulary). None of these axes comes from the
# source, although a comment in one post names the source vocabulary.
#
# If a model finds all words equally likely, its loss is $\ln(\text{vocab})$. Will the loss of a new model
# be near this number?

# %% demo corrects="002(k) 004(q)"
sizes = {"source_vocab": 403, "target_vocab": 295, "d_model": 64, "heads": 4, "d_ff": 128, "layers": 2}
source, target = torch.randint(4, 403, (8, 9)), torch.randint(4, 295, (8, 7))
ids = target[:, :-1]
logits = Transformer(**sizes)(source, ids)  # (batch, target, vocab)
loss = nn.functional.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
f"logits {tuple(logits.shape)}, loss {loss.item():.2f}, ln(295) = {math.log(295):.2f}"

# %% [markdown]
# The loss is about 1 higher than $\ln(\text{vocab})$. About half of this comes from random logits: their
# spread is about 1. The other half comes from the tied table. The residuals carry the vector of each
# target word from the embedding to the output. There its dot product with its own row of the table is about
# 6, a high logit. So an untrained model predicts the word that it has read.

# %% [markdown]
# ### Tied, and nearly tied
#
# `b = a` shares the Parameter. `b = nn.Parameter(a.data)` shares only the numbers. Both give the same
# logits. Which rows of the table will get a gradient from its use as an embedding, and which from its use
# as the output?


# %% demo
def rows_with_gradient(model, target):
    """How many rows of the target embedding have a gradient after one backward pass."""
    model.zero_grad()
    model(source, target).logsumexp(dim=-1).sum().backward()
    return model.target_embedding.table.weight.grad.any(dim=1).sum().item()


model = Transformer(**sizes)
print("words in the batch:", ids.unique().numel(), " tied:", rows_with_gradient(model, ids))
model.output.weight = nn.Parameter(model.target_embedding.table.weight.data)
print("only the numbers shared:", rows_with_gradient(model, ids))

# %% [markdown]
# As the output, the table gets a gradient in every row, because each word is a candidate that must become
# more or less likely. As an embedding, it gets a gradient only in the rows of words that were read.
#
# Two Parameters over the same numbers are two Parameters for an optimizer. Plain gradient descent adds both
# steps and ends at the same place. Adam scales each step by the history of its own Parameter, so it ends
# elsewhere. If you move the model to another device, the two become two separate tables.

# %% [markdown]
# *This is a good place to stop, after about 60 minutes. When you come back, run all cells above.*
#
# ## 6. Is it right? Ask PyTorch
#
# With your weights, `nn.Transformer` must give the same numbers as your model. It differs in three ways. It
# keeps the weights of query, key and value in one matrix. It has one more norm after each stack, which we
# remove. And in its masks, True means **may not** look.


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
    """The logits of the model if nn.Transformer replaces its two stacks."""
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
# The logits are the same up to rounding. The next cell leaves out `memory_key_padding_mask`, which is a
# common mistake. In which of the eight sentences will the logits move?

# %% demo
model = Transformer(**sizes)
difference = model(source, ids) - pytorchs_logits(model, source, ids, src_key_padding_mask=hidden)
[f"{most:.0e}" for most in difference.abs().amax(dim=(1, 2)).tolist()]  # (batch,)

# %% [markdown]
# Only the first two sentences move, because only they have padding.
#
# ## 7. Every attention map
#
# With two layers in each stack and four heads, there are 8 maps in the encoder, 8 in the decoder and 8 in
# cross-attention. The layers do not keep them.
#
# A **hook** reads them without a change of your code. After `handle =
# part.register_forward_hook(function)`, each call of `part` ends with the call `function(module,
# arguments, result)`. The function gets the part itself, a tuple of its positional arguments, and its
# result. If the function returns something other than None, this replaces the result. `handle.remove()`
# removes the hook.

# %% [markdown]
# **Exercise 5** · medium · 10 minutes. Write a function that collects the weights of all attentions in one
# pass. An attention returns (output, weights), where the weights are (batch, heads, query, key). How does a
# hook know to which of the three lists it must append?


# %% exercise="attention_maps"
def attention_maps(model, source, target):
    """All attention weights of one pass, for the first sentence of the batch.

    Returns a dict with the keys "encoder", "decoder" and "cross", each a list with one tensor
    (heads, query, key) for each layer, the first layer first, without gradient.
    The model is a Transformer as above. Leave it unchanged: remove all your hooks.
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
# The next cells use sentences of the course's grammar, and a new model with their two vocabularies. The
# sentence that we look at is not in the training set. The decoder reads `<bos>` and then the right
# translation. In the maps, each row has the name of the word that this step should predict.

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
    """A model after this many steps of training. It is made once and kept."""
    torch.manual_seed(0)
    model = Transformer(len(english), len(chinese), 64, 4, 128, 2)
    if steps:
        recipe = Recipe(steps=steps, optimizer="adamw", learning_rate=5e-3)
        history = train(model, data, recipe)
        print(f"loss {history.losses[0]:.2f} at first, {history.losses[-1]:.2f} at the end")
    return model


keys, written = [*pair.source, "<eos>"], [*pair.target, "<eos>"]
maps_after = lambda steps: attention_maps(translator(steps), source, target[:, :-1])

# %% demo
weights = maps_after(0)["cross"]
plots.show(plots.attention_grid(weights, written, keys, title="cross-attention, untrained")[0])

# %% [markdown]
# The weights are nearly even, because random parameters give small scores. The next cell trains the model
# for about 15 seconds. Lesson 07 explains how.

# %% demo
best = translator(600)(test.source, test.target[:, :-1]).argmax(dim=-1)
real = test.target[:, 1:] != 0
print(f"right next words, given those before them: {(best == test.target[:, 1:])[real].float().mean():.1%}")

# %% demo
weights = maps_after(600)["cross"]
plots.show(plots.attention_grid(weights, written, keys, title="cross-attention, trained")[0])

# %% [markdown]
# The words of the rows mean *I* (我), *like* (喜欢), *2022*, *year* (年), *Beijing* (北京) and *Winter
# Olympics* (冬奥会). In which heads does each row look most at the English word with the same meaning?
# Single heads differ from seed to seed, so trust the mean of the heads more.

# %% demo
mean = maps_after(600)["cross"][-1].mean(dim=0)
plots.show(plots.attention_map(mean, written, keys, title="cross-attention, last layer, mean of heads"))

# %% [markdown]
# We trained with six seeds and read the mean of the heads. With each seed, 我, 喜欢 and 北京 looked most
# at the words that they translate. The other rows change with the seed. 年 (*year*) has no English word of
# its own. 冬奥会 (*Winter Olympics*) looked most at *games* with four of the six seeds and at *beijing*
# with one. With the first seed, which you see, it looked most at *winter* (0.4 to 0.5).
#
# With four seeds 冬奥会 gave *winter* a weight of 0.03 or less. Where does such a model find the winter?
# Perhaps the encoder has mixed it into the vector of *games*. This is a guess, and a map cannot prove it.
# Lesson 07 tests it by changing that vector.

# %% [markdown] corrects="003(e) 004(p)"
# The next figure shows the decoder's self-attention. Its rows and its columns have the names of the words
# that the decoder *reads*, from `<bos>` on. One of the posts writes English words under the columns of all
# three maps, which is right only for cross-attention. The first step sees only `<bos>`. It cannot "attend
# to 我", because 我 is not written yet.

# %% demo corrects="003(e) 004(p)"
read, mask = ["<bos>", *pair.target], causal_mask(len(pair.target) + 1)
weights = maps_after(600)["decoder"]
plots.show(plots.attention_grid(weights, read, read, mask, title="decoder self-attention")[0])

# %% [markdown]
# The next cell shows all 48 maps of the trained and the untrained model. Choose a small map to see one head,
# and choose a word to see its weights as numbers.


# %% demo
def kinds(maps):
    return {
        "encoder": plots.Attention(maps["encoder"], keys, keys),
        "decoder": plots.Attention(maps["decoder"], read, read, mask),
        "cross": plots.Attention(maps["cross"], written, keys),
    }


plots.maps_view({"trained": kinds(maps_after(600)), "untrained": kinds(maps_after(0))}, name="trained or not")

# %% [markdown]
# ### One sentence, stage by stage
#
# A map shows weights. What happens to a **vector**? `plots.trace` runs your model once, with a hook on
# every part, and follows two words. It follows *games* through the encoder. It follows 北京 through the
# decoder, which reads 北京 and has to predict the next word. Guess first:
#
# - Which stages change the shape?
# - Which stages can bring *winter* into the vector of *games*?
# - How many sums will there be?

# %% demo
vocabularies = english.to_list(), chinese.to_list()
plots.trace(translator(600), source, target[:, :-1], vocabularies, follow=("games", "北京"))

# %% [markdown]
# Only the embeddings and the output change the shape. An id becomes 64 numbers, and at the end 64 numbers
# become one number for each of 295 words. *Winter* reaches the vector of *games* only in self-attention,
# because a norm and a feed-forward layer treat each word by itself. There are 10 sums, two in each encoder
# layer and three in each decoder layer.
#
# The hooks do not see a sum, because a sum is not a part of the model. `plots.trace` finds it: what goes
# into a norm is the sum of two earlier tensors. The deviation after a norm is not exactly 1, because the
# norm has learned a weight and a bias.

# %% [markdown]
# ## 8. Three assemblies of the same parts
#
# The same parts make three kinds of models:
#
# - **encoder-decoder** is what you built, for tasks that turn one sequence into another (T5, BART).
# - **encoder-only** is the encoder with an output layer. Every word reads the words on both sides (BERT).
# - **decoder-only** is one stack with a causal mask and without memory (GPT). A decoder layer without its
#   cross-attention is an encoder layer; only the mask makes the difference.
#
# In which of the three models does no word look at the words after it?

# %% demo
encoder, decoder = EncoderLayer(12, 3, 24), DecoderLayer(12, 3, 24)
english_words, chinese_words = ["i", "am", "here"], ["<bos>", "我", "在"]
diagrams.assemblies(encoder, decoder, english_words, chinese_words).picture()

# %% [markdown]
# In the next maps, rows are outputs, and columns are the input words that they depend on. Guess the three
# maps before you run the cell.

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
# The decoder-only model is the one in which no word looks at the words after it.
#
# Each model is good for something else. An encoder-only model can predict a *hidden* word from both sides.
# It cannot write, because each output has already seen the words after it. A decoder-only model writes. It
# reads its source as a prompt, in one direction. An encoder-decoder model reads the source in both
# directions and writes in one. Lesson 08 trains all three.

# %% [markdown]
# ## 9. Counting
#
# How many parameters does training change? The paper gives 65 million for its base model and 213 million
# for the big one. You can count them without building a model: a linear layer from $n$ to $m$ has $nm + m$
# parameters.
#
# **Exercise 6** · medium · 10 minutes. Write a function that counts the parameters of the paper's model,
# which has **one** table for source, target and output. Its arguments are the sizes. Why do neither the
# number of heads nor the maximal length appear among them?


# %% exercise="parameter_count"
def parameter_count(vocab, d_model, d_ff, layers):
    """Count the parameters of a Transformer with one table for source, target and output: an int.

    It has `layers` encoder and `layers` decoder layers as above, with a bias in every linear layer of
    them, and sinusoidal positions, which are not learned.
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
# First compare the count with your own model, which has a second table for the source. On the device
# `meta`, tensors have shapes but no numbers, so they take no memory.

# %% demo
for name, (d_model, heads, d_ff) in {"base": (512, 8, 2048), "big": (1024, 16, 4096)}.items():
    with torch.device("meta"):
        big = Transformer(37000, 37000, d_model, heads, d_ff, layers=6)
    built = sum(parameter.numel() for parameter in big.parameters())
    counted = parameter_count(37000, d_model, d_ff, 6)
    print(f"{name}: counted {counted:,}; built {built:,}, {built - counted:,} of them the second table")

# %% [markdown]
# The counts are 63.1 and 214.2 million, where the paper gives 65 and 213 million. The first count is too
# small and the second is too large. The paper says "about 37000" tokens, so the size of its vocabulary is
# not exactly known. The next cell uses every row of the paper's Table 3: which vocabularies give the
# printed number of parameters, up to rounding?

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
# Eight rows agree on 40,931 to 41,161 tokens. So the base model's gap is in the table, which has about
# 41,000 rows instead of 37,000. (We infer this from the printed numbers; the paper does not say it.)
#
# The big model does not fit. It needs about 36,000 rows, and with 41,000 rows it would have 218 million
# parameters. Its biases and norms have 0.2 million parameters, too few to explain the difference. The paper
# does not say why it was counted differently.

# %% [markdown]
# ## 10. In your own words
#
# A classmate writes a decoder layer whose cross-attention gets `mask`, the mask of the target, instead of
# `memory_mask`: "It is the decoder, after all." Explain three things: (a) when this raises an error and
# when it runs without one, with the shapes that decide it; (b) what the version without an error hides
# wrongly, and what it shows wrongly; (c) why cross-attention needs no causal mask, although the decoder
# must not see the future.

# %% [markdown] points=3 question="mask_of_cross_attention"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** the shapes of the mask and of the scores in cross-attention, and when the two
# fit by chance. **Model answer:** The mask is (batch, target, target) and the scores are (batch, heads,
# target, source). It raises an error where the two lengths differ. It runs where they are equal, for
# instance in a batch that is padded to one length.
#
# (b) **A full answer names** source words that a target word should see and now does not, and source
# positions that it should not see and now does.
# **Model answer:** It hides the source words at later places than the target word's own place, and those at
# the places of the target's padding. It shows the padding of the source.
# **Marking:** Half a point for one of the two.
#
# (c) **A full answer names** whose words the keys are, when these words are known, and where the future of
# the target is hidden already.
# **Model answer:** The keys are source words, and the whole source is given before the first word is
# written. The future that must not be seen is that of the target, and self-attention hides it.
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - An encoder layer reads in both directions and hides padding. A decoder layer reads its own past and,
#   through cross-attention, all of the memory.
# - In cross-attention the queries come from the decoder. Keys, values and the mask come from the source.
# - Tied weights are one Parameter, and its gradient comes from both uses.
# - On the same weights, your model equals `nn.Transformer`.
# - Encoder-only, decoder-only and encoder-decoder models have the same parts, but other connections and
#   other masks.
#
# **Next:** in lesson 07 you write the loop that trains this model, and it translates English into Chinese.

# %%
progress()
