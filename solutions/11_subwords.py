# %% [markdown]
# # Words into pieces: nothing is unknown
#
# Your translator knows about 400 English words. What does it do with *snowboards*? In this lesson you cut
# words into pieces that a computer has chosen by counting. A frequent word is one piece, a rare word is
# several, and any text in any language can be written. Almost all large language models read text like
# this.
#
# **You need** lesson 01. **Time:** 70 minutes in two sittings, five exercises.

# %%
import re
from collections import Counter
from itertools import islice, pairwise

from course_lib import plots
from course_lib.corpus import draw_pairs
from course_lib.exercises.subwords import check, hint, model_answer, progress

pairs = list(islice(draw_pairs(), 5000))
english = [" ".join(pair.source) for pair in pairs]
chinese = ["".join(pair.target) for pair in pairs]
f"{len(pairs)} sentence pairs are ready"

# %% [markdown]
# ## 1. A word that nobody has seen
#
# A vocabulary of words is made from the training text. Lesson 01 gave all words that are not in it the same
# id, the one of `<unk>`. What will be left of the two sentences below?

# %% demo
known_words = {word for text in english for word in text.split()}
print(f"{len(known_words)} words are known")
for text in ("she is buying three snowboards", "does he like the replaying girl"):
    print(text, "->", " ".join(word if word in known_words else "<unk>" for word in text.split()))

# %% [markdown]
# Both sentences have lost the word that matters, and no model can guess it from `<unk>`. A larger
# vocabulary only moves the problem: there are always new names, numbers, typing errors and words that are
# made from others, such as *replaying*.
#
# The other extreme is to read **letters**. Or, better, **bytes**: computers store text as UTF-8, which
# writes each character as one to four bytes, numbers from 0 to 255. There are only 256 of them, so
# nothing is unknown. How many bytes does an English letter need, and how many does a Chinese character
# need?

# %% demo
for text in ("tea", "naïve", "我喜欢茶", "🙂"):
    print(f"{text:6} {len(text)} characters, {len(text.encode()):2} bytes: {list(text.encode())}")
for name, side, texts in (("English text", "source", english), ("Chinese text", "target", chinese)):
    words = sum(len(getattr(pair, side)) for pair in pairs) / len(pairs)
    size = sum(len(text.encode()) for text in texts) / len(texts)
    print(f"{name}: {words:.1f} words a sentence, {size:.1f} bytes")

# %% [markdown]
# An English letter is one byte, and most Chinese characters are three. Sentences of bytes are four to
# five times as long as sentences of words. The cost of attention grows with the square of the length
# (lesson 03), and the model first has to learn that *t*, *e* and *a* together mean a drink.
#
# **Subwords** lie between the two. We look for pieces that are as long as possible and still can write
# everything.

# %% [markdown]
# ## 2. Byte-pair encoding (BPE)
#
# The rule is an old method of compression (Gage 1994), which Sennrich et al. (2016) brought to
# translation:
#
# Begin with single bytes. Count how often each two pieces are neighbors. Join the most frequent pair into
# one new piece, wherever it occurs. Repeat.
#
# The picture counts three words of our corpus. The number below each word says how often it occurs. The
# fourth word is new. From which word will the first merges come?

# %% demo
from course_lib.plots import diagrams

counted = {word: sum(text.split().count(word) for text in english) for word in ("play", "playing", "reading")}
diagrams.byte_pairs(counted, merges=7, new=["replaying"]).picture()

# %% [markdown]
# Each row is one **merge**. The first merges come from *play*, because two of the words have its letters. The
# word *replaying* was never counted, but in the end it needs only two pieces. At the start, three pairs are
# equally frequent (p + l, l + a and a + y). The picture takes the one that it meets first. Your program will
# take the smallest one.
#
# You will now write the method in five functions. A piece is an **id**: 0 to 255 are the bytes, and the
# first merge gets 256. A word is a tuple of ids.

# %% [markdown]
# **Exercise 1** · easy · 8 minutes. Count the pairs of neighbors. A word that occurs 30 times counts 30
# times. What is counted in (97, 97, 97)?


# %% exercise="count_pairs"
def count_pairs(words):
    """How often each two ids are neighbors in these words.

    words: a dict from a tuple of ids to how often this word occurs
    -> a dict from a pair of ids, in their order, to a number.
    """
    ### BEGIN SOLUTION
    counts = Counter()
    for ids, count in words.items():
        for pair in pairwise(ids):
            counts[pair] += count
    return counts
    ### END SOLUTION


# %% check="count_pairs" points=4
check("count_pairs", count_pairs)

# %% [markdown]
# A space belongs to the word after it, as in GPT-2: *the* at the beginning of a text and *␣the* within a
# text are two words. So most spaces need no piece of their own, and no text is lost. The pattern
# `words_of` cuts a text into such words. Pairs are counted only within words.
#
# Which pair of bytes do you expect to be the most frequent one in our English text?

# %%
words_of = re.compile(r" ?\S+|\s+").findall
counts = Counter(word for text in english for word in words_of(text))

# %% demo
print(words_of("the girl  likes tea"))
found = count_pairs({tuple(word.encode()): count for word, count in counts.items()})
for pair, count in sorted(found.items(), key=lambda item: -item[1])[:5]:
    print(repr(bytes(pair).decode()), count)

# %% [markdown]
# The most frequent pair is a space and a *t*, because *the*, *this*, *that* and *to* begin with it.

# %% [markdown]
# **Exercise 2** · medium · 10 minutes. Replace a pair by one new id, wherever it occurs in a word. Go
# from left to right. What becomes of the pair (97, 97) in (97, 97, 97)?


# %% exercise="merge"
def merge(ids, pair, new):
    """The ids of a word after each `pair` has been replaced by `new`, from left to right.

    ids: a list or tuple of ids, which stays as it is; pair: two ids; new: one id -> a list of ids.
    """
    ### BEGIN SOLUTION
    merged, i = [], 0
    while i < len(ids):
        if tuple(ids[i : i + 2]) == tuple(pair):
            merged.append(new)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged
    ### END SOLUTION


# %% check="merge" points=5
check("merge", merge)

# %% [markdown]
# **Exercise 3** · medium · 12 minutes. Put both together. In each round, count the pairs, take the most
# frequent pair, give it the next id, and merge it in each word. If several pairs are equally frequent, take
# the smallest one, as Python compares tuples. Then everybody gets the same merges. When is there no pair
# left?


# %% exercise="learn_merges"
def learn_merges(counts, number):
    """The first `number` merges of byte-pair encoding, or fewer if every word has become one piece.

    counts: a dict from a word (a string) to how often it occurs
    -> a dict from a pair of ids to its new id, 256, 257 ..., in the order of learning.
    """
    ### BEGIN SOLUTION
    words = {tuple(word.encode()): count for word, count in counts.items()}
    merges = {}
    while len(merges) < number:
        pairs = count_pairs(words)
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges[best] = 256 + len(merges)
        words = {tuple(merge(ids, best, merges[best])): count for ids, count in words.items()}
    return merges
    ### END SOLUTION


# %% check="learn_merges" points=6
check("learn_merges", learn_merges)

# %% [markdown]
# Here are the pieces of our corpus. In which order do you expect: endings such as *ing*, frequent words
# such as *␣the*, rare long words?

# %% demo
merges = learn_merges(counts, 400)
pieces = {i: bytes([i]) for i in range(256)}
for (first, second), new in merges.items():
    pieces[new] = pieces[first] + pieces[second]
learned = [pieces[new].decode().replace(" ", "␣") for new in merges.values()]
print("the first 24:", " ".join(learned[:24]))
print("the longest:", " ".join(sorted(learned, key=len)[-8:]))

# %% [markdown]
# Short pieces such as *␣t*, *he* and *in* come first, because they occur in many words. Frequent words and
# endings follow soon: *␣the* is merge number 7, and *ing* is number 15. Nobody has told the program what an
# ending is. It only counts.

# %% [markdown]
# *This is a good place to stop, after about 40 minutes. When you come back, run all cells above.*

# %% [markdown]
# ## 3. Encode
#
# The merges belong to the model like its weights. A new text must be cut exactly as the training text
# was. So you apply the merges in the order in which they were learned.

# %% [markdown]
# **Exercise 4** · medium · 12 minutes. Encode a word. Begin with its bytes and apply the merges. Two
# known pairs may overlap, as in *a b c* with the merges *b c* and *a b*. Which of them comes first?


# %% exercise="encode"
def encode(word, merges):
    """The ids of a word: its bytes, with all merges applied in the order in which they were learned.

    word: a string; merges: a dict from a pair of ids to its id, in this order -> a list of ids.
    """
    ### BEGIN SOLUTION
    ids = list(word.encode())
    for pair, new in merges.items():
        ids = merge(ids, pair, new)
    return ids
    ### END SOLUTION


# %% check="encode" points=6
check("encode", encode)

# %% [markdown]
# The loop over all merges is short but slow. With the 50,000 merges of GPT-2, it would search each word
# 50,000 times. Real programs look up only the pairs that the word has, and merge the pair with the smallest
# id first. They also remember the words that they have encoded. The result is the same.
#
# You could also take the longest known piece from the left, as BERT does (section 6). Would that give the
# same pieces? The next cell compares both ways on three words of our corpus, with 100 merges. "By rank" means
# in the order of learning.

# %% demo
few = dict(islice(merges.items(), 100))
known = {pieces[new]: new for new in (*range(256), *few.values())}
for word in (" winter", " likes", " daughter"):
    data, longest = word.encode(), []
    while data:
        longest.append(next(data[:end] for end in range(len(data), 0, -1) if data[:end] in known))
        data = data[len(longest[-1]) :]
    by_rank = [pieces[i].decode() for i in encode(word, few)]
    print(f"by rank {by_rank}, longest first {[piece.decode() for piece in longest]}")

# %% [markdown]
# The pieces differ. The model was trained on pieces that were cut by rank. If you cut a word in another
# way, the model gets ids in a combination that it has seldom or never seen.

# %% [markdown]
# ## 4. Decode
#
# The way back seems easy: put the text of all pieces together. But look at the first pieces of the
# Chinese text. What will be printed for a piece that is two of the three bytes of 我?

# %% demo
chinese_counts = Counter(word for text in chinese[:1500] for word in words_of(text))
chinese_merges = learn_merges(chinese_counts, 300)
for (first, second), new in chinese_merges.items():
    pieces[new] = pieces[first] + pieces[second]
for new in list(chinese_merges.values())[:8]:
    print(new, pieces[new], pieces[new].decode("utf-8", errors="replace"))

# %% [markdown]
# A character of three bytes needs two merges. After the first merge, the piece is only a part of a character,
# and no text can show it. Python writes the sign � instead. Without `errors="replace"` it raises an error. A
# model may write such a piece too, and then the program must not stop.

# %% [markdown]
# **Exercise 5** · medium · 8 minutes. Decode a list of ids. Which comes first: joining the pieces, or
# turning bytes into text?


# %% exercise="decode"
def decode(ids, merges):
    """The text of these ids. Bytes that make no character become the sign �.

    ids: a list of ids; merges: a dict from a pair of ids to its id, in the order of learning -> a string.
    """
    ### BEGIN SOLUTION
    pieces = {i: bytes([i]) for i in range(256)}
    for (first, second), new in merges.items():
        pieces[new] = pieces[first] + pieces[second]
    return b"".join(pieces[i] for i in ids).decode("utf-8", errors="replace")
    ### END SOLUTION


# %% check="decode" points=5
check("decode", decode)

# %% [markdown]
# Now nothing is unknown. The merges were learned from English sentences only. Which of the texts below
# will need the most pieces for each character?

# %% demo
for text in ("she is buying three snowboards", "the replaying girl", "我喜欢茶", "naïve 🙂", "x = [1]\n"):
    ids = [i for word in words_of(text) for i in encode(word, merges)]
    cut = "|".join(decode([i], merges) for i in ids).replace("\n", "\\n")
    print(f"{len(text):2} characters, {len(ids):2} pieces, exact: {decode(ids, merges) == text}: {cut}")

# %% [markdown]
# The round trip from text to ids and back is exact for each text. This is certain, because bytes can write
# every text, and a merge only joins them. But English that looks like the training text needs few pieces,
# and Chinese needs three for each character, because no merge contains its bytes. If a large model learned
# its merges mostly from English text, it needs more pieces for the same content in Chinese.

# %% [markdown]
# ## 5. How many merges?
#
# With more merges, a sentence has fewer pieces, and the table of embeddings has more rows. The next cell
# counts the pieces of 300 new sentence pairs. Each language has its own merges. An English sentence has 7.6
# words on average. Will the curves fall to the number of words, or below it?

# %% demo
new_pairs, steps = list(islice(draw_pairs(1), 300)), (0, 25, 50, 100, 200, 300)
curves = {"English text": [], "Chinese text": []}
for number in steps:
    for (name, curve), learned_from in zip(curves.items(), (merges, chinese_merges), strict=True):
        few = dict(islice(learned_from.items(), number))
        texts = [" ".join(p.source) if name == "English text" else "".join(p.target) for p in new_pairs]
        curve.append(sum(len(encode(word, few)) for text in texts for word in words_of(text)) / len(texts))
plots.show(plots.lines(steps, curves, "merges", "pieces a sentence, mean of 300"))

# %% [markdown]
# The first merges save the most. With 300 merges, a sentence has 11 to 12 pieces in either language. The
# English curve can never fall below 7.6 words, because merges do not cross the spaces. A Chinese sentence has
# no spaces, so it is one "word" for the pattern. Here a piece can be longer than a word: 今天早上 (*this
# morning*), which is two words, has become one piece.

# %% [markdown]
# With few merges, only the shortest words are one piece. What share of the English words in these sentences
# will be one piece after 300 merges? Remember that the most frequent pairs are merged first.

# %% demo
new_words = [word for pair in new_pairs for word in words_of(" ".join(pair.source))]
share = []
for number in steps:
    few = dict(islice(merges.items(), number))
    share.append(100 * sum(len(encode(word, few)) == 1 for word in new_words) / len(new_words))
print(f"after 300 merges: {share[-1]:.0f} % of {len(new_words)} words")
plots.show(plots.lines(steps, {"words that are one piece": share}, "merges", "percent of the words"))

# %% [markdown]
# Nearly three quarters of the words are one piece, although many of the 300 merges have made only parts of
# words. Words that occur often become one piece early, so a few merges are enough for most of a text.
#
# A real vocabulary has 30,000 to 200,000 pieces. Each piece costs a row in the table of embeddings and a row
# in the output layer. The Transformer paper uses one table for both. With $d_{model} = 512$ and 37,000
# pieces, this table has 19 million numbers, which is 29 % of the 65 million parameters of the base model.

# %% [markdown]
# ## 6. What others do
#
# | method | how it differs from yours | used by |
# |---|---|---|
# | BPE (Sennrich et al. 2016) | begins with characters, so some are unknown | Transformer paper |
# | BPE on bytes (Radford et al. 2019) | its pattern also cuts off punctuation | GPT-2, Llama 3 |
# | WordPiece (Schuster, Nakajima 2012) | encodes by the longest piece | BERT |
# | Unigram (Kudo 2018) | begins with many pieces and removes the least useful | T5 |
#
# SentencePiece is a program for BPE and Unigram. It treats a space as a character, so it also works for
# languages without spaces.

# %% [markdown]
# ## 7. In your own words
#
# A company sells a language model and charges for each piece ("token"). Its merges were learned
# from text that is 95 % English. Explain three things:
#
# - (a) Why can this model read any Chinese text, although it has learned hardly any Chinese piece? Say
#   what the pieces of a rare character are.
# - (b) Why does the same content cost more in Chinese? Name two costs: one for the customer, one for the
#   model.
# - (c) The company learns 20,000 merges from Chinese text and adds them after the old ones. What gets
#   better? What has to be trained again, and why?

# %% [markdown] points=3 question="the_price_of_a_piece"
# <!-- BEGIN SOLUTION -->
# **Marking guide**, one point each.
#
# (a) **A full answer names** bytes as the first 256 pieces, and says that a rare character stays cut into
# its bytes (three for most Chinese characters).
# **Model answer:** Every text is a sequence of bytes, and all 256 bytes are pieces. A character that no merge
# contains is written as its bytes, three for most Chinese characters.
# **Marking:** Give half a point for "there is no `<unk>`" without the bytes.
#
# (b) **A full answer names** more pieces for the same content as a higher price, and one cost of long
# sequences for the model: attention grows with the square of the length, the context window is full
# earlier, or it has to learn characters from bytes.
# **Model answer:** The same sentence has two to four times as many pieces, and each is paid. For the
# model the sentence is longer, so attention costs more, and less text fits into its context.
# **Marking:** Give half a point for one of the two.
#
# (c) **A full answer names** shorter Chinese text, and says that the new pieces have no trained rows in
# the embedding table and the output layer, so the model has to be trained further on text that is cut in
# the new way.
# **Model answer:** Chinese sentences get shorter, and English ones stay as they are, because the old
# merges come first. The 20,000 new pieces need new rows in the table and in the output layer. These rows
# are random at first, and the other weights have never seen these pieces, so the model is trained further
# on Chinese text.
# **Marking:** Give half a point if the training is missing.
# <!-- END SOLUTION -->

# %% [markdown]
# ## What you have
#
# - A vocabulary of words loses every word that is not in it. Bytes lose nothing, but they make sentences
#   long.
# - Byte-pair encoding joins the most frequent pair, again and again. Frequent words become one piece.
# - Encoding applies the merges in the order of learning. Decoding joins bytes first.
# - The round trip is exact for every text. A text that is unlike the training text needs more pieces.
#
# **Next:** lesson 12 builds a model that reads and writes such pieces, a small GPT.

# %%
progress()
