# %% [markdown]
# # Transfer learning: what pretraining buys
#
# Labels are expensive, text is cheap. Here a model learns from 20,000 sentences without labels, by guessing
# words that you hide; then from a handful of labels. You measure what the first stage buys, where it buys
# nothing, and use one stack as three kinds of model.
#
# **You need** lessons 01, 02 and 06. **Time:** 120 minutes in two sittings, five
# exercises.

# %%
import random
from copy import deepcopy

import torch
import torch.nn.functional as F
from torch import nn

from course_lib import plots, widgets
from course_lib.corpus import load_corpus, topics
from course_lib.corpus.comparisons import load_comparisons
from course_lib.exercises.transfer_learning import check, hint, model_answer, progress
from course_lib.model.config import TransformerConfig
from course_lib.model.transformer import Transformer
from course_lib.text import BOS, EOS, PAD, Vocabulary, pad_batch

# %% [markdown]
# What you built in the lessons before is at hand as a library, with error messages.
# %%
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
# What is a sentence about: animals, clothes, food, drinks, places or music? There are labels for five
# sentences of each. The test is hard on purpose: its words have **no labeled example**. A model that
# has seen labels for *dog* and *cat* must recognize *horse*.

# %% demo
task = topics.load_topics()
words = Vocabulary(task.plain)
for topic, (labeled, tested) in topics.TOPICS.items():
    print(f"{topic:8} labels: {labeled:24} test: {tested}")
print(f"{len(task.plain):,} sentences without labels, such as: {' '.join(task.plain[7])}")


# %% demo
def batch_of(examples):
    ids = pad_batch([words.encode(sentence, eos=True) for sentence, topic in examples])
    return ids, torch.tensor([topic for sentence, topic in examples])


few, few_topics = batch_of(topics.draw_examples(task.known[::2], each=5, seed=0))
test, test_topics = batch_of(topics.draw_examples(task.new, each=100, seed=0))
tuple(few.shape), tuple(test.shape)

# %% [markdown] corrects="000(h)"
# ### Stages, not sorts of models
#
# **Pretraining** is a stage of training before the one you care about. Here its task has answers that cost
# nothing (**self-supervised**); it may have labels too, as ImageNet has, or the pairs of section 6.
# **Fine-tuning** continues from its weights. Pretraining need not start at random: a pretrained model can
# be pretrained further, on other text.
#
# Which task has free answers? Hide a word and ask for it: the text knows.
#
# ## 2. Hide words
#
# BERT (Devlin et al. 2019) chooses 15 % of the words. Of these 80 % become `<mask>`, 10 % a random
# word, and 10 % stay as they are; all of them are to be guessed.

# %% [markdown]
# Why not `<mask>` every time? No sentence has one after pretraining. And if any word may be wrong, the
# model must check every one.
#
# **Exercise 1** · medium · 12 minutes. Ids 0 to 3 are special symbols, `mask` is the last id. A label is
# the word as it was, and -100 where nothing is asked: `F.cross_entropy` skips -100. Both results have the
# dtype of `ids`. Give `generator` to every draw, so that a run can be repeated; each place has its own draws.


# %% exercise="mask_tokens"
def mask_tokens(ids, mask, chance=0.15, generator=None):
    """Choose each ordinary word with probability `chance`; hide it, and keep what it was as its label.

    Of the chosen words 80 % become `mask`, 10 % a random ordinary word, 10 % stay. Ordinary words have the
    ids 4 to mask - 1; nothing else is ever chosen or inserted.
    Shapes: ids (batch, seq) -> masked (batch, seq), labels (batch, seq), which are -100 where not chosen.
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
MASK = len(words)  # one id more than the vocabulary has
names = [*words.to_list(), "<mask>"]
ids = torch.tensor([words.encode(task.plain[i], eos=True) for i in (7,) * 4])
masked, labels = mask_tokens(ids, MASK, chance=0.3, generator=torch.Generator().manual_seed(24))
for row, asked in zip(masked.tolist(), labels.tolist(), strict=True):
    answers = [names[i] for i in asked if i != -100]
    print(" ".join(names[i] for i in row), " | asked:", *answers)

# %% [markdown]
# ### From a vector back to a word
#
# The encoder gives a vector for each place. Which word stood there? BERT's head transforms the vector
# and compares it with **every row of the embedding table**:
#
# $$h = \text{LayerNorm}(\text{GELU}(x W + c)) \qquad \text{score}(w) = h \cdot e_w + b_w$$
#
# The table $e$ is the one that the encoder reads (*tied*, lesson 06): guessing a word moves the vector
# that stands for it.
#
# **Exercise 2** · medium · 8 minutes. The table is not the head's own: `forward` receives it, and it may be
# another one at each call.


# %% exercise="MaskedWordHead"
class MaskedWordHead(nn.Module):
    """Score every word of the vocabulary (Devlin et al. 2019): dense layer, GELU, norm, then the table.

    The dense layer is an nn.Linear named `dense`, the norm an nn.LayerNorm named `norm`; `bias` is a
    parameter of shape (vocab,), 0 at first.
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
# `TextModel` is the course's encoder over embedded words: one layer, $d_{model} = 64$. We choose 30 %, for
# 15 % of a short sentence is one word. (Wettig et al. 2023 found more than 15 % better for large models,
# too.) With 404 ids, what is the loss before any training?


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
# About 20 seconds on one core. Afterwards it fills five gaps: what would you put there?

# %% demo
torch.manual_seed(0)
fresh, losses = TextModel(len(names)), []
pretrained = deepcopy(fresh)  # it is, in a moment
model = MaskedModel(pretrained)
plain = [words.encode(sentence, eos=True) for sentence in task.plain]
losses = train_on_sentences(model, model.loss, plain, steps=1500)
for sentence in gaps:
    print(f"{sentence:44} {guesses(model, sentence)}")
smooth = torch.tensor(losses).view(-1, 25).mean(dim=1)
plots.show(plots.lines(range(0, 1500, 25), {"masked words": smooth}, "step", "loss, mean of 25 steps"))

# %% [markdown]
# It began near $\ln 404 = 6.0$, every word alike. It will not reach 0: after *a cup of* comes *tea* or
# *coffee*, and nobody can know which.
#
# Nobody told it what a drink is: it found which words can stand in one place. Not always: in each of
# four runs a chair might sleep under the tree.
#
# ## 3. One word, three vectors
#
# *Games* is 冬奥会, 游戏 or 比赛. Three ways to write it as a vector:
#
# | | *games* in three sentences | has read |
# |---|---|---|
# | one-hot (lesson 01) | one vector | nothing |
# | a row of a table, **static** (lesson 01) | one vector | its company in all sentences |
# | the encoder's output, **contextual** | three vectors | this sentence |

# %% demo
senses = ("冬奥会", "游戏", "比赛")
found = {sense: [] for sense in senses}
for pair in load_corpus(train=15_000).train:
    for sense in {chinese for english, chinese in pair.senses if english == "game"} & found.keys():
        if "games" in pair.source and len(found[sense]) < 40:
            found[sense].append(pair.source)
[" ".join(sentences[1]) for sentences in found.values()]


# %% demo
@torch.no_grad()
def vectors_of_games(body):
    """What the body makes of *games* in 40 sentences for each translation, (3, 40, d_model)."""
    at = lambda s: body(torch.tensor([words.encode(s, eos=True)]))[0, s.index("games")]
    return torch.stack([torch.stack([at(s) for s in sentences]) for sentences in found.values()])


def nearest_agrees(vectors):
    flat = vectors.flatten(0, 1)
    nearest = torch.cdist(flat, flat).fill_diagonal_(torch.inf).argmin(dim=1)
    return (nearest // 40 == torch.arange(120) // 40).float().mean().item()


# %% demo
def static_around(s, reach=2):
    """Lesson 01's rival: the mean of the table's vectors of *games* and of two words on either side."""
    i = s.index("games")
    return pretrained.table.detach()[words.encode(s[max(0, i - reach) : i + reach + 1])].mean(dim=0)


for steps, body in ((0, fresh), (len(losses), pretrained)):
    print(f"after {steps:4} steps: {nearest_agrees(vectors_of_games(body)):.0%} agree with the nearest")
static = torch.stack([torch.stack([static_around(s) for s in sentences]) for sentences in found.values()])
print(f"mean of static vectors, two words on either side: {nearest_agrees(static):.0%}")

# %% [markdown]
# Printed is how often the nearest other *games* has the same translation; by chance it would be 33 %.
# The untrained encoder mixes neighbors in, too, though by random weights; it is far behind. But look at the
# third line: a plain mean of *pretrained static* vectors is as good as the encoder. For *games* the word that
# decides stands nearby, so this test does not show what an encoder buys. Section 4 has one that does.
#
# Now a map: the plane through the mean vectors of 35 sentences for each translation. On it stand 5 others,
# which were **not** averaged. Which will lie apart, and which may not?


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
# Untrained, they are mixed. Pretrained, the winter games keep together, and so do the matches. In *likes the
# games* what tells comes later (*on his phone*, say); it lies nearest to a video game, so more of the
# sentence has been read than the word before. It is no translator: a match is hardly farther away.
#
# Nobody told the model of any translation: hidden words were enough.
#
# *A good place to stop: about 60 minutes so far. When you come back, run all cells above.*
#
# ## 4. Fine-tune
#
# A classifier needs a vector for the whole sentence: the mean of its words' vectors, padding left out
# (lesson 00). A new linear **head** reads it; the **body** comes from pretraining.


# %%
class Classifier(nn.Module):
    def __init__(self, body, topics=6):
        super().__init__()
        self.body, self.head = body, nn.Linear(64, topics)

    def forward(self, ids):
        real = (ids != PAD)[..., None]
        return self.head((self.body(ids) * real).sum(dim=1) / real.sum(dim=1))


# %% [markdown]
# The picture shows what goes from one stage to the next. Guess first: which part of the pretrained model does
# the classifier not need, and how many of its own 59,846 numbers has pretraining not touched?

# %% demo
from course_lib.plots import diagrams

classifier = Classifier(deepcopy(pretrained))
asked = (masked[1] == MASK).nonzero()[0].item()
hidden = [names[i] for i in masked[1].tolist() if i != EOS]
labeled, topic = topics.draw_examples(task.known[::2], each=5, seed=0)[0]
first, then = f"{len(task.plain):,} sentences without labels", f"{len(few)} labeled sentences"
answers = names[labels[1, asked]], list(topics.TOPICS)[topic]
before = diagrams.TrainingStage("pretraining", first, hidden, model.body, model.head, answers[0])
after = diagrams.TrainingStage("fine-tuning", then, labeled, classifier.body, classifier.head, answers[1])
diagrams.transfer_stages(before, after).picture()

# %% [markdown]
# Two ways on: **freeze** the body and train the head alone, which is fast and loses nothing that was
# learned; or **fine-tune** everything.
#
# **Exercise 3** · easy · 6 minutes. Every parameter has a switch, `requires_grad`.


# %% exercise="freeze"
def freeze(model, keep="head"):
    """Let only the part of the model named `keep` learn, and switch learning off everywhere else.

    Returns how many numbers still learn. The part learns afterwards even if it was frozen before.
    """
    ### BEGIN SOLUTION
    model.requires_grad_(False)
    kept = getattr(model, keep).requires_grad_(True)
    return sum(parameter.numel() for parameter in kept.parameters())
    ### END SOLUTION


# %% check="freeze" points=5
check("freeze", freeze)

# %% [markdown]
# **Exercise 4** · medium · 10 minutes. The head is new and must move far; the body knows something
# already and should move little. An optimizer takes **parameter groups**, each with a rate of its own:
# `torch.optim.AdamW([{"params": ..., "lr": ...}, ...])`. All examples are one batch.


# %% exercise="fine_tune"
def fine_tune(model, ids, labels, steps=100, body_rate=1e-3, head_rate=1e-2):
    """Train `model.body` and `model.head` by AdamW, each at its own rate, in training mode.

    Every step sees all of ids (batch, seq) and labels (batch,); the loss is cross-entropy.
    Returns the list of losses, as floats.
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
# Now the same 30 labels, the same 100 steps, three starts. Chance is 17 %. What do you expect of each, on
# the 30 sentences and on new words?


# %% demo
def accuracy(model, ids, labels):
    with torch.no_grad():
        return (model(ids).argmax(dim=-1) == labels).float().mean().item()


for name, body, rate in (("scratch", fresh, 3e-3), ("frozen", pretrained, 0.0), ("tuned", pretrained, 3e-3)):
    torch.manual_seed(0)
    classifier = Classifier(deepcopy(body))
    learning = freeze(classifier) if name == "frozen" else 0
    last = fine_tune(classifier, few, few_topics, body_rate=rate)[-1]
    on_labels, on_new = accuracy(classifier, few, few_topics), accuracy(classifier, test, test_topics)
    print(f"{name:8} loss {last:.3f}, on the labels {on_labels:.0%}, on new words {on_new:.0%}")

# %% [markdown]
# All three know the 30 labels by heart. On new words pretraining makes the difference. (From scratch is
# above chance, too.)
#
# ### How much may the body move?
#
# At rate 0 the body is frozen. At a very high rate it forgets what pretraining has taught it, which is
# called **catastrophic forgetting**. Where lies the best rate, with 42 labels? Guess; the sweep takes about
# 15 seconds.


# %% demo
def at_rate(rate, seed):
    torch.manual_seed(seed)
    classifier = Classifier(deepcopy(pretrained))
    fine_tune(classifier, *batch_of(topics.draw_examples(task.known[::2], 7, seed)), body_rate=rate)
    return accuracy(classifier, test, test_topics)


# %% demo
rates = [1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3]
curves = {f"draw {seed}": [at_rate(rate, seed) for rate in rates] for seed in range(3)}
frozen = [at_rate(0.0, seed) for seed in range(3)]
ax = plots.lines(rates, curves, "rate of the body", "accuracy on new words, 42 labels")
ax.axhline(sum(frozen) / 3, color="0.5", linewidth=1, label="frozen, mean")
ax.set_xscale("log")
ax.legend(frameon=False)
plots.show(ax)

# %% [markdown]
# With four seeds of pretraining, three draws each (`python tests/bench/transfer.py --seeds 4 --each
# --compared --pairs --rates 0 0.003 0.1 0.3`): frozen 64 to 75 % right, 79 to 92 % at 0.003, 50 to 73 % at
# 0.1, 30 to 52 % at 0.3. Between 0.001 and 0.01 the body adapts. At 0.1 it is worse than frozen in 10 of 12
# draws.
#
# (Between frozen and free lies **LoRA**, Hu et al. 2022: the body's matrices stay, and each learns a small
# matrix that is added to it.)
#
# ### Learning curves
#
# More labels, from three draws. The test asks for *new* words, or for other sentences about *known* ones.
# In which of the two will many labels make up for missing pretraining?


# %% demo
def after_tuning(body, each, seed, test_ids, test_labels):
    torch.manual_seed(seed)
    classifier = Classifier(deepcopy(body))
    fine_tune(classifier, *batch_of(topics.draw_examples(task.known[::2], each, seed)), body_rate=3e-3)
    return accuracy(classifier, test_ids, test_labels)


def learning_curve(body, examples):
    """For 1, 5 and 20 labels a topic, the median of three draws."""
    unseen = batch_of(examples)
    return [sorted(after_tuning(body, each, seed, *unseen) for seed in range(3))[1] for each in (1, 5, 20)]


new = topics.draw_examples(task.new, each=50, seed=0)
known = topics.draw_examples(task.known[1::2], each=30, seed=0)

# %% demo
curves = {
    "pretrained, new words": learning_curve(pretrained, new),
    "scratch, new words": learning_curve(fresh, new),
    "pretrained, known words": learning_curve(pretrained, known),
    "scratch, known words": learning_curve(fresh, known),
}
ax = plots.lines([6, 30, 120], curves, "labels", "accuracy, median of three draws")
ax.set_xscale("log")
ax.set_xticks([6, 30, 120], [6, 30, 120])
ax.minorticks_off()
ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
plots.show(ax)

# %% [markdown]
# ### Where it wins, and where it does not
#
# `tests/bench/transfer.py` with five seeds, each with its own pretraining; percent right, median
# [worst..best]. *Vectors only* starts from the pretrained table and an untrained encoder.

# %% [markdown]
# | labels, test | scratch | vectors only | frozen | fine-tuned |
# |---|---|---|---|---|
# | 6, new words | 22 [20..30] | 38 [26..60] | 33 [32..65] | 34 [29..50] |
# | 30, new words | 42 [28..44] | 76 [58..81] | 68 [50..70] | 77 [62..81] |
# | 120, new words | 61 [57..66] | 93 [93..94] | 76 [76..81] | 92 [91..96] |
# | 480, new words | 74 [71..80] | 96 [96..97] | 82 [81..87] | 96 [92..96] |
# | 30, known words | 64 [54..67] | 87 [80..89] | 69 [61..73] | 86 [81..89] |
# | 480, known words | 99 [98..100] | 100 [100..100] | 86 [84..92] | 100 [100..100] |

# %% [markdown]
# What the table says:
#
# - **It wins** where labels leave a gap that text has filled: at 30 labels the worst fine-tuned seed beats
#   the best from scratch. Even 480 labels about other words do not close that gap.
# - **It wins nothing** where labels are many and cover the test; frozen, it is even in the way.
# - **The gain is in the table** of static vectors, which alone do about as well: a topic is a matter of
#   single words.
# - **It takes its time.** With 30 labels, new words: 37 [36..43] after 100 steps of pretraining, 62 [49..70]
#   after 400 (three seeds), 77 after 1,500.

# %% [markdown]
# (Where the body learns, the better of two rates counts, and it was chosen by this very test. So these
# columns look a little better than they are; *frozen* had no choice.)
#
# ### A task in which order decides
#
# *My car is newer than this car*, *this car is newer than my car*: the same words, in another order. Does the
# owner's thing come first? Any mean of static vectors is the same for both, so it can only guess: 50 %. Here
# are 12 labels. What do you expect of the pretrained table alone, and of the whole pretrained encoder?

# %% demo
compared = load_comparisons()
unseen = batch_of([example for both_orders in compared[:150] for example in both_orders])
labeled = [example for both_orders in compared[150:] for example in both_orders]
print(*labeled[:4], sep="\n")

# %% demo
only_table = deepcopy(fresh)
only_table.table.data.copy_(pretrained.table.data)
for name, body in (("scratch", fresh), ("vectors only", only_table), ("pretrained", pretrained)):
    right = []
    for seed in range(5):
        torch.manual_seed(seed)
        classifier = Classifier(deepcopy(body), topics=2)
        fine_tune(classifier, *batch_of(random.Random(seed).sample(labeled, 12)), body_rate=3e-3)
        right.append(accuracy(classifier, *unseen))
    print(f"{name:13}", *(f"{share:.0%}" for share in right), f"  mean {sum(right) / 5:.0%}")

# %% [markdown]
# Four seeds of pretraining, the mean of five draws of 12 labels each (`python tests/bench/transfer.py
# --seeds 4 --each --pairs`): from scratch 64 to 69 %, vectors only 60 to 69 %, fine-tuned 74 to 81 %. So
# where order decides, the *encoder* is what pretraining buys, for its table alone brings nothing. Frozen it
# is right in 53 to 59 %: a mean over its vectors hardly shows the order, and the body must learn to bring
# it out.

# %% [markdown] corrects="001(h)"
# ## 5. Three models from the same parts
#
# What a position may read decides what a stack is good for. Before you look: which of the three can
# guess a word in the middle from both sides? Which can write?

# %% demo
source, target, past = ["i", "like", "tea"], ["<bos>", "我", "喜欢"], torch.ones(3, 3).tril()
axes, both = plots.panels(3), torch.cat([torch.ones(3, 3), past], dim=1)
plots.dependence_map(torch.ones(3, 3), source, source, ax=axes[0], title="encoder only")
plots.dependence_map(past, source, source, ax=axes[1], title="decoder only")
plots.dependence_map(both, target, source + target, ax=axes[2], title="decoder of encoder-decoder")
axes[2].axvline(2.5, color="0.4")  # left of it cross-attention, right of it self-attention
plots.show(axes)

# %% [markdown]
# Three uses of one stack:
#
# - **Encoder only** (BERT): every word reads all others. For understanding: classes, tags, vectors.
# - **Decoder only** (GPT): a word reads what came before. Each place predicts the next word, so it writes.
# - **Encoder-decoder** (the Transformer of 2017): reads a source both ways, writes a target step by step.
#   Left of the line is cross-attention, right of it self-attention: two attentions, each with a softmax of
#   its own.
#
# These are habits, not laws. A decoder can classify too: it has read everything at its last word.

# %% [markdown] corrects="001(h)"
# ### A decoder that writes English
#
# The same `TextModel` with `causal=True`; its table scores the words. This task has free answers, too:
# the next word, at every place at once (lesson 07's shift, without a source). About 12 seconds.


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
# The likeliest word every time writes the same sentence every time. So **draw**, with two controls:
#
# - the **temperature** $T$ divides the scores: below 1 likely words gain, above 1 rare ones;
# - **top-k** leaves the $k$ likeliest words; **top-p** (Holtzman et al. 2020) the fewest likeliest words
#   that together reach the probability $p$: few where the model is sure, many where it is not.
#
# What is removed gets a score of $-\infty$, as a masked key did in lesson 02.
#
# **Exercise 5** · hard · 15 minutes. First the temperature, then top-k, then top-p among what is left. Where
# some words reach $p$ exactly, no other stays. The probabilities have the dtype of the scores.


# %% exercise="sample"
def sample(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """Draw a word for each row, and say with which probabilities.

    top_k: only the k likeliest words of a row stay. top_p: only the fewest likeliest words stay whose
    probabilities, among what top_k left, reach top_p together; so at least one stays. None removes nothing.
    Shapes: logits (batch, vocab) -> ids (batch,), probabilities (batch, vocab), whose rows sum to 1.
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
# And here are the chances themselves. An outline is what the model gives, a bar what your `sample` makes of
# it. Which beginning leaves the model little choice? What does top-p 0.8 remove there, and what elsewhere?


# %% demo
@torch.no_grad()
def scores_after(beginning):
    return writer(torch.tensor([words.encode(beginning.split(), bos=True)]))[0, -1]


beginnings = ["she drinks a cup of", "she drinks a cup", "the cat is sleeping", "we like"]
logits = {beginning: scores_after(beginning) for beginning in beginnings}
widgets.sampling_explorer(logits, words.to_list(), sample)

# %% [markdown]
# How good is it? Two numbers for 300 sentences: the share that is **proper**, where every three words in
# a row occur somewhere in the 20,000 sentences (a crude test of grammar), and the share that is left when
# repeated sentences are counted once.


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
    curves[f"proper{name}"], curves[f"different{name}"] = zip(*both, strict=True)
ax = plots.lines(temperatures, curves, "temperature", "share of 300 sentences")
ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
plots.show(ax)

# %% [markdown]
# Cold, it repeats itself; hot, every sentence differs, and hardly one is English. Top-p allows more heat:
# at temperature 1 it raised the proper share from 45 ... 47 % to 75 ... 78 % (four models), and hardly any
# sentence came twice.
#
# ### An encoder-decoder with half of its weights pretrained
#
# A translator's encoder reads English, and yours has read 20,000 sentences already. Copy its table and
# its stack into a translator, and train both on 1,000 pairs, by the same 600 steps.

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
    train(translator.model, Bitext(pairs, words, chinese), Recipe(steps=600), progress=False)
    said, wanted = translator.translate([p.source for p in unseen]), [p.target for p in unseen]
    print(f"{start:18} BLEU {bleu(said, wanted):.0f}, exact {exact_match(said, wanted):.0%}")

# %% [markdown]
# BLEU with five seeds, median [worst..best]: from 300 pairs 37 [34..40] from scratch and 41 [39..44]
# pretrained; from 1,000 pairs 80 [79..82] and 84 [83..85]. Each seed gained by it, none more than 6: the
# decoder still learns from the pairs alone. The test has no sentence that pretraining has seen.
#
# ## 6. A real one (optional)
#
# Everything so far fits in two minutes. A download of 300 MB brings the same parts, 77 million parameters
# large and trained on millions of pairs: Marian, English to Chinese. On Colab, run
# `%pip install transformers sentencepiece` first, then set `DOWNLOAD = True`.

# %% demo
DOWNLOAD = False
sentence = "I like the 2022 Beijing Winter Games."
if DOWNLOAD:
    marian = MarianTranslator.load()  # Helsinki-NLP/opus-mt-en-zh
    print(marian(sentence, beam=4))

# %% [markdown]
# Its attention in your figures: the mean of all heads of the last layer. Where does the word for *games*
# look? (Its vocabulary holds pieces of words; `▁` marks where a word begins.)


# %% demo
def marian_map():
    seen = marian.explain(sentence)
    weights = seen.maps.cross[-1, 0].mean(dim=0)
    return plots.show(plots.attention_map(weights, seen.target, seen.source, title="Marian"))


marian_map() if DOWNLOAD else "set DOWNLOAD = True to see it"

# %% [markdown]
# Fine-tuning it would be your `fine_tune` with another loss: a small rate, few steps.
#
# ## 7. In your own words
#
# A classmate has 40 labeled sentences. She pretrains on 20,000 plain ones, then fine-tunes body and head
# at one rate of 0.1, and tests on sentences that are among the plain ones. Accuracy is lower than with a
# frozen body. Explain (a) what the high rate does to the body (section 4 has the
# figure), and two remedies; (b) whether test
# sentences among the plain ones are cheating, given that no label was seen; (c) in which case you would
# tell her to skip pretraining.

# %% [markdown] points=3 question="what_pretraining_buys"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** what large steps on 40 examples do to what was learned before, and two
# remedies out of rates, steps and layers.
# **Model answer:** Large steps on 40 examples overwrite what pretraining has learned, and the body fits
# the 40 by heart. Remedies: a smaller rate for the body (a group of its own), fewer steps, a frozen body,
# or the head first.
# **Marking:** Half a point for the cause or two remedies alone.
#
# (b) **A full answer names** what leaked and what did not, of which text the number then tells, and what
# she should say or do.
# **Model answer:** No label leaked, but the model has seen these very sentences: the number says how it
# does on text that was there in pretraining, and may be too high for other text. It must be said, or the
# test kept out of the plain sentences, as in this lesson.
# **Marking:** Accept "not cheating, but another question". No point for a plain yes or no.
#
# (c) **A full answer names** one condition, on the labels or on the plain text, under which from scratch
# is as good.
# **Model answer:** With many labels that cover what the test asks: from scratch was as good here. Or if
# the plain text has little to do with the task.
# **Marking:** Either is enough.
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - Pretraining asks the text itself: hidden words, or the next word. -100 marks what is not asked.
# - The head compares with the table that the encoder reads.
# - Freeze, or fine-tune with a small rate for what is old and a large one for what is new.
# - It wins where labels leave gaps that text fills; with many labels the gain goes to 0.
# - Where order decides, the encoder is what pretraining brings; where single words decide, its table.
# - One stack, three uses: what a place may read makes the difference.
# - A next word is drawn: temperature, top-k and top-p decide how bold the draw is.
#
# **Next:** lesson 09, where models are wrong and you prove it.

# %%
progress()
