"""Wrong answers to encode: name, advice, code."""

from itertools import pairwise

from course_lib.checks.exercise import Mistakes
from course_lib.exercises.subwords.merge import reference as merged

mistake = Mistakes()


def _pieces(merges):
    table = {i: bytes([i]) for i in range(256)}
    for (first, second), new in merges.items():
        table[new] = table.get(first, b"?") + table.get(second, b"?")
    return table


@mistake
def longest_piece_first(word, merges):
    """You take the longest known piece from the left. This can give other pieces than the model has learned
    with. Apply the merges in the order in which they were learned.
    """
    known = {piece: new for new, piece in _pieces(merges).items()}
    data, ids = word.encode(), []
    while data:
        end = next(end for end in range(len(data), 0, -1) if data[:end] in known)
        ids.append(known[data[:end]])
        data = data[end:]
    return ids


@mistake
def leftmost_first(word, merges):
    """You merge the leftmost known pair first. If two pairs overlap, the one that was learned first wins,
    wherever it is: look for the smallest new id.
    """
    ids, i = list(word.encode()), 0
    while i < len(ids) - 1:
        if (ids[i], ids[i + 1]) in merges:
            ids[i : i + 2] = [merges[ids[i], ids[i + 1]]]
            i = 0
        else:
            i += 1
    return ids


@mistake
def most_frequent_here(word, merges):
    """You merge the known pair that is most frequent in this word. The counts were needed for learning only.
    When you encode, the pair that was learned first is merged first: look for the smallest new id.
    """
    ids = list(word.encode())
    while known := [pair for pair in pairwise(ids) if pair in merges]:
        best = max(known, key=known.count)
        ids = merged(ids, best, merges[best])
    return ids


@mistake
def latest_first(word, merges):
    """You apply the merge that was learned last. Training began with the first one, so encoding does too."""
    ids = list(word.encode())
    while pairs := [pair for pair in pairwise(ids) if pair in merges]:
        best = max(pairs, key=merges.__getitem__)
        ids = merged(ids, best, merges[best])
    return ids


@mistake
def backwards(word, merges):
    """You go over the merges from the last one to the first. A late merge needs the pieces that earlier ones
    make: begin with the first.
    """
    ids = list(word.encode())
    for pair, new in reversed(merges.items()):
        ids = merged(ids, pair, new)
    return ids


@mistake
def from_the_right(word, merges):
    """You apply each merge from the right. The merges were learned from left to right, so in a a a the first
    two are joined: use your `merge`.
    """
    ids = list(word.encode())
    for (first, second), new in merges.items():
        ids = merged(ids[::-1], (second, first), new)[::-1]
    return ids


@mistake
def one_pass(word, merges):
    """You go through the word once. A merge can make a new pair, so look again until no pair is left."""
    ids, out, i = list(word.encode()), [], 0
    while i < len(ids):
        pair = tuple(ids[i : i + 2])
        out.append(merges.get(pair, ids[i]))
        i += 2 if pair in merges else 1
    return out


@mistake
def one_merge(word, merges):
    """You apply only one of the merges. Go on until no pair of the word is left in `merges`."""
    ids = list(word.encode())
    pairs = [pair for pair in pairwise(ids) if pair in merges]
    if pairs:
        best = min(pairs, key=merges.__getitem__)
        ids = merged(ids, best, merges[best])
    return ids


@mistake
def first_place_only(word, merges):
    """You apply each merge at one place only. It is made wherever its pair occurs."""
    ids = list(word.encode())
    for pair, new in merges.items():
        for i in range(len(ids) - 1):
            if (ids[i], ids[i + 1]) == pair:
                ids[i : i + 2] = [new]
                break
    return ids


@mistake
def ids_by_place(word, merges):
    """You number the new ids by the place of their pair in `merges`. The id of a pair is the value that the
    dict has for it.
    """
    ids = list(word.encode())
    for i, pair in enumerate(merges):
        ids = merged(ids, pair, 256 + i)
    return ids


@mistake(mentions=r"strip|split")
def stripped(word, merges):
    """You strip the spaces or line ends of a word. They are bytes of it, and without them the text does not
    come back.
    """
    ids = list(word.strip().encode())
    for pair, new in merges.items():
        ids = merged(ids, pair, new)
    return ids


@mistake
def characters(word, merges):
    """You begin with characters (`ord`), so 我 gets an id that is no byte. Begin with `word.encode()`."""
    ids = [ord(char) for char in word]
    for pair, new in merges.items():
        ids = merged(ids, pair, new)
    return ids


@mistake
def ascii_only(word, merges):
    """You leave out what is not English. UTF-8 gives each character one to four bytes: `word.encode()`."""
    ids = list(word.encode("ascii", "ignore"))
    for pair, new in merges.items():
        ids = merged(ids, pair, new)
    return ids


@mistake
def bytes_unmerged(word, merges):
    """Your result has only bytes. Apply the merges to them."""
    return list(word.encode())


@mistake
def whole_word_or_bytes(word, merges):
    """You look up only the whole word, and cut it into bytes otherwise. A new word consists of known pieces:
    apply the merges.
    """
    known = {piece: new for new, piece in _pieces(merges).items()}
    data = word.encode()
    return [known[data]] if data in known else list(data)


@mistake
def adds_to_the_merges(word, merges):
    """You write into the merges that you were given, and the caller needs them for the next word. Make a dict
    of your own.
    """
    for i in range(256):
        merges.setdefault((i,), i)
    ids = [merges[byte,] for byte in word.encode()]
    for pair, new in [item for item in merges.items() if len(item[0]) == 2]:
        ids = merged(ids, pair, new)
    return ids
