# %% [markdown]
# # A translator
#
# Here the pieces learn: you write what trains them, what turns their numbers into sentences, and what
# measures the result. Then your translator puts English into Chinese, and you find out how.
#
# **You need** lessons 02 to 06, and what an optimizer does. **Time:** 90 minutes, seven exercises.

# %%
import math
from collections import Counter

import torch
import torch.nn.functional as F

from course_lib import plots
from course_lib.exercises.translator import Tree, check, hint, losses_of, progress
from course_lib.model.config import TransformerConfig
from course_lib.model.transformer import Transformer
from course_lib.text import BOS, EOS, PAD

torch.manual_seed(0)
torch.set_printoptions(precision=3, sci_mode=False)
f"PyTorch {torch.__version__} is ready; pad, bos and eos are {PAD}, {BOS} and {EOS}"

# %% [markdown] corrects="004(m) 004(n)"
# ## 1. A translator that fails
#
# One of the posts behind this course trains a Transformer with one sentence for 20 steps, English to
# Chinese (its text says the other direction). Then it prints 爱 爱 E E E E E. Its code descends from a
# tutorial that others copied too (graykode's).
#
# We let it fail again: the same sentence and ids, 6 + 6 layers; with a 16th of its 44 million parameters
# and three times its rate, to fail in seconds. First the ids. What do you notice?

# %% demo corrects="004(a) 004(b)"
english, chinese = "I like the 2022 Beijing Winter Games".split(), "我 爱 2022 北京 冬 奥会".split()
given = dict(zip(english, [0, 1, 2, 3, 4, 4, 4], strict=True))
print([given[word] for word in english])
print([given[word] for word in "I like the 2022 Games Winter Beijing".split()])

# %% [markdown] corrects="004(a) 004(b) 004(c)"
# *Beijing*, *Winter* and *Games* share id 4, one vector. And id 0 is both *I* and padding, so that the mask
# hides the first word from everybody; 我 has the same fate on the Chinese side. The positions are written
# into the code too, 1 to 6 and then 0, 7 and then 1 to 6: it works for this length and no other.

# %% demo corrects="004(d)"
deep = {"d_model": 128, "heads": 8, "d_ff": 512, "encoder_layers": 6, "decoder_layers": 6, "tie": "none"}
model = Transformer(TransformerConfig(7, 8, norm_first=False, **deep))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
source, read = torch.tensor([[0, 1, 2, 3, 4, 4, 4]]), torch.tensor([[6, 0, 1, 2, 3, 4, 5]])
answer, losses = torch.tensor([0, 1, 2, 3, 4, 5, 7]), []
for _ in range(60):
    optimizer.zero_grad()
    losses.append(F.cross_entropy(model(source, read)[0], answer))
    losses[-1].backward()
    optimizer.step()
curves = {"as given": torch.stack(losses), "ln 7": torch.full((60,), 7.0).log()}
plots.show(plots.lines(range(1, 61), curves, "step", "loss"))

# %% demo corrects="004(e)"
numbers = dict(enumerate([*chinese, "S", "E"]))
print([numbers[word] for word in model(source, read)[0].argmax(dim=-1).tolist()])

# %% [markdown] corrects="004(d) 004(e) 004(f) 004(o)"
# More steps do not help: in each of six runs of 100 the loss settles at $\ln 7 = 1.946$. Seven answers,
# each with probability 1/7: it has learned how often each word occurs, and nothing about order. The likely
# cause: six post-norm layers at full rate from the first step.
#
# And this test was kind: the decoder was **given** the right words so far. Besides, the loss knows no
# padding, for there is no batch; and the post silences all warnings, which can hide that a font lacks
# Chinese.

# %% [markdown]
# ## 2. What the decoder reads, and what it says
#
# A target row is the begin symbol, the words, the end symbol, padding. At each position the decoder reads
# one word and must say the next:
#
# | reads | bos | 我 | 是 | 学生 |
# |---|---|---|---|---|
# | **says** | 我 | 是 | 学生 | eos |
#
# All positions learn at once; the causal mask keeps the answers out of sight, and the *right* words are
# read even where the model would have said others: **teacher forcing**.
#
# **Exercise 1** · easy · 4 minutes. (In a shorter sentence of the batch the end symbol is read too. Its
# answer is padding, which the loss will ignore: nothing to fix.)


# %% exercise="shift_targets"
def shift_targets(target):
    """What the decoder reads and what it must say, both one shorter than the target.

    Shapes: target (batch, seq), rows like [BOS, 7, 8, EOS, PAD] -> read, answer (batch, seq - 1).
    """
    ### BEGIN SOLUTION
    return target[:, :-1], target[:, 1:]
    ### END SOLUTION


# %% check="shift_targets" points=4
check("shift_targets", shift_targets)

# %% [markdown]
# ## 3. The loss
#
# The loss of a place is the cross-entropy of the wanted probabilities $q$ and the model's $p$; **label
# smoothing** (Szegedy et al. 2016) leaves a part $\varepsilon$ of $q$ to all words. With $V$ ids, padding
# among them:
#
# $$\text{loss} = -\sum_{k} q_k \log p_k \qquad
# q_k = (1 - \varepsilon)\,[k = \text{right word}] + \frac{\varepsilon}{V - 1}\,[k \ne \text{pad}]$$
#
# Two things are left out: places whose answer is padding, and padding among the shares. PyTorch's
# `cross_entropy` has `ignore_index` for the first; its `label_smoothing` gives padding a share.

# %% [markdown]
# **Exercise 2** · medium · 10 minutes. Begin with `log_softmax`. The sum has two terms, $(1 - \varepsilon)$
# times the right word's, and $\varepsilon$ times a mean. Average over the real words of the whole batch.


# %% exercise="smoothed_loss"
def smoothed_loss(logits, target, smoothing=0.1, pad=PAD):
    """Mean cross-entropy over all places of the batch whose target is not padding.

    Shapes: logits (batch, seq, vocab), target (batch, seq) -> loss ().
    The right word gets 1 - smoothing; the rest is shared evenly by all words but padding, the right one too.
    """
    ### BEGIN SOLUTION
    real = target != pad
    log_probs = logits.log_softmax(dim=-1)  # (batch, seq, vocab)
    right = log_probs.gather(-1, target[..., None]).squeeze(-1)  # (batch, seq)
    shared = (log_probs.sum(dim=-1) - log_probs[..., pad]) / (logits.shape[-1] - 1)
    loss = -(1 - smoothing) * right - smoothing * shared
    return loss[real].mean()
    ### END SOLUTION


# %% check="smoothed_loss" points=7
check("smoothed_loss", smoothed_loss)

# %% [markdown]
# What does smoothing ask for? Nine words; the model gives probability $p$ to the right one and shares the
# rest evenly. Where is each loss lowest?

# %% demo
p = torch.linspace(0.3, 0.9999, 200)
rows = torch.stack([p, *[(1 - p) / 8] * 8], dim=1).log()
logits = torch.cat([torch.full((200, 1), -30.0), rows], dim=1)[:, None]  # column 0 is padding
right = torch.tensor([[1]])
curves = {}
for smoothing in (0.0, 0.1):
    losses = [smoothed_loss(logits[i : i + 1], right, smoothing) for i in range(200)]
    curves[f"smoothing {smoothing}"] = torch.stack(losses)
plots.show(plots.lines(p, curves, "p of the right word", "loss"))

# %% [markdown]
# Without smoothing the loss falls all the way to $p = 1$, which no logits reach: they could grow for ever.
# With it the lowest point is near $p = 0.91$: be sure, not certain. And the loss never reaches 0.

# %% [markdown]
# ## 4. The rate
#
# Large first steps through many layers can do harm that later ones do not repair. So the paper's rate
# rises in a line for `warmup` steps, then falls as the inverse root of the step (Vaswani et al. 2017, eq. 3):
#
# $$\text{rate} = d_{\text{model}}^{-0.5} \cdot
# \min(\text{step}^{-0.5},\ \text{step} \cdot \text{warmup}^{-1.5})$$
#
# **Exercise 3** · easy · 4 minutes. Steps count from 1.


# %% exercise="noam_rate"
def noam_rate(step, d_model, warmup):
    """The learning rate at step 1, 2, ..., a number (Vaswani et al. 2017, eq. 3)."""
    ### BEGIN SOLUTION
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
    ### END SOLUTION


# %% check="noam_rate" points=4
check("noam_rate", noam_rate)

# %% demo
steps = range(1, 401)
curves = {
    f"d_model {d}, warm-up {w}": [noam_rate(step, d, w) for step in steps]
    for d, w in ((64, 50), (64, 200), (512, 50))
}
plots.show(plots.lines(steps, curves, "step", "learning rate"))

# %% [markdown]
# After its warm-up the second curve has joined the first: `warmup` changes how high the peak is, not what
# comes later.
#
# ## 5. One step
#
# **Exercise 4** · easy · 6 minutes. Split the target, ask the model, compute the loss, let the optimizer
# act. Gradients add up until somebody clears them. Use what you have written; while this is checked,
# `shift_targets` and `smoothed_loss` stand for right versions.


# %% exercise="train_step"
def train_step(model, source, target, optimizer):
    """Train on one batch and return its loss as a Python number.

    Shapes: source (batch, source), target (batch, seq); model(source, read) gives logits.
    """
    ### BEGIN SOLUTION
    read, answer = shift_targets(target)
    loss = smoothed_loss(model(source, read), answer)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
    ### END SOLUTION


# %% check="train_step" points=5
check("train_step", train_step)

# %% [markdown] corrects="002(m)"
# ## 6. From numbers to words
#
# To translate, the decoder reads its own words. **Greedy** decoding begins with `BOS`, appends the
# likeliest next word, and asks again, until `EOS`. So training takes one pass for all positions, but
# translating $m$ words takes $m$ passes, one after the other, as in an RNN. Only the encoder reads all at
# once.
#
# **Exercise 5** · medium · 12 minutes. A batch of sentences; each ends for itself. After its `EOS` a row is
# filled up with `PAD`, and the loop ends when all are done.


# %% exercise="greedy_decode"
@torch.no_grad()
def greedy_decode(model, source, max_length=30):
    """The likeliest next word, again and again; ids end with EOS, then PAD. BOS is left out.

    Shapes: source (batch, source) -> ids (batch, target), of at most max_length columns.
    model(source, target) gives logits (batch, target, vocab); row t is about the word after target[:, t].
    """
    ### BEGIN SOLUTION
    target = torch.full((len(source), 1), BOS, device=source.device)
    done = torch.zeros(len(source), dtype=torch.bool, device=source.device)
    while target.shape[1] <= max_length and not done.all():
        token = model(source, target)[:, -1].argmax(dim=-1)
        token = token.masked_fill(done, PAD)
        target = torch.cat([target, token[:, None]], dim=1)
        done = done | (token == EOS)
    return target[:, 1:]
    ### END SOLUTION


# %% check="greedy_decode" points=6
check("greedy_decode", greedy_decode)

# %% [markdown]
# ### The toy, repaired
#
# The same sentence with an id for every word, by your `train_step` and `greedy_decode`. Which repair is
# enough: the ids, a warm-up, or pre-norm layers?

# %% demo corrects="004(d) 004(e)"
source, target = torch.tensor([[4, 5, 6, 7, 8, 9, 10, EOS]]), torch.tensor([[BOS, 4, 5, 6, 7, 8, 9, EOS]])
words = ["<pad>", "<bos>", "<eos>", "<unk>", *chinese]
curves = {}
for name, pre_norm, warmup in (("ids", False, 1), ("ids, warm-up", False, 40), ("ids, pre-norm", True, 1)):
    torch.manual_seed(0)
    model = Transformer(TransformerConfig(11, 10, norm_first=pre_norm, **deep))
    optimizer, curves[name] = torch.optim.Adam(model.parameters()), []
    for step in range(1, 61):
        optimizer.param_groups[0]["lr"] = 3e-3 * min(1, step / warmup)
        curves[name].append(train_step(model, source, target, optimizer))
    print(f"{name:14}", " ".join(words[i] for i in greedy_decode(model, source, 8)[0]))
plots.show(plots.lines(range(1, 61), curves, "step", "smoothed loss"))

# %% [markdown]
# Right ids alone do not help: the deep post-norm model still finds nothing but frequencies (6 of 6 seeds).
# With a warm-up, or with pre-norm layers, it is right (6 of 6 each). One fault was hiding behind another.
#
# It has learned one sentence by heart. To translate, it must see many.

# %% [markdown]
# ## 7. Thirty thousand sentences
#
# A grammar writes the corpus, so that we know what a right translation is: 30,000 pairs for training,
# drawn in favor of rare words and patterns. The **random** test has sentences that training has not seen,
# the **compositional** test *combinations*: *drink water*, for instance, though it knows both words.

# %% [markdown]
# The model: one encoder layer and one decoder layer of 64 dimensions and four heads, post-norm, with rotary
# positions. Its three tables are not tied (lesson 06), and its word vectors begin small: no positions are
# added to them.
#
# The course's `train` is your `train_step` in a loop, with batches of equal length, a rate that rises and
# falls, and an optimizer for matrices, Muon (Jordan et al. 2024). Half a minute on a laptop's CPU; the same
# cell takes a GPU where there is one. Watch the loss.

# %% demo
from course_lib.corpus import load_corpus
from course_lib.training.batches import Bitext
from course_lib.training.trainer import Recipe, device, train
from course_lib.translation.translator import Translator

corpus = load_corpus()
translator = Translator.for_pairs(corpus.train)
words = translator.source_words, translator.target_words
training, validation = Bitext(corpus.train, *words), Bitext(corpus.validation[:200], *words)
f"{len(training)} pairs, {len(words[0])} English and {len(words[1])} Chinese words"

# %% demo
model = translator.model.to(device())
history = train(
    model,
    training,
    Recipe(steps=2200),
    validation=validation,
    on_report=plots.LiveLoss(log=True),
    progress=False,
)
model.to("cpu")  # for single sentences it is fast enough
f"{history.steps[-1]} steps, {history.tokens / history.seconds:,.0f} target words a second"

# %% [markdown]
# The validation loss lies lower because it is measured without smoothing. Now sentences that it has never
# seen, by your `greedy_decode`. Try your own, with words of the corpus.


# %% demo
def translate(sentence):
    source = torch.tensor([translator.encode(sentence)])
    return " ".join(translator.target_words.decode(greedy_decode(model, source)[0]))


for pair in [*corpus.examples, *corpus.test[:3], *corpus.compositional[:3]]:
    print(" ".join(pair.source), "->", translate(pair.source))

# %% [markdown]
# ## 8. How good is it?
#
# **Exact match** is the fraction of sentences without any fault. **BLEU** (Papineni et al. 2002) gives
# part of the credit. $p_n$ is the fraction of the translations' runs of $n$ words that the reference has
# too, where a run counts at most as often as it is there; $c$ and $r$ are the lengths of all translations
# and of all references:
#
# $$\text{BLEU} = 100 \cdot \min(1, e^{1 - r/c}) \cdot \exp\Big(\tfrac14 \sum_{n=1}^{4} \ln p_n\Big)$$
#
# **Exercise 6** · medium · 14 minutes. Matches and runs are added up over the whole corpus before they are
# divided. If some $p_n$ is 0, so is the score. (BLEU allows several references; here each sentence has one.)


# %% exercise="bleu"
def bleu(translations, references):
    """Corpus BLEU, a number from 0 to 100 (Papineni et al. 2002), without smoothing.

    Both are lists of sentences, each a list of words; references[i] belongs to translations[i].
    """

    ### BEGIN SOLUTION
    def runs(words, n):
        return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))

    log_precision = 0.0
    for n in range(1, 5):
        pairs = [
            (runs(ours, n), runs(theirs, n)) for ours, theirs in zip(translations, references, strict=True)
        ]
        matches = sum((ours & theirs).total() for ours, theirs in pairs)
        if matches == 0:
            return 0.0
        log_precision += math.log(matches / sum(ours.total() for ours, _ in pairs)) / 4
    c, r = sum(map(len, translations)), sum(map(len, references))
    return 100 * math.exp(min(0, 1 - r / c) + log_precision)
    ### END SOLUTION


# %% check="bleu" points=7
check("bleu", bleu)

# %% demo
from course_lib.translation.metrics import exact_match

tests = {"random": corpus.test, "compositional": corpus.compositional}
translations = {name: translator.translate([pair.source for pair in pairs]) for name, pairs in tests.items()}
for name, pairs in tests.items():
    references = [list(pair.target) for pair in pairs]
    exact, score = exact_match(translations[name], references), bleu(translations[name], references)
    print(f"{name:14}{len(pairs):5} sentences  exact {100 * exact:.1f}  BLEU {score:.1f}")

# %% [markdown]
# Another seed gives another model, another draw of the corpus other sentences. Exact match in percent, worst
# and median of five models (`python tests/bench/translator.py --seconds --steps 620 1240 2200`, and again
# with `--draw 1`; one core of ours takes about 10, 18 and 30 seconds):
#
# | steps | random | compositional | draw 1: random | compositional |
# |---|---|---|---|---|
# | 620 | 98.50 / 99.00 | 95.7 / 97.8 | 98.95 / 99.15 | 95.5 / 98.0 |
# | 1,240 | 99.80 / 99.90 | 99.7 / 99.7 | 99.75 / 99.85 | 97.0 / 99.3 |
# | 2,200 | 99.95 / 100 | 99.2 / 99.7 | 99.80 / 99.90 | 99.5 / 99.7 |

# %% [markdown]
# The last row's BLEU of new sentences is at least 99.9. New combinations are a little harder than new
# sentences: a model that misses one combination misses it again and again. (All this is about a grammar. A
# language has more words, and more ways out.)

# %% [markdown]
# ### What it gets wrong
#
# Read a few failures first. What kinds are there?

# %% demo
for name, pairs in tests.items():
    wrong = [(p, ours) for p, ours in zip(pairs, translations[name], strict=True) if ours != list(p.target)]
    shorter = sum(len(ours) < len(pair.target) for pair, ours in wrong)
    print(f"{name}: {len(wrong)} wrong, {shorter} of them too short")
    for pair, ours in wrong[:5]:
        print(f"  {' '.join(pair.source)}\n    wanted {' '.join(pair.target)}\n    got    {' '.join(ours)}")

# %% [markdown]
# All kinds, of the five models in the table's last row (`--failures 9` prints them: 10 in new combinations
# and 2 in new sentences; two models made none):
#
# - **One word, two jobs** (7): 把 puts an object before its verb; it also counts umbrellas. *Mary will put
#   this umbrella on the bed* became 玛丽 会 把 这 把 雨伞: nothing is put anywhere. And *her*, who eats the
#   cake, became 她 的 (*hers*).
# - **It loses its place** (5): something is said twice, a second *friend* or a second 了. Nothing in the
#   model counts what is still to be said.
#
# Some are fluent: a reader without English would not notice.

# %% [markdown]
# ## 9. More than one way
#
# Greedy decoding never takes a word back. `Tree` is a translator that is a table: what is written so far,
# then the next words with their probabilities (2 is the end). What does greedy decoding write, and what
# would be likelier as a whole?

# %% demo
table = {
    (): {4: 0.6, 5: 0.4},
    (4,): {6: 0.55, 7: 0.45},
    (4, 6): {2: 1},
    (4, 7): {2: 1},
    (5,): {8: 1},
    (5, 8): {2: 1},
}
decoy = Tree(table)
greedy_decode(decoy, torch.tensor([[4]]))

# %% [markdown]
# Greedy writes 4 6: probability 0.6 · 0.55 = 0.33. But 5 8 has 0.4. **Beam search** keeps several
# hypotheses side by side, each with the sum of its log-probabilities. In every round
#
# - each is continued with its `beam` likeliest words,
# - of all these candidates the `beam` best stay,
# - those that end in `EOS` are set aside, the others run on.
#
# It ends when none is running, or after `max_length` rounds. The winner is the finished one (if there is
# none, the running one) with the best sum **per word**: every further word makes a sum smaller, so that
# sums alone favor short translations.

# %% [markdown]
# **Exercise 7** · hard · 15 minutes. One sentence, one list of ids. `Tree` gives logits, not
# log-probabilities. The number of words counts `EOS`, but not `BOS`.


# %% exercise="beam_search"
@torch.no_grad()
def beam_search(model, source, beam=4, max_length=30):
    """The best of several translations kept side by side: a list of ids without BOS, usually ending in EOS.

    Shape: source (1, source). model(source, target) gives logits (batch, target, vocab).
    """
    ### BEGIN SOLUTION
    running, finished = [([BOS], 0.0)], []
    for _ in range(max_length):
        candidates = []
        for ids, score in running:
            log_probs = model(source, torch.tensor([ids]))[0, -1].log_softmax(dim=-1)
            values, words = log_probs.topk(beam)
            candidates += [([*ids, int(w)], score + float(v)) for v, w in zip(values, words, strict=True)]
        candidates.sort(key=lambda candidate: candidate[1], reverse=True)
        finished += [c for c in candidates[:beam] if c[0][-1] == EOS]
        running = [c for c in candidates[:beam] if c[0][-1] != EOS]
        if not running:
            break
    ids, _ = max(finished or running, key=lambda c: c[1] / (len(c[0]) - 1))
    return ids[1:]
    ### END SOLUTION


# %% check="beam_search" points=7
check("beam_search", beam_search)

# %% demo
print("the table:", beam_search(decoy, torch.tensor([[4]]), beam=2))
ids = beam_search(model, torch.tensor([translator.encode("i like the 2022 beijing winter games")]))
print("the translator:", " ".join(translator.target_words.decode(ids)))

# %% [markdown]
# Two experiments, with the course's versions of your functions, which take whole batches. How many of 300
# translations does a beam change, and for the better? And does the **cache**, which keeps keys and values of
# earlier words, change the result?
#
# (The course divides the score by $((5 + n)/6)^p$ for $n$ words, Wu et al. 2016; with $p = 0$ nothing is
# divided.)

# %% demo
from functools import partial
from time import perf_counter

from course_lib.text import pad_batch
from course_lib.translation import decoding

pairs = corpus.compositional[:300]
sources = pad_batch([translator.encode(pair.source) for pair in pairs])
greedy, beam = decoding.greedy_decode, partial(decoding.beam_search, beam=4)
ways = {"greedy, no cache": partial(greedy, use_cache=False), "greedy, cache": greedy}
ways |= {f"beam 4, length penalty {p}": partial(beam, length_penalty=p) for p in (0.0, 0.6)}

# %% demo
results = {}
for name, decode in ways.items():
    began = perf_counter()
    results[name] = [translator.target_words.decode(ids) for ids in decode(model, sources).tolist()]
    seconds = perf_counter() - began
    right = 100 * exact_match(results[name], [pair.target for pair in pairs])
    changed = sum(a != b for a, b in zip(results[name], results["greedy, no cache"], strict=True))
    print(f"{name:26} {seconds:5.2f} s  exact {right:.1f}  {changed} changed")

# %% [markdown]
# With a cache the words are the same, and the time is shorter, the more so the longer the output.
#
# The beam changes almost nothing: in six runs none of 1,800 translations. After 200 steps (five runs)
# it changed 31 to 53 of 300 new sentences (from 5 fewer right to 13 more), and 47 to 95 of 300 new
# combinations (from 17 fewer right to 12 more). It finds what the model thinks likelier. A model that is
# sure leaves nothing to search.

# %% [markdown]
# ## 10. One sentence, step by step
#
# Each row of the figure is one step: what the decoder has written, where its cross-attention looks (mean of
# the heads), what it thinks comes next. What does the first step read?


# %% demo corrects="003(e)"
def steps_of(sentence):
    explained = translator.explain(sentence)
    ids = translator.target_words.encode(explained.target[:-1], bos=True)
    with torch.no_grad():
        logits = model(torch.tensor([translator.encode(sentence)]), torch.tensor([ids]))
    weights = explained.maps.cross[-1, 0].mean(dim=0)
    vocabulary = translator.target_words.to_list()
    return plots.Decoding(explained.source, explained.target, weights, logits[0].softmax(dim=-1), vocabulary)


plots.show(plots.decoding_steps(steps_of("i am a student")))

# %% [markdown] corrects="003(c) 003(e)"
# The first step reads `<bos>`, since no word has been written yet: it is not 我 that looks at *I*, but the
# begin symbol, in order to write 我. And the step that writes 个 looks at *student* and `<eos>`, hardly at
# *a*, for the noun chooses the measure word.
#
# Both attentions work in every step, in training as in translating. (One of the posts gives the masked one to
# training, the other to prediction.)

# %% [markdown]
# ## 11. What makes *games* 冬奥会?
#
# *Games* alone is 游戏, *football games* are 比赛, *winter games* 冬奥会. In lesson 01 it had one vector, so
# it must meet its modifier somewhere. Three suspects:
#
# - the **encoder**: its vector of *games* has read *winter*;
# - **cross-attention**: the decoder reads the vector of *winter* itself;
# - the **decoder's own words**: after 足球 (football) comes 比赛.
#
# First the maps. Whom do they accuse?

# %% demo
sentences = ("i like the winter games", "i like the football games")
axes = plots.panels(2, width=4.6, height=3.6)
for ax, sentence in zip(axes, sentences, strict=True):
    explained = translator.explain(sentence)
    weights = explained.maps.cross[-1, 0].mean(dim=0)
    plots.attention_map(weights, explained.target, explained.source, ax=ax, title="cross-attention")
    ax.set_ylabel("word written")
plots.show(axes)

# %% demo
axes = plots.panels(2, width=3.8, height=3.6)
for ax, sentence in zip(axes, sentences, strict=True):
    explained = translator.explain(sentence)
    weights = explained.maps.encoder[-1, 0].mean(dim=0)
    plots.attention_map(weights, explained.source, explained.source, ax=ax, title="encoder")
plots.show(axes)

# %% [markdown]
# In six runs the step that wrote 冬奥会 looked most at *winter* (0.42 to 0.68). The step that wrote 比赛
# looked at *games* (0.41 to 0.67), at the end, and hardly at *football* (0.03 to 0.10); the encoder's *games*
# looks at everything, *football* too (0.15 to 0.48). So it seems: *winter* is read by the decoder, and
# *football* can only come from the encoder.
#
# A map cannot prove that. An **intervention** can: replace some of the winter sentence's vectors by the
# football sentence's, and let the decoder read. What will it write if only *games* is replaced?


# %% demo
def memory(sentence):
    with torch.no_grad():
        return model.encode(torch.tensor([translator.encode(sentence)]))[0]  # (1, source, d_model)


winter, football, phone = map(memory, (*sentences, "the phone is old"))
tuple(winter.shape)

# %% demo
for name, place, other in (
    ("games", 4, football[0, 4]),
    ("football", 3, football[0, 3]),
    ("phone", 3, phone[0, 1]),
):
    mixed = winter.clone()
    mixed[0, place] = other
    read_mixed = lambda source, target, mixed=mixed: model.decode(target, mixed)[0]
    ids = greedy_decode(read_mixed, torch.zeros(1, 1))[0]
    print(f"vector {place} is now {name:9}", " ".join(translator.target_words.decode(ids)))

# %% [markdown]
# The vector of *games* changes nothing: nobody asks what it has read. The **modifier's** decides, even that
# of *phone* from a sentence without any games: in five of six runs 冬奥会 was gone then (what came differed:
# 手机 游戏, 玩 的 游戏, 奥运会). So the two meet in the decoder. Where? Leave the source as it is, and put
# other **words** in the decoder's mouth.

# %% demo
for words in ("我 喜欢", "我 喜欢 足球", "我 喜欢 电子"):
    ids = torch.tensor([translator.target_words.encode(words.split(), bos=True)])
    with torch.no_grad():
        chance, word = model.decode(ids, winter)[0][0, -1].softmax(dim=-1).max(dim=-1)
    print(f"{words} -> {' '.join(translator.target_words.decode([int(word)]))} ({chance:.2f})")

# %% [markdown]
# Though the source says *winter games*, after 足球 it writes 比赛. So that map misled us: *football* speaks
# through the word that stands there already.
#
# Over all pairs of seven modifiers in four sentences, with four models (seeds, 1000 steps each;
# `tests/bench/interventions.py`), the other sense came
#
# - with the vector of *games* in 0 of 608 pairs, with the modifier's in 598, with all others in 0;
# - with a modifier's vector that never met *games* in 260 of 352;
# - with the other Chinese words before it in 323 of 363.
#
# And with every head of the encoder switched off, 105 of 112 sentences keep the right sense. We had bet on
# the encoder.

# %% [markdown]
# ## 12. Every head
#
# Choose a head, and **switch** it off to see the translation without it. Is the one with the sharpest map
# needed most?

# %% demo
from course_lib import widgets

widgets.translation_explorer(translator, ["i like the 2022 beijing winter games", *sentences])

# %% [markdown]
# One sentence is an anecdote; here are 150, each head switched off in turn.

# %% demo
from course_lib.translation.interventions import KINDS, heads_off

pairs = corpus.test[:150]
references = [pair.target for pair in pairs]
for kind in KINDS:
    for chosen in ([0], [1], [2], [3], [0, 1, 2, 3]):
        with heads_off(model, [(kind, 0, head) for head in chosen]):
            translations_off = translator.translate([pair.source for pair in pairs])
        print(f"{kind:8} without {chosen!s:13} exact {100 * exact_match(translations_off, references):5.1f}")

# %% [markdown]
# In six runs 85 to 100 % stayed right without a head of the encoder, 82 to 100 without one of the decoder,
# 46 to 87 without one of cross-attention, and nothing without all four: then the source is lost, and every
# translation is the same.
#
# What do heatmaps not prove? A weight says how much of a *value* is added. It does not say what is in that
# value, what later layers do with it, or whether the result needs it. For that, change something and look.

# %% [markdown]
# ## 13. What fails without each piece
#
# Take a piece away, train again, measure. Choose one of `ABLATIONS`, predict, run: 1000 steps take about 10
# seconds. By steps, for then a slow machine finds what a fast one does; compare with the table below.

# %% demo
from course_lib.translation.ablations import ABLATIONS, ablated, measure

PIECE = "no causal mask"
weaker = ablated(corpus, PIECE, Recipe(steps=1000), progress=False)
print("one of", list(ABLATIONS))
print(PIECE, {name: round(value, 1) for name, value in measure(weaker, corpus)._asdict().items()})
for pair in corpus.test[:2]:
    print(" ".join(pair.source), "->", " ".join(weaker(pair.source)))

# %% [markdown]
# In percent, median and worst of five seeds; 1000 steps each, 500 sentences of each test (`python
# tests/bench/ablations.py --seeds 5`). *Next word*: right, where the reference's earlier words are given.

# %% [markdown]
# | | next word | random | compositional |
# |---|---|---|---|
# | complete (rotary positions) | 99.9 | 99.4, 98.8 | 98.8, 97.8 |
# | sinusoidal positions | 100.0 | 99.6, 99.0 | 98.0, 97.2 |
# | no positions | 98.4 | **86.6**, 86.0 | **84.2**, 83.2 |
# | no causal mask | 100.0 | **0.0**, 0.0 | **0.0**, 0.0 |
# | no scaling | 100.0 | 99.8, 99.2 | 98.8, 98.0 |
# | one head | 99.9 | 98.6, 98.2 | 97.8, 95.6 |
# | one head, no scaling | 99.5 | 95.6, 91.0 | **89.6**, 86.2 |
# | no warm-up | 100.0 | 99.8, 99.4 | 99.2, 98.6 |
# | padding counted | 100.0 | 99.6, 98.8 | 99.4, 98.4 |

# %% [markdown]
# What the rows say:
#
# - **No causal mask:** each position learns to copy the answer that it can see, and in translating there is
#   none. Given the right words it says nearly all of the next ones; alone, not one sentence.
# - **No positions** costs less than you may think: the causal mask tells the decoder something about order.
# - **One head and no scaling** together cost most of the rest: then $d_k$ is 64, and not 16.
# - **One head** seems to cost a few sentences: its best of five seeds (99.0 % of new ones) is hardly above
#   the complete model's worst (98.8 %).
# - **The other rows** overlap with the complete model: five seeds show no effect. (Deeper models need warm-up
#   more, section 6.)

# %% [markdown]
# ## 14. In your own words
#
# A classmate reports: "Word by word, on `model(source, target[:, :-1])`, my translator's validation accuracy
# is 99.9 %. But what it writes is nonsense." Explain (a) how both can be true, (b) which missing piece you
# suspect, and one experiment on a single sentence that would prove it, (c) how the classmate should measure
# instead, and why that is slower.

# %% [markdown] points=3 question="too_good"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each. The model answer:
#
# (a) The right earlier words are given (teacher forcing), so that one slip never leads to another; and if
# the decoder can see later positions, the answer itself is in its input. (Half a point for only one.)
#
# (b) The causal mask. Change the last word of the target and look at the logits of earlier positions: they
# must not move. (Also accept: an answer that is not shifted, with a fitting experiment, for instance
# printing both rows side by side. Half a point without an experiment.)
#
# (c) Let it decode from `BOS`, reading its own words, and compare whole sentences (exact match, BLEU). Each
# word needs another pass of the decoder, while teacher forcing checks all positions in one.
# <!-- END SOLUTION -->

# %% [markdown]
# ## 15. Your own sentences
#
# Optional, best on a Colab GPU: a UTF-8 file with lines `english TAB chinese`, for instance Anki's
# (manythings.org/anki) or an export of tatoeba.org; upload it beside this notebook. Chinese without spaces
# is cut into characters. Expect minutes, a larger model, and far lower scores.

# %% demo
PAIRS = None  # for instance "cmn.txt"
if PAIRS:
    from course_lib.corpus import hold_out, read_pairs

    pairs = read_pairs(PAIRS, max_words=20)
    kept, held = hold_out(pairs, min(200, len(pairs) // 10))
    larger = {"d_model": 256, "d_ff": 512, "heads": 8, "encoder_layers": 3, "decoder_layers": 3}
    yours = Translator.for_pairs(kept, norm_first=True, **larger)
    yours.model.to(device())
    seen = Bitext(kept, yours.source_words, yours.target_words)
    train(yours.model, seen, Recipe(seconds=600, batch_tokens=4000), on_report=plots.LiveLoss())

# %% demo
if PAIRS:
    theirs = yours.translate([pair.source for pair in held])  # a word that training lacks warns, once
    for pair, ours in zip(held[:10], theirs, strict=False):
        print(pair, "|", " ".join(ours))
    print(f"BLEU of {len(held)} held-out sentences: {bleu(theirs, [pair.target for pair in held]):.1f}")

# %% [markdown]
# ## What you have
#
# - The decoder reads the target up to a word and says the next; padding is never graded.
# - A training step clears, computes and applies gradients; deep post-norm models need a warm-up.
# - Greedy decoding reads its own words; beam search keeps several ways open; a cache changes only the time.
# - Judge whole sentences, by exact match and BLEU: under teacher forcing a broken model looks fine.
# - A heatmap raises a suspicion. An intervention tests it.
#
# **Next:** this translator knew nothing before it met its corpus. Lesson 08 begins with a model that has
# read before.

# %%
progress()
