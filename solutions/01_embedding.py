# %% [markdown]
# # Embedding: words as vectors
#
# A network computes with numbers, not with words. In this lesson each word gets an id, and each id gets a
# vector. Then the vectors learn from a text which words are alike. At the end you meet a word, *games*, for
# which one vector is not enough.
#
# **You need** lesson 00. You should know matrix products, and what a gradient is. **Time:** 90 minutes in two
# sittings, seven short exercises.

# %%
import math
from itertools import islice

import torch
import torch.nn.functional as F
from torch import nn

from course_lib import plots
from course_lib.corpus import draw_pairs
from course_lib.exercises.embedding import check, hint, model_answer, progress
from course_lib.model.positions import sinusoidal_encoding

torch.manual_seed(0)
torch.set_printoptions(precision=3, sci_mode=False)
f"PyTorch {torch.__version__} is ready"

# %% [markdown]
# ## 1. Every word gets a number
#
# A **vocabulary** gives each word that it knows a number, its **id**. The first four ids belong to special
# symbols:
#
# | id | symbol | meaning |
# |---|---|---|
# | 0 | `<pad>` | no word: padding fills up short sentences |
# | 1 | `<bos>` | the beginning of a sentence |
# | 2 | `<eos>` | the end of a sentence |
# | 3 | `<unk>` | a word that is not in the vocabulary |
#
# After them come the words, each word once, in sorted order. So the same words get the same ids on every
# machine.

# %% [markdown]
# **Exercise 1** · easy · 8 minutes. Write the class `Vocabulary`. It keeps a list of all words, which leads
# from an id to its word, and a dict, which leads from a word to its id. A sentence is a list of words. Do not
# change the words, not even their capital letters, and put them in the order of Python's `sorted`.
#
# Which of the two does `encode` need, the list or the dict? And which does `decode` need?

# %% exercise="Vocabulary"
SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"]
PAD, BOS, EOS, UNK = range(4)


class Vocabulary:
    """Gives ids to the four special symbols, and then to the words of `sentences`, in sorted order.

    `encode` turns a list of words into a list of ids (UNK for an unknown word). `decode` turns a list of ids
    into a list of words.
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
# A tutorial's toy translator has the vocabulary of the next cell. It was written by hand, and the masks of
# this translator hide id 0 as padding. Which words will be read back from the ids, and which word will be
# hidden?

# %% demo corrects="004(a) 004(b)"
toy = {"I": 0, "like": 1, "the": 2, "2022": 3, "Beijing": 4, "Winter": 4, "Games": 4}
ids = torch.tensor([toy[word] for word in "I like the 2022 Beijing Winter Games".split()])
word_of = {i: word for word, i in toy.items()}
print("read back:", *[word_of[i] for i in ids.tolist()])
print("hidden:   ", *[word_of[i] for i in ids[ids == 0].tolist()])
table = torch.randn(5, 8)
"Beijing, Winter and Games have the same vector:", bool((table[ids[4:]] == table[4]).all())

# %% [markdown] corrects="004(a) 004(b) 004(n)"
# This vocabulary has two faults. *Beijing*, *Winter* and *Games* share one id, so the model reads *Games
# Games Games*, whatever it learns. And id 0 is padding **and** *I*, so the masks hide *I*. (Its Chinese
# vocabulary gives id 0 to 我, so 我 is hidden too.) The code descends from graykode's code. There, id 0
# was `'P'`, with the comment "Padding Should be Zero". The next cell uses your vocabulary.

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
# A model processes several sentences together, in one tensor of shape (batch, seq). A tensor is a rectangle,
# so short sentences are filled up at the end. The next cell draws a batch of three sentences, with 5, 4 and 3
# words. What is the shape of its ids? How many of these ids are padding?

# %% demo
from course_lib import text as course_text
from course_lib.plots import diagrams

three = [line.split() for line in ("i like the beijing games", "she reads two books", "i drink tea")]
words = course_text.Vocabulary(three)
diagrams.padded_batch(three, course_text.pad_batch([words.encode(sentence) for sentence in three])).picture()

# %% [markdown]
# **Exercise 2** · easy · 5 minutes. Fill up every sequence of ids to the length of the longest one, and make
# one tensor of them. What must you know about the whole batch before you can fill up its first sequence?


# %% exercise="pad_batch"
def pad_batch(sequences, pad=0):
    """Fill up every sequence with `pad` to the length of the longest one.

    sequences: a list of lists of ids, none of them empty. Shape of the result: ids (batch, seq), int64.
    """
    ### BEGIN SOLUTION
    longest = max(len(sequence) for sequence in sequences)
    return torch.tensor([sequence + [pad] * (longest - len(sequence)) for sequence in sequences])
    ### END SOLUTION


# %% check="pad_batch" points=5
check("pad_batch", pad_batch)

# %% [markdown]
# The course has its own text, the **corpus**: English sentences from a small grammar, with Chinese
# translations. The next cell makes batches of 32 from 10,000 sentences, first in random order and then sorted
# by length. What share of the ids will be padding in each case?

# %% demo
corpus = list(islice(draw_pairs(), 10_000))
sentences = [pair.source for pair in corpus]
print(*[" ".join(sentence) for sentence in sentences[:3]], sep="\n")
for order, rows in (("random order", sentences), ("sorted by length", sorted(sentences, key=len))):
    batches = [pad_batch([[1] * len(row) for row in rows[i : i + 32]]) for i in range(0, len(rows), 32)]
    share = sum(int((ids == 0).sum()) for ids in batches) / sum(ids.numel() for ids in batches)
    print(f"{order}: {share:.1%} padding")

# %% [markdown]
# In random order nearly half of the ids are padding. After sorting by length almost none are. Training
# therefore puts sentences of similar length into one batch, and masks the padding that remains (lesson 02).

# %% [markdown]
# ## 3. From a number to a vector
#
# Ids are names, not quantities: word 6 is not twice word 3. A **one-hot** vector is as long as the
# vocabulary. It is 1 at the place of the id and 0 elsewhere. We multiply it by a table $E$, which has a row
# of $d_{model}$ numbers for each word:
#
# $$x = \text{onehot}(i)\, E$$
#
# In the next cell the vocabulary has eight entries, and each row of $E$ has four numbers. The product
# multiplies each row by its number in the one-hot vector, and adds the rows. What will the sum be for
# *drink*? How many of the 32 numbers of the table does it depend on?

# %% demo
rows = [*SPECIALS, "books", "drink", "i", "tea"]
one_hot = F.one_hot(torch.tensor(rows.index("drink")), len(rows)).float()
table = torch.randn(len(rows), 4, generator=torch.Generator().manual_seed(0)).round(decimals=1)
diagrams.one_hot_pick(one_hot, table, rows).picture()

# %% [markdown]
# **Exercise 3** · easy · 4 minutes. Turn ids into one-hot vectors with `F.one_hot`, and multiply these by the
# table. How long must a one-hot vector be, so that it has one number for each row of the table?


# %% exercise="one_hot_lookup"
def one_hot_lookup(ids, table):
    """Turn ids into one-hot vectors, and multiply these by the table.

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
# The product picks one row of the table. `table[ids]` picks the same row without any multiplication, so
# programs use `table[ids]`. But the product shows what the table is: a **weight matrix**, the first layer
# of the model.
#
# Some texts say that the Transformer's vectors come from one-hot coding alone, or from another model such
# as BERT. In the Transformer paper (Vaswani et al. 2017) they come from the table. Its rows begin as
# random numbers, and they are trained together with all other weights. (A table may also be taken over
# from another model, as in lesson 08.)

# %% [markdown]
# ### Words, or pieces of words?
#
# The Transformer paper has about 37,000 rows in its table, but they do not belong to words. They belong to
# **byte-pair tokens** (Sennrich et al. 2016), which English and German share. This vocabulary begins with
# single letters. Then the most frequent pair of neighboring tokens is joined into a new token, again and
# again. In the end a frequent word is one token. A rare word such as *lower* is several tokens, for
# example *low* and *er*. A new word is written with known tokens, not as `<unk>`. Our corpus has only
# about 400 words, so we stay with whole words.

# %% demo
counted = {word: sum(s.count(word) for s in sentences) for word in ("play", "playing", "reading")}
diagrams.byte_pairs(counted, merges=7, new=["replaying"]).picture()

# %% [markdown] corrects="002(j)"
# ## 4. The Transformer's embedding
#
# The paper multiplies each vector by a factor (section 3.4). Its authors' code gives the random numbers
# with which the table begins:
#
# $$\text{embed}(i) = \sqrt{d_{model}}\; E_i \qquad E_{ij} \sim \mathcal N(0, 1/d_{model}) \qquad
# E_{pad} = 0$$
#
# The entries of $E$ begin with the standard deviation $1/\sqrt{d_{model}}$, so the length of each row is
# near 1. (At $d_{model} = 512$ this standard deviation is 0.044, not 1.) The factor $\sqrt{d_{model}}$
# brings the standard deviation to 1. The row of padding is 0 and never learns.

# %% [markdown]
# **Exercise 4** · medium · 10 minutes. Write a module that looks up the vectors of ids and multiplies them by
# the factor. `nn.Embedding(vocab, d_model, padding_idx=pad)` holds such a table and looks up its rows. Its
# row `pad` is 0 and gets no gradient. Keep it as `self.table`, because lesson 06 shares the table by this
# name.
#
# `nn.Embedding` draws entries with the standard deviation 1, so you have to draw them again. What does a
# new draw do to row `pad`?


# %% exercise="TokenEmbedding"
class TokenEmbedding(nn.Module):
    """A learned vector for each id, multiplied by the square root of d_model.

    Shapes: ids (batch, seq) -> vectors (batch, seq, d_model). `table`, an nn.Embedding, has the only
    parameter. Its entries begin with the standard deviation 1/sqrt(d_model). The vector of `pad` begins
    as 0, and its row gets no gradient.
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
# The next cell gives your module two words and padding. Which rows of the table get a gradient that is not 0?

# %% demo corrects="003(l)"
embed = TokenEmbedding(vocab=7, d_model=4)
embed(torch.tensor([[5, 3, PAD]])).square().sum().backward()
(weight,) = embed.parameters()
weight.grad.norm(dim=1)  # the length of the gradient of each row

# %% [markdown]
# Only rows 3 and 5 get a gradient, because only words 3 and 5 were read. Padding was read too, but its row
# gets no gradient.
#
# ### What the factor is for
#
# The vector of a word says *which* word it is. The Transformer adds a second vector that says *where* the
# word is, with entries between -1 and 1 (lesson 04). Which of the two vectors decides the direction of the
# sum? The next cell compares one word at two places with two words at one place. It prints cosines: 1 means
# the same direction, and 0 means a right angle. Which cosine will be larger without the factor, and which
# with it?

# %% demo corrects="002(j)"
d_model = 512
position = sinusoidal_encoding(50, d_model)
winter, games = torch.randn(2, d_model) / math.sqrt(d_model)
print(f"size of an entry: word {games.std():.3f}, position {position.square().mean().sqrt():.3f}")
cosine = lambda a, b: F.cosine_similarity(a, b, dim=0).item()
for name, factor in (("without factor", 1), ("times √d_model", math.sqrt(d_model))):
    here, there = factor * games + position[3], factor * games + position[40]
    other = factor * winter + position[3]
    print(f"{name:15} same word {cosine(here, there):.3f}   same place {cosine(here, other):.3f}")

# %% [markdown]
# Without the factor, two words at the same place have nearly the same direction. The vector of the position
# is much longer than the vectors of the words, and hides them. With the factor, the word decides the
# direction more than the place does.
#
# Why not draw large entries from the start? The paper also computes the scores of the output words with
# this table, as you will in lesson 06. Larger rows would make these scores large at the start of training.

# %% [markdown]
# *This is a good place to stop, after about 45 minutes. When you come back, run all cells above.*
#
# ## 5. Words that keep the same company
#
# *You shall know a word by the company it keeps* (Firth 1957). **Skip-gram** (Mikolov et al. 2013) turns this
# sentence into a task: from a word, the **center**, predict the words near it.
#
# A Transformer does *not* train its table in this way. Its table learns from the Transformer's own loss, in
# lesson 07 from the loss of the translator. Skip-gram is a smaller model. It shows in seconds what such a
# table can learn.

# %% [markdown]
# **Exercise 5** · easy · 6 minutes. Pair each word of a sentence with each of its neighbors. In *i drink tea*
# with `window=1`, the center *drink* has the neighbors *i* and *tea*. The words at the ends have one neighbor
# each.
#
# In the next cell a window of two words on each side slides over six words. Six centers with four neighbors
# each would make 24 pairs. Why are there fewer, and how many are there?

# %% demo
diagrams.sliding_window("i like the beijing winter games".split(), window=2).picture()


# %% exercise="skipgram_pairs"
def skipgram_pairs(tokens, window=2):
    """Pair each token with every other token that is at most `window` places before or after it.

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
# A softmax over the whole vocabulary is expensive to compute for every pair. **Negative sampling** asks an
# easier question: is this pair from the text, or was its second word drawn by chance? Let $v$ be the vector
# of the center and $u$ the vector of its neighbor. $n_1 \ldots n_k$ are the vectors of $k$ words that were
# drawn by chance, the **negatives**. The loss of the pair is:
#
# $$\ell = -\log \sigma(u \cdot v) - \sum_{i=1}^{k} \log \sigma(-\,n_i \cdot v) \qquad
# \sigma(x) = \frac{1}{1 + e^{-x}}$$
#
# A neighbor pulls the center nearer, and a negative pushes it away. The loss of a batch is the mean of $\ell$
# over its pairs (Mikolov et al. 2013, eq. 4).

# %% [markdown]
# Each dot product is a **score** $s$. The true score is $u \cdot v$. The derivative of $\ell$ with respect
# to the true score is $\sigma(s) - 1$, and with respect to the score of a negative it is $\sigma(s)$. For
# each of the $k + 1$ words, a step of gradient descent moves the center by minus this derivative times the
# vector of that word, and times the learning rate.
#
# The center *drink* has the vector (1, 2), and its neighbor *tea* has (2, 0). The words *the*, *red* and
# *two* were drawn by chance. Their vectors are (1, 1), (-1, 0) and (0, -1). Compute the four scores. Which
# word moves the center most, and in which direction?

# %% demo
center, tea = torch.tensor([1.0, 2.0]), torch.tensor([2.0, 0.0])
drawn = torch.tensor([[1.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
diagrams.pull_and_push(center, tea, drawn, ["drink", "tea", "the", "red", "two"]).picture()

# %% [markdown]
# *The* moves the center most, by (-0.95, -0.95) at learning rate 1: away from its own vector (1, 1). It is
# a negative, so its score should be small, but it is the largest of the four.
#
# **Exercise 6** · medium · 10 minutes. Write the loss of a batch of pairs. `F.logsigmoid` computes
# $\log \sigma$ and stays finite at large scores. If the vectors are float64, the loss is float64 too.
#
# Which axis must `center` get, so that it meets each of the $k$ negatives of its pair?


# %% exercise="negative_sampling_loss"
def negative_sampling_loss(center, context, negatives):
    """Compute the loss of each pair from its true score and its k negative scores; average over pairs.

    `center` and `context` hold the vectors of each pair's center and of its neighbor.
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
# Each word has two vectors: one as a center, which we keep, and one as a neighbor. (`course_text.Vocabulary`
# is your class with error messages added.) The probability of drawing a word as a negative is proportional
# to $n^{3/4}$, where $n$ is how often the word occurs in the pairs. Mikolov et al. count words in the text
# instead. This makes a difference only for words near the ends of sentences.

# %% demo
vocabulary = course_text.Vocabulary(sentences)
untrained = torch.randn(len(vocabulary), 32) / math.sqrt(32)
table = untrained.clone().requires_grad_()
vectors = table.detach()  # the same memory, so the vectors change as the table learns
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
# All scores begin at 0, because `contexts` begins as zeros. What is the first loss, with 5 negatives? The
# loss will not fall to 0. Why not?

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
# Many words occur after *the*, and a word that is drawn by chance may be a real neighbor as well. So no
# vectors can tell all pairs apart. But the loss is not our goal here. Our goal is the vectors.

# %% [markdown]
# **GloVe** (Pennington et al. 2014) makes such a table in another way. It first counts in the whole text how
# often each word occurs near each other word. Then it chooses the vectors so that $u \cdot v$, plus one bias
# for each of the two words, is close to the logarithm of the count. Skip-gram reads one pair after another
# and never stores the counts. Both methods give similar vectors to words that have similar neighbors.

# %% [markdown]
# ## 6. Nearest words
#
# Two vectors are similar if they have the same direction, whatever their lengths. The **cosine** of the angle
# between them measures this: $\frac{a \cdot b}{\lVert a \rVert \lVert b \rVert}$.
#
# **Exercise 7** · easy · 5 minutes. Find the rows of a table that have the largest cosine to a vector. In
# a table such as exercise 4's, the row of padding is 0, so it has no length to divide by. `F.normalize`
# handles such a row. Its default is dim=1, which a single vector does not have. `dim=-1`, the last axis,
# fits the vector and the table. Which axis of the table holds the numbers of one word?


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
# No sentence says that *two* is a number or *beijing* a city. Each word is near words of its kind, because
# it occurs beside the same words as they do. But *orange* is near food and near *light*, which goes with
# colors (*light blue*), and *watch* is near *hat*. Both words have two meanings, and one vector has to
# serve both meanings.
#
# ### How well does it work?
#
# The next cells list words of ten kinds, and find the nearest other word in the list for each of them. How
# often will it be of the same kind, before and after training?

# %% demo
kinds = {
    "people": "girl boy teacher doctor mother father student child friend".split(),
    "animals": "cat dog bird horse".split(),
    "drinks": "tea coffee milk water".split(),
    "places": "park library hospital station restaurant school".split(),
    "verbs": "buy sell read wear wash drink eat".split(),
    "owners": "my your his our their".split(),
    "food": "apples eggs cakes oranges".split(),
    "clothes": "coat shirt dress hat".split(),
    "cities": "beijing shanghai london paris".split(),
    "numbers": "two three four five".split(),
}


# %% demo
def same_kind(vectors):
    kind_of = {word: kind for kind, words in kinds.items() for word in words}
    rows = vectors[vocabulary.encode(list(kind_of))]
    closest = [int(nearest(row, rows, count=2)[1][1]) for row in rows]  # the first is the word itself
    names = list(kind_of.values())
    return sum(names[i] == name for i, name in zip(closest, names, strict=True)) / len(names)


print(f"untrained {same_kind(untrained):.0%}, trained {same_kind(vectors):.0%}")

# %% [markdown]
# By chance, the nearest word would be of the same kind for 9 % of the words. In ten runs, this was true of
# 94 to 100 % of the words after training, and of 0 to 14 % before. (The share is this high because a
# grammar wrote the text. Real text is less tidy.) The misses were *school* near a city, because both occur
# without *the*, and *drink* or *eat* near things to drink or eat. The vectors hold which words occur
# together. They do not hold what the words mean.

# %% [markdown]
# ### A map
#
# **Principal component analysis** finds the two axes along which the vectors spread most. It uses a
# singular value decomposition. What will the map of the untrained vectors look like? What will the map of
# the trained vectors look like?


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
# The untrained vectors show no order. The trained vectors of each kind lie together. With another seed the
# groups are at other places, and some of them touch, because two axes out of 32 hide much. (In ten runs, the
# nearest neighbor in the map was of the same kind for 62 to 96 % of these words.)
#
# ## 7. One word, one vector
#
# In *we watch the winter games*, *games* belongs to 冬奥会. In *we play video games*, it belongs to 电子
# 游戏. The corpus has three more translations of *games*: 比赛, 奥运会 and 亚运会. How much do the vectors of
# *games* in the two sentences differ?

# %% demo
olympics, pastime = "we watch the winter games".split(), "we play video games".split()
first, second = vectors[vocabulary.encode(olympics)], vectors[vocabulary.encode(pastime)]
(first[-1] - second[-1]).abs().max()

# %% [markdown]
# They do not differ at all, because a table does not see the sentence. A model that reads only this vector
# translates *games* the same way every time. The neighbors can help. The simplest way to use them is to
# average the vectors of the word and of some words on each side.


# %% demo
def around(words, form, reach):
    """The mean of the vectors of `form` and of up to `reach` words on each side."""
    i = words.index(form)
    return vectors[vocabulary.encode(words[max(0, i - reach) : i + reach + 1])].mean(dim=0)


# %% [markdown]
# How often does this average tell the translation? The corpus names the right translation (`pair.senses`).
# From the first half of the sentences we compute a mean of the averages for each translation. In the
# second half, we guess the translation whose mean is nearest. Without neighbors the best guess is the most
# frequent translation. Will more neighbors always help?


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
plots.show(plots.lines(range(6), curves, "neighbors read on each side", "share of right translations"))

# %% [markdown]
# One neighbor on each side helps at once. But with five neighbors on each side the guess for *games* is worse
# than with one, in each of ten runs. In an average, *winter* counts no more than *the* and *at*. *Watch* is
# best with two or three neighbors on each side, and *bank* with one.
#
# A better model chooses which words count, and it chooses again for each word in each sentence. That is
# **attention**.

# %% [markdown]
# ## 8. In your own words
#
# A classmate numbers words with `{word: i for i, word in enumerate(set(words))}` and pads with 0. Her
# translator trains well, and she saves its weights.
#
# (a) What happens to the word that got id 0, in the mask and in a table with `padding_idx=0`? (b) Tomorrow
# the weights load without an error, but the translations may be nonsense. Say what changes from run to
# run, and what no longer fits. (c) Name two changes that she must make. What would she then have to know
# in order to use the old weights?

# %% [markdown] points=3 question="ids_are_a_promise"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** both places where a program reads id 0: what the mask does with this word, and
# what happens to its row of the table during training.
# **Model answer:** The mask hides the word in every sentence, as if it were padding. Its row of the table
# stays 0 and gets no gradient, so it never learns.
# **Marking:** Give half a point for one of the two.
#
# (b) **A full answer names** what changes from one run of the program to the next, and what therefore no
# longer belongs to the saved rows, although all shapes agree.
# **Model answer:** A set of strings has another order in every run, because hashes of strings are randomized.
# The rows of the saved table belong to yesterday's ids. The shapes agree, but each row now belongs to another
# word.
# **Marking:** Give half a point for "ids change" without the reason why the weights no longer fit.
#
# (c) **A full answer names** two changes, one for the special symbols and one for the order of the words, and
# what has to be known to read the old rows again.
# **Model answer:** She must reserve ids 0 to 3 for the special symbols, and sort the words (or save the
# vocabulary with the weights). The saved weights are lost unless yesterday's order was kept, because nobody
# knows which row belonged to which word.
# **Marking:** Accept "train again".
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - A vocabulary gives ids to the special symbols first, and then to the words. The ids are the same in every
#   run.
# - Padding makes a batch a rectangle. It is masked, and its vector is 0.
# - An embedding is a product of one-hot vectors and a table, done by look-up. The table is learned, and the
#   vectors are multiplied by $\sqrt{d_{model}}$.
# - Words that occur beside the same words get similar vectors.
# - One vector for a word cannot tell *winter games* from *video games*.
#
# **Next:** in lesson 02, every word chooses which other words it reads.

# %%
progress()
