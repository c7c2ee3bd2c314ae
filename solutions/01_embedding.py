# %% [markdown]
# # Embedding: words as vectors
#
# A network computes with numbers. Here words become ids, ids become vectors, and the vectors learn from
# a text which words are alike. At the end you meet a word, *games*, for which one vector is not enough.
#
# **You need** lesson 00, matrix products, and what a gradient is. **Time:** 90 minutes in two
# sittings, seven short exercises.

# %%
import math
from itertools import islice

import torch
import torch.nn.functional as F
from torch import nn

from course_lib import plots, text
from course_lib.corpus import draw_pairs
from course_lib.exercises.embedding import check, hint, model_answer, progress
from course_lib.model.positions import sinusoidal_encoding

torch.manual_seed(0)
torch.set_printoptions(precision=3, sci_mode=False)
f"PyTorch {torch.__version__} is ready"

# %% [markdown]
# ## 1. Every word gets a number
#
# A **vocabulary** numbers the words it knows. Four numbers are taken before the first word:
#
# | id | symbol | stands for |
# |---|---|---|
# | 0 | `<pad>` | nothing: it fills up short sentences |
# | 1 | `<bos>` | the beginning of a sentence |
# | 2 | `<eos>` | its end |
# | 3 | `<unk>` | a word that is not in the vocabulary |
#
# The words follow, each once, in sorted order: the same words get the same ids on every machine.

# %% [markdown]
# **Exercise 1** · easy · 8 minutes. A sentence is a list of words. Keep two things: the list of all words
# (from id to word) and a dict (from word to id). Words stay as they are, capital letters too, and stand in
# the order of Python's `sorted`.

# %% exercise="Vocabulary"
SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"]
PAD, BOS, EOS, UNK = range(4)


class Vocabulary:
    """Numbers words: the four special symbols first, then the words of `sentences`, sorted.

    `encode` turns a list of words into a list of ids, `decode` does the reverse.
    """

    def __init__(self, sentences):
        ### BEGIN SOLUTION
        self.words = SPECIALS + sorted({word for sentence in sentences for word in sentence})
        self.ids = {word: i for i, word in enumerate(self.words)}
        ### END SOLUTION

    def encode(self, words):
        ### BEGIN SOLUTION
        return [self.ids.get(word, UNK) for word in words]
        ### END SOLUTION

    def decode(self, ids):
        ### BEGIN SOLUTION
        return [self.words[i] for i in ids]
        ### END SOLUTION

    def __len__(self):
        ### BEGIN SOLUTION
        return len(self.words)
        ### END SOLUTION


# %% check="Vocabulary" points=7
check("Vocabulary", Vocabulary)

# %% [markdown]
# A tutorial's toy translator has its vocabulary written by hand, and its masks hide id 0 as padding. What
# will be read back, and which word is hidden?

# %% demo corrects="004(a) 004(b)"
toy = {"I": 0, "like": 1, "the": 2, "2022": 3, "Beijing": 4, "Winter": 4, "Games": 4}
ids = torch.tensor([toy[word] for word in "I like the 2022 Beijing Winter Games".split()])
word_of = {i: word for word, i in toy.items()}
print("read back:", *[word_of[i] for i in ids.tolist()])
print("hidden:   ", *[word_of[i] for i in ids[ids == 0].tolist()])
table = torch.randn(5, 8)
"Beijing, Winter and Games have the same vector:", bool((table[ids[4:]] == table[4]).all())

# %% [markdown] corrects="004(a) 004(b) 004(n)"
# Two faults. *Beijing Winter Games* is *Games Games Games* to the model, whatever it learns. And 0 is
# padding **and** *I*: no attention sees *I* (nor, in the decoder, 我, which is 0 in Chinese). The code
# descends from graykode's, where 0 was `'P'`: "Padding Should be Zero". Yours:

# %% demo corrects="004(a) 004(b) 004(n)"
sentence = "I like the 2022 Beijing Winter Games".split()
vocabulary = Vocabulary([sentence])
ids = vocabulary.encode(sentence)
print("read back:", *vocabulary.decode(ids))
print("hidden:   ", *vocabulary.decode([i for i in ids if i == PAD]))
ids, len(vocabulary)

# %% [markdown]
# ## 2. Sentences of different lengths
#
# Sentences are processed together, in one tensor of shape (batch, seq). A tensor is a rectangle, so short
# sentences are filled up at the end. The next cell draws a batch of three sentences, with 5, 4 and 3 words.
# What is the shape of its ids? How many of them are padding?

# %% demo
from course_lib.plots import diagrams

three = [line.split() for line in ("i like the beijing games", "she reads two books", "i drink tea")]
words = text.Vocabulary(three)
diagrams.padded_batch(three, text.pad_batch([words.encode(sentence) for sentence in three])).picture()

# %% [markdown]
# **Exercise 2** · easy · 5 minutes. What must you know of the whole batch before you can fill up its first
# sentence?


# %% exercise="pad_batch"
def pad_batch(sequences, pad=0):
    """Fill every sequence up with `pad` to the longest one.

    sequences: a list of lists of ids, none of them empty. Shape: ids (batch, seq), integers.
    """
    ### BEGIN SOLUTION
    longest = max(len(sequence) for sequence in sequences)
    return torch.tensor([sequence + [pad] * (longest - len(sequence)) for sequence in sequences])
    ### END SOLUTION


# %% check="pad_batch" points=5
check("pad_batch", pad_batch)

# %% [markdown]
# The course has a text of its own: English sentences from a small grammar, with Chinese translations. How
# much of a batch of 32 is padding? And if the sentences are sorted by length first?

# %% demo
corpus = list(islice(draw_pairs(), 10_000))
sentences = [pair.source for pair in corpus]
print(*[" ".join(sentence) for sentence in sentences[:3]], sep="\n")
for order, rows in (("random", sentences), ("sorted", sorted(sentences, key=len))):
    batches = [pad_batch([[1] * len(row) for row in rows[i : i + 32]]) for i in range(0, len(rows), 32)]
    share = sum(int((ids == 0).sum()) for ids in batches) / sum(ids.numel() for ids in batches)
    print(f"{order}: {share:.1%} padding")

# %% [markdown]
# Nearly half! So training batches sentences of like length, and masks the padding that remains (lesson 02).
#
# ## 3. From a number to a vector
#
# Ids are names, not quantities: word 6 is not twice word 3. A **one-hot** vector is as long as the
# vocabulary, 1 at the id and 0 elsewhere. Multiply it with a table $E$ that has a row of $d_{model}$
# numbers for each word:
#
# $$x = \text{onehot}(i)\, E$$
#
# Below, the vocabulary has eight entries, and a row of $E$ has four numbers. The product multiplies each row
# by the number to its left, and adds all rows. What will the sum be, and how many of the 32 numbers of the
# table does it use?

# %% demo
rows = [*SPECIALS, "books", "drink", "i", "tea"]
one_hot = F.one_hot(torch.tensor(rows.index("drink")), len(rows)).float()
table = torch.randn(len(rows), 4, generator=torch.Generator().manual_seed(0)).round(decimals=1)
diagrams.one_hot_pick(one_hot, table, rows).picture()

# %% [markdown]
# **Exercise 3** · easy · 4 minutes. `F.one_hot` does the first half. What does the product pick from the
# table?


# %% exercise="one_hot_lookup"
def one_hot_lookup(ids, table):
    """Turn ids into one-hot vectors, and multiply these with the table.

    Shapes: ids (batch, seq), integers, table (vocab, d_model)
    -> one_hot (batch, seq, vocab), vectors (batch, seq, d_model), both of the table's dtype.
    """
    ### BEGIN SOLUTION
    one_hot = F.one_hot(ids, table.shape[0]).to(table.dtype)
    return one_hot, one_hot @ table
    ### END SOLUTION


# %% check="one_hot_lookup" points=4
check("one_hot_lookup", one_hot_lookup)

# %% demo
table, ids = torch.randn(37_000, 64), torch.tensor([[5, 17, 36_999]])
one_hot, vectors = one_hot_lookup(ids, table)
print("the product is the row:", torch.equal(vectors, table[ids]))
zeros = (one_hot == 0).double().mean()
print(f"{one_hot.numel() * 64:,} multiplications for three words, {zeros:.3%} of them with 0")

# %% [markdown] corrects="003(l)"
# The product picks a row, so nobody multiplies: `table[ids]` gives the same. But it shows what the table is:
# a **weight matrix**, the first layer. In the paper its rows come neither from one-hot coding nor from
# another model such as BERT, as some texts have it: they begin as random numbers and learn with all other
# weights. (A table may also be taken over from another model: lesson 08 does so.)

# %% [markdown]
# ### Words, or pieces of words?
#
# The Transformer paper has about 37,000 rows, but they are not words: they are **byte-pair tokens**
# (Sennrich et al. 2016), shared by English and German. One begins with single letters, and joins the most
# frequent pair of neighbors to a new token, again and again. Frequent words become one token, rare ones
# several: *low*, *er*. So no word is `<unk>`. Our corpus has 400 words, and we stay with whole words.

# %% demo
counted = {word: sum(s.count(word) for s in sentences) for word in ("play", "playing", "reading")}
diagrams.byte_pairs(counted, merges=7, new=["replaying"]).picture()

# %% [markdown] corrects="002(j)"
# ## 4. The Transformer's embedding
#
# The factor is in the paper (Vaswani et al. 2017, section 3.4), the rest in its authors' code:
#
# $$\text{embed}(i) = \sqrt{d_{model}}\; E_i \qquad E_{ij} \sim \mathcal N(0, 1/d_{model}) \qquad
# E_{pad} = 0$$
#
# An entry of $E$ begins at a size of about $1/\sqrt{d_{model}}$ (0.044 for 512, not 1), so that a row has
# length about 1. The factor $\sqrt{d_{model}}$ (not $\sqrt{d_k}$) brings the entries to about 1. The row of
# padding is 0 and never learns.

# %% [markdown]
# **Exercise 4** · medium · 10 minutes. `nn.Embedding(vocab, d_model, padding_idx=pad)` holds such a table
# and looks up its rows; row `pad` is 0 and gets no gradient. It draws entries of size 1: mind the size,
# and what a new draw does to row `pad`. Keep it as `self.table`: lesson 06 shares it by that name.


# %% exercise="TokenEmbedding"
class TokenEmbedding(nn.Module):
    """A learned vector for each id, times the square root of d_model.

    Shapes: ids (batch, seq) -> vectors (batch, seq, d_model). `table`, an nn.Embedding, has the only
    parameter; its entries begin with spread 1/sqrt(d_model). Row `pad` begins as 0 and gets no gradient.
    """

    def __init__(self, vocab, d_model, pad=0):
        super().__init__()
        ### BEGIN SOLUTION
        self.d_model = d_model
        self.table = nn.Embedding(vocab, d_model, padding_idx=pad)
        nn.init.normal_(self.table.weight, std=d_model**-0.5)
        nn.init.zeros_(self.table.weight[pad])
        ### END SOLUTION

    def forward(self, ids):
        ### BEGIN SOLUTION
        return self.table(ids) * math.sqrt(self.d_model)
        ### END SOLUTION


# %% check="TokenEmbedding" points=7
check("TokenEmbedding", TokenEmbedding)

# %% [markdown]
# Two words and padding go in. Which rows of the gradient will not be 0?

# %% demo corrects="003(l)"
embed = TokenEmbedding(vocab=7, d_model=4)
embed(torch.tensor([[5, 3, PAD]])).square().sum().backward()
(weight,) = embed.parameters()
weight.grad.norm(dim=1)  # one number a row

# %% [markdown]
# Rows 3 and 5: a word learns when it is read. Padding was read too, and stays 0.
#
# ### What the factor is for
#
# To the vector that says *which* word it is the Transformer adds one that says *where* it stands, with
# entries between -1 and 1 (lesson 04). Which of the two decides the direction of the sum? Compare one word
# at two places with two words at one place, by the cosine: 1 means the same direction, 0 a right angle.

# %% demo corrects="002(j)"
d_model = 512
position = sinusoidal_encoding(50, d_model)
winter, games = torch.randn(2, d_model) / math.sqrt(d_model)
print(f"size of an entry: {games.std():.3f} of a word, {position.square().mean().sqrt():.3f} of a place")
cosine = lambda a, b: F.cosine_similarity(a, b, dim=0).item()
for name, factor in (("without factor", 1), ("times √d_model", math.sqrt(d_model))):
    here, there = factor * games + position[3], factor * games + position[40]
    other = factor * winter + position[3]
    print(f"{name:15} same word {cosine(here, there):.3f}   same place {cosine(here, other):.3f}")

# %% [markdown]
# Without the factor two words at one place are nearly equal: the place drowns the word. (Why not draw large
# entries at once? The paper uses the table for the output, too, where larger rows would make the first
# scores large: lesson 06.)

# %% [markdown]
# *A good place to stop: about 45 minutes so far. When you come back, run all cells above.*
#
# ## 5. Words that keep the same company
#
# *You shall know a word by the company it keeps* (Firth 1957). **Skip-gram** (Mikolov et al. 2013) makes
# this a task: from a word, the **center**, predict the words near it.
#
# (A Transformer does *not* train its table in this way. Its table learns from the Transformer's own loss,
# in lesson 07 from translation. Skip-gram is a smaller model, which shows in seconds what such a table can
# learn.)

# %% [markdown]
# **Exercise 5** · easy · 6 minutes. In *i drink tea* with `window=1` the center *drink* has the neighbors
# *i* and *tea*; the words at the ends have one neighbor each.
#
# Below, a window of two words to each side slides over six words. Six centers times four neighbors would be
# 24 pairs. Why are there fewer, and how many?

# %% demo
diagrams.sliding_window("i like the beijing winter games".split(), window=2).picture()


# %% exercise="skipgram_pairs"
def skipgram_pairs(tokens, window=2):
    """Pair each token with every other one at most `window` places before or after it.

    tokens: one sentence, a list of words or ids. Returns a list of tuples (center, neighbor), in any order.
    """
    ### BEGIN SOLUTION
    pairs = []
    for i, center in enumerate(tokens):
        for j in range(max(0, i - window), min(len(tokens), i + window + 1)):
            if j != i:
                pairs.append((center, tokens[j]))
    return pairs
    ### END SOLUTION


# %% check="skipgram_pairs" points=6
check("skipgram_pairs", skipgram_pairs)

# %% [markdown]
# A softmax over the vocabulary for every pair is expensive. **Negative sampling** asks an easier question:
# is this pair from the text, or was its second word drawn by chance? With a vector $v$ for the center, $u$
# for its neighbor, and $n_1 \ldots n_k$ for $k$ drawn words, the **negatives**:
#
# $$\ell = -\log \sigma(u \cdot v) - \sum_{i=1}^{k} \log \sigma(-\,n_i \cdot v) \qquad
# \sigma(x) = \frac{1}{1 + e^{-x}}$$
#
# Neighbors pull, negatives push. The loss is the mean of $\ell$ over pairs (Mikolov et al. 2013, eq. 4).

# %% [markdown]
# The slope of $\ell$ by the true score is $\sigma - 1$, by the score of a negative it is $\sigma$. The center
# *drink* is at (1, 2). Its neighbor *tea* has the vector (2, 0). The words *the*, *red* and *two* were drawn
# by chance; their vectors are (1, 1), (-1, 0) and (0, -1). Compute the four scores. Which word moves the
# center most, and in which direction?

# %% demo
center, tea = torch.tensor([1.0, 2.0]), torch.tensor([2.0, 0.0])
drawn = torch.tensor([[1.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
diagrams.pull_and_push(center, tea, drawn, ["drink", "tea", "the", "red", "two"]).picture()

# %% [markdown]
# *The* has the largest score, but it should have a small one: it moves the center most, and pushes it away.
#
# **Exercise 6** · medium · 10 minutes. `F.logsigmoid` computes $\log \sigma$ safely. float64 vectors give a
# float64 loss.


# %% exercise="negative_sampling_loss"
def negative_sampling_loss(center, context, negatives):
    """Mean over pairs: minus log sigmoid of the true score, and of minus each negative's score, summed.

    Shapes: center (pairs, d_model), context (pairs, d_model), negatives (pairs, k, d_model) -> loss ().
    """
    ### BEGIN SOLUTION
    true = (center * context).sum(dim=-1)
    false = (center[:, None] * negatives).sum(dim=-1)  # (pairs, k)
    return -(F.logsigmoid(true) + F.logsigmoid(-false).sum(dim=-1)).mean()
    ### END SOLUTION


# %% check="negative_sampling_loss" points=6
check("negative_sampling_loss", negative_sampling_loss)

# %% [markdown]
# ### Learning
#
# A word has two vectors: one as a center, which we keep, and one as a neighbor. (`text.Vocabulary` is yours,
# plus error messages.) Negatives are drawn by the words' counts among the pairs to the power 3/4; the paper
# takes the counts in the text, which differ only for words near the ends of sentences.

# %% demo
vocabulary = text.Vocabulary(sentences)
untrained = torch.randn(len(vocabulary), 32) / math.sqrt(32)
table = untrained.clone().requires_grad_()
vectors = table.detach()  # the same numbers: they change as the table learns
tuple(vectors.shape)


# %% demo
def train(table, pairs, steps=1000, size=1000, k=5):
    contexts = torch.zeros_like(table, requires_grad=True)
    optimizer = torch.optim.Adam([table, contexts], lr=0.03)
    chance = torch.bincount(pairs.flatten()) ** 0.75
    for _ in range(steps):
        center, context = pairs[torch.randint(len(pairs), (size,))].T
        negatives = torch.multinomial(chance, size * k, replacement=True).view(size, k)
        loss = negative_sampling_loss(table[center], contexts[context], contexts[negatives])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


# %% [markdown]
# All scores begin at 0: what is the first loss, with 5 negatives? It will not fall to 0. Why?

# %% demo
pairs = torch.tensor([pair for words in sentences for pair in skipgram_pairs(vocabulary.encode(words))])
losses = torch.tensor(list(train(table, pairs)))
print(f"{len(pairs):,} pairs; 6 ln 2 = {6 * math.log(2):.3f}")
print(f"first loss {losses[0]:.3f}, last {losses[-50:].mean():.3f}")
smooth = losses.view(-1, 20).mean(dim=1)
ax = plots.lines(range(0, 1000, 20), {"skip-gram": smooth}, "step", "loss, mean of 20 steps")
ax.set_ylim(0, None)
plots.show(ax)

# %% [markdown]
# After *the* many words may come, and a drawn word may be a neighbor as well: no vectors can tell all
# pairs apart. The loss is not the goal here, the vectors are.
#
# ## 6. Nearest words
#
# Compare directions, not lengths, by the **cosine**
# $\frac{a \cdot b}{\lVert a \rVert \lVert b \rVert}$.
#
# **Exercise 7** · easy · 5 minutes. The row of padding is 0; its length must do no harm. (`F.normalize`
# takes care of it. It works along dim=1 unless you say `dim=-1`, the last axis.)


# %% exercise="nearest"
def nearest(vector, table, count=5):
    """Find the rows of the table with the largest cosine to the vector, the largest first.

    Shapes: vector (d_model,), table (vocab, d_model) -> similarity (count,), ids (count,).
    A row of zeros has similarity 0.
    """
    ### BEGIN SOLUTION
    return (F.normalize(table, dim=-1) @ F.normalize(vector, dim=-1)).topk(count)
    ### END SOLUTION


# %% check="nearest" points=5
check("nearest", nearest)

# %% demo
for word in "coffee two father beijing orange watch".split():
    (i,) = vocabulary.encode([word])
    similarity, ids = nearest(vectors[i], vectors, count=5)
    near = zip(vocabulary.decode(ids[1:]), similarity[1:], strict=True)  # the first is the word itself
    print(f"{word:8}", *[f"{other} {cosine:.2f}  " for other, cosine in near])

# %% [markdown]
# Nobody said that *two* is a number or *beijing* a city: they keep the company of their kind. But *orange*
# lies near food and near colors (*light* blue), *watch* near a hat: each is two words, and one vector serves
# both.
#
# ### How well does it work?
#
# Take words of ten kinds. How often is the nearest of them of the same kind?

# %% demo
kinds = """people girl boy teacher doctor mother father student child friend
animals cat dog bird horse
drinks tea coffee milk water
places park library hospital station restaurant school
verbs buy sell read wear wash drink eat
owners my your his our their
food apples eggs cakes oranges
clothes coat shirt dress hat
cities beijing shanghai london paris
numbers two three four five""".splitlines()
kinds = {kind.split()[0]: kind.split()[1:] for kind in kinds}


# %% demo
def same_kind(vectors):
    kind_of = {word: kind for kind, words in kinds.items() for word in words}
    rows = vectors[vocabulary.encode(list(kind_of))]
    closest = [int(nearest(row, rows, count=2)[1][1]) for row in rows]  # the first is the word itself
    names = list(kind_of.values())
    return sum(names[i] == name for i, name in zip(closest, names, strict=True)) / len(names)


print(f"untrained {same_kind(untrained):.0%}, trained {same_kind(vectors):.0%}")

# %% [markdown]
# By chance it would be 9%. In ten runs we saw 94% to 100% trained, 0% to 14% untrained. (It is so high
# because a grammar wrote the text. Real text is less tidy.) The misses were *school* near a city (both
# without *the*), and *drink* or *eat* near what one drinks or eats. The vectors know company, not meaning.
#
# ### A map
#
# **Principal component analysis** finds the two axes that show most of the spread, by a singular value
# decomposition.


# %% demo
def word_map(vectors, count=5):
    shown = {kind: words[:6] for kind, words in list(kinds.items())[:count]}
    rows = vectors[vocabulary.encode([word for words in shown.values() for word in words])]
    rows = F.normalize(rows, dim=-1)  # directions, as above
    centered = rows - rows.mean(dim=0)
    _, spread, axes = torch.linalg.svd(centered, full_matrices=False)
    share = spread[:2].square().sum() / spread.square().sum()
    return plots.word_map(centered @ axes[:2].mT, shown, title=f"two axes hold {share:.0%} of the spread")


plots.show(word_map(untrained))

# %% demo
plots.show(word_map(vectors))

# %% [markdown]
# Before: no order. After: islands. With another seed they lie elsewhere, and some touch: two axes of 32
# hide much. (In ten runs 62% to 96% of these words had one of their own kind nearest in the map.)
#
# ## 7. One word, one vector
#
# *We watch the winter games*, *we play video games*: 冬奥会 and 电子 游戏 in Chinese. The corpus has five
# translations of *games* (also 比赛, 奥运会 and 亚运会). How much do the vectors of *games* differ?

# %% demo
olympics, pastime = "we watch the winter games".split(), "we play video games".split()
first, second = vectors[vocabulary.encode(olympics)], vectors[vocabulary.encode(pastime)]
(first[-1] - second[-1]).abs().max()

# %% [markdown]
# Not at all: a table does not know the sentence. A model that reads only this vector translates *games* the
# same way every time. So read the neighbors too, in the crudest way: average the vectors of the word and of
# some words on either side.


# %% demo
def around(words, form, reach):
    """The mean vector of `form` and of up to `reach` words on either side."""
    i = words.index(form)
    return vectors[vocabulary.encode(words[max(0, i - reach) : i + reach + 1])].mean(dim=0)


# %% [markdown]
# How often does this average give away the translation? Half of the sentences give a mean for each
# translation; for the others the nearest mean is the guess. Without neighbors the best guess is the most
# frequent translation.


# %% demo
def share_right(form, word, reach):
    found = [pair for pair in corpus if pair.source.count(form) == 1 and word in dict(pair.senses)]
    names = [dict(pair.senses)[word] for pair in found]
    if reach == 0:
        return max(map(names.count, names)) / len(names)
    labels = torch.tensor([sorted(set(names)).index(name) for name in names])
    averages = torch.stack([around(pair.source, form, reach) for pair in found])
    half = len(found) // 2
    means = [averages[:half][labels[:half] == i].mean(dim=0) for i in labels.unique()]
    guess = torch.cdist(averages[half:], torch.stack(means)).argmin(dim=1)
    return (guess == labels[half:]).float().mean().item()


# %% demo
words = {"games": "game", "watch": "watch", "bank": "bank"}
curves = {form: [share_right(form, word, reach) for reach in range(6)] for form, word in words.items()}
plots.show(plots.lines(range(6), curves, "neighbors read on either side", "share of right translations"))

# %% [markdown]
# One neighbor on either side helps at once. But with five *games* is read worse than with one, in each of
# ten runs: in an average *winter* has no more say than *the* and *at*. *Watch* wants two neighbors or three,
# *bank* one.
#
# A better reader chooses whom to listen to, anew for each word in each sentence. That is **attention**.

# %% [markdown]
# ## 8. In your own words
#
# A classmate numbers words with `{word: i for i, word in enumerate(set(words))}` and pads with 0. Her
# translator trains well; she saves its weights. Explain (a) what happens to the word that got id 0, in
# the mask and in a table with `padding_idx=0`, (b) why the translations may be nonsense tomorrow although
# the weights load without an error, and (c) what she must change, and whether the saved weights can be
# used afterwards.

# %% [markdown] points=3 question="ids_are_a_promise"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** both places where a program reads id 0: what the mask does with this word,
# and what happens to its row of the table while training.
# **Model answer:** The mask hides it in every sentence as if it were padding, and its row of the table
# stays 0 and gets no gradient, so it never learns.
# **Marking:** Half a point for one of the two.
#
# (b) **A full answer names** what changes from one run of the program to the next, and what therefore no
# longer belongs to the saved rows, though all shapes agree.
# **Model answer:** A set of strings has another order in every run (hashes of strings are randomized).
# The rows of the table belong to yesterday's ids: shapes agree, meanings do not.
# **Marking:** Half a point for "ids change" without saying why the weights no longer fit.
#
# (c) **A full answer names** two changes, one for the special symbols and one for the order of the words;
# and what one would have to know to read the old rows again.
# **Model answer:** Reserve 0 to 3 for the special symbols and sort the words (or save the vocabulary with
# the weights). The saved weights are lost, unless yesterday's order was kept: nobody knows which row was
# which word.
# **Marking:** Accept "train again".
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - A vocabulary: special symbols first, then words, each with an id of its own, the same in every run.
# - Padding makes a rectangle; it is masked, and its vector is 0.
# - An embedding is a one-hot product done by look-up: a table that is learned, times $\sqrt{d_{model}}$.
# - Words in like company get like vectors.
# - One vector a word cannot tell *winter games* from *video games*.
#
# **Next:** lesson 02 lets every word choose which others to read.

# %%
progress()
