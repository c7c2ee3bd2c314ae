# %% [markdown]
# # Transfer learning: what pretraining buys
#
# Labels are expensive, and text is cheap. In this lesson a model first learns from 20,000 sentences without
# labels, by predicting words that you hide. Then it learns a task from a handful of labels. You measure how
# much the first stage helps, and where it does not help. At the end you use the same layers for three kinds
# of model.
#
# **You need** lessons 01, 02 and 06. **Time:** 120 minutes in two sittings, five exercises.

# %%
import random
from copy import deepcopy

import torch
import torch.nn.functional as F
from torch import nn

from course_lib import plots, widgets
from course_lib.corpus import load_corpus
from course_lib.corpus.comparisons import load_comparisons
from course_lib.corpus.topics import TOPICS, draw_examples, load_topics
from course_lib.exercises.transfer_learning import check, hint, model_answer, progress
from course_lib.model.config import TransformerConfig
from course_lib.model.transformer import Transformer

# %% [markdown]
# The library contains the pieces that you built in earlier lessons, with error messages.
# %%
from course_lib.text import BOS, EOS, PAD, Vocabulary, pad_batch
from course_lib.training.batches import Bitext
from course_lib.training.pretraining import TextModel, train_on_sentences
from course_lib.training.trainer import Recipe, train
from course_lib.translation.marian import MarianTranslator
from course_lib.translation.metrics import bleu, exact_match
from course_lib.translation.translator import Translator

f"PyTorch {torch.__version__} is ready"

# %% [markdown]
# ## 1. Six topics, thirty labels
#
# The task is to predict the topic of a sentence: animals, clothes, food, drinks, places or music. For each
# topic you have five labeled sentences. The test is hard on purpose, because its topic words occur in **no
# labeled sentence**. A model that has seen labels for *dog* and *cat* has to recognize *horse*. A
# **validation set** of other sentences about the labeled words serves to choose a learning rate in section
# 4.

# %% demo
task = load_topics()
words = Vocabulary(task.plain)
for topic, (labeled, tested) in TOPICS.items():
    print(f"{topic:8} labels: {labeled:24} test: {tested}")
print(f"{len(task.plain):,} sentences without labels, such as: {' '.join(task.plain[7])}")


# %% demo
def batch_of(examples):
    ids = pad_batch([words.encode(sentence, eos=True) for sentence, topic in examples])
    return ids, torch.tensor([topic for sentence, topic in examples])


few, few_topics = batch_of(draw_examples(task.known[::2], each=5, seed=0))
validation = batch_of(draw_examples(task.known[1::4], each=30, seed=0))
test, test_topics = batch_of(draw_examples(task.new, each=100, seed=0))
tuple(few.shape), tuple(test.shape)

# %% [markdown] corrects="000(h)"
# ### Stages, not sorts of models
#
# **Pretraining** is a stage of training before the one you care about. Here the right answers cost nothing,
# because they are in the text itself; such training is called **self-supervised**. Pretraining may also use
# labels, such as those of the photos in ImageNet, or sentence pairs, as for the model of section 6.
# **Fine-tuning** continues from the pretrained weights. Pretraining does not have to start at random
# weights. A pretrained model can be pretrained further, on other text.
#
# One self-supervised task is to hide a word and ask for it.

# %% [markdown]
# ## 2. Hide words
#
# BERT (Devlin et al. 2019) chooses 15 % of the words. Of the chosen words, 80 % become `<mask>`, 10 %
# become a random word, and 10 % stay unchanged. The model has to predict all chosen words.
#
# BERT does not use `<mask>` every time, because no sentence contains `<mask>` after pretraining. And since
# any word may be a random one, the model also has to check the words that are not hidden.

# %% [markdown]
# **Exercise 1** · medium · 12 minutes. Write `mask_tokens`. Ids 0 to 3 are special symbols, and `mask` is
# the last id. The label of a chosen word is its original id. The label of every other place is -100, which
# `F.cross_entropy` skips. `ids` and both results are `torch.int64`. Give `generator` to every draw, so that a
# run can be repeated. Each place needs its own random numbers: what has to be decided for each place?


# %% exercise="mask_tokens"
def mask_tokens(ids, mask, chance=0.15, generator=None):
    """Choose each ordinary word with probability `chance`, hide the chosen words, and return their labels.

    Of the chosen words, 80 % become `mask`, 10 % a random ordinary word (all are equally likely), 10 % stay.
    Ordinary words have the ids 4 to mask - 1. No other id is ever chosen, or drawn as a random word.
    Shapes: ids (batch, seq) -> masked (batch, seq), labels (batch, seq) with -100 where no word is chosen.
    """
    ### BEGIN SOLUTION
    chosen = (torch.rand(ids.shape, generator=generator) < chance) & (ids >= 4) & (ids != mask)
    labels = ids.masked_fill(~chosen, -100)
    fate = torch.rand(ids.shape, generator=generator)
    random_words = torch.randint(4, mask, ids.shape, generator=generator)
    masked = ids.masked_fill(chosen & (fate < 0.8), mask)
    return torch.where(chosen & (fate >= 0.8) & (fate < 0.9), random_words, masked), labels
    ### END SOLUTION


# %% check="mask_tokens" points=9
check("mask_tokens", mask_tokens)

# %% demo
MASK = len(words)  # the first id after the vocabulary
names = [*words.to_list(), "<mask>"]
ids = torch.tensor([words.encode(task.plain[i], eos=True) for i in (7,) * 4])
masked, labels = mask_tokens(ids, MASK, chance=0.3, generator=torch.Generator().manual_seed(24))
for row, asked in zip(masked.tolist(), labels.tolist(), strict=True):
    answers = [names[i] for i in asked if i != -100]
    print(" ".join(names[i] for i in row), " | asked:", *answers)

# %% [markdown]
# Each row is the same sentence with its own random numbers. Not every asked word becomes `<mask>`: on
# average, 1 asked word in 10 stays as it is, and 1 in 10 becomes a random word. A row may also have no
# asked word at all. Then it adds nothing to the loss.

# %% [markdown]
# ### From a vector back to a word
#
# The encoder gives a vector $x$ for each place. Which word was there? BERT's head transforms the vector and
# compares it with **every row of the embedding table** by a dot product. For the row $e_w$ of word $w$:
#
# $$h = \text{LayerNorm}(\text{GELU}(x W + c)) \qquad \text{score}(w) = h \cdot e_w + b_w$$
#
# The table $e$ is the table that the encoder reads (*tied* weights, lesson 06). So predicting words trains
# the same vectors that represent them in the input.
#
# **Exercise 2** · medium · 8 minutes. Write `MaskedWordHead`. The table is not part of the head. `forward`
# receives it as an argument, and each call may pass another table. Which product compares a vector with all
# rows at once?


# %% exercise="MaskedWordHead"
class MaskedWordHead(nn.Module):
    """Score every word of the vocabulary (Devlin et al. 2019): dense layer, GELU, layer norm, then the table.

    `dense` is an nn.Linear, `norm` is an nn.LayerNorm, and `bias` is an nn.Parameter of shape (vocab,) that
    starts at 0.
    """

    def __init__(self, d_model, vocab):
        super().__init__()
        ### BEGIN SOLUTION
        self.dense = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model)
        self.bias = nn.Parameter(torch.zeros(vocab))
        ### END SOLUTION

    def forward(self, x, table):
        """Shapes: x (batch, seq, d_model), table (vocab, d_model) -> logits (batch, seq, vocab)."""
        ### BEGIN SOLUTION
        return self.norm(F.gelu(self.dense(x))) @ table.mT + self.bias
        ### END SOLUTION


# %% check="MaskedWordHead" points=6
check("MaskedWordHead", MaskedWordHead)

# %% [markdown]
# ### Pretrain
#
# `TextModel` is the course's encoder with an embedding: one layer, $d_{model} = 64$. We choose 30 % of the
# words, because 15 % of a short sentence is only one word. (Wettig et al. 2023 found more than 15 % to be
# better for large models too.) The words and `<mask>` have 404 ids. What is the loss before any training?


# %% demo
class MaskedModel(nn.Module):
    def __init__(self, body, seed=0):
        super().__init__()
        self.body, self.head = body, MaskedWordHead(64, len(names))
        self.generator = torch.Generator().manual_seed(seed)

    def loss(self, ids):
        masked, labels = mask_tokens(ids, MASK, chance=0.3, generator=self.generator)
        asked = labels != -100
        logits = self.head(self.body(masked)[asked][None], self.body.table)
        return F.cross_entropy(logits[0], labels[asked])


# %% demo
gaps = ["she drank a cup of _", "the _ is sleeping under the tree", "he _ the violin every evening"]
gaps += ["we will watch the beijing winter _ tonight", "_ you help me ?"]


def guesses(model, sentence, count=4):
    ids = torch.tensor([[MASK if w == "_" else words.encode([w])[0] for w in sentence.split()] + [EOS]])
    with torch.no_grad():
        scores = model.head(model.body(ids), model.body.table)[ids == MASK][0]
    chances, best = scores.softmax(dim=-1).topk(count)
    return ", ".join(f"{names[i]} {p:.2f}" for i, p in zip(best.tolist(), chances.tolist(), strict=True))


# %% [markdown]
# Pretraining takes about 20 seconds on one core. Afterwards the model fills the gaps `_` in five sentences.
# Which words would you put there?

# %% demo
torch.manual_seed(0)
fresh, losses = TextModel(len(names)), []
pretrained = deepcopy(fresh)  # train_on_sentences changes it in place
model = MaskedModel(pretrained)
plain = [words.encode(sentence, eos=True) for sentence in task.plain]
losses = train_on_sentences(model, model.loss, plain, steps=1500)
for sentence in gaps:
    print(f"{sentence:44} {guesses(model, sentence)}")
smooth = torch.tensor(losses).view(-1, 25).mean(dim=1)
plots.show(plots.lines(range(0, 1500, 25), {"masked words": smooth}, "step", "loss, mean of 25 steps"))

# %% [markdown]
# The loss began near $\ln 404 = 6.0$, which is the loss if every word gets the same probability. It cannot
# reach 0. After *a cup of*, both *tea* and *coffee* are possible, and the sentence does not tell which.
#
# No label says what a drink is. The model found out which words occur in the same place. Its guesses do not
# always make sense. In each of four runs, *chair* was among the guesses for what is sleeping under the tree.

# %% [markdown]
# ## 3. One word, three vectors
#
# *Games* can mean 冬奥会 (Winter Olympics), 游戏 (games that you play) or 比赛 (matches). There are three
# ways to write the word as a vector:
#
# | vector | *games* in three sentences | it depends on |
# |---|---|---|
# | one-hot (lesson 01) | one vector | the id alone |
# | a row of a table, **static** (lesson 01) | one vector | the words around *games* in all sentences |
# | the encoder's output, **contextual** | three vectors | the words of this sentence |

# %% demo
senses = ("冬奥会", "游戏", "比赛")
found = {sense: [] for sense in senses}
for pair in load_corpus(train=15_000).train:
    for sense in {chinese for english, chinese in pair.senses if english == "game"} & found.keys():
        if "games" in pair.source and len(found[sense]) < 40:
            found[sense].append(pair.source)
[" ".join(sentences[1]) for sentences in found.values()]


# %% [markdown]
# The cell above collected 40 sentences for each translation of *games*. For each of the 120 vectors of
# *games*, we find the nearest of the other 119. In what share of cases do both have the same translation? By
# chance it is about 33 %. Which vectors will agree most often: those of the encoder before pretraining, those
# of the encoder after pretraining, or means of static vectors, as in lesson 01?


# %% demo
@torch.no_grad()
def vectors_of_games(body):
    """The body's vectors of *games* in 40 sentences for each translation: (3, 40, d_model)."""
    at = lambda s: body(torch.tensor([words.encode(s, eos=True)]))[0, s.index("games")]
    return torch.stack([torch.stack([at(s) for s in sentences]) for sentences in found.values()])


def nearest_agrees(vectors):
    flat = vectors.flatten(0, 1)
    nearest = torch.cdist(flat, flat).fill_diagonal_(torch.inf).argmin(dim=1)
    return (nearest // 40 == torch.arange(120) // 40).float().mean().item()


# %% demo
def static_around(s, reach=2):
    """The mean of the static vectors of *games* and of two words on either side, as in lesson 01."""
    i = s.index("games")
    return pretrained.table.detach()[words.encode(s[max(0, i - reach) : i + reach + 1])].mean(dim=0)


for steps, body in ((0, fresh), (len(losses), pretrained)):
    print(f"after {steps:4} steps: {nearest_agrees(vectors_of_games(body)):.0%} translated like the nearest")
static = torch.stack([torch.stack([static_around(s) for s in sentences]) for sentences in found.values()])
print(f"mean of static vectors, two words on either side: {nearest_agrees(static):.0%}")

# %% [markdown]
# The untrained encoder also mixes in the neighboring words, but with random weights, and it is far behind.
# Now compare the second line of the output with the third. A plain mean of *pretrained static* vectors is as
# good as the encoder. The word that decides the meaning of *games* is nearby, so this test does not show
# what an encoder adds. Section 4 has a test that shows it.
#
# The next cells draw a map. For each translation we take the mean vector of 35 sentences. These three means
# define a plane, and the map shows five other sentences of each translation on this plane. These five were
# **not** used for the means. Which translations will be apart, and which may overlap?


# %% demo
def games_map(body, steps):
    vectors = vectors_of_games(body)
    means = vectors[:, 5:].mean(dim=1)
    axes = torch.linalg.svd(means - means.mean(dim=0), full_matrices=False)[2][:2]
    points = (vectors[:, :5] - means.mean(dim=0)) @ axes.mT
    end = lambda s: " ".join(s[max(0, s.index("games") - 2) : s.index("games") + 1])
    labels = {sense: [end(s) for s in found[sense][:5]] for sense in senses}
    title = f"'games' in 15 sentences, after {steps} steps of pretraining"
    ax = plots.word_map(points.flatten(0, 1), labels, title=title)
    ax.set(xlabel="first axis of the plane", ylabel="second axis of the plane")
    return plots.show(ax)


games_map(fresh, 0)

# %% demo
games_map(pretrained, len(losses))

# %% [markdown]
# Before pretraining, the three translations are mixed. After pretraining, the winter games are close
# together, and so are the matches. In *likes the games*, the words that decide its meaning come later: *on my
# phone*. The nearest point is another 游戏, so the encoder has used more than the word before. But the
# nearest 比赛 is hardly farther away, so the map does not separate these two translations well there.
#
# The model has seen no translation. Predicting hidden words was enough.
#
# *A good place to stop: about 60 minutes so far. When you come back, run all cells above.*

# %% [markdown]
# ## 4. Fine-tune
#
# A classifier needs one vector for the whole sentence. We take the mean of the words' vectors, without
# padding (lesson 00). A new linear layer, the **head**, reads this mean. The encoder, called the **body**,
# comes from pretraining.


# %%
class Classifier(nn.Module):
    def __init__(self, body, topics=6):
        super().__init__()
        self.body, self.head = body, nn.Linear(64, topics)

    def forward(self, ids):
        real = (ids != PAD)[..., None]
        return self.head((self.body(ids) * real).sum(dim=1) / real.sum(dim=1))


# %% [markdown]
# The picture shows what the second stage takes over from the first. Guess before you run: which part of the
# pretrained model does the classifier not need? How many of the classifier's 59,846 numbers are not
# pretrained?

# %% demo
from course_lib.plots import diagrams

classifier = Classifier(deepcopy(pretrained))
asked = (masked[1] == MASK).nonzero()[0].item()
hidden = [names[i] for i in masked[1].tolist() if i != EOS]
labeled, topic = draw_examples(task.known[::2], each=5, seed=0)[0]
first, then = f"{len(task.plain):,} sentences without labels", f"{len(few)} labeled sentences"
answers = names[labels[1, asked]], list(TOPICS)[topic]
before = diagrams.TrainingStage("pretraining", first, hidden, model.body, model.head, answers[0])
after = diagrams.TrainingStage("fine-tuning", then, labeled, classifier.body, classifier.head, answers[1])
diagrams.transfer_stages(before, after).picture()

# %% [markdown]
# There are two ways to continue. You can **freeze** the body and train only the head. This is fast, and the
# body keeps all that it has learned. Or you can **fine-tune** everything.
#
# **Exercise 3** · easy · 6 minutes. Write `freeze`. Every parameter has a switch, `requires_grad`. Which
# switches must be on at the end, whatever they were before?


# %% exercise="freeze"
def freeze(model, keep="head"):
    """Make only the part of the model named `keep` trainable, and freeze all other parameters.

    Returns how many numbers are trainable. All of the part is trainable afterwards, even if it was frozen
    before, and even if another part holds the same parameter.
    """
    ### BEGIN SOLUTION
    model.requires_grad_(False)
    kept = getattr(model, keep).requires_grad_(True)
    return sum(parameter.numel() for parameter in kept.parameters())
    ### END SOLUTION


# %% check="freeze" points=5
check("freeze", freeze)

# %% [markdown]
# **Exercise 4** · medium · 10 minutes. The head is new, so its weights must change a lot. The body is
# pretrained, so its weights should change little. An optimizer takes **parameter groups**, each with its
# own learning rate: `torch.optim.AdamW([{"params": ..., "lr": ...}, ...])`. Write `fine_tune`, with all
# examples as one batch. In evaluation mode a model has no dropout. Which call switches to training mode?


# %% exercise="fine_tune"
def fine_tune(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Train `model.body` and `model.head` with AdamW, each at its own learning rate, in training mode.

    Every step uses all of ids (batch, seq) and labels (batch,). The loss is cross-entropy.
    Returns the losses of all steps as a list of floats.
    """
    ### BEGIN SOLUTION
    groups = [
        {"params": model.body.parameters(), "lr": body_rate},
        {"params": model.head.parameters(), "lr": head_rate},
    ]
    optimizer, losses = torch.optim.AdamW(groups), []
    model.train()
    for _ in range(steps):
        loss = F.cross_entropy(model(ids), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
    ### END SOLUTION


# %% check="fine_tune" points=7
check("fine_tune", fine_tune)

# %% [markdown]
# Now train three classifiers on the same 30 labels for 100 steps. *Scratch* starts from an untrained body.
# *Frozen* and *tuned* start from the pretrained body, and only *tuned* trains it. Chance is 17 %. Which
# accuracy do you expect from each, on the 30 sentences and on new words?


# %% demo
def accuracy(model, ids, labels):
    with torch.no_grad():
        return (model(ids).argmax(dim=-1) == labels).float().mean().item()


bodies = {"from scratch": fresh, "frozen body": pretrained, "tuned body": pretrained}
for name, body in bodies.items():
    torch.manual_seed(0)
    classifier = Classifier(deepcopy(body))
    learning = freeze(classifier) if name == "frozen body" else 0
    rate = 0.0 if learning else 3e-3
    last = fine_tune(classifier, few, few_topics, body_rate=rate)[-1]
    on_labels, on_new = accuracy(classifier, few, few_topics), accuracy(classifier, test, test_topics)
    print(f"{name:12} loss {last:.3f}, on the labels {on_labels:.0%}, on new words {on_new:.0%}")

# %% [markdown]
# All three get all 30 labeled sentences right. On new words, pretraining makes the difference. (The
# classifier trained from scratch is above chance, too.)
#
# ### How much may the body move?
#
# At learning rate 0, the body is frozen. At a very high learning rate, the body forgets what pretraining
# taught it. This is called **catastrophic forgetting**. Which learning rate is best? To depend less on
# which sentences get a label, we now draw 42 labels (7 for each topic) three times.
#
# If we chose the rate on the test, the test would no longer tell how good the model is on new words. So we
# choose it on the validation set. Guess the best rate before you run the sweep, which takes about 15
# seconds.


# %% demo
def at_rate(rate):
    """The accuracy on the validation set and on new words: the means of three draws of 42 labels."""
    found = []
    for seed in range(3):
        torch.manual_seed(seed)
        classifier = Classifier(deepcopy(pretrained))
        fine_tune(classifier, *batch_of(draw_examples(task.known[::2], 7, seed)), body_rate=rate)
        found.append([accuracy(classifier, *examples) for examples in (validation, (test, test_topics))])
    means = torch.tensor(found).mean(dim=0).tolist()
    print(f"learning rate {rate:5}: validation set {means[0]:.0%}, new words {means[1]:.0%}")
    return means


# %% demo
rates, sets = [1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3], ("validation set", "new words")
frozen = at_rate(0.0)
curves = dict(zip(sets, zip(*map(at_rate, rates), strict=True), strict=True))
ax = plots.lines(rates, curves, "learning rate of the body", "accuracy, mean of 3 draws of 42 labels")
for name, share, line in zip(sets, frozen, list(ax.lines), strict=True):
    ax.axhline(share, color=line.get_color(), linestyle=":", label=f"{name}, frozen body")
ax.set_xscale("log")
ax.legend(frameon=False, loc="lower left")
plots.show(ax)

# %% [markdown]
# On the validation set, 0.003 is the best of the six rates, so the next cells use it. On new words, the
# rate 0.1 is far below a frozen body. On the validation set the two are about equally good. Probably the
# labels, which are about the same words, make up for what the body forgets.

# %% [markdown]
# We repeated the sweep with four seeds of pretraining and three draws of labels each
# (`python tests/bench/transfer.py --seeds 4 --each --compared --pairs --rates 0 0.003 0.01 0.03 0.1 0.3`).
# The table gives the accuracy in percent: the median of 12 runs, and in brackets the worst and the best
# run.
#
# | learning rate of the body | validation set | new words |
# |---|---|---|
# | 0, frozen | 76 [74..82] | 72 [64..75] |
# | 0.003 | 94 [88..99] | 85 [76..91] |
# | 0.01 | 92 [81..98] | 85 [73..90] |
# | 0.03 | 86 [73..91] | 81 [68..86] |
# | 0.1 | 81 [71..91] | 61 [50..72] |
# | 0.3 | 69 [47..79] | 41 [32..50] |

# %% [markdown]
# **LoRA** (Hu et al. 2022) is between frozen and fine-tuned. The body's matrices stay fixed. LoRA adds the
# product of two small matrices to some of them, in the paper to matrices of the attention, and trains only
# the small matrices.

# %% [markdown]
# ### Learning curves
#
# Now train with 6, 30 and 120 labels, with three draws of each. This takes about 20 seconds. One test asks
# for *new* words, the other for new sentences about *known* words. In which of the two will many labels make
# up for missing pretraining?


# %% demo
def after_tuning(body, each, seed, test_ids, test_labels):
    torch.manual_seed(seed)
    classifier = Classifier(deepcopy(body))
    fine_tune(classifier, *batch_of(draw_examples(task.known[::2], each, seed)), body_rate=3e-3)
    return accuracy(classifier, test_ids, test_labels)


# %% demo
def learning_curve(body, examples):
    """The median accuracy of three draws, for 1, 5 and 20 labels of each topic."""
    unseen = batch_of(examples)
    return [sorted(after_tuning(body, each, seed, *unseen) for seed in range(3))[1] for each in (1, 5, 20)]


new = draw_examples(task.new, each=50, seed=0)
known = draw_examples(task.known[3::4], each=30, seed=0)

# %% demo
curves = {}
for name, body, examples in (
    ("pretrained, new words", pretrained, new),
    ("scratch, new words", fresh, new),
    ("pretrained, known words", pretrained, known),
    ("scratch, known words", fresh, known),
):
    curves[name] = learning_curve(body, examples)
    print(f"{name:24} 6, 30 and 120 labels:", *(f"{share:.0%}" for share in curves[name]))

# %% demo
ax = plots.lines([6, 30, 120], curves, "labels", "accuracy, median of three draws")
ax.set_xscale("log")
ax.set_xticks([6, 30, 120], [6, 30, 120])
ax.minorticks_off()
ax.legend(frameon=False, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
plots.show(ax)

# %% [markdown]
# With known words, 120 labels make up for most of the missing pretraining. With new words, they do not.
#
# ### Where it wins, and where it does not
#
# The table comes from `tests/bench/transfer.py` with five seeds, each with its own pretraining. It gives
# the accuracy in percent: the median, and in brackets the worst and the best seed. *Vectors only* starts
# from the pretrained table and an untrained encoder layer.

# %% [markdown]
# | labels, test | scratch | vectors only | frozen | fine-tuned |
# |---|---|---|---|---|
# | 6, new words | 20 [17..29] | 38 [26..60] | 33 [32..65] | 34 [29..44] |
# | 30, new words | 39 [25..43] | 76 [58..81] | 68 [50..70] | 75 [62..81] |
# | 120, new words | 61 [55..66] | 93 [89..94] | 76 [76..81] | 92 [91..96] |
# | 480, new words | 72 [70..78] | 96 [96..97] | 82 [81..87] | 96 [91..96] |
# | 30, known words | 62 [58..68] | 88 [82..90] | 71 [57..73] | 86 [83..88] |
# | 480, known words | 99 [97..100] | 100 [100..100] | 87 [85..89] | 100 [99..100] |

# %% [markdown]
# The table says:
#
# - **Pretraining helps** where the labels do not show the words of the test, but the text does. At 30
#   labels and new words, the worst fine-tuned seed (62 %) beats the best seed from scratch (43 %). Even
#   with 480 labels about other words, scratch stays behind (72 % against 96 %).
# - **It does not help** where many labels cover the words of the test. There a frozen body loses to
#   scratch.
# - **The gain is in the table** of static vectors, which alone is about as good as fine-tuning.
# - **Pretraining takes time.** With 30 labels and new words, fine-tuning reaches 37 [36..43] % after 100
#   steps of pretraining, 62 [49..68] % after 400 steps (three seeds each), and 75 % after 1,500 steps.

# %% [markdown]
# Where the body is trained, we tried the learning rates 0.001 and 0.003. Each run took the rate with the
# higher accuracy on the validation set. That set has 180 more labels. With 30 labels in all, you would have
# to choose the rate with fewer.

# %% [markdown]
# **Which text?** We pretrained on 5,447 sentences that name a thing of the topics (near text), or on as
# many that name none (far text), for 750 steps on each text. Far text never contains the words of the test.
# We fine-tuned with 30 labels and one learning rate, 0.003, so "none" is not exactly the scratch of the
# table above.

# %% [markdown]
# `tests/bench/near_text.py` prints the accuracy on new words, as the median [worst..best] of five seeds:
#
# | text of the pretraining | steps | accuracy |
# |---|---|---|
# | none | 0 | 42 [25..43] % |
# | far | 750 | 44 [36..52] % |
# | far, as long again | 1,500 | 49 [39..56] % |
# | near | 750 | 81 [71..86] % |
# | far, then near | 1,500 | 83 [68..86] % |
# | near, then far | 1,500 | 56 [38..57] % |
#
# Only near text helps much, and far text after it takes most of the gain away.

# %% [markdown]
# ### A task in which order decides
#
# *My car is newer than this car* and *this car is newer than my car* have the same words in another order.
# Label 1 means that the thing with an owner, *my car*, comes first. Any mean of static vectors is the same
# for both sentences, so a classifier that reads it gives both the same label. The test has each pair of
# things in both orders, so this classifier gets 50 % right. You have 12 labels. Which accuracy do you expect
# from the pretrained table and an untrained encoder layer, and from the whole pretrained encoder?

# %% demo
compared = load_comparisons()
unseen = batch_of([example for both_orders in compared[:150] for example in both_orders])
labeled = [example for both_orders in compared[150:] for example in both_orders]
print(*labeled[:4], sep="\n")

# %% demo
only_table = deepcopy(fresh)
only_table.table.data.copy_(pretrained.table.data)
for name, body in (("from scratch", fresh), ("vectors only", only_table), ("pretrained body", pretrained)):
    right = []
    for seed in range(5):
        torch.manual_seed(seed)
        classifier = Classifier(deepcopy(body), topics=2)
        fine_tune(classifier, *batch_of(random.Random(seed).sample(labeled, 12)), body_rate=3e-3)
        right.append(accuracy(classifier, *unseen))
    print(f"{name:15}", *(f"{share:.0%}" for share in right), f"  mean {sum(right) / 5:.0%}")

# %% [markdown]
# We repeated this with four seeds of pretraining, and took the mean over five draws of 12 labels each
# (`python tests/bench/transfer.py --seeds 4 --each --pairs`):
#
# | body | mean accuracy, four seeds |
# |---|---|
# | scratch | 64 to 69 % |
# | vectors only | 60 to 69 % |
# | pretrained, fine-tuned | 74 to 81 % |
# | pretrained, frozen | 53 to 59 % |
#
# Where order decides, the gain comes from the *encoder layer*. The pretrained table alone adds nothing. The
# frozen body is close to chance. Probably the mean of its vectors hardly shows the order, and the body has to
# be trained to make the order visible.

# %% [markdown] corrects="001(h)"
# ## 5. Three models from the same parts
#
# What a position may read decides what a stack of layers can do. The figure shows this for an encoder, for
# a decoder, and for the decoder of an encoder-decoder. Guess before you run: which of the three can predict
# a word in the middle from both sides? Which can write?

# %% demo
source, target, past = ["i", "like", "tea"], ["<bos>", "我", "喜欢"], torch.ones(3, 3).tril()
axes, both = plots.panels(3), torch.cat([torch.ones(3, 3), past], dim=1)
plots.dependence_map(torch.ones(3, 3), source, source, ax=axes[0], title="encoder only")
plots.dependence_map(past, source, source, ax=axes[1], title="decoder only")
plots.dependence_map(both, target, source + target, ax=axes[2], title="decoder of encoder-decoder")
axes[2].axvline(2.5, color="0.4")  # cross-attention | self-attention
plots.show(axes)

# %% [markdown]
# The same layers have three uses:
#
# - **Encoder only** (BERT): every word reads all words. It is used for understanding: classes, tags,
#   vectors.
# - **Decoder only** (GPT): a word reads itself and the words before it. Each position predicts the next
#   word, so the model can write.
# - **Encoder-decoder** (the Transformer of 2017): the encoder reads the source in both directions, and the
#   decoder writes the target word by word. In the figure, cross-attention is left of the line
#   and self-attention is right of it. These are two attentions, each with its own softmax.
#
# Other uses are possible. A decoder can classify too, because its last position has read the whole
# sentence.

# %% [markdown] corrects="001(h)"
# ### A decoder that writes English
#
# With `causal=True`, the same `TextModel` is a decoder, and its table scores the words. Here, too, the text
# contains the answers: at every position the model predicts the next word. So the target is the input,
# shifted by one place, as in lesson 07. Training takes about 12 seconds.


# %% demo
class NextWordModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = TextModel(len(words), causal=True)

    def forward(self, ids):
        return self.body(ids) @ self.body.table.mT

    def loss(self, ids):
        return F.cross_entropy(self(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())


# %% demo
torch.manual_seed(0)
writer = NextWordModel()
lines = [words.encode(sentence, bos=True, eos=True) for sentence in task.plain]
writing = train_on_sentences(writer, writer.loss, lines, steps=800)
f"loss of the next word: {sum(writing[-50:]) / 50:.2f}"

# %% [markdown]
# ### Draw the next word
#
# A model that always takes the likeliest word always writes the same sentence. So we **draw** the word,
# with these controls:
#
# - The **temperature** $T$ divides the scores. Below 1, likely words get likelier; above 1, rare words do.
# - **Top-k** keeps the $k$ likeliest words.
# - **Top-p** (Holtzman et al. 2020) keeps the fewest likeliest words whose probabilities sum to $p$ or
#   more. These are few words where the model is sure, and many where it is not.
#
# A removed word gets a score of $-\infty$, like a masked key in lesson 02.

# %% [markdown]
# **Exercise 5** · hard · 15 minutes. Write `sample`. Apply the temperature first, then top-k, then top-p
# among the words that are left. If some words reach $p$ exactly, keep no further word. The probabilities
# have the dtype of the scores. For top-p, think of one word: which sum decides whether it stays?


# %% exercise="sample"
def sample(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """Draw one word for each row, and return the probabilities from which it was drawn.

    top_k keeps the k likeliest words of each row. top_p, above 0, keeps the fewest likeliest words whose
    probabilities, among the words that top_k kept, sum to top_p or more, so it keeps at least one. None
    removes no word.
    Shapes: logits (batch, vocab) -> ids (batch,), probabilities (batch, vocab). Their rows sum to 1.
    """
    ### BEGIN SOLUTION
    logits = logits / temperature
    if top_k is not None:
        lowest = logits.topk(top_k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < lowest, -torch.inf)
    if top_p is not None:
        ordered, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        stays = ordered.cumsum(dim=-1) - ordered < top_p  # the sum before each word
        stays = torch.zeros_like(stays).scatter(-1, order, stays)
        logits = logits.masked_fill(~stays, -torch.inf)
    probabilities = logits.softmax(dim=-1)
    return torch.multinomial(probabilities, 1, generator=generator).squeeze(-1), probabilities
    ### END SOLUTION


# %% check="sample" points=9
check("sample", sample)


# %% demo
@torch.no_grad()
def write(count, **options):
    generator = torch.Generator().manual_seed(0)
    ids = torch.full((count, 1), BOS)
    for _ in range(20):
        drawn, _ = sample(writer(ids)[:, -1], generator=generator, **options)
        ids = torch.cat([ids, drawn[:, None]], dim=1)
    return [tuple(words.decode(row)) for row in ids]


for temperature in (0.3, 1.0, 2.0):
    print(f"temperature {temperature}:")
    for sentence in write(3, temperature=temperature):
        print("   ", *sentence)

# %% [markdown]
# Here are the probabilities themselves. An outline shows what the model gives, and a bar shows what your
# `sample` makes of it. Which beginning leaves the model little choice? Which words does top-p 0.8 remove
# after this beginning, and which after the others?


# %% demo
@torch.no_grad()
def scores_after(beginning):
    return writer(torch.tensor([words.encode(beginning.split(), bos=True)]))[0, -1]


beginnings = ["she drinks a cup of", "she drinks a cup", "the cat is sleeping", "we like"]
logits = {beginning: scores_after(beginning) for beginning in beginnings}
widgets.sampling_explorer(logits, words.to_list(), sample)

# %% [markdown]
# After *she drinks a cup*, nearly the whole probability is on *of*, and top-p 0.8 removed all other words.
# After *she drinks a cup of*, it kept *milk*, *water* and *tea*, and removed *coffee*, which had about
# 0.10. After *the cat is sleeping*, it kept *on* and *in*, and removed *under*. After *we like*, it kept
# *the* and *to*, and in one of three models also *this*, which is close to the limit. So the number of
# words that top-p keeps depends on the beginning: here it is from 1 to 3.

# %% [markdown]
# How good are the sentences? We compute two shares for 300 sentences. *Proper* is the share of sentences in
# which every three words in a row occur somewhere in the 20,000 sentences, a crude test of grammar.
# *Different* is the share that is left when repeated sentences are counted once. How will each share change
# with the temperature?


# %% demo
threes = lambda s: {s[i : i + 3] for i in range(len(s) - 2)}
written_threes = set().union(*map(threes, task.plain))


def quality(**options):
    written = write(300, **options)
    return sum(threes(s) <= written_threes for s in written) / 300, len(set(written)) / 300


# %% demo
temperatures = [0.1, 0.3, 0.5, 0.8, 1.0, 1.3, 1.6, 2.0]
curves = {}
for name, options in (("", {}), (", top-p 0.8", {"top_p": 0.8})):
    both = [quality(temperature=t, **options) for t in temperatures]
    curves[f"proper sentences{name}"], curves[f"different sentences{name}"] = zip(*both, strict=True)
ax = plots.lines(temperatures, curves, "temperature", "share of 300 sentences")
ax.legend(frameon=False, ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
plots.show(ax)

# %% [markdown]
# At a low temperature the model repeats itself. At a high one all sentences differ, and hardly any is
# English. Top-p allows a higher temperature. At temperature 1, the proper share was 45 to 47 % without top-p,
# and 75 to 78 % with top-p 0.8 (four models). In both cases hardly any sentence came twice.
#
# ### An encoder-decoder with a pretrained encoder
#
# The encoder of a translator reads English, and yours has read 20,000 English sentences already. Copy its
# table and its layer into a translator. Then train this translator, and one from scratch, on the same
# 1,000 pairs for 600 steps each. BLEU counts the sequences of 1 to 4 words that a translation shares with
# the right one, on a scale from 0 to 100.

# %% demo
corpus = load_corpus()
pairs, seen = corpus.train[:1000], set(task.plain)
unseen = [pair for pair in corpus.test if pair.source not in seen][:300]
chinese = Vocabulary(pair.target for pair in corpus.train)
shape = TransformerConfig(len(words), len(chinese), encoder_layers=1, decoder_layers=1)

# %% demo
for start in ("from scratch", "encoder pretrained"):
    torch.manual_seed(0)
    translator = Translator(Transformer(shape), words, chinese)
    if start != "from scratch":
        translator.model.encoder.load_state_dict(pretrained.encoder.state_dict())
        translator.model.source_embedding.tokens.weight.data.copy_(pretrained.table.data[: len(words)])
    train(translator.model, Bitext(pairs, words, chinese), Recipe(steps=600))
    said, wanted = translator.translate([p.source for p in unseen]), [p.target for p in unseen]
    print(f"{start:18} BLEU {bleu(said, wanted):.0f}, exact {exact_match(said, wanted):.0%}")

# %% [markdown]
# BLEU on 500 test sentences with five seeds, as the median and in brackets the worst and the best seed:
#
# | pairs | from scratch | encoder pretrained |
# |---|---|---|
# | 300 | 37 [34..40] | 41 [39..44] |
# | 1,000 | 80 [79..82] | 84 [83..85] |
#
# All five seeds gained, by at most 6 points. A single run on 300 sentences, like yours above, may gain
# more. The gain is limited, because the decoder still learns from the pairs alone. No test sentence occurs
# in the text for pretraining.

# %% [markdown]
# ## 6. A real one (optional)
#
# Everything so far trains in about two minutes. A download of 300 MB brings the same parts in a larger
# model: Marian, English to Chinese, with 77 million parameters, trained on millions of pairs. On Colab,
# first run `%pip install transformers sentencepiece`. Then set `DOWNLOAD = True`.

# %% demo
DOWNLOAD = False
sentence = "I like the 2022 Beijing Winter Games."
if DOWNLOAD:
    marian = MarianTranslator.load()  # Helsinki-NLP/opus-mt-en-zh
    print(marian(sentence, beam=4))

# %% [markdown]
# The figure shows Marian's attention as the mean over all heads of the last layer. Where does the word for
# *games* look? (Marian's vocabulary contains pieces of words; `▁` marks the beginning of a word.)


# %% demo
def marian_map():
    seen = marian.explain(sentence)
    weights = seen.maps.cross[-1, 0].mean(dim=0)
    return plots.show(plots.attention_map(weights, seen.target, seen.source, title="Marian"))


marian_map() if DOWNLOAD else "set DOWNLOAD = True to see it"

# %% [markdown]
# To fine-tune Marian, you would write the loop of `fine_tune` again, with the translator's loss, a small
# learning rate, and few steps.

# %% [markdown]
# ## 7. In your own words
#
# A classmate has 40 labeled sentences. She pretrains on 20,000 plain sentences, and then fine-tunes body
# and head at one learning rate of 0.1. Her test sentences are among the plain ones. Her accuracy is lower
# than with a frozen body.
#
# (a) What does the high learning rate do to the body (section 4 has the figure)? Name two remedies.
#
# (b) No label of a test sentence was seen. Is it still a problem that the test sentences are among the
# plain ones? Say what the accuracy then measures, and what she should report or change.
#
# (c) Name one condition under which you would tell her to skip pretraining.

# %% [markdown] points=3 question="what_pretraining_buys"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** what large steps on 40 examples do to what pretraining taught the body, and
# two remedies that concern learning rates, steps or layers.
# **Model answer:** Large steps on 40 examples overwrite what pretraining has taught the body, and the body
# fits the 40 examples by heart. Remedies are a smaller learning rate for the body (its own parameter
# group), fewer steps, a frozen body, or training the head first.
# **Marking:** Half a point for the cause alone or for two remedies alone.
#
# (b) **A full answer names** what the model has seen of the test and what it has not seen, for which text
# the accuracy then holds, and what she should report or change.
# **Model answer:** No label leaked, but the model has seen these very sentences. The accuracy tells how the
# model does on text that was in pretraining, and it may be too high for other text. She should report this,
# or keep the test sentences out of the plain ones, as this lesson does.
# **Marking:** Accept "not cheating, but it measures something else". No point for a plain yes or no.
#
# (c) **A full answer names** one condition, on the labels or on the plain text, under which training from
# scratch is as good.
# **Model answer:** Many labels that cover what the test asks: here, training from scratch was then as good.
# Or plain text that has little to do with the task.
# **Marking:** One of the two is enough.
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - Pretraining takes its answers from the text: hidden words, or the next word.
# - The head compares a vector with the table that the encoder reads.
# - Freeze the body, or fine-tune it with a smaller learning rate than the new head.
# - Pretraining helps where the labels do not show the words of the test, but the text does.
# - Where order decides, the gain comes from the encoder. Where single words decide, it comes from the table.
# - The same layers have three uses. They differ in what a position may read.
# - A model writes by drawing words. Temperature, top-k and top-p set how often it draws an unlikely word.
#
# **Next:** lesson 09, where code is wrong and you prove it.

# %%
progress()
